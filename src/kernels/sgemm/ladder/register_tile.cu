// Rungs 7 and 8, register_tile_strided and register_tile: C = alpha op(A) op(B) + beta C, with
// 4 x 4 elements of C in the registers of each thread.
//
// New: each element that a thread reads from shared memory serves 4 FMAs, so there are 0.5 loads
// for each FMA; the rungs before had 2. The two rungs differ in a thread's rows and columns:
//   strided     every 32nd row and column. The 32 threads of a warp read 32 neighbouring words of A
//               and one word of B.
//   contiguous  4 contiguous rows and columns, which one 128-bit load reads: 2 load instructions
//               for 16 FMAs in place of 8. The price is paid at C: a warp's rows are 4 apart, so
//               each store touches four times as many cache lines.
//
// Bound: shared memory, 8 floats for 16 FMAs. Global traffic is 1/128 of naive's.
// Shared memory: one slab of each operand, [8][128 + 4]; 8.25 KiB.
// Launch: 1024 threads for a 128 x 128 tile of C.
// Accepts: every product whose tiles fit into a grid.
#include "kernels/sgemm/ladder/register_tile.cuh"
#include "kernels/sgemm/registry.h"

namespace myblas::cuda {
namespace {

using namespace register_tile;

constexpr int threads = 1024;

struct strided_lines {
    static constexpr int count = 4;
    static __device__ int first(int thread) { return thread; }
    static __device__ constexpr int offset(int e) { return e * 32; }
};

struct neighbouring_lines {
    static constexpr int count = 4;
    static __device__ int first(int thread) { return thread * 4; }
    static __device__ constexpr int offset(int e) { return e; }
};

template <class Lines, bool transa, bool transb>
__global__ void __launch_bounds__(threads) kernel(int64_t first_batch, const sgemm_problem p) {
    __shared__ storage smem;
    compute<Lines, transa, transb>(p, first_batch + blockIdx.z, smem);
}

template <class Lines>
constexpr sgemm_kernel describe_lines(const char* name, const char* description) {
    return describe_tiles<block_m, block_n, threads>(
        name,
        description,
        [](auto transa, auto transb) { return kernel<Lines, transa, transb>; },
        block_k,
        sizeof(storage));
}

} // namespace

constinit const sgemm_kernel sgemm_register_tile_strided = describe_lines<strided_lines>(
    "register_tile_strided",
    "128 x 128 x 8 blocks, 4 x 4 elements a thread, every 32nd row and column");

constinit const sgemm_kernel sgemm_register_tile = describe_lines<neighbouring_lines>(
    "register_tile", "128 x 128 x 8 blocks, 4 x 4 contiguous elements a thread");

} // namespace myblas::cuda
