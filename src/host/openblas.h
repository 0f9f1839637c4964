// OpenBLAS, found at run time; shared by the host kernels named `openblas`.
//
// The library is loaded when a problem first asks for such a kernel, by fixed sonames and into a
// separate scope. The program does not get its symbols, and keeps its own BLAS. (OpenBLAS, like any
// library, uses symbols that the program exports.) OpenBLAS stays loaded, because its threads keep
// running.
//
// An OpenBLAS built on OpenMP is not used in a child of the process that loaded it. The runtime's
// threads do not survive fork(), and OpenBLAS would wait for them for ever. An OpenBLAS built on
// pthreads restarts its own.
#pragma once

#include "core/kernel_entry.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <sys/types.h>

namespace myblas::host {

// Whether y is filled with beta first, and passed with a beta of 1. Some versions of OpenBLAS read
// y if beta is zero (OpenBLAS #929), and take NaN for zero.
inline bool overwrites(float beta) { return beta == 0 || beta != beta; }

// Values of the CBLAS interface.
enum cblas_order : int { column_major = 102 };
enum cblas_transpose : int { no_transpose = 111, transpose = 112 };
enum cblas_uplo : int { upper_triangle = 121, lower_triangle = 122 };
enum cblas_diag : int { non_unit_diagonal = 131, unit_diagonal = 132 };
enum cblas_side : int { left_side = 141, right_side = 142 };

// A function is null if the library is not usable or lacks it.
struct openblas_library {
    void (*sgemm)(cblas_order,
                  cblas_transpose,
                  cblas_transpose,
                  int m,
                  int n,
                  int k,
                  float alpha,
                  const float* a,
                  int lda,
                  const float* b,
                  int ldb,
                  float beta,
                  float* c,
                  int ldc) = nullptr;
    void (*ssyrk)(cblas_order,
                  cblas_uplo,
                  cblas_transpose,
                  int n,
                  int k,
                  float alpha,
                  const float* a,
                  int lda,
                  float beta,
                  float* c,
                  int ldc) = nullptr;
    void (*ssyr2k)(cblas_order,
                   cblas_uplo,
                   cblas_transpose,
                   int n,
                   int k,
                   float alpha,
                   const float* a,
                   int lda,
                   const float* b,
                   int ldb,
                   float beta,
                   float* c,
                   int ldc) = nullptr;
    void (*ssymm)(cblas_order,
                  cblas_side,
                  cblas_uplo,
                  int m,
                  int n,
                  float alpha,
                  const float* a,
                  int lda,
                  const float* b,
                  int ldb,
                  float beta,
                  float* c,
                  int ldc) = nullptr;
    using triangle_function = void (*)(cblas_order,
                                       cblas_side,
                                       cblas_uplo,
                                       cblas_transpose,
                                       cblas_diag,
                                       int m,
                                       int n,
                                       float alpha,
                                       const float* a,
                                       int lda,
                                       float* b,
                                       int ldb);
    triangle_function strmm = nullptr, strsm = nullptr;
    // Level 2
    void (*sgemv)(cblas_order,
                  cblas_transpose,
                  int m,
                  int n,
                  float alpha,
                  const float* a,
                  int lda,
                  const float* x,
                  int incx,
                  float beta,
                  float* y,
                  int incy) = nullptr;
    void (*ssymv)(cblas_order,
                  cblas_uplo,
                  int n,
                  float alpha,
                  const float* a,
                  int lda,
                  const float* x,
                  int incx,
                  float beta,
                  float* y,
                  int incy) = nullptr;
    void (*ssyr)(
        cblas_order, cblas_uplo, int n, float alpha, const float* x, int incx, float* a, int lda) =
        nullptr;
    void (*ssyr2)(cblas_order,
                  cblas_uplo,
                  int n,
                  float alpha,
                  const float* x,
                  int incx,
                  const float* y,
                  int incy,
                  float* a,
                  int lda) = nullptr;
    using triangular_function = void (*)(cblas_order,
                                         cblas_uplo,
                                         cblas_transpose,
                                         cblas_diag,
                                         int n,
                                         const float* a,
                                         int lda,
                                         float* x,
                                         int incx);
    triangular_function strmv = nullptr, strsv = nullptr;
    bool uses_openmp = false;
    pid_t loaded_by = 0;

    bool is_usable() const;
};

const openblas_library& openblas();

inline cblas_uplo uplo_of(bool upper) { return upper ? upper_triangle : lower_triangle; }
inline cblas_transpose transpose_of(bool trans) { return trans ? transpose : no_transpose; }
inline cblas_side side_of(bool right) { return right ? right_side : left_side; }
inline cblas_diag diag_of(bool unit) { return unit ? unit_diagonal : non_unit_diagonal; }

// Whether int holds each size and its negative.
inline bool fit_int(std::initializer_list<int64_t> sizes) {
    constexpr int64_t most = std::numeric_limits<int>::max();
    return std::max(sizes) <= most && std::min(sizes) >= -most;
}

// Whether OpenBLAS finds the first element of a vector that runs backwards: it computes the offset
// as an int.
inline bool is_within_reach(int64_t n, int64_t increment) {
    return increment > 0 || fit_int({(n - 1) * increment});
}
inline int narrow(int64_t size) { return static_cast<int>(size); } // fit_int has checked it

// Whether the function exists and may be called.
template <class Function>
bool is_usable(Function* function) {
    return function && openblas().is_usable();
}

template <class Problem>
constexpr kernel_entry<Problem> by_openblas(bool (*accepts)(const Problem&, const device_info&),
                                            myblasStatus_t (*launch)(const Problem&,
                                                                     const launch_context&)) {
    return {
        .name = "openblas",
        .description = "OpenBLAS, where it is installed",
        .deterministic = false, // OpenBLAS does not promise it
        .accepts = accepts,
        .launch = launch,
    };
}

// The lowest address of a vector with element 0 at x, where BLAS expects the vector.
template <class T>
T* lowest(T* x, int64_t n, int64_t increment) {
    return increment < 0 ? x + (n - 1) * increment : x;
}

} // namespace myblas::host
