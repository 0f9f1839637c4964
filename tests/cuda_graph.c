// Graph capture and replay of every call, streams, and the caller's CUDA errors. Needs a GPU.
#include "support.h"

#include <cuda_runtime_api.h>
#include <math.h>

#define assert_cuda(call) assert_int_equal((call), cudaSuccess)

// ---- Jobs: one call of each routine, in a form that each kernel takes ---------------------------

enum { buffer_floats = 1 << 19, buffer_bytes = buffer_floats * 4, batch_count = 3 };

// A and B are read, C is read and written. All three are filled again before each run of a job.
struct buffers {
    float *a, *b, *c;
    float* scalars;        // alpha, beta
    const float** a_array; // of the batch, and so on
    const float** b_array;
    float** c_array;
    float *host_a, *host_b, *host_c;
    float host_scalars[5]; // alpha and beta; and together the parameters of rotm
};

struct job {
    const char* name;
    myblasRoutine_t routine;
    myblasStatus_t (*enqueue)(myblasHandle_t,
                              const struct buffers*,
                              const float* alpha,
                              const float* beta);
};

static myblasStatus_t product(myblasHandle_t handle,
                              const struct buffers* b,
                              const float* alpha,
                              const float* beta,
                              myblasOperation_t transa,
                              int m,
                              int n,
                              int k) {
    const int lda = transa == MYBLAS_OP_N ? m : k;
    return mysgemm(handle, transa, MYBLAS_OP_N, m, n, k, alpha, b->a, lda, b->b, k, beta, b->c, m);
}

// clang-format off
#define JOB(name) \
    static myblasStatus_t name(myblasHandle_t h, const struct buffers* b, const float* alpha, \
                               const float* beta)
#define UNUSED_SCALARS (void)alpha; (void)beta
JOB(small_product) { return product(h, b, alpha, beta, MYBLAS_OP_N, 65, 33, 17); }
JOB(transposed_product) { return product(h, b, alpha, beta, MYBLAS_OP_T, 131, 67, 45); }
JOB(aligned_product) { return product(h, b, alpha, beta, MYBLAS_OP_N, 256, 128, 64); }
JOB(long_product) { return product(h, b, alpha, beta, MYBLAS_OP_N, 32, 32, 8192); }
JOB(deep_product) { return product(h, b, alpha, beta, MYBLAS_OP_N, 64, 64, 8000); }
JOB(large_product) { return product(h, b, alpha, beta, MYBLAS_OP_N, 700, 600, 300); }
JOB(thin_product) { return product(h, b, alpha, beta, MYBLAS_OP_T, 501, 7, 130); }
JOB(tall_product) { return product(h, b, alpha, beta, MYBLAS_OP_N, 1501, 5, 60); }
JOB(strided_batch) {
    return mysgemmStridedBatched(h, MYBLAS_OP_N, MYBLAS_OP_N, 36, 20, 28, alpha, b->a, 36, 1024,
                                 b->b, 28, 1024, beta, b->c, 36, 1024, batch_count);
}
JOB(pointer_batch) {
    return mysgemmBatched(h, MYBLAS_OP_N, MYBLAS_OP_N, 36, 20, 28, alpha, b->a_array, 36,
                          b->b_array, 28, beta, b->c_array, 36, batch_count);
}
JOB(fused_product) {
    const myblasEpilogue_t e = {.size_bytes = sizeof e, .activation = MYBLAS_ACTIVATION_GELU,
                                .bias = b->b, .aux = b->c + 40000, .ldaux = 150};
    return mysgemmFused(h, MYBLAS_OP_N, MYBLAS_OP_N, 150, 140, 60, alpha, b->a, 150, b->b, 60, beta,
                        b->c, 150, b->c, 150, &e);
}
JOB(fused_batch) {
    const myblasEpilogue_t e = {.size_bytes = sizeof e, .activation = MYBLAS_ACTIVATION_RELU,
                                .bias = b->b, .bias_of = MYBLAS_BIAS_OF_COLUMNS, .stride_bias = 20};
    return mysgemmFusedStridedBatched(h, MYBLAS_OP_N, MYBLAS_OP_N, 36, 20, 28, alpha, b->a, 36,
                                      1024, b->b, 28, 1024, beta, b->b, 36, 1024, b->c, 36, 1024,
                                      &e, batch_count);
}
#define LOWER MYBLAS_FILL_MODE_LOWER
#define UPPER MYBLAS_FILL_MODE_UPPER
JOB(plain_syrk) {
    return myssyrk(h, LOWER, MYBLAS_OP_N, 200, 60, alpha, b->a, 200, beta, b->c, 200);
}
JOB(large_syrk) {
    return myssyrk(h, UPPER, MYBLAS_OP_T, 600, 300, alpha, b->a, 300, beta, b->c, 600);
}
JOB(plain_syrkx) {
    return myssyrkx(h, UPPER, MYBLAS_OP_T, 130, 60, alpha, b->a, 60, b->b, 60, beta, b->c, 130);
}
JOB(plain_syr2k) {
    return myssyr2k(h, UPPER, MYBLAS_OP_N, 200, 60, alpha, b->a, 200, b->b, 200, beta, b->c, 200);
}
JOB(plain_symm) {
    return myssymm(h, MYBLAS_SIDE_LEFT, LOWER, 150, 140, alpha, b->a, 150, b->b, 150, beta, b->c,
                   150);
}
JOB(plain_trmm) {
    (void)beta;
    return mystrmm(h, MYBLAS_SIDE_RIGHT, UPPER, MYBLAS_OP_T, MYBLAS_DIAG_NON_UNIT, 150, 140, alpha,
                   b->a, 150, b->b, 150, b->c, 150);
}
JOB(small_symm) {
    return myssymm(h, MYBLAS_SIDE_RIGHT, LOWER, 140, 50, alpha, b->a, 50, b->b, 140, beta, b->c,
                   140);
}
JOB(small_trmm) {
    (void)beta;
    return mystrmm(h, MYBLAS_SIDE_LEFT, UPPER, MYBLAS_OP_T, MYBLAS_DIAG_UNIT, 30, 140, alpha, b->a,
                   31, b->c, 30, b->c, 30);
}
JOB(in_place_trmm) {
    (void)beta;
    return mystrmm(h, MYBLAS_SIDE_LEFT, LOWER, MYBLAS_OP_N, MYBLAS_DIAG_UNIT, 150, 140, alpha, b->a,
                   150, b->c, 150, b->c, 150);
}
JOB(plain_trsm) {
    (void)beta;
    return mystrsm(h, MYBLAS_SIDE_LEFT, LOWER, MYBLAS_OP_N, MYBLAS_DIAG_UNIT, 20, 140, alpha, b->a,
                   20, b->c, 20);
}
JOB(long_trsm) {
    (void)beta;
    return mystrsm(h, MYBLAS_SIDE_RIGHT, UPPER, MYBLAS_OP_N, MYBLAS_DIAG_UNIT, 30, 300, alpha, b->a,
                   300, b->c, 30);
}
JOB(trsm_of_one_line) {
    (void)beta;
    return mystrsm(h, MYBLAS_SIDE_LEFT, UPPER, MYBLAS_OP_N, MYBLAS_DIAG_UNIT, 600, 1, alpha, b->a,
                   601, b->c, 600);
}
JOB(trsm_batch) {
    (void)beta;
    return mystrsmBatched(h, MYBLAS_SIDE_LEFT, UPPER, MYBLAS_OP_N, MYBLAS_DIAG_UNIT, 20, 36, alpha,
                          b->a_array, 20, b->c_array, 20, batch_count);
}
JOB(aligned_transpose) { UNUSED_SCALARS; return mytranspose(h, 256, 128, b->a, 256, b->c, 128); }
JOB(square_transpose) { UNUSED_SCALARS; return mytranspose(h, 131, 131, b->a, 133, b->c, 131); }
JOB(odd_transpose) { UNUSED_SCALARS; return mytranspose(h, 131, 67, b->a, 131, b->c, 70); }
JOB(thin_transpose) { UNUSED_SCALARS; return mytranspose(h, 3, 30001, b->a, 3, b->c, 30001); }
JOB(byte_transpose) { UNUSED_SCALARS; return mytransposeEx(h, 203, 99, 1, b->a, 203, b->c, 99); }
JOB(in_place_square) { UNUSED_SCALARS; return mytranspose(h, 130, 130, b->c, 131, b->c, 131); }
JOB(in_place_rectangle) { UNUSED_SCALARS; return mytranspose(h, 96, 41, b->c, 96, b->c, 41); }
JOB(plain_geam) {
    return mysgeam(h, MYBLAS_OP_N, MYBLAS_OP_T, 100, 60, alpha, b->a, 100, beta, b->b, 60, b->c,
                   100);
}
JOB(plain_sum) { UNUSED_SCALARS; return mysum(h, 100003, b->a, 1, b->c); }
JOB(strided_sum) { UNUSED_SCALARS; return mysum(h, 10003, b->a, 3, b->c); }
JOB(long_sum) { UNUSED_SCALARS; return mysum(h, 500007, b->a, 1, b->c); }
JOB(plain_asum) { UNUSED_SCALARS; return mysasum(h, 100003, b->a, 1, b->c); }
JOB(plain_dsum) { UNUSED_SCALARS; return mydsum(h, 10003, (const double*)b->a, 1, (double*)b->c); }
JOB(empty_sum) { UNUSED_SCALARS; return mysum(h, 0, b->a, 1, b->c); }
JOB(row_sums) { UNUSED_SCALARS; return mysgemsum(h, MYBLAS_OP_N, 100, 3000, b->a, 100, b->c); }
JOB(column_sums) { UNUSED_SCALARS; return mysgemsum(h, MYBLAS_OP_T, 20011, 10, b->a, 20011, b->c); }
JOB(short_column_sums) {
    UNUSED_SCALARS;
    return mysgemsum(h, MYBLAS_OP_T, 33, 5000, b->a, 33, b->c);
}
JOB(plain_histogram) {
    UNUSED_SCALARS;
    return myhistogram256(h, 300007, (const unsigned char*)b->a, (uint64_t*)b->c);
}
JOB(plain_axpy) { (void)beta; return mysaxpy(h, 100003, alpha, b->a, 1, b->c, 1); }
JOB(strided_axpy) { (void)beta; return mysaxpy(h, 10003, alpha, b->a, 2, b->c, -3); }
JOB(plain_copy) { UNUSED_SCALARS; return myscopy(h, 100003, b->a, 1, b->c, 1); }
JOB(strided_copy) { UNUSED_SCALARS; return myscopy(h, 10003, b->a, -2, b->c, 3); }

