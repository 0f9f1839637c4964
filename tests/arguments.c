// What every routine answers to wrong arguments, in which order it looks at them, and what it does
// when there is nothing to do. Nothing may be touched by a call that is refused.
#include "support.h"

// ---- Calls as data -------------------------------------------------------------------------------

enum function {
    sgemm,
    sgemm_strided,
    sgemm_batched,
    transpose,
    transpose_ex,
    transpose_strided,
    geam,
    sum,
    asum,
    dsum,
    gemsum,
    axpy,
    copy,
    histogram,
    // Level 1
    dot,
    nrm2,
    iamax,
    iamin,
    scal,
    swap,
    rot,
    rotm,
    rotg,
    rotmg,
    // Level 2
    gemv,
    gemv_strided,
    gemv_batched,
    ger,
    symv,
    syr,
    syr2,
    trmv,
    trsv,
    // Level 3
    syrk,
    syrkx,
    syr2k,
    symm,
    trmm,
    trsm,
    trsm_batched,
    trsm_strided,
    // Copies
    set_matrix,
    get_matrix,
    set_matrix_async,
    get_matrix_async,
    set_vector,
    get_vector,
    set_vector_async,
    get_vector_async,
    function_count
};

static const char* const function_names[] = {
    "mysgemm",
    "mysgemmStridedBatched",
    "mysgemmBatched",
    "mytranspose",
    "mytransposeEx",
    "mytransposeStridedBatched",
    "mysgeam",
    "mysum",
    "mysasum",
    "mydsum",
    "mysgemsum",
    "mysaxpy",
    "myscopy",
    "myhistogram256",
    "mysdot",
    "mysnrm2",
    "myisamax",
    "myisamin",
    "mysscal",
    "mysswap",
    "mysrot",
    "mysrotm",
    "mysrotg",
    "mysrotmg",
    "mysgemv",
    "mysgemvStridedBatched",
    "mysgemvBatched",
    "mysger",
    "myssymv",
    "myssyr",
    "myssyr2",
    "mystrmv",
    "mystrsv",
    "myssyrk",
    "myssyrkx",
    "myssyr2k",
    "myssymm",
    "mystrmm",
    "mystrsm",
    "mystrsmBatched",
    "mystrsmStridedBatched",
    "myblasSetMatrix",
    "myblasGetMatrix",
    "myblasSetMatrixAsync",
    "myblasGetMatrixAsync",
    "myblasSetVector",
    "myblasGetVector",
    "myblasSetVectorAsync",
    "myblasGetVectorAsync",
};

// What any of the functions takes. All fields have 8 bytes, so that a fault is an offset and a value.
struct arguments {
    int64_t transa, transb, side, uplo, diag, m, n, k, element_bytes, lda, ldb, ldc, incx, incy,
        batch_count;
    const void *alpha, *beta, *a, *b;
    void *c, *result;
};

static myblasStatus_t
call_narrow(enum function function, myblasHandle_t h, const struct arguments* g) {
    const myblasOperation_t transa = (myblasOperation_t)g->transa;
    const myblasOperation_t transb = (myblasOperation_t)g->transb;
    const myblasSideMode_t side = (myblasSideMode_t)g->side;
    const myblasFillMode_t uplo = (myblasFillMode_t)g->uplo;
    const myblasDiagType_t diag = (myblasDiagType_t)g->diag;
    const int m = (int)g->m, n = (int)g->n, k = (int)g->k;
    const int lda = (int)g->lda, ldb = (int)g->ldb, ldc = (int)g->ldc;
    const int bytes = (int)g->element_bytes, batch = (int)g->batch_count;
    const int incx = (int)g->incx, incy = (int)g->incy;
    void* b = (void*)g->b;
    // clang-format off
    switch (function) {
    case sgemm: return mysgemm(h, transa, transb, m, n, k, g->alpha, g->a, lda, g->b, ldb, g->beta, g->c, ldc);
    case sgemm_strided:
        return mysgemmStridedBatched(h, transa, transb, m, n, k, g->alpha, g->a, lda, 64, g->b, ldb, 64,
                                     g->beta, g->c, ldc, 64, batch);
    case sgemm_batched:
        return mysgemmBatched(h, transa, transb, m, n, k, g->alpha, g->a, lda, g->b, ldb, g->beta, g->c, ldc, batch);
    case transpose: return mytranspose(h, m, n, g->a, lda, b, ldb);
    case transpose_ex: return mytransposeEx(h, m, n, bytes, g->a, lda, b, ldb);
    case transpose_strided: return mytransposeStridedBatched(h, m, n, g->a, lda, 64, b, ldb, 64, batch);
    case geam: return mysgeam(h, transa, transb, m, n, g->alpha, g->a, lda, g->beta, g->b, ldb, g->c, ldc);
    case sum: return mysum(h, n, g->a, lda, g->result);
    case asum: return mysasum(h, n, g->a, lda, g->result);
    case dsum: return mydsum(h, n, g->a, lda, g->result);
    case gemsum: return mysgemsum(h, transa, m, n, g->a, lda, g->c);
    case axpy: return mysaxpy(h, n, g->alpha, g->a, lda, b, ldb);
    case copy: return myscopy(h, n, g->a, lda, b, ldb);
    case histogram: return myhistogram256(h, n, g->a, g->c);
    case dot: return mysdot(h, n, g->a, lda, b, ldb, g->result);
    case nrm2: return mysnrm2(h, n, g->a, lda, g->result);
    case iamax: return myisamax(h, n, g->a, lda, g->result);
    case iamin: return myisamin(h, n, g->a, lda, g->result);
    case scal: return mysscal(h, n, g->alpha, (void*)g->a, lda);
    case swap: return mysswap(h, n, (void*)g->a, lda, b, ldb);
    case rot: return mysrot(h, n, (void*)g->a, lda, b, ldb, g->alpha, g->beta);
    case rotm: return mysrotm(h, n, (void*)g->a, lda, b, ldb, g->alpha);
    case rotg: return mysrotg(h, (void*)g->a, b, g->c, g->result);
    case rotmg: return mysrotmg(h, (void*)g->a, b, g->c, g->alpha, g->result);
    case gemv: return mysgemv(h, transa, m, n, g->alpha, g->a, lda, b, incx, g->beta, g->c, incy);
    case gemv_strided:
        return mysgemvStridedBatched(h, transa, m, n, g->alpha, g->a, lda, 64, b, incx, 64, g->beta, g->c, incy, 64,
                                     batch);
    case gemv_batched:
        return mysgemvBatched(h, transa, m, n, g->alpha, g->a, lda, b, incx, g->beta, g->c, incy, batch);
    case ger: return mysger(h, m, n, g->alpha, b, incx, g->c, incy, (void*)g->a, lda);
    case symv: return myssymv(h, uplo, n, g->alpha, g->a, lda, b, incx, g->beta, g->c, incy);
    case syr: return myssyr(h, uplo, n, g->alpha, b, incx, (void*)g->a, lda);
    case syr2: return myssyr2(h, uplo, n, g->alpha, b, incx, g->c, incy, (void*)g->a, lda);
    case trmv: return mystrmv(h, uplo, transa, diag, n, g->a, lda, b, incx);
    case trsv: return mystrsv(h, uplo, transa, diag, n, g->a, lda, b, incx);
    case syrk: return myssyrk(h, uplo, transa, n, k, g->alpha, g->a, lda, g->beta, g->c, ldc);
    case syrkx: return myssyrkx(h, uplo, transa, n, k, g->alpha, g->a, lda, g->b, ldb, g->beta, g->c, ldc);
    case syr2k: return myssyr2k(h, uplo, transa, n, k, g->alpha, g->a, lda, g->b, ldb, g->beta, g->c, ldc);
    case symm: return myssymm(h, side, uplo, m, n, g->alpha, g->a, lda, g->b, ldb, g->beta, g->c, ldc);
    case trmm: return mystrmm(h, side, uplo, transa, diag, m, n, g->alpha, g->a, lda, g->b, ldb, g->c, ldc);
    case trsm: return mystrsm(h, side, uplo, transa, diag, m, n, g->alpha, g->a, lda, b, ldb);
    case trsm_batched:
        return mystrsmBatched(h, side, uplo, transa, diag, m, n, g->alpha, g->a, lda, b, ldb, batch);
    case trsm_strided:
        return mystrsmStridedBatched(h, side, uplo, transa, diag, m, n, g->alpha, g->a, lda, 64, b, ldb, 64, batch);
    case set_matrix: return myblasSetMatrix(h, m, n, bytes, g->a, lda, b, ldb);
    case get_matrix: return myblasGetMatrix(h, m, n, bytes, g->a, lda, b, ldb);
    case set_matrix_async: return myblasSetMatrixAsync(h, m, n, bytes, g->a, lda, b, ldb, NULL);
    case get_matrix_async: return myblasGetMatrixAsync(h, m, n, bytes, g->a, lda, b, ldb, NULL);
    case set_vector: return myblasSetVector(h, n, bytes, g->a, lda, b, ldb);
    case get_vector: return myblasGetVector(h, n, bytes, g->a, lda, b, ldb);
    case set_vector_async: return myblasSetVectorAsync(h, n, bytes, g->a, lda, b, ldb, NULL);
    default: return myblasGetVectorAsync(h, n, bytes, g->a, lda, b, ldb, NULL);
    }
    // clang-format on
}

