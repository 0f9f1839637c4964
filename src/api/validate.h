// The argument checks, each rule in one place. They are pure: a check answers null, or says what is
// wrong with the first argument that is not as documented, in the order of the public header. A call
// runs check_sizes, then takes the quick return of is_empty, then runs check_operands.
#pragma once

#include "api/fault.h"
#include "core/problem.h"
#include "myblas/myblas.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>

namespace myblas {

// ---- Rules ---------------------------------------------------------------------------------------

inline bool is_operation(myblasOperation_t op) {
    return op == MYBLAS_OP_N || op == MYBLAS_OP_T || op == MYBLAS_OP_C;
}

inline fault not_an_operation(const char* name, myblasOperation_t op) {
    return {name, op, "which is not an operation"};
}

inline fault not_a_routine(const char* name, myblasRoutine_t routine) {
    return {name, routine, "which is not a routine"};
}

// Of a structure whose caller says how large it is.
inline fault wrong_size(const char* name, size_t bytes, size_t expected) {
    return {name, static_cast<int64_t>(bytes), "but it must be", static_cast<int64_t>(expected)};
}

inline fault zero_increment(const char* name) { return {name, 0, "but it must not be zero"}; }

// Of a leading dimension and its matrix, which the rule names: "but A has".
inline fault check_columns(const char* name, int64_t ld, const char* rule, int64_t rows) {
    return ld >= (rows > 1 ? rows : 1) ? nullptr : short_columns(name, ld, rule, rows);
}

inline bool is_math_mode(myblasMath_t mode) {
    return mode == MYBLAS_FP32_STRICT_MATH || mode == MYBLAS_FP32_EMULATED_MATH ||
           mode == MYBLAS_FP32_FAST_MATH;
}

// Wide enough for any sum of a few products of two sizes.
__extension__ typedef __int128 wide;

inline constexpr wide magnitude(int64_t value) { return value < 0 ? -wide{value} : wide{value}; }

// Whether the distance between the first and the last of some elements, in bytes, fits 64 bits.
inline constexpr bool is_addressable(wide last_index, int64_t element_bytes = sizeof(float)) {
    return last_index < std::numeric_limits<int64_t>::max() / element_bytes;
}

inline constexpr wide last_index(int64_t rows, int64_t cols, int64_t ld) {
    return rows && cols ? wide{cols - 1} * ld + rows - 1 : wide{0};
}

inline constexpr wide last_index(int64_t n, int64_t increment) {
    return n > 0 ? wide{n - 1} * magnitude(increment) : wide{0};
}

inline constexpr fault too_large = "its indices do not fit 64 bits";

// ---- sgemm ---------------------------------------------------------------------------------------

inline fault
check_sizes(myblasOperation_t transa, myblasOperation_t transb, const sgemm_problem& p) {
    if (!is_operation(transa))
        return not_an_operation("transa", transa);
    if (!is_operation(transb))
        return not_an_operation("transb", transb);
    if (p.m < 0)
        return negative("m", p.m);
    if (p.n < 0)
        return negative("n", p.n);
    if (p.k < 0)
        return negative("k", p.k);
    if (const fault wrong =
            check_columns("lda", p.lda, "but A has", transa == MYBLAS_OP_N ? p.m : p.k))
        return wrong;
    if (const fault wrong =
            check_columns("ldb", p.ldb, "but B has", transb == MYBLAS_OP_N ? p.k : p.n))
        return wrong;
    if (const fault wrong = check_columns("ldc", p.ldc, "but C has", p.m))
        return wrong;
    if (p.batch_count < 0)
        return negative("batch_count", p.batch_count);
    return nullptr;
}

// What mysgemmFused has beside mysgemm; of `p`, C is D.
inline fault check_epilogue(const sgemm_problem& p, const myblasEpilogue_t* epilogue) {
    if (const fault wrong = check_columns("ldd", p.ldc, "but D has", p.m))
        return wrong;
    if (!epilogue)
        return nullptr;
    if (epilogue->size_bytes != sizeof *epilogue)
        return wrong_size("epilogue->size_bytes", epilogue->size_bytes, sizeof *epilogue);
    if (epilogue->activation != MYBLAS_ACTIVATION_NONE &&
        epilogue->activation != MYBLAS_ACTIVATION_RELU &&
        epilogue->activation != MYBLAS_ACTIVATION_GELU)
        return {"epilogue->activation", epilogue->activation, "which is not an activation"};
    if (epilogue->bias_of != MYBLAS_BIAS_OF_ROWS && epilogue->bias_of != MYBLAS_BIAS_OF_COLUMNS)
        return {"epilogue->bias_of", epilogue->bias_of, "which is neither rows nor columns"};
    return epilogue->aux ? check_columns("epilogue->ldaux", epilogue->ldaux, "but aux has", p.m)
                         : nullptr;
}

inline bool is_empty(const sgemm_problem& p) { return p.m == 0 || p.n == 0 || p.batch_count == 0; }

// At least the last of a finish's operands, of m x n matrices.
inline wide last_index(const product_finish& f, int64_t m, int64_t n) {
    return last_index(m, n, f.ld_source > f.ld_aux ? f.ld_source : f.ld_aux);
}

inline wide most_stride(const product_finish& f) {
    const wide strides[] = {
        magnitude(f.stride_source), magnitude(f.stride_aux), magnitude(f.stride_bias)};
    return *std::max_element(std::begin(strides), std::end(strides));
}

inline fault check_operands(const sgemm_problem& p) {
    const wide last_batch = p.batch_count - 1;
    const wide last_a = p.transa ? last_index(p.k, p.m, p.lda) : last_index(p.m, p.k, p.lda);
    const wide last_b = p.transb ? last_index(p.n, p.k, p.ldb) : last_index(p.k, p.n, p.ldb);
    const wide last_c = last_index(p.m, p.n, p.ldc);
    if (!is_addressable(last_a + last_batch * magnitude(p.stride_a)) ||
        !is_addressable(last_b + last_batch * magnitude(p.stride_b)) ||
        !is_addressable(last_c + last_batch * magnitude(p.stride_c)) ||
        !is_addressable(wide{p.batch_count} * p.m * p.n) ||
        !is_addressable(last_index(p.finish, p.m, p.n) + last_batch * most_stride(p.finish)) ||
        // What packed copies of A and B would take: a stride of 0 lets a batch be larger than memory.
        !is_addressable(wide{p.batch_count} * (wide{p.m} * p.k + wide{p.k} * p.n)))
        return too_large;

    const bool reads_ab = p.k > 0 && may_count(p.alpha);
    if (reads_ab && !p.a && !p.a_array)
        return "A is NULL";
    if (reads_ab && !p.b && !p.b_array)
        return "B is NULL";
    if (!p.c && !p.c_array)
        return "C is NULL";
    return nullptr;
}

// ---- transpose -----------------------------------------------------------------------------------

// element_bytes apart from the problem, whose own field is too narrow for every wrong value.
inline fault check_sizes(int64_t element_bytes, const transpose_problem& p) {
    if (p.m < 0)
        return negative("m", p.m);
    if (p.n < 0)
        return negative("n", p.n);
    if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4 && element_bytes != 8 &&
        element_bytes != 16)
        return {"element_bytes", element_bytes, "which is not 1, 2, 4, 8 or 16"};
    if (const fault wrong = check_columns("lda", p.lda, "but A has", p.m))
        return wrong;
    if (const fault wrong = check_columns("ldb", p.ldb, "but B has", p.n))
        return wrong;
    if (p.batch_count < 0)
        return negative("batch_count", p.batch_count);
    return nullptr;
}

