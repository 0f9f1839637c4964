// Rung 11, vectorised: 128-bit accesses throughout, and transposition in registers.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: one instruction moves four floats, a quad. Global memory, shared memory and C are read and
// written by quads. Where k runs along memory, a quad is transposed on its way through registers:
// it is stored as four single floats. Rung 10's pass over the operands and its workspace are gone.
// Bound: waiting for global memory. No thread of a block multiplies while a slab is copied. Apart
// from that, 4 loads of 128 bits for 64 FMAs.
// Shared memory: one slab of each operand, [8][128 + 4]; 8.25 KiB.
// Launch: 256 threads for a 128 x 128 tile of C, with the quadrants of rung 9.
// Accepts: A and B aligned to 16 bytes (base, leading dimension, batch stride), any C, and every
// size whose tiles fit into a grid.
//
//   quad in memory               in shared memory
//   4 lines at one k             smem[kk][line .. line + 3], one store
//   4 k of one line              smem[kk .. kk + 3][line], four stores
#include "kernels/sgemm/ladder/vector_slab.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using namespace vector_slab;

constexpr int quadrant = block / 2; // distance between a thread's quadrants

struct storage {
    float a[block_k][pitch]; // [kk][i]
    float b[block_k][pitch]; // [kk][j]
};

// docs/ladder.md
template <bool transa, bool transb>
__global__ void __launch_bounds__(threads, 2) kernel(int64_t first_batch, const sgemm_problem p) {
    __shared__ __align__(16) storage smem;
    const sgemm_operands o = resolve_operands(p, first_batch + blockIdx.z);
    const auto [tile_row, tile_col] = column_order<block, block>(blockIdx.x, p.m);
    const int i = threadIdx.x % 16 * 4, j = threadIdx.x / 16 * 4;

    quad<transa, true> slab_a(o.a, p.lda, tile_row, p.m);
    quad<!transb, true> slab_b(o.b, p.ldb, tile_col, p.n);
    using fragment = fragment<quadrant, quadrant>;
    fragment::accumulators acc = {};
    for (int64_t first_k = 0; first_k < o.k; first_k += block_k) {
        slab_a.load(o.k - first_k);
        slab_b.load(o.k - first_k);
        slab_a.store(smem.a);
        slab_b.store(smem.b);
        __syncthreads(); // the slab is complete before it is read
#pragma unroll
        for (int kk = 0; kk < block_k; ++kk) {
            fragment frag;
            frag.load(&smem.a[kk][i], &smem.b[kk][j]);
            frag.add_product(acc);
        }
        __syncthreads(); // all threads have read the slab before it is overwritten
    }
    fragment::store(p, o, tile_row, tile_col, i, j, acc);
}

bool accepts(const sgemm_problem& p, const device_info& device) {
    return inputs_aligned16(p) && fits_grid<block, block>(p, device);
}

} // namespace

constinit const sgemm_kernel sgemm_vectorised = [] {
    sgemm_kernel entry = describe_tiles<block, block, threads>(
        "vectorised",
        "2 x 2 quadrants of 4 x 4 a thread, 128-bit loads and stores; A and B aligned",
        [](auto transa, auto transb) { return kernel<transa, transb>; },
        block_k,
        sizeof(storage));
    entry.alignment_bytes = 16;
    entry.accepts = accepts;
    return entry;
}();

} // namespace myblas::cuda
