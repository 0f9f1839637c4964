// Random calls of every function, each compared with a reference under its documented bound, and
// with itself. See docs/testing.md.
#include "fuzz/allocations.h"
#include "fuzz/by_name.h"
#include "fuzz/report.h"
#include "fuzz/session.h"
#include "fuzz/soak.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>
#include <set>
#include <spawn.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace fuzz {
namespace {

constexpr const char* usage = R"(usage: test_fuzz [option]...
  --seed S         seed of the calls (1)
  --first I        number of the first call (0)
  --calls N        how many (no limit if there is a time, else 10000)
  --seconds T      for how long
  -j N             processes (1); each gets another number of host threads
  --threads N      threads of each process, with a handle each (1)
  --backend NAME   auto, host or cuda (auto)
  --function NAME  calls of this function alone, such as mysgemm
  --json FILE      appends a line with the results to the file
  --commit NAME    recorded in that line
  --machine NAME   recorded in that line
  --blas, --cblas  calls of the Fortran BLAS or of CBLAS by name, with a preload library and
                   MYBLAS_OFFLOAD=always
  --cublas         calls of cuBLAS by name, with a preload library
  --cublaslt       products by cublasLtMatmul, with the toy cublasLt of tests/preload
  --soak           rounds of calls in 8 threads, handles made and ended all the time; fails if
                   memory grows (600 seconds, or a number of calls in 16 rounds)
  --case TEXT      the call that a failure printed, alone
  --no-shrink      prints all failures as drawn, without looking for simpler ones
Replay of call I: test_fuzz --seed S --first I --calls 1
)";

struct settings {
    int64_t seed = 1, first = 0, calls = 0, seconds = 0, processes = 1, threads = 1;
    myblasBackend_t backend = MYBLAS_BACKEND_AUTO;
    std::string json, commit, machine, text;
    function only = function_count;
    entry_points by = entry_points::myblas;
    bool shrinks = true, soaks = false;
    bool by_name() const { return by != entry_points::myblas; }
};

// The name of the option, without dashes.
const char* option_of(entry_points by) {
    return by == entry_points::fortran     ? "blas"
           : by == entry_points::cblas     ? "cblas"
           : by == entry_points::cublas    ? "cublas"
           : by == entry_points::cublas_lt ? "cublaslt"
                                           : "myblas";
}

constexpr int max_slots = 256;
constexpr int most_failures = 100; // of a thread
constexpr size_t most_shown = 8;

// Memory that the processes share. After a crash, it tells which call each thread was making.
struct shared_state {
    std::atomic<int64_t> calls[max_slots]; // the number of the call of a thread; -1: none
    std::atomic<int64_t> calls_made, handles_made, graphs_made;
    std::atomic<int> failures;
};

double now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

call_case draw_nth(const settings& s, int64_t index, myblasBackend_t backend) {
    random_source mixed(static_cast<uint64_t>(s.seed) * 0x9E3779B97F4A7C15u +
                        static_cast<uint64_t>(index));
    random_source random(mixed.bits());
    call_case c = draw(random, backend, s.only);
    while (s.by_name() && !has_name(s.by, c.f))
        c = draw(random, backend, s.only);
    if (s.by_name())
        keep_to(s.by, c);
    return c;
}

// ---- A worker -----------------------------------------------------------------------------------

std::mutex output;

void write_failure(std::FILE* to, int64_t index, const std::string& wrong, const call_case& c) {
    const std::lock_guard lock(output);
    std::fprintf(to,
                 "failure %lld %s\t%s\n",
                 static_cast<long long>(index),
                 to_text(c).c_str(),
                 wrong.c_str());
    std::fflush(to);
}

