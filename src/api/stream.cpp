// Streams, and what a handle keeps for each of them.
#include "api/context.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace myblas {
namespace {

// cudaStreamLegacy is 1, another name of the NULL stream; cudaStreamPerThread is 2, and names a
// different stream in each thread.
bool is_default_stream(myblasStream_t stream) { return reinterpret_cast<uintptr_t>(stream) <= 2; }
bool is_per_thread(myblasStream_t stream) { return reinterpret_cast<uintptr_t>(stream) == 2; }

// An address for each stream, however many names it has. The runtime is not asked: its own numbers
// cannot be had while a stream is being captured.
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

// The most that a stream's workspace may have before any allocation has failed.
size_t workspace_limit(const myblasContext& handle) {
    const bool can_grow = handle.backend->stream_allocate != nullptr;
    return std::max(default_workspace_bytes, can_grow ? handle.workspace_limit : 0);
}

// Frees the current stream's block in the order of that stream, or else keeps it as outgrown.
void drop_block(myblasContext& handle) {
    stream_resources& r = *handle.current;
    std::unique_ptr<workspace_block> block = std::move(r.grown);
    if (!block)
        return;
    const backend_ops& backend = *handle.backend;
    // cudaStreamPerThread may name another stream now than the one whose resources these are.
    const bool is_in_order = identity_of(handle.stream) == r.stream;
    if (is_in_order && !block->is_in_graph && !backend.stream_is_capturing(handle.stream) &&
        backend.stream_release(block->memory, handle.stream) == MYBLAS_STATUS_SUCCESS)
        return;
    block->next = std::move(handle.outgrown);
    handle.outgrown = std::move(block);
}

// Frees what the current stream has beyond the limit, which may have been lowered.
void trim(myblasContext& handle) {
    const stream_resources& r = *handle.current;
    if (r.grown && r.grown->bytes > r.most_bytes)
        drop_block(handle);
}

bool replace_block(myblasContext& handle, size_t bytes) {
    std::unique_ptr<workspace_block> larger(new (std::nothrow) workspace_block);
    if (!larger || handle.backend->stream_allocate(&larger->memory, bytes, handle.stream) !=
                       MYBLAS_STATUS_SUCCESS)
        return false;
    larger->bytes = bytes;
    drop_block(handle);
    handle.current->grown = std::move(larger);
    return true;
}

myblasStatus_t make_resources(myblasContext& handle, stream_resources** made) {
    constexpr size_t counter_bytes = counter_count * sizeof(unsigned);
    const backend_ops& backend = *handle.backend;
    std::unique_ptr<stream_resources> r(new (std::nothrow) stream_resources);
    if (!r)
        return MYBLAS_STATUS_ALLOC_FAILED;
    void* counters = nullptr;
    myblasStatus_t status = backend.allocate(&r->workspace, default_workspace_bytes);
    if (status == MYBLAS_STATUS_SUCCESS)
        status = backend.allocate(&counters, counter_bytes);
    if (status == MYBLAS_STATUS_SUCCESS)
        status = backend.zero(counters, counter_bytes);
    if (status != MYBLAS_STATUS_SUCCESS) {
        backend.release(counters);
        backend.release(r->workspace);
        return status;
    }
    r->counters = static_cast<unsigned*>(counters);
    r->most_bytes = workspace_limit(handle);
    r->next = std::move(handle.streams);
    handle.streams = std::move(r);
    *made = handle.streams.get();
    return MYBLAS_STATUS_SUCCESS;
}

// Frees a block that no work uses, if it can in the order of a stream: after cudaFree its pool counts it as used.
myblasStatus_t release_block(const backend_ops& backend, const workspace_block& block) {
    myblasStream_t stream = nullptr;
    if (backend.stream_create(&stream) != MYBLAS_STATUS_SUCCESS)
        return backend.release(block.memory);
    const myblasStatus_t status = backend.stream_release(block.memory, stream);
    backend.stream_synchronize(stream);
    backend.stream_destroy(stream);
    return status == MYBLAS_STATUS_SUCCESS ? status : backend.release(block.memory);
}

// Resources that no stream uses, made if need be.
myblasStatus_t find_unused(myblasContext& handle, stream_resources** found) {
    for (stream_resources* r = handle.streams.get(); r; r = r->next.get()) {
        if (!r->in_use) {
            *found = r;
            return MYBLAS_STATUS_SUCCESS;
        }
    }
    return make_resources(handle, found);
}

} // namespace

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
        if (found->grown) {
            const device_guard guard(handle);
            trim(handle);
        }
    }
    handle.has_user_workspace = false;
    return MYBLAS_STATUS_SUCCESS;
}

