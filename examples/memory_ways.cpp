// How data gets to the GPU and back: the same work in six ways, with a timeline. docs/memory.md
// tells what to learn from it.
//
//     c++ -O2 memory_ways.cpp -o memory_ways $(pkg-config --cflags --libs myblas)
//         -I/usr/local/cuda/include -L/usr/local/cuda/lib64 -lcudart
//     ./memory_ways [product|vector [ROWS COLUMNS [CHUNKS]]]
//
// product: Y = W X with W on the GPU, vector: Y = 2 X. X and Y, ROWS x COLUMNS, are in host memory.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <deque>
#include <functional>
#include <memory>
#include <myblas/myblas.h>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int rounds = 5, line_characters = 72;
constexpr size_t managed_part = 16; // of the GPU's free memory; more may drive out what is not ours
constexpr size_t page_bytes = 4096;

void check(myblasStatus_t status, const char* what) {
    if (status == MYBLAS_STATUS_SUCCESS)
        return;
    std::fprintf(stderr, "%s: %s\n", what, myblasGetStatusString(status));
    std::exit(EXIT_FAILURE);
}

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(EXIT_FAILURE);
}

using clock_type = std::chrono::steady_clock;

double ms_since(clock_type::time_point begin) {
    return std::chrono::duration<double, std::milli>(clock_type::now() - begin).count();
}

// ---- Memory -------------------------------------------------------------------------------------

enum class kind { pageable, pinned, managed, device };

using memory = std::unique_ptr<float, void (*)(float*)>;

memory allocate(kind of, size_t bytes) {
    void* data = nullptr;
    switch (of) {
    case kind::pageable:
        data = std::malloc(bytes);
        break;
    case kind::pinned:
        check(cudaHostAlloc(&data, bytes, cudaHostAllocDefault), "cudaHostAlloc");
        break;
    case kind::managed:
        check(cudaMallocManaged(&data, bytes), "cudaMallocManaged");
        break;
    case kind::device:
        check(cudaMalloc(&data, bytes), "cudaMalloc");
        break;
    }
    if (!data)
        check(cudaErrorMemoryAllocation, "malloc");
    if (of != kind::device)
        std::memset(data, 0, bytes); // the first write of each page costs, too
    void (*const release)(float*) = of == kind::pageable ? [](float* p) { std::free(p); }
                                    : of == kind::pinned ? [](float* p) { cudaFreeHost(p); }
                                                         : [](float* p) { cudaFree(p); };
    return {static_cast<float*>(data), release};
}

// ---- Steps --------------------------------------------------------------------------------------

enum engine { up, compute, down, engine_count };

struct span {
    engine by;
    double begin_ms, end_ms; // since the beginning of the round
};

// Begin and end of each step of a round: of the GPU by events, of the host by its clock.
class recorder {
public:
    recorder() { check(cudaEventCreate(&origin_), "cudaEventCreate"); }

    void begin_round(cudaStream_t stream) {
        used_ = 0;
        spans_.clear();
        check(cudaEventRecord(origin_, stream), "cudaEventRecord");
        check(cudaEventSynchronize(origin_), "cudaEventSynchronize");
        start_ = clock_type::now();
    }
    double since_begin_ms() const { return ms_since(start_); }

    void on_stream(engine by, cudaStream_t stream, const std::function<void()>& work) {
        if (used_ == steps_.size()) {
            steps_.push_back({});
            check(cudaEventCreate(&steps_.back().begin), "cudaEventCreate");
            check(cudaEventCreate(&steps_.back().end), "cudaEventCreate");
        }
        step& taken = steps_[used_++];
        taken.by = by;
        check(cudaEventRecord(taken.begin, stream), "cudaEventRecord");
        work();
        check(cudaEventRecord(taken.end, stream), "cudaEventRecord");
    }

    void on_host(engine by, const std::function<void()>& work) {
        const double begin = since_begin_ms();
        work();
        spans_.push_back({by, begin, since_begin_ms()});
    }

    // The times of the round, all of whose work is complete.
    std::vector<span> spans() const {
        std::vector<span> all = spans_;
        for (size_t i = 0; i < used_; ++i) {
            float begin = 0, end = 0;
            check(cudaEventElapsedTime(&begin, origin_, steps_[i].begin), "cudaEventElapsedTime");
            check(cudaEventElapsedTime(&end, origin_, steps_[i].end), "cudaEventElapsedTime");
            all.push_back({steps_[i].by, begin, end});
        }
        return all;
    }

private:
    struct step {
        engine by;
        cudaEvent_t begin, end;
    };
    cudaEvent_t origin_ = nullptr;
    clock_type::time_point start_;
    std::deque<step> steps_; // events are made once
    size_t used_ = 0;
    std::vector<span> spans_; // the host's
};

