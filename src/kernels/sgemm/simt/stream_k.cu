// Rung 17, stream_k: persistent blocks with equal shares of all slabs, and warps that only copy.
//
// Operation: C = alpha op(A) op(B) + beta C.
// New: one block for each multiprocessor stays until the end. The slabs of all tiles are dealt out
// in equal shares, so all multiprocessors finish together, for every shape. One thread copies slabs
// by TMA, and the other warps only multiply. Four lanes of a warp split k, which gives tiles of 128
// x 64 the thread tile of 16 x 8. The variant "_splits" is for products with few tiles and a long
// k; its tiles are 64 x 64 if these are not more than those of 128 x 32. The kernel is in
// stream_k.cuh. If the host knows that beta is 1, the L2 cache adds tiles to C, except with
// "_splits", triangles and epilogues, and where zeroes are skipped.
// Bound: FMA issue. A 16 x 8 thread tile leaves 128 of 134 issue slots to FMAs. Splits of k also
// take 2 us for reading their sums. Below k = 200 or so the cost of each tile dominates. The two
// warps of a scheduler are in the same phase, so no warp multiplies while both add their lanes'
// sums.
// Shared memory: 160 KiB for stages of 32 k; and a tile of each warp, on its way to C.
// Workspace: if tiles are split, the sums of unfinished tiles, 32 or 16 KiB for each block. The
// block with the end of a tile's k waits for the others, adds their sums in a fixed order and
// writes C (components/schedule.cuh). The workspace also has aligned copies of unaligned
// operands, unless these are read by scalar loads.
// Launch: one block of 384 threads for each multiprocessor. If operands are copied, a kernel before
// it has a warp for every 256 elements of a line. If k is split ("_splits"), a kernel after it has
// 256 threads for 32 quads of rows of C.
// Accepts: single products and batches; pointer arrays are read by scalar loads. "_splits" accepts
// only single products, and needs at least four multiprocessors for each tile. The other variants
// also compute a triangle of C. Warp tiles are 32 x 32, so the diagonal of C crosses only the warp
// tiles that lie on it.
//
//   4 tiles (A, B, C, D) of 6 slabs on 3 multiprocessors (SM): 8 slabs each. One block for each
//   tile would take two rounds, the time of 12 slabs.
//
//   SM 0    A A A A A A B B
//   SM 1    B B B B C C C C    B is begun by SM 0 and finished by SM 1
//   SM 2    C C D D D D D D
#include "kernels/sgemm/simt/stream_k.cuh"

#include "kernels/common/aligned_copy.h"
#include "kernels/sgemm/registry.h"

#include <string_view>
#include <utility>

