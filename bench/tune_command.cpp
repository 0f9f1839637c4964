#include "tune_command.h"

#include "errors.h"
#include "task.h"
#include "timing.h"
#include "tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>

namespace bench {
namespace {

using nlohmann::ordered_json;

// The library on this machine, in the mode that allows every kernel. A kernel runs in the workspace that
// its handle has by itself, and in a lent one only where it takes no less.
class machine_bed : public test_bed {
public:
    machine_bed(const library_handle& handle, machine& device, uint64_t seed)
        : handle_(handle), machine_(device), seed_(seed) {
        const myblasStatus_t status = myblasSetMathMode(handle_.get(), MYBLAS_FP32_FAST_MATH);
        if (status != MYBLAS_STATUS_NOT_SUPPORTED)
            require(status, "myblasSetMathMode");
        // Any product shows which kernels estimate their work.
        shape probe;
        probe.m = probe.n = probe.k = 64;
        int index = 0;
        for (const tuned_kernel& kernel : sgemm_kernels(machine_.backend())) {
            if (ask(complete(probe), index).waves > 0) {
                kernels_.push_back(kernel);
                indices_.push_back(index);
            }
            ++index;
        }
    }

    std::vector<tuned_kernel> kernels() const override { return kernels_; }

    bool fits(const shape& s) const override {
        return task::bytes_needed(s) <= machine_.free_bytes() / 2;
    }

    std::vector<estimate> estimates(const shape& s) override {
        std::vector<estimate> found;
        for (const int index : indices_) {
            myblasKernelEstimate_t e = ask(s, index);
            const size_t bytes = bytes_to_lend(e);
            const bool lent = bytes > 0 && bytes <= machine_.free_bytes() / 2;
            if (lent) {
                lend(bytes);
                e = ask(s, index);
                take_back();
            }
            found.push_back({e.accepted != 0, lent, {e.waves, e.steps, e.bytes}, e.predicted_us});
        }
        return found;
    }

    std::vector<double> time_us(const shape& s, std::span<const int> kernels) override {
        task work(machine_, handle_, s, seed_);
        std::vector<size_t> lent_bytes;
        for (const int kernel : kernels)
            lent_bytes.push_back(bytes_to_lend(ask(s, indices_[kernel])));
        // Graphs keep the address.
        reserve(*std::max_element(lent_bytes.begin(), lent_bytes.end()));
        std::vector<subject> subjects;
        for (size_t i = 0; i < kernels.size(); ++i) {
            const tuned_kernel& kernel = kernels_[kernels[i]];
            subjects.push_back({kernel.name,
                                [this, &kernel, bytes = lent_bytes[i]] {
                                    force(kernel.name.c_str());
                                    if (bytes > 0)
                                        lend(bytes);
                                    else
                                        take_back();
                                },
                                [&work] { require(work.call(), "the product"); }});
        }
        const plan short_plan = {.how = timing::graph, .min_time_s = 0, .min_rounds = 3};
        std::vector<double> times;
        for (const summary& found : measure(machine_, subjects, short_plan))
            times.push_back(found.median_us);
        force(nullptr);
        take_back();
        return times;
    }

