// dot and nrm2: sums of products in double, which holds every product of two floats exactly, and
// every square without overflow or underflow. amax, amin: the first element that is largest or
// smallest.
//
//   lanes    32 sums, each of every 32nd product, which do not wait for each other; then added by
//            halves
//   blocks   of 256 elements: the extremum in 64 lanes; its place only if it is a new extremum
//   pieces   at most 64, of a length that depends on n alone, for several threads; their sums are
//            added in order
//
// The order of a sum depends on n alone. Error of a sum: at most n 2^-53 sum |x_i y_i|, and one
// rounding to float; the root of nrm2 is one more rounding in double.
// Works against memory, n elements read of each vector. Accepts every problem.
#include "host/instructions.h"
#include "host/registry.h"
#include "host/threads.h"

#include <algorithm>
#include <cmath>

namespace myblas::host {
namespace {

constexpr int most_pieces = 64;
constexpr int64_t least_piece = 8192; // elements

// Calls work(piece, first, end) for each piece of n elements, and returns their number.
template <class Work>
int for_pieces(int64_t n, int64_t bytes_an_element, const Work& work) {
    const int64_t even = (n + most_pieces - 1) / most_pieces;
    const int64_t length = (even + least_piece - 1) / least_piece * least_piece;
    const int64_t pieces = length == 0 ? 0 : (n + length - 1) / length;
    const int threads = threads_for(n * bytes_an_element, bytes_a_thread);
    for_each_task(pieces, threads, [&](int64_t piece, int) {
        work(piece, piece * length, std::min(n, (piece + 1) * length));
    });
    return static_cast<int>(pieces);
}

// The sum of term(first) ... term(end - 1).
template <class Term>
double add_terms(int64_t first, int64_t end, Term term) {
    constexpr int lanes = 32;
    double lane[lanes] = {};
    int64_t i = first;
    for (; i + lanes <= end; i += lanes)
        for (int l = 0; l < lanes; ++l)
            lane[l] += term(i + l);
    for (int l = 0; i + l < end; ++l)
        lane[l] += term(i + l);
    for (int half = lanes / 2; half > 0; half /= 2)
        for (int l = 0; l < half; ++l)
            lane[l] += lane[l + half];
    return lane[0];
}

double add_products(int64_t n, const float* x, int64_t incx, const float* y, int64_t incy) {
    double sums[most_pieces];
    const int pieces =
        for_pieces(n, 2 * sizeof(float), [=, &sums](int64_t piece, int64_t first, int64_t end) {
            sums[piece] = run_best([=](auto) {
                if (incx == 1 && incy == 1)
                    return add_terms(
                        first, end, [=](int64_t i) { return double{x[i]} * double{y[i]}; });
                return add_terms(first, end, [=](int64_t i) {
                    return double{x[i * incx]} * double{y[i * incy]};
                });
            });
        });
    double sum = 0;
    for (int i = 0; i < pieces; ++i)
        sum += sums[i];
    return sum;
}

myblasStatus_t launch(const dot_problem& p, const launch_context&) {
    *p.result = p.of_sum(add_products(p.n, p.x, p.incx, p.y, p.incy));
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t launch(const nrm2_problem& p, const launch_context&) {
    *p.result = p.of_sum(add_products(p.n, p.x, p.incx, p.x, p.incx));
    return MYBLAS_STATUS_SUCCESS;
}

template <bool least>
bool is_better(float candidate, float best) {
    return least ? candidate < best : candidate > best;
}

struct extremum {
    float value;
    int64_t where;
};

// The best of elements first ... end - 1, or `best` if none is better. Comparisons with NaN are
// false: a NaN is never better.
template <bool least>
extremum find_better(const extremum_problem& p, int64_t first, int64_t end, extremum best) {
    constexpr int block = 256, lanes = 64;
    int64_t i = first;
    if (p.incx == 1)
        for (; i + block <= end; i += block) {
            float lane[lanes];
            std::fill_n(lane, lanes, best.value);
            for (int k = 0; k < block; k += lanes)
                for (int l = 0; l < lanes; ++l) {
                    const float value = std::abs(p.x[i + k + l]);
                    lane[l] = is_better<least>(value, lane[l]) ? value : lane[l];
                }
            for (int half = lanes / 2; half > 0; half /= 2)
                for (int l = 0; l < half; ++l)
                    lane[l] = is_better<least>(lane[l + half], lane[l]) ? lane[l + half] : lane[l];
            const float found = lane[0];
            if (is_better<least>(found, best.value)) {
                best = {found, i};
                while (std::abs(p.x[best.where]) != found)
                    ++best.where;
            }
        }
    for (; i < end; ++i) {
        const float value = std::abs(p.x[i * p.incx]);
        if (is_better<least>(value, best.value))
            best = {value, i};
    }
    return best;
}

// Each piece begins with x_0, so that a NaN in x_0 stays. If elements are equal, the one in the
// first piece counts.
template <bool least>
int64_t find_extremum(const extremum_problem& p) {
    const extremum initial{std::abs(p.x[0]), 0};
    extremum found[most_pieces];
    const int pieces =
        for_pieces(p.n, sizeof(float), [&](int64_t piece, int64_t first, int64_t end) {
            found[piece] = run_best(
                [&, first, end](auto) { return find_better<least>(p, first, end, initial); });
        });
    extremum best = initial;
    for (int i = 0; i < pieces; ++i)
        if (is_better<least>(found[i].value, best.value))
            best = found[i];
    return best.where;
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
