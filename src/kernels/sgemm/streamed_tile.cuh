// Tiles of C with few lines on one side or both, whose operands stream through shared memory as they lie
// in global memory; k is shared as in cluster_split.cuh.
//
// Roles. Of op(A) and op(B) one is the long operand, `l` of whose lines (rows of op(A), columns of op(B))
// belong to a tile, the other the short one with `s` lines. Where B is the long one the kernel computes
// C^T = op(B)^T op(A)^T, so that two orders in memory times two operands make four variants, not eight.
//
//   slab          block_k of k of all lines of a tile, by cp.async, in the order of global memory: lines
//                 one after the other where k runs along memory, else one k after the other. Both are
//                 read in quads: four k of one line, or four lines of one k.
//   thread tile   thread_l x thread_s, over four k at a time
//   warp          lanes_l x lanes_s x lanes_k; lanes that differ in lanes_k take other quads of k
//   block         warps_l x warps_s x warps_k, likewise
//
// At the end lanes that share elements add them by shuffles, each keeping a fraction; the warps_k are
// copies to cluster_split.cuh.
#pragma once

#include "kernels/common/cp_async.cuh"
#include "kernels/common/reduce.h"
#include "kernels/sgemm/cluster_split.cuh"

namespace myblas::cuda {

template <int block_l_,
          int block_s_,
          int block_k_,
          int thread_l_,
          int thread_s_,
          int lanes_l_,
          int lanes_s_,
          int warps_l_,
          int warps_s_,
          int warps_k_,
          int stages_,
          int blocks_per_sm_,
          int fill_>
struct streamed_shape {
    static constexpr int block_l = block_l_, block_s = block_s_, block_k = block_k_;
    static constexpr int thread_l = thread_l_, thread_s = thread_s_;
    static constexpr int lanes_l = lanes_l_, lanes_s = lanes_s_;
    static constexpr int lanes_k = 32 / (lanes_l * lanes_s);
    static constexpr int warps_l = warps_l_, warps_s = warps_s_, warps_k = warps_k_;
    static constexpr int stages = stages_, blocks_per_sm = blocks_per_sm_;
    static constexpr int fill = fill_; // blocks that keep a multiprocessor busy

    static constexpr int threads = warps_l * warps_s * warps_k * 32;
    static constexpr int k_groups = lanes_k * warps_k;
    static constexpr int copies = warps_k; // of a tile, for cluster_split.cuh

    static_assert(block_l == thread_l * lanes_l * warps_l && thread_l % 4 == 0);
    static_assert(block_s == thread_s * lanes_s * warps_s && thread_s % 4 == 0);
    static_assert(block_k % (4 * k_groups) == 0 && stages >= 2);
};

// One of the two operands, by its lines.
struct line_operand {
    const float* gmem;
    int64_t ld;
    int64_t lines;
};

// A slab of one operand in shared memory, and this thread's copies to it.
template <int lines, bool k_contiguous, class Shape>
struct streamed_slab {
    static constexpr int block_k = Shape::block_k, threads = Shape::threads;
    static constexpr int inner = k_contiguous ? block_k : lines; // extent along memory
    static constexpr int outer = k_contiguous ? lines : block_k;
    // Rows of quads: a pad of one quad after every row that runs along k, or, where rows are so short
    // that several lie across the banks, after every four.
    static constexpr int rows_to_pad = k_contiguous ? 1 : lines < 32 ? 4 : 0;

    static __host__ __device__ constexpr int row_offset(int row) {
        return row * inner + (rows_to_pad ? row / rows_to_pad * 4 : 0);
    }
    static constexpr int floats = row_offset(outer);

    const float* gmem; // of this thread's first copy of the next slab
    int64_t ld;
    bool quads;     // the operand consists of aligned quads
    int row, at;    // of the first copy, in the slab
    int lines_left; // from the slab's first line to the operand's end, perhaps <= 0

    __device__ streamed_slab(const line_operand& x, int64_t first_line, int64_t first_k)
        : ld(x.ld), quads(aligned16(x.gmem, x.ld)) {
        const int first = threadIdx.x * (quads ? 4 : 1);
        row = first / inner;
        at = first % inner;
        lines_left = static_cast<int>(min(x.lines - first_line, int64_t{lines}));
        gmem = x.gmem + (k_contiguous ? first_k + at + (first_line + row) * ld
                                      : first_line + at + (first_k + row) * ld);
    }

