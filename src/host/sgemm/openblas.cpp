// C = alpha * op(A) * op(B) + beta * C by OpenBLAS, found at run time.
//
// Products that do not read A and B never reach it.
// Works against OpenBLAS's own kernels, on as many threads as OPENBLAS_NUM_THREADS allows.
// Accepts sizes and leading dimensions that fit int, where a usable OpenBLAS is installed (openblas.h).
#include "host/openblas.h"
#include "host/sgemm/products.h"
#include "host/sgemm/registry.h"

namespace myblas::host {
namespace {

bool accepts(const sgemm_problem& p, const device_info&) {
    return fit_int({p.m, p.n, p.k, p.lda, p.ldb, p.ldc}) && openblas().is_usable();
}

myblasStatus_t launch(const sgemm_problem& p, const launch_context&) {
    const cblas_transpose transa = p.transa ? transpose : no_transpose;
    const cblas_transpose transb = p.transb ? transpose : no_transpose;
    const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
    const int lda = static_cast<int>(p.lda), ldb = static_cast<int>(p.ldb);
    const int ldc = static_cast<int>(p.ldc);
    const auto sgemm = openblas().sgemm;
    return for_each_product(p, [=](const product& q) {
        sgemm(column_major, transa, transb, m, n, k, q.alpha, q.a, lda, q.b, ldb, q.beta, q.c, ldc);
    });
}

} // namespace

constinit const kernel_entry<sgemm_problem> sgemm_openblas{
    .name = "openblas",
    .description = "OpenBLAS, where it is installed",
    .deterministic = false, // OpenBLAS does not promise it
    .accepts = accepts,
    .launch = launch,
};

} // namespace myblas::host
