// What a kernel declares of itself, and what a rule of the selection looks like. Both are constant
// data: a kernel's descriptor stands beside its code, rules stand in src/select/tuning_*.cpp.
#pragma once

#include "core/device.h"
#include "core/problem.h"
#include "myblas/myblas.h"

#include <array>
#include <bit>
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
    unsigned* counters = nullptr; // counter_count zeroes of the stream, which a kernel leaves zero
};

inline constexpr int counter_count = 4096; // of every stream of a handle

// What a kernel would do for a problem, as far as its time depends on it (see `cost` below). Waves are
// rounds of blocks over the multiprocessors, fractional where blocks stay for all rounds; steps are slabs
// of k that the busiest multiprocessor works through one after the other; bytes go to and from global
// memory.
struct work_estimate {
    double waves = 0, steps = 0, bytes = 0;
};

// The functions of a descriptor are pure, but for `prepare` and `launch`. Of scalars the pure ones may
// read nothing; of a pointer, whether it is null and its place in a block of pointer_period bytes: a
// handle remembers what was selected, and compares no more than that (core/selection_cache.h).
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
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH; // the strictest mode that it serves

    // Whether the kernel computes this problem rightly on this device, given the workspace below.
    // Null: every problem.
    bool (*accepts)(const Problem&, const device_info&) = nullptr;
    // Bytes of workspace without which it does not accept the problem. Null: none.
    size_t (*workspace_bytes)(const Problem&, const device_info&) = nullptr;
    // Bytes beyond which more is of no use. Null: as workspace_bytes.
    size_t (*best_workspace_bytes)(const Problem&, const device_info&) = nullptr;
    // What it would do, also for problems that it does not accept. Null: its time cannot be predicted,
    // and it is taken by rules alone.
    work_estimate (*work)(const Problem&, const device_info&) = nullptr;
    // Called for each new handle, before the first launch, to opt in to large shared memory.
    // Null: nothing to prepare.
    myblasStatus_t (*prepare)(const device_info&) = nullptr;
    // Enqueues the work on the context's stream.
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
    const kernel_entry<Problem>* kernel; // or by_cost
};

// In place of a rule's kernel: the one of the least predicted time among those that accept the problem.
inline constexpr std::nullptr_t by_cost = nullptr;

template <class Problem>
using rule_list = std::span<const rule<Problem>>;

inline constexpr unsigned any_form = ~0u;

// sgemm: form 1 << (math * 4 + transa * 2 + transb), 12 bits higher where inputs are off the grid of 16 bytes or,
// given as pointer arrays, may be; extents m, n, k, batch_count * m * n.
inline constexpr int off_grid_shift = 12;
inline constexpr unsigned on_grid_form = (1u << off_grid_shift) - 1, off_grid_form = ~on_grid_form;

// The forms of all modes, on the grid or off it, whose bit transa * 2 + transb is set.
constexpr unsigned transposition_forms(unsigned pairs) {
    return pairs * 0x111u * (1u | 1u << off_grid_shift);
}
// All forms of a mode.
constexpr unsigned mode_form(myblasMath_t math) {
    return 0xfu << math * 4 | 0xfu << (math * 4 + off_grid_shift);
}

inline selection_key make_key(const sgemm_problem& p) {
    const int misfit = inputs_aligned16(p) ? 0 : off_grid_shift;
    return {1u << (misfit + p.math * 4 + p.transa * 2 + p.transb),
            {p.m, p.n, p.k, p.batch_count * p.m * p.n}};
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

// ---- Costs ---------------------------------------------------------------------------------------

// What a kernel's work was measured to cost, in microseconds each.
struct cost {
    double fixed = 0, per_wave = 0, per_step = 0, per_byte = 0;

    constexpr bool is_measured() const { return fixed + per_wave + per_step + per_byte > 0; }
    constexpr double predict_us(const work_estimate& work) const {
        return fixed + per_wave * work.waves + per_step * work.steps + per_byte * work.bytes;
    }
};

inline constexpr size_t form_count = 4; // of products: NN, NT, TN, TT

// Which of the forms of products a problem has, whatever its mode.
template <class Problem>
size_t form_of(const Problem& problem) {
    return static_cast<size_t>(std::countr_zero(make_key(problem).form)) % form_count;
}

// Indexed by form_of. Forms that were not measured are all zero.
template <class Problem>
struct kernel_cost {
    const kernel_entry<Problem>* kernel;
    std::array<cost, form_count> of_form;
};

template <class Problem>
using cost_list = std::span<const kernel_cost<Problem>>;

// ---- Tables --------------------------------------------------------------------------------------

// All that the selection goes by.
template <class Problem>
struct selection_table {
    rule_list<Problem> rules;
    cost_list<Problem> costs; // empty for routines without by_cost
};

} // namespace myblas
