#include "common/call_log.h"

#include "common/exit_file.h"
#include "common/report.h"

#include <atomic>
#include <new>

namespace myblas::preload::call_log {
namespace {

// ---- The table of distinct calls ---------------------------------------------------------------------

struct entry {
    enum state : int { empty, being_written, ready };
    std::atomic<int> state{empty};
    std::atomic<uint64_t> count{0};
    union { // made when it is known
        logged_call call;
    };
    constexpr entry() noexcept {}
};

// Programs make far fewer different calls. Those that find no place are counted together.
constexpr uint64_t most_entries = 4096;
constinit entry entries[most_entries];
constinit std::atomic<uint64_t> left_out;

void forget_parent() {
    for (entry& e : entries) {
        e.count.store(0, std::memory_order_relaxed);
        e.state.store(entry::empty, std::memory_order_relaxed);
    }
    left_out.store(0, std::memory_order_relaxed);
}

constinit exit_file file("MYBLAS_CALL_LOG", forget_parent);

uint64_t hash(const logged_call& c) noexcept {
    uint64_t h = 0;
    for (const int64_t value : {int64_t{c.routine},
                                int64_t{c.transa},
                                int64_t{c.transb},
                                int64_t{c.uplo},
                                c.m,
                                c.n,
                                c.k,
                                c.lda,
                                c.ldb,
                                c.ldc,
                                c.incx,
                                c.batch}) {
        h = (h ^ static_cast<uint64_t>(value)) * 0x9e3779b97f4a7c15u; // 2^64 by the golden ratio
        h ^= h >> 32;
    }
    return h;
}

// The entry of a call; null: there is no place for it. Nobody waits: an entry that another thread is just writing is
// passed over. So a call may have two entries, which a reader adds up.
entry* find(const logged_call& c) noexcept {
    const uint64_t first = hash(c);
    for (uint64_t i = 0; i < most_entries; ++i) {
        entry& e = entries[(first + i) % most_entries];
        int found = entry::empty;
        if (e.state.compare_exchange_strong(
                found, entry::being_written, std::memory_order_acquire)) {
            new (&e.call) logged_call(c);
            e.state.store(entry::ready, std::memory_order_release);
            return &e;
        }
        if (found == entry::ready && e.call == c)
            return &e;
    }
    return nullptr;
}

// ---- The text ----------------------------------------------------------------------------------------

void add_line(bounded_text& t, const entry& e) noexcept {
    const logged_call& c = e.call;
    const auto op = [](myblasOperation_t o) { return o == MYBLAS_OP_N ? "N" : "T"; };
    t.add(R"({"function": "%s", "calls": %llu, "side": "%s", "uplo": "%s", "transa": "%s", )"
          R"("transb": "%s", "diag": "%s", )",
          report_routines[c.routine],
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

// At the end of the process. What is written at once are whole lines.
[[gnu::destructor]] void write_log() {
    if (!file.is_on())
        return;
    constexpr size_t longest_line = 512;
    static char memory[64 * 1024];
    bounded_text t{memory, sizeof memory};
    const auto flush_above = [&](size_t length) {
        if (t.length <= length)
            return;
        file.append(memory, t.length);
        t.length = 0;
    };
    for (const entry& e : entries)
        if (e.state.load(std::memory_order_acquire) == entry::ready) {
            add_line(t, e);
            flush_above(sizeof memory - longest_line);
        }
    if (const uint64_t calls = left_out.load(std::memory_order_relaxed))
        t.add("{\"left_out\": %llu}\n", static_cast<unsigned long long>(calls));
    flush_above(0);
}

} // namespace

bool is_on() noexcept { return file.is_on(); }

void add(const logged_call& c) noexcept {
    if (c.m <= 0 || c.n <= 0 || c.k <= 0 || c.batch <= 0)
        return;
    entry* const e = find(c);
    (e ? e->count : left_out).fetch_add(1, std::memory_order_relaxed);
}

} // namespace myblas::preload::call_log
