#pragma once

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

namespace myblas {

// Whether the program was linked with -static, so that it has no dynamic loader. dlopen would then bring a second C library
// into the process, in which what it loads does not work.
inline bool is_static_program() noexcept {
    const auto* const headers = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
    for (unsigned long i = 0; headers && i < getauxval(AT_PHNUM); ++i)
        if (headers[i].p_type == PT_INTERP)
            return false;
    return headers != nullptr;
}

} // namespace myblas
