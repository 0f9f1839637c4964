#include "commands.h"

#include "errors.h"
#include "readings.h"
#include "timing.h"
#include "wrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace bench {
namespace {

constexpr const char* form_names[] = {"NN", "NT", "TN", "TT"};

// The measured and the predicted time of a kernel for one call.
struct trial {
    bool accepted = false, competes = false, is_rough = false;
    double us = 0, predicted_us = 0;
};

struct trials {
    int form = 0;
    // The library's factor on the predictions of kernels of weaker modes (docs/kernels.md).
    double margin = 1;
    std::vector<trial> of_kernel;
};

class tuner {
public:
    tuner(const options& chosen, const library_handle& handle, machine& device)
        : chosen_(chosen), handle_(handle),
          reader_(handle, device, predicted_kernels(handle), chosen.seed),
          kernels_(reader_.kernels()) {}

    // Every other call is held back, to judge the factors.
    void measure() {
        const auto start = wall_clock::now();
        const auto has_time = [&] { return seconds_since(start) < chosen_.tune.budget_s; };
        for (int index = 0; has_time(); ++index)
            for (const auto& [name, set] : reading_sets)
                if (has_time() && takes_part(set, index))
                    (++count_ % 2 ? fitted_ : kept_)
                        .push_back(try_call(draw_call(chosen_.seed, set, index)));
        if (fitted_.empty() || kept_.empty())
            throw failure("there was no time to measure anything: give more by --budget");
    }

    // The median of measured time by predicted time, drawn towards 1 if calls are few.
    void fit() {
        for (size_t kernel = 0; kernel < kernels_.size(); ++kernel)
            for (int form = 0; form < 4; ++form) {
                std::vector<double> logs;
                for (const trials& call : fitted_) {
                    const trial& t = call.of_kernel[kernel];
                    if (call.form == form && t.accepted && t.competes && !t.is_rough)
                        logs.push_back(std::log(t.us / t.predicted_us));
                }
                constexpr double doubt = 4; // calls with factor 1 that are added
                const double calls = static_cast<double>(logs.size());
                if (!logs.empty())
                    factors_[{kernel, form}] = std::exp(median(logs) * calls / (calls + doubt));
            }
    }

    // The time that choices by predictions lose, over the calls that were held back, in all modes.
    std::string describe_regret(bool with_factors) const {
        std::vector<double> found;
        for (const trials& call : kept_)
            for (const auto& [name, mode] : accuracy_modes)
                if (const double regret = regret_of(call, mode, with_factors); regret > 0)
                    found.push_back(regret);
        std::sort(found.begin(), found.end());
        double sum = 0;
        for (const double regret : found)
            sum += regret;
        return fmt::format("mean {:.4f}, 95th percentile {:.3f}, worst {:.2f}",
                           sum / static_cast<double>(found.size()),
                           found[found.size() * 95 / 100],
                           found.back());
    }

    size_t count() const { return count_; }

    std::string to_lines() const {
        std::string text;
        for (const auto& [place, factor] : factors_)
            text += fmt::format("sgemm {} {} {:.4f}\n",
                                kernels_[place.first].name,
                                form_names[place.second],
                                std::clamp(factor, 1.0 / 64, 64.0));
        return text;
    }

private:
    trials try_call(const shape& s) {
        const std::vector<reading> found =
            reader_.take(s, reader_.choice(s, MYBLAS_FP32_STRICT_MATH));
        const operands o = reader_.data_of(s);
        trials result{s.transa * 2 + s.transb, s.batch > 1 ? 1.12 : 1.08, {}};
        for (size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
            const myblasKernelEstimate_t estimate = handle_.estimate(s, o, kernels_[kernel].index);
            const reading& measured = found[1 + kernel];
            result.of_kernel.push_back({measured.accepted && estimate.accepted,
                                        estimate.candidate != 0,
                                        measured.is_rough,
                                        measured.us,
                                        estimate.predicted_us});
        }
        return result;
    }

    // The time of the kernel that is predicted to be the fastest, divided by the time of the kernel
    // that is; 0 if none was measured.
    double regret_of(const trials& call, myblasMath_t mode, bool with_factors) const {
        double best = std::numeric_limits<double>::infinity(), least = best, taken = 0;
        for (size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
            const trial& t = call.of_kernel[kernel];
            if (!t.accepted || kernels_[kernel].mode > mode)
                continue;
            best = std::min(best, t.us);
            const auto factor = factors_.find({kernel, call.form});
            const double predicted =
                t.predicted_us * (with_factors && factor != factors_.end() ? factor->second : 1) *
                (kernels_[kernel].mode == MYBLAS_FP32_STRICT_MATH ? 1 : call.margin);
            if (t.competes && predicted < least)
                least = predicted, taken = t.us;
        }
        return taken / best;
    }

    const options& chosen_;
    const library_handle& handle_;
    reader reader_;
    const std::vector<reader::kernel>& kernels_;
    size_t count_ = 0;
    std::vector<trials> fitted_, kept_;
    std::map<std::pair<size_t, int>, double> factors_;
};

} // namespace

void run_tuner(const session& of) {
    const tune_options& asked = of.chosen.tune;
    const context& known = of.known;
    if (predicted_kernels(of.handle).empty())
        throw usage_error("tune needs a GPU: on the host, no kernel predicts its time, and there "
                          "is nothing to tune");
    std::ofstream file;
    if (!asked.file.empty())
        file = open_file(asked.file);
    fmt::print("tuning sgemm on {}, for {:.0f} seconds\n", known.machine.gpu, asked.budget_s);
    std::fflush(stdout);
    tuner tuning(of.chosen, of.handle, of.device);
    tuning.measure();
    tuning.fit();
    const std::string summary =
        fmt::format("{} calls, every other one kept back. What the library's choice costs on "
                    "these, before: {}; after: {}",
                    tuning.count(),
                    tuning.describe_regret(false),
                    tuning.describe_regret(true));
    fmt::print("{}\n{}", tuning.to_lines(), wrap("", summary, 0, 100));
    if (file.is_open())
        file << "myblas-tuning 2\narch " << of.device.arch() << "\n# "
             << fmt::format("{}, driver {}, CUDA {}, {}, commit {}: {}\n# {}\n",
                            known.machine.gpu,
                            known.machine.driver,
                            known.machine.cuda,
                            known.date.substr(0, known.date.find('T')),
                            known.commit,
                            known.command,
                            summary)
             << tuning.to_lines();
}

} // namespace bench
