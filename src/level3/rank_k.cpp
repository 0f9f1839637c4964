#include "core/device_costs.h"
#include "level3/plan.h"

#include <algorithm>

namespace myblas {
namespace {

// The strategies on a GPU.
enum class way {
    triangle, // in place; syr2k adds two triangles
    joined,   // syr2k: in place, as one product of [A B] and [B A]
    whole     // all of C in the workspace; its triangle is then stored
};

// syr2k: the cheapest strategy, not counting the multiplications that all share. The unit of time
// is the time in which memory moves a byte (core/device_costs.h). Storing the triangle of a whole C
// takes as long as moving C three times. Joining copies the operands. The joined product loses time
// on tiles on the diagonal and in the last wave of tiles. No tensor-core kernel computes a triangle
// of a small product. (Times of an H200, docs/experiments/level3.md.)
template <bool twice>
way preferred_way(const rank_k_problem<twice>& p, const device_info& device) {
    constexpr int64_t most_whole = 8192, least_of_tensor_kernels = 2048;
    if (!twice)
        return way::triangle;
    const bool is_large = p.n > most_whole;
    const way other = is_large ? way::triangle : way::whole;
    if (p.alpha.device) // perhaps zero: then operands must not be read
        return other;
    const device_costs& costs = costs_of(device);
    const auto n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    const double strict_us = fma_us(device, n * n * k);
    const bool is_strict = p.math == MYBLAS_FP32_STRICT_MATH;
    double lost_us = strict_us / (is_strict ? 1 : costs.tensor_core_speed) * (0.05 + 128 / n) +
                     costs.dependent_launch_us;
    if (!is_strict && p.n < least_of_tensor_kernels)
        lost_us += 0.3 * strict_us;
    const double joined = 24 * n * k + lost_us * memory_bytes_per_us(device);
    return joined < (is_large ? 4 : 12) * n * n ? way::joined : other;
}

// Rows of a diagonal block, if blocks are computed in the workspace: few, because half of their
// arithmetic is wasted. A GPU computes them there if all of C is one block, or if a forced kernel
// computes no triangles.
template <bool twice>
int64_t preferred_block(const rank_k_problem<twice>& p, const device_info& device) {
    const int64_t block = is_host(device)                          ? 128
                          : preferred_way(p, device) == way::whole ? p.n
                                                                   : least_block;
    return std::min(p.n, block);
}

// [A B A] in the workspace, which contains [A B] and [B A]. If k runs along memory and is not
// short, zeroes follow each operand, so that [B A] is aligned to 16 bytes, too. Zeroes are
// multiplied by zeroes. With a short k this does not pay (docs/experiments/level3.md).
template <bool twice>
struct joined_operands {
    const rank_k_problem<twice>& p;

    static constexpr int64_t least_padded = 140;
    int64_t padded_k() const { return p.transa && p.k >= least_padded ? round_up_to(p.k, 4) : p.k; }
    int64_t joined_k() const { return padded_k() + p.k; }
    int64_t pitch() const { return round_up_to(p.transa ? 3 * padded_k() : p.n, 4); }
    size_t bytes() const {
        return static_cast<size_t>(pitch() * (p.transa ? p.n : 3 * p.k)) * sizeof(float);
    }
    int64_t offset(int64_t part) const { return part * padded_k() * (p.transa ? 1 : pitch()); }
};

// The distance between rows of op(A), and between columns of op(B).
int64_t row_of_a(const sgemm_problem& q) { return q.transa ? q.lda : 1; }
int64_t column_of_b(const sgemm_problem& q) { return q.transb ? 1 : q.ldb; }

// The problem as products: element (i, j) of C is row i of op(A) times column j of op(B).
template <bool twice>
struct products {
    const rank_k_problem<twice>& p;

    sgemm_problem product(int64_t row, int64_t col, int64_t rows, int64_t cols) const {
        sgemm_problem q{.math = p.math,
                        .transa = p.transa,
                        .transb = p.transb,
                        .m = rows,
                        .n = cols,
                        .k = p.k,
                        .alpha = p.alpha,
                        .a = p.a,
                        .lda = p.lda,
                        .b = p.b,
                        .ldb = p.ldb};
        q.a += row * row_of_a(q);
        q.b += col * column_of_b(q);
        return q;
    }

    // The second product of syr2k, with A and B exchanged.
    sgemm_problem swap_ab(int64_t row, int64_t col, int64_t rows, int64_t cols) const {
        sgemm_problem q = product(0, 0, rows, cols);
        std::swap(q.a, q.b);
        std::swap(q.lda, q.ldb);
        q.a += row * row_of_a(q);
        q.b += col * column_of_b(q);
        return q;
    }

    // The triangle of C, in place.
    sgemm_problem triangle() const {
        sgemm_problem q = product(0, 0, p.n, p.n);
        q.triangle = p.upper ? triangle_of_c::upper : triangle_of_c::lower;
        q.beta = p.beta;
        q.c = p.c;
        q.ldc = p.ldc;
        return q;
    }
    // syr2k as two products. joined_triangle() makes one of them.
    void two_triangles(plan_steps& steps) const {
        sgemm_problem q = triangle();
        steps.take(q);
        q.beta = {1};
        std::swap(q.a, q.b);
        std::swap(q.lda, q.ldb);
        return steps.take(q);
    }
    sgemm_problem joined_product(const float* memory) const {
        const joined_operands<twice> joined{p};
        sgemm_problem q = triangle();
        q.k = joined.joined_k();
        q.a = memory;
        q.b = memory + joined.offset(1);
        q.lda = q.ldb = joined.pitch();
        return q;
    }
    void joined_triangle(float* memory, plan_steps& steps) const {
        const joined_operands<twice> joined{p};
        steps.take(join_step{.below = p.transa,
                             .rows = p.transa ? p.k : p.n,
                             .padded_rows = p.transa ? joined.padded_k() : p.n,
                             .cols = p.transa ? p.n : p.k,
                             .a = p.a,
                             .lda = p.lda,
                             .b = p.b,
                             .ldb = p.ldb,
                             .w = memory,
                             .ldw = joined.pitch()});
        return steps.take(joined_product(memory));
    }

