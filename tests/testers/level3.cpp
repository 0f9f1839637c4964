// The functions of level 3 that the testers call, in Fortran and CBLAS.
#include "adapter.h"

using namespace adapter;

namespace {

const std::vector<parameter> triangular_parameters = {{"side", 1},
                                                      {"uplo", 2},
                                                      {"trans", 3},
                                                      {"diag", 4},
                                                      {"m", 5},
                                                      {"n", 6},
                                                      {"lda", 9},
                                                      {"ldb", 11}};

// clang-format off
routine sgemm{"SGEMM ", MYBLAS_ROUTINE_SGEMM,
              {{"transa", 1}, {"transb", 2}, {"m", 3}, {"n", 4}, {"k", 5}, {"lda", 8}, {"ldb", 10},
               {"ldc", 13}}},
    ssymm{"SSYMM ", MYBLAS_ROUTINE_SYMM,
          {{"side", 1}, {"uplo", 2}, {"m", 3}, {"n", 4}, {"lda", 7}, {"ldb", 9}, {"ldc", 12}}},
    ssyrk{"SSYRK ", MYBLAS_ROUTINE_SYRK, {{"uplo", 1}, {"trans", 2}, {"n", 3}, {"k", 4}, {"lda", 7},
                                          {"ldc", 10}}},
    ssyr2k{"SSYR2K", MYBLAS_ROUTINE_SYR2K,
           {{"uplo", 1}, {"trans", 2}, {"n", 3}, {"k", 4}, {"lda", 7}, {"ldb", 9}, {"ldc", 12}}},
    strmm{"STRMM ", MYBLAS_ROUTINE_TRMM, triangular_parameters},
    strsm{"STRSM ", MYBLAS_ROUTINE_TRSM, triangular_parameters};

void gemm(myblasOperation_t transa, myblasOperation_t transb, int m, int n, int k, float alpha,
          const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc) {
    const bool a_is_n = transa == MYBLAS_OP_N, b_is_n = transb == MYBLAS_OP_N;
    const axis rows(m), columns(n), depth(k);
    const matrix da(a, a_is_n ? rows : depth, a_is_n ? depth : rows, lda,
                    {.zero_rows = !a_is_n, .zero_columns = a_is_n});
    const matrix db(b, b_is_n ? depth : columns, b_is_n ? columns : depth, ldb);
    const matrix dc(c, rows, columns, ldc);
    if (perform(sgemm, [&](myblasHandle_t h) {
            return mysgemm(h, transa, transb, rows.grown(), columns.grown(), depth.grown(), &alpha,
                           da.device(), da.ld(), db.device(), db.ld(), &beta, dc.device(), dc.ld());
        }))
        dc.fetch();
}

void symm(myblasSideMode_t side, myblasFillMode_t uplo, int m, int n, float alpha, const float* a,
          int lda, const float* b, int ldb, float beta, float* c, int ldc) {
    const axis rows(m), columns(n), &order = side == MYBLAS_SIDE_LEFT ? rows : columns;
    const matrix da(a, order, order, lda, {.is_apart = true, .has_triangle = true, .uplo = uplo});
    const matrix db(b, rows, columns, ldb), dc(c, rows, columns, ldc);
    if (perform(ssymm, [&](myblasHandle_t h) {
            return myssymm(h, side, uplo, rows.grown(), columns.grown(), &alpha, da.device(),
                           da.ld(), db.device(), db.ld(), &beta, dc.device(), dc.ld());
        }))
        dc.fetch();
}

// syr2k, or syrk without B.
void rank_k(myblasFillMode_t uplo, myblasOperation_t trans, int n, int k, float alpha,
            const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc) {
    const bool is_n = trans == MYBLAS_OP_N;
    const axis order(n), depth(k), none(0);
    const axis &rows = is_n ? order : depth, &columns = is_n ? depth : order;
    const matrix da(a, rows, columns, lda, {.zero_rows = !is_n, .zero_columns = is_n});
    const matrix db(b, b ? rows : none, columns, ldb), dc(c, order, order, ldc,
                                                          {.has_triangle = true, .uplo = uplo});
    if (perform(b ? ssyr2k : ssyrk, [&](myblasHandle_t h) {
            return b ? myssyr2k(h, uplo, trans, order.grown(), depth.grown(), &alpha, da.device(),
                                da.ld(), db.device(), db.ld(), &beta, dc.device(), dc.ld())
                     : myssyrk(h, uplo, trans, order.grown(), depth.grown(), &alpha, da.device(),
                               da.ld(), &beta, dc.device(), dc.ld());
        }))
        dc.fetch();
}

void triangular(routine& r, myblasSideMode_t side, myblasFillMode_t uplo, myblasOperation_t trans,
                myblasDiagType_t diag, int m, int n, float alpha, const float* a, int lda, float* b,
                    int ldb) {
    const axis rows(m), columns(n), &order = side == MYBLAS_SIDE_LEFT ? rows : columns;
    const matrix da(a, order, order, lda,
                    {.is_apart = true, .has_triangle = true, .uplo = uplo,
                     .is_unit = diag == MYBLAS_DIAG_UNIT});
    const matrix db(b, rows, columns, ldb);
    if (perform(r, [&](myblasHandle_t h) {
            return &r == &strsm ? mystrsm(h, side, uplo, trans, diag, rows.grown(), columns.grown(),
                                          &alpha, da.device(), da.ld(), db.device(), db.ld())
                                : mystrmm(h, side, uplo, trans, diag, rows.grown(), columns.grown(),
                                          &alpha, da.device(), da.ld(), db.device(), db.ld(),
                                          db.device(), db.ld());
        }))
        db.fetch();
}

} // namespace

