// Packing by a few warps beside a product (pack_and_multiply.cuh): strips of cells, which warps
// claim one by one.
//
// Packing warps have few registers and low occupancy. Global memory is therefore read ahead by
// copies to shared memory, the next cell while the current one is split. From there a cell is split
// piece by piece. The output and the checks are as in pack.cuh, with one difference. If k runs
// along memory, the first strip of some lines stores its samples of the lines for the other strips.
//
// The order of strips is close to the order in which tiles need them: one bundle of panels after
// the other, each bundle along k. A bundle is the panels that one wave of tiles reads. Strips are
// claimed, not assigned, so no warp waits for a block that is not on the device. Finished cells are
// counted for each span of chunks of a panel.
//
// The first chunks of the first bundle are the lead. The lead has shorter strips, which all warps
// of all blocks pack, because no warp can multiply until they are packed. In the lead, the warps of
// a block read along memory: neighbouring lines, or consecutive ranges of k of the same lines.
#pragma once

#include "kernels/common/counter.cuh"
#include "kernels/common/cp_async.cuh"
#include "kernels/common/relaxed.cuh"
#include "kernels/common/tma.cuh"
#include "kernels/sgemm/tensor/pack.cuh"

namespace myblas::cuda {

inline constexpr int raw_cell_bytes = cell_lines * chunk_k * sizeof(float);
inline constexpr int raw_cells = 2; // of a warp

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// A raw cell in shared memory: 32 rows of 32 floats along memory. Quads are swizzled so that
// neither the copies nor the lanes that read pieces have bank conflicts. A lane has the lines
// lane / 4 + 8 r and piece lane % 4.
template <bool k_contiguous>
struct raw_cell {
    static constexpr int lines = 4, step = 1, line_step = 8;
    char* bytes;

    static __device__ __forceinline__ int offset(int row, int quad) {
        return row * 128 + (quad ^ (k_contiguous ? row % 2 : row / piece_k * 2)) * 16;
    }

    // `source` begins at the warp's first line.
    __device__ __forceinline__ void fetch(const line_source& source, int64_t chunk) const {
        const int lane = rematerialised_tid() % 32;
        const int64_t k = chunk * chunk_k;
        const float* x = source.x + k * source.k_stride;
        const int64_t row_stride = source.ld;
        if (source.vector && k + chunk_k <= source.k) {
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                const int row = i * 4 + lane / 8, quad = lane % 8;
                cp_async<16>(bytes + offset(row, quad), x + row * row_stride + quad * 4, true);
            }
        } else {
            const int64_t rows = k_contiguous ? source.lines : source.k - k;
            const int64_t columns = k_contiguous ? source.k - k : source.lines;
#pragma unroll 1
            for (int i = 0; i < 32; ++i) {
                const bool valid = i < rows && lane < columns;
                cp_async<4>(bytes + offset(i, lane / 4) + lane % 4 * 4,
                            valid ? x + i * row_stride + lane : source.x,
                            valid);
            }
        }
        cp_async_commit();
    }

    __device__ __forceinline__ lane_piece<piece_k> piece(int r) const {
        __syncwarp(); // read piece by piece, and again instead of kept: registers are few
        const int lane = rematerialised_tid() % 32, line = lane / 4 + r * line_step, j = lane % 4;
        lane_piece<piece_k> x;
        if constexpr (k_contiguous) {
            read_quad(x.of, bytes + offset(line, 2 * j));
            read_quad(x.of + 4, bytes + offset(line, 2 * j + 1));
        } else {
            const char* at = bytes + offset(j * piece_k, line / 4) + line % 4 * 4;
#pragma unroll
            for (int e = 0; e < piece_k; ++e) // rows of a piece have the same swizzle
                x.of[e] = read_float(at + e * 128);
        }
        return x;
    }
};

// Samples the exponents of a lane's lines of a raw cell.
template <bool k_contiguous>
__device__ __forceinline__ line_exponents sample_raw_lines(line_source source) {
    const lane_place<k_contiguous> place;
    source.x += place.line * (k_contiguous ? source.ld : 1);
    source.lines -= place.line;
    line_exponents lines = sample_lines<k_contiguous>(source, place.j);
    if constexpr (!k_contiguous) {
        // Lane l has the lines 4 (l % 8) + r, and needs l / 4 + 8 r.
        const int lane = threadIdx.x % 32;
        unsigned wanted = 0;
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const int line = lane / 4 + 8 * r;
            const unsigned quad = __shfl_sync(full_warp, lines.of_lines, line / 4);
            wanted |= (quad >> line % 4 * 8 & 0xff) << 8 * r;
        }
        lines.of_lines = wanted;
    }
    return lines;
}

