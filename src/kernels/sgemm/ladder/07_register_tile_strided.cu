// Rung 7, register_tile_strided: 4 x 4 elements of C in the registers of each thread.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: a thread computes 4 rows x 4 columns of C. For each k it loads 4 elements of A and 4 of B
// from shared memory, and each of them serves 4 FMAs. Its rows, and its columns, are 32 apart. The
// 32 threads of a warp read 32 neighbouring words of A and one word of B.
// Bound: loads from shared memory, 8 for 16 FMAs. The rungs before had 2 for each FMA. Global
// traffic is 1/128 of naive's.
// Shared memory: one slab of each operand, [8][128 + 4]; 8.25 KiB.
// Launch: 1024 threads for a 128 x 128 tile of C.
// Accepts: every product whose tiles fit into a grid.
//
//   row or column of the tile   0   1   ..  31   |  32  ..  63   |  64  ..  95   |  96  ..  127
//   thread                      t0  t1  ..  t31  |  t0  ..  t31  |  t0  ..  t31  |  t0  ..  t31
#include "kernels/sgemm/ladder/register_tile.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using namespace register_tile;

// docs/ladder.md
constexpr thread_lines lines{.count = 4, .contiguous = 1, .distance = 32};

constexpr int threads = lines.threads() * lines.threads();
static_assert(threads == 1024);

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) kernel(int64_t first_batch, const sgemm_problem p) {
    __shared__ storage smem;
    compute<lines, transa, transb>(p, first_batch + blockIdx.z, smem);
}

} // namespace

constinit const sgemm_kernel sgemm_register_tile_strided =
    describe_tiles<block_m, block_n, threads>(
        "register_tile_strided",
        "128 x 128 x 8 blocks, 4 x 4 elements a thread, every 32nd row and column",
        [](auto transa, auto transb) { return kernel<transa, transb>; },
        block_k,
        sizeof(storage));

} // namespace myblas::cuda
