// Register tiles of the blocked SGEMM in the compiler's vector extensions, one source for every
// vector length. `target` attributes let one translation unit hold code for several processors. The
// generic code is inlined into these functions, so that no copy of it exists with foreign
// instructions under a shared name.
//
// A tile keeps tile_m x tile_n elements of C in registers. One step of the depth loads tile_m
// elements of A, broadcasts tile_n elements of B, and does tile_m * tile_n multiply-adds:
//
//            tile_n
//          +--------+      vector registers: tile_m / width * tile_n accumulators,
//   tile_m |  acc   |                        tile_m / width of A, one broadcast of B
//          +--------+
//
// The shapes fill the register file (32 registers of 512 bits, 16 of 256 or 128 bits) with enough
// accumulators to hide the latency of two multiply-add pipes.
#include "host/sgemm/micro_kernel.h"

#include "host/transpose_block.h"

#include <algorithm>

namespace myblas::host {
namespace {

template <int bytes>
using float_vector = vector_of<float, bytes>;

// Adds the products of two panels to a register tile.
template <bool is_exact, instruction_set set, class Vector, int tile_n, int vectors>
[[gnu::always_inline]] inline void add_products(Vector (&acc)[tile_n][vectors],
                                                int64_t depth,
                                                const float* panel_a,
                                                const float* panel_b) {
    constexpr int width = sizeof(Vector) / sizeof(float), tile_m = vectors * width;
    // The accumulators would be in memory without unrolling (-O2).
    for (int64_t l = 0; l < depth; ++l) {
        Vector frag_a[vectors];
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v)
            load(frag_a[v], panel_a + l * tile_m + v * width);
#pragma GCC unroll 16
        for (int j = 0; j < tile_n; ++j)
#pragma GCC unroll 16
            for (int v = 0; v < vectors; ++v) {
                const float b = panel_b[l * tile_n + j];
                if constexpr (is_exact)
                    exact_multiply_add<set>(acc[j][v], frag_a[v], b);
                else
                    multiply_add<set>(acc[j][v], frag_a[v], b);
            }
    }
}

template <instruction_set set, int vector_bytes, int tile_m, int tile_n>
[[gnu::always_inline]] inline void
multiply(int64_t depth, const float* panel_a, const float* panel_b, const tile_update& update) {
    using vector = float_vector<vector_bytes>;
    constexpr int width = vector_bytes / sizeof(float);
    constexpr int vectors = tile_m / width;
    static_assert(tile_m % width == 0);

    // C is needed only when the depth is done, and has arrived by then.
    for (int j = 0; j < update.cols; ++j) {
        const float* column = update.c + j * update.ldc;
        for (int i = 0; i < update.rows; i += 16)
            __builtin_prefetch(column + i, 1);
    }

    vector acc[tile_n][vectors] = {};
    add_products<false, set>(acc, depth, panel_a, panel_b);

    const float alpha = update.alpha, beta = update.beta;
    if (update.rows == tile_m && update.cols == tile_n) {
#pragma GCC unroll 16
        for (int j = 0; j < tile_n; ++j) {
#pragma GCC unroll 16
            for (int v = 0; v < vectors; ++v)
                update_vector<set>(update.c + j * update.ldc + v * width, acc[j][v], alpha, beta);
        }
        return;
    }
    float edge[tile_n][tile_m];
#pragma GCC unroll 16
    for (int j = 0; j < tile_n; ++j)
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v)
            store(&edge[j][v * width], acc[j][v]);
    // Edges also use whole vectors: an element there has the same bits as elsewhere.
    for (int j = 0; j < update.cols; ++j) {
        float* const c = update.c + j * update.ldc;
        float whole[tile_m] = {};
        if (beta != 0.0f)
            std::copy_n(c, update.rows, whole);
        for (int v = 0; v < vectors; ++v) {
            vector sum;
            load(sum, &edge[j][v * width]);
            update_vector<set>(whole + v * width, sum, alpha, beta);
        }
        std::copy_n(whole, update.rows, c);
    }
}