    // Starts the copies of a slab, with zeroes where it leaves the operand, and moves on to the next one.
    __device__ __forceinline__ void start(float* smem, int64_t k_left) {
        const int k = static_cast<int>(min(k_left, int64_t{block_k}));
        const bool is_whole = k == block_k && lines_left == lines;
        if (quads && is_whole)
            copy<4, true>(smem, k);
        else if (quads)
            copy<4, false>(smem, k);
        else if (is_whole)
            copy<1, true>(smem, k);
        else
            copy<1, false>(smem, k);
        gmem += k_contiguous ? block_k : block_k * ld;
    }

    // `whole`: no conditions and next to no address arithmetic.
    template <int width, bool whole>
    __device__ __forceinline__ void copy(float* smem, int k) const {
        constexpr int stride = threads * width; // floats of the slab from one copy to the next
        constexpr int row_step = stride > inner ? stride / inner : 1;
        static_assert(stride % inner == 0 || inner % stride == 0);
        static_assert(rows_to_pad <= 1 || row_step % rows_to_pad == 0);
        if (inner * outer < stride && row >= outer)
            return;
        const int inner_left = (k_contiguous ? k : lines_left) - at;
        const int outer_left = (k_contiguous ? lines_left : k) - row;
        const float* source = gmem;
        float* target = smem + row_offset(row) + at;
#pragma unroll
        for (int offset = 0; offset < inner * outer; offset += stride) {
            const int rows = offset / inner, along = offset % inner;
            if (offset > 0 && along == 0)
                source += row_step * ld;
            float* to = target + row_offset(rows) + along;
            const int valid = whole ? width : rows < outer_left ? inner_left - along : 0;
            if (width == 1 || valid >= 4 || valid <= 0) {
                cp_async<width * 4>(to, source + along, valid > 0);
            } else {
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    cp_async<4>(to + e, source + along + e, e < valid);
            }
        }
    }

    // The lines of a thread tile: quads of lines where lines run along memory, else single ones.
    template <int lanes>
    static __device__ __forceinline__ int first_line(int lane) {
        return k_contiguous ? lane : lane * 4;
    }
    template <int lanes>
    static __host__ __device__ constexpr int line_offset(int i) {
        return k_contiguous ? i * lanes : i / 4 * 4 * lanes + i % 4;
    }

    // frag[line][k] = the quad of k that starts at first_k.
    template <int count, int lanes>
    static __device__ __forceinline__ void
    load(float (&frag)[count][4], const float* smem, int line, int first_k) {
        if constexpr (k_contiguous) {
#pragma unroll
            for (int i = 0; i < count; ++i) {
                const float4 v = *reinterpret_cast<const float4*>(
                    smem + row_offset(line) + first_k + row_offset(line_offset<lanes>(i)));
                frag[i][0] = v.x, frag[i][1] = v.y, frag[i][2] = v.z, frag[i][3] = v.w;
            }
        } else {
#pragma unroll
            for (int kk = 0; kk < 4; ++kk)
#pragma unroll
                for (int i = 0; i < count; i += 4) {
                    const float4 v = *reinterpret_cast<const float4*>(
                        smem + row_offset(first_k) + line + kk * inner + line_offset<lanes>(i));
                    frag[i][kk] = v.x, frag[i + 1][kk] = v.y;
                    frag[i + 2][kk] = v.z, frag[i + 3][kk] = v.w;
                }
        }
    }
};

// Sums over lanes that differ in the bits `distance`, distance / 2, ..., `last`, halving what each lane holds
// while there is more than one value. Returns which value comes first of those that the lane kept.
template <int count, int distance, int last, int size>
__device__ __forceinline__ int scatter_sums(float (&value)[size]) {
    if constexpr (distance < last) {
        return 0;
    } else if constexpr (count == 1) {
        value[0] += __shfl_xor_sync(full_warp, value[0], distance);
        return scatter_sums<1, distance / 2, last>(value);
    } else {
        const bool upper = threadIdx.x & distance;
#pragma unroll
        for (int i = 0; i < count / 2; ++i) {
            const float sent = upper ? value[i] : value[i + count / 2];
            const float kept = upper ? value[i + count / 2] : value[i];
            value[i] = kept + __shfl_xor_sync(full_warp, sent, distance);
        }
        return (upper ? count / 2 : 0) + scatter_sums<count / 2, distance / 2, last>(value);
    }
}

template <class Shape, bool l_k_contiguous, bool s_k_contiguous>
struct streamed_tile {
    using slab_l = streamed_slab<Shape::block_l, l_k_contiguous, Shape>;
    using slab_s = streamed_slab<Shape::block_s, s_k_contiguous, Shape>;
    static constexpr int stage_floats = slab_l::floats + slab_s::floats;
    using output = split_output<Shape>;
    static constexpr size_t smem_bytes =
        sizeof(float) * std::max(Shape::stages * stage_floats, output::smem_floats);
    static_assert(smem_bytes >= Shape::threads * sizeof(float4)); // for split_output::finish

