#include "readings.h"

#include "commands.h"
#include "errors.h"
#include "sweeps.h"
#include "timing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <numeric>
#include <sstream>
#include <string_view>

namespace bench {
namespace {

constexpr double most_flops = 0x1p41;               // of a call
constexpr int64_t most_elements = int64_t{1} << 29; // of an operand
constexpr size_t most_batch = 8192;
constexpr size_t workspace_bytes = size_t{4} << 30;
constexpr double flops_of_large_calls = 0x1p37; // from this size on, small tiles are never the best
constexpr double alone_us = 9; // by which a single call may seem longer than one of many

// ---- The calls ----------------------------------------------------------------------------------

int64_t draw_step(size_source& draw) { // of a grid
    constexpr int64_t steps[] = {4, 8, 16, 32, 64, 128};
    return steps[draw.draw_evenly(0, 5)];
}

void round_up(shape& s, int64_t step) {
    for (int64_t* size : {&s.m, &s.n, &s.k})
        *size = (*size + step - 1) / step * step;
}

// Half of the products read C: kernels may add to it in memory where beta is 1 alone.
void draw_reading_of_c(size_source& draw, shape& s) {
    constexpr float factors[] = {0, 0, 1, 0.5f};
    s.beta = factors[draw.draw_evenly(0, 3)];
}

// Half of the leading dimensions are padded.
void draw_padding(size_source& draw, shape& s) {
    const auto padded = [&](int64_t rows) {
        return draw.flip() ? rows + draw.draw_evenly(1, 16) : rows;
    };
    s.lda = padded(s.transa ? s.k : s.m);
    s.ldb = padded(s.transb ? s.n : s.k);
    s.ldc = padded(s.m);
}

// Of programs.
void draw_as_called(size_source& draw, shape& s) {
    draw_padding(draw, s);
    draw_reading_of_c(draw, s);
}

// Scores (Q K^T) or outputs (P V) of attention, or convolutions: images as matrices times weights.
// In one of four draws, the number of tokens is a multiple of 32 plus 1, for a class token.
void draw_attention(size_source& draw, shape& s) {
    const int64_t kind = draw.draw_evenly(0, 4);
    if (kind == 0) {
        s.transa = s.transb = false;
        s.m = draw.draw(4096, 32);
        s.n = 8 * draw.draw(96, 4);
        s.k = draw.draw(4608, 48);
    } else {
        const int64_t head =
            draw.flip() ? 64 * draw.draw_evenly(1, 2) : 8 * draw.draw_evenly(4, 20);
        int64_t tokens = draw.draw(2048, 48);
        const int64_t rounding = draw.draw_evenly(0, 3);
        if (rounding > 0)
            tokens = (tokens + 31) / 32 * 32 + (rounding == 1 ? 1 : 0);
        const int64_t queries = draw.draw_evenly(0, 7) == 0 ? draw.draw(2048, 32) : tokens;
        s.transa = kind % 2 == 1, s.transb = false;
        if (s.transa)
            s.m = tokens, s.n = queries, s.k = head;
        else
            s.m = head, s.n = queries, s.k = tokens;
        if (draw.draw_evenly(0, 5) == 0)
            draw_reading_of_c(draw, s);
    }
    s.batch = draw.draw(2048, 2);
}

shape draw_once(size_source& draw, reading_set set) {
    constexpr int64_t usual = 8192, large = 16384, longest = 1 << 21;
    shape s{.transa = draw.flip(), .transb = draw.flip()};
    const auto draw_sizes = [&](int64_t low, int64_t high) {
        s.m = draw.draw(high, low), s.n = draw.draw(high, low), s.k = draw.draw(high, low);
    };
    switch (set) {
    case reading_set::random:
        draw_sizes(1, usual);
        break;
    case reading_set::grid:
        draw_sizes(1, usual);
        round_up(s, draw_step(draw));
        break;
    case reading_set::padded:
        draw_sizes(1, usual);
        if (draw.flip())
            round_up(s, 4);
        s.ld_pad = draw.draw_evenly(0, 5);
        s.offset = draw.draw_evenly(0, 3);
        draw_reading_of_c(draw, s);
        break;
    case reading_set::extreme:
        draw_sizes(1, longest);
        if (draw.flip())
            round_up(s, 4);
        break;
    case reading_set::update:
        s.m = draw.draw(usual, 200), s.n = draw.draw(usual, 200), s.k = draw.draw(320, 16);
        draw_as_called(draw, s);
        s.alpha = -1, s.beta = 1; // as factorisations do
        break;
    case reading_set::thin:
        s.m = draw.draw(160, 1), s.n = draw.draw(usual, 300), s.k = draw.draw(usual, 200);
        if (draw.flip())
            std::swap(s.m, s.n);
        draw_as_called(draw, s);
        break;
    case reading_set::narrow:
        s.m = draw.draw(16, 1), s.n = draw.draw(20000, 300), s.k = draw.draw(usual, 8);
        if (draw.flip())
            std::swap(s.m, s.n);
        draw_padding(draw, s);
        break;
    case reading_set::deep:
        s.m = draw.draw(128, 1), s.n = draw.draw(128, 1), s.k = draw.draw(longest, 5000);
        draw_padding(draw, s);
        break;
    case reading_set::vector:
        s.m = 1, s.n = draw.draw(20000, 1), s.k = draw.draw(longest, 2);
        if (draw.flip())
            std::swap(s.m, s.n);
        draw_padding(draw, s);
        break;
    case reading_set::small_batch:
        s.m = draw.draw(350, 8), s.n = draw.draw(350, 8), s.k = draw.draw(450, 5);
        draw_padding(draw, s);
        if (draw.draw_evenly(0, 3) == 0)
            draw_reading_of_c(draw, s);
        s.batch = draw.draw(2000, 4);
        s.pointer_array = draw.flip();
        break;
    case reading_set::attention:
        draw_attention(draw, s);
        break;
    case reading_set::large_batch:
        s.m = draw.draw(12000, 40), s.n = draw.draw(2100, 40), s.k = draw.draw(5000, 40);
        if (draw.flip())
            std::swap(s.m, s.n);
        if (draw.flip())
            round_up(s, draw_step(draw));
        else
            draw_padding(draw, s);
        s.batch = draw.draw(64, 4);
        break;
    case reading_set::shared: {
        draw_sizes(4, 512);
        draw_as_called(draw, s);
        s.batch = draw.draw(4096, 2);
        const int64_t which = draw.draw_evenly(0, 8); // of nine calls one shares both
        s.share_a = which <= 4, s.share_b = which >= 4;
        break;
    }
    case reading_set::short_batch:
        s.m = draw.draw(512, 8), s.n = draw.draw(512, 8), s.k = draw.draw(64, 9);
        draw_as_called(draw, s);
        s.batch = draw.draw(4096, 4);
        s.pointer_array = draw.flip();
        break;
    case reading_set::decode:
        s.m = draw.draw(2048, 16), s.n = 1, s.k = draw.draw(2048, 16);
        if (draw.flip())
            std::swap(s.m, s.n);
        if (draw.flip())
            draw_as_called(draw, s);
        s.batch = draw.draw(4096, 4);
        s.pointer_array = draw.draw_evenly(0, 3) == 0;
        break;
    case reading_set::tall:
        s.m = draw.draw(1 << 22, 20000), s.n = draw.draw(16, 2), s.k = draw.draw(4096, 2);
        if (draw.flip())
            std::swap(s.m, s.n);
        draw_padding(draw, s);
        break;
    case reading_set::batch:
        draw_sizes(2, 512);
        if (draw.flip())
            s.n = s.k = s.m;
        if (draw.flip())
            round_up(s, 4);
        if (draw.draw_evenly(0, 7) == 0)
            s.n = 1; // attention with one query
        if (draw.flip())
            draw_as_called(draw, s);
        s.batch = draw.draw(4096, 2);
        s.pointer_array = draw.draw_evenly(0, 2) == 0;
        break;
    case reading_set::tensor:
        draw_sizes(24, large);
        if (draw.flip())
            round_up(s, draw_step(draw));
        break;
    case reading_set::square:
        s.m = s.n = s.k = draw.draw(large, 16);
        if (draw.flip())
            round_up(s, draw_step(draw));
        break;
    }
    return complete(s);
}

bool fits_arena(const shape& s) {
    const operand_sizes count = count_elements(s);
    return std::max({count.a, count.b, count.c}) <= most_elements &&
           s.batch <= static_cast<int64_t>(most_batch);
}

bool is_measurable(const shape& s, reading_set set) {
    const bool is_batch = set == reading_set::attention || set == reading_set::shared;
    const double most = is_batch ? 0x1p37 : most_flops;
    return count_flops(s) <= most && fits_arena(s) &&
           (set != reading_set::extreme || std::max({s.m, s.n, s.k}) > 8192);
}

} // namespace

shape draw_call(uint64_t seed, reading_set set, int index) {
    const uint64_t of_set = random_bits(seed, static_cast<uint64_t>(set));
    size_source draw(random_bits(of_set, static_cast<uint64_t>(index)));
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
    case reading_set::small_batch:
    case reading_set::attention:
    case reading_set::large_batch:
    case reading_set::shared:
    case reading_set::short_batch:
    case reading_set::decode:
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
        device.fill(vector_data<float>{
            static_cast<float*>(memory_[i].data()), most_elements + largest_offset, seed + i});
    }
}

