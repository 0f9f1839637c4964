/*
 * myblas: single-precision BLAS for GPUs, with a C ABI that follows cuBLAS's calling conventions.
 *
 * Conventions of every function below
 *   Layout      Matrices are column-major. A matrix with r rows and leading dimension ld keeps its
 *               element (i, j) at index i + j * ld, and ld >= max(1, r). Sizes, leading dimensions
 *               and increments count elements, never bytes, unless a parameter is named ..._bytes
 *               or of type size_t.
 *   Memory      "device memory" below means memory that the handle's backend computes on: GPU
 *               memory on the cuda backend, ordinary memory on the host backend. myblasMalloc gives
 *               the right one on both.
 *   Scalars     alpha, beta and scalar results are in host memory with MYBLAS_POINTER_MODE_HOST
 *               (the default) and in device memory with MYBLAS_POINTER_MODE_DEVICE; the latter
 *               never synchronises. The checks of a call do not know a value in device memory:
 *               where "alpha == 0" or "beta == 0" allows a NULL operand, the scalar must be in host
 *               memory.
 *   Asynchrony  On the cuda backend a call enqueues work on the handle's stream and returns. Only a
 *               scalar result in host memory makes a call wait. Calls can be captured in a CUDA
 *               graph; a call that must wait for its result returns MYBLAS_STATUS_INTERNAL_ERROR
 *               while its stream is being captured. A routine may enlarge the handle's own
 *               workspace, without waiting (myblasSetWorkspaceLimit). In a capture it may allocate
 *               memory for the graph: the allocation is not recorded in the graph, but may make the
 *               call wait for other work on the device. Otherwise only mysgemmHost allocates. On
 *               the host backend every call is finished when it returns. A kernel's code is loaded
 *               by the first call that takes the kernel. As for the first launch of any kernel, the
 *               CUDA driver may then wait for the device, and allocate memory for the code.
 *   Threads     A handle may be used by one thread at a time. Different handles are independent.
 *   Errors      Every function that can fail returns a status. Arguments are checked in the order
 *               of the parameter list, then the quick returns are taken (a size of zero), then
 *               pointers are checked. A call that fails one of these checks has no effect but its
 *               status. Nothing is printed; the logger (myblasLoggerConfigure) gets a line for each
 *               call that computes and for each error.
 *   Accuracy    The bounds hold if no product and no partial sum of the formula overflows; some
 *               routines promise more. A kernel may compute alpha (a b), (alpha a) b or a (alpha
 *               b), so alpha times an element of an operand is a product of the formula, too. On
 *               one device results have the same bits on every run. The exceptions are kernels with
 *               deterministic == 0 (myblasKernelInfo_t), such as `openblas` on the host.
 *   Underflow   Where a bound holds "as long as nothing underflows", underflow adds at most (d + 4)
 *               (1 + |alpha| + p + q) 2^-149 to the bound of an element: the sum of the element has
 *               d products, and p and q are the largest magnitudes among their factors (the row of
 *               op(A), the column of op(B)).
 *   Inf, NaN    "As in the formula" means: a result is NaN, Inf or -Inf where the formula in exact
 *               arithmetic with Inf and NaN is, and else finite. If alpha is Inf, if a product
 *               overflows, or if alpha times an element underflows in a sum with an Inf, the result
 *               may be any of the three instead. A zero alpha or beta is no factor: what it would
 *               multiply is not read.
 *   Statuses common to all routines
 *               NOT_INITIALIZED   the handle is NULL, was destroyed, never was a handle, or belongs
 *                                 to a CUDA context lost by fork(). (A new handle may get the
 *                                 address of a destroyed one; the old pointer then means the new
 *                                 handle.)
 *               INVALID_VALUE     an argument is out of its documented range, or the indices or the
 *                                 workspace of the call would not fit 64 bits (checked with the
 *                                 pointers).
 *               NOT_SUPPORTED     the forced kernel (myblas_kernels.h) does not accept this call.
 *               ALLOC_FAILED      memory without which no kernel (or not the forced one) can run
 *                                 could not be allocated: the handle's own workspace, 16 KiB for a
 *                                 graph, or the code of kernels. The call has no effect.
 *               EXECUTION_FAILED  the GPU refused a launch, perhaps for lack of memory. Parts of
 *                                 the result may be written. Of any function: the GPU cannot be
 *                                 used.
 *   _64 forms   have int64_t sizes, and are otherwise the same. Index arithmetic is 64-bit in both.
 *               myblas_64.h, which this header includes, declares them.
 *   Source      Parameter order, status values and check order follow cuBLAS 13 if it has the
 *               routine.
 *
 * BLAS's routines in single precision
 *   level 3     here: gemm gemmtr symm syrk syr2k trmm trsm
 *   level 2     here: gemv ger symv syr syr2 trmv trsv
 *               not here: gbmv sbmv tbmv tbsv (banded), spmv spr spr2 tpmv tpsv (packed)
 *   level 1     here: asum axpy copy dot iamax nrm2 rot rotg rotm rotmg scal sdsdot swap
 * cuBLAS has all of them except gemmtr and sdsdot, NVBLAS has those of level 3 except gemmtr.
 */
#ifndef MYBLAS_MYBLAS_H
#define MYBLAS_MYBLAS_H

#include <stddef.h>
#include <stdint.h>

#define MYBLAS_VERSION_MAJOR 1
#define MYBLAS_VERSION_MINOR 0
#define MYBLAS_VERSION_PATCH 0
#define MYBLAS_VERSION                                                                             \
    (MYBLAS_VERSION_MAJOR * 10000 + MYBLAS_VERSION_MINOR * 100 + MYBLAS_VERSION_PATCH)

#if defined(__GNUC__)
#define MYBLAS_API __attribute__((visibility("default")))
#else
#define MYBLAS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ----------------------------------------------------------------------------------- */

/* Values equal cublasStatus_t's. */
typedef enum {
    MYBLAS_STATUS_SUCCESS = 0,
    MYBLAS_STATUS_NOT_INITIALIZED = 1,
    MYBLAS_STATUS_ALLOC_FAILED = 3,
    MYBLAS_STATUS_INVALID_VALUE = 7,
    MYBLAS_STATUS_ARCH_MISMATCH = 8,
    MYBLAS_STATUS_MAPPING_ERROR = 11,
    MYBLAS_STATUS_EXECUTION_FAILED = 13,
    MYBLAS_STATUS_INTERNAL_ERROR = 14,
    MYBLAS_STATUS_NOT_SUPPORTED = 15,
    MYBLAS_STATUS_LICENSE_ERROR = 16
} myblasStatus_t;

/* Values equal cublasOperation_t's. For real data C (conjugate transpose) is T. */
typedef enum { MYBLAS_OP_N = 0, MYBLAS_OP_T = 1, MYBLAS_OP_C = 2 } myblasOperation_t;

/* Values equal cublasFillMode_t's, cublasSideMode_t's and cublasDiagType_t's. */
typedef enum { MYBLAS_FILL_MODE_LOWER = 0, MYBLAS_FILL_MODE_UPPER = 1 } myblasFillMode_t;
typedef enum { MYBLAS_SIDE_LEFT = 0, MYBLAS_SIDE_RIGHT = 1 } myblasSideMode_t;
typedef enum { MYBLAS_DIAG_NON_UNIT = 0, MYBLAS_DIAG_UNIT = 1 } myblasDiagType_t;

typedef enum { MYBLAS_POINTER_MODE_HOST = 0, MYBLAS_POINTER_MODE_DEVICE = 1 } myblasPointerMode_t;

/*
 * The accuracy that a product promises. In every mode results have the same bits on every run on
 * one GPU, given the same workspace (myblasSetWorkspaceLimit). Emulated and fast use tensor cores
 * where these are faster and the promise can be kept; elsewhere, and on the host backend, they
 * compute as strict.
 *
 * Reproducible: an element has the same bits for all other sizes of the product, places in a batch,
 * alignments, leading dimensions, transpositions, workspaces and streams, on every GPU, and on the
 * host backend. It is
 *   acc = +0;  for l = 0, 1, ..., k - 1:  acc = fma(op(A)[i, l], op(B)[l, j], acc)
 *   x = fma(alpha, acc, +0)        with k == 0 or alpha == 0: +0
 *   x = x + bias                   if there is a bias
 *   x = fma(beta, C[i, j], x)      unless beta == 0
 *   aux = x;  result = x, or with ReLU +0 where x <= 0
 * rounded to nearest, with subnormal numbers. The sign and the payload of a NaN are not specified.
 * This holds for mysgemm and all its variants (batched, grouped, fused, on host memory), mysgemv
 * and its batches, myssyrk, myssyrkx, mysgemmtr and myssymm. NOT_SUPPORTED: GELU; myssyr2k, mystrmm
 * and mystrsm; a forced kernel that adds in another order. No other routine has math modes.
 */
typedef enum {
    MYBLAS_FP32_STRICT_MATH = 0,      /* FP32 fused multiply-add arithmetic; the default */
    MYBLAS_FP32_EMULATED_MATH = 1,    /* FP32 accuracy, componentwise, from tensor cores */
    MYBLAS_FP32_FAST_MATH = 2,        /* FP32 accuracy, norm-wise, from tensor cores */
    MYBLAS_FP32_REPRODUCIBLE_MATH = 3 /* strict, with one order of operations everywhere */
} myblasMath_t;

/* The last operation of mysgemmFused on each element. */
typedef enum {
    MYBLAS_ACTIVATION_NONE = 0,
    MYBLAS_ACTIVATION_RELU = 1, /* max(x, 0); NaN stays NaN */
    MYBLAS_ACTIVATION_GELU = 2  /* 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) */
} myblasActivation_t;

/* Whether the bias has an element for each row or for each column of the result. */
typedef enum { MYBLAS_BIAS_OF_ROWS = 0, MYBLAS_BIAS_OF_COLUMNS = 1 } myblasBias_t;

