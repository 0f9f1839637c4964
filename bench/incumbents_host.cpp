#include "incumbents.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace bench {
namespace {

constexpr int col_major = 102, no_trans = 111, trans = 112; // CBLAS_ORDER, CBLAS_TRANSPOSE

bool fits_int(const shape& s) {
    return std::max({s.m, s.n, s.k, s.lda, s.ldb, s.ldc, s.incx}) <=
           std::numeric_limits<int>::max();
}

void nothing() {}

} // namespace

openblas_incumbents::openblas_incumbents() : library_{"libopenblas.so.0"} {
    library_.find(sgemm_, "cblas_sgemm");
    library_.find(somatcopy_, "cblas_somatcopy");
    library_.find(sasum_, "cblas_sasum");
    library_.find(dasum_, "cblas_dasum");
    library_.find(saxpy_, "cblas_saxpy");
    library_.find(scopy_, "cblas_scopy");
}

std::vector<subject> openblas_incumbents::subjects(const shape& s, const operands& o) const {
    std::vector<subject> found;
    const float* const a = static_cast<const float*>(o.a);
    float* const b = static_cast<float*>(o.b);
    const int m = static_cast<int>(s.m), n = static_cast<int>(s.n), k = static_cast<int>(s.k);
    const int lda = static_cast<int>(s.lda), ldb = static_cast<int>(s.ldb);
    const int ldc = static_cast<int>(s.ldc), inc = static_cast<int>(s.incx);
    const bool sizes_fit = fits_int(s);

    switch (s.routine) {
    case routine::sgemm:
        if (sgemm_ && sizes_fit)
            found.push_back({"cblas_sgemm", nothing, [=, sgemm = sgemm_, batch = s.batch] {
                                 const operand_sizes stride = batch_strides(s);
                                 for (int64_t i = 0; i < batch; ++i)
                                     sgemm(col_major,
                                           s.transa ? trans : no_trans,
                                           s.transb ? trans : no_trans,
                                           m,
                                           n,
                                           k,
                                           1.0f,
                                           a + i * stride.a,
                                           lda,
                                           b + i * stride.b,
                                           ldb,
                                           0.0f,
                                           static_cast<float*>(o.c) + i * stride.c,
                                           ldc);
                             }});
        break;
    case routine::transpose:
        if (somatcopy_ && sizes_fit && s.element_bytes == 4 && !s.in_place)
            found.push_back({"cblas_somatcopy", nothing, [=, somatcopy = somatcopy_] {
                                 somatcopy(col_major, trans, m, n, 1.0f, a, lda, b, ldb);
                             }});
        if (s.lda == s.m && s.ldb == s.n)
            found.push_back(
                {"memcpy", nothing, [=, bytes = static_cast<size_t>(s.m * s.n * s.element_bytes)] {
                     std::memcpy(s.in_place ? o.c : o.b, o.a, bytes);
                 }});
        break;
    case routine::geam:   // OpenBLAS's geadd takes no transpositions
    case routine::gemsum: // no BLAS has these
    case routine::histogram:
        break;
    case routine::sum: // reads the same bytes; OpenBLAS exports no plain sum in CBLAS everywhere
    case routine::asum:
        if (sasum_ && sizes_fit)
            found.push_back({"cblas_sasum", nothing, [=, sasum = sasum_] {
                                 *static_cast<float*>(o.c) = sasum(n, a, inc);
                             }});
        break;
    case routine::dsum:
        if (dasum_ && sizes_fit)
            found.push_back({"cblas_dasum", nothing, [=, dasum = dasum_] {
                                 *static_cast<double*>(o.c) =
                                     dasum(n, static_cast<const double*>(o.a), inc);
                             }});
        break;
    case routine::axpy:
        if (saxpy_ && sizes_fit)
            found.push_back({"cblas_saxpy", nothing, [=, saxpy = saxpy_] {
                                 saxpy(n, axpy_alpha, a, inc, b, inc);
                             }});
        break;
    case routine::copy:
        if (s.incx == 1)
            found.push_back({"memcpy", nothing, [=, bytes = static_cast<size_t>(s.n) * 4] {
                                 std::memcpy(b, a, bytes);
                             }});
        else if (scopy_ && sizes_fit)
            found.push_back(
                {"cblas_scopy", nothing, [=, scopy = scopy_] { scopy(n, a, inc, b, inc); }});
        break;
    }
    return found;
}

} // namespace bench
