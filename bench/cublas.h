// cuBLAS, if the loader finds it: the functions that the bench compares with.
#pragma once

#include "blas_functions.h"
#include "dynamic_library.h"

#include <cuda_runtime.h>

#include <memory>
#include <string>

namespace bench {

class device_memory;

// Name of a function in cuBLAS: Sgemm for sgemm.
std::string cublas_name(const std::string& function);

struct cublas {
    // Null if there is no usable cuBLAS.
    static std::unique_ptr<cublas> load(cudaStream_t);
    ~cublas();

    enum pointer_mode { host_pointers = 0, device_pointers = 1 };
    void set_pointer_mode(pointer_mode) const;

    enum math_mode { default_math = 0, tf32_math = 3 };
    void set_math_mode(math_mode) const;

    std::string version() const;

    dynamic_library library{"libcublas.so.13", "libcublas.so.12"};
    void* handle = nullptr;
    blas_functions blas;
    any_function dgeam, dasum;

private:
    explicit cublas(cudaStream_t);

    std::unique_ptr<device_memory> workspace_;
    any_function destroy_, set_pointer_mode_, set_math_mode_, get_property_;
};

void require_cublas(int status, const char* what);

} // namespace bench
