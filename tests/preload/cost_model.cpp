// The model that decides between host and GPU, on made-up machines.
#include "blas/model.h"
#include "expect.h"

#include <cmath>

using namespace myblas::preload;

namespace {

// A GPU of 50 Tflop/s behind 25 GB/s in both directions, and a host of 500 Gflop/s.
constexpr rates workstation{.host_flops = 500e9,
                            .device_flops = 50e12,
                            .to_device = 25e9,
                            .to_host = 25e9,
                            .device_latency = 50e-6};

product_size cube(int64_t n) { return {n, n, n, false}; }

} // namespace

int main() {
    const cost_model model(workstation);
    expect(!model.prefers_devices(cube(1), 1), "one element stays");
    expect(!model.prefers_devices(cube(128), 1), "a small product stays");
    expect(model.prefers_devices(cube(4096), 1), "a large one goes");
    expect(!model.prefers_devices({8192, 8192, 1, true}, 1),
           "an outer product takes longer to move");
    expect(!model.prefers_devices({8192, 1, 8192, false}, 1), "so does a matrix with one vector");

    // From some size on the device stays ahead.
    bool went = false;
    for (int64_t n = 1; n <= 8192; ++n) {
        const bool goes = model.prefers_devices(cube(n), 1);
        expect(goes || !went, "the decision changes once");
        expect(!goes || model.device_seconds(cube(n), 1) < model.host_seconds(cube(n)),
               "it is no loss");
        went = goes;
    }

    rates weak = workstation;
    weak.device_flops = weak.host_flops;
    expect(!cost_model(weak).prefers_devices(cube(8192), 1),
           "a GPU that is no faster gets nothing");

    // The host's rate may become known later.
    cost_model untimed(workstation);
    untimed.set_host_flops(workstation.device_flops);
    expect(!untimed.prefers_devices(cube(8192), 1), "a host as fast as the GPU keeps everything");
    untimed.set_host_flops(workstation.host_flops);
    expect(untimed.prefers_devices(cube(8192), 1), "a slower one does not");

    // Two GPUs divide copies and arithmetic. What one of them takes while the other one is not open
    // yet says nothing else about both.
    cost_model starting(workstation);
    const double by_both = starting.device_seconds(cube(2048), 2);
    expect(by_both < 0.6 * starting.device_seconds(cube(2048), 1), "two GPUs are faster");
    for (int i = 0; i < 40; ++i)
        starting.learn_devices(cube(2048), 1, model.device_seconds(cube(2048), 1));
    expect(std::abs(starting.device_seconds(cube(2048), 2) / by_both - 1) < 1e-6,
           "calls of one GPU do not make two seem slow");

    // The GPU has to be faster by a quarter.
    for (const double ratio : {1.2, 1.3}) {
        rates near = workstation;
        near.host_flops = cube(4096).flops() / (ratio * model.device_seconds(cube(4096), 1));
        expect(cost_model(near).prefers_devices(cube(4096), 1) == (ratio > 1.25),
               "a GPU gets only what it gains from");
    }

    // The measured times of calls correct the prediction a little each time, and are forgotten with
    // time.
    cost_model learning(workstation);
    const double predicted = learning.device_seconds(cube(1024), 1);
    expect(learning.prefers_devices(cube(1024), 1), "before");
    for (int i = 0; i < 40; ++i)
        learning.learn_devices(cube(1024), 1, 20 * predicted);
    expect(!learning.prefers_devices(cube(1024), 1), "a device that disappoints is left alone");
    expect(learning.prefers_devices(cube(4096), 1), "for products of that size alone");
    for (int i = 0; i < 400; ++i)
        learning.learn_host(cube(1024), learning.host_seconds(cube(1024)));
    expect(learning.prefers_devices(cube(1024), 1), "but not for ever");

    // A host whose every third call is held up for long, and a device that usually takes longer
    // than the host: products stay on the host.
    cost_model disturbed(workstation);
    const product_size small = cube(256);
    const double host = 2 * disturbed.host_seconds(small), device = 1.5 * host;
    int to_device = 0;
    for (int i = 0; i < 1000; ++i) {
        const bool goes = disturbed.prefers_devices(small, 1);
        to_device += goes;
        if (goes)
            disturbed.learn_devices(small, 1, device);
        else
            disturbed.learn_host(small, i % 3 == 0 ? 5 * host : host);
    }
    expect(to_device < 50, "a host that is disturbed now and then keeps its products");

    cost_model held_up(workstation);
    held_up.learn_devices(cube(1024), 1, 100 * predicted);
    expect(held_up.prefers_devices(cube(1024), 1), "one slow call of a device is forgiven");
    return failures;
}
