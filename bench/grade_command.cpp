#include "commands.h"

#include "attribution.h"
#include "bounds.h"
#include "errors.h"
#include "grade.h"
#include "json_text.h"
#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <optional>
#include <string_view>

namespace bench {
namespace {

using nlohmann::ordered_json;

constexpr int repetitions = 10;

// Operands of the largest order, in the machine's memory.
class operand_memory {
public:
    operand_memory(const session& of, int64_t largest)
        : device_(of.device), a_(of.handle, bytes(largest)), b_(of.handle, bytes(largest)),
          c_(of.handle, bytes(largest)) {
        operands_.a = a_.data();
        operands_.b = b_.data();
        operands_.c = c_.data();
    }

    const operands& data() const { return operands_; }

    void load(const square_product& p) {
        device_.upload(operands_.a, p.a.data(), bytes(p.n));
        device_.upload(operands_.b, p.b.data(), bytes(p.n));
    }

private:
    static size_t bytes(int64_t n) { return static_cast<size_t>(n * n) * sizeof(float); }

    machine& device_;
    buffer a_, b_, c_;
    operands operands_;
};

// A mode of the library or a function of another one.
struct candidate {
    std::string name;
    std::optional<myblasMath_t> math; // of the library's modes
    size_t other = 0;                 // else: the number among the machine's other libraries

    double bound(int64_t k) const {
        return product_bound(math.value_or(MYBLAS_FP32_STRICT_MATH), k);
    }
    // The letter that the header promises.
    char promised() const { return math == MYBLAS_FP32_FAST_MATH ? 'B' : 'A'; }
};

shape shape_of(int64_t n, float alpha) {
    return complete({.m = n, .n = n, .k = n, .alpha = alpha});
}

struct card {
    candidate of;
    std::vector<grade_errors> errors{}; // in the order of grade_inputs()
    std::vector<double> max_errors{};   // of positive data, in units of u |A||B|, by size
    double growth = 0;                  // of these
    // Whether repeated calls give the same bits, also from another thread with another handle and
    // stream.
    bool repeats = true, repeats_elsewhere = true;
    bool promises_bits = true;

    const grade_errors& on(std::string_view input) const { return errors_on(input, errors); }
    // The largest errors on the inputs of a quality.
    grade_errors worst(quality wanted) const {
        grade_errors found;
        for (size_t i = 0; i < errors.size(); ++i)
            if (grade_inputs()[i].tests == wanted)
                found.add(errors[i]);
        return found;
    }
    char letter() const { return letter_of(worst(quality::accuracy)); }
    bool keeps_subnormals() const { return on("subnormal").element <= 1; }
    bool is_exact() const { return worst(quality::exact).inexact == 0; }
    bool has_classes() const { return worst(quality::classes).off_class == 0; }
    bool is_reproducible() const { return repeats && repeats_elsewhere; }
    bool keeps_promises() const {
        return !of.math || (letter() <= of.promised() && keeps_subnormals() && is_exact() &&
                            has_classes() && (is_reproducible() || !promises_bits));
    }
};

class grader {
public:
    grader(const session& of, std::vector<int64_t> sizes)
        : of_(of), sizes_(std::move(sizes)),
          memory_(of, *std::max_element(sizes_.begin(), sizes_.end())) {
        for (const auto& [name, math] : math_modes)
            if (myblasSetMathMode(of.handle.get(), math) == MYBLAS_STATUS_SUCCESS &&
                is_served(shape_of(sizes_[0], 1)))
                cards_.push_back({.of = {name, math}});
        size_t other = 0;
        for (const subject& s : of.device.other_libraries(shape_of(sizes_[0], 1), memory_.data()))
            cards_.push_back({.of = {s.name, std::nullopt, other++}});
    }

    std::vector<card> run() {
        for (const grade_input& input : grade_inputs()) {
            for (card& c : cards_)
                c.errors.emplace_back();
            for (const int64_t n : sizes_)
                run(input, n);
        }
        for (card& c : cards_)
            c.growth = growth_of(sizes_, c.max_errors);
        return cards_;
    }

private:
    // Not in a mode that a forced kernel does not have.
    bool is_served(const shape& s) const {
        return of_.handle.call(s, memory_.data()) != MYBLAS_STATUS_NOT_SUPPORTED;
    }

