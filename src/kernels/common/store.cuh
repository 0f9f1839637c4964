// Stores.
#pragma once

namespace myblas::cuda {

// Stores a pair that is aligned to 8 bytes. PTX, as nvcc 13.0 makes two stores of one float2 where
// the code also has another store, for unaligned pairs. PTX ISA, "Data Movement and Conversion
// Instructions: st".
__device__ __forceinline__ void store_pair(float* gmem, const float (&x)[2]) {
    asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(gmem), "f"(x[0]), "f"(x[1]) : "memory");
}

} // namespace myblas::cuda
