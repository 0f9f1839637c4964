// blas_calls SIZE...: seconds of the program's sgemm_ with square matrices, for each size; the quickest
// call counts. With --transfer: what the copies of its operands and its result would take at least, from
// and to pinned memory. One line of JSON.
#define _GNU_SOURCE
#include "clock.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sgemm_(const char*,
            const char*,
            const int*,
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
            size_t);

static float *a, *b, *c;

static void multiply(void* size) {
    const int n = *(int*)size;
    const float one = 1, zero = 0;
    sgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, 1, 1);
}

static float* random_floats(size_t count, uint32_t state) {
    float* values = malloc(count * sizeof *values);
    if (!values)
        exit(1);
    for (size_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        values[i] = (float)(state >> 8) / (1 << 23) - 1;
    }
    return values;
}

static double measure(int n) {
    const double flops = 2.0 * n * n * n;
    // The first one that takes long may be what has a GPU started, and the next one wait for that.
    multiply(&n);
    if (flops < 2e11)
        multiply(&n);
    // About 20 ms, in batches that are long enough to be timed.
    const double once = quickest(multiply, NULL, &n, 1, flops < 1e8 ? 20 : 1);
    if (once > 0.5)
        return once;
    const int calls = once > 2e-5 ? 1 : (int)(2e-5 / once) + 1;
    const int batches = (int)(2e-2 / (once * calls));
    return quickest(multiply, NULL, &n, calls, batches < 3 ? 3 : batches);
}

// Bytes per second of the better of a few copies of 256 MiB each way.
static int measure_transfer(void) {
    enum { copies = 4 };
    const size_t bytes = (size_t)256 << 20;
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver)
        return 1;
    int (*initialise)(unsigned), (*retain)(void**, int), (*set_current)(void*);
    int (*allocate)(uintptr_t*, size_t), (*allocate_host)(void**, size_t, unsigned);
    int (*to_device)(uintptr_t, const void*, size_t), (*to_host)(void*, uintptr_t, size_t);
    *(void**)&initialise = dlsym(driver, "cuInit");
    *(void**)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
    *(void**)&set_current = dlsym(driver, "cuCtxSetCurrent");
    *(void**)&allocate = dlsym(driver, "cuMemAlloc_v2");
    *(void**)&allocate_host = dlsym(driver, "cuMemHostAlloc");
    *(void**)&to_device = dlsym(driver, "cuMemcpyHtoD_v2");
    *(void**)&to_host = dlsym(driver, "cuMemcpyDtoH_v2");
    void *context, *pinned;
    uintptr_t memory;
    if (initialise(0) != 0 || retain(&context, 0) != 0 || set_current(context) != 0 ||
        allocate(&memory, bytes) != 0 || allocate_host(&pinned, bytes, 0) != 0)
        return 1;
    memset(pinned, 0, bytes);
    double up = 1e9, down = 1e9;
    for (int i = 0; i < copies; ++i) {
        const double begin = now_seconds();
        to_device(memory, pinned, bytes);
        const double middle = now_seconds();
        to_host(pinned, memory, bytes);
        const double end = now_seconds();
        up = middle - begin < up ? middle - begin : up;
        down = end - middle < down ? end - middle : down;
    }
    printf("{\"to_device\": %.4g, \"to_host\": %.4g}\n", (double)bytes / up, (double)bytes / down);
    return 0;
}

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "--transfer") == 0)
        return measure_transfer();
    int largest = 0;
    for (int i = 1; i < argc; ++i)
        largest = atoi(argv[i]) > largest ? atoi(argv[i]) : largest;
    const size_t count = (size_t)largest * (size_t)largest;
    a = random_floats(count, 1);
    b = random_floats(count, 2);
    c = random_floats(count, 3);
    for (int i = 1; i < argc; ++i)
        printf("%s\"%s\": %.5g", i > 1 ? ", " : "{", argv[i], measure(atoi(argv[i])));
    puts("}");
    return 0;
}
