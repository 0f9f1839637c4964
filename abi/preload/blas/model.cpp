#include "blas/model.h"

#include <algorithm>
#include <cmath>

namespace myblas::preload {
namespace {

constexpr double margin = 1.25; // the device must win by this factor

// The weight of the latest call in the learned factors. In doubt a product stays on the host, so
// evidence for the host has the larger weight. A call that was held up on either side counts as at
// most this multiple of the usual time.
constexpr double share_for_host = 0.5, share_for_device = 0.25;
constexpr double most_excess_of_host = 1.25, most_excess_of_device = 2;
constexpr double forgiveness = 0.005;
constexpr double largest_factor = 16;

constexpr double element_bytes = sizeof(float);

void learn(std::atomic<double>& factor, double ratio, double share) noexcept {
    const double known = factor.load(std::memory_order_relaxed);
    factor.store(
        std::clamp(known * (1 - share + share * ratio), 1 / largest_factor, largest_factor),
        std::memory_order_relaxed);
}

} // namespace

int cost_model::size_of(const product_size& s) noexcept {
    return std::clamp(std::ilogb(s.flops() / least_flops), 0, sizes - 1);
}

double cost_model::host_seconds(const product_size& s) const noexcept {
    return host_[size_of(s)].value.load(std::memory_order_relaxed) * s.flops() /
           host_flops_.load(std::memory_order_relaxed);
}

double cost_model::device_seconds(const product_size& s, int devices) const noexcept {
    const double m = static_cast<double>(s.m), n = static_cast<double>(s.n);
    const double k = static_cast<double>(s.k);
    const double in = (m * k + k * n + (s.reads_c ? m * n : 0)) * element_bytes / rates_.to_device;
    const double out = m * n * element_bytes / rates_.to_host;
    const double arithmetic = s.flops() / rates_.device_flops;
    return device_[size_of(s)].value.load(std::memory_order_relaxed) *
           (rates_.device_latency + (std::max(in, arithmetic) + out) / devices);
}

bool cost_model::prefers_devices(const product_size& s, int devices) const noexcept {
    return s.flops() >= least_flops && margin * device_seconds(s, devices) < host_seconds(s);
}

void cost_model::learn_host(const product_size& s, double seconds) noexcept {
    const double ratio = std::min(seconds / host_seconds(s), most_excess_of_host);
    learn(host_[size_of(s)].value, ratio, ratio < 1 ? share_for_host : share_for_device);
    // A device that was slow once gets another chance after a while.
    std::atomic<double>& device = device_[size_of(s)].value;
    const double factor = device.load(std::memory_order_relaxed);
    device.store(factor + forgiveness * (1 - factor), std::memory_order_relaxed);
}

void cost_model::learn_devices(const product_size& s, int devices, double seconds) noexcept {
    const double ratio = std::min(seconds / device_seconds(s, devices), most_excess_of_device);
    learn(device_[size_of(s)].value, ratio, ratio > 1 ? share_for_host : share_for_device);
}

} // namespace myblas::preload
