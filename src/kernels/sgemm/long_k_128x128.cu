// long_k_128x128: for k so long that reading A and B from the L2 cache counts, half as much as in long_k_64x64.
//
// Bound: FMA issue.
// Shared memory: the sums of two groups of four warps, 128 KiB; their slots before that are smaller.
// Workspace: where k is cut, 64 KiB for each part of a tile, and no more parts than two for each multiprocessor.
// Launch: 256 threads for each part of a tile, then 256 for 32 quads of rows of C; see long_k_tile.cuh.
// Accepts single products, with that workspace.
#include "kernels/sgemm/long_k_tile.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {

const kernel_entry<sgemm_problem> sgemm_long_k_128x128 = long_k_launcher<long_k_shape<2, 2>>::entry(
    "long_k_128x128",
    "small outputs, long k: 128 x 128 tiles, each four warps with slabs of their own");

} // namespace myblas::cuda
