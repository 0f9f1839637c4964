/* Preloaded into myblas-bench: mysgemm_64 computes square products on the host as WRONG says. For
 * the test of the grades that such libraries get. */
#define _GNU_SOURCE
#include "myblas/myblas.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Keeps the bits of a float that TF32 has. */
static float to_tf32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= ~UINT32_C(0x1fff);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* As a multiple of 2^-24 of the power of two above `largest`. */
static float to_fixed(float x, float largest) {
    int exponent;
    frexpf(largest, &exponent);
    return largest > 0 ? ldexpf(rintf(ldexpf(x, 24 - exponent)), exponent - 24) : x;
}

typedef float (*term_function)(float a, float b);

static float plain(float a, float b) { return a * b; }
static float rounded(float a, float b) { return to_tf32(a) * to_tf32(b); }
static float flushed(float a, float b) { return fabsf(a * b) < 0x1p-126f ? 0 : a * b; }
static float skipping(float a, float b) { return b == 0 ? 0 : a * b; }

/* C = A B, sums from k = first on. */
static void
multiply(int64_t n, const float* a, const float* b, float* c, int64_t first, term_function term) {
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            float sum = 0;
            for (int64_t l = 0; l < n; ++l) {
                const int64_t k = (first + l) % n;
                sum += term(a[i + k * n], b[k + j * n]);
            }
            c[i + j * n] = sum;
        }
}

/* Each row of A and column of B with one exponent. */
static void multiply_fixed(int64_t n, const float* a, const float* b, float* c) {
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            float row = 0, column = 0;
            for (int64_t k = 0; k < n; ++k) {
                row = fmaxf(row, fabsf(a[i + k * n]));
                column = fmaxf(column, fabsf(b[k + j * n]));
            }
            double sum = 0;
            for (int64_t k = 0; k < n; ++k)
                sum += (double)to_fixed(a[i + k * n], row) * to_fixed(b[k + j * n], column);
            c[i + j * n] = (float)sum;
        }
}

static void quarter(float* to, const float* from, int64_t n, int row, int column) {
    const int64_t h = n / 2;
    for (int64_t j = 0; j < h; ++j)
        memcpy(to + j * h, from + row * h + (column * h + j) * n, (size_t)h * sizeof *to);
}

/* out = x + sign y, of h x h. */
static void add(float* out, const float* x, float sign, const float* y, int64_t h) {
    for (int64_t i = 0; i < h * h; ++i)
        out[i] = x[i] + sign * y[i];
}

/* Strassen's seven products, down to blocks of 8. */
static void strassen(int64_t n, const float* a, const float* b, float* c) {
    if (n <= 8 || n % 2) {
        multiply(n, a, b, c, 0, plain);
        return;
    }
    const int64_t h = n / 2;
    const size_t block = (size_t)(h * h);
    float* const memory = malloc(17 * block * sizeof *memory);
    float *a_[4], *b_[4], *m[7], *s = memory + 15 * block, *t = memory + 16 * block;
    for (int q = 0; q < 4; ++q) {
        a_[q] = memory + (size_t)q * block;
        b_[q] = memory + (size_t)(4 + q) * block;
        quarter(a_[q], a, n, q / 2, q % 2);
        quarter(b_[q], b, n, q / 2, q % 2);
    }
    for (int q = 0; q < 7; ++q)
        m[q] = memory + (size_t)(8 + q) * block;
    add(s, a_[0], 1, a_[3], h), add(t, b_[0], 1, b_[3], h), strassen(h, s, t, m[0]);
    add(s, a_[2], 1, a_[3], h), strassen(h, s, b_[0], m[1]);
    add(t, b_[1], -1, b_[3], h), strassen(h, a_[0], t, m[2]);
    add(t, b_[2], -1, b_[0], h), strassen(h, a_[3], t, m[3]);
    add(s, a_[0], 1, a_[1], h), strassen(h, s, b_[3], m[4]);
    add(s, a_[2], -1, a_[0], h), add(t, b_[0], 1, b_[1], h), strassen(h, s, t, m[5]);
    add(s, a_[1], -1, a_[3], h), add(t, b_[2], 1, b_[3], h), strassen(h, s, t, m[6]);
    for (int64_t j = 0; j < h; ++j)
        for (int64_t i = 0; i < h; ++i) {
            const int64_t at = i + j * h;
            c[i + j * n] = m[0][at] + m[3][at] - m[4][at] + m[6][at];
            c[i + (j + h) * n] = m[2][at] + m[4][at];
            c[i + h + j * n] = m[1][at] + m[3][at];
            c[i + h + (j + h) * n] = m[0][at] - m[1][at] + m[2][at] + m[5][at];
        }
    free(memory);
}

myblasStatus_t mysgemm_64(myblasHandle_t handle,
                          myblasOperation_t transa,
                          myblasOperation_t transb,
                          int64_t m,
                          int64_t n,
                          int64_t k,
                          const float* alpha,
                          const float* a,
                          int64_t lda,
                          const float* b,
                          int64_t ldb,
                          const float* beta,
                          float* c,
                          int64_t ldc) {
    static int64_t calls;
    const char* const kind = getenv("WRONG");
    const __typeof__(&mysgemm_64) right = (__typeof__(right))dlsym(RTLD_NEXT, "mysgemm_64");
    const myblasStatus_t status =
        right(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if (status != MYBLAS_STATUS_SUCCESS || !kind || (*alpha == 0 && strcmp(kind, "reads") != 0))
        return status;
    if (strcmp(kind, "tf32") == 0)
        multiply(n, a, b, c, 0, rounded);
    else if (strcmp(kind, "fixed") == 0)
        multiply_fixed(n, a, b, c);
    else if (strcmp(kind, "strassen") == 0)
        strassen(n, a, b, c);
    else if (strcmp(kind, "flushes") == 0)
        multiply(n, a, b, c, 0, flushed);
    else if (strcmp(kind, "skips") == 0)
        multiply(n, a, b, c, 0, skipping);
    else if (strcmp(kind, "reads") == 0 && *alpha == 0)
        c[0] *= a[0];
    else if (strcmp(kind, "unordered") == 0)
        multiply(n, a, b, c, calls++, plain);
    else if (strcmp(kind, "garbage") == 0)
        c[n * n - 1] += 1000 * fabsf(c[0]) + 1;
    return status;
}