namespace myblas::cuda {
namespace {

// ---- Aligned copies -----------------------------------------------------------------------------

constexpr int copy_warps = 8; // of a block

// Each warp copies a piece of a line of A or B. A line is contiguous in memory.
__global__ void __launch_bounds__(copy_warps * 32)
    make_aligned_copies(const sgemm_problem p, const aligned_copy a, const aligned_copy b) {
    launch_dependents();
    grid_dependency_sync();
    if (resolve_operands(p, 0).k == 0)
        return;
    const int warp = static_cast<int>(blockIdx.x) * copy_warps + threadIdx.x / 32;
    const int of_a = a.pieces * a.lines;
    const aligned_copy x = warp < of_a ? a : b;
    const int index = warp < of_a ? warp : warp - of_a;
    if (index >= x.pieces * x.lines)
        return;
    const int line = index / x.pieces; // of all matrices
    const int matrix = line < x.across ? 0 : line / x.across;
    const int first = index % x.pieces * aligned_copy_floats + threadIdx.x % 32;
    const float* from =
        x.from + matrix * x.stride_from + (line - matrix * x.across) * x.ld_from + first;
    float* to = x.to + line * x.ld_to + first;
    float value[aligned_copy_floats / 32];
#pragma unroll
    for (int i = 0; i < aligned_copy_floats; i += 32)
        if (first + i < x.along)
            value[i / 32] = from[i];
#pragma unroll
    for (int i = 0; i < aligned_copy_floats; i += 32)
        if (first + i < x.along)
            to[i] = value[i / 32];
}

strided_matrix with_batch(strided_matrix x, int64_t stride, int64_t batch_count) {
    if (batch_count > 1 && stride != 0)
        x.matrices = batch_count, x.stride = stride;
    return x;
}
strided_matrix matrix_a(const sgemm_problem& p) {
    const strided_matrix one{p.a, p.transa ? p.k : p.m, p.transa ? p.m : p.k, p.lda};
    return with_batch(one, p.stride_a, p.batch_count);
}
strided_matrix matrix_b(const sgemm_problem& p) {
    const strided_matrix one{p.b, p.transb ? p.n : p.k, p.transb ? p.k : p.n, p.ldb};
    return with_batch(one, p.stride_b, p.batch_count);
}

// The tensor map for slabs of block_lines lines. If lines of A run along memory, a slab is one box,
// smem[k][line].
myblasStatus_t
make_map(const strided_matrix& x, bool is_a, bool k_along, int block_lines, CUtensorMap* map) {
    constexpr int block_k = 32;
    if (!x.is_read())
        return MYBLAS_STATUS_SUCCESS;
    const bool one_box = is_a && !k_along;
    const int box_along = one_box ? block_lines : 32;
    const int box_across = k_along ? block_lines : block_k;
    const auto swizzle = one_box ? CU_TENSOR_MAP_SWIZZLE_NONE : CU_TENSOR_MAP_SWIZZLE_128B;
    return make_tensor_map(x.shape(box_along, box_across, swizzle), map);
}

size_t unaligned_bytes(const sgemm_problem& p) {
    return matrix_a(p).copied_bytes() + matrix_b(p).copied_bytes();
}

// Whether unaligned operands are read by scalar loads or copied. Scalar loads slow the
// multiplication. An aligned copy costs a launch and twice the time of its bytes. If C is unaligned
// too, the separate writers, which exist only without scalar loads, fall behind the consumers; with
// scalar loads the consumers write C themselves. The rule selects the faster way for each of the 20
// products that the costs are from (core/device_costs.h).
bool scalar_loads_pay(const sgemm_problem& p, const device_info& device) {
    const auto bytes = static_cast<double>(unaligned_bytes(p));
    if (bytes == 0)
        return false;
    const device_costs& costs = costs_of(device);
    const double elements = computed_elements(p) * static_cast<double>(p.batch_count);
    const double multiplying_us = fma_us(device, elements * static_cast<double>(p.k));
    const double lag = aligned16(p.c, p.ldc) ? 0 : costs.lagging_writers;
    const double lagging_us = sm_cycles_us(device, elements * lag);
    return multiplying_us * costs.scalar_load_slowdown <
           costs.copy_launch_us + 2 * bytes / memory_bytes_per_us(device) + lagging_us;
}

// ---- Sums of splits -----------------------------------------------------------------------------

// Computes C from the sums that a worker has stored for each split of a tile's k. A block handles
// one quad of rows for each lane of one consumer warp. The block's own warps share the splits, and
// their sums are added in fixed order. With Shape::has_epilogue it applies the epilogue.
constexpr int adding_warps = 8;
template <class Shape>
constexpr int adding_blocks = Shape::tile_floats / 4 / 32; // of a tile

template <class Shape, bool transa, bool transb, bool swap_ab>
__global__ void __launch_bounds__(adding_warps * 32)
    stream_k_add(const sgemm_problem p, const stream_k_schedule schedule, const float* workspace) {
    using sums = stream_k_consumer<Shape, transa, transb, swap_ab>;
    constexpr int consumer_warps = Shape::group_threads / 32, quads = Shape::sum_rows / 4;
    __shared__ float4 smem[adding_warps][32];
    launch_dependents();
    const int tile = static_cast<int>(blockIdx.x) / adding_blocks<Shape>;
    const int in_tile = static_cast<int>(blockIdx.x) % adding_blocks<Shape>;
    const int consumer_warp = in_tile % consumer_warps, quad = in_tile / consumer_warps;
    // The quad's position among the lane's sums.
    const int column = quad / quads, row_quad = quad % quads;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float* source = workspace + int64_t{tile} * schedule.splits * Shape::tile_floats +
                          (column * Shape::sum_rows + row_quad * 4) * Shape::group_threads +
                          consumer_warp * 32 + lane;
    grid_dependency_sync();
    const sgemm_operands o = resolve_operands(p, 0);
    float4 sum = make_float4(0, 0, 0, 0);
    const int splits = o.k == 0 ? 0 : schedule.splits; // if k is 0, no worker has stored sums
#pragma unroll 4
    for (int split_index = warp; split_index < splits; split_index += adding_warps) {
        const float* from = source + int64_t{split_index} * Shape::tile_floats;
        add_quad(sum,
                 make_float4(__ldcg(from),
                             __ldcg(from + Shape::group_threads),
                             __ldcg(from + 2 * Shape::group_threads),
                             __ldcg(from + 3 * Shape::group_threads)));
    }
    smem[warp][lane] = sum;
    __syncthreads(); // all warps' sums are complete before the first warp adds them
    if (warp > 0)
        return;
#pragma unroll
    for (int other = 1; other < adding_warps; ++other)
        add_quad(sum, smem[other][lane]);

    const tile_position<int> at = find_tile<Shape>(tile, p, stream_k_share());
    const int row = at.row + consumer_warp % Shape::warps_m * Shape::warp_m + sums::sum_row() +
                    row_quad * sums::quad_step;
    const int col = at.col + consumer_warp / Shape::warps_m * Shape::warp_n + sums::sum_col() +
                    sums::col_offset(column);
    const int rows_left = static_cast<int>(p.m) - row;
    const float product[4] = {sum.x, sum.y, sum.z, sum.w};
    if (col >= p.n)
        return;
    if constexpr (Shape::has_epilogue) {
        const epilogue_op epilogue(p, o, 0);
        // One place with four rows of C, or four with one.
        constexpr int places = swap_ab ? 4 : 1;
        float value[places][4 / places];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const bool inside = e < rows_left;
            const float bias =
                swap_ab ? epilogue.bias_of_row(col, inside) + epilogue.bias_of_col(row + e, inside)
                        : epilogue.bias_of_row(row + e, inside) + epilogue.bias_of_col(col, inside);
            value[e % places][e / places] = scaled_sum(o.alpha, product[e]) + bias;
        }
        epilogue(value, [&](int i) {
            return swap_ab ? epilogue_place{col, row + i, i < rows_left ? 1 : 0}
                           : epilogue_place{row, col, rows_left};
        });
    } else if constexpr (swap_ab) {
#pragma unroll
        for (int e = 0; e < 4; ++e)
            if (e < rows_left)
                store_c(&o.c[col + (row + e) * p.ldc], o.alpha, product[e], o.beta);
    } else if (rows_left > 0) {
        store_c4(
            &o.c[row + col * p.ldc], o.alpha, product, o.beta, rows_left, aligned16(o.c, p.ldc));
    }
}

// ---- Host ---------------------------------------------------------------------------------------

// Whether A and B are swapped, so that C^T = op(B)^T op(A)^T is computed. This can make fewer
// tiles. NT and TN keep their form. NN becomes TT, whose main loop is faster, and TT becomes NN, so
// the speed of the loop is weighed against the number of tiles.
template <class Shape>
bool swaps_ab(const sgemm_problem& p) {
    constexpr double slower_loop = 1.12; // NN relative to TT
    const bool is_swap_faster = !p.transa && !p.transb;
    if (p.triangle != triangle_of_c::none) // both ways have the same number of tiles
        return is_swap_faster;
    const auto tiles = static_cast<double>(tile_count(p, Shape::block_m, Shape::block_n));
    const auto tiles_if_swapped =
        static_cast<double>(tile_count(p, Shape::block_n, Shape::block_m));
    if (is_swap_faster)
        return tiles_if_swapped <= tiles * slower_loop;
    return tiles_if_swapped * (p.transa && p.transb ? slower_loop : 1) < tiles;
}

// The product as the kernel sees it: unchanged, or C^T = op(B)^T op(A)^T.
template <class Shape>
sgemm_problem with_ab_swapped(const sgemm_problem& p) {
    if (!swaps_ab<Shape>(p))
        return p;
    sgemm_problem q = p;
    q.transa = !p.transb, q.transb = !p.transa;
    std::swap(q.m, q.n);
    std::swap(q.a, q.b);
    std::swap(q.lda, q.ldb);
    std::swap(q.stride_a, q.stride_b);
    std::swap(q.a_array, q.b_array);
    if (p.triangle != triangle_of_c::none)
        q.triangle =
            p.triangle == triangle_of_c::lower ? triangle_of_c::upper : triangle_of_c::lower;
    constexpr known_zeros zeros_after_swap[] = {known_zeros::none,
                                                known_zeros::below_of_b,
                                                known_zeros::above_of_b,
                                                known_zeros::below_of_a,
                                                known_zeros::above_of_a};
    q.zeros = zeros_after_swap[static_cast<int>(p.zeros)];
    return q;
}

// The kernels of one form: the kernel that multiplies, and the kernel that adds splits.
template <class Shape, bool transa, bool transb, bool swap_ab>
struct form {
    template <class ShapeWithEpilogue, bool in_splits, bool scalar_loads, class Share>
    static auto compute() {
        return stream_k_kernel<ShapeWithEpilogue,
                               transa,
                               transb,
                               swap_ab,
                               in_splits,
                               scalar_loads,
                               Share>;
    }
    template <class ShapeOfC>
    static constexpr auto add = stream_k_add<ShapeOfC, transa, transb, swap_ab>;
};

// Calls f(form) for a product before A and B are swapped.
template <class Shape, class F>
myblasStatus_t with_form(unsigned choice, F&& f) {
    return with_bits<3>(choice, [&](auto transa, auto transb, auto swap_ab) {
        return f(
            form < Shape, swap_ab ? !transb : transa, swap_ab ? !transa : transb, swap_ab > {});
    });
}

template <class Shape, bool in_splits>
struct variant {
    using shape = Shape;
    using scheduler = stream_k_scheduler<Shape>;
    static constexpr int min_arch = 90, max_arch = 90;
    static constexpr size_t smem_bytes = shape::smem_bytes;
    static constexpr bool takes_triangles = !in_splits; // stream_k_add writes whole tiles
    static constexpr bool uses_counters = true;

