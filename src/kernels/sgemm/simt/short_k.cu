// short_k: C = alpha op(A) op(B) + beta C for a short k, where most of the time goes into writing
// C.
//
// New: neighbouring threads have neighbouring rows of C. A store of a warp covers 128, 64 or 32
// bytes of a column, for any base and leading dimension of C. Threads with quads of rows would need
// scalar stores, 16 bytes apart, where columns are unaligned.
//
//   block tile   block_m x block_n, 4 warps side by side
//   warp tile    lanes_m * thread_m rows x lanes_n * thread_n columns
//   thread tile  row i is lanes_m * i after the first; columns in quads, lanes_n * 4 apart
//   slab         block_k of k of both operands, smem[kk][line], by cp.async. The ring has `stages`
//                slabs, or all slabs of k if there are fewer. With a short k, more blocks fit on a
//                multiprocessor, and one computes while another waits.
//
// Bound: writing C, 4 m n bytes, up to k = 16 or so. Beyond that shared memory, at 32 floats a
// cycle for each multiprocessor. A thread reads 10 floats for 16 FMAs with a 2 x 8 tile, and 12
// floats for 32 FMAs with a 4 x 8 tile.
// Block tile: 64 x 32 if k is one slab or there are few tiles. Otherwise 128 x 32 if n <= 32, and
// 64 x 64 for other sizes.
// Shared memory: up to 4 stages of 16 k of both operands; 6 to 42 KiB, depending on k.
// Launch: 128 threads for each tile of C.
// Accepts: k up to 2^30, with an epilogue up to 24, and every size whose tiles fit into a grid.
#include "kernels/common/cp_async.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/sgemm/components/epilogue.cuh"
#include "kernels/sgemm/components/operands.cuh"
#include "kernels/sgemm/components/work.h"
#include "kernels/sgemm/registry.h"

#include <type_traits>

namespace myblas::cuda {
namespace {

struct short_k_parameters {
    int lanes_m;       // of a warp
    int thread_m;      // rows of a thread tile
    int blocks_per_sm; // the registers must suffice for this number
};

template <short_k_parameters of>
struct short_k_shape {
    static constexpr int lanes_m = of.lanes_m, lanes_n = 32 / lanes_m;
    static constexpr int thread_m = of.thread_m, thread_n = 8;
    static constexpr int warps = 4, warp_n = lanes_n * thread_n;
    static constexpr int block_m = lanes_m * thread_m, block_n = warp_n * warps;
    static constexpr int block_k = 16, stages = 4;
    static constexpr int threads = 32 * warps;
    static constexpr int blocks_per_sm = of.blocks_per_sm;
};

// Copies slabs of one operand, `lines` lines x block_k, to smem[kk][line]. A line is a row of op(A)
// or a column of op(B). Elements outside of the operand are not written to shared memory, as they
// would only contribute to elements outside of C.
//
// If lines run along memory, the copies are quads, or scalar loads where the operand is unaligned.
// If k runs along memory, a warp copies 8 k x 4 lines by scalar loads: whole sectors of global
// memory, different banks.
template <int lines, int block_k, int threads, bool k_contiguous>
struct short_k_copier {
    static constexpr int pitch = lines + (k_contiguous ? 4 : 0);
    static constexpr int slab_floats = pitch * block_k;

    const float* gmem; // the tile's first line, at the next slab's first k
    int64_t ld;
    int lines_left; // from the tile's first line to the operand's end
    bool quads;     // lines run along memory, and the operand consists of aligned quads

    __device__ short_k_copier(const float* base, int64_t ld_, int64_t first_line, int64_t all_lines)
        : gmem(base + (k_contiguous ? first_line * ld_ : first_line)), ld(ld_),
          lines_left(static_cast<int>(min(all_lines - first_line, int64_t{lines}))),
          quads(!k_contiguous && aligned16(base, ld_) && all_lines % 4 == 0) {}

