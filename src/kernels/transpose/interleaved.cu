// B = A^T of a thin matrix, by stretches of its long extent and asynchronous copies.
//
// Square tiles would leave most lanes idle where min(m, n) is small. Here a block takes a stretch of the
// long extent over the whole thin one. One of the two sides is then a single run of memory when its
// leading dimension is tight, and the other a run for each of the thin extent's rows or columns. Runs
// are copied to shared memory as images: with the 16-byte grid of their own memory, so that the copies
// are of 16 bytes whatever the alignment. Images are read element by element, neighbouring lanes in the
// order of B's memory; elements of 1 and 2 bytes leave as words of 4 bytes, put together in registers.
//
// No vector is cut where a run starts or ends: the bytes beside a run are the next one's, or padding, and the
// image has room for them. Only before and after the matrix are there words to copy one by one.
//
// Elements of 4 bytes and more leave by whole sectors of B, 32 bytes, each written by one warp at once. Runs of
// B's long side are windows, shifted to the left so that they start on a sector; the stretch then needs
// `overlap` columns more on its left, unless all runs start on sectors. Columns of B's short side follow each other, so that lanes go on from
// one to the next across the padding, and a warp writes a line of memory; where the padding is long, each column has
// lanes from its first sector on. The loops have no division and next to no bounds: instructions are scarce here.
//
// Where all of the matrix is less than the device has threads for, all of that would take longer than the copy: each
// thread moves one element, past no image. Its addresses are known before earlier work has ended.
//
// Adds to `unrolled`'s stretches: copies past the registers, all of a block's under way at once; images;
// whole sectors.
//
// Bound: 2 m n elements moved.  Block: 256 threads, a stretch of 1 to 32 KiB, or more where that makes runs shorter
// than 512 bytes; one stage.  Accepts: out of place, min(m, n) <= 128 (elements of 1 and 2 bytes: 40).
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
#include <utility>

namespace myblas::cuda {
namespace {

constexpr int log_threads = 8, threads = 1 << log_threads;
constexpr int image_bytes_min = 1024;            // of a stretch's elements
constexpr int image_bytes_most = 32 * 1024;      // where runs are long enough
constexpr int image_bytes_least_run = 72 * 1024; // where they are not
constexpr int least_run_bytes = 512;             // share one sector of 17
constexpr int few = 4;                           // runs
constexpr int blocks_per_sm = 4;                 // at least, before stretches get longer
constexpr int stretch_min = 16;                  // whole vectors of the smallest elements
constexpr int direct_thin_max = 16;              // where threads move single elements
constexpr int direct_blocks_per_sm = 8;          // at most: all threads
constexpr int sector_bytes = 32, line_bytes = 128;

constexpr int thin_max(int element_bytes) { return element_bytes < 4 ? 40 : 128; }

// Elements of a sector, by which windows of B are shifted at most; small ones leave as words, which are not.
template <class T>
inline constexpr int overlap_max = sizeof(T) < 4 ? 0 : sector_bytes / static_cast<int>(sizeof(T));

struct stretch_shape {
    int thin;                 // min(m, n)
    int log;                  // of the stretch, a power of two
    bool is_direct = false;   // no images: an element for each thread; else
    int run_pitch = 0;        // of A's long side: bytes from one run's image to the next
    int pitch = 0;            // of A's short side: elements from a column to the next
    int overlap = 0;          // and columns by which windows of B may be shifted
    bool is_permuted = false; // its image, lest lanes a multiple of 32 bytes apart meet few banks
};

// The image, by the vectors that its misfits, permutation and overlap may add.
constexpr size_t smem_bytes_of(size_t image_bytes, int thin) {
    return image_bytes + thin * sector_bytes + (thin + 8) * sizeof(vector16);
}
constexpr size_t smem_bytes_max = smem_bytes_of(image_bytes_least_run, thin_max(4));
static_assert(thin_max(4) * stretch_min * max_element_bytes <= image_bytes_most);

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

// The memory of A, and whether all vectors that a block copies lie in it.
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
    for (int k = 0; k < 16; k += word) // a vector that the matrix starts or ends in
        if (source + k >= memory.begin && source + k + word <= memory.end) {
            cp_async<word>(target + k, source + k, true);
        } else if constexpr (sizeof(T) < 4) {
#pragma unroll 1
            for (int c = k; c < k + word; c += sizeof(T))
                if (source + c >= memory.begin && source + c < memory.end)
                    *reinterpret_cast<T*>(target + c) = *reinterpret_cast<const T*>(source + c);
        }
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

// A's short side, `count` columns: one image, in which columns are shape.pitch elements apart.
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

// A's long side: an image for each run. Its pitch leaves the same rest mod 16 as A's leading dimension, so that
// images are a matrix, too: run t starts at misfit + t * pitch.
template <class T>
__device__ __forceinline__ void load_long_side(unsigned char* image,
                                               const T* gmem,
                                               int64_t ld,
                                               int valid,
                                               const stretch_shape& shape,
                                               const extent_of& memory) {
    const int log_units = shape.log - (31 - __clz(16 / static_cast<int>(sizeof(T))));
    const int units = valid * static_cast<int>(sizeof(T)) / 16 + 2; // with misfits
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
    for (int t = threadIdx.x; t < shape.thin; t += threads) // one more for a misfit
        copy(t, 1 << log_units);
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
            return read<T>(image,
                           byte_place(shift + (t + l * shape.pitch) * bytes, shape.is_permuted));
        });
    };