// The same, from the samples that another strip of the lines has stored.
__device__ __forceinline__ line_exponents recall_lines(unsigned of_lines) {
    line_exponents lines{of_lines, 0};
#pragma unroll
    for (int r = 0; r < 4; ++r)
        lines.greatest = max(lines.greatest, lines.sampled(r));
    lines.greatest = __reduce_max_sync(full_warp, lines.greatest);
    return lines;
}

// The place of a strip: its operand, panel, cell and chunks.
struct strip_place {
    bool is_a;
    int panel, cell; // of the operand in the pass
    int first_chunk, last_chunk;

    // Whether there is a strip with this number, in the lead or among the others.
    __device__ __forceinline__ bool locate(const pass_job& job,
                                           const strip_schedule& schedule,
                                           int tile_splits,
                                           unsigned unit,
                                           bool in_lead) {
        const limb_pass& pass = job.pass;
        const unsigned groups_a = schedule.bundle_a * panel_cells;
        const unsigned groups = groups_a + schedule.bundle_b * panel_cells;
        const unsigned bundle = in_lead ? 0 : unit / (groups * schedule.strips);
        unsigned strip, group;
        if (in_lead) {
            const unsigned strips = schedule.lead_chunks / lead_strip_chunks;
            is_a = unit < groups_a * strips;
            const unsigned inside = is_a ? unit : unit - groups_a * strips;
            const unsigned own_groups = is_a ? groups_a : groups - groups_a;
            const bool k_contiguous = is_a ? job.p.transa : !job.p.transb;
            group = k_contiguous ? inside / strips : inside % own_groups;
            strip = k_contiguous ? inside % strips : inside / own_groups;
        } else {
            const unsigned inside = unit - bundle * (groups * schedule.strips);
            strip = inside / groups, group = inside % groups;
            // The first strips of all ranges come first. There is no lead.
            if (tile_splits > 1)
                strip = strip % tile_splits * (schedule.strips / tile_splits) + strip / tile_splits;
            is_a = group < groups_a;
            if (!is_a)
                group -= groups_a;
        }
        panel = bundle * (is_a ? schedule.bundle_a : schedule.bundle_b) + group / panel_cells;
        cell = group % panel_cells;
        const int length = in_lead ? lead_strip_chunks : strip_chunks;
        first_chunk = strip * length;
        last_chunk = min(first_chunk + length, pass.chunks);
        return first_chunk < pass.chunks &&
               panel < pass.batches * (is_a ? pass.panels_a : pass.panels_b) &&
               (in_lead ? unit < schedule.lead_strips
                        : bundle != 0 || first_chunk >= schedule.lead_chunks);
    }
};

// The findings of a block's warps and the number of finished cells. A request is published
// immediately, the rest by tell_findings.
struct block_findings {
    int greatest[2], smallest[2]; // of B, of A
    unsigned request;
    unsigned finished; // cells, since they were last published
};

// Called by a warp that has no more strips: publishes the block's findings, then the number of
// finished cells. If every strip did so, all blocks would add to the same few words at the same
// time.
__device__ __forceinline__ void
tell_findings(const packed_pass& packed, const strip_schedule& schedule, block_findings& block) {
    if (threadIdx.x % 32 != 0)
        return;
    const unsigned finished = atomicExch(&block.finished, 0);
    __threadfence_block(); // the findings of these cells are read after this
    for (int is_a = 0; is_a < 2; ++is_a) {
        unsigned* tell = packed.counters + (is_a ? greatest_of_a : greatest_of_b);
        atomicMax(&tell[0], atomicMax(&block.greatest[is_a], 0));
        atomicMax(&tell[1], no_exponent - atomicMin(&block.smallest[is_a], no_exponent));
    }
    fence_device();
    atomicAdd(&packed.counters[schedule.first_counter + finished_cells], finished);
}