    // Starts the copies of k of a slab, and moves on to the next slab.
    __device__ __forceinline__ void start(float* smem, int k) {
        if constexpr (k_contiguous) {
            constexpr int line_step = threads / 8;
            const int line = threadIdx.x / 8;
#pragma unroll 1
            for (int kk = threadIdx.x % 8; kk < k; kk += 8) {
                const float* source = gmem + kk + line * ld;
                float* target = smem + kk * pitch + line;
#pragma unroll
                for (int at = 0; at < lines; at += line_step) {
                    if (line + at < lines_left)
                        cp_async<4>(target + at, source, true);
                    source += line_step * ld;
                }
            }
            gmem += block_k;
        } else {
            if (quads)
                copy_rows<4>(smem, k);
            else
                copy_rows<1>(smem, k);
            gmem += block_k * ld;
        }
    }

private:
    template <int width>
    __device__ __forceinline__ void copy_rows(float* smem, int k) const {
        constexpr int row = lines / width; // copies along memory
        constexpr int step = row < threads ? row : threads;
        static_assert(threads % step == 0);
        const int line = threadIdx.x % step * width;
#pragma unroll 1
        for (int kk = threadIdx.x / step; kk < k; kk += threads / step) {
            const float* source = gmem + line + kk * ld;
            float* target = smem + kk * pitch + line;
#pragma unroll
            for (int at = 0; at < lines; at += step * width)
                if (line + at < lines_left)
                    cp_async<width * 4>(target + at, source + at, true);
        }
    }
};

template <class Shape, bool transa, bool transb>
struct short_k_tile {
    using copier_a = short_k_copier<Shape::block_m, Shape::block_k, Shape::threads, transa>;
    using copier_b = short_k_copier<Shape::block_n, Shape::block_k, Shape::threads, !transb>;
    static constexpr int stage_floats = copier_a::slab_floats + copier_b::slab_floats;
    static constexpr size_t stage_bytes = stage_floats * sizeof(float);

    float acc[Shape::thread_n][Shape::thread_m]; // [column][row]

    __device__ __forceinline__ void add_slab_row(const float* smem_a, const float* smem_b) {
        float a[Shape::thread_m], b[Shape::thread_n];
#pragma unroll
        for (int i = 0; i < Shape::thread_m; ++i)
            a[i] = smem_a[Shape::lanes_m * i];
#pragma unroll
        for (int j = 0; j < Shape::thread_n; j += 4) {
            const float4 v = *reinterpret_cast<const float4*>(smem_b + j * Shape::lanes_n);
            b[j] = v.x, b[j + 1] = v.y, b[j + 2] = v.z, b[j + 3] = v.w;
        }
        add_product(acc, a, b);
    }

    // Calls f(element of C, sum) for the thread's elements inside C. `c` and the mask begin at the
    // thread's first element. `whole`: the complete tile is computed.
    template <bool whole, class F>
    __device__ __forceinline__ void for_each(
        float* c, int64_t ldc, int rows_left, int cols_left, const diagonal_mask& mask, F&& f) {
        float* column = c;
#pragma unroll
        for (int j = 0; j < Shape::thread_n; ++j) {
#pragma unroll
            for (int i = 0; i < Shape::thread_m; ++i)
                if (whole || (j / 4 * 4 * Shape::lanes_n + j % 4 < cols_left &&
                              Shape::lanes_m * i < rows_left &&
                              mask.has(Shape::lanes_m * i, j / 4 * 4 * Shape::lanes_n + j % 4)))
                    f(column[Shape::lanes_m * i], acc[j][i]);
            column += j % 4 == 3 ? (4 * Shape::lanes_n - 3) * ldc : ldc;
        }
    }