void write_tally(std::FILE* to, const tally& t) {
    const std::lock_guard lock(output);
    std::fprintf(to,
                 "tally %lld %lld %lld %lld %lld %lld %lld\n",
                 static_cast<long long>(t.cases),
                 static_cast<long long>(t.calls),
                 static_cast<long long>(t.elements),
                 static_cast<long long>(t.undetermined),
                 static_cast<long long>(t.bits_compared),
                 static_cast<long long>(t.refused),
                 static_cast<long long>(t.not_supported));
    for (const auto& [name, x] : t.functions)
        std::fprintf(
            to, "function %s %lld %.17g\n", name.c_str(), static_cast<long long>(x.cases), x.worst);
    for (const auto& [name, count] : t.kernels)
        std::fprintf(to, "kernel %s %lld\n", name.c_str(), static_cast<long long>(count));
    std::fflush(to);
}

// Makes the calls first, first + step and so on. Returns the number of the next one.
int64_t run_thread(const settings& s,
                   shared_state& shared,
                   int slot,
                   int64_t first,
                   int64_t step,
                   double end,
                   std::FILE* to) {
    constexpr int64_t calls_of_handle = 20; // in a soak
    auto calls = std::make_unique<session>(s.backend, s.by);
    const myblasBackend_t backend = calls->backend();
    if (slot == 0) {
        const std::lock_guard lock(output);
        std::fprintf(to, "backend %s\n", backend == MYBLAS_BACKEND_CUDA ? "cuda" : "host");
    }
    int failures = 0;
    double last_report = now();
    int64_t i = first, of_handle = 0;
    for (; (s.calls == 0 || i < s.first + s.calls) && failures < most_failures; i += step) {
        const double time = now();
        if (s.seconds && time > end)
            break;
        if (time > last_report + 5) { // so that little is lost with a crash
            write_tally(to, calls->counts);
            calls->counts = tally{};
            last_report = time;
        }
        if (s.soaks && of_handle++ == calls_of_handle) {
            const tally counts = calls->counts;
            calls = std::make_unique<session>(s.backend, s.by);
            calls->counts = counts;
            of_handle = 0;
            ++shared.handles_made;
        }
        shared.calls[slot] = i;
        const call_case c = draw_nth(s, i, backend);
        const int64_t graphs = calls->counts.graphs;
        const std::string wrong = calls->run(c);
        ++shared.calls_made;
        shared.graphs_made += calls->counts.graphs - graphs;
        if (!wrong.empty()) {
            write_failure(to, i, wrong, c);
            ++failures;
        }
    }
    shared.calls[slot] = -1;
    write_tally(to, calls->counts);
    return i;
}

// MYBLAS_NUM_THREADS of a process: races show in some numbers of threads only. Empty: the default.
const char* host_threads_of(int64_t process) {
    static constexpr const char* numbers[] = {"", "3", "8", "2", "1", "5"};
    return numbers[process % 6];
}

void set_host_threads(int64_t process) {
    if (*host_threads_of(process))
        setenv("MYBLAS_NUM_THREADS", host_threads_of(process), 1);
    else
        unsetenv("MYBLAS_NUM_THREADS");
}

void run_process(const settings& s, shared_state& shared, int process, double end, std::FILE* to) {
    if (s.calls != 1) // a replay keeps the variable as it is
        set_host_threads(process);
    const int64_t step = s.processes * s.threads;
    std::vector<std::thread> threads;
    for (int64_t t = 0; t < s.threads; ++t) {
        const int slot = static_cast<int>(process * s.threads + t);
        threads.emplace_back(
            [&, slot] { run_thread(s, shared, slot, s.first + slot, step, end, to); });
    }
    for (std::thread& t : threads)
        t.join();
}

