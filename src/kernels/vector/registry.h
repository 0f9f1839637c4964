// The CUDA kernels of level 1 that change vectors or generate rotations.
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"

namespace myblas::cuda {

extern const kernel_entry<axpy_problem> axpy_naive, axpy_vectorised, axpy_strided;
extern const kernel_entry<copy_problem> copy_naive, copy_vectorised, copy_strided;
extern const kernel_entry<scal_problem> scal_naive, scal_vectorised, scal_strided;
extern const kernel_entry<swap_problem> swap_naive, swap_vectorised, swap_strided;
extern const kernel_entry<rot_problem> rot_naive, rot_vectorised, rot_strided;
extern const kernel_entry<rotm_problem> rotm_naive, rotm_vectorised, rotm_strided;
extern const kernel_entry<rotg_problem> rotg_one_thread;
extern const kernel_entry<rotmg_problem> rotmg_one_thread;

} // namespace myblas::cuda
