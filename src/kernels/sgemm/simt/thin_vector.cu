// thin/vector: a matrix with a vector, one side of C is 1. The matrix is the long operand, its lines the long side of C;
// the line of the other operand is the vector.
//
// Bound: reading the matrix once, 4 max(m, n) k bytes. Its elements go straight to registers, 8 to 32 loads
// of every thread at a time, and nobody waits for anybody before the end. Three kernels, by what lies
// along the matrix's memory:
//
//   lines   a warp's load covers line_lanes * width lines of 32 / line_lanes k; a block owns these lines, its
//           warps share k, and so do the blocks of a cluster where there are few lines and k is long
//   tall    as lines, of 128 lines a block in four loads of 32 neighbours each, k shared by the blocks of a
//           cluster: for columns that do not start on cache lines, of which fewer are then read twice
//   k       a warp's load covers 32 * width k of one line, for each of a few lines; `sharing` warps of a
//           block share the k of these lines, the others have lines of their own
//
// Loads are of 16 or 8 bytes where the matrix consists of such pieces, and the vector too in the second case.
// Shared memory: a sum for each warp and line. Launch: 4 to 16 warps.
// Vectors may run backwards: their distances are negative then.
// Accepts all that the grid has blocks for, k up to 2^30; of wider outputs each line of the short side reads
// the matrix again.
#include "kernels/sgemm/parts/finish.cuh"
#include "kernels/sgemm/parts/work.h"
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/simt/thin.cuh"

#include <bit>

namespace myblas::cuda {
namespace {

constexpr int min_warps = 4, max_warps = 16;
constexpr int64_t long_k = 4096; // from here on few blocks had better be clusters

// What a block works with.
template <bool finishes>
struct vector_operands {
    const sgemm_problem& p;
    const thin_layout& layout;
    const int64_t batch;
    const float *matrix, *vector;
    float alpha, beta;
    int k;

    __device__ vector_operands(const sgemm_problem& p_, int64_t batch_, const thin_layout& layout_)
        : p(p_), layout(layout_), batch(batch_) {
        const sgemm_operands o = resolve_at_once(p, batch);
        matrix = layout.swapped ? o.b : o.a;
        vector = (layout.swapped ? o.a : o.b) + blockIdx.y * layout.short_step;
        alpha = o.alpha, beta = o.beta;
        k = static_cast<int>(o.k);
    }

