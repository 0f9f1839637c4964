// A kernel's descriptor: constant data beside the kernel's code.
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

// Everything that a launcher gets besides the problem. Kernels never see the handle.
struct launch_context {
    const device_info* device = nullptr;
    myblasStream_t stream = nullptr;
    void* workspace = nullptr; // device memory, 256-byte aligned, contents undefined
    size_t workspace_bytes = 0;
    unsigned* counters =
        nullptr; // counter_count zeroes; kernels leave them zero (kernel_entry::uses_counters)
};

inline constexpr int counter_count =
    4096; // for every stream of a handle, and for every stream in a capture

// The work of a kernel for a product, as input of the time model (select/model.h). Counts, cycles
// and bytes follow from the kernel's code and the problem alone. "The busiest multiprocessor" is
// the one with most blocks.
struct work_estimate {
    float launches = 1;    // kernels that are enqueued
    float rounds = 1;      // blocks in sequence in one slot (bf16x6, fp16x3: passes)
    float steps = 0;       // slabs that a block waits for in sequence, over all rounds
    float math_cycles = 0; // of arithmetic on the busiest multiprocessor, if never idle
    float copies = 0;   // instructions of a warp that copy operands, on the busiest multiprocessor
    float l2_bytes = 0; // read by the busiest multiprocessor
    float memory_bytes = 0;     // of all operands and of packed or copied data
    float exchanges = 0;        // sums of other blocks that a block adds
    float wave_efficiency = 1;  // blocks of an average multiprocessor / blocks of the busiest
    float tile_utilisation = 1; // fraction of the tiles' elements that is inside C
};

// The input of kernel_entry::work, with values that many kernels would compute from the problem.
struct work_query {
    const sgemm_problem& problem;
    const device_info& device;
    size_t workspace_bytes;
    float m, n, k, batch; // the extents, at least 1
    float c_elements;     // computed elements of C
    float operand_bytes;  // of A, B and C, each matrix of a batch counted once
    float copies_a,
        copies_b; // copy instructions of a warp for each float; 16-byte copies if aligned

    work_query(const sgemm_problem& p, const device_info& d, size_t bytes)
        : problem(p), device(d), workspace_bytes(bytes), m(at_least_1(p.m)), n(at_least_1(p.n)),
          k(at_least_1(p.k)), batch(at_least_1(p.batch_count)),
          c_elements(at_least_1(static_cast<float>(computed_elements(p)))),
          operand_bytes(4 * ((shares_a(p) ? 1 : batch) * m * k + (shares_b(p) ? 1 : batch) * k * n +
                             batch * c_elements)),
          copies_a(copies_of(p.a, p.lda, p.a_array)), copies_b(copies_of(p.b, p.ldb, p.b_array)) {}

private:
    static float at_least_1(int64_t x) { return static_cast<float>(x > 0 ? x : 1); }
    static float at_least_1(float x) { return x > 1 ? x : 1; }
    // Strides are ignored: they alone rarely make a batch unaligned.
    static float copies_of(const float* x, int64_t ld, const void* array) {
        return batch_aligned16(x, ld, 0, array, 1) ? 1.0f / 128 : 1.0f / 32;
    }
};

// The functions of a descriptor are pure, except `prepare` and `launch`. A handle caches selections
// (core/selection_cache.h), so pure functions may read only what the cache compares. Scalars must
// not be read, except that beta may be tested for 0 and 1. Pointers may only be tested for null,
// for their address modulo pointer_period, and for A == B.
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
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH; // the strictest mode that the kernel serves
    bool has_epilogue = false;                   // accepts products with a product_epilogue
    bool takes_backwards = false; // accepts vectors that run backwards (runs_backwards)
    bool uses_counters = false;   // of launch_context; plans always have counters
    // Computes every element by the expressions of reproducible mode (myblas.h): one sum over k, in
    // order, then alpha, bias, beta and activation.
    bool keeps_k_order = false;

    // Whether the kernel computes this problem correctly on this device, given the workspace below.
    // Null: every problem.
    bool (*accepts)(const Problem&, const device_info&) = nullptr;
    // The same in words, for people: "single products of up to 16 rows or columns".
    const char* accepts_what = nullptr;
    // The least workspace that the kernel needs, in bytes. Null: none.
    size_t (*workspace_bytes)(const Problem&, const device_info&) = nullptr;
    // The largest useful workspace, in bytes. Null: as workspace_bytes.
    size_t (*best_workspace_bytes)(const Problem&, const device_info&) = nullptr;
    // The kernel's work for a product, even one that the kernel does not accept. Null: the time
    // cannot be predicted, and rules alone select the kernel.
    work_estimate (*work)(const work_query&) = nullptr;
    // Called before the first launch in a context, to opt in to large shared memory, also for the
    // kernels of others that `launch` launches. Null: nothing to prepare.
    myblasStatus_t (*prepare)(const device_info&) = nullptr;
    // Enqueues the work on the context's stream. Null: the kernel is the plan of its routine
    // (level3/plan.h). The plan's products and other steps are selected and launched one by one.
    myblasStatus_t (*launch)(const Problem&, const launch_context&) = nullptr;
};

// The largest workspace that is useful to the kernel, in bytes.
template <class Problem>
size_t useful_workspace(const kernel_entry<Problem>& kernel,
                        const Problem& problem,
                        const device_info& device) {
    const auto bytes =
        kernel.best_workspace_bytes ? kernel.best_workspace_bytes : kernel.workspace_bytes;
    return bytes ? bytes(problem, device) : 0;
}

// The kernel that a call takes, null if there is none, and how much of the available workspace the
// kernel can use.
template <class Problem>
struct selection {
    const kernel_entry<Problem>* kernel = nullptr;
    size_t workspace_bytes = 0;
    size_t plan_bytes =
        0; // of a plan: the plan's own share of the workspace; its products share the rest
};

// A registry: one backend's kernels of one routine in ladder order, plainest first.
template <class Problem>
using kernel_list = std::span<const kernel_entry<Problem>* const>;

// The kernels of a registry, by name.
template <const auto& plainest, const auto&... others>
inline constexpr std::array ladder{&plainest, &others...};

} // namespace myblas
