#include "accuracy.h"

#include "attribution.h"
#include "bounds.h"
#include "task.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace bench {
namespace {

constexpr double unit_roundoff = 0x1p-24;

// A kernel that adds up all of k in order and takes any product.
constexpr const char* in_order = "double_buffered";

// Whether every kernel must compute products of such data itself, without leaving them to another
// one.
bool is_ordinary(data_kind data) {
    return data == data_kind::uniform || data == data_kind::normal ||
           data == data_kind::row_scaled || data == data_kind::column_scaled;
}

// The strictest mode whose promise a kernel keeps in the mode that a handle is set to. fp16x3
// corrects elements in emulated mode only.
myblasMath_t promise_of(const myblasKernelInfo_t& kernel, myblasMath_t math) {
    return std::string_view(kernel.name).starts_with("fp16x3/") ? math : kernel.math_mode;
}

struct exact_product {
    std::vector<double> value, magnitude;
};

errors compare(const std::vector<float>& c, const exact_product& exact) {
    errors found;
    double sum = 0, squares = 0, all_squares = 0;
    for (size_t i = 0; i < c.size(); ++i) {
        const double difference = std::fabs(c[i] - exact.value[i]);
        double ulp = difference == 0 ? 0 : difference / exact.magnitude[i] / unit_roundoff;
        if (!(ulp >= 0)) // C is NaN
            ulp = std::numeric_limits<double>::infinity();
        found.max_ulp = std::max(found.max_ulp, ulp);
        sum += ulp;
        squares += difference * difference;
        all_squares += exact.value[i] * exact.value[i];
    }
    found.mean_ulp = sum / static_cast<double>(c.size());
    found.frobenius = all_squares > 0 ? std::sqrt(squares / all_squares) : 0;
    return found;
}

// `known`: the results of the library's modes and kernels, with which o.c is compared to find the
// kernel that computed.
void judge(outcome& o, std::span<const served> known, const errors* yardstick, const shape& sizes) {
    if (yardstick && yardstick->max_ulp > 0) {
        o.max_ratio = o.errors.max_ulp / yardstick->max_ulp;
        o.mean_ratio = o.errors.mean_ulp / yardstick->mean_ulp;
    }
    if (o.kernel.empty())
        return;
    o.computed_by = attribute({o.serves, o.c, o.kernel}, known);
    o.passed = o.errors.max_ulp <= product_bound(o.serves, sizes.k) &&
               (o.computed_by == o.serves || !is_ordinary(sizes.data));
    o.is_within_limit = o.asked.math == MYBLAS_FP32_STRICT_MATH ||
                        std::max(o.max_ratio, o.mean_ratio) <= limit_of(sizes.data);
}

// Drops the results of forced kernels that have the same bits as an earlier result.
void drop_repetitions(std::vector<outcome>& found) {
    for (size_t i = found.size(); i-- > 0;) {
        const outcome& o = found[i];
        const auto repeats = [&](const outcome& other) { return same_bits(o.c, other.c); };
        if (!o.asked.forced.empty() && o.passed &&
            std::any_of(found.begin(), found.begin() + static_cast<ptrdiff_t>(i), repeats))
            found.erase(found.begin() + static_cast<ptrdiff_t>(i));
    }
}

} // namespace

double limit_of(data_kind data) {
    return is_ordinary(data) || data == data_kind::k_scaled ? 1 : 1.5;
}

contest::contest(const library_handle& handle, machine& device, uint64_t seed)
    : handle_(handle), machine_(device), seed_(seed),
      kernels_(kernels_of(device.backend(), routine::sgemm)) {
    for (const auto& [name, math] : accuracy_modes)
        if (myblasSetMathMode(handle_.get(), math) == MYBLAS_STATUS_SUCCESS)
            own_.push_back({name, math, ""});
    for (const myblasKernelInfo_t& kernel : kernels_) {
        if (kernel.math_mode == MYBLAS_FP32_STRICT_MATH)
            continue;
        own_.push_back({kernel.name, kernel.math_mode, kernel.name});
        const myblasMath_t weaker = promise_of(kernel, MYBLAS_FP32_FAST_MATH);
        if (weaker != kernel.math_mode)
            own_.push_back({std::string(kernel.name) + ' ' + to_text(weaker), weaker, kernel.name});
    }
}

