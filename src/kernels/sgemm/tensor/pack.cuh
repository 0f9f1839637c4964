// Splits the operands of a pass into limbs and scales (limbs.cuh), and finds elements that the
// limbs cannot hold.
//
// A warp packs the 32 lines of some cells, one cell after the other. Each lane reads and splits 4
// pieces of 8 k, each of another line, by quads along memory. If lines run along memory, the
// transposition takes place inside a lane. Scales of lines come from 16 elements of each line, at 4
// places along k. Every warp that packs the lines reads these again, from the L2 cache.
//
// Bound: bytes. For each element 4 are read, and 2 are written for each limb.
// Shared memory: three words, for the findings of the block.
// Launch: 128 threads, up to 4 blocks for each multiprocessor (schedule_packing).
#pragma once

#include "kernels/common/lanes.cuh"
#include "kernels/common/load.cuh"
#include "kernels/common/overlap.cuh"
#include "kernels/common/wgmma.cuh"
#include "kernels/sgemm/tensor/limbs.cuh"

namespace myblas::cuda {

__device__ __forceinline__ float power_of_two(int exponent) { // of a normal float
    return __int_as_float((exponent + exponent_bias) << 23);
}

// A thread's findings about its operand. Exponents are biased.
struct findings {
    int greatest = 0, smallest = no_exponent;
    unsigned request = path_fp16x3;
};

// Neighbouring elements along k.
template <int length>
struct lane_piece {
    float of[length];
};

// A lane's elements of 4 lines, `length` k of each. Lanes with the same line are `step` apart, and
// the lines of a lane are line_step apart.
template <bool k_contiguous, int length>
struct lane_elements {
    static constexpr int lines = 4;
    static constexpr int step = k_contiguous ? 1 : 8, line_step = k_contiguous ? 8 : 1;
    lane_piece<length> of_line[lines];

    // x is the lane's first element. From there on the operand has `rows` lines and `k` elements of
    // each.
    template <bool partial>
    __device__ __forceinline__ void load(const float* x, int64_t ld, int64_t rows, int64_t k) {
        if constexpr (k_contiguous) {
#pragma unroll
            for (int r = 0; r < lines; ++r)
#pragma unroll
                for (int e = 0; e < length; e += 4) {
                    const int i = r * line_step;
                    const float4 v = load_4<partial>(x + e + i * ld, i < rows ? k - e : 0);
                    of_line[r].of[e] = v.x, of_line[r].of[e + 1] = v.y;
                    of_line[r].of[e + 2] = v.z, of_line[r].of[e + 3] = v.w;
                }
        } else {
#pragma unroll
            for (int e = 0; e < length; ++e) {
                const float4 v = load_4<partial>(x + e * ld, e < k ? rows : 0);
                of_line[0].of[e] = v.x, of_line[1].of[e] = v.y;
                of_line[2].of[e] = v.z, of_line[3].of[e] = v.w;
            }
        }
    }

