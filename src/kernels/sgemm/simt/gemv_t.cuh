// gemv for a matrix whose lines run along memory.
//
//   k      a warp's load covers 32 * width k of one line, for each of a few lines
//   share  the same for large matrices: as many blocks as run at the same time, with equal shares
//          of all groups of lines. A block may begin and end within a group
//   short  for a k shorter than such a load, and enough lines for the device: a warp copies 32
//          lines, or a multiple of 32, to shared memory, and each lane computes a line
#pragma once

#include "kernels/common/cp_async.cuh"
#include "kernels/common/dynamic_smem_128.cuh"
#include "kernels/sgemm/simt/gemv.cuh"

namespace myblas::cuda {

// unroll: the number of loads in flight for each line.
template <int width, int lines, int unroll_>
struct k_shape {
    static constexpr int unroll = unroll_;
    static constexpr int chunk = unroll * 32 * width; // k of a warp at a time
};

template <int width, int lines, int unroll>
__global__ void __launch_bounds__(gemv_block::max_warps * 32, 2)
    vector_k_kernel(int64_t first_batch,
                    const thin_layout layout,
                    const vector_split split,
                    const vector_sums meeting,
                    const sgemm_problem p) {
    using shape = k_shape<width, lines, unroll>;
    __shared__ float sums[gemv_block::max_warps][lines];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const vector_place<lines> at(split);

    if (!fetch_parameters(p))
        return;
    grid_dependency_sync();
    launch_next_vectors<turns::begin>(p, at.all_warps * shape::chunk);
    const vector_operands o(p, first_batch + blockIdx.z, layout);
    const float* line[lines]; // lines past the last one read the last one, unused
#pragma unroll
    for (int l = 0; l < lines; ++l)
        line[l] = o.matrix + min(at.warp_line(split) + l, layout.lines - 1) * layout.ld;
    float acc[lines] = {};
    for (int first_k = at.own_warp * shape::chunk + lane * width; first_k < o.k;
         first_k += at.all_warps * shape::chunk) {
        float_piece<width> x[shape::unroll][lines], y[shape::unroll];
#pragma unroll
        for (int u = 0; u < shape::unroll; ++u) {
            const bool inside = first_k + u * 32 * width < o.k;
            const int from = inside ? first_k + u * 32 * width : 0;
#pragma unroll
            for (int l = 0; l < lines; ++l)
                x[u][l].load(line[l] + from, inside);
            y[u].load(o.vector + from * layout.short_k_step, inside);
        }
#pragma unroll
        for (int u = 0; u < shape::unroll; ++u)
#pragma unroll
            for (int l = 0; l < lines; ++l)
#pragma unroll
                for (int w = 0; w < width; ++w)
                    acc[l] = fmaf(x[u][l].x[w], y[u].x[w], acc[l]);
    }
    launch_next_vectors<turns::end>(p, at.all_warps * shape::chunk);
#pragma unroll
    for (int l = 0; l < lines; ++l) {
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2)
            acc[l] += __shfl_xor_sync(full_warp, acc[l], distance);
        if (lane == 0)
            sums[warp][l] = acc[l];
    }
    write_lines(sums, split, meeting, o, at);
}

// What the blocks of `share` get. A turn covers a group of lines and the k that the block's warps
// load at a time.
struct equal_shares {
    int turns; // of a group
    int share; // turns of a block
};

template <int width, int lines, int unroll>
struct share_shape : k_shape<width, lines, unroll> {
    static constexpr int warps = 4, blocks_per_sm = 7; // of a block; registers suffice for these
    static constexpr int turn_k = warps * k_shape<width, lines, unroll>::chunk;
};

// The sums of a group of lines meet in the block that has its first turn. It gets the other sums by
// mail, a slot for each block and line, since a block joins at most one group that others began.
template <int width, int lines, int unroll>
__global__ void __launch_bounds__(share_shape<width, lines, unroll>::warps * 32,
                                  share_shape<width, lines, unroll>::blocks_per_sm)
    vector_share_kernel(int64_t first_batch,
                        const thin_layout layout,
                        const equal_shares shares,
                        uint32_t* const mailbox,
                        const sgemm_problem p) {
    using shape = share_shape<width, lines, unroll>;
    constexpr int warps = shape::warps;
    __shared__ float sums[2][warps][lines];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // Blocks wait only for those with a lower blockIdx, which GPUs start first. (CUDA does not
    // promise it.) Therefore `block` counts from the last one.
    const int block = static_cast<int>(gridDim.x - 1 - blockIdx.x);
    const auto groups = static_cast<int>((layout.lines + lines - 1) / lines);

    if (!fetch_parameters(p))
        return;
    grid_dependency_sync();
    const vector_operands o(p, first_batch, layout);
    int turn = block * shares.share;
    const int end = min(turn + shares.share, groups * shares.turns);
    int group = turn / shares.turns, first_turn = turn % shares.turns;
    for (int stage = 0; turn < end; stage ^= 1, ++group, first_turn = 0) {
        const int end_turn = min(shares.turns, first_turn + end - turn);
        const int end_k = min(o.k, end_turn * shape::turn_k);
        const int64_t first_line = int64_t{group} * lines;
        const float* line[lines]; // lines past the last one read the last one, unused
#pragma unroll
        for (int l = 0; l < lines; ++l)
            line[l] = o.matrix + min(first_line + l, layout.lines - 1) * layout.ld;
        float acc[lines] = {};
        for (int first_k = (first_turn * warps + warp) * shape::chunk + lane * width;
             first_k < end_k;
             first_k += shape::turn_k) {
            float_piece<width> x[shape::unroll][lines], y[shape::unroll];
#pragma unroll
            for (int u = 0; u < shape::unroll; ++u) {
                const bool inside = first_k + u * 32 * width < end_k;
                const int from = inside ? first_k + u * 32 * width : 0;
#pragma unroll
                for (int l = 0; l < lines; ++l)
                    x[u][l].load(line[l] + from, inside);
                y[u].load(o.vector + from * layout.short_k_step, inside);
            }
#pragma unroll
            for (int u = 0; u < shape::unroll; ++u)
#pragma unroll
                for (int l = 0; l < lines; ++l)
#pragma unroll
                    for (int w = 0; w < width; ++w)
                        acc[l] = fmaf(x[u][l].x[w], y[u].x[w], acc[l]);
        }
        turn += end_turn - first_turn;
        if (turn == end)
            launch_dependents();
#pragma unroll
        for (int l = 0; l < lines; ++l) {
            acc[l] = warp_sum(acc[l]);
            if (lane == 0)
                sums[stage][warp][l] = acc[l];
        }
        __syncthreads(); // sums[stage] is complete, and sums[stage ^ 1] has been read
        const int own = threadIdx.x;
        if (own >= lines)
            continue;
        float sum = 0;
#pragma unroll
        for (int w = 0; w < warps; ++w)
            sum += sums[stage][w][own];
        if (first_turn > 0) {
            put_float(mailbox + block * lines + own, sum);
            continue;
        }
        const int others = (shares.turns - end_turn + shares.share - 1) / shares.share;
        if (others > 0)
            sum += take_floats<lines, 8>(mailbox + (block + 1) * lines + own, 0, 1, others);
        if (first_line + own < layout.lines)
            o.write(first_line + own, sum);
    }
}