static myblasStatus_t
call_wide(enum function function, myblasHandle_t h, const struct arguments* g) {
    const myblasOperation_t transa = (myblasOperation_t)g->transa;
    const myblasOperation_t transb = (myblasOperation_t)g->transb;
    const myblasSideMode_t side = (myblasSideMode_t)g->side;
    const myblasFillMode_t uplo = (myblasFillMode_t)g->uplo;
    const myblasDiagType_t diag = (myblasDiagType_t)g->diag;
    const int64_t m = g->m, n = g->n, k = g->k, lda = g->lda, ldb = g->ldb, ldc = g->ldc;
    const int64_t bytes = g->element_bytes, batch = g->batch_count;
    void* b = (void*)g->b;
    // clang-format off
    switch (function) {
    case sgemm: return mysgemm_64(h, transa, transb, m, n, k, g->alpha, g->a, lda, g->b, ldb, g->beta, g->c, ldc);
    case sgemm_strided:
        return mysgemmStridedBatched_64(h, transa, transb, m, n, k, g->alpha, g->a, lda, 64, g->b, ldb, 64,
                                        g->beta, g->c, ldc, 64, batch);
    case sgemm_batched:
        return mysgemmBatched_64(h, transa, transb, m, n, k, g->alpha, g->a, lda, g->b, ldb, g->beta, g->c, ldc, batch);
    case transpose: return mytranspose_64(h, m, n, g->a, lda, b, ldb);
    case transpose_ex: return mytransposeEx_64(h, m, n, bytes, g->a, lda, b, ldb);
    case transpose_strided: return mytransposeStridedBatched_64(h, m, n, g->a, lda, 64, b, ldb, 64, batch);
    case geam: return mysgeam_64(h, transa, transb, m, n, g->alpha, g->a, lda, g->beta, g->b, ldb, g->c, ldc);
    case sum: return mysum_64(h, n, g->a, lda, g->result);
    case asum: return mysasum_64(h, n, g->a, lda, g->result);
    case dsum: return mydsum_64(h, n, g->a, lda, g->result);
    case gemsum: return mysgemsum_64(h, transa, m, n, g->a, lda, g->c);
    case axpy: return mysaxpy_64(h, n, g->alpha, g->a, lda, b, ldb);
    case copy: return myscopy_64(h, n, g->a, lda, b, ldb);
    case histogram: return myhistogram256_64(h, n, g->a, g->c);
    case dot: return mysdot_64(h, n, g->a, lda, b, ldb, g->result);
    case nrm2: return mysnrm2_64(h, n, g->a, lda, g->result);
    case iamax: return myisamax_64(h, n, g->a, lda, g->result);
    case iamin: return myisamin_64(h, n, g->a, lda, g->result);
    case scal: return mysscal_64(h, n, g->alpha, (void*)g->a, lda);
    case swap: return mysswap_64(h, n, (void*)g->a, lda, b, ldb);
    case rot: return mysrot_64(h, n, (void*)g->a, lda, b, ldb, g->alpha, g->beta);
    case rotm: return mysrotm_64(h, n, (void*)g->a, lda, b, ldb, g->alpha);
    case rotg: return mysrotg(h, (void*)g->a, b, g->c, g->result);
    case rotmg: return mysrotmg(h, (void*)g->a, b, g->c, g->alpha, g->result);
    case gemv: return mysgemv_64(h, transa, m, n, g->alpha, g->a, lda, b, g->incx, g->beta, g->c, g->incy);
    case gemv_strided:
        return mysgemvStridedBatched_64(h, transa, m, n, g->alpha, g->a, lda, 64, b, g->incx, 64, g->beta, g->c, g->incy, 64,
                                     batch);
    case gemv_batched:
        return mysgemvBatched_64(h, transa, m, n, g->alpha, g->a, lda, b, g->incx, g->beta, g->c, g->incy, batch);
    case ger: return mysger_64(h, m, n, g->alpha, b, g->incx, g->c, g->incy, (void*)g->a, lda);
    case symv: return myssymv_64(h, uplo, n, g->alpha, g->a, lda, b, g->incx, g->beta, g->c, g->incy);
    case syr: return myssyr_64(h, uplo, n, g->alpha, b, g->incx, (void*)g->a, lda);
    case syr2: return myssyr2_64(h, uplo, n, g->alpha, b, g->incx, g->c, g->incy, (void*)g->a, lda);
    case trmv: return mystrmv_64(h, uplo, transa, diag, n, g->a, lda, b, g->incx);
    case trsv: return mystrsv_64(h, uplo, transa, diag, n, g->a, lda, b, g->incx);
    case syrk: return myssyrk_64(h, uplo, transa, n, k, g->alpha, g->a, lda, g->beta, g->c, ldc);
    case syrkx: return myssyrkx_64(h, uplo, transa, n, k, g->alpha, g->a, lda, g->b, ldb, g->beta, g->c, ldc);
    case syr2k: return myssyr2k_64(h, uplo, transa, n, k, g->alpha, g->a, lda, g->b, ldb, g->beta, g->c, ldc);
    case symm: return myssymm_64(h, side, uplo, m, n, g->alpha, g->a, lda, g->b, ldb, g->beta, g->c, ldc);
    case trmm: return mystrmm_64(h, side, uplo, transa, diag, m, n, g->alpha, g->a, lda, g->b, ldb, g->c, ldc);
    case trsm: return mystrsm_64(h, side, uplo, transa, diag, m, n, g->alpha, g->a, lda, b, ldb);
    case trsm_batched:
        return mystrsmBatched_64(h, side, uplo, transa, diag, m, n, g->alpha, g->a, lda, b, ldb, batch);
    case trsm_strided:
        return mystrsmStridedBatched_64(h, side, uplo, transa, diag, m, n, g->alpha, g->a, lda, 64, b, ldb, 64, batch);
    case set_matrix: return myblasSetMatrix_64(h, m, n, bytes, g->a, lda, b, ldb);
    case get_matrix: return myblasGetMatrix_64(h, m, n, bytes, g->a, lda, b, ldb);
    case set_matrix_async: return myblasSetMatrixAsync_64(h, m, n, bytes, g->a, lda, b, ldb, NULL);
    case get_matrix_async: return myblasGetMatrixAsync_64(h, m, n, bytes, g->a, lda, b, ldb, NULL);
    case set_vector: return myblasSetVector_64(h, n, bytes, g->a, lda, b, ldb);
    case get_vector: return myblasGetVector_64(h, n, bytes, g->a, lda, b, ldb);
    case set_vector_async: return myblasSetVectorAsync_64(h, n, bytes, g->a, lda, b, ldb, NULL);
    default: return myblasGetVectorAsync_64(h, n, bytes, g->a, lda, b, ldb, NULL);
    }
    // clang-format on
}

