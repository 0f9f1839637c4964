// The functions of a library by routine, and their calls. cuBLAS's functions take the same
// arguments as myblas's, in the same order. cuBLAS's handle is also a pointer, and its enumerations
// and statuses have the same values.
#pragma once

#include "dynamic_library.h"
#include "machine.h"
#include "myblas/myblas.h"
#include "shape.h"

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

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

// Size: int64_t for functions of myblas that end in _64, int for cuBLAS's.
template <class Size>
struct blas_call {
    blas_call(const blas_functions& functions, void* blas_handle, const shape& s, const operands& o)
        : s(s), o(o), function(functions[s]), handle(static_cast<myblasHandle_t>(blas_handle)),
          side(s.right ? MYBLAS_SIDE_RIGHT : MYBLAS_SIDE_LEFT),
          uplo(s.upper ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER),
          op(s.transa ? MYBLAS_OP_T : MYBLAS_OP_N), op_b(s.transb ? MYBLAS_OP_T : MYBLAS_OP_N),
          diag(s.unit ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT), m(static_cast<Size>(s.m)),
          n(static_cast<Size>(s.n)), k(static_cast<Size>(s.k)), lda(static_cast<Size>(s.lda)),
          ldb(static_cast<Size>(s.ldb)), ldc(static_cast<Size>(s.ldc)),
          inc(static_cast<Size>(s.incx)), batch(static_cast<Size>(s.batch)),
          a(static_cast<float*>(o.a)), b(static_cast<float*>(o.b)), c(static_cast<float*>(o.c)),
          index(static_cast<Size*>(o.c)) {}

    myblasStatus_t operator()() const {
        return !has_matrix(s.routine)      ? vectors()
               : is_matrix_blas(s.routine) ? matrices()
                                           : products_and_moves();
    }

private:
    template <class Narrow, class Wide, class... Arguments>
    myblasStatus_t call(Narrow*, Wide*, Arguments... arguments) const {
        using type = std::conditional_t<sizeof(Size) == 8, Wide, Narrow>;
        return reinterpret_cast<type*>(function)(handle, arguments...);
    }

    // clang-format off
    // Sums and level 1.
    myblasStatus_t vectors() const {
        switch (s.routine) {
        case routine::sum:
            return call(mysum, mysum_64, n, a, inc, c);
        case routine::dsum:
            return call(mydsum, mydsum_64, n, static_cast<const double*>(o.a), inc,
                        static_cast<double*>(o.c));
        case routine::histogram:
            return call(myhistogram256, myhistogram256_64, n,
                        static_cast<const unsigned char*>(o.a), static_cast<uint64_t*>(o.c));
        case routine::asum:
            return call(mysasum, mysasum_64, n, a, inc, c);
        case routine::axpy:
            return call(mysaxpy, mysaxpy_64, n, &axpy_alpha, a, inc, b, inc);
        case routine::copy:
            return call(myscopy, myscopy_64, n, a, inc, b, inc);
        case routine::dot:
            return call(mysdot, mysdot_64, n, a, inc, b, inc, c);
        case routine::nrm2:
            return call(mysnrm2, mysnrm2_64, n, a, inc, c);
        case routine::iamax:
            return call(myisamax, myisamax_64, n, a, inc, index);
        case routine::iamin:
            return call(myisamin, myisamin_64, n, a, inc, index);
        case routine::scal:
            return call(mysscal, mysscal_64, n, &scal_alpha, a, inc);
        case routine::swap:
            return call(mysswap, mysswap_64, n, a, inc, b, inc);
        case routine::rot:
            return call(mysrot, mysrot_64, n, a, inc, b, inc, &rot_c, &rot_s);
        case routine::rotm:
            return call(mysrotm, mysrotm_64, n, a, inc, b, inc, rotm_param);
        default:
            return MYBLAS_STATUS_INTERNAL_ERROR;
        }
    }

