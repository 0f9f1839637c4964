// The cublasLt that a caller would have got without the preload.
#pragma once

#include <cstddef>

namespace myblas::preload {

// Null: the function is missing.
struct real_lt {
    void* matmul;
    int (*destroy)(void*);
    void* get_heuristic;
    int (*set_matmul_attribute)(void* descriptor, int, const void*, size_t);
    int (*get_matmul_attribute)(const void* descriptor, int, void*, size_t, size_t*);
    int (*get_layout_attribute)(const void* layout, int, void*, size_t, size_t*);
    int major; // 0: unknown, or its descriptors cannot be read
};

const real_lt& lt_of(const void* caller) noexcept;

} // namespace myblas::preload
