// Writes elements of a tile of C from their sums. For kernels that are compiled once for plain and
// fused products, and choose the writer when the sums are complete.
#pragma once

#include "kernels/sgemm/components/epilogue.cuh"

namespace myblas::cuda {

// Rows and columns count from the tile's first element, and are inside C. A quad of rows starts at
// a multiple of 4; its first `rows` rows are inside C.
template <bool has_epilogue>
class tile_writer;

// C = alpha * sum + beta * C.
template <>
class tile_writer<false> {
public:
    __device__ __forceinline__ tile_writer(const sgemm_problem& p,
                                           const sgemm_operands& o,
                                           int64_t,
                                           int64_t tile_row,
                                           int64_t tile_col)
        : c_(o.c + tile_row + tile_col * p.ldc), ldc_(p.ldc), alpha_(o.alpha), beta_(o.beta) {}

    __device__ __forceinline__ void
    store(int row, int col, float sum, const float* = nullptr) const {
        store_c(c_ + row + col * ldc_, alpha_, sum, beta_);
    }
    __device__ __forceinline__ void
    store(int row, int col, const float (&sum)[4], int rows, const float* = nullptr) const {
        store_c4(c_ + row + col * ldc_, alpha_, sum, beta_, rows, aligned16(c_, ldc_));
    }

private:
    float* c_;
    int64_t ldc_;
    float alpha_, beta_;
};

// C = activation(alpha * sum + beta * source + bias). The biases of the tile lie in shared memory:
// a thread that loaded them between its stores would wait for each of them.
template <>
class tile_writer<true> {
public:
    __device__ __forceinline__ tile_writer(const sgemm_problem& p,
                                           const sgemm_operands& o,
                                           int64_t batch,
                                           int64_t tile_row,
                                           int64_t tile_col)
        : epilogue_(p, o, batch), alpha_(o.alpha) {
        epilogue_.begin_at(tile_row, tile_col);
    }

    // Stores the biases of the tile's rows or columns that are inside C, `rows` and `cols`. A
    // barrier must follow before anything is written.
    template <int threads>
    static __device__ __forceinline__ void leave_biases(const sgemm_problem& p,
                                                        int64_t batch,
                                                        int64_t tile_row,
                                                        int64_t tile_col,
                                                        int rows,
                                                        int cols,
                                                        float* biases) {
        const product_epilogue& f = p.epilogue;
        const float* const bias =
            f.bias + batch * f.stride_bias + (f.is_bias_of_columns ? tile_col : tile_row);
        const int count = f.is_bias_of_columns ? cols : rows;
#pragma unroll 1
        for (int i = threadIdx.x; i < count; i += threads)
            biases[i] = f.bias ? bias[i] : epilogue_op::no_bias();
    }

    __device__ __forceinline__ void store(int row, int col, float sum, const float* biases) const {
        float value[1][1] = {{scaled_sum(alpha_, sum) + bias_of(biases, row, col)}};
        epilogue_(value, [&](int) { return epilogue_place{row, col, 1}; });
    }
    __device__ __forceinline__ void
    store(int row, int col, const float (&sum)[4], int rows, const float* biases) const {
        float value[1][4];
#pragma unroll
        for (int r = 0; r < 4; ++r)
            value[0][r] =
                scaled_sum(alpha_, sum[r]) + (r < rows ? bias_of(biases, row + r, col) : 0);
        epilogue_(value, [&](int) { return epilogue_place{row, col, rows}; });
    }

private:
    epilogue_op epilogue_;
    float alpha_;

    __device__ __forceinline__ float bias_of(const float* biases, int row, int col) const {
        return biases[epilogue_.has_bias_of_columns() ? col : row];
    }
};

} // namespace myblas::cuda
