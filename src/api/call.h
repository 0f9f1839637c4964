// Described calls (myblasCall_t) as the problems that the calls themselves would dispatch.
#pragma once

#include "api/logger.h"
#include "api/validate.h"
#include "core/problem.h"
#include "core/routine.h"
#include "myblas/myblas.h"

#include <cstdint>
#include <limits>

namespace myblas {

// Stands for a fresh allocation: aligned, far from the others, never followed.
inline const void* or_fresh(const void* pointer, int which) {
    return pointer ? pointer : reinterpret_cast<const void*>(uintptr_t(which) << 40);
}

template <class T>
const T* operand_a(const myblasCall_t& call) {
    return static_cast<const T*>(or_fresh(call.A, 1));
}
template <class T>
const T* operand_b(const myblasCall_t& call) {
    return static_cast<const T*>(or_fresh(call.B, 2));
}
inline float* operand_c(const myblasCall_t& call) {
    return static_cast<float*>(const_cast<void*>(or_fresh(call.C, 3)));
}

// The distance of the matrices of a batch that lie one after the other; a size that does not fit is
// left to check_operands, which refuses the matrix itself.
inline int64_t tight_stride(int64_t ld, int64_t cols) {
    const wide stride = wide{ld} * cols;
    const wide largest = std::numeric_limits<int64_t>::max();
    return static_cast<int64_t>(stride < largest ? stride : largest);
}

// What the handle adds to a description.
struct call_setting {
    myblasMath_t math;
    bool has_results_on_device;
    bool has_scalars_on_host; // of a handle on the cuda backend
};

// Each read_call fills in the problem, with scalars of which nothing is known but that they count.
// It answers what is wrong with the call, or null; *is_quick says that the call would end without a
// kernel.

inline fault
read_call(const myblasCall_t& call, const call_setting& setting, sgemm_problem* p, bool* is_quick) {
    *p = {.math = setting.math,
          .transa = call.transa != MYBLAS_OP_N,
          .transb = call.transb != MYBLAS_OP_N,
          .m = call.m,
          .n = call.n,
          .k = call.k,
          .alpha = {.value = 1},
          .beta = {.value = 0.5f},
          .a = operand_a<float>(call),
          .lda = call.lda,
          .b = operand_b<float>(call),
          .ldb = call.ldb,
          .c = operand_c(call),
          .ldc = call.ldc,
          .batch_count = call.batch_count == 0 ? 1 : call.batch_count};
    if (const fault found = check_sizes(call.transa, call.transb, *p))
        return found;
    *is_quick = is_empty(*p);
    if (*is_quick)
        return nullptr;
    if (call.pointer_array) { // arrays that nobody follows
        static constexpr uintptr_t somewhere = 256;
        p->a = p->b = p->c = nullptr;
        p->a_array = p->b_array = reinterpret_cast<const float* const*>(somewhere);
        p->c_array = reinterpret_cast<float* const*>(somewhere);
    } else if (p->batch_count > 1) {
        p->stride_a = tight_stride(p->lda, p->transa ? p->m : p->k);
        p->stride_b = tight_stride(p->ldb, p->transb ? p->k : p->n);
        p->stride_c = tight_stride(p->ldc, p->n);
    }
    if (call.is_fused) { // whatever it is: kernels look no closer before they are launched
        if (call.pointer_array)
            return "no fused product takes arrays of pointers";
        p->finish.activation = MYBLAS_ACTIVATION_RELU;
    }
    return check_operands(*p);
}

inline fault
read_call(const myblasCall_t& call, const call_setting&, transpose_problem* p, bool* is_quick) {
    *p = {.m = call.m,
          .n = call.n,
          .element_bytes = call.element_bytes == 0 ? 4 : call.element_bytes,
          .a = operand_a<void>(call),
          .lda = call.lda,
          .b = const_cast<void*>(operand_b<void>(call)),
          .ldb = call.ldb,
          .batch_count = call.batch_count == 0 ? 1 : call.batch_count};
    if (const fault found = check_sizes(p->element_bytes, *p))
        return found;
    *is_quick = is_empty(*p);
    if (*is_quick)
        return nullptr;
    if (p->batch_count > 1) {
        p->stride_a = tight_stride(p->lda, p->n);
        p->stride_b = tight_stride(p->ldb, p->m);
    }
    return check_operands(*p);
}

inline fault
read_call(const myblasCall_t& call, const call_setting&, geam_problem* p, bool* is_quick) {
    *p = {.transa = call.transa != MYBLAS_OP_N,
          .transb = call.transb != MYBLAS_OP_N,
          .m = call.m,
          .n = call.n,
          .alpha = {.value = 1},
          .beta = {.value = 0.5f},
          .a = operand_a<float>(call),
          .lda = call.lda,
          .b = operand_b<float>(call),
          .ldb = call.ldb,
          .c = operand_c(call),
          .ldc = call.ldc};
    if (const fault found = check_sizes(call.transa, call.transb, *p))
        return found;
    *is_quick = is_empty(*p);
    return *is_quick ? nullptr : check_operands(*p);
}

template <class T>
fault read_call(const myblasCall_t& call,
                const call_setting& setting,
                sum_problem<T>* p,
                bool* is_quick) {
    const bool is_zero = call.n <= 0 || call.lda <= 0;
    *p = {.n = is_zero ? 0 : call.n, .x = operand_a<T>(call), .incx = is_zero ? 1 : call.lda};
    *is_quick = is_zero && !setting.has_results_on_device;
    return check_operands(*p);
}

inline fault
read_call(const myblasCall_t& call, const call_setting&, gemsum_problem* p, bool* is_quick) {
    *p = {.trans = call.transa != MYBLAS_OP_N,
          .m = call.m,
          .n = call.n,
          .a = operand_a<float>(call),
          .lda = call.lda,
          .result = operand_c(call)};
    if (const fault found = check_sizes(call.transa, *p))
        return found;
    *is_quick = is_empty(*p);
    return *is_quick ? nullptr : check_operands(*p);
}

inline fault read_call(const myblasCall_t& call, const call_setting&, histogram_problem* p, bool*) {
    *p = {.n = call.n,
          .x = operand_a<uint8_t>(call),
          .counts = static_cast<uint64_t*>(const_cast<void*>(or_fresh(call.C, 3)))};
    return p->n < 0 ? negative("n", p->n) : check_operands(*p);
}

template <class Problem>
fault read_vectors(const myblasCall_t& call, Problem* p, bool* is_quick) {
    p->n = call.n;
    p->x = const_cast<float*>(operand_a<float>(call));
    p->incx = call.lda;
    p->y = const_cast<float*>(operand_b<float>(call));
    p->incy = call.ldb;
    *is_quick = p->n <= 0;
    if (*is_quick)
        return nullptr;
    if (const fault found = check_vectors(*p))
        return found;
    *p = at_first_elements(*p);
    return nullptr;
}

inline fault
read_call(const myblasCall_t& call, const call_setting&, axpy_problem* p, bool* is_quick) {
    p->alpha.value = 1;
    return read_vectors(call, p, is_quick);
}

inline fault
read_call(const myblasCall_t& call, const call_setting&, copy_problem* p, bool* is_quick) {
    return read_vectors(call, p, is_quick);
}

// ---- Level 1 -------------------------------------------------------------------------------------

inline fault
read_call(const myblasCall_t& call, const call_setting&, swap_problem* p, bool* is_quick) {
    return read_vectors(call, p, is_quick);
}

inline fault
read_call(const myblasCall_t& call, const call_setting&, rot_problem* p, bool* is_quick) {
    p->c.value = p->s.value = 1;
    return read_vectors(call, p, is_quick);
}

inline fault
read_call(const myblasCall_t& call, const call_setting&, rotm_problem* p, bool* is_quick) {
    p->h.is_identity = false;
    return read_vectors(call, p, is_quick);
}

inline fault
read_call(const myblasCall_t& call, const call_setting&, scal_problem* p, bool* is_quick) {
    *p = {.n = call.n,
          .alpha = {.value = 1},
          .x = const_cast<float*>(operand_a<float>(call)),
          .incx = call.lda};
    *is_quick = p->n <= 0 || p->incx <= 0;
    return *is_quick ? nullptr : check_vectors(*p);
}

inline fault
read_call(const myblasCall_t& call, const call_setting& setting, dot_problem* p, bool* is_quick) {
    const bool is_zero = call.n <= 0;
    *p = {.n = is_zero ? 0 : call.n,
          .x = operand_a<float>(call),
          .incx = call.lda,
          .y = operand_b<float>(call),
          .incy = call.ldb};
    *is_quick = is_zero && !setting.has_results_on_device;
    if (const fault found = check_operands(*p))
        return found;
    *p = at_first_elements(*p);
    return nullptr;
}

inline fault
read_call(const myblasCall_t& call, const call_setting& setting, nrm2_problem* p, bool* is_quick) {
    *p = with_positive_increment(
        nrm2_problem{.n = call.n, .x = operand_a<float>(call), .incx = call.lda});
    *is_quick = p->n == 0 && !setting.has_results_on_device;
    return check_operands(*p);
}

inline fault read_call(const myblasCall_t& call,
                       const call_setting& setting,
                       extremum_problem* p,
                       bool* is_quick) {
    const bool is_zero = call.n <= 0 || call.lda <= 0;
    *p = {.n = is_zero ? 0 : call.n, .x = operand_a<float>(call), .incx = is_zero ? 1 : call.lda};
    *is_quick = is_zero && !setting.has_results_on_device;
    return check_operands(*p);
}

inline fault
read_call(const myblasCall_t&, const call_setting& setting, rotg_problem*, bool* is_quick) {
    *is_quick = setting.has_scalars_on_host;
    return nullptr;
}

inline fault
read_call(const myblasCall_t&, const call_setting& setting, rotmg_problem*, bool* is_quick) {
    *is_quick = setting.has_scalars_on_host;
    return nullptr;
}

// ---- Level 2 -------------------------------------------------------------------------------------

inline fault
read_call(const myblasCall_t& call, const call_setting&, symv_problem* p, bool* is_quick) {
    *p = {.upper = call.uplo == MYBLAS_FILL_MODE_UPPER,
          .n = call.n,
          .alpha = {.value = 1},
          .beta = {.value = 0.5f},
          .a = operand_a<float>(call),
          .lda = call.lda,
          .x = operand_b<float>(call),
          .incx = call.ldb,
          .y = operand_c(call),
          .incy = call.ldc};
    if (const fault found = check_sizes(call.uplo, *p))
        return found;
    *is_quick = p->n == 0;
    return *is_quick ? nullptr : check_operands(*p);
}

inline fault
read_call(const myblasCall_t& call, const call_setting&, syr_problem* p, bool* is_quick) {
    const bool twice = call.ldc != 0;
    *p = {.upper = call.uplo == MYBLAS_FILL_MODE_UPPER,
          .n = call.n,
          .alpha = {.value = 1},
          .x = operand_b<float>(call),
          .incx = call.ldb,
          .y = twice ? operand_c(call) : nullptr,
          .incy = twice ? call.ldc : 1,
          .a = const_cast<float*>(operand_a<float>(call)),
          .lda = call.lda};
    if (const fault found = check_sizes(call.uplo, *p))
        return found;
    *is_quick = p->n == 0;
    return *is_quick ? nullptr : check_operands(*p, twice);
}

template <bool solve>
fault read_call(const myblasCall_t& call,
                const call_setting&,
                triangular_problem<solve>* p,
                bool* is_quick) {
    *p = {.upper = call.uplo == MYBLAS_FILL_MODE_UPPER,
          .trans = call.transa != MYBLAS_OP_N,
          .unit = call.diag == MYBLAS_DIAG_UNIT,
          .n = call.n,
          .a = operand_a<float>(call),
          .lda = call.lda,
          .x = const_cast<float*>(operand_b<float>(call)),
          .incx = call.ldb};
    if (const fault found = check_sizes(call.uplo, call.transa, call.diag, *p))
        return found;
    *is_quick = p->n == 0;
    return *is_quick ? nullptr : check_operands(*p);
}

// ---- Level 3 ---------------------------------------------------------------------------------------

template <bool twice>
fault read_call(const myblasCall_t& call,
                const call_setting& setting,
                rank_k_problem<twice>* p,
                bool* is_quick) {
    const bool is_syrk = !twice && call.ldb == 0;
    *p = {.math = setting.math,
          .upper = call.uplo == MYBLAS_FILL_MODE_UPPER,
          .trans = call.transa != MYBLAS_OP_N,
          .n = call.n,
          .k = call.k,
          .alpha = {.value = 1},
          .beta = {.value = 0.5f},
          .a = operand_a<float>(call),
          .lda = call.lda,
          .b = is_syrk ? operand_a<float>(call) : operand_b<float>(call),
          .ldb = is_syrk ? call.lda : call.ldb,
          .c = operand_c(call),
          .ldc = call.ldc};
    if (const fault found = check_sizes(call.uplo, call.transa, *p))
        return found;
    *is_quick = is_empty(*p);
    return *is_quick ? nullptr : check_operands(*p);
}

inline fault
read_call(const myblasCall_t& call, const call_setting& setting, symm_problem* p, bool* is_quick) {
    *p = {.math = setting.math,
          .right = call.side == MYBLAS_SIDE_RIGHT,
          .upper = call.uplo == MYBLAS_FILL_MODE_UPPER,
          .m = call.m,
          .n = call.n,
          .alpha = {.value = 1},
          .beta = {.value = 0.5f},
          .a = operand_a<float>(call),
          .lda = call.lda,
          .b = operand_b<float>(call),
          .ldb = call.ldb,
          .c = operand_c(call),
          .ldc = call.ldc};
    if (const fault found = check_sizes(call.side, call.uplo, *p))
        return found;
    *is_quick = is_empty(*p);
    return *is_quick ? nullptr : check_operands(*p);
}

// What a description says of the triangle of trmm and trsm, checked.
template <class Problem>
fault read_triangle(const myblasCall_t& call, Problem* p) {
    p->right = call.side == MYBLAS_SIDE_RIGHT;
    p->upper = call.uplo == MYBLAS_FILL_MODE_UPPER;
    p->trans = call.transa != MYBLAS_OP_N;
    p->unit = call.diag == MYBLAS_DIAG_UNIT;
    if (const fault found = check_triangle(call.side, call.uplo, call.transa, call.diag, *p))
        return found;
    return check_sizes(*p);
}

inline fault
read_call(const myblasCall_t& call, const call_setting& setting, trmm_problem* p, bool* is_quick) {
    *p = {.math = setting.math,
          .m = call.m,
          .n = call.n,
          .alpha = {.value = 1},
          .a = operand_a<float>(call),
          .lda = call.lda,
          .b = operand_b<float>(call),
          .ldb = call.ldb,
          .c = operand_c(call),
          .ldc = call.ldc};
    if (const fault found = read_triangle(call, p))
        return found;
    *is_quick = is_empty(*p);
    return *is_quick ? nullptr : check_operands(*p);
}

inline fault
read_call(const myblasCall_t& call, const call_setting& setting, trsm_problem* p, bool* is_quick) {
    *p = {.math = setting.math,
          .m = call.m,
          .n = call.n,
          .alpha = {.value = 1},
          .a = operand_a<float>(call),
          .lda = call.lda,
          .b = const_cast<float*>(operand_b<float>(call)),
          .ldb = call.ldb,
          .batch_count = call.batch_count == 0 ? 1 : call.batch_count};
    if (const fault found = read_triangle(call, p))
        return found;
    *is_quick = is_empty(*p);
    if (*is_quick)
        return nullptr;
    if (call.pointer_array) { // arrays that nobody follows
        static constexpr uintptr_t somewhere = 256;
        p->a = p->b = nullptr;
        p->a_array = reinterpret_cast<const float* const*>(somewhere);
        p->b_array = reinterpret_cast<float* const*>(somewhere);
    } else if (p->batch_count > 1) {
        p->stride_a = tight_stride(p->lda, p->order());
        p->stride_b = tight_stride(p->ldb, p->n);
    }
    return check_operands(*p);
}

// ---- Any routine -----------------------------------------------------------------------------------

// Hands visit(problem) what the described call would dispatch, and answers its status; SUCCESS for a
// call that would dispatch nothing.
template <class Visitor>
myblasStatus_t visit_call(const char* function,
                          const myblasCall_t* call,
                          const call_setting& setting,
                          Visitor&& visit) noexcept {
    if (!call)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "call is NULL");
    if (call->size_bytes != sizeof(myblasCall_t))
        return refuse(function,
                      MYBLAS_STATUS_INVALID_VALUE,
                      wrong_size("call->size_bytes", call->size_bytes, sizeof *call));
    if (!is_routine(call->routine))
        return refuse(
            function, MYBLAS_STATUS_INVALID_VALUE, not_a_routine("call->routine", call->routine));
    return visit_routine(call->routine, [&]<class Problem>() {
        Problem problem;
        bool is_quick = false;
        if (const fault found = read_call(*call, setting, &problem, &is_quick))
            return refuse(function, MYBLAS_STATUS_INVALID_VALUE, found);
        return is_quick ? MYBLAS_STATUS_SUCCESS : visit(problem);
    });
}

} // namespace myblas