// Level 1
JOB(plain_dot) { UNUSED_SCALARS; return mysdot(h, 100003, b->a, 1, b->b, 1, b->c); }
JOB(strided_dot) { UNUSED_SCALARS; return mysdot(h, 10003, b->a, 2, b->b, -3, b->c); }
JOB(plain_nrm2) { UNUSED_SCALARS; return mysnrm2(h, 300007, b->a, 1, b->c); }
JOB(plain_iamax) { UNUSED_SCALARS; return myisamax(h, 300007, b->a, 1, (int*)b->c); }
JOB(short_iamin) { UNUSED_SCALARS; return myisamin(h, 1003, b->a, 3, (int*)b->c); }
JOB(plain_scal) { (void)beta; return mysscal(h, 100003, alpha + 2, b->c, 1); }
JOB(strided_scal) { (void)beta; return mysscal(h, 10003, alpha + 2, b->c, 3); }
JOB(plain_swap) { UNUSED_SCALARS; return mysswap(h, 50003, b->c, 1, b->c + 100000, 1); }
JOB(strided_swap) { UNUSED_SCALARS; return mysswap(h, 1003, b->c, 2, b->c + 100000, -3); }
JOB(plain_rot) { return mysrot(h, 50003, b->c, 1, b->c + 100000, 1, alpha, beta); }
JOB(strided_rot) { return mysrot(h, 1003, b->c, 2, b->c + 100000, -3, alpha, beta); }
JOB(matrix_vector) {
    return mysgemv(h, MYBLAS_OP_N, 500, 700, alpha, b->a, 500, b->b, 1, beta, b->c, 1);
}
JOB(few_lines) {
    return mysgemv(h, MYBLAS_OP_N, 20, 20000, alpha, b->a, 20, b->b, 1, beta, b->c, 1);
}
JOB(strided_vectors) {
    return mysgemv(h, MYBLAS_OP_T, 500, 700, alpha, b->a, 500, b->b, 2, beta, b->c, 3);
}
JOB(backward_vectors) {
    return mysgemv(h, MYBLAS_OP_T, 50, 70, alpha, b->a, 50, b->b, -2, beta, b->c, -3);
}
JOB(rank_1_update) { (void)beta; return mysger(h, 300, 200, alpha, b->a, 1, b->b, 1, b->c, 301); }
// The triangle of a matrix with ones on its diagonal, which is not read.
JOB(symmetric) {
    return myssymv(h, MYBLAS_FILL_MODE_LOWER, 500, alpha, b->a, 501, b->b, 1, beta, b->c, 2);
}
JOB(symmetric_update) {
    (void)beta;
    return myssyr(h, MYBLAS_FILL_MODE_UPPER, 300, alpha, b->a, 1, b->c, 301);
}
JOB(symmetric_updates) {
    (void)beta;
    return myssyr2(h, MYBLAS_FILL_MODE_LOWER, 300, alpha, b->a, 2, b->b, 1, b->c, 301);
}
JOB(triangular_product) {
    UNUSED_SCALARS;
    return mystrmv(h, MYBLAS_FILL_MODE_LOWER, MYBLAS_OP_N, MYBLAS_DIAG_UNIT, 300, b->a, 301, b->c,
                   2);
}
JOB(triangular_solution) {
    UNUSED_SCALARS;
    return mystrsv(h, MYBLAS_FILL_MODE_LOWER, MYBLAS_OP_T, MYBLAS_DIAG_UNIT, 130, b->a, 131, b->c,
                   -2);
}
JOB(plain_rotm) { (void)beta; return mysrotm(h, 50003, b->c, 1, b->c + 100000, 1, alpha); }
JOB(strided_rotm) { (void)beta; return mysrotm(h, 1003, b->c, 2, b->c + 100000, -3, alpha); }
JOB(rotation) { UNUSED_SCALARS; return mysrotg(h, b->c, b->c + 1, b->c + 2, b->c + 3); }
JOB(modified_rotation) {
    UNUSED_SCALARS;
    return mysrotmg(h, b->c, b->c + 1, b->c + 2, b->a, b->c + 3);
}

