// The writers of stream_k.cuh: three producer warps that are idle while TMA copies. Consumers put
// finished tiles of C into shared memory and go on multiplying; writers store the tiles. With a
// short k, storing takes a third as long as everything else. The multiprocessors finish their tiles
// at about the same moment, and the L2 cache must take 32 KiB from each of them.
#pragma once

#include "kernels/sgemm/components/epilogue.cuh"
#include "kernels/sgemm/simt/stream_k_producers.cuh"

namespace myblas::cuda {

// A warp's 32 x 32 tile on its way to C, multiplied by alpha, in quads of rows. The quads of a
// column are contiguous, permuted so that the same quad of different columns is in different banks.
struct warp_tile_quads {
    float4* smem;

    __device__ __forceinline__ float4& at(int quad, int col) const {
        return smem[col * 8 + (quad ^ col % 8)];
    }
    __device__ __forceinline__ float word(int row, int col) const {
        return reinterpret_cast<const float*>(&at(row / 4, col))[row % 4];
    }
};

// The number of lines of a warp's tile that a writer takes at a time. Here a line runs along
// memory: it is a column or, if A and B are swapped, a row. Each lane has one element of a line.
constexpr int written_lines = 16;

// This lane's elements of four neighbouring lines.
template <bool swap_ab>
__device__ __forceinline__ void load_lines(float (&sum)[4], const warp_tile_quads& tile, int line) {
    const int lane = threadIdx.x % 32;
    if constexpr (swap_ab)
        load_quad(sum, &tile.at(line / 4, lane).x);
    else
#pragma unroll
        for (int e = 0; e < 4; ++e)
            sum[e] = tile.word(lane, line + e);
}

// Writes written_lines lines, from line `first` on, to c. A store must take few instructions: a
// writer is a single warp, and the other warps of its scheduler multiply all the time.
template <bool swap_ab, bool reads>
__device__ __forceinline__ void
write_whole_lines(const warp_tile_quads& tile, int first, float* c, int64_t ldc, float beta) {
    float old[written_lines];
    if constexpr (reads) {
        const float* from = c;
#pragma unroll
        for (float& value : old) {
            value = *from;
            from += ldc;
        }
        // Computed again for the stores, as there are no registers for all addresses.
        int64_t nothing = 0;
        asm volatile("" : "+l"(nothing));
        c += nothing;
    }
#pragma unroll
    for (int i = 0; i < written_lines; i += 4) {
        float sum[4];
        load_lines<swap_ab>(sum, tile, first + i);
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            *c = reads ? fmaf(beta, old[i + e], sum[e]) : sum[e];
            c += ldc;
        }
    }
}

// The same for the lines whose bits are set in `computed`; bit 0 is line `first`.
template <bool swap_ab>
__device__ __forceinline__ void write_some_lines(
    const warp_tile_quads& tile, int first, float* c, int64_t ldc, float beta, uint32_t computed) {
    constexpr int lines = 4; // more lines would give the consumers' accumulators bank conflicts
    const int lane = rematerialised_tid() % 32;
#pragma unroll 1
    for (int from = 0; from < written_lines; from += lines) {
        float old[lines] = {};
        if (beta != 0) {
#pragma unroll
            for (int i = 0; i < lines; ++i)
                if (computed >> i & 1)
                    old[i] = c[i * ldc];
        }
#pragma unroll
        for (int i = 0; i < lines; ++i)
            if (computed >> i & 1) {
                const int line = first + i;
                const float sum = swap_ab ? tile.word(line, lane) : tile.word(lane, line);
                c[i * ldc] = beta == 0 ? sum : fmaf(beta, old[i], sum);
            }
        c += lines * ldc;
        computed >>= lines;
        first += lines;
    }
}

constexpr uint32_t all_lines = ~0u;

