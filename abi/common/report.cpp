#include "common/report.h"

#include "common/environment.h"
#include "common/exit_file.h"
#include "common/mapped.h"
#include "common/names.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <thread>
#include <unistd.h>

namespace myblas::preload::report {
namespace {

// ---- Counts --------------------------------------------------------------------------------------

// Classes of shapes by the largest extent; thin: above 256, with another extent of 2 to 32.
constexpr const char* class_names[] = {"tiny", "small", "medium", "large", "thin"};
constexpr int class_count = 5;

int class_of(const extents& e) noexcept {
    const int64_t largest = std::max({e.m, e.n, e.k});
    bool is_thin = false;
    for (const int64_t extent : {e.m, e.n, e.k})
        is_thin = is_thin || (largest > 256 && 1 < extent && extent <= 32);
    return is_thin ? 4 : (largest > 32) + (largest > 256) + (largest > 2048);
}

struct cell {
    std::atomic<const char*> label;
    std::atomic<uint64_t> calls, elapsed_ns;
};

constexpr int labels_per_row = 12; // further labels are counted with the last

struct row {
    cell cells[labels_per_row];
};

// By routine, class and whether served. All zero at first.
constinit row rows[max_routines][class_count][2];

cell& find_cell(row& r, const char* label) noexcept {
    for (cell& c : r.cells) {
        const char* found = nullptr;
        if (c.label.compare_exchange_strong(found, label, std::memory_order_acq_rel) ||
            found == label || std::strcmp(found, label) == 0)
            return c;
    }
    return r.cells[labels_per_row - 1];
}

// The counts of a report: those since the one before. Others may go on counting meanwhile.
struct taken_cell {
    const char* label;
    uint64_t calls, elapsed_ns;
};
struct taken_row {
    taken_cell cells[labels_per_row];
};
taken_row taken[max_routines][class_count][2];

void take_calls() {
    for (int routine = 0; routine < report_routine_count; ++routine)
        for (int shape = 0; shape < class_count; ++shape)
            for (const bool served : {false, true})
                for (int i = 0; i < labels_per_row; ++i) {
                    cell& c = rows[routine][shape][served].cells[i];
                    taken_cell& t = taken[routine][shape][served].cells[i];
                    t.calls = c.calls.exchange(0, std::memory_order_acquire);
                    t.elapsed_ns = c.elapsed_ns.exchange(0, std::memory_order_relaxed);
                    t.label = c.label.load(
                        std::memory_order_relaxed); // there before the first call is counted
                }
}

std::atomic_flag is_writing; // no mutex: a child may be forked while another thread writes
bool is_written = false;     // by that

// A child counts its own calls.
void forget_parent() {
    take_calls();
    is_written = false;
    is_writing.clear();
}

constinit exit_file file("MYBLAS_REPORT", forget_parent);

// ---- The text ------------------------------------------------------------------------------------

struct totals {
    uint64_t calls = 0, elapsed_ns = 0;
};

totals sum(const taken_row& r) noexcept {
    totals t;
    for (const taken_cell& c : r.cells) {
        t.calls += c.calls;
        t.elapsed_ns += c.elapsed_ns;
    }
    return t;
}

void add_labels(bounded_text& t, const char* heading, const taken_row& r) noexcept {
    const char* before = heading;
    for (const taken_cell& c : r.cells) {
        if (c.calls == 0)
            continue;
        t.add("%s%s (%llu)", before, c.label, static_cast<unsigned long long>(c.calls));
        before = ", ";
    }
}

void add_line(bounded_text& t, int routine, int shape) noexcept {
    const taken_row& forwarded = taken[routine][shape][0];
    const taken_row& served = taken[routine][shape][1];
    const totals f = sum(forwarded), s = sum(served);
    if (f.calls + s.calls == 0)
        return;
    t.add("%-22s %-7s %10llu %12.3f %10llu %12.3f",
          report_routines[routine],
          class_names[shape],
          static_cast<unsigned long long>(s.calls),
          static_cast<double>(s.elapsed_ns) * 1e-6,
          static_cast<unsigned long long>(f.calls),
          static_cast<double>(f.elapsed_ns) * 1e-6);
    add_labels(t, "  served by: ", served);
    add_labels(t, "  forwarded: ", forwarded);
    t.add("\n");
}

// ---- What there is where no call was seen ----------------------------------------------------------

// Functions that a file refers to or contains, about which there is one thing to say.
struct reference {
    static constexpr int most_names = 3;
    const char* file;
    const char* remark;
    bool is_defined;
    const char* names[most_names];
    int count;
};

struct references {
    static constexpr int most = 64;
    reference all[most];
    int count;
};

void note_reference(const char* file, const char* symbol, bool is_defined, void* context) {
    const char* remark = remark_on(symbol);
    // A BLAS refers to itself.
    if (!remark || std::strstr(base_name(file), "blas") || std::strstr(base_name(file), "mkl_"))
        return;
    references& found = *static_cast<references*>(context);
    reference* const end = found.all + found.count;
    reference* r = std::find_if(found.all, end, [&](const reference& known) {
        return known.file == file && known.remark == remark && known.is_defined == is_defined;
    });
    if (r == end) {
        if (found.count == references::most)
            return;
        *r = {file, remark, is_defined, {}, 0};
        ++found.count;
    }
    if (r->count < reference::most_names)
        r->names[r->count] = symbol;
    ++r->count;
}

void add_reference(bounded_text& t, const reference& r) noexcept {
    t.add("; %s %s ",
          *r.file ? base_name(r.file) : "the program",
          r.is_defined ? "contains" : "refers to");
    for (int i = 0; i < std::min(r.count, reference::most_names); ++i)
        t.add(i == 0 ? "%s" : ", %s", r.names[i]);
    if (r.count > reference::most_names)
        t.add(" and %d more", r.count - reference::most_names);
    t.add(" (%s)",
          r.is_defined                ? "linked statically: out of reach"
          : r.remark == remark_served ? "not called, or not by this name"
                                      : r.remark);
}

// With these remarks, in their order, and no more than so many. False if there is nothing.
bool add_references(bounded_text& t,
                    std::initializer_list<const char*> remarks,
                    int most) noexcept {
    static references found;
    found.count = 0;
    visit_symbols(note_reference, &found);
    int added = 0;
    for (const char* remark : remarks)
        for (const reference* r = found.all; r < found.all + found.count; ++r)
            if (r->remark == remark && ++added <= most)
                add_reference(t, *r);
    if (added > most)
        t.add("; and more");
    return added != 0;
}

// Where no call was seen, single precision first. False if there is nothing.
bool add_all_references(bounded_text& t) noexcept {
    constexpr int most = 6;
    if (add_references(
            t,
            {remark_served, remark_not_served, remark_double, remark_complex, remark_half},
            most))
        return true;
    t.add("; no file of the process refers to %s by name (it may be linked statically, or was "
          "unloaded before the end)",
          report_library);
    return false;
}

// myblas-run names the process that it starts. Other processes without a BLAS are not reported.
bool is_bystander() noexcept {
    const char* runner = read_variable("MYBLAS_RUN_PROCESS");
    return runner && std::strtol(runner, nullptr, 10) != getpid();
}

// ---- The first line --------------------------------------------------------------------------------

struct calls_seen {
    uint64_t served = 0, forwarded = 0, tiny = 0;
};

calls_seen count_calls(int routine) noexcept {
    calls_seen c;
    for (int shape = 0; shape < class_count; ++shape) {
        c.forwarded += sum(taken[routine][shape][0]).calls;
        c.served += sum(taken[routine][shape][1]).calls;
        if (shape == 0)
            c.tiny = c.forwarded + c.served;
    }
    return c;
}

// True if there were calls. A bystander without any leaves the text empty.
bool add_heading(bounded_text& t) noexcept {
    calls_seen all;
    for (int routine = 0; routine < report_routine_count; ++routine) {
        const calls_seen c = count_calls(routine);
        all.served += c.served;
        all.forwarded += c.forwarded;
        all.tiny += c.tiny;
    }
    const uint64_t calls = all.served + all.forwarded;
    t.add("%s: %s, process %d: loaded, %llu calls seen",
          report_title,
          program_invocation_name,
          static_cast<int>(getpid()),
          static_cast<unsigned long long>(calls));
    if (calls == 0) {
        if (!add_all_references(t) && is_bystander())
            t.length = 0;
        else
            t.add("\n");
        return false;
    }
    t.add(", %llu served", static_cast<unsigned long long>(all.served));
    const char* before = " (";
    for (int routine = 0; routine < report_routine_count; ++routine)
        if (const uint64_t served = count_calls(routine).served) {
            t.add("%s%s %llu",
                  before,
                  report_routines[routine],
                  static_cast<unsigned long long>(served));
            before = ", ";
        }
    t.add("%s, %llu forwarded",
          all.served ? ")" : "",
          static_cast<unsigned long long>(all.forwarded));
    // NumPy makes a call in single precision when it is imported, whatever the program computes in.
    if (all.served == 0 && all.tiny == calls)
        add_references(t, {remark_double}, 2);
    t.add("\n");
    return true;
}

void write_text() {
    static char memory[64 * 1024];
    bounded_text t{memory, sizeof memory};
    const bool has_calls = add_heading(t);
    if (has_calls) {
        t.add("%-22s %-7s %10s %12s %10s %12s\n",
              "routine",
              "shape",
              "served",
              "ms",
              "forwarded",
              "ms");
        for (int routine = 0; routine < report_routine_count; ++routine)
            for (int shape = 0; shape < class_count; ++shape)
                add_line(t, routine, shape);
    }
    // That there were no calls is of interest once.
    if (t.length > 0 && (has_calls || !is_written))
        file.append(memory, t.length);
    is_written = true;
}

// At the end of the process, and when the program asks for it.
[[gnu::destructor]] void write_report() {
    if (!file.is_on())
        return;
    while (is_writing.test_and_set(std::memory_order_acquire))
        std::this_thread::yield();
    take_calls();
    write_text();
    is_writing.clear(std::memory_order_release);
}

} // namespace

extern "C" [[gnu::visibility("default")]] void myblas_preload_report() noexcept { write_report(); }

bool is_on() noexcept { return file.is_on(); }

void add(int routine,
         const extents& e,
         bool was_served,
         const char* label,
         uint64_t elapsed_ns) noexcept {
    cell& c = find_cell(rows[routine][class_of(e)][was_served], label);
    c.elapsed_ns.fetch_add(elapsed_ns, std::memory_order_relaxed);
    c.calls.fetch_add(1, std::memory_order_release);
}

uint64_t now_ns() noexcept {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

} // namespace myblas::preload::report
