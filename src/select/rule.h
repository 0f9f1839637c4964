// A rule of the selection: constant data, listed in tuning_*.cpp.
#pragma once

#include "core/kernel_entry.h"

#include <array>
#include <cstdint>
#include <limits>
#include <span>

namespace myblas {

struct interval {
    int64_t low = std::numeric_limits<int64_t>::min();
    int64_t high = std::numeric_limits<int64_t>::max(); // inclusive

    constexpr bool contains(int64_t value) const { return low <= value && value <= high; }
};

inline constexpr interval any{};

constexpr interval at_least(int64_t low) { return {low, any.high}; }
constexpr interval at_most(int64_t high) { return {any.low, high}; }

// The first rule that matches and whose kernel accepts the problem gives the kernel.
template <class Problem>
struct rule {
    unsigned forms; // mask of selection_key::form
    std::array<interval, 4> extents;
    const kernel_entry<Problem>* kernel;
};

template <class Problem>
using rule_list = std::span<const rule<Problem>>;

inline constexpr unsigned any_form = ~0u;

// Sizes, then increments, then batch_count.
class key_maker : public ignored_operands {
public:
    selection_key key{1, {}};

    void size(const char*, int64_t n) { add(n); }
    void count(const char*, int64_t n) { add(n); }
    template <class T>
    void vector(const char*, T*, int64_t increment, int64_t, bool = true) {
        add(increment);
    }
    void batch(const char*, int64_t count) { add(count); }

private:
    void add(int64_t extent) { key.extents[used_++] = extent; }

    size_t used_ = 0;
};

template <class Problem>
selection_key make_key(const Problem& p) {
    if constexpr (requires { p.key(); }) {
        return p.key();
    } else {
        key_maker list;
        Problem copy = p; // lists may change operands; this one does not
        copy.operands(list);
        return list.key;
    }
}

} // namespace myblas
