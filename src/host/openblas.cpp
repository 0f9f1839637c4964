#include "host/openblas.h"

#include "core/environment.h"
#include "core/static_program.h"
#include "host/threads.h"

#include <climits>
#include <cstring>
#include <dlfcn.h>
#include <strings.h>
#include <unistd.h>

namespace myblas::host {
namespace {

template <class Function>
void find(void* library, const char* symbol, Function* function) {
    *function = reinterpret_cast<Function>(dlsym(library, symbol));
}

// MYBLAS_NUM_THREADS also limits OpenBLAS, unless the program has loaded OpenBLAS itself and so
// controls its threads.
void limit_threads(void* library) {
    void (*set_num_threads)(int);
    find(library, "openblas_set_num_threads", &set_num_threads);
    if (set_num_threads && read_count("MYBLAS_NUM_THREADS", INT_MAX, 0) > 0)
        set_num_threads(thread_count());
}

// OpenBLAS's ssymv for processors without AVX reads past the end of A. OpenBLAS also takes their
// kernels on a processor that it does not know: 0.3.21 on an Emerald Rapids (OpenBLAS #4267).
bool symv_reads_past_end(void* library) {
    const char* (*get_core_name)();
    find(library, "openblas_get_corename", &get_core_name);
    if (!get_core_name)
        return false;
    for (const char* name : {"Prescott",
                             "Core2",
                             "Penryn",
                             "Dunnington",
                             "Atom",
                             "Nano",
                             "Opteron",
                             "Opteron_SSE3",
                             "Barcelona",
                             "Bobcat"}) {
        if (strcasecmp(get_core_name(), name) == 0)
            return true;
    }
    return false;
}

openblas_library load() {
    if (is_static_program())
        return {};
    for (const char* soname : {"libopenblas.so.0", "libopenblas.so"}) {
        void* const present = dlopen(soname, RTLD_LAZY | RTLD_NOLOAD);
        void* library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
        if (!library)
            continue;
        openblas_library found;
        const char* (*get_config)();
        int (*get_parallel)();
        find(library, "cblas_sgemm", &found.sgemm.function);
        find(library, "openblas_get_config", &get_config);
        find(library, "openblas_get_parallel", &get_parallel);
        // A build with 64-bit integers has the same names, and would read sizes from half-set
        // registers.
        if (found.sgemm && get_config && get_parallel &&
            !std::strstr(get_config(), "USE64BITINT")) {
            constexpr int openmp = 2; // openblas_get_parallel: 0 sequential, 1 pthreads
            found.uses_openmp = get_parallel() == openmp;
            found.loaded_by = getpid();
            if (!present)
                limit_threads(library);
            find(library, "cblas_sgemv", &found.sgemv.function);
            if (!symv_reads_past_end(library))
                find(library, "cblas_ssymv", &found.ssymv.function);
            find(library, "cblas_ssyr", &found.ssyr.function);
            find(library, "cblas_ssyr2", &found.ssyr2.function);
            find(library, "cblas_strmv", &found.strmv.function);
            find(library, "cblas_strsv", &found.strsv.function);
            find(library, "cblas_ssyrk", &found.ssyrk.function);
            find(library, "cblas_ssyr2k", &found.ssyr2k.function);
            find(library, "cblas_ssymm", &found.ssymm.function);
            find(library, "cblas_strmm", &found.strmm.function);
            find(library, "cblas_strsm", &found.strsm.function);
            return found;
        }
        dlclose(library);
    }
    return {};
}

} // namespace

bool openblas_library::is_usable() const {
    return sgemm && !(uses_openmp && loaded_by != getpid());
}

const openblas_library& openblas() {
    static const openblas_library library = load();
    return library;
}

} // namespace myblas::host
