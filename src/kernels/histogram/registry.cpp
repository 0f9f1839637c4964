#include "kernels/histogram/registry.h"

#include "core/routine.h"

namespace myblas {

template <>
kernel_list<histogram_problem> cuda_kernels() {
    return ladder<cuda::histogram_global_atomics,
                  cuda::histogram_shared_atomics,
                  cuda::histogram_lane_counters>;
}

} // namespace myblas
