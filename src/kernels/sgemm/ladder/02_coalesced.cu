// Rung 2, coalesced: neighbouring threads along a column, which is contiguous in memory.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: neighbouring threads compute neighbouring rows. A warp computes 32 rows of one column. Its
// elements of C, and of A, lie in one cache line (two if unaligned). All of its threads read the
// same element of B, one broadcast.
// Bound: loads, 2 for each FMA. The cache lines are down to 2 or 3 for each FMA of a warp.
// Shared memory: none.
// Launch: 256 threads for a 32 x 8 tile of C, one warp for each column.
// Accepts: every product whose tiles fit into a grid.
//
//   C       column 0    1    ..  7
//   row  0         t0   t32  ..  t224
//        1         t1   t33  ..  t225   memory runs downwards, and so does a warp:
//       ..         ..   ..       ..     one cache line
//       31         t31  t63  ..  t255
//           warp   0    1    ..  7
#include "kernels/sgemm/components/operands.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

constexpr int block_m = 32, block_n = 8;
constexpr int threads = block_m * block_n;

// docs/ladder.md
template <bool transa, bool transb>
__global__ void __launch_bounds__(threads) kernel(int64_t first_batch, const sgemm_problem p) {
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
