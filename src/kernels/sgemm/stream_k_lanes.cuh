// stream_k with tiles of a quarter, whose warps' lanes share k, and with no operand transposed: they come to
// shared memory as they lie in global memory, in every form.
//
// Lanes      Lane 4 j + i of a warp multiplies at every fourth k, from i on: its tile is that of the three
//            lanes beside it, which add their sums at the end. A 16 x 8 thread tile so makes a warp tile
//            of 32 x 32 and a block tile of 128 x 64, with as many loads for an FMA as stream_k's. Of
//            1000 x 1000 there are 128 such tiles: one for each multiprocessor, and none to be shared.
// Fragments  Four lines of an operand at the lane's k, by one instruction each. Where lines run along
//            memory it is a 128-bit load. Where k does, it is ldmatrix: its 8 x 8 matrices of 16 bits are
//            8 lines x 4 k of 32 bits, of which lane 4 j + i gets line j at k = i.
// Forms      NN is computed turned, C^T = op(B)^T op(A)^T, in the form of TT: with lines of A and k of B along
//            memory the compiler finds no registers without bank conflicts (1.21 cycles an FMA, TT 1.09). NT and
//            TN, whose form stays the same, are turned where that makes fewer tiles. C is written turned back.
// Slabs      of 32 k. With k along memory smem[line][k], rows of 128 bytes, swizzled by TMA so that eight
//            lines at one quad of k are in different banks. A of OP_N is smem[k][line]; lanes of different
//            k take its quads of lines in different orders. B of OP_T is two boxes of smem[k][32 lines],
//            swizzled, since a lane's two quads of lines have but two orders.
// Copies     by TMA, one thread. An operand that is not on the grid of 16 bytes is copied to the workspace
//            before, by a kernel of its own, lines on the grid.
// Work       as in stream_k.cuh.
#pragma once

#include "kernels/sgemm/stream_k.cuh"

#include <cstddef>
#include <utility>

namespace myblas::cuda {

template <int stages_>
struct stream_k_lanes_shape {
    static constexpr int stages = stages_;
    static constexpr int block_m = 128, block_n = 64, block_k = 32;
    static constexpr int warps_m = 4, warps_n = 2;
    static constexpr int warp_m = block_m / warps_m, warp_n = block_n / warps_n;
    static constexpr int lanes_m = 2, lanes_n = 4, lanes_k = 4;
    static constexpr int thread_m = warp_m / lanes_m, thread_n = warp_n / lanes_n; // 16 x 8
    static constexpr int sum_columns = 4, sum_rows = 8; // of a thread, once lanes have added theirs
    static constexpr int producers = 128, consumers = warps_m * warps_n * 32;
    static constexpr int threads = consumers + producers;
    // Together no more than 65536 / threads, rounded down to 8, for each thread.
    static constexpr int producer_registers = 88, consumer_registers = 208;
    static constexpr size_t tile_bytes = size_t{block_m} * block_n * sizeof(float);
    // Slabs of a worker's idle time that are worth splitting tiles.
    static constexpr int64_t least_idle = 2;

    static constexpr int slab_a = block_m * block_k, slab_b = block_n * block_k; // floats
    static constexpr int stage_floats = slab_a + slab_b;
    static constexpr int sums =
        stages * stage_floats; // behind the stages: each warp's tile on its way to C
    static constexpr int warp_quads = 8 * 32;
    static constexpr size_t smem_bytes = (size_t{sums} + consumers * 32) * sizeof(float);

