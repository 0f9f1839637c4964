#include "runner.h"

#include "errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>

namespace bench {
namespace {

// Stands for the library's own choice.
const std::string automatic = "auto";

// MYBLAS_SGEMM_KERNEL or its like.
std::string kernel_variable(routine r) {
    return fmt::format("MYBLAS_{}_KERNEL", to_upper(describe(first_with_kernels_of(r)).name));
}

// The kernel that the variable forces on new handles; empty: none.
std::string forced_by_environment(routine r) {
    const char* forced = std::getenv(kernel_variable(r).c_str());
    return forced ? forced : "";
}

// The name of a kernel or family, "all", or "auto". An option overrides the environment.
std::string asked_kernel(const options& chosen, routine r) {
    if (chosen.kernel != automatic)
        return chosen.kernel;
    const std::string forced = forced_by_environment(r);
    return forced.empty() ? automatic : forced;
}

// A fused product without its bias and activation; other calls unchanged.
shape without_epilogue(shape s) {
    if (s.routine == routine::sgemm_fused)
        s.routine = routine::sgemm;
    return s;
}

} // namespace

void check_kernels(const options& chosen,
                   myblasBackend_t backend,
                   const std::vector<shape>& shapes) {
    std::set<routine> routines;
    for (const shape& s : shapes)
        routines.insert(s.routine);
    if (const std::string forced = forced_by_environment(routine::sgemm);
        chosen.action == action::accuracy && !forced.empty())
        throw usage_error(
            fmt::format("{}={}: accuracy is that of the library's own choices; unset it",
                        kernel_variable(routine::sgemm),
                        forced));
    for (const routine r : routines) {
        const bool is_option = chosen.kernel != automatic;
        const std::string asked = is_option ? chosen.kernel : forced_by_environment(r);
        if (asked.empty() || (is_option && asked == "all"))
            continue;
        if (!has_kernel(backend, r, asked))
            throw usage_error(fmt::format(
                "{}{}: {} has no such kernel or family on the {} backend; --list shows them",
                is_option ? "--kernel " : kernel_variable(r) + "=",
                asked,
                describe(r).name,
                backend == MYBLAS_BACKEND_HOST ? "host" : "cuda"));
    }
}

runner::runner(const options& chosen,
               const library_handle& handle,
               const std::vector<rival>& rivals,
               machine& device,
               report& out)
    : options_(chosen), handle_(handle), rivals_(rivals), machine_(device), report_(out) {}

void runner::run(const shape& sizes) {
    if (const std::string why = task::why_no_room(machine_, sizes); !why.empty())
        return report_.add(skipped_row{sizes, options_.kernel, why});
    task work(machine_, handle_, sizes, options_.seed);
    const std::vector<std::string> names = wanted_kernels(sizes.routine);
    const buffer workspace = lent_workspace(work, names);
    if (options_.workspace == workspace_source::lent)
        handle_.lend(workspace);
    for (const rival& other : rivals_)
        other.prepare(machine_, options_.math, sizes, workspace);
    std::vector<candidate> candidates;
    for (const std::string& name : names)
        try_kernel(work, name, candidates);
    if (!candidates.empty())
        time(work, candidates);
    handle_.set_math(options_.math);
    // The handles' own workspaces are set again before the lent one is freed.
    handle_.set_stream(machine_.stream());
    for (const rival& other : rivals_)
        other.drop_workspace(machine_);
}

std::vector<std::string> runner::wanted_kernels(routine r) const {
    const std::string asked = asked_kernel(options_, r);
    if (asked == "all")
        return kernel_names(machine_.backend(), r);
    return {asked == automatic ? "" : asked};
}

// A workspace for all kernels that are lent one.
buffer runner::lent_workspace(const task& work, const std::vector<std::string>& names) const {
    std::vector<size_t> wanted;
    const bool lends = options_.workspace == workspace_source::lent;
    const routine r = work.sizes().routine;
    if (lends)
        for (const std::string& name : names) {
            handle_.force(r, name);
            wanted.push_back(wanted_workspace(handle_, work.sizes(), work.data()));
        }
    if (lends && r == routine::sgemm_fused) {
        handle_.force(r, "");
        wanted.push_back(wanted_workspace(handle_, without_epilogue(work.sizes()), work.data()));
    }
    if (lends || options_.has(sweep::bare))
        for (const rival& other : rivals_)
            wanted.push_back(other.wanted_workspace(options_.math, work.sizes(), work.data()));
    return make_workspace(handle_, machine_, wanted);
}

void runner::try_kernel(task& work, const std::string& name, std::vector<candidate>& found) const {
    const shape& sizes = work.sizes();
    handle_.force(sizes.routine, name);
    const myblasStatus_t status = work.call();
    if (status == MYBLAS_STATUS_NOT_SUPPORTED) {
        report_.add(skipped_row{sizes, name.empty() ? automatic : name, why_not(work)});
        return;
    }
    require(status, describe(sizes.routine).name);
    machine_.synchronize();
    candidate accepted{name, handle_.last_kernel(sizes.routine), {}};
    if (options_.verify)
        accepted.check = work.verify(accepted.name);
    found.push_back(accepted);
}

std::string runner::why_not(const task& work) const {
    const size_t bytes = wanted_workspace(handle_, work.sizes(), work.data());
    if (bytes > 0)
        return fmt::format("it needs a workspace of {} MiB", (bytes >> 20) + 1);
    return "it does not accept this call";
}

std::vector<subject> runner::opponents(const task& work,
                                       const std::vector<candidate>& candidates) const {
    const shape& sizes = work.sizes();
    std::vector<subject> others = machine_.incumbents(sizes, work.data());
    for (const rival& other : rivals_)
        other.join(others, sizes, work.data());
    if (options_.lt_algorithms > 0)
        add_fastest_of_lt(others, work);
    if (sizes.routine == routine::sgemm_fused)
        others.push_back(plain_product(work));
    // A plan of level 3 has one name in every mode.
    const bool is_choice = candidates[0].forced.empty() && counts_flops(sizes.routine);
    if (is_choice && options_.math != MYBLAS_FP32_STRICT_MATH &&
        (is_matrix_blas(sizes.routine) || candidates[0].name != strict_choice(work)))
        others.push_back(ours("myblas strict", work, MYBLAS_FP32_STRICT_MATH, ""));
    return others;
}

// Adds the algorithm with the shortest of three single calls. A call before them loads its kernel.
void runner::add_fastest_of_lt(std::vector<subject>& others, const task& work) const {
    const shape& s = work.sizes();
    const bool is_product = s.routine == routine::sgemm || s.routine == routine::sgemm_fused;
    if (!is_product || s.pointer_array)
        return;
    const std::vector<subject> products =
        machine_.lt_products(s, work.data(), options_.lt_algorithms);
    const subject* fastest = nullptr;
    double least_us = std::numeric_limits<double>::infinity();
    for (const subject& product : products) {
        const auto watch = machine_.watch(product, timing::event, false);
        for (int i = 0; i < 3; ++i)
            if (const double us = watch->take(false).us; us < least_us) {
                least_us = us;
                fastest = &product;
            }
    }
    if (!fastest)
        return;
    others.push_back(*fastest);
    others.back().name = fmt::format("cublasLtMatmul, best of {}", options_.lt_algorithms);
}

void runner::time(const task& work, const std::vector<candidate>& candidates) const {
    const std::vector<subject> others = opponents(work, candidates);
    std::vector<subject> subjects = others;
    for (const candidate& c : candidates)
        subjects.push_back(ours(c.name, work, options_.math, c.forced));
    const plan how = make_plan();
    const std::vector<summary> times = measure(machine_, subjects, how);

    for (size_t i = 0; i < candidates.size(); ++i) {
        row line;
        line.sizes = work.sizes();
        line.kernel = candidates[i].name;
        line.math = to_text(options_.math);
        line.workspace = name_of(workspace_sources, options_.workspace);
        line.cold = how.cold;
        line.time = times[others.size() + i];
        if (options_.verify) {
            line.max_err = candidates[i].check.max_err;
            line.passed = candidates[i].check.passed();
            line.checked = candidates[i].check.checked;
        }
        for (size_t j = 0; j < others.size(); ++j)
            line.incumbents.push_back({others[j].name, times[j]});
        report_.add(line);
    }
}

subject runner::ours(const std::string& name,
                     const task& work,
                     myblasMath_t math,
                     const std::string& forced) const {
    const routine r = work.sizes().routine;
    return {name,
            [&work, r] { require(work.call(), describe(r).name); },
            [this, r, math, forced] {
                handle_.set_math(math);
                handle_.force(r, forced);
            }};
}

// The product in the same mode, by the library's own choice of kernel.
subject runner::plain_product(const task& work) const {
    subject product = ours("mysgemm", work, options_.math, "");
    product.call = [this, &work, plain = without_epilogue(work.sizes())] {
        require(handle_.call(plain, work.data()), "mysgemm");
    };
    return product;
}

// The kernel that the library chooses in strict mode.
std::string runner::strict_choice(const task& work) const {
    handle_.set_math(MYBLAS_FP32_STRICT_MATH);
    std::string name = handle_.choice(work.sizes(), work.data());
    handle_.set_math(options_.math);
    return name;
}

plan runner::make_plan() const {
    plan how;
    how.cold = options_.cold;
    how.min_time_s = options_.min_time_s;
    how.min_rounds = options_.repeats;
    if (machine_.backend() == MYBLAS_BACKEND_HOST)
        how.how = timing::wall;
    else
        how.how = options_.how.value_or(options_.cold ? timing::event : timing::graph);
    return how;
}

} // namespace bench
