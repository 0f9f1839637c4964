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
    {"MYBLAS_DOT_KERNEL", "MYBLAS_DOT_KERNEL names no kernel of the backend"},
    {"MYBLAS_NRM2_KERNEL", "MYBLAS_NRM2_KERNEL names no kernel of the backend"},
    {"MYBLAS_IAMAX_KERNEL", "MYBLAS_IAMAX_KERNEL names no kernel of the backend"},
    {"MYBLAS_SCAL_KERNEL", "MYBLAS_SCAL_KERNEL names no kernel of the backend"},
    {"MYBLAS_SWAP_KERNEL", "MYBLAS_SWAP_KERNEL names no kernel of the backend"},
    {"MYBLAS_ROT_KERNEL", "MYBLAS_ROT_KERNEL names no kernel of the backend"},
    {"MYBLAS_ROTM_KERNEL", "MYBLAS_ROTM_KERNEL names no kernel of the backend"},
    {"MYBLAS_ROTG_KERNEL", "MYBLAS_ROTG_KERNEL names no kernel of the backend"},
    {"MYBLAS_ROTMG_KERNEL", "MYBLAS_ROTMG_KERNEL names no kernel of the backend"},
    {"MYBLAS_SYMV_KERNEL", "MYBLAS_SYMV_KERNEL names no kernel of the backend"},
    {"MYBLAS_SYR_KERNEL", "MYBLAS_SYR_KERNEL names no kernel of the backend"},
    {"MYBLAS_TRMV_KERNEL", "MYBLAS_TRMV_KERNEL names no kernel of the backend"},
    {"MYBLAS_TRSV_KERNEL", "MYBLAS_TRSV_KERNEL names no kernel of the backend"},
    {"MYBLAS_SYRK_KERNEL", "MYBLAS_SYRK_KERNEL names no kernel of the backend"},
    {"MYBLAS_SYR2K_KERNEL", "MYBLAS_SYR2K_KERNEL names no kernel of the backend"},
    {"MYBLAS_SYMM_KERNEL", "MYBLAS_SYMM_KERNEL names no kernel of the backend"},
    {"MYBLAS_TRMM_KERNEL", "MYBLAS_TRMM_KERNEL names no kernel of the backend"},
    {"MYBLAS_TRSM_KERNEL", "MYBLAS_TRSM_KERNEL names no kernel of the backend"},
};
static_assert(forced_kernels[MYBLAS_ROUTINE_COUNT - 1].variable);

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
