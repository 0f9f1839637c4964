// Loads of 8 x 8 matrices from shared memory to a warp. PTX ISA, "Warp-Level Matrix Instructions: ldmatrix".
#pragma once

#include <cstdint>

namespace myblas::cuda {

// Four matrices of 8 rows of 16 bytes; lane 8 i + r gives the address of row r of matrix i. For a matrix of 32-bit
// elements, 8 x 4, lane 4 r + c gets element (r, c) of each. All 32 lanes call this together.
__device__ __forceinline__ void load_matrices(float (&x)[4], uint32_t row_address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                 : "r"(row_address)
                 : "memory");
}

} // namespace myblas::cuda