operands arena::of(const shape& s) {
    float* at[3];
    for (size_t i = 0; i < std::size(memory_); ++i)
        at[i] = static_cast<float*>(memory_[i].data()) + s.offset;
    operands o{.a = at[0], .b = at[1], .c = at[2]};
    if (s.pointer_array) {
        const std::vector<float*> lists = batch_pointers(s, o);
        device_.upload(lists_.data(), lists.data(), lists.size() * sizeof(float*));
        use_pointers(o, lists_, s.batch);
    }
    return o;
}

// ---- Times --------------------------------------------------------------------------------------

reader::reader(const library_handle& handle,
               machine& device,
               const std::vector<std::string>& kernels,
               uint64_t seed)
    : handle_(handle), device_(device), arena_(handle, device, seed),
      workspace_(handle, workspace_bytes) {
    const auto all = kernels_of(device.backend(), routine::sgemm);
    for (const std::string& name : kernels) {
        const auto found = std::find_if(
            all.begin(), all.end(), [&](const auto& info) { return name == info.name; });
        if (found == all.end())
            throw usage_error(fmt::format("sgemm has no kernel named {}; --list shows them", name));
        kernels_.push_back({name,
                            static_cast<int>(found - all.begin()),
                            found->math_mode,
                            found->block_m * found->block_n < 64 * 64});
    }
    handle_.set_math(MYBLAS_FP32_FAST_MATH);
    handle_.set_stream(device_.stream());
    require(myblasSetPointerMode(handle_.get(), MYBLAS_POINTER_MODE_HOST), "myblasSetPointerMode");
    handle_.lend(workspace_);
}

