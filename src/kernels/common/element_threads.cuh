// Kernels for small matrices with a thread for each element. A thread loads all that its element
// needs straight to registers, at the same time, and waits once.
#pragma once

#include "kernels/common/launch.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace myblas::cuda {

// As grid_dependency_sync (overlap.cuh), but not before `value` is known, which must not be zero.
// The compiler moves a plain wait in front of the arithmetic before it. Kernels that take about as
// long as a launch compute their addresses while the kernel before still runs, and pass their bits,
// joined by |.
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

// The blocks over a matrix. Neighbouring threads have neighbouring rows. A block has at least 32
// rows unless the matrix has fewer, and more if the matrix has few columns.
struct element_blocks {
    int log_rows; // of a block
    int64_t x, y; // blocks along the columns, and along the rows

    element_blocks(int64_t rows, int64_t columns, int threads) {
        const auto limited = [](int64_t x, int most) {
            return static_cast<int>(
                std::bit_ceil(static_cast<unsigned>(std::min<int64_t>(x, most))));
        };
        const int block_rows = limited(rows, threads / limited(columns, threads / 32));
        log_rows = std::countr_zero(static_cast<unsigned>(block_rows));
        x = quotient_up(columns, threads / block_rows);
        y = quotient_up(rows, block_rows);
    }
};

// The thread's element.
struct element_place {
    int row, col;

    __device__ __forceinline__ explicit element_place(int log_rows)
        : row((blockIdx.y << log_rows) + (threadIdx.x & ((1 << log_rows) - 1))),
          col(blockIdx.x * (blockDim.x >> log_rows) + (threadIdx.x >> log_rows)) {}
};

} // namespace myblas::cuda
