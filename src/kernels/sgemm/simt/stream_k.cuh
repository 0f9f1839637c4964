// Stream-K: a persistent kernel with block tiles of up to 128 x 64. Some warps only multiply, fed
// by threads that only copy. The schedule is in components/schedule.cuh. Operands lie in shared
// memory as in global memory.
//
// Roles      The last 128 threads of a block are producers (stream_k_producers.cuh). Producers give
//            their registers to the consumers and keep a ring of stages filled. The other eight
//            warps are consumers; warps_m x warps_n of them compute the block tile, 32 x 32 each.
//            If this is fewer than eight, groups of warps split k. Each group takes every groups-th
//            slab of a segment, and at the segment's end the first group adds the others' sums.
//            Producers and consumers communicate only by a full and an empty barrier for each
//            stage. Finished tiles pass through shared memory to writers (stream_k_writers.cuh),
//            while the consumers go on.
// Lanes      Four lanes of a warp split k: lane 4 j + i multiplies at every fourth k, from i on.
//            The four lanes have the same thread tile and add their sums at the end. A warp tile of
//            32 x 32 then has thread tiles of 16 x 8, which gives a 128 x 64 block tile the load
//            ratio of 256 x 128.
// Fragments  One instruction loads four lines of an operand (rows of op(A) or columns of op(B)) at
//            the lane's k. If lines run along memory, it is a 128-bit load. If k does, it is
//            ldmatrix. An 8 x 8 matrix of 16-bit elements is 8 lines x 4 k of 32 bits, and lane
//            4 j + i gets line j at k = i.
// Forms      A and B may be swapped, C^T = op(B)^T op(A)^T, where that makes fewer tiles (swaps_ab
//            in stream_k.cu): NT and TN keep their form, NN becomes TT and TT becomes NN. C is
//            transposed back when it is written.
// Slabs      have 32 k. If k runs along memory, a slab is smem[line][k] with rows of 128 bytes,
//            swizzled by TMA so that eight lines at one quad of k are in different banks. A of OP_N
//            is smem[k][line]; lanes with different k read their quads of lines in different
//            orders. B of OP_T is up to two boxes of smem[k][32 lines], swizzled, since a lane's
//            two quads of lines have only two orders.
#pragma once

#include "kernels/common/block_flag.cuh"
#include "kernels/common/ldmatrix.cuh"
#include "kernels/common/named_barrier.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/common/wgmma.cuh"
#include "kernels/sgemm/simt/stream_k_writers.cuh"

namespace myblas::cuda {

template <int warps_m_, int warps_n_>
struct stream_k_shape {
    static constexpr int warps_m = warps_m_, warps_n = warps_n_, groups = 8 / (warps_m * warps_n);
    static constexpr int warp_m = 32, warp_n = 32; // a row or a box of lines
    static constexpr int block_m = warps_m * warp_m, block_n = warps_n * warp_n, block_k = 32;
    static constexpr int lanes_m = 2, lanes_n = 4, lanes_k = 4;
    static constexpr int thread_m = warp_m / lanes_m, thread_n = warp_n / lanes_n; // 16 x 8
    // A thread's sums, after the lanes have added theirs.
    static constexpr int sum_columns = 4, sum_rows = 8;
    static constexpr int least_k = 8; // the last slab's k is rounded up to a multiple of this
    static constexpr int producers = 128, writers = 3, parts_written = 2,
                         group_threads = warps_m * warps_n * 32;
    static constexpr int consumers = groups * group_threads;
    static constexpr int threads = consumers + producers;
    // Their average over all threads is at most 65536 / threads, rounded down to a multiple of 8.
    static constexpr int producer_registers = 72, consumer_registers = 216;
    static constexpr bool has_epilogue = false;
    static constexpr bool adds = false;      // to C in memory
    static constexpr int64_t least_idle = 2; // slabs, for stream_k_scheduler
    static constexpr bool may_skip_zeros = groups == 1;

    static constexpr int tile_floats = block_m * block_n;
    static constexpr int slab_a = block_m * block_k, slab_b = block_n * block_k; // floats
    static constexpr int stage_floats = slab_a + slab_b;
    static constexpr int stages = 40 * 1024 / stage_floats; // 160 KiB
    // After the stages: each warp's tile on its way to C.
    static constexpr int sums = stages * stage_floats;
    static constexpr int warp_quads = 8 * 32;
    static constexpr size_t smem_bytes =
        (size_t{sums} + consumers / 32 * warp_quads * 4) * sizeof(float);

