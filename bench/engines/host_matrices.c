// host_matrices N ROUTINE... [N ROUTINE...]...: seconds of sgemm_, ssyrk_ or strsm_ (ROUTINE has no
// underscore) for matrices of order N in host memory, by the BLAS that the program is linked to, or
// by a preload library.
//
// A line "RESULT {...}" of JSON for each routine: the first call, which may start a GPU, and the
// best of all. The result X is checked in double precision by X v, with a random vector v, which
// finds any wrong element; errors are relative to the norm of X v, and to its root mean square.
#include "../substitution/clock.h"
#include "../substitution/fortran_blas.h"
#include "verified.h"

#include <stdbool.h>
#include <string.h>

enum { least_calls = 6, seed_of_a = 1, seed_of_b = 2, seed_of_c = 3 };
// Seconds of calls, at least and at most: all GPUs but one are opened beside the first calls.
static const double least_seconds = 1, most_seconds = 6;

static int n;
static float *a, *b, *c;

static void fill(float* matrix, uint64_t seed) {
#pragma omp parallel for
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            matrix[(size_t)j * n + i] = hashed(i, j, seed);
}

// A lower triangle whose inverse has small elements. Above it NaN: nothing may read it.
static void fill_triangle(float* matrix) {
    const float scale = 1 / sqrtf(n);
#pragma omp parallel for
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            matrix[(size_t)j * n + i] = i < j ? NAN : i == j ? 2 : scale * hashed(i, j, seed_of_a);
}

enum form { full, transposed, lower, symmetric }; // symmetric: its lower triangle is there

// y = op(matrix) x in double precision.
static double* multiply(enum form form, const float* matrix, const double* x) {
    double* y = zeros(n);
#pragma omp parallel
    {
        double* sums = zeros(n);
#pragma omp for schedule(dynamic, 16)
        for (int j = 0; j < n; ++j) {
            const float* column = matrix + (size_t)j * n;
            double dot = 0;
            if (form == full || form == lower)
                for (int i = form == full ? 0 : j; i < n; ++i)
                    sums[i] += column[i] * x[j];
            else
                for (int i = form == transposed ? 0 : j; i < n; ++i)
                    dot += column[i] * x[i];
            if (form == symmetric)
                for (int i = j + 1; i < n; ++i)
                    sums[i] += column[i] * x[j];
            sums[j] += dot;
        }
#pragma omp critical
        for (int i = 0; i < n; ++i)
            y[i] += sums[i];
        free(sums);
    }
    return y;
}

// y = outer(inner x)
static double* multiply_twice(enum form outer,
                              const float* outer_matrix,
                              enum form inner,
                              const float* inner_matrix,
                              const double* x) {
    double* between = multiply(inner, inner_matrix, x);
    double* y = multiply(outer, outer_matrix, between);
    free(between);
    return y;
}

static void call_sgemm(void) {
    const float one = 1, zero = 0;
    sgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, 1, 1);
}

static void call_ssyrk(void) {
    const float one = 1, zero = 0;
    ssyrk_("L", "N", &n, &n, &one, a, &n, &zero, c, &n, 1, 1);
}

static void call_strsm(void) {
    const float one = 1;
    strsm_("L", "L", "N", "N", &n, &n, &one, a, &n, c, &n, 1, 1, 1, 1);
}

static struct difference verify_sgemm(const double* x) {
    double* wanted = multiply_twice(full, a, full, b, x);
    double* got = multiply(full, c, x);
    const struct difference difference = compare(got, wanted, n);
    free(wanted);
    free(got);
    return difference;
}

static struct difference verify_ssyrk(const double* x) {
    double* wanted = multiply_twice(full, a, transposed, a, x);
    double* got = multiply(symmetric, c, x);
    struct difference difference = compare(got, wanted, n);
    for (int j = 1; j < n; ++j) // the upper triangle is as it was
        for (int i = 0; i < j; i += 1 + j / 8)
            if (c[(size_t)j * n + i] != hashed(i, j, seed_of_c))
                difference.largest = INFINITY;
    free(wanted);
    free(got);
    return difference;
}

static struct difference verify_strsm(const double* x) {
    double* got = multiply_twice(lower, a, full, c, x);
    fill(c, seed_of_c);
    double* wanted = multiply(full, c, x);
    const struct difference difference = compare(got, wanted, n);
    free(wanted);
    free(got);
    return difference;
}

static const struct routine {
    const char* name;
    double flop; // divided by n^3
    bool solves; // C with the triangle A
    void (*call)(void);
    struct difference (*verify)(const double* x);
} routines[] = {
    {"sgemm", 2, false, call_sgemm, verify_sgemm},
    {"ssyrk", 1, false, call_ssyrk, verify_ssyrk},
    {"strsm", 1, true, call_strsm, verify_strsm},
};

static void measure(const struct routine* routine, const double* x) {
    if (routine->solves)
        fill_triangle(a);
    else
        fill(a, seed_of_a);
    if (strcmp(routine->name, "sgemm") == 0)
        fill(b, seed_of_b);
    fill(c, seed_of_c);
    double first = 0, best = INFINITY, all = 0;
    int calls = 0;
    while (calls == 0 ||
           (all < most_seconds && (calls < least_calls || all - first < least_seconds))) {
        if (routine->solves && calls > 0)
            fill(c, seed_of_c);
        const double begin = now_seconds();
        routine->call();
        const double seconds = now_seconds() - begin;
        if (calls++ == 0)
            first = seconds;
        all += seconds;
        best = fmin(best, seconds);
    }
    const struct difference difference = routine->verify(x);
    const double flop = routine->flop * n * n * n;
    printf("RESULT {\"work\": \"%s_\", \"n\": %d, ", routine->name, n);
    print_measured(first, best, calls, flop, difference);
}

// Matrices and the vector x, of order n.
static double* allocate_all(void) {
    const size_t bytes = (size_t)n * n * sizeof *a;
    a = allocate(bytes);
    b = allocate(bytes);
    c = allocate(bytes);
    double* x = allocate(n * sizeof *x);
    for (int i = 0; i < n; ++i)
        x[i] = probe(i);
    return x;
}

static void free_all(double* x) {
    free(a);
    free(b);
    free(c);
    free(x);
}

static const struct routine* routine_of(const char* name) {
    for (size_t r = 0; r < sizeof routines / sizeof *routines; ++r)
        if (strcmp(routines[r].name, name) == 0)
            return &routines[r];
    return NULL;
}

static int usage(const char* program) {
    fprintf(stderr, "usage: %s N sgemm|ssyrk|strsm... [N ...]...\n", program);
    return 2;
}

int main(int argc, char** argv) {
    double* x = NULL;
    for (int i = 1; i < argc; ++i) {
        const struct routine* routine = routine_of(argv[i]);
        const int order = atoi(argv[i]);
        if (routine ? !x : order < 1)
            return usage(argv[0]);
        if (routine) {
            measure(routine, x);
        } else {
            free_all(x);
            n = order;
            x = allocate_all();
        }
    }
    if (!x)
        return usage(argv[0]);
    free_all(x);
    return 0;
}