static myblasStatus_t
call(enum function function, bool wide, myblasHandle_t handle, const struct arguments* arguments) {
    return wide ? call_wide(function, handle, arguments) : call_narrow(function, handle, arguments);
}

// ---- Faults --------------------------------------------------------------------------------------

struct fault {
    const char* name; // how the log's reason begins
    size_t offset;
    int64_t value;
};

#define FAULT(name, field, value)                                                                  \
    { name, offsetof(struct arguments, field), value }

enum { max_faults = 24 };

// In the order of checking. A is 3 x 5, B 5 x 4, C 3 x 4 and so on: see good_arguments. Values of one
// parameter follow one another.
static const struct fault faults[function_count][max_faults] = {
    // clang-format off
    [sgemm] = {FAULT("transa", transa, 3), FAULT("transa", transa, -1), FAULT("transb", transb, 111),
               FAULT("m", m, -1), FAULT("n", n, -1), FAULT("k", k, -1),
               FAULT("lda", lda, 2), FAULT("lda", lda, 0), FAULT("lda", lda, -9), FAULT("ldb", ldb, 4),
               FAULT("ldc", ldc, 2), FAULT("alpha", alpha, 0), FAULT("beta", beta, 0), FAULT("A", a, 0),
               FAULT("B", b, 0), FAULT("C", c, 0)},
    [sgemm_strided] = {FAULT("transa", transa, 3), FAULT("transb", transb, 3), FAULT("m", m, -1),
                       FAULT("n", n, -1), FAULT("k", k, -1), FAULT("lda", lda, 2), FAULT("ldb", ldb, 4),
                       FAULT("ldc", ldc, 2), FAULT("batch_count", batch_count, -1), FAULT("alpha", alpha, 0),
                       FAULT("beta", beta, 0), FAULT("A", a, 0), FAULT("B", b, 0), FAULT("C", c, 0)},
    [sgemm_batched] = {FAULT("transa", transa, 3), FAULT("transb", transb, 3), FAULT("m", m, -1),
                       FAULT("n", n, -1), FAULT("k", k, -1), FAULT("lda", lda, 2), FAULT("ldb", ldb, 4),
                       FAULT("ldc", ldc, 2), FAULT("batch_count", batch_count, -1), FAULT("alpha", alpha, 0),
                       FAULT("beta", beta, 0), FAULT("A", a, 0), FAULT("B", b, 0), FAULT("C", c, 0)},
    [transpose] = {FAULT("m", m, -1), FAULT("n", n, -1), FAULT("lda", lda, 2), FAULT("lda", lda, 0),
                   FAULT("ldb", ldb, 3), FAULT("ldb", ldb, -1), FAULT("A", a, 0), FAULT("B", b, 0)},
    [transpose_ex] = {FAULT("m", m, -1), FAULT("n", n, -1), FAULT("element_bytes", element_bytes, 3),
                      FAULT("element_bytes", element_bytes, 0), FAULT("element_bytes", element_bytes, -4),
                      FAULT("element_bytes", element_bytes, 32), FAULT("lda", lda, 2), FAULT("ldb", ldb, 3),
                      FAULT("A", a, 0), FAULT("B", b, 0)},
    [transpose_strided] = {FAULT("m", m, -1), FAULT("n", n, -1), FAULT("lda", lda, 2), FAULT("ldb", ldb, 3),
                           FAULT("batch_count", batch_count, -1), FAULT("A", a, 0), FAULT("B", b, 0)},
    [geam] = {FAULT("transa", transa, 3), FAULT("transb", transb, -1), FAULT("m", m, -1), FAULT("n", n, -1),
              FAULT("lda", lda, 2), FAULT("ldb", ldb, 2), FAULT("ldc", ldc, 2), FAULT("alpha", alpha, 0),
              FAULT("beta", beta, 0), FAULT("A", a, 0), FAULT("B", b, 0), FAULT("C", c, 0)},
    [sum] = {FAULT("result", result, 0), FAULT("x", a, 0)},
    [asum] = {FAULT("result", result, 0), FAULT("x", a, 0)},
    [dsum] = {FAULT("result", result, 0), FAULT("x", a, 0)},
    [gemsum] = {FAULT("op", transa, 3), FAULT("op", transa, -1), FAULT("m", m, -1), FAULT("n", n, -1),
               FAULT("lda", lda, 2), FAULT("lda", lda, 0), FAULT("A", a, 0), FAULT("result", c, 0)},
    [axpy] = {FAULT("alpha", alpha, 0), FAULT("x", a, 0), FAULT("y", b, 0)},
    [copy] = {FAULT("x", a, 0), FAULT("y", b, 0)},
    [histogram] = {FAULT("n", n, -1), FAULT("x", a, 0), FAULT("counts", c, 0), FAULT("counts", c, 4)},
    [dot] = {FAULT("result", result, 0), FAULT("x", a, 0), FAULT("y", b, 0)},
    [nrm2] = {FAULT("result", result, 0), FAULT("x", a, 0)},
    [iamax] = {FAULT("result", result, 0), FAULT("x", a, 0)},
    [iamin] = {FAULT("result", result, 0), FAULT("x", a, 0)},
    [scal] = {FAULT("alpha", alpha, 0), FAULT("x", a, 0)},
    [swap] = {FAULT("x", a, 0), FAULT("y", b, 0)},
    [rot] = {FAULT("c", alpha, 0), FAULT("s", beta, 0), FAULT("x", a, 0), FAULT("y", b, 0)},
    [rotm] = {FAULT("param", alpha, 0), FAULT("x", a, 0), FAULT("y", b, 0)},
    [rotg] = {FAULT("a", a, 0), FAULT("b", b, 0), FAULT("c", c, 0), FAULT("s", result, 0)},
    [rotmg] = {FAULT("d1", a, 0), FAULT("d2", b, 0), FAULT("x1", c, 0), FAULT("y1", alpha, 0),
               FAULT("param", result, 0)},
    [gemv] = {FAULT("trans", transa, 3), FAULT("trans", transa, -1), FAULT("m", m, -1), FAULT("n", n, -1),
              FAULT("lda", lda, 2), FAULT("lda", lda, 0), FAULT("incx", incx, 0), FAULT("incy", incy, 0),
              FAULT("alpha", alpha, 0), FAULT("beta", beta, 0), FAULT("A", a, 0), FAULT("x", b, 0),
              FAULT("y", c, 0)},
    [gemv_strided] = {FAULT("trans", transa, 3), FAULT("trans", transa, -1), FAULT("m", m, -1),
                      FAULT("n", n, -1), FAULT("lda", lda, 2), FAULT("lda", lda, 0), FAULT("incx", incx, 0),
                      FAULT("incy", incy, 0), FAULT("batch_count", batch_count, -1), FAULT("alpha", alpha, 0),
                      FAULT("beta", beta, 0), FAULT("A", a, 0), FAULT("x", b, 0), FAULT("y", c, 0)},
    [gemv_batched] = {FAULT("trans", transa, 3), FAULT("trans", transa, -1), FAULT("m", m, -1),
                      FAULT("n", n, -1), FAULT("lda", lda, 2), FAULT("lda", lda, 0), FAULT("incx", incx, 0),
                      FAULT("incy", incy, 0), FAULT("batch_count", batch_count, -1), FAULT("alpha", alpha, 0),
                      FAULT("beta", beta, 0), FAULT("A", a, 0), FAULT("x", b, 0), FAULT("y", c, 0)},
    [ger] = {FAULT("m", m, -1), FAULT("n", n, -1), FAULT("incx", incx, 0), FAULT("incy", incy, 0),
             FAULT("lda", lda, 2), FAULT("alpha", alpha, 0), FAULT("x", b, 0), FAULT("y", c, 0),
             FAULT("A", a, 0)},
    [symv] = {FAULT("uplo", uplo, 2), FAULT("uplo", uplo, -1), FAULT("n", n, -1), FAULT("lda", lda, 3),
              FAULT("lda", lda, 0), FAULT("incx", incx, 0), FAULT("incy", incy, 0), FAULT("alpha", alpha, 0),
              FAULT("beta", beta, 0), FAULT("A", a, 0), FAULT("x", b, 0), FAULT("y", c, 0)},
    [syr] = {FAULT("uplo", uplo, 121), FAULT("n", n, -1), FAULT("incx", incx, 0), FAULT("lda", lda, 3),
             FAULT("alpha", alpha, 0), FAULT("x", b, 0), FAULT("A", a, 0)},
    [syr2] = {FAULT("uplo", uplo, 2), FAULT("n", n, -1), FAULT("incx", incx, 0), FAULT("incy", incy, 0),
              FAULT("lda", lda, 3), FAULT("alpha", alpha, 0), FAULT("x", b, 0), FAULT("y", c, 0),
              FAULT("A", a, 0)},
#define TRIANGULAR {FAULT("uplo", uplo, 2), FAULT("trans", transa, 3), FAULT("diag", diag, 2), FAULT("diag", diag, -1),   \
                    FAULT("n", n, -1), FAULT("lda", lda, 3), FAULT("incx", incx, 0), FAULT("A", a, 0), FAULT("x", b, 0)}
    [trmv] = TRIANGULAR, [trsv] = TRIANGULAR,
    [syrk] = {FAULT("uplo", uplo, 2), FAULT("uplo", uplo, -1), FAULT("trans", transa, 3), FAULT("n", n, -1),
              FAULT("k", k, -1), FAULT("lda", lda, 3), FAULT("lda", lda, 0), FAULT("ldc", ldc, 3),
              FAULT("alpha", alpha, 0), FAULT("beta", beta, 0), FAULT("A", a, 0), FAULT("C", c, 0)},
    [syrkx] = {FAULT("uplo", uplo, 2), FAULT("uplo", uplo, -1), FAULT("trans", transa, 3), FAULT("n", n, -1),
               FAULT("k", k, -1), FAULT("lda", lda, 3), FAULT("lda", lda, 0), FAULT("ldb", ldb, 3),
               FAULT("ldc", ldc, 3), FAULT("alpha", alpha, 0), FAULT("beta", beta, 0), FAULT("A", a, 0),
               FAULT("B", b, 0), FAULT("C", c, 0)},
    [syr2k] = {FAULT("uplo", uplo, 2), FAULT("uplo", uplo, -1), FAULT("trans", transa, 3), FAULT("n", n, -1),
               FAULT("k", k, -1), FAULT("lda", lda, 3), FAULT("lda", lda, 0), FAULT("ldb", ldb, 3),
               FAULT("ldc", ldc, 3), FAULT("alpha", alpha, 0), FAULT("beta", beta, 0), FAULT("A", a, 0),
               FAULT("B", b, 0), FAULT("C", c, 0)},
    [symm] = {FAULT("side", side, 2), FAULT("side", side, -1), FAULT("uplo", uplo, 2), FAULT("m", m, -1),
              FAULT("n", n, -1), FAULT("lda", lda, 2), FAULT("ldb", ldb, 2), FAULT("ldc", ldc, 2),
              FAULT("alpha", alpha, 0), FAULT("beta", beta, 0), FAULT("A", a, 0), FAULT("B", b, 0),
              FAULT("C", c, 0)},
    [trmm] = {FAULT("side", side, 2), FAULT("uplo", uplo, 2), FAULT("trans", transa, 3),
              FAULT("diag", diag, -1), FAULT("m", m, -1), FAULT("n", n, -1), FAULT("lda", lda, 2),
              FAULT("ldb", ldb, 2), FAULT("ldc", ldc, 2), FAULT("alpha", alpha, 0), FAULT("A", a, 0),
              FAULT("B", b, 0), FAULT("C", c, 0)},
    [trsm] = {FAULT("side", side, 2), FAULT("uplo", uplo, 2), FAULT("trans", transa, 3),
              FAULT("diag", diag, -1), FAULT("m", m, -1), FAULT("n", n, -1), FAULT("lda", lda, 2),
              FAULT("ldb", ldb, 2), FAULT("alpha", alpha, 0), FAULT("A", a, 0), FAULT("B", b, 0)},
    [trsm_batched] = {FAULT("side", side, 2), FAULT("uplo", uplo, 2), FAULT("trans", transa, 3),
                      FAULT("diag", diag, -1), FAULT("m", m, -1), FAULT("n", n, -1), FAULT("lda", lda, 2),
                      FAULT("ldb", ldb, 2), FAULT("batch_count", batch_count, -1), FAULT("alpha", alpha, 0),
                      FAULT("A", a, 0), FAULT("B", b, 0)},
    [trsm_strided] = {FAULT("side", side, 2), FAULT("uplo", uplo, 2), FAULT("trans", transa, 3),
                      FAULT("diag", diag, -1), FAULT("m", m, -1), FAULT("n", n, -1), FAULT("lda", lda, 2),
                      FAULT("ldb", ldb, 2), FAULT("batch_count", batch_count, -1), FAULT("alpha", alpha, 0),
                      FAULT("A", a, 0), FAULT("B", b, 0)},
