// Level 3 by OpenBLAS, where it is installed (host/openblas.h), on as many threads as OPENBLAS_NUM_THREADS allows.
//
// Accepts sizes and leading dimensions that fit int; of syrkx, which OpenBLAS does not have, nothing.
// Two habits of OpenBLAS's packed kernels are kept from the caller. They multiply the zeros of a triangle, so that an Inf
// in alpha * B would become NaN elsewhere: such a trmm goes by the textbook's loops. And they multiply by the
// reciprocals of a diagonal, which overflow or lose digits near the ends of the range: so does trsm with such a diagonal.
#include "host/openblas.h"

#include "host/batch.h"
#include "host/level3/reference.h"
#include "host/level3/registry.h"
#include "host/scalar.h"

#include <algorithm>
#include <cmath>

namespace myblas::host {
namespace {

// ---- syrk, syr2k, symm -----------------------------------------------------------------------------

bool accepts_syrk(const syrk_problem& p, const device_info&) {
    const bool is_syrk = p.a == p.b && p.lda == p.ldb;
    return is_syrk && fit_int({p.n, p.k, p.lda, p.ldc}) && is_usable(openblas().ssyrk);
}

myblasStatus_t launch_syrk(const syrk_problem& p, const launch_context&) {
    openblas().ssyrk(column_major,
                     uplo_of(p.upper),
                     transpose_of(p.trans),
                     narrow(p.n),
                     narrow(p.k),
                     resolve(p.alpha),
                     p.a,
                     narrow(p.lda),
                     resolve(p.beta),
                     p.c,
                     narrow(p.ldc));
    return MYBLAS_STATUS_SUCCESS;
}

bool accepts_syr2k(const syr2k_problem& p, const device_info&) {
    return fit_int({p.n, p.k, p.lda, p.ldb, p.ldc}) && is_usable(openblas().ssyr2k);
}

myblasStatus_t launch_syr2k(const syr2k_problem& p, const launch_context&) {
    openblas().ssyr2k(column_major,
                      uplo_of(p.upper),
                      transpose_of(p.trans),
                      narrow(p.n),
                      narrow(p.k),
                      resolve(p.alpha),
                      p.a,
                      narrow(p.lda),
                      p.b,
                      narrow(p.ldb),
                      resolve(p.beta),
                      p.c,
                      narrow(p.ldc));
    return MYBLAS_STATUS_SUCCESS;
}

bool accepts_symm(const symm_problem& p, const device_info&) {
    return fit_int({p.m, p.n, p.lda, p.ldb, p.ldc}) && is_usable(openblas().ssymm);
}

myblasStatus_t launch_symm(const symm_problem& p, const launch_context&) {
    openblas().ssymm(column_major,
                     side_of(p.right),
                     uplo_of(p.upper),
                     narrow(p.m),
                     narrow(p.n),
                     resolve(p.alpha),
                     p.a,
                     narrow(p.lda),
                     p.b,
                     narrow(p.ldb),
                     resolve(p.beta),
                     p.c,
                     narrow(p.ldc));
    return MYBLAS_STATUS_SUCCESS;
}

// ---- trmm ------------------------------------------------------------------------------------------

bool accepts_trmm(const trmm_problem& p, const device_info&) {
    return fit_int({p.m, p.n, p.lda, p.ldb, p.ldc}) && is_usable(openblas().strmm);
}

// Whether alpha * B is finite. 0 times an element is 0, unless that is Inf or NaN.
bool is_finite(int64_t m, int64_t n, float alpha, const float* b, int64_t ldb) {
    float sum = 0;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i)
            sum += 0 * (alpha * b[i + j * ldb]);
    return sum == 0;
}

myblasStatus_t launch_trmm(const trmm_problem& p, const launch_context& context) {
    const float alpha = resolve(p.alpha);
    if (alpha == 0 || !is_finite(p.m, p.n, alpha, p.b, p.ldb))
        return multiply_by_loops(p, context);
    if (!p.in_place())
        for (int64_t j = 0; j < p.n; ++j)
            std::copy_n(p.b + j * p.ldb, p.m, p.c + j * p.ldc);
    openblas().strmm(column_major,
                     side_of(p.right),
                     uplo_of(p.upper),
                     transpose_of(p.trans),
                     diag_of(p.unit),
                     narrow(p.m),
                     narrow(p.n),
                     alpha,
                     p.a,
                     narrow(p.lda),
                     p.c,
                     narrow(p.ldc));
    return MYBLAS_STATUS_SUCCESS;
}

// ---- trsm ------------------------------------------------------------------------------------------

bool accepts_trsm(const trsm_problem& p, const device_info&) {
    return fit_int({p.m, p.n, p.lda, p.ldb}) && is_usable(openblas().strsm);
}

// Whether the reciprocals of the diagonal are normal numbers: 1 / x is at least 2^-126 up to 2^126.
bool has_reciprocals(const trsm_problem& p, const float* a) {
    if (p.unit)
        return true;
    for (int64_t i = 0; i < p.order(); ++i) {
        const float magnitude = std::fabs(a[i * (1 + p.lda)]);
        if (!(magnitude >= 0x1p-126f && magnitude <= 0x1p126f))
            return false;
    }
    return true;
}

myblasStatus_t launch_trsm(const trsm_problem& p, const launch_context&) {
    const float alpha = resolve(p.alpha);
    for (int64_t i = 0; i < p.batch_count; ++i) {
        const float* const a = batch_operand(p.a, p.stride_a, p.a_array, i);
        float* const b = batch_operand(p.b, p.stride_b, p.b_array, i);
        if (alpha == 0 || !has_reciprocals(p, a))
            solve_by_loops(p, a, b);
        else
            openblas().strsm(column_major,
                             side_of(p.right),
                             uplo_of(p.upper),
                             transpose_of(p.trans),
                             diag_of(p.unit),
                             narrow(p.m),
                             narrow(p.n),
                             alpha,
                             a,
                             narrow(p.lda),
                             b,
                             narrow(p.ldb));
    }
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

constinit const kernel_entry<syrk_problem> syrk_openblas = by_openblas(accepts_syrk, launch_syrk);
constinit const kernel_entry<syr2k_problem> syr2k_openblas =
    by_openblas(accepts_syr2k, launch_syr2k);
constinit const kernel_entry<symm_problem> symm_openblas = by_openblas(accepts_symm, launch_symm);
constinit const kernel_entry<trmm_problem> trmm_openblas = by_openblas(accepts_trmm, launch_trmm);
constinit const kernel_entry<trsm_problem> trsm_openblas = by_openblas(accepts_trsm, launch_trsm);

} // namespace myblas::host
