// The records of all processes of a run, in their folder. The preload libraries and myblas-run
// share these functions.
#pragma once

#include "common/process_record.h"

namespace myblas::preload {

inline constexpr char records_variable[] = "MYBLAS_RUN_RECORDS";
inline constexpr char ended_silently[] = "ended by _exit or a signal";

// The place for folders of records: TMPDIR, else a file system in memory, where files cost least,
// else /tmp.
const char* temporary_folder() noexcept;

// When the process started, in ticks since the machine started; 0: there is no such process, or it
// has ended.
uint64_t start_of(pid_t process) noexcept;

// Maps a file, with flags of open; null on failure. A new file gets its memory at once, so that a
// full disk does not end the program later.
void* map_file(const char* path, size_t bytes, int flags) noexcept;

// A record that is complete and has this version; null if there is none.
process_record* map_record(const char* path) noexcept;

// Processes and calls under one preload library.
struct run_counts {
    std::atomic<uint64_t> started, reported; // processes
    std::atomic<uint64_t> parts;             // of the report, with calls
    std::atomic<uint64_t> served, forwarded; // calls in them

    void add(const call_sums&) noexcept;
};

// The counts of the library with this title; null if the folder has none.
run_counts* map_counts(const char* folder, const char* title, bool create) noexcept;

// Writes the counts of another process, if there are any. `how` says how that process ended.
// `counts` may be null.
void write_last_part(process_record&, const char* how, run_counts* counts) noexcept;

// Writes the parts of ended processes whose records are in the folder, and removes their records.
// With `closes`, also writes the parts of processes that still run; these write nothing afterwards.
// Returns the number of records of processes that still run.
int report_for_others(const char* folder, bool closes) noexcept;

} // namespace myblas::preload
