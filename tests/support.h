// Shared by the tests, which use the public headers alone: handles on both backends, operands in
// device memory between canaries, data, and child processes.
#pragma once

#define _GNU_SOURCE // fork, mmap, setenv, dlopen's flags

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "myblas/myblas.h"
#include "myblas/myblas_kernels.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define assert_status(expected, call) assert_int_equal((call), MYBLAS_STATUS_##expected)
#define assert_ok(call) assert_status(SUCCESS, call)

// ---- Backends -----------------------------------------------------------------------------------

// Runs a group of tests once on each backend. If the cuda backend has no device, its tests are
// skipped, or fail with MYBLAS_TEST_REQUIRE_GPU=1.
#define RUN_ON_BACKENDS(name, tests)                                                               \
    (cmocka_run_group_tests_name(name " on host", tests, setup_host, teardown_backend) +           \
     cmocka_run_group_tests_name(name " on cuda", tests, setup_cuda, teardown_backend))

int setup_host(void** state);
int setup_cuda(void** state);
int teardown_backend(void** state);

// The group's handle, reset: host pointer mode, null stream, nothing forced. Skips the test if the
// backend is not available.
myblasHandle_t require_handle(void** state);

myblasBackend_t backend_of(myblasHandle_t handle);

// Whether this process uses few and small shapes only (MYBLAS_TEST_REDUCED=1), as under
// compute-sanitizer. Operands then end where their allocation ends.
bool reduced(void);

// Whether each kernel runs in each form only a few times (MYBLAS_TEST_REDUCED=2), as under
// racecheck, which takes long for every launch. Tests of the host backend are skipped then, and
// reduced() is true as well.
bool minimal(void);

// Whether to skip a case: in reduced mode, all except a random one in `keep_one_in`; in minimal
// mode, one in twice as many.
bool left_out(unsigned keep_one_in);

// Skips the rest of a test that forks in reduced mode, because tools cannot follow its children.
void skip_under_tools(void);

// Removes the variables that the library reads, so that the caller's environment has no effect.
void clear_environment(void);

// ---- Kernels ------------------------------------------------------------------------------------

int kernel_count(myblasHandle_t handle, myblasRoutine_t routine);
myblasKernelInfo_t kernel_info(myblasHandle_t handle, myblasRoutine_t routine, int index);

// Whether a kernel is in a list of kernels and families, separated by blanks. NULL is in no list.
bool is_one_of(const char* kernel, const char* accepted);

// Whether this process does a part of the test: a kernel, by its name, or the rest (NULL). With
// MYBLAS_TEST_SHARD=2/8, it is the third of eight processes that divide the parts of all tests.
// Parts are numbered as they appear, so that those of a family, which take long together, go to
// different processes.
bool is_in_share(const char* part);

// Whether to test a kernel, by its name. With MYBLAS_TEST_KERNELS="tf32x3/* gemv", only kernels
// that one of these patterns matches (* and ?) are tested, and nothing that belongs to no kernel.
bool is_wanted(const char* kernel);

// Whether this process does the whole test, without other processes, and with all kernels.
bool is_whole_test(void);

// After this call, parts with names that have appeared are new parts. require_handle() calls it.
void divide_anew(void);

// Skips the test in all processes that divide the tests, except for one.
void skip_outside_share(void);

// Whether the handle's device is among the kernel's architectures.
bool device_has_kernel(myblasHandle_t handle, const myblasKernelInfo_t* info);

// The same, and the kernel is wanted and in this process's share.
bool kernel_fits_device(myblasHandle_t handle, const myblasKernelInfo_t* info);

// Asserts that the last call of the routine took the kernel.
void assert_last_kernel(myblasHandle_t handle, myblasRoutine_t routine, const char* name);

myblasCall_t empty_call(myblasRoutine_t routine);

// Lends the handle exactly the workspace that the call needs, filled with NaN, between guards that
// operand_download checks. Returns whether the call needs any.
struct operand;
bool lend_poisoned_workspace(myblasHandle_t handle,
                             const myblasCall_t* call,
                             struct operand* workspace);

// ---- Operands -----------------------------------------------------------------------------------

// Device memory that holds one operand between guards. All of it starts as bytes 0xFF, which are
// NaN as float and as double. On the host backend, the operand ends where its mapping ends, apart
// from up to 15 bytes of guard for its alignment, so that an access past the end faults.
struct operand {
    myblasHandle_t handle;
    unsigned char* memory; // device memory
    size_t capacity;       // bytes of it
    size_t begin;          // of the operand in memory
    size_t bytes;          // of the operand
    size_t front, back;    // bytes of guard
    unsigned char* sent;   // host copy of what was uploaded: front, operand, back
    unsigned char* found;  // what the last download brought
    size_t host_capacity;
};

struct operand operand_create(myblasHandle_t handle);
void operand_destroy(struct operand* o);

// Gives the operand a size and an address that is misalignment bytes past a multiple of 16. Returns
// host memory to fill before operand_upload. Memory that is not filled stays NaN.
void* operand_place(struct operand* o, size_t bytes, size_t misalignment);
void operand_upload(struct operand* o);
void* operand_device(const struct operand* o);

// Copies the operand back and asserts that the guards are untouched.
void* operand_download(struct operand* o);

// Asserts that nothing of the operand was written.
void operand_assert_unchanged(struct operand* o);

// Asserts on the downloaded operand that the padding between the columns of a matrix is untouched.
void operand_assert_padding(
    const struct operand* o, int64_t rows, int64_t cols, int64_t ld, size_t element_bytes);

// Bytes of a matrix whose last column has no padding.
size_t matrix_bytes(int64_t rows, int64_t cols, int64_t ld, size_t element_bytes);

// The values that were uploaded to the operand.
const float* sent(const struct operand* o);

// The number of floats from the first to the last element of a vector, and the offset of its
// element i.
size_t span(int64_t n, int64_t inc);
int64_t position(int64_t i, int64_t n, int64_t inc);

// ---- Data ---------------------------------------------------------------------------------------

void random_seed(uint64_t seed);
uint64_t random_bits(void);
int64_t random_between(int64_t low, int64_t high); // both inclusive
float random_float(void);                          // uniform in [-1, 1)
float random_integer(void);                        // -3 ... 3

#define UNIT_ROUNDOFF 0x1p-24
#define SMALLEST_SUBNORMAL 0x1p-149

// ---- Child processes ----------------------------------------------------------------------------

// A part of a test that needs a separate process: `--scenario NAME` runs it.
struct scenario {
    const char* name;
    void (*run)(void);
};

// Runs the scenario that the command line asks for, if any, and ends the process.
void run_requested_scenario(int argc, char** argv, const struct scenario* scenarios, size_t count);

// Runs a scenario in a new process of this program, with "NAME=VALUE" strings (up to NULL) added to
// an environment without MYBLAS_ variables, and asserts that it succeeds.
void assert_scenario(const char* name, const char* const* environment);

// The same with another program and its arguments (up to NULL).
void assert_program(const char* program,
                    const char* const* arguments,
                    const char* const* environment);

// Whether a file whose name contains the text is mapped into this process.
bool is_mapped(const char* text);

// For children made by fork(), which must not return into CMocka: leaves with status 1.
#define CHILD_CHECK(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: in child: %s\n", __FILE__, __LINE__, #condition);              \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

// Waits for the child and asserts that it ended with status 0.
void assert_child_succeeds(int pid);
