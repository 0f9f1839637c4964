#include "blas/copy_team.h"

#include <algorithm>
#include <cstring>

namespace myblas::preload {
namespace {

constexpr int64_t least_shared_elements = int64_t{1}
                                          << 16;  // fewer are copied sooner than shared out
constexpr double least_bytes_per_call = 16 << 20; // fewer do not pay for starting threads

// Jobs follow each other within microseconds, less than it takes to wake a thread.
constexpr int looks_before_sleep = 20000; // some 10 us

// Waits until the value is another one.
template <class T>
T wait_for_change(const std::atomic<T>& value, T old) noexcept {
    for (int look = 0; look < looks_before_sleep; ++look)
        if (const T now = value.load(); now != old)
            return now;
    value.wait(old);
    return value.load();
}

void copy_columns(const host_matrix<const float>& from, const host_matrix<float>& to) noexcept {
    if (from.rows == 1) {
        for (int64_t j = 0; j < from.cols; ++j)
            to.data[j * to.ld] = from.data[j * from.ld];
        return;
    }
    for (int64_t j = 0; j < from.cols; ++j)
        std::memcpy(to.data + j * to.ld,
                    from.data + j * from.ld,
                    static_cast<size_t>(from.rows) * sizeof(float));
}

} // namespace

int copy_team::useful_helpers(double bytes, int teams) noexcept {
    if (bytes < least_bytes_per_call)
        return 0;
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    return std::clamp(cores / teams - 1, 0, most_helpers);
}

copy_team::copy_team(int helpers) noexcept {
    try {
        for (; helper_count_ < std::min(helpers, most_helpers); ++helper_count_)
            helpers_[helper_count_] = std::thread(&copy_team::work, this, helper_count_);
    } catch (...) { // the system has no more threads
    }
}

copy_team::~copy_team() {
    is_over_.store(true);
    generation_.fetch_add(1);
    generation_.notify_all();
    for (int i = 0; i < helper_count_; ++i)
        helpers_[i].join();
}

void copy_team::copy_part(int64_t part) const noexcept {
    const int64_t parts = helper_count_ + 1;
    if (from_.cols >= parts) {
        const int64_t begin = from_.cols * part / parts, end = from_.cols * (part + 1) / parts;
        copy_columns({from_.data + begin * from_.ld, from_.rows, end - begin, from_.ld},
                     {to_.data + begin * to_.ld, to_.rows, end - begin, to_.ld});
    } else {
        const int64_t begin = from_.rows * part / parts, end = from_.rows * (part + 1) / parts;
        copy_columns({from_.data + begin, end - begin, from_.cols, from_.ld},
                     {to_.data + begin, end - begin, to_.cols, to_.ld});
    }
}

void copy_team::work(int64_t part) noexcept {
    for (unsigned seen = 0;;) {
        seen = wait_for_change(generation_, seen);
        if (is_over_.load())
            return;
        copy_part(part);
        if (unfinished_.fetch_sub(1) == 1)
            unfinished_.notify_one();
    }
}

void copy_team::copy(const host_matrix<const float>& from, const host_matrix<float>& to) noexcept {
    if (helper_count_ == 0 || from.rows * from.cols < least_shared_elements) {
        copy_columns(from, to);
        return;
    }
    from_ = from;
    to_ = to;
    unfinished_.store(helper_count_);
    generation_.fetch_add(1);
    generation_.notify_all();
    copy_part(helper_count_);
    for (int left = unfinished_.load(); left != 0; left = wait_for_change(unfinished_, left)) {
    }
}

} // namespace myblas::preload
