// The sums' kernels on the host, in ladder order: sum_... in float, dsum_... in double, gemsum_...
// of rows and columns.
#pragma once

#include "core/kernel_entry.h"

namespace myblas::host {

extern const kernel_entry<sum_problem<float>> sum_serial;
extern const kernel_entry<sum_problem<float>> sum_pairwise;

extern const kernel_entry<sum_problem<double>> dsum_serial;
extern const kernel_entry<sum_problem<double>> dsum_pairwise;

extern const kernel_entry<gemsum_problem> gemsum_serial;
extern const kernel_entry<gemsum_problem> gemsum_runs;

} // namespace myblas::host
