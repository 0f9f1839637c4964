// corrected_fp16x3, for emulated mode: elements that two limbs cannot hold are multiplied in FP32.
//
// An element far below the largest of its cell is lossy (limbs.cuh); about five in a million
// normally distributed elements are. Packing writes zeroes as the limbs of a lossy element, and
// notes its place in the record of its cell. Before a tile is written, the warps that multiply read
// the records of the tile's panels, and add the products of the lossy elements, one FMA for each
// element of C:
//
//   C[i][:] += a[i][k] * B[k][:]  for each lossy a[i][k]
//   C[:][j] += A[:][k] * b[k][j]  for each lossy b[k][j], without rows i of lossy a[i][k]
//
// The factors are read from the operands themselves, and divided by the scales of their lines like
// the sums. Each warp corrects its own rows, in the order of chunks, records and lanes, so the bits
// are the same on every run. Blocks that share a tile correct their own chunks.
//
// Each warp first lists the lossy elements that concern its rows, and prefetches all their factors
// to the L2 cache; otherwise it would wait for memory once for each element.
//
// Bound: latency.
// Shared memory: the warps' lists, 2 KiB.
#pragma once

#include "kernels/common/lanes.cuh"
#include "kernels/sgemm/tensor/limbs.cuh"

namespace myblas::cuda {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ __forceinline__ bool is_listed(lossy_record record, unsigned place) {
    bool found = false;
#pragma unroll
    for (int i = 0; i < max_lossy_of_cell; ++i)
        found |= i < lossy_count(record) && lossy_place(record, i) == place;
    return found;
}

// The lines of an operand that a tile reads, from its first line on.
struct tile_lines {
    const float* x; // at the first k of the pass
    int64_t line_stride, k_stride;
    int lines;           // from the first to the operand's last
    const float* scales; // of the lines

    // Element k of a line, divided by the line's scale; 0 beyond the last line.
    __device__ __forceinline__ float scaled(int line, int64_t k) const {
        if (line >= lines)
            return 0;
        // The reciprocal of a power of two between 2^-96 and 1.
        const float factor =
            __uint_as_float((2 * exponent_bias << 23) - __float_as_uint(scales[line]));
        return x[line * line_stride + k * k_stride] * factor;
    }
    // PTX ISA, "Data Movement and Conversion Instructions: prefetch".
    __device__ __forceinline__ void prefetch(int line, int64_t k) const {
        if (line < lines)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(x + line * line_stride + k * k_stride));
    }
};

// The corrections of one tile by one warp. Elements of C lie as in write_tile.
template <class Shape>
class lossy_products {
    static constexpr int halves = Shape::halves;
    static constexpr int window_chunks = 128; // a warp reads their records together
    static constexpr int listed_at_once = 64; // elements; a chunk's must fit
    static_assert(listed_at_once >= max_lossy_of_cell * (halves + panel_cells));

    tile_lines a, b;
    const lossy_record* records_a; // of the panels of A and of B, for all chunks
    const lossy_record* records_b;
    unsigned panel_a, panels_a, panel_b, panels_b; // of all products of the pass
    unsigned chunks;

    static __device__ __forceinline__ int lane() { return rematerialised_tid() % 32; }
    static __device__ __forceinline__ int warp() { return rematerialised_tid() / 32 % 4; }
    // The warp's first row in the tile, and in a cell of 32 lines.
    static __device__ __forceinline__ int first_row() {
        return (rematerialised_tid() / 128 - 1) * halves * 64 + warp() * 16;
    }
    static __device__ __forceinline__ int first_line() { return warp() % 2 * 16; }

    // The records of the cells with the warp's rows, and of all columns, in a chunk.
    struct chunk_records {
        lossy_record of_a[halves];
        lossy_record of_b[panel_cells];

