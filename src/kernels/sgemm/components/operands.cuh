// The parts that all SGEMM kernels share: the operands of one product of a batch, index arithmetic,
// the computed part of C, and the write of C.
#pragma once

#include "core/kernel_entry.h"
#include "kernels/common/element.cuh"
#include "kernels/common/fragment.cuh"
#include "kernels/common/scalar.cuh"
#include "kernels/common/tile_order.cuh"
#include "kernels/sgemm/components/launcher.h"

#include <cstdint>

namespace myblas::cuda {

// One product with its scalars resolved. k is 0 where A and B must not be read.
struct sgemm_operands {
    const float* a;
    const float* b;
    float* c;
    float alpha, beta;
    int64_t k;
};

// Prefetches the problem into the constant cache, all of its cache lines at once, and returns true.
// Kernels call it before grid_dependency_sync, while the kernel before still runs: later, the code
// would wait for each cache line separately. One field of each line is read. The fields that are
// read are never negative, but the compiler must read them for the test.
__device__ __forceinline__ bool fetch_parameters(const sgemm_problem& p) {
    const auto bits = [](const void* pointer) { return reinterpret_cast<intptr_t>(pointer); };
    return (p.m | bits(p.alpha.device) | bits(p.a) | bits(p.c) | bits(p.c_array)) >= 0;
}

// All fields but the pointers.
__device__ __forceinline__ sgemm_operands resolve_scalars(const sgemm_problem& p) {
    sgemm_operands o{};
    o.alpha = resolve(p.alpha);
    o.beta = resolve(p.beta);
    o.k = o.alpha == 0 ? 0 : p.k;
    if (o.k == 0) // the product is then exactly zero, also if alpha is Inf or NaN
        o.alpha = 0;
    return o;
}

__device__ __forceinline__ sgemm_operands resolve_operands(const sgemm_problem& p, int64_t batch) {
    sgemm_operands o = resolve_scalars(p);
    // If an operand is not read, its pointer array may be null or hold anything.
    const bool reads = o.k != 0;
    o.a = p.a_array ? (reads ? p.a_array[batch] : nullptr) : p.a + batch * p.stride_a;
    o.b = p.b_array ? (reads ? p.b_array[batch] : nullptr) : p.b + batch * p.stride_b;
    o.c = p.c_array ? p.c_array[batch] : p.c + batch * p.stride_c;
    return o;
}

// The base of an operand, found without a branch. With pointer arrays, `stride` is the offset from
// the array's pointer to element 0. The offset is nonzero only for vectors with a negative
// increment.
template <class T>
__device__ __forceinline__ T*
operand_base(T* base, T* const* array, int64_t stride, int64_t batch, bool is_read = true) {
    if (array)
        base = is_read ? array[batch] : nullptr;
    return base + (array ? 1 : batch) * stride;
}

// The same as resolve_operands without branches. For kernels that take little more than a
// microsecond, and for vectors with negative increments. It needs more registers.
__device__ __forceinline__ sgemm_operands resolve_at_once(const sgemm_problem& p, int64_t batch) {
    sgemm_operands o = resolve_scalars(p);
    o.a = operand_base(p.a, p.a_array, p.stride_a, batch, o.k != 0);
    o.b = operand_base(p.b, p.b_array, p.stride_b, batch, o.k != 0);
    o.c = operand_base(p.c, p.c_array, p.stride_c, batch);
    return o;
}

// Whether the sums of a tile begin with alpha * beta * C instead of 0. C is then read while the
// first slabs are copied, not after the last slab. If alpha is 1 or -1, alpha * sum is exact; if
// |beta| <= 1, beta * C does not overflow. Updates of factorisations and sums of gradients fulfil
// this. Kernels that keep the order of k (kernel_entry) do not do it in reproducible mode.
__device__ __forceinline__ bool begins_with_c(const sgemm_operands& o) {
    return o.beta != 0 && fabsf(o.beta) <= 1 && fabsf(o.alpha) == 1;
}

// First element of tile number `tile` of the tile_count() tiles of a triangle of C.
template <class Shape, class Index = int64_t>
__device__ __forceinline__ tile_position<Index> triangle_tile(int tile, const sgemm_problem& p) {
    static_assert(Shape::block_m % Shape::block_n == 0);
    constexpr int patch = 1024 / Shape::block_m, ratio = Shape::block_m / Shape::block_n;
    const auto at =
        triangle_order<patch, ratio>(tile,
                                     p.triangle == triangle_of_c::upper,
                                     static_cast<int>(ceil_div<int64_t>(p.m, Shape::block_m)),
                                     static_cast<int>(ceil_div<int64_t>(p.n, Shape::block_n)));
    return {Index{at.row} * Shape::block_m, Index{at.col} * Shape::block_n};
}

// First element of a tile: of all of C, in patches, or of a triangle.
template <class Shape, class Index = int64_t>
__device__ __forceinline__ tile_position<Index> computed_tile(std::type_identity_t<Index> tile,
                                                              const sgemm_problem& p) {
    if (p.triangle == triangle_of_c::none)
        return patch_order<Shape, Index>(tile, static_cast<Index>(p.m), static_cast<Index>(p.n));
    return triangle_tile<Shape, Index>(static_cast<int>(tile), p);
}

// The computed part of a tile, as limits of the distance between an element's row and its column in
// the tile.
struct diagonal_mask {
    static constexpr int unlimited = 1 << 30;
    int least = -unlimited, most = unlimited;