#define SOURCE_LD "the source's leading dimension"
#define TARGET_LD "the target's leading dimension"
#define MATRIX_COPY {FAULT("rows", m, -1), FAULT("cols", n, -1), FAULT("element_bytes", element_bytes, 0),     \
                     FAULT("element_bytes", element_bytes, -4), FAULT(SOURCE_LD, lda, 2),                      \
                     FAULT(SOURCE_LD, lda, 0), FAULT(TARGET_LD, ldb, 2), FAULT("the source is", a, 0),         \
                     FAULT("the target is", b, 0)}
#define VECTOR_COPY {FAULT("cols (of a vector: n)", n, -1), FAULT("element_bytes", element_bytes, 0),          \
                     FAULT(SOURCE_LD, lda, 0), FAULT(SOURCE_LD, lda, -1), FAULT(TARGET_LD, ldb, 0),            \
                     FAULT("the source is", a, 0), FAULT("the target is", b, 0)}
    [set_matrix] = MATRIX_COPY, [get_matrix] = MATRIX_COPY,
    [set_matrix_async] = MATRIX_COPY, [get_matrix_async] = MATRIX_COPY,
    [set_vector] = VECTOR_COPY, [get_vector] = VECTOR_COPY,
    [set_vector_async] = VECTOR_COPY, [get_vector_async] = VECTOR_COPY,
    // clang-format on
};