        __device__ __forceinline__ bool has_any() const {
            return (of_a[0] | of_a[halves - 1] | of_b[0] | of_b[1] | of_b[2] | of_b[3]) != 0;
        }
    };
    __device__ __forceinline__ chunk_records read(unsigned chunk) const {
        const auto of_panel = [&](const lossy_record* records, unsigned panel, unsigned panels) {
            const unsigned place = panel_place(panel, panels, chunk, chunks);
            return *reinterpret_cast<const uint4*>(records + int64_t{place} * panel_cells);
        };
        const int cell = first_row() / cell_lines;
        const uint4 rows = of_panel(records_a, panel_a + cell / panel_cells, panels_a);
        const uint4 cols = of_panel(records_b, panel_b, panels_b);
        chunk_records result;
        const bool is_odd = cell % 2 == 1;
        const lossy_record pairs[] = {is_odd ? rows.y : rows.x, is_odd ? rows.w : rows.z};
        if constexpr (halves == 2)
            result.of_a[0] = pairs[0], result.of_a[1] = pairs[1];
        else
            result.of_a[0] = cell % panel_cells < 2 ? pairs[0] : pairs[1];
        result.of_b[0] = cols.x, result.of_b[1] = cols.y;
        result.of_b[2] = cols.z, result.of_b[3] = cols.w;
        return result;
    }

    // An entry of the warp's list: a lossy element of the warp's rows, or of the tile's columns, in
    // a window of chunks.
    static constexpr unsigned is_of_b = 1u << 31, meets_a = 1u << 30;
    static __device__ __forceinline__ unsigned entry_of(int chunk, int cell, unsigned place) {
        static_assert(window_chunks <= 128);
        return static_cast<unsigned>(chunk) << 12 | static_cast<unsigned>(cell) << 10 | place;
    }
    static __device__ __forceinline__ int chunk_of(unsigned entry) { return entry >> 12 & 0x7f; }
    static __device__ __forceinline__ int cell_of(unsigned entry) { return entry >> 10 & 3; }
    static __device__ __forceinline__ int line_of(unsigned entry) {
        return entry / chunk_k % cell_lines;
    }

    // Calls f(operand, line, i) for the factors of an entry. i = 0 is the lossy element. The others
    // are the elements that multiply it: of 4 columns of B, or of the thread's rows of A.
    template <class F>
    __device__ __forceinline__ void for_each_factor(unsigned entry, F&& f) const {
        if (entry & is_of_b) {
            f(b, cell_of(entry) * cell_lines + line_of(entry), 0);
#pragma unroll
            for (int i = 0; i < halves * 2; ++i)
                f(a, first_row() + i / 2 * 64 + lane() / 4 + i % 2 * 8, 1 + i);
        } else {
            f(a, first_row() + cell_of(entry) * 64 + line_of(entry) - first_line(), 0);
            // In the order in which add_to_row gets each column of a thread by one shuffle.
#pragma unroll
            for (int v = 0; v < 4; ++v)
                f(b, lane() / 4 * 16 + v / 2 * 8 + lane() % 4 * 2 + v % 2, 1 + v);
        }
    }

    // Adds a lossy element of A times its row of B to a row of the warp. Each lane has 4 elements
    // of the row of B in `factors`.
    static __device__ __forceinline__ void
    add_to_row(int half, int line, const float (&factors)[5], float (&acc)[halves][64]) {
        const bool is_mine = lane() / 4 == line % 8, is_upper = line >= 8;
#pragma unroll
        for (int i = 0; i < 32; ++i) {
            const float y = __shfl_sync(full_warp, factors[1 + i % 4], i / 4 * 4 + lane() % 4);
            const int e = i / 2 * 4 + i % 2;
#pragma unroll
            for (int h = 0; h < halves; ++h) {
                if (is_mine && h == half && !is_upper)
                    acc[h][e] = fmaf(factors[0], y, acc[h][e]);
                if (is_mine && h == half && is_upper)
                    acc[h][e + 2] = fmaf(factors[0], y, acc[h][e + 2]);
            }
        }
    }

