#include "watch.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tools {
namespace {

std::atomic<pid_t> watched{0};

// A terminal sends its signals to the program, too; they are not sent twice.
void pass_on(int signal, siginfo_t* info, void*) {
    const int error = errno;
    const bool is_from_process = info->si_code <= 0;
    const pid_t process = watched.load();
    if (is_from_process && process > 0)
        kill(process, signal);
    errno = error;
}

// The signals that a user or a scheduler sends to a program. A signal that is ignored stays
// ignored, in the program too.
void pass_signals_on() {
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&action.sa_mask);
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2}) {
        struct sigaction before {};
        sigaction(signal, nullptr, &before);
        if (before.sa_handler != SIG_IGN)
            sigaction(signal, &action, nullptr);
    }
}

// Whether the child has ended. The child keeps its process number until waitpid() reads its status.
bool has_ended(pid_t child) {
    siginfo_t ended{};
    return waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT | WNOHANG) == 0
               ? ended.si_pid == child
               : errno != EINTR;
}

// Ends this process by the signal that ended the program. The program has already written a core if
// one is wanted.
void end_by(int signal) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    std::signal(signal, SIG_DFL);
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, signal);
    sigprocmask(SIG_UNBLOCK, &mask, nullptr);
    raise(signal);
}

} // namespace

int watch(const watching& w) {
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    const auto at_child_end = std::signal(SIGCHLD, SIG_DFL); // if it is ignored, no status is kept
    const pid_t own = getpid();
    const pid_t child = fork();
    if (child < 0) {
        const int error = errno;
        sigprocmask(SIG_SETMASK, &before, nullptr);
        throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(error));
    }
    if (child == 0) {
        std::signal(SIGCHLD, at_child_end);
        sigprocmask(SIG_SETMASK, &before, nullptr);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != own) // which has just been killed
            raise(SIGKILL);
        return w.start();
    }
    watched = child;
    pass_signals_on();
    sigset_t child_ends, own_mask = before;
    sigemptyset(&child_ends);
    sigaddset(&child_ends, SIGCHLD);
    sigaddset(&own_mask, SIGCHLD); // waited for below
    sigprocmask(SIG_SETMASK, &own_mask, nullptr);
    while (!has_ended(child)) {
        constexpr timespec second{1, 0};
        if (sigtimedwait(&child_ends, nullptr, &second) < 0 && errno == EAGAIN)
            w.meanwhile();
    }
    watched = 0; // before the number can be another process's
    int status = 0;
    waitpid(child, &status, 0);
    w.finish();
    if (WIFSIGNALED(status)) {
        end_by(WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    return WEXITSTATUS(status);
}

} // namespace tools
