// Packing by a few warps beside a product (slice_overlap.cuh): strips of parts, which warps claim one by one.
//
// Such warps have few registers and little company. So global memory is read ahead by copies to shared memory,
// a part's while the one before is cut, and a part is cut piece by piece from there. What is written, and what is
// looked out for, is as in slice_pack.cuh; but where k runs along memory the first strip of some lines leaves what it
// has sampled of them to the others.
// Strips come in about the order in which tiles want them: bundle by bundle of panels, which are those that a wave
// of tiles reads, in each along k. They are claimed, not assigned, so that nothing waits for a block that is
// not on the device. What is finished is counted, span by span of a panel.
// The first chunks of the first bundle, the lead, come in shorter strips, which all warps of all blocks pack: until
// these are there, nobody can multiply. The warps of a block read along memory there: neighbouring lines, or of the
// same lines one range of k after the other.
#pragma once

#include "kernels/common/cp_async.cuh"
#include "kernels/common/tma.cuh"
#include "kernels/sgemm/slice_pack.cuh"

namespace myblas::cuda {

// How packing is shared out. Panels are those of all products of the pass.
struct strip_plan {
    int strips;             // along k
    int span;               // chunks that a counter counts
    int bundle_a, bundle_b; // panels
    int bundles;
    int lead_chunks;      // of the first bundle, whole strips
    unsigned lead_strips; // that these are cut into
    int first_counter; // of the stream's: strip_counter, then [span][panels of A, of B] finished parts
    int counters;      // of the stream's, in all
};

enum strip_counter { claimed_lead, claimed_strips, finished_parts, strip_counters };

inline constexpr int strip_chunks = 4;
inline constexpr int lead_strip_chunks = 2;
inline constexpr int raw_part_bytes = part_rows * chunk_k * sizeof(float);
inline constexpr int raw_parts = 2; // of a warp

// Places of strips, of which some at the ends are empty.
__host__ __device__ inline int64_t plan_units(const strip_plan& plan) {
    return int64_t{plan.bundles} * (plan.bundle_a + plan.bundle_b) * panel_parts * plan.strips;
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// A counter that other blocks write. What they wrote before is there after a fence_device.
__device__ __forceinline__ unsigned load_counter(const unsigned* x) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(x) : "memory");
    return value;
}

// The same; what they wrote before is there at once. Unlike a fence it does not wait for what other warps write.
__device__ __forceinline__ unsigned load_counter_and_acquire(const unsigned* x) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(x) : "memory");
    return value;
}

// Orders memory accesses of this thread, and those before that it knows of, for the device. Unlike __threadfence not
// sequentially consistent, which takes longer. PTX ISA, "membar/fence".
__device__ __forceinline__ void fence_device() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

// The counter before. Unlike atomicAdd not gathered from the lanes of a warp, which would wait for the result.
__device__ __forceinline__ unsigned count_one(unsigned* x) {
    unsigned before;
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(x) : "memory");
    return before;
}

// Reads of shared memory that take place where they stand, and each time: there are few registers to keep what
// was read.
// PTX ISA, "Data Movement and Conversion Instructions: ld".
__device__ __forceinline__ float read_float(const char* x) {
    float value;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(smem_address(x)) : "memory");
    return value;
}
__device__ __forceinline__ void read_quad(float* quad, const char* x) {
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(quad[0]), "=f"(quad[1]), "=f"(quad[2]), "=f"(quad[3])
                 : "r"(smem_address(x))
                 : "memory");
}

// A raw part in shared memory: 32 rows of 32 floats along memory, their quads swizzled so that neither the
// copies nor lanes that read pieces meet in a bank. A lane has the lines lane / 4 + 8 r, and piece lane % 4.
template <bool k_contiguous>
struct raw_part {
    static constexpr int lines = 4, step = 1, line_step = 8;
    char* bytes;

    static __device__ __forceinline__ int offset(int row, int quad) {
        return row * 128 + (quad ^ (k_contiguous ? row % 2 : row / piece_k * 2)) * 16;
    }

