// How a product is shared out to the kernels of bf16x6 and fp16x3: in passes that fit the workspace, and each of these to
// what packs and what multiplies. Plain data that the kernels get, and the host code that fills it.
//
// A line is a row of A or a column of B. Lines are packed in panels of 128, k in chunks of 32; a cell is what 32
// neighbouring lines have in a chunk (limbs.cuh).
#pragma once

#include "kernels/common/launch.h"

namespace myblas::cuda {

inline constexpr int chunk_k = 32;
inline constexpr int panel_lines = 128;
inline constexpr int cell_lines = 32;
inline constexpr int panel_cells = panel_lines / cell_lines;
inline constexpr int cell_samples = cell_lines / 4;          // words
inline constexpr int limb_bytes = panel_lines * chunk_k * 2; // of a panel in a chunk

// The part of a batch that is packed and multiplied at once. Passes over a later k add to C.
struct limb_pass {
    int64_t first_batch, batches;
    int64_t row, rows; // of C; row is a multiple of any tile
    int64_t col, cols;
    int64_t first_k, k;
    int panels_a, panels_b; // of one product of the batch
    int chunks;
    triangle_of_c triangle; // of a single product, of which a pass has all rows and columns
    known_zeros zeros;      // of a single product, which is one pass
    bool shares_panels;     // A and op(B)^T are the same matrix: B's panels are those of A

    __host__ __device__ int packed_panels_b() const { return shares_panels ? panels_a : panels_b; }
};

// The passes of a call.
struct pass_plan {
    limb_pass first;   // which has the extents of all but the last ones
    int limbs;         // of a float, that the workspace has room for
    bool has_fallback; // to the limbs of another scheme; else the strict kernel takes over
};

struct pass_layout { // in bytes from the start of the workspace, where the route is
    size_t limbs_a, limbs_b, samples_a, samples_b, cell_scales_a, cell_scales_b;
    size_t line_scales_a, line_scales_b, sums, end;
};

// ---- Packing before the product ------------------------------------------------------------------

inline constexpr int pack_threads = 128;
inline constexpr int pack_warps = pack_threads / 32;
inline constexpr int pack_blocks_per_sm = 4;

struct pack_plan {
    int strip; // cells of a warp, before it goes on to other lines
    int blocks_a, blocks_b;
    int tile_rows; // of the product kernel, which leaves out known zeroes tile by tile
};

pack_plan plan_packing(const limb_pass& pass, int tile_rows, const device_info& device);

// ---- Tiles ---------------------------------------------------------------------------------------

inline constexpr int largest_tile_cluster = 4; // blocks; more of them reach fewer multiprocessors

// Blocks that run at the same time take a patch of tiles about as wide as high, so that they share what they read in the
// L2 cache. Rows of a patch:
inline constexpr int patch_rows = 2048;

struct tile_plan {
    unsigned tiles;  // of all products of the pass. (No memory holds the lines of 2^32.)
    int parts;       // blocks that share a tile, each with a range of the chunks
    bool in_cluster; // whether these blocks are a cluster
    int part_chunks;
    float* sums;        // [tile][part][floats of a tile]
    unsigned* counters; // of finished parts, one for each tile

    // Of parts, in the workspace.
    __host__ __device__ bool has_sums() const { return parts > 1 && !in_cluster; }
};

// ---- Counters ------------------------------------------------------------------------------------

// What the packing kernels tell the product kernels, which leave zeroes: the highest vote for a route, and of the cells
// of A and of B the greatest biased exponent, and no_exponent less the smallest. Behind them are the counters of tile_plan,
// then those of strip_plan.
enum pass_counter { vote_of_blocks, greatest_of_a, smallest_of_a, greatest_of_b, smallest_of_b };
inline constexpr int finished_blocks = smallest_of_b + 1, pass_counters = finished_blocks + 1;

// ---- Packing beside the product ------------------------------------------------------------------

inline constexpr int strip_chunks = 4;
inline constexpr int lead_strip_chunks = 2;

enum strip_counter { claimed_lead, claimed_strips, finished_cells, strip_counters };

// Strips come in about the order in which tiles want them (strips.cuh). Panels are those of all products of the pass.
struct strip_plan {
    int strips;             // along k
    int span;               // chunks that a counter counts
    int bundle_a, bundle_b; // panels
    int bundles;
    int lead_chunks;      // of the first bundle, whole strips
    unsigned lead_strips; // that these are cut into
    int first_counter; // of the stream's: strip_counter, then [span][panels of A, of B] finished cells
    int counters;      // of the stream's, in all

