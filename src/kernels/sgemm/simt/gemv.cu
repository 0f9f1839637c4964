// gemv: a matrix times a vector, where one side of C is 1. The matrix is the long operand,
// and its lines are along the long side of C. The vector is the single line of the other operand.
//
// Bound: reading the matrix once, 4 max(m, n) k bytes. A thread has 4 to 32 loads in flight, and no
// thread waits for another before the end. Five kernels exist: `lines` and, for few lines,
// `columns` if lines are neighbours in memory (gemv_n.cuh, gemv_columns.cuh); `k`, `share` and
// `short` if k runs along memory (gemv_t.cuh). A vector whose elements are far apart may be packed
// first.
//
// A warp computes some lines, or the warps of a block split their k. Blocks can split k, too: the
// blocks of a cluster, or any number of blocks through global memory. One block adds the sums of
// all in a fixed order. The number of splits follows from the bytes that a multiprocessor can have
// in flight (split_k), so that the device is full for every ratio of the sides; `columns` has a
// block for each multiprocessor, and `share` as many as run at the same time.
//
// Loads have 16 or 8 bytes if the matrix is aligned to that; where k runs along memory, the vector
// must be aligned, too. Vectors may have a negative increment: then their distances are negative.
//
// Shared memory: a sum for each warp and line; in `columns`, for each thread and line of a load.
// Launch: 4 to 16 warps for each block, or 32.
// Accepts: every product whose blocks fit into a grid, with k up to 2^30. For wider outputs, each
// line of the short side reads the matrix again.
#include "kernels/sgemm/components/work.h"
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/simt/gemv_columns.cuh"
#include "kernels/sgemm/simt/gemv_n.cuh"
#include "kernels/sgemm/simt/gemv_t.cuh"

#include <bit>

namespace myblas::cuda {
namespace {

constexpr int min_warps = gemv_block::min_warps, max_warps = gemv_block::max_warps;
constexpr int64_t long_k = 4096;
constexpr int few_splits = 4; // of k over blocks
// Up to these numbers of lines, many lanes of gemv_n<2, 8> or gemv_n<4, 8> would have no line.
constexpr int64_t few_lines = 8, narrow_lines = 64;
// From this k and this number of bytes on, several lines of a matrix that is read by scalar loads
// share the loads of the vector.
constexpr int64_t least_shared_k = 32768;
constexpr double least_shared_bytes = 3 << 20;
constexpr double least_apart_bytes = 1.2e6; // the same if the vector's elements are apart
constexpr size_t unlimited = std::numeric_limits<size_t>::max(); // bytes of workspace

// How many floats a load can have: 4, 2 or 1.
int load_width(const sgemm_problem& p, const thin_layout& layout) {
    if (p.a_array || p.b_array)
        return 1;
    const float *matrix = layout.swap_ab ? p.b : p.a, *vector = layout.swap_ab ? p.a : p.b;
    const int64_t stride = layout.swap_ab ? p.stride_b : p.stride_a,
                  vector_stride = layout.swap_ab ? p.stride_a : p.stride_b;
    // The lowest bits of all quantities that must be multiples of the width.
    uint64_t bits = reinterpret_cast<uintptr_t>(matrix) / sizeof(float) | layout.ld;
    if (layout.k_contiguous) {
        if (layout.short_k_step != 1)
            return 1;
        bits |= reinterpret_cast<uintptr_t>(vector) / sizeof(float) | p.k;
        if (layout.short_lines > 1)
            bits |= layout.short_step;
        if (p.batch_count > 1)
            bits |= vector_stride;
    } else {
        bits |= layout.lines;
    }
    if (p.batch_count > 1)
        bits |= stride;
    return bits % 4 == 0 ? 4 : bits % 2 == 0 ? 2 : 1;
}

bool fits(const sgemm_problem& p, const device_info&) {
    return std::min(p.m, p.n) <= max_grid_y && std::max(p.m, p.n) <= max_grid_x && p.k <= (1 << 30);
}

// How a product is divided among blocks and warps.
struct gemv_schedule {
    int lines; // lines of a warp
    int warps; // warps of a block
    vector_split split;
    int chunk;         // k of a warp at a time
    int width;         // floats of a load
    short_rows rows{}; // of the kernel `short`
    double cycles = 0; // prediction of split_k

