// What the test does while calls fail.
#pragma once

#include "faults/standin.h"
#include "myblas/myblas.h"
#include "myblas/myblas_kernels.h"

#include <array>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace faults {

// Memory of the program that the calls use. What the library's host side could write is in `host`.
struct operands {
    static constexpr size_t device_bytes = size_t{64} << 30;
    static constexpr size_t host_bytes = 1 << 16;

    std::array<unsigned char, host_bytes> host; // as after reset_host()
    unsigned char* device = nullptr;            // of standin::device()

    void reset_host();
    bool is_host_unchanged() const;
};

// The state of a program between its calls.
struct world {
    operands* memory = nullptr;
    myblasHandle_t handle = nullptr, second = nullptr;
    cudaStream_t stream = nullptr, other_stream = nullptr;
    cudaGraph_t graph = nullptr;
    bool is_capturing = false; // `stream`
    void* made = nullptr;      // what the call made
    size_t bytes = 0;
};

// Handles of the library that must succeed; end the process otherwise.
myblasHandle_t make_handle(myblasBackend_t backend = MYBLAS_BACKEND_CUDA);
#define REQUIRE_OK(call) faults::require_ok((call), #call)
void require_ok(myblasStatus_t status, const char* what);

using statuses = std::set<myblasStatus_t>;

struct scenario {
    std::string name;
    std::set<std::string> functions; // that `act` or the rest call
    standin::machine machine;
    std::function<void(world&)> setup; // without failures, before
    std::function<myblasStatus_t(world&)> act;
    statuses failures;                   // that the header documents for act
    std::function<void(world&)> cleanup; // without failures, after
    // In place of `failures`: the statuses for an error of a call. May be empty.
    std::function<statuses(cudaError_t, const std::string& call)> failures_of;
    bool is_cold = false;     // each run is in a new process
    int parts = 1, part = 0;  // in the short form only call part, part + parts and so on fail
    bool is_host = false;     // it uses no CUDA
    bool sets_device = true;  // act fails if the handle's device cannot be current
    bool writes_host = false; // the host writes results in host memory
    myblasStatus_t answer = MYBLAS_STATUS_SUCCESS; // of act without failures
    bool gives_up = false; // a failed act cannot be repeated, as that of a destroyed handle
    bool may_be_unreachable = false; // act may answer NOT_SUPPORTED: then nothing is tested
};

void add_calls(std::vector<scenario>& all,
               bool is_long); // calls.cpp: every function of functions.h
void add_kernels(std::vector<scenario>& all, bool is_long); // calls.cpp: every kernel
void add_others(std::vector<scenario>& all);                // scenarios.cpp: all other functions

// Runs the scenario without failures, and says what is wrong on the way. Answers the status of act.
myblasStatus_t run_once(const scenario&);

// processes.cpp: situations in which no single call fails. Each runs in its own process. run()
// returns what is wrong; empty: nothing.
struct situation {
    const char* name;
    std::string (*run)(const std::vector<scenario>&);
};
std::vector<situation> situations();

} // namespace faults
