// A file that a variable of the environment names (or `stderr`): each process appends to it when it ends.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>

namespace myblas::preload {

class exit_file {
public:
    // A child calls `forget_parent` after a fork: what happened before was not its own.
    constexpr exit_file(const char* variable, void (*forget_parent)()) noexcept
        : variable_(variable), forget_parent_(forget_parent) {}

    // Whether the variable is set; it is read at the first call.
    bool is_on() noexcept {
        const int known = state_.load(std::memory_order_acquire);
        return (known == unread ? read_setting() : known) == on;
    }

    // By one write, so that processes that end together do not mix their lines. Where the file cannot be opened,
    // MYBLAS_LOG is told.
    void append(const char* text, size_t length) noexcept;

private:
    enum state : int { unread, off, on };
    int read_setting() noexcept;
    void log_failure(int error) noexcept;

    const char* const variable_;
    void (*const forget_parent_)();
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
