// thin/panel: C = alpha op(A) op(B) + beta C for one side of C up to 8, meant for unaligned
// operands. The long operand (thin.cuh) is loaded directly into registers by scalar loads; the
// short operand goes through shared memory.
//
// Bound: reading the long operand once, 4 max(m, n) k bytes. Shared memory would only cost
// instructions: `skinny` copies unaligned operands there by scalar loads and reaches half of the
// memory's rate. A thread has 16 loads of the long operand in flight, or 32 if blocks are few, and
// waits for other threads only at the ends of panels.
//
//   panel               4096 elements of the short operand, by cp.async, in two buffers: the next
//                       panel is copied while this one is used
//   lines along memory  a lane has `lines` lines, 32 apart, and the block 32 * lines. The block's
//                       warps split k, four k at a time, and read the panel as smem[k][s], the same
//                       element for all lanes
//   k along memory      a warp has `lines` lines, and its lanes split k; the panel is smem[s][k]
//
// The sums of warps or lanes are added in a fixed order. If there are too few lines for the
// multiprocessors, the blocks of a cluster split k and add their sums through distributed shared
// memory.
//
// Shared memory: 32 KiB.
// Launch: 256 threads for 128 lines (lines along memory) or 32 lines (k along memory) and a split
// of k.
// Accepts: single products with up to 8 rows or columns and k up to 2^30.
#include "kernels/common/cp_async.cuh"
#include "kernels/sgemm/components/cluster_sum.cuh"
#include "kernels/sgemm/components/tile_writer.cuh"
#include "kernels/sgemm/components/work.h"
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/simt/thin.cuh"

namespace myblas::cuda {
namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr int lines = 4;           // of a lane or of a warp
constexpr int unroll = 4;          // k of a thread at once
constexpr int panel_floats = 4096; // of the short operand
constexpr int largest_side = 8;
// Blocks of a multiprocessor if they are few, and if they are many. Few blocks have the registers
// to load a turn ahead. If there were more places than blocks, some multiprocessors would get more
// blocks than others.
constexpr int few = 2, many = 3;

// `side`: the short side, rounded up.
template <int side, bool k_contiguous>
struct thin_tile {
    static constexpr int panel_k = panel_floats / side;
    static constexpr int block_lines = k_contiguous ? lines * warps : lines * 32;

    float acc[lines * side] = {}; // [line][s]

    // The k that `multiply` takes at once.
    static constexpr int k_at_once = k_contiguous ? unroll * 32 : unroll;
    static_assert(panel_k % k_at_once == 0);

    // Starts the copies of k of a panel, with zeroes up to the next multiple of k_at_once. Lines
    // outside of the operand are left out: their sums are not written.
    static __device__ __forceinline__ void
    copy_panel(float* smem, const float* source, int k, const thin_layout& layout) {
        const bool k_along = layout.short_k_step == 1;
#pragma unroll 1 // registers suffice for one address
        for (int e = threadIdx.x; e < panel_floats; e += threads) {
            const int kk = k_along ? e % panel_k : e / side;
            const int s = k_along ? e / panel_k : e % side;
            if (kk / k_at_once * k_at_once >= k || s >= layout.short_lines)
                continue;
            const bool inside = kk < k;
            cp_async<4>(smem + (k_contiguous ? s * panel_k + kk : kk * side + s),
                        source + (inside ? kk * layout.short_k_step + s * layout.short_step : 0),
                        inside);
        }
    }

    // Elements of the long operand for one turn of the loop over k, [k][line].
    using turn = float[unroll][lines];
    // k from one turn of a thread to the next, and the k of its first turn.
    static constexpr int turn_k = k_contiguous ? unroll * 32 : unroll * warps;
    static_assert(panel_k % turn_k == 0);
    static __device__ __forceinline__ int first_turn() {
        return k_contiguous ? threadIdx.x % 32 : threadIdx.x / 32 * unroll;
    }

