// The exported functions: the functions of the table, and the functions that change or destroy a
// handle. The bare names (cublasSgemm) are the legacy interface and are not replaced.
#include "cublas/entries.h"

#include "common/names.h"
#include "common/report.h"

#include <algorithm>

namespace myblas::preload {

const char* const report_title = cublas_title;
bool stands_behind_another() noexcept { return false; }

namespace {

// The name in a report: Sgemm for cublasSgemm_v2.
template <size_t size>
struct report_name {
    char text[size] = {};
    consteval report_name(const char (&name)[size]) {
        std::string_view rest(name, size - 1);
        drop_prefix(&rest, "cublas");
        drop_suffix(&rest, "_v2");
        std::copy(rest.begin(), rest.end(), text);
    }
};
template <report_name name>
constexpr const char* text_of = name.text;

} // namespace

const char* const report_routines[] = {
#define CUBLAS_ENTRY(name, ...) text_of<#name>,
#include "common/entries.inc"
#undef CUBLAS_ENTRY
#define CUBLASLT_ENTRY(name) text_of<#name>,
#include "common/entries.inc"
#undef CUBLASLT_ENTRY
};
const int report_routine_count = entry_count;
static_assert(entry_count <= report::max_routines);
const char* const report_library = "cuBLAS";
const char* remark_on(const char* symbol) noexcept { return remark_on_cublas(symbol); }

#pragma GCC visibility push(default)
extern "C" {

int cublasDestroy_v2(void* handle) {
    const auto& real = cublas_of(__builtin_return_address(0)).of_handles;
    if (handle) {
        shadow::forget(handle);
        shadow::forget(lt_owner(handle));
    }
    return real.destroy ? real.destroy(handle) : cublas_not_initialized;
}

int cublasSetStream_v2(void* handle, myblasStream_t stream) {
    const auto& real = cublas_of(__builtin_return_address(0)).of_handles;
    const int status = real.set_stream ? real.set_stream(handle, stream) : cublas_not_initialized;
    shadow* known = status == 0 ? shadow::find(handle) : nullptr;
    if (known)
        known->note_stream();
    return status;
}

int cublasSetWorkspace_v2(void* handle, void* workspace, size_t bytes) {
    const auto& real = cublas_of(__builtin_return_address(0)).of_handles;
    const int status =
        real.set_workspace ? real.set_workspace(handle, workspace, bytes) : cublas_not_initialized;
    shadow* known = status == 0 ? shadow::of(handle) : nullptr;
    if (known)
        known->note_workspace(workspace, bytes);
    return status;
}

int cublasSetSmCountTarget(void* handle, int count) {
    const auto& real = cublas_of(__builtin_return_address(0)).of_handles;
    const int status =
        real.set_sm_count_target ? real.set_sm_count_target(handle, count) : cublas_not_initialized;
    shadow* known = status == 0 ? shadow::of(handle) : nullptr;
    if (known)
        known->note_sm_count_target(count);
    return status;
}

// clang-format off
#define UNPACK(...) __VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)
#define TEXT_OF(...) #__VA_ARGS__
#define CUBLAS_ENTRY(NAME, ROUTINE, FUNCTION, CALL, AGAINST, PARAMETERS, ARGUMENTS, MAPPED)        \
    int SIZED(NAME)(void* handle, UNPACK PARAMETERS) {                                             \
        const void* const caller = __builtin_return_address(0);                                    \
        const real_cublas& real = cublas_of(caller);                                               \
        return answer(                                                                             \
            {.handle = handle,                                                                     \
             .real = &real.of_handles,                                                             \
             .given = {.asked = asked_by_arguments(UNPACK ARGUMENTS)},                             \
             .major = real.of_handles.major,                                                       \
             .which = entry::NAME,                                                                 \
             .routine = MYBLAS_ROUTINE_##ROUTINE,                                                  \
             .against = (AGAINST),                                                                 \
             .describe = [&] { return CALL; },                                                     \
             .serve =                                                                              \
                 [&](myblasHandle_t own) {                                                         \
                     static auto* const f = reinterpret_cast<decltype(&SIZED(FUNCTION))>(          \
                         library_function(TEXT(SIZED(FUNCTION))));                                 \
                     return f ? f(own, UNPACK MAPPED) : MYBLAS_STATUS_NOT_SUPPORTED;               \
                 },                                                                                \
             .forward =                                                                            \
                 [&] {                                                                             \
                     constexpr bool is_64 = sizeof(SIZE) == sizeof(int64_t);                       \
                     auto* const f = reinterpret_cast<decltype(&SIZED(NAME))>(                     \
                         real.function(entry::NAME, is_64, TEXT(SIZED(NAME)), caller));            \
                     return f ? f(handle, UNPACK ARGUMENTS) : cublas_not_initialized;              \
                 }});                                                                              \
    }
// clang-format on
#include "common/entries.inc"
#define MYBLAS_ENTRIES_64
#include "common/entries.inc"

} // extern "C"
#pragma GCC visibility pop

} // namespace myblas::preload
