// Level 3 without tiles or workspace, one thread for each result or line.
//
//   elements  syrk, syr2k, symm: a thread for each element of C computes its dot product. If an
//             element of a symmetric operand is not stored, its mirror image is read
//   lines     trmm, trsm: a thread for each line (level3/triangular.h) works in place. trmm
//             multiplies from the last element to the first, trsm solves from the first to the last
//
// Bound: the L1 cache, two loads for each multiply-add.  Launch: 256 threads, a grid-stride loop.
// Accepts: everything.

#include "kernels/common/element.cuh"
#include "kernels/common/launch.h"
#include "kernels/common/scalar.cuh"
#include "kernels/level3/registry.h"
#include "level3/plan.h"
#include "level3/triangular.h"

namespace myblas::cuda {
namespace {

constexpr int threads = 256;

// A thread for each unit of work, up to the largest grid. A grid-stride loop does the rest.
dim3 grid_for(int64_t work) {
    return dim3(static_cast<unsigned>(std::min(ceil_div<int64_t>(work, threads), max_grid_x)));
}

__device__ int64_t first_work() { return int64_t{blockIdx.x} * threads + threadIdx.x; }
__device__ int64_t next_work() { return int64_t{gridDim.x} * threads; }

// ---- Elements -----------------------------------------------------------------------------------

template <bool twice>
__global__ void __launch_bounds__(threads) rank_k_elements(rank_k_problem<twice> p) {
    const float alpha = resolve(p.alpha), beta = resolve(p.beta);
    const int64_t depth = alpha == 0 ? 0 : p.k;
    const int64_t row_a = p.transa ? p.lda : 1, col_a = p.transa ? 1 : p.lda;
    const int64_t row_b = p.transb ? p.ldb : 1, col_b = p.transb ? 1 : p.ldb;
    for (int64_t e = first_work(); e < p.n * p.n; e += next_work()) {
        const int64_t i = e % p.n, j = e / p.n;
        if (p.upper ? i > j : i < j)
            continue;
        float sum = 0;
        for (int64_t l = 0; l < depth; ++l)
            sum = fmaf(p.a[i * row_a + l * col_a], p.b[l * row_b + j * col_b], sum);
        if (twice)
            for (int64_t l = 0; l < depth; ++l)
                sum = fmaf(p.b[l * row_b + i * col_b], p.a[j * row_a + l * col_a], sum);
        store_c(p.c + i + j * p.ldc, depth ? alpha : 0, sum, beta);
    }
}

template <bool twice>
myblasStatus_t launch_rank_k(const rank_k_problem<twice>& p, const launch_context& context) {
    return launch(rank_k_elements<twice>, grid_for(p.n * p.n), threads, 0, context, p);
}

__global__ void __launch_bounds__(threads) symm_elements(symm_problem p) {
    const float alpha = resolve(p.alpha), beta = resolve(p.beta);
    const int64_t depth = alpha == 0 ? 0 : p.right ? p.n : p.m;
    for (int64_t e = first_work(); e < p.m * p.n; e += next_work()) {
        const int64_t i = e % p.m, j = e / p.m, row = p.right ? j : i; // row: of A
        float sum = 0;
        for (int64_t l = 0; l < depth; ++l) {
            const bool is_stored = p.upper ? row <= l : row >= l;
            const float a = is_stored ? p.a[row + l * p.lda] : p.a[l + row * p.lda];
            sum = fmaf(a, p.right ? p.b[i + l * p.ldb] : p.b[l + j * p.ldb], sum);
        }
        store_c(p.c + i + j * p.ldc, alpha, sum, beta);
    }
}

myblasStatus_t launch_symm(const symm_problem& p, const launch_context& context) {
    return launch(symm_elements, grid_for(p.m * p.n), threads, 0, context, p);
}

// ---- Lines --------------------------------------------------------------------------------------

// A triangular form as numbers: offsets of its first elements, and strides, all in elements.
struct places {
    int64_t n, lines;
    int64_t first_a, a_row, a_col;
    int64_t first_x, x_along, x_across;
    int64_t first_y, y_along, y_across;

