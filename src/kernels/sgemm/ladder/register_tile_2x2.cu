// Rung 9, register_tile_2x2: C = alpha op(A) op(B) + beta C, with four 4 x 4 quadrants of C in the
// registers of each thread.
//
// New: 64 elements a thread need 16 shared loads for 64 FMAs, half as many for each FMA as rung 8.
// The quadrants are 64 rows and columns apart, so that the 16 threads along a side read 16
// neighbouring quads. An operand whose k runs along memory (A with OP_T, B with OP_N) is first
// transposed into the workspace. Slabs then go to shared memory without a transposition.
//
// Bound: shared memory, 0.25 loads for each FMA, and one extra pass over each transposed operand.
// Shared memory: one slab of each operand, [8][128 + 4]; 8.25 KiB.
// Launch: up to two transpositions, then 256 threads for a 128 x 128 tile of C.
// Accepts: every product whose tiles fit into a grid. The workspace has m k floats for each product
// if A is transposed (OP_T), and k n floats if B is not (OP_N).
//
//   block tile   0   4   8  ..  60 | 64 ..      thread (ti, tj) owns rows 4 ti + {0..3}
//            0   | t00 t10 t20 .. | t00 t10 ..  and 64 + 4 ti + {0..3}, and the columns
//            64  | t00 t10 t20 .. | t00 t10 ..  4 tj + {0..3} and 64 + 4 tj + {0..3}
#include "kernels/sgemm/ladder/register_tile.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using namespace register_tile;

constexpr int threads = 256;
constexpr int quadrant = block_m / 2; // distance between a thread's quadrants
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

struct quadrant_lines {
    static constexpr int count = 8;
    static __device__ int first(int thread) { return thread * 4; }
    static __device__ constexpr int offset(int e) { return e / 4 * quadrant + e % 4; }
};

__global__ void __launch_bounds__(threads, 2) kernel(int64_t first_batch, const sgemm_problem p) {
    __shared__ __align__(16) storage smem;
    compute<quadrant_lines, false, true>(p, first_batch + blockIdx.z, smem);
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

const kernel_entry<sgemm_problem> sgemm_register_tile_2x2 = {
    .name = "register_tile_2x2",
    .description = "four 4 x 4 quadrants a thread, operands transposed beforehand in the workspace",
    .block_m = block_m,
    .block_n = block_n,
    .block_k = block_k,
    .threads = threads,
    .stages = 1,
    .smem_bytes = sizeof(storage),
    .accepts = fits_grid<block_m, block_n>,
    .workspace_bytes = workspace_bytes,
    .launch = launch_kernel,
};

} // namespace myblas::cuda