    // Levels 2 and 3 but products.
    myblasStatus_t matrices() const {
        switch (s.routine) {
        case routine::gemv:
            return call(mysgemv, mysgemv_64, op, m, n, &one, a, lda, b, inc, &zero, c, inc);
        case routine::symv:
            return call(myssymv, myssymv_64, uplo, n, &one, a, lda, b, inc, &zero, c, inc);
        case routine::syr:
            return call(myssyr, myssyr_64, uplo, n, &update_alpha, b, inc, a, lda);
        case routine::syr2:
            return call(myssyr2, myssyr2_64, uplo, n, &update_alpha, b, inc, c, inc, a, lda);
        case routine::ger:
            return call(mysger, mysger_64, m, n, &update_alpha, b, inc, c, inc, a, lda);
        case routine::trmv:
            return call(mystrmv, mystrmv_64, uplo, op, diag, n, a, lda, b, inc);
        case routine::trsv:
            return call(mystrsv, mystrsv_64, uplo, op, diag, n, a, lda, b, inc);
        case routine::syrk:
            return call(myssyrk, myssyrk_64, uplo, op, n, k, &one, a, lda, &zero, c, ldc);
        case routine::syr2k:
            return call(myssyr2k, myssyr2k_64, uplo, op, n, k, &one, a, lda, b, ldb, &zero, c, ldc);
        case routine::symm:
            return call(myssymm, myssymm_64, side, uplo, m, n, &one, a, lda, b, ldb, &zero, c, ldc);
        case routine::trmm:
            return call(mystrmm, mystrmm_64, side, uplo, op, diag, m, n, &one, a, lda, b, ldb, c,
                        ldc);
        case routine::trsm:
            return call(mystrsm, mystrsm_64, side, uplo, op, diag, m, n, &one, a, lda, b, ldb);
        default:
            return MYBLAS_STATUS_INTERNAL_ERROR;
        }
    }

    // Products, and what moves or adds up matrices.
    myblasStatus_t products_and_moves() const {
        switch (s.routine) {
        case routine::sgemm: {
            if (s.pointer_array)
                return call(mysgemmBatched, mysgemmBatched_64, op, op_b, m, n, k, &s.alpha,
                            o.a_list, lda, o.b_list, ldb, &s.beta, o.c_list, ldc, batch);
            if (s.batch == 1)
                return call(mysgemm, mysgemm_64, op, op_b, m, n, k, &s.alpha, a, lda, b, ldb,
                            &s.beta, c, ldc);
            const operand_sizes stride = batch_strides(s);
            return call(mysgemmStridedBatched, mysgemmStridedBatched_64, op, op_b, m, n, k,
                        &s.alpha, a, lda, stride.a, b, ldb, stride.b, &s.beta, c, ldc, stride.c,
                        batch);
        }
        case routine::sgemm_fused: {
            myblasEpilogue_t epilogue{};
            epilogue.size_bytes = sizeof epilogue;
            epilogue.activation = s.activation;
            epilogue.bias_of = MYBLAS_BIAS_OF_ROWS;
            epilogue.bias = static_cast<const float*>(o.bias);
            return call(mysgemmFused, mysgemmFused_64, op, op_b, m, n, k, &one, a, lda, b, ldb,
                        &zero, c, ldc, c, ldc, &epilogue);
        }
        case routine::transpose:
            return call(mytransposeEx, mytransposeEx_64, m, n, s.element_bytes, o.a, lda, o.b, ldb);
        case routine::geam:
            return call(mysgeam, mysgeam_64, op, op_b, m, n, &geam_alpha, a, lda, &geam_beta, b,
                        ldb, c, ldc);
        case routine::gemsum:
            return call(mysgemsum, mysgemsum_64, op, m, n, a, lda, c);
        default:
            return MYBLAS_STATUS_INTERNAL_ERROR;
        }
    }
    // clang-format on

    const shape& s;
    const operands& o;
    any_function function;
    myblasHandle_t handle;
    myblasSideMode_t side;
    myblasFillMode_t uplo;
    myblasOperation_t op, op_b;
    myblasDiagType_t diag;
    Size m, n, k, lda, ldb, ldc, inc, batch;
    float *a, *b, *c;
    Size* index;
    float one = 1, zero = 0;
};

template <class Size>
myblasStatus_t call_blas(const blas_functions& f, void* handle, const shape& s, const operands& o) {
    return blas_call<Size>(f, handle, s, o)();
}

} // namespace bench
