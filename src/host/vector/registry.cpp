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

} // namespace myblas
