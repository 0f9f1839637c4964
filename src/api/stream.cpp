// Streams, and the resources that a handle keeps for each stream.
#include "api/capture_memory.h"
#include "api/context.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace myblas {
namespace {

// cudaStreamLegacy is 1, another name of the NULL stream; cudaStreamPerThread is 2, and names a
// different stream in each thread.
bool is_default_stream(myblasStream_t stream) { return reinterpret_cast<uintptr_t>(stream) <= 2; }
bool is_legacy(myblasStream_t stream) { return reinterpret_cast<uintptr_t>(stream) <= 1; }
bool is_per_thread(myblasStream_t stream) { return reinterpret_cast<uintptr_t>(stream) == 2; }

// An address for each stream, the same for all names of the stream. The runtime's own numbers are
// not available while a stream is being captured.
const void* identity_of(myblasStream_t stream) {
    static thread_local char per_thread = 0;
    if (is_per_thread(stream))
        return &per_thread;
    return is_default_stream(stream) ? nullptr : stream;
}

// The resources of a stream, by its identity; null if it has none.
stream_resources* find_resources(const myblasContext& handle, const void* stream) {
    for (stream_resources* r = handle.streams.get(); r; r = r->next.get()) {
        if (r->in_use && r->stream == stream)
            return r;
    }
    return nullptr;
}

// The largest workspace of a stream, if no allocation has failed.
size_t workspace_limit(const myblasContext& handle) {
    const bool can_grow = handle.backend->stream_allocate != nullptr;
    return std::max(default_workspace_bytes, can_grow ? handle.workspace_limit : 0);
}

// Frees a block that no work uses, in stream order if possible: after cudaFree the pool would still
// count the block as used.
myblasStatus_t release_block(const backend_ops& backend, const workspace_block& block) {
    myblasStream_t stream = nullptr;
    if (!backend.stream_release || backend.stream_create(&stream) != MYBLAS_STATUS_SUCCESS)
        return backend.release(block.memory);
    const myblasStatus_t status = backend.stream_release(block.memory, stream);
    backend.stream_synchronize(stream);
    backend.stream_destroy(stream);
    return status == MYBLAS_STATUS_SUCCESS ? status : backend.release(block.memory);
}

// Frees resources that no work uses. Returns the first failure.
myblasStatus_t release_resources(const backend_ops& backend, const stream_resources& r) {
    const myblasStatus_t counters = backend.release(r.counters);
    const myblasStatus_t workspace =
        r.workspace ? release_block(backend, *r.workspace) : MYBLAS_STATUS_SUCCESS;
    return counters != MYBLAS_STATUS_SUCCESS ? counters : workspace;
}

// ---- Resources that destroyed handles left ------------------------------------------------------

// A program that makes a handle for each object or each call reuses these resources: CUDA would
// take 0.2 ms to allocate, clear and free them. No work uses them.
constexpr int most_idle = 4; // of a context
constinit std::mutex idle_mutex;
constinit stream_resources* idle = nullptr; // a list by next_idle

// Idle resources of the context, preferably with a workspace; null: there are none.
std::unique_ptr<stream_resources> take_idle(uint64_t context) {
    const std::lock_guard lock(idle_mutex);
    stream_resources** found = nullptr;
    for (stream_resources** r = &idle; *r; r = &(*r)->next_idle)
        if ((*r)->context == context && (!found || (!(*found)->workspace && (*r)->workspace)))
            found = r;
    if (!found)
        return nullptr;
    std::unique_ptr<stream_resources> taken(*found);
    *found = taken->next_idle;
    taken->next_idle = nullptr;
    return taken;
}

// False: there are enough, and the caller still owns the resources. Forgets resources of contexts
// that no longer exist, whose memory went with them.
bool keep_idle(const backend_ops& backend, std::unique_ptr<stream_resources>& r) {
    const std::lock_guard lock(idle_mutex);
    int count = 0;
    for (stream_resources** at = &idle; stream_resources* const other = *at;) {
        if (other->context != r->context &&
            backend.is_context_gone(other->context, other->counters)) {
            *at = other->next_idle;
            delete other;
            continue;
        }
        count += other->context == r->context;
        at = &other->next_idle;
    }
    if (count >= most_idle)
        return false;
    r->stream = nullptr;
    r->in_use = r->was_used = false;
    r->next_idle = idle;
    idle = r.release();
    return true;
}

// ---- Resources of a handle ----------------------------------------------------------------------

void forget_refusals(const myblasContext& handle, stream_resources& r) {
    r.most_bytes = workspace_limit(handle);
    r.calls_to_wait = 0;
}

// If streams have no order, all work is done already.
myblasStatus_t
take_in_order(const backend_ops& backend, void** memory, size_t bytes, myblasStream_t stream) {
    return backend.stream_allocate ? backend.stream_allocate(memory, bytes, stream)
                                   : backend.allocate(memory, bytes);
}
myblasStatus_t release_in_order(const backend_ops& backend, void* memory, myblasStream_t stream) {
    return backend.stream_release ? backend.stream_release(memory, stream)
                                  : backend.release(memory);
}

// Frees the current stream's block in the order of that stream, or else keeps it as outgrown.
void drop_block(myblasContext& handle) {
    stream_resources& r = *handle.current;
    std::unique_ptr<workspace_block> block = std::move(r.workspace);
    if (!block)
        return;
    const backend_ops& backend = *handle.backend;
    // cudaStreamPerThread may now name another stream than the owner of these resources.
    const bool is_in_order = identity_of(handle.stream) == r.stream;
    if (is_in_order && backend.require_no_capture(handle.stream) == MYBLAS_STATUS_SUCCESS &&
        release_in_order(backend, block->memory, handle.stream) == MYBLAS_STATUS_SUCCESS)
        return;
    block->next = std::move(handle.outgrown);
    handle.outgrown = std::move(block);
}

// The limit may have been lowered.
bool exceeds_limit(const stream_resources& r) {
    return r.workspace && r.workspace->bytes > r.most_bytes;
}

// While the stream is being captured, its block stays until a later call.
void drop_excess(myblasContext& handle) {
    if (exceeds_limit(*handle.current) &&
        handle.backend->require_no_capture(handle.stream) == MYBLAS_STATUS_SUCCESS)
        drop_block(handle);
}

bool replace_block(myblasContext& handle, size_t bytes) {
    std::unique_ptr<workspace_block> larger(new (std::nothrow) workspace_block);
    if (!larger || take_in_order(*handle.backend, &larger->memory, bytes, handle.stream) !=
                       MYBLAS_STATUS_SUCCESS)
        return false;
    larger->bytes = bytes;
    drop_block(handle);
    handle.current->workspace = std::move(larger);
    return true;
}

myblasStatus_t make_resources(myblasContext& handle, stream_resources** made) {
    constexpr size_t counter_bytes = counter_count * sizeof(unsigned);
    const backend_ops& backend = *handle.backend;
    const uint64_t context = current_context(backend);
    std::unique_ptr<stream_resources> r = context ? take_idle(context) : nullptr;
    if (!r) {
        r.reset(new (std::nothrow) stream_resources);
        if (!r)
            return MYBLAS_STATUS_ALLOC_FAILED;
        void* counters = nullptr;
        if (backend.allocate(&counters, counter_bytes) != MYBLAS_STATUS_SUCCESS) {
            release_captures(backend, 0);
            if (const myblasStatus_t failure = backend.allocate(&counters, counter_bytes))
                return failure;
        }
        if (const myblasStatus_t failure = backend.zero(counters, counter_bytes)) {
            backend.release(counters);
            return failure;
        }
        r->counters = static_cast<unsigned*>(counters);
        r->context = context;
    }
    forget_refusals(handle, *r);
    r->next = std::move(handle.streams);
    handle.streams = std::move(r);
    *made = handle.streams.get();
    return MYBLAS_STATUS_SUCCESS;
}

// Resources that no stream uses, made if necessary. Resources that no call has used yet may change
// their stream: most handles get a stream before their first call.
myblasStatus_t find_unused(myblasContext& handle, stream_resources** found) {
    if (handle.current && !handle.current->was_used) {
        *found = handle.current;
        return MYBLAS_STATUS_SUCCESS;
    }
    for (stream_resources* r = handle.streams.get(); r; r = r->next.get()) {
        if (!r->in_use) {
            *found = r;
            return MYBLAS_STATUS_SUCCESS;
        }
    }
    return make_resources(handle, found);
}

} // namespace