static const struct job jobs[] = {
    {"small_product", MYBLAS_ROUTINE_SGEMM, small_product},
    {"transposed_product", MYBLAS_ROUTINE_SGEMM, transposed_product},
    {"aligned_product", MYBLAS_ROUTINE_SGEMM, aligned_product},
    {"long_product", MYBLAS_ROUTINE_SGEMM, long_product},
    {"deep_product", MYBLAS_ROUTINE_SGEMM, deep_product},
    {"large_product", MYBLAS_ROUTINE_SGEMM, large_product},
    {"thin_product", MYBLAS_ROUTINE_SGEMM, thin_product},
    {"tall_product", MYBLAS_ROUTINE_SGEMM, tall_product},
    {"strided_batch", MYBLAS_ROUTINE_SGEMM, strided_batch},
    {"pointer_batch", MYBLAS_ROUTINE_SGEMM, pointer_batch},
    {"fused_product", MYBLAS_ROUTINE_SGEMM, fused_product},
    {"fused_batch", MYBLAS_ROUTINE_SGEMM, fused_batch},
    {"plain_syrk", MYBLAS_ROUTINE_SYRK, plain_syrk},
    {"large_syrk", MYBLAS_ROUTINE_SYRK, large_syrk},
    {"plain_syrkx", MYBLAS_ROUTINE_SYRK, plain_syrkx},
    {"plain_syr2k", MYBLAS_ROUTINE_SYR2K, plain_syr2k},
    {"plain_symm", MYBLAS_ROUTINE_SYMM, plain_symm},
    {"plain_trmm", MYBLAS_ROUTINE_TRMM, plain_trmm},
    {"in_place_trmm", MYBLAS_ROUTINE_TRMM, in_place_trmm},
    {"small_symm", MYBLAS_ROUTINE_SYMM, small_symm},
    {"small_trmm", MYBLAS_ROUTINE_TRMM, small_trmm},
    {"plain_trsm", MYBLAS_ROUTINE_TRSM, plain_trsm},
    {"long_trsm", MYBLAS_ROUTINE_TRSM, long_trsm},
    {"trsm_of_one_line", MYBLAS_ROUTINE_TRSM, trsm_of_one_line},
    {"trsm_batch", MYBLAS_ROUTINE_TRSM, trsm_batch},
    {"aligned_transpose", MYBLAS_ROUTINE_TRANSPOSE, aligned_transpose},
    {"square_transpose", MYBLAS_ROUTINE_TRANSPOSE, square_transpose},
    {"odd_transpose", MYBLAS_ROUTINE_TRANSPOSE, odd_transpose},
    {"thin_transpose", MYBLAS_ROUTINE_TRANSPOSE, thin_transpose},
    {"byte_transpose", MYBLAS_ROUTINE_TRANSPOSE, byte_transpose},
    {"in_place_square", MYBLAS_ROUTINE_TRANSPOSE, in_place_square},
    {"in_place_rectangle", MYBLAS_ROUTINE_TRANSPOSE, in_place_rectangle},
    {"plain_geam", MYBLAS_ROUTINE_GEAM, plain_geam},
    {"plain_sum", MYBLAS_ROUTINE_SUM, plain_sum},
    {"strided_sum", MYBLAS_ROUTINE_SUM, strided_sum},
    {"long_sum", MYBLAS_ROUTINE_SUM, long_sum},
    {"plain_asum", MYBLAS_ROUTINE_SUM, plain_asum},
    {"empty_sum", MYBLAS_ROUTINE_SUM, empty_sum},
    {"plain_dsum", MYBLAS_ROUTINE_DSUM, plain_dsum},
    {"row_sums", MYBLAS_ROUTINE_GEMSUM, row_sums},
    {"column_sums", MYBLAS_ROUTINE_GEMSUM, column_sums},
    {"short_column_sums", MYBLAS_ROUTINE_GEMSUM, short_column_sums},
    {"plain_histogram", MYBLAS_ROUTINE_HISTOGRAM, plain_histogram},
    {"plain_axpy", MYBLAS_ROUTINE_AXPY, plain_axpy},
    {"strided_axpy", MYBLAS_ROUTINE_AXPY, strided_axpy},
    {"plain_copy", MYBLAS_ROUTINE_COPY, plain_copy},
    {"strided_copy", MYBLAS_ROUTINE_COPY, strided_copy},
    {"matrix_vector", MYBLAS_ROUTINE_SGEMM, matrix_vector},
    {"few_lines", MYBLAS_ROUTINE_SGEMM, few_lines},
    {"strided_vectors", MYBLAS_ROUTINE_SGEMM, strided_vectors},
    {"backward_vectors", MYBLAS_ROUTINE_SGEMM, backward_vectors},
    {"rank_1_update", MYBLAS_ROUTINE_SGEMM, rank_1_update},
    {"symmetric", MYBLAS_ROUTINE_SYMV, symmetric},
    {"symmetric_update", MYBLAS_ROUTINE_SYR, symmetric_update},
    {"symmetric_updates", MYBLAS_ROUTINE_SYR, symmetric_updates},
    {"triangular_product", MYBLAS_ROUTINE_TRMV, triangular_product},
    {"triangular_solution", MYBLAS_ROUTINE_TRSV, triangular_solution},
    {"plain_dot", MYBLAS_ROUTINE_DOT, plain_dot},
    {"strided_dot", MYBLAS_ROUTINE_DOT, strided_dot},
    {"plain_nrm2", MYBLAS_ROUTINE_NRM2, plain_nrm2},
    {"plain_iamax", MYBLAS_ROUTINE_IAMAX, plain_iamax},
    {"short_iamin", MYBLAS_ROUTINE_IAMAX, short_iamin},
    {"plain_scal", MYBLAS_ROUTINE_SCAL, plain_scal},
    {"strided_scal", MYBLAS_ROUTINE_SCAL, strided_scal},
    {"plain_swap", MYBLAS_ROUTINE_SWAP, plain_swap},
    {"strided_swap", MYBLAS_ROUTINE_SWAP, strided_swap},
    {"plain_rot", MYBLAS_ROUTINE_ROT, plain_rot},
    {"strided_rot", MYBLAS_ROUTINE_ROT, strided_rot},
    {"plain_rotm", MYBLAS_ROUTINE_ROTM, plain_rotm},
    {"strided_rotm", MYBLAS_ROUTINE_ROTM, strided_rotm},
    {"rotation", MYBLAS_ROUTINE_ROTG, rotation},
    {"modified_rotation", MYBLAS_ROUTINE_ROTMG, modified_rotation},
};
// clang-format on

static const struct job* find_job(const char* name) {
    size_t i = 0;
    while (strcmp(jobs[i].name, name) != 0)
        ++i;
    return &jobs[i];
}

// A result in host memory cannot be captured.
static bool has_scalar_result(const struct job* job) {
    static const myblasRoutine_t routines[] = {MYBLAS_ROUTINE_SUM,
                                               MYBLAS_ROUTINE_DSUM,
                                               MYBLAS_ROUTINE_DOT,
                                               MYBLAS_ROUTINE_NRM2,
                                               MYBLAS_ROUTINE_IAMAX,
                                               MYBLAS_ROUTINE_ROTG,
                                               MYBLAS_ROUTINE_ROTMG};
    for (size_t i = 0; i < COUNT_OF(routines); ++i)
        if (job->routine == routines[i])
            return true;
    return false;
}

