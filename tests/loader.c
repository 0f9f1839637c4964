// Loads the library of its first argument, uses it and unloads it, five times; lifecycle.c runs it.
// Not linked with the library, so that dlclose really can unload it. Status 0: all went well.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "myblas/myblas.h"

static bool is_mapped(const char* text) {
    FILE* maps = fopen("/proc/self/maps", "r");
    char line[4096];
    bool found = false;
    while (maps && !found && fgets(line, sizeof line, maps))
        found = strstr(line, text) != NULL;
    if (maps)
        fclose(maps);
    return found;
}

// 0 if they cannot be counted.
static int count_threads(void) {
    DIR* tasks = opendir("/proc/self/task");
    int count = 0;
    for (struct dirent* entry; tasks && (entry = readdir(tasks));)
        count += entry->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return count;
}

static bool use(void* library) {
    myblasStatus_t (*create)(myblasHandle_t*);
    myblasStatus_t (*destroy)(myblasHandle_t);
    myblasStatus_t (*allocate)(myblasHandle_t, void**, size_t);
    myblasStatus_t (*release)(myblasHandle_t, void*);
    myblasStatus_t (*set)(myblasHandle_t, int, int, const void*, int, void*, int);
    myblasStatus_t (*sum)(myblasHandle_t, int, const float*, int, float*);
    *(void**)&create = dlsym(library, "myblasCreate");
    *(void**)&destroy = dlsym(library, "myblasDestroy");
    *(void**)&allocate = dlsym(library, "myblasMalloc");
    *(void**)&release = dlsym(library, "myblasFree");
    *(void**)&set = dlsym(library, "myblasSetVector");
    *(void**)&sum = dlsym(library, "mysum");
    if (!create || !destroy || !allocate || !release || !set || !sum)
        return false;

    static float x[3 << 20]; // worth several threads on the host
    const int n = sizeof x / sizeof x[0];
    for (int i = 0; i < n; ++i)
        x[i] = 1;
    float result = 0;
    myblasHandle_t handle = NULL;
    void* device = NULL;
    return create(&handle) == MYBLAS_STATUS_SUCCESS &&
           allocate(handle, &device, sizeof x) == MYBLAS_STATUS_SUCCESS &&
           set(handle, n, sizeof x[0], x, 1, device, 1) == MYBLAS_STATUS_SUCCESS &&
           sum(handle, n, device, 1, &result) == MYBLAS_STATUS_SUCCESS && result == n &&
           release(handle, device) == MYBLAS_STATUS_SUCCESS &&
           destroy(handle) == MYBLAS_STATUS_SUCCESS;
}

int main(int argc, char** argv) {
    if (argc != 2)
        return 2;
    bool is_threaded = false;
    for (int round = 0; round < 5; ++round) {
        const bool had_driver = is_mapped("libcuda.so");
        void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        if (is_mapped("libcuda.so") != had_driver) {
            fprintf(stderr, "loading the library loaded the driver\n");
            return 1;
        }
        if (!use(library)) {
            fprintf(stderr, "round %d failed\n", round);
            return 1;
        }
        is_threaded = is_threaded || count_threads() > 1;
        if (dlclose(library) != 0 || is_mapped("libmyblas.so")) {
            fprintf(stderr, "the library stays loaded\n");
            return 1;
        }
        if (!is_mapped("libcuda.so") && count_threads() > 1) {
            fprintf(stderr, "the library's threads stay\n");
            return 1;
        }
    }
    if (!is_threaded && getenv("MYBLAS_NUM_THREADS")) {
        fprintf(stderr, "there were no threads\n");
        return 1;
    }
    return 0;
}
