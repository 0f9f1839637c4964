// libmyblas.so, loaded when a preload library first has work for it. A process that makes no such
// call maps only the preload library.
#pragma once

#include "myblas/myblas.h"
#include "myblas/myblas_kernels.h"

namespace myblas::preload {

// The public functions that the preload libraries use, by their names without the prefix.
struct library {
    decltype(&myblasCreateOn) create_on;
    decltype(&myblasDestroy) destroy;
    decltype(&myblasSetStream) set_stream;
    decltype(&myblasSetPointerMode) set_pointer_mode;
    decltype(&myblasGetMathMode) get_math_mode;
    decltype(&myblasSetMathMode) set_math_mode;
    decltype(&myblasSetSmCountTarget) set_sm_count_target;
    decltype(&myblasGetDevice) get_device;
    decltype(&myblasSetWorkspace) set_workspace;
    decltype(&myblasSetWorkspaceLimit) set_workspace_limit;
    decltype(&myblasGetWorkspaceLimit) get_workspace_limit;
    decltype(&myblasGetLastKernel) get_last_kernel;
    decltype(&myblasForceKernel) force_kernel;
    decltype(&myblasStreamCreate) stream_create;
    decltype(&myblasStreamSynchronize) stream_synchronize;
    decltype(&myblasMalloc) allocate;
    decltype(&myblasFree) release;
    decltype(&myblasSetMatrixAsync_64) set_matrix_async;
    decltype(&myblasGetMatrixAsync_64) get_matrix_async;
    decltype(&mysgeam_64) sgeam;
#define BLAS_LEVEL3(name, ...) decltype(&my##name##_64) name;
#include "common/entries.inc"
#undef BLAS_LEVEL3
};

// Null where the library cannot be loaded or lacks a function.
const library* load_library() noexcept;

// Any other function, by its name; null: the library lacks it, or cannot be loaded.
void* library_function(const char* name) noexcept;

} // namespace myblas::preload