// Scalar stores. computed: a bit for each line of the warp's tile in which this lane's element is
// computed.
template <bool swap_ab>
__device__ __forceinline__ void write_scalars(const warp_tile_quads& tile,
                                              int first,
                                              float* c,
                                              int64_t ldc,
                                              float beta,
                                              int lanes_left,
                                              int lines_left,
                                              uint32_t computed) {
    constexpr uint32_t all = (1u << written_lines) - 1;
    const int lane = threadIdx.x % 32;
    if (lane >= lanes_left)
        return;
    c += lane;
    uint32_t here = computed >> first & all;
    if (lines_left < written_lines)
        here &= (1u << max(lines_left, 0)) - 1;
    if (here != all)
        write_some_lines<swap_ab>(tile, first, c, ldc, beta, here);
    else if (beta == 0)
        write_whole_lines<swap_ab, false>(tile, first, c, ldc, beta);
    else
        write_whole_lines<swap_ab, true>(tile, first, c, ldc, beta);
}

// Adds written_lines lines to C in memory: no thread waits for the old C.
template <bool swap_ab>
__device__ __forceinline__ void add_lines(
    const warp_tile_quads& tile, int first, float* c, int64_t ldc, int lanes_left, int lines_left) {
    constexpr int lines = 4; // at a time
    const int lane = rematerialised_tid() % 32;
    if (lane >= lanes_left)
        return;
    c += lane;
#pragma unroll 1
    for (int i = 0; i < written_lines && i < lines_left; i += lines) {
        float sum[1][lines];
        load_lines<swap_ab>(sum[0], tile, first + i);
        if (i + lines <= lines_left && are_added_in_memory(sum)) {
#pragma unroll
            for (int e = 0; e < lines; ++e) {
                reduce_to_memory(c, sum[0][e]);
                c += ldc;
            }
        } else {
#pragma unroll
            for (int e = 0; e < lines; ++e) {
                if (i + e < lines_left)
                    add_in_memory(c, sum[0][e]);
                c += ldc;
            }
        }
    }
}

// write_scalars for aligned columns: a lane has a quad of every fourth column.
__device__ __forceinline__ void write_by_quads(const warp_tile_quads& tile,
                                               int first,
                                               float* c,
                                               int64_t ldc,
                                               float beta,
                                               int rows_left,
                                               int cols_left) {
    constexpr int quads = written_lines / 4;
    const int quad = threadIdx.x % 8, col = threadIdx.x % 32 / 8;
    c += quad * 4 + col * ldc;
    if (rows_left >= 32 && cols_left >= written_lines) {
        float4 old[quads];
        if (beta != 0)
#pragma unroll
            for (int i = 0; i < quads; ++i)
                old[i] = *reinterpret_cast<const float4*>(c + i * 4 * ldc);
#pragma unroll
        for (int i = 0; i < quads; ++i) {
            float4 sum = tile.at(quad, first + col + i * 4);
            if (beta != 0)
                sum = make_float4(fmaf(beta, old[i].x, sum.x),
                                  fmaf(beta, old[i].y, sum.y),
                                  fmaf(beta, old[i].z, sum.z),
                                  fmaf(beta, old[i].w, sum.w));
            *reinterpret_cast<float4*>(c + i * 4 * ldc) = sum;
        }
        return;
    }
#pragma unroll 1
    for (int i = col; i < min(cols_left, written_lines); i += 4) {
        const float4 sum = tile.at(quad, first + i);
        const float words[4] = {sum.x, sum.y, sum.z, sum.w};
        store_c4(c, 1, words, beta, rows_left - quad * 4, true);
        c += 4 * ldc;
    }
}

// The biases of the warp tile at (row, col): of 32 rows or of 32 columns of C, one in each lane.
template <bool swap_ab>
__device__ __forceinline__ float
load_biases(const sgemm_problem& p, const sgemm_operands& o, int product, int row, int col) {
    const epilogue_op epilogue(p, o, product);
    const int lane = rematerialised_tid() % 32;
    const int row_of_c = (swap_ab ? col : row) + lane, col_of_c = (swap_ab ? row : col) + lane;
    return epilogue.bias_of_row(row_of_c, row_of_c < (swap_ab ? p.n : p.m)) +
           epilogue.bias_of_col(col_of_c, col_of_c < (swap_ab ? p.m : p.n));
}