    __device__ __forceinline__ diagonal_mask(triangle_of_c triangle,
                                             int64_t tile_row,
                                             int64_t tile_col) {
        const int on_diagonal = static_cast<int>(tile_col - tile_row);
        if (triangle == triangle_of_c::lower)
            least = on_diagonal;
        else if (triangle == triangle_of_c::upper)
            most = on_diagonal;
    }
    __device__ __forceinline__ bool has(int row, int col) const {
        return row - col >= least && row - col <= most;
    }
    // For the quad of rows from (row, col) on: the first computed row, and the end of the computed
    // rows.
    __device__ __forceinline__ int quad_first(int row, int col) const { return least + col - row; }
    __device__ __forceinline__ int quad_end(int row, int col) const { return most + col - row + 1; }
    // Whether all, or none, of a tile of this size is computed.
    __device__ __forceinline__ bool has_all(int rows, int cols) const {
        return least <= 1 - cols && most >= rows - 1;
    }
    __device__ __forceinline__ bool has_none(int rows, int cols) const {
        return least > rows - 1 || most < 1 - cols;
    }
};

// The range of k in which a tile's operands are not known to be zero.
struct k_range {
    int64_t begin, end;

    __device__ __forceinline__ k_range(
        known_zeros zeros, int64_t k, int64_t row, int64_t end_row, int64_t col, int64_t end_col)
        : begin(zeros == known_zeros::below_of_a   ? row
                : zeros == known_zeros::above_of_b ? col
                                                   : 0),
          end(min(k,
                  zeros == known_zeros::above_of_a   ? end_row
                  : zeros == known_zeros::below_of_b ? end_col
                                                     : k)) {}
};

// The order of tiles in which tiles with the longest k range come first.
template <int patch_m, int patch_n>
__device__ __forceinline__ tile_position<int>
longest_first(int tile, known_zeros zeros, int tiles_m, int tiles_n) {
    const bool reversed = zeros == known_zeros::above_of_a || zeros == known_zeros::below_of_b;
    if (zeros == known_zeros::above_of_a || zeros == known_zeros::below_of_a)
        return band_order<patch_m>(tile, true, reversed, tiles_m, tiles_n);
    return band_order<patch_n>(tile, false, reversed, tiles_m, tiles_n);
}

// Index of element (row, col) of op(X), where X has leading dimension ld.
template <bool trans>
__device__ __forceinline__ int64_t op_index(int64_t row, int64_t col, int64_t ld) {
    return trans ? col + row * ld : row + col * ld;
}

// store_c for four consecutive rows. Rows from `first` (may be negative) to `rows` (may be below
// or above 4) are computed. `vector`: C's columns are aligned to 16 bytes.
__device__ __forceinline__ void store_c4(float* c,
                                         float alpha,
                                         const float (&product)[4],
                                         float beta,
                                         int64_t rows,
                                         bool vector,
                                         int first = 0) {
    if (vector && rows >= 4 && first <= 0) {
        float4 result = make_float4(scaled_sum(alpha, product[0]),
                                    scaled_sum(alpha, product[1]),
                                    scaled_sum(alpha, product[2]),
                                    scaled_sum(alpha, product[3]));
        if (beta != 0) {
            const float4 old = *reinterpret_cast<const float4*>(c);
            result.x = fmaf(beta, old.x, result.x);
            result.y = fmaf(beta, old.y, result.y);
            result.z = fmaf(beta, old.z, result.z);
            result.w = fmaf(beta, old.w, result.w);
        }
        *reinterpret_cast<float4*>(c) = result;
        return;
    }
    float result[4];
#pragma unroll
    for (int e = 0; e < 4; ++e)
        result[e] = scaled_sum(alpha, product[e]);
    if (beta != 0) {
#pragma unroll
        for (int e = 0; e < 4; ++e)
            if (first <= e && e < rows)
                result[e] = fmaf(beta, c[e], result[e]);
    }
#pragma unroll
    for (int e = 0; e < 4; ++e)
        if (first <= e && e < rows)
            c[e] = result[e];
}

// Whether all columns of a matrix are aligned to 16 bytes.
__host__ __device__ inline bool aligned16(const float* x, int64_t ld) {
    return reinterpret_cast<uintptr_t>(x) % 16 == 0 && ld % 4 == 0;
}

} // namespace myblas::cuda
