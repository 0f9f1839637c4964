// The entry points of the Fortran interface for level 3 beside the product.
#include "blas/enter.h"
#include "blas/letters.h"

using namespace myblas::preload;

namespace {

constexpr interface used = interface::fortran;

} // namespace

#pragma GCC visibility push(default)
extern "C" {

void ssyrk_(const char* uplo,
            const char* trans,
            const int* n,
            const int* k,
            const float* alpha,
            const float* a,
            const int* lda,
            const float* beta,
            float* c,
            const int* ldc,
            size_t length_1,
            size_t length_2) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<fortran::ssyrk>(routine::ssyrk);
    if (function && !deserves_attention(routine::ssyrk, *n, *n, *k))
        return function(uplo, trans, n, k, alpha, a, lda, beta, c, ldc, length_1, length_2);
    syrk_call call;
    call.what = level3::kind::syrk;
    call.upper = is_upper(uplo);
    call.transa = is_trans(trans);
    call.m = call.n = *n;
    call.k = *k;
    call.alpha = *alpha;
    call.a = a;
    call.lda = *lda;
    call.beta = *beta;
    call.c = c;
    call.ldc = *ldc;
    call.wrong_letter = wrong_letter({is_uplo(uplo), is_operation(trans)});
    attend(function,
           call,
           {own, used},
           uplo,
           trans,
           n,
           k,
           alpha,
           a,
           lda,
           beta,
           c,
           ldc,
           length_1,
           length_2);
}

void ssyr2k_(const char* uplo,
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
             size_t length_1,
             size_t length_2) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<fortran::ssyr2k>(routine::ssyr2k);
    if (function && !deserves_attention(routine::ssyr2k, *n, *n, *k))
        return function(uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc, length_1, length_2);
    syr2k_call call;
    call.what = level3::kind::syr2k;
    call.upper = is_upper(uplo);
    call.transa = is_trans(trans);
    call.m = call.n = *n;
    call.k = *k;
    call.alpha = *alpha;
    call.a = a;
    call.lda = *lda;
    call.b = b;
    call.ldb = *ldb;
    call.beta = *beta;
    call.c = c;
    call.ldc = *ldc;
    call.wrong_letter = wrong_letter({is_uplo(uplo), is_operation(trans)});
    attend(function,
           call,
           {own, used},
           uplo,
           trans,
           n,
           k,
           alpha,
           a,
           lda,
           b,
           ldb,
           beta,
           c,
           ldc,
           length_1,
           length_2);
}

void ssymm_(const char* side,
            const char* uplo,
            const int* m,
            const int* n,
            const float* alpha,
            const float* a,
            const int* lda,
            const float* b,
            const int* ldb,
            const float* beta,
            float* c,
            const int* ldc,
            size_t length_1,
            size_t length_2) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<fortran::ssymm>(routine::ssymm);
    if (function && !deserves_attention(routine::ssymm, *m, *n, is_left(side) ? *m : *n))
        return function(side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc, length_1, length_2);
    symm_call call;
    call.what = level3::kind::symm;
    call.left = is_left(side);
    call.upper = is_upper(uplo);
    call.m = *m;
    call.n = *n;
    call.alpha = *alpha;
    call.a = a;
    call.lda = *lda;
    call.b = b;
    call.ldb = *ldb;
    call.beta = *beta;
    call.c = c;
    call.ldc = *ldc;
    call.wrong_letter = wrong_letter({is_side(side), is_uplo(uplo)});
    attend(function,
           call,
           {own, used},
           side,
           uplo,
           m,
           n,
           alpha,
           a,
           lda,
           b,
           ldb,
           beta,
           c,
           ldc,
           length_1,
           length_2);
}

void strmm_(const char* side,
            const char* uplo,
            const char* trans,
            const char* diag,
            const int* m,
            const int* n,
            const float* alpha,
            const float* a,
            const int* lda,
            float* b,
            const int* ldb,
            size_t length_1,
            size_t length_2,
            size_t length_3,
            size_t length_4) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<fortran::strmm>(routine::strmm);
    if (function && !deserves_attention(routine::strmm, *m, *n, is_left(side) ? *m : *n))
        return function(side,
                        uplo,
                        trans,
                        diag,
                        m,
                        n,
                        alpha,
                        a,
                        lda,
                        b,
                        ldb,
                        length_1,
                        length_2,
                        length_3,
                        length_4);
    trmm_call call;
    call.what = level3::kind::trmm;
    call.left = is_left(side);
    call.upper = is_upper(uplo);
    call.transa = is_trans(trans);
    call.unit = is_unit(diag);
    call.m = *m;
    call.n = *n;
    call.alpha = *alpha;
    call.a = a;
    call.lda = *lda;
    call.c = b;
    call.ldc = *ldb;
    call.wrong_letter =
        wrong_letter({is_side(side), is_uplo(uplo), is_operation(trans), is_diag(diag)});
    attend(function,
           call,
           {own, used},
           side,
           uplo,
           trans,
           diag,
           m,
           n,
           alpha,
           a,
           lda,
           b,
           ldb,
           length_1,
           length_2,
           length_3,
           length_4);
}

void strsm_(const char* side,
            const char* uplo,
            const char* trans,
            const char* diag,
            const int* m,
            const int* n,
            const float* alpha,
            const float* a,
            const int* lda,
            float* b,
            const int* ldb,
            size_t length_1,
            size_t length_2,
            size_t length_3,
            size_t length_4) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<fortran::strsm>(routine::strsm);
    if (function && !deserves_attention(routine::strsm, *m, *n, is_left(side) ? *m : *n))
        return function(side,
                        uplo,
                        trans,
                        diag,
                        m,
                        n,
                        alpha,
                        a,
                        lda,
                        b,
                        ldb,
                        length_1,
                        length_2,
                        length_3,
                        length_4);
    trsm_call call;
    call.what = level3::kind::trsm;
    call.left = is_left(side);
    call.upper = is_upper(uplo);
    call.transa = is_trans(trans);
    call.unit = is_unit(diag);
    call.m = *m;
    call.n = *n;
    call.alpha = *alpha;
    call.a = a;
    call.lda = *lda;
    call.c = b;
    call.ldc = *ldb;
    call.wrong_letter =
        wrong_letter({is_side(side), is_uplo(uplo), is_operation(trans), is_diag(diag)});
    attend(function,
           call,
           {own, used},
           side,
           uplo,
           trans,
           diag,
           m,
           n,
           alpha,
           a,
           lda,
           b,
           ldb,
           length_1,
           length_2,
           length_3,
           length_4);
}

} // extern "C"
#pragma GCC visibility pop
