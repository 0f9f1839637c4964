// Asynchronous copies through the L1 cache, sm_80 and later.
// PTX ISA, "Data Movement and Conversion Instructions: cp.async".
#pragma once

#include "kernels/common/cp_async.cuh"

namespace myblas::cuda {

// Like cp_async, but copies of 16 bytes go through the L1 cache if `is_cached` is true.
template <int bytes>
__device__ __forceinline__ void
cp_async_cached(bool is_cached, void* smem_target, const void* gmem_source, bool reads) {
    if constexpr (bytes == 16) {
        const uint32_t target = static_cast<uint32_t>(__cvta_generic_to_shared(smem_target));
        asm volatile("{\n\t"
                     ".reg .pred cached;\n\t"
                     "setp.ne.u32 cached, %3, 0;\n\t"
                     "@cached cp.async.ca.shared.global [%0], [%1], 16, %2;\n\t"
                     "@!cached cp.async.cg.shared.global [%0], [%1], 16, %2;\n\t"
                     "}" ::"r"(target),
                     "l"(gmem_source),
                     "r"(reads ? bytes : 0),
                     "r"(static_cast<unsigned>(is_cached))
                     : "memory");
    } else {
        cp_async<bytes>(smem_target, gmem_source, reads);
    }
}

} // namespace myblas::cuda
