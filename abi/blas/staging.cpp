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

// Events of a device: two of a kind where buffers are doubled, and one for each group of columns of C.
constexpr int computed(int buffer) { return buffer; }
constexpr int downloaded(int buffer) { return 2 + buffer; }
constexpr int uploaded = 4;
constexpr int cols_computed(int group) { return 5 + group; }
constexpr int most_groups = device::event_count - cols_computed(0);

// ---- The plan of a product -----------------------------------------------------------------------

// How the operands of a block come that is computed as a whole.
struct pace {
    int64_t lead_cols;              // of 16 columns
    int64_t first_elements;         // that come before the first product
    int64_t growth;                 // of a panel's depth over the one before, in halves
    int64_t parts_of_a, parts_of_b; // in a panel
    bool turns;                     // operands on the device
};
constexpr pace bound_by_copies{8, 1 << 20, 3, 1, 1, false};
constexpr pace bound_by_arithmetic{11, 1 << 21, 5, 4, 2, true};

// C is cut into blocks. Where there is memory for all of A, B and C, each device has one, which is computed in
// two parts. Panels of A and of the leading columns of B, of growing depth, are multiplied as they come: the
// first one is shallow, so that the arithmetic starts early. Each meets C in memory again, which is why the
// other columns are not computed so, but in groups and by all of A, which is there by then. The first part of C
// comes down meanwhile, and so does each group; the last ones are narrow, for nothing hides their way down.
//
// Where the arithmetic takes longer than the copies, each panel takes longer to multiply than the next one to
// come, and comes in parts, which are multiplied at once: some of B's columns with A's rows part by part, then
// its other columns. An operand whose adjacent elements are next to each other in k is then transposed on the
// device: with operands the other way round, products are faster by more than that takes. Elsewhere fewer
// columns lead, so that their part of C comes down sooner.
//
// Where there is no such memory, a block stays on the device while panels of A and B pass by in two buffers,
// a deeper one at last, which meets C in groups of columns.
struct plan {
    int64_t block_m, block_n;
    bool is_resident;
    pace resident;           // if it is
    int64_t block_k, last_k; // depth of all panels, and of the last one, if they pass by
    int64_t blocks_m, blocks_n;
    int64_t strip_cols; // a strip fits a slot

    int64_t blocks() const { return blocks_m * blocks_n; }
    int64_t largest_depth() const { return std::max(block_k, last_k); }
};

constexpr int64_t largest_block_m = 65536;            // a strip of 8 columns then fills a slot
constexpr int64_t panel_elements = int64_t{16} << 20; // of A and B in a panel that passes by
constexpr int64_t least_block = 32, least_depth = 32;
constexpr int64_t last_part = 4; // of k is in the last panel
constexpr int64_t least_part_rows = 1024;
constexpr int64_t even_groups = 8; // of a block's columns, before they get narrower
constexpr int64_t least_group_cols = 256;
constexpr int64_t least_turned = 256;           // rows of op(A), or columns of op(B)
constexpr int64_t gaps_between_parts = 1 << 16; // of operands before they are transposed

// Device memory of a matrix as it is stored here.
int64_t stored_elements(int64_t rows, int64_t cols) {
    return round_up(round_up(rows, element_alignment) * cols, element_alignment);
}

int64_t elements_of_c(const plan& q) { return stored_elements(q.block_m, q.block_n); }

// The larger of what a part of an operand and its transpose take.
int64_t elements_of_part(int64_t extent, int64_t depth) {
    return std::max(stored_elements(extent, depth), stored_elements(depth, extent));
}

bool is_turned(const plan& q, bool is_along_k, int64_t extent) {
    return q.is_resident && q.resident.turns && is_along_k && extent >= least_turned;
}

// All of A and B, before and after they are transposed.
int64_t resident_elements(const product& p, const plan& q) {
    int64_t elements = elements_of_part(q.block_m, p.k) + elements_of_part(q.block_n, p.k);
    if (is_turned(q, p.transa, q.block_m))
        elements += q.block_m * p.k;
    if (is_turned(q, !p.transb, q.block_n))
        elements += q.block_n * p.k;
    return elements + gaps_between_parts;
}

