// The reductions of `cluster` and `polled`: one launch for one result. A reduction is a type with
//   problem, element     the problem, and the type of the elements of its vectors
//   operands             the number of vectors, one or two: vector_of(p, 0) and vector_of(p, 1)
//   residents            blocks of 512 threads that a multiprocessor holds, by their registers
//   takes_head           whether elements may be added apart from the others, in any order; then
//   skip(p, count)       moves a problem with increment 1 on by `count` elements
//   carrier              the partial result of a thread or block (reduce.cuh)
//   missing()            stands for an element beyond the end, and changes nothing
//   add()                adds a thread's elements of a round: value[o][k][c] is element
//                        first + k * step + c * apart of vector o
//   finish()             writes the result
#pragma once

#include "core/problem.h"
#include "kernels/common/reduce.cuh"
#include "kernels/sum/tree.cuh"

#include <cstdint>

namespace myblas::cuda {

template <class T>
struct strided_vector {
    const T* element_0;
    int64_t increment;
};

// The sum of x_i, or of |x_i|.
template <class T>
struct summation {
    using problem = sum_problem<T>;
    using element = T;
    using carrier = cuda::carrier<T>;
    static constexpr int operands = 1, residents = sizeof(T) == sizeof(float) ? 4 : 3;
    static constexpr bool takes_head = true;

    static void skip(problem& p, int64_t count) {
        p.x += count;
        p.n -= count;
    }
    __host__ __device__ static strided_vector<T> vector_of(const problem& p, int) {
        return {p.x, p.incx};
    }
    __device__ static T missing() { return 0; }
    template <int loads, int width>
    __device__ static void
    add(carrier& total, T (&value)[1][loads][width], const problem& p, int64_t, int64_t, int) {
        total.add(tree_sum(value[0], p.absolute));
    }
    __device__ static void finish(const problem& p, const carrier& total) {
        *p.result = total.rounded();
    }
};

// Sums of products of floats. Each product is exact in double; a vector's products are added as a
// tree.
struct products {
    using element = float;
    using carrier = cuda::carrier<float>;

    __device__ static float missing() { return 0; }
    template <int loads, int width>
    __device__ static void
    add(carrier& total, const float (&x)[loads][width], const float (&y)[loads][width]) {
#pragma unroll
        for (int k = 0; k < loads; ++k) {
            double product[width];
#pragma unroll
            for (int c = 0; c < width; ++c)
                product[c] = double{x[k][c]} * double{y[k][c]};
            total.sum += add_elements(product);
        }
    }
};

// The sum of x_i * y_i.
struct dot_product : products {
    using problem = dot_problem;
    static constexpr int operands = 2, residents = 3;
    static constexpr bool takes_head = true;

    // y may have another increment.
    static void skip(problem& p, int64_t count) {
        p.x += count;
        p.y += count * p.incy;
        p.n -= count;
    }

    __host__ __device__ static strided_vector<float> vector_of(const problem& p, int operand) {
        return operand == 0 ? strided_vector<float>{p.x, p.incx}
                            : strided_vector<float>{p.y, p.incy};
    }
    template <int loads, int width>
    __device__ static void
    add(carrier& total, float (&value)[2][loads][width], const problem&, int64_t, int64_t, int) {
        products::add(total, value[0], value[1]);
    }
    __device__ static void finish(const problem& p, const carrier& total) {
        *p.result = p.of_sum(total.sum);
    }
};

// The same without sb: looking for it takes up to a tenth of the time of a short vector.
struct dot_without_sb : dot_product {
    __device__ static void finish(const problem& p, const carrier& total) {
        *p.result = static_cast<float>(total.sum);
    }
};

// The root of the sum of x_i^2.
struct euclidean_norm : products {
    using problem = nrm2_problem;
    static constexpr int operands = 1, residents = 3;
    static constexpr bool takes_head = true;

    static void skip(problem& p, int64_t count) {
        p.x += count;
        p.n -= count;
    }
    __host__ __device__ static strided_vector<float> vector_of(const problem& p, int) {
        return {p.x, p.incx};
    }
    template <int loads, int width>
    __device__ static void
    add(carrier& total, float (&value)[1][loads][width], const problem&, int64_t, int64_t, int) {
        products::add(total, value[0], value[0]);
    }
    __device__ static void finish(const problem& p, const carrier& total) {
        *p.result = p.of_sum(total.sum);
    }
};

// The best element so far; of equal elements, the first. Keys have the order of the floats. The key
// of -Inf is above zero: zero means that there is no element yet. A NaN counts only as x_0, where
// its key is above all others.
struct best_element {
    uint64_t key;
    int64_t number; // from 1

    static constexpr uint64_t nan_at_first = 0xffffffff;
    static constexpr uint32_t sign = 0x80000000;

    __device__ static uint64_t key_of(float level) {
        const uint32_t bits = __float_as_uint(level);
        return bits & sign ? ~bits : bits | sign;
    }
    // The float of a key. The key must be a float's: neither 0 nor nan_at_first.
    __device__ float level() const {
        const uint32_t bits = static_cast<uint32_t>(key);
        return __uint_as_float(bits & sign ? bits & ~sign : ~bits);
    }
    __device__ best_element& operator+=(const best_element& other) {
        if (other.key > key || (other.key == key && other.number < number))
            *this = other;
        return *this;
    }
    __device__ best_element shuffled(int lane_mask) const {
        return {__shfl_xor_sync(full_warp, key, lane_mask),
                __shfl_xor_sync(full_warp, number, lane_mask)};
    }
    // Neither member uses its highest bit, which marks a packed word.
    __device__ static uint64_t packed(uint64_t word) { return word | uint64_t{1} << 63; }
    __device__ static uint64_t unpacked(uint64_t word) { return word & ~(uint64_t{1} << 63); }
};

// The number of the first element with the largest or least |x_i|.
struct extremum {
    using problem = extremum_problem;
    using element = float;
    using carrier = best_element;
    static constexpr int operands = 1, residents = 3;
    static constexpr bool takes_head = false;

    __host__ __device__ static strided_vector<float> vector_of(const problem& p, int) {
        return {p.x, p.incx};
    }
    __device__ static float missing() { return __uint_as_float(0x7fffffff); } // NaN

    template <int loads, int width>
    __device__ static void add(carrier& best,
                               float (&value)[1][loads][width],
                               const problem& p,
                               int64_t first,
                               int64_t step,
                               int apart) {
        const auto level_of = [&](float x) { return p.least ? -fabsf(x) : fabsf(x); };
        if (first == 0 && p.n > 0) {
            const float x = value[0][0][0];
            best = {isnan(x) ? best_element::nan_at_first : best_element::key_of(level_of(x)), 1};
        }
        if (best.key == best_element::nan_at_first)
            return;
        // An element that is -Inf is not above this level. That does no harm, because x_0, which
        // always counts, is at least as good.
        float level = best.key == 0 ? -INFINITY : best.level();
        int place = -1;
#pragma unroll
        for (int k = 0; k < loads; ++k)
#pragma unroll
            for (int c = 0; c < width; ++c)
                if (const float candidate = level_of(value[0][k][c]); candidate > level) {
                    level = candidate;
                    place = k * width + c;
                }
        if (place >= 0)
            best = {best_element::key_of(level),
                    first + place / width * step + place % width * apart + 1};
    }
    __device__ static void finish(const problem& p, const carrier& best) {
        if (p.wide)
            *static_cast<int64_t*>(p.result) = best.number;
        else
            *static_cast<int*>(p.result) = static_cast<int>(best.number);
    }
};

} // namespace myblas::cuda
