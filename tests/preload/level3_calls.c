// The operations of level 3, at sizes that are sent to the GPU in several groups of columns, by
// both interfaces. Some elements are compared with sums in double precision, and nothing outside
// the result may change. An ordinary program that is linked to a BLAS; environment variables decide
// whether the GPU computes. Status 0: all results were right.
#include <cblas.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { syrk, syr2k, symm, trmm, trsm };
static const char* const names[] = {"ssyrk", "ssyr2k", "ssymm", "strmm", "strsm"};

typedef struct {
    enum kind what;
    bool by_rows, left, upper, trans, unit;
    int m, n, k;
} call;

enum { padding = 5, probes = 400 };
static const float alpha = 0.75f, beta = -0.5f;

static uint32_t state = 1;
static uint32_t next_random(void) { return (state = state * 1664525u + 1013904223u) >> 8; }

// A column-major or row-major matrix.
typedef struct {
    bool by_rows;
    int rows, cols, ld;
    float* data;
} matrix;

static size_t count_of(const matrix* x) {
    return (size_t)x->ld * (size_t)(x->by_rows ? x->rows : x->cols);
}
static matrix random_matrix(bool by_rows, int rows, int cols) {
    matrix x = {by_rows, rows, cols, (by_rows ? cols : rows) + padding, NULL};
    x.data = malloc(count_of(&x) * sizeof(float));
    for (size_t i = 0; i < count_of(&x); ++i)
        x.data[i] = (float)next_random() / (1 << 23) - 1;
    return x;
}
static matrix copy_of(const matrix* x) {
    matrix y = *x;
    y.data = malloc(count_of(x) * sizeof(float));
    memcpy(y.data, x->data, count_of(x) * sizeof(float));
    return y;
}
static float* at(const matrix* x, int i, int j) {
    return x->data + (x->by_rows ? (size_t)i * (size_t)x->ld + (size_t)j
                                 : (size_t)j * (size_t)x->ld + (size_t)i);
}

static bool is_stored(const call* p, int i, int j) { return p->upper ? i <= j : i >= j; }

// Element (i, j) of op(A): the symmetric or triangular matrix that the operation defines.
static double a_of(const call* p, const matrix* a, int i, int j) {
    if (p->what == symm)
        return is_stored(p, i, j) ? *at(a, i, j) : *at(a, j, i);
    if (p->trans) {
        const int swap = i;
        i = j;
        j = swap;
    }
    if (p->what < symm)
        return *at(a, i, j);
    return i == j && p->unit ? 1 : is_stored(p, i, j) ? *at(a, i, j) : 0;
}

// The expected sum for element (i, j); for trsm, the right-hand side that the solution should give.
static double sum_for(const call* p,
                      const matrix* a,
                      const matrix* b,
                      const matrix* before,
                      const matrix* c,
                      int i,
                      int j) {
    double sum = 0;
    const matrix* x = p->what == symm ? b : p->what == trmm ? before : c;
    if (p->what < symm) {
        for (int l = 0; l < p->k; ++l)
            sum += p->what == syrk
                       ? a_of(p, a, i, l) * a_of(p, a, j, l)
                       : a_of(p, a, i, l) * a_of(p, b, j, l) + a_of(p, b, i, l) * a_of(p, a, j, l);
    } else {
        const int order = p->left ? p->m : p->n;
        for (int l = 0; l < order; ++l)
            sum += p->left ? a_of(p, a, i, l) * *at(x, l, j) : *at(x, i, l) * a_of(p, a, l, j);
    }
    if (p->what == trsm)
        return sum / alpha;
    return alpha * sum + (p->what == trmm ? 0.0 : (double)beta * *at(before, i, j));
}

// clang-format off
void ssyrk_(const char*, const char*, const int*, const int*, const float*, const float*,
            const int*, const float*, float*, const int*, size_t, size_t);
void ssyr2k_(const char*, const char*, const int*, const int*, const float*, const float*,
             const int*, const float*, const int*, const float*, float*, const int*, size_t,
             size_t);
void ssymm_(const char*, const char*, const int*, const int*, const float*, const float*,
            const int*, const float*, const int*, const float*, float*, const int*, size_t, size_t);
void strmm_(const char*, const char*, const char*, const char*, const int*, const int*,
            const float*, const float*, const int*, float*, const int*, size_t, size_t, size_t,
            size_t);
void strsm_(const char*, const char*, const char*, const char*, const int*, const int*,
            const float*, const float*, const int*, float*, const int*, size_t, size_t, size_t,
            size_t);

static void by_fortran(const call* p, const matrix* a, const matrix* b, const matrix* c) {
    const char *side = p->left ? "L" : "R", *uplo = p->upper ? "U" : "L",
        *trans = p->trans ? "T" : "N",
               *diag = p->unit ? "U" : "N";
    switch (p->what) {
    case syrk: ssyrk_(uplo, trans, &p->n, &p->k, &alpha, a->data, &a->ld, &beta, c->data, &c->ld, 1,
                      1); break;
    case syr2k: ssyr2k_(uplo, trans, &p->n, &p->k, &alpha, a->data, &a->ld, b->data, &b->ld, &beta,
                        c->data, &c->ld, 1, 1); break;
    case symm: ssymm_(side, uplo, &p->m, &p->n, &alpha, a->data, &a->ld, b->data, &b->ld, &beta,
                      c->data, &c->ld, 1, 1); break;
    case trmm: strmm_(side, uplo, trans, diag, &p->m, &p->n, &alpha, a->data, &a->ld, c->data,
                      &c->ld, 1, 1, 1, 1);
               break;
    case trsm: strsm_(side, uplo, trans, diag, &p->m, &p->n, &alpha, a->data, &a->ld, c->data,
                      &c->ld, 1, 1, 1, 1);
               break;
    }
}

