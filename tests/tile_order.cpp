// The order in which kernels take the tiles of a triangle (kernels/common/tile_order.cuh): every tile that touches it
// once, and no other. On the CPU, with a header of the tests in place of CUDA's.
#include "kernels/common/tile_order.cuh"
#include "kernels/sgemm/parts/launcher.h"

#include <cstdarg>
#include <set>
#include <setjmp.h>
#include <utility>

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

// Patches of several heights, down to a single row of tiles, and edges that cut off columns of the last row.
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

} // namespace

int main() {
    const CMUnitTest tests[] = {cmocka_unit_test(test_triangles)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