typedef enum {
    MYBLAS_BACKEND_AUTO = 0, /* cuda where a device is usable, else host */
    MYBLAS_BACKEND_HOST = 1,
    MYBLAS_BACKEND_CUDA = 2
} myblasBackend_t;

/* Values equal libraryPropertyType's. */
typedef enum {
    MYBLAS_PROPERTY_MAJOR_VERSION = 0,
    MYBLAS_PROPERTY_MINOR_VERSION = 1,
    MYBLAS_PROPERTY_PATCH_LEVEL = 2
} myblasProperty_t;

typedef struct myblasContext* myblasHandle_t;

/* The same type as cudaStream_t, so CUDA programs can pass their streams. */
typedef struct CUstream_st* myblasStream_t;

typedef void (*myblasLogCallback_t)(const char* message);

/* The routines that have kernels to choose from. */
typedef enum {
    MYBLAS_ROUTINE_SGEMM = 0,     /* mysgemm, mysgemmFused, mysgemv and their batched forms */
    MYBLAS_ROUTINE_TRANSPOSE = 1, /* mytranspose, mytransposeEx, mytransposeStridedBatched */
    MYBLAS_ROUTINE_GEAM = 2,      /* mysgeam */
    MYBLAS_ROUTINE_SUM = 3,       /* mysum, mysasum */
    MYBLAS_ROUTINE_DSUM = 4,      /* mydsum */
    MYBLAS_ROUTINE_AXPY = 5,      /* mysaxpy */
    MYBLAS_ROUTINE_COPY = 6,      /* myscopy */
    MYBLAS_ROUTINE_GEMSUM = 7,    /* mysgemsum */
    MYBLAS_ROUTINE_HISTOGRAM = 8, /* myhistogram256 */
    /* Level 1 */
    MYBLAS_ROUTINE_DOT = 9,    /* mysdot, mysdsdot */
    MYBLAS_ROUTINE_NRM2 = 10,  /* mysnrm2 */
    MYBLAS_ROUTINE_IAMAX = 11, /* myisamax, myisamin */
    MYBLAS_ROUTINE_SCAL = 12,  /* mysscal */
    MYBLAS_ROUTINE_SWAP = 13,  /* mysswap */
    MYBLAS_ROUTINE_ROT = 14,   /* mysrot */
    MYBLAS_ROUTINE_ROTM = 15,  /* mysrotm */
    MYBLAS_ROUTINE_ROTG = 16,  /* mysrotg */
    MYBLAS_ROUTINE_ROTMG = 17, /* mysrotmg */
    /* Level 2 */
    MYBLAS_ROUTINE_SYMV = 18, /* myssymv */
    MYBLAS_ROUTINE_SYR = 19,  /* myssyr, myssyr2, mysger */
    MYBLAS_ROUTINE_TRMV = 20, /* mystrmv */
    MYBLAS_ROUTINE_TRSV = 21, /* mystrsv */
    /* Level 3 */
    MYBLAS_ROUTINE_SYRK = 22,  /* myssyrk, myssyrkx, mysgemmtr */
    MYBLAS_ROUTINE_SYR2K = 23, /* myssyr2k */
    MYBLAS_ROUTINE_SYMM = 24,  /* myssymm */
    MYBLAS_ROUTINE_TRMM = 25,  /* mystrmm */
    MYBLAS_ROUTINE_TRSM = 26   /* mystrsm and its batched forms */
} myblasRoutine_t;

#define MYBLAS_ROUTINE_COUNT 27

/*
 * Describes a call without making it, for myblasGetWorkspaceSize and myblas_kernels.h. Set
 * size_bytes to sizeof(myblasCall_t), zero the rest, then fill in the routine's fields. Other
 * fields are ignored.
 *   SGEMM      transa transb m n k lda ldb ldc A B C batch_count (0 means 1) math_mode (where no
 *              handle tells it) pointer_array (1: mysgemmBatched; A, B, C are then ignored)
 *              is_fused (1: mysgemmFused with an activation, a bias or an aux, or that reads a C
 *              other than D. Any other mysgemmFused takes mysgemm's kernel: for example one with no
 *              epilogue and a beta that the host knows to be 0. ldc and C describe D)
 *              reads_C (0: beta is 0; 1: it is 1; 2: it has another value, or is in device memory)
 *              shared (of a batch by strides, 0: each product has an A and a B of its own; 1: all
 *              have one A; 2: one B; 3: both)
 *   TRANSPOSE  m n lda ldb A B element_bytes (0 means 4) batch_count (0 means 1); A == B, not NULL:
 *              in place
 *   GEAM       transa transb m n lda ldb ldc A B C
 *   SUM DSUM   n lda (the increment) A (the vector)
 *   AXPY COPY  n lda ldb (the increments) A B (the vectors x and y)
 *   GEMSUM     transa m n lda A C (the sums)
 *   HISTOGRAM  n A (the bytes) C (the counts)
 *   DOT SWAP ROT ROTM   as AXPY and COPY
 *   NRM2 IAMAX SCAL     as SUM
 *   ROTG ROTMG          nothing
 *   SYMV       uplo n lda ldb ldc (the increments of x and y) A B C (the vectors x and y)
 *   SYR        uplo n lda ldb ldc (the increments) A B C (x and y); ldc == 0: myssyr; not mysger
 *   TRMV TRSV  uplo transa diag n lda ldb (the increment) A B (the vector)
 *   SYRK       uplo transa n k lda ldb ldc A B C math_mode; ldb 0: myssyrk, which has no B; else
 *              transb as for mysgemmtr; for myssyrkx transb is the opposite of transa
 *   SYR2K      uplo transa n k lda ldb ldc A B C math_mode
 *   SYMM       side uplo m n lda ldb ldc A B C math_mode
 *   TRMM       side uplo transa diag m n lda ldb ldc A B C math_mode; B == C, not NULL: in place
 *   TRSM       side uplo transa diag m n lda ldb A B math_mode batch_count (0 means 1)
 *              pointer_array (1: mystrsmBatched; A and B are then ignored)
 * Pointers only tell alignment and aliasing: they are never dereferenced. NULL stands for a fresh
 * allocation. The matrices of a batch are taken as contiguous, except for shared ones. Fields may
 * be added at the end; later versions accept the sizes of earlier ones.
 */
typedef struct {
    size_t size_bytes;
    myblasRoutine_t routine;
    myblasOperation_t transa, transb;
    int element_bytes;
    int64_t m, n, k;
    int64_t lda, ldb, ldc;
    int64_t batch_count;
    const void *A, *B, *C;
    myblasMath_t math_mode;
    int pointer_array;
    myblasSideMode_t side;
    myblasFillMode_t uplo;
    myblasDiagType_t diag;
    int is_fused;
    int reads_C;
    int shared;
} myblasCall_t;

/* ---- Handles --------------------------------------------------------------------------------- */

/*
 * Creates a handle. The environment variable MYBLAS_BACKEND names the backend (auto, host or cuda,
 * in any case; anything else is INVALID_VALUE); the default is auto. An empty variable counts as
 * not set. On the cuda backend the handle belongs to the device that is current in the calling
 * thread. Creating a handle is the only step that loads the CUDA driver.
 * INVALID_VALUE: handle is NULL, or MYBLAS_BACKEND, MYBLAS_MATH, MYBLAS_WORKSPACE or
 * MYBLAS_NUM_THREADS has a wrong value, which the log names. NOT_INITIALIZED: the cuda backend was
 * requested, but there is no usable driver or device, the process forked after CUDA was used, or
 * the program was linked with -static. ARCH_MISMATCH: the compute capability of the device is below
 * 8.0, or this build of the library has no code for the device. ALLOC_FAILED: out of memory, or
 * there are 65536 handles. After cudaDeviceReset a handle can only be destroyed.
 */
MYBLAS_API myblasStatus_t myblasCreate(myblasHandle_t* handle);

/*
 * As myblasCreate, but on the given backend: MYBLAS_BACKEND is ignored. INVALID_VALUE also: not a
 * backend.
 */
MYBLAS_API myblasStatus_t myblasCreateOn(myblasHandle_t* handle, myblasBackend_t backend);

/*
 * Waits for the handle's own work and frees its resources. On a GPU, memory of up to four streams
 * is kept for later handles of the context (16 KiB each, and workspaces of 32 MiB) until dlclose
 * loses it. A myblasSetWorkspaceLimit below 32 MiB frees it, and a handle with such a limit leaves
 * no workspace. NOT_INITIALIZED: handle is NULL, was destroyed before or never was a handle.
 * EXECUTION_FAILED: the GPU cannot be used, or memory could not be freed. The handle is gone.
 */
MYBLAS_API myblasStatus_t myblasDestroy(myblasHandle_t handle);

/*
 * *version = MYBLAS_VERSION of the library at run time. handle may be NULL, as in cuBLAS.
 * INVALID_VALUE: version NULL.
 */
MYBLAS_API myblasStatus_t myblasGetVersion(myblasHandle_t handle, int* version);
/* One part of the version. INVALID_VALUE: unknown type or value NULL. */
MYBLAS_API myblasStatus_t myblasGetProperty(myblasProperty_t type, int* value);

/*
 * myblasGetStatusName: the enumerator's name, such as "MYBLAS_STATUS_SUCCESS".
 * myblasGetStatusString: its meaning in one line. Never NULL; of a value that is no status,
 * "unrecognised status".
 */
MYBLAS_API const char* myblasGetStatusName(myblasStatus_t status);
MYBLAS_API const char* myblasGetStatusString(myblasStatus_t status);

/* *backend = the backend the handle runs on, never AUTO. INVALID_VALUE: backend NULL. */
MYBLAS_API myblasStatus_t myblasGetBackend(myblasHandle_t handle, myblasBackend_t* backend);