    __device__ __forceinline__ const lane_piece<length>& piece(int r) const { return of_line[r]; }
};

// The bits of the largest magnitude in a line. The lane has the elements x of it; the maximum is
// over all lanes of the line.
template <int step, int length>
__device__ __forceinline__ unsigned largest_of_line(const lane_piece<length>& x) {
    float magnitude = 0;
#pragma unroll
    for (int e = 0; e < length; ++e)
        magnitude = max_or_nan(magnitude, fabsf(x.of[e]));
    return max_of_4<step>(__float_as_uint(magnitude));
}

// Splits one piece of a line. Returns true if all elements are so large that certainly nothing is
// lost.
template <class Scheme>
__device__ __forceinline__ bool
pack_piece(const lane_piece<piece_k>& x, float factor, char* target) {
    uint32_t words[Scheme::limbs][piece_k / 2];
    float smallest = Scheme::sure_down_to;
#pragma unroll
    for (int w = 0; w < piece_k / 2; ++w) {
        float2 left = make_float2(x.of[2 * w] * factor, x.of[2 * w + 1] * factor);
        smallest = fminf(smallest, fminf(fabsf(left.x), fabsf(left.y)));
#pragma unroll
        for (int i = 0; i < Scheme::limbs; ++i)
            words[i][w] = Scheme::take_limb(left);
    }
#pragma unroll
    for (int i = 0; i < Scheme::limbs; ++i)
        *reinterpret_cast<uint4*>(target + i * limb_bytes) =
            make_uint4(words[i][0], words[i][1], words[i][2], words[i][3]);
    return smallest == Scheme::sure_down_to;
}

// Calls f(e, is_lossy) for the elements of a piece; is_lossy: whether the element loses too much.
template <class Scheme, class F>
__device__ __forceinline__ void find_lossy(const lane_piece<piece_k>& x, float factor, F&& f) {
#pragma unroll
    for (int e = 0; e < piece_k; e += 2) {
        const float2 scaled = make_float2(x.of[e] * factor, x.of[e + 1] * factor);
        float2 left = scaled;
        if constexpr (Scheme::is_exact) {
            f(e, x.of[e] != 0 && fabsf(scaled.x) < Scheme::sure_down_to);
            f(e + 1, x.of[e + 1] != 0 && fabsf(scaled.y) < Scheme::sure_down_to);
        } else {
#pragma unroll
            for (int i = 0; i < Scheme::limbs; ++i)
                Scheme::take_limb(left);
            f(e, x.of[e] != 0 && fabsf(left.x) >= largest_loss * fabsf(scaled.x));
            f(e + 1, x.of[e + 1] != 0 && fabsf(left.y) >= largest_loss * fabsf(scaled.y));
        }
    }
}

// The place of a lane's elements in a cell: the lane's first line among the 32, and its piece j of
// k.
template <bool k_contiguous>
struct lane_place {
    int line, j;

    __device__ __forceinline__ lane_place() {
        using elements = lane_elements<k_contiguous, piece_k>;
        const int lane = rematerialised_tid() % 32;
        line = k_contiguous ? lane / line_pieces : lane % 8 * elements::lines;
        j = lane / elements::step % line_pieces;
    }
};

// The source of a warp: 32 lines with k elements each; `lines` are left from the lane's first line
// on.
struct line_source {
    const float* x; // the lane's first line, at k = 0
    int64_t ld, k_stride;
    int lines, k;
    bool vector; // quads are whole and aligned
};

// The findings of a sample: biased exponents of the largest element of each of a lane's lines, and
// of all 32 lines.
struct line_exponents {
    unsigned of_lines; // one byte for each line
    int greatest;

    __device__ __forceinline__ int sampled(int r) const { return of_lines >> 8 * r & 0xff; }
    __device__ __forceinline__ int scale(int r) const {
        return sampled(r) == 0 ? 0 : max(sampled(r) - greatest, least_line_exponent);
    }
};

// Samples 16 elements of each line, at 4 places along k.
template <bool k_contiguous>
__device__ __forceinline__ line_exponents sample_lines(const line_source& source, int j) {
    line_exponents lines{};
    const int64_t k = int64_t{max(source.k - 4, 0)} * j / (line_pieces - 1) / 4 * 4;
    using elements = lane_elements<k_contiguous, 4>;
    elements sample;
    if (source.vector && source.k >= 4)
        sample.template load<false>(source.x + k * source.k_stride, source.ld, 0, 0);
    else
        sample.template load<true>(
            source.x + k * source.k_stride, source.ld, source.lines, source.k - k);
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        lines.of_lines |= largest_of_line<elements::step>(sample.piece(r)) >> 23 << 8 * r;
        lines.greatest = max(lines.greatest, lines.sampled(r));
    }
    lines.greatest = __reduce_max_sync(full_warp, lines.greatest);
    return lines;
}

// Loads the lane's elements of a chunk.
template <bool k_contiguous>
__device__ __forceinline__ lane_elements<k_contiguous, piece_k>
load_cell(const line_source& source, int64_t chunk, int j) {
    const int64_t k = chunk * chunk_k + j * piece_k;
    const float* x = source.x + k * source.k_stride;
    lane_elements<k_contiguous, piece_k> own;
    if (source.vector && (chunk + 1) * chunk_k <= source.k)
        own.template load<false>(x, source.ld, 0, 0);
    else
        own.template load<true>(x, source.ld, source.lines, source.k - k);
    return own;
}

