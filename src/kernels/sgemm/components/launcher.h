// The host side that kernels share: selection of the compiled form, grids over a batch, and
// descriptors.
#pragma once

#include "core/kernel_entry.h"
#include "kernels/common/launch.h"

#include <algorithm>
#include <type_traits>

namespace myblas::cuda {

// The number of tiles that triangle_order (tile_order.cuh) goes through.
inline int64_t triangle_tiles(bool upper, int ratio, int64_t tiles_m, int64_t tiles_n) {
    // The edge cuts columns off the last group of `ratio` columns. Each of these columns has one
    // tile or, in an upper triangle, tiles_m tiles.
    const int64_t cut = tiles_m * ratio - tiles_n;
    return ratio * (tiles_m * (tiles_m + 1) / 2) - (upper ? cut * tiles_m : cut);
}

// Number of block tiles that touch the computed part of C. For a triangle, block_m must be a
// multiple of block_n.
inline int64_t tile_count(const sgemm_problem& p, int block_m, int block_n) {
    const auto tiles_m = ceil_div<int64_t>(p.m, block_m), tiles_n = ceil_div<int64_t>(p.n, block_n);
    if (p.triangle == triangle_of_c::none)
        return tiles_m * tiles_n;
    return triangle_tiles(p.triangle == triangle_of_c::upper, block_m / block_n, tiles_m, tiles_n);
}

// For kernel_entry::accepts of kernels with one block for each tile.
template <int block_m, int block_n>
bool fits_grid(const sgemm_problem& p, const device_info&) {
    return tile_count(p, block_m, block_n) <= max_grid_x;
}

// Whether the problem is a single product whose matrices the host knows.
inline bool is_single(const sgemm_problem& p) {
    return p.batch_count == 1 && !p.a_array && !p.b_array && !p.c_array;
}

// ---- Forms --------------------------------------------------------------------------------------

// The transpositions as bits for with_bits: bit 0 is A's, bit 1 is B's.
inline unsigned form_bits(const sgemm_problem& p) { return p.transa | p.transb << 1; }

// Calls f with the two transpositions as compile-time constants.
template <class F>
myblasStatus_t with_transposition(const sgemm_problem& p, F&& f) {
    return with_bits<2>(form_bits(p), f);
}

// ---- Launches -----------------------------------------------------------------------------------

struct product_grid {
    int64_t x, y = 1; // blocks for each product
    int threads;
    size_t smem_bytes = 0;
    int cluster = 1;    // blocks of a cluster, along x
    bool early = false; // the kernel calls grid_dependency_sync
    int products = 1;   // products that a block computes
};

// Launches these blocks for each product of the batch. The kernel takes (first batch, extra
// arguments, problem) and computes product first + blockIdx.z. The problem is the last argument
// because its rarer fields lie at its end: an argument after them may cost a short kernel another
// miss of the constant cache. Batches do not use dependent launch, as the next kernel's blocks
// would take the slots that the last blocks of a large batch need.
template <class Kernel, class... Extra>
[[nodiscard]] myblasStatus_t launch_products(Kernel kernel,
                                             const product_grid& grid,
                                             const sgemm_problem& p,
                                             const launch_context& context,
                                             const Extra&... extra) {
    const int64_t most = max_grid_z * grid.products;
    for (int64_t first = 0; first < p.batch_count; first += most) {
        const int64_t products = std::min(p.batch_count - first, most);
        const dim3 blocks(static_cast<unsigned>(grid.x),
                          static_cast<unsigned>(grid.y),
                          static_cast<unsigned>(ceil_div<int64_t>(products, grid.products)));
        const myblasStatus_t status = launch_clusters(kernel,
                                                      blocks,
                                                      grid.cluster,
                                                      grid.early && p.batch_count == 1,
                                                      grid.threads,
                                                      grid.smem_bytes,
                                                      context,
                                                      first,
                                                      extra...,
                                                      p);
        if (status != MYBLAS_STATUS_SUCCESS)
            return status;
    }
    return MYBLAS_STATUS_SUCCESS;
}

// For kernel_entry::launch of kernels with a few blocks for each multiprocessor, which loop over
// all tiles of all products. KernelOf()(transa, transb) is the kernel for these transpositions.
template <int block_m, int block_n, int threads, int blocks_per_sm, class KernelOf>
constexpr auto walking_launcher(KernelOf) {
    return +[](const sgemm_problem& p, const launch_context& context) {
        const int64_t work = tile_count(p, block_m, block_n) * p.batch_count;
        const int64_t blocks = std::min<int64_t>(work, context.device->sm_count * blocks_per_sm);
        const dim3 grid(static_cast<unsigned>(blocks));
        return with_transposition(p, [&](auto transa, auto transb) {
            return launch(KernelOf()(transa, transb), grid, threads, 0, context, p);
        });
    };
}

// Describes a kernel that needs nothing but a block of `threads` for each tile. Each element is the
// sum of one thread, in the order of k.
template <int block_m, int block_n, int threads, class KernelOf>
constexpr kernel_entry<sgemm_problem> describe_tiles(
    const char* name, const char* description, KernelOf, int block_k = 0, size_t smem_bytes = 0) {
    return {
        .name = name,
        .description = description,
        .block_m = block_m,
        .block_n = block_n,
        .block_k = block_k,
        .threads = threads,
        .stages = smem_bytes ? 1 : 0,
        .smem_bytes = smem_bytes,
        .keeps_k_order = true,
        .accepts = fits_grid<block_m, block_n>,
        .launch =
            [](const sgemm_problem& p, const launch_context& context) {
                return with_transposition(p, [&](auto transa, auto transb) {
                    const product_grid grid{.x = tile_count(p, block_m, block_n),
                                            .threads = threads};
                    return launch_products(KernelOf()(transa, transb), grid, p, context);
                });
            },
    };
}

// ---- Variants -----------------------------------------------------------------------------------

// A Variant of a family is a type with the constants and functions that `describe` names. Its
// kernels are compiled in 2^choice_bits forms: with_kernel(choice, f) calls f(kernel, its shared
// memory in bytes) for one of them.

// For kernel_entry::prepare.
template <class Variant>
myblasStatus_t prepare_kernels(const device_info& device) {
    if (Variant::smem_bytes > device.smem_per_block)
        return MYBLAS_STATUS_SUCCESS; // `fits` refuses every problem
    for (unsigned choice = 0; choice < 1u << Variant::choice_bits; ++choice) {
        const auto allow = [](auto kernel, size_t bytes) { return allow_smem(kernel, bytes); };
        if (const myblasStatus_t failure = Variant::with_kernel(choice, allow))
            return failure;
    }
    return MYBLAS_STATUS_SUCCESS;
}

template <class Variant>
constexpr kernel_entry<sgemm_problem> describe(const char* name, const char* description) {
    using shape = typename Variant::shape;
    kernel_entry<sgemm_problem> entry{
        .name = name,
        .description = description,
        .min_arch = Variant::min_arch,
        .max_arch = Variant::max_arch,
        .block_m = shape::block_m,
        .block_n = shape::block_n,
        .block_k = shape::block_k,
        .threads = shape::threads,
        .stages = shape::stages,
        .smem_bytes = Variant::smem_bytes,
        .accepts = Variant::fits,
        .prepare = prepare_kernels<Variant>,
        .launch = Variant::launch,
    };
    if constexpr (requires { Variant::workspace_bytes; })
        entry.workspace_bytes = Variant::workspace_bytes;
    if constexpr (requires { Variant::accepts_what; })
        entry.accepts_what = Variant::accepts_what;
    if constexpr (requires { Variant::work; })
        entry.work = Variant::work;
    if constexpr (requires { Variant::alignment_bytes; })
        entry.alignment_bytes = Variant::alignment_bytes;
    if constexpr (requires { Variant::math; })
        entry.math = Variant::math;
    if constexpr (requires { Variant::keeps_k_order; })
        entry.keeps_k_order = Variant::keeps_k_order;
    if constexpr (requires { Variant::has_epilogue; })
        entry.has_epilogue = Variant::has_epilogue;
    if constexpr (requires { Variant::uses_counters; })
        entry.uses_counters = Variant::uses_counters;
    if constexpr (requires { Variant::takes_triangles; })
        entry.takes_triangles = Variant::takes_triangles;
    return entry;
}

} // namespace myblas::cuda