    // `row` and `col` are the thread's first row and column in the tile. `meanwhile` is called
    // once, during the copy of the first slabs, and may change acc.
    template <class Meanwhile>
    __device__ __forceinline__ void multiply(copier_a copy_a,
                                             copier_b copy_b,
                                             int k,
                                             int row,
                                             int col,
                                             float* smem,
                                             Meanwhile&& meanwhile) {
#pragma unroll
        for (int j = 0; j < Shape::thread_n; ++j)
#pragma unroll
            for (int i = 0; i < Shape::thread_m; ++i)
                acc[j][i] = 0;
        int k_to_start = k; // k whose copies have not been started
        const auto start_slab = [&](int stage) {
            if (k_to_start > 0) {
                float* target = smem + stage * stage_floats;
                const int slab = min(k_to_start, Shape::block_k);
                copy_a.start(target, slab);
                copy_b.start(target + copier_a::slab_floats, slab);
                k_to_start -= Shape::block_k;
            }
            // An empty group counts too, so that the wait below is right.
            cp_async_commit();
        };
#pragma unroll 1
        for (int stage = 0; stage < Shape::stages - 1; ++stage)
            start_slab(stage);
        meanwhile();

        int read_stage = 0, write_stage = Shape::stages - 1;
        for (int k_left = k; k_left > 0; k_left -= Shape::block_k) {
            cp_async_wait<Shape::stages - 2>();
            // All threads' copies of this slab have arrived, and all threads have read the slab
            // before it, whose stage is filled next.
            __syncthreads();
            start_slab(write_stage);
            write_stage = write_stage + 1 == Shape::stages ? 0 : write_stage + 1;
            const float* smem_a = smem + read_stage * stage_floats + row;
            const float* smem_b = smem + read_stage * stage_floats + copier_a::slab_floats + col;
            read_stage = read_stage + 1 == Shape::stages ? 0 : read_stage + 1;
            const int slab = min(k_left, Shape::block_k);
#pragma unroll(Shape::thread_m* Shape::thread_n > 16 ? 2 : 4)
            for (int kk = 0; kk < slab; ++kk)
                add_slab_row(smem_a + kk * copier_a::pitch, smem_b + kk * copier_b::pitch);
        }
    }

    __device__ __forceinline__ void scale(float factor) {
#pragma unroll
        for (int j = 0; j < Shape::thread_n; ++j)
#pragma unroll
            for (int i = 0; i < Shape::thread_m; ++i)
                acc[j][i] = scaled_sum(factor, acc[j][i]);
    }