    void run(const grade_input& input, int64_t n) {
        const square_product p = make_product(input, n, of_.chosen.seed);
        const shape s = shape_of(n, input.alpha);
        memory_.load(p);
        std::vector<double> exact(p.a.size()), magnitude(p.a.size());
        if (input.alpha != 0) // otherwise NaN in A and B is not read
            of_.device.multiply_exactly(s, memory_.data(), exact.data(), magnitude.data());
        for (card& c : cards_) {
            const std::vector<float> result =
                result_of(of_.device, s, memory_.data(), [&] { call(c.of, of_.handle, s); });
            const double f = c.of.bound(n);
            const grade_errors found = judge_product(p, result, exact, magnitude, f);
            c.errors.back().add(found);
            if (std::string_view(input.name) == "positive") {
                c.max_errors.push_back(found.max_ulp);
                repeat(c, s, result);
            }
        }
    }

    void call(const candidate& asked, const library_handle& handle, const shape& s) {
        if (!asked.math) {
            const subject other = of_.device.other_libraries(s, memory_.data())[asked.other];
            other.prepare();
            other.call();
            return;
        }
        handle.set_math(*asked.math);
        require(handle.call(s, memory_.data()), "the product");
    }

    void repeat(card& c, const shape& s, const std::vector<float>& first) {
        const auto same = [&](const std::function<void()>& again) {
            return same_bits(result_of(of_.device, s, memory_.data(), again), first);
        };
        for (int i = 0; i < repetitions; ++i)
            c.repeats = same([&] { call(c.of, of_.handle, s); }) && c.repeats;
        if (c.of.math)
            c.promises_bits = last_kernel_is_deterministic() && c.promises_bits;
        // The machine's own stream serves the other libraries in every thread.
        const auto elsewhere = [&] {
            const library_handle handle(of_.handle.backend());
            myblasStream_t stream = nullptr;
            require(myblasStreamCreate(handle.get(), &stream), "myblasStreamCreate");
            handle.set_stream(stream);
            call(c.of, handle, s);
            require(myblasStreamDestroy(handle.get(), stream), "myblasStreamDestroy");
        };
        c.repeats_elsewhere =
            same([&] { std::async(std::launch::async, elsewhere).get(); }) && c.repeats_elsewhere;
    }

    bool last_kernel_is_deterministic() const {
        const std::string taken = of_.handle.last_kernel(routine::sgemm);
        const auto kernels = kernels_of(of_.handle.backend(), routine::sgemm);
        return std::any_of(kernels.begin(), kernels.end(), [&](const myblasKernelInfo_t& kernel) {
            return kernel.name == taken && kernel.deterministic != 0;
        });
    }

    const session& of_;
    std::vector<int64_t> sizes_;
    operand_memory memory_;
    std::vector<card> cards_;
};

std::string figure(double value) { return fmt::format("{:.2g}", value); }

class table {
public:
    explicit table(const std::vector<card>& cards) : cards_(cards) {
        row("", [](const card& c) { return c.of.name; });
    }

