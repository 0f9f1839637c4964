// What a process has counted, in a file that is mapped into its memory and outlives it. A process
// that is ended by a signal or by _exit, or replaced by exec, has no chance to write its part of
// the report: another one reads the record and writes it.
//
// The records lie in a folder of temporary files. myblas-run makes one for each run, which
// MYBLAS_RUN_RECORDS names; at the end of the run it reports for all processes that have not done
// so themselves, also for those that still run, and these write no more. Without myblas-run, the
// folder belongs to the name of the report, and each process that ends reports for those that have
// ended before it.
#pragma once

#include "common/call_log.h"
#include "common/count_table.h"
#include "common/exit_file.h"
#include "common/report.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace myblas::preload {

struct call_sums {
    uint64_t served = 0, forwarded = 0, tiny = 0; // tiny: whoever computed them
    uint64_t all() const noexcept { return served + forwarded; }
};

// Calls of the same kind, as a report counts them.
struct counted_call {
    int routine, shape; // shape: an index of shape_names
    bool was_served;
    const char* label; // the kernel or the reason
};

// The same in a record. The label's address means nothing to another process, so there is its text,
// too.
struct counted_key {
    counted_call call;
    char label[88];

    counted_key& operator=(const counted_call&) noexcept;
    bool operator==(const counted_call& other) const noexcept {
        return call.routine == other.routine && call.shape == other.shape &&
               call.was_served == other.was_served && call.label == other.label;
    }
};

inline constexpr const char* shape_names[] = {"tiny", "small", "medium", "large", "thin"};
inline constexpr int tiny_shape = 0;
inline constexpr size_t most_kinds = 512; // a program makes far fewer

// All bytes zero at first.
struct process_record {
    std::atomic<size_t> bytes; // of this record; set when all else is there
    pid_t process, parent;     // parent: 0 if it is none of the processes that report
    uint64_t start_ticks; // of the process, by which it differs from a later one of the same number
    bool is_program;      // the process that myblas-run has started
    std::atomic<bool> is_ranked;    // `rank` is that of the first call, or later
    std::atomic<bool> is_closed;    // the last part is written, or being written
    std::atomic<bool> has_reported; // a part
    char title[32], program[64], rank[48];
    int routine_count;
    char routines[report::max_routines][24];
    count_table<counted_key, most_kinds> calls;
    count_table<logged_call, 4096> log; // only there if a log of calls is wanted

    bool has_log() const noexcept { return bytes.load() == sizeof(process_record); }

    // Whoever is told true writes the process's last part of the report; nobody else is.
    bool close() noexcept { return !is_closed.exchange(true); }
};

inline constexpr size_t bytes_without_log = offsetof(process_record, log);

// ---- This process -------------------------------------------------------------------------------

// Null if neither a report nor a log of calls is wanted, or the run has ended.
process_record* own_record() noexcept;

// The files that MYBLAS_REPORT and MYBLAS_CALL_LOG name.
extern exit_file report_file, call_log_file;

// Writes down which rank of a job the process is: a program may set the variables itself.
void note_rank(process_record&) noexcept;

// What the process has just reported.
void count_reported(const call_sums&) noexcept;

// The process has written its last part. Removes the record, and reports for others where no
// myblas-run will.
void drop_own_record() noexcept;

// Set while the process writes its part; not in a child that was just forked.
extern std::atomic_flag is_writing;

} // namespace myblas::preload
