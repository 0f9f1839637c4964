// The CUDA kernels of transpose and geam.
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"

namespace myblas::cuda {

extern const kernel_entry<transpose_problem> transpose_copy, transpose_copy_shared, transpose_naive,
    transpose_shared_tile, transpose_shared_tile_padded, transpose_diagonal, transpose_unrolled,
    transpose_vectorised, transpose_small_squares, transpose_small_elements, transpose_small_tiles,
    transpose_large_tiles, transpose_shifted, transpose_interleaved, transpose_in_place_square,
    transpose_in_place_pairs, transpose_in_place_workspace, transpose_in_place_cycles;
extern const kernel_entry<geam_problem> geam_naive, geam_shared_tile, geam_async_tiles;

} // namespace myblas::cuda
