// *result = the square root of the sum of x_i^2.
#pragma once

#include "routines/operands.h"

#include <cmath>

namespace myblas {

struct nrm2_problem {
    int64_t n = 0;
    const float* x = nullptr;
    int64_t incx = 1;        // not negative
    float* result = nullptr; // memory of the backend

    template <class List>
    void operands(List& list) {
        list.count("n", n);
        list.vector("x", x, incx, n, n > 0);
        list.result(result);
    }
    // The sum of squares does not depend on the direction.
    void normalise() {
        if (n <= 0)
            n = incx = 0;
        if (incx < 0 && incx != INT64_MIN)
            incx = -incx;
    }
    wide most_elements() const { return n; }
    size_t result_bytes() const { return sizeof *result; }
    MYBLAS_HOST_DEVICE float of_sum(double squares) const {
        return static_cast<float>(sqrt(squares));
    }
};

namespace calls {
inline constexpr routine_call<nrm2_problem> snrm2{"mysnrm2"};
}

} // namespace myblas
