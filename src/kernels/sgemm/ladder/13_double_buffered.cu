// Rung 13, double_buffered: the next slab and the next fragment are loaded while this one is
// multiplied.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: loads are one step ahead of the arithmetic, at two levels.
// Slabs: there are two stages of shared memory. While a slab is multiplied, the next one travels
// from global memory to registers, and at the end to the other stage. A slab needs one barrier
// instead of two.
// Fragments: while one k is multiplied, the fragment of the next k is loaded from shared memory.
// Bound: instruction issue, 64 FMAs of 68 instructions for each k; and slabs on their way through
// registers, which cost instructions and 8 registers.
// Shared memory: 2 stages of a slab of each operand, [8][128 + 4]; 16.5 KiB.
// Launch: 256 threads for a 128 x 128 tile of C, with the warp tiles of rung 12.
// Accepts: every product whose tiles fit into a grid. Global loads have 128 bits if A and B are
// aligned to 16 bytes.
//
//   slab s, k =           0    1    2    3    4    5    6    7
//   multiplied            k0   k1   k2   k3   k4   k5   k6   k7
//   shared to fragment    k1   k2   k3   k4   k5   k6   k7   k0 of slab s + 1
//   global to registers   [------- slab s + 1 --------]
//   registers to shared                                 [s + 1], then the barrier
#include "kernels/sgemm/ladder/vector_slab.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using namespace vector_slab;

constexpr int stages = 2;

struct storage {
    float a[stages][block_k][pitch]; // [stage][kk][i]
    float b[stages][block_k][pitch]; // [stage][kk][j]
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
    fragment frag[2];
    fragment::accumulators acc = {};

    if (o.k > 0) {
        slab_a.load(o.k);
        slab_b.load(o.k);
        slab_a.store(smem.a[0]);
        slab_b.store(smem.b[0]);
        __syncthreads(); // stage 0 is complete before any thread reads it
        frag[0].load(&smem.a[0][0][i], &smem.b[0][0][j]);
    }
    int stage = 0;
    for (int64_t k_left = o.k; k_left > 0; k_left -= block_k) {
        const bool more = k_left > block_k;
        if (more) {
            slab_a.load(k_left - block_k);
            slab_b.load(k_left - block_k);
        }
#pragma unroll
        for (int kk = 0; kk < block_k; ++kk) {
            if (kk == block_k - 1 && more) {
                slab_a.store(smem.a[stage ^ 1]);
                slab_b.store(smem.b[stage ^ 1]);
                // The next stage is complete before it is read. All reads of this stage precede the
                // barrier, so the next round may overwrite it.
                __syncthreads();
                stage ^= 1;
            }
            // After the last slab this reads k = 0 of the same stage again; the values are not
            // used.
            const int next = (kk + 1) % block_k;
            frag[next % 2].load(&smem.a[stage][next][i], &smem.b[stage][next][j]);
            frag[kk % 2].add_product(acc);
        }
    }
    // Resolved again, as the main loop has no registers for alpha, beta and C.
    const sgemm_operands to = resolve_operands(p, first_batch + blockIdx.z);
    fragment::store(p, to, tile_row, tile_col, i, j, acc);
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

const kernel_entry<sgemm_problem> sgemm_double_buffered = {
    .name = "double_buffered",
    .description = "8 x 8 elements a thread, slabs and fragments fetched one step ahead",
    .block_m = block,
    .block_n = block,
    .block_k = block_k,
    .threads = threads,
    .stages = stages,
    .smem_bytes = sizeof(storage),
    .keeps_k_order = true,
    .accepts = fits_grid<block, block>,
    .launch = launch_kernel,
};

} // namespace myblas::cuda
