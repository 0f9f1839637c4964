// Rung 11, double_buffered: C = alpha op(A) op(B) + beta C, with loads one step ahead of the
// arithmetic.
//
// New:
//   two stages     while a slab is multiplied, the next one travels from global memory to
//                  registers. It is stored to the other stage at the end, so a slab needs one
//                  barrier instead of two.
//   two fragments  while one k is multiplied, the fragment of the next k is read from shared
//                  memory.
//   warp tiles     the block's 4 x 2 warps each have a 32 x 64 tile. The lanes of a warp form a
//                  4 x 8 grid, so a load reads 4 quads of A or 8 quads of B, each broadcast to
//                  several lanes, and never two words of one bank.
//
// Bound: instruction issue, 64 FMAs and 4 shared loads for each k.
// Shared memory: 2 stages of a slab of each operand, [8][128 + 4]; 16.5 KiB.
// Launch: 256 threads for a 128 x 128 tile of C.
// Accepts: every product whose tiles fit into a grid. Global loads have 128 bits if A and B are
// aligned to 16 bytes.
//
//   warp tile, 32 rows x 64 columns; lane (li, lj) owns rows 4 li + {0..3} + {0, 16}
//                                    and columns 4 lj + {0..3} + {0, 32}
#include "kernels/sgemm/ladder/vector_slab.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using namespace vector_slab;

constexpr int warp_m = 32, warp_n = 64;
constexpr int group_m = warp_m / 2, group_n = warp_n / 2; // distance between a thread's quads
constexpr int stages = 2;
static_assert(block / warp_m * (block / warp_n) * 32 == threads);

struct storage {
    float a[stages][block_k][pitch]; // [stage][kk][i]
    float b[stages][block_k][pitch]; // [stage][kk][j]
};

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
    using fragment = fragment<group_m, group_n>;
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

const kernel_entry<sgemm_problem> sgemm_double_buffered = {
    .name = "double_buffered",
    .description = "8 x 8 elements a thread, slabs and fragments fetched one step ahead",
    .block_m = block,
    .block_n = block,
    .block_k = block_k,
    .threads = threads,
    .stages = stages,
    .smem_bytes = sizeof(storage),
    .accepts = fits_grid<block, block>,
    .launch = launch_kernel,
};

} // namespace myblas::cuda
