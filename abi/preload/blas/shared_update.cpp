#include "blas/shared_update.h"

#include "blas/layout.h"
#include "blas/operations.h"

#include <algorithm>
#include <limits>

namespace myblas::preload {
namespace {

constexpr int64_t least_order = 256;                     // of a tile
constexpr int64_t most_rows = device::slot_elements / 8; // a slot holds at least 8 of its columns

// Panels of A get deeper, because each one reads and writes C in memory. The last ones are not
// deeper than an eighth of k: their arithmetic follows the last upload.
constexpr int64_t first_depth = 512, least_part_of_k = 8;

// Events of a device: of uploads, of fetches, of groups, of the uploads of each panel.
constexpr int uploaded = 0, fetched = 1;
constexpr int computed(int group) { return 2 + group; }
constexpr int first_shared = device::event_count - most_shared_parts;
constexpr int most_groups = first_shared - computed(0);

size_t elements_of_a(const level3& p) {
    const extent a = extent_of_a(p);
    return static_cast<size_t>(pitch_of(a.rows) * a.cols);
}

// The tiles of one device. Devices get about the same work. A tile on the diagonal has half of the
// work of a tile beside it.
class tiles_of_device {
public:
    tiles_of_device(const level3& p, int index, int devices) : p_(p), devices_(devices) {
        std::array<int, most_devices> work{};
        const auto end = work.begin() + devices;
        for (int tile = 0; tile < tiles_in_all(devices); ++tile) {
            const auto least = std::min_element(work.begin(), end);
            *least += tile < tiles_beside_diagonal(devices) ? 2 : 1;
            if (least - work.begin() == index)
                tiles_[static_cast<size_t>(count_++)] = tile;
        }
    }

    int count() const { return count_; }
    level3 tile(int i) const { return tile_of(p_, tiles_[static_cast<size_t>(i)], devices_); }

    size_t elements_of_c() const {
        size_t elements = 0;
        for (int i = 0; i < count_; ++i)
            elements += static_cast<size_t>(pitch_of(tile(i).m) * tile(i).n);
        return elements;
    }

    // Calls visit(tile, columns) for the groups of each tile, until it returns false.
    template <class Visit>
    bool for_each_group(Visit&& visit) const {
        for (int i = 0; i < count_; ++i) {
            const level3 t = tile(i);
            int left = most_groups / count_;
            for (int64_t j = 0, cols; j < t.n; j += cols) {
                cols = next_group_cols(t.n, t.n - j, element_alignment);
                cols = --left == 0 ? t.n - j : std::min(cols, t.n - j);
                if (!visit(i, range{j, j + cols}))
                    return false;
            }
        }
        return true;
    }

private:
    const level3& p_;
    const int devices_;
    std::array<int, 2 * most_devices> tiles_{};
    int count_ = 0;
};

// The part of some columns of a tile that the call writes.
block part_of_c(const level3& t, range cols) {
    if (!t.updates_triangle())
        return {operand_name::c, {0, t.m}, cols, {}};
    if (t.upper)
        return {operand_name::c, {0, cols.end}, cols, {triangle::upper, cols.begin}};
    return {operand_name::c, {cols.begin, t.n}, cols, {triangle::lower, 0}};
}

// The operations for some columns of a tile. (columns_of() takes a product's B as it is stored.)
operations columns_of_tile(const level3& t, range cols) {
    if (t.updates_triangle())
        return columns_of(t, cols);
    level3 q = t;
    q.n = cols.size();
    q.b += t.transb ? cols.begin : cols.begin * t.ldb;
    q.c += cols.begin * t.ldc;
    operations one;
    one.add(q);
    return one;
}

// One device's part of the call.
class device_update {
public:
    device_update(device& d, float* memory, const level3& p, exchange& with, int index, int devices)
        : d_(d), memory_(memory), p_(p), with_(with), index_(index), devices_(devices),
          tiles_(p, index, devices), on_device_(p) {
        const extent a = extent_of_a(p);
        on_device_.a = on_device_.b = memory;
        on_device_.lda = on_device_.ldb = pitch_of(a.rows);
    }

