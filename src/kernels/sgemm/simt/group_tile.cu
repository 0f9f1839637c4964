// group_tile: C = alpha op(A) op(B) + beta C where tiles of 64 x 64 would be too few for the
// multiprocessors, or would leave most of them idle in the last round: C of 10^5 to 2 * 10^6
// elements, k of 30 to some hundred. Updates of LU and Cholesky and small layers are of this kind.
//
// The four warps of a block compute the same tile, each over its own slabs of k (group_tile.cuh);
// tiles of 64 x 64 are computed by two pairs of warps. So tiles can be small, while a thread has
// 8 x 8 or 8 x 12 elements of C: loads from shared memory take no longer than the FMAs. Of four
// shapes of tiles, the host takes the one that divides C among the multiprocessors best.
//
// Bound: the start and the end of a tile, 2 to 3 us; then shared memory, whose loads and copies
// take 20 to 30 cycles for each k of 64 x 32 elements, beside 16 cycles of FMAs.
// Shared memory: for each warp 3 slabs of 8 k, or its sums; 34 to 52 KiB.
// Launch: a block of four warps for each tile.
// Accepts: up to 2^30 rows, columns and k, and up to 65535 tiles along n. No triangles.
#include "kernels/sgemm/simt/group_tile.cuh"

#include "kernels/sgemm/components/work.h"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

// How C is written. Each way has kernels of its own, as registers are scarce.
enum class c_access {
    written, // and read if beta is not 0
    added,   // in memory: the host knows that beta is 1
    fused,   // by an epilogue
};

template <class Shape, bool transa, bool transb, bool vector, c_access access>
__global__ void __launch_bounds__(Shape::block_threads, Shape::resident)
    group_tile_kernel(int64_t first_batch, const sgemm_problem p) {
    using tile = group_tile<Shape, transa, transb, vector>;
    extern __shared__ __align__(16) float smem[];
    __shared__ mbarrier barriers[Shape::groups];
    const int warps_group = threadIdx.x / Shape::group_threads;
    typename tile::barrier of_group(barriers, warps_group);
    grid_dependency_sync();
    const int64_t batch = first_batch + blockIdx.z;
    const sgemm_operands o = resolve_operands(p, batch);
    const tile_position<int64_t> at{int64_t{blockIdx.x} * Shape::block_m,
                                    int64_t{blockIdx.y} * Shape::block_n};
    // The first groups have most slabs. In every block they are other warps, so that the
    // schedulers have the same work.
    const int group = static_cast<int>(warps_group + blockIdx.x + blockIdx.y) % Shape::groups;
    float* const biases = smem + Shape::groups * tile::group_floats;
    typename tile::accumulators acc = {};
    tile::multiply(p, o, at, group, of_group, smem, acc, [&] {
        if constexpr (access == c_access::fused)
            tile::load_biases(p, epilogue_op(p, o, batch), at, biases);
    });
    tile::leave_sums(acc, o.alpha, smem + group * tile::group_floats);
    __syncthreads(); // the sums of all groups are complete
    if constexpr (access == c_access::fused)
        tile::store_finished(p, epilogue_op(p, o, batch), at, smem, biases);
    else
        tile::template store<access == c_access::added>(p, o, at, smem);
}

// clang-format off
//                                             block       warp    lanes              blocks of a
//                                             m   n   k   m   n   m  stages  groups  SM
using high   = group_tile_shape<warp_tile_shape<64, 32, 8,  64, 32, 8,  3>, 4,     3>;
using across = group_tile_shape<warp_tile_shape<32, 64, 8,  32, 64, 4,  3>, 4,     4>;
using wide   = group_tile_shape<warp_tile_shape<64, 48, 8,  64, 48, 8,  3>, 4,     3>;
using square = group_tile_shape<warp_tile_shape<64, 64, 8,  64, 32, 8,  3>, 2,     4>;
// clang-format on

struct variant {
    using shape = high;
    static constexpr int min_arch = 80, max_arch = 0;
    static constexpr bool has_epilogue = true;
    static constexpr size_t smem_bytes =
        std::max(group_tile<with_epilogue<wide>, true, false, false>::smem_bytes,
                 group_tile<with_epilogue<square>, true, false, false>::smem_bytes);

    // Calls f with shape number `number`.
    template <class F>
    static auto with_shape(unsigned number, F&& f) {
        return number == 0   ? f(std::type_identity<high>())
               : number == 1 ? f(std::type_identity<across>())
               : number == 2 ? f(std::type_identity<wide>())
                             : f(std::type_identity<square>());
    }

