// stream_k for few tiles and a long k: a worker computes a part of one tile's k, and leaves the sums in the
// workspace; a second kernel adds the parts of all tiles, on all multiprocessors.
//
// Where a tile has dozens of workers, one that adds the sums of all others takes longer than the product
// itself: 100 us of 355 at 256 x 256 x 100000. Parts are added in fixed order, so that results are
// reproducible.
#pragma once

#include "kernels/sgemm/stream_k.cuh"

namespace myblas::cuda {

// C from the sums of all parts. A block has the quads of rows of a consumer warp's lanes, one of each; its
// warps share the parts.
inline constexpr int stream_k_adders = 8; // warps

template <class Shape>
__global__ void __launch_bounds__(stream_k_adders * 32)
    stream_k_add(const sgemm_problem p, const stream_k_plan plan, const float* sums) {
    __shared__ float4 smem[stream_k_adders][32];
    let_next_kernel_come();
    constexpr int tile_floats = Shape::block_m * Shape::block_n;
    constexpr int blocks = tile_floats / 4 / 32; // of a tile
    constexpr int groups_m = Shape::thread_m / 4, consumer_warps = Shape::consumers / 32;
    const int tile = static_cast<int>(blockIdx.x) / blocks;
    const int in_tile = static_cast<int>(blockIdx.x) % blocks;
    const int consumer_warp = in_tile % consumer_warps, quad = in_tile / consumer_warps;
    const int c = quad / groups_m, g = quad % groups_m;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float* source = sums + int64_t{tile} * plan.parts * tile_floats +
                          (c * Shape::thread_m + g * 4) * Shape::consumers + consumer_warp * 32 +
                          lane;
    wait_for_earlier_work();
    const sgemm_operands o = resolve_operands(p, 0);
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 4
    for (int part = warp; part < plan.parts; part += stream_k_adders) {
        const float* from = source + int64_t{part} * tile_floats;
        sum.x += __ldcg(from);
        sum.y += __ldcg(from + Shape::consumers);
        sum.z += __ldcg(from + 2 * Shape::consumers);
        sum.w += __ldcg(from + 3 * Shape::consumers);
    }
    smem[warp][lane] = sum;
    __syncthreads(); // all warps' sums are there
    if (warp > 0)
        return;
#pragma unroll
    for (int other = 1; other < stream_k_adders; ++other)
        add_quad(sum, smem[other][lane]);
    const tile_position<int> at = find_tile<Shape>(tile, p);
    const int row = at.row + consumer_warp % Shape::warps_m * Shape::warp_m +
                    g * Shape::lanes_m * 4 + lane % Shape::lanes_m * 4;
    const int col = at.col + consumer_warp / Shape::warps_m * Shape::warp_n +
                    c / 4 * Shape::lanes_n * 4 + lane / Shape::lanes_m * 4 + c % 4;
    const float product[4] = {sum.x, sum.y, sum.z, sum.w};
    if (row < p.m && col < p.n)
        store_c4(
            &o.c[row + col * p.ldc], o.alpha, product, o.beta, p.m - row, aligned16(o.c, p.ldc));
}

template <class Shape>
struct stream_k_parts_launcher : stream_k_launcher<Shape, true> {
    using workers = stream_k_launcher<Shape, true>;

    static stream_k_plan make_plan(const sgemm_problem& p, const device_info& device) {
        stream_k_plan plan = workers::make_plan(p, device);
        const int most = std::min(device.sm_count / std::max(plan.tiles, 1),
                                  static_cast<int>(plan.slabs / workers::min_share));
        plan.parts = std::max(most, 1);
        plan.split_tiles = plan.tiles; // no whole ones after the part
        plan.workers = plan.tiles * plan.parts;
        return plan;
    }

    // A part for each warp that adds, at least: of fewer, stream_k adds the sums as fast by itself.
    static bool fits(const sgemm_problem& p, const device_info& device) {
        return workers::fits(p, device) &&
               tile_count(p, Shape::block_m, Shape::block_n) <= device.sm_count / stream_k_adders;
    }

    static size_t workspace_bytes(const sgemm_problem& p, const device_info& device) {
        return make_plan(p, device).workers * Shape::tile_bytes;
    }

    static work_estimate work(const sgemm_problem& p, const device_info& device) {
        const stream_k_plan plan = make_plan(p, device);
        return {.waves = 1,
                .steps = std::ceil(static_cast<double>(plan.slabs) / plan.parts),
                .bytes = operand_bytes(p)};
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        const stream_k_plan plan = make_plan(p, *context.device);
        if (const myblasStatus_t failure = workers::launch_workers(p, plan, context))
            return failure;
        constexpr int blocks = Shape::tile_bytes / sizeof(float4) / 32; // of a tile
        return launch_overlapped(stream_k_add<Shape>,
                                 dim3(static_cast<unsigned>(plan.tiles * blocks)),
                                 stream_k_adders * 32,
                                 context,
                                 p,
                                 plan,
                                 static_cast<const float*>(context.workspace));
    }

    static constexpr kernel_entry<sgemm_problem> entry(const char* name, const char* description) {
        kernel_entry<sgemm_problem> e = workers::entry(name, description);
        e.accepts = fits;
        e.workspace_bytes = workspace_bytes;
        e.work = work;
        e.launch = launch;
        return e;
    }
};

} // namespace myblas::cuda