std::string reader::choice(const shape& s, myblasMath_t mode) {
    handle_.force(routine::sgemm, "");
    handle_.set_math(mode);
    std::string name = handle_.choice(s, arena_.of(s));
    handle_.set_math(MYBLAS_FP32_FAST_MATH);
    return name;
}

std::vector<reading> reader::take(const shape& s, const std::string& always) {
    constexpr double sample_us = 250;
    const operands o = arena_.of(s);
    std::vector<subject> subjects = device_.incumbents(s, o);
    std::vector<size_t> places(subjects.size(), 0);
    const bool is_large = count_flops(s) > flops_of_large_calls;
    for (size_t i = 0; i < kernels_.size(); ++i) {
        const std::string& name = kernels_[i].name;
        handle_.force(routine::sgemm, name);
        if ((is_large && kernels_[i].has_small_tile) || !is_taken(s, o))
            continue;
        subjects.push_back({name,
                            [this, s, o] { require(handle_.call(s, o), "the product"); },
                            [this, name] { handle_.force(routine::sgemm, name); }});
        places.push_back(1 + i);
    }

    // Single calls first, to leave out kernels that are far behind. The fastest of three counts,
    // because the first call may load the kernel, and a pause of the host may delay another one.
    std::vector<reading> found(1 + kernels_.size());
    for (size_t i = 0; i < subjects.size(); ++i) {
        const auto watch = device_.watch(subjects[i], timing::event, false);
        const double first = watch->take(false).us;
        constexpr double long_us = 10000; // a pause or a load is negligible beside this
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
            for (int mode = kernels_[places[i] - 1].mode; mode <= MYBLAS_FP32_FAST_MATH; ++mode)
                least[mode] = std::min(least[mode], found[places[i]].us);
    std::erase_if(which, [&](size_t i) {
        return places[i] != 0 &&
               found[places[i]].us > factor * least[kernels_[places[i] - 1].mode] + slack_us;
    });
}

// Whether the forced kernel accepts the call.
bool reader::is_taken(const shape& s, const operands& o) const {
    const myblasCall_t call = describe_call(s, o);
    const char* name = nullptr;
    return myblasSelectKernel(handle_.get(), &call, &name) == MYBLAS_STATUS_SUCCESS;
}

std::vector<std::string> predicted_kernels(const library_handle& handle) {
    const shape probe = complete({.m = 64, .n = 64, .k = 64});
    std::vector<std::string> found;
    int index = 0;
    for (const std::string& name : kernel_names(handle.backend(), routine::sgemm))
        if (handle.estimate(probe, {}, index++).launches > 0)
            found.push_back(name);
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

std::string to_line(std::string_view set, const shape& s, const std::vector<reading>& found) {
    std::string line = fmt::format("{}\t{}{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
                                   set,
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
                                   s.pointer_array ? 1 : 0,
                                   s.beta,
                                   s.share_a + 2 * s.share_b);
    for (const reading& r : found)
        line += !r.accepted ? "\t" : fmt::format("\t{}{:.5g}", r.is_rough ? "~" : "", r.us);
    return line + "\n";
}

struct earlier_call {
    std::string set;
    shape sizes;
};

// The calls of an earlier file of readings, as to_line() writes them after a line of context and
// one of names.
std::vector<earlier_call> read_calls(const std::string& name) {
    std::ifstream file(name);
    std::string line;
    if (!std::getline(file, line) || !std::getline(file, line) || !line.starts_with("set\tform\t"))
        throw usage_error(fmt::format("{} has no readings", name));
    const bool has_beta = line.find("\tbeta") != std::string::npos,
               has_shared = line.find("\tshared") != std::string::npos;
    std::vector<earlier_call> calls;
    for (int number = 3; std::getline(file, line); ++number) {
        std::istringstream fields(line);
        earlier_call call;
        shape& s = call.sizes;
        std::string form;
        fields >> call.set >> form >> s.m >> s.n >> s.k >> s.lda >> s.ldb >> s.ldc >> s.offset >>
            s.batch >> s.pointer_array;
        if (has_beta)
            fields >> s.beta;
        int shared = 0;
        if (has_shared)
            fields >> shared;
        s.share_a = shared & 1, s.share_b = shared & 2;
        if (!fields || form.size() != 2)
            throw usage_error(fmt::format("{}, line {}: no call", name, number));
        s.transa = form[0] == 'T', s.transb = form[1] == 'T';
        s = complete(s);
        if (!fits_arena(s))
            throw usage_error(fmt::format("{}, line {}: the call is too large", name, number));
        calls.push_back(call);
    }
    if (calls.empty())
        throw usage_error(fmt::format("{} has no readings", name));
    return calls;
}

} // namespace

void take_readings(const session& of) {
    const readings_options& asked = of.chosen.readings;
    std::vector<reading_set> sets = asked.sets;
    if (sets.empty())
        for (const named<reading_set>& set : reading_sets)
            sets.push_back(set.value);
    const std::vector<earlier_call> earlier =
        asked.calls.empty() ? std::vector<earlier_call>() : read_calls(asked.calls);
    myblasDevice_t described{};
    described.size_bytes = sizeof described;
    if (myblasGetDevice(of.handle.get(), &described) != MYBLAS_STATUS_SUCCESS)
        throw usage_error("readings needs a GPU");
    std::ofstream file = open_file(asked.file);
    const std::vector<std::string> names =
        asked.kernels.empty() ? predicted_kernels(of.handle) : asked.kernels;
    reader readings(of.handle, of.device, names, of.chosen.seed);

    nlohmann::ordered_json context = bench::to_json(of.known);
    context["device"] = to_json(described);
    file
        << "# " << context.dump()
        << "\nset\tform\tm\tn\tk\tlda\tldb\tldc\toffset\tbatch\tpointers\tbeta\tshared\tincumbent\t"
        << fmt::format("{}\n", fmt::join(names, "\t"));
    const auto start = wall_clock::now();
    int count = 0;
    const auto read = [&](std::string_view set, const shape& s) {
        if (seconds_since(start) > asked.budget_s)
            return;
        file << to_line(set, s, readings.take(s)) << std::flush;
        ++count;
    };
    for (const earlier_call& call : earlier)
        read(call.set, call.sizes);
    for (int index = 0; earlier.empty() && index < asked.count; ++index)
        for (const reading_set set : sets)
            if (takes_part(set, index))
                read(name_of(reading_sets, set), draw_call(of.chosen.seed, set, index));
    fmt::print("{} calls in {:.0f} s: {}\n", count, seconds_since(start), asked.file);
}

} // namespace bench
