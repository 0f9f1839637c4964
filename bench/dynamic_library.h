// A shared library that may be there: found by soname on the loader's path, never by a file name.
#pragma once

#include <dlfcn.h>

#include <initializer_list>

namespace bench {

class dynamic_library {
public:
    // The first of the sonames that can be loaded.
    explicit dynamic_library(std::initializer_list<const char*> sonames) {
        for (const char* soname : sonames)
            if (!handle_)
                handle_ = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    }
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
