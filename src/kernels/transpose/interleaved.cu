// B = A^T of a thin matrix, by stretches of its long extent and asynchronous copies.
//
// Square tiles would leave most lanes idle where min(m, n) is small. Here a block takes a stretch of the
// long extent over the whole thin one. One of the two sides is then a single run of memory when its
// leading dimension is tight, and the other a run for each of the thin extent's rows or columns. Runs
// are copied to shared memory as images: with the 16-byte grid of their own memory, so that the copies
// are of 16 bytes whatever the alignment. Images are read element by element, neighbouring lanes in the
// order of B's memory; elements of 1 and 2 bytes leave as words of 4 bytes, put together in registers.
//
// Adds to `unrolled`'s stretches: copies past the registers, all of a block's under way at once; images.
//
// Bound: 2 m n elements moved.  Block: 256 threads, a stretch of 1 to 32 KiB, one stage.
// Accepts: out of place, min(m, n) <= 48.
//
//      A: short side, t + l * ld            smem: one image               B: long side, l + t * ld
//      t0 t1 t2 | t0 t1 t2 | ...     ->     t0 t1 t2 t0 t1 t2 ...   ->    l0 l1 l2 l3 ...  (run t0)
//      (l0)       (l1)                                                    l0 l1 l2 l3 ...  (run t1)
//
//      A: long side                         smem: an image each run       B: short side
//      l0 l1 l2 l3 ...  (run t0)     ->     l0 l1 l2 l3 ...         ->    t0 t1 t2 | t0 t1 t2 | ...
//      l0 l1 l2 l3 ...  (run t1)            l0 l1 l2 l3 ...               (l0)       (l1)

#include "kernels/common/overlap.h"
#include "kernels/transpose/mover.h"
#include "kernels/transpose/registry.h"

#include <bit>

namespace myblas::cuda {
namespace {

constexpr int threads = 256;
constexpr int image_bytes_max = 32 * 1024; // of a stretch's elements
constexpr int image_bytes_min = 1024;
constexpr int thin_max = 48;
constexpr int few = 4;           // runs
constexpr int blocks_per_sm = 4; // at least, before stretches get longer
constexpr int stretch_min = 16;  // whole vectors of the smallest elements

struct stretch_shape {
    int thin;      // min(m, n)
    int log;       // of the stretch, a power of two
    int run_pitch; // bytes from one run's image to the next
    bool
        permuted; // the image of a short side, lest lanes a multiple of 32 bytes apart meet few banks
};

constexpr size_t smem_bytes_max = image_bytes_max + (thin_max + 8) * 16;
static_assert(thin_max * stretch_min * max_element_bytes <= image_bytes_max);
static_assert(smem_bytes_max <= 48 * 1024);

// Where vector `unit` of an image lies, in vectors.
__device__ __forceinline__ int unit_place(int unit, bool permuted) {
    return permuted ? unit ^ (unit >> 3 & 7) : unit;
}

// Byte `byte` of an image.
__device__ __forceinline__ int byte_place(int byte, bool permuted) {
    return unit_place(byte / 16, permuted) * 16 + byte % 16;
}

// Bytes by which a run starts past the 16-byte grid of its memory.
template <class T>
__device__ __forceinline__ int misfit(const T* gmem) {
    return static_cast<int>(reinterpret_cast<uintptr_t>(gmem) % sizeof(vector16));
}

// Issues the copy of vector `unit` of the image of `count` elements.
template <class T>
__device__ __forceinline__ void
copy_unit(unsigned char* image, const T* run, int count, int unit, bool permuted) {
    const int begin = unit * 16 - misfit(run), end = count * static_cast<int>(sizeof(T));
    unsigned char* target = image + unit_place(unit, permuted) * 16;
    const unsigned char* source = reinterpret_cast<const unsigned char*>(run) + begin;
    if (begin >= 0 && begin + 16 <= end) {
        cp_async<16>(target, source, true);
        return;
    }
    for (int k = 0; k < 16; k += sizeof(T)) // a vector that the run starts or ends in
        if (begin + k >= 0 && begin + k < end)
            *reinterpret_cast<T*>(target + k) = *reinterpret_cast<const T*>(source + k);
}

// A thread's walk over the elements t + l * thin = first, first + step, ... of a stretch.
struct walk {
    int t, l;
    int step_t, step_l, thin;

    __device__ explicit walk(int thin, int first = threadIdx.x, int step = threads)
        : t(first % thin), l(first / thin), step_t(step % thin), step_l(step / thin), thin(thin) {}

