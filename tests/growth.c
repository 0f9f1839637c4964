// How a handle's own workspace grows on a GPU, as seen in the device's memory pool and in the
// results. workspace.cpp tests the decisions without a GPU.
//
// Transposes of rectangles in place use a workspace of the matrix's size, or none. The kernel
// without one is also fast if the sides are powers of 2, because its cycles are short.
#include "support.h"

#include <cuda_runtime_api.h>

#define assert_cuda(call) assert_int_equal((call), cudaSuccess)

static const size_t mib = (size_t)1 << 20;

// ---- The memory pool ----------------------------------------------------------------------------

static cudaMemPool_t pool(void) {
    int device = 0;
    cudaMemPool_t found = NULL;
    assert_cuda(cudaGetDevice(&device));
    assert_cuda(cudaDeviceGetMemPool(&found, device));
    return found;
}

// Megabytes allocated from the pool when all work is done.
static size_t megabytes_in_use(void) {
    uint64_t bytes = 0;
    assert_cuda(cudaDeviceSynchronize());
    assert_cuda(cudaMemPoolGetAttribute(pool(), cudaMemPoolAttrUsedMemCurrent, &bytes));
    return (size_t)bytes / mib;
}

static void require_pools(void** state) {
    (void)require_handle(state);
    int device = 0, has_pools = 0;
    assert_cuda(cudaGetDevice(&device));
    assert_cuda(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, device));
    if (!has_pools)
        skip();
}

static myblasHandle_t create(void) {
    myblasHandle_t handle = NULL;
    assert_ok(myblasCreateOn(&handle, MYBLAS_BACKEND_CUDA));
    return handle;
}

// Frees the memory that handles of earlier tests left.
static size_t megabytes_at_first(void) {
    myblasHandle_t handle = create();
    assert_ok(myblasSetWorkspaceLimit(handle, 0));
    assert_ok(myblasDestroy(handle));
    return megabytes_in_use();
}

// ---- Matrices whose elements are their positions ------------------------------------------------

enum { small_m = 512, m = 2048, n = 8192 }; // 512 x 8192: 16 MiB; 2048 x 8192: 64 MiB
enum { most_elements = 1 << 26 };

static unsigned* positions; // 0, 1, 2 ...
static unsigned* found;

static unsigned* matrix_create(int rows, int cols) {
    const size_t bytes = (size_t)rows * (size_t)cols * sizeof(unsigned);
    void* matrix = NULL;
    assert_cuda(cudaMalloc(&matrix, bytes));
    assert_cuda(cudaMemcpy(matrix, positions, bytes, cudaMemcpyHostToDevice));
    assert_cuda(cudaDeviceSynchronize());
    return matrix;
}

static void transpose(myblasHandle_t handle, unsigned* matrix, int rows, int cols) {
    float* a = (float*)matrix;
    assert_ok(mytranspose(handle, rows, cols, a, rows, a, cols));
}