// What a round works on. A handle works on one stream at a time, so each of the two streams has its
// own.
struct scene {
    recorder& record;
    bool is_product = true;
    int64_t rows = 2048, columns = 16384; // an H100 takes about as long to multiply as to copy
    int64_t chunks = 8;
    int device = 0;
    myblasHandle_t handle[2] = {};
    cudaStream_t stream[2] = {};
    const float* weights = nullptr; // on the GPU, rows x rows
    float *device_x = nullptr, *device_y = nullptr;
    float *x = nullptr, *y = nullptr; // of the host, or managed

    int64_t first_column(int64_t chunk) const { return columns * chunk / chunks; }
    int64_t offset(int64_t chunk) const { return rows * first_column(chunk); }
    size_t bytes(int64_t chunk) const {
        return sizeof(float) * static_cast<size_t>(offset(chunk + 1) - offset(chunk));
    }
    size_t all_bytes() const { return sizeof(float) * static_cast<size_t>(rows * columns); }
    void wait() const {
        for (const cudaStream_t s : stream)
            check(cudaStreamSynchronize(s), "cudaStreamSynchronize");
    }
};

// The columns of a chunk, on stream `on`.
void multiply(const scene& s, int on, int64_t chunk, const float* from_x, float* to_y) {
    const int64_t rows = s.rows, columns = s.first_column(chunk + 1) - s.first_column(chunk);
    const float *x = from_x + s.offset(chunk), one = 1, two = 2, zero = 0;
    float* const y = to_y + s.offset(chunk);
    constexpr auto n = MYBLAS_OP_N;
    const myblasHandle_t handle = s.handle[on];
    // clang-format off
    const myblasStatus_t status =
        s.is_product ? mysgemm_64(handle, n, n, rows, columns, rows, &one, s.weights, rows,
                                  x, rows, &zero, y, rows)
                     : mysgeam_64(handle, n, n, rows, columns, &two, x, rows, &zero, x, rows,
                                  y, rows);
    // clang-format on
    check(status, "the work");
}

void copy(void* to, const void* from, size_t bytes, cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
}

void prefetch(const scene& s, const void* data, size_t bytes, bool to_host, cudaStream_t stream) {
#if CUDART_VERSION >= 13000
    cudaMemLocation where{};
    where.type = to_host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    where.id = to_host ? 0 : s.device;
    check(cudaMemPrefetchAsync(data, bytes, where, 0, stream), "cudaMemPrefetchAsync");
#else
    check(cudaMemPrefetchAsync(data, bytes, to_host ? cudaCpuDeviceId : s.device, stream),
          "cudaMemPrefetchAsync");
#endif
}

// ---- The ways: each returns when the host can read all results ----------------------------------

// One step after the other, on one stream.
void copy_all(const scene& s) {
    const cudaStream_t only = s.stream[0];
    s.record.on_stream(up, only, [&] { copy(s.device_x, s.x, s.all_bytes(), only); });
    s.record.on_stream(compute, only, [&] {
        for (int64_t chunk = 0; chunk < s.chunks; ++chunk)
            multiply(s, 0, chunk, s.device_x, s.device_y);
    });
    s.record.on_stream(down, only, [&] { copy(s.y, s.device_y, s.all_bytes(), only); });
    s.wait();
}