inline bool is_empty(const transpose_problem& p) {
    return p.m == 0 || p.n == 0 || p.batch_count == 0;
}

inline fault check_operands(const transpose_problem& p) {
    const auto is_misaligned = [&](const void* pointer) {
        return reinterpret_cast<uintptr_t>(pointer) % p.element_bytes != 0;
    };
    const wide last_batch = p.batch_count - 1;
    const wide last_a = last_index(p.m, p.n, p.lda), last_b = last_index(p.n, p.m, p.ldb);
    if (!is_addressable(last_a + last_batch * magnitude(p.stride_a), p.element_bytes) ||
        !is_addressable(last_b + last_batch * magnitude(p.stride_b), p.element_bytes) ||
        !is_addressable(wide{p.batch_count} * p.m * p.n, p.element_bytes))
        return too_large;
    if (!p.a)
        return "A is NULL";
    if (is_misaligned(p.a))
        return "A is not aligned to its elements";
    if (!p.b)
        return "B is NULL";
    if (is_misaligned(p.b))
        return "B is not aligned to its elements";
    const bool is_square = p.m == p.n && p.lda == p.ldb;
    const bool is_tight = p.lda == p.m && p.ldb == p.n;
    if (p.in_place() && !is_square && !is_tight)
        return "in place, the matrix must be square with lda == ldb, or lda == m and ldb == n";
    if (p.in_place() && p.batch_count > 1 && (!is_square || p.stride_a != p.stride_b))
        return "in place, a batch must be of squares with lda == ldb and strideA == strideB";
    return nullptr;
}

