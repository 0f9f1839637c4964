// The cuda backend, on the CUDA runtime. The last error is the caller's and is never cleared.
#include "core/backend.h"
#include "core/current_context.h"
#include "core/driver_function.h"
#include "core/outside_captures.h"
#include "core/static_program.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <utility>

namespace myblas {
namespace {

// ---- Forked children ----------------------------------------------------------------------------

// A CUDA context does not survive fork(). Set in a child whose parent had opened the backend.
constinit std::atomic<bool> lost_by_fork{false};

// Called once the backend has been opened: before, a fork loses nothing. The C library forgets the
// handler when this library is unloaded.
bool watch_forks() {
    static const bool watched =
        pthread_atfork(nullptr, nullptr, [] { lost_by_fork.store(true); }) == 0;
    return watched;
}

myblasStatus_t check_process() {
    return lost_by_fork.load(std::memory_order_relaxed) ? MYBLAS_STATUS_NOT_INITIALIZED
                                                        : MYBLAS_STATUS_SUCCESS;
}

// ---- Device -------------------------------------------------------------------------------------

const char* explain(cudaError_t error) {
    switch (error) {
    case cudaErrorInsufficientDriver: // the runtime also says this where there is no driver
        return "no CUDA driver, or it is older than this library needs";
    case cudaErrorNoDevice:
        return "no CUDA device";
    default:
        return cudaGetErrorName(error);
    }
}

// A lack of memory has a status of its own. All other errors are EXECUTION_FAILED.
myblasStatus_t status_of(cudaError_t error) {
    switch (error) {
    case cudaSuccess:
        return MYBLAS_STATUS_SUCCESS;
    case cudaErrorMemoryAllocation:
        return MYBLAS_STATUS_ALLOC_FAILED;
    default:
        return MYBLAS_STATUS_EXECUTION_FAILED;
    }
}

// The status and the reason for a device that cannot be opened.
myblasStatus_t refuse_device(cudaError_t error, const char** reason) {
    *reason = explain(error);
    return error == cudaErrorMemoryAllocation ? MYBLAS_STATUS_ALLOC_FAILED
                                              : MYBLAS_STATUS_NOT_INITIALIZED;
}

struct rates {
    int clock_mhz, memory_gbps;
};

// If the driver does not tell a property (of integrated or virtual devices), the measured card's
// value is used.
rates ask_for_rates(int ordinal) {
    int clock_khz = 0, memory_khz = 0, bus_bits = 0;
    const std::pair<int*, cudaDeviceAttr> attributes[] = {
        {&clock_khz, cudaDevAttrClockRate},
        {&memory_khz, cudaDevAttrMemoryClockRate},
        {&bus_bits, cudaDevAttrGlobalMemoryBusWidth},
    };
    for (const auto& [value, attribute] : attributes)
        if (cudaDeviceGetAttribute(value, attribute, ordinal) != cudaSuccess)
            *value = 0;
    const double gbps = 2e-6 * memory_khz * (bus_bits / 8); // two transfers a clock
    return {clock_khz > 0 ? clock_khz / 1000 : usual_device.clock_mhz,
            gbps >= 1 ? static_cast<int>(gbps) : usual_device.memory_gbps};
}

// Queried once in a process: the driver takes half a millisecond for each clock, and less than a
// microsecond for everything else that open() queries.
rates rates_of(int ordinal) {
    constexpr int most_devices = 64;
    static std::once_flag asked[most_devices];
    static rates known[most_devices];
    if (ordinal >= most_devices)
        return ask_for_rates(ordinal);
    std::call_once(asked[ordinal], [ordinal] { known[ordinal] = ask_for_rates(ordinal); });
    return known[ordinal];
}

myblasStatus_t open(device_info* device, const char** reason) {
    if (lost_by_fork.load()) {
        *reason = "the process forked after CUDA was used";
        return MYBLAS_STATUS_NOT_INITIALIZED;
    }
    if (is_static_program()) {
        *reason = "the program is linked statically, and cannot load the CUDA driver";
        return MYBLAS_STATUS_NOT_INITIALIZED;
    }
    int count = 0, ordinal = 0;
    cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count == 0)
        error = cudaErrorNoDevice;
    if (error == cudaSuccess)
        error = cudaGetDevice(&ordinal);
    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(&properties, ordinal);
    if (error != cudaSuccess)
        return refuse_device(error, reason);

