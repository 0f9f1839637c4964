// Kernels that reach for one limit of the GPU each, and nothing else.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace bench {

void launch_empty(cudaStream_t);

// Reads `bytes` (a multiple of 16) once; `sink` is never written.
void launch_read(const void* data, size_t bytes, float* sink, int sm_count, cudaStream_t);

// Multiply-adds on registers; returns how many floating-point operations were launched.
double launch_fma(float* sink, int sm_count, cudaStream_t);

} // namespace bench
