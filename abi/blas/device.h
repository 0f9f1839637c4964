// One device as staging sees it: a handle of libmyblas, three streams, memory for tiles, and a ring of
// pinned buffers through which all copies go.
//
// Where there is no GPU (MYBLAS_OFFLOAD=always), the host backend of libmyblas stands in: the same calls
// on ordinary memory, in order, without events.
#pragma once

#include "blas/copy_team.h"
#include "blas/driver.h"
#include "common/library.h"
#include "common/reasons.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace myblas::preload {

// A matrix in device memory.
struct device_matrix {
    float* data;
    int64_t ld;
};

class device {
public:
    // The number of the GPU, or `stand_in`, and how many processes share its memory. Nothing is asked of
    // CUDA yet: a context takes a seventh of a second, and its driver makes one at a time. Null: there is
    // no memory.
    static constexpr int stand_in = -1;
    static device* make(int ordinal, int sharers) noexcept;

    // Makes the device usable. Null, or why it cannot be used.
    const char* open() noexcept;

    // Does so in a thread of its own. Until it is open, no lease is held.
    void open_in_background() noexcept;
    // At the end of the process, before the driver's own: it must not go while it makes a context.
    void join_opener() noexcept;

    // Of a call that failed: null if nothing more is known.
    const char* why_failed(myblasRoutine_t r) const noexcept {
        return is_open() ? missing_.reason(r) : nullptr;
    }

    // From now on a lease waits for the one before it.
    void let_calls_queue() noexcept { calls_queue_ = true; }

    // While it lives, the device is open and current in this thread, and its mutex is held. A device that
    // is not open yet is opened in the background, and not held.
    class lease {
    public:
        // So many helpers copy for the device meanwhile.
        lease(device&, int helpers) noexcept;
        ~lease();
        lease(const lease&) = delete;
        lease& operator=(const lease&) = delete;
        bool is_held() const { return is_held_; }

    private:
        device& device_;
        bool is_held_ = false;
    };

    // Of the math modes the one with the slowest arithmetic.
    bool is_strict() const { return is_strict_; }

    // Bytes of memory for tiles that one call may take, at most what MYBLAS_DEVICE_MEMORY says; until
    // the device is open, no limit.
    size_t memory_limit() const { return limit_.load(std::memory_order_relaxed); }
    // At least so much memory, aligned to 256 bytes; what was there before is lost. Null: there is none.
    void* reserve(size_t bytes) noexcept;

    // Events order the streams, and the host behind them. Each use of an event replaces the last one.
    enum stream : int { uploads, compute, downloads };
    static constexpr int event_count = 64;
    bool record(int event, stream) noexcept;
    bool wait(stream, int event) noexcept; // for what was recorded last; nothing recorded: no wait

    // Enqueue copies, of a part of the matrix's columns if told so. The matrix of an upload may change
    // once an event of the uploads is recorded; a download has arrived when delivered() says so, at the
    // latest after finish().
    bool
    upload(const host_matrix<const float>&, const device_matrix&, const triangle& = {}) noexcept;
    bool download(const device_matrix&, const host_matrix<float>&, const triangle& = {}) noexcept;
    // Waits for all work. With `deliver` false, downloads that are under way are dropped.
    bool finish(bool deliver) noexcept;

    // Downloads that have reached the program's memory completely, in the order of the calls.
    int64_t delivered() const { return delivered_; }
    void restart_count() { delivered_ = 0; }

    // A download is delivered as a whole if it fits here. The slots together fit the caches of processors
    // that come with GPUs: there the threads and the GPU hand over data without a way through memory.
    static constexpr size_t slot_bytes = size_t{2} << 20;

    // *name = the kernel of the last call of a routine; null if there was none.
    void last_kernel(myblasRoutine_t routine, const char** name) const noexcept {
        *name = nullptr;
        if (is_open())
            api_->get_last_kernel(handle_, routine, name);
    }

    const library& api() const { return *api_; }
    // The handle, with its stream set to the compute stream.
    myblasHandle_t handle() const { return handle_; }

private:
    // A slot is filled by the team, sent and then free; or received into, unpacked by the team and then free.
    enum class phase { free, filling, sent, receiving, unpacking };
    struct slot {
        float* pinned = nullptr;
        cuda_driver::event copied = nullptr;
        phase now = phase::free;
        int64_t job = 0;             // of the team: filling or unpacking
        int64_t rows = 0, cols = 0;  // of what it holds, without gaps
        device_matrix sink{};        // where it is sent
        host_matrix<float> target{}; // where it is unpacked
        triangle part{};             // that is unpacked
        bool ends_download = false;
    };

    enum class state { closed, open, failed };
    bool is_open() const noexcept { return state_.load(std::memory_order_acquire) == state::open; }
    // These under the mutex.
    bool open_now() noexcept;
    bool initialise() noexcept;
    bool set_up_in_context() noexcept;
    slot& slot_after(int distance) noexcept { // in the ring, from the oldest one on
        return slots_[(next_ + distance) % slot_count];
    }
    slot* next_slot() noexcept;
    bool give_buffer(slot&) noexcept;
    bool has_arrived(const slot&) const noexcept;
    bool begin_unpacking(slot&, bool deliver) noexcept;
    void finish_unpacking(slot&) noexcept;
    bool send_oldest() noexcept;
    bool send_all() noexcept;

    int ordinal_ = stand_in, sharers_ = 1;
    std::atomic<state> state_{state::closed};
    std::atomic<bool> has_opener_{false};
    std::thread opener_;
    const char* reason_ = nullptr; // why it cannot be used

    const library* api_ = nullptr;
    const cuda_driver* driver_ = nullptr;
    cuda_driver::context context_ = nullptr;
    myblasHandle_t handle_ = nullptr;
    std::array<myblasStream_t, 3> streams_{};
    std::array<cuda_driver::event, event_count> events_{};
    std::array<bool, event_count> is_recorded_{};

    void* memory_ = nullptr;
    size_t memory_bytes_ = 0;
    std::atomic<size_t> limit_{SIZE_MAX};
    bool is_strict_ = true;
    missing_kernels missing_;

    static constexpr int slot_count = 16;
    static constexpr int most_filling = 4; // the team goes on with the next ones while one is sent
    std::array<slot, slot_count> slots_{};
    int next_ = 0;    // the slot to be used, which is the oldest
    int filling_ = 0; // so many before it are being filled
    int64_t delivered_ = 0;

    copy_team team_;
    std::mutex mutex_;
    bool calls_queue_ = false;
};

} // namespace myblas::preload
