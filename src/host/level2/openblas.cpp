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
    openblas().ssymv(column_major,
                     uplo_of(p.upper),
                     static_cast<int>(p.n),
                     alpha,
                     p.a,
                     static_cast<int>(p.lda),
                     alpha == 0 ? p.y : lowest(p.x, p.n, p.incx), // OpenBLAS does not read x
                     static_cast<int>(p.incx),
                     overwrites(beta) ? 1 : beta,
                     lowest(p.y, p.n, p.incy),
                     static_cast<int>(p.incy));
    return MYBLAS_STATUS_SUCCESS;
}

bool accepts_syr(const syr_problem& p, const device_info&) {
    return !p.is_ger && fit_int({p.n, p.lda, p.incx, p.incy}) && is_within_reach(p.n, p.incx) &&
           is_within_reach(p.n, p.incy) &&
           (p.y ? is_usable(openblas().ssyr2) : is_usable(openblas().ssyr));
}

myblasStatus_t launch_syr(const syr_problem& p, const launch_context&) {
    const float alpha = resolve(p.alpha);
    const int n = static_cast<int>(p.n), lda = static_cast<int>(p.lda);
    const int incx = static_cast<int>(p.incx), incy = static_cast<int>(p.incy);
    const float* x = lowest(p.x, p.n, p.incx);
    if (alpha == 0)
        return MYBLAS_STATUS_SUCCESS;
    if (p.y)
        openblas().ssyr2(column_major,
                         uplo_of(p.upper),
                         n,
                         alpha,
                         x,
                         incx,
                         lowest(p.y, p.n, p.incy),
                         incy,
                         p.a,
                         lda);
    else
        openblas().ssyr(column_major, uplo_of(p.upper), n, alpha, x, incx, p.a, lda);
    return MYBLAS_STATUS_SUCCESS;
}

template <bool solve>
openblas_library::triangular_function function_of() {
    return solve ? openblas().strsv : openblas().strmv;
}

template <bool solve>
bool accepts_triangular(const triangular_problem<solve>& p, const device_info&) {
    return fit_int({p.n, p.lda, p.incx}) && is_within_reach(p.n, p.incx) &&
           is_usable(function_of<solve>());
}

template <bool solve>
myblasStatus_t launch_triangular(const triangular_problem<solve>& p, const launch_context&) {
    function_of<solve>()(column_major,
                         uplo_of(p.upper),
                         transpose_of(p.trans),
                         diag_of(p.unit),
                         static_cast<int>(p.n),
                         p.a,
                         static_cast<int>(p.lda),
                         lowest(p.x, p.n, p.incx),
                         static_cast<int>(p.incx));
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

constinit const kernel_entry<symv_problem> symv_openblas = by_openblas(accepts_symv, launch_symv);
constinit const kernel_entry<syr_problem> syr_openblas = by_openblas(accepts_syr, launch_syr);
constinit const kernel_entry<trmv_problem> trmv_openblas =
    by_openblas(accepts_triangular<false>, launch_triangular<false>);
constinit const kernel_entry<trsv_problem> trsv_openblas =
    by_openblas(accepts_triangular<true>, launch_triangular<true>);

} // namespace myblas::host
