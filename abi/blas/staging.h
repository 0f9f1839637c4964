// Operations on the program's matrices by way of devices: tiles go up, are computed with, and come down,
// each of these while the others go on.
#pragma once

#include "blas/device.h"
#include "blas/level3.h"

#include <cstdint>
#include <span>

namespace myblas::preload {

// Computes what a device could not: a part of the product.
using host_product = void (*)(const product&, const void* context);

enum class outcome { served, no_device_free, device_failed };

// Takes blocks of C to the devices; what fails there, `fall_back` computes. `context` is for it alone.
// Unless it is `served`, nothing was touched.
outcome staged_product(std::span<device* const>,
                       const product&,
                       host_product fall_back,
                       const void* context) noexcept;

// A product of n x n matrices that are in device memory already, whatever they hold: to be timed.
bool resident_product(device&, int64_t n) noexcept;

// B = alpha * op(A), A rows x cols; B must not overlap A.
struct scaled_copy {
    bool trans;
    int64_t rows, cols;
    float alpha;
    const float* a;
    int64_t lda;
    float* b;
    int64_t ldb;
};

// n > 0 elements with an increment that is not 0; a negative one walks backwards as BLAS says.
template <class T>
struct vector {
    T* data;
    int64_t n, inc;

    // Element i at the base plus i * inc.
    T* base() const { return inc < 0 ? data + (1 - n) * inc : data; }
};

// On failure B and y are as far written as the work came, and the same call by other means sets it right.
outcome staged_scaled_copy(device&, const scaled_copy&) noexcept;
outcome staged_copy(device&, const vector<const float>& x, const vector<float>& y) noexcept;

outcome staged_asum(device&, const vector<const float>& x, float* result) noexcept;

// *done = how many leading elements are finished, also on failure.
outcome staged_axpy(device&,
                    float alpha,
                    const vector<const float>& x,
                    const vector<float>& y,
                    int64_t* done) noexcept;

} // namespace myblas::preload
