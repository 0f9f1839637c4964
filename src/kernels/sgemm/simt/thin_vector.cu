// thin/vector: a matrix with a vector, one side of C is 1. The matrix is the long operand, its lines the long side of C;
// the line of the other operand is the vector.
//
// Bound: reading the matrix once, 4 max(m, n) k bytes. A thread has 8 to 32 loads on the way at a time, and nobody waits
// for anybody before the end. Four kernels, by what lies along the matrix's memory: lines and shifted
// (thin_vector_lines.cuh), k and short (thin_vector_k.cuh).
//
// A warp has all of some lines, or the warps of a block share their k, and so do blocks: those of a cluster, or any number
// by way of the workspace, where the last one adds the sums of all in a fixed order. How many do so follows from what a
// multiprocessor can have on the way (share_k), so that the device is full whatever the ratio of the sides.
//
// Loads are of 16 or 8 bytes where the matrix consists of such pieces, and the vector too where k runs along memory.
// Shared memory: a sum for each warp and line. Launch: 4 to 16 warps.
// Vectors may run backwards: their distances are negative then.
// Accepts all that the grid has blocks for, k up to 2^30; of wider outputs each line of the short side reads
// the matrix again.
#include "kernels/sgemm/parts/work.h"
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/simt/thin_vector_k.cuh"
#include "kernels/sgemm/simt/thin_vector_lines.cuh"

#include <bit>

namespace myblas::cuda {
namespace {

constexpr int min_warps = thin_vector::min_warps, max_warps = thin_vector::max_warps;
constexpr int64_t long_k = 4096;
// Of so few lines quads would leave most lanes of lines_form<4, 8> without any.
constexpr int64_t few_lines = 8;

// How many floats the loads may cover: 4, 2 or 1.
int load_width(const sgemm_problem& p, const thin_layout& layout) {
    if (p.a_array || p.b_array || p.batch_count > 1)
        return 1;
    const float *matrix = layout.swapped ? p.b : p.a, *vector = layout.swapped ? p.a : p.b;
    // Of what is a multiple of the width, the lowest bits.
    uint64_t bits = reinterpret_cast<uintptr_t>(matrix) / sizeof(float) | layout.ld;
    if (layout.k_contiguous) {
        if (layout.short_k_step != 1)
            return 1;
        bits |= reinterpret_cast<uintptr_t>(vector) / sizeof(float) | p.k;
        if (layout.short_lines > 1)
            bits |= layout.short_step;
    } else {
        bits |= layout.lines;
    }
    return bits % 4 == 0 ? 4 : bits % 2 == 0 ? 2 : 1;
}

bool fits(const sgemm_problem& p, const device_info&) {
    return std::min(p.m, p.n) <= max_grid_y && std::max(p.m, p.n) <= max_grid_x && p.k <= (1 << 30);
}

// How a product is shared out.
struct vector_plan {
    int lines; // of a warp
    int warps; // of a block
    vector_split split;
    int chunk;         // k of a warp at a time
    int width;         // floats of a load
    short_rows rows{}; // of the kernel `short`
    double cycles = 0; // predicted, by share_k

