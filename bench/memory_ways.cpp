#include "memory_ways.h"

#include "bounds.h"
#include "cuda_check.h"
#include "library.h"
#include "random.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>

namespace bench {
namespace {

// Of the GPU's free memory; managed memory beyond it may drive out what is not ours.
constexpr size_t managed_part = 16, device_part = 2;
constexpr size_t page_bytes = 4096;
constexpr int stream_count = 2;
constexpr int sample_count = 64; // results that are compared with float64
constexpr float vector_factor = 2;

enum class memory_kind { pageable, pinned, managed };

// Memory that the host reads and writes. All its pages have been written.
class host_memory {
public:
    host_memory(memory_kind kind, size_t bytes) : kind_(kind) {
        switch (kind) {
        case memory_kind::pageable:
            data_ = std::malloc(bytes);
            if (!data_)
                throw failure("malloc: out of memory");
            break;
        case memory_kind::pinned:
            require_cuda(cudaHostAlloc(&data_, bytes, cudaHostAllocDefault), "cudaHostAlloc");
            break;
        case memory_kind::managed:
            require_cuda(cudaMallocManaged(&data_, bytes), "cudaMallocManaged");
            break;
        }
        std::memset(data_, 0, bytes);
    }
    ~host_memory() {
        switch (kind_) {
        case memory_kind::pageable:
            std::free(data_);
            break;
        case memory_kind::pinned:
            cudaFreeHost(data_);
            break;
        case memory_kind::managed:
            cudaFree(data_);
            break;
        }
    }
    host_memory(const host_memory&) = delete;
    host_memory& operator=(const host_memory&) = delete;

    float* data() const { return static_cast<float*>(data_); }

private:
    memory_kind kind_;
    void* data_ = nullptr;
};

// A stream, and a handle that computes on it.
class lane {
public:
    explicit lane(myblasBackend_t backend) : handle_(backend) {
        require(myblasSetStream(handle_.get(), stream_.get()), "myblasSetStream");
    }

    cudaStream_t stream() const { return stream_.get(); }
    myblasHandle_t handle() const { return handle_.get(); }
    void wait() const {
        require_cuda(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
    }

private:
    cuda_stream stream_; // outlives the handle
    library_handle handle_;
};

// Begin and end of each step of a round: of the GPU by events, of the host by its clock.
class step_clock {
public:
    void begin_round(cudaStream_t stream) {
        used_ = 0;
        spans_.clear();
        origin_.record(stream);
        origin_.wait();
        start_ = clock::now();
    }

    double since_begin_ms() const {
        return std::chrono::duration<double, std::milli>(clock::now() - start_).count();
    }

    template <class Work>
    void on_stream(engine by, cudaStream_t stream, const Work& work) {
        if (used_ == steps_.size())
            steps_.emplace_back();
        step& taken = steps_[used_++];
        taken.by = by;
        taken.begin.record(stream);
        work();
        taken.end.record(stream);
    }

    template <class Work>
    void on_host(engine by, const Work& work) {
        const double begin = since_begin_ms();
        work();
        spans_.push_back({by, begin, since_begin_ms()});
    }

    // Of the round so far; all work has been waited for.
    std::vector<span> spans() const {
        std::vector<span> all = spans_;
        for (size_t i = 0; i < used_; ++i)
            all.push_back({steps_[i].by,
                           steps_[i].begin.us_since(origin_) / 1000,
                           steps_[i].end.us_since(origin_) / 1000});
        return all;
    }

private:
    using clock = std::chrono::steady_clock;
    struct step {
        engine by = engine::up;
        cuda_event begin, end;
    };

    cuda_event origin_;
    clock::time_point start_;
    std::deque<step> steps_; // events are made once
    size_t used_ = 0;
    std::vector<span> spans_; // the host's
};

// What a round works on: X in host memory, and room for the result Y, both rows x columns and tight.
struct scene {
    const memory_options& chosen;
    int device;
    const lane* lanes;
    step_clock& clock;
    const float* weights; // on the GPU, rows x rows
    float *device_x, *device_y;
    float *x, *y; // of the host, or managed