size_t grow_workspace(myblasContext& handle, size_t wanted) noexcept {
    stream_resources& r = *handle.current;
    const size_t present = r.grown ? r.grown->bytes : default_workspace_bytes;
    if (handle.backend->stream_is_capturing(handle.stream)) {
        if (wanted > present)
            return present;
        r.grown->is_in_graph = true;
        return wanted;
    }
    if (wanted <= present)
        return wanted;
    const size_t generous = grown_workspace(wanted, present, r.most_bytes);
    if (replace_block(handle, generous) || (generous > wanted && replace_block(handle, wanted)))
        return wanted;
    // Not tried again, at every call, for as much.
    r.most_bytes = std::max(present, wanted / 2);
    logger::write("no memory for a workspace of %zu bytes", wanted);
    return r.most_bytes;
}

void limit_workspace(myblasContext& handle, size_t bytes) noexcept {
    handle.workspace_limit = bytes;
    for (stream_resources* r = handle.streams.get(); r; r = r->next.get())
        r->most_bytes = workspace_limit(handle);
    trim(handle);
}

myblasStatus_t release_streams(myblasContext& handle) noexcept {
    const backend_ops& backend = *handle.backend;
    myblasStatus_t first_failure = MYBLAS_STATUS_SUCCESS;
    const auto note = [&](myblasStatus_t status) {
        if (first_failure == MYBLAS_STATUS_SUCCESS)
            first_failure = status;
    };
    // This waits for all work on the device, which the blocks need.
    for (const stream_resources* r = handle.streams.get(); r; r = r->next.get()) {
        note(backend.release(r->workspace));
        note(backend.release(r->counters));
    }
    for (const stream_resources* r = handle.streams.get(); r; r = r->next.get())
        if (r->grown)
            note(release_block(backend, *r->grown));
    for (const workspace_block* b = handle.outgrown.get(); b; b = b->next.get())
        note(release_block(backend, *b));
    handle.outgrown.reset();
    handle.streams.reset();
    handle.current = nullptr;
    return first_failure;
}

} // namespace myblas

using namespace myblas;

extern "C" {

myblasStatus_t myblasSetStream(myblasHandle_t handle, myblasStream_t stream) {
    if (const myblasStatus_t failure = check_handle("myblasSetStream", handle))
        return failure;
    if (const myblasStatus_t failure = use_stream(*handle, stream))
        return refuse("myblasSetStream", failure, "no workspace for the stream");
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasGetStream(myblasHandle_t handle, myblasStream_t* stream) {
    if (const myblasStatus_t failure = check_handle("myblasGetStream", handle))
        return failure;
    if (!stream)
        return refuse("myblasGetStream", MYBLAS_STATUS_INVALID_VALUE, "stream is NULL");
    *stream = handle->stream;
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasStreamCreate(myblasHandle_t handle, myblasStream_t* stream) {
    constexpr const char* function = "myblasStreamCreate";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (!stream)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "stream is NULL");
    const device_guard guard(*handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    if (const myblasStatus_t failure = handle->backend->stream_create(stream))
        return refuse(function, failure, "no stream could be made");
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasStreamDestroy(myblasHandle_t handle, myblasStream_t stream) {
    constexpr const char* function = "myblasStreamDestroy";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (is_default_stream(stream))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "a default stream stays");
    const device_guard guard(*handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    const backend_ops& backend = *handle->backend;
    if (backend.stream_is_capturing(stream))
        return refuse(function, MYBLAS_STATUS_INTERNAL_ERROR, being_captured);
    // Only when its work is done may another stream have its resources.
    if (const myblasStatus_t failure = backend.stream_synchronize(stream))
        return refuse(function, failure, "the stream's work failed");
    if (const myblasStatus_t failure = backend.stream_destroy(stream))
        return refuse(function, failure, "the stream could not be destroyed");
    if (stream_resources* r = find_resources(*handle, identity_of(stream))) {
        r->in_use = false;
        r->most_bytes = workspace_limit(*handle);
        if (r->grown && !r->grown->is_in_graph) {
            (void)release_block(backend, *r->grown);
            r->grown.reset();
        }
    }
    // The NULL stream has had its resources since the handle was made, so this cannot fail.
    return stream == handle->stream ? use_stream(*handle, nullptr) : MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t myblasStreamSynchronize(myblasHandle_t handle, myblasStream_t stream) {
    constexpr const char* function = "myblasStreamSynchronize";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    const device_guard guard(*handle);
    if (const myblasStatus_t failure = guard.status())
        return refuse(function, failure, lost_device);
    if (handle->backend->stream_is_capturing(stream))
        return refuse(function, MYBLAS_STATUS_INTERNAL_ERROR, being_captured);
    if (const myblasStatus_t failure = handle->backend->stream_synchronize(stream))
        return refuse(function, failure, "the stream's work failed");
    return MYBLAS_STATUS_SUCCESS;
}

} // extern "C"
