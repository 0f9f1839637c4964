// What becomes of a call: the settings, the devices, and the decision.
//
// MYBLAS_OFFLOAD   auto    (default) calls of level 3 that the model expects to be faster on the GPU go there,
//                          once there have been enough of them to be worth starting it
//                  always  whatever libmyblas can compute goes to it, on its host backend where there
//                          is no GPU: for experiments and tests
//                  never   everything is forwarded
// MYBLAS_DEVICES   how many GPUs a call may take (all that are visible, or this local rank's); stand-ins with `always`
// MYBLAS_DEVICE_MEMORY   bytes that a call may take on each GPU, with K, M or G (half of what is free, divided by
//                        the local ranks that share the GPU)
#pragma once

#include "blas/model.h"
#include "blas/operations.h"

#include <atomic>

namespace myblas::preload {

// How far entry points look at calls. `nothing`: they are forwarded at once. `large_products`: all but
// calls of level 3 with least_flops or more are. `everything`: also counted, or offered to the devices.
enum class attention : int { unread, nothing, large_products, everything };

extern std::atomic<attention> current_attention;
void read_attention() noexcept; // the settings, at the first call

// Products whose extents are all below this power of two deserve none: what entry points ask first.
extern "C" [[gnu::visibility("hidden")]] std::atomic<int64_t> least_attended_extent;

inline bool is_passed_over(routine r, int64_t m, int64_t n, int64_t k) noexcept {
    const attention a = current_attention.load(std::memory_order_relaxed);
    const double flops =
        2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    return a == attention::nothing ||
           (a == attention::large_products && (!can_gain(r) || flops < least_flops));
}

inline bool deserves_attention(routine r, int64_t m, int64_t n, int64_t k) noexcept {
    if (current_attention.load(std::memory_order_relaxed) == attention::unread)
        read_attention();
    return !is_passed_over(r, m, n, k);
}

// A call under attention: it marks the thread, so that calls which the program's BLAS or libmyblas makes
// on its way are forwarded at once; and it counts itself.
class attended_call {
public:
    attended_call(routine, const report::extents&) noexcept;
    attended_call(const attended_call&) = delete;
    attended_call& operator=(const attended_call&) = delete;

    bool is_nested() const { return is_nested_; }

    // Ends the attention, and counts the call; before its end where that may never come: an xerbla_ may leave by longjmp.
    void finish() noexcept;

    // Whether the call was computed. If not, it is the program's BLAS's.
    template <class Call>
    bool offer(const Call&, const origin&) noexcept;

private:
    bool refuse(const char* reason) noexcept {
        label_ = reason;
        return false;
    }

    const routine routine_;
    const report::extents extents_;
    const bool is_nested_;
    const char* label_ = "a call within another";
    bool is_finished_ = false;
    bool is_served_ = false;
    bool is_watched_ = false;      // the model learns from what it takes
    bool waits_for_start_ = false; // it counts towards starting the GPU
    product_size size_{};
    uint64_t begin_ns_ = 0;
};

// Computes a call for which the program has no function, by libmyblas on the host, or reports its wrong
// argument through the program's xerbla_. Ends the process, as the loader would, where there is no
// libmyblas either.
template <class Call>
void compute_on_host(const Call&, const origin&) noexcept;

} // namespace myblas::preload
