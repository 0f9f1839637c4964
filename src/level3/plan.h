// Level 3 routines as plans: sequences of products, which are selected as mysgemm's own, and a few small parts (parts.h).
//
// A triangle of order n is cut into diagonal blocks, and below them into squares, level by level: with blocks of b
//
//     +---+                 level 1: squares of b, on the diagonal of the level
//     | b |                 level 2: squares of 2 b
//     +---+---+             ...
//     | 1 | b |             The squares of a level are a strided batch, so there are about log2(n / b) products,
//     +---+---+---+         and one for each level whose last square is cut off by the edge.
//     |   2   | b |
//     |       +---+---+
//     |       | 1 | b |
//     +-------+---+---+
//
//   rank_k.cpp      syrk, syrkx, syr2k. On a GPU products of a triangle in place (sgemm_problem), or all of C in the
//                   workspace, of which the triangle is then stored. On a host the squares in place, and diagonal blocks
//                   by way of the workspace
//   symm.cpp        diagonal blocks, mostly one for all, mirrored in the workspace; a product with each row of blocks
//   triangular.cpp  trmm: on a GPU one product of a copy of A with zeroes, which kernels leave out, and a part that does
//                   without them, should B not be finite; of few lines, and on a host, diagonal blocks by a part that
//                   knows the triangle, then the squares are added
//   trsm.cpp        recursion, in which diagonal blocks are solved by substitution: B2 - A21 * X1 between the solutions of
//                   the first and of the second half
//
// A backend with a kernel that does a routine in one launch has it as a kernel_entry with a launcher of its own, and the
// selection may take it in place of the plan.
#pragma once

#include "core/device.h"
#include "core/problem.h"
#include "level3/parts.h"

#include <cstddef>

namespace myblas {

// Takes the steps of a plan in their order. A plan ends with the first that fails.
class plan_steps {
public:
    virtual myblasStatus_t take(const sgemm_problem&) noexcept = 0;
    virtual myblasStatus_t take(const geam_problem&) noexcept = 0;
    virtual myblasStatus_t take(const mirror_part&) noexcept = 0;
    virtual myblasStatus_t take(const store_part&) noexcept = 0;
    virtual myblasStatus_t take(const join_part&) noexcept = 0;
    virtual myblasStatus_t take(const triangle_part&) noexcept = 0;
    virtual myblasStatus_t take(const gate_part&) noexcept = 0;
    virtual myblasStatus_t take(const pointers_part&) noexcept = 0;
    virtual myblasStatus_t take(const zero_fill_part&) noexcept = 0;
    virtual myblasStatus_t take(const exact_part&) noexcept = 0;

    // Whether a kernel takes the product; of triangles not every kernel that a user may force does.
    virtual bool can_take(const sgemm_problem&) noexcept = 0;

protected:
    ~plan_steps() = default;
};

// Workspace of a plan itself, beside that of its products; aligned to 256 bytes.
struct plan_room {
    void* memory;
    size_t bytes;
};

// Bytes without which there is no plan, and beyond which more is of no use.
struct plan_need {
    size_t least, best;
};

// Pure. make_plan is given between `least` and `best` bytes and hands its steps to `steps`.
template <bool twice>
plan_need need_of(const rank_k_problem<twice>&, const device_info&);
template <bool twice>
myblasStatus_t make_plan(const rank_k_problem<twice>&, const device_info&, plan_room, plan_steps&);

plan_need need_of(const symm_problem&, const device_info&);
myblasStatus_t make_plan(const symm_problem&, const device_info&, plan_room, plan_steps&);

plan_need need_of(const trmm_problem&, const device_info&);
myblasStatus_t make_plan(const trmm_problem&, const device_info&, plan_room, plan_steps&);

plan_need need_of(const trsm_problem&, const device_info&);
myblasStatus_t make_plan(const trsm_problem&, const device_info&, plan_room, plan_steps&);

// For kernel_entry::workspace_bytes of a plan.
template <class Problem>
size_t least_plan_bytes(const Problem& problem, const device_info& device) {
    return need_of(problem, device).least;
}

// ---- What plans share ------------------------------------------------------------------------------

constexpr int64_t round_up_to(int64_t value, int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

inline bool is_host(const device_info& device) { return device.arch == 0; }

// Rectangles below the diagonal blocks of a lower triangle: the first has its corner at (row, col), each further one is
// `step` rows and columns on.
struct rectangles {
    int64_t row, col, rows, cols, step, count;
};

// Squares from this side on fill a GPU by themselves, and kernels for single products are faster than those for batches.
inline constexpr int64_t least_single_square = 1024;

// visit(rectangles) for all that lies below the diagonal blocks of `block`, as drawn above; ends with the first failure.
template <class Visitor>
myblasStatus_t for_each_level(int64_t n, int64_t block, Visitor&& visit) {
    for (int64_t side = block; side < n; side *= 2) {
        const int64_t whole = n / (2 * side), rest = n % (2 * side);
        const int64_t together = side < least_single_square ? whole : 1;
        for (int64_t i = 0; i < whole; i += together) {
            const int64_t first = i * 2 * side;
            if (const myblasStatus_t failure =
                    visit(rectangles{first + side, first, side, side, 2 * side, together}))
                return failure;
        }
        if (rest > side) {
            const int64_t first = whole * 2 * side;
            if (const myblasStatus_t failure =
                    visit(rectangles{first + side, first, rest - side, side, 0, 1}))
                return failure;
        }
    }
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace myblas
