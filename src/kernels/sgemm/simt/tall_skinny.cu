// tall_skinny: C = alpha op(A) op(B) + beta C with 2 to 16 rows or columns, very many of the other,
// and a short k. Nearly all of the time goes into reading the long operand and writing C.
//
// New: every element of the long operand is read once, and used for all lines of the short side.
// Each line (thin.cuh) is computed by one thread. The short operand is small enough for shared
// memory, from where one load of a warp serves all its threads.
//
//   lines   if lines of the long operand are neighbours in memory: a thread loads `unroll` k of
//           four lines to registers while it multiplies the k before
//   slabs   if k runs along memory: a block copies slabs of k of its lines to shared memory. Rows
//           are a quad longer than a slab, so threads that read neighbouring rows by quads meet no
//           bank conflicts
//   C       if the short side runs along memory: results pass through shared memory, and warps
//           write neighbouring elements
//
// Bound: reading the long operand and writing C, 4 lines (k + short_lines) bytes.
// Shared memory: the short operand, and the larger of up to two slabs and of the block's part of C;
// 46 KiB at most.
// Launch: 128 threads for each 512 lines (`lines`) or 256 (`slabs`).
// Accepts: single products with 2 to 16 lines on the short side, and k up to 96.
#include "kernels/common/cp_async.cuh"
#include "kernels/common/dynamic_smem_128.cuh"
#include "kernels/common/fragment.cuh"
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/simt/thin.cuh"

#include <algorithm>