    const int arch = properties.major * 10 + properties.minor;
    if (arch < oldest_cuda_arch) {
        *reason = "the device is older than compute capability 8.0";
        return MYBLAS_STATUS_ARCH_MISMATCH;
    }
    error = cudaInitDevice(ordinal, 0, 0);
    if (error != cudaSuccess)
        return refuse_device(error, reason);
    if (!watch_forks()) {
        *reason = "no memory to watch for forks";
        return MYBLAS_STATUS_ALLOC_FAILED;
    }

    device->ordinal = ordinal;
    device->arch = arch;
    device->sm_count = properties.multiProcessorCount;
    device->smem_per_block = properties.sharedMemPerBlockOptin;
    device->memory_bytes = properties.totalGlobalMem;
    const rates rates = rates_of(ordinal);
    device->clock_mhz = rates.clock_mhz;
    device->memory_gbps = rates.memory_gbps;
    device->l2_bytes = properties.l2CacheSize > 0 ? static_cast<size_t>(properties.l2CacheSize)
                                                  : usual_device.l2_bytes;
    std::snprintf(device->name, sizeof device->name, "%s", properties.name);
    return MYBLAS_STATUS_SUCCESS;
}

// The runtime loads a kernel's code when it is prepared. Nothing has cleared the last error since.
myblasStatus_t explain_preparation(const char** reason) {
    switch (const cudaError_t error = cudaPeekAtLastError()) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidKernelImage:
    case cudaErrorUnsupportedPtxVersion:
        *reason = "this build of the library has no code for the device";
        return MYBLAS_STATUS_ARCH_MISMATCH;
    default:
        return refuse_device(error, reason);
    }
}

myblasStatus_t enter_device(int ordinal, bool* was_current) {
    int current = -1;
    if (cudaGetDevice(&current) != cudaSuccess)
        return MYBLAS_STATUS_EXECUTION_FAILED;
    *was_current = current == ordinal;
    if (*was_current || push_context(ordinal))
        return MYBLAS_STATUS_SUCCESS;
    return MYBLAS_STATUS_EXECUTION_FAILED;
}

void leave_device(int ordinal) { pop_context(ordinal); }

// ---- Memory -------------------------------------------------------------------------------------

myblasStatus_t allocate(void** ptr, size_t bytes) {
    *ptr = nullptr;
    if (bytes == 0)
        return MYBLAS_STATUS_SUCCESS;
    const outside_captures guard;
    const cudaError_t error = cudaMalloc(ptr, bytes);
    if (error != cudaSuccess)
        *ptr = nullptr;
    return status_of(error);
}

myblasStatus_t release(void* ptr) {
    const outside_captures guard;
    switch (cudaFree(ptr)) {
    case cudaSuccess:
    case cudaErrorCudartUnloading: // the process ends, and the memory with it
        return MYBLAS_STATUS_SUCCESS;
    case cudaErrorInvalidValue:
        return MYBLAS_STATUS_INVALID_VALUE;
    default:
        return MYBLAS_STATUS_EXECUTION_FAILED;
    }
}

// On a separate stream, because the legacy default stream must not be used during a capture.
myblasStatus_t zero(void* ptr, size_t bytes) {
    const outside_captures guard;
    cudaStream_t stream;
    cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error != cudaSuccess)
        return status_of(error);
    error = cudaMemsetAsync(ptr, 0, bytes, stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(stream);
    const cudaError_t destroyed = cudaStreamDestroy(stream);
    return status_of(error != cudaSuccess ? error : destroyed);
}

// ---- Memory in stream order ---------------------------------------------------------------------

bool has_memory_pools() {
    int device = 0, has_pools = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, device) ==
               cudaSuccess &&
           has_pools;
}