    static_assert(warps_m * warps_n * groups == 8);
    static_assert(stage_floats * sizeof(float) % 1024 == 0 && slab_a * sizeof(float) % 1024 == 0,
                  "swizzles count rows of 128 bytes from there");
};

// For a beta of 1: the L2 cache adds tiles to C (element.cuh).
template <class Shape>
struct with_added_tiles : Shape {
    static constexpr bool adds = true;
};

// ---- Consumers ----------------------------------------------------------------------------------

// Where a lane's quads of lines of A or B lie in a slab.
template <class Shape, bool is_a, bool k_along>
struct stream_k_operand {
    static constexpr int quads = (is_a ? Shape::thread_m : Shape::thread_n) / 4;
    static constexpr int lanes = is_a ? Shape::lanes_m : Shape::lanes_n;
    static constexpr int offsets = k_along ? Shape::block_k / 4 : quads;
    static constexpr int row_bytes = 128;                     // of swizzled slabs
    static constexpr int line_row_bytes = Shape::block_m * 4; // one k of A
    static_assert(k_along || (is_a ? quads == 4 : quads == 2));

    // Addresses in shared memory: one for each quad of k, or one for each quad of lines.
    uint32_t first[offsets];

    // The position of lane 4 j + i among `lanes`; it depends on j only.
    static __device__ __forceinline__ int place(int j) {
        return is_a ? j % lanes : j / Shape::lanes_m;
    }

    // `line` is the warp's first line.
    __device__ __forceinline__ stream_k_operand(uint32_t slab, int line) {
        const int lane = threadIdx.x % 32, k = lane % 4;
#pragma unroll
        for (int o = 0; o < offsets; ++o) {
            if constexpr (k_along) { // the row whose address this lane passes to ldmatrix
                const int matrix = lane / 8, at = place(lane % 8);
                const int own = line + (is_a ? at * 4 + matrix : at + matrix * lanes);
                first[o] = slab + own * row_bytes + (own % 8 ^ o) * 16;
            } else if constexpr (is_a) {
                first[o] =
                    slab + k * line_row_bytes + (line + place(lane / 4) * 16 + (o ^ k) * 4) * 4;
            } else {
                first[o] = slab + (line + k) * row_bytes + (place(lane / 4) ^ k ^ o * 4) * 16;
            }
            // Kept in registers, not computed again for each slab.
            asm volatile("" : "+r"(first[o]));
        }
    }

    // Loads quad t of k. `stage` is the offset of the slab's stage in bytes.
    __device__ __forceinline__ void load(float (&x)[quads][4], uint32_t stage, int t) const {
#pragma unroll
        for (int g = 0; g < quads; ++g) {
            if constexpr (k_along) {
                load_matrices(x[g], first[t] + stage + g * lanes * 4 * row_bytes);
            } else {
                const uint32_t from = is_a ? first[g] + stage + t * 4 * line_row_bytes
                                           : first[(g + t) % 2] + stage + t * 4 * row_bytes;
                load_quad(x[g], static_cast<const float*>(__cvta_shared_to_generic(from)));
            }
        }
    }

    // The same where only the parity of t is known at compile time.
    template <bool odd>
    __device__ __forceinline__ void load_any(float (&x)[quads][4], uint32_t stage, int t) const {
#pragma unroll
        for (int g = 0; g < quads; ++g) {
            if constexpr (k_along) {
                load_matrices(x[g], (first[0] ^ t * 16) + stage + g * lanes * 4 * row_bytes);
            } else {
                const uint32_t from = is_a ? first[g] + stage + t * 4 * line_row_bytes
                                           : first[(g + odd) % 2] + stage + t * 4 * row_bytes;
                load_quad(x[g], static_cast<const float*>(__cvta_shared_to_generic(from)));
            }
        }
    }
};

// The operands of a thread at one k: quads of rows and of columns.
template <class Shape>
struct stream_k_fragment {
    float a[Shape::thread_m / 4][4], b[Shape::thread_n / 4][4];

