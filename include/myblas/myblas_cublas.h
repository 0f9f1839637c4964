/*
 * cuBLAS's names for the functions of myblas: a program includes this header in place of
 * cublas_v2.h, and links to libmyblas in place of libcublas. A function that myblas lacks stays
 * undeclared, so the compiler names it.
 *
 * Order of parameters, values of enumerators and meanings follow cuBLAS. Differences:
 *   Copies      cublasSetMatrix and the like take no handle. Here each makes a handle for the time
 *               of the copy, on the current device. Making the handle takes longer than a small
 *               copy, waits for all work on the device (in the Async forms, too) and must not be
 *               captured. In a loop, and on streams, call myblasSetMatrix and the like with a
 *               handle.
 *   Math modes  CUBLAS_DEFAULT_MATH and CUBLAS_PEDANTIC_MATH are MYBLAS_FP32_STRICT_MATH,
 *               CUBLAS_FP32_EMULATED_BF16X9_MATH is MYBLAS_FP32_EMULATED_MATH. There is no TF32.
 *   Emulation   cublasSetEmulationStrategy and cublasSetEmulationSpecialValuesSupport check their
 *               argument and change nothing: emulation is used where it is faster, and handles Inf
 *               and NaN. The functions with Get return these settings.
 *   Ex forms    cublasGemmEx, cublasGemmStridedBatchedEx: matrices of floats and the compute types
 *               32F, 32F_PEDANTIC, 32F_EMULATED_16BFX9 alone, else NOT_SUPPORTED. 32F computes
 *               in the handle's math mode.
 *   Workspace   cublasSetWorkspace with NULL and 0 bytes forbids a workspace.
 * docs/porting.md has the whole table.
 */
#ifndef MYBLAS_MYBLAS_CUBLAS_H
#define MYBLAS_MYBLAS_CUBLAS_H

#if defined(CUBLAS_V2_H_) || defined(CUBLAS_API_H_) || defined(CUBLAS_H_)
#error "include myblas/myblas_cublas.h in place of cuBLAS's headers, not beside them"
#endif
/* Make cuBLAS's headers, if included later, add nothing. */
#define CUBLAS_V2_H_
#define CUBLAS_API_H_

#include "myblas/myblas.h"

/* Names that differ in more than the prefix */
#define cublasLogCallback myblasLogCallback_t
#define CUBLAS_DEFAULT_MATH MYBLAS_FP32_STRICT_MATH
#define CUBLAS_PEDANTIC_MATH MYBLAS_FP32_STRICT_MATH
#define CUBLAS_FP32_EMULATED_BF16X9_MATH MYBLAS_FP32_EMULATED_MATH
/* libraryPropertyType has the values of myblasProperty_t. */
#define cublasGetProperty(type, value) myblasGetProperty((myblasProperty_t)(type), value)

/* Written by scripts/generate.py from myblas.h: begin */
/* Types */
#define cublasHandle_t myblasHandle_t
#define cublasStatus_t myblasStatus_t
#define cublasOperation_t myblasOperation_t
#define cublasFillMode_t myblasFillMode_t
#define cublasSideMode_t myblasSideMode_t
#define cublasDiagType_t myblasDiagType_t
#define cublasPointerMode_t myblasPointerMode_t
#define cublasMath_t myblasMath_t