/*
 * Later calls enqueue their work on stream (NULL: the legacy default stream). Each further stream
 * on which the handle computes gets its own 16 KiB, which the handle keeps until myblasDestroy. A
 * stream's workspace is allocated by the first call that can use one (myblasSetWorkspaceLimit).
 * A handle may therefore change streams while earlier work still runs, and results have the same
 * bits on every stream. As in cuBLAS, the call drops a workspace that myblasSetWorkspace set.
 * A stream must outlive the work that the handle enqueued on it. cudaStreamPerThread is a different
 * stream in each thread: call myblasSetStream in the thread that uses it. ALLOC_FAILED: no memory
 * for the 16 KiB; the handle keeps its stream.
 * The host backend stores the value; its calls are synchronous.
 *   Graphs      The calls of a handle that are captured on one stream in one capture share memory
 *               that nothing else uses. Graphs may therefore run at the same time as other graphs
 *               and as calls, on any streams. Branches of one graph may run at the same time too,
 *               if they were captured on different streams. If the program lends workspaces, each
 *               such graph and branch needs its own. Two instances of one graph must not run at the
 *               same time, and calls of one stream must not be made branches by
 *               cudaStreamUpdateCaptureDependencies. Streams that take part in a capture must live
 *               until it ends, since a new one may have their address. A graph may outlive the
 *               handle. When the graph and all its instances are destroyed, later captures of the
 *               process use the memory again. Nodes that were copied into another graph therefore
 *               need the first graph. myblasDestroy frees the memory that is no longer used;
 *               myblasSetWorkspaceLimit frees its blocks above the new limit.
 */
MYBLAS_API myblasStatus_t myblasSetStream(myblasHandle_t handle, myblasStream_t stream);
/* *stream = what myblasSetStream set. INVALID_VALUE: stream NULL. */
MYBLAS_API myblasStatus_t myblasGetStream(myblasHandle_t handle, myblasStream_t* stream);

/* Says where later calls find alpha, beta and scalar results. INVALID_VALUE: not a pointer mode. */
MYBLAS_API myblasStatus_t myblasSetPointerMode(myblasHandle_t handle, myblasPointerMode_t mode);
/* *mode = what was set, at first MYBLAS_POINTER_MODE_HOST. INVALID_VALUE: mode NULL. */
MYBLAS_API myblasStatus_t myblasGetPointerMode(myblasHandle_t handle, myblasPointerMode_t* mode);

/*
 * Sets the accuracy that later products promise. The environment variable MYBLAS_MATH (strict,
 * emulated, fast, reproducible; with another value myblasCreate returns INVALID_VALUE) sets the
 * mode of new handles. INVALID_VALUE: not an enumerator.
 */
MYBLAS_API myblasStatus_t myblasSetMathMode(myblasHandle_t handle, myblasMath_t mode);
/*
 * *mode = what was set, at first MYBLAS_FP32_STRICT_MATH or what MYBLAS_MATH says. INVALID_VALUE:
 * mode NULL.
 */
MYBLAS_API myblasStatus_t myblasGetMathMode(myblasHandle_t handle, myblasMath_t* mode);

/*
 * Sets the number of multiprocessors that calls plan for, from 1 to the device's number. The
 * others are free for other kernels, such as NCCL's. Kernels are chosen as if the GPU had no
 * more multiprocessors, and persistent kernels have blocks for no more. Other kernels have a block
 * for each tile, and the GPU places these blocks wherever there is room: the number is a plan and
 * no limit. Another number may give other bits, within the stated bounds. 0, the number at first,
 * stands for the value of the environment variable MYBLAS_SMS, or for all. MYBLAS_SMS is a number
 * from 1 on; a larger one than the device's counts as all. With any other value myblasCreate
 * returns INVALID_VALUE. On the host backend the number has no effect.
 * Source: cublasSetSmCountTarget.
 * INVALID_VALUE: count negative, or above the device's number.
 */
MYBLAS_API myblasStatus_t myblasSetSmCountTarget(myblasHandle_t handle, int count);
/* *count = what was set, at first 0. INVALID_VALUE: count NULL. */
MYBLAS_API myblasStatus_t myblasGetSmCountTarget(myblasHandle_t handle, int* count);

/*
 * Lends the handle size_bytes of device memory, aligned to 256 bytes, in place of the handle's
 * workspace. NULL with 0 bytes forbids a workspace. The setting holds until the next
 * myblasSetStream. Lent memory never grows, and must stay valid and unused by others while work
 * runs on it. INVALID_VALUE: NULL with a size, or misaligned.
 */
MYBLAS_API myblasStatus_t myblasSetWorkspace(myblasHandle_t handle,
                                             void* workspace,
                                             size_t size_bytes);

/*
 * Limits the growth of the handle's own workspace, for each of its streams separately. The
 * environment variable MYBLAS_WORKSPACE sets the limit of new handles, in bytes, or with K, M or G
 * in powers of 1024, for example 512M. With any other value myblasCreate returns INVALID_VALUE;
 * empty counts as not set. The default is 4 GiB, but at most an eighth of the device's memory
 * (host: 0). 4 GiB are enough for a product of 16384 cubed in one pass in every mode.
 *   Growth      The first call that can use a workspace gets a block of 32 MiB of device memory,
 *               for any limit. With a limit of 32 MiB or less, even 0, the stream never has more. A
 *               call that can use more replaces the block by a larger one. Its size is the useful
 *               size or twice the present size, the larger of both, but at most the limit. Later
 *               calls of the stream use the block again. The block is allocated in stream order
 *               (cudaMallocAsync, from the device's current memory pool), so no call waits for it.
 *               On a device without memory pools it is allocated by cudaMalloc.
 *   Captures    A captured call uses blocks of its graph (myblasSetStream), which are allocated by
 *               cudaMalloc during the capture. Block sizes are powers of 2, but at most the limit
 *               (or 32 MiB, if the limit is less). A graph therefore has less than three times this
 *               maximum on each captured stream.
 *               Graphs do not share blocks: a program with many graphs may want to set a low limit
 *               or to lend a workspace.
 *   Bits        No result depends on the present size of the workspace, or on whether the call is
 *               captured: each call uses its useful size and no more.
 *   No memory   is no error if the call can do without. The call uses the present workspace, and
 *               later calls of the stream request at most half of the refused size until the next
 *               myblasSetWorkspaceLimit. If even the first block is refused, 64 calls do without
 *               before it is requested again. Other kernels may then compute: slower, and with
 *               other bits within the stated bounds.
 *   Release     The block is freed when it is replaced, when the limit falls below its size, with
 *               myblasStreamDestroy and with myblasDestroy. A lower limit frees the block of the
 *               handle's stream at once, unless the stream is being captured. The block of another
 *               stream is freed with the next myblasSetStream to that stream. On a device without
 *               memory pools, a block that is replaced or above the limit is freed with
 *               myblasDestroy. myblasSetWorkspaceLimit also frees blocks of destroyed graphs that
 *               are above the limit, and then waits for the device. Below 32 MiB it also frees the
 *               memory that destroyed handles left (myblasDestroy).
 * On the host backend the workspace does not grow beyond 32 MiB. EXECUTION_FAILED: the device is
 * lost.
 */
MYBLAS_API myblasStatus_t myblasSetWorkspaceLimit(myblasHandle_t handle, size_t size_bytes);
/* *size_bytes = the limit as it was set. INVALID_VALUE: size_bytes NULL. */
MYBLAS_API myblasStatus_t myblasGetWorkspaceLimit(myblasHandle_t handle, size_t* size_bytes);

/*
 * *size_bytes = the largest useful workspace for the described call: with it the best kernel, or
 * the forced one, computes the call, in one pass if the kernel has passes. With less, another
 * kernel computes the call, or more passes are needed, or the call returns NOT_SUPPORTED if a
 * kernel is forced. Level 3 is described with a beta of 0; with another beta the best kernel may
 * want more. INVALID_VALUE: a pointer is NULL, call->size_bytes is wrong, or the call itself would
 * be refused. NOT_SUPPORTED: the forced kernel cannot take the call with any workspace.
 */
MYBLAS_API myblasStatus_t myblasGetWorkspaceSize(myblasHandle_t handle,
                                                 const myblasCall_t* call,
                                                 size_t* size_bytes);

/* ---- Logger ---------------------------------------------------------------------------------- */

/*
 * Messages are one line, without a newline. The callback gets every message, whether or not the
 * logger is configured; NULL removes it. The callback may be called from any thread that uses the
 * library.
 */
MYBLAS_API myblasStatus_t myblasSetLoggerCallback(myblasLogCallback_t callback);

/*
 * As cublasLoggerConfigure: turns logging on or off, to any of stdout, stderr and a file (NULL:
 * none; appended to). Off by default. The environment variable MYBLAS_LOG (stdout, stderr or a file
 * name) does the same for unmodified programs when the first handle is created. INVALID_VALUE: the
 * file cannot be opened; the settings stay as they were.
 */
MYBLAS_API myblasStatus_t myblasLoggerConfigure(int log_is_on,
                                                int log_to_stdout,
                                                int log_to_stderr,
                                                const char* log_file);

/* ---- Streams and memory for portable programs ------------------------------------------------ */

/*
 * The functions of this part take the handle because it knows the backend; otherwise they follow
 * cuBLAS's helpers.
 */

/*
 * Makes a stream that does not synchronise with the legacy default stream. INVALID_VALUE: stream
 * NULL. ALLOC_FAILED: none could be made.
 */
MYBLAS_API myblasStatus_t myblasStreamCreate(myblasHandle_t handle, myblasStream_t* stream);
/*
 * Waits for the stream's work, then destroys the stream and frees its workspace. If it was the
 * handle's stream, the handle's stream becomes NULL. Graphs that were captured on the stream can
 * still be launched. INTERNAL_ERROR: the stream is being captured. EXECUTION_FAILED: its work
 * failed. INVALID_VALUE: the NULL stream.
 */
