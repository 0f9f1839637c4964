// Runs a program and lets the caller act after its end.
#pragma once

#include <functional>

namespace tools {

struct watching {
    std::function<int()>
        start; // in a child process: executes the program, or returns an exit status
    std::function<void()> meanwhile; // every second
    std::function<void()> finish;    // when the child has ended
};

// Makes this process look like the program to other processes. Signals that this process gets are
// passed on to the program. The program is killed if this process is killed. This process ends in
// the way that the program ended. Returns the exit status.
int watch(const watching&);

} // namespace tools
