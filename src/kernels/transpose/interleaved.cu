// B = A^T of a thin matrix, in stretches of its long extent, by asynchronous copies.
//
// Square tiles would leave most lanes idle if min(m, n) is small. Here a block has a stretch of the
// long extent, and all of the thin extent. One of the two sides, A or B, is then a single run of
// memory if its leading dimension is tight. The other side has one run for each row or column of
// the thin extent.
//
// Runs are copied to shared memory as images, with the same offset from a 16-byte boundary as in
// memory: so all copies are of 16 bytes at any alignment. Images are read element by element, with
// neighbouring lanes in the order of B's memory. Elements of 1 and 2 bytes are joined in registers
// and stored as words of 4 bytes.
//
// Vectors are not cut where a run starts or ends: the bytes beside a run are the next run's or
// padding, and the image has room for them. Only before and after the matrix are words copied one
// by one.
//
// Elements of 4 bytes and more are stored in whole sectors of B, 32 bytes, each by one warp at
// once. Runs of B's long side are windows, shifted to the left so that they start on a sector. The
// stretch then needs `overlap` more columns on its left, unless all runs start on sectors. Columns
// of B's short side follow each other in memory: lanes go on from one column to the next across the
// padding, and a warp writes a cache line. If the padding is long, each column has lanes from its
// first sector on. The loops have no division and almost no bounds checks: the rate of instructions
// limits them.
//
// If the matrix has fewer elements than the device has threads, all this would take longer than the
// copy. Then each thread moves one element without an image, and computes its addresses before
// earlier work has ended.
//
// Adds to the tiles of `unrolled`: copies past the registers, all of a block's copies in flight
// at once; images; whole sectors.
//
// Bound: 2 m n elements moved.
// Launch: 256 threads, a stretch of 1 to 32 KiB, or more if runs would be shorter than 512 bytes;
// one stage.
// Accepts: out of place, min(m, n) <= 128 (40 for elements of 1 and 2 bytes).
//
//      A: short side, t + l * ld            smem: one image               B: long side, l + t * ld
//      t0 t1 t2 | t0 t1 t2 | ...     ->     t0 t1 t2 t0 t1 t2 ...   ->    l0 l1 l2 ...  (run t0)
//      (l0)       (l1)                                                    l0 l1 l2 ...  (run t1)
//
//      A: long side                         smem: an image each run       B: short side
//      l0 l1 l2 l3 ...  (run t0)     ->     l0 l1 l2 l3 ...         ->    t0 t1 t2 | t0 t1 ...
//      l0 l1 l2 l3 ...  (run t1)            l0 l1 l2 l3 ...               (l0)       (l1)

#include "kernels/common/overlap.cuh"
#include "kernels/transpose/mover.cuh"
#include "kernels/transpose/registry.h"

#include <bit>
#include <utility>

namespace myblas::cuda {
namespace {

constexpr int log_threads = 8, threads = 1 << log_threads;
constexpr int image_bytes_min = 1024;            // of a stretch, at least
constexpr int image_bytes_most = 32 * 1024;      // of a stretch, at most, if runs are long enough
constexpr int image_bytes_least_run = 72 * 1024; // at most, if they are not
constexpr int least_run_bytes = 512;             // a run has 17 sectors; it shares one of them
constexpr int few = 4;                           // runs
constexpr int blocks_per_sm = 4;                 // at least, before stretches get longer
constexpr int stretch_min = 16;                  // a whole vector of the smallest elements
constexpr int direct_thin_max = 16;              // for threads that move single elements
constexpr int direct_blocks_per_sm = 8;          // at most: all threads of a multiprocessor
constexpr int sector_bytes = 32, line_bytes = 128;

constexpr int thin_max(int element_bytes) { return element_bytes < 4 ? 40 : 128; }

// Elements of a sector, the most by which windows of B are shifted. Small elements are stored as
// words, and their windows are not shifted.
template <class T>
inline constexpr int overlap_max = sizeof(T) < 4 ? 0 : sector_bytes / static_cast<int>(sizeof(T));

struct stretch_shape {
    int thin;               // min(m, n)
    int log;                // of the length of the stretch, a power of two
    bool is_direct = false; // no images: one element for each thread
    int run_pitch = 0;      // of A's long side: bytes between the images of two runs
    int pitch = 0;          // of A's short side: elements between columns
    int overlap = 0;        // of A's short side: columns by which windows of B may be shifted
    // The image of A's short side is permuted: lanes a multiple of 32 bytes apart would meet few
    // banks.
    bool is_permuted = false;
};

// Bytes of the image, with the vectors that misfits, permutation and overlap may add.
constexpr size_t smem_bytes_of(size_t image_bytes, int thin) {
    return image_bytes + thin * sector_bytes + (thin + 8) * sizeof(vector16);
}
constexpr size_t smem_bytes_max = smem_bytes_of(image_bytes_least_run, thin_max(4));
static_assert(thin_max(4) * stretch_min * max_element_bytes <= image_bytes_most);

// The place of vector `unit` of an image, in vectors.
__device__ __forceinline__ int unit_place(int unit, bool permuted) {
    return permuted ? unit ^ (unit >> 3 & 7) : unit;
}

// The place of byte `byte` of an image.
__device__ __forceinline__ int byte_place(int byte, bool permuted) {
    return unit_place(byte / 16, permuted) * 16 + byte % 16;
}

// Bytes between a run and the 16-byte boundary before it.
template <class T>
__device__ __forceinline__ int misfit(const T* gmem) {
    return static_cast<int>(reinterpret_cast<uintptr_t>(gmem) % sizeof(vector16));
}

// The memory of A, and whether it holds all vectors that a block copies.
struct extent_of {
    const unsigned char *begin, *end;
    bool holds_block;

