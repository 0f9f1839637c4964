// The records of all processes of a run, in their folder: what the preload libraries and myblas-run
// do with them alike.
#pragma once

#include "common/process_record.h"

namespace myblas::preload {

inline constexpr char records_variable[] = "MYBLAS_RUN_RECORDS";
inline constexpr char ended_silently[] = "ended by _exit or a signal";

// Where folders of records lie: TMPDIR, else memory, where files cost least, else /tmp.
const char* temporary_folder() noexcept;

// When the process started, in ticks since the machine did; 0: there is no such process, or it has
// ended.
uint64_t start_of(pid_t process) noexcept;

// Maps a file, with flags of open; null if it cannot be. A new one gets its memory at once: a full
// disk must not end the program later.
void* map_file(const char* path, size_t bytes, int flags) noexcept;

// A record that is complete, of this version of it; null if there is none.
process_record* map_record(const char* path) noexcept;

// Processes and calls under one preload library.
struct run_counts {
    std::atomic<uint64_t> started, reported; // processes
    std::atomic<uint64_t> parts;             // of the report, with calls
    std::atomic<uint64_t> served, forwarded; // calls in them

    void add(const call_sums&) noexcept;
};

// Those of the library with this title; null if the folder has none.
run_counts* map_counts(const char* folder, const char* title, bool create) noexcept;

// Writes what another process has counted, if it is anything. `how` says how that one ended.
// `counts` may be null.
void write_last_part(process_record&, const char* how, run_counts* counts) noexcept;

// Writes the parts of processes whose records lie in the folder and that have ended, and removes
// their records. `closes`: also of those that still run, and they write no more. Returns how many
// records there are of processes that still run.
int report_for_others(const char* folder, bool closes) noexcept;

} // namespace myblas::preload
