// What happens to a process beside calls that fail: devices that cannot be used, resets, forks,
// threads, signals, small stacks.
#include "faults/scenario.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace faults {
namespace {

using standin::machine;

// The first of several expectations that is not met, as a text.
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return std::string(#condition) + " is false, line " + std::to_string(__LINE__);        \
    } while (0)

// A product that needs workspace and counters.
myblasStatus_t multiply(myblasHandle_t handle, int k = 40000) {
    static auto* const memory = reinterpret_cast<float*>(uintptr_t{1} << 40); // nobody reads it
    const float one = 1, zero = 0;
    return mysgemm(handle,
                   MYBLAS_OP_N,
                   MYBLAS_OP_N,
                   128,
                   128,
                   k,
                   &one,
                   memory,
                   128,
                   memory,
                   k,
                   &zero,
                   memory,
                   128);
}

myblasBackend_t backend_of(myblasHandle_t handle) {
    myblasBackend_t backend;
    REQUIRE_OK(myblasGetBackend(handle, &backend));
    return backend;
}

// The status of a creation on CUDA; with AUTO the host takes over.
std::string create_on(const machine& m, myblasStatus_t expected) {
    standin::set_machine(m);
    myblasHandle_t handle = nullptr;
    EXPECT(myblasCreateOn(&handle, MYBLAS_BACKEND_CUDA) == expected);
    EXPECT(!handle);
    EXPECT(myblasCreateOn(&handle, MYBLAS_BACKEND_AUTO) == MYBLAS_STATUS_SUCCESS);
    EXPECT(backend_of(handle) == MYBLAS_BACKEND_HOST);
    EXPECT(myblasDestroy(handle) == MYBLAS_STATUS_SUCCESS);
    EXPECT(standin::count().memory <= 1 && standin::count().streams == 0); // 1: for later handles
    return {};
}

std::string no_driver(const std::vector<scenario>&) {
    return create_on({.has_driver = false}, MYBLAS_STATUS_NOT_INITIALIZED);
}
std::string no_device(const std::vector<scenario>&) {
    return create_on({.devices = 0}, MYBLAS_STATUS_NOT_INITIALIZED);
}
std::string old_device(const std::vector<scenario>&) {
    return create_on({.arch = 75}, MYBLAS_STATUS_ARCH_MISMATCH);
}
std::string unknown_device(const std::vector<scenario>&) {
    return create_on({.has_code = false}, MYBLAS_STATUS_ARCH_MISMATCH);
}

// The device of one handle disappears; the other device works on.
std::string lost_device(const std::vector<scenario>&) {
    const myblasHandle_t first = make_handle();
    standin::set_device(1);
    const myblasHandle_t second = make_handle();
    standin::set_device(0);
    EXPECT(multiply(second) == MYBLAS_STATUS_SUCCESS);
    standin::set_machine({.devices = 1});
    EXPECT(multiply(second) == MYBLAS_STATUS_EXECUTION_FAILED);
    EXPECT(multiply(first) == MYBLAS_STATUS_SUCCESS);
    EXPECT(myblasDestroy(second) == MYBLAS_STATUS_EXECUTION_FAILED);
    EXPECT(myblasDestroy(second) == MYBLAS_STATUS_NOT_INITIALIZED);
    EXPECT(multiply(first) == MYBLAS_STATUS_SUCCESS);
    EXPECT(myblasDestroy(first) == MYBLAS_STATUS_SUCCESS);
    EXPECT(standin::device() == 0);
    return {};
}

// A thread that has never used CUDA calls with a handle of GPU 1: GPU 0 gets no context.
std::string other_device(const std::vector<scenario>&) {
    standin::set_device(1);
    const myblasHandle_t handle = make_handle();
    std::string wrong;
    std::thread([&] {
        wrong = [&]() -> std::string {
            EXPECT(multiply(handle) == MYBLAS_STATUS_SUCCESS);
            EXPECT(!standin::is_context_current());
            EXPECT(!standin::is_started(0));
            return {};
        }();
    }).join();
    EXPECT(myblasDestroy(handle) == MYBLAS_STATUS_SUCCESS);
    standin::set_device(0);
    return wrong;
}

// A driver that lacks the function for descriptors of the TMA.
std::string no_tma(const std::vector<scenario>&) {
    standin::set_machine({.has_tma = false});
    const myblasHandle_t handle = make_handle();
    REQUIRE_OK(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, "stream_k"));
    const float one = 1, zero = 0;
    auto* const memory = reinterpret_cast<float*>(uintptr_t{1} << 40);
    EXPECT(mysgemm(handle,
                   MYBLAS_OP_N,
                   MYBLAS_OP_N,
                   4096,
                   4096,
                   4096,
                   &one,
                   memory,
                   4096,
                   memory,
                   4096,
                   &zero,
                   memory,
                   4096) == MYBLAS_STATUS_EXECUTION_FAILED);
    REQUIRE_OK(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, nullptr));
    EXPECT(multiply(handle, 3) == MYBLAS_STATUS_SUCCESS);
    EXPECT(myblasDestroy(handle) == MYBLAS_STATUS_SUCCESS);
    return {};
}

