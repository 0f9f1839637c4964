// Splits of k for the blocks of a cluster, and for several clusters, with C written in the same
// launch.
//
// k is cut into splits of whole slabs, one for each block. A block stores its split of the tile's
// product in its own shared memory as [s][l], in rows of `pitch` floats. The array has several
// copies if the block's warps split k, too. Then:
//   1. Block r of a cluster adds fraction r of the tile over the cluster's blocks and copies, in
//      order.
//   2. With several clusters, the sums go to the workspace. For each fraction, the last cluster to
//      arrive adds them, in an order that does not depend on which cluster is last. Hence the bits
//      are the same on every run.
//
// A tile has a long side l and a short side s. If these are the columns and the rows of C
// (`swap_ab`), the kernel computes C^T = op(B)^T op(A)^T.
//
// A Shape has block_l, block_s, block_k, threads, copies and `busy_blocks`: the number of blocks
// that keep a multiprocessor busy.
#pragma once

#include "kernels/common/cluster.cuh"
#include "kernels/sgemm/components/operands.cuh"
#include "kernels/sgemm/components/work.h"

namespace myblas::cuda {

// How k is split. The split depends on the problem and the device only, so that the bits do, too.
struct k_split {
    int cluster = 1;   // blocks of a cluster, a power of two
    int clusters = 1;  // of a tile
    int64_t slabs = 0; // of a split; the first `longer` splits have one more
    int longer = 0;

    __host__ __device__ unsigned splits() const { return cluster * clusters; }
};

// The split with the least work for the busiest multiprocessor, in slabs. Adding the splits counts
// as work, too.
template <class Shape>
k_split make_k_split(int64_t tiles, int64_t k, const device_info& device) {
    const device_costs& costs = costs_of(device);
    constexpr int elements = Shape::block_l * Shape::block_s;
    const int max_cluster = device.arch >= 90 ? std::min(8, elements / 4) : 1;
    const int64_t slabs = ceil_div<int64_t>(k, Shape::block_k);
    k_split best;
    int64_t best_time = ceil_div(tiles, int64_t{device.sm_count} * Shape::busy_blocks) * slabs;
    for (int cluster = max_cluster; cluster > 0; cluster /= 2) {
        const int64_t places =
            std::max<int64_t>(cluster_places(device, cluster, Shape::busy_blocks), 1) * cluster;
        const int64_t most = std::min(quotient(places, tiles), slabs / 2);
        const int64_t clusters = std::max<int64_t>(quotient(most, cluster), 1);
        const int64_t splits = clusters * cluster;
        const int64_t loads = clusters * ceil_div(elements / 4 / cluster, Shape::threads);
        const int64_t time =
            quotient_up(tiles * splits, places) * quotient_up(slabs, splits) + costs.split_slabs +
            (clusters > 1 ? ceil_div<int64_t>(loads, costs.split_loads_per_slab) : 0);
        if (time < best_time) {
            best.cluster = cluster;
            best.clusters = static_cast<int>(clusters);
            best_time = time;
        }
    }
    best.slabs = quotient(slabs, best.splits());
    best.longer = static_cast<int>(slabs - best.slabs * best.splits());
    return best;
}

template <class Shape>
size_t split_workspace_bytes(const k_split& split, int64_t tiles) {
    return split.clusters == 1 ? 0
                               : static_cast<size_t>(tiles * split.clusters) * Shape::block_l *
                                     Shape::block_s * sizeof(float);
}

// Where the sums of a tile's clusters are added.
struct cluster_sums {
    float* gmem;        // [batch][tile][cluster][element of the tile]
    unsigned* counters; // [batch][tile][rank], zero before and after
};

// A block's share of the work.
template <class Shape>
struct split_position {
    unsigned split_index, tile;
    int64_t tile_l, tile_s; // first row and column of the tile, as l and s
    int64_t first_k, k;     // k < 0: the block has no k

    // The blocks of a cluster are neighbours along x, and so are tiles that share lines of the
    // short side. A line is a row of op(A) or a column of op(B).
    __device__ split_position(const k_split& split, unsigned block, int64_t lines_l, int64_t all_k)
        : split_index(block % split.splits()), tile(block / split.splits()) {
        const auto tiles_l = static_cast<unsigned>(ceil_div<int64_t>(lines_l, Shape::block_l));
        tile_l = int64_t{tile % tiles_l} * Shape::block_l;
        tile_s = int64_t{tile / tiles_l} * Shape::block_s;
        const int number = static_cast<int>(split_index);
        first_k = (number * split.slabs + min(number, split.longer)) * Shape::block_k;
        k = min((split.slabs + (number < split.longer)) * Shape::block_k, all_k - first_k);
    }
};

// The order in which threads take the elements of a tile: along the columns of C. With swap_ab, a
// warp takes pieces of 8 elements (32 bytes) of 4 columns. Rows have 4 floats more than a multiple
// of 32, so the reads are in different banks.
template <class Shape>
struct tile_element {
    int l, s;

    __device__ __forceinline__ tile_element(unsigned element, bool swap_ab) {
        constexpr unsigned piece = Shape::block_s < 8 ? Shape::block_s : 8;
        if (swap_ab) {
            s = element % piece + element / (piece * Shape::block_l) * piece;
            l = element / piece % Shape::block_l;
        } else {
            l = element % Shape::block_l;
            s = element / Shape::block_l;
        }
    }
};

// From the splits of a tile to C.
template <class Shape>
struct split_output {
    static constexpr int elements = Shape::block_l * Shape::block_s;
    static constexpr int pitch = Shape::block_l + 4;
    static constexpr int copy_floats = pitch * Shape::block_s;
    static constexpr int smem_floats = Shape::copies * copy_floats;

