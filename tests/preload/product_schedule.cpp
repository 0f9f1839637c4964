// The schedules of products (abi/preload/blas/product_schedule.h): every step is done on the host.
// A second memory plays the device; only elements that were sent there may be read. Products are
// computed as late as the schedule allows, so that an upload which should have waited for them
// overwrites their operands. Only some rows and columns of C are computed.
#include "blas/product_schedule.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <limits>
#include <random>
#include <vector>

using namespace myblas::preload;
using kind = product_step::kind;

namespace {

constexpr float never = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t gap = 3; // between columns
constexpr size_t guard = 64;
int failures = 0;

struct problem {
    bool transa, transb;
    int64_t m, n, k;
    float beta;
    size_t memory_elements;
    bool is_strict;
    int devices;
    bool keeps_k = false;
};

void expect(bool condition, const char* what, const problem& p) {
    if (condition)
        return;
    std::printf("%s: %c%c %ld %ld %ld, beta %g, memory %zu, %s, %d devices\n",
                what,
                p.transa ? 'T' : 'N',
                p.transb ? 'T' : 'N',
                static_cast<long>(p.m),
                static_cast<long>(p.n),
                static_cast<long>(p.k),
                static_cast<double>(p.beta),
                p.memory_elements,
                p.is_strict ? "strict" : "fast",
                p.devices);
    ++failures;
}

std::vector<float> random_matrix(int64_t rows, int64_t cols) {
    static std::minstd_rand random(1);
    std::uniform_int_distribution<int> small(-2, 2); // sums are exact
    std::vector<float> data(static_cast<size_t>((rows + gap) * cols));
    for (float& x : data)
        x = static_cast<float>(small(random));
    return data;
}

// The first and last index of each range that a schedule may have, and some between.
std::vector<int64_t> samples_of(range r) {
    std::vector<int64_t> samples;
    for (int64_t i = r.begin; i < r.end; ++i)
        if (i % 64 == 0 || i % 64 == 63 || i % 97 == 0 || i + 1 == r.end || i == r.begin)
            samples.push_back(i);
    return samples;
}

// ---- A device -----------------------------------------------------------------------------------

// An upload or a fetch, and its place in the device's memory.
struct transfer {
    kind what;
    int owner, part;
    int64_t place, rows, cols;
    bool operator==(const transfer&) const = default;
};

class simulated_device {
public:
    simulated_device(const problem& what, const product& p, const product_schedule& q, int64_t slot)
        : what_(what), p_(p), q_(q), slot_elements_(slot),
          memory_(static_cast<size_t>(elements_in_all(p, q)) + guard, never) {}

    float* memory() { return memory_.data(); }
    int64_t downloads() const { return downloads_; }

    bool carry_out(const product_step& s) {
        switch (s.what) {
        case kind::publish:
            published_ = s.number + 1;
            return true;
        case kind::upload:
        case kind::fetch:
            moved_.push_back({s.what,
                              s.owner,
                              s.what == kind::upload ? published_ : s.number,
                              s.place - memory(),
                              s.from.rows,
                              s.from.cols});
            expect(s.what == kind::upload || s.number < published_,
                   "a part is fetched before this device's share of it is published",
                   what_);
            for (int64_t j = 0; j < s.from.cols; ++j)
                for (int64_t i = 0; i < s.from.rows; ++i)
                    s.place[i + j * s.ld] = s.from.data[i + j * s.from.ld];
            return true;
        case kind::transpose:
        case kind::multiply:
        case kind::release:
        case kind::group:
            put_off_.push_back(s);
            return true;
        case kind::claim:
            run_until(kind::release, s.number);
            return true;
        case kind::download:
            run_until(kind::group, s.number);
            return download(s.cols);
        }
        return false;
    }

    // Whether this device uploads what another fetches, and publishes it.
    bool has(const transfer& fetched) const {
        transfer uploaded = fetched;
        uploaded.what = kind::upload;
        return fetched.part < published_ &&
               std::find(moved_.begin(), moved_.end(), uploaded) != moved_.end();
    }
    const std::vector<transfer>& moved() const { return moved_; }

