// counts_v = the number of bytes of x that are v, v = 0 ... 255.
#pragma once

#include "routines/operands.h"

namespace myblas {

struct histogram_problem {
    int64_t n = 0;
    const uint8_t* x = nullptr;
    uint64_t* counts = nullptr;

    template <class List>
    void operands(List& list) {
        list.size("n", n);
        list.array("x", x, n > 0);
        list.array("counts", counts);
    }
    fault check() const {
        if (reinterpret_cast<uintptr_t>(counts) % sizeof(uint64_t) != 0)
            return "counts is not aligned to its elements";
        return nullptr;
    }
};

namespace calls {
inline constexpr routine_call<histogram_problem> histogram256{"myhistogram256"};
}

} // namespace myblas
