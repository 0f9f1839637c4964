// Calls that compute nothing, or that only scale their result: alpha is 0, and the operands that
// are then not read are at an address without memory. OpenBLAS 0.3.21 has no sgemmtr, so the
// preload library has to end such calls itself. Status 0: all results are right.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
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
void ssymv_(const char*,
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
void saxpy_(const int*, const float*, const float*, const int*, float*, const int*);
void sger_(const int*,
           const int*,
           const float*,
           const float*,
           const int*,
           const float*,
           const int*,
           float*,
           const int*);
void ssyr_(
    const char*, const int*, const float*, const float*, const int*, float*, const int*, size_t);

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

int main(void) {
    const int order = n, step = 1;
    float y[n * n] = {2, 4, 6};
    sgemv_("N", &order, &order, &zero, nowhere, &order, nowhere, &step, &half, y, &step, 1);
    expect("sgemv", y, (const float[n * n]){1, 2, 3});
    ssymv_("U", &order, &zero, nowhere, &order, nowhere, &step, &one, y, &step, 1);
    saxpy_(&order, &zero, nowhere, &step, y, &step);
    sger_(&order, &order, &zero, nowhere, &step, nowhere, &step, y, &order);
    ssyr_("L", &order, &zero, nowhere, &step, y, &order, 1);
    expect("ssymv, saxpy, sger, ssyr", y, (const float[n * n]){1, 2, 3});
    gemmtr_function* gemmtr = NULL;
    *(void**)&gemmtr = dlsym(RTLD_DEFAULT, "sgemmtr_");
    if (gemmtr)
        test_gemmtr(gemmtr);
    return failures > 0;
}
