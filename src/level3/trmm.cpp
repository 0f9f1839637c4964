#include "level3/triangular.h"

#include "core/workspace.h"
#include "level3/plan.h"

#include <algorithm>

namespace myblas {
namespace {

// Rows of a diagonal block. All diagonal blocks are computed at once.
constexpr int64_t multiply_block = 64;

// Lines of B that are copied at a time, for a product in place.
int64_t strip_lines(const trmm_problem& p, size_t bytes) {
    const int64_t most = static_cast<int64_t>(bytes / sizeof(float)) / round_up_to(p.order(), 4);
    return std::min(p.lines(), most / 4 * 4);
}

size_t strip_bytes(const trmm_problem& p, int64_t lines) {
    return static_cast<size_t>(round_up_to(lines, 4) * round_up_to(p.order(), 4)) * sizeof(float);
}

bool needs_copy(const trmm_problem& p) {
    return p.in_place() && may_be_nonzero(p.alpha) && p.order() > multiply_block;
}

// C = alpha * L * X by a step that knows the triangle.
triangle_step
whole_triangle(const trmm_problem& p, const triangular_form& form, const float* x, int64_t ldx) {
    const int64_t first = form.row(0);
    triangle_step step = step_of(p, form, form.n, ldx, p.ldc);
    step.alpha = p.alpha;
    step.a = {p.a + first * (1 + p.lda)};
    step.x = {x + first * form.along(ldx)};
    step.y = {p.c + first * form.along(p.ldc)};
    return step;
}

// trmm as one product on a GPU, with a copy of A that has zeros beside the triangle; kernels leave
// out most of the zeros. Making the copy takes as long as moving 6 n^2 bytes, which pays if there
// are enough lines.
struct one_product {
    const trmm_problem& p;

    // Words in which each block of the zero-fill kernel reports whether it found an Inf or a NaN in
    // B.
    static constexpr int most_found = 1024;
    static constexpr size_t found_bytes = most_found * sizeof(unsigned);

    int64_t pitch() const { return round_up_to(p.order(), 4); }
    // B is copied if it is overwritten. In strict mode an unaligned B is also copied if the copy
    // fits in every workspace, because kernels of strict mode skip zeros of aligned operands only.
    // Checking B for Infs and NaNs reads it anyway.
    bool copies_b() const {
        const bool is_aligned = reinterpret_cast<uintptr_t>(p.b) % 16 == 0 && p.ldb % 4 == 0;
        return p.in_place() || (!is_aligned && p.math == MYBLAS_FP32_STRICT_MATH &&
                                bytes_with_copy() <= default_workspace_bytes);
    }
    size_t triangle_bytes() const {
        return (static_cast<size_t>(p.order() * pitch()) * sizeof(float) + 255) / 256 * 256;
    }
    size_t bytes_with_copy() const { return bytes_without() + strip_bytes(p, p.lines()); }
    size_t bytes_without() const { return found_bytes + triangle_bytes(); }
    size_t bytes() const { return copies_b() ? bytes_with_copy() : bytes_without(); }

    bool pays(const device_info& device) const {
        return !is_host(device) && p.order() >= 256 && p.lines() >= 256 &&
               p.lines() >= p.order() / 8;
    }

    void take(const device_info& device, plan_workspace workspace, plan_steps& steps) const {
        const triangular_form form(p);
        char* const memory = static_cast<char*>(workspace.memory);
        unsigned* const found = reinterpret_cast<unsigned*>(memory);
        float* const w = reinterpret_cast<float*>(memory + found_bytes);
        float* const copy = copies_b()
                                ? reinterpret_cast<float*>(memory + found_bytes + triangle_bytes())
                                : nullptr;
        const int64_t ld_copy = round_up_to(p.m, 4);
        const int found_count = std::min(most_found, 4 * device.sm_count);
        steps.take(zero_fill_step{.upper = p.upper,
                                  .unit = p.unit,
                                  .n = p.order(),
                                  .a = p.a,
                                  .lda = p.lda,
                                  .w = w,
                                  .ldw = pitch(),
                                  .rows = p.m,
                                  .cols = p.n,
                                  .b = p.b,
                                  .ldb = p.ldb,
                                  .copy = copy,
                                  .ld_copy = ld_copy,
                                  .gate = p.alpha,
                                  .found = found,
                                  .found_count = found_count});
        const float* const x = copy ? copy : p.b;
        const int64_t ldx = copy ? ld_copy : p.ldb;
        const bool is_lower = p.upper == p.trans; // op(A)
        sgemm_problem q{.math = p.math, .m = p.m, .n = p.n, .k = p.order(), .alpha = p.alpha};
        (p.right ? q.transb : q.transa) = p.trans;
        q.zeros = p.right ? (is_lower ? known_zeros::above_of_b : known_zeros::below_of_b)
                          : (is_lower ? known_zeros::above_of_a : known_zeros::below_of_a);
        q.a = p.right ? x : w;
        q.lda = p.right ? ldx : pitch();
        q.b = p.right ? w : x;
        q.ldb = p.right ? pitch() : ldx;
        q.c = p.c;
        q.ldc = p.ldc;
        steps.take(q);
        return steps.take(nonfinite_fixup{.product = whole_triangle(p, form, x, ldx),
                                          .found = found,
                                          .found_count = found_count});
    }
};

// Not in place, except for a single block.
void multiply(const trmm_problem& p, plan_steps& steps) {
    const triangular_form form(p);
    triangle_step diagonal = whole_triangle(p, form, p.b, p.ldb);
    diagonal.block = multiply_block;
    steps.take(diagonal);
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

workspace_range workspace_need(const trmm_problem& p, const device_info& device) {
    workspace_range need{0, 0};
    if (needs_copy(p))
        need = {strip_bytes(p, std::min<int64_t>(p.lines(), 64)), strip_bytes(p, p.lines())};
    if (const one_product product{p}; may_be_nonzero(p.alpha) && product.pays(device))
        need.best = product.bytes();
    return need;
}

void make_plan(const trmm_problem& p,
               const device_info& device,
               plan_workspace workspace,
               plan_steps& steps) {
    if (!may_be_nonzero(p.alpha))
        return steps.take(
            sgemm_problem{.math = p.math, .m = p.m, .n = p.n, .lda = p.m, .c = p.c, .ldc = p.ldc});
    if (const one_product product{p}; product.pays(device) && workspace.bytes >= product.bytes())
        return product.take(device, workspace, steps);
    if (!needs_copy(p))
        return multiply(p, steps);
    const int64_t most =
        workspace.bytes >= strip_bytes(p, p.lines()) ? p.lines() : strip_lines(p, workspace.bytes);
    for (int64_t first = 0; first < p.lines(); first += most) {
        const int64_t lines = std::min(most, p.lines() - first);
        trmm_problem strip = p;
        (p.right ? strip.m : strip.n) = lines;
        strip.c = p.c + first * (p.right ? 1 : p.ldc);
        strip.b = static_cast<const float*>(workspace.memory);
        strip.ldb = round_up_to(strip.m, 4);
        steps.take(geam_problem{.m = strip.m,
                                .n = strip.n,
                                .alpha = {1},
                                .a = strip.c,
                                .lda = p.ldc,
                                .ldb = strip.m,
                                .c = static_cast<float*>(workspace.memory),
                                .ldc = strip.ldb});
        multiply(strip, steps);
    }
}

} // namespace myblas
