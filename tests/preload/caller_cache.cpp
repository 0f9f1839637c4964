// A caller's properties are found once for each file, however many of its pages make calls.
#include "common/caller_cache.h"
#include "expect.h"

#include <cstdlib>
#include <link.h>
#include <string>

using namespace myblas::preload;

namespace {

constexpr uintptr_t page_bytes = 4096;

struct value {
    const void* file;
    unsigned variant;
};

int fills = 0;

template <class Cache>
const value& ask(Cache& cache, uintptr_t caller, unsigned variant) {
    return cache.of(reinterpret_cast<const void*>(caller), variant, [=](value* v) {
        ++fills;
        *v = {mapped_file(reinterpret_cast<const void*>(caller)), variant};
    });
}

// The code of the C library, of some hundred pages.
struct code {
    uintptr_t begin, bytes;
};

int find_code(dl_phdr_info* info, size_t, void* context) {
    code& largest = *static_cast<code*>(context);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& header = info->dlpi_phdr[i];
        if (header.p_type == PT_LOAD && (header.p_flags & PF_X) && header.p_memsz > largest.bytes)
            largest = {info->dlpi_addr + header.p_vaddr, header.p_memsz};
    }
    return 0;
}

// A file's pages, asked in several rounds and by neighbouring variants.
void check_pages() {
    static caller_cache<value> cache;
    code largest{};
    dl_iterate_phdr(find_code, &largest);
    const uintptr_t pages = largest.bytes / page_bytes;
    expect(pages > 100, "a library has more than a hundred pages of code");
    const void* const file = mapped_file(reinterpret_cast<const void*>(largest.begin));
    expect(file != nullptr, "code is in a file");
    fills = 0;
    for (int round = 0; round < 3; ++round)
        for (uintptr_t page = 0; page < pages; ++page)
            for (unsigned variant = 0; variant < 3; ++variant) {
                const value& v = ask(cache, largest.begin + page * page_bytes, variant);
                expect(v.file == file && v.variant == variant, "the value is the caller's");
            }
    expect(fills == 3,
           "a file is looked at once for each variant, not " + std::to_string(fills) + " times");
    static caller_cache<value> plain;
    int unknown = 0;
    for (int round = 0; round < 2; ++round)
        for (uintptr_t page = 0; page < pages; ++page) {
            const uintptr_t caller = largest.begin + page * page_bytes;
            unknown += !plain.known(reinterpret_cast<const void*>(caller), 0);
            ask(plain, caller, 0);
        }
    expect(unknown == static_cast<int>(pages), "pages of one variant are known at once");
}

// Code in no file, and more of it than the cache has entries: the value is right, found once or
// each time.
void check_overflow() {
    static caller_cache<value> cache;
    constexpr uintptr_t nowhere = 0x10000000000, callers = 5000;
    fills = 0;
    for (int round = 0; round < 2; ++round)
        for (uintptr_t page = 0; page < callers; ++page) {
            const unsigned variant = page % 16;
            const value& v = ask(cache, nowhere + page * page_bytes, variant);
            expect(v.file == nullptr && v.variant == variant, "the value is that of the variant");
        }
    expect(fills >= static_cast<int>(callers) && fills < 2 * static_cast<int>(callers),
           "some are found out once, the others each time: " + std::to_string(fills));
}

} // namespace

int main() {
    check_pages();
    check_overflow();
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
