#include "host/vector/registry.h"

#include "core/routine.h"

namespace myblas {

template <>
kernel_list<axpy_problem> host_kernels<axpy_problem>() {
    static constexpr const kernel_entry<axpy_problem>* ladder[] = {&host::axpy_reference};
    return ladder;
}

template <>
kernel_list<copy_problem> host_kernels<copy_problem>() {
    static constexpr const kernel_entry<copy_problem>* ladder[] = {&host::copy_reference};
    return ladder;
}

template <>
kernel_list<dot_problem> host_kernels<dot_problem>() {
    static constexpr const kernel_entry<dot_problem>* ladder[] = {&host::dot_lanes};
    return ladder;
}

template <>
kernel_list<nrm2_problem> host_kernels<nrm2_problem>() {
    static constexpr const kernel_entry<nrm2_problem>* ladder[] = {&host::nrm2_lanes};
    return ladder;
}

template <>
kernel_list<extremum_problem> host_kernels<extremum_problem>() {
    static constexpr const kernel_entry<extremum_problem>* ladder[] = {&host::extremum_blocks};
    return ladder;
}

template <>
kernel_list<scal_problem> host_kernels<scal_problem>() {
    static constexpr const kernel_entry<scal_problem>* ladder[] = {&host::scal_reference};
    return ladder;
}

template <>
kernel_list<swap_problem> host_kernels<swap_problem>() {
    static constexpr const kernel_entry<swap_problem>* ladder[] = {&host::swap_reference};
    return ladder;
}

template <>
kernel_list<rot_problem> host_kernels<rot_problem>() {
    static constexpr const kernel_entry<rot_problem>* ladder[] = {&host::rot_reference};
    return ladder;
}

template <>
kernel_list<rotm_problem> host_kernels<rotm_problem>() {
    static constexpr const kernel_entry<rotm_problem>* ladder[] = {&host::rotm_reference};
    return ladder;
}

template <>
kernel_list<rotg_problem> host_kernels<rotg_problem>() {
    static constexpr const kernel_entry<rotg_problem>* ladder[] = {&host::rotg_reference};
    return ladder;
}

template <>
kernel_list<rotmg_problem> host_kernels<rotmg_problem>() {
    static constexpr const kernel_entry<rotmg_problem>* ladder[] = {&host::rotmg_reference};
    return ladder;
}

} // namespace myblas