static void assert_transposed(const unsigned* matrix, int rows, int cols) {
    const size_t elements = (size_t)rows * (size_t)cols;
    assert_cuda(cudaDeviceSynchronize());
    assert_cuda(cudaMemcpy(found, matrix, elements * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (size_t j = 0; j < (size_t)cols; ++j)
        for (size_t i = 0; i < (size_t)rows; ++i)
            if (found[j + i * (size_t)cols] != i + j * (size_t)rows)
                fail_msg("element (%zu, %zu) of %d x %d is wrong", i, j, rows, cols);
}

// Transposes its own matrix, and checks the result and the kernel.
static void check_transpose(myblasHandle_t handle, int rows, int cols, const char* kernel) {
    unsigned* matrix = matrix_create(rows, cols);
    transpose(handle, matrix, rows, cols);
    assert_last_kernel(handle, MYBLAS_ROUTINE_TRANSPOSE, kernel);
    assert_transposed(matrix, rows, cols);
    assert_cuda(cudaFree(matrix));
}

static const char *const with_workspace = "in_place_workspace", *const without = "in_place_cycles";

// ---- Growth -------------------------------------------------------------------------------------

static void check_growth(cudaStream_t stream) {
    const size_t before = megabytes_at_first();
    myblasHandle_t handle = create();
    assert_ok(myblasSetStream(handle, stream));
    assert_int_equal(megabytes_in_use() - before, 0); // until a call can use some
    check_transpose(handle, small_m, n, with_workspace);
    assert_int_equal(megabytes_in_use() - before, 32);
    check_transpose(handle, m, n, with_workspace);
    assert_int_equal(megabytes_in_use() - before, 64);
    check_transpose(handle, m, n, with_workspace);
    check_transpose(handle, 4096, 3072, with_workspace);
    assert_int_equal(megabytes_in_use() - before, 64);
    check_transpose(handle, 4096, 4352, with_workspace); // 68 MiB
    assert_int_equal(megabytes_in_use() - before, 128);
    check_transpose(handle, 4096, 16384, with_workspace);
    assert_int_equal(megabytes_in_use() - before, 256);
    check_transpose(handle, m, n, with_workspace);
    assert_int_equal(megabytes_in_use() - before, 256);
    assert_ok(myblasDestroy(handle));
    assert_int_equal(megabytes_in_use() - before, 0);
}

static void test_growth(void** state) {
    require_pools(state);
    cudaStream_t stream;
    assert_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    check_growth(NULL);
    check_growth(cudaStreamPerThread);
    check_growth(stream);
    assert_cuda(cudaStreamDestroy(stream));
}

static void test_limits(void** state) {
    require_pools(state);
    const size_t before = megabytes_at_first();
    myblasHandle_t handle = create(), other = create();
    int device = 0;
    struct cudaDeviceProp properties;
    assert_cuda(cudaGetDevice(&device));
    assert_cuda(cudaGetDeviceProperties(&properties, device));
    const size_t eighth = properties.totalGlobalMem / 8, four_gib = 4096 * mib;
    size_t limit = 0;
    assert_ok(myblasGetWorkspaceLimit(handle, &limit));
    assert_true(limit == (eighth < four_gib ? eighth : four_gib));

    assert_ok(myblasSetWorkspaceLimit(handle, 0));
    check_transpose(handle, small_m, n, with_workspace);
    check_transpose(handle, m, n, without);
    assert_int_equal(megabytes_in_use() - before, 32);
    assert_ok(myblasSetWorkspaceLimit(handle, 64 * mib - 1));
    check_transpose(handle, m, n, without);
    assert_ok(myblasSetWorkspaceLimit(handle, 64 * mib));
    check_transpose(handle, m, n, with_workspace);
    check_transpose(handle, m, 2 * n, without);
    assert_int_equal(megabytes_in_use() - before, 64);
    // Another handle has its own limit and its own memory.
    check_transpose(other, m, 2 * n, with_workspace);
    assert_int_equal(megabytes_in_use() - before, 64 + 128);
    assert_ok(myblasSetWorkspaceLimit(handle, 64 * mib - 1));
    assert_int_equal(megabytes_in_use() - before, 128);
    check_transpose(handle, m, n, without);
    assert_ok(myblasDestroy(handle));
    check_transpose(other, m, 2 * n, with_workspace);
    assert_ok(myblasDestroy(other));
    assert_int_equal(megabytes_in_use() - before, 0);
}

static void test_lent_workspace(void** state) {
    require_pools(state);
    const size_t before = megabytes_at_first();
    myblasHandle_t handle = create();
    void* lent = NULL;
    assert_cuda(cudaMalloc(&lent, 64 * mib));
    assert_ok(myblasSetWorkspace(handle, lent, 64 * mib - 256));
    check_transpose(handle, m, n, without);
    assert_ok(myblasSetWorkspace(handle, lent, 64 * mib));
    check_transpose(handle, m, n, with_workspace);
    assert_ok(myblasSetWorkspace(handle, NULL, 0));
    check_transpose(handle, m, n, without);
    check_transpose(handle, small_m, n, without);
    assert_int_equal(megabytes_in_use() - before, 0);
    assert_ok(myblasSetStream(handle, NULL));
    check_transpose(handle, m, n, with_workspace);
    assert_int_equal(megabytes_in_use() - before, 64);
    assert_ok(myblasDestroy(handle));
    assert_cuda(cudaFree(lent));
}

// ---- Streams ------------------------------------------------------------------------------------

// Work on all streams at once: each has its own workspace from its first call on. The workspace is
// replaced while work that uses it is still pending.
static void test_streams(void** state) {
    enum { stream_count = 3, rounds = 6 };
    require_pools(state);
    const size_t before = megabytes_at_first();
    myblasHandle_t handle = create();
    myblasStream_t streams[stream_count];
    unsigned *matrices[stream_count], *larger[stream_count];
    for (int i = 0; i < stream_count; ++i) {
        assert_ok(myblasStreamCreate(handle, &streams[i]));
        matrices[i] = matrix_create(m, n);
        larger[i] = matrix_create(m, 2 * n);
    }
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < stream_count; ++i) {
            assert_ok(myblasSetStream(handle, streams[i]));
            transpose(handle, matrices[i], m, n);
            if (round > 0)
                transpose(handle, larger[i], m, 2 * n);
            if (round < rounds - 1) { // and back
                transpose(handle, matrices[i], n, m);
                if (round > 0)
                    transpose(handle, larger[i], 2 * n, m);
            }
        }
    }
    assert_int_equal(megabytes_in_use() - before, stream_count * 128);
    for (int i = 0; i < stream_count; ++i) {
        assert_transposed(matrices[i], m, n);
        assert_transposed(larger[i], m, 2 * n);
        assert_ok(myblasStreamDestroy(handle, streams[i]));
        assert_int_equal(megabytes_in_use() - before, (size_t)(stream_count - 1 - i) * 128);
        assert_cuda(cudaFree(matrices[i]));
        assert_cuda(cudaFree(larger[i]));
    }
    assert_ok(myblasDestroy(handle));
}