bool release_idle(const backend_ops& backend) noexcept {
    const uint64_t context = current_context(backend);
    bool has_released = false;
    while (const std::unique_ptr<stream_resources> r = context ? take_idle(context) : nullptr) {
        (void)release_resources(backend, *r);
        has_released = true;
    }
    return has_released;
}

bool release_unused(const myblasContext& handle) noexcept {
    if (handle.backend->require_no_capture(handle.stream) != MYBLAS_STATUS_SUCCESS)
        return false;
    release_captures(*handle.backend, 0);
    (void)release_idle(*handle.backend);
    return true;
}

myblasStatus_t use_stream(myblasContext& handle, myblasStream_t stream) noexcept {
    if (stream != handle.stream || !handle.current || is_per_thread(stream)) {
        const void* const identity = identity_of(stream);
        stream_resources* found = find_resources(handle, identity);
        if (!found) {
            const device_guard guard(handle);
            if (const myblasStatus_t failure = guard.status())
                return failure;
            if (const myblasStatus_t failure = find_unused(handle, &found))
                return failure;
            found->stream = identity;
            found->in_use = true;
        }
        handle.stream = stream;
        handle.current = found;
        if (exceeds_limit(*found)) {
            const device_guard guard(handle);
            if (guard.status() == MYBLAS_STATUS_SUCCESS) // else later
                drop_excess(handle);
        }
    }
    handle.has_user_workspace = false;
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t find_capture(const myblasContext& handle, stream_capture* capture) noexcept {
    *capture = {};
    return is_legacy(handle.stream) ? MYBLAS_STATUS_SUCCESS
                                    : handle.backend->find_capture(handle.stream, capture);
}

unsigned* take_counters(const myblasContext& handle, const stream_capture& capture) noexcept {
    if (capture.graph)
        return capture_counters(*handle.backend, {&handle, identity_of(handle.stream), capture});
    handle.current->was_used = true;
    return handle.current->counters;
}

size_t take_workspace(myblasContext& handle,
                      const stream_capture& capture,
                      size_t wanted,
                      void** workspace) noexcept {
    stream_resources& r = *handle.current;
    if (capture.graph)
        return capture_workspace(*handle.backend,
                                 {&handle, identity_of(handle.stream), capture},
                                 wanted,
                                 r.most_bytes,
                                 workspace);
    r.was_used = true;
    drop_excess(handle);
    const size_t present = r.workspace ? r.workspace->bytes : 0;
    if (wanted > present) {
        if (r.calls_to_wait > 0) {
            --r.calls_to_wait;
            return present;
        }
        // The legacy default stream counts as captured while a stream that synchronises with it is
        // captured.
        if (handle.backend->require_no_capture(handle.stream) != MYBLAS_STATUS_SUCCESS)
            return present;
        const size_t generous = grown_workspace(wanted, present, r.most_bytes);
        const bool has_grown = replace_block(handle, generous) ||
                               (generous != wanted && replace_block(handle, wanted)) ||
                               (release_idle(*handle.backend) && replace_block(handle, wanted));
        if (!has_grown) {
            logger::write("no memory for a workspace of %zu bytes", wanted);
            // Later calls do not request this size again.
            const size_t less = std::max(present, less_workspace(wanted));
            r.most_bytes = std::max(less, default_workspace_bytes);
            if (wanted <= default_workspace_bytes)
                r.calls_to_wait = calls_between_refusals;
            return less;
        }
    }
    *workspace = r.workspace->memory;
    return wanted;
}

void limit_workspace(myblasContext& handle, size_t bytes) noexcept {
    handle.workspace_limit = bytes;
    for (stream_resources* r = handle.streams.get(); r; r = r->next.get())
        forget_refusals(handle, *r);
    drop_excess(handle);
    release_captures(*handle.backend, bytes);
    if (bytes < default_workspace_bytes)
        release_idle(*handle.backend);
}

myblasStatus_t release_streams(myblasContext& handle) noexcept {
    const backend_ops& backend = *handle.backend;
    if (handle.context != 0 && handle.context != current_context(backend) &&
        backend.is_context_gone(handle.context, handle.result))
        return MYBLAS_STATUS_SUCCESS; // with its memory
    myblasStatus_t first_failure = MYBLAS_STATUS_SUCCESS;
    const auto note = [&](myblasStatus_t status) {
        if (first_failure == MYBLAS_STATUS_SUCCESS)
            first_failure = status;
    };
    // This waits for all work on the device, as all steps below require.
    note(backend.release(handle.result));
    handle.result = nullptr;
    const uint64_t context = first_failure == MYBLAS_STATUS_SUCCESS ? current_context(backend) : 0;
    const size_t most_kept = std::min(handle.workspace_limit, default_workspace_bytes);
    handle.current = nullptr;
    while (std::unique_ptr<stream_resources> r = std::move(handle.streams)) {
        handle.streams = std::move(r->next);
        if (r->workspace && r->workspace->bytes > most_kept) {
            note(release_block(backend, *r->workspace));
            r->workspace.reset();
        }
        if (context == 0 || r->context != context || !keep_idle(backend, r))
            note(release_resources(backend, *r));
    }
    for (const workspace_block* b = handle.outgrown.get(); b; b = b->next.get())
        note(release_block(backend, *b));
    handle.outgrown.reset();
    release_captures(backend, 0);
    return first_failure;
}

} // namespace myblas