    static_assert(warp_m == 32 && warp_n == 32, "a row or a box of lines");
    static_assert(stage_floats * sizeof(float) % 1024 == 0 && slab_a * sizeof(float) % 1024 == 0,
                  "swizzles count rows of 128 bytes from there");
};

// Whether slabs with lines along memory are one box, smem[k][line].
__host__ __device__ constexpr bool has_one_box(int lines) { return lines == 128; }

// A copy of an operand on the grid of 16 bytes: `across` lines of `along` elements, in `parts` each.
struct aligned_copy {
    const float* from;
    float* to;
    int64_t ld_from, ld_to;
    int along, across;
    int parts; // 0: no copy
};

inline constexpr int copy_warps = 8;          // of a block
inline constexpr int copied_at_once = 8 * 32; // of a line, by a warp

// Each warp copies a part of a line of A or B.
template <int warps>
__global__ void __launch_bounds__(warps * 32)
    copy_to_grid(const sgemm_problem p, const aligned_copy a, const aligned_copy b) {
    let_next_kernel_come();
    wait_for_earlier_work();
    if (resolve_operands(p, 0).k == 0)
        return;
    const int warp = static_cast<int>(blockIdx.x) * warps + threadIdx.x / 32;
    const int of_a = a.parts * a.across;
    const aligned_copy x = warp < of_a ? a : b;
    const int index = warp < of_a ? warp : warp - of_a;
    if (index >= x.parts * x.across)
        return;
    const int line = index / x.parts;
    const int first = index % x.parts * copied_at_once + threadIdx.x % 32;
    const float* from = x.from + line * x.ld_from + first;
    float* to = x.to + line * x.ld_to + first;
    float value[copied_at_once / 32];
#pragma unroll
    for (int i = 0; i < copied_at_once; i += 32)
        if (first + i < x.along)
            value[i / 32] = from[i];
#pragma unroll
    for (int i = 0; i < copied_at_once; i += 32)
        if (first + i < x.along)
            to[i] = value[i / 32];
}

template <class Shape>
struct stream_k_lanes_barriers {
    mbarrier full[Shape::stages], empty[Shape::stages];
};

// ---- Producers -------------------------------------------------------------------------------------

// By one thread.
template <class Shape, bool transa, bool transb>
__device__ void produce_slabs(const sgemm_problem& p,
                              const stream_k_plan& plan,
                              const CUtensorMap& map_a,
                              const CUtensorMap& map_b,
                              float* smem,
                              const stream_k_share& share,
                              stream_k_lanes_barriers<Shape>& barriers) {
    constexpr int block_k = Shape::block_k;
    if (resolve_operands(p, 0).k == 0)
        return;
    fence_for_copies();                      // an operand may have been copied by the kernel before
    ring_position<Shape::stages> ring{0, 1}; // the stages begin empty
    stream_k_segment segment;
    for (int index = 0; find_segment(plan, share, index, segment); ++index) {
        const tile_position<int> at = find_tile<Shape>(segment.tile, p);
#pragma unroll 1
        for (int slab = segment.first_slab; slab < segment.end_slab; ++slab) {
            const int k = slab * block_k;
            mbarrier& full = barriers.full[ring.stage];
            float* slab_a = smem + ring.stage * Shape::stage_floats;
            float* slab_b = slab_a + Shape::slab_a;
            barriers.empty[ring.stage].wait(ring.parity);
            full.arrive_expecting(Shape::stage_floats * sizeof(float));
            copy_box(slab_a, map_a, transa ? k : at.row, transa ? at.row : k, full);
            if constexpr (transb) {
                for (int line = 0; line < Shape::block_n; line += 32)
                    copy_box(slab_b + line * block_k, map_b, at.col + line, k, full);
            } else {
                copy_box(slab_b, map_b, k, at.col, full);
            }
            ring.advance();
        }
    }
    // Consumers look a slab ahead, behind the last one, too.
    barriers.empty[ring.stage].wait(ring.parity);
    barriers.full[ring.stage].arrive();
}

// ---- Consumers -------------------------------------------------------------------------------------

// Where a lane's quads of lines of A or B lie in a slab.
template <class Shape, bool is_a, bool k_along>
struct stream_k_lanes_operand {
    static constexpr int quads = (is_a ? Shape::thread_m : Shape::thread_n) / 4;
    static constexpr int lanes = is_a ? Shape::lanes_m : Shape::lanes_n;
    static constexpr int offsets = k_along ? Shape::block_k / 4 : quads;
    static constexpr int row_bytes = 128;                    // of swizzled slabs
    static constexpr int one_box_bytes = Shape::block_m * 4; // of a k of A
    static_assert(k_along || (is_a ? quads == 4 : quads == 2));

    // In shared memory: of every quad of k, or else of quads of lines.
    uint32_t first[offsets];

