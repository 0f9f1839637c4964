#include "commands.h"

#include "errors.h"
#include "library.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace bench {
namespace {

// From the vendor's data sheets: architecture, multiprocessors, MHz, GB/s, bytes of L2 cache and of
// shared memory.
struct known_card {
    const char* name;
    myblasDevice_t device;
};
constexpr size_t mib = 1 << 20, kib = 1 << 10;
// clang-format off
constexpr known_card cards[] = {
    {"h200",      {sizeof(myblasDevice_t),  90, 132, 1980, 4814,  60 * mib, 227 * kib}},
    {"h100-sxm",  {sizeof(myblasDevice_t),  90, 132, 1980, 3352,  50 * mib, 227 * kib}},
    {"h100-pcie", {sizeof(myblasDevice_t),  90, 114, 1755, 2039,  50 * mib, 227 * kib}},
    {"gh200",     {sizeof(myblasDevice_t),  90, 132, 1980, 4022,  60 * mib, 227 * kib}},
    {"a100-80g",  {sizeof(myblasDevice_t),  80, 108, 1410, 2039,  40 * mib, 163 * kib}},
    {"l40s",      {sizeof(myblasDevice_t),  89, 142, 2520,  864,  96 * mib,  99 * kib}},
    {"rtx4090",   {sizeof(myblasDevice_t),  89, 128, 2520, 1008,  72 * mib,  99 * kib}},
    {"b200",      {sizeof(myblasDevice_t), 100, 148, 1965, 7672, 126 * mib, 227 * kib}},
};
// clang-format on

// Finds a card by its name. A model alone means its first card: h100 is h100-sxm.
const known_card& find_card(const std::string& asked) {
    const std::string name = to_lower(asked);
    std::string names;
    for (const known_card& card : cards) {
        if (name == card.name || std::string_view(card.name).starts_with(name + "-"))
            return card;
        names += fmt::format(" {}", card.name);
    }
    throw usage_error(fmt::format("no card named {}; there are{}", asked, names));
}

struct line {
    std::string kernel;
    bool is_strict;
    myblasKernelEstimate_t estimate{};
};

// The order of the table: first the chosen kernel, then the others by predicted time, then kernels
// that do not compete, then kernels that do not accept the call.
int rank_of(const line& l, const std::string& chosen) {
    if (l.kernel == chosen)
        return 0;
    return !l.estimate.accepted ? 3 : !l.estimate.candidate ? 2 : 1;
}

void print_table(std::vector<line> lines, const std::string& chosen) {
    std::stable_sort(lines.begin(), lines.end(), [&](const line& a, const line& b) {
        const int rank_a = rank_of(a, chosen), rank_b = rank_of(b, chosen);
        return rank_a != rank_b ? rank_a < rank_b
                                : a.estimate.predicted_us < b.estimate.predicted_us;
    });
    // If few kernels compete, or if all of them decline the call, all kernels compete.
    const bool all_compete = std::any_of(lines.begin(), lines.end(), [&](const line& l) {
        return l.kernel == chosen && !l.estimate.candidate;
    });
    const bool is_strict_chosen = !lines.empty() && lines[0].is_strict;
    const double chosen_us = lines.empty() ? 0 : lines[0].estimate.predicted_us;
    fmt::print("kernel                         time us   arithm.     cache    memory overhead "
               "factor    MiB\n");
    for (const line& l : lines) {
        const myblasKernelEstimate_t& e = l.estimate;
        const bool competes = e.candidate || all_compete;
        const char* const note = l.kernel == chosen    ? " chosen"
                                 : e.refusal           ? e.refusal
                                 : e.predicted_us == 0 ? "never chosen by time"
                                 : !competes           ? " far"
                                 : is_strict_chosen && !l.is_strict && e.predicted_us < chosen_us
                                     ? " close"
                                     : "";
        if (e.predicted_us > 0 && !e.refusal)
            fmt::print("{:<28} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>8.2f} {:>6.3f} {:>6.0f}{}\n",
                       l.kernel,
                       e.predicted_us,
                       e.arithmetic_us,
                       e.cache_us,
                       e.memory_us,
                       e.overhead_us,
                       e.factor,
                       static_cast<double>(e.best_workspace_bytes) / mib,
                       note);
        else
            fmt::print("{:<28}  {}\n", l.kernel, note);
    }
    fmt::print("\ntime = factor x (overhead + fourth root of arithmetic^4 + cache^4 + memory^4)\n"
               "MiB: the workspace that the kernel can use\n"
               "far: the call is far from those where the kernel is good, so it does not compete\n"
               "close: not enough faster than a strict kernel to be taken\n");
}

void explain(const shape& s,
             const options& chosen,
             const myblasDevice_t& device,
             const std::string& card) {
    myblasCall_t call = describe_call(s, {});
    call.math_mode = chosen.math;
    if (s.offset != 0)
        call.A = call.B = call.C = reinterpret_cast<const void*>(4096 + 4 * s.offset);

    const size_t workspace_bytes = static_cast<size_t>(chosen.explain.workspace_mib) * mib;
    const char* name = nullptr;
    require(myblasSelectKernelOn(MYBLAS_BACKEND_CUDA, &device, workspace_bytes, &call, &name),
            "myblasSelectKernelOn");
    std::vector<line> lines;
    for (const myblasKernelInfo_t& kernel : kernels_of(MYBLAS_BACKEND_CUDA, routine::sgemm)) {
        const auto index = static_cast<int>(lines.size());
        line found{kernel.name, kernel.math_mode == MYBLAS_FP32_STRICT_MATH, {}};
        found.estimate.size_bytes = sizeof found.estimate;
        require(myblasGetKernelEstimateOn(
                    MYBLAS_BACKEND_CUDA, &device, workspace_bytes, &call, index, &found.estimate),
                "myblasGetKernelEstimateOn");
        lines.push_back(found);
    }
    fmt::print("sgemm {}, {}, {} MiB of workspace\n"
               "{}: sm_{}, {} multiprocessors at {} MHz, {} GB/s, {} MiB of L2 cache\n\n",
               to_text(s),
               to_text(chosen.math),
               chosen.explain.workspace_mib,
               card,
               device.arch,
               device.sm_count,
               device.clock_mhz,
               device.memory_gbps,
               device.l2_bytes / mib);
    print_table(lines, name ? name : "");
}

} // namespace

void explain(const options& chosen) {
    const std::vector<shape> shapes = requested_shapes(chosen, MYBLAS_BACKEND_CUDA);
    known_card card{"this GPU", {}};
    card.device.size_bytes = sizeof card.device;
    if (!chosen.explain.device.empty()) {
        card = find_card(chosen.explain.device);
    } else {
        const library_handle handle(chosen.backend);
        if (myblasGetDevice(handle.get(), &card.device) != MYBLAS_STATUS_SUCCESS)
            throw usage_error("there is no GPU here: name a card by --device");
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
        if (i > 0)
            fmt::print("\n");
        explain(shapes[i], chosen, card.device, card.name);
    }
}

} // namespace bench