    // Applies an epilogue whose places are relative to the thread's first element.
    __device__ __forceinline__ void
    finish(const epilogue_op& epilogue, int rows_left, int cols_left) const {
        constexpr int rows = Shape::thread_m, cols = Shape::thread_n;
        const auto place_of = [=](int e) {
            const int row = e % rows * Shape::lanes_m;
            const int col = e / rows / 4 * 4 * Shape::lanes_n + e / rows % 4;
            return epilogue_place{row, col, row < rows_left && col < cols_left};
        };
        float row_bias[rows], col_bias[cols], value[cols * rows][1];
#pragma unroll
        for (int i = 0; i < rows; ++i)
            row_bias[i] = epilogue.bias_of_row(place_of(i).row, place_of(i).rows > 0);
#pragma unroll
        for (int j = 0; j < cols; ++j)
            col_bias[j] = epilogue.bias_of_col(place_of(j * rows).col, place_of(j * rows).rows > 0);
#pragma unroll
        for (int e = 0; e < cols * rows; ++e)
            value[e][0] = acc[e / rows][e % rows] + (row_bias[e % rows] + col_bias[e / rows]);
        epilogue(value, place_of);
    }
};

// How C is accessed. Each way has kernels of its own. With the code of the others between their own
// instructions, products of one or two microseconds would take 5% longer.
enum class c_access {
    written, // all of C is computed, and the host knows that beta is 0
    added,   // all of C is computed, and the host knows that beta is 1
    any,
    fused, // by an epilogue
};

template <class Shape, bool transa, bool transb, c_access access>
__global__ void __launch_bounds__(Shape::threads,
                                  Shape::blocks_per_sm - (access == c_access::fused))
    short_k_kernel(int64_t first_batch, const sgemm_problem p) {
    using tile = short_k_tile<Shape, transa, transb>;
    extern __shared__ __align__(16) float smem[];
    if (!fetch_parameters(p))
        return;
    const auto tiles_m = static_cast<unsigned>(ceil_div<int64_t>(p.m, Shape::block_m));
    int64_t tile_row = int64_t{blockIdx.x % tiles_m} * Shape::block_m;
    int64_t tile_col = int64_t{blockIdx.x / tiles_m} * Shape::block_n;
    const triangle_of_c triangle = access == c_access::any ? p.triangle : triangle_of_c::none;
    if (triangle != triangle_of_c::none) {
        const tile_position at = triangle_tile<Shape>(static_cast<int>(blockIdx.x), p);
        tile_row = at.row;
        tile_col = at.col;
    }
    const int warp = threadIdx.x / 32;
    const int row = threadIdx.x % Shape::lanes_m;
    const int col = warp * Shape::warp_n + threadIdx.x % 32 / Shape::lanes_m * 4;

    grid_dependency_sync();
    sgemm_operands o = resolve_at_once(p, first_batch + blockIdx.z);
    if (access == c_access::written || access == c_access::added)
        o.beta = 0; // or 1, which needs no factor
    tile t;
    // Calls act(true_type) if the complete tile is computed, otherwise act(false_type).
    const auto if_whole = [&](auto&& act) {
        if (p.m - tile_row >= Shape::block_m && p.n - tile_col >= Shape::block_n &&
            diagonal_mask(triangle, tile_row, tile_col).has_all(Shape::block_m, Shape::block_n))
            act(std::true_type());
        else
            act(std::false_type());
    };
    const auto for_each = [&](auto whole, auto&& f) {
        t.template for_each<whole>(
            o.c + tile_row + row + (tile_col + col) * p.ldc,
            p.ldc,
            static_cast<int>(min(p.m - tile_row, int64_t{Shape::block_m})) - row,
            static_cast<int>(min(p.n - tile_col, int64_t{Shape::block_n})) - col,
            diagonal_mask(triangle, tile_row + row, tile_col + col),
            f);
    };
    const auto load_c = [&] {
        if (access == c_access::fused || p.math == MYBLAS_FP32_REPRODUCIBLE_MATH ||
            !begins_with_c(o))
            return;
        if_whole([&](auto whole) { for_each(whole, [](float old, float& sum) { sum = old; }); });
        t.scale(o.alpha * o.beta);
        o.beta = 0; // it is in the sums
    };
    t.multiply(typename tile::copier_a(o.a, p.lda, tile_row, p.m),
               typename tile::copier_b(o.b, p.ldb, tile_col, p.n),
               static_cast<int>(o.k),
               row,
               col,
               smem,
               load_c);
    launch_dependents();
    t.scale(o.alpha);
    if constexpr (access == c_access::fused) {
        epilogue_op epilogue(p, o, first_batch + blockIdx.z);
        epilogue.begin_at(tile_row + row, tile_col + col);
        t.finish(epilogue,
                 static_cast<int>(min(p.m - tile_row, int64_t{Shape::block_m})) - row,
                 static_cast<int>(min(p.n - tile_col, int64_t{Shape::block_n})) - col);
        return;
    }
    if_whole([&](auto whole) {
        if (o.beta != 0) // all reads precede the first write, so that they overlap
            for_each(whole, [&](float old, float& sum) { sum = fmaf(o.beta, old, sum); });
        if constexpr (access == c_access::added) {
            if (are_added_in_memory(t.acc))
                for_each(whole, [](float& target, float sum) { reduce_to_memory(&target, sum); });
            else
                for_each(whole, [](float& target, float sum) { add_in_memory(&target, sum); });
        } else
            for_each(whole, [](float& target, float sum) { target = sum; });
    });
}

template <c_access access>
using access_constant = std::integral_constant<c_access, access>;

template <class Shape>
struct short_k_kernels {
    static constexpr size_t max_smem_bytes = // of the form that pads both operands
        Shape::stages * short_k_tile<Shape, true, false>::stage_bytes;
    static_assert(max_smem_bytes <= 48 * 1024, "no opt-in needed");

    static bool fits(const sgemm_problem& p, const device_info& device) {
        return p.k <= (1 << 30) && fits_grid<Shape::block_m, Shape::block_n>(p, device);
    }

