// Rung 4, shared_rows: whole rows of A and columns of B in shared memory.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: a block first loads all that it needs of A and B into shared memory. A 16 x 16 tile of C
// needs 16 rows of op(A) and 16 columns of op(B). Each is loaded once, coalesced for every
// transposition, and each element then serves 16 threads.
// Bound: the capacity of shared memory, which limits k to 1709. A block needs (16 + 1) * 2 * k * 4
// bytes of 227 KiB. Each FMA has 2 loads from shared memory.
// Shared memory: smem_a[k][16 + 1] and smem_b[k][16 + 1]; the padding of 1 spreads transposed
// stores over the banks.
// Launch: 256 threads for a 16 x 16 tile of C.
// Accepts: products whose k fits into the device's shared memory and whose tiles fit into a grid.
//
//                     op(B)
//                     +----+
//                     |####|
//                     |####|  smem_b: k x 16 columns
//                     |####|
//   op(A)             |####|
//   +--------------+  +----+
//   |##############|  |    |  16 x 16 of C, one element a thread
//   +--------------+  +----+
//   smem_a: 16 rows x k
#include "kernels/sgemm/components/operands.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

constexpr int block = 16; // block_m and block_n
constexpr int threads = block * block;
constexpr int pitch = block + 1;

constexpr size_t smem_bytes(int64_t k) { return size_t{2} * pitch * sizeof(float) * k; }

// smem[kk][line] = `block` lines of an operand, zero beyond `lines`. A line is a row of op(A) or a
// column of op(B). `k_contiguous`: k runs along memory and lines are `ld` apart; otherwise the
// reverse.
template <bool k_contiguous>
__device__ void
load_lines(float* smem, const float* gmem, int64_t ld, int64_t first, int64_t lines, int k) {
    for (int i = threadIdx.x; i < block * k; i += threads) {
        const int line = k_contiguous ? i / k : i % block;
        const int kk = k_contiguous ? i % k : i / block;
        float value = 0;
        if (first + line < lines)
            value = gmem[k_contiguous ? kk + (first + line) * ld : first + line + kk * ld];
        smem[kk * pitch + line] = value;
    }
}

// docs/ladder.md
template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) kernel(int64_t first_batch, const sgemm_problem p) {
    extern __shared__ float smem[];
    const sgemm_operands o = resolve_operands(p, first_batch + blockIdx.z);
    const int k = static_cast<int>(o.k);
    float* smem_a = smem;             // [k][pitch]
    float* smem_b = smem + k * pitch; // [k][pitch]

    const int64_t tiles_m = ceil_div<int64_t>(p.m, block);
    const int64_t tile_row = blockIdx.x % tiles_m * block;
    const int64_t tile_col = blockIdx.x / tiles_m * block;
    load_lines<transa>(smem_a, o.a, p.lda, tile_row, p.m, k);
    load_lines<!transb>(smem_b, o.b, p.ldb, tile_col, p.n, k);
    __syncthreads(); // both operands are complete before any thread reads them

    const int i = threadIdx.x % block, j = threadIdx.x / block;
    float acc = 0;
    for (int kk = 0; kk < k; ++kk)
        acc = fmaf(smem_a[kk * pitch + i], smem_b[kk * pitch + j], acc);
    if (tile_row + i < p.m && tile_col + j < p.n)
        store_c(&o.c[tile_row + i + (tile_col + j) * p.ldc], o.alpha, acc, o.beta);
}

bool fits(const sgemm_problem& p, const device_info& device) {
    return p.k <= static_cast<int64_t>(device.smem_per_block / smem_bytes(1)) &&
           fits_grid<block, block>(p, device);
}

myblasStatus_t prepare(const device_info& device) {
    for (auto form :
         {kernel<false, false>, kernel<false, true>, kernel<true, false>, kernel<true, true>})
        if (const myblasStatus_t failure = allow_smem(form, device.smem_per_block))
            return failure;
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t launch_kernel(const sgemm_problem& p, const launch_context& context) {
    return with_transposition(p, [&](auto transa, auto transb) {
        const product_grid grid{
            .x = tile_count(p, block, block), .threads = threads, .smem_bytes = smem_bytes(p.k)};
        return launch_products(kernel<transa, transb>, grid, p, context);
    });
}

} // namespace

const kernel_entry<sgemm_problem> sgemm_shared_rows = {
    .name = "shared_rows",
    .description = "whole rows of A and columns of B in shared memory; k must fit there",
    .block_m = block,
    .block_n = block,
    .threads = threads,
    .stages = 1,
    .smem_bytes = 227 * 1024,
    .keeps_k_order = true,
    .accepts = fits,
    .prepare = prepare,
    .launch = launch_kernel,
};

} // namespace myblas::cuda
