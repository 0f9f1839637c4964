// Prepares kernels when they are first used in a context: the runtime then loads their code, which
// takes up to milliseconds.
#pragma once

#include "core/backend.h"
#include "core/handle.h"
#include "core/kernel_entry.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace myblas {

// The kernels that are prepared, each with its context. Threads may prepare the same kernel at the
// same time. When there is no room left, as after many contexts, all are forgotten, and prepared
// again when they are next used.
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
        for (auto& slot : slots)
            slot.store(0);
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

// Why not, if the status is not SUCCESS: ARCH_MISMATCH, ALLOC_FAILED or NOT_INITIALIZED.
template <class Problem>
[[nodiscard]] myblasStatus_t prepare_now(const kernel_entry<Problem>& kernel,
                                         const myblasContext& handle,
                                         const char** reason) noexcept {
    if (kernel.prepare(handle.device) != MYBLAS_STATUS_SUCCESS)
        return handle.backend->explain_preparation(reason);
    // The program may have made another context of the device current.
    if (current_context(*handle.backend) == handle.context)
        prepared.add(&kernel, handle.context);
    return MYBLAS_STATUS_SUCCESS;
}

// Before each launch of the kernel. ALLOC_FAILED or EXECUTION_FAILED, and why.
template <class Problem>
[[nodiscard]] myblasStatus_t prepare(const kernel_entry<Problem>& kernel,
                                     const myblasContext& handle,
                                     const char** reason) noexcept {
    if (!kernel.prepare || prepared.contains(&kernel, handle.context))
        return MYBLAS_STATUS_SUCCESS;
    const myblasStatus_t status = prepare_now(kernel, handle, reason);
    return status == MYBLAS_STATUS_SUCCESS || status == MYBLAS_STATUS_ALLOC_FAILED
               ? status
               : MYBLAS_STATUS_EXECUTION_FAILED;
}

} // namespace myblas