    // Adds a lossy element of B times the thread's rows of A to a column. Rows whose element of A
    // is lossy too are left out, because add_to_row adds them.
    static __device__ __forceinline__ void add_to_column(int col,
                                                         int k,
                                                         const lossy_record (&lossy_a)[halves],
                                                         const float (&factors)[5],
                                                         float (&acc)[halves][64]) {
        const bool is_mine = lane() % 4 == col % 8 / 2;
        const int wanted = col / 8 * 2 + col % 2;
        bool is_added[halves][2];
#pragma unroll
        for (int h = 0; h < halves; ++h)
#pragma unroll
            for (int r = 0; r < 2; ++r)
                is_added[h][r] =
                    is_mine &&
                    !is_listed(lossy_a[h], (first_line() + lane() / 4 + r * 8) * chunk_k + k);
#pragma unroll
        for (int i = 0; i < 32; ++i)
            if (i == wanted) {
#pragma unroll
                for (int h = 0; h < halves; ++h)
#pragma unroll
                    for (int r = 0; r < 2; ++r) {
                        const int e = i / 2 * 4 + i % 2 + r * 2;
                        if (is_added[h][r])
                            acc[h][e] = fmaf(factors[1 + h * 2 + r], factors[0], acc[h][e]);
                    }
            }
    }

    // Adds the products of the listed elements. Prefetches all factors to the L2 cache before the
    // first addition, so that the loads from memory overlap.
    __device__ __forceinline__ void
    add_listed(const unsigned* list, int count, int window, float (&acc)[halves][64]) const {
        __syncwarp(); // the list is written
        const auto k_of = [&](unsigned entry) {
            return int64_t{window + chunk_of(entry)} * chunk_k + entry % chunk_k;
        };
#pragma unroll 1
        for (int i = 0; i < count; ++i)
            for_each_factor(list[i], [&](const tile_lines& lines, int line, int) {
                lines.prefetch(line, k_of(list[i]));
            });
#pragma unroll 1
        for (int i = 0; i < count; ++i) {
            const unsigned entry = list[i];
            float factors[5] = {};
            for_each_factor(entry, [&](const tile_lines& lines, int line, int at) {
                factors[at] = lines.scaled(line, k_of(entry));
            });
            if (entry & is_of_b) {
                lossy_record lossy_a[halves] = {};
                if (entry & meets_a) {
                    const chunk_records records = read(window + chunk_of(entry));
#pragma unroll
                    for (int h = 0; h < halves; ++h)
                        lossy_a[h] = records.of_a[h];
                }
                const int col = cell_of(entry) * cell_lines + line_of(entry);
                add_to_column(col, entry % chunk_k, lossy_a, factors, acc);
            } else {
                add_to_row(cell_of(entry), line_of(entry) - first_line(), factors, acc);
            }
        }
        __syncwarp(); // the list has been read
    }

    // Writes a lane's entries of a chunk, or counts them if the list is null.
    static __device__ __forceinline__ int
    put_entries(unsigned* list, int chunk, const chunk_records& records) {
        int count = 0;
        bool meets = false;
        const auto put = [&](lossy_record record, int cell, bool is_b) {
#pragma unroll 1
            for (int i = 0; i < lossy_count(record); ++i) {
                const unsigned place = lossy_place(record, i);
                const int line = static_cast<int>(place / chunk_k) - first_line();
                if (!is_b && (line < 0 || line >= 16)) // another warp's row
                    continue;
                if (list)
                    list[count] =
                        entry_of(chunk, cell, place) | (is_b ? is_of_b | (meets ? meets_a : 0) : 0);
                ++count;
            }
        };
#pragma unroll
        for (int h = 0; h < halves; ++h)
            put(records.of_a[h], h, false);
        meets = count > 0;
#pragma unroll
        for (int cell = 0; cell < panel_cells; ++cell)
            put(records.of_b[cell], cell, true);
        return count;
    }

