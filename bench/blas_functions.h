// The functions of a library by routine, and their calls. cuBLAS's functions take the same
// arguments as myblas's, in the same order. cuBLAS's handle is also a pointer, and its enumerations
// and statuses have the same values.
#pragma once

#include "dynamic_library.h"
#include "machine.h"
#include "myblas/myblas.h"
#include "shape.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace bench {

struct blas_functions {
    std::array<any_function, routine_count> of{}; // null where the library lacks one
    any_function sgemm_batched = nullptr, sgemm_strided_batched = nullptr;

    any_function operator[](routine r) const { return of[static_cast<size_t>(r)]; }

    // The function for a shape; batches may have another one.
    any_function operator[](const shape& s) const {
        return s.pointer_array ? sgemm_batched
               : s.batch > 1   ? sgemm_strided_batched
                               : (*this)[s.routine];
    }
};

// find(name): the function that myblas has as `my` and the name, such as sgemm.
template <class Find>
blas_functions find_functions(const Find& find) {
    blas_functions found;
    for (int i = 0; i < routine_count; ++i)
        found.of[static_cast<size_t>(i)] = find(describe(static_cast<routine>(i)).function);
    found.sgemm_batched = find("sgemmBatched");
    found.sgemm_strided_batched = find("sgemmStridedBatched");
    return found;
}

// Whether functions whose sizes have 32 bits can take the call.
inline bool fits_int(const shape& s) {
    return std::max({s.m, s.n, s.k, s.lda, s.ldb, s.ldc, s.incx, s.batch}) <=
           std::numeric_limits<int>::max();
}

// The values of BLAS's letters in a library, by the fields of a shape: side[right] and so on.
struct letter_values {
    int side[2], uplo[2], op[2], diag[2];
};
inline constexpr letter_values of_cublas{
    {MYBLAS_SIDE_LEFT, MYBLAS_SIDE_RIGHT},
    {MYBLAS_FILL_MODE_LOWER, MYBLAS_FILL_MODE_UPPER},
    {MYBLAS_OP_N, MYBLAS_OP_T},
    {MYBLAS_DIAG_NON_UNIT, MYBLAS_DIAG_UNIT},
};
inline constexpr letter_values of_cblas{{141, 142}, {122, 121}, {111, 112}, {131, 132}};

// Calls call(arguments...) with the arguments of a routine of BLAS, which are the same and in the
// same order in all libraries. Where libraries differ, the argument is left out: the handle of
// cuBLAS, the order of CBLAS, and the place for the result of a reduction. scalar(x) is alpha in
// the form that the library takes.
template <class Size, class Scalar, class Call>
auto with_arguments(const letter_values& letters,
                    const shape& s,
                    const operands& o,
                    const Scalar& scalar,
                    const Call& call) {
    static constexpr float one = 1, zero = 0;
    const int side = letters.side[s.right], uplo = letters.uplo[s.upper];
    const int op = letters.op[s.transa], op_b = letters.op[s.transb], diag = letters.diag[s.unit];
    const auto m = static_cast<Size>(s.m), n = static_cast<Size>(s.n), k = static_cast<Size>(s.k);
    const auto lda = static_cast<Size>(s.lda), ldb = static_cast<Size>(s.ldb);
    const auto ldc = static_cast<Size>(s.ldc), inc = static_cast<Size>(s.incx);
    void *const a = o.a, *const b = o.b, *const c = o.c;
    // clang-format off
    switch (s.routine) {
    case routine::dot:
    case routine::copy:
    case routine::swap:
        return call(n, a, inc, b, inc);
    case routine::axpy:
        return call(n, scalar(axpy_alpha), a, inc, b, inc);
    case routine::scal:
        return call(n, scalar(scal_alpha), a, inc);
    case routine::rot:
        return call(n, a, inc, b, inc, scalar(rot_c), scalar(rot_s));
    case routine::rotm:
        return call(n, a, inc, b, inc, &rotm_param[0]);
    case routine::gemv:
        return call(op, m, n, scalar(one), a, lda, b, inc, scalar(zero), c, inc);
    case routine::symv:
        return call(uplo, n, scalar(one), a, lda, b, inc, scalar(zero), c, inc);
    case routine::syr:
        return call(uplo, n, scalar(update_alpha), b, inc, a, lda);
    case routine::syr2:
        return call(uplo, n, scalar(update_alpha), b, inc, c, inc, a, lda);
    case routine::ger:
        return call(m, n, scalar(update_alpha), b, inc, c, inc, a, lda);
    case routine::trmv:
    case routine::trsv:
        return call(uplo, op, diag, n, a, lda, b, inc);
    case routine::sgemm:
        return call(op, op_b, m, n, k, scalar(s.alpha), a, lda, b, ldb, scalar(s.beta), c, ldc);
    case routine::syrk:
        return call(uplo, op, n, k, scalar(one), a, lda, scalar(zero), c, ldc);
    case routine::syr2k:
        return call(uplo, op, n, k, scalar(one), a, lda, b, ldb, scalar(zero), c, ldc);
    case routine::symm:
        return call(side, uplo, m, n, scalar(one), a, lda, b, ldb, scalar(zero), c, ldc);
    case routine::trmm: // of cuBLAS; in place in CBLAS
        return call(side, uplo, op, diag, m, n, scalar(one), a, lda, b, ldb, c, ldc);
    case routine::trsm:
        return call(side, uplo, op, diag, m, n, scalar(one), a, lda, b, ldb);
    default: // sums, extremes
        return call(n, a, inc);
    }
    // clang-format on
}

