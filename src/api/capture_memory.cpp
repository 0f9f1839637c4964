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

// A place to which memory was given.
struct user {
    const void* stream;
    uint64_t capture;
    std::atomic<bool> is_over{
        false}; // set by any thread, after which none but this file's lists has the user
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

// Never freed as a whole: graphs may live until the process ends.
constinit std::mutex mutex; // of all that follows
constinit user* users = nullptr;
constinit block* blocks = nullptr;

// Takes what is_done(element) says out of a list, and deletes it.
template <class T, class Predicate>
void remove_if(T** list, Predicate&& is_done) {
    while (T* const element = *list) {
        if (is_done(*element)) {
            *list = element->next;
            delete element;
        } else {
            list = &element->next;
        }
    }
}

// Forgets the users whose graphs are gone.
void forget_users() {
    remove_if(&users, [](const user& u) {
        if (!u.is_over.load())
            return false;
        for (block* b = blocks; b; b = b->next)
            if (b->owner == &u)
                b->owner = nullptr;
        return true;
    });
}

// Null: no memory.
const user* find_user(const backend_ops& backend, const capture_place& place) {
    for (const user* u = users; u; u = u->next)
        if (u->stream == place.stream && u->capture == place.capture.id)
            return u;
    forget_users();
    user* const made =
        new (std::nothrow) user{.stream = place.stream, .capture = place.capture.id, .next = users};
    if (made) {
        users = made;
        backend.watch_graph(place.capture.graph, &made->is_over);
    }
    return made;
}

// The user's smallest block of at least so many bytes, or, if it has none, the smallest that nobody has. Null: there is none.
block* find_block(const user* owner, uint64_t context, bool has_counters, size_t least_bytes) {
    block *own = nullptr, *unused = nullptr;
    for (block* b = blocks; b; b = b->next) {
        if (b->context != context || b->has_counters != has_counters || b->bytes < least_bytes)
            continue;
        if (b->owner == owner && (!own || b->bytes < own->bytes))
            own = b;
        if (!b->owner && (!unused || b->bytes < unused->bytes))
            unused = b;
    }
    return own ? own : unused;
}

block* make_block(const backend_ops& backend, uint64_t context, bool has_counters, size_t bytes) {
    block* const made = new (std::nothrow) block{.memory = nullptr,
                                                 .bytes = bytes,
                                                 .has_counters = has_counters,
                                                 .context = context,
                                                 .owner = nullptr,
                                                 .next = blocks};
    if (!made)
        return nullptr;
    if (backend.allocate(&made->memory, bytes) != MYBLAS_STATUS_SUCCESS ||
        (has_counters && backend.zero(made->memory, bytes) != MYBLAS_STATUS_SUCCESS)) {
        if (made->memory)
            (void)backend.release(made->memory);
        delete made;
        return nullptr;
    }
    return blocks = made;
}

} // namespace

unsigned* capture_counters(const backend_ops& backend, const capture_place& place) noexcept {
    const std::lock_guard lock(mutex);
    const user* const owner = find_user(backend, place);
    if (!owner)
        return nullptr;
    const uint64_t context = backend.context_id();
    block* found = find_block(owner, context, true, counter_bytes);
    if (!found)
        found = make_block(backend, context, true, counter_bytes);
    if (!found)
        return nullptr;
    found->owner = owner;
    return static_cast<unsigned*>(found->memory);
}

size_t capture_workspace(const backend_ops& backend,
                         const capture_place& place,
                         size_t wanted,
                         size_t most,
                         void** workspace) noexcept {
    const std::lock_guard lock(mutex);
    const user* const owner = find_user(backend, place);
    if (!owner)
        return 0;
    const uint64_t context = backend.context_id();
    block* found = find_block(owner, context, false, wanted);
    // Few different sizes, so that blocks fit later graphs.
    if (!found)
        found = make_block(backend, context, false, std::min(std::bit_ceil(wanted), most));
    if (!found)
        found = make_block(backend, context, false, wanted);
    if (found) {
        found->owner = owner;
        *workspace = found->memory;
        return wanted;
    }
    size_t present = 0;
    for (const block* b = blocks; b; b = b->next)
        if (b->context == context && !b->has_counters && (!b->owner || b->owner == owner))
            present = std::max(present, b->bytes);
    return std::max(present, less_workspace(wanted));
}

void release_captures(const backend_ops& backend, size_t most_bytes) noexcept {
    if (!backend.watch_graph)
        return;
    const std::lock_guard lock(mutex);
    forget_users();
    const uint64_t context = backend.context_id();
    remove_if(&blocks, [&](const block& b) {
        if (b.owner || b.context != context || b.bytes <= most_bytes)
            return false;
        (void)backend.release(b.memory);
        return true;
    });
}

} // namespace myblas
