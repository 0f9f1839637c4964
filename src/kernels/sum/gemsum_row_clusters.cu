// result = the sums of the rows of a small A (op N): a cluster of blocks for every 32 rows.
//
// Adds to `row_tiles`: each block of a cluster has a chunk of the columns, and sends its sums to
// the shared memory of the first block. (In `row_tiles` they meet in the workspace, which takes a
// fence and a counter.) A warp reads 32 rows of a column, at any alignment. The sums of a block
// meet once, and one warp adds them. The launch overlaps the previous kernel. If the device has
// room, the next kernel may start at once.
//
//             chunk 0   chunk 1  ...            in a block:
//          +----------+----------+
//   32     |  rank 0  |  rank 1  |  cluster 0       lane    a row
//          +----------+----------+                  warp w  columns w, w + 8, ... of the chunk
//   32     |  rank 0  |  rank 1  |  cluster 1
//          +----------+----------+
//
// Accuracy: 3 roundings in float in a tree over the loads, then a carrier of twice the precision,
// and the rounding of the result: 5 u sum |A_ij|.
// Bound: latency; m n elements read.  Block: 256 threads, 4 KiB of shared memory.
// Grid: a function of m and n.
// Accepts: op N, from compute capability 9.0 on.

#include "kernels/common/cluster.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/common/reduce.cuh"
#include "kernels/sum/matrix.cuh"
#include "kernels/sum/registry.h"
#include "kernels/sum/tree.cuh"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;
constexpr int rows = warp_size; // of a cluster
constexpr int loads = 8;        // of a thread in flight

// chunks: blocks of a cluster; columns: of a chunk; leaves_room: the next kernel may start at once.
__global__ void __launch_bounds__(threads)
    row_clusters(gemsum_problem p, int chunks, int64_t columns, bool leaves_room) {
    __shared__ carrier<float> smem[warps][rows];
    __shared__ carrier<float> inbox[largest_cluster - 1][rows];
    __shared__ alignas(8) uint64_t barrier;
    const int chunk = static_cast<int>(cluster_rank());
    if (leaves_room)
        launch_dependents();
    if (chunks > 1) {
        if (chunk == 0)
            expect_bytes(&barrier, (chunks - 1) * sizeof(inbox[0]));
        cluster_arrive();
    }
    const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const int64_t row = int64_t{cluster_x()} * rows + lane;
    const int64_t end = min((chunk + 1) * columns, p.n), step = warps * p.lda;
    int64_t j = chunk * columns + warp;
    const float* a = p.a + row + j * p.lda;
    carrier<float> total{};
    grid_dependency_sync();

#pragma unroll 1
    for (; j < end; j += loads * warps) {
        float value[loads][1];
#pragma unroll
        for (int k = 0; k < loads; ++k, a += step)
            load_part(value[k], a, j + k * warps < end ? p.m - row : 0);
        add_loads(value);
        total.add(value[0][0]);
    }
    smem[warp][lane] = total;
    __syncthreads(); // the sums of the warps are complete
    if (chunks > 1)
        cluster_wait(); // the first block's barrier is ready
    if (warp > 0)
        return;
#pragma unroll
    for (int w = 1; w < warps; ++w)
        total.add(smem[w][lane]);
    if (chunk > 0) {
        send_to_place(address_in_block(&inbox[chunk - 1][lane].sum, 0),
                      address_in_block(&barrier, 0),
                      static_cast<uint64_t>(__double_as_longlong(total.sum)));
        return;
    }
    if (chunks > 1) {
        wait_for_bytes(&barrier);
        for (int c = 0; c < chunks - 1; ++c)
            total.add(inbox[c][lane]);
    }
    if (row < p.m)
        p.result[row] = total.rounded();
}

int64_t clusters_of(const gemsum_problem& p) { return ceil_div<int64_t>(p.m, rows); }

bool accepts_row_clusters(const gemsum_problem& p, const device_info&) {
    return !p.trans && clusters_of(p) <= max_grid_x / largest_cluster;
}

myblasStatus_t launch_row_clusters(const gemsum_problem& p, const launch_context& context) {
    // One round of loads for each block, up to the largest cluster.
    const int64_t rounds = ceil_div<int64_t>(p.n, loads * warps);
    const int chunks = static_cast<int>(std::clamp<int64_t>(rounds, 1, largest_cluster));
    const int64_t blocks = clusters_of(p) * chunks;
    return launch_clusters(row_clusters,
                           dim3(static_cast<unsigned>(blocks)),
                           chunks,
                           true,
                           threads,
                           0,
                           context,
                           p,
                           chunks,
                           ceil_div<int64_t>(p.n, chunks),
                           blocks <= context.device->sm_count);
}

} // namespace

constinit const kernel_entry<gemsum_problem> gemsum_row_clusters = {
    .name = "row_clusters",
    .description = "small matrices: chunks of columns added in the shared memory of a cluster",
    .min_arch = 90,
    .threads = threads,
    .stages = 1,
    .smem_bytes = sizeof(carrier<float>) * (warps + largest_cluster - 1) * rows + sizeof(uint64_t),
    .accepts = accepts_row_clusters,
    .launch = launch_row_clusters,
};

} // namespace myblas::cuda
