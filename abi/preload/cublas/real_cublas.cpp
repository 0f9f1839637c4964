#include "cublas/real_cublas.h"

#include "common/caller_cache.h"
#include "cublas/lookup.h"

#include <new>

namespace myblas::preload {
namespace {

void* find(const char* symbol, const void* caller) noexcept {
    return cublas_symbol(library_kind::cublas, symbol, caller);
}

real_cublas::settings find_settings(const void* caller) noexcept {
    const auto look = [=]<class Function>(Function& function, const char* symbol) {
        function = reinterpret_cast<Function>(find(symbol, caller));
    };
    real_cublas::settings s{};
    look(s.destroy, "cublasDestroy_v2");
    look(s.set_stream, "cublasSetStream_v2");
    look(s.set_workspace, "cublasSetWorkspace_v2");
    look(s.set_sm_count_target, "cublasSetSmCountTarget");
    look(s.get_stream, "cublasGetStream_v2");
    look(s.get_pointer_mode, "cublasGetPointerMode_v2");
    look(s.get_math_mode, "cublasGetMathMode");
    int (*get_property)(int, int*) = nullptr;
    look(get_property, "cublasGetProperty");
    constexpr int major_version = 0; // libraryPropertyType
    if (get_property && get_property(major_version, &s.major) != 0)
        s.major = 0;
    return s;
}

constinit caller_cache<const real_cublas*> callers;

// All cuBLAS libraries that were found. They are never freed. The list has no lock, for the same
// reason as caller_cache.
constinit std::atomic<real_cublas*> newest{nullptr};

} // namespace

const real_cublas& cublas_of(const void* caller) noexcept {
    return *callers.of(caller, 0, [=](const real_cublas** found) {
        const real_cublas::settings s = find_settings(caller);
        for (const real_cublas* r = newest.load(); r; r = r->next_)
            if (r->of_handles == s) {
                *found = r;
                return;
            }
        static const real_cublas none{{}}; // where there is no memory
        *found = &none;
        if (auto* made = new (std::nothrow) real_cublas(s)) {
            made->next_ = newest.load();
            while (!newest.compare_exchange_weak(made->next_, made))
                ;
            *found = made;
        }
    });
}

void* real_cublas::function(entry e,
                            bool is_64,
                            const char* name,
                            const void* caller) const noexcept {
    std::atomic<void*>& known = functions_[is_64][static_cast<int>(e)];
    void* found = known.load(std::memory_order_acquire);
    if (!found) {
        found = find(name, caller);
        known.store(found, std::memory_order_release);
    }
    return found;
}

} // namespace myblas::preload
