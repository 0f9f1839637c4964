// Threads that copy matrices within the program's memory, for as long as one call lasts: none outlives it,
// so a fork or the end of the process never meets one.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

namespace myblas::preload {

// A matrix in the program's memory: element (i, j) at data[i + j * ld]. A vector is one row, and its
// increment is ld, which may then be negative.
template <class T>
struct host_matrix {
    T* data;
    int64_t rows, cols, ld;
};

class copy_team {
public:
    // With so many helpers beside the calling thread, or fewer if the system gives no more.
    explicit copy_team(int helpers) noexcept;
    ~copy_team();
    copy_team(const copy_team&) = delete;
    copy_team& operator=(const copy_team&) = delete;

    void copy(const host_matrix<const float>& from, const host_matrix<float>& to) noexcept;

    // How many helpers a copy of so much data deserves on this machine, if so many teams share it.
    static int useful_helpers(double bytes, int teams) noexcept;

private:
    void copy_part(int64_t part) const noexcept;
    void work(int64_t part) noexcept;

    static constexpr int most_helpers = 15;
    std::array<std::thread, most_helpers> helpers_;
    int helper_count_ = 0;

    // The job of the current generation; helper i does part i, the caller the last one.
    host_matrix<const float> from_{};
    host_matrix<float> to_{};
    std::atomic<unsigned> generation_{0};
    std::atomic<int> unfinished_{0};
    std::atomic<bool> is_over_{false};
};

} // namespace myblas::preload
