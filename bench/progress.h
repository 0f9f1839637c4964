// Shows how far a sweep has come, and how long it will still take. The text goes to standard error,
// so that standard output can be piped.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

// automatic: on a terminal alone.
enum class progress_mode { automatic, always, never };

// Predicts the time for the remaining shapes from their work (predict_work) and from the measured
// times.
class time_estimate {
public:
    // The work of each shape, in order. The samples of a shape take `least_s`, or as long as
    // `rounds` calls.
    time_estimate(std::vector<double> work, double least_s, int rounds)
        : work_(std::move(work)), least_s_(least_s), rounds_(rounds) {}

    // Learns that a call did this work in this time. The highest rate counts.
    void learn(double work, double seconds) { rate_ = std::max(rate_, work / seconds); }
    // Notes that the next shape is done. A skipped shape tells nothing about the others.
    void finish(double seconds, bool was_measured);
    // Empty until a shape has been measured.
    std::optional<double> seconds_left() const;

private:
    double sampling_s(double work) const;

    std::vector<double> work_;
    double least_s_;
    int rounds_;
    double rate_ = 0; // 0: not known
    size_t done_ = 0;
    std::vector<double> measured_; // the work of measured shapes
    double spent_s_ = 0;           // the time they took, with other libraries, data and checks
};

class progress {
public:
    // `finished` of `total` shapes are already finished. The estimate is for the others.
    progress(progress_mode, size_t finished, size_t total, time_estimate);
    ~progress() { clear(); }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    // Shows what is measured now. On a terminal, the text replaces the one before. Otherwise it is
    // a line, at most one a second.
    void show(const std::string& what);
    void learn(double work, double seconds) { left_.learn(work, seconds); }
    // Notes that the shape that was shown last is done.
    void advance(bool was_measured);
    // Removes the text. To be called before anything is printed, because both may go to one
    // terminal.
    void clear();

private:
    using clock = std::chrono::steady_clock;
    std::string text(const std::string& what) const;

    enum class form { none, terminal, lines } form_;
    size_t finished_;
    const size_t total_;
    time_estimate left_;
    clock::time_point begin_{}; // of what was shown last
    clock::time_point shown_{};
    bool is_visible_ = false;
};

} // namespace bench
