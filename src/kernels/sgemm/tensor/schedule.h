// How a product is divided for the kernels of bf16x6 and fp16x3: into passes that fit the
// workspace, and each pass into packing and tiles. Plain data that the kernels receive, and the
// host code that fills it.
//
// A line is a row of op(A) or a column of op(B). Lines are packed in panels of 128, k in chunks of
// 32. A cell is the part of 32 neighbouring lines in one chunk (limbs.cuh).
#pragma once

#include "kernels/common/launch.h"

namespace myblas::cuda {

inline constexpr int chunk_k = 32;
inline constexpr int panel_lines = 128;
inline constexpr int cell_lines = 32;
inline constexpr int panel_cells = panel_lines / cell_lines;
inline constexpr int cell_samples = cell_lines / 4;          // words
inline constexpr int limb_bytes = panel_lines * chunk_k * 2; // of a panel in a chunk

// The lossy elements of a cell (lossy.cuh).
using lossy_record = uint32_t;

// The part of a batch that is packed and multiplied at a time. Passes over a later k add to C.
struct limb_pass {
    int64_t first_batch, batches;
    int64_t row, rows; // in C; row is a multiple of any tile's height
    int64_t col, cols;
    int64_t first_k, k;
    int panels_a, panels_b; // of one product of the batch
    int chunks;
    triangle_of_c triangle; // of a single product; the pass has all rows and columns
    known_zeros zeros;      // of a single product in a single pass
    bool shares_panels;     // A and op(B)^T are the same matrix, so B uses A's panels
    bool corrects;          // lossy elements are multiplied in FP32 (lossy.cuh): emulated mode

    __host__ __device__ int packed_panels_b() const { return shares_panels ? panels_a : panels_b; }
};

// The passes of a call.
struct pass_schedule {
    limb_pass first;   // its extents hold for all passes but the last ones
    int limbs;         // of a float, as the workspace has room
    bool has_fallback; // to another scheme's limbs; otherwise to the strict kernel
};

// Offsets in bytes from the start of the workspace, where the path (precision_path) is stored.
struct pass_layout {
    size_t limbs_a, limbs_b, samples_a, samples_b, cell_scales_a, cell_scales_b;
    size_t lossy_a; // B's records are as far from B's scales of cells
    size_t line_scales_a, line_scales_b, sums, end;
};

// ---- Packing before the product -----------------------------------------------------------------

inline constexpr int pack_threads = 128;
inline constexpr int pack_warps = pack_threads / 32;
inline constexpr int pack_blocks_per_sm = 4;
inline constexpr int pack_ahead_blocks_per_sm = 6; // pack_ahead.cuh

struct pack_schedule {
    int strip; // cells that a warp packs before it moves to other lines
    int blocks_a, blocks_b;
    int tile_rows; // of the product kernel, which skips known zeroes tile by tile
    bool reads_ahead;
};

pack_schedule schedule_packing(const sgemm_problem& p,
                               const limb_pass& pass,
                               int tile_rows,
                               const device_info& device);

// ---- Tiles --------------------------------------------------------------------------------------

inline constexpr int largest_tile_cluster = 4; // larger ones reach fewer multiprocessors

// Blocks that run at the same time take a nearly square patch of tiles, so that they share operands
// in the L2 cache. This is the number of rows in a patch:
inline constexpr int patch_rows = 2048;

struct tile_schedule {
    unsigned tiles;  // of all products of the pass; no memory holds 2^32 tiles
    int splits;      // splits of a tile: blocks that share it, each with a range of chunks
    bool in_cluster; // whether these blocks are a cluster
    int chunks_of_split;
    float* sums;        // [tile][split][floats of a tile]
    unsigned* counters; // of finished splits, one for each tile

    // Whether the splits' sums are in the workspace.
    __host__ __device__ bool has_sums() const { return splits > 1 && !in_cluster; }
};

// ---- Counters -----------------------------------------------------------------------------------

// Messages from the packing kernels to the product kernels, which leave zeroes. The first is the
// highest request for a precision path. The others, for the cells of A and of B, are the
// greatest biased exponent, and no_exponent minus the smallest one. listed_elements counts the
// lossy elements that the product has to correct. claimed_by_fallback and packed_by_fallback count
// strips (fallback.cuh). The counters of tile_schedule follow, then the counters of strip_schedule.
enum pass_counter { request_of_blocks, greatest_of_a, smallest_of_a, greatest_of_b, smallest_of_b };
inline constexpr int listed_elements = smallest_of_b + 1, finished_blocks = listed_elements + 1;
inline constexpr int claimed_by_fallback = finished_blocks + 1;
inline constexpr int packed_by_fallback = claimed_by_fallback + 1;
inline constexpr int pass_counters = packed_by_fallback + 1;

// ---- Packing beside the product -----------------------------------------------------------------

inline constexpr int strip_chunks = 4;
inline constexpr int lead_strip_chunks = 2;

enum strip_counter { claimed_lead, claimed_strips, finished_cells, strip_counters };

// The order of strips is close to the order in which tiles need them (strips.cuh). Panels are
// counted over all products of the pass.
struct strip_schedule {
    int strips;             // along k
    int span;               // chunks that one counter covers
    int bundle_a, bundle_b; // panels
    int bundles;
    int lead_chunks;      // of the first bundle, whole strips
    unsigned lead_strips; // strips of the lead
    // In the stream's counters: strip_counter, then finished cells as [span][panels of A, of B].
    int first_counter;
    int counters; // all counters of the stream that are used

