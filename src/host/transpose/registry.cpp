#include "host/transpose/registry.h"

#include "core/routine.h"

namespace myblas {

template <>
kernel_list<transpose_problem> host_kernels<transpose_problem>() {
    static constexpr const kernel_entry<transpose_problem>* ladder[] = {
        &host::transpose_naive,
        &host::transpose_blocked,
        &host::transpose_in_place,
    };
    return ladder;
}

template <>
kernel_list<geam_problem> host_kernels<geam_problem>() {
    static constexpr const kernel_entry<geam_problem>* ladder[] = {
        &host::geam_naive,
        &host::geam_blocked,
    };
    return ladder;
}

} // namespace myblas