    // Bits: the two transpositions; A and B are copied by quads where lines run along memory; beta
    // is 1; there is an epilogue; two bits for the shape.
    static constexpr int choice_bits = 7;
    template <class F>
    static myblasStatus_t with_kernel(unsigned choice, F&& f) {
        return with_shape(choice >> 5, [&](auto of) {
            using Shape = typename decltype(of)::type;
            return with_bits<5>(
                choice % 32, [&](auto transa, auto transb, auto quads, auto adds, auto is_fused) {
                    constexpr bool vector = quads && (!transa || transb);
                    constexpr c_access access = is_fused ? c_access::fused
                                                : adds   ? c_access::added
                                                         : c_access::written;
                    using Taken = std::conditional_t<is_fused, with_epilogue<Shape>, Shape>;
                    return f(group_tile_kernel<Taken, transa, transb, vector, access>,
                             group_tile<Taken, transa, transb, vector>::smem_bytes);
                });
        });
    }

    // Cycles of a product, by the blocks of the busiest multiprocessor and by the rounds in which
    // they run. A fit to 386 products with 10^5 to 4 * 10^6 elements of C (H200); the shape with
    // the fewest cycles takes 1.009 times as long as the best one in the mean.
    struct shape_cycles {
        float start, block, round, k_of_block, k_of_round;
    };
    static unsigned best_shape(const sgemm_problem& p, const device_info& device) {
        static constexpr shape_cycles cycles[] = {
            {1870, 909, 2354, 23.8f, 7.1f},  // high
            {2648, 1063, 1443, 25.3f, 6.7f}, // across
            {1828, 1203, 3039, 35.2f, 6.7f}, // wide
            {1467, 1304, 2971, 46.5f, 16},   // square
        };
        const auto k = static_cast<float>(p.k);
        unsigned best = 0;
        float least = 0;
        for (unsigned number = 0; number < 4; ++number) {
            const shape_cycles& of = cycles[number];
            const float all = with_shape(number, [&](auto taken) {
                using Shape = typename decltype(taken)::type;
                const int64_t tiles = tile_count(p, Shape::block_m, Shape::block_n);
                const block_rounds blocks(
                    device, static_cast<float>(tiles * p.batch_count), Shape::resident);
                return of.start + blocks.turns * (of.block + k * of.k_of_block) +
                       blocks.rounds * (of.round + k * of.k_of_round);
            });
            if (number == 0 || all < least)
                best = number, least = all;
        }
        return best;
    }

    static constexpr const char* accepts_what = "it accepts up to 2^30 rows, columns and k";
    static bool fits(const sgemm_problem& p, const device_info& device) {
        constexpr int64_t max_extent = 1 << 30; // lines and k are counted in 32 bits
        return smem_bytes <= device.smem_per_block && std::max({p.m, p.n, p.k}) <= max_extent &&
               ceil_div<int64_t>(p.n, high::block_n) <= max_grid_y;
    }

    static work_estimate work(const work_query& q) {
        return with_shape(best_shape(q.problem, q.device), [&](auto of) {
            using Shape = typename decltype(of)::type;
            constexpr tile_kernel kernel{.block_m = Shape::block_m,
                                         .block_n = Shape::block_n,
                                         .slab_k = Shape::block_k,
                                         .groups = Shape::groups,
                                         .sharing = Shape::groups,
                                         .resident = Shape::resident,
                                         .quads_of_k = false};
            return kernel.work(q);
        });
    }

    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        const unsigned number = best_shape(p, *context.device);
        const unsigned choice =
            copy_bits(p) | is_one(p.beta) << 3 | !p.epilogue.is_empty() << 4 | number << 5;
        return with_kernel(choice, [&](auto kernel, size_t bytes) {
            return with_shape(number, [&](auto of) {
                using Shape = typename decltype(of)::type;
                return launch_products(kernel,
                                       {.x = ceil_div<int64_t>(p.m, Shape::block_m),
                                        .y = ceil_div<int64_t>(p.n, Shape::block_n),
                                        .threads = Shape::block_threads,
                                        .smem_bytes = bytes,
                                        .early = true},
                                       p,
                                       context);
            });
        });
    }
};

} // namespace

constinit const std::array<sgemm_kernel, 1> sgemm_group_tile = {
    describe<variant>("group_tile/64x32", "4 warps share k, threads of 8 x 8 or 8 x 12"),
};

} // namespace myblas::cuda