    // Goes up and down the rows alternately. Consecutive FMAs then share an operand, and read the
    // other operand and the accumulator from different register banks.
    __device__ __forceinline__ void multiply(float (&acc)[Shape::thread_n][Shape::thread_m]) const {
#pragma unroll
        for (int c = 0; c < Shape::thread_n; ++c)
#pragma unroll
            for (int step = 0; step < Shape::thread_m; ++step) {
                const int r = c % 2 ? Shape::thread_m - 1 - step : step;
                acc[c][r] = fmaf(a[r / 4][r % 4], b[c / 4][c % 4], acc[c][r]);
            }
    }
};

template <class Shape, bool transa, bool transb, bool swap_ab>
class stream_k_consumer {
    using operand_a = stream_k_operand<Shape, true, transa>;
    using operand_b = stream_k_operand<Shape, false, !transb>;
    static constexpr int columns = Shape::sum_columns, rows = Shape::sum_rows;

    float acc[Shape::thread_n][Shape::thread_m];

public:
    // The place in the warp tile of the sums that a thread keeps after the four lanes of a tile
    // have added theirs. The functions return the first row, the first column and the offset of
    // column c; quad_step is the distance to the second quad of rows.
    static constexpr int quad_step = transa ? 8 : 4;
    static __device__ __forceinline__ int sum_row() {
        const int lane = threadIdx.x % 32;
        return operand_a::place(lane / 4) * (transa ? 4 : 16) + lane % 2 * 2 * quad_step;
    }
    static __device__ __forceinline__ int sum_col() {
        const int lane = threadIdx.x % 32, at = operand_b::place(lane / 4);
        return transb ? at * 4 + lane % 4 / 2 : at + lane % 4 / 2 * 4;
    }
    static __host__ __device__ constexpr int col_offset(int c) {
        return transb ? c / 2 * 16 + c % 2 * 2 : c * 8;
    }

private:
    static __device__ __forceinline__ int warp_row() {
        return threadIdx.x % Shape::group_threads / 32 % Shape::warps_m * Shape::warp_m;
    }
    static __device__ __forceinline__ int warp_col() {
        return threadIdx.x % Shape::group_threads / 32 / Shape::warps_m * Shape::warp_n;
    }

    // Butterfly reduction over the four lanes of a tile: exchange columns across lane bit 1, then
    // half of the rows across bit 0. Lane 4 j + i keeps two quads of one column of each pair: of
    // the first column if i < 2, otherwise of the second.
    __device__ __forceinline__ void add_lanes() {
        // With A of OP_N, the order of quads depends on the lane's k, so the same row is elsewhere
        // in the partner.
        constexpr int at_bit_1 = transa ? 0 : 8, at_bit_0 = transa ? 0 : 4;
        const bool bit_1 = threadIdx.x & 2, bit_0 = threadIdx.x & 1;
#pragma unroll
        for (int pair = 0; pair < columns; ++pair) {
            const float(&first)[Shape::thread_m] = acc[2 * pair];
            const float(&second)[Shape::thread_m] = acc[2 * pair + 1];
            float column[Shape::thread_m];
#pragma unroll
            for (int r = 0; r < Shape::thread_m; ++r)
                column[r] = (bit_1 ? second[r ^ at_bit_1] : first[r]) +
                            __shfl_xor_sync(~0u, bit_1 ? first[r ^ at_bit_1] : second[r], 2);
#pragma unroll
            for (int r = 0; r < rows; ++r)
                acc[pair][r] =
                    (bit_0 ? column[(r + rows) ^ at_bit_0] : column[r]) +
                    __shfl_xor_sync(~0u, bit_0 ? column[r ^ at_bit_0] : column[r + rows], 1);
        }
    }