// Adds the lossy elements of the lanes' pieces to the cell's record until it is full, and stores
// zeroes as their limbs. `first` is the place of the lane's piece in the cell.
template <class Scheme>
__device__ __forceinline__ void
list_lossy(unsigned lossy, unsigned first, char* limbs, lossy_record& record) {
    while (const unsigned lanes = __ballot_sync(full_warp, lossy != 0)) {
        if (lossy_count(record) == max_lossy_of_cell)
            return;
        const int e = __ffs(lossy) - 1, from = __ffs(lanes) - 1;
        record = add_to_record(record, __shfl_sync(full_warp, first + e, from));
        if (rematerialised_tid() % 32 == from) {
            lossy &= lossy - 1;
#pragma unroll
            for (int i = 0; i < Scheme::limbs; ++i)
                *reinterpret_cast<uint16_t*>(limbs + i * limb_bytes + e * 2) = 0;
        }
    }
}

// What the product kernel reads of a cell besides its limbs.
struct cell_facts {
    float scale;
    lossy_record lossy;
};

// Splits a cell. The argument `line` is the lane's first line in the panel whose limbs begin at
// `limbs`. Where the product corrects lossy elements, their limbs are zero.
template <class Scheme, class Elements>
__device__ __forceinline__ cell_facts split_cell(const pass_job& job,
                                                 const Elements& own,
                                                 const line_exponents& lines,
                                                 int line,
                                                 int j,
                                                 char* limbs,
                                                 findings& found) {
    const precision_path fallback = job.packed.other;
    unsigned largest[Elements::lines];
    int exponent = 0; // of the cell, biased
#pragma unroll
    for (int r = 0; r < Elements::lines; ++r) {
        largest[r] = largest_of_line<Elements::step>(own.piece(r));
        if (largest[r] != 0)
            exponent = max(exponent, static_cast<int>(largest[r] >> 23) - lines.scale(r));
    }
    exponent = __reduce_max_sync(full_warp, exponent);
    constexpr int lowest = exponent_bias + least_exponent<Scheme>;
    constexpr int highest = exponent_bias + greatest_exponent;
    const bool is_empty =
        __all_sync(full_warp, (largest[0] | largest[1] | largest[2] | largest[3]) == 0);
    if (!is_empty && (exponent < lowest || exponent > highest))
        found.request = fallback;
    exponent = min(max(exponent, lowest), highest);
    if (!is_empty) {
        found.greatest = max(found.greatest, exponent);
        found.smallest = min(found.smallest, exponent);
    }

    // Biased exponents of the factors that make the most of the limbs, one byte for each line.
    unsigned factors = 0;
#pragma unroll
    for (int r = 0; r < Elements::lines; ++r) {
        const int room = exponent + lines.scale(r); // exponent of the largest number that fits
        const int shift = Scheme::top + exponent_bias - room;
        const int known = max(static_cast<int>(largest[r] >> 23), lines.sampled(r));
        if (largest[r] != 0 && (shift > exponent_bias || (!Scheme::is_exact && !Scheme::corrects &&
                                                          room - known > max_headroom)))
            found.request = fallback;
        factors |= (min(shift, exponent_bias) + exponent_bias) << 8 * r;
    }
    asm volatile("" : "+r"(factors)); // only the factors are kept of the lines
    const auto factor = [&](int r) { return __uint_as_float((factors >> 8 * r & 0xff) << 23); };
    char* const first = limbs + swizzled<line_bytes>(line, j);
    const auto target = [&](int r) { // swizzles repeat every 8 lines
        return Elements::line_step % 8 == 0
                   ? first + r * Elements::line_step * line_bytes
                   : limbs + swizzled<line_bytes>(line + r * Elements::line_step, j);
    };
    bool is_sure = true;
#pragma unroll
    for (int r = 0; r < Elements::lines; ++r) {
        is_sure &= pack_piece<Scheme>(own.piece(r), factor(r), target(r));
        __syncwarp(); // one piece at a time, as registers are few
    }
    lossy_record record = 0;
    if (!__all_sync(full_warp, is_sure)) { // also for zeroes
        asm volatile("" : "+r"(factors));  // nothing else is kept for this rare case
        int lossy = 0;
#pragma unroll
        for (int r = 0; r < Elements::lines; ++r) {
            int own_lossy = 0;
            unsigned places = 0; // of lossy elements, one bit each
            find_lossy<Scheme>(own.piece(r), factor(r), [&](int e, bool is_lossy) {
                own_lossy += is_lossy;
                if constexpr (Scheme::corrects)
                    places |= (is_lossy ? 1u : 0) << e;
            });
            if (sum_of_4<Elements::step>(own_lossy) > (Scheme::is_exact ? 0 : max_lossy_of_line))
                found.request = fallback;
            lossy += own_lossy;
            if constexpr (Scheme::corrects) {
                const int own_line = (line + r * Elements::line_step) % cell_lines;
                list_lossy<Scheme>(places, own_line * chunk_k + j * piece_k, target(r), record);
            }
        }
        lossy = __reduce_add_sync(full_warp, lossy);
        if (lossy > (Scheme::is_exact ? 0 : max_lossy_of_cell))
            found.request = fallback;
        // In any order of the warps, one of them crosses the limit of a pass.
        if (Scheme::corrects && record != 0 && rematerialised_tid() % 32 == 0 &&
            atomicAdd(&job.packed.counters[listed_elements], lossy) + lossy >
                job.packed.most_listed)
            found.request = fallback;
    }
    return {power_of_two(exponent - exponent_bias - Scheme::top), record};
}

