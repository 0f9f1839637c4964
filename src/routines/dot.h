// *result = the sum of x_i * y_i, and with sdsdot sb on top.
#pragma once

#include "routines/operands.h"

namespace myblas {

// Element 0 as in axpy. `result` is memory of the backend. What a kernel reads for increments of 1
// comes first: within the first 48 bytes of parameters, in one line of the constant cache.
struct dot_problem {
    int64_t n = 0;
    const float* x = nullptr;
    const float* y = nullptr;
    float* result = nullptr;
    bool has_sb = false;
    int64_t incx = 1;
    int64_t incy = 1;
    scalar sb{}; // else zero

    template <class List>
    void operands(List& list) {
        list.count("n", n);
        if (has_sb)
            list.scalar("sb", sb);
        list.vector("x", x, incx, n, n > 0);
        list.vector("y", y, incy, n, n > 0);
        list.result(result);
    }
    void normalise() { n = n < 0 ? 0 : n; }
    wide most_elements() const { return n; }
    size_t result_bytes() const { return sizeof *result; }
    MYBLAS_HOST_DEVICE float of_sum(double products) const {
        if (has_sb)
            products += sb.device ? *sb.device : sb.value;
        return static_cast<float>(products);
    }
};

namespace calls {
inline constexpr routine_call<dot_problem> sdot{"mysdot"};
inline constexpr routine_call<dot_problem> sdsdot{.name = "mysdsdot", .preset = {.has_sb = true}};
} // namespace calls

} // namespace myblas
