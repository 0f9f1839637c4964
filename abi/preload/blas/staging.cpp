#include "blas/staging.h"

#include "blas/product_schedule.h"
#include "blas/shares.h"

namespace myblas::preload {
namespace {

constexpr int64_t slot_elements = device::slot_bytes / sizeof(float);

// Events of a device.
constexpr int uploaded = 0;
constexpr int released(int buffer) { return 1 + buffer; }
constexpr int computed(int group) { return 3 + group; }
static_assert(computed(most_groups_of_product) <= device::event_count);

// Carries out the steps of a block.
class staged_block {
public:
    staged_block(device& d, float* memory, const product& p, const product_schedule& q)
        : d_(d), p_(p), c_{memory, ld_of_c(q)} {}

    bool carry_out(const product_step& s) {
        using kind = product_step::kind;
        switch (s.what) {
        case kind::upload:
            has_uploaded_ = true;
            return d_.upload(s.from, {s.place, s.ld});
        case kind::transpose:
            return await_uploads() && transpose(s);
        case kind::multiply:
            return await_uploads() && multiply(s);
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
    bool await_uploads() {
        if (!has_uploaded_)
            return true;
        has_uploaded_ = false;
        return d_.record(uploaded, device::uploads) && d_.wait(device::compute, uploaded);
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
    bool has_uploaded_ = false; // since arithmetic last waited
};

bool compute_block(device& d, const product& p, const product_schedule& q) {
    float* const memory =
        static_cast<float*>(d.reserve(static_cast<size_t>(elements_in_all(p, q)) * sizeof(float)));
    if (!memory)
        return false;
    staged_block block(d, memory, p, q);
    return visit_product_schedule(
        p, q, memory, [&](const product_step& s) { return block.carry_out(s); });
}

} // namespace

outcome
staged_product(std::span<device* const> devices, const product& p, host_function on_host) noexcept {
    const auto used = devices.first(std::min(devices.size(), most_devices));
    const product_schedule q = make_product_schedule(p,
                                                     memory_of(used),
                                                     static_cast<int>(used.size()),
                                                     used[0]->is_strict(),
                                                     used[0]->is_reproducible(),
                                                     slot_elements);
    const double bytes = sizeof(float) * (static_cast<double>(p.m) * static_cast<double>(p.k) +
                                          static_cast<double>(p.k) * static_cast<double>(p.n) +
                                          static_cast<double>(p.m) * static_cast<double>(p.n));
    const auto compute = [&](device& d, int64_t index) {
        return compute_block(d, block_of(p, q, index), q);
    };
    const auto finish_on_host = [&](int64_t index, int64_t downloads) {
        const int64_t cols = block_of(p, q, index).n;
        const product rest = block_of(p, q, index, std::min(downloads * q.strip_cols, cols));
        if (rest.n > 0)
            on_host(level3{rest});
    };
    const size_t needed = static_cast<size_t>(elements_in_all(p, q)) * sizeof(float);
    return compute_shares(used, {q.blocks(), bytes, needed, compute, finish_on_host});
}

bool resident_product(device& d, int64_t n) noexcept {
    const device::lease lease(d, 0);
    if (!lease.is_held())
        return false;
    float* memory = static_cast<float*>(d.reserve(static_cast<size_t>(3 * n * n) * sizeof(float)));
    if (!memory)
        return false;
    const float one = 1, zero = 0;
    float *const a = memory, *const b = a + n * n, *const c = b + n * n;
    // clang-format off
    return d.api().sgemm(d.handle(), MYBLAS_OP_N, MYBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c,
                         n) == MYBLAS_STATUS_SUCCESS && d.finish(true);
    // clang-format on
}

} // namespace myblas::preload
