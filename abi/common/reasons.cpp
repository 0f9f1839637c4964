#include "common/reasons.h"

#include "common/environment.h"

namespace myblas::preload {
namespace {

struct forced_kernel {
    const char* variable;
    const char* reason;
};

// By myblasRoutine_t.
constexpr forced_kernel forced_kernels[MYBLAS_ROUTINE_COUNT] = {
    {"MYBLAS_SGEMM_KERNEL", "MYBLAS_SGEMM_KERNEL names no kernel of the backend"},
    {"MYBLAS_TRANSPOSE_KERNEL", "MYBLAS_TRANSPOSE_KERNEL names no kernel of the backend"},
    {"MYBLAS_GEAM_KERNEL", "MYBLAS_GEAM_KERNEL names no kernel of the backend"},
    {"MYBLAS_SUM_KERNEL", "MYBLAS_SUM_KERNEL names no kernel of the backend"},
    {"MYBLAS_DSUM_KERNEL", "MYBLAS_DSUM_KERNEL names no kernel of the backend"},
    {"MYBLAS_AXPY_KERNEL", "MYBLAS_AXPY_KERNEL names no kernel of the backend"},
    {"MYBLAS_COPY_KERNEL", "MYBLAS_COPY_KERNEL names no kernel of the backend"},
    {"MYBLAS_GEMSUM_KERNEL", "MYBLAS_GEMSUM_KERNEL names no kernel of the backend"},
    {"MYBLAS_HISTOGRAM_KERNEL", "MYBLAS_HISTOGRAM_KERNEL names no kernel of the backend"},
};

} // namespace

const char* reason_of(myblasStatus_t status) noexcept {
    static constexpr choice<bool> maths[] = {{"strict", true}, {"emulated", true}, {"fast", true}};
    switch (status) {
    case MYBLAS_STATUS_INVALID_VALUE: // one of the two settings that it reads
        return read_choice("MYBLAS_MATH", maths, true, false)
                   ? "MYBLAS_WORKSPACE is not a number of bytes, as 512M or 4G"
                   : "MYBLAS_MATH is not strict, emulated or fast";
    case MYBLAS_STATUS_ALLOC_FAILED:
        return "the GPU's memory is full";
    case MYBLAS_STATUS_ARCH_MISMATCH:
        return "the GPU is of no kind that libmyblas has code for";
    default:
        return "no GPU can be used";
    }
}

void missing_kernels::find(const library& l, myblasHandle_t handle) noexcept {
    for (int i = 0; i < MYBLAS_ROUTINE_COUNT; ++i)
        if (const char* name = read_variable(forced_kernels[i].variable))
            if (l.force_kernel(handle, static_cast<myblasRoutine_t>(i), name) ==
                MYBLAS_STATUS_INVALID_VALUE)
                routines_ |= 1u << i;
}

const char* missing_kernels::reason(myblasRoutine_t routine) const noexcept {
    return routines_ >> routine & 1 ? forced_kernels[routine].reason : nullptr;
}

} // namespace myblas::preload