    // The number of places for strips. Some places at the ends are empty.
    __host__ __device__ int64_t units() const {
        return int64_t{bundles} * (bundle_a + bundle_b) * panel_cells * strips;
    }
};

// ---- Plans --------------------------------------------------------------------------------------

// The properties of a variant that the host needs, and the schedules that it derives from them.
struct limb_variant {
    // A block that multiplies; its tile has panel_lines columns.
    int block_m, warps;
    int limbs,
        // Limbs of a float, in this scheme and in the fallback's; 0: the fallback is the strict
        // kernel.
        fallback_limbs;
    int pairs;         // of limbs that are multiplied
    bool packs_beside; // packs beside the product, if operands are aligned

    // Whether the product corrects lossy elements: in emulated mode, if the limbs can lose bits.
    bool corrects(const sgemm_problem& p) const {
        return fallback_limbs != 0 && p.math != MYBLAS_FP32_FAST_MATH;
    }

    // For kernel_entry.
    size_t least_bytes(const sgemm_problem& p, const device_info& device) const;
    size_t best_bytes(const sgemm_problem& p, const device_info& device) const;
    work_estimate work(const work_query& q) const;

    pass_schedule
    schedule_passes(const sgemm_problem& p, const device_info& device, size_t bytes) const;
    void count_panels(limb_pass& pass) const;
    pass_layout lay_out(const limb_pass& pass, int limbs, const tile_schedule& tiles) const;

    // The number of lossy elements that a pass corrects at most. With more, the fallback computes.
    // To correct one for each 8 cells takes about a third of the time of the product.
    unsigned most_listed(const limb_pass& pass) const;

    // Whether to omit the fallback's launch, which nearly always exits immediately. For short
    // products, this takes longer than what is lost if the FP32 units compute instead. True
    // for one wave of blocks on most of the multiprocessors and a short k, in fast mode. In
    // emulated mode, the fallback is the kernel of all data with many small elements.
    bool is_short(const limb_pass& pass, const device_info& device) const;

    // Warps that pack beside a product are too few for scalar loads. Their strips are in the order
    // of the tiles of whole products.
    bool may_pack_beside(const sgemm_problem& p) const {
        return packs_beside && p.triangle == triangle_of_c::none && p.zeros == known_zeros::none &&
               inputs_aligned16(p);
    }

    // Limits the blocks for each tile to the number whose sums fit into the workspace, since a pass
    // that is smaller than the first one may ask for more. The caller sets the pointers.
    tile_schedule
    schedule_tiles(const limb_pass& pass, int limbs, const device_info& device, size_t bytes) const;

    // Returns false if a stream has too few counters.
    bool schedule_strips(const limb_pass& pass,
                         const tile_schedule& tiles,
                         const device_info& device,
                         strip_schedule& schedule) const;

private:
    limb_pass
    make_pass(const sgemm_problem& p, int64_t batches, int64_t rows, int64_t cols, int64_t k) const;
    limb_pass make_triangle_pass(const sgemm_problem& p, int64_t k) const;
    pass_schedule schedule_whole(const sgemm_problem& p, const device_info& device) const;
    int panels_m() const { return block_m / panel_lines; }
    int64_t tile_count(const limb_pass& pass) const;
    int64_t tile_floats() const { return int64_t{block_m} * panel_lines; }
    int split_count(const limb_pass& pass, const device_info& device, int64_t most) const;
    tile_schedule split_tiles(const limb_pass& pass, const device_info& device, int64_t most) const;
    size_t room_for(const limb_pass& pass, int limbs, const device_info& device) const;
    struct pass_work
    work_in(const sgemm_problem& p, const device_info& device, const limb_pass& pass) const;
};

// Whether counts and sizes stay in their ranges. For kernel_entry.
bool fits_counts(const sgemm_problem& p, const device_info& device);

} // namespace myblas::cuda