// The layout of lines in shared memory: rows of `pitch` floats. `together`: the gaps between lines
// are so small that one copy spans several lines and their gaps.
struct short_rows {
    int k, pitch, per_lane; // per_lane: lines of a lane
    bool together;

    static constexpr int most_k = 64, most_k_together = 88;
    static constexpr int warp_floats =
        32 * 32; // a warp copies about this number, but at least 32 lines

    __host__ __device__ int warp_lines() const { return 32 * per_lane; }
    // Where the first line begins, after the vector. Lines that are together begin up to 3 floats
    // later, so that they are as misaligned in shared memory as in global memory.
    __host__ __device__ int first() const { return (k + 3) / 4 * 4; }
    // Floats of a warp's lines, with room for those 3.
    __host__ __device__ int warp_copy() const { return warp_lines() * pitch + 4; }
};

// The vector, followed by the lines. The size needs no opt-in.
struct short_storage {
    float x[(48 << 10) / sizeof(float)];
};

// width: the number of floats in a copy of lines that are not together.
template <int width>
__global__ void __launch_bounds__(gemv_block::min_warps * 32) vector_short_kernel(
    int64_t first_batch, const thin_layout layout, const short_rows rows, const sgemm_problem p) {
    float* const x = dynamic_smem_128<short_storage>().x;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int64_t first_line = (int64_t{blockIdx.x} * (blockDim.x / 32) + warp) * rows.warp_lines();
    const int count = static_cast<int>(
        max(min(layout.lines - first_line, int64_t{rows.warp_lines()}), int64_t{0}));
    float* own = x + rows.first() + warp * rows.warp_copy();

    if (!fetch_parameters(p))
        return;
    grid_dependency_sync();
    launch_dependents();
    const vector_operands o(p, first_batch + blockIdx.z, layout);
    const float* const source = o.matrix + first_line * layout.ld;
    if (rows.together && count > 0) {
        // In quads of memory. The elements before the first whole quad and after the last one are
        // copied by themselves.
        constexpr int quad = 4;
        const int misfit =
            static_cast<int>(reinterpret_cast<uintptr_t>(source) / sizeof(float) % quad);
        const int end = o.k == 0 ? 0 : misfit + (count - 1) * rows.pitch + o.k;
        const int first = misfit > 0 ? quad : 0, last = max(end / quad * quad, first);
        const float* const from = source - misfit;
        if (lane >= misfit && lane < min(first, end))
            cp_async<4>(own + lane, from + lane, true);
        if (last + lane < end)
            cp_async<4>(own + last + lane, from + last + lane, true);
        for (int i = first + lane * quad; i < last; i += 32 * quad)
            cp_async<16>(own + i, from + i, true);
        own += misfit;
    } else {
        // The number of lanes for each line, a power of two.
        const int pieces = (o.k + width - 1) / width;
        const int lanes = pieces > 16 ? 32 : pieces > 8 ? 16 : pieces > 4 ? 8 : pieces > 2 ? 4 : 2;
        for (int line = lane / lanes; line < count; line += 32 / lanes)
            for (int i = lane % lanes * width; i < o.k; i += lanes * width)
                cp_async<width * 4>(
                    own + line * rows.pitch + i, source + line * layout.ld + i, true);
    }
    for (int i = threadIdx.x; i < o.k; i += blockDim.x)
        x[i] = o.vector[i * layout.short_k_step];
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads(); // the lines and the vector are complete
    // If lines do not start at different banks, lanes start at different elements instead.
    const int multiple = rows.pitch & -rows.pitch; // a power of two
    const int first_k = multiple == 1 ? 0 : lane / (multiple < 32 ? 32 / multiple : 1) % rows.k;
    for (int line = lane; line < count; line += 32) {
        const float* const row = own + line * rows.pitch;
        float sum = 0;
        int at = first_k;
#pragma unroll 4
        for (int i = 0; i < o.k; ++i) {
            sum = fmaf(row[at], x[at], sum);
            at = at + 1 == o.k ? 0 : at + 1;
        }
        o.write(first_line + line, sum);
    }
}

} // namespace myblas::cuda
