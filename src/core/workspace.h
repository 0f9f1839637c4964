// How much workspace a handle has for each of its streams. Pure.
//
// A stream has none until a call can use some. The first block has default_workspace_bytes, or more
// if the call can use more. A larger block replaces the first when a later call can use still more
// (api/stream.cpp). Captured calls have other blocks (api/capture_memory.h).
#pragma once

#include <algorithm>
#include <cstddef>

namespace myblas {

inline constexpr size_t default_workspace_bytes = size_t{32} << 20;

// If the first block was refused, this number of calls runs without a block before the next try.
inline constexpr int calls_between_refusals = 64;

// Enough for a product of 16384 cubed in one pass in every mode, which takes 3.01 GiB; but no more
// than an eighth of the device's memory.
constexpr size_t default_workspace_limit(size_t memory_bytes) {
    return std::min(size_t{4} << 30, memory_bytes / 8);
}

// The size of the block for a call that can use `wanted` bytes when the block has `present` and may
// have `most`: present < wanted <= most. The size at least doubles, so that a program with slowly
// rising sizes does not allocate at each step.
constexpr size_t grown_workspace(size_t wanted, size_t present, size_t most) {
    return std::min(std::max({wanted, 2 * present, default_workspace_bytes}), most);
}

// The next size to try after `wanted` bytes were refused: half, at least default_workspace_bytes;
// after that, 0.
constexpr size_t less_workspace(size_t wanted) {
    return wanted > default_workspace_bytes ? std::max(wanted / 2, default_workspace_bytes) : 0;
}

} // namespace myblas
