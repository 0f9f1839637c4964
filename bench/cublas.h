// cuBLAS, when the loader finds one; the few calls that the bench compares with.
#pragma once

#include "blas_functions.h"
#include "dynamic_library.h"

#include <cuda_runtime.h>

#include <memory>
#include <string>

namespace bench {

class device_memory;

struct cublas {
    // Null where there is no usable cuBLAS.
    static std::unique_ptr<cublas> load(cudaStream_t);
    ~cublas();

    enum pointer_mode { host_pointers = 0, device_pointers = 1 };
    void set_pointer_mode(pointer_mode) const;

    enum math_mode { default_math = 0, tf32_math = 3 };
    void set_math_mode(math_mode) const;

    std::string version() const;

    void* handle = nullptr;
    // Enumerations are ints; the statuses are checked by require_cublas.
    int (*sgemm)(void*,
                 int,
                 int,
                 int,
                 int,
                 int,
                 const float*,
                 const float*,
                 int,
                 const float*,
                 int,
                 const float*,
                 float*,
                 int) = nullptr;
    int (*sgemm_strided_batched)(void*,
                                 int,
                                 int,
                                 int,
                                 int,
                                 int,
                                 const float*,
                                 const float*,
                                 int,
                                 long long,
                                 const float*,
                                 int,
                                 long long,
                                 const float*,
                                 float*,
                                 int,
                                 long long,
                                 int) = nullptr;
    int (*sgemm_batched)(void*,
                         int,
                         int,
                         int,
                         int,
                         int,
                         const float*,
                         const float* const*,
                         int,
                         const float* const*,
                         int,
                         const float*,
                         float* const*,
                         int,
                         int) = nullptr;
    int (*sgeam)(void*,
                 int,
                 int,
                 int,
                 int,
                 const float*,
                 const float*,
                 int,
                 const float*,
                 const float*,
                 int,
                 float*,
                 int) = nullptr;
    int (*dgeam)(void*,
                 int,
                 int,
                 int,
                 int,
                 const double*,
                 const double*,
                 int,
                 const double*,
                 const double*,
                 int,
                 double*,
                 int) = nullptr;
    int (*dasum)(void*, int, const double*, int, double*) = nullptr;
    cublas_functions blas; // levels 1 to 3 but sgemm

private:
    explicit cublas(cudaStream_t);
    bool complete() const;

    dynamic_library library_;
    std::unique_ptr<device_memory> workspace_;
    int (*destroy_)(void*) = nullptr;
    int (*set_pointer_mode_)(void*, int) = nullptr;
    int (*set_math_mode_)(void*, int) = nullptr;
    int (*get_property_)(int, int*) = nullptr;
};

void require_cublas(int status, const char* what);

} // namespace bench
