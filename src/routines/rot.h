// Plane rotations: applied to vectors, and generated (core/rotation.h).
#pragma once

#include "routines/operands.h"

namespace myblas {

// x_i = c x_i + s y_i, y_i = c y_i - s x_i; element 0 as in axpy.
struct rot_problem {
    int64_t n = 0;
    float* x = nullptr;
    int64_t incx = 1;
    float* y = nullptr;
    int64_t incy = 1;
    scalar c{}, s{};

    template <class List>
    void operands(List& list) {
        list.count("n", n);
        list.vector("x", x, incx, n);
        list.vector("y", y, incy, n);
        list.scalar("c", c);
        list.scalar("s", s);
    }
    bool is_empty() const { return n <= 0; }
    wide most_elements() const { return n; }
};

// The matrix of a modified rotation.
struct rotm_matrix {
    float h11 = 1, h21 = 0, h12 = 0, h22 = 1;
    bool is_identity = true;
};

// (x_i, y_i) = H (x_i, y_i); element 0 as in axpy. H is in `h`, unless `param` points to BLAS's
// five floats.
struct rotm_problem {
    int64_t n = 0;
    float* x = nullptr;
    int64_t incx = 1;
    float* y = nullptr;
    int64_t incy = 1;
    rotm_matrix h{};
    const float* param = nullptr;

    template <class List>
    void operands(List& list) {
        list.count("n", n);
        list.vector("x", x, incx, n);
        list.vector("y", y, incy, n);
        list.rotation("param", h, param);
    }
    bool is_empty() const { return n <= 0; }
    bool is_unchanged() const { return !param && h.is_identity; }
    wide most_elements() const { return n; }
};

// The rotation that maps (a, b) to (r, 0). All pointers are to memory of the backend.
struct rotg_problem {
    float *a = nullptr, *b = nullptr; // r and z afterwards
    float *c = nullptr, *s = nullptr;

    template <class List>
    void operands(List& list) {
        list.array("a", a);
        list.array("b", b);
        list.array("c", c);
        list.array("s", s);
    }
};

// The modified rotation that makes the second component of (sqrt(d1) x1, sqrt(d2) y1) zero.
struct rotmg_problem {
    float *d1 = nullptr, *d2 = nullptr, *x1 = nullptr;
    const float* y1 = nullptr;
    float* param = nullptr; // 5 floats: the flag, h11, h21, h12, h22

    template <class List>
    void operands(List& list) {
        list.array("d1", d1);
        list.array("d2", d2);
        list.array("x1", x1);
        list.array("y1", y1);
        list.array("param", param);
    }
};

namespace calls {
inline constexpr routine_call<rot_problem> srot{"mysrot"};
inline constexpr routine_call<rotm_problem> srotm{"mysrotm"};
inline constexpr routine_call<rotg_problem> srotg{"mysrotg"};
inline constexpr routine_call<rotmg_problem> srotmg{"mysrotmg"};
} // namespace calls

} // namespace myblas
