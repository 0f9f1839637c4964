// The current GPU. Times are measured by events, by replayed graphs and, on the host, by its clock.
#include "cublas.h"
#include "cublas_lt.h"
#include "cuda_check.h"
#include "driver_monitor.h"
#include "incumbents_cuda.h"
#include "machine.h"
#include "probes_cuda.h"
#include "reference_cuda.h"
#include "timing.h"

#include <algorithm>
#include <bit>

namespace bench {
namespace {

constexpr double most_calls = 1000; // in one sample

// The number of calls in a sample, computed from the time of one call.
int calls_for(double estimate_us, double sample_us) {
    return static_cast<int>(std::clamp(sample_us / std::max(estimate_us, 1.0), 1.0, most_calls));
}

// Every sample is some calls between two events.
class event_stopwatch : public stopwatch {
public:
    // flush_buffer: written before each sample to empty the caches; null: none.
    event_stopwatch(const subject& timed,
                    cudaStream_t stream,
                    const driver_monitor& monitor,
                    const device_memory* flush_buffer)
        : subject_(timed), stream_(stream), monitor_(monitor), flush_buffer_(flush_buffer) {
        take(false); // loads the kernels
    }

    // The number of calls that fill sample_us.
    event_stopwatch(const subject& timed,
                    cudaStream_t stream,
                    const driver_monitor& monitor,
                    double sample_us)
        : event_stopwatch(timed, stream, monitor, nullptr) {
        calls_ = calls_for(take(false).us, sample_us);
    }

    sample take(bool with_clock) override {
        prepare();
        if (flush_buffer_)
            require_cuda(
                cudaMemsetAsync(flush_buffer_->data(), ++pattern_, flush_buffer_->bytes(), stream_),
                "cudaMemsetAsync");
        start_.record(stream_);
        run();
        stop_.record(stream_);
        const unsigned clock = with_clock ? monitor_.sm_clock_mhz() : 0;
        stop_.wait();
        return {stop_.us_since(start_) / calls_, clock};
    }

protected:
    virtual void prepare() { subject_.prepare(); }
    virtual void run() {
        for (int i = 0; i < calls_; ++i)
            subject_.call();
    }

    subject subject_;
    cudaStream_t stream_;

private:
    const driver_monitor& monitor_;
    const device_memory* flush_buffer_;
    int calls_ = 1, pattern_ = 0;
    cuda_event start_, stop_;
};

// Every sample replays a graph of the calls.
class graph_stopwatch : public event_stopwatch {
public:
    graph_stopwatch(const subject& timed,
                    cudaStream_t stream,
                    const driver_monitor& monitor,
                    double sample_us)
        : event_stopwatch(timed, stream, monitor, sample_us) {
        capture();
        take(false); // uploads the graph
    }
    ~graph_stopwatch() override {
        if (graph_)
            cudaGraphExecDestroy(graph_);
    }

private:
    void prepare() override {
        if (!graph_) // a sample before the capture
            event_stopwatch::prepare();
    }
    void run() override {
        if (graph_)
            require_cuda(cudaGraphLaunch(graph_, stream_), "cudaGraphLaunch");
        else
            event_stopwatch::run();
    }

    void capture() {
        subject_.prepare();
        require_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed),
                     "cudaStreamBeginCapture");
        cudaGraph_t captured = nullptr;
        try {
            event_stopwatch::run();
        } catch (...) {
            cudaStreamEndCapture(stream_, &captured);
            cudaGraphDestroy(captured);
            throw;
        }
        require_cuda(cudaStreamEndCapture(stream_, &captured), "cudaStreamEndCapture");
        const cudaError_t error = cudaGraphInstantiateWithFlags(&graph_, captured, 0);
        cudaGraphDestroy(captured);
        require_cuda(error, "cudaGraphInstantiate");
    }

    cudaGraphExec_t graph_ = nullptr;
};

// Every sample is the host's time for some calls in a row. They are so few that none waits for a
// place in the stream's queue.
class enqueue_stopwatch : public stopwatch {
public:
    enqueue_stopwatch(const subject& timed, cudaStream_t stream)
        : subject_(timed), stream_(stream) {
        take(false); // loads the kernels
    }