// Epilogue of lines that are all inside C, if C is the only output. is_inside: the lane's elements
// are inside C, too.
template <bool swap_ab>
__device__ __forceinline__ void write_whole_epilogue_lines(const warp_tile_quads& tile,
                                                           int first,
                                                           const epilogue_op& epilogue,
                                                           bool is_inside,
                                                           float biases) {
    constexpr int quads = 2; // of lines, at a time
    float* c = epilogue.c();
#pragma unroll 1
    for (int line = first; line < first + written_lines; line += 4 * quads) {
        float value[quads][4];
#pragma unroll
        for (int i = 0; i < quads; ++i)
            load_lines<swap_ab>(value[i], tile, line + 4 * i);
        if (epilogue.has_bias_of_columns()) {
#pragma unroll
            for (int i = 0; i < 4 * quads; ++i)
                value[i / 4][i % 4] += __shfl_sync(~0u, biases, line + i);
        } else {
#pragma unroll
            for (int i = 0; i < 4 * quads; ++i)
                value[i / 4][i % 4] += biases;
        }
        epilogue.activate(value);
        if (is_inside) {
#pragma unroll
            for (int i = 0; i < 4 * quads; ++i) {
                *c = value[i / 4][i % 4];
                c += epilogue.ldc();
            }
        }
    }
}

// Epilogue of lines of a warp tile, a few at a time; each lane has one element. Consumers
// (scalar_loads) load the biases of columns themselves: if lanes exchanged them, the compiler would
// keep addresses for each lane.
template <bool swap_ab, bool scalar_loads>
__device__ __forceinline__ void write_epilogue_lines(const warp_tile_quads& tile,
                                                     const sgemm_problem& p,
                                                     const sgemm_operands& o,
                                                     int product,
                                                     int row,
                                                     int col,
                                                     int first,
                                                     float biases) {
    constexpr int lines = 4; // more lines would give the consumers' accumulators bank conflicts
    const int lane = rematerialised_tid() % 32;
    const int row_of_c = (swap_ab ? col : row) + lane, col_of_c = (swap_ab ? row : col) + first;
    const bool is_inside = row_of_c < (swap_ab ? p.n : p.m);
    int cols_left = static_cast<int>(swap_ab ? p.m : p.n) - col_of_c;
    epilogue_op epilogue(p, o, product);
    const bool has_biases_of_lines = epilogue.has_bias_of_columns();
    epilogue.begin_at(row_of_c, col_of_c);
    if constexpr (scalar_loads)
        biases = epilogue.bias_of_row(0, is_inside);
    else if (epilogue.writes_only() && cols_left >= written_lines) {
        write_whole_epilogue_lines<swap_ab>(tile, first, epilogue, is_inside, biases);
        return;
    }
#pragma unroll 1
    for (int line = first; line < first + written_lines && cols_left > 0; line += lines) {
        float sum[lines], value[lines][1];
        load_lines<swap_ab>(sum, tile, line);
#pragma unroll
        for (int i = 0; i < lines; ++i)
            value[i][0] = sum[i] + (has_biases_of_lines ? 0 : biases);
        if (has_biases_of_lines) {
#pragma unroll
            for (int i = 0; i < lines; ++i)
                value[i][0] += scalar_loads ? epilogue.bias_of_col(i, i < cols_left)
                                            : __shfl_sync(~0u, biases, line + i);
        }
        epilogue(value, [&](int i) { return epilogue_place{0, i, is_inside && i < cols_left}; });
        epilogue.begin_at(0, lines);
        cols_left -= lines;
    }
}

