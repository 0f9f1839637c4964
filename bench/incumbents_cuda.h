// On a GPU: cuBLAS, cuBLASLt, CUB and the device copy.
#pragma once

#include "cublas.h"
#include "cublas_lt.h"
#include "machine.h"

#include <cuda_runtime.h>

#include <vector>

namespace bench {

// The libraries may be null. Workspaces of CUB belong to the subjects.
std::vector<subject>
cuda_incumbents(const cublas*, const cublas_lt*, cudaStream_t, const shape&, const operands&);

// Products of cuBLAS on TF32 tensor cores.
std::vector<subject> cuda_reduced_precision(const cublas* library, const shape&, const operands&);

} // namespace bench
