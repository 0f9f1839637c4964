#pragma once

#include <cstdlib>

namespace myblas {

// What an environment variable holds; null if it is not set, or empty. Programs with raised privileges read none.
inline const char* read_variable(const char* name) noexcept {
    const char* text = secure_getenv(name);
    return text && *text ? text : nullptr;
}

} // namespace myblas
