// A backend is a table of what handles need beyond kernels: devices, memory, streams, copies. There
// are two, and a build without CUDA has a cuda backend whose open() returns NOT_INITIALIZED.
#pragma once

#include "core/device.h"
#include "core/kernel_entry.h"
#include "myblas/myblas.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace myblas {

// A copy of `cols` columns of `column_bytes` each; pitches are the distances between columns.
struct matrix_copy {
    const void* source;
    size_t source_pitch_bytes;
    void* target;
    size_t target_pitch_bytes;
    size_t column_bytes;
    size_t cols;
    bool to_device;
};

// The capture that records a stream's work; no graph: none.
struct stream_capture {
    void* graph = nullptr;
    uint64_t id = 0; // no other capture of the process has it
};

struct backend_ops {
    myblasBackend_t id;

    // Describes the current device and makes it ready, or says in *reason why it cannot.
    myblasStatus_t (*open)(device_info* device, const char** reason) = nullptr;
    // NOT_INITIALIZED in a forked child whose parent had used the backend and that cannot use it;
    // else SUCCESS.
    myblasStatus_t (*check_process)() = nullptr;
    // Why a kernel's prepare(), which was the last call, failed: ARCH_MISMATCH, ALLOC_FAILED or
    // NOT_INITIALIZED. Null where no kernel has a prepare().
    myblasStatus_t (*explain_preparation)(const char** reason) = nullptr;
    // Makes the device `ordinal` current in the calling thread. If *was_current, it already was.
    // Otherwise leave_device(ordinal) must follow; what was current then is so again.
    myblasStatus_t (*enter_device)(int ordinal, bool* was_current) = nullptr;
    void (*leave_device)(int ordinal) = nullptr;

    // Memory may be allocated while a stream is being captured: it never becomes part of the graph.
    // The pointer is null for 0 bytes, and if there is no memory. release waits for the work that
    // uses the memory. zero is finished when it returns.
    myblasStatus_t (*allocate)(void** ptr, size_t bytes) = nullptr;
    myblasStatus_t (*release)(void* ptr) = nullptr;
    myblasStatus_t (*zero)(void* ptr, size_t bytes) = nullptr;

    // Allocation and release in stream order, so that nothing waits. The stream must not be
    // captured. release can free this memory too, once no work uses it. On a device without memory
    // pools stream_release returns NOT_SUPPORTED and frees nothing. Both are null if streams have
    // no order.
    myblasStatus_t (*stream_allocate)(void** ptr, size_t bytes, myblasStream_t stream) = nullptr;
    myblasStatus_t (*stream_release)(void* ptr, myblasStream_t stream) = nullptr;

    myblasStatus_t (*stream_create)(myblasStream_t* stream) = nullptr;
    myblasStatus_t (*stream_destroy)(myblasStream_t stream) = nullptr;
    myblasStatus_t (*stream_synchronize)(myblasStream_t stream) = nullptr;
    // INTERNAL_ERROR: the stream is being captured. EXECUTION_FAILED: that is unknown.
    myblasStatus_t (*require_no_capture)(myblasStream_t stream) = nullptr;

    // Not for the NULL stream, which cannot be captured. EXECUTION_FAILED: the capture is invalid,
    // and every launch would fail.
    myblasStatus_t (*find_capture)(myblasStream_t stream, stream_capture* capture) = nullptr;
    // watch_graph, context_id and is_context_gone are null if no stream can be captured.
    // Sets *is_over, in any thread, once the graph and all its instances are destroyed and their
    // work is done. False: the graph cannot be watched. *is_over is then set, too, perhaps later.
    bool (*watch_graph)(void* graph, std::atomic<bool>* is_over) = nullptr;
    // The number of the current context, which owns memory. No other context of the process ever
    // has this number.
    uint64_t (*context_id)() = nullptr;
    // Whether the context that owned memory of allocate() no longer exists, as after
    // cudaDeviceReset. False if this is unknown.
    bool (*is_context_gone)(uint64_t context, const void* memory) = nullptr;

    // Asynchronous on the stream if the backend is asynchronous.
    myblasStatus_t (*copy)(const matrix_copy&, myblasStream_t stream) = nullptr;
};

// The number of the current context; 0: there is none, or the number is unknown.
inline uint64_t current_context(const backend_ops& backend) {
    return backend.context_id ? backend.context_id() : 0;
}

const backend_ops& host_backend();
const backend_ops& cuda_backend();

} // namespace myblas
