// thin/panel: C = alpha op(A) op(B) + beta C for one side of C up to 8, meant for unaligned
// operands. The long operand (thin.cuh) is loaded directly into registers by scalar loads; the
// short operand goes through shared memory.
//
// Bound: reading the long operand once, 4 max(m, n) k bytes. Shared memory would only cost
// instructions: `skinny` copies unaligned operands there by scalar loads and reaches half of the
// memory's rate. A thread has 16 loads of the long operand in flight, and waits for other threads
// only at the ends of panels.
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
constexpr int panel_floats = 4096; // of the short operand
constexpr int largest_side = 8;
constexpr int resident = 3; // blocks of a multiprocessor

// `side`: the short side, rounded up.
template <int side, bool k_contiguous>
struct thin_tile {
    static constexpr int panel_k = panel_floats / side;
    static constexpr int block_lines = k_contiguous ? lines * warps : lines * 32;

    float acc[lines * side] = {}; // [line][s]

    // The k that `multiply` takes at once.
    static constexpr int k_at_once = k_contiguous ? 4 * 32 : 4;
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

    // acc += the products over k of a panel that begins at at_k.
    __device__ __forceinline__ void
    multiply(const float* const (&line)[lines], int at_k, const float* panel, int k, int64_t ld) {
        if constexpr (k_contiguous)
            multiply_k(line, at_k, panel, k);
        else
            multiply_lines(line, at_k * ld, panel, k, ld);
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
            static_assert(warps / 2 * lines * side * 32 <= 2 * panel_floats);
#pragma unroll
            for (int half = warps / 2; half > 0; half /= 2) {
                if (warp >= half && warp < 2 * half)
#pragma unroll
                    for (int e = 0; e < lines * side; ++e)
                        smem[((warp - half) * lines * side + e) * 32 + lane] = acc[e];
                __syncthreads(); // the upper warps' sums are complete
                if (warp < half)
#pragma unroll
                    for (int e = 0; e < lines * side; ++e)
                        acc[e] += smem[(warp * lines * side + e) * 32 + lane];
                __syncthreads(); // the upper warps' sums have been read
            }
            if (warp == 0)
#pragma unroll
                for (int e = 0; e < lines * side; ++e)
                    smem[e % side * block_lines + e / side * 32 + lane] = acc[e];
        }
    }

