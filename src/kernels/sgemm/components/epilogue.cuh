// The epilogue of a fused product (product_epilogue): from scaled sums to aux and C.
//
// Kernels for large products are compiled separately, from with_epilogue<Shape> in place of Shape,
// so that it costs plain products nothing. Kernels for small outputs are compiled once, and branch
// when the sums are complete (tile_writer.cuh, small_tile.cuh).
#pragma once

#include "kernels/common/activation.cuh"
#include "kernels/common/lanes.cuh"
#include "kernels/sgemm/components/operands.cuh"

#include <type_traits>

namespace myblas::cuda {

template <class Shape>
struct with_epilogue : Shape {
    static constexpr bool has_epilogue = true;
};

// Other, with an epilogue if Shape has one.
template <class Shape, class Other>
using with_epilogue_of = std::conditional_t<Shape::has_epilogue, with_epilogue<Other>, Other>;

// For kernels that are compiled once: calls plain() or fused() when the sums are complete. The code
// of plain() comes first. If a plain product jumped over the code of the epilogue, it would wait
// for instructions from memory: 2% of a product of 2 us.
template <class Plain, class Fused>
__device__ __forceinline__ void plain_or_fused(bool has_epilogue, Plain&& plain, Fused&& fused) {
    unsigned is_fused = has_epilogue;
    if (!is_fused)
        plain();
    asm volatile("" : "+r"(is_fused)); // otherwise the compiler puts fused() first
    if (is_fused)
        fused();
}

// A run of neighbouring rows of one column of C.
struct epilogue_place {
    int64_t row, col;
    int64_t rows; // rows from `row` on that are inside C; may be 0 or less
};

class epilogue_op {
public:
    // For one product of the batch, or for one of several passes over k. Each pass adds its sums to
    // what the pass before has stored in C. Only the last pass adds the bias, stores aux and
    // applies the activation.
    __device__ __forceinline__ epilogue_op(const sgemm_problem& p,
                                           const sgemm_operands& o,
                                           int64_t batch,
                                           bool is_first_pass = true,
                                           bool is_last_pass = true)
        : c_(o.c), ldc_(p.ldc), beta_(is_first_pass ? o.beta : 1) {
        const product_epilogue& f = p.epilogue;
        const bool has_source = is_first_pass && f.source;
        source_ = has_source ? f.source + batch * f.stride_source : o.c;
        ld_source_ = has_source ? f.ld_source : p.ldc;
        bias_ = is_last_pass && f.bias ? f.bias + batch * f.stride_bias : nullptr;
        is_bias_of_columns_ = f.is_bias_of_columns;
        aux_ = is_last_pass && f.aux ? f.aux + batch * f.stride_aux : nullptr;
        ld_aux_ = f.ld_aux;
        activation_ = is_last_pass ? f.activation : MYBLAS_ACTIVATION_NONE;
        has_quads_ = aligned16(c_, ldc_) && aligned16(source_, ld_source_) &&
                     (!aux_ || aligned16(aux_, ld_aux_));
    }

    // Makes places relative to this element of C, at which a quad of rows begins.
    __device__ __forceinline__ void begin_at(int64_t row, int64_t col) {
        c_ += row + col * ldc_;
        source_ += row + col * ld_source_;
        if (aux_)
            aux_ += row + col * ld_aux_;
        if (bias_)
            bias_ += is_bias_of_columns_ ? col : row;
    }

    // The bias of a row and the bias of a column. One of them, or both, is no_bias(): adding -0
    // changes nothing. Kernels load biases before they write anything, as the compiler does not
    // move loads before stores.
    static __device__ __forceinline__ float no_bias() { return -0.0f; }
    __device__ __forceinline__ float bias_of_row(int64_t row, bool is_inside) const {
        return bias_ && !is_bias_of_columns_ && is_inside ? bias_[row] : no_bias();
    }
    __device__ __forceinline__ float bias_of_col(int64_t col, bool is_inside) const {
        return bias_ && is_bias_of_columns_ && is_inside ? bias_[col] : no_bias();
    }
    __device__ __forceinline__ bool has_bias_of_columns() const { return is_bias_of_columns_; }

