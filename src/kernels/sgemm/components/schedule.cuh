// The schedule of Stream-K: the slabs of k of all tiles are dealt out to persistent blocks, the
// workers. The tiles of a batch are numbered through, one product after the other.
//
// Shares   Each worker takes whole tiles in turn. The last tiles, at least one and less than two
//          for each worker, are split along k instead. Their slabs form one row, which is dealt out
//          in equal shares (Osama et al., PPoPP 2023, arXiv:2301.03598). A split tile has several
//          workers. The worker with the end of its k adds the others' sums, in descending order of
//          k, and writes C. Hence results are reproducible.
// Waiting  A worker goes through its share backwards, so its unfinished tile comes first. The
//          worker waits only for workers of lower index, which started before it, and only for the
//          first thing that they do. Hence there is no deadlock, even if not all blocks fit on the
//          device at once.
// Splits   If tiles are few and k is long, every tile's k is cut into the same number of equal
//          splits instead, with a worker for each. A worker that added the sums of dozens of others
//          would take longer than the product itself (100 us of 355 us at 256 x 256 x 100000). A
//          second kernel adds the sums instead.
// Zeroes   If A or B is triangular (known_zeros) and there are more tiles than workers, a tile has
//          only the slabs that hold more than zeroes. Workers then take whole tiles, the longest k
//          first, back and forth. A worker with a longer tile in one round has a shorter one in the
//          next.
#pragma once

#include "kernels/sgemm/components/launcher.h"
#include "kernels/sgemm/components/operands.cuh"
#include "kernels/sgemm/components/work.h"

#include <algorithm>

namespace myblas::cuda {

// How the work is dealt out. The `split_tiles` tiles that are split come first in the order of
// tiles.
struct stream_k_schedule {
    int tiles, split_tiles;
    int slabs; // of k, of each tile
    int workers;
    // Slabs of the split tiles for each worker. The first `longer_shares` workers have one more.
    int share, longer_shares;
    int splits; // splits of each tile's k; 0: shares are dealt out
    // Whether slabs with nothing but known zeroes are skipped. Then no tile is split.
    bool skips_zeros;
    int product_tiles; // tiles of each product of the batch
};

// A run of slabs of one tile.
struct stream_k_segment {
    int tile;
    int first_slab, end_slab;
};

// A worker's share of the slabs of all split tiles in a row: from a slab of one tile to the end of
// another tile's range. The last segment is computed first.
struct stream_k_share {
    int first_tile, first_slab;
    int last_tile, end_slab; // last_tile < first_tile: no share

    static __device__ int begin(const stream_k_schedule& schedule, int worker) {
        return worker * schedule.share + min(worker, schedule.longer_shares);
    }

    static __device__ stream_k_share of(const stream_k_schedule& schedule, int worker) {
        const int first = begin(schedule, worker), last = begin(schedule, worker + 1) - 1;
        if (first > last)
            return {0, 0, -1, 0};
        return {first / schedule.slabs,
                first % schedule.slabs,
                last / schedule.slabs,
                last % schedule.slabs + 1};
    }

    static __device__ stream_k_share split_of(const stream_k_schedule& schedule, int worker) {
        const int tile = worker / schedule.splits, split_index = worker % schedule.splits;
        return {tile,
                static_cast<int>(int64_t{schedule.slabs} * split_index / schedule.splits),
                tile,
                static_cast<int>(int64_t{schedule.slabs} * (split_index + 1) / schedule.splits)};
    }

    // Whether the worker's share begins after the first slab of the tile.
    static __device__ bool begins_inside(const stream_k_schedule& schedule, int worker, int tile) {
        return begin(schedule, worker) > tile * schedule.slabs;
    }
};

// Segment number `index` of this worker, in the order of computation. Returns false after the last
// one.
__device__ __forceinline__ bool find_segment(const stream_k_schedule& schedule,
                                             const stream_k_share& share,
                                             int index,
                                             stream_k_segment& segment) {
    const int split_segments = share.last_tile - share.first_tile + 1;
    if (index < split_segments) {
        segment.tile = share.last_tile - index;
        segment.first_slab = segment.tile == share.first_tile ? share.first_slab : 0;
        segment.end_slab = index == 0 ? share.end_slab : schedule.slabs;
        return true;
    }
    segment.tile = schedule.split_tiles + static_cast<int>(blockIdx.x) +
                   (index - split_segments) * schedule.workers;
    segment.first_slab = 0;
    segment.end_slab = schedule.slabs;
    return segment.tile < schedule.tiles;
}

// The first element of a tile of a product. 32 bits are enough, as the scheduler's `fits` checks.
template <class Shape>
__device__ __forceinline__ tile_position<int>
find_tile(int tile, const sgemm_problem& p, const stream_k_share&) {
    return computed_tile<Shape, int>(tile, p);
}

// A worker's share of a batch. The type is separate, as single products would take 1% to 5% longer
// if they looked for a tile's product.
struct stream_k_batch_share : stream_k_share {};

template <class Share>
inline constexpr bool is_of_batch = std::is_same_v<Share, stream_k_batch_share>;

// The tiles of a worker that skips zeroes, which all of its threads compute before the worker
// begins: whole tiles, with the slabs that hold more than zeroes. A segment's tile is an index into
// this list.
struct stream_k_list {
    static constexpr int most = 1024;
    struct entry {
        int row, col, first_slab, end_slab;
    } entries[most];

