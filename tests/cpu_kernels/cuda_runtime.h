// Replaces CUDA's header: launches run on one thread of the CPU, one block at a time. This is
// enough for kernels of plain C++ with shared memory and barriers, so their logic is tested without
// a GPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <ucontext.h>
#include <utility>

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

inline dim3 threadIdx, blockIdx, blockDim, gridDim;

using std::isfinite;
using std::max;
using std::min;

// ---- Threads of a block -------------------------------------------------------------------------

// They take turns: each runs until it waits at a barrier. Rounds from the first to the last thread
// alternate with rounds from the last to the first, and every other launch begins with the latter.
// So where a barrier is missing, mostly some thread misses what another one has not written yet, or
// reads what it should not see yet. A kernel in which a thread polls what another one writes would
// hang.
namespace grid {

class barrier {
public:
    explicit barrier(unsigned count = 0) : count(count) {}
    void wait();
    bool is_passed(unsigned since) const { return phase != since; }

private:
    unsigned count, arrived = 0, phase = 0;
};

struct thread {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    const barrier* at = nullptr; // where it waits
    unsigned phase = 0;          // of the barrier when it began to wait
    bool has_ended = false;

    bool can_run() const { return !has_ended && (!at || at->is_passed(phase)); }
};

inline constexpr size_t stack_bytes = 128 << 10;
inline std::deque<thread> threads; // kept for later launches, with their stacks
inline thread* current;
inline ucontext_t scheduler;
inline std::function<void()> body;
inline barrier block_barrier;

inline void barrier::wait() {
    const unsigned since = phase;
    if (++arrived == count) {
        arrived = 0;
        ++phase;
        return;
    }
    current->at = this;
    current->phase = since;
    swapcontext(&current->context, &scheduler);
}

inline void run_current() {
    body();
    current->has_ended = true;
}

inline void begin(thread* t) {
    t->at = nullptr;
    t->has_ended = false;
    getcontext(&t->context);
    t->context.uc_stack.ss_sp = t->stack.get();
    t->context.uc_stack.ss_size = stack_bytes;
    t->context.uc_link = &scheduler;
    makecontext(&t->context, run_current, 0);
}

// Runs the body in each of `count` threads.
inline void run_threads(unsigned count) {
    while (threads.size() < count)
        threads.emplace_back().stack.reset(new char[stack_bytes]);
    for (unsigned i = 0; i < count; ++i)
        begin(&threads[i]);
    static bool begins_forward = false;
    begins_forward = !begins_forward;
    bool any_left = true;
    for (bool forward = begins_forward; any_left; forward = !forward) {
        bool any_ran = false;
        any_left = false;
        for (unsigned i = 0; i < count; ++i) {
            const unsigned index = forward ? i : count - 1 - i;
            current = &threads[index];
            if (current->can_run()) {
                threadIdx = dim3(index, 0, 0);
                swapcontext(&scheduler, &current->context);
                any_ran = true;
            }
            any_left = any_left || !current->has_ended;
        }
        if (any_left && !any_ran) {
            std::fputs("a barrier that not all threads reach\n", stderr);
            std::abort();
        }
    }
}

} // namespace grid

inline void __syncthreads() { grid::block_barrier.wait(); }

namespace grid {
inline bool is_any_false;
}

inline bool __syncthreads_and(bool value) {
    if (!value)
        __atomic_store_n(&grid::is_any_false, true, __ATOMIC_RELAXED);
    __syncthreads();
    const bool result = !__atomic_load_n(&grid::is_any_false, __ATOMIC_RELAXED);
    __syncthreads();
    __atomic_store_n(&grid::is_any_false, false, __ATOMIC_RELAXED);
    __syncthreads();
    return result;
}

// ---- Warps --------------------------------------------------------------------------------------

// Values that the lanes of a warp exchange, between two barriers of the warp.
namespace grid {
inline constexpr unsigned most_warps = 32;
inline barrier warp_barrier[most_warps];
inline uint64_t shown[most_warps][32];

template <class T, class Function>
auto exchange(T value, Function&& read) {
    static_assert(sizeof(T) <= sizeof(uint64_t));
    const unsigned warp = threadIdx.x / 32;
    std::memcpy(&shown[warp][threadIdx.x % 32], &value, sizeof(T));
    warp_barrier[warp].wait();
    const auto result = read(shown[warp]);
    warp_barrier[warp].wait();
    return result;
}
} // namespace grid

inline void __syncwarp() { grid::warp_barrier[threadIdx.x / 32].wait(); }

template <class T>
T __shfl_sync(unsigned, T value, int lane) {
    return grid::exchange(value, [=](const uint64_t* all) {
        T found;
        std::memcpy(&found, &all[lane % 32], sizeof(T));
        return found;
    });
}

template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask) {
    return __shfl_sync(mask, value, static_cast<int>(threadIdx.x % 32) ^ lane_mask);
}

inline unsigned __ballot_sync(unsigned, bool value) {
    return grid::exchange(value, [](const uint64_t* all) {
        unsigned bits = 0;
        for (unsigned lane = 0; lane < 32; ++lane) {
            bool is_set;
            std::memcpy(&is_set, &all[lane], sizeof is_set);
            bits |= unsigned{is_set} << lane;
        }
        return bits;
    });
}

inline bool __all_sync(unsigned mask, bool value) { return __ballot_sync(mask, value) == ~0u; }

inline int __ffs(int bits) { return __builtin_ffs(bits); }

// ---- Memory -------------------------------------------------------------------------------------

inline size_t __cvta_generic_to_shared(const void* x) { return reinterpret_cast<size_t>(x); }

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

inline unsigned atomicAdd(unsigned* at, unsigned value) {
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
inline unsigned atomicOr(unsigned* at, unsigned value) {
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
inline unsigned atomicInc(unsigned* at, unsigned most) {
    unsigned old = *at;
    while (!__atomic_compare_exchange_n(
        at, &old, old >= most ? 0 : old + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}

template <class T>
T __ldcg(const T* x) {
    return *x;
}
template <class T>
void __stcg(T* x, T value) {
    *x = value;
}
template <class T>
T __ldcs(const T* x) {
    return *x;
}
template <class T>
void __stcs(T* x, T value) {
    *x = value;
}

inline float __uint_as_float(unsigned bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
inline unsigned __float_as_uint(float value) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
inline double __longlong_as_double(long long bits) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
inline long long __double_as_longlong(double value) {
    long long bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// ---- Launches -----------------------------------------------------------------------------------

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

enum cudaStreamCaptureMode { cudaStreamCaptureModeRelaxed };
inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) {
    return cudaSuccess;
}

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
    grid::barrier between_blocks(threads);
    grid::block_barrier = grid::barrier(threads);
    for (unsigned first = 0; first < threads; first += 32)
        grid::warp_barrier[first / 32] = grid::barrier(std::min(32u, threads - first));
    gridDim = blocks, blockDim = config->blockDim;
    grid::body = [&] {
        for (unsigned z = 0; z < blocks.z; ++z)
            for (unsigned y = 0; y < blocks.y; ++y)
                for (unsigned x = 0; x < blocks.x; ++x) {
                    blockIdx = dim3(x, y, z);
                    kernel(arguments...);
                    between_blocks.wait();
                }
    };
    grid::run_threads(threads);
    return cudaSuccess;
}
