#include "commands.h"

#include "errors.h"
#include "task.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace bench {
namespace {

using nlohmann::ordered_json;
using clock = std::chrono::steady_clock;

struct long_run {
    int64_t products = 0;
    double seconds = 0, joules = 0;
    unsigned sm_clock_mhz = 0; // at the end, under load
};

double joules_of(const machine& device) {
    const std::optional<double> joules = device.joules();
    if (!joules)
        throw failure("energy needs a GPU whose driver counts it");
    return *joules;
}

// One product after the other, until `seconds` are over.
long_run run_for(double seconds, machine& device, const subject& contender) {
    constexpr int ahead = 16; // calls on the stream at a time
    long_run found;
    const auto start = clock::now();
    const double before = joules_of(device);
    do {
        for (int i = 0; i < ahead; ++i)
            contender.call();
        found.sm_clock_mhz = device.sm_clock_mhz();
        device.synchronize();
        found.products += ahead;
        found.seconds = std::chrono::duration<double>(clock::now() - start).count();
    } while (found.seconds < seconds);
    found.joules = joules_of(device) - before;
    return found;
}

} // namespace

void run_energy(const session& of) {
    const options& chosen = of.chosen;
    const library_handle& handle = of.handle;
    machine& device = of.device;
    constexpr double warm_up_s = 0.5; // until the clock has settled
    joules_of(device);                // refuses before anything is printed
    shape s;
    s.m = s.n = s.k = chosen.energy.side;
    s = complete(s);
    const task product(device, handle, s, chosen.seed);
    const buffer workspace(handle, [&] {
        require(myblasSetMathMode(handle.get(), MYBLAS_FP32_FAST_MATH), "myblasSetMathMode");
        const size_t fast = wanted_workspace(handle, s, product.data());
        require(myblasSetMathMode(handle.get(), MYBLAS_FP32_EMULATED_MATH), "myblasSetMathMode");
        return std::max(fast, wanted_workspace(handle, s, product.data()));
    }());
    if (workspace.bytes() > 0)
        require(myblasSetWorkspace(handle.get(), workspace.data(), workspace.bytes()),
                "myblasSetWorkspace");

    std::vector<subject> contenders = device.incumbents(s, product.data());
    for (const subject& reduced : device.reduced_precision(s, product.data()))
        contenders.push_back(reduced);
    for (const auto& [name, mode] : accuracy_modes)
        contenders.push_back({name,
                              [&handle, mode] {
                                  require(myblasSetMathMode(handle.get(), mode),
                                          "myblasSetMathMode");
                              },
                              [&product] { require(product.call(), "the product"); }});

    fmt::print("{} cubed, {:.3g} s of each\n\n{:<20} {:>10} {:>10} {:>10} {:>8} {:>6}\n",
               s.m,
               chosen.energy.seconds,
               "contender",
               "J",
               "W",
               "TFLOP/s",
               "products",
               "MHz");
    ordered_json results = ordered_json::array();
    for (const subject& contender : contenders) {
        contender.prepare();
        run_for(warm_up_s, device, contender);
        const long_run found = run_for(chosen.energy.seconds, device, contender);
        const auto products = static_cast<double>(found.products);
        const double joules = found.joules / products, watts = found.joules / found.seconds;
        const double tflops = count_flops(s) * products / found.seconds * 1e-12;
        const auto rounded = [](double value) { return std::stod(fmt::format("{:.4g}", value)); };
        results.push_back({{"routine", "sgemm"},
                           {"m", s.m},
                           {"n", s.n},
                           {"k", s.k},
                           {"contender", contender.name},
                           {"joules", rounded(joules)},
                           {"watts", rounded(watts)},
                           {"tflops", rounded(tflops)},
                           {"products", found.products},
                           {"seconds", rounded(found.seconds)},
                           {"sm_clock_mhz", found.sm_clock_mhz}});
        fmt::print("{:<20} {:>10.3f} {:>10.0f} {:>10.1f} {:>8} {:>6}\n",
                   contender.name,
                   joules,
                   watts,
                   tflops,
                   found.products,
                   found.sm_clock_mhz);
        std::fflush(stdout);
    }
    write_results(chosen.json_file, of.known, {{"results", results}});
}

} // namespace bench
