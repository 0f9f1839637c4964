// The contents of cublasLt's descriptors that libmyblas uses.
//
// Descriptors are opaque. Their attributes have getters. A call would need about seventy getters at
// 7 to 9 ns each. Each thread therefore caches the results, with the descriptors' bytes as the key.
#pragma once

#include "cublas/describe.h"
#include "cublas/real_lt.h"

namespace myblas::preload {

// X = alpha * op(A) * op(B) + beta * C + bias; aux = X; D = activation(X). All matrices are stored
// by columns. If the program's D is stored by rows, this is the transpose of the program's call,
// with A and B exchanged.
struct lt_call {
    const char* against; // why it is not served, or null
    arithmetic asked;
    bool swap_ab; // A is the program's B
    operation transa, transb;
    int64_t m, n, k;
    int64_t lda, ldb, ldc, ldd;
    int64_t stride_a, stride_b, stride_c, stride_d;
    int64_t batch_count;
    int pointer_mode;
    int sm_count_target; // 0: none
    myblasEpilogue_t epilogue;
};

struct lt_descriptors {
    const void *operation, *a, *b, *c, *d;
};

// Why calls with this A are not served, or null.
const char* reason_against_layout(const real_lt&, const void* layout_a) noexcept;

// A copy of an operation's descriptor, to be changed.
class lt_operation_copy {
public:
    lt_operation_copy(const real_lt&, const void* descriptor) noexcept;
    bool set_compute(compute_type) noexcept; // false: cublasLt refuses
    // Programs may set a bias or an auxiliary matrix after they asked the heuristic. Gives the
    // epilogue stand-ins for what is not set yet.
    void complete_epilogue() noexcept;
    const void* get() const noexcept { return words_; }

private:
    const real_lt& real_;
    uint64_t words_[32] = {};
};

// The result is valid until this thread calls the function again.
const lt_call& call_of(const real_lt&, const lt_descriptors&) noexcept;

} // namespace myblas::preload
