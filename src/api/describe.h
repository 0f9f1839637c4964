// A problem in words, for the log: options, sizes, distances and pointers, each in BLAS's order.
#pragma once

#include "core/problem.h"

#include <cstdarg>
#include <cstdio>

namespace myblas {

struct description {
    char text[512] = "";
};

class describer : public ignored_operands {
public:
    enum class part { options, sizes, distances, pointers };

    part now = part::options;
    description words;

    void operation(const char*, bool trans) { option(trans ? 'T' : 'N'); }
    void fill_mode(const char*, bool upper) { option(upper ? 'U' : 'L'); }
    void side(const char*, bool right) { option(right ? 'R' : 'L'); }
    void diagonal(const char*, bool unit) { option(unit ? 'U' : 'N'); }
    void size(const char* name, int64_t n) { number(part::sizes, "", name, n); }
    void count(const char* name, int64_t n) { number(part::sizes, "", name, n); }
    void element_bytes(const char* name, int bytes) { number(part::sizes, "", name, bytes); }
    void batch(const char*, int64_t count) { number(part::distances, "", "batch", count); }
    template <class T>
    void matrix(const char* name, T* x, int64_t ld, matrix_shape, bool = true) {
        columns(name, ld);
        pointer(name, x);
    }
    template <class T>
    void matrix(const char* name, T* x, int64_t ld, matrix_shape, bool, int64_t, T* const* array) {
        columns(name, ld);
        array ? pointer(name, array) : pointer(name, x);
    }
    void untyped_matrix(const char* name, const void* x, int64_t ld, matrix_shape, int, int64_t) {
        columns(name, ld);
        pointer(name, x);
    }
    template <class T>
    void vector(const char* name, T* x, int64_t increment, int64_t, bool = true) {
        number(part::distances, "inc", name, increment);
        pointer(name, x);
    }
    void array(const char* name, const void* x, bool = true) { pointer(name, x); }

    [[gnu::format(printf, 2, 3)]] void write(const char* format, ...) {
        va_list arguments;
        va_start(arguments, format);
        if (length_ < sizeof words.text) {
            const int written = std::vsnprintf(
                words.text + length_, sizeof words.text - length_, format, arguments);
            length_ += written > 0 ? static_cast<size_t>(written) : 0;
        }
        va_end(arguments);
    }

private:
    const char* gap() const { return length_ ? " " : ""; }
    void option(char letter) {
        if (now == part::options)
            write("%c", letter);
    }
    void number(part when, const char* prefix, const char* name, int64_t value) {
        if (now == when)
            write("%s%s%s=%lld", gap(), prefix, name, static_cast<long long>(value));
    }
    void columns(const char* name, int64_t ld) {
        const char lower[] = {static_cast<char>(name[0] - 'A' + 'a'), '\0'};
        number(part::distances, "ld", lower, ld);
    }
    void pointer(const char* name, const void* x) {
        if (now == part::pointers)
            write("%s%s=%p", gap(), name, x);
    }

    size_t length_ = 0;
};

template <class Problem>
description describe(Problem p) {
    describer list;
    using enum describer::part;
    for (const describer::part now : {options, sizes, distances, pointers}) {
        list.now = now;
        p.operands(list);
    }
    if constexpr (requires { p.epilogue; })
        if (!p.epilogue.is_empty())
            list.write(" fused");
    return list.words;
}

} // namespace myblas