    static __device__ __forceinline__ int sum_up_to_lane(int value) {
#pragma unroll
        for (int step = 1; step < 32; step *= 2) {
            const int other = __shfl_up_sync(full_warp, value, step);
            value += lane() >= step ? other : 0;
        }
        return value;
    }

public:
    __device__ __forceinline__ lossy_products(const pass_job& job, pass_tile at)
        : chunks(job.pass.chunks) {
        const auto& [p, pass, packed] = job;
        // Keeps the compiler from computing these values before the main loop, which has no
        // registers to spare.
        int64_t one = 1, distance = packed.lossy_distance;
        asm volatile(
            ""
            : "+l"(one), "+l"(distance), "+r"(at.batch), "+r"(at.panel_a), "+r"(at.panel_b));
        const sgemm_operands o = resolve_operands(p, pass.first_batch + at.batch);
        const auto lines = [&](const float* x,
                               bool k_contiguous,
                               int64_t ld,
                               int64_t first,
                               int64_t count,
                               int panel,
                               const float* scales) {
            const int64_t line = int64_t{panel} * panel_lines;
            const int64_t line_stride = k_contiguous ? ld * one : one;
            const int64_t k_stride = k_contiguous ? one : ld * one;
            return tile_lines{x + (first + line) * line_stride + pass.first_k * k_stride,
                              line_stride,
                              k_stride,
                              static_cast<int>(min(count - line, int64_t{1} << 30)),
                              scales};
        };
        panel_a = at.batch * pass.panels_a + at.panel_a;
        panel_b = at.batch * pass.packed_panels_b() + at.panel_b;
        panels_a = static_cast<unsigned>(pass.batches) * pass.panels_a;
        panels_b = static_cast<unsigned>(pass.batches) * pass.packed_panels_b();
        const auto records = [&](const packed_operand& operand) {
            return reinterpret_cast<const lossy_record*>(operand.cell_scales) + distance;
        };
        records_a = records(packed.a);
        records_b = records(packed.b);
        a = lines(o.a,
                  p.transa,
                  p.lda,
                  pass.row,
                  pass.rows,
                  at.panel_a,
                  packed.a.line_scales + int64_t{panel_a} * panel_lines);
        b = lines(o.b,
                  !p.transb,
                  p.ldb,
                  pass.col,
                  pass.cols,
                  at.panel_b,
                  packed.b.line_scales + int64_t{panel_b} * panel_lines);
    }

    // Adds the products of lossy elements in some chunks to a thread's sums.
    template <class Range>
    __device__ __forceinline__ void add_to(float (&acc)[halves][64], const Range& range) const {
        __shared__ unsigned smem_lists[Shape::math_threads / 32][listed_at_once];
        unsigned* const list = smem_lists[rematerialised_tid() / 32 - 4];
        for (int window = range.first; window < range.end; window += window_chunks) {
            unsigned found = 0; // bit i: chunk 32 i + lane of the window has lossy elements
#pragma unroll
            for (int i = 0; i < window_chunks / 32; ++i) {
                const int chunk = window + 32 * i + lane();
                if (chunk < range.end && read(chunk).has_any())
                    found |= 1u << i;
            }
            if (!__any_sync(full_warp, found != 0)) // the usual case
                continue;
            int listed = 0;
#pragma unroll 1
            for (int i = 0; i <= window_chunks / 32; ++i) {
                const int chunk = 32 * i + lane();
                bool is_pending = found >> i & 1; // false in the last round
                if (i < window_chunks / 32 && !__any_sync(full_warp, is_pending))
                    continue;
                do {
                    chunk_records records{};
                    if (is_pending)
                        records = read(window + chunk);
                    const int own = put_entries(nullptr, chunk, records);
                    const int end = listed + sum_up_to_lane(own);
                    if (is_pending && end <= listed_at_once) {
                        put_entries(list + end - own, chunk, records);
                        is_pending = false;
                    }
                    listed = __reduce_max_sync(full_warp, end <= listed_at_once ? end : listed);
                    if (__any_sync(full_warp, is_pending) || i == window_chunks / 32) {
                        add_listed(list, listed, window, acc);
                        listed = 0;
                    }
                } while (__any_sync(full_warp, is_pending));
            }
        }
    }
};

#endif

} // namespace myblas::cuda
