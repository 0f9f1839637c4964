#include "reference_cuda.h"

#include "cuda_check.h"

#include <algorithm>

namespace bench {
namespace {

constexpr int tile = 16;
constexpr int64_t max_grid_y = 65535;

// A thread computes one element of op(A) op(B) and of |op(A)| |op(B)|; x runs over rows, y over the
// chosen columns.
__global__ void __launch_bounds__(tile* tile) sgemm_error_kernel(product_view p,
                                                                 const int64_t* columns,
                                                                 int64_t column_count,
                                                                 unsigned long long* worst) {
    __shared__ double smem_a[tile][tile + 1]; // [l][i]
    __shared__ double smem_b[tile][tile + 1]; // [l][j]
    const int x = threadIdx.x, y = threadIdx.y;
    const int64_t i = int64_t{blockIdx.x} * tile + x;

    for (int64_t first = int64_t{blockIdx.y} * tile; first < column_count;
         first += int64_t{gridDim.y} * tile) {
        const int64_t j = first + y < column_count ? columns[first + y] : -1;
        double sum = 0, magnitude = 0;
        for (int64_t l0 = 0; l0 < p.k; l0 += tile) {
            smem_a[y][x] = i < p.m && l0 + y < p.k ? p.a_at(i, l0 + y) : 0;
            smem_b[x][y] = j >= 0 && l0 + x < p.k ? p.b_at(l0 + x, j) : 0;
            __syncthreads(); // the slab is there
#pragma unroll
            for (int l = 0; l < tile; ++l) {
                const double term = smem_a[l][x] * smem_b[l][y];
                sum += term;
                magnitude += fabs(term);
            }
            __syncthreads(); // before the next slab overwrites it
        }
        if (i < p.m && j >= 0) {
            const double error = relative_error(p.c[i + j * p.ldc], sum, magnitude);
            atomicMax(worst, static_cast<unsigned long long>(__double_as_longlong(error)));
        }
    }
}

} // namespace

void launch_sgemm_error(const product_view& p,
                        const int64_t* columns,
                        int64_t column_count,
                        unsigned long long* worst,
                        cudaStream_t stream) {
    const auto tiles = [](int64_t count) { return (count + tile - 1) / tile; };
    const dim3 grid(static_cast<unsigned>(tiles(p.m)),
                    static_cast<unsigned>(std::min(tiles(column_count), max_grid_y)));
    sgemm_error_kernel<<<grid, dim3(tile, tile), 0, stream>>>(p, columns, column_count, worst);
    require_cuda(cudaGetLastError(), "sgemm reference kernel");
}

} // namespace bench