    // The block copies from `first` to `last`.
    template <class T>
    __device__ extent_of(const transpose_problem& p, const T* a, const T* first, const T* last)
        : begin(reinterpret_cast<const unsigned char*>(a)),
          end(reinterpret_cast<const unsigned char*>(a + (p.n - 1) * p.lda + p.m)),
          holds_block(reinterpret_cast<const unsigned char*>(first) >= begin + sizeof(vector16) &&
                      reinterpret_cast<const unsigned char*>(last) + 2 * sizeof(vector16) <= end) {}
};

// Issues the copy of a vector.
template <class T>
__device__ __forceinline__ void
copy_vector(unsigned char* target, const unsigned char* source, const extent_of& memory) {
    if (memory.holds_block || (source >= memory.begin && source + 16 <= memory.end)) {
        cp_async<16>(target, source, true);
        return;
    }
    constexpr int word = sizeof(T) < 4 ? 4 : sizeof(T);
#pragma unroll 1
    for (int k = 0; k < 16; k += word) // a vector in which the matrix starts or ends
        if (source + k >= memory.begin && source + k + word <= memory.end) {
            cp_async<word>(target + k, source + k, true);
        } else if constexpr (sizeof(T) < 4) {
#pragma unroll 1
            for (int c = k; c < k + word; c += sizeof(T))
                if (source + c >= memory.begin && source + c < memory.end)
                    *reinterpret_cast<T*>(target + c) = *reinterpret_cast<const T*>(source + c);
        }
}

// A thread's walk over elements number first, first + step, ... of a stretch. Element number
// t + l * thin is in thin row t and at l along the stretch.
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

// Copies `count` columns of A's short side to one image, shape.pitch elements apart.
template <class T>
__device__ __forceinline__ void load_short_side(unsigned char* image,
                                                const T* gmem,
                                                int64_t ld,
                                                int count,
                                                const stretch_shape& shape,
                                                const extent_of& memory) {
    if (ld == shape.pitch) {
        const int bytes = misfit(gmem) + count * shape.pitch * static_cast<int>(sizeof(T));
        const auto* const source = reinterpret_cast<const unsigned char*>(gmem) - misfit(gmem);
#pragma unroll 4
        for (int unit = threadIdx.x; unit * 16 < bytes; unit += threads)
            copy_vector<T>(
                image + unit_place(unit, shape.is_permuted) * 16, source + unit * 16, memory);
        return;
    }
    for (walk at(shape.thin); at.l < count; at.advance()) {
        const int byte = (at.t + at.l * shape.pitch) * static_cast<int>(sizeof(T)) + misfit(gmem);
        T* target = reinterpret_cast<T*>(image + byte_place(byte, shape.is_permuted));
        const T* source = gmem + at.t + at.l * ld;
        if constexpr (sizeof(T) >= 4)
            cp_async<sizeof(T)>(target, source, true);
        else
            *target = *source;
    }
}

// Copies A's long side to an image for each run. The pitch of the images equals A's leading
// dimension modulo 16 bytes, so that the images are a matrix too: run t starts at
// misfit + t * pitch.
template <class T>
__device__ __forceinline__ void load_long_side(unsigned char* image,
                                               const T* gmem,
                                               int64_t ld,
                                               int valid,
                                               const stretch_shape& shape,
                                               const extent_of& memory) {
    const int log_units = shape.log - (31 - __clz(16 / static_cast<int>(sizeof(T))));
    const int units = valid * static_cast<int>(sizeof(T)) / 16 + 2; // vectors, with two for misfits
    const auto copy = [&](int t, int unit) {
        const auto* const run = reinterpret_cast<const unsigned char*>(gmem + t * ld);
        const int late = misfit(run);
        if (unit < units)
            copy_vector<T>(image + misfit(gmem) + t * shape.run_pitch - late + unit * 16,
                           run - late + unit * 16,
                           memory);
    };
#pragma unroll 4
    for (int e = threadIdx.x; e < shape.thin << log_units; e += threads)
        copy(e >> log_units, e & ((1 << log_units) - 1));
    for (int t = threadIdx.x; t < shape.thin; t += threads) // one more vector for a misfit
        copy(t, 1 << log_units);
}

template <class T>
__device__ __forceinline__ T read(const unsigned char* image, int byte) {
    return *reinterpret_cast<const T*>(image + byte);
}

// Elements of 1 and 2 bytes are stored as words of 4 bytes, if a word of B's memory belongs to one
// run only. `read(e)` is element e of a run of `count`. Word g has elements g * v - misfit to
// g * v - misfit + v - 1.
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
    for (int k = 0; k < v; ++k) // a word in which the run starts or ends
        if (first + k >= 0 && first + k < count)
            __stcs(run + first + k, read(first + k));
}

// Stores B's long side from A's short side, as words.
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
            return read<T>(image,
                           byte_place(shift + (t + l * shape.pitch) * bytes, shape.is_permuted));
        });
    };
