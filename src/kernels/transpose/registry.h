// The CUDA kernels of transpose and geam.
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"

namespace myblas::cuda {

extern const kernel_entry<transpose_problem> transpose_copy;
extern const kernel_entry<transpose_problem> transpose_copy_shared;
extern const kernel_entry<transpose_problem> transpose_naive;
extern const kernel_entry<transpose_problem> transpose_shared_tile;
extern const kernel_entry<transpose_problem> transpose_shared_tile_padded;
extern const kernel_entry<transpose_problem> transpose_diagonal;
extern const kernel_entry<transpose_problem> transpose_unrolled;
extern const kernel_entry<transpose_problem> transpose_vectorised;
extern const kernel_entry<transpose_problem> transpose_small_squares;
extern const kernel_entry<transpose_problem> transpose_small_elements;
extern const kernel_entry<transpose_problem> transpose_small_tiles;
extern const kernel_entry<transpose_problem> transpose_large_tiles;
extern const kernel_entry<transpose_problem> transpose_shifted;
extern const kernel_entry<transpose_problem> transpose_interleaved;
extern const kernel_entry<transpose_problem> transpose_in_place_square;
extern const kernel_entry<transpose_problem> transpose_in_place_pairs;
extern const kernel_entry<transpose_problem> transpose_in_place_workspace;
extern const kernel_entry<transpose_problem> transpose_in_place_cycles;

extern const kernel_entry<geam_problem> geam_naive;
extern const kernel_entry<geam_problem> geam_shared_tile;
extern const kernel_entry<geam_problem> geam_async_tiles;

} // namespace myblas::cuda
