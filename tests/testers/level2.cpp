// Level 2.
#include "adapter.h"

using namespace adapter;

namespace {

const std::vector<parameter> triangular_parameters = {
    {"uplo", 1}, {"trans", 2}, {"diag", 3}, {"n", 4}, {"lda", 6}, {"incx", 8}};

routine sgemv{"SGEMV ",
              MYBLAS_ROUTINE_SGEMM,
              {{"trans", 1}, {"m", 2}, {"n", 3}, {"lda", 6}, {"incx", 8}, {"incy", 11}}},
    sger{"SGER  ", MYBLAS_ROUTINE_SYR, {{"m", 1}, {"n", 2}, {"incx", 5}, {"incy", 7}, {"lda", 9}}},
    ssymv{"SSYMV ",
          MYBLAS_ROUTINE_SYMV,
          {{"uplo", 1}, {"n", 2}, {"lda", 5}, {"incx", 7}, {"incy", 10}}},
    ssyr{"SSYR  ", MYBLAS_ROUTINE_SYR, {{"uplo", 1}, {"n", 2}, {"incx", 5}, {"lda", 7}}},
    ssyr2{"SSYR2 ",
          MYBLAS_ROUTINE_SYR,
          {{"uplo", 1}, {"n", 2}, {"incx", 5}, {"incy", 7}, {"lda", 9}}},
    strmv{"STRMV ", MYBLAS_ROUTINE_TRMV, triangular_parameters},
    strsv{"STRSV ", MYBLAS_ROUTINE_TRSV, triangular_parameters};

void gemv(myblasOperation_t op,
          int m,
          int n,
          float alpha,
          const float* a,
          int lda,
          const float* x,
          int incx,
          float beta,
          float* y,
          int incy) {
    const bool is_n = op == MYBLAS_OP_N;
    const axis rows(m), columns(n);
    const matrix da(a, rows, columns, lda, {.zero_rows = !is_n, .zero_columns = is_n});
    const vector dx(x, is_n ? columns : rows, incx), dy(y, is_n ? rows : columns, incy);
    // clang-format off
    if (perform(sgemv, [&](myblasHandle_t h) {
            return mysgemv(h, op, rows.grown(), columns.grown(), &alpha, da.device(), da.ld(),
                           dx.device(), incx, &beta, dy.device(), incy);
        }))
        dy.fetch();
    // clang-format on
}

void ger(int m,
         int n,
         float alpha,
         const float* x,
         int incx,
         const float* y,
         int incy,
         float* a,
         int lda) {
    const axis rows(m), columns(n);
    const vector dx(x, rows, incx), dy(y, columns, incy);
    const matrix da(a, rows, columns, lda);
    // clang-format off
    if (perform(sger, [&](myblasHandle_t h) {
            return mysger(h, rows.grown(), columns.grown(), &alpha, dx.device(), incx, dy.device(),
                          incy, da.device(), da.ld());
        }))
        da.fetch();
    // clang-format on
}

void symv(myblasFillMode_t uplo,
          int n,
          float alpha,
          const float* a,
          int lda,
          const float* x,
          int incx,
          float beta,
          float* y,
          int incy) {
    const axis order(n);
    const matrix da(a, order, order, lda, {.is_apart = true, .has_triangle = true, .uplo = uplo});
    const vector dx(x, order, incx), dy(y, order, incy);
    // clang-format off
    if (perform(ssymv, [&](myblasHandle_t h) {
            return myssymv(h, uplo, order.grown(), &alpha, da.device(), da.ld(), dx.device(), incx,
                           &beta, dy.device(), incy);
        }))
        dy.fetch();
    // clang-format on
}

// Without y: syr.
void syr(myblasFillMode_t uplo,
         int n,
         float alpha,
         const float* x,
         int incx,
         const float* y,
         int incy,
         float* a,
         int lda) {
    const axis order(n);
    const vector dx(x, order, incx), dy(y, y ? order : axis(0), incy);
    const matrix da(a, order, order, lda, {.has_triangle = true, .uplo = uplo});
    // clang-format off
    if (perform(y ? ssyr2 : ssyr, [&](myblasHandle_t h) {
            return y ? myssyr2(h, uplo, order.grown(), &alpha, dx.device(), incx, dy.device(), incy,
                               da.device(), da.ld())
                     : myssyr(h, uplo, order.grown(), &alpha, dx.device(), incx, da.device(),
                              da.ld());
        }))
        da.fetch();
    // clang-format on
}

using triangular_function = decltype(&mystrmv);

void triangular(routine& r,
                triangular_function function,
                myblasFillMode_t uplo,
                myblasOperation_t op,
                myblasDiagType_t diag,
                int n,
                const float* a,
                int lda,
                float* x,
                int incx) {
    const axis order(n);
    const matrix da(a,
                    order,
                    order,
                    lda,
                    {.is_apart = true,
                     .has_triangle = true,
                     .uplo = uplo,
                     .is_unit = diag == MYBLAS_DIAG_UNIT});
    const vector dx(x, order, incx);
    if (perform(r, [&](myblasHandle_t h) {
            return function(
                h, uplo, op, diag, order.grown(), da.device(), da.ld(), dx.device(), incx);
        }))
        dx.fetch();
}

} // namespace

