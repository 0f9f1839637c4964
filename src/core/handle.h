// The state behind a myblasHandle_t.
#pragma once

#include "core/backend.h"
#include "core/device.h"
#include "core/kernel_entry.h"
#include "core/selection_cache.h"
#include "core/workspace.h"
#include "myblas/myblas.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace myblas {

struct workspace_block {
    void* memory = nullptr;
    size_t bytes = 0;
    std::unique_ptr<workspace_block> next;
};

// Device memory of one stream on which a handle works, outside of captures. Streams have their own, so that work of one
// handle on two streams never shares memory.
struct stream_resources {
    const void* stream = nullptr;               // whose they are: identity_of() in api/stream.cpp
    bool in_use = false;                        // by that stream; else kept for the next one
    bool was_used = false;                      // by a call on that stream
    uint64_t context = 0;                       // to which the memory belongs; 0: unknown
    unsigned* counters = nullptr;               // counter_count zeroes
    std::unique_ptr<workspace_block> workspace; // null until a call can use some
    // The most that the workspace may have: the handle's limit, or less where there was no memory for that much; at
    // least default_workspace_bytes. The workspace has no more, but in streams that are not the handle's now.
    size_t most_bytes = default_workspace_bytes;
    int calls_to_wait =
        0; // before memory is asked for again, when not even default_workspace_bytes were to be had
    std::unique_ptr<stream_resources> next;
    stream_resources* next_idle = nullptr; // of those that ended handles left (api/stream.cpp)
};

// What the caller forced for a routine: a kernel of the handle's backend by its index, a family, which is a run of
// them, or a name that the backend does not have (every call then answers NOT_SUPPORTED).
struct forced_kernel {
    static constexpr int none = -1;
    static constexpr int unknown = -2;
    int index = none; // of the first
    int count = 1;
};

} // namespace myblas

struct myblasContext {
    const myblas::backend_ops* backend = nullptr;
    myblas::device_info device;

    myblasStream_t stream = nullptr;
    myblasPointerMode_t pointer_mode = MYBLAS_POINTER_MODE_HOST;
    myblasMath_t math_mode = MYBLAS_FP32_STRICT_MATH;

    std::unique_ptr<myblas::stream_resources> streams; // a list of all that were made
    myblas::stream_resources* current = nullptr;       // those of `stream`
    size_t workspace_limit = 0;                        // of a stream, as the program set it
    // Blocks that are no stream's any more and could not be freed yet
    std::unique_ptr<myblas::workspace_block> outgrown;

    bool has_user_workspace = false;
    void* user_workspace = nullptr;
    size_t user_workspace_bytes = 0;

    // Device memory for a scalar result on its way to the host. One is enough: such calls wait.
    void* result = nullptr;

    std::array<myblas::forced_kernel, MYBLAS_ROUTINE_COUNT> forced;
    std::array<const char*, MYBLAS_ROUTINE_COUNT> last_kernel{};
    myblas::selection_cache sgemm_selections;
};