using namespace myblas;

extern "C" {

myblasStatus_t myblasSetStream(myblasHandle_t handle, myblasStream_t stream) {
    if (const myblasStatus_t failure = check_handle("myblasSetStream", handle))
        return failure;
    if (const myblasStatus_t failure = use_stream(*handle, stream))
        return refuse("myblasSetStream",
                      failure,
                      failure == MYBLAS_STATUS_ALLOC_FAILED ? "no memory for the stream"
                                                            : lost_device);
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasStreamCreate(myblasHandle_t handle, myblasStream_t* stream) {
    constexpr const char* function = "myblasStreamCreate";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (!stream)
        return refuse(function, "stream is NULL");
    const device_guard guard(*handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    myblasStream_t made;
    if (const myblasStatus_t failure = handle->backend->stream_create(&made))
        return refuse(function, failure, "no stream could be made");
    *stream = made;
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasStreamDestroy(myblasHandle_t handle, myblasStream_t stream) {
    constexpr const char* function = "myblasStreamDestroy";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (is_default_stream(stream))
        return refuse(function, "a default stream stays");
    const device_guard guard(*handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    const backend_ops& backend = *handle->backend;
    if (const myblasStatus_t failure = refuse_capture(function, *handle, stream))
        return failure;
    // Another stream may get the resources only when the work is done.
    if (const myblasStatus_t failure = backend.stream_synchronize(stream))
        return refuse(function, failure, "the stream's work failed");
    if (const myblasStatus_t failure = backend.stream_destroy(stream))
        return refuse(function, failure, "the stream could not be destroyed");
    stream_resources* const r = find_resources(*handle, identity_of(stream));
    if (r) {
        r->in_use = false;
        forget_refusals(*handle, *r);
        if (r->workspace) {
            (void)release_block(backend, *r->workspace);
            r->workspace.reset();
        }
    }
    if (stream == handle->stream) {
        // The NULL stream may have the resources of the destroyed one, so this cannot fail.
        handle->stream = nullptr;
        handle->current = find_resources(*handle, nullptr);
        if (!handle->current) {
            handle->current = r;
            r->stream = nullptr;
            r->in_use = true;
        }
        handle->has_user_workspace = false;
    }
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasStreamSynchronize(myblasHandle_t handle, myblasStream_t stream) {
    constexpr const char* function = "myblasStreamSynchronize";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    const device_guard guard(*handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    if (const myblasStatus_t failure = refuse_capture(function, *handle, stream))
        return failure;
    if (const myblasStatus_t failure = handle->backend->stream_synchronize(stream))
        return refuse(function, failure, "the stream's work failed");
    return MYBLAS_STATUS_SUCCESS;
}

} // extern "C"
