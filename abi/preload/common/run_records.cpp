#include "common/run_records.h"

#include "common/report_text.h"
#include "core/environment.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace myblas::preload {

// Data that another process reads must have no lock.
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

constinit exit_file report_file("MYBLAS_REPORT"), call_log_file("MYBLAS_CALL_LOG");

counted_key& counted_key::operator=(const counted_call& c) noexcept {
    call = c;
    std::snprintf(label, sizeof label, "%s", c.label);
    return *this;
}

namespace {

// If there is no /proc, a process number that is in use is assumed to be the same process.
bool is_alive(pid_t process, uint64_t start_ticks) noexcept {
    if (start_ticks != 0)
        return start_of(process) == start_ticks;
    return kill(process, 0) == 0 || errno == EPERM;
}
bool is_alive(const process_record& r) noexcept { return is_alive(r.process, r.start_ticks); }

// The identity of a process: when it started, and its number, which is below 2^22.
constexpr int number_bits = 22;
uint64_t own_identity() noexcept {
    return start_of(getpid()) << number_bits | static_cast<uint64_t>(getpid());
}
bool is_alive(uint64_t identity) noexcept {
    constexpr uint64_t number = (uint64_t{1} << number_bits) - 1;
    return is_alive(static_cast<pid_t>(identity & number), identity >> number_bits);
}

} // namespace

const char* temporary_folder() noexcept {
    static constexpr char memory[] = "/dev/shm";
    if (const char* chosen = read_variable("TMPDIR"))
        return chosen;
    return access(memory, W_OK | X_OK) == 0 ? memory : "/tmp";
}

uint64_t start_of(pid_t process) noexcept {
    char path[32], text[1024];
    std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(process));
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[std::max<ssize_t>(length, 0)] = '\0';
    // The name of the program, in brackets, may have any character; field 3 is the state, field 22
    // the start.
    const char* field = std::strrchr(text, ')');
    if (!field || std::strlen(field) < 3 || field[2] == 'Z' || field[2] == 'X')
        return 0;
    for (int i = 2; field && i < 22; ++i)
        field = std::strchr(field + 1, ' ');
    return field ? std::strtoull(field, nullptr, 10) : 0;
}

void* map_file(const char* path, size_t bytes, int flags) noexcept {
    const int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
    if (file < 0)
        return nullptr;
    int error = flags & O_CREAT ? posix_fallocate(file, 0, static_cast<off_t>(bytes)) : 0;
    void* memory = MAP_FAILED;
    if (error == 0) {
        memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        error = errno;
    }
    close(file);
    if (memory != MAP_FAILED)
        return memory;
    if (flags & O_EXCL)
        unlink(path);
    errno = error;
    return nullptr;
}

process_record* map_record(const char* path) noexcept {
    struct stat status;
    if (lstat(path, &status) != 0)
        return nullptr;
    const size_t bytes = static_cast<size_t>(status.st_size);
    if (bytes != bytes_without_log && bytes != sizeof(process_record))
        return nullptr;
    auto* const r = static_cast<process_record*>(map_file(path, bytes, 0));
    if (r && r->bytes.load(std::memory_order_acquire) != bytes) {
        munmap(r, bytes);
        return nullptr;
    }
    return r;
}

bool begin_last_part(process_record& r) noexcept {
    uint64_t writer = r.writer.load();
    if (r.steps_done == all_done || (writer != 0 && is_alive(writer)))
        return false;
    return r.writer.compare_exchange_strong(writer, own_identity());
}

void do_last_steps(process_record& r,
                   const call_sums& sums,
                   run_counts* counts,
                   bool has_ended,
                   function_ref<void()> write) noexcept {
    if (r.steps_done < part_written) {
        write();
        r.steps_done = part_written;
    }
    if (r.steps_done < log_written) {
        write_log(r);
        r.steps_done = log_written;
    }
    // The writer may have ended after it did this step, and before somebody looked for it.
    if (r.steps_done.exchange(all_done) == all_done)
        return;
    if (counts) {
        counts->add(sums);
        counts->reported.fetch_add(has_ended, std::memory_order_relaxed);
    }
}

void write_last_part(process_record& r,
                     const char* how,
                     run_counts* counts,
                     program_state state) noexcept {
    // A program that runs may take its calls itself.
    const call_sums sums = state == program_state::running ? take_calls(r) : calls_of(r);
    do_last_steps(r, sums, counts, state == program_state::ended, [&] {
        static char memory[64 * 1024];
        bounded_text t{memory, sizeof memory};
        if (sums.all() == 0 && (!r.is_program || r.has_reported))
            return;
        add_heading(t, r, sums, how);
        t.add("\n");
        if (sums.all() > 0)
            add_table(t, r);
        write_report(t);
    });
}

void run_counts::add(const call_sums& sums) noexcept {
    parts.fetch_add(sums.all() > 0, std::memory_order_relaxed);
    served.fetch_add(sums.served, std::memory_order_relaxed);
    forwarded.fetch_add(sums.forwarded, std::memory_order_relaxed);
}

run_counts* map_counts(const char* folder, const char* title, bool create) noexcept {
    char path[4096];
    std::snprintf(path, sizeof path, "%s/%s", folder, title);
    return static_cast<run_counts*>(map_file(path, sizeof(run_counts), create ? O_CREAT : 0));
}

int report_for_others(const char* folder, bool closes) noexcept {
    const auto is_record = [](const dirent* entry) -> int {
        return entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
    };
    dirent** entries = nullptr;
    const int count = scandir(folder, &entries, is_record, alphasort);
    int living = 0;
    for (int i = 0; i < count; ++i) {
        char path[4096];
        std::snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        std::free(entries[i]);
        process_record* const r = map_record(path);
        if (!r)
            continue;
        const bool lives = is_alive(*r);
        living += lives;
        if ((closes || !lives) && begin_last_part(*r)) {
            run_counts* const counts = map_counts(folder, r->title, false);
            if (lives)
                write_last_part(*r, "still running", counts, program_state::running);
            else
                write_last_part(*r, ended_silently, counts, program_state::ended);
            if (counts)
                munmap(counts, sizeof *counts);
        }
        if (!lives && r->steps_done == all_done) // otherwise another process is writing the part
            unlink(path);
        munmap(r, r->bytes);
    }
    std::free(entries);
    return living;
}

} // namespace myblas::preload
