// dot and nrm2: sums of products in double, which holds every product of two floats exactly and the
// squares of all of them without overflow or underflow. amax, amin: the first element that is largest or
// least.
//
//   lanes    8 sums, of every eighth product, which do not wait for each other; then by halves
//   blocks   of 1024 elements: the extremum in 16 lanes, then, if it is new, where it is
//
// The order of a sum depends on n alone. Error of a sum at most n 2^-53 sum |x_i y_i|, and one rounding to
// float; the root of nrm2 is another one in double.
// Works against memory, n elements read of each vector. Accepts every problem.
#include "host/vector/registry.h"

#include <algorithm>
#include <cmath>

namespace myblas::host {
namespace {

template <class Term>
double add_terms(int64_t n, Term term) {
    constexpr int lanes = 8;
    double lane[lanes] = {};
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (int l = 0; l < lanes; ++l)
            lane[l] += term(i + l);
    for (int l = 0; i + l < n; ++l)
        lane[l] += term(i + l);
    for (int half = lanes / 2; half > 0; half /= 2)
        for (int l = 0; l < half; ++l)
            lane[l] += lane[l + half];
    return lane[0];
}

double add_products(int64_t n, const float* x, int64_t incx, const float* y, int64_t incy) {
    if (incx == 1 && incy == 1)
        return add_terms(n, [=](int64_t i) { return double{x[i]} * double{y[i]}; });
    return add_terms(n, [=](int64_t i) { return double{x[i * incx]} * double{y[i * incy]}; });
}

myblasStatus_t launch(const dot_problem& p, const launch_context&) {
    *p.result = static_cast<float>(add_products(p.n, p.x, p.incx, p.y, p.incy));
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t launch(const nrm2_problem& p, const launch_context&) {
    *p.result = static_cast<float>(std::sqrt(add_products(p.n, p.x, p.incx, p.x, p.incx)));
    return MYBLAS_STATUS_SUCCESS;
}

template <bool least>
bool is_better(float candidate, float best) {
    return least ? candidate < best : candidate > best;
}

// Comparisons with NaN are false: NaN never comes first, and as x_0 it stays.
template <bool least>
int64_t find_extremum(const extremum_problem& p) {
    constexpr int block = 1024, lanes = 16;
    float best = std::abs(p.x[0]);
    int64_t where = 0, i = 0;
    if (p.incx == 1)
        for (; i + block <= p.n; i += block) {
            float lane[lanes];
            std::fill_n(lane, lanes, best);
            for (int k = 0; k < block; k += lanes)
                for (int l = 0; l < lanes; ++l) {
                    const float value = std::abs(p.x[i + k + l]);
                    lane[l] = is_better<least>(value, lane[l]) ? value : lane[l];
                }
            float found = best;
            for (const float value : lane)
                found = is_better<least>(value, found) ? value : found;
            if (is_better<least>(found, best)) {
                best = found;
                where = i;
                while (std::abs(p.x[where]) != best)
                    ++where;
            }
        }
    for (; i < p.n; ++i) {
        const float value = std::abs(p.x[i * p.incx]);
        if (is_better<least>(value, best)) {
            best = value;
            where = i;
        }
    }
    return where;
}

myblasStatus_t launch(const extremum_problem& p, const launch_context&) {
    int64_t number = 0;
    if (p.n > 0)
        number = 1 + (p.least ? find_extremum<true>(p) : find_extremum<false>(p));
    if (p.wide)
        *static_cast<int64_t*>(p.result) = number;
    else
        *static_cast<int*>(p.result) = static_cast<int>(number);
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

constinit const kernel_entry<dot_problem> dot_lanes{
    .name = "lanes",
    .description = "products added in double, in vector lanes",
    .launch = launch,
};

constinit const kernel_entry<nrm2_problem> nrm2_lanes{
    .name = "lanes",
    .description = "squares added in double, in vector lanes",
    .launch = launch,
};

constinit const kernel_entry<extremum_problem> extremum_blocks{
    .name = "blocks",
    .description = "the extremum of a block in vector lanes, then its place",
    .launch = launch,
};

} // namespace myblas::host
