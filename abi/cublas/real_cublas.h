// The cuBLAS that a caller would have got without the preload, and the types of its functions.
// Enumerations are ints here, and handles are void*: no header of CUDA is needed.
#pragma once

#include "myblas/myblas.h"

#include <cstddef>
#include <cstdint>

namespace myblas::preload {

// Values of cuBLAS 12 and 13.
inline constexpr int cublas_not_initialized = 1;
inline constexpr int cublas_real_32f = 0;     // cudaDataType
inline constexpr int cublas_compute_32f = 68; // cublasComputeType_t
inline constexpr int cublas_compute_32f_pedantic = 69;
inline constexpr int cublas_default_math = 0, cublas_tensor_op_math = 1; // cublasMath_t
inline constexpr int cublas_pedantic_math = 2, cublas_tf32_math = 3;
// Flags that change nothing for products of floats: emulated double precision, and no reduced-precision
// reductions.
inline constexpr int cublas_irrelevant_math = 8 | 16;
static_assert(MYBLAS_STATUS_EXECUTION_FAILED == 13, "statuses are cuBLAS's");

enum class entry : int {
    sgemm,
    sgemm_strided_batched,
    sgemm_batched,
    gemm_ex,
    gemm_strided_batched_ex,
    sgemv,
    sgeam,
    sasum,
    sdot,
    saxpy,
    scopy,
};
inline constexpr int entry_count = 11;

struct real_cublas {
    void* functions[2][entry_count]; // [0]: int sizes, [1]: the _64 forms
    int (*destroy)(void*);
    int (*set_stream)(void*, myblasStream_t);
    int (*set_workspace)(void*, void*, size_t);
    int (*get_stream)(void*, myblasStream_t*);
    int (*get_pointer_mode)(void*, int*);
    int (*get_math_mode)(void*, int*);
    int major; // 0: unknown

    template <class Size, class Function>
    Function* get(entry e) const noexcept {
        return reinterpret_cast<Function*>(functions[sizeof(Size) == 8][static_cast<int>(e)]);
    }
};

const real_cublas& cublas_of(const void* caller) noexcept;

} // namespace myblas::preload
