// The counts of a process, in a mapped file that outlives the process. A process that is ended by a
// signal or by _exit, or replaced by exec, cannot write its part of the report. Another process
// reads the record and writes the part. If that process ends meanwhile, too, another one goes on.
//
// The records are in a folder of temporary files. myblas-run makes a folder for each run, and
// MYBLAS_RUN_RECORDS names the folder. At the end of the run, myblas-run reports for all processes
// that have not reported. This includes processes that still run; they write nothing afterwards. If
// myblas-run is not used, the folder belongs to the name of the report, and each process that ends
// reports for the processes that have ended before.
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
    uint64_t served = 0, forwarded = 0, tiny = 0; // tiny: served or forwarded
    uint64_t all() const noexcept { return served + forwarded; }
};

// Calls of the same kind, as a report counts them.
struct counted_call {
    int routine, shape; // shape: an index of shape_names
    bool was_served;
    const char* label; // the kernel or the reason
};

// A counted call in a record. The label's address is meaningless in another process, so the record
// holds the text too.
struct counted_key {
    counted_call call;
    char label[88];

    counted_key& operator=(const counted_call&) noexcept;
    bool operator==(const counted_call& other) const noexcept {
        return call.routine == other.routine && call.shape == other.shape &&
               call.was_served == other.was_served && call.label == other.label;
    }
};

// The steps by which a process's last part gets into the report.
enum last_step : int { none_done, part_written, log_written, all_done };

inline constexpr const char* shape_names[] = {"tiny", "small", "medium", "large", "thin"};
inline constexpr int tiny_shape = 0;
inline constexpr size_t most_kinds = 512; // a program makes far fewer

// All bytes zero at first.
struct process_record {
    std::atomic<size_t> bytes;      // size of this record; set last
    pid_t process, parent;          // parent: 0 if the parent does not report
    uint64_t start_ticks;           // tells the process from a later one with its number
    bool is_program;                // the process that myblas-run has started
    std::atomic<bool> is_ranked;    // `rank` was read at the first call, or later
    std::atomic<uint64_t> writer;   // of the last part: a process's identity; 0: none has begun
    std::atomic<int> steps_done;    // of the last part: a last_step
    std::atomic<bool> has_reported; // a part
    char title[32], program[64], rank[48];
    int routine_count;
    char routines[report::max_routines][24];
    count_table<counted_key, most_kinds> calls;
    count_table<logged_call, 4096> log; // exists only if a log of calls is wanted

    bool has_log() const noexcept { return bytes.load() == sizeof(process_record); }
    bool is_closed() const noexcept { return writer.load() != 0; }
};

inline constexpr size_t bytes_without_log = offsetof(process_record, log);

// ---- This process -------------------------------------------------------------------------------

// Null if neither a report nor a log of calls is wanted, or the run has ended.
process_record* own_record() noexcept;
// The same, but null if own_record() was not called yet.
process_record* begun_record() noexcept;

// The files that MYBLAS_REPORT and MYBLAS_CALL_LOG name.
extern exit_file report_file, call_log_file;

// Records which rank of a job the process is. A program may set the variables itself.
void note_rank(process_record&) noexcept;

// The counts of the run; null if there is no myblas-run.
struct run_counts;
run_counts* counts_of_run() noexcept;

// To be called after the process has written its last part. Removes the record, and reports for
// other processes if no myblas-run will.
void drop_own_record() noexcept;

// Set while the process writes its part; not in a child that was just forked.
extern std::atomic_flag is_writing;

} // namespace myblas::preload