    // Of lane 4 j + i, j's place among `lanes`.
    static __device__ __forceinline__ int place(int j) {
        return is_a ? j % lanes : j / Shape::lanes_m;
    }

    // The warp's first line.
    __device__ __forceinline__ stream_k_lanes_operand(uint32_t slab, int line) {
        const int lane = threadIdx.x % 32, k = lane % 4;
#pragma unroll
        for (int o = 0; o < offsets; ++o) {
            if constexpr (k_along) { // a row of those that ldmatrix asks this lane for
                const int matrix = lane / 8, at = place(lane % 8);
                const int own = line + (is_a ? at * 4 + matrix : at + matrix * lanes);
                first[o] = slab + own * row_bytes + (own % 8 ^ o) * 16;
            } else if constexpr (is_a) {
                first[o] =
                    slab + k * one_box_bytes + (line + place(lane / 4) * 16 + (o ^ k) * 4) * 4;
            } else {
                first[o] = slab + (line + k) * row_bytes + (place(lane / 4) ^ k ^ o * 4) * 16;
            }
            // Kept, not computed again for each slab.
            asm volatile("" : "+r"(first[o]));
        }
    }

    // Quad t of k; `stage` is the offset of the slab's stage.
    __device__ __forceinline__ void load(float (&x)[quads][4], uint32_t stage, int t) const {
#pragma unroll
        for (int g = 0; g < quads; ++g) {
            if constexpr (k_along) {
                load_transposed(x[g], first[t] + stage + g * lanes * 4 * row_bytes);
            } else {
                const uint32_t from = is_a ? first[g] + stage + t * 4 * one_box_bytes
                                           : first[(g + t) % 2] + stage + t * 4 * row_bytes;
                const float4 v = *static_cast<const float4*>(__cvta_shared_to_generic(from));
                x[g][0] = v.x, x[g][1] = v.y, x[g][2] = v.z, x[g][3] = v.w;
            }
        }
    }

    // PTX ISA, "Warp-Level Matrix Instructions: ldmatrix".
    static __device__ __forceinline__ void load_transposed(float (&x)[4], uint32_t from) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                     : "r"(from)
                     : "memory");
    }
};

template <class Shape, bool transa, bool transb, bool turned>
class stream_k_lanes_consumer {
    using operand_a = stream_k_lanes_operand<Shape, true, transa>;
    using operand_b = stream_k_lanes_operand<Shape, false, !transb>;
    using fragment = quad_fragment<Shape, 0, 0>; // loaded by the operands
    static constexpr int columns = Shape::sum_columns, rows = Shape::sum_rows;

    float acc[Shape::thread_n][Shape::thread_m];

    static __device__ __forceinline__ int warp_row() {
        return threadIdx.x / 32 % Shape::warps_m * Shape::warp_m;
    }
    static __device__ __forceinline__ int warp_col() {
        return threadIdx.x / 32 / Shape::warps_m * Shape::warp_n;
    }

    // Of the sums that the thread keeps, inside the warp tile: the first row, and how far its second quad of
    // rows is from there; the first column, and column c from there.
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