    template <class Shape>
    __device__ __forceinline__ void fill(const sgemm_problem& p,
                                         const stream_k_schedule& schedule) {
        constexpr int patch_m = 1024 / Shape::block_m, patch_n = 1024 / Shape::block_n;
        const int tiles_m = ceil_div(static_cast<int>(p.m), Shape::block_m);
        const int tiles_n = ceil_div(static_cast<int>(p.n), Shape::block_n);
        // In one or two bands, tiles would hardly be sorted, and the workers' shares unequal.
        const bool of_a = p.zeros == known_zeros::above_of_a || p.zeros == known_zeros::below_of_a;
        const bool sorts_all = of_a ? tiles_m <= 2 * patch_m : tiles_n <= 2 * patch_n;
        for (int index = threadIdx.x; index < most; index += Shape::threads) {
            const int tile = unit_back_and_forth(index, schedule.workers);
            if (tile >= schedule.tiles)
                break;
            const auto at = sorts_all
                                ? longest_first<1, 1>(tile, p.zeros, tiles_m, tiles_n)
                                : longest_first<patch_m, patch_n>(tile, p.zeros, tiles_m, tiles_n);
            const int row = at.row * Shape::block_m, col = at.col * Shape::block_n;
            const k_range k(p.zeros, p.k, row, row + Shape::block_m, col, col + Shape::block_n);
            entries[index] = {row,
                              col,
                              static_cast<int>(k.begin) / Shape::block_k,
                              ceil_div(static_cast<int>(k.end), Shape::block_k)};
        }
    }
};

__device__ __forceinline__ bool find_segment(const stream_k_schedule& schedule,
                                             const stream_k_list& list,
                                             int index,
                                             stream_k_segment& segment) {
    if (unit_back_and_forth(index, schedule.workers) >= schedule.tiles)
        return false;
    segment = {index, list.entries[index].first_slab, list.entries[index].end_slab};
    return true;
}

template <class Share>
inline constexpr bool skips_zeros = std::is_same_v<Share, stream_k_list>;

template <class Shape>
__device__ __forceinline__ tile_position<int>
find_tile(int tile, const sgemm_problem&, const stream_k_list& list) {
    return {list.entries[tile].row, list.entries[tile].col};
}

// The product of a tile, and its first element there.
struct stream_k_place {
    int product, row, col;
};

template <class Shape, class Share>
__device__ __forceinline__ stream_k_place find_place(int tile,
                                                     const sgemm_problem& p,
                                                     const stream_k_schedule& schedule,
                                                     const Share& share) {
    const int product = is_of_batch<Share> ? tile / schedule.product_tiles : 0;
    const tile_position<int> at =
        find_tile<Shape>(tile - product * schedule.product_tiles, p, share);
    return {product, at.row, at.col};
}

// ---- Host ---------------------------------------------------------------------------------------

// A Shape has block_m, block_n, block_k, least_k and least_idle. The last slab's k is rounded up to
// a multiple of least_k. Splitting tiles pays if workers would be idle for least_idle slabs.
template <class Shape>
struct stream_k_scheduler {
    static constexpr int64_t min_share = 8; // slabs; with less, the prologue dominates