    int64_t groups(const thin_layout& layout) const { // groups of blocks that split k together
        return ceil_div<int64_t>(layout.lines,
                                 split.pitch > 0 ? split.pitch : lines * split.groups);
    }
    int64_t blocks(const thin_layout& layout) const { // blocks of one vector
        return groups(layout) * split.blocks();
    }
};

int64_t vectors_of(const sgemm_problem& p, const thin_layout& layout) {
    return layout.short_lines * p.batch_count;
}

size_t
workspace_of(const gemv_schedule& schedule, const sgemm_problem& p, const thin_layout& layout) {
    if (schedule.split.splits == 1)
        return 0;
    return static_cast<size_t>(schedule.groups(layout) * vectors_of(p, layout) *
                               schedule.split.splits) *
           static_cast<size_t>(schedule.lines) * sizeof(float);
}

// Everything except the problem that a schedule depends on.
struct vector_means {
    const device_info& device;
    size_t workspace_bytes;
};

// sharing: a power of two.
void set_sharing(gemv_schedule& schedule, int sharing) {
    schedule.split.sharing = sharing;
    schedule.split.sharing_log = std::countr_zero(static_cast<unsigned>(sharing));
    schedule.split.groups = schedule.warps / sharing;
}

// Chooses how many warps of a block split k: one for each chunk of k, or enough to fill the device
// with `line_groups`. If this is less than the whole block, the block has several groups of such
// warps.
void split_block(
    gemv_schedule& schedule, int64_t chunks, int64_t line_groups, int most, int sm_count) {
    constexpr int64_t full = 64; // warps of a multiprocessor, some of them waiting for a slot
    const auto power_of_two = [](int64_t x) { return std::bit_ceil(static_cast<uint64_t>(x)); };
    const auto wanted = std::min<int64_t>(
        static_cast<int64_t>(power_of_two(ceil_div(full * sm_count, line_groups))), most);
    if (chunks <= wanted && chunks >= min_warps) {
        schedule.warps = schedule.split.sharing = static_cast<int>(chunks);
        return;
    }
    const auto sharing =
        std::min<int64_t>(wanted, static_cast<int64_t>(power_of_two(std::max<int64_t>(chunks, 1))));
    schedule.warps = std::max(static_cast<int>(sharing), min_warps);
    set_sharing(schedule, static_cast<int>(sharing));
}

// Whether the sums of `count` groups of lines meet in a mailbox. One block of each group waits
// there, so as many places are left to the others, unless all blocks run at once.
bool fits_mailbox(int64_t count, int64_t splits, int lines, const device_info& device) {
    return count <= device.sm_count && count * (splits - 1) * lines <= counter_count;
}

double matrix_bytes(const sgemm_problem& p, const thin_layout& layout) {
    return 4 * static_cast<double>(layout.lines) * static_cast<double>(p.k);
}

// Chooses how many blocks split the k of their lines, by the least predicted time. Blocks run in
// rounds that fill the device, and each block reads in turns the bytes that its warps have in
// flight. The time of a round is the start, a latency for each turn, and the transfer of the
// busiest multiprocessor's bytes. The rate of the transfer is given by memory or by the L2 cache,
// but at most the highest rate of one multiprocessor. Then the sums are added, in a cluster or in
// memory. The costs are in core/device_costs.h.
// may_balance: blocks may have fewer lines than their warps, so that all multiprocessors have as
// many blocks.
void split_k(gemv_schedule& schedule,
             const sgemm_problem& p,
             const vector_means& means,
             const thin_layout& layout,
             int resident, // blocks of a multiprocessor
             bool may_cluster,
             bool may_balance = false) {
    constexpr int64_t most_rounds = 8, most_balanced = 8;
    constexpr double balanced = 0.97; // what equal shares save with few splits, beside the model
    const device_info& device = means.device;
    const device_costs& costs = costs_of(device);
    const auto real = [](auto x) { return static_cast<double>(x); };
    const int64_t sms = device.sm_count, places = sms * resident;
    const int64_t vectors = vectors_of(p, layout), groups = schedule.groups(layout);
    const int64_t most_lines = int64_t{schedule.lines} * schedule.split.groups; // of a block
    const int64_t turns = ceil_div<int64_t>(p.k, int64_t{schedule.chunk} * schedule.split.sharing);
    const bool is_cached =
        4 * real(groups * vectors * std::min(most_lines, layout.lines)) * real(p.k) <
        costs.cached_share * real(device.l2_bytes);
    const double latencies = real(turns) * (is_cached ? costs.cache_latency : costs.memory_latency);
    const double all_rate = memory_bytes_per_cycle(device) *
                            (is_cached ? costs.cache_rate : costs.memory_rate); // bytes a cycle
    // Clusters that run at the same time: one fewer than cluster_places() says. 30 ran at a time,
    // and the 31st waited.
    const int64_t clusters = cluster_places(device, largest_cluster, resident) - 1;
    // `count`: of groups of `lines` lines.
    const auto cycles = [&](int64_t count, int64_t lines, int64_t splits, int cluster) {
        const double block_bytes = 4 * real(std::min(lines, layout.lines)) * real(p.k);
        // The time of a round of blocks that each have the whole k, without the start.
        const auto round = [&](int64_t blocks) {
            if (blocks == 0)
                return 0.0;
            const double beside = real(quotient_up(blocks, sms));
            return latencies + beside * block_bytes /
                                   std::min(costs.sm_rate, all_rate / real(std::min(blocks, sms)));
        };
        const int64_t held = cluster > 1 ? clusters * cluster : places;
        const int64_t blocks = count * splits * cluster, rounds = quotient(blocks, held);
        const double share = real(quotient_up(turns, splits * cluster)) / real(turns);
        const int64_t loads = quotient_up(splits * schedule.lines, 32 * schedule.warps);
        const double in_memory =
            fits_mailbox(count, splits, schedule.lines, device)
                ? costs.mailbox_sums + costs.mailbox_group * real(count)
                : costs.memory_sums + costs.further_loads * real((loads - 1) / 8);
        const double sums = splits > 1 ? in_memory : cluster > 1 ? costs.cluster_sums : 0;
        return costs.block_start * real(quotient_up(blocks, held)) + sums +
               share * (real(rounds) * round(held) + round(blocks - rounds * held));
    };
    const int64_t count = groups * vectors;
    schedule.cycles = cycles(count, most_lines, 1, 1);
    const gemv_schedule whole = schedule;
    const auto take = [&](double own, int64_t pitch, int64_t splits, int cluster) {
        if (own >= schedule.cycles)
            return;
        schedule.cycles = own;
        schedule.split.pitch = static_cast<int>(pitch);
        schedule.split.splits = static_cast<int>(splits);
        schedule.split.cluster = cluster;
    };
    const auto balance = [&](int64_t splits) {
        const int64_t even = quotient(quotient_up(count * splits, sms) * sms, splits * vectors);
        const int64_t pitch = quotient_up(layout.lines, even);
        const int64_t own = quotient_up(layout.lines, pitch) * vectors;
        if (2 * pitch >= most_lines && pitch < most_lines && own <= counter_count &&
            own * splits <= places)
            take((splits <= few_splits ? balanced : 1) * cycles(own, pitch, splits, 1),
                 pitch,
                 splits,
                 1);
    };
    const auto consider = [&](int64_t splits, int cluster) {
        take(cycles(count, most_lines, splits, cluster), whole.split.pitch, splits, cluster);
    };
    // With many splits, the model predicts too short a time for these groups of lines.
    if (const auto most = std::min(turns, most_balanced); may_balance && schedule.split.groups == 1)
        for (int64_t splits = 1; splits <= most && splits * count <= places; ++splits)
            balance(splits);
    if (schedule.split.groups == 1 && turns > 1 && count < places * most_rounds) {
        if (may_cluster && device.arch >= 90 && clusters > 0)
            consider(1, largest_cluster);
        int64_t last = 1;
        for (int64_t i = 1; i <= most_rounds * resident && count <= counter_count;
             i += i < resident ? 1 : resident) {
            const int64_t most = i > resident ? turns / 2 : turns;
            if (const int64_t splits = std::min(quotient(sms * i, count), most); splits > last)
                consider(last = splits, 1);
        }
    }
    if (workspace_of(schedule, p, layout) > means.workspace_bytes)
        schedule = whole;
}

// `extra`: the kernel's arguments between the layout and the problem.
template <class Kernel, class... Extra>
myblasStatus_t launch_vectors(Kernel kernel,
                              const gemv_schedule& schedule,
                              const sgemm_problem& p,
                              const thin_layout& layout,
                              const launch_context& context,
                              size_t smem_bytes,
                              const Extra&... extra) {
    const product_grid grid{.x = schedule.blocks(layout),
                            .y = layout.short_lines,
                            .threads = schedule.warps * 32,
                            .smem_bytes = smem_bytes,
                            .cluster = schedule.split.cluster,
                            .early = true};
    return launch_products(kernel, grid, p, context, layout, extra...);
}

template <class Kernel>
myblasStatus_t launch_split(Kernel kernel,
                            const gemv_schedule& schedule,
                            const sgemm_problem& p,
                            const thin_layout& layout,
                            const launch_context& context) {
    const bool by_mail = fits_mailbox(schedule.groups(layout) * vectors_of(p, layout),
                                      schedule.split.splits,
                                      schedule.lines,
                                      *context.device);
    const vector_sums meeting{static_cast<float*>(context.workspace),
                              context.counters,
                              by_mail ? context.counters : nullptr};
    return launch_vectors(kernel, schedule, p, layout, context, 0, schedule.split, meeting);
}

template <int width, int line_lanes, bool by_words = false>
struct gemv_n {
    using shape = lines_shape<width, line_lanes>;

