// Three routines of a BLAS in all spellings of the table, with integers as wide as each spelling says.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/entries.inc"

#define FORTRAN_ROUTINES(sgemm, isamax, saxpy, integer)                                            \
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
               size_t,                                                                             \
               size_t);                                                                            \
    integer isamax(const integer* n, const float* x, const integer* incx);                         \
    void saxpy(const integer* n,                                                                   \
               const float* alpha,                                                                 \
               const float* x,                                                                     \
               const integer* incx,                                                                \
               float* y,                                                                           \
               const integer* incy);

#define CBLAS_ROUTINES(sgemm, isamax, saxpy, integer)                                              \
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
               integer ldc);                                                                       \
    size_t isamax(integer n, const float* x, integer incx);                                        \
    void saxpy(integer n, float alpha, const float* x, integer incx, float* y, integer incy);

#define DECLARE_fortran FORTRAN_ROUTINES
#define DECLARE_cblas CBLAS_ROUTINES
#define DECLARE(name, id, used, integer, before, after)                                            \
    DECLARE_##used(before##sgemm##after, before##isamax##after, before##saxpy##after, integer)
BLAS_SPELLINGS(DECLARE, )

// Calls that reached these functions.
int calls_of_blas(void);
