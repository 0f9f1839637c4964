// trmv and trsv in place.
//
//   single_block   row by row in the order in which x may be overwritten, the sum of a row by a block
//   panels         trsv: panels of 64 unknowns. One block solves the panel by substitution, then all others are
//                  corrected by it: 2 n / 64 launches, the triangle read once
//
// The substitution is the textbook's: no inverse is formed, so that trsv is as stable as it.
//
// Bound: panels n (n + 1) / 2 floats read, and for small n the latency of 64 steps in shared memory and two
// launches for each panel.  Accepts: everything.

#include "kernels/common/overlap.h"
#include "kernels/common/reduce.h"
#include "kernels/level2/registry.h"

namespace myblas::cuda {
namespace {

constexpr int threads = 256;

// A triangle as op(A), and what its elements are.
struct operand {
    bool op_is_lower, trans, unit;
    int64_t n;
    const float* a;
    int64_t lda;
    float* x;
    int64_t incx;

    __device__ float at(int64_t i, int64_t j) const {
        return trans ? a[j + i * lda] : a[i + j * lda];
    }
};

template <bool solve>
operand operand_of(const triangular_problem<solve>& p) {
    return {p.op_is_lower(), p.trans, p.unit, p.n, p.a, p.lda, p.x, p.incx};
}

template <bool solve>
__global__ void __launch_bounds__(threads) single_block(operand o) {
    wait_for_earlier_work();
    const bool ascending = o.op_is_lower == solve;
    for (int64_t step = 0; step < o.n; ++step) {
        const int64_t i = ascending ? step : o.n - 1 - step;
        const int64_t begin = o.op_is_lower ? 0 : i + 1, end = o.op_is_lower ? i : o.n;
        carrier<float> total{};
        for (int64_t j = begin + threadIdx.x; j < end; j += threads)
            total.sum += double{o.at(i, j)} * double{o.x[j * o.incx]};
        total = block_sum<threads>(total);
        if (threadIdx.x == 0) {
            float& x = o.x[i * o.incx];
            const double diagonal = o.unit ? 1 : o.at(i, i);
            x = static_cast<float>(solve ? (x - total.sum) / diagonal : diagonal * x + total.sum);
        }
        __syncthreads(); // x_i is there, and the sum over the block is free for its next call
    }
}

template <bool solve>
myblasStatus_t launch_single_block(const triangular_problem<solve>& p,
                                   const launch_context& context) {
    return launch_overlapped(single_block<solve>, dim3(1), threads, context, operand_of(p));
}

// ---- Panels --------------------------------------------------------------------------------------

constexpr int panel = 64;

// Solves for unknowns first ... first + count - 1, which are corrected by all before them.
__global__ void __launch_bounds__(panel) solve_panel(operand o, int64_t first, int count) {
    __shared__ float block[panel][panel + 1], solved[panel];
    wait_for_earlier_work();
    const int t = threadIdx.x;
    // Down the columns of A as it is stored; what is not of the triangle is not read.
    for (int j = 0; j < count; ++j) {
        const int row = o.trans ? j : t, column = o.trans ? t : j; // of op(A)
        const bool is_strict = o.op_is_lower ? row > column : row < column;
        if (t < count && (is_strict || (row == column && !o.unit)))
            block[row][column] = o.a[first + t + (first + j) * o.lda];
    }
    float own = t < count ? o.x[(first + t) * o.incx] : 0;
    __syncthreads(); // the block of the triangle is there
    for (int step = 0; step < count; ++step) {
        const int pivot = o.op_is_lower ? step : count - 1 - step;
        if (t == pivot)
            solved[pivot] = own = o.unit ? own : own / block[pivot][pivot];
        __syncthreads(); // the pivot's unknown is there
        if (t < count && (o.op_is_lower ? t > pivot : t < pivot))
            own = fmaf(-block[t][pivot], solved[pivot], own);
    }
    if (t < count)
        o.x[(first + t) * o.incx] = own;
}

// Corrects unknowns begin ... end - 1 by those of a whole panel: a thread for each, or, where rows of op(A) lie down
// columns of A, a warp.
template <bool trans>
__global__ void __launch_bounds__(threads)
    correct(operand o, int64_t first, int64_t begin, int64_t end) {
    __shared__ float solved[panel];
    wait_for_earlier_work();
    if (threadIdx.x < panel)
        solved[threadIdx.x] = o.x[(first + threadIdx.x) * o.incx];
    __syncthreads(); // the panel's unknowns are there
    if constexpr (trans) {
        const int lane = threadIdx.x % warp_size;
        const int64_t i =
            begin + int64_t{blockIdx.x} * (threads / warp_size) + threadIdx.x / warp_size;
        if (i >= end)
            return;
        const float* column = o.a + first + i * o.lda;
        float sum =
            fmaf(column[lane], solved[lane], column[lane + warp_size] * solved[lane + warp_size]);
        sum = warp_sum(sum);
        if (lane == 0)
            o.x[i * o.incx] -= sum;
    } else {
        const int64_t i = begin + int64_t{blockIdx.x} * threads + threadIdx.x;
        if (i >= end)
            return;
        const float* row = o.a + i + first * o.lda;
        float sum = 0;
#pragma unroll 16
        for (int k = 0; k < panel; ++k)
            sum = fmaf(row[k * o.lda], solved[k], sum);
        o.x[i * o.incx] -= sum;
    }
}

myblasStatus_t launch_panels(const trsv_problem& p, const launch_context& context) {
    const operand o = operand_of(p);
    const int rows = p.trans ? threads / warp_size : threads; // of a block that corrects
    // Only the last panel in the order of solving may be short: panels start from where solving does.
    for (int64_t done = 0; done < p.n; done += panel) {
        const int count = static_cast<int>(std::min<int64_t>(panel, p.n - done));
        const int64_t first = o.op_is_lower ? done : p.n - done - count;
        if (const myblasStatus_t failure =
                launch_overlapped(solve_panel, dim3(1), panel, context, o, first, count))
            return failure;
        const int64_t begin = o.op_is_lower ? done + count : 0;
        const int64_t end = o.op_is_lower ? p.n : first;
        if (begin == end)
            break;
        const dim3 grid(static_cast<unsigned>(ceil_div<int64_t>(end - begin, rows)));
        if (const myblasStatus_t failure =
                launch_overlapped(p.trans ? correct<true> : correct<false>,
                                  grid,
                                  threads,
                                  context,
                                  o,
                                  first,
                                  begin,
                                  end))
            return failure;
    }
    return MYBLAS_STATUS_SUCCESS;
}

template <bool solve>
constexpr kernel_entry<triangular_problem<solve>> entry{
    .name = "single_block",
    .description = "row by row, one block; needs no workspace",
    .threads = threads,
    .stages = 1,
    .smem_bytes = threads / warp_size * sizeof(carrier<float>),
    .launch = launch_single_block<solve>,
};

} // namespace

constinit const kernel_entry<trmv_problem> trmv_single_block = entry<false>;
constinit const kernel_entry<trsv_problem> trsv_single_block = entry<true>;
constinit const kernel_entry<trsv_problem> trsv_panels = {
    .name = "panels",
    .description = "substitution in panels of 64, each corrects all unknowns that wait",
    .threads = threads,
    .stages = 1,
    .smem_bytes = (panel * (panel + 1) + panel) * sizeof(float),
    .launch = launch_panels,
};

} // namespace myblas::cuda