    int64_t first_column(int64_t chunk) const { return chosen.columns * chunk / chosen.chunks; }
    int64_t offset(int64_t chunk) const { return chosen.rows * first_column(chunk); }
    size_t bytes(int64_t chunk) const {
        return sizeof(float) * static_cast<size_t>(offset(chunk + 1) - offset(chunk));
    }
    size_t all_bytes() const {
        return sizeof(float) * static_cast<size_t>(chosen.rows * chosen.columns);
    }
    const lane& lane_of(int64_t chunk) const { return lanes[chunk % stream_count]; }
    void wait() const {
        for (int i = 0; i < stream_count; ++i)
            lanes[i].wait();
    }
};

// Y = W X, or 2 X, of the columns of a chunk; from_x and to_y: the whole matrices.
void compute(const scene& s, const lane& on, int64_t chunk, const float* from_x, float* to_y) {
    const int64_t rows = s.chosen.rows, columns = s.first_column(chunk + 1) - s.first_column(chunk);
    const float* x = from_x + s.offset(chunk);
    float* y = to_y + s.offset(chunk);
    const float one = 1, zero = 0;
    if (s.chosen.is_product)
        require(mysgemm_64(on.handle(),
                           MYBLAS_OP_N,
                           MYBLAS_OP_N,
                           rows,
                           columns,
                           rows,
                           &one,
                           s.weights,
                           rows,
                           x,
                           rows,
                           &zero,
                           y,
                           rows),
                "mysgemm_64");
    else
        require(mysgeam_64(on.handle(),
                           MYBLAS_OP_N,
                           MYBLAS_OP_N,
                           rows,
                           columns,
                           &vector_factor,
                           x,
                           rows,
                           &zero,
                           x,
                           rows,
                           y,
                           rows),
                "mysgeam_64");
}

void copy(void* to, const void* from, size_t bytes, cudaStream_t stream) {
    require_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
}

// One step after the other, on one stream.
void copy_all(const scene& s) {
    const lane& only = s.lanes[0];
    s.clock.on_stream(
        engine::up, only.stream(), [&] { copy(s.device_x, s.x, s.all_bytes(), only.stream()); });
    s.clock.on_stream(engine::compute, only.stream(), [&] {
        for (int64_t chunk = 0; chunk < s.chosen.chunks; ++chunk)
            compute(s, only, chunk, s.device_x, s.device_y);
    });
    s.clock.on_stream(
        engine::down, only.stream(), [&] { copy(s.y, s.device_y, s.all_bytes(), only.stream()); });
    s.wait();
}

// Chunk by chunk, on two streams in turn: the steps of one chunk wait for each other, those of neighbours do not.
void copy_chunks(const scene& s) {
    for (int64_t chunk = 0; chunk < s.chosen.chunks; ++chunk) {
        const lane& on = s.lane_of(chunk);
        const int64_t at = s.offset(chunk);
        s.clock.on_stream(engine::up, on.stream(), [&] {
            copy(s.device_x + at, s.x + at, s.bytes(chunk), on.stream());
        });
        s.clock.on_stream(
            engine::compute, on.stream(), [&] { compute(s, on, chunk, s.device_x, s.device_y); });
        s.clock.on_stream(engine::down, on.stream(), [&] {
            copy(s.y + at, s.device_y + at, s.bytes(chunk), on.stream());
        });
    }
    s.wait();
}

// A value of each page: managed pages that are on the GPU come back for it.
void read_pages(const scene& s) {
    const volatile float* values = s.y;
    for (size_t i = 0; i < s.all_bytes() / sizeof(float); i += page_bytes / sizeof(float))
        (void)values[i];
}

// Kernels and the host take the pages that they miss: each page waits for a fault.
void fault_pages(const scene& s) {
    const lane& only = s.lanes[0];
    for (int64_t chunk = 0; chunk < s.chosen.chunks; ++chunk)
        s.clock.on_stream(
            engine::compute, only.stream(), [&] { compute(s, only, chunk, s.x, s.y); });
    s.wait();
    s.clock.on_host(engine::down, [&] { read_pages(s); });
}

void prefetch(const void* data, size_t bytes, bool to_host, int device, cudaStream_t stream) {
#if CUDART_VERSION >= 13000
    cudaMemLocation where{};
    where.type = to_host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    where.id = to_host ? 0 : device;
    require_cuda(cudaMemPrefetchAsync(data, bytes, where, 0, stream), "cudaMemPrefetchAsync");
#else
    require_cuda(cudaMemPrefetchAsync(data, bytes, to_host ? cudaCpuDeviceId : device, stream),
                 "cudaMemPrefetchAsync");
#endif
}

// As copy_chunks. The pages of the result travel up, too: the driver does not know that they will be overwritten.
void prefetch_chunks(const scene& s) {
    for (int64_t chunk = 0; chunk < s.chosen.chunks; ++chunk) {
        const lane& on = s.lane_of(chunk);
        const int64_t at = s.offset(chunk);
        s.clock.on_stream(engine::up, on.stream(), [&] {
            prefetch(s.x + at, s.bytes(chunk), false, s.device, on.stream());
            prefetch(s.y + at, s.bytes(chunk), false, s.device, on.stream());
        });
        s.clock.on_stream(engine::compute, on.stream(), [&] { compute(s, on, chunk, s.x, s.y); });
        s.clock.on_stream(engine::down, on.stream(), [&] {
            prefetch(s.y + at, s.bytes(chunk), true, s.device, on.stream());
        });
    }
    s.wait();
    s.clock.on_host(engine::down, [&] { read_pages(s); });
}

struct way {
    const char* name;
    memory_kind kind;
    void (*run)(const scene&); // returns when the host can read all results
};

// Managed memory last: a GPU that cannot serve its faults spoils what comes behind.
constexpr way ways[] = {
    {"pageable, one stream", memory_kind::pageable, copy_all},
    {"pageable, two streams", memory_kind::pageable, copy_chunks},
    {"pinned, one stream", memory_kind::pinned, copy_all},
    {"pinned, two streams", memory_kind::pinned, copy_chunks},
    {"managed, prefetched", memory_kind::managed, prefetch_chunks},
    {"managed", memory_kind::managed, fault_pages},
};

std::string why_not(const way& w, int device, size_t managed_bytes, size_t free_bytes) {
    if (w.kind != memory_kind::managed)
        return {};
    int is_concurrent = 0;
    require_cuda(cudaDeviceGetAttribute(&is_concurrent, cudaDevAttrConcurrentManagedAccess, device),
                 "cudaDeviceGetAttribute");
    if (!is_concurrent)
        return "this GPU or driver has no concurrent managed access";
    if (managed_bytes > free_bytes / managed_part)
        return fmt::format("{} MB are more than 1/{} of the GPU's free memory",
                           managed_bytes / 1000000,
                           managed_part);
    return {};
}

std::vector<float> random_matrix(int64_t rows, int64_t columns, uint64_t seed) {
    std::vector<float> values(static_cast<size_t>(rows * columns));
    for (size_t i = 0; i < values.size(); ++i)
        random_value(seed, i, values[i]);
    return values;
}

// Some results against float64.
bool is_right(const memory_options& chosen,
              const std::vector<float>& weights,
              const std::vector<float>& x,
              const float* y) {
    const auto rows = static_cast<size_t>(chosen.rows);
    for (uint64_t sample = 0; sample < sample_count; ++sample) {
        const size_t at = random_bits(0, sample) % x.size(), row = at % rows, first = at - row;
        if (!chosen.is_product) {
            if (y[at] != vector_factor * x[at])
                return false;
            continue;
        }
        double sum = 0, magnitude = 0;
        for (size_t p = 0; p < rows; ++p) {
            const double term = double{weights[row + p * rows]} * x[first + p];
            sum += term;
            magnitude += std::abs(term);
        }
        const double bound = product_bound(MYBLAS_FP32_STRICT_MATH, chosen.rows) * 0x1p-24;
        if (!(std::abs(y[at] - sum) <= bound * magnitude)) // NaN is wrong, too
            return false;
    }
    return true;
}

// Fills rounds_ms, median_ms and spans.
void take_rounds(way_times& found, const way& w, const scene& s, const std::vector<float>& x) {
    std::vector<std::vector<span>> spans;
    for (int round = -1; round < s.chosen.rounds; ++round) { // the first loads the kernels
        // Managed pages come back to the host by that, as if it had just made the data.
        std::memcpy(s.x, x.data(), s.all_bytes());
        std::memset(s.y, 0xff, s.all_bytes());
        require_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        s.clock.begin_round(s.lanes[0].stream());
        w.run(s);
        const double total = s.clock.since_begin_ms();
        if (round < 0)
            continue;
        found.rounds_ms.push_back(total);
        spans.push_back(s.clock.spans());
    }
    std::vector<size_t> order(spans.size());
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
    std::nth_element(order.begin(), middle, order.end(), [&](size_t a, size_t b) {
        return found.rounds_ms[a] < found.rounds_ms[b];
    });
    found.median_ms = found.rounds_ms[*middle];
    found.spans = spans[*middle];
}

} // namespace

void measure_memory_ways(const memory_options& chosen,
                         myblasBackend_t backend,
                         uint64_t seed,
                         const std::function<void(const way_times&)>& report) {
    int device = 0;
    size_t free_bytes = 0, total_bytes = 0;
    require_cuda(cudaGetDevice(&device), "cudaGetDevice");
    require_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    const size_t bytes = sizeof(float) * static_cast<size_t>(chosen.rows * chosen.columns);
    const size_t weight_bytes =
        chosen.is_product ? sizeof(float) * static_cast<size_t>(chosen.rows * chosen.rows) : 0;
    if (2 * bytes + weight_bytes > free_bytes / device_part)
        throw usage_error(fmt::format("{} MB do not fit half of the GPU's free memory",
                                      (2 * bytes + weight_bytes) / 1000000));

    const std::vector<float> x = random_matrix(chosen.rows, chosen.columns, seed);
    const std::vector<float> weights =
        random_matrix(chosen.rows, chosen.is_product ? chosen.rows : 0, seed + 1);
    const device_memory device_x(bytes), device_y(bytes);
    const device_memory device_weights(std::max<size_t>(weight_bytes, 1));
    if (weight_bytes > 0)
        require_cuda(
            cudaMemcpy(device_weights.data(), weights.data(), weight_bytes, cudaMemcpyHostToDevice),
            "cudaMemcpy");
    const lane lanes[stream_count] = {lane(backend), lane(backend)};
    step_clock clock;
    std::vector<float> first_result;

    for (const way& w : ways) {
        way_times found;
        found.name = w.name;
        found.skipped = why_not(w, device, 2 * bytes, free_bytes);
        if (!found.skipped.empty()) {
            report(found);
            continue;
        }
        try {
            const auto start = std::chrono::steady_clock::now();
            const host_memory host_x(w.kind, bytes), host_y(w.kind, bytes);
            found.allocate_ms =
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                    .count();
            const scene s{chosen,
                          device,
                          lanes,
                          clock,
                          static_cast<const float*>(device_weights.data()),
                          static_cast<float*>(device_x.data()),
                          static_cast<float*>(device_y.data()),
                          host_x.data(),
                          host_y.data()};
            take_rounds(found, w, s, x);
            if (first_result.empty()) {
                first_result.assign(host_y.data(), host_y.data() + x.size());
                found.passed = is_right(chosen, weights, x, host_y.data());
            } else {
                found.passed = std::memcmp(first_result.data(), host_y.data(), bytes) == 0;
            }
        } catch (const failure& error) {
            // After an error the GPU may not work on; what was measured before still counts.
            found.skipped = error.what();
            found.passed = false;
            report(found);
            return;
        }
        report(found);
    }
}

} // namespace bench
