// blas_calls ROUTINE SIZE...: seconds of sgemm_, ssyrk_ or strsm_ for square matrices of each size.
// The function that the program is linked to and the function of the BLAS are timed in turns; under
// a preload library the two differ. The BLAS is timed twice, which shows the noise. One line of
// JSON: {size: {"program": seconds, "blas": seconds, "noise": relative difference of the BLAS to
// itself}}.
//
// blas_calls --program SIZE...: {size: seconds} of the program's sgemm_ alone, the quickest of
// some.
// blas_calls --transfer: bytes per second of copies to and from a GPU and pinned memory.
#define _GNU_SOURCE
#include "clock.h"
#include "fortran_blas.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*function_of_blas)(void);

enum { program, blas, blas_again, functions };

static float *a, *b, *c;

static void call_sgemm(function_of_blas function, int n) {
    const float one = 1, zero = 0;
    ((__typeof__(&sgemm_))function)("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, 1, 1);
}

static void call_ssyrk(function_of_blas function, int n) {
    const float one = 1, zero = 0;
    ((__typeof__(&ssyrk_))function)("L", "N", &n, &n, &one, a, &n, &zero, c, &n, 1, 1);
}

// Solves with a triangle that is almost the identity, so that repeated solutions keep their
// magnitude.
static void call_strsm(function_of_blas function, int n) {
    const float one = 1;
    ((__typeof__(&strsm_))function)("L", "L", "N", "U", &n, &n, &one, a, &n, c, &n, 1, 1, 1, 1);
}

static const struct routine {
    const char *name, *symbol;
    function_of_blas linked;
    void (*call)(function_of_blas, int n);
    float scale; // of the first operand
} routines[] = {
    {"sgemm", "sgemm_", (function_of_blas)sgemm_, call_sgemm, 1},
    {"ssyrk", "ssyrk_", (function_of_blas)ssyrk_, call_ssyrk, 1},
    {"strsm", "strsm_", (function_of_blas)strsm_, call_strsm, 1e-6f},
};

static const struct routine* routine = routines;

static double seconds_of(function_of_blas function, int n, int calls) {
    const double begin = now_seconds();
    for (int i = 0; i < calls; ++i)
        routine->call(function, n);
    return (now_seconds() - begin) / calls;
}

static int compare(const void* left, const void* right) {
    const double difference = *(const double*)left - *(const double*)right;
    return (difference > 0) - (difference < 0);
}

// Times batches of the functions in turns. The result for each function is the median of its
// batches. A batch begins with a call that is not timed, because threads of the function before may
// still be busy.
static void measure(const function_of_blas function[functions], int n, double seconds[functions]) {
    enum { most_batches = 301 };
    static double times[functions][most_batches];
    const double batch_seconds = 3e-5, all_seconds = 2e-2, long_call = 0.04;
    // Warms up: a GPU starts, and the clock of the processor rises.
    for (int i = 0; i < 3; ++i)
        seconds_of(function[program], n, 1);
    double once = seconds_of(function[blas], n, 1);
    if (once > long_call) {
        seconds[blas] = seconds[blas_again] = once;
        seconds[program] = seconds_of(function[program], n, 1);
        return;
    }
    once = seconds_of(function[blas], n, 1);
    const int calls = once > batch_seconds ? 1 : (int)(batch_seconds / once) + 1;
    const int wanted = (int)(all_seconds / (once * calls));
    const int batches = wanted < 7 ? 7 : wanted > most_batches ? most_batches : wanted;
    for (int i = 0; i < batches; ++i)
        for (int f = 0; f < functions; ++f) {
            seconds_of(function[f], n, 1);
            times[f][i] = seconds_of(function[f], n, calls);
        }
    for (int f = 0; f < functions; ++f) {
        qsort(times[f], (size_t)batches, sizeof times[f][0], compare);
        seconds[f] = times[f][batches / 2];
    }
}

static float* random_floats(size_t count, uint32_t state, float scale) {
    float* values = malloc(count * sizeof *values);
    if (!values)
        exit(1);
    for (size_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        values[i] = ((float)(state >> 8) / (1 << 23) - 1) * scale;
    }
    return values;
}

// Bytes per second of the best of a few copies of 256 MiB each way.
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

static double quickest_of_program(int n) {
    enum { calls = 7 };
    double least = 1e9;
    for (int i = 0; i < calls; ++i) {
        const double seconds = seconds_of(routine->linked, n, 1);
        least = seconds < least ? seconds : least;
    }
    return least;
}

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "--transfer") == 0)
        return measure_transfer();
    const int program_alone = argc > 1 && strcmp(argv[1], "--program") == 0;
    if (!program_alone) {
        const struct routine* const end = routines + sizeof routines / sizeof *routines;
        while (routine < end && (argc < 2 || strcmp(argv[1], routine->name) != 0))
            ++routine;
        if (routine == end)
            return 2;
    }
    // The library that this program is linked to, even if another one also defines its functions.
    void* library = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_NOLOAD);
    function_of_blas function[functions] = {routine->linked};
    if (library)
        *(void**)&function[blas] = dlsym(library, routine->symbol);
    if (!function[blas])
        return 1;
    function[blas_again] = function[blas];
    const int first = 2;
    int largest = 0;
    for (int i = first; i < argc; ++i)
        largest = atoi(argv[i]) > largest ? atoi(argv[i]) : largest;
    const size_t count = (size_t)largest * (size_t)largest;
    a = random_floats(count, 1, routine->scale);
    b = random_floats(count, 2, 1);
    c = random_floats(count, 3, 1);
    for (int i = first; i < argc; ++i) {
        const int n = atoi(argv[i]);
        double seconds[functions];
        printf("%s\"%s\": ", i > first ? ", " : "{", argv[i]);
        if (program_alone) {
            printf("%.5g", quickest_of_program(n));
        } else {
            measure(function, n, seconds);
            printf("{\"program\": %.5g, \"blas\": %.5g, \"noise\": %.4f}",
                   seconds[program],
                   seconds[blas],
                   seconds[blas_again] / seconds[blas] - 1);
        }
    }
    puts("}");
    return 0;
}
