// Rung 16, split_k: several blocks for each tile of C, each with a split of k.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: with small m x n and a long k, the other rungs keep a handful of blocks busy for a long
// time. Here k is cut into splits of whole slabs. Each block writes the product of its split to the
// workspace. A second kernel adds the splits of every element in ascending order of k, so the bits
// are the same on every run.
// Bound: reading A and B, 4 (m + n) k bytes, if there are enough blocks to keep memory busy. The
// splits are written and read once more.
// Workspace: splits * batch_count * m * n floats. The number of splits is limited so that this
// stays within max_splits_bytes; it is at least one.
// Shared memory: stages and thread tiles as in components/warp_tile.cuh, with a block tile of 64 x
// 64 x 16 and 4 stages.
// Launch: 128 threads for each split of a 64 x 64 tile of C, then 256 threads for 256 elements of
// C.
// Accepts: products whose splits fit into a grid, as do the blocks of the second kernel.
//
//   k              0 ..    k/4 ..   k/2 ..   3k/4 ..
//   op(A) op(B)    [ b0 ]  [ b1 ]   [ b2 ]   [ b3 ]    four blocks for one tile of C
//   workspace       S0      S1       S2       S3       then C = alpha (S0 + S1 + S2 + S3) + beta C
#include "kernels/sgemm/components/warp_tile.cuh"
#include "kernels/sgemm/components/work.h"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using shape = warp_tile_shape<64, 64, 16, 32, 32, 4, 4>;
constexpr int blocks_per_sm = 4;
constexpr int reduce_threads = 256;
constexpr int64_t min_k_of_split = 8 * shape::block_k; // with less, the prologue dominates
constexpr int64_t max_splits_bytes = int64_t{32} << 20;

struct k_splits {
    int64_t splits;     // splits of k; at least 1
    int64_t k_of_split; // k of a split, a multiple of block_k; the last split may be shorter
};

k_splits make_split(const sgemm_problem& p, const device_info& device) {
    const int64_t blocks = tile_count(p, shape::block_m, shape::block_n) * p.batch_count;
    const int64_t product_bytes = p.batch_count * p.m * p.n * int64_t{sizeof(float)};
    const int64_t wanted =
        std::min({ceil_div<int64_t>(int64_t{device.sm_count} * blocks_per_sm, blocks),
                  p.k / min_k_of_split,
                  max_splits_bytes / product_bytes});
    const int64_t slabs = ceil_div<int64_t>(p.k, shape::block_k);
    const int64_t slabs_of_split = ceil_div<int64_t>(slabs, std::max<int64_t>(wanted, 1));
    if (slabs_of_split == 0)
        return {1, shape::block_k}; // k == 0
    return {ceil_div<int64_t>(slabs, slabs_of_split), slabs_of_split * shape::block_k};
}

// partial[split][batch][col][row] = op(A) op(B) over the split's k.
// docs/ladder.md
template <bool transa, bool transb, bool vector>
__global__ void __launch_bounds__(shape::threads, blocks_per_sm)
    split_kernel(int64_t first_batch, const k_splits s, float* partial, const sgemm_problem p) {
    using tile = warp_tile<shape, transa, transb, vector>;
    extern __shared__ __align__(16) float smem[];
    const int64_t batch = first_batch + blockIdx.z;
    const sgemm_operands o = resolve_operands(p, batch);
    if (o.k == 0)
        return; // the second kernel does not read the splits either
    const int64_t split_index = blockIdx.x % s.splits;
    const tile_position at = patch_order<shape>(blockIdx.x / s.splits, p.m, p.n);
    const int64_t first_k = split_index * s.k_of_split;

    typename tile::accumulators acc = {};
    tile::multiply(p, o, at.row, at.col, first_k, min(s.k_of_split, o.k - first_k), smem, acc);
    float* target = partial + (split_index * p.batch_count + batch) * p.m * p.n;
    const bool vector_target = aligned16(target, p.m);
    tile::for_each_quad(
        p, at.row, at.col, acc, [&](int64_t row, int64_t col, const float(&quad)[4], int64_t rows) {
            store_c4(target + row + col * p.m, 1, quad, 0, rows, vector_target);
        });
}

