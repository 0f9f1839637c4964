// axpy, copy, scal, swap, rot, rotm: for each, the kernels of walk.cuh with one operation.
//
//             bound, floats moved
//   axpy      3 n    y = alpha x + y
//   copy      2 n    y = x
//   scal      2 n    x = alpha x
//   swap      4 n    x, y = y, x
//   rot       4 n    x, y = c x + s y, c y - s x
//   rotm      4 n    x, y = H (x, y)
//
// Block: 256 threads.

#include "core/rotation.h"
#include "kernels/common/scalar.cuh"
#include "kernels/vector/registry.h"
#include "kernels/vector/walk.cuh"

namespace myblas::cuda {
namespace {

struct multiply_add {
    static constexpr use x_use = use::reads, y_use = use::updates;
    float alpha;

    __device__ explicit multiply_add(const axpy_problem& p) : alpha(resolve(p.alpha)) {}
    __device__ bool idle() const { return alpha == 0; }
    __device__ void apply(float& x, float& y) const { y = fmaf(alpha, x, y); }
};

struct replace {
    static constexpr use x_use = use::reads, y_use = use::writes;

    __device__ explicit replace(const copy_problem&) {}
    __device__ bool idle() const { return false; }
    __device__ void apply(float& x, float& y) const { y = x; }
};

struct multiply {
    static constexpr use x_use = use::none, y_use = use::updates;
    float alpha;

    __device__ explicit multiply(const scal_problem& p) : alpha(resolve(p.alpha)) {}
    __device__ bool idle() const { return false; }
    __device__ void apply(float&, float& y) const { y *= alpha; }
};

struct exchange {
    static constexpr use x_use = use::updates, y_use = use::updates;

    __device__ explicit exchange(const swap_problem&) {}
    __device__ bool idle() const { return false; }
    __device__ void apply(float& x, float& y) const {
        const float old_x = x;
        x = y;
        y = old_x;
    }
};

struct rotate {
    static constexpr use x_use = use::updates, y_use = use::updates;
    float c, s;

    __device__ explicit rotate(const rot_problem& p) : c(resolve(p.c)), s(resolve(p.s)) {}
    __device__ bool idle() const { return false; }
    __device__ void apply(float& x, float& y) const {
        const float old_x = x;
        x = fmaf(s, y, c * old_x);
        y = fmaf(-s, old_x, c * y);
    }
};

struct transform {
    static constexpr use x_use = use::updates, y_use = use::updates;
    rotm_matrix h;

    __device__ explicit transform(const rotm_problem& p) : h(p.param ? read_rotm(p.param) : p.h) {}
    __device__ bool idle() const { return h.is_identity; }
    __device__ void apply(float& x, float& y) const {
        const float old_x = x;
        x = fmaf(h.h12, y, h.h11 * old_x);
        y = fmaf(h.h21, old_x, h.h22 * y);
    }
};

} // namespace

// clang-format off
constinit const kernel_entry<axpy_problem> axpy_naive = naive_entry<multiply_add, axpy_problem>;
constinit const kernel_entry<axpy_problem> axpy_vectorised =
    vectorised_entry<multiply_add, axpy_problem>;
constinit const kernel_entry<axpy_problem> axpy_strided = strided_entry<multiply_add, axpy_problem>;
constinit const kernel_entry<copy_problem> copy_naive = naive_entry<replace, copy_problem>;
constinit const kernel_entry<copy_problem> copy_vectorised =
    vectorised_entry<replace, copy_problem>;
constinit const kernel_entry<copy_problem> copy_strided = strided_entry<replace, copy_problem>;
constinit const kernel_entry<scal_problem> scal_naive = naive_entry<multiply, scal_problem>;
constinit const kernel_entry<scal_problem> scal_vectorised =
    vectorised_entry<multiply, scal_problem>;
constinit const kernel_entry<scal_problem> scal_strided = strided_entry<multiply, scal_problem>;
constinit const kernel_entry<swap_problem> swap_naive = naive_entry<exchange, swap_problem>;
constinit const kernel_entry<swap_problem> swap_vectorised =
    vectorised_entry<exchange, swap_problem>;
constinit const kernel_entry<swap_problem> swap_strided = strided_entry<exchange, swap_problem>;
constinit const kernel_entry<rot_problem> rot_naive = naive_entry<rotate, rot_problem>;
constinit const kernel_entry<rot_problem> rot_vectorised = vectorised_entry<rotate, rot_problem>;
constinit const kernel_entry<rot_problem> rot_strided = strided_entry<rotate, rot_problem>;
constinit const kernel_entry<rotm_problem> rotm_naive = naive_entry<transform, rotm_problem>;
constinit const kernel_entry<rotm_problem> rotm_vectorised =
    vectorised_entry<transform, rotm_problem>;
constinit const kernel_entry<rotm_problem> rotm_strided = strided_entry<transform, rotm_problem>;
// clang-format on

} // namespace myblas::cuda
