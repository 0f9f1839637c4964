/* Preloaded: each handle leaves memory behind. */
#define _GNU_SOURCE
#include "myblas/myblas.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void* volatile kept;

myblasStatus_t myblasCreateOn(myblasHandle_t* handle, myblasBackend_t backend) {
    typedef myblasStatus_t (*function)(myblasHandle_t*, myblasBackend_t);
    const size_t bytes = 1 << 10;
    kept = malloc(bytes);
    if (kept)
        memset(kept, 1, bytes);
    return ((function)dlsym(RTLD_NEXT, "myblasCreateOn"))(handle, backend);
}
