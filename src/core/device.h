// The device a handle computes on, as plain data that selection and launchers read.
#pragma once

#include <cstddef>

namespace myblas {

inline constexpr int oldest_cuda_arch = 80; // the oldest that kernels compile for

struct device_info {
    int ordinal = -1;          // CUDA's number of the device; -1 on the host
    int arch = 0;              // compute capability x 10; 0 on the host
    int sm_count = 0;          // multiprocessors; cores on the host
    size_t smem_per_block = 0; // bytes, with opt-in
    int clock_mhz = 0;         // highest clock of the multiprocessors
    int memory_gbps = 0;       // GB/s between memory and the device, by clock and width of the bus
    size_t l2_bytes = 0;
    size_t memory_bytes = 0; // of the device, in all; 0 on the host
    char name[256] = {};
};

// Figures of an H200, for properties that the driver does not tell.
inline constexpr struct {
    int clock_mhz = 1980, memory_gbps = 4814;
    size_t l2_bytes = 62914560;
} usual_device;

} // namespace myblas
