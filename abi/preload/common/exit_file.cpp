#include "common/exit_file.h"

#include "core/environment.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <thread>
#include <unistd.h>

namespace myblas::preload {
namespace {

// During its lifetime, a write to a pipe that nobody reads fails, and does not end the program.
class without_sigpipe {
public:
    without_sigpipe() noexcept {
        sigemptyset(&sigpipe);
        sigaddset(&sigpipe, SIGPIPE);
        was_pending = is_pending();
        pthread_sigmask(SIG_BLOCK, &sigpipe, &before);
    }
    ~without_sigpipe() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
    without_sigpipe(const without_sigpipe&) = delete;
    without_sigpipe& operator=(const without_sigpipe&) = delete;

    // Takes the signal of a write that failed with EPIPE.
    void take_signal() const noexcept {
        const timespec at_once{};
        if (!was_pending && is_pending())
            while (sigtimedwait(&sigpipe, nullptr, &at_once) < 0 && errno == EINTR) {
            }
    }

private:
    static bool is_pending() noexcept {
        sigset_t pending;
        return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    }

    sigset_t sigpipe, before;
    bool was_pending;
};

// Returns 0 or an error number.
int write_all(int descriptor, const char* data, size_t bytes) noexcept {
    const without_sigpipe guard;
    while (bytes > 0) {
        const ssize_t written = write(descriptor, data, bytes);
        if (written < 0 && errno != EINTR) {
            const int error = errno;
            if (error == EPIPE)
                guard.take_signal();
            return error;
        }
        if (written > 0) {
            data += written;
            bytes -= static_cast<size_t>(written);
        }
    }
    return 0;
}

// A descriptor for the file that `name` stands for, or -1.
int open_target(const char* name) noexcept {
    return std::strcmp(name, "stderr") == 0
               ? dup(STDERR_FILENO)
               : open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

} // namespace

int exit_file::read_setting() noexcept {
    // Only one thread copies the name; the others wait.
    if (is_taken_.test_and_set()) {
        int found = unread;
        while ((found = state_.load(std::memory_order_acquire)) == unread)
            std::this_thread::yield();
        return found;
    }
    const char* name = read_variable(variable_);
    const bool is_usable = name && write_absolute(name);
    state_.store(is_usable ? on : off, std::memory_order_release);
    return is_usable ? on : off;
}

// The program may change its directory later. A path that would be too long stays relative. False:
// the name itself is too long.
bool exit_file::write_absolute(const char* name) noexcept {
    const int error = errno;
    bounded_text t{target_, sizeof target_};
    if (*name != '/' && std::strcmp(name, "stderr") != 0 && getcwd(target_, sizeof target_)) {
        t.length = std::strlen(target_);
        t.add("/");
    }
    errno = error;
    const size_t bytes = std::strlen(name) + 1;
    if (t.length + bytes > sizeof target_)
        t.length = 0;
    t.add("%s", name);
    return bytes <= sizeof target_;
}

// Tells the log that nothing is written. The log belongs to libmyblas, which may not be loaded.
void exit_file::log_failure(int error) noexcept {
    const char* log = read_variable("MYBLAS_LOG");
    const int descriptor = !log                              ? -1
                           : std::strcmp(log, "stdout") == 0 ? dup(STDOUT_FILENO)
                                                             : open_target(log);
    if (descriptor < 0)
        return;
    char memory[sizeof target_ + 256];
    bounded_text t{memory, sizeof memory};
    t.add("[myblas] %s: cannot open %s: %s\n", variable_, target_, std::strerror(error));
    write_all(descriptor, memory, t.length);
    close(descriptor);
}

int exit_file::append(const char* text, size_t length) noexcept {
    if (!is_on() || length == 0)
        return 0;
    const int descriptor = open_target(target_);
    if (descriptor < 0) {
        const int error = errno;
        log_failure(error);
        return error;
    }
    const int error = write_all(descriptor, text, length);
    close(descriptor);
    return error;
}

} // namespace myblas::preload