#pragma unroll 4
    for (int e = threadIdx.x; e < shape.thin << log_words; e += threads)
        store(e >> log_words, e & ((1 << log_words) - 1));
    for (int t = threadIdx.x; t < shape.thin; t += threads) // one more word for a misfit
        store(t, 1 << log_words);
}

// The byte among the images at which the run of thin row t of A's long side starts.
struct run_places {
    int first, pitch;

    __device__ __forceinline__ int operator()(int t) const { return first + t * pitch; }
};

// Stores B's tight short side from A's long side, as words.
template <class T>
__device__ __forceinline__ void store_short_words(
    const unsigned char* image, const run_places& run_at, T* gmem, int valid, int thin) {
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
#pragma unroll 2
    for (int first = head + threadIdx.x * v; first < count; first += threads * v) {
        walk of_word = at;
        store_word(gmem, count, first, [&](int) { return next_of(of_word); });
        at.advance();
    }
}

// Elements between `gmem` and the boundary of `bytes` bytes before it.
template <int bytes, class T>
__device__ __forceinline__ int late_after(const T* gmem) {
    return static_cast<int>(reinterpret_cast<uintptr_t>(gmem) % bytes / sizeof(T));
}

// Stores B's long side from A's short side, in sectors: of run t the window that starts at the
// sector of its first column. The image starts `before` columns left of B's first column. `rest`:
// columns from B's first one to the matrix's last.
template <class T>
__device__ __forceinline__ void store_long_sectors(const unsigned char* image,
                                                   int shift,
                                                   T* gmem,
                                                   int64_t ld,
                                                   int before,
                                                   int64_t rest,
                                                   const stretch_shape& shape) {
    constexpr int bytes = sizeof(T);
    // Threads for a run: so few that each has several elements, which makes a run's start cheap.
    const int log_lanes = min(max(shape.log - 2, 5), 31 - __clz(threads)), lanes = 1 << log_lanes;
    const int column = shape.pitch * bytes;
    for (int t = threadIdx.x >> log_lanes; t < shape.thin; t += threads >> log_lanes) {
        T* to = gmem + t * ld;
        const int late = late_after<sector_bytes>(to);
        const int end = static_cast<int>(min(rest, int64_t{(1 << shape.log) - late}));
        int l = (threadIdx.x & (lanes - 1)) - late;
        int byte = shift + t * bytes + (l + before) * column;
        to += l;
#pragma unroll 4
        for (; l < end; l += lanes, byte += lanes * column, to += lanes)
            if (l >= -before)
                __stcs(to, read<T>(image, byte_place(byte, shape.is_permuted)));
    }
}

