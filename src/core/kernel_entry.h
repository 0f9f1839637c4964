// What a kernel declares of itself, and what a rule of the selection looks like. Both are constant
// data: a kernel's descriptor stands beside its code, rules stand in src/select/tuning_*.cpp.
#pragma once

#include "core/device.h"
#include "core/problem.h"
#include "myblas/myblas.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace myblas {

// All that a launcher gets beside the problem; kernels never see the handle.
struct launch_context {
    const device_info* device = nullptr;
    myblasStream_t stream = nullptr;
    void* workspace = nullptr; // device memory, 256-byte aligned, contents undefined
    size_t workspace_bytes = 0;
    unsigned* counters =
        nullptr; // counter_count zeroes, which a kernel leaves zero: kernel_entry::uses_counters
};

inline constexpr int counter_count =
    4096; // of every stream of a handle, and of every stream in a capture

// The work of a kernel on a product, as far as its time depends on it (select/model.h): counts, and cycles and bytes
// that follow from the kernel's code and the problem alone. "The busiest multiprocessor" is the one with most blocks.
struct work_estimate {
    float launches = 1;    // kernels that are enqueued
    float rounds = 1;      // blocks one after another in a place (bf16x6, fp16x3: passes)
    float steps = 0;       // slabs that a block waits for one after the other, over all rounds
    float math_cycles = 0; // of the busiest multiprocessor, if its arithmetic units were never idle
    float copies = 0;   // instructions of a warp that copy operands, on the busiest multiprocessor
    float l2_bytes = 0; // that the busiest multiprocessor reads
    float memory_bytes = 0; // of all operands, and of what is packed or copied besides
    float exchanges = 0;    // sums of other blocks that a block adds
    float fill = 1;         // blocks of an average multiprocessor, by those of the busiest
    float edge = 1;         // of the tiles' elements, the part that lies in C
};

// What a kernel is asked, with what many of them would compute of the problem.
struct work_query {
    const sgemm_problem& problem;
    const device_info& device;
    size_t workspace_bytes;
    float m, n, k, batch; // the extents, none below 1
    float c_elements;     // of a product, that are computed
    float operand_bytes;  // of A, B and C
    float copies_a,
        copies_b; // instructions of a warp that copy a float: by quads where these are on the grid

    work_query(const sgemm_problem& p, const device_info& d, size_t bytes)
        : problem(p), device(d), workspace_bytes(bytes), m(at_least_1(p.m)), n(at_least_1(p.n)),
          k(at_least_1(p.k)), batch(at_least_1(p.batch_count)),
          c_elements(at_least_1(static_cast<float>(computed_elements(p)))),
          operand_bytes(4 * batch * (m * k + k * n + c_elements)),
          copies_a(copies_of(p.a, p.lda, p.a_array)), copies_b(copies_of(p.b, p.ldb, p.b_array)) {}

private:
    static float at_least_1(int64_t x) { return static_cast<float>(x > 0 ? x : 1); }
    static float at_least_1(float x) { return x > 1 ? x : 1; }
    // (Strides are not looked at: few batches are on the grid but for them.)
    static float copies_of(const float* x, int64_t ld, const void* array) {
        return batch_aligned16(x, ld, 0, array, 1) ? 1.0f / 128 : 1.0f / 32;
    }
};

// The functions of a descriptor are pure, but for `prepare` and `launch`. Of scalars the pure ones may
// read nothing; of a pointer, whether it is null and its place in a block of pointer_period bytes, and whether A
// is B: a handle remembers what was selected, and compares no more than that (core/selection_cache.h).
inline constexpr int pointer_period = 256;