    float acc[Shape::thread_s * Shape::thread_l]; // [s][l]

    static __device__ __forceinline__ int warp_l() { return threadIdx.x / 32 % Shape::warps_l; }
    static __device__ __forceinline__ int warp_s() {
        return threadIdx.x / 32 / Shape::warps_l % Shape::warps_s;
    }
    static __device__ __forceinline__ int warp_k() {
        return threadIdx.x / 32 / (Shape::warps_l * Shape::warps_s);
    }
    // First line of each operand of this thread, inside the tile.
    static __device__ __forceinline__ int thread_l() {
        return warp_l() * (Shape::block_l / Shape::warps_l) +
               slab_l::template first_line<Shape::lanes_l>(threadIdx.x % Shape::lanes_l);
    }
    static __device__ __forceinline__ int thread_s() {
        return warp_s() * (Shape::block_s / Shape::warps_s) +
               slab_s::template first_line<Shape::lanes_s>(threadIdx.x / Shape::lanes_l %
                                                           Shape::lanes_s);
    }

    // acc = the product of the tile's lines over k in [first_k, first_k + k).
    __device__ __forceinline__ void multiply(const line_operand& l,
                                             const line_operand& s,
                                             int64_t tile_l,
                                             int64_t tile_s,
                                             int64_t first_k,
                                             int64_t k,
                                             float* smem) {
#pragma unroll
        for (float& value : acc)
            value = 0;
        slab_l copy_l(l, tile_l, first_k);
        slab_s copy_s(s, tile_s, first_k);
        int64_t k_to_start = k; // of which no copy has been started
        auto start_slab = [&](int stage) {
            if (k_to_start > 0) {
                float* target = smem + stage * stage_floats;
                copy_l.start(target, k_to_start);
                copy_s.start(target + slab_l::floats, k_to_start);
                k_to_start -= Shape::block_k;
            }
            cp_async_commit(); // a group for every slab, also for none, so that the count below holds
        };
#pragma unroll 1
        for (int stage = 0; stage < Shape::stages - 1; ++stage)
            start_slab(stage);

        const int lane_k = threadIdx.x % 32 / (Shape::lanes_l * Shape::lanes_s);
        const int group = warp_k() * Shape::lanes_k + lane_k;
        const int line_l = thread_l(), line_s = thread_s();
        int read_stage = 0, write_stage = Shape::stages - 1;
        for (int64_t k_left = k; k_left > 0; k_left -= Shape::block_k) {
            cp_async_wait<Shape::stages - 2>();
            // Everyone's copies of this slab have arrived, and everyone has read the one before it, whose
            // stage is filled next.
            __syncthreads();
            start_slab(write_stage);
            write_stage = write_stage + 1 == Shape::stages ? 0 : write_stage + 1;
            const float* smem_l = smem + read_stage * stage_floats;
            const float* smem_s = smem_l + slab_l::floats;
            read_stage = read_stage + 1 == Shape::stages ? 0 : read_stage + 1;
#pragma unroll(Shape::thread_l* Shape::thread_s > 32 ? 1 : 2)
            for (int kk = group * 4; kk < Shape::block_k; kk += Shape::k_groups * 4) {
                float frag_l[Shape::thread_l][4], frag_s[Shape::thread_s][4]; // [line][k]
                slab_l::template load<Shape::thread_l, Shape::lanes_l>(frag_l, smem_l, line_l, kk);
                slab_s::template load<Shape::thread_s, Shape::lanes_s>(frag_s, smem_s, line_s, kk);
#pragma unroll
                for (int q = 0; q < 4; ++q)
#pragma unroll
                    for (int j = 0; j < Shape::thread_s; ++j)
#pragma unroll
                        for (int i = 0; i < Shape::thread_l; ++i) {
                            float& sum = acc[j * Shape::thread_l + i];
                            sum = fmaf(frag_l[i][q], frag_s[j][q], sum);
                        }
            }
        }
        cp_async_wait<0>();
        __syncthreads(); // shared memory is free for the tile
    }

