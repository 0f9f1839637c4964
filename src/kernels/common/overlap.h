// Launches that overlap the end of the kernel before them (programmatic dependent launch; PTX ISA,
// griddepcontrol). The blocks of such a kernel come onto the device as soon as those of its
// predecessor have left, before the predecessor's writes are flushed and its completion is known to
// the front end: 0.28 us less between two small kernels on an H100.
#pragma once

#include "core/kernel_entry.h"
#include "kernels/common/launch.h"

#include <cuda_runtime.h>

#include <utility>

namespace myblas::cuda {

// Every thread of a kernel that is launched by launch_overlapped calls this before it touches memory
// that others write or read, and no block ends without: all earlier work of the stream is complete
// and visible after it.
__device__ inline void wait_for_earlier_work() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Lets the blocks of the next such kernel come onto the device beside this one's, once all of these
// have called it or left: pays where the kernel leaves room and launching takes as long as it does.
// Small blocks call it after wait_for_earlier_work, if at all. Before it, kernels come one behind the other
// until the device is full, and the last of them finds what places are left on few multiprocessors: up to
// half of the rate in a long row of calls, and nothing to be seen in a short one. Exceptions: kernels of a cluster
// or a part of the device, and those between which comes one whose blocks take a multiprocessor each.
__device__ inline void let_next_kernel_come() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// As launch(), without dynamic shared memory. Devices before compute capability 9.0 know no overlap.
template <class... Parameters, class... Arguments>
[[nodiscard]] myblasStatus_t launch_overlapped(void (*kernel)(Parameters...),
                                               dim3 grid,
                                               int threads,
                                               const launch_context& context,
                                               Arguments&&... arguments) {
    return launch_clusters(
        kernel, grid, 1, true, threads, 0, context, std::forward<Arguments>(arguments)...);
}

} // namespace myblas::cuda
