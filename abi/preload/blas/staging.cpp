#include "blas/staging.h"

#include <algorithm>

namespace myblas::preload {
namespace {

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

size_t bytes_in_all(const product& p, const product_schedule& q) {
    return static_cast<size_t>(elements_in_all(p, q)) * sizeof(float);
}

bool compute_block(
    device& d, const product& p, const product_schedule& q, exchange& with, int index) {
    float* const memory = static_cast<float*>(d.reserve(bytes_in_all(p, q)));
    if (!memory)
        return false;
    staged_block block(d, memory, p, q, with, index);
    return visit_product_schedule(
        p, q, index, memory, [&](const product_step& s) { return block.carry_out(s); });
}

// The part of a block that remains once some of its downloads have arrived.
product rest_of_block(const product& p, const product_schedule& q, int64_t index, int64_t done) {
    return block_of(p, q, index, std::min(done * q.strip_cols, block_of(p, q, index).n));
}

product_schedule
schedule_for(const product& p, size_t memory_bytes, int devices, const device& first) {
    return make_product_schedule(p,
                                 memory_bytes,
                                 devices,
                                 first.is_strict(),
                                 first.is_reproducible(),
                                 device::slot_elements);
}

} // namespace

outcome
staged_product(const held_devices& devices, const product& p, host_function on_host) noexcept {
    const auto used = devices.all();
    product_schedule q = schedule_for(p, devices.memory(), static_cast<int>(used.size()), *used[0]);
    exchange with(used, first_shared);
    q.shares_a = q.shares_a && with.is_possible();
    const double bytes = sizeof(float) * (static_cast<double>(p.m) * static_cast<double>(p.k) +
                                          static_cast<double>(p.k) * static_cast<double>(p.n) +
                                          static_cast<double>(p.m) * static_cast<double>(p.n));
    const auto compute = [&](device& d, int64_t index) {
        return compute_block(d, block_of(p, q, index), q, with, static_cast<int>(index));
    };
    const auto finish_on_host = [&](int64_t index, int64_t downloads) {
        if (const product rest = rest_of_block(p, q, index, downloads); rest.n > 0)
            on_host(level3{rest});
    };
    const auto fail = [&](int64_t index) {
        if (q.shares_a) // then each device has one block of columns
            with.fail(static_cast<int>(index));
    };
    return compute_shares(devices,
                          {q.blocks(), bytes, bytes_in_all(p, q), compute, finish_on_host, fail},
                          q.shares_a);
}

lone_product::lone_product(const device& d, const product& p, size_t memory_bytes) noexcept
    : p_(p), schedule_(schedule_for(p, memory_bytes, 1, d)) {}

size_t lone_product::bytes() const {
    return schedule_.blocks() == 1 ? bytes_in_all(p_, schedule_) : SIZE_MAX;
}

bool lone_product::compute(device& d) const noexcept {
    exchange with_nobody({}, first_shared);
    return compute_block(d, p_, schedule_, with_nobody, 0);
}

product lone_product::rest(int64_t downloads) const {
    return rest_of_block(p_, schedule_, 0, downloads);
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
