// Loads of 8 x 8 matrices from shared memory into a warp's registers. PTX ISA, "Warp-Level Matrix
// Instructions: ldmatrix".
#pragma once

#include <cstdint>

namespace myblas::cuda {

// Loads four matrices of 8 rows of 16 bytes. Lane 8 i + r passes the address of row r of matrix i.
// Seen as 8 x 4 matrices of 32-bit elements, lane 4 r + c receives element (r, c) of each. All 32
// lanes call it together.
__device__ __forceinline__ void load_matrices(float (&x)[4], uint32_t row_address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                 : "r"(row_address)
                 : "memory");
}

} // namespace myblas::cuda