MYBLAS_API myblasStatus_t myblasStreamDestroy(myblasHandle_t handle, myblasStream_t stream);
/*
 * Waits for the stream's work. EXECUTION_FAILED: the work failed. INTERNAL_ERROR: the stream is
 * being captured.
 */
MYBLAS_API myblasStatus_t myblasStreamSynchronize(myblasHandle_t handle, myblasStream_t stream);

/*
 * Device memory aligned to 256 bytes or more; 0 bytes give NULL. INVALID_VALUE: ptr NULL.
 * ALLOC_FAILED: *ptr is NULL.
 */
MYBLAS_API myblasStatus_t myblasMalloc(myblasHandle_t handle, void** ptr, size_t size_bytes);
/* Frees memory from myblasMalloc; NULL is allowed. Waits for work that uses the memory. */
MYBLAS_API myblasStatus_t myblasFree(myblasHandle_t handle, void* ptr);

/*
 * Copies a matrix of rows x cols (myblasSetMatrix, myblasGetMatrix) or a vector of n
 * (myblasSetVector, myblasGetVector) elements of element_bytes. Set copies from host to device, Get
 * from device to host, after the work on the handle's stream; the copy is finished when the call
 * returns.
 * INVALID_VALUE: rows, cols or n < 0; element_bytes < 1; a leading dimension < max(1, rows); an
 * increment < 1; a NULL pointer where something is to be copied. MAPPING_ERROR: the copy failed.
 */
MYBLAS_API myblasStatus_t myblasSetMatrix(myblasHandle_t handle,
                                          int rows,
                                          int cols,
                                          int element_bytes,
                                          const void* A,
                                          int lda,
                                          void* B,
                                          int ldb);
MYBLAS_API myblasStatus_t myblasGetMatrix(myblasHandle_t handle,
                                          int rows,
                                          int cols,
                                          int element_bytes,
                                          const void* A,
                                          int lda,
                                          void* B,
                                          int ldb);
MYBLAS_API myblasStatus_t myblasSetVector(
    myblasHandle_t handle, int n, int element_bytes, const void* x, int incx, void* y, int incy);
MYBLAS_API myblasStatus_t myblasGetVector(
    myblasHandle_t handle, int n, int element_bytes, const void* x, int incx, void* y, int incy);

/*
 * myblasSetMatrixAsync, myblasGetMatrixAsync, myblasSetVectorAsync and myblasGetVectorAsync copy
 * like the functions without Async, but on a given stream and without waiting. Host memory must
 * stay valid until the stream has done the copy.
 */
MYBLAS_API myblasStatus_t myblasSetMatrixAsync(myblasHandle_t handle,
                                               int rows,
                                               int cols,
                                               int element_bytes,
                                               const void* A,
                                               int lda,
                                               void* B,
                                               int ldb,
                                               myblasStream_t stream);
MYBLAS_API myblasStatus_t myblasGetMatrixAsync(myblasHandle_t handle,
                                               int rows,
                                               int cols,
                                               int element_bytes,
                                               const void* A,
                                               int lda,
                                               void* B,
                                               int ldb,
                                               myblasStream_t stream);
MYBLAS_API myblasStatus_t myblasSetVectorAsync(myblasHandle_t handle,
                                               int n,
                                               int element_bytes,
                                               const void* x,
                                               int incx,
                                               void* y,
                                               int incy,
                                               myblasStream_t stream);
MYBLAS_API myblasStatus_t myblasGetVectorAsync(myblasHandle_t handle,
                                               int n,
                                               int element_bytes,
                                               const void* x,
                                               int incx,
                                               void* y,
                                               int incy,
                                               myblasStream_t stream);

/* ---- Matrix product -------------------------------------------------------------------------- */

/*
 * C = alpha * op(A) * op(B) + beta * C
 *   op(A)  m x k: A is m x k with lda >= max(1, m) for OP_N, k x m with lda >= max(1, k) for OP_T,
 *          OP_C
 *   op(B)  k x n: B is k x n with ldb >= max(1, k) for OP_N, n x k with ldb >= max(1, n) for OP_T,
 *          OP_C
 *   C      m x n, ldc >= max(1, m); must not overlap A or B
 * m == 0 or n == 0: success, nothing is touched. k == 0 or alpha == 0: A and B are not read and may
 * be NULL. beta == 0: C is not read. Memory between the rows of a column and the next column is
 * never touched. INVALID_VALUE, in this order: transa, transb, m, n, k < 0, lda, ldb, ldc, alpha or
 * beta NULL, A, B or C NULL where it is used.
 * Accuracy (strict): |C - exact| <= (k + 4) u (|alpha| |A| |B| + |beta| |C|) componentwise, u =
 * 2^-24, as long as nothing underflows; NaN and Inf propagate as in the formula. Emulated: the same
 * with max(k, 64) for k. Fast: the bound of emulated plus (k + 31) 2^-36 |alpha| times the largest
 * magnitudes in the row of A and the column of B. Source: cublasSgemm_v2; BLAS sgemm.
 */
MYBLAS_API myblasStatus_t mysgemm(myblasHandle_t handle,
                                  myblasOperation_t transa,
                                  myblasOperation_t transb,
                                  int m,
                                  int n,
                                  int k,
                                  const float* alpha,
                                  const float* A,
                                  int lda,
                                  const float* B,
                                  int ldb,
                                  const float* beta,
                                  float* C,
                                  int ldc);

/*
 * mysgemm for programs that keep nothing on the device: A, B, C, alpha and beta are in host memory,
 * in both pointer modes. Copies the operands to device memory that it allocates for the time of the
 * call, computes after the work on the handle's stream, and copies C back: C is complete when the
 * call returns. On the host backend it is mysgemm. Operands that are not read are not copied.
 * Accuracy as mysgemm. Statuses as mysgemm, and ALLOC_FAILED: no memory on the device;
 * MAPPING_ERROR: a copy failed, or memory could not be freed; INTERNAL_ERROR: the stream is being
 * captured, and there is something to compute. C is not touched unless the status is SUCCESS or
 * MAPPING_ERROR. Source: cuBLAS's thunking Fortran wrappers.
 */
MYBLAS_API myblasStatus_t mysgemmHost(myblasHandle_t handle,
                                      myblasOperation_t transa,
                                      myblasOperation_t transb,
                                      int m,
                                      int n,
                                      int k,
                                      const float* alpha,
                                      const float* A,
                                      int lda,
                                      const float* B,
                                      int ldb,
                                      const float* beta,
                                      float* C,
                                      int ldc);

/*
 * batch_count products of one shape, operand i of each at its base + i * stride elements; a stride
 * of 0 for A or B shares the operand. Strides may be negative; those of A and B may be anything.
 * The C matrices must not overlap. batch_count == 0: success. INVALID_VALUE: as mysgemm, with
 * batch_count < 0 checked after ldc. Source: cublasSgemmStridedBatched.
 */
MYBLAS_API myblasStatus_t mysgemmStridedBatched(myblasHandle_t handle,
                                                myblasOperation_t transa,
                                                myblasOperation_t transb,
                                                int m,
                                                int n,
                                                int k,
                                                const float* alpha,
                                                const float* A,
                                                int lda,
                                                long long strideA,
                                                const float* B,
                                                int ldb,
                                                long long strideB,
                                                const float* beta,
                                                float* C,
                                                int ldc,
                                                long long strideC,
                                                int batch_count);

/*
 * mysgemmStridedBatched with device arrays of batch_count device pointers in place of bases and
 * strides. Source: cublasSgemmBatched.
 */
MYBLAS_API myblasStatus_t mysgemmBatched(myblasHandle_t handle,
                                         myblasOperation_t transa,
                                         myblasOperation_t transb,
                                         int m,
                                         int n,
                                         int k,
                                         const float* alpha,
                                         const float* const Aarray[],
                                         int lda,
                                         const float* const Barray[],
                                         int ldb,
                                         const float* beta,
                                         float* const Carray[],
                                         int ldc,
                                         int batch_count);

/*
 * The operations that mysgemmFused applies to a product before it stores it. Set size_bytes to
 * sizeof(myblasEpilogue_t), zero the rest, then set the wanted operations.
 *   activation   of each element
 *   bias_of, bias  device memory; element i is added to row i (MYBLAS_BIAS_OF_ROWS, m elements) or
 *                to column i (MYBLAS_BIAS_OF_COLUMNS, n elements); NULL: none
 *   aux, ldaux   m x n in device memory, ldaux >= max(1, m): receives the inputs of the activation;
 *                NULL: they are not stored
 *   stride_bias, stride_aux  elements from one product of a batch to the next; a stride of 0 shares
 *                the bias
 * Fields may be added at the end; later versions accept the sizes of earlier ones.
 */
typedef struct {
    size_t size_bytes;
    myblasActivation_t activation;
    myblasBias_t bias_of;
    const float* bias;
    float* aux;
    int64_t ldaux;
    int64_t stride_bias, stride_aux;
} myblasEpilogue_t;

