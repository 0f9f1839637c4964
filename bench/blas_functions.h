// The routines that myblas, cuBLAS and CBLAS have with the same arguments in the same order: their functions, found by
// their names in BLAS, and their calls.
#pragma once

#include "machine.h"
#include "myblas/myblas.h"
#include "shape.h"

#include <cctype>
#include <cstdint>
#include <string>

namespace bench {

// myblas with sizes of 64 bits; at first that of the linked library.
struct myblas_functions {
    using size = int64_t;
    decltype(&mysasum_64) asum = mysasum_64;
    decltype(&mysaxpy_64) axpy = mysaxpy_64;
    decltype(&myscopy_64) copy = myscopy_64;
    decltype(&mysdot_64) dot = mysdot_64;
    decltype(&mysnrm2_64) nrm2 = mysnrm2_64;
    decltype(&myisamax_64) iamax = myisamax_64;
    decltype(&myisamin_64) iamin = myisamin_64;
    decltype(&mysscal_64) scal = mysscal_64;
    decltype(&mysswap_64) swap = mysswap_64;
    decltype(&mysrot_64) rot = mysrot_64;
    decltype(&mysrotm_64) rotm = mysrotm_64;
    decltype(&mysgemv_64) gemv = mysgemv_64;
    decltype(&myssymv_64) symv = myssymv_64;
    decltype(&myssyr_64) syr = myssyr_64;
    decltype(&myssyr2_64) syr2 = myssyr2_64;
    decltype(&mysger_64) ger = mysger_64;
    decltype(&mystrmv_64) trmv = mystrmv_64;
    decltype(&mystrsv_64) trsv = mystrsv_64;
    decltype(&myssyrk_64) syrk = myssyrk_64;
    decltype(&myssyr2k_64) syr2k = myssyr2k_64;
    decltype(&myssymm_64) symm = myssymm_64;
    decltype(&mystrmm_64) trmm = mystrmm_64;
    decltype(&mystrsm_64) trsm = mystrsm_64;
    static std::string symbol(const std::string& blas) { return "my" + blas + "_64"; }
};

// cuBLAS: its handle is a pointer, its enumerations and statuses have the same values, so that its functions can be
// called as myblas's with sizes of 32 bits.
struct cublas_functions {
    using size = int;
    decltype(&mysasum) asum = nullptr;
    decltype(&mysaxpy) axpy = nullptr;
    decltype(&myscopy) copy = nullptr;
    decltype(&mysdot) dot = nullptr;
    decltype(&mysnrm2) nrm2 = nullptr;
    decltype(&myisamax) iamax = nullptr;
    decltype(&myisamin) iamin = nullptr;
    decltype(&mysscal) scal = nullptr;
    decltype(&mysswap) swap = nullptr;
    decltype(&mysrot) rot = nullptr;
    decltype(&mysrotm) rotm = nullptr;
    decltype(&mysgemv) gemv = nullptr;
    decltype(&myssymv) symv = nullptr;
    decltype(&myssyr) syr = nullptr;
    decltype(&myssyr2) syr2 = nullptr;
    decltype(&mysger) ger = nullptr;
    decltype(&mystrmv) trmv = nullptr;
    decltype(&mystrsv) trsv = nullptr;
    decltype(&myssyrk) syrk = nullptr;
    decltype(&myssyr2k) syr2k = nullptr;
    decltype(&myssymm) symm = nullptr;
    decltype(&mystrmm) trmm = nullptr;
    decltype(&mystrsm) trsm = nullptr;
    static std::string symbol(std::string blas) {
        blas[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(blas[0])));
        return "cublas" + blas + "_v2";
    }
};

// CBLAS: scalars by value, other enumerations.
struct cblas_functions {
    using in = const float*;
    using out = float*;
    float (*asum)(int, in, int) = nullptr;
    void (*axpy)(int, float, in, int, out, int) = nullptr;
    void (*copy)(int, in, int, out, int) = nullptr;
    float (*dot)(int, in, int, in, int) = nullptr;
    float (*nrm2)(int, in, int) = nullptr;
    size_t (*iamax)(int, in, int) = nullptr;
    size_t (*iamin)(int, in, int) = nullptr;
    void (*scal)(int, float, out, int) = nullptr;
    void (*swap)(int, out, int, out, int) = nullptr;
    void (*rot)(int, out, int, out, int, float, float) = nullptr;
    void (*rotm)(int, out, int, out, int, in) = nullptr;
    void (*gemv)(int, int, int, int, float, in, int, in, int, float, out, int) = nullptr;
    void (*symv)(int, int, int, float, in, int, in, int, float, out, int) = nullptr;
    void (*syr)(int, int, int, float, in, int, out, int) = nullptr;
    void (*syr2)(int, int, int, float, in, int, in, int, out, int) = nullptr;
    void (*ger)(int, int, int, float, in, int, in, int, out, int) = nullptr;
    void (*trmv)(int, int, int, int, int, in, int, out, int) = nullptr;
    void (*trsv)(int, int, int, int, int, in, int, out, int) = nullptr;
    void (*syrk)(int, int, int, int, int, float, in, int, float, out, int) = nullptr;
    void (*syr2k)(int, int, int, int, int, float, in, int, in, int, float, out, int) = nullptr;
    void (*symm)(int, int, int, int, int, float, in, int, in, int, float, out, int) = nullptr;
    void (*trmm)(int, int, int, int, int, int, int, float, in, int, out, int) = nullptr;
    void (*trsm)(int, int, int, int, int, int, int, float, in, int, out, int) = nullptr;
    static std::string symbol(const std::string& blas) { return "cblas_" + blas; }
};