    __device__ __forceinline__ void advance() { move(step_t, step_l); }
    __device__ __forceinline__ void advance_one() { move(thin > 1, thin == 1); }

private:
    __device__ __forceinline__ void move(int by_t, int by_l) {
        t += by_t;
        l += by_l;
        if (t >= thin) {
            t -= thin;
            ++l;
        }
    }
};

// A's short side: one image, in which the elements are tight.
template <class T>
__device__ __forceinline__ void load_short_side(
    unsigned char* image, const T* gmem, int64_t ld, int valid, const stretch_shape& shape) {
    if (ld == shape.thin) {
        const int count = valid * shape.thin;
        const int bytes = misfit(gmem) + count * static_cast<int>(sizeof(T));
#pragma unroll 4
        for (int unit = threadIdx.x; unit * 16 < bytes; unit += threads)
            copy_unit(image, gmem, count, unit, shape.permuted);
        return;
    }
    for (walk at(shape.thin); at.l < valid; at.advance()) {
        const int byte = (at.t + at.l * shape.thin) * static_cast<int>(sizeof(T)) + misfit(gmem);
        T* target = reinterpret_cast<T*>(image + byte_place(byte, shape.permuted));
        const T* source = gmem + at.t + at.l * ld;
        if constexpr (sizeof(T) >= 4)
            cp_async<sizeof(T)>(target, source, true);
        else
            *target = *source;
    }
}

// A's long side: an image for each run.
template <class T>
__device__ __forceinline__ void load_long_side(
    unsigned char* image, const T* gmem, int64_t ld, int valid, const stretch_shape& shape) {
    const int units = (static_cast<int>(sizeof(T)) << shape.log) / 16; // a power of two
    const int log_units = 31 - __clz(units);
#pragma unroll 4
    for (int e = threadIdx.x; e < shape.thin << log_units; e += threads) {
        const int t = e >> log_units, unit = e & (units - 1);
        copy_unit(image + t * shape.run_pitch, gmem + t * ld, valid, unit, false);
    }
    for (int t = threadIdx.x; t < shape.thin; t += threads) // one more for a misfit
        copy_unit(image + t * shape.run_pitch, gmem + t * ld, valid, units, false);
}

template <class T>
__device__ __forceinline__ T read(const unsigned char* image, int byte) {
    return *reinterpret_cast<const T*>(image + byte);
}

// Elements of 1 and 2 bytes leave as words of 4 wherever a word of B's memory is the run's alone: `read(e)`
// is element e of a run of `count`. Word g covers elements g * v - misfit to g * v - misfit + v - 1.
template <class T>
inline constexpr int word_elements = 4 / static_cast<int>(sizeof(T));

template <class T>
__device__ __forceinline__ int word_misfit(const T* run) {
    return static_cast<int>(reinterpret_cast<uintptr_t>(run) % 4 / sizeof(T));
}

template <class T, class Read>
__device__ __forceinline__ void store_word(T* run, int count, int first, Read read) {
    constexpr int v = word_elements<T>;
    if (first >= 0 && first + v <= count) {
        uint32_t word = 0;
#pragma unroll
        for (int k = 0; k < v; ++k)
            word |= static_cast<uint32_t>(read(first + k)) << (8 * sizeof(T) * k);
        __stcs(reinterpret_cast<uint32_t*>(run + first), word);
        return;
    }
    for (int k = 0; k < v; ++k) // a word that the run starts or ends in
        if (first + k >= 0 && first + k < count)
            __stcs(run + first + k, read(first + k));
}

// B's long side from A's short one, by words.
template <class T>
__device__ __forceinline__ void store_long_words(const unsigned char* image,
                                                 int shift,
                                                 T* gmem,
                                                 int64_t ld,
                                                 int valid,
                                                 const stretch_shape& shape) {
    constexpr int v = word_elements<T>, bytes = sizeof(T);
    const int log_words = shape.log - (v == 4 ? 2 : 1);
    const auto store = [&](int t, int word) {
        T* run = gmem + t * ld;
        store_word(run, valid, word * v - word_misfit(run), [&](int l) {
            return read<T>(image, byte_place(shift + (t + l * shape.thin) * bytes, shape.permuted));
        });
    };
#pragma unroll 4
    for (int e = threadIdx.x; e < shape.thin << log_words; e += threads)
        store(e >> log_words, e & ((1 << log_words) - 1));
    for (int t = threadIdx.x; t < shape.thin; t += threads) // one more for a misfit
        store(t, 1 << log_words);
}

// Where the run of thin row t of A's long side starts among the images.
template <class T>
struct run_places {
    uint32_t first, step; // the low bits of the runs' addresses
    int pitch;

    __device__ run_places(const T* gmem, int64_t ld, int pitch)
        : first(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(gmem))),
          step(static_cast<uint32_t>(ld * sizeof(T))), pitch(pitch) {}

