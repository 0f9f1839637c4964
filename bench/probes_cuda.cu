#include "probes_cuda.h"

#include "cuda_check.h"

#include <cstdint>

namespace bench {
namespace {

constexpr int read_threads = 512;
constexpr int read_blocks_per_sm = 4;
constexpr int read_unroll = 8; // 16-byte loads in flight in each thread

constexpr int fma_threads = 256;
constexpr int fma_blocks_per_sm = 8;
constexpr int fma_chains = 16; // independent accumulators, to cover the latency
constexpr int fma_steps = 16384;

// No sum of the data equals this number. The compiler does not know that, so it keeps the work.
constexpr float impossible = 1e30f;

__global__ void empty_kernel() {}

__global__ void __launch_bounds__(read_threads)
    read_kernel(const float4* data, int64_t count, float* sink) {
    const int64_t stride = int64_t{gridDim.x} * read_threads;
    int64_t i = int64_t{blockIdx.x} * read_threads + threadIdx.x;
    float total = 0;
    for (; i + (read_unroll - 1) * stride < count; i += read_unroll * stride) {
        float4 value[read_unroll];
#pragma unroll
        for (int u = 0; u < read_unroll; ++u)
            value[u] = data[i + u * stride];
#pragma unroll
        for (int u = 0; u < read_unroll; ++u)
            total += value[u].x + value[u].y + value[u].z + value[u].w;
    }
    for (; i < count; i += stride)
        total += data[i].x + data[i].y + data[i].z + data[i].w;
    if (total == impossible)
        *sink = total;
}

__global__ void __launch_bounds__(fma_threads)
    fma_kernel(float scale, float shift, int steps, float* sink) {
    float acc[fma_chains];
#pragma unroll
    for (int c = 0; c < fma_chains; ++c)
        acc[c] = static_cast<float>(threadIdx.x + c);
#pragma unroll 8
    for (int step = 0; step < steps; ++step)
#pragma unroll
        for (int c = 0; c < fma_chains; ++c)
            acc[c] = fmaf(acc[c], scale, shift);
    float total = 0;
#pragma unroll
    for (int c = 0; c < fma_chains; ++c)
        total += acc[c];
    if (total == impossible)
        *sink = total;
}

} // namespace

void launch_empty(cudaStream_t stream) {
    empty_kernel<<<1, 1, 0, stream>>>();
    require_cuda(cudaGetLastError(), "empty kernel");
}

void launch_read(const void* data, size_t bytes, float* sink, int sm_count, cudaStream_t stream) {
    read_kernel<<<read_blocks_per_sm * sm_count, read_threads, 0, stream>>>(
        static_cast<const float4*>(data), static_cast<int64_t>(bytes / sizeof(float4)), sink);
    require_cuda(cudaGetLastError(), "read kernel");
}

double launch_fma(float* sink, int sm_count, cudaStream_t stream) {
    const int blocks = fma_blocks_per_sm * sm_count;
    fma_kernel<<<blocks, fma_threads, 0, stream>>>(0.999f, 0.001f, fma_steps, sink);
    require_cuda(cudaGetLastError(), "fma kernel");
    return 2.0 * blocks * fma_threads * fma_chains * fma_steps;
}

} // namespace bench
