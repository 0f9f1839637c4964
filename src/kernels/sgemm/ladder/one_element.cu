// Rungs 1 to 3: C = alpha op(A) op(B) + beta C, one thread for each element of C. The rungs differ
// in the element that a thread computes.
//
// 1, naive        Neighbouring threads compute neighbouring columns of C. The 32 threads of a warp
//                 compute 2 rows x 16 columns, so each access to C, and to B stored by columns,
//                 touches 16 cache lines. This is the mapping that everyone writes first.
// 2, coalesced    Neighbouring threads compute neighbouring rows, which are contiguous in memory. A
//                 warp's 32 elements of a column of C, or of A stored by columns, lie in one cache
//                 line (two if unaligned), and its element of B is one broadcast.
// 3, grid_stride  The same with a grid that does not depend on the matrix: a fixed number of
//                 blocks, a few for each multiprocessor, loops over all tiles of all products of
//                 the batch. One launch serves any size, and a block pays for its set-up once for
//                 many tiles.
//
// Bound: the L1 cache. Each FMA needs 2 loads, 8 bytes. If nothing is transposed, rung 1 touches 17
// cache lines for each FMA of a warp, rungs 2 and 3 touch 2 or 3.
// Shared memory: none.
// Launch: 256 threads for a 16 x 16 tile of C (naive) or a 32 x 8 tile (coalesced, grid_stride).
// Each warp of a 32 x 8 tile has one column. The grid of grid_stride has 8 blocks for each
// multiprocessor.
// Accepts: every product whose tiles fit into a grid; grid_stride accepts every product.
#include "kernels/sgemm/components/operands.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

constexpr int threads = 256;
constexpr int square = 16;               // both sides of naive's tile
constexpr int block_m = 32, block_n = 8; // tile of the other two kernels
constexpr int blocks_per_sm = 8;

template <bool transa, bool transb>
__device__ __forceinline__ void
compute_element(const sgemm_problem& p, const sgemm_operands& o, int64_t row, int64_t col) {
    if (row >= p.m || col >= p.n)
        return;
    float acc = 0;
    for (int64_t kk = 0; kk < o.k; ++kk)
        acc =
            fmaf(o.a[op_index<transa>(row, kk, p.lda)], o.b[op_index<transb>(kk, col, p.ldb)], acc);
    store_c(&o.c[row + col * p.ldc], o.alpha, acc, o.beta);
}

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) naive(int64_t first_batch, const sgemm_problem p) {
    const sgemm_operands o = resolve_operands(p, first_batch + blockIdx.z);
    const int64_t tiles_m = ceil_div<int64_t>(p.m, square);
    const int64_t row = blockIdx.x % tiles_m * square + threadIdx.x / square;
    const int64_t col = blockIdx.x / tiles_m * square + threadIdx.x % square;
    compute_element<transa, transb>(p, o, row, col);
}

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) coalesced(int64_t first_batch, const sgemm_problem p) {
    const sgemm_operands o = resolve_operands(p, first_batch + blockIdx.z);
    const int64_t tiles_m = ceil_div<int64_t>(p.m, block_m);
    const int64_t row = blockIdx.x % tiles_m * block_m + threadIdx.x % block_m;
    const int64_t col = blockIdx.x / tiles_m * block_n + threadIdx.x / block_m;
    compute_element<transa, transb>(p, o, row, col);
}

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) grid_stride(const sgemm_problem p) {
    const int64_t tiles_m = ceil_div<int64_t>(p.m, block_m);
    const int64_t tiles = tiles_m * ceil_div<int64_t>(p.n, block_n);
    for (int64_t work = blockIdx.x; work < tiles * p.batch_count; work += gridDim.x) {
        const sgemm_operands o = resolve_at_once(p, work / tiles);
        const int64_t tile = work % tiles;
        const int64_t row = tile % tiles_m * block_m + threadIdx.x % block_m;
        const int64_t col = tile / tiles_m * block_n + threadIdx.x / block_m;
        compute_element<transa, transb>(p, o, row, col);
    }
}

} // namespace

constinit const sgemm_kernel sgemm_naive = describe_tiles<square, square, threads>(
    "naive",
    "one thread per element of C, neighbouring threads on neighbouring columns",
    [](auto transa, auto transb) { return naive<transa, transb>; });

constinit const sgemm_kernel sgemm_coalesced = describe_tiles<block_m, block_n, threads>(
    "coalesced",
    "one thread per element of C, neighbouring threads on neighbouring rows",
    [](auto transa, auto transb) { return coalesced<transa, transb>; });

constinit const sgemm_kernel sgemm_grid_stride = {
    .name = "grid_stride",
    .description = "a fixed grid that walks over the tiles of C, one element a thread",
    .block_m = block_m,
    .block_n = block_n,
    .threads = threads,
    .takes_backwards = true,
    .launch = walking_launcher<block_m, block_n, threads, blocks_per_sm>(
        [](auto transa, auto transb) { return grid_stride<transa, transb>; }),
};

} // namespace myblas::cuda