    bool run() {
        const int64_t most_depth =
            std::max(first_depth, round_up(p_.k / least_part_of_k, element_alignment));
        int64_t depth = std::min(first_depth, most_depth);
        int panel = 0;
        for (int64_t l = 0; l < p_.k; ++panel) {
            depth = std::min(depth, p_.k - l);
            if (!upload_panel(l, depth, panel) || !await_panel() || !multiply(l, depth))
                return false;
            l += depth;
            depth = std::min(2 * depth, most_depth);
        }
        return download();
    }

private:
    // The columns of the panel, as stored, that a device uploads.
    bool upload_panel(int64_t l, int64_t depth, int panel) {
        const extent whole = p_.transa ? extent{depth, p_.n} : extent{p_.n, depth};
        for (int turn = 0; turn < devices_; ++turn) {
            const int owner = (index_ + turn) % devices_;
            const int64_t begin = whole.cols * owner / devices_;
            const int64_t cols = whole.cols * (owner + 1) / devices_ - begin;
            const float* const from = at(p_.a, p_.lda, l, begin);
            const device_matrix to{const_cast<float*>(at(memory_, on_device_.lda, l, begin)),
                                   on_device_.lda};
            if (owner == index_) {
                if ((cols > 0 && !d_.upload({from, whole.rows, cols, p_.lda}, to)) ||
                    !with_.publish(index_, memory_, panel))
                    return false;
            } else if (cols > 0 &&
                       !with_.fetch(index_, owner, memory_, panel, to, whole.rows, cols)) {
                return false;
            }
        }
        return true;
    }

    // Column `col` of the panel of A, as stored, that begins at l along k.
    const float* at(const float* a, int64_t lda, int64_t l, int64_t col) const {
        return a + (p_.transa ? l + col * lda : (l + col) * lda);
    }

    bool await_panel() {
        return d_.record(uploaded, device::uploads) && d_.wait(device::compute, uploaded) &&
               d_.record(fetched, device::fetches) && d_.wait(device::compute, fetched);
    }

    // Tile i in the device's memory, of the panel from l on.
    level3 tile_on_device(int i, int64_t l, int64_t depth) const {
        level3 t = tile_on(i);
        const int64_t from = p_.transa ? l : l * t.lda;
        t.a += from;
        t.b += from;
        t.k = depth;
        t.beta = l == 0 ? p_.beta : 1;
        return t;
    }
    level3 tile_on(int i) const {
        level3 t = tiles_of_device(on_device_, index_, devices_).tile(i);
        t.c = memory_ + elements_of_a(p_);
        for (int before = 0; before < i; ++before)
            t.c += pitch_of(tiles_.tile(before).m) * tiles_.tile(before).n;
        t.ldc = pitch_of(t.m);
        return t;
    }

    bool multiply(int64_t l, int64_t depth) {
        const bool goes_up = l == 0 && p_.reads_c(), is_last = l + depth == p_.k;
        if (!goes_up && !is_last) {
            for (int i = 0; i < tiles_.count(); ++i)
                if (!compute(tile_on_device(i, l, depth)))
                    return false;
            return true;
        }
        int group = 0;
        return tiles_.for_each_group([&](int i, range cols) {
            if (goes_up && !(upload_c(i, cols) && d_.record(uploaded, device::uploads) &&
                             d_.wait(device::compute, uploaded)))
                return false;
            for (const level3& q : columns_of_tile(tile_on_device(i, l, depth), cols))
                if (!compute(q))
                    return false;
            return !is_last || d_.record(computed(group++), device::compute);
        });
    }

    bool compute(const level3& q) const {
        using product = call_of<routine::sgemm>::type;
        using update = call_of<routine::ssyrk>::type;
        const myblasStatus_t status = q.updates_triangle()
                                          ? update::call_library(d_.api().ssyrk, d_.handle(), q)
                                          : product::call_library(d_.api().sgemm, d_.handle(), q);
        return status == MYBLAS_STATUS_SUCCESS;
    }

