// What main() turns into an exit status: 2 for a usage_error, 1 for a failure.
#pragma once

#include <stdexcept>

namespace bench {

struct usage_error : std::runtime_error {
    using runtime_error::runtime_error;
};

struct failure : std::runtime_error {
    using runtime_error::runtime_error;
};

} // namespace bench
