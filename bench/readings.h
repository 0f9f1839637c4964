// Times of all kernels on random products: `myblas-bench readings` writes them for bench/fit.py,
// `myblas-bench tune` uses them on the spot.
#pragma once

#include "library.h"
#include "machine.h"
#include "options.h"

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

// Call number `index` of a set. It follows from the seed alone.
shape draw_call(uint64_t seed, reading_set, int index);

// Whether a set takes part in round `index` of the readings. Frequent kinds of calls are measured
// most.
bool takes_part(reading_set, int index);

// Operands of any drawn call: one allocation for each of A, B and C, with random data.
class arena {
public:
    arena(const library_handle&, machine&, uint64_t seed);
    operands of(const shape&);

private:
    machine& device_;
    buffer memory_[3], lists_;
};

struct reading {
    bool accepted = false;
    bool is_rough = false; // timed in single calls alone: it is far behind the best
    double us = 0;
};

class reader {
public:
    // `kernels`: names. The handle gets a workspace that is large enough for every kernel.
    reader(const library_handle&, machine&, const std::vector<std::string>& kernels, uint64_t seed);

    struct kernel {
        std::string name;
        int index; // in the library's list
        int mode;  // that it serves at least
        bool has_small_tile;
    };
    const std::vector<kernel>& kernels() const { return kernels_; }
    operands data_of(const shape& s) { return arena_.of(s); }

    // The incumbent's reading first, then the kernels'. The kernel `always` is measured as
    // precisely as the best ones; empty: none.
    std::vector<reading> take(const shape&, const std::string& always = {});

    // The kernel that the library chooses in a mode.
    std::string choice(const shape&, myblasMath_t);

private:
    void drop_slow(std::vector<size_t>& which,
                   const std::vector<size_t>& places,
                   const std::vector<reading>& found,
                   double factor,
                   double slack_us) const;
    bool is_taken(const shape&, const operands&) const;

    const library_handle& handle_;
    machine& device_;
    std::vector<kernel> kernels_;
    arena arena_;
    buffer workspace_;
};

// Names of the kernels that the selection compares by time.
std::vector<std::string> predicted_kernels(const library_handle&);

} // namespace bench
