// cuBLASLt, if the loader finds it: products, fused or not.
#pragma once

#include "dynamic_library.h"
#include "machine.h"

#include <cuda_runtime.h>

#include <memory>
#include <vector>

namespace bench {

class cublas_lt {
public:
    // Null if there is no usable cuBLASLt.
    static std::unique_ptr<cublas_lt> load(cudaStream_t);
    ~cublas_lt();

    // Products by the first `count` algorithms of cublasLt's heuristic for a workspace of 32 MiB;
    // fewer if it has fewer. The object outlives the subjects.
    std::vector<subject> products(const shape&, const operands&, int count) const;

private:
    explicit cublas_lt(cudaStream_t);

    using descriptor = std::shared_ptr<void>; // of an operation, of a layout or of preferences
    template <class... Arguments>
    descriptor
    make(const char* what, any_function create, any_function destroy, Arguments...) const;
    descriptor describe_operation(const shape&, const operands&) const;
    descriptor describe_matrix(const shape&, const extent&, int64_t ld, int64_t stride) const;
    descriptor describe_preferences(const shape&) const;

    dynamic_library library_{"libcublasLt.so.13", "libcublasLt.so.12"};
    cudaStream_t stream_;
    void* handle_ = nullptr;
    any_function destroy_, create_operation_, set_operation_, destroy_operation_, create_layout_,
        set_layout_, destroy_layout_, create_preferences_, set_preference_, destroy_preferences_,
        choose_algorithms_, matmul_;
};

} // namespace bench
