// The entry points of the C interface for level 3 beside the product. A row-major call is the column-major one of
// the transposes: the other triangle, and the other side or the other operation.
#include "blas/enter.h"
#include "blas/letters.h"

using namespace myblas::preload;

namespace {

constexpr interface used = interface::cblas;

} // namespace

#pragma GCC visibility push(default)
extern "C" {

void cblas_ssyrk(slot order,
                 slot uplo,
                 slot trans,
                 slot n,
                 slot k,
                 float alpha,
                 const float* a,
                 slot lda,
                 float beta,
                 float* c,
                 slot ldc) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<cblas::ssyrk>(routine::ssyrk);
    if (function && !deserves_attention(routine::ssyrk, as_int(n), as_int(n), as_int(k)))
        return function(order, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
    const bool by_rows = is_row_major(order);
    syrk_call call;
    call.what = level3::kind::syrk;
    call.upper = is_upper(uplo) != by_rows;
    call.transa = is_trans(trans) != by_rows;
    call.m = call.n = as_int(n);
    call.k = as_int(k);
    call.alpha = alpha;
    call.a = a;
    call.lda = as_int(lda);
    call.beta = beta;
    call.c = c;
    call.ldc = as_int(ldc);
    call.wrong_letter = wrong_letter({is_order(order), is_uplo(uplo), is_operation(trans)});
    attend(function, call, {own, used}, order, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}

void cblas_ssyr2k(slot order,
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
                  slot ldc) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<cblas::ssyr2k>(routine::ssyr2k);
    if (function && !deserves_attention(routine::ssyr2k, as_int(n), as_int(n), as_int(k)))
        return function(order, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    const bool by_rows = is_row_major(order);
    syr2k_call call;
    call.what = level3::kind::syr2k;
    call.upper = is_upper(uplo) != by_rows;
    call.transa = is_trans(trans) != by_rows;
    call.m = call.n = as_int(n);
    call.k = as_int(k);
    call.alpha = alpha;
    call.a = a;
    call.lda = as_int(lda);
    call.b = b;
    call.ldb = as_int(ldb);
    call.beta = beta;
    call.c = c;
    call.ldc = as_int(ldc);
    call.wrong_letter = wrong_letter({is_order(order), is_uplo(uplo), is_operation(trans)});
    attend(
        function, call, {own, used}, order, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void cblas_ssymm(slot order,
                 slot side,
                 slot uplo,
                 slot m,
                 slot n,
                 float alpha,
                 const float* a,
                 slot lda,
                 const float* b,
                 slot ldb,
                 float beta,
                 float* c,
                 slot ldc) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<cblas::ssymm>(routine::ssymm);
    if (function &&
        !deserves_attention(
            routine::ssymm, as_int(m), as_int(n), is_left(side) ? as_int(m) : as_int(n)))
        return function(order, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
    const bool by_rows = is_row_major(order);
    symm_call call;
    call.what = level3::kind::symm;
    call.left = is_left(side) != by_rows;
    call.upper = is_upper(uplo) != by_rows;
    call.m = as_int(by_rows ? n : m);
    call.n = as_int(by_rows ? m : n);
    call.alpha = alpha;
    call.a = a;
    call.lda = as_int(lda);
    call.b = b;
    call.ldb = as_int(ldb);
    call.beta = beta;
    call.c = c;
    call.ldc = as_int(ldc);
    call.wrong_letter = wrong_letter({is_order(order), is_side(side), is_uplo(uplo)});
    attend(
        function, call, {own, used}, order, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}

void cblas_strmm(slot order,
                 slot side,
                 slot uplo,
                 slot trans,
                 slot diag,
                 slot m,
                 slot n,
                 float alpha,
                 const float* a,
                 slot lda,
                 float* b,
                 slot ldb) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<cblas::strmm>(routine::strmm);
    if (function &&
        !deserves_attention(
            routine::strmm, as_int(m), as_int(n), is_left(side) ? as_int(m) : as_int(n)))
        return function(order, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
    const bool by_rows = is_row_major(order);
    trmm_call call;
    call.what = level3::kind::trmm;
    call.left = is_left(side) != by_rows;
    call.upper = is_upper(uplo) != by_rows;
    call.transa = is_trans(trans);
    call.unit = is_unit(diag);
    call.m = as_int(by_rows ? n : m);
    call.n = as_int(by_rows ? m : n);
    call.alpha = alpha;
    call.a = a;
    call.lda = as_int(lda);
    call.c = b;
    call.ldc = as_int(ldb);
    call.wrong_letter = wrong_letter(
        {is_order(order), is_side(side), is_uplo(uplo), is_operation(trans), is_diag(diag)});
    attend(
        function, call, {own, used}, order, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
}

void cblas_strsm(slot order,
                 slot side,
                 slot uplo,
                 slot trans,
                 slot diag,
                 slot m,
                 slot n,
                 float alpha,
                 const float* a,
                 slot lda,
                 float* b,
                 slot ldb) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<cblas::strsm>(routine::strsm);
    if (function &&
        !deserves_attention(
            routine::strsm, as_int(m), as_int(n), is_left(side) ? as_int(m) : as_int(n)))
        return function(order, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
    const bool by_rows = is_row_major(order);
    trsm_call call;
    call.what = level3::kind::trsm;
    call.left = is_left(side) != by_rows;
    call.upper = is_upper(uplo) != by_rows;
    call.transa = is_trans(trans);
    call.unit = is_unit(diag);
    call.m = as_int(by_rows ? n : m);
    call.n = as_int(by_rows ? m : n);
    call.alpha = alpha;
    call.a = a;
    call.lda = as_int(lda);
    call.c = b;
    call.ldc = as_int(ldb);
    call.wrong_letter = wrong_letter(
        {is_order(order), is_side(side), is_uplo(uplo), is_operation(trans), is_diag(diag)});
    attend(
        function, call, {own, used}, order, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
}

} // extern "C"
#pragma GCC visibility pop