#pragma unroll 4
    for (int e = threadIdx.x; e < shape.thin << log_words; e += threads)
        store(e >> log_words, e & ((1 << log_words) - 1));
    for (int t = threadIdx.x; t < shape.thin; t += threads) // one more for a misfit
        store(t, 1 << log_words);
}

// Where the run of thin row t of A's long side starts among the images.
struct run_places {
    int first, pitch;

    __device__ __forceinline__ int operator()(int t) const { return first + t * pitch; }
};

// B's short side, tight, from A's long one, by words.
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

// Elements by which `gmem` is late after a boundary of so many bytes.
template <int bytes, class T>
__device__ __forceinline__ int late_after(const T* gmem) {
    return static_cast<int>(reinterpret_cast<uintptr_t>(gmem) % bytes / sizeof(T));
}

// B's long side from A's short one, by sectors: of run t the window from where its sector starts on. The image
// starts `before` columns left of B's; `rest`: columns from there to the matrix's last.
template <class T>
__device__ __forceinline__ void store_long_sectors(const unsigned char* image,
                                                   int shift,
                                                   T* gmem,
                                                   int64_t ld,
                                                   int before,
                                                   int64_t rest,
                                                   const stretch_shape& shape) {
    constexpr int bytes = sizeof(T);
    // Threads of a run: so few that each has several elements, so that a run's beginning counts little.
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

// B's short side from A's long one, by sectors.
template <class T>
__device__ __forceinline__ void store_short_sectors(const unsigned char* image,
                                                    const run_places& run_at,
                                                    T* gmem,
                                                    int64_t ld,
                                                    int valid,
                                                    int thin) {
    constexpr int bytes = sizeof(T);
    constexpr int sector = overlap_max<T>, line = line_bytes / bytes;
    const int whole = (thin + 2 * sector - 2) / sector * sector; // wherever it starts
    if (ld > whole) {                                            // each column by itself
        for (walk lane(whole); lane.l < valid; lane.advance()) {
            T* to = gmem + lane.l * ld;
            const int t = lane.t - late_after<sector_bytes>(to);
            if (t >= 0 && t < thin)
                __stcs(to + t, read<T>(image, run_at(t) + lane.l * bytes));
        }
        return;
    }
    // Elements of B from the start of a line on, of which the first `late` are not the block's: element t of
    // column l is in byte run_at(t) + l * bytes.
    const int pitch = static_cast<int>(ld), late = late_after<line_bytes>(gmem);
    const int place =
        threadIdx.x - late + line * pitch; // so many columns before, lest it be negative
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

// An element for each thread, neighbouring ones in the order of B's memory, with a power of two of lanes for the
// thin extent.
template <class T, bool thin_rows>
__device__ __forceinline__ void move_element(
    const T* gmem_a, int64_t lda, T* gmem_b, int64_t ldb, int valid, const stretch_shape& shape) {
    const int log_low = thin_rows ? shape.log : log_threads - shape.log;
    const int low = threadIdx.x & ((1 << log_low) - 1), high = threadIdx.x >> log_low;
    const T* const from = gmem_a + high + low * lda;
    T* const to = gmem_b + low + high * ldb;
    wait_for_earlier_work();
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
        wait_for_earlier_work();
        load_short_side(smem, gmem_a, p.lda, count, shape, memory);
        wait_for_tile();
        if constexpr (sizeof(T) < 4)
            store_long_words(smem, misfit(gmem_a), gmem_b, p.ldb, count, shape);
        else
            store_long_sectors(smem, misfit(gmem_a), gmem_b, p.ldb, before, rest, shape);
    } else {
        const extent_of memory(p, matrix, gmem_a, gmem_a + valid + (p.n - 1) * p.lda);
        wait_for_earlier_work();
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

// Whether all runs of B's long side start on sectors.
bool has_whole_runs(const transpose_problem& p) {
    const uint64_t pitches = (p.m > 1 ? p.ldb : 0) | (p.batch_count > 1 ? p.stride_b : 0);
    return (reinterpret_cast<uintptr_t>(p.b) | pitches * p.element_bytes) % sector_bytes == 0;
}

// Blocks for all multiprocessors, if the matrix has so much; longer stretches where runs are many, so
// that they share fewer sectors. Padding of a short side is copied along where it is less than a sector.
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
    if (p.n == 1 && p.ldb == 1) { // a plain copy: as a row, whose loops divide less
        p.n = std::exchange(p.m, 1);
        p.lda = 1, p.ldb = p.n;
    }
    return with_element(p.element_bytes, [&]<class T>(T) {
        const stretch_shape shape = shape_of<T>(p, *context.device);
        const bool thin_rows = p.m <= p.n;
        // Windows of the last stretch may start before its columns, so that one more holds the rest.
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