// ---- Successive handles -------------------------------------------------------------------------

// A handle takes over the memory of the handle before, whose work is done, on any stream.
static void test_handles_in_turn(void** state) {
    require_pools(state);
    const size_t before = megabytes_at_first();
    cudaStream_t stream;
    assert_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    unsigned* matrix = matrix_create(small_m, n);
    for (int i = 0; i < 101; ++i) {
        myblasHandle_t handle = create();
        if (i % 2)
            assert_ok(myblasSetStream(handle, stream));
        if (i % 2)
            transpose(handle, matrix, n, small_m);
        else
            transpose(handle, matrix, small_m, n);
        assert_ok(myblasDestroy(handle)); // waits
    }
    assert_transposed(matrix, small_m, n);
    assert_int_equal(megabytes_in_use() - before, 32);
    assert_int_equal(megabytes_at_first() - before, 0);
    assert_cuda(cudaFree(matrix));
    assert_cuda(cudaStreamDestroy(stream));
}

// ---- Captures -----------------------------------------------------------------------------------

static cudaGraphExec_t
capture_transpose(myblasHandle_t handle, cudaStream_t stream, unsigned* matrix) {
    cudaGraph_t graph = NULL;
    cudaGraphExec_t executable = NULL;
    assert_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    transpose(handle, matrix, m, n);
    assert_cuda(cudaStreamEndCapture(stream, &graph));
    assert_cuda(cudaGraphInstantiate(&executable, graph, 0));
    assert_cuda(cudaGraphDestroy(graph));
    return executable;
}

static void test_captures(void** state) {
    enum { most_others = 4 };
    require_pools(state);
    const size_t before = megabytes_at_first();
    myblasHandle_t handle = create();
    cudaStream_t stream;
    assert_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_ok(myblasSetStream(handle, stream));

    // A captured call takes the same kernel as any other call. Its memory belongs to the graph and
    // not to the pool.
    unsigned* matrix = matrix_create(m, n);
    cudaGraphExec_t executable = capture_transpose(handle, stream, matrix);
    assert_last_kernel(handle, MYBLAS_ROUTINE_TRANSPOSE, with_workspace);
    assert_int_equal(megabytes_in_use() - before, 0);
    assert_cuda(cudaGraphLaunch(executable, stream));
    assert_transposed(matrix, m, n);
    assert_cuda(cudaGraphExecDestroy(executable));

    // The graph overwrites neither memory that the program takes from the pool nor the memory of
    // other calls.
    check_transpose(handle, m, n, with_workspace);
    executable = capture_transpose(handle, stream, matrix);
    assert_last_kernel(handle, MYBLAS_ROUTINE_TRANSPOSE, with_workspace);
    check_transpose(handle, m, 2 * n, with_workspace);
    assert_int_equal(megabytes_in_use() - before, 128);
    unsigned* others[most_others];
    for (int i = 0; i < most_others; ++i) {
        assert_cuda(cudaMallocAsync((void**)&others[i], 64 * mib, stream));
        assert_cuda(
            cudaMemcpyAsync(others[i], positions, 64 * mib, cudaMemcpyHostToDevice, stream));
    }
    for (int replay = 0; replay < 2; ++replay) {
        assert_cuda(cudaStreamSynchronize(stream));
        assert_cuda(cudaMemcpy(matrix, positions, 64 * mib, cudaMemcpyHostToDevice));
        assert_cuda(cudaGraphLaunch(executable, stream));
        assert_transposed(matrix, m, n);
        check_transpose(handle, m, 2 * n, with_workspace); // beside the graph
    }
    for (int i = 0; i < most_others; ++i) {
        assert_cuda(cudaMemcpy(found, others[i], 64 * mib, cudaMemcpyDeviceToHost));
        assert_memory_equal(found, positions, 64 * mib);
        assert_cuda(cudaFreeAsync(others[i], stream));
    }
    assert_int_equal(megabytes_in_use() - before, 128);
    assert_ok(myblasSetWorkspaceLimit(handle, 0));
    assert_int_equal(megabytes_in_use() - before, 0);
    assert_cuda(cudaMemcpyAsync(matrix, positions, 64 * mib, cudaMemcpyHostToDevice, stream));
    assert_cuda(cudaGraphLaunch(executable, stream));
    assert_transposed(matrix, m, n);
    assert_ok(myblasDestroy(handle));
    assert_cuda(cudaMemcpyAsync(matrix, positions, 64 * mib, cudaMemcpyHostToDevice, stream));
    assert_cuda(cudaGraphLaunch(executable, stream)); // which has outlived it
    assert_transposed(matrix, m, n);
    assert_cuda(cudaGraphExecDestroy(executable));
    assert_cuda(cudaStreamDestroy(stream));
    assert_cuda(cudaFree(matrix));
}

