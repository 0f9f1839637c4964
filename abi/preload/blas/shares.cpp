#include "blas/shares.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

namespace myblas::preload {
namespace {

struct device_result {
    bool was_free = false;
    bool delivered_any = false;
    int64_t failed_share = -1;
    int64_t downloads = 0; // number of arrived downloads of the failed share
};

// Takes shares until there are none or one fails.
device_result take_shares(device& d, int helpers, const shares& s, std::atomic<int64_t>& next) {
    const device::lease lease(d, helpers);
    device_result result;
    result.was_free = lease.is_held();
    // A device that was opened after the call was planned may have less memory than the plan needs.
    const bool is_usable = result.was_free && d.memory_limit() >= s.memory_needed;
    while (is_usable && result.failed_share < 0) {
        const int64_t index = next.fetch_add(1);
        if (index >= s.count)
            break;
        d.restart_count();
        const bool is_computed = s.compute(d, index);
        if (!d.finish(is_computed) || !is_computed) {
            result.failed_share = index;
            result.downloads = d.delivered();
        }
        result.delivered_any = result.delivered_any || d.delivered() > 0;
    }
    return result;
}

} // namespace

size_t memory_of(std::span<device* const> devices) noexcept {
    size_t memory = SIZE_MAX;
    for (const device* d : devices)
        memory = std::min(memory, d->memory_limit());
    return memory;
}

outcome compute_shares(std::span<device* const> devices, const shares& s) noexcept {
    const int helpers = copy_team::useful_helpers(s.bytes, static_cast<int>(devices.size()));
    std::atomic<int64_t> next{0};
    std::array<device_result, most_devices> results;
    std::array<std::thread, most_devices> threads;
    const auto run = [&](size_t i) { results[i] = take_shares(*devices[i], helpers, s, next); };
    for (size_t i = 1; i < std::min(devices.size(), static_cast<size_t>(s.count)); ++i) {
        try {
            threads[i] = std::thread(run, i);
        } catch (...) { // the others take its shares
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
    const bool fits = std::any_of(devices.begin(), devices.end(), [&](const device* d) {
        return d->memory_limit() >= s.memory_needed;
    });
    if (!fits)
        return outcome::does_not_fit;
    if (!delivered_any)
        return was_free ? outcome::device_failed : outcome::no_device_free;
    for (const device_result& r : results)
        if (r.failed_share >= 0)
            s.finish_on_host(r.failed_share, r.downloads);
    for (int64_t index = next.load(); index < s.count; ++index)
        s.finish_on_host(index, 0);
    return outcome::served;
}

} // namespace myblas::preload