// How often the library has called a function since standin::arm.
int calls_of(const char* name) {
    int count = 0;
    for (long i = 0; i < standin::calls(); ++i)
        count += standin::name_of(i) && std::strcmp(standin::name_of(i), name) == 0;
    return count;
}

// Products of 64 x 64 x 64 in one form. A and B have the same layout.
struct layout {
    size_t offset; // of A, in floats
    int64_t ld, stride;
};
myblasStatus_t multiply_batch(myblasHandle_t handle, int form, const layout& of, int64_t count) {
    const float one = 1, zero = 0;
    auto* const memory = reinterpret_cast<float*>(uintptr_t{1} << 40);
    return mysgemmStridedBatched_64(handle,
                                    form & 1 ? MYBLAS_OP_T : MYBLAS_OP_N,
                                    form & 2 ? MYBLAS_OP_T : MYBLAS_OP_N,
                                    64,
                                    64,
                                    64,
                                    &one,
                                    memory + of.offset,
                                    of.ld,
                                    of.stride,
                                    memory,
                                    of.ld,
                                    of.stride,
                                    &zero,
                                    memory,
                                    64,
                                    64 * 64,
                                    count);
}

// Whether all layouts get their status from the forced kernel, and no tensor map is beyond NVIDIA's
// limits. `needs_tma`: the kernel declines what TMA cannot copy.
std::string all_layouts(myblasHandle_t handle, const char* kernel, bool needs_tma, int64_t count) {
    constexpr int64_t limit = int64_t{1} << 38; // floats
    REQUIRE_OK(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, kernel));
    for (int form = 0; form < 4; ++form)
        for (const size_t offset : {0, 1})
            for (const int64_t ld : {int64_t{64}, int64_t{67}, limit - 4, limit})
                for (const int64_t stride : {int64_t{0},
                                             int64_t{2},
                                             int64_t{4},
                                             int64_t{64},
                                             int64_t{4096},
                                             int64_t{-4096},
                                             limit - 4,
                                             limit,
                                             4 * limit}) {
                    const bool fits =
                        offset == 0 && ld % 4 == 0 && ld < limit &&
                        (count == 1 || (stride % 4 == 0 && 0 <= stride && stride < limit));
                    EXPECT(
                        multiply_batch(handle, form, {offset, ld, stride}, count) ==
                        (fits || !needs_tma ? MYBLAS_STATUS_SUCCESS : MYBLAS_STATUS_NOT_SUPPORTED));
                }
    EXPECT(!standin::misuse());
    return {};
}

// If the driver refuses the map of a batch, tf32x3 makes one for each product; tf32x3_batch and
// stream_k copy by other means.
std::string layouts(const std::vector<scenario>&) {
    constexpr layout interleaved = {0, 3 * 64, 64};
    for (const bool takes_overlaps : {true, false}) {
        standin::set_machine({.takes_overlaps = takes_overlaps});
        const myblasHandle_t handle = make_handle();
        REQUIRE_OK(myblasSetMathMode(handle, MYBLAS_FP32_FAST_MATH));
        EXPECT(all_layouts(handle, nullptr, false, 3).empty());
        EXPECT(all_layouts(handle, "stream_k", false, 1).empty());
        EXPECT(all_layouts(handle, "stream_k", false, 3).empty());
        standin::arm(-1, cudaSuccess, false);
        EXPECT(multiply_batch(handle, 0, interleaved, 3) == MYBLAS_STATUS_SUCCESS);
        EXPECT(calls_of("cudaLaunchKernelExC") == 1);
        EXPECT(calls_of("cuTensorMapEncodeTiled") == (takes_overlaps ? 2 : 1));

        EXPECT(all_layouts(handle, "tf32x3", true, 1).empty());
        EXPECT(all_layouts(handle, "tf32x3", true, 3).empty());
        standin::arm(-1, cudaSuccess, false);
        EXPECT(multiply_batch(handle, 0, interleaved, 3) == MYBLAS_STATUS_SUCCESS);
        EXPECT(calls_of("cudaLaunchKernelExC") == (takes_overlaps ? 1 : 3));
        EXPECT(calls_of("cuTensorMapEncodeTiled") == (takes_overlaps ? 2 : 1 + 3 * 2));

        EXPECT(all_layouts(handle, "tf32x3_batch", false, 1).empty());
        EXPECT(all_layouts(handle, "tf32x3_batch", false, 3).empty());
        standin::arm(-1, cudaSuccess, false);
        EXPECT(multiply_batch(handle, 0, interleaved, 3) == MYBLAS_STATUS_SUCCESS);
        EXPECT(calls_of("cudaLaunchKernelExC") == 1);
        EXPECT(calls_of("cuTensorMapEncodeTiled") == (takes_overlaps ? 2 : 1));
        EXPECT(myblasDestroy(handle) == MYBLAS_STATUS_SUCCESS);
    }
    return {};
}

