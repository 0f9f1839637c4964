#include "kernels/common/tensor_map.h"

#include "core/current_context.h"
#include "core/driver_function.h"

namespace myblas::cuda {
namespace {

// Limits of cuTensorMapEncodeTiled, CUDA Driver API, Tensor Map Object Management.
constexpr int64_t max_extent = int64_t{1} << 32;
constexpr int64_t max_pitch_bytes = int64_t{1} << 40; // exclusive

constinit driver_function<decltype(cuTensorMapEncodeTiled)> encoder{"cuTensorMapEncodeTiled"};

} // namespace

bool fits_tensor_map(const float* base, int64_t along, int64_t across, int64_t ld) {
    return reinterpret_cast<uintptr_t>(base) % 16 == 0 && ld % 4 == 0 && along <= max_extent &&
           across <= max_extent && ld < max_pitch_bytes / int64_t{sizeof(float)};
}

bool fits_tensor_map(const tensor_shape& s) {
    return fits_tensor_map(s.base, s.along, s.across, s.ld) && s.matrices <= max_extent &&
           s.stride % 4 == 0 && s.stride >= 0 &&
           s.stride < max_pitch_bytes / int64_t{sizeof(float)};
}

myblasStatus_t make_tensor_map(const tensor_shape& shape, CUtensorMap* map) {
    auto* const encode = encoder.get();
    if (!encode || !(has_current_context() || make_context_current()))
        return MYBLAS_STATUS_EXECUTION_FAILED;
    const bool is_batch = shape.matrices > 0;
    // With a stride of 0 the map has one matrix; the pitch of the third dimension is not used.
    const bool are_one = shape.stride == 0;
    const cuuint64_t extents[] = {static_cast<cuuint64_t>(shape.along),
                                  static_cast<cuuint64_t>(shape.across),
                                  are_one ? 1 : static_cast<cuuint64_t>(shape.matrices)};
    const cuuint64_t pitch_bytes[] = {static_cast<cuuint64_t>(shape.ld) * sizeof(float),
                                      static_cast<cuuint64_t>(are_one ? shape.ld : shape.stride) *
                                          sizeof(float)};
    const cuuint32_t box[] = {
        static_cast<cuuint32_t>(shape.box_along), static_cast<cuuint32_t>(shape.box_across), 1};
    const cuuint32_t steps[] = {1, 1, 1};
    const CUresult result = encode(map,
                                   CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                                   is_batch ? 3 : 2,
                                   const_cast<float*>(shape.base),
                                   extents,
                                   pitch_bytes,
                                   box,
                                   steps,
                                   CU_TENSOR_MAP_INTERLEAVE_NONE,
                                   shape.swizzle,
                                   shape.promotion,
                                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return result == CUDA_SUCCESS               ? MYBLAS_STATUS_SUCCESS
           : result == CUDA_ERROR_INVALID_VALUE ? MYBLAS_STATUS_NOT_SUPPORTED
                                                : MYBLAS_STATUS_EXECUTION_FAILED;
}

} // namespace myblas::cuda