static void apply(struct arguments* arguments, const struct fault* fault) {
    memcpy((char*)arguments + fault->offset, &fault->value, sizeof fault->value);
}

// ---- Good arguments ------------------------------------------------------------------------------

enum { operand_floats = 64 * 8 }; // room for 256 counts

struct setting {
    struct operand a, b, c, result, scalars, arrays;
    float host_scalars[5]; // all 1
    double host_result;
    unsigned char host_a[operand_floats * 4], host_b[operand_floats * 4];
};

static void place_floats(struct operand* o) {
    float* host = operand_place(o, operand_floats * sizeof(float), 0);
    for (int i = 0; i < operand_floats; ++i)
        host[i] = (float)i;
    operand_upload(o);
}

static struct setting* setting_create(myblasHandle_t handle) {
    struct setting* s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->a = s->b = s->c = s->result = s->scalars = s->arrays = operand_create(handle);
    place_floats(&s->a);
    place_floats(&s->b);
    place_floats(&s->c);
    for (int i = 0; i < 5; ++i)
        s->host_scalars[i] = 1;
    float* scalars = operand_place(&s->scalars, sizeof s->host_scalars, 0);
    memcpy(scalars, s->host_scalars, sizeof s->host_scalars);
    operand_upload(&s->scalars);
    operand_place(&s->result, sizeof s->host_scalars, 0); // what rotmg writes
    operand_upload(&s->result);
    void** arrays = operand_place(&s->arrays, 6 * sizeof(void*), 0);
    for (int i = 0; i < 2; ++i) {
        arrays[i] = (float*)operand_device(&s->a) + i * 64;
        arrays[2 + i] = (float*)operand_device(&s->b) + i * 64;
        arrays[4 + i] = (float*)operand_device(&s->c) + i * 64;
    }
    operand_upload(&s->arrays);
    memset(s->host_a, 0x5A, sizeof s->host_a);
    memset(s->host_b, 0x5A, sizeof s->host_b);
    s->host_result = -77;
    return s;
}

static void setting_assert_untouched(struct setting* s) {
    operand_assert_unchanged(&s->a);
    operand_assert_unchanged(&s->b);
    operand_assert_unchanged(&s->c);
    operand_assert_unchanged(&s->result);
    operand_assert_unchanged(&s->scalars);
    operand_assert_unchanged(&s->arrays);
    for (size_t i = 0; i < sizeof s->host_a; ++i)
        assert_true(s->host_a[i] == 0x5A && s->host_b[i] == 0x5A);
    assert_true(s->host_result == -77);
}

static void setting_destroy(struct setting* s) {
    operand_destroy(&s->a);
    operand_destroy(&s->b);
    operand_destroy(&s->c);
    operand_destroy(&s->result);
    operand_destroy(&s->scalars);
    operand_destroy(&s->arrays);
    free(s);
}

static struct arguments
good_arguments(enum function function, struct setting* s, bool device_scalars) {
    struct arguments g = {
        .m = 3,
        .n = 4,
        .k = 5,
        .element_bytes = 4,
        .lda = 3,
        .ldb = 5,
        .ldc = 3,
        .incx = 1,
        .incy = 2,
        .batch_count = 2,
        .alpha = device_scalars ? operand_device(&s->scalars) : s->host_scalars,
        .a = operand_device(&s->a),
        .b = operand_device(&s->b),
        .c = operand_device(&s->c),
        .result = device_scalars ? operand_device(&s->result) : &s->host_result,
    };
    g.beta = (const float*)g.alpha + 1;
    switch (function) {
    case sgemm_batched:
    case gemv_batched:
        g.a = operand_device(&s->arrays);
        g.b = (void* const*)g.a + 2;
        g.c = (void**)operand_device(&s->arrays) + 4;
        break;
    case transpose:
    case transpose_ex:
    case transpose_strided:
        g.ldb = 4;
        break;
    case geam:
        g.ldb = 3;
        break;
    case symv:
    case syr:
    case syr2:
    case trmv:
    case trsv:
        g.lda = 4;
        break;
    case rotg:
    case rotmg:
        if (!device_scalars) {
            g.a = s->host_a;
            g.b = s->host_a + 64;
            g.c = s->host_a + 128;
            g.result = s->host_b;
        }
        break;
    case syrk:
    case syrkx:
    case syr2k:
        g.lda = g.ldb = g.ldc = 4;
        break;
    case trsm_batched:
        g.a = operand_device(&s->arrays);
        g.b = (void* const*)g.a + 2;
        break;
    case set_matrix:
    case set_matrix_async:
    case set_vector:
    case set_vector_async:
        g.a = s->host_a;
        break;
    case get_matrix:
    case get_matrix_async:
    case get_vector:
    case get_vector_async:
        g.b = s->host_b;
        break;
    default:
        break;
    }
    return g;
}

