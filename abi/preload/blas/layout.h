// How matrices lie in device memory, and in which groups of columns C is computed and copied.
#pragma once

#include <algorithm>
#include <cstdint>

namespace myblas::preload {

constexpr int64_t divide_up(int64_t value, int64_t by) { return (value + by - 1) / by; }
constexpr int64_t round_up(int64_t value, int64_t multiple) {
    return divide_up(value, multiple) * multiple;
}

constexpr int64_t element_alignment = 64; // of leading dimensions and operands in device memory

// The leading dimension of a matrix there.
constexpr int64_t pitch_of(int64_t rows) { return round_up(rows, element_alignment); }

constexpr int64_t least_group_cols = 256;

// Columns of the next group, a multiple of `multiple`, if `left` of `all` columns are left. Groups
// are equal at first. The last ones are narrower, since nothing is computed while the last one is
// downloaded.
constexpr int64_t next_group_cols(int64_t all, int64_t left, int64_t multiple) {
    constexpr int64_t even_groups = 8;
    const int64_t cols = std::min(divide_up(all, even_groups), divide_up(left, 2));
    return round_up(std::max(cols, least_group_cols), multiple);
}

} // namespace myblas::preload
