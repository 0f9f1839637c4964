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
namespace {

using shape = stream_k_shape<128, 8, 3>;
using launcher = stream_k_launcher<shape>;

} // namespace

const kernel_entry<sgemm_problem> sgemm_stream_k_128x128 = {
    .name = "stream_k_128x128",
    .description = "stream_k with block tiles of 128 x 128",
    .min_arch = 90,
    .max_arch = 90,
    .block_m = shape::block_m,
    .block_n = shape::block_n,
    .block_k = shape::block_k,
    .threads = shape::threads,
    .stages = shape::stages,
    .smem_bytes = launcher::max_smem_bytes,
    .accepts = launcher::fits,
    .workspace_bytes = launcher::workspace_bytes,
    .work = launcher::work,
    .prepare = launcher::prepare,
    .launch = launcher::launch,
};

} // namespace myblas::cuda
