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

// `stream`: where the call does not wait.
myblasStatus_t enter(const matrix_copy_call&,
                     myblasHandle_t,
                     int64_t rows,
                     int64_t cols,
                     int64_t element_bytes,
                     const void* source,
                     int64_t source_ld,
                     void* target,
                     int64_t target_ld,
                     myblasStream_t stream = nullptr) noexcept;

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
    const matrix_copy_call& as_matrix = call;
    return enter(as_matrix, handle, 1, n, element_bytes, x, incx, y, incy, stream);
}

} // namespace myblas
