// The Fortran BLAS, looked up by name: what a preload library puts in its place answers the calls.
#pragma once

#include "fuzz/call.h"

namespace fuzz {

bool is_in_blas(function f);

// Leaves of the case what a call of the BLAS can say.
void keep_to_blas(call_case& c);

// The call by the BLAS's name. Its scalars and results are in host memory.
myblasStatus_t call_blas(function f, const arguments& g);

} // namespace fuzz
