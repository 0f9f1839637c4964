#include "incumbents.h"

#include <fmt/format.h>

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

// Copies the columns of B to C.
void copy_columns(const shape& s, const float* b, float* c) {
    for (int64_t j = 0; j < s.n; ++j)
        std::memcpy(c + j * s.ldc, b + j * s.ldb, static_cast<size_t>(s.m) * sizeof(float));
}

void count_bytes_plainly(int64_t n, const unsigned char* x, uint64_t* counts) {
    std::fill(counts, counts + 256, uint64_t{0});
    for (int64_t i = 0; i < n; ++i)
        ++counts[x[i]];
}

// Operands of a call of CBLAS, whose enumerations are ints.
struct cblas_arguments {
    cblas_arguments(const shape& s, const operands& o)
        : side(s.right ? right : left), uplo(s.upper ? upper : lower),
          op(s.transa ? trans : no_trans), op_b(s.transb ? trans : no_trans),
          diag(s.unit ? unit : non_unit), m(static_cast<int>(s.m)), n(static_cast<int>(s.n)),
          k(static_cast<int>(s.k)), lda(static_cast<int>(s.lda)), ldb(static_cast<int>(s.ldb)),
          ldc(static_cast<int>(s.ldc)), inc(static_cast<int>(s.incx)), a(static_cast<float*>(o.a)),
          b(static_cast<float*>(o.b)), c(static_cast<float*>(o.c)) {}

    int side, uplo, op, op_b, diag, m, n, k, lda, ldb, ldc, inc;
    float *a, *b, *c;
};

// The routines of level 1.
void call_vectors(any_function f, const shape& s, const operands& o) {
    const cblas_arguments g(s, o);
    const auto call = [f](auto... arguments) { call_c<void>(f, arguments...); };
    const auto find_index = [&] {
        *static_cast<int64_t*>(o.c) = static_cast<int64_t>(call_c<size_t>(f, g.n, g.a, g.inc)) + 1;
    };
    switch (s.routine) {
    case routine::asum:
    case routine::nrm2:
        *g.c = call_c<float>(f, g.n, g.a, g.inc);
        break;
    case routine::dot:
        *g.c = call_c<float>(f, g.n, g.a, g.inc, g.b, g.inc);
        break;
    case routine::iamax:
    case routine::iamin:
        return find_index();
    case routine::axpy:
        return call(g.n, axpy_alpha, g.a, g.inc, g.b, g.inc);
    case routine::copy:
    case routine::swap:
        return call(g.n, g.a, g.inc, g.b, g.inc);
    case routine::scal:
        return call(g.n, scal_alpha, g.a, g.inc);
    case routine::rot:
        return call(g.n, g.a, g.inc, g.b, g.inc, rot_c, rot_s);
    default: // rotm
        return call(g.n, g.a, g.inc, g.b, g.inc, rotm_param);
    }
}

// Calls a function of level 2 or 3.
void call_matrices(any_function f, const shape& s, const operands& o) {
    constexpr int order = col_major;
    constexpr float one = 1, zero = 0;
    const auto [side, uplo, op, op_b, diag, m, n, k, lda, ldb, ldc, inc, a, b, c] =
        cblas_arguments(s, o);
    const auto call = [f](auto... arguments) { call_c<void>(f, order, arguments...); };
    switch (s.routine) {
    case routine::sgemm:
        return call(op, op_b, m, n, k, s.alpha, a, lda, b, ldb, s.beta, c, ldc);
    case routine::gemv:
        return call(op, m, n, one, a, lda, b, inc, zero, c, inc);
    case routine::symv:
        return call(uplo, n, one, a, lda, b, inc, zero, c, inc);
    case routine::syr:
        return call(uplo, n, update_alpha, b, inc, a, lda);
    case routine::syr2:
        return call(uplo, n, update_alpha, b, inc, c, inc, a, lda);
    case routine::ger:
        return call(m, n, update_alpha, b, inc, c, inc, a, lda);
    case routine::trmv:
    case routine::trsv:
        return call(uplo, op, diag, n, a, lda, b, inc);
    case routine::syrk:
        return call(uplo, op, n, k, one, a, lda, zero, c, ldc);
    case routine::syr2k:
        return call(uplo, op, n, k, one, a, lda, b, ldb, zero, c, ldc);
    case routine::symm:
        return call(side, uplo, m, n, one, a, lda, b, ldb, zero, c, ldc);
    case routine::trmm: // in place in CBLAS
        copy_columns(s, b, c);
        return call(side, uplo, op, diag, m, n, one, a, lda, c, ldc);
    default: // trsm
        return call(side, uplo, op, diag, m, n, one, a, lda, b, ldb);
    }
}

