// Threads that copy matrices within the program's memory. They are started when there is first enough for them
// to do, which takes them as long as copying some megabytes, and then they sleep between calls. The end of the
// process does not wait for them; a fork leaves them behind, and the thread that copies then does it alone.
//
// Copies are posted as jobs, which the helpers take from in the order of posting, some columns at a time:
// they go on to the next job while the last columns of one are still under way, and a thread that was held
// up leaves its share to the others.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace myblas::preload {

// A matrix in the program's memory: element (i, j) at data[i + j * ld]. A vector is one row, and its
// increment is ld, which may then be negative.
template <class T>
struct host_matrix {
    T* data;
    int64_t rows, cols, ld;
};

// Which rows of a matrix's columns are meant: of column j those from j + shift on (lower), up to j + shift (upper),
// or all.
struct triangle {
    enum side : int { all, lower, upper };
    side which = all;
    int64_t shift = 0;

    int64_t first_row(int64_t j, int64_t rows) const {
        return which == lower ? std::clamp<int64_t>(j + shift, 0, rows) : 0;
    }
    int64_t end_row(int64_t j, int64_t rows) const {
        return which == upper ? std::clamp<int64_t>(j + shift + 1, 0, rows) : rows;
    }
    // Of the part of the matrix that begins with this row and column.
    triangle from(int64_t row, int64_t col) const { return {which, shift + col - row}; }
};

class copy_team { // one that was called is never destroyed
public:
    // Wakes so many helpers, or as many as there are, and starts those that never were; they copy beside the
    // calling thread until they have had nothing to do for a while. With 0, that thread copies alone.
    void call(int helpers) noexcept;

    // Where the copy will be read from next. `cache`: it is small and read soon. `memory`: it only passes by,
    // and is written past the caches, which spares them the reading of what it replaces.
    enum class destination { cache, memory };

    // Begins a copy, and returns its number; small ones are over at once. By one thread at a time.
    int64_t post(const host_matrix<const float>& from,
                 const host_matrix<float>& to,
                 destination,
                 const triangle& = {}) noexcept;
    // Until the copy is done, with this thread's help.
    void wait(int64_t job) noexcept;

    // How many helpers a copy of so much data deserves on this machine, if so many teams share it.
    static int useful_helpers(double bytes, int teams) noexcept;

private:
    struct job {
        host_matrix<const float> from{};
        host_matrix<float> to{};
        destination target = destination::cache;
        triangle part{};
        std::atomic<int> unfinished{0}; // parts
    };

    void start(int helpers) noexcept;
    void help() noexcept;
    bool copy_next_part() noexcept; // false: there is none

    static constexpr int64_t most_jobs = 32; // under way; more wait for the oldest
    static constexpr int64_t parts = 32;     // of each job

    std::array<job, most_jobs> jobs_;
    std::atomic<int64_t> posted_{0};    // jobs
    std::atomic<int64_t> next_part_{0}; // of all jobs together
    std::atomic<unsigned> news_{0};     // changes when there is something to do, or will be soon
    int started_ = 0;
    bool has_help_ = false;
};

} // namespace myblas::preload
