#include "host/sgemm/registry.h"

#include "core/routine.h"

namespace myblas {

template <>
kernel_list<sgemm_problem> host_kernels<sgemm_problem>() {
    static constexpr const kernel_entry<sgemm_problem>* ladder[] = {
        &host::sgemm_reference,
        &host::sgemm_unpacked,
        &host::sgemm_blocked,
        &host::sgemm_openblas,
    };
    return ladder;
}

} // namespace myblas
