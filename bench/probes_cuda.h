// Kernels that measure one limit of the GPU each.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace bench {

void launch_empty(cudaStream_t);

// Reads `bytes` (a multiple of 16) once; `sink` is never written.
void launch_read(const void* data, size_t bytes, float* sink, int sm_count, cudaStream_t);

// Launches multiply-adds on registers. Returns the number of floating-point operations.
double launch_fma(float* sink, int sm_count, cudaStream_t);

} // namespace bench
