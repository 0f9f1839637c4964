// A program whose xerbla_ throws: a product, one with a wrong argument, and three more.
#include <cstddef>

extern "C" {
#include "sgemm.h"

void xerbla_(const char*, const int* argument, size_t) { throw *argument; }
}

namespace {

constexpr int size = 64;
float a[size * size], b[size * size], c[size * size];

void multiply(int lda) {
    const float one = 1, zero = 0;
    sgemm_("N", "N", &size, &size, &size, &one, a, &lda, b, &size, &zero, c, &size, 1, 1);
}

} // namespace

int main() {
    multiply(size);
    try {
        multiply(1);
        return 1;
    } catch (int argument) {
        if (argument != 8)
            return 2;
    }
    for (int i = 0; i < 3; ++i)
        multiply(size);
    return 0;
}
