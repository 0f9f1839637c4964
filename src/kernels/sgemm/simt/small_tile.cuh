// Small products: much work at the same time, and few steps that wait for each other.
//
// A block computes one tile of C. Its warps form split-k groups. Each group computes the whole tile
// over its own slabs of k, which it copies into its own ring in shared memory. The groups meet only
// at the end, when their sums are added in fixed order. If there are too few tiles for the GPU, the
// blocks of a cluster share a tile. Slabs are dealt out over the groups of all of these blocks.
// Each block receives the others' sums for its share of the tile in its shared memory, adds them
// and writes the share. If there are many products instead, they are packed: each group of a block
// computes its own product.
//
//   block tile   block_m x block_n, computed by every group over its slabs
//   warp tile    lanes_m * thread_m x lanes_n * thread_n, one of warps_m x warps_n of a group
//   thread tile  thread_m x thread_n: quads of rows, lanes_m * 4 apart; single columns or quads of
//                columns
//
// Slabs lie in shared memory as in global memory, for each transposition, so copies have 16 bytes
// wherever the operand is aligned. Outside of the operands, slabs are filled with zeroes, so the
// main loop is the same at the edges of C. Only the store compares rows and columns with m and n. A
// thread reads 4 k at a time: quads of lines (rows of op(A), columns of op(B)) if lines run along
// memory, quads of k if k does. C is written by quads of rows. If C is unaligned, packed products,
// and others with tiles of 1024 elements or more, write neighbouring rows from neighbouring threads
// instead.
//
// Single products use dependent launch (overlap.cuh): blocks start as soon as the blocks of the
// kernel before have exited. When that kernel's writes are visible, the launch and all work that
// needs only the parameters are already done.
#pragma once

#include "kernels/common/cp_async_cached.cuh"
#include "kernels/common/group_barrier.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/common/quad_exchange.cuh"
#include "kernels/common/swizzle.cuh"
#include "kernels/sgemm/components/epilogue.cuh"
#include "kernels/sgemm/components/hot_operand.h"
#include "kernels/sgemm/components/operands.cuh"
#include "kernels/sgemm/components/work.h"

#include <algorithm>
#include <bit>

namespace myblas::cuda {

struct small_tile_parameters {
    int warps_m = 1, warps_n = 1; // of a group
    int groups;                   // of a block
    int thread_m, thread_n;       // thread tile
    int lanes_m;                  // lanes of a warp along m
    int slab_k;                   // k of a slab in a group's ring
    int stages;
    int cluster = 1;     // blocks that share a tile: 1, 2, 4 or 8
    bool packed = false; // each group computes its own product
    int blocks_per_sm;   // the registers must suffice for this number
};

template <small_tile_parameters of>
struct small_tile_shape {
    static constexpr int groups = of.groups, thread_m = of.thread_m, thread_n = of.thread_n;
    static constexpr int lanes_m = of.lanes_m, lanes_n = 32 / lanes_m;
    static constexpr int block_k = of.slab_k, stages = of.stages, cluster = of.cluster;
    static constexpr bool packed = of.packed;
    static constexpr bool may_be_common = false; // A or B; see with_common_operand
    static constexpr bool has_epilogue = !packed;
    // Whether C is read during the copy of the first slabs, by kernels of their own. Threads of
    // larger tiles would have to hold too many elements.
    static constexpr bool reads_first =
        !packed && cluster == 1 && of.thread_m * of.thread_n <= 4 * groups;
    static constexpr int blocks_per_sm = of.blocks_per_sm;

    static constexpr int warps_m = of.warps_m, warp_m = lanes_m * thread_m,
                         warp_n = lanes_n * thread_n;
    static constexpr int block_m = warps_m * warp_m, block_n = of.warps_n * warp_n;
    static constexpr int group_threads = warps_m * of.warps_n * 32;
    static constexpr int threads = groups * group_threads;
    static constexpr int thread_quads = thread_m * thread_n / 4;
    // Groups that share a product's slabs.
    static constexpr int sharing_groups = packed ? 1 : groups * cluster;

    // The copiers need powers of 2.
    static_assert(std::has_single_bit(1u * threads * lanes_m * block_k));
    static_assert(std::has_single_bit(1u * thread_m * thread_n * cluster));
    static_assert(thread_m >= 4 && thread_n >= 2 && lanes_m <= 8 && lanes_n <= 8 && stages >= 2);
    static_assert(cluster <= 8 && !(packed && cluster > 1) && thread_quads >= cluster);
};

// The same for batches whose products have A or B in common, by a stride of 0. The few cache lines
// of such an operand are in few slices of the L2 cache, for which all blocks would wait. So its
// copies go through the L1 cache. All other operands are faster past L1.
template <class Shape>
struct with_common_operand : Shape {
    static constexpr bool may_be_common = true;
};

__host__ __device__ inline bool
is_common(const sgemm_problem& p, const float* const* array, int64_t stride) {
    return p.batch_count > 1 && !array && stride == 0;
}

// What a thread works on.
template <class Shape>
struct small_tile_place {
    int group, thread; // of the block; of the group
    int rank;          // of the block in its cluster
    int64_t row, col;  // of the tile's first element
    int64_t batch;