    // The first group adds the sums of the other groups. The sums lie in shared memory where the
    // warps later put their tiles for the writers.
    __device__ __forceinline__ void add_groups(int group, float4* quads) {
        constexpr int warp_step = Shape::group_threads / 32 * Shape::warp_quads * 4;
        float* const own = reinterpret_cast<float*>(quads) + threadIdx.x % 32;
        const auto for_each = [&](auto&& f) {
#pragma unroll
            for (int c = 0; c < columns; ++c)
#pragma unroll
                for (int r = 0; r < rows; ++r)
                    f(acc[c][r], own + (c * rows + r) * 32);
        };
        if (group > 0)
            for_each([](float sum, float* at) { *at = sum; });
        sync_at<2, Shape::consumers>(); // the other groups' sums are complete
        if (group == 0)
            for (int other = 1; other < Shape::groups; ++other)
                for_each([&](float& sum, const float* at) { sum += at[other * warp_step]; });
        sync_at<3, Shape::consumers>(); // the other groups' sums have been read
    }

    // Sums of an unfinished tile in the workspace: element by element, with neighbouring threads
    // contiguous.
    __device__ __forceinline__ void save(float* target) const {
        for_each_sum(target, [&](int c, int r, float* at) { __stcg(at, acc[c][r]); });
    }
    __device__ __forceinline__ void add(const float* source) {
        for_each_sum(source, [&](int c, int r, const float* at) { acc[c][r] += __ldcg(at); });
    }
    template <class Pointer, class F>
    static __device__ __forceinline__ void for_each_sum(Pointer first, F&& f) {
        first += threadIdx.x;
#pragma unroll
        for (int c = 0; c < columns; ++c)
#pragma unroll
            for (int r = 0; r < rows; ++r)
                f(c, r, first + (c * rows + r) * Shape::group_threads);
    }

    static __device__ __forceinline__ warp_tile_quads own_tile(float* smem) {
        return {reinterpret_cast<float4*>(smem + Shape::sums) +
                threadIdx.x / 32 * Shape::warp_quads};
    }

    // The number of pairs of quads of k in the last slab; 0 if the slab is whole.
    static __device__ __forceinline__ int tail_pairs(const sgemm_problem& p) {
        constexpr int pairs = Shape::block_k / Shape::least_k;
        return static_cast<int>(p.k % Shape::block_k + Shape::least_k - 1) / Shape::least_k % pairs;
    }

    // Stores the warp tile, multiplied by alpha, where writers read it.
    __device__ __forceinline__ void hand_over(float alpha, const warp_tile_quads& tile) const {
#pragma unroll
        for (int c = 0; c < columns; ++c)
#pragma unroll
            for (int i = 0; i < 2; ++i)
                tile.at((sum_row() + i * quad_step) / 4, sum_col() + col_offset(c)) =
                    make_float4(alpha * acc[c][4 * i],
                                alpha * acc[c][4 * i + 1],
                                alpha * acc[c][4 * i + 2],
                                alpha * acc[c][4 * i + 3]);
    }

