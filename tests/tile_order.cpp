// The order in which kernels take tiles (kernels/common/tile_order.cuh), which parts of C and of k
// they skip, and which elements they store in a tile that the diagonal crosses. On the CPU, with a
// header of the tests in place of CUDA's.
#include "kernels/sgemm/components/operands.cuh"
#include "kernels/transpose/tile_pair.cuh"

#include <cmath>
#include <cstdarg>
#include <set>
#include <setjmp.h>
#include <utility>
#include <vector>

extern "C" {
#include <cmocka.h>
}

namespace {

using namespace myblas;
using namespace myblas::cuda;

template <int block_m, int block_n, int patch>
void check(int n, bool upper) {
    const int tiles_m = ceil_div(n, block_m), tiles_n = ceil_div(n, block_n);
    std::set<std::pair<int, int>> touching, visited;
    for (int i = 0; i < tiles_m; ++i)
        for (int j = 0; j < tiles_n; ++j) {
            const int last_row = std::min((i + 1) * block_m, n) - 1;
            const int last_col = std::min((j + 1) * block_n, n) - 1;
            if (upper ? i * block_m <= last_col : j * block_n <= last_row)
                touching.insert({i, j});
        }
    const sgemm_problem p{
        .triangle = upper ? triangle_of_c::upper : triangle_of_c::lower, .m = n, .n = n};
    const int64_t count = tile_count(p, block_m, block_n);
    assert_int_equal(count, touching.size());
    for (int tile = 0; tile < count; ++tile) {
        const tile_position<int> at =
            triangle_order<patch, block_m / block_n>(tile, upper, tiles_m, tiles_n);
        visited.insert({at.row, at.col});
    }
    assert_true(visited == touching);
}

// Every tile that touches a triangle once, and no other. Patches of several heights, down to a
// single row of tiles, and edges that cut off columns of the last row.
void test_triangles(void**) {
    for (const bool upper : {false, true})
        for (int n = 1; n < 3000; n += n < 300 ? 1 : 61) {
            check<64, 64, 16>(n, upper);
            check<128, 64, 8>(n, upper);
            check<128, 32, 8>(n, upper);
            check<256, 128, 4>(n, upper);
            check<256, 128, 8>(n, upper);
            check<128, 128, 3>(n, upper);
            check<128, 32, 1>(n, upper);
        }
}

// Every tile comes once, sorted by its k: longest first, to within a band. Every nonzero element of
// the triangular operand is within its tile's k.
template <int block_m, int block_n, int patch_m, int patch_n>
void check_zeros(known_zeros zeros, int order, int lines) {
    const bool of_a = zeros == known_zeros::above_of_a || zeros == known_zeros::below_of_a;
    const bool is_lower = zeros == known_zeros::above_of_a || zeros == known_zeros::above_of_b;
    const int m = of_a ? order : lines, n = of_a ? lines : order;
    const int tiles_m = ceil_div(m, block_m), tiles_n = ceil_div(n, block_n);
    int band = patch_n * block_n;
    if (of_a)
        band = patch_m * block_m;
    std::set<std::pair<int, int>> visited;
    int64_t least = order;
    for (int tile = 0; tile < tiles_m * tiles_n; ++tile) {
        const tile_position<int> at =
            longest_first<patch_m, patch_n>(tile, zeros, tiles_m, tiles_n);
        assert_true(at.row >= 0 && at.row < tiles_m && at.col >= 0 && at.col < tiles_n);
        visited.insert({at.row, at.col});
        const int row = at.row * block_m, col = at.col * block_n;
        const k_range k(zeros, order, row, row + block_m, col, col + block_n);
        assert_true(0 <= k.begin && k.begin < k.end && k.end <= order);
        assert_true(k.end - k.begin <= least + band);
        least = std::min(least, k.end - k.begin);
        const int first = of_a ? row : col;
        int end = col + block_n;
        if (of_a)
            end = row + block_m;
        for (int line = first; line < std::min(end, order); ++line) {
            // A lower A and an upper B have k up to the line, the others from the line on.
            const bool is_up_to = of_a == is_lower;
            assert_true(is_up_to ? k.begin == 0 && line < k.end
                                 : k.begin <= line && k.end == order);
        }
    }
    assert_int_equal(visited.size(), tiles_m * tiles_n);
}

void test_zeros(void**) {
    for (const known_zeros zeros : {known_zeros::above_of_a,
                                    known_zeros::below_of_a,
                                    known_zeros::above_of_b,
                                    known_zeros::below_of_b})
        for (const int order : {1, 100, 128, 513, 1000, 2304})
            for (const int lines : {1, 64, 129, 1500}) {
                check_zeros<128, 64, 8, 16>(zeros, order, lines);
                check_zeros<128, 64, 1, 1>(zeros, order, lines);
                check_zeros<256, 128, 8, 16>(zeros, order, lines);
                check_zeros<128, 128, 2, 3>(zeros, order, lines);
            }
}

// Each unit once.
void test_to_and_fro(void**) {
    for (const int blocks : {1, 5, 132}) {
        std::set<int> units;
        for (int round = 0; round < 7; ++round)
            for (int block = 0; block < blocks; ++block) {
                blockIdx.x = static_cast<unsigned>(block);
                const int unit = unit_back_and_forth(round, blocks);
                assert_true(unit / blocks == round);
                units.insert(unit);
            }
        assert_int_equal(units.size(), 7 * blocks);
    }
}

// A tile stores the elements of the triangle, quad by quad, and no others.
void test_masks(void**) {
    constexpr int rows = 64, cols = 32, ld = rows + 3;
    for (const triangle_of_c triangle :
         {triangle_of_c::none, triangle_of_c::lower, triangle_of_c::upper})
        for (const int tile_row : {0, 64, 128})
            for (const int tile_col : {0, 32, 64, 96, 128, 160, 224})
                for (const int left : {rows, 61, 3})
                    for (const float beta : {0.0f, 2.0f}) {
                        const diagonal_mask mask(triangle, tile_row, tile_col);
                        std::vector<float> c(ld * cols, std::nanf(""));
                        int computed = 0;
                        const auto is_computed = [&](int i, int j) {
                            const int row = tile_row + i, col = tile_col + j;
                            return i < left && (triangle == triangle_of_c::none    ? true
                                                : triangle == triangle_of_c::lower ? row >= col
                                                                                   : row <= col);
                        };
                        for (int j = 0; j < cols; ++j)
                            for (int i = 0; i < rows; ++i) {
                                if (i < left)
                                    assert_int_equal(mask.has(i, j), is_computed(i, j));
                                computed += i < left && mask.has(i, j);
                                if (is_computed(i, j))
                                    c[i + j * ld] = 1;
                            }
                        if (left == rows) {
                            assert_int_equal(mask.has_all(rows, cols), computed == rows * cols);
                            assert_int_equal(mask.has_none(rows, cols), computed == 0);
                        }
                        for (int j = 0; j < cols; ++j)
                            for (int i = 0; i < rows; i += 4) {
                                const float product[4] = {3, 3, 3, 3};
                                store_c4(&c[i + j * ld],
                                         5,
                                         product,
                                         beta,
                                         std::min(left - i, mask.quad_end(i, j)),
                                         false,
                                         mask.quad_first(i, j));
                            }
                        for (int j = 0; j < cols; ++j)
                            for (int i = 0; i < rows; ++i) {
                                const float found = c[i + j * ld];
                                assert_true(is_computed(i, j) ? found == 15 + beta
                                                              : std::isnan(found));
                            }
                    }
}

// The mask's answers about elements, quads of rows and tiles agree with the triangle's definition.
// Tiles have every position relative to the diagonal, also far from the origin.
void check_mask(triangle_of_c triangle, int64_t tile_row, int64_t tile_col) {
    constexpr int most = 12;
    const auto is_computed = [&](int i, int j) {
        const int64_t row = tile_row + i, col = tile_col + j;
        if (triangle == triangle_of_c::none)
            return true;
        return triangle == triangle_of_c::lower ? row >= col : row <= col;
    };
    const diagonal_mask mask(triangle, tile_row, tile_col);
    for (int rows = 1; rows <= most; ++rows)
        for (int cols = 1; cols <= most; ++cols) {
            int computed = 0;
            for (int i = 0; i < rows; ++i)
                for (int j = 0; j < cols; ++j)
                    computed += is_computed(i, j);
            assert_int_equal(mask.has_all(rows, cols), computed == rows * cols);
            assert_int_equal(mask.has_none(rows, cols), computed == 0);
        }
    for (int i = 0; i < most; ++i)
        for (int j = 0; j < most; ++j) {
            assert_int_equal(mask.has(i, j), is_computed(i, j));
            for (int row = 0; row < 4; ++row)
                assert_int_equal(mask.quad_first(i, j) <= row && row < mask.quad_end(i, j),
                                 is_computed(i + row, j));
        }
}

void test_masks_beside_the_diagonal(void**) {
    for (const triangle_of_c triangle :
         {triangle_of_c::none, triangle_of_c::lower, triangle_of_c::upper})
        for (const int64_t start : {int64_t{0}, int64_t{1} << 33})
            for (int distance = -20; distance <= 20; ++distance)
                check_mask(triangle, start + std::max(distance, 0), start + std::max(-distance, 0));
}

// In-place transposes: each pair of tiles once, in the order of rows or in squares.
void test_pairs_of_tiles(void**) {
    for (const uint32_t side : {1u, 4u})
        for (const uint32_t tiles : {1u, 2u, 3u, 4u, 7u, 8u, 13u}) {
            std::set<std::pair<uint32_t, uint32_t>> pairs;
            const uint32_t count = pairs_in_squares(tiles, side);
            for (uint32_t number = 0; number < count; ++number) {
                const auto [i, j] = pair_in_squares(number, tiles, side);
                if (i <= j && j < tiles)
                    assert_true(pairs.insert({i, j}).second);
            }
            assert_int_equal(pairs.size(), tiles * (tiles + 1) / 2);
            if (side == 1)
                assert_int_equal(count, pairs.size());
        }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {cmocka_unit_test(test_triangles),
                                cmocka_unit_test(test_zeros),
                                cmocka_unit_test(test_to_and_fro),
                                cmocka_unit_test(test_masks),
                                cmocka_unit_test(test_masks_beside_the_diagonal),
                                cmocka_unit_test(test_pairs_of_tiles)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
