// Device memory of captured calls. Calls of one handle that are captured on one stream in one
// capture run in sequence, and share counters and workspace. Nothing else uses this memory, because
// graphs may run at the same time as other graphs and as calls, and the launches of two handles may
// alternate.
//
// The memory is the process's, not a handle's: a graph may outlive the handle. When the graph and
// all its instances are destroyed, later captures use the memory again.
#pragma once

#include "core/backend.h"

#include <cstddef>

namespace myblas {

// The owner of the memory: calls of one place run in sequence.
struct capture_place {
    const void* handle;
    const void* stream; // identity_of() in stream.cpp
    stream_capture capture;
};

// counter_count zeroes; null if there is no memory. All three functions require the device to be
// current.
[[nodiscard]] unsigned* capture_counters(const backend_ops&, const capture_place&) noexcept;

// Finds a workspace of `wanted` bytes or more, at most `most`, and returns `wanted`. If there is no
// memory for it, returns a smaller size, which the caller requests instead.
[[nodiscard]] size_t capture_workspace(const backend_ops&,
                                       const capture_place&,
                                       size_t wanted,
                                       size_t most,
                                       void** workspace) noexcept;

// Frees the blocks of more than `most_bytes` that no graph uses, which waits for the device.
// Forgets the blocks of contexts that no longer exist.
void release_captures(const backend_ops&, size_t most_bytes) noexcept;

} // namespace myblas