int64_t elements_of_buffer(const plan& q) {
    return elements_of_part(q.block_m, q.largest_depth()) +
           elements_of_part(q.block_n, q.largest_depth());
}

int64_t elements_in_all(const product& p, const plan& q) {
    return elements_of_c(q) + (q.is_resident ? resident_elements(p, q) : 2 * elements_of_buffer(q));
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

// The arithmetic on an element that comes grows with mn / (m + n). In strict mode it takes longer than the
// copies from 6400 x 6400 on (H100); in the other modes it is two to four times as fast.
pace pace_of(const plan& q, bool is_strict) {
    constexpr int64_t even = 3200;
    const bool is_bound = is_strict && q.block_m * q.block_n >= even * (q.block_m + q.block_n);
    return is_bound ? bound_by_arithmetic : bound_by_copies;
}

plan make_plan(const product& p, size_t memory_bytes, int devices, bool is_strict) {
    const int64_t memory = static_cast<int64_t>(memory_bytes / sizeof(float));
    plan q{};
    q.block_m = std::min(p.m, largest_block_m);
    q.block_n = divide_up(p.n, devices);
    cut_strips(&q);
    q.is_resident = true;
    q.resident = pace_of(q, is_strict);
    if (elements_in_all(p, q) > memory)
        q.resident.turns = false;
    if (elements_in_all(p, q) > memory) {
        q.is_resident = false;
        while (elements_of_c(q) > memory / 2 && std::max(q.block_m, q.block_n) > least_block) {
            int64_t& longer = q.block_m > q.block_n ? q.block_m : q.block_n;
            longer = divide_up(longer, 2);
        }
        cut_strips(&q);
        q.block_k = depth_of(panel_elements, q.block_m, q.block_n, p.k);
        q.last_k = std::max(q.block_k, p.k / last_part);
        if (elements_in_all(p, q) > memory)
            q.last_k = q.block_k;
        while (elements_in_all(p, q) > memory && q.block_k > least_depth)
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

// op(A) or op(B): its rows or columns are those of C. Element (l, j): l in k, j in C.
template <class T>
struct operand {
    T* data;
    int64_t ld;
    bool is_along_k; // adjacent elements are next to each other in k

    T* at(int64_t l, int64_t j) const { return data + (is_along_k ? l + j * ld : j + l * ld); }
};

// A block on a device.
class staged_block {
public:
    staged_block(device& d, float* memory, const product& p, const plan& q)
        : d_(d), p_(p), q_(q), host_a_{p.a, p.lda, p.transa}, host_b_{p.b, p.ldb, !p.transb},
          c_{memory, round_up(q.block_m, element_alignment)}, operands_(memory + elements_of_c(q)) {
    }

    bool compute() {
        return (q_.is_resident ? multiply_resident() : multiply_passing()) && download_all();
    }

private:
    using host_operand = operand<const float>;
    using device_operand = operand<float>;

    // Of a panel: rows of A and columns of B that come at once.
    struct parts {
        int64_t rows, cols;
    };

    bool multiply_resident() {
        float* const after_a = operands_ + elements_of_part(q_.block_m, p_.k);
        const device_operand a = place(host_a_, operands_, p_.m, p_.k);
        const device_operand b = place(host_b_, after_a, p_.n, p_.k);
        unturned_ = after_a + elements_of_part(q_.block_n, p_.k);
        const pace& r = q_.resident;
        const int64_t lead = lead_cols();
        const parts of_panel{
            std::max(least_part_rows, round_up(divide_up(p_.m, r.parts_of_a), element_alignment)),
            round_up(divide_up(lead, r.parts_of_b), q_.strip_cols)};
        int64_t depth =
            round_up(depth_of(r.first_elements, std::min(of_panel.rows, p_.m), of_panel.cols, p_.k),
                     element_alignment);
        for (int64_t l = 0; l < p_.k;) {
            depth = std::min(depth, p_.k - l);
            if (!multiply_lead(a, b, l, depth, lead, of_panel))
                return false;
            l += depth;
            depth = round_up(depth * r.growth / 2, element_alignment);
        }
        // The others, with all of A.
        for (int64_t j = lead, cols; j < p_.n; j += cols) {
            cols = group_cols(j, p_.n);
            if ((p_.beta != 0 && !upload_c(j, cols)) || !upload(host_b_, b, 0, p_.k, j, cols) ||
                !multiply(a, b, 0, p_.k, 0, p_.m, j, cols, p_.beta) || !note_group(cols))
                return false;
        }
        return true;
    }

    int64_t lead_cols() const {
        const int64_t cols = std::max(p_.n * q_.resident.lead_cols / 16, least_group_cols);
        return std::min(p_.n, round_up(cols, q_.strip_cols));
    }

    // The panel from l on. The columns of B come in parts, or in groups if C goes up before; with the first
    // one A comes, also in parts.
    bool multiply_lead(const device_operand& a,
                       const device_operand& b,
                       int64_t l,
                       int64_t depth,
                       int64_t lead,
                       const parts& of_panel) {
        const float beta = l == 0 ? p_.beta : 1;
        const bool goes_up = l == 0 && beta != 0, is_last = l + depth == p_.k;
        for (int64_t j = 0, cols; j < lead; j += cols) {
            cols = goes_up ? group_cols(j, lead) : std::min(of_panel.cols, lead - j);
            if ((goes_up && !upload_c(j, cols)) || !upload(host_b_, b, l, depth, j, cols))
                return false;
            const int64_t part_rows = j == 0 ? of_panel.rows : p_.m;
            for (int64_t i = 0; i < p_.m; i += part_rows) {
                const int64_t rows = std::min(part_rows, p_.m - i);
                if ((j == 0 && !upload(host_a_, a, l, depth, i, rows)) ||
                    !multiply(a, b, l, depth, i, rows, j, cols, beta))
                    return false;
            }
            if (is_last && !note_group(cols))
                return false;
        }
        return true;
    }

    // Panels pass by; in groups, if C goes up before, or comes down after a panel.
    bool multiply_passing() {
        int buffer = 0;
        for (int64_t l = 0, depth; l < p_.k; l += depth, buffer = 1 - buffer) {
            depth = p_.k - l > q_.last_k ? std::min(q_.block_k, p_.k - l - q_.last_k) : p_.k - l;
            float* const memory = operands_ + buffer * elements_of_buffer(q_);
            float* const after_a = memory + elements_of_part(q_.block_m, q_.largest_depth());
            const host_operand from_a{host_a_.at(l, 0), host_a_.ld, host_a_.is_along_k};
            const host_operand from_b{host_b_.at(l, 0), host_b_.ld, host_b_.is_along_k};
            const device_operand a = place(from_a, memory, p_.m, depth);
            const device_operand b = place(from_b, after_a, p_.n, depth);
            if (!d_.wait(device::uploads, computed(buffer)) ||
                !upload(from_a, a, 0, depth, 0, p_.m) || !upload(from_b, b, 0, depth, 0, p_.n))
                return false;
            const float beta = l == 0 ? p_.beta : 1;
            const bool goes_up = l == 0 && beta != 0, comes_down = l + depth == p_.k;
            for (int64_t j = 0, cols; j < p_.n; j += cols) {
                cols = goes_up || comes_down ? group_cols(j, p_.n) : p_.n;
                if ((goes_up && !upload_c(j, cols)) ||
                    !multiply(a, b, 0, depth, 0, p_.m, j, cols, beta) ||
                    (comes_down && !note_group(cols)))
                    return false;
            }
            if (!d_.record(computed(buffer), device::compute))
                return false;
        }
        return true;
    }

    // Where an operand is on the device, as it is on the host, or transposed.
    device_operand place(const host_operand& from, float* memory, int64_t extent, int64_t depth) {
        const bool is_along_k = from.is_along_k && !is_turned(q_, from.is_along_k, extent);
        return {memory, round_up(is_along_k ? depth : extent, element_alignment), is_along_k};
    }

    // So many elements of an operand from (l, j) on. What is multiplied next may use them.
    bool upload(const host_operand& from,
                const device_operand& to,
                int64_t l,
                int64_t depth,
                int64_t j,
                int64_t extent) {
        const float* source = from.at(l, j);
        const host_matrix<const float> part =
            from.is_along_k ? host_matrix<const float>{source, depth, extent, from.ld}
                            : host_matrix<const float>{source, extent, depth, from.ld};
        device_matrix arrival{to.at(l, j), to.ld};
        if (from.is_along_k != to.is_along_k) {
            arrival = {unturned_, depth};
            to_turn_[to_turn_count_++] = {arrival, depth, extent, {to.at(l, j), to.ld}};
            unturned_ += round_up(depth * extent, element_alignment);
        }
        return d_.upload(part, arrival);
    }

    bool await_uploads() {
        bool is_good = d_.record(uploaded, device::uploads) && d_.wait(device::compute, uploaded);
        for (; to_turn_count_ > 0 && is_good; --to_turn_count_)
            is_good = transpose(to_turn_[to_turn_count_ - 1]);
        return is_good;
    }

    // A matrix that was uploaded as it is.
    struct transposition {
        device_matrix from;
        int64_t rows, cols;
        device_matrix to;
    };

    bool transpose(const transposition& t) {
        const float one = 1, zero = 0;
        return d_.api().sgeam(d_.handle(),
                              MYBLAS_OP_T,
                              MYBLAS_OP_N,
                              t.cols,
                              t.rows,
                              &one,
                              t.from.data,
                              t.from.ld,
                              &zero,
                              nullptr,
                              t.cols,
                              t.to.data,
                              t.to.ld) == MYBLAS_STATUS_SUCCESS;
    }

    device_matrix c_from(int64_t j) const { return {c_.data + j * c_.ld, c_.ld}; }
    host_matrix<float> target(int64_t j, int64_t cols) const {
        return {p_.c + j * p_.ldc, p_.m, cols, p_.ldc};
    }

    bool upload_c(int64_t j, int64_t cols) {
        const host_matrix<float> from = target(j, cols);
        return d_.upload({from.data, from.rows, from.cols, from.ld}, c_from(j));
    }

    // Rows i to i + rows and columns j to j + cols of C, with the operands from l to l + depth, once what was
    // uploaded is there.
    bool multiply(const device_operand& a,
                  const device_operand& b,
                  int64_t l,
                  int64_t depth,
                  int64_t i,
                  int64_t rows,
                  int64_t j,
                  int64_t cols,
                  float beta) {
        const device_matrix c = c_from(j);
        if (!await_uploads())
            return false;
        return d_.api().sgemm(d_.handle(),
                              a.is_along_k ? MYBLAS_OP_T : MYBLAS_OP_N,
                              b.is_along_k ? MYBLAS_OP_N : MYBLAS_OP_T,
                              rows,
                              cols,
                              depth,
                              &p_.alpha,
                              a.at(l, i),
                              a.ld,
                              b.at(l, j),
                              b.ld,
                              &beta,
                              c.data + i,
                              c.ld) == MYBLAS_STATUS_SUCCESS;
    }

    // Of the group that begins with column j, of columns up to `end`; whole strips, but for the end.
    int64_t group_cols(int64_t j, int64_t end) const {
        const int64_t even = divide_up(p_.n, even_groups), half = divide_up(end - j, 2);
        const int64_t cols = std::max(std::min(even, half), least_group_cols);
        return std::min(end - j, round_up(cols, q_.strip_cols));
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
    const host_operand host_a_, host_b_;
    const device_matrix c_;
    float* const operands_;     // the memory behind C
    float* unturned_ = nullptr; // where the next part of an operand goes that is to be transposed
    std::array<transposition, 2> to_turn_; // of what was uploaded
    int to_turn_count_ = 0;
    std::array<int64_t, most_groups> group_cols_;
    int group_count_ = 0;
};

bool compute_block(device& d, const product& p, const plan& q) {
    float* memory =
        static_cast<float*>(d.reserve(static_cast<size_t>(elements_in_all(p, q)) * sizeof(float)));
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
    const plan q = make_plan(p, memory, count, devices[0]->is_strict());

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

} // namespace myblas::preload
