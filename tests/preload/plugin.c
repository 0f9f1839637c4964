// Calls a BLAS, as a library that a program may load (host.c). With PLUGIN_INT=int64_t it is linked
// to a BLAS with 64-bit integers.
#include <stddef.h>
#include <stdint.h>

#ifndef PLUGIN_INT
#define PLUGIN_INT int
#endif
typedef PLUGIN_INT size;

void sgemm_(const char*,
            const char*,
            const size*,
            const size*,
            const size*,
            const float*,
            const float*,
            const size*,
            const float*,
            const size*,
            const float*,
            float*,
            const size*,
            size_t,
            size_t);
void cblas_sgemm(int,
                 int,
                 int,
                 size,
                 size,
                 size,
                 float,
                 const float*,
                 size,
                 const float*,
                 size,
                 float,
                 float*,
                 size);
void saxpy_(const size*, const float*, const float*, const size*, float*, const size*);
void cblas_somatcopy(int, int, size, size, float, const float*, size, float*, size);

enum { row_major = 101, no_trans = 111, trans = 112, n = 48 };

static float a[n * n], b[n * n], c[n * n];

// The product with the matrix that moves each row to the next place.
static int is_right(void) {
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            if (c[i + j * n] != b[(i + n - 1) % n + j * n])
                return 0;
    return 1;
}

static void prepare(void) {
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            a[i + j * n] = i == (j + 1) % n;
            b[i + j * n] = (float)(i + 100 * j);
            c[i + j * n] = -1;
        }
}

// 1: all results are right.
int plugin_product(void) {
    const size extent = n;
    const float one = 1, zero = 0;
    prepare();
    sgemm_(
        "N", "N", &extent, &extent, &extent, &one, a, &extent, b, &extent, &zero, c, &extent, 1, 1);
    const int fortran_is_right = is_right();
    prepare();
    // Row-major: the product of the transposes in reverse order.
    cblas_sgemm(row_major,
                no_trans,
                no_trans,
                extent,
                extent,
                extent,
                1,
                b,
                extent,
                a,
                extent,
                0,
                c,
                extent);
    return fortran_is_right && is_right();
}

int plugin_vectors(void) {
    const size extent = n, step = 1;
    const float two = 2;
    prepare();
    saxpy_(&extent, &two, b, &step, c, &step);
    for (int i = 0; i < n; ++i)
        if (c[i] != 2 * b[i] - 1)
            return 0;
    return 1;
}

// A routine that the reference BLAS does not have.
int plugin_matcopy(void) {
    prepare();
    cblas_somatcopy(row_major, trans, n, n, 2, b, n, c, n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            if (c[i + j * n] != 2 * b[j + i * n])
                return 0;
    return 1;
}

// A leading dimension that is too small by rows, but not by columns.
int plugin_error(void) {
    cblas_sgemm(row_major, no_trans, no_trans, 2, 4, 2, 1, a, 2, b, 2, 0, c, 4);
    return 1;
}