extern "C" {

// ---- Fortran ------------------------------------------------------------------------------------

void sgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
            const float* beta, float* c, const int* ldc) {
    gemm(operation(*transa), operation(*transb), *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c,
         *ldc);
}
void ssymm_(const char* side, const char* uplo, const int* m, const int* n, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta,
            float* c, const int* ldc) {
    symm(side_mode(*side), fill_mode(*uplo), *m, *n, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);
}
void ssyrk_(const char* uplo, const char* trans, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* beta, float* c, const int* ldc) {
    rank_k(fill_mode(*uplo), operation(*trans), *n, *k, *alpha, a, *lda, nullptr, 0, *beta, c,
           *ldc);
}
void ssyr2k_(const char* uplo, const char* trans, const int* n, const int* k, const float* alpha,
             const float* a, const int* lda, const float* b, const int* ldb, const float* beta,
             float* c, const int* ldc) {
    rank_k(fill_mode(*uplo), operation(*trans), *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);
}
void strmm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m,
            const int* n, const float* alpha, const float* a, const int* lda, float* b,
            const int* ldb) {
    triangular(strmm, side_mode(*side), fill_mode(*uplo), operation(*trans), diag_type(*diag), *m,
               *n, *alpha, a, *lda, b, *ldb);
}
void strsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m,
            const int* n, const float* alpha, const float* a, const int* lda, float* b,
            const int* ldb) {
    triangular(strsm, side_mode(*side), fill_mode(*uplo), operation(*trans), diag_type(*diag), *m,
               *n, *alpha, a, *lda, b, *ldb);
}

// ---- CBLAS --------------------------------------------------------------------------------------

void cblas_sgemm(int layout, int transa, int transb, int m, int n, int k, float alpha,
                 const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc) {
    const myblasOperation_t ta = cblas_operation(transa, false), tb = cblas_operation(transb,
            false);
    if (layout == row_major)
        gemm(tb, ta, n, m, k, alpha, b, ldb, a, lda, beta, c, ldc);
    else
        gemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cblas_ssymm(int layout, int side, int uplo, int m, int n, float alpha, const float* a, int lda,
                 const float* b, int ldb, float beta, float* c, int ldc) {
    const bool swap = layout == row_major;
    symm(cblas_side(side, swap), cblas_fill(uplo, swap), swap ? n : m, swap ? m : n, alpha, a, lda,
         b, ldb, beta, c, ldc);
}
void cblas_ssyrk(int layout, int uplo, int trans, int n, int k, float alpha, const float* a,
                 int lda, float beta, float* c, int ldc) {
    const bool swap = layout == row_major;
    rank_k(cblas_fill(uplo, swap), cblas_operation(trans, swap), n, k, alpha, a, lda, nullptr, 0,
           beta, c, ldc);
}
void cblas_ssyr2k(int layout, int uplo, int trans, int n, int k, float alpha, const float* a,
                  int lda, const float* b, int ldb, float beta, float* c, int ldc) {
    const bool swap = layout == row_major;
    rank_k(cblas_fill(uplo, swap), cblas_operation(trans, swap), n, k, alpha, a, lda, b, ldb, beta,
           c, ldc);
}
void cblas_strmm(int layout, int side, int uplo, int trans, int diag, int m, int n, float alpha,
                 const float* a, int lda, float* b, int ldb) {
    const bool swap = layout == row_major;
    triangular(strmm, cblas_side(side, swap), cblas_fill(uplo, swap), cblas_operation(trans, false),
               cblas_diag(diag), swap ? n : m, swap ? m : n, alpha, a, lda, b, ldb);
}
void cblas_strsm(int layout, int side, int uplo, int trans, int diag, int m, int n, float alpha,
                 const float* a, int lda, float* b, int ldb) {
    const bool swap = layout == row_major;
    triangular(strsm, cblas_side(side, swap), cblas_fill(uplo, swap), cblas_operation(trans, false),
               cblas_diag(diag), swap ? n : m, swap ? m : n, alpha, a, lda, b, ldb);
}

} // extern "C"