static struct buffers buffers_create(void) {
    struct buffers b;
    assert_cuda(cudaMalloc((void**)&b.a, buffer_bytes));
    assert_cuda(cudaMalloc((void**)&b.b, buffer_bytes));
    assert_cuda(cudaMalloc((void**)&b.c, buffer_bytes));
    assert_cuda(cudaMalloc((void**)&b.scalars, sizeof b.host_scalars));
    assert_cuda(cudaMalloc((void**)&b.a_array, 3 * batch_count * sizeof(void*)));
    b.b_array = b.a_array + batch_count;
    b.c_array = (float**)(b.b_array + batch_count);
    const float* arrays[3 * batch_count];
    for (int i = 0; i < batch_count; ++i) {
        arrays[i] = b.a + i * 1024;
        arrays[batch_count + i] = b.b + i * 1024;
        arrays[2 * batch_count + i] = b.c + i * 1024;
    }
    assert_cuda(cudaMemcpy(b.a_array, arrays, sizeof arrays, cudaMemcpyHostToDevice));
    b.host_a = malloc(buffer_bytes);
    b.host_b = malloc(buffer_bytes);
    b.host_c = malloc(buffer_bytes);
    assert_true(b.host_a && b.host_b && b.host_c);
    return b;
}

static void buffers_destroy(struct buffers* b) {
    assert_cuda(cudaFree(b->a));
    assert_cuda(cudaFree(b->b));
    assert_cuda(cudaFree(b->c));
    assert_cuda(cudaFree(b->scalars));
    assert_cuda(cudaFree(b->a_array));
    free(b->host_a);
    free(b->host_b);
    free(b->host_c);
}

// Small integers, so that every order of summation gives the same bits; doubles for the sum in
// double precision.
static void generate(struct buffers* b, const struct job* job, unsigned round) {
    random_seed(round + 1);
    for (int i = 0; i < buffer_floats; ++i) {
        b->host_a[i] = random_integer();
        b->host_b[i] = random_integer();
        b->host_c[i] = random_integer();
    }
    b->host_c[0] = 1234; // what no sum gives
    if (job->routine == MYBLAS_ROUTINE_DSUM) {
        for (int i = 0; i < buffer_floats / 2; ++i)
            ((double*)b->host_a)[i] = (double)random_integer();
    }
    b->host_scalars[0] = round % 2 ? -0.5f : 1;
    b->host_scalars[1] = round % 3 ? 1 : -0.5f;
    b->host_scalars[2] = 3;
    b->host_scalars[3] = -1;
    b->host_scalars[4] = 2;
}

static void upload(const struct buffers* b) {
    assert_cuda(cudaMemcpy(b->a, b->host_a, buffer_bytes, cudaMemcpyHostToDevice));
    assert_cuda(cudaMemcpy(b->b, b->host_b, buffer_bytes, cudaMemcpyHostToDevice));
    assert_cuda(cudaMemcpy(b->c, b->host_c, buffer_bytes, cudaMemcpyHostToDevice));
    assert_cuda(
        cudaMemcpy(b->scalars, b->host_scalars, sizeof b->host_scalars, cudaMemcpyHostToDevice));
    assert_cuda(cudaDeviceSynchronize());
}

static float* read_result(const struct buffers* b) {
    float* result = malloc(buffer_bytes);
    assert_non_null(result);
    assert_cuda(cudaDeviceSynchronize());
    assert_cuda(cudaMemcpy(result, b->c, buffer_bytes, cudaMemcpyDeviceToHost));
    return result;
}

// ---- Capture ------------------------------------------------------------------------------------

static void assert_no_memory_nodes(cudaGraph_t graph) {
    size_t count = 0;
    assert_cuda(cudaGraphGetNodes(graph, NULL, &count));
    assert_true(count > 0);
    cudaGraphNode_t* nodes = calloc(count, sizeof *nodes);
    assert_non_null(nodes);
    assert_cuda(cudaGraphGetNodes(graph, nodes, &count));
    for (size_t i = 0; i < count; ++i) {
        enum cudaGraphNodeType type;
        assert_cuda(cudaGraphNodeGetType(nodes[i], &type));
        assert_int_not_equal(type, cudaGraphNodeTypeMemAlloc);
        assert_int_not_equal(type, cudaGraphNodeTypeMemFree);
        assert_int_not_equal(type, cudaGraphNodeTypeHost);
    }
    free(nodes);
}

// Replays on the data that the buffers hold, and calls the job on them. Returns the result.
static float* replay_as_called(myblasHandle_t handle,
                               cudaStream_t stream,
                               cudaGraphExec_t executable,
                               const struct job* job,
                               const struct buffers* b,
                               const float* alpha,
                               const float* beta) {
    upload(b);
    assert_cuda(cudaGraphLaunch(executable, stream));
    float* replayed = read_result(b);
    if (memcmp(replayed, b->host_c, buffer_bytes) == 0)
        fail_msg("%s: the replay did nothing", job->name);
    upload(b);
    assert_ok(job->enqueue(handle, b, alpha, beta));
    float* direct = read_result(b);
    if (memcmp(replayed, direct, buffer_bytes) != 0)
        fail_msg("%s: the replay differs from the call", job->name);
    free(direct);
    return replayed;
}

// Captures the job, replays it on two sets of data and compares with the direct call. The capture
// comes first, so that it has the first call of a kernel. Returns whether the kernel took the job.
static bool check_job(myblasHandle_t handle,
                      cudaStream_t stream,
                      const struct job* job,
                      struct buffers* b,
                      bool device_scalars) {
    static const float host_scalars[5] = {-0.5f, 1, 3, -1, 2};
    const float* alpha = device_scalars ? b->scalars : &host_scalars[0];
    const float* beta = device_scalars ? b->scalars + 1 : &host_scalars[1];
    assert_ok(myblasSetPointerMode(
        handle, device_scalars ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));

    cudaGraph_t graph = NULL;
    cudaGraphExec_t executable = NULL;
    assert_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    const myblasStatus_t status = job->enqueue(handle, b, alpha, beta);
    assert_cuda(cudaStreamEndCapture(stream, &graph));
    if (status == MYBLAS_STATUS_NOT_SUPPORTED) {
        assert_cuda(cudaGraphDestroy(graph));
        return false;
    }
    assert_ok(status);
    assert_no_memory_nodes(graph);
    assert_cuda(cudaGraphInstantiate(&executable, graph, 0));
    for (unsigned round = 0; round < 2; ++round) {
        generate(b, job, round);
        free(replay_as_called(handle, stream, executable, job, b, alpha, beta));
    }
    assert_cuda(cudaGraphExecDestroy(executable));
    assert_cuda(cudaGraphDestroy(graph));
    return true;
}