    int64_t groups(const thin_layout& layout) const { // of blocks that share k
        return ceil_div<int64_t>(layout.lines, int64_t{lines} * split.groups);
    }
    int64_t blocks(const thin_layout& layout) const { // of a vector
        return groups(layout) * split.blocks();
    }
};

int64_t vectors_of(const sgemm_problem& p, const thin_layout& layout) {
    return layout.short_lines * p.batch_count;
}

size_t workspace_of(const vector_plan& plan, const sgemm_problem& p, const thin_layout& layout) {
    if (plan.split.parts == 1)
        return 0;
    return static_cast<size_t>(plan.groups(layout) * vectors_of(p, layout) * plan.split.parts) *
           static_cast<size_t>(plan.lines) * sizeof(float);
}

// What plans follow from beside the problem.
struct vector_means {
    const device_info& device;
    size_t workspace_bytes;
};

// The warps of a block that share k: as many as have a chunk of it, or as fill the device with `line_groups`. If these are
// not all warps of a block, it has groups of them.
void share_block(vector_plan& plan, int64_t chunks, int64_t line_groups, int most, int sm_count) {
    constexpr int64_t full = 64; // warps of a multiprocessor, some of which wait for a place
    const auto power_of_two = [](int64_t x) { return std::bit_ceil(static_cast<uint64_t>(x)); };
    const auto wanted = std::min<int64_t>(
        static_cast<int64_t>(power_of_two(ceil_div(full * sm_count, line_groups))), most);
    if (chunks <= wanted && chunks >= min_warps) {
        plan.warps = plan.split.sharing = static_cast<int>(chunks);
        return;
    }
    const auto sharing =
        std::min<int64_t>(wanted, static_cast<int64_t>(power_of_two(std::max<int64_t>(chunks, 1))));
    plan.split.sharing = static_cast<int>(sharing);
    plan.split.sharing_log = std::countr_zero(static_cast<uint64_t>(sharing));
    plan.warps = std::max(plan.split.sharing, min_warps);
    plan.split.groups = plan.warps / plan.split.sharing;
}

// The plan of blocks that each have all k of some lines, with as many of them sharing it as makes the time least. They come
// in rounds of as many as the device holds, and each reads in turns what its warps have on the way: the time of a round is
// that of starting, a latency for each turn, and the bytes of the busiest multiprocessor by the rate of memory or of the L2
// cache, or by the most that a multiprocessor reads. In cycles, of an H200 (docs/experiments/vectors.md): to start, the
// latencies, to meet in a cluster, to meet in memory (to write, to count, to read), and there for each further 8 loads of a
// thread. The rates are beyond what memory gives, since latencies of one block are the transfers of others.
void share_k(vector_plan& plan,
             const sgemm_problem& p,
             const vector_means& means,
             const thin_layout& layout,
             int resident, // blocks of a multiprocessor
             bool may_cluster) {
    constexpr double start = 1480, cache_latency = 950, memory_latency = 1300, most_rate = 42,
                     memory_rate = 1.33, cache_rate = 1.84, in_cluster = 1600, in_memory = 5400,
                     further_loads = 800;
    constexpr double cached = 0.7; // of the L2 cache, what is found there again
    constexpr int64_t most_rounds = 8;
    const device_info& device = means.device;
    const auto real = [](auto x) { return static_cast<double>(x); };
    const int64_t sms = device.sm_count, places = sms * resident;
    const int64_t count = plan.groups(layout) * vectors_of(p, layout);
    const int64_t turns = ceil_div<int64_t>(p.k, int64_t{plan.chunk} * plan.split.sharing);
    const double block_bytes =
        4 * real(std::min<int64_t>(plan.lines * plan.split.groups, layout.lines)) * real(p.k);
    const bool is_cached = real(count) * block_bytes < cached * real(device.l2_bytes);
    const double latencies = real(turns) * (is_cached ? cache_latency : memory_latency);
    const double all_rate = 1e3 * real(device.memory_gbps) / real(device.clock_mhz) *
                            (is_cached ? cache_rate : memory_rate); // bytes a cycle

    // Of blocks with all k, without starting.
    const auto round = [&](int64_t blocks) {
        if (blocks == 0)
            return 0.0;
        const double beside = real(quotient_up(blocks, sms));
        return latencies +
               beside * block_bytes / std::min(most_rate, all_rate / real(std::min(blocks, sms)));
    };
    const double full_round = round(places);
    const auto cycles = [&](int64_t parts, int cluster) {
        const int64_t blocks = count * parts * cluster, rounds = quotient(blocks, places);
        const double share = real(quotient_up(turns, parts * cluster)) / real(turns);
        const int64_t loads = quotient_up(parts * plan.lines, 32 * plan.warps);
        const double meeting = parts > 1     ? in_memory + further_loads * real((loads - 1) / 8)
                               : cluster > 1 ? in_cluster
                                             : 0;
        return start * real(quotient_up(blocks, places)) + meeting +
               share * (real(rounds) * full_round + round(blocks - rounds * places));
    };
    plan.cycles = cycles(1, 1);
    if (plan.split.groups > 1 || turns == 1 || count >= places * most_rounds)
        return;
    const vector_plan whole = plan;
    const auto consider = [&](int64_t parts, int cluster) {
        if (const double own = cycles(parts, cluster); own < plan.cycles) {
            plan.cycles = own;
            plan.split.parts = static_cast<int>(parts);
            plan.split.cluster = cluster;
        }
    };
    if (may_cluster && device.arch >= 90)
        consider(1, largest_cluster);
    int64_t last = 1;
    for (int64_t i = 1; i <= most_rounds * resident && count <= counter_count;
         i += i < resident ? 1 : resident) {
        const int64_t most = i > resident ? turns / 2 : turns;
        if (const int64_t parts = std::min(quotient(sms * i, count), most); parts > last)
            consider(last = parts, 1);
    }
    if (workspace_of(plan, p, layout) > means.workspace_bytes)
        plan = whole;
}

// `extra`: what the kernel takes beside the problem.
template <class Kernel, class... Extra>
myblasStatus_t launch_vectors(Kernel kernel,
                              const vector_plan& plan,
                              const sgemm_problem& p,
                              const thin_layout& layout,
                              const launch_context& context,
                              size_t smem_bytes,
                              const Extra&... extra) {
    const product_grid grid{.x = plan.blocks(layout),
                            .y = layout.short_lines,
                            .threads = plan.warps * 32,
                            .smem_bytes = smem_bytes,
                            .cluster = plan.split.cluster,
                            .early = true};
    return launch_products(kernel, grid, p, context, layout, extra...);
}

template <class Kernel>
myblasStatus_t launch_split(Kernel kernel,
                            const vector_plan& plan,
                            const sgemm_problem& p,
                            const thin_layout& layout,
                            const launch_context& context) {
    const vector_sums meeting{static_cast<float*>(context.workspace), context.counters};
    return launch_vectors(kernel, plan, p, layout, context, 0, plan.split, meeting);
}

template <int width, int line_lanes>
struct lines_form {
    using shape = lines_shape<width, line_lanes>;

