// The CUDA kernels of level 1 that change vectors or generate rotations.
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

extern const kernel_entry<scal_problem> scal_naive;
extern const kernel_entry<scal_problem> scal_vectorised;
extern const kernel_entry<scal_problem> scal_strided;

extern const kernel_entry<swap_problem> swap_naive;
extern const kernel_entry<swap_problem> swap_vectorised;
extern const kernel_entry<swap_problem> swap_strided;

extern const kernel_entry<rot_problem> rot_naive;
extern const kernel_entry<rot_problem> rot_vectorised;
extern const kernel_entry<rot_problem> rot_strided;

extern const kernel_entry<rotm_problem> rotm_naive;
extern const kernel_entry<rotm_problem> rotm_vectorised;
extern const kernel_entry<rotm_problem> rotm_strided;

extern const kernel_entry<rotg_problem> rotg_one_thread;

extern const kernel_entry<rotmg_problem> rotmg_one_thread;

} // namespace myblas::cuda