/* Enumerators */
#define CUBLAS_STATUS_SUCCESS MYBLAS_STATUS_SUCCESS
#define CUBLAS_STATUS_NOT_INITIALIZED MYBLAS_STATUS_NOT_INITIALIZED
#define CUBLAS_STATUS_ALLOC_FAILED MYBLAS_STATUS_ALLOC_FAILED
#define CUBLAS_STATUS_INVALID_VALUE MYBLAS_STATUS_INVALID_VALUE
#define CUBLAS_STATUS_ARCH_MISMATCH MYBLAS_STATUS_ARCH_MISMATCH
#define CUBLAS_STATUS_MAPPING_ERROR MYBLAS_STATUS_MAPPING_ERROR
#define CUBLAS_STATUS_EXECUTION_FAILED MYBLAS_STATUS_EXECUTION_FAILED
#define CUBLAS_STATUS_INTERNAL_ERROR MYBLAS_STATUS_INTERNAL_ERROR
#define CUBLAS_STATUS_NOT_SUPPORTED MYBLAS_STATUS_NOT_SUPPORTED
#define CUBLAS_STATUS_LICENSE_ERROR MYBLAS_STATUS_LICENSE_ERROR
#define CUBLAS_OP_N MYBLAS_OP_N
#define CUBLAS_OP_T MYBLAS_OP_T
#define CUBLAS_OP_C MYBLAS_OP_C
#define CUBLAS_FILL_MODE_LOWER MYBLAS_FILL_MODE_LOWER
#define CUBLAS_FILL_MODE_UPPER MYBLAS_FILL_MODE_UPPER
#define CUBLAS_SIDE_LEFT MYBLAS_SIDE_LEFT
#define CUBLAS_SIDE_RIGHT MYBLAS_SIDE_RIGHT
#define CUBLAS_DIAG_NON_UNIT MYBLAS_DIAG_NON_UNIT
#define CUBLAS_DIAG_UNIT MYBLAS_DIAG_UNIT
#define CUBLAS_POINTER_MODE_HOST MYBLAS_POINTER_MODE_HOST
#define CUBLAS_POINTER_MODE_DEVICE MYBLAS_POINTER_MODE_DEVICE

/* Handles */
#define cublasCreate myblasCreate
#define cublasDestroy myblasDestroy
#define cublasGetVersion myblasGetVersion
#define cublasGetStatusName myblasGetStatusName
#define cublasGetStatusString myblasGetStatusString
#define cublasSetStream myblasSetStream
#define cublasGetStream myblasGetStream
#define cublasSetPointerMode myblasSetPointerMode
#define cublasGetPointerMode myblasGetPointerMode
#define cublasSetMathMode myblasSetMathMode
#define cublasGetMathMode myblasGetMathMode
#define cublasSetSmCountTarget myblasSetSmCountTarget
#define cublasGetSmCountTarget myblasGetSmCountTarget
#define cublasSetWorkspace myblasSetWorkspace

/* Logger */
#define cublasSetLoggerCallback myblasSetLoggerCallback
#define cublasLoggerConfigure myblasLoggerConfigure

/* Matrix product */
#define cublasSgemm mysgemm
#define cublasSgemm_64 mysgemm_64
#define cublasSgemmStridedBatched mysgemmStridedBatched
#define cublasSgemmStridedBatched_64 mysgemmStridedBatched_64
#define cublasSgemmBatched mysgemmBatched
#define cublasSgemmBatched_64 mysgemmBatched_64

/* Level 3 */
#define cublasSsyrk myssyrk
#define cublasSsyrk_64 myssyrk_64
#define cublasSsyrkx myssyrkx
#define cublasSsyrkx_64 myssyrkx_64
#define cublasSsyr2k myssyr2k
#define cublasSsyr2k_64 myssyr2k_64
#define cublasSsymm myssymm
#define cublasSsymm_64 myssymm_64
#define cublasStrmm mystrmm
#define cublasStrmm_64 mystrmm_64
#define cublasStrsm mystrsm
#define cublasStrsm_64 mystrsm_64
#define cublasStrsmBatched mystrsmBatched
#define cublasStrsmBatched_64 mystrsmBatched_64
#define cublasSgemmGroupedBatched mysgemmGroupedBatched
#define cublasSgemmGroupedBatched_64 mysgemmGroupedBatched_64

/* Transpose */
#define cublasSgeam mysgeam
#define cublasSgeam_64 mysgeam_64

/* Sums */
#define cublasSasum mysasum
#define cublasSasum_64 mysasum_64

/* Vectors */
#define cublasSaxpy mysaxpy
#define cublasSaxpy_64 mysaxpy_64
#define cublasScopy myscopy
#define cublasScopy_64 myscopy_64

