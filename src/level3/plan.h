// Level 3 routines as plans: sequences of products, which are selected as mysgemm's own, and of
// small steps (steps.h).
//
// A triangle of order n is cut into diagonal blocks of b rows, and below them into squares, by
// levels:
//
//     +---+                 level 1: squares of b, along the diagonal
//     | b |                 level 2: squares of 2 b
//     +---+---+             ...
//     | 1 | b |             The squares of a level are a strided batch: about log2(n / b) products,
//     +---+---+---+         and one more for each level whose last square is cut off by the edge.
//     |   2   | b |
//     |       +---+---+
//     |       | 1 | b |
//     +-------+---+---+
//
//   rank_k.cpp      syrk, syrkx, syr2k. On a GPU: products that compute a triangle of C in place
//                   (sgemm_problem), or all of C in the workspace; its triangle is then stored.
//                   On a host: the squares in place, diagonal blocks through the workspace
//   symm.cpp        diagonal blocks, mostly a single one, are mirrored in the workspace; then a
//                   product with each row of blocks
//   trmm.cpp        trmm. On a GPU: one product with a copy of A that has zeros, which kernels
//                   leave out; if B is not finite, a second step computes without the zeros. With
//                   few lines, and on a host: diagonal blocks by a step that knows the triangle,
//                   then the squares are added
//   trsm.cpp        recursion; diagonal blocks are solved by substitution. Between the solutions of
//                   the first and the second half: B2 - A21 * X1
//
// A kernel that computes a routine in one launch is a kernel_entry with its own launcher. The
// selection may choose it instead of the plan.
#pragma once

#include "core/device.h"
#include "core/problem.h"
#include "level3/steps.h"

#include <cstddef>
#include <type_traits>
#include <variant>

namespace myblas {

// A problem whose kernel is selected, or a small step.
using plan_step = std::variant<sgemm_problem,
                               geam_problem,
                               mirror_step,
                               store_step,
                               join_step,
                               triangle_step,
                               zero_if_alpha_zero,
                               pointers_step,
                               zero_fill_step,
                               nonfinite_fixup>;

// Receives the steps of a plan in order.
class plan_steps {
public:
    // Nothing, if an earlier step has failed.
    void take(const plan_step& step) noexcept {
        if (status_ == MYBLAS_STATUS_SUCCESS)
            status_ = execute(step);
    }
    myblasStatus_t status() const { return status_; } // of the first step that failed

    // Whether a kernel accepts the product. A kernel that the user forces need not compute
    // triangles.
    virtual bool can_take(const sgemm_problem&) noexcept = 0;

protected:
    ~plan_steps() = default;

private:
    virtual myblasStatus_t execute(const plan_step&) noexcept = 0;

    myblasStatus_t status_ = MYBLAS_STATUS_SUCCESS;
};

// The plan's own workspace, aligned to 256 bytes. The workspace of its products is separate.
struct plan_workspace {
    void* memory;
    size_t bytes;
};

// least: bytes without which there is no plan. best: bytes beyond which more is of no use.
struct workspace_range {
    size_t least, best;
};

// Pure functions. make_plan gets between `least` and `best` bytes and passes its steps to `steps`.
template <bool twice>
workspace_range workspace_need(const rank_k_problem<twice>&, const device_info&);
template <bool twice>
void make_plan(const rank_k_problem<twice>&, const device_info&, plan_workspace, plan_steps&);

workspace_range workspace_need(const symm_problem&, const device_info&);
void make_plan(const symm_problem&, const device_info&, plan_workspace, plan_steps&);

workspace_range workspace_need(const trmm_problem&, const device_info&);
void make_plan(const trmm_problem&, const device_info&, plan_workspace, plan_steps&);

workspace_range workspace_need(const trsm_problem&, const device_info&);
void make_plan(const trsm_problem&, const device_info&, plan_workspace, plan_steps&);

// For kernel_entry::keeps_k_order of a plan: each element of C is an element of one product.
template <class Problem>
inline constexpr bool plan_keeps_k_order =
    std::is_same_v<Problem, syrk_problem> || std::is_same_v<Problem, symm_problem>;

// For kernel_entry::workspace_bytes of a plan.
template <class Problem>
size_t least_plan_bytes(const Problem& problem, const device_info& device) {
    return workspace_need(problem, device).least;
}

template <class Problem>
constexpr kernel_entry<Problem>
plan_of_products(myblasStatus_t (*prepare)(const device_info&) = nullptr) {
    return {.name = "products",
            .description = "a plan of products, as mysgemm selects them, and small steps",
            .keeps_k_order = plan_keeps_k_order<Problem>,
            .workspace_bytes = least_plan_bytes<Problem>,
            .prepare = prepare};
}

// ---- What plans share ---------------------------------------------------------------------------

constexpr int64_t round_up_to(int64_t value, int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

inline bool is_host(const device_info& device) { return device.arch == 0; }

// A diagonal block in the workspace, and its leading dimension there.
inline constexpr int64_t least_block = 64;
constexpr int64_t pitch_of(int64_t block) { return round_up_to(block, 4); }
constexpr size_t tile_bytes(int64_t block) {
    return static_cast<size_t>(block * pitch_of(block)) * sizeof(float);
}

// Rectangles below the diagonal blocks of a lower triangle. The first has its corner at (row, col);
// each further one is `step` rows and columns on.
struct rectangles {
    int64_t row, col, rows, cols, step, count;
};

// Squares of at least this side fill a GPU one at a time, and kernels for single products are
// faster than kernels for batches.
inline constexpr int64_t least_single_square = 1024;

// Calls visit(rectangles) for everything below the diagonal blocks of `block` rows, as drawn above.
template <class Visitor>
void for_each_level(int64_t n, int64_t block, Visitor&& visit) {
    for (int64_t side = block; side < n; side *= 2) {
        const int64_t whole = n / (2 * side), rest = n % (2 * side);
        const int64_t together = side < least_single_square ? whole : 1;
        for (int64_t i = 0; i < whole; i += together) {
            const int64_t first = i * 2 * side;
            visit(rectangles{first + side, first, side, side, 2 * side, together});
        }
        if (rest > side) {
            const int64_t first = whole * 2 * side;
            visit(rectangles{first + side, first, rest - side, side, 0, 1});
        }
    }
}

} // namespace myblas