// Counts the cells of a strip when they are visible to other blocks.
__device__ __forceinline__ void count_cells(const pass_job& job,
                                            const strip_schedule& schedule,
                                            const strip_place& at,
                                            const findings& found,
                                            block_findings& block) {
    const int greatest = __reduce_max_sync(full_warp, found.greatest);
    const int smallest = __reduce_min_sync(full_warp, found.smallest);
    const unsigned request = __reduce_max_sync(full_warp, found.request);
    const int lane = threadIdx.x % 32;
    if (lane == 0) {
        atomicMax(&block.greatest[at.is_a], greatest);
        atomicMin(&block.smallest[at.is_a], smallest);
        if (atomicMax(&block.request, request) < request)
            atomicMax(&job.packed.counters[request_of_blocks], request);
    }
    __syncwarp(); // all lanes have written their part
    fence_device();
    fence_for_copies();
    unsigned* counters = job.packed.counters + schedule.first_counter;
    const int panels_a = job.pass.batches * job.pass.panels_a;
    const int all_panels = panels_a + job.pass.batches * job.pass.panels_b;
    const int chunks = at.last_chunk - at.first_chunk;
    if (lane < chunks)
        atomicAdd(&counters[strip_counters + (at.first_chunk + lane) / schedule.span * all_panels +
                            (at.is_a ? 0 : panels_a) + at.panel],
                  1);
    if (lane == 0)
        atomicAdd(&block.finished, chunks);
}

// Whether the first chunks of a strip's panel are visible to the warp, and with them the samples of
// its lines. Samples of another strip are one sector. If k runs along memory, sampling again takes
// the sectors of a whole chunk. Strips of the lead, and the first strips of other lines, do not
// check, as there cannot be samples yet.
__device__ __forceinline__ bool
is_first_span_packed(const pass_job& job, const strip_schedule& schedule, const strip_place& at) {
    const bool has_lead = at.panel < (at.is_a ? schedule.bundle_a : schedule.bundle_b);
    if (at.first_chunk < (has_lead ? max(schedule.lead_chunks, 1) : 1))
        return false;
    const unsigned* ready = job.packed.counters + schedule.first_counter + strip_counters;
    const int place = (at.is_a ? 0 : job.pass.batches * job.pass.panels_a) + at.panel;
    const unsigned wanted = min(schedule.span, job.pass.chunks) * panel_cells;
    return __all_sync(full_warp, load_counter_and_acquire(&ready[place]) == wanted);
}

template <class Scheme, bool k_contiguous>
__device__ __forceinline__ void pack_strip(const pass_job& job,
                                           const strip_schedule& schedule,
                                           const strip_place& at,
                                           char* smem,
                                           block_findings& block) {
    const limb_pass& pass = job.pass;
    const sgemm_problem& p = job.p;
    const packed_pass& packed = job.packed;
    const packed_operand target = at.is_a ? packed.a : packed.b;
    const int panels = at.is_a ? pass.panels_a : pass.panels_b;
    const unsigned all_panels = static_cast<unsigned>(pass.batches) * panels;
    const int64_t line = int64_t{at.panel % panels} * panel_lines + at.cell * cell_lines;
    const sgemm_operands o = resolve_operands(p, pass.first_batch + at.panel / panels);
    const float* base = at.is_a ? o.a : o.b;
    line_source source;
    source.ld = at.is_a ? p.lda : p.ldb;
    source.k_stride = k_contiguous ? 1 : source.ld;
    source.lines = static_cast<int>((at.is_a ? pass.rows : pass.cols) - line);
    source.k = static_cast<int>(pass.k);
    source.vector = aligned16(base, source.ld) && source.lines >= cell_lines;
    source.x = base + pass.first_k * source.k_stride +
               ((at.is_a ? pass.row : pass.col) + line) * (k_contiguous ? source.ld : 1);

    const auto raw = [&](int chunk) {
        return raw_cell<k_contiguous>{smem + chunk % 2 * raw_cell_bytes};
    };
    static_assert(raw_cells == 2);
    for (int chunk = at.first_chunk; chunk < min(at.first_chunk + raw_cells, at.last_chunk);
         ++chunk)
        raw(chunk).fetch(source, chunk);
    line_exponents exponents;
    {
        const int lane = rematerialised_tid() % 32, own_line = at.cell * cell_lines + lane / 4;
        const int64_t cell = int64_t{at.panel} * panel_cells + at.cell;
        unsigned* const samples = target.samples + cell * cell_samples + lane / 4;
        if (k_contiguous && is_first_span_packed(job, schedule, at)) {
            exponents = recall_lines(load_relaxed(samples));
        } else {
            exponents = sample_raw_lines<k_contiguous>(source);
            if (at.first_chunk == 0 && lane % 4 == 0) { // for all strips of the lines
                if (k_contiguous)
                    *samples = exponents.of_lines;
#pragma unroll
                for (int r = 0; r < 4; ++r)
                    target.line_scales[int64_t{at.panel} * panel_lines + own_line + r * 8] =
                        power_of_two(exponents.scale(r));
            }
        }
    }
    findings found;
#pragma unroll 1
    for (int chunk = at.first_chunk; chunk < at.last_chunk; ++chunk) {
        if (chunk + 1 < at.last_chunk)
            cp_async_wait<1>();
        else
            cp_async_wait<0>();
        __syncwarp(); // all lanes' copies have arrived
        // Values derived from these are computed again, and occupy no registers through the loop.
        int panel = at.panel;
        asm volatile("" : "+r"(exponents.of_lines), "+r"(panel));
        const int64_t to = panel_place(panel, all_panels, chunk, pass.chunks);
        const int lane = rematerialised_tid() % 32, own_line = at.cell * cell_lines + lane / 4;
        const cell_facts facts =
            split_cell<Scheme>(job,
                               raw(chunk),
                               exponents,
                               own_line,
                               lane % 4,
                               target.limbs + to * (Scheme::limbs * limb_bytes),
                               found);
        if (lane == 0)
            store_facts<Scheme>(job, &target.cell_scales[to * panel_cells + at.cell], facts);
        __syncwarp(); // the raw cell has been read
        if (chunk + raw_cells < at.last_chunk)
            raw(chunk).fetch(source, chunk + raw_cells);
    }
    count_cells(job, schedule, at, found, block);
}

