// Prepares kernels when they are first used in a context: the runtime then loads their code, which
// takes up to milliseconds.
#pragma once

#include "core/handle.h"
#include "core/kernel_entry.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace myblas {

// The kernels that are prepared, each with its context. Threads may prepare the same kernel at the
// same time. When there is no room left, later kernels are prepared for each call.
class prepared_kernels {
public:
    bool contains(const void* kernel, uint64_t context) const noexcept {
        const uint64_t key = key_of(kernel, context);
        for (unsigned i = 0; i < slots.size(); ++i) {
            const uint64_t found = slots[slot_of(key, i)].load(std::memory_order_acquire);
            if (found == key)
                return true;
            if (found == 0)
                return false;
        }
        return false;
    }

    void add(const void* kernel, uint64_t context) noexcept {
        const uint64_t key = key_of(kernel, context);
        for (unsigned i = 0; i < slots.size(); ++i) {
            uint64_t found = 0;
            if (slots[slot_of(key, i)].compare_exchange_strong(found, key) || found == key)
                return;
        }
    }

private:
    static constexpr unsigned bits = 11; // 16 GPUs, each with all kernels

    // An address has 48 bits at most. Contexts are numbered from 1 in a process, and 16 bits of the
    // number suffice.
    static uint64_t key_of(const void* kernel, uint64_t context) noexcept {
        return context << 48 | reinterpret_cast<uintptr_t>(kernel);
    }
    static unsigned slot_of(uint64_t key, unsigned attempt) noexcept {
        const auto first = static_cast<unsigned>(key * 0x9e3779b97f4a7c15u >> (64 - bits));
        return (first + attempt) % (1u << bits);
    }

    std::array<std::atomic<uint64_t>, size_t{1} << bits> slots{};
};

inline constinit prepared_kernels prepared;

// Before each launch of the kernel. `again`: even if it was prepared before.
template <class Problem>
[[nodiscard]] myblasStatus_t prepare(const kernel_entry<Problem>& kernel,
                                     const myblasContext& handle,
                                     bool again = false) noexcept {
    if (!kernel.prepare || (!again && prepared.contains(&kernel, handle.context)))
        return MYBLAS_STATUS_SUCCESS;
    if (const myblasStatus_t failure = kernel.prepare(handle.device))
        return failure;
    prepared.add(&kernel, handle.context);
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace myblas