    bool upload_c(int i, range cols) {
        const level3 t = tiles_.tile(i);
        const block k = part_of_c(t, cols);
        return d_.upload(
            {t.c + k.rows.begin + k.cols.begin * t.ldc, k.rows.size(), k.cols.size(), t.ldc},
            place_of(i, k),
            k.part);
    }

    bool download() {
        int group = 0;
        return tiles_.for_each_group([&](int i, range cols) {
            const level3 t = tiles_.tile(i);
            if (!d_.wait(device::downloads, computed(group++)))
                return false;
            const int64_t strip = device::slot_elements / t.m;
            for (int64_t j = cols.begin; j < cols.end; j += strip) {
                const block k = part_of_c(t, {j, std::min(j + strip, cols.end)});
                float* const target = t.c + k.rows.begin + k.cols.begin * t.ldc;
                if (!d_.download(
                        place_of(i, k), {target, k.rows.size(), k.cols.size(), t.ldc}, k.part))
                    return false;
            }
            return true;
        });
    }

    device_matrix place_of(int i, const block& k) const {
        const level3 t = tile_on(i);
        return {t.c + k.rows.begin + k.cols.begin * t.ldc, t.ldc};
    }

    device& d_;
    float* const memory_;
    const level3& p_;
    exchange& with_;
    const int index_, devices_;
    const tiles_of_device tiles_;
    level3 on_device_; // A in the device's memory
};

// What remains of the tiles of a device after some of its downloads.
void finish_on_host(const tiles_of_device& tiles, int64_t downloads, host_function on_host) {
    tiles.for_each_group([&](int i, range cols) {
        const level3 t = tiles.tile(i);
        const int64_t strip = device::slot_elements / t.m;
        for (; cols.begin < cols.end && downloads > 0; --downloads)
            cols.begin = std::min(cols.begin + strip, cols.end);
        if (cols.size() > 0)
            for (const level3& q : columns_of_tile(t, cols))
                on_host(q);
        return true;
    });
}

size_t bytes_of(const level3& p, int index, int devices) {
    return (elements_of_a(p) + tiles_of_device(p, index, devices).elements_of_c()) * sizeof(float);
}

} // namespace

shared_update::shared_update(const held_devices& devices, const level3& p) noexcept
    : devices_(devices), p_(p), count_(static_cast<int>(devices.all().size())),
      with_(devices.all(), first_shared) {}

// In strict mode, the arithmetic of two devices takes longer than the copies: tiles that come one
// after another, each with its own upload, are as fast. More devices share the host's links.
bool shared_update::can_be_used() const noexcept {
    const device& first = *devices_.all()[0];
    // A copy between devices has a pitch of 31 bits, in bytes.
    constexpr int64_t most_pitch = std::numeric_limits<int32_t>::max() / sizeof(float) - 64;
    if (count_ < 2 || !p_.is_syrk() || (first.is_strict() && count_ == 2) ||
        p_.n / count_ < least_order || p_.n / count_ + element_alignment > most_rows ||
        extent_of_a(p_).rows > most_pitch)
        return false;
    size_t bytes = 0;
    for (int i = 0; i < count_; ++i)
        bytes = std::max(bytes, bytes_of(p_, i, count_));
    return bytes <= devices_.memory() && with_.is_possible();
}

outcome shared_update::run(host_function on_host) noexcept {
    const auto compute = [&](device& d, int64_t index) {
        const int i = static_cast<int>(index);
        float* const memory = static_cast<float*>(d.reserve(bytes_of(p_, i, count_)));
        return memory && device_update(d, memory, p_, with_, i, count_).run();
    };
    const auto finish = [&](int64_t index, int64_t downloads) {
        finish_on_host(tiles_of_device(p_, static_cast<int>(index), count_), downloads, on_host);
    };
    const auto fail = [&](int64_t index) { with_.fail(static_cast<int>(index)); };
    const double bytes = sizeof(float) * static_cast<double>(elements_of_a(p_)) / count_;
    return compute_shares(devices_, {count_, bytes, 0, compute, finish, fail});
}

} // namespace myblas::preload
