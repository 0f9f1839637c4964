#include "faults/standin.h"

#include <cuda.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

struct CUstream_st {
    int device;
    uint64_t context;
    bool blocking;
    CUgraph_st* capture = nullptr; // the graph that is being captured
    bool is_valid = true;          // the capture
};

struct CUuserObject_st {
    void* argument;
    cudaHostFn_t destroy;
    unsigned references;
};

struct CUgraph_st {
    uint64_t id;
    std::vector<CUuserObject_st*> objects;
};

namespace standin {
namespace {

// ---- State --------------------------------------------------------------------------------------

struct block {
    size_t bytes;
    uint64_t context;
};

struct state {
    std::mutex mutex;
    machine present;
    std::map<int, uint64_t> contexts; // by device
    std::map<int, int> retained;      // how often, by the driver's functions
    uint64_t last_id = 0;             // of contexts and graphs
    std::map<uintptr_t, block> memory;
    std::set<cudaStream_t> streams;
    std::set<CUuserObject_st*> objects;
    std::set<const void*> functions;
    std::map<std::pair<uint64_t, const void*>, int> smem; // by context
    long modules = 0;
    const char* misuse = nullptr;
    cudaError_t lasting = cudaSuccess;
    pid_t process = getpid();
};

// Never destroyed: libraries are unloaded at the end.
state& the() {
    static state* const s = new state;
    return *s;
}

constexpr size_t most_names = 4096;
std::array<const char*, most_names> names;
std::atomic<long> counted{0};
std::atomic<long> fail_at{-1};
std::atomic<bool> fails{false}, fail_stays{false}, restoring{false};
std::atomic<int> fail_with{0};
std::atomic<const char*> failed_name{nullptr};
std::atomic<long> host_copies{0}, launched{0}, child_calls{0};

thread_local int chosen_device = 0;
thread_local bool has_chosen = false; // the runtime has made that device's context current
thread_local std::vector<int> pushed; // contexts on top of it, by device
thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
thread_local int depth = 0;
thread_local cudaError_t last_error = cudaSuccess;

struct inside {
    inside() { ++depth; }
    ~inside() { --depth; }
};

// Each function of the runtime begins with a `call`, which holds the lock. An error in it ends the
// function.
class call {
public:
    explicit call(const char* name, bool restores = false) : lock(the().mutex) {
        if (getpid() != the().process) {
            ++child_calls;
            error = cudaErrorInitializationError;
            return;
        }
        const long number = counted++;
        if (number < static_cast<long>(most_names))
            names[static_cast<size_t>(number)] = name;
        error = the().lasting;
        if (error == cudaSuccess && fails && number == fail_at) {
            error = static_cast<cudaError_t>(fail_with.load());
            failed_name = name;
            restoring = restores;
            if (fail_stays)
                the().lasting = error;
        }
        if (error == cudaSuccess && !the().present.has_driver)
            error = cudaErrorInsufficientDriver;
        if (error != cudaSuccess)
            last_error = error;
    }
    cudaError_t error;

private:
    const inside within;
    const std::lock_guard<std::mutex> lock;
};

cudaError_t wrong(const char* what, cudaError_t error) {
    if (!the().misuse)
        the().misuse = what;
    return error;
}

uint64_t context_of(int device) {
    uint64_t& id = the().contexts[device];
    if (id == 0)
        id = ++the().last_id;
    return id;
}

int current_device() { return pushed.empty() ? chosen_device : pushed.back(); }
bool has_context() { return has_chosen || !pushed.empty(); }

uint64_t current_context() {
    if (pushed.empty())
        has_chosen = true;
    return context_of(current_device());
}

// The stream; null: a default stream, or none (a misuse).
cudaStream_t find(cudaStream_t stream, cudaError_t* error) {
    if (reinterpret_cast<uintptr_t>(stream) <= 2)
        return nullptr;
    if (!the().streams.count(stream))
        *error = wrong("a stream that does not exist", cudaErrorInvalidResourceHandle);
    else if (stream->context != current_context())
        *error = wrong("a stream of another device", cudaErrorInvalidResourceHandle);
    return *error == cudaSuccess ? stream : nullptr;
}

bool is_legacy(cudaStream_t stream) { return reinterpret_cast<uintptr_t>(stream) <= 1; }

// Whether a capture makes use of the legacy default stream an error.
bool blocks_legacy() {
    return std::any_of(the().streams.begin(), the().streams.end(), [](cudaStream_t s) {
        return s->capture && s->blocking;
    });
}

// Calls that CUDA calls unsafe invalidate captures, unless the thread is in relaxed mode.
cudaError_t unsafe_call() {
    if (mode == cudaStreamCaptureModeRelaxed)
        return cudaSuccess;
    cudaError_t error = cudaSuccess;
    for (cudaStream_t s : the().streams)
        if (s->capture) {
            s->is_valid = false;
            error = cudaErrorStreamCaptureUnsupported;
        }
    return error;
}

// Work on a stream.
cudaError_t enqueue(cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    if (is_legacy(stream) && blocks_legacy())
        return wrong("the legacy stream during a capture", cudaErrorStreamCaptureImplicit);
    if (cudaStream_t s = find(stream, &error); s && s->capture && !s->is_valid)
        error = cudaErrorStreamCaptureInvalidated;
    if (error == cudaSuccess)
        current_context();
    return error;
}

cudaError_t allocate(void** memory, size_t bytes) {
    void* const found =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED)
        return cudaErrorMemoryAllocation;
    the().memory[reinterpret_cast<uintptr_t>(found)] = {bytes, current_context()};
    *memory = found;
    return cudaSuccess;
}

void forget(std::map<uintptr_t, block>::iterator at) {
    munmap(reinterpret_cast<void*>(at->first), at->second.bytes);
    the().memory.erase(at);
}

cudaError_t release(void* memory) {
    const auto found = the().memory.find(reinterpret_cast<uintptr_t>(memory));
    if (found == the().memory.end())
        return wrong("memory that is not allocated is freed", cudaErrorInvalidValue);
    forget(found);
    return cudaSuccess;
}

// The block that contains the memory.
const block* block_of(const void* memory, size_t bytes) {
    const auto at = reinterpret_cast<uintptr_t>(memory);
    auto found = the().memory.upper_bound(at);
    if (found == the().memory.begin())
        return nullptr;
    --found;
    return at - found->first + bytes <= found->second.bytes ? &found->second : nullptr;
}

cudaError_t copy(const void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    const bool to_host = kind == cudaMemcpyDeviceToHost;
    if (kind == cudaMemcpyDeviceToDevice ? !block_of(to, bytes) || !block_of(from, bytes)
                                         : !block_of(to_host ? from : to, bytes))
        return wrong("a copy outside of device memory", cudaErrorInvalidValue);
    host_copies += to_host;
    return cudaSuccess;
}

void drop(CUuserObject_st* object) {
    if (--object->references > 0)
        return;
    the().objects.erase(object);
    object->destroy(object->argument);
    delete object;
}

void drop(cudaGraph_t graph) {
    for (CUuserObject_st* object : graph->objects)
        if (the().objects.count(object)) // reset() drops all
            drop(object);
    delete graph;
}

// ---- The driver's functions ---------------------------------------------------------------------

CUresult of_driver(cudaError_t error) {
    switch (error) {
    case cudaSuccess:
        return CUDA_SUCCESS;
    case cudaErrorMemoryAllocation:
        return CUDA_ERROR_OUT_OF_MEMORY;
    case cudaErrorIllegalAddress:
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    case cudaErrorDevicesUnavailable:
        return CUDA_ERROR_DEVICE_UNAVAILABLE;
    default:
        return CUDA_ERROR_UNKNOWN;
    }
}

CUresult CUDAAPI context_id(CUcontext context, unsigned long long* id) {
    const call now("cuCtxGetId");
    if (now.error != cudaSuccess)
        return of_driver(now.error);
    if (context) { // the stand-in's contexts are their numbers
        *id = reinterpret_cast<uintptr_t>(context);
        return CUDA_SUCCESS;
    }
    if (!has_context())
        return CUDA_ERROR_INVALID_CONTEXT;
    *id = context_of(current_device());
    return CUDA_SUCCESS;
}

CUresult CUDAAPI get_current(CUcontext* context) {
    const call now("cuCtxGetCurrent");
    if (now.error != cudaSuccess)
        return of_driver(now.error);
    *context = has_context() ? reinterpret_cast<CUcontext>(context_of(current_device())) : nullptr;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI retain_primary(CUcontext* context, CUdevice device) {
    const call now("cuDevicePrimaryCtxRetain");
    if (now.error != cudaSuccess)
        return of_driver(now.error);
    if (device < 0 || device >= the().present.devices)
        return CUDA_ERROR_INVALID_DEVICE;
    ++the().retained[device];
    *context = reinterpret_cast<CUcontext>(context_of(device));
    return CUDA_SUCCESS;
}

CUresult CUDAAPI release_primary(CUdevice device) {
    const call now("cuDevicePrimaryCtxRelease", true);
    if (now.error == cudaSuccess && --the().retained[device] < 0)
        wrong("a context that was not retained", cudaErrorInvalidValue);
    return of_driver(now.error);
}

CUresult CUDAAPI push_current(CUcontext context) {
    const call now("cuCtxPushCurrent");
    if (now.error != cudaSuccess)
        return of_driver(now.error);
    for (const auto& [device, id] : the().contexts)
        if (id == reinterpret_cast<uintptr_t>(context)) {
            pushed.push_back(device);
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_CONTEXT;
}

CUresult CUDAAPI pop_current(CUcontext* context) {
    const call now("cuCtxPopCurrent", true);
    if (now.error != cudaSuccess)
        return of_driver(now.error);
    if (pushed.empty()) {
        wrong("a context that was not pushed", cudaErrorInvalidValue);
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    *context = reinterpret_cast<CUcontext>(context_of(pushed.back()));
    pushed.pop_back();
    return CUDA_SUCCESS;
}

CUresult CUDAAPI pointer_attribute(void* data, CUpointer_attribute attribute, CUdeviceptr memory) {
    const call now("cuPointerGetAttribute");
    if (now.error != cudaSuccess)
        return of_driver(now.error);
    const block* found = block_of(reinterpret_cast<void*>(memory), 0);
    if (attribute != CU_POINTER_ATTRIBUTE_CONTEXT || !found)
        return CUDA_ERROR_INVALID_VALUE;
    *static_cast<CUcontext*>(data) = reinterpret_cast<CUcontext>(found->context);
    return CUDA_SUCCESS;
}

// The limits that NVIDIA documents, for floats without interleave.
CUresult CUDAAPI encode_tiled(CUtensorMap* map,
                              CUtensorMapDataType,
                              cuuint32_t rank,
                              void* base,
                              const cuuint64_t* extents,
                              const cuuint64_t* strides,
                              const cuuint32_t* box,
                              const cuuint32_t* steps,
                              CUtensorMapInterleave,
                              CUtensorMapSwizzle swizzle,
                              CUtensorMapL2promotion,
                              CUtensorMapFloatOOBfill) {
    const call now("cuTensorMapEncodeTiled");
    if (now.error != cudaSuccess)
        return of_driver(now.error);
    if (!has_context())
        return CUDA_ERROR_INVALID_CONTEXT;
    const auto is_multiple = [](const void* address, uintptr_t of) {
        return reinterpret_cast<uintptr_t>(address) % of == 0;
    };
    bool fits = is_multiple(map, 64) && is_multiple(base, 16) && 1 <= rank && rank <= 5 &&
                box[0] % 4 == 0 && (swizzle == CU_TENSOR_MAP_SWIZZLE_NONE || box[0] <= 32);
    for (cuuint32_t i = 0; i < rank; ++i)
        fits = fits && 1 <= extents[i] && extents[i] <= cuuint64_t{1} << 32 && 1 <= box[i] &&
               box[i] <= 256 && 1 <= steps[i] && steps[i] <= 8;
    for (cuuint32_t i = 0; i + 1 < rank; ++i)
        fits = fits && strides[i] % 16 == 0 && strides[i] < cuuint64_t{1} << 40;
    if (!fits) {
        wrong("a tensor map beyond the limits", cudaErrorInvalidValue);
        return CUDA_ERROR_INVALID_VALUE;
    }
    const bool overlaps = rank == 3 && extents[2] > 1 && strides[1] < strides[0] * extents[1];
    return overlaps && !the().present.takes_overlaps ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

cudaError_t
driver_entry(const char* symbol, void** function, cudaDriverEntryPointQueryResult* result) {
    const call now("cudaGetDriverEntryPoint");
    *function = nullptr;
    if (now.error != cudaSuccess)
        return now.error;
    const machine& m = the().present;
    if (std::strcmp(symbol, "cuCtxGetId") == 0 && m.has_ids)
        *function = reinterpret_cast<void*>(context_id);
    else if (std::strcmp(symbol, "cuCtxGetCurrent") == 0)
        *function = reinterpret_cast<void*>(get_current);
    else if (std::strcmp(symbol, "cuDevicePrimaryCtxRetain") == 0)
        *function = reinterpret_cast<void*>(retain_primary);
    else if (std::strcmp(symbol, "cuDevicePrimaryCtxRelease") == 0)
        *function = reinterpret_cast<void*>(release_primary);
    else if (std::strcmp(symbol, "cuCtxPushCurrent") == 0)
        *function = reinterpret_cast<void*>(push_current);
    else if (std::strcmp(symbol, "cuCtxPopCurrent") == 0)
        *function = reinterpret_cast<void*>(pop_current);
    else if (std::strcmp(symbol, "cuPointerGetAttribute") == 0 && m.has_ids)
        *function = reinterpret_cast<void*>(pointer_attribute);
    else if (std::strcmp(symbol, "cuTensorMapEncodeTiled") == 0 && m.has_tma)
        *function = reinterpret_cast<void*>(encode_tiled);
    if (result)
        *result = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

cudaError_t capture_info(cudaStream_t stream,
                         cudaStreamCaptureStatus* status,
                         unsigned long long* id,
                         cudaGraph_t* graph) {
    call now("cudaStreamGetCaptureInfo");
    if (now.error != cudaSuccess)
        return now.error;
    if (is_legacy(stream) && blocks_legacy())
        return cudaErrorStreamCaptureImplicit;
    *status = cudaStreamCaptureStatusNone;
    if (cudaStream_t s = find(stream, &now.error); s && s->capture) {
        *status = s->is_valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
        *id = s->capture->id;
        *graph = s->capture;
    }
    return now.error;
}

} // namespace

// ---- For the test -------------------------------------------------------------------------------

void set_machine(const machine& m) {
    const inside within;
    const std::lock_guard lock(the().mutex);
    the().present = m;
}

void begin_process() { the().process = getpid(); }

void reset() {
    const inside within;
    const std::lock_guard lock(the().mutex);
    state& s = the();
    while (!s.memory.empty())
        forget(s.memory.begin());
    for (cudaStream_t stream : s.streams) {
        if (stream->capture)
            drop(stream->capture);
        delete stream;
    }
    s.streams.clear();
    while (!s.objects.empty())
        drop(*s.objects.begin());
    s.contexts.clear();
    s.retained.clear();
    s.smem.clear();
    s.lasting = cudaSuccess;
    s.misuse = nullptr;
    fails = false;
}

void arm(long at, cudaError_t error, bool stays) {
    fail_at = at;
    fail_with = error;
    fail_stays = stays;
    failed_name = nullptr;
    restoring = false;
    counted = 0;
    host_copies = 0;
    launched = 0;
    fails = at >= 0;
}

void disarm() { fails = false; }
long calls() { return counted; }
const char* failed() { return failed_name; }
bool failed_restoring() { return restoring; }

const char* name_of(long number) {
    return number < static_cast<long>(most_names) ? names[static_cast<size_t>(number)] : nullptr;
}

census count() {
    const inside within;
    const std::lock_guard lock(the().mutex);
    census c;
    c.memory = static_cast<long>(the().memory.size());
    c.streams = static_cast<long>(the().streams.size());
    c.objects = static_cast<long>(the().objects.size());
    c.modules = the().modules;
    for (const auto& [device, count] : the().retained)
        c.retained += count;
    for (const auto& [at, b] : the().memory)
        c.bytes += b.bytes;
    return c;
}

const char* misuse() {
    const char* const first = the().misuse;
    the().misuse = nullptr;
    return first;
}

long copies_to_host() { return host_copies; }
long launches() { return launched; }
long calls_after_fork() { return child_calls; }
bool is_inside() { return depth > 0; }

void* make_memory(size_t bytes) {
    const inside within;
    const std::lock_guard lock(the().mutex);
    void* memory = nullptr;
    return allocate(&memory, bytes) == cudaSuccess ? memory : nullptr;
}

void free_memory(void* memory) {
    const inside within;
    const std::lock_guard lock(the().mutex);
    const auto found = the().memory.find(reinterpret_cast<uintptr_t>(memory));
    if (found != the().memory.end())
        forget(found);
}

void set_device(int device) { chosen_device = device, pushed.clear(); }
int device() { return current_device(); }
bool is_started(int device) { return the().contexts.count(device) != 0; }
bool is_context_current() { return has_context(); }
cudaStreamCaptureMode capture_mode() { return mode; }
void set_capture_mode(cudaStreamCaptureMode m) { mode = m; }

cudaStream_t make_stream(bool blocking) {
    const inside within;
    const std::lock_guard lock(the().mutex);
    cudaStream_t stream = new CUstream_st{
        .device = current_device(), .context = current_context(), .blocking = blocking};
    the().streams.insert(stream);
    return stream;
}

void destroy_stream(cudaStream_t stream) {
    const inside within;
    const std::lock_guard lock(the().mutex);
    if (the().streams.erase(stream))
        delete stream;
}

void begin_capture(cudaStream_t stream) {
    const inside within;
    const std::lock_guard lock(the().mutex);
    stream->capture = new CUgraph_st{.id = ++the().last_id, .objects = {}};
    stream->is_valid = true;
}

bool is_capture_valid(cudaStream_t stream) {
    const std::lock_guard lock(the().mutex);
    return stream->capture && stream->is_valid;
}

cudaGraph_t end_capture(cudaStream_t stream) {
    const std::lock_guard lock(the().mutex);
    return std::exchange(stream->capture, nullptr);
}

void destroy_graph(cudaGraph_t graph) {
    const inside within;
    const std::lock_guard lock(the().mutex);
    drop(graph);
}

} // namespace standin

// ---- The runtime's functions --------------------------------------------------------------------

using namespace standin;

extern "C" {

const char* CUDARTAPI cudaGetErrorName(cudaError_t error) {
    return error == cudaSuccess ? "cudaSuccess" : "cudaError of the stand-in";
}

cudaError_t CUDARTAPI cudaPeekAtLastError() { return last_error; }

cudaError_t CUDARTAPI cudaGetDeviceCount(int* count) {
    const call now("cudaGetDeviceCount");
    if (now.error != cudaSuccess)
        return now.error;
    *count = the().present.devices;
    return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t CUDARTAPI cudaGetDevice(int* device) {
    const call now("cudaGetDevice");
    if (now.error == cudaSuccess)
        *device = current_device();
    return now.error;
}

cudaError_t CUDARTAPI cudaSetDevice(int device) {
    const call now("cudaSetDevice");
    if (now.error != cudaSuccess)
        return now.error;
    if (device < 0 || device >= the().present.devices)
        return cudaErrorInvalidDevice;
    if (pushed.empty())
        chosen_device = device;
    else
        pushed.back() = device;
    current_context();
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaInitDevice(int device, unsigned, unsigned) {
    const call now("cudaInitDevice");
    if (now.error != cudaSuccess)
        return now.error;
    if (device < 0 || device >= the().present.devices)
        return cudaErrorInvalidDevice;
    context_of(device);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    const call now("cudaGetDeviceProperties");
    if (now.error != cudaSuccess)
        return now.error;
    if (device < 0 || device >= the().present.devices)
        return cudaErrorInvalidDevice;
    std::memset(properties, 0, sizeof *properties);
    std::snprintf(properties->name, sizeof properties->name, "stand-in %d", device);
    properties->major = the().present.arch / 10;
    properties->minor = the().present.arch % 10;
    properties->multiProcessorCount = 132;
    properties->sharedMemPerBlockOptin = 227 << 10;
    properties->totalGlobalMem = size_t{80} << 30;
    properties->l2CacheSize = 50 << 20;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    const call now("cudaDeviceGetAttribute");
    if (now.error != cudaSuccess)
        return now.error;
    if (device < 0 || device >= the().present.devices)
        return cudaErrorInvalidDevice;
    switch (attribute) {
    case cudaDevAttrMemoryPoolsSupported:
        *value = the().present.has_pools;
        break;
    case cudaDevAttrMaxPitch:
        *value = 2147483647;
        break;
    case cudaDevAttrClockRate:
        *value = 1980000;
        break;
    case cudaDevAttrMemoryClockRate:
        *value = 2619000;
        break;
    case cudaDevAttrGlobalMemoryBusWidth:
        *value = 5120;
        break;
    default:
        return wrong("an attribute that the stand-in lacks", cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* exchanged) {
    const call now("cudaThreadExchangeStreamCaptureMode", mode == cudaStreamCaptureModeRelaxed);
    if (now.error == cudaSuccess)
        std::swap(*exchanged, mode);
    return now.error;
}

cudaError_t CUDARTAPI cudaMalloc(void** memory, size_t bytes) {
    const call now("cudaMalloc");
    if (now.error != cudaSuccess)
        return now.error;
    const cudaError_t error = unsafe_call();
    return error == cudaSuccess ? allocate(memory, bytes) : error;
}

cudaError_t CUDARTAPI cudaFree(void* memory) {
    const call now("cudaFree");
    if (now.error != cudaSuccess || !memory)
        return now.error;
    const cudaError_t error = unsafe_call();
    return error == cudaSuccess ? release(memory) : error;
}

cudaError_t CUDARTAPI cudaMallocAsync(void** memory, size_t bytes, cudaStream_t stream) {
    const call now("cudaMallocAsync");
    if (now.error != cudaSuccess)
        return now.error;
    cudaError_t error = enqueue(stream);
    if (cudaStream_t s = find(stream, &error); s && s->capture)
        error = wrong("an allocation in a graph", cudaErrorStreamCaptureUnsupported);
    return error == cudaSuccess ? allocate(memory, bytes) : error;
}

cudaError_t CUDARTAPI cudaFreeAsync(void* memory, cudaStream_t stream) {
    const call now("cudaFreeAsync");
    if (now.error != cudaSuccess)
        return now.error;
    cudaError_t error = enqueue(stream);
    if (cudaStream_t s = find(stream, &error); s && s->capture)
        error = wrong("a release in a graph", cudaErrorStreamCaptureUnsupported);
    return error == cudaSuccess ? release(memory) : error;
}

cudaError_t CUDARTAPI cudaMemsetAsync(void* memory, int, size_t bytes, cudaStream_t stream) {
    const call now("cudaMemsetAsync");
    if (now.error != cudaSuccess)
        return now.error;
    const cudaError_t error = enqueue(stream);
    if (error == cudaSuccess && !block_of(memory, bytes))
        return wrong("memory that is not allocated is set", cudaErrorInvalidValue);
    return error;
}

cudaError_t CUDARTAPI cudaMemcpyAsync(
    void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    const call now("cudaMemcpyAsync");
    if (now.error != cudaSuccess)
        return now.error;
    const cudaError_t error = enqueue(stream);
    return error == cudaSuccess ? copy(to, from, bytes, kind) : error;
}

cudaError_t CUDARTAPI cudaMemcpy2DAsync(void* to,
                                        size_t to_pitch,
                                        const void* from,
                                        size_t from_pitch,
                                        size_t width,
                                        size_t height,
                                        cudaMemcpyKind kind,
                                        cudaStream_t stream) {
    const call now("cudaMemcpy2DAsync");
    if (now.error != cudaSuccess)
        return now.error;
    const cudaError_t error = enqueue(stream);
    const size_t pitch = kind == cudaMemcpyDeviceToHost ? from_pitch : to_pitch;
    if (std::min(to_pitch, from_pitch) < width)
        return wrong("a copy whose pitch is too small", cudaErrorInvalidPitchValue);
    return error == cudaSuccess ? copy(to, from, pitch * (height - 1) + width, kind) : error;
}

cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    const call now("cudaStreamCreateWithFlags");
    if (now.error != cudaSuccess)
        return now.error;
    *stream = new CUstream_st{.device = current_device(),
                              .context = current_context(),
                              .blocking = flags != cudaStreamNonBlocking};
    the().streams.insert(*stream);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t stream) {
    const call now("cudaStreamDestroy");
    if (now.error != cudaSuccess)
        return now.error;
    if (!the().streams.erase(stream))
        return wrong("a stream that does not exist is destroyed", cudaErrorInvalidResourceHandle);
    delete stream;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t stream) {
    call now("cudaStreamSynchronize");
    if (now.error != cudaSuccess)
        return now.error;
    if (is_legacy(stream) && blocks_legacy())
        return wrong("the legacy stream during a capture", cudaErrorStreamCaptureImplicit);
    if (cudaStream_t s = find(stream, &now.error); s && s->capture) {
        s->is_valid = false;
        return wrong("a captured stream is waited for", cudaErrorStreamCaptureUnsupported);
    }
    return now.error;
}

cudaError_t CUDARTAPI cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    call now("cudaStreamIsCapturing");
    if (now.error != cudaSuccess)
        return now.error;
    if (is_legacy(stream) && blocks_legacy())
        return cudaErrorStreamCaptureImplicit;
    *status = cudaStreamCaptureStatusNone;
    if (cudaStream_t s = find(stream, &now.error); s && s->capture)
        *status = s->is_valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
    return now.error;
}

#if CUDART_VERSION >= 13000
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo(cudaStream_t stream,
                                               cudaStreamCaptureStatus* status,
                                               unsigned long long* id,
                                               cudaGraph_t* graph,
                                               const cudaGraphNode_t**,
                                               const cudaGraphEdgeData**,
                                               size_t*) {
    return capture_info(stream, status, id, graph);
}
#else
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                                  cudaStreamCaptureStatus* status,
                                                  unsigned long long* id,
                                                  cudaGraph_t* graph,
                                                  const cudaGraphNode_t**,
                                                  size_t*) {
    return capture_info(stream, status, id, graph);
}
#endif

cudaError_t CUDARTAPI cudaUserObjectCreate(
    cudaUserObject_t* object, void* argument, cudaHostFn_t destroy, unsigned count, unsigned) {
    const call now("cudaUserObjectCreate");
    if (now.error != cudaSuccess)
        return now.error;
    *object = new CUuserObject_st{argument, destroy, count};
    the().objects.insert(*object);
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaUserObjectRelease(cudaUserObject_t object, unsigned) {
    const call now("cudaUserObjectRelease");
    if (now.error == cudaSuccess)
        drop(object);
    return now.error;
}

cudaError_t CUDARTAPI cudaGraphRetainUserObject(cudaGraph_t graph,
                                                cudaUserObject_t object,
                                                unsigned,
                                                unsigned) {
    const call now("cudaGraphRetainUserObject");
    if (now.error == cudaSuccess)
        graph->objects.push_back(object); // always moved
    return now.error;
}

#if CUDART_VERSION >= 12050
cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion(const char* symbol,
                                                       void** function,
                                                       unsigned,
                                                       unsigned long long,
                                                       cudaDriverEntryPointQueryResult* result) {
    return driver_entry(symbol, function, result);
}
#else
cudaError_t CUDARTAPI cudaGetDriverEntryPoint(const char* symbol,
                                              void** function,
                                              unsigned long long,
                                              cudaDriverEntryPointQueryResult* result) {
    return driver_entry(symbol, function, result);
}
#endif

// ---- Kernels ------------------------------------------------------------------------------------

cudaError_t CUDARTAPI cudaFuncSetAttribute(const void* function,
                                           cudaFuncAttribute name,
                                           int value) {
    const call now("cudaFuncSetAttribute");
    if (now.error != cudaSuccess)
        return now.error;
    if (!the().functions.count(function))
        return wrong("a kernel that is not registered", cudaErrorInvalidDeviceFunction);
    if (!the().present.has_code)
        return last_error = cudaErrorNoKernelImageForDevice;
    if (name == cudaFuncAttributeMaxDynamicSharedMemorySize)
        the().smem[{current_context(), function}] = value;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaLaunchKernelExC(const cudaLaunchConfig_t* config,
                                          const void* function,
                                          void**) {
    const call now("cudaLaunchKernelExC");
    if (now.error != cudaSuccess)
        return now.error;
    const auto [x, y, z] = config->gridDim;
    const auto [tx, ty, tz] = config->blockDim;
    if (!the().functions.count(function))
        return wrong("a kernel that is not registered", cudaErrorInvalidDeviceFunction);
    if (!the().present.has_code)
        return cudaErrorNoKernelImageForDevice;
    if (x == 0 || y == 0 || z == 0 || x > 2147483647 || y > 65535 || z > 65535 ||
        tx * ty * tz == 0 || tx * ty * tz > 1024)
        return wrong("a grid or block of a wrong size", cudaErrorInvalidConfiguration);
    const auto found = the().smem.find({current_context(), function});
    const int allowed = found == the().smem.end() ? 48 << 10 : found->second;
    if (config->dynamicSmemBytes > static_cast<size_t>(allowed))
        return wrong("more shared memory than the kernel may have", cudaErrorInvalidValue);
    const cudaError_t error = enqueue(config->stream);
    launched += error == cudaSuccess;
    return error;
}

cudaError_t CUDARTAPI
cudaLaunchKernel(const void* function, dim3, dim3, void** arguments, size_t, cudaStream_t) {
    return cudaLaunchKernelExC(nullptr, function, arguments);
}

// What nvcc's objects need beside the calls of their sources.
void** CUDARTAPI __cudaRegisterFatBinary(void*) {
    const inside within;
    ++the().modules;
    return reinterpret_cast<void**>(&the());
}
void CUDARTAPI __cudaRegisterFatBinaryEnd(void**) {}
void CUDARTAPI __cudaUnregisterFatBinary(void**) { --the().modules; }
void CUDARTAPI __cudaRegisterFunction(
    void**, const char* function, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*) {
    const inside within;
    the().functions.insert(function);
}
void CUDARTAPI __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
unsigned CUDARTAPI __cudaPushCallConfiguration(dim3, dim3, size_t, CUstream_st*) {
    std::abort(); // of launches by <<<>>>, which the library does not have
}
cudaError_t CUDARTAPI __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*) { std::abort(); }
cudaError_t CUDARTAPI __cudaGetKernel(cudaKernel_t*, const void*) { std::abort(); }
cudaError_t CUDARTAPI __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t) {
    std::abort();
}

} // extern "C"