// ---- No memory ----------------------------------------------------------------------------------

// Allocates the device's memory except for less than 64 MiB, which the driver needs.
static int take_all_memory(void** pieces, int most) {
    int count = 0;
    void* reserve = NULL;
    assert_cuda(cudaMalloc(&reserve, 32 * mib));
    for (size_t bytes = (size_t)1 << 36; bytes >= mib; bytes /= 2)
        while (count < most && cudaMalloc(&pieces[count], bytes) == cudaSuccess)
            ++count;
    assert_true(count < most);
    (void)cudaGetLastError();
    assert_cuda(cudaFree(reserve));
    return count;
}

static void test_no_memory(void** state) {
    enum { most_pieces = 256 };
    require_pools(state);
    if (reduced())
        skip(); // compute-sanitizer counts the refusals as findings
    myblasHandle_t handle = create();
    unsigned* matrix = matrix_create(m, n);
    size_t limit = 0;
    assert_ok(myblasGetWorkspaceLimit(handle, &limit));
    // Once with each kernel, so that its code is loaded.
    transpose(handle, matrix, m, n);
    assert_last_kernel(handle, MYBLAS_ROUTINE_TRANSPOSE, with_workspace);
    assert_ok(myblasSetWorkspaceLimit(handle, 0));
    transpose(handle, matrix, n, m);
    assert_last_kernel(handle, MYBLAS_ROUTINE_TRANSPOSE, without);
    assert_ok(myblasSetWorkspaceLimit(handle, limit));
    assert_cuda(cudaDeviceSynchronize());
    assert_cuda(cudaMemPoolTrimTo(pool(), 0));

    void* pieces[most_pieces];
    const int count = take_all_memory(pieces, most_pieces);
    transpose(handle, matrix, m, n);
    assert_last_kernel(handle, MYBLAS_ROUTINE_TRANSPOSE, without);
    assert_transposed(matrix, m, n);
    for (int i = 0; i < count; ++i)
        assert_cuda(cudaFree(pieces[i]));
    // The refusal is remembered until the limit is set again.
    transpose(handle, matrix, n, m);
    assert_last_kernel(handle, MYBLAS_ROUTINE_TRANSPOSE, without);
    assert_ok(myblasSetWorkspaceLimit(handle, limit));
    transpose(handle, matrix, m, n);
    assert_last_kernel(handle, MYBLAS_ROUTINE_TRANSPOSE, with_workspace);
    assert_transposed(matrix, m, n);
    assert_ok(myblasDestroy(handle));
    assert_cuda(cudaFree(matrix));
}

// ---- Bits ---------------------------------------------------------------------------------------

static void multiply(myblasHandle_t handle, int size, const float* a, const float* b, float* c) {
    const float one = 1, zero = 0;
    assert_ok(mysgemm(handle,
                      MYBLAS_OP_N,
                      MYBLAS_OP_N,
                      size,
                      size,
                      size,
                      &one,
                      a,
                      size,
                      b,
                      size,
                      &zero,
                      c,
                      size));
}

