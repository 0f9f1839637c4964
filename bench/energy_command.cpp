#include "commands.h"

#include "errors.h"
#include "json_text.h"
#include "task.h"
#include "timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace bench {
namespace {

using nlohmann::ordered_json;

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

// Calls a product again and again until `seconds` are over.
long_run run_for(double seconds, machine& device, const subject& contender) {
    constexpr int ahead = 16; // calls on the stream at a time
    long_run found;
    const auto start = wall_clock::now();
    const double before = joules_of(device);
    do {
        for (int i = 0; i < ahead; ++i)
            contender.call();
        found.sm_clock_mhz = device.sm_clock_mhz();
        device.synchronize();
        found.products += ahead;
        found.seconds = seconds_since(start);
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
    const int64_t n = chosen.energy.side;
    const shape s = complete({.m = n, .n = n, .k = n});
    const task product(device, handle, s, chosen.seed);
    size_t wanted = 0;
    for (const auto& [name, mode] : math_modes) {
        handle.set_math(mode);
        wanted = std::max(wanted, wanted_workspace(handle, s, product.data()));
    }
    const buffer workspace(handle, wanted);
    handle.lend(workspace);

    std::vector<subject> contenders = device.other_libraries(s, product.data());
    for (const auto& [name, mode] : accuracy_modes)
        contenders.push_back({name,
                              [&product] { require(product.call(), "the product"); },
                              [&handle, mode] { handle.set_math(mode); }});

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
        results.push_back({{"routine", "sgemm"},
                           {"m", s.m},
                           {"n", s.n},
                           {"k", s.k},
                           {"contender", contender.name},
                           {"joules", four_digits(joules)},
                           {"watts", four_digits(watts)},
                           {"tflops", four_digits(tflops)},
                           {"products", found.products},
                           {"seconds", four_digits(found.seconds)},
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
