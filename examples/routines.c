/*
 * A short example of each function: the examples of the reference and of the man pages.
 *
 * The operands are small and stored by columns, and each example checks its result. The comment
 * above an example names its functions. `check`, `ensure`, `on_device` and `expect` are the
 * program's own.
 *
 *     cc routines.c -o routines $(pkg-config --cflags --libs myblas)
 */
#include <math.h>
#include <myblas/myblas.h>
#include <myblas/myblas_kernels.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static myblasHandle_t handle;
static const float one = 1, zero = 0;

/* Ends the program if a call failed. */
#define check(call) stop_unless((call) == MYBLAS_STATUS_SUCCESS, #call)
/* Ends the program if a result is wrong. */
#define ensure(condition) stop_unless(condition, #condition)

static void stop_unless(int condition, const char* text) {
    if (!condition) {
        fprintf(stderr, "failed: %s\n", text);
        exit(EXIT_FAILURE);
    }
}

static void* memory_of_example[8];
static int memory_count;

/* Device memory with these values, or with zeros. It is freed after the example. */
static void* on_device(const void* values, size_t size_bytes) {
    void* zeros = calloc(1, size_bytes);
    void* memory;
    ensure(zeros != NULL);
    check(myblasMalloc(handle, &memory, size_bytes));
    check(myblasSetVector(handle, (int)size_bytes, 1, values ? values : zeros, 1, memory, 1));
    free(zeros);
    return memory_of_example[memory_count++] = memory;
}

/* Ends the program if device memory has other values. */
static void expect(const float* device, int count, const float* values) {
    float found[16];
    check(myblasGetVector(handle, count, sizeof(float), device, 1, found, 1));
    for (int i = 0; i < count; ++i)
        ensure(fabsf(found[i] - values[i]) <= 1e-5F);
}

/* ---- Handles --------------------------------------------------------------------------------- */

/* myblasCreate myblasDestroy */
static void a_handle(void) {
    myblasHandle_t own;
    myblasStatus_t status = myblasCreate(&own);
    if (status != MYBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "no handle: %s\n", myblasGetStatusString(status));
        exit(EXIT_FAILURE);
    }
    /* Calls of routines. */
    check(myblasDestroy(own));
}

/* myblasCreateOn myblasGetBackend */
static void a_handle_of_the_host(void) {
    myblasHandle_t host;
    myblasBackend_t backend;
    check(myblasCreateOn(&host, MYBLAS_BACKEND_HOST));
    check(myblasGetBackend(host, &backend));
    ensure(backend == MYBLAS_BACKEND_HOST);
    check(myblasDestroy(host));
}

/* myblasGetVersion myblasGetProperty */
static void version(void) {
    int number, major;
    check(myblasGetVersion(NULL, &number));
    check(myblasGetProperty(MYBLAS_PROPERTY_MAJOR_VERSION, &major));
    ensure(number / 10000 == major);
}

/* myblasGetStatusName myblasGetStatusString */
static void status_as_text(void) {
    myblasStatus_t status = myblasSetMathMode(handle, (myblasMath_t)77);
    ensure(strcmp(myblasGetStatusName(status), "MYBLAS_STATUS_INVALID_VALUE") == 0);
    printf("%s: %s\n", myblasGetStatusName(status), myblasGetStatusString(status));
}

/* myblasSetStream myblasGetStream myblasStreamCreate myblasStreamSynchronize myblasStreamDestroy */
static void a_stream(void) {
    const float x[] = {1, 2, 3};
    float* X = on_device(x, sizeof x);
    myblasStream_t stream, current;
    check(myblasStreamCreate(handle, &stream));
    check(myblasSetStream(handle, stream));
    check(myblasGetStream(handle, &current));
    ensure(current == stream);

    const float two = 2;
    check(mysscal(handle, 3, &two, X, 1)); /* runs on the stream */
    check(myblasStreamSynchronize(handle, stream));
    check(myblasStreamDestroy(handle, stream)); /* later calls use the default stream */
    expect(X, 3, (float[]){2, 4, 6});
}

/* myblasSetPointerMode myblasGetPointerMode */
static void scalars_on_the_device(void) {
    const float x[] = {3, 4};
    float* X = on_device(x, sizeof x);
    float* result = on_device(NULL, sizeof(float));
    myblasPointerMode_t before;
    check(myblasGetPointerMode(handle, &before));
    check(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_DEVICE));
    check(mysnrm2(handle, 2, X, 1, result)); /* does not wait */
    check(myblasSetPointerMode(handle, before));
    expect(result, 1, (float[]){5});
}

/* myblasSetMathMode myblasGetMathMode */
static void math_mode(void) {
    myblasMath_t before, mode;
    check(myblasGetMathMode(handle, &before));
    check(myblasSetMathMode(handle, MYBLAS_FP32_EMULATED_MATH)); /* for the products that follow */
    check(myblasGetMathMode(handle, &mode));
    ensure(mode == MYBLAS_FP32_EMULATED_MATH);
    check(myblasSetMathMode(handle, before));
}