    // Adds the sums of four lanes: first of those that differ in bit 1, of two columns at a time one each, then of
    // those that differ in bit 0, of their rows half each. Lane 4 j + i keeps two quads: of the first column for
    // i < 2, else of the second.
    __device__ __forceinline__ void add_lanes() {
        // Quads of A of OP_N are in the order of the lane's k: its partner has a row there.
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

    // Sums of an unfinished tile, in the workspace: element by element, threads next to each other.
    __device__ __forceinline__ void save(float* sums) const {
        float* target = sums + threadIdx.x;
#pragma unroll
        for (int c = 0; c < columns; ++c)
#pragma unroll
            for (int r = 0; r < rows; ++r)
                __stcg(target + (c * rows + r) * Shape::consumers, acc[c][r]);
    }

    __device__ __forceinline__ void add(const float* sums) {
        const float* source = sums + threadIdx.x;
#pragma unroll
        for (int c = 0; c < columns; ++c)
#pragma unroll
            for (int r = 0; r < rows; ++r)
                acc[c][r] += __ldcg(source + (c * rows + r) * Shape::consumers);
    }

    __device__ __forceinline__ void write(const sgemm_problem& p, int tile, float4* quads) {
        const sgemm_operands o = resolve_operands(p, 0);
        const tile_position<int> at = find_tile<Shape>(tile, p);
        const int row = at.row + warp_row(), col = at.col + warp_col();
        const int rows_left = static_cast<int>(p.m) - row, cols_left = static_cast<int>(p.n) - col;
        float* first = o.c + (turned ? col + row * p.ldc : row + col * p.ldc); // of the warp tile
        if constexpr (turned)
            write_turned(o, first, p.ldc, rows_left, cols_left, quads);
        else if (aligned16(o.c, p.ldc))
            write_quads(o, first, p.ldc, rows_left, cols_left);
        else
            write_words(o, first, p.ldc, rows_left, cols_left, quads);
    }

    __device__ __forceinline__ void
    write_quads(const sgemm_operands& o, float* first, int64_t ldc, int rows_left, int cols_left) {
        const int row = sum_row(), col = sum_col();
        first += row + col * ldc;
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            if (col + col_offset(c) >= cols_left)
                continue;
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const float quad[4] = {
                    acc[c][4 * i], acc[c][4 * i + 1], acc[c][4 * i + 2], acc[c][4 * i + 3]};
                const int left = rows_left - row - i * quad_step;
                if (left > 0)
                    store_c4(first + i * quad_step + col_offset(c) * ldc,
                             o.alpha,
                             quad,
                             o.beta,
                             left,
                             true);
            }
        }
    }

    // Hands the warp tile, scaled, through shared memory: quads of rows, those of a column next to each other.
    __device__ __forceinline__ void hand_over(float alpha, float4* quads) const {
        __syncwarp(); // all have read the tile before
#pragma unroll
        for (int c = 0; c < columns; ++c)
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const int quad = (sum_row() + i * quad_step) / 4, col = sum_col() + col_offset(c);
                quads[col * 8 + (quad ^ col % 8)] = make_float4(alpha * acc[c][4 * i],
                                                                alpha * acc[c][4 * i + 1],
                                                                alpha * acc[c][4 * i + 2],
                                                                alpha * acc[c][4 * i + 3]);
            }
        __syncwarp(); // the tile is there
    }

    // A thread's quads would be words scattered over 32 sectors. So a warp writes columns of 32 rows.
    __device__ __forceinline__ void write_words(const sgemm_operands& o,
                                                float* first,
                                                int64_t ldc,
                                                int rows_left,
                                                int cols_left,
                                                float4* quads) {
        hand_over(o.alpha, quads);
        const int lane = threadIdx.x % 32;
        if (lane >= rows_left)
            return;
        const float* word = reinterpret_cast<const float*>(quads) + lane % 4;
        float* target = first + lane;
#pragma unroll 8
        for (int col = 0; col < min(cols_left, Shape::warp_n); ++col) {
            const float scaled = word[(col * 8 + (lane / 4 ^ col % 8)) * 4];
            *target = o.beta == 0 ? scaled : fmaf(o.beta, *target, scaled);
            target += ldc;
        }
    }

    // Rows of 32 columns, which lie along memory.
    __device__ __forceinline__ void write_turned(const sgemm_operands& o,
                                                 float* first,
                                                 int64_t ldc,
                                                 int rows_left,
                                                 int cols_left,
                                                 float4* quads) {
        hand_over(o.alpha, quads);
        const int lane = threadIdx.x % 32;
        if (lane >= cols_left)
            return;
        float* target = first + lane;
#pragma unroll 2
        for (int row = 0; row < min(rows_left, Shape::warp_m); row += 4) {
            const float4 v = quads[lane * 8 + (row / 4 ^ lane % 8)];
            const float scaled[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                if (row + e < rows_left)
                    *target = o.beta == 0 ? scaled[e] : fmaf(o.beta, *target, scaled[e]);
                target += ldc;
            }
        }
    }