    static vector_plan
    plan(const sgemm_problem& p, const vector_means& means, const thin_layout& layout) {
        constexpr int64_t few_groups = line_lanes == 32 ? 32 : 20; // for which clusters pay
        constexpr int64_t least_k = 1200, very_few = 8;
        const int64_t groups = ceil_div<int64_t>(layout.lines, shape::lines);
        const int64_t chunks = ceil_div<int64_t>(p.k, shape::chunk);
        vector_plan own{shape::lines, 0, {}, shape::chunk, width};
        share_block(own, chunks, groups * vectors_of(p, layout), max_warps, means.device.sm_count);
        const bool may_cluster =
            p.k >= long_k ? groups <= few_groups : p.k >= least_k && groups <= very_few;
        share_k(own, p, means, layout, 2, may_cluster);
        return own;
    }

    static myblasStatus_t
    launch(const sgemm_problem& p, const thin_layout& layout, const launch_context& context) {
        const vector_plan own = plan(p, {*context.device, context.workspace_bytes}, layout);
        const auto start = [&](auto kernel) {
            return launch_split(kernel, own, p, layout, context);
        };
        // A block with a multiprocessor to itself has registers for all its loads at once.
        if (own.split.cluster == 1 &&
            own.blocks(layout) * layout.short_lines <= context.device->sm_count) {
            if constexpr (width == 4)
                return start(vector_lines_kernel<width, line_lanes, false, 1>);
            else if constexpr (line_lanes == 32)
                return start(vector_lines_kernel<width, line_lanes, true, 1>);
        }
        return start(vector_lines_kernel<width, line_lanes, false, 2>);
    }
};

// From a matrix that takes a part of the L2 cache on, which pays for meeting, and where k is so short that none meet.
bool is_large(const sgemm_problem& p, const device_info& device, const thin_layout& layout) {
    const double bytes = 4 * static_cast<double>(layout.lines) * static_cast<double>(p.k);
    return bytes > static_cast<double>(device.l2_bytes) / 4 ||
           (p.k <= 64 && layout.lines >= int64_t{512} * device.sm_count);
}

struct shifted_form {
    using shape = shifted_shape;

