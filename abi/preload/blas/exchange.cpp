#include "blas/exchange.h"

namespace myblas::preload {

bool exchange::is_possible() const noexcept {
    for (device* d : devices_)
        for (const device* other : devices_)
            if (d != other && !d->can_fetch_from(*other))
                return false;
    return devices_.size() > 1;
}

void exchange::tell(int index, int published) noexcept {
    std::atomic<int>& told = entries_[static_cast<size_t>(index)].published;
    told.store(published);
    told.notify_all();
}

bool exchange::publish(int index, const float* memory, int part) noexcept {
    if (!at(index).record(first_event_ + part, device::uploads))
        return false;
    // Written once: the other devices' threads read it as soon as the first part is published.
    entry& e = entries_[static_cast<size_t>(index)];
    if (e.published.load(std::memory_order_relaxed) == 0)
        e.memory = memory;
    tell(index, part + 1);
    return true;
}

void exchange::fail(int index) noexcept { tell(index, failed); }

bool exchange::fetch(int index,
                     int owner,
                     const float* memory,
                     int part,
                     const device_matrix& to,
                     int64_t rows,
                     int64_t cols) noexcept {
    const entry& e = entries_[static_cast<size_t>(owner)];
    int published;
    while ((published = e.published.load()) != failed && published <= part)
        e.published.wait(published);
    if (published == failed)
        return false;
    float* const from = const_cast<float*>(e.memory) + (to.data - memory);
    return at(index).fetch(at(owner), first_event_ + part, {from, to.ld}, to, rows, cols);
}

} // namespace myblas::preload
