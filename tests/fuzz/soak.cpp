#include "fuzz/soak.h"

#include "fuzz/allocations.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

namespace fuzz {
namespace {

constexpr double mib = 1 << 20;

double resident_mib() {
    long pages = 0, resident = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2)
            resident = 0;
        std::fclose(file);
    }
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / mib;
}

// Asks the CUDA driver, if the library has loaded it. No toolkit is needed to build this.
double gpu_used_mib() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!driver)
        return 0;
    int (*get_device)(int*, int) = nullptr;
    int (*retain)(void**, int) = nullptr;
    int (*push)(void*) = nullptr;
    int (*info)(size_t*, size_t*) = nullptr;
    int (*pop)(void**) = nullptr;
    int (*release)(int) = nullptr;
    const auto find = [&](auto& function, const char* name) {
        *reinterpret_cast<void**>(&function) = dlsym(driver, name);
        return function != nullptr;
    };
    int device = 0;
    size_t free = 0, total = 0;
    if (find(get_device, "cuDeviceGet") && find(retain, "cuDevicePrimaryCtxRetain") &&
        find(push, "cuCtxPushCurrent_v2") && find(info, "cuMemGetInfo_v2") &&
        find(pop, "cuCtxPopCurrent_v2") && find(release, "cuDevicePrimaryCtxRelease_v2")) {
        void* context = nullptr;
        if (get_device(&device, 0) == 0 && retain(&context, device) == 0) {
            if (push(context) == 0) {
                if (info(&free, &total) != 0)
                    free = total = 0;
                pop(&context);
            }
            release(device);
        }
    }
    dlclose(driver);
    return static_cast<double>(total - free) / mib;
}

// The first quarter warms up. Between the two quarters that are compared lies another one, so that
// slow losses add up.
template <class Memory>
bool keeps_growing(const std::vector<soak_round>& rounds, double tolerance_mib, Memory&& mib_of) {
    const auto by_memory = [&](const soak_round& a, const soak_round& b) {
        return mib_of(a.memory) < mib_of(b.memory);
    };
    const auto quarter = [&](size_t i) { return rounds.begin() + i * rounds.size() / 4; };
    const auto before = std::max_element(quarter(1), quarter(2), by_memory);
    const auto after = std::min_element(quarter(3), rounds.end(), by_memory);
    return mib_of(after->memory) > mib_of(before->memory) + tolerance_mib;
}

} // namespace

void return_memory_at_once() {
    constexpr int bytes = 1 << 17;
    mallopt(M_MMAP_THRESHOLD, bytes);
    mallopt(M_TRIM_THRESHOLD, bytes);
}

memory_use measure_memory() {
    malloc_trim(0);
    const live_bytes live = count_live_bytes();
    return {resident_mib(),
            gpu_used_mib(),
            static_cast<double>(live.rest) / mib,
            static_cast<double>(live.driver) / mib};
}

std::string growth_in(const std::vector<soak_round>& rounds) {
    constexpr size_t least_rounds = 6;
    if (rounds.size() < least_rounds)
        return "too few rounds to tell whether memory grows";
    if (keeps_growing(rounds, 1.0 / 16, [](const memory_use& m) { return m.own_mib; }))
        return "the memory that is not freed keeps growing";
    if (keeps_growing(rounds, 4, [](const memory_use& m) { return m.rss_mib - m.driver_mib; }))
        return "the memory of the process keeps growing";
    if (keeps_growing(rounds, 4, [](const memory_use& m) { return m.gpu_used_mib; }))
        return "the memory of the GPU keeps growing";
    return "";
}

} // namespace fuzz
