#include "blas/copy_team.h"

#include "common/local_ranks.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <sched.h>
#include <thread>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace myblas::preload {
namespace {

constexpr int most_helpers = 15;
constexpr double least_bytes_per_helper = 1 << 20; // fewer do not pay for starting it
constexpr int64_t least_shared_elements = 1 << 16; // fewer are copied sooner by one thread

// Jobs follow each other within microseconds, which is less than the time to wake a thread. With
// longer polling, these threads and the threads of the program's BLAS would compete for cores.
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

// ---- Copies -------------------------------------------------------------------------------------

// Does not read the memory that it overwrites into the caches.
void copy_past_caches(float* to, const float* from, int64_t count) noexcept {
#ifdef __SSE2__
    constexpr uintptr_t line_bytes = 64;
    constexpr int64_t line = line_bytes / sizeof(float), vector = sizeof(__m128) / sizeof(float);
    const uintptr_t until_line = (0 - reinterpret_cast<uintptr_t>(to)) % line_bytes;
    int64_t i = 0;
    if (until_line % sizeof(float) == 0) { // otherwise no element lies at the start of a cache line
        const auto before_line = static_cast<int64_t>(until_line / sizeof(float));
        for (const int64_t head = std::min(before_line, count); i < head; ++i)
            to[i] = from[i];
        for (; i + line <= count; i += line)
            for (int64_t v = 0; v < line; v += vector)
                _mm_stream_ps(to + i + v, _mm_loadu_ps(from + i + v));
    }
    to += i;
    from += i;
    count -= i;
#endif
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
}

// Orders what copy_past_caches() wrote before what the thread writes next.
void settle() noexcept {
#ifdef __SSE2__
    _mm_sfence();
#endif
}

void copy_columns(const host_matrix<const float>& from,
                  const host_matrix<float>& to,
                  copy_team::destination target,
                  const triangle& part) noexcept {
    if (from.rows == 1 && part.which == triangle::all) {
        for (int64_t j = 0; j < from.cols; ++j)
            to.data[j * to.ld] = from.data[j * from.ld];
        return;
    }
    for (int64_t j = 0; j < from.cols; ++j) {
        const int64_t first = part.first_row(j, from.rows);
        const int64_t count = part.end_row(j, from.rows) - first;
        float* column = to.data + first + j * to.ld;
        const float* source = from.data + first + j * from.ld;
        if (count <= 0)
            continue;
        if (target == copy_team::destination::memory)
            copy_past_caches(column, source, count);
        else
            std::memcpy(column, source, static_cast<size_t>(count) * sizeof(float));
    }
    settle();
}

// The part of a matrix: some of its columns, or some of its rows if it has few columns.
struct share {
    int64_t row, col, rows, cols;

    template <class T>
    host_matrix<T> of(const host_matrix<T>& m) const {
        return {m.data + row + col * m.ld, rows, cols, m.ld};
    }
};
share share_of(int64_t rows, int64_t cols, int64_t index, int64_t count) {
    const bool has_columns = cols >= count;
    const int64_t extent = has_columns ? cols : rows;
    const int64_t begin = extent * index / count, size = extent * (index + 1) / count - begin;
    return has_columns ? share{0, begin, rows, size} : share{begin, 0, size, cols};
}

// The share of the host's cores that belongs to this rank, at most the cores that the thread is
// bound to. The helpers inherit the binding.
int count_cores() noexcept {
    const int part =
        static_cast<int>(std::thread::hardware_concurrency()) / read_local_ranks().count;
    cpu_set_t bound;
    return sched_getaffinity(0, sizeof bound, &bound) == 0 ? std::min(part, CPU_COUNT(&bound))
                                                           : part;
}

} // namespace

// ---- The team -----------------------------------------------------------------------------------

int copy_team::useful_helpers(double bytes, int teams) noexcept {
    const int most = static_cast<int>(std::min(bytes / least_bytes_per_helper, 1.0 * most_helpers));
    // The system reads a file for the answer, so it is asked only once.
    static const int cores = count_cores();
    return std::clamp(cores / teams - 1, 0, most);
}

void copy_team::call(int helpers) noexcept {
    has_help_ = helpers > 0;
    if (!has_help_)
        return;
    if (started_ < helpers)
        start(helpers);
    news_.fetch_add(1);
    news_.notify_all();
}

// The helpers block all signals, so that the program's own threads handle them.
void copy_team::start(int helpers) noexcept {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        for (; started_ < helpers; ++started_)
            std::thread(&copy_team::help, this).detach();
    } catch (...) { // the system has no more threads
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void copy_team::help() noexcept {
    while (true) {
        const unsigned seen = news_.load();
        if (!copy_next_part())
            wait_for_change(news_, seen);
    }
}

bool copy_team::copy_next_part() noexcept {
    int64_t next = next_part_.load();
    do {
        if (next >= posted_.load() * parts)
            return false;
    } while (!next_part_.compare_exchange_weak(next, next + 1));
    job& j = jobs_[next / parts % most_jobs];
    const share s = share_of(j.from.rows, j.from.cols, next % parts, parts);
    copy_columns(s.of(j.from), s.of(j.to), j.target, j.part.from(s.row, s.col));
    if (j.unfinished.fetch_sub(1) == 1)
        j.unfinished.notify_one();
    return true;
}

int64_t copy_team::post(const host_matrix<const float>& from,
                        const host_matrix<float>& to,
                        destination target,
                        const triangle& part) noexcept {
    constexpr int64_t none = -1;
    if (!has_help_ || from.rows * from.cols < least_shared_elements) {
        copy_columns(from, to, target, part);
        return none;
    }
    const int64_t number = posted_.load();
    wait(number - most_jobs);
    job& j = jobs_[number % most_jobs];
    j.from = from;
    j.to = to;
    j.target = target;
    j.part = part;
    j.unfinished.store(parts);
    posted_.store(number + 1);
    news_.fetch_add(1);
    news_.notify_all();
    return number;
}

void copy_team::wait(int64_t job) noexcept {
    if (job < 0)
        return;
    const std::atomic<int>& unfinished = jobs_[job % most_jobs].unfinished;
    for (int left = unfinished.load(); left != 0;)
        left = copy_next_part() ? unfinished.load() : wait_for_change(unfinished, left);
}

} // namespace myblas::preload
