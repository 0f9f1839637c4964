// One device as staging sees it: a handle of libmyblas, four streams, memory for tiles, and a ring
// of pinned buffers. All copies between host and device go through the ring.
//
// If there is no GPU (MYBLAS_OFFLOAD=always), the host backend of libmyblas stands in: the same
// calls on ordinary memory, in order, without events.
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
    // `ordinal`: the number of the GPU, or `stand_in`. `sharers`: the number of processes that
    // share its memory. CUDA is not called yet: creating a context takes a seventh of a second, and
    // the driver creates one at a time. Null: out of memory.
    static constexpr int stand_in = -1;
    static device* make(int ordinal, int sharers) noexcept;

    // Makes the device usable. Returns null, or the reason why it cannot be used.
    const char* open() noexcept;

    // Opens the device in a separate thread. Until the device is open, it cannot be held.
    void open_in_background() noexcept;
    // Called at the end of the process, before the driver shuts down: the driver must not shut down
    // while it creates a context.
    void join_opener() noexcept;

    bool is_open() const noexcept { return state_.load(std::memory_order_acquire) == state::open; }
    // Whether it was tried to open the device, in vain.
    bool has_failed() const noexcept {
        return state_.load(std::memory_order_acquire) == state::failed;
    }

    // The reason why a call failed; null if nothing more is known.
    const char* why_failed(myblasRoutine_t r) const noexcept {
        return is_open() ? missing_.reason(r) : nullptr;
    }

    // From now on a hold waits for the one before it.
    void let_calls_queue() noexcept { calls_queue_ = true; }

    // A hold keeps other calls away from the device. A device that is not open yet is not held: the
    // first call only notes that it wanted the device, and the second call opens it in the
    // background. The first call on another device needs pinned memory, for which the driver would
    // make it wait until the context is complete.
    bool hold() noexcept;
    void release() noexcept; // by the thread that holds it

    // While an activation lives, the device, which is held, is current in this thread. `helpers`
    // threads copy for it.
    class activation {
    public:
        activation(device&, int helpers) noexcept;
        ~activation();
        activation(const activation&) = delete;
        activation& operator=(const activation&) = delete;
        bool is_active() const { return is_active_; }

    private:
        device& device_;
        bool is_active_;
    };

    // Whether the device uses strict mode, the math mode with the slowest arithmetic.
    bool is_strict() const { return is_strict_; }
    // Whether no call may be cut along k (level3::keeps_k).
    bool is_reproducible() const { return is_reproducible_; }

    // Bytes of memory for tiles that one call may take, at most the value of MYBLAS_DEVICE_MEMORY.
    // There is no limit until the device is open.
    size_t memory_limit() const { return limit_.load(std::memory_order_relaxed); }
    // At least `bytes` bytes of memory, aligned to 256 bytes. Earlier contents are lost. Null: out
    // of memory.
    void* reserve(size_t bytes) noexcept;

    // Events order the streams, and the host after the streams. Each use of an event replaces the
    // last one.
    enum stream : int { uploads, compute, downloads, fetches };
    static constexpr int event_count = 128;
    bool record(int event, stream) noexcept;
    bool wait(stream, int event) noexcept; // for the last record; without one, no wait

    // Enqueue copies of the matrix, or of a triangle of it. The matrix of an upload may change once
    // an event of the upload stream has been recorded. A download has arrived when delivered()
    // counts it, at the latest after finish().
    bool
    upload(const host_matrix<const float>&, const device_matrix&, const triangle& = {}) noexcept;
    bool download(const device_matrix&, const host_matrix<float>&, const triangle& = {}) noexcept;
    // Whether fetch() works and is quicker than an upload. Both devices are held.
    bool can_fetch_from(const device& other) noexcept;
    // Enqueues a copy from another device on the stream `fetches`, once the other device has
    // reached an event that it has recorded. If the other device is lost before that, no later
    // download is delivered.
    bool fetch(const device& other,
               int event,
               const device_matrix& from,
               const device_matrix& to,
               int64_t rows,
               int64_t cols) noexcept;
    // Waits for all work. With `deliver` false, unfinished downloads are dropped.
    bool finish(bool deliver) noexcept;

    // The number of downloads that have reached the program's memory completely, in the order of
    // the calls.
    int64_t delivered() const { return delivered_; }
    void restart_count() { delivered_ = 0; }

    // A download that fits one slot is delivered as a whole. The slots together fit the caches of
    // processors that are used with GPUs, so the threads and the GPU exchange data without going
    // through memory.
    static constexpr size_t slot_bytes = size_t{2} << 20;
    static constexpr int64_t slot_elements = slot_bytes / sizeof(float);

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
    // A slot is filled by the team, sent, and then free; or it is received into, unpacked by the
    // team, and then free.
    enum class phase { free, filling, sent, receiving, unpacking };
    struct slot {
        float* pinned = nullptr;
        cuda_driver::event copied = nullptr;
        phase now = phase::free;
        int64_t job = 0;             // of the team: filling or unpacking
        int64_t rows = 0, cols = 0;  // of its matrix, which has no gaps
        device_matrix sink{};        // where it is sent
        host_matrix<float> target{}; // where it is unpacked
        triangle part{};             // which part is unpacked
        bool ends_download = false;
    };

    static size_t place_of(const device& d) noexcept {
        return static_cast<size_t>(d.ordinal_) % 64;
    }
    static uint64_t bit_of(const device& d) noexcept { return uint64_t{1} << place_of(d); }

    enum class state { closed, open, failed };
    // The functions below require the mutex.
    bool open_now() noexcept;
    bool initialise() noexcept;
    bool set_up_in_context() noexcept;
    slot& slot_after(int distance) noexcept { // in the ring, from the oldest one on
        return slots_[(next_ + distance) % slot_count];
    }
    slot* next_slot() noexcept;
    bool give_buffer(slot&) noexcept;
    bool has_arrived(const slot&) const noexcept;
    bool confirm_fetches() noexcept;
    bool begin_unpacking(slot&, bool deliver) noexcept;
    void finish_unpacking(slot&) noexcept;
    bool send_oldest() noexcept;
    bool send_all() noexcept;

    int ordinal_ = stand_in, sharers_ = 1;
    std::atomic<state> state_{state::closed};
    std::atomic<bool> was_wanted_{false}, has_opener_{false};
    std::thread opener_;
    const char* reason_ = nullptr; // why it cannot be used

    const library* api_ = nullptr;
    const cuda_driver* driver_ = nullptr;
    cuda_driver::context context_ = nullptr;
    myblasHandle_t handle_ = nullptr;
    std::array<myblasStream_t, 4> streams_{};
    std::array<cuda_driver::event, event_count> events_{};
    std::array<bool, event_count> is_recorded_{};
    // Bit i: whether NVLink leads to GPU i was asked, and is true; its memory can be read.
    uint64_t asked_peers_ = 0, linked_peers_ = 0, enabled_peers_ = 0;
    // Bit i: a fetch waits for event i of `awaited_`, an event of GPU i.
    uint64_t awaited_peers_ = 0;
    std::array<cuda_driver::event, 64> awaited_{};

    void* memory_ = nullptr;
    size_t memory_bytes_ = 0;
    std::atomic<size_t> limit_{SIZE_MAX};
    bool is_strict_ = true, is_reproducible_ = false;
    missing_kernels missing_;

    static constexpr int slot_count = 16;
    static constexpr int most_filling = 4; // the team fills the next slots while one is sent
    std::array<slot, slot_count> slots_{};
    int next_ = 0;    // the next slot to use, which is the oldest
    int filling_ = 0; // number of slots before `next_` that are being filled
    int64_t delivered_ = 0;

    copy_team team_;
    std::mutex mutex_;
    bool calls_queue_ = false;
};

} // namespace myblas::preload
