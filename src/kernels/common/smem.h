// Addresses in shared memory, as PTX wants them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace myblas::cuda {

__device__ __forceinline__ uint32_t smem_address(const void* smem) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(smem));
}

} // namespace myblas::cuda
