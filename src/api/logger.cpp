#include "api/logger.h"

#include "core/environment.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <pthread.h>

namespace myblas::logger {

constinit std::atomic<bool> listening{false};

namespace {

struct sinks {
    bool to_stdout = false;
    bool to_stderr = false;
    FILE* file = nullptr;
};

constinit std::mutex mutex; // guards the variables below
constinit sinks open_sinks;
constinit myblasLogCallback_t callback = nullptr;
constinit bool configured = false; // by the program or by the environment

constinit thread_local bool inside = false; // this thread holds the mutex

// In a forked child the mutex may belong to a thread that only the parent has. The child therefore
// makes a new mutex, unless the forking thread holds the old one. Locking the mutex before the fork
// could deadlock: the fork would wait for the callback, and the callback may wait for a lock of the
// forking thread. The guarded variables must therefore be usable between any two writes to them.
void free_mutex_in_child() {
    if (!inside)
        new (&mutex) std::mutex;
}

// Called before the mutex is locked. Several first threads may each register the handler, which is
// harmless; a lock here could itself be held in a child. If there is no memory for the handler, the
// logger works except in such children. The C library forgets the handler when this library is
// unloaded.
void watch_forks() noexcept {
    static constinit std::atomic<bool> watched{false};
    if (!watched.load(std::memory_order_relaxed))
        watched.store(pthread_atfork(nullptr, nullptr, free_mutex_in_child) == 0,
                      std::memory_order_relaxed);
}

// The mutex is held while the callback runs, so that a removed callback is no longer running. A
// callback may call the library again: `inside` lets the call pass.
class lock {
public:
    lock() noexcept {
        if (is_owner) {
            watch_forks();
            mutex.lock();
        }
        inside = true;
    }
    ~lock() {
        if (is_owner) {
            inside = false;
            mutex.unlock();
        }
    }
    lock(const lock&) = delete;
    lock& operator=(const lock&) = delete;

private:
    const bool is_owner = !inside;
};

void update_listening() noexcept {
    listening.store(callback || open_sinks.to_stdout || open_sinks.to_stderr || open_sinks.file,
                    std::memory_order_relaxed);
}

bool configure(sinks wanted, const char* file_name) noexcept {
    if (file_name) {
        wanted.file = std::fopen(file_name, "ae"); // append, close on exec
        if (!wanted.file)
            return false;
    }
    FILE* const previous = open_sinks.file;
    open_sinks = wanted;
    configured = true;
    update_listening();
    if (previous) // closed last: a child forked meanwhile must not write to it
        std::fclose(previous);
    return true;
}

void write_line(FILE* sink, const char* message) noexcept {
    if (!sink)
        return;
    std::fprintf(sink, "[myblas] %s\n", message);
    std::fflush(sink); // a fork must not find half a message to write again
}

// At exit and when the library is unloaded.
[[gnu::destructor]] void close_file() {
    const lock guard;
    callback = nullptr;
    configure({}, nullptr);
}

} // namespace

void write(const char* format, ...) noexcept {
    if (!is_on() || inside)
        return;
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    for (char* c = message; *c; ++c) // environment variables may hold several lines
        if (*c == '\n')
            *c = ' ';

    const lock guard;
    if (open_sinks.to_stdout)
        write_line(stdout, message);
    if (open_sinks.to_stderr)
        write_line(stderr, message);
    write_line(open_sinks.file, message);
    if (callback)
        callback(message);
}

// False if the target cannot be opened.
static bool obey(const char* target) noexcept {
    if (std::strcmp(target, "stdout") == 0)
        return configure({.to_stdout = true}, nullptr);
    if (std::strcmp(target, "stderr") == 0)
        return configure({.to_stderr = true}, nullptr);
    return configure({}, target);
}

void read_environment() noexcept {
    const char* unopened = nullptr;
    {
        const lock guard;
        if (configured)
            return;
        configured = true;
        const char* target = read_variable("MYBLAS_LOG");
        if (target && !obey(target))
            unopened = target;
    }
    if (unopened) // a callback may listen
        write("MYBLAS_LOG: cannot open %s: %s", unopened, std::strerror(errno));
}

} // namespace myblas::logger

using namespace myblas;

myblasStatus_t
myblas::refuse(const char* function, myblasStatus_t status, const fault& why) noexcept {
    if (!logger::is_on())
        return status;
    const char* const what = why.what;
    const auto value = static_cast<long long>(why.value), bound = static_cast<long long>(why.bound);
    char text[512];
    const auto say = [&text](const char* format, auto... words) {
        std::snprintf(text, sizeof text, format, words...);
    };
    if (why.is == fault::kind::sentence)
        say("%s", what);
    else if (why.is == fault::kind::null)
        say("%s is NULL", what);
    else if (why.is == fault::kind::increment)
        say("inc%s = 0, but it must not be zero", what);
    else if (why.is == fault::kind::columns && bound > 1)
        say("ld%c = %lld, but %s has %lld rows", what[0] - 'A' + 'a', value, what, bound);
    else if (why.is == fault::kind::columns)
        say("ld%c = %lld, but it must be positive", what[0] - 'A' + 'a', value);
    else if (why.unit)
        say("%s = %lld, %s %lld%s", what, value, why.rule, bound, why.unit);
    else
        say("%s = %lld, %s", what, value, why.rule);
    logger::write("%s: %s: %s", function, myblasGetStatusName(status), text);
    return status;
}

extern "C" {

myblasStatus_t myblasSetLoggerCallback(myblasLogCallback_t callback) {
    const logger::lock guard;
    logger::callback = callback;
    logger::update_listening();
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t
myblasLoggerConfigure(int log_is_on, int log_to_stdout, int log_to_stderr, const char* log_file) {
    bool is_done;
    {
        const logger::lock guard;
        is_done = log_is_on ? logger::configure({log_to_stdout != 0, log_to_stderr != 0, nullptr},
                                                log_file)
                            : logger::configure({}, nullptr);
    }
    return is_done ? MYBLAS_STATUS_SUCCESS
                   : refuse("myblasLoggerConfigure",
                            MYBLAS_STATUS_INVALID_VALUE,
                            "the file cannot be opened");
}

} // extern "C"