    __device__ __forceinline__ explicit small_tile_place(int64_t first_batch)
        : group(threadIdx.x / Shape::group_threads), thread(threadIdx.x % Shape::group_threads),
          rank(blockIdx.x % Shape::cluster),
          row(int64_t{blockIdx.x} / Shape::cluster * Shape::block_m),
          col(int64_t{blockIdx.y} * Shape::block_n),
          batch(first_batch +
                (Shape::packed ? int64_t{blockIdx.z} * Shape::groups + group : blockIdx.z)) {}
};

// Copies slabs of one operand, `lines` lines x slab_k, to shared memory: as smem[k][line] if lines
// run along memory, otherwise in the layout of line_swizzle.
template <class Shape, int lines, bool k_contiguous_, class Swizzle>
struct small_tile_copier {
    static constexpr int slab_k = Shape::block_k, threads = Shape::group_threads;
    static constexpr bool k_contiguous = k_contiguous_;
    static constexpr int inner = k_contiguous ? slab_k : lines; // along memory
    static constexpr int outer = k_contiguous ? lines : slab_k;
    static constexpr int slab_floats = inner * outer;

    const float* gmem; // the tile's first line, at k = 0
    int64_t ld;
    int lines_left; // from the tile's first line to the operand's end
    bool quads;     // whether the operand consists of aligned quads
    bool is_common; // false unless Shape::may_be_common

    __device__ small_tile_copier(const float* base,
                                 int64_t ld_,
                                 int64_t first_line,
                                 int all_lines,
                                 int k,
                                 bool is_common_,
                                 bool is_scalar)
        : gmem(base + (k_contiguous ? first_line * ld_ : first_line)), ld(ld_),
          lines_left(all_lines - static_cast<int>(first_line)),
          quads(!is_scalar && aligned16(base, ld_) && (k_contiguous ? k : all_lines) % 4 == 0),
          is_common(is_common_) {}

    // Starts the copies of the slab at first_k, with zeroes outside of the operand.
    __device__ __forceinline__ void start(float* smem, int first_k, int k, int thread) const {
        if (quads)
            start_copies<4>(smem, first_k, k - first_k, thread);
        else
            start_copies<1>(smem, first_k, k - first_k, thread);
    }

private:
    template <int bytes>
    __device__ __forceinline__ void copy(float* target, const float* source, bool inside) const {
        if constexpr (Shape::may_be_common)
            cp_async_cached<bytes>(is_common, target, source, inside);
        else
            cp_async<bytes>(target, source, inside);
    }

    template <int copy_floats>
    __device__ __forceinline__ void
    start_copies(float* smem, int first_k, int k_left, int thread) const {
        constexpr int row = inner / copy_floats; // copies along memory
        constexpr int copies = ceil_div(row * outer, threads);
        // A thread's copies are inner_step apart; after every inner_copies copies, the next one is
        // outer_step further.
        constexpr int inner_copies = row > threads ? row / threads : 1;
        constexpr int inner_step = threads * copy_floats;
        constexpr int outer_step = row > threads ? 1 : threads / row;

        const int i = thread % row * copy_floats, o = thread / row;
        const int inner_left = (k_contiguous ? k_left : lines_left) - i;
        const int outer_left = (k_contiguous ? lines_left : k_left) - o;
        const float* source = gmem + (k_contiguous ? first_k : first_k * ld) + i + o * ld;
        float* target = smem + (k_contiguous ? Swizzle::row(o) + i % 4 : o * inner + i);
        const int quad = i / 4 ^ Swizzle::swizzle(o);
        int64_t step = outer_step * ld;
        // Hidden from the compiler for each slab, so that it does not keep an address for each
        // copy.
        asm volatile("" : "+l"(step));
#pragma unroll
        for (int c = 0; c < copies; ++c) {
            const int i_offset = c % inner_copies * inner_step;
            const int o_offset = c / inner_copies * outer_step;
            const int target_offset =
                k_contiguous ? Swizzle::row(o_offset) +
                                   (quad ^ i_offset / 4 ^ Swizzle::swizzle(o_offset)) * 4
                             : o_offset * inner + i_offset;
            const bool inside = inner_left > i_offset && outer_left > o_offset;
            if (copies * threads == row * outer || o + o_offset < outer)
                copy<copy_floats * 4>(target + target_offset, source + i_offset, inside);
            if ((c + 1) % inner_copies == 0)
                source += step;
        }
    }
};

// A thread's lines of one operand, at 4 consecutive k.
template <int count, class Copier, class Swizzle>
struct small_tile_fragment {
    static constexpr int lanes = Swizzle::lanes, width = Swizzle::width;

    float x[4][count]; // [k][line]

    // Line i of the thread at `position` among the lanes, counted in the warp tile.
    static __device__ __forceinline__ constexpr int line(int position, int i) {
        return position * width + i / width * (lanes * width) + i % width;
    }

