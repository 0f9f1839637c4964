#include "incumbents.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

namespace bench {
namespace {

constexpr int col_major = 102, no_trans = 111, trans = 112; // CBLAS_ORDER, CBLAS_TRANSPOSE
constexpr int upper = 121, lower = 122;                     // CBLAS_UPLO
constexpr int non_unit = 131, unit = 132;                   // CBLAS_DIAG
constexpr int left = 141, right = 142;                      // CBLAS_SIDE

bool fits_int(const shape& s) {
    return std::max({s.m, s.n, s.k, s.lda, s.ldb, s.ldc, s.incx}) <=
           std::numeric_limits<int>::max();
}

void nothing() {}

// Columns of B to those of C.
void copy_columns(const shape& s, const float* b, float* c) {
    for (int64_t j = 0; j < s.n; ++j)
        std::memcpy(c + j * s.ldc, b + j * s.ldb, static_cast<size_t>(s.m) * sizeof(float));
}

void count_bytes_plainly(int64_t n, const unsigned char* x, uint64_t* counts) {
    std::fill(counts, counts + 256, uint64_t{0});
    for (int64_t i = 0; i < n; ++i)
        ++counts[x[i]];
}

void call_cblas(const cblas_functions& f, const shape& s, const operands& o) {
    constexpr int order = col_major;
    const int side = s.right ? right : left, uplo = s.upper ? upper : lower;
    const int op = s.transa ? trans : no_trans, diag = s.unit ? unit : non_unit;
    const int m = static_cast<int>(s.m), n = static_cast<int>(s.n), k = static_cast<int>(s.k);
    const int lda = static_cast<int>(s.lda), ldb = static_cast<int>(s.ldb);
    const int ldc = static_cast<int>(s.ldc), inc = static_cast<int>(s.incx);
    float* const a = static_cast<float*>(o.a);
    float* const b = static_cast<float*>(o.b);
    float* const c = static_cast<float*>(o.c);
    int64_t* const index = static_cast<int64_t*>(o.c);

    switch (s.routine) {
    case routine::asum:
        *c = f.asum(n, a, inc);
        break;
    case routine::axpy:
        f.axpy(n, axpy_alpha, a, inc, b, inc);
        break;
    case routine::copy:
        f.copy(n, a, inc, b, inc);
        break;
    case routine::dot:
        *c = f.dot(n, a, inc, b, inc);
        break;
    case routine::nrm2:
        *c = f.nrm2(n, a, inc);
        break;
    case routine::iamax:
        *index = static_cast<int64_t>(f.iamax(n, a, inc)) + 1;
        break;
    case routine::iamin:
        *index = static_cast<int64_t>(f.iamin(n, a, inc)) + 1;
        break;
    case routine::scal:
        f.scal(n, scal_alpha, a, inc);
        break;
    case routine::swap:
        f.swap(n, a, inc, b, inc);
        break;
    case routine::rot:
        f.rot(n, a, inc, b, inc, rot_c, rot_s);
        break;
    case routine::rotm:
        f.rotm(n, a, inc, b, inc, rotm_param);
        break;
    case routine::gemv:
        f.gemv(order, op, m, n, 1, a, lda, b, inc, 0, c, inc);
        break;
    case routine::symv:
        f.symv(order, uplo, n, 1, a, lda, b, inc, 0, c, inc);
        break;
    case routine::syr:
        f.syr(order, uplo, n, update_alpha, b, inc, a, lda);
        break;
    case routine::syr2:
        f.syr2(order, uplo, n, update_alpha, b, inc, c, inc, a, lda);
        break;
    case routine::ger:
        f.ger(order, m, n, update_alpha, b, inc, c, inc, a, lda);
        break;
    case routine::trmv:
        f.trmv(order, uplo, op, diag, n, a, lda, b, inc);
        break;
    case routine::trsv:
        f.trsv(order, uplo, op, diag, n, a, lda, b, inc);
        break;
    case routine::syrk:
        f.syrk(order, uplo, op, n, k, 1, a, lda, 0, c, ldc);
        break;
    case routine::syr2k:
        f.syr2k(order, uplo, op, n, k, 1, a, lda, b, ldb, 0, c, ldc);
        break;
    case routine::symm:
        f.symm(order, side, uplo, m, n, 1, a, lda, b, ldb, 0, c, ldc);
        break;
    case routine::trmm: // in place in CBLAS
        copy_columns(s, b, c);
        f.trmm(order, side, uplo, op, diag, m, n, 1, a, lda, c, ldc);
        break;
    case routine::trsm:
        f.trsm(order, side, uplo, op, diag, m, n, 1, a, lda, b, ldb);
        break;
    default:
        break;
    }
}

// A routine that CBLAS has alike.
void add_same(std::vector<subject>& found,
              const cblas_functions& functions,
              const shape& s,
              const operands& o) {
    if (has_function(functions, s.routine) && fits_int(s))
        found.push_back({cblas_functions::symbol(describe(s.routine).blas),
                         nothing,
                         [=, &functions] { call_cblas(functions, s, o); }});
}

} // namespace

openblas_incumbents::openblas_incumbents() : library_{"libopenblas.so.0"} {
    library_.find(sgemm_, "cblas_sgemm");
    library_.find(somatcopy_, "cblas_somatcopy");
    library_.find(sgeadd_, "cblas_sgeadd");
    library_.find(dasum_, "cblas_dasum");
    find_functions(blas_, library_);
}

// C = alpha op(A), to which B is added; and as many bytes moved by copies.
void openblas_incumbents::add_geam(std::vector<subject>& found,
                                   const shape& s,
                                   const operands& o) const {
    const float* const a = static_cast<const float*>(o.a);
    const float* const b = static_cast<const float*>(o.b);
    float* const c = static_cast<float*>(o.c);
    const int m = static_cast<int>(s.m), n = static_cast<int>(s.n);
    const int lda = static_cast<int>(s.lda), ldb = static_cast<int>(s.ldb);
    const int ldc = static_cast<int>(s.ldc);
    if (somatcopy_ && sgeadd_ && fits_int(s) && !s.transb)
        found.push_back({"cblas_somatcopy, cblas_sgeadd",
                         nothing,
                         [=, somatcopy = somatcopy_, sgeadd = sgeadd_] {
                             somatcopy(col_major,
                                       s.transa ? trans : no_trans,
                                       s.transa ? n : m,
                                       s.transa ? m : n,
                                       geam_alpha,
                                       a,
                                       lda,
                                       c,
                                       ldc);
                             sgeadd(col_major, m, n, geam_beta, b, ldb, 1, c, ldc);
                         }});
    const size_t bytes = static_cast<size_t>(s.m * s.n) * sizeof(float);
    found.push_back({"memcpy", nothing, [=] {
                         std::memcpy(c, a, bytes);
                         std::memcpy(c, b, bytes / 2);
                     }});
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
    case routine::geam:
        add_geam(found, s, o);
        break;
    case routine::gemsum: // a product with ones
        if (blas_.gemv && sizes_fit) {
            const auto ones = std::make_shared<std::vector<float>>(std::max(s.m, s.n), 1.0f);
            found.push_back({"cblas_sgemv", nothing, [=, gemv = blas_.gemv] {
                                 gemv(col_major,
                                      s.transa ? trans : no_trans,
                                      m,
                                      n,
                                      1,
                                      a,
                                      lda,
                                      ones->data(),
                                      1,
                                      0,
                                      static_cast<float*>(o.c),
                                      1);
                             }});
        }
        break;
    case routine::histogram: // no BLAS has it
        found.push_back({"plain loop", nothing, [=, length = s.n] {
                             count_bytes_plainly(length,
                                                 static_cast<const unsigned char*>(o.a),
                                                 static_cast<uint64_t*>(o.c));
                         }});
        break;
    case routine::sum: { // reads the same bytes; OpenBLAS exports no plain sum in CBLAS everywhere
        shape absolute = s;
        absolute.routine = routine::asum;
        add_same(found, blas_, absolute, o);
        break;
    }
    case routine::dsum:
        if (dasum_ && sizes_fit)
            found.push_back({"cblas_dasum", nothing, [=, dasum = dasum_] {
                                 *static_cast<double*>(o.c) =
                                     dasum(n, static_cast<const double*>(o.a), inc);
                             }});
        break;
    case routine::copy:
        if (s.incx == 1)
            found.push_back({"memcpy", nothing, [=, bytes = static_cast<size_t>(s.n) * 4] {
                                 std::memcpy(b, a, bytes);
                             }});
        else
            add_same(found, blas_, s, o);
        break;
    default:
        add_same(found, blas_, s, o);
    }
    return found;
}

} // namespace bench