// C = alpha * (sum of the splits, in order) + beta * C
// docs/ladder.md
__global__ void __launch_bounds__(reduce_threads) reduce_kernel(int64_t first_batch,
                                                                const k_splits s,
                                                                const float* partial,
                                                                const sgemm_problem p) {
    const int64_t batch = first_batch + blockIdx.z;
    const sgemm_operands o = resolve_operands(p, batch);
    const int64_t element = int64_t{blockIdx.x} * reduce_threads + threadIdx.x;
    if (element >= p.m * p.n)
        return;
    float sum = 0;
    if (o.k != 0)
        for (int64_t split_index = 0; split_index < s.splits; ++split_index)
            sum += partial[(split_index * p.batch_count + batch) * p.m * p.n + element];
    store_c(&o.c[element % p.m + element / p.m * p.ldc], o.alpha, sum, o.beta);
}

// Each split of a tile has a block, and so has each group of elements in the second kernel.
bool fits(const sgemm_problem& p, const device_info& device) {
    const int64_t splits = make_split(p, device).splits;
    return tile_count(p, shape::block_m, shape::block_n) <= max_grid_x / splits &&
           ceil_div<int64_t>(p.m * p.n, reduce_threads) <= max_grid_x;
}

size_t workspace_bytes(const sgemm_problem& p, const device_info& device) {
    return static_cast<size_t>(make_split(p, device).splits * p.batch_count * p.m * p.n) *
           sizeof(float);
}

work_estimate work(const work_query& q) {
    const auto splits = static_cast<int>(make_split(q.problem, q.device).splits);
    tile_kernel kernel{.block_m = shape::block_m,
                       .block_n = shape::block_n,
                       .slab_k = shape::block_k,
                       .resident = blocks_per_sm,
                       .quads_of_k = false};
    // A split counts as a separate product.
    sgemm_problem of_split = q.problem;
    of_split.k = ceil_div<int64_t>(of_split.k, splits);
    of_split.batch_count *= splits;
    work_estimate w = kernel.work(work_query(of_split, q.device, q.workspace_bytes));
    w.launches = 2;
    w.exchanges = static_cast<float>(splits);
    w.memory_bytes = q.operand_bytes;
    return w;
}

myblasStatus_t launch_kernel(const sgemm_problem& p, const launch_context& context) {
    const k_splits s = make_split(p, *context.device);
    float* partial = static_cast<float*>(context.workspace);
    const auto launch_splits = [&](auto transa, auto transb, auto vector) {
        const product_grid grid{
            .x = tile_count(p, shape::block_m, shape::block_n) * s.splits,
            .threads = shape::threads,
            .smem_bytes = warp_tile<shape, transa, transb, vector>::smem_bytes,
        };
        return launch_products(split_kernel<transa, transb, vector>, grid, p, context, s, partial);
    };
    if (const myblasStatus_t failure = with_copies(copy_bits(p), launch_splits))
        return failure;
    const product_grid grid{.x = ceil_div<int64_t>(p.m * p.n, reduce_threads),
                            .threads = reduce_threads};
    return launch_products(reduce_kernel, grid, p, context, s, partial);
}

constexpr size_t smem_bytes = warp_tile<shape, true, false, true>::smem_bytes;
static_assert(smem_bytes <= 48 * 1024, "no opt-in needed");

} // namespace

const kernel_entry<sgemm_problem> sgemm_split_k = {
    .name = "split_k",
    .description =
        "blocks share a 64 x 64 tile, each with a split of k; splits added in fixed order",
    .min_arch = 80,
    .block_m = shape::block_m,
    .block_n = shape::block_n,
    .block_k = shape::block_k,
    .threads = shape::threads,
    .stages = shape::stages,
    .smem_bytes = smem_bytes,
    .accepts = fits,
    .workspace_bytes = workspace_bytes,
    .work = work,
    .launch = launch_kernel,
};

} // namespace myblas::cuda
