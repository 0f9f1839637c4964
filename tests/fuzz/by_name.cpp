#include "fuzz/by_name.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace fuzz {
namespace {

// All arguments of Fortran are addresses.
template <class Result = void, class... Arguments>
Result call(const char* name, Arguments*... arguments) {
    void* function = dlsym(RTLD_DEFAULT, name);
    if (!function) {
        std::fprintf(stderr, "test_fuzz: no %s: preload a BLAS\n", name);
        std::abort();
    }
    return reinterpret_cast<Result (*)(Arguments * ...)>(function)(arguments...);
}

} // namespace

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

void keep_to_blas(call_case& c) {
    c.is_wide = c.device_scalars = c.math = c.on_stream = 0;
    c.workspace = own_workspace;
    c.null_unread = 0;
    c.repeats &= same_call | other_thread;
    c.fault_parameter = no_fault;
    c.kernel.clear();
    c.product_kernel.clear();
    if (c.f == strmm)
        c.in_place = 1, c.args.ldc = c.args.ldb;
    // Such calls are forwarded to the program's BLAS, which has rules of its own.
    if (c.alpha == 0)
        c.alpha = 1;
    if (c.args.k == 0)
        c.args.k = 1;
    for (int64_t* increment : {&c.args.incx, &c.args.incy})
        if (*increment == 0 || c.f == snrm2)
            *increment = 1;
}

myblasStatus_t call_blas(function f, const arguments& g) {
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

} // namespace fuzz