// ---- geam ----------------------------------------------------------------------------------------

inline fault
check_sizes(myblasOperation_t transa, myblasOperation_t transb, const geam_problem& p) {
    if (!is_operation(transa))
        return not_an_operation("transa", transa);
    if (!is_operation(transb))
        return not_an_operation("transb", transb);
    if (p.m < 0)
        return negative("m", p.m);
    if (p.n < 0)
        return negative("n", p.n);
    if (const fault wrong =
            check_columns("lda", p.lda, "but A has", transa == MYBLAS_OP_N ? p.m : p.n))
        return wrong;
    if (const fault wrong =
            check_columns("ldb", p.ldb, "but B has", transb == MYBLAS_OP_N ? p.m : p.n))
        return wrong;
    if (const fault wrong = check_columns("ldc", p.ldc, "but C has", p.m))
        return wrong;
    return nullptr;
}

inline bool is_empty(const geam_problem& p) { return p.m == 0 || p.n == 0; }

inline fault check_operands(const geam_problem& p) {
    const wide last_a = p.transa ? last_index(p.n, p.m, p.lda) : last_index(p.m, p.n, p.lda);
    const wide last_b = p.transb ? last_index(p.n, p.m, p.ldb) : last_index(p.m, p.n, p.ldb);
    if (!is_addressable(last_a) || !is_addressable(last_b) ||
        !is_addressable(last_index(p.m, p.n, p.ldc)))
        return too_large;
    if (!p.a && may_count(p.alpha))
        return "A is NULL";
    if (!p.b && may_count(p.beta))
        return "B is NULL";
    if (!p.c)
        return "C is NULL";
    if (p.c == p.a && (p.transa || p.lda != p.ldc))
        return "C == A needs transa == N and lda == ldc";
    if (p.c == p.b && (p.transb || p.ldb != p.ldc))
        return "C == B needs transb == N and ldb == ldc";
    return nullptr;
}

// ---- Vectors -------------------------------------------------------------------------------------

template <class T>
fault check_operands(const sum_problem<T>& p) {
    if (!is_addressable(last_index(p.n, p.incx), sizeof(T)))
        return too_large;
    return p.n > 0 && !p.x ? "x is NULL" : nullptr;
}

inline fault check_sizes(myblasOperation_t op, const gemsum_problem& p) {
    if (!is_operation(op))
        return not_an_operation("op", op);
    if (p.m < 0)
        return negative("m", p.m);
    if (p.n < 0)
        return negative("n", p.n);
    if (const fault wrong = check_columns("lda", p.lda, "but A has", p.m))
        return wrong;
    return nullptr;
}