    // smem[warp_k][s][l] = acc, summed over lanes_k. Ends without a barrier.
    __device__ __forceinline__ void lay_out(float* smem) {
        float* copy = smem + warp_k() * output::copy_floats;
        if constexpr (Shape::lanes_k == 1 && !l_k_contiguous) {
#pragma unroll
            for (int j = 0; j < Shape::thread_s; ++j)
#pragma unroll
                for (int i = 0; i < Shape::thread_l; i += 4) {
                    const float* quad = &acc[j * Shape::thread_l + i];
                    const int line_s = thread_s() + slab_s::template line_offset<Shape::lanes_s>(j);
                    const int line_l = thread_l() + slab_l::template line_offset<Shape::lanes_l>(i);
                    *reinterpret_cast<float4*>(copy + line_s * output::pitch + line_l) =
                        make_float4(quad[0], quad[1], quad[2], quad[3]);
                }
        } else {
            constexpr int count = Shape::thread_s * Shape::thread_l;
            constexpr int kept = count > Shape::lanes_k ? count / Shape::lanes_k : 1;
            const int first = scatter_sums<count, 16, Shape::lanes_l * Shape::lanes_s>(acc);
#pragma unroll
            for (int e = 0; e < kept; ++e) {
                const int line_s = thread_s() + slab_s::template line_offset<Shape::lanes_s>(
                                                    (first + e) / Shape::thread_l);
                const int line_l = thread_l() + slab_l::template line_offset<Shape::lanes_l>(
                                                    (first + e) % Shape::thread_l);
                copy[line_s * output::pitch + line_l] = acc[e];
            }
        }
    }
};

template <class Shape, bool l_k_contiguous, bool s_k_contiguous>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks_per_sm)
    streamed_kernel(const sgemm_problem p,
                    int64_t first_batch,
                    bool swapped,
                    const k_split split,
                    const cluster_sums sums) {
    extern __shared__ __align__(16) float smem[];
    const int64_t batch = first_batch + blockIdx.z;
    const sgemm_operands o = resolve_operands(p, batch);
    const line_operand a{o.a, p.lda, p.m}, b{o.b, p.ldb, p.n};
    const line_operand l = swapped ? b : a, s = swapped ? a : b;
    const split_position<Shape> at(split, blockIdx.x, l.lines, o.k);

    streamed_tile<Shape, l_k_contiguous, s_k_contiguous> tile;
    tile.multiply(l, s, at.tile_l, at.tile_s, at.first_k, at.k, smem);
    tile.lay_out(smem);
    const int64_t tile_number = batch * (gridDim.x / split.parts()) + at.tile;
    split_output<Shape>(p, o, swapped, at).reduce(at, tile_number, split, sums, smem);
}

// Launchers of one shape.
template <class Shape>
struct streamed_launcher {
    static bool is_swapped(const sgemm_problem& p) { return p.n > p.m; }

    static int64_t tiles(const sgemm_problem& p) {
        return is_swapped(p) ? tile_count(p, Shape::block_s, Shape::block_l)
                             : tile_count(p, Shape::block_l, Shape::block_s);
    }

    static k_split make_split(const sgemm_problem& p, const device_info& device) {
        return make_k_split<Shape>(tiles(p) * p.batch_count, p.k, device);
    }

    static bool fits(const sgemm_problem& p, const device_info& device) {
        return max_smem_bytes <= device.smem_per_block &&
               tiles(p) <= max_grid_x / make_split(p, device).parts();
    }

