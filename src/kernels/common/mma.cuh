// Matrix products of a warp, sm_80 and later.
// PTX ISA, "Warp-Level Matrix Instructions: ldmatrix" and "Matrix multiply-accumulate: mma".
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace myblas::cuda {

// Four 8 x 8 matrices of 16 bits from shared memory. Lane 8 i + r gives the address of row r of matrix i, 16
// bytes of which; lane t gets of matrix i, in r[i], row t / 4 and columns t % 4 * 2 + {0, 1}.
__device__ __forceinline__ void ldmatrix_x4(uint32_t (&r)[4], uint32_t smem_address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(smem_address)
                 : "memory");
}

// d += A B for A of 16 x 16 and B of 16 x 8. Lane t holds, at d[2 r + c], row t / 4 + 8 r and column
// t % 4 * 2 + c; of A the 8 x 8 matrices (row, k) 00, 10, 01, 11, of B^T those of k 0 and 1, as ldmatrix
// gives them.
template <class Slice>
__device__ __forceinline__ void
mma_16x8x16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]);

template <>
__device__ __forceinline__ void
mma_16x8x16<__half>(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <>
__device__ __forceinline__ void
mma_16x8x16<__nv_bfloat16>(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

} // namespace myblas::cuda
