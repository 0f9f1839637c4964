// C = alpha * op(A) * op(B) + beta * C by OpenBLAS, found at run time.
//
// The library is loaded when a problem first asks for this kernel, by fixed sonames and into a scope
// of its own: it neither provides symbols to the program nor replaces the program's BLAS. (Symbols
// that the program itself exports do come first for it, as for any library.) It stays
// loaded, because its threads do. Products that do not read A and B never reach it.
// Works against OpenBLAS's own kernels, on as many threads as OPENBLAS_NUM_THREADS allows.
// Accepts sizes and leading dimensions that fit int, where a usable OpenBLAS is installed. In a child
// of the process that loaded it, an OpenBLAS built on OpenMP is not used: the threads of its runtime
// do not survive fork(), and it would wait for them for ever. One built on pthreads restarts its own.
#include "host/sgemm/products.h"
#include "host/sgemm/registry.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <unistd.h>

namespace myblas::host {
namespace {

// Values of the CBLAS interface.
enum cblas_order : int { column_major = 102 };
enum cblas_transpose : int { no_transpose = 111, transpose = 112 };

using cblas_sgemm_function = void (*)(cblas_order,
                                      cblas_transpose,
                                      cblas_transpose,
                                      int m,
                                      int n,
                                      int k,
                                      float alpha,
                                      const float* a,
                                      int lda,
                                      const float* b,
                                      int ldb,
                                      float beta,
                                      float* c,
                                      int ldc);

struct openblas_library {
    cblas_sgemm_function sgemm = nullptr; // null: not usable
    bool uses_openmp = false;
    pid_t loaded_by = 0;

    bool is_usable() const { return sgemm && !(uses_openmp && loaded_by != getpid()); }
};

template <class Function>
Function find(void* library, const char* symbol) {
    return reinterpret_cast<Function>(dlsym(library, symbol));
}

openblas_library load() {
    for (const char* soname : {"libopenblas.so.0", "libopenblas.so"}) {
        void* library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
        if (!library)
            continue;
        const auto sgemm = find<cblas_sgemm_function>(library, "cblas_sgemm");
        const auto get_config = find<const char* (*)()>(library, "openblas_get_config");
        const auto get_parallel = find<int (*)()>(library, "openblas_get_parallel");
        // A build with 64-bit integers has the same names, and would read sizes from half-set registers.
        if (sgemm && get_config && get_parallel && !std::strstr(get_config(), "USE64BITINT")) {
            constexpr int openmp = 2; // openblas_get_parallel: 0 sequential, 1 pthreads
            return {sgemm, get_parallel() == openmp, getpid()};
        }
        dlclose(library);
    }
    return {};
}

const openblas_library& openblas() {
    static const openblas_library library = load();
    return library;
}

bool accepts(const sgemm_problem& p, const device_info&) {
    const int64_t largest = std::max({p.m, p.n, p.k, p.lda, p.ldb, p.ldc});
    return largest <= std::numeric_limits<int>::max() && openblas().is_usable();
}

myblasStatus_t launch(const sgemm_problem& p, const launch_context&) {
    const cblas_transpose transa = p.transa ? transpose : no_transpose;
    const cblas_transpose transb = p.transb ? transpose : no_transpose;
    const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
    const int lda = static_cast<int>(p.lda), ldb = static_cast<int>(p.ldb);
    const int ldc = static_cast<int>(p.ldc);
    const cblas_sgemm_function sgemm = openblas().sgemm;
    return for_each_product(p, [=](const product& q) {
        sgemm(column_major, transa, transb, m, n, k, q.alpha, q.a, lda, q.b, ldb, q.beta, q.c, ldc);
    });
}

} // namespace

constinit const kernel_entry<sgemm_problem> sgemm_openblas{
    .name = "openblas",
    .description = "OpenBLAS, where it is installed",
    .deterministic = false, // OpenBLAS does not promise it
    .accepts = accepts,
    .launch = launch,
};

} // namespace myblas::host