static void check_jobs(myblasHandle_t handle,
                       cudaStream_t stream,
                       struct buffers* b,
                       myblasRoutine_t routine,
                       const char* kernel) {
    int taken = 0;
    for (size_t j = 0; j < COUNT_OF(jobs); ++j) {
        if (jobs[j].routine != routine)
            continue;
        for (int device_scalars = has_scalar_result(&jobs[j]); device_scalars < 2;
             ++device_scalars) {
            const bool took = check_job(handle, stream, &jobs[j], b, device_scalars);
            if (!kernel && !took)
                fail_msg("%s found no kernel", jobs[j].name);
            taken += took;
        }
    }
    if (taken == 0)
        fail_msg("%s took no job", kernel ? kernel : "the selection");
}

static void test_capture(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct buffers b = buffers_create();
    cudaStream_t stream;
    assert_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_ok(myblasSetStream(handle, stream));
    assert_ok(myblasSetMathMode(handle, MYBLAS_FP32_FAST_MATH)); // allows all kernels
    for (int r = 0; r < MYBLAS_ROUTINE_COUNT; ++r) {
        const myblasRoutine_t routine = (myblasRoutine_t)r;
        const int count = kernel_count(handle, routine);
        for (int i = 0; i < count; ++i) {
            const myblasKernelInfo_t info = kernel_info(handle, routine, i);
            if (!kernel_fits_device(handle, &info))
                continue;
            assert_ok(myblasForceKernel(handle, routine, info.name));
            check_jobs(handle, stream, &b, routine, info.name);
        }
        assert_ok(myblasForceKernel(handle, routine, NULL));
        check_jobs(handle, stream, &b, routine, NULL);
    }
    assert_ok(myblasSetStream(handle, NULL));
    assert_cuda(cudaStreamDestroy(stream));
    buffers_destroy(&b);
}

// A handle may see its stream for the first time during a capture.
static void test_set_stream_inside_capture(void** state) {
    (void)require_handle(state);
    struct buffers b = buffers_create();
    const struct job* job = find_job("long_product"); // wants a workspace
    myblasHandle_t handle = NULL;
    assert_ok(myblasCreateOn(&handle, MYBLAS_BACKEND_CUDA));
    const float alpha = 1, beta = 1;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    assert_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    assert_ok(myblasSetStream(handle, stream));
    assert_ok(job->enqueue(handle, &b, &alpha, &beta));
    assert_cuda(cudaStreamEndCapture(stream, &graph));
    assert_no_memory_nodes(graph);
    assert_cuda(cudaGraphInstantiate(&executable, graph, 0));
    generate(&b, job, 5);
    upload(&b);
    assert_cuda(cudaGraphLaunch(executable, stream));
    float* replayed = read_result(&b);
    upload(&b);
    assert_ok(job->enqueue(handle, &b, &alpha, &beta));
    float* direct = read_result(&b);
    assert_memory_equal(replayed, direct, buffer_bytes);
    free(replayed);
    free(direct);
    assert_cuda(cudaGraphExecDestroy(executable));
    assert_cuda(cudaGraphDestroy(graph));
    assert_ok(myblasDestroy(handle));
    assert_cuda(cudaStreamDestroy(stream));
    buffers_destroy(&b);
}

// Calls that must wait say so while their stream is captured, and do not spoil the capture.
static void test_waiting_calls_inside_capture(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct buffers b = buffers_create();
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    assert_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_ok(myblasSetStream(handle, stream));
    float result = -77, host[4] = {-77, -77, -77, -77};
    double wide_result = -77;
    int number = -77;
    assert_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    assert_status(INTERNAL_ERROR, mysum(handle, 100, b.a, 1, &result));
    assert_status(INTERNAL_ERROR, mysasum(handle, 100, b.a, 1, &result));
    assert_status(INTERNAL_ERROR, mysdot(handle, 100, b.a, 1, b.b, 1, &result));
    assert_status(INTERNAL_ERROR, mysnrm2(handle, 100, b.a, 1, &result));
    assert_status(INTERNAL_ERROR, myisamax(handle, 100, b.a, 1, &number));
    assert_status(INTERNAL_ERROR, mydsum(handle, 100, (const double*)b.a, 1, &wide_result));
    assert_status(INTERNAL_ERROR, myblasStreamSynchronize(handle, stream));
    assert_status(INTERNAL_ERROR, myblasGetVector(handle, 4, 4, b.a, 1, host, 1));
    assert_status(INTERNAL_ERROR, myblasSetVector(handle, 4, 4, host, 1, b.a, 1));
    const float one = 1, x = 3, y = 5;
    float z = -77;
    assert_status(INTERNAL_ERROR,
                  mysgemmHost(handle, 0, 0, 1, 1, 1, &one, &x, 1, &y, 1, &one, &z, 1));
    assert_ok(mysgemmHost(handle, 0, 0, 1, 0, 1, &one, &x, 1, &y, 1, &one, &z, 1)); // empty
    assert_ok(myscopy(handle, 100, b.a, 1, b.c, 1));
    assert_cuda(cudaStreamEndCapture(stream, &graph));
    assert_non_null(graph);
    assert_true(z == -77);
    assert_true(result == -77 && wide_result == -77 && number == -77 && host[0] == -77);
    assert_cuda(cudaGraphDestroy(graph));
    assert_ok(mysum(handle, 0, b.a, 1, &result));
    assert_true(result == 0);
    assert_ok(myblasSetStream(handle, NULL));
    assert_cuda(cudaStreamDestroy(stream));
    buffers_destroy(&b);
}

// ---- Streams ------------------------------------------------------------------------------------

enum { stream_count = 12, repeats = 20 };

