#include "cublas/shadow.h"

#include "common/mapped.h"
#include "core/environment.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace myblas::preload {
namespace {

constexpr uintptr_t workspace_alignment = 256;
constexpr size_t usual_workspace = size_t{32} << 20; // libmyblas's usual workspace of a stream

// cudaStreamPerThread is a different stream in each thread.
const myblasStream_t stream_per_thread = reinterpret_cast<myblasStream_t>(uintptr_t{2});

// Programs have few cuBLAS handles, so a linear search is fast. Places are reused.
constexpr int most_shadows = 64; // of each interface

// If there is a driver, handles belong to the GPU. Otherwise the cuBLAS of the process is a
// stand-in on ordinary memory.
myblasBackend_t backend() noexcept {
    static const bool has_driver = mapped_library("libcuda.so.1") != nullptr;
    return has_driver ? MYBLAS_BACKEND_CUDA : MYBLAS_BACKEND_HOST;
}

// The GPUs for which cuBLAS 12.9 to 13.1 has FP32 emulation. libmyblas has none for them.
constexpr bool has_emulation(int arch) noexcept { return arch == 100 || arch == 103; }

// cuBLAS's own variable. With other values it counts as not set.
bool is_emulated(arithmetic asked) noexcept {
    static constexpr choice<arithmetic> choices[] = {{"0", arithmetic::pedantic},
                                                     {"1", arithmetic::emulated}};
    static const arithmetic forced =
        read_choice("CUBLAS_EMULATE_SINGLE_PRECISION", choices, arithmetic::fp32, arithmetic::fp32);
    return asked == arithmetic::emulated
               ? forced != arithmetic::pedantic
               : asked == arithmetic::fp32 && forced == arithmetic::emulated;
}

// Without MYBLAS_MATH, calls that ask for emulation are computed in the mode `emulated`.
bool selects_emulated(arithmetic asked) noexcept {
    static const bool is_chosen = read_variable("MYBLAS_MATH") != nullptr;
    return !is_chosen && is_emulated(asked);
}

} // namespace

struct shadow::registry {
    std::array<std::atomic<void*>, most_shadows> owners{};
    std::array<shadow, most_shadows> shadows{};

    static registry& of(void* cublas) noexcept {
        static constinit registry
            both[2]; // of cuBLAS and of cublasLt, as lt_owner() tells them apart
        return both[reinterpret_cast<uintptr_t>(cublas) % 2];
    }
};

shadow* shadow::find(void* cublas) noexcept {
    registry& all = registry::of(cublas);
    for (int i = 0; i < most_shadows; ++i)
        if (all.owners[i].load(std::memory_order_acquire) == cublas)
            return &all.shadows[i];
    return nullptr;
}

shadow* shadow::of(void* cublas) noexcept {
    if (shadow* known = find(cublas))
        return known;
    registry& all = registry::of(cublas);
    for (int i = 0; i < most_shadows; ++i) {
        void* nobody = nullptr;
        if (all.owners[i].compare_exchange_strong(nobody, cublas) || nobody == cublas)
            return &all.shadows[i];
    }
    return nullptr;
}

void shadow::forget(void* cublas) noexcept {
    // Two threads that make their first calls may each have made a shadow.
    while (shadow* s = find(cublas)) {
        registry& all = registry::of(cublas);
        s->empty();
        all.owners[s - all.shadows.data()].store(nullptr, std::memory_order_release);
    }
}

void shadow::empty() noexcept {
    const std::lock_guard lock(mutex);
    if (handle_)
        load_library()->destroy(handle_);
    handle_ = nullptr;
    has_stream_ = false;
    failure_ = nullptr;
    calls_to_wait_ = waited_ = 0;
    missing_ = {};
    applied_pointer_mode_ = MYBLAS_POINTER_MODE_HOST;
    wanted_ = applied_ = {};
    wanted_sms_ = applied_sms_ = 0;
}

void shadow::note_stream() noexcept {
    const std::lock_guard lock(mutex);
    wanted_ = {};
}

void shadow::note_workspace(void* memory, size_t bytes) noexcept {
    const std::lock_guard lock(mutex);
    want_workspace(memory, bytes);
}

void shadow::note_sm_count_target(int count) noexcept {
    const std::lock_guard lock(mutex);
    wanted_sms_ = count;
}

void shadow::want_workspace(void* memory, size_t bytes) noexcept {
    const bool is_usable = memory && reinterpret_cast<uintptr_t>(memory) % workspace_alignment == 0;
    wanted_ = is_usable ? workspace{memory, bytes} : workspace{};
}