// Writes written_lines lines of the warp tile at `at`, from line `first` on. The argument
// `biases` comes from load_biases if there is an epilogue. If `scalar_loads`, consumers write their
// own tiles, always by scalar stores, as they have too few registers for both ways.
template <class Shape, bool swap_ab, bool scalar_loads>
__device__ __forceinline__ void write_lines(const warp_tile_quads& tile,
                                            const sgemm_problem& p,
                                            const sgemm_operands& o,
                                            const stream_k_place& at,
                                            int first,
                                            float biases) {
    const auto [product, row, col] = at;
    const int rows_left = static_cast<int>(p.m) - row, cols_left = static_cast<int>(p.n) - col;
    if constexpr (Shape::has_epilogue) {
        write_epilogue_lines<swap_ab, scalar_loads>(tile, p, o, product, row, col, first, biases);
        return;
    }
    if constexpr (Shape::adds) {
        if constexpr (swap_ab)
            add_lines<true>(tile,
                            first,
                            o.c + col + (row + first) * p.ldc,
                            p.ldc,
                            cols_left,
                            rows_left - first);
        else
            add_lines<false>(tile,
                             first,
                             o.c + row + (col + first) * p.ldc,
                             p.ldc,
                             rows_left,
                             cols_left - first);
        return;
    }
    uint32_t computed = all_lines;
    if (p.triangle != triangle_of_c::none) {
        const bool is_lower = p.triangle == triangle_of_c::lower;
        if (is_lower ? row < col : row > col)
            return;
        if (row == col) // up to the diagonal, or from the diagonal on
            computed = is_lower != swap_ab ? (2u << threadIdx.x % 32) - 1 : ~0u << threadIdx.x % 32;
    }
    if constexpr (swap_ab) {
        float* c = o.c + col + (row + first) * p.ldc;
        write_scalars<swap_ab>(
            tile, first, c, p.ldc, o.beta, cols_left, rows_left - first, computed);
    } else {
        float* c = o.c + row + (col + first) * p.ldc;
        const bool is_cut = p.triangle != triangle_of_c::none && row == col;
        if (!scalar_loads && aligned16(o.c, p.ldc) && !is_cut)
            write_by_quads(tile, first, c, p.ldc, o.beta, rows_left, cols_left - first);
        else
            write_scalars<swap_ab>(
                tile, first, c, p.ldc, o.beta, rows_left, cols_left - first, computed);
    }
}

// Writes the tiles of a worker. Warps 1 to 3 of the producers take turns.
template <class Shape, bool swap_ab, class Share>
__device__ void write_tiles(const sgemm_problem& p,
                            const stream_k_schedule& schedule,
                            float* smem,
                            const Share& share,
                            stream_k_barriers<Shape>& barriers) {
    constexpr int parts = Shape::parts_written; // of a warp's tile
    static_assert(parts * written_lines == 32);
    sgemm_operands o = resolve_operands(p, 0);
    const int writer = threadIdx.x % Shape::producers / 32 - 1;
    stream_k_segment segment;
    int parity = 0;
    for (int index = 0; find_segment(schedule, share, index, segment); ++index) {
        if (!skips_zeros<Share> && segment.end_slab < schedule.slabs)
            continue; // another worker has the end of this tile's k
        const stream_k_place at = find_place<Shape>(segment.tile, p, schedule, share);
        if constexpr (is_of_batch<Share>)
            o.c = p.c + at.product * p.stride_c;
        // Biases are loaded while consumers multiply, for all warp tiles in a column or in a row of
        // the block tile.
        constexpr int most = Shape::has_epilogue ? Shape::warps_m : 1;
        static_assert(Shape::warps_m >= Shape::warps_n);
        float biases[most];
        const bool along_m = p.epilogue.is_bias_of_columns == swap_ab;
        if constexpr (Shape::has_epilogue) {
#pragma unroll
            for (int i = 0; i < most; ++i)
                biases[i] = load_biases<swap_ab>(p,
                                                 o,
                                                 at.product,
                                                 at.row + (along_m ? i * Shape::warp_m : 0),
                                                 at.col + (along_m ? 0 : i * Shape::warp_n));
        }
#pragma unroll 1
        for (int part = writer; part < Shape::group_threads / 32 * parts; part += Shape::writers) {
            const int warp = part / parts;
            const warp_tile_quads tile{reinterpret_cast<float4*>(smem + Shape::sums) +
                                       warp * Shape::warp_quads};
            float bias = 0;
            if constexpr (Shape::has_epilogue) {
                const int at_line = along_m ? warp % Shape::warps_m : warp / Shape::warps_m;
#pragma unroll
                for (int i = 0; i < most; ++i)
                    bias = i == at_line ? biases[i] : bias;
            }
            barriers.handed_over[warp].wait(parity);
            write_lines<Shape, swap_ab, false>(tile,
                                               p,
                                               o,
                                               {at.product,
                                                at.row + warp % Shape::warps_m * Shape::warp_m,
                                                at.col + warp / Shape::warps_m * Shape::warp_n},
                                               part % parts * written_lines,
                                               bias);
            barriers.written[warp].arrive(); // this lane has read its elements of the part
        }
        parity ^= 1;
    }
}

} // namespace myblas::cuda
