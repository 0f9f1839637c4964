#include "common/report_text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace myblas::preload {
namespace {

// ---- The counts of one report -------------------------------------------------------------------

struct taken_call {
    counted_call call; // with a label in the record
    uint64_t count, elapsed_ns;
};

// Sorted as in the report: by routine, shape, whether served, and the most frequent label first.
struct taken_calls {
    taken_call all[most_kinds];
    int count;
    uint64_t left_out;
};
taken_calls taken;

bool is_same_kind(const counted_call& x, const counted_call& y) noexcept {
    return x.routine == y.routine && x.shape == y.shape && x.was_served == y.was_served &&
           std::strcmp(x.label, y.label) == 0;
}

bool precedes(const taken_call& x, const taken_call& y) noexcept {
    if (x.call.routine != y.call.routine)
        return x.call.routine < y.call.routine;
    if (x.call.shape != y.call.shape)
        return x.call.shape < y.call.shape;
    if (x.call.was_served != y.call.was_served)
        return x.call.was_served;
    if (x.count != y.count)
        return x.count > y.count;
    return std::strcmp(x.call.label, y.call.label) < 0;
}

struct totals {
    uint64_t calls = 0, elapsed_ns = 0;
    void add(const taken_call& t) noexcept {
        calls += t.count;
        elapsed_ns += t.elapsed_ns;
    }
};

void add_row(bounded_text& t,
             const char* routine,
             const char* shape,
             const totals& served,
             const totals& forwarded) noexcept {
    t.add("%-20s %-6s %9llu %11.3f %9llu %11.3f",
          routine,
          shape,
          static_cast<unsigned long long>(served.calls),
          static_cast<double>(served.elapsed_ns) * 1e-6,
          static_cast<unsigned long long>(forwarded.calls),
          static_cast<double>(forwarded.elapsed_ns) * 1e-6);
}

void add_labels(bounded_text& t,
                const char* heading,
                const taken_call* begin,
                const taken_call* end,
                bool served) noexcept {
    const char* before = heading;
    for (const taken_call* c = begin; c < end; ++c) {
        if (c->call.was_served != served)
            continue;
        t.add("%s%s (%llu)", before, c->call.label, static_cast<unsigned long long>(c->count));
        before = ", ";
    }
}

// ---- Lines that are not too long ----------------------------------------------------------------

constexpr size_t indent_columns = 4;

// Where a line is broken: before the last column of text that begins within the room, else after
// the last word.
const char* end_of_piece(const char* at, const char* end, size_t room) noexcept {
    if (static_cast<size_t>(end - at) <= room)
        return end;
    for (const char* const gap : {"  ", " "}) {
        const char* const limit = at + room + std::strlen(gap);
        const char* const last =
            std::find_end(at, std::min(limit, end), gap, gap + std::strlen(gap));
        if (last > at && last < std::min(limit, end))
            return last;
    }
    return std::find(at, end, ' '); // a word that is longer than a line
}

// ---- The log of calls ---------------------------------------------------------------------------

using log_entry = decltype(process_record::log)::entry;

void add_log_line(bounded_text& t, const process_record& r, const log_entry& e) noexcept {
    const logged_call& c = e.key;
    const auto op = [](myblasOperation_t o) { return o == MYBLAS_OP_N ? "N" : "T"; };
    t.add(R"({"function": "%s", "calls": %llu, "side": "%s", "uplo": "%s", "transa": "%s", )"
          R"("transb": "%s", "diag": "%s", )",
          r.routines[c.routine],
          static_cast<unsigned long long>(e.count.load(std::memory_order_relaxed)),
          c.side == MYBLAS_SIDE_LEFT ? "L" : "R",
          c.uplo == MYBLAS_FILL_MODE_LOWER ? "L" : "U",
          op(c.transa),
          op(c.transb),
          c.diag == MYBLAS_DIAG_UNIT ? "U" : "N");
    const struct {
        const char* name;
        int64_t value;
    } numbers[] = {{"m", c.m},
                   {"n", c.n},
                   {"k", c.k},
                   {"lda", c.lda},
                   {"ldb", c.ldb},
                   {"ldc", c.ldc},
                   {"incx", c.incx},
                   {"incy", c.incy},
                   {"batch", c.batch}};
    for (const auto& number : numbers)
        t.add(R"("%s": %lld, )", number.name, static_cast<long long>(number.value));
    t.add("\"pointer_array\": %s}\n", c.pointer_array ? "true" : "false");
}

// Reads each count by read(count).
template <class Read>
call_sums gather_calls(process_record& r, Read&& read) noexcept {
    taken.count = 0;
    taken.left_out = read(r.calls.left_out);
    r.calls.for_each([&](auto& e) {
        const uint64_t count = read(e.count);
        const uint64_t elapsed_ns = read(e.elapsed_ns);
        if (count == 0)
            return;
        counted_call call = e.key.call;
        call.label = e.key.label;
        taken_call* const end = taken.all + taken.count;
        taken_call* const same = std::find_if(
            taken.all, end, [&](const taken_call& t) { return is_same_kind(t.call, call); });
        if (same == end) {
            *end = {call, count, elapsed_ns};
            ++taken.count;
        } else {
            same->count += count;
            same->elapsed_ns += elapsed_ns;
        }
    });
    std::sort(taken.all, taken.all + taken.count, precedes);
    call_sums sums;
    for (const taken_call* t = taken.all; t < taken.all + taken.count; ++t) {
        (t->call.was_served ? sums.served : sums.forwarded) += t->count;
        if (t->call.shape == tiny_shape)
            sums.tiny += t->count;
    }
    return sums;
}

} // namespace