    // Loads 4 k of a slab, from k on. `first` is the thread's first line in the block tile.
    __device__ __forceinline__ void load(const float* slab, int first, int k) {
        if constexpr (Copier::k_contiguous) {
            const float* rows = slab + Swizzle::row(first);
            const int swizzle = Swizzle::swizzle(first);
#pragma unroll
            for (int i = 0; i < count; ++i) {
                const int quad = swizzle ^ Swizzle::swizzle(line(0, i)) ^ k / 4;
                const float4 v =
                    *reinterpret_cast<const float4*>(rows + Swizzle::row(line(0, i)) + quad * 4);
                x[0][i] = v.x, x[1][i] = v.y, x[2][i] = v.z, x[3][i] = v.w;
            }
        } else {
#pragma unroll
            for (int l = 0; l < 4; ++l)
#pragma unroll
                for (int i = 0; i < count; i += width) {
                    const float* at = slab + first + (k + l) * Copier::inner + line(0, i);
                    if constexpr (width == 4) {
                        const float4 v = *reinterpret_cast<const float4*>(at);
                        x[l][i] = v.x, x[l][i + 1] = v.y, x[l][i + 2] = v.z, x[l][i + 3] = v.w;
                    } else {
                        const float2 v = *reinterpret_cast<const float2*>(at);
                        x[l][i] = v.x, x[l][i + 1] = v.y;
                    }
                }
        }
    }
};

template <class Shape, bool transa, bool transb>
struct small_tile {
    // Neighbouring lines of a thread: rows in quads, as C is written; columns in the width in which
    // they are read.
    static constexpr int width_a = 4;
    static constexpr int width_b = !transb ? 1 : Shape::thread_n < 4 ? Shape::thread_n : 4;
    using swizzle_a = line_swizzle<Shape::block_k, Shape::lanes_m, width_a>;
    using swizzle_b = line_swizzle<Shape::block_k, Shape::lanes_n, width_b>;
    using copier_a = small_tile_copier<Shape, Shape::block_m, transa, swizzle_a>;
    using copier_b = small_tile_copier<Shape, Shape::block_n, !transb, swizzle_b>;
    using fragment_a = small_tile_fragment<Shape::thread_m, copier_a, swizzle_a>;
    using fragment_b = small_tile_fragment<Shape::thread_n, copier_b, swizzle_b>;

    static constexpr int stage_floats = copier_a::slab_floats + copier_b::slab_floats;
    static constexpr int ring_floats = Shape::stages * stage_floats;
    static constexpr int partial_floats = Shape::block_m * Shape::block_n;
    static constexpr int group_floats = ring_floats > partial_floats ? ring_floats : partial_floats;
    // Quads of each thread's tile that one block of a cluster adds up, quads that one thread
    // writes, and the bytes that the block receives.
    static constexpr int share_quads = Shape::thread_quads / Shape::cluster;
    static constexpr int written_quads =
        Shape::packed ? Shape::thread_quads : ceil_div(share_quads, Shape::groups);
    static constexpr int share_bytes = Shape::cluster > 1 ? partial_floats* int{sizeof(float)} : 0;
    static constexpr int groups_bytes = Shape::groups * group_floats * int{sizeof(float)};
    static constexpr size_t smem_bytes =
        groups_bytes + share_bytes + (Shape::cluster > 1 ? sizeof(uint64_t) : 0);

    // If C's columns are unaligned, quads would need scalar stores, 16 bytes apart. Neighbouring
    // threads write neighbouring rows instead, from sums in shared memory. For small tiles with
    // several groups this costs more than it saves.
    static constexpr bool writes_columns =
        Shape::cluster == 1 && (Shape::packed || (Shape::groups > 1 && partial_floats >= 1024));

    using accumulators = float[Shape::thread_n][Shape::thread_m]; // [column][row]

    using barrier = group_barrier<Shape::group_threads, Shape::groups>;
    using place = small_tile_place<Shape>;

    // acc = the product over the slabs first_slab, first_slab + sharing_groups, ... `meanwhile` is
    // called once, during the copy of the first slabs.
    template <class Meanwhile>
    static __device__ __forceinline__ void multiply(const copier_a& copy_a,
                                                    const copier_b& copy_b,
                                                    int k,
                                                    int first_slab,
                                                    float* ring,
                                                    barrier& group,
                                                    int thread,
                                                    accumulators& acc,
                                                    Meanwhile&& meanwhile) {
        constexpr int step_k = Shape::sharing_groups * Shape::block_k;
        int start_k = first_slab * Shape::block_k;
        const auto start_slab = [&](int stage) {
            if (start_k < k) {
                float* target = ring + stage * stage_floats;
                copy_a.start(target, start_k, k, thread);
                copy_b.start(target + copier_a::slab_floats, start_k, k, thread);
                start_k += step_k;
            }
            // An empty group counts too, so that the wait below is right.
            cp_async_commit();
        };
#pragma unroll
        for (int stage = 0; stage < Shape::stages - 1; ++stage)
            start_slab(stage);
        meanwhile();

        const int line_a = warp_row(thread) + fragment_a::line(lane_m(thread), 0);
        const int line_b = warp_col(thread) + fragment_b::line(lane_n(thread), 0);
        int read_stage = 0, write_stage = Shape::stages - 1;
        for (int at_k = first_slab * Shape::block_k; at_k < k; at_k += step_k) {
            cp_async_wait<Shape::stages - 2>();
            // All of the group's copies of this slab have arrived, and all its threads have read
            // the slab before it, whose stage is filled next.
            group.synchronize();
            start_slab(write_stage);
            write_stage = write_stage + 1 == Shape::stages ? 0 : write_stage + 1;
            const float* slab_a = ring + read_stage * stage_floats;
            const float* slab_b = slab_a + copier_a::slab_floats;
            read_stage = read_stage + 1 == Shape::stages ? 0 : read_stage + 1;
#pragma unroll
            for (int kk = 0; kk < Shape::block_k; kk += 4) {
                fragment_a a;
                fragment_b b;
                a.load(slab_a, line_a, kk);
                b.load(slab_b, line_b, kk);
#pragma unroll
                for (int l = 0; l < 4; ++l)
                    add_product(acc, a.x[l], b.x[l]);
            }
        }
        cp_async_wait<0>();
    }

