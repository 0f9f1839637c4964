// Inputs that reveal how a matrix product is computed, and grades for the results. The scale is
// that of "How to grade the accuracy of an implementation of the BLAS" (Demmel, Li, Langou,
// Pereira, Gates, Rubio Gonzalez, 2024): are errors small beside each element of |A||B|, beside the
// norms of its row and column, or only beside the norms of A and B?
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// What the result on an input must be.
enum class quality {
    accuracy, // errors within a bound
    range,    // the same, where all products are subnormal
    exact,    // the exact result
    classes,  // NaN, Inf, -Inf and finite results as in the formula
};

// Square matrices of order n, tight, by columns. The functions give an element of A (the row is
// the line) and of B (the column is).
struct grade_input {
    struct place {
        uint64_t seed; // of A and of B not the same
        int64_t line, k, n;
    };
    const char* name;
    quality tests;
    float (*a)(const place&);
    float (*b)(const place&);
    float alpha = 1;
};
std::span<const grade_input> grade_inputs();

struct square_product {
    int64_t n;
    std::vector<float> a, b;
};
square_product make_product(const grade_input&, int64_t n, uint64_t seed);

// Largest errors, as multiples of a bound f u of three strengths, with u = 2^-24 and, beside all of
// them, f 2^-149 for underflow:
//   element   f u (|A||B|)_ij
//   lines     f u times the 2-norms of row i of A and column j of B
//   norms     f u times the Frobenius norms of A and B, for that of the error
// Infinite where C is NaN or Inf and the exact result is not.
struct grade_errors {
    double element = 0, lines = 0, norms = 0;
    double max_ulp = 0;            // in units of u |A||B|
    int64_t inexact = 0;           // elements that differ from the exact ones
    int64_t off_class = 0;         // elements of the wrong class, for example finite instead of NaN
    void add(const grade_errors&); // of another n
};
// Those on an input. `errors` are in the order of grade_inputs().
const grade_errors& errors_on(std::string_view input, std::span<const grade_errors> errors);
grade_errors judge_product(const square_product&,
                           const std::vector<float>& c,
                           const std::vector<double>& exact,
                           const std::vector<double>& magnitude,
                           double f);

// A: each element within its bound; B: within that of its row and column; C: the norm within its
// bound; D: the norm within the bound for a unit of 2^-11, as of TF32 and FP16; F: not even this.
char letter_of(const grade_errors& worst);

// The exponent p of the best fit of c n^p to the errors; NaN for less than two sizes.
double growth_of(std::span<const int64_t> n, std::span<const double> errors);

// What computes like this: "O(n^3)", "fixed point" (with a scale for each row and column),
// "Strassen", "low prec." or "wrong". `errors` are in the order of grade_inputs().
std::string arithmetic_of(std::span<const grade_errors> errors);

} // namespace bench