std::vector<outcome> contest::run(const shape& sizes) const {
    const task work(machine_, handle_, sizes, seed_);
    const buffer workspace = lend_workspace(work);
    const size_t elements = static_cast<size_t>(sizes.m * sizes.n);
    exact_product exact{std::vector<double>(elements), std::vector<double>(elements)};
    machine_.multiply_exactly(sizes, work.data(), exact.value.data(), exact.magnitude.data());

    const std::vector<subject> others = machine_.other_libraries(sizes, work.data());
    std::vector<outcome> found;
    for (const subject& other : others)
        found.push_back(run_other(work, other));
    for (const contender& asked : own_)
        run_own(work, asked, found);
    for (auto o = found.begin(); o != found.end(); ++o) {
        const auto twin = std::find_if(
            found.begin(), o, [&](const outcome& other) { return same_bits(o->c, other.c); });
        o->errors = twin == o ? compare(o->c, exact) : twin->errors;
    }
    const bool has_strict_ends = std::any_of(found.begin(), found.end(), [](const outcome& o) {
        return o.serves != MYBLAS_FP32_STRICT_MATH;
    });
    const std::vector<std::vector<float>> strict_ends =
        has_strict_ends ? compute_strict_ends(work) : std::vector<std::vector<float>>{};
    std::vector<served> known;
    for (const outcome& o : found)
        if (!o.kernel.empty())
            known.push_back({o.serves, o.c, o.kernel});
    for (const std::vector<float>& c : strict_ends)
        known.push_back({MYBLAS_FP32_STRICT_MATH, c});
    for (outcome& o : found)
        judge(o, known, others.empty() ? nullptr : &found[0].errors, sizes);
    drop_repetitions(found);

    set(own_.front());
    // The handle's own workspace is set again before the lent one is freed.
    handle_.set_stream(machine_.stream());
    return found;
}

void contest::set(const contender& asked) const {
    handle_.set_math(asked.math);
    handle_.force(routine::sgemm, asked.forced);
}

// Lends the handle a workspace for all contenders.
buffer contest::lend_workspace(const task& work) const {
    std::vector<size_t> wanted;
    for (const contender& asked : own_) {
        set(asked);
        wanted.push_back(wanted_workspace(handle_, work.sizes(), work.data()));
    }
    buffer workspace = make_workspace(handle_, machine_, wanted);
    handle_.lend(workspace);
    return workspace;
}

outcome contest::run_other(const task& work, const subject& other) const {
    other.prepare();
    outcome result;
    result.asked.name = other.name;
    result.c = result_of(machine_, work.sizes(), work.data(), other.call);
    return result;
}

// Adds nothing if the kernel does not accept the product.
void contest::run_own(const task& work, const contender& asked, std::vector<outcome>& found) const {
    set(asked);
    myblasStatus_t status = MYBLAS_STATUS_SUCCESS;
    outcome result;
    result.asked = asked;
    result.c = result_of(machine_, work.sizes(), work.data(), [&] { status = work.call(); });
    if (!asked.forced.empty() && status == MYBLAS_STATUS_NOT_SUPPORTED)
        return;
    require(status, "the product");
    result.kernel = handle_.last_kernel(routine::sgemm);
    for (const myblasKernelInfo_t& kernel : kernels_)
        if (result.kernel == kernel.name)
            result.serves = promise_of(kernel, asked.math);
    found.push_back(std::move(result));
}

std::vector<std::vector<float>> contest::compute_strict_ends(const task& work) const {
    const auto add = [&](int64_t first, int64_t count, bool afresh) {
        shape part = work.sizes();
        part.k = count;
        part.beta = afresh ? 0 : 1;
        operands data = work.data();
        data.a = static_cast<float*>(data.a) + first * part.lda;
        data.b = static_cast<float*>(data.b) + first;
        require(handle_.call(part, data), "the product in parts");
    };
    set({in_order, MYBLAS_FP32_STRICT_MATH, in_order});
    const auto sum = [&] { return fetch_c(machine_, work.sizes(), work.data()); };
    return add_as_strict_ends({add, sum}, work.sizes().k);
}

} // namespace bench
