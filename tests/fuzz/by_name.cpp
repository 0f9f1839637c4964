#include "fuzz/by_name.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <string_view>

namespace fuzz {
namespace {

template <class Result = void, class... Arguments>
Result call_c(const char* name, Arguments... arguments) {
    return reinterpret_cast<Result (*)(Arguments...)>(find_function(name))(arguments...);
}

// All arguments of Fortran are addresses.
template <class Result = void, class... Arguments>
Result call(const char* name, Arguments*... arguments) {
    return call_c<Result>(name, arguments...);
}

// The rows of cuBLAS: `name` serves as `function` does, with `mapped` for the arguments.
struct cublas_row {
    std::string_view name, function, arguments, mapped;
};
constexpr cublas_row cublas_rows[] = {
#define CUBLAS_ENTRY(name, routine, function, call, against, parameters, arguments, mapped)        \
    {#name, #function, #arguments, #mapped},
#include "common/entries.inc"
#undef CUBLAS_ENTRY
};

// The function of cuBLAS with the same arguments; empty: none.
std::string_view name_in_cublas(function f) {
    for (const cublas_row& row : cublas_rows)
        if (row.function == name_of(f) && row.arguments == row.mapped)
            return row.name;
    return "";
}

// Calls of CBLAS: column-major, or the same calls row-major, where every matrix is its transpose.
void call_cblas(function f, const arguments& g) {
    enum { row_major = 101, col_major, no_trans = 111, trans_, upper = 121, lower, non_unit = 131 };
    enum { left = 141, right };
    const bool by_rows = (g.m + g.n + g.k + g.lda) % 2;
    const int order = by_rows ? row_major : col_major;
    const auto narrow = [](int64_t x) { return static_cast<int>(x); };
    const auto operation = [](int64_t op) { return no_trans + static_cast<int>(op); };
    const auto flipped = [&](int64_t op) {
        return op && by_rows ? no_trans : by_rows ? trans_ : no_trans + static_cast<int>(op);
    };
    const int uplo = (g.uplo == MYBLAS_FILL_MODE_UPPER) != by_rows ? upper : lower;
    const int side = (g.side == MYBLAS_SIDE_RIGHT) != by_rows ? right : left;
    const int diag = non_unit + narrow(g.diag), trans = operation(g.trans);
    const int other_trans = flipped(g.trans);
    const int m = narrow(by_rows ? g.n : g.m), n = narrow(by_rows ? g.m : g.n);
    const int order_n = narrow(g.n), k = narrow(g.k), incx = narrow(g.incx), incy = narrow(g.incy);
    const int lda = narrow(g.lda), ldb = narrow(g.ldb), ldc = narrow(g.ldc);
    const auto scalar = [](const void* x) { return x ? *static_cast<const float*>(x) : 0; };
    const float alpha = scalar(g.alpha), beta = scalar(g.beta);
    const auto result = [&](auto value) { *static_cast<decltype(value)*>(g.result) = value; };
    switch (f) {
    case sgemm:
        if (by_rows)
            call_c("cblas_sgemm",
                   order,
                   operation(g.transb),
                   operation(g.transa),
                   m,
                   n,
                   k,
                   alpha,
                   g.B,
                   ldb,
                   g.A,
                   lda,
                   beta,
                   g.C,
                   ldc);
        else
            call_c("cblas_sgemm",
                   order,
                   operation(g.transa),
                   operation(g.transb),
                   m,
                   n,
                   k,
                   alpha,
                   g.A,
                   lda,
                   g.B,
                   ldb,
                   beta,
                   g.C,
                   ldc);
        break;
    case ssyrk:
        call_c(
            "cblas_ssyrk", order, uplo, other_trans, order_n, k, alpha, g.A, lda, beta, g.C, ldc);
        break;
    case ssyr2k:
        call_c("cblas_ssyr2k",
               order,
               uplo,
               other_trans,
               order_n,
               k,
               alpha,
               g.A,
               lda,
               g.B,
               ldb,
               beta,
               g.C,
               ldc);
        break;
    case ssymm:
        call_c("cblas_ssymm", order, side, uplo, m, n, alpha, g.A, lda, g.B, ldb, beta, g.C, ldc);
        break;
    case strmm:
        call_c("cblas_strmm", order, side, uplo, trans, diag, m, n, alpha, g.A, lda, g.B, ldb);
        break;
    case strsm:
        call_c("cblas_strsm", order, side, uplo, trans, diag, m, n, alpha, g.A, lda, g.B, ldb);
        break;
    case sgemv:
        call_c(
            "cblas_sgemv", order, other_trans, m, n, alpha, g.A, lda, g.x, incx, beta, g.y, incy);
        break;
    case sger:
        if (by_rows)
            call_c("cblas_sger", order, m, n, alpha, g.y, incy, g.x, incx, g.A, lda);
        else
            call_c("cblas_sger", order, m, n, alpha, g.x, incx, g.y, incy, g.A, lda);
        break;
    case ssymv:
        call_c("cblas_ssymv", order, uplo, order_n, alpha, g.A, lda, g.x, incx, beta, g.y, incy);
        break;
    case ssyr:
        call_c("cblas_ssyr", order, uplo, order_n, alpha, g.x, incx, g.A, lda);
        break;
    case ssyr2:
        call_c("cblas_ssyr2", order, uplo, order_n, alpha, g.x, incx, g.y, incy, g.A, lda);
        break;
    case strmv:
        call_c("cblas_strmv", order, uplo, other_trans, diag, order_n, g.A, lda, g.x, incx);
        break;
    case strsv:
        call_c("cblas_strsv", order, uplo, other_trans, diag, order_n, g.A, lda, g.x, incx);
        break;
    case saxpy:
        call_c("cblas_saxpy", order_n, alpha, g.x, incx, g.y, incy);
        break;
    case scopy:
        call_c("cblas_scopy", order_n, g.x, incx, g.y, incy);
        break;
    case sdot:
        result(call_c<float>("cblas_sdot", order_n, g.x, incx, g.y, incy));
        break;
    case snrm2:
        result(call_c<float>("cblas_snrm2", order_n, g.x, incx));
        break;
    case sasum:
        result(call_c<float>("cblas_sasum", order_n, g.x, incx));
        break;
    case isamax: // counts from 0
        result(order_n > 0 && incx > 0
                   ? static_cast<int>(call_c<size_t>("cblas_isamax", order_n, g.x, incx)) + 1
                   : 0);
        break;
    case sscal:
        call_c("cblas_sscal", order_n, alpha, g.x, incx);
        break;
    case sswap:
        call_c("cblas_sswap", order_n, g.x, incx, g.y, incy);
        break;
    case srot:
        call_c("cblas_srot", order_n, g.x, incx, g.y, incy, scalar(g.c), scalar(g.s));
        break;
    case srotm:
        call_c("cblas_srotm", order_n, g.x, incx, g.y, incy, g.param);
        break;
    case srotg:
        call_c("cblas_srotg", g.a, g.b, g.c, g.s);
        break;
    default:
        call_c("cblas_srotmg", g.d1, g.d2, g.x1, scalar(g.y1), g.param);
        break;
    }
}

bool is_in_blas(function f) {
    switch (f) {
    case sgemm:
    case ssyrk:
    case ssyr2k:
    case ssymm:
    case strmm:
    case strsm:
    case sgemv:
    case sger:
    case ssymv:
    case ssyr:
    case ssyr2:
    case strmv:
    case strsv:
    case saxpy:
    case scopy:
    case sdot:
    case snrm2:
    case sasum:
    case isamax:
    case sscal:
    case sswap:
    case srot:
    case srotm:
    case srotg:
    case srotmg:
        return true;
    default:
        return false;
    }
}

} // namespace

void* find_function(const std::string& name) {
    void* function = dlsym(RTLD_DEFAULT, name.c_str());
    if (!function) {
        std::fprintf(stderr, "test_fuzz: no %s: preload a library that has it\n", name.c_str());
        std::abort();
    }
    return function;
}

bool has_name(entry_points by, function f) {
    if (by == entry_points::cublas_lt)
        return f == sgemm || f == sgemm_strided_batched || f == sgemm_fused ||
               f == sgemm_fused_strided_batched;
    return by == entry_points::cublas ? !name_in_cublas(f).empty() : is_in_blas(f);
}

void keep_to(entry_points by, call_case& c) {
    c.math = c.on_stream = c.null_unread = 0;
    c.workspace = own_workspace;
    c.repeats &= same_call | other_thread;
    c.fault_parameter = no_fault;
    c.kernel.clear();
    c.product_kernel.clear();
    if (by == entry_points::cublas_lt)
        return keep_to_cublas_lt(c);
    if (by == entry_points::cublas) {
        if (c.f == snrm2 && c.args.incx < 1) // forwarded: cuBLAS has another rule
            c.args.incx = 1;
        if (c.f == sgemm_grouped_batched) // with scalars on the device, too
            c.device_scalars = 0;
        return;
    }
    c.is_wide = c.device_scalars = 0;
    if (c.f == strmm)
        c.in_place = 1, c.args.ldc = c.args.ldb;
    // These calls are forwarded to the program's BLAS, which has other rules.
    if (c.alpha == 0)
        c.alpha = 1;
    if (c.args.k == 0)
        c.args.k = 1;
    for (int64_t* increment : {&c.args.incx, &c.args.incy})
        if (*increment == 0 || c.f == snrm2)
            *increment = 1;
}

myblasStatus_t call_blas(entry_points by, function f, const arguments& g) {
    if (by == entry_points::cblas) {
        call_cblas(f, g);
        return MYBLAS_STATUS_SUCCESS;
    }
    const auto operation = [](int64_t op) { return "NTC"[op]; };
    const char transa = operation(g.transa), transb = operation(g.transb);
    const char trans = operation(g.trans), side = "LR"[g.side], uplo = "LU"[g.uplo];
    const char diag = "NU"[g.diag];
    const auto narrow = [](int64_t x) { return static_cast<int>(x); };
    const int m = narrow(g.m), n = narrow(g.n), k = narrow(g.k);
    const int lda = narrow(g.lda), ldb = narrow(g.ldb), ldc = narrow(g.ldc);
    const int incx = narrow(g.incx), incy = narrow(g.incy);
    const auto result = [&](auto value) { *static_cast<decltype(value)*>(g.result) = value; };
    // clang-format off
    switch (f) {
    case sgemm:
        call("sgemm_", &transa, &transb, &m, &n, &k,
             g.alpha, g.A, &lda, g.B, &ldb, g.beta, g.C, &ldc);
        break;
    case ssyrk: call("ssyrk_", &uplo, &trans, &n, &k, g.alpha, g.A, &lda, g.beta, g.C, &ldc); break;
    case ssyr2k:
        call("ssyr2k_", &uplo, &trans, &n, &k, g.alpha, g.A, &lda, g.B, &ldb, g.beta, g.C, &ldc);
        break;
    case ssymm:
        call("ssymm_", &side, &uplo, &m, &n, g.alpha, g.A, &lda, g.B, &ldb, g.beta, g.C, &ldc);
        break;
    case strmm:
        call("strmm_", &side, &uplo, &trans, &diag, &m, &n, g.alpha, g.A, &lda, g.B, &ldb);
        break;
    case strsm:
        call("strsm_", &side, &uplo, &trans, &diag, &m, &n, g.alpha, g.A, &lda, g.B, &ldb);
        break;
    case sgemv:
        call("sgemv_", &trans, &m, &n, g.alpha, g.A, &lda, g.x, &incx, g.beta, g.y, &incy);
        break;
    case sger: call("sger_", &m, &n, g.alpha, g.x, &incx, g.y, &incy, g.A, &lda); break;
    case ssymv:
        call("ssymv_", &uplo, &n, g.alpha, g.A, &lda, g.x, &incx, g.beta, g.y, &incy);
        break;
    case ssyr: call("ssyr_", &uplo, &n, g.alpha, g.x, &incx, g.A, &lda); break;
    case ssyr2: call("ssyr2_", &uplo, &n, g.alpha, g.x, &incx, g.y, &incy, g.A, &lda); break;
    case strmv: call("strmv_", &uplo, &trans, &diag, &n, g.A, &lda, g.x, &incx); break;
    case strsv: call("strsv_", &uplo, &trans, &diag, &n, g.A, &lda, g.x, &incx); break;
    case saxpy: call("saxpy_", &n, g.alpha, g.x, &incx, g.y, &incy); break;
    case scopy: call("scopy_", &n, g.x, &incx, g.y, &incy); break;
    case sdot: result(call<float>("sdot_", &n, g.x, &incx, g.y, &incy)); break;
    case snrm2: result(call<float>("snrm2_", &n, g.x, &incx)); break;
    case sasum: result(call<float>("sasum_", &n, g.x, &incx)); break;
    case isamax: result(call<int>("isamax_", &n, g.x, &incx)); break;
    case sscal: call("sscal_", &n, g.alpha, g.x, &incx); break;
    case sswap: call("sswap_", &n, g.x, &incx, g.y, &incy); break;
    case srot: call("srot_", &n, g.x, &incx, g.y, &incy, g.c, g.s); break;
    case srotm: call("srotm_", &n, g.x, &incx, g.y, &incy, g.param); break;
    case srotg: call("srotg_", g.a, g.b, g.c, g.s); break;
    case srotmg: call("srotmg_", g.d1, g.d2, g.x1, g.y1, g.param); break;
    default: return MYBLAS_STATUS_NOT_SUPPORTED;
    }
    // clang-format on
    return MYBLAS_STATUS_SUCCESS;
}

cublas_handle::cublas_handle() {
    if (call_c<int>("cublasCreate_v2", &handle_) != 0) {
        std::fprintf(stderr, "test_fuzz: cublasCreate failed\n");
        std::abort();
    }
}

cublas_handle::~cublas_handle() { call_c<int>("cublasDestroy_v2", handle_); }

myblasStatus_t cublas_handle::call(const call_case& c, const arguments& g) const {
    // Every argument is an integer or an address. On x86-64 and AArch64 both are passed in eight
    // bytes, so one type of function serves all. A function does not look at arguments that it does
    // not have.
    int64_t a[20] = {};
    size_t count = 0;
    for (const parameter& p : parameters_of(c.f))
        a[count++] = get(g, p);
    std::string name(name_in_cublas(c.f));
    if (c.is_wide && c.f != srotg && c.f != srotmg)
        name += "_64";
    const int mode = c.device_scalars ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST;
    call_c<int>("cublasSetPointerMode_v2", handle_, mode);
    // clang-format off
    return static_cast<myblasStatus_t>(call_c<int>(
        name.c_str(), handle_, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
        a[11], a[12], a[13], a[14], a[15], a[16], a[17], a[18], a[19]));
    // clang-format on
}

} // namespace fuzz
