#include "blas/operations.h"

#include "blas/offload.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

namespace myblas::preload {
namespace {

int64_t at_least_one(int64_t extent) { return std::max<int64_t>(1, extent); }

int as_int(int64_t value) { return static_cast<int>(value); }

// A vector without gaps: the program's own one where it has none, else a copy of it.
class gathered {
public:
    explicit gathered(const vector<const float>& x) noexcept : data_(x.data) {
        if (x.inc == 1)
            return;
        copy_.reset(new (std::nothrow) float[x.n]);
        data_ = copy_.get();
        const float* base = x.base();
        for (int64_t i = 0; data_ && i < x.n; ++i)
            copy_[i] = base[i * x.inc];
    }
    // Null: no memory.
    const float* data() const { return data_; }

private:
    std::unique_ptr<float[]> copy_;
    const float* data_;
};

} // namespace

// ---- Arguments, numbered as in the reference BLAS ------------------------------------------------

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
    // A triangular operation has two more arguments before its extents than the others.
    const int first = is_triangular() ? 5 : 3;
    const int64_t second = updates_triangle() ? k : n;
    if ((updates_triangle() ? n : m) < 0)
        return first;
    if (second < 0)
        return first + 1;
    int number = first + 4;
    if (lda < at_least_one(extent_of_a(*this).rows))
        return number;
    if (has_b()) {
        number += 2;
        if (ldb < at_least_one(extent_of_b(*this).rows))
            return number;
    }
    number += is_triangular() ? 2 : 3;
    return ldc < at_least_one(m) ? number : 0;
}

int matrix_vector_call::wrong_argument() const {
    if (wrong_letter)
        return wrong_letter;
    if (rows < 0)
        return 2;
    if (cols < 0)
        return 3;
    if (lda < at_least_one(rows))
        return 6;
    if (incx == 0)
        return 8;
    return incy == 0 ? 11 : 0;
}

int omatcopy_call::wrong_argument() const {
    if (wrong_letter)
        return wrong_letter;
    if (rows <= 0)
        return 3;
    if (cols <= 0)
        return 4;
    if (lda < rows)
        return 7;
    return ldb < (trans ? cols : rows) ? 9 : 0;
}

int imatcopy_call::wrong_argument() const {
    if (wrong_letter)
        return wrong_letter;
    if (rows <= 0)
        return 3;
    if (cols <= 0)
        return 4;
    if (lda < rows)
        return 7;
    return ldb < (trans ? cols : rows) ? 8 : 0;
}

// ---- Computing -----------------------------------------------------------------------------------

void product_on_host(const product& p, const void* context) {
    const origin& from = *static_cast<const origin*>(context);
    const char transa = p.transa ? 'T' : 'N', transb = p.transb ? 'T' : 'N';
    const int m = as_int(p.m), n = as_int(p.n), k = as_int(p.k);
    const int lda = as_int(p.lda), ldb = as_int(p.ldb), ldc = as_int(p.ldc);
    if (from.used == interface::fortran) {
        if (auto* sgemm = from.own.get<fortran::sgemm>(routine::sgemm))
            return sgemm(&transa,
                         &transb,
                         &m,
                         &n,
                         &k,
                         &p.alpha,
                         p.a,
                         &lda,
                         p.b,
                         &ldb,
                         &p.beta,
                         p.c,
                         &ldc,
                         1,
                         1);
    } else if (auto* sgemm = from.own.get<cblas::sgemm>(routine::sgemm)) {
        return sgemm(cblas_col_major,
                     p.transa ? cblas_trans : cblas_no_trans,
                     p.transb ? cblas_trans : cblas_no_trans,
                     m,
                     n,
                     k,
                     p.alpha,
                     p.a,
                     lda,
                     p.b,
                     ldb,
                     p.beta,
                     p.c,
                     ldc);
    }
    const product_call whole{p};
    compute_on_host(whole, from);
}

outcome product_call::run(std::span<device* const> devices, const origin& from) const noexcept {
    return staged_product(devices, *this, product_on_host, &from);
}

// ---- Level 3 -------------------------------------------------------------------------------------

// As a product of the same work.
product_size any_level3_call::size() const {
    const auto half = [](int64_t extent) { return (extent + 1) / 2; };
    switch (what) {
    case kind::syrk:
        return {n, half(n), k, beta != 0};
    case kind::syr2k:
        return {n, n, k, beta != 0};
    case kind::symm:
        return {m, n, order(), beta != 0};
    default:
        return {m, n, half(order()), true};
    }
}

