// Known facts about callers, found by the page of their code. If the page is not in the table, the
// facts are found by the file that is mapped there. Look-ups take no lock, because the loader may
// hold its lock while it runs a constructor that makes a call.
#pragma once

#include "common/mapped.h"

#include <atomic>
#include <cstdint>

namespace myblas::preload {

template <class Value>
class caller_cache {
public:
    // The value for the caller, which is a return address, and a variant, which is a small number.
    // At the first call from the caller's file, fill(&value) determines the value. A library like
    // LAPACK calls from thousands of pages. A page that finds no place looks for its file at each
    // call. A file that finds no place is filled in at each call.
    template <class Fill>
    const Value& of(const void* caller, unsigned variant, Fill&& fill) noexcept {
        const Value* value = known(caller, variant);
        return value ? *value : search(caller, variant, fill);
    }

    // The value, if it is in its first place; else null. For functions that must be fast.
    [[gnu::always_inline]] const Value* known(const void* caller, unsigned variant) const noexcept {
        const uintptr_t key = key_of(page_of(caller), variant);
        const page& first = pages_[first_place_of(key)];
        return first.key.load(std::memory_order_acquire) == key ? first.value : nullptr;
    }

private:
    static uintptr_t page_of(const void* caller) noexcept {
        return reinterpret_cast<uintptr_t>(caller) >> page_shift;
    }
    static uintptr_t key_of(uintptr_t where, unsigned variant) noexcept {
        return where * variants + variant;
    }
    // Variants of neighbouring pages lie apart.
    static uintptr_t first_place_of(uintptr_t key) noexcept {
        return (key / variants + key % variants * (page_count / variants)) % page_count;
    }

    template <class Fill>
    const Value& search(const void* caller, unsigned variant, Fill&& fill) noexcept {
        const uintptr_t key = key_of(page_of(caller), variant);
        page* own = nullptr;
        for (uintptr_t probe = 0; probe < probes && !own; ++probe) {
            page& p = pages_[(first_place_of(key) + probe) % page_count];
            uintptr_t found = p.key.load(std::memory_order_acquire);
            if (found == key)
                return *p.value;
            if (found == 0 && p.key.compare_exchange_strong(found, being_filled))
                own = &p;
        }
        const Value* const value = value_of_file(caller, variant, fill);
        if (own) {
            own->value = value;
            own->key.store(value ? key : 0, std::memory_order_release);
        }
        if (value)
            return *value;
        static thread_local Value unplaced;
        unplaced = {};
        fill(&unplaced);
        return unplaced;
    }

    // Null if no place is free. Two threads that make the first call may fill in a place each.
    template <class Fill>
    const Value* value_of_file(const void* caller, unsigned variant, Fill&& fill) noexcept {
        // Code outside all files is identified by its address.
        const void* const mapped = mapped_file(caller);
        const uintptr_t key =
            key_of(mapped ? reinterpret_cast<uintptr_t>(mapped) : page_of(caller), variant);
        for (file& f : files_) {
            uintptr_t found = f.key.load(std::memory_order_acquire);
            if (found == key)
                return &f.value;
            if (found == 0 && f.key.compare_exchange_strong(found, being_filled)) {
                fill(&f.value);
                f.key.store(key, std::memory_order_release);
                return &f.value;
            }
        }
        return nullptr;
    }

    static constexpr int page_shift = 12;
    static constexpr uintptr_t variants = 16;
    static constexpr uintptr_t page_count = 4096;
    static constexpr int file_count = 128;
    static constexpr int probes = 16;
    static constexpr uintptr_t being_filled = 1; // never a key: page 0 is not mapped

    struct page {
        std::atomic<uintptr_t> key;
        const Value* value;
    };
    struct file {
        std::atomic<uintptr_t> key;
        Value value;
    };
    page pages_[page_count] = {};
    file files_[file_count] = {};
};

} // namespace myblas::preload
