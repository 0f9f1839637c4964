// myblas-bench: times the library's kernels against the libraries it stands in for. A client of the
// public headers alone.
#include "accuracy_command.h"
#include "build_commit.h"
#include "errors.h"
#include "library.h"
#include "options.h"
#include "report.h"
#include "task.h"
#include "tune_command.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>

namespace bench {
namespace {

constexpr int exit_failure = 1, exit_usage = 2;

// A kernel that takes the shape: what to force (null: nothing), and the name of what ran.
struct candidate {
    const char* forced;
    std::string name;
    verdict check;
};

class runner {
public:
    runner(const options& chosen, const library_handle& handle, machine& device, report& out)
        : options_(chosen), handle_(handle), machine_(device), report_(out) {}

    void run(const shape& sizes) {
        const size_t needed = task::bytes_needed(sizes), available = machine_.free_bytes();
        if (needed > available) {
            report_.add(skipped_row{sizes,
                                    options_.kernel,
                                    fmt::format("its operands take {} MiB, {} MiB are free",
                                                needed >> 20,
                                                available >> 20)});
            return;
        }
        task work(machine_, handle_, sizes, options_.seed);
        const std::vector<std::string> names = wanted_kernels(sizes.routine);
        const buffer workspace = lend_workspace(work, names);
        std::vector<candidate> candidates;
        for (const std::string& name : names)
            try_kernel(work, name, candidates);
        if (!candidates.empty())
            time(work, candidates);
        set_mode(options_.math);
        // Back to the handle's own workspace before the lent one goes.
        require(myblasSetStream(handle_.get(), machine_.stream()), "myblasSetStream");
    }

private:
    // "auto" stands for the library's own choice.
    std::vector<std::string> wanted_kernels(routine r) const {
        if (options_.kernel == "all")
            return kernel_names(machine_.backend(), r);
        return {options_.kernel};
    }

    static const char* to_force(const std::string& name) {
        return name == "auto" ? nullptr : name.c_str();
    }

    void force(routine r, const char* name) const {
        if (myblasForceKernel(handle_.get(), describe(r).kernels, name) != MYBLAS_STATUS_SUCCESS)
            throw usage_error(fmt::format(
                "{} has no kernel named {}; --list shows them", describe(r).name, name));
    }

    // One workspace that serves every kernel, as long as it leaves half of the memory alone.
    buffer lend_workspace(const task& work, const std::vector<std::string>& names) const {
        const size_t limit = machine_.free_bytes() / 2;
        size_t largest = 0;
        for (const std::string& name : names) {
            force(work.sizes().routine, to_force(name));
            const size_t bytes = wanted_workspace(handle_, work.sizes(), work.data());
            if (bytes <= limit)
                largest = std::max(largest, bytes);
        }
        if (largest == 0)
            return {};
        buffer workspace(handle_, largest);
        require(myblasSetWorkspace(handle_.get(), workspace.data(), workspace.bytes()),
                "myblasSetWorkspace");
        return workspace;
    }

    void try_kernel(task& work, const std::string& name, std::vector<candidate>& found) const {
        const shape& sizes = work.sizes();
        const myblasRoutine_t routine = describe(sizes.routine).kernels;
        force(sizes.routine, to_force(name));
        const myblasStatus_t status = work.call();
        if (status == MYBLAS_STATUS_NOT_SUPPORTED) {
            report_.add(skipped_row{sizes, name, why_not(work)});
            return;
        }
        require(status, describe(sizes.routine).name);
        machine_.synchronize();
        const char* taken = nullptr;
        require(myblasGetLastKernel(handle_.get(), routine, &taken), "myblasGetLastKernel");
        candidate accepted{to_force(name), taken ? taken : "none", {}};
        if (options_.verify)
            accepted.check = work.verify(accepted.name);
        found.push_back(accepted);
    }

    std::string why_not(const task& work) const {
        const size_t bytes = wanted_workspace(handle_, work.sizes(), work.data());
        if (bytes > 0)
            return fmt::format("it needs a workspace of {} MiB", (bytes >> 20) + 1);
        return "it does not accept this call";
    }

    void time(const task& work, const std::vector<candidate>& candidates) const {
        const shape& sizes = work.sizes();
        std::vector<subject> others = machine_.incumbents(sizes, work.data());
        const bool is_choice = options_.kernel == "auto" && sizes.routine == routine::sgemm;
        if (is_choice && options_.math != MYBLAS_FP32_STRICT_MATH &&
            candidates[0].name != strict_choice(work))
            others.push_back(ours("myblas strict", work, MYBLAS_FP32_STRICT_MATH, nullptr));
        std::vector<subject> subjects = others;
        for (const candidate& c : candidates)
            subjects.push_back(ours(c.name, work, options_.math, c.forced));
        const plan how = make_plan();
        const std::vector<summary> times = measure(machine_, subjects, how);

        for (size_t i = 0; i < candidates.size(); ++i) {
            row line;
            line.sizes = sizes;
            line.kernel = candidates[i].name;
            line.math = options_.math_name;
            line.cold = how.cold;
            line.time = times[others.size() + i];
            if (options_.verify) {
                line.max_err = candidates[i].check.max_err;
                line.passed = candidates[i].check.passed();
                line.checked = candidates[i].check.checked;
            }
            for (size_t j = 0; j < others.size(); ++j) {
                line.incumbent = others[j].name;
                line.incumbent_time = times[j];
                report_.add(line);
            }
            if (others.empty())
                report_.add(line);
        }
    }