namespace {

template <class Kind>
void compute_as(const level3& p, const origin& from) {
    Kind call;
    static_cast<level3&>(call) = p;
    compute_on_host(call, from);
}

// By the functions of one interface, whose ways to pass arguments differ.
bool by_fortran(const level3& p, const program_blas& own) {
    const char uplo = p.upper ? 'U' : 'L', trans = p.transa ? 'T' : 'N';
    const char side = p.left ? 'L' : 'R', diag = p.unit ? 'U' : 'N';
    const int m = as_int(p.m), n = as_int(p.n), k = as_int(p.k);
    const int lda = as_int(p.lda), ldb = as_int(p.ldb), ldc = as_int(p.ldc);
    switch (p.what) {
    case level3::kind::syrk:
        if (auto* f = own.get<fortran::ssyrk>(routine::ssyrk))
            return f(&uplo, &trans, &n, &k, &p.alpha, p.a, &lda, &p.beta, p.c, &ldc, 1, 1), true;
        return false;
    case level3::kind::syr2k:
        if (auto* f = own.get<fortran::ssyr2k>(routine::ssyr2k))
            return f(&uplo,
                     &trans,
                     &n,
                     &k,
                     &p.alpha,
                     p.a,
                     &lda,
                     p.b,
                     &ldb,
                     &p.beta,
                     p.c,
                     &ldc,
                     1,
                     1),
                   true;
        return false;
    case level3::kind::symm:
        if (auto* f = own.get<fortran::ssymm>(routine::ssymm))
            return f(&side,
                     &uplo,
                     &m,
                     &n,
                     &p.alpha,
                     p.a,
                     &lda,
                     p.b,
                     &ldb,
                     &p.beta,
                     p.c,
                     &ldc,
                     1,
                     1),
                   true;
        return false;
    case level3::kind::trmm:
    case level3::kind::trsm:
        if (auto* f = own.get<fortran::strmm>(p.what == level3::kind::trmm ? routine::strmm
                                                                           : routine::strsm))
            return f(&side,
                     &uplo,
                     &trans,
                     &diag,
                     &m,
                     &n,
                     &p.alpha,
                     p.a,
                     &lda,
                     p.c,
                     &ldc,
                     1,
                     1,
                     1,
                     1),
                   true;
        return false;
    default:
        return false;
    }
}

bool by_cblas(const level3& p, const program_blas& own) {
    const slot order = cblas_col_major, uplo = p.upper ? cblas_upper : cblas_lower;
    const slot trans = p.transa ? cblas_trans : cblas_no_trans;
    const slot side = p.left ? cblas_left : cblas_right,
               diag = p.unit ? cblas_unit : cblas_non_unit;
    switch (p.what) {
    case level3::kind::syrk:
        if (auto* f = own.get<cblas::ssyrk>(routine::ssyrk))
            return f(order, uplo, trans, p.n, p.k, p.alpha, p.a, p.lda, p.beta, p.c, p.ldc), true;
        return false;
    case level3::kind::syr2k:
        if (auto* f = own.get<cblas::ssyr2k>(routine::ssyr2k))
            return f(order,
                     uplo,
                     trans,
                     p.n,
                     p.k,
                     p.alpha,
                     p.a,
                     p.lda,
                     p.b,
                     p.ldb,
                     p.beta,
                     p.c,
                     p.ldc),
                   true;
        return false;
    case level3::kind::symm:
        if (auto* f = own.get<cblas::ssymm>(routine::ssymm))
            return f(order,
                     side,
                     uplo,
                     p.m,
                     p.n,
                     p.alpha,
                     p.a,
                     p.lda,
                     p.b,
                     p.ldb,
                     p.beta,
                     p.c,
                     p.ldc),
                   true;
        return false;
    case level3::kind::trmm:
    case level3::kind::trsm:
        if (auto* f = own.get<cblas::strmm>(p.what == level3::kind::trmm ? routine::strmm
                                                                         : routine::strsm))
            return f(order, side, uplo, trans, diag, p.m, p.n, p.alpha, p.a, p.lda, p.c, p.ldc),
                   true;
        return false;
    default:
        return false;
    }
}

} // namespace

void level3_on_host(const level3& p, const void* context) {
    const origin& from = *static_cast<const origin*>(context);
    if (p.what == level3::kind::product)
        return product_on_host(p, context);
    if (from.used == interface::fortran ? by_fortran(p, from.own) : by_cblas(p, from.own))
        return;
    switch (p.what) {
    case level3::kind::syrk:
        return compute_as<syrk_call>(p, from);
    case level3::kind::syr2k:
        return compute_as<syr2k_call>(p, from);
    case level3::kind::symm:
        return compute_as<symm_call>(p, from);
    case level3::kind::trmm:
        return compute_as<trmm_call>(p, from);
    default:
        return compute_as<trsm_call>(p, from);
    }
}

