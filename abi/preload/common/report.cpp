#include "common/report.h"

#include "common/mapped.h"
#include "common/names.h"
#include "common/process_record.h"
#include "common/report_text.h"
#include "common/run_records.h"
#include "core/environment.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <initializer_list>
#include <thread>
#include <unistd.h>

namespace myblas::preload::report {
namespace {

// Classes of shapes by the largest extent; thin: above 256, with another extent of 2 to 32.
int shape_of(const extents& e) noexcept {
    const int64_t largest = std::max({e.m, e.n, e.k});
    bool is_thin = false;
    for (const int64_t extent : {e.m, e.n, e.k})
        is_thin = is_thin || (largest > 256 && 1 < extent && extent <= 32);
    return is_thin ? 4 : (largest > 32) + (largest > 256) + (largest > 2048);
}

// ---- What there is where no call was seen -------------------------------------------------------

// Functions that a file refers to or contains, and that share a remark.
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

// Adds at most `most` references with these remarks, in the order of the remarks. False if there
// are none.
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

// Adds all references, if no call was seen; single precision first. False if there are none.
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

enum class detail { brief, full };

detail read_detail() noexcept {
    static constexpr choice<detail> choices[] = {{"brief", detail::brief}, {"full", detail::full}};
    return read_choice("MYBLAS_REPORT_DETAIL", choices, detail::brief, detail::brief);
}

// myblas-run names the process that it starts. Other processes without a BLAS are not reported.
bool is_bystander(const process_record& r) noexcept {
    return read_variable("MYBLAS_RUN_PROCESS") && !r.is_program;
}

// ---- The part of this process -------------------------------------------------------------------

// False: there is nothing to say.
bool add_text(bounded_text& t, const process_record& r, const call_sums& sums) noexcept {
    if (sums.all() == 0) {
        // Having seen no calls is reported only once.
        if (r.has_reported || stands_behind_another())
            return false;
        add_heading(t, r, sums, "loaded");
        const bool has_found = read_detail() == detail::full && add_all_references(t);
        t.add("\n");
        return has_found || !is_bystander(r);
    }
    add_heading(t, r, sums, "loaded");
    // NumPy makes a call in single precision when it is imported, even if the program computes only
    // in double precision.
    if (sums.served == 0 && sums.tiny == sums.all())
        add_references(t, {remark_double}, 2);
    t.add("\n");
    add_table(t, r);
    return true;
}

void write_text(process_record& r, const call_sums& sums) noexcept {
    static char memory[64 * 1024];
    bounded_text t{memory, sizeof memory};
    note_rank(r);
    if (report_file.is_on() && add_text(t, r, sums))
        write_report(t);
    r.has_reported = true;
}

// The record, if the process may write. A process that was created by other means than fork counts
// into the record of another process.
process_record* record_to_write() noexcept {
    process_record* const r = begun_record();
    return r && r->process == getpid() ? r : nullptr;
}

// Calls `write` with the record, unless another process has written the last part of it.
template <class Write>
void write_alone(Write&& write) noexcept {
    process_record* const r = record_to_write();
    if (!r)
        return;
    while (is_writing.test_and_set(std::memory_order_acquire))
        std::this_thread::yield();
    write(*r);
    is_writing.clear(std::memory_order_release);
}

void write_now() noexcept {
    write_alone([](process_record& r) {
        if (r.is_closed())
            return;
        const call_sums sums = take_calls(r);
        write_text(r, sums);
        if (run_counts* const counts = counts_of_run())
            counts->add(sums);
    });
}

// Makes a record at the start, so that every process is counted. A process that ends without a
// report has then been seen.
[[gnu::constructor]] void begin_process() {
    if (!stands_behind_another())
        own_record();
}

[[gnu::destructor]] void end_process() {
    write_alone([](process_record& r) {
        if (!begin_last_part(r))
            return;
        const call_sums sums = calls_of(r);
        do_last_steps(r, sums, counts_of_run(), true, [&] { write_text(r, sums); });
        drop_own_record();
    });
}

} // namespace

// Reports for all preload libraries of the process, no matter which library's function is called.
extern "C" [[gnu::visibility("default")]] void myblas_preload_report() noexcept {
    static constinit thread_local bool is_under_way = false;
    if (is_under_way)
        return;
    is_under_way = true;
    write_now();
    visit_definitions(
        "myblas_preload_report",
        [](const char* base_name) { return std::strstr(base_name, "blas") != nullptr; },
        [](void* of_other) { reinterpret_cast<decltype(&myblas_preload_report)>(of_other)(); });
    is_under_way = false;
}

bool is_on() noexcept { return report_file.is_on() && own_record(); }

void add(int routine,
         const extents& e,
         bool was_served,
         const char* label,
         uint64_t elapsed_ns) noexcept {
    process_record* const r = own_record();
    if (!r)
        return;
    if (!r->is_ranked.load(std::memory_order_relaxed))
        note_rank(*r);
    const counted_call call{routine, shape_of(e), was_served, label};
    const auto address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(label));
    r->calls.add(call, hash_of({routine, call.shape, was_served, address}), elapsed_ns);
}

uint64_t now_ns() noexcept {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

} // namespace myblas::preload::report
