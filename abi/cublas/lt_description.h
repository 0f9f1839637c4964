// What cublasLt's descriptors say, as far as libmyblas has use for it.
//
// Descriptors are opaque; their attributes have getters, of which a call would need some seventy at 7 to 9 ns each. So
// what they answered is remembered by the descriptors' bytes, for each thread by itself.
#pragma once

#include "cublas/describe.h"
#include "cublas/real_lt.h"

namespace myblas::preload {

// X = alpha * op(A) * op(B) + beta * C + bias; aux = X; D = activation(X), of matrices that are all stored by columns.
// Where the program's D is stored by rows, this is the transpose of what it asks for, with A and B changed about.
struct lt_call {
    const char* against; // why it is not served, or null
    bool is_swapped;     // A is the program's B
    operation transa, transb;
    int64_t m, n, k;
    int64_t lda, ldb, ldc, ldd;
    int64_t stride_a, stride_b, stride_c, stride_d;
    int64_t batch_count;
    int pointer_mode;
    myblasEpilogue_t epilogue;
};

struct lt_descriptors {
    const void *operation, *a, *b, *c, *d;
};

// Why calls with such an A are not served, or null.
const char* reason_against_layout(const real_lt&, const void* layout_a) noexcept;

// Until the thread's next question.
const lt_call& call_of(const real_lt&, const lt_descriptors&) noexcept;

} // namespace myblas::preload