    // Passes the warp's tile to the writers, or writes it. `parity`: of the number of passed tiles.
    template <bool has_writers, class Share>
    __device__ __forceinline__ void write_tile(const sgemm_problem& p,
                                               const stream_k_schedule& schedule,
                                               int number,
                                               const Share& share,
                                               const warp_tile_quads& tile,
                                               int& parity,
                                               stream_k_barriers<Shape>& barriers) {
        sgemm_operands o = resolve_operands(p, 0);
        if constexpr (has_writers) {
            const int warp = threadIdx.x / 32;
            // If lanes waited separately, the compiler would assume a divergent warp from here
            // on, also in the main loop. Addresses for each lane would take 20 more
            // instructions for each slab.
            barriers.written[warp].wait_together(parity);
            parity ^= 1;
            hand_over(o.alpha, tile);
            barriers.handed_over[warp].arrive();
        } else {
            __syncwarp(); // all lanes have read the tile before
            hand_over(o.alpha, tile);
            __syncwarp(); // the tile is complete
            const stream_k_place at = find_place<Shape>(number, p, schedule, share);
            if constexpr (is_of_batch<Share>)
                o = resolve_operands(p, at.product);
#pragma unroll 1
            for (int first = 0; first < 32; first += written_lines)
                write_lines<Shape, swap_ab, true>(
                    tile, p, o, {at.product, at.row + warp_row(), at.col + warp_col()}, first, 0);
        }
    }

public:
    // in_splits: the worker has one segment and stores its sums for another kernel. If not
    // has_writers, consumers write their tiles.
    template <bool in_splits, bool has_writers, class Share>
    __device__ __forceinline__ void run(const sgemm_problem& p,
                                        const stream_k_schedule& schedule,
                                        float* smem,
                                        const Share& share,
                                        stream_k_barriers<Shape>& barriers,
                                        float* workspace,
                                        unsigned* ready) {
        using flag = block_flag<Shape::group_threads>; // for the first group
        constexpr int64_t tile_floats = Shape::tile_floats;
        constexpr int steps = Shape::block_k / 4, groups = Shape::groups;
        const bool multiplies = resolve_operands(p, 0).k != 0;
        // Uniform in the warp, so that the ring's position is, too.
        const int group = groups == 1 ? 0 : __shfl_sync(~0u, threadIdx.x / Shape::group_threads, 0);
        const operand_a from_a(smem_address(smem), warp_row());
        const operand_b from_b(smem_address(smem + Shape::slab_a), warp_col());
        // Whether the segment's last slab belongs to this group and is not whole.
        const auto has_tail = [&](const stream_k_segment& segment) {
            const int slabs = segment.end_slab - segment.first_slab;
            return multiplies && tail_pairs(p) > 0 && segment.end_slab == schedule.slabs &&
                   (slabs - 1) % groups == group;
        };

        ring_position<Shape::stages> ring;
        int before = 0; // slabs of earlier segments
        int parity = 1; // of written tiles; there is room for the first tile
        stream_k_segment segment;
        for (int index = 0; find_segment(schedule, share, index, segment); ++index) {
            const int slabs = multiplies ? segment.end_slab - segment.first_slab : 0;
            int slabs_left = slabs - has_tail(segment); // whole slabs of this group
            if constexpr (groups > 1) {
                slabs_left = (slabs - group + groups - 1) / groups - has_tail(segment);
                ring = ring_position<Shape::stages>::behind(before + group);
                before += slabs;
            }
            clear(acc);
            stream_k_fragment<Shape> frag[2];
            uint32_t next_stage = ring.stage * Shape::stage_floats * 4; // bytes
            if (slabs_left > 0) {
                barriers.full[ring.stage].wait(ring.parity);
                __syncwarp(); // ldmatrix needs converged warps
                from_a.load(frag[0].a, next_stage, 0);
                from_b.load(frag[0].b, next_stage, 0);
            }
            while (slabs_left > 0) { // docs/ladder.md
                --slabs_left;
                mbarrier& empty = barriers.empty[ring.stage];
                const uint32_t stage = next_stage;
                // After the segment's last slab, the loads ahead read this slab again and are not
                // used. A branch around them would cost more.
                ring_position<Shape::stages> ahead = ring;
                ring.advance(groups);
                if (slabs_left > 0)
                    ahead = ring;
                next_stage = ahead.stage * Shape::stage_floats * 4;
#pragma unroll
                for (int t = 0; t < steps; ++t) {
                    if (t + 1 < steps) {
                        from_a.load(frag[(t + 1) % 2].a, stage, t + 1);
                        from_b.load(frag[(t + 1) % 2].b, stage, t + 1);
                    } else {
                        barriers.full[ahead.stage].wait(ahead.parity);
                        __syncwarp(); // ldmatrix needs converged warps
                        from_a.load(frag[0].a, next_stage, 0);
                        from_b.load(frag[0].b, next_stage, 0);
                    }
                    frag[t % 2].multiply(acc);
                }
                empty.arrive_after_loads();
            }
            // Computed again, instead of held in registers during the loop.
            asm volatile("" : "+r"(index)::"memory");
            find_segment(schedule, share, index, segment);
            if (has_tail(segment)) {
                const uint32_t stage = ring.stage * Shape::stage_floats * 4;
                barriers.full[ring.stage].wait(ring.parity);
                __syncwarp(); // ldmatrix needs converged warps
                from_a.template load_any<false>(frag[0].a, stage, 0);
                from_b.template load_any<false>(frag[0].b, stage, 0);
#pragma unroll 1
                for (int t = 0; t < 2 * tail_pairs(p); t += 2) {
                    from_a.template load_any<true>(frag[1].a, stage, t + 1);
                    from_b.template load_any<true>(frag[1].b, stage, t + 1);
                    frag[0].multiply(acc);
                    // After the last pair these loads are not used.
                    from_a.template load_any<false>(frag[0].a, stage, t + 2);
                    from_b.template load_any<false>(frag[0].b, stage, t + 2);
                    frag[1].multiply(acc);
                }
                barriers.empty[ring.stage].arrive_after_loads();
                ring.advance(groups);
            }
            add_lanes();
            if constexpr (groups > 1) {
                add_groups(group, own_tile(smem).smem);
                if (group > 0)
                    continue;
            }
            if constexpr (in_splits) {
                if (multiplies)
                    save(workspace + blockIdx.x * tile_floats);
                // There is no other segment. With `return` here, nvcc 13.0 does not terminate.
                continue;
            }
            if (!skips_zeros<Share> && segment.end_slab < schedule.slabs) {
                save(workspace + blockIdx.x * tile_floats);
                flag::announce(ready + blockIdx.x);
                continue;
            }
            if (!skips_zeros<Share> && segment.first_slab > 0) {
                int other = blockIdx.x;
                do {
                    --other;
                    flag::await(ready + other);
                    add(workspace + other * tile_floats);
                } while (stream_k_share::begins_inside(schedule, other, segment.tile));
            }
            write_tile<has_writers>(
                p, schedule, segment.tile, share, own_tile(smem), parity, barriers);
        }
    }
};

// ---- Kernel -------------------------------------------------------------------------------------

// If `swap_ab`, A and B are swapped, and C is transposed back when it is written. If `in_splits`,
// each block computes one split of a tile's k, and stream_k_add adds the sums. If `scalar_loads`,
// operands are read by scalar loads; this needs all producers, so there are no writers. Share is
// stream_k_share, stream_k_batch_share, or stream_k_list for schedules that skip zeroes.
template <class Shape,
          bool transa,
          bool transb,
          bool swap_ab,
          bool in_splits,
          bool scalar_loads,
          class Share>
__global__ void __launch_bounds__(Shape::threads, 1)
    stream_k_kernel(const sgemm_problem p,
                    const stream_k_schedule schedule,
                    const __grid_constant__ CUtensorMap map_a,
                    const __grid_constant__ CUtensorMap map_b,
                    float* workspace,
                    unsigned* ready) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(1024) float smem[];
    __shared__ stream_k_barriers<Shape> barriers;
    __shared__ Share share;
    if constexpr (!in_splits) // stream_k_add finds no room before the last splits are done
        launch_dependents();
    if constexpr (skips_zeros<Share>)
        share.template fill<Shape>(p, schedule);
    if (threadIdx.x == 0) {
        if constexpr (!skips_zeros<Share>)
            static_cast<stream_k_share&>(share) =
                in_splits ? Share::split_of(schedule, blockIdx.x) : Share::of(schedule, blockIdx.x);
        barriers.init(scalar_loads ? Shape::producers : 1);
    }
    __syncthreads(); // the share and the barriers are initialised
    grid_dependency_sync();

