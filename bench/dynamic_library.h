// A shared library that may be missing.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

namespace bench {

// A function whose type the caller knows.
using any_function = void (*)();

// Calls a function of C that takes exactly the types of these arguments.
template <class Result, class... Arguments>
Result call_c(any_function function, Arguments... arguments) {
    return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
}

class dynamic_library {
public:
    // The first of the sonames that can be loaded: found on the loader's path, never by a file
    // name.
    explicit dynamic_library(std::initializer_list<const char*> sonames) {
        for (const char* soname : sonames)
            if (!handle_)
                handle_ = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    }
    // Loads a file, which uses its own symbols before the process's.
    explicit dynamic_library(const std::string& path)
        : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)) {}
    // All libraries that are linked or preloaded.
    static dynamic_library linked() { return dynamic_library(dlopen(nullptr, RTLD_NOW)); }
    // The library stays mapped: BLAS libraries have threads and devices that do not survive an
    // unmapping.
    ~dynamic_library() = default;
    dynamic_library(const dynamic_library&) = delete;
    dynamic_library& operator=(const dynamic_library&) = delete;

    // Null if the library or the symbol is missing.
    any_function find(const std::string& symbol) const {
        return handle_ ? reinterpret_cast<any_function>(dlsym(handle_, symbol.c_str())) : nullptr;
    }
    template <class Function>
    void find(Function*& function, const char* symbol) const {
        function = reinterpret_cast<Function*>(find(symbol));
    }

    explicit operator bool() const { return handle_ != nullptr; }

private:
    explicit dynamic_library(void* handle) : handle_(handle) {}

    void* handle_ = nullptr;
};

} // namespace bench
