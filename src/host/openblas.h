// OpenBLAS, found at run time; shared by the host kernels named `openblas`.
//
// The library is loaded when a problem first asks for such a kernel, by fixed sonames and into a
// separate scope. The program does not get its symbols, and keeps its own BLAS. (OpenBLAS, like any
// library, uses symbols that the program exports.) OpenBLAS stays loaded, because its threads keep
// running.
//
// An OpenBLAS built on OpenMP is not used in a child of the process that loaded it. The runtime's
// threads do not survive fork(), and OpenBLAS would wait for them for ever. An OpenBLAS built on
// pthreads restarts its own.
#pragma once

#include "core/kernel_entry.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <sys/types.h>
#include <type_traits>

namespace myblas::host {

// Whether y is filled with beta first, and passed with a beta of 1. Some versions of OpenBLAS read
// y if beta is zero (OpenBLAS #929), and take NaN for zero.
inline bool overwrites(float beta) { return beta == 0 || beta != beta; }

// Values of the CBLAS interface, by the flags of problems.
enum class cblas_transpose : int { no = 111, yes = 112 };
enum class cblas_upper : int { no = 122, yes = 121 };
enum class cblas_unit : int { no = 131, yes = 132 };
enum class cblas_right : int { no = 141, yes = 142 };

// A function of CBLAS, of matrices by columns.
template <class... Arguments>
struct cblas_function {
    void (*function)(int order, Arguments...) = nullptr; // null: it cannot be used, or is missing

    explicit operator bool() const { return function != nullptr; }
    template <class... Given>
    myblasStatus_t operator()(Given... given) const {
        constexpr int column_major = 102;
        function(column_major, convert<Arguments>(given)...);
        return MYBLAS_STATUS_SUCCESS;
    }

private:
    template <class Argument, class Given>
    static Argument convert(Given given) {
        if constexpr (std::is_enum_v<Argument>)
            return given ? Argument::yes : Argument::no;
        else
            return static_cast<Argument>(given); // sizes are narrowed: fit_int has checked them
    }
};

struct openblas_library {
    using input = const float*;
    using output = float*;
    using op = cblas_transpose;
    // clang-format off
    using triangle_function = cblas_function<cblas_right, cblas_upper, op, cblas_unit, int, int,
                                             float, input, int, output, int>;
    using triangular_function =
        cblas_function<cblas_upper, op, cblas_unit, int, input, int, output, int>;
    cblas_function<op, op, int, int, int, float, input, int, input, int, float, output, int> sgemm;
    cblas_function<cblas_upper, op, int, int, float, input, int, float, output, int> ssyrk;
    cblas_function<cblas_upper, op, int, int, float, input, int, input, int, float, output, int>
        ssyr2k;
    cblas_function<cblas_right, cblas_upper, int, int, float, input, int, input, int, float, output,
                   int> ssymm;
    triangle_function strmm, strsm;
    // Level 2
    cblas_function<op, int, int, float, input, int, input, int, float, output, int> sgemv;
    cblas_function<cblas_upper, int, float, input, int, input, int, float, output, int> ssymv;
    cblas_function<cblas_upper, int, float, input, int, output, int> ssyr;
    cblas_function<cblas_upper, int, float, input, int, input, int, output, int> ssyr2;
    triangular_function strmv, strsv;
    // clang-format on
    bool uses_openmp = false;
    pid_t loaded_by = 0;

    bool is_usable() const;
};

const openblas_library& openblas();

// Whether int holds each size and its negative.
inline bool fit_int(std::initializer_list<int64_t> sizes) {
    constexpr int64_t most = std::numeric_limits<int>::max();
    return std::max(sizes) <= most && std::min(sizes) >= -most;
}

// Whether OpenBLAS finds the first element of a vector that runs backwards: it computes the offset
// as an int.
inline bool is_within_reach(int64_t n, int64_t increment) {
    return increment > 0 || fit_int({(n - 1) * increment});
}

// Whether the function exists and may be called.
template <class Function>
bool is_usable(const Function& function) {
    return function && openblas().is_usable();
}

template <class Problem>
constexpr kernel_entry<Problem> by_openblas(bool (*accepts)(const Problem&, const device_info&),
                                            myblasStatus_t (*launch)(const Problem&,
                                                                     const launch_context&)) {
    return {
        .name = "openblas",
        .description = "OpenBLAS, where it is installed",
        .deterministic = false, // OpenBLAS does not promise it
        .accepts = accepts,
        .launch = launch,
    };
}

// The lowest address of a vector with element 0 at x, where BLAS expects the vector.
template <class T>
T* lowest(T* x, int64_t n, int64_t increment) {
    return increment < 0 ? x + (n - 1) * increment : x;
}

} // namespace myblas::host
