// What became of the calls: how many were served, by which kernels, how many were forwarded and
// why.
//
// MYBLAS_REPORT names a file (or `stderr`) to which each process appends its counts when it ends,
// or another process does so for it (process_record.h). Without it nothing is counted or timed. The
// first line of each process says how many calls were seen and served; where all were tiny and none
// was served, what the files of the process refer to of double precision; where none was seen, all
// that they refer to, if MYBLAS_REPORT_DETAIL is `full`.
#pragma once

#include <cstdint>

namespace myblas::preload {

// Which preload library this is, and the routines it counts: each library defines its own.
extern const char* const report_title;
extern const char* const report_routines[];
extern const int report_routine_count;   // at most report::max_routines
extern const char* const report_library; // what the routines are of: "BLAS"
const char* remark_on(
    const char* symbol) noexcept; // of common/names.h; null: the symbol is none of the library's

namespace report {

inline constexpr int max_routines = 64;

bool is_on() noexcept;

// Extents of a call: rows, columns and depth; 1 for what a routine lacks. They give its shape
// class.
struct extents {
    int64_t m = 1, n = 1, k = 1;
};

// `label` is the kernel that was taken, or the reason; it lives as long as the process.
void add(
    int routine, const extents&, bool was_served, const char* label, uint64_t elapsed_ns) noexcept;

uint64_t now_ns() noexcept;

// A program that never ends, or that wants to know of a part of its work, looks this up in the
// preload library: writes the report of the calls since the one before, of all preload libraries of
// the process.
extern "C" void myblas_preload_report() noexcept;

} // namespace report
} // namespace myblas::preload