namespace myblas::cuda {
namespace {

constexpr int threads = 128, most_side = 16, most_k = 96;

// side: of the computed lines of the short side, a multiple of 4. slab_k: 0 if lines of the long
// operand are neighbours. width: floats of a load.
template <int side_, int slab_k_, int width_>
struct tall_shape {
    static constexpr int side = side_, slab_k = slab_k_, width = width_;
    static constexpr bool k_contiguous = slab_k > 0;
    static constexpr int thread_lines = k_contiguous ? 2 : 4, block_lines = threads * thread_lines;
    // k of a thread at once, if lines are neighbours; registers suffice for these
    static constexpr int unroll = side == 4 ? 8 : 4;
    static constexpr int k_step = k_contiguous ? slab_k : unroll;
    static constexpr int pitch = slab_k + 4, slab_floats = k_contiguous ? block_lines * pitch : 0;
    // The position in the block of line l of a thread. Quads are of neighbouring lines.
    static __device__ __forceinline__ int line(int l) {
        return !k_contiguous && width == 4 ? threadIdx.x * 4 + l : threadIdx.x + l * threads;
    }
};

// The size needs no opt-in.
struct tall_storage {
    float x[(48 << 10) / sizeof(float)];
};

// The position in shared memory of element e of the block's part of C: with a gap after every 32
// elements, threads with neighbouring lines write to different banks.
__host__ __device__ constexpr int staged(int e) { return e + e / 32; }

// What follows the short operand in shared memory: the slabs, later C.
template <class Shape>
size_t smem_bytes(const thin_layout& layout, int64_t k) {
    const int64_t slabs = k > Shape::slab_k ? 2 : 1;
    const int of_c =
        layout.swap_ab ? staged(Shape::block_lines * static_cast<int>(layout.short_lines)) : 0;
    const int64_t of_short = ceil_div<int64_t>(k, Shape::k_step) * Shape::k_step * Shape::side;
    static_assert(most_k % Shape::k_step == 0 &&
                  most_k * Shape::side + 2 * Shape::slab_floats <= (48 << 8) &&
                  most_k * Shape::side + staged(Shape::block_lines * Shape::side) <= (48 << 8));
    return sizeof(float) *
           static_cast<size_t>(of_short + std::max<int64_t>(slabs * Shape::slab_floats, of_c));
}

// smem[k][short line]; zeroes where there is neither.
template <class Shape>
__device__ __forceinline__ void
copy_short(float* smem, const float* source, int k, const thin_layout& layout) {
    const int count = (k + Shape::k_step - 1) / Shape::k_step * Shape::k_step * Shape::side;
    const auto side = static_cast<int>(layout.short_lines);
    for (int e = threadIdx.x; e < count; e += threads) {
        const int kk = e / Shape::side, s = e % Shape::side;
        const bool inside = kk < k && s < side;
        cp_async<4>(smem + e,
                    source + (inside ? kk * layout.short_k_step + s * layout.short_step : 0),
                    inside);
    }
}

// [line of the thread][short line]
template <class Shape>
using tall_sums = float[Shape::thread_lines * Shape::side];

// ---- Lines that are neighbours ------------------------------------------------------------------

// x[u][l]: element k = kk + u of the thread's line l; zero from k on.
template <class Shape>
__device__ __forceinline__ void load_lines(float (&x)[Shape::unroll][Shape::thread_lines],
                                           const float* const (&line)[Shape::thread_lines],
                                           int kk,
                                           int k,
                                           int64_t ld) {
#pragma unroll
    for (int u = 0; u < Shape::unroll; ++u) {
        const bool inside = kk + u < k;
        const int64_t at = inside ? (kk + u) * ld : 0;
        if constexpr (Shape::width == 4) {
            load_quad(x[u], line[0] + at);
        } else {
#pragma unroll
            for (int l = 0; l < Shape::thread_lines; ++l)
                x[u][l] = line[l][at];
        }
#pragma unroll
        for (int l = 0; l < Shape::thread_lines; ++l)
            x[u][l] = inside ? x[u][l] : 0;
    }
}

template <class Shape>
__device__ __forceinline__ void multiply_lines(tall_sums<Shape>& sums,
                                               const float* small,
                                               const float* source,
                                               int lines_left,
                                               int k,
                                               int64_t ld) {
    const float* line[Shape::thread_lines]; // beyond the last one: the last one, unused
#pragma unroll
    for (int l = 0; l < Shape::thread_lines; ++l)
        line[l] = source + min(Shape::line(l), lines_left - (Shape::width == 4 ? 4 : 1));
    float next[Shape::unroll][Shape::thread_lines];
    if (k > 0)
        load_lines<Shape>(next, line, 0, k, ld);
    cp_async_wait<0>();
    __syncthreads(); // the short operand is complete
#pragma unroll 1
    for (int kk = 0; kk < k; kk += Shape::unroll) {
        float x[Shape::unroll][Shape::thread_lines];
#pragma unroll
        for (int u = 0; u < Shape::unroll; ++u)
#pragma unroll
            for (int l = 0; l < Shape::thread_lines; ++l)
                x[u][l] = next[u][l];
        if (kk + Shape::unroll < k)
            load_lines<Shape>(next, line, kk + Shape::unroll, k, ld);
#pragma unroll
        for (int u = 0; u < Shape::unroll; ++u)
            add_products<Shape::thread_lines, Shape::side>(
                sums, x[u], small + (kk + u) * Shape::side);
    }
}

// ---- k along memory -----------------------------------------------------------------------------

// Starts the copy of the slab from kk on. Lines beyond the last one are not copied.
template <class Shape>
__device__ __forceinline__ void
copy_slab(float* slab, const float* source, int lines_left, int kk, int k, int64_t ld) {
    constexpr int pieces = Shape::slab_k / Shape::width; // of a line
    static_assert(Shape::block_lines * pieces % threads == 0);
#pragma unroll 8
    for (int i = 0; i < Shape::block_lines * pieces / threads; ++i) {
        const int e = threadIdx.x + i * threads;
        const int line = e / pieces, at = e % pieces * Shape::width;
        const bool inside = kk + at < k;
        if (line < lines_left)
            cp_async<Shape::width * 4>(slab + line * Shape::pitch + at,
                                       source + (inside ? line * ld + kk + at : 0),
                                       inside);
    }
}

template <class Shape>
__device__ __forceinline__ void multiply_slabs(tall_sums<Shape>& sums,
                                               const float* small,
                                               float* slabs,
                                               const float* source,
                                               int lines_left,
                                               int k,
                                               int64_t ld) {
    if (k > 0)
        copy_slab<Shape>(slabs, source, lines_left, 0, k, ld);
    cp_async_commit();
    float* now = slabs;
    float* next = slabs + Shape::slab_floats;
#pragma unroll 1
    for (int kk = 0; kk < k; kk += Shape::slab_k) {
        if (kk + Shape::slab_k < k)
            copy_slab<Shape>(next, source, lines_left, kk + Shape::slab_k, k, ld);
        cp_async_commit();
        cp_async_wait<1>();
        __syncthreads(); // the slab and the short operand are complete
#pragma unroll 2
        for (int quad = 0; quad < Shape::slab_k; quad += 4) {
            float x[Shape::thread_lines][4];
#pragma unroll
            for (int l = 0; l < Shape::thread_lines; ++l)
                load_quad(x[l], now + Shape::line(l) * Shape::pitch + quad);
#pragma unroll
            for (int u = 0; u < 4; ++u) {
                float of_k[Shape::thread_lines];
#pragma unroll
                for (int l = 0; l < Shape::thread_lines; ++l)
                    of_k[l] = x[l][u];
                add_products<Shape::thread_lines, Shape::side>(
                    sums, of_k, small + (kk + quad + u) * Shape::side);
            }
        }
        __syncthreads(); // the slab has been read
        float* const read = now;
        now = next;
        next = read;
    }
    cp_async_wait<0>();
}

// ---- C ------------------------------------------------------------------------------------------

// The long side of C runs along memory: each thread writes its lines.
template <class Shape>
__device__ __forceinline__ void write_lines(const tall_sums<Shape>& sums,
                                            const thin_layout& layout,
                                            float* c,
                                            int lines_left,
                                            const sgemm_operands& o) {
    const bool quads = aligned16(c, layout.short_c_step);
#pragma unroll
    for (int s = 0; s < Shape::side; ++s) {
        if (s >= layout.short_lines)
            break;
        float* const at = c + s * layout.short_c_step;
        if constexpr (!Shape::k_contiguous && Shape::width == 4) {
            const float product[4] = {sums[s],
                                      sums[Shape::side + s],
                                      sums[2 * Shape::side + s],
                                      sums[3 * Shape::side + s]};
            const int first = Shape::line(0);
            if (first < lines_left)
                store_c4(at + first, o.alpha, product, o.beta, lines_left - first, quads);
        } else {
#pragma unroll
            for (int l = 0; l < Shape::thread_lines; ++l)
                if (const int line = Shape::line(l); line < lines_left)
                    store_c(&at[line], o.alpha, sums[l * Shape::side + s], o.beta);
        }
    }
}

// The short side of C runs along memory: the block writes its part in the order of memory.
template <class Shape>
__device__ __forceinline__ void write_in_order(const tall_sums<Shape>& sums,
                                               const thin_layout& layout,
                                               float* c,
                                               int lines_left,
                                               const sgemm_operands& o,
                                               float* smem) {
    const auto side = static_cast<int>(layout.short_lines);
#pragma unroll
    for (int l = 0; l < Shape::thread_lines; ++l)
#pragma unroll
        for (int s = 0; s < Shape::side; ++s)
            if (s < side)
                smem[staged(Shape::line(l) * side + s)] = sums[l * Shape::side + s];
    __syncthreads(); // all sums are complete
    // e * reciprocal >> bits is e / side for all e below 2^13.
    constexpr int bits = 20;
    static_assert(Shape::block_lines * most_side <= 1 << 13);
    const unsigned reciprocal = ((1u << bits) + side - 1) / side;
    const int count = lines_left * side;
    for (int e = threadIdx.x; e < count; e += threads) {
        const int line = static_cast<int>(e * reciprocal >> bits);
        store_c(&c[line * layout.c_step + (e - line * side)], o.alpha, smem[staged(e)], o.beta);
    }
}

// ---- Kernel -------------------------------------------------------------------------------------

template <int side, int slab_k, int width>
__global__ void __launch_bounds__(threads, 4)
    tall_skinny_kernel(const sgemm_problem p, const thin_layout layout) {
    using shape = tall_shape<side, slab_k, width>;
    float* const small = dynamic_smem_128<tall_storage>().x;
    const int64_t first_line = int64_t{blockIdx.x} * shape::block_lines;
    const auto lines_left =
        static_cast<int>(min(layout.lines - first_line, int64_t{shape::block_lines}));

    if (!fetch_parameters(p))
        return;
    grid_dependency_sync();
    launch_dependents();
    const sgemm_operands o = resolve_operands(p, 0);
    const auto k = static_cast<int>(o.k);
    float* const behind = small + (k + shape::k_step - 1) / shape::k_step * shape::k_step * side;
    copy_short<shape>(small, layout.swap_ab ? o.a : o.b, k, layout);
    cp_async_commit();
    const float* const source =
        (layout.swap_ab ? o.b : o.a) + (shape::k_contiguous ? first_line * layout.ld : first_line);
    tall_sums<shape> sums = {};
    if constexpr (shape::k_contiguous)
        multiply_slabs<shape>(sums, small, behind, source, lines_left, k, layout.ld);
    else
        multiply_lines<shape>(sums, small, source, lines_left, k, layout.ld);
    float* const c = o.c + first_line * layout.c_step;
    if (layout.swap_ab)
        write_in_order<shape>(sums, layout, c, lines_left, o, behind);
    else
        write_lines<shape>(sums, layout, c, lines_left, o);
}

// ---- Host ---------------------------------------------------------------------------------------

// Whether the long operand can be read by quads.
bool reads_quads(const sgemm_problem& p, const thin_layout& layout) {
    return aligned16(layout.swap_ab ? p.b : p.a, layout.ld) &&
           (layout.k_contiguous ? p.k : layout.lines) % 4 == 0;
}

bool fits(const sgemm_problem& p, const device_info&) {
    const int64_t side = std::min(p.m, p.n);
    return is_single(p) && 2 <= side && side <= most_side && p.k <= most_k &&
           std::max(p.m, p.n) <= max_grid_x;
}

template <int side, int slab_k>
myblasStatus_t
launch_shape(const sgemm_problem& p, const launch_context& context, const thin_layout& layout) {
    return with_bits<1>(reads_quads(p, layout), [&](auto quads) {
        using shape = tall_shape<side, slab_k, decltype(quads)::value ? 4 : 1>;
        return launch_clusters(
            tall_skinny_kernel<shape::side, shape::slab_k, shape::width>,
            dim3(static_cast<unsigned>(ceil_div<int64_t>(layout.lines, shape::block_lines))),
            1,
            true,
            threads,
            smem_bytes<shape>(layout, p.k),
            context,
            p,
            layout);
    });
}

template <int side>
myblasStatus_t
launch_side(const sgemm_problem& p, const launch_context& context, const thin_layout& layout) {
    if (!layout.k_contiguous)
        return launch_shape<side, 0>(p, context, layout);
    return p.k <= 8 ? launch_shape<side, 8>(p, context, layout)
                    : launch_shape<side, 16>(p, context, layout);
}

myblasStatus_t launch_kernel(const sgemm_problem& p, const launch_context& context) {
    const thin_layout layout = layout_of(p);
    return layout.short_lines <= 4   ? launch_side<4>(p, context, layout)
           : layout.short_lines <= 8 ? launch_side<8>(p, context, layout)
                                     : launch_side<16>(p, context, layout);
}

} // namespace

// With fewer lines, blocks are too few to have enough loads in flight; with a wide side, sooner.
// Copies of unaligned slabs, word by word, are slower than other kernels where k is longer.
bool suits_tall_skinny(const sgemm_problem& p) {
    constexpr int64_t few_short_lines = 8, least_lines = 1 << 16, least_lines_of_more = 1 << 17;
    constexpr int64_t most_k_by_words = 64;
    const thin_layout layout = layout_of(p);
    return layout.lines >=
               (layout.short_lines <= few_short_lines ? least_lines : least_lines_of_more) &&
           (!layout.k_contiguous || p.k <= most_k_by_words || reads_quads(p, layout));
}

const sgemm_kernel sgemm_tall_skinny = {
    .name = "tall_skinny",
    .description = "2 to 16 rows or columns, very many of the other, short k: a line a thread",
    .min_arch = 80,
    .block_m = 512,
    .block_n = most_side,
    .block_k = 16,
    .threads = threads,
    .stages = 2,
    .smem_bytes = 2 * tall_shape<most_side, 16, 4>::slab_floats * sizeof(float),
    .accepts = fits,
    .accepts_what = "it accepts single products of 2 to 16 rows or columns with k up to 96",
    .launch = launch_kernel,
};

} // namespace myblas::cuda
