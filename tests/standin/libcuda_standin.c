// A CUDA driver that cannot be used: the functions that the CUDA runtime calls in libcuda.so.1
// before it gives up. STANDIN_VERSION is the driver's version (13000: CUDA 13.0), and cuInit
// returns STANDIN_INIT.
#include <string.h>

enum { success = 0, not_initialized = 3 };

int cuInit(unsigned flags) {
    (void)flags;
    return STANDIN_INIT;
}

int cuDriverGetVersion(int* version) {
    *version = STANDIN_VERSION;
    return success;
}

// Every other function of the driver.
static int refuse(void) { return not_initialized; }

// The runtime looks up all functions here, and needs an address for each of them.
int cuGetProcAddress_v2(
    const char* symbol, void** function, int version, unsigned long long flags, int* status) {
    (void)version;
    (void)flags;
    void (*found)(void) = (void (*)(void))refuse;
    if (strcmp(symbol, "cuInit") == 0)
        found = (void (*)(void))cuInit;
    else if (strcmp(symbol, "cuDriverGetVersion") == 0)
        found = (void (*)(void))cuDriverGetVersion;
    else if (strcmp(symbol, "cuGetProcAddress") == 0)
        found = (void (*)(void))cuGetProcAddress_v2;
    memcpy(function, &found, sizeof found);
    if (status)
        *status = success;
    return success;
}
