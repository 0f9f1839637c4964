// The functions of functions.c, which give C++ the tables of tests/functions.h.
#pragma once

#include "functions.h"

#ifdef __cplusplus
extern "C" {
#endif

const struct function_info* function_info_of(enum function f);

// The form with 64-bit sizes if is_wide is 1.
myblasStatus_t call_function(enum function f,
                             int is_wide,
                             myblasHandle_t handle,
                             const struct arguments* arguments);

#ifdef __cplusplus
}
#endif
