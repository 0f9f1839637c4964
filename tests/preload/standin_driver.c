// A CUDA driver with one GPU, which fails as it is told: STANDIN_INIT and STANDIN_RETAIN are the errors of cuInit and of
// taking the context.
#include <stdlib.h>

static int error_of(const char* variable) {
    const char* text = getenv(variable);
    return text ? atoi(text) : 0;
}

int cuInit(unsigned flags) {
    (void)flags;
    return error_of("STANDIN_INIT");
}

int cuDeviceGetCount(int* count) {
    *count = 1;
    return 0;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
    (void)device;
    *context = NULL;
    return error_of("STANDIN_RETAIN");
}

// Looked up, and never called.
int cuCtxPushCurrent_v2(void) { return 1; }
int cuCtxPopCurrent_v2(void) { return 1; }
int cuMemGetInfo_v2(void) { return 1; }
int cuMemHostAlloc(void) { return 1; }
int cuMemFreeHost(void) { return 1; }
int cuEventCreate(void) { return 1; }
int cuEventRecord(void) { return 1; }
int cuEventSynchronize(void) { return 1; }
int cuEventQuery(void) { return 1; }
int cuStreamWaitEvent(void) { return 1; }