    static work_estimate work(const work_query& q) {
        constexpr tile_kernel kernel{.block_m = Shape::block_m,
                                     .block_n = Shape::block_n,
                                     .slab_k = Shape::block_k,
                                     .resident = Shape::blocks_per_sm,
                                     .quads_of_k = false,
                                     .whole_slabs = false};
        return kernel.work(q);
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        const int64_t stages =
            std::min<int64_t>(ceil_div<int64_t>(p.k, Shape::block_k), Shape::stages);
        const auto start = [&](auto transa, auto transb, auto access) {
            return launch_products(
                short_k_kernel<Shape, transa, transb, decltype(access)::value>,
                {.x = tile_count(p, Shape::block_m, Shape::block_n),
                 .threads = Shape::threads,
                 .smem_bytes = stages * short_k_tile<Shape, transa, transb>::stage_bytes,
                 .early = true},
                p,
                context);
        };
        const bool is_whole = p.triangle == triangle_of_c::none;
        // With more blocks, those that wait for C leave others room to multiply.
        const bool adds =
            is_whole && is_one(p.beta) && tile_count(p, 64, 32) <= context.device->sm_count * 3 / 2;
        return with_bits<2>(form_bits(p), [&](auto transa, auto transb) {
            if (!p.epilogue.is_empty())
                return start(transa, transb, access_constant<c_access::fused>());
            if (is_whole && !may_be_nonzero(p.beta))
                return start(transa, transb, access_constant<c_access::written>());
            if (adds)
                return start(transa, transb, access_constant<c_access::added>());
            return start(transa, transb, access_constant<c_access::any>());
        });
    }
};

using narrow =
    short_k_shape<short_k_parameters{.lanes_m = 32, .thread_m = 2, .blocks_per_sm = 8}>; // 64 x 32
using square =
    short_k_shape<short_k_parameters{.lanes_m = 16, .thread_m = 4, .blocks_per_sm = 5}>; // 64 x 64
using tall =
    short_k_shape<short_k_parameters{.lanes_m = 32, .thread_m = 4, .blocks_per_sm = 6}>; // 128 x 32

// Whether each multiprocessor has little to do: one slab for each block, or at most 1.5 blocks.
bool is_light(const sgemm_problem& p, const device_info& device) {
    return p.k <= narrow::block_k ||
           tile_count(p, narrow::block_m, narrow::block_n) <= device.sm_count * 3 / 2;
}

// Calls f with the kernels of the shape that is chosen for a problem.
template <class F>
auto with_shape(const sgemm_problem& p, const device_info& device, F&& f) {
    if (is_light(p, device))
        return f(short_k_kernels<narrow>{});
    return p.n <= 32 ? f(short_k_kernels<tall>{}) : f(short_k_kernels<square>{});
}

// Threads have 16 or 32 elements of C. Finishing all of them at the end pays for a very short k
// only.
constexpr int64_t most_fused_k = 24;

bool fits(const sgemm_problem& p, const device_info& device) {
    if (!p.epilogue.is_empty() && p.k > most_fused_k)
        return false;
    return with_shape(p, device, [&](auto kernels) { return kernels.fits(p, device); });
}

work_estimate work(const work_query& q) {
    return with_shape(q.problem, q.device, [&](auto kernels) { return kernels.work(q); });
}

myblasStatus_t launch_kernel(const sgemm_problem& p, const launch_context& context) {
    return with_shape(p, *context.device, [&](auto kernels) { return kernels.launch(p, context); });
}

} // namespace

const sgemm_kernel sgemm_short_k = {
    .name = "short_k",
    .description = "short k: neighbouring threads write neighbouring rows, all of k in flight",
    .min_arch = 80,
    .block_m = square::block_m,
    .block_n = square::block_n,
    .block_k = square::block_k,
    .threads = square::threads,
    .stages = square::stages,
    .smem_bytes = short_k_kernels<tall>::max_smem_bytes,
    .takes_triangles = true,
    .has_epilogue = true,
    .keeps_k_order = true,
    .accepts = fits,
    .work = work,
    .launch = launch_kernel,
};

} // namespace myblas::cuda
