// stream_k_lanes: stream_k with block tiles of a quarter and no transposition in shared memory, for products of
// few tiles, and for operands with k along memory.
//
// Bound: FMA issue. A 16 x 8 thread tile leaves 128 of 134 issue slots to FMAs.
// Shared memory: six stages of 128 x 32 and 32 x 64 slabs; a tile of each warp, on its way to C.
// Workspace: the sums of unfinished tiles, 32 KiB for each multiprocessor, where tiles are split; copies of
// operands that are not on the grid of 16 bytes.
// Launch: one block of 384 threads for each multiprocessor; before it a warp for every 256 elements of a line
// that is to be copied.
// Accepts single products; batches go to kernels with a block a tile.
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/stream_k_lanes.cuh"

namespace myblas::cuda {

const kernel_entry<sgemm_problem> sgemm_stream_k_lanes =
    stream_k_lanes_launcher<stream_k_lanes_shape<6>>::entry(
        "stream_k_lanes",
        "stream_k with block tiles of 128 x 64, whose warps' lanes share k, and no transposition");

} // namespace myblas::cuda
