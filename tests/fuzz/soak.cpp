#include "fuzz/soak.h"

#include "fuzz/allocations.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
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

// The CUDA driver, if the library has loaded it, with its context of device 0. No toolkit is needed
// to build this.
class driver {
public:
    driver() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD)) {
        void* context = nullptr;
        is_ready_ = library_ && call("cuDevicePrimaryCtxRetain", &context, 0) == 0;
        if (is_ready_)
            call("cuCtxPushCurrent_v2", context);
    }
    ~driver() {
        void* context = nullptr;
        if (is_ready_) {
            call("cuCtxPopCurrent_v2", &context);
            call("cuDevicePrimaryCtxRelease_v2", 0);
        }
        if (library_)
            dlclose(library_);
    }
    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;

    bool is_ready() const { return is_ready_; }

    template <class... Arguments>
    int call(const char* name, Arguments... arguments) const {
        void* const found = dlsym(library_, name);
        return found ? reinterpret_cast<int (*)(Arguments...)>(found)(arguments...) : -1;
    }

private:
    void* library_;
    bool is_ready_ = false;
};

double gpu_used_mib() {
    const driver cuda;
    size_t free = 0, total = 0;
    if (!cuda.is_ready() || cuda.call("cuMemGetInfo_v2", &free, &total) != 0)
        return 0;
    return static_cast<double>(total - free) / mib;
}

// Captures, launches and destroys `count` graphs with a user object. Whether all calls succeeded.
bool make_graphs(const driver& cuda, int count) {
    constexpr unsigned non_blocking = 1, no_sync = 1, move = 1, thread_local_mode = 1;
    void *stream = nullptr, *memory = nullptr;
    bool is_good = cuda.call("cuStreamCreate", &stream, non_blocking) == 0 &&
                   cuda.call("cuMemAlloc_v2", &memory, size_t{4}) == 0;
    const auto nothing = +[](void*) {};
    for (int i = 0; i < count && is_good; ++i) {
        void *graph = nullptr, *instance = nullptr, *object = nullptr;
        is_good =
            cuda.call("cuStreamBeginCapture_v2", stream, thread_local_mode) == 0 &&
            cuda.call(
                "cuMemsetD8Async", memory, static_cast<unsigned char>(0), size_t{4}, stream) == 0 &&
            cuda.call("cuStreamEndCapture", stream, &graph) == 0 &&
            cuda.call("cuUserObjectCreate", &object, memory, nothing, 1U, no_sync) == 0 &&
            cuda.call("cuGraphRetainUserObject", graph, object, 1U, move) == 0 &&
            cuda.call("cuGraphInstantiateWithFlags", &instance, graph, 0ULL) == 0 &&
            cuda.call("cuGraphLaunch", instance, stream) == 0 &&
            cuda.call("cuStreamSynchronize", stream) == 0 &&
            cuda.call("cuGraphExecDestroy", instance) == 0 &&
            cuda.call("cuGraphDestroy", graph) == 0;
    }
    cuda.call("cuMemFree_v2", memory);
    cuda.call("cuStreamDestroy_v2", stream);
    return is_good;
}

void make_user_objects(const driver& cuda, int count) {
    constexpr unsigned no_sync = 1;
    const auto nothing = +[](void*) {};
    for (int i = 0; i < count; ++i) {
        void *object = nullptr, *argument = nullptr;
        if (cuda.call("cuUserObjectCreate", &object, argument, nothing, 1U, no_sync) == 0)
            cuda.call("cuUserObjectRelease", object, 1U);
    }
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

driver_loss find_driver_loss() {
    driver_loss loss;
    const driver cuda;
    constexpr int warm_up = 64, first = 256, second = 512, objects = 301;
    if (!cuda.is_ready() || !make_graphs(cuda, warm_up))
        return loss;
    const std::vector<place_use> before = driver_places();
    make_graphs(cuda, first);
    const std::vector<place_use> between = driver_places();
    make_graphs(cuda, second);
    const std::vector<place_use> after = driver_places();
    // A table that grows once in a while does not grow by the same for each graph of both batches.
    for (size_t i = 0; i < after.size(); ++i) {
        const double of_first = static_cast<double>(between[i].bytes - before[i].bytes) / first;
        const double of_second = static_cast<double>(after[i].bytes - between[i].bytes) / second;
        if (of_second >= 1 && std::abs(of_first - of_second) <= of_second / 16) {
            loss.places.push_back(i);
            loss.bytes_of_graph += of_second;
        }
    }
    make_user_objects(cuda, objects);
    const std::vector<place_use> with_objects = driver_places();
    for (size_t i = 0; i < with_objects.size(); ++i)
        if (with_objects[i].blocks - after[i].blocks == objects)
            loss.place_of_user_objects = i;
    return loss;
}

memory_use measure_memory(const driver_loss& loss) {
    malloc_trim(0);
    memory_use m{resident_mib(), gpu_used_mib(), static_cast<double>(own_live_bytes()) / mib};
    const std::vector<place_use> of_driver = driver_places();
    for (const size_t place : loss.places)
        m.lost_mib += static_cast<double>(of_driver[place].bytes) / mib;
    for (const place_use& place : of_driver)
        m.driver_mib += static_cast<double>(place.bytes) / mib;
    m.driver_mib -= m.lost_mib;
    if (loss.place_of_user_objects)
        m.user_objects = of_driver[*loss.place_of_user_objects].blocks;
    return m;
}

std::string growth_in(const soak_run& run) {
    const std::vector<soak_round>& rounds = run.rounds;
    constexpr size_t least_rounds = 6;
    constexpr double own = 1.0 / 16, most = 4; // MiB
    if (rounds.size() < least_rounds)
        return "too few rounds to tell whether memory grows";
    if (keeps_growing(rounds, own, [](const memory_use& m) { return m.own_mib; }))
        return "the memory that is not freed keeps growing";
    if (keeps_growing(rounds, most, [](const memory_use& m) { return m.driver_mib; }))
        return "the memory that the driver has not freed keeps growing";
    if (keeps_growing(rounds, most, [](const memory_use& m) {
            return m.rss_mib - m.driver_mib - m.lost_mib;
        }))
        return "the memory of the process keeps growing";
    if (keeps_growing(rounds, most, [](const memory_use& m) { return m.gpu_used_mib; }))
        return "the memory of the GPU, which all processes share, keeps growing";
    // Graphs that were launched, and had a user object as far as this is known.
    const memory_use &begin = rounds.front().memory, &end = rounds.back().memory;
    int64_t graphs = 0;
    for (size_t i = 1; i < rounds.size(); ++i)
        graphs += rounds[i].graphs;
    if (end.user_objects > 0)
        graphs = std::min(graphs, end.user_objects - begin.user_objects);
    const double allowance = static_cast<double>(graphs) * run.bytes_of_graph / mib;
    if (end.lost_mib - begin.lost_mib > allowance + own)
        return "the driver loses more than by its graphs";
    return "";
}

} // namespace fuzz
