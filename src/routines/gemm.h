// C = alpha * op(A) * op(B) + beta * C.
#pragma once

#include "routines/operands.h"

namespace myblas {

// The epilogue of a product: x = alpha * op(A) * op(B) + beta * source + bias, aux = x and
// C = activation(x). Batches are strided. Only kernels with kernel_entry::has_epilogue read it.
struct product_epilogue {
    myblasActivation_t activation = MYBLAS_ACTIVATION_NONE;
    bool is_bias_of_columns = false;
    const float* bias = nullptr; // an element for each row of C, or each column; null: none
    int64_t stride_bias = 0;
    const float* source = nullptr; // null: C itself
    int64_t ld_source = 1, stride_source = 0;
    float* aux = nullptr; // null: none
    int64_t ld_aux = 1, stride_aux = 0;

    bool is_empty() const {
        return activation == MYBLAS_ACTIVATION_NONE && !bias && !source && !aux;
    }
    // An upper bound of the indices of its operands, for m x n matrices.
    wide most_elements(int64_t m, int64_t n, int64_t batch_count) const {
        wide stride = magnitude(stride_bias);
        for (const int64_t other : {stride_source, stride_aux})
            stride = stride < magnitude(other) ? magnitude(other) : stride;
        const int64_t ld = ld_source > ld_aux ? ld_source : ld_aux;
        return last_index(m, n, ld) + (batch_count - 1) * stride;
    }
};

// The part of C that a product computes: all, or one triangle of a square C, with the diagonal. The
// rest is neither read nor written.
enum class triangle_of_c : uint8_t { none, lower, upper };

// The side of the diagonal on which a square op(A) or op(B) holds zeroes. Kernels may skip each k
// that meets only zeroes, or multiply the zeroes.
enum class known_zeros : uint8_t { none, above_of_a, below_of_a, above_of_b, below_of_b };

// C = alpha * op(A) * op(B) + beta * C. Element i of a batch is at base + i * stride, or at
// array[i] when the array is set.
struct sgemm_problem {
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH; // the caller's mode
    bool transa = false, transb = false;
    bool is_gemv = false; // the call was gemv: C is one column or one row
    triangle_of_c triangle = triangle_of_c::none;
    known_zeros zeros = known_zeros::none;
    uint8_t scalar_copies = 0; // set by a launcher: 1: A is copied by scalar loads, 2: B, 3: both
    int64_t m = 0, n = 0, k = 0;
    scalar alpha{}, beta{};
    const float* a = nullptr;
    int64_t lda = 1, stride_a = 0;
    const float* b = nullptr;
    int64_t ldb = 1, stride_b = 0;
    float* c = nullptr;
    int64_t ldc = 1, stride_c = 0;
    const float* const* a_array = nullptr; // [batch_count], device memory
    const float* const* b_array = nullptr;
    float* const* c_array = nullptr;
    int64_t batch_count = 1;
    product_epilogue epilogue{};

    bool reads_ab() const { return k > 0 && may_be_nonzero(alpha); }

