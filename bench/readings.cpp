#include "readings.h"

#include "commands.h"
#include "errors.h"
#include "random.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

namespace bench {
namespace {

constexpr double most_flops = 0x1p41;               // of a call
constexpr int64_t most_elements = int64_t{1} << 29; // of an operand
constexpr size_t most_batch = 8192;
constexpr size_t workspace_bytes = size_t{4} << 30;
constexpr double flops_of_large_calls = 0x1p37; // from this size on, small tiles are never the best
constexpr double alone_us = 9; // by which a single call may seem longer than one of many

// ---- The calls ----------------------------------------------------------------------------------

class call_source {
public:
    call_source(uint64_t seed, reading_set set, int index)
        : seed_(random_bits(random_bits(seed, static_cast<uint64_t>(set)),
                            static_cast<uint64_t>(index))) {}

    int64_t integer(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(unit() * static_cast<double>(high - low + 1));
    }
    // Uniform in its logarithm.
    int64_t size(int64_t low, int64_t high) {
        const double ratio = static_cast<double>(high + 1) / static_cast<double>(low);
        const double value = static_cast<double>(low) * std::pow(ratio, unit());
        return std::clamp(static_cast<int64_t>(value), low, high);
    }
    bool flip() { return integer(0, 1) != 0; }
    int64_t step() { // of a grid
        constexpr int64_t steps[] = {4, 8, 16, 32, 64, 128};
        return steps[integer(0, 5)];
    }

private:
    double unit() { // in [0, 1)
        double value = 0;
        random_value(seed_, index_++, value);
        return (value + 1) / 2;
    }
    uint64_t seed_, index_ = 0;
};

void round_up(shape& s, int64_t step) {
    for (int64_t* size : {&s.m, &s.n, &s.k})
        *size = (*size + step - 1) / step * step;
}

shape draw_once(call_source& draw, reading_set set) {
    constexpr int64_t usual = 8192, large = 16384, longest = 1 << 21;
    shape s;
    s.routine = routine::sgemm;
    s.transa = draw.flip();
    s.transb = draw.flip();
    const auto draw_sizes = [&](int64_t low, int64_t high) {
        s.m = draw.size(low, high), s.n = draw.size(low, high), s.k = draw.size(low, high);
    };
    switch (set) {
    case reading_set::random:
        draw_sizes(1, usual);
        break;
    case reading_set::grid:
        draw_sizes(1, usual);
        round_up(s, draw.step());
        break;
    case reading_set::padded:
        draw_sizes(1, usual);
        if (draw.flip())
            round_up(s, 4);
        s.ld_pad = draw.integer(0, 5);
        s.offset = draw.integer(0, 3);
        break;
    case reading_set::extreme:
        draw_sizes(1, longest);
        if (draw.flip())
            round_up(s, 4);
        break;
    case reading_set::update:
        s.m = draw.size(200, usual), s.n = draw.size(200, usual), s.k = draw.size(16, 320);
        break;
    case reading_set::thin:
        s.m = draw.size(1, 160), s.n = draw.size(300, usual), s.k = draw.size(200, usual);
        if (draw.flip())
            std::swap(s.m, s.n);
        break;
    case reading_set::batch:
        draw_sizes(2, 512);
        if (draw.flip())
            s.n = s.k = s.m;
        if (draw.flip())
            round_up(s, 4);
        s.batch = draw.size(2, 4096);
        s.pointer_array = draw.integer(0, 2) == 0;
        break;
    case reading_set::tensor:
        draw_sizes(24, large);
        if (draw.flip())
            round_up(s, draw.step());
        break;
    case reading_set::square:
        s.m = s.n = s.k = draw.size(16, large);
        if (draw.flip())
            round_up(s, draw.step());
        break;
    }
    return complete(s);
}

bool is_measurable(const shape& s, reading_set set) {
    const operand_sizes count = count_elements(s);
    return count_flops(s) <= most_flops && std::max({count.a, count.b, count.c}) <= most_elements &&
           (set != reading_set::extreme || std::max({s.m, s.n, s.k}) > 8192);
}

} // namespace

shape draw_call(uint64_t seed, reading_set set, int index) {
    call_source draw(seed, set, index);
    for (;;) {
        const shape s = draw_once(draw, set);
        if (is_measurable(s, set))
            return s;
    }
}

bool takes_part(reading_set set, int index) {
    switch (set) {
    case reading_set::random:
        return true;
    case reading_set::grid:
    case reading_set::batch:
    case reading_set::tensor:
        return index % 3 == 0;
    default:
        return index % 5 == 0;
    }
}

// ---- Their operands -----------------------------------------------------------------------------

arena::arena(const library_handle& handle, machine& device, uint64_t seed)
    : device_(device), lists_(handle, 3 * most_batch * sizeof(float*)) {
    constexpr int64_t largest_offset = 64;
    constexpr size_t bytes = (most_elements + largest_offset) * sizeof(float);
    for (size_t i = 0; i < std::size(memory_); ++i) {
        memory_[i] = buffer(handle, bytes);
        device.fill_random(memory_[i].data(), bytes, fill_kind::real32, seed + i);
    }
}

operands arena::of(const shape& s) {
    float* at[3];
    for (size_t i = 0; i < std::size(memory_); ++i)
        at[i] = static_cast<float*>(memory_[i].data()) + s.offset;
    operands o;
    o.a = at[0], o.b = at[1], o.c = at[2];
    if (s.pointer_array) {
        const size_t batch = static_cast<size_t>(s.batch);
        const operand_sizes stride = batch_strides(s);
        const int64_t strides[] = {stride.a, stride.b, stride.c};
        std::vector<float*> lists;
        for (size_t i = 0; i < std::size(memory_); ++i)
            for (int64_t product = 0; product < s.batch; ++product)
                lists.push_back(at[i] + product * strides[i]);
        device_.upload(lists_.data(), lists.data(), lists.size() * sizeof(float*));
        o.a_list = static_cast<float**>(lists_.data());
        o.b_list = o.a_list + batch;
        o.c_list = o.b_list + batch;
    }
    return o;
}

// ---- Times --------------------------------------------------------------------------------------

reader::reader(const library_handle& handle,
               machine& device,
               std::vector<std::string> kernels,
               uint64_t seed)
    : handle_(handle), device_(device), kernels_(std::move(kernels)), arena_(handle, device, seed),
      workspace_(handle, workspace_bytes) {
    const std::vector<std::string> all = kernel_names(device.backend(), routine::sgemm);
    for (const std::string& name : kernels_) {
        const auto place = std::find(all.begin(), all.end(), name);
        if (place == all.end())
            throw usage_error(fmt::format("sgemm has no kernel named {}; --list shows them", name));
        const myblasKernelInfo_t info =
            kernel_info(device.backend(), routine::sgemm, static_cast<int>(place - all.begin()));
        modes_.push_back(info.math_mode);
        has_small_tile_.push_back(info.block_m * info.block_n < 64 * 64);
    }
    require(myblasSetMathMode(handle_.get(), MYBLAS_FP32_FAST_MATH), "myblasSetMathMode");
    require(myblasSetStream(handle_.get(), device_.stream()), "myblasSetStream");
    require(myblasSetPointerMode(handle_.get(), MYBLAS_POINTER_MODE_HOST), "myblasSetPointerMode");
    require(myblasSetWorkspace(handle_.get(), workspace_.data(), workspace_.bytes()),
            "myblasSetWorkspace");
}

std::string reader::choice(const shape& s, myblasMath_t mode) {
    const myblasCall_t call = describe_call(s, arena_.of(s));
    const char* name = nullptr;
    force(nullptr);
    require(myblasSetMathMode(handle_.get(), mode), "myblasSetMathMode");
    require(myblasSelectKernel(handle_.get(), &call, &name), "myblasSelectKernel");
    require(myblasSetMathMode(handle_.get(), MYBLAS_FP32_FAST_MATH), "myblasSetMathMode");
    return name;
}

std::vector<reading> reader::take(const shape& s, const std::string& always) {
    constexpr double sample_us = 250;
    const operands o = arena_.of(s);
    std::vector<subject> subjects = device_.incumbents(s, o);
    std::vector<size_t> places(subjects.size(), 0);
    const bool is_large = count_flops(s) > flops_of_large_calls;
    for (size_t i = 0; i < kernels_.size(); ++i) {
        force(kernels_[i].c_str());
        if ((is_large && has_small_tile_[i]) || !is_taken(s, o))
            continue;
        subjects.push_back({kernels_[i],
                            [this, &name = kernels_[i]] { force(name.c_str()); },
                            [this, s, o] {
                                require(call_routine(linked_library(), handle_.get(), s, o),
                                        "the product");
                            }});
        places.push_back(1 + i);
    }

    // Single calls first, to leave out kernels that are far behind. The fastest of three counts,
    // because the first call may load the kernel, and a pause of the host may delay another one.
    std::vector<reading> found(1 + kernels_.size());
    for (size_t i = 0; i < subjects.size(); ++i) {
        const auto watch = device_.watch(subjects[i], timing::event, false);
        const double first = watch->take(false).us;
        constexpr double long_us = 1000; // a pause of the host is negligible beside this
        found[places[i]] = {true, true, first};
        for (int again = 0; again < 2 && first <= long_us; ++again)
            found[places[i]].us = std::min(found[places[i]].us, watch->take(false).us);
    }
    std::vector<size_t> close(subjects.size());
    std::iota(close.begin(), close.end(), size_t{0});
    drop_slow(close, places, found, 1.5, alone_us);
    for (size_t i = 0; i < subjects.size(); ++i)
        if (subjects[i].name == always && std::find(close.begin(), close.end(), i) == close.end())
            close.push_back(i);

    std::vector<std::unique_ptr<stopwatch>> watches(subjects.size());
    for (const size_t i : close)
        watches[i] = device_.watch(subjects[i], timing::graph, false, sample_us);
    std::vector<std::vector<double>> samples(subjects.size());
    const auto take_rounds = [&](int rounds) {
        for (int round = 0; round < rounds; ++round)
            for (const size_t i : close)
                samples[i].push_back(watches[i]->take(false).us);
    };
    take_rounds(2);
    for (const size_t i : close)
        found[places[i]] = {true, false, *std::min_element(samples[i].begin(), samples[i].end())};
    drop_slow(close, places, found, 1.15, 0);
    take_rounds(4);
    for (const size_t i : close)
        found[places[i]].us = median(samples[i]);
    return found;
}

// Keeps the incumbent, and kernels that take at most `factor` times as long plus slack_us as the
// fastest kernel that a handle in their mode may take.
void reader::drop_slow(std::vector<size_t>& which,
                       const std::vector<size_t>& places,
                       const std::vector<reading>& found,
                       double factor,
                       double slack_us) const {
    double least[MYBLAS_FP32_FAST_MATH + 1];
    std::fill(std::begin(least), std::end(least), std::numeric_limits<double>::infinity());
    for (const size_t i : which)
        if (places[i] != 0)
            for (int mode = modes_[places[i] - 1]; mode <= MYBLAS_FP32_FAST_MATH; ++mode)
                least[mode] = std::min(least[mode], found[places[i]].us);
    std::erase_if(which, [&](size_t i) {
        return places[i] != 0 &&
               found[places[i]].us > factor * least[modes_[places[i] - 1]] + slack_us;
    });
}

// Whether the forced kernel accepts the call.
bool reader::is_taken(const shape& s, const operands& o) const {
    const myblasCall_t call = describe_call(s, o);
    const char* name = nullptr;
    return myblasSelectKernel(handle_.get(), &call, &name) == MYBLAS_STATUS_SUCCESS;
}

void reader::force(const char* name) const {
    require(myblasForceKernel(handle_.get(), MYBLAS_ROUTINE_SGEMM, name), "myblasForceKernel");
}

std::vector<std::string> predicted_kernels(const library_handle& handle) {
    shape probe;
    probe.m = probe.n = probe.k = 64;
    const myblasCall_t call = describe_call(complete(probe), {});
    std::vector<std::string> found;
    int index = 0;
    for (const std::string& name : kernel_names(handle.backend(), routine::sgemm)) {
        myblasKernelEstimate_t estimate{};
        estimate.size_bytes = sizeof estimate;
        require(myblasGetKernelEstimate(handle.get(), &call, index++, &estimate),
                "myblasGetKernelEstimate");
        if (estimate.launches > 0)
            found.push_back(name);
    }
    return found;
}

// ---- The command --------------------------------------------------------------------------------

namespace {

nlohmann::ordered_json to_json(const myblasDevice_t& device) {
    return {{"arch", device.arch},
            {"sm_count", device.sm_count},
            {"clock_mhz", device.clock_mhz},
            {"memory_gbps", device.memory_gbps},
            {"l2_bytes", device.l2_bytes},
            {"smem_per_block", device.smem_per_block}};
}

std::string to_line(reading_set set, const shape& s, const std::vector<reading>& found) {
    std::string line = fmt::format("{}\t{}{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
                                   name_of(reading_sets, set),
                                   s.transa ? 'T' : 'N',
                                   s.transb ? 'T' : 'N',
                                   s.m,
                                   s.n,
                                   s.k,
                                   s.lda,
                                   s.ldb,
                                   s.ldc,
                                   s.offset,
                                   s.batch,
                                   s.pointer_array ? 1 : 0);
    for (const reading& r : found)
        line += !r.accepted ? "\t" : fmt::format("\t{}{:.5g}", r.is_rough ? "~" : "", r.us);
    return line + "\n";
}

} // namespace

void take_readings(const session& of) {
    using clock = std::chrono::steady_clock;
    const readings_options& asked = of.chosen.readings;
    std::vector<reading_set> sets = asked.sets;
    if (sets.empty())
        for (const named<reading_set>& set : reading_sets)
            sets.push_back(set.value);
    myblasDevice_t described{};
    described.size_bytes = sizeof described;
    if (myblasGetDevice(of.handle.get(), &described) != MYBLAS_STATUS_SUCCESS)
        throw usage_error("readings needs a GPU");
    std::ofstream file = open_file(asked.file);
    reader readings(of.handle,
                    of.device,
                    asked.kernels.empty() ? predicted_kernels(of.handle) : asked.kernels,
                    of.chosen.seed);

    nlohmann::ordered_json context = bench::to_json(of.known);
    context["device"] = to_json(described);
    file << "# " << context.dump()
         << "\nset\tform\tm\tn\tk\tlda\tldb\tldc\toffset\tbatch\tpointers\tincumbent\t"
         << fmt::format("{}\n", fmt::join(readings.kernels(), "\t"));
    const auto start = clock::now();
    const auto elapsed_s = [&] {
        return std::chrono::duration<double>(clock::now() - start).count();
    };
    int count = 0;
    for (int index = 0; index < asked.count; ++index)
        for (const reading_set set : sets) {
            if (elapsed_s() > asked.budget_s || !takes_part(set, index))
                continue;
            const shape s = draw_call(of.chosen.seed, set, index);
            file << to_line(set, s, readings.take(s)) << std::flush;
            ++count;
        }
    fmt::print("{} calls in {:.0f} s: {}\n", count, elapsed_s(), asked.file);
}

} // namespace bench