    bool guard_is_untouched() const {
        for (size_t i = memory_.size() - guard; i < memory_.size(); ++i)
            if (!std::isnan(memory_[i]))
                return false;
        return true;
    }

private:
    // The work enqueued up to the last mark of this kind and number; nothing if there is no such
    // mark.
    void run_until(kind mark, int number) {
        size_t end = put_off_.size();
        while (end > 0 && !(put_off_[end - 1].what == mark && put_off_[end - 1].number == number))
            --end;
        for (size_t i = 0; i < end; ++i)
            run(put_off_[i]);
        put_off_.erase(put_off_.begin(), put_off_.begin() + static_cast<std::ptrdiff_t>(end));
    }

    void run(const product_step& s) {
        if (s.what == kind::transpose) {
            for (int64_t j = 0; j < s.from.cols; ++j)
                for (int64_t i = 0; i < s.from.rows; ++i)
                    s.place[j + i * s.ld] = s.from.data[i + j * s.from.ld];
        } else if (s.what == kind::multiply) {
            expect(!what_.keeps_k || s.depth == p_.k, "k is cut", what_);
            for (const int64_t j : samples_of(s.cols))
                for (const int64_t i : samples_of(s.rows)) {
                    float sum = 0;
                    for (int64_t l = 0; l < s.depth; ++l)
                        sum += *s.a.at(l, i - s.rows.begin) * *s.b.at(l, j - s.cols.begin);
                    float& c = memory_[static_cast<size_t>(i + j * ld_of_c(q_))];
                    c = p_.alpha * sum + (s.beta == 0 ? 0 : s.beta * c);
                }
        }
    }

    bool download(range cols) {
        expect(cols.size() * p_.m <= slot_elements_, "a download exceeds a slot", what_);
        expect(cols.begin == next_col_, "a column is left out, or comes twice", what_);
        expect(cols.end == p_.n || cols.size() == q_.strip_cols, "a strip is not whole", what_);
        next_col_ = cols.end;
        ++downloads_;
        for (int64_t j = cols.begin; j < cols.end; ++j)
            for (int64_t i = 0; i < p_.m; ++i)
                p_.c[i + j * p_.ldc] = memory_[static_cast<size_t>(i + j * ld_of_c(q_))];
        return true;
    }

    const problem& what_;
    const product& p_;
    const product_schedule& q_;
    const int64_t slot_elements_;
    std::vector<float> memory_;
    std::vector<product_step> put_off_;
    std::vector<transfer> moved_;
    int published_ = 0;
    int64_t next_col_ = 0, downloads_ = 0;
};

// ---- Cases --------------------------------------------------------------------------------------

void check(const problem& what, bool expect_resident, bool shares_uneven = false) {
    constexpr int64_t slot_elements = 1 << 16;
    const int64_t rows_a = what.transa ? what.k : what.m, rows_b = what.transb ? what.n : what.k;
    const std::vector<float> a = random_matrix(rows_a, what.transa ? what.m : what.k);
    const std::vector<float> b = random_matrix(rows_b, what.transb ? what.k : what.n);
    const std::vector<float> before = random_matrix(what.m, what.n);
    std::vector<float> c = before;
    const product p{what.transa,
                    what.transb,
                    what.m,
                    what.n,
                    what.k,
                    2,
                    a.data(),
                    rows_a + gap,
                    b.data(),
                    rows_b + gap,
                    what.beta,
                    c.data(),
                    what.m + gap};
    const product_schedule q = make_product_schedule(p,
                                                     what.memory_elements * sizeof(float),
                                                     what.devices,
                                                     what.is_strict,
                                                     what.keeps_k,
                                                     slot_elements);
    expect(q.is_resident == expect_resident, "resident, or not", what);
    expect(static_cast<size_t>(elements_in_all(p, q)) <= what.memory_elements,
           "the schedule exceeds the memory",
           what);
    std::deque<simulated_device> devices;
    for (int64_t index = 0; index < q.blocks(); ++index) {
        const product block = block_of(p, q, index);
        simulated_device& d = devices.emplace_back(what, block, q, slot_elements);
        const int number = static_cast<int>(index);
        expect(visit_product_schedule(block,
                                      q,
                                      number,
                                      d.memory(),
                                      [&](const product_step& s) {
                                          expect(s.number >= 0 && s.number < most_groups_of_product,
                                                 "too many groups",
                                                 what);
                                          return d.carry_out(s);
                                      }),
               "the schedule ends early",
               what);
        expect(d.guard_is_untouched(), "the schedule goes beyond its memory", what);
        int64_t left = d.downloads() - 1;
        expect(!visit_product_schedule(
                   block,
                   q,
                   number,
                   d.memory(),
                   [&](const product_step& s) { return s.what != kind::download || left-- > 0; }),
               "a visitor does not end the schedule",
               what);
        // Computes all samples of the block. At the first column of a range, others were computed
        // as well.
        for (const int64_t j : samples_of({0, block.n}))
            for (const int64_t i : samples_of({0, block.m})) {
                double sum = 0;
                for (int64_t l = 0; l < block.k; ++l)
                    sum += block.a[block.transa ? l + i * block.lda : i + l * block.lda] *
                           block.b[block.transb ? j + l * block.ldb : l + j * block.ldb];
                const auto place = static_cast<size_t>(&block.c[i + j * block.ldc] - c.data());
                if (c[place] != 2 * sum + static_cast<double>(what.beta * before[place]))
                    return expect(false, "C is wrong", what);
            }
    }
    expect(q.shares_a ==
               (what.devices > 1 && q.is_resident && (what.n % what.devices == 0 || shares_uneven)),
           "A is shared, or not",
           what);
    for (const simulated_device& d : devices)
        for (const transfer& t : d.moved())
            expect(t.what == kind::upload || devices[static_cast<size_t>(t.owner)].has(t),
                   "a part is fetched that its owner does not have",
                   what);
    for (int64_t j = 0; j < what.n; ++j)
        for (int64_t i = what.m; i < what.m + gap; ++i) {
            const auto place = static_cast<size_t>(i + j * (what.m + gap));
            if (c[place] != before[place])
                return expect(false, "the gap between columns was written", what);
        }
}

} // namespace

