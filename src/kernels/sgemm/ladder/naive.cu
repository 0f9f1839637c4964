// Rung 1, naive: C = alpha op(A) op(B) + beta C, one thread per element of C.
//
// Neighbouring threads take neighbouring columns of C, so each access of a warp to C, and to A or B
// stored by columns, touches a cache line per thread: the mapping that everyone writes first.
// Bound: 2 loads for each FMA, through the L1 cache; 8 bytes/FMA.
// Launch: 256 threads for a 16 x 16 tile of C, no shared memory. Accepts all that the grid has blocks for.
#include "kernels/sgemm/parts/operands.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

constexpr int block_m = 16, block_n = 16;
constexpr int threads = block_m * block_n;

template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) kernel(const sgemm_problem p, int64_t first_batch) {
    const sgemm_operands o = resolve_operands(p, first_batch + blockIdx.z);
    const int64_t tiles_m = ceil_div<int64_t>(p.m, block_m);
    const int64_t row = blockIdx.x % tiles_m * block_m + threadIdx.x / block_n;
    const int64_t col = blockIdx.x / tiles_m * block_n + threadIdx.x % block_n;
    if (row >= p.m || col >= p.n)
        return;

    float acc = 0;
    for (int64_t kk = 0; kk < o.k; ++kk)
        acc =
            fmaf(o.a[op_index<transa>(row, kk, p.lda)], o.b[op_index<transb>(kk, col, p.ldb)], acc);
    store_c(&o.c[row + col * p.ldc], o.alpha, acc, o.beta);
}

} // namespace

constinit const sgemm_kernel sgemm_naive = describe_tiles<block_m, block_n, threads>(
    "naive",
    "one thread per element of C, neighbouring threads on neighbouring columns",
    [](auto transa, auto transb) { return kernel<transa, transb>; });

} // namespace myblas::cuda
