// A shared library that may be there.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

namespace bench {

class dynamic_library {
public:
    // The first of the sonames that can be loaded: found on the loader's path, never by a file name.
    explicit dynamic_library(std::initializer_list<const char*> sonames) {
        for (const char* soname : sonames)
            if (!handle_)
                handle_ = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    }
    // A file, which takes its own symbols before those that are in the process already.
    explicit dynamic_library(const std::string& path)
        : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)) {}
    // Stays mapped: BLAS libraries own threads and devices that do not survive an unmapping.
    ~dynamic_library() = default;
    dynamic_library(const dynamic_library&) = delete;
    dynamic_library& operator=(const dynamic_library&) = delete;

    // Null where the library or the symbol is missing.
    template <class Function>
    void find(Function*& function, const char* symbol) const {
        function = handle_ ? reinterpret_cast<Function*>(dlsym(handle_, symbol)) : nullptr;
    }

    explicit operator bool() const { return handle_ != nullptr; }

private:
    void* handle_ = nullptr;
};

} // namespace bench
