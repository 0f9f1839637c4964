// Rungs 5 and 6, shared_tile and shared_tile_grid_stride: C = alpha op(A) op(B) + beta C, with
// tiles along k.
//
// New: a block advances along k in slabs of 32. A slab is 32 x 32 elements of op(A) and of op(B).
// The block loads it into shared memory and multiplies, so shared memory no longer limits k. Each
// element loaded from global memory serves 32 threads. Rung 6 adds the fixed grid of rung 3.
//
// Bound: shared memory, 2 loads for each FMA. Global traffic is 1/32 of naive's.
// Shared memory: one slab of each operand, [32][32 + 1], padded against bank conflicts; 8.25 KiB.
// Launch: 1024 threads for a 32 x 32 tile of C. Rung 6 has 2 blocks for each multiprocessor, in one
// launch for any number of tiles and products.
// Accepts: every product whose tiles fit into a grid; rung 6 accepts every product.
#include "kernels/sgemm/components/operands.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

constexpr int block = 32; // block_m, block_n and block_k
constexpr int threads = block * block;
constexpr int blocks_per_sm = 2; // of rung 6

struct storage {
    float a[block][block + 1]; // [kk][i], padded: transposed stores go to 32 different banks
    float b[block][block + 1]; // [kk][j]
};

// smem[kk][line] = 32 lines x 32 k of an operand, zero outside of the operand. A line is a row of
// op(A) or a column of op(B).
template <bool k_contiguous>
__device__ __forceinline__ void load_slab(float (*smem)[block + 1],
                                          const float* gmem,
                                          int64_t ld,
                                          int64_t first_line,
                                          int64_t lines,
                                          int64_t first_k,
                                          int64_t k) {
    const int fast = threadIdx.x % block, slow = threadIdx.x / block; // fast runs along memory
    const int line = k_contiguous ? slow : fast;
    const int kk = k_contiguous ? fast : slow;
    const int64_t l = first_line + line, g = first_k + kk;
    smem[kk][line] = l < lines && g < k ? gmem[k_contiguous ? g + l * ld : l + g * ld] : 0.0f;
}

// Computes one tile of C, one element a thread. Each step of the loop over kk is an outer product:
// the block adds a column of A times a row of B to its tile.
template <bool transa, bool transb>
__device__ __forceinline__ void compute(const sgemm_problem& p,
                                        const sgemm_operands& o,
                                        int64_t tile_row,
                                        int64_t tile_col,
                                        storage& smem) {
    const int i = threadIdx.x % block, j = threadIdx.x / block;
    float acc = 0;
    for (int64_t first_k = 0; first_k < o.k; first_k += block) {
        load_slab<transa>(smem.a, o.a, p.lda, tile_row, p.m, first_k, o.k);
        load_slab<!transb>(smem.b, o.b, p.ldb, tile_col, p.n, first_k, o.k);
        __syncthreads(); // the slab is complete before it is read
#pragma unroll
        for (int kk = 0; kk < block; ++kk)
            acc = fmaf(smem.a[kk][i], smem.b[kk][j], acc);
        __syncthreads(); // all threads have read the slab before it is overwritten
    }
    if (tile_row + i < p.m && tile_col + j < p.n)
        store_c(&o.c[tile_row + i + (tile_col + j) * p.ldc], o.alpha, acc, o.beta);
}

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) kernel(int64_t first_batch, const sgemm_problem p) {
    __shared__ storage smem;
    const sgemm_operands o = resolve_operands(p, first_batch + blockIdx.z);
    const int64_t tiles_m = ceil_div<int64_t>(p.m, block);
    compute<transa, transb>(p, o, blockIdx.x % tiles_m * block, blockIdx.x / tiles_m * block, smem);
}

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads, blocks_per_sm) walking_kernel(const sgemm_problem p) {
    __shared__ storage smem;
    const int64_t tiles_m = ceil_div<int64_t>(p.m, block);
    const int64_t tiles = tiles_m * ceil_div<int64_t>(p.n, block);
    for (int64_t work = blockIdx.x; work < tiles * p.batch_count; work += gridDim.x) {
        const sgemm_operands o = resolve_operands(p, work / tiles);
        const int64_t tile = work % tiles;
        compute<transa, transb>(p, o, tile % tiles_m * block, tile / tiles_m * block, smem);
    }
}

} // namespace

constinit const sgemm_kernel sgemm_shared_tile = describe_tiles<block, block, threads>(
    "shared_tile",
    "32 x 32 block tiles along k in padded shared memory, one element a thread",
    [](auto transa, auto transb) { return kernel<transa, transb>; },
    block,
    sizeof(storage));

constinit const sgemm_kernel sgemm_shared_tile_grid_stride = {
    .name = "shared_tile_grid_stride",
    .description = "32 x 32 block tiles in shared memory under a fixed grid",
    .block_m = block,
    .block_n = block,
    .block_k = block,
    .threads = threads,
    .stages = 1,
    .smem_bytes = sizeof(storage),
    .launch = walking_launcher<block, block, threads, blocks_per_sm>(
        [](auto transa, auto transb) { return walking_kernel<transa, transb>; }),
};

} // namespace myblas::cuda
