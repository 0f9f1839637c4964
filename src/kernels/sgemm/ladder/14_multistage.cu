// Rung 14, multistage: copies by cp.async in a ring of three stages.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: cp.async copies from global to shared memory past the registers, while the thread goes on.
// With three stages, two slabs are on their way while a third one is multiplied. A copy has the
// time of two slabs to arrive. If lines run along memory and are aligned, a copy has 16 bytes.
// Otherwise it has 4 bytes; where k runs along memory, this transposes the slab on the way.
// Bound: instruction issue, 64 FMAs of 68 instructions for each k.
// Shared memory: 3 stages of a slab of each operand, [8][128 + 4]; 24.75 KiB.
// Launch: 256 threads for a 128 x 128 tile of C, with the warp tiles of rung 12.
// Accepts: every product whose tiles fit into a grid.
//
//   multiplied   slab 0       slab 1       slab 2       slab 3       slab 4
//   stage 0      =slab 0=     [ copy of slab 3    ]     =slab 3=     [ copy of slab 6
//   stage 1      slab 1 ]     =slab 1=     [ copy of slab 4    ]     =slab 4=
//   stage 2      [ copy of slab 2    ]     =slab 2=     [ copy of slab 5    ]
#include "kernels/common/cp_async.cuh"
#include "kernels/sgemm/ladder/vector_slab.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using namespace vector_slab;

constexpr int stages = 3;

struct storage {
    float a[stages][block_k][pitch]; // [stage][kk][i]
    float b[stages][block_k][pitch]; // [stage][kk][j]
};

// Copies slabs of one operand to shared memory, four floats a thread. If lines run along memory,
// the floats are a quad of lines at one k. If k does, they are one k of four lines that are 32
// apart; a warp then copies 8 k x 4 lines, whole 32-byte sectors, to 32 different banks.
template <bool k_contiguous>
struct slab_copier {
    // Between a thread's floats, in lines.
    static constexpr int step = k_contiguous ? threads / block_k : 1;

    int line, kk;      // of the thread's first float, inside the slab
    const float* gmem; // this float of the next slab
    int64_t ld;
    int lines_left; // from `line` to the operand's end, may be <= 0
    bool quads;     // quads of lines are aligned

    __device__ slab_copier(const float* base, int64_t ld_, int64_t first_line, int64_t lines)
        : line(k_contiguous ? threadIdx.x / block_k : threadIdx.x % 32 * 4),
          kk(k_contiguous ? threadIdx.x % block_k : threadIdx.x / 32),
          gmem(base +
               (k_contiguous ? kk + (first_line + line) * ld_ : first_line + line + kk * ld_)),
          ld(ld_), lines_left(static_cast<int>(min(lines - first_line, int64_t{block})) - line),
          quads(!k_contiguous && aligned16(base, ld_)) {}

    // Starts the copies of a slab, with zeroes outside of the operand, and moves on to the next
    // slab. k_left counts from the slab's first k.
    // docs/ladder.md
    __device__ __forceinline__ void start(float (*smem)[pitch], int64_t k_left) {
        const bool inside = kk < k_left;
        if (quads && lines_left >= 4) {
            cp_async<16>(&smem[kk][line], gmem, inside);
        } else {
#pragma unroll
            for (int e = 0; e < 4; ++e)
                cp_async<4>(&smem[kk][line + e * step],
                            gmem + (k_contiguous ? e * step * ld : e),
                            inside && e * step < lines_left);
        }
        gmem += k_contiguous ? block_k : block_k * ld;
    }
};

// docs/ladder.md
template <bool transa, bool transb>
__global__ void __launch_bounds__(threads, 2) kernel(int64_t first_batch, const sgemm_problem p) {
    __shared__ __align__(16) storage smem;
    const sgemm_operands o = resolve_operands(p, first_batch + blockIdx.z);
    const auto [tile_row, tile_col] = column_order<block, block>(blockIdx.x, p.m);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int i = warp % (block / warp_m) * warp_m + lane % 4 * 4;
    const int j = warp / (block / warp_m) * warp_n + lane / 4 * 4;

    slab_copier<transa> slab_a(o.a, p.lda, tile_row, p.m);
    slab_copier<!transb> slab_b(o.b, p.ldb, tile_col, p.n);
    using fragment = fragment<quadrant_m, quadrant_n>;
    fragment frag[2];
    fragment::accumulators acc = {};

    int64_t k_to_copy = o.k; // k whose copies have not been started
    const auto start_slab = [&](int stage) {
        if (k_to_copy > 0) {
            slab_a.start(smem.a[stage], k_to_copy);
            slab_b.start(smem.b[stage], k_to_copy);
            k_to_copy -= block_k;
        }
        cp_async_commit(); // an empty group counts, too
    };
    for (int stage = 0; stage < stages - 1; ++stage)
        start_slab(stage);
    cp_async_wait<stages - 2>();
    __syncthreads(); // all threads' copies of the first slab have arrived
    frag[0].load(&smem.a[0][0][i], &smem.b[0][0][j]);

    int stage = 0, free_stage = stages - 1;
    for (int64_t k_left = o.k; k_left > 0; k_left -= block_k) {
        start_slab(free_stage);
        free_stage = stage; // when this slab has been multiplied
#pragma unroll
        for (int kk = 0; kk < block_k; ++kk) {
            if (kk == block_k - 1) {
                cp_async_wait<stages - 2>();
                // All threads' copies of the next slab have arrived, and all threads have read the
                // rest of this one, whose stage the next round fills.
                __syncthreads();
                stage = stage + 1 == stages ? 0 : stage + 1;
            }
            // After the last slab this reads old values, which are not used.
            const int next = (kk + 1) % block_k;
            frag[next % 2].load(&smem.a[stage][next][i], &smem.b[stage][next][j]);
            frag[kk % 2].add_product(acc);
        }
    }
    fragment::store(p, o, tile_row, tile_col, i, j, acc);
}

} // namespace

constinit const sgemm_kernel sgemm_multistage = [] {
    sgemm_kernel entry = describe_tiles<block, block, threads>(
        "multistage",
        "8 x 8 elements a thread, slabs copied by cp.async in three stages",
        [](auto transa, auto transb) { return kernel<transa, transb>; },
        block_k,
        sizeof(storage));
    entry.min_arch = 80;
    entry.stages = stages;
    return entry;
}();

} // namespace myblas::cuda