    sample take(bool) override {
        subject_.prepare();
        require_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
        const auto start = wall_clock::now();
        for (int i = 0; i < calls; ++i)
            subject_.call();
        const double us = 1e6 * seconds_since(start);
        require_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
        return {us / calls, 0};
    }

private:
    static constexpr int calls = 100;
    subject subject_;
    cudaStream_t stream_;
};

cudaDeviceProp current_properties() {
    int device = 0;
    cudaDeviceProp properties{};
    require_cuda(cudaGetDevice(&device), "cudaGetDevice");
    require_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    return properties;
}

std::string current_bus_id() {
    int device = 0;
    char text[32] = {};
    require_cuda(cudaGetDevice(&device), "cudaGetDevice");
    require_cuda(cudaDeviceGetPCIBusId(text, sizeof text, device), "cudaDeviceGetPCIBusId");
    return text;
}

std::string version_text(int version) { // 13010 is 13.1
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

class cuda_machine : public machine {
public:
    cuda_machine()
        : properties_(current_properties()), monitor_(current_bus_id().c_str()),
          cublas_(cublas::load(stream_.get())), cublas_lt_(cublas_lt::load(stream_.get())) {}

    myblasBackend_t backend() const override { return MYBLAS_BACKEND_CUDA; }
    myblasStream_t stream() const override { return stream_.get(); }

    facts describe() const override {
        facts known;
        known.gpu = properties_.name;
        known.driver = monitor_.driver_version();
        int runtime = 0;
        require_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
        known.cuda = version_text(runtime);
        known.cublas = cublas_ ? cublas_->version() : "";
        return known;
    }

    int arch() const override { return properties_.major * 10 + properties_.minor; }

    size_t free_bytes() const override {
        size_t available = 0, total = 0;
        require_cuda(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
        return available;
    }

    unsigned sm_clock_mhz() const override { return monitor_.sm_clock_mhz(); }
    std::optional<double> joules() const override { return monitor_.joules(); }

    void synchronize() override {
        require_cuda(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
    }

    void fill(const generated_data& data) override {
        launch_fill(data, stream_.get());
        synchronize();
    }

    void poison(void* data, size_t bytes) override {
        require_cuda(cudaMemsetAsync(data, 0xff, bytes, stream_.get()), "cudaMemsetAsync");
        synchronize();
    }

    void download(void* host, const void* data, size_t bytes) override {
        copy_async(host, data, bytes, cudaMemcpyDeviceToHost, stream_.get());
        synchronize();
    }

    void upload(void* data, const void* host, size_t bytes) override {
        copy_async(data, host, bytes, cudaMemcpyHostToDevice, stream_.get());
        synchronize();
    }

    std::unique_ptr<stopwatch>
    watch(const subject& timed, timing how, bool cold, double sample_us) override {
        if (how == timing::graph)
            return std::make_unique<graph_stopwatch>(timed, stream_.get(), monitor_, sample_us);
        if (how == timing::queue)
            return std::make_unique<event_stopwatch>(timed, stream_.get(), monitor_, sample_us);
        if (how == timing::enqueue)
            return std::make_unique<enqueue_stopwatch>(timed, stream_.get());
        if (cold && !flush_buffer_) {
            constexpr size_t least_bytes = size_t{64} << 20;
            flush_buffer_ = std::make_unique<device_memory>(
                std::max(static_cast<size_t>(properties_.l2CacheSize) * 5 / 2, least_bytes));
        }
        return std::make_unique<event_stopwatch>(
            timed, stream_.get(), monitor_, cold ? flush_buffer_.get() : nullptr);
    }

    std::vector<subject> incumbents(const shape& s, const operands& o) override {
        return cuda_incumbents(cublas_.get(), cublas_lt_.get(), stream_.get(), s, o);
    }

    std::vector<subject> lt_products(const shape& s, const operands& o, int count) override {
        return cublas_lt_ ? cublas_lt_->products(s, o, count) : std::vector<subject>();
    }

    std::vector<subject> reduced_precision(const shape& s, const operands& o) override {
        return cuda_reduced_precision(cublas_.get(), s, o);
    }

    ceilings measure_ceilings() override {
        constexpr size_t wanted_bytes = (size_t{1} << 28) * sizeof(float);
        const size_t bytes = std::min(wanted_bytes, free_bytes() / 4) / 256 * 256;
        const device_memory source(bytes), target(bytes);
        const auto count = static_cast<int64_t>(bytes / sizeof(float));
        fill(vector_data<float>{static_cast<float*>(source.data()), count, 1});
        float* const sink = static_cast<float*>(target.data());
        double flops = 0;
        const int sm_count = properties_.multiProcessorCount;
        const auto time_us = [this](std::function<void()> call, timing how = timing::graph) {
            const subject probe{"", std::move(call)};
            return measure(*this, {&probe, 1}, plan{how, false, 0.1, 10})[0].median_us;
        };

        ceilings found;
        const auto copy = [&] {
            copy_async(
                target.data(), source.data(), bytes, cudaMemcpyDeviceToDevice, stream_.get());
        };
        // Not measured as the node of a graph: there, a copy of this size is slower.
        found.copy_gbps = 2.0 * static_cast<double>(bytes) / time_us(copy, timing::queue) / 1000;
        found.read_gbps =
            static_cast<double>(bytes) /
            time_us([&] { launch_read(source.data(), bytes, sink, sm_count, stream_.get()); }) /
            1000;
        const double fma_us = time_us([&] { flops = launch_fma(sink, sm_count, stream_.get()); });
        found.fma_gflops = flops / fma_us / 1000;
        found.empty_graph_us = time_us([&] { launch_empty(stream_.get()); });
        return found;
    }

    double product_error(std::span<const product_view> products,
                         std::span<const int64_t> columns) override {
        const device_memory device_columns(columns.size_bytes());
        upload(device_columns.data(), columns.data(), columns.size_bytes());
        const auto launch = [&](unsigned long long* worst) {
            for (const product_view& p : products)
                launch_product_error(p,
                                     static_cast<const int64_t*>(device_columns.data()),
                                     static_cast<int64_t>(columns.size()),
                                     worst,
                                     stream_.get());
        };
        return std::bit_cast<double>(read_word(launch));
    }

    double compare(const comparison& all) override {
        const auto word = read_word(
            [&](unsigned long long* result) { launch_compare(all, result, stream_.get()); });
        const bool is_count = std::visit([](const auto& of) { return of.is_count; }, all);
        return is_count ? static_cast<double>(word) : std::bit_cast<double>(word);
    }

    double reference_budget() const override { return 0x1p38; } // about 0.1 s

    void multiply_exactly(const shape& s,
                          const operands& o,
                          double* product,
                          double* magnitude) override {
        const size_t bytes = static_cast<size_t>(s.m * s.n) * sizeof(double);
        const device_memory device_product(bytes), device_magnitude(bytes);
        launch_sgemm_reference(view_product(s, o, 0),
                               static_cast<double*>(device_product.data()),
                               static_cast<double*>(device_magnitude.data()),
                               stream_.get());
        download(product, device_product.data(), bytes);
        download(magnitude, device_magnitude.data(), bytes);
    }

    exact_sum sum_exactly(const shape& s, const void* x, const void* y) override {
        std::vector<partial_sum> partials(sum_partial_count);
        const device_memory device_partials(partials.size() * sizeof(partial_sum));
        launch_sum_exactly(
            s, x, y, static_cast<partial_sum*>(device_partials.data()), stream_.get());
        download(partials.data(), device_partials.data(), device_partials.bytes());
        exact_sum total;
        for (const partial_sum& p : partials) {
            total.value += static_cast<long double>(p.value) + p.error;
            total.magnitude += p.magnitude;
        }
        return total;
    }

private:
    // What kernels leave in a word that is zero at first.
    template <class Launch>
    unsigned long long read_word(const Launch& launch) {
        const device_memory word(sizeof(unsigned long long));
        require_cuda(cudaMemsetAsync(word.data(), 0, word.bytes(), stream_.get()),
                     "cudaMemsetAsync");
        launch(static_cast<unsigned long long*>(word.data()));
        unsigned long long value = 0;
        download(&value, word.data(), sizeof value);
        return value;
    }

    cudaDeviceProp properties_;
    driver_monitor monitor_;
    cuda_stream stream_;
    std::unique_ptr<cublas> cublas_;
    std::unique_ptr<cublas_lt> cublas_lt_;
    std::unique_ptr<device_memory> flush_buffer_;
};

} // namespace

std::unique_ptr<machine> make_cuda_machine() { return std::make_unique<cuda_machine>(); }

} // namespace bench
