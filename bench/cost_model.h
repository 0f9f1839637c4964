// The sum by which the library predicts a kernel's time, seen from the outside: fitted to measurements,
// and written as the library reads it.
#pragma once

#include "shape.h"

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace bench {

// What myblasGetKernelEstimate tells of a kernel's work.
struct work {
    double waves = 0, steps = 0, bytes = 0;
};

// Microseconds.
struct cost {
    double fixed = 0, per_wave = 0, per_step = 0, per_byte = 0;

    double predict_us(const work& w) const {
        return fixed + per_wave * w.waves + per_step * w.steps + per_byte * w.bytes;
    }
};

struct observation {
    bench::work work;
    double us = 0;
    double weight = 1;
};

// The costs, none of them negative, with the least sum of squared relative errors, each times its weight.
// There is at least one observation.
cost fit(std::span<const observation>);

// The weighted root mean square of the relative errors, and the largest of them.
struct fit_error {
    double mean = 0, worst = 0;
};
fit_error error_of(const cost&, std::span<const observation>);

inline constexpr int form_count = 4; // NN, NT, TN, TT
inline int form_of(const shape& s) { return s.transa * 2 + s.transb; }
const char* form_name(int form);

struct kernel_costs {
    std::string kernel;
    std::map<int, cost> of_form; // those that were measured
};

// How the costs came about, in lines without comment signs.
using provenance = std::vector<std::string>;

// The text of src/select/tuning_sm<arch>_sgemm.cpp, and of a file for MYBLAS_TUNING.
std::string to_source(int arch, const provenance&, std::span<const kernel_costs>);
std::string to_tuning_file(int arch, const provenance&, std::span<const kernel_costs>);

} // namespace bench
