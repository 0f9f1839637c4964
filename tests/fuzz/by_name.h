// Functions of other libraries, looked up by name. The calls are answered by the functions that a
// preload library puts in their place.
#pragma once

#include "fuzz/call.h"

#include <string>

namespace fuzz {

// myblas's own functions, or those of a library that the preload libraries stand in for.
enum class entry_points { myblas, fortran, cblas, cublas, cublas_lt };

bool has_name(entry_points, function f);

// Resets everything in the case that a call of these functions cannot express.
void keep_to(entry_points, call_case& c);

// Makes the call by its name in Fortran or CBLAS; in CBLAS, in one of both layouts. Its scalars and
// results are in host memory.
myblasStatus_t call_blas(entry_points, function f, const arguments& g);

// Products by cublasLtMatmul, with descriptors of the toy cublasLt in tests/preload. Which matrices
// are stored by rows follows from the case's seed.
myblasStatus_t call_cublas_lt(const call_case& c, const arguments& g);
void keep_to_cublas_lt(call_case& c);

// Ends the process if no library has the function.
void* find_function(const std::string& name);

// A handle of cuBLAS.
class cublas_handle {
public:
    cublas_handle();
    ~cublas_handle();
    cublas_handle(const cublas_handle&) = delete;
    cublas_handle& operator=(const cublas_handle&) = delete;

    myblasStatus_t call(const call_case& c, const arguments& g) const;

private:
    void* handle_ = nullptr;
};

} // namespace fuzz
