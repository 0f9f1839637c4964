// Rung 9, register_tile_2x2: 8 x 8 elements of C for each thread, in four quadrants.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: a thread computes 64 elements, which need half as many loads for each FMA as 16 do. The
// elements are four quadrants of 4 x 4. The quadrants are 64 rows or columns apart, so that the 16
// threads along a side read 16 neighbouring quads, as in rung 8. With 8 contiguous rows for each
// thread, they would read every second quad, and two threads would need the same bank.
// Bound: loads from shared memory, 4 of 128 bits for 64 FMAs; and the copies to shared memory, one
// float at a time.
// Shared memory: one slab of each operand, [8][128 + 4]; 8.25 KiB.
// Launch: 256 threads for a 128 x 128 tile of C.
// Accepts: every product whose tiles fit into a grid.
//
//   row or column of the tile   0-3  4-7  ..  60-63  |  64-67  68-71  ..  124-127
//   thread                      t0   t1   ..  t15    |  t0     t1     ..  t15
#include "kernels/sgemm/ladder/register_tile.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using namespace register_tile;

// docs/ladder.md
constexpr thread_lines lines{.count = 8, .contiguous = 4, .distance = 64};

constexpr int threads = lines.threads() * lines.threads();
static_assert(threads == 256);

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads, 2) kernel(int64_t first_batch, const sgemm_problem p) {
    __shared__ __align__(16) storage smem;
    compute<lines, transa, transb>(p, first_batch + blockIdx.z, smem);
}

} // namespace

constinit const sgemm_kernel sgemm_register_tile_2x2 = describe_tiles<block_m, block_n, threads>(
    "register_tile_2x2",
    "128 x 128 x 8 blocks, four 4 x 4 quadrants a thread",
    [](auto transa, auto transb) { return kernel<transa, transb>; },
    block_k,
    sizeof(storage));

} // namespace myblas::cuda