static void assert_same_bits(const float* c, const float* expected, size_t bytes) {
    float* host = malloc(2 * bytes);
    assert_non_null(host);
    assert_cuda(cudaDeviceSynchronize());
    assert_cuda(cudaMemcpy(host, c, bytes, cudaMemcpyDeviceToHost));
    assert_cuda(cudaMemcpy((char*)host + bytes, expected, bytes, cudaMemcpyDeviceToHost));
    assert_memory_equal(host, (char*)host + bytes, bytes);
    free(host);
}

// A call's bits do not depend on how far the workspace has grown, and are the same with a lent
// workspace of the size that myblasGetWorkspaceSize returns. The sides are odd, so that strict
// products also use much workspace.
static void test_bits(void** state) {
    enum { size = 2301, larger = 3001 };
    require_pools(state);
    const size_t bytes = sizeof(float) * size * size, room = sizeof(float) * larger * larger;
    float *a = NULL, *b = NULL, *c = NULL, *expected = NULL;
    assert_cuda(cudaMalloc((void**)&a, room));
    assert_cuda(cudaMalloc((void**)&b, room));
    assert_cuda(cudaMalloc((void**)&c, room));
    assert_cuda(cudaMalloc((void**)&expected, bytes));
    float* host = malloc(room);
    assert_non_null(host);
    random_seed(1);
    for (size_t i = 0; i < (size_t)larger * larger; ++i)
        host[i] = random_float();
    assert_cuda(cudaMemcpy(a, host, room, cudaMemcpyHostToDevice));
    assert_cuda(cudaMemcpy(b, host, room, cudaMemcpyHostToDevice));
    free(host);
    cudaStream_t stream;
    assert_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int mode = MYBLAS_FP32_STRICT_MATH; mode <= MYBLAS_FP32_FAST_MATH; ++mode) {
        myblasHandle_t handle = create();
        assert_ok(myblasSetMathMode(handle, (myblasMath_t)mode));
        assert_ok(myblasSetStream(handle, stream));
        assert_cuda(cudaDeviceSynchronize());
        multiply(handle, size, a, b, expected);
        multiply(handle, larger, a, b, c);
        multiply(handle, size, a, b, c);
        assert_same_bits(c, expected, bytes);

        cudaGraph_t graph = NULL;
        cudaGraphExec_t executable = NULL;
        assert_cuda(cudaMemset(c, 0xff, bytes));
        assert_cuda(cudaDeviceSynchronize());
        assert_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        multiply(handle, size, a, b, c);
        assert_cuda(cudaStreamEndCapture(stream, &graph));
        assert_cuda(cudaGraphInstantiate(&executable, graph, 0));
        assert_cuda(cudaGraphLaunch(executable, stream));
        assert_same_bits(c, expected, bytes);
        assert_cuda(cudaGraphExecDestroy(executable));
        assert_cuda(cudaGraphDestroy(graph));

        myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
        call.m = call.n = call.k = call.lda = call.ldb = call.ldc = size;
        call.A = a;
        call.B = b;
        call.C = c;
        size_t useful = 0;
        void* lent = NULL;
        assert_ok(myblasGetWorkspaceSize(handle, &call, &useful));
        assert_ok(myblasMalloc(handle, &lent, useful));
        assert_ok(myblasSetWorkspace(handle, lent, useful));
        assert_cuda(cudaMemset(c, 0xff, bytes));
        assert_cuda(cudaDeviceSynchronize());
        multiply(handle, size, a, b, c);
        assert_same_bits(c, expected, bytes);
        assert_ok(myblasSetStream(handle, NULL));
        assert_ok(myblasFree(handle, lent));
        assert_ok(myblasDestroy(handle));
    }
    assert_cuda(cudaStreamDestroy(stream));
    assert_cuda(cudaFree(a));
    assert_cuda(cudaFree(b));
    assert_cuda(cudaFree(c));
    assert_cuda(cudaFree(expected));
}

static int setup_positions(void** state) {
    positions = malloc(most_elements * sizeof *positions);
    found = malloc(most_elements * sizeof *found);
    if (!positions || !found)
        return -1;
    for (unsigned i = 0; i < most_elements; ++i)
        positions[i] = i;
    return setup_cuda(state);
}

static int teardown_positions(void** state) {
    free(positions);
    free(found);
    return teardown_backend(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_lent_workspace),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_handles_in_turn),
        cmocka_unit_test(test_captures),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests_name("growth", tests, setup_positions, teardown_positions);
}
