// The generated tables and calls of tests/functions.h, for C++.
#include "fuzz/functions_c.h"

const struct function_info* function_info_of(enum function f) { return &functions[f]; }

myblasStatus_t call_function(enum function f,
                             int is_wide,
                             myblasHandle_t handle,
                             const struct arguments* arguments) {
    return is_wide ? call_wide(f, handle, arguments) : call_narrow(f, handle, arguments);
}