// Work of one handle that moves between streams, or of one handle for each stream, all in flight at
// once, gives the same bits as the calls one by one.
static void check_streams(bool one_handle) {
    // Routines that use a workspace, counters, or neither.
    static const char* const chosen[] = {"long_product",
                                         "in_place_rectangle",
                                         "large_product",
                                         "plain_sum",
                                         "long_sum",
                                         "row_sums",
                                         "column_sums",
                                         "plain_histogram"};
    cudaStream_t streams[stream_count];
    myblasHandle_t handles[stream_count];
    struct buffers buffers[stream_count];
    for (int i = 0; i < stream_count; ++i) {
        assert_cuda(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        buffers[i] = buffers_create();
        if (i == 0 || !one_handle)
            assert_ok(myblasCreateOn(&handles[i], MYBLAS_BACKEND_CUDA));
        else
            handles[i] = handles[0];
        assert_ok(myblasSetPointerMode(handles[i], MYBLAS_POINTER_MODE_DEVICE));
        assert_ok(myblasSetStream(handles[i], streams[i]));
    }
    for (size_t c = 0; c < COUNT_OF(chosen); ++c) {
        const struct job* job = find_job(chosen[c]);
        float* expected[stream_count];
        for (int i = 0; i < stream_count; ++i) {
            assert_ok(myblasSetStream(handles[i], streams[i]));
            generate(&buffers[i], job, (unsigned)i);
            upload(&buffers[i]);
            for (int r = 0; r < repeats; ++r)
                assert_ok(job->enqueue(
                    handles[i], &buffers[i], buffers[i].scalars, buffers[i].scalars + 1));
            expected[i] = read_result(&buffers[i]);
        }
        for (int i = 0; i < stream_count; ++i)
            upload(&buffers[i]);
        for (int r = 0; r < repeats; ++r) {
            for (int i = 0; i < stream_count; ++i) {
                if (one_handle)
                    assert_ok(myblasSetStream(handles[i], streams[i]));
                assert_ok(job->enqueue(
                    handles[i], &buffers[i], buffers[i].scalars, buffers[i].scalars + 1));
            }
        }
        for (int i = 0; i < stream_count; ++i) {
            float* found = read_result(&buffers[i]);
            if (memcmp(found, expected[i], buffer_bytes) != 0)
                fail_msg("%s differs on stream %d", job->name, i);
            free(found);
            free(expected[i]);
        }
    }
    for (int i = 0; i < stream_count; ++i) {
        if (i == 0 || !one_handle)
            assert_ok(myblasDestroy(handles[i]));
        assert_cuda(cudaStreamDestroy(streams[i]));
        buffers_destroy(&buffers[i]);
    }
}

static void test_moving_between_streams(void** state) {
    (void)require_handle(state);
    check_streams(true);
}

static void test_handles_on_streams(void** state) {
    (void)require_handle(state);
    check_streams(false);
}

// ---- Graphs beside each other -------------------------------------------------------------------

// Routines that use a workspace, counters, or both. Each may be repeated for long.
static const char* const with_memory[] = {"deep_product",
                                          "long_product",
                                          "large_product",
                                          "few_lines",
                                          "symmetric",
                                          "in_place_rectangle",
                                          "plain_sum",
                                          "long_sum",
                                          "row_sums",
                                          "column_sums",
                                          "plain_histogram"};

static void
enqueue(myblasHandle_t handle, const struct job* job, const struct buffers* b, int calls) {
    for (int i = 0; i < calls; ++i)
        assert_ok(job->enqueue(handle, b, b->scalars, b->scalars + 1));
}

// Returns a graph of `count` calls, captured on the handle's stream.
static cudaGraph_t capture_calls(myblasHandle_t handle,
                                 cudaStream_t stream,
                                 const struct job* job,
                                 const struct buffers* b,
                                 int calls) {
    cudaGraph_t graph = NULL;
    assert_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    enqueue(handle, job, b, calls);
    assert_cuda(cudaStreamEndCapture(stream, &graph));
    assert_no_memory_nodes(graph);
    return graph;
}

// The graph is used up.
static cudaGraphExec_t instantiate(cudaGraph_t graph) {
    cudaGraphExec_t executable = NULL;
    assert_cuda(cudaGraphInstantiate(&executable, graph, 0));
    assert_cuda(cudaGraphDestroy(graph));
    return executable;
}

static void
assert_result(const struct buffers* b, float* expected, const char* what, const char* who) {
    float* found = read_result(b);
    if (memcmp(found, expected, buffer_bytes) != 0)
        fail_msg("%s: %s has another result", what, who);
    free(found);
    free(expected);
}

// Two graphs, captured on one stream of a handle, and calls on that stream run at the same time.
// They give the same bits as calls that run one by one. Each may have a workspace from the program.
// `kernel`: for products, or NULL.
static void check_graphs_at_once(const char* kernel, bool lends) {
    enum { graph_count = 2, party_count = graph_count + 1, calls = 8, launches = 30 };
    static const size_t lent_bytes = 32 << 20;
    myblasHandle_t handle = NULL;
    assert_ok(myblasCreateOn(&handle, MYBLAS_BACKEND_CUDA));
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_DEVICE));
    if (kernel) {
        assert_ok(myblasSetMathMode(handle, MYBLAS_FP32_FAST_MATH));
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, kernel));
    }
    cudaStream_t streams[party_count]; // the last one is the handle's
    struct buffers buffers[party_count];
    void* lent[party_count] = {NULL};
    for (int i = 0; i < party_count; ++i) {
        assert_cuda(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        buffers[i] = buffers_create();
        if (lends)
            assert_cuda(cudaMalloc(&lent[i], lent_bytes));
    }
    const cudaStream_t own = streams[graph_count];
    assert_ok(myblasSetStream(handle, own));
    for (size_t c = 0; c < COUNT_OF(with_memory); ++c) {
        const struct job* job = find_job(with_memory[c]);
        float* expected[party_count];
        cudaGraphExec_t executables[graph_count];
        generate(&buffers[0], job, 0);
        upload(&buffers[0]);
        if (job->enqueue(handle, &buffers[0], buffers[0].scalars, buffers[0].scalars + 1) ==
            MYBLAS_STATUS_NOT_SUPPORTED)
            continue; // by that kernel
        for (int i = 0; i < party_count; ++i) {
            if (lends)
                assert_ok(myblasSetWorkspace(handle, lent[i], lent_bytes));
            generate(&buffers[i], job, (unsigned)i);
            upload(&buffers[i]);
            enqueue(handle, job, &buffers[i], calls * launches);
            expected[i] = read_result(&buffers[i]);
            if (i < graph_count)
                executables[i] = instantiate(capture_calls(handle, own, job, &buffers[i], calls));
        }
        for (int i = 0; i < party_count; ++i)
            upload(&buffers[i]);
        for (int l = 0; l < launches; ++l) {
            for (int i = 0; i < graph_count; ++i)
                assert_cuda(cudaGraphLaunch(executables[i], streams[i]));
            enqueue(handle, job, &buffers[graph_count], calls);
        }
        for (int i = 0; i < party_count; ++i)
            assert_result(
                &buffers[i], expected[i], job->name, i < graph_count ? "a graph" : "a call");
        for (int i = 0; i < graph_count; ++i)
            assert_cuda(cudaGraphExecDestroy(executables[i]));
    }
    assert_ok(myblasDestroy(handle));
    for (int i = 0; i < party_count; ++i) {
        assert_cuda(cudaStreamDestroy(streams[i]));
        assert_cuda(cudaFree(lent[i]));
        buffers_destroy(&buffers[i]);
    }
}

static void test_graphs_at_once(void** state) {
    (void)require_handle(state);
    check_graphs_at_once(NULL, false);
    check_graphs_at_once(NULL, true);
    check_graphs_at_once("stream_k", false);
    check_graphs_at_once("bf16x6", false);
    check_graphs_at_once("fp16x3", false);
}