template <instruction_set set, int vector_bytes, int tile_m, int tile_n>
[[gnu::always_inline]] inline void
continue_sums(int64_t depth, const float* panel_a, const float* panel_b, float* sums) {
    using vector = float_vector<vector_bytes>;
    constexpr int width = vector_bytes / sizeof(float);
    constexpr int vectors = tile_m / width;

    vector acc[tile_n][vectors];
#pragma GCC unroll 16
    for (int j = 0; j < tile_n; ++j)
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v)
            load(acc[j][v], sums + j * tile_m + v * width);
    add_products<true, set>(acc, depth, panel_a, panel_b);
#pragma GCC unroll 16
    for (int j = 0; j < tile_n; ++j)
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v)
            store(sums + j * tile_m + v * width, acc[j][v]);
}

// ---- Packing ------------------------------------------------------------------------------------

// A panel of up to `width` lanes.
template <int width>
void pack_panel(const lane_view& view, int lanes, int64_t depth, float* panel) {
    if (view.lane_stride != 1)
        transpose_block<16>(view.data, view.lane_stride, depth, lanes, panel, width);
    else if (lanes == width)
        for (int64_t l = 0; l < depth; ++l)
            std::copy_n(view.data + l * view.depth_stride, width, panel + l * width);
    else
        for (int64_t l = 0; l < depth; ++l)
            std::copy_n(view.data + l * view.depth_stride, lanes, panel + l * width);
    for (int64_t l = 0; lanes < width && l < depth; ++l)
        std::fill_n(panel + l * width + lanes, width - lanes, 0.0f);
}

template <int width>
void pack(const lane_view& view, int64_t lanes, int64_t depth, float* packed) {
    for (int64_t first = 0; first < lanes; first += width) {
        const lane_view rest{
            view.data + first * view.lane_stride, view.lane_stride, view.depth_stride};
        const int own = static_cast<int>(std::min<int64_t>(lanes - first, width));
        pack_panel<width>(rest, own, depth, packed + first * depth);
    }
}

// ---- The tiles ----------------------------------------------------------------------------------

void multiply_baseline(int64_t depth, const float* a, const float* b, const tile_update& update) {
    multiply<instruction_set::baseline, 16, 8, 4>(depth, a, b, update);
}

void sums_baseline(int64_t depth, const float* a, const float* b, float* sums) {
    continue_sums<instruction_set::baseline, 16, 8, 4>(depth, a, b, sums);
}

constexpr micro_kernel baseline{8, 4, pack<8>, pack<4>, multiply_baseline, sums_baseline};

#if defined(__x86_64__)

[[gnu::target("avx2,fma"), gnu::flatten]] void
multiply_avx2(int64_t depth, const float* a, const float* b, const tile_update& update) {
    multiply<instruction_set::avx2, 32, 16, 6>(depth, a, b, update);
}

[[gnu::target("avx512f,fma"), gnu::flatten]] void
multiply_avx512(int64_t depth, const float* a, const float* b, const tile_update& update) {
    multiply<instruction_set::avx512, 64, 32, 12>(depth, a, b, update);
}

[[gnu::target("avx2,fma"), gnu::flatten]] void
sums_avx2(int64_t depth, const float* a, const float* b, float* sums) {
    continue_sums<instruction_set::avx2, 32, 16, 6>(depth, a, b, sums);
}

[[gnu::target("avx512f,fma"), gnu::flatten]] void
sums_avx512(int64_t depth, const float* a, const float* b, float* sums) {
    continue_sums<instruction_set::avx512, 64, 32, 12>(depth, a, b, sums);
}

constexpr micro_kernel avx2{16, 6, pack<16>, pack<6>, multiply_avx2, sums_avx2};
constexpr micro_kernel avx512{32, 12, pack<32>, pack<12>, multiply_avx512, sums_avx512};

#endif

} // namespace

const micro_kernel& best_micro_kernel() {
#if defined(__x86_64__)
    if (best_instructions() == instruction_set::avx512)
        return avx512;
    if (best_instructions() == instruction_set::avx2)
        return avx2;
#endif
    return baseline;
}

} // namespace myblas::host
