// All entry points of the BLAS preload library at sizes up to 257, against sums in double
// precision. An ordinary program that is linked to a BLAS; environment variables decide whether the
// GPU computes.
#include "sgemm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { row_major = 101, col_major = 102, no_trans = 111, trans = 112 };

void sgemv_(const char*,
            const int*,
            const int*,
            const float*,
            const float*,
            const int*,
            const float*,
            const int*,
            const float*,
            float*,
            const int*,
            size_t);
float sasum_(const int*, const float*, const int*);
float sdot_(const int*, const float*, const int*, const float*, const int*);
void saxpy_(const int*, const float*, const float*, const int*, float*, const int*);
void scopy_(const int*, const float*, const int*, float*, const int*);
void somatcopy_(const char*,
                const char*,
                const int*,
                const int*,
                const float*,
                const float*,
                const int*,
                float*,
                const int*,
                size_t,
                size_t);
void simatcopy_(const char*,
                const char*,
                const int*,
                const int*,
                const float*,
                float*,
                const int*,
                const int*,
                size_t,
                size_t);
void cblas_sgemm(
    int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
void cblas_sgemv(
    int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
float cblas_sasum(int, const float*, int);
float cblas_sdot(int, const float*, int, const float*, int);
void cblas_saxpy(int, float, const float*, int, float*, int);
void cblas_scopy(int, const float*, int, float*, int);
void cblas_somatcopy(int, int, int, int, float, const float*, int, float*, int);
void cblas_simatcopy(int, int, int, int, float, float*, int, int);

// ---- Data ---------------------------------------------------------------------------------------

static uint64_t state = 1;
static float random_float(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (float)(int32_t)(state >> 32) * 0x1p-31f;
}

// Matrices of up to 257 rows and columns with space for padding, and for vectors with larger
// increments.
enum { largest = 257, elements = 300 * 300 };
static float a[elements], b[elements], c[elements], before[elements];

static void fill(void) {
    for (int i = 0; i < elements; ++i) {
        a[i] = random_float();
        b[i] = random_float();
        c[i] = random_float();
    }
    memcpy(before, c, sizeof c);
}

static const int sizes[] = {1, 2, 31, 32, 33, 64, 100, 129, 256, 257};

// |found - expected| within the bound for a sum of k products in any order.
static void assert_near(double found, double expected, double magnitude, int k) {
    if (!(fabs(found - expected) <= (k + 8) * 0x1p-24 * magnitude + (k + 8) * 0x1p-149))
        fail_msg("%.9g is not %.9g (k = %d)", found, expected, k);
}

// Asserts that c has the expected values where the matrix is, and is unchanged elsewhere.
struct sum {
    double value, magnitude;
};
typedef struct sum (*formula)(int i, int j, const void* context);

static void assert_matrix(int m, int n, int ld, int k, formula expected, const void* context) {
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < ld && i + j * ld < elements; ++i) {
            const int at = i + j * ld;
            if (i < m) {
                const struct sum s = expected(i, j, context);
                assert_near(c[at], s.value, s.magnitude, k);
            } else {
                assert_memory_equal(&c[at], &before[at], sizeof c[at]);
            }
        }
    assert_memory_equal(c + n * ld, before + n * ld, (elements - (size_t)n * ld) * sizeof *c);
}

// ---- Products -----------------------------------------------------------------------------------

struct product {
    bool transa, transb;
    int k, lda, ldb, ldc;
    float alpha, beta;
};

static struct sum product_element(int i, int j, const void* context) {
    const struct product* p = context;
    struct sum s = {0, 0};
    for (int l = 0; l < p->k; ++l) {
        const double term = (double)a[p->transa ? l + i * p->lda : i + l * p->lda] *
                            b[p->transb ? j + l * p->ldb : l + j * p->ldb];
        s.value += term;
        s.magnitude += fabs(term);
    }
    s.value *= p->alpha;
    s.magnitude *= fabsf(p->alpha);
    if (p->beta != 0) {
        s.value += (double)p->beta * before[i + j * p->ldc];
        s.magnitude += fabs((double)p->beta * before[i + j * p->ldc]);
    }
    return s;
}

enum convention { fortran, c_columns, c_rows, convention_count };

static void call_product(enum convention convention, int m, int n, const struct product* p) {
    const char ta = p->transa ? 'T' : 'N', tb = p->transb ? 't' : 'n';
    const int cta = p->transa ? trans : no_trans, ctb = p->transb ? trans : no_trans;
    switch (convention) {
    case fortran:
        sgemm_(
            &ta, &tb, &m, &n, &p->k, &p->alpha, a, &p->lda, b, &p->ldb, &p->beta, c, &p->ldc, 1, 1);
        break;
    case c_columns:
        cblas_sgemm(
            col_major, cta, ctb, m, n, p->k, p->alpha, a, p->lda, b, p->ldb, p->beta, c, p->ldc);
        break;
    default: // the transposed result by rows is the result by columns
        cblas_sgemm(
            row_major, ctb, cta, n, m, p->k, p->alpha, b, p->ldb, a, p->lda, p->beta, c, p->ldc);
    }
}

static void test_product(int m, int n, int k, int variant) {
    static const float betas[] = {0, 1, -0.5f};
    struct product p = {.transa = variant & 1,
                        .transb = variant & 2,
                        .k = k,
                        .alpha = variant % 3 == 0 ? 1 : 0.7f,
                        .beta = betas[variant % 3]};
    p.lda = (p.transa ? k : m) + variant % 5;
    p.ldb = (p.transb ? n : k) + variant % 4;
    p.ldc = m + variant % 3;
    fill();
    if (p.beta == 0) { // C is not read
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i)
                c[i + j * p.ldc] = NAN;
    }
    call_product((enum convention)(variant % convention_count), m, n, &p);
    assert_matrix(m, n, p.ldc, k, product_element, &p);
}

