// Rung 1, naive: one thread for each element of C, neighbouring threads along a row.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: a thread computes one element of C, the product of a row of op(A) and a column of op(B).
// Neighbouring threads compute neighbouring columns. This is the mapping that everyone writes
// first.
// Bound: cache lines, 17 for each FMA of a warp. Matrices are stored by columns, so the 16 columns
// of a warp lie in 16 cache lines of B, and of C. The two rows share one cache line of A. (Nothing
// is transposed here.)
// Shared memory: none.
// Launch: 256 threads for a 16 x 16 tile of C.
// Accepts: every product whose tiles fit into a grid.
//
//   C       column 0    1    2   ..  15    one warp: 2 rows x 16 columns
//   row 0          t0   t1   t2  ..  t15
//       1          t16  t17  t18 ..  t31   memory runs downwards: 16 cache lines
#include "kernels/sgemm/components/operands.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

constexpr int block = 16; // block_m and block_n
constexpr int threads = block * block;

// docs/ladder.md
template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) kernel(int64_t first_batch, const sgemm_problem p) {
    const sgemm_operands o = resolve_operands(p, first_batch + blockIdx.z);
    const int64_t tiles_m = ceil_div<int64_t>(p.m, block);
    const int64_t row = blockIdx.x % tiles_m * block + threadIdx.x / block;
    const int64_t col = blockIdx.x / tiles_m * block + threadIdx.x % block;
    if (row >= p.m || col >= p.n)
        return;
    float acc = 0;
    for (int64_t kk = 0; kk < o.k; ++kk)
        acc =
            fmaf(o.a[op_index<transa>(row, kk, p.lda)], o.b[op_index<transb>(kk, col, p.ldb)], acc);
    store_c(&o.c[row + col * p.ldc], o.alpha, acc, o.beta);
}

} // namespace

constinit const sgemm_kernel sgemm_naive = describe_tiles<block, block, threads>(
    "naive",
    "one thread per element of C, neighbouring threads on neighbouring columns",
    [](auto transa, auto transb) { return kernel<transa, transb>; });

} // namespace myblas::cuda
