// What happened to the calls: how many were served and by which kernels, how many were forwarded
// and why.
//
// MYBLAS_REPORT names a file (or `stderr`). Each process appends its counts when it ends, or
// another process does so for it (process_record.h). If the variable is not set, nothing is counted
// or timed. The first line of each process says how many calls were seen and served. If all calls
// were tiny and none was served, the first line also lists the double-precision functions that the
// process's files refer to. If no call was seen and MYBLAS_REPORT_DETAIL is `full`, the first line
// lists all functions that they refer to.
#pragma once

#include <cstdint>

namespace myblas::preload {

// Which library this is, and the routines it counts: each library defines its own
// (cublas/entries.cpp; blas/offload.cpp with blas/found_blas.cpp or blas/linked_blas.cpp).
extern const char* const report_title;
extern const char* const report_routines[];
extern const int report_routine_count;   // at most report::max_routines
extern const char* const report_library; // the library of the routines: "BLAS"
// Whether a library of the same kind in front of this one sees all calls first, except those of
// functions that the program looks up in this one. The report has this library only after a call.
bool stands_behind_another() noexcept;
// The remark of common/names.h on a symbol; null: the symbol is not the library's.
const char* remark_on(const char* symbol) noexcept;

namespace report {

inline constexpr int max_routines = 64;

bool is_on() noexcept;

// Extents of a call: rows, columns and depth; 1 for an extent that a routine lacks. The extents
// determine the shape class.
struct extents {
    int64_t m = 1, n = 1, k = 1;
};

// `label` is the kernel that computed the call, or the reason; it lives as long as the process.
void add(
    int routine, const extents&, bool was_served, const char* label, uint64_t elapsed_ns) noexcept;

uint64_t now_ns() noexcept;

// Writes the report of the calls since the last report, for all preload libraries of the process
// and libmyblas-blas.so, however they were loaded.
// For a program that never ends, or that measures a part of its work. The program looks this
// function up in the preload library.
extern "C" void myblas_preload_report() noexcept;

} // namespace report
} // namespace myblas::preload
