#include "blas/model.h"

#include <algorithm>

namespace myblas::preload {
namespace {

constexpr double margin = 1.1;  // the device must win by this factor
constexpr double weight = 0.25; // of the latest call among what is known
constexpr double forgiveness = 0.02;
constexpr double largest_factor = 16;

constexpr double element_bytes = sizeof(float);

void learn(std::atomic<double>& factor, double predicted, double seconds) noexcept {
    const double known = factor.load(std::memory_order_relaxed);
    const double found = known * seconds / predicted;
    factor.store(
        std::clamp((1 - weight) * known + weight * found, 1 / largest_factor, largest_factor),
        std::memory_order_relaxed);
}

} // namespace

double cost_model::host_seconds(const product_size& s) const noexcept {
    return host_factor_.load(std::memory_order_relaxed) * s.flops() / rates_.host_flops;
}

double cost_model::device_seconds(const product_size& s) const noexcept {
    const double m = static_cast<double>(s.m), n = static_cast<double>(s.n);
    const double k = static_cast<double>(s.k);
    const double in = (m * k + k * n + (s.reads_c ? m * n : 0)) * element_bytes / rates_.to_device;
    const double out = m * n * element_bytes / rates_.to_host;
    const double arithmetic = s.flops() / rates_.device_flops;
    return device_factor_.load(std::memory_order_relaxed) *
           (rates_.device_latency + std::max(in, arithmetic) + out);
}

bool cost_model::prefers_device(const product_size& s) const noexcept {
    return s.flops() >= least_flops && margin * device_seconds(s) < host_seconds(s);
}

void cost_model::learn_host(const product_size& s, double seconds) noexcept {
    learn(host_factor_, host_seconds(s), seconds);
    // A device that was slow for once gets another chance after a while.
    const double factor = device_factor_.load(std::memory_order_relaxed);
    device_factor_.store(factor + forgiveness * (1 - factor), std::memory_order_relaxed);
}

void cost_model::learn_device(const product_size& s, double seconds) noexcept {
    learn(device_factor_, device_seconds(s), seconds);
}

} // namespace myblas::preload