/*
 * X = alpha * op(A) * op(B) + beta * C + bias;  aux = X;  D = activation(X)
 * in the launches of the product itself: X is not stored in between. op(A), op(B), C and the
 * conditions on alpha, beta and k are as in mysgemm. With k == 0 or alpha == 0, X = beta * C +
 * bias.
 *   D  m x n, ldd >= max(1, m); may be C, with ldd == ldc, else must not overlap C. beta == 0: C is
 *      not read and may be NULL
 *   epilogue  host memory, read before the call returns; NULL: neither bias, activation nor aux
 * D, aux and the bias must not overlap each other, A or B. aux and the bias must not overlap C.
 * m == 0 or n == 0: success, nothing is touched. INVALID_VALUE, in this order: transa, transb, m,
 * n, k < 0, lda, ldb, ldc, ldd; of the epilogue size_bytes, activation, bias_of, ldaux with aux not
 * NULL; alpha or beta NULL, A, B, C NULL where it is used, D NULL, D == C with ldd != ldc (these in
 * any order). NaN and Inf propagate as in the formulas; ReLU keeps NaN, and GELU of -Inf is NaN.
 * Accuracy: |X - exact| is at most mysgemm's bound in the mode, with 1 added to the k in its
 * bracket and |bias| to the magnitudes: (k + 5) u (|alpha| |A| |B| + |beta| |C| + |bias|) in strict
 * mode, max(k, 64) + 5 in the others. ReLU is exact; the error of GELU, applied to the computed X,
 * is at most 8 u |X| + 2^-149. Source: cublasLtMatmul with CUBLASLT_EPILOGUE_BIAS, _RELU, _GELU and
 * AUX (there the auxiliary output of ReLU is a bit mask, here it is X).
 */
MYBLAS_API myblasStatus_t mysgemmFused(myblasHandle_t handle,
                                       myblasOperation_t transa,
                                       myblasOperation_t transb,
                                       int m,
                                       int n,
                                       int k,
                                       const float* alpha,
                                       const float* A,
                                       int lda,
                                       const float* B,
                                       int ldb,
                                       const float* beta,
                                       const float* C,
                                       int ldc,
                                       float* D,
                                       int ldd,
                                       const myblasEpilogue_t* epilogue);

/*
 * batch_count fused products, operand i of each at its base + i * stride elements. Strides may be
 * negative. A, B, C and the bias of different products may overlap, unless C is D; a stride of 0
 * shares one. The D and the aux matrices must not overlap. batch_count == 0: success.
 * INVALID_VALUE: as mysgemmFused, with batch_count < 0 checked after ldc. With several products, D
 * == C with strideD != strideC is refused like ldd != ldc. Source: as mysgemmFused.
 */
MYBLAS_API myblasStatus_t mysgemmFusedStridedBatched(myblasHandle_t handle,
                                                     myblasOperation_t transa,
                                                     myblasOperation_t transb,
                                                     int m,
                                                     int n,
                                                     int k,
                                                     const float* alpha,
                                                     const float* A,
                                                     int lda,
                                                     long long strideA,
                                                     const float* B,
                                                     int ldb,
                                                     long long strideB,
                                                     const float* beta,
                                                     const float* C,
                                                     int ldc,
                                                     long long strideC,
                                                     float* D,
                                                     int ldd,
                                                     long long strideD,
                                                     const myblasEpilogue_t* epilogue,
                                                     int batch_count);

/* ---- Level 3 --------------------------------------------------------------------------------- */

/*
 * For all functions of this part: u = 2^-24; bounds hold componentwise as long as nothing
 * underflows; NaN and Inf propagate as in the formula. The triangle that uplo does not name, the
 * diagonal with MYBLAS_DIAG_UNIT, and memory between the rows of a column and the next column, are
 * neither read nor written. Math modes allow tensor cores for the products in a call. In the bounds
 * of emulated and fast, (d + 60 (1 + log2(d))) replaces the depth d in the square brackets of the
 * strict bound. The bound of fast has a further term: (d + 1000) 2^-36 |alpha| times the largest
 * magnitudes in the row and in the column of the element. For mystrsm the term has the row of op(A)
 * and the column of X (right: the row of X and the column of op(A)), and no |alpha|. Each routine
 * is fast with a workspace of 32 MiB, and works without one, but slowly. A kernel that is forced
 * for MYBLAS_ROUTINE_SGEMM computes these products too; if it does not accept one of them, the call
 * returns NOT_SUPPORTED.
 */

/*
 * C = alpha * op(A) * op(A)^T + beta * C on the triangle of C that uplo names.
 *   op(A)  n x k: A is n x k with lda >= max(1, n) for OP_N, k x n with lda >= max(1, k) for OP_T,
 *          OP_C
 *   C      n x n, ldc >= max(1, n); must not overlap A
 * n == 0: success, nothing is touched. k == 0 or alpha == 0: A is not read and may be NULL.
 * beta == 0: C is not read. INVALID_VALUE, in this order: uplo, trans, n, k < 0, lda, ldc, alpha or
 * beta NULL, A, C NULL where it is used.
 * Accuracy (strict): |C - exact| <= ([k] + 5) u (|alpha| |op(A)| |op(A)|^T + |beta| |C|). Source:
 * cublasSsyrk_v2; BLAS ssyrk.
 */
MYBLAS_API myblasStatus_t myssyrk(myblasHandle_t handle,
                                  myblasFillMode_t uplo,
                                  myblasOperation_t trans,
                                  int n,
                                  int k,
                                  const float* alpha,
                                  const float* A,
                                  int lda,
                                  const float* beta,
                                  float* C,
                                  int ldc);

/*
 * C = alpha * op(A) * op(B)^T + beta * C on one triangle of C: for products that are known to be
 * symmetric. Both op(A) and op(B) are n x k, and A and B are stored like A of myssyrk.
 * INVALID_VALUE: as myssyrk, with ldb checked after lda, B after A. Accuracy: as myssyrk. Source:
 * cublasSsyrkx.
 */
MYBLAS_API myblasStatus_t myssyrkx(myblasHandle_t handle,
                                   myblasFillMode_t uplo,
                                   myblasOperation_t trans,
                                   int n,
                                   int k,
                                   const float* alpha,
                                   const float* A,
                                   int lda,
                                   const float* B,
                                   int ldb,
                                   const float* beta,
                                   float* C,
                                   int ldc);

/*
 * C = alpha * (op(A) * op(B)^T + op(B) * op(A)^T) + beta * C on one triangle of C; operands and
 * checks as myssyrkx.
 * Accuracy (strict): ([2 k] + 6) u (|alpha| (|op(A)| |op(B)|^T + |op(B)| |op(A)|^T) + |beta| |C|).
 * Source: cublasSsyr2k_v2; BLAS ssyr2k.
 */
MYBLAS_API myblasStatus_t myssyr2k(myblasHandle_t handle,
                                   myblasFillMode_t uplo,
                                   myblasOperation_t trans,
                                   int n,
                                   int k,
                                   const float* alpha,
                                   const float* A,
                                   int lda,
                                   const float* B,
                                   int ldb,
                                   const float* beta,
                                   float* C,
                                   int ldc);

/*
 * C = alpha * op(A) * op(B) + beta * C on the triangle of C that uplo names.
 *   op(A)  n x k: A is n x k with lda >= max(1, n) for OP_N, k x n with lda >= max(1, k) for OP_T,
 *          OP_C
 *   op(B)  k x n: B is k x n with ldb >= max(1, k) for OP_N, n x k with ldb >= max(1, n) for OP_T,
 *          OP_C
 *   C      n x n, ldc >= max(1, n); must not overlap A or B
 * n == 0: success, nothing is touched. k == 0 or alpha == 0: A and B are not read and may be NULL.
 * beta == 0: C is not read. INVALID_VALUE, in this order: uplo, transa, transb, n, k < 0, lda, ldb,
 * ldc, alpha or beta NULL, A, B, C NULL where it is used.
 * Accuracy (strict): |C - exact| <= ([k] + 5) u (|alpha| |op(A)| |op(B)| + |beta| |C|). Source:
 * BLAS sgemmtr, of the reference BLAS since 3.12.1; cuBLAS has none.
 */
MYBLAS_API myblasStatus_t mysgemmtr(myblasHandle_t handle,
                                    myblasFillMode_t uplo,
                                    myblasOperation_t transa,
                                    myblasOperation_t transb,
                                    int n,
                                    int k,
                                    const float* alpha,
                                    const float* A,
                                    int lda,
                                    const float* B,
                                    int ldb,
                                    const float* beta,
                                    float* C,
                                    int ldc);

/*
 * C = alpha * A * B + beta * C (MYBLAS_SIDE_LEFT) or alpha * B * A + beta * C (MYBLAS_SIDE_RIGHT).
 *   A  symmetric, m x m (left) or n x n (right); uplo names the stored triangle; lda >= max(1,
 *      rows)
 *   B  m x n, ldb >= max(1, m)
 *   C  m x n, ldc >= max(1, m); must not overlap A or B
 * m == 0 or n == 0: success, nothing is touched. alpha == 0: A and B are not read and may be NULL.
 * beta == 0: C is not read. INVALID_VALUE, in this order: side, uplo, m, n < 0, lda, ldb, ldc,
 * alpha or beta NULL, A, B, C NULL where it is used.
 * Accuracy (strict): |C - exact| <= ([d] + 8) u (|alpha| |A| |B| + |beta| |C|), d the order of A.
 * Source: cublasSsymm_v2; BLAS ssymm.
 */
MYBLAS_API myblasStatus_t myssymm(myblasHandle_t handle,
                                  myblasSideMode_t side,
                                  myblasFillMode_t uplo,
                                  int m,
                                  int n,
                                  const float* alpha,
                                  const float* A,
                                  int lda,
                                  const float* B,
                                  int ldb,
                                  const float* beta,
                                  float* C,
                                  int ldc);

/*
 * C = alpha * op(A) * B (MYBLAS_SIDE_LEFT) or alpha * B * op(A) (MYBLAS_SIDE_RIGHT).
 *   A  triangular, m x m (left) or n x n (right); uplo names the triangle; its diagonal is 1 for
 *      MYBLAS_DIAG_UNIT; lda >= max(1, rows)
 *   B  m x n, ldb >= max(1, m)
 *   C  m x n, ldc >= max(1, m); C may be B, with ldc == ldb, else must not overlap A or B
 * m == 0 or n == 0: success, nothing is touched. alpha == 0: C = 0; A and B are not read and may be
 * NULL. The zeros of A are not multiplied: an Inf in B affects only the elements of C whose sums
 * contain it. In place the call copies B to the workspace: all of B, or in turn as many of its
 * columns (left) or rows (right) as fit. INVALID_VALUE, in this order: side, uplo, trans, diag, m,
 * n < 0, lda, ldb, ldc, alpha NULL, A, B, C NULL where it is used, C == B with another ldc.
 * Accuracy (strict): |C - exact| <= ([d] + 2 log2(d) + 4) u |alpha| |op(A)| |B|, d the order of A.
 * Source: cublasStrmm_v2; BLAS strmm with C = B.
 */
