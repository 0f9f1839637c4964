// axpy, copy, scal, swap, rot, rotm: one loop, in order, over an operation on the elements of y, or
// of x and y. Contiguous vectors use vector instructions. Long ones are divided among several
// threads.
//
// Works against memory. Any increments: if one is zero, the updates of its one element are made in
// order.
// Accepts every problem.
#include "core/rotation.h"
#include "host/instructions.h"
#include "host/registry.h"
#include "host/scalar.h"
#include "host/threads.h"

#include <cstring>

namespace myblas::host {
namespace {

constexpr int64_t line = 16; // floats of a cache line; two threads should not write to the same one

// Contiguous vectors have a separate loop, so that compilers vectorise it: x and y do not overlap.
template <class X, class Operation>
void walk(int64_t n, X* x, int64_t incx, float* y, int64_t incy, Operation update) {
    if (incx == 1 && incy == 1) {
        for_each_piece(n, 2 * sizeof(float), line, [=](int64_t first, int64_t end) {
            run_best([=](auto) {
                X* __restrict contiguous_x = x;
                float* __restrict contiguous_y = y;
                for (int64_t i = first; i < end; ++i)
                    update(contiguous_x[i], contiguous_y[i]);
            });
        });
        return;
    }
    for (int64_t i = 0; i < n; ++i)
        update(x[i * incx], y[i * incy]);
}

template <class Problem, class Operation>
myblasStatus_t walk(const Problem& p, Operation update) {
    walk(p.n, p.x, p.incx, p.y, p.incy, update);
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t launch(const axpy_problem& p, const launch_context&) {
    const float alpha = resolve(p.alpha);
    if (alpha == 0)
        return MYBLAS_STATUS_SUCCESS;
    return walk(p, [alpha](float x, float& y) { y += alpha * x; });
}

myblasStatus_t launch(const copy_problem& p, const launch_context&) {
    if (p.incx == 1 && p.incy == 1) {
        for_each_piece(p.n, 2 * sizeof(float), line, [&p](int64_t first, int64_t end) {
            std::memcpy(p.y + first, p.x + first, static_cast<size_t>(end - first) * sizeof(float));
        });
        return MYBLAS_STATUS_SUCCESS;
    }
    return walk(p, [](float x, float& y) { y = x; });
}

myblasStatus_t launch(const scal_problem& p, const launch_context&) {
    const float alpha = resolve(p.alpha);
    if (p.incx == 1)
        for_each_piece(p.n, sizeof(float), line, [=, x = p.x](int64_t first, int64_t end) {
            run_best([=](auto) {
                for (int64_t i = first; i < end; ++i)
                    x[i] *= alpha;
            });
        });
    else
        for (int64_t i = 0; i < p.n; ++i)
            p.x[i * p.incx] *= alpha;
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t launch(const swap_problem& p, const launch_context&) {
    return walk(p, [](float& x, float& y) {
        const float old_x = x;
        x = y;
        y = old_x;
    });
}

myblasStatus_t launch(const rot_problem& p, const launch_context&) {
    const float c = resolve(p.c), s = resolve(p.s);
    return walk(p, [c, s](float& x, float& y) {
        const float old_x = x;
        x = c * old_x + s * y;
        y = c * y - s * old_x;
    });
}

myblasStatus_t launch(const rotm_problem& p, const launch_context&) {
    const rotm_matrix h = p.param ? read_rotm(p.param) : p.h;
    if (h.is_identity)
        return MYBLAS_STATUS_SUCCESS;
    return walk(p, [h](float& x, float& y) {
        const float old_x = x;
        x = h.h11 * old_x + h.h12 * y;
        y = h.h21 * old_x + h.h22 * y;
    });
}

myblasStatus_t launch(const rotg_problem& p, const launch_context&) {
    generate(p);
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t launch(const rotmg_problem& p, const launch_context&) {
    generate(p);
    return MYBLAS_STATUS_SUCCESS;
}

template <class Problem>
constexpr kernel_entry<Problem> entry{
    .name = "reference",
    .description = "one loop, in order",
    .launch = launch,
};

} // namespace

constinit const kernel_entry<axpy_problem> axpy_reference = entry<axpy_problem>;
constinit const kernel_entry<copy_problem> copy_reference = entry<copy_problem>;
constinit const kernel_entry<scal_problem> scal_reference = entry<scal_problem>;
constinit const kernel_entry<swap_problem> swap_reference = entry<swap_problem>;
constinit const kernel_entry<rot_problem> rot_reference = entry<rot_problem>;
constinit const kernel_entry<rotm_problem> rotm_reference = entry<rotm_problem>;
constinit const kernel_entry<rotg_problem> rotg_reference = entry<rotg_problem>;
constinit const kernel_entry<rotmg_problem> rotmg_reference = entry<rotmg_problem>;

} // namespace myblas::host
