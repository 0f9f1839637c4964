#include "api/capture_memory.h"

#include "core/kernel_entry.h"
#include "core/workspace.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <new>

namespace myblas {
namespace {

constexpr size_t counter_bytes = counter_count * sizeof(unsigned);

// A place that owns memory.
struct user {
    const void* handle;
    const void* stream;
    uint64_t capture;
    bool is_watched = false; // else no call may use it
    std::atomic<bool> is_over{
        false}; // set by any thread; from then on only this file's lists refer to the user
    user* next;
};

struct block {
    void* memory;
    size_t bytes;
    bool has_counters; // which are zero
    uint64_t context;
    const user* owner; // null: none
    block* next;
};

// The lists are never destroyed: graphs may live until the process ends. The lock protects only the
// lists, and is not held while memory is allocated or freed, which may wait for a device.
constinit std::mutex mutex; // guards the lists below
constinit user* users = nullptr;
constinit block* blocks = nullptr;

// Moves the elements with is_wanted(element) from one list to another.
template <class T, class Predicate>
void move_if(T** from, T** to, Predicate&& is_wanted) {
    while (T* const element = *from) {
        if (is_wanted(*element)) {
            *from = element->next;
            element->next = *to;
            *to = element;
        } else {
            from = &element->next;
        }
    }
}

void delete_all(block* list) {
    while (block* const b = list) {
        list = b->next;
        delete b;
    }
}

// Forgets the users whose graphs are gone. Under the lock.
void forget_users() {
    user* gone = nullptr;
    move_if(&users, &gone, [](const user& u) { return u.is_over.load(); });
    while (user* const u = gone) {
        for (block* b = blocks; b; b = b->next)
            if (b->owner == u)
                b->owner = nullptr;
        gone = u->next;
        delete u;
    }
}

// Null: no memory, or the graph cannot be watched.
const user* find_user(const backend_ops& backend, const capture_place& place) {
    user* made = nullptr;
    {
        const std::lock_guard lock(mutex);
        for (const user* u = users; u; u = u->next)
            if (u->handle == place.handle && u->stream == place.stream &&
                u->capture == place.capture.id && u->is_watched)
                return u;
        forget_users();
        made = new (std::nothrow) user{.handle = place.handle,
                                       .stream = place.stream,
                                       .capture = place.capture.id,
                                       .next = users};
        if (!made)
            return nullptr;
        users = made;
    }
    // The watch tells when the graph is gone, and the memory may be used again.
    if (!backend.watch_graph(place.capture.graph, &made->is_over))
        return nullptr;
    made->is_watched = true;
    return made;
}

// The blocks that suit a caller.
struct request {
    const user* owner;
    uint64_t context;
    bool has_counters;

    bool fits(const block& b) const {
        return b.context == context && b.has_counters == has_counters &&
               (!b.owner || b.owner == owner);
    }
};

// The user's smallest block of at least least_bytes. If the user has none, the smallest block
// without an owner of least_bytes to most_bytes, which the user owns from now on. Null: there is no
// such block.
void* find_memory(const request& r, size_t least_bytes, size_t most_bytes) {
    const std::lock_guard lock(mutex);
    const auto is_better = [&](const block& b, const block* than) {
        if (!than || (b.owner != nullptr) != (than->owner != nullptr))
            return !than || b.owner != nullptr;
        return b.bytes < than->bytes;
    };
    block* found = nullptr;
    for (block* b = blocks; b; b = b->next)
        if (r.fits(*b) && b->bytes >= least_bytes && (b->owner || b->bytes <= most_bytes) &&
            is_better(*b, found))
            found = b;
    if (!found)
        return nullptr;
    found->owner = r.owner;
    return found->memory;
}

// The size of the largest block below `limit` that find_memory() finds.
size_t present_bytes(const request& r, size_t limit) {
    const std::lock_guard lock(mutex);
    size_t most = 0;
    for (const block* b = blocks; b; b = b->next)
        if (r.fits(*b) && b->bytes < limit)
            most = std::max(most, b->bytes);
    return most;
}

void* make_memory(const backend_ops& backend, const request& r, size_t bytes) {
    void* memory = nullptr;
    if (backend.allocate(&memory, bytes) != MYBLAS_STATUS_SUCCESS)
        return nullptr;
    block* made = nullptr;
    if (!r.has_counters || backend.zero(memory, bytes) == MYBLAS_STATUS_SUCCESS)
        made = new (std::nothrow) block{.memory = memory,
                                        .bytes = bytes,
                                        .has_counters = r.has_counters,
                                        .context = r.context,
                                        .owner = r.owner,
                                        .next = nullptr};
    if (!made) {
        (void)backend.release(memory);
        return nullptr;
    }
    const std::lock_guard lock(mutex);
    made->next = blocks;
    blocks = made;
    return memory;
}

} // namespace

unsigned* capture_counters(const backend_ops& backend, const capture_place& place) noexcept {
    const request wanted{find_user(backend, place), backend.context_id(), true};
    if (!wanted.owner)
        return nullptr;
    void* memory = find_memory(wanted, counter_bytes, counter_bytes);
    if (!memory)
        memory = make_memory(backend, wanted, counter_bytes);
    if (!memory) {
        release_captures(backend, 0);
        memory = make_memory(backend, wanted, counter_bytes);
    }
    return static_cast<unsigned*>(memory);
}

size_t capture_workspace(const backend_ops& backend,
                         const capture_place& place,
                         size_t wanted,
                         size_t most,
                         void** workspace) noexcept {
    const request from{find_user(backend, place), backend.context_id(), false};
    if (!from.owner)
        return 0;
    // Powers of 2, so that blocks fit later graphs.
    const size_t rounded = std::min(std::bit_ceil(wanted), most);
    void* memory = find_memory(from, wanted, rounded);
    if (!memory)
        memory = make_memory(backend, from, rounded);
    if (!memory)
        memory = make_memory(backend, from, wanted);
    if (!memory)
        memory = find_memory(from, wanted, most);
    if (!memory) {
        release_captures(backend, 0);
        memory = make_memory(backend, from, wanted);
    }
    if (!memory)
        return std::max(present_bytes(from, wanted), less_workspace(wanted));
    *workspace = memory;
    return wanted;
}

void release_captures(const backend_ops& backend, size_t most_bytes) noexcept {
    if (!backend.watch_graph)
        return;
    block *released = nullptr, *lost = nullptr;
    const uint64_t context = backend.context_id();
    {
        const std::lock_guard lock(mutex);
        forget_users();
        move_if(&blocks, &released, [&](const block& b) {
            return !b.owner && b.context == context && b.bytes > most_bytes;
        });
        move_if(&blocks, &lost, [&](const block& b) {
            return b.context != context && backend.is_context_gone(b.context, b.memory);
        });
    }
    for (const block* b = released; b; b = b->next)
        (void)backend.release(b->memory);
    delete_all(released);
    delete_all(lost);
}

} // namespace myblas
