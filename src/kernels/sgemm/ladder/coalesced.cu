// Rung 2, coalesced: as naive, with neighbouring threads on neighbouring rows.
//
// Rows are contiguous in memory, so a warp's 32 elements of a column of C, or of A, are one cache line
// where they were 32, and B's element is one broadcast.
// Bound: still 2 loads for each FMA, but each load instruction now costs one or two cache lines.
// Launch: 256 threads for a 32 x 8 tile of C, a warp per column. Accepts all that the grid has blocks for.
#include "kernels/sgemm/parts/operands.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

constexpr int block_m = 32, block_n = 8;
constexpr int threads = block_m * block_n;

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) kernel(const sgemm_problem p, int64_t first_batch) {
    const sgemm_operands o = resolve_operands(p, first_batch + blockIdx.z);
    const int64_t tiles_m = ceil_div<int64_t>(p.m, block_m);
    const int64_t row = blockIdx.x % tiles_m * block_m + threadIdx.x % block_m;
    const int64_t col = blockIdx.x / tiles_m * block_n + threadIdx.x / block_m;
    if (row >= p.m || col >= p.n)
        return;

    float acc = 0;
    for (int64_t kk = 0; kk < o.k; ++kk)
        acc =
            fmaf(o.a[op_index<transa>(row, kk, p.lda)], o.b[op_index<transb>(kk, col, p.ldb)], acc);
    store_c(&o.c[row + col * p.ldc], o.alpha, acc, o.beta);
}

} // namespace

constinit const sgemm_kernel sgemm_coalesced = describe_tiles<block_m, block_n, threads>(
    "coalesced",
    "one thread per element of C, neighbouring threads on neighbouring rows",
    [](auto transa, auto transb) { return kernel<transa, transb>; });

} // namespace myblas::cuda
