// symv, syr, syr2, trmv, trsv by OpenBLAS, which is found at run time (openblas.h).
//
// Works against OpenBLAS's own kernels. Accepts sizes that fit int, if a usable OpenBLAS is
// installed; for a vector that runs backwards its extent in memory must fit too (is_within_reach).
// Does not accept ger: OpenBLAS computes alpha * y in single precision, which overflows where the
// result does not.
#include "host/openblas.h"
#include "host/registry.h"
#include "host/scalar.h"

namespace myblas::host {
namespace {

bool accepts_symv(const symv_problem& p, const device_info&) {
    return fit_int({p.n, p.lda, p.incx, p.incy}) && is_within_reach(p.n, p.incx) &&
           is_within_reach(p.n, p.incy) && is_usable(openblas().ssymv);
}

myblasStatus_t launch_symv(const symv_problem& p, const launch_context&) {
    const float alpha = resolve(p.alpha), beta = resolve(p.beta);
    if (overwrites(beta))
        for (int64_t i = 0; i < p.n; ++i)
            p.y[i * p.incy] = beta;
    const float* const x = alpha == 0 ? p.y : lowest(p.x, p.n, p.incx); // then x is not read
    float* const y = lowest(p.y, p.n, p.incy);
    const float factor = overwrites(beta) ? 1 : beta;
    return openblas().ssymv(p.upper, p.n, alpha, p.a, p.lda, x, p.incx, factor, y, p.incy);
}

bool accepts_syr(const syr_problem& p, const device_info&) {
    return !p.is_ger && fit_int({p.n, p.lda, p.incx, p.incy}) && is_within_reach(p.n, p.incx) &&
           is_within_reach(p.n, p.incy) &&
           (p.y ? is_usable(openblas().ssyr2) : is_usable(openblas().ssyr));
}

myblasStatus_t launch_syr(const syr_problem& p, const launch_context&) {
    const float alpha = resolve(p.alpha);
    const float* x = lowest(p.x, p.n, p.incx);
    if (alpha == 0)
        return MYBLAS_STATUS_SUCCESS;
    if (!p.y)
        return openblas().ssyr(p.upper, p.n, alpha, x, p.incx, p.a, p.lda);
    const float* y = lowest(p.y, p.n, p.incy);
    return openblas().ssyr2(p.upper, p.n, alpha, x, p.incx, y, p.incy, p.a, p.lda);
}

template <bool solve>
const openblas_library::triangular_function& function_of() {
    return solve ? openblas().strsv : openblas().strmv;
}

template <bool solve>
bool accepts_triangular(const triangular_problem<solve>& p, const device_info&) {
    return fit_int({p.n, p.lda, p.incx}) && is_within_reach(p.n, p.incx) &&
           is_usable(function_of<solve>());
}

template <bool solve>
myblasStatus_t launch_triangular(const triangular_problem<solve>& p, const launch_context&) {
    return function_of<solve>()(
        p.upper, p.trans, p.unit, p.n, p.a, p.lda, lowest(p.x, p.n, p.incx), p.incx);
}

} // namespace

constinit const kernel_entry<symv_problem> symv_openblas = by_openblas(accepts_symv, launch_symv);
constinit const kernel_entry<syr_problem> syr_openblas = by_openblas(accepts_syr, launch_syr);
constinit const kernel_entry<trmv_problem> trmv_openblas =
    by_openblas(accepts_triangular<false>, launch_triangular<false>);
constinit const kernel_entry<trsv_problem> trsv_openblas =
    by_openblas(accepts_triangular<true>, launch_triangular<true>);

} // namespace myblas::host
