// A program's use of cublasLt, as a library that host.c loads: a product of one element.
#include <cstddef>
#include <cstdint>

extern "C" {
int toy_lt_calls();
int cublasLtDestroy(void*);
int cublasLtMatmulAlgoGetHeuristic(void*,
                                   const uint64_t*,
                                   const uint64_t*,
                                   const uint64_t*,
                                   const uint64_t*,
                                   const uint64_t*,
                                   const void*,
                                   int,
                                   void*,
                                   int*);
int cublasLtMatmul(void*,
                   const uint64_t*,
                   const float*,
                   const float*,
                   const uint64_t*,
                   const float*,
                   const uint64_t*,
                   const float*,
                   const float*,
                   const uint64_t*,
                   float*,
                   const uint64_t*,
                   const void*,
                   void*,
                   size_t,
                   void*);
}

namespace {

constexpr uint64_t format = 6, full = 2, plain = 1;          // words of an operation's descriptor
constexpr uint64_t column_of_one[8] = {0, 0, 1, 1, 1, 1, 0}; // floats, 1 x 1, one of them
char handle;

// The number of calls that reached the toy library; -1: a result was wrong.
int multiply(uint64_t compute_type) {
    const uint64_t operation[32] = {format, compute_type, 0, 0, 0, 0, 0, full, plain};
    const float alpha = 2, beta = 0, a = 3, b = 5;
    float d = 0;
    const int before = toy_lt_calls();
    const int status = cublasLtMatmul(&handle,
                                      operation,
                                      &alpha,
                                      &a,
                                      column_of_one,
                                      &b,
                                      column_of_one,
                                      &beta,
                                      nullptr,
                                      column_of_one,
                                      &d,
                                      column_of_one,
                                      nullptr,
                                      nullptr,
                                      0,
                                      nullptr);
    return status == 0 && d == 30 ? toy_lt_calls() - before : -1;
}

constexpr uint64_t fp32 = 68, tf32 = 77, emulated = 78;

} // namespace

extern "C" {
int plugin_served() { return multiply(fp32) == 0; }
int plugin_forwarded() { return multiply(fp32) == 1; }
// The heuristic, too, has to succeed.
int plugin_emulated() {
    const uint64_t operation[32] = {format, emulated, 0, 0, 0, 0, 0, full, plain};
    int count = 0;
    const int status = cublasLtMatmulAlgoGetHeuristic(&handle,
                                                      operation,
                                                      column_of_one,
                                                      column_of_one,
                                                      column_of_one,
                                                      column_of_one,
                                                      nullptr,
                                                      1,
                                                      nullptr,
                                                      &count);
    return status == 0 && count == 1 && multiply(emulated) == 0;
}
int plugin_tf32() { return multiply(tf32) == 1; }
int plugin_tf32_served() { return multiply(tf32) == 0; }
int plugin_end() { return cublasLtDestroy(&handle) == 0; }
}
