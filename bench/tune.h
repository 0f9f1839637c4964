// The tuner: measures SGEMM kernels over many shapes and fits what the library predicts their times by.
#pragma once

#include "cost_model.h"
#include "shape.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace bench {

struct tuned_kernel {
    std::string name;
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH; // the strictest mode that it serves
};

// A kernel's view of a shape.
struct estimate {
    bool accepted = false;
    bool lent = false; // only with a workspace larger than handles have by themselves
    bench::work work;
    double predicted_us = 0; // by the costs that the library has now; 0: it has none
};

// What the tuner measures on.
class test_bed {
public:
    virtual ~test_bed() = default;

    virtual std::vector<tuned_kernel> kernels() const = 0;     // that predict their time
    virtual bool fits(const shape&) const = 0;                 // into memory
    virtual std::vector<estimate> estimates(const shape&) = 0; // by kernel
    // Times of the kernels with these indices, in their order.
    virtual std::vector<double> time_us(const shape&, std::span<const int> kernels) = 0;
    virtual double elapsed_s() const = 0;
};

// One kernel on one shape.
struct trial {
    size_t shape = 0; // its index
    int kernel = 0;   // its index
    bool lent = false;
    bench::work work;
    bool measured = false; // else it was too slow by all predictions
    double us = 0;
    double known_us = 0;     // as the library predicts; 0: it does not
    double predicted_us = 0; // by the new costs; 0: there are none
};

// What a caller has set up, on which depends which kernels there are to choose from.
struct setting {
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH;
    bool lends = false; // a large workspace
};

// Chosen kernel against the best that was measured, over all shapes and the settings that add a kernel to
// the choice there.
struct regret {
    double geometric_mean = 1, worst = 1;
    size_t worst_shape = 0;
    setting worst_setting;
    int unmeasured = 0; // choices of a kernel that was not measured
};

struct tuning {
    std::vector<tuned_kernel> kernels;
    std::vector<shape> shapes;
    std::vector<trial> trials; // all accepted kernels, shape by shape
    std::vector<kernel_costs> costs;
    std::vector<std::string>
        kept; // kernels and forms of too few measurements, with the library's costs
    bench::regret regret;
};

// Shapes in the order in which they are measured: families that interleave, each spread evenly on
// logarithmic scales by any number of its first members, and each shape in all four forms.
std::vector<shape> tuning_shapes();

// Measures for about budget_s seconds at most. Throws failure if there is nothing to measure.
tuning tune(test_bed&, double budget_s);

// The observations of a kernel in a form.
std::vector<observation> observations_of(const tuning&, int kernel, int form);

} // namespace bench
