// blas_sample COMMAND: a program for the CPU with products that are worth a GPU, which knows
// nothing of myblas. It checks its results against double precision. Commands:
//   products   several products in different forms and sizes, by both interfaces
//   one        a single large product
//   huge       a product that is worth starting a GPU for
//   threads    products from two threads at once
//   fork       a product, and another one by a child
//   full       a huge product when the memory of the GPU is full; status 77: there is no GPU
//   filled     a small product, then a large one after the memory has been filled
// Status 0: all results were right.
#define _GNU_SOURCE
#include "sgemm.h"

#include <cblas.h>
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    bool by_rows; // through CBLAS, else Fortran
    bool ta, tb;
    int m, n, k, padding;
    float alpha, beta;
} product;

static float* random_floats(size_t count, uint32_t state) {
    float* values = malloc(count * sizeof *values);
    for (size_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        values[i] = (float)(state >> 8) / (1 << 23) - 1;
    }
    return values;
}

// Element (i, j) of op(X), stored by columns, or by rows if the product is.
static double element(const float* x, bool transposed, int ld, int i, int j) {
    return transposed ? x[j + (size_t)i * ld] : x[i + (size_t)j * ld];
}

static bool is_right(product p) {
    const int lda = (p.by_rows != p.ta ? p.k : p.m) + p.padding;
    const int ldb = (p.by_rows != p.tb ? p.n : p.k) + p.padding;
    const int ldc = (p.by_rows ? p.n : p.m) + p.padding;
    const size_t count_a = (size_t)lda * (p.by_rows != p.ta ? p.m : p.k);
    const size_t count_b = (size_t)ldb * (p.by_rows != p.tb ? p.k : p.n);
    const size_t count_c = (size_t)ldc * (p.by_rows ? p.m : p.n);
    float* a = random_floats(count_a, 1);
    float* b = random_floats(count_b, 2);
    float* c = random_floats(count_c, 3);
    float* before = random_floats(count_c, 3);
    if (p.by_rows)
        cblas_sgemm(CblasRowMajor,
                    p.ta ? CblasTrans : CblasNoTrans,
                    p.tb ? CblasTrans : CblasNoTrans,
                    p.m,
                    p.n,
                    p.k,
                    p.alpha,
                    a,
                    lda,
                    b,
                    ldb,
                    p.beta,
                    c,
                    ldc);
    else
        sgemm_(p.ta ? "T" : "N",
               p.tb ? "T" : "N",
               &p.m,
               &p.n,
               &p.k,
               &p.alpha,
               a,
               &lda,
               b,
               &ldb,
               &p.beta,
               c,
               &ldc,
               1,
               1);
    // Checks elements of every tile of 64 x 64, and the last column; padding must not change.
    bool right = true;
    const int inner_c = p.by_rows ? p.n : p.m;
    for (size_t at = 0; at < count_c; ++at)
        if (at % ldc >= (size_t)inner_c)
            right = right && c[at] == before[at];
    for (int j = 0; j < p.n; j = j + 61 < p.n || j == p.n - 1 ? j + 61 : p.n - 1)
        for (int i = j % 7; i < p.m; i += 59) {
            double sum = 0, magnitude = 0;
            for (int l = 0; l < p.k; ++l) {
                const double term = element(a, p.by_rows != p.ta, lda, i, l) *
                                    element(b, p.by_rows != p.tb, ldb, l, j);
                sum += term;
                magnitude += fabs(term);
            }
            const double old = p.beta * element(before, p.by_rows, ldc, i, j);
            const double bound =
                (p.k + 3) * (FLT_EPSILON / 2) * (fabs(p.alpha) * magnitude + fabs(old));
            right =
                right && fabs(element(c, p.by_rows, ldc, i, j) - (p.alpha * sum + old)) <= bound;
        }
    free(a);
    free(b);
    free(c);
    free(before);
    return right;
}

static const product large = {false, false, false, 3000, 2500, 2800, 0, 1, 0};

static bool products(void) {
    bool right = true;
    for (int form = 0; form < 8; ++form) {
        const product p = {
            form & 4, form & 1, form & 2, 2111, 1909, 1777, form % 3, 1.5f, form & 1 ? -0.5f : 0};
        right = is_right(p) && right;
    }
    const product others[] = {{false, false, false, 1, 1, 1, 0, 1, 1},
                              {true, true, false, 100, 90, 80, 3, 2, 0},
                              {false, false, true, 10007, 257, 2049, 5, 1, 1},
                              {true, false, false, 33, 12000, 4000, 0, -1, 0.5f},
                              {true, false, false, 6500, 6400, 640, 1, 1, 0}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
        right = is_right(others[i]) && right;
    return right;
}

static bool one(void) { return is_right(large); }

static bool huge(void) {
    const product p = {false, false, false, 8001, 7000, 4500, 0, 1, 0};
    return is_right(p);
}

static void* run_thread(void* right) {
    *(bool*)right = one() && one();
    return NULL;
}

static bool threads(void) {
    pthread_t other;
    bool right = false;
    if (pthread_create(&other, NULL, run_thread, &right) != 0)
        return false;
    const bool own = one() && one();
    pthread_join(other, NULL);
    return own && right;
}

static bool forked(void) {
    if (!one())
        return false;
    const pid_t child = fork();
    if (child == 0)
        _exit(!one());
    int status = -1;
    waitpid(child, &status, 0);
    return child > 0 && status == 0 && one();
}

// With the driver's own functions: this program knows nothing of CUDA.
static void fill_memory(void) {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver)
        exit(77);
    int (*initialise)(unsigned), (*retain)(void**, int), (*set_current)(void*);
    int (*allocate)(uintptr_t*, size_t);
    *(void**)&initialise = dlsym(driver, "cuInit");
    *(void**)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
    *(void**)&set_current = dlsym(driver, "cuCtxSetCurrent");
    *(void**)&allocate = dlsym(driver, "cuMemAlloc_v2");
    void* context;
    uintptr_t piece;
    if (initialise(0) != 0 || retain(&context, 0) != 0 || set_current(context) != 0)
        exit(77);
    for (size_t bytes = (size_t)1 << 34; bytes >= 1024; bytes /= 2)
        while (allocate(&piece, bytes) == 0) {
        }
}

static bool full(void) {
    fill_memory();
    return huge();
}

static bool filled(void) {
    const product small = {false, false, false, 100, 90, 80, 0, 1, 0};
    const bool right = is_right(small);
    fill_memory();
    return one() && right;
}

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        bool (*command)(void);
    } commands[] = {{"products", products},
                    {"one", one},
                    {"huge", huge},
                    {"threads", threads},
                    {"fork", forked},
                    {"full", full},
                    {"filled", filled}};
    for (size_t i = 0; argc == 2 && i < sizeof commands / sizeof commands[0]; ++i)
        if (strcmp(argv[1], commands[i].name) == 0)
            return !commands[i].command();
    return 2;
}
