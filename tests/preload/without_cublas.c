// A library that calls cuBLAS without being linked to one, for host.c. The call returns cuBLAS's
// status for a library that is not initialised, and touches nothing.
int cublasSgemm_v2(void*,
                   int,
                   int,
                   int,
                   int,
                   int,
                   const float*,
                   const float*,
                   int,
                   const float*,
                   int,
                   const float*,
                   float*,
                   int);

int plugin_refused(void) {
    enum { not_initialized = 1 };
    static char handle;
    const float one = 1;
    float c = 2;
    return cublasSgemm_v2(&handle, 0, 0, 1, 1, 1, &one, &one, 1, &one, 1, &one, &c, 1) ==
               not_initialized &&
           c == 2;
}