    // C's element of a line. Where C lies is found out here, so that no registers hold it before.
    __device__ void write(int64_t line, float sum) const {
        float* const c = operand_base(p.c, p.c_array, p.stride_c, batch);
        if constexpr (finishes) {
            sgemm_operands o{};
            o.c = c;
            o.beta = beta;
            const finisher finish(p, o, batch);
            const int64_t short_line = blockIdx.y;
            const finish_place at{
                layout.swapped ? short_line : line, layout.swapped ? line : short_line, 1};
            const float bias = finish.bias_of_row(at.row, true) + finish.bias_of_col(at.col, true);
            float value[1][1] = {{fmaf(alpha, sum, bias)}};
            finish(value, [&](int) { return at; });
        } else {
            store_c(c + blockIdx.y * layout.short_c_step + line * layout.c_step, alpha, sum, beta);
        }
    }
};

template <int width, int line_lanes>
struct lines_shape {
    static constexpr int k_lanes = 32 / line_lanes;
    static constexpr int lines = line_lanes * width;     // of a block
    static constexpr int unroll = k_lanes == 1 ? 16 : 8; // loads in flight
    static constexpr int chunk = unroll * k_lanes;       // k of a warp at a time
    static_assert(chunk <= 32, "a lane holds an element of the vector for each");
};

// The end of kernels whose warps have left sums of lines from first_line on: adds those of all warps, and of all blocks of
// the cluster, and writes C.
template <int most, int lines, bool finishes>
__device__ __forceinline__ void write_lines(float (&sums)[most][lines],
                                            int warps,
                                            const vector_operands<finishes>& o,
                                            int64_t first_line,
                                            int rank,
                                            int cluster) {
    __syncthreads(); // the sums of all warps are there
    const int own_line = threadIdx.x;
    float sum = 0;
    if (own_line < lines)
#pragma unroll 4
        for (int w = 0; w < warps; ++w)
            sum += sums[w][own_line];
    if (cluster > 1) {
        if (own_line < lines)
            sums[0][own_line] = sum; // which no other thread reads in this block
        cluster_barrier();           // the sums of all blocks are there
        sum = 0;
        if (own_line < lines && rank == 0)
            for (int r = 0; r < cluster; ++r)
                sum += load_from_block(&sums[0][own_line], r);
        cluster_barrier(); // they have been read
    }
    if (rank == 0 && own_line < lines && first_line + own_line < o.layout.lines)
        o.write(first_line + own_line, sum);
}

// interleaved: the first loads of all warps are neighbours in k, then their second ones; otherwise the loads of
// each warp are.
template <int width, int line_lanes, bool interleaved, int blocks_per_sm, bool finishes>
__global__ void __launch_bounds__(max_warps * 32, blocks_per_sm) vector_lines_kernel(
    int64_t first_batch, const thin_layout layout, int cluster, const sgemm_problem p) {
    using shape = lines_shape<width, line_lanes>;
    __shared__ float sums[max_warps][shape::lines];
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
    const int lane_line = lane % line_lanes * width, lane_k = lane / line_lanes;
    const int rank = blockIdx.x % cluster;
    const int64_t first_line = int64_t{blockIdx.x} / cluster * shape::lines;
    // Lanes past the last line read line 0, for nothing.
    const int64_t line = first_line + lane_line < layout.lines ? first_line + lane_line : 0;

    if (!fetch_parameters(p))
        return;
    wait_for_earlier_work();
    let_next_kernel_come();
    const vector_operands<finishes> o(p, first_batch + blockIdx.z, layout);
    const int all_warps = cluster * warps, own_warp = rank * warps + warp;
    const int k_step = shape::k_lanes * (interleaved ? all_warps : 1); // from load to load
    const int64_t step = k_step * layout.ld;
    // A lane holds the element of the vector for one load of the lanes with the same lane_k.
    const int element_k = lane / shape::k_lanes * k_step + lane % shape::k_lanes;
    float acc[width] = {};
    for (int first_k = own_warp * (interleaved ? shape::k_lanes : shape::chunk); first_k < o.k;
         first_k += all_warps * shape::chunk) {
        const float* source = o.matrix + line + (first_k + lane_k) * layout.ld;
        const int k_left = o.k - first_k;
        const bool inside = element_k < k_left; // so that all other lanes multiply by zero
        const float element = o.vector[(inside ? first_k + element_k : 0) * layout.short_k_step];
        float_piece<width> x[shape::unroll];
        if (k_left >= (shape::unroll - 1) * k_step + shape::k_lanes) {
#pragma unroll
            for (int u = 0; u < shape::unroll; ++u)
                x[u].load(source + u * step);
        } else {
#pragma unroll
            for (int u = 0; u < shape::unroll; ++u) {
                const bool reads = u * k_step + lane_k < k_left;
                x[u].load(reads ? source + u * step : o.matrix, reads);
            }
        }
        const float own = inside ? element : 0;
#pragma unroll
        for (int u = 0; u < shape::unroll; ++u) {
            const float y = __shfl_sync(full_warp, own, u * shape::k_lanes + lane_k);
#pragma unroll
            for (int w = 0; w < width; ++w)
                acc[w] = fmaf(x[u].x[w], y, acc[w]);
        }
    }
#pragma unroll
    for (int w = 0; w < width; ++w) {
#pragma unroll
        for (int distance = 16; distance >= line_lanes; distance /= 2)
            acc[w] += __shfl_xor_sync(full_warp, acc[w], distance);
        if (lane_k == 0)
            sums[warp][lane_line + w] = acc[w];
    }
    write_lines(sums, warps, o, first_line, rank, cluster);
}

struct tall_shape {
    static constexpr int warps = 8, rows = 4, lines = 32 * rows; // rows: of a thread
    static constexpr int chunk = 8;                              // k of a warp at a time
};

template <bool finishes>
__global__ void __launch_bounds__(tall_shape::warps * 32, 3) vector_tall_kernel(
    int64_t first_batch, const thin_layout layout, int cluster, const sgemm_problem p) {
    using shape = tall_shape;
    __shared__ float sums[shape::warps][shape::lines];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rank = blockIdx.x % cluster;
    const int64_t first_line = int64_t{blockIdx.x} / cluster * shape::lines;
    if (!fetch_parameters(p))
        return;
    wait_for_earlier_work();
    let_next_kernel_come();
    const vector_operands<finishes> o(p, first_batch + blockIdx.z, layout);
    int row[shape::rows]; // past the last line that one again, for nothing
#pragma unroll
    for (int r = 0; r < shape::rows; ++r)
        row[r] = static_cast<int>(min(int64_t{lane + 32 * r}, layout.lines - 1 - first_line));
    float acc[shape::rows] = {};
    const int step = cluster * shape::warps * shape::chunk;
    for (int first_k = (rank * shape::warps + warp) * shape::chunk; first_k < o.k;
         first_k += step) {
        const float* source = o.matrix + first_line + first_k * layout.ld;
        const int k_left = o.k - first_k;
        const bool inside = lane < shape::chunk && lane < k_left;
        const float own = inside ? o.vector[(first_k + lane) * layout.short_k_step] : 0;
        float x[shape::chunk][shape::rows];
#pragma unroll
        for (int u = 0; u < shape::chunk; ++u)
#pragma unroll
            for (int r = 0; r < shape::rows; ++r)
                x[u][r] = u < k_left ? source[u * layout.ld + row[r]] : 0;
#pragma unroll
        for (int u = 0; u < shape::chunk; ++u) {
            const float y = __shfl_sync(full_warp, own, u);
#pragma unroll
            for (int r = 0; r < shape::rows; ++r)
                acc[r] = fmaf(x[u][r], y, acc[r]);
        }
    }
#pragma unroll
    for (int r = 0; r < shape::rows; ++r)
        sums[warp][lane + 32 * r] = acc[r];
    write_lines(sums, shape::warps, o, first_line, rank, cluster);
}

template <int width, int lines>
struct k_shape {
    static constexpr int unroll =
        lines == 1 && width == 1 ? 8 : 4;             // loads in flight, of every line
    static constexpr int chunk = unroll * 32 * width; // k of a warp at a time
};

template <int width, int lines, bool finishes>
__global__ void __launch_bounds__(max_warps * 32, 2) vector_k_kernel(int64_t first_batch,
                                                                     const thin_layout layout,
                                                                     int sharing,
                                                                     const sgemm_problem p) {
    using shape = k_shape<width, lines>;
    __shared__ float sums[max_warps][lines];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int groups = blockDim.x / 32 / sharing;
    const int64_t first_group = int64_t{blockIdx.x} * groups;

    if (!fetch_parameters(p))
        return;
    wait_for_earlier_work();
    let_next_kernel_come();
    const vector_operands<finishes> o(p, first_batch + blockIdx.z, layout);
    const float* line[lines]; // past the last one: that one again, for nothing
#pragma unroll
    for (int l = 0; l < lines; ++l)
        line[l] = o.matrix +
                  min((first_group + warp / sharing) * lines + l, layout.lines - 1) * layout.ld;
    float acc[lines] = {};
    for (int first_k = warp % sharing * shape::chunk + lane * width; first_k < o.k;
         first_k += sharing * shape::chunk) {
        float_piece<width> x[shape::unroll][lines], y[shape::unroll];
#pragma unroll
        for (int u = 0; u < shape::unroll; ++u) {
            const bool inside = first_k + u * 32 * width < o.k;
            const int at = inside ? first_k + u * 32 * width : 0;
#pragma unroll
            for (int l = 0; l < lines; ++l)
                x[u][l].load(line[l] + at, inside);
            y[u].load(o.vector + at * layout.short_k_step, inside);
        }
#pragma unroll
        for (int u = 0; u < shape::unroll; ++u)
#pragma unroll
            for (int l = 0; l < lines; ++l)
#pragma unroll
                for (int w = 0; w < width; ++w)
                    acc[l] = fmaf(x[u][l].x[w], y[u].x[w], acc[l]);
    }
#pragma unroll
    for (int l = 0; l < lines; ++l) {
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2)
            acc[l] += __shfl_xor_sync(full_warp, acc[l], distance);
        if (lane == 0)
            sums[warp][l] = acc[l];
    }
    __syncthreads(); // the sums of all warps are there
    const int group = threadIdx.x / lines, l = threadIdx.x % lines;
    const int64_t own_line = (first_group + group) * lines + l;
    if (group < groups && own_line < layout.lines) {
        float sum = 0;
#pragma unroll 4
        for (int w = 0; w < sharing; ++w)
            sum += sums[group * sharing + w][l];
        o.write(own_line, sum);
    }
}

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
    int lines;   // of a block
    int warps;   // of a block
    int sharing; // warps of it that share the k of their lines
    int cluster; // blocks that share k
    int chunk;   // k of a warp at a time
    int width;   // floats of a load

