// What the lists of shapes share. A host takes fewer and smaller shapes than a GPU: those that its
// tests can finish.
#pragma once

#include "random.h"
#include "shape.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace bench {

struct pair {
    int64_t m, n;
};

// Sizes that follow from a seed alone, on any machine.
class size_source {
public:
    explicit size_source(uint64_t seed) : seed_(random_bits(seed, shape_stream)) {}

    // A size from `least` to `most`, uniform in its logarithm.
    int64_t draw(int64_t most, int64_t least = 1) {
        double value = 0; // in [-1, 1)
        random_value(seed_, index_++, value);
        const double range = std::log((static_cast<double>(most) + 1) / static_cast<double>(least));
        const double drawn = static_cast<double>(least) * std::exp((value + 1) / 2 * range);
        return std::clamp(static_cast<int64_t>(drawn), least, most);
    }

    bool flip() { return random_bits(seed_, index_++) & 1; }

    // A size from `least` to `most`, all equally likely.
    int64_t draw_evenly(int64_t least, int64_t most) {
        const auto range = static_cast<uint64_t>(most - least + 1);
        return least + static_cast<int64_t>(random_bits(seed_, index_++) % range);
    }

private:
    static constexpr uint64_t shape_stream = 1000; // so that sizes and data differ
    uint64_t seed_, index_ = 0;
};

inline void shrink_for_host(std::vector<shape>& list) {
    constexpr int64_t shrinkage = 32;
    for (shape& s : list)
        for (int64_t* const size : {&s.m, &s.n, &s.k, &s.batch})
            *size = std::max<int64_t>(*size / shrinkage, 1);
}

// Levels 2 and 3 of BLAS beside sgemm: the published list, whose members never change, with squares
// in several forms, panels, and unaligned shapes.
std::vector<shape> public_blas_shapes(routine, bool on_host);
// Random sizes and forms, from a seed.
std::vector<shape> random_blas_shapes(routine, bool on_host, uint64_t seed);

// Products as programs call them, of a class: sweep::general or a later one. They follow from the
// seed alone, except for `networks`, which has a list.
std::vector<shape> class_shapes(sweep, bool on_host, uint64_t seed);

} // namespace bench