/* myblasGetWorkspaceSize myblasSetWorkspace */
static void lent_workspace(void) {
    myblasCall_t call = {.size_bytes = sizeof call,
                         .routine = MYBLAS_ROUTINE_SGEMM,
                         .m = 300,
                         .n = 200,
                         .k = 5000,
                         .lda = 300,
                         .ldb = 5000,
                         .ldc = 300};
    size_t size_bytes;
    void* workspace;
    check(myblasGetWorkspaceSize(handle, &call, &size_bytes));
    check(myblasMalloc(handle, &workspace, size_bytes));
    check(myblasSetWorkspace(handle, workspace, size_bytes));
    /* Calls of mysgemm with up to these sizes. */
    check(myblasSetStream(handle, NULL)); /* the handle uses its own workspace again */
    check(myblasFree(handle, workspace));
}

/* myblasSetWorkspaceLimit myblasGetWorkspaceLimit */
static void workspace_limit(void) {
    const size_t wanted = (size_t)256 << 20;
    size_t before, limit;
    check(myblasGetWorkspaceLimit(handle, &before));
    check(myblasSetWorkspaceLimit(handle, wanted)); /* 256 MiB for each stream */
    check(myblasGetWorkspaceLimit(handle, &limit));
    ensure(limit == wanted);
    check(myblasSetWorkspaceLimit(handle, before));
}

/* myblasSetSmCountTarget myblasGetSmCountTarget */
static void multiprocessors(void) {
    int before, count;
    check(myblasGetSmCountTarget(handle, &before));
    check(myblasSetSmCountTarget(handle, 16)); /* the rest is for a kernel that runs beside */
    check(myblasGetSmCountTarget(handle, &count));
    ensure(count == 16);
    check(myblasSetSmCountTarget(handle, before));
}

/* myblasLoggerConfigure */
static void log_to_standard_output(void) {
    check(myblasLoggerConfigure(1, 1, 0, NULL));
    myblasSetMathMode(handle, (myblasMath_t)77); /* logs an error */
    check(myblasLoggerConfigure(0, 0, 0, NULL));
}

static int message_count;

static void count_message(const char* message) { message_count += message != NULL; }

