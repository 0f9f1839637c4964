#include "blas/staging.h"

#include "blas/product_schedule.h"

namespace myblas::preload {
namespace {

constexpr int64_t slot_elements = device::slot_bytes / sizeof(float);

// Events of a device.
constexpr int uploaded = 0, fetched = 1;
constexpr int released(int buffer) { return 2 + buffer; }
constexpr int computed(int group) { return 4 + group; }
constexpr int first_shared = computed(most_groups_of_product);
static_assert(first_shared + most_shared_parts_of_product <= device::event_count);

// Carries out the steps of a block.
class staged_block {
public:
    staged_block(device& d,
                 float* memory,
                 const product& p,
                 const product_schedule& q,
                 exchange& with,
                 int index)
        : d_(d), p_(p), c_{memory, ld_of_c(q)}, exchange_(with), index_(index) {}

    bool carry_out(const product_step& s) {
        using kind = product_step::kind;
        switch (s.what) {
        case kind::upload:
            has_uploaded_ = true;
            return d_.upload(s.from, {s.place, s.ld});
        case kind::publish:
            return exchange_.publish(index_, c_.data, s.number);
        case kind::fetch:
            has_fetched_ = true;
            return exchange_.fetch(
                index_, s.owner, c_.data, s.number, {s.place, s.ld}, s.from.rows, s.from.cols);
        case kind::transpose:
            return await_operands() && transpose(s);
        case kind::multiply:
            return await_operands() && multiply(s);
        case kind::release:
            return d_.record(released(s.number), device::compute);
        case kind::claim:
            return d_.wait(device::uploads, released(s.number));
        case kind::group:
            return d_.record(computed(s.number), device::compute);
        case kind::download:
            return d_.wait(device::downloads, computed(s.number)) &&
                   d_.download({c_.data + s.cols.begin * c_.ld, c_.ld},
                               {p_.c + s.cols.begin * p_.ldc, p_.m, s.cols.size(), p_.ldc});
        }
        return false;
    }

private:
    bool await_operands() {
        if (has_uploaded_ &&
            !(d_.record(uploaded, device::uploads) && d_.wait(device::compute, uploaded)))
            return false;
        if (has_fetched_ &&
            !(d_.record(fetched, device::fetches) && d_.wait(device::compute, fetched)))
            return false;
        has_uploaded_ = has_fetched_ = false;
        return true;
    }

    bool transpose(const product_step& s) {
        const float one = 1, zero = 0;
        const int64_t m = s.from.cols, n = s.from.rows;
        // clang-format off
        return d_.api().sgeam(d_.handle(), MYBLAS_OP_T, MYBLAS_OP_N, m, n, &one, s.from.data,
                              s.from.ld, &zero, nullptr, m, s.place, s.ld) == MYBLAS_STATUS_SUCCESS;
        // clang-format on
    }

    bool multiply(const product_step& s) {
        const myblasOperation_t transa = s.a.is_along_k ? MYBLAS_OP_T : MYBLAS_OP_N;
        const myblasOperation_t transb = s.b.is_along_k ? MYBLAS_OP_N : MYBLAS_OP_T;
        float* const c = c_.data + s.rows.begin + s.cols.begin * c_.ld;
        // clang-format off
        return d_.api().sgemm(d_.handle(), transa, transb, s.rows.size(), s.cols.size(), s.depth,
                              &p_.alpha, s.a.data, s.a.ld, s.b.data, s.b.ld, &s.beta, c,
                              c_.ld) == MYBLAS_STATUS_SUCCESS;
        // clang-format on
    }

    device& d_;
    const product& p_;
    const device_matrix c_;
    exchange& exchange_;
    const int index_;
    bool has_uploaded_ = false, has_fetched_ = false; // since arithmetic last waited
};

bool compute_block(
    device& d, const product& p, const product_schedule& q, exchange& with, int index) {
    float* const memory =
        static_cast<float*>(d.reserve(static_cast<size_t>(elements_in_all(p, q)) * sizeof(float)));
    if (!memory)
        return false;
    staged_block block(d, memory, p, q, with, index);
    return visit_product_schedule(
        p, q, index, memory, [&](const product_step& s) { return block.carry_out(s); });
}

} // namespace

outcome
staged_product(const held_devices& devices, const product& p, host_function on_host) noexcept {
    const auto used = devices.all();
    product_schedule q = make_product_schedule(p,
                                               devices.memory(),
                                               static_cast<int>(used.size()),
                                               used[0]->is_strict(),
                                               used[0]->is_reproducible(),
                                               slot_elements);
    exchange with(used, first_shared);
    q.shares_a = q.shares_a && with.is_possible();
    const double bytes = sizeof(float) * (static_cast<double>(p.m) * static_cast<double>(p.k) +
                                          static_cast<double>(p.k) * static_cast<double>(p.n) +
                                          static_cast<double>(p.m) * static_cast<double>(p.n));
    const auto compute = [&](device& d, int64_t index) {
        return compute_block(d, block_of(p, q, index), q, with, static_cast<int>(index));
    };
    const auto finish_on_host = [&](int64_t index, int64_t downloads) {
        const int64_t cols = block_of(p, q, index).n;
        const product rest = block_of(p, q, index, std::min(downloads * q.strip_cols, cols));
        if (rest.n > 0)
            on_host(level3{rest});
    };
    const size_t needed = static_cast<size_t>(elements_in_all(p, q)) * sizeof(float);
    const auto fail = [&](int64_t index) { with.fail(static_cast<int>(index)); };
    return compute_shares(devices, {q.blocks(), bytes, needed, compute, finish_on_host, fail});
}

bool resident_product(device& d, int64_t n) noexcept {
    if (!d.hold())
        return false;
    const bool is_good = [&] {
        const device::activation active(d, 0);
        const size_t bytes = static_cast<size_t>(3 * n * n) * sizeof(float);
        float* a = active.is_active() ? static_cast<float*>(d.reserve(bytes)) : nullptr;
        if (!a)
            return false;
        const float one = 1, zero = 0;
        float *const b = a + n * n, *const c = b + n * n;
        // clang-format off
        return d.api().sgemm(d.handle(), MYBLAS_OP_N, MYBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero,
                             c, n) == MYBLAS_STATUS_SUCCESS && d.finish(true);
        // clang-format on
    }();
    d.release();
    return is_good;
}

} // namespace myblas::preload