    static gemv_schedule
    schedule(const sgemm_problem& p, const vector_means& means, const thin_layout& layout) {
        constexpr int64_t few_groups = line_lanes == 32 ? 32 : 20; // clusters pay up to here
        constexpr int64_t least_k = 1200, very_few = 8;
        const int64_t groups = ceil_div<int64_t>(layout.lines, shape::lines);
        const int64_t chunks = ceil_div<int64_t>(p.k, shape::chunk);
        gemv_schedule own{shape::lines, 0, {}, shape::chunk, width};
        split_block(own, chunks, groups * vectors_of(p, layout), max_warps, means.device.sm_count);
        if (by_words)
            own.split.pitch = shape::lines * own.split.groups;
        const bool may_cluster =
            p.k >= long_k ? groups <= few_groups : p.k >= least_k && groups <= very_few;
        split_k(own, p, means, layout, 2, may_cluster, by_words);
        return own;
    }

    static myblasStatus_t
    launch(const sgemm_problem& p, const thin_layout& layout, const launch_context& context) {
        const gemv_schedule own = schedule(p, {*context.device, context.workspace_bytes}, layout);
        const auto start = [&](auto kernel) {
            return launch_split(kernel, own, p, layout, context);
        };
        // A block that has a multiprocessor to itself has registers for all its loads at once.
        if (own.split.cluster == 1 &&
            own.blocks(layout) * vectors_of(p, layout) <= context.device->sm_count) {
            if constexpr (width == 4)
                return start(vector_lines_kernel<width, line_lanes, false, 1, by_words>);
            else if constexpr (line_lanes == 32)
                return start(vector_lines_kernel<width, line_lanes, true, 1>);
        }
        return start(vector_lines_kernel<width, line_lanes, false, 2, by_words>);
    }
};

// True for a matrix larger than a quarter of the L2 cache, which is worth adding sums in memory.
// True as well for many lines of a k so short that nothing is split.
bool is_large(const sgemm_problem& p, const device_info& device, const thin_layout& layout) {
    return matrix_bytes(p, layout) > static_cast<double>(device.l2_bytes) / 4 ||
           (p.k <= 64 && layout.lines >= int64_t{512} * device.sm_count);
}

// True for a matrix that the next call does not find in the L2 cache.
bool exceeds_cache(const sgemm_problem& p, const thin_layout& layout, const device_info& device) {
    return matrix_bytes(p, layout) >= 0.75 * static_cast<double>(device.l2_bytes);
}

// Blocks of 4 warps that run at the same time on all multiprocessors.
int64_t small_places(const device_info& device) { return int64_t{8} * device.sm_count; }

// Whether fewer of a block's warps should split k. If the L2 cache holds the matrix: where the
// blocks do not all run at the same time, or each warp has less than two turns and lines are many.
// Otherwise: where only few blocks have a second round.
bool shares_too_much(const gemv_schedule& own,
                     const sgemm_problem& p,
                     const thin_layout& layout,
                     const device_info& device) {
    constexpr int64_t many_groups = 6; // of lines, for each multiprocessor
    const int64_t blocks = own.blocks(layout), places = small_places(device);
    const int64_t groups = ceil_div<int64_t>(layout.lines, own.lines);
    if (exceeds_cache(p, layout, device))
        return blocks > places && blocks < 2 * places;
    return blocks > places || (groups >= many_groups * device.sm_count &&
                               p.k < int64_t{2} * own.split.sharing * own.chunk);
}

// For large matrices: one block to a multiprocessor, whatever k is.
template <int width>
struct columns_form {
    using shape = columns_shape<width>;

