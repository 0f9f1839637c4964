// long_k_128x64: for outputs of 65 to 128 rows: half the tiles, and three quarters of the reads, of long_k_64x64.
//
// Bound: FMA issue.
// Shared memory: three slots of 16 k of both operands for each of 4 pairs of warps, 150 KiB.
// Workspace: where k is cut, 32 KiB for each part of a tile, and no more parts than two for each multiprocessor.
// Launch: 256 threads for each part of a tile, then 256 for 32 quads of rows of C; see long_k_tile.cuh.
// Accepts single products, with that workspace.
#include "kernels/sgemm/long_k_tile.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {

const kernel_entry<sgemm_problem> sgemm_long_k_128x64 = long_k_launcher<long_k_shape<2, 1>>::entry(
    "long_k_128x64",
    "small outputs, long k: 128 x 64 tiles, each pair of warps with slabs of its own");

} // namespace myblas::cuda
