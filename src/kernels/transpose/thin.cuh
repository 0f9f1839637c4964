// Transposes of thin matrices, where min(m, n) is less than the side of a square tile.
//
// Square tiles would leave most lanes idle. Here a block has a stretch of the long extent, over the
// whole thin extent: `thin` x `stretch` elements. On the side whose columns are the thin extent,
// threads go over the elements in storage order, (thin, long): contiguous if the leading dimension
// is tight. On the other side they read or write `thin` runs of `stretch` elements.
//
//      short side, t + l * ld              smem[t][l]               long side, l + t * ld
//      t0 t1 t2 | t0 t1 t2 | ...     <->   l0 l1 l2 l3 ...    <->   l0 l1 l2 l3 ...  (run t0)
//      (l0)       (l1)                     l0 l1 l2 l3 ...          l0 l1 l2 l3 ...  (run t1)
#pragma once

#include "core/problem.h"
#include "kernels/common/launch.h"
#include "kernels/transpose/tile.cuh"

#include <bit>

namespace myblas::cuda {

inline constexpr int thin_limit = 48; // largest min(m, n) that is accepted
inline constexpr int thin_threads = 256;
inline constexpr int thin_unroll = 8; // loads of a thread in flight

struct thin_shape {
    int thin;    // min(m, n)
    int stretch; // of the long extent; a power of two
    int pitch;   // elements between runs in shared memory
};

// About 16 KiB of elements, at most 4096, for each block. Runs are shifted by one bank for each
// neighbouring lane with elements of one run, so that neighbours in storage order are spread over
// all banks.
template <class T>
thin_shape shape_thin(const transpose_problem& p) {
    const int elements = std::min<int>(4096, 16384 / sizeof(T));
    const int thin = static_cast<int>(std::max<int64_t>(1, std::min(p.m, p.n)));
    const int stretch = static_cast<int>(std::bit_floor(static_cast<unsigned>(elements / thin)));
    const int lanes = std::min<int>(32, 128 / sizeof(T));
    return {thin, stretch, stretch + ceil_div(lanes, thin)};
}

template <class T>
inline constexpr size_t
    thin_smem_bytes_max = sizeof(T) * (std::min<size_t>(4096, 16384 / sizeof(T)) + thin_limit + 32);

inline bool is_thin(const transpose_problem& p) { return std::min(p.m, p.n) <= thin_limit; }

// A thread's walk over elements number threadIdx.x, threadIdx.x + threads, ... of a stretch.
// Element number t + l * thin is in thin row t and at l along the stretch.
struct thin_walk {
    int t, l;
    int step_t, step_l, thin;

    __device__ thin_walk(int thin)
        : t(threadIdx.x % thin), l(threadIdx.x / thin), step_t(thin_threads % thin),
          step_l(thin_threads / thin), thin(thin) {}

    __device__ void advance() {
        t += step_t;
        l += step_l;
        if (t >= thin) {
            t -= thin;
            ++l;
        }
    }
};

// thin_rows: the thin extent is m, and A has the short side. Otherwise it is n, and B has it.
template <class T, bool thin_rows>
__global__ void __launch_bounds__(thin_threads)
    transpose_thin(transpose_problem p, thin_shape shape) {
    extern __shared__ __align__(16) unsigned char smem_bytes[];
    T* smem = reinterpret_cast<T*>(smem_bytes); // (thin, stretch), runs of `pitch`
    const int64_t extent = thin_rows ? p.n : p.m;
    const int64_t ld_short = thin_rows ? p.lda : p.ldb;
    const int64_t ld_long = thin_rows ? p.ldb : p.lda;
    const int log_stretch = 31 - __clz(shape.stretch);
    const int elements = shape.thin * shape.stretch;

    for (int64_t l0 = int64_t{blockIdx.x} * shape.stretch; l0 < extent;
         l0 += int64_t{gridDim.x} * shape.stretch) {
        const int valid = static_cast<int>(min(int64_t{shape.stretch}, extent - l0));
        const T* gmem_a = static_cast<const T*>(p.a) + (thin_rows ? l0 * ld_short : l0);
        T* gmem_b = static_cast<T*>(p.b) + (thin_rows ? l0 : l0 * ld_short);

        thin_walk from(shape.thin);
        for (int first = threadIdx.x; first < elements; first += thin_unroll * thin_threads) {
            T value[thin_unroll];
            int target[thin_unroll]; // in shared memory; negative: nothing was loaded
#pragma unroll
            for (int k = 0; k < thin_unroll; ++k) {
                const int e = first + k * thin_threads;
                const int t = thin_rows ? from.t : e >> log_stretch;
                const int l = thin_rows ? from.l : e & (shape.stretch - 1);
                const bool inside = t < shape.thin && l < valid;
                target[k] = inside ? t * shape.pitch + l : -1;
                if (inside)
                    value[k] = thin_rows ? gmem_a[t + l * ld_short] : gmem_a[l + t * ld_long];
                from.advance();
            }
#pragma unroll
            for (int k = 0; k < thin_unroll; ++k)
                if (target[k] >= 0)
                    smem[target[k]] = value[k];
        }
        __syncthreads(); // the stretch is complete

        thin_walk to(shape.thin);
#pragma unroll 4
        for (int e = threadIdx.x; e < elements; e += thin_threads) {
            const int t = thin_rows ? e >> log_stretch : to.t;
            const int l = thin_rows ? e & (shape.stretch - 1) : to.l;
            if (l < valid)
                gmem_b[thin_rows ? l + t * ld_long : t + l * ld_short] = smem[t * shape.pitch + l];
            to.advance();
        }
        __syncthreads(); // the stretch is free for the block's next one
    }
}

template <class T>
[[nodiscard]] myblasStatus_t launch_thin(const transpose_problem& p,
                                         const launch_context& context) {
    const thin_shape shape = shape_thin<T>(p);
    const size_t smem_bytes = sizeof(T) * shape.thin * shape.pitch;
    const bool thin_rows = p.m <= p.n;
    const dim3 grid = grid_of(tiles_of(thin_rows ? p.n : p.m, shape.stretch));
    const auto kernel = thin_rows ? transpose_thin<T, true> : transpose_thin<T, false>;
    return launch(kernel, grid, thin_threads, smem_bytes, context, p, shape);
}

} // namespace myblas::cuda