/* Level 1 */
#define cublasSdot mysdot
#define cublasSdot_64 mysdot_64
#define cublasSnrm2 mysnrm2
#define cublasSnrm2_64 mysnrm2_64
#define cublasIsamax myisamax
#define cublasIsamax_64 myisamax_64
#define cublasIsamin myisamin
#define cublasIsamin_64 myisamin_64
#define cublasSscal mysscal
#define cublasSscal_64 mysscal_64
#define cublasSswap mysswap
#define cublasSswap_64 mysswap_64
#define cublasSrot mysrot
#define cublasSrot_64 mysrot_64
#define cublasSrotm mysrotm
#define cublasSrotm_64 mysrotm_64
#define cublasSrotg mysrotg
#define cublasSrotmg mysrotmg

/* Level 2 */
#define cublasSgemv mysgemv
#define cublasSgemv_64 mysgemv_64
#define cublasSgemvStridedBatched mysgemvStridedBatched
#define cublasSgemvStridedBatched_64 mysgemvStridedBatched_64
#define cublasSgemvBatched mysgemvBatched
#define cublasSgemvBatched_64 mysgemvBatched_64
#define cublasSger mysger
#define cublasSger_64 mysger_64
#define cublasSsymv myssymv
#define cublasSsymv_64 myssymv_64
#define cublasSsyr myssyr
#define cublasSsyr_64 myssyr_64
#define cublasSsyr2 myssyr2
#define cublasSsyr2_64 myssyr2_64
#define cublasStrmv mystrmv
#define cublasStrmv_64 mystrmv_64
#define cublasStrsv mystrsv
#define cublasStrsv_64 mystrsv_64
/* Written by scripts/generate.py from myblas.h: end */

/* Copies: cublas<name> calls myblas<name> with a temporary handle. `size` is the type of sizes. */
#define MYBLAS_CUBLAS_COPY(name, parameters, call)                                                 \
    static inline myblasStatus_t cublas##name parameters {                                         \
        myblasHandle_t handle;                                                                     \
        myblasStatus_t status = myblasCreate(&handle);                                             \
        if (status == MYBLAS_STATUS_SUCCESS) {                                                     \
            const myblasStatus_t copied = call;                                                    \
            status = myblasDestroy(handle);                                                        \
            if (copied != MYBLAS_STATUS_SUCCESS)                                                   \
                status = copied;                                                                   \
        }                                                                                          \
        return status;                                                                             \
    }
