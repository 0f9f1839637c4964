// The entry points that the BLAS preload library exports, and the types of their functions.
//
// Fortran passes everything by reference and appends the lengths of CHARACTER arguments: they are passed
// on as they came (a C caller leaves them out, and then whatever is in their place is passed on, to be
// ignored as before). CBLAS passes sizes by value, and they are declared here as wide as their register or
// stack slot, so that a caller with 64-bit integers is forwarded unharmed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace myblas::preload {

enum class routine : int {
#define BLAS_ENTRY(name) name,
#include "common/entries.inc"
#undef BLAS_ENTRY
    count
};
inline constexpr int routine_count = static_cast<int>(routine::count);

enum class interface : int { fortran, cblas };

// An int argument of CBLAS as it lies in its slot: the low half of it counts for 32-bit callers.
using slot = int64_t;

inline constexpr int cblas_row_major = 101, cblas_col_major = 102;
inline constexpr int cblas_no_trans = 111, cblas_trans = 112, cblas_conj_trans = 113;
inline constexpr int cblas_conj_no_trans = 114; // matcopy alone

inline constexpr int cblas_upper = 121, cblas_lower = 122;
inline constexpr int cblas_non_unit = 131, cblas_unit = 132;
inline constexpr int cblas_left = 141, cblas_right = 142;

namespace fortran {
using ssyrk = void(const char* uplo,
                   const char* trans,
                   const int* n,
                   const int* k,
                   const float* alpha,
                   const float* a,
                   const int* lda,
                   const float* beta,
                   float* c,
                   const int* ldc,
                   size_t,
                   size_t);
using ssyr2k = void(const char* uplo,
                    const char* trans,
                    const int* n,
                    const int* k,
                    const float* alpha,
                    const float* a,
                    const int* lda,
                    const float* b,
                    const int* ldb,
                    const float* beta,
                    float* c,
                    const int* ldc,
                    size_t,
                    size_t);
using ssymm = ssyr2k; // side, uplo, m, n
using strmm = void(const char* side,
                   const char* uplo,
                   const char* transa,
                   const char* diag,
                   const int* m,
                   const int* n,
                   const float* alpha,
                   const float* a,
                   const int* lda,
                   float* b,
                   const int* ldb,
                   size_t,
                   size_t,
                   size_t,
                   size_t);
using strsm = strmm;
using sgemm = void(const char* transa,
                   const char* transb,
                   const int* m,
                   const int* n,
                   const int* k,
                   const float* alpha,
                   const float* a,
                   const int* lda,
                   const float* b,
                   const int* ldb,
                   const float* beta,
                   float* c,
                   const int* ldc,
                   size_t,
                   size_t);
using sgemv = void(const char* trans,
                   const int* m,
                   const int* n,
                   const float* alpha,
                   const float* a,
                   const int* lda,
                   const float* x,
                   const int* incx,
                   const float* beta,
                   float* y,
                   const int* incy,
                   size_t);
using sasum = float(const int* n, const float* x, const int* incx);
using sdot = float(const int* n, const float* x, const int* incx, const float* y, const int* incy);
using saxpy = void(
    const int* n, const float* alpha, const float* x, const int* incx, float* y, const int* incy);
using scopy = void(const int* n, const float* x, const int* incx, float* y, const int* incy);
using omatcopy = void(const char* order,
                      const char* trans,
                      const int* rows,
                      const int* cols,
                      const float* alpha,
                      const float* a,
                      const int* lda,
                      float* b,
                      const int* ldb,
                      size_t,
                      size_t);
using imatcopy = void(const char* order,
                      const char* trans,
                      const int* rows,
                      const int* cols,
                      const float* alpha,
                      float* a,
                      const int* lda,
                      const int* ldb,
                      size_t,
                      size_t);
} // namespace fortran

namespace cblas {
using ssyrk = void(slot order,
                   slot uplo,
                   slot trans,
                   slot n,
                   slot k,
                   float alpha,
                   const float* a,
                   slot lda,
                   float beta,
                   float* c,
                   slot ldc);
using ssyr2k = void(slot order,
                    slot uplo,
                    slot trans,
                    slot n,
                    slot k,
                    float alpha,
                    const float* a,
                    slot lda,
                    const float* b,
                    slot ldb,
                    float beta,
                    float* c,
                    slot ldc);
using ssymm = ssyr2k; // side, uplo, m, n
using strmm = void(slot order,
                   slot side,
                   slot uplo,
                   slot transa,
                   slot diag,
                   slot m,
                   slot n,
                   float alpha,
                   const float* a,
                   slot lda,
                   float* b,
                   slot ldb);
using strsm = strmm;
using sgemm = void(slot order,
                   slot transa,
                   slot transb,
                   slot m,
                   slot n,
                   slot k,
                   float alpha,
                   const float* a,
                   slot lda,
                   const float* b,
                   slot ldb,
                   float beta,
                   float* c,
                   slot ldc);
using sgemv = void(slot order,
                   slot trans,
                   slot m,
                   slot n,
                   float alpha,
                   const float* a,
                   slot lda,
                   const float* x,
                   slot incx,
                   float beta,
                   float* y,
                   slot incy);
using sasum = float(slot n, const float* x, slot incx);
using sdot = float(slot n, const float* x, slot incx, const float* y, slot incy);
using saxpy = void(slot n, float alpha, const float* x, slot incx, float* y, slot incy);
using scopy = void(slot n, const float* x, slot incx, float* y, slot incy);
using omatcopy = void(slot order,
                      slot trans,
                      slot rows,
                      slot cols,
                      float alpha,
                      const float* a,
                      slot lda,
                      float* b,
                      slot ldb);
using imatcopy =
    void(slot order, slot trans, slot rows, slot cols, float alpha, float* a, slot lda, slot ldb);
} // namespace cblas

} // namespace myblas::preload
