// Counts how often each of a number of different things has happened. Threads count without a lock,
// in memory that another process may read at any time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace myblas::preload {

// All bytes zero: an empty table.
template <class Key, size_t capacity>
struct count_table {
    struct entry {
        enum state : int { empty, being_written, ready };
        std::atomic<int> state;
        std::atomic<uint64_t> count, elapsed_ns;
        Key key;
    };
    entry entries[capacity];
    std::atomic<uint64_t> left_out; // number of additions that found no place

    // `thing` is comparable with a Key, and can be assigned to one.
    template <class Thing>
    void add(const Thing& thing, uint64_t hash, uint64_t elapsed_ns) noexcept {
        entry* const e = find(thing, hash);
        if (e)
            e->elapsed_ns.fetch_add(elapsed_ns, std::memory_order_relaxed);
        (e ? e->count : left_out).fetch_add(1, std::memory_order_release);
    }

    // Calls visit(entry) for each entry that has a key.
    template <class Visit>
    void for_each(Visit&& visit) noexcept {
        for (entry& e : entries)
            if (e.state.load(std::memory_order_acquire) == entry::ready)
                visit(e);
    }

private:
    // Null: no place is free. No thread waits: an entry that another thread is writing is skipped.
    // As a result a key may have two entries, and a reader adds up both.
    template <class Thing>
    entry* find(const Thing& thing, uint64_t hash) noexcept {
        for (uint64_t i = 0; i < capacity; ++i) {
            entry& e = entries[(hash + i) % capacity];
            int found = e.state.load(std::memory_order_acquire);
            if (found == entry::empty &&
                e.state.compare_exchange_strong(
                    found, entry::being_written, std::memory_order_acquire)) {
                e.key = thing;
                e.state.store(entry::ready, std::memory_order_release);
                return &e;
            }
            if (found == entry::ready && e.key == thing)
                return &e;
        }
        return nullptr;
    }
};

// The hash of a list of integers.
inline uint64_t hash_of(std::initializer_list<int64_t> values) noexcept {
    uint64_t h = 0;
    for (const int64_t value : values) {
        h = (h ^ static_cast<uint64_t>(value)) * 0x9e3779b97f4a7c15u; // 2^64 by the golden ratio
        h ^= h >> 32;
    }
    return h;
}

} // namespace myblas::preload