public:
    // `quads`: the warp's place in shared memory for its tile.
    __device__ __forceinline__ void run(const sgemm_problem& p,
                                        const stream_k_plan& plan,
                                        const float* smem,
                                        const stream_k_share& share,
                                        stream_k_lanes_barriers<Shape>& barriers,
                                        float4* quads,
                                        float* workspace,
                                        unsigned* ready) {
        using exchange = stream_k_exchange<Shape::consumers>;
        constexpr int64_t tile_floats = Shape::block_m * Shape::block_n;
        constexpr int steps = Shape::block_k / 4;
        const bool multiplies = resolve_operands(p, 0).k != 0;
        const operand_a from_a(smem_address(smem), warp_row());
        const operand_b from_b(smem_address(smem + Shape::slab_a), warp_col());

        ring_position<Shape::stages> ring;
        stream_k_segment segment;
        for (int index = 0; find_segment(plan, share, index, segment); ++index) {
#pragma unroll
            for (int c = 0; c < Shape::thread_n; ++c)
#pragma unroll
                for (int r = 0; r < Shape::thread_m; ++r)
                    acc[c][r] = 0;

            int slabs_left = multiplies ? segment.end_slab - segment.first_slab : 0;
            fragment frag[2];
            uint32_t next_stage = ring.stage * Shape::stage_floats * 4; // bytes
            if (slabs_left > 0) {
                barriers.full[ring.stage].wait(ring.parity);
                __syncwarp(); // ldmatrix wants whole warps
                from_a.load(frag[0].a, next_stage, 0);
                from_b.load(frag[0].b, next_stage, 0);
            }
            while (slabs_left > 0) {
                --slabs_left;
                mbarrier& empty = barriers.empty[ring.stage];
                const uint32_t stage = next_stage;
                ring.advance();
                next_stage = ring.stage * Shape::stage_floats * 4;
#pragma unroll
                for (int t = 0; t < steps; ++t) {
                    if (t + 1 < steps) {
                        from_a.load(frag[(t + 1) % 2].a, stage, t + 1);
                        from_b.load(frag[(t + 1) % 2].b, stage, t + 1);
                    } else {
                        empty.arrive_after_loads();
                        barriers.full[ring.stage].wait(ring.parity);
                        __syncwarp(); // ldmatrix wants whole warps
                        // After the segment's last slab for nothing.
                        from_a.load(frag[0].a, next_stage, 0);
                        from_b.load(frag[0].b, next_stage, 0);
                    }
                    frag[t % 2].multiply(acc);
                }
            }
            add_lanes();

            // Again, rather than in registers all the while.
            asm volatile("" : "+r"(index)::"memory");
            find_segment(plan, share, index, segment);
            if (segment.end_slab < plan.slabs) {
                save(workspace + blockIdx.x * tile_floats);
                exchange::announce(ready + blockIdx.x);
                continue;
            }
            if (segment.first_slab > 0) {
                int other = blockIdx.x;
                do {
                    --other;
                    exchange::await(ready + other);
                    add(workspace + other * tile_floats);
                } while (stream_k_share::begins_inside(plan, other, segment.tile));
            }
            write(p, segment.tile, quads);
        }
    }
};

// ---- Kernel ----------------------------------------------------------------------------------------

// turned: of the transposed product, which is written to C turned back.
template <class Shape, bool transa, bool transb, bool turned>
__global__ void __launch_bounds__(Shape::threads, 1)
    stream_k_lanes_kernel(const sgemm_problem p,
                          const stream_k_plan plan,
                          const __grid_constant__ CUtensorMap map_a,
                          const __grid_constant__ CUtensorMap map_b,
                          float* workspace,
                          unsigned* ready) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(1024) float smem[];
    __shared__ stream_k_lanes_barriers<Shape> barriers;
    __shared__ stream_k_share share;
    let_next_kernel_come();
    if (threadIdx.x == 0) {
        share = stream_k_share::of(plan, blockIdx.x);
        for (int stage = 0; stage < Shape::stages; ++stage) {
            barriers.full[stage].init(1);
            barriers.empty[stage].init(Shape::consumers);
        }
        mbarrier::publish_inits();
    }
    __syncthreads(); // the share and the barriers are there
    wait_for_earlier_work();

    if (threadIdx.x >= Shape::consumers) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Shape::producer_registers));
        if (threadIdx.x == Shape::consumers)
            produce_slabs<Shape, transa, transb>(p, plan, map_a, map_b, smem, share, barriers);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Shape::consumer_registers));
        float4* quads = reinterpret_cast<float4*>(smem + Shape::sums);
        stream_k_lanes_consumer<Shape, transa, transb, turned> consumer;
        consumer.run(p,
                     plan,
                     smem,
                     share,
                     barriers,
                     quads + threadIdx.x / 32 * Shape::warp_quads,
                     workspace,
                     ready);
    }
