#include "reference_cuda.h"

#include "cuda_check.h"

#include <algorithm>

namespace bench {
namespace {

constexpr int tile = 16;
constexpr int64_t max_grid_y = 65535;

// A thread computes one element of op(A) op(B) and of |op(A)| |op(B)| and calls visit(i, j, both);
// x runs over rows, y over column_of(0) ... column_of(column_count - 1).
template <class ColumnOf, class Visit>
__device__ void for_each_product(const product_view& p,
                                 int64_t column_count,
                                 const ColumnOf& column_of,
                                 const Visit& visit) {
    __shared__ double smem_a[tile][tile + 1]; // [l][i]
    __shared__ double smem_b[tile][tile + 1]; // [l][j]
    const int x = threadIdx.x, y = threadIdx.y;
    const int64_t i = int64_t{blockIdx.x} * tile + x, depth = p.depth();

    for (int64_t first = int64_t{blockIdx.y} * tile; first < column_count;
         first += int64_t{gridDim.y} * tile) {
        const int64_t j = first + y < column_count ? column_of(first + y) : -1;
        double sum = 0, magnitude = 0;
        for (int64_t l0 = 0; l0 < depth; l0 += tile) {
            smem_a[y][x] = i < p.m && l0 + y < depth ? p.a_at(i, l0 + y) : 0;
            smem_b[x][y] = j >= 0 && l0 + x < depth ? p.b_at(l0 + x, j) : 0;
            __syncthreads(); // the slab is complete
#pragma unroll
            for (int l = 0; l < tile; ++l) {
                const double term = smem_a[l][x] * smem_b[l][y];
                sum += term;
                magnitude += fabs(term);
            }
            __syncthreads(); // before the next slab overwrites it
        }
        if (i < p.m && j >= 0)
            visit(i, j, sum, magnitude);
    }
}

// The bits of non-negative doubles are in the order of their values.
__device__ void raise(unsigned long long* worst, double error) {
    atomicMax(worst, static_cast<unsigned long long>(__double_as_longlong(error)));
}

// With any number of threads.
template <class Data>
__global__ void fill_kernel(Data data) {
    const int64_t stride = int64_t{gridDim.x} * blockDim.x;
    for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < data.count(); i += stride)
        data(i);
}

template <class Comparison>
__global__ void compare_kernel(Comparison of, unsigned long long* result) {
    const int64_t stride = int64_t{gridDim.x} * blockDim.x;
    double found = 0;
    for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < of.count(); i += stride)
        found = Comparison::is_count ? found + of(i) : fmax(found, of(i));
    if (found > 0 && Comparison::is_count)
        atomicAdd(result, static_cast<unsigned long long>(found));
    else if (found > 0)
        raise(result, found);
}

__global__ void __launch_bounds__(tile* tile) product_error_kernel(product_view p,
                                                                   const int64_t* columns,
                                                                   int64_t column_count,
                                                                   unsigned long long* worst) {
    for_each_product(
        p,
        column_count,
        [&](int64_t at) { return columns[at]; },
        [&](int64_t i, int64_t j, double sum, double magnitude) {
            if (p.has(i, j))
                raise(worst, p.error(i, j, sum, magnitude));
        });
}

__global__ void __launch_bounds__(tile* tile)
    sgemm_reference_kernel(product_view p, double* product, double* magnitude) {
    for_each_product(
        p,
        p.n,
        [](int64_t at) { return at; },
        [&](int64_t i, int64_t j, double sum, double absolute) {
            product[i + j * p.m] = sum;
            magnitude[i + j * p.m] = absolute;
        });
}

// Each thread adds every sum_partial_count-th element, and separately the rounding errors (TwoSum).
template <class T>
__global__ void sum_kernel(const T* x, const T* y, int64_t n, int64_t incx, partial_sum* parts) {
    const int64_t part = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    partial_sum sum{};
    for (int64_t i = part; i < n; i += sum_partial_count) {
        const double other = y ? y[i * incx] : 1, before = sum.value;
        const double term = x[i * incx] * other;
        sum.value = before + term;
        const double added = sum.value - before;
        sum.error += (before - (sum.value - added)) + (term - added);
        sum.magnitude += fabs(term);
    }
    parts[part] = sum;
}

constexpr int index_threads = 256;

unsigned blocks_for(int64_t count) {
    constexpr int64_t most_blocks = 4096;
    return static_cast<unsigned>(
        std::min((count + index_threads - 1) / index_threads, most_blocks));
}

dim3 product_grid(int64_t rows, int64_t columns) {
    const auto tiles = [](int64_t count) { return (count + tile - 1) / tile; };
    return {static_cast<unsigned>(tiles(rows)),
            static_cast<unsigned>(std::min(tiles(columns), max_grid_y))};
}

} // namespace

void launch_product_error(const product_view& p,
                          const int64_t* columns,
                          int64_t column_count,
                          unsigned long long* worst,
                          cudaStream_t stream) {
    product_error_kernel<<<product_grid(p.m, column_count), dim3(tile, tile), 0, stream>>>(
        p, columns, column_count, worst);
    require_cuda(cudaGetLastError(), "product reference kernel");
}

void launch_compare(const comparison& all, unsigned long long* result, cudaStream_t stream) {
    const auto launch = [&](const auto& of) {
        compare_kernel<<<blocks_for(of.count()), index_threads, 0, stream>>>(of, result);
    };
    std::visit(launch, all);
    require_cuda(cudaGetLastError(), "comparison kernel");
}

void launch_fill(const generated_data& all, cudaStream_t stream) {
    const auto launch = [&](const auto& data) {
        fill_kernel<<<blocks_for(data.count()), index_threads, 0, stream>>>(data);
    };
    std::visit(launch, all);
    require_cuda(cudaGetLastError(), "fill kernel");
}

void launch_sgemm_reference(const product_view& p,
                            double* product,
                            double* magnitude,
                            cudaStream_t stream) {
    sgemm_reference_kernel<<<product_grid(p.m, p.n), dim3(tile, tile), 0, stream>>>(
        p, product, magnitude);
    require_cuda(cudaGetLastError(), "sgemm reference kernel");
}

void launch_sum_exactly(
    const shape& s, const void* x, const void* y, partial_sum* parts, cudaStream_t stream) {
    constexpr int threads = 256;
    if (s.element_bytes == sizeof(double))
        sum_kernel<<<sum_partial_count / threads, threads, 0, stream>>>(
            static_cast<const double*>(x), static_cast<const double*>(y), s.n, s.incx, parts);
    else
        sum_kernel<<<sum_partial_count / threads, threads, 0, stream>>>(
            static_cast<const float*>(x), static_cast<const float*>(y), s.n, s.incx, parts);
    require_cuda(cudaGetLastError(), "sum reference kernel");
}

} // namespace bench
