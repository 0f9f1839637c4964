// Every call that the library makes to the CUDA runtime and driver fails in turn, and memory runs
// out at each allocation. See docs/testing.md.
#include "faults/allocations.h"
#include "faults/scenario.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

// OpenBLAS does not survive a refused allocation, and is no part of this library.
extern "C" void* dlopen(const char* file, int mode) noexcept {
    static auto* const next =
        reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
    return file && std::strstr(file, "openblas") ? nullptr : next(file, mode);
}

namespace faults {
namespace {

constexpr const char* usage = R"(usage: test_faults [option]...
  --long           every shape and setting; without it a share of them
  -j N             processes (1)
  --only TEXT      the scenarios whose name contains the text
  --list           shows the scenarios and the number of their calls
  --symbols FILE   fails unless each of these functions is in a scenario
  --json FILE      appends a line with what was done to the file
  --commit NAME    recorded in that line
  --machine NAME   so is this
)";

struct options {
    bool is_long = false, lists = false;
    long processes = 1;
    std::string only, symbols, json, commit, machine;
};

// ---- Faults -------------------------------------------------------------------------------------

struct fault {
    enum { none, runtime, memory } of = none;
    long at = -1;
    cudaError_t error = cudaSuccess;
    bool stays = false;
};

struct kind {
    cudaError_t error;
    bool stays;
};

// Errors that a call may answer. One that stays ends the context: each later call fails, too.
constexpr kind kinds[] = {
    {cudaErrorMemoryAllocation, false},
    {cudaErrorUnknown, false},
    {cudaErrorNoKernelImageForDevice, false},
    {cudaErrorIllegalAddress, true},     // of a kernel: a sticky error
    {cudaErrorDevicesUnavailable, true}, // the device is lost
};

// Calls whose failure a function may survive, and why.
struct harmless {
    const char* call;
    const char* functions; // whose names begin with this; `routines`: all but myblas...
    const char* scenarios; // whose names contain this
    const char* reason;
    bool is_only_memory = false; // of other errors the failure counts
};

constexpr harmless harmless_calls[] = {
    {"cudaThreadExchangeStreamCaptureMode", "", "", "no other call could take its place"},
    {"cudaSetDevice", "", "", "without the number of the context nothing is shared"},
    {"cuCtxPopCurrent", "", "", "the work is done, and the program's device cannot be restored"},
    {"cuDevicePrimaryCtxRelease", "", "", "the work is done, and the context stays"},
    {"cudaGetDevice", "", "", "the slower way is taken: as for a device without memory pools"},
    {"cudaDeviceGetAttribute", "", "", "the usual device's value, or the slower way, is taken"},
    {"cudaGetDriverEntryPoint", "", "", "without the number of the context nothing is shared"},
    {"cuCtxGetId", "", "", "without the number of the context nothing is shared"},
    {"cuCtxGetCurrent", "", "", "the runtime's context is made current"},
    {"cuPointerGetAttribute", "", "", "memory of unknown contexts is kept"},
    {"cudaFreeAsync", "", "", "cudaFree takes its place, or the block is freed later"},
    {"cudaMallocAsync", "routines", "", "the call does with less workspace"},
    {"cudaMalloc",
     "",
     "",
     "the call does with less workspace, or the memory of old graphs is freed first"},
    {"cudaStreamIsCapturing", "routines", "", "the workspace does not grow"},
    {"cudaStreamIsCapturing", "myblasSet", "", "the workspace shrinks later"},
    {"cudaStreamCreateWithFlags", "myblas", "", "the block is freed by cudaFree"},
    {"cudaStreamSynchronize", "myblas", "", "the block is freed"},
    {"cudaStreamDestroy", "myblas", "", "the block is freed"},
    {"cudaFree", "myblasSet", "", "the memory is none of the handle's"},
    {"cudaFree", "myblasDestroy", "after a graph", "the memory is none of the handle's"},
    {"cudaUserObjectCreate", "routines", "capture", "the call does without workspace"},
    {"cudaGraphRetainUserObject", "routines", "capture", "the call does without workspace"},
    {"cudaStreamCreateWithFlags", "routines", "capture", "the counters are made by a second try"},
    {"cudaFuncSetAttribute",
     "routines",
     "",
     "unused memory is freed, and the kernel prepared again",
     true},
    {"cudaMemsetAsync", "routines", "capture", "the counters are made by a second try"},
    {"cudaStreamSynchronize", "routines", "capture", "the counters are made by a second try"},
    {"cudaStreamDestroy", "routines", "capture", "the counters are made by a second try"},
};

bool is_among(const std::string& function, const char* functions) {
    const bool is_routine = function.rfind("myblas", 0) != 0;
    return std::strcmp(functions, "routines") == 0 ? is_routine : function.rfind(functions, 0) == 0;
}

// The first call of a function makes the handle's device current.
bool is_harmless(const char* call, const fault& f, const scenario& s) {
    if (f.at == 0 && s.sets_device && std::strcmp(call, "cudaGetDevice") == 0)
        return false;
    return std::any_of(
        std::begin(harmless_calls), std::end(harmless_calls), [&](const harmless& h) {
            return std::strcmp(h.call, call) == 0 &&
                   (!h.is_only_memory || f.error == cudaErrorMemoryAllocation) &&
                   s.name.find(h.scenarios) != s.name.npos &&
                   std::any_of(s.functions.begin(), s.functions.end(), [&](const std::string& f) {
                       return is_among(f, h.functions);
                   });
        });
}

// ---- One call -----------------------------------------------------------------------------------

constinit std::atomic<int> lines_of_log{0};

// What was seen, without allocations.
struct outcome {
    myblasStatus_t status = MYBLAS_STATUS_SUCCESS;
    long calls = 0;               // of the runtime, or allocations
    const char* failed = nullptr; // the call
    bool has_failed = false;
    const char* wrong = nullptr; // the first thing
    // What stayed, compared with the time before: memory, streams, user objects, and allocations
    // of the host.
    long memory = 0, streams = 0, objects = 0, allocations = 0;
    bool was_capturing = false;
};

const char*
program_state(const sigset_t& mask, const char* locale, int error, cudaStreamCaptureMode m) {
    sigset_t now;
    std::memset(&now, 0, sizeof now);
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    return std::memcmp(&now, &mask, sizeof now) != 0              ? "the signal mask changed"
           : std::strcmp(setlocale(LC_ALL, nullptr), locale) != 0 ? "the locale changed"
           : error != 4242                                        ? "errno changed"
           : standin::capture_mode() != m                         ? "the capture mode changed"
           : standin::device() != 0                               ? "the current device changed"
                                                                  : nullptr;
}

// Frees what handles left for later ones.
void drain(const standin::machine& m) {
    for (int device = 0; device < m.devices; ++device) {
        standin::set_device(device);
        const myblasHandle_t handle = make_handle();
        REQUIRE_OK(myblasSetWorkspaceLimit(handle, 0));
        REQUIRE_OK(myblasDestroy(handle));
    }
    standin::set_device(0);
}

// The program's part of the end.
void end(const scenario& s, world& w) {
    if (s.cleanup)
        s.cleanup(w);
    if (w.is_capturing)
        w.graph = standin::end_capture(w.stream);
    if (w.graph)
        standin::destroy_graph(w.graph);
    if (w.stream)
        standin::destroy_stream(w.stream);
    if (w.other_stream)
        standin::destroy_stream(w.other_stream);
}

outcome run(const scenario& s, const fault& f) {
    static operands memory;
    outcome seen;
    world w;
    const standin::census before = standin::count();
    const long allocated = allocations::live();
    const auto note = [&](const char* what) {
        if (what && !seen.wrong)
            seen.wrong = what;
    };
    standin::set_machine(s.machine);
    memory.device = static_cast<unsigned char*>(standin::make_memory(operands::device_bytes));
    w.memory = &memory;
    memory.reset_host();
    if (s.setup)
        s.setup(w);
    note(standin::misuse());

    sigset_t mask;
    std::memset(&mask, 0, sizeof mask);
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    char locale[64];
    std::snprintf(locale, sizeof locale, "%s", setlocale(LC_ALL, nullptr));
    const int device = standin::device();
    const cudaStreamCaptureMode mode = standin::capture_mode();
    lines_of_log = 0;
    standin::arm(f.of == fault::runtime ? f.at : -1, f.error, f.stays);
    allocations::arm(f.of == fault::memory ? f.at : -1, f.stays);
    errno = 4242;
    seen.status = s.act(w);
    const int error = errno;
    allocations::disarm();
    standin::disarm();
    seen.was_capturing = w.is_capturing;
    seen.calls = f.of == fault::memory ? allocations::calls() : standin::calls();
    seen.failed = f.of == fault::memory ? "an allocation" : standin::failed();
    seen.has_failed =
        f.of == fault::memory ? allocations::has_failed() : standin::failed() != nullptr;

    // What the failed call would have restored stays as it is.
    const bool cannot_restore = seen.has_failed && (standin::failed_restoring() || f.stays);
    if (cannot_restore)
        standin::set_capture_mode(mode), standin::set_device(device);
    if (standin::device() != device)
        note("the current device changed");
    standin::set_device(0);
    note(program_state(mask, locale, f.of == fault::memory ? 4242 : error, mode));
    const char* const misuse = standin::misuse();
    const bool was_exchange =
        seen.failed && std::strcmp(seen.failed, "cudaThreadExchangeStreamCaptureMode") == 0;
    if (!was_exchange)
        note(misuse);
    if (!s.writes_host && !memory.is_host_unchanged())
        note("the host wrote a result");
    if (seen.status != MYBLAS_STATUS_SUCCESS && seen.status != s.answer && lines_of_log == 0)
        note("the log has no line");
    if (seen.status != MYBLAS_STATUS_SUCCESS && seen.status != MYBLAS_STATUS_MAPPING_ERROR &&
        s.functions.contains("mysgemmHost") && standin::copies_to_host() > 0)
        note("C was touched");
    const bool may_have_computed = seen.status == MYBLAS_STATUS_SUCCESS ||
                                   seen.status == MYBLAS_STATUS_EXECUTION_FAILED ||
                                   seen.status == MYBLAS_STATUS_MAPPING_ERROR;
    if (!may_have_computed && standin::launches() > 0)
        note("a refused call launched kernels");
    if (w.is_capturing && !was_exchange && !standin::is_capture_valid(w.stream))
        note("the capture became invalid");

    const auto destroy = [&](myblasHandle_t& handle, bool is_dead) {
        if (!handle)
            return;
        const myblasStatus_t status = myblasDestroy(std::exchange(handle, nullptr));
        if (status != MYBLAS_STATUS_SUCCESS &&
            (!is_dead || status != MYBLAS_STATUS_EXECUTION_FAILED))
            note("the handle cannot be destroyed");
    };
    if (f.of == fault::runtime && f.stays && seen.has_failed) {
        // No call can compute now, but none may crash, and handles can be destroyed.
        if (!s.gives_up && seen.status != s.answer)
            (void)s.act(w);
        standin::set_capture_mode(mode);
        standin::set_device(0);
        destroy(w.handle, true);
        destroy(w.second, true);
        end(s, w);
        standin::reset();
        standin::set_capture_mode(mode);
        standin::set_device(0);
    } else {
        if (seen.status != MYBLAS_STATUS_SUCCESS && seen.status != s.answer && !s.gives_up &&
            (!w.is_capturing || standin::is_capture_valid(w.stream))) {
            // A refused workspace is requested again from now on.
            size_t limit = 0;
            if (w.handle && myblasGetWorkspaceLimit(w.handle, &limit) == MYBLAS_STATUS_SUCCESS)
                REQUIRE_OK(myblasSetWorkspaceLimit(w.handle, limit));
            if (s.act(w) != s.answer)
                note("the call fails again");
            standin::set_device(0);
        }
        destroy(w.handle, false);
        destroy(w.second, false);
        end(s, w);
    }
    standin::free_memory(memory.device);
    dlerror();
    dlerror(); // frees a message of dlopen
    drain(s.machine);
    note(standin::misuse());
    const standin::census after = standin::count();
    seen.memory = after.memory - before.memory;
    seen.streams = after.streams - before.streams;
    seen.objects = after.objects - before.objects;
    seen.allocations = allocations::live() - allocated;
    return seen;
}

// ---- Results, in memory that a process shares with its parent -----------------------------------

struct tally {
    long scenarios, unreachable, calls, failed_calls, failed_allocations, survived, problems;
    struct {
        char name[48];
        long failed;
    } by_call[64];
    // The present one, for a process that crashes.
    char scenario[160], failed[64];
    long at;

