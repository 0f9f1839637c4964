// What a kernel declares of itself: constant data, which stands beside its code.
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

} // namespace myblas
