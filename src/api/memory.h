// Copies between host and device, as entry_points.cpp calls them.
#pragma once

#include "core/handle.h"

namespace myblas {

struct matrix_copy_call {
    const char* function;
    bool to_device;
    bool waits; // and then on the handle's stream
};
struct vector_copy_call : matrix_copy_call {};

namespace calls {
inline constexpr matrix_copy_call set_matrix{"myblasSetMatrix", true, true};
inline constexpr matrix_copy_call get_matrix{"myblasGetMatrix", false, true};
inline constexpr matrix_copy_call set_matrix_async{"myblasSetMatrixAsync", true, false};
inline constexpr matrix_copy_call get_matrix_async{"myblasGetMatrixAsync", false, false};
inline constexpr vector_copy_call set_vector{"myblasSetVector", true, true};
inline constexpr vector_copy_call get_vector{"myblasGetVector", false, true};
inline constexpr vector_copy_call set_vector_async{"myblasSetVectorAsync", true, false};
inline constexpr vector_copy_call get_vector_async{"myblasGetVectorAsync", false, false};
} // namespace calls

// A copy between host and device, in elements.
struct matrix_transfer {
    int64_t rows, cols, element_bytes;
    const void* source;
    int64_t source_ld;
    void* target;
    int64_t target_ld;

    // For the backend. The arguments are checked. Contiguous columns become one.
    matrix_copy in_bytes(bool to_device) const;
};

// `stream`: where the call does not wait.
myblasStatus_t transfer(const matrix_copy_call&,
                        myblasHandle_t,
                        const matrix_transfer&,
                        myblasStream_t stream) noexcept;

inline myblasStatus_t enter(const matrix_copy_call& call,
                            myblasHandle_t handle,
                            int64_t rows,
                            int64_t cols,
                            int64_t element_bytes,
                            const void* a,
                            int64_t lda,
                            void* b,
                            int64_t ldb,
                            myblasStream_t stream = nullptr) noexcept {
    return transfer(call, handle, {rows, cols, element_bytes, a, lda, b, ldb}, stream);
}

// A vector is a matrix of one row whose leading dimensions are the increments.
inline myblasStatus_t enter(const vector_copy_call& call,
                            myblasHandle_t handle,
                            int64_t n,
                            int64_t element_bytes,
                            const void* x,
                            int64_t incx,
                            void* y,
                            int64_t incy,
                            myblasStream_t stream = nullptr) noexcept {
    return transfer(call, handle, {1, n, element_bytes, x, incx, y, incy}, stream);
}

} // namespace myblas