    // Quad q of a thread's tile: 4 rows of a column.
    static __device__ __forceinline__ float4 quad(const accumulators& acc, int q) {
        const float* column = acc[4 * q / Shape::thread_m];
        const int r = 4 * q % Shape::thread_m;
        return make_float4(column[r], column[r + 1], column[r + 2], column[r + 3]);
    }

    // Row and column of quad q in the block tile.
    static __device__ __forceinline__ int quad_row(int thread, int q) {
        return warp_row(thread) + fragment_a::line(lane_m(thread), 4 * q % Shape::thread_m);
    }
    static __device__ __forceinline__ int quad_col(int thread, int q) {
        return warp_col(thread) + fragment_b::line(lane_n(thread), 4 * q / Shape::thread_m);
    }

    // The sum of `count` quads, `distance` apart, in order.
    template <int count, int distance>
    static __device__ __forceinline__ float4 add_quads(const float4* quads) {
        float4 sum = quads[0];
#pragma unroll
        for (int i = 1; i < count; ++i) {
            const float4 v = quads[i * distance];
            sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
        }
        return sum;
    }

    // The sum of one element of the block tile over the groups' sums, [group][quad][thread].
    static __device__ __forceinline__ float add_words(const float* partial, int row, int col) {
        const int r = row % Shape::warp_m, c = col % Shape::warp_n;
        const int warp = row / Shape::warp_m + col / Shape::warp_n * Shape::warps_m;
        const int thread = warp * 32 + c / width_b % Shape::lanes_n * Shape::lanes_m +
                           r / width_a % Shape::lanes_m;
        const int column = c / (width_b * Shape::lanes_n) * width_b + c % width_b;
        const int quad = column * (Shape::thread_m / 4) + r / (width_a * Shape::lanes_m);
        partial += (quad * Shape::group_threads + thread) * 4 + r % 4;
        float sum = partial[0];
#pragma unroll
        for (int g = 1; g < Shape::groups; ++g)
            sum += partial[g * group_floats];
        return sum;
    }

    // The exchange in the cluster, behind the groups' memory.
    static __device__ __forceinline__ quad_exchange exchange(float* smem, const place& at) {
        float4* const received = reinterpret_cast<float4*>(smem) + groups_bytes / 16;
        return {received + at.thread,
                reinterpret_cast<uint64_t*>(received + share_bytes / 16),
                share_quads,
                Shape::group_threads};
    }

    // This thread writes quad written_quad(number) of its tile, if is_written(number).
    static __device__ __forceinline__ int written_quad(const place& at, int number) {
        return Shape::packed ? number
                             : (number * Shape::groups + at.group) * Shape::cluster + at.rank;
    }
    static __device__ __forceinline__ bool is_written(const place& at, int number) {
        return Shape::packed || share_quads % Shape::groups == 0 ||
               number * Shape::groups + at.group < share_quads;
    }

    // smem[group][quad][thread] = acc.
    static __device__ __forceinline__ void
    leave_sums(const place& at, const accumulators& acc, barrier& group, float* smem) {
        group.synchronize(); // the ring has been read
        float4* const own = reinterpret_cast<float4*>(smem + at.group * group_floats) + at.thread;
#pragma unroll
        for (int q = 0; q < Shape::thread_quads; ++q)
            own[q * Shape::group_threads] = quad(acc, q);
        __syncthreads(); // the sums of all groups are complete
    }

    // The group's memory [column][row] = acc, for a group that computes the whole tile.
    static __device__ __forceinline__ const float*
    leave_columns(const place& at, const accumulators& acc, barrier& group, float* smem) {
        float* const own = smem + at.group * group_floats;
        group.synchronize(); // the ring has been read
#pragma unroll
        for (int q = 0; q < Shape::thread_quads; ++q)
            *reinterpret_cast<float4*>(own + quad_col(at.thread, q) * Shape::block_m +
                                       quad_row(at.thread, q)) = quad(acc, q);
        group.synchronize(); // the tile is complete
        return own;
    }

