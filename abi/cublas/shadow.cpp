#include "cublas/shadow.h"

#include "common/environment.h"
#include "common/mapped.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <dlfcn.h>

namespace myblas::preload {
namespace {

constexpr uintptr_t workspace_alignment = 256;
constexpr size_t usual_workspace = size_t{32} << 20; // what libmyblas has for a stream

// cudaStreamPerThread is another stream in each thread.
const myblasStream_t stream_per_thread = reinterpret_cast<myblasStream_t>(uintptr_t{2});

// Programs have few cuBLAS handles: finding one is a short walk. Places are reused.
constexpr int most_shadows = 64;
constinit std::array<std::atomic<void*>, most_shadows> owners{};

// Null where no driver is in the process.
void* driver() noexcept {
    static void* const library = mapped_library("libcuda.so.1");
    return library;
}

// Handles point to the GPU, wherever there is a driver; where there is none, what calls itself cuBLAS is a
// stand-in on ordinary memory.
myblasBackend_t backend() noexcept { return driver() ? MYBLAS_BACKEND_CUDA : MYBLAS_BACKEND_HOST; }

// Whether a graph is made of the stream's work.
bool is_captured(myblasStream_t stream) noexcept {
    using function = int(myblasStream_t, int* status);
    static auto* const ask =
        driver() ? reinterpret_cast<function*>(dlsym(driver(), "cuStreamIsCapturing")) : nullptr;
    int status = 0;
    return ask && ask(stream, &status) == 0 && status != 0;
}

} // namespace

struct shadow::registry {
    static inline constinit std::array<shadow, most_shadows> shadows{};
};

shadow* shadow::find(void* cublas) noexcept {
    for (int i = 0; i < most_shadows; ++i)
        if (owners[i].load(std::memory_order_acquire) == cublas)
            return &registry::shadows[i];
    return nullptr;
}

shadow* shadow::of(void* cublas) noexcept {
    if (shadow* known = find(cublas))
        return known;
    for (int i = 0; i < most_shadows; ++i) {
        void* nobody = nullptr;
        if (owners[i].compare_exchange_strong(nobody, cublas) || nobody == cublas)
            return &registry::shadows[i];
    }
    return nullptr;
}

void shadow::forget(void* cublas) noexcept {
    // Of two threads' first calls each may have made one.
    while (shadow* s = find(cublas)) {
        s->empty();
        owners[s - registry::shadows.data()].store(nullptr, std::memory_order_release);
    }
}

void shadow::empty() noexcept {
    const std::lock_guard lock(mutex);
    if (!is_in_graph_) {
        for (int i = 0; i < block_count_; ++i)
            load_library()->release(handle_, blocks_[i]);
        if (handle_)
            load_library()->destroy(handle_);
    }
    handle_ = nullptr;
    room_count_ = block_count_ = 0;
    has_stream_ = is_in_graph_ = false;
    failure_ = nullptr;
    calls_to_wait_ = waited_ = 0;
    missing_ = {};
    applied_pointer_mode_ = MYBLAS_POINTER_MODE_HOST;
    wanted_ = applied_ = {};
}

void shadow::note_stream() noexcept {
    const std::lock_guard lock(mutex);
    wanted_ = {};
}

void shadow::note_workspace(void* memory, size_t bytes) noexcept {
    const std::lock_guard lock(mutex);
    want_workspace(memory, bytes);
}

void shadow::want_workspace(void* memory, size_t bytes) noexcept {
    const bool is_usable = memory && reinterpret_cast<uintptr_t>(memory) % workspace_alignment == 0;
    wanted_ = is_usable ? workspace{memory, bytes} : workspace{};
}

bool shadow::open(const char** reason) noexcept {
    // A lack of memory may pass: asked again after 16 calls, then after twice as many each time.
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
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH;
    if (handle_)
        l->get_math_mode(handle_, &math);
    uses_limbs_ = math != MYBLAS_FP32_STRICT_MATH;
    most_room_ = 0;
    if (handle_ && l->get_workspace_limit(handle_, &most_room_) == MYBLAS_STATUS_SUCCESS) {
        most_room_ = std::min(most_room_, read_size("MYBLAS_CUBLAS_WORKSPACE", most_room_));
        l->set_workspace_limit(handle_, most_room_);
    }
    return handle_ != nullptr;
}

// The stream and the workspace; each only if it is another one than before.
bool shadow::apply_stream(myblasStream_t stream) noexcept {
    const library& l = *load_library();
    const room* own = room_of(stream);
    const workspace target = own && own->space.bytes > wanted_.bytes ? own->space : wanted_;
    const bool drops_workspace = applied_ != target && target == workspace{};
    if (!has_stream_ || stream != applied_stream_ || stream == stream_per_thread ||
        drops_workspace) {
        has_stream_ = false;
        if (l.set_stream(handle_, stream) != MYBLAS_STATUS_SUCCESS)
            return false;
        has_stream_ = true;
        applied_stream_ = stream;
        applied_ = {};
    }
    if (applied_ != target) {
        if (l.set_workspace(handle_, target.memory, target.bytes) != MYBLAS_STATUS_SUCCESS)
            return false;
        applied_ = target;
    }
    return true;
}

bool shadow::may_lack_room() const noexcept {
    return uses_limbs_ || (applied_.memory && applied_.bytes < usual_workspace);
}

shadow::room* shadow::room_of(myblasStream_t stream) noexcept {
    for (int i = 0; i < room_count_; ++i)
        if (rooms_[i].stream == stream)
            return &rooms_[i];
    return nullptr;
}

void shadow::make_room(const myblasCall_t& p) noexcept {
    if (applied_stream_ == stream_per_thread)
        return;
    const size_t present = applied_.memory ? applied_.bytes : usual_workspace;
    const double m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    const double batches = static_cast<double>(p.batch_count), k = static_cast<double>(p.k);
    // Limbs take a little more than what they are of; partial sums, hardly ever more than the operands and the result.
    const double results = uses_limbs_ ? 0 : m * n;
    if (batches * ((m + n) * k + results) * sizeof(float) < static_cast<double>(present))
        return;
    const library& l = *load_library();
    size_t needed = usual_workspace;
    // These want copies of operands, or of the result, in strict mode, too.
    const bool has_copies = p.routine == MYBLAS_ROUTINE_SYR2K || p.routine == MYBLAS_ROUTINE_SYMM ||
                            p.routine == MYBLAS_ROUTINE_TRMM;
    if ((uses_limbs_ || has_copies) &&
        l.get_workspace_size(handle_, &p, &needed) != MYBLAS_STATUS_SUCCESS)
        return;
    needed = std::min(needed, most_room_);
    if (needed <= present || block_count_ == most_blocks)
        return;
    room* own = room_of(applied_stream_);
    if (!own && room_count_ < most_rooms) {
        own = &rooms_[room_count_];
        *own = {applied_stream_, {}, 0};
        ++room_count_;
    }
    workspace more{nullptr, std::min(std::bit_ceil(needed), most_room_)};
    if (!own || (own->refused_bytes != 0 && more.bytes >= own->refused_bytes))
        return;
    if (l.allocate(handle_, &more.memory, more.bytes) != MYBLAS_STATUS_SUCCESS) {
        own->refused_bytes = more.bytes;
        return;
    }
    blocks_[block_count_++] = more.memory;
    own->space = more;
    if (l.set_workspace(handle_, more.memory, more.bytes) == MYBLAS_STATUS_SUCCESS)
        applied_ = more;
}

myblasHandle_t shadow::prepare(const call_settings& s, const char** reason) noexcept {
    if (!handle_ && !open(reason))
        return nullptr;
    if (s.has_workspace)
        want_workspace(s.workspace, s.workspace_bytes);
    // The default stream, null, cannot be captured.
    is_in_graph_ = is_in_graph_ || (s.stream && is_captured(s.stream));
    *reason = "libmyblas refused the handle's settings";
    if (s.pointer_mode != applied_pointer_mode_) {
        const auto mode = static_cast<myblasPointerMode_t>(s.pointer_mode);
        if (load_library()->set_pointer_mode(handle_, mode) != MYBLAS_STATUS_SUCCESS)
            return nullptr;
        applied_pointer_mode_ = s.pointer_mode;
    }
    return apply_stream(s.stream) ? handle_ : nullptr;
}

} // namespace myblas::preload
