// What is known about callers, by the page of their code: found without a lock, because the loader may
// hold its own one when it runs a constructor that makes a call.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

namespace myblas::preload {

template <class Value>
class caller_cache {
public:
    // The value for the caller, which is a return address, and a variant, a small number; fill(&value) finds it
    // out the first time. Few pages of a process make calls; beyond `probes` collisions a value is found
    // out each time.
    template <class Fill>
    const Value& of(const void* caller, unsigned variant, Fill&& fill) noexcept {
        const Value* value = known(caller, variant);
        return value ? *value : search(key_of(caller, variant), fill);
    }

    // The value, if it is in its first place; else null. For functions that must not take time.
    [[gnu::always_inline]] const Value* known(const void* caller, unsigned variant) const noexcept {
        const uintptr_t key = key_of(caller, variant);
        const place& first = places_[first_place_of(key)];
        return first.key.load(std::memory_order_acquire) == key ? &first.value : nullptr;
    }

private:
    static uintptr_t key_of(const void* caller, unsigned variant) noexcept {
        return (reinterpret_cast<uintptr_t>(caller) >> page_shift) * variants + variant;
    }
    // Variants of neighbouring pages lie apart.
    static uintptr_t first_place_of(uintptr_t key) noexcept {
        return (key / variants + key % variants * (place_count / variants)) % place_count;
    }

    template <class Fill>
    const Value& search(uintptr_t key, Fill&& fill) noexcept {
        for (uintptr_t probe = 0; probe < probes; ++probe) {
            place& p = places_[(first_place_of(key) + probe) % place_count];
            uintptr_t found = p.key.load(std::memory_order_acquire);
            if (found == key)
                return p.value;
            if (found == 0 && p.key.compare_exchange_strong(found, being_filled)) {
                fill(&p.value);
                p.key.store(key, std::memory_order_release);
                return p.value;
            }
        }
        static thread_local Value unplaced;
        unplaced = {};
        fill(&unplaced);
        return unplaced;
    }

    static constexpr int page_shift = 12;
    static constexpr uintptr_t variants = 16;
    static constexpr uintptr_t place_count = 256;
    static constexpr int probes = 16;
    static constexpr uintptr_t being_filled = 1; // no key: page 0 is never mapped

    // Aligned, so that its address takes no multiplication.
    static constexpr size_t value_bytes =
        sizeof(Value); // NOLINT(bugprone-sizeof-expression): of pointers, too
    struct alignas(std::bit_ceil(sizeof(uintptr_t) + value_bytes)) place {
        std::atomic<uintptr_t> key;
        Value value;
    };
    place places_[place_count] = {};
};

} // namespace myblas::preload
