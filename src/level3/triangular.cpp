#include "level3/triangular.h"

#include "level3/plan.h"

#include <algorithm>

namespace myblas {
namespace {

// Diagonal blocks, which are computed all at once.
constexpr int64_t multiply_block = 64;

// Lines of B at a time that are copied for a product in place.
int64_t strip_lines(const trmm_problem& p, size_t bytes) {
    const int64_t most = static_cast<int64_t>(bytes / sizeof(float)) / round_up_to(p.order(), 4);
    return std::min(p.lines(), most / 4 * 4);
}

size_t strip_bytes(const trmm_problem& p, int64_t lines) {
    return static_cast<size_t>(round_up_to(lines, 4) * round_up_to(p.order(), 4)) * sizeof(float);
}

bool needs_copy(const trmm_problem& p) {
    return p.in_place() && may_count(p.alpha) && p.order() > multiply_block;
}

// Not in place, but for a single block.
myblasStatus_t multiply(const trmm_problem& p, plan_steps& steps) {
    const triangular_form form(p);
    const int64_t first = form.row(0);
    if (const myblasStatus_t failure =
            steps.take(triangle_part{.is_solve = false,
                                     .unit = p.unit,
                                     .n = form.n,
                                     .block = multiply_block,
                                     .lines = p.lines(),
                                     .alpha = p.alpha,
                                     .gate = {1},
                                     .a = {p.a + first * (1 + p.lda)},
                                     .a_row = form.a_row(),
                                     .a_col = form.a_col(),
                                     .x = {p.b + first * form.along(p.ldb)},
                                     .x_along = form.sign() * form.along(p.ldb),
                                     .x_across = form.across(p.ldb),
                                     .y = {p.c + first * form.along(p.ldc)},
                                     .y_along = form.sign() * form.along(p.ldc),
                                     .y_across = form.across(p.ldc),
                                     .batch_count = 1}))
        return failure;
    return for_each_level(form.n, multiply_block, [&](const rectangles& r) {
        const placed_product at = place(form, r, p.trans, p.lines(), p.ldb, p.ldc);
        sgemm_problem q = at.problem;
        q.math = p.math;
        q.alpha = p.alpha;
        q.beta = {1};
        const float* const l = p.a + at.offset_l;
        const float* const x = p.b + at.offset_x;
        q.a = p.right ? x : l;
        q.lda = p.right ? p.ldb : p.lda;
        q.stride_a = p.right ? at.stride_x : at.stride_l;
        q.b = p.right ? l : x;
        q.ldb = p.right ? p.lda : p.ldb;
        q.stride_b = p.right ? at.stride_l : at.stride_x;
        q.c = p.c + at.offset_y;
        q.ldc = p.ldc;
        q.stride_c = at.stride_y;
        q.batch_count = r.count;
        return steps.take(q);
    });
}

} // namespace

plan_need need_of(const trmm_problem& p, const device_info&) {
    if (!needs_copy(p))
        return {0, 0};
    return {strip_bytes(p, std::min<int64_t>(p.lines(), 64)), strip_bytes(p, p.lines())};
}

myblasStatus_t
make_plan(const trmm_problem& p, const device_info&, plan_room room, plan_steps& steps) {
    if (!may_count(p.alpha))
        return steps.take(
            sgemm_problem{.math = p.math, .m = p.m, .n = p.n, .lda = p.m, .c = p.c, .ldc = p.ldc});
    if (!needs_copy(p))
        return multiply(p, steps);
    const int64_t most =
        room.bytes >= strip_bytes(p, p.lines()) ? p.lines() : strip_lines(p, room.bytes);
    for (int64_t first = 0; first < p.lines(); first += most) {
        const int64_t lines = std::min(most, p.lines() - first);
        trmm_problem strip = p;
        (p.right ? strip.m : strip.n) = lines;
        strip.c = p.c + first * (p.right ? 1 : p.ldc);
        strip.b = static_cast<const float*>(room.memory);
        strip.ldb = round_up_to(strip.m, 4);
        if (const myblasStatus_t failure =
                steps.take(geam_problem{.m = strip.m,
                                        .n = strip.n,
                                        .alpha = {1},
                                        .a = strip.c,
                                        .lda = p.ldc,
                                        .ldb = strip.m,
                                        .c = static_cast<float*>(room.memory),
                                        .ldc = strip.ldb}))
            return failure;
        if (const myblasStatus_t failure = multiply(strip, steps))
            return failure;
    }
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace myblas
