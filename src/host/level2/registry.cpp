#include "host/level2/registry.h"

#include "core/routine.h"

namespace myblas {

template <>
kernel_list<symv_problem> host_kernels<symv_problem>() {
    static constexpr const kernel_entry<symv_problem>* ladder[] = {
        &host::symv_reference,
        &host::symv_openblas,
    };
    return ladder;
}

template <>
kernel_list<syr_problem> host_kernels<syr_problem>() {
    static constexpr const kernel_entry<syr_problem>* ladder[] = {
        &host::syr_reference,
        &host::syr_openblas,
    };
    return ladder;
}

template <>
kernel_list<trmv_problem> host_kernels<trmv_problem>() {
    static constexpr const kernel_entry<trmv_problem>* ladder[] = {
        &host::trmv_reference,
        &host::trmv_openblas,
    };
    return ladder;
}

template <>
kernel_list<trsv_problem> host_kernels<trsv_problem>() {
    static constexpr const kernel_entry<trsv_problem>* ladder[] = {
        &host::trsv_reference,
        &host::trsv_openblas,
    };
    return ladder;
}

} // namespace myblas