    if (threadIdx.x >= Shape::consumers) {
        give_up_registers<Shape::producer_registers>();
        if constexpr (scalar_loads) {
            produce_words<Shape, transa, transb>(p, schedule, smem, share, barriers);
        } else if (threadIdx.x == Shape::consumers) {
            produce_slabs<Shape, transa, transb>(p, schedule, map_a, map_b, smem, share, barriers);
        } else if (!in_splits && threadIdx.x >= Shape::consumers + 32) {
            write_tiles<Shape, swap_ab>(p, schedule, smem, share, barriers);
        }
    } else {
        take_registers<Shape::consumer_registers>();
        stream_k_consumer<Shape, transa, transb, swap_ab> consumer;
        consumer.template run<in_splits, !scalar_loads>(
            p, schedule, smem, share, barriers, workspace, ready);
    }
#endif
}

// All kernels have this type.
using stream_k_entry = void (*)(const sgemm_problem,
                                const stream_k_schedule,
                                const CUtensorMap,
                                const CUtensorMap,
                                float*,
                                unsigned*);

// The kernel for batches with these bits of `variant` (stream_k.cu); defined in stream_k_batch.cu.
template <class Shape>
stream_k_entry stream_k_batch_kernel(unsigned choice);

} // namespace myblas::cuda
