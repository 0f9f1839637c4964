#include "blas/operations.h"

#include "blas/offload.h"

#include <algorithm>

namespace myblas::preload {
namespace {

int64_t at_least_one(int64_t extent) { return std::max<int64_t>(1, extent); }

} // namespace

// ---- Arguments, numbered as in the reference BLAS -----------------------------------------------

int any_level3_call::wrong_argument() const {
    if (wrong_letter)
        return wrong_letter;
    int number = letters;
    const auto is_wrong = [&](int64_t size) { return ++number, size < 0; };
    if ((!updates_triangle() && is_wrong(m)) || is_wrong(n) || (has_depth() && is_wrong(k)))
        return number;
    number += 3;
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

void any_level3_call::transpose() {
    upper = what != kind::product && !upper;
    switch (what) {
    case kind::product:
    case kind::gemmtr: // (op(A) op(B))^T = op(B)^T op(A)^T
        std::swap(a, b);
        std::swap(lda, ldb);
        std::swap(transa, transb);
        std::swap(m, n);
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
    case kind::product:
        return {m, n, k, beta != 0};
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

void level3_on_host(const level3& p, const origin& from) {
    const auto compute_by = [&]<class Call>() {
        if (Call::computes(p) && !Call::call_own(p, from))
            compute_on_host(Call{{p}}, from);
    };
#define BLAS_LEVEL3(name, ...) compute_by.operator()<call_of<routine::name>::type>();
#include "common/entries.inc"
#undef BLAS_LEVEL3
}

// C = beta * C. A triangular matrix times 0 leaves no C.
bool any_level3_call::finish_trivial() const {
    const float factor = is_triangular() ? 0 : beta;
    for (int64_t j = 0; j < n && factor != 1; ++j) {
        const int64_t first = updates_triangle() && !upper ? j : 0;
        const int64_t end = updates_triangle() && upper ? j + 1 : m;
        for (int64_t i = first; i < end; ++i) {
            float& element = c[i + j * ldc];
            element = factor == 0 ? 0 : factor * element;
        }
    }
    return true;
}

outcome any_level3_call::run(std::span<device* const> devices, const origin& from) const noexcept {
    return staged_level3(devices, *this, [&](const level3& p) { level3_on_host(p, from); });
}

// ---- Copies -------------------------------------------------------------------------------------

outcome matcopy_call::run(std::span<device* const> devices, const origin&) const noexcept {
    const int64_t m = trans ? cols : rows, n = trans ? rows : cols;
    const operand operands[] = {{a, nullptr, rows, cols, lda}, {nullptr, b, m, n, ldb}};
    return whole_call(*devices[0], operands, [&](const device& d, float* const* places) {
        const float zero = 0;
        const myblasOperation_t op = trans ? MYBLAS_OP_T : MYBLAS_OP_N;
        // clang-format off
        return d.api().sgeam(d.handle(), op, MYBLAS_OP_N, m, n, &alpha, places[0], rows, &zero,
                             nullptr, m, places[1], m);
        // clang-format on
    });
}

} // namespace myblas::preload
