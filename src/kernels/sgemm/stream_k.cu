// stream_k: the kernel for large products on Hopper. Persistent blocks; warps that only multiply, fed by
// warps that only copy; equal shares of the work for all multiprocessors, whatever the shape.
//
// Bound: FMA issue. A 16 x 8 thread tile leaves 128 of 134 issue slots to FMAs.
// Shared memory: six stages of 256 x 16 and 16 x 128 slabs, three raw ones of operands with k along memory.
// Workspace: the sums of unfinished tiles, 128 KiB for each multiprocessor, where tiles are split.
// Launch: one block of 384 threads for each multiprocessor.
// Accepts single products; batches go to kernels with a block a tile.
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/stream_k.cuh"

namespace myblas::cuda {

const kernel_entry<sgemm_problem> sgemm_stream_k =
    stream_k_launcher<stream_k_shape<256, 6, 3>>::entry(
        "stream_k",
        "256 x 128 block tiles, producer and consumer warps, TMA, equal shares of all slabs");

} // namespace myblas::cuda
