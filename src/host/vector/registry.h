// Kernels of level 1 on the host, in ladder order.
#pragma once

#include "core/kernel_entry.h"

namespace myblas::host {

extern const kernel_entry<axpy_problem> axpy_reference;
extern const kernel_entry<copy_problem> copy_reference;
extern const kernel_entry<dot_problem> dot_lanes;
extern const kernel_entry<nrm2_problem> nrm2_lanes;
extern const kernel_entry<extremum_problem> extremum_blocks;
extern const kernel_entry<scal_problem> scal_reference;
extern const kernel_entry<swap_problem> swap_reference;
extern const kernel_entry<rot_problem> rot_reference;
extern const kernel_entry<rotm_problem> rotm_reference;
extern const kernel_entry<rotg_problem> rotg_reference;
extern const kernel_entry<rotmg_problem> rotmg_reference;

} // namespace myblas::host
