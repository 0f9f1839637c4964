// Runs a program to its end, for what is to be done after it.
#pragma once

#include <functional>

namespace tools {

struct watching {
    std::function<int()>
        start; // in a child process: executes the program, or returns an exit status
    std::function<void()> meanwhile; // every second
    std::function<void()> finish;    // when the child has ended
};

// To others this process looks like the program: signals that it gets go to the program, which is
// killed when this process is, and it ends as the program has ended. Returns the exit status.
int watch(const watching&);

} // namespace tools