template <class Problem>
struct kernel_entry {
    const char* name;
    const char* description;
    int min_arch = 0, max_arch = 0; // compute capability x 10, inclusive; 0: no bound
    int block_m = 0, block_n = 0, block_k = 0;
    int threads = 0;
    int stages = 0;
    size_t smem_bytes = 0;
    int alignment_bytes = 4;
    bool deterministic = true;
    bool takes_triangles = false;                // of C (sgemm_problem)
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH; // the strictest mode that it serves
    bool finishes = false;                       // products that have a product_finish
    bool takes_backwards = false;                // vectors that run backwards (runs_backwards)
    bool uses_counters = false;                  // of launch_context; plans have them always

    // Whether the kernel computes this problem rightly on this device, given the workspace below.
    // Null: every problem.
    bool (*accepts)(const Problem&, const device_info&) = nullptr;
    // The same in words, for people: "single products of up to 16 rows or columns".
    const char* accepts_what = nullptr;
    // Bytes of workspace without which it does not accept the problem. Null: none.
    size_t (*workspace_bytes)(const Problem&, const device_info&) = nullptr;
    // Bytes beyond which more is of no use. Null: as workspace_bytes.
    size_t (*best_workspace_bytes)(const Problem&, const device_info&) = nullptr;
    // What it would do for a product, also for one that it does not accept. Null: its time cannot be predicted, and
    // it is taken by rules alone.
    work_estimate (*work)(const work_query&) = nullptr;
    // Called for each new handle, before the first launch, to opt in to large shared memory.
    // Null: nothing to prepare.
    myblasStatus_t (*prepare)(const device_info&) = nullptr;
    // Enqueues the work on the context's stream. Null: the kernel is the plan of its routine (level3/plan.h), several
    // products and parts, each of which is selected and launched for itself.
    myblasStatus_t (*launch)(const Problem&, const launch_context&) = nullptr;
};

// Bytes of workspace beyond which more is of no use to the kernel.
template <class Problem>
size_t useful_workspace(const kernel_entry<Problem>& kernel,
                        const Problem& problem,
                        const device_info& device) {
    const auto bytes =
        kernel.best_workspace_bytes ? kernel.best_workspace_bytes : kernel.workspace_bytes;
    return bytes ? bytes(problem, device) : 0;
}

// The kernel that a call takes, null if there is none, and how much workspace of what there may be is
// of use to it.
template <class Problem>
struct selection {
    const kernel_entry<Problem>* kernel = nullptr;
    size_t workspace_bytes = 0;
    size_t plan_bytes =
        0; // of a plan: what it takes of the workspace for itself, its products share the rest
};

// A registry: one backend's kernels of one routine in ladder order, plainest first.
template <class Problem>
using kernel_list = std::span<const kernel_entry<Problem>* const>;

// ---- Rules ---------------------------------------------------------------------------------------

struct interval {
    int64_t low = std::numeric_limits<int64_t>::min();
    int64_t high = std::numeric_limits<int64_t>::max(); // inclusive

    constexpr bool contains(int64_t value) const { return low <= value && value <= high; }
};

inline constexpr interval any{};

constexpr interval at_least(int64_t low) { return {low, any.high}; }
constexpr interval at_most(int64_t high) { return {any.low, high}; }

// What rules may look at, routine by routine (selection_key below): a bit of `form`, and the extents.
struct selection_key {
    unsigned form;
    std::array<int64_t, 4> extents;
};

// The first rule that matches and whose kernel accepts the problem gives the kernel.
template <class Problem>
struct rule {
    unsigned forms; // mask of selection_key::form
    std::array<interval, 4> extents;
    const kernel_entry<Problem>* kernel;
};

template <class Problem>
using rule_list = std::span<const rule<Problem>>;

inline constexpr unsigned any_form = ~0u;

// sgemm: extents m, n, k, batch_count. Kernels of the cuda backend are chosen by predicted time (select/model.h).
inline selection_key make_key(const sgemm_problem& p) {
    return {1, {p.m, p.n, p.k, p.batch_count}};
}

// transpose: form in_place_form, whole_sectors_form (out of place, the columns of B start where sectors
// of 32 bytes do) or split_sectors_form, the latter two with a bit of their own for elements of 1 byte; extents m, n,
// min(m, n), m * n.
inline constexpr unsigned in_place_form = 1, whole_sectors_form = 2 | 8,
                          split_sectors_form = 4 | 16;
