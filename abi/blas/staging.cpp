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

// Events of a device: two of each kind where buffers are doubled, and one for each group of columns of C.
constexpr int uploaded(int buffer) { return buffer; }
constexpr int computed(int buffer) { return 2 + buffer; }
constexpr int downloaded(int buffer) { return 4 + buffer; }
constexpr int cols_uploaded = 6;
constexpr int cols_computed(int group) { return 7 + group; }
constexpr int most_groups = device::event_count - cols_computed(0);

// ---- The plan of a product -----------------------------------------------------------------------

// C is cut into blocks. Where there is memory for all of A, B and C, each device has one, which is computed in
// two parts. Panels of A and of half of B's columns, of growing depth, are multiplied as they come: the first
// one is shallow, so that the arithmetic starts early, and each takes longer to multiply than the next one to
// come. Each meets C in memory again, which is why the other columns are not computed so, but in groups and
// by all of A, which is there by then. The first half of C comes down meanwhile, and so does each group; the
// last ones are narrow, for nothing hides their way down.
//
// Where there is no such memory, a block stays on the device while panels of A and B pass by in two buffers,
// a deeper one at last, which meets C in groups of columns.
struct plan {
    int64_t block_m, block_n;
    bool is_resident;
    int64_t first_k;         // depth of the first panel; resident
    int64_t block_k, last_k; // of all, and of the last one; not resident
    int64_t lead_cols;       // of a block, that panels are multiplied with
    int64_t blocks_m, blocks_n;
    int64_t strip_cols; // a strip fits a slot

    int64_t blocks() const { return blocks_m * blocks_n; }
    int64_t largest_depth() const { return std::max(block_k, last_k); }
    // Of the panel after one, if so much of k is left; the first one comes after one of depth 0.
    int64_t depth_after(int64_t depth, int64_t left) const {
        if (is_resident)
            return std::min(left,
                            depth == 0 ? first_k : round_up(depth * 3 / 2, element_alignment));
        return left > last_k ? std::min(block_k, left - last_k) : left;
    }
};

constexpr int64_t largest_block_m = 65536;            // a strip of 8 columns then fills a slot
constexpr int64_t first_elements = 1 << 20;           // of A and B in the first panel
constexpr int64_t panel_elements = int64_t{16} << 20; // of A and B in a panel that passes by
constexpr int64_t least_block = 32, least_depth = 32;
constexpr int64_t last_part = 4;   // of k is in the last panel
constexpr int64_t even_groups = 8; // of a block's columns, before they get narrower
constexpr int64_t least_group_cols = 256;

// Device memory of a matrix as it is stored here.
int64_t stored_elements(int64_t rows, int64_t cols) {
    return round_up(round_up(rows, element_alignment) * cols, element_alignment);
}

int64_t elements_of_c(const plan& q) { return stored_elements(q.block_m, q.block_n); }

// The larger of what a part of a panel and its transpose take.
int64_t elements_of_part(int64_t extent, int64_t depth) {
    return std::max(stored_elements(extent, depth), stored_elements(depth, extent));
}

// All of A, and B: its leading columns in panels, and the others.
int64_t resident_elements(const plan& q, int64_t k) {
    int64_t elements =
        elements_of_part(q.block_m, k) + elements_of_part(q.block_n - q.lead_cols, k);
    for (int64_t l = 0, depth = 0; l < k; l += depth) {
        depth = q.depth_after(depth, k - l);
        elements += elements_of_part(q.lead_cols, depth);
    }
    return elements;
}

int64_t elements_of_buffer(const plan& q) {
    return elements_of_part(q.block_m, q.largest_depth()) +
           elements_of_part(q.block_n, q.largest_depth());
}

int64_t elements_in_all(const plan& q, int64_t k) {
    return elements_of_c(q) + (q.is_resident ? resident_elements(q, k) : 2 * elements_of_buffer(q));
}

// Aligned as operands should be.
void cut_strips(plan* q) {
    const int64_t cols = slot_elements / q->block_m;
    const int64_t aligned = cols / element_alignment * element_alignment;
    q->strip_cols = std::min(q->block_n, aligned > 0 ? aligned : cols);
}

int64_t depth_of(int64_t elements, int64_t rows, int64_t cols, int64_t k) {
    return std::clamp(elements / (rows + cols), least_depth, std::max(k, least_depth));
}