    int64_t blocks(const thin_layout& layout) const { // of a vector
        return ceil_div<int64_t>(layout.lines, lines) * cluster;
    }
};

// `extra` is the kernels' last argument.
template <class Kernel>
myblasStatus_t launch_vectors(Kernel plain,
                              Kernel finishing,
                              const vector_plan& plan,
                              int extra,
                              const sgemm_problem& p,
                              const thin_layout& layout,
                              const launch_context& context) {
    const product_grid grid{.x = plan.blocks(layout),
                            .y = layout.short_lines,
                            .threads = plan.warps * 32,
                            .cluster = plan.cluster,
                            .early = true};
    return launch_products(
        p.finish.is_empty() ? plain : finishing, grid, p, context, layout, extra);
}

template <int width, int line_lanes>
struct lines_form {
    using shape = lines_shape<width, line_lanes>;

    static vector_plan
    plan(const sgemm_problem& p, const device_info& device, const thin_layout& layout) {
        constexpr int64_t few_blocks = line_lanes == 32 ? 32 : 20;
        const int64_t blocks = ceil_div<int64_t>(layout.lines, shape::lines);
        const bool shares = device.arch >= 90 && p.k >= long_k && blocks <= few_blocks;
        const int64_t chunks = ceil_div<int64_t>(p.k, shape::chunk);
        const int most_warps = shares ? 8 : max_warps;
        const int warps = static_cast<int>(std::clamp<int64_t>(chunks, min_warps, most_warps));
        return {shape::lines, warps, warps, shares ? largest_cluster : 1, shape::chunk, width};
    }

