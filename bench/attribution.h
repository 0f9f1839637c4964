// Which mode's kernel computed a product in the end. A kernel on tensor cores may find during a
// call that it cannot keep its promise. The kernel then leaves the call to a stricter mode, without
// telling the host. The bits of the result show it: they equal the bits of a kernel of that mode,
// or of sums on the FP32 units.
#pragma once

#include "myblas/myblas.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace bench {

// On the FP32 units, every kernel adds up chunks of k, each in order. The family tf32x3 adds the
// chunks to the total. The families bf16x6 and fp16x3 add them to groups, and the groups to the
// total.
inline constexpr int64_t strict_end_chunk = 64, strict_end_group = 16 * strict_end_chunk;

// A product whose parts of k can be computed one by one.
struct product_in_parts {
    // Adds `count` products, from k = `first` on, in order. With `afresh` each element begins with
    // zero, otherwise with its sum so far.
    std::function<void(int64_t first, int64_t count, bool afresh)> add;
    std::function<std::vector<float>()> sum;
};

// The results that kernels on tensor cores have if they compute on the FP32 units: one for each
// order of addition that differs at this k.
std::vector<std::vector<float>> add_as_strict_ends(const product_in_parts&, int64_t k);

// A result, the strictest mode that its kernel serves, and the kernel, whose family is the part of
// its name before '/'.
struct served {
    myblasMath_t mode;
    std::span<const float> c;
    std::string_view kernel = {}; // empty: none
};

bool same_bits(std::span<const float>, std::span<const float>);

// The strictest mode of `result` and of the results with the same bits by kernels of other
// families. A family that serves two modes has the same bits in both, on data without small
// elements.
myblasMath_t attribute(const served& result, std::span<const served> others);

} // namespace bench
