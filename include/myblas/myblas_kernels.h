/*
 * The kernels behind the routines of myblas.h: count, describe and force them, and ask which kernel
 * a call takes and why.
 *
 * Kernels are in ladder order, the plainest first. A name with a slash belongs to a variant of a
 * family: family/parameters, such as small_tile/32x32_k16. Names without a slash belong to families
 * and to kernels without variants. Names without a slash are part of the ABI: they can be forced in
 * every later 1.y. Variants can be forced, too, but each release may add, remove or change
 * variants.
 *
 * An environment variable for each routine forces a kernel or a family on every handle created
 * later. The variables are named after the enumerators MYBLAS_ROUTINE_...: MYBLAS_SGEMM_KERNEL,
 * MYBLAS_TRANSPOSE_KERNEL, MYBLAS_GEAM_KERNEL and so on. With a name that the handle's backend
 * lacks, the routine returns NOT_SUPPORTED, and the log gets a line. Two names are yardsticks for
 * measurements, not transposes: with copy or copy_shared forced for MYBLAS_ROUTINE_TRANSPOSE, B
 * becomes A.
 *
 * SGEMM kernels of the cuda backend are chosen by predicted time. MYBLAS_TUNING names a file with
 * corrections of these times, as `myblas-bench tune sgemm --file` writes it. The file is read when
 * the process creates its first handle, and applies to devices of the architecture that it names.
 * If any line of the file is wrong, the whole file is ignored, and the log gets a line.
 */
#ifndef MYBLAS_MYBLAS_KERNELS_H
#define MYBLAS_MYBLAS_KERNELS_H

#include "myblas/myblas.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    size_t size_bytes;       /* set by the caller to sizeof(myblasKernelInfo_t) */
    const char* name;        /* what myblasForceKernel takes; stable up to a slash */
    const char* description; /* one line */
    int min_arch, max_arch;  /* compute capability x 10, inclusive; 0: no bound, or the host */
    int block_m, block_n, block_k; /* elements of the block tile; 0 where there is none */
    int threads;                   /* per block; 0: no blocks */
    int stages;                    /* tiles of shared memory in flight; 0: no shared memory */
    size_t smem_bytes;             /* shared memory of a block, the largest of its variants */
    int alignment_bytes;    /* of pointers and leading dimensions; 4: nothing beyond the element */
    int deterministic;      /* 1: the same bits on every run */
    myblasMath_t math_mode; /* its accuracy: handles in this mode or a weaker one can take it */
} myblasKernelInfo_t;

/*
 * *count = the number of kernels of a routine on a backend; 0 for CUDA in a build without it.
 * Needs no device. INVALID_VALUE: backend is AUTO or unknown, routine unknown, count NULL.
 */
MYBLAS_API myblasStatus_t myblasGetKernelCount(myblasBackend_t backend,
                                               myblasRoutine_t routine,
                                               int* count);

/*
 * Describes kernel index, 0 <= index < count. Strings live as long as the library. INVALID_VALUE:
 * as for myblasGetKernelCount, index out of range, info NULL or info->size_bytes wrong.
 */
MYBLAS_API myblasStatus_t myblasGetKernelInfo(myblasBackend_t backend,
                                              myblasRoutine_t routine,
                                              int index,
                                              myblasKernelInfo_t* info);

/*
 * Forces a kernel for the routine's later calls on this handle. If name is a family, the variant
 * with the least predicted time computes, among the variants that accept the call. If no variant or
 * kernel accepts it, the call returns NOT_SUPPORTED. NULL: nothing is forced any more.
 * INVALID_VALUE: routine unknown, or the handle's backend has no kernel or family of that name; an
 * earlier forced kernel stays.
 */
MYBLAS_API myblasStatus_t myblasForceKernel(myblasHandle_t handle,
                                            myblasRoutine_t routine,
                                            const char* name);

/*
 * *name = the kernel that would compute the described call on this handle, as long as there is
 * memory for its workspace to grow; NULL for a call that needs no kernel (a quick return).
 * INVALID_VALUE: a pointer is NULL, or the call would be refused. NOT_SUPPORTED: as the call
 * itself.
 */
MYBLAS_API myblasStatus_t myblasSelectKernel(myblasHandle_t handle,
                                             const myblasCall_t* call,
                                             const char** name);

/*
 * The properties of a GPU that the selection uses. Set size_bytes to sizeof(myblasDevice_t) and the
 * rest to the values of the card; every member has to be positive. Fields may be added at the end;
 * later versions accept the sizes of earlier ones.
 */
