// Warpgroup matrix products, sm_90a only. PTX ISA, "Asynchronous Warpgroup Level Matrix
// Multiply-Accumulate Instructions".
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace myblas::cuda {

// Byte offset of piece j (16 bytes) of row r in the swizzle for rows of 64 or 128 bytes. Tensor
// copies use the same swizzle.
template <int row_bytes>
__device__ __forceinline__ int swizzled(int row, int j) {
    static_assert(row_bytes == 64 || row_bytes == 128);
    return row * row_bytes + (j ^ (row_bytes == 64 ? row / 2 % 4 : row % 8)) * 16;
}

// An operand tile in shared memory, with k along rows of 64 or 128 bytes in the swizzle of that
// size. Piece j of 16 bytes of row r lies at piece j ^ (r / 2 % 4) or j ^ (r % 8). A tile begins
// where a group of 8 rows may begin, at a multiple of 512 or 1024 bytes, or at a multiple of 32
// bytes inside a row of 128.
template <int row_bytes>
class wgmma_tile {
public:
    explicit __device__ __forceinline__ wgmma_tile(uint32_t smem_address)
        : low_(unused_stride | (smem_address & 0x3ffff) >> 4) {}

    // The tile that begins `bytes`, a multiple of 16, further on. In the descriptor this is one
    // addition.
    __device__ __forceinline__ wgmma_tile after(uint32_t bytes) const {
        wgmma_tile other = *this;
        other.low_ += bytes / 16;
        return other;
    }

    __device__ __forceinline__ uint64_t descriptor() const { return uint64_t{high} << 32 | low_; }

private:
    static_assert(row_bytes == 64 || row_bytes == 128);
    static constexpr uint32_t unused_stride = 1u << 16;
    static constexpr uint32_t swizzle = (row_bytes == 64 ? 2u : 1u) << 30;
    static constexpr uint32_t high = swizzle | 8 * row_bytes / 16; // the stride of 8 rows

    uint32_t low_;
};

// Orders this warpgroup's register accesses before the products that follow.
__device__ __forceinline__ void wgmma_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void wgmma_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int pending>
__device__ __forceinline__ void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// d = (accumulates ? d : 0) + A B^T for A of 64 x 16 and B of 128 x 16. Thread t of the warpgroup
// holds, at d[4 j + 2 r + c], row t / 32 * 16 + t % 32 / 4 + 8 r and column 8 j + t % 4 * 2 + c.
template <class Limb>
__device__ __forceinline__ void
wgmma_64x128x16(float (&d)[64], uint64_t a, uint64_t b, bool accumulates);

template <>
__device__ __forceinline__ void
wgmma_64x128x16<__half>(float (&d)[64], uint64_t a, uint64_t b, bool accumulates) {
    // clang-format off
    asm volatile(
        "{\n"
        ".reg .pred accumulates;\n"
        "setp.ne.b32 accumulates, %66, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, accumulates, 1, 1, 0, 0;\n"
        "}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]),
          "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
          "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
          "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
          "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]),
          "+f"(d[63])
        : "l"(a), "l"(b), "r"(static_cast<int>(accumulates)));
    // clang-format on
}

template <>
__device__ __forceinline__ void
wgmma_64x128x16<__nv_bfloat16>(float (&d)[64], uint64_t a, uint64_t b, bool accumulates) {
    // clang-format off
    asm volatile(
        "{\n"
        ".reg .pred accumulates;\n"
        "setp.ne.b32 accumulates, %66, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, accumulates, 1, 1, 0, 0;\n"
        "}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]),
          "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
          "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
          "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
          "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]),
          "+f"(d[63])
        : "l"(a), "l"(b), "r"(static_cast<int>(accumulates)));
    // clang-format on
}

// d = (accumulates ? d : 0) + A B^T for A of 64 x 8 and B of 64 x 8, both TF32: floats whose 13
// lowest bits are ignored. d is laid out as above. Element (row, col) of A is at a[2 h + r] of
// thread t, where row = t / 32 * 16 + t % 32 / 4 + 8 r and col = t % 4 + 4 h.
__device__ __forceinline__ void
wgmma_64x64x8_tf32(float (&d)[32], const uint32_t (&a)[4], uint64_t b, bool accumulates) {
    // clang-format off
    asm volatile(
        "{\n"
        ".reg .pred accumulates;\n"
        "setp.ne.b32 accumulates, %37, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
        "{%32, %33, %34, %35}, %36, accumulates, 1, 1;\n"
        "}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(accumulates)));
    // clang-format on
}

// Sets the number of registers of each thread of the warpgroup from here on, a multiple of 8.
template <int registers>
__device__ __forceinline__ void give_up_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ __forceinline__ void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

} // namespace myblas::cuda
