// The vocabulary of the table's cuBLAS rows (common/entries.inc): types of parameters, reasons not
// to serve a call, and the sizes of a call. The sizes determine how much workspace the call can
// use, and the class of shapes in which a report counts it.
#pragma once

#include "cublas/call.h"

#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace myblas::preload {

// ---- Types of parameters: cuBLAS's enumerations have libmyblas's values -------------------------

using operation = myblasOperation_t;
using fill_mode = myblasFillMode_t;
using side_mode = myblasSideMode_t;
using diagonal = myblasDiagType_t;
// The values of cudaDataType, cublasComputeType_t and cublasGemmAlgo_t that matter here.
enum class data_type : int { real_32f = 0 };
enum class compute_type : int {
    float_32 = 68,
    float_32_pedantic = 69,
    fast_tf32 = 77,
    emulated_16bfx9 = 78
};
enum class algorithm_type : int {};

inline const float* floats(const void* p) { return static_cast<const float*>(p); }
inline float* floats(void* p) { return static_cast<float*>(p); }
inline const float* const* floats(const void* const* p) {
    return reinterpret_cast<const float* const*>(p);
}
inline float* const* floats(void* const* p) { return reinterpret_cast<float* const*>(p); }

// ---- Reasons ------------------------------------------------------------------------------------

inline const char* first_of(const char* reason, const char* other) {
    return reason ? reason : other;
}

inline const char* unless_floats(std::initializer_list<data_type> types) {
    for (const data_type t : types)
        if (t != data_type::real_32f)
            return "not all operands are of floats";
    return nullptr;
}

inline const char* unless_fp32(compute_type compute) {
    const bool is_fp32 = compute == compute_type::float_32 ||
                         compute == compute_type::float_32_pedantic ||
                         compute == compute_type::emulated_16bfx9 ||
                         (compute == compute_type::fast_tf32 && serves_tf32());
    return is_fp32 ? nullptr : "the compute type is not FP32";
}

inline const char* unless_fp32(std::initializer_list<data_type> types, compute_type compute) {
    return first_of(unless_floats(types), unless_fp32(compute));
}

// cuBLAS's nrm2 returns 0 if the increment is not positive. libmyblas's nrm2 follows the reference
// BLAS.
inline const char* unless_forward(int64_t increment) {
    return increment > 0 ? nullptr : "the increment is not positive";
}

// Grouped products are served only if their scalars are in host memory. Other cases are left to
// cuBLAS.
inline const char* unless_on_host(const real_cublas& real, void* handle) {
    int mode = MYBLAS_POINTER_MODE_HOST;
    if (real.of_handles.get_pointer_mode)
        real.of_handles.get_pointer_mode(handle, &mode);
    return mode == MYBLAS_POINTER_MODE_HOST ? nullptr
                                            : "the scalars of groups are in device memory";
}

// ---- Arithmetic ---------------------------------------------------------------------------------

inline arithmetic asked_by(compute_type compute) {
    switch (compute) {
    case compute_type::float_32_pedantic:
        return arithmetic::pedantic;
    case compute_type::emulated_16bfx9:
        return arithmetic::emulated;
    default:
        return arithmetic::fp32;
    }
}

// The arithmetic that a call's arguments ask for: its compute type, if it has one.
template <class... Arguments>
arithmetic asked_by_arguments(Arguments... arguments) {
    arithmetic asked = arithmetic::fp32;
    const auto look = [&]<class T>(T argument) {
        if constexpr (std::is_same_v<T, compute_type>)
            asked = asked_by(argument);
    };
    (look(arguments), ...);
    return asked;
}

// ---- Sizes --------------------------------------------------------------------------------------

// The batch count stays 0: no workspace is made for the call.
inline described_call matrix(int64_t m, int64_t n) {
    described_call call{};
    call.size_bytes = sizeof(myblasCall_t);
    call.m = m;
    call.n = n;
    call.k = 1;
    return call;
}

inline described_call with_increments(described_call call, int64_t incx, int64_t incy) {
    call.incx = incx;
    call.incy = incy;
    return call;
}

inline described_call vector(int64_t n, int64_t incx) {
    return with_increments(matrix(1, n), incx, incx);
}
inline described_call vectors(int64_t n, int64_t incx, int64_t incy) {
    return with_increments(matrix(1, n), incx, incy);
}

inline described_call
matrix_vectors(operation trans, int64_t m, int64_t n, int64_t lda, int64_t incx, int64_t incy) {
    described_call call = with_increments(matrix(m, n), incx, incy);
    call.transa = trans;
    call.lda = lda;
    return call;
}

// clang-format off
inline described_call triangle_vectors(fill_mode uplo, operation trans, diagonal diag, int64_t n,
                                       int64_t lda, int64_t incx, int64_t incy) {
    // clang-format on
    described_call call = matrix_vectors(trans, n, n, lda, incx, incy);
    call.uplo = uplo;
    call.diag = diag;
    return call;
}

// clang-format off
inline described_call product(operation transa, operation transb, int64_t m, int64_t n, int64_t k,
                              int64_t lda, int64_t ldb, int64_t ldc, int64_t batch_count) {
    // clang-format on
    described_call call = matrix(m, n);
    call.transa = transa;
    call.transb = transb;
    call.k = k;
    call.lda = lda;
    call.ldb = ldb;
    call.ldc = ldc;
    call.batch_count = batch_count;
    return call;
}

inline described_call of_pointers(described_call call) {
    call.pointer_array = 1;
    return call;
}
inline described_call of_pointers(described_call call, int64_t batch_count) {
    call.batch_count = batch_count;
    return of_pointers(call);
}

// The sizes of the first group. Leading dimensions are left out, so that no group gets a separate
// workspace.
template <class Size>
described_call groups(const Size* m, const Size* n, const Size* k, Size count) {
    described_call call = matrix(0, 0);
    if (count > 0 && m && n && k) {
        call.m = m[0];
        call.n = n[0];
        call.k = k[0];
    }
    return call;
}

inline described_call rank_k(
    fill_mode uplo, operation trans, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc) {
    described_call call = product(trans, trans, n, n, k, lda, ldb, ldc, 1);
    call.uplo = uplo;
    return call;
}

// A call with a symmetric or triangular matrix on one side. The order of that matrix is the depth.
// clang-format off
inline described_call one_sided(side_mode side, fill_mode uplo, operation trans, diagonal diag,
                                int64_t m, int64_t n, int64_t lda, int64_t ldb, int64_t ldc) {
    // clang-format on
    described_call call =
        product(trans, MYBLAS_OP_N, m, n, side == MYBLAS_SIDE_LEFT ? m : n, lda, ldb, ldc, 1);
    call.side = side;
    call.uplo = uplo;
    call.diag = diag;
    return call;
}

// In place if both operands are the same.
inline described_call between(described_call call, const float* b, const float* c) {
    call.B = b;
    call.C = c;
    return call;
}

} // namespace myblas::preload