// Chunk by chunk, on two streams in turn. A step waits for the step before it of the same chunk,
// and for no other chunk.
void copy_chunks(const scene& s) {
    for (int64_t chunk = 0; chunk < s.chunks; ++chunk) {
        const int on = static_cast<int>(chunk % 2);
        const cudaStream_t stream = s.stream[on];
        const int64_t at = s.offset(chunk);
        const size_t bytes = s.bytes(chunk);
        s.record.on_stream(up, stream, [&] { copy(s.device_x + at, s.x + at, bytes, stream); });
        s.record.on_stream(
            compute, stream, [&] { multiply(s, on, chunk, s.device_x, s.device_y); });
        s.record.on_stream(down, stream, [&] { copy(s.y + at, s.device_y + at, bytes, stream); });
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
    for (int64_t chunk = 0; chunk < s.chunks; ++chunk)
        s.record.on_stream(compute, s.stream[0], [&] { multiply(s, 0, chunk, s.x, s.y); });
    s.wait();
    s.record.on_host(down, [&] { read_pages(s); });
}

// As copy_chunks. The pages of the result travel up, too: the driver does not know that they will
// be overwritten.
void prefetch_chunks(const scene& s) {
    for (int64_t chunk = 0; chunk < s.chunks; ++chunk) {
        const int on = static_cast<int>(chunk % 2);
        const cudaStream_t stream = s.stream[on];
        const int64_t at = s.offset(chunk);
        s.record.on_stream(up, stream, [&] {
            prefetch(s, s.x + at, s.bytes(chunk), false, stream);
            prefetch(s, s.y + at, s.bytes(chunk), false, stream);
        });
        s.record.on_stream(compute, stream, [&] { multiply(s, on, chunk, s.x, s.y); });
        s.record.on_stream(
            down, stream, [&] { prefetch(s, s.y + at, s.bytes(chunk), true, stream); });
    }
    s.wait();
    s.record.on_host(down, [&] { read_pages(s); });
}

struct way {
    const char* name;
    kind of;
    void (*run)(const scene&);
};
constexpr way ways[] = {
    {"pageable, one stream", kind::pageable, copy_all},
    {"pageable, two streams", kind::pageable, copy_chunks},
    {"pinned, one stream", kind::pinned, copy_all},
    {"pinned, two streams", kind::pinned, copy_chunks},
    {"managed, prefetched", kind::managed, prefetch_chunks},
    {"managed", kind::managed, fault_pages},
};

// ---- Results ------------------------------------------------------------------------------------

// The time in which an engine has work. Where spans overlap, their time counts once.
double busy_ms(std::vector<span> spans, engine by) {
    std::sort(spans.begin(), spans.end(), [](const span& a, const span& b) {
        return a.begin_ms < b.begin_ms;
    });
    double sum = 0, until = 0;
    for (const span& s : spans)
        if (s.by == by) {
            sum += std::max(0.0, s.end_ms - std::max(s.begin_ms, until));
            until = std::max(until, s.end_ms);
        }
    return sum;
}

void print_timeline(const char* name, const std::vector<span>& spans, double longest_ms) {
    constexpr const char* names[] = {"up", "compute", "down"};
    std::printf("\n%s\n", name);
    for (int by = 0; by < engine_count; ++by) {
        std::string line(line_characters, ' ');
        const auto place = [&](double ms) {
            return std::clamp(static_cast<int>(std::lround(ms / longest_ms * line_characters)),
                              0,
                              line_characters);
        };
        for (const span& s : spans)
            if (s.by == by) {
                const int begin = std::min(place(s.begin_ms), line_characters - 1);
                std::fill(line.begin() + begin,
                          line.begin() + std::max(place(s.end_ms), begin + 1),
                          ">#<"[by]);
            }
        std::printf("  %-8s %s\n", names[by], line.c_str());
    }
}

// Some results against float64.
bool is_right(const scene& s, const std::vector<float>& weights, const std::vector<float>& x) {
    const auto rows = static_cast<size_t>(s.rows);
    std::mt19937_64 random(1);
    for (int sample = 0; sample < 64; ++sample) {
        const size_t at = random() % x.size(), row = at % rows, first = at - row;
        double sum = s.is_product ? 0 : 2.0 * x[at], magnitude = std::fabs(sum);
        for (size_t p = 0; s.is_product && p < rows; ++p) {
            const double term = double{weights[row + p * rows]} * x[first + p];
            sum += term;
            magnitude += std::fabs(term);
        }
        const double bound = (static_cast<double>(rows) + 4) * 0x1p-24 * magnitude;
        if (!(std::fabs(s.y[at] - sum) <= bound)) // NaN is wrong, too
            return false;
    }
    return true;
}

std::vector<float> random_values(size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> values(count);
    for (float& value : values)
        value = uniform(random);
    return values;
}

struct measured {
    const char* name;
    double total_ms;
    std::vector<span> spans; // of the round whose time is the median
};

measured measure(const way& w, const scene& s, const std::vector<float>& x) {
    std::vector<std::pair<double, std::vector<span>>> all;
    for (int round = -1; round < rounds; ++round) { // the first loads the kernels
        // Managed pages come back to the host by that, as if it had just made the data.
        std::memcpy(s.x, x.data(), s.all_bytes());
        std::memset(s.y, 0xff, s.all_bytes());
        check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        s.record.begin_round(s.stream[0]);
        w.run(s);
        const double total = s.record.since_begin_ms();
        if (round >= 0)
            all.emplace_back(total, s.record.spans());
    }
    const auto middle = all.begin() + rounds / 2;
    std::nth_element(all.begin(), middle, all.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    return {w.name, middle->first, middle->second};
}

// Why managed memory is not measured; empty: it is.
std::string why_not(int device, size_t bytes, size_t free_bytes) {
    int is_concurrent = 0;
    check(cudaDeviceGetAttribute(&is_concurrent, cudaDevAttrConcurrentManagedAccess, device),
          "cudaDeviceGetAttribute");
    if (!is_concurrent)
        return "this GPU or driver has no concurrent managed access";
    if (bytes > free_bytes / managed_part)
        return "it takes more than a sixteenth of the GPU's free memory";
    return "";
}

// What the columns of a way's line say, and whether its results are those of the first way.
bool run_way(const way& w,
             scene& s,
             const std::vector<float>& weights,
             const std::vector<float>& x,
             std::vector<float>& first_result,
             std::vector<measured>& all) {
    const auto begin = clock_type::now();
    const memory host_x = allocate(w.of, s.all_bytes()), host_y = allocate(w.of, s.all_bytes());
    const double allocate_ms = ms_since(begin);
    s.x = host_x.get();
    s.y = host_y.get();
    all.push_back(measure(w, s, x));
    const measured& m = all.back();
    const bool is_first = first_result.empty();
    if (is_first)
        first_result.assign(s.y, s.y + x.size());
    const bool right = is_first ? is_right(s, weights, x)
                                : std::memcmp(first_result.data(), s.y, s.all_bytes()) == 0;
    std::printf("%-22s %9.2f %9.2f %7.1f %9.2f %9.2f %9.2f%s\n",
                w.name,
                allocate_ms,
                m.total_ms,
                2e-6 * static_cast<double>(s.all_bytes()) / m.total_ms,
                busy_ms(m.spans, up),
                busy_ms(m.spans, compute),
                busy_ms(m.spans, down),
                right ? "" : "  WRONG");
    return right;
}

bool run_ways(scene& s,
              size_t free_bytes,
              const std::vector<float>& weights,
              const std::vector<float>& x) {
    std::printf("%-22s %9s %9s %7s %9s %9s %9s\n",
                "memory",
                "allocate",
                "total ms",
                "GB/s",
                "up",
                "compute",
                "down");
    std::vector<measured> all;
    std::vector<float> first_result;
    bool is_all_right = true;
    for (const way& w : ways) {
        const std::string reason =
            w.of == kind::managed ? why_not(s.device, 2 * s.all_bytes(), free_bytes) : "";
        if (reason.empty())
            is_all_right = run_way(w, s, weights, x, first_result, all) && is_all_right;
        else
            std::printf("%-22s not measured: %s\n", w.name, reason.c_str());
    }
    double longest = 0;
    for (const measured& m : all)
        longest = std::max(longest, m.total_ms);
    for (const measured& m : all)
        print_timeline(m.name, m.spans, longest);
    std::printf("\nA line is %.2f ms long. Steps above each other overlap.\n", longest);
    return is_all_right;
}

memory on_device(const std::vector<float>& values) {
    const size_t bytes = values.size() * sizeof(float);
    memory copy = allocate(kind::device, bytes);
    check(cudaMemcpy(copy.get(), values.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    return copy;
}

} // namespace

int main(int argc, char** argv) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::printf("There is no GPU here.\n");
        return EXIT_SUCCESS;
    }
    recorder record;
    scene s{record};
    s.is_product = argc < 2 || std::strcmp(argv[1], "vector") != 0;
    if (argc > 3)
        s.rows = std::atoll(argv[2]), s.columns = std::atoll(argv[3]);
    if (argc > 4)
        s.chunks = std::atoll(argv[4]);
    size_t free_bytes = 0, total_bytes = 0;
    check(cudaGetDevice(&s.device), "cudaGetDevice");
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    const auto weight_count = static_cast<size_t>(s.is_product ? s.rows * s.rows : 1);
    if (s.rows < 1 || s.columns < 1 || s.chunks < 1 || s.chunks > s.columns ||
        2 * s.all_bytes() + weight_count * sizeof(float) > free_bytes / 2) {
        std::fprintf(
            stderr,
            "usage: %s [product|vector [ROWS COLUMNS [CHUNKS]]]: sizes from 1 on that fit half "
            "of the GPU's free memory, at most as many chunks as columns\n",
            argv[0]);
        return 2;
    }
    for (int i = 0; i < 2; ++i) {
        check(cudaStreamCreateWithFlags(&s.stream[i], cudaStreamNonBlocking), "cudaStreamCreate");
        check(myblasCreateOn(&s.handle[i], MYBLAS_BACKEND_CUDA), "myblasCreateOn");
        check(myblasSetStream(s.handle[i], s.stream[i]), "myblasSetStream");
    }
    const std::vector<float> x = random_values(static_cast<size_t>(s.rows * s.columns), 1);
    const std::vector<float> weights = random_values(weight_count, 2);
    const memory device_weights = on_device(weights);
    const memory device_x = allocate(kind::device, s.all_bytes());
    const memory device_y = allocate(kind::device, s.all_bytes());
    s.weights = device_weights.get();
    s.device_x = device_x.get();
    s.device_y = device_y.get();
    const bool is_all_right = run_ways(s, free_bytes, weights, x);
    for (const myblasHandle_t handle : s.handle)
        myblasDestroy(handle);
    return is_all_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