    static vector_plan
    plan(const sgemm_problem& p, const vector_means& means, const thin_layout& layout) {
        const int64_t groups = ceil_div<int64_t>(layout.lines, shape::lines);
        const int64_t chunks = ceil_div<int64_t>(p.k, shape::chunk);
        vector_plan own{shape::lines, 0, {}, shape::chunk, shape::width};
        share_block(
            own, chunks, groups * vectors_of(p, layout), shape::max_warps, means.device.sm_count);
        share_k(own, p, means, layout, 3, p.k >= long_k);
        return own;
    }

    static myblasStatus_t
    launch(const sgemm_problem& p, const thin_layout& layout, const launch_context& context) {
        const vector_plan own = plan(p, {*context.device, context.workspace_bytes}, layout);
        return launch_split(vector_shifted_kernel, own, p, layout, context);
    }

    static bool
    suits(const sgemm_problem& p, const device_info& device, const thin_layout& layout) {
        // Quads reach into the columns before and behind: nothing else may lie between them.
        return !layout.k_contiguous && is_single(p) && load_width(p, layout) < 4 &&
               layout.ld == layout.lines && layout.lines >= 4 * shape::lines &&
               is_large(p, device, layout);
    }
};

template <int width,
          int lines,
          int unroll = width == 4 && lines != 1   ? 2
                       : width == 1 && lines == 1 ? 8
                                                  : 4>
struct k_form {
    static vector_plan
    plan(const sgemm_problem& p, const vector_means& means, const thin_layout& layout) {
        constexpr int chunk = k_shape<width, lines, unroll>::chunk;
        constexpr int64_t few_groups = 6; // for which meeting in clusters pays
        const int64_t groups = ceil_div<int64_t>(layout.lines, lines);
        const int sms = means.device.sm_count;
        // As many as the device holds of the blocks of all groups at the same time.
        const int most_warps = groups <= 2 * sms ? max_warps : groups <= 4 * sms ? 8 : 4;
        vector_plan own{lines, 0, {}, chunk, width};
        share_block(
            own, ceil_div<int64_t>(p.k, chunk), groups * vectors_of(p, layout), most_warps, sms);
        if (own.warps == most_warps && most_warps > min_warps)
            share_k(own, p, means, layout, 2 * max_warps / most_warps, groups <= few_groups);
        return own;
    }

    static myblasStatus_t
    launch(const sgemm_problem& p, const thin_layout& layout, const launch_context& context) {
        const vector_plan own = plan(p, {*context.device, context.workspace_bytes}, layout);
        return launch_split(vector_k_kernel<width, lines, unroll>, own, p, layout, context);
    }

