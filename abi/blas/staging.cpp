#include "blas/staging.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

namespace myblas::preload {
namespace {

constexpr int64_t slot_elements = device::slot_bytes / sizeof(float);
constexpr int64_t element_alignment = 64; // of leading dimensions and operands in device memory

constexpr int64_t round_up(int64_t value, int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}
constexpr int64_t divide_up(int64_t value, int64_t by) { return (value + by - 1) / by; }

// Events of a device, two of each kind where buffers are doubled.
constexpr int uploaded(int buffer) { return buffer; }
constexpr int computed(int buffer) { return 2 + buffer; }
constexpr int downloaded(int buffer) { return 4 + buffer; }
constexpr int cols_uploaded = 6, cols_computed = 7;
static_assert(cols_computed < device::event_count);

// ---- The plan of a product -----------------------------------------------------------------------

// C is cut into blocks; a block stays on a device while panels of A and B of depth block_k pass by, a
// deeper one at last. The first and the last panel meet C in groups of strips of columns, so that its way
// up and down overlaps with the arithmetic.
struct plan {
    int64_t block_m, block_n, block_k, last_k;
    int64_t blocks_m, blocks_n, panels;
    int64_t strip_cols; // a strip fits a slot

    int64_t blocks() const { return blocks_m * blocks_n; }
};

constexpr int64_t largest_block_m = 65536;            // a strip of 32 columns then fills a slot
constexpr int64_t panel_elements = int64_t{16} << 20; // of A and B together: some ms of copying
constexpr int64_t least_block = 32, least_depth = 32;
constexpr int64_t last_part = 4; // of k is in the last panel: C goes down meanwhile
constexpr int64_t strips_per_group = 4;

// Device memory of a matrix as it is stored here.
int64_t stored_elements(int64_t rows, int64_t cols) {
    return round_up(round_up(rows, element_alignment) * cols, element_alignment);
}

int64_t elements_of_c(const plan& q) { return stored_elements(q.block_m, q.block_n); }

// The larger of what a panel and its transpose take.
int64_t elements_of_panel(int64_t extent, int64_t depth) {
    return std::max(stored_elements(extent, depth), stored_elements(depth, extent));
}

int64_t elements_in_all(const plan& q) {
    const int64_t depth = std::max(q.block_k, q.last_k);
    return elements_of_c(q) +
           2 * (elements_of_panel(q.block_m, depth) + elements_of_panel(q.block_n, depth));
}

plan make_plan(const product& p, size_t memory_bytes, int devices) {
    const int64_t memory = static_cast<int64_t>(memory_bytes / sizeof(float));
    plan q{};
    q.block_m = std::min(p.m, largest_block_m);
    q.block_n = divide_up(p.n, devices);
    while (elements_of_c(q) > memory / 2 && std::max(q.block_m, q.block_n) > least_block) {
        int64_t& longer = q.block_m > q.block_n ? q.block_m : q.block_n;
        longer = divide_up(longer, 2);
    }
    q.block_k = std::clamp(
        panel_elements / (q.block_m + q.block_n), least_depth, std::max(p.k, least_depth));
    q.last_k = std::max(q.block_k, p.k / last_part);
    if (elements_in_all(q) > memory)
        q.last_k = 0;
    while (elements_in_all(q) > memory && q.block_k > least_depth)
        q.block_k /= 2;
    // The panels before the last one are equally deep.
    const int64_t before = std::max<int64_t>(0, p.k - std::max(q.last_k, q.block_k));
    const int64_t panels_before = divide_up(before, q.block_k);
    q.panels = panels_before + 1;
    if (panels_before > 0)
        q.block_k = divide_up(before, panels_before);
    q.last_k = p.k - panels_before * q.block_k;
    q.blocks_m = divide_up(p.m, q.block_m);
    q.blocks_n = divide_up(p.n, q.block_n);
    q.strip_cols = std::min(q.block_n, slot_elements / q.block_m);
    return q;
}

// ---- One block of a product ----------------------------------------------------------------------

// The part of the product in block `index` from its column `from_col` on.
product block_of(const product& p, const plan& q, int64_t index, int64_t from_col = 0) {
    const int64_t i = index % q.blocks_m * q.block_m;
    const int64_t j = index / q.blocks_m * q.block_n + from_col;
    product part = p;
    part.m = std::min(q.block_m, p.m - i);
    part.n = std::min(q.block_n - from_col, p.n - j);
    part.a += p.transa ? i * p.lda : i;
    part.b += p.transb ? j : j * p.ldb;
    part.c += i + j * p.ldc;
    return part;
}

// Device memory of one block.
struct block_memory {
    device_matrix a[2], b[2], c;