MYBLAS_API myblasStatus_t mystrmm(myblasHandle_t handle,
                                  myblasSideMode_t side,
                                  myblasFillMode_t uplo,
                                  myblasOperation_t trans,
                                  myblasDiagType_t diag,
                                  int m,
                                  int n,
                                  const float* alpha,
                                  const float* A,
                                  int lda,
                                  const float* B,
                                  int ldb,
                                  float* C,
                                  int ldc);

/*
 * Solves op(A) * X = alpha * B (MYBLAS_SIDE_LEFT) or X * op(A) = alpha * B (MYBLAS_SIDE_RIGHT) for
 * X, in place of B. A is as in mystrmm; B is m x n, ldb >= max(1, m), and must not overlap A. m ==
 * 0 or n == 0: success, nothing is touched. alpha == 0: B = 0; A and B are not read, A may be NULL.
 * A is not checked for singularity: a zero on the diagonal gives Inf and NaN. INVALID_VALUE, in
 * this order: side, uplo, trans, diag, m, n < 0, lda, ldb, alpha NULL, A, B NULL where it is used.
 * Accuracy (strict): |op(A) X - alpha B| <= ([d] + 3 log2(d) + 4) u (|op(A)| |X| + |alpha| |B|), d
 * the order of A (right: with X op(A)). The call is as backward stable as substitution, for any
 * condition of A or of its blocks. Diagonal blocks, of 256 rows on a GPU, are solved by
 * substitution; no inverse of a block is formed. The rest are products. An order of up to 256 needs
 * no product and no workspace. A quotient is a product with the reciprocal of the diagonal element,
 * corrected to within an ulp. The call divides instead if a reciprocal is near the ends of the
 * range or the quotient is not finite. A single line of X (n == 1: its column; right, m == 1: its
 * row) with an order above 256 is solved as by mystrsv. OpenBLAS, on the host, multiplies by
 * reciprocals without correction, and only by normal ones. With OpenBLAS an Inf or a NaN of A, or
 * an overflow, may turn other elements of the same line of X into NaN. Source: cublasStrsm_v2; BLAS
 * strsm.
 */
MYBLAS_API myblasStatus_t mystrsm(myblasHandle_t handle,
                                  myblasSideMode_t side,
                                  myblasFillMode_t uplo,
                                  myblasOperation_t trans,
                                  myblasDiagType_t diag,
                                  int m,
                                  int n,
                                  const float* alpha,
                                  const float* A,
                                  int lda,
                                  float* B,
                                  int ldb);

/*
 * batch_count calls of mystrsm of one shape; A and B are device arrays of batch_count device
 * pointers. The B matrices must not overlap. batch_count == 0: success. INVALID_VALUE: as mystrsm,
 * with batch_count < 0 checked after ldb. Source: cublasStrsmBatched.
 */
MYBLAS_API myblasStatus_t mystrsmBatched(myblasHandle_t handle,
                                         myblasSideMode_t side,
                                         myblasFillMode_t uplo,
                                         myblasOperation_t trans,
                                         myblasDiagType_t diag,
                                         int m,
                                         int n,
                                         const float* alpha,
                                         const float* const Aarray[],
                                         int lda,
                                         float* const Barray[],
                                         int ldb,
                                         int batch_count);

/*
 * mystrsmBatched with operand i of each at its base + i * stride elements; a stride of 0 for A
 * shares it. Strides may be negative; that of A may be anything. Source: none in cuBLAS; the
 * strides of cublasSgemmStridedBatched.
 */
MYBLAS_API myblasStatus_t mystrsmStridedBatched(myblasHandle_t handle,
                                                myblasSideMode_t side,
                                                myblasFillMode_t uplo,
                                                myblasOperation_t trans,
                                                myblasDiagType_t diag,
                                                int m,
                                                int n,
                                                const float* alpha,
                                                const float* A,
                                                int lda,
                                                long long strideA,
                                                float* B,
                                                int ldb,
                                                long long strideB,
                                                int batch_count);

/*
 * Computes group_count groups of products; group g has group_size[g] products of one shape: C_i =
 * alpha[g] * op(A_i) * op(B_i) + beta[g] * C_i. All arrays but Aarray, Barray and Carray have
 * group_count elements and are in host memory; alpha_array and beta_array are in device memory in
 * MYBLAS_POINTER_MODE_DEVICE. Aarray, Barray and Carray are device arrays of device pointers, in
 * the order of the groups. The groups are computed in order, as by mysgemmBatched: its conditions,
 * quick returns, accuracy and kernels apply. The C matrices must not overlap. group_count == 0 or
 * all of group_size 0: success. INVALID_VALUE, in this order: group_count < 0, an array NULL, then,
 * group by group, group_size < 0 and the checks of mysgemmBatched; nothing is computed if any group
 * is refused. EXECUTION_FAILED: some groups may have been computed, for example if there was no
 * memory for the kernel of another group. Source: cublasSgemmGroupedBatched.
 */
MYBLAS_API myblasStatus_t mysgemmGroupedBatched(myblasHandle_t handle,
                                                const myblasOperation_t transa_array[],
                                                const myblasOperation_t transb_array[],
                                                const int m_array[],
                                                const int n_array[],
                                                const int k_array[],
                                                const float alpha_array[],
                                                const float* const Aarray[],
                                                const int lda_array[],
                                                const float* const Barray[],
                                                const int ldb_array[],
                                                const float beta_array[],
                                                float* const Carray[],
                                                const int ldc_array[],
                                                int group_count,
                                                const int group_size[]);

/* ---- Transpose ------------------------------------------------------------------------------- */

/*
 * B = A^T: A is m x n with lda >= max(1, m), B is n x m with ldb >= max(1, n). mytranspose moves
 * floats. mytransposeEx moves elements of five sizes, and never interprets their bits. In place
 * when B == A: a square (m == n, lda == ldb), or any shape with both leading dimensions tight (lda
 * == m, ldb == n). The second form is fast with a workspace of m * n elements (the handle's own,
 * within its limit, or a lent one), and slow without. Other overlap is not allowed. INVALID_VALUE,
 * in this order: m, n < 0, (Ex: element_bytes not 1, 2, 4, 8 or 16), lda, ldb, A or B NULL or not
 * aligned to the element, in-place form with other leading dimensions. Success if m == 0 or n == 0:
 * nothing is touched. Exact. Source: OpenBLAS's somatcopy, simatcopy.
 */
MYBLAS_API myblasStatus_t
mytranspose(myblasHandle_t handle, int m, int n, const float* A, int lda, float* B, int ldb);
MYBLAS_API myblasStatus_t mytransposeEx(myblasHandle_t handle,
                                        int m,
                                        int n,
                                        int element_bytes,
                                        const void* A,
                                        int lda,
                                        void* B,
                                        int ldb);

/*
 * batch_count transposes of one shape, operand i of each at its base + i * stride elements; a
 * stride of 0 for A shares it. Strides may be negative; that of A may be anything, unless in place.
 * The B matrices must not overlap. In place when B == A: squares with lda == ldb and strideA ==
 * strideB; a batch of one as mytranspose. batch_count == 0: success. INVALID_VALUE: as mytranspose,
 * with batch_count < 0 checked after ldb. Exact. Source: mytranspose; batches as
 * cublasSgemmStridedBatched.
 */
MYBLAS_API myblasStatus_t mytransposeStridedBatched(myblasHandle_t handle,
                                                    int m,
                                                    int n,
                                                    const float* A,
                                                    int lda,
                                                    long long strideA,
                                                    float* B,
                                                    int ldb,
                                                    long long strideB,
                                                    int batch_count);

/*
 * C = alpha * op(A) + beta * op(B), C m x n, ldc >= max(1, m). A and B are m x n (OP_N) or n x m,
 * with leading dimensions as in mysgemm. m == 0 or n == 0: success, nothing is touched. alpha == 0:
 * A is not read and may be NULL. beta == 0: B is not read and may be NULL. In place only as C == A
 * with transa == OP_N and lda == ldc, or C == B with transb == OP_N and ldb == ldc. INVALID_VALUE,
 * in this order: transa, transb, m, n < 0, lda, ldb, ldc, alpha or beta NULL, A, B or C NULL where
 * it is used, another in-place form.
 * Accuracy: 2 u (|alpha| |A| + |beta| |B|) + 2^-149 componentwise. Inf and NaN propagate as in the
 * formula. Source: cublasSgeam.
 */
MYBLAS_API myblasStatus_t mysgeam(myblasHandle_t handle,
                                  myblasOperation_t transa,
                                  myblasOperation_t transb,
                                  int m,
                                  int n,
                                  const float* alpha,
                                  const float* A,
                                  int lda,
                                  const float* beta,
                                  const float* B,
                                  int ldb,
                                  float* C,
                                  int ldc);

/* ---- Sums ------------------------------------------------------------------------------------ */

/*
 * *result = the sum of x_i (mysum, mydsum) or of |x_i| (mysasum) over n elements, element i at
 * x[i * incx]. n <= 0 or incx <= 0: *result = 0. INVALID_VALUE: result NULL, then x NULL where it
 * is read.
 * Accuracy of the default kernel: |result - exact| <= (log2(n) + 16) u sum |x_i|, u = 2^-24
 * (mydsum: 2^-53). A forced kernel promises n u sum |x_i|. A kernel with deterministic == 0 adds in
 * memory, where subnormal sums become zero; this adds n 2^-126. Inf and NaN propagate as in the
 * formula.
 * Same bits on every run, unless a kernel is forced that does not promise it (myblasKernelInfo_t:
 * deterministic). With a result in host memory the call waits for it. Source: cublasSasum (mysum:
 * without the absolute value).
 */