// No sums; sums of nothing are still to be written.
inline bool is_empty(const gemsum_problem& p) { return (p.trans ? p.n : p.m) == 0; }

inline fault check_operands(const gemsum_problem& p) {
    if (!is_addressable(last_index(p.m, p.n, p.lda)) || !is_addressable(p.trans ? p.n : p.m))
        return too_large;
    if (!p.a && p.m > 0 && p.n > 0)
        return "A is NULL";
    if (!p.result)
        return "result is NULL";
    return nullptr;
}

inline fault check_operands(const histogram_problem& p) {
    if (!p.x && p.n > 0)
        return "x is NULL";
    if (!p.counts)
        return "counts is NULL";
    if (reinterpret_cast<uintptr_t>(p.counts) % sizeof(uint64_t) != 0)
        return "counts is not aligned to its elements";
    return nullptr;
}

// Level 1 with x and y.
template <class Problem>
fault check_vectors(const Problem& p) {
    if (!is_addressable(last_index(p.n, p.incx)) || !is_addressable(last_index(p.n, p.incy)) ||
        !is_addressable(p.n))
        return too_large;
    if (!p.x)
        return "x is NULL";
    if (!p.y)
        return "y is NULL";
    return nullptr;
}

inline fault check_vectors(const scal_problem& p) {
    if (!is_addressable(last_index(p.n, p.incx)))
        return too_large;
    return p.x ? nullptr : "x is NULL";
}

inline fault check_operands(const dot_problem& p) { return p.n > 0 ? check_vectors(p) : nullptr; }

// nrm2, iamax.
template <class Problem>
fault check_vector(const Problem& p) {
    if (!is_addressable(last_index(p.n, p.incx)) || !is_addressable(p.n))
        return too_large;
    return p.n > 0 && !p.x ? "x is NULL" : nullptr;
}

inline fault check_operands(const nrm2_problem& p) { return check_vector(p); }
inline fault check_operands(const extremum_problem& p) { return check_vector(p); }

inline fault check_operands(const rotg_problem& p) {
    return !p.a   ? "a is NULL"
           : !p.b ? "b is NULL"
           : !p.c ? "c is NULL"
           : !p.s ? "s is NULL"
                  : nullptr;
}

inline fault check_operands(const rotmg_problem& p) {
    if (!p.d1)
        return "d1 is NULL";
    if (!p.d2)
        return "d2 is NULL";
    if (!p.x1)
        return "x1 is NULL";
    if (!p.y1)
        return "y1 is NULL";
    return p.param ? nullptr : "param is NULL";
}

// ---- Level 2 -------------------------------------------------------------------------------------

inline fault check_sizes(myblasOperation_t trans, const gemv_problem& p) {
    if (!is_operation(trans))
        return not_an_operation("trans", trans);
    if (p.m < 0)
        return negative("m", p.m);
    if (p.n < 0)
        return negative("n", p.n);
    if (const fault wrong = check_columns("lda", p.lda, "but A has", p.m))
        return wrong;
    if (p.incx == 0)
        return zero_increment("incx");
    if (p.incy == 0)
        return zero_increment("incy");
    return p.batch_count < 0 ? negative("batch_count", p.batch_count) : nullptr;
}

inline bool is_empty(const gemv_problem& p) { return p.m == 0 || p.n == 0 || p.batch_count == 0; }

inline fault check_operands(const gemv_problem& p) {
    const wide last_batch = p.batch_count - 1;
    if (!is_addressable(last_index(p.m, p.n, p.lda) + last_batch * magnitude(p.stride_a)) ||
        !is_addressable(last_index(p.length_x(), p.incx) + last_batch * magnitude(p.stride_x)) ||
        !is_addressable(last_index(p.length_y(), p.incy) + last_batch * magnitude(p.stride_y)) ||
        !is_addressable(wide{p.batch_count} * p.m * p.n))
        return too_large;
    if (may_count(p.alpha) && !p.a && !p.a_array)
        return "A is NULL";
    if (may_count(p.alpha) && !p.x && !p.x_array)
        return "x is NULL";
    return p.y || p.y_array ? nullptr : "y is NULL";
}

