#include "common/reasons.h"

#include "core/environment.h"
#include "core/kernel_variables.h"

#include <array>

namespace myblas::preload {
namespace {

using text = std::array<char, 80>;

constexpr text missing_text(const char* variable) {
    text result{};
    size_t end = 0;
    for (const char* part : {variable, " names no kernel of the backend"})
        for (; *part; ++part)
            result[end++] = *part;
    return result;
}

// By myblasRoutine_t.
constexpr auto missing_texts = [] {
    std::array<text, MYBLAS_ROUTINE_COUNT> texts{};
    for (int i = 0; i < MYBLAS_ROUTINE_COUNT; ++i)
        texts[static_cast<size_t>(i)] = missing_text(kernel_variables[i]);
    return texts;
}();

} // namespace

const char* reason_of(myblasStatus_t status) noexcept {
    static constexpr choice<bool> maths[] = {
        {"strict", true}, {"emulated", true}, {"fast", true}, {"reproducible", true}};
    switch (status) {
    case MYBLAS_STATUS_INVALID_VALUE: // one of the settings that it reads
        if (!read_choice("MYBLAS_MATH", maths, true, false))
            return "MYBLAS_MATH is not strict, emulated, fast or reproducible";
        return is_count("MYBLAS_NUM_THREADS")
                   ? "MYBLAS_WORKSPACE is not a number of bytes, as 512M or 4G"
                   : "MYBLAS_NUM_THREADS is not a number of threads, from 1 on";
    case MYBLAS_STATUS_ALLOC_FAILED:
        return "the GPU's memory is full";
    case MYBLAS_STATUS_ARCH_MISMATCH:
        return "the GPU is of no kind that libmyblas has code for";
    default:
        return "no GPU can be used";
    }
}

bool is_reproducible() noexcept {
    const char* const text = read_variable("MYBLAS_MATH");
    return text && is_word(text, "reproducible");
}

void missing_kernels::find(const library& l, myblasHandle_t handle) noexcept {
    for (int i = 0; i < MYBLAS_ROUTINE_COUNT; ++i)
        if (const char* name = read_variable(kernel_variables[i]))
            if (l.force_kernel(handle, static_cast<myblasRoutine_t>(i), name) ==
                MYBLAS_STATUS_INVALID_VALUE)
                routines_ |= 1u << i;
}

const char* missing_kernels::reason(myblasRoutine_t routine) const noexcept {
    return routines_ >> routine & 1 ? missing_texts[routine].data() : nullptr;
}

} // namespace myblas::preload
