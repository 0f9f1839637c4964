// The host: wall-clock times, OpenBLAS as the incumbent.
#include "errors.h"
#include "incumbents.h"
#include "machine.h"
#include "timing.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

namespace bench {
namespace {

class wall_stopwatch : public stopwatch {
public:
    wall_stopwatch(const subject& timed, std::vector<char>* flush_buffer)
        : subject_(timed), flush_buffer_(flush_buffer) {
        constexpr double sample_us = 2000;
        constexpr double most_calls = 10000;
        subject_.prepare();
        subject_.call(); // threads, page faults
        const auto start = wall_clock::now();
        subject_.call();
        if (!flush_buffer_)
            calls_ = static_cast<int>(std::clamp(
                sample_us / std::max(1e6 * seconds_since(start), 0.01), 1.0, most_calls));
    }

    sample take(bool) override {
        subject_.prepare();
        if (flush_buffer_)
            std::memset(flush_buffer_->data(), ++pattern_, flush_buffer_->size());
        const auto start = wall_clock::now();
        for (int i = 0; i < calls_; ++i)
            subject_.call();
        return {1e6 * seconds_since(start) / calls_, 0};
    }

private:
    subject subject_;
    std::vector<char>* flush_buffer_; // null: warm
    int calls_ = 1;
    int pattern_ = 0;
};

// The value of "name : value" in one of the kernel's text files; empty if it is not there.
std::string read_field(const char* file, const std::string& name) {
    std::ifstream input(file);
    for (std::string line; std::getline(input, line);)
        if (line.compare(0, name.size(), name) == 0) {
            const size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
            return value == std::string::npos ? "" : line.substr(value);
        }
    return "";
}

class host_machine : public machine {
public:
    myblasBackend_t backend() const override { return MYBLAS_BACKEND_HOST; }
    myblasStream_t stream() const override { return nullptr; }

    facts describe() const override {
        facts known;
        known.cpu = read_field("/proc/cpuinfo", "model name") +
                    ", processors: " + std::to_string(std::thread::hardware_concurrency());
        return known;
    }

    int arch() const override { return 0; }

    size_t free_bytes() const override {
        const std::string kib = read_field("/proc/meminfo", "MemAvailable");
        return kib.empty() ? static_cast<size_t>(sysconf(_SC_AVPHYS_PAGES)) *
                                 static_cast<size_t>(sysconf(_SC_PAGESIZE))
                           : std::stoull(kib) * 1024;
    }

    ceilings measure_ceilings() override { return {}; }
    void synchronize() override {}

    void fill(const generated_data& all) override {
        const auto fill_each = [](const auto& data) {
            for (int64_t at = 0; at < data.count(); ++at)
                data(at);
        };
        std::visit(fill_each, all);
    }

    void poison(void* data, size_t bytes) override { std::memset(data, 0xff, bytes); }

    void download(void* host, const void* data, size_t bytes) override {
        std::memcpy(host, data, bytes);
    }

    void upload(void* data, const void* host, size_t bytes) override {
        std::memcpy(data, host, bytes);
    }

    std::unique_ptr<stopwatch> watch(const subject& timed, timing, bool cold, double) override {
        if (cold && flush_buffer_.empty()) {
            constexpr long least_bytes = 64L << 20;
            flush_buffer_.resize(
                static_cast<size_t>(std::max(2 * sysconf(_SC_LEVEL3_CACHE_SIZE), least_bytes)));
        }
        return std::make_unique<wall_stopwatch>(timed, cold ? &flush_buffer_ : nullptr);
    }

    std::vector<subject> incumbents(const shape& s, const operands& o) override {
        return openblas_.subjects(s, o);
    }

    double product_error(std::span<const product_view> products,
                         std::span<const int64_t> columns) override {
        double worst = 0;
        for (const product_view& p : products) {
            std::vector<double> reference(static_cast<size_t>(p.m)), magnitude(reference.size());
            for (const int64_t j : columns) {
                compute_column(p, j, reference.data(), magnitude.data());
                for (int64_t i = 0; i < p.m; ++i)
                    if (p.has(i, j))
                        worst = std::max(worst,
                                         p.error(i,
                                                 j,
                                                 reference[static_cast<size_t>(i)],
                                                 magnitude[static_cast<size_t>(i)]));
            }
        }
        return worst;
    }

    double compare(const comparison& all) override {
        const auto compare_each = [](const auto& judged) {
            double found = 0;
            for (int64_t at = 0; at < judged.count(); ++at)
                found = judged.is_count ? found + judged(at) : std::max(found, judged(at));
            return found;
        };
        return std::visit(compare_each, all);
    }

    double reference_budget() const override { return 0x1p28; }

    void multiply_exactly(const shape& s,
                          const operands& o,
                          double* product,
                          double* magnitude) override {
        const product_view p = view_product(s, o, 0);
        for (int64_t j = 0; j < p.n; ++j)
            compute_column(p, j, product + j * p.m, magnitude + j * p.m);
    }

    exact_sum sum_exactly(const shape& s, const void* x, const void* y) override {
        return s.element_bytes == sizeof(double)
                   ? add(s, static_cast<const double*>(x), static_cast<const double*>(y))
                   : add(s, static_cast<const float*>(x), static_cast<const float*>(y));
    }

private:
    // Column j of op(A) op(B) and of |op(A)| |op(B)|.
    static void
    compute_column(const product_view& p, int64_t j, double* reference, double* magnitude) {
        std::fill_n(reference, p.m, 0.0);
        std::fill_n(magnitude, p.m, 0.0);
        const auto add = [&](int64_t i, int64_t l, double b) {
            const double term = static_cast<double>(p.a_at(i, l)) * b;
            reference[i] += term;
            magnitude[i] += std::fabs(term);
        };
        // A is walked along its columns.
        if (p.a.trans) {
            for (int64_t i = 0; i < p.m; ++i)
                for (int64_t l = 0; l < p.depth(); ++l)
                    add(i, l, p.b_at(l, j));
        } else {
            for (int64_t l = 0; l < p.depth(); ++l)
                for (int64_t i = 0; i < p.m; ++i)
                    add(i, l, p.b_at(l, j));
        }
    }

    template <class T>
    static exact_sum add(const shape& s, const T* x, const T* y) {
        exact_sum total;
        for (int64_t i = 0; i < s.n; ++i) {
            long double value = x[i * s.incx];
            if (y)
                value *= y[i * s.incx];
            total.value += value;
            total.magnitude += std::fabs(value);
        }
        return total;
    }

    openblas_incumbents openblas_;
    std::vector<char> flush_buffer_;
};

} // namespace

std::unique_ptr<machine> make_host_machine() { return std::make_unique<host_machine>(); }

} // namespace bench
