#include "level3/plan.h"

#include <algorithm>
#include <cstdlib>

namespace myblas {
namespace {

constexpr int64_t least_block = 64;

constexpr int64_t pitch_of(int64_t block) { return round_up_to(block, 4); }
constexpr size_t tile_bytes(int64_t block) {
    return static_cast<size_t>(block * pitch_of(block)) * sizeof(float);
}

// Whether a GPU is faster with all of C in the workspace, one product and no triangle, than with a triangle in place.
template <bool twice>
bool prefers_whole(const rank_k_problem<twice>& p) {
    if (const char* x = std::getenv("TRI_X"))
        return *x == 'W';
    return twice ? p.n <= 2048 : p.n <= 512;
}

// Of the plan with diagonal blocks in the workspace. Larger ones waste arithmetic, half of theirs.
template <bool twice>
int64_t preferred_block(const rank_k_problem<twice>& p, const device_info& device) {
    const int64_t block = is_host(device) ? 128 : prefers_whole(p) ? p.n : least_block;
    return std::min(p.n, block);
}

// The problem as products: element (i, j) of C is row i of op(A) times row j of op(B).
template <bool twice>
struct products {
    const rank_k_problem<twice>& p;

    int64_t row_stride(int64_t ld) const { return p.trans ? ld : 1; } // of op(A), op(B)

    sgemm_problem product(int64_t row, int64_t col, int64_t rows, int64_t cols) const {
        return {.math = p.math,
                .transa = p.trans,
                .transb = !p.trans,
                .m = rows,
                .n = cols,
                .k = p.k,
                .alpha = p.alpha,
                .a = p.a + row * row_stride(p.lda),
                .lda = p.lda,
                .b = p.b + col * row_stride(p.ldb),
                .ldb = p.ldb};
    }

    // The one of syr2k's two products in which A and B have changed places.
    sgemm_problem turned(int64_t row, int64_t col, int64_t rows, int64_t cols) const {
        sgemm_problem q = product(0, 0, rows, cols);
        q.a = p.b + row * row_stride(p.ldb);
        q.lda = p.ldb;
        q.b = p.a + col * row_stride(p.lda);
        q.ldb = p.lda;
        return q;
    }

    // The triangle in place.
    sgemm_problem triangle() const {
        sgemm_problem q = product(0, 0, p.n, p.n);
        q.triangle = p.upper ? triangle_of_c::upper : triangle_of_c::lower;
        q.beta = p.beta;
        q.c = p.c;
        q.ldc = p.ldc;
        return q;
    }
    sgemm_problem turned_triangle() const {
        sgemm_problem q = triangle();
        q.beta = {1};
        std::swap(q.a, q.b);
        std::swap(q.lda, q.ldb);
        return q;
    }

    // Squares below the diagonal, or where they are mirrored to above it.
    myblasStatus_t squares(rectangles r, plan_steps& steps) const {
        if (p.upper) {
            std::swap(r.row, r.col);
            std::swap(r.rows, r.cols);
        }
        const auto take = [&](sgemm_problem q, scalar beta) {
            q.stride_a = r.step * row_stride(q.lda);
            q.stride_b = r.step * row_stride(q.ldb);
            q.c = p.c + r.row + r.col * p.ldc;
            q.ldc = p.ldc;
            q.stride_c = r.step * (1 + p.ldc);
            q.batch_count = r.count;
            q.beta = beta;
            return steps.take(q);
        };
        const myblasStatus_t status = take(product(r.row, r.col, r.rows, r.cols), p.beta);
        if (!twice || status != MYBLAS_STATUS_SUCCESS)
            return status;
        return take(turned(r.row, r.col, r.rows, r.cols), {1});
    }

    // Diagonal blocks first, first + 1, ... of `count`, all of the same size, as products in the workspace, then stored.
    myblasStatus_t diagonal(int64_t first,
                            int64_t count,
                            int64_t size,
                            int64_t block,
                            float* t,
                            plan_steps& steps) const {
        const int64_t at = first * block, pitch = pitch_of(block);
        sgemm_problem q = product(at, at, size, size);
        q.stride_a = block * row_stride(p.lda);
        q.stride_b = block * row_stride(p.ldb);
        q.c = t;
        q.ldc = pitch;
        q.stride_c = block * pitch;
        q.batch_count = count;
        if (const myblasStatus_t failure = steps.take(q))
            return failure;
        return steps.take(store_part{.upper = p.upper,
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
plan_need need_of(const rank_k_problem<twice>& p, const device_info& device) {
    if (p.k == 0 || !may_count(p.alpha))
        return {0, 0};
    const int64_t block = preferred_block(p, device);
    const size_t all = tile_bytes(block) * static_cast<size_t>((p.n + block - 1) / block);
    return {std::min(tile_bytes(std::min(p.n, least_block)), all), all};
}

template <bool twice>
myblasStatus_t make_plan(const rank_k_problem<twice>& p,
                         const device_info& device,
                         plan_room room,
                         plan_steps& steps) {
    if (p.k == 0 || !may_count(p.alpha))
        return steps.take(store_part{.upper = p.upper,
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
    const bool has_room = tile_bytes(block) <= room.bytes;
    if (!is_host(device) && !(prefers_whole(p) && has_room) && steps.can_take(all.triangle())) {
        const myblasStatus_t status = steps.take(all.triangle());
        return twice && status == MYBLAS_STATUS_SUCCESS ? steps.take(all.turned_triangle())
                                                        : status;
    }
    while (tile_bytes(block) > room.bytes)
        block = std::max(least_block, round_up_to(block / 2, least_block));
    if (const myblasStatus_t failure =
            for_each_level(p.n, block, [&](const rectangles& r) { return all.squares(r, steps); }))
        return failure;

    float* const t = static_cast<float*>(room.memory);
    const int64_t most = static_cast<int64_t>(room.bytes / tile_bytes(block)); // at a time
    const int64_t whole = p.n / block, rest = p.n % block;
    for (int64_t first = 0; first < whole; first += most)
        if (const myblasStatus_t failure =
                all.diagonal(first, std::min(most, whole - first), block, block, t, steps))
            return failure;
    return rest ? all.diagonal(whole, 1, rest, block, t, steps) : MYBLAS_STATUS_SUCCESS;
}

template plan_need need_of(const syrk_problem&, const device_info&);
template plan_need need_of(const syr2k_problem&, const device_info&);
template myblasStatus_t make_plan(const syrk_problem&, const device_info&, plan_room, plan_steps&);
template myblasStatus_t make_plan(const syr2k_problem&, const device_info&, plan_room, plan_steps&);

} // namespace myblas
