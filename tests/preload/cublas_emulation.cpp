// cublas_emulation FP32 EMULATED: checks the math mode in which libmyblas computes a call. A
// program can ask cuBLAS for emulated FP32, or for FP32 without emulation, in several ways; the
// test makes a call in each of them. FP32 and EMULATED name the modes expected in this environment
// for the two kinds of calls. Both libraries are stand-ins.
#include "common/call_log.h"
#include "common/report.h"
#include "cublas/entries.h"
#include "cublas/lt.h"
#include "cublas/real_lt.h"
#include "expect.h"
#include "standin_library.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace myblas::preload {
namespace {

// ---- Stand-ins ----------------------------------------------------------------------------------

constexpr int good = 0, not_supported = 15;
constexpr int forwarded_status = 11; // of a call that arrived at cuBLAS

int pointer_mode = MYBLAS_POINTER_MODE_HOST, math_mode = 0; // of the cuBLAS handle
int arch = 90;                                              // of the GPU; 0: none
myblasMath_t mode;                                          // of libmyblas's handle
myblasMath_t computed_in;
std::string last_label;

// Takes the place of every function of libmyblas that computes.
myblasStatus_t compute() {
    computed_in = mode;
    return MYBLAS_STATUS_SUCCESS;
}
int forward() { return forwarded_status; }

myblasMath_t mode_of(std::string_view name) {
    return name == "fast"       ? MYBLAS_FP32_FAST_MATH
           : name == "emulated" ? MYBLAS_FP32_EMULATED_MATH
                                : MYBLAS_FP32_STRICT_MATH;
}

myblasMath_t own_mode() {
    const char* const chosen = std::getenv("MYBLAS_MATH");
    return mode_of(chosen ? chosen : "strict");
}

// An operation descriptor of the stand-in cublasLt: the number of the format, the compute type, the
// emulation descriptor, the epilogue and the bias. All other attributes have their defaults.
constexpr uint64_t format = 6;
struct operation_words {
    uint64_t words[32] = {format};
    explicit operation_words(int compute, uint64_t emulation = 0, uint64_t epilogue = 1) {
        words[1] = static_cast<uint64_t>(compute);
        words[2] = emulation;
        words[3] = epilogue;
    }
};
constexpr uint64_t one_by_one[8] = {};

int get_operation(const void* d, int attribute, void* value, size_t bytes, size_t*) {
    constexpr int compute = 0, fill = 6, epilogue = 7, bias = 8, emulation = 38;
    const auto* const words = static_cast<const uint64_t*>(d);
    uint64_t answer = 0;
    if (attribute == compute)
        answer = words[1];
    else if (attribute == emulation)
        answer = words[2];
    else if (attribute == fill)
        answer = 2;
    else if (attribute == epilogue)
        answer = words[3];
    else if (attribute == bias)
        answer = words[4];
    std::memcpy(value, &answer, bytes);
    return good;
}

int set_operation(void* d, int attribute, const void* value, size_t bytes) {
    constexpr int compute = 0, bias = 8;
    expect((attribute == compute && bytes == 4) || (attribute == bias && bytes == 8),
           "an attribute other than the compute type and the bias is set");
    std::memcpy(static_cast<uint64_t*>(d) + (attribute == bias ? 4 : 1), value, bytes);
    return good;
}

int get_layout(const void*, int attribute, void* value, size_t bytes, size_t*) {
    constexpr int rows = 2, batch_count = 5;
    const uint64_t answer = attribute >= rows && attribute <= batch_count;
    std::memcpy(value, &answer, bytes);
    return good;
}

// ---- Calls --------------------------------------------------------------------------------------

void* const handle = &arch;
float x[1] = {1};
constexpr auto plain = MYBLAS_OP_N;
constexpr auto real = data_type::real_32f;

int sgemm() { return cublasSgemm_v2(handle, plain, plain, 1, 1, 1, x, x, 1, x, 1, x, x, 1); }
int ssyrk() {
    return cublasSsyrk_v2(handle, MYBLAS_FILL_MODE_LOWER, plain, 1, 1, x, x, 1, x, x, 1);
}
int strsm() {
    return cublasStrsm_v2(handle,
                          MYBLAS_SIDE_LEFT,
                          MYBLAS_FILL_MODE_LOWER,
                          plain,
                          MYBLAS_DIAG_UNIT,
                          1,
                          1,
                          x,
                          x,
                          1,
                          x,
                          1);
}

constexpr algorithm_type any{-1};
int gemm_ex(compute_type c) {
    return cublasGemmEx(
        handle, plain, plain, 1, 1, 1, x, x, real, 1, x, real, 1, x, x, real, 1, c, any);
}
int gemm_ex_64(compute_type c) {
    return cublasGemmEx_64(
        handle, plain, plain, 1, 1, 1, x, x, real, 1, x, real, 1, x, x, real, 1, c, any);
}
int gemm_strided_batched_ex(compute_type c) {
    return cublasGemmStridedBatchedEx(handle,
                                      plain,
                                      plain,
                                      1,
                                      1,
                                      1,
                                      x,
                                      x,
                                      real,
                                      1,
                                      1,
                                      x,
                                      real,
                                      1,
                                      1,
                                      x,
                                      x,
                                      real,
                                      1,
                                      1,
                                      1,
                                      c,
                                      any);
}
const void* const in[] = {x};
void* const out[] = {x};
int gemm_batched_ex(compute_type c) {
    return cublasGemmBatchedEx(
        handle, plain, plain, 1, 1, 1, x, in, real, 1, in, real, 1, x, out, real, 1, 1, c, any);
}
int gemm_grouped_batched_ex(compute_type c) {
    const int one = 1;
    return cublasGemmGroupedBatchedEx(handle,
                                      &plain,
                                      &plain,
                                      &one,
                                      &one,
                                      &one,
                                      x,
                                      in,
                                      real,
                                      &one,
                                      in,
                                      real,
                                      &one,
                                      x,
                                      out,
                                      real,
                                      &one,
                                      1,
                                      &one,
                                      c);
}

int lt_matmul(const operation_words& operation) {
    return cublasLtMatmul(handle,
                          operation.words,
                          x,
                          x,
                          one_by_one,
                          x,
                          one_by_one,
                          x,
                          x,
                          one_by_one,
                          x,
                          one_by_one,
                          nullptr,
                          nullptr,
                          0,
                          nullptr);
}

// The next call makes a new handle of libmyblas.
void forget_handles() {
    shadow::forget(handle);
    shadow::forget(lt_owner(handle));
}

// ---- Expectations -------------------------------------------------------------------------------

enum : int {
    default_math = 0,
    tensor_op_math = 1,
    pedantic_math = 2,
    tf32_math = 3,
    emulated_math = 4,     // CUBLAS_FP32_EMULATED_BF16X9_MATH
    emulated_fp64 = 8,     // CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH
    disallow_reduced = 16, // CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION
};
constexpr compute_type half{64}, fast_16f{74}, double_emulated{79};

myblasMath_t fp32_mode, emulated_mode; // expected in this environment

myblasMath_t mode_for(arithmetic asked) {
    return asked == arithmetic::emulated   ? emulated_mode
           : asked == arithmetic::pedantic ? own_mode()
                                           : fp32_mode;
}

void expect_served(int status, arithmetic asked, const std::string& what) {
    expect(status == good, what + ": not served: " + last_label);
    expect(computed_in == mode_for(asked),
           what + ": computed in mode " + std::to_string(computed_in) + ", not " +
               std::to_string(mode_for(asked)));
}

void expect_forwarded(int status, const std::string& reason, const std::string& what) {
    expect(status == forwarded_status, what + ": not forwarded");
    expect(last_label == reason, what + ": the report says '" + last_label + "'");
}

constexpr struct {
    int mode;
    arithmetic asked;
} maths[] = {
    {default_math, arithmetic::fp32},
    {pedantic_math, arithmetic::pedantic},
    {emulated_math, arithmetic::emulated},
    {emulated_math | disallow_reduced, arithmetic::emulated},
    {emulated_math | emulated_fp64, arithmetic::emulated},
    {emulated_math | emulated_fp64 | disallow_reduced, arithmetic::emulated},
    {emulated_fp64, arithmetic::fp32},
    {disallow_reduced, arithmetic::fp32},
};

void test_math_modes() {
    for (const auto& m : maths) {
        math_mode = m.mode;
        const std::string what = "math mode " + std::to_string(m.mode);
        expect_served(sgemm(), m.asked, what + ", Sgemm");
        expect_served(ssyrk(), m.asked, what + ", Ssyrk");
        expect_served(strsm(), m.asked, what + ", Strsm");
    }
    for (const int odd :
         {int{tensor_op_math}, int{tf32_math}, emulated_math | 1, emulated_math | 3}) {
        math_mode = odd;
        expect_forwarded(
            sgemm(), "the math mode allows TF32 or half", "math mode " + std::to_string(odd));
    }
    math_mode = default_math;
}

void test_compute_types() {
    constexpr struct {
        int (*make)(compute_type);
        const char* name;
    } calls[] = {{gemm_ex, "GemmEx"},
                 {gemm_ex_64, "GemmEx_64"},
                 {gemm_strided_batched_ex, "GemmStridedBatchedEx"},
                 {gemm_batched_ex, "GemmBatchedEx"},
                 {gemm_grouped_batched_ex, "GemmGroupedBatchedEx"}};
    for (const auto& call : calls) {
        for (const auto& m : maths) {
            math_mode = m.mode;
            const std::string what =
                std::string(call.name) + ", math mode " + std::to_string(m.mode);
            // CUBLAS_COMPUTE_32F leaves the arithmetic to the math mode.
            expect_served(call.make(compute_type::float_32), m.asked, what + ", 32F");
            expect_served(call.make(compute_type::float_32_pedantic),
                          arithmetic::pedantic,
                          what + ", PEDANTIC");
            expect_served(
                call.make(compute_type::emulated_16bfx9), arithmetic::emulated, what + ", 16BFX9");
            for (const compute_type other : {half, fast_16f, double_emulated})
                expect_forwarded(call.make(other), "the compute type is not FP32", what);
        }
        math_mode = tf32_math;
        expect_served(call.make(compute_type::emulated_16bfx9),
                      arithmetic::emulated,
                      std::string(call.name) + ", 16BFX9 where the math mode allows TF32");
        expect_forwarded(call.make(compute_type::float_32),
                         "the math mode allows TF32 or half",
                         std::string(call.name) + ", 32F where the math mode allows TF32");
        math_mode = default_math;
    }
}

void test_lt() {
    for (const uint64_t emulation : {uint64_t{0}, uint64_t{0x1000}}) {
        const std::string what = emulation ? "LtMatmul with an emulation descriptor" : "LtMatmul";
        expect_served(lt_matmul(operation_words(68, emulation)), arithmetic::fp32, what + ", 32F");
        expect_served(
            lt_matmul(operation_words(69, emulation)), arithmetic::pedantic, what + ", PEDANTIC");
        expect_served(
            lt_matmul(operation_words(78, emulation)), arithmetic::emulated, what + ", 16BFX9");
        expect_forwarded(
            lt_matmul(operation_words(79, emulation)), "the compute type is not FP32", what);
    }
    // The math mode of a handle does not apply to cublasLt.
    math_mode = emulated_math;
    expect_served(lt_matmul(operation_words(68)), arithmetic::fp32, "LtMatmul, emulated mode");
    math_mode = default_math;
}

// cuBLAS has FP32 emulation for GPUs of compute capability 10.0 and 10.3, where libmyblas has none.
void test_gpus() {
    for (const int gpu : {0, 80, 89, 90, 100, 103, 120}) {
        forget_handles();
        arch = gpu;
        const bool is_cublas =
            (gpu == 100 || gpu == 103) && !std::getenv("MYBLAS_MATH"); // where cuBLAS emulates
        for (const auto& m : maths) {
            math_mode = m.mode;
            const std::string what =
                "GPU " + std::to_string(gpu) + ", math mode " + std::to_string(m.mode);
            if (is_cublas && mode_for(m.asked) == MYBLAS_FP32_EMULATED_MATH)
                expect_forwarded(sgemm(), "cuBLAS emulates FP32 on this GPU", what);
            else
                expect_served(sgemm(), m.asked, what);
        }
    }
    forget_handles();
    arch = 90;
    math_mode = default_math;
}

// ---- Heuristics of cublasLt ---------------------------------------------------------------------

int heuristic_calls = 0, asked_compute = 0, refused_compute = 0, refusal = 0;
bool asked_with_bias = false;

int ask_heuristic(void*,
                  const void* operation,
                  const void*,
                  const void*,
                  const void*,
                  const void*,
                  const void*,
                  int,
                  void*,
                  int* count) {
    ++heuristic_calls;
    size_t written = 0;
    get_operation(operation, 0, &asked_compute, sizeof asked_compute, &written);
    void* bias = nullptr;
    get_operation(operation, 8, &bias, sizeof bias, &written);
    asked_with_bias = bias;
    const bool refuses = asked_compute == refused_compute;
    *count = !refuses;
    return refuses ? refusal : good;
}

void test_heuristic() {
    const auto ask = [](const operation_words& operation, int* count) {
        heuristic_calls = 0;
        return cublasLtMatmulAlgoGetHeuristic(handle,
                                              operation.words,
                                              one_by_one,
                                              one_by_one,
                                              one_by_one,
                                              one_by_one,
                                              nullptr,
                                              1,
                                              x,
                                              count);
    };
    int count = 0;
    const operation_words emulated(78, 0x1000);
    refused_compute = 0;
    expect(ask(emulated, &count) == good && heuristic_calls == 1 && asked_compute == 78,
           "a heuristic with an answer is asked once");
    for (const int how : {not_supported, good}) {
        refused_compute = 78;
        refusal = how;
        expect(ask(emulated, &count) == good && count == 1 && asked_compute == 68,
               "where cublasLt has no algorithm for emulation, it is asked for one of FP32");
        expect(emulated.words[1] == 78, "the program's descriptor is changed");
        for (const int compute : {68, 79}) { // not emulated; not in FP32
            refused_compute = compute;
            expect(ask(operation_words(compute), &count) == how && heuristic_calls == 1 &&
                       count == 0,
                   "a refusal of compute type " + std::to_string(compute) + " is passed on");
        }
    }
    refused_compute = 78;
    refusal = not_supported;
    constexpr int with_bias = 4;
    const operation_words biased(78, 0, with_bias);
    expect(ask(biased, &count) == good && asked_compute == 68 && !asked_with_bias,
           "a bias may be set after the heuristic was asked");
    const bool emulates = mode_for(arithmetic::emulated) == MYBLAS_FP32_EMULATED_MATH;
    forget_handles();
    arch = 100;
    if (emulates && !std::getenv("MYBLAS_MATH"))
        expect(ask(emulated, &count) == not_supported && heuristic_calls == 1,
               "where cuBLAS emulates, its refusal is passed on: the call would be forwarded");
    else
        expect(ask(emulated, &count) == good && asked_compute == 68,
               "cuBLAS is asked again although libmyblas computes the call");
    forget_handles();
    arch = 90;
    constexpr int invalid_value = 7;
    refusal = invalid_value;
    expect(ask(emulated, &count) == invalid_value && heuristic_calls == 1, "errors are passed on");
}

} // namespace

