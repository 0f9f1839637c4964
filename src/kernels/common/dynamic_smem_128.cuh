// The dynamic shared memory of a block, aligned to 128 bytes. This is a separate file so that the
// tests that run kernels on a CPU can replace it (tests/cpu_kernels).
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

template <class T>
__device__ __forceinline__ T& dynamic_smem_128() {
    extern __shared__ __align__(128) unsigned char memory[];
    return *reinterpret_cast<T*>(memory);
}

} // namespace myblas::cuda
