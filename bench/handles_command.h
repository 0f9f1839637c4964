// What `myblas-bench handles` times.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace bench {

// A library, with the functions that a program with handles uses. All throw on failure.
struct handle_library {
    std::string name, file; // file: whose functions they are; empty: not known
    std::function<void*()> create;
    std::function<void(void* handle)> prepare;  // called before the first product; not timed
    std::function<void(void* handle)> multiply; // n x n x n, and waits for the product
    std::function<void(void* handle)> destroy;
};

// Creates the context of the GPU, if there is one. A program waits for that once, whichever library
// comes first.
void create_context();

// Zeros in the GPU's memory, and waiting for it. Throw failure in a build without CUDA.
std::shared_ptr<float> make_device_zeros(size_t count);
void wait_for_device();

// Null where there is no cuBLAS.
std::optional<handle_library> cublas_handles(int64_t n);

} // namespace bench
