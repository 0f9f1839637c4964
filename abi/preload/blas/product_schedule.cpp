#include "blas/product_schedule.h"

#include "blas/layout.h"

#include <algorithm>
#include <array>
#include <limits>

namespace myblas::preload {
namespace {

constexpr pace bound_by_copies{8, 1 << 20, 3, 16, 1, 1, false};
constexpr pace bound_by_arithmetic{11, 1 << 21, 5, 0, 4, 2, true};
constexpr pace by_whole_k{8, std::numeric_limits<int64_t>::max(), 3, 0, 4, 2, false};

constexpr int64_t largest_block_m = 65536;            // a strip of 8 columns then fills a slot
constexpr int64_t panel_elements = int64_t{16} << 20; // of A and B in a panel that passes by
constexpr int64_t least_block = 32, least_depth = 32;
constexpr int64_t least_deep = 2048; // panels of this depth are cheap
constexpr int64_t last_part = 4;     // the last panel has at least 1/4 of k
constexpr int64_t least_part_rows = 1024;
constexpr int64_t least_transposed = 256;       // rows of op(A), or columns of op(B)
constexpr int64_t gaps_between_parts = 1 << 16; // of operands before they are transposed

// Elements of device memory that a matrix takes, stored as it is here.
int64_t stored_elements(int64_t rows, int64_t cols) {
    return round_up(pitch_of(rows) * cols, element_alignment);
}

int64_t elements_of_c(const product_schedule& q) { return stored_elements(q.block_m, q.block_n); }

// The elements that a part of an operand takes, or its transpose if that takes more.
int64_t elements_of_part(int64_t extent, int64_t depth) {
    return std::max(stored_elements(extent, depth), stored_elements(depth, extent));
}

bool is_transposed_there(const product_schedule& q, bool is_along_k, int64_t extent) {
    return q.is_resident && q.resident.transposes && is_along_k && extent >= least_transposed;
}

// All of A and B, before and after they are transposed.
int64_t resident_elements(const product& p, const product_schedule& q) {
    int64_t elements = elements_of_part(q.block_m, p.k) + elements_of_part(q.block_n, p.k);
    if (is_transposed_there(q, p.transa, q.block_m))
        elements += q.block_m * p.k;
    if (is_transposed_there(q, !p.transb, q.block_n))
        elements += q.block_n * p.k;
    return elements + gaps_between_parts;
}

int64_t elements_of_buffer(const product_schedule& q) {
    return elements_of_part(q.block_m, q.largest_depth()) +
           elements_of_part(q.block_n, q.largest_depth());
}

// Aligned as operands should be.
void cut_strips(product_schedule* q) {
    const int64_t cols = q->slot_elements / q->block_m;
    const int64_t aligned = cols / element_alignment * element_alignment;
    q->strip_cols = std::min(q->block_n, aligned > 0 ? aligned : cols);
}

int64_t depth_of(int64_t elements, int64_t rows, int64_t cols, int64_t k) {
    return std::clamp(elements / (rows + cols), least_depth, std::max(k, least_depth));
}

// The columns of a whole block that are computed by panels.
int64_t lead_cols(const product_schedule& q) {
    const int64_t cols = std::max(q.block_n * q.resident.lead_cols / 16, least_group_cols);
    return std::min(q.block_n, round_up(cols, q.strip_cols));
}

// The arithmetic on an uploaded element grows with mn / (m + n). In strict mode the arithmetic
// takes longer than the copies from 6400 x 6400 on (H100). In the other modes it is two to four
// times as fast.
pace pace_of(const product_schedule& q, bool is_strict) {
    constexpr int64_t even = 3200;
    const bool is_bound = is_strict && q.block_m * q.block_n >= even * (q.block_m + q.block_n);
    return is_bound ? bound_by_arithmetic : bound_by_copies;
}

} // namespace

int64_t elements_in_all(const product& p, const product_schedule& q) {
    return elements_of_c(q) + (q.is_resident ? resident_elements(p, q) : 2 * elements_of_buffer(q));
}

product_schedule make_product_schedule(const product& p,
                                       size_t memory_bytes,
                                       int devices,
                                       bool is_strict,
                                       bool keeps_k,
                                       int64_t slot_elements) {
    const int64_t memory = static_cast<int64_t>(memory_bytes / sizeof(float));
    product_schedule q{};
    q.slot_elements = slot_elements;
    q.block_m = std::min(p.m, largest_block_m);
    q.block_n = divide_up(p.n, devices);
    cut_strips(&q);
    q.is_resident = true;
    q.resident = keeps_k ? by_whole_k : pace_of(q, is_strict);
    if (elements_in_all(p, q) > memory)
        q.resident.transposes = false;
    if (!keeps_k && elements_in_all(p, q) > memory) {
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
    // The last block has fewer columns. The steps of A and their places are still the same, unless
    // columns of the first part are missing.
    const int64_t last_n = p.n - (q.blocks_n - 1) * q.block_n;
    // A copy between devices has a pitch of 31 bits, in bytes.
    constexpr int64_t most_pitch = INT32_MAX / sizeof(float) - 64;
    q.shares_a = devices > 1 && q.is_resident && q.blocks_m == 1 && q.blocks_n == devices &&
                 (last_n == q.block_n || last_n >= lead_cols(q)) &&
                 (p.transa ? p.k : p.m) <= most_pitch;
    return q;
}

// ---- The steps of a block -----------------------------------------------------------------------

product block_of(const product& p, const product_schedule& q, int64_t index, int64_t from_col) {
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

int64_t ld_of_c(const product_schedule& q) { return pitch_of(q.block_m); }

namespace {

class product_scheduler {
public:
    product_scheduler(const product& p,
                      const product_schedule& q,
                      int number,
                      float* memory,
                      function_ref<bool(const product_step&)> visit)
        : p_(p), q_(q),
          number_(number), host_a_{p.a, p.lda, p.transa}, host_b_{p.b, p.ldb, !p.transb},
          c_(memory), operands_(memory + elements_of_c(q)), visit_(visit) {}

    bool run() { return (q_.is_resident ? multiply_resident() : multiply_passing()) && download(); }

private:
    using host_operand = operand_of_product<const float>;
    using device_operand = operand_of_product<float>;
    using kind = product_step::kind;

    // The rows of A and columns of B that are uploaded at a time, within a panel.
    struct parts {
        int64_t rows, cols;
    };

    bool multiply_resident() {
        float* const after_a = operands_ + elements_of_part(q_.block_m, p_.k);
        const device_operand a = place(host_a_, operands_, p_.m, p_.k);
        const device_operand b = place(host_b_, after_a, p_.n, p_.k);
        untransposed_ = after_a + elements_of_part(q_.block_n, p_.k);
        const pace& r = q_.resident;
        const int64_t whole_lead = lead_cols(q_), lead = std::min(p_.n, whole_lead);
        const parts of_panel{
            std::max(least_part_rows, round_up(divide_up(p_.m, r.parts_of_a), element_alignment)),
            round_up(divide_up(whole_lead, r.parts_of_b), q_.strip_cols)};
        int64_t depth =
            depth_of(r.first_elements, std::min(of_panel.rows, p_.m), of_panel.cols, p_.k);
        int64_t most_depth = p_.k;
        if (r.panels > 0) {
            depth = std::max(depth, p_.k / r.panels);
            most_depth = std::max({depth, least_deep, 2 * p_.k / r.panels});
        }
        for (int64_t l = 0; l < p_.k;) {
            depth = std::min(round_up(depth, element_alignment), p_.k - l);
            if (!multiply_lead(a, b, l, depth, lead, of_panel))
                return false;
            l += depth;
            depth = std::min(depth * r.growth / 2, most_depth);
        }
        // The other columns, with all of A.
        for (int64_t j = lead, cols; j < p_.n; j += cols) {
            cols = group_cols(j, p_.n);
            if ((p_.beta != 0 && !upload_c(j, cols)) || !upload(host_b_, b, 0, p_.k, j, cols) ||
                !multiply(a, b, 0, p_.k, {0, p_.m}, {j, j + cols}, p_.beta) || !end_group(cols))
                return false;
        }
        return true;
    }

    // The panel from l on. The columns of B are uploaded in parts, or in groups if C is uploaded
    // before. A is uploaded with the first part or group, also in parts.
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
                if ((j == 0 && !upload_a(a, l, depth, i, rows)) ||
                    !multiply(a, b, l, depth, {i, i + rows}, {j, j + cols}, beta))
                    return false;
            }
            if (is_last && !end_group(cols))
                return false;
        }
        return true;
    }

    // Panels pass through the buffers, in groups if C is uploaded before or downloaded after a
    // panel.
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
            if (!visit_({kind::claim, buffer}) || !upload(from_a, a, 0, depth, 0, p_.m) ||
                !upload(from_b, b, 0, depth, 0, p_.n))
                return false;
            const float beta = l == 0 ? p_.beta : 1;
            const bool goes_up = l == 0 && beta != 0, comes_down = l + depth == p_.k;
            for (int64_t j = 0, cols; j < p_.n; j += cols) {
                cols = goes_up || comes_down ? group_cols(j, p_.n) : p_.n;
                if ((goes_up && !upload_c(j, cols)) ||
                    !multiply(a, b, 0, depth, {0, p_.m}, {j, j + cols}, beta) ||
                    (comes_down && !end_group(cols)))
                    return false;
            }
            if (!visit_({kind::release, buffer}))
                return false;
        }
        return true;
    }

    // The place of an operand on the device, stored as on the host or transposed.
    device_operand place(const host_operand& from, float* memory, int64_t extent, int64_t depth) {
        const bool is_along_k =
            from.is_along_k && !is_transposed_there(q_, from.is_along_k, extent);
        return {memory, pitch_of(is_along_k ? depth : extent), is_along_k};
    }

    // Uploads `depth` x `extent` elements of an operand from (l, j) on. The next product transposes
    // the uploaded parts that need transposing.
    bool upload(const host_operand& from,
                const device_operand& to,
                int64_t l,
                int64_t depth,
                int64_t j,
                int64_t extent) {
        return visit_(upload_step(from, to, l, depth, j, extent));
    }

    // The same of A. If devices share A, this device uploads some of the part's columns as stored,
    // and fetches the others.
    bool upload_a(const device_operand& to, int64_t l, int64_t depth, int64_t i, int64_t rows) {
        const product_step whole = upload_step(host_a_, to, l, depth, i, rows);
        if (!q_.shares_a || shared_parts_ == most_shared_parts_of_product)
            return visit_(whole);
        const int part = shared_parts_++, devices = static_cast<int>(q_.blocks());
        for (int turn = 0; turn < devices; ++turn) {
            const int owner = (number_ + turn) % devices;
            const int64_t begin = whole.from.cols * owner / devices;
            const int64_t end = whole.from.cols * (owner + 1) / devices;
            product_step s = whole;
            s.what = owner == number_ ? kind::upload : kind::fetch;
            s.number = part;
            s.owner = owner;
            s.from.data += begin * s.from.ld;
            s.from.cols = end - begin;
            s.place += begin * s.ld;
            if (s.from.cols > 0 && !visit_(s))
                return false;
            if (owner == number_ && !visit_({kind::publish, part}))
                return false;
        }
        return true;
    }

    product_step upload_step(const host_operand& from,
                             const device_operand& to,
                             int64_t l,
                             int64_t depth,
                             int64_t j,
                             int64_t extent) {
        product_step s{kind::upload};
        s.from = {from.at(l, j),
                  from.is_along_k ? depth : extent,
                  from.is_along_k ? extent : depth,
                  from.ld};
        s.place = to.at(l, j);
        s.ld = to.ld;
        if (from.is_along_k != to.is_along_k) {
            product_step& transpose = to_transpose_[to_transpose_count_++] = s;
            transpose.what = kind::transpose;
            transpose.from.data = s.place = untransposed_;
            transpose.from.ld = s.ld = depth;
            untransposed_ += round_up(depth * extent, element_alignment);
        }
        return s;
    }

    bool upload_c(int64_t j, int64_t cols) {
        product_step s{kind::upload};
        s.from = {p_.c + j * p_.ldc, p_.m, cols, p_.ldc};
        s.place = c_ + j * ld_of_c(q_);
        s.ld = ld_of_c(q_);
        return visit_(s);
    }

    // Multiplies with the operands from l on.
    bool multiply(const device_operand& a,
                  const device_operand& b,
                  int64_t l,
                  int64_t depth,
                  range rows,
                  range cols,
                  float beta) {
        while (to_transpose_count_ > 0)
            if (!visit_(to_transpose_[--to_transpose_count_]))
                return false;
        product_step s{kind::multiply};
        s.a = {a.at(l, rows.begin), a.ld, a.is_along_k};
        s.b = {b.at(l, cols.begin), b.ld, b.is_along_k};
        s.rows = rows;
        s.cols = cols;
        s.depth = depth;
        s.beta = beta;
        return visit_(s);
    }

    // The number of columns of the group that begins with column j, where the columns end at `end`.
    // Whole strips, except at the end.
    int64_t group_cols(int64_t j, int64_t end) const {
        return std::min(end - j, next_group_cols(q_.block_n, end - j, q_.strip_cols));
    }

    bool end_group(int64_t cols) {
        group_cols_[group_count_] = cols;
        return visit_({kind::group, group_count_++});
    }

    bool download() {
        int64_t j = 0;
        for (int group = 0; group < group_count_; ++group)
            for (const int64_t end = j + group_cols_[group]; j < end;) {
                product_step s{kind::download, group};
                s.cols = {j, std::min(j + q_.strip_cols, end)};
                if (!visit_(s))
                    return false;
                j = s.cols.end;
            }
        return true;
    }

    const product& p_;
    const product_schedule& q_;
    const int number_; // of the block
    const host_operand host_a_, host_b_;
    float* const c_;
    float* const operands_;         // the memory behind C
    float* untransposed_ = nullptr; // the next part of an operand to be transposed goes here
    const function_ref<bool(const product_step&)> visit_;
    std::array<product_step, 2> to_transpose_; // uploaded, and to be transposed
    int to_transpose_count_ = 0;
    int shared_parts_ = 0;
    std::array<int64_t, most_groups_of_product> group_cols_;
    int group_count_ = 0;
};

} // namespace

bool visit_product_schedule(const product& block,
                            const product_schedule& q,
                            int number,
                            float* memory,
                            function_ref<bool(const product_step&)> visit) {
    return product_scheduler(block, q, number, memory, visit).run();
}

} // namespace myblas::preload
