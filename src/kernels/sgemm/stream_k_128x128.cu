// stream_k_128x128: stream_k with block tiles of half the size, for products of few tiles. A tile is then
// shared by half as many workers, and what they pass on is half as much.
//
// Bound: FMA issue. An 8 x 8 thread tile leaves 64 of 68 issue slots to FMAs.
// Shared memory: eight stages of 128 x 16 and 16 x 128 slabs, three raw ones of operands with k along memory.
// Workspace: the sums of unfinished tiles, 64 KiB for each multiprocessor, where tiles are split.
// Launch: one block of 384 threads for each multiprocessor.
// Accepts single products; batches go to kernels with a block a tile.
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/stream_k.cuh"

namespace myblas::cuda {

const kernel_entry<sgemm_problem> sgemm_stream_k_128x128 =
    stream_k_launcher<stream_k_shape<128, 8, 3>>::entry("stream_k_128x128",
                                                        "stream_k with block tiles of 128 x 128");

} // namespace myblas::cuda
