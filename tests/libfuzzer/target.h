// What the libFuzzer targets share. A target ends by abort() if a property does not hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

inline std::string_view text_of(const uint8_t* data, size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

inline void require(bool holds, const char* what) {
    if (holds)
        return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::abort();
}

// A file in memory, for functions that take the name of a file.
class memory_file {
public:
    memory_file() : descriptor_(memfd_create("input", 0)) {
        require(descriptor_ >= 0, "memory for the input");
    }
    ~memory_file() { close(descriptor_); }
    memory_file(const memory_file&) = delete;
    memory_file& operator=(const memory_file&) = delete;

    // The name of the file, with new contents.
    std::string hold(std::string_view contents) {
        require(ftruncate(descriptor_, 0) == 0 &&
                    pwrite(descriptor_, contents.data(), contents.size(), 0) ==
                        static_cast<ssize_t>(contents.size()),
                "memory for the input");
        return "/proc/self/fd/" + std::to_string(descriptor_);
    }

private:
    int descriptor_;
};
