// The other libraries. Each is found at run time, and offers calls that do the same work as
// myblas's.
#pragma once

#include "blas_functions.h"
#include "dynamic_library.h"
#include "machine.h"

#include <vector>

namespace bench {

class openblas_incumbents {
public:
    std::vector<subject> subjects(const shape&, const operands&) const;

private:
    void add_geam(std::vector<subject>& found, const shape&, const operands&) const;

    dynamic_library library_{"libopenblas.so.0"};
    blas_functions blas_ =
        find_functions([&](const std::string& name) { return library_.find("cblas_" + name); });
    any_function somatcopy_ = library_.find("cblas_somatcopy");
    any_function sgeadd_ = library_.find("cblas_sgeadd");
    any_function dasum_ = library_.find("cblas_dasum");
};

} // namespace bench
