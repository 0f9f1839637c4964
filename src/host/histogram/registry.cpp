#include "host/histogram/registry.h"

#include "core/routine.h"

namespace myblas {

template <>
kernel_list<histogram_problem> host_kernels<histogram_problem>() {
    static constexpr const kernel_entry<histogram_problem>* ladder[] = {
        &host::histogram_serial,
        &host::histogram_interleaved,
    };
    return ladder;
}

} // namespace myblas
