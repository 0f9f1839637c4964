// The other libraries: each finds its library at run time and offers the calls that do the same work.
#pragma once

#include "blas_functions.h"
#include "dynamic_library.h"
#include "machine.h"

#include <vector>

namespace bench {

class openblas_incumbents {
public:
    openblas_incumbents();
    std::vector<subject> subjects(const shape&, const operands&) const;

private:
    void add_geam(std::vector<subject>& found, const shape&, const operands&) const;

    dynamic_library library_;
    // CBLAS: the enumerations are ints.
    void (*sgemm_)(int,
                   int,
                   int,
                   int,
                   int,
                   int,
                   float,
                   const float*,
                   int,
                   const float*,
                   int,
                   float,
                   float*,
                   int);
    void (*somatcopy_)(int, int, int, int, float, const float*, int, float*, int);
    void (*sgeadd_)(int, int, int, float, const float*, int, float, float*, int);
    double (*dasum_)(int, const double*, int);
    cblas_functions blas_; // levels 1 to 3 but sgemm
};

} // namespace bench