call_sums take_calls(process_record& r) noexcept {
    return gather_calls(r,
                        [](auto& count) { return count.exchange(0, std::memory_order_acquire); });
}

call_sums calls_of(process_record& r) noexcept {
    return gather_calls(r, [](auto& count) { return count.load(std::memory_order_acquire); });
}

void add_heading(bounded_text& t,
                 const process_record& r,
                 const call_sums& sums,
                 const char* how) noexcept {
    t.add("%s: %s, process %d", r.title, r.program, static_cast<int>(r.process));
    if (r.parent)
        t.add(", child of %d", static_cast<int>(r.parent));
    if (*r.rank)
        t.add(", %s", r.rank);
    t.add(": %s, %llu call%s seen",
          how,
          static_cast<unsigned long long>(sums.all()),
          sums.all() == 1 ? "" : "s");
    if (sums.all() == 0)
        return;
    t.add(", %llu served", static_cast<unsigned long long>(sums.served));
    const char* before = " (";
    for (int routine = 0; routine < r.routine_count; ++routine) {
        uint64_t served = 0;
        for (const taken_call* c = taken.all; c < taken.all + taken.count; ++c)
            served += c->call.routine == routine && c->call.was_served ? c->count : 0;
        if (served == 0)
            continue;
        t.add("%s%s %llu", before, r.routines[routine], static_cast<unsigned long long>(served));
        before = ", ";
    }
    t.add("%s, %llu forwarded",
          sums.served ? ")" : "",
          static_cast<unsigned long long>(sums.forwarded));
}

void add_table(bounded_text& t, const process_record& r) noexcept {
    t.add("%-20s %-6s %9s %11s %9s %11s\n", "routine", "shape", "served", "ms", "forwarded", "ms");
    const taken_call* const end = taken.all + taken.count;
    totals all[2]; // forwarded, served
    int rows = 0;
    for (const taken_call *row = taken.all, *next = row; row < end; row = next, ++rows) {
        totals of_row[2];
        for (; next < end && next->call.routine == row->call.routine &&
               next->call.shape == row->call.shape;
             ++next) {
            of_row[next->call.was_served].add(*next);
            all[next->call.was_served].add(*next);
        }
        add_row(
            t, r.routines[row->call.routine], shape_names[row->call.shape], of_row[1], of_row[0]);
        add_labels(t, "  served by: ", row, next, true);
        add_labels(t, "  forwarded: ", row, next, false);
        t.add("\n");
    }
    if (rows > 1) {
        add_row(t, "total", "", all[1], all[0]);
        t.add("\n");
    }
    if (taken.left_out > 0)
        t.add("and %llu of more kinds than a report can tell apart\n",
              static_cast<unsigned long long>(taken.left_out));
}

int write_report(const bounded_text& t) noexcept {
    static char memory[80 * 1024];
    bounded_text folded{memory, sizeof memory};
    for (const char *at = t.begin, *const end = t.begin + t.length; at < end;) {
        const char* const line_end = std::find(at, end, '\n');
        for (size_t room = report_columns; at < line_end; room = report_columns - indent_columns) {
            const char* const cut = end_of_piece(at, line_end, room);
            folded.add("%.*s\n", static_cast<int>(cut - at), at);
            at = std::find_if(cut, line_end, [](char c) { return c != ' '; });
            if (at < line_end)
                folded.add("%*s", static_cast<int>(indent_columns), "");
        }
        at += at < end; // the end of the line
    }
    return report_file.append(folded.begin, folded.length);
}

void write_log(process_record& r) noexcept {
    if (!r.has_log())
        return;
    constexpr size_t longest_line = 512;
    static char memory[64 * 1024];
    bounded_text t{memory, sizeof memory};
    // Whole lines by each write.
    const auto flush_above = [&](size_t length) {
        if (t.length <= length)
            return;
        call_log_file.append(memory, t.length);
        t.length = 0;
    };
    r.log.for_each([&](const log_entry& e) {
        add_log_line(t, r, e);
        flush_above(sizeof memory - longest_line);
    });
    if (const uint64_t calls = r.log.left_out.load(std::memory_order_relaxed))
        t.add("{\"left_out\": %llu}\n", static_cast<unsigned long long>(calls));
    flush_above(0);
}

} // namespace myblas::preload