    // Starts the loads of the turn at kk. Nothing at or beyond k is read. k_step: distance of
    // neighbouring k in memory.
    static __device__ __forceinline__ void
    load(turn& x, const float* const (&line)[lines], int kk, int k, int64_t k_step) {
        constexpr int distance = k_contiguous ? 32 : 1; // of a thread's k
        if (kk + (unroll - 1) * distance < k) {
#pragma unroll
            for (int u = 0; u < unroll; ++u)
#pragma unroll
                for (int l = 0; l < lines; ++l)
                    x[u][l] = line[l][(kk + u * distance) * k_step];
        } else {
#pragma unroll
            for (int u = 0; u < unroll; ++u)
#pragma unroll
                for (int l = 0; l < lines; ++l)
                    x[u][l] = kk + u * distance < k ? line[l][(kk + u * distance) * k_step] : 0;
        }
    }

    // acc += the products of a turn at kk of the panel.
    __device__ __forceinline__ void multiply(const turn& x, const float* panel, int kk) {
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            if constexpr (k_contiguous) {
#pragma unroll
                for (int s = 0; s < side; ++s) {
                    const float y = panel[s * panel_k + kk + u * 32];
#pragma unroll
                    for (int l = 0; l < lines; ++l)
                        acc[l * side + s] = fmaf(x[u][l], y, acc[l * side + s]);
                }
            } else {
                add_products<lines, side>(acc, x[u], panel + (kk + u) * side);
            }
        }
    }

    // smem[s][line] = the block's sums. A barrier must follow before they are read.
    __device__ __forceinline__ void lay_out(float* smem) {
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        if constexpr (k_contiguous) {
            constexpr int kept = lines * side / 32 > 1 ? lines * side / 32 : 1;
            const int first = scatter_sums<lines * side, 16, 1>(acc);
#pragma unroll
            for (int e = 0; e < kept; ++e)
                smem[(first + e) % side * block_lines + warp * lines + (first + e) / side] = acc[e];
        } else {
            // [warp][line of a lane][s][lane]
            constexpr int warp_floats = lines * side * 32, sums = warp_floats / threads;
            static_assert(warps * warp_floats <= 2 * panel_floats);
#pragma unroll
            for (int e = 0; e < lines * side; ++e)
                smem[warp * warp_floats + e * 32 + lane] = acc[e];
            __syncthreads(); // the sums of all warps are complete
#pragma unroll
            for (int i = 0; i < sums; ++i) {
                const int at = i * threads + threadIdx.x;
                acc[i] = smem[at];
#pragma unroll
                for (int other = 1; other < warps; ++other)
                    acc[i] += smem[other * warp_floats + at];
            }
            __syncthreads(); // they have been read
#pragma unroll
            for (int i = 0; i < sums; ++i) {
                const int e = (i * threads + threadIdx.x) / 32;
                smem[e % side * block_lines + e / side * 32 + lane] = acc[i];
            }
        }
    }
};

// Adds the sums of the cluster's blocks, which lie in their shared memory, and writes this block's
// share of C.
template <class Tile, bool has_epilogue>
__device__ __forceinline__ void write_lines(const sgemm_problem& p,
                                            const sgemm_operands& o,
                                            const thin_layout& layout,
                                            int64_t first_line,
                                            int rank,
                                            int cluster,
                                            float* smem) {
    constexpr int block_lines = Tile::block_lines;
    const bool swap_ab = layout.swap_ab;
    const auto side = static_cast<int>(layout.short_lines);
    const auto lines_left = static_cast<int>(min(layout.lines - first_line, int64_t{block_lines}));
    const int64_t tile_row = swap_ab ? 0 : first_line, tile_col = swap_ab ? first_line : 0;
    float* const biases = smem + panel_floats; // behind the sums
    if constexpr (has_epilogue)
        tile_writer<true>::leave_biases<threads>(p,
                                                 0,
                                                 tile_row,
                                                 tile_col,
                                                 swap_ab ? side : lines_left,
                                                 swap_ab ? lines_left : side,
                                                 biases);
    const tile_writer<has_epilogue> writer(p, o, 0, tile_row, tile_col);
    const cluster_sum<1> sum_of{smem, 0, cluster};
    sum_of.meet();
    for (int e = rank * threads + threadIdx.x; e < side * block_lines; e += cluster * threads) {
        const int line = e % block_lines, s = e / block_lines;
        if (line < lines_left)
            writer.store(swap_ab ? s : line,
                         swap_ab ? line : s,
                         cluster > 1 ? sum_of.all(e) : sum_of.own(e),
                         biases);
    }
    sum_of.leave();
}

