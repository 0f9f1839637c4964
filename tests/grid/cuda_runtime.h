// In place of CUDA's header: launches run on the CPU, with a thread for each thread of a block, and blocks one after the
// other. Enough for kernels of plain C++ with shared memory and barriers, so that their logic is tested without a GPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <pthread.h>
#include <thread>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __noinline__
#define __forceinline__ inline

struct dim3 {
    unsigned x, y, z;

    dim3(unsigned along_x = 1, unsigned along_y = 1, unsigned along_z = 1)
        : x(along_x), y(along_y), z(along_z) {}
};

struct alignas(8) float2 {
    float x, y;
};

struct alignas(16) float4 {
    float x, y, z, w;
};

inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

inline thread_local dim3 threadIdx, blockIdx, gridDim;

using std::isfinite;
using std::max;
using std::min;

namespace grid {
inline pthread_barrier_t block_barrier;
}

inline void __syncthreads() { pthread_barrier_wait(&grid::block_barrier); }

// ---- Launches --------------------------------------------------------------------------------------

typedef int cudaError_t;
typedef struct CUstream_st* cudaStream_t;

enum {
    cudaSuccess,
    cudaLaunchAttributeClusterDimension,
    cudaLaunchAttributeProgrammaticStreamSerialization,
    cudaFuncAttributeMaxDynamicSharedMemorySize,
    cudaFuncAttributePreferredSharedMemoryCarveout,
    cudaSharedmemCarveoutMaxShared
};

struct cudaLaunchAttribute {
    int id;
    struct {
        dim3 clusterDim;
        int programmaticStreamSerializationAllowed;
    } val;
};

struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned numAttrs;
};

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, int, int) {
    return cudaSuccess;
}

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config,
                               void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
    const unsigned threads = config->blockDim.x;
    const dim3 blocks = config->gridDim;
    pthread_barrier_t between_blocks;
    pthread_barrier_init(&grid::block_barrier, nullptr, threads);
    pthread_barrier_init(&between_blocks, nullptr, threads);
    const auto run = [&](unsigned thread) {
        threadIdx = dim3(thread, 0, 0);
        gridDim = blocks;
        for (unsigned z = 0; z < blocks.z; ++z)
            for (unsigned y = 0; y < blocks.y; ++y)
                for (unsigned x = 0; x < blocks.x; ++x) {
                    blockIdx = dim3(x, y, z);
                    kernel(arguments...);
                    pthread_barrier_wait(&between_blocks);
                }
    };
    std::vector<std::thread> all;
    for (unsigned thread = 0; thread < threads; ++thread)
        all.emplace_back(run, thread);
    for (std::thread& thread : all)
        thread.join();
    pthread_barrier_destroy(&between_blocks);
    pthread_barrier_destroy(&grid::block_barrier);
    return cudaSuccess;
}