static void test_sgemm(void** unused) {
    (void)unused;
    int variant = 0;
    for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
        for (int v = 0; v < 12; ++v)
            test_product(sizes[i], sizes[i], sizes[i], v);
        for (size_t j = 0; j < COUNT_OF(sizes); ++j) {
            test_product(sizes[i], sizes[j], sizes[(i + j) % COUNT_OF(sizes)], variant++);
            test_product(sizes[i], 1, sizes[j], variant++);
        }
    }
}

// ---- Matrix and vector --------------------------------------------------------------------------

// Element i of n of a vector with an increment, as BLAS counts.
static int at(int i, int n, int inc) { return inc > 0 ? i * inc : (i + 1 - n) * inc; }

static void test_matrix_vector(int m, int n, int variant) {
    static const int increments[] = {1, 2, -1, -3};
    const bool by_rows = variant & 1, transposes = variant & 2, is_fortran = variant & 4;
    const int incx = increments[variant % 4], incy = increments[variant / 4 % 4];
    const bool by_columns = is_fortran || !by_rows;
    const int lda = (by_columns ? m : n) + variant % 3;
    const int length_x = transposes ? m : n, length_y = transposes ? n : m;
    const float alpha = 0.7f, beta = variant % 3 == 0 ? 0 : 1.25f;
    const char t = transposes ? 'T' : 'N';
    fill();
    if (is_fortran)
        sgemv_(&t, &m, &n, &alpha, a, &lda, b, &incx, &beta, c, &incy, 1);
    else
        cblas_sgemv(by_rows ? row_major : col_major,
                    transposes ? trans : no_trans,
                    m,
                    n,
                    alpha,
                    a,
                    lda,
                    b,
                    incx,
                    beta,
                    c,
                    incy);
    for (int i = 0; i < length_y; ++i) {
        const int y = at(i, length_y, incy);
        double value = 0, magnitude = 0;
        for (int l = 0; l < length_x; ++l) {
            const int row = transposes ? l : i, col = transposes ? i : l;
            const double term = (double)a[by_columns ? row + col * lda : col + row * lda] *
                                b[at(l, length_x, incx)];
            value += term;
            magnitude += fabs(term);
        }
        value = alpha * value + (double)beta * before[y];
        magnitude = alpha * magnitude + fabs((double)beta * before[y]);
        assert_near(c[y], value, magnitude, length_x);
        before[y] = c[y];
    }
    assert_memory_equal(c, before, sizeof c);
}

static void test_sgemv(void** unused) {
    (void)unused;
    int variant = 0;
    for (size_t i = 0; i < COUNT_OF(sizes); ++i)
        for (size_t j = 0; j < COUNT_OF(sizes); ++j)
            for (int v = 0; v < 5; ++v)
                test_matrix_vector(sizes[i], sizes[j], variant++);
}

// ---- Vectors ------------------------------------------------------------------------------------

