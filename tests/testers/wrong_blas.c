// A library that calls itself OpenBLAS, and whose level 3 is wrong in one element of large enough results: libmyblas
// loads it, and testers that look must notice. Column-major alone. IS_WRONG=0: it is right.
#include <stdbool.h>
#include <stddef.h>

enum { trans_value = 111, upper_value = 121, unit_value = 132, left_value = 141 };

static void spoil(float* c, int m, int n, int ldc, bool upper) {
    if (IS_WRONG && m > 2 && n > 2)
        c[upper ? 1 + 2 * (ptrdiff_t)ldc : 2 + (ptrdiff_t)ldc] *= 1.01f;
}

static float blend(double sum, float beta, float c) {
    return (float)(sum + (beta == 0 ? 0 : (double)beta * c));
}

// Not tested by itself; there must be one.
void cblas_sgemm(void) {}

static float at(const float* a, int ld, bool is_trans, ptrdiff_t i, ptrdiff_t j) {
    return is_trans ? a[j + i * ld] : a[i + j * ld];
}

static void rank_k(int uplo,
                   int trans,
                   int n,
                   int k,
                   float alpha,
                   const float* a,
                   int lda,
                   const float* b,
                   int ldb,
                   bool twice,
                   float beta,
                   float* c,
                   int ldc) {
    const bool is_trans = trans != trans_value, upper = uplo == upper_value;
    for (ptrdiff_t j = 0; j < n; ++j) {
        for (ptrdiff_t i = upper ? 0 : j; i < (upper ? j + 1 : n); ++i) {
            double sum = 0;
            for (ptrdiff_t l = 0; l < k; ++l) {
                sum += (double)at(a, lda, is_trans, i, l) * at(b, ldb, is_trans, j, l);
                if (twice)
                    sum += (double)at(b, ldb, is_trans, i, l) * at(a, lda, is_trans, j, l);
            }
            c[i + j * ldc] = blend(alpha * sum, beta, c[i + j * ldc]);
        }
    }
    spoil(c, n, n, ldc, upper);
}

void cblas_ssyrk(int order,
                 int uplo,
                 int trans,
                 int n,
                 int k,
                 float alpha,
                 const float* a,
                 int lda,
                 float beta,
                 float* c,
                 int ldc) {
    (void)order;
    rank_k(uplo, trans, n, k, alpha, a, lda, a, lda, false, beta, c, ldc);
}

void cblas_ssyr2k(int order,
                  int uplo,
                  int trans,
                  int n,
                  int k,
                  float alpha,
                  const float* a,
                  int lda,
                  const float* b,
                  int ldb,
                  float beta,
                  float* c,
                  int ldc) {
    (void)order;
    rank_k(uplo, trans, n, k, alpha, a, lda, b, ldb, true, beta, c, ldc);
}

void cblas_ssymm(int order,
                 int side,
                 int uplo,
                 int m,
                 int n,
                 float alpha,
                 const float* a,
                 int lda,
                 const float* b,
                 int ldb,
                 float beta,
                 float* c,
                 int ldc) {
    (void)order;
    const bool is_left = side == left_value, upper = uplo == upper_value;
    for (ptrdiff_t j = 0; j < n; ++j) {
        for (ptrdiff_t i = 0; i < m; ++i) {
            double sum = 0;
            for (ptrdiff_t l = 0; l < (is_left ? m : n); ++l) {
                const ptrdiff_t row = is_left ? i : l, col = is_left ? l : j;
                sum += (double)at(a, lda, upper ? row > col : row < col, row, col) *
                       (is_left ? b[l + j * ldb] : b[i + l * ldb]);
            }
            c[i + j * ldc] = blend(alpha * sum, beta, c[i + j * ldc]);
        }
    }
    spoil(c, m, n, ldc, false);
}

// A line of B times the triangle, or divided by it, in place; L(i, j) is above or below the diagonal.
static void triangle(bool is_solve,
                     int side,
                     int uplo,
                     int trans,
                     int diag,
                     int m,
                     int n,
                     float alpha,
                     const float* a,
                     int lda,
                     float* b,
                     int ldb) {
    const bool is_left = side == left_value, is_trans = (trans != trans_value) == is_left;
    const bool is_lower = (uplo == upper_value) == is_trans;
    const int order = is_left ? m : n, lines = is_left ? n : m;
    const ptrdiff_t along = is_left ? 1 : ldb, across = is_left ? ldb : 1;
    for (ptrdiff_t line = 0; line < lines; ++line) {
        float* x = b + line * across;
        for (ptrdiff_t turn = 0; turn < order; ++turn) {
            // Downwards a lower triangle is solved, and an upper one multiplied.
            const ptrdiff_t i = is_lower == is_solve ? turn : order - 1 - turn;
            const float d = diag == unit_value ? 1 : a[i + i * lda];
            double sum = is_solve ? (double)alpha * x[i * along] : (double)d * x[i * along];
            const ptrdiff_t first = is_lower ? 0 : i + 1, end = is_lower ? i : order;
            for (ptrdiff_t j = first; j < end; ++j)
                sum += (is_solve ? -1.0 : 1.0) * at(a, lda, is_trans, i, j) * x[j * along];
            x[i * along] = (float)(is_solve ? sum / d : alpha * sum);
        }
    }
    spoil(b, m, n, ldb, false);
}

void cblas_strmm(int order,
                 int side,
                 int uplo,
                 int trans,
                 int diag,
                 int m,
                 int n,
                 float alpha,
                 const float* a,
                 int lda,
                 float* b,
                 int ldb) {
    (void)order;
    triangle(false, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
}

void cblas_strsm(int order,
                 int side,
                 int uplo,
                 int trans,
                 int diag,
                 int m,
                 int n,
                 float alpha,
                 const float* a,
                 int lda,
                 float* b,
                 int ldb) {
    (void)order;
    triangle(true, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
}

const char* openblas_get_config(void) { return "wrong"; }
int openblas_get_parallel(void) { return 0; }
