#include "incumbents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace bench {
namespace {

constexpr int col_major = 102, no_trans = 111, trans = 112; // CBLAS_ORDER, CBLAS_TRANSPOSE

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

// Operands of routines that BLAS does not have.
struct cblas_arguments {
    cblas_arguments(const shape& s, const operands& o)
        : op(s.transa ? trans : no_trans), m(static_cast<int>(s.m)), n(static_cast<int>(s.n)),
          lda(static_cast<int>(s.lda)), ldb(static_cast<int>(s.ldb)), ldc(static_cast<int>(s.ldc)),
          inc(static_cast<int>(s.incx)), a(static_cast<float*>(o.a)), b(static_cast<float*>(o.b)),
          c(static_cast<float*>(o.c)) {}

    int op, m, n, lda, ldb, ldc, inc;
    float *a, *b, *c;
};

// A routine that CBLAS has.
void call_cblas(any_function f, const shape& s, const operands& o) {
    const auto by_value = [](float x) { return x; };
    const auto with = [&](const auto& call) {
        with_arguments<int>(of_cblas, s, o, by_value, call);
    };
    switch (s.routine) {
    case routine::asum:
    case routine::nrm2:
    case routine::dot:
        return with(
            [&](auto... arguments) { *static_cast<float*>(o.c) = call_c<float>(f, arguments...); });
    case routine::iamax:
    case routine::iamin:
        return with([&](auto... arguments) {
            *static_cast<int64_t*>(o.c) = static_cast<int64_t>(call_c<size_t>(f, arguments...)) + 1;
        });
    case routine::trmm: { // in place
        copy_columns(s, static_cast<const float*>(o.b), static_cast<float*>(o.c));
        shape in_place = s;
        in_place.routine = routine::trsm; // which takes the same arguments
        in_place.ldb = s.ldc;
        operands target = o;
        target.b = o.c;
        return call_cblas(f, in_place, target);
    }
    default:
        return with([&](auto... arguments) {
            has_matrix(s.routine) ? call_c<void>(f, col_major, arguments...)
                                  : call_c<void>(f, arguments...);
        });
    }
}

void call_batch(any_function f, const shape& s, const operands& o) {
    const operand_sizes stride = batch_strides(s);
    operands product = o;
    for (int64_t i = 0; i < s.batch; ++i) {
        product.a = static_cast<float*>(o.a) + i * stride.a;
        product.b = static_cast<float*>(o.b) + i * stride.b;
        product.c = static_cast<float*>(o.c) + i * stride.c;
        call_cblas(f, s, product);
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
    const auto call = s.routine == routine::sgemm ? call_batch : call_cblas;
    found.push_back(
        {fmt::format("cblas_{}", describe(s.routine).function), [=] { call(f, s, o); }});
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
    found.push_back({"memcpy", [=] {
                         std::memcpy(g.c, g.a, bytes);
                         std::memcpy(g.c, g.b, bytes / 2);
                     }});
}

std::vector<subject> openblas_incumbents::subjects(const shape& s, const operands& o) const {
    std::vector<subject> found;
    const cblas_arguments g(s, o);
    const auto add_copy = [&](void* to, int64_t elements) {
        const auto bytes = static_cast<size_t>(elements * s.element_bytes);
        found.push_back({"memcpy", [=] { std::memcpy(to, o.a, bytes); }});
    };
    switch (s.routine) {
    case routine::transpose:
        if (somatcopy_ && fits_int(s) && s.element_bytes == 4 && !s.in_place)
            found.push_back({"cblas_somatcopy", [=, f = somatcopy_] {
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
        found.push_back({"plain loop", [=, length = s.n] {
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
            found.push_back({"cblas_dasum", [=, f = dasum_] {
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
