// How far products are from float64: in every mode of the library, by its kernels on tensor cores,
// and by other libraries.
#pragma once

#include "library.h"
#include "machine.h"
#include "shape.h"

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

class task;

// |C - AB| / |A||B| over all elements, in units of 2^-24, and the relative Frobenius norm of C -
// AB.
struct errors {
    double max_ulp = 0, mean_ulp = 0, frobenius = 0;
};

// A library, or a kernel of this one, that computes products.
struct contender {
    std::string name;                            // a mode, a kernel, or a call of another library
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH; // that the handle is set to
    std::string forced;                          // empty: the mode's choice
};

struct outcome {
    contender asked;
    std::string kernel;                                 // empty: another library's
    myblasMath_t serves = MYBLAS_FP32_STRICT_MATH;      // the strictest mode whose promise it keeps
    myblasMath_t computed_by = MYBLAS_FP32_STRICT_MATH; // of the kernel that computed in the end
    std::vector<float> c;
    bench::errors errors;
    double max_ratio = 0, mean_ratio = 0; // to the first contender's errors; 0: none
    bool is_within_limit = true;
    bool passed = true;
};

// The allowed error of a mode, as a multiple of the error of the other library's FP32 product.
double limit_of(data_kind);

class contest {
public:
    contest(const library_handle&, machine&, uint64_t seed);

    // The other libraries, the modes, and the kernels whose results differ from all of these. The
    // shape is complete().
    std::vector<outcome> run(const shape&) const;

private:
    void set(const contender&) const;
    buffer lend_workspace(const task&) const;
    outcome run_other(const task&, const subject&) const;
    void run_own(const task&, const contender&, std::vector<outcome>& found) const;
    std::vector<std::vector<float>> compute_strict_ends(const task&) const;

    const library_handle& handle_;
    machine& machine_;
    uint64_t seed_;
    std::vector<myblasKernelInfo_t> kernels_;
    std::vector<contender> own_; // the modes first
};

} // namespace bench