    // Adds what the groups of all blocks have left, and calls f(number, sum) for the quads that
    // this thread writes.
    template <class F>
    static __device__ __forceinline__ void add_sums(const place& at, float* smem, F&& f) {
        constexpr int group_threads = Shape::group_threads;
        const float4* const partial = reinterpret_cast<const float4*>(smem) + at.thread;
        const quad_exchange received = exchange(smem, at);
        if constexpr (Shape::cluster > 1)
            received.is_open();
#pragma unroll
        for (int first = 0; first < Shape::thread_quads; first += Shape::groups) {
            const int q = first + at.group;
            if (Shape::thread_quads % Shape::groups != 0 && q >= Shape::thread_quads)
                break;
            const float4 sum =
                add_quads<Shape::groups, group_floats / 4>(partial + q * group_threads);
            if constexpr (Shape::cluster == 1)
                f(first / Shape::groups, sum);
            else
                received.send(at.rank, q % Shape::cluster, q / Shape::cluster, sum);
        }
        if constexpr (Shape::cluster > 1) {
            received.wait();
#pragma unroll
            for (int number = 0; number < written_quads; ++number)
                if (is_written(at, number))
                    f(number,
                      add_quads<Shape::cluster, share_quads * group_threads>(
                          &received(0, number * Shape::groups + at.group)));
        }
    }

private:
    // For a thread of a group: the position of its lane in the warp, and of its warp tile in the
    // block tile.
    static __device__ __forceinline__ int lane_m(int thread) { return thread % Shape::lanes_m; }
    static __device__ __forceinline__ int lane_n(int thread) {
        return thread % 32 / Shape::lanes_m;
    }
    static __device__ __forceinline__ int warp_row(int thread) {
        return thread / 32 % Shape::warps_m * Shape::warp_m;
    }
    static __device__ __forceinline__ int warp_col(int thread) {
        return thread / 32 / Shape::warps_m * Shape::warp_n;
    }
};

// Which kernels compute triangles of C. The mask costs a product of one microsecond 2% of its time,
// so the smallest tiles have kernels of their own for triangles.
template <class Shape>
constexpr bool masks_tiles = !Shape::packed && Shape::block_m == 32 && Shape::block_n == 32;
template <class Shape>
constexpr bool has_mask_kernels =
    !Shape::packed && Shape::cluster == 1 && Shape::block_m == 16 && Shape::block_n == 16;

// C = alpha * sum + beta * C for a tile that begins at c, where has(row, column) holds. `threads`
// threads write it together, neighbouring ones neighbouring rows. adds: beta is 1.
template <class Shape, int threads, bool adds, class Sum, class Has>
__device__ __forceinline__ void
write_columns(const sgemm_operands& o, float* c, int64_t ldc, int thread, Sum&& sum, Has&& has) {
    constexpr int step = threads / Shape::block_m; // columns that are written at the same time
    constexpr int columns = Shape::block_n / step, batch = columns < 8 ? columns : 8; // of a thread
    static_assert(threads % Shape::block_m == 0 && Shape::block_n % (batch * step) == 0);
    const int row = thread % Shape::block_m;
    int col = thread / Shape::block_m;
#pragma unroll
    for (int first = 0; first < Shape::block_n; first += batch * step) {
        float value[batch];
#pragma unroll
        for (int i = 0; i < batch; ++i)
            value[i] = scaled_sum(o.alpha, sum(row, col + i * step));
        float* const at = c + row + col * ldc;
        if (!adds && o.beta != 0) {
#pragma unroll
            for (int i = 0; i < batch; ++i)
                if (has(row, col + i * step))
                    value[i] = fmaf(o.beta, at[i * step * ldc], value[i]);
        }
        bool are_added_in_memory = adds;
#pragma unroll
        for (int i = 0; adds && i < batch; ++i)
            are_added_in_memory = are_added_in_memory && is_added_in_memory(value[i]);
#pragma unroll
        for (int i = 0; i < batch; ++i)
            if (has(row, col + i * step)) {
                float* const element = &at[i * step * ldc];
                if (!adds)
                    *element = value[i];
                else if (are_added_in_memory)
                    reduce_to_memory(element, value[i]);
                else
                    add_in_memory(element, value[i]);
            }
        col += batch * step;
    }
}

// How a kernel accesses C. Each way has kernels of its own: a product of one or two microseconds
// would take 3% longer with the code of the others between its own instructions.
enum class c_access {
    written, // the host knows that beta is 0
    read,    // during the copy of the first slabs, if Shape::reads_first
    added,   // the host knows that beta is 1
    fused,   // by an epilogue
    masked,  // a triangle, if has_mask_kernels
};

template <class Shape, c_access access>
constexpr bool has_mask = masks_tiles<Shape> || access == c_access::masked;

// The quads of C that a thread writes, and their values before the product if C is read first.
template <class Tile, class Shape, c_access access>
class small_tile_output {
    static constexpr bool reads_first = access == c_access::read && Shape::reads_first;
    static constexpr bool is_masked = has_mask<Shape, access>;

    const sgemm_problem& p;
    const sgemm_operands& o;
    const small_tile_place<Shape>& at;
    float old[reads_first ? Tile::written_quads : 1][4];

public:
    __device__ __forceinline__ small_tile_output(const sgemm_problem& p_,
                                                 const sgemm_operands& o_,
                                                 const small_tile_place<Shape>& at_)
        : p(p_), o(o_), at(at_) {}

