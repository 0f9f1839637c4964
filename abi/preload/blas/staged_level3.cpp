#include "blas/staged_level3.h"

#include "blas/layout.h"
#include "blas/operations.h"
#include "blas/shared_update.h"

#include <algorithm>

namespace myblas::preload {
namespace {

// Events of a device: of uploads, of fetches, of each group of columns of C, of each shared part.
constexpr int uploaded = 0, fetched = 1;
constexpr int computed(int group) { return 2 + group; }
constexpr int first_shared = device::event_count - most_shared_parts;
constexpr int most_groups = first_shared - computed(0);

// ---- One operation in device memory -------------------------------------------------------------

myblasStatus_t call(const device& d, const level3& p) {
    myblasStatus_t status = MYBLAS_STATUS_INVALID_VALUE;
    const auto call_by = [&]<class Call>(auto* function) {
        if (Call::computes(p))
            status = Call::call_library(function, d.handle(), p);
    };
#define BLAS_LEVEL3(name, ...) call_by.operator()<call_of<routine::name>::type>(d.api().name);
#include "common/entries.inc"
#undef BLAS_LEVEL3
    return status;
}

// ---- The steps of a plan ------------------------------------------------------------------------

int64_t stored_elements(const extent& e) { return pitch_of(e.rows) * e.cols; }
extent extent_of_c(const level3& p) { return {p.m, p.n}; }

double elements_in_all(const level3& p) {
    double elements = 0;
    for (const extent& e : {extent_of_a(p), extent_of_b(p), extent_of_c(p)})
        elements += static_cast<double>(pitch_of(e.rows)) * static_cast<double>(e.cols);
    return elements;
}

// Whether the call fits into the device's memory, and a slot holds at least 8 columns of C.
bool fits(const level3& p, size_t memory_bytes) {
    constexpr int64_t most_rows = device::slot_elements / 8;
    return p.m <= most_rows &&
           elements_in_all(p) * sizeof(float) <= static_cast<double>(memory_bytes);
}

class staged_operation {
public:
    // `with`: the devices that share A; null: none.
    staged_operation(
        device& d, float* memory, const level3& p, exchange* with, int index, int count)
        : d_(d), memory_(memory), host_(p), on_device_(p), with_(with), index_(index),
          count_(count) {
        const extent a = extent_of_a(p), b = extent_of_b(p);
        on_device_.a = memory;
        on_device_.lda = pitch_of(a.rows);
        on_device_.b = p.is_syrk() ? on_device_.a : on_device_.a + stored_elements(a);
        on_device_.ldb = p.is_syrk() ? on_device_.lda : std::max<int64_t>(1, pitch_of(b.rows));
        on_device_.c = memory + stored_elements(a) + stored_elements(b);
        on_device_.ldc = pitch_of(p.m);
    }

    bool run(range cols) {
        return visit_plan(host_, cols, device::slot_elements, most_groups, [this](const step& s) {
            switch (s.what) {
            case step::kind::upload:
                return with_ && s.part >= 0 ? share(s.which, s.part) : upload(s.which);
            case step::kind::compute:
                return compute(s.which.cols, s.group);
            case step::kind::download:
                return d_.wait(device::downloads, computed(s.group)) && download(s.which);
            }
            return false;
        });
    }

private:
    // An operand in the program's memory, or in the device's.
    static host_matrix<const float> part_of(const level3& p, const block& k) {
        const float* data = k.of == operand_name::a ? p.a : k.of == operand_name::b ? p.b : p.c;
        const int64_t ld = k.of == operand_name::a   ? p.lda
                           : k.of == operand_name::b ? p.ldb
                                                     : p.ldc;
        return {data + k.rows.begin + k.cols.begin * ld, k.rows.size(), k.cols.size(), ld};
    }

    // A place in the device's memory, which this call may write.
    device_matrix place_of(const block& k) const {
        const host_matrix<const float> place = part_of(on_device_, k);
        return {const_cast<float*>(place.data), place.ld};
    }

    bool upload(const block& k) { return d_.upload(part_of(host_, k), place_of(k), k.part); }

    // The devices upload the parts in turns.
    bool share(const block& k, int part) {
        const int owner = part / 2 % count_;
        if (owner == index_)
            return upload(k) && with_->publish(index_, memory_, part);
        has_fetched_ = true;
        return with_->fetch(
            index_, owner, memory_, part, place_of(k), k.rows.size(), k.cols.size());
    }

    bool download(const block& k) {
        float* target = host_.c + k.rows.begin + k.cols.begin * host_.ldc;
        return d_.download(place_of(k), {target, k.rows.size(), k.cols.size(), host_.ldc}, k.part);
    }

    bool compute(range cols, int group) {
        if (!d_.record(uploaded, device::uploads) || !d_.wait(device::compute, uploaded))
            return false;
        if (has_fetched_ &&
            !(d_.record(fetched, device::fetches) && d_.wait(device::compute, fetched)))
            return false;
        has_fetched_ = false;
        for (const level3& p : columns_of(on_device_, cols))
            if (call(d_, p) != MYBLAS_STATUS_SUCCESS)
                return false;
        return d_.record(computed(group), device::compute);
    }

