// The text of a report and of a log of calls, from the record of a process: this one's or
// another's.
#pragma once

#include "common/process_record.h"

namespace myblas::preload {

inline constexpr size_t report_columns = 100;

// Takes the counts out of a record. Later calls belong to the next report. The text is made from
// the counts that were taken or read last.
call_sums take_calls(process_record&) noexcept;
// Reads the counts, for the last report. The record keeps them, in case this process ends before it
// has written them.
call_sums calls_of(process_record&) noexcept;

// "TITLE: PROGRAM, process 1, rank 0: loaded, 3 calls seen, ..." without an end of line. `how`
// takes the place of "loaded".
void add_heading(bounded_text&, const process_record&, const call_sums&, const char* how) noexcept;

// A line for each routine and class of shapes, and their totals.
void add_table(bounded_text&, const process_record&) noexcept;

// Appends a text to the report. Lines are broken at report_columns columns. The rest of a line
// follows after four spaces.
int write_report(const bounded_text&) noexcept;

// Appends the calls of a record to the log, if it has any.
void write_log(process_record&) noexcept;

} // namespace myblas::preload