plan make_plan(const product& p, size_t memory_bytes, int devices) {
    const int64_t memory = static_cast<int64_t>(memory_bytes / sizeof(float));
    plan q{};
    q.block_m = std::min(p.m, largest_block_m);
    q.block_n = divide_up(p.n, devices);
    cut_strips(&q);
    q.is_resident = true;
    q.lead_cols = std::min(
        q.block_n, round_up(std::max(divide_up(q.block_n, 2), least_group_cols), q.strip_cols));
    q.first_k = round_up(depth_of(first_elements, q.block_m, q.lead_cols, p.k), element_alignment);
    if (elements_in_all(q, p.k) > memory) {
        q.is_resident = false;
        while (elements_of_c(q) > memory / 2 && std::max(q.block_m, q.block_n) > least_block) {
            int64_t& longer = q.block_m > q.block_n ? q.block_m : q.block_n;
            longer = divide_up(longer, 2);
        }
        cut_strips(&q);
        q.lead_cols = q.block_n;
        q.block_k = depth_of(panel_elements, q.block_m, q.block_n, p.k);
        q.last_k = std::max(q.block_k, p.k / last_part);
        if (elements_in_all(q, p.k) > memory)
            q.last_k = q.block_k;
        while (elements_in_all(q, p.k) > memory && q.block_k > least_depth)
            q.last_k = q.block_k /= 2;
    }
    q.blocks_m = divide_up(p.m, q.block_m);
    q.blocks_n = divide_up(p.n, q.block_n);
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

// A block on a device.
class staged_block {
public:
    staged_block(device& d, float* memory, const product& p, const plan& q)
        : d_(d), p_(p), q_(q),
          lead_cols_(std::min(q.lead_cols, p.n)), c_{memory,
                                                     round_up(q.block_m, element_alignment)},
          a_{memory + elements_of_c(q), round_up(p.transa ? p.k : p.m, element_alignment)},
          others_{a_.data + elements_of_part(q.block_m, p.k),
                  round_up(p.transb ? p.n - lead_cols_ : p.k, element_alignment)},
          panels_(q.is_resident ? others_.data + elements_of_part(q.block_n - q.lead_cols, p.k)
                                : a_.data) {}

    bool compute() {
        panel x{};
        for (int64_t l = 0; l < p_.k; l += x.depth) {
            x = next_panel(x, l);
            if (!upload(x) || !multiply_lead(x) || !d_.record(computed(x.buffer), device::compute))
                return false;
        }
        return multiply_others() && download_all();
    }

private:
    // Of A and B, from l on in their common extent.
    struct panel {
        int64_t l, depth;
        device_matrix a, b;
        int buffer;
    };

    // The device memory of the panel after x.
    panel next_panel(const panel& x, int64_t l) {
        panel next{};
        next.l = l;
        next.depth = q_.depth_after(x.depth, p_.k - l);
        next.buffer = 1 - x.buffer;
        if (q_.is_resident) {
            next.a = {a_.data + (p_.transa ? l : l * a_.ld), a_.ld};
            next.b.data = panels_;
            panels_ += elements_of_part(q_.lead_cols, next.depth);
        } else {
            next.a = {panels_ + next.buffer * elements_of_buffer(q_),
                      round_up(p_.transa ? next.depth : p_.m, element_alignment)};
            next.b.data = next.a.data + elements_of_part(q_.block_m, q_.largest_depth());
        }
        next.b.ld = round_up(p_.transb ? lead_cols_ : next.depth, element_alignment);
        return next;
    }

    bool upload(const panel& x) {
        const float* a = p_.a + (p_.transa ? x.l : x.l * p_.lda);
        return (q_.is_resident || d_.wait(device::uploads, computed(x.buffer))) &&
               d_.upload(p_.transa ? host_matrix<const float>{a, x.depth, p_.m, p_.lda}
                                   : host_matrix<const float>{a, p_.m, x.depth, p_.lda},
                         x.a) &&
               upload_b(x.l, x.depth, 0, lead_cols_, x.b);
    }

    // B's elements from (l, j) on, depth x cols; what is multiplied next may use them.
    bool upload_b(int64_t l, int64_t depth, int64_t j, int64_t cols, const device_matrix& to) {
        const float* b = p_.b + (p_.transb ? j + l * p_.ldb : l + j * p_.ldb);
        return d_.upload(p_.transb ? host_matrix<const float>{b, cols, depth, p_.ldb}
                                   : host_matrix<const float>{b, depth, cols, p_.ldb},
                         to) &&
               d_.record(uploaded(0), device::uploads) && d_.wait(device::compute, uploaded(0));
    }

    device_matrix c_from(int64_t j) const { return {c_.data + j * c_.ld, c_.ld}; }
    host_matrix<float> target(int64_t j, int64_t cols) const {
        return {p_.c + j * p_.ldc, p_.m, cols, p_.ldc};
    }

    bool upload_c(int64_t j, int64_t cols) {
        const host_matrix<float> from = target(j, cols);
        return d_.upload({from.data, from.rows, from.cols, from.ld}, c_from(j)) &&
               d_.record(cols_uploaded, device::uploads) && d_.wait(device::compute, cols_uploaded);
    }

    // Columns j to j + cols of C; b begins with column j.
    bool multiply(const device_matrix& a,
                  const device_matrix& b,
                  int64_t depth,
                  int64_t j,
                  int64_t cols,
                  float beta) {
        const device_matrix c = c_from(j);
        return d_.api().sgemm(d_.handle(),
                              p_.transa ? MYBLAS_OP_T : MYBLAS_OP_N,
                              p_.transb ? MYBLAS_OP_T : MYBLAS_OP_N,
                              p_.m,
                              cols,
                              depth,
                              &p_.alpha,
                              a.data,
                              a.ld,
                              b.data,
                              b.ld,
                              &beta,
                              c.data,
                              c.ld) == MYBLAS_STATUS_SUCCESS;
    }

    // Of the group that begins with column j, of columns up to `end`; whole strips, but for the end.
    int64_t group_cols(int64_t j, int64_t end) const {
        const int64_t even = divide_up(p_.n, even_groups), half = divide_up(end - j, 2);
        const int64_t cols = std::max(std::min(even, half), least_group_cols);
        return std::min(end - j, round_up(cols, q_.strip_cols));
    }

    // In groups, if C goes up before, or comes down after this panel.
    bool multiply_lead(const panel& x) {
        const bool is_first = x.l == 0, is_last = x.l + x.depth == p_.k;
        const float beta = is_first ? p_.beta : 1;
        const bool goes_up = is_first && beta != 0, comes_down = is_last && !q_.is_resident;
        for (int64_t j = 0, cols; j < lead_cols_; j += cols) {
            cols = goes_up || comes_down ? group_cols(j, lead_cols_) : lead_cols_;
            const device_matrix b{x.b.data + (p_.transb ? j : j * x.b.ld), x.b.ld};
            if ((goes_up && !upload_c(j, cols)) || !multiply(x.a, b, x.depth, j, cols, beta) ||
                (comes_down && !note_group(cols)))
                return false;
        }
        return !is_last || comes_down || note_group(lead_cols_);
    }

    // With all of A.
    bool multiply_others() {
        for (int64_t j = lead_cols_, cols; j < p_.n; j += cols) {
            cols = group_cols(j, p_.n);
            const int64_t at = j - lead_cols_;
            const device_matrix b{others_.data + (p_.transb ? at : at * others_.ld), others_.ld};
            if ((p_.beta != 0 && !upload_c(j, cols)) || !upload_b(0, p_.k, j, cols, b) ||
                !multiply(a_, b, p_.k, j, cols, p_.beta) || !note_group(cols))
                return false;
        }
        return true;
    }

    // The next columns of C are computed, once the compute stream is here.
    bool note_group(int64_t cols) {
        group_cols_[group_count_] = cols;
        return d_.record(cols_computed(group_count_++), device::compute);
    }

    bool download_all() {
        int64_t j = 0;
        for (int group = 0; group < group_count_; ++group) {
            if (!d_.wait(device::downloads, cols_computed(group)))
                return false;
            for (const int64_t end = j + group_cols_[group]; j < end;) {
                const int64_t cols = std::min(q_.strip_cols, end - j);
                if (!d_.download(c_from(j), target(j, cols)))
                    return false;
                j += cols;
            }
        }
        return true;
    }

    device& d_;
    const product& p_;
    const plan& q_;
    const int64_t lead_cols_;
    const device_matrix c_;
    const device_matrix a_, others_; // of B; if they are resident
    float* panels_;                  // the next one of B; if they pass by, the two buffers
    std::array<int64_t, most_groups> group_cols_;
    int group_count_ = 0;
};

bool compute_block(device& d, const product& p, const plan& q) {
    float* memory = static_cast<float*>(
        d.reserve(static_cast<size_t>(elements_in_all(q, p.k)) * sizeof(float)));
    return memory && staged_block(d, memory, p, q).compute();
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
    const device::lease lease(d, copy_team::useful_helpers(bytes, devices));
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
    const device::lease lease(d, 0);
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
    const device::lease lease(d, copy_team::useful_helpers(bytes, 1));
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