inline fault check_sizes(const ger_problem& p) {
    if (p.m < 0)
        return negative("m", p.m);
    if (p.n < 0)
        return negative("n", p.n);
    if (p.incx == 0)
        return zero_increment("incx");
    if (p.incy == 0)
        return zero_increment("incy");
    return check_columns("lda", p.lda, "but A has", p.m);
}

inline fault check_operands(const ger_problem& p) {
    if (!is_addressable(last_index(p.m, p.n, p.lda)) || !is_addressable(last_index(p.m, p.incx)) ||
        !is_addressable(last_index(p.n, p.incy)))
        return too_large;
    if (!p.x)
        return "x is NULL";
    if (!p.y)
        return "y is NULL";
    return p.a ? nullptr : "A is NULL";
}

inline bool is_fill_mode(myblasFillMode_t uplo) {
    return uplo == MYBLAS_FILL_MODE_LOWER || uplo == MYBLAS_FILL_MODE_UPPER;
}
inline bool is_diag_type(myblasDiagType_t diag) {
    return diag == MYBLAS_DIAG_NON_UNIT || diag == MYBLAS_DIAG_UNIT;
}

inline fault check_sizes(myblasFillMode_t uplo, const symv_problem& p) {
    if (!is_fill_mode(uplo))
        return {"uplo", uplo, "which is neither lower nor upper"};
    if (p.n < 0)
        return negative("n", p.n);
    if (const fault wrong = check_columns("lda", p.lda, "but A has", p.n))
        return wrong;
    if (p.incx == 0)
        return zero_increment("incx");
    return p.incy == 0 ? zero_increment("incy") : nullptr;
}

inline fault check_operands(const symv_problem& p) {
    if (!is_addressable(last_index(p.n, p.n, p.lda)) || !is_addressable(last_index(p.n, p.incx)) ||
        !is_addressable(last_index(p.n, p.incy)))
        return too_large;
    if (may_count(p.alpha) && !p.a)
        return "A is NULL";
    if (may_count(p.alpha) && !p.x)
        return "x is NULL";
    return p.y ? nullptr : "y is NULL";
}

inline fault check_sizes(myblasFillMode_t uplo, const syr_problem& p) {
    if (!is_fill_mode(uplo))
        return {"uplo", uplo, "which is neither lower nor upper"};
    if (p.n < 0)
        return negative("n", p.n);
    if (p.incx == 0)
        return zero_increment("incx");
    if (p.incy == 0)
        return zero_increment("incy");
    return check_columns("lda", p.lda, "but A has", p.n);
}

inline fault check_operands(const syr_problem& p, bool twice) {
    if (!is_addressable(last_index(p.n, p.n, p.lda)) || !is_addressable(last_index(p.n, p.incx)) ||
        !is_addressable(last_index(p.n, p.incy)))
        return too_large;
    if (!p.x)
        return "x is NULL";
    if (twice && !p.y)
        return "y is NULL";
    return p.a ? nullptr : "A is NULL";
}

template <bool solve>
fault check_sizes(myblasFillMode_t uplo,
                  myblasOperation_t trans,
                  myblasDiagType_t diag,
                  const triangular_problem<solve>& p) {
    if (!is_fill_mode(uplo))
        return {"uplo", uplo, "which is neither lower nor upper"};
    if (!is_operation(trans))
        return not_an_operation("trans", trans);
    if (!is_diag_type(diag))
        return {"diag", diag, "which is neither unit nor non-unit"};
    if (p.n < 0)
        return negative("n", p.n);
    if (const fault wrong = check_columns("lda", p.lda, "but A has", p.n))
        return wrong;
    return p.incx == 0 ? zero_increment("incx") : nullptr;
}

