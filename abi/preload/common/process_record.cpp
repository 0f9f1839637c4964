#include "common/process_record.h"

#include "common/local_ranks.h"
#include "common/run_records.h"
#include "core/environment.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace myblas::preload {
namespace {

// ---- The folder ---------------------------------------------------------------------------------

enum class folder_kind { none, of_run, of_report };
folder_kind own_folder_kind = folder_kind::none;
char own_folder[4000];
char own_path[4096];
constinit std::atomic<run_counts*> own_counts{nullptr};

// The folder that belongs to the name of the report. Nobody else may write there.
bool make_folder_of_report() noexcept {
    struct stat status;
    return (mkdir(own_folder, 0700) == 0 || errno == EEXIST) && lstat(own_folder, &status) == 0 &&
           S_ISDIR(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & 077) == 0;
}

void choose_folder() noexcept {
    if (const char* run = read_variable(records_variable)) {
        if (std::snprintf(own_folder, sizeof own_folder, "%s", run) <
            static_cast<int>(sizeof own_folder))
            own_folder_kind = folder_kind::of_run;
        return;
    }
    // stderr and devices belong to no folder, since two programs may have two terminals; nor does a
    // relative name.
    const char* const name = report_file.is_on() ? report_file.target() : call_log_file.target();
    const bool is_device =
        std::strncmp(name, "/dev/", 5) == 0 && std::strncmp(name, "/dev/shm/", 9) != 0;
    if (*name != '/' || is_device)
        return;
    uint64_t hash = 0;
    for (const char* text = name; *text; ++text)
        hash = hash_of({static_cast<int64_t>(hash), *text});
    const int length = std::snprintf(own_folder,
                                     sizeof own_folder,
                                     "%s/myblas-%u-%016llx",
                                     temporary_folder(),
                                     static_cast<unsigned>(geteuid()),
                                     static_cast<unsigned long long>(hash));
    if (length < static_cast<int>(sizeof own_folder) && make_folder_of_report())
        own_folder_kind = folder_kind::of_report;
}

// ---- This process -------------------------------------------------------------------------------

// Whether this is the process that myblas-run has started.
bool is_program_of_run() noexcept {
    const char* runner = read_variable("MYBLAS_RUN_PROCESS");
    return runner && std::strtol(runner, nullptr, 10) == getpid();
}

// Reports for the program that exec has replaced. Its process has the same number and the same
// start as this one. Returns true if it was this process.
bool report_for_predecessor() noexcept {
    process_record* const r = map_record(own_path);
    bool is_same = false;
    if (r) {
        is_same = r->start_ticks == start_of(getpid());
        if (is_same) // its successor says so if there are no calls
            r->has_reported = true;
        if (begin_last_part(*r)) {
            if (is_same)
                write_last_part(*r, "replaced by exec", own_counts, program_state::replaced);
            else
                write_last_part(*r, ended_silently, own_counts, program_state::ended);
        }
        munmap(r, r->bytes);
    }
    unlink(own_path);
    return is_same;
}

process_record* map_own_record(size_t bytes, bool* is_known) noexcept {
    *is_known = false;
    std::snprintf(own_path,
                  sizeof own_path,
                  "%s/%010d.%s",
                  own_folder,
                  static_cast<int>(getpid()),
                  report_title);
    const auto map = [bytes] { return map_file(own_path, bytes, O_CREAT | O_EXCL); };
    void* memory = map();
    if (!memory && errno == EEXIST) {
        *is_known = report_for_predecessor();
        memory = map();
    }
    // The last process of another program may just have removed the folder.
    if (!memory && errno == ENOENT && own_folder_kind == folder_kind::of_report &&
        make_folder_of_report())
        memory = map();
    return static_cast<process_record*>(memory);
}

// Null: the run has ended. If no file can be made, the record is in memory that no other process
// can read.
process_record* make_record(pid_t parent) noexcept {
    const size_t bytes = call_log_file.is_on() ? sizeof(process_record) : bytes_without_log;
    process_record* r = nullptr;
    bool is_known = false;
    *own_path = '\0';
    if (own_folder_kind != folder_kind::none) {
        r = map_own_record(bytes, &is_known);
        if (!r && errno == ENOENT && own_folder_kind == folder_kind::of_run)
            return nullptr;
    }
    if (!r) {
        *own_path = '\0';
        void* const memory =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return nullptr;
        r = static_cast<process_record*>(memory);
    }
    r->process = getpid();
    r->parent = parent;
    r->start_ticks = start_of(getpid());
    r->is_program = is_program_of_run();
    std::snprintf(r->title, sizeof r->title, "%s", report_title);
    std::snprintf(r->program, sizeof r->program, "%s", program_invocation_short_name);
    note_rank(*r);
    r->is_ranked = false; // a program may still set its variables before the first call
    r->routine_count = report_routine_count;
    for (int i = 0; i < report_routine_count; ++i)
        std::snprintf(r->routines[i], sizeof r->routines[i], "%s", report_routines[i]);
    r->bytes.store(bytes, std::memory_order_release);
    run_counts* const counts = own_counts.load(std::memory_order_relaxed);
    if (counts && !is_known)
        counts->started.fetch_add(1, std::memory_order_relaxed);
    return r;
}

enum readiness : int { not_begun, under_way, ready };
constinit std::atomic<int> own_state{not_begun};
constinit std::atomic<process_record*> own{nullptr};

// Records of ended children must not pile up in a program that keeps forking. In a run of
// myblas-run, myblas-run removes them.
void look_after_children() noexcept {
    constexpr unsigned forks = 64; // between two looks
    static constinit std::atomic<unsigned> count{0};
    if (own_folder_kind != folder_kind::of_report || ++count % forks != 0 ||
        is_writing.test_and_set(std::memory_order_acquire))
        return;
    report_for_others(own_folder, false);
    is_writing.clear(std::memory_order_release);
}

// Runs in a child that was just forked. The parent's threads do not exist in the child, so the
// child must not wait for them.
void begin_child() noexcept {
    is_writing.clear();
    process_record* const of_parent = own.load(std::memory_order_relaxed);
    if (!of_parent)
        return;
    const pid_t parent = of_parent->process;
    own.store(make_record(parent), std::memory_order_relaxed);
    munmap(of_parent, of_parent->bytes);
}

void begin() noexcept {
    if (!report_file.is_on() && !call_log_file.is_on())
        return;
    choose_folder();
    const bool is_of_run = own_folder_kind == folder_kind::of_run;
    if (is_of_run)
        own_counts.store(map_counts(own_folder, report_title, true), std::memory_order_relaxed);
    own.store(make_record(is_of_run && !is_program_of_run() ? getppid() : 0),
              std::memory_order_relaxed);
    pthread_atfork(nullptr, look_after_children, begin_child);
}

} // namespace

std::atomic_flag is_writing;

process_record* own_record() noexcept {
    if (own_state.load(std::memory_order_acquire) != ready) {
        int state = not_begun;
        if (own_state.compare_exchange_strong(state, under_way)) {
            begin();
            own_state.store(ready, std::memory_order_release);
        }
        while (own_state.load(std::memory_order_acquire) != ready)
            std::this_thread::yield();
    }
    return own.load(std::memory_order_acquire);
}

process_record* begun_record() noexcept { return own.load(std::memory_order_acquire); }

void note_rank(process_record& r) noexcept {
    r.is_ranked = true;
    const rank_name name = read_rank_name();
    if (*name.text)
        std::strcpy(r.rank, name.text);
}

run_counts* counts_of_run() noexcept { return own_counts.load(std::memory_order_relaxed); }

void drop_own_record() noexcept {
    if (*own_path)
        unlink(own_path);
    if (own_folder_kind == folder_kind::of_report) {
        report_for_others(own_folder, false);
        rmdir(own_folder); // if it is empty
    }
}

} // namespace myblas::preload
