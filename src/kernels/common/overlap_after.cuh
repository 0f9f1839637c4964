// A dependent launch whose wait has a place in the code (overlap.cuh).
#pragma once

#include <cstdint>

namespace myblas::cuda {

// As grid_dependency_sync, but not before `value` is known, which must not be zero. The compiler
// moves a plain wait in front of the arithmetic before it. Kernels that take about as long as a
// launch compute their addresses while the kernel before still runs, and pass their bits, joined
// by |.
__device__ __forceinline__ void grid_dependency_sync_after([[maybe_unused]] uint64_t value) {
#if __CUDA_ARCH__ >= 900
    asm volatile("{\n"
                 ".reg .pred is_known;\n"
                 "setp.ne.u64 is_known, %0, 0;\n"
                 "@is_known griddepcontrol.wait;\n"
                 "}" ::"l"(value)
                 : "memory");
#endif
}

__device__ __forceinline__ uint64_t address_bits(const void* pointer) {
    return reinterpret_cast<uintptr_t>(pointer);
}

} // namespace myblas::cuda