// From the device's current memory pool. The pool's release threshold does not matter: handles keep
// their blocks, and freed blocks may return to the driver at once.
myblasStatus_t stream_allocate(void** ptr, size_t bytes, myblasStream_t stream) {
    if (!has_memory_pools())
        return allocate(ptr, bytes);
    const outside_captures guard;
    const cudaError_t error = cudaMallocAsync(ptr, bytes, stream);
    if (error != cudaSuccess)
        *ptr = nullptr;
    return status_of(error);
}

myblasStatus_t stream_release(void* ptr, myblasStream_t stream) {
    if (!has_memory_pools())
        return MYBLAS_STATUS_NOT_SUPPORTED;
    const outside_captures guard;
    return cudaFreeAsync(ptr, stream) == cudaSuccess ? MYBLAS_STATUS_SUCCESS
                                                     : MYBLAS_STATUS_EXECUTION_FAILED;
}

// ---- Streams ------------------------------------------------------------------------------------

myblasStatus_t stream_create(myblasStream_t* stream) {
    const outside_captures guard;
    return status_of(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
}

myblasStatus_t stream_destroy(myblasStream_t stream) {
    const outside_captures guard;
    switch (cudaStreamDestroy(stream)) {
    case cudaSuccess:
    case cudaErrorCudartUnloading:
        return MYBLAS_STATUS_SUCCESS;
    case cudaErrorInvalidValue:
    case cudaErrorInvalidResourceHandle:
        return MYBLAS_STATUS_INVALID_VALUE;
    default:
        return MYBLAS_STATUS_EXECUTION_FAILED;
    }
}

myblasStatus_t stream_synchronize(myblasStream_t stream) {
    const outside_captures guard;
    return cudaStreamSynchronize(stream) == cudaSuccess ? MYBLAS_STATUS_SUCCESS
                                                        : MYBLAS_STATUS_EXECUTION_FAILED;
}

// The legacy default stream counts as captured while any stream that synchronises with it is
// captured.
myblasStatus_t require_no_capture(myblasStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    switch (cudaStreamIsCapturing(stream, &status)) {
    case cudaSuccess:
        return status == cudaStreamCaptureStatusNone ? MYBLAS_STATUS_SUCCESS
                                                     : MYBLAS_STATUS_INTERNAL_ERROR;
    case cudaErrorStreamCaptureImplicit:
        return MYBLAS_STATUS_INTERNAL_ERROR;
    default:
        return MYBLAS_STATUS_EXECUTION_FAILED;
    }
}

// ---- Captures -----------------------------------------------------------------------------------

myblasStatus_t find_capture(myblasStream_t stream, stream_capture* capture) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    cudaGraph_t graph = nullptr;
#if CUDART_VERSION >= 13000
    const cudaError_t error = cudaStreamGetCaptureInfo(stream, &status, &id, &graph);
#else
    const cudaError_t error = cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph);
#endif
    if (error != cudaSuccess || status == cudaStreamCaptureStatusInvalidated)
        return MYBLAS_STATUS_EXECUTION_FAILED;
    *capture = {};
    if (status == cudaStreamCaptureStatusActive)
        *capture = {graph, id};
    return MYBLAS_STATUS_SUCCESS;
}

void CUDART_CB note_end(void* is_over) { static_cast<std::atomic<bool>*>(is_over)->store(true); }