    static constexpr bool has_epilogue = true;
    static constexpr bool may_skip_zeros = !in_splits && Shape::may_skip_zeros;

    // Bits: the two transpositions, A and B swapped, scalar loads, zeroes skipped, epilogue, tiles
    // added in memory, batch. At most one of zeroes, epilogue and added tiles is set. Scalar loads
    // and the batch are not set with skipped zeroes.
    static constexpr int choice_bits = in_splits ? 5 : 8;
    template <class F>
    static myblasStatus_t with_kernel(unsigned choice, F&& f) {
        if constexpr (!in_splits)
            if (choice >= 128)
                return f(stream_k_batch_kernel<Shape>(choice % 128), smem_bytes);
        return with_form<Shape>(choice % 8, [&](auto form) {
            return with_bits<2>(choice / 8 % 4, [&](auto scalar_loads, auto skips) {
                using compiled = decltype(form);
                constexpr bool is_scalar = decltype(scalar_loads)::value;
                if constexpr (!in_splits) {
                    if (choice >= 64)
                        return f(compiled::template compute<with_added_tiles<Shape>,
                                                            false,
                                                            is_scalar,
                                                            stream_k_share>(),
                                 smem_bytes);
                    if (choice >= 32)
                        return f(compiled::template compute<with_epilogue<Shape>,
                                                            false,
                                                            is_scalar,
                                                            stream_k_share>(),
                                 smem_bytes);
                }
                using share =
                    std::conditional_t<decltype(skips)::value && !is_scalar && may_skip_zeros,
                                       stream_k_list,
                                       stream_k_share>;
                return f(compiled::template compute<Shape, in_splits, is_scalar, share>(),
                         smem_bytes);
            });
        });
    }