    static myblasStatus_t
    launch(const sgemm_problem& p, const thin_layout& layout, const launch_context& context) {
        const vector_plan own = plan(p, *context.device, layout);
        const auto start = [&](auto plain, auto finishing) {
            return launch_vectors(plain, finishing, own, own.cluster, p, layout, context);
        };
        // A block with a multiprocessor to itself has registers for all its loads at once.
        if (own.cluster == 1 &&
            own.blocks(layout) * layout.short_lines <= context.device->sm_count) {
            if constexpr (width == 4)
                return start(vector_lines_kernel<width, line_lanes, false, 1, false>,
                             vector_lines_kernel<width, line_lanes, false, 1, true>);
            else if constexpr (line_lanes == 32)
                return start(vector_lines_kernel<width, line_lanes, true, 1, false>,
                             vector_lines_kernel<width, line_lanes, true, 1, true>);
        }
        return start(vector_lines_kernel<width, line_lanes, false, 2, false>,
                     vector_lines_kernel<width, line_lanes, false, 2, true>);
    }
};

struct tall_form {
    using shape = tall_shape;

    static vector_plan plan(const sgemm_problem&, const device_info&, const thin_layout&) {
        return {shape::lines, shape::warps, shape::warps, largest_cluster, shape::chunk, 1};
    }

    static myblasStatus_t
    launch(const sgemm_problem& p, const thin_layout& layout, const launch_context& context) {
        const vector_plan own = plan(p, *context.device, layout);
        return launch_vectors(vector_tall_kernel<false>,
                              vector_tall_kernel<true>,
                              own,
                              own.cluster,
                              p,
                              layout,
                              context);
    }

    // Columns that start where cache lines do are read as well by others, and so are matrices of which the L2 cache holds a
    // part (docs/experiments/vectors.md).
    static bool
    suits(const sgemm_problem& p, const device_info& device, const thin_layout& layout) {
        const float* const matrix = layout.swapped ? p.b : p.a;
        const bool on_lines = reinterpret_cast<uintptr_t>(matrix) % 128 == 0 && layout.ld % 32 == 0;
        const double bytes = 4.0 * static_cast<double>(layout.lines) * static_cast<double>(p.k);
        return device.arch >= 90 && !layout.k_contiguous && !on_lines && p.batch_count == 1 &&
               !p.a_array && layout.lines >= 2000 && p.k >= 2000 &&
               bytes > 4 * static_cast<double>(device.l2_bytes);
    }
};