    device& d_;
    float* const memory_;
    const level3& host_;
    level3 on_device_;
    exchange* const with_;
    const int index_, count_;
    bool has_fetched_ = false; // since arithmetic last waited
};

// ---- All devices --------------------------------------------------------------------------------

// The share of a device: for an update, some columns of the whole operation; else a smaller
// operation with all its columns.
struct share {
    level3 p;
    range cols;
};
share share_for(const level3& p, int index, int count) {
    const range r = share_of(p, index, count);
    if (p.updates_triangle())
        return {p, r};
    const level3 part = across(p, r);
    return {part, {0, part.n}};
}

double bytes_of(const share& s) {
    return sizeof(float) * static_cast<double>(s.p.m) * static_cast<double>(s.cols.size());
}

void compute_on_host(const level3& p, range cols, host_function on_host) {
    if (cols.size() > 0)
        for (const level3& q : columns_of(p, cols))
            on_host(q);
}

outcome staged_whole(const held_devices& devices, const level3& p, host_function on_host) {
    const int count = static_cast<int>(devices.all().size());
    const auto index_of = [](int64_t index) { return static_cast<int>(index); };
    exchange with(devices.all(), first_shared);
    bool shares_a = p.left && !p.updates_triangle() && p.n >= count && with.is_possible();
    const auto compute = [&](device& d, int64_t index) {
        const share s = share_for(p, static_cast<int>(index), count);
        if (s.p.m == 0 || s.cols.size() == 0)
            return true;
        float* memory = static_cast<float*>(
            d.reserve(static_cast<size_t>(elements_in_all(s.p)) * sizeof(float)));
        return memory &&
               staged_operation(d, memory, s.p, shares_a ? &with : nullptr, index_of(index), count)
                   .run(s.cols);
    };
    const auto finish_on_host = [&](int64_t index, int64_t downloads) {
        const share s = share_for(p, static_cast<int>(index), count);
        if (s.p.m > 0)
            compute_on_host(
                s.p,
                remaining_columns(s.p, s.cols, device::slot_elements, most_groups, downloads),
                on_host);
    };
    const size_t most = static_cast<size_t>(elements_in_all(p)) * sizeof(float); // of a share
    const auto fail = [&](int64_t index) { with.fail(index_of(index)); };
    const double bytes = bytes_of(share_for(p, 0, count));
    return compute_shares(devices, {count, bytes, most, compute, finish_on_host, fail}, shares_a);
}

// ---- An update in tiles -------------------------------------------------------------------------

// A device's share of the triangle's columns needs most of A before it can compute anything. A tile
// needs only its own rows of A.
class staged_tiles {
public:
    staged_tiles(const held_devices& devices, const level3& p)
        : devices_(devices), p_(p), memory_(devices.memory()),
          count_(static_cast<int>(devices.all().size())) {
        if (count_ == 1 || p.what != level3::kind::gemmtr || p.n / count_ < least_order)
            return;
        most_bytes_ = 0;
        for (int i = 0; i < tiles_in_all(count_); ++i)
            most_bytes_ = std::max(most_bytes_, bytes_of(tile(i)));
    }

    bool can_be_used() const { return most_bytes_ <= memory_; }

    outcome run(host_function on_host) const {
        const auto compute = [&](device& d, int64_t index) {
            float* memory = static_cast<float*>(d.reserve(most_bytes_)); // once for all tiles
            const level3 t = tile(index);
            if (memory && t.what == level3::kind::product)
                return lone(t).compute(d);
            return memory && staged_operation(d, memory, t, nullptr, 0, 1).run({0, t.n});
        };
        const auto finish_on_host = [&](int64_t index, int64_t downloads) {
            const level3 t = tile(index);
            if (t.what != level3::kind::product)
                return compute_on_host(
                    t,
                    remaining_columns(t, {0, t.n}, device::slot_elements, most_groups, downloads),
                    on_host);
            if (const product rest = lone(t).rest(downloads); rest.n > 0)
                on_host(level3{rest});
        };
        const double bytes = sizeof(float) * elements_in_all(p_);
        return compute_shares(devices_,
                              {tiles_in_all(count_), bytes, most_bytes_, compute, finish_on_host});
    }

private:
    static constexpr int64_t least_order = 256;

    level3 tile(int64_t index) const { return tile_of(p_, static_cast<int>(index), count_); }
    lone_product lone(const level3& t) const { return {*devices_.all()[0], t, memory_}; }
    size_t bytes_of(const level3& t) const {
        if (t.what == level3::kind::product)
            return lone(t).bytes();
        return fits(t, memory_) ? static_cast<size_t>(elements_in_all(t)) * sizeof(float)
                                : SIZE_MAX;
    }

    const held_devices& devices_;
    const level3& p_;
    const size_t memory_;
    const int count_;
    size_t most_bytes_ = SIZE_MAX; // of a tile
};

// Halves the operation recursively until the parts fit. Once some parts are done, the host computes
// the parts that devices do not take.
outcome staged_in_parts(const held_devices& devices, const level3& p, host_function on_host) {
    if (p.what == level3::kind::product)
        return staged_product(devices, p, on_host);
    // If a device fails here, those that waited for it stop, too. All then begin again, each alone.
    if (shared_update shared(devices, p); shared.can_be_used())
        if (const outcome o = shared.run(on_host); o != outcome::device_failed)
            return o;
    if (const staged_tiles tiles(devices, p); tiles.can_be_used())
        return tiles.run(on_host);
    if (fits(p, devices.memory()))
        return staged_whole(devices, p, on_host);
    if (devices.all()[0]->is_reproducible())
        return outcome::does_not_fit;
    bool is_begun = false;
    for (const level3& q : halves(p)) {
        const outcome o = staged_in_parts(devices, q, on_host);
        if (o == outcome::served)
            is_begun = true;
        else if (is_begun)
            on_host(q);
        else
            return o;
    }
    return is_begun ? outcome::served : outcome::does_not_fit;
}

} // namespace

outcome
staged_level3(std::span<device* const> devices, const level3& p, host_function on_host) noexcept {
    const held_devices held(devices);
    return held.all().empty() ? outcome::no_device_free : staged_in_parts(held, p, on_host);
}

} // namespace myblas::preload