    block_memory(float* memory, const plan& q, const product& p) {
        const int64_t depth = std::max(q.block_k, q.last_k);
        const int64_t a_elements = elements_of_panel(q.block_m, depth);
        const int64_t b_elements = elements_of_panel(q.block_n, depth);
        const int64_t lda = round_up(p.transa ? depth : q.block_m, element_alignment);
        const int64_t ldb = round_up(p.transb ? q.block_n : depth, element_alignment);
        c = {memory, round_up(q.block_m, element_alignment)};
        memory += elements_of_c(q);
        for (int buffer = 0; buffer < 2; ++buffer) {
            a[buffer] = {memory, lda};
            b[buffer] = {memory + a_elements, ldb};
            memory += a_elements + b_elements;
        }
    }
};

// C's columns j to j + cols with one panel: up, if the panel is the first and C counts; down after the
// last one, in strips.
bool compute_cols(device& d,
                  const product& p,
                  const plan& q,
                  const block_memory& memory,
                  int buffer,
                  int64_t depth,
                  int64_t j,
                  int64_t cols,
                  bool is_first,
                  bool is_last) {
    const device_matrix c{memory.c.data + j * memory.c.ld, memory.c.ld};
    const host_matrix<float> target{p.c + j * p.ldc, p.m, cols, p.ldc};
    const float beta = is_first ? p.beta : 1;
    if (is_first && beta != 0) {
        if (!d.upload({target.data, target.rows, target.cols, target.ld}, c) ||
            !d.record(cols_uploaded, device::uploads) || !d.wait(device::compute, cols_uploaded))
            return false;
    }
    const device_matrix& b = memory.b[buffer];
    const myblasStatus_t status = d.api().sgemm(d.handle(),
                                                p.transa ? MYBLAS_OP_T : MYBLAS_OP_N,
                                                p.transb ? MYBLAS_OP_T : MYBLAS_OP_N,
                                                p.m,
                                                cols,
                                                depth,
                                                &p.alpha,
                                                memory.a[buffer].data,
                                                memory.a[buffer].ld,
                                                b.data + (p.transb ? j : j * b.ld),
                                                b.ld,
                                                &beta,
                                                c.data,
                                                c.ld);
    if (status != MYBLAS_STATUS_SUCCESS)
        return false;
    if (!is_last)
        return true;
    if (!d.record(cols_computed, device::compute) || !d.wait(device::downloads, cols_computed))
        return false;
    for (int64_t i = 0; i < cols; i += q.strip_cols) {
        const int64_t strip_cols = std::min(q.strip_cols, cols - i);
        if (!d.download({c.data + i * c.ld, c.ld},
                        {target.data + i * target.ld, p.m, strip_cols, target.ld}))
            return false;
    }
    return true;
}

bool upload_panel(
    device& d, const product& p, const block_memory& memory, int buffer, int64_t l, int64_t depth) {
    const float* a = p.a + (p.transa ? l : l * p.lda);
    const float* b = p.b + (p.transb ? l * p.ldb : l);
    return d.wait(device::uploads, computed(buffer)) &&
           d.upload(p.transa ? host_matrix<const float>{a, depth, p.m, p.lda}
                             : host_matrix<const float>{a, p.m, depth, p.lda},
                    memory.a[buffer]) &&
           d.upload(p.transb ? host_matrix<const float>{b, p.n, depth, p.ldb}
                             : host_matrix<const float>{b, depth, p.n, p.ldb},
                    memory.b[buffer]) &&
           d.record(uploaded(buffer), device::uploads) && d.wait(device::compute, uploaded(buffer));
}

bool compute_block(device& d, const product& p, const plan& q) {
    float* allocated =
        static_cast<float*>(d.reserve(static_cast<size_t>(elements_in_all(q)) * sizeof(float)));
    if (!allocated)
        return false;
    const block_memory memory(allocated, q, p);
    for (int64_t panel = 0; panel < q.panels; ++panel) {
        const int buffer = static_cast<int>(panel % 2);
        const bool is_first = panel == 0, is_last = panel == q.panels - 1;
        const int64_t l = panel * q.block_k, depth = is_last ? q.last_k : q.block_k;
        if (!upload_panel(d, p, memory, buffer, l, depth))
            return false;
        const bool moves_c = is_last || (is_first && p.beta != 0);
        const int64_t step = moves_c ? strips_per_group * q.strip_cols : p.n;
        for (int64_t j = 0; j < p.n; j += step)
            if (!compute_cols(
                    d, p, q, memory, buffer, depth, j, std::min(step, p.n - j), is_first, is_last))
                return false;
        if (!d.record(computed(buffer), device::compute))
            return false;
    }
    return true;
}

// ---- All blocks on all devices -------------------------------------------------------------------

struct device_result {
    bool was_free = false;
    int64_t failed_block = -1;
    int64_t delivered_cols = 0; // of the failed block
    bool delivered_any = false;
};

// Takes blocks until there are none or one fails.
device_result compute_blocks(
    device& d, const product& p, const plan& q, std::atomic<int64_t>& next, int devices) {
    const double bytes = sizeof(float) * (static_cast<double>(p.m) * static_cast<double>(p.k) +
                                          static_cast<double>(p.k) * static_cast<double>(p.n) +
                                          static_cast<double>(p.m) * static_cast<double>(p.n));
    copy_team team(copy_team::useful_helpers(bytes, devices));
    const device::lease lease(d, team);
    device_result result;
    result.was_free = lease.is_held();
    while (result.was_free && result.failed_block < 0) {
        const int64_t index = next.fetch_add(1);
        if (index >= q.blocks())
            break;
        const product part = block_of(p, q, index);
        d.restart_count();
        const bool is_computed = compute_block(d, part, q);
        if (!d.finish(is_computed) || !is_computed) {
            result.failed_block = index;
            result.delivered_cols = std::min(d.delivered() * q.strip_cols, part.n);
        }
        result.delivered_any = result.delivered_any || d.delivered() > 0;
    }
    return result;
}

} // namespace

outcome staged_product(std::span<device* const> devices,
                       const product& p,
                       host_product fall_back,
                       const void* context) noexcept {
    constexpr size_t most_devices = 16;
    const int count = static_cast<int>(std::min(devices.size(), most_devices));
    size_t memory = SIZE_MAX;
    for (int i = 0; i < count; ++i)
        memory = std::min(memory, devices[i]->memory_limit());
    const plan q = make_plan(p, memory, count);

    std::atomic<int64_t> next{0};
    std::array<device_result, most_devices> results;
    std::array<std::thread, most_devices> threads;
    const auto run = [&](int i) { results[i] = compute_blocks(*devices[i], p, q, next, count); };
    for (int i = 1; i < std::min<int64_t>(count, q.blocks()); ++i) {
        try {
            threads[i] = std::thread(run, i);
        } catch (...) { // the others take its blocks
        }
    }
    run(0);
    for (std::thread& t : threads)
        if (t.joinable())
            t.join();

    bool was_free = false, delivered_any = false;
    for (const device_result& r : results) {
        was_free = was_free || r.was_free;
        delivered_any = delivered_any || r.delivered_any;
    }
    if (!delivered_any)
        return was_free ? outcome::device_failed : outcome::no_device_free;
    for (const device_result& r : results)
        if (r.failed_block >= 0) {
            const product rest = block_of(p, q, r.failed_block, r.delivered_cols);
            if (rest.n > 0)
                fall_back(rest, context);
        }
    for (int64_t index = next.load(); index < q.blocks(); ++index)
        fall_back(block_of(p, q, index), context);
    return outcome::served;
}

bool resident_product(device& d, int64_t n) noexcept {
    copy_team nobody(0);
    const device::lease lease(d, nobody);
    if (!lease.is_held())
        return false;
    float* memory = static_cast<float*>(d.reserve(static_cast<size_t>(3 * n * n) * sizeof(float)));
    if (!memory)
        return false;
    const float one = 1, zero = 0;
    return d.api().sgemm(d.handle(),
                         MYBLAS_OP_N,
                         MYBLAS_OP_N,
                         n,
                         n,
                         n,
                         &one,
                         memory,
                         n,
                         memory + n * n,
                         n,
                         &zero,
                         memory + 2 * n * n,
                         n) == MYBLAS_STATUS_SUCCESS &&
           d.finish(true);
}

// ---- Copies and vectors --------------------------------------------------------------------------

namespace {

// Runs step(i, buffers) for pieces 0 to count - 1 of an operation on one device, with two sets of
// `buffer_count` device buffers of one slot each. A step uploads, computes and downloads; here its parts
// are kept in order with those of the steps that use the same buffers.
template <int buffer_count, class Upload, class Compute, class Download>
outcome run_pieces(device& d,
                   int64_t count,
                   double bytes,
                   Upload&& upload,
                   Compute&& compute,
                   Download&& download) noexcept {
    copy_team team(copy_team::useful_helpers(bytes, 1));
    const device::lease lease(d, team);
    if (!lease.is_held())
        return outcome::no_device_free;
    float* memory = static_cast<float*>(d.reserve(2 * buffer_count * device::slot_bytes));
    bool is_good = memory != nullptr;
    d.restart_count();
    for (int64_t i = 0; i < count && is_good; ++i) {
        const int set = static_cast<int>(i % 2);
        std::array<float*, buffer_count> buffers;
        for (int b = 0; b < buffer_count; ++b)
            buffers[b] = memory + (set * buffer_count + b) * slot_elements;
        is_good =
            d.wait(device::uploads, computed(set)) && d.wait(device::uploads, downloaded(set)) &&
            upload(i, buffers) && d.record(uploaded(set), device::uploads) &&
            d.wait(device::compute, uploaded(set)) && d.wait(device::compute, downloaded(set)) &&
            compute(i, buffers) && d.record(computed(set), device::compute) &&
            d.wait(device::downloads, computed(set)) && download(i, buffers) &&
            d.record(downloaded(set), device::downloads);
    }
    is_good = d.finish(is_good) && is_good;
    return is_good ? outcome::served : outcome::device_failed;
}

// Elements i * slot_elements and on, as many as a slot takes.
template <class T>
host_matrix<T> piece_of(const vector<T>& x, int64_t i) {
    const int64_t begin = i * slot_elements, n = std::min(slot_elements, x.n - begin);
    T* data = x.base() + begin * x.inc;
    return x.inc == 1 ? host_matrix<T>{data, n, 1, n} : host_matrix<T>{data, 1, n, x.inc};
}

host_matrix<const float> as_source(const host_matrix<float>& m) {
    return {m.data, m.rows, m.cols, m.ld};
}

// Pieces are without gaps on the device.
device_matrix as_piece(float* buffer, int64_t rows) { return {buffer, rows}; }

template <class T>
double bytes_of(const vector<T>& x) {
    return sizeof(float) * static_cast<double>(x.n);
}

} // namespace

outcome staged_scaled_copy(device& d, const scaled_copy& p) noexcept {
    constexpr int64_t tile_rows = 1024, tile_cols = slot_elements / tile_rows;
    const int64_t tiles_down = divide_up(p.rows, tile_rows);
    const auto tile = [&](int64_t index) {
        struct {
            int64_t i, j, rows, cols;
        } t;
        t.i = index % tiles_down * tile_rows;
        t.j = index / tiles_down * tile_cols;
        t.rows = std::min(tile_rows, p.rows - t.i);
        t.cols = std::min(tile_cols, p.cols - t.j);
        return t;
    };
    const auto upload = [&](int64_t index, auto& buffers) {
        const auto t = tile(index);
        return d.upload({p.a + t.i + t.j * p.lda, t.rows, t.cols, p.lda},
                        as_piece(buffers[0], t.rows));
    };
    const auto compute = [&](int64_t index, auto& buffers) {
        const auto t = tile(index);
        const int64_t m = p.trans ? t.cols : t.rows, n = p.trans ? t.rows : t.cols;
        const float zero = 0;
        return d.api().sgeam(d.handle(),
                             p.trans ? MYBLAS_OP_T : MYBLAS_OP_N,
                             MYBLAS_OP_N,
                             m,
                             n,
                             &p.alpha,
                             buffers[0],
                             t.rows,
                             &zero,
                             nullptr,
                             m,
                             buffers[1],
                             m) == MYBLAS_STATUS_SUCCESS;
    };
    const auto download = [&](int64_t index, auto& buffers) {
        const auto t = tile(index);
        const int64_t m = p.trans ? t.cols : t.rows, n = p.trans ? t.rows : t.cols;
        float* target = p.b + (p.trans ? t.j + t.i * p.ldb : t.i + t.j * p.ldb);
        return d.download(as_piece(buffers[1], m), {target, m, n, p.ldb});
    };
    const double bytes = sizeof(float) * static_cast<double>(p.rows) * static_cast<double>(p.cols);
    const int64_t count = tiles_down * divide_up(p.cols, tile_cols);
    return run_pieces<2>(d, count, bytes, upload, compute, download);
}

outcome staged_asum(device& d, const vector<const float>& x, float* result) noexcept {
    double sum = 0;
    const auto upload = [&](int64_t i, auto& buffers) {
        const host_matrix<const float> piece = piece_of(x, i);
        return d.upload(piece, as_piece(buffers[0], piece.rows));
    };
    const auto compute = [&](int64_t i, auto& buffers) {
        const host_matrix<const float> piece = piece_of(x, i);
        float part = 0;
        const myblasStatus_t status =
            d.api().sasum(d.handle(), piece.rows * piece.cols, buffers[0], 1, &part);
        sum += part;
        return status == MYBLAS_STATUS_SUCCESS;
    };
    const auto download = [](int64_t, auto&) { return true; };
    const int64_t count = divide_up(x.n, slot_elements);
    const outcome o = run_pieces<1>(d, count, bytes_of(x), upload, compute, download);
    *result = static_cast<float>(sum);
    return o;
}

outcome staged_copy(device& d, const vector<const float>& x, const vector<float>& y) noexcept {
    const auto upload = [&](int64_t i, auto& buffers) {
        const host_matrix<const float> piece = piece_of(x, i);
        return d.upload(piece, as_piece(buffers[0], piece.rows));
    };
    const auto compute = [&](int64_t i, auto& buffers) {
        const host_matrix<const float> piece = piece_of(x, i);
        return d.api().scopy(d.handle(), piece.rows * piece.cols, buffers[0], 1, buffers[1], 1) ==
               MYBLAS_STATUS_SUCCESS;
    };
    const auto download = [&](int64_t i, auto& buffers) {
        const host_matrix<float> piece = piece_of(y, i);
        return d.download(as_piece(buffers[1], piece.rows), piece);
    };
    const int64_t count = divide_up(x.n, slot_elements);
    return run_pieces<2>(d, count, bytes_of(x), upload, compute, download);
}

outcome staged_axpy(device& d,
                    float alpha,
                    const vector<const float>& x,
                    const vector<float>& y,
                    int64_t* done) noexcept {
    *done = 0;
    const auto upload = [&](int64_t i, auto& buffers) {
        const host_matrix<const float> piece = piece_of(x, i);
        const host_matrix<float> target = piece_of(y, i);
        return d.upload(piece, as_piece(buffers[0], piece.rows)) &&
               d.upload(as_source(target), as_piece(buffers[1], target.rows));
    };
    const auto compute = [&](int64_t i, auto& buffers) {
        const host_matrix<const float> piece = piece_of(x, i);
        return d.api().saxpy(
                   d.handle(), piece.rows * piece.cols, &alpha, buffers[0], 1, buffers[1], 1) ==
               MYBLAS_STATUS_SUCCESS;
    };
    const auto download = [&](int64_t i, auto& buffers) {
        const host_matrix<float> target = piece_of(y, i);
        return d.download(as_piece(buffers[1], target.rows), target);
    };
    const int64_t count = divide_up(x.n, slot_elements);
    const outcome o = run_pieces<2>(d, count, bytes_of(x), upload, compute, download);
    if (o != outcome::no_device_free)
        *done = std::min(d.delivered() * slot_elements, x.n);
    return o;
}

} // namespace myblas::preload
