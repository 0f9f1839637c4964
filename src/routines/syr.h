// Updates of rank 1 and 2: syr, syr2 and ger.
#pragma once

#include "routines/operands.h"

namespace myblas {

// A = alpha * (x * y^T + y * x^T) + A on one triangle; without y, A = alpha * x * x^T + A. Where
// `is_ger` holds, A = alpha * x * y^T + A, all of A, m x n. x and y as in gemv.
struct syr_problem {
    bool is_ger = false;
    bool upper = false;
    bool has_y = false;
    int64_t m = 0; // of ger
    int64_t n = 0;
    scalar alpha{};
    const float* x = nullptr;
    int64_t incx = 1;
    const float* y = nullptr;
    int64_t incy = 1;
    float* a = nullptr;
    int64_t lda = 1;

    int64_t rows() const { return is_ger ? m : n; }

    template <class List>
    void operands(List& list) {
        if (is_ger)
            list.size("m", m);
        else
            list.fill_mode("uplo", upper);
        list.size("n", n);
        list.scalar("alpha", alpha);
        list.vector("x", x, incx, rows());
        if (has_y)
            list.vector("y", y, incy, n);
        list.matrix("A", a, lda, shape_of(rows(), n));
    }
    bool is_empty() const { return rows() == 0 || n == 0; }
    bool is_skipped() const { return !may_be_nonzero(alpha); }
    selection_key key() const { return {1, {n}}; }
    void take_form(const myblasCall_t& call) { has_y = call.ldc != 0; }
};

namespace calls {
inline constexpr routine_call<syr_problem> ssyr{"myssyr"};
inline constexpr routine_call<syr_problem> ssyr2{.name = "myssyr2", .preset = {.has_y = true}};
inline constexpr routine_call<syr_problem> sger{
    .name = "mysger",
    .preset = {.is_ger = true, .has_y = true},
};
} // namespace calls

} // namespace myblas
