// Kernel launches. Statuses are return values, so that the caller's last CUDA error stays as it is.
#pragma once

#include "core/kernel_entry.h"
#include "core/outside_captures.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace myblas::cuda {

inline constexpr int64_t max_grid_x =
    2147483647; // blocks, CUDA C++ Programming Guide, compute capabilities
inline constexpr int64_t max_grid_y = 65535;
inline constexpr int64_t max_grid_z = 65535;

inline myblasStatus_t to_status(cudaError_t error) {
    return error == cudaSuccess ? MYBLAS_STATUS_SUCCESS : MYBLAS_STATUS_EXECUTION_FAILED;
}

template <class... Parameters, class... Arguments>
[[nodiscard]] myblasStatus_t launch(void (*kernel)(Parameters...),
                                    dim3 grid,
                                    int threads,
                                    size_t smem_bytes,
                                    const launch_context& context,
                                    Arguments&&... arguments) {
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = smem_bytes;
    config.stream = context.stream;
    return to_status(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
}

// The same with clusters of `cluster` blocks along x (1 before sm_90). With `early`, the kernel may
// start while its predecessor in the stream still runs; it must call grid_dependency_sync
// (overlap.cuh).
template <class... Parameters, class... Arguments>
[[nodiscard]] myblasStatus_t launch_clusters(void (*kernel)(Parameters...),
                                             dim3 grid,
                                             int cluster,
                                             bool early,
                                             int threads,
                                             size_t smem_bytes,
                                             const launch_context& context,
                                             Arguments&&... arguments) {
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = smem_bytes;
    config.stream = context.stream;
    config.attrs = attributes;
    if (cluster > 1) {
        cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = cluster;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    }
    if (early && context.device->arch >= 90) {
        cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
    }
    return to_status(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
}

// Opts a kernel in to more than 48 KiB of dynamic shared memory. For kernel_entry::prepare.
template <class... Parameters>
[[nodiscard]] myblasStatus_t allow_smem(void (*kernel)(Parameters...), size_t smem_bytes) {
    const outside_captures guard; // the call loads the kernel's code
    return to_status(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(smem_bytes)));
}

// Gives the kernel the largest shared-memory carveout, whether it needs it or not. Otherwise a
// multiprocessor would have to drain before it changes the carveout between this kernel and others
// that do need it.
template <class... Parameters>
[[nodiscard]] myblasStatus_t prefer_smem(void (*kernel)(Parameters...)) {
    const outside_captures guard;
    return to_status(cudaFuncSetAttribute(
        kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
}

// Calls f with the lowest `bits` bits of `flags` as compile-time constants, lowest bit first.
template <int bits, class F, class... Constants>
myblasStatus_t with_bits(unsigned flags, F&& f, Constants... constants) {
    if constexpr (bits == 0)
        return f(constants...);
    else
        return flags & 1 ? with_bits<bits - 1>(flags >> 1, f, constants..., std::true_type{})
                         : with_bits<bits - 1>(flags >> 1, f, constants..., std::false_type{});
}

template <class Integer>
constexpr __host__ __device__ Integer ceil_div(Integer a, Integer b) {
    return (a + b - 1) / b;
}

// a / b on the host, for a and b that are not negative. On many hosts a 32-bit division is several
// times as fast as a 64-bit division.
inline int64_t quotient(int64_t a, int64_t b) {
    return ((a | b) >> 32) == 0 ? static_cast<uint32_t>(a) / static_cast<uint32_t>(b) : a / b;
}
inline int64_t quotient_up(int64_t a, int64_t b) { return quotient(a + b - 1, b); }

} // namespace myblas::cuda
