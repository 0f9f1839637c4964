#pragma once

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

namespace myblas {

// Whether the program was linked with -static and so has no dynamic loader. dlopen would then load
// a second C library, and libraries do not work with that copy.
inline bool is_static_program() noexcept {
    const auto* const headers = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
    for (unsigned long i = 0; headers && i < getauxval(AT_PHNUM); ++i)
        if (headers[i].p_type == PT_INTERP)
            return false;
    return headers != nullptr;
}

} // namespace myblas