    template <class Text>
    void row(const std::string& name, Text text) const {
        fmt::print("{:<32}", name);
        for (const card& c : cards_)
            fmt::print("  {:>{}}", text(c), std::max<size_t>(c.of.name.size(), 11));
        fmt::print("\n");
    }

private:
    const std::vector<card>& cards_;
};

void print(const std::vector<card>& cards) {
    const auto yes = [](bool is) { return is ? "yes" : "NO"; };
    const table rows(cards);
    rows.row("grade", [](const card& c) { return std::string(1, c.letter()); });
    rows.row("computes like", [](const card& c) { return arithmetic_of(c.errors); });
    fmt::print("\nlargest error / bound of each element\n");
    for (size_t i = 0; i < grade_inputs().size(); ++i)
        if (grade_inputs()[i].tests == quality::accuracy)
            rows.row(std::string("  ") + grade_inputs()[i].name,
                     [i](const card& c) { return figure(c.errors[i].element); });
    fmt::print("largest of all / bound of\n");
    const auto worst = [&](const char* name, double grade_errors::*strength) {
        rows.row(name, [&](const card& c) { return figure(c.worst(quality::accuracy).*strength); });
    };
    worst("  each element", &grade_errors::element);
    worst("  rows and columns", &grade_errors::lines);
    worst("  the norm", &grade_errors::norms);
    rows.row("errors grow as n to the power", [](const card& c) {
        return std::isfinite(c.growth) ? fmt::format("{:.2f}", c.growth) : "-";
    });
    fmt::print("\n");
    const auto exact = [&](const char* name, const char* input) {
        rows.row(name, [&](const card& c) { return yes(c.on(input).inexact == 0); });
    };
    exact("small integers are exact", "integers");
    exact("empty sums are zero", "zeros");
    rows.row("subnormal results are kept",
             [&](const card& c) { return yes(c.keeps_subnormals()); });
    const auto classed = [&](const char* name, const char* input) {
        rows.row(name, [&](const card& c) { return yes(c.on(input).off_class == 0); });
    };
    classed("no overflow in between", "near overflow");
    classed("NaN as in the formula", "NaN");
    classed("Inf as in the formula", "Inf");
    classed("alpha = 0: A, B are not read", "alpha = 0");
    rows.row("same bits again", [&](const card& c) { return yes(c.repeats); });
    rows.row("same bits from another thread",
             [&](const card& c) { return yes(c.repeats_elsewhere); });
}

ordered_json number(double value) {
    return std::isnan(value) ? ordered_json(nullptr) : number_or_text(four_digits(value));
}

ordered_json to_json(const grade_errors& e) {
    return {{"element", number(e.element)},
            {"lines", number(e.lines)},
            {"norms", number(e.norms)},
            {"max_ulp", number(e.max_ulp)},
            {"inexact", e.inexact},
            {"off_class", e.off_class}};
}

ordered_json to_json(const card& c) {
    ordered_json json = {{"contender", c.of.name},
                         {"grade", std::string(1, c.letter())},
                         {"arithmetic", arithmetic_of(c.errors)},
                         {"worst", to_json(c.worst(quality::accuracy))},
                         {"keeps_promises", c.keeps_promises()},
                         {"growth", number(c.growth)},
                         {"subnormals", c.keeps_subnormals()},
                         {"exact", c.is_exact()},
                         {"classes", c.has_classes()},
                         {"same_bits_again", c.repeats},
                         {"same_bits_elsewhere", c.repeats_elsewhere}};
    for (size_t i = 0; i < c.errors.size(); ++i)
        json["inputs"][grade_inputs()[i].name] = to_json(c.errors[i]);
    return json;
}

} // namespace

bool run_grade(const session& of) {
    std::vector<int64_t> sizes = of.chosen.grade.sides;
    if (sizes.empty())
        sizes = of.handle.backend() == MYBLAS_BACKEND_HOST
                    ? std::vector<int64_t>{16, 32, 64, 128, 256, 512}
                    : std::vector<int64_t>{16, 32, 64, 128, 256, 512, 1024, 2048};
    std::sort(sizes.begin(), sizes.end());
    const facts& on = of.known.machine;
    fmt::print("products of order {} to {} by {} on {}\ncommit {}, {}, seed {}\n\n",
               sizes.front(),
               sizes.back(),
               of.known.library,
               on.name(),
               of.known.commit,
               of.known.date,
               of.known.seed);
    const std::vector<card> cards = grader(of, sizes).run();
    print(cards);
    fmt::print("\n");
    ordered_json results = ordered_json::array();
    bool all_kept = true;
    for (const card& c : cards) {
        results.push_back(to_json(c));
        all_kept = all_kept && c.keeps_promises();
        if (!c.keeps_promises())
            fmt::print("{} breaks a promise of the library\n", c.of.name);
    }
    write_results(of.chosen.json_file, of.known, {{"n", sizes}, {"results", results}});
    return all_kept;
}

} // namespace bench