    static constexpr const char* accepts_what =
        in_splits ? "it accepts single products of at most a tile for four multiprocessors"
                  : nullptr;
    static bool fits(const sgemm_problem& asked, const device_info& device) {
        const sgemm_problem p = with_ab_swapped<Shape>(asked);
        return smem_bytes <= device.smem_per_block && scheduler::fits(p, device) &&
               (!in_splits || is_single(p)) && copy_blocks(p, device) <= max_grid_x / copy_warps &&
               (!in_splits || tile_count(p, shape::block_m, shape::block_n) <= device.sm_count / 4);
    }

    // The sums, followed by the aligned copies of A and B.
    static size_t workspace_bytes(const sgemm_problem& asked, const device_info& device) {
        const sgemm_problem p = with_ab_swapped<Shape>(asked);
        return sums_bytes(make_schedule(p, device)) + copied_bytes(p, device);
    }

    // Aligned copies are made first, by all multiprocessors.
    static work_estimate work(const work_query& q) {
        const sgemm_problem p = with_ab_swapped<Shape>(q.problem);
        work_estimate w =
            scheduler::work(work_query(p, q.device, q.workspace_bytes), make_schedule(p, q.device));
        const size_t copied = copied_bytes(p, q.device);
        if (uses_scalar_loads(p, q.device))
            w.math_cycles *= 1 + costs_of(q.device).fitted_scalar_load_slowdown;
        w.copies = static_cast<float>(copied) / static_cast<float>(4 * 32 * q.device.sm_count);
        w.launches = 1.0f + in_splits + (copied > 0);
        return w;
    }

