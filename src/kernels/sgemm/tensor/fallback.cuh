// The fallback of fp16x3 in one launch, which exits immediately unless the operands need it: bf16x6
// packs and multiplies, or the FP32 units compute.
//
// Warps claim strips and pack them. Then every block waits until all strips are packed, decides and
// multiplies (product.cuh). Any block that runs may claim any strip, so none waits for a block that
// may not be running.
//
// Shared memory and launch shape: as for the product kernel.
#pragma once

#include "kernels/common/counter.cuh"
#include "kernels/sgemm/tensor/pack.cuh"
#include "kernels/sgemm/tensor/product.cuh"

namespace myblas::cuda {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// Packs the strips that the warp claims, and publishes what it found and how many there were.
template <class Scheme>
__device__ __forceinline__ void pack_claimed(const pass_job& job, const pack_schedule& schedule) {
    unsigned* const counters = job.packed.counters;
    const int lane = threadIdx.x % 32;
    const auto claim = [&] {
        const unsigned unit = lane == 0 ? count_one(&counters[claimed_by_fallback]) : 0;
        return __shfl_sync(full_warp, unit, 0);
    };
    unsigned unit = claim(), before = 0, packed = 0, request = 0;
#pragma unroll 1
    for (int operand = 0; operand < (job.pass.shares_panels ? 1 : 2); ++operand) {
        const bool is_a = operand == 0;
        const pack_source source(job, is_a);
        findings found;
        pack_strips<Scheme>(job, source, schedule, unit - before, found, [&] {
            ++packed;
            unit = claim();
            return unit - before;
        });
        before += strip_count(job, source, schedule).all();
        request = max(request, found.request);
        const int greatest = __reduce_max_sync(full_warp, found.greatest);
        const int smallest = __reduce_min_sync(full_warp, found.smallest);
        const auto tell = [&](int to) {
            atomicMax(&counters[to], static_cast<unsigned>(greatest));
            atomicMax(&counters[to + 1], static_cast<unsigned>(no_exponent - smallest));
        };
        if (lane == 0 && is_a)
            tell(greatest_of_a);
        if (lane == 0 && (!is_a || job.pass.shares_panels))
            tell(greatest_of_b);
    }
    request = __reduce_max_sync(full_warp, request);
    if (lane == 0)
        atomicMax(&counters[request_of_blocks], request);
    __syncwarp(); // all lanes have written their part
    fence_device();
    fence_for_copies();
    if (lane == 0)
        atomicAdd(&counters[packed_by_fallback], packed);
}

#endif

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, 1) fallback_kernel(const sgemm_problem p,
                                                                     const limb_pass pass,
                                                                     const pack_schedule packing,
                                                                     const packed_pass packed,
                                                                     const tile_schedule tiles) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    using Scheme = typename Shape::Scheme;
    constexpr precision_path own = path_of<Scheme>;
    grid_dependency_sync();
    launch_dependents();
    precision_path taken = *packed.taken;
    if (taken < own)
        return;
    extern __shared__ __align__(1024) char smem[];
    const pass_job job{p, pass, packed};
    if (taken == own) {
        init_stages<Shape>(smem);
        pack_claimed<Scheme>(job, packing);
        __syncthreads(); // the barriers are initialised, and the block's warps have no more strips
        if (threadIdx.x == 0) {
            unsigned all = strip_count(job, pack_source(job, true), packing).all();
            if (!pass.shares_panels)
                all += strip_count(job, pack_source(job, false), packing).all();
            while (load_counter_and_acquire(&packed.counters[packed_by_fallback]) != all)
                ;
            fence_device();
            fence_for_copies();
        }
        __syncthreads(); // all strips are packed
        taken = decide<Scheme>(packed.counters, p.k, path_strict);
        __syncthreads(); // the block has read the counters
        if (threadIdx.x == 32)
            publish_path(packed, taken);
        if (taken == own) {
            multiply_packed<Shape>(job, tiles, smem);
            return;
        }
    }
    static_assert(warp_tile<alone_shape, true, false, false>::smem_bytes <= Shape::smem_bytes);
    if (threadIdx.x < alone_shape::threads)
        compute_strict_tiles<with_epilogue_of<Shape, alone_shape>>(p, pass, gridDim.x, smem);
#endif
}

} // namespace myblas::cuda
