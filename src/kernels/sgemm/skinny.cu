// Thin and tiny outputs: one side of C up to 16, from matrix times vector to dot products, any k.
//
// Bound: reading the long operand once, 4 max(m, n) k bytes; a thread does little with each element but
// must have many on the way. So slabs are deep in k (whole sectors wherever k runs along memory), a block
// keeps several of them in flight, and tiles are narrow: there is a block for every multiprocessor before
// k is cut, which costs a reduction.
// The short side picks the tile; the sides are rounded up to it, which costs shared memory, not traffic.
// Where both sides are short, all threads share k: a thread tile is the whole of C, or a part of few.
// Shared memory, threads, stages: in the table below; see streamed_tile.cuh for what the columns mean.
// Workspace: where one cluster a tile leaves multiprocessors idle, a tile for each cluster.
// Accepts all that the grid has blocks for; wider outputs as tiles of 16, which read the long operand
// again from the L2 cache.
#include "kernels/sgemm/registry.h"
#include "kernels/sgemm/streamed_tile.cuh"

namespace myblas::cuda {
namespace {

// clang-format off
//                                block          thread  lanes   warps
//                                l    s    k    l  s    l   s   l  s  k  stages  blocks, fill
using square_4     = streamed_shape<4,   4,   512, 4, 4,   1,  1,  1, 1, 4, 4,      3, 3>;
using square_8     = streamed_shape<8,   8,   256, 4, 4,   2,  2,  1, 1, 4, 4,      3, 3>;
using square_16    = streamed_shape<16,  16,  128, 4, 4,   4,  4,  1, 1, 4, 4,      3, 3>;
using deep_4       = streamed_shape<32,  4,   128, 4, 4,   8,  1,  1, 1, 4, 5,      2, 1>;
using deep_8       = streamed_shape<64,  8,   128, 4, 8,   16, 1,  1, 1, 8, 5,      1, 1>;
using deep_16      = streamed_shape<64,  16,  128, 4, 8,   16, 2,  1, 1, 8, 4,      1, 1>;
using shallow_8    = streamed_shape<64,  8,   64,  4, 8,   16, 1,  1, 1, 4, 3,      3, 3>;
using shallow_16   = streamed_shape<128, 16,  32,  4, 8,   32, 1,  1, 2, 2, 3,      3, 3>;
// clang-format on

// Index of a problem's shape in `kernels`.
int pick(const sgemm_problem& p, const device_info& device) {
    constexpr int64_t deep_k = 512; // from here on deep slabs pay
    constexpr size_t deep_bytes = std::max(streamed_launcher<deep_8>::max_smem_bytes,
                                           streamed_launcher<deep_16>::max_smem_bytes);
    const int64_t l = std::max(p.m, p.n), s = std::min(p.m, p.n);
    if (l <= 16)
        return l <= 4 ? 0 : l <= 8 ? 1 : 2;
    if (p.k < deep_k || deep_bytes > device.smem_per_block)
        return s <= 8 ? 3 : 4;
    return s <= 4 ? 5 : s <= 8 ? 6 : 7;
}

using kernels = streamed_kernels<pick,
                                 square_4,
                                 square_8,
                                 square_16,
                                 shallow_8,
                                 shallow_16,
                                 deep_4,
                                 deep_8,
                                 deep_16>;

} // namespace

const kernel_entry<sgemm_problem> sgemm_skinny = kernels::entry<deep_4>(
    "skinny", "thin outputs: operands streamed in memory order, k shared by threads and clusters");

} // namespace myblas::cuda