    float* c; // the tile's first element
    int64_t step_l, step_s;
    int l_left, s_left; // rows and columns of the tile that are inside C, as l and s
    float alpha, beta;
    bool swap_ab;

    __device__ split_output(const sgemm_problem& p,
                            const sgemm_operands& o,
                            bool swap_ab_,
                            const split_position<Shape>& at)
        : step_l(swap_ab_ ? p.ldc : 1), step_s(swap_ab_ ? 1 : p.ldc), alpha(o.alpha), beta(o.beta),
          swap_ab(swap_ab_) {
        c = o.c + at.tile_l * step_l + at.tile_s * step_s;
        l_left = static_cast<int>(min((swap_ab ? p.n : p.m) - at.tile_l, int64_t{Shape::block_l}));
        s_left = static_cast<int>(min((swap_ab ? p.m : p.n) - at.tile_s, int64_t{Shape::block_s}));
    }

    // Calls f(element's number, its place) for the elements inside C of fraction `rank` of
    // `cluster`.
    template <class F>
    __device__ __forceinline__ void for_each(int rank, int cluster, F&& f) const {
        const int count = elements / cluster;
        for (int e = threadIdx.x; e < count; e += Shape::threads) {
            const int element = rank * count + e;
            const tile_element<Shape> at(element, swap_ab);
            if (at.l < l_left && at.s < s_left)
                f(element, at);
        }
    }

    __device__ __forceinline__ void store(const tile_element<Shape>& at, float sum) const {
        store_c(c + at.l * step_l + at.s * step_s, alpha, sum, beta);
    }

    // All threads call it after they have written to smem; it begins with the barrier.
    __device__ __forceinline__ void reduce(const split_position<Shape>& at,
                                           int64_t tile_number,
                                           const k_split& split,
                                           const cluster_sums& sums,
                                           float* smem) const {
        const int rank = at.split_index & (split.cluster - 1);
        float* tile_sums = sums.gmem + tile_number * split.clusters * elements;
        float* target = tile_sums + at.split_index / split.cluster * elements;
        auto write = [&](int element, const tile_element<Shape>& place, float sum) {
            if (split.clusters == 1)
                store(place, sum);
            else
                __stcg(target + element, sum);
        };
        if (split.cluster == 1) {
            __syncthreads(); // the block's split is complete
            for_each(0, 1, [&](int element, const tile_element<Shape>& place) {
                const float* from = smem + place.s * pitch + place.l;
                float sum = from[0];
#pragma unroll
                for (int copy = 1; copy < Shape::copies; ++copy)
                    sum += from[copy * copy_floats];
                write(element, place, sum);
            });
        } else {
            cluster_barrier(); // the splits of all blocks are complete
            for_each(rank, split.cluster, [&](int element, const tile_element<Shape>& place) {
                const float* from = smem + place.s * pitch + place.l;
                float sum = 0;
#pragma unroll 8
                for (int r = 0; r < split.cluster; ++r)
#pragma unroll
                    for (int copy = 0; copy < Shape::copies; ++copy)
                        sum += load_from_block(from + copy * copy_floats, r);
                write(element, place, sum);
            });
            cluster_barrier(); // no block reads the others' memory any more
        }
        if (split.clusters == 1)
            return;
        __shared__ bool is_last;
        __threadfence(); // this thread's sums are visible before the counter is incremented
        __syncthreads(); // the sums of all threads are visible
        if (threadIdx.x == 0)
            is_last = atomicInc(sums.counters + tile_number * split.cluster + rank,
                                split.clusters - 1) == split.clusters - 1u;
        __syncthreads(); // thread 0 has stored whether the block is the last
        if (!is_last)
            return;
        __threadfence(); // all blocks have counted, so their sums are visible from here on
        finish(rank, split, tile_sums, reinterpret_cast<float4*>(smem));
    }

    // The last block adds the clusters' sums for fraction `rank` of the tile. If there are more
    // threads than quads of elements, groups of threads split the clusters of a quad and meet in
    // smem[threads].
    __device__ __forceinline__ void
    finish(int rank, const k_split& split, const float* sums, float4* smem) const {
        const int quads = elements / 4 / split.cluster;
        const int groups = quads < Shape::threads ? Shape::threads / quads : 1;
        const int group = quads < Shape::threads ? threadIdx.x / quads : 0;
        for (int q = threadIdx.x % quads; q < quads; q += Shape::threads) {
            const int element = (rank * quads + q) * 4;
            float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 8
            for (int g = group; g < split.clusters; g += groups)
                add_quad(sum,
                         __ldcg(reinterpret_cast<const float4*>(sums + g * elements + element)));
            if (groups > 1) {
                smem[threadIdx.x] = sum;
                __syncthreads(); // the groups' sums are complete
                for (int other = 1; group == 0 && other < groups; ++other)
                    add_quad(sum, smem[other * quads + q]);
            }
            if (group == 0) {
                const float value[4] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const tile_element<Shape> at(element + e, swap_ab);
                    if (at.l < l_left && at.s < s_left)
                        store(at, value[e]);
                }
            }
        }
    }
};

} // namespace myblas::cuda
