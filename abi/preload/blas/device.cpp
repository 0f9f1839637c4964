#include "blas/device.h"

#include "core/environment.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>

namespace myblas::preload {
namespace {

constexpr size_t alignment = 256;
constexpr size_t stand_in_memory = size_t{1} << 30;
constexpr size_t most_workspace = size_t{256} << 20; // of products of panels, in every mode
constexpr unsigned event_without_timing = 2;         // CU_EVENT_DISABLE_TIMING
constexpr unsigned host_memory_for_all_contexts = 1; // CU_MEMHOSTALLOC_PORTABLE

} // namespace

// ---- Opening ------------------------------------------------------------------------------------

device* device::make(int ordinal, int sharers) noexcept {
    device* made = new (std::nothrow) device;
    if (made) {
        made->ordinal_ = ordinal;
        made->sharers_ = sharers;
    }
    return made;
}

const char* device::open() noexcept {
    const std::lock_guard lock(mutex_);
    return open_now() ? nullptr : reason_;
}

void device::open_in_background() noexcept {
    if (has_opener_.exchange(true))
        return;
    try {
        opener_ = std::thread([this] { open(); });
    } catch (...) { // no thread can be had now
        has_opener_.store(false);
    }
}

void device::join_opener() noexcept {
    if (has_opener_.load() && opener_.joinable())
        opener_.join();
}

bool device::open_now() noexcept {
    if (state_.load(std::memory_order_relaxed) == state::closed)
        // A device that fails is not taken apart: that is no safer than leaving it.
        state_.store(initialise() ? state::open : state::failed, std::memory_order_release);
    return state_.load(std::memory_order_relaxed) == state::open;
}

bool device::initialise() noexcept {
    reason_ = "libmyblas cannot be loaded";
    api_ = load_library();
    if (!api_)
        return false;
    if (ordinal_ == stand_in)
        return set_up_in_context();
    driver_ = load_driver();
    reason_ = why_no_driver();
    if (!driver_)
        return false;
    const int error = driver_->primary_context_retain(&context_, ordinal_);
    reason_ = why_no_context(error);
    if (error != 0 || driver_->context_push(context_) != 0)
        return false;
    const bool is_good = set_up_in_context();
    cuda_driver::context popped;
    driver_->context_pop(&popped);
    return is_good;
}

bool device::set_up_in_context() noexcept {
    const myblasBackend_t backend = driver_ ? MYBLAS_BACKEND_CUDA : MYBLAS_BACKEND_HOST;
    const myblasStatus_t status = api_->create_on(&handle_, backend);
    reason_ = reason_of(status);
    if (status != MYBLAS_STATUS_SUCCESS)
        return false;
    missing_.find(*api_, handle_);
    reason_ = "no streams, events or pinned memory can be had";
    for (myblasStream_t& s : streams_)
        if (api_->stream_create(handle_, &s) != MYBLAS_STATUS_SUCCESS)
            return false;
    if (api_->set_stream(handle_, streams_[compute]) != MYBLAS_STATUS_SUCCESS)
        return false;
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH;
    api_->get_math_mode(handle_, &math);
    is_reproducible_ = math == MYBLAS_FP32_REPRODUCIBLE_MATH;
    is_strict_ = math == MYBLAS_FP32_STRICT_MATH || is_reproducible_;
    size_t limit = 0;
    if (api_->get_workspace_limit(handle_, &limit) == MYBLAS_STATUS_SUCCESS)
        api_->set_workspace_limit(handle_, std::min(limit, most_workspace));
    if (!give_buffer(slots_[0]))
        return false;
    if (driver_)
        for (cuda_driver::event& e : events_)
            if (driver_->event_create(&e, event_without_timing) != 0)
                return false;
    // Half of the free memory is left to the programs.
    size_t free_bytes = 2 * stand_in_memory, total_bytes = 0;
    if (driver_ && driver_->memory_info(&free_bytes, &total_bytes) != 0)
        return false;
    limit_ = read_size("MYBLAS_DEVICE_MEMORY", free_bytes / 2 / static_cast<size_t>(sharers_));
    return true;
}

bool device::hold() noexcept {
    if (!is_open()) {
        if (was_wanted_.exchange(true))
            open_in_background();
        return false;
    }
    if (!calls_queue_)
        return mutex_.try_lock();
    mutex_.lock();
    return true;
}

void device::release() noexcept { mutex_.unlock(); }

device::activation::activation(device& d, int helpers) noexcept
    : device_(d), is_active_(!d.driver_ || d.driver_->context_push(d.context_) == 0) {
    if (is_active_)
        d.team_.call(helpers);
}

device::activation::~activation() {
    cuda_driver::context popped;
    if (is_active_ && device_.driver_)
        device_.driver_->context_pop(&popped);
}

// ---- Memory -------------------------------------------------------------------------------------

void* device::reserve(size_t bytes) noexcept {
    if (bytes > memory_bytes_) {
        api_->release(handle_, memory_);
        memory_bytes_ = 0;
        if (api_->allocate(handle_, &memory_, bytes) != MYBLAS_STATUS_SUCCESS) {
            memory_ = nullptr;
            return nullptr;
        }
        memory_bytes_ = bytes;
    }
    return memory_;
}

// ---- Events -------------------------------------------------------------------------------------

bool device::record(int event, stream s) noexcept {
    is_recorded_[event] = true;
    if (s == uploads && !send_all())
        return false;
    return !driver_ || driver_->event_record(events_[event], streams_[s]) == 0;
}

bool device::wait(stream s, int event) noexcept {
    if (s == uploads && !send_all())
        return false;
    return !driver_ || !is_recorded_[event] ||
           driver_->stream_wait_event(streams_[s], events_[event], 0) == 0;
}

// ---- Copies through the ring --------------------------------------------------------------------

namespace {

// Calls visit(first_row, first_col, rows, cols) for pieces that fit a slot. Pieces are whole
// columns if a column fits.
template <class Visit>
bool for_each_piece(int64_t rows, int64_t cols, Visit&& visit) {
    const int64_t piece_rows = std::min(rows, device::slot_elements);
    const int64_t piece_cols =
        std::max<int64_t>(1, device::slot_elements / std::max<int64_t>(1, piece_rows));
    for (int64_t j = 0; j < cols; j += piece_cols)
        for (int64_t i = 0; i < rows; i += piece_rows)
            if (!visit(i, j, std::min(piece_rows, rows - i), std::min(piece_cols, cols - j)))
                return false;
    return true;
}

struct shape {
    int64_t rows, cols;
};

// A matrix without gaps is copied as one column, because the GPU copies narrow matrices slowly.
shape as_column_if_tight(int64_t rows, int64_t cols, int64_t ld) {
    return ld == rows ? shape{rows * cols, 1} : shape{rows, cols};
}

} // namespace

// The driver takes half a millisecond to allocate a MiB of pinned memory. A slot therefore gets its
// buffer when it is first used, while earlier slots are being transferred.
bool device::give_buffer(slot& s) noexcept {
    if (s.pinned)
        return true;
    void* pinned = nullptr;
    if (driver_) {
        if (driver_->host_allocate(&pinned, slot_bytes, host_memory_for_all_contexts) != 0 ||
            driver_->event_create(&s.copied, event_without_timing) != 0)
            return false;
    } else {
        pinned = std::aligned_alloc(alignment, slot_bytes);
    }
    s.pinned = static_cast<float*>(pinned);
    return s.pinned != nullptr;
}

// Waits until the oldest slot is free, and returns it.
device::slot* device::next_slot() noexcept {
    slot& s = slot_after(0);
    if (!give_buffer(s))
        return nullptr;
    if (s.now == phase::sent) {
        s.now = phase::free;
        if (driver_ && driver_->event_synchronize(s.copied) != 0)
            return nullptr;
    }
    if (!begin_unpacking(s, true))
        return nullptr;
    // While this thread waits, the team unpacks the other slots that have arrived.
    for (int i = 1; i < slot_count && has_arrived(slot_after(i)); ++i)
        if (!begin_unpacking(slot_after(i), true))
            return nullptr;
    finish_unpacking(s);
    next_ = (next_ + 1) % slot_count;
    return &s;
}

bool device::has_arrived(const slot& s) const noexcept {
    return s.now == phase::unpacking ||
           (s.now == phase::receiving && (!driver_ || driver_->event_query(s.copied) == 0));
}

bool device::begin_unpacking(slot& s, bool deliver) noexcept {
    if (s.now != phase::receiving)
        return true;
    s.now = phase::free;
    if (driver_ && driver_->event_synchronize(s.copied) != 0)
        return false;
    if (deliver && !confirm_fetches())
        return false;
    if (deliver) {
        s.job = team_.post(
            {s.pinned, s.rows, s.cols, s.rows}, s.target, copy_team::destination::memory, s.part);
        s.now = phase::unpacking;
    }
    return true;
}

void device::finish_unpacking(slot& s) noexcept {
    if (s.now != phase::unpacking)
        return;
    s.now = phase::free;
    team_.wait(s.job);
    delivered_ += s.ends_download;
}

bool device::send_oldest() noexcept {
    slot& s = slot_after(slot_count - filling_);
    --filling_;
    s.now = phase::sent;
    team_.wait(s.job);
    const shape tight = as_column_if_tight(s.rows, s.cols, s.sink.ld);
    const int64_t ld = std::max(tight.rows, s.sink.ld);
    const myblasStream_t stream = streams_[uploads];
    // clang-format off
    return api_->set_matrix_async(handle_, tight.rows, tight.cols, sizeof(float), s.pinned,
                                  tight.rows, s.sink.data, ld, stream) == MYBLAS_STATUS_SUCCESS &&
           (!driver_ || driver_->event_record(s.copied, stream) == 0);
    // clang-format on
}

bool device::send_all() noexcept {
    bool is_good = true;
    while (filling_ > 0)
        is_good = send_oldest() && is_good;
    return is_good;
}

bool device::upload(const host_matrix<const float>& from,
                    const device_matrix& to,
                    const triangle& part) noexcept {
    return for_each_piece(
        from.rows, from.cols, [&](int64_t i, int64_t j, int64_t rows, int64_t cols) {
            slot* s = next_slot();
            if (!s)
                return false;
            s->job = team_.post({from.data + i + j * from.ld, rows, cols, from.ld},
                                {s->pinned, rows, cols, rows},
                                copy_team::destination::cache,
                                part.from(i, j));
            s->rows = rows;
            s->cols = cols;
            s->sink = {to.data + i + j * to.ld, to.ld};
            s->now = phase::filling;
            ++filling_;
            return filling_ < most_filling || send_oldest();
        });
}

bool device::download(const device_matrix& from,
                      const host_matrix<float>& to,
                      const triangle& part) noexcept {
    if (!send_all())
        return false;
    return for_each_piece(to.rows, to.cols, [&](int64_t i, int64_t j, int64_t rows, int64_t cols) {
        slot* s = next_slot();
        if (!s)
            return false;
        const shape tight = as_column_if_tight(rows, cols, from.ld);
        const float* const source = from.data + i + j * from.ld;
        const int64_t ld = std::max(tight.rows, from.ld);
        const myblasStream_t stream = streams_[downloads];
        // clang-format off
        if (api_->get_matrix_async(handle_, tight.rows, tight.cols, sizeof(float), source, ld,
                                   s->pinned, tight.rows, stream) != MYBLAS_STATUS_SUCCESS ||
            (driver_ && driver_->event_record(s->copied, stream) != 0))
            return false;
        // clang-format on
        s->rows = rows;
        s->cols = cols;
        s->target = {to.data + i + j * to.ld, rows, cols, to.ld};
        s->part = part.from(i, j);
        s->ends_download = i + rows == to.rows && j + cols == to.cols;
        s->now = phase::receiving;
        return true;
    });
}

// ---- Copies between devices ---------------------------------------------------------------------

// Copies over PCI Express would take the links that the uploads need. Atomics work over NVLink
// alone.
bool device::can_fetch_from(const device& other) noexcept {
    constexpr int native_atomics = 3; // CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED
    if (!driver_)
        return true;
    const uint64_t bit = bit_of(other);
    if (!(asked_peers_ & bit)) { // the driver takes 10 us to answer
        asked_peers_ |= bit;
        int has_nvlink = 0;
        const int error = driver_->device_get_p2p_attribute(
            &has_nvlink, native_atomics, ordinal_, other.ordinal_);
        if (error == 0 && has_nvlink != 0)
            linked_peers_ |= bit;
    }
    return linked_peers_ & bit;
}

bool device::fetch(const device& other,
                   int event,
                   const device_matrix& from,
                   const device_matrix& to,
                   int64_t rows,
                   int64_t cols) noexcept {
    if (!driver_) {
        for (int64_t j = 0; j < cols; ++j)
            std::copy_n(from.data + j * from.ld, rows, to.data + j * to.ld);
        return true;
    }
    // An error does not matter: without access, the driver copies through the host.
    if (const uint64_t bit = bit_of(other); !(enabled_peers_ & bit)) {
        enabled_peers_ |= bit;
        driver_->context_enable_peer_access(other.context_, 0);
    }
    constexpr int device_memory = 2; // CU_MEMORYTYPE_DEVICE
    const auto end = [](const device_matrix& m, cuda_driver::context context) {
        device_copy::end e{};
        e.memory_type = device_memory;
        e.device = m.data;
        e.context = context;
        e.pitch_bytes = static_cast<size_t>(m.ld) * sizeof(float);
        return e;
    };
    device_copy copy{end(from, other.context_), end(to, context_), 0, 0, 1};
    copy.width_bytes = static_cast<size_t>(rows) * sizeof(float);
    copy.from.height = copy.to.height = copy.height = static_cast<size_t>(cols);
    awaited_[place_of(other)] = other.events_[event];
    awaited_peers_ |= bit_of(other);
    return driver_->stream_wait_event(streams_[fetches], other.events_[event], 0) == 0 &&
           driver_->copy_between_devices(&copy, streams_[fetches]) == 0;
}

// A stream also goes on after an event that a lost device never reached. What arrives then may have
// been computed from anything.
bool device::confirm_fetches() noexcept {
    for (; awaited_peers_ != 0; awaited_peers_ &= awaited_peers_ - 1)
        if (driver_->event_synchronize(awaited_[std::countr_zero(awaited_peers_)]) != 0)
            return false;
    return true;
}

// ---- The end ------------------------------------------------------------------------------------

bool device::finish(bool deliver) noexcept {
    bool is_good = send_all();
    for (int i = 0; i < slot_count; ++i)
        is_good = begin_unpacking(slot_after(i), deliver && is_good) && is_good;
    for (slot& s : slots_) {
        finish_unpacking(s);
        s.now = phase::free;
    }
    for (const myblasStream_t s : streams_)
        is_good = api_->stream_synchronize(handle_, s) == MYBLAS_STATUS_SUCCESS && is_good;
    is_recorded_.fill(false);
    awaited_peers_ = 0;
    return is_good;
}

} // namespace myblas::preload
