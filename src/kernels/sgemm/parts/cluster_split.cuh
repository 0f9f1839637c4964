// k shared by the blocks of a cluster and by several clusters, and C in the same launch.
//
// k is cut into parts of whole slabs, a block for each. A block lays out its part of the tile's product in
// its own shared memory, as copies of [s][l] in rows of `pitch` (several, where its warps share k too).
//   1. Block r of a cluster adds fraction r of the tile over the cluster's blocks and copies, in order.
//   2. With several clusters, the sums go to the workspace, and the last of them to arrive at a fraction
//      adds them, in an order that does not depend on which one that is: the same bits on every run.
//
// Tiles have a long and a short side, l and s. Where these are the columns and the rows of C (`swapped`)
// a kernel computes C^T = op(B)^T op(A)^T.
//
// A Shape has block_l, block_s, block_k, threads, copies, and `fill`: the blocks that keep a multiprocessor
// busy.
#pragma once

#include "kernels/common/cluster.cuh"
#include "kernels/sgemm/parts/operands.cuh"
#include "kernels/sgemm/parts/work.h"

namespace myblas::cuda {

// How k is shared; a function of problem and device alone, so that the bits are too.
struct k_split {
    int cluster = 1;   // blocks of a cluster, a power of two
    int clusters = 1;  // of a tile
    int64_t slabs = 0; // of a part; the first `longer` parts have one more
    int longer = 0;

    __host__ __device__ unsigned parts() const { return cluster * clusters; }
};

// The split that keeps the busiest multiprocessor's slabs fewest.
template <class Shape>
k_split make_k_split(int64_t tiles, int64_t k, const device_info& device) {
    // What adding the parts costs, in slabs: to meet at all, and the loads of the last to arrive.
    constexpr int64_t meeting = 4, loads_per_slab = 16;
    constexpr int elements = Shape::block_l * Shape::block_s;
    const int max_cluster = device.arch >= 90 ? std::min(8, elements / 4) : 1;
    const int64_t slabs = ceil_div<int64_t>(k, Shape::block_k);
    k_split best;
    int64_t best_time = ceil_div(tiles, int64_t{device.sm_count} * Shape::fill) * slabs;
    for (int cluster = max_cluster; cluster > 0; cluster /= 2) {
        const int64_t places =
            std::max<int64_t>(cluster_places(device, cluster, Shape::fill), 1) * cluster;
        const int64_t most = std::min(quotient(places, tiles), slabs / 2);
        const int64_t clusters = std::max<int64_t>(quotient(most, cluster), 1);
        const int64_t parts = clusters * cluster;
        const int64_t loads = clusters * ceil_div(elements / 4 / cluster, Shape::threads);
        const int64_t time = quotient_up(tiles * parts, places) * quotient_up(slabs, parts) +
                             meeting + (clusters > 1 ? ceil_div(loads, loads_per_slab) : 0);
        if (time < best_time) {
            best.cluster = cluster;
            best.clusters = static_cast<int>(clusters);
            best_time = time;
        }
    }
    best.slabs = quotient(slabs, best.parts());
    best.longer = static_cast<int>(slabs - best.slabs * best.parts());
    return best;
}

template <class Shape>
size_t split_workspace_bytes(const k_split& split, int64_t tiles) {
    return split.clusters == 1 ? 0
                               : static_cast<size_t>(tiles * split.clusters) * Shape::block_l *
                                     Shape::block_s * sizeof(float);
}

// Where the sums of a tile's clusters meet.
struct cluster_sums {
    float* gmem;        // [batch][tile][cluster][element of the tile]
    unsigned* counters; // [batch][tile][rank], zero before and after
};

// A block's share of the work.
template <class Shape>
struct split_position {
    unsigned part, tile;
    int64_t tile_l, tile_s; // first lines of the tile
    int64_t first_k, k;     // k < 0 where there is none

    // Blocks of a cluster are neighbours along x, and so are tiles that share lines of the short side.
    __device__ split_position(const k_split& split, unsigned block, int64_t lines_l, int64_t all_k)
        : part(block % split.parts()), tile(block / split.parts()) {
        const auto tiles_l = static_cast<unsigned>(ceil_div<int64_t>(lines_l, Shape::block_l));
        tile_l = int64_t{tile % tiles_l} * Shape::block_l;
        tile_s = int64_t{tile / tiles_l} * Shape::block_s;
        const int number = static_cast<int>(part);
        first_k = (number * split.slabs + min(number, split.longer)) * Shape::block_k;
        k = min((split.slabs + (number < split.longer)) * Shape::block_k, all_k - first_k);
    }
};

// The order in which threads take the elements of a tile: along the columns of C. Swapped, in pieces of 8
// (32 bytes of a column), 4 columns in a warp: with rows of 4 more than a multiple of 32 floats the reads
// then lie in different banks.
template <class Shape>
struct tile_element {
    int l, s;

