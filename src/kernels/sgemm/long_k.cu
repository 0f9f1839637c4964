// Small outputs with a long k, and outputs of 17 to 64 lines on a side.
//
// Bound: reading A and B, 4 (m + n) k bytes, up to 32 lines on a side; with 64 x 64 tiles instruction issue,
// 16 128-bit shared loads for 256 FMAs. It reaches half of that (docs/experiments/sgemm_skinny.md).
// A multiprocessor has one block, whose warps share k: parts of k are then long enough for several slabs
// in flight, and clusters have few parts to add.
// Shared memory, threads, stages: in the table below; see streamed_tile.cuh for what the columns mean.
// Workspace: where one cluster a tile leaves multiprocessors idle, a tile for each cluster.
// Accepts all that the grid has blocks for, with that workspace.
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/streamed_tile.cuh"

namespace myblas::cuda {
namespace {

// clang-format off
//                                block          thread  lanes   warps
//                                l    s    k    l  s    l   s   l  s  k  stages  blocks, fill
using square_32    = streamed_shape<32,  32,  128, 8, 4,   4,  8,  1, 1, 8, 5,      1, 1>;
using width_32     = streamed_shape<64,  32,  64,  8, 8,   8,  4,  1, 1, 8, 6,      1, 1>;
using square_64    = streamed_shape<64,  64,  32,  8, 8,   8,  4,  1, 2, 4, 6,      1, 1>;
// clang-format on

// Index of a problem's shape in `kernels`.
int pick(const sgemm_problem& p, const device_info&) {
    return p.m <= 32 && p.n <= 32 ? 0 : p.m <= 32 || p.n <= 32 ? 1 : 2;
}

using kernels = streamed_kernels<pick, square_32, width_32, square_64>;

} // namespace

const kernel_entry<sgemm_problem> sgemm_long_k = kernels::entry<square_64>(
    "long_k",
    "small outputs, long k: operands streamed in memory order, k shared by warps and clusters");

} // namespace myblas::cuda
