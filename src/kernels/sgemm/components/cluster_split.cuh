// Splits of k for the blocks of a cluster, and for several clusters, with C written in the same
// launch.
//
// k is cut into splits of whole slabs, one for each block. A block stores its split of the tile's
// product in its own shared memory as [s][l], in rows of `pitch` floats. The array has several
// copies if the block's warps split k, too. Then:
//   1. Block r of a cluster adds fraction r of the tile over the cluster's blocks and copies, in
//      order, and writes C.
//   2. With several clusters, the sums go to the workspace instead. For each fraction, the last
//      cluster to arrive adds them, in an order that does not depend on which cluster is last.
//      Hence the bits are the same on every run.
//
// A tile has a long side l and a short side s. If these are the columns and the rows of C
// (`swap_ab`), the kernel computes C^T = op(B)^T op(A)^T.
//
// A Shape has block_l, block_s, block_k, threads, copies and `busy_blocks`: the number of blocks
// that keep a multiprocessor busy.
#pragma once

#include "kernels/common/last_block.cuh"
#include "kernels/sgemm/components/cluster_sum.cuh"
#include "kernels/sgemm/components/tile_writer.cuh"
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
// of 32, so the reads are in different banks. Quads of elements are quads of rows of a column.
template <class Shape>
struct tile_element {
    static constexpr int pitch = Shape::block_l + 4;

    int row, col; // in the tile
    int at;       // in a copy of the tile, [s][l]

    __device__ __forceinline__ tile_element(unsigned element, bool swap_ab) {
        constexpr unsigned piece = Shape::block_s < 8 ? Shape::block_s : 8;
        if (swap_ab) {
            row = element % piece + element / (piece * Shape::block_l) * piece;
            col = element / piece % Shape::block_l;
            at = row * pitch + col;
        } else {
            row = element % Shape::block_l;
            col = element / Shape::block_l;
            at = col * pitch + row;
        }
    }
};

// Adds the splits of a tile and writes C. Shared memory holds the copies of the tile, later the
// sums of quads. The tile's biases follow.
template <class Shape>
class split_output {
    static constexpr int elements = Shape::block_l * Shape::block_s;
    static constexpr int biases_at =
        std::max(Shape::copies * Shape::block_s * tile_element<Shape>::pitch, Shape::threads * 4);

public:
    static constexpr int pitch = tile_element<Shape>::pitch;
    static constexpr int copy_floats = pitch * Shape::block_s;
    static constexpr int smem_floats = biases_at + std::max(Shape::block_l, Shape::block_s);

    __device__ split_output(const sgemm_problem& p,
                            const sgemm_operands& o,
                            int64_t batch,
                            bool swap_ab,
                            bool has_epilogue,
                            const split_position<Shape>& at)
        : p_(p), o_(o), batch_(batch), tile_row_(swap_ab ? at.tile_s : at.tile_l),
          tile_col_(swap_ab ? at.tile_l : at.tile_s), swap_ab_(swap_ab),
          has_epilogue_(has_epilogue) {
        constexpr int64_t l = Shape::block_l, s = Shape::block_s;
        rows_ = static_cast<int>(min(p.m - tile_row_, swap_ab ? s : l));
        cols_ = static_cast<int>(min(p.n - tile_col_, swap_ab ? l : s));
    }