private:
    __device__ __forceinline__ void
    multiply_k(const float* const (&line)[lines], int at_k, const float* panel, int k) {
        constexpr int unroll = 4;
        static_assert(panel_k % (32 * unroll) == 0);
        for (int first = 0; first < k; first += 32 * unroll) {
            float x[unroll][lines];
            const int at = first + threadIdx.x % 32;
#pragma unroll
            for (int u = 0; u < unroll; ++u)
#pragma unroll
                for (int l = 0; l < lines; ++l) {
                    const bool inside = at + u * 32 < k;
                    const float value = line[l][at_k + (inside ? at + u * 32 : 0)];
                    x[u][l] = inside ? value : 0;
                }
#pragma unroll
            for (int u = 0; u < unroll; ++u)
#pragma unroll
                for (int s = 0; s < side; ++s) {
                    const float y = panel[s * panel_k + at + u * 32];
#pragma unroll
                    for (int l = 0; l < lines; ++l)
                        acc[l * side + s] = fmaf(x[u][l], y, acc[l * side + s]);
                }
        }
    }

    __device__ __forceinline__ void multiply_lines(
        const float* const (&line)[lines], int64_t offset, const float* panel, int k, int64_t ld) {
        constexpr int unroll = 4;
        for (int kk = threadIdx.x / 32 * unroll; kk < k; kk += warps * unroll) {
            float x[unroll][lines];
            if (kk + unroll <= k) {
#pragma unroll
                for (int u = 0; u < unroll; ++u)
#pragma unroll
                    for (int l = 0; l < lines; ++l)
                        x[u][l] = line[l][offset + kk * ld + u * ld];
            } else {
#pragma unroll
                for (int u = 0; u < unroll; ++u) {
                    const bool inside = kk + u < k;
#pragma unroll
                    for (int l = 0; l < lines; ++l) {
                        const float value = line[l][offset + (inside ? kk + u : kk) * ld];
                        x[u][l] = inside ? value : 0;
                    }
                }
            }
#pragma unroll
            for (int u = 0; u < unroll; ++u)
                add_products(x[u], panel + (kk + u) * side);
        }
    }

    __device__ __forceinline__ void add_products(const float (&x)[lines], const float* row) {
#pragma unroll
        for (int quad = 0; quad < side; quad += 4) {
            float y[4];
            load_quad(y, row + quad);
#pragma unroll
            for (int e = 0; e < 4; ++e)
#pragma unroll
                for (int l = 0; l < lines; ++l)
                    acc[l * side + quad + e] = fmaf(x[l], y[e], acc[l * side + quad + e]);
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

template <int side, bool k_contiguous>
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
    const int64_t first_k = o.k * rank / cluster;
    const int k = static_cast<int>(o.k * (rank + 1) / cluster - first_k);
    const float* line[lines]; // lines past the last one read the last one, unused
#pragma unroll
    for (int l = 0; l < lines; ++l) {
        const int own = k_contiguous ? threadIdx.x / 32 * lines + l : l * 32 + threadIdx.x % 32;
        const int64_t at = min(first_line + own, layout.lines - 1);
        line[l] = (layout.swap_ab ? o.b : o.a) +
                  (k_contiguous ? at * layout.ld + first_k : at + first_k * layout.ld);
    }
    const float* source = (layout.swap_ab ? o.a : o.b) + first_k * layout.short_k_step;
    if (k > 0)
        tile::copy_panel(smem, source, k, layout);
    cp_async_commit();

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
        sums.multiply(line, at_k, panel, min(k_left, tile::panel_k), layout.ld);
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

// The number of blocks in a cluster, which split the k of their lines.
int cluster_of(const sgemm_problem& p, const device_info& device, int64_t tiles) {
    constexpr int64_t min_k = 64; // of a block
    int cluster = 1;
    while (cluster < largest_cluster && tiles * cluster < 2 * device.sm_count &&
           p.k >= 2 * cluster * min_k)
        cluster *= 2;
    return cluster;
}

template <int side>
myblasStatus_t
launch_side(const sgemm_problem& p, const launch_context& context, const thin_layout& layout) {
    return with_bits<1>(layout.k_contiguous, [&](auto k_contiguous) {
        const int64_t tiles =
            ceil_div<int64_t>(layout.lines, thin_tile<side, k_contiguous>::block_lines);
        const int cluster = cluster_of(p, *context.device, tiles);
        return launch_clusters(thin_kernel<side, k_contiguous>,
                               dim3(static_cast<unsigned>(tiles * cluster)),
                               cluster,
                               true,
                               threads,
                               0,
                               context,
                               p,
                               layout,
                               cluster);
    });
}

// The tile size for the number of short lines.
int side_of(const thin_layout& layout) { return layout.short_lines <= 4 ? 4 : largest_side; }

work_estimate work(const work_query& q) {
    const thin_layout layout = layout_of(q.problem);
    const int side = side_of(layout);
    const int block_lines = layout.k_contiguous ? lines * warps : lines * 32;
    const float k_at_once = layout.k_contiguous ? 4 * 32 : 4 * warps; // see thin_tile::multiply
    const int64_t tiles = ceil_div<int64_t>(layout.lines, block_lines);
    const int cluster = cluster_of(q.problem, q.device, tiles);
    const block_rounds blocks(q.device, static_cast<float>(tiles * cluster), resident, cluster);
    const float block_k = whole_up(q.k / static_cast<float>(cluster));
    const float elements = blocks.turns * static_cast<float>(block_lines) * block_k;
    work_estimate w;
    w.rounds = blocks.rounds;
    w.steps = blocks.rounds * whole_up(block_k / k_at_once);
    w.math_cycles = fma_cycles(q, elements * static_cast<float>(side));
    w.copies = elements / 32;
    w.l2_bytes = elements * 4;
    w.memory_bytes = q.operand_bytes;
    w.exchanges = static_cast<float>(cluster - 1);
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
