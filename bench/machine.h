// The backend under test. It has memory that the bench fills and reads, a clock, and the other
// libraries that compute the same. One implementation for the host, one for CUDA.
#pragma once

#include "matrix_data.h"
#include "myblas/myblas.h"
#include "reference.h"
#include "shape.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bench {

// Memory of the backend; `offset` elements are already added. In place, b is a.
struct operands {
    void* a = nullptr;
    void* b = nullptr;
    void* c = nullptr;
    void* bias = nullptr; // of a fused product
    // Arrays of the batch's pointers, also in memory of the backend; null without pointer_array.
    float** a_list = nullptr;
    float** b_list = nullptr;
    float** c_list = nullptr;
};

// A call that is timed beside others. `prepare` is not timed. Both functions throw on failure.
struct subject {
    std::string name;
    std::function<void()> call; // enqueues on the machine's stream
    std::function<void()> prepare = [] {};
    bool slow_in_graph = false; // as the node of a graph, so it is measured enqueued
};

// How a subject is timed: by a replayed graph of calls, by calls in a row on the stream, by single
// calls, by the host's time for an asynchronous call, or by the host's clock.
enum class timing { graph, queue, event, enqueue, wall };
inline constexpr named<timing> timings[] = {{"graph", timing::graph},
                                            {"queue", timing::queue},
                                            {"event", timing::event},
                                            {"enqueue", timing::enqueue},
                                            {"wall", timing::wall}};
inline const char* to_text(timing how) { return name_of(timings, how); }

struct sample {
    double us = 0;             // of one call
    unsigned sm_clock_mhz = 0; // 0: not read, or not available
};

// Times one subject. Making it warms the subject up and, for graphs, captures it.
class stopwatch {
public:
    virtual ~stopwatch() = default;
    virtual sample take(bool with_clock) = 0;
};

// A sum, and the sum of the magnitudes, both in more than double precision.
struct exact_sum {
    long double value = 0, magnitude = 0;
};

// The highest rates that the machine reaches; 0: not measured.
struct ceilings {
    double fma_gflops = 0;     // FP32 multiply-adds on registers
    double copy_gbps = 0;      // device to device copy, read + written
    double read_gbps = 0;      // read-only sweep
    double empty_graph_us = 0; // an empty kernel in a replayed graph
};
inline constexpr named<double ceilings::*> ceiling_names[] = {
    {"fma_gflops", &ceilings::fma_gflops},
    {"copy_gbps", &ceilings::copy_gbps},
    {"read_gbps", &ceilings::read_gbps},
    {"empty_graph_us", &ceilings::empty_graph_us}};

struct facts {
    std::string gpu, driver, cuda, cublas; // empty on the host
    std::string cpu;
    const std::string& name() const { return gpu.empty() ? cpu : gpu; }
};

class machine {
public:
    virtual ~machine() = default;

    virtual myblasBackend_t backend() const = 0;
    virtual myblasStream_t stream() const = 0;
    virtual facts describe() const = 0;
    virtual int arch() const = 0; // compute capability x 10; 0 on the host
    virtual size_t free_bytes() const = 0;
    virtual unsigned sm_clock_mhz() const { return 0; } // at this moment; 0: not available
    // The energy since some fixed moment; none if it is not available.
    virtual std::optional<double> joules() const { return std::nullopt; }
    virtual ceilings measure_ceilings() = 0;

    virtual void synchronize() = 0;
    virtual void fill(const generated_data&) = 0;
    // All bits set: NaN as float and as double.
    virtual void poison(void* data, size_t bytes) = 0;
    virtual void download(void* host, const void* data, size_t bytes) = 0;
    virtual void upload(void* data, const void* host, size_t bytes) = 0;

    // A sample of a graph or queue has the number of calls that fill sample_us.
    virtual std::unique_ptr<stopwatch>
    watch(const subject&, timing, bool cold, double sample_us = 2000) = 0;

    // The other libraries' calls for the same work on the same operands; empty where there are
    // none.
    virtual std::vector<subject> incumbents(const shape&, const operands&) = 0;

    // A product by each of the first `count` algorithms of cuBLASLt's heuristic; empty if there are
    // none.
    virtual std::vector<subject> lt_products(const shape&, const operands&, int) { return {}; }

    // Products of less than FP32 precision. Speeds are not compared with them.
    virtual std::vector<subject> reduced_precision(const shape&, const operands&) { return {}; }

    std::vector<subject> other_libraries(const shape& s, const operands& o) {
        std::vector<subject> found = incumbents(s, o);
        for (subject& reduced : reduced_precision(s, o))
            found.push_back(std::move(reduced));
        return found;
    }

    // AB and |A||B| of a product in float64, to host memory: m x n, tight.
    virtual void
    multiply_exactly(const shape&, const operands&, double* product, double* magnitude) = 0;

    // The largest |C - reference| / |A||B| over the given columns of the results, the reference in
    // float64.
    virtual double product_error(std::span<const product_view>,
                                 std::span<const int64_t> columns) = 0;
    // The largest error of all elements, or the number of wrong elements.
    virtual double compare(const comparison&) = 0;
    // The number of multiply-adds that a reference may take.
    virtual double reference_budget() const = 0;

    // The sum of a vector's elements or, with y, of the products of both vectors' elements.
    virtual exact_sum sum_exactly(const shape&, const void* x, const void* y) = 0;
};

std::unique_ptr<machine> make_host_machine();
// Throws failure in a build without CUDA.
std::unique_ptr<machine> make_cuda_machine();

} // namespace bench
