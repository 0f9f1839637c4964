// A CUDA driver with imaginary GPUs. STANDIN_INIT and STANDIN_RETAIN are the errors that cuInit and
// cuDevicePrimaryCtxRetain return. STANDIN_GPUS is the number of GPUs, 1 by default. The file
// STANDIN_LOG gets a line for each GPU whose context is retained, and a last one with the number of
// copies between GPUs. STANDIN_FAILING_COPY is the number of the copy that fails. At the copy with
// the number STANDIN_LOSING_COPY the GPU that is copied from is lost: copies from it bring NaN, and
// its events fail, from then on. With STANDIN_PEERS=0, no NVLink connects the GPUs. All work is
// complete at once. STANDIN_HOLD is a file that cuInit makes; it returns when the file is gone.
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int number_in(const char* variable, int otherwise) {
    const char* text = getenv(variable);
    return text ? atoi(text) : otherwise;
}

static void append(const char* what, int number) {
    const char* name = getenv("STANDIN_LOG");
    FILE* log = name ? fopen(name, "a") : NULL;
    if (!log)
        return;
    fprintf(log, "%s %d\n", what, number);
    fclose(log);
}

static atomic_int copies; // between GPUs
__attribute__((destructor)) static void tell(void) { append("copies", copies); }

int cuInit(unsigned flags) {
    (void)flags;
    const char* hold = getenv("STANDIN_HOLD");
    FILE* file = hold ? fopen(hold, "w") : NULL;
    if (file)
        fclose(file);
    while (file && access(hold, F_OK) == 0)
        usleep(1000);
    return number_in("STANDIN_INIT", 0);
}

int cuDeviceGetCount(int* count) {
    *count = number_in("STANDIN_GPUS", 1);
    return 0;
}

// Contexts and events are the numbers of their GPUs, from 1 on.
enum { most_contexts = 8 };
static _Thread_local void* contexts[most_contexts];
static _Thread_local int context_count;
static void* _Atomic lost;

int cuDevicePrimaryCtxRetain(void** context, int device) {
    *context = (char*)NULL + device + 1;
    append("GPU", device);
    return number_in("STANDIN_RETAIN", 0);
}

int cuMemGetInfo_v2(size_t* free_bytes, size_t* total_bytes) {
    *free_bytes = *total_bytes = (size_t)16 << 20;
    return 0;
}

int cuMemHostAlloc(void** memory, size_t bytes, unsigned flags) {
    (void)flags;
    *memory = aligned_alloc(256, bytes);
    return *memory == NULL;
}

int cuCtxPushCurrent_v2(void* context) {
    if (context_count == most_contexts)
        return 1;
    contexts[context_count++] = context;
    return 0;
}

int cuCtxPopCurrent_v2(void** context) {
    *context = contexts[--context_count];
    return 0;
}

int cuEventCreate(void** event, unsigned flags) {
    (void)flags;
    *event = contexts[context_count - 1];
    return 0;
}

static int status_of(void* event) { return event == lost; }
int cuEventRecord(void* event, void* stream) {
    (void)stream;
    return status_of(event);
}
int cuEventSynchronize(void* event) { return status_of(event); }
int cuEventQuery(void* event) { return status_of(event); }
int cuStreamWaitEvent(void) { return 0; } // also for an event that will never be

int cuDeviceGetP2PAttribute(int* value, int attribute, int device, int peer) {
    (void)attribute;
    *value = device != peer && number_in("STANDIN_PEERS", 1);
    return 0;
}

int cuCtxEnablePeerAccess(void) { return 0; }

struct end { // of CUDA_MEMCPY3D_PEER
    size_t x, y, z, level;
    int memory_type;
    const void* host;
    char* device;
    void *array, *context;
    size_t pitch, height;
};

struct copy {
    struct end from, to;
    size_t width, height, depth;
};

int cuMemcpy3DPeerAsync(const struct copy* copy, void* stream) {
    (void)stream;
    const int number = ++copies;
    if (number == number_in("STANDIN_FAILING_COPY", 0))
        return 1;
    if (number == number_in("STANDIN_LOSING_COPY", 0))
        lost = copy->from.context;
    for (size_t row = 0; row < copy->height; ++row) {
        char* to = copy->to.device + row * copy->to.pitch;
        if (copy->from.context == lost)
            memset(to, 0xff, copy->width);
        else
            memcpy(to, copy->from.device + row * copy->from.pitch, copy->width);
    }
    return 0;
}