// Runs rounds of calls, each with new threads. Between rounds there are no threads and no handles,
// so memory that grows from round to round is lost. With a number of calls, the same number of
// rounds makes them on fast and on slow machines.
void run_soak(const settings& s, shared_state& shared, std::FILE* to) {
    constexpr int64_t rounds_of_calls = 16;
    return_memory_at_once();
    const double begin = now(), end = begin + static_cast<double>(s.seconds);
    const double length = std::clamp(static_cast<double>(s.seconds) / 15, 0.5, 10.0);
    driver_loss loss;
    {
        const session first(s.backend, s.by); // loads the driver
        find_driver();
        loss = find_driver_loss();
        std::fprintf(to, "loss %.1f\n", loss.bytes_of_graph);
    }
    std::vector<int64_t> next;
    for (int64_t t = 0; t < s.threads; ++t)
        next.push_back(s.first + t);
    for (int64_t round = 1; s.calls ? round <= rounds_of_calls : now() < end; ++round) {
        settings of_round = s;
        of_round.calls = s.calls * round / rounds_of_calls; // by the end of the round
        if (s.calls)
            of_round.seconds = 0;
        const int64_t calls = shared.calls_made, handles = shared.handles_made;
        const int64_t graphs = shared.graphs_made;
        const double round_end = now() + length;
        std::vector<std::thread> threads;
        for (size_t t = 0; t < next.size(); ++t)
            threads.emplace_back([&, t] {
                const int slot = static_cast<int>(t);
                next[t] = run_thread(of_round, shared, slot, next[t], s.threads, round_end, to);
            });
        for (std::thread& t : threads)
            t.join();
        const memory_use memory = measure_memory(loss);
        std::fprintf(to,
                     "round %.2f %.3f %.3f %.6f %.6f %.6f %lld %lld %lld %lld\n",
                     now() - begin,
                     memory.rss_mib,
                     memory.gpu_used_mib,
                     memory.own_mib,
                     memory.driver_mib,
                     memory.lost_mib,
                     static_cast<long long>(memory.user_objects),
                     static_cast<long long>(shared.calls_made - calls),
                     static_cast<long long>(shared.handles_made - handles),
                     static_cast<long long>(shared.graphs_made - graphs));
        std::fflush(to);
    }
}

// ---- Failures -----------------------------------------------------------------------------------

