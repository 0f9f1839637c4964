#include "common/library.h"

#include "common/mapped.h"

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <pthread.h>

namespace myblas::preload {
namespace {

constexpr const char* soname = "libmyblas.so.1";

// The preload libraries are installed one directory below libmyblas; a packaged one may be
// elsewhere on the loader's path. The loader may know this library by a link to it, such as the
// system's libblas.so.3.
void* open() noexcept {
    Dl_info self;
    char own[PATH_MAX], path[PATH_MAX];
    if (dladdr(soname, &self) && self.dli_fname && realpath(self.dli_fname, own)) {
        const int directory = static_cast<int>(base_name(own) - own);
        const int length = std::snprintf(path, sizeof path, "%.*s../%s", directory, own, soname);
        if (length < static_cast<int>(sizeof path))
            if (void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL))
                return handle;
    }
    return dlopen(soname, RTLD_NOW | RTLD_LOCAL);
}

void* library_handle() noexcept {
    static void* const handle = open();
    return handle;
}

struct loader {
    bool complete = true;

    template <class Function>
    void find(Function& function, const char* symbol) noexcept {
        function = reinterpret_cast<Function>(library_function(symbol));
        complete = complete && function;
    }
};

bool load(library* l) noexcept {
    loader from;
    from.find(l->create_on, "myblasCreateOn");
    from.find(l->destroy, "myblasDestroy");
    from.find(l->set_stream, "myblasSetStream");
    from.find(l->set_pointer_mode, "myblasSetPointerMode");
    from.find(l->get_math_mode, "myblasGetMathMode");
    from.find(l->set_math_mode, "myblasSetMathMode");
    from.find(l->set_sm_count_target, "myblasSetSmCountTarget");
    from.find(l->get_device, "myblasGetDevice");
    from.find(l->set_workspace, "myblasSetWorkspace");
    from.find(l->set_workspace_limit, "myblasSetWorkspaceLimit");
    from.find(l->get_workspace_limit, "myblasGetWorkspaceLimit");
    from.find(l->get_last_kernel, "myblasGetLastKernel");
    from.find(l->force_kernel, "myblasForceKernel");
    from.find(l->stream_create, "myblasStreamCreate");
    from.find(l->stream_synchronize, "myblasStreamSynchronize");
    from.find(l->allocate, "myblasMalloc");
    from.find(l->release, "myblasFree");
    from.find(l->set_matrix_async, "myblasSetMatrixAsync_64");
    from.find(l->get_matrix_async, "myblasGetMatrixAsync_64");
    from.find(l->sgeam, "mysgeam_64");
#define BLAS_LEVEL3(name, ...) from.find(l->name, "my" #name "_64");
#include "common/entries.inc"
#undef BLAS_LEVEL3
    return from.complete;
}

// A fork waits for a thread that is loading the library, because nobody would finish that in the
// child.
constinit std::mutex loading;

[[gnu::constructor]] void watch_forks() noexcept {
    constexpr auto unlock = [] { loading.unlock(); };
    pthread_atfork([] { loading.lock(); }, unlock, unlock);
}

} // namespace

const library* load_library() noexcept {
    enum state { unknown, loaded, missing };
    static constinit library functions{};
    static constinit std::atomic<state> known{unknown};
    if (known.load(std::memory_order_acquire) == unknown) {
        const std::lock_guard lock(loading);
        if (known.load() == unknown)
            known.store(load(&functions) ? loaded : missing, std::memory_order_release);
    }
    return known.load() == loaded ? &functions : nullptr;
}

void* library_function(const char* name) noexcept {
    void* const handle = library_handle();
    return handle ? dlsym(handle, name) : nullptr;
}

} // namespace myblas::preload