    void count(const char* call) {
        for (auto& each : by_call) {
            if (!each.name[0])
                std::snprintf(each.name, sizeof each.name, "%s", call);
            if (std::strcmp(each.name, call) == 0) {
                ++each.failed;
                return;
            }
        }
    }
};

constinit int report_to = 2; // the terminal: children's own output must stay empty

void report(tally& t, const scenario& s, const fault& f, const outcome& seen, const char* what) {
    ++t.problems;
    dprintf(report_to,
            "%s: call %ld (%s) fails with %d%s: %s: %s\n",
            s.name.c_str(),
            f.at,
            seen.failed ? seen.failed : "none",
            f.error,
            f.stays ? " and all later ones" : "",
            myblasGetStatusName(seen.status),
            what);
}

void judge(tally& t, const scenario& s, const fault& f, const outcome& seen, const outcome& quiet) {
    if (!seen.has_failed)
        return report(t, s, f, seen, "the call was not made");
    ++(f.of == fault::memory ? t.failed_allocations : t.failed_calls);
    if (f.of == fault::runtime)
        t.count(seen.failed);
    if (seen.wrong)
        report(t, s, f, seen, seen.wrong);
    if (seen.status == s.answer) {
        ++t.survived;
        if (f.of == fault::runtime && s.answer == MYBLAS_STATUS_SUCCESS &&
            !is_harmless(seen.failed, f, s) &&
            !(s.failures_of && s.failures_of(f.error, seen.failed).contains(seen.status)))
            report(t, s, f, seen, "the failure is ignored");
    } else if (f.of == fault::runtime && s.failures_of) {
        if (!s.failures_of(f.error, seen.failed).contains(seen.status))
            report(t, s, f, seen, "not the documented status");
    } else if (!s.failures.contains(seen.status)) {
        report(t, s, f, seen, "not a documented status");
    }
    // What a failed call should have freed stays.
    const auto may_stay = [&](const char* call) {
        return f.of == fault::runtime && !f.stays && std::strcmp(seen.failed, call) == 0;
    };
    // Nothing can be freed during a capture, unless the thread is in relaxed mode.
    const bool is_blocked = seen.was_capturing && may_stay("cudaThreadExchangeStreamCaptureMode");
    if (seen.memory > quiet.memory + (may_stay("cudaFree") || is_blocked))
        report(t, s, f, seen, "device memory is lost");
    if (seen.streams > quiet.streams + may_stay("cudaStreamDestroy"))
        report(t, s, f, seen, "a stream is lost");
    if (seen.objects > quiet.objects)
        report(t, s, f, seen, "a user object is lost");
    if (seen.allocations > quiet.allocations)
        report(t, s, f, seen, "memory of the host is lost");
}

// ---- Processes ----------------------------------------------------------------------------------

// Ends a child without what a program does at its end; gcc's counters are written only then.
[[noreturn]] void end_child() {
    std::fflush(nullptr);
    if (WITH_COUNTERS)
        std::exit(0);
    _exit(0);
}

// Runs work in a child, which must print nothing. Answers what it printed or how it crashed; null:
// neither.
template <class Work>
const char* in_child(Work&& work) {
    const int output = memfd_create("output", 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(output, 1);
        dup2(output, 2);
        alarm(300);
        standin::begin_process();
        work();
        end_child();
    }
    int status = 0;
    waitpid(child, &status, 0);
    static char text[400];
    const ssize_t bytes = pread(output, text, sizeof text - 1, 0);
    close(output);
    text[std::max<ssize_t>(bytes, 0)] = '\0';
    if (bytes > 0)
        return text;
    if (WIFSIGNALED(status)) {
        std::snprintf(text, sizeof text, "%s", strsignal(WTERMSIG(status)));
        return text;
    }
    return WEXITSTATUS(status) == 0 ? nullptr : "the process failed";
}

void listen() {
    dlopen("/", RTLD_LAZY); // the C library allocates memory for messages once
    dlerror();
    REQUIRE_OK(myblasSetLoggerCallback([](const char*) { ++lines_of_log; }));
}

// The faults of one scenario, given its calls without failures.
std::vector<fault>
faults_of(const scenario& s, const outcome& calls, const outcome& memory, bool is_long) {
    std::vector<fault> all;
    constexpr long many = 24; // from here on, each call fails in one way only, unless it is long
    const long first = is_long ? 0 : s.part, step = is_long ? 1 : s.parts;
    for (long at = first; at < calls.calls; at += step)
        for (size_t k = 0; k < std::size(kinds); ++k)
            if (is_long || calls.calls <= many || k == static_cast<size_t>(at) % std::size(kinds))
                all.push_back({fault::runtime, at, kinds[k].error, kinds[k].stays});
    for (long at = 0; at < memory.calls; ++at)
        for (const bool stays : {false, true})
            all.push_back({fault::memory, at, cudaSuccess, stays});
    return all;
}

struct quiet_run {
    outcome calls, memory;
};

quiet_run run_quietly(const scenario& s) {
    quiet_run q;
    listen();
    drain(s.machine);
    if (!s.is_cold)
        (void)run(s, {});
    q.calls = run(s, {});
    if (s.is_cold)
        return q;
    q.memory = run(s, {fault::memory, -1, cudaSuccess, false});
    return q;
}

void run_scenario(tally& t, const scenario& s, const options& o) {
    std::snprintf(t.scenario, sizeof t.scenario, "%s", s.name.c_str());
    t.at = -1;
    const auto note = [&](const char* crash) {
        if (!crash)
            return;
        ++t.problems;
        dprintf(report_to, "%s: call %ld (%s): %s\n", t.scenario, t.at, t.failed, crash);
    };
    const auto check_quiet = [&](const outcome& q) {
        if (q.wrong)
            report(t, s, {}, q, q.wrong);
        if (q.status != s.answer)
            report(t, s, {}, q, "without a failure");
        ++t.scenarios;
        t.calls += q.calls;
        if (o.lists)
            dprintf(report_to, "%6ld  %s\n", q.calls, s.name.c_str());
    };
    const auto remember = [&](const fault& f) {
        t.at = f.at;
        std::snprintf(t.failed,
                      sizeof t.failed,
                      "%s",
                      f.of == fault::memory    ? "an allocation"
                      : standin::name_of(f.at) ? standin::name_of(f.at)
                                               : "?");
    };
    if (!s.is_cold) {
        note(in_child([&] {
            const quiet_run q = run_quietly(s);
            if (s.may_be_unreachable && q.calls.status == MYBLAS_STATUS_NOT_SUPPORTED) {
                ++t.unreachable;
                return;
            }
            check_quiet(q.calls);
            for (const fault& f : faults_of(s, q.calls, q.memory, o.is_long)) {
                remember(f);
                judge(t, s, f, run(s, f), q.calls);
            }
        }));
        return;
    }
    // In processes that have not called the library before.
    auto* const shared = static_cast<quiet_run*>(mmap(
        nullptr, sizeof(quiet_run), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    new (shared) quiet_run;
    note(in_child([&] {
        listen();
        shared->calls = run(s, {});
    }));
    note(in_child([&] {
        listen();
        shared->memory = run(s, {fault::memory, -1, cudaSuccess, false});
    }));
    check_quiet(shared->calls);
    for (const fault& f : faults_of(s, shared->calls, shared->memory, o.is_long)) {
        remember(f);
        note(in_child([&] {
            listen();
            judge(t, s, f, run(s, f), shared->calls);
        }));
    }
    munmap(shared, sizeof *shared);
}

// ---- The program --------------------------------------------------------------------------------

bool parse(int argc, char** argv, options* o) {
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (name == "--long")
            o->is_long = true;
        else if (name == "--list")
            o->lists = true;
        else if (i + 1 == argc)
            return false;
        else if (name == "-j")
            o->processes = std::max(1L, std::strtol(argv[++i], nullptr, 10));
        else if (name == "--only")
            o->only = argv[++i];
        else if (name == "--symbols")
            o->symbols = argv[++i];
        else if (name == "--json")
            o->json = argv[++i];
        else if (name == "--commit")
            o->commit = argv[++i];
        else if (name == "--machine")
            o->machine = argv[++i];
        else
            return false;
    }
    return true;
}

// The exported functions that no scenario calls.
long find_missing(const options& o, const std::vector<scenario>& all) {
    std::ifstream file(o.symbols);
    long missing = 0, count = 0;
    for (std::string line; std::getline(file, line);) {
        const std::string name = line.substr(0, line.find_first_of("@ "));
        if (name.rfind("my", 0) != 0)
            continue;
        ++count;
        if (std::none_of(all.begin(), all.end(), [&](const scenario& s) {
                return s.functions.contains(name);
            }))
            ++missing, std::fprintf(stderr, "no scenario calls %s\n", name.c_str());
    }
    if (count == 0)
        ++missing, std::fprintf(stderr, "%s has no functions\n", o.symbols.c_str());
    return missing;
}

void append_json(const options& o, const tally& t, long situations, double seconds) {
    std::FILE* const file = std::fopen(o.json.c_str(), "a");
    if (!file) {
        std::perror(o.json.c_str());
        return;
    }
    char date[32];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::fprintf(
        file,
        "{\"tool\": \"faults\", \"commit\": \"%s\", \"machine\": \"%s\", \"date\": \"%s\", "
        "\"long\": %s, \"processes\": %ld, \"seconds\": %.1f, \"scenarios\": %ld, "
        "\"failed_calls\": %ld, \"failed_allocations\": %ld, \"survived\": %ld, "
        "\"situations\": %ld, \"failures\": %ld, \"calls\": {",
        o.commit.c_str(),
        o.machine.c_str(),
        date,
        o.is_long ? "true" : "false",
        o.processes,
        seconds,
        t.scenarios,
        t.failed_calls,
        t.failed_allocations,
        t.survived,
        situations,
        t.problems);
    const char* separator = "";
    for (const auto& each : t.by_call)
        if (each.name[0])
            std::fprintf(
                file, "%s\"%s\": %ld", std::exchange(separator, ", "), each.name, each.failed);
    std::fprintf(file, "}}\n");
    std::fclose(file);
}

int run_all(const options& o) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<scenario> all;
    add_others(all);
    add_kernels(all, o.is_long);
    add_calls(all, o.is_long);
    std::vector<situation> rest = situations();
    tally sum{};
    if (!o.symbols.empty())
        sum.problems += find_missing(o, all);
    const std::vector<scenario> every = all;
    std::erase_if(all, [&](const scenario& s) { return s.name.find(o.only) == s.name.npos; });

    const auto processes = static_cast<size_t>(o.processes);
    auto* const tallies = static_cast<tally*>(mmap(nullptr,
                                                   sizeof(tally) * processes,
                                                   PROT_READ | PROT_WRITE,
                                                   MAP_SHARED | MAP_ANONYMOUS,
                                                   -1,
                                                   0));
    // The next scenario that nobody has taken.
    auto* const next = static_cast<std::atomic<size_t>*>(mmap(nullptr,
                                                              sizeof(std::atomic<size_t>),
                                                              PROT_READ | PROT_WRITE,
                                                              MAP_SHARED | MAP_ANONYMOUS,
                                                              -1,
                                                              0));
    report_to = dup(2);
    for (size_t p = 0; p < processes; ++p)
        if (fork() == 0) {
            for (size_t i; (i = (*next)++) < all.size();)
                run_scenario(tallies[p], all[i], o);
            end_child();
        }
    for (size_t p = 0; p < processes; ++p)
        wait(nullptr);
    for (size_t p = 0; p < processes; ++p) {
        const tally& t = tallies[p];
        sum.scenarios += t.scenarios;
        sum.unreachable += t.unreachable;
        sum.calls += t.calls;
        sum.failed_calls += t.failed_calls;
        sum.failed_allocations += t.failed_allocations;
        sum.survived += t.survived;
        sum.problems += t.problems;
        for (const auto& each : t.by_call)
            for (long i = 0; i < each.failed; ++i)
                sum.count(each.name);
    }
    long run = 0;
    for (const situation& s : rest) {
        if (std::string(s.name).find(o.only) == std::string::npos)
            continue;
        ++run;
        std::string wrong;
        const char* const crash = in_child([&] {
            if (const std::string what = s.run(every); !what.empty())
                dprintf(1, "%s", what.c_str());
        });
        if (crash)
            ++sum.problems, std::fprintf(stderr, "%s: %s\n", s.name, crash);
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("%ld scenarios, %ld calls of the runtime, %ld kernels unreachable\n"
                "%ld calls and %ld allocations failed, %ld without effect\n"
                "%ld situations\n%ld wrong, %.0f s\n",
                sum.scenarios,
                sum.calls,
                sum.unreachable,
                sum.failed_calls,
                sum.failed_allocations,
                sum.survived,
                run,
                sum.problems,
                seconds);
    if (!o.json.empty())
        append_json(o, sum, run, seconds);
    return sum.problems > 0 || sum.scenarios + run == 0;
}

} // namespace

void require_ok(myblasStatus_t status, const char* what) {
    if (status == MYBLAS_STATUS_SUCCESS)
        return;
    std::printf("%s: %s\n", what, myblasGetStatusName(status));
    std::fflush(stdout);
    _exit(1);
}

myblasStatus_t run_once(const scenario& s) {
    listen();
    const outcome seen = run(s, {});
    const bool is_unreachable = s.may_be_unreachable && seen.status == MYBLAS_STATUS_NOT_SUPPORTED;
    if (seen.wrong && !is_unreachable)
        std::printf("%s: %s\n", s.name.c_str(), seen.wrong);
    return seen.status;
}

myblasHandle_t make_handle(myblasBackend_t backend) {
    myblasHandle_t handle = nullptr;
    REQUIRE_OK(myblasCreateOn(&handle, backend));
    return handle;
}

} // namespace faults

int main(int argc, char** argv) {
    faults::options o;
    if (!faults::parse(argc, argv, &o)) {
        std::fputs(faults::usage, stderr);
        return 2;
    }
    for (const char* variable :
         {"MYBLAS_BACKEND", "MYBLAS_MATH", "MYBLAS_LOG", "MYBLAS_WORKSPACE", "MYBLAS_SMS"})
        unsetenv(variable);
    setlocale(LC_ALL, "C.UTF-8");
    return faults::run_all(o);
}