// Size: int64_t for functions of myblas that end in _64, int for cuBLAS's.
template <class Size>
myblasStatus_t call_blas(const blas_functions& f, void* handle, const shape& s, const operands& o) {
    const auto call = [&](auto... arguments) {
        return call_c<myblasStatus_t>(f[s], handle, arguments...);
    };
    const int op = of_cublas.op[s.transa], op_b = of_cublas.op[s.transb];
    const auto m = static_cast<Size>(s.m), n = static_cast<Size>(s.n), k = static_cast<Size>(s.k);
    const auto lda = static_cast<Size>(s.lda), ldb = static_cast<Size>(s.ldb);
    const auto ldc = static_cast<Size>(s.ldc), batch = static_cast<Size>(s.batch);
    // clang-format off
    switch (s.routine) {
    case routine::histogram:
        return call(n, o.a, o.c);
    case routine::transpose:
        return call(m, n, s.element_bytes, o.a, lda, o.b, ldb);
    case routine::geam:
        return call(op, op_b, m, n, &geam_alpha, o.a, lda, &geam_beta, o.b, ldb, o.c, ldc);
    case routine::gemsum:
        return call(op, m, n, o.a, lda, o.c);
    case routine::sgemm_fused: {
        const float one = 1, zero = 0;
        myblasEpilogue_t epilogue{};
        epilogue.size_bytes = sizeof epilogue;
        epilogue.activation = s.activation;
        epilogue.bias_of = MYBLAS_BIAS_OF_ROWS;
        epilogue.bias = static_cast<const float*>(o.bias);
        return call(op, op_b, m, n, k, &one, o.a, lda, o.b, ldb, &zero, o.c, ldc, o.c, ldc,
                    &epilogue);
    }
    case routine::sgemm:
        if (s.pointer_array)
            return call(op, op_b, m, n, k, &s.alpha, o.a_list, lda, o.b_list, ldb, &s.beta,
                        o.c_list, ldc, batch);
        if (s.batch > 1) {
            const operand_sizes stride = batch_strides(s);
            return call(op, op_b, m, n, k, &s.alpha, o.a, lda, stride.a, o.b, ldb, stride.b,
                        &s.beta, o.c, ldc, stride.c, batch);
        }
        break;
    default:
        break;
    }
    // clang-format on
    const auto by_pointer = [](const float& x) { return &x; };
    return with_arguments<Size>(of_cublas, s, o, by_pointer, [&](auto... arguments) {
        return is_reduction(s.routine) ? call(arguments..., o.c) : call(arguments...);
    });
}

} // namespace bench