// cudaDeviceReset under a handle with workspace, and under idle resources. Memory of later handles
// has the same addresses.
std::string reset_between(const machine& m) {
    standin::set_machine(m);
    myblasHandle_t old[3];
    for (myblasHandle_t& handle : old) {
        handle = make_handle();
        EXPECT(multiply(handle) == MYBLAS_STATUS_SUCCESS);
    }
    EXPECT(myblasDestroy(old[2]) == MYBLAS_STATUS_SUCCESS);
    standin::reset();
    const myblasHandle_t handle = make_handle();
    EXPECT(multiply(handle) == MYBLAS_STATUS_SUCCESS);
    const myblasHandle_t other = make_handle();
    EXPECT(multiply(other) == MYBLAS_STATUS_SUCCESS);
    const standin::census before = standin::count();
    EXPECT(myblasDestroy(old[0]) == MYBLAS_STATUS_SUCCESS);
    EXPECT(myblasDestroy(old[1]) == MYBLAS_STATUS_SUCCESS);
    EXPECT(standin::count() == before);
    EXPECT(!standin::misuse());
    EXPECT(multiply(handle) == MYBLAS_STATUS_SUCCESS);
    EXPECT(myblasDestroy(handle) == MYBLAS_STATUS_SUCCESS);
    EXPECT(myblasDestroy(other) == MYBLAS_STATUS_SUCCESS);
    EXPECT(!standin::misuse());
    return {};
}

std::string reset(const std::vector<scenario>&) { return reset_between({}); }

std::string reset_without_pools(const std::vector<scenario>&) {
    return reset_between({.has_pools = false});
}