// Runs a case in a child process, because it may crash. Returns whether it fails.
bool fails(const call_case& c, const settings& s, std::string* output_text = nullptr) {
    std::string text = to_text(c);
    const char* backend = s.backend == MYBLAS_BACKEND_HOST   ? "host"
                          : s.backend == MYBLAS_BACKEND_CUDA ? "cuda"
                                                             : "auto";
    std::vector<const char*> arguments = {
        "test_fuzz", "--backend", backend, "--no-shrink", "--case", text.c_str()};
    const std::string names = std::string("--") + option_of(s.by);
    if (s.by_name())
        arguments.push_back(names.c_str());
    arguments.push_back(nullptr);
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    pid_t child = 0;
    const int failure = posix_spawn(
        &child, "/proc/self/exe", &actions, nullptr, const_cast<char**>(arguments.data()), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    std::string said;
    char part[4096];
    for (ssize_t got; failure == 0 && (got = read(ends[0], part, sizeof part)) > 0;)
        said.append(part, static_cast<size_t>(got));
    close(ends[0]);
    int status = 0;
    if (failure || waitpid(child, &status, 0) != child)
        return false;
    if (output_text)
        *output_text =
            WIFSIGNALED(status) ? "ended by " + std::string(strsignal(WTERMSIG(status))) : said;
    return WIFSIGNALED(status) || WEXITSTATUS(status) == 1;
}

// Cases that are simpler in one respect.
std::vector<call_case> simpler(const call_case& c) {
    std::vector<call_case> all;
    const auto add = [&](auto&& change) {
        call_case next = c;
        change(next);
        if (to_text(next) != to_text(c))
            all.push_back(next);
    };
    const auto keep_ld = [](call_case& x) { // leading dimensions follow the sizes
        arguments& g = x.args;
        const int64_t rows = std::max({g.m, g.n, g.k, g.rows, int64_t{1}});
        for (int64_t arguments::*ld :
             {&arguments::lda, &arguments::ldb, &arguments::ldc, &arguments::ldd})
            g.*ld = std::min(g.*ld, rows);
        x.ldaux = std::min(x.ldaux, rows);
    };
    // Any value becomes 1, and 1 becomes 0, so that the shrinking ends.
    const auto simpler_value = [](auto value) -> decltype(value) {
        return value != 0 && value != 1;
    };
    const auto reduce = [&](const parameter& p, auto&& smaller) {
        add([&](call_case& x) {
            set(x.args, p, smaller(get(x.args, p)));
            keep_ld(x);
        });
        add([&](call_case& x) { set(x.args, p, smaller(get(x.args, p))); });
    };
    for (const parameter& p : parameters_of(c.f == sgemm_grouped_batched ? sgemm : c.f)) {
        const std::string_view name = p.name;
        if (name == "m" || name == "n" || name == "k" || name == "rows" || name == "cols" ||
            name == "batch_count" || name == "group_count") {
            reduce(p, [](int64_t v) { return v / 2; });
            reduce(p, [](int64_t v) { return v - v / 4; });
            reduce(p, [](int64_t v) { return v > 0 ? v - 1 : 0; });
        } else if (!is_pointer(p)) {
            const int64_t value = get(c.args, p);
            add([&](call_case& x) { set(x.args, p, simpler_value(value)); });
            if (name.starts_with("ld"))
                add([&](call_case& x) { set(x.args, p, value - 1); });
        }
    }
    add([](call_case& x) { x.kernel.clear(); });
    add([](call_case& x) { x.product_kernel.clear(); });
    for (const case_field& f : case_fields())
        if (std::string_view(f.name) != "seed" && std::string_view(f.name).substr(0, 5) != "fault")
            add([&](call_case& x) { x.*f.member = f.simplest; });
    for (int64_t bit : {same_call, other_thread, other_stream, captured})
        add([&](call_case& x) { x.repeats &= ~bit; });
    add([&](call_case& x) { x.alpha = simpler_value(x.alpha); });
    add([&](call_case& x) { x.beta = simpler_value(x.beta); });
    for (size_t i = 0; i < 5; ++i)
        add([&](call_case& x) { x.given[i] = simpler_value(x.given[i]); });
    return all;
}

// Whether the case keeps to the rules of its function, which a simpler case may break.
bool is_valid(const call_case& c) {
    const arguments& g = c.args;
    if (c.in_place && c.f == transpose_strided_batched &&
        (g.m != g.n || g.lda != g.ldb || g.strideA != g.strideB))
        return false;
    if (c.in_place && routine_of(c.f) == MYBLAS_ROUTINE_TRANSPOSE &&
        !(g.m == g.n && g.lda == g.ldb) && !(g.lda == g.m && g.ldb == g.n))
        return false;
    if (c.in_place && ((c.f == strmm && g.ldc != g.ldb) ||
                       (c.f == sgeam && g.ldc != (c.in_place == 1 ? g.lda : g.ldb))))
        return false;
    if (c.in_place && (c.f == sgemm_fused || c.f == sgemm_fused_strided_batched) &&
        (g.ldc != g.ldd || g.strideC != g.strideD))
        return false;
    if (c.in_place && c.f == sgeam && (c.in_place == 1 ? g.transa : g.transb))
        return false;
    if (find_parameter(c.f, "element_bytes") &&
        (g.element_bytes < 1 || (c.f == transpose_ex && g.element_bytes & (g.element_bytes - 1))))
        return false;
    const bool is_vector = find_parameter(c.f, "incx") && !find_parameter(c.f, "lda");
    if (find_parameter(c.f, "incx") && !is_vector &&
        (g.incx == 0 || (find_parameter(c.f, "incy") && g.incy == 0)))
        return false;
    if (routine_of(c.f) < 0 && is_vector && (g.incx < 1 || g.incy < 1 || g.n < 0))
        return false;
    for (const operand& x : operands_of(c)) {
        const bool has_ld = x.rows > 1 || find_parameter(c.f, "lda");
        if (has_ld && x.name.find_first_of("xy") == std::string::npos &&
            x.holds != content::given && x.where != memory::scalar &&
            x.ld < std::max<int64_t>(1, x.rows) && x.name != "bias" && x.name != "result")
            return false;
        operand one = x;
        one.count = 1;
        if (x.is_written && x.count > 1 && std::abs(x.stride) < one.elements())
            return false;
    }
    return true;
}

call_case shrink(call_case c, const settings& s) {
    const double end = now() + 100;
    for (bool is_simpler = true; is_simpler && now() < end;) {
        is_simpler = false;
        for (const call_case& next : simpler(c)) {
            if (now() > end)
                break;
            if (!is_valid(next) || !fails(next, s))
                continue;
            c = next;
            is_simpler = true;
            break;
        }
    }
    return c;
}

void show_failure(const std::string& text,
                  const std::string& wrong,
                  int64_t index,
                  const settings& s) {
    const int64_t process = (index - s.first) % (s.processes * s.threads) / s.threads;
    const std::string number = host_threads_of(process);
    const std::string variable = number.empty() ? "" : "MYBLAS_NUM_THREADS=" + number + " ";
    std::printf("\nFAILURE: %s\n  replay:  %stest_fuzz --seed %lld --first %lld --calls 1%s%s\n"
                "  case:    %stest_fuzz --case '%s'\n",
                wrong.c_str(),
                variable.c_str(),
                static_cast<long long>(s.seed),
                static_cast<long long>(index),
                s.only == function_count ? "" : " --function ",
                s.only == function_count ? "" : name_of(s.only),
                variable.c_str(),
                text.c_str());
    set_host_threads(process);
    call_case c;
    std::string error;
    if (!s.shrinks || !from_text(text, c, error))
        return;
    if (!fails(c, s)) {
        std::printf("  It does not fail alone.\n");
        return;
    }
    c = shrink(c, s);
    std::string said;
    fails(c, s, &said);
    std::printf("  smallest: test_fuzz --case '%s'\n%s\n", to_text(c).c_str(), said.c_str());
    if (const std::string command = as_bench_command(c); !command.empty())
        std::printf("  the same sizes: %s\n", command.c_str());
    std::printf("%s", as_c_program(c).c_str());
    std::fflush(stdout);
}

// ---- Runs ---------------------------------------------------------------------------------------

struct failure {
    int64_t index;
    std::string text, wrong;
};

void read_reports(std::FILE* from,
                  tally& all,
                  std::vector<failure>& failures,
                  soak_run& soak,
                  std::string& backend) {
    std::rewind(from);
    char* line = nullptr;
    size_t capacity = 0;
    for (ssize_t length; (length = getline(&line, &capacity, from)) > 0;) {
        line[length - 1] = 0;
        tally t;
        long long n[7];
        char name[256];
        double worst;
        soak_round round;
        int at = 0;
        if (std::sscanf(line,
                        "tally %lld %lld %lld %lld %lld %lld %lld",
                        n,
                        n + 1,
                        n + 2,
                        n + 3,
                        n + 4,
                        n + 5,
                        n + 6) == 7) {
            t.cases = n[0], t.calls = n[1], t.elements = n[2], t.undetermined = n[3];
            t.bits_compared = n[4], t.refused = n[5], t.not_supported = n[6];
        } else if (std::sscanf(line, "function %255s %lld %lf", name, n, &worst) == 3) {
            t.functions[name] = {n[0], worst};
        } else if (std::sscanf(line, "kernel %255s %lld", name, n) == 2) {
            t.kernels[name] = n[0];
        } else if (std::sscanf(line, "backend %255s", name) == 1) {
            backend = name;
        } else if (std::sscanf(line,
                               "round %lf %lf %lf %lf %lf %lf %" SCNd64 " %lld %lld %lld",
                               &round.seconds,
                               &round.memory.rss_mib,
                               &round.memory.gpu_used_mib,
                               &round.memory.own_mib,
                               &round.memory.driver_mib,
                               &round.memory.lost_mib,
                               &round.memory.user_objects,
                               &round.calls,
                               &round.handles,
                               &round.graphs) == 10) {
            soak.rounds.push_back(round);
        } else if (std::sscanf(line, "loss %lf", &soak.bytes_of_graph) == 1) {
        } else if (std::sscanf(line, "failure %lld %n", n, &at) == 1) {
            const std::string rest = line + at;
            const size_t tab = rest.find('\t');
            failures.push_back({n[0], rest.substr(0, tab), rest.substr(tab + 1)});
        }
        all.add(t);
    }
    std::free(line);
}

void append_json(const settings& s,
                 const tally& t,
                 size_t failures,
                 double seconds,
                 const soak_run& soak,
                 const std::string& backend) {
    std::FILE* file = std::fopen(s.json.c_str(), "a");
    if (!file) {
        std::perror(s.json.c_str());
        std::exit(2);
    }
    const bool has_openblas =
        std::any_of(t.kernels.begin(), t.kernels.end(), [](const auto& kernel) {
            return kernel.first.ends_with(":openblas");
        });
    char date[32];
    const std::time_t today = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&today));
    std::fprintf(
        file,
        "{\"tool\": \"%s\", \"commit\": \"%s\", \"machine\": \"%s\", \"openblas\": %s, "
        "\"by_name\": \"%s\", \"date\": \"%s\", \"backend\": \"%s\", \"seed\": %lld, "
        "\"processes\": %lld, \"threads\": %lld, \"seconds\": %.1f, \"cases\": %lld, "
        "\"calls\": %lld, \"elements\": %lld, \"undetermined\": %lld, \"bits_compared\": %lld, "
        "\"refused\": %lld, \"not_supported\": %lld, \"failures\": %zu, \"functions\": {",
        s.soaks ? "soak" : "fuzz",
        s.commit.c_str(),
        s.machine.c_str(),
        has_openblas ? "true" : "false",
        s.by_name() ? option_of(s.by) : "",
        date,
        backend.c_str(),
        static_cast<long long>(s.seed),
        static_cast<long long>(s.processes),
        static_cast<long long>(s.threads),
        seconds,
        static_cast<long long>(t.cases),
        static_cast<long long>(t.calls),
        static_cast<long long>(t.elements),
        static_cast<long long>(t.undetermined),
        static_cast<long long>(t.bits_compared),
        static_cast<long long>(t.refused),
        static_cast<long long>(t.not_supported),
        failures);
    const char* comma = "";
    for (const auto& [name, x] : t.functions) {
        std::fprintf(file,
                     "%s\"%s\": {\"cases\": %lld, \"worst\": %.3g}",
                     comma,
                     name.c_str(),
                     static_cast<long long>(x.cases),
                     x.worst);
        comma = ", ";
    }
    std::fprintf(file, "}, \"kernels\": %zu", t.kernels.size());
    if (s.soaks) {
        std::fprintf(file,
                     ", \"grows\": \"%s\", \"lost_bytes_of_graph\": %.1f, \"rounds\": [",
                     growth_in(soak).c_str(),
                     soak.bytes_of_graph);
        double begin = 0;
        for (const soak_round& r : soak.rounds) {
            std::fprintf(file,
                         "%s{\"seconds\": %.1f, \"rss_mib\": %.2f, \"gpu_used_mib\": %.1f, "
                         "\"own_mib\": %.4f, \"driver_mib\": %.4f, \"lost_mib\": %.4f, "
                         "\"user_objects\": %lld, \"calls_per_second\": %.0f, \"handles\": %lld, "
                         "\"graphs\": %lld}",
                         &r == soak.rounds.data() ? "" : ", ",
                         r.seconds,
                         r.memory.rss_mib,
                         r.memory.gpu_used_mib,
                         r.memory.own_mib,
                         r.memory.driver_mib,
                         r.memory.lost_mib,
                         static_cast<long long>(r.memory.user_objects),
                         static_cast<double>(r.calls) / (r.seconds - begin),
                         r.handles,
                         r.graphs);
            begin = r.seconds;
        }
        std::fprintf(file, "]");
    }
    std::fprintf(file, "}\n");
    std::fclose(file);
}