template <int side, bool k_contiguous, int resident>
__global__ void __launch_bounds__(threads, resident)
    thin_kernel(const sgemm_problem p, const thin_layout layout, int cluster) {
    using tile = thin_tile<side, k_contiguous>;
    __shared__ __align__(16) float smem[2 * panel_floats];
    const int rank = blockIdx.x % cluster;
    const int64_t first_line = int64_t{blockIdx.x} / cluster * tile::block_lines;

    if (!fetch_parameters(p))
        return;
    grid_dependency_sync();
    launch_dependents();
    const sgemm_operands o = resolve_operands(p, 0);
    const auto own_lines =
        static_cast<int>(min(layout.lines - first_line, int64_t{tile::block_lines}));
    const int64_t first_k = o.k * rank / cluster;
    const int k = static_cast<int>(o.k * (rank + 1) / cluster - first_k);
    const float* line[lines]; // lines past the last one read the last one, unused
#pragma unroll
    for (int l = 0; l < lines; ++l) {
        const int own = k_contiguous ? threadIdx.x / 32 * lines + l : l * 32 + threadIdx.x % 32;
        const int64_t at = first_line + min(own, own_lines - 1);
        line[l] = (layout.swap_ab ? o.b : o.a) +
                  (k_contiguous ? at * layout.ld + first_k : at + first_k * layout.ld);
    }
    const float* source = (layout.swap_ab ? o.a : o.b) + first_k * layout.short_k_step;
    if (k > 0)
        tile::copy_panel(smem, source, k, layout);
    cp_async_commit();

    // A turn's elements are loaded before the products of the turn before (few blocks), after them
    // (k along memory), or when they are used.
    constexpr bool is_ahead = resident == few, is_behind = !is_ahead && k_contiguous;
    const int64_t k_step = k_contiguous ? 1 : layout.ld;
    int kk = tile::first_turn();
    typename tile::turn next;
    if constexpr (is_ahead || is_behind)
        tile::load(next, line, kk, k, k_step);
    tile sums;
    int stage = 0;
    for (int at_k = 0; at_k < k; at_k += tile::panel_k) {
        cp_async_wait<0>();
        // All copies of this panel have arrived, and all threads have read the other panel.
        __syncthreads();
        const float* panel = smem + stage * panel_floats;
        stage ^= 1;
        const int k_left = k - at_k;
        if (k_left > tile::panel_k)
            tile::copy_panel(smem + stage * panel_floats,
                             source + (at_k + tile::panel_k) * layout.short_k_step,
                             k_left - tile::panel_k,
                             layout);
        cp_async_commit();
        for (const int end = min(k, at_k + tile::panel_k); kk < end; kk += tile::turn_k) {
            if constexpr (!is_ahead && !is_behind)
                tile::load(next, line, kk, k, k_step);
            typename tile::turn now;
#pragma unroll
            for (int u = 0; u < unroll; ++u)
#pragma unroll
                for (int l = 0; l < lines; ++l)
                    now[u][l] = next[u][l];
            if constexpr (is_ahead)
                tile::load(next, line, kk + tile::turn_k, k, k_step);
            sums.multiply(now, panel, kk - at_k);
            if constexpr (is_behind)
                tile::load(next, line, kk + tile::turn_k, k, k_step);
        }
    }
    cp_async_wait<0>();
    __syncthreads(); // shared memory is free for the sums
    sums.lay_out(smem);
    const auto plain = [&] {
        write_lines<tile, false>(p, o, layout, first_line, rank, cluster, smem);
    };
    const auto fused = [&] {
        write_lines<tile, true>(p, o, layout, first_line, rank, cluster, smem);
    };
    plain_or_fused(layout.has_epilogue, plain, fused);
}

bool fits(const sgemm_problem& p, const device_info&) {
    return is_single(p) && std::min(p.m, p.n) <= largest_side && std::max(p.m, p.n) <= max_grid_x &&
           p.k <= (1 << 30);
}

