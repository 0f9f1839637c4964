// libmyblas with its host backend as the backend of a GPU, for the GPUs of standin_driver.c. The
// file STANDIN_LOG gets a line with the size of the largest allocation.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <myblas/myblas.h>
#include <stdio.h>
#include <stdlib.h>

static size_t largest;

myblasStatus_t myblasCreateOn(myblasHandle_t* handle, myblasBackend_t backend) {
    (void)backend;
    myblasStatus_t (*create)(myblasHandle_t*, myblasBackend_t);
    *(void**)&create = dlsym(RTLD_NEXT, "myblasCreateOn");
    return create(handle, MYBLAS_BACKEND_HOST);
}

myblasStatus_t myblasMalloc(myblasHandle_t handle, void** memory, size_t bytes) {
    myblasStatus_t (*allocate)(myblasHandle_t, void**, size_t);
    *(void**)&allocate = dlsym(RTLD_NEXT, "myblasMalloc");
    largest = bytes > largest ? bytes : largest;
    return allocate(handle, memory, bytes);
}

__attribute__((destructor)) static void tell(void) {
    const char* name = getenv("STANDIN_LOG");
    FILE* log = name ? fopen(name, "a") : NULL;
    if (!log)
        return;
    fprintf(log, "memory %zu\n", largest);
    fclose(log);
}
