#include "kernels/sgemm/registry.h"

#include "core/routine.h"

#include <span>

namespace myblas {
namespace {

using family = std::span<const cuda::sgemm_kernel>;

constexpr family single(const cuda::sgemm_kernel& kernel) { return {&kernel, 1}; }

// In the order of complexity, the simplest first.
constexpr family families[] = {
    single(cuda::sgemm_naive),
    single(cuda::sgemm_coalesced),
    single(cuda::sgemm_grid_stride),
    single(cuda::sgemm_shared_rows),
    single(cuda::sgemm_shared_tile),
    single(cuda::sgemm_shared_tile_grid_stride),
    single(cuda::sgemm_register_tile_strided),
    single(cuda::sgemm_register_tile),
    single(cuda::sgemm_register_tile_2x2),
    single(cuda::sgemm_register_tile_packed),
    single(cuda::sgemm_vectorised),
    single(cuda::sgemm_warp_quadrants),
    single(cuda::sgemm_double_buffered),
    single(cuda::sgemm_multistage),
    cuda::sgemm_warp_tile,
    single(cuda::sgemm_split_k),
    cuda::sgemm_stream_k,
    cuda::sgemm_small_tile,
    cuda::sgemm_small_tile_clusters,
    single(cuda::sgemm_short_k),
    single(cuda::sgemm_skinny),
    single(cuda::sgemm_gemv),
    single(cuda::sgemm_thin_panel),
    cuda::sgemm_bf16x6,
    cuda::sgemm_fp16x3,
    cuda::sgemm_tf32x3,
    cuda::sgemm_tf32x3_batch,
};

constexpr size_t count = [] {
    size_t sum = 0;
    for (const family& f : families)
        sum += f.size();
    return sum;
}();

constexpr std::array<const cuda::sgemm_kernel*, count> kernels = [] {
    std::array<const cuda::sgemm_kernel*, count> all{};
    size_t next = 0;
    for (const family& f : families)
        for (const cuda::sgemm_kernel& kernel : f)
            all[next++] = &kernel;
    return all;
}();

} // namespace

template <>
kernel_list<sgemm_problem> cuda_kernels<sgemm_problem>() {
    return kernels;
}

} // namespace myblas