// Called by one lane, with the cell's place in cell_scales.
template <class Scheme>
__device__ __forceinline__ void
store_facts(const pass_job& job, float* target, const cell_facts& facts) {
    *target = facts.scale;
    if constexpr (Scheme::corrects)
        reinterpret_cast<lossy_record*>(target)[job.packed.lossy_distance] = facts.lossy;
}

struct chunk_span {
    unsigned first, end;
};

// An operand of the pass: `lines` lines of each product, stored with leading dimension ld.
struct pack_source {
    bool is_a, k_contiguous;
    int panels; // of one product
    int64_t first_line, lines, ld;
    packed_operand target;

    __device__ __forceinline__ pack_source(const pass_job& job, bool is_a_)
        : is_a(is_a_), k_contiguous(is_a ? job.p.transa : !job.p.transb),
          panels(is_a ? job.pass.panels_a : job.pass.panels_b),
          first_line(is_a ? job.pass.row : job.pass.col),
          lines(is_a ? job.pass.rows : job.pass.cols), ld(is_a ? job.p.lda : job.p.ldb),
          target(is_a ? job.packed.a : job.packed.b) {}

    // The chunks of a panel that the product kernel reads. Its tiles have `tile_rows` rows. The
    // kernel knows that the other chunks are zero.
    __device__ __forceinline__ chunk_span wanted_chunks(const pass_job& job,
                                                        unsigned panel,
                                                        int tile_rows) const {
        const limb_pass& pass = job.pass;
        const unsigned chunks = pass.chunks, height = is_a ? tile_rows : panel_lines;
        const unsigned line = panel * panel_lines / height * height; // of the tile
        const unsigned next = min(chunks, (line + height) / chunk_k);
        switch (pass.zeros) {
        case known_zeros::above_of_a:
            return {0, is_a ? next : chunks};
        case known_zeros::below_of_a:
            return {is_a ? line / chunk_k : 0, chunks};
        case known_zeros::above_of_b:
            return {is_a ? 0 : line / chunk_k, chunks};
        case known_zeros::below_of_b:
            return {0, is_a ? chunks : next};
        default:
            return {0, chunks};
        }
    }