#endif
}

// ---- Host ------------------------------------------------------------------------------------------

template <class Shape>
struct stream_k_lanes_launcher {
    static constexpr size_t smem_bytes = Shape::smem_bytes;
    using planner = stream_k_planner<Shape, smem_bytes>;

    // NN always, TT never; NT and TN, whose form stays the same, where that makes fewer tiles.
    static bool is_turned(const sgemm_problem& p) {
        if (p.transa == p.transb)
            return !p.transa;
        return tile_count(p, Shape::block_n, Shape::block_m) <
               tile_count(p, Shape::block_m, Shape::block_n);
    }

    // The product as the kernel sees it: perhaps C^T = op(B)^T op(A)^T.
    static sgemm_problem turn(const sgemm_problem& p) {
        if (!is_turned(p))
            return p;
        sgemm_problem turned = p;
        turned.transa = !p.transb, turned.transb = !p.transa;
        std::swap(turned.m, turned.n);
        std::swap(turned.a, turned.b);
        std::swap(turned.lda, turned.ldb);
        return turned;
    }

    // f(kernel) for a product that is yet to be turned.
    template <class F>
    static myblasStatus_t with_variant(const sgemm_problem& p, bool turned, F&& f) {
        return with_transposition(p, [&](auto transa, auto transb) {
            if constexpr (transa == transb)
                return f(stream_k_lanes_kernel<Shape, true, true, !transa>);
            else
                return turned ? f(stream_k_lanes_kernel<Shape, transa, transb, true>)
                              : f(stream_k_lanes_kernel<Shape, transa, transb, false>);
        });
    }

    static myblasStatus_t prepare(const device_info& device) {
        if (smem_bytes > device.smem_per_block)
            return MYBLAS_STATUS_SUCCESS; // `fits` refuses every problem
        return for_each_transposition([](const sgemm_problem& p) {
            for (const bool turned : {false, true}) {
                const auto allow = [](auto kernel) { return allow_smem(kernel, smem_bytes); };
                if (const myblasStatus_t failure = with_variant(p, turned, allow))
                    return failure;
            }
            return MYBLAS_STATUS_SUCCESS;
        });
    }

    static bool fits(const sgemm_problem& p, const device_info& device) {
        return planner::fits(turn(p), device) && copy_blocks(turn(p)) <= max_grid_x / copy_warps;
    }

    // Sums of unfinished tiles, then copies of A and B where they are not on the grid of 16 bytes.
    static size_t workspace_bytes(const sgemm_problem& asked, const device_info& device) {
        const sgemm_problem p = turn(asked);
        return planner::workspace_bytes(p, device) + copied_bytes(operand_a(p)) +
               copied_bytes(operand_b(p));
    }

    // Copies are a round of their own, and another one for each eight blocks to a multiprocessor.
    static work_estimate work(const sgemm_problem& asked, const device_info& device) {
        const sgemm_problem p = turn(asked);
        work_estimate work = planner::work(p, device);
        if (const int64_t blocks = copy_blocks(p))
            work.waves += 1 + static_cast<double>(blocks) / (8 * device.sm_count);
        return work;
    }

