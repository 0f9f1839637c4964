/* Preloaded: each handle leaves memory behind, or a stream if LEAK is set to "stream". */
#define _GNU_SOURCE
#include "myblas/myblas.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void* volatile kept;

myblasStatus_t myblasCreateOn(myblasHandle_t* handle, myblasBackend_t backend) {
    typedef myblasStatus_t (*function)(myblasHandle_t*, myblasBackend_t);
    const char* leak = getenv("LEAK");
    const myblasStatus_t status = ((function)dlsym(RTLD_NEXT, "myblasCreateOn"))(handle, backend);
    if (leak && strcmp(leak, "stream") == 0) {
        typedef myblasStatus_t (*create)(myblasHandle_t, myblasStream_t*);
        myblasStream_t stream;
        return status ? status : ((create)dlsym(RTLD_NEXT, "myblasStreamCreate"))(*handle, &stream);
    }
    const size_t bytes = 1 << 10;
    kept = malloc(bytes);
    if (kept)
        memset(kept, 1, bytes);
    return status;
}
