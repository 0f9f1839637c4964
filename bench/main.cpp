// myblas-bench: times the library's kernels against the libraries it stands in for. A client of the
// public headers alone.
#include "call_log.h"
#include "commands.h"
#include "earlier_run.h"
#include "errors.h"
#include "progress.h"
#include "rival.h"
#include "runner.h"
#include "settings.h"
#include "wrap.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <memory>

namespace bench {
namespace {

constexpr int exit_failure = 1, exit_usage = 2;

void list_kernels(myblasBackend_t wanted) {
    for (const myblasBackend_t backend : {MYBLAS_BACKEND_CUDA, MYBLAS_BACKEND_HOST}) {
        if (wanted != MYBLAS_BACKEND_AUTO && wanted != backend)
            continue;
        for (int i = 0; i < routine_count; ++i) {
            const routine r = static_cast<routine>(i);
            if (first_with_kernels_of(r) != r)
                continue;
            for (const myblasKernelInfo_t& kernel : kernels_of(backend, r)) {
                const std::string first =
                    fmt::format("{:<4}  {:<9}  {}",
                                backend == MYBLAS_BACKEND_CUDA ? "cuda" : "host",
                                describe(r).name,
                                kernel.name);
                fmt::print("{}", wrap(first, kernel.description, 40, 100));
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
        throw usage_error(fmt::format("this library has no {} mode", to_text(chosen.math)));
    require(status, "myblasSetMathMode");
}

std::vector<rival> make_rivals(const options& chosen, myblasBackend_t backend) {
    std::vector<rival> rivals;
    if (!chosen.against.empty())
        rivals.push_back(rival::load(chosen.against, backend));
    if (chosen.has(sweep::bare))
        rivals.emplace_back("myblas, lent workspace", backend);
    return rivals;
}

context describe_run(const options& chosen, const machine& device) {
    context known;
    known.machine = device.describe();
    known.backend = device.backend() == MYBLAS_BACKEND_CUDA ? "cuda" : "host";
    known.library = library_version();
    known.commit = chosen.commit;
    known.command = chosen.command;
    known.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    known.seed = chosen.seed;
    return known;
}

time_estimate estimate_time(const options& chosen, const std::vector<shape>& shapes, size_t begin) {
    constexpr int warm_up_calls = 2;
    std::vector<double> work;
    for (size_t i = begin; i < shapes.size(); ++i)
        work.push_back(predict_work(shapes[i]));
    return {std::move(work), chosen.min_time_s, chosen.repeats + warm_up_calls};
}

// A wrong variable ends the program, because the library would not do what its user asked for.
// Kernel names are checked later, when the backend is known.
void refuse_wrong_variables(const options& chosen) {
    const bool chooses_kernel = chosen.kernel != "auto"; // the option overrides the environment
    if (const std::string faults = tools::describe_faults(!chooses_kernel); !faults.empty())
        throw usage_error(faults);
}

// Measures all shapes, or the rest of an earlier run.
int measure_shapes(const session& of,
                   const std::vector<shape>& shapes,
                   const call_log& logged,
                   const std::optional<earlier_run>& earlier) {
    const options& chosen = of.chosen;
    context known = of.known;
    if (chosen.kernel != "all")
        known.threshold = chosen.threshold;
    const std::vector<rival> rivals = make_rivals(chosen, of.handle.backend());
    results so_far;
    so_far.shapes = shapes.size();
    if (earlier) {
        check_same_run(chosen.json_file, *earlier, known, shapes);
        so_far = earlier->so_far;
        known.date = earlier->date;
    }
    const size_t begin = so_far.finished;
    progress shown(
        chosen.shown_progress, begin, shapes.size(), estimate_time(chosen, shapes, begin));
    shown.show("measuring what the machine can do");
    known.limits = earlier ? earlier->limits : of.device.measure_ceilings();
    shown.learn(known.limits.fma_gflops * 1e9, 1);

    report out(known,
               {chosen.json_file, chosen.csv_file, chosen.csv_file != standard_output},
               so_far,
               shown);
    out.print_heading();
    if (!earlier)
        for (const left_out_calls& left : logged.left_out)
            out.add(left);
    runner runs(chosen, of.handle, rivals, of.device, out);
    try {
        for (size_t i = begin; i < shapes.size(); ++i) {
            shown.show(fmt::format("{} {}", describe(shapes[i].routine).name, to_text(shapes[i])));
            const size_t rows = out.row_count();
            runs.run(shapes[i]);
            shown.advance(out.row_count() > rows);
            out.finish_shape();
        }
    } catch (...) {
        out.finish();
        throw;
    }
    out.finish();
    out.print_summary();
    if (out.row_count() == 0)
        throw failure("nothing was measured");
    return out.all_passed() ? 0 : exit_failure;
}

// A command that needs a handle and a machine.
int run_with_handle(options& chosen) {
    std::optional<earlier_run> earlier;
    if (chosen.resume)
        earlier = read_earlier_run(chosen.json_file);
    else if (!chosen.force)
        check_may_overwrite(chosen.json_file);
    nlohmann::ordered_json handle_times;
    if (chosen.action == action::handles) // the first handle of the process is one of those timed
        handle_times = time_handles(chosen);
    if (earlier) // the remaining shapes must be the same, even if no seed was given
        chosen.seed = earlier->seed;
    call_log logged;
    if (chosen.action == action::replay)
        logged = read_call_log(chosen.call_log);
    std::unique_ptr<machine> device; // outlives the handle, which works on its stream
    const library_handle handle(chosen.backend);
    if (handle.backend() == MYBLAS_BACKEND_HOST && chosen.how)
        throw usage_error("the host is timed by the wall clock: drop --timing");
    set_math(handle, chosen);
    const std::vector<shape> shapes = chosen.action == action::replay
                                          ? logged.shapes
                                          : requested_shapes(chosen, handle.backend());
    check_kernels(chosen, handle.backend(), shapes);
    device = handle.backend() == MYBLAS_BACKEND_CUDA ? make_cuda_machine() : make_host_machine();
    const session of{chosen, handle, *device, describe_run(chosen, *device)};
    if (chosen.names_device) {
        fmt::print("{}\n", of.known.machine.gpu.empty() ? "host" : of.known.machine.gpu);
        return 0;
    }
    switch (chosen.action) {
    case action::readings:
        take_readings(of);
        return 0;
    case action::handles:
        write_results(chosen.json_file, of.known, {{"results", handle_times}});
        return 0;
    case action::tune:
        run_tuner(of);
        return 0;
    case action::energy:
        run_energy(of);
        return 0;
    case action::accuracy:
        return run_accuracy(of) ? 0 : exit_failure;
    case action::grade:
        return run_grade(of) ? 0 : exit_failure;
    default:
        return measure_shapes(of, shapes, logged, earlier);
    }
}

int run(options& chosen) {
    if (chosen.action == action::compare)
        return compare(chosen.compare) ? 0 : exit_failure;
    if (chosen.list) {
        list_kernels(chosen.backend);
        return 0;
    }
    refuse_wrong_variables(chosen);
    if (chosen.action == action::explain) {
        explain(chosen);
        return 0;
    }
    return run_with_handle(chosen);
}

// Returns the status. Throws failure if a part of the output is lost.
int with_output_written(int status) {
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
        throw failure("standard output cannot be written");
    return status;
}

} // namespace
} // namespace bench

int main(int argc, char** argv) {
    try {
        std::optional<bench::options> chosen = bench::parse_options(argc, argv);
        return bench::with_output_written(chosen ? bench::run(*chosen) : 0);
    } catch (const bench::usage_error& error) {
        fmt::print(stderr, "myblas-bench: {}\n", error.what());
        return bench::exit_usage;
    } catch (const std::exception& error) {
        fmt::print(stderr, "myblas-bench: {}\n", error.what());
        return bench::exit_failure;
    }
}