    static myblasStatus_t launch(const sgemm_problem& asked, const launch_context& context) {
        const sgemm_problem p = with_ab_swapped<Shape>(asked);
        const stream_k_schedule schedule = make_schedule(p, *context.device);
        strided_matrix a = matrix_a(p), b = matrix_b(p);
        bool scalar_loads = uses_scalar_loads(p, *context.device);
        if (const int64_t blocks = copy_blocks(p, *context.device)) {
            auto* space = static_cast<std::byte*>(context.workspace) + sums_bytes(schedule);
            const aligned_copy copy_a = a.use_aligned_copy(space);
            const aligned_copy copy_b = b.use_aligned_copy(space + matrix_a(p).copied_bytes());
            const dim3 grid(static_cast<unsigned>(blocks));
            if (const myblasStatus_t failure = launch_overlapped(
                    make_aligned_copies, grid, copy_warps * 32, context, p, copy_a, copy_b))
                return failure;
        }
        CUtensorMap map_a{}, map_b{};
        if (!scalar_loads) {
            myblasStatus_t status = make_map(a, true, p.transa, Shape::block_m, &map_a);
            if (status == MYBLAS_STATUS_SUCCESS)
                status = make_map(b, false, !p.transb, Shape::block_n, &map_b);
            if (status == MYBLAS_STATUS_NOT_SUPPORTED && !is_single(p))
                scalar_loads = true; // the driver refuses the map of a batch
            else if (status != MYBLAS_STATUS_SUCCESS)
                return status;
        }
        auto* sums = static_cast<float*>(context.workspace);
        const unsigned choice = form_bits(asked) | swaps_ab<Shape>(asked) << 2;
        const dim3 grid(static_cast<unsigned>(schedule.workers));
        const bool has_epilogue_here = !p.epilogue.is_empty();
        const bool adds = !in_splits && is_one(p.beta) && !has_epilogue_here &&
                          !schedule.skips_zeros && p.triangle == triangle_of_c::none;
        const myblasStatus_t status =
            with_kernel(choice | scalar_loads << 3 | schedule.skips_zeros << 4 |
                            (has_epilogue_here && !in_splits) << 5 | adds << 6 | !is_single(p) << 7,
                        [&](auto kernel, size_t bytes) {
                            return launch_clusters(kernel,
                                                   grid,
                                                   1,
                                                   true,
                                                   shape::threads,
                                                   bytes,
                                                   context,
                                                   p,
                                                   schedule,
                                                   map_a,
                                                   map_b,
                                                   sums,
                                                   context.counters);
                        });
        if (!in_splits || status != MYBLAS_STATUS_SUCCESS)
            return status;
        return with_form<Shape>(choice, [&](auto form) {
            using compiled = decltype(form);
            return launch_overlapped(
                has_epilogue_here ? compiled::template add<with_epilogue<Shape>>
                                  : compiled::template add<Shape>,
                dim3(static_cast<unsigned>(schedule.tiles * adding_blocks<Shape>)),
                adding_warps * 32,
                context,
                p,
                schedule,
                static_cast<const float*>(sums));
        });
    }

private:
    // A kernel with scalar loads skips no zeroes.
    static bool uses_scalar_loads(const sgemm_problem& p, const device_info& device) {
        return !make_schedule(p, device).skips_zeros &&
               (p.a_array || p.b_array || p.c_array || scalar_loads_pay(p, device));
    }
    static size_t copied_bytes(const sgemm_problem& p, const device_info& device) {
        return uses_scalar_loads(p, device) ? 0 : unaligned_bytes(p);
    }
    static int64_t copy_blocks(const sgemm_problem& p, const device_info& device) {
        if (uses_scalar_loads(p, device))
            return 0;
        int64_t warps = 0;
        for (const strided_matrix& x : {matrix_a(p), matrix_b(p)})
            warps += x.copied_pieces();
        return ceil_div<int64_t>(warps, copy_warps);
    }
    static stream_k_schedule make_schedule(const sgemm_problem& p, const device_info& device) {
        return in_splits ? scheduler::schedule_splits(p, device)
                         : scheduler::schedule_shares(p, device, may_skip_zeros);
    }
    static size_t sums_bytes(const stream_k_schedule& schedule) {
        return schedule.split_tiles ? sizeof(float) * shape::tile_floats * schedule.workers : 0;
    }
};

using tile_128x64 = stream_k_shape<4, 2>;
using tile_128x32 = stream_k_shape<4, 1>;
using tile_64x64 = stream_k_shape<2, 2>;

// Splits of k of tiles of 128 x 32, or of 64 x 64 if these are not more.
class splits_variant {
    using wide = variant<tile_128x32, true>;
    using square = variant<tile_64x64, true>;