static void test_vectors_of(int n, int incx, int incy, bool is_fortran) {
    const float alpha = -1.5f;
    double sum = 0, dot = 0, magnitude = 0;
    fill();
    for (int i = 0; i < n; ++i) {
        const double x = a[at(i, n, incx)], y = c[at(i, n, incy)];
        sum += fabs((double)a[i * abs(incx)]);
        dot += x * y;
        magnitude += fabs(x * y);
    }
    const int step = abs(incx);
    assert_near(is_fortran ? sasum_(&n, a, &step) : cblas_sasum(n, a, step), sum, sum, n);
    assert_near(is_fortran ? sdot_(&n, a, &incx, c, &incy) : cblas_sdot(n, a, incx, c, incy),
                dot,
                magnitude,
                n);

    if (is_fortran)
        saxpy_(&n, &alpha, a, &incx, c, &incy);
    else
        cblas_saxpy(n, alpha, a, incx, c, incy);
    for (int i = 0; i < n; ++i) {
        const int x = at(i, n, incx), y = at(i, n, incy);
        const double term = (double)alpha * a[x];
        assert_near(c[y], term + before[y], fabs(term) + fabsf(before[y]), 1);
        before[y] = c[y];
    }
    assert_memory_equal(c, before, sizeof c);

    if (is_fortran)
        scopy_(&n, a, &incx, c, &incy);
    else
        cblas_scopy(n, a, incx, c, incy);
    for (int i = 0; i < n; ++i)
        before[at(i, n, incy)] = a[at(i, n, incx)];
    assert_memory_equal(c, before, sizeof c);
}

static void test_vectors(void** unused) {
    (void)unused;
    static const int increments[] = {1, 2, -1, -5};
    static const int lengths[] = {1, 2, 31, 257, 10000};
    for (size_t i = 0; i < COUNT_OF(lengths); ++i)
        for (size_t x = 0; x < COUNT_OF(increments); ++x)
            for (size_t y = 0; y < COUNT_OF(increments); ++y)
                test_vectors_of(lengths[i], increments[x], increments[y], (x + y) % 2);
}

// ---- Copies of matrices -------------------------------------------------------------------------

struct copy {
    bool transposes;
    int lda;
    float alpha;
    const float* source;
};

static struct sum copy_element(int i, int j, const void* context) {
    const struct copy* p = context;
    const float value = p->alpha * p->source[p->transposes ? j + i * p->lda : i + j * p->lda];
    return (struct sum){value, fabsf(value)};
}

static void test_copy_of(int rows, int cols, int variant) {
    const bool transposes = variant & 1, by_rows = variant & 2, is_fortran = variant & 4;
    // The operation by columns, and its name by rows.
    const int m = transposes ? cols : rows, n = transposes ? rows : cols;
    const int named_rows = by_rows ? cols : rows, named_cols = by_rows ? rows : cols;
    const struct copy p = {transposes, rows + variant % 3, variant % 5 ? 2 : 1, a};
    const int ldc = m + variant % 2;
    const char order = by_rows ? 'R' : 'C', operation = transposes ? 'T' : 'N';
    const int c_order = by_rows ? row_major : col_major,
              c_operation = transposes ? trans : no_trans;
    fill();
    if (is_fortran)
        somatcopy_(
            &order, &operation, &named_rows, &named_cols, &p.alpha, a, &p.lda, c, &ldc, 1, 1);
    else
        cblas_somatcopy(c_order, c_operation, named_rows, named_cols, p.alpha, a, p.lda, c, ldc);
    assert_matrix(m, n, ldc, 1, copy_element, &p);

    // OpenBLAS 0.3.21's in-place form writes past its buffer unless the matrix is square.
    const char* offload = getenv("MYBLAS_OFFLOAD");
    if (!offload || strcmp(offload, "always") != 0)
        return;
    // In place, with the smallest leading dimension for the result.
    static float source[elements];
    fill();
    memcpy(source, c, sizeof c);
    const struct copy q = {transposes, rows, p.alpha, source};
    if (is_fortran)
        simatcopy_(&order, &operation, &named_rows, &named_cols, &q.alpha, c, &q.lda, &m, 1, 1);
    else
        cblas_simatcopy(c_order, c_operation, named_rows, named_cols, q.alpha, c, q.lda, m);
    assert_matrix(m, n, m, 1, copy_element, &q);
}

static void test_copies(void** unused) {
    (void)unused;
    int variant = 0;
    for (size_t i = 0; i < COUNT_OF(sizes); ++i)
        for (size_t j = 0; j < COUNT_OF(sizes); ++j)
            for (int v = 0; v < 3; ++v)
                test_copy_of(sizes[i], sizes[j], variant++);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sgemm),
        cmocka_unit_test(test_sgemv),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_copies),
    };
    return cmocka_run_group_tests_name("BLAS up to 257", tests, NULL, NULL);
}
