#include "blas/operations.h"

#include "blas/offload.h"

#include <algorithm>

namespace myblas::preload {
namespace {

int64_t at_least_one(int64_t extent) { return std::max<int64_t>(1, extent); }

} // namespace

// ---- Arguments, numbered as in the reference BLAS -----------------------------------------------

int product_call::wrong_argument() const {
    if (wrong_letter)
        return wrong_letter;
    if (m < 0)
        return 3;
    if (n < 0)
        return 4;
    if (k < 0)
        return 5;
    if (lda < at_least_one(transa ? k : m))
        return 8;
    if (ldb < at_least_one(transb ? n : k))
        return 10;
    return ldc < at_least_one(m) ? 13 : 0;
}

int any_level3_call::wrong_argument() const {
    if (wrong_letter)
        return wrong_letter;
    const int first = letters + 1;
    const int64_t second = updates_triangle() ? k : n;
    if ((updates_triangle() ? n : m) < 0)
        return first;
    if (second < 0)
        return first + 1;
    int number = first + 4;
    if (lda < at_least_one(extent_of_a(*this).rows))
        return number;
    if (has_argument_b) {
        number += 2;
        if (has_b() && ldb < at_least_one(extent_of_b(*this).rows))
            return number;
    }
    number += is_triangular() ? 2 : 3;
    return ldc < at_least_one(m) ? number : 0;
}

int matcopy_call::wrong_argument() const {
    if (wrong_letter)
        return wrong_letter;
    if (rows <= 0)
        return 3;
    if (cols <= 0)
        return 4;
    if (lda < rows)
        return 7;
    return ldb < (trans ? cols : rows) ? (a == b ? 8 : 9) : 0;
}

// ---- Computing ----------------------------------------------------------------------------------

product_call product_call::read(char layout,
                                char transa,
                                char transb,
                                int64_t m,
                                int64_t n,
                                int64_t k,
                                float alpha,
                                const float* a,
                                int64_t lda,
                                const float* b,
                                int64_t ldb,
                                float beta,
                                float* c,
                                int64_t ldc) {
    product p{
        is_transposed(transa), is_transposed(transb), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};
    if (layout == 'R') {
        std::swap(p.transa, p.transb);
        std::swap(p.m, p.n);
        std::swap(p.a, p.b);
        std::swap(p.lda, p.ldb);
    }
    return {p};
}

void product_on_host(const product& p, const void* context) {
    const origin& from = *static_cast<const origin*>(context);
    const char transa = p.transa ? 'T' : 'N', transb = p.transb ? 'T' : 'N';
    if (!call_own<routine::sgemm>(from,
                                  transa,
                                  transb,
                                  p.m,
                                  p.n,
                                  p.k,
                                  p.alpha,
                                  p.a,
                                  p.lda,
                                  p.b,
                                  p.ldb,
                                  p.beta,
                                  p.c,
                                  p.ldc))
        compute_on_host(product_call{p}, from);
}

outcome product_call::run(std::span<device* const> devices, const origin& from) const noexcept {
    return staged_product(devices, *this, product_on_host, &from);
}

// ---- Level 3 ------------------------------------------------------------------------------------

void any_level3_call::transpose() {
    upper = !upper;
    switch (what) {
    case kind::gemmtr: // (op(A) op(B))^T = op(B)^T op(A)^T
        std::swap(a, b);
        std::swap(lda, ldb);
        std::swap(transa, transb);
        break;
    case kind::syr2k:
        transa = !transa;
        break;
    default:
        left = !left;
        std::swap(m, n);
    }
}

// The size of a product with the same work.
product_size any_level3_call::size() const {
    const auto half = [](int64_t extent) { return (extent + 1) / 2; };
    switch (what) {
    case kind::gemmtr:
        return {n, half(n), k, beta != 0};
    case kind::syr2k:
        return {n, n, k, beta != 0};
    case kind::symm:
        return {m, n, order(), beta != 0};
    default:
        return {m, n, half(order()), true};
    }
}

void level3_on_host(const level3& p, const void* context) {
    const origin& from = *static_cast<const origin*>(context);
    if (p.what == level3::kind::product)
        return product_on_host(p, context);
    const auto compute_by = [&]<class Call>() {
        if constexpr (requires { Call::computes(p); })
            if (Call::computes(p) && !Call::call_own(p, from)) {
                Call call;
                static_cast<level3&>(call) = p;
                compute_on_host(call, from);
            }
    };
#define BLAS_LEVEL3(name, ...) compute_by.operator()<call_of<routine::name>::type>();
#include "common/entries.inc"
#undef BLAS_LEVEL3
}

outcome any_level3_call::run(std::span<device* const> devices, const origin& from) const noexcept {
    return staged_level3(devices, *this, {level3_on_host, product_on_host, &from});
}

// ---- Copies -------------------------------------------------------------------------------------

outcome matcopy_call::run(std::span<device* const> devices, const origin&) const noexcept {
    const int64_t m = trans ? cols : rows, n = trans ? rows : cols;
    const operand operands[] = {{a, nullptr, rows, cols, lda}, {nullptr, b, m, n, ldb}};
    return whole_call(*devices[0], operands, [&](const device& d, float* const* places) {
        const float zero = 0;
        return d.api().sgeam(d.handle(),
                             trans ? MYBLAS_OP_T : MYBLAS_OP_N,
                             MYBLAS_OP_N,
                             m,
                             n,
                             &alpha,
                             places[0],
                             rows,
                             &zero,
                             nullptr,
                             m,
                             places[1],
                             m);
    });
}

} // namespace myblas::preload