/* myblasSetLoggerCallback */
static void log_by_callback(void) {
    /* The function: void count_message(const char* message) { message_count += 1; } */
    check(myblasSetLoggerCallback(count_message));
    myblasSetMathMode(handle, (myblasMath_t)77); /* logs an error */
    check(myblasSetLoggerCallback(NULL));
    ensure(message_count == 1);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* myblasMalloc myblasFree myblasSetMatrix myblasGetMatrix */
static void copies_of_a_matrix(void) {
    const float a[] = {1, 2, -1, 3, 4, -1}; /* 2 x 2 with leading dimension 3 */
    float copy[4];
    void* A;
    check(myblasMalloc(handle, &A, 4 * sizeof(float)));
    check(myblasSetMatrix(handle, 2, 2, sizeof(float), a, 3, A, 2));
    check(myblasGetMatrix(handle, 2, 2, sizeof(float), A, 2, copy, 2));
    ensure(copy[0] == 1 && copy[1] == 2 && copy[2] == 3 && copy[3] == 4);
    check(myblasFree(handle, A));
}

/* myblasSetVector myblasGetVector */
static void copies_of_a_vector(void) {
    const float x[] = {1, -1, 2, -1, 3}; /* every second element */
    float copy[3];
    float* X = on_device(NULL, 3 * sizeof(float));
    check(myblasSetVector(handle, 3, sizeof(float), x, 2, X, 1));
    check(myblasGetVector(handle, 3, sizeof(float), X, 1, copy, 1));
    ensure(copy[0] == 1 && copy[1] == 2 && copy[2] == 3);
}

/* myblasSetMatrixAsync myblasGetMatrixAsync */
static void copies_of_a_matrix_on_a_stream(void) {
    const float a[] = {1, 2, 3, 4};
    float copy[4];
    float* A = on_device(NULL, sizeof a);
    myblasStream_t stream;
    check(myblasStreamCreate(handle, &stream));
    check(myblasSetMatrixAsync(handle, 2, 2, sizeof(float), a, 2, A, 2, stream));
    check(myblasGetMatrixAsync(handle, 2, 2, sizeof(float), A, 2, copy, 2, stream));
    check(myblasStreamSynchronize(handle, stream)); /* `copy` is complete only now */
    ensure(copy[0] == 1 && copy[3] == 4);
    check(myblasStreamDestroy(handle, stream));
}

/* myblasSetVectorAsync myblasGetVectorAsync */
static void copies_of_a_vector_on_a_stream(void) {
    const float x[] = {1, 2, 3};
    float copy[3];
    float* X = on_device(NULL, sizeof x);
    myblasStream_t stream;
    check(myblasStreamCreate(handle, &stream));
    check(myblasSetVectorAsync(handle, 3, sizeof(float), x, 1, X, 1, stream));
    check(myblasGetVectorAsync(handle, 3, sizeof(float), X, 1, copy, 1, stream));
    check(myblasStreamSynchronize(handle, stream)); /* `copy` is complete only now */
    ensure(copy[0] == 1 && copy[2] == 3);
    check(myblasStreamDestroy(handle, stream));
}

/* ---- Products -------------------------------------------------------------------------------- */

/* mysgemm */
static void product(void) {
    const float a[] = {1, 4, 2, 5, 3, 6}; /* 2 x 3: rows 1 2 3 and 4 5 6 */
    const float b[] = {1, 3, 5, 2, 4, 6}; /* 3 x 2: rows 1 2, 3 4 and 5 6 */
    float* A = on_device(a, sizeof a);
    float* B = on_device(b, sizeof b);
    float* C = on_device(NULL, 4 * sizeof(float));
    check(mysgemm(handle, MYBLAS_OP_N, MYBLAS_OP_N, 2, 2, 3, &one, A, 2, B, 3, &zero, C, 2));
    expect(C, 4, (float[]){22, 49, 28, 64}); /* rows 22 28 and 49 64 */
}

/* mysgemmHost */
static void product_of_host_memory(void) {
    const float a[] = {1, 4, 2, 5, 3, 6}; /* 2 x 3: rows 1 2 3 and 4 5 6 */
    float c[4];
    /* C = A A^T */
    check(mysgemmHost(handle, MYBLAS_OP_N, MYBLAS_OP_T, 2, 2, 3, &one, a, 2, a, 2, &zero, c, 2));
    ensure(c[0] == 14 && c[1] == 32 && c[2] == 32 && c[3] == 77);
}

/* mysgemmStridedBatched */
static void batch_by_strides(void) {
    const float a[] = {1, 0, 0, 1, 2, 0, 0, 2}; /* two matrices, 2 x 2 */
    const float b[] = {1, 2, 3, 4, 5, 6, 7, 8};
    float* A = on_device(a, sizeof a);
    float* B = on_device(b, sizeof b);
    float* C = on_device(NULL, sizeof b);
    const int stride = 4, batch_count = 2;
    check(mysgemmStridedBatched(handle,
                                MYBLAS_OP_N,
                                MYBLAS_OP_N,
                                2,
                                2,
                                2,
                                &one,
                                A,
                                2,
                                stride,
                                B,
                                2,
                                stride,
                                &zero,
                                C,
                                2,
                                stride,
                                batch_count));
    expect(C, 8, (float[]){1, 2, 3, 4, 10, 12, 14, 16});
}

/* mysgemmBatched */
static void batch_by_pointers(void) {
    const float a[] = {1, 0, 0, 1, 2, 0, 0, 2}; /* two matrices, 2 x 2 */
    const float b[] = {1, 2, 3, 4};             /* one for both products */
    float* A = on_device(a, sizeof a);
    float* B = on_device(b, sizeof b);
    float* C = on_device(NULL, sizeof a);
    /* The arrays of pointers are in device memory, too. */
    const float** A_array = on_device((const float*[]){A, A + 4}, 2 * sizeof(float*));
    const float** B_array = on_device((const float*[]){B, B}, 2 * sizeof(float*));
    float** C_array = on_device((float*[]){C, C + 4}, 2 * sizeof(float*));
    check(mysgemmBatched(handle,
                         MYBLAS_OP_N,
                         MYBLAS_OP_N,
                         2,
                         2,
                         2,
                         &one,
                         A_array,
                         2,
                         B_array,
                         2,
                         &zero,
                         C_array,
                         2,
                         2));
    expect(C, 8, (float[]){1, 2, 3, 4, 2, 4, 6, 8});
}

/* mysgemmGroupedBatched */
static void groups(void) {
    /* Two products of a row and a column, and one of a 2 x 2 matrix and a column. */
    const float a[] = {1, 2, 5, 6, 1, 2, 3, 4}, b[] = {3, 4, 3, 4, 1, 1};
    float* A = on_device(a, sizeof a);
    float* B = on_device(b, sizeof b);
    float* C = on_device(NULL, 4 * sizeof(float));
    const float** A_array = on_device((const float*[]){A, A + 2, A + 4}, 3 * sizeof(float*));
    const float** B_array = on_device((const float*[]){B, B + 2, B + 4}, 3 * sizeof(float*));
    float** C_array = on_device((float*[]){C, C + 1, C + 2}, 3 * sizeof(float*));
    /* An element for each group. */
    const myblasOperation_t ops[] = {MYBLAS_OP_N, MYBLAS_OP_N};
    const int m[] = {1, 2}, n[] = {1, 1}, k[] = {2, 2}, group_size[] = {2, 1};
    const float alpha[] = {1, 1}, beta[] = {0, 0};
    check(mysgemmGroupedBatched(
        handle, ops, ops, m, n, k, alpha, A_array, m, B_array, k, beta, C_array, m, 2, group_size));
    expect(C, 4, (float[]){11, 39, 4, 6});
}

/* mysgemmFused */
static void product_with_epilogue(void) {
    const float a[] = {1, 0, 0, 1}, b[] = {1, -5, 3, -4}, bias[] = {1, 2};
    float* A = on_device(a, sizeof a);
    float* B = on_device(b, sizeof b);
    float* D = on_device(NULL, sizeof b);
    const myblasEpilogue_t epilogue = {.size_bytes = sizeof epilogue,
                                       .activation = MYBLAS_ACTIVATION_RELU,
                                       .bias_of = MYBLAS_BIAS_OF_ROWS,
                                       .bias = on_device(bias, sizeof bias)};
    /* D = max(A B + bias, 0); C is not read, since beta is 0. */
    check(mysgemmFused(handle,
                       MYBLAS_OP_N,
                       MYBLAS_OP_N,
                       2,
                       2,
                       2,
                       &one,
                       A,
                       2,
                       B,
                       2,
                       &zero,
                       NULL,
                       2,
                       D,
                       2,
                       &epilogue));
    expect(D, 4, (float[]){2, 0, 4, 0});
}

/* mysgemmFusedStridedBatched */
static void batch_with_epilogue(void) {
    const float a[] = {1, 0, 0, 1}, b[] = {1, -5, 3, -4}, bias[] = {1, 2};
    float* A = on_device(a, sizeof a);
    float* B = on_device(b, sizeof b); /* two columns: one for each product */
    float* D = on_device(NULL, sizeof b);
    const myblasEpilogue_t epilogue = {.size_bytes = sizeof epilogue,
                                       .activation = MYBLAS_ACTIVATION_RELU,
                                       .bias_of = MYBLAS_BIAS_OF_ROWS,
                                       .bias = on_device(bias, sizeof bias)};
    /* Strides of 0: both products have the same A and the same bias. */
    check(mysgemmFusedStridedBatched(handle,
                                     MYBLAS_OP_N,
                                     MYBLAS_OP_N,
                                     2,
                                     1,
                                     2,
                                     &one,
                                     A,
                                     2,
                                     0,
                                     B,
                                     2,
                                     2,
                                     &zero,
                                     NULL,
                                     2,
                                     0,
                                     D,
                                     2,
                                     2,
                                     &epilogue,
                                     2));
    expect(D, 4, (float[]){2, 0, 4, 0});
}

/* ---- Level 3 --------------------------------------------------------------------------------- */

/* myssyrk */
static void rank_k_update(void) {
    const float a[] = {1, 2}, c[] = {0, 0, 9, 0};
    float* A = on_device(a, sizeof a); /* 2 x 1 */
    float* C = on_device(c, sizeof c);
    check(myssyrk(handle, MYBLAS_FILL_MODE_LOWER, MYBLAS_OP_N, 2, 1, &one, A, 2, &zero, C, 2));
    expect(C, 4, (float[]){1, 2, 9, 4}); /* the upper triangle stays */
}

/* myssyrkx */
static void symmetric_product(void) {
    const float a[] = {1, 2}, b[] = {2, 4}, c[] = {0, 0, 9, 0};
    float* A = on_device(a, sizeof a); /* 2 x 1 */
    float* B = on_device(b, sizeof b); /* 2 x 1, so that A B^T is symmetric */
    float* C = on_device(c, sizeof c);
    check(
        myssyrkx(handle, MYBLAS_FILL_MODE_LOWER, MYBLAS_OP_N, 2, 1, &one, A, 2, B, 2, &zero, C, 2));
    expect(C, 4, (float[]){2, 4, 9, 8}); /* the upper triangle stays */
}

/* myssyr2k */
static void rank_2k_update(void) {
    const float a[] = {1, 2}, b[] = {3, 4}, c[] = {0, 0, 9, 0};
    float* A = on_device(a, sizeof a); /* 2 x 1 */
    float* B = on_device(b, sizeof b); /* 2 x 1 */
    float* C = on_device(c, sizeof c);
    check(
        myssyr2k(handle, MYBLAS_FILL_MODE_LOWER, MYBLAS_OP_N, 2, 1, &one, A, 2, B, 2, &zero, C, 2));
    expect(C, 4, (float[]){6, 10, 9, 16}); /* the upper triangle stays */
}

/* mysgemmtr */
static void triangle_of_a_product(void) {
    const float a[] = {1, 2}, b[] = {3, 4}, c[] = {0, 0, 9, 0};
    float* A = on_device(a, sizeof a); /* 2 x 1 */
    float* B = on_device(b, sizeof b); /* 1 x 2 */
    float* C = on_device(c, sizeof c);
    check(mysgemmtr(handle,
                    MYBLAS_FILL_MODE_LOWER,
                    MYBLAS_OP_N,
                    MYBLAS_OP_N,
                    2,
                    1,
                    &one,
                    A,
                    2,
                    B,
                    1,
                    &zero,
                    C,
                    2));
    expect(C, 4, (float[]){3, 6, 9, 8}); /* the upper triangle stays */
}

/* myssymm */
static void symmetric_times_general(void) {
    const float a[] = {1, 2, 9, 3}; /* rows 1 2 and 2 3; the 9 is not read */
    const float b[] = {1, 1};
    float* A = on_device(a, sizeof a);
    float* B = on_device(b, sizeof b);
    float* C = on_device(NULL, sizeof b);
    check(myssymm(
        handle, MYBLAS_SIDE_LEFT, MYBLAS_FILL_MODE_LOWER, 2, 1, &one, A, 2, B, 2, &zero, C, 2));
    expect(C, 2, (float[]){3, 5});
}

/* mystrmm */
static void triangular_times_general(void) {
    const float a[] = {1, 2, 9, 3}; /* rows 1 0 and 2 3; the 9 is not read */
    const float b[] = {1, 1};
    float* A = on_device(a, sizeof a);
    float* B = on_device(b, sizeof b);
    float* C = on_device(NULL, sizeof b);
    check(mystrmm(handle,
                  MYBLAS_SIDE_LEFT,
                  MYBLAS_FILL_MODE_LOWER,
                  MYBLAS_OP_N,
                  MYBLAS_DIAG_NON_UNIT,
                  2,
                  1,
                  &one,
                  A,
                  2,
                  B,
                  2,
                  C,
                  2));
    expect(C, 2, (float[]){1, 5});
}

/* mystrsm */
static void triangular_system(void) {
    const float a[] = {1, 2, 9, 3}; /* rows 1 0 and 2 3; the 9 is not read */
    const float b[] = {1, 5};
    float* A = on_device(a, sizeof a);
    float* B = on_device(b, sizeof b);
    check(mystrsm(handle,
                  MYBLAS_SIDE_LEFT,
                  MYBLAS_FILL_MODE_LOWER,
                  MYBLAS_OP_N,
                  MYBLAS_DIAG_NON_UNIT,
                  2,
                  1,
                  &one,
                  A,
                  2,
                  B,
                  2));
    expect(B, 2, (float[]){1, 1}); /* the solution */
}

/* mystrsmBatched */
static void systems_by_pointers(void) {
    const float a[] = {1, 2, 9, 3, 2, 0, 9, 2}, b[] = {1, 5, 4, 6};
    float* A = on_device(a, sizeof a);
    float* B = on_device(b, sizeof b);
    /* The arrays of pointers are in device memory, too. */
    const float** A_array = on_device((const float*[]){A, A + 4}, 2 * sizeof(float*));
    float** B_array = on_device((float*[]){B, B + 2}, 2 * sizeof(float*));
    check(mystrsmBatched(handle,
                         MYBLAS_SIDE_LEFT,
                         MYBLAS_FILL_MODE_LOWER,
                         MYBLAS_OP_N,
                         MYBLAS_DIAG_NON_UNIT,
                         2,
                         1,
                         &one,
                         A_array,
                         2,
                         B_array,
                         2,
                         2));
    expect(B, 4, (float[]){1, 1, 2, 3});
}

/* mystrsmStridedBatched */
static void systems_by_strides(void) {
    const float a[] = {1, 2, 9, 3, 2, 0, 9, 2}, b[] = {1, 5, 4, 6};
    float* A = on_device(a, sizeof a);
    float* B = on_device(b, sizeof b);
    check(mystrsmStridedBatched(handle,
                                MYBLAS_SIDE_LEFT,
                                MYBLAS_FILL_MODE_LOWER,
                                MYBLAS_OP_N,
                                MYBLAS_DIAG_NON_UNIT,
                                2,
                                1,
                                &one,
                                A,
                                2,
                                4,
                                B,
                                2,
                                2,
                                2));
    expect(B, 4, (float[]){1, 1, 2, 3});
}

/* ---- Transposes and sums --------------------------------------------------------------------- */

/* mytranspose */
static void transpose(void) {
    const float a[] = {1, 4, 2, 5, 3, 6}; /* 2 x 3: rows 1 2 3 and 4 5 6 */
    float* A = on_device(a, sizeof a);
    float* B = on_device(NULL, sizeof a);
    check(mytranspose(handle, 2, 3, A, 2, B, 3));
    expect(B, 6, (float[]){1, 2, 3, 4, 5, 6}); /* 3 x 2 */
}

/* mytransposeEx */
static void transpose_of_bytes(void) {
    const char a[] = "adbecf"; /* 2 x 3: rows abc and def */
    char b[6];
    char* A = on_device(a, 6);
    char* B = on_device(NULL, 6);
    check(mytransposeEx(handle, 2, 3, 1, A, 2, B, 3));
    check(myblasGetVector(handle, 6, 1, B, 1, b, 1));
    ensure(memcmp(b, "abcdef", 6) == 0);
}

/* mytransposeStridedBatched */
static void transposes(void) {
    const float a[] = {1, 2, 3, 4, 5, 6, 7, 8}; /* two matrices, 2 x 2 */
    float* A = on_device(a, sizeof a);
    float* B = on_device(NULL, sizeof a);
    check(mytransposeStridedBatched(handle, 2, 2, A, 2, 4, B, 2, 4, 2));
    expect(B, 8, (float[]){1, 3, 2, 4, 5, 7, 6, 8});
}

/* mysgeam */
static void sum_of_matrices(void) {
    const float a[] = {1, 2, 3, 4}, two = 2;
    float* A = on_device(a, sizeof a);
    float* C = on_device(NULL, sizeof a);
    /* C = A + 2 A^T */
    check(mysgeam(handle, MYBLAS_OP_N, MYBLAS_OP_T, 2, 2, &one, A, 2, &two, A, 2, C, 2));
    expect(C, 4, (float[]){3, 8, 7, 12});
}

/* mysum mysasum */
static void sums(void) {
    const float x[] = {1, -2, 3};
    float* X = on_device(x, sizeof x);
    float sum, sum_of_magnitudes;
    check(mysum(handle, 3, X, 1, &sum));
    check(mysasum(handle, 3, X, 1, &sum_of_magnitudes));
    ensure(sum == 2 && sum_of_magnitudes == 6);
}

/* mydsum */
static void sum_in_double_precision(void) {
    const double x[] = {1e10, 1, -1e10};
    double* X = on_device(x, sizeof x);
    double sum;
    check(mydsum(handle, 3, X, 1, &sum));
    ensure(sum == 1);
}

/* mysgemsum */
static void sums_of_rows(void) {
    const float a[] = {1, 4, 2, 5, 3, 6}; /* 2 x 3: rows 1 2 3 and 4 5 6 */
    float* A = on_device(a, sizeof a);
    float* sums_of_A = on_device(NULL, 2 * sizeof(float));
    check(mysgemsum(handle, MYBLAS_OP_N, 2, 3, A, 2, sums_of_A));
    expect(sums_of_A, 2, (float[]){6, 15});
}

/* myhistogram256 */
static void histogram(void) {
    uint64_t counts[256];
    unsigned char* X = on_device("hello", 5);
    uint64_t* device_counts = on_device(NULL, sizeof counts);
    check(myhistogram256(handle, 5, X, device_counts));
    check(myblasGetVector(handle, 256, sizeof(uint64_t), device_counts, 1, counts, 1));
    ensure(counts['h'] == 1 && counts['l'] == 2 && counts['x'] == 0);
}

/* ---- Level 1 --------------------------------------------------------------------------------- */

/* mysaxpy */
static void multiple_added(void) {
    const float x[] = {1, 2, 3}, y[] = {10, 20, 30}, two = 2;
    float* X = on_device(x, sizeof x);
    float* Y = on_device(y, sizeof y);
    check(mysaxpy(handle, 3, &two, X, 1, Y, 1));
    expect(Y, 3, (float[]){12, 24, 36});
}

/* myscopy */
static void copy_of_a_row(void) {
    const float a[] = {1, 4, 2, 5, 3, 6}; /* 2 x 3: rows 1 2 3 and 4 5 6 */
    float* A = on_device(a, sizeof a);
    float* Y = on_device(NULL, 3 * sizeof(float));
    check(myscopy(handle, 3, A + 1, 2, Y, 1)); /* the second row */
    expect(Y, 3, (float[]){4, 5, 6});
}

/* mysscal */
static void multiple(void) {
    const float x[] = {1, 2, 3}, two = 2;
    float* X = on_device(x, sizeof x);
    check(mysscal(handle, 3, &two, X, 1));
    expect(X, 3, (float[]){2, 4, 6});
}

/* mysswap */
static void exchange(void) {
    const float x[] = {1, 2}, y[] = {3, 4};
    float* X = on_device(x, sizeof x);
    float* Y = on_device(y, sizeof y);
    check(mysswap(handle, 2, X, 1, Y, 1));
    expect(X, 2, (float[]){3, 4});
    expect(Y, 2, (float[]){1, 2});
}

/* mysdot */
static void dot_product(void) {
    const float x[] = {1, 2, 3}, y[] = {4, 5, 6};
    float* X = on_device(x, sizeof x);
    float* Y = on_device(y, sizeof y);
    float dot;
    check(mysdot(handle, 3, X, 1, Y, 1, &dot));
    ensure(dot == 32);
}

/* mysdsdot */
static void dot_product_and_scalar(void) {
    const float x[] = {1, 2, 3}, y[] = {4, 5, 6}, sb = 0.5F;
    float* X = on_device(x, sizeof x);
    float* Y = on_device(y, sizeof y);
    float sum;
    check(mysdsdot(handle, 3, &sb, X, 1, Y, 1, &sum));
    ensure(sum == 32.5F);
}

/* mysnrm2 */
static void norm(void) {
    const float x[] = {3, 4};
    float* X = on_device(x, sizeof x);
    float length;
    check(mysnrm2(handle, 2, X, 1, &length));
    ensure(length == 5);
}

/* myisamax myisamin */
static void extremes(void) {
    const float x[] = {2, -7, 1};
    float* X = on_device(x, sizeof x);
    int largest, least;
    check(myisamax(handle, 3, X, 1, &largest));
    check(myisamin(handle, 3, X, 1, &least));
    ensure(largest == 2 && least == 3); /* counted from 1 */
}

/* mysrotg mysrot */
static void rotation(void) {
    const float x[] = {3, 1}, y[] = {4, 2};
    float* X = on_device(x, sizeof x);
    float* Y = on_device(y, sizeof y);
    float a = 3, b = 4, c, s;
    check(mysrotg(handle, &a, &b, &c, &s)); /* a = 5, c = 0.6, s = 0.8 */
    check(mysrot(handle, 2, X, 1, Y, 1, &c, &s));
    expect(X, 2, (float[]){5, 2.2F});
    expect(Y, 2, (float[]){0, 0.4F});
}

/* mysrotmg mysrotm */
static void modified_rotation(void) {
    const float x[] = {3, 1}, y[] = {4, 2};
    float* X = on_device(x, sizeof x);
    float* Y = on_device(y, sizeof y);
    float d1 = 1, d2 = 1, x1 = 3, param[5];
    const float y1 = 4;
    check(mysrotmg(handle, &d1, &d2, &x1, &y1, param));
    check(mysrotm(handle, 2, X, 1, Y, 1, param));
    expect(Y, 1, (float[]){0});  /* the second component of the first pair */
    expect(X, 1, (float[]){x1}); /* the first: times the root of d1 it is 5 */
}

/* ---- Level 2 --------------------------------------------------------------------------------- */

/* mysgemv */
static void matrix_times_vector(void) {
    const float a[] = {1, 4, 2, 5, 3, 6}, x[] = {1, 1, 2}; /* A: rows 1 2 3 and 4 5 6 */
    float* A = on_device(a, sizeof a);
    float* X = on_device(x, sizeof x);
    float* Y = on_device(NULL, 2 * sizeof(float));
    check(mysgemv(handle, MYBLAS_OP_N, 2, 3, &one, A, 2, X, 1, &zero, Y, 1));
    expect(Y, 2, (float[]){9, 21});
}

/* mysgemvStridedBatched */
static void matrices_times_vectors_by_strides(void) {
    const float a[] = {1, 2, 3, 4, 2, 0, 0, 2}, x[] = {1, 1, 5, 6}; /* two, 2 x 2 */
    float* A = on_device(a, sizeof a);
    float* X = on_device(x, sizeof x);
    float* Y = on_device(NULL, sizeof x);
    check(mysgemvStridedBatched(
        handle, MYBLAS_OP_N, 2, 2, &one, A, 2, 4, X, 1, 2, &zero, Y, 1, 2, 2));
    expect(Y, 4, (float[]){4, 6, 10, 12});
}

/* mysgemvBatched */
static void matrices_times_vectors_by_pointers(void) {
    const float a[] = {1, 2, 3, 4, 2, 0, 0, 2}, x[] = {1, 1}; /* one vector for both */
    float* A = on_device(a, sizeof a);
    float* X = on_device(x, sizeof x);
    float* Y = on_device(NULL, 4 * sizeof(float));
    /* The arrays of pointers are in device memory, too. */
    const float** A_array = on_device((const float*[]){A, A + 4}, 2 * sizeof(float*));
    const float** x_array = on_device((const float*[]){X, X}, 2 * sizeof(float*));
    float** y_array = on_device((float*[]){Y, Y + 2}, 2 * sizeof(float*));
    check(mysgemvBatched(
        handle, MYBLAS_OP_N, 2, 2, &one, A_array, 2, x_array, 1, &zero, y_array, 1, 2));
    expect(Y, 4, (float[]){4, 6, 2, 2});
}

/* mysger */
static void rank_1_update(void) {
    const float a[] = {1, 1, 1, 1}, x[] = {1, 2}, y[] = {3, 4};
    float* A = on_device(a, sizeof a);
    float* X = on_device(x, sizeof x);
    float* Y = on_device(y, sizeof y);
    check(mysger(handle, 2, 2, &one, X, 1, Y, 1, A, 2));
    expect(A, 4, (float[]){4, 7, 5, 9});
}

/* myssymv */
static void symmetric_times_vector(void) {
    const float a[] = {1, 2, 9, 3}, x[] = {1, 1}; /* A: rows 1 2 and 2 3; the 9 is not read */
    float* A = on_device(a, sizeof a);
    float* X = on_device(x, sizeof x);
    float* Y = on_device(NULL, sizeof x);
    check(myssymv(handle, MYBLAS_FILL_MODE_LOWER, 2, &one, A, 2, X, 1, &zero, Y, 1));
    expect(Y, 2, (float[]){3, 5});
}

/* myssyr */
static void symmetric_rank_1_update(void) {
    const float a[] = {0, 0, 9, 0}, x[] = {1, 2};
    float* A = on_device(a, sizeof a);
    float* X = on_device(x, sizeof x);
    check(myssyr(handle, MYBLAS_FILL_MODE_LOWER, 2, &one, X, 1, A, 2));
    expect(A, 4, (float[]){1, 2, 9, 4}); /* the upper triangle stays */
}

/* myssyr2 */
static void symmetric_rank_2_update(void) {
    const float a[] = {0, 0, 9, 0}, x[] = {1, 2}, y[] = {3, 4};
    float* A = on_device(a, sizeof a);
    float* X = on_device(x, sizeof x);
    float* Y = on_device(y, sizeof y);
    check(myssyr2(handle, MYBLAS_FILL_MODE_LOWER, 2, &one, X, 1, Y, 1, A, 2));
    expect(A, 4, (float[]){6, 10, 9, 16}); /* the upper triangle stays */
}

/* mystrmv */
static void triangular_times_vector(void) {
    const float a[] = {1, 2, 9, 3}, x[] = {1, 1}; /* A: rows 1 0 and 2 3; the 9 is not read */
    float* A = on_device(a, sizeof a);
    float* X = on_device(x, sizeof x);
    check(
        mystrmv(handle, MYBLAS_FILL_MODE_LOWER, MYBLAS_OP_N, MYBLAS_DIAG_NON_UNIT, 2, A, 2, X, 1));
    expect(X, 2, (float[]){1, 5});
}

/* mystrsv */
static void triangular_system_of_one_vector(void) {
    const float a[] = {1, 2, 9, 3}, x[] = {1, 5}; /* A: rows 1 0 and 2 3; the 9 is not read */
    float* A = on_device(a, sizeof a);
    float* X = on_device(x, sizeof x);
    check(
        mystrsv(handle, MYBLAS_FILL_MODE_LOWER, MYBLAS_OP_N, MYBLAS_DIAG_NON_UNIT, 2, A, 2, X, 1));
    expect(X, 2, (float[]){1, 1}); /* the solution */
}

/* ---- Kernels --------------------------------------------------------------------------------- */

/* myblasGetKernelCount myblasGetKernelInfo */
static void list_of_kernels(void) {
    int count;
    check(myblasGetKernelCount(MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_SGEMM, &count));
    for (int i = 0; i < count; ++i) {
        myblasKernelInfo_t info = {.size_bytes = sizeof info};
        check(myblasGetKernelInfo(MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_SGEMM, i, &info));
        printf("%s: %s\n", info.name, info.description);
    }
}

/* myblasForceKernel myblasGetLastKernel */
static void forced_kernel(void) {
    const float x[] = {3, 4};
    float* X = on_device(x, sizeof x);
    float sum;
    const char* name;
    check(mysum(handle, 2, X, 1, &sum));
    check(myblasGetLastKernel(handle, MYBLAS_ROUTINE_SUM, &name));
    check(myblasForceKernel(handle, MYBLAS_ROUTINE_SUM, name)); /* the same from now on */
    check(mysum(handle, 2, X, 1, &sum));
    check(myblasForceKernel(handle, MYBLAS_ROUTINE_SUM, NULL)); /* chosen for each call again */
}

/* myblasSelectKernel */
static void kernel_of_a_call(void) {
    const myblasCall_t call = {.size_bytes = sizeof call,
                               .routine = MYBLAS_ROUTINE_TRANSPOSE,
                               .m = 100,
                               .n = 50,
                               .lda = 100,
                               .ldb = 50};
    const char* name;
    check(myblasSelectKernel(handle, &call, &name));
    printf("transpose 100 x 50: %s\n", name);
}

/* myblasGetKernelEstimate */
static void estimates(void) {
    const myblasCall_t call = {.size_bytes = sizeof call,
                               .routine = MYBLAS_ROUTINE_SGEMM,
                               .m = 100,
                               .n = 50,
                               .k = 80,
                               .lda = 100,
                               .ldb = 80,
                               .ldc = 100};
    myblasKernelEstimate_t estimate = {.size_bytes = sizeof estimate};
    check(myblasGetKernelEstimate(handle, &call, 0, &estimate)); /* of the first kernel */
    printf("%s\n", estimate.accepted ? "accepted" : estimate.refusal);
}

/* myblasGetDevice myblasSelectKernelOn myblasGetKernelEstimateOn */
static void choice_for_a_card(void) {
    myblasDevice_t card = {.size_bytes = sizeof card};
    myblasBackend_t backend;
    check(myblasGetBackend(handle, &backend));
    if (backend == MYBLAS_BACKEND_CUDA)
        check(myblasGetDevice(handle, &card)); /* or fill in the values of another card */
    const myblasCall_t call = {.size_bytes = sizeof call,
                               .routine = MYBLAS_ROUTINE_SGEMM,
                               .m = 100,
                               .n = 50,
                               .k = 80,
                               .lda = 100,
                               .ldb = 80,
                               .ldc = 100};
    const size_t workspace_bytes = (size_t)32 << 20;
    const char* name;
    check(myblasSelectKernelOn(backend, &card, workspace_bytes, &call, &name));
    myblasKernelEstimate_t estimate = {.size_bytes = sizeof estimate};
    check(myblasGetKernelEstimateOn(backend, &card, workspace_bytes, &call, 0, &estimate));
    printf("%s; the first kernel is %s\n", name, estimate.accepted ? "accepted" : estimate.refusal);
}

int main(void) {
    static void (*const examples[])(void) = {a_handle,
                                             a_handle_of_the_host,
                                             version,
                                             status_as_text,
                                             a_stream,
                                             scalars_on_the_device,
                                             math_mode,
                                             lent_workspace,
                                             workspace_limit,
                                             multiprocessors,
                                             log_to_standard_output,
                                             log_by_callback,
                                             copies_of_a_matrix,
                                             copies_of_a_vector,
                                             copies_of_a_matrix_on_a_stream,
                                             copies_of_a_vector_on_a_stream,
                                             product,
                                             product_of_host_memory,
                                             batch_by_strides,
                                             batch_by_pointers,
                                             groups,
                                             product_with_epilogue,
                                             batch_with_epilogue,
                                             rank_k_update,
                                             symmetric_product,
                                             rank_2k_update,
                                             triangle_of_a_product,
                                             symmetric_times_general,
                                             triangular_times_general,
                                             triangular_system,
                                             systems_by_pointers,
                                             systems_by_strides,
                                             transpose,
                                             transpose_of_bytes,
                                             transposes,
                                             sum_of_matrices,
                                             sums,
                                             sum_in_double_precision,
                                             sums_of_rows,
                                             histogram,
                                             multiple_added,
                                             copy_of_a_row,
                                             multiple,
                                             exchange,
                                             dot_product,
                                             dot_product_and_scalar,
                                             norm,
                                             extremes,
                                             rotation,
                                             modified_rotation,
                                             matrix_times_vector,
                                             matrices_times_vectors_by_strides,
                                             matrices_times_vectors_by_pointers,
                                             rank_1_update,
                                             symmetric_times_vector,
                                             symmetric_rank_1_update,
                                             symmetric_rank_2_update,
                                             triangular_times_vector,
                                             triangular_system_of_one_vector,
                                             list_of_kernels,
                                             forced_kernel,
                                             kernel_of_a_call,
                                             estimates,
                                             choice_for_a_card};
    const size_t count = sizeof examples / sizeof *examples;
    check(myblasCreate(&handle));
    for (size_t i = 0; i < count; ++i) {
        examples[i]();
        while (memory_count > 0)
            check(myblasFree(handle, memory_of_example[--memory_count]));
    }
    check(myblasDestroy(handle));
    printf("%zu examples\n", count);
    return EXIT_SUCCESS;
}
