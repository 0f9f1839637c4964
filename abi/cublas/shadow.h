// The handle of libmyblas that goes with a cuBLAS handle. The settings are the cuBLAS handle's: they are
// read through its getters at each call. What has no getter, the workspace, is noted when it is set.
//
// The modes emulated and fast are several times as fast in a workspace that holds the limbs of a product whole, and
// strict products want one for partial sums. Programs give what cuBLAS wants, which is less (some give cublasLt a MiB);
// so a call that may need more computes in libmyblas's own workspace, which grows with the calls.
#pragma once

#include "common/library.h"
#include "common/reasons.h"
#include "cublas/real_cublas.h"

#include <mutex>

namespace myblas::preload {

struct call_settings {
    myblasStream_t stream = nullptr;
    int pointer_mode = MYBLAS_POINTER_MODE_HOST;
    bool has_workspace = false; // else it is the one that was noted
    void* workspace = nullptr;
    size_t workspace_bytes = 0;
};

// A handle of cuBLAS is one of cublasLt as well, whose calls have their own settings, and so another shadow.
inline void* lt_owner(void* handle) { return static_cast<char*>(handle) + 1; }

class shadow {
public:
    // The shadow of a handle, made if need be; null when there are too many.
    static shadow* of(void* cublas) noexcept;
    static shadow* find(void* cublas) noexcept; // null: the handle has none
    // Frees what goes with a handle that is about to be destroyed.
    static void forget(void* cublas) noexcept;

    void note_stream() noexcept; // setting a stream drops the workspace, as in cuBLAS
    void note_workspace(void* memory, size_t bytes) noexcept;

    // What a call needs, under the lock: the handle with the call's settings. Null, with *reason: the call is to be
    // forwarded.
    myblasHandle_t prepare(const call_settings&, const char** reason) noexcept;
    // After prepare(), for a call that is about to be computed: if the program's workspace may be too small for it, it
    // gets libmyblas's own.
    bool may_lack_room() const noexcept;
    void make_room(const myblasCall_t&) noexcept;
    // Of a call that was refused; null if nothing more is known.
    const char* why_refused(myblasRoutine_t r) const noexcept { return missing_.reason(r); }

    std::mutex mutex;

private:
    void empty() noexcept;
    bool open(const char** reason) noexcept;
    void want_workspace(void* memory, size_t bytes) noexcept;
    bool apply_stream(myblasStream_t) noexcept;

    myblasHandle_t handle_ = nullptr;
    const char* failure_ = nullptr;      // why no handle can be made
    int calls_to_wait_ = 0, waited_ = 0; // before it is tried again, and the last time; 0: for ever
    missing_kernels missing_;

    int applied_pointer_mode_ = MYBLAS_POINTER_MODE_HOST;

    struct workspace {
        void* memory = nullptr;
        size_t bytes = 0;
        bool operator==(const workspace&) const = default;
    };
    workspace wanted_, applied_;

    bool uses_limbs_ = false; // the mode is not strict
    size_t limit_ = 0;        // of libmyblas's own workspace

    bool has_stream_ = false;
    myblasStream_t applied_stream_ = nullptr;

    struct registry;
    friend struct registry;
};

} // namespace myblas::preload
