// long_k_64x64: a tile that a single warp computes, each of eight over its slabs of k.
//
// Bound: FMA issue, and reading A and B where it computes one tile: 512 bytes for 8192 flops.
// Shared memory: three slots of 16 k of both operands for each of 8 warps, 204 KiB.
// Workspace: where k is cut, 16 KiB for each part of a tile, and no more parts than two for each multiprocessor.
// Launch: 256 threads for each part of a tile, then 256 for 32 quads of rows of C; see long_k_tile.cuh.
// Accepts single products, with that workspace.
#include "kernels/sgemm/long_k_tile.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {

const kernel_entry<sgemm_problem> sgemm_long_k_64x64 = long_k_launcher<long_k_shape<1, 1>>::entry(
    "long_k_64x64", "small outputs, long k: 64 x 64 tiles, each warp with slabs of its own");

} // namespace myblas::cuda