    // The part of its loads that warps which share k have on the way, and need.
    static double
    use(const sgemm_problem& p, const vector_means& means, const thin_layout& layout) {
        const vector_plan own = plan(p, means, layout);
        const int64_t at_once = int64_t{own.chunk} * own.split.sharing * own.split.blocks();
        return static_cast<double>(p.k) /
               static_cast<double>(ceil_div<int64_t>(p.k, at_once) * at_once);
    }
};

// Word by word, with as many loads in flight as k has most use for.
template <class F>
auto with_words_of_k(const sgemm_problem& p,
                     const device_info& device,
                     const thin_layout& layout,
                     F&& f) {
    const vector_means means{device, std::numeric_limits<size_t>::max()};
    const double four = k_form<1, 4>::use(p, means, layout),
                 five = k_form<1, 4, 5>::use(p, means, layout),
                 six = k_form<1, 4, 6>::use(p, means, layout);
    if (four >= std::max(five, six))
        return f(k_form<1, 4>());
    return five >= six ? f(k_form<1, 4, 5>()) : f(k_form<1, 4, 6>());
}

// Whether one copy takes several rows: what lies between rows is not read.
bool lie_together(const sgemm_problem& p, const thin_layout& layout) { return layout.ld == p.k; }

template <int width>
struct short_form {
    static vector_plan
    plan(const sgemm_problem& p, const vector_means&, const thin_layout& layout) {
        const auto k = static_cast<int>(p.k);
        short_rows rows{};
        rows.k = k;
        rows.together = lie_together(p, layout);
        rows.pitch = rows.together ? k : width == 1 ? k | 1 : (k + 3) / 4 * 4;
        rows.per_lane = std::clamp(short_rows::warp_floats / (32 * rows.pitch), 1, 8);
        vector_plan own{rows.warp_lines(), min_warps, {}, k, width, rows};
        while (smem_bytes(own) > sizeof(short_storage))
            own.warps /= 2;
        own.split.groups = own.warps;
        return own;
    }

    static size_t smem_bytes(const vector_plan& own) {
        return (static_cast<size_t>(own.rows.first()) +
                static_cast<size_t>(own.warps * own.rows.warp_lines() * own.rows.pitch)) *
               sizeof(float);
    }

    static myblasStatus_t
    launch(const sgemm_problem& p, const thin_layout& layout, const launch_context& context) {
        const vector_plan own = plan(p, {*context.device, context.workspace_bytes}, layout);
        return launch_vectors(
            vector_short_kernel<width>, own, p, layout, context, smem_bytes(own), own.rows);
    }