bool shadow::open(const char** reason) noexcept {
    // A lack of memory may be temporary: creation is tried again after 16 calls, then after twice
    // as many calls each time.
    if (calls_to_wait_ > 0 && --calls_to_wait_ == 0)
        failure_ = nullptr;
    const library* l = failure_ ? nullptr : load_library();
    if (!l && !failure_)
        failure_ = "libmyblas cannot be loaded";
    if (l) {
        const myblasStatus_t status = l->create_on(&handle_, backend());
        if (status == MYBLAS_STATUS_SUCCESS) {
            missing_.find(*l, handle_);
        } else {
            failure_ = reason_of(status);
            handle_ = nullptr;
            if (status == MYBLAS_STATUS_ALLOC_FAILED)
                calls_to_wait_ = waited_ = std::clamp(2 * waited_, 16, 1 << 20);
        }
    }
    *reason = failure_;
    own_math_ = MYBLAS_FP32_STRICT_MATH;
    if (handle_)
        l->get_math_mode(handle_, &own_math_);
    applied_math_ = own_math_;
    myblasDevice_t device{};
    device.size_bytes = sizeof device;
    cublas_emulates_ = handle_ && l->get_device(handle_, &device) == MYBLAS_STATUS_SUCCESS &&
                       has_emulation(device.arch);
    limit_ = 0;
    if (handle_ && l->get_workspace_limit(handle_, &limit_) == MYBLAS_STATUS_SUCCESS) {
        limit_ = std::min(limit_, read_size("MYBLAS_CUBLAS_WORKSPACE", limit_));
        l->set_workspace_limit(handle_, limit_);
    }
    return handle_ != nullptr;
}

bool shadow::leaves_to_cublas(arithmetic asked) const noexcept {
    return cublas_emulates_ && selects_emulated(asked);
}

bool shadow::computes(arithmetic asked) noexcept {
    const std::lock_guard lock(mutex);
    const char* reason = nullptr;
    return (handle_ || open(&reason)) && !leaves_to_cublas(asked);
}

bool shadow::apply_math(arithmetic asked, const char** reason) noexcept {
    if (leaves_to_cublas(asked)) {
        *reason = "cuBLAS emulates FP32 on this GPU";
        return false;
    }
    const myblasMath_t math = selects_emulated(asked) ? MYBLAS_FP32_EMULATED_MATH : own_math_;
    if (math == applied_math_)
        return true;
    *reason = "libmyblas refused the handle's settings";
    if (load_library()->set_math_mode(handle_, math) != MYBLAS_STATUS_SUCCESS)
        return false;
    applied_math_ = math;
    return true;
}

// Sets the stream and the workspace, each only if it has changed.
bool shadow::apply_stream(myblasStream_t stream) noexcept {
    const library& l = *load_library();
    const bool drops_workspace = applied_ != wanted_ && wanted_ == workspace{};
    if (!has_stream_ || stream != applied_stream_ || stream == stream_per_thread ||
        drops_workspace) {
        has_stream_ = false;
        if (l.set_stream(handle_, stream) != MYBLAS_STATUS_SUCCESS)
            return false;
        has_stream_ = true;
        applied_stream_ = stream;
        applied_ = {};
    }
    if (applied_ != wanted_) {
        if (l.set_workspace(handle_, wanted_.memory, wanted_.bytes) != MYBLAS_STATUS_SUCCESS)
            return false;
        applied_ = wanted_;
    }
    return true;
}

// A target that libmyblas refuses changes nothing: it is a request and no condition.
void shadow::apply_sm_count_target(int count) noexcept {
    if (count != applied_sms_)
        load_library()->set_sm_count_target(handle_, count);
    applied_sms_ = count;
}

bool shadow::may_lack_room() const noexcept {
    return limit_ >= usual_workspace && limit_ > applied_.bytes && applied_.memory &&
           (uses_limbs() || applied_.bytes < usual_workspace);
}

void shadow::make_room(const myblasCall_t& p) noexcept {
    const double m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    const double batches = static_cast<double>(p.batch_count), k = static_cast<double>(p.k);
    // An element has up to three limbs of 2 bytes. Partial sums almost never take more than the
    // operands and the result.
    const double useful = batches * (uses_limbs() ? (m + n) * k * 6 : ((m + n) * k + m * n) * 4);
    if (useful < static_cast<double>(applied_.bytes))
        return;
    has_stream_ = load_library()->set_stream(handle_, applied_stream_) == MYBLAS_STATUS_SUCCESS;
    if (has_stream_)
        applied_ = {};
}

myblasHandle_t shadow::prepare(const call_settings& s, const char** reason) noexcept {
    if (!handle_ && !open(reason))
        return nullptr;
    if (!apply_math(s.asked, reason))
        return nullptr;
    if (s.has_workspace)
        want_workspace(s.workspace, s.workspace_bytes);
    *reason = "libmyblas refused the handle's settings";
    if (s.pointer_mode != applied_pointer_mode_) {
        const auto mode = static_cast<myblasPointerMode_t>(s.pointer_mode);
        if (load_library()->set_pointer_mode(handle_, mode) != MYBLAS_STATUS_SUCCESS)
            return nullptr;
        applied_pointer_mode_ = s.pointer_mode;
    }
    apply_sm_count_target(s.sm_count_target > 0 ? s.sm_count_target : wanted_sms_);
    return apply_stream(s.stream) ? handle_ : nullptr;
}

} // namespace myblas::preload
