// Functions about handles that do nothing, for stand-ins of libmyblas and of cuBLAS.
#pragma once

#include "common/library.h"
#include "cublas/real_cublas.h"

namespace myblas::preload {

inline myblasHandle_t stand_in_handle() {
    static char place;
    return reinterpret_cast<myblasHandle_t>(&place);
}

inline library stand_in_library() {
    constexpr auto good = MYBLAS_STATUS_SUCCESS;
    library l{};
    l.create_on = [](myblasHandle_t* handle, myblasBackend_t) {
        *handle = stand_in_handle();
        return good;
    };
    l.destroy = [](myblasHandle_t) { return good; };
    l.set_stream = [](myblasHandle_t, myblasStream_t) { return good; };
    l.set_pointer_mode = [](myblasHandle_t, myblasPointerMode_t) { return good; };
    l.set_workspace = [](myblasHandle_t, void*, size_t) { return good; };
    l.get_math_mode = [](myblasHandle_t, myblasMath_t* mode) {
        *mode = MYBLAS_FP32_STRICT_MATH;
        return good;
    };
    l.set_math_mode = [](myblasHandle_t, myblasMath_t) { return good; };
    l.set_sm_count_target = [](myblasHandle_t, int) { return good; };
    l.get_device = [](myblasHandle_t, myblasDevice_t*) { return MYBLAS_STATUS_NOT_SUPPORTED; };
    l.get_workspace_limit = [](myblasHandle_t, size_t* bytes) {
        *bytes = 0;
        return good;
    };
    l.release = [](myblasHandle_t, void*) { return good; };
    l.set_workspace_limit = [](myblasHandle_t, size_t) { return good; };
    l.get_last_kernel = [](myblasHandle_t, myblasRoutine_t, const char** name) {
        *name = "stand-in";
        return good;
    };
    return l;
}

// A cuBLAS 13 whose handles are in these modes, on the default stream.
template <int* pointer_mode, int* math_mode>
const real_cublas& stand_in_cublas() noexcept {
    static const real_cublas stand_in({.destroy = nullptr,
                                       .set_stream = nullptr,
                                       .set_workspace = nullptr,
                                       .set_sm_count_target = nullptr,
                                       .get_stream =
                                           [](void*, myblasStream_t* stream) {
                                               *stream = nullptr;
                                               return 0;
                                           },
                                       .get_pointer_mode =
                                           [](void*, int* mode) {
                                               *mode = *pointer_mode;
                                               return 0;
                                           },
                                       .get_math_mode =
                                           [](void*, int* mode) {
                                               *mode = *math_mode;
                                               return 0;
                                           },
                                       .major = 13});
    return stand_in;
}

} // namespace myblas::preload
