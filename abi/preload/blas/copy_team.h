// Threads that copy matrices within the program's memory. The helpers are started when there is
// first enough work for them. Starting them takes as long as copying some megabytes. They sleep
// between calls. The end of the process does not wait for them. A fork leaves them behind, and then
// the calling thread copies alone.
//
// Copies are posted as jobs. The helpers take jobs in the order of posting, some columns at a time.
// Helpers go on to the next job while the last columns of a job are still being copied. If a thread
// is held up, the others take over its remaining share.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace myblas::preload {

// A matrix in the program's memory: element (i, j) at data[i + j * ld]. A vector is one row, and
// its increment is ld, which may then be negative.
template <class T>
struct host_matrix {
    T* data;
    int64_t rows, cols, ld;
};

// Which rows of a matrix's columns are meant: in column j the rows from j + shift on (lower), the
// rows up to j + shift (upper), or all rows.
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
    // The triangle within the part of the matrix that begins with this row and column.
    triangle from(int64_t row, int64_t col) const { return {which, shift + col - row}; }
};

class copy_team { // never destroyed once call() was used
public:
    // Wakes `helpers` threads, or all if fewer could be started, and starts the missing ones. Woken
    // threads copy beside the calling thread until they have been idle for a while. With 0, the
    // calling thread copies alone.
    void call(int helpers) noexcept;

    // Where the copy is read from next. `cache`: it is small and read soon. `memory`: it is not
    // read soon. Then it is written past the caches, which need not read the old contents.
    enum class destination { cache, memory };

    // Begins a copy and returns its number. Small copies are done on return. Only one thread at a
    // time may call this.
    int64_t post(const host_matrix<const float>& from,
                 const host_matrix<float>& to,
                 destination,
                 const triangle& = {}) noexcept;
    // Waits until the copy is done, and helps with copying meanwhile.
    void wait(int64_t job) noexcept;

    // The number of helpers that pays off on this machine for a copy of `bytes` bytes, if `teams`
    // teams share the machine.
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
    bool copy_next_part() noexcept; // false: no part is left

    static constexpr int64_t most_jobs = 32; // under way; more wait for the oldest
    static constexpr int64_t parts = 32;     // of each job

    std::array<job, most_jobs> jobs_;
    std::atomic<int64_t> posted_{0};    // jobs
    std::atomic<int64_t> next_part_{0}; // counted over all jobs
    std::atomic<unsigned> news_{0};     // changes when there is work, or will be soon
    int started_ = 0;
    bool has_help_ = false;
};

} // namespace myblas::preload
