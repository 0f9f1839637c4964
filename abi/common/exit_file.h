// A file that a variable of the environment names (or `stderr`), to which processes append.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>

namespace myblas::preload {

class exit_file {
public:
    explicit constexpr exit_file(const char* variable) noexcept : variable_(variable) {}

    // Whether the variable is set; it is read at the first call.
    bool is_on() noexcept {
        const int known = state_.load(std::memory_order_acquire);
        return (known == unread ? read_setting() : known) == on;
    }

    // What the variable holds, if it is on.
    const char* target() const noexcept { return target_; }

    // Nothing if it is off. By one write, so that processes that end together do not mix their
    // lines. Where the file cannot be opened, MYBLAS_LOG is told. Returns 0 or an error number.
    int append(const char* text, size_t length) noexcept;

private:
    enum state : int { unread, off, on };
    int read_setting() noexcept;
    void log_failure(int error) noexcept;

    const char* const variable_;
    std::atomic<int> state_{unread};
    std::atomic_flag is_taken_;
    char target_[4096] = {}; // written once, before the state becomes `on`
};

// Collects a text of limited length; what does not fit is left out.
struct bounded_text {
    char* const begin;
    const size_t capacity;
    size_t length = 0;

    template <class... Arguments>
    void add(const char* format, Arguments... arguments) noexcept {
        const int added = std::snprintf(begin + length, capacity - length, format, arguments...);
        if (added > 0)
            length = std::min(capacity - 1, length + static_cast<size_t>(added));
    }
};

} // namespace myblas::preload