/* clang-format off */
#define MYBLAS_CUBLAS_VECTOR(name, size)                                                           \
    MYBLAS_CUBLAS_COPY(name,                                                                       \
        (size n, size element_bytes, const void* x, size incx, void* y, size incy),                \
        myblas##name(handle, n, element_bytes, x, incx, y, incy))
#define MYBLAS_CUBLAS_VECTOR_ASYNC(name, size)                                                     \
    MYBLAS_CUBLAS_COPY(name,                                                                       \
        (size n, size element_bytes, const void* x, size incx, void* y, size incy,                 \
         myblasStream_t stream),                                                                   \
        myblas##name(handle, n, element_bytes, x, incx, y, incy, stream))
#define MYBLAS_CUBLAS_MATRIX(name, size)                                                           \
    MYBLAS_CUBLAS_COPY(name,                                                                       \
        (size rows, size cols, size element_bytes, const void* A, size lda, void* B, size ldb),    \
        myblas##name(handle, rows, cols, element_bytes, A, lda, B, ldb))
#define MYBLAS_CUBLAS_MATRIX_ASYNC(name, size)                                                     \
    MYBLAS_CUBLAS_COPY(name,                                                                       \
        (size rows, size cols, size element_bytes, const void* A, size lda, void* B, size ldb,     \
         myblasStream_t stream),                                                                   \
        myblas##name(handle, rows, cols, element_bytes, A, lda, B, ldb, stream))
/* clang-format on */

MYBLAS_CUBLAS_VECTOR(SetVector, int)
MYBLAS_CUBLAS_VECTOR(SetVector_64, int64_t)
MYBLAS_CUBLAS_VECTOR(GetVector, int)
MYBLAS_CUBLAS_VECTOR(GetVector_64, int64_t)
MYBLAS_CUBLAS_VECTOR_ASYNC(SetVectorAsync, int)
MYBLAS_CUBLAS_VECTOR_ASYNC(SetVectorAsync_64, int64_t)
MYBLAS_CUBLAS_VECTOR_ASYNC(GetVectorAsync, int)
MYBLAS_CUBLAS_VECTOR_ASYNC(GetVectorAsync_64, int64_t)
MYBLAS_CUBLAS_MATRIX(SetMatrix, int)
MYBLAS_CUBLAS_MATRIX(SetMatrix_64, int64_t)
MYBLAS_CUBLAS_MATRIX(GetMatrix, int)
MYBLAS_CUBLAS_MATRIX(GetMatrix_64, int64_t)
MYBLAS_CUBLAS_MATRIX_ASYNC(SetMatrixAsync, int)
MYBLAS_CUBLAS_MATRIX_ASYNC(SetMatrixAsync_64, int64_t)
MYBLAS_CUBLAS_MATRIX_ASYNC(GetMatrixAsync, int)
MYBLAS_CUBLAS_MATRIX_ASYNC(GetMatrixAsync_64, int64_t)

/* Emulated FP32 */
typedef enum {
    CUBLAS_EMULATION_STRATEGY_DEFAULT = 0,
    CUBLAS_EMULATION_STRATEGY_PERFORMANT = 1,
    CUBLAS_EMULATION_STRATEGY_EAGER = 2
} cublasEmulationStrategy_t;

static inline myblasStatus_t cublasSetEmulationStrategy(myblasHandle_t handle,
                                                        cublasEmulationStrategy_t strategy) {
    if (!handle)
        return MYBLAS_STATUS_NOT_INITIALIZED;
    return (int)strategy >= 0 && (int)strategy <= CUBLAS_EMULATION_STRATEGY_EAGER
               ? MYBLAS_STATUS_SUCCESS
               : MYBLAS_STATUS_INVALID_VALUE;
}
static inline myblasStatus_t cublasGetEmulationStrategy(myblasHandle_t handle,
                                                        cublasEmulationStrategy_t* strategy) {
    if (!handle)
        return MYBLAS_STATUS_NOT_INITIALIZED;
    if (!strategy)
        return MYBLAS_STATUS_INVALID_VALUE;
    *strategy = CUBLAS_EMULATION_STRATEGY_PERFORMANT;
    return MYBLAS_STATUS_SUCCESS;
}

/* The masks are of cudaEmulationSpecialValuesSupport, which CUDA's library_types.h declares. */
static inline myblasStatus_t cublasSetEmulationSpecialValuesSupport(myblasHandle_t handle,
                                                                    int mask) {
    if (!handle)
        return MYBLAS_STATUS_NOT_INITIALIZED;
    return mask >= 0 && mask <= 0xFFFF ? MYBLAS_STATUS_SUCCESS : MYBLAS_STATUS_INVALID_VALUE;
}
/* mask: of an enumeration of CUDA's, which has the size of an int */
static inline myblasStatus_t cublasGetEmulationSpecialValuesSupport(myblasHandle_t handle,
                                                                    void* mask) {
    if (!handle)
        return MYBLAS_STATUS_NOT_INITIALIZED;
    if (!mask)
        return MYBLAS_STATUS_INVALID_VALUE;
    *(unsigned*)mask = 0xFFFF;
    return MYBLAS_STATUS_SUCCESS;
}

/* Products by compute types. The types of matrices are of cudaDataType, CUDA_R_32F alone. */
typedef enum {
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78
} cublasComputeType_t;
typedef enum { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 } cublasGemmAlgo_t;

/* *before = the math mode of the handle, which gets that of the compute type */
static inline myblasStatus_t myblas_cublas_set_compute(myblasHandle_t handle,
                                                       int is_float,
                                                       cublasComputeType_t compute,
                                                       myblasMath_t* before) {
    const myblasStatus_t status = myblasGetMathMode(handle, before);
    if (status != MYBLAS_STATUS_SUCCESS)
        return status;
    if (!is_float)
        return MYBLAS_STATUS_NOT_SUPPORTED;
    switch (compute) {
    case CUBLAS_COMPUTE_32F:
        return MYBLAS_STATUS_SUCCESS;
    case CUBLAS_COMPUTE_32F_PEDANTIC:
        return myblasSetMathMode(handle, MYBLAS_FP32_STRICT_MATH);
    case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
        return myblasSetMathMode(handle, MYBLAS_FP32_EMULATED_MATH);
    default:
        return MYBLAS_STATUS_NOT_SUPPORTED;
    }
}

/* cublas<name>: `call` is mysgemm or a batched form. */
#define MYBLAS_CUBLAS_EX(name, parameters, call)                                                   \
    static inline myblasStatus_t cublas##name parameters {                                         \
        myblasMath_t before;                                                                       \
        const int is_float = Atype == 0 && Btype == 0 && Ctype == 0; /* CUDA_R_32F */              \
        myblasStatus_t status = myblas_cublas_set_compute(handle, is_float, compute, &before);     \
        (void)algorithm;                                                                           \
        if (status == MYBLAS_STATUS_SUCCESS) {                                                     \
            status = call;                                                                         \
            myblasSetMathMode(handle, before);                                                     \
        }                                                                                          \
        return status;                                                                             \
    }
/* clang-format off */
#define MYBLAS_CUBLAS_GEMM_EX(name, function, size)                                                \
    MYBLAS_CUBLAS_EX(name,                                                                         \
        (myblasHandle_t handle, myblasOperation_t transa, myblasOperation_t transb,                \
         size m, size n, size k, const void* alpha,                                                \
         const void* A, int Atype, size lda,                                                       \
         const void* B, int Btype, size ldb, const void* beta,                                     \
         void* C, int Ctype, size ldc,                                                             \
         cublasComputeType_t compute, cublasGemmAlgo_t algorithm),                                 \
        function(handle, transa, transb, m, n, k, (const float*)alpha, (const float*)A, lda,       \
                 (const float*)B, ldb, (const float*)beta, (float*)C, ldc))
#define MYBLAS_CUBLAS_GEMM_STRIDED_BATCHED_EX(name, function, size)                                \
    MYBLAS_CUBLAS_EX(name,                                                                         \
        (myblasHandle_t handle, myblasOperation_t transa, myblasOperation_t transb,                \
         size m, size n, size k, const void* alpha,                                                \
         const void* A, int Atype, size lda, long long stride_a,                                   \
         const void* B, int Btype, size ldb, long long stride_b, const void* beta,                 \
         void* C, int Ctype, size ldc, long long stride_c, size batch_count,                       \
         cublasComputeType_t compute, cublasGemmAlgo_t algorithm),                                 \
        function(handle, transa, transb, m, n, k, (const float*)alpha, (const float*)A, lda,       \
                 stride_a, (const float*)B, ldb, stride_b, (const float*)beta, (float*)C, ldc,     \
                 stride_c, batch_count))
/* clang-format on */

MYBLAS_CUBLAS_GEMM_EX(GemmEx, mysgemm, int)
MYBLAS_CUBLAS_GEMM_EX(GemmEx_64, mysgemm_64, int64_t)
MYBLAS_CUBLAS_GEMM_STRIDED_BATCHED_EX(GemmStridedBatchedEx, mysgemmStridedBatched, int)
MYBLAS_CUBLAS_GEMM_STRIDED_BATCHED_EX(GemmStridedBatchedEx_64, mysgemmStridedBatched_64, int64_t)

#undef MYBLAS_CUBLAS_EX
#undef MYBLAS_CUBLAS_GEMM_EX
#undef MYBLAS_CUBLAS_GEMM_STRIDED_BATCHED_EX

#undef MYBLAS_CUBLAS_COPY
#undef MYBLAS_CUBLAS_VECTOR
#undef MYBLAS_CUBLAS_VECTOR_ASYNC
#undef MYBLAS_CUBLAS_MATRIX
#undef MYBLAS_CUBLAS_MATRIX_ASYNC

#endif /* MYBLAS_MYBLAS_CUBLAS_H */
