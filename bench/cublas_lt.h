// cuBLASLt, when the loader finds one: fused products.
#pragma once

#include "dynamic_library.h"
#include "machine.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace bench {

class cublas_lt {
public:
    // Null where there is no usable cuBLASLt.
    static std::unique_ptr<cublas_lt> load(cudaStream_t);
    ~cublas_lt();

    // By the first algorithm of its heuristic for a workspace of 32 MiB; none where there is no algorithm. The object
    // outlives the subject.
    std::optional<subject> fused_product(const shape&, const operands&) const;

private:
    explicit cublas_lt(cudaStream_t);
    bool complete() const;

    // Of the operation, of a layout or of preferences.
    using descriptor = std::shared_ptr<void>;
    descriptor describe_operation(const shape&, const operands&) const;
    descriptor describe_matrix(int64_t rows, int64_t cols, int64_t ld) const;
    descriptor describe_preferences(const shape&) const;

    dynamic_library library_;
    cudaStream_t stream_;
    void* handle_ = nullptr;
    // Enumerations are ints; the statuses are checked by require_cublas.
    int (*destroy_)(void*) = nullptr;
    int (*create_operation_)(void**, int, int) = nullptr;
    int (*set_operation_)(void*, int, const void*, size_t) = nullptr;
    int (*destroy_operation_)(void*) = nullptr;
    int (*create_layout_)(void**, int, uint64_t, uint64_t, int64_t) = nullptr;
    int (*destroy_layout_)(void*) = nullptr;
    int (*create_preferences_)(void**) = nullptr;
    int (*set_preference_)(void*, int, const void*, size_t) = nullptr;
    int (*destroy_preferences_)(void*) = nullptr;
    int (*choose_algorithms_)(void*, void*, void*, void*, void*, void*, void*, int, void*, int*) =
        nullptr;
    int (*matmul_)(void*,
                   void*,
                   const void*,
                   const void*,
                   void*,
                   const void*,
                   void*,
                   const void*,
                   const void*,
                   void*,
                   void*,
                   void*,
                   const void*,
                   void*,
                   size_t,
                   cudaStream_t) = nullptr;
};

} // namespace bench
