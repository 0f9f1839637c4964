// The cuBLAS that a caller would have got without the preload. Handles are void*, so that no header
// of CUDA is needed.
#pragma once

#include "myblas/myblas.h"

#include <atomic>
#include <cstddef>

namespace myblas::preload {

// Values of cuBLAS 12 and 13.
inline constexpr int cublas_not_initialized = 1, cublas_not_supported = 15;
inline constexpr int cublas_default_math = 0, cublas_tensor_op_math = 1; // cublasMath_t
inline constexpr int cublas_pedantic_math = 2, cublas_tf32_math = 3;
inline constexpr int cublas_emulated_math = 4; // CUBLAS_FP32_EMULATED_BF16X9_MATH
// Flags that change nothing for products of floats: emulated double precision, and the ban on
// reduced-precision reductions.
inline constexpr int cublas_irrelevant_math = 8 | 16;
static_assert(MYBLAS_STATUS_EXECUTION_FAILED == 13, "statuses are cuBLAS's");

// The rows of the table, in its order.
enum class entry : int {
#define CUBLAS_ENTRY(name, ...) name,
#include "common/entries.inc"
#undef CUBLAS_ENTRY
#define CUBLASLT_ENTRY(name) name,
#include "common/entries.inc"
#undef CUBLASLT_ENTRY
    count
};
inline constexpr int entry_count = static_cast<int>(entry::count);

class real_cublas {
public:
    // The functions that serving a call needs. Null: the function is missing.
    struct settings {
        int (*destroy)(void*);
        int (*set_stream)(void*, myblasStream_t);
        int (*set_workspace)(void*, void*, size_t);
        int (*set_sm_count_target)(void*, int);
        int (*get_stream)(void*, myblasStream_t*);
        int (*get_pointer_mode)(void*, int*);
        int (*get_math_mode)(void*, int*);
        int major; // 0: unknown
        bool operator==(const settings&) const = default;
    };
    const settings of_handles;

    explicit real_cublas(const settings& s) noexcept : of_handles(s) {}

    // The function of an entry, looked up by name when it is first needed; null: the function is
    // missing.
    void* function(entry, bool is_64, const char* name, const void* caller) const noexcept;

private:
    friend const real_cublas& cublas_of(const void* caller) noexcept;
    mutable std::atomic<void*> functions_[2][entry_count] = {};
    real_cublas* next_ = nullptr;
};

const real_cublas& cublas_of(const void* caller) noexcept;

} // namespace myblas::preload
