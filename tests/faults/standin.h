// A stand-in for the CUDA runtime, and for the driver functions that the runtime hands out. It
// pretends to be one or more GPUs, but runs no kernel and copies nothing. It counts the library's
// calls and lets any of them fail. Device memory is reserved addresses: a host that touches it
// faults.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace standin {

// ---- Devices ------------------------------------------------------------------------------------

struct machine {
    int devices = 2;
    int arch = 90;
    bool has_driver = true;
    bool has_pools = true;      // memory pools
    bool has_code = true;       // the library has code for the devices
    bool has_ids = true;        // the driver has cuCtxGetId and cuPointerGetAttribute
    bool has_tma = true;        // the driver has cuTensorMapEncodeTiled
    bool takes_overlaps = true; // and takes batches whose matrices overlap or are interleaved
};
void set_machine(const machine&);
// This process uses CUDA from now on. Calls of a child that was forked later fail.
void begin_process();

// cudaDeviceReset of all devices: memory, streams and captures are gone, and so are errors.
void reset();

// ---- Faults -------------------------------------------------------------------------------------

// Starts to count the library's calls. Call number `at`, from 0 on, fails with the error; with
// `stays` each later one, too, until reset(). A negative `at`: no call fails.
void arm(long at, cudaError_t error, bool stays);
// Ends the failures, but not an error that stays.
void disarm();
long calls();                   // since arm()
const char* failed();           // the name of the call that failed; null: none has
const char* name_of(long call); // since arm(); null: too many calls
bool failed_restoring();        // the failed call would have restored a capture mode or a device

// ---- What there is ------------------------------------------------------------------------------

struct census {
    long memory = 0, streams = 0, objects = 0, modules = 0;
    long retained = 0; // contexts, by the driver's functions
    size_t bytes = 0;

    bool operator==(const census&) const = default;
};
census count();

// The first call that is wrong on every machine, such as one with a pointer that was freed; null:
// there was none. Forgets it.
const char* misuse();
long copies_to_host(); // since arm()
long launches();       // of kernels, since arm()
long calls_after_fork();
// The stand-in's own allocations are no matter of the test's.
bool is_inside();

// ---- The program's side: not counted ------------------------------------------------------------

void* make_memory(size_t bytes);
void free_memory(void* memory);
void set_device(int device);
int device();
bool is_started(int device); // it has a context
bool is_context_current();   // in this thread
cudaStreamCaptureMode capture_mode();
void set_capture_mode(cudaStreamCaptureMode);
cudaStream_t make_stream(bool blocking);
void destroy_stream(cudaStream_t);
void begin_capture(cudaStream_t);
bool is_capture_valid(cudaStream_t);
cudaGraph_t end_capture(cudaStream_t);
void destroy_graph(cudaGraph_t);

} // namespace standin
