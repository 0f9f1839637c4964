// A program whose xerbla_ does not return, as in programs that raise an error: two products, one
// with a wrong argument, and four more.
#include "sgemm.h"

#include <setjmp.h>
#include <stddef.h>

void xerbla_(const char* routine, const int* argument, size_t length);

static jmp_buf way_out;

void xerbla_(const char* routine, const int* argument, size_t length) {
    (void)routine, (void)argument, (void)length;
    longjmp(way_out, 1);
}

enum { size = 64 };
static float a[size * size], b[size * size], c[size * size];

static void multiply(int lda) {
    const int n = size;
    const float one = 1, zero = 0;
    sgemm_("N", "N", &n, &n, &n, &one, a, &lda, b, &n, &zero, c, &n, 1, 1);
}

int main(void) {
    multiply(size);
    multiply(size);
    if (!setjmp(way_out)) {
        multiply(1);
        return 1;
    }
    for (int i = 0; i < 4; ++i)
        multiply(size);
    return 0;
}
