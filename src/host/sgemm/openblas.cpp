// C = alpha * op(A) * op(B) + beta * C by OpenBLAS, found at run time.
//
// Products that do not read A and B are not passed to OpenBLAS.
// Bound: the speed of OpenBLAS's kernels, in its own threads.
// Accepts: sizes and leading dimensions that fit an int, if a usable OpenBLAS is installed
// (openblas.h).
#include "host/openblas.h"
#include "core/routine.h"
#include "host/registry.h"
#include "host/sgemm/products.h"

namespace myblas::host {
namespace {

bool accepts(const sgemm_problem& p, const device_info&) {
    return fit_int({p.m, p.n, p.k, p.lda, p.ldb, p.ldc}) && openblas().is_usable() &&
           (!runs_backwards(p) || (openblas().sgemv && is_within_reach(p.k, p.lda) &&
                                   is_within_reach(p.k, p.ldb) && is_within_reach(p.n, p.ldc)));
}

// A matrix times a vector. OpenBLAS has a separate kernel for it. Products that happen to have one
// column do not use it, so that a column has the same bits for any number of columns.
myblasStatus_t launch_vector(const sgemm_problem& p) {
    const bool is_column = p.n == 1 && p.lda > 0; // otherwise A, one row or column, is the vector
    const bool trans = is_column ? p.transa : !p.transb; // of the matrix
    const int length = static_cast<int>(is_column ? p.m : p.n), k = static_cast<int>(p.k);
    const int ld = static_cast<int>(is_column ? p.lda : p.ldb);
    // A vector is a column of a matrix, or a row.
    const int64_t incx = is_column ? (p.transb ? p.ldb : 1) : (p.transa ? 1 : p.lda);
    const int incy = is_column ? 1 : static_cast<int>(p.ldc);
    const auto sgemv = openblas().sgemv;
    return for_each_product(p, [=](const product& q) {
        const float* const x = is_column ? q.b : q.a;
        if (overwrites(q.beta))
            for (int64_t i = 0; i < length; ++i)
                q.c[i * incy] = q.beta;
        sgemv(trans,
              trans ? k : length,
              trans ? length : k,
              q.alpha,
              is_column ? q.a : q.b,
              ld,
              lowest(x, k, incx),
              incx,
              overwrites(q.beta) ? 1 : q.beta,
              lowest(q.c, length, incy),
              incy);
    });
}

myblasStatus_t launch(const sgemm_problem& p, const launch_context&) {
    if (p.is_gemv && openblas().sgemv)
        return launch_vector(p);
    const auto sgemm = openblas().sgemm;
    return for_each_product(p, [&](const product& q) {
        sgemm(
            p.transa, p.transb, p.m, p.n, p.k, q.alpha, q.a, p.lda, q.b, p.ldb, q.beta, q.c, p.ldc);
    });
}

} // namespace

constinit const kernel_entry<sgemm_problem> sgemm_openblas{
    .name = "openblas",
    .description = "OpenBLAS, where it is installed",
    .deterministic = false, // OpenBLAS does not promise it
    .has_epilogue = true,
    .takes_backwards = true, // if it has sgemv
    .accepts = accepts,
    .launch = launch,
};

} // namespace myblas::host