// ---- The logger as a witness of what was found first -----------------------------------------------

static char last_message[1024];

static void keep_message(const char* message) {
    snprintf(last_message, sizeof last_message, "%s", message);
}

static int start_listening(void** state) {
    (void)state;
    return myblasSetLoggerCallback(keep_message) == MYBLAS_STATUS_SUCCESS ? 0 : -1;
}

static int stop_listening(void** state) {
    (void)state;
    return myblasSetLoggerCallback(NULL) == MYBLAS_STATUS_SUCCESS ? 0 : -1;
}

// The message names the function, the status and, before anything else, the parameter.
static void assert_message(enum function function, const char* parameter) {
    char expected[256];
    snprintf(expected,
             sizeof expected,
             "%s: MYBLAS_STATUS_INVALID_VALUE: %s ",
             function_names[function],
             parameter);
    if (strncmp(last_message, expected, strlen(expected)) != 0)
        fail_msg("the log says \"%s\", not \"%s...\"", last_message, expected);
}

// ---- Tests ---------------------------------------------------------------------------------------

// Every parameter in turn, alone and with all those after it.
static void test_faults(void** state) {
    myblasHandle_t handle = require_handle(state);
    for (int f = 0; f < function_count; ++f) {
        const enum function function = (enum function)f;
        for (int variant = 0; variant < 4; ++variant) {
            const bool wide = variant & 1, device_scalars = variant & 2;
            struct setting* s = setting_create(handle);
            assert_ok(myblasSetPointerMode(
                handle, device_scalars ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
            for (size_t first = 0; first < max_faults && faults[f][first].name; ++first) {
                struct arguments alone = good_arguments(function, s, device_scalars);
                struct arguments with_rest = alone;
                apply(&alone, &faults[f][first]);
                for (size_t i = max_faults; i-- > first;) {
                    if (faults[f][i].name)
                        apply(&with_rest, &faults[f][i]);
                }
                assert_status(INVALID_VALUE, call(function, wide, handle, &alone));
                assert_message(function, faults[f][first].name);
                assert_status(INVALID_VALUE, call(function, wide, handle, &with_rest));
                assert_message(function, faults[f][first].name);
                assert_status(NOT_INITIALIZED, call(function, wide, NULL, &with_rest));
            }
            struct arguments good = good_arguments(function, s, device_scalars);
            assert_status(NOT_INITIALIZED, call(function, wide, NULL, &good));
            setting_assert_untouched(s);
            // The arguments that the faults were put into are themselves good.
            assert_ok(call(function, wide, handle, &good));
            assert_ok(myblasStreamSynchronize(handle, NULL));
            setting_destroy(s);
        }
    }
}

// What is wrong is said with the numbers that are.
static void test_values_in_messages(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct setting* s = setting_create(handle);
    static const struct {
        enum function function;
        struct fault fault;
        const char* message;
    } cases[] = {
        {sgemm, FAULT("transb", transb, 9), "transb = 9, which is not an operation"},
        {sgemm, FAULT("k", k, -5), "k = -5, but it must not be negative"},
        {sgemm, FAULT("lda", lda, 2), "lda = 2, but A has 3 rows"},
        {sgemm_strided, FAULT("ldb", ldb, -7), "ldb = -7, but B has 5 rows"},
        {sgemm, FAULT("ldc", ldc, 0), "ldc = 0, but C has 3 rows"},
        {sgemm_batched,
         FAULT("batch_count", batch_count, -2),
         "batch_count = -2, but it must not be negative"},
        {transpose_ex,
         FAULT("element_bytes", element_bytes, 3),
         "element_bytes = 3, which is not 1, 2, 4, 8 or 16"},
        {gemv, FAULT("incx", incx, 0), "incx = 0, but it must not be zero"},
        {syrk, FAULT("uplo", uplo, 7), "uplo = 7, which is neither lower nor upper"},
        {trsm, FAULT("diag", diag, 2), "diag = 2, which is neither unit nor non-unit"},
        {symm, FAULT("side", side, -1), "side = -1, which is neither left nor right"},
        {set_matrix,
         FAULT(TARGET_LD, ldb, 1),
         "the target's leading dimension or increment = 1, but the matrix has 3 rows"},
        {set_vector,
         FAULT(SOURCE_LD, lda, -4),
         "the source's leading dimension or increment = -4, but it must be positive"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i)
        for (int wide = 0; wide < 2; ++wide) {
            struct arguments g = good_arguments(cases[i].function, s, false);
            apply(&g, &cases[i].fault);
            assert_status(INVALID_VALUE, call(cases[i].function, wide, handle, &g));
            char expected[256];
            snprintf(expected,
                     sizeof expected,
                     "%s: MYBLAS_STATUS_INVALID_VALUE: %s",
                     function_names[cases[i].function],
                     cases[i].message);
            assert_string_equal(last_message, expected);
        }
    // More than a narrow form takes.
    struct arguments g = good_arguments(sgemm, s, false);
    g.m = INT64_C(1) << 40;
    assert_status(INVALID_VALUE, call(sgemm, true, handle, &g));
    assert_non_null(strstr(last_message, ": lda = 3, but A has 1099511627776 rows"));
    void* memory = NULL;
    assert_status(ALLOC_FAILED, myblasMalloc(handle, &memory, (size_t)1 << 60));
    assert_non_null(strstr(last_message, ": size_bytes = 1152921504606846976, but "));
    const bool names_device = strstr(last_message, "device") != NULL;
    assert_true(names_device == (backend_of(handle) == MYBLAS_BACKEND_CUDA));
    setting_destroy(s);
}

// With transposed operands the leading dimensions are held against the other sizes.
static void test_leading_dimensions(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct setting* s = setting_create(handle);
    for (int wide = 0; wide < 2; ++wide) {
        for (int op = MYBLAS_OP_T; op <= MYBLAS_OP_C; ++op) {
            struct arguments g = good_arguments(sgemm, s, false);
            g.transa = g.transb = op;
            g.lda = 5;
            g.ldb = 4;
            struct arguments bad = g;
            bad.lda = 4;
            assert_status(INVALID_VALUE, call(sgemm, wide, handle, &bad));
            bad = g;
            bad.ldb = 3;
            assert_status(INVALID_VALUE, call(sgemm, wide, handle, &bad));
            g = good_arguments(geam, s, false);
            g.transa = g.transb = op;
            g.lda = g.ldb = 4;
            bad = g;
            bad.lda = 3;
            assert_status(INVALID_VALUE, call(geam, wide, handle, &bad));
            bad = g;
            bad.ldb = 3;
            assert_status(INVALID_VALUE, call(geam, wide, handle, &bad));
            for (int f = syrk; f <= syr2k; ++f) { // A and B have k rows
                bad = good_arguments((enum function)f, s, false);
                bad.transa = op;
                bad.lda = 4;
                assert_status(INVALID_VALUE, call((enum function)f, wide, handle, &bad));
                bad.lda = 5;
                bad.ldb = 4;
                if (f != syrk)
                    assert_status(INVALID_VALUE, call((enum function)f, wide, handle, &bad));
            }
            setting_assert_untouched(s);
        }
        for (int f = symm; f <= trsm_strided; ++f) { // on the right, A has n rows
            struct arguments bad = good_arguments((enum function)f, s, false);
            bad.side = MYBLAS_SIDE_RIGHT;
            assert_status(INVALID_VALUE, call((enum function)f, wide, handle, &bad));
            assert_message((enum function)f, "lda");
        }
        setting_assert_untouched(s);
    }
    setting_destroy(s);
}

// Sizes of zero succeed, whatever the scalars and pointers are; the checks of sizes come first.
static void test_quick_returns(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct setting* s = setting_create(handle);
    static const struct {
        enum function function;
        size_t size; // that is zero
        size_t ld;   // that may then not be zero; none: sizeof(struct arguments)
    } cases[] = {
        {sgemm, offsetof(struct arguments, m), offsetof(struct arguments, lda)},
        {sgemm, offsetof(struct arguments, n), offsetof(struct arguments, ldb)},
        {sgemm, offsetof(struct arguments, m), offsetof(struct arguments, ldc)},
        {sgemm_strided, offsetof(struct arguments, m), offsetof(struct arguments, lda)},
        {sgemm_strided, offsetof(struct arguments, batch_count), offsetof(struct arguments, ldc)},
        {sgemm_batched, offsetof(struct arguments, n), offsetof(struct arguments, ldb)},
        {sgemm_batched, offsetof(struct arguments, batch_count), offsetof(struct arguments, lda)},
        {transpose, offsetof(struct arguments, m), offsetof(struct arguments, lda)},
        {transpose, offsetof(struct arguments, n), offsetof(struct arguments, ldb)},
        {transpose_ex, offsetof(struct arguments, m), offsetof(struct arguments, lda)},
        {transpose_strided, offsetof(struct arguments, n), offsetof(struct arguments, ldb)},
        {transpose_strided,
         offsetof(struct arguments, batch_count),
         offsetof(struct arguments, lda)},
        {geam, offsetof(struct arguments, m), offsetof(struct arguments, ldc)},
        {geam, offsetof(struct arguments, n), offsetof(struct arguments, lda)},
        {gemsum, offsetof(struct arguments, m), offsetof(struct arguments, lda)},
        {axpy, offsetof(struct arguments, n), sizeof(struct arguments)},
        {copy, offsetof(struct arguments, n), sizeof(struct arguments)},
        {gemv, offsetof(struct arguments, m), offsetof(struct arguments, lda)},
        {gemv, offsetof(struct arguments, n), offsetof(struct arguments, incx)},
        {gemv_strided, offsetof(struct arguments, n), offsetof(struct arguments, incy)},
        {gemv_batched, offsetof(struct arguments, batch_count), offsetof(struct arguments, lda)},
        {ger, offsetof(struct arguments, m), offsetof(struct arguments, lda)},
        {ger, offsetof(struct arguments, n), offsetof(struct arguments, incy)},
        {symv, offsetof(struct arguments, n), offsetof(struct arguments, lda)},
        {syr, offsetof(struct arguments, n), offsetof(struct arguments, incx)},
        {syr2, offsetof(struct arguments, n), offsetof(struct arguments, incy)},
        {trmv, offsetof(struct arguments, n), offsetof(struct arguments, lda)},
        {trsv, offsetof(struct arguments, n), offsetof(struct arguments, incx)},
        {syrk, offsetof(struct arguments, n), offsetof(struct arguments, ldc)},
        {syrkx, offsetof(struct arguments, n), offsetof(struct arguments, ldb)},
        {syr2k, offsetof(struct arguments, n), offsetof(struct arguments, lda)},
        {symm, offsetof(struct arguments, m), offsetof(struct arguments, lda)},
        {symm, offsetof(struct arguments, n), offsetof(struct arguments, ldb)},
        {trmm, offsetof(struct arguments, m), offsetof(struct arguments, ldc)},
        {trmm, offsetof(struct arguments, n), offsetof(struct arguments, lda)},
        {trsm, offsetof(struct arguments, m), offsetof(struct arguments, ldb)},
        {trsm, offsetof(struct arguments, n), offsetof(struct arguments, lda)},
        {trsm_batched, offsetof(struct arguments, batch_count), offsetof(struct arguments, ldb)},
        {trsm_strided, offsetof(struct arguments, batch_count), offsetof(struct arguments, lda)},
        {scal, offsetof(struct arguments, n), sizeof(struct arguments)},
        {scal, offsetof(struct arguments, lda), sizeof(struct arguments)},
        {swap, offsetof(struct arguments, n), sizeof(struct arguments)},
        {rot, offsetof(struct arguments, n), sizeof(struct arguments)},
        {rotm, offsetof(struct arguments, n), sizeof(struct arguments)},
        {set_matrix, offsetof(struct arguments, m), offsetof(struct arguments, lda)},
        {get_matrix, offsetof(struct arguments, n), offsetof(struct arguments, ldb)},
        {set_matrix_async, offsetof(struct arguments, n), offsetof(struct arguments, ldb)},
        {get_matrix_async, offsetof(struct arguments, m), offsetof(struct arguments, lda)},
        {set_vector, offsetof(struct arguments, n), offsetof(struct arguments, lda)},
        {get_vector, offsetof(struct arguments, n), offsetof(struct arguments, ldb)},
        {set_vector_async, offsetof(struct arguments, n), offsetof(struct arguments, ldb)},
        {get_vector_async, offsetof(struct arguments, n), offsetof(struct arguments, lda)},
    };
    static const int64_t zero = 0;
    for (int variant = 0; variant < 4; ++variant) {
        const bool wide = variant & 1, device_scalars = variant & 2;
        assert_ok(myblasSetPointerMode(
            handle, device_scalars ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
        for (size_t i = 0; i < COUNT_OF(cases); ++i) {
            const enum function function = cases[i].function;
            struct arguments g = good_arguments(function, s, device_scalars);
            memcpy((char*)&g + cases[i].size, &zero, sizeof zero);
            assert_ok(call(function, wide, handle, &g));
            g.alpha = g.beta = g.a = g.b = g.c = NULL;
            assert_ok(call(function, wide, handle, &g));
            assert_status(NOT_INITIALIZED, call(function, wide, NULL, &g));
            if (cases[i].ld < sizeof(struct arguments)) {
                memcpy((char*)&g + cases[i].ld, &zero, sizeof zero);
                assert_status(INVALID_VALUE, call(function, wide, handle, &g));
            }
        }
        struct arguments negative = good_arguments(axpy, s, device_scalars);
        negative.n = -5;
        negative.alpha = negative.a = negative.b = NULL;
        static const enum function vectors[] = {axpy, copy, scal, swap, rot, rotm};
        for (size_t i = 0; i < COUNT_OF(vectors); ++i)
            assert_ok(call(vectors[i], wide, handle, &negative));
    }
    setting_assert_untouched(s);
    setting_destroy(s);
}

// Sums of nothing still want a place for the result.
static void test_sum_of_nothing(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct setting* s = setting_create(handle);
    for (int wide = 0; wide < 2; ++wide) {
        static const enum function reductions[] = {sum, asum, dsum, dot, nrm2, iamax, iamin};
        for (size_t i = 0; i < COUNT_OF(reductions); ++i) {
            const enum function f = reductions[i];
            struct arguments g = good_arguments(f, s, false);
            g.n = 0;
            g.a = NULL;
            g.result = NULL;
            assert_status(INVALID_VALUE, call(f, wide, handle, &g));
            assert_message(f, "result");
        }
    }
    setting_assert_untouched(s);
    setting_destroy(s);
}

// Overlap is allowed only where it is documented.
static void test_in_place_forms(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct setting* s = setting_create(handle);
    for (int wide = 0; wide < 2; ++wide) {
        struct arguments g = good_arguments(transpose, s, false);
        g.b = g.a;
        g.lda = 4; // 3 x 4: neither square nor tight
        assert_status(INVALID_VALUE, call(transpose, wide, handle, &g));
        assert_status(INVALID_VALUE, call(transpose_ex, wide, handle, &g));
        g.lda = 3;
        g.ldb = 5;
        assert_status(INVALID_VALUE, call(transpose, wide, handle, &g));
        g.m = g.n = 3;
        g.lda = 4; // square with different leading dimensions
        assert_status(INVALID_VALUE, call(transpose, wide, handle, &g));
        assert_status(INVALID_VALUE, call(transpose_strided, wide, handle, &g));
        g = good_arguments(transpose_strided, s, false);
        g.b = g.a; // a batch of tight matrices that are not square
        assert_status(INVALID_VALUE, call(transpose_strided, wide, handle, &g));
        void* a = (void*)g.a; // a batch of squares with different strides
        assert_status(INVALID_VALUE,
                      wide ? mytransposeStridedBatched_64(handle, 3, 3, a, 3, 16, a, 3, 32, 2)
                           : mytransposeStridedBatched(handle, 3, 3, a, 3, 16, a, 3, 32, 2));

        g = good_arguments(geam, s, false);
        g.c = (void*)g.a;
        g.m = g.n = 3;
        g.transa = MYBLAS_OP_T;
        assert_status(INVALID_VALUE, call(geam, wide, handle, &g));
        g.transa = MYBLAS_OP_N;
        g.lda = 4;
        assert_status(INVALID_VALUE, call(geam, wide, handle, &g));
        g = good_arguments(geam, s, false);
        g.c = (void*)g.b;
        g.m = g.n = 3;
        g.transb = MYBLAS_OP_C;
        assert_status(INVALID_VALUE, call(geam, wide, handle, &g));
        g.transb = MYBLAS_OP_N;
        g.ldc = 4;
        assert_status(INVALID_VALUE, call(geam, wide, handle, &g));
        g = good_arguments(trmm, s, false);
        g.c = (void*)g.b;
        g.ldc = g.ldb + 1;
        assert_status(INVALID_VALUE, call(trmm, wide, handle, &g));
    }
    setting_assert_untouched(s);
    setting_destroy(s);
}

// An element size asks for pointers that are multiples of it.
static void test_misaligned_elements(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct setting* s = setting_create(handle);
    for (int wide = 0; wide < 2; ++wide) {
        for (int bytes = 2; bytes <= 16; bytes *= 2) {
            struct arguments g = good_arguments(transpose_ex, s, false);
            g.m = g.n = 2;
            g.element_bytes = bytes;
            struct arguments bad = g;
            bad.a = (const char*)g.a + bytes / 2;
            assert_status(INVALID_VALUE, call(transpose_ex, wide, handle, &bad));
            assert_message(transpose_ex, "A");
            bad = g;
            bad.b = (const char*)g.b + bytes / 2;
            assert_status(INVALID_VALUE, call(transpose_ex, wide, handle, &bad));
            assert_message(transpose_ex, "B");
        }
    }
    setting_assert_untouched(s);
    setting_destroy(s);
}

// Sizes whose product leaves 64 bits are refused.
static void test_unaddressable_sizes(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct setting* s = setting_create(handle);
    const int64_t huge = INT64_C(1) << 40;
    for (int f = 0; f <= trsm_strided; ++f) {
        const enum function function = (enum function)f;
        if (function == histogram || function == rotg || function == rotmg) // have no such sizes
            continue;
        struct arguments g = good_arguments(function, s, false);
        g.m = g.n = g.k = huge;
        g.lda = g.ldb = g.ldc = huge;
        assert_status(INVALID_VALUE, call(function, true, handle, &g));
    }
    setting_assert_untouched(s);
    setting_destroy(s);
}

// A kernel that is forced and does not accept changes neither the checks nor the quick returns.
static void test_forced_kernel_and_checks(void** state) {
    clear_environment();
    (void)require_handle(state);
    setenv("MYBLAS_SGEMM_KERNEL", "no_such_kernel", 1);
    myblasHandle_t handle = NULL;
    const myblasStatus_t created = myblasCreateOn(&handle, backend_of(require_handle(state)));
    unsetenv("MYBLAS_SGEMM_KERNEL");
    assert_ok(created);
    struct setting* s = setting_create(handle);
    struct arguments g = good_arguments(sgemm, s, false);
    assert_status(NOT_SUPPORTED, call(sgemm, false, handle, &g));
    assert_status(NOT_SUPPORTED, call(sgemm, true, handle, &g));
    setting_assert_untouched(s);
    struct arguments bad = g;
    bad.ldc = 0;
    assert_status(INVALID_VALUE, call(sgemm, false, handle, &bad));
    struct arguments empty = g;
    empty.n = 0;
    assert_ok(call(sgemm, false, handle, &empty));
    // Other routines know nothing of it.
    struct arguments other = good_arguments(transpose, s, false);
    assert_ok(call(transpose, false, handle, &other));
    assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
    assert_ok(call(sgemm, false, handle, &g));
    setting_destroy(s);
    assert_ok(myblasDestroy(handle));
}

int main(void) {
#define TEST(test) cmocka_unit_test_setup_teardown(test, start_listening, stop_listening)
    const struct CMUnitTest tests[] = {
        TEST(test_faults),
        TEST(test_values_in_messages),
        TEST(test_leading_dimensions),
        TEST(test_quick_returns),
        TEST(test_sum_of_nothing),
        TEST(test_in_place_forms),
        TEST(test_misaligned_elements),
        TEST(test_unaddressable_sizes),
        TEST(test_forced_kernel_and_checks),
    };
    return RUN_ON_BACKENDS("arguments", tests);
}
