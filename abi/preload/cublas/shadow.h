// The handle of libmyblas that goes with a cuBLAS handle. The settings are the cuBLAS handle's:
// each call reads them through cuBLAS's getters. The workspace has no getter, so it is noted when
// it is set; so is the target of multiprocessors, which few programs set.
//
// The modes emulated and fast are several times as fast if the workspace holds all limbs of a
// product. Strict products need a workspace for partial sums. Programs provide the workspace that
// cuBLAS wants, which is smaller (some give cublasLt one MiB). A call that may need more therefore
// computes in libmyblas's own workspace, which grows with the calls.
#pragma once

#include "common/library.h"
#include "common/reasons.h"
#include "cublas/real_cublas.h"

#include <mutex>

namespace myblas::preload {

// The arithmetic that a program asks for, by its handle's math mode or by a compute type.
enum class arithmetic : int {
    fp32,     // emulated, too, if CUBLAS_EMULATE_SINGLE_PRECISION is 1
    pedantic, // never emulated
    emulated, // unless CUBLAS_EMULATE_SINGLE_PRECISION is 0
};

struct call_settings {
    arithmetic asked = arithmetic::fp32;
    myblasStream_t stream = nullptr;
    int pointer_mode = MYBLAS_POINTER_MODE_HOST;
    bool has_workspace = false; // false: use the noted workspace
    void* workspace = nullptr;
    size_t workspace_bytes = 0;
    int sm_count_target = 0; // of this call; 0: the noted target
};

// A handle of cuBLAS is also a handle of cublasLt. Calls of cublasLt have separate settings, and so
// a separate shadow.
inline void* lt_owner(void* handle) { return static_cast<char*>(handle) + 1; }

class shadow {
public:
    // The shadow of a handle, created if necessary; null if there are too many shadows.
    static shadow* of(void* cublas) noexcept;
    static shadow* find(void* cublas) noexcept; // null: the handle has none
    // Frees the shadow of a handle that is about to be destroyed.
    static void forget(void* cublas) noexcept;

    // Whether libmyblas computes calls that ask for this arithmetic. Locks the mutex.
    bool computes(arithmetic asked) noexcept;
    void note_stream() noexcept; // setting a stream drops the workspace, as in cuBLAS
    void note_workspace(void* memory, size_t bytes) noexcept;
    void note_sm_count_target(int count) noexcept;

    // Call with the lock held. Returns the handle with the call's settings. Null, with *reason: the
    // call must be forwarded.
    myblasHandle_t prepare(const call_settings&, const char** reason) noexcept;
    // After prepare(), for a call that is about to be computed: if the program's workspace may be
    // too small for the call, the call gets libmyblas's own workspace.
    bool may_lack_room() const noexcept;
    void make_room(const myblasCall_t&) noexcept;
    // Why a call was refused; null if nothing more is known.
    const char* why_refused(myblasRoutine_t r) const noexcept { return missing_.reason(r); }

    std::mutex mutex;

private:
    void empty() noexcept;
    bool open(const char** reason) noexcept;
    void want_workspace(void* memory, size_t bytes) noexcept;
    bool leaves_to_cublas(arithmetic asked) const noexcept;
    bool apply_math(arithmetic asked, const char** reason) noexcept;
    bool apply_stream(myblasStream_t) noexcept;
    void apply_sm_count_target(int count) noexcept;
    bool uses_limbs() const noexcept { return applied_math_ != MYBLAS_FP32_STRICT_MATH; }

    myblasHandle_t handle_ = nullptr;
    const char* failure_ = nullptr;      // why no handle could be created
    int calls_to_wait_ = 0, waited_ = 0; // calls until a new try; the last such number; 0: no try
    missing_kernels missing_;

    int applied_pointer_mode_ = MYBLAS_POINTER_MODE_HOST;

    struct workspace {
        void* memory = nullptr;
        size_t bytes = 0;
        bool operator==(const workspace&) const = default;
    };
    workspace wanted_, applied_;

    myblasMath_t own_math_ = MYBLAS_FP32_STRICT_MATH; // of calls that do not ask for emulation
    myblasMath_t applied_math_ = MYBLAS_FP32_STRICT_MATH;
    bool cublas_emulates_ = false; // cuBLAS has FP32 emulation for this GPU
    size_t limit_ = 0;             // of libmyblas's own workspace

    int wanted_sms_ = 0, applied_sms_ = 0; // 0: there is no target

    bool has_stream_ = false;
    myblasStream_t applied_stream_ = nullptr;

    struct registry;
    friend struct registry;
};

} // namespace myblas::preload
