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

// The product that times a GPU's kernels takes no time, or fails if STANDIN_FAILS is set. Nobody
// looks at its result. A library of the process may have a function for what happens meanwhile.
enum { timed_n = 4096 };

myblasStatus_t mysgemm_64(myblasHandle_t handle,
                          myblasOperation_t transa,
                          myblasOperation_t transb,
                          int64_t m,
                          int64_t n,
                          int64_t k,
                          const float* alpha,
                          const float* A,
                          int64_t lda,
                          const float* B,
                          int64_t ldb,
                          const float* beta,
                          float* C,
                          int64_t ldc) {
    __typeof__(&mysgemm_64) multiply;
    *(void**)&multiply = dlsym(RTLD_NEXT, "mysgemm_64");
    if (m == timed_n && n == timed_n && k == timed_n) {
        void (*meanwhile)(void);
        if ((*(void**)& meanwhile = dlsym(RTLD_DEFAULT, "while_gpu_is_timed")))
            meanwhile();
        return getenv("STANDIN_FAILS") ? MYBLAS_STATUS_EXECUTION_FAILED : MYBLAS_STATUS_SUCCESS;
    }
    return multiply(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

__attribute__((destructor)) static void tell(void) {
    const char* name = getenv("STANDIN_LOG");
    FILE* log = name ? fopen(name, "a") : NULL;
    if (!log)
        return;
    fprintf(log, "memory %zu\n", largest);
    fclose(log);
}