outcome any_level3_call::run(std::span<device* const> devices, const origin& from) const noexcept {
    return staged_level3(devices, *this, {level3_on_host, product_on_host, &from});
}

// ---- Products of one column, vectors, copies -----------------------------------------------------

outcome matrix_vector_call::run(std::span<device* const> devices,
                                const origin& from) const noexcept {
    const int64_t length_x = trans ? rows : cols, length_y = trans ? cols : rows;
    const gathered dense_x({x, length_x, incx});
    if (!dense_x.data())
        return outcome::device_failed;
    std::unique_ptr<float[]> copy;
    float* target = y;
    const vector<float> own_y{y, length_y, incy};
    if (incy != 1) {
        copy.reset(new (std::nothrow) float[length_y]);
        target = copy.get();
        if (!target)
            return outcome::device_failed;
        if (beta != 0)
            for (int64_t i = 0; i < length_y; ++i)
                target[i] = own_y.base()[i * incy];
    }
    const product p{trans,
                    false,
                    length_y,
                    1,
                    length_x,
                    alpha,
                    a,
                    lda,
                    dense_x.data(),
                    length_x,
                    beta,
                    target,
                    length_y};
    const outcome o = staged_product(devices, p, product_on_host, &from);
    if (o == outcome::served && incy != 1)
        for (int64_t i = 0; i < length_y; ++i)
            own_y.base()[i * incy] = target[i];
    return o;
}

outcome asum_call::run(std::span<device* const> devices, const origin&) const noexcept {
    return staged_asum(*devices[0], {x, n, incx}, result);
}

outcome dot_call::run(std::span<device* const> devices, const origin& from) const noexcept {
    const gathered dense_x({x, n, incx}), dense_y({y, n, incy});
    if (!dense_x.data() || !dense_y.data())
        return outcome::device_failed;
    const product p{true, false, 1, 1, n, 1, dense_x.data(), n, dense_y.data(), n, 0, result, 1};
    return staged_product(devices.first(1), p, product_on_host, &from);
}

outcome axpy_call::run(std::span<device* const> devices, const origin& from) const noexcept {
    int64_t done = 0;
    const outcome o = staged_axpy(*devices[0], alpha, {x, n, incx}, {y, n, incy}, &done);
    if (o == outcome::served || done == 0)
        return o;
    // The rest. With a negative increment the vector ends, in memory, where it began before.
    const int64_t rest = n - done;
    const float* rest_x = incx > 0 ? x + done * incx : x;
    float* rest_y = incy > 0 ? y + done * incy : y;
    const int length = as_int(rest), step_x = as_int(incx), step_y = as_int(incy);
    if (from.used == interface::fortran) {
        if (auto* saxpy = from.own.get<fortran::saxpy>(routine::saxpy)) {
            saxpy(&length, &alpha, rest_x, &step_x, rest_y, &step_y);
            return outcome::served;
        }
    } else if (auto* saxpy = from.own.get<cblas::saxpy>(routine::saxpy)) {
        saxpy(length, alpha, rest_x, step_x, rest_y, step_y);
        return outcome::served;
    }
    compute_on_host(axpy_call{rest, alpha, rest_x, incx, rest_y, incy}, from);
    return outcome::served;
}

outcome copy_call::run(std::span<device* const> devices, const origin&) const noexcept {
    return staged_copy(*devices[0], {x, n, incx}, {y, n, incy});
}

outcome omatcopy_call::run(std::span<device* const> devices, const origin&) const noexcept {
    return staged_scaled_copy(*devices[0], *this);
}

outcome imatcopy_call::run(std::span<device* const> devices, const origin&) const noexcept {
    const int64_t m = trans ? cols : rows, count = trans ? rows : cols;
    const std::unique_ptr<float[]> copy(new (std::nothrow) float[m * count]);
    if (!copy)
        return outcome::device_failed;
    const scaled_copy into_copy{trans, rows, cols, alpha, a, lda, copy.get(), m};
    const outcome o = staged_scaled_copy(*devices[0], into_copy);
    if (o == outcome::served)
        copy_team().post(
            {copy.get(), m, count, m}, {a, m, count, ldb}, copy_team::destination::memory);
    return o;
}

} // namespace myblas::preload
