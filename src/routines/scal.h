// x = alpha * x.
#pragma once

#include "routines/operands.h"

namespace myblas {

struct scal_problem {
    int64_t n = 0;
    scalar alpha{};
    float* x = nullptr;
    int64_t incx = 1; // positive

    template <class List>
    void operands(List& list) {
        list.count("n", n);
        list.scalar("alpha", alpha);
        list.vector("x", x, incx, n);
    }
    bool is_empty() const { return n <= 0 || incx <= 0; }
};

namespace calls {
inline constexpr routine_call<scal_problem> sscal{"mysscal"};
}

} // namespace myblas
