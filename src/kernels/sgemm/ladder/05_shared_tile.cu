// Rung 5, shared_tile: slabs along k in shared memory, so that any k fits.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: a block advances along k in slabs of 32. A slab is 32 x 32 elements of op(A) and of op(B).
// The block loads it into shared memory and multiplies, then loads the next one. Shared memory no
// longer limits k, and tiles of C can grow to 32 x 32. Each element that is loaded from global
// memory serves 32 threads.
// Bound: loads from shared memory, 2 for each FMA. Global traffic is 1/32 of naive's.
// Shared memory: one slab of each operand, [32][32 + 1], padded against bank conflicts; 8.25 KiB.
// Launch: 1024 threads for a 32 x 32 tile of C.
// Accepts: every product whose tiles fit into a grid.
//
//                     op(B)
//                     +----+
//                     |    |
//                     |####|  smem.b: 32 k x 32 columns
//                     |    |
//   op(A)             |    |
//   +----+####+----+  +----+
//   |    |####|    |  |    |  32 x 32 of C, one element a thread
//   +----+####+----+  +----+
//   smem.a: 32 rows x 32 k. The slab (#) moves along k.
#include "kernels/sgemm/ladder/shared_tile.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using namespace shared_tile;

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) kernel(int64_t first_batch, const sgemm_problem p) {
    __shared__ storage smem;
    const sgemm_operands o = resolve_operands(p, first_batch + blockIdx.z);
    const int64_t tiles_m = ceil_div<int64_t>(p.m, block);
    compute<transa, transb>(p, o, blockIdx.x % tiles_m * block, blockIdx.x / tiles_m * block, smem);
}

} // namespace

constinit const sgemm_kernel sgemm_shared_tile = describe_tiles<block, block, threads>(
    "shared_tile",
    "32 x 32 block tiles along k in padded shared memory, one element a thread",
    [](auto transa, auto transb) { return kernel<transa, transb>; },
    block,
    sizeof(storage));

} // namespace myblas::cuda