    // The operands up to beta.
    template <class List>
    void inputs(List& list) {
        list.operation("transa", transa);
        list.operation("transb", transb);
        list.size("m", m);
        list.size("n", n);
        list.size("k", k);
        list.scalar("alpha", alpha);
        list.matrix("A", a, lda, shape_of(m, k, transa), reads_ab(), stride_a, a_array);
        list.matrix("B", b, ldb, shape_of(k, n, transb), reads_ab(), stride_b, b_array);
        list.scalar("beta", beta);
    }
    template <class List>
    void operands(List& list) {
        inputs(list);
        list.matrix("C", c, ldc, shape_of(m, n), true, stride_c, c_array);
        list.batch("batch_count", batch_count);
    }
    bool is_empty() const { return m == 0 || n == 0 || batch_count == 0; }
    bool is_unchanged() const { return epilogue.is_empty() && !reads_ab() && is_one(beta); }
    // Packed copies of A and B: a stride of 0 lets a batch be larger than memory.
    wide most_elements() const {
        const wide of_c = wide{batch_count} * m * n;
        const wide of_ab = wide{batch_count} * (wide{m} * k + wide{k} * n);
        const wide of_epilogue = epilogue.most_elements(m, n, batch_count);
        const wide most = of_c > of_ab ? of_c : of_ab;
        return most > of_epilogue ? most : of_epilogue;
    }
    // Any fused operation: kernels do not distinguish them before the launch.
    fault take_more(const myblasCall_t& call) {
        if (call.is_fused && call.pointer_array)
            return "no fused product takes arrays of pointers";
        if (call.is_fused)
            epilogue.activation = MYBLAS_ACTIVATION_RELU;
        beta.value = call.reads_C == 0 ? 0 : call.reads_C == 1 ? 1 : 0.5f;
        if (call.shared & 1)
            stride_a = 0;
        if (call.shared & 2)
            stride_b = 0;
        return nullptr;
    }
};

// Whether all products of a batch read the same A, or the same B.
inline bool shares_a(const sgemm_problem& p) {
    return p.batch_count > 1 && !p.a_array && p.stride_a == 0;
}
inline bool shares_b(const sgemm_problem& p) {
    return p.batch_count > 1 && !p.b_array && p.stride_b == 0;
}

// A matrix by a vector with a negative increment, which is a leading dimension here. With pointer
// arrays, the stride is the offset from the pointer to element 0.
inline bool runs_backwards(const sgemm_problem& p) { return (p.lda | p.ldb | p.ldc) < 0; }

// Whether all columns of the matrix, in each product, start at a multiple of 16 bytes. The pointers
// in an array are not known here.
inline bool
batch_aligned16(const float* x, int64_t ld, int64_t stride, const void* array, int64_t batch) {
    return !array && reinterpret_cast<uintptr_t>(x) % 16 == 0 && ld % 4 == 0 &&
           (batch == 1 || stride % 4 == 0);
}

// Elements of C that the product computes; in floating point, for estimates.
inline double computed_elements(const sgemm_problem& p) {
    const double m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    return p.triangle == triangle_of_c::none ? m * n : n * (n + 1) / 2;
}

inline bool inputs_aligned16(const sgemm_problem& p) {
    return batch_aligned16(p.a, p.lda, p.stride_a, p.a_array, p.batch_count) &&
           batch_aligned16(p.b, p.ldb, p.stride_b, p.b_array, p.batch_count);
}

// ---- Calls with special rules (api/sgemm.cpp) ---------------------------------------------------

// D = activation(alpha * op(A) * op(B) + beta * C + bias). C of the product is D.
struct fused_product {
    sgemm_problem product{};
    const float* c = nullptr;
    int64_t ldc = 1, stride_c = 0;
    const myblasEpilogue_t* epilogue = nullptr;

    // D and the epilogue are checked after batch_count.
    template <class List>
    void operands(List& list) {
        product.inputs(list);
        list.matrix("C", c, ldc, shape_of(product.m, product.n), true, stride_c);
        list.unchecked_matrix(product.c, product.ldc, product.stride_c);
        list.array("epilogue", epilogue);
        list.batch("batch_count", product.batch_count);
    }
};

// A product of matrices and scalars in host memory.
struct host_product {
    sgemm_problem product{};

    template <class List>
    void operands(List& list) {
        product.operands(list);
    }
};

// Many batches of products; the arguments are arrays with an element for each batch.
struct grouped_products {};

namespace calls {
inline constexpr routine_call<sgemm_problem> sgemm{"mysgemm"};
inline constexpr routine_call<sgemm_problem> sgemm_strided_batched{
    "mysgemmStridedBatched",
    batch_form::strided,
};
inline constexpr routine_call<sgemm_problem> sgemm_batched{"mysgemmBatched", batch_form::arrays};
inline constexpr routine_call<fused_product> sgemm_fused{"mysgemmFused"};
inline constexpr routine_call<fused_product> sgemm_fused_strided_batched{
    "mysgemmFusedStridedBatched",
    batch_form::strided,
};
inline constexpr routine_call<host_product> sgemm_host{"mysgemmHost"};
inline constexpr routine_call<grouped_products> sgemm_grouped_batched{"mysgemmGroupedBatched"};
} // namespace calls

} // namespace myblas
