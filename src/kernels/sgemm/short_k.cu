// Products of a short k, whose time goes into writing C.
//
// Bound: writing C, 4 m n bytes, up to about 16 k; then shared memory, which gives a multiprocessor 32 floats
// a cycle: a thread takes 10 for 16 FMAs with a tile of 2 x 8, 12 for 32 with 4 x 8.
// The shape follows the sides and k: tiles of 64 x 32 for a k of one slab, or where there are few; else
// 64 x 64; 128 x 32 and 32 x 128 where one side is at most 32.
// Shared memory: up to 4 stages of 16 k of both operands; 6 to 42 KiB, by k. Threads: 128.
// Accepts all that the grid has blocks for, any k up to 2^30.
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/short_k.cuh"

namespace myblas::cuda {
namespace {

// clang-format off
//                             lanes  thread  warps
//                             m      m  n    m  n   blocks
using narrow  = short_k_shape<32,     2, 8,   1, 4,  8>; // 64 x 32
using square  = short_k_shape<16,     4, 8,   1, 4,  5>; // 64 x 64
using tall    = short_k_shape<32,     4, 8,   1, 4,  6>; // 128 x 32
using wide    = short_k_shape<8,      4, 8,   1, 4,  6>; // 32 x 128
// clang-format on

// Whether there is little to do for each multiprocessor, a slab for each block or hardly more than a block.
bool is_light(const sgemm_problem& p, const device_info& device) {
    return p.k <= narrow::block_k ||
           tile_count(p, narrow::block_m, narrow::block_n) <= device.sm_count * 3 / 2;
}

// Calls f with the launcher of a problem's shape.
template <class F>
auto with_shape(const sgemm_problem& p, const device_info& device, F&& f) {
    if (is_light(p, device))
        return f(short_k_launcher<narrow>{});
    if (p.n <= 32)
        return f(short_k_launcher<tall>{});
    if (p.m <= 32)
        return f(short_k_launcher<wide>{});
    return f(short_k_launcher<square>{});
}

bool fits(const sgemm_problem& p, const device_info& device) {
    return with_shape(p, device, [&](auto launcher) { return launcher.fits(p, device); });
}

myblasStatus_t launch_kernel(const sgemm_problem& p, const launch_context& context) {
    return with_shape(
        p, *context.device, [&](auto launcher) { return launcher.launch(p, context); });
}

} // namespace

const kernel_entry<sgemm_problem> sgemm_short_k = {
    .name = "short_k",
    .description = "short k: neighbouring threads write neighbouring rows, all of k in flight",
    .min_arch = 80,
    .block_m = square::block_m,
    .block_n = square::block_n,
    .block_k = square::block_k,
    .threads = square::threads,
    .stages = square::stages,
    .smem_bytes = short_k_launcher<tall>::max_smem_bytes,
    .accepts = fits,
    .launch = launch_kernel,
};

} // namespace myblas::cuda