// Branches of one capture, on two streams of the program, also run at the same time.
static void test_branches(void** state) {
    enum { branch_count = 2, calls = 8, launches = 30 };
    (void)require_handle(state);
    myblasHandle_t handle = NULL;
    assert_ok(myblasCreateOn(&handle, MYBLAS_BACKEND_CUDA));
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_DEVICE));
    cudaStream_t streams[branch_count];
    struct buffers buffers[branch_count];
    cudaEvent_t fork, join;
    assert_cuda(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    assert_cuda(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    for (int i = 0; i < branch_count; ++i) {
        assert_cuda(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        buffers[i] = buffers_create();
    }
    for (size_t c = 0; c < COUNT_OF(with_memory); ++c) {
        const struct job* job = find_job(with_memory[c]);
        float* expected[branch_count];
        for (int i = 0; i < branch_count; ++i) {
            assert_ok(myblasSetStream(handle, streams[i]));
            generate(&buffers[i], job, (unsigned)i);
            upload(&buffers[i]);
            enqueue(handle, job, &buffers[i], calls * launches);
            expected[i] = read_result(&buffers[i]);
        }
        cudaGraph_t graph = NULL;
        assert_cuda(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
        assert_cuda(cudaEventRecord(fork, streams[0]));
        assert_cuda(cudaStreamWaitEvent(streams[1], fork, 0));
        for (int call = 0; call < calls; ++call)
            for (int i = 0; i < branch_count; ++i) {
                assert_ok(myblasSetStream(handle, streams[i]));
                enqueue(handle, job, &buffers[i], 1);
            }
        assert_cuda(cudaEventRecord(join, streams[1]));
        assert_cuda(cudaStreamWaitEvent(streams[0], join, 0));
        assert_cuda(cudaStreamEndCapture(streams[0], &graph));
        const cudaGraphExec_t executable = instantiate(graph);
        for (int i = 0; i < branch_count; ++i)
            upload(&buffers[i]);
        for (int l = 0; l < launches; ++l)
            assert_cuda(cudaGraphLaunch(executable, streams[0]));
        for (int i = 0; i < branch_count; ++i)
            assert_result(&buffers[i], expected[i], job->name, "a branch");
        assert_cuda(cudaGraphExecDestroy(executable));
    }
    assert_ok(myblasDestroy(handle));
    assert_cuda(cudaEventDestroy(fork));
    assert_cuda(cudaEventDestroy(join));
    for (int i = 0; i < branch_count; ++i) {
        assert_cuda(cudaStreamDestroy(streams[i]));
        buffers_destroy(&buffers[i]);
    }
}

// An instance that was updated from a later graph keeps that graph's memory: no graph after them
// gets it.
static void test_updated_graph(void** state) {
    enum { calls = 8, launches = 30 };
    (void)require_handle(state);
    const struct job* job = find_job("deep_product");
    myblasHandle_t handle = NULL;
    assert_ok(myblasCreateOn(&handle, MYBLAS_BACKEND_CUDA));
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_DEVICE));
    cudaStream_t streams[2];
    struct buffers buffers[2];
    float* expected[2];
    for (int i = 0; i < 2; ++i) {
        assert_cuda(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        buffers[i] = buffers_create();
    }
    assert_ok(myblasSetStream(handle, streams[0]));
    for (int i = 0; i < 2; ++i) {
        generate(&buffers[i], job, (unsigned)i);
        upload(&buffers[i]);
        enqueue(handle, job, &buffers[i], calls * launches);
        expected[i] = read_result(&buffers[i]);
    }
    cudaGraphExec_t updated =
        instantiate(capture_calls(handle, streams[0], job, &buffers[1], calls));
    cudaGraph_t later = capture_calls(handle, streams[0], job, &buffers[0], calls);
    cudaGraphExecUpdateResultInfo result;
    if (cudaGraphExecUpdate(updated, later, &result) == cudaSuccess) {
        assert_cuda(cudaGraphDestroy(later));
    } else { // not of such graphs by this driver
        (void)cudaGetLastError();
        assert_cuda(cudaGraphExecDestroy(updated));
        updated = instantiate(later);
    }
    assert_cuda(cudaDeviceSynchronize());
    const cudaGraphExec_t other =
        instantiate(capture_calls(handle, streams[0], job, &buffers[1], calls));
    for (int i = 0; i < 2; ++i)
        upload(&buffers[i]);
    for (int l = 0; l < launches; ++l) {
        assert_cuda(cudaGraphLaunch(updated, streams[0]));
        assert_cuda(cudaGraphLaunch(other, streams[1]));
    }
    assert_result(&buffers[0], expected[0], job->name, "the updated graph");
    assert_result(&buffers[1], expected[1], job->name, "the graph beside it");
    assert_cuda(cudaGraphExecDestroy(updated));
    assert_cuda(cudaGraphExecDestroy(other));
    assert_ok(myblasDestroy(handle));
    for (int i = 0; i < 2; ++i) {
        assert_cuda(cudaStreamDestroy(streams[i]));
        buffers_destroy(&buffers[i]);
    }
}

// When graphs are destroyed, later graphs use their memory.
static void test_many_graphs(void** state) {
    enum { first_rounds = 50, tolerance = 32 << 20 };
    (void)require_handle(state);
    const int rounds = reduced() ? 100 : 4000; // each would leave 16 KiB and more behind
    struct buffers b = buffers_create();
    myblasHandle_t handle = NULL;
    assert_ok(myblasCreateOn(&handle, MYBLAS_BACKEND_CUDA));
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_DEVICE));
    cudaStream_t stream;
    assert_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_ok(myblasSetStream(handle, stream));
    const struct job* jobs_in_turn[] = {find_job("deep_product"), find_job("in_place_rectangle")};
    generate(&b, jobs_in_turn[0], 1);
    upload(&b);
    size_t free_bytes = 0, free_at_first = 0, total = 0;
    for (int round = 0; round < rounds; ++round) {
        if (round == first_rounds) {
            assert_cuda(cudaDeviceSynchronize());
            assert_cuda(cudaMemGetInfo(&free_at_first, &total));
        }
        const cudaGraphExec_t executable =
            instantiate(capture_calls(handle, stream, jobs_in_turn[round % 2], &b, 2));
        assert_cuda(cudaGraphLaunch(executable, stream));
        if (round % 3)
            assert_cuda(cudaStreamSynchronize(stream));
        assert_cuda(cudaGraphExecDestroy(executable));
        if (round % 16 == 15) // else many are to be destroyed yet
            assert_cuda(cudaStreamSynchronize(stream));
    }
    assert_cuda(cudaDeviceSynchronize());
    assert_cuda(cudaMemGetInfo(&free_bytes, &total));
    if (free_bytes + tolerance < free_at_first)
        fail_msg("%zu bytes of graphs that are gone were not used again",
                 free_at_first - free_bytes);
    assert_ok(myblasDestroy(handle));
    assert_cuda(cudaStreamDestroy(stream));
    buffers_destroy(&b);
}

// A graph may outlive the handle, because it has its own memory. In every order of destruction,
// nothing is left behind and nothing fails.
static void test_graph_without_handle(void** state) {
    (void)require_handle(state);
    const struct job* job = find_job("deep_product");
    struct buffers b = buffers_create(), others = buffers_create();
    cudaStream_t stream, beside;
    assert_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_cuda(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
    for (int round = 0; round < 3; ++round) {
        myblasHandle_t handle = NULL, next = NULL;
        assert_ok(myblasCreateOn(&handle, MYBLAS_BACKEND_CUDA));
        assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_DEVICE));
        assert_ok(myblasSetStream(handle, stream));
        generate(&b, job, (unsigned)round);
        upload(&b);
        enqueue(handle, job, &b, 4);
        float* expected = read_result(&b);
        const cudaGraphExec_t executable = instantiate(capture_calls(handle, stream, job, &b, 4));
        assert_ok(myblasDestroy(handle));
        // The memory of another handle's graph is not the first handle's.
        assert_ok(myblasCreateOn(&next, MYBLAS_BACKEND_CUDA));
        assert_ok(myblasSetPointerMode(next, MYBLAS_POINTER_MODE_DEVICE));
        assert_ok(myblasSetStream(next, stream));
        generate(&others, job, (unsigned)round + 7);
        upload(&others);
        const cudaGraphExec_t second = instantiate(capture_calls(next, stream, job, &others, 4));
        if (round == 1)
            assert_ok(myblasDestroy(next));
        upload(&b);
        assert_cuda(cudaGraphLaunch(second, beside));
        assert_cuda(cudaGraphLaunch(executable, stream));
        assert_result(&b, expected, job->name, "a graph without its handle");
        assert_cuda(cudaGraphExecDestroy(executable));
        assert_cuda(cudaGraphExecDestroy(second));
        if (round != 1)
            assert_ok(myblasDestroy(next));
    }
    assert_cuda(cudaStreamDestroy(stream));
    assert_cuda(cudaStreamDestroy(beside));
    buffers_destroy(&b);
    buffers_destroy(&others);
}