    __device__ __forceinline__ tile_element(unsigned element, bool swapped) {
        constexpr unsigned piece = Shape::block_s < 8 ? Shape::block_s : 8;
        if (swapped) {
            s = element % piece + element / (piece * Shape::block_l) * piece;
            l = element / piece % Shape::block_l;
        } else {
            l = element % Shape::block_l;
            s = element / Shape::block_l;
        }
    }
};

// From the parts of a tile to C.
template <class Shape>
struct split_output {
    static constexpr int elements = Shape::block_l * Shape::block_s;
    static constexpr int pitch = Shape::block_l + 4;
    static constexpr int copy_floats = pitch * Shape::block_s;
    static constexpr int smem_floats = Shape::copies * copy_floats;

    float* c; // the tile's first element
    int64_t step_l, step_s;
    int l_left, s_left; // of the tile inside C
    float alpha, beta;
    bool swapped;

    __device__ split_output(const sgemm_problem& p,
                            const sgemm_operands& o,
                            bool swapped_,
                            const split_position<Shape>& at)
        : step_l(swapped_ ? p.ldc : 1), step_s(swapped_ ? 1 : p.ldc), alpha(o.alpha), beta(o.beta),
          swapped(swapped_) {
        c = o.c + at.tile_l * step_l + at.tile_s * step_s;
        l_left = static_cast<int>(min((swapped ? p.n : p.m) - at.tile_l, int64_t{Shape::block_l}));
        s_left = static_cast<int>(min((swapped ? p.m : p.n) - at.tile_s, int64_t{Shape::block_s}));
    }

    // Calls f(element's number, its place) for the fraction `rank` of `cluster` of the elements inside C.
    template <class F>
    __device__ __forceinline__ void for_each(int rank, int cluster, F&& f) const {
        const int count = elements / cluster;
        for (int e = threadIdx.x; e < count; e += Shape::threads) {
            const int element = rank * count + e;
            const tile_element<Shape> at(element, swapped);
            if (at.l < l_left && at.s < s_left)
                f(element, at);
        }
    }

    __device__ __forceinline__ void store(const tile_element<Shape>& at, float sum) const {
        store_c(c + at.l * step_l + at.s * step_s, alpha, sum, beta);
    }

    // Called by all threads once they have written to smem, without a barrier between.
    __device__ __forceinline__ void reduce(const split_position<Shape>& at,
                                           int64_t tile_number,
                                           const k_split& split,
                                           const cluster_sums& sums,
                                           float* smem) const {
        const int rank = at.part & (split.cluster - 1);
        float* tile_sums = sums.gmem + tile_number * split.clusters * elements;
        float* target = tile_sums + at.part / split.cluster * elements;
        auto write = [&](int element, const tile_element<Shape>& place, float sum) {
            if (split.clusters == 1)
                store(place, sum);
            else
                __stcg(target + element, sum);
        };
        if (split.cluster == 1) {
            __syncthreads(); // the block's part is complete
            for_each(0, 1, [&](int element, const tile_element<Shape>& place) {
                const float* from = smem + place.s * pitch + place.l;
                float sum = from[0];
#pragma unroll
                for (int copy = 1; copy < Shape::copies; ++copy)
                    sum += from[copy * copy_floats];
                write(element, place, sum);
            });
        } else {
            cluster_barrier(); // the parts of all blocks are complete
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
            cluster_barrier(); // nobody reads the others' memory any more
        }
        if (split.clusters == 1)
            return;
        __shared__ bool is_last;
        __threadfence(); // the sums are visible before the number is taken
        __syncthreads(); // all threads' sums are
        if (threadIdx.x == 0)
            is_last = atomicInc(sums.counters + tile_number * split.cluster + rank,
                                split.clusters - 1) == split.clusters - 1u;
        __syncthreads(); // thread 0 has told whether the block is the last
        if (!is_last)
            return;
        __threadfence(); // all numbers are taken: the sums read from here on are written
        finish(rank, split, tile_sums, reinterpret_cast<float4*>(smem));
    }

    // Adds what the clusters have left in the workspace, fraction `rank` of the tile. With threads to spare
    // they share the clusters of a quad of elements, and meet in smem[threads].
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
                    const tile_element<Shape> at(element + e, swapped);
                    if (at.l < l_left && at.s < s_left)
                        store(at, value[e]);
                }
            }
        }
    }
};

} // namespace myblas::cuda
