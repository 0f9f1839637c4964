// Barriers in shared memory, and copies that complete on them; sm_90. PTX ISA, "Parallel
// Synchronization and Communication Instructions: mbarrier", "Data Movement and Conversion
// Instructions: cp.async.bulk", "cp.async.bulk.tensor" and "cp.async.mbarrier.arrive".
#pragma once

#include "kernels/common/smem.cuh"

#include <cuda.h>

#include <cstdint>

namespace myblas::cuda {

// A barrier. Its phase ends when there have been `arrivals` arrivals and all announced bytes have
// been copied.
struct mbarrier {
    uint64_t state;

    __device__ void init(int arrivals) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(smem_address(&state)),
                     "r"(arrivals));
    }

    // The thread that has called init() on all barriers calls this before a barrier of the block.
    static __device__ void publish_inits() {
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }

    __device__ __forceinline__ void arrive() {
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(smem_address(&state)) : "memory");
    }

    // Arrives, and allows the thread that waits to start copies that overwrite the shared memory
    // that this thread has loaded. Arriving alone orders its loads before accesses of other
    // threads, but not before copies, which may overtake loads that are still under way.
    __device__ __forceinline__ void arrive_after_loads() {
        fence_async_shared();
        arrive();
    }

    // Arrives, and announces bytes that tensor copies will write.
    __device__ __forceinline__ void arrive_expecting(int bytes) {
        asm volatile(
            "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(smem_address(&state)),
            "r"(bytes)
            : "memory");
    }

    // Arrives when this thread's cp.async copies are complete.
    __device__ __forceinline__ void arrive_after_cp_async() {
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(smem_address(&state))
                     : "memory");
    }

    // Waits for the end of the phase with this parity. The first phase has parity 0.
    __device__ __forceinline__ void wait(int parity) {
        while (!is_over(parity)) {
        }
    }
    // The same by a whole warp, which the compiler then knows to be converged.
    __device__ __forceinline__ void wait_together(int parity) {
        while (!__all_sync(~0u, is_over(parity))) {
        }
    }

private:
    // Waits for a limited time.
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

    __device__ __forceinline__ void advance(int by = 1) { // by <= stages
        stage += by;
        if (stage >= stages)
            stage -= stages, parity ^= 1;
    }
    // The position after `count` stages.
    static __device__ __forceinline__ ring_position behind(int count) {
        return {count % stages, count / stages & 1};
    }
};

// The barriers of a ring of stages, contiguous in shared memory: `filled` for readers to wait on,
// `emptied` for the thread that fills.
template <int stages>
struct stage_barriers {
    mbarrier *filled, *emptied;

    explicit __device__ __forceinline__ stage_barriers(char* smem)
        : filled(reinterpret_cast<mbarrier*>(smem)), emptied(filled + stages) {}

    // One thread calls it, before a barrier of the block. Each stage has one thread that fills it
    // and `readers` arrivals that empty it.
    __device__ __forceinline__ void init(int readers) const {
        for (int s = 0; s < stages; ++s) {
            filled[s].init(1);
            emptied[s].init(readers);
        }
        mbarrier::publish_inits();
    }
};

// Fetches the map before the first copy needs it. The map may be a kernel parameter. PTX ISA,
// "prefetch.tensormap".
__device__ __forceinline__ void prefetch_tensor_map(const CUtensorMap& map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// Copies to shared memory the box of a two-dimensional tensor whose first element is (x, y),
// where x runs along memory. Elements outside of the tensor arrive as zeroes. Completes on the
// barrier.
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

// The same for matrix z of a batch, in a three-dimensional tensor.
__device__ __forceinline__ void
copy_box(void* smem_target, const CUtensorMap& map, int x, int y, int z, mbarrier& barrier) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(smem_address(smem_target)),
                 "l"(&map),
                 "r"(x),
                 "r"(y),
                 "r"(z),
                 "r"(smem_address(&barrier))
                 : "memory");
}

// Orders writes to global memory that this thread has made or observed before later bulk copies
// that read them. This includes later copies by other threads. PTX ISA, "membar/fence",
// fence.proxy.async.
__device__ __forceinline__ void fence_for_copies() {
    asm volatile("fence.proxy.async.global;" ::: "memory");
}

// Copies contiguous bytes. The size and both addresses are multiples of 16. Completes on the
// barrier.
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
