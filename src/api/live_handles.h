// The handles that exist. A call with a destroyed handle, or with any other pointer, is refused
// without dereferencing the pointer. A new handle may get the address of a destroyed one; the old
// pointer then means the new handle.
//
// A hash table with open addressing. Each addition or removal is one atomic operation, and nobody
// waits, so that a fork at any time leaves the child a consistent table.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

struct myblasContext;

namespace myblas {

class handle_table {
public:
    // Handles at one time. The table is zeroed static memory; only pages with handles take physical
    // memory.
    static constexpr size_t capacity = size_t{1} << 16;

    bool contains(const myblasContext* handle) const noexcept {
        return find(reinterpret_cast<uintptr_t>(handle)) != capacity;
    }

    // False if it is full.
    bool add(const myblasContext* handle) noexcept {
        const auto added = reinterpret_cast<uintptr_t>(handle);
        for (size_t i = 0; i < capacity; ++i) {
            std::atomic<uintptr_t>& slot = slots[place(added, i)];
            uintptr_t seen = slot.load(std::memory_order_relaxed);
            while (seen == empty || seen == removed)
                if (slot.compare_exchange_weak(seen, added, std::memory_order_relaxed))
                    return true;
        }
        return false;
    }

    // False if the handle is not there: if several threads remove a handle, one succeeds.
    bool remove(const myblasContext* handle) noexcept {
        auto seen = reinterpret_cast<uintptr_t>(handle);
        const size_t at = find(seen);
        return at != capacity &&
               slots[at].compare_exchange_strong(seen, removed, std::memory_order_relaxed);
    }

private:
    static constexpr uintptr_t empty = 0, removed = 1; // of slots; no handle has these addresses

    static size_t place(uintptr_t handle, size_t probe) {
        constexpr uint64_t odd = 0x9e3779b97f4a7c15u; // spreads addresses over the upper bits
        return ((handle * odd >> 48) + probe) % capacity;
    }

    // The slot of a handle; `capacity`: none. No slot between a handle's first probe and its slot
    // is ever empty.
    size_t find(uintptr_t handle) const noexcept {
        for (size_t i = 0; i < capacity && handle > removed; ++i) {
            const size_t at = place(handle, i);
            const uintptr_t seen = slots[at].load(std::memory_order_relaxed);
            if (seen == handle)
                return at;
            if (seen == empty)
                break;
        }
        return capacity;
    }

    std::array<std::atomic<uintptr_t>, capacity> slots{};
};

inline constinit handle_table live_handles;

inline bool is_live(const myblasContext* handle) noexcept { return live_handles.contains(handle); }

// The fault of a pointer that is not a live handle.
inline const char* not_a_handle(const myblasContext* handle) noexcept {
    return handle ? "the handle was destroyed, or never created" : "the handle is NULL";
}

} // namespace myblas
