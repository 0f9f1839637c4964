// malloc and its kind, in place of the C library's.
#include "faults/allocations.h"

#include "faults/standin.h"
#include "libc_allocations.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace allocations {
namespace {

std::atomic<bool> counts{false}, fail_stays{false}, failed{false};
std::atomic<long> fail_at{-1}, counted{0}, blocks{0};

// Whether this allocation is to be refused.
bool refuses() {
    if (!counts.load(std::memory_order_relaxed) || standin::is_inside())
        return false;
    const long number = counted++, at = fail_at;
    if (at < 0 || (fail_stays ? number < at : number != at))
        return false;
    failed = true;
    errno = ENOMEM;
    return true;
}

void* note(void* made) {
    if (made && !standin::is_inside())
        ++blocks;
    return made;
}

} // namespace

void arm(long at, bool stays) {
    fail_at = at;
    fail_stays = stays;
    failed = false;
    counted = 0;
    counts = true;
}

void disarm() { counts = false; }
long calls() { return counted; }
bool has_failed() { return failed; }
long live() { return blocks; }

} // namespace allocations

using namespace allocations;

extern "C" {

void* malloc(size_t bytes) { return refuses() ? nullptr : note(__libc_malloc(bytes)); }

void* calloc(size_t count, size_t bytes) {
    return refuses() ? nullptr : note(__libc_calloc(count, bytes));
}

void* memalign(size_t alignment, size_t bytes) {
    return refuses() ? nullptr : note(__libc_memalign(alignment, bytes));
}

void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void** memory, size_t alignment, size_t bytes) {
    *memory = memalign(alignment, bytes);
    return *memory ? 0 : ENOMEM;
}

void free(void* memory) {
    if (memory && !standin::is_inside())
        --blocks;
    __libc_free(memory);
}

void* realloc(void* memory, size_t bytes) {
    if (!memory)
        return malloc(bytes);
    return refuses() ? nullptr : __libc_realloc(memory, bytes);
}

} // extern "C"
