// The CUDA kernels of sum (float), dsum (double), gemsum (rows and columns) and of level 1's
// reductions.
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"

namespace myblas::cuda {

extern const kernel_entry<sum_problem<float>> sum_atomic, sum_shared_serial, sum_shared_interleaved,
    sum_shared_strided, sum_shared_sequential, sum_warp_shuffle, sum_vectorised_two_level,
    sum_single_block, sum_cluster, sum_polled;
extern const kernel_entry<sum_problem<double>> dsum_atomic, dsum_warp_shuffle,
    dsum_vectorised_two_level, dsum_single_block, dsum_cluster, dsum_polled;

// Reductions of level 1
extern const kernel_entry<dot_problem> dot_cluster, dot_polled;
extern const kernel_entry<nrm2_problem> nrm2_cluster, nrm2_polled;
extern const kernel_entry<extremum_problem> extremum_cluster, extremum_polled;

extern const kernel_entry<gemsum_problem> gemsum_naive, gemsum_row_tiles, gemsum_row_clusters,
    gemsum_column_groups;

} // namespace myblas::cuda