// The graph calls this library's code when it is destroyed, perhaps after the program has unloaded
// the library.
bool stay_loaded() {
    static constinit std::atomic<bool> stays{false};
    Dl_info info;
    if (!stays.load(std::memory_order_relaxed) &&
        dladdr(reinterpret_cast<void*>(note_end), &info) != 0 &&
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
        stays.store(true, std::memory_order_relaxed);
    return stays.load(std::memory_order_relaxed);
}

bool watch_graph(void* graph, std::atomic<bool>* is_over) {
    cudaUserObject_t object;
    if (!stay_loaded() ||
        cudaUserObjectCreate(&object, is_over, note_end, 1, cudaUserObjectNoDestructorSync) !=
            cudaSuccess) {
        is_over->store(true);
        return false;
    }
    if (cudaGraphRetainUserObject(
            static_cast<cudaGraph_t>(graph), object, 1, cudaGraphUserObjectMove) == cudaSuccess)
        return true;
    (void)cudaUserObjectRelease(object, 1); // calls note_end
    return false;
}

// ---- Contexts -----------------------------------------------------------------------------------

// The number of a context, or of the current one; 0: there is none.
uint64_t id_of(CUcontext context) {
    static constinit driver_function<decltype(cuCtxGetId)> function{"cuCtxGetId"};
    auto* const ask = function.get();
    unsigned long long id = 0;
    return ask && ask(context, &id) == CUDA_SUCCESS ? id : 0;
}

// To ask for the number would be an error if no context were current, and tools report such errors.
uint64_t context_id() {
    if (const uint64_t id = has_current_context() ? id_of(nullptr) : 0)
        return id;
    return make_context_current() ? id_of(nullptr) : 0;
}

// After cudaDeviceReset, other memory may be at the address. The new context may even have the
// handle of the old one, but never its number.
bool is_context_gone(uint64_t context, const void* memory) {
    static constinit driver_function<decltype(cuPointerGetAttribute)> function{
        "cuPointerGetAttribute"};
    auto* const ask = function.get();
    CUcontext owner = nullptr;
    switch (ask ? ask(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, reinterpret_cast<CUdeviceptr>(memory))
                : CUDA_ERROR_NOT_FOUND) {
    case CUDA_SUCCESS: { // no owner: the address now belongs to no single context
        const uint64_t present = owner ? id_of(owner) : 0;
        return !owner || (present != 0 && present != context);
    }
    case CUDA_ERROR_INVALID_VALUE: // the address is no memory of CUDA's
        return true;
    default:
        return false;
    }
}

// ---- Copies -------------------------------------------------------------------------------------

// 2-D copies take pitches up to a limit (2^31 - 1 bytes on the GPUs of today).
bool copies_in_2d(const matrix_copy& c) {
    int device = 0, max_pitch = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&max_pitch, cudaDevAttrMaxPitch, device) == cudaSuccess &&
           std::max(c.source_pitch_bytes, c.target_pitch_bytes) <= static_cast<size_t>(max_pitch);
}

myblasStatus_t copy(const matrix_copy& c, myblasStream_t stream) {
    const cudaMemcpyKind kind = c.to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    cudaError_t error = cudaSuccess;
    if (c.cols > 1 && copies_in_2d(c)) {
        error = cudaMemcpy2DAsync(c.target,
                                  c.target_pitch_bytes,
                                  c.source,
                                  c.source_pitch_bytes,
                                  c.column_bytes,
                                  c.cols,
                                  kind,
                                  stream);
    } else {
        const char* source = static_cast<const char*>(c.source);
        char* target = static_cast<char*>(c.target);
        for (size_t col = 0; col < c.cols && error == cudaSuccess; ++col) {
            error = cudaMemcpyAsync(target, source, c.column_bytes, kind, stream);
            source += c.source_pitch_bytes;
            target += c.target_pitch_bytes;
        }
    }
    return error == cudaSuccess ? MYBLAS_STATUS_SUCCESS : MYBLAS_STATUS_MAPPING_ERROR;
}

constexpr backend_ops ops = {
    .id = MYBLAS_BACKEND_CUDA,
    .open = open,
    .check_process = check_process,
    .explain_preparation = explain_preparation,
    .enter_device = enter_device,
    .leave_device = leave_device,
    .allocate = allocate,
    .release = release,
    .zero = zero,
    .stream_allocate = stream_allocate,
    .stream_release = stream_release,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_synchronize = stream_synchronize,
    .require_no_capture = require_no_capture,
    .find_capture = find_capture,
    .watch_graph = watch_graph,
    .context_id = context_id,
    .is_context_gone = is_context_gone,
    .copy = copy,
};

} // namespace

const backend_ops& cuda_backend() { return ops; }

} // namespace myblas
