// Two products of matrices that are larger than the stand-in GPUs' memory. The second product
// starts all GPUs. Status 0: both are right.
#include "sgemm.h"

enum { n = 2000 };
static float a[n * n], b[n * n], c[n * n];

int main(void) {
    const int extent = n;
    const float one = 1, zero = 0;
    for (int i = 0; i < n * n; ++i) {
        a[i] = 1;
        b[i] = (float)(i / n % 7); // of one column
    }
    for (int call = 0; call < 2; ++call) {
        for (int i = 0; i < n * n; ++i)
            c[i] = -1;
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
        for (int i = 0; i < n * n; ++i)
            if (c[i] != (float)(n * (i / n % 7)))
                return 1;
    }
    return 0;
}
