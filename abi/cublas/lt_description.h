// What cublasLt's descriptors say, as far as libmyblas has use for it.
//
// Descriptors are opaque; their attributes have getters, of which a call would need some forty at 7 to 9 ns each. So
// what they answered is remembered by the descriptor's bytes, for each thread by itself.
#pragma once

#include "cublas/describe.h"

namespace myblas::preload {

// A cublasLt's functions. Null: there is no such function.
struct real_lt {
    void* matmul;
    int (*destroy)(void*);
    int (*get_matmul_attribute)(const void* descriptor, int, void*, size_t, size_t*);
    int (*get_layout_attribute)(const void* layout, int, void*, size_t, size_t*);
    int major; // 0: unknown
};

// X = alpha * op(A) * op(B) + beta * C + bias; aux = X; D = activation(X)
struct lt_operation {
    const char* against; // why it is not served, or null
    bool transposes_a, transposes_b;
    int pointer_mode;
    bool is_relu, is_gelu;
    const float* bias; // null: none
    int64_t stride_bias;
    float* aux; // null: none
    int64_t ldaux, stride_aux;
};

struct lt_layout {
    const char* against;
    bool is_row_major;
    int64_t rows, cols, ld;
    int64_t batch_count, stride;
};

lt_operation operation_of(const real_lt&, const void* descriptor) noexcept;
lt_layout layout_of(const real_lt&, const void* layout) noexcept;

// The same as a product of matrices that are all stored by columns: where D is stored by rows, its transpose, with A
// and B changed about.
struct lt_product {
    const char* against;
    bool is_swapped; // A is the program's B
    bool biases_columns;
    operation transa, transb;
    int64_t m, n, k;
    int64_t lda, ldb, ldc, ldd;
    int64_t stride_a, stride_b, stride_c, stride_d;
    int64_t batch_count;
};

lt_product product_of(const lt_operation&,
                      const lt_layout& a,
                      const lt_layout& b,
                      const lt_layout& c,
                      const lt_layout& d) noexcept;

} // namespace myblas::preload