    static size_t workspace_bytes(const sgemm_problem& p, const device_info& device) {
        return split_workspace_bytes<Shape>(make_split(p, device), tiles(p) * p.batch_count);
    }

    static constexpr size_t max_smem_bytes =
        std::max({streamed_tile<Shape, true, true>::smem_bytes,
                  streamed_tile<Shape, true, false>::smem_bytes,
                  streamed_tile<Shape, false, true>::smem_bytes,
                  streamed_tile<Shape, false, false>::smem_bytes});

    // f(kernel, shared bytes of it)
    template <class F>
    static myblasStatus_t with_variant(bool l_k_contiguous, bool s_k_contiguous, F&& f) {
        auto call = [&](auto l, auto s) {
            return f(streamed_kernel<Shape, l, s>, streamed_tile<Shape, l, s>::smem_bytes);
        };
        if (l_k_contiguous)
            return s_k_contiguous ? call(std::true_type{}, std::true_type{})
                                  : call(std::true_type{}, std::false_type{});
        return s_k_contiguous ? call(std::false_type{}, std::true_type{})
                              : call(std::false_type{}, std::false_type{});
    }

    static myblasStatus_t prepare(const device_info& device) {
        if (max_smem_bytes > device.smem_per_block)
            return MYBLAS_STATUS_SUCCESS; // `fits` refuses every problem
        for (int variant = 0; variant < 4; ++variant) {
            const myblasStatus_t status =
                with_variant(variant & 1, variant & 2, [](auto kernel, size_t smem_bytes) {
                    return allow_smem(kernel, smem_bytes);
                });
            if (status != MYBLAS_STATUS_SUCCESS)
                return status;
        }
        return MYBLAS_STATUS_SUCCESS;
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        const bool swapped = is_swapped(p);
        const bool a = p.transa, b = !p.transb; // whether k runs along memory
        return with_variant(swapped ? b : a, swapped ? a : b, [&](auto kernel, size_t smem_bytes) {
            return launch_split<Shape>(
                kernel, smem_bytes, p, swapped, make_split(p, *context.device), tiles(p), context);
        });
    }
};

// A kernel of several shapes: `pick` gives the index of the one for a problem.
template <int (*pick)(const sgemm_problem&, const device_info&), class... Shapes>
struct streamed_kernels {
    // f(launcher of the shape)
    template <class Result, class F>
    static Result with_shape(const sgemm_problem& p, const device_info& device, F&& f) {
        Result result{};
        int at = 0;
        const int index = pick(p, device);
        const auto call = [&](auto launcher) {
            if (at++ == index)
                result = f(launcher);
        };
        (call(streamed_launcher<Shapes>{}), ...);
        return result;
    }

    static bool fits(const sgemm_problem& p, const device_info& device) {
        return with_shape<bool>(p, device, [&](auto launcher) { return launcher.fits(p, device); });
    }

    static size_t workspace_bytes(const sgemm_problem& p, const device_info& device) {
        return with_shape<size_t>(
            p, device, [&](auto launcher) { return launcher.workspace_bytes(p, device); });
    }

    static myblasStatus_t prepare(const device_info& device) {
        myblasStatus_t status = MYBLAS_STATUS_SUCCESS;
        const auto prepare_one = [&](auto launcher) {
            if (status == MYBLAS_STATUS_SUCCESS)
                status = launcher.prepare(device);
        };
        (prepare_one(streamed_launcher<Shapes>{}), ...);
        return status;
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        return with_shape<myblasStatus_t>(
            p, *context.device, [&](auto launcher) { return launcher.launch(p, context); });
    }

    // `Shape` describes the kernel in the descriptor.
    template <class Shape>
    static constexpr kernel_entry<sgemm_problem> entry(const char* name, const char* description) {
        return {
            .name = name,
            .description = description,
            .min_arch = 80,
            .block_m = Shape::block_l,
            .block_n = Shape::block_s,
            .block_k = Shape::block_k,
            .threads = Shape::threads,
            .stages = Shape::stages,
            .smem_bytes = streamed_launcher<Shape>::max_smem_bytes,
            .accepts = fits,
            .workspace_bytes = workspace_bytes,
            .prepare = prepare,
            .launch = launch,
        };
    }
};

} // namespace myblas::cuda
