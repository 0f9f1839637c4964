// Loads the library, uses it and unloads it, again and again. Not linked with the library, so that
// dlclose can unload it.
#include "faults/standin.h"
#include "myblas/myblas.h"

#include <cstdint>
#include <cstdio>
#include <dlfcn.h>

namespace {

template <class Function>
Function* find(void* library, const char* name) {
    return reinterpret_cast<Function*>(dlsym(library, name));
}

// What is wrong; null: nothing.
const char* use(const char* path, bool captures) {
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return dlerror();
    const auto create = find<decltype(myblasCreateOn)>(library, "myblasCreateOn");
    const auto destroy = find<decltype(myblasDestroy)>(library, "myblasDestroy");
    const auto limit = find<decltype(myblasSetWorkspaceLimit)>(library, "myblasSetWorkspaceLimit");
    const auto set_stream = find<decltype(myblasSetStream)>(library, "myblasSetStream");
    const auto multiply = find<decltype(mysgemm)>(library, "mysgemm");
    auto* const memory = reinterpret_cast<float*>(uintptr_t{1} << 40); // nobody reads it
    const float one = 1, zero = 0;
    myblasHandle_t handle = nullptr;
    const cudaStream_t stream = standin::make_stream(false);
    if (create(&handle, MYBLAS_BACKEND_CUDA) || limit(handle, 0) || set_stream(handle, stream))
        return "no handle";
    if (captures)
        standin::begin_capture(stream);
    const myblasStatus_t status = multiply(handle,
                                           MYBLAS_OP_N,
                                           MYBLAS_OP_N,
                                           128,
                                           128,
                                           40000,
                                           &one,
                                           memory,
                                           128,
                                           memory,
                                           40000,
                                           &zero,
                                           memory,
                                           128);
    const cudaGraph_t graph = captures ? standin::end_capture(stream) : nullptr;
    if (status || destroy(handle))
        return "a call failed";
    dlclose(library);
    if (captures)
        standin::destroy_graph(graph); // calls the library's code
    standin::destroy_stream(stream);
    return standin::misuse();
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2)
        return 2;
    constexpr long rounds = 50;
    for (long round = 0; round < rounds; ++round) {
        if (const char* wrong = use(argv[1], false)) {
            std::fprintf(stderr, "round %ld: %s\n", round, wrong);
            return 1;
        }
        // The 16 KiB of each round are lost, as the reference of myblasDestroy says.
        const standin::census now = standin::count();
        if (now.modules != 0 || now.streams != 0 || now.memory > round + 1) {
            std::fprintf(stderr,
                         "round %ld: %ld modules, %ld streams and %ld blocks are left\n",
                         round,
                         now.modules,
                         now.streams,
                         now.memory);
            return 1;
        }
    }
    for (int round = 0; round < 3; ++round)
        if (const char* wrong = use(argv[1], true)) {
            std::fprintf(stderr, "with a graph: %s\n", wrong);
            return 1;
        }
    return 0;
}
