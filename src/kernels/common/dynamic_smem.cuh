// The dynamic shared memory of a block, seen as one struct.
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

template <class T>
__device__ __forceinline__ T& dynamic_smem() {
    extern __shared__ float4 dynamic_smem_of_block[];
    static_assert(alignof(T) <= alignof(float4));
    return *reinterpret_cast<T*>(dynamic_smem_of_block);
}

} // namespace myblas::cuda