// clang-format off
extern "C" {

// ---- Fortran ------------------------------------------------------------------------------------

void sgemv_(const char* trans, const int* m, const int* n, const float* alpha, const float* a,
            const int* lda, const float* x, const int* incx, const float* beta, float* y,
            const int* incy) {
    gemv(operation(*trans), *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy);
}
void sger_(const int* m, const int* n, const float* alpha, const float* x, const int* incx,
           const float* y, const int* incy, float* a, const int* lda) {
    ger(*m, *n, *alpha, x, *incx, y, *incy, a, *lda);
}
void ssymv_(const char* uplo, const int* n, const float* alpha, const float* a, const int* lda,
            const float* x, const int* incx, const float* beta, float* y, const int* incy) {
    symv(fill_mode(*uplo), *n, *alpha, a, *lda, x, *incx, *beta, y, *incy);
}
void ssyr_(const char* uplo, const int* n, const float* alpha, const float* x, const int* incx,
           float* a, const int* lda) {
    syr(fill_mode(*uplo), *n, *alpha, x, *incx, nullptr, 1, a, *lda);
}
void ssyr2_(const char* uplo, const int* n, const float* alpha, const float* x, const int* incx,
            const float* y, const int* incy, float* a, const int* lda) {
    syr(fill_mode(*uplo), *n, *alpha, x, *incx, y, *incy, a, *lda);
}
void strmv_(const char* uplo, const char* trans, const char* diag, const int* n, const float* a,
            const int* lda, float* x, const int* incx) {
    triangular(strmv, mystrmv, fill_mode(*uplo), operation(*trans), diag_type(*diag), *n, a, *lda,
               x, *incx);
}
void strsv_(const char* uplo, const char* trans, const char* diag, const int* n, const float* a,
            const int* lda, float* x, const int* incx) {
    triangular(strsv, mystrsv, fill_mode(*uplo), operation(*trans), diag_type(*diag), *n, a, *lda,
               x, *incx);
}

// ---- CBLAS --------------------------------------------------------------------------------------

void cblas_sgemv(int layout, int trans, int m, int n, float alpha, const float* a, int lda,
                 const float* x, int incx, float beta, float* y, int incy) {
    const bool swap = layout == row_major;
    gemv(cblas_operation(trans, swap), swap ? n : m, swap ? m : n, alpha, a, lda, x, incx, beta, y,
         incy);
}
void cblas_sger(int layout, int m, int n, float alpha, const float* x, int incx, const float* y,
                int incy, float* a, int lda) {
    if (layout == row_major)
        ger(n, m, alpha, y, incy, x, incx, a, lda);
    else
        ger(m, n, alpha, x, incx, y, incy, a, lda);
}
void cblas_ssymv(int layout, int uplo, int n, float alpha, const float* a, int lda, const float* x,
                 int incx, float beta, float* y, int incy) {
    symv(cblas_fill(uplo, layout == row_major), n, alpha, a, lda, x, incx, beta, y, incy);
}
void cblas_ssyr(int layout, int uplo, int n, float alpha, const float* x, int incx, float* a,
                int lda) {
    syr(cblas_fill(uplo, layout == row_major), n, alpha, x, incx, nullptr, 1, a, lda);
}
void cblas_ssyr2(int layout, int uplo, int n, float alpha, const float* x, int incx, const float* y,
                 int incy, float* a, int lda) {
    syr(cblas_fill(uplo, layout == row_major), n, alpha, x, incx, y, incy, a, lda);
}
void cblas_strmv(int layout, int uplo, int trans, int diag, int n, const float* a, int lda,
                 float* x, int incx) {
    const bool swap = layout == row_major;
    triangular(strmv, mystrmv, cblas_fill(uplo, swap), cblas_operation(trans, swap),
               cblas_diag(diag), n, a, lda, x, incx);
}
void cblas_strsv(int layout, int uplo, int trans, int diag, int n, const float* a, int lda,
                 float* x, int incx) {
    const bool swap = layout == row_major;
    triangular(strsv, mystrsv, cblas_fill(uplo, swap), cblas_operation(trans, swap),
               cblas_diag(diag), n, a, lda, x, incx);
}

} // extern "C"
