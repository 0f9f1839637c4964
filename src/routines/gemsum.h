// result_i = the sum of row i of op(A).
#pragma once

#include "routines/operands.h"

namespace myblas {

// A m x n. `result` has n elements for a transposed A, else m. Empty sums are still
// written.
struct gemsum_problem {
    bool trans = false;
    int64_t m = 0, n = 0;
    const float* a = nullptr;
    int64_t lda = 1;
    float* result = nullptr;

    int64_t sums() const { return trans ? n : m; }

    template <class List>
    void operands(List& list) {
        list.operation("op", trans);
        list.size("m", m);
        list.size("n", n);
        list.matrix("A", a, lda, shape_of(m, n), m > 0 && n > 0);
        list.array("result", result);
    }
    bool is_empty() const { return sums() == 0; }
    wide most_elements() const { return sums(); }
    selection_key key() const { return {1u << trans, {m, n, 0, m * n}}; }
};

namespace calls {
inline constexpr routine_call<gemsum_problem> sgemsum{"mysgemsum"};
}

} // namespace myblas
