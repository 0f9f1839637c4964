// Ways of data to the GPU and back, with stand-ins for CUDA's runtime that work in host memory, and the host backend:
// every way brings the right result, a wrong one is found, and what cannot be measured says why.
#include "errors.h"
#include "memory_ways.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

extern "C" {
#include <cmocka.h>
}

using namespace bench;

namespace {

// What the stand-ins do, set by each test.
struct behaviour {
    size_t free_bytes = size_t{1} << 34;
    int concurrent_access = 1;
    int copies_until_loss = -1; // the copy that is left out; -1: none
    bool prefetch_fails = false;
    int prefetches = 0;
    int allocations = 0; // that were not freed
} now;

cudaError_t allocate(void** data, size_t bytes) {
    *data = std::malloc(std::max<size_t>(bytes, 1));
    ++now.allocations;
    return cudaSuccess;
}

cudaError_t release(void* data) {
    std::free(data);
    --now.allocations;
    return cudaSuccess;
}

struct moment {
    std::chrono::steady_clock::time_point at;
};

moment& of(cudaEvent_t event) { return *reinterpret_cast<moment*>(event); }

} // namespace

extern "C" {

cudaError_t cudaMalloc(void** data, size_t bytes) { return allocate(data, bytes); }
cudaError_t cudaFree(void* data) { return release(data); }
cudaError_t cudaHostAlloc(void** data, size_t bytes, unsigned) { return allocate(data, bytes); }
cudaError_t cudaFreeHost(void* data) { return release(data); }
cudaError_t cudaMallocManaged(void** data, size_t bytes, unsigned) { return allocate(data, bytes); }
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}
cudaError_t
cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t) {
    if (now.copies_until_loss-- != 0)
        std::memcpy(to, from, bytes);
    return cudaSuccess;
}
#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t) {
#else
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t) {
#endif
    ++now.prefetches;
    return now.prefetch_fails ? cudaErrorInvalidDevice : cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    *stream = nullptr;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaDeviceSynchronize(void) { return cudaSuccess; }
cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
    *value = now.concurrent_access;
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total) {
    *free_bytes = *total = now.free_bytes;
    return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t) { return "an error of the stand-in"; }
cudaError_t cudaEventCreate(cudaEvent_t* event) {
    *event = reinterpret_cast<cudaEvent_t>(new moment);
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete &of(event);
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
    of(event).at = std::chrono::steady_clock::now();
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end) {
    *ms = std::chrono::duration<float, std::milli>(of(end).at - of(begin).at).count();
    return cudaSuccess;
}

} // extern "C"

namespace {

memory_options small(bool is_product) {
    memory_options chosen;
    chosen.is_product = is_product;
    chosen.rows = 24;
    chosen.columns = 37; // chunks of 12, 12 and 13
    chosen.chunks = 3;
    chosen.rounds = 2;
    return chosen;
}

std::vector<way_times> measured(const memory_options& chosen) {
    std::vector<way_times> all;
    measure_memory_ways(
        chosen, MYBLAS_BACKEND_HOST, 7, [&](const way_times& found) { all.push_back(found); });
    assert_int_equal(now.allocations, 0);
    return all;
}

int64_t count_of(const way_times& found, engine by) {
    return std::count_if(
        found.spans.begin(), found.spans.end(), [&](const span& s) { return s.by == by; });
}

void every_way_is_right(void**) {
    constexpr double apart_ms =
        5; // the clock of events and that of the host begin one after the other
    for (const bool is_product : {true, false}) {
        now = {};
        const std::vector<way_times> all = measured(small(is_product));
        assert_int_equal(all.size(), 6);
        for (const way_times& found : all) {
            assert_true(found.passed && found.skipped.empty());
            assert_int_equal(found.rounds_ms.size(), 2);
            assert_true(found.median_ms > 0);
            for (const span& s : found.spans)
                assert_true(s.begin_ms >= 0 && s.end_ms >= s.begin_ms &&
                            s.begin_ms <= found.median_ms + apart_ms);
        }
        assert_int_equal(count_of(all[2], engine::up), 1);
        for (const engine by : {engine::up, engine::compute, engine::down})
            assert_int_equal(count_of(all[3], by), 3);
        assert_int_equal(now.prefetches, 3 * 3 * 3); // of X, Y and Y, in each chunk of each round
        assert_int_equal(count_of(all[5], engine::up), 0);
    }
}

// The last copy of the last round of each way that copies, in the order of the calls.
void a_lost_copy_is_found(void**) {
    const int one_stream = 3 * 2, two_streams = 3 * 3 * 2; // copies of all rounds
    const int ends[] = {one_stream,
                        one_stream + two_streams,
                        2 * one_stream + two_streams,
                        2 * one_stream + 2 * two_streams};
    for (size_t way = 0; way < std::size(ends); ++way) {
        now = {};
        now.copies_until_loss = ends[way] - 1;
        const std::vector<way_times> all = measured(small(true));
        assert_false(all[way].passed);
    }
}

void managed_memory_needs_concurrent_access(void**) {
    now = {};
    now.concurrent_access = 0;
    const std::vector<way_times> all = measured(small(true));
    assert_int_equal(all.size(), 6);
    assert_true(all[3].skipped.empty());
    assert_non_null(std::strstr(all[4].skipped.c_str(), "concurrent"));
    assert_true(all[5].passed && !all[5].skipped.empty());
}

void little_of_the_gpu_is_managed(void**) {
    now = {};
    const memory_options chosen = small(false);
    const size_t bytes = 2 * sizeof(float) * static_cast<size_t>(chosen.rows * chosen.columns);
    now.free_bytes = 16 * bytes;
    assert_true(measured(chosen)[5].skipped.empty());
    now.free_bytes = 16 * bytes - 16;
    assert_non_null(std::strstr(measured(chosen)[5].skipped.c_str(), "1/16"));
    now.free_bytes = 2 * bytes - 2;
    bool refused = false;
    try {
        measured(chosen);
    } catch (const usage_error&) {
        refused = true;
    }
    assert_true(refused);
}

void an_error_of_cuda_ends_the_rest(void**) {
    now = {};
    now.prefetch_fails = true;
    const std::vector<way_times> all = measured(small(true));
    assert_int_equal(all.size(), 5);
    assert_false(all[4].passed);
    assert_non_null(std::strstr(all[4].skipped.c_str(), "an error of the stand-in"));
    assert_true(all[3].passed);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {cmocka_unit_test(every_way_is_right),
                                cmocka_unit_test(a_lost_copy_is_found),
                                cmocka_unit_test(managed_memory_needs_concurrent_access),
                                cmocka_unit_test(little_of_the_gpu_is_managed),
                                cmocka_unit_test(an_error_of_cuda_ends_the_rest)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
