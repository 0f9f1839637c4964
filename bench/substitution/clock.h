// Times calls for the programs of this folder.
#pragma once

#include <time.h>

static inline double now_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Seconds of one call in the quickest of some batches. `after` ends each batch, and is not timed.
static inline double
quickest(void (*call)(void*), void (*after)(void), void* argument, int calls, int batches) {
    double shortest = 1e9;
    for (int i = 0; i < batches; ++i) {
        const double begin = now_seconds();
        for (int j = 0; j < calls; ++j)
            call(argument);
        const double elapsed = (now_seconds() - begin) / calls;
        if (after)
            after();
        if (elapsed < shortest)
            shortest = elapsed;
    }
    return shortest;
}
