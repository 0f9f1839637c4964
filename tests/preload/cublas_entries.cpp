// Every row of the table of cuBLAS's entry points: its function is called with distinctive
// arguments, which must arrive in their places at libmyblas's function or at cuBLAS's. Both are
// stand-ins that record their arguments.
#include "common/call_log.h"
#include "common/report.h"
#include "cublas/entries.h"
#include "cublas/real_lt.h"
#include "expect.h"
#include "standin_library.h"

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace myblas::preload {
namespace {

// ---- Arguments ----------------------------------------------------------------------------------

using values = std::vector<uint64_t>;

template <class T>
uint64_t value_of(T argument) {
    if constexpr (std::is_pointer_v<T>)
        return reinterpret_cast<uint64_t>(argument);
    else
        return static_cast<uint64_t>(argument);
}

char memory[4096]; // that pointers point to

// An argument of the type, different for each position. Sizes of 64 bits do not fit in 32.
template <class T>
T distinctive(int place) {
    if constexpr (std::is_pointer_v<T>)
        return reinterpret_cast<T>(memory + 64 * place);
    else if constexpr (std::is_same_v<T, operation>)
        return static_cast<T>(1 + place % 2);
    else if constexpr (std::is_same_v<T, compute_type>)
        return compute_type::float_32;
    else if constexpr (std::is_same_v<T, data_type>)
        return data_type::real_32f;
    else if constexpr (std::is_enum_v<T>)
        return static_cast<T>(1);
    else
        return static_cast<T>((sizeof(T) == 8 ? int64_t{1} << 40 : 0) + 100 + place);
}

// libmyblas has no parameters for types, because it computes in FP32 alone.
template <class T>
constexpr bool is_cublas_only = std::is_same_v<T, compute_type> || std::is_same_v<T, data_type> ||
                                std::is_same_v<T, algorithm_type>;

// ---- Stand-ins ----------------------------------------------------------------------------------

struct arrival {
    std::string function;
    values arguments;
};
std::vector<arrival> arrivals;

myblasStatus_t own_status;
constexpr int cublas_status = 11; // what the stand-in for cuBLAS answers

void* const cublas_handle = memory + 8;
void* expected_handle = cublas_handle;
const auto own_handle = stand_in_handle();
int math_mode, pointer_mode;

template <entry which, bool is_64, class Function>
struct recorder;
template <entry which, bool is_64, class Result, class Handle, class... Arguments>
struct recorder<which, is_64, Result (*)(Handle, Arguments...)> {
    static inline std::string name;
    static Result record(Handle handle, Arguments... arguments) {
        const bool is_cublas = std::is_same_v<Handle, void*>;
        expect(static_cast<const void*>(handle) ==
                   (is_cublas ? expected_handle : static_cast<const void*>(own_handle)),
               name + ": another handle");
        arrivals.push_back({name, {value_of(arguments)...}});
        return static_cast<Result>(is_cublas ? cublas_status : own_status);
    }
};

struct stand_in {
    std::string name;
    void* function;
};

template <entry which, bool is_64, class Function>
stand_in make_stand_in(const char* name) {
    recorder<which, is_64, Function>::name = name;
    return {name, reinterpret_cast<void*>(recorder<which, is_64, Function>::record)};
}

// The stand-ins of both libraries, by name. Rows that share a function of libmyblas find the first
// row's.
const std::vector<stand_in>& stand_ins() {
#define TEXT(...) TEXT_OF(__VA_ARGS__)
#define TEXT_OF(...) #__VA_ARGS__
#define CUBLAS_ENTRY(name, routine, function, ...)                                                 \
    make_stand_in<entry::name, sizeof(SIZE) == 8, decltype(&SIZED(function))>(                     \
        TEXT(SIZED(function))),                                                                    \
        make_stand_in<entry::name, sizeof(SIZE) == 8, decltype(&SIZED(name))>(TEXT(SIZED(name))),
    static const std::vector<stand_in> all = {
#include "common/entries.inc"
#define MYBLAS_ENTRIES_64
#include "common/entries.inc"
#undef MYBLAS_ENTRIES_64
    };
#undef CUBLAS_ENTRY
    return all;
}

void* stand_in_for(std::string_view name) {
    for (const stand_in& s : stand_ins())
        if (s.name == name)
            return s.function;
    return nullptr;
}

// ---- Results of the calls -----------------------------------------------------------------------

struct reported {
    int routine = -1;
    bool was_served = false;
    std::string label;
} last_report;

constexpr char own_kernel[] = "recorder";
myblasRoutine_t asked_routine;

// ---- Each row -----------------------------------------------------------------------------------

std::string text_of(const values& list) {
    std::string text;
    for (const uint64_t v : list) {
        text += ' ';
        text += std::to_string(v);
    }
    return text;
}

void expect_arrival(const arrival& expected, const std::string& what) {
    expect(arrivals.size() == 1, what + ": " + std::to_string(arrivals.size()) + " calls arrived");
    if (arrivals.size() != 1)
        return;
    expect(arrivals[0].function == expected.function,
           what + ": arrived at " + arrivals[0].function);
    expect(arrivals[0].arguments == expected.arguments,
           what + ": got" + text_of(arrivals[0].arguments) + ", not" + text_of(expected.arguments));
}

struct row {
    const char *name, *function;
    entry which;
    myblasRoutine_t routine;
};

template <class... Parameters>
struct entry_test {
    const row r;
    int (*const call)(void*, Parameters...);

    template <size_t... places>
    void run(std::index_sequence<places...>) const {
        const auto attempt = [&] {
            arrivals.clear();
            last_report = {};
            return call(cublas_handle, distinctive<Parameters>(places)...);
        };
        const values all = {value_of(distinctive<Parameters>(places))...};
        values own;
        ((is_cublas_only<Parameters> ? void() : own.push_back(all[places])), ...);
        const auto forwarded = [&](const char* reason, const std::string& what) {
            const std::string where = std::string(r.name) + ", " + what;
            expect(attempt() == cublas_status, where + ": another status than cuBLAS's");
            expect_arrival({r.name, all}, where);
            expect(!last_report.was_served && last_report.label == reason,
                   where + ": the report says '" + last_report.label + "'");
        };

        own_status = MYBLAS_STATUS_SUCCESS;
        const std::string where = std::string(r.name) + ", served";
        expect(attempt() == 0, where + ": a status");
        expect_arrival({r.function, own}, where);
        expect(last_report.was_served && last_report.label == own_kernel &&
                   asked_routine == r.routine,
               where + ": the report says '" + last_report.label + "'");
        expect(last_report.routine == static_cast<int>(r.which),
               where + ": another routine in the report");

        math_mode = cublas_tf32_math;
        forwarded("the math mode allows TF32 or half", "TF32");
        math_mode = cublas_default_math;

        // A call that failed on the way may have written something: nobody computes it again.
        own_status = MYBLAS_STATUS_EXECUTION_FAILED;
        expect(attempt() == MYBLAS_STATUS_EXECUTION_FAILED, where + ", failed: another status");
        expect_arrival({r.function, own}, where + ", failed");

        // The calls that libmyblas refuses.
        own_status = MYBLAS_STATUS_NOT_SUPPORTED;
        arrivals.clear();
        expect(call(cublas_handle, distinctive<Parameters>(places)...) == cublas_status,
               std::string(r.name) + ", refused: another status than cuBLAS's");
        expect(arrivals.size() == 2 && arrivals[1].function == r.name &&
                   arrivals[1].arguments == all,
               std::string(r.name) + ", refused: cuBLAS does not get the arguments");
        own_status = MYBLAS_STATUS_SUCCESS;

        // Each of the types except FP32.
        const auto with_other = [&](auto otherwise, const char* reason) {
            using other = decltype(otherwise);
            for (size_t odd = 0; odd < sizeof...(Parameters); ++odd) {
                const auto pick = [&]<class T>(size_t place, T usual) {
                    if constexpr (std::is_same_v<T, other>)
                        return place == odd ? otherwise : usual;
                    else
                        return usual;
                };
                const values odd_values = {
                    value_of(pick(places, distinctive<Parameters>(places)))...};
                if (odd_values == all)
                    continue;
                arrivals.clear();
                call(cublas_handle, pick(places, distinctive<Parameters>(places))...);
                expect_arrival({r.name, odd_values}, std::string(r.name) + ", of another type");
                expect(last_report.label == reason,
                       std::string(r.name) + ", of another type: the report says '" +
                           last_report.label + "'");
            }
        };
        with_other(data_type{2}, "not all operands are of floats");
        with_other(compute_type{64}, "the compute type is not FP32");
    }
};

template <class... Parameters>
void test_entry(const row& r, int (*call)(void*, Parameters...)) {
    entry_test<Parameters...>{r, call}.run(std::index_sequence_for<Parameters...>{});
}

int test_all() {
    int count = 0;
#define CUBLAS_ENTRY(name, routine, function, ...)                                                 \
    test_entry({TEXT(SIZED(name)), TEXT(SIZED(function)), entry::name, MYBLAS_ROUTINE_##routine},  \
               &SIZED(name));                                                                      \
    ++count;
#include "common/entries.inc"
#define MYBLAS_ENTRIES_64
#include "common/entries.inc"
#undef MYBLAS_ENTRIES_64
#undef CUBLAS_ENTRY
    return count;
}

// ---- Rows with further rules --------------------------------------------------------------------

void expect_forwarded(const char* function, const char* reason) {
    expect(arrivals.size() == 1 && arrivals[0].function == function,
           std::string(function) + " was not forwarded");
    expect(last_report.label == reason,
           std::string(function) + ": the report says '" + last_report.label + "'");
    arrivals.clear();
}

void test_exceptions() {
    float x[4] = {}, result = 0;
    arrivals.clear();
    for (const int increment : {0, -1}) {
        cublasSnrm2_v2(cublas_handle, 4, x, increment, &result);
        expect_forwarded("cublasSnrm2_v2", "the increment is not positive");
        cublasNrm2Ex_64(cublas_handle,
                        4,
                        x,
                        data_type::real_32f,
                        increment,
                        &result,
                        data_type::real_32f,
                        data_type::real_32f);
        expect_forwarded("cublasNrm2Ex_64", "the increment is not positive");
    }
    pointer_mode = MYBLAS_POINTER_MODE_DEVICE;
    const operation plain = MYBLAS_OP_N;
    const int one = 1;
    const float* const in[] = {x};
    float* const out[] = {x};
    cublasSgemmGroupedBatched(cublas_handle,
                              &plain,
                              &plain,
                              &one,
                              &one,
                              &one,
                              x,
                              in,
                              &one,
                              in,
                              &one,
                              x,
                              out,
                              &one,
                              1,
                              &one);
    expect_forwarded("cublasSgemmGroupedBatched", "the scalars of groups are in device memory");
    pointer_mode = MYBLAS_POINTER_MODE_HOST;
    expected_handle = nullptr;
    cublasSscal_v2(nullptr, 4, x, x, 1);
    expect_forwarded("cublasSscal_v2", "the handle is NULL");
    expected_handle = cublas_handle;
}

std::vector<logged_call> log;

void expect_logged(const logged_call& wanted, const char* what) {
    expect(log.size() == 1 && log[0] == wanted,
           std::string(what) + " is not logged as it was made");
    log.clear();
}

void test_call_log() {
    float x[4] = {};
    log.clear();
    cublasSgemmStridedBatched_64(cublas_handle,
                                 MYBLAS_OP_T,
                                 MYBLAS_OP_N,
                                 20,
                                 30,
                                 40,
                                 x,
                                 x,
                                 41,
                                 900,
                                 x,
                                 42,
                                 1300,
                                 x,
                                 x,
                                 21,
                                 700,
                                 5);
    expect_logged({.routine = static_cast<int>(entry::cublasSgemmStridedBatched),
                   .transa = MYBLAS_OP_T,
                   .m = 20,
                   .n = 30,
                   .k = 40,
                   .lda = 41,
                   .ldb = 42,
                   .ldc = 21,
                   .batch = 5},
                  "a batch");
    cublasStrsm_v2(cublas_handle,
                   MYBLAS_SIDE_RIGHT,
                   MYBLAS_FILL_MODE_UPPER,
                   MYBLAS_OP_T,
                   MYBLAS_DIAG_UNIT,
                   30,
                   20,
                   x,
                   x,
                   22,
                   x,
                   31);
    expect_logged({.routine = static_cast<int>(entry::cublasStrsm_v2),
                   .side = MYBLAS_SIDE_RIGHT,
                   .uplo = MYBLAS_FILL_MODE_UPPER,
                   .transa = MYBLAS_OP_T,
                   .diag = MYBLAS_DIAG_UNIT,
                   .m = 30,
                   .n = 20,
                   .k = 20,
                   .lda = 22,
                   .ldb = 31},
                  "a solution");
    cublasSgemv_v2(cublas_handle, MYBLAS_OP_T, 50, 60, x, x, 52, x, 2, x, x, 3);
    expect_logged({.routine = static_cast<int>(entry::cublasSgemv_v2),
                   .transa = MYBLAS_OP_T,
                   .m = 50,
                   .n = 60,
                   .lda = 52,
                   .incx = 2,
                   .incy = 3},
                  "a matrix-vector product");
    cublasStrsv_v2(
        cublas_handle, MYBLAS_FILL_MODE_UPPER, MYBLAS_OP_T, MYBLAS_DIAG_UNIT, 9, x, 10, x, 2);
    expect_logged({.routine = static_cast<int>(entry::cublasStrsv_v2),
                   .uplo = MYBLAS_FILL_MODE_UPPER,
                   .transa = MYBLAS_OP_T,
                   .diag = MYBLAS_DIAG_UNIT,
                   .m = 9,
                   .n = 9,
                   .lda = 10,
                   .incx = 2,
                   .incy = 2},
                  "a triangular system");
    cublasSaxpy_v2(cublas_handle, 4, x, x, 2, x, 1);
    expect_logged(
        {.routine = static_cast<int>(entry::cublasSaxpy_v2), .n = 4, .incx = 2, .incy = 1}, "axpy");
    constexpr data_type half{2};
    cublasScalEx(cublas_handle, 4, x, half, x, half, 1, half);
    expect(log.empty(), "what is in half precision is not logged");
}

void test_report_names() {
    expect(std::strcmp(report_routines[static_cast<int>(entry::cublasSgemm_v2)], "Sgemm") == 0 &&
               std::strcmp(report_routines[static_cast<int>(entry::cublasGemmEx)], "GemmEx") == 0 &&
               report_routine_count == entry_count,
           "names in reports");
}

} // namespace

// Replaces library.cpp, real_cublas.cpp, real_lt.cpp and report.cpp.
const library* load_library() noexcept {
    static const library functions = [] {
        library l = stand_in_library();
        l.get_last_kernel = [](myblasHandle_t, myblasRoutine_t routine, const char** name) {
            asked_routine = routine;
            *name = own_kernel;
            return MYBLAS_STATUS_SUCCESS;
        };
        return l;
    }();
    return &functions;
}

void* library_function(const char* name) noexcept { return stand_in_for(name); }

const real_cublas& cublas_of(const void*) noexcept {
    return stand_in_cublas<&pointer_mode, &math_mode>();
}

void* real_cublas::function(entry, bool, const char* name, const void*) const noexcept {
    return stand_in_for(name);
}

const real_lt& lt_of(const void*) noexcept {
    static const real_lt none{};
    return none;
}

namespace report {
bool is_on() noexcept { return true; }
void add(int routine, const extents&, bool was_served, const char* label, uint64_t) noexcept {
    last_report = {routine, was_served, label};
}
uint64_t now_ns() noexcept { return 0; }
} // namespace report

namespace call_log {
bool is_on() noexcept { return true; }
void add(const logged_call& call) noexcept { log.push_back(call); }
} // namespace call_log

} // namespace myblas::preload

int main() {
    using namespace myblas::preload;
    const int count = test_all();
    constexpr int least_count = 80; // all rows, most in two forms
    expect(count >= least_count, "only " + std::to_string(count) + " entries");
    test_exceptions();
    test_call_log();
    test_report_names();
    return failures > 0;
}