    __device__ __forceinline__ void read_first() {
        if constexpr (reads_first) {
            if (o.beta == 0)
                return;
#pragma unroll
            for (int number = 0; number < Tile::written_quads; ++number) {
                const quad_place to(*this, number);
                const bool reads = Tile::is_written(at, number) && to.col < p.n;
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    old[number][e] =
                        reads && to.first <= e && e < to.end ? o.c[to.index(p) + e] : 0;
            }
        }
    }

    // C = alpha * sums + beta * C.
    __device__ __forceinline__ void write(const typename Tile::accumulators& acc,
                                          typename Tile::barrier& group,
                                          float* smem) const {
        const bool vector_c = aligned16(o.c, p.ldc);
        const float beta = access == c_access::written ? 0 : o.beta;
        const auto write_quad = [&](int number, const float4& v) {
            const quad_place to(*this, number);
            if (to.col >= p.n)
                return;
            float* const c = &o.c[to.index(p)];
            const float product[4] = {v.x, v.y, v.z, v.w};
            if constexpr (access == c_access::added)
                add_quad_to_c(c, product, to, vector_c);
            else if constexpr (reads_first)
                store_read(c, product, old[number], to, vector_c);
            else
                store_c4(c, o.alpha, product, beta, to.end, vector_c, to.first);
        };
        const diagonal_mask mask(p.triangle, at.row, at.col);
        const auto has = [&](int row, int col) {
            return at.row + row < p.m && at.col + col < p.n && (!is_masked || mask.has(row, col));
        };
        if constexpr (Shape::sharing_groups == 1) {
            // Of a tile that is mostly outside of C, the quads are fewer than the columns.
            const bool is_mostly_inside =
                p.m - at.row >= Shape::block_m / 2 && p.n - at.col >= Shape::block_n / 2;
            if (Tile::writes_columns && !vector_c && is_mostly_inside) {
                const float* const sums = Tile::leave_columns(at, acc, group, smem);
                write_columns<Shape, Shape::group_threads, access == c_access::added>(
                    o,
                    &o.c[at.row + at.col * p.ldc],
                    p.ldc,
                    at.thread,
                    [&](int row, int col) { return sums[col * Shape::block_m + row]; },
                    has);
                return;
            }
#pragma unroll
            for (int q = 0; q < Shape::thread_quads; ++q)
                write_quad(q, Tile::quad(acc, q));
        } else {
            Tile::leave_sums(at, acc, group, smem);
            if constexpr (Tile::writes_columns) {
                if (!vector_c) {
                    write_columns<Shape, Shape::threads, access == c_access::added>(
                        o,
                        &o.c[at.row + at.col * p.ldc],
                        p.ldc,
                        threadIdx.x,
                        [&](int row, int col) { return Tile::add_words(smem, row, col); },
                        has);
                    return;
                }
            }
            Tile::add_sums(at, smem, write_quad);
        }
    }

private:
    // Where one of the thread's quads of C lies, and which of its rows are computed.
    struct quad_place {
        int64_t row, col, end;
        int first = 0;

        __device__ __forceinline__ quad_place(const small_tile_output& of, int number) {
            const int q = Tile::written_quad(of.at, number);
            const int i = Tile::quad_row(of.at.thread, q), j = Tile::quad_col(of.at.thread, q);
            row = of.at.row + i, col = of.at.col + j;
            end = of.p.m - row;
            if constexpr (is_masked) {
                const diagonal_mask mask(of.p.triangle, of.at.row, of.at.col);
                end = min(end, int64_t{mask.quad_end(i, j)});
                first = mask.quad_first(i, j);
            }
        }
        __device__ __forceinline__ int64_t index(const sgemm_problem& p) const {
            return row + col * p.ldc;
        }
    };

    // As store_c4 with a beta of 1, by the L2 cache where it may add.
    __device__ __forceinline__ void
    add_quad_to_c(float* c, const float (&product)[4], const quad_place& to, bool vector_c) const {
        float value[4];
        bool are_added_in_memory = true;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            value[e] = scaled_sum(o.alpha, product[e]);
            are_added_in_memory = are_added_in_memory && is_added_in_memory(value[e]);
        }
        if (vector_c && are_added_in_memory && to.end >= 4 && to.first <= 0) {
            reduce_quad_to_memory(c, value);
            return;
        }
#pragma unroll
        for (int e = 0; e < 4; ++e)
            if (to.first <= e && e < to.end)
                add_in_memory(&c[e], value[e]);
    }

    // As store_c4, with the old values given.
    __device__ __forceinline__ void store_read(float* c,
                                               const float (&product)[4],
                                               const float (&old_quad)[4],
                                               const quad_place& to,
                                               bool vector_c) const {
        float value[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            value[e] = scaled_sum(o.alpha, product[e]);
            if (o.beta != 0)
                value[e] = fmaf(o.beta, old_quad[e], value[e]);
        }
        if (vector_c && to.end >= 4 && to.first <= 0) {
            *reinterpret_cast<float4*>(c) = make_float4(value[0], value[1], value[2], value[3]);
            return;
        }
#pragma unroll
        for (int e = 0; e < 4; ++e)
            if (to.first <= e && e < to.end)
                c[e] = value[e];
    }
};