    // `source` is that of the warp's first line.
    __device__ __forceinline__ void fetch(const line_source& source, int64_t chunk) const {
        const int lane = fresh_thread() % 32;
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
        __syncwarp(); // read piece by piece, and again rather than kept: there are few registers
        const int lane = fresh_thread() % 32, line = lane / 4 + r * line_step, j = lane % 4;
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

// The exponents of the lines that a lane has of a raw part.
template <bool k_contiguous>
__device__ __forceinline__ line_exponents sample_raw_lines(line_source source) {
    const lane_place<k_contiguous> place;
    source.x += place.line * (k_contiguous ? source.ld : 1);
    source.lines -= place.line;
    line_exponents lines = sample_lines<k_contiguous>(source, place.j);
    if constexpr (!k_contiguous) {
        // Lane l has the lines 4 (l % 8) + r, and wants l / 4 + 8 r.
        const int lane = threadIdx.x % 32;
        unsigned wanted = 0;
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const int line = lane / 4 + 8 * r;
            const unsigned quad = __shfl_sync(0xffffffffu, lines.of_lines, line / 4);
            wanted |= (quad >> line % 4 * 8 & 0xff) << 8 * r;
        }
        lines.of_lines = wanted;
    }
    return lines;
}

// The same from what another strip of the lines has left of them.
__device__ __forceinline__ line_exponents recall_lines(unsigned of_lines) {
    line_exponents lines{of_lines, 0};
#pragma unroll
    for (int r = 0; r < 4; ++r)
        lines.greatest = max(lines.greatest, lines.sampled(r));
    lines.greatest = __reduce_max_sync(0xffffffffu, lines.greatest);
    return lines;
}

// A strip: of which operand, what.
struct strip_place {
    bool is_a;
    int panel, part; // of the operand's in the pass
    int first_chunk, last_chunk;

