// Device memory of captured calls. Calls of one handle that are captured on one stream in one capture run one after the
// other, and share counters and workspace. Nothing else uses these, as graphs may run at the same time as each other and as
// calls, and the launches of two handles may alternate.
//
// The memory is the process's, not a handle's: a graph may outlive the handle. When the graph and all that was
// instantiated from it are gone, later captures use the memory again.
#pragma once

#include "core/backend.h"

#include <cstddef>

namespace myblas {

// In whose order the calls run.
struct capture_place {
    const void* handle;
    const void* stream; // identity_of() in stream.cpp
    stream_capture capture;
};

// counter_count zeroes; null if there is no memory. The device is current, in all three functions.
[[nodiscard]] unsigned* capture_counters(const backend_ops&, const capture_place&) noexcept;

// A workspace of `wanted` bytes or more, at most `most`, and the answer is `wanted`. If there is no memory for that much:
// how many bytes to want instead.
[[nodiscard]] size_t capture_workspace(const backend_ops&,
                                       const capture_place&,
                                       size_t wanted,
                                       size_t most,
                                       void** workspace) noexcept;

// Frees the blocks of more than `most_bytes` that no graph uses, which waits for the device.
void release_captures(const backend_ops&, size_t most_bytes) noexcept;

} // namespace myblas
