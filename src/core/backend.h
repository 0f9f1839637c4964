// A backend is a table of what handles need beyond kernels: devices, memory, streams, copies.
// There are two, and a build without CUDA has a cuda backend that answers NOT_INITIALIZED to open().
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

// The capture that a stream's work becomes part of; without a graph: none.
struct stream_capture {
    void* graph = nullptr;
    uint64_t id = 0; // no other capture of the process has it
};

struct backend_ops {
    myblasBackend_t id;

    // Describes the current device and makes it ready, or says in *reason why it cannot.
    myblasStatus_t (*open)(device_info* device, const char** reason);
    // NOT_INITIALIZED in a child of a process that used the backend and may not go on; else SUCCESS.
    myblasStatus_t (*check_process)();
    // Makes `ordinal` current and tells what was; callers restore it with the same function.
    myblasStatus_t (*exchange_device)(int ordinal, int* previous);

    // Memory may be asked for while a stream is being captured: it never becomes part of the graph.
    // 0 bytes are a null pointer, and so is memory that there was none of. release waits for the
    // work that uses memory from allocate; zero has zeroed it when it returns.
    myblasStatus_t (*allocate)(void** ptr, size_t bytes);
    myblasStatus_t (*release)(void* ptr);
    myblasStatus_t (*zero)(void* ptr, size_t bytes);

    // Memory that is taken and given back in the order of a stream, which must not be captured: nothing
    // waits. release frees it too, once no work uses it. stream_release answers NOT_SUPPORTED, and
    // leaves the memory, on a device without memory pools. Null where streams have no order.
    myblasStatus_t (*stream_allocate)(void** ptr, size_t bytes, myblasStream_t stream);
    myblasStatus_t (*stream_release)(void* ptr, myblasStream_t stream);

    myblasStatus_t (*stream_create)(myblasStream_t* stream);
    myblasStatus_t (*stream_destroy)(myblasStream_t stream);
    myblasStatus_t (*stream_synchronize)(myblasStream_t stream);
    bool (*stream_is_capturing)(myblasStream_t stream);

    // Not of the NULL stream, which cannot be captured. EXECUTION_FAILED: the capture is invalid, as every launch
    // would be.
    myblasStatus_t (*find_capture)(myblasStream_t stream, stream_capture* capture);
    // These two are null where no stream can be captured.
    // Sets *is_over, in any thread, once the graph and all that was made of it are gone and their work is done; never,
    // if the graph cannot be watched.
    void (*watch_graph)(void* graph, std::atomic<bool>* is_over);
    // The number of the current context, to which memory belongs. No other context of the process ever has it.
    uint64_t (*context_id)();

    // Asynchronous on the stream where the backend is.
    myblasStatus_t (*copy)(const matrix_copy&, myblasStream_t stream);
};

const backend_ops& host_backend();
const backend_ops& cuda_backend();

} // namespace myblas
