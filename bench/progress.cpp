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

progress::progress(progress_mode mode, size_t finished, size_t total)
    : form_(mode == progress_mode::never    ? form::none
            : is_terminal()                 ? form::terminal
            : mode == progress_mode::always ? form::lines
                                            : form::none),
      finished_(finished), total_(total) {}

std::string progress::text(const std::string& what) const {
    const size_t done = finished_ + measured_;
    std::string left;
    if (measured_ > 0) {
        const std::chrono::duration<double> elapsed = clock::now() - begin_;
        const double each = elapsed.count() / static_cast<double>(measured_);
        left = fmt::format(", {} left", duration_text(each * static_cast<double>(total_ - done)));
    }
    return fmt::format("{} of {} done{}; {}", done, total_, left, what);
}

void progress::show(const std::string& what) {
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
