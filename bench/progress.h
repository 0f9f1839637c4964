// How far a sweep has come, and how long it will still take: on standard error, so that what is piped stays as it is.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace bench {

// automatic: on a terminal alone.
enum class progress_mode { automatic, always, never };

class progress {
public:
    // Of `total` shapes, so many are finished already.
    progress(progress_mode, size_t finished, size_t total);
    ~progress() { clear(); }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    // What is measured now. On a terminal it takes the place of what was shown before; elsewhere it is a line, at most
    // one a second.
    void show(const std::string& what);
    // A shape is done.
    void advance() { ++measured_; }
    // Before anything else is printed: the terminal may be the same.
    void clear();

private:
    using clock = std::chrono::steady_clock;
    std::string text(const std::string& what) const;

    enum class form { none, terminal, lines } form_;
    const size_t finished_, total_;
    size_t measured_ = 0;
    const clock::time_point begin_ = clock::now();
    clock::time_point shown_{};
    bool is_visible_ = false;
};

} // namespace bench