template <class Scheme>
__device__ __forceinline__ void pack_strip(const pass_job& job,
                                           const strip_schedule& schedule,
                                           const strip_place& at,
                                           char* smem,
                                           block_findings& block) {
    if (at.is_a ? job.p.transa : !job.p.transb)
        pack_strip<Scheme, true>(job, schedule, at, smem, block);
    else
        pack_strip<Scheme, false>(job, schedule, at, smem, block);
}

// The work of a warp that packs beside the product: the rest of the lead, then all other strips.
template <class Scheme>
__device__ __forceinline__ void pack_claimed_strips(const pass_job& job,
                                                    const strip_schedule& schedule,
                                                    int tile_splits,
                                                    char* smem,
                                                    block_findings& block) {
    unsigned* counters = job.packed.counters + schedule.first_counter;
    const unsigned units = static_cast<unsigned>(schedule.units());
    const int lane = threadIdx.x % 32;
    bool in_lead = schedule.lead_strips > 0;
    // Runs while the strip before is packed. Lane 0 gets the next strip, and lane 1 the highest
    // request so far.
    const auto claim = [&] {
        return lane == 0   ? count_one(&counters[in_lead ? claimed_lead : claimed_strips])
               : lane == 1 ? load_relaxed(&job.packed.counters[request_of_blocks])
                           : 0;
    };
    unsigned next = claim();
    for (;;) {
        const unsigned unit = __shfl_sync(full_warp, next, 0);
        const unsigned request = __shfl_sync(full_warp, next, 1);
        if (request > path_of<Scheme>)
            return; // the fallback computes, and packs for itself
        const bool is_end = unit >= (in_lead ? schedule.lead_strips : units);
        if (is_end && !in_lead)
            break;
        in_lead = in_lead && !is_end;
        next = claim();
        strip_place at;
        if (!is_end && at.locate(job, schedule, tile_splits, unit, in_lead))
            pack_strip<Scheme>(job, schedule, at, smem, block);
    }
    tell_findings(job.packed, schedule, block);
}

// The precision path according to the findings of all strips that have been counted.
template <class Scheme>
__device__ __forceinline__ precision_path decide_now(const packed_pass& packed, int64_t k) {
    unsigned counters[pass_counters];
#pragma unroll
    for (int i = 0; i < pass_counters; ++i)
        counters[i] = load_relaxed(&packed.counters[i]);
    return decide<Scheme>(counters, k, packed.other);
}

#endif

} // namespace myblas::cuda
