// An operand of geam: factor * op(X).
#pragma once

#include <cstdint>

namespace myblas::host {

// Element (i, j) of op(X) is at data[i * row_stride + j * column_stride].
struct geam_operand {
    float factor;
    const float* data;
    int64_t row_stride, column_stride;

    // An operand with factor 0 is not read, and may be null: a zero stands for each of its
    // elements.
    geam_operand(float scale, bool transposed, const float* x, int64_t ld)
        : factor(scale), data(x), row_stride(transposed ? ld : 1),
          column_stride(transposed ? 1 : ld) {
        static constexpr float zero = 0;
        if (scale == 0.0f) {
            data = &zero;
            row_stride = column_stride = 0;
        }
    }

    float operator()(int64_t i, int64_t j) const {
        return factor * data[i * row_stride + j * column_stride];
    }
};

} // namespace myblas::host