    // Whether C is the only output, and the bias the only input besides the sums.
    __device__ __forceinline__ bool writes_only() const { return beta_ == 0 && !aux_; }
    __device__ __forceinline__ float* c() const { return c_; }
    __device__ __forceinline__ int64_t ldc() const { return ldc_; }

    template <int count, int width>
    __device__ __forceinline__ void activate(float (&value)[count][width]) const {
        if (activation_ == MYBLAS_ACTIVATION_RELU)
            for_each_row(value, [](float& x) { x = max_or_nan(x, 0); });
        else if (activation_ == MYBLAS_ACTIVATION_GELU)
            for_each_row(value, [](float& x) { x = gelu(x); });
    }

    // Applies the epilogue to value[i]: alpha times the sums of `width` rows at place_of(i), plus
    // the bias. If width is 4, place_of(i).row is a multiple of 4. The contents of `value` are
    // undefined afterwards.
    template <int count, int width, class Places>
    __device__ __forceinline__ void operator()(float (&value)[count][width],
                                               Places&& place_of) const {
        if (beta_ != 0) {
            float old[count][width];
            for_each(value, [&](int i, float(&)[width]) {
                load(old[i], source_, ld_source_, place_of(i));
            });
            for_each(value, [&](int i, float(&rows)[width]) {
#pragma unroll
                for (int r = 0; r < width; ++r)
                    rows[r] = fmaf(beta_, old[i][r], rows[r]);
            });
        }
        if (aux_)
            for_each(value, [&](int i, const float(&rows)[width]) {
                store(rows, aux_, ld_aux_, place_of(i));
            });
        activate(value);
        for_each(value,
                 [&](int i, const float(&rows)[width]) { store(rows, c_, ldc_, place_of(i)); });
    }

private:
    float* c_;
    int64_t ldc_;
    const float* source_;
    int64_t ld_source_;
    const float* bias_;
    float* aux_;
    int64_t ld_aux_;
    float beta_;
    myblasActivation_t activation_;
    bool is_bias_of_columns_;
    bool has_quads_; // all columns of all matrices are aligned to 16 bytes

    template <int count, int width, class F>
    static __device__ __forceinline__ void for_each(float (&value)[count][width], F&& f) {
#pragma unroll
        for (int i = 0; i < count; ++i)
            f(i, value[i]);
    }

    template <int count, int width, class F>
    static __device__ __forceinline__ void for_each_row(float (&value)[count][width], F&& f) {
#pragma unroll
        for (int i = 0; i < count; ++i)
#pragma unroll
            for (int r = 0; r < width; ++r)
                f(value[i][r]);
    }

    // Rows outside of C are not read.
    template <int width>
    __device__ __forceinline__ void
    load(float (&to)[width], const float* from, int64_t ld, const epilogue_place& at) const {
        const float* const first = from + at.row + at.col * ld;
        if constexpr (width == 4)
            if (has_quads_ && at.rows >= 4) {
                load_quad(to, first);
                return;
            }
#pragma unroll
        for (int r = 0; r < width; ++r)
            to[r] = r < at.rows ? first[r] : 0;
    }

    template <int width>
    __device__ __forceinline__ void
    store(const float (&value)[width], float* to, int64_t ld, const epilogue_place& at) const {
        float* const first = to + at.row + at.col * ld;
        if constexpr (width == 4)
            if (has_quads_ && at.rows >= 4) {
                *reinterpret_cast<float4*>(first) =
                    make_float4(value[0], value[1], value[2], value[3]);
                return;
            }
#pragma unroll
        for (int r = 0; r < width; ++r)
            if (r < at.rows)
                first[r] = value[r];
    }
};

} // namespace myblas::cuda