    // The part of a panel of the pass that begins at `line`, a lane's first line, which is
    // `lane_line` lines after the warp's first line.
    template <bool along_k>
    __device__ __forceinline__ line_source
    from(const pass_job& job, unsigned panel, int line, int lane_line) const {
        const int64_t panel_line = int64_t{panel % panels} * panel_lines;
        const sgemm_operands o = resolve_operands(job.p, job.pass.first_batch + panel / panels);
        const float* base = is_a ? o.a : o.b;
        line_source source;
        source.ld = ld;
        source.k_stride = along_k ? 1 : ld;
        source.lines = static_cast<int>(lines - panel_line - line);
        source.k = static_cast<int>(job.pass.k);
        source.vector = aligned16(base, ld) && panel_line + line - lane_line + cell_lines <= lines;
        source.x = base + job.pass.first_k * source.k_stride +
                   (first_line + panel_line + line) * (along_k ? ld : 1);
        return source;
    }
};

// A strip: a cell of a panel, and chunks of it that are strip_count's step apart.
struct strip_part {
    unsigned panel, cell, first_chunk, last_chunk;
};

// The strips of an operand. Warps that run side by side should read side by side. Where k runs
// along memory, the cells of a strip are pack_warps apart.
struct strip_count {
    unsigned chunk_step, span, spans, groups;

    __device__ __forceinline__ strip_count(const pass_job& job,
                                           const pack_source& source,
                                           const pack_schedule& schedule)
        : chunk_step(source.k_contiguous ? pack_warps : 1), span(schedule.strip * chunk_step),
          spans(ceil_div<unsigned>(job.pass.chunks, span)),
          groups(static_cast<unsigned>(job.pass.batches) * source.panels * panel_cells) {}

    __device__ __forceinline__ unsigned all() const { return groups * spans * chunk_step; }

    template <bool k_contiguous>
    __device__ __forceinline__ strip_part locate(unsigned strip, unsigned chunks) const {
        constexpr unsigned step = k_contiguous ? pack_warps : 1;
        const unsigned group = k_contiguous ? strip / (spans * step) : strip % groups;
        const unsigned place = k_contiguous ? strip % (spans * step) : strip / groups;
        return {group / panel_cells,
                group % panel_cells,
                place / step * span + place % step,
                min((place / step + 1) * span, chunks)};
    }
};

// Packs strip `strip`, then each strip that next() returns.
template <class Scheme, bool k_contiguous, class Next>
__device__ __forceinline__ void pack_strips(const pass_job& job,
                                            const pack_source& source,
                                            const pack_schedule& schedule,
                                            unsigned strip,
                                            findings& found,
                                            Next&& next) {
    const lane_place<k_contiguous> lane;
    const unsigned all_panels = static_cast<unsigned>(job.pass.batches) * source.panels;
    const unsigned chunks = job.pass.chunks;
    const strip_count count(job, source, schedule);
    constexpr unsigned chunk_step = k_contiguous ? pack_warps : 1;
    for (; strip < count.all(); strip = next()) {
        const auto [panel, cell, first_chunk, last_chunk] =
            count.locate<k_contiguous>(strip, chunks);
        const chunk_span wanted = source.wanted_chunks(job, panel, schedule.tile_rows);
        if (first_chunk != 0 && (first_chunk >= wanted.end || last_chunk <= wanted.first))
            continue;
        const int line = static_cast<int>(cell) * cell_lines + lane.line; // of the panel
        const line_source lines = source.from<k_contiguous>(job, panel, line, lane.line);
        const line_exponents exponents = sample_lines<k_contiguous>(lines, lane.j);
        if (first_chunk == 0 && lane.j == 0) {
            constexpr int step = lane_elements<k_contiguous, piece_k>::line_step;
#pragma unroll
            for (int r = 0; r < 4; ++r)
                source.target.line_scales[panel * panel_lines + line + r * step] =
                    power_of_two(exponents.scale(r));
        }
        for (unsigned chunk = first_chunk; chunk < last_chunk; chunk += chunk_step) {
            if (chunk < wanted.first || chunk >= wanted.end)
                continue;
            const int64_t at = panel_place(panel, all_panels, chunk, chunks);
            const cell_facts facts =
                split_cell<Scheme>(job,
                                   load_cell<k_contiguous>(lines, chunk, lane.j),
                                   exponents,
                                   line,
                                   lane.j,
                                   source.target.limbs + at * (Scheme::limbs * limb_bytes),
                                   found);
            if (threadIdx.x % 32 == 0)
                store_facts<Scheme>(
                    job, &source.target.cell_scales[at * panel_cells + cell], facts);
        }
    }
}