    // Places of strips, of which some at the ends are empty.
    __host__ __device__ int64_t units() const {
        return int64_t{bundles} * (bundle_a + bundle_b) * panel_cells * strips;
    }
};

// ---- Plans ---------------------------------------------------------------------------------------

// What the host has to know of a variant, and what it derives from that.
struct limb_variant {
    int block_m, warps; // of a block that multiplies; its tile has panel_lines columns
    int limbs,
        fallback_limbs; // of a float, here and where it falls back to; 0: to the strict kernel
    int pairs;          // of limbs that are multiplied
    bool packs_beside;  // the product, where the operands are on the grid

    // For kernel_entry. Waves count passes, but short ones of a variant with a fallback, which is not launched then.
    size_t least_bytes(const sgemm_problem& p, const device_info& device) const;
    size_t best_bytes(const sgemm_problem& p, const device_info& device) const;
    work_estimate work(const work_query& q) const;

    pass_plan plan_passes(const sgemm_problem& p, const device_info& device, size_t bytes) const;
    void count_panels(limb_pass& pass) const;
    pass_layout lay_out(const limb_pass& pass, int limbs, const tile_plan& tiles) const;

    // Whether to do without the fallback's launches: they nearly always exit at once, but take longer than is lost where the
    // FP32 units compute in its stead. So with one wave of blocks, on most of the multiprocessors, and a short k.
    bool is_short(const limb_pass& pass, const device_info& device) const;

    // Warps that pack beside a product are too few to copy floats one by one, and their strips are in the order of the tiles
    // of whole products.
    bool may_pack_beside(const sgemm_problem& p) const {
        return packs_beside && p.triangle == triangle_of_c::none && p.zeros == known_zeros::none &&
               inputs_aligned16(p);
    }

    // With at most as many blocks for each tile as the workspace has room for the sums of: a pass that is smaller than the
    // first one may want more. The pointers are left to the caller.
    tile_plan
    plan_tiles(const limb_pass& pass, int limbs, const device_info& device, size_t bytes) const;

    // False where a stream has too few counters.
    bool plan_strips(const limb_pass& pass,
                     const tile_plan& tiles,
                     const device_info& device,
                     strip_plan& plan) const;

private:
    limb_pass
    make_pass(const sgemm_problem& p, int64_t batches, int64_t rows, int64_t cols, int64_t k) const;
    limb_pass make_triangle_pass(const sgemm_problem& p, int64_t k) const;
    pass_plan plan_whole(const sgemm_problem& p, const device_info& device) const;
    int panels_m() const { return block_m / panel_lines; }
    int64_t tile_count(const limb_pass& pass) const;
    int64_t tile_floats() const { return int64_t{block_m} * panel_lines; }
    int part_count(const limb_pass& pass, const device_info& device, int64_t most) const;
    tile_plan share_tiles(const limb_pass& pass, const device_info& device, int64_t most) const;
    size_t room_for(const limb_pass& pass, int limbs, const device_info& device) const;
    struct pass_work
    work_in(const sgemm_problem& p, const device_info& device, const limb_pass& pass) const;
};

// Whether counts and sizes stay in their ranges; for kernel_entry.
bool fits_counts(const sgemm_problem& p, const device_info& device);

} // namespace myblas::cuda