// After a capture has become invalid, calls report it, and the stream works again when the capture
// has ended.
static void test_invalid_capture(void** state) {
    myblasHandle_t handle = require_handle(state);
    if (reduced())
        skip(); // compute-sanitizer counts these errors as findings
    const struct job* job = find_job("deep_product");
    struct buffers b = buffers_create();
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    assert_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_DEVICE));
    assert_ok(myblasSetStream(handle, stream));
    generate(&b, job, 1);
    upload(&b);
    enqueue(handle, job, &b, 1);
    float* expected = read_result(&b);
    assert_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    enqueue(handle, job, &b, 1);
    assert_int_not_equal(cudaStreamSynchronize(stream), cudaSuccess); // which no capture survives
    assert_status(EXECUTION_FAILED, job->enqueue(handle, &b, b.scalars, b.scalars + 1));
    assert_int_not_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    assert_null(graph);
    (void)cudaGetLastError();
    upload(&b);
    enqueue(handle, job, &b, 1);
    assert_result(&b, expected, job->name, "a call after an invalid capture");
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));
    assert_ok(myblasSetStream(handle, NULL));
    assert_cuda(cudaStreamDestroy(stream));
    buffers_destroy(&b);
}

// ---- Data that decide which units compute -------------------------------------------------------

// Elements of A and B of 2^-spread to 2^spread, and A multiplied by 2^scale.
static void generate_spread(struct buffers* b, int spread, int scale) {
    random_seed(7);
    for (int i = 0; i < buffer_floats; ++i) {
        b->host_a[i] = ldexpf(random_float(), (int)random_between(-spread, spread) + scale);
        b->host_b[i] = ldexpf(random_float(), (int)random_between(-spread, spread));
        b->host_c[i] = random_float();
    }
    b->host_scalars[0] = 1;
    b->host_scalars[1] = 0;
}

// Compares elements of large_product with float64, by the bound of docs/emulation.md.
static void assert_within_bound(const struct buffers* b, const float* found, const char* kernel) {
    enum { m = 700, n = 600, k = 300 };
    for (int sample = 0; sample < 500; ++sample) {
        const int i = (int)random_between(0, m - 1), j = (int)random_between(0, n - 1);
        double sum = 0, sum_of_absolutes = 0;
        for (int l = 0; l < k; ++l) {
            const double term = (double)b->host_a[i + l * m] * (double)b->host_b[l + j * k];
            sum += term;
            sum_of_absolutes += fabs(term);
        }
        const double error = fabs((double)found[i + j * m] - sum);
        if (!(error <= (k + 4) * 0x1p-24 * sum_of_absolutes))
            fail_msg("%s: element (%d, %d) is %g, not %g", kernel, i, j, found[i + j * m], sum);
    }
}

// The kernels decide on the device, at each launch, whether their limbs hold the operands. So a
// graph that was captured once computes with other units when its data change, and as a call does.
static void test_replayed_decisions(void** state) {
    static const char* const names[] = {"large_product", "large_syrk"};
    // What two limbs of fp16 hold, three of bf16, and float alone.
    static const struct { int spread, scale; } data[] = {{0, 0}, {12, 0}, {0, 118}, {0, 0}};
    myblasHandle_t handle = require_handle(state);
    struct buffers b = buffers_create();
    cudaStream_t stream;
    assert_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_ok(myblasSetStream(handle, stream));
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_DEVICE));
    for (int i = 0; i < kernel_count(handle, MYBLAS_ROUTINE_SGEMM); ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        if (!is_one_of(info.name, "bf16x6 fp16x3") || !kernel_fits_device(handle, &info))
            continue;
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, info.name));
        for (size_t j = 0; j < COUNT_OF(names) * 2; ++j) {
            const struct job* job = find_job(names[j / 2]);
            assert_ok(myblasSetMathMode(handle,
                                        j % 2 ? MYBLAS_FP32_FAST_MATH : MYBLAS_FP32_EMULATED_MATH));
            const cudaGraphExec_t executable =
                instantiate(capture_calls(handle, stream, job, &b, 1));
            for (size_t d = 0; d < COUNT_OF(data); ++d) {
                generate_spread(&b, data[d].spread, data[d].scale);
                float* replayed =
                    replay_as_called(handle, stream, executable, job, &b, b.scalars, b.scalars + 1);
                if (j == 0)
                    assert_within_bound(&b, replayed, info.name);
                free(replayed);
            }
            assert_cuda(cudaGraphExecDestroy(executable));
        }
    }
    assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
    assert_ok(myblasSetStream(handle, NULL));
    assert_cuda(cudaStreamDestroy(stream));
    buffers_destroy(&b);
}

// ---- Errors -------------------------------------------------------------------------------------

// If the caller has not yet read an error of CUDA, a call neither reports nor clears it. An earlier
// error of the library itself is not reported again.
static void test_earlier_errors(void** state) {
    myblasHandle_t handle = require_handle(state);
    if (reduced())
        skip(); // compute-sanitizer counts these errors as findings
    struct buffers b = buffers_create();
    generate(&b, &jobs[0], 0);
    upload(&b);
    void* memory = NULL;
    (void)cudaGetLastError();
    const cudaError_t caused = cudaMalloc(&memory, SIZE_MAX / 2);
    assert_int_not_equal(caused, cudaSuccess);
    assert_status(ALLOC_FAILED, myblasMalloc(handle, &memory, SIZE_MAX / 2));
    const float alpha = 1, beta = 0;
    float result = 0;
    for (size_t j = 0; j < COUNT_OF(jobs); ++j) {
        if (!has_scalar_result(&jobs[j]))
            assert_ok(jobs[j].enqueue(handle, &b, &alpha, &beta));
    }
    assert_ok(mysum(handle, 100, b.a, 1, &result));
    assert_ok(myblasStreamSynchronize(handle, NULL));
    assert_int_equal(cudaPeekAtLastError(), caused);
    assert_int_equal(cudaGetLastError(), caused);
    assert_cuda(cudaPeekAtLastError());
    // Refused calls leave no error behind either.
    assert_status(INVALID_VALUE, mysum(handle, 100, NULL, 1, &result));
    assert_cuda(cudaPeekAtLastError());
    buffers_destroy(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set_stream_inside_capture),
        cmocka_unit_test(test_capture),
        cmocka_unit_test(test_waiting_calls_inside_capture),
        cmocka_unit_test(test_moving_between_streams),
        cmocka_unit_test(test_handles_on_streams),
        cmocka_unit_test(test_graphs_at_once),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_updated_graph),
        cmocka_unit_test(test_many_graphs),
        cmocka_unit_test(test_graph_without_handle),
        cmocka_unit_test(test_replayed_decisions),
        cmocka_unit_test(test_invalid_capture),
        cmocka_unit_test(test_earlier_errors),
    };
    return cmocka_run_group_tests_name("cuda graph", tests, setup_cuda, teardown_backend);
}