MYBLAS_API myblasStatus_t
mysum(myblasHandle_t handle, int n, const float* x, int incx, float* result);
MYBLAS_API myblasStatus_t
mysasum(myblasHandle_t handle, int n, const float* x, int incx, float* result);
MYBLAS_API myblasStatus_t
mydsum(myblasHandle_t handle, int n, const double* x, int incx, double* result);

/*
 * result = op(A) * (1, ..., 1): the sums of the rows of op(A). A is m x n for every op, with lda >=
 * max(1, m), as in gemv. OP_N: result has m elements, result_i = the sum of row i of A. OP_T, OP_C:
 * result has n elements, result_j = the sum of column j of A. result is in device memory in both
 * pointer modes, is contiguous and must not overlap A. The sums of empty rows and columns are 0;
 * with no sums (m == 0 for OP_N, n == 0 for OP_T) the call succeeds and touches nothing.
 * INVALID_VALUE, in this order: op, m, n < 0, lda, A NULL where it is read, result NULL. Accuracy
 * of the default kernel: |result - exact| <= 12 u (sum of the |A_ij| added), u = 2^-24, for any
 * number of elements (kernels `naive` and `serial`: count u). Inf and NaN propagate as in the
 * formula. The same bits on every run. Source: cublasSgemv_v2 with a vector of ones.
 */
MYBLAS_API myblasStatus_t mysgemsum(myblasHandle_t handle,
                                    myblasOperation_t op,
                                    int m,
                                    int n,
                                    const float* A,
                                    int lda,
                                    float* result);

/*
 * counts[v] = the number of the n bytes of x that are v, for v = 0 ... 255. Old values of counts
 * are overwritten. Both x and counts are in device memory in both pointer modes, and must not
 * overlap. counts has 256 elements of 8 bytes, aligned to 8. n == 0: all counts are 0.
 * INVALID_VALUE, in this order: n < 0, x NULL where it is read, counts NULL or misaligned. Exact.
 * Source: none in BLAS; cub::DeviceHistogram with 256 bins.
 */
MYBLAS_API myblasStatus_t myhistogram256(myblasHandle_t handle,
                                         int n,
                                         const unsigned char* x,
                                         uint64_t* counts);

/* ---- Vectors --------------------------------------------------------------------------------- */

/*
 * y = alpha * x + y (mysaxpy), y = x (myscopy), over n elements. A negative increment starts at
 * element (1 - n) * inc and goes backwards, as in BLAS. n <= 0: success. alpha == 0: x is not read
 * and y not changed, but neither may be NULL. With incy == 0 the updates are in the order of the
 * reference BLAS. x and y must not overlap. INVALID_VALUE: alpha NULL, x or y NULL. Accuracy: 2 u
 * (|alpha x| + |y|) + 2^-149 elementwise (copy: exact). Inf and NaN propagate as in the formula.
 * Source: cublasSaxpy_v2, cublasScopy_v2.
 */
MYBLAS_API myblasStatus_t mysaxpy(
    myblasHandle_t handle, int n, const float* alpha, const float* x, int incx, float* y, int incy);
MYBLAS_API myblasStatus_t
myscopy(myblasHandle_t handle, int n, const float* x, int incx, float* y, int incy);

/* ---- Level 1 --------------------------------------------------------------------------------- */

/*
 * BLAS's other routines on vectors. In all of them n counts elements. Vectors are in device memory
 * and do not overlap. Element i is at x[i * incx], or with a negative increment at x[(i + 1 - n) *
 * incx], as in BLAS. Scalars and scalar results are in the memory that the pointer mode names.
 * Index arithmetic is 64-bit. Calls are asynchronous, except that a call with a result in host
 * memory waits for the result, and returns INTERNAL_ERROR while its stream is being captured. Same
 * bits on every run. Inf and NaN propagate as in the formula; mysnrm2, myisamax, mysrotg and
 * mysrotmg say more. u = 2^-24.
 */

/*
 * *result = the sum of x_i * y_i. n <= 0: *result = 0. Increments of either sign, or zero.
 * INVALID_VALUE: result NULL, then x, y NULL where they are read. Accuracy: |result - exact| <= u
 * |exact| + n 2^-53 sum |x_i y_i| + 2^-150, for elements of any magnitude: products and sums are
 * computed in double. Source: cublasSdot_v2.
 */
MYBLAS_API myblasStatus_t mysdot(myblasHandle_t handle,
                                 int n,
                                 const float* x,
                                 int incx,
                                 const float* y,
                                 int incy,
                                 float* result);

/*
 * *result = sb + the sum of x_i * y_i. n <= 0: *result = sb. Increments of either sign, or zero.
 * INVALID_VALUE: sb NULL, result NULL, then x, y NULL where they are read. Accuracy: |result -
 * exact| <= u |exact| + (n + 1) 2^-53 (|sb| + sum |x_i y_i|) + 2^-150, for elements of any
 * magnitude: products and sums are computed in double. result may be sb. Source: BLAS sdsdot;
 * cuBLAS has none.
 */
MYBLAS_API myblasStatus_t mysdsdot(myblasHandle_t handle,
                                   int n,
                                   const float* sb,
                                   const float* x,
                                   int incx,
                                   const float* y,
                                   int incy,
                                   float* result);

/*
 * *result = the square root of the sum of x_i^2. n <= 0: *result = 0. A negative increment stands
 * for its magnitude. With incx == 0, x_0 counts n times. (Both as in the reference BLAS since 3.10;
 * cuBLAS returns 0 in both cases.) NaN gives NaN, else Inf gives Inf. INVALID_VALUE: result NULL,
 * then x NULL where it is read. Accuracy: |result - exact| <= (1 + n 2^-29) u exact + 2^-150; no
 * intermediate result overflows or underflows for any finite x. x is read once. Source:
 * cublasSnrm2_v2.
 */
MYBLAS_API myblasStatus_t
mysnrm2(myblasHandle_t handle, int n, const float* x, int incx, float* result);

/*
 * *result = the number, counted from 1, of the first element with the largest (myisamax) or the
 * least (myisamin) |x_i|. n <= 0 or incx <= 0: *result = 0. NaN as in the reference BLAS's isamax:
 * if the first x_i is NaN the result is 1, and any other NaN is passed over. INVALID_VALUE: result
 * NULL, then x NULL where it is read. Exact. Source: cublasIsamax_v2, cublasIsamin_v2.
 */
MYBLAS_API myblasStatus_t
myisamax(myblasHandle_t handle, int n, const float* x, int incx, int* result);
MYBLAS_API myblasStatus_t
myisamin(myblasHandle_t handle, int n, const float* x, int incx, int* result);

/*
 * x = alpha * x. n <= 0 or incx <= 0: success. Zero times NaN or Inf is NaN, as in the reference
 * BLAS. INVALID_VALUE: alpha NULL, x NULL. Accuracy: u |alpha x_i| + 2^-150 elementwise. Source:
 * cublasSscal_v2.
 */
MYBLAS_API myblasStatus_t
mysscal(myblasHandle_t handle, int n, const float* alpha, float* x, int incx);

/*
 * Exchanges x and y. n <= 0: success. With an increment of zero the exchanges are in the order of
 * the reference BLAS. INVALID_VALUE: x NULL, y NULL. Exact. Source: cublasSswap_v2.
 */
MYBLAS_API myblasStatus_t
mysswap(myblasHandle_t handle, int n, float* x, int incx, float* y, int incy);

/*
 * x_i = c x_i + s y_i and y_i = c y_i - s x_i, with the old x_i. n <= 0: success. With an increment
 * of zero the rotations are in the order of the reference BLAS. INVALID_VALUE: c NULL, s NULL, x
 * NULL, y NULL. Accuracy: 3 u (|c x_i| + |s y_i|) + 2^-149, and 3 u (|c y_i| + |s x_i|) + 2^-149.
 * Source: cublasSrot_v2.
 */
MYBLAS_API myblasStatus_t mysrot(myblasHandle_t handle,
                                 int n,
                                 float* x,
                                 int incx,
                                 float* y,
                                 int incy,
                                 const float* c,
                                 const float* s);

/*
 * x_i = h11 x_i + h12 y_i and y_i = h21 x_i + h22 y_i, with the old x_i: a modified Givens
 * rotation. param has five floats: a flag, h11, h21, h12, h22. The flag says which of them are
 * read. -1: all; 0: h21 and h12, the diagonal is 1; 1: h11 and h22, with h21 = -1 and h12 = 1; -2:
 * none, and x and y are neither read nor changed. n <= 0: success. INVALID_VALUE: param NULL, x
 * NULL, y NULL.
 * Accuracy: 3 u (|h11 x_i| + |h12 y_i|) + 2^-149, and y_i accordingly. Source: cublasSrotm_v2.
 */
MYBLAS_API myblasStatus_t
mysrotm(myblasHandle_t handle, int n, float* x, int incx, float* y, int incy, const float* param);

/*
 * The Givens rotation c, s with c a + s b = r, c b - s a = 0, c^2 + s^2 = 1. *a = r, which has the
 * sign of the larger of a and b; *b = z, which encodes the rotation: s if |a| > |b|, else 1 / c, or
 * 1 if c is zero. b == 0 gives c = 1, s = 0, r = a, z = 0. The pointer mode says where all four
 * are. In host memory the call computes at once, without a launch, but still checks a forced
 * kernel. INVALID_VALUE: a, b, c, s NULL. Accuracy: r, z, c and s are each within 2 u of the exact
 * value relatively, or 2^-149; r overflows only if sqrt(a^2 + b^2) does. If a or b is NaN, r is
 * NaN; else if one is Inf, r is Inf or -Inf. c, s and z are then unspecified. Source:
 * cublasSrotg_v2.
 */