    double elapsed_s() const override {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    static std::vector<tuned_kernel> sgemm_kernels(myblasBackend_t backend) {
        std::vector<tuned_kernel> found;
        for (const std::string& name : kernel_names(backend, routine::sgemm)) {
            const int index = static_cast<int>(found.size());
            found.push_back({name, kernel_info(backend, routine::sgemm, index).math_mode});
        }
        return found;
    }

    myblasKernelEstimate_t ask(const shape& s, int index) const {
        const myblasCall_t call = describe_call(s, {});
        myblasKernelEstimate_t found{};
        found.size_bytes = sizeof found;
        require(myblasGetKernelEstimate(handle_.get(), &call, index, &found),
                "myblasGetKernelEstimate");
        return found;
    }

    // What a kernel that declines might lack.
    static size_t bytes_to_lend(const myblasKernelEstimate_t& e) {
        return e.accepted ? 0 : e.workspace_bytes;
    }

    void reserve(size_t bytes) {
        if (bytes <= lent_.bytes())
            return;
        lent_ = {};
        lent_ = buffer(handle_, bytes);
    }

    void lend(size_t bytes) {
        reserve(bytes);
        require(myblasSetWorkspace(handle_.get(), lent_.data(), bytes), "myblasSetWorkspace");
    }

    // The handle goes back to its own workspace.
    void take_back() const {
        require(myblasSetStream(handle_.get(), machine_.stream()), "myblasSetStream");
    }

    void force(const char* name) const {
        require(myblasForceKernel(handle_.get(), MYBLAS_ROUTINE_SGEMM, name), "myblasForceKernel");
    }

    const library_handle& handle_;
    machine& machine_;
    const uint64_t seed_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::vector<tuned_kernel> kernels_;
    std::vector<int> indices_; // in the library's list
    buffer lent_;
};

// The files to write, opened before the work.
class output_file {
public:
    explicit output_file(const std::string& name) {
        if (name.empty())
            return;
        file_.open(name, std::ios::trunc);
        if (!file_)
            throw usage_error(fmt::format("cannot write {}", name));
    }
    void write(const std::string& text) {
        if (file_.is_open())
            file_ << text << std::flush;
    }

private:
    std::ofstream file_;
};

int count_measured(const tuning& result) {
    return static_cast<int>(std::count_if(
        result.trials.begin(), result.trials.end(), [](const trial& t) { return t.measured; }));
}

std::string describe_regret(const tuning& result) {
    const regret& r = result.regret;
    std::string text = fmt::format("Chosen against the best measured: geometric mean {:.3f}, worst "
                                   "{:.2f}",
                                   r.geometric_mean,
                                   r.worst);
    if (r.worst > 1)
        text += fmt::format(" ({}, {}{})",
                            to_text(result.shapes[r.worst_shape]),
                            to_text(r.worst_setting.math),
                            r.worst_setting.lends ? " with a large workspace" : "");
    if (r.unmeasured > 0)
        text += fmt::format("; {} chosen unmeasured", r.unmeasured);
    return text + ".";
}

std::string describe_kept(const tuning& result) {
    if (result.kept.empty())
        return "No costs were kept.";
    return fmt::format("Costs kept, for want of measurements: {}.", fmt::join(result.kept, ", "));
}

void print_summary(const tuning& result) {
    fmt::print("{:<24} {:<4} {:>6} {:>8} {:>8}  {}\n",
               "kernel",
               "form",
               "shapes",
               "rms err",
               "worst",
               "fixed, per wave, per step, per byte (us)");
    for (const kernel_costs& known : result.costs) {
        const auto place =
            std::find_if(result.kernels.begin(), result.kernels.end(), [&](const tuned_kernel& k) {
                return k.name == known.kernel;
            });
        const int kernel = static_cast<int>(place - result.kernels.begin());
        for (const auto& [form, c] : known.of_form) {
            const std::vector<observation> seen = observations_of(result, kernel, form);
            if (seen.empty())
                continue;
            const fit_error error = error_of(c, seen);
            fmt::print("{:<24} {:<4} {:>6} {:>7.1f}% {:>7.1f}%  {:.4g} {:.4g} {:.4g} {:.4g}\n",
                       known.kernel,
                       form_name(form),
                       seen.size(),
                       100 * error.mean,
                       100 * error.worst,
                       c.fixed,
                       c.per_wave,
                       c.per_step,
                       c.per_byte);
        }
    }
    fmt::print("{}\n{}\n", describe_regret(result), describe_kept(result));
}

ordered_json to_json(const tuning& result) {
    ordered_json trials = ordered_json::array();
    for (const trial& t : result.trials) {
        const shape& s = result.shapes[t.shape];
        ordered_json json = {{"form", form_name(form_of(s))},
                             {"m", s.m},
                             {"n", s.n},
                             {"k", s.k},
                             {"batch", s.batch},
                             {"kernel", result.kernels[t.kernel].name},
                             {"lent_workspace", t.lent},
                             {"waves", t.work.waves},
                             {"steps", t.work.steps},
                             {"bytes", t.work.bytes}};
        json["time_us"] = t.measured ? ordered_json(t.us) : ordered_json(nullptr);
        json["predicted_us"] =
            t.predicted_us > 0 ? ordered_json(t.predicted_us) : ordered_json(nullptr);
        trials.push_back(json);
    }
    return trials;
}

} // namespace

void run_tuner(const options& chosen,
               const library_handle& handle,
               machine& device,
               const context& known) {
    machine_bed bed(handle, device, chosen.seed);
    if (bed.kernels().empty())
        throw usage_error("no kernel of this backend predicts its time: there is nothing to tune");
    output_file source(chosen.tune.source_file), file(chosen.tune.tuning_file);
    output_file json(chosen.json_file);

    fmt::print("tuning sgemm on {}, for {:.0f} seconds at most\n",
               known.machine.gpu,
               chosen.tune.budget_s);
    std::fflush(stdout);
    const tuning result = tune(bed, chosen.tune.budget_s);
    print_summary(result);

    const provenance lines = {
        fmt::format("Provenance: {}, driver {}, CUDA {}, {}, commit {}:",
                    known.machine.gpu,
                    known.machine.driver,
                    known.machine.cuda,
                    known.date.substr(0, known.date.find('T')),
                    known.commit),
        known.command,
        fmt::format("{} shapes, {} measurements.", result.shapes.size(), count_measured(result)),
        describe_regret(result),
        describe_kept(result),
    };
    source.write(to_source(device.arch(), lines, result.costs));
    file.write(to_tuning_file(device.arch(), lines, result.costs));
    ordered_json all;
    all["context"] = to_json(known);
    all["arch"] = device.arch();
    all["trials"] = to_json(result);
    json.write(all.dump(1) + "\n");
}

} // namespace bench