    __device__ __forceinline__ int operator()(int t) const {
        return t * pitch + static_cast<int>((first + t * step) % sizeof(vector16));
    }
};

// B's short side, tight, from A's long one, by words.
template <class T>
__device__ __forceinline__ void store_short_words(
    const unsigned char* image, const run_places<T>& run_at, T* gmem, int valid, int thin) {
    constexpr int v = word_elements<T>;
    const int count = valid * thin, head = (v - word_misfit(gmem)) % v;
    const auto next_of = [&](walk& at) {
        const T value = read<T>(image, run_at(at.t) + at.l * static_cast<int>(sizeof(T)));
        at.advance_one();
        return value;
    };
    if (static_cast<int>(threadIdx.x) < min(head, count)) {
        walk at(thin);
        __stcs(gmem + threadIdx.x, next_of(at));
    }
    walk at(thin, head + threadIdx.x * v, threads * v);
#pragma unroll 4
    for (int first = head + threadIdx.x * v; first < count; first += threads * v) {
        walk of_word = at;
        store_word(gmem, count, first, [&](int) { return next_of(of_word); });
        at.advance();
    }
}

template <class T, bool thin_rows>
__global__ void __launch_bounds__(threads)
    interleaved(transpose_problem p, stretch_shape shape, uint32_t stretches) {
    extern __shared__ __align__(16) unsigned char smem[];
    wait_for_earlier_work();
    const uint32_t batch = blockIdx.x / stretches;
    const int64_t l0 = int64_t{blockIdx.x - batch * stretches} << shape.log;
    const int valid = static_cast<int>(min(int64_t{1} << shape.log, (thin_rows ? p.n : p.m) - l0));
    const T* gmem_a =
        static_cast<const T*>(p.a) + batch * p.stride_a + (thin_rows ? l0 * p.lda : l0);
    T* gmem_b = static_cast<T*>(p.b) + batch * p.stride_b + (thin_rows ? l0 : l0 * p.ldb);
    constexpr int bytes = sizeof(T);

    if constexpr (thin_rows) {
        load_short_side(smem, gmem_a, p.lda, valid, shape);
        wait_for_tile();
        const int shift = misfit(gmem_a);
        if constexpr (bytes < 4) {
            store_long_words(smem, shift, gmem_b, p.ldb, valid, shape);
        } else {
#pragma unroll 8
            for (int e = threadIdx.x; e < shape.thin << shape.log; e += threads) {
                const int t = e >> shape.log, l = e & ((1 << shape.log) - 1);
                const int byte = shift + (t + l * shape.thin) * bytes;
                if (l < valid)
                    __stcs(gmem_b + l + t * p.ldb, read<T>(smem, byte_place(byte, shape.permuted)));
            }
        }
    } else {
        load_long_side(smem, gmem_a, p.lda, valid, shape);
        wait_for_tile();
        const run_places<T> run_at(gmem_a, p.lda, shape.run_pitch);
        if constexpr (bytes < 4) {
            if (p.ldb == shape.thin) {
                store_short_words(smem, run_at, gmem_b, valid, shape.thin);
                return;
            }
        }
        walk at(shape.thin);
#pragma unroll 8
        for (int e = threadIdx.x; e < valid * shape.thin; e += threads) {
            __stcs(gmem_b + at.t + at.l * p.ldb, read<T>(smem, run_at(at.t) + at.l * bytes));
            at.advance();
        }
    }
}

// Blocks for all multiprocessors, if the matrix has so much; longer stretches where runs are many, so
// that they share fewer sectors.
template <class T>
stretch_shape shape_of(const transpose_problem& p, const device_info& device) {
    const int thin = static_cast<int>(std::min(p.m, p.n)), bytes = sizeof(T);
    const int64_t share = p.m * p.n * bytes * p.batch_count / (blocks_per_sm * device.sm_count);
    const int64_t most = thin <= few ? image_bytes_max / 2 : image_bytes_max;
    const int64_t image_bytes = std::clamp<int64_t>(share, image_bytes_min, most);
    const auto stretch =
        static_cast<unsigned>(std::max<int64_t>(stretch_min, image_bytes / bytes / thin));
    const int log = std::bit_width(stretch) - 1;
    return {thin, log, (bytes << log) + 16, p.m <= p.n && thin * bytes % 32 == 0};
}

// The image, by the vectors that its misfits and permutation may add.
template <class T>
size_t smem_bytes(const stretch_shape& shape) {
    return (size_t{sizeof(T)} * shape.thin << shape.log) + (shape.thin + 8) * 16;
}

bool accepts_thin(const transpose_problem& p, const device_info&) {
    return !p.in_place() && std::min(p.m, p.n) <= thin_max &&
           std::max(p.m, p.n) <= max_tiles * stretch_min;
}

myblasStatus_t launch_interleaved(const transpose_problem& p, const launch_context& context) {
    return with_element(p.element_bytes, [&]<class T>(T) {
        const stretch_shape shape = shape_of<T>(p, *context.device);
        const bool thin_rows = p.m <= p.n;
        const int64_t stretches = tiles_of(thin_rows ? p.n : p.m, 1 << shape.log);
        const auto kernel = thin_rows ? interleaved<T, true> : interleaved<T, false>;
        return launch_parts(
            p, stretches, 1, [&](const transpose_problem& part, const tile_order& order) {
                return launch_clusters(kernel,
                                       dim3(order.tiles),
                                       1,
                                       true,
                                       threads,
                                       smem_bytes<T>(shape),
                                       context,
                                       part,
                                       shape,
                                       static_cast<uint32_t>(stretches));
            });
    });
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_interleaved = {
    .name = "interleaved",
    .description = "thin matrices by stretches of the long extent, asynchronous copies of 16 bytes",
    .threads = threads,
    .stages = 1,
    .smem_bytes = smem_bytes_max,
    .accepts = accepts_thin,
    .launch = launch_interleaved,
};

} // namespace myblas::cuda
