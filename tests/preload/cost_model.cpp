// The model that decides between host and GPU, on made-up machines.
#include "blas/model.h"
#include "expect.h"

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
    expect(!model.prefers_device(cube(1)), "one element stays");
    expect(!model.prefers_device(cube(128)), "a small product stays");
    expect(model.prefers_device(cube(4096)), "a large one goes");
    expect(!model.prefers_device({8192, 8192, 1, true}), "an outer product takes longer to move");
    expect(!model.prefers_device({8192, 1, 8192, false}), "so does a matrix with one vector");

    // From some size on the device stays ahead.
    bool went = false;
    for (int64_t n = 1; n <= 8192; ++n) {
        const bool goes = model.prefers_device(cube(n));
        expect(goes || !went, "the decision changes once");
        expect(!goes || model.device_seconds(cube(n)) < model.host_seconds(cube(n)),
               "it is no loss");
        went = goes;
    }

    rates weak = workstation;
    weak.device_flops = weak.host_flops;
    expect(!cost_model(weak).prefers_device(cube(8192)), "a GPU that is no faster gets nothing");

    // The host's rate may become known later.
    cost_model untimed(workstation);
    untimed.set_host_flops(workstation.device_flops);
    expect(!untimed.prefers_device(cube(8192)), "a host as fast as the GPU keeps everything");
    untimed.set_host_flops(workstation.host_flops);
    expect(untimed.prefers_device(cube(8192)), "a slower one does not");

    // The GPU has to be faster by a quarter.
    for (const double ratio : {1.2, 1.3}) {
        rates near = workstation;
        near.host_flops = cube(4096).flops() / (ratio * model.device_seconds(cube(4096)));
        expect(cost_model(near).prefers_device(cube(4096)) == (ratio > 1.25),
               "a GPU gets only what it gains from");
    }

    // The measured times of calls correct the prediction a little each time, and are forgotten with
    // time.
    cost_model learning(workstation);
    const double predicted = learning.device_seconds(cube(1024));
    expect(learning.prefers_device(cube(1024)), "before");
    for (int i = 0; i < 40; ++i)
        learning.learn_device(cube(1024), 20 * predicted);
    expect(!learning.prefers_device(cube(1024)), "a device that disappoints is left alone");
    expect(learning.prefers_device(cube(4096)), "for products of that size alone");
    for (int i = 0; i < 400; ++i)
        learning.learn_host(cube(1024), learning.host_seconds(cube(1024)));
    expect(learning.prefers_device(cube(1024)), "but not for ever");

    // A host whose every third call is held up for long, and a device that usually takes longer
    // than the host: products stay on the host.
    cost_model disturbed(workstation);
    const product_size small = cube(256);
    const double host = 2 * disturbed.host_seconds(small), device = 1.5 * host;
    int to_device = 0;
    for (int i = 0; i < 1000; ++i) {
        const bool goes = disturbed.prefers_device(small);
        to_device += goes;
        if (goes)
            disturbed.learn_device(small, device);
        else
            disturbed.learn_host(small, i % 3 == 0 ? 5 * host : host);
    }
    expect(to_device < 50, "a host that is disturbed now and then keeps its products");

    cost_model held_up(workstation);
    held_up.learn_device(cube(1024), 100 * predicted);
    expect(held_up.prefers_device(cube(1024)), "one slow call of a device is forgiven");
    return failures;
}