    // All threads call this function after they have stored their part of the split in shared
    // memory. The function begins with a barrier.
    __device__ __forceinline__ void reduce(const split_position<Shape>& at,
                                           int64_t tile_number,
                                           const k_split& split,
                                           const cluster_sums& sums,
                                           float* smem) const {
        if (has_epilogue_)
            tile_writer<true>::leave_biases<Shape::threads>(
                p_, batch_, tile_row_, tile_col_, rows_, cols_, smem + biases_at);
        const int rank = at.split_index & (split.cluster - 1);
        const bool has_whole_sums = split.clusters == 1;
        float* const tile_sums = sums.gmem + tile_number * split.clusters * elements;
        float* const left_sums =
            has_whole_sums ? smem : tile_sums + at.split_index / split.cluster * elements;
        const bool writes_now = has_whole_sums && !has_epilogue_;
        // Sums are read by quads, and no element of a quad inside C may be missing.
        const int rows = writes_now ? rows_ : (rows_ + 3) / 4 * 4;
        const tile_writer<false> plain = writer<false>();
        const auto write = [&](int element, const tile_element<Shape>& place, float sum) {
            if (writes_now)
                plain.store(place.row, place.col, sum);
            else // of this block's tile, no other block reads this fraction
                left_sums[has_whole_sums ? place.at : element] = sum;
        };
        const cluster_sum<Shape::copies> tile{smem, copy_floats, split.cluster};
        tile.meet();
        if (split.cluster == 1)
            for_each(0, 1, rows, [&](int element, const tile_element<Shape>& place) {
                write(element, place, tile.own(place.at));
            });
        else
            for_each(rank, split.cluster, rows, [&](int element, const tile_element<Shape>& place) {
                write(element, place, tile.all(place.at));
            });
        tile.leave();
        if (!has_whole_sums) {
            if (is_last_block(sums.counters + tile_number * split.cluster + rank, split.clusters))
                write_quads(rank, split, tile_sums, smem);
        } else if (has_epilogue_) {
            __syncthreads(); // the sums of all threads are complete
            write_quads(rank, split, nullptr, smem);
        }
    }

private:
    const sgemm_problem& p_;
    const sgemm_operands& o_;
    int64_t batch_, tile_row_, tile_col_;
    int rows_, cols_; // of the tile that are inside C
    bool swap_ab_, has_epilogue_;

    template <bool has_epilogue>
    __device__ __forceinline__ tile_writer<has_epilogue> writer() const {
        return tile_writer<has_epilogue>(p_, o_, batch_, tile_row_, tile_col_);
    }

    // Calls f(element's number, its place) for the elements in the first `rows` rows and inside C's
    // columns of fraction `rank` of `cluster`.
    template <class F>
    __device__ __forceinline__ void for_each(int rank, int cluster, int rows, F&& f) const {
        const int count = elements / cluster;
        for (int e = threadIdx.x; e < count; e += Shape::threads) {
            const int element = rank * count + e;
            const tile_element<Shape> place(element, swap_ab_);
            if (place.row < rows && place.col < cols_)
                f(element, place);
        }
    }

    // Writes fraction `rank` of the tile by quads: of its sums in shared memory or, in the last
    // block, of the sums of all clusters. If there are more threads than quads, groups of threads
    // split the clusters of a quad and meet in shared memory.
    __device__ __forceinline__ void
    write_quads(int rank, const k_split& split, const float* sums, float* smem) const {
        const int quads = elements / 4 / split.cluster;
        const int groups = sums && quads < Shape::threads ? Shape::threads / quads : 1;
        const int group = quads < Shape::threads ? threadIdx.x / quads : 0;
        float4* const group_sums = reinterpret_cast<float4*>(smem);
        for (int q = threadIdx.x - group * quads; q < quads; q += Shape::threads) {
            const int element = (rank * quads + q) * 4;
            const tile_element<Shape> place(element, swap_ab_);
            const int rows = rows_ - place.row;
            const bool is_inside = rows > 0 && place.col < cols_;
            float4 sum = make_float4(0, 0, 0, 0);
            if (!sums) {
                const int step = swap_ab_ ? pitch : 1; // from row to row
                const float* const quad = smem + place.at;
                sum = make_float4(quad[0], quad[step], quad[2 * step], quad[3 * step]);
            }
#pragma unroll 8
            for (int g = group; sums && is_inside && g < split.clusters; g += groups)
                add_quad(sum,
                         __ldcg(reinterpret_cast<const float4*>(sums + g * elements + element)));
            if (groups > 1) {
                group_sums[threadIdx.x] = sum;
                __syncthreads(); // the groups' sums are complete
                for (int other = 1; group == 0 && other < groups; ++other)
                    add_quad(sum, group_sums[other * quads + q]);
            }
            if (group > 0 || !is_inside)
                continue;
            const float value[4] = {sum.x, sum.y, sum.z, sum.w};
            if (has_epilogue_)
                writer<true>().store(place.row, place.col, value, rows, smem + biases_at);
            else
                writer<false>().store(place.row, place.col, value, rows);
        }
    }
};

} // namespace myblas::cuda
