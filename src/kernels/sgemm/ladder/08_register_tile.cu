// Rung 8, register_tile: contiguous rows and columns for each thread, which one 128-bit load reads.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: the 4 rows of a thread are neighbours, and so are its 4 columns. For each k it needs 2 load
// instructions in place of 8. C has a price to pay: a warp's rows are 4 apart, so each store
// touches four times as many cache lines.
// Bound: loads from shared memory, 2 of 128 bits for 16 FMAs. A thread still reads 8 floats.
// Shared memory: one slab of each operand, [8][128 + 4]; 8.25 KiB.
// Launch: 1024 threads for a 128 x 128 tile of C.
// Accepts: every product whose tiles fit into a grid.
//
//   row or column of the tile   0   1   2   3   |  4   5   6   7   |  ..  |  124  125  126  127
//   thread                      t0  t0  t0  t0  |  t1  t1  t1  t1  |  ..  |  t31  t31  t31  t31
#include "kernels/sgemm/ladder/register_tile.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using namespace register_tile;

// docs/ladder.md
constexpr thread_lines lines{.count = 4, .contiguous = 4, .distance = 4};

constexpr int threads = lines.threads() * lines.threads();
static_assert(threads == 1024);

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) kernel(int64_t first_batch, const sgemm_problem p) {
    __shared__ storage smem;
    compute<lines, transa, transb>(p, first_batch + blockIdx.z, smem);
}

} // namespace

constinit const sgemm_kernel sgemm_register_tile = describe_tiles<block_m, block_n, threads>(
    "register_tile",
    "128 x 128 x 8 blocks, 4 x 4 contiguous elements a thread",
    [](auto transa, auto transb) { return kernel<transa, transb>; },
    block_k,
    sizeof(storage));

} // namespace myblas::cuda
