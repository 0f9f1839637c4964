#include "kernels/transpose/registry.h"

#include "core/routine.h"

namespace myblas {

template <>
kernel_list<transpose_problem> cuda_kernels() {
    return ladder<cuda::transpose_copy,
                  cuda::transpose_copy_shared,
                  cuda::transpose_naive,
                  cuda::transpose_shared_tile,
                  cuda::transpose_shared_tile_padded,
                  cuda::transpose_diagonal,
                  cuda::transpose_unrolled,
                  cuda::transpose_vectorised,
                  cuda::transpose_small_squares,
                  cuda::transpose_small_elements,
                  cuda::transpose_small_tiles,
                  cuda::transpose_large_tiles,
                  cuda::transpose_shifted,
                  cuda::transpose_interleaved,
                  cuda::transpose_in_place_square,
                  cuda::transpose_in_place_pairs,
                  cuda::transpose_in_place_workspace,
                  cuda::transpose_in_place_cycles>;
}

template <>
kernel_list<geam_problem> cuda_kernels() {
    return ladder<cuda::geam_naive, cuda::geam_shared_tile, cuda::geam_async_tiles>;
}

} // namespace myblas