// Stores B's short side from A's long side, in sectors.
template <class T>
__device__ __forceinline__ void store_short_sectors(const unsigned char* image,
                                                    const run_places& run_at,
                                                    T* gmem,
                                                    int64_t ld,
                                                    int valid,
                                                    int thin) {
    constexpr int bytes = sizeof(T);
    constexpr int sector = overlap_max<T>, line = line_bytes / bytes;
    const int whole = (thin + 2 * sector - 2) / sector * sector; // for any alignment
    if (ld > whole) {                                            // each column separately
        for (walk lane(whole); lane.l < valid; lane.advance()) {
            T* to = gmem + lane.l * ld;
            const int t = lane.t - late_after<sector_bytes>(to);
            if (t >= 0 && t < thin)
                __stcs(to + t, read<T>(image, run_at(t) + lane.l * bytes));
        }
        return;
    }
    // Goes over elements of B from the start of a cache line on. The first `late` elements do not
    // belong to the block. Element t of column l is at byte run_at(t) + l * bytes.
    const int pitch = static_cast<int>(ld), late = late_after<line_bytes>(gmem);
    // `line` columns are added, so that it is not negative.
    const int place = threadIdx.x - late + line * pitch;
    int t = place % pitch, byte = run_at(t) + (place / pitch - line) * bytes;
    const int step_t = threads % pitch, step = step_t * run_at.pitch + threads / pitch * bytes;
    const int next_column = bytes - pitch * run_at.pitch;
    T* to = gmem + static_cast<int>(threadIdx.x) - late;
#pragma unroll 8
    for (int e = static_cast<int>(threadIdx.x) - late; e < valid * pitch; e += threads) {
        if (e >= 0 && t < thin)
            __stcs(to, read<T>(image, byte));
        to += threads;
        t += step_t;
        byte += step;
        if (t >= pitch) {
            t -= pitch;
            byte += next_column;
        }
    }
}

// Each thread moves one element; neighbouring threads have neighbours in B's memory. A power of two
// of lanes covers the thin extent.
template <class T, bool thin_rows>
__device__ __forceinline__ void move_element(
    const T* gmem_a, int64_t lda, T* gmem_b, int64_t ldb, int valid, const stretch_shape& shape) {
    const int log_low = thin_rows ? shape.log : log_threads - shape.log;
    const int low = threadIdx.x & ((1 << log_low) - 1), high = threadIdx.x >> log_low;
    const T* const from = gmem_a + high + low * lda;
    T* const to = gmem_b + low + high * ldb;
    grid_dependency_sync();
    if (low < (thin_rows ? valid : shape.thin) && high < (thin_rows ? shape.thin : valid))
        __stcs(to, *from);
}

template <class T, bool thin_rows>
__global__ void __launch_bounds__(threads)
    interleaved(transpose_problem p, stretch_shape shape, uint32_t stretches) {
    extern __shared__ __align__(16) unsigned char smem[];
    const uint32_t batch = blockIdx.x / stretches;
    const int64_t l0 = int64_t{blockIdx.x - batch * stretches} << shape.log;
    const int64_t rest = (thin_rows ? p.n : p.m) - l0;
    const int valid = static_cast<int>(min(int64_t{1} << shape.log, rest));
    const T* const matrix = static_cast<const T*>(p.a) + batch * p.stride_a;
    const T* gmem_a = matrix + (thin_rows ? l0 * p.lda : l0);
    T* gmem_b = static_cast<T*>(p.b) + batch * p.stride_b + (thin_rows ? l0 : l0 * p.ldb);
    if (shape.is_direct) {
        move_element<T, thin_rows>(gmem_a, p.lda, gmem_b, p.ldb, valid, shape);
        return;
    }

    if constexpr (thin_rows) {
        const int before = l0 == 0 ? 0 : shape.overlap;
        const int count = valid + before;
        gmem_a -= before * p.lda;
        const extent_of memory(p, matrix, gmem_a, gmem_a + count * p.lda);
        grid_dependency_sync();
        load_short_side(smem, gmem_a, p.lda, count, shape, memory);
        wait_for_tile();
        if constexpr (sizeof(T) < 4)
            store_long_words(smem, misfit(gmem_a), gmem_b, p.ldb, count, shape);
        else
            store_long_sectors(smem, misfit(gmem_a), gmem_b, p.ldb, before, rest, shape);
    } else {
        const extent_of memory(p, matrix, gmem_a, gmem_a + valid + (p.n - 1) * p.lda);
        grid_dependency_sync();
        load_long_side(smem, gmem_a, p.lda, valid, shape, memory);
        wait_for_tile();
        const run_places run_at{misfit(gmem_a), shape.run_pitch};
        if constexpr (sizeof(T) >= 4) {
            store_short_sectors(smem, run_at, gmem_b, p.ldb, valid, shape.thin);
        } else if (p.ldb == shape.thin) {
            store_short_words(smem, run_at, gmem_b, valid, shape.thin);
        } else {
            walk at(shape.thin);
            for (int e = threadIdx.x; e < valid * shape.thin; e += threads, at.advance())
                __stcs(gmem_b + at.t + at.l * p.ldb,
                       read<T>(smem, run_at(at.t) + at.l * static_cast<int>(sizeof(T))));
        }
    }
}

