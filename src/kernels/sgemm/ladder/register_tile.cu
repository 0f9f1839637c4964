// Rungs 7 and 8, register_tile_strided and register_tile: 4 x 4 elements of C a thread, held in registers.
//
// Each element read from shared memory now serves 4 FMAs of its thread: 0.5 loads for each FMA where there were 2.
//   strided   every 32nd row and column: the 32 threads of a warp read neighbouring words of A and one word of B
//   not       contiguous ones, which one 128-bit load can read, of A and of B: 2 load instructions for 16 FMAs in
//             place of 8. The price is C: a warp's rows are 4 apart, so each store covers four times the cache lines.
// Bound: shared memory, 8 loads for 16 FMAs; global traffic is 1/128 of naive's.
// Shared memory: one slab of each operand, [8][128 + 4]; 8.25 KiB.
// Launch: 1024 threads for a 128 x 128 tile of C. Accepts all that the grid has blocks for.
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