// How a product is divided among blocks.
struct division {
    int64_t tiles;
    int cluster = 1; // blocks that split the k of their lines
    bool are_few = false;

    division(const thin_layout& layout, int64_t k, const device_info& device)
        : tiles(ceil_div<int64_t>(layout.lines, layout.k_contiguous ? lines * warps : lines * 32)) {
        constexpr int64_t min_k = 64; // of a block
        const auto fits = [&](int blocks) { return tiles <= cluster_places(device, blocks, few); };
        const auto may_double = [&] {
            return 2 * cluster <= largest_cluster && k >= 2 * cluster * min_k;
        };
        while (may_double() && fits(2 * cluster))
            cluster *= 2;
        // Where a block loads many k, twice as many blocks load faster.
        constexpr int64_t long_k = 320;
        const bool doubles =
            may_double() && k > cluster * long_k && blocks() < few * device.sm_count;
        are_few = !doubles && fits(cluster);
        if (doubles)
            cluster *= 2;
    }

    int64_t blocks() const { return tiles * cluster; }
    int resident() const { return are_few ? few : many; }
};

template <int side>
myblasStatus_t
launch_side(const sgemm_problem& p, const launch_context& context, const thin_layout& layout) {
    const division of(layout, p.k, *context.device);
    const unsigned choice = layout.k_contiguous | of.are_few << 1;
    return with_bits<2>(choice, [&](auto k_contiguous, auto are_few) {
        return launch_clusters(thin_kernel < side,
                               k_contiguous,
                               are_few ? few : many >,
                               dim3(static_cast<unsigned>(of.blocks())),
                               of.cluster,
                               true,
                               threads,
                               0,
                               context,
                               p,
                               layout,
                               of.cluster);
    });
}

// The tile size for the number of short lines.
int side_of(const thin_layout& layout) { return layout.short_lines <= 4 ? 4 : largest_side; }

work_estimate work(const work_query& q) {
    const thin_layout layout = layout_of(q.problem);
    const int side = side_of(layout);
    const int block_lines = layout.k_contiguous ? lines * warps : lines * 32;
    const float turn_k = layout.k_contiguous ? unroll * 32 : unroll * warps;
    const division of(layout, q.problem.k, q.device);
    const auto cluster = static_cast<float>(of.cluster);
    const block_rounds blocks(
        q.device, static_cast<float>(of.blocks()), static_cast<float>(of.resident()), of.cluster);
    const float block_k = whole_up(q.k / cluster);
    const float elements = blocks.turns * static_cast<float>(block_lines) * block_k;
    work_estimate w;
    w.rounds = blocks.rounds;
    w.steps = blocks.rounds * whole_up(block_k / turn_k);
    w.math_cycles = fma_cycles(q, elements * static_cast<float>(side));
    w.copies = elements / 32;
    w.l2_bytes = elements * 4;
    w.memory_bytes = q.operand_bytes;
    w.exchanges = cluster - 1;
    w.wave_efficiency = blocks.wave_efficiency;
    w.tile_utilisation = static_cast<float>(layout.short_lines) / static_cast<float>(side);
    return w;
}

myblasStatus_t launch_kernel(const sgemm_problem& p, const launch_context& context) {
    const thin_layout layout = layout_of(p);
    return side_of(layout) == 4 ? launch_side<4>(p, context, layout)
                                : launch_side<largest_side>(p, context, layout);
}

} // namespace

const sgemm_kernel sgemm_thin_panel = {
    .name = "thin/panel",
    .description = "one side of C up to 8: the long operand straight to registers, word by word",
    .min_arch = 90,
    .max_arch = 90,
    .block_m = 32 * lines,
    .block_n = largest_side,
    .block_k = panel_floats / largest_side,
    .threads = threads,
    .stages = 2,
    .smem_bytes = 2 * panel_floats * sizeof(float),
    .has_epilogue = true,
    .accepts = fits,
    .accepts_what = "it accepts single products of up to 8 rows or columns",
    .work = work,
    .launch = launch_kernel,
};

} // namespace myblas::cuda
