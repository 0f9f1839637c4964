#include "blas/shares.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace myblas::preload {

held_devices::held_devices(std::span<device* const> devices) noexcept {
    for (device* d : devices.first(std::min(devices.size(), most_devices)))
        if (d->hold())
            devices_[count_++] = d;
}

held_devices::~held_devices() {
    for (device* d : all())
        d->release();
}

size_t held_devices::memory() const noexcept {
    size_t memory = SIZE_MAX;
    for (const device* d : all())
        memory = std::min(memory, d->memory_limit());
    return memory;
}

namespace {

struct device_result {
    bool delivered_any = false;
    int64_t failed_share = -1;
    int64_t downloads = 0; // number of arrived downloads of the failed share
};

// Takes this share and then others, until there are none or one fails.
device_result
take_shares(device& d, int helpers, const shares& s, int64_t index, std::atomic<int64_t>& next) {
    const device::activation active(d, helpers);
    device_result result;
    for (; index < s.count; index = next.fetch_add(1)) {
        d.restart_count();
        const bool is_computed = active.is_active() && s.compute(d, index);
        if (!is_computed)
            s.fail(index);
        const bool is_finished = active.is_active() && d.finish(is_computed);
        result.delivered_any = result.delivered_any || d.delivered() > 0;
        if (!is_computed || !is_finished) { // and takes no other share
            result.failed_share = index;
            result.downloads = d.delivered();
            break;
        }
    }
    return result;
}

} // namespace

outcome compute_shares(const held_devices& held, const shares& s) noexcept {
    const auto devices = held.all();
    if (devices.empty())
        return outcome::no_device_free;
    if (held.memory() < s.memory_needed)
        return outcome::does_not_fit;
    const int helpers = copy_team::useful_helpers(s.bytes, static_cast<int>(devices.size()));
    std::atomic<int64_t> next{static_cast<int64_t>(devices.size())};
    std::array<device_result, most_devices> results;
    std::array<std::thread, most_devices> threads;
    const auto run = [&](size_t i) {
        results[i] = take_shares(*devices[i], helpers, s, static_cast<int64_t>(i), next);
    };
    for (size_t i = 1; i < std::min(devices.size(), static_cast<size_t>(s.count)); ++i) {
        try {
            threads[i] = std::thread(run, i);
        } catch (...) { // the system has no more threads
            results[i].failed_share = static_cast<int64_t>(i);
            s.fail(results[i].failed_share);
        }
    }
    run(0);
    for (std::thread& t : threads)
        if (t.joinable())
            t.join();

    if (std::none_of(
            results.begin(), results.end(), [](const device_result& r) { return r.delivered_any; }))
        return outcome::device_failed;
    for (const device_result& r : results)
        if (r.failed_share >= 0)
            s.finish_on_host(r.failed_share, r.downloads);
    for (int64_t index = next.load(); index < s.count; ++index)
        s.finish_on_host(index, 0);
    return outcome::served;
}

outcome compute_shares(const held_devices& held, const shares& s, bool& is_shared) noexcept {
    const outcome result = compute_shares(held, s);
    if (result != outcome::device_failed || !is_shared)
        return result;
    is_shared = false;
    return compute_shares(held, s);
}

} // namespace myblas::preload
