// The device a handle computes on, as plain data that selection and launchers read.
#pragma once

#include <cstddef>

namespace myblas {

inline constexpr int oldest_cuda_arch = 80; // that the kernels compile for

struct device_info {
    int ordinal = -1;          // CUDA's number of the device; -1 on the host
    int arch = 0;              // compute capability x 10; 0 on the host
    int sm_count = 0;          // multiprocessors; cores on the host
    size_t smem_per_block = 0; // bytes, with opt-in
    size_t memory_bytes = 0;   // of device memory in all; 0 on the host
    char name[256] = {};
};

} // namespace myblas