// Whether all runs of B's long side start on sector boundaries.
bool has_whole_runs(const transpose_problem& p) {
    const uint64_t pitches = (p.m > 1 ? p.ldb : 0) | (p.batch_count > 1 ? p.stride_b : 0);
    return (reinterpret_cast<uintptr_t>(p.b) | pitches * p.element_bytes) % sector_bytes == 0;
}

// Stretches are short enough for blocks on all multiprocessors, if the matrix is that large. Many
// runs get longer stretches, so that they share fewer sectors. The padding of a short side is
// copied too if it is less than a sector.
template <class T>
stretch_shape shape_of(const transpose_problem& p, const device_info& device) {
    const int thin = static_cast<int>(std::min(p.m, p.n)), bytes = sizeof(T);
    const bool has_short_a = p.m <= p.n;
    const int pitch = has_short_a && p.lda - thin < overlap_max<T> ? static_cast<int>(p.lda) : thin;
    const int direct_log = log_threads - std::bit_width(static_cast<unsigned>(thin - 1));
    if (thin <= direct_thin_max && tiles_of(std::max(p.m, p.n), 1 << direct_log) * p.batch_count <=
                                       int64_t{direct_blocks_per_sm} * device.sm_count)
        return {.thin = thin, .log = direct_log, .is_direct = true};
    const int64_t share = p.m * p.n * bytes * p.batch_count / (blocks_per_sm * device.sm_count);
    const auto stretch_of = [&](int64_t image_bytes) {
        const int64_t elements = std::clamp<int64_t>(share, image_bytes_min, image_bytes) / bytes;
        return std::bit_floor(
            static_cast<unsigned>(std::max<int64_t>(stretch_min, elements / pitch)));
    };
    const unsigned least =
        std::min<unsigned>(least_run_bytes / bytes, stretch_of(image_bytes_least_run));
    const unsigned stretch =
        std::max(least, stretch_of(thin <= few ? image_bytes_most / 2 : image_bytes_most));
    const int log = std::bit_width(stretch) - 1;
    const int run_pitch = (bytes << log) + 16 + static_cast<int>(p.lda * bytes % 16);
    const int overlap = has_short_a && !has_whole_runs(p) ? overlap_max<T> : 0;
    const bool permuted = has_short_a && pitch * bytes % 32 == 0;
    return {thin, log, false, run_pitch, pitch, overlap, permuted};
}

template <class T>
size_t smem_bytes(const stretch_shape& shape) {
    return shape.is_direct
               ? 0
               : smem_bytes_of(size_t{sizeof(T)} * shape.pitch << shape.log, shape.pitch);
}

bool accepts_thin(const transpose_problem& p, const device_info&) {
    return !p.in_place() && std::min(p.m, p.n) <= thin_max(p.element_bytes) &&
           std::max(p.m, p.n) <= max_tiles * stretch_min - sector_bytes;
}

myblasStatus_t prepare_interleaved(const device_info&) {
    return with_every_element([]<class T>(T) {
        const myblasStatus_t status = allow_smem(interleaved<T, true>, smem_bytes_max);
        return status ? status : allow_smem(interleaved<T, false>, smem_bytes_max);
    });
}

myblasStatus_t launch_interleaved(const transpose_problem& problem, const launch_context& context) {
    transpose_problem p = problem;
    if (p.n == 1 && p.ldb == 1) { // a plain copy: as a row its loops have fewer divisions
        p.n = std::exchange(p.m, 1);
        p.lda = 1, p.ldb = p.n;
    }
    return with_element(p.element_bytes, [&]<class T>(T) {
        const stretch_shape shape = shape_of<T>(p, *context.device);
        const bool thin_rows = p.m <= p.n;
        // Windows are shifted to the left: the windows of the last stretch may end before the last
        // column, and one more stretch holds the rest.
        const int64_t stretches =
            tiles_of(thin_rows ? p.n + std::max(shape.overlap - 1, 0) : p.m, 1 << shape.log);
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
    .prepare = prepare_interleaved,
    .launch = launch_interleaved,
};

} // namespace myblas::cuda
