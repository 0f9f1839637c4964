// Predicts whether the host or the device computes a product of host matrices sooner: a model of
// both sides, calibrated on the machine. Pure: it decides, and is tested, without a GPU.
#pragma once

#include <atomic>
#include <cstdint>

namespace myblas::preload {

// Sizes of C = alpha * op(A) * op(B) + beta * C.
struct product_size {
    int64_t m, n, k;
    bool reads_c; // beta != 0

    double flops() const noexcept {
        return 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    }
};

// Measured once, in offload.cpp. At first, host_flops is an upper limit.
struct rates {
    double host_flops = 0;     // flop/s of the program's BLAS
    double device_flops = 0;   // flop/s of a device's kernels, without transfers
    double to_device = 0;      // bytes/s of a device, from memory through pinned buffers
    double to_host = 0;        // bytes/s, in the opposite direction
    double device_latency = 0; // seconds that even the smallest call takes
};

// Below this number of flop no GPU can win at any rate: its latency alone exceeds the host's time.
inline constexpr double least_flops = 1 << 24;

class cost_model {
public:
    explicit constexpr cost_model(const rates& measured = {}) noexcept
        : rates_(measured), host_flops_(measured.host_flops) {}
    void set_host_flops(double measured) noexcept {
        host_flops_.store(measured, std::memory_order_relaxed);
    }

    double host_seconds(const product_size&) const noexcept;
    // Copies in and arithmetic overlap; the copy back of the result mostly follows them.
    double device_seconds(const product_size&, int devices) const noexcept;

    // Whether the devices win by more than the model's error.
    bool prefers_devices(const product_size&, int devices) const noexcept;

    // Correct the predictions by the measured time of calls. `devices` were open at that time.
    void learn_host(const product_size&, double seconds) noexcept;
    void learn_devices(const product_size&, int devices, double seconds) noexcept;

private:
    // The recent times of calls relative to the calibrated rates. Each size of products has a
    // separate factor, because on both sides small products reach other rates than large ones.
    struct factor {
        std::atomic<double> value{1};
    };
    static constexpr int sizes = 32; // each of twice the work
    static int size_of(const product_size&) noexcept;

    rates rates_;
    std::atomic<double> host_flops_;
    factor host_[sizes], device_[sizes];
};

} // namespace myblas::preload
