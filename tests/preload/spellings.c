// spellings served|forwarded: all spellings of three routines give right results, and the program's
// BLAS has computed all of them, or none. The bytes after a 32-bit integer must not matter, and all
// 64 bits of a wide integer must.
#include "spelled_blas.h"

#include <stdio.h>
#include <string.h>

enum { n = 40, products = 3 };

// A size whose low half is positive.
#define NEGATIVE (n - (INT64_C(1) << 32))

static float a[n * n], b[n * n], c[n * n], x[n], y[n];
static int failures;

static void check(const char* spelling, const char* what, int is_right) {
    if (is_right)
        return;
    printf("%s: %s\n", spelling, what);
    ++failures;
}

// The product with the matrix that moves each row to the next place.
static void prepare(void) {
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            a[i + j * n] = i == (j + 1) % n;
            b[i + j * n] = (float)(i + 100 * j);
            c[i + j * n] = -1;
        }
        x[j] = j == 17 ? -50.0f : (float)j;
        y[j] = 1;
    }
}

static int product_is_right(void) {
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            if (c[i + j * n] != b[(i + n - 1) % n + j * n])
                return 0;
    return 1;
}

static int sum_is_right(void) {
    for (int j = 0; j < n; ++j)
        if (y[j] != 1 + 2 * x[j])
            return 0;
    return 1;
}

#define CALL_fortran(id, sgemm, isamax, saxpy, integer)                                            \
    const struct {                                                                                 \
        integer value;                                                                             \
        int behind;                                                                                \
    } extent = {n, -1}, step = {1, -1};                                                            \
    const float zero = 0, one = 1, two = 2;                                                        \
    for (int i = 0; i < products; ++i)                                                             \
        sgemm("N",                                                                                 \
              "N",                                                                                 \
              &extent.value,                                                                       \
              &extent.value,                                                                       \
              &extent.value,                                                                       \
              &one,                                                                                \
              a,                                                                                   \
              &extent.value,                                                                       \
              b,                                                                                   \
              &extent.value,                                                                       \
              &zero,                                                                               \
              c,                                                                                   \
              &extent.value,                                                                       \
              1,                                                                                   \
              1);                                                                                  \
    check(id, "isamax", isamax(&extent.value, x, &step.value) == 18);                              \
    saxpy(&extent.value, &two, x, &step.value, y, &step.value);                                    \
    const integer negative = (integer)NEGATIVE;                                                    \
    if (negative < 0)                                                                              \
        saxpy(&negative, &two, x, &step.value, y, &step.value);

#define CALL_cblas(id, sgemm, isamax, saxpy, integer)                                              \
    const integer extent = n;                                                                      \
    for (int i = 0; i < products; ++i)                                                             \
        sgemm(102, 111, 111, extent, extent, extent, 1, a, extent, b, extent, 0, c, extent);       \
    check(id, "isamax", isamax(extent, x, 1) == 17);                                               \
    saxpy(extent, 2, x, 1, y, 1);                                                                  \
    if ((integer)NEGATIVE < 0)                                                                     \
        saxpy((integer)NEGATIVE, 2, x, 1, y, 1);

#define CALL(name, id, used, integer, before, after)                                               \
    {                                                                                              \
        prepare();                                                                                 \
        const int calls_before = calls_of_blas();                                                  \
        CALL_##used(                                                                               \
            #id, before##sgemm##after, before##isamax##after, before##saxpy##after, integer)       \
            check(#id, "sgemm", product_is_right());                                               \
        check(#id, "saxpy", sum_is_right());                                                       \
        const int negative_calls = (integer)NEGATIVE < 0; /* always the BLAS's own */              \
        const int expected = negative_calls + (is_served ? 0 : products + 2);                      \
        check(#id, "who computed", calls_of_blas() - calls_before == expected);                    \
    }

int main(int argc, char** argv) {
    const int is_served = argc == 2 && strcmp(argv[1], "served") == 0;
    BLAS_SPELLINGS(CALL, )
    // Twice: the first calls resolve the functions for later ones.
    BLAS_SPELLINGS(CALL, )
    return failures > 0;
}