    static column_places places(const thin_layout& layout) {
        const int pieces = static_cast<int>(layout.lines) / width;
        return {pieces, shape::threads / pieces};
    }

    static gemv_schedule
    schedule(const sgemm_problem&, const vector_means& means, const thin_layout& layout) {
        return {static_cast<int>(layout.lines),
                shape::threads / 32,
                {.splits = means.device.sm_count},
                shape::unroll * places(layout).abreast,
                width};
    }

    static myblasStatus_t
    launch(const sgemm_problem& p, const thin_layout& layout, const launch_context& context) {
        const gemv_schedule own = schedule(p, {*context.device, context.workspace_bytes}, layout);
        const vector_sums meeting{
            static_cast<float*>(context.workspace), context.counters, nullptr};
        return launch_vectors(
            vector_columns_kernel<width>, own, p, layout, context, 0, places(layout), meeting);
    }

    // The other forms read 8 lines at once, or 32 by quads. They lose little if all lines fit into
    // one such load and the next column is far. With quads, they also lose little if no lane is
    // without a line. In a small matrix, adding the sums of all blocks takes longer than what they
    // lose; with many lines, also in a larger one.
    static bool
    suits(const sgemm_problem& p, const vector_means& means, const thin_layout& layout) {
        const int64_t lines = layout.lines;
        if (layout.k_contiguous || vectors_of(p, layout) != 1 || lines > shape::most_lines ||
            (lines <= few_lines && layout.ld > few_lines / 2) || (width == 4 && lines % 32 == 0))
            return false;
        // In sizes of the L2 cache.
        double least = 2;
        if (width == 4 && lines <= 128)
            least = 0.6;
        else if (width != 4 && lines <= 256)
            least = lines <= 200 ? 0.4 : 0.75;
        return matrix_bytes(p, layout) > least * static_cast<double>(means.device.l2_bytes) &&
               workspace_of(schedule(p, means, layout), p, layout) <= means.workspace_bytes;
    }
};

template <int width,
          int lines,
          int unroll = width == 4 && lines != 1   ? 2
                       : width == 1 && lines == 1 ? 8
                                                  : 4>
struct gemv_t {
    static gemv_schedule
    schedule(const sgemm_problem& p, const vector_means& means, const thin_layout& layout) {
        constexpr int chunk = k_shape<width, lines, unroll>::chunk;
        constexpr int64_t few_groups = 8; // adding sums in a cluster pays up to here
        const int64_t groups = ceil_div<int64_t>(layout.lines, lines);
        const int sms = means.device.sm_count;
        // As many warps as allow the blocks of all groups to run at the same time.
        const int most_warps = groups <= 2 * sms ? max_warps : groups <= 4 * sms ? 8 : 4;
        gemv_schedule own{lines, 0, {}, chunk, width};
        split_block(
            own, ceil_div<int64_t>(p.k, chunk), groups * vectors_of(p, layout), most_warps, sms);
        if (own.warps == most_warps && most_warps > min_warps)
            split_k(own, p, means, layout, 2 * max_warps / most_warps, groups <= few_groups);
        while (vectors_of(p, layout) == 1 && own.warps == min_warps && own.split.sharing > 1 &&
               shares_too_much(own, p, layout, means.device))
            set_sharing(own, own.split.sharing / 2);
        return own;
    }

    static myblasStatus_t
    launch(const sgemm_problem& p, const thin_layout& layout, const launch_context& context) {
        const gemv_schedule own = schedule(p, {*context.device, context.workspace_bytes}, layout);
        return launch_split(vector_k_kernel<width, lines, unroll>, own, p, layout, context);
    }

    // The fraction of the loads in flight that k uses. Warps that split k may need less in their
    // last turn.
    static double
    use(const sgemm_problem& p, const vector_means& means, const thin_layout& layout) {
        const gemv_schedule own = schedule(p, means, layout);
        const int64_t at_once = int64_t{own.chunk} * own.split.sharing * own.split.blocks();
        return static_cast<double>(p.k) /
               static_cast<double>(ceil_div<int64_t>(p.k, at_once) * at_once);
    }
};

// For matrices in the L2 cache with lines for all multiprocessors: as many warps to a group of
// lines as allow all blocks to run at the same time, but at least one and a half turns for each.
template <int width, int lines>
struct one_round_form {
    using shape = k_shape<width, lines, 2>;

    static gemv_schedule
    schedule(const sgemm_problem& p, const vector_means& means, const thin_layout& layout) {
        const int64_t turns = ceil_div<int64_t>(p.k, shape::chunk);
        gemv_schedule own{lines, min_warps, {}, shape::chunk, width};
        int sharing = min_warps;
        for (set_sharing(own, sharing);
             sharing > 1 &&
             (3 * sharing > 2 * turns || own.blocks(layout) > small_places(means.device));
             set_sharing(own, sharing))
            sharing /= 2;
        return own;
    }

