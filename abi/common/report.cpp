#include "common/report.h"

#include "common/environment.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
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

// A child counts its own calls.
void forget_parent() {
    for (auto& routine : rows)
        for (auto& shape : routine)
            for (row& r : shape)
                for (cell& c : r.cells) {
                    c.calls.store(0, std::memory_order_relaxed);
                    c.elapsed_ns.store(0, std::memory_order_relaxed);
                }
}

// ---- The setting ---------------------------------------------------------------------------------

enum state : int { unread, off, on };
constinit std::atomic<int> current_state{unread};
constinit char target[4096]; // written once, before the state becomes `on`

int read_setting() noexcept {
    // Only one thread copies the name; the others wait.
    static constinit std::atomic_flag taken;
    if (taken.test_and_set()) {
        int found = unread;
        while ((found = current_state.load(std::memory_order_acquire)) == unread)
            std::this_thread::yield();
        return found;
    }
    const char* name = read_variable("MYBLAS_REPORT");
    const bool is_usable = name && std::strlen(name) < sizeof target;
    if (is_usable) {
        std::strcpy(target, name);
        pthread_atfork(nullptr, nullptr, forget_parent);
    }
    current_state.store(is_usable ? on : off, std::memory_order_release);
    return is_usable ? on : off;
}

// ---- The text ------------------------------------------------------------------------------------

// Collects a text of limited length; what does not fit is left out.
struct text {
    char* const begin;
    const size_t capacity;
    size_t length = 0;

    template <class... Arguments>
    void add(const char* format, Arguments... arguments) noexcept {
        const int added = std::snprintf(begin + length, capacity - length, format, arguments...);
        if (added > 0)
            length = std::min(capacity - 1, length + static_cast<size_t>(added));
    }
};

struct totals {
    uint64_t calls = 0, elapsed_ns = 0;
};

totals sum(const row& r) noexcept {
    totals t;
    for (const cell& c : r.cells) {
        t.calls += c.calls.load(std::memory_order_relaxed);
        t.elapsed_ns += c.elapsed_ns.load(std::memory_order_relaxed);
    }
    return t;
}

void add_labels(text& t, const char* heading, const row& r) noexcept {
    const char* before = heading;
    for (const cell& c : r.cells) {
        const uint64_t calls = c.calls.load(std::memory_order_relaxed);
        if (calls == 0)
            continue;
        t.add("%s%s (%llu)", before, c.label.load(), static_cast<unsigned long long>(calls));
        before = ", ";
    }
}

void add_line(text& t, int routine, int shape) noexcept {
    const row& forwarded = rows[routine][shape][0];
    const row& served = rows[routine][shape][1];
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

void write_all(int descriptor, const char* data, size_t bytes) noexcept {
    while (bytes > 0) {
        const ssize_t written = write(descriptor, data, bytes);
        if (written < 0 && errno != EINTR)
            return;
        if (written > 0) {
            data += written;
            bytes -= static_cast<size_t>(written);
        }
    }
}

// At the end of the process; by one write, so that processes that end together do not mix their lines.
[[gnu::destructor]] void write_report() {
    if (current_state.load(std::memory_order_acquire) != on)
        return;
    static char memory[64 * 1024];
    text t{memory, sizeof memory};
    t.add(
        "%s: %s, process %d\n", report_title, program_invocation_name, static_cast<int>(getpid()));
    t.add(
        "%-22s %-7s %10s %12s %10s %12s\n", "routine", "shape", "served", "ms", "forwarded", "ms");
    const size_t heading = t.length;
    for (int routine = 0; routine < report_routine_count; ++routine)
        for (int shape = 0; shape < class_count; ++shape)
            add_line(t, routine, shape);
    if (t.length == heading)
        return;
    if (std::strcmp(target, "stderr") == 0) {
        write_all(STDERR_FILENO, memory, t.length);
        return;
    }
    const int descriptor = open(target, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return;
    write_all(descriptor, memory, t.length);
    close(descriptor);
}

} // namespace

bool is_on() noexcept {
    const int known = current_state.load(std::memory_order_acquire);
    return (known == unread ? read_setting() : known) == on;
}

void add(int routine,
         const extents& e,
         bool was_served,
         const char* label,
         uint64_t elapsed_ns) noexcept {
    cell& c = find_cell(rows[routine][class_of(e)][was_served], label);
    c.calls.fetch_add(1, std::memory_order_relaxed);
    c.elapsed_ns.fetch_add(elapsed_ns, std::memory_order_relaxed);
}

uint64_t now_ns() noexcept {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

} // namespace myblas::preload::report
