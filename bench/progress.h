// How far a sweep has come, and how long it will still take: on standard error, so that what is
// piped stays as it is.
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

// Predicts how long the remaining shapes take, from their work (predict_work) and from what was
// measured so far.
class time_estimate {
public:
    // The work of each shape, in order. The samples of a shape take `least_s`, or as long as
    // `rounds` calls.
    time_estimate(std::vector<double> work, double least_s, int rounds)
        : work_(std::move(work)), least_s_(least_s), rounds_(rounds) {}

    // A machine, or a call, has done this work in this time. The highest rate counts.
    void learn(double work, double seconds) { rate_ = std::max(rate_, work / seconds); }
    // The next shape is done. One that was skipped tells nothing about others.
    void finish(double seconds, bool was_measured);
    // Nothing, before a shape was measured.
    std::optional<double> seconds_left() const;

private:
    double sampling_s(double work) const;

    std::vector<double> work_;
    double least_s_;
    int rounds_;
    double rate_ = 0; // 0: not known
    size_t done_ = 0;
    std::vector<double> measured_; // the work of shapes that were
    double spent_s_ = 0;           // on them, with other libraries, data and checks
};

class progress {
public:
    // `finished` of `total` shapes are finished already; the estimate is for the others.
    progress(progress_mode, size_t finished, size_t total, time_estimate);
    ~progress() { clear(); }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    // What is measured now. On a terminal it takes the place of what was shown before; elsewhere it
    // is a line, at most one a second.
    void show(const std::string& what);
    void learn(double work, double seconds) { left_.learn(work, seconds); }
    // What was shown last is done.
    void advance(bool was_measured);
    // Before anything else is printed: the terminal may be the same.
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
