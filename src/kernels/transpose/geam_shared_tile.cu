// C = alpha op(A) + beta op(B), transposed operands through shared memory.
//
// Adds to `naive`: a transposed operand is read along its columns and transposed in a padded tile
// of shared memory, as in transpose's `unrolled`. A thread issues all its loads, 16 of each
// operand, before it uses the first value.
//
// Bound: 3 m n floats moved (2 m n if a scalar is zero).
// Launch: 256 threads, a tile of 64 x 64, one stage for each transposed operand.
// Accepts: everything. If C is A or B, that operand is not transposed, and each element is written
// by the thread that read it.

#include "kernels/common/overlap.cuh"
#include "kernels/common/scalar.cuh"
#include "kernels/transpose/registry.h"
#include "kernels/transpose/tile.cuh"

namespace myblas::cuda {
namespace {

constexpr int side = 64;
constexpr int threads = 256;
constexpr int step = threads / side;    // columns that a block covers at once
constexpr int per_thread = side / step; // elements of a thread
constexpr int pitch = padded_pitch<float, side>;

// A thread's place in a tile: row `row` of columns first, first + step, ...
struct position {
    int row, first;
};

// Loads the thread's elements of a tile that is stored as rows x cols.
__device__ void load(float (&value)[per_thread],
                     const float* gmem_tile,
                     int64_t ld,
                     int rows,
                     int cols,
                     position at) {
#pragma unroll
    for (int k = 0; k < per_thread; ++k) {
        const int col = at.first + k * step;
        value[k] = at.row < rows && col < cols ? gmem_tile[at.row + col * ld] : 0;
    }
}

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) shared_tile(geam_problem p) {
    // (column, row) of the stored operands. An unused tile is a single float.
    __shared__ float smem_a[transa ? side : 1][transa ? pitch : 1];
    __shared__ float smem_b[transb ? side : 1][transb ? pitch : 1];

    grid_dependency_sync();
    const float alpha = resolve(p.alpha), beta = resolve(p.beta);
    const position at{static_cast<int>(threadIdx.x) % side, static_cast<int>(threadIdx.x) / side};
    const int64_t tiles_m = tiles_of(p.m, side);
    const int64_t tiles = tiles_m * tiles_of(p.n, side);
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t i0 = tile % tiles_m * side;
        const int64_t j0 = tile / tiles_m * side;
        const int rows = static_cast<int>(min(int64_t{side}, p.m - i0)); // of C
        const int cols = static_cast<int>(min(int64_t{side}, p.n - j0));

        // An operand with a zero scalar may hold NaN, or not exist.
        float a[per_thread] = {}, b[per_thread] = {};
        if (alpha != 0)
            load(a,
                 p.a + (transa ? j0 + i0 * p.lda : i0 + j0 * p.lda),
                 p.lda,
                 transa ? cols : rows,
                 transa ? rows : cols,
                 at);
        if (beta != 0)
            load(b,
                 p.b + (transb ? j0 + i0 * p.ldb : i0 + j0 * p.ldb),
                 p.ldb,
                 transb ? cols : rows,
                 transb ? rows : cols,
                 at);

        if constexpr (transa || transb) {
#pragma unroll
            for (int k = 0; k < per_thread; ++k) {
                if constexpr (transa)
                    smem_a[at.first + k * step][at.row] = a[k];
                if constexpr (transb)
                    smem_b[at.first + k * step][at.row] = b[k];
            }
            __syncthreads(); // the tiles are complete
#pragma unroll
            for (int k = 0; k < per_thread; ++k) {
                if constexpr (transa)
                    a[k] = smem_a[at.row][at.first + k * step];
                if constexpr (transb)
                    b[k] = smem_b[at.row][at.first + k * step];
            }
        }

        float* gmem_c = p.c + i0 + j0 * p.ldc;
#pragma unroll
        for (int k = 0; k < per_thread; ++k) {
            const int col = at.first + k * step;
            if (at.row < rows && col < cols)
                gmem_c[at.row + col * p.ldc] = fmaf(alpha, a[k], beta * b[k]);
        }
        if constexpr (transa || transb)
            __syncthreads(); // the tiles are free for the block's next ones
    }
}

myblasStatus_t launch_shared_tile(const geam_problem& p, const launch_context& context) {
    const auto kernel = p.transa
                            ? (p.transb ? shared_tile<true, true> : shared_tile<true, false>)
                            : (p.transb ? shared_tile<false, true> : shared_tile<false, false>);
    const dim3 grid = grid_of(tiles_of(p.m, side) * tiles_of(p.n, side));
    return launch_overlapped(kernel, grid, threads, context, p);
}

} // namespace

constinit const kernel_entry<geam_problem> geam_shared_tile = {
    .name = "shared_tile",
    .description = "transposed operands transposed in padded shared memory",
    .block_m = side,
    .block_n = side,
    .threads = threads,
    .stages = 1,
    .smem_bytes = 2 * side * pitch * sizeof(float),
    .launch = launch_shared_tile,
};

} // namespace myblas::cuda