    static myblasStatus_t
    launch(const sgemm_problem& p, const thin_layout& layout, const launch_context& context) {
        const gemv_schedule own = schedule(p, {*context.device, context.workspace_bytes}, layout);
        return launch_split(vector_k_kernel<width, lines, shape::unroll>, own, p, layout, context);
    }
};

// For large matrices.
template <int width, int lines, int unroll>
struct share_form {
    using shape = share_shape<width, lines, unroll>;

    static int64_t groups(const thin_layout& layout) {
        return ceil_div<int64_t>(layout.lines, lines);
    }

    static equal_shares
    shares(const sgemm_problem& p, const device_info& device, const thin_layout& layout) {
        const int64_t turns = ceil_div<int64_t>(p.k, shape::turn_k);
        const int64_t most_blocks =
            std::min(shape::blocks_per_sm * device.sm_count, counter_count / lines);
        const int64_t share = ceil_div(groups(layout) * turns, most_blocks);
        return {static_cast<int>(turns), static_cast<int>(share)};
    }
    static int64_t blocks(const equal_shares& shares, const thin_layout& layout) {
        return ceil_div<int64_t>(groups(layout) * shares.turns, shares.share);
    }

    static gemv_schedule schedule(const sgemm_problem&, const vector_means&, const thin_layout&) {
        gemv_schedule own{lines, shape::warps, {}, shape::chunk, width};
        set_sharing(own, shape::warps);
        return own;
    }

    static myblasStatus_t
    launch(const sgemm_problem& p, const thin_layout& layout, const launch_context& context) {
        const equal_shares own = shares(p, *context.device, layout);
        const product_grid grid{
            .x = blocks(own, layout), .threads = shape::warps * 32, .early = true};
        return launch_products(vector_share_kernel<width, lines, unroll>,
                               grid,
                               p,
                               context,
                               layout,
                               own,
                               context.counters);
    }

    // The other forms need fewer sums. With many rounds of blocks, a last round costs them little;
    // not so if loads are wide. They leave multiprocessors idle if few of these get a second block.
    static bool
    suits(const sgemm_problem& p, const device_info& device, const thin_layout& layout) {
        constexpr int64_t most_others = 24; // blocks whose sums a block adds
        constexpr double least_uneven_bytes = 7.5e6;
        const int64_t count = groups(layout);
        const bool is_uneven = width == 1 && count > device.sm_count &&
                               4 * count <= 5 * device.sm_count &&
                               matrix_bytes(p, layout) > least_uneven_bytes;
        const bool has_many_rounds = width == 1 && 2 * count > 5 * small_places(device);
        if (vectors_of(p, layout) != 1 || has_many_rounds ||
            !(is_uneven || exceeds_cache(p, layout, device)) ||
            count * ceil_div<int64_t>(p.k, shape::turn_k) > (1 << 30))
            return false;
        const equal_shares own = shares(p, device, layout);
        return most_others * own.share >= own.turns;
    }
};

// Scalar loads, with the number of loads in flight that leaves the fewest unused for this k.
template <class F>
auto with_words_of_k(const sgemm_problem& p,
                     const device_info& device,
                     const thin_layout& layout,
                     F&& f) {
    const vector_means means{device, unlimited};
    const double four = gemv_t<1, 4>::use(p, means, layout),
                 five = gemv_t<1, 4, 5>::use(p, means, layout),
                 six = gemv_t<1, 4, 6>::use(p, means, layout);
    if (four >= std::max(five, six))
        return f(gemv_t<1, 4>());
    return five >= six ? f(gemv_t<1, 4, 5>()) : f(gemv_t<1, 4, 6>());
}

// Whether the gaps between rows are so small that it is best to copy them, too. Then one copy can
// span several rows. What lies in gaps is never used, and may be written meanwhile. (The initcheck
// of compute-sanitizer reports gaps that nothing has written.)
bool lie_together(const sgemm_problem& p, const thin_layout& layout) {
    constexpr int64_t widest_gap = 16;
    return layout.ld <= p.k + widest_gap;
}

template <int width>
struct short_form {
    static gemv_schedule
    schedule(const sgemm_problem& p, const vector_means& means, const thin_layout& layout) {
        constexpr int64_t least_warps = 16; // of a multiprocessor
        const auto k = static_cast<int>(p.k);
        short_rows rows{};
        rows.k = k;
        rows.together = lie_together(p, layout);
        rows.pitch = rows.together ? static_cast<int>(layout.ld)
                     : width == 1  ? k | 1
                                   : (k + 3) / 4 * 4;
        const int64_t most =
            layout.lines * vectors_of(p, layout) / (32 * least_warps * means.device.sm_count);
        rows.per_lane = static_cast<int>(std::clamp<int64_t>(
            short_rows::warp_floats / (32 * rows.pitch), 1, std::clamp<int64_t>(most, 1, 8)));
        const int64_t warps = ceil_div<int64_t>(layout.lines, rows.warp_lines());
        gemv_schedule own{rows.warp_lines(),
                          static_cast<int>(std::min<int64_t>(warps, min_warps)),
                          {},
                          k,
                          width,
                          rows};
        while (smem_bytes(own) > sizeof(short_storage))
            own.warps /= 2;
        own.split.groups = own.warps;
        return own;
    }

    static size_t smem_bytes(const gemv_schedule& own) {
        return (static_cast<size_t>(own.rows.first()) +
                static_cast<size_t>(own.warps * own.rows.warp_copy())) *
               sizeof(float);
    }