void call_batch(any_function f, const shape& s, const operands& o) {
    const operand_sizes stride = batch_strides(s);
    operands product = o;
    for (int64_t i = 0; i < s.batch; ++i) {
        product.a = static_cast<float*>(o.a) + i * stride.a;
        product.b = static_cast<float*>(o.b) + i * stride.b;
        product.c = static_cast<float*>(o.c) + i * stride.c;
        call_matrices(f, s, product);
    }
}

// A routine that CBLAS has, with other arguments than myblas.
void add_same(std::vector<subject>& found,
              const blas_functions& functions,
              const shape& s,
              const operands& o) {
    const any_function f = functions[s.routine];
    if (!describe(s.routine).is_in_blas || !f || !fits_int(s))
        return;
    const auto call = s.routine == routine::sgemm ? call_batch
                      : has_matrix(s.routine)     ? call_matrices
                                                  : call_vectors;
    found.push_back(
        {fmt::format("cblas_{}", describe(s.routine).function), nothing, [=] { call(f, s, o); }});
}

} // namespace

// C = alpha op(A), to which B is added; and copies that move the same number of bytes.
void openblas_incumbents::add_geam(std::vector<subject>& found,
                                   const shape& s,
                                   const operands& o) const {
    const cblas_arguments g(s, o);
    if (somatcopy_ && sgeadd_ && fits_int(s) && !s.transb)
        found.push_back(
            {"cblas_somatcopy, cblas_sgeadd",
             nothing,
             [=,
              somatcopy = somatcopy_,
              sgeadd = sgeadd_,
              rows = s.transa ? g.n : g.m,
              cols = s.transa ? g.m : g.n] {
                 call_c<void>(
                     somatcopy, col_major, g.op, rows, cols, geam_alpha, g.a, g.lda, g.c, g.ldc);
                 call_c<void>(sgeadd, col_major, g.m, g.n, geam_beta, g.b, g.ldb, 1.0f, g.c, g.ldc);
             }});
    const size_t bytes = static_cast<size_t>(s.m * s.n) * sizeof(float);
    found.push_back({"memcpy", nothing, [=] {
                         std::memcpy(g.c, g.a, bytes);
                         std::memcpy(g.c, g.b, bytes / 2);
                     }});
}

std::vector<subject> openblas_incumbents::subjects(const shape& s, const operands& o) const {
    std::vector<subject> found;
    const cblas_arguments g(s, o);
    const auto add_copy = [&](void* to, int64_t elements) {
        const auto bytes = static_cast<size_t>(elements * s.element_bytes);
        found.push_back({"memcpy", nothing, [=] { std::memcpy(to, o.a, bytes); }});
    };
    switch (s.routine) {
    case routine::transpose:
        if (somatcopy_ && fits_int(s) && s.element_bytes == 4 && !s.in_place)
            found.push_back({"cblas_somatcopy", nothing, [=, f = somatcopy_] {
                                 call_c<void>(
                                     f, col_major, trans, g.m, g.n, 1.0f, g.a, g.lda, g.b, g.ldb);
                             }});
        if (s.lda == s.m && s.ldb == s.n)
            add_copy(s.in_place ? o.c : o.b, s.m * s.n);
        break;
    case routine::geam:
        add_geam(found, s, o);
        break;
    case routine::gemsum: { // a product with ones
        const auto ones = std::make_shared<std::vector<float>>(std::max(s.m, s.n), 1.0f);
        shape product = s;
        product.routine = routine::gemv;
        operands vectors = o;
        vectors.b = ones->data();
        add_same(found, blas_, product, vectors);
        if (!found.empty())
            found.back().prepare = [ones] {}; // keeps them
        break;
    }
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
        if (dasum_ && fits_int(s))
            found.push_back({"cblas_dasum", nothing, [=, f = dasum_] {
                                 *static_cast<double*>(o.c) =
                                     call_c<double>(f, g.n, static_cast<double*>(o.a), g.inc);
                             }});
        break;
    case routine::copy:
        if (s.incx == 1)
            add_copy(o.b, s.n);
        else
            add_same(found, blas_, s, o);
        break;
    default:
        add_same(found, blas_, s, o);
    }
    return found;
}

} // namespace bench