inline constexpr unsigned out_of_place_form = whole_sectors_form | split_sectors_form;
inline constexpr unsigned byte_form = 8 | 16;

inline selection_key make_key(const transpose_problem& p) {
    const uint64_t misfit =
        reinterpret_cast<uintptr_t>(p.b) | static_cast<uint64_t>(p.ldb) * p.element_bytes;
    const unsigned sectors = misfit % 32 == 0 ? whole_sectors_form : split_sectors_form;
    const unsigned element = p.element_bytes == 1 ? byte_form : ~byte_form;
    return {p.in_place() ? in_place_form : sectors & element,
            {p.m, p.n, p.m < p.n ? p.m : p.n, p.m * p.n}};
}

// geam: form 1 << (transa * 2 + transb); extents m, n, min(m, n), m * n.
inline selection_key make_key(const geam_problem& p) {
    return {1u << (p.transa * 2 + p.transb), {p.m, p.n, p.m < p.n ? p.m : p.n, p.m * p.n}};
}

// gemsum: form 1 << trans; extents m, n, unused, m * n.
inline selection_key make_key(const gemsum_problem& p) {
    return {1u << p.trans, {p.m, p.n, 0, p.m * p.n}};
}

// histogram: extent n.
inline selection_key make_key(const histogram_problem& p) { return {1, {p.n, 0, 0, 0}}; }

// Vectors: extents n, increments.
template <class T>
selection_key make_key(const sum_problem<T>& p) {
    return {p.absolute ? 2u : 1u, {p.n, p.incx, 0, 0}};
}

inline selection_key make_key(const axpy_problem& p) { return {1, {p.n, p.incx, p.incy, 0}}; }
inline selection_key make_key(const copy_problem& p) { return {1, {p.n, p.incx, p.incy, 0}}; }
inline selection_key make_key(const swap_problem& p) { return {1, {p.n, p.incx, p.incy, 0}}; }
inline selection_key make_key(const rot_problem& p) { return {1, {p.n, p.incx, p.incy, 0}}; }
inline selection_key make_key(const rotm_problem& p) { return {1, {p.n, p.incx, p.incy, 0}}; }
inline selection_key make_key(const scal_problem& p) { return {1, {p.n, p.incx, 0, 0}}; }
inline selection_key make_key(const rotg_problem&) { return {1, {}}; }
inline selection_key make_key(const rotmg_problem&) { return {1, {}}; }

// Level 2: extent n.
inline selection_key make_key(const symv_problem& p) { return {1, {p.n, 0, 0, 0}}; }
inline selection_key make_key(const syr_problem& p) { return {1, {p.n, 0, 0, 0}}; }
template <bool solve>
selection_key make_key(const triangular_problem<solve>& p) {
    return {1, {p.n, 0, 0, 0}};
}

inline selection_key make_key(const dot_problem& p) { return {1, {p.n, p.incx, p.incy, 0}}; }
inline selection_key make_key(const nrm2_problem& p) { return {1, {p.n, p.incx, 0, 0}}; }
inline selection_key make_key(const extremum_problem& p) {
    return {p.least ? 2u : 1u, {p.n, p.incx, 0, 0}};
}

// Level 3: extents of the result, k or the order of the square operand, and of trsm the batch.
template <bool twice>
selection_key make_key(const rank_k_problem<twice>& p) {
    return {1, {p.n, p.n, p.k, 0}};
}
inline selection_key make_key(const symm_problem& p) { return {1, {p.m, p.n, p.order(), 0}}; }
inline selection_key make_key(const trmm_problem& p) { return {1, {p.m, p.n, p.order(), 0}}; }
inline selection_key make_key(const trsm_problem& p) {
    return {1, {p.m, p.n, p.order(), p.batch_count}};
}

} // namespace myblas