int main() {
    constexpr size_t plenty = size_t{1} << 26;
    for (const bool transa : {false, true})
        for (const bool transb : {false, true})
            for (const float beta : {0.0F, 0.5F}) {
                check({transa, transb, 1, 1, 1, beta, plenty, false, 1}, true);
                check({transa, transb, 65, 1, 300, beta, plenty, true, 1}, true);
                check({transa, transb, 300, 700, 129, beta, plenty, false, 1}, true);
                check({transa, transb, 130, 1100, 70, beta, plenty, true, 3}, true);
                check({transa, transb, 130, 1101, 70, beta, plenty, true, 3}, true);
                check({transa, transb, 1500, 1400, 1900, beta, plenty, false, 2}, true);
                check({transa, transb, 65, 1200, 3, beta, plenty, false, 4}, true);
                check({transa, transb, 65, 4001, 300, beta, plenty, false, 2}, true, true);
                // Several panels: more elements than the first panel has. Then with streamed
                // panels.
                check({transa, transb, 700, 600, 1900, beta, plenty, false, 1}, true);
                check({transa, transb, 700, 600, 1900, beta, plenty, true, 1, true}, true);
                check({transa, transb, 130, 1100, 3000, beta, plenty, true, 3, true}, true);
                check({transa, transb, 200, 300, 2000, beta, 300000, false, 1}, false);
                check({transa, transb, 500, 900, 400, beta, 150000, true, 2}, false);
                check({transa, transb, 33, 5, 1000, beta, 12000, false, 1}, false);
            }
    // Blocks of rows: they need different parts of A.
    check({false, false, 65600, 1, 30, 0.5F, plenty, true, 2}, true);
    check({false, false, 131072, 1, 20, 0, plenty, false, 2}, true);
    check({true, false, 131072, 2, 20, 0, plenty, true, 4}, true);
    // The products take longest: panels are split, and operands transposed.
    check({true, false, 6400, 6500, 700, 0, plenty, true, 1}, true);
    check({true, false, 6400, 6500, 600, 0.5F, plenty, true, 1}, true);
    check({false, true, 7000, 6400, 500, 0, plenty, true, 1}, true);
    check({true, false, 6400, 13000, 700, 0, plenty, true, 2}, true);
    return failures > 0;
}