typedef struct {
    size_t size_bytes;
    int arch;              /* compute capability x 10 */
    int sm_count;          /* multiprocessors */
    int clock_mhz;         /* the highest of the multiprocessors */
    int memory_gbps;       /* GB/s: memory clock times two times the width of the bus */
    size_t l2_bytes;       /* of the L2 cache */
    size_t smem_per_block; /* most shared memory of a block, with opt-in */
} myblasDevice_t;

/*
 * *device = the GPU of a handle. INVALID_VALUE: device NULL or its size_bytes wrong. NOT_SUPPORTED:
 * a handle of the host backend.
 */
MYBLAS_API myblasStatus_t myblasGetDevice(myblasHandle_t handle, myblasDevice_t* device);

/*
 * myblasSelectKernel for a device that need not be present. device describes it (ignored for the
 * host, where it may be NULL); workspace_bytes is the most workspace that the handle may have.
 * INVALID_VALUE: as for myblasSelectKernel, or a member of device is not positive. NOT_SUPPORTED:
 * the library has no CUDA kernels, or none for this arch.
 */
MYBLAS_API myblasStatus_t myblasSelectKernelOn(myblasBackend_t backend,
                                               const myblasDevice_t* device,
                                               size_t workspace_bytes,
                                               const myblasCall_t* call,
                                               const char** name);

/*
 * The work of a kernel for a call, the time that the selection expects, and why the kernel cannot
 * be chosen. Only SGEMM kernels of the cuda backend that the selection compares by time have times.
 * The same kernels and a few more have work (launches to tile_utilisation). All other times and
 * work are 0.
 *
 * The predicted time is factor times the sum of overhead_us and the fourth root of
 * arithmetic_us^4 + cache_us^4 + memory_us^4: the longest of the three hides the others.
 */
typedef struct {
    size_t size_bytes; /* set by the caller to sizeof(myblasKernelEstimate_t) */
    int accepted;      /* 1: it can compute the call with the available workspace */
    int candidate; /* SGEMM, cuda: 1: compared, or taken, without a time, if it accepts; else 0 */
    size_t workspace_bytes;      /* needed for the call */
    size_t best_workspace_bytes; /* the largest useful size; at least workspace_bytes */
    const char* refusal;         /* why it is not accepted, one line; NULL if it is */
    double launches;             /* kernels that are enqueued */
    double rounds;               /* blocks in sequence in a slot (bf16x6, fp16x3: passes) */
    double steps;                /* slabs of k that a block waits for, in sequence */
    double math_cycles;          /* of arithmetic on the busiest multiprocessor, if never idle */
    double copies;               /* a warp's copy instructions on that multiprocessor */
    double l2_bytes;             /* read by that multiprocessor */
    double memory_bytes;         /* of all operands and of packed or copied data */
    double exchanges;            /* sums of other blocks that one block adds */
    double wave_efficiency;      /* blocks of an average multiprocessor / those of the busiest */
    double tile_utilisation;     /* fraction of the tiles' elements that is inside C */
    double arithmetic_us, cache_us, memory_us, overhead_us;
    double factor;       /* learned from measurements, times that of MYBLAS_TUNING's file */
    double predicted_us; /* microseconds; the choice adds 8% to the times of weaker modes, or
                            12% in batches */
} myblasKernelEstimate_t;

/*
 * Estimates kernel index (0 <= index < count; a forced kernel does not matter) for the described
 * call on this handle. For a call that takes no kernel (a quick return) all but size_bytes is 0.
 * INVALID_VALUE: estimate NULL or its size_bytes wrong, call NULL or it would be refused, index out
 * of range.
 */
MYBLAS_API myblasStatus_t myblasGetKernelEstimate(myblasHandle_t handle,
                                                  const myblasCall_t* call,
                                                  int index,
                                                  myblasKernelEstimate_t* estimate);

/*
 * myblasGetKernelEstimate for a device that need not be present; device as in myblasSelectKernelOn.
 */
MYBLAS_API myblasStatus_t myblasGetKernelEstimateOn(myblasBackend_t backend,
                                                    const myblasDevice_t* device,
                                                    size_t workspace_bytes,
                                                    const myblasCall_t* call,
                                                    int index,
                                                    myblasKernelEstimate_t* estimate);

/*
 * *name = the kernel that computed the routine's last call on this handle that launched one; NULL
 * before the first. INVALID_VALUE: name NULL, or routine unknown.
 */
MYBLAS_API myblasStatus_t myblasGetLastKernel(myblasHandle_t handle,
                                              myblasRoutine_t routine,
                                              const char** name);

#ifdef __cplusplus
}
#endif
#endif /* MYBLAS_MYBLAS_KERNELS_H */
