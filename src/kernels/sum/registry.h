// The CUDA kernels of sum (float), dsum (double), gemsum (rows and columns) and of level 1's
// reductions.
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"

namespace myblas::cuda {

extern const kernel_entry<sum_problem<float>> sum_atomic;
extern const kernel_entry<sum_problem<float>> sum_shared_serial;
extern const kernel_entry<sum_problem<float>> sum_shared_interleaved;
extern const kernel_entry<sum_problem<float>> sum_shared_strided;
extern const kernel_entry<sum_problem<float>> sum_shared_sequential;
extern const kernel_entry<sum_problem<float>> sum_warp_shuffle;
extern const kernel_entry<sum_problem<float>> sum_vectorised_two_level;
extern const kernel_entry<sum_problem<float>> sum_single_block;
extern const kernel_entry<sum_problem<float>> sum_cluster;
extern const kernel_entry<sum_problem<float>> sum_polled;

extern const kernel_entry<sum_problem<double>> dsum_atomic;
extern const kernel_entry<sum_problem<double>> dsum_warp_shuffle;
extern const kernel_entry<sum_problem<double>> dsum_vectorised_two_level;
extern const kernel_entry<sum_problem<double>> dsum_single_block;
extern const kernel_entry<sum_problem<double>> dsum_cluster;
extern const kernel_entry<sum_problem<double>> dsum_polled;

// Reductions of level 1
extern const kernel_entry<dot_problem> dot_cluster;
extern const kernel_entry<dot_problem> dot_polled;
extern const kernel_entry<nrm2_problem> nrm2_cluster;
extern const kernel_entry<nrm2_problem> nrm2_polled;
extern const kernel_entry<extremum_problem> extremum_cluster;
extern const kernel_entry<extremum_problem> extremum_polled;

extern const kernel_entry<gemsum_problem> gemsum_naive;
extern const kernel_entry<gemsum_problem> gemsum_row_tiles;
extern const kernel_entry<gemsum_problem> gemsum_row_clusters;
extern const kernel_entry<gemsum_problem> gemsum_column_groups;

} // namespace myblas::cuda
