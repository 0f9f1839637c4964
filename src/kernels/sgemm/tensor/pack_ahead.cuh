// The packing kernel for many cells a warp: while a warp splits a cell, the next one is copied to
// shared memory, as in strips.cuh. With few cells a warp, pack_kernel has the shorter chain of
// latencies. The output is the same.
//
// Bound: bytes, like pack_kernel.
// Shared memory: two raw cells for each warp.
// Launch: 128 threads, up to 6 blocks for each multiprocessor (schedule_packing).
#pragma once

#include "kernels/sgemm/tensor/strips.cuh"

namespace myblas::cuda {

inline constexpr size_t pack_ahead_bytes = pack_warps * raw_cells * raw_cell_bytes;

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// As pack_strips; `smem` is the warp's.
template <class Scheme, bool k_contiguous>
__device__ __forceinline__ void pack_strips_ahead(const pass_job& job,
                                                  const pack_source& source,
                                                  const pack_schedule& schedule,
                                                  unsigned strip,
                                                  unsigned stride,
                                                  char* smem,
                                                  findings& found) {
    const unsigned all_panels = static_cast<unsigned>(job.pass.batches) * source.panels;
    const unsigned chunks = job.pass.chunks;
    const strip_count count(job, source, schedule);
    constexpr unsigned step = k_contiguous ? pack_warps : 1;
    const auto raw = [&](unsigned cell) {
        return raw_cell<k_contiguous>{smem + cell % raw_cells * raw_cell_bytes};
    };
    for (; strip < count.all(); strip += stride) {
        const strip_part part = count.locate<k_contiguous>(strip, chunks);
        const line_source lines =
            source.from<k_contiguous>(job, part.panel, static_cast<int>(part.cell) * cell_lines, 0);
        for (unsigned i = 0; i < raw_cells && part.first_chunk + i * step < part.last_chunk; ++i)
            raw(i).fetch(lines, part.first_chunk + i * step);
        line_exponents exponents = sample_raw_lines<k_contiguous>(lines);
        const auto own_line = [&] {
            return static_cast<int>(part.cell) * cell_lines + rematerialised_tid() % 32 / 4;
        };
        if (part.first_chunk == 0 && rematerialised_tid() % 4 == 0) {
#pragma unroll
            for (int r = 0; r < 4; ++r)
                source.target.line_scales[part.panel * panel_lines + own_line() + r * 8] =
                    power_of_two(exponents.scale(r));
        }
        unsigned i = 0;
#pragma unroll 1
        for (unsigned chunk = part.first_chunk; chunk < part.last_chunk; chunk += step, ++i) {
            if (chunk + step < part.last_chunk)
                cp_async_wait<raw_cells - 1>();
            else
                cp_async_wait<0>();
            __syncwarp(); // all lanes' copies have arrived
            asm volatile("" : "+r"(exponents.of_lines));
            const int64_t at = panel_place(part.panel, all_panels, chunk, chunks);
            const cell_facts facts =
                split_cell<Scheme>(job,
                                   raw(i),
                                   exponents,
                                   own_line(),
                                   rematerialised_tid() % 4,
                                   source.target.limbs + at * (Scheme::limbs * limb_bytes),
                                   found);
            if (rematerialised_tid() % 32 == 0)
                store_facts<Scheme>(
                    job, &source.target.cell_scales[at * panel_cells + part.cell], facts);
            __syncwarp(); // the raw cell has been read
            if (chunk + raw_cells * step < part.last_chunk)
                raw(i).fetch(lines, chunk + raw_cells * step);
        }
    }
}

#endif

template <class Scheme>
__global__ void __launch_bounds__(pack_threads, pack_ahead_blocks_per_sm)
    pack_ahead_kernel(const sgemm_problem p,
                      const limb_pass pass,
                      const pack_schedule schedule,
                      const packed_pass packed) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ __align__(1024) char smem[];
    char* const raw = smem + threadIdx.x / 32 * raw_cells * raw_cell_bytes;
    pack_block(
        p,
        pass,
        schedule,
        packed,
        [&](const pass_job& job,
            const pack_source& source,
            unsigned strip,
            unsigned stride,
            findings& found) {
            if (source.k_contiguous)
                pack_strips_ahead<Scheme, true>(job, source, schedule, strip, stride, raw, found);
            else
                pack_strips_ahead<Scheme, false>(job, source, schedule, strip, stride, raw, found);
        });
#endif
}

} // namespace myblas::cuda
