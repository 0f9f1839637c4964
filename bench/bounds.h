// The error bounds that myblas.h promises for each element of a result, in units of 2^-24 times the
// sum of the magnitudes that are added up.
#pragma once

#include "myblas/myblas.h"
#include "shape.h"

#include <cstdint>

namespace bench {

// The bound of a product.
double product_bound(myblasMath_t, int64_t k);
// The bound of a routine of level 2 or 3, or of the residual of a solution.
double blas_bound(myblasMath_t, const shape&);

} // namespace bench
