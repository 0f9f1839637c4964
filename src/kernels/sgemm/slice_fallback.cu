// The strict end of the sliced kernels: what their slices cannot represent, on the FP32 units.
//
// Launched behind every pass but those whose product kernel is alone (packed_pass), without knowing whether
// it is needed: the packing has left word in device memory, and nothing waits for it on the host. Persistent
// blocks, so that ending at once is cheap.
// Tiles and thread tiles: those of warp_tile_128x128.
#include "kernels/sgemm/slice_fallback.h"

#include "kernels/common/overlap.h"
#include "kernels/sgemm/slice_strict.cuh"

namespace myblas::cuda {
namespace {

using shape = warp_tile_shape<128, 128, 16, 32, 64, 4, 4>;
constexpr int blocks_per_sm = 1;

template <bool transa, bool transb, bool vector>
__global__ void __launch_bounds__(shape::threads, blocks_per_sm)
    strict_pass_kernel(const sgemm_problem p, const slice_pass pass, const route* taken) {
    wait_for_earlier_work();
    let_next_kernel_come();
    if (*taken != route_strict)
        return;
    extern __shared__ __align__(16) float smem[];
    compute_strict_tiles<shape, transa, transb, vector>(p, pass, gridDim.x, smem);
}

// f(kernel, shared bytes of it)
template <class F>
myblasStatus_t with_variant(const sgemm_problem& p, bool quads, F&& f) {
    return with_copies(p, quads, [&](auto transa, auto transb, auto vector) {
        return f(strict_pass_kernel<transa, transb, vector>,
                 warp_tile<shape, transa, transb, vector>::smem_bytes);
    });
}

} // namespace

myblasStatus_t launch_strict_pass(const sgemm_problem& p,
                                  const slice_pass& pass,
                                  const route* taken,
                                  const launch_context& context) {
    const int64_t tiles = ceil_div<int64_t>(pass.rows, shape::block_m) *
                          ceil_div<int64_t>(pass.cols, shape::block_n) * pass.batches;
    const int64_t resident = int64_t{context.device->sm_count} * blocks_per_sm;
    const dim3 grid(static_cast<unsigned>(std::min(tiles, resident)));
    return with_variant(p, copies_quads(p), [&](auto kernel, size_t smem_bytes) {
        return launch_clusters(
            kernel, grid, 1, true, shape::threads, smem_bytes, context, p, pass, taken);
    });
}

myblasStatus_t prepare_strict_pass(const device_info&) {
    for (int variant = 0; variant < 8; ++variant) {
        sgemm_problem p;
        p.transa = variant & 1;
        p.transb = variant & 2;
        const myblasStatus_t status =
            with_variant(p, variant & 4, [](auto kernel, size_t smem_bytes) {
                const myblasStatus_t allowed = allow_smem(kernel, smem_bytes);
                return allowed == MYBLAS_STATUS_SUCCESS ? prefer_smem(kernel) : allowed;
            });
        if (status != MYBLAS_STATUS_SUCCESS)
            return status;
    }
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace myblas::cuda