    template <class Problem>
    places(const Problem& p, int64_t ldy) : n(p.order()), lines(p.lines()) {
        const triangular_form form(p);
        first_a = form.row(0) * (1 + p.lda);
        a_row = form.a_row();
        a_col = form.a_col();
        first_x = form.row(0) * form.along(p.ldb);
        x_along = form.sign() * form.along(p.ldb);
        x_across = form.across(p.ldb);
        first_y = form.row(0) * form.along(ldy);
        y_along = form.sign() * form.along(ldy);
        y_across = form.across(ldy);
    }
};

__global__ void __launch_bounds__(threads) multiply_lines(trmm_problem p, places at) {
    const float alpha = resolve(p.alpha);
    const float* const a = p.a + at.first_a;
    for (int64_t line = first_work(); line < at.lines; line += next_work()) {
        const float* const x = p.b + at.first_x + line * at.x_across;
        float* const y = p.c + at.first_y + line * at.y_across;
        for (int64_t i = at.n - 1; i >= 0; --i) {
            float sum = 0;
            if (alpha != 0) {
                const float* const row = a + i * at.a_row;
                sum = x[i * at.x_along] * (p.unit ? 1 : row[i * at.a_col]);
                for (int64_t j = 0; j < i; ++j)
                    sum = fmaf(row[j * at.a_col], x[j * at.x_along], sum);
            }
            y[i * at.y_along] = alpha * sum;
        }
    }
}

myblasStatus_t launch_trmm(const trmm_problem& p, const launch_context& context) {
    return launch(multiply_lines, grid_for(p.lines()), threads, 0, context, p, places(p, p.ldc));
}

__global__ void __launch_bounds__(threads) solve_lines(trsm_problem p, places at) {
    const float alpha = resolve(p.alpha);
    for (int64_t e = first_work(); e < at.lines * p.batch_count; e += next_work()) {
        const int64_t line = e % at.lines, index = e / at.lines;
        const float* const a =
            (p.a_array && alpha != 0 ? p.a_array[index] : p.a + index * p.stride_a) + at.first_a;
        float* const x = (p.b_array ? p.b_array[index] : p.b + index * p.stride_b) + at.first_x +
                         line * at.x_across;
        for (int64_t i = 0; i < at.n; ++i) {
            float& value = x[i * at.x_along];
            if (alpha == 0) {
                value = 0;
                continue;
            }
            const float* const row = a + i * at.a_row;
            float rest = alpha * value;
            for (int64_t j = 0; j < i; ++j)
                rest = fmaf(-row[j * at.a_col], x[j * at.x_along], rest);
            value = p.unit ? rest : rest / row[i * at.a_col];
        }
    }
}

myblasStatus_t launch_trsm(const trsm_problem& p, const launch_context& context) {
    return launch(
        solve_lines, grid_for(p.lines() * p.batch_count), threads, 0, context, p, places(p, p.ldb));
}

template <class Problem>
constexpr kernel_entry<Problem> by_element(myblasStatus_t (*launch)(const Problem&,
                                                                    const launch_context&)) {
    return {.name = "naive",
            .description = "one thread for each element of C",
            .threads = threads,
            .keeps_k_order = plan_keeps_k_order<Problem>,
            .launch = launch};
}

template <class Problem>
constexpr kernel_entry<Problem> by_line(myblasStatus_t (*launch)(const Problem&,
                                                                 const launch_context&)) {
    return {.name = "naive",
            .description = "one thread for each row or column of B",
            .threads = threads,
            .launch = launch};
}

} // namespace

constinit const kernel_entry<syrk_problem> syrk_naive = by_element(launch_rank_k<false>);
constinit const kernel_entry<syr2k_problem> syr2k_naive = by_element(launch_rank_k<true>);
constinit const kernel_entry<symm_problem> symm_naive = by_element(launch_symm);
constinit const kernel_entry<trmm_problem> trmm_naive = by_line(launch_trmm);
constinit const kernel_entry<trsm_problem> trsm_naive = by_line(launch_trsm);

} // namespace myblas::cuda