    void set_mode(myblasMath_t math) const {
        require(myblasSetMathMode(handle_.get(), math), "myblasSetMathMode");
    }

    subject
    ours(const std::string& name, const task& work, myblasMath_t math, const char* forced) const {
        const routine r = work.sizes().routine;
        return {name,
                [this, r, math, forced] {
                    set_mode(math);
                    force(r, forced);
                },
                [&work, r] { require(work.call(), describe(r).name); }};
    }

    // What the library would take without tensor cores.
    std::string strict_choice(const task& work) const {
        const myblasCall_t call = describe_call(work.sizes(), work.data());
        const char* name = nullptr;
        set_mode(MYBLAS_FP32_STRICT_MATH);
        require(myblasSelectKernel(handle_.get(), &call, &name), "myblasSelectKernel");
        set_mode(options_.math);
        return name;
    }

    plan make_plan() const {
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

    const options& options_;
    const library_handle& handle_;
    machine& machine_;
    report& report_;
};

void list_kernels(myblasBackend_t wanted) {
    for (const myblasBackend_t backend : {MYBLAS_BACKEND_CUDA, MYBLAS_BACKEND_HOST}) {
        if (wanted != MYBLAS_BACKEND_AUTO && wanted != backend)
            continue;
        for (const routine r : {routine::sgemm,
                                routine::transpose,
                                routine::geam,
                                routine::sum,
                                routine::dsum,
                                routine::axpy,
                                routine::copy,
                                routine::gemsum,
                                routine::histogram}) {
            int index = 0;
            for (const std::string& name : kernel_names(backend, r)) {
                fmt::print("{:<5} {:<10} {:<24} {}\n",
                           backend == MYBLAS_BACKEND_CUDA ? "cuda" : "host",
                           describe(r).name,
                           name,
                           kernel_info(backend, r, index++).description);
            }
        }
    }
}

std::string library_version() {
    int version = 0;
    require(myblasGetVersion(nullptr, &version), "myblasGetVersion");
    return fmt::format("myblas {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

void set_math(const library_handle& handle, const options& chosen) {
    const myblasStatus_t status = myblasSetMathMode(handle.get(), chosen.math);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED)
        throw usage_error(fmt::format("this library has no {} mode", chosen.math_name));
    require(status, "myblasSetMathMode");
}

void check_against_backend(const options& chosen, myblasBackend_t backend) {
    if (backend == MYBLAS_BACKEND_HOST && chosen.how)
        throw usage_error("the host is timed by the wall clock: drop --timing");
    if (chosen.kernel == "auto" || chosen.kernel == "all")
        return;
    for (const routine r : chosen.routines) {
        const std::vector<std::string> names = kernel_names(backend, r);
        if (std::find(names.begin(), names.end(), chosen.kernel) == names.end())
            throw usage_error(fmt::format(
                "{} has no kernel named {}; --list shows them", describe(r).name, chosen.kernel));
    }
}

context describe_run(const options& chosen, const machine& device) {
    context known;
    known.machine = device.describe();
    known.backend = device.backend() == MYBLAS_BACKEND_CUDA ? "cuda" : "host";
    known.library = library_version();
    known.commit = chosen.commit.empty() ? build_commit : chosen.commit;
    known.command = chosen.command;
    known.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    known.seed = chosen.seed;
    return known;
}

int run(const options& chosen) {
    if (chosen.list) {
        list_kernels(chosen.backend);
        return 0;
    }
    std::unique_ptr<machine> device; // outlives the handle, which works on its stream
    const library_handle handle(chosen.backend);
    check_against_backend(chosen, handle.backend());
    set_math(handle, chosen);
    const std::vector<shape> shapes = requested_shapes(chosen, handle.backend());
    device = handle.backend() == MYBLAS_BACKEND_CUDA ? make_cuda_machine() : make_host_machine();

    context known = describe_run(chosen, *device);
    if (chosen.tune.wanted) {
        run_tuner(chosen, handle, *device, known);
        return 0;
    }
    if (chosen.accuracy.wanted)
        return run_accuracy(chosen, handle, *device, known) ? 0 : exit_failure;
    if (chosen.kernel != "all")
        known.threshold = chosen.threshold;
    known.limits = device->measure_ceilings();

    report out(known, chosen.json_file, chosen.csv_file);
    out.print_heading();
    runner runs(chosen, handle, *device, out);
    for (const shape& sizes : shapes) {
        runs.run(sizes);
        out.save();
    }
    out.print_summary();
    if (out.row_count() == 0)
        throw failure("nothing was measured");
    return out.all_passed() ? 0 : exit_failure;
}

} // namespace
} // namespace bench

int main(int argc, char** argv) {
    try {
        const std::optional<bench::options> chosen = bench::parse_options(argc, argv);
        return chosen ? bench::run(*chosen) : 0;
    } catch (const bench::usage_error& error) {
        fmt::print(stderr, "myblas-bench: {}\n", error.what());
        return bench::exit_usage;
    } catch (const std::exception& error) {
        fmt::print(stderr, "myblas-bench: {}\n", error.what());
        return bench::exit_failure;
    }
}
