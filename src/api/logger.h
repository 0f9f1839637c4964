// Messages to the program's callback, stdout, stderr and a file, as configured.
#pragma once

#include "myblas/myblas.h"
#include "routines/fault.h"

#include <atomic>

namespace myblas::logger {

// Whether messages have a target. By default messages have none, and a call then only loads this
// variable.
extern std::atomic<bool> listening;
inline bool is_on() noexcept { return listening.load(std::memory_order_relaxed); }

// Writes a message of one line, if messages have a target.
[[gnu::format(printf, 1, 2)]] void write(const char* format, ...) noexcept;

// Obeys MYBLAS_LOG the first time, unless the program has configured the logger itself.
void read_environment() noexcept;

} // namespace myblas::logger

namespace myblas {

// Logs why `function` does not succeed, and returns the status (by default INVALID_VALUE).
inline myblasStatus_t
refuse(const char* function, myblasStatus_t status, const char* why) noexcept {
    logger::write("%s: %s: %s", function, myblasGetStatusName(status), why);
    return status;
}
myblasStatus_t refuse(const char* function, myblasStatus_t status, const fault& why) noexcept;
inline myblasStatus_t refuse(const char* function, const fault& why) noexcept {
    return refuse(function, MYBLAS_STATUS_INVALID_VALUE, why);
}

} // namespace myblas
