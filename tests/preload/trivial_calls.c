// Calls that compute nothing, or that only scale their result: alpha is 0, and the operands that
// are then not read are at an address without memory. OpenBLAS 0.3.21 has neither sgemmtr nor names
// that end in _64_, so the preload library has to end such calls itself. Status 0: all results are
// right.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

typedef void gemmtr_function(const char*,
                             const char*,
                             const char*,
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
                             size_t,
                             size_t,
                             size_t);
// Sizes are int, or int64_t in functions whose names end in _64_.
typedef void gemv_function(const char*,
                           const void*,
                           const void*,
                           const float*,
                           const float*,
                           const void*,
                           const float*,
                           const void*,
                           const float*,
                           float*,
                           const void*,
                           size_t);
typedef void symv_function(const char*,
                           const void*,
                           const float*,
                           const float*,
                           const void*,
                           const float*,
                           const void*,
                           const float*,
                           float*,
                           const void*,
                           size_t);
typedef void
axpy_function(const void*, const float*, const float*, const void*, float*, const void*);
typedef void ger_function(const void*,
                          const void*,
                          const float*,
                          const float*,
                          const void*,
                          const float*,
                          const void*,
                          float*,
                          const void*);
typedef void syr_function(
    const char*, const void*, const float*, const float*, const void*, float*, const void*, size_t);

enum { n = 3 };
static const float *const nowhere = (const float*)8, zero = 0, one = 1, half = 0.5F;
static int failures;

static void expect(const char* call, const float* found, const float* expected) {
    for (int i = 0; i < n * n; ++i)
        if (found[i] != expected[i]) {
            printf("%s: element %d is %g, not %g\n", call, i, found[i], expected[i]);
            ++failures;
            return;
        }
}

static void test_gemmtr(gemmtr_function* gemmtr) {
    const int order = n, none = 0, least = 1;
    const float scaled[] = {1, 2, 2, 2, 1, 2, 2, 2, 1}; // the lower triangle keeps its 2
    for (int i = 0; i < 2; ++i) {
        float c[] = {2, 2, 2, 4, 2, 2, 4, 4, 2};
        if (i == 0) // k is 0
            gemmtr("U",
                   "N",
                   "N",
                   &order,
                   &none,
                   &one,
                   nowhere,
                   &order,
                   nowhere,
                   &least,
                   &half,
                   c,
                   &order,
                   1,
                   1,
                   1);
        else
            gemmtr("U",
                   "N",
                   "N",
                   &order,
                   &order,
                   &zero,
                   nowhere,
                   &order,
                   nowhere,
                   &order,
                   &half,
                   c,
                   &order,
                   1,
                   1,
                   1);
        expect("sgemmtr", c, scaled);
    }
    float c[] = {NAN, NAN, NAN, 5, NAN, NAN, 5, 5, NAN};
    const float cleared[] = {0, 0, 0, 5, 0, 0, 5, 5, 0};
    gemmtr("L",
           "N",
           "T",
           &order,
           &none,
           &one,
           nowhere,
           &order,
           nowhere,
           &order,
           &zero,
           c,
           &order,
           1,
           1,
           1);
    expect("sgemmtr, lower", c, cleared);
    gemmtr("U",
           "N",
           "N",
           &none,
           &order,
           &one,
           nowhere,
           &least,
           nowhere,
           &order,
           &half,
           c,
           &least,
           1,
           1,
           1);
    expect("sgemmtr of order 0", c, cleared);
}

static void (*find(const char* name, const char* ending))(void) {
    char whole[32];
    snprintf(whole, sizeof whole, "%s%s", name, ending);
    void (*found)(void) = NULL;
    *(void**)&found = dlsym(RTLD_DEFAULT, whole);
    return found;
}

// The lower half of a size is an int.
static void test_vectors(const char* ending) {
    gemv_function* const gemv = (gemv_function*)find("sgemv", ending);
    symv_function* const symv = (symv_function*)find("ssymv", ending);
    axpy_function* const axpy = (axpy_function*)find("saxpy", ending);
    ger_function* const ger = (ger_function*)find("sger", ending);
    syr_function* const syr = (syr_function*)find("ssyr", ending);
    if (!gemv || !symv || !axpy || !ger || !syr)
        return;
    const int64_t order = n, step = 1, back = -1;
    float y[n * n] = {2, 4, 6};
    gemv("N", &order, &order, &zero, nowhere, &order, nowhere, &step, &half, y, &back, 1);
    expect("sgemv", y, (const float[n * n]){1, 2, 3});
    symv("U", &order, &zero, nowhere, &order, nowhere, &step, &one, y, &step, 1);
    axpy(&order, &zero, nowhere, &step, y, &step);
    ger(&order, &order, &zero, nowhere, &step, nowhere, &step, y, &order);
    syr("L", &order, &zero, nowhere, &step, y, &order, 1);
    expect("ssymv, saxpy, sger, ssyr", y, (const float[n * n]){1, 2, 3});
    y[1] = NAN;
    symv("U", &order, &zero, nowhere, &order, nowhere, &step, &zero, y, &step, 1);
    expect("ssymv without beta", y, (const float[n * n]){0});
}

int main(void) {
    test_vectors("_");
    test_vectors("_64_");
    gemmtr_function* const gemmtr = (gemmtr_function*)find("sgemmtr", "_");
    if (gemmtr)
        test_gemmtr(gemmtr);
    return failures > 0;
}
