// Replaces the CUDA registries and tables in a build without CUDA: all of them are empty.
#include "core/routine.h"
#include "level3/steps.h"
#include "select/select.h"

namespace myblas {

#define MYBLAS_NO_KERNELS(NAME, problem)                                                           \
    template <>                                                                                    \
    kernel_list<problem> cuda_kernels() {                                                          \
        return {};                                                                                 \
    }
MYBLAS_ROUTINES(MYBLAS_NO_KERNELS)
#undef MYBLAS_NO_KERNELS

template <class Problem>
selection_table<Problem> cuda_table(int) {
    return {};
}

#define MYBLAS_TABLE(NAME, problem) template selection_table<problem> cuda_table(int arch);
MYBLAS_ROUTINES(MYBLAS_TABLE)
#undef MYBLAS_TABLE

const step_functions& cuda_steps() {
    static constexpr step_functions none{};
    return none;
}

} // namespace myblas