template <int width, int lines>
struct k_form {
    static vector_plan plan(const sgemm_problem& p, const device_info&, const thin_layout& layout) {
        constexpr int chunk = k_shape<width, lines>::chunk;
        const int64_t chunks = ceil_div<int64_t>(p.k, chunk);
        // With warps enough for the device they rather take several chunks each.
        const int64_t most = ceil_div<int64_t>(layout.lines, lines) >= 500 ? 4 : max_warps;
        const int sharing = static_cast<int>(
            std::min<uint64_t>(std::bit_ceil(static_cast<uint64_t>(chunks)), most));
        const int warps = std::max(sharing, min_warps);
        return {lines * (warps / sharing), warps, sharing, 1, chunk, width};
    }

    static myblasStatus_t
    launch(const sgemm_problem& p, const thin_layout& layout, const launch_context& context) {
        const vector_plan own = plan(p, *context.device, layout);
        return launch_vectors(vector_k_kernel<width, lines, false>,
                              vector_k_kernel<width, lines, true>,
                              own,
                              own.sharing,
                              p,
                              layout,
                              context);
    }
};

// Calls f with the form for a product: which for which size is measured in docs/experiments/sgemm_skinny.md.
template <class F>
auto with_form(const sgemm_problem& p,
               const device_info& device,
               const thin_layout& layout,
               F&& f) {
    if (tall_form::suits(p, device, layout))
        return f(tall_form());
    const int width = load_width(p, layout);
    const int64_t lines = layout.lines;
    if (layout.k_contiguous) {
        if (width == 4 && p.k >= 128)
            return p.k >= 1024 || lines < 512 ? f(k_form<4, 1>()) : f(k_form<4, 2>());
        if (width >= 2 && p.k >= 128)
            return f(k_form<2, 2>());
        return lines >= 150 ? f(k_form<1, 4>()) : f(k_form<1, 1>());
    }
    if (width == 4 && (lines >= 1024 || p.k >= long_k))
        return f(lines_form<4, 8>());
    if (width >= 2 && lines <= 4096)
        return f(lines_form<2, 8>());
    return lines > 1024 || (lines > 256 && p.k >= long_k) ? f(lines_form<1, 32>())
                                                          : f(lines_form<1, 8>());
}

work_estimate work(const work_query& q) {
    constexpr int threads_per_sm = 1024; // that have the registers
    const thin_layout layout = layout_of(q.problem);
    const vector_plan plan = with_form(q.problem, q.device, layout, [&](auto form) {
        return form.plan(q.problem, q.device, layout);
    });
    const auto vectors = static_cast<float>(layout.short_lines) * q.batch;
    const auto lines = static_cast<float>(layout.lines);
    const float count = static_cast<float>(plan.blocks(layout)) * vectors;
    const block_rounds blocks(
        q.device, count, static_cast<float>(threads_per_sm / (32 * plan.warps)), plan.cluster);
    const float busy = std::min(count, static_cast<float>(q.device.sm_count));
    const float elements = lines * q.k * vectors / busy; // of a multiprocessor
    const auto k_at_once = static_cast<float>(plan.sharing * plan.cluster * plan.chunk);
    work_estimate w;
    w.rounds = blocks.rounds;
    w.steps = blocks.rounds * whole_up(q.k / k_at_once);
    w.math_cycles = elements / 128;
    w.copies = elements / static_cast<float>(32 * plan.width);
    w.l2_bytes = elements * 4;
    w.memory_bytes = q.operand_bytes;
    w.exchanges = static_cast<float>(plan.sharing * plan.cluster);
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
    .description = "one row or column of C: the matrix straight to registers, k shared by warps",
    .min_arch = 80,
    .block_m = 32,
    .block_n = 1,
    .block_k = 32,
    .threads = max_warps * 32,
    .finishes = true,
    .takes_backwards = true,
    .accepts = fits,
    .work = work,
    .launch = launch_kernel,
};

} // namespace myblas::cuda