// As write_columns, with an epilogue. row_bias: the bias of the thread's row.
template <class Tile, class Shape>
__device__ __forceinline__ void write_fused_columns(const sgemm_problem& p,
                                                    const sgemm_operands& o,
                                                    const epilogue_op& epilogue,
                                                    const small_tile_place<Shape>& at,
                                                    float row_bias,
                                                    const float* smem) {
    constexpr int step = Shape::threads / Shape::block_m;
    constexpr int columns = Shape::block_n / step, batch = columns < 8 ? columns : 8;
    static_assert(Shape::threads % Shape::block_m == 0 && columns % batch == 0);
    const int row = threadIdx.x % Shape::block_m;
    int col = threadIdx.x / Shape::block_m;
#pragma unroll
    for (int first = 0; first < columns; first += batch) {
        const auto place_of = [&](int i) {
            const int64_t c = at.col + col + i * step;
            return epilogue_place{at.row + row, c, at.row + row < p.m && c < p.n};
        };
        float value[batch][1];
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            const epilogue_place to = place_of(i);
            value[i][0] = scaled_sum(o.alpha, Tile::add_words(smem, row, col + i * step)) +
                          (row_bias + epilogue.bias_of_col(to.col, to.rows > 0));
        }
        epilogue(value, place_of);
        col += batch * step;
    }
}

// As small_tile_output::write, with an epilogue.
template <class Tile, class Shape>
__device__ __forceinline__ void write_fused(const sgemm_problem& p,
                                            const sgemm_operands& o,
                                            const small_tile_place<Shape>& at,
                                            const typename Tile::accumulators& acc,
                                            typename Tile::barrier& group,
                                            float row_bias,
                                            float* smem) {
    const epilogue_op epilogue(p, o, at.batch);
    if constexpr (Tile::writes_columns) {
        if (!aligned16(o.c, p.ldc)) {
            Tile::leave_sums(at, acc, group, smem);
            write_fused_columns<Tile>(p, o, epilogue, at, row_bias, smem);
            return;
        }
    }
    const auto place_of = [&](int number) {
        const int q = Tile::written_quad(at, number);
        const int64_t row = at.row + Tile::quad_row(at.thread, q);
        const int64_t col = at.col + Tile::quad_col(at.thread, q);
        return epilogue_place{row, col, Tile::is_written(at, number) && col < p.n ? p.m - row : 0};
    };
    // The biases are loaded before the exchange, and before anything is stored.
    float value[Tile::written_quads][4];
#pragma unroll
    for (int number = 0; number < Tile::written_quads; ++number) {
        const epilogue_place to = place_of(number);
        const float of_col = epilogue.bias_of_col(to.col, to.rows > 0);
#pragma unroll
        for (int r = 0; r < 4; ++r)
            value[number][r] = of_col + epilogue.bias_of_row(to.row + r, r < to.rows);
    }
    Tile::leave_sums(at, acc, group, smem);
    Tile::add_sums(at, smem, [&](int number, const float4& sum) {
        const float product[4] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
        for (int r = 0; r < 4; ++r)
            value[number][r] += scaled_sum(o.alpha, product[r]);
    });
    epilogue(value, place_of);
}

// Up to this k, the next kernel may start before C is written.
inline constexpr int most_early_k = 48;

template <class Shape, bool transa, bool transb, c_access access>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks_per_sm)
    small_tile_kernel(int64_t first_batch, const sgemm_problem p) {
    using tile = small_tile<Shape, transa, transb>;
    extern __shared__ __align__(16) float smem[];
    __shared__ mbarrier barriers[Shape::groups];
    const small_tile_place<Shape> at(first_batch);
    typename tile::barrier group(barriers, at.group);
    if (Shape::packed && at.batch >= p.batch_count)
        return;
    if (has_mask<Shape, access> &&
        diagonal_mask(p.triangle, at.row, at.col).has_none(Shape::block_m, Shape::block_n))
        return;
    if constexpr (Shape::cluster > 1)
        tile::exchange(smem, at).open(tile::share_bytes);

    grid_dependency_sync();
    const sgemm_operands o = resolve_operands(p, at.batch);
    const int k = static_cast<int>(o.k);
    typename tile::accumulators acc = {};
    small_tile_output<tile, Shape, access> output(p, o, at);
    float row_bias = 0; // of the row that the thread writes by columns
    const bool common_a = Shape::may_be_common && is_common(p, p.a_array, p.stride_a);
    const bool common_b = Shape::may_be_common && is_common(p, p.b_array, p.stride_b);
    const int m = static_cast<int>(p.m), n = static_cast<int>(p.n);
    tile::multiply(typename tile::copier_a(o.a, p.lda, at.row, m, k, common_a, p.scalar_copies & 1),
                   typename tile::copier_b(o.b, p.ldb, at.col, n, k, common_b, p.scalar_copies & 2),
                   k,
                   Shape::packed ? 0 : at.rank * Shape::groups + at.group,
                   smem + at.group * tile::group_floats,
                   group,
                   at.thread,
                   acc,
                   [&] {
                       output.read_first();
                       if constexpr (access == c_access::fused && tile::writes_columns) {
                           const int64_t row = at.row + threadIdx.x % Shape::block_m;
                           row_bias = epilogue_op(p, o, at.batch).bias_of_row(row, row < p.m);
                       }
                   });
    // The blocks of the next kernel are spread unevenly beside these. For a longer k, this costs
    // more than its early start saves.
    if (!Shape::packed && Shape::cluster == 1 && k <= most_early_k)
        launch_dependents();
    if constexpr (access == c_access::fused)
        write_fused<tile>(p, o, at, acc, group, row_bias, smem);
    else
        output.write(acc, group, smem);
}