// Calls visit(routine, function) for each.
template <class Functions, class Visit>
void for_each_function(Functions& f, const Visit& visit) {
    visit(routine::asum, f.asum);
    visit(routine::axpy, f.axpy);
    visit(routine::copy, f.copy);
    visit(routine::dot, f.dot);
    visit(routine::nrm2, f.nrm2);
    visit(routine::iamax, f.iamax);
    visit(routine::iamin, f.iamin);
    visit(routine::scal, f.scal);
    visit(routine::swap, f.swap);
    visit(routine::rot, f.rot);
    visit(routine::rotm, f.rotm);
    visit(routine::gemv, f.gemv);
    visit(routine::symv, f.symv);
    visit(routine::syr, f.syr);
    visit(routine::syr2, f.syr2);
    visit(routine::ger, f.ger);
    visit(routine::trmv, f.trmv);
    visit(routine::trsv, f.trsv);
    visit(routine::syrk, f.syrk);
    visit(routine::syr2k, f.syr2k);
    visit(routine::symm, f.symm);
    visit(routine::trmm, f.trmm);
    visit(routine::trsm, f.trsm);
}

// Those that the library lacks become null.
template <class Functions, class Library>
void find_functions(Functions& functions, const Library& library) {
    for_each_function(functions, [&](routine r, auto& function) {
        library.find(function, Functions::symbol(describe(r).blas).c_str());
    });
}

template <class Functions>
bool has_function(const Functions& functions, routine wanted) {
    bool found = false;
    for_each_function(functions, [&](routine r, auto function) {
        if (r == wanted)
            found = function != nullptr;
    });
    return found;
}

// Of myblas or of cuBLAS, whose handle is passed for myblas's.
template <class Functions>
myblasStatus_t
call_blas(const Functions& f, myblasHandle_t handle, const shape& s, const operands& o) {
    using size = typename Functions::size;
    const auto side = s.right ? MYBLAS_SIDE_RIGHT : MYBLAS_SIDE_LEFT;
    const auto uplo = s.upper ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
    const auto op = s.transa ? MYBLAS_OP_T : MYBLAS_OP_N;
    const auto diag = s.unit ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT;
    const size m = static_cast<size>(s.m), n = static_cast<size>(s.n), k = static_cast<size>(s.k);
    const size lda = static_cast<size>(s.lda), ldb = static_cast<size>(s.ldb);
    const size ldc = static_cast<size>(s.ldc), inc = static_cast<size>(s.incx);
    float* const a = static_cast<float*>(o.a);
    float* const b = static_cast<float*>(o.b);
    float* const c = static_cast<float*>(o.c);
    size* const index = static_cast<size*>(o.c);
    const float one = 1, zero = 0;

    switch (s.routine) {
    case routine::asum:
        return f.asum(handle, n, a, inc, c);
    case routine::axpy:
        return f.axpy(handle, n, &axpy_alpha, a, inc, b, inc);
    case routine::copy:
        return f.copy(handle, n, a, inc, b, inc);
    case routine::dot:
        return f.dot(handle, n, a, inc, b, inc, c);
    case routine::nrm2:
        return f.nrm2(handle, n, a, inc, c);
    case routine::iamax:
        return f.iamax(handle, n, a, inc, index);
    case routine::iamin:
        return f.iamin(handle, n, a, inc, index);
    case routine::scal:
        return f.scal(handle, n, &scal_alpha, a, inc);
    case routine::swap:
        return f.swap(handle, n, a, inc, b, inc);
    case routine::rot:
        return f.rot(handle, n, a, inc, b, inc, &rot_c, &rot_s);
    case routine::rotm:
        return f.rotm(handle, n, a, inc, b, inc, rotm_param);
    case routine::gemv:
        return f.gemv(handle, op, m, n, &one, a, lda, b, inc, &zero, c, inc);
    case routine::symv:
        return f.symv(handle, uplo, n, &one, a, lda, b, inc, &zero, c, inc);
    case routine::syr:
        return f.syr(handle, uplo, n, &update_alpha, b, inc, a, lda);
    case routine::syr2:
        return f.syr2(handle, uplo, n, &update_alpha, b, inc, c, inc, a, lda);
    case routine::ger:
        return f.ger(handle, m, n, &update_alpha, b, inc, c, inc, a, lda);
    case routine::trmv:
        return f.trmv(handle, uplo, op, diag, n, a, lda, b, inc);
    case routine::trsv:
        return f.trsv(handle, uplo, op, diag, n, a, lda, b, inc);
    case routine::syrk:
        return f.syrk(handle, uplo, op, n, k, &one, a, lda, &zero, c, ldc);
    case routine::syr2k:
        return f.syr2k(handle, uplo, op, n, k, &one, a, lda, b, ldb, &zero, c, ldc);
    case routine::symm:
        return f.symm(handle, side, uplo, m, n, &one, a, lda, b, ldb, &zero, c, ldc);
    case routine::trmm:
        return f.trmm(handle, side, uplo, op, diag, m, n, &one, a, lda, b, ldb, c, ldc);
    case routine::trsm:
        return f.trsm(handle, side, uplo, op, diag, m, n, &one, a, lda, b, ldb);
    default:
        return MYBLAS_STATUS_INTERNAL_ERROR;
    }
}

} // namespace bench