    // Squares below the diagonal, or for an upper triangle their mirror images above it.
    void squares(rectangles r, plan_steps& steps) const {
        if (p.upper) {
            std::swap(r.row, r.col);
            std::swap(r.rows, r.cols);
        }
        const auto take = [&](sgemm_problem q, scalar beta) {
            q.stride_a = r.step * row_of_a(q);
            q.stride_b = r.step * column_of_b(q);
            q.c = p.c + r.row + r.col * p.ldc;
            q.ldc = p.ldc;
            q.stride_c = r.step * (1 + p.ldc);
            q.batch_count = r.count;
            q.beta = beta;
            return steps.take(q);
        };
        take(product(r.row, r.col, r.rows, r.cols), p.beta);
        if (twice)
            take(swap_ab(r.row, r.col, r.rows, r.cols), {1});
    }

    // Diagonal blocks first, first + 1, ..., `count` in all and of the same size: products in the
    // workspace, which are then stored.
    void diagonal(int64_t first,
                  int64_t count,
                  int64_t size,
                  int64_t block,
                  float* t,
                  plan_steps& steps) const {
        const int64_t at = first * block, pitch = pitch_of(block);
        sgemm_problem q = product(at, at, size, size);
        q.stride_a = block * row_of_a(q);
        q.stride_b = block * column_of_b(q);
        q.c = t;
        q.ldc = pitch;
        q.stride_c = block * pitch;
        q.batch_count = count;
        steps.take(q);
        return steps.take(store_step{.upper = p.upper,
                                     .twice = twice,
                                     .n = (count - 1) * block + size,
                                     .block = block,
                                     .t = t,
                                     .ldt = pitch,
                                     .stride_t = block * pitch,
                                     .beta = p.beta,
                                     .c = p.c + at * (1 + p.ldc),
                                     .ldc = p.ldc});
    }
};

} // namespace

template <bool twice>
workspace_range workspace_need(const rank_k_problem<twice>& p, const device_info& device) {
    if (p.k == 0 || !may_be_nonzero(p.alpha))
        return {0, 0};
    const int64_t block = preferred_block(p, device);
    size_t best = tile_bytes(block) * static_cast<size_t>((p.n + block - 1) / block);
    const size_t least = std::min(tile_bytes(std::min(p.n, least_block)), best);
    if (!is_host(device) && preferred_way(p, device) != way::whole) {
        best = least;
        if (preferred_way(p, device) == way::joined)
            best = std::max(best, joined_operands<twice>{p}.bytes());
    }
    return {least, best};
}

template <bool twice>
void make_plan(const rank_k_problem<twice>& p,
               const device_info& device,
               plan_workspace workspace,
               plan_steps& steps) {
    if (p.k == 0 || !may_be_nonzero(p.alpha))
        return steps.take(store_step{.upper = p.upper,
                                     .twice = false,
                                     .n = p.n,
                                     .block = p.n,
                                     .t = nullptr,
                                     .ldt = 0,
                                     .stride_t = 0,
                                     .beta = p.beta,
                                     .c = p.c,
                                     .ldc = p.ldc});
    const products<twice> all{p};
    int64_t block = preferred_block(p, device);
    if (!is_host(device)) {
        const way preferred = preferred_way(p, device);
        float* const memory = static_cast<float*>(workspace.memory);
        // Tested first: if the workspace was sized for this product, it may be too small for two
        // triangles'.
        if (preferred == way::joined && workspace.bytes >= joined_operands<twice>{p}.bytes() &&
            steps.can_take(all.joined_product(memory)))
            return all.joined_triangle(memory, steps);
        const bool is_whole = preferred == way::whole && workspace.bytes >= tile_bytes(p.n);
        if (!is_whole && steps.can_take(all.triangle()))
            return twice ? all.two_triangles(steps) : steps.take(all.triangle());
    }
    while (tile_bytes(block) > workspace.bytes)
        block = std::max(least_block, round_up_to(block / 2, least_block));
    for_each_level(p.n, block, [&](const rectangles& r) { return all.squares(r, steps); });

    float* const t = static_cast<float*>(workspace.memory);
    const int64_t most =
        static_cast<int64_t>(workspace.bytes / tile_bytes(block)); // blocks at a time
    const int64_t whole = p.n / block, rest = p.n % block;
    for (int64_t first = 0; first < whole; first += most)
        all.diagonal(first, std::min(most, whole - first), block, block, t, steps);
    if (rest)
        all.diagonal(whole, 1, rest, block, t, steps);
}

template workspace_range workspace_need(const syrk_problem&, const device_info&);
template workspace_range workspace_need(const syr2k_problem&, const device_info&);
template void make_plan(const syrk_problem&, const device_info&, plan_workspace, plan_steps&);
template void make_plan(const syr2k_problem&, const device_info&, plan_workspace, plan_steps&);

} // namespace myblas