    static stream_k_schedule
    schedule_shares(const sgemm_problem& p, const device_info& device, bool may_skip_zeros) {
        stream_k_schedule schedule = count_slabs(p);
        const int limit = std::min(device.sm_count, counter_count);
        const int whole_rounds = schedule.tiles / limit;
        schedule.workers = limit;
        // With fewer tiles, the longest tile takes as long as equal shares of all slabs.
        schedule.skips_zeros = may_skip_zeros && p.zeros != known_zeros::none && is_single(p) &&
                               schedule.tiles > limit &&
                               schedule.tiles <= int64_t{limit} * stream_k_list::most;
        if (schedule.skips_zeros)
            return schedule;
        if (schedule.tiles % limit == 0 || schedule.slabs == 0)
            return schedule;
        // Idle time of all workers together, in slabs, if no tile is split.
        const int64_t idle_slabs =
            int64_t{(whole_rounds + 1) * limit - schedule.tiles} * schedule.slabs;
        if (idle_slabs < Shape::least_idle * limit) {
            schedule.workers = std::min(schedule.tiles, limit);
            return schedule;
        }
        if (whole_rounds == 0)
            schedule.workers = static_cast<int>(std::clamp<int64_t>(
                int64_t{schedule.tiles} * schedule.slabs / min_share, schedule.tiles, limit));
        if (schedule.workers != schedule.tiles)
            schedule.split_tiles = schedule.tiles - std::max(whole_rounds - 1, 0) * limit;
        schedule.share = static_cast<int>(split_slabs(schedule) / schedule.workers);
        schedule.longer_shares = static_cast<int>(split_slabs(schedule) % schedule.workers);
        return schedule;
    }

    // One split for each multiprocessor, if k is long enough.
    static stream_k_schedule schedule_splits(const sgemm_problem& p, const device_info& device) {
        stream_k_schedule schedule = count_slabs(p);
        const int64_t most = std::min<int64_t>(device.sm_count / std::max(schedule.tiles, 1),
                                               schedule.slabs / min_share);
        schedule.splits = static_cast<int>(std::max<int64_t>(most, 1));
        schedule.split_tiles = schedule.tiles; // there are no whole tiles after the splits
        schedule.workers = schedule.tiles * schedule.splits;
        return schedule;
    }

    static bool fits(const sgemm_problem& p, const device_info& device) {
        return p.m <= max_extent && p.n <= max_extent && p.k <= max_extent &&
               p.batch_count <= max_extent &&
               tile_count(p, Shape::block_m, Shape::block_n) <= max_extent / p.batch_count &&
               split_slabs(schedule_shares(p, device, false)) <= max_extent;
    }

    static work_estimate work(const work_query& q, const stream_k_schedule& schedule) {
        constexpr float tile = Shape::block_m * Shape::block_n, slab_k = Shape::block_k;
        const auto tiles = static_cast<float>(std::max(schedule.tiles, 1));
        const auto slabs = static_cast<float>(std::max(schedule.slabs, 1));
        const auto workers = static_cast<float>(std::max(schedule.workers, 1));
        work_estimate w;
        if (schedule.splits) {
            w.steps = whole_up(slabs / static_cast<float>(schedule.splits));
            w.exchanges = static_cast<float>(schedule.splits);
        } else if (schedule.split_tiles) {
            w.steps = tiles / workers * slabs;
            w.rounds = whole_up(tiles / workers);
            w.exchanges = std::max(workers / static_cast<float>(schedule.split_tiles), 1.0f);
        } else if (schedule.skips_zeros) {
            w.rounds = whole_up(tiles / workers);
            w.steps = tiles / workers * slabs * 0.5f + Shape::block_m / slab_k;
        } else {
            w.rounds = whole_up(tiles / workers);
            w.steps = w.rounds * slabs;
        }
        const float whole = whole_up(q.k / Shape::least_k) * Shape::least_k / (slabs * slab_k);
        w.math_cycles = fma_cycles(q, w.steps * slab_k * std::min(whole, 1.0f) * tile);
        w.l2_bytes = w.steps * slab_k * 4 * (Shape::block_m + Shape::block_n);
        w.memory_bytes = q.operand_bytes;
        w.wave_efficiency = workers / static_cast<float>(q.device.sm_count);
        w.tile_utilisation = q.batch * q.c_elements / (tiles * tile);
        return w;
    }

private:
    static constexpr int64_t max_extent = 2147483647 - 65536; // coordinates are 32-bit

    // Products that `fits` refuses are counted, too.
    static stream_k_schedule count_slabs(const sgemm_problem& p) {
        stream_k_schedule schedule{};
        const int64_t product_tiles =
            std::min(tile_count(p, Shape::block_m, Shape::block_n), max_extent);
        const int64_t products = std::min(p.batch_count, max_extent);
        schedule.product_tiles = static_cast<int>(product_tiles);
        schedule.tiles = static_cast<int>(std::min(product_tiles * products, max_extent));
        schedule.slabs =
            static_cast<int>(std::min(ceil_div<int64_t>(p.k, Shape::block_k), max_extent));
        return schedule;
    }

    static int64_t split_slabs(const stream_k_schedule& schedule) {
        return int64_t{schedule.split_tiles} * schedule.slabs;
    }
};

} // namespace myblas::cuda
