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

// Device memory for a handle's work on one stream, outside of captures. Each stream has its own
// memory, so that work of one handle on two streams never shares memory.
struct stream_resources {
    const void* stream = nullptr;               // the owner: identity_of() in api/stream.cpp
    bool in_use = false;                        // by that stream; else kept for the next stream
    bool was_used = false;                      // by a call on that stream
    uint64_t context = 0;                       // that owns the memory; 0: unknown
    unsigned* counters = nullptr;               // counter_count zeroes
    std::unique_ptr<workspace_block> workspace; // null until a call can use some
    // The largest workspace: the handle's limit, or less after a failed allocation; at least
    // default_workspace_bytes. Only on streams other than the handle's present one may the
    // workspace be larger.
    size_t most_bytes = default_workspace_bytes;
    int calls_to_wait =
        0; // calls to skip before a failed allocation of default_workspace_bytes is tried again
    std::unique_ptr<stream_resources> next;
    stream_resources* next_idle = nullptr; // in the list of idle resources (api/stream.cpp)
};

// The forced kernels of a routine: one kernel of the handle's backend, by its index, or a family,
// which is a run of kernels. If the backend lacks the name, every call returns NOT_SUPPORTED.
struct forced_kernel {
    static constexpr int none = -1;
    static constexpr int unknown = -2;
    int index = none; // of the first kernel
    int count = 1;
};

} // namespace myblas

struct myblasContext {
    const myblas::backend_ops* backend = nullptr;
    myblas::device_info device; // its sm_count: the multiprocessors that calls plan for
    int all_sms = 0;            // of the device
    int usual_sms = 0;          // that calls plan for without a target
    int sm_count_target = 0;    // as it was set; 0: none
    uint64_t context = 0;       // that owns the memory; 0: unknown

    myblasStream_t stream = nullptr;
    myblasPointerMode_t pointer_mode = MYBLAS_POINTER_MODE_HOST;
    myblasMath_t math_mode = MYBLAS_FP32_STRICT_MATH;

    std::unique_ptr<myblas::stream_resources> streams; // a list of all
    myblas::stream_resources* current = nullptr;       // the resources of `stream`
    size_t workspace_limit = 0;                        // for each stream, as the program set it
    // Blocks that no stream owns any more and that could not be freed yet
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
