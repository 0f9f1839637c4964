// Products by cublasLtMatmul. Descriptors are those of the toy cublasLt in tests/preload: an array
// with a word for each attribute. In an operation's descriptor, the number of the format comes
// first.
#include "fuzz/by_name.h"

#include <array>
#include <utility>

namespace fuzz {
namespace {

using operation_words = std::array<uint64_t, 32>;
using layout_words = std::array<uint64_t, 8>;

// cublasLtMatmulDescAttributes_t, behind the format
enum { compute = 1, pointer_mode = 3, trans_a, trans_b, fill_mode = 7, epilogue, bias };
enum { stride_bias = 11, aux, ldaux, stride_aux };
// cublasLtEpilogue_t
constexpr uint64_t plain = 1, relu = 2, with_bias = 4, gelu = 32, with_aux = 128;
constexpr uint64_t format = 6, compute_32f = 68, full = 2;

struct matrix {
    const void* data;
    int64_t rows, cols, ld, stride; // as it is stored, by columns
    bool turns;                     // the product has its transpose
};

// The matrix as it is stored, or described as its transpose, which is stored by rows.
layout_words describe(const matrix& x, bool by_rows, int64_t batch) {
    const auto word = [](int64_t value) { return static_cast<uint64_t>(value); };
    return {0, // floats
            by_rows,
            word(by_rows ? x.cols : x.rows),
            word(by_rows ? x.rows : x.cols),
            word(x.ld),
            word(batch),
            word(x.stride),
            0};
}

uint64_t epilogue_of(const myblasEpilogue_t& e) {
    uint64_t parts = 0;
    if (e.activation != MYBLAS_ACTIVATION_NONE)
        parts |= e.activation == MYBLAS_ACTIVATION_RELU ? relu : gelu;
    if (e.bias)
        parts |= with_bias;
    if (e.aux)
        parts |= with_aux;
    return parts ? parts : plain;
}

} // namespace

void keep_to_cublas_lt(call_case& c) {
    c.is_wide = 0;
    if (c.activation != MYBLAS_ACTIVATION_GELU || c.bias_of == MYBLAS_BIAS_OF_COLUMNS)
        c.has_aux = 0; // cublasLt stores ReLU's as bits, and has none without an activation
}

// The seed decides which matrices are described as transposes, stored by rows.
myblasStatus_t call_cublas_lt(const call_case& c, const arguments& g) {
    const bool is_fused = c.f == sgemm_fused || c.f == sgemm_fused_strided_batched;
    const bool is_batch = c.f == sgemm_strided_batched || c.f == sgemm_fused_strided_batched;
    myblasEpilogue_t e{};
    if (is_fused && g.epilogue)
        e = *static_cast<const myblasEpilogue_t*>(g.epilogue);
    const auto stride = [&](int64_t of_batch) { return is_batch ? of_batch : 0; };
    const int64_t batch = is_batch ? g.batch_count : 1;
    const bool turns_a = g.transa != 0, turns_b = g.transb != 0;
    matrix a = {g.A, turns_a ? g.k : g.m, turns_a ? g.m : g.k, g.lda, stride(g.strideA), turns_a};
    matrix b = {g.B, turns_b ? g.n : g.k, turns_b ? g.k : g.n, g.ldb, stride(g.strideB), turns_b};
    const matrix c_of_call = {g.C, g.m, g.n, g.ldc, stride(g.strideC), false};
    const matrix d = is_fused ? matrix{g.D, g.m, g.n, g.ldd, stride(g.strideD), false} : c_of_call;

    bool d_by_rows = c.seed & 1;
    if (e.bias || e.aux) // cublasLt's bias has an element for each row of its D
        d_by_rows = e.bias_of == MYBLAS_BIAS_OF_COLUMNS;
    if (d_by_rows) { // C^T = op(B)^T op(A)^T
        std::swap(a, b);
        a.turns = !a.turns;
        b.turns = !b.turns;
    }
    const bool a_by_rows = c.seed & 2, b_by_rows = c.seed & 4;

    operation_words o{};
    o[0] = format;
    o[compute] = compute_32f;
    o[pointer_mode] = static_cast<uint64_t>(c.device_scalars);
    o[trans_a] = a.turns != a_by_rows;
    o[trans_b] = b.turns != b_by_rows;
    o[fill_mode] = full;
    o[epilogue] = epilogue_of(e);
    o[bias] = reinterpret_cast<uint64_t>(e.bias);
    o[stride_bias] = static_cast<uint64_t>(e.stride_bias);
    o[aux] = reinterpret_cast<uint64_t>(e.aux);
    o[ldaux] = static_cast<uint64_t>(e.ldaux);
    o[stride_aux] = static_cast<uint64_t>(e.stride_aux);
    const layout_words layout_a = describe(a, a_by_rows, batch);
    const layout_words layout_b = describe(b, b_by_rows, batch);
    const layout_words layout_c = describe(c_of_call, d_by_rows, batch);
    const layout_words layout_d = describe(d, d_by_rows, batch);

    using matmul = int(void*,
                       const void*,
                       const void*,
                       const void*,
                       const void*,
                       const void*,
                       const void*,
                       const void*,
                       const void*,
                       const void*,
                       void*,
                       const void*,
                       const void*,
                       void*,
                       size_t,
                       void*);
    static auto* const multiply = reinterpret_cast<matmul*>(find_function("cublasLtMatmul"));
    char handle = 0;
    return static_cast<myblasStatus_t>(multiply(&handle,
                                                o.data(),
                                                g.alpha,
                                                a.data,
                                                layout_a.data(),
                                                b.data,
                                                layout_b.data(),
                                                g.beta,
                                                g.C,
                                                layout_c.data(),
                                                const_cast<void*>(d.data),
                                                layout_d.data(),
                                                nullptr,
                                                nullptr,
                                                0,
                                                nullptr));
}

} // namespace fuzz