    // With fewer lines than keep the device busy with a lane for each, lines had better be shared by lanes.
    static bool
    suits(const sgemm_problem& p, const device_info& device, const thin_layout& layout) {
        return layout.k_contiguous && p.k <= short_rows::most_k && p.k > 0 &&
               layout.lines >= int64_t{32} * 6 * device.sm_count;
    }
};

// Whether all copies of 16 bytes are aligned: of rows together their first one is.
bool copies_quads(const sgemm_problem& p, const thin_layout& layout) {
    const float* matrix = layout.swapped ? p.b : p.a;
    return p.batch_count == 1 && !p.a_array && !p.b_array &&
           reinterpret_cast<uintptr_t>(matrix) % 16 == 0 &&
           (lie_together(p, layout) || (layout.ld % 4 == 0 && p.k % 4 == 0));
}

// Calls f with the form for a product: which for which size is measured in docs/experiments/sgemm_skinny.md.
template <class F>
auto with_form(const sgemm_problem& p,
               const device_info& device,
               const thin_layout& layout,
               F&& f) {
    if (short_form<1>::suits(p, device, layout))
        return copies_quads(p, layout) ? f(short_form<4>()) : f(short_form<1>());
    const int width = load_width(p, layout);
    const int64_t lines = layout.lines;
    if (layout.k_contiguous) {
        // Blocks share k: they had better read the vector for several lines at once.
        const bool is_shared =
            lines >= 3 && lines <= 2 * device.sm_count && is_large(p, device, layout);
        if (width == 4 && (is_shared || (p.k >= 64 && p.k < 2048 && lines >= 4096)))
            return f(k_form<4, 4>());
        if (width == 4 && p.k >= 128)
            return p.k >= 1024 || lines < 512 ? f(k_form<4, 1>()) : f(k_form<4, 2>());
        if (width >= 2 && p.k >= 128)
            return f(k_form<2, 2>());
        return lines >= 150 || is_shared ? with_words_of_k(p, device, layout, f)
                                         : f(k_form<1, 1>());
    }
    // Columns that start where cache lines do are read as well by narrower loads.
    const float* const matrix = layout.swapped ? p.b : p.a;
    const bool on_lines = reinterpret_cast<uintptr_t>(matrix) % 128 == 0 && layout.ld % 32 == 0;
    if (width == 4 && lines >= 512 && (!on_lines || p.k <= 64) && is_large(p, device, layout))
        return f(lines_form<4, 32>());
    if (width == 4 && (lines >= 1024 || (p.k >= long_k && lines > few_lines)))
        return f(lines_form<4, 8>());
    if (shifted_form::suits(p, device, layout)) {
        const vector_means means{device, std::numeric_limits<size_t>::max()};
        if (p.k <= 64 || shifted_form::plan(p, means, layout).cycles <
                             lines_form<1, 32>::plan(p, means, layout).cycles)
            return f(shifted_form());
    }
    if (width >= 2 && lines <= 4096)
        return f(lines_form<2, 8>());
    return lines > 1024 || (lines > 256 && p.k >= long_k) ? f(lines_form<1, 32>())
                                                          : f(lines_form<1, 8>());
}

vector_plan plan_of(const sgemm_problem& p, const vector_means& means, const thin_layout& layout) {
    return with_form(
        p, means.device, layout, [&](auto form) { return form.plan(p, means, layout); });
}

size_t best_workspace_bytes(const sgemm_problem& p, const device_info& device) {
    const thin_layout layout = layout_of(p);
    return workspace_of(
        plan_of(p, {device, std::numeric_limits<size_t>::max()}, layout), p, layout);
}

work_estimate work(const work_query& q) {
    constexpr int threads_per_sm = 1024; // that have the registers
    const thin_layout layout = layout_of(q.problem);
    const vector_plan plan = plan_of(q.problem, {q.device, q.workspace_bytes}, layout);
    const auto vectors = static_cast<float>(layout.short_lines) * q.batch;
    const auto lines = static_cast<float>(layout.lines);
    const float count = static_cast<float>(plan.blocks(layout)) * vectors;
    const block_rounds blocks(q.device,
                              count,
                              static_cast<float>(threads_per_sm / (32 * plan.warps)),
                              plan.split.cluster);
    const float busy = std::min(count, static_cast<float>(q.device.sm_count));
    const float elements = lines * q.k * vectors / busy; // of a multiprocessor
    const float k_at_once = static_cast<float>(plan.split.sharing) *
                            static_cast<float>(plan.split.blocks()) *
                            static_cast<float>(plan.chunk);
    work_estimate w;
    w.rounds = blocks.rounds;
    w.steps = blocks.rounds * whole_up(q.k / k_at_once);
    w.math_cycles = elements / 128;
    w.copies = elements / static_cast<float>(32 * plan.width);
    w.l2_bytes = elements * 4;
    w.memory_bytes = q.operand_bytes;
    // To meet in memory takes as long as some 180 sums from shared memory.
    w.exchanges = static_cast<float>(plan.split.sharing * plan.split.cluster) +
                  (plan.split.parts > 1 ? 180 : 0);
    w.fill = blocks.fill;
    return w;
}

myblasStatus_t launch_kernel(const sgemm_problem& p, const launch_context& context) {
    const thin_layout layout = layout_of(p);
    return with_form(
        p, *context.device, layout, [&](auto form) { return form.launch(p, layout, context); });
}

} // namespace

const sgemm_kernel sgemm_thin_vector = {
    .name = "thin/vector",
    .description =
        "one row or column of C: the matrix straight to registers, k shared by warps and blocks",
    .min_arch = 80,
    .block_m = 32,
    .block_n = 1,
    .block_k = 32,
    .threads = max_warps * 32,
    .finishes = true,
    .takes_backwards = true,
    .uses_counters = true,
    .accepts = fits,
    .best_workspace_bytes = best_workspace_bytes,
    .work = work,
    .launch = launch_kernel,
};

} // namespace myblas::cuda
