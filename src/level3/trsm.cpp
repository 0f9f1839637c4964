#include "level3/triangular.h"

namespace myblas {
namespace {

// Rows of a diagonal block. Diagonal blocks are solved one after another.
int64_t solve_block(const trsm_problem& p, const device_info& device) {
    if (is_host(device))
        return most_triangle_block;
    const bool is_chain = p.lines() == 1 && p.batch_count == 1 && !p.a_array;
    return is_chain && p.order() <= most_chain_rows ? most_chain_rows : most_cuda_solve_block;
}

constexpr size_t gate_bytes = 256; // a float, padded so that the pointers after it are aligned

// Shared by the steps of a solution.
struct solution {
    const trsm_problem& p;
    const triangular_form form;
    plan_steps& steps;
    int64_t block;
    scalar minus;           // -1, or 0 where alpha is 0
    const float** pointers; // for products with pointer arrays: 3 x batch_count

    // Solves for rows [first, first + count) of X. Their right-hand side is `scale` * B.
    void solve(int64_t first, int64_t count, scalar scale) const {
        if (count <= block)
            return substitute(first, count, scale);
        int64_t half = block;
        while (2 * half < count)
            half *= 2;
        solve(first, half, scale);
        subtract({first + half, first, count - half, half, 0, 1}, scale);
        return solve(first + half, count - half, {1});
    }

    void substitute(int64_t first, int64_t count, scalar scale) const {
        const int64_t row = form.row(first);
        const int64_t offset = row * form.along(p.ldb);
        triangle_step step = step_of(p, form, count, p.ldb, p.ldb);
        step.is_solve = true;
        step.block = block;
        step.alpha = scale;
        step.gate = minus;
        step.a = {p.a, p.stride_a, p.a_array, row * (1 + p.lda)};
        step.x = {p.b, p.stride_b, const_cast<const float* const*>(p.b_array), offset};
        step.y = {p.b, p.stride_b, p.b_array, offset};
        step.batch_count = p.batch_count;
        return steps.take(step);
    }

    // B_rows = scale * B_rows - L(rows, cols) * X_cols.
    void subtract(const rectangles& r, scalar scale) const {
        const placed_product at = place(form, r, p.trans, p.lines(), p.ldb, p.ldb);
        sgemm_problem q = at.problem;
        q.math = p.math;
        q.alpha = minus;
        q.beta = scale;
        q.lda = p.right ? p.ldb : p.lda;
        q.ldb = p.right ? p.lda : p.ldb;
        q.ldc = p.ldb;
        q.batch_count = p.batch_count;
        if (p.a_array) {
            const float* const* const l = p.a_array;
            const float* const* const x = const_cast<const float* const*>(p.b_array);
            steps.take(pointers_step{.count = p.batch_count,
                                     .arrays = {p.right ? x : l, p.right ? l : x, x},
                                     .offsets = {p.right ? at.offset_x : at.offset_l,
                                                 p.right ? at.offset_l : at.offset_x,
                                                 at.offset_y},
                                     .targets = pointers});
            q.a_array = pointers;
            q.b_array = pointers + p.batch_count;
            q.c_array = const_cast<float* const*>(pointers + 2 * p.batch_count);
            return steps.take(q);
        }
        const float* const l = p.a + at.offset_l;
        const float* const x = p.b + at.offset_x;
        q.a = p.right ? x : l;
        q.b = p.right ? l : x;
        q.c = p.b + at.offset_y;
        q.stride_a = p.right ? p.stride_b : p.stride_a;
        q.stride_b = p.right ? p.stride_a : p.stride_b;
        q.stride_c = p.stride_b;
        return steps.take(q);
    }
};

} // namespace

workspace_range workspace_need(const trsm_problem& p, const device_info& device) {
    if (p.order() <= solve_block(p, device))
        return {0, 0};
    const size_t pointers = p.a_array ? 3 * static_cast<size_t>(p.batch_count) * sizeof(float*) : 0;
    return {gate_bytes + pointers, gate_bytes + pointers};
}

void make_plan(const trsm_problem& p,
               const device_info& device,
               plan_workspace workspace,
               plan_steps& steps) {
    if (!may_be_nonzero(p.alpha)) { // B = 0
        sgemm_problem zero{.math = p.math, .m = p.m, .n = p.n, .lda = p.m, .ldc = p.ldb};
        zero.c = p.b;
        zero.stride_c = p.stride_b;
        zero.c_array = p.b_array;
        zero.batch_count = p.batch_count;
        return steps.take(zero);
    }
    const triangular_form form(p);
    const int64_t block = solve_block(p, device);
    if (p.order() <= block)
        return solution{p, form, steps, block, p.alpha, nullptr}.substitute(0, p.order(), p.alpha);
    float* const gate = static_cast<float*>(workspace.memory);
    const float** const pointers =
        reinterpret_cast<const float**>(static_cast<char*>(workspace.memory) + gate_bytes);
    scalar minus{-1};
    if (p.alpha.device) {
        minus = {0, gate};
        steps.take(zero_if_alpha_zero{p.alpha.device, gate});
    }
    return solution{p, form, steps, block, minus, pointers}.solve(0, p.order(), p.alpha);
}

} // namespace myblas