    // Whether there is one in this place, of the lead or of the others.
    __device__ __forceinline__ bool locate(const sgemm_problem& p,
                                           const strip_plan& plan,
                                           const slice_pass& pass,
                                           int tile_parts,
                                           unsigned unit,
                                           bool in_lead) {
        const unsigned groups_a = plan.bundle_a * panel_parts;
        const unsigned groups = groups_a + plan.bundle_b * panel_parts;
        const unsigned bundle = in_lead ? 0 : unit / (groups * plan.strips);
        unsigned strip, group;
        if (in_lead) {
            const unsigned strips = plan.lead_chunks / lead_strip_chunks;
            is_a = unit < groups_a * strips;
            const unsigned inside = is_a ? unit : unit - groups_a * strips;
            const unsigned own_groups = is_a ? groups_a : groups - groups_a;
            const bool k_contiguous = is_a ? p.transa : !p.transb;
            group = k_contiguous ? inside / strips : inside % own_groups;
            strip = k_contiguous ? inside % strips : inside / own_groups;
        } else {
            const unsigned inside = unit - bundle * (groups * plan.strips);
            strip = inside / groups, group = inside % groups;
            if (tile_parts > 1) // the beginnings of all ranges come first, and there is no lead
                strip = strip % tile_parts * (plan.strips / tile_parts) + strip / tile_parts;
            is_a = group < groups_a;
            if (!is_a)
                group -= groups_a;
        }
        panel = bundle * (is_a ? plan.bundle_a : plan.bundle_b) + group / panel_parts;
        part = group % panel_parts;
        const int length = in_lead ? lead_strip_chunks : strip_chunks;
        first_chunk = strip * length;
        last_chunk = min(first_chunk + length, pass.chunks);
        return first_chunk < pass.chunks &&
               panel < pass.batches * (is_a ? pass.panels_a : pass.panels_b) &&
               (in_lead ? unit < plan.lead_strips : bundle != 0 || first_chunk >= plan.lead_chunks);
    }
};

// What the warps of a block have found and finished. The vote is told at once, the rest by tell_findings.
struct block_findings {
    int greatest[2], smallest[2]; // of B, of A
    unsigned vote;
    unsigned finished; // parts, since they were last told
};

// Called by a warp that packs no more: tells other blocks what this one has found, and then that its parts are
// finished. Were each strip told, all blocks would add to the same few words at the same time.
__device__ __forceinline__ void
tell_findings(const packed_pass& packed, const strip_plan& plan, block_findings& block) {
    if (threadIdx.x % 32 != 0)
        return;
    const unsigned finished = atomicExch(&block.finished, 0);
    __threadfence_block(); // the findings of these parts are read after it
    for (int is_a = 0; is_a < 2; ++is_a) {
        unsigned* tell = packed.counters + (is_a ? greatest_of_a : greatest_of_b);
        atomicMax(&tell[0], atomicMax(&block.greatest[is_a], 0));
        atomicMax(&tell[1], no_exponent - atomicMin(&block.smallest[is_a], no_exponent));
    }
    fence_device();
    atomicAdd(&packed.counters[plan.first_counter + finished_parts], finished);
}

// Counts the parts of a strip, once they are there for others.
__device__ __forceinline__ void count_parts(const slice_pass& pass,
                                            const strip_plan& plan,
                                            const packed_pass& packed,
                                            const strip_place& at,
                                            const findings& found,
                                            block_findings& block) {
    const int greatest = __reduce_max_sync(0xffffffffu, found.greatest);
    const int smallest = __reduce_min_sync(0xffffffffu, found.smallest);
    const unsigned vote = __reduce_max_sync(0xffffffffu, found.vote);
    const int lane = threadIdx.x % 32;
    if (lane == 0) {
        atomicMax(&block.greatest[at.is_a], greatest);
        atomicMin(&block.smallest[at.is_a], smallest);
        if (atomicMax(&block.vote, vote) < vote)
            atomicMax(&packed.counters[vote_of_blocks], vote);
    }
    __syncwarp(); // all lanes have written their part
    fence_device();
    fence_for_copies();
    unsigned* counters = packed.counters + plan.first_counter;
    const int panels_a = pass.batches * pass.panels_a;
    const int all_panels = panels_a + pass.batches * pass.panels_b;
    const int chunks = at.last_chunk - at.first_chunk;
    if (lane < chunks)
        atomicAdd(&counters[strip_counters + (at.first_chunk + lane) / plan.span * all_panels +
                            (at.is_a ? 0 : panels_a) + at.panel],
                  1);
    if (lane == 0)
        atomicAdd(&block.finished, chunks);
}

// Whether the first chunks of a strip's panel are there for the warp, and so what was sampled of its lines: one
// sector, where samples of lines along memory take as many as a chunk. Strips of the lead, and the first of other
// lines, do not look: nothing can be there.
__device__ __forceinline__ bool is_first_span_packed(const slice_pass& pass,
                                                     const strip_plan& plan,
                                                     const packed_pass& packed,
                                                     const strip_place& at) {
    const bool has_lead = at.panel < (at.is_a ? plan.bundle_a : plan.bundle_b);
    if (at.first_chunk < (has_lead ? max(plan.lead_chunks, 1) : 1))
        return false;
    const unsigned* ready = packed.counters + plan.first_counter + strip_counters;
    const int place = (at.is_a ? 0 : pass.batches * pass.panels_a) + at.panel;
    const unsigned wanted = min(plan.span, pass.chunks) * panel_parts;
    return __all_sync(0xffffffffu, load_counter_and_acquire(&ready[place]) == wanted);
}

template <class Scheme, bool k_contiguous>
__device__ __forceinline__ void pack_strip(const sgemm_problem& p,
                                           const slice_pass& pass,
                                           const strip_plan& plan,
                                           const packed_pass& packed,
                                           const strip_place& at,
                                           char* smem,
                                           block_findings& block) {
    packed_operand target;
    target.slices = at.is_a ? packed.a.slices : packed.b.slices;
    target.part_scales = at.is_a ? packed.a.part_scales : packed.b.part_scales;
    target.line_scales = at.is_a ? packed.a.line_scales : packed.b.line_scales;
    target.samples = at.is_a ? packed.a.samples : packed.b.samples;
    const int panels = at.is_a ? pass.panels_a : pass.panels_b;
    const unsigned all_panels = static_cast<unsigned>(pass.batches) * panels;
    const int64_t line = int64_t{at.panel % panels} * panel_rows + at.part * part_rows;
    const sgemm_operands o = resolve_operands(p, pass.first_batch + at.panel / panels);
    const float* base = at.is_a ? o.a : o.b;
    line_source source;
    source.ld = at.is_a ? p.lda : p.ldb;
    source.k_stride = k_contiguous ? 1 : source.ld;
    source.lines = static_cast<int>((at.is_a ? pass.rows : pass.cols) - line);
    source.k = static_cast<int>(pass.k);
    source.vector = aligned16(base, source.ld) && source.lines >= part_rows;
    source.x = base + pass.first_k * source.k_stride +
               ((at.is_a ? pass.row : pass.col) + line) * (k_contiguous ? source.ld : 1);

    const auto raw = [&](int chunk) {
        return raw_part<k_contiguous>{smem + chunk % 2 * raw_part_bytes};
    };
    static_assert(raw_parts == 2);
    for (int chunk = at.first_chunk; chunk < min(at.first_chunk + raw_parts, at.last_chunk);
         ++chunk)
        raw(chunk).fetch(source, chunk);
    line_exponents exponents;
    {
        const int lane = fresh_thread() % 32, own_line = at.part * part_rows + lane / 4;
        const int64_t part = int64_t{at.panel} * panel_parts + at.part;
        unsigned* const samples = target.samples + part * part_samples + lane / 4;
        if (k_contiguous && is_first_span_packed(pass, plan, packed, at)) {
            exponents = recall_lines(load_counter(samples));
        } else {
            exponents = sample_raw_lines<k_contiguous>(source);
            if (at.first_chunk == 0 && lane % 4 == 0) { // for all strips of the lines
                if (k_contiguous)
                    *samples = exponents.of_lines;
#pragma unroll
                for (int r = 0; r < 4; ++r)
                    target.line_scales[int64_t{at.panel} * panel_rows + own_line + r * 8] =
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
        // What follows from it is computed anew, and takes no registers through the loop.
        int panel = at.panel;
        asm volatile("" : "+r"(exponents.of_lines), "+r"(panel));
        const int64_t to = panel_place(panel, all_panels, chunk, pass.chunks);
        const int lane = fresh_thread() % 32, own_line = at.part * part_rows + lane / 4;
        const float scale = cut_part<Scheme>(raw(chunk),
                                             exponents,
                                             own_line,
                                             lane % 4,
                                             target.slices + to * (Scheme::slices * slice_bytes),
                                             packed.other,
                                             found);
        if (lane == 0)
            target.part_scales[to * panel_parts + at.part] = scale;
        __syncwarp(); // the raw part has been read
        if (chunk + raw_parts < at.last_chunk)
            raw(chunk).fetch(source, chunk + raw_parts);
    }
    count_parts(pass, plan, packed, at, found, block);
}

template <class Scheme>
__device__ __forceinline__ void pack_strip(const sgemm_problem& p,
                                           const slice_pass& pass,
                                           const strip_plan& plan,
                                           const packed_pass& packed,
                                           const strip_place& at,
                                           char* smem,
                                           block_findings& block) {
    if (at.is_a ? p.transa : !p.transb)
        pack_strip<Scheme, true>(p, pass, plan, packed, at, smem, block);
    else
        pack_strip<Scheme, false>(p, pass, plan, packed, at, smem, block);
}

// The work of a warp that packs beside the product: what is left of the lead, then all other strips.
template <class Scheme>
__device__ __forceinline__ void pack_claimed_strips(const sgemm_problem& p,
                                                    const slice_pass& pass,
                                                    const strip_plan& plan,
                                                    int tile_parts,
                                                    const packed_pass& packed,
                                                    char* smem,
                                                    block_findings& block) {
    unsigned* counters = packed.counters + plan.first_counter;
    const unsigned units = static_cast<unsigned>(plan_units(plan));
    const int lane = threadIdx.x % 32;
    bool in_lead = plan.lead_strips > 0;
    // On its way while the strip before is packed: lane 0 has the next strip, and lane 1 the vote so far.
    const auto claim = [&] {
        return lane == 0   ? count_one(&counters[in_lead ? claimed_lead : claimed_strips])
               : lane == 1 ? load_counter(&packed.counters[vote_of_blocks])
                           : 0;
    };
    unsigned next = claim();
    for (;;) {
        const unsigned unit = __shfl_sync(0xffffffffu, next, 0);
        const unsigned vote = __shfl_sync(0xffffffffu, next, 1);
        if (vote > route_of<Scheme>)
            return; // others compute, and pack for themselves
        const bool is_end = unit >= (in_lead ? plan.lead_strips : units);
        if (is_end && !in_lead)
            break;
        in_lead = in_lead && !is_end;
        next = claim();
        strip_place at;
        if (!is_end && at.locate(p, plan, pass, tile_parts, unit, in_lead))
            pack_strip<Scheme>(p, pass, plan, packed, at, smem, block);
    }
    tell_findings(packed, plan, block);
}

// The route as the findings of all strips that have been counted tell it.
template <class Scheme>
__device__ __forceinline__ route decide_now(const packed_pass& packed, int64_t k) {
    unsigned counters[slice_counters];
#pragma unroll
    for (int i = 0; i < slice_counters; ++i)
        counters[i] = load_counter(&packed.counters[i]);
    return decide<Scheme>(counters, k, packed.other);
}

#endif

} // namespace myblas::cuda