template <bool solve>
fault check_operands(const triangular_problem<solve>& p) {
    if (!is_addressable(last_index(p.n, p.n, p.lda)) || !is_addressable(last_index(p.n, p.incx)))
        return too_large;
    if (!p.a)
        return "A is NULL";
    return p.x ? nullptr : "x is NULL";
}

// ---- Level 3 ---------------------------------------------------------------------------------------

inline bool is_side(myblasSideMode_t side) {
    return side == MYBLAS_SIDE_LEFT || side == MYBLAS_SIDE_RIGHT;
}

// Whether a square of so many rows, which a plan may have in its workspace, can be addressed.
inline bool is_addressable_square(int64_t n) { return is_addressable(wide{n + 1024} * (n + 1024)); }

template <bool twice>
fault check_sizes(myblasFillMode_t uplo, myblasOperation_t trans, const rank_k_problem<twice>& p) {
    if (!is_fill_mode(uplo))
        return {"uplo", uplo, "which is neither lower nor upper"};
    if (!is_operation(trans))
        return not_an_operation("trans", trans);
    if (p.n < 0)
        return negative("n", p.n);
    if (p.k < 0)
        return negative("k", p.k);
    const int64_t rows = trans == MYBLAS_OP_N ? p.n : p.k;
    if (const fault wrong = check_columns("lda", p.lda, "but A has", rows))
        return wrong;
    if (const fault wrong = check_columns("ldb", p.ldb, "but B has", rows))
        return wrong;
    if (const fault wrong = check_columns("ldc", p.ldc, "but C has", p.n))
        return wrong;
    return nullptr;
}

template <bool twice>
bool is_empty(const rank_k_problem<twice>& p) {
    return p.n == 0;
}

template <bool twice>
fault check_operands(const rank_k_problem<twice>& p) {
    const int64_t rows = p.trans ? p.k : p.n, cols = p.trans ? p.n : p.k;
    if (!is_addressable(last_index(rows, cols, p.lda)) ||
        !is_addressable(last_index(rows, cols, p.ldb)) ||
        !is_addressable(last_index(p.n, p.n, p.ldc)) || !is_addressable(2 * wide{p.n} * p.k) ||
        !is_addressable_square(p.n))
        return too_large;
    const bool reads_ab = p.k > 0 && may_count(p.alpha);
    if (reads_ab && !p.a)
        return "A is NULL";
    if (reads_ab && !p.b)
        return "B is NULL";
    return p.c ? nullptr : "C is NULL";
}

inline fault check_sizes(myblasSideMode_t side, myblasFillMode_t uplo, const symm_problem& p) {
    if (!is_side(side))
        return {"side", side, "which is neither left nor right"};
    if (!is_fill_mode(uplo))
        return {"uplo", uplo, "which is neither lower nor upper"};
    if (p.m < 0)
        return negative("m", p.m);
    if (p.n < 0)
        return negative("n", p.n);
    if (const fault wrong = check_columns("lda", p.lda, "but A has", p.order()))
        return wrong;
    if (const fault wrong = check_columns("ldb", p.ldb, "but B has", p.m))
        return wrong;
    if (const fault wrong = check_columns("ldc", p.ldc, "but C has", p.m))
        return wrong;
    return nullptr;
}

inline bool is_empty(const symm_problem& p) { return p.m == 0 || p.n == 0; }

inline fault check_operands(const symm_problem& p) {
    if (!is_addressable(last_index(p.order(), p.order(), p.lda)) ||
        !is_addressable(last_index(p.m, p.n, p.ldb)) ||
        !is_addressable(last_index(p.m, p.n, p.ldc)) || !is_addressable_square(p.order()))
        return too_large;
    if (may_count(p.alpha) && !p.a)
        return "A is NULL";
    if (may_count(p.alpha) && !p.b)
        return "B is NULL";
    return p.c ? nullptr : "C is NULL";
}

