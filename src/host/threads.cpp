#include "host/threads.h"

#include "core/environment.h"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace myblas::host {
namespace {

constexpr int most_threads = 256; // of a call, for any value of the variables

// ---- The variables ------------------------------------------------------------------------------

// Reads the variables of other libraries. A value that they would not understand is skipped without
// an error. OMP_NUM_THREADS may be a list, by the level of nested regions.
int read_usual_variables() {
    for (const char* name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"}) {
        const char* const text = read_variable(name);
        const bool is_number = text && *text >= '0' && *text <= '9';
        if (const long number = is_number ? std::strtol(text, nullptr, 10) : 0)
            return static_cast<int>(std::min<long>(number, most_threads));
    }
    return 0;
}

int count_processors() {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return CPU_COUNT(&allowed);
    // More processors than a cpu_set_t holds.
    return static_cast<int>(std::thread::hardware_concurrency());
}

int read_thread_count() {
    if (const int own = read_count("MYBLAS_NUM_THREADS", most_threads, 0))
        return own;
    if (const int usual = read_usual_variables())
        return usual;
    return std::clamp(count_processors(), 1, most_threads);
}

// ---- The workers --------------------------------------------------------------------------------

// The state of a worker. The call that owns the workers offers them its job, and takes back offers
// that were not accepted.
enum worker_state : int { idle, offered, running, ending };

constexpr size_t cache_line = 64;

struct alignas(cache_line) worker {
    std::atomic<int> state{idle};
    int number = 0; // of its thread, from 1 on
    pthread_t thread{};
};

// The tasks up to end - 1. `next` is the next one to run.
struct alignas(cache_line) share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
};

// The workers and their job, which belong to the process that started the workers. The call that
// owns the workers writes here.
struct crew {
    pid_t process = 0;
    int started = 0; // workers 0 ... started - 1
    std::array<worker, most_threads - 1> workers;

    void (*work)(const void*, int64_t, int) = nullptr;
    const void* data = nullptr;
    int members = 0; // threads that have shares of the job
    std::array<share, most_threads> shares;
};
constinit crew the_crew;

// The process whose call owns the crew; 0: none.
constinit std::atomic<pid_t> owner{0};

// Takes the crew for this call, if it is free. A crew that a call of the parent owned at the moment
// of a fork is free in the child.
bool acquire_crew() {
    const pid_t self = getpid();
    pid_t seen = owner.load(std::memory_order_relaxed);
    while (seen != self)
        if (owner.compare_exchange_weak(seen, self, std::memory_order_acquire))
            return true;
    return false;
}

void release_crew() { owner.store(0, std::memory_order_release); }

// Runs the tasks of the thread's own share first, so that successive calls have the same data on
// the same processor. Then runs tasks that are left in the other shares.
void take_tasks(int thread) {
    crew& c = the_crew;
    for (int i = 0; i < c.members; ++i) {
        share& from = c.shares[static_cast<size_t>((thread + i) % c.members)];
        for (;;) {
            const int64_t task = from.next.fetch_add(1, std::memory_order_relaxed);
            if (task >= from.end)
                break;
            c.work(c.data, task, thread);
        }
    }
}

void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// Waits while the state is `value`, polling at first: a program's calls often follow each other
// closely, and waking a thread may take as long as the work.
void wait_while(const std::atomic<int>& state, int value) {
    using clock = std::chrono::steady_clock;
    constexpr std::chrono::microseconds busy_time{200};
    constexpr int looks = 64; // at the state, for each look at the clock
    const clock::time_point end = clock::now() + busy_time;
    do {
        for (int i = 0; i < looks; ++i) {
            if (state.load(std::memory_order_acquire) != value)
                return;
            pause();
        }
    } while (clock::now() < end);
    state.wait(value, std::memory_order_acquire);
}

void* run_worker(void* argument) {
    worker& self = *static_cast<worker*>(argument);
    for (;;) {
        wait_while(self.state, idle);
        int expected = offered;
        if (self.state.compare_exchange_strong(expected, running, std::memory_order_acquire)) {
            take_tasks(self.number);
            self.state.store(idle, std::memory_order_release);
            self.state.notify_one();
        } else if (expected == ending) {
            return nullptr;
        }
    }
}

// Starts workers until there are `wanted`, or until the system allows no more.
void start_workers(int wanted) {
    crew& c = the_crew;
    if (c.process != getpid()) { // the workers stayed with the parent
        c.process = getpid();
        c.started = 0;
    }
    if (c.started >= wanted)
        return;
    // Workers block all signals: the program's signal handlers run on the program's own threads.
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    for (; c.started < wanted; ++c.started) {
        worker& next = c.workers[static_cast<size_t>(c.started)];
        next.state.store(idle, std::memory_order_relaxed);
        next.number = c.started + 1;
        if (pthread_create(&next.thread, nullptr, run_worker, &next) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Ends the workers before the library is unloaded, and when the process ends. If a call is running,
// it continues, and the workers stay.
struct last_act {
    ~last_act() {
        crew& c = the_crew;
        if (!acquire_crew() || c.process != getpid())
            return;
        // The crew stays taken: later calls run on their own thread alone.
        for (int i = 0; i < c.started; ++i) {
            worker& one = c.workers[static_cast<size_t>(i)];
            one.state.store(ending, std::memory_order_release);
            one.state.notify_one();
            pthread_join(one.thread, nullptr);
        }
    }
};
const last_act at_the_end;

} // namespace

int thread_count() {
    static const int count = read_thread_count();
    return count;
}

void run_tasks(int64_t tasks,
               int threads,
               void (*work)(const void*, int64_t, int),
               const void* data) {
    const int members = static_cast<int>(std::min<int64_t>({threads, tasks, thread_count()}));
    if (members <= 1 || !acquire_crew()) {
        for (int64_t task = 0; task < tasks; ++task)
            work(data, task, 0);
        return;
    }
    crew& c = the_crew;
    start_workers(members - 1);
    c.work = work;
    c.data = data;
    c.members = members;
    for (int i = 0; i < members; ++i) {
        share& own = c.shares[static_cast<size_t>(i)];
        own.next.store(tasks * i / members, std::memory_order_relaxed);
        own.end = tasks * (i + 1) / members;
    }
    const int helpers = std::min(members - 1, c.started);
    for (int i = 0; i < helpers; ++i) {
        worker& one = c.workers[static_cast<size_t>(i)];
        one.state.store(offered, std::memory_order_release);
        one.state.notify_one();
    }
    take_tasks(0);
    for (int i = 0; i < helpers; ++i) {
        worker& one = c.workers[static_cast<size_t>(i)];
        int expected = offered; // the worker is not even awake; its share is done
        if (!one.state.compare_exchange_strong(expected, idle, std::memory_order_acquire))
            wait_while(one.state, running);
    }
    release_crew();
}

} // namespace myblas::host
