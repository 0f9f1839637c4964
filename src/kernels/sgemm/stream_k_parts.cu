// stream_k_parts: few tiles of C and a long k, whose parts are added by a second kernel.
//
// Bound: FMA issue, as stream_k; then reading the sums of all parts, 2 us.
// Shared memory: six stages of 256 x 16 and 16 x 128 slabs, three raw ones of operands with k along memory.
// Workspace: the sums of all parts, at most 128 KiB for each multiprocessor.
// Launch: one block of 384 threads for each part; then 256 threads for 32 quads of rows of C.
// Accepts single products of at most a tile for eight multiprocessors.
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/stream_k_parts.cuh"

namespace myblas::cuda {

const kernel_entry<sgemm_problem> sgemm_stream_k_parts =
    stream_k_parts_launcher<stream_k_shape<256, 6, 3>>::entry(
        "stream_k_parts", "stream_k with 256 x 128 block tiles, a part of k for each worker");

} // namespace myblas::cuda
