// Rung 10, register_tile_packed: operands transposed beforehand, where k runs along memory.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: an operand whose k runs along memory (A of OP_T, B of OP_N) is first transposed into the
// workspace. Then lines of both operands run along memory, and slabs are copied without a
// transposition: a warp reads 32 neighbouring floats and writes them to 32 neighbouring words.
// Bound: loads from shared memory, 4 of 128 bits for 64 FMAs; and one pass over each transposed
// operand.
// Shared memory: one slab of each operand, [8][128 + 4]; 8.25 KiB.
// Launch: up to two transpositions, then 256 threads for a 128 x 128 tile of C, as in rung 9.
// Accepts: every product whose tiles fit into a grid. The workspace has m k floats for each product
// if A is transposed (OP_T), and k n floats if B is not (OP_N).
//
//   B of OP_N, in memory: a b c d e f ..      packed B, in memory: a d g .. b e h ..
//   k runs along memory (downwards)           columns run along memory (downwards)
//
//       column  0  1  2  ..                            k  0  1  2  ..
//     k  0      a  d  g                        column  0  a  b  c
//        1      b  e  h               -->              1  d  e  f
//        2      c  f  i                                2  g  h  i
#include "kernels/sgemm/ladder/register_tile.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using namespace register_tile;

constexpr thread_lines lines{.count = 8, .contiguous = 4, .distance = 64};
constexpr int threads = lines.threads() * lines.threads();
constexpr int pack_tile = 32, pack_threads = 256;

// Transposes one operand of each product of the batch:
//   target[line + kk * lines] = source[kk + line * ld]
struct pack_job {
    const float* source;
    const float* const* source_array;
    int64_t ld, stride;
    int64_t lines, k;
    float* target; // [batch_count][k][lines]
};

// docs/ladder.md
__global__ void __launch_bounds__(pack_threads)
    pack_kernel(int64_t first_batch, const pack_job job, const sgemm_problem p) {
    __shared__ float tile[pack_tile][pack_tile + 1];
    if (resolve(p.alpha) == 0)
        return; // the operands must not be read
    const int64_t batch = first_batch + blockIdx.z;
    const float* source =
        job.source_array ? job.source_array[batch] : job.source + batch * job.stride;
    float* target = job.target + batch * job.lines * job.k;
    const int64_t tiles_k = ceil_div<int64_t>(job.k, pack_tile);
    const int64_t first_k = blockIdx.x % tiles_k * pack_tile;
    const int64_t first_line = blockIdx.x / tiles_k * pack_tile;
    const int fast = threadIdx.x % pack_tile;
    for (int slow = threadIdx.x / pack_tile; slow < pack_tile; slow += pack_threads / pack_tile)
        if (first_k + fast < job.k && first_line + slow < job.lines)
            tile[slow][fast] = source[first_k + fast + (first_line + slow) * job.ld];
    __syncthreads(); // the tile is complete before it is read transposed
    for (int slow = threadIdx.x / pack_tile; slow < pack_tile; slow += pack_threads / pack_tile)
        if (first_line + fast < job.lines && first_k + slow < job.k)
            target[first_line + fast + (first_k + slow) * job.lines] = tile[fast][slow];
}

// docs/ladder.md
__global__ void __launch_bounds__(threads, 2) kernel(int64_t first_batch, const sgemm_problem p) {
    __shared__ __align__(16) storage smem;
    compute<lines, false, true>(p, first_batch + blockIdx.z, smem);
}

size_t packed_a_floats(const sgemm_problem& p) {
    return p.transa ? static_cast<size_t>(p.m) * p.k * p.batch_count : 0;
}

size_t packed_b_floats(const sgemm_problem& p) {
    return p.transb ? 0 : static_cast<size_t>(p.k) * p.n * p.batch_count;
}

size_t workspace_bytes(const sgemm_problem& p, const device_info&) {
    return (packed_a_floats(p) + packed_b_floats(p)) * sizeof(float);
}

myblasStatus_t pack(const sgemm_problem& p, const pack_job& job, const launch_context& context) {
    const int64_t blocks =
        ceil_div<int64_t>(job.lines, pack_tile) * ceil_div<int64_t>(job.k, pack_tile);
    if (blocks == 0)
        return MYBLAS_STATUS_SUCCESS;
    return launch_products(pack_kernel, {.x = blocks, .threads = pack_threads}, p, context, job);
}

myblasStatus_t launch_kernel(const sgemm_problem& p, const launch_context& context) {
    sgemm_problem packed = p;
    float* workspace = static_cast<float*>(context.workspace);
    if (p.transa) {
        const pack_job job{p.a, p.a_array, p.lda, p.stride_a, p.m, p.k, workspace};
        if (const myblasStatus_t failure = pack(p, job, context))
            return failure;
        packed.transa = false;
        packed.a = workspace, packed.a_array = nullptr;
        packed.lda = p.m, packed.stride_a = p.m * p.k;
    }
    if (!p.transb) {
        workspace += packed_a_floats(p);
        const pack_job job{p.b, p.b_array, p.ldb, p.stride_b, p.n, p.k, workspace};
        if (const myblasStatus_t failure = pack(p, job, context))
            return failure;
        packed.transb = true;
        packed.b = workspace, packed.b_array = nullptr;
        packed.ldb = p.n, packed.stride_b = p.k * p.n;
    }
    const product_grid grid{.x = tile_count(p, block_m, block_n), .threads = threads};
    return launch_products(kernel, grid, packed, context);
}

} // namespace

const kernel_entry<sgemm_problem> sgemm_register_tile_packed = {
    .name = "register_tile_packed",
    .description = "four 4 x 4 quadrants a thread, operands transposed beforehand in the workspace",
    .block_m = block_m,
    .block_n = block_n,
    .block_k = block_k,
    .threads = threads,
    .stages = 1,
    .smem_bytes = sizeof(storage),
    .keeps_k_order = true,
    .accepts = fits_grid<block_m, block_n>,
    .workspace_bytes = workspace_bytes,
    .launch = launch_kernel,
};

} // namespace myblas::cuda
