// malloc and its kind, in place of the C library's. The last bytes of each block say who asked.
#include "fuzz/allocations.h"

#ifdef COUNTS_ALLOCATIONS

#include "libc_allocations.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <link.h>
#include <malloc.h>

namespace fuzz {
namespace {

// Where code of the driver lies.
struct code {
    std::atomic<uintptr_t> begin, end;
};
constexpr size_t most_libraries = 8;
std::array<code, most_libraries> driver_code;

std::atomic<int64_t> own_bytes;

// A place in the driver's code that allocates. The last one stands for all that find no other.
struct site {
    std::atomic<uintptr_t> caller;
    std::atomic<int64_t> bytes, blocks; // as in place_use
};
constexpr size_t most_sites = 4096;
std::array<site, most_sites> sites;

// The end of each block: `mark`, and the index of the site, or `own`.
constexpr uint64_t mark = 0x6d79626c61730000, own = most_sites;
static_assert(own < 0x10000);

bool is_driver(const void* caller) {
    const auto at = reinterpret_cast<uintptr_t>(caller);
    for (const code& c : driver_code)
        if (at >= c.begin.load(std::memory_order_relaxed) &&
            at < c.end.load(std::memory_order_relaxed))
            return true;
    return false;
}

uint64_t site_of(const void* caller) {
    if (!is_driver(caller))
        return own;
    const auto address = reinterpret_cast<uintptr_t>(caller);
    for (size_t i = address / 4 % most_sites; i < most_sites - 1; ++i) {
        uintptr_t known = 0;
        if (sites[i].caller.compare_exchange_strong(known, address) || known == address)
            return i;
    }
    return most_sites - 1;
}

void add(uint64_t tag, int64_t bytes) {
    auto& sum = tag == (mark | own) ? own_bytes : sites[tag ^ mark].bytes;
    sum.fetch_add(bytes, std::memory_order_relaxed);
}

void* note(void* made, const void* caller) {
    if (!made)
        return nullptr;
    const uint64_t index = site_of(caller), tag = mark | index;
    if (index != own)
        sites[index].blocks.fetch_add(1, std::memory_order_relaxed);
    const size_t bytes = malloc_usable_size(made);
    std::memcpy(static_cast<char*>(made) + bytes - sizeof tag, &tag, sizeof tag);
    add(tag, static_cast<int64_t>(bytes));
    return made;
}

struct noted_block {
    uint64_t tag;
    size_t bytes;
    // Blocks from before this code ran have none.
    bool has_tag() const { return tag >= mark && tag <= (mark | own); }
};

noted_block look_at(void* memory) {
    noted_block b{0, malloc_usable_size(memory)};
    if (memory)
        std::memcpy(&b.tag, static_cast<char*>(memory) + b.bytes - sizeof b.tag, sizeof b.tag);
    return b;
}

// The block is freed.
void forget(const noted_block& b) {
    if (b.has_tag())
        add(b.tag, -static_cast<int64_t>(b.bytes));
}

// With room for the tag.
size_t tagged(size_t bytes) { return bytes > PTRDIFF_MAX ? bytes : bytes + sizeof(uint64_t); }

} // namespace

int64_t own_live_bytes() { return own_bytes; }

std::vector<place_use> driver_places() {
    std::vector<place_use> all(most_sites);
    for (size_t i = 0; i < most_sites; ++i)
        all[i] = {sites[i].bytes, sites[i].blocks};
    return all;
}

void find_driver() {
    size_t found = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* library, size_t, void* count) {
            size_t& next = *static_cast<size_t*>(count);
            if (next == most_libraries || (!std::strstr(library->dlpi_name, "/libcuda.so") &&
                                           !std::strstr(library->dlpi_name, "/libnvidia-")))
                return 0;
            uintptr_t begin = UINTPTR_MAX, end = 0;
            for (int i = 0; i < library->dlpi_phnum; ++i) {
                const auto& segment = library->dlpi_phdr[i];
                if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
                    continue;
                const uintptr_t at = library->dlpi_addr + segment.p_vaddr;
                begin = begin < at ? begin : at;
                end = end > at + segment.p_memsz ? end : at + segment.p_memsz;
            }
            driver_code[next].begin = begin;
            driver_code[next].end = end;
            ++next;
            return 0;
        },
        &found);
}

} // namespace fuzz

using namespace fuzz;

extern "C" {

void* malloc(size_t bytes) {
    return note(__libc_malloc(tagged(bytes)), __builtin_return_address(0));
}

void* calloc(size_t count, size_t bytes) {
    size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return nullptr;
    }
    return note(__libc_calloc(tagged(all), 1), __builtin_return_address(0));
}

void* memalign(size_t alignment, size_t bytes) {
    return note(__libc_memalign(alignment, tagged(bytes)), __builtin_return_address(0));
}

void* aligned_alloc(size_t alignment, size_t bytes) {
    return note(__libc_memalign(alignment, tagged(bytes)), __builtin_return_address(0));
}

int posix_memalign(void** memory, size_t alignment, size_t bytes) {
    void* const made = note(__libc_memalign(alignment, tagged(bytes)), __builtin_return_address(0));
    if (!made)
        return ENOMEM;
    *memory = made;
    return 0;
}

void free(void* memory) {
    forget(look_at(memory));
    __libc_free(memory);
}

void* realloc(void* memory, size_t bytes) {
    const noted_block before = look_at(memory);
    void* const made = __libc_realloc(memory, tagged(bytes));
    if (made)
        forget(before);
    return note(made, __builtin_return_address(0));
}

} // extern "C"

#else

int64_t fuzz::own_live_bytes() { return 0; }
std::vector<fuzz::place_use> fuzz::driver_places() { return {}; }
void fuzz::find_driver() {}

#endif