static void by_cblas(const call* p, const matrix* a, const matrix* b, const matrix* c) {
    const enum CBLAS_ORDER order = p->by_rows ? CblasRowMajor : CblasColMajor;
    const enum CBLAS_SIDE side = p->left ? CblasLeft : CblasRight;
    const enum CBLAS_UPLO uplo = p->upper ? CblasUpper : CblasLower;
    const enum CBLAS_TRANSPOSE trans = p->trans ? CblasTrans : CblasNoTrans;
    const enum CBLAS_DIAG diag = p->unit ? CblasUnit : CblasNonUnit;
    switch (p->what) {
    case syrk: cblas_ssyrk(order, uplo, trans, p->n, p->k, alpha, a->data, a->ld, beta, c->data,
                           c->ld); break;
    case syr2k: cblas_ssyr2k(order, uplo, trans, p->n, p->k, alpha, a->data, a->ld, b->data, b->ld,
                             beta, c->data, c->ld); break;
    case symm: cblas_ssymm(order, side, uplo, p->m, p->n, alpha, a->data, a->ld, b->data, b->ld,
                           beta, c->data, c->ld); break;
    case trmm: cblas_strmm(order, side, uplo, trans, diag, p->m, p->n, alpha, a->data, a->ld,
                           c->data, c->ld); break;
    case trsm: cblas_strsm(order, side, uplo, trans, diag, p->m, p->n, alpha, a->data, a->ld,
                           c->data, c->ld); break;
    }
}
// clang-format on

static bool is_right(const call* p) {
    const bool updates = p->what < symm;
    const int order = p->left ? p->m : p->n;
    matrix a = updates ? random_matrix(p->by_rows, p->trans ? p->k : p->n, p->trans ? p->n : p->k)
                       : random_matrix(p->by_rows, order, order);
    matrix b = p->what == syr2k ? random_matrix(p->by_rows, a.rows, a.cols)
                                : random_matrix(p->by_rows, p->m, p->n);
    matrix c = random_matrix(p->by_rows, p->m, p->n);
    // The other triangle is not read, and a solution stays small.
    for (int j = 0; j < order && !updates; ++j)
        for (int i = 0; i < order; ++i)
            if (!is_stored(p, i, j))
                *at(&a, i, j) = NAN;
            else
                *at(&a, i, j) /= (float)order;
    for (int i = 0; i < order && !updates; ++i)
        *at(&a, i, i) = p->unit ? NAN : 2;
    matrix before = copy_of(&c), found = copy_of(&c);
    if (p->by_rows || p->m % 2)
        by_cblas(p, &a, &b, &found);
    else
        by_fortran(p, &a, &b, &found);
    bool right = true;
    for (int probe = 0; probe < probes; ++probe) {
        const int i = (int)(next_random() % (unsigned)p->m),
                  j = (int)(next_random() % (unsigned)p->n);
        if (updates && !is_stored(p, i, j)) {
            right = right && *at(&found, i, j) == *at(&before, i, j);
            continue;
        }
        const double expected = p->what == trsm ? *at(&before, i, j) : 0;
        const double sum = sum_for(p, &a, &b, &before, &found, i, j);
        const double difference = p->what == trsm ? sum - expected : sum - *at(&found, i, j);
        right = right && fabs(difference) <= 2e-4 * (1 + (updates ? sqrt(p->k) : 1));
    }
    // Padding and the other triangle keep their values.
    for (size_t at_data = 0; at_data < count_of(&c); ++at_data) {
        const int inner = (int)(at_data % (size_t)c.ld), outer = (int)(at_data / (size_t)c.ld);
        const int i = p->by_rows ? outer : inner, j = p->by_rows ? inner : outer;
        const bool is_padding = inner >= c.ld - padding;
        if (is_padding || (updates && !is_stored(p, i, j)))
            right = right && found.data[at_data] == before.data[at_data];
    }
    if (!right)
        printf("%s by rows %d left %d upper %d trans %d unit %d, %d x %d x %d: wrong\n",
               names[p->what],
               p->by_rows,
               p->left,
               p->upper,
               p->trans,
               p->unit,
               p->m,
               p->n,
               p->k);
    free(a.data);
    free(b.data);
    free(c.data);
    free(before.data);
    free(found.data);
    return right;
}

int main(void) {
    bool right = true;
    for (enum kind what = syrk; what <= trsm; ++what)
        for (unsigned bits = 0; bits < 16; ++bits) {
            call p = {.what = what,
                      .by_rows = bits & 1,
                      .left = bits & 2,
                      .upper = bits & 4,
                      .trans = (bits & 8) && what != symm,
                      .unit = (bits & 2) && (bits & 8) && what >= trmm,
                      .m = 700 + (int)bits % 3,
                      .n = 1100,
                      .k = 300};
            if (what < symm)
                p.m = p.n;
            // Side means nothing else there: several panels. From 4097 on their depth grows.
            if (what == syrk && p.left)
                p.k = p.upper ? 9001 : 1700;
            if (what >= symm && !p.left) {
                p.m = 1101 - (int)bits % 3;
                p.n = 700;
            }
            right = is_right(&p) && right;
        }
    return !right;
}
