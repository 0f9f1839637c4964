// A library that calls cuBLAS where there is none, for host.c: the call is answered as if cuBLAS had not been
// initialised, and touches nothing.
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
