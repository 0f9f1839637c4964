// Three routines of a BLAS in all spellings of the table, with integers of each spelling's width.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/entries.inc"

// The declarations.
#define FORTRAN_SGEMM(sgemm, integer)                                                              \
    void sgemm(const char* transa,                                                                 \
               const char* transb,                                                                 \
               const integer* m,                                                                   \
               const integer* n,                                                                   \
               const integer* k,                                                                   \
               const float* alpha,                                                                 \
               const float* a,                                                                     \
               const integer* lda,                                                                 \
               const float* b,                                                                     \
               const integer* ldb,                                                                 \
               const float* beta,                                                                  \
               float* c,                                                                           \
               const integer* ldc,                                                                 \
               size_t length_a,                                                                    \
               size_t length_b)
#define FORTRAN_ISAMAX(isamax, integer)                                                            \
    integer isamax(const integer* n, const float* x, const integer* incx)
#define FORTRAN_SAXPY(saxpy, integer)                                                              \
    void saxpy(const integer* n,                                                                   \
               const float* alpha,                                                                 \
               const float* x,                                                                     \
               const integer* incx,                                                                \
               float* y,                                                                           \
               const integer* incy)
#define CBLAS_SGEMM(sgemm, integer)                                                                \
    void sgemm(int order,                                                                          \
               int transa,                                                                         \
               int transb,                                                                         \
               integer m,                                                                          \
               integer n,                                                                          \
               integer k,                                                                          \
               float alpha,                                                                        \
               const float* a,                                                                     \
               integer lda,                                                                        \
               const float* b,                                                                     \
               integer ldb,                                                                        \
               float beta,                                                                         \
               float* c,                                                                           \
               integer ldc)
#define CBLAS_ISAMAX(isamax, integer) size_t isamax(integer n, const float* x, integer incx)
#define CBLAS_SAXPY(saxpy, integer)                                                                \
    void saxpy(integer n, float alpha, const float* x, integer incx, float* y, integer incy)

#define DECLARE_fortran(sgemm, isamax, saxpy, integer)                                             \
    FORTRAN_SGEMM(sgemm, integer);                                                                 \
    FORTRAN_ISAMAX(isamax, integer);                                                               \
    FORTRAN_SAXPY(saxpy, integer);
#define DECLARE_cblas(sgemm, isamax, saxpy, integer)                                               \
    CBLAS_SGEMM(sgemm, integer);                                                                   \
    CBLAS_ISAMAX(isamax, integer);                                                                 \
    CBLAS_SAXPY(saxpy, integer);
#define DECLARE(name, id, used, integer, before, after)                                            \
    DECLARE_##used(before##sgemm##after, before##isamax##after, before##saxpy##after, integer)
BLAS_SPELLINGS(DECLARE, )

// The number of calls that reached these functions.
int calls_of_blas(void);