    static myblasStatus_t launch(const sgemm_problem& asked, const launch_context& context) {
        const sgemm_problem p = turn(asked);
        const stream_k_plan plan = planner::make_plan(p, *context.device);
        operand a = operand_a(p), b = operand_b(p);
        auto* space = static_cast<std::byte*>(context.workspace) +
                      planner::workspace_bytes(p, *context.device);
        const aligned_copy copy_a = move_to_grid(a, space);
        const aligned_copy copy_b = move_to_grid(b, space + copied_bytes(operand_a(p)));
        CUtensorMap map_a{}, map_b{};
        myblasStatus_t status = MYBLAS_STATUS_SUCCESS;
        if (const int64_t blocks = copy_blocks(p))
            status = launch_overlapped(copy_to_grid<copy_warps>,
                                       dim3(static_cast<unsigned>(blocks)),
                                       copy_warps * 32,
                                       context,
                                       p,
                                       copy_a,
                                       copy_b);
        if (status == MYBLAS_STATUS_SUCCESS)
            status = make_map(a, &map_a);
        if (status == MYBLAS_STATUS_SUCCESS)
            status = make_map(b, &map_b);
        if (status != MYBLAS_STATUS_SUCCESS)
            return status;
        return with_variant(asked, is_turned(asked), [&](auto kernel) {
            return launch_clusters(kernel,
                                   dim3(static_cast<unsigned>(plan.workers)),
                                   1,
                                   true,
                                   Shape::threads,
                                   smem_bytes,
                                   context,
                                   p,
                                   plan,
                                   map_a,
                                   map_b,
                                   static_cast<float*>(context.workspace),
                                   context.counters);
        });
    }

    static constexpr kernel_entry<sgemm_problem> entry(const char* name, const char* description) {
        return {
            .name = name,
            .description = description,
            .min_arch = 90,
            .max_arch = 90,
            .block_m = Shape::block_m,
            .block_n = Shape::block_n,
            .block_k = Shape::block_k,
            .threads = Shape::threads,
            .stages = Shape::stages,
            .smem_bytes = smem_bytes,
            .accepts = fits,
            .workspace_bytes = workspace_bytes,
            .work = work,
            .prepare = prepare,
            .launch = launch,
        };
    }

private:
    struct operand {
        const float* base;
        int64_t along, across, ld;
        bool k_along;
        int block_lines;
    };

    static operand operand_a(const sgemm_problem& p) {
        return {p.a, p.transa ? p.k : p.m, p.transa ? p.m : p.k, p.lda, p.transa, Shape::block_m};
    }
    static operand operand_b(const sgemm_problem& p) {
        return {p.b, p.transb ? p.n : p.k, p.transb ? p.k : p.n, p.ldb, !p.transb, Shape::block_n};
    }

    static int64_t aligned_ld(const operand& x) { return (x.along + 3) / 4 * 4; }

    static size_t copied_bytes(const operand& x) {
        const bool is_read = x.base && x.along != 0 && x.across != 0;
        if (!is_read || fits_tensor_map(x.base, x.along, x.across, x.ld))
            return 0;
        return static_cast<size_t>(aligned_ld(x)) * static_cast<size_t>(x.across) * sizeof(float);
    }

    static int64_t copied_parts(const operand& x) {
        return copied_bytes(x) == 0 ? 0 : ceil_div<int64_t>(x.along, copied_at_once);
    }

    static int64_t copy_blocks(const sgemm_problem& p) {
        int64_t warps = 0;
        for (const operand& x : {operand_a(p), operand_b(p)})
            warps += copied_parts(x) * x.across;
        return ceil_div<int64_t>(warps, copy_warps);
    }

    // The copy of an operand that needs one, which takes its place.
    static aligned_copy move_to_grid(operand& x, std::byte* space) {
        if (copied_bytes(x) == 0)
            return {};
        const aligned_copy copy{x.base,
                                reinterpret_cast<float*>(space),
                                x.ld,
                                aligned_ld(x),
                                static_cast<int>(x.along),
                                static_cast<int>(x.across),
                                static_cast<int>(copied_parts(x))};
        x.base = copy.to, x.ld = copy.ld_to;
        return copy;
    }

    static myblasStatus_t make_map(const operand& x, CUtensorMap* map) {
        if (!x.base || x.along == 0 || x.across == 0) // not read
            return MYBLAS_STATUS_SUCCESS;
        const bool one_box = !x.k_along && has_one_box(x.block_lines);
        return make_tensor_map({x.base,
                                x.along,
                                x.across,
                                x.ld,
                                one_box ? x.block_lines : 32,
                                x.k_along ? x.block_lines : Shape::block_k,
                                one_box ? CU_TENSOR_MAP_SWIZZLE_NONE : CU_TENSOR_MAP_SWIZZLE_128B},
                               map);
    }
};

} // namespace myblas::cuda