MYBLAS_API myblasStatus_t mysrotg(myblasHandle_t handle, float* a, float* b, float* c, float* s);

/*
 * Computes the modified Givens rotation H, in the form that mysrotm takes, and new d1, d2 and x1;
 * y1 stays. H makes the second component of H (sqrt(d1) x1, sqrt(d2) y1) zero. d1 < 0, or a d2 < 0
 * with |d2 y1^2| >= d1 x1^2, gives a flag of -1 and zeros. If d2 y1 == 0, the flag is -2 and
 * nothing else changes. Otherwise d1 and |d2|, unless zero, are scaled by powers of 4096^2 to
 * between 4096^-2 and 4096^2, and H is scaled to match. The pointer mode says where all five are.
 * In host memory the call computes at once, like mysrotg. INVALID_VALUE: d1, d2, x1, y1, param
 * NULL. Accuracy: if d2 >= 0, each value has a relative error of at most 2 u against exact
 * arithmetic with the same powers of 4096, or an absolute one of 2^-149. If d2 < 0, the error grows
 * by the cancellation in 1 - |d2 y1^2| / (d1 x1^2). If an operand is Inf or NaN, the results are
 * unspecified. Source: cublasSrotmg_v2.
 */
MYBLAS_API myblasStatus_t
mysrotmg(myblasHandle_t handle, float* d1, float* d2, float* x1, const float* y1, float* param);

/* ---- Level 2 --------------------------------------------------------------------------------- */

/*
 * BLAS's routines on matrices and vectors. Matrices are stored by columns; vectors as in level 1,
 * but increments must not be zero. All operands but scalars are in device memory. Increments of
 * either sign give the same promises. mysgemv is a product of one column and takes the kernels of
 * MYBLAS_ROUTINE_SGEMM, including a forced one. Only `gemv` and `grid_stride` on the GPU,
 * and all but `unpacked` on the host, accept a negative increment. `openblas` accepts vectors with
 * a negative increment that span up to 2^31 elements. mysger takes the kernels of
 * MYBLAS_ROUTINE_SYR. The other routines have their own kernels. Only mysgemv and myssymv use a
 * workspace. myssymv needs n^2 / 64 floats, from n = 12000 on n^2 / 85; with less it reads A twice.
 * u = 2^-24. Same bits on every run, except with the kernel `openblas` of the host, which does not
 * promise it. The accuracy of the routines other than mysger, myssyr and myssyr2 holds if no
 * nonzero product of the formula, with alpha or without, is below 2^-126 in magnitude.
 * Inf and NaN propagate as in the formula. Exception: the kernel `openblas` of myssyr, myssyr2,
 * mystrmv and mystrsv may skip a product with a zero of x or y, even if its other factor is Inf or
 * NaN.
 */

/*
 * y = alpha * op(A) * x + beta * y, A m x n for every trans. For OP_N, x has n elements and y has
 * m; for OP_T and OP_C, x has m and y has n. m == 0 or n == 0: success, y stays as it is. alpha ==
 * 0: A and x are not read and may be NULL. beta == 0: y is not read. y must not overlap A or x.
 * INVALID_VALUE, in this order: trans, m, n < 0, lda < max(1, m), incx, incy == 0, (batches)
 * batch_count < 0, alpha, beta NULL, A, x NULL where they are read, y NULL. Accuracy in every math
 * mode: mysgemm's strict bound, (k + 4) u (|alpha| |op(A)| |x| + |beta| |y|) with k elements in a
 * row of op(A). Source: cublasSgemv_v2.
 */
MYBLAS_API myblasStatus_t mysgemv(myblasHandle_t handle,
                                  myblasOperation_t trans,
                                  int m,
                                  int n,
                                  const float* alpha,
                                  const float* A,
                                  int lda,
                                  const float* x,
                                  int incx,
                                  const float* beta,
                                  float* y,
                                  int incy);

/*
 * mysgemv for i = 0 ... batch_count - 1, with A + i * strideA, x + i * stridex and y + i * stridey;
 * strides count elements and may be anything for A and x. The y must not overlap. Source:
 * cublasSgemvStridedBatched.
 */
MYBLAS_API myblasStatus_t mysgemvStridedBatched(myblasHandle_t handle,
                                                myblasOperation_t trans,
                                                int m,
                                                int n,
                                                const float* alpha,
                                                const float* A,
                                                int lda,
                                                long long strideA,
                                                const float* x,
                                                int incx,
                                                long long stridex,
                                                const float* beta,
                                                float* y,
                                                int incy,
                                                long long stridey,
                                                int batch_count);

/*
 * mysgemv for i = 0 ... batch_count - 1, with Aarray[i], xarray[i] and yarray[i]: arrays in
 * device memory of pointers to device memory. Source:
 * cublasSgemvBatched.
 */
MYBLAS_API myblasStatus_t mysgemvBatched(myblasHandle_t handle,
                                         myblasOperation_t trans,
                                         int m,
                                         int n,
                                         const float* alpha,
                                         const float* const Aarray[],
                                         int lda,
                                         const float* const xarray[],
                                         int incx,
                                         const float* beta,
                                         float* const yarray[],
                                         int incy,
                                         int batch_count);

/*
 * A = alpha * x * y^T + A, A m x n with lda >= max(1, m). m == 0 or n == 0 or alpha == 0: success,
 * nothing is read. INVALID_VALUE, in this order: m, n < 0, incx, incy == 0, lda, alpha NULL, x, y,
 * A NULL. Accuracy: 3 u (|alpha| |x_i| |y_j| + |A_ij|) + 2^-149 (1 + |alpha|), in every math mode;
 * no intermediate result overflows unless the result does. Source: cublasSger_v2.
 */
MYBLAS_API myblasStatus_t mysger(myblasHandle_t handle,
                                 int m,
                                 int n,
                                 const float* alpha,
                                 const float* x,
                                 int incx,
                                 const float* y,
                                 int incy,
                                 float* A,
                                 int lda);

/*
 * y = alpha * A * x + beta * y, A symmetric, n x n. Only the triangle of A that uplo names is read.
 * y must not overlap A or x. n == 0: success. alpha == 0: A and x are not read and may be NULL.
 * beta == 0: y is not read. INVALID_VALUE, in this order: uplo, n < 0, lda < max(1, n), incx,
 * incy == 0, alpha, beta NULL, A, x NULL where they are read, y NULL. Accuracy: (n + 4) u (|alpha|
 * |A| |x| + |beta| |y|). Source: cublasSsymv_v2.
 */
MYBLAS_API myblasStatus_t myssymv(myblasHandle_t handle,
                                  myblasFillMode_t uplo,
                                  int n,
                                  const float* alpha,
                                  const float* A,
                                  int lda,
                                  const float* x,
                                  int incx,
                                  const float* beta,
                                  float* y,
                                  int incy);

/*
 * A = alpha * x * x^T + A (myssyr), A = alpha * (x * y^T + y * x^T) + A (myssyr2) on the triangle
 * of A that uplo names. A is n x n, and its other triangle is neither read nor written. n == 0 or
 * alpha == 0: success, nothing is read. INVALID_VALUE, in this order: uplo, n < 0, incx, incy == 0,
 * lda < max(1, n), alpha NULL, x, y, A NULL. Accuracy: 3 u (|alpha| |x_i| |x_j| + |A_ij|), and 5 u
 * (|alpha| (|x_i| |y_j| + |y_i| |x_j|) + |A_ij|), and 2^-148 (1 + |alpha| + |x_i| + |x_j| + |y_i| +
 * |y_j|) where products underflow. Source: cublasSsyr_v2, cublasSsyr2_v2.
 */
MYBLAS_API myblasStatus_t myssyr(myblasHandle_t handle,
                                 myblasFillMode_t uplo,
                                 int n,
                                 const float* alpha,
                                 const float* x,
                                 int incx,
                                 float* A,
                                 int lda);
MYBLAS_API myblasStatus_t myssyr2(myblasHandle_t handle,
                                  myblasFillMode_t uplo,
                                  int n,
                                  const float* alpha,
                                  const float* x,
                                  int incx,
                                  const float* y,
                                  int incy,
                                  float* A,
                                  int lda);

/*
 * x = op(A) * x (mystrmv), or x such that op(A) * x is the old x (mystrsv), A a triangle, n x n,
 * named by uplo. The other triangle is not read. With MYBLAS_DIAG_UNIT the diagonal is 1 and is not
 * read. x must not overlap A. n == 0: success. mystrsv does not check for zeros on the diagonal: a
 * zero gives Inf or NaN. INVALID_VALUE, in this order: uplo, trans, diag, n < 0, lda < max(1, n),
 * incx == 0, A, x NULL. Accuracy: mystrmv (n + 4) u |op(A)| |x|; mystrsv solves a nearby system,
 * (op(A) + E) x = b with |E| <= (n + 4) u |op(A)|. Source: cublasStrmv_v2, cublasStrsv_v2.
 */
MYBLAS_API myblasStatus_t mystrmv(myblasHandle_t handle,
                                  myblasFillMode_t uplo,
                                  myblasOperation_t trans,
                                  myblasDiagType_t diag,
                                  int n,
                                  const float* A,
                                  int lda,
                                  float* x,
                                  int incx);
MYBLAS_API myblasStatus_t mystrsv(myblasHandle_t handle,
                                  myblasFillMode_t uplo,
                                  myblasOperation_t trans,
                                  myblasDiagType_t diag,
                                  int n,
                                  const float* A,
                                  int lda,
                                  float* x,
                                  int incx);

#ifdef __cplusplus
}
#endif

#include "myblas/myblas_64.h"

#endif /* MYBLAS_MYBLAS_H */
