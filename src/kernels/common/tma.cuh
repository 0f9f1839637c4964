// Barriers in shared memory and the copies that complete on them, sm_90.
// PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier", "Data Movement and
// Conversion Instructions: cp.async.bulk", "cp.async.bulk.tensor" and "cp.async.mbarrier.arrive".
#pragma once

#include "kernels/common/smem.h"

#include <cuda.h>

#include <cstdint>

namespace myblas::cuda {

// A barrier whose phase ends when `arrivals` have arrived and all bytes that were announced are there.
struct mbarrier {
    uint64_t state;

    __device__ void init(int arrivals) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(smem_address(&state)),
                     "r"(arrivals));
    }

    // To be called after all init() and before a block-wide barrier, by the thread that called them.
    static __device__ void publish_inits() {
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }

    __device__ __forceinline__ void arrive() {
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(smem_address(&state)) : "memory");
    }

    // Arrives, so that whoever waits may have copies overwrite what this thread has loaded from shared memory:
    // arriving alone orders its loads before accesses of other threads, but not before copies, which can be
    // faster than loads that are still under way.
    __device__ __forceinline__ void arrive_after_loads() {
        fence_async_shared();
        arrive();
    }

    // Arrives, and announces bytes that tensor copies will bring.
    __device__ __forceinline__ void arrive_expecting(int bytes) {
        asm volatile(
            "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(smem_address(&state)),
            "r"(bytes)
            : "memory");
    }

    // Arrives once the cp.async copies of this thread have.
    __device__ __forceinline__ void arrive_after_cp_async() {
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(smem_address(&state))
                     : "memory");
    }

    // Waits for the end of the phase of this parity; the first phase has parity 0.
    __device__ __forceinline__ void wait(int parity) {
        while (!is_over(parity)) {
        }
    }
    // The same by whole warps, which the compiler then knows to be together.
    __device__ __forceinline__ void wait_together(int parity) {
        while (!__all_sync(~0u, is_over(parity))) {
        }
    }

private:
    // May wait a while.
    __device__ __forceinline__ bool is_over(int parity) {
        uint32_t done;
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n"
                     "}"
                     : "=r"(done)
                     : "r"(smem_address(&state)), "r"(parity)
                     : "memory");
        return done != 0;
    }
};

// A position in a ring of stages with a barrier each, and the parity of its current phase.
template <int stages>
struct ring_position {
    int stage = 0, parity = 0;

    __device__ __forceinline__ void advance(int by = 1) { // by at most as many as there are
        stage += by;
        if (stage >= stages)
            stage -= stages, parity ^= 1;
    }
    // That of one who has gone through so many.
    static __device__ __forceinline__ ring_position behind(int count) {
        return {count % stages, count / stages & 1};
    }
};

// The barriers of a ring of stages, which lie side by side: who fills a stage and who has read it meet at them.
template <int stages>
struct stage_barriers {
    mbarrier *filled, *emptied;

    explicit __device__ __forceinline__ stage_barriers(char* smem)
        : filled(reinterpret_cast<mbarrier*>(smem)), emptied(filled + stages) {}

    // By one thread, before a barrier of the block. One thread fills; so many read.
    __device__ __forceinline__ void init(int readers) const {
        for (int s = 0; s < stages; ++s) {
            filled[s].init(1);
            emptied[s].init(readers);
        }
        mbarrier::publish_inits();
    }
};

// Has the map fetched before the first copy needs it; it may belong to the kernel's parameters.
// PTX ISA, "prefetch.tensormap".
__device__ __forceinline__ void prefetch_tensor_map(const CUtensorMap& map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// Copies the box of a two-dimensional tensor whose first element is (x, y), x along memory, to shared
// memory; what lies outside the tensor arrives as zeroes. Completes on the barrier.
__device__ __forceinline__ void
copy_box(void* smem_target, const CUtensorMap& map, int x, int y, mbarrier& barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(smem_address(smem_target)),
                 "l"(&map),
                 "r"(x),
                 "r"(y),
                 "r"(smem_address(&barrier))
                 : "memory");
}

// Orders what this thread wrote to global memory, or has seen written, before bulk copies that read it: those of
// other threads, too, which come after it. PTX ISA, "membar/fence", fence.proxy.async.
__device__ __forceinline__ void fence_for_copies() {
    asm volatile("fence.proxy.async.global;" ::: "memory");
}

// Copies contiguous bytes, a multiple of 16 with both ends aligned to 16. Completes on the barrier.
__device__ __forceinline__ void
copy_bytes(void* smem_target, const void* gmem_source, int bytes, mbarrier& barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1], %2, [%3];" ::"r"(smem_address(smem_target)),
                 "l"(gmem_source),
                 "r"(bytes),
                 "r"(smem_address(&barrier))
                 : "memory");
}

} // namespace myblas::cuda