    static myblasStatus_t
    launch(const sgemm_problem& p, const thin_layout& layout, const launch_context& context) {
        const gemv_schedule own = schedule(p, {*context.device, context.workspace_bytes}, layout);
        return launch_vectors(
            vector_short_kernel<width>, own, p, layout, context, smem_bytes(own), own.rows);
    }

    // With fewer lines than keep the device busy with one lane for each line, several lanes should
    // share a line.
    static bool
    suits(const sgemm_problem& p, const device_info& device, const thin_layout& layout) {
        constexpr int64_t least_lines = 16, least_k = 16, most_k = 2 * short_rows::most_k;
        const int64_t least_together = int64_t{32} * 6 * device.sm_count;
        if (!layout.k_contiguous || p.k == 0)
            return false;
        // With a shorter k, fewer lanes can share a line. Rows that are not contiguous are copied
        // one by one, which needs many warps.
        const bool is_cheap = p.batch_count == 1 && lie_together(p, layout);
        const int64_t least = least_together * (is_cheap ? std::min<int64_t>(p.k, 96) : 96) / 96;
        const int64_t most_alone = is_cheap && vectors_of(p, layout) == 1
                                       ? short_rows::most_k_together
                                       : short_rows::most_k;
        if (p.k <= most_alone && layout.lines >= least)
            return true;
        return p.batch_count > 1 && layout.short_lines == 1 && layout.lines >= least_lines &&
               p.k >= least_k && p.k <= most_k && layout.lines * p.batch_count >= least_together;
    }
};

// Whether copies of 16 bytes are aligned in each row.
bool copies_quads(const sgemm_problem& p, const thin_layout& layout) {
    const float* matrix = layout.swap_ab ? p.b : p.a;
    const int64_t stride = layout.swap_ab ? p.stride_b : p.stride_a;
    return batch_aligned16(
               matrix, 0, stride, layout.swap_ab ? p.b_array : p.a_array, p.batch_count) &&
           layout.ld % 4 == 0 && p.k % 4 == 0;
}

// With a k of 112 to 128, four loads of words of a warp cover a line. In batches of many such
// lines, registers hold more of the matrix than shared memory does.
bool are_covered_by_words(const sgemm_problem& p, const thin_layout& layout) {
    constexpr int64_t least_lines = 512, least_k = 112, most_k = 128;
    return layout.k_contiguous && p.batch_count > 1 && layout.short_lines == 1 &&
           layout.lines >= least_lines && p.k >= least_k && p.k <= most_k;
}

// Calls f with the form for a product. The sizes at which forms change were measured:
// docs/experiments/sgemm_skinny.md.
template <class F>
auto with_form(const sgemm_problem& p,
               const vector_means& means,
               const thin_layout& layout,
               F&& f) {
    const device_info& device = means.device;
    if (are_covered_by_words(p, layout))
        return f(gemv_t<1, 4>());
    if (short_form<1>::suits(p, device, layout))
        return copies_quads(p, layout) ? f(short_form<4>()) : f(short_form<1>());
    const int width = load_width(p, layout);
    const int64_t lines = layout.lines;
    const bool is_alone = vectors_of(p, layout) == 1;
    if (layout.k_contiguous) {
        constexpr int64_t many_lines = 4096;
        // If blocks split k, it is better to read the vector once for several lines. With scalar
        // loads, this shows where everything comes from the L2 cache, too. If the vector's elements
        // are apart, each brings a sector.
        const bool is_apart = std::abs(layout.short_k_step) > 2;
        const bool is_shared = lines >= 3 && lines <= 2 * device.sm_count &&
                               (is_large(p, device, layout) ||
                                (width == 1 && p.k >= least_shared_k &&
                                 matrix_bytes(p, layout) > least_shared_bytes) ||
                                (is_apart && matrix_bytes(p, layout) > least_apart_bytes));
        // With many lines, few warps share a line, and each has as many loads as a short k needs.
        if (width > 1 && is_alone && lines >= many_lines && p.k >= 64 && p.k <= 128)
            return width == 4 ? f(gemv_t<4, 4, 1>()) : f(gemv_t<2, 4, 2>());
        if (width == 2 && is_alone && lines >= many_lines && p.k > 128 && p.k <= 1024)
            return p.k > 256 && p.k < 900 ? f(gemv_t<2, 4, 1>()) : f(gemv_t<2, 4, 2>());
        if (width == 4 && is_alone && exceeds_cache(p, layout, device) && p.k <= 640)
            return p.k <= 256 ? f(gemv_t<4, 4, 1>()) : f(gemv_t<4, 4>());
        if (width == 4 && share_form<4, 4, 2>::suits(p, device, layout))
            return f(share_form<4, 4, 2>());
        if (width == 1 && share_form<1, 4, 4>::suits(p, device, layout))
            return f(share_form<1, 4, 4>());
        // With fewer lines and a long k, more warps share k than a block of 4 has.
        constexpr int64_t least_lines = 500, least_k = 256, most_k = 3000;
        if (width == 4 && is_alone && lines >= least_lines && p.k >= least_k &&
            (p.k < most_k || lines > small_places(device)))
            return lines <= min_warps * 2 * small_places(device) ? f(one_round_form<4, 2>())
                                                                 : f(one_round_form<4, 4>());
        if (width == 4 && (is_shared || (p.k >= 64 && p.k < 2048 && lines >= many_lines)))
            return f(gemv_t<4, 4>());
        if (width == 4 && p.k >= 128)
            return p.k >= 1024 || lines < 512 ? f(gemv_t<4, 1>()) : f(gemv_t<4, 2>());
        if (width >= 2 && p.k >= 128)
            return f(gemv_t<2, 2>());
        return lines >= 150 || is_shared ? with_words_of_k(p, device, layout, f)
                                         : f(gemv_t<1, 1>());
    }
    // If columns begin at cache lines, narrower loads read them equally well.
    const float* const matrix = layout.swap_ab ? p.b : p.a;
    const bool on_lines = reinterpret_cast<uintptr_t>(matrix) % 128 == 0 && layout.ld % 32 == 0;
    if (width == 4 && columns_form<4>::suits(p, means, layout))
        return f(columns_form<4>());
    if (width == 2 && columns_form<2>::suits(p, means, layout))
        return f(columns_form<2>());
    if (width == 1 && columns_form<1>::suits(p, means, layout))
        return f(columns_form<1>());
    // In batches, the products fill the device, and wide loads leave fewer blocks.
    const auto fills = [&](int64_t warp_lines) {
        return width == 4 && p.batch_count > 1 && layout.short_lines == 1 && lines >= warp_lines &&
               ceil_div(lines, warp_lines) * p.batch_count >= device.sm_count / 2;
    };
    if (fills(128))
        return f(gemv_n<4, 32>());
    if (fills(32))
        return f(gemv_n<4, 8>());
    if (width == 4 && lines >= 512 && (!on_lines || p.k <= 64) && is_large(p, device, layout))
        return f(gemv_n<4, 32>());
    if (width == 4 &&
        (lines >= 1024 || (p.k >= long_k && lines > (is_alone ? narrow_lines : few_lines))))
        return f(gemv_n<4, 8>());
    const auto unaligned = [&](auto narrow) {
        using words = gemv_n<4, 32, true>;
        if (width == 4 || !is_single(p) || lines < 4 * words::shape::lines)
            return f(narrow);
        const vector_means any{device, unlimited};
        const gemv_schedule wide = words().schedule(p, any, layout);
        // The narrow form was faster than predicted, by up to 11% against words, where no
        // multiprocessor gets two groups of lines and half of the L2 cache holds the matrix.
        // Elsewhere it was slower than predicted.
        using shape = typename decltype(narrow)::shape;
        const bool is_light = lines <= int64_t{shape::lines} * device.sm_count &&
                              2 * matrix_bytes(p, layout) < static_cast<double>(device.l2_bytes);
        const double margin = shape::k_lanes > 1 ? 1.03 : is_light ? 1.11 : 0.95;
        const double own = narrow.schedule(p, any, layout).cycles;
        return own <= margin * wide.cycles ? f(narrow) : f(words());
    };
    if (width >= 2 && lines <= 4096 && (lines > few_lines || !is_alone))
        return unaligned(gemv_n<2, 8>());
    return lines > 1024 || (lines > 256 && p.k >= long_k) ? unaligned(gemv_n<1, 32>())
                                                          : unaligned(gemv_n<1, 8>());
}

gemv_schedule
schedule_of(const sgemm_problem& p, const vector_means& means, const thin_layout& layout) {
    return with_form(p, means, layout, [&](auto form) { return form.schedule(p, means, layout); });
}

struct pack_shape {
    static constexpr int threads = 256, per_thread = 4;
    static constexpr int block_k = threads * per_thread;
};

// Copies a vector to where its elements are neighbours.
__global__ void __launch_bounds__(pack_shape::threads)
    pack_vector_kernel(const float* vector, int64_t step, int k, scalar alpha, float* packed) {
    constexpr int threads = pack_shape::threads, per_thread = pack_shape::per_thread;
    const auto first = static_cast<int>(blockIdx.x * pack_shape::block_k + threadIdx.x);
    grid_dependency_sync();
    launch_dependents();
    if (resolve(alpha) == 0) // then the vector must not be read
        return;
    float value[per_thread];
#pragma unroll
    for (int i = 0; i < per_thread; ++i)
        value[i] = first + i * threads < k ? vector[(first + i * threads) * step] : 0;
#pragma unroll
    for (int i = 0; i < per_thread; ++i)
        if (first + i * threads < k)
            packed[first + i * threads] = value[i];
}

// What the forms compute: the product itself, or with a vector that is packed first.
struct gemv_call {
    sgemm_problem p;
    thin_layout layout;
    size_t packed_bytes = 0; // of the vector, at the beginning of the workspace
};

// Whether it is worth a launch to pack the vector: if many lines read far more than its elements
// from the L2 cache, or if a long one alone is not aligned.
bool packs_vector(const sgemm_problem& p, const thin_layout& layout, const device_info& device) {
    constexpr int64_t least_lines = 9, least_step = 4, sector = 8;
    constexpr int64_t least_unaligned_lines = 200, least_k = 12000;
    constexpr int64_t l1_bytes = 256 << 10;
    if (!layout.k_contiguous || !is_single(p) || layout.short_lines != 1 ||
        layout.lines < least_lines || !is_large(p, device, layout))
        return false;
    const int64_t step = std::abs(layout.short_k_step);
    if (step >= least_step)
        return p.k * std::min(step, sector) * static_cast<int64_t>(sizeof(float)) > l1_bytes;
    const float* const matrix = layout.swap_ab ? p.b : p.a;
    return layout.lines >= least_unaligned_lines && p.k >= least_k && load_width(p, layout) < 4 &&
           2 * matrix_bytes(p, layout) > static_cast<double>(device.l2_bytes) &&
           (reinterpret_cast<uintptr_t>(matrix) / sizeof(float) | layout.ld | p.k) % 4 == 0;
}

gemv_call call_of(const sgemm_problem& p,
                  const device_info& device,
                  size_t workspace_bytes,
                  void* workspace) {
    constexpr size_t alignment = 256; // bytes
    const thin_layout layout = layout_of(p);
    const size_t bytes = ceil_div(static_cast<size_t>(p.k) * sizeof(float), alignment) * alignment;
    if (bytes > workspace_bytes || !packs_vector(p, layout, device))
        return {p, layout};
    gemv_call call{p, layout, bytes};
    const auto* const packed = static_cast<const float*>(workspace);
    if (layout.swap_ab)
        call.p.a = packed, call.p.transa = true, call.p.lda = aligned_ld(p.k);
    else
        call.p.b = packed, call.p.transb = false, call.p.ldb = aligned_ld(p.k);
    call.layout = layout_of(call.p);
    return call;
}

size_t best_workspace_bytes(const sgemm_problem& p, const device_info& device) {
    const gemv_call call = call_of(p, device, unlimited, nullptr);
    const gemv_schedule own = schedule_of(call.p, {device, unlimited}, call.layout);
    return call.packed_bytes + workspace_of(own, call.p, call.layout);
}

work_estimate work(const work_query& q) {
    constexpr int threads_per_sm = 1024; // threads that the registers suffice for
    const gemv_call call = call_of(q.problem, q.device, q.workspace_bytes, nullptr);
    const thin_layout& layout = call.layout;
    const gemv_schedule schedule =
        schedule_of(call.p, {q.device, q.workspace_bytes - call.packed_bytes}, layout);
    const auto vectors = static_cast<float>(layout.short_lines) * q.batch;
    const auto lines = static_cast<float>(layout.lines);
    const float count = static_cast<float>(schedule.blocks(layout)) * vectors;
    const block_rounds blocks(q.device,
                              count,
                              static_cast<float>(threads_per_sm / (32 * schedule.warps)),
                              schedule.split.cluster);
    const float busy = std::min(count, static_cast<float>(q.device.sm_count));
    const float elements = lines * q.k * vectors / busy; // of one multiprocessor
    const float k_at_once = static_cast<float>(schedule.split.sharing) *
                            static_cast<float>(schedule.split.blocks()) *
                            static_cast<float>(schedule.chunk);
    work_estimate w;
    w.launches = call.packed_bytes > 0 ? 2 : 1;
    w.rounds = blocks.rounds;
    w.steps = blocks.rounds * whole_up(q.k / k_at_once);
    w.math_cycles = fma_cycles(q, elements);
    // Where lanes split k, lanes beyond its end issue loads of nothing, which take as long.
    const auto chunk = static_cast<float>(schedule.chunk);
    const float used = layout.k_contiguous ? q.k / (whole_up(q.k / chunk) * chunk) : 1;
    w.copies = elements / (static_cast<float>(32 * schedule.width) * used);
    // If elements of a vector are apart, each of them brings a sector, and every block reads them.
    constexpr int64_t sector = 8; // elements
    const auto apart = static_cast<float>(std::min(std::abs(layout.short_k_step), sector) - 1) * 4;
    const float readers = count / static_cast<float>(schedule.split.blocks());
    w.l2_bytes = elements * 4 + readers * q.k * apart / busy;
    // Each vector reads the matrix again: from memory, as far as the L2 cache does not keep it.
    const float matrix_bytes = 4 * lines * q.k;
    const float kept = static_cast<float>(q.device.l2_bytes) / 2;
    const float reread = std::clamp(matrix_bytes / kept - 1, 0.0f, 1.0f) * matrix_bytes * q.batch *
                         static_cast<float>(layout.short_lines - 1);
    w.memory_bytes = q.operand_bytes + vectors * q.k * apart + reread;
    // Adding the splits in memory takes as long as adding about 180 sums from shared memory.
    w.exchanges = static_cast<float>(schedule.split.sharing * schedule.split.cluster) +
                  (schedule.split.splits > 1 ? 180 : 0);
    w.wave_efficiency = blocks.wave_efficiency;
    w.tile_utilisation = used;
    return w;
}

myblasStatus_t launch_kernel(const sgemm_problem& p, const launch_context& context) {
    const gemv_call call = call_of(p, *context.device, context.workspace_bytes, context.workspace);
    launch_context own = context;
    if (call.packed_bytes > 0) {
        const thin_layout layout = layout_of(p);
        auto* const packed = static_cast<float*>(context.workspace);
        const auto blocks = static_cast<unsigned>(ceil_div<int64_t>(p.k, pack_shape::block_k));
        const myblasStatus_t status = launch_overlapped(pack_vector_kernel,
                                                        dim3(blocks),
                                                        pack_shape::threads,
                                                        context,
                                                        layout.swap_ab ? p.a : p.b,
                                                        layout.short_k_step,
                                                        static_cast<int>(p.k),
                                                        p.alpha,
                                                        packed);
        if (status != MYBLAS_STATUS_SUCCESS)
            return status;
        own.workspace = packed + call.packed_bytes / sizeof(float);
        own.workspace_bytes -= call.packed_bytes;
    }
    return with_form(call.p, {*own.device, own.workspace_bytes}, call.layout, [&](auto form) {
        return form.launch(call.p, call.layout, own);
    });
}

} // namespace

const sgemm_kernel sgemm_gemv = {
    .name = "gemv",
    .description =
        "one row or column of C: the matrix straight to registers, k shared by warps and blocks",
    .min_arch = 80,
    .block_m = 32,
    .block_n = 1,
    .block_k = 32,
    .threads = columns_shape<1>::threads,
    .has_epilogue = true,
    .takes_backwards = true,
    .uses_counters = true,
    .accepts = fits,
    .best_workspace_bytes = best_workspace_bytes,
    .work = work,
    .launch = launch_kernel,
};

} // namespace myblas::cuda
