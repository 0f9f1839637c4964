// A file to which processes append. An environment variable names the file (or `stderr`).
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

    // The value of the variable, if it is on: `stderr`, or the path of the file, which is
    // absolute unless it would be too long.
    const char* target() const noexcept { return target_; }

    // Does nothing if the file is off. Uses a single write, so that processes that end at the same
    // time do not mix their lines. If the file cannot be opened, the failure is logged to
    // MYBLAS_LOG. Returns 0 or an error number.
    int append(const char* text, size_t length) noexcept;

private:
    enum state : int { unread, off, on };
    int read_setting() noexcept;
    bool write_absolute(const char* name) noexcept;
    void log_failure(int error) noexcept;

    const char* const variable_;
    std::atomic<int> state_{unread};
    std::atomic_flag is_taken_;
    char target_[4096] = {}; // written once, before the state becomes `on`
};

// Collects a text of limited length; text that does not fit is left out.
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