// What trmm and trsm have in common. `p` has its side already, as far as that is one.
template <class Problem>
fault check_triangle(myblasSideMode_t side,
                     myblasFillMode_t uplo,
                     myblasOperation_t trans,
                     myblasDiagType_t diag,
                     const Problem& p) {
    if (!is_side(side))
        return {"side", side, "which is neither left nor right"};
    if (!is_fill_mode(uplo))
        return {"uplo", uplo, "which is neither lower nor upper"};
    if (!is_operation(trans))
        return not_an_operation("trans", trans);
    if (!is_diag_type(diag))
        return {"diag", diag, "which is neither unit nor non-unit"};
    if (p.m < 0)
        return negative("m", p.m);
    if (p.n < 0)
        return negative("n", p.n);
    if (const fault wrong = check_columns("lda", p.lda, "but A has", p.order()))
        return wrong;
    if (const fault wrong = check_columns("ldb", p.ldb, "but B has", p.m))
        return wrong;
    return nullptr;
}

inline fault check_sizes(const trmm_problem& p) {
    return check_columns("ldc", p.ldc, "but C has", p.m);
}
inline fault check_sizes(const trsm_problem& p) {
    return p.batch_count < 0 ? negative("batch_count", p.batch_count) : nullptr;
}

inline bool is_empty(const trmm_problem& p) { return p.m == 0 || p.n == 0; }
inline bool is_empty(const trsm_problem& p) { return p.m == 0 || p.n == 0 || p.batch_count == 0; }

inline fault check_operands(const trmm_problem& p) {
    if (!is_addressable(last_index(p.order(), p.order(), p.lda)) ||
        !is_addressable(last_index(p.m, p.n, p.ldb)) ||
        !is_addressable(last_index(p.m, p.n, p.ldc)) || !is_addressable(wide{p.m + 4} * (p.n + 4)))
        return too_large;
    if (may_count(p.alpha) && !p.a)
        return "A is NULL";
    if (may_count(p.alpha) && !p.b)
        return "B is NULL";
    if (!p.c)
        return "C is NULL";
    if (p.c == p.b && p.ldc != p.ldb)
        return {"C == B, but ldc", p.ldc, "and ldb =", p.ldb};
    return nullptr;
}

inline fault check_operands(const trsm_problem& p) {
    const wide last_batch = p.batch_count - 1;
    const wide last_a = last_index(p.order(), p.order(), p.lda);
    const wide last_b = last_index(p.m, p.n, p.ldb);
    if (!is_addressable(last_a + last_batch * magnitude(p.stride_a)) ||
        !is_addressable(last_b + last_batch * magnitude(p.stride_b)) ||
        !is_addressable(wide{p.batch_count} * (wide{p.order()} * p.order() + wide{p.m} * p.n)))
        return too_large;
    if (may_count(p.alpha) && !p.a && !p.a_array)
        return "A is NULL";
    return p.b || p.b_array ? nullptr : "B is NULL";
}

// ---- Copies between host and device ----------------------------------------------------------------

inline fault check_sizes(
    int64_t rows, int64_t cols, int64_t element_bytes, int64_t source_ld, int64_t target_ld) {
    if (rows < 0)
        return negative("rows", rows);
    if (cols < 0)
        return negative("cols (of a vector: n)", cols);
    if (element_bytes < 1)
        return {"element_bytes", element_bytes, "but it must be positive"};
    const char* const rule = "but the matrix has";
    if (const fault wrong =
            check_columns("the source's leading dimension or increment", source_ld, rule, rows))
        return wrong;
    return check_columns("the target's leading dimension or increment", target_ld, rule, rows);
}

inline fault check_operands(int64_t rows,
                            int64_t cols,
                            int64_t element_bytes,
                            const void* source,
                            int64_t source_ld,
                            const void* target,
                            int64_t target_ld) {
    if (!is_addressable(last_index(rows, cols, source_ld), element_bytes) ||
        !is_addressable(last_index(rows, cols, target_ld), element_bytes))
        return too_large;
    if (!source)
        return "the source is NULL";
    if (!target)
        return "the target is NULL";
    return nullptr;
}

} // namespace myblas