// The same in the order of an operand.
template <class Scheme, class Next>
__device__ __forceinline__ void pack_strips(const pass_job& job,
                                            const pack_source& source,
                                            const pack_schedule& schedule,
                                            unsigned strip,
                                            findings& found,
                                            Next&& next) {
    if (source.k_contiguous)
        pack_strips<Scheme, true>(job, source, schedule, strip, found, next);
    else
        pack_strips<Scheme, false>(job, source, schedule, strip, found, next);
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL) // only the sm_90a product kernel reads the result

// The work of a block that packs one of the operands. pack(job, source, strip, stride, found) packs
// the strips of a warp: `strip` and every stride-th after it.
template <class Pack>
__device__ __forceinline__ void pack_block(const sgemm_problem& p,
                                           const limb_pass& pass,
                                           const pack_schedule& schedule,
                                           const packed_pass& packed,
                                           Pack&& pack) {
    grid_dependency_sync();
    launch_dependents();
    if (resolve_operands(p, 0).k == 0)
        return; // the limbs are not read, and there are no findings
    __shared__ int smem_greatest, smem_smallest;
    __shared__ unsigned smem_request;
    const bool is_a = static_cast<int>(blockIdx.x) < schedule.blocks_a;
    unsigned* const tell = packed.counters + (is_a ? greatest_of_a : greatest_of_b);
    // Findings of other blocks so far, which this block need not repeat.
    int told_greatest = 0, told_smallest = 0;
    if (threadIdx.x == 0) {
        volatile unsigned* const told = tell;
        told_greatest = told[0];
        told_smallest = told[1];
        smem_greatest = 0;
        smem_smallest = no_exponent;
        smem_request = path_fp16x3;
    }
    __syncthreads(); // shared memory is initialised

    const int blocks = is_a ? schedule.blocks_a : schedule.blocks_b;
    const int block = is_a ? blockIdx.x : blockIdx.x - schedule.blocks_a;
    const int first = block * pack_warps + threadIdx.x / 32, stride = blocks * pack_warps;
    const pass_job job{p, pass, packed};
    const pack_source source(job, is_a);
    findings found;
    pack(job, source, first, stride, found);

    const int greatest = __reduce_max_sync(full_warp, found.greatest);
    const int smallest = __reduce_min_sync(full_warp, found.smallest);
    const unsigned request = __reduce_max_sync(full_warp, found.request);
    if (threadIdx.x % 32 == 0) {
        atomicMax(&smem_greatest, greatest);
        atomicMin(&smem_smallest, smallest);
        if (request)
            atomicMax(&smem_request, request);
    }
    __syncthreads(); // the block's findings are complete
    if (threadIdx.x != 0)
        return;
    const auto tell_range = [&](unsigned* to) {
        if (smem_greatest > told_greatest)
            atomicMax(&to[0], smem_greatest);
        if (no_exponent - smem_smallest > told_smallest)
            atomicMax(&to[1], no_exponent - smem_smallest);
    };
    tell_range(tell);
    if (pass.shares_panels) // all blocks pack A
        tell_range(packed.counters + greatest_of_b);
    if (smem_request)
        atomicMax(&packed.counters[request_of_blocks], smem_request);
}

#endif

template <class Scheme>
__global__ void __launch_bounds__(pack_threads, pack_blocks_per_sm)
    pack_kernel(const sgemm_problem p,
                const limb_pass pass,
                const pack_schedule schedule,
                const packed_pass packed) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    pack_block(p,
               pass,
               schedule,
               packed,
               [&](const pass_job& job,
                   const pack_source& source,
                   unsigned strip,
                   unsigned stride,
                   findings& found) {
                   pack_strips<Scheme>(
                       job, source, schedule, strip, found, [&] { return strip += stride; });
               });
#endif
}

} // namespace myblas::cuda
