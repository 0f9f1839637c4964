// tiny: C = alpha op(A) op(B) + beta C for the smallest C and a short k, where a product takes
// about as long as a launch.
//
// New: a thread loads all that its element of C needs straight to registers, at the same time, and
// waits once. There is no shared memory and no barrier. Addresses are computed while the kernel
// before still runs, and the next kernel starts as soon as this one may read.
//
//   block tile   32 rows x threads / 32 columns; fewer rows or columns if C has fewer
//   thread tile  1 x 1
//
// Bound: latency, the sum of a launch, a read of A, B and C and a write of C.
// Launch: 128 threads for each tile of C, or 256 if tiles are many.
// Accepts: single products with k up to 8 and up to 32768 elements of C; 65536 if k is up to 4, and
// 131072 if k is 1.
#include "kernels/common/element_threads.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/sgemm/components/operands.cuh"
#include "kernels/sgemm/registry.h"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int few_threads = 128, many_threads = 256;
constexpr int most_k = 8;
// From this many elements of C, fewer and larger blocks are faster: blocks are launched one by one.
constexpr int64_t many_elements = 1 << 14;

template <int max_k>
__global__ void __launch_bounds__(many_threads)
    tiny_kernel(int64_t, int log_rows, const sgemm_problem p) {
    const auto [row, col] = element_place(log_rows);
    const bool inside = row < p.m && col < p.n;
    const int64_t a_k = p.transa ? 1 : p.lda, b_k = p.transb ? p.ldb : 1;
    const float* a = p.a + row * (p.transa ? p.lda : 1);
    const float* b = p.b + col * (p.transb ? 1 : p.ldb);
    float* const c = p.c + row + col * p.ldc;
    grid_dependency_sync_after(address_bits(a) | address_bits(b) | address_bits(c) | a_k | b_k |
                               inside);
    launch_dependents();
    if (!inside)
        return;
    const sgemm_operands o = resolve_scalars(p);
    const int k = static_cast<int>(o.k);
    const float old = o.beta == 0 ? 0 : *c;
    float of_a[max_k], of_b[max_k];
#pragma unroll
    for (int kk = 0; kk < max_k; ++kk) {
        of_a[kk] = kk < k ? *a : 0;
        of_b[kk] = kk < k ? *b : 0;
        a += a_k;
        b += b_k;
    }
    float sum = 0;
#pragma unroll
    for (int kk = 0; kk < max_k; ++kk)
        sum = kk < k ? fmaf(of_a[kk], of_b[kk], sum) : sum;
    const float scaled = scaled_sum(o.alpha, sum);
    *c = o.beta == 0 ? scaled : fmaf(o.beta, old, scaled);
}

bool fits(const sgemm_problem& p, const device_info&) {
    const int64_t most_elements = p.k == 1 ? 1 << 17 : p.k <= 4 ? 1 << 16 : 1 << 15; // of C
    return is_single(p) && p.k <= most_k && std::max(p.m, p.n) <= most_elements &&
           p.m * p.n <= most_elements;
}

myblasStatus_t launch_kernel(const sgemm_problem& p, const launch_context& context) {
    const int threads = p.m * p.n < many_elements ? few_threads : many_threads;
    const element_blocks blocks(p.m, p.n, threads);
    return launch_products(p.k == 1   ? tiny_kernel<1>
                           : p.k <= 4 ? tiny_kernel<4>
                                      : tiny_kernel<most_k>,
                           {.x = blocks.x, .y = blocks.y, .threads = threads, .early = true},
                           p,
                           context,
                           blocks.log_rows);
}

} // namespace

const sgemm_kernel sgemm_tiny = {
    .name = "tiny",
    .description = "smallest C, short k: an element a thread, straight from global memory",
    .min_arch = 80,
    .block_m = 32,
    .block_n = few_threads / 32,
    .block_k = most_k,
    .threads = few_threads,
    .keeps_k_order = true,
    .accepts = fits,
    .accepts_what = "single products with k up to 8, and a small C",
    .launch = launch_kernel,
};

} // namespace myblas::cuda
