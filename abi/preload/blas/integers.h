// Whether a BLAS has integers of 64 bits, judged by the name of its file. Yes: libblas64.so.3,
// libopenblas64_.so.0, libmkl_intel_ilp64.so. No: libmkl_intel_lp64.so, libnvpl_blas_lp64_gomp.so,
// libopenblas_x86_64.so.
#pragma once

#include <string_view>

namespace myblas::preload {

constexpr bool names_64_bit_integers(std::string_view name) noexcept {
    if (name.find("ilp64") != std::string_view::npos)
        return true;
    for (size_t at = name.find("64"); at != std::string_view::npos; at = name.find("64", at + 2)) {
        const std::string_view before = name.substr(0, at), after = name.substr(at + 2);
        bool is_of_pointers = false;
        for (const std::string_view other : {"lp", "x86_", "amd", "aarch"})
            is_of_pointers = is_of_pointers || before.ends_with(other);
        if (!is_of_pointers && (after.starts_with(".so") || after.starts_with("_")))
            return true;
    }
    return false;
}

} // namespace myblas::preload
