// Rung 12, warp_quadrants: a compact tile of C for each warp.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: each of the block's 4 x 2 warps has a tile of 32 x 64. A thread has 4 x 4 elements in each
// quadrant of the warp tile, no longer of the block tile. A warp now reads 32 rows and 64 columns
// from shared memory for each k; in rung 11 it reads 128 rows and 16 columns. The lanes form a 4 x
// 8 grid, so a load reads 4 quads of A or 8 quads of B, at most 128 bytes, each broadcast to
// several lanes.
// Bound: waiting for global memory, as in rung 11. Apart from that, 4 loads of 128 bits for 64
// FMAs.
// Shared memory: one slab of each operand, [8][128 + 4]; 8.25 KiB.
// Launch: 256 threads for a 128 x 128 tile of C.
// Accepts: every product whose tiles fit into a grid. Global loads have 128 bits if A and B are
// aligned to 16 bytes.
//
//   block tile 128 x 128      warp tile 32 x 64, in quadrants of 16 x 32
//   +-------+-------+         columns   0-3  4-7  ..  28-31  |  32-35  36-39  ..  60-63
//   |  w0   |  w4   |         rows 0-3  l0   l4   ..  l28    |  l0     l4     ..  l28
//   +-------+-------+              4-7  l1   l5   ..  l29    |  l1     l5     ..  l29
//   |  w1   |  w5   |             8-11  l2   l6   ..  l30    |  l2     l6     ..  l30
//   +-------+-------+            12-15  l3   l7   ..  l31    |  l3     l7     ..  l31
//   |  w2   |  w6   |            -----
//   +-------+-------+            16-19  l0   l4   ..  l28    |  l0     l4     ..  l28
//   |  w3   |  w7   |               ..
//   +-------+-------+
#include "kernels/sgemm/ladder/vector_slab.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using namespace vector_slab;

struct storage {
    float a[block_k][pitch]; // [kk][i]
    float b[block_k][pitch]; // [kk][j]
};

// docs/ladder.md
template <bool transa, bool transb, bool vector>
__global__ void __launch_bounds__(threads, 2) kernel(int64_t first_batch, const sgemm_problem p) {
    __shared__ __align__(16) storage smem;
    const sgemm_operands o = resolve_operands(p, first_batch + blockIdx.z);
    const auto [tile_row, tile_col] = column_order<block, block>(blockIdx.x, p.m);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int i = warp % (block / warp_m) * warp_m + lane % 4 * 4;
    const int j = warp / (block / warp_m) * warp_n + lane / 4 * 4;

    quad<transa, vector> slab_a(o.a, p.lda, tile_row, p.m);
    quad<!transb, vector> slab_b(o.b, p.ldb, tile_col, p.n);
    using fragment = fragment<quadrant_m, quadrant_n>;
    fragment::accumulators acc = {};
    for (int64_t first_k = 0; first_k < o.k; first_k += block_k) {
        slab_a.load(o.k - first_k);
        slab_b.load(o.k - first_k);
        slab_a.store(smem.a);
        slab_b.store(smem.b);
        __syncthreads(); // the slab is complete before it is read
#pragma unroll
        for (int kk = 0; kk < block_k; ++kk) {
            fragment frag;
            frag.load(&smem.a[kk][i], &smem.b[kk][j]);
            frag.add_product(acc);
        }
        __syncthreads(); // all threads have read the slab before it is overwritten
    }
    fragment::store(p, o, tile_row, tile_col, i, j, acc);
}

myblasStatus_t launch_kernel(const sgemm_problem& p, const launch_context& context) {
    return with_transposition(p, [&](auto transa, auto transb) {
        return launch_products(inputs_aligned16(p) ? kernel<transa, transb, true>
                                                   : kernel<transa, transb, false>,
                               {.x = tile_count(p, block, block), .threads = threads},
                               p,
                               context);
    });
}

} // namespace

const kernel_entry<sgemm_problem> sgemm_warp_quadrants = {
    .name = "warp_quadrants",
    .description = "warp tiles of 32 x 64, 8 x 8 elements a thread in their quadrants",
    .block_m = block,
    .block_n = block,
    .block_k = block_k,
    .threads = threads,
    .stages = 1,
    .smem_bytes = sizeof(storage),
    .keeps_k_order = true,
    .accepts = fits_grid<block, block>,
    .launch = launch_kernel,
};

} // namespace myblas::cuda
