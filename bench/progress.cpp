#include "progress.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

namespace bench {
namespace {

constexpr const char* erase_line =
    "\r\033[K"; // ECMA-48: EL, from the cursor to the end of the line

bool is_terminal() {
    const char* kind = std::getenv("TERM");
    return isatty(STDERR_FILENO) && kind && std::strcmp(kind, "dumb") != 0;
}

size_t terminal_columns() {
    constexpr size_t usual = 80;
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

std::string duration_text(double seconds) {
    const auto whole = static_cast<long long>(std::ceil(seconds));
    const long long hours = whole / 3600, minutes = whole / 60 % 60;
    if (hours > 0)
        return fmt::format("{} h {} min", hours, minutes);
    return minutes > 0 ? fmt::format("{} min {} s", minutes, whole % 60)
                       : fmt::format("{} s", whole);
}

} // namespace

double time_estimate::sampling_s(double work) const {
    return rate_ > 0 ? std::max(least_s_, rounds_ * work / rate_) : least_s_;
}

void time_estimate::finish(double seconds, bool was_measured) {
    if (was_measured) {
        measured_.push_back(work_[done_]);
        spent_s_ += seconds;
    }
    ++done_;
}

std::optional<double> time_estimate::seconds_left() const {
    double sampled_s = 0, to_sample_s = 0;
    for (const double work : measured_)
        sampled_s += sampling_s(work);
    for (size_t i = done_; i < work_.size(); ++i)
        to_sample_s += sampling_s(work_[i]);
    if (sampled_s <= 0)
        return std::nullopt;
    return to_sample_s / sampled_s * spent_s_;
}

progress::progress(progress_mode mode, size_t finished, size_t total, time_estimate left)
    : form_(mode == progress_mode::never    ? form::none
            : is_terminal()                 ? form::terminal
            : mode == progress_mode::always ? form::lines
                                            : form::none),
      finished_(finished), total_(total), left_(std::move(left)) {}

std::string progress::text(const std::string& what) const {
    const std::optional<double> seconds = left_.seconds_left();
    const std::string left = seconds ? fmt::format(", {} left", duration_text(*seconds)) : "";
    return fmt::format("{} of {} done{}; {}", finished_, total_, left, what);
}

void progress::advance(bool was_measured) {
    left_.finish(std::chrono::duration<double>(clock::now() - begin_).count(), was_measured);
    ++finished_;
}

void progress::show(const std::string& what) {
    begin_ = clock::now();
    if (form_ == form::terminal) {
        // A line that is as wide as the terminal would wrap.
        fmt::print(stderr, "{}{}", erase_line, text(what).substr(0, terminal_columns() - 1));
        is_visible_ = true;
    } else if (form_ == form::lines && clock::now() - shown_ >= std::chrono::seconds(1)) {
        fmt::print(stderr, "{}\n", text(what));
        shown_ = clock::now();
    }
    std::fflush(stderr);
}

void progress::clear() {
    if (is_visible_)
        fmt::print(stderr, "{}", erase_line);
    std::fflush(stderr);
    is_visible_ = false;
}

} // namespace bench
