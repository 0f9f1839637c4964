/*
 * Ranks the kernels of a product on this machine: each is forced, timed and compared with the
 * library's own choice.
 *
 *     cc rank_kernels.c -o rank_kernels $(pkg-config --cflags --libs myblas) -lm
 *     ./rank_kernels 4096
 *
 * The argument is m = n = k. All math modes take part, so the list shows what accuracy costs.
 */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <myblas/myblas.h>
#include <myblas/myblas_kernels.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { max_kernels = 256 };

static const double least_seconds = 0.02; /* of timing a kernel */

struct entry {
    const char *name, *mode;
    double seconds,
        error; /* of a call; the largest difference from the choice, by the largest element */
};

static void check(myblasStatus_t status, const char* what) {
    if (status != MYBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "%s: %s\n", what, myblasGetStatusString(status));
        exit(EXIT_FAILURE);
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_time(const void* a, const void* b) {
    const double x = ((const struct entry*)a)->seconds, y = ((const struct entry*)b)->seconds;
    return (x > y) - (x < y);
}

static myblasHandle_t handle;
static int n;
static float *a, *b, *c; /* on the device */

static myblasStatus_t multiply(void) {
    const float one = 1, zero = 0;
    return mysgemm(handle, MYBLAS_OP_N, MYBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
}

/* Seconds of a call: more and more calls, until they take long enough to be timed. */
static double time_call(void) {
    for (int calls = 1;; calls *= 2) {
        const double begin = now();
        for (int i = 0; i < calls; ++i)
            check(multiply(), "mysgemm");
        check(myblasStreamSynchronize(handle, NULL), "myblasStreamSynchronize");
        const double seconds = now() - begin;
        if (seconds >= least_seconds)
            return seconds / calls;
    }
}

static float* on_device(const float* values) {
    void* memory;
    check(myblasMalloc(handle, &memory, (size_t)n * n * sizeof *values), "myblasMalloc");
    check(myblasSetMatrix(handle, n, n, sizeof *values, values, n, memory, n), "myblasSetMatrix");
    return memory;
}

int main(int argc, char* argv[]) {
    static struct entry entries[max_kernels];
    static const char* const modes[] = {"strict", "emulated", "fast"};
    int count = 0, ranked = 0;
    const char* chosen = NULL;
    myblasBackend_t backend;

    n = argc > 1 ? atoi(argv[1]) : 1024;
    if (n < 1 || n > 20000) {
        fprintf(stderr, "usage: rank_kernels [SIZE], 1 to 20000\n");
        return 2;
    }
    float *values = malloc((size_t)n * n * sizeof *values),
          *result = malloc((size_t)n * n * sizeof *result);
    if (!values || !result)
        return EXIT_FAILURE;
    for (size_t i = 0; i < (size_t)n * n; ++i)
        values[i] = (float)(i * 2654435761u % 2001) / 1000 - 1;

    check(myblasCreate(&handle), "myblasCreate");
    check(myblasGetBackend(handle, &backend), "myblasGetBackend");
    a = on_device(values);
    b = on_device(values);
    c = on_device(values);

    /* The choice, in the strict mode, is what the others are compared with. */
    check(multiply(), "mysgemm");
    check(myblasGetMatrix(handle, n, n, sizeof *values, c, n, values, n), "myblasGetMatrix");
    check(myblasGetLastKernel(handle, MYBLAS_ROUTINE_SGEMM, &chosen), "myblasGetLastKernel");
    float largest = 0;
    for (size_t i = 0; i < (size_t)n * n; ++i)
        largest = fmaxf(largest, fabsf(values[i]));

    check(myblasSetMathMode(handle, MYBLAS_FP32_FAST_MATH),
          "myblasSetMathMode"); /* accepts every kernel */
    check(myblasGetKernelCount(backend, MYBLAS_ROUTINE_SGEMM, &count), "myblasGetKernelCount");
    for (int i = 0; i < count && ranked < max_kernels; ++i) {
        myblasKernelInfo_t info = {.size_bytes = sizeof info};
        check(myblasGetKernelInfo(backend, MYBLAS_ROUTINE_SGEMM, i, &info), "myblasGetKernelInfo");
        check(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, info.name), "myblasForceKernel");
        const myblasStatus_t status = multiply();
        if (status ==
            MYBLAS_STATUS_NOT_SUPPORTED) /* it does not accept this product, or this device */
            continue;
        check(status, info.name);
        struct entry* entry = &entries[ranked++];
        *entry = (struct entry){info.name, modes[info.math_mode], time_call(), 0};
        check(myblasGetMatrix(handle, n, n, sizeof *result, c, n, result, n), "myblasGetMatrix");
        for (size_t j = 0; j < (size_t)n * n; ++j)
            entry->error = fmax(entry->error, fabs(result[j] - values[j]) / largest);
    }
    qsort(entries, (size_t)ranked, sizeof *entries, by_time);

    printf("%4s  %-30s %-9s %12s %10s %8s  %s\n",
           "",
           "kernel",
           "mode",
           "us",
           "GFLOP/s",
           "times",
           "difference");
    int is_right = ranked > 0;
    for (int i = 0; i < ranked; ++i) {
        const struct entry e = entries[i];
        printf("%4d  %-30s %-9s %12.1f %10.1f %8.2f  %.1e%s\n",
               i + 1,
               e.name,
               e.mode,
               1e6 * e.seconds,
               2e-9 * n * n * n / e.seconds,
               e.seconds / entries[0].seconds,
               e.error,
               e.name == chosen ? "  <- the choice in strict mode" : "");
        is_right = is_right && e.error <= 1e-6 * (n + 4);
    }

    check(myblasFree(handle, a), "myblasFree");
    check(myblasFree(handle, b), "myblasFree");
    check(myblasFree(handle, c), "myblasFree");
    check(myblasDestroy(handle), "myblasDestroy");
    free(values);
    free(result);
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
