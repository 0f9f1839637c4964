// The records of all processes of a run, in their folder. The preload libraries and myblas-run
// share these functions.
#pragma once

#include "common/function_ref.h"
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

// Whether the caller has to write the process's last part of the report. Only one process gets
// true. If it ends before the part is done, the next one that asks gets true as well, and goes on.
bool begin_last_part(process_record&) noexcept;

// Does the steps of a process's last part that are not done yet; `write` writes the text. `counts`
// may be null. With `has_ended` the process counts as one that has reported completely.
void do_last_steps(process_record&,
                   const call_sums&,
                   run_counts* counts,
                   bool has_ended,
                   function_ref<void()> write) noexcept;

// What became of the program whose record it is. `replaced`: by exec, in a process that goes on.
enum class program_state { ended, replaced, running };

// The same for another program. `how` says how it ended. Writes nothing if there are no calls.
void write_last_part(process_record&, const char* how, run_counts* counts, program_state) noexcept;

// Writes the parts of ended processes whose records are in the folder, and removes their records.
// With `closes`, also writes the parts of processes that still run; these write nothing afterwards.
// Returns the number of records of processes that still run.
int report_for_others(const char* folder, bool closes) noexcept;

} // namespace myblas::preload
