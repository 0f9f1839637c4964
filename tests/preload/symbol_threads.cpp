// Searches all mapped files for a symbol, while another thread loads and unloads the library that
// the argument names. Neither may wait for the other.
#include "common/mapped.h"
#include "expect.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>
#include <unistd.h>

using namespace myblas::preload;

int main(int, char** arguments) {
    constexpr int look_ups = 5000, most_seconds = 60;
    constexpr auto every_file = [](const char*) { return true; };
    alarm(most_seconds); // the signal ends the program
    std::atomic<bool> is_over = false;
    std::atomic<int> loaded = 0;
    std::thread other([&] {
        while (!is_over)
            if (void* library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL)) {
                dlclose(library);
                ++loaded;
            }
    });
    const void* const caller = reinterpret_cast<const void*>(&main);
    for (int i = 0; i < look_ups; ++i)
        expect(!symbol_for(caller, "nobody_has_this", scope_order::caller_first, every_file),
               "no file has it");
    is_over = true;
    other.join();
    expect(loaded > 0, "the library was loaded");
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
