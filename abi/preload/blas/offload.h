// Decides what happens to a call (offload_candidate::offer in offload.cpp): the settings, the
// devices, and the decision.
//
// MYBLAS_OFFLOAD
//   auto    (default) A call of level 3 goes to the GPU if the model expects the GPU to be faster,
//           once enough calls have been made that starting the GPU pays off.
//   always  Every call that libmyblas can compute goes to libmyblas. Without a GPU, the host
//           backend computes the call: for experiments and tests.
//   never   Every call is forwarded.
// MYBLAS_DEVICES
//   The number of GPUs that a call may take. The default is all visible GPUs, or the GPUs of this
//   local rank. With `always` and no GPU, the number of stand-ins (default 1).
// MYBLAS_DEVICE_MEMORY
//   The bytes that a call may take on each GPU, with K, M or G. The default is half of the free
//   memory, divided by the number of local ranks that share the GPU.
#pragma once

#include "blas/model.h"
#include "blas/operations.h"

#include <atomic>

namespace myblas::preload {

// Which calls the entry points examine. `nothing`: all calls are forwarded at once.
// `large_products`: calls of level 3 with least_flops or more are examined, all others are
// forwarded at once. `everything`: all calls are counted, or offered to the devices.
enum class offload_filter : int { unread, nothing, large_products, everything };

extern std::atomic<offload_filter> current_offload_filter;
void read_offload_filter() noexcept; // reads the settings, at the first call

// The filter rejects products whose extents are all below this power of two. Entry points check
// this first.
extern "C" [[gnu::visibility("hidden")]] std::atomic<int64_t> least_offload_extent;

inline bool is_passed_over(routine r, int64_t m, int64_t n, int64_t k) noexcept {
    const offload_filter a = current_offload_filter.load(std::memory_order_relaxed);
    const double flops =
        2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    return a == offload_filter::nothing ||
           (a == offload_filter::large_products && (!can_gain(r) || flops < least_flops));
}

inline bool passes_offload_filter(routine r, int64_t m, int64_t n, int64_t k) noexcept {
    if (current_offload_filter.load(std::memory_order_relaxed) == offload_filter::unread)
        read_offload_filter();
    return !is_passed_over(r, m, n, k);
}

// Whether this thread is in a candidate call whose object lies further up the stack than `place`.
// A call with a wrong argument counts only for another one of the same routine: `wrong_routine` is
// the routine of the call at `place` if an argument of it is wrong, or else -1.
bool is_within_call(const void* place, int wrong_routine) noexcept;
// The same for candidate calls of the BLAS preload library, if it stands in front of this library.
// Then they come from that library, by way of another one such as FlexiBLAS. found_blas.cpp or
// linked_blas.cpp defines it.
bool is_within_call_in_front(const void* place, int wrong_routine) noexcept;

// A candidate call. The object marks the thread, so that calls which the program's BLAS or
// libmyblas makes meanwhile are forwarded at once. The object also counts the call.
class offload_candidate {
public:
    // `is_wrong`: an argument of the call is wrong.
    offload_candidate(routine, const report::extents&, bool is_wrong) noexcept;
    offload_candidate(const offload_candidate&) = delete;
    offload_candidate& operator=(const offload_candidate&) = delete;

    bool is_nested() const { return is_nested_; }

    // Counts a call with a wrong argument before it is handed on: its xerbla_ may leave it by
    // longjmp.
    void count_wrong_call() noexcept;

    // Ends the candidate, and counts the call unless it is counted.
    void finish() noexcept;

    // Whether the call was computed. If not, the program's BLAS computes it.
    template <class Call>
    bool offer(const Call&, const origin&) noexcept;

private:
    void count() noexcept;
    bool refuse(const char* reason) noexcept {
        label_ = reason;
        return false;
    }

    const routine routine_;
    const report::extents extents_;
    const bool is_nested_;
    const char* label_ = "a call within another";
    bool is_counted_ = false;
    bool is_served_ = false;
    bool is_watched_ = false;      // the model learns from the call's time
    bool waits_for_start_ = false; // it counts towards starting the GPU
    int open_devices_ = 0;         // when the call began
    product_size size_{};
    uint64_t begin_ns_ = 0;
};

// Computes a call that the program has no function for, by libmyblas on the host, or reports its
// wrong argument through the program's xerbla_. If libmyblas is missing too, ends the process, as
// the loader would.
template <class Call>
void compute_on_host(const Call&, const origin&) noexcept;

} // namespace myblas::preload
