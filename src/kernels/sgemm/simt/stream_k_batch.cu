// The kernels of stream_k for batches. This file is separate because nvcc compresses modules beyond
// some 10 MB, and a process would unpack them when it first takes a kernel of theirs.
#include "kernels/sgemm/simt/stream_k.cuh"

namespace myblas::cuda {
namespace {

template <class Shape, bool transa, bool transb, bool swap_ab, bool scalar_loads>
stream_k_entry batch_kernel() {
    return stream_k_kernel<Shape,
                           transa,
                           transb,
                           swap_ab,
                           false,
                           scalar_loads,
                           stream_k_batch_share>;
}

} // namespace

template <class Shape>
stream_k_entry stream_k_batch_kernel(unsigned choice) {
    stream_k_entry found = nullptr;
    with_bits<4>(choice, [&](auto transa, auto transb, auto swap_ab, auto scalar_loads) {
        constexpr bool a = swap_ab ? !transb : transa, b = swap_ab ? !transa : transb;
        found = choice >= 64 ? batch_kernel<with_added_tiles<Shape>, a, b, swap_ab, scalar_loads>()
                : choice >= 32 ? batch_kernel<with_epilogue<Shape>, a, b, swap_ab, scalar_loads>()
                               : batch_kernel<Shape, a, b, swap_ab, scalar_loads>();
        return MYBLAS_STATUS_SUCCESS;
    });
    return found;
}
template stream_k_entry stream_k_batch_kernel<stream_k_shape<4, 2>>(unsigned);
template stream_k_entry stream_k_batch_kernel<stream_k_shape<4, 1>>(unsigned);

} // namespace myblas::cuda