// Stand-ins for library.cpp, real_cublas.cpp, real_lt.cpp and report.cpp.
const library* load_library() noexcept {
    static const library functions = [] {
        library l = stand_in_library();
        l.create_on = [](myblasHandle_t* created, myblasBackend_t) {
            *created = stand_in_handle();
            mode = own_mode();
            return MYBLAS_STATUS_SUCCESS;
        };
        l.get_math_mode = [](myblasHandle_t, myblasMath_t* m) {
            *m = mode;
            return MYBLAS_STATUS_SUCCESS;
        };
        l.set_math_mode = [](myblasHandle_t, myblasMath_t m) {
            mode = m;
            return MYBLAS_STATUS_SUCCESS;
        };
        l.get_device = [](myblasHandle_t, myblasDevice_t* device) {
            if (device->size_bytes != sizeof *device)
                return MYBLAS_STATUS_INVALID_VALUE;
            device->arch = arch;
            return arch ? MYBLAS_STATUS_SUCCESS : MYBLAS_STATUS_NOT_SUPPORTED;
        };
        return l;
    }();
    return &functions;
}

void* library_function(const char*) noexcept { return reinterpret_cast<void*>(compute); }

const real_cublas& cublas_of(const void*) noexcept {
    return stand_in_cublas<&pointer_mode, &math_mode>();
}

void* real_cublas::function(entry, bool, const char*, const void*) const noexcept {
    return reinterpret_cast<void*>(forward);
}

const real_lt& lt_of(const void*) noexcept {
    static const real_lt all = {.matmul = reinterpret_cast<void*>(forward),
                                .destroy = nullptr,
                                .get_heuristic = reinterpret_cast<void*>(ask_heuristic),
                                .set_matmul_attribute = set_operation,
                                .get_matmul_attribute = get_operation,
                                .get_layout_attribute = get_layout,
                                .major = 13};
    return all;
}

namespace report {
bool is_on() noexcept { return true; }
void add(int, const extents&, bool, const char* label, uint64_t) noexcept { last_label = label; }
uint64_t now_ns() noexcept { return 0; }
} // namespace report

namespace call_log {
bool is_on() noexcept { return false; }
void add(const logged_call&) noexcept {}
} // namespace call_log

} // namespace myblas::preload

int main(int count, char** arguments) {
    using namespace myblas::preload;
    if (count != 3)
        return 2;
    fp32_mode = mode_of(arguments[1]);
    emulated_mode = mode_of(arguments[2]);
    test_math_modes();
    test_compute_types();
    test_lt();
    test_gpus();
    test_heuristic();
    return failures > 0;
}
