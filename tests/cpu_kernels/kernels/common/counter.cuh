// Replaces counter.cuh, which is PTX, on a CPU.
#pragma once

namespace myblas::cuda {

inline unsigned load_counter_and_acquire(const unsigned* x) {
    return __atomic_load_n(x, __ATOMIC_ACQUIRE);
}

inline void fence_device() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }

} // namespace myblas::cuda