template <class Shape>
struct small_tile_variant {
    using shape = Shape;
    static constexpr bool has_epilogue = Shape::has_epilogue;
    static constexpr int min_arch = Shape::cluster > 1 ? 90 : 80, max_arch = 0;
    static constexpr bool takes_triangles = masks_tiles<Shape> || has_mask_kernels<Shape>;
    static constexpr bool keeps_k_order = Shape::sharing_groups == 1;
    // The same for all transpositions.
    static constexpr size_t smem_bytes = small_tile<Shape, false, false>::smem_bytes;

    // Bits: the two transpositions; C is read; beta is 1; the product is fused, or A or B of packed
    // products is common; a triangle of C is computed.
    static constexpr int choice_bits =
        has_mask_kernels<Shape> ? 6 : 4 + (Shape::has_epilogue || Shape::packed);
    template <class F>
    static myblasStatus_t with_kernel(unsigned choice, F&& f) {
        if constexpr (Shape::packed && !Shape::may_be_common)
            if (choice & 16)
                return small_tile_variant<with_common_operand<Shape>>::with_kernel(choice % 16, f);
        return with_bits<4>(choice % 16, [&](auto transa, auto transb, auto is_read, auto adds) {
            if constexpr (has_mask_kernels<Shape>)
                if (choice & 32)
                    return f(small_tile_kernel<Shape, transa, transb, c_access::masked>,
                             smem_bytes);
            if constexpr (Shape::has_epilogue)
                if (choice & 16)
                    return f(small_tile_kernel<Shape, transa, transb, c_access::fused>, smem_bytes);
            constexpr c_access access = adds                             ? c_access::added
                                        : is_read || !Shape::reads_first ? c_access::read
                                                                         : c_access::written;
            return f(small_tile_kernel<Shape, transa, transb, access>, smem_bytes);
        });
    }

    static constexpr const char* accepts_what = "it accepts up to 2^30 rows, columns and k";
    static bool fits(const sgemm_problem& p, const device_info& device) {
        constexpr int64_t max_extent = 1 << 30; // lines and k are counted in 32 bits
        return smem_bytes <= device.smem_per_block && std::max({p.m, p.n, p.k}) <= max_extent &&
               ceil_div<int64_t>(p.n, Shape::block_n) <= max_grid_y;
    }

    static work_estimate work(const work_query& q) {
        constexpr tile_kernel kernel{.block_m = Shape::block_m,
                                     .block_n = Shape::block_n,
                                     .slab_k = Shape::block_k,
                                     .groups = Shape::groups,
                                     .sharing = Shape::sharing_groups,
                                     .cluster = Shape::cluster,
                                     .products = Shape::packed ? Shape::groups : 1,
                                     .resident = Shape::blocks_per_sm};
        return kernel.work(q);
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        const bool is_fused = Shape::has_epilogue && !p.epilogue.is_empty();
        const bool is_masked = has_mask_kernels<Shape> && p.triangle != triangle_of_c::none;
        // Unaligned quads are added word by word, which takes longer than to read them first.
        const bool adds =
            is_one(p.beta) && (!Shape::reads_first ||
                               batch_aligned16(p.c, p.ldc, p.stride_c, p.c_array, p.batch_count));
        const bool has_common = Shape::packed && (is_common(p, p.a_array, p.stride_a) ||
                                                  is_common(p, p.b_array, p.stride_b));
        const unsigned choice = form_bits(p) | may_be_nonzero(p.beta) << 2 | adds << 3 |
                                (is_fused || has_common) << 4 | is_masked << 5;
        const auto tiles_m = ceil_div<int64_t>(p.m, Shape::block_m),
                   tiles_n = ceil_div<int64_t>(p.n, Shape::block_n);
        sgemm_problem launched = p;
        if (Shape::cluster == 1 && !has_common) {
            // Where k runs along memory, only the shortest slabs read parts of many cache lines.
            const hot_operands hot(p, tiles_m, tiles_n);
            const bool scalar_a = hot.a && (!p.transa || Shape::block_k == 8),
                       scalar_b = hot.b && (p.transb || Shape::block_k == 8);
            launched.scalar_copies = static_cast<uint8_t>(scalar_a | scalar_b << 1);
        }
        return with_kernel(choice, [&](auto kernel, size_t bytes) {
            return launch_products(kernel,
                                   {.x = tiles_m * Shape::cluster,
                                    .y = tiles_n,
                                    .threads = Shape::threads,
                                    .smem_bytes = bytes,
                                    .cluster = Shape::cluster,
                                    .early = true,
                                    .products = Shape::packed ? Shape::groups : 1},
                                   launched,
                                   context);
        });
    }
};

} // namespace myblas::cuda
