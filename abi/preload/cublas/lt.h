// The functions of cublasLt that the preload library exports.
#pragma once

#include "myblas/myblas.h"

namespace myblas::preload {
extern "C" {

int cublasLtDestroy(void* handle);
// clang-format off
int cublasLtMatmulAlgoGetHeuristic(void* handle, const void* descriptor, const void* layout_a,
                                   const void* layout_b, const void* layout_c, const void* layout_d,
                                   const void* preference, int most, void* results, int* count);
int cublasLtMatmul(void* handle, const void* descriptor, const void* alpha, const void* a,
                   const void* layout_a, const void* b, const void* layout_b, const void* beta,
                   const void* c, const void* layout_c, void* d, const void* layout_d,
                   const void* algorithm, void* workspace, size_t workspace_bytes,
                   myblasStream_t stream);
// clang-format on

} // extern "C"
} // namespace myblas::preload
