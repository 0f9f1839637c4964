// The CUDA kernels of axpy and copy.
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"

namespace myblas::cuda {

extern const kernel_entry<axpy_problem> axpy_naive;
extern const kernel_entry<axpy_problem> axpy_vectorised;
extern const kernel_entry<axpy_problem> axpy_strided;

extern const kernel_entry<copy_problem> copy_naive;
extern const kernel_entry<copy_problem> copy_vectorised;
extern const kernel_entry<copy_problem> copy_strided;

} // namespace myblas::cuda