// A child of a process that uses CUDA, while another thread is somewhere in the library.
std::string fork_in_the_midst(const std::vector<scenario>&) {
    const myblasHandle_t handle = make_handle();
    EXPECT(multiply(handle) == MYBLAS_STATUS_SUCCESS);
    std::atomic<bool> is_over{false};
    std::thread other([&] {
        while (!is_over) {
            const myblasHandle_t own = make_handle();
            REQUIRE_OK(multiply(own));
            REQUIRE_OK(myblasDestroy(own));
        }
    });
    int failures = 0;
    for (int i = 0; i < 200; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            myblasHandle_t own = nullptr;
            float x[] = {1, 2, 3}, sum = 0;
            const bool is_right =
                multiply(handle) == MYBLAS_STATUS_NOT_INITIALIZED &&
                myblasSetStream(handle, nullptr) == MYBLAS_STATUS_NOT_INITIALIZED &&
                myblasCreateOn(&own, MYBLAS_BACKEND_CUDA) == MYBLAS_STATUS_NOT_INITIALIZED &&
                myblasCreateOn(&own, MYBLAS_BACKEND_AUTO) == MYBLAS_STATUS_SUCCESS &&
                backend_of(own) == MYBLAS_BACKEND_HOST &&
                mysum(own, 3, x, 1, &sum) == MYBLAS_STATUS_SUCCESS && sum == 6 &&
                myblasDestroy(own) == MYBLAS_STATUS_SUCCESS &&
                myblasDestroy(handle) == MYBLAS_STATUS_SUCCESS && standin::calls_after_fork() == 0;
            _exit(is_right ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        failures += status != 0;
    }
    is_over = true;
    other.join();
    EXPECT(failures == 0);
    EXPECT(myblasDestroy(handle) == MYBLAS_STATUS_SUCCESS);
    return {};
}

// Threads that make and use handles, and end before the handles do.
std::string threads_end(const std::vector<scenario>&) {
    constexpr int count = 64;
    for (int round = 0; round < 3; ++round) {
        static myblasHandle_t handles[count];
        static std::atomic<int> failures{0};
        std::thread threads[count];
        for (int i = 0; i < count; ++i)
            threads[i] = std::thread([i] {
                handles[i] = make_handle();
                failures += myblasSetStream(handles[i], cudaStreamPerThread) != 0;
                failures += multiply(handles[i]) != 0;
            });
        for (std::thread& t : threads)
            t.join();
        EXPECT(failures == 0);
        for (const myblasHandle_t handle : handles) {
            EXPECT(multiply(handle) == MYBLAS_STATUS_SUCCESS);
            EXPECT(myblasDestroy(handle) == MYBLAS_STATUS_SUCCESS);
        }
        EXPECT(standin::count().memory <= 8 && standin::count().streams == 0); // of 4 streams
    }
    EXPECT(!standin::misuse());
    return {};
}

// Threads make a hundred thousand handles and end them, all at the same time.
std::string many_handles(const std::vector<scenario>&) {
    constexpr int count = 8, handles = 100000 / count;
    static std::atomic<int> failures{0};
    std::thread threads[count];
    for (std::thread& t : threads)
        t = std::thread([] {
            for (int i = 0; i < handles; ++i) {
                const myblasHandle_t handle = make_handle();
                failures += myblasSetStream(handle, cudaStreamPerThread) != 0;
                failures += multiply(handle) != 0;
                failures += myblasDestroy(handle) != 0;
            }
        });
    for (std::thread& t : threads)
        t.join();
    EXPECT(failures == 0);
    EXPECT(standin::count().memory <= 8 && standin::count().streams == 0);
    EXPECT(!standin::misuse());
    return {};
}

// Signals arrive all the time.
std::string signals(const std::vector<scenario>&) {
    static std::atomic<long> arrived{0};
    struct sigaction action = {};
    action.sa_handler = [](int) { ++arrived; };
    sigaction(SIGPROF, &action, nullptr);
    const itimerval often = {.it_interval = {0, 100}, .it_value = {0, 100}};
    setitimer(ITIMER_REAL, &often, nullptr);
    sigaction(SIGALRM, &action, nullptr);
    int failures = 0;
    for (int i = 0; i < 200000 && arrived < 500; ++i) {
        const myblasHandle_t handle = make_handle();
        failures += multiply(handle) != MYBLAS_STATUS_SUCCESS;
        failures += myblasDestroy(handle) != MYBLAS_STATUS_SUCCESS;
    }
    const itimerval never = {};
    setitimer(ITIMER_REAL, &never, nullptr);
    EXPECT(failures == 0);
    EXPECT(arrived >= 500);
    struct sigaction now;
    sigaction(SIGALRM, nullptr, &now);
    EXPECT(now.sa_handler == action.sa_handler);
    return {};
}

// Each scenario's call in a new thread with the stack that docs/calling.md asks for.
std::string small_stacks(const std::vector<scenario>& all) {
    constexpr size_t on_gpu = 64 << 10, on_host = 256 << 10;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    long count = 0;
    for (const scenario& s : all) {
        pthread_attr_setstacksize(&attributes, s.is_host ? on_host : on_gpu);
        scenario small = s;
        small.act = [&](world& w) {
            struct job {
                const scenario* of;
                world* in;
                myblasStatus_t status;
            } todo{&s, &w, MYBLAS_STATUS_SUCCESS};
            const auto work = [](void* argument) -> void* {
                job& j = *static_cast<job*>(argument);
                j.status = j.of->act(*j.in);
                return nullptr;
            };
            pthread_t thread;
            if (pthread_create(&thread, &attributes, work, &todo) != 0)
                return MYBLAS_STATUS_LICENSE_ERROR;
            pthread_join(thread, nullptr);
            return todo.status;
        };
        const pid_t child = fork();
        if (child == 0) {
            standin::begin_process();
            const myblasStatus_t status = run_once(small);
            const bool is_right = status == s.answer ||
                                  (s.may_be_unreachable && status == MYBLAS_STATUS_NOT_SUPPORTED);
            std::fflush(stdout);
            _exit(is_right ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status))
            return s.name + ": " + strsignal(WTERMSIG(status));
        if (status != 0)
            return s.name + ": not its status";
        ++count;
    }
    EXPECT(count > 0);
    return {};
}

} // namespace

std::vector<situation> situations() {
    return {
        {"no driver, or an old one", no_driver},
        {"no device", no_device},
        {"a device of compute capability 7.5", old_device},
        {"a device without code", unknown_device},
        {"one of two devices is lost", lost_device},
        {"a thread without a device", other_device},
        {"a driver without descriptors for TMA", no_tma},
        {"operands in any layout", layouts},
        {"a reset under handles", reset},
        {"a reset under handles, without pools", reset_without_pools},
        {"forks in the midst", fork_in_the_midst},
        {"threads end before their handles", threads_end},
        {"a hundred thousand handles in threads", many_handles},
        {"signals", signals},
        {"small stacks", small_stacks},
    };
}

} // namespace faults
