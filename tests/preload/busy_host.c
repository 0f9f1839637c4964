// Multiplies until the host has been busy long enough to be worth starting a GPU, and once more.
#include "sgemm.h"

#include <time.h>

enum { n = 400 };
static float a[n * n], b[n * n], c[n * n];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void) {
    const int extent = n;
    const float one = 1, zero = 0;
    const double end = now() + 0.7;
    for (int is_last = 0;
         !is_last;) { // the last call comes after all that time, however long each takes
        is_last = now() >= end;
        sgemm_("N",
               "N",
               &extent,
               &extent,
               &extent,
               &one,
               a,
               &extent,
               b,
               &extent,
               &zero,
               c,
               &extent,
               1,
               1);
    }
    return 0;
}