    template <class Shape>
    static int64_t tiles_of(const sgemm_problem& p) {
        return tile_count(with_ab_swapped<Shape>(p), Shape::block_m, Shape::block_n);
    }
    template <class F>
    static auto with_variant(const sgemm_problem& p, F&& f) {
        return tiles_of<tile_64x64>(p) <= tiles_of<tile_128x32>(p) ? f(square()) : f(wide());
    }

public:
    using shape = wide::shape;
    static constexpr int min_arch = std::max(wide::min_arch, square::min_arch);
    static constexpr int max_arch = std::min(wide::max_arch, square::max_arch);
    static constexpr size_t smem_bytes = std::max(wide::smem_bytes, square::smem_bytes);
    static constexpr bool takes_triangles = wide::takes_triangles && square::takes_triangles;
    static constexpr bool has_epilogue = wide::has_epilogue && square::has_epilogue;
    static constexpr bool uses_counters = wide::uses_counters || square::uses_counters;
    static constexpr const char* accepts_what = wide::accepts_what;
    static_assert(std::string_view(accepts_what) == square::accepts_what);

    // Bits: those of `variant`; tiles are square.
    static constexpr int tile_bits = std::max(wide::choice_bits, square::choice_bits);
    static constexpr int choice_bits = tile_bits + 1;
    template <class F>
    static myblasStatus_t with_kernel(unsigned choice, F&& f) {
        return choice >> tile_bits ? square::with_kernel(choice % (1u << tile_bits), f)
                                   : wide::with_kernel(choice, f);
    }

    static bool fits(const sgemm_problem& p, const device_info& device) {
        return with_variant(p, [&](auto tiles) { return tiles.fits(p, device); });
    }
    static size_t workspace_bytes(const sgemm_problem& p, const device_info& device) {
        return with_variant(p, [&](auto tiles) { return tiles.workspace_bytes(p, device); });
    }
    static work_estimate work(const work_query& q) {
        return with_variant(q.problem, [&](auto tiles) { return tiles.work(q); });
    }
    static myblasStatus_t launch(const sgemm_problem& p, const launch_context& context) {
        return with_variant(p, [&](auto tiles) { return tiles.launch(p, context); });
    }
};

} // namespace

constinit const std::array<sgemm_kernel, 3> sgemm_stream_k = {
    describe<variant<tile_128x64, false>>("stream_k/128x64",
                                          "persistent blocks, equal shares of all slabs, TMA"),
    describe<variant<tile_128x32, false>>("stream_k/128x32", "the same, pairs of warps share k"),
    describe<splits_variant>("stream_k/128x32_splits",
                             "splits of k of few tiles, also of 64 x 64, added by all blocks"),
};

} // namespace myblas::cuda
