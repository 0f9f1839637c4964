// Shared memory whose size a launch gives. (Apart, so that the tests that run kernels on a CPU can put their own in its
// place: tests/grid.)
#pragma once

#include <cuda_runtime.h>

namespace myblas::cuda {

template <class T>
__device__ __forceinline__ T& dynamic_smem() {
    extern __shared__ __align__(128) unsigned char memory[];
    return *reinterpret_cast<T*>(memory);
}

} // namespace myblas::cuda