int run_all(const settings& s) {
    void* memory = mmap(
        nullptr, sizeof(shared_state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    std::FILE* reports = std::tmpfile();
    if (memory == MAP_FAILED || !reports) {
        std::perror("test_fuzz");
        return 2;
    }
    auto& shared = *new (memory) shared_state{};
    for (auto& call : shared.calls)
        call = -1;
    const double begin = now(), end = begin + static_cast<double>(s.seconds);
    std::vector<pid_t> children;
    for (int p = 0; p < s.processes; ++p) {
        const pid_t child = fork();
        if (child == 0) {
            // A separate file description, so that lines of processes do not mix.
            std::FILE* mine =
                std::fopen(("/proc/self/fd/" + std::to_string(fileno(reports))).c_str(), "a");
            if (!mine)
                _exit(2);
            if (s.soaks)
                run_soak(s, shared, mine);
            else
                run_process(s, shared, p, end, mine);
            std::fclose(mine);
            std::exit(0);
        }
        children.push_back(child);
    }
    tally all;
    std::vector<failure> failures, crashes;
    soak_run soak;
    std::string backend = "none";
    bool is_broken = false;
    for (size_t p = 0; p < children.size(); ++p) {
        int status = 0;
        waitpid(children[p], &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            continue;
        const std::string how = WIFSIGNALED(status)
                                    ? "ended by " + std::string(strsignal(WTERMSIG(status)))
                                    : "ended with a status that is not 0";
        for (size_t t = 0; t < static_cast<size_t>(s.threads); ++t)
            if (const int64_t index = shared.calls[p * static_cast<size_t>(s.threads) + t];
                index >= 0)
                crashes.push_back({index, "", how});
        is_broken = true;
    }
    const double seconds = now() - begin;
    read_reports(reports, all, failures, soak, backend);
    const myblasBackend_t kind = backend == "cuda" ? MYBLAS_BACKEND_CUDA : MYBLAS_BACKEND_HOST;
    for (const failure& crash : crashes)
        failures.push_back({crash.index, to_text(draw_nth(s, crash.index, kind)), crash.wrong});
    std::set<std::string> shown;
    for (const failure& f : failures) {
        const std::string kind = f.text.substr(0, f.text.find(' ')) + f.wrong.substr(0, 12);
        if (!s.shrinks)
            std::printf("call %lld: %s\n  %s\n",
                        static_cast<long long>(f.index),
                        f.wrong.c_str(),
                        f.text.c_str());
        else if (shown.insert(kind).second && shown.size() <= most_shown)
            show_failure(f.text, f.wrong, f.index, s);
    }
    std::printf("seed %lld on %s: %lld cases, %lld calls in %.1f s, %lld elements judged (%lld "
                "undetermined), bits compared "
                "%lld times, %lld calls refused (%lld not supported), %zu kernels; %zu failures\n",
                static_cast<long long>(s.seed),
                backend.c_str(),
                static_cast<long long>(all.cases),
                static_cast<long long>(all.calls),
                seconds,
                static_cast<long long>(all.elements),
                static_cast<long long>(all.undetermined),
                static_cast<long long>(all.bits_compared),
                static_cast<long long>(all.refused),
                static_cast<long long>(all.not_supported),
                all.kernels.size(),
                failures.size());
    if (s.soaks) {
        const std::string growth = growth_in(soak);
        if (soak.bytes_of_graph > 0)
            std::printf("the driver loses %.1f bytes for each graph with a user object\n",
                        soak.bytes_of_graph);
        for (const soak_round& r : soak.rounds)
            std::printf("%8.1f s: %8.2f MiB of the process; not freed: %8.4f, by the driver %8.4f, "
                        "lost by it %8.4f; %8.1f MiB of the GPU by all processes; %lld calls, "
                        "%lld handles, %lld graphs; %lld user objects so far\n",
                        r.seconds,
                        r.memory.rss_mib,
                        r.memory.own_mib,
                        r.memory.driver_mib,
                        r.memory.lost_mib,
                        r.memory.gpu_used_mib,
                        r.calls,
                        r.handles,
                        r.graphs,
                        static_cast<long long>(r.memory.user_objects));
        std::printf("%s\n", growth.empty() ? "memory does not grow" : growth.c_str());
        is_broken = is_broken || !growth.empty();
    }
    if (!s.json.empty())
        append_json(s, all, failures.size(), seconds, soak, backend);
    return !failures.empty() || is_broken || all.cases == 0;
}

int run_case(const settings& s) {
    call_case c;
    std::string error;
    if (!from_text(s.text, c, error)) {
        std::fprintf(stderr, "test_fuzz: %s\n", error.c_str());
        return 2;
    }
    session calls(s.backend, s.by);
    const std::string wrong = calls.run(c);
    std::printf("%s\n", wrong.empty() ? "right" : wrong.c_str());
    return !wrong.empty();
}

bool read_options(int argc, char** argv, settings& s) {
    const std::pair<const char*, int64_t settings::*> numbers[] = {
        {"--seed", &settings::seed},
        {"--first", &settings::first},
        {"--calls", &settings::calls},
        {"--seconds", &settings::seconds},
        {"-j", &settings::processes},
        {"--threads", &settings::threads}};
    const std::pair<const char*, std::string settings::*> texts[] = {
        {"--json", &settings::json},
        {"--commit", &settings::commit},
        {"--machine", &settings::machine},
        {"--case", &settings::text}};
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option.starts_with("--") && s.by == entry_points::myblas)
            for (const entry_points by : {entry_points::fortran,
                                          entry_points::cblas,
                                          entry_points::cublas,
                                          entry_points::cublas_lt})
                if (option.substr(2) == option_of(by))
                    s.by = by;
        if (s.by_name() && option.substr(2) == option_of(s.by))
            continue;
        if (option == "--soak") {
            s.soaks = true;
            s.processes = 1;
            s.threads = 8;
            continue;
        }
        if (option == "--no-shrink") {
            s.shrinks = false;
            continue;
        }
        if (i + 1 == argc)
            return false;
        const std::string value = argv[++i];
        bool is_known = false;
        for (const auto& [name, member] : numbers)
            if (option == name) {
                char* end = nullptr;
                s.*member = std::strtoll(value.c_str(), &end, 10);
                is_known = !value.empty() && *end == 0 && s.*member >= 0;
            }
        for (const auto& [name, member] : texts)
            if (option == name)
                s.*member = value, is_known = true;
        if (option == "--backend") {
            is_known = value == "auto" || value == "host" || value == "cuda";
            s.backend = value == "host"   ? MYBLAS_BACKEND_HOST
                        : value == "cuda" ? MYBLAS_BACKEND_CUDA
                                          : MYBLAS_BACKEND_AUTO;
        }
        if (option == "--function")
            for (int f = 0; f < function_count; ++f)
                if (value == name_of(static_cast<function>(f)))
                    s.only = static_cast<function>(f), is_known = true;
        if (!is_known)
            return false;
    }
    if (s.soaks && s.seconds == 0 && s.calls == 0)
        s.seconds = 600;
    if (s.soaks && ((s.calls && s.seconds) || s.processes != 1))
        return false;
    if (s.calls == 0 && s.seconds == 0)
        s.calls = 10000;
    return s.processes >= 1 && s.threads >= 1 && s.processes * s.threads <= max_slots;
}

} // namespace
} // namespace fuzz

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == "--help") {
        std::fputs(fuzz::usage, stdout);
        return 0;
    }
    fuzz::settings s;
    if (!fuzz::read_options(argc, argv, s)) {
        std::fputs(fuzz::usage, stderr);
        return 2;
    }
    return s.text.empty() ? fuzz::run_all(s) : fuzz::run_case(s);
}
