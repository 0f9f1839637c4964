// myblas_kernels.h: the lists of kernels, forcing one, and which one a call takes on which device.
// Only forcing needs a GPU; the rest is skipped only in builds without CUDA.
#include "partly_compiled.h"
#include "support.h"

#include <limits.h>
#include <math.h>
#include <unistd.h>

static const myblasRoutine_t routines[] = {
    MYBLAS_ROUTINE_SGEMM,
    MYBLAS_ROUTINE_TRANSPOSE,
    MYBLAS_ROUTINE_GEAM,
    MYBLAS_ROUTINE_SUM,
    MYBLAS_ROUTINE_DSUM,
    MYBLAS_ROUTINE_AXPY,
    MYBLAS_ROUTINE_COPY,
    MYBLAS_ROUTINE_GEMSUM,
    MYBLAS_ROUTINE_HISTOGRAM,
    // Level 1
    MYBLAS_ROUTINE_DOT,
    MYBLAS_ROUTINE_NRM2,
    MYBLAS_ROUTINE_IAMAX,
    MYBLAS_ROUTINE_SCAL,
    MYBLAS_ROUTINE_SWAP,
    MYBLAS_ROUTINE_ROT,
    MYBLAS_ROUTINE_ROTM,
    MYBLAS_ROUTINE_ROTG,
    MYBLAS_ROUTINE_ROTMG,
    // Level 2
    MYBLAS_ROUTINE_SYMV,
    MYBLAS_ROUTINE_SYR,
    MYBLAS_ROUTINE_TRMV,
    MYBLAS_ROUTINE_TRSV,
    // Level 3
    MYBLAS_ROUTINE_SYRK,
    MYBLAS_ROUTINE_SYR2K,
    MYBLAS_ROUTINE_SYMM,
    MYBLAS_ROUTINE_TRMM,
    MYBLAS_ROUTINE_TRSM,
};

static const int architectures[] = {80, 86, 89, 90, 100, 103, 120};

enum { default_workspace = 32 << 20 };

// One GPU of each architecture, from its data sheet. Where no figures are known, an H200 with
// another architecture.
static myblasDevice_t device_of(int arch) {
    static const myblasDevice_t a100 = {sizeof a100, 80, 108, 1410, 1555, 40 << 20, 166912};
    static const myblasDevice_t l40s = {sizeof l40s, 89, 142, 2520, 864, 96 << 20, 101376};
    static const myblasDevice_t h200 = {sizeof h200, 90, 132, 1980, 4814, 60 << 20, 232448};
    myblasDevice_t device = arch < 86 ? a100 : arch < 90 || arch >= 120 ? l40s : h200;
    if (arch >= 100 && arch < 120)
        device.sm_count = 148;
    device.arch = arch;
    return device;
}

static bool cuda_is_built(void) {
    int count = 0;
    assert_ok(myblasGetKernelCount(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, &count));
    return count > 0;
}

// ---- Architectures ------------------------------------------------------------------------------

// A kernel that is compiled for some architectures only (src/CMakeLists.txt) declares that it runs
// on no others. `names`: the quoted strings of its source file, among them the kernel's name.
static int
check_partly_compiled(const char* file, const char* const* names, int min_arch, int max_arch) {
    int found = 0;
    for (size_t r = 0; r < COUNT_OF(routines); ++r) {
        int count = 0;
        assert_ok(myblasGetKernelCount(MYBLAS_BACKEND_CUDA, routines[r], &count));
        for (int i = 0; i < count; ++i) {
            myblasKernelInfo_t info = {.size_bytes = sizeof info};
            assert_ok(myblasGetKernelInfo(MYBLAS_BACKEND_CUDA, routines[r], i, &info));
            for (const char* const* name = names; *name; ++name) {
                if (strcmp(*name, info.name) != 0)
                    continue;
                ++found;
                if (info.min_arch < min_arch || (max_arch && info.max_arch != max_arch))
                    fail_msg("%s declares architectures that %s is not compiled for", *name, file);
            }
        }
    }
    return found;
}

// tests/CMakeLists.txt defines PARTLY_COMPILED, {file, names, min_arch, max_arch} for each such
// file that includes a registry, and so defines kernels.
static void test_partly_compiled_kernels(void** state) {
    (void)state;
    if (!cuda_is_built())
        skip();
    static const struct {
        const char* file;
        const char* names[32];
        int min_arch, max_arch;
    } files[] = {PARTLY_COMPILED{NULL, {NULL}, 0, 0}};
    assert_non_null(files[0].file);
    for (size_t f = 0; files[f].file; ++f) {
        if (check_partly_compiled(
                files[f].file, files[f].names, files[f].min_arch, files[f].max_arch) == 0)
            fail_msg("no kernel is named in %s", files[f].file);
    }
}

// ---- Lists --------------------------------------------------------------------------------------

// All kernels, in order. The names without a slash, and the families before a slash, are promised
// for the life of the ABI: they stay in these lists.
static const char* const cuda_sgemm[] = {"naive",
                                         "coalesced",
                                         "grid_stride",
                                         "shared_rows",
                                         "shared_tile",
                                         "shared_tile_grid_stride",
                                         "register_tile_strided",
                                         "register_tile",
                                         "register_tile_2x2",
                                         "register_tile_packed",
                                         "vectorised",
                                         "warp_quadrants",
                                         "double_buffered",
                                         "multistage",
                                         "warp_tile/256x128",
                                         "warp_tile/128x64",
                                         "warp_tile/64x64",
                                         "warp_tile/64x32",
                                         "split_k",
                                         "stream_k/128x64",
                                         "stream_k/128x32",
                                         "stream_k/128x32_splits",
                                         "small_tile/16x16_k8",
                                         "small_tile/16x16_k32",
                                         "small_tile/32x16_k16",
                                         "small_tile/32x32_k8",
                                         "small_tile/32x32_k16",
                                         "small_tile/64x32_k16",
                                         "small_tile/16x16_packed",
                                         "small_tile/32x32_packed",
                                         "small_tile/32x16_k16_cluster2",
                                         "small_tile/32x16_k16_cluster4",
                                         "small_tile/32x32_k16_cluster2",
                                         "small_tile/32x32_k16_cluster8",
                                         "tiny",
                                         "tall_skinny",
                                         "short_k",
                                         "group_tile/64x32",
                                         "skinny",
                                         "gemv",
                                         "thin/panel",
                                         "bf16x6/256x128",
                                         "bf16x6/128x128",
                                         "fp16x3/256x128",
                                         "fp16x3/128x128",
                                         "tf32x3/64x64",
                                         "tf32x3/128x64",
                                         "tf32x3/128x128",
                                         "tf32x3_batch/64x64",
                                         "tf32x3_batch/128x64",
                                         NULL};
static const char* const cuda_transpose[] = {"copy",
                                             "copy_shared",
                                             "naive",
                                             "shared_tile",
                                             "shared_tile_padded",
                                             "diagonal",
                                             "unrolled",
                                             "vectorised",
                                             "small_squares",
                                             "small_elements",
                                             "small_tiles",
                                             "large_tiles",
                                             "shifted",
                                             "interleaved",
                                             "in_place_square",
                                             "in_place_pairs",
                                             "in_place_workspace",
                                             "in_place_cycles",
                                             NULL};
static const char* const cuda_sum[] = {"atomic",
                                       "shared_serial",
                                       "shared_interleaved",
                                       "shared_strided",
                                       "shared_sequential",
                                       "warp_shuffle",
                                       "vectorised_two_level",
                                       "single_block",
                                       "cluster",
                                       "polled",
                                       NULL};
static const char* const cuda_dsum[] = {
    "atomic", "warp_shuffle", "vectorised_two_level", "single_block", "cluster", "polled", NULL};
static const char* const cuda_gemsum[] = {
    "naive", "row_tiles", "row_clusters", "column_groups", NULL};
static const char* const cuda_histogram[] = {
    "global_atomics", "shared_atomics", "lane_counters", NULL};
static const char* const cuda_geam[] = {"naive", "shared_tile", "async_tiles", NULL};
static const char* const cuda_vector[] = {"naive", "vectorised", "strided", NULL};
static const char* const cuda_reduction[] = {"cluster", "polled", NULL};
static const char* const cuda_rotation[] = {"one_thread", NULL};
static const char* const cuda_symv[] = {"warps", "rows", "tiles", "strips", NULL};
static const char* const cuda_syr[] = {"tiles", NULL};
static const char* const cuda_trmv[] = {"single_block", "rows", NULL};
static const char* const cuda_trsv[] = {"single_block", "chain", NULL};
static const char* const cuda_level3[] = {"naive", "products", NULL};
static const char* const cuda_small_level3[] = {"naive", "products", "small", NULL};
static const char* const host_level3[] = {"reference", "products", "openblas", NULL};
static const char* const host_sgemm[] = {
    "reference", "unpacked", "blocked", "ordered", "openblas", NULL};
static const char* const host_transpose[] = {"naive", "blocked", "in_place", NULL};
static const char* const host_geam[] = {"naive", "blocked", NULL};
static const char* const host_sum[] = {"serial", "pairwise", NULL};
static const char* const host_vector[] = {"reference", NULL};
static const char* const host_product_sum[] = {"lanes", NULL};
static const char* const host_extremum[] = {"blocks", NULL};
static const char* const host_triangle[] = {"reference", "openblas", NULL};
static const char* const host_gemsum[] = {"serial", "runs", NULL};
static const char* const host_histogram[] = {"serial", "interleaved", NULL};

static const struct {
    myblasBackend_t backend;
    myblasRoutine_t routine;
    const char* const* names;
} ladders[] = {
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, cuda_sgemm},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_TRANSPOSE, cuda_transpose},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_GEAM, cuda_geam},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SUM, cuda_sum},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_DSUM, cuda_dsum},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_AXPY, cuda_vector},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_COPY, cuda_vector},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_GEMSUM, cuda_gemsum},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_HISTOGRAM, cuda_histogram},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_SGEMM, host_sgemm},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_TRANSPOSE, host_transpose},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_GEAM, host_geam},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_SUM, host_sum},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_DSUM, host_sum},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_AXPY, host_vector},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_COPY, host_vector},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_GEMSUM, host_gemsum},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_HISTOGRAM, host_histogram},
    // Level 1
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_DOT, cuda_reduction},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_NRM2, cuda_reduction},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_IAMAX, cuda_reduction},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SCAL, cuda_vector},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SWAP, cuda_vector},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_ROT, cuda_vector},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_ROTM, cuda_vector},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_ROTG, cuda_rotation},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_ROTMG, cuda_rotation},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_DOT, host_product_sum},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_NRM2, host_product_sum},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_IAMAX, host_extremum},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_SCAL, host_vector},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_SWAP, host_vector},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_ROT, host_vector},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_ROTM, host_vector},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_ROTG, host_vector},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_ROTMG, host_vector},
    // Level 2
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SYMV, cuda_symv},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SYR, cuda_syr},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_TRMV, cuda_trmv},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_TRSV, cuda_trsv},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_SYMV, host_triangle},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_SYR, host_triangle},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_TRMV, host_triangle},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_TRSV, host_triangle},
    // Level 3
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SYRK, cuda_level3},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SYR2K, cuda_level3},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SYMM, cuda_small_level3},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_TRMM, cuda_small_level3},
    {MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_TRSM, cuda_level3},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_SYRK, host_level3},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_SYR2K, host_level3},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_SYMM, host_level3},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_TRMM, host_level3},
    {MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_TRSM, host_level3},
};

static myblasKernelInfo_t info_of(myblasBackend_t backend, myblasRoutine_t routine, int index) {
    myblasKernelInfo_t info = {.size_bytes = sizeof info};
    assert_ok(myblasGetKernelInfo(backend, routine, index, &info));
    return info;
}

static void check_info(myblasBackend_t backend, const myblasKernelInfo_t* info) {
    assert_int_equal(info->size_bytes, sizeof *info);
    assert_true(info->name && strlen(info->name) > 0);
    assert_true(info->description && strlen(info->description) > 0);
    assert_null(strchr(info->description, '\n'));
    assert_true(info->block_m >= 0 && info->block_n >= 0 && info->block_k >= 0);
    assert_true(info->alignment_bytes >= 4 &&
                (info->alignment_bytes & (info->alignment_bytes - 1)) == 0);
    assert_true(info->deterministic == 0 || info->deterministic == 1);
    assert_true(info->math_mode >= MYBLAS_FP32_STRICT_MATH &&
                info->math_mode <= MYBLAS_FP32_FAST_MATH);
    assert_true(info->max_arch == 0 || info->max_arch >= info->min_arch);
    assert_true((info->stages == 0) == (info->smem_bytes == 0));
    if (backend == MYBLAS_BACKEND_HOST) {
        assert_int_equal(info->threads, 0);
        assert_int_equal(info->min_arch, 0);
    } else {
        // None: the kernel is a sequence of others.
        assert_true(info->threads == 0 || (info->threads >= 32 && info->threads <= 1024));
        assert_true(info->smem_bytes <= 227 * 1024);
    }
}

static bool are_of_a_family(const char* name, const char* other) {
    const size_t length = strcspn(name, "/");
    return length == strcspn(other, "/") && strncmp(name, other, length) == 0;
}

// The names are in the list's order, no name comes twice, and the kernels of a family are
// neighbours. Forcing a family takes all from its first to its last (find_kernel in
// src/api/context.h).
static void check_ladders(myblasBackend_t backend) {
    for (size_t l = 0; l < COUNT_OF(ladders); ++l) {
        if (ladders[l].backend != backend)
            continue;
        int count = -1;
        assert_ok(myblasGetKernelCount(backend, ladders[l].routine, &count));
        const char* const* next = ladders[l].names;
        for (int i = 0; i < count; ++i) {
            const myblasKernelInfo_t info = info_of(backend, ladders[l].routine, i);
            check_info(backend, &info);
            if (!*next || strcmp(*next, info.name) != 0)
                fail_msg("routine %d has %s where the list has %s",
                         ladders[l].routine,
                         info.name,
                         *next ? *next : "nothing");
            ++next;
            bool is_neighbour = true;
            for (int j = i - 1; j >= 0; --j) {
                const char* other = info_of(backend, ladders[l].routine, j).name;
                assert_string_not_equal(other, info.name);
                const bool is_relative = are_of_a_family(other, info.name);
                if (is_relative && !is_neighbour)
                    fail_msg("%s and %s are not neighbours", other, info.name);
                is_neighbour = is_neighbour && is_relative;
            }
        }
        assert_null(*next); // the list ends with the registry
    }
}

static void test_host_ladders(void** state) {
    (void)state;
    check_ladders(MYBLAS_BACKEND_HOST);
}

static void test_cuda_ladders(void** state) {
    (void)state;
    if (!cuda_is_built())
        skip();
    check_ladders(MYBLAS_BACKEND_CUDA);
}

static void test_list_arguments(void** state) {
    (void)state;
    int count = -77;
    const myblasRoutine_t no_routine = (myblasRoutine_t)MYBLAS_ROUTINE_COUNT;
    const myblasBackend_t host = MYBLAS_BACKEND_HOST;
    assert_status(INVALID_VALUE,
                  myblasGetKernelCount(MYBLAS_BACKEND_AUTO, MYBLAS_ROUTINE_SGEMM, &count));
    assert_status(INVALID_VALUE,
                  myblasGetKernelCount((myblasBackend_t)3, MYBLAS_ROUTINE_SGEMM, &count));
    assert_status(INVALID_VALUE, myblasGetKernelCount(host, no_routine, &count));
    assert_status(INVALID_VALUE, myblasGetKernelCount(host, (myblasRoutine_t)-1, &count));
    assert_status(INVALID_VALUE, myblasGetKernelCount(host, MYBLAS_ROUTINE_SGEMM, NULL));
    assert_int_equal(count, -77);
    assert_ok(myblasGetKernelCount(host, MYBLAS_ROUTINE_SGEMM, &count));

    myblasKernelInfo_t info, untouched;
    memset(&info, 0x5A, sizeof info);
    info.size_bytes = sizeof info;
    untouched = info;
    assert_status(INVALID_VALUE,
                  myblasGetKernelInfo(MYBLAS_BACKEND_AUTO, MYBLAS_ROUTINE_SGEMM, 0, &info));
    assert_status(INVALID_VALUE, myblasGetKernelInfo(host, no_routine, 0, &info));
    assert_status(INVALID_VALUE, myblasGetKernelInfo(host, MYBLAS_ROUTINE_SGEMM, -1, &info));
    assert_status(INVALID_VALUE, myblasGetKernelInfo(host, MYBLAS_ROUTINE_SGEMM, count, &info));
    assert_status(INVALID_VALUE, myblasGetKernelInfo(host, MYBLAS_ROUTINE_SGEMM, 0, NULL));
    assert_memory_equal(&info, &untouched, sizeof info);
    info.size_bytes = sizeof info - 1;
    assert_status(INVALID_VALUE, myblasGetKernelInfo(host, MYBLAS_ROUTINE_SGEMM, 0, &info));
}

// ---- Selection ----------------------------------------------------------------------------------

static myblasCall_t
sgemm_call(myblasOperation_t transa, myblasOperation_t transb, int64_t m, int64_t n, int64_t k) {
    myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
    call.transa = transa;
    call.transb = transb;
    call.m = m;
    call.n = n;
    call.k = k;
    call.lda = transa == MYBLAS_OP_N ? m : k;
    call.ldb = transb == MYBLAS_OP_N ? k : n;
    call.ldc = m;
    return call;
}

// With unaligned operands.
static myblasCall_t padded(myblasCall_t call) {
    ++call.lda, ++call.ldb, ++call.ldc;
    return call;
}
static myblasCall_t off_by_a_float(myblasCall_t call) {
    call.A = call.B = call.C = (void*)(uintptr_t)0x10004;
    return call;
}

static myblasCall_t
transpose_call(int64_t m, int64_t n, int element_bytes, uintptr_t a, uintptr_t b) {
    myblasCall_t call = empty_call(MYBLAS_ROUTINE_TRANSPOSE);
    call.m = m;
    call.n = n;
    call.lda = m;
    call.ldb = n;
    call.element_bytes = element_bytes;
    call.A = (const void*)a;
    call.B = (const void*)b;
    return call;
}

// Floats, with padding behind the columns of A and of B.
static myblasCall_t padded_transpose_call(int64_t m, int64_t n, int64_t pad_a, int64_t pad_b) {
    myblasCall_t call = transpose_call(m, n, 4, 0, 0);
    call.lda += pad_a;
    call.ldb += pad_b;
    return call;
}

// A on the left, in place if C is at 0x10000.
static myblasCall_t trmm_call(int64_t m, int64_t n, uintptr_t c) {
    myblasCall_t call = empty_call(MYBLAS_ROUTINE_TRMM);
    call.m = m;
    call.n = n;
    call.lda = call.ldb = call.ldc = m;
    call.B = (const void*)(uintptr_t)0x10000;
    call.C = (const void*)c;
    return call;
}

static myblasCall_t
vector_call(myblasRoutine_t routine, int64_t n, int64_t incx, int64_t incy, uintptr_t x) {
    myblasCall_t call = empty_call(routine);
    call.n = n;
    call.lda = incx;
    call.ldb = incy;
    call.A = (const void*)x;
    call.B = (const void*)(x ? x + 0x100000 : 0);
    return call;
}

static myblasCall_t gemsum_call(myblasOperation_t op, int64_t m, int64_t n) {
    myblasCall_t call = empty_call(MYBLAS_ROUTINE_GEMSUM);
    call.transa = op;
    call.m = m;
    call.n = n;
    call.lda = m;
    return call;
}

// On a device that this machine need not have.
static const char*
selected_on(const myblasDevice_t* device, size_t workspace, const myblasCall_t* call) {
    const char* name = NULL;
    assert_ok(myblasSelectKernelOn(MYBLAS_BACKEND_CUDA, device, workspace, call, &name));
    return name;
}

static myblasCall_t in_batch(int64_t count, myblasCall_t call) {
    call.batch_count = count;
    return call;
}

static myblasCall_t in_mode(myblasMath_t math, myblasCall_t call) {
    call.math_mode = math;
    return call;
}

// For products, choices that follow from the shape by a wide margin. For other routines, what the
// rules say: change both together.
static void test_selected_names(void** state) {
    (void)state;
    if (!cuda_is_built())
        skip();
    const myblasOperation_t N = MYBLAS_OP_N, T = MYBLAS_OP_T;
    const myblasMath_t emulated = MYBLAS_FP32_EMULATED_MATH, fast = MYBLAS_FP32_FAST_MATH,
                       reproducible = MYBLAS_FP32_REPRODUCIBLE_MATH;
    const size_t large_workspace = (size_t)4 << 30;
    enum { all = 0 };
    const struct {
        int arch; // all: each of `architectures`
        size_t workspace;
        myblasCall_t call;
        const char* names; // as is_one_of() takes them
    } expected[] = {
        // clang-format off
        {90, default_workspace, sgemm_call(N, N, 4096, 4096, 4096), "stream_k"},
        {90, default_workspace, sgemm_call(T, N, 4096, 4096, 4096), "stream_k"},
        {90, default_workspace, sgemm_call(N, T, 5000, 5000, 5000), "stream_k"},
        {90, default_workspace, sgemm_call(N, N, 32768, 32768, 32768), "stream_k"},
        {90, default_workspace, sgemm_call(T, N, 65536, 65536, 65536), "stream_k"},
        {80, default_workspace, sgemm_call(N, N, 4096, 4096, 4096), "warp_tile"},
        {90, 0, sgemm_call(N, N, 8192, 8192, 8192), "stream_k warp_tile"},
        {90, default_workspace, padded(sgemm_call(N, N, 4096, 4096, 4096)), "stream_k warp_tile"},
        {90, default_workspace, off_by_a_float(sgemm_call(N, N, 4096, 4096, 4096)),
         "stream_k warp_tile"},
        {all, default_workspace, sgemm_call(T, T, 1, 1, 1), "tiny"},
        {all, default_workspace, sgemm_call(N, N, 128, 128, 128), "small_tile"},
        {all, default_workspace, sgemm_call(N, N, 256, 256, 256), "small_tile"},
        {90, default_workspace, sgemm_call(N, N, 1, 4096, 4096), "gemv skinny"},
        {90, default_workspace, sgemm_call(T, N, 4096, 1, 4096), "gemv skinny"},
        {all, default_workspace, sgemm_call(T, N, 1, 1, 1 << 20), "gemv skinny split_k"},
        {90, default_workspace, sgemm_call(N, N, 100000, 32, 8), "short_k"},
        {all, default_workspace, sgemm_call(N, N, 100000, 8, 32), "tall_skinny"},
        {all, default_workspace, sgemm_call(T, N, 2, 1 << 20, 96), "tall_skinny"},
        {90, default_workspace, sgemm_call(N, N, 1 << 24, 1, 4), "gemv"},
        {90, default_workspace, sgemm_call(T, N, 50257, 2, 768), "small_tile thin skinny"},
        {90, default_workspace, sgemm_call(N, N, 64, 64, 1 << 20), "split_k stream_k"},
        {90, 0, sgemm_call(N, N, 64, 64, 1 << 18), "small_tile"},
        {90, default_workspace, in_batch(10000, sgemm_call(N, N, 8, 8, 8)),
         "small_tile/16x16_packed"},
        {all, default_workspace, in_batch(10000, sgemm_call(T, N, 32, 32, 32)),
         "small_tile short_k"},
        {90, large_workspace, in_mode(fast, sgemm_call(N, N, 8192, 8192, 8192)), "fp16x3/256x128"},
        {90, large_workspace, in_mode(fast, sgemm_call(T, N, 16384, 16384, 16384)),
         "fp16x3/256x128"},
        {90, large_workspace, in_mode(fast, padded(sgemm_call(N, T, 8192, 8192, 8192))), "fp16x3"},
        {90, large_workspace, in_mode(emulated, sgemm_call(N, N, 8192, 8192, 8192)),
         "fp16x3/256x128"},
        {90, large_workspace, in_mode(emulated, sgemm_call(T, T, 8192, 8192, 8192)),
         "fp16x3/256x128"},
        {90, 0, in_mode(fast, sgemm_call(N, N, 1024, 1024, 1024)),
         "tf32x3 tf32x3_batch fp16x3 bf16x6"},
        {90, default_workspace, in_mode(fast, in_batch(64, sgemm_call(T, N, 1024, 1024, 128))),
         "tf32x3 tf32x3_batch"},
        {90, 0, in_mode(emulated, in_batch(32, sgemm_call(N, N, 128, 2048, 2048))),
         "tf32x3 tf32x3_batch"},
        {90, 0, in_mode(emulated, in_batch(128, sgemm_call(N, N, 64, 512, 512))),
         "tf32x3 tf32x3_batch"},
        {90, 0, in_mode(fast, in_batch(8, sgemm_call(T, N, 256, 128, 4096))), "tf32x3"},
        {all, default_workspace, in_mode(reproducible, sgemm_call(N, N, 4096, 4096, 4096)),
         "warp_tile"},
        {all, default_workspace, in_mode(reproducible, sgemm_call(N, N, 16, 16, 65536)),
         "warp_tile short_k small_tile/16x16_packed small_tile/32x32_packed"},
        {all, 0, in_mode(reproducible, in_batch(10000, sgemm_call(N, N, 8, 8, 8))),
         "warp_tile short_k small_tile/16x16_packed small_tile/32x32_packed"},
        {90, default_workspace, in_mode(fast, sgemm_call(N, N, 32, 32, 32)), "small_tile"},
        {90, default_workspace, in_mode(fast, sgemm_call(N, N, 1, 4096, 4096)), "gemv skinny"},
        {80, large_workspace, in_mode(fast, sgemm_call(N, N, 8192, 8192, 8192)), "warp_tile"},
        {120, large_workspace, in_mode(emulated, sgemm_call(N, N, 8192, 8192, 8192)),
         "stream_k warp_tile"},
        {all, default_workspace, transpose_call(8192, 8192, 4, 0, 0), "vectorised"},
        {all, default_workspace, transpose_call(8192, 8192, 4, 0x10004, 0x9000000), "shifted"},
        {all, default_workspace, transpose_call(8191, 8191, 4, 0, 0), "shifted"},
        {all, default_workspace, transpose_call(1024, 1024, 4, 0, 0), "small_squares"},
        {all, default_workspace, transpose_call(1024, 1024, 1, 0, 0), "small_squares"},
        {all, default_workspace, transpose_call(1002, 1000, 4, 0, 0), "small_squares"},
        {all, default_workspace, transpose_call(1001, 1000, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(4096, 4096, 1, 0, 0), "small_squares"},
        {all, default_workspace, transpose_call(1 << 18, 64, 1, 0, 0), "small_tiles"},
        {all, default_workspace, transpose_call(8192, 8192, 1, 0, 0), "large_tiles"},
        {all, default_workspace, transpose_call(1023, 1023, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(2047, 2047, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(1501, 1501, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(14589, 150, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(7955, 45, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(512, 512, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(512, 512, 1, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(516, 516, 4, 0, 0), "small_squares"},
        {all, default_workspace, transpose_call(10001, 12, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(12, 20001, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(17, 80001, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(200001, 17, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(2501, 2501, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(2701, 2701, 4, 0, 0), "shifted"},
        {all, default_workspace, transpose_call(2501, 2501, 2, 0, 0), "shifted"},
        {all, default_workspace, transpose_call(2, 20001, 4, 0, 0), "interleaved"},
        {all, default_workspace, padded_transpose_call(2, 1 << 20, 7, 8), "interleaved"},
        {all, default_workspace, padded_transpose_call(20, 1 << 20, 7, 8), "interleaved"},
        {all, default_workspace, padded_transpose_call(20, 1 << 20, 8, 0), "small_elements"},
        {all, default_workspace, padded_transpose_call(1 << 20, 20, 8, 7), "interleaved"},
        {all, default_workspace, padded_transpose_call(1 << 20, 20, 0, 8), "small_elements"},
        {all, default_workspace, padded_transpose_call(75, 1 << 20, 10, 0), "shifted"},
        {all, default_workspace, transpose_call(1 << 20, 32, 4, 0, 0), "vectorised"},
        {all, default_workspace, transpose_call(64, 64, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(1, 1, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(8191, 8191, 1, 0, 0), "shifted"},
        {all, default_workspace, transpose_call(8196, 8196, 4, 0, 0), "shifted"},
        {all, default_workspace, transpose_call(1 << 20, 31, 4, 0, 0), "interleaved"},
        {all, default_workspace, transpose_call(1 << 20, 75, 4, 0, 0), "interleaved"},
        {all, default_workspace, transpose_call(1 << 20, 75, 2, 0, 0), "shifted"},
        {all, default_workspace, transpose_call(3, 1 << 24, 4, 0, 0), "interleaved"},
        {all, default_workspace, transpose_call(512, 512, 4, 0x10000, 0x10000), "in_place_pairs"},
        {all, default_workspace, transpose_call(511, 511, 1, 0x10000, 0x10000), "in_place_square"},
        {all, default_workspace, transpose_call(512, 300, 4, 0x10000, 0x10000),
         "in_place_workspace"},
        {all, 0, transpose_call(512, 300, 4, 0x10000, 0x10000), "in_place_cycles"},
        {80, default_workspace, vector_call(MYBLAS_ROUTINE_SUM, 1000, 1, 0, 0), "single_block"},
        {90, default_workspace, vector_call(MYBLAS_ROUTINE_SUM, 1000, 1, 0, 0), "cluster"},
        {90, 0, vector_call(MYBLAS_ROUTINE_SUM, 110000, 1, 0, 0x10004), "cluster"},
        {90, 0, vector_call(MYBLAS_ROUTINE_DSUM, 55000, 1, 0, 0), "cluster"},
        {90, 0, vector_call(MYBLAS_ROUTINE_DSUM, 8192, 3, 0, 0), "cluster"},
        {all, 0, vector_call(MYBLAS_ROUTINE_DSUM, 8193, 3, 0, 0), "polled"},
        {all, 0, vector_call(MYBLAS_ROUTINE_SUM, 110001, 1, 0, 0), "polled"},
        {all, default_workspace, vector_call(MYBLAS_ROUTINE_SUM, 1 << 28, 1, 0, 0), "polled"},
        {all, default_workspace, vector_call(MYBLAS_ROUTINE_SUM, 1 << 28, 1, 0, 0x10004), "polled"},
        {all, default_workspace, vector_call(MYBLAS_ROUTINE_DSUM, 1 << 28, 1, 0, 0), "polled"},
        {80, default_workspace, gemsum_call(N, 128, 128), "row_tiles"},
        {90, 0, gemsum_call(N, 128, 128), "row_clusters"},
        {90, 0, gemsum_call(N, 100, 8), "row_clusters"},
        {90, 0, gemsum_call(N, 2048, 2048), "row_clusters"},
        {all, default_workspace, gemsum_call(N, 3000, 3000), "row_tiles"},
        {all, default_workspace, gemsum_call(N, 32, 20000), "row_tiles"},
        {all, default_workspace, gemsum_call(N, 20000, 8), "row_tiles"},
        {all, default_workspace, gemsum_call(N, 8192, 8192), "row_tiles"},
        {all, default_workspace, gemsum_call(T, 8192, 8192), "column_groups"},
        {all, default_workspace, gemsum_call(T, 3, 1 << 24), "column_groups"},
        {all, 0, gemsum_call(N, 64, 1 << 20), "row_tiles"},
        {all, 0, vector_call(MYBLAS_ROUTINE_HISTOGRAM, 1 << 20, 1, 0, 0), "lane_counters"},
        {all, default_workspace, vector_call(MYBLAS_ROUTINE_AXPY, 1 << 20, 1, 1, 0), "vectorised"},
        {all, default_workspace, vector_call(MYBLAS_ROUTINE_COPY, 1 << 20, 1, 1, 0), "vectorised"},
        {all, default_workspace, vector_call(MYBLAS_ROUTINE_AXPY, 1 << 20, 2, -1, 0), "strided"},
        {all, default_workspace, vector_call(MYBLAS_ROUTINE_COPY, 1 << 20, 1, 0, 0), "strided"},
        {80, 0, vector_call(MYBLAS_ROUTINE_DOT, 1000, 1, 1, 0), "polled"},
        {90, 0, vector_call(MYBLAS_ROUTINE_DOT, 1000, 1, 1, 0), "cluster"},
        {90, 0, vector_call(MYBLAS_ROUTINE_DOT, 55000, -1, 1, 0), "cluster"},
        {90, 0, vector_call(MYBLAS_ROUTINE_DOT, 55000, -1000, 1, 0), "polled"},
        {90, 0, vector_call(MYBLAS_ROUTINE_DOT, 8193, 3, 1, 0), "polled"},
        {all, 0, vector_call(MYBLAS_ROUTINE_DOT, 1 << 26, 1, 1, 0), "polled"},
        {90, 0, vector_call(MYBLAS_ROUTINE_NRM2, 100000, 1, 0, 0), "cluster"},
        {all, 0, vector_call(MYBLAS_ROUTINE_NRM2, 1 << 26, 1, 0, 0), "polled"},
        {90, 0, vector_call(MYBLAS_ROUTINE_IAMAX, 16384, 2, 0, 0), "cluster"},
        {all, 0, vector_call(MYBLAS_ROUTINE_IAMAX, 1 << 26, 1, 0, 0), "polled"},
        {all, 0, vector_call(MYBLAS_ROUTINE_SCAL, 1 << 20, 1, 0, 0x10004), "vectorised"},
        {all, 0, vector_call(MYBLAS_ROUTINE_SCAL, 1 << 20, 2, 0, 0), "strided"},
        {all, 0, vector_call(MYBLAS_ROUTINE_SWAP, 1 << 20, 1, 1, 0), "vectorised"},
        {all, 0, vector_call(MYBLAS_ROUTINE_ROT, 1 << 20, 1, -1, 0), "strided"},
        {all, 0, vector_call(MYBLAS_ROUTINE_ROTM, 1 << 20, 1, 1, 0x10004), "vectorised"},
        {all, 0, vector_call(MYBLAS_ROUTINE_ROTG, 0, 0, 0, 0), "one_thread"},
        {all, default_workspace, trmm_call(68, 6300, 0x10000), "small"},
        {all, default_workspace, trmm_call(68, 6301, 0x10000), "products"},
        {all, default_workspace, trmm_call(128, 4200, 0x10000), "small"},
        {all, default_workspace, trmm_call(128, 4201, 0x10000), "products"},
        {all, default_workspace, trmm_call(129, 1000, 0x10000), "products"},
        {all, default_workspace, trmm_call(128, 4085, 0x2000000), "products"},
        // clang-format on
    };
    for (size_t i = 0; i < COUNT_OF(expected); ++i) {
        for (size_t a = 0; a < COUNT_OF(architectures); ++a) {
            const int arch = architectures[a];
            if (expected[i].arch != all && expected[i].arch != arch)
                continue;
            const myblasDevice_t device = device_of(arch);
            const char* name = selected_on(&device, expected[i].workspace, &expected[i].call);
            if (!is_one_of(name, expected[i].names))
                fail_msg("case %zu on %d takes %s, not %s", i, arch, name, expected[i].names);
        }
    }
}

// Large products in modes that allow tensor cores use them with any workspace. Captured calls have
// only a stream's first workspace, and MYBLAS_WORKSPACE or the program may allow none.
static void test_little_workspace(void** state) {
    (void)state;
    if (!cuda_is_built())
        skip();
    static const size_t workspaces[] = {0, 4 << 20, default_workspace, 256 << 20};
    const myblasDevice_t device = device_of(90);
    int failures = 0;
    for (int64_t n = 1024; n <= 16384; n *= 2)
        for (size_t w = 0; w < COUNT_OF(workspaces); ++w)
            for (int mode = MYBLAS_FP32_EMULATED_MATH; mode <= MYBLAS_FP32_FAST_MATH; ++mode) {
                const myblasCall_t call =
                    in_mode((myblasMath_t)mode, sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, n, n, n));
                const char* name = selected_on(&device, workspaces[w], &call);
                if (is_one_of(name, "tf32x3 tf32x3_batch bf16x6 fp16x3"))
                    continue;
                ++failures;
                print_error("%lld in mode %d with %zu MiB takes %s\n",
                            (long long)n,
                            mode,
                            workspaces[w] >> 20,
                            name);
            }
    assert_int_equal(failures, 0);
}

static int64_t random_size(void) {
    const int64_t magnitude = INT64_C(1) << random_between(0, 18);
    return random_between(1, magnitude);
}

static const void* random_address(int element_bytes) {
    return (const void*)(uintptr_t)(random_between(0, 1)
                                        ? 0
                                        : 0x10000000 + random_between(0, 63) * element_bytes);
}

static myblasCall_t random_call(myblasRoutine_t routine) {
    myblasCall_t call = empty_call(routine);
    const bool aligned = random_between(0, 1);
    call.transa = (myblasOperation_t)random_between(0, 2);
    call.transb = (myblasOperation_t)random_between(0, 2);
    call.element_bytes = routine == MYBLAS_ROUTINE_TRANSPOSE ? 1 << random_between(0, 4) : 4;
    const int bytes = routine == MYBLAS_ROUTINE_DSUM ? 8 : call.element_bytes;
    call.m = random_size();
    call.n = random_size();
    call.k = random_between(0, 9) ? random_size() : 0;
    if (aligned) {
        call.m = (call.m + 15) / 16 * 16;
        call.n = (call.n + 15) / 16 * 16;
        call.k = (call.k + 15) / 16 * 16;
    }
    const int64_t most = call.m > call.n ? call.m : call.n;
    int64_t ld = (most > call.k ? most : call.k) + (aligned ? 16 : random_between(0, 9));
    call.A = random_address(bytes);
    call.B = random_address(bytes);
    call.C = random_address(bytes);
    switch (routine) {
    case MYBLAS_ROUTINE_SGEMM:
        call.batch_count = random_between(0, 2) ? 0 : random_size();
        if (call.batch_count == 0 && random_between(0, 9) == 0)
            ld += INT64_C(1) << 32; // more than a library with int arguments takes
        call.lda = call.ldb = call.ldc = ld;
        break;
    case MYBLAS_ROUTINE_TRANSPOSE:
        call.lda = call.ldb = ld;
        if (random_between(0, 2) == 0) { // in place
            call.A = call.B = (const void*)(uintptr_t)(0x10000000 + random_between(0, 3) * bytes);
            if (random_between(0, 1)) { // batches of squares alone
                call.n = call.m;
                call.batch_count = random_size();
            }
            call.lda = call.m;
            call.ldb = call.n;
        } else if (call.A == call.B) {
            call.A = NULL;
        }
        break;
    case MYBLAS_ROUTINE_GEAM:
        call.lda = call.ldb = call.ldc = ld;
        call.C = (const void*)(uintptr_t)0x20000000;
        break;
    case MYBLAS_ROUTINE_SUM:
    case MYBLAS_ROUTINE_DSUM:
    case MYBLAS_ROUTINE_IAMAX:
    case MYBLAS_ROUTINE_SCAL:
        call.n = call.n * call.m;
        call.lda = random_between(0, 1) ? 1 : random_between(1, 1000);
        break;
    case MYBLAS_ROUTINE_GEMSUM:
        call.lda = ld;
        break;
    case MYBLAS_ROUTINE_SYMV:
    case MYBLAS_ROUTINE_SYR:
    case MYBLAS_ROUTINE_TRMV:
    case MYBLAS_ROUTINE_TRSV:
        call.lda = ld;
        call.ldb = random_between(0, 1) ? 1 : -3;
        call.ldc = random_between(0, 1) ? 1 : -3;
        break;
    case MYBLAS_ROUTINE_HISTOGRAM:
        call.n = call.n * call.m;
        call.C = NULL;
        break;
    case MYBLAS_ROUTINE_SYRK:
    case MYBLAS_ROUTINE_SYR2K:
    case MYBLAS_ROUTINE_SYMM:
    case MYBLAS_ROUTINE_TRMM:
    case MYBLAS_ROUTINE_TRSM:
        call.side = (myblasSideMode_t)random_between(0, 1);
        call.uplo = (myblasFillMode_t)random_between(0, 1);
        call.diag = (myblasDiagType_t)random_between(0, 1);
        call.lda = call.ldb = call.ldc = ld;
        if (routine == MYBLAS_ROUTINE_SYRK && random_between(0, 1))
            call.ldb = 0;
        call.C = (const void*)(uintptr_t)0x20000000;
        if (routine == MYBLAS_ROUTINE_TRMM && random_between(0, 1))
            call.B = call.C;
        if (routine == MYBLAS_ROUTINE_TRSM)
            call.batch_count = random_between(0, 2) ? 0 : random_size();
        break;
    default:
        call.n = call.n * call.m;
        call.lda = random_between(0, 1) ? 1 : random_between(-5, 5);
        call.ldb = random_between(0, 1) ? 1 : random_between(-5, 5);
        break;
    }
    return call;
}

static bool is_kernel_of(myblasBackend_t backend, myblasRoutine_t routine, const char* name) {
    int count = 0;
    assert_ok(myblasGetKernelCount(backend, routine, &count));
    for (int i = 0; i < count; ++i) {
        if (strcmp(info_of(backend, routine, i).name, name) == 0)
            return true;
    }
    return false;
}

// Every kernel has an estimate, also kernels that refuse the call, and of calls without elements.
static void check_estimates(myblasBackend_t backend,
                            const myblasDevice_t* device,
                            size_t workspace,
                            myblasCall_t call) {
    int64_t* const sizes[] = {&call.m, &call.n, &call.k};
    for (size_t s = 0; s < COUNT_OF(sizes); ++s)
        if (random_between(0, 3) == 0)
            *sizes[s] = 0;
    int count = 0;
    assert_ok(myblasGetKernelCount(backend, call.routine, &count));
    for (int i = 0; i < count; ++i) {
        myblasKernelEstimate_t estimate = {.size_bytes = sizeof estimate};
        assert_ok(myblasGetKernelEstimateOn(backend, device, workspace, &call, i, &estimate));
        if (!estimate.accepted && !estimate.refusal) { // a quick return
            const myblasKernelEstimate_t nothing = {.size_bytes = sizeof nothing};
            assert_memory_equal(&estimate, &nothing, sizeof nothing);
        }
        assert_true(estimate.best_workspace_bytes >= estimate.workspace_bytes);
    }
}

// The selection ends in a rule that accepts everything: any call on any device finds a kernel, even
// without a workspace.
static void check_completeness(myblasBackend_t backend) {
    random_seed(7);
    for (size_t r = 0; r < COUNT_OF(routines); ++r) {
        for (int round = 0; round < 3000; ++round) {
            const myblasCall_t call = random_call(routines[r]);
            const int arch = architectures[random_between(0, (int)COUNT_OF(architectures) - 1)];
            const myblasDevice_t device = device_of(arch);
            const size_t workspace = random_between(0, 1) ? 0 : default_workspace;
            const char* name = NULL;
            const myblasStatus_t status =
                myblasSelectKernelOn(backend, &device, workspace, &call, &name);
            if (status != MYBLAS_STATUS_SUCCESS || !name)
                fail_msg("routine %d, arch %d, workspace %zu: no kernel for m %lld n %lld k %lld "
                         "lda %lld ldb %lld ldc %lld batch %lld bytes %d: status %d",
                         routines[r],
                         arch,
                         workspace,
                         (long long)call.m,
                         (long long)call.n,
                         (long long)call.k,
                         (long long)call.lda,
                         (long long)call.ldb,
                         (long long)call.ldc,
                         (long long)call.batch_count,
                         call.element_bytes,
                         status);
            assert_true(is_kernel_of(backend, routines[r], name));
            assert_true(strncmp(name, "copy", 4) != 0); // the yardsticks do not transpose
            if (round % 10 == 0)
                check_estimates(backend, &device, workspace, call);
        }
    }
}

static void test_host_completeness(void** state) {
    (void)state;
    check_completeness(MYBLAS_BACKEND_HOST);
}

static void test_cuda_completeness(void** state) {
    (void)state;
    if (!cuda_is_built())
        skip();
    check_completeness(MYBLAS_BACKEND_CUDA);
}

static void test_selection_arguments(void** state) {
    (void)state;
    const char* name = "untouched";
    const myblasCall_t call = sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, 10, 10, 10);
    const myblasDevice_t device = device_of(90), *none = NULL;
    const myblasBackend_t host = MYBLAS_BACKEND_HOST, cuda = MYBLAS_BACKEND_CUDA;
    assert_status(INVALID_VALUE,
                  myblasSelectKernelOn(MYBLAS_BACKEND_AUTO, &device, 0, &call, &name));
    assert_status(INVALID_VALUE,
                  myblasSelectKernelOn((myblasBackend_t)7, &device, 0, &call, &name));
    assert_status(INVALID_VALUE, myblasSelectKernelOn(cuda, none, 0, &call, &name));
    assert_status(INVALID_VALUE, myblasSelectKernelOn(host, none, 0, NULL, &name));
    assert_status(INVALID_VALUE, myblasSelectKernelOn(host, none, 0, &call, NULL));
    assert_status(INVALID_VALUE, myblasSelectKernelOn(cuda, &device, 0, &call, NULL));
    myblasCall_t wrong = call;
    wrong.size_bytes = 0;
    assert_status(INVALID_VALUE, myblasSelectKernelOn(host, none, 0, &wrong, &name));
    wrong = call;
    wrong.lda = 9;
    assert_status(INVALID_VALUE, myblasSelectKernelOn(host, none, 0, &wrong, &name));
    wrong = call;
    wrong.transb = (myblasOperation_t)5;
    assert_status(INVALID_VALUE, myblasSelectKernelOn(host, none, 0, &wrong, &name));
    wrong = call;
    wrong.routine = (myblasRoutine_t)-1;
    assert_status(INVALID_VALUE, myblasSelectKernelOn(host, none, 0, &wrong, &name));
    wrong = call;
    wrong.math_mode = (myblasMath_t)4;
    assert_status(INVALID_VALUE, myblasSelectKernelOn(host, none, 0, &wrong, &name));
    assert_string_equal(name, "untouched");
    // Too old, or nothing built.
    const myblasDevice_t old = device_of(70);
    assert_status(NOT_SUPPORTED, myblasSelectKernelOn(cuda, &old, 0, &call, &name));
    if (!cuda_is_built())
        assert_status(NOT_SUPPORTED, myblasSelectKernelOn(cuda, &device, 0, &call, &name));
    // A quick return takes no kernel.
    myblasCall_t empty = call;
    empty.m = 0;
    assert_ok(myblasSelectKernelOn(host, none, 0, &empty, &name));
    assert_null(name);
    // The host's kernels depend on no device, not even on a wrong one.
    const myblasDevice_t nonsense = {0};
    const char* on_none = NULL;
    assert_ok(myblasSelectKernelOn(host, none, 0, &call, &on_none));
    assert_ok(myblasSelectKernelOn(host, &nonsense, 0, &call, &name));
    assert_string_equal(name, on_none);
}

// Every function that takes a device checks every member.
static void test_device_arguments(void** state) {
    (void)state;
    const myblasCall_t call = sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, 10, 10, 10);
    myblasDevice_t wrong[13];
    for (size_t i = 0; i < COUNT_OF(wrong); ++i)
        wrong[i] = device_of(90);
    wrong[0].size_bytes = 0;
    wrong[1].size_bytes = sizeof wrong[1] - 1;
    wrong[2].size_bytes = sizeof wrong[2] + 1;
    wrong[3].arch = 0;
    wrong[4].arch = -90;
    wrong[5].sm_count = 0;
    wrong[6].sm_count = -1;
    wrong[7].clock_mhz = 0;
    wrong[8].clock_mhz = -1980;
    wrong[9].memory_gbps = 0;
    wrong[10].memory_gbps = INT_MIN;
    wrong[11].l2_bytes = 0;
    wrong[12].smem_per_block = 0;
    for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
        const char* name = "untouched";
        assert_status(INVALID_VALUE,
                      myblasSelectKernelOn(MYBLAS_BACKEND_CUDA, &wrong[i], SIZE_MAX, &call, &name));
        assert_string_equal(name, "untouched");
        myblasKernelEstimate_t estimate = {.size_bytes = sizeof estimate, .rounds = -77};
        assert_status(INVALID_VALUE,
                      myblasGetKernelEstimateOn(
                          MYBLAS_BACKEND_CUDA, &wrong[i], SIZE_MAX, &call, 0, &estimate));
        assert_true(estimate.rounds == -77);
    }
}

// ---- Estimates ----------------------------------------------------------------------------------

static int index_of(myblasBackend_t backend, myblasRoutine_t routine, const char* name) {
    int count = 0;
    assert_ok(myblasGetKernelCount(backend, routine, &count));
    for (int i = 0; i < count; ++i) {
        if (strcmp(info_of(backend, routine, i).name, name) == 0)
            return i;
    }
    fail_msg("routine %d has no kernel %s", routine, name);
    return -1;
}

static myblasKernelEstimate_t
estimate_on(const myblasDevice_t* device, size_t workspace, const myblasCall_t* call, int index) {
    myblasKernelEstimate_t estimate = {.size_bytes = sizeof estimate};
    assert_ok(
        myblasGetKernelEstimateOn(MYBLAS_BACKEND_CUDA, device, workspace, call, index, &estimate));
    return estimate;
}

static myblasKernelEstimate_t
estimate_of(const char* name, const myblasDevice_t* device, const myblasCall_t* call) {
    const int index = index_of(MYBLAS_BACKEND_CUDA, call->routine, name);
    return estimate_on(device, SIZE_MAX, call, index);
}

// 4096 x 4096 in tiles of 256 x 128 are 512 blocks on 132 multiprocessors, 256 slabs of 16 each.
static void test_work_of_a_large_product(void** state) {
    (void)state;
    if (!cuda_is_built())
        skip();
    const myblasCall_t call = sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, 4096, 4096, 4096);
    const int index = index_of(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, "warp_tile/256x128");
    const myblasDevice_t device = device_of(90);
    const myblasKernelEstimate_t e = estimate_on(&device, 0, &call, index);
    assert_int_equal(e.accepted, 1);
    assert_null(e.refusal);
    assert_int_equal(e.workspace_bytes, 0);
    assert_true(e.launches == 1 && e.exchanges == 0);
    assert_true(e.rounds == 4 && e.steps == 4 * 256);
    // Four tiles on the busiest multiprocessor, at 128 products a cycle.
    assert_true(e.math_cycles == 4.0 * 256 * 128 * 4096 / 128);
    assert_true(e.l2_bytes == 4.0 * (256 + 128) * 4096 * 4);
    assert_true(e.memory_bytes == 3.0 * 4096 * 4096 * 4);
    assert_true(fabs(e.wave_efficiency - 512.0 / (4 * 132)) < 1e-6 && e.tile_utilisation == 1);
    // From half a cuBLAS to the FMA peak.
    assert_true(e.predicted_us > 2000 && e.predicted_us < 5200);
}

// The sum of times that the header describes.
static void check_times(const char* name, const myblasKernelEstimate_t* e) {
    const double parts =
        pow(pow(e->arithmetic_us, 4) + pow(e->cache_us, 4) + pow(e->memory_us, 4), 0.25);
    const double expected = e->factor * (e->overhead_us + parts);
    // Another cycle is added to every prediction.
    if (!(fabs(e->predicted_us - expected) <= 1e-4 * expected + 0.01 * e->factor))
        fail_msg("%s: %g us instead of %g", name, e->predicted_us, expected);
}

// Kernels that are chosen without a prediction.
static const char by_rule[] = "tall_skinny tiny";

// For every product, what a kernel's estimate says is finite, and every time that is compared is
// positive.
static void check_numbers(const char* name, const myblasKernelEstimate_t* e) {
    const double all[] = {e->launches,
                          e->rounds,
                          e->steps,
                          e->math_cycles,
                          e->copies,
                          e->l2_bytes,
                          e->memory_bytes,
                          e->exchanges,
                          e->wave_efficiency,
                          e->tile_utilisation,
                          e->arithmetic_us,
                          e->cache_us,
                          e->memory_us,
                          e->overhead_us,
                          e->factor,
                          e->predicted_us};
    for (size_t i = 0; i < COUNT_OF(all); ++i) {
        if (!(all[i] >= 0) || !isfinite(all[i]))
            fail_msg("%s: number %zu is %g", name, i, all[i]);
    }
    assert_int_equal(e->accepted, e->refusal == NULL);
    assert_true(e->best_workspace_bytes >= e->workspace_bytes);
    if (e->predicted_us > 0) {
        assert_true(e->launches >= 1 && e->rounds >= 1 && e->memory_bytes > 0 && e->factor > 0);
        if (e->accepted && !(e->wave_efficiency > 0 && e->wave_efficiency < 1.001 &&
                             e->tile_utilisation > 0 && e->tile_utilisation < 1.001))
            fail_msg("%s: wave_efficiency %g, tile_utilisation %g",
                     name,
                     e->wave_efficiency,
                     e->tile_utilisation);
    } else {
        assert_true(!e->candidate || is_one_of(name, by_rule));
        assert_true(e->factor == 0 && e->overhead_us == 0);
    }
}

// Kernels also estimate products that they refuse.
static void test_estimates_of_absurd_products(void** state) {
    (void)state;
    if (!cuda_is_built())
        skip();
    static const int64_t sizes[][3] = {
        {8388480, 8388736, 16}, // tiles of 128 x 128: 2^32 - 1
        {128, 128, (int64_t)1 << 36},
        {(int64_t)1 << 40, 3, 7},
        {5, (int64_t)1 << 40, 1},
        {1 << 19, 1 << 20, 1 << 20},
        {(int64_t)1 << 50, 1, 1},
    };
    const myblasDevice_t smallest = {sizeof smallest, 80, 1, 1, 1, 1, 1};
    const myblasDevice_t largest = {sizeof largest, 90, 4096, 1000000, INT_MAX, SIZE_MAX, SIZE_MAX};
    const myblasDevice_t devices[] = {device_of(90), smallest, largest};
    int count = 0;
    assert_ok(myblasGetKernelCount(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, &count));
    for (size_t s = 0; s < COUNT_OF(sizes) * COUNT_OF(devices); ++s) {
        const int64_t* size = sizes[s / COUNT_OF(devices)];
        const myblasDevice_t* device = &devices[s % COUNT_OF(devices)];
        const myblasCall_t call = sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, size[0], size[1], size[2]);
        const int taken = index_of(MYBLAS_BACKEND_CUDA,
                                   MYBLAS_ROUTINE_SGEMM,
                                   selected_on(device, default_workspace, &call));
        assert_int_equal(estimate_on(device, default_workspace, &call, taken).accepted, 1);
        for (int i = 0; i < count; ++i) {
            const myblasKernelEstimate_t e = estimate_on(device, default_workspace, &call, i);
            check_numbers(info_of(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, i).name, &e);
        }
    }
}

// Devices of one architecture and of several, as people have them.
static const myblasDevice_t cards[] = {
    {sizeof(myblasDevice_t), 90, 132, 1980, 4814, 60 << 20, 232448},   // H200
    {sizeof(myblasDevice_t), 90, 132, 1980, 3352, 50 << 20, 232448},   // H100 SXM
    {sizeof(myblasDevice_t), 90, 114, 1755, 2039, 50 << 20, 232448},   // H100 PCIe
    {sizeof(myblasDevice_t), 80, 108, 1410, 1555, 40 << 20, 166912},   // A100
    {sizeof(myblasDevice_t), 89, 142, 2520, 864, 96 << 20, 101376},    // L40S
    {sizeof(myblasDevice_t), 100, 148, 1965, 7672, 126 << 20, 232448}, // B200
};

// All kernels of one call on one device.
struct comparison {
    myblasKernelInfo_t info[64];
    myblasKernelEstimate_t estimate[64];
    int count;
    double margin; // of weaker modes
};

static void
compare(struct comparison* c, const myblasDevice_t* d, size_t workspace, const myblasCall_t* call) {
    assert_ok(myblasGetKernelCount(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, &c->count));
    assert_true(c->count <= (int)COUNT_OF(c->info));
    c->margin = call->batch_count > 1 ? 1.12 : 1.08;
    for (int i = 0; i < c->count; ++i) {
        c->info[i] = info_of(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, i);
        c->estimate[i] = estimate_on(d, workspace, call, i);
    }
}

static bool fits(const myblasKernelInfo_t* info, const myblasDevice_t* device, myblasMath_t math) {
    return info->min_arch <= device->arch && (!info->max_arch || device->arch <= info->max_arch) &&
           info->math_mode <= math;
}

// Where weaker modes are allowed, the selection takes one of their kernels only if its predicted
// time is this much lower.
static double counted_us(const struct comparison* c, int i) {
    const bool is_strict = c->info[i].math_mode == MYBLAS_FP32_STRICT_MATH;
    return c->estimate[i].predicted_us * (is_strict ? 1 : c->margin);
}

// The kernel that the selection has to take, among those that have a time and accept the call; -1
// if there is none. If two times differ only by rounding, it may take either.
static int fastest_of(const struct comparison* c, bool candidates, int taken) {
    int best = -1;
    for (int i = 0; i < c->count; ++i) {
        const myblasKernelEstimate_t* e = &c->estimate[i];
        if (e->accepted && e->predicted_us > 0 && (e->candidate || !candidates) &&
            (best < 0 || counted_us(c, i) < counted_us(c, best)))
            best = i;
    }
    const myblasKernelEstimate_t* e = &c->estimate[taken];
    if (best >= 0 && e->predicted_us > 0 && (e->candidate || !candidates) &&
        counted_us(c, taken) <= counted_us(c, best) * (1 + 1e-5))
        return taken;
    return best;
}

// For every model, the selection takes the lowest predicted time (with the margin for weaker modes)
// among the kernels that accept the call. The refusals say why others are not taken.
static void check_choice(const myblasDevice_t* device,
                         size_t workspace,
                         const myblasCall_t* call,
                         int* of_candidates,
                         int* of_others) {
    struct comparison c;
    compare(&c, device, workspace, call);
    const char* name = selected_on(device, workspace, call);
    const int taken = index_of(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, name);
    assert_int_equal(c.estimate[taken].accepted, 1);
    for (int i = 0; i < c.count; ++i) {
        const myblasKernelEstimate_t* e = &c.estimate[i];
        check_numbers(c.info[i].name, e);
        check_times(c.info[i].name, e);
        const bool runs = fits(&c.info[i], device, MYBLAS_FP32_FAST_MATH);
        const bool serves = c.info[i].math_mode <= call->math_mode;
        if (!runs)
            assert_string_equal(e->refusal, "it does not run on this architecture");
        else if (!serves)
            assert_string_equal(e->refusal, "the math mode promises more than it does");
        else if (e->refusal && e->workspace_bytes > workspace)
            assert_true(strlen(e->refusal) > 0);
        else if (e->refusal)
            assert_string_not_equal(e->refusal, "it needs more workspace");
        else
            assert_true(e->workspace_bytes <= workspace);
    }
    int strict_candidates = 0;
    for (int i = 0; i < c.count; ++i)
        strict_candidates += c.estimate[i].candidate && !is_one_of(c.info[i].name, by_rule) &&
                             fits(&c.info[i], device, MYBLAS_FP32_STRICT_MATH);
    int fastest = strict_candidates < 3 ? -1 : fastest_of(&c, true, taken);
    *of_candidates += fastest >= 0;
    const int gemv = index_of(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, "gemv");
    if (fastest < 0) {
        // gemv does not read a large matrix once for each line, if others accept the call.
        const int64_t side = call->m < call->n ? call->m : call->n;
        const int64_t lines = call->m < call->n ? call->n : call->m;
        const bool reads_again = call->batch_count <= 1 && side > 1 &&
                                 8.0 * (double)lines * (double)call->k > (double)device->l2_bytes;
        const int accepted = c.estimate[gemv].accepted;
        c.estimate[gemv].accepted = accepted && !reads_again;
        fastest = fastest_of(&c, false, taken);
        c.estimate[gemv].accepted = accepted;
        if (fastest < 0)
            fastest = fastest_of(&c, false, taken);
        *of_others += fastest >= 0;
    }
    // In single products with a vector, gemv takes the place of these.
    if (fastest >= 0 && (call->m == 1 || call->n == 1) && call->batch_count <= 1 &&
        c.estimate[gemv].accepted &&
        is_one_of(c.info[fastest].name, "skinny thin/panel short_k warp_tile/64x32"))
        fastest = gemv;
    for (int i = c.count - 1; i >= 0; --i) // of two that are, the first
        if (c.estimate[i].accepted && c.estimate[i].candidate && is_one_of(c.info[i].name, by_rule))
            fastest = i;
    if (fastest < 0) // that none accepts goes by the rules
        assert_string_equal(name, "shared_tile_grid_stride");
    else if (fastest != taken)
        fail_msg("sm_%d takes %s, %g us, before %s, %g us, for %lld x %lld x %lld, batch %lld",
                 device->arch,
                 name,
                 c.estimate[taken].predicted_us,
                 c.info[fastest].name,
                 c.estimate[fastest].predicted_us,
                 (long long)call->m,
                 (long long)call->n,
                 (long long)call->k,
                 (long long)call->batch_count);
}

static void test_selection_follows_estimates(void** state) {
    (void)state;
    if (!cuda_is_built())
        skip();
    random_seed(11);
    for (size_t c = 0; c < COUNT_OF(cards); ++c) {
        int of_candidates = 0, of_others = 0;
        for (int round = 0; round < 2000; ++round) {
            static const size_t workspaces[] = {0, default_workspace, (size_t)4 << 30};
            const size_t workspace = workspaces[random_between(0, 2)];
            const myblasCall_t call =
                in_mode((myblasMath_t)random_between(0, 2), random_call(MYBLAS_ROUTINE_SGEMM));
            check_choice(&cards[c], workspace, &call, &of_candidates, &of_others);
        }
        // Most calls are near measured ones. For some nothing near accepts them.
        assert_true(of_candidates > 1500 && of_others > 0);
    }
}

static double
predicted_us(const myblasDevice_t* device, size_t workspace, const myblasCall_t* call) {
    const int taken =
        index_of(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, selected_on(device, workspace, call));
    return estimate_on(device, workspace, call, taken).predicted_us;
}

// A mode that allows more kernels is not slower, except for the few calls where a kernel competes
// only if no other does.
static void test_weaker_modes_are_not_slower(void** state) {
    (void)state;
    if (!cuda_is_built())
        skip();
    enum { rounds = 6000 };
    random_seed(12);
    int faster = 0, slower = 0;
    for (int round = 0; round < rounds; ++round) {
        const myblasDevice_t* device = &cards[round % (int)COUNT_OF(cards)];
        const size_t workspace = random_between(0, 1) ? 0 : (size_t)4 << 30;
        const myblasCall_t call = random_call(MYBLAS_ROUTINE_SGEMM);
        const myblasCall_t emulated = in_mode(MYBLAS_FP32_EMULATED_MATH, call);
        const myblasCall_t fast = in_mode(MYBLAS_FP32_FAST_MATH, call);
        const double strict_us = predicted_us(device, workspace, &call);
        const double emulated_us = predicted_us(device, workspace, &emulated);
        const double fast_us = predicted_us(device, workspace, &fast);
        const double rounding = 1 + 1e-5;
        faster += fast_us < strict_us;
        slower += emulated_us > strict_us * rounding || fast_us > emulated_us * rounding;
        if (device->arch != 90)
            assert_true(fast_us == strict_us); // of Hopper alone are the kernels of weaker modes
    }
    assert_true(faster > rounds / 50);
    assert_in_range(slower, 0, rounds / 200);
}

// A device that is better in one property is not slower, and twice the work takes about twice as
// long.
static void test_predictions_follow_device_and_work(void** state) {
    (void)state;
    if (!cuda_is_built())
        skip();
    static const char* const kernels[] = {
        "stream_k/128x64", "warp_tile/256x128", "small_tile/64x32_k16", "fp16x3/256x128"};
    for (size_t i = 0; i < COUNT_OF(kernels); ++i) {
        myblasCall_t call = sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, 8192, 8192, 4096);
        const myblasDevice_t device = device_of(90);
        const double us = estimate_of(kernels[i], &device, &call).predicted_us;
        myblasDevice_t other = device;
        other.sm_count *= 2;
        const double with_more = us / estimate_of(kernels[i], &other, &call).predicted_us;
        other = device;
        other.clock_mhz *= 2;
        const double by_clock = us / estimate_of(kernels[i], &other, &call).predicted_us;
        call.k *= 2, call.ldb *= 2;
        const double by_k = estimate_of(kernels[i], &device, &call).predicted_us / us;
        const myblasCall_t product =
            in_mode(MYBLAS_FP32_FAST_MATH, sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, 8192, 8192, 4096));
        const myblasCall_t two = in_batch(2, product), four = in_batch(4, product);
        const myblasKernelEstimate_t of_two = estimate_of(kernels[i], &device, &two);
        const myblasKernelEstimate_t of_four = estimate_of(kernels[i], &device, &four);
        const double by_batch = of_two.accepted ? of_four.predicted_us / of_two.predicted_us : 2;
        // Batches have weights of their own, and there are no readings of such large ones.
        const double two_by_one = of_two.accepted ? of_two.predicted_us / us : 2;
        if (!(two_by_one > 1.5 && two_by_one < 2.6))
            fail_msg("%s: two products take %g times as long as one", kernels[i], two_by_one);
        const double ratios[] = {with_more, by_clock, by_k, by_batch};
        for (size_t r = 0; r < COUNT_OF(ratios); ++r) {
            if (!(ratios[r] > 1.7 && ratios[r] < 2.3))
                fail_msg("%s: ratio %zu is %g", kernels[i], r, ratios[r]);
        }
    }
    // Bound by memory
    static const char* const readers[] = {"gemv", "skinny"};
    for (size_t i = 0; i < COUNT_OF(readers); ++i) {
        const myblasCall_t call = sgemm_call(MYBLAS_OP_T, MYBLAS_OP_N, 1, 32768, 32768);
        const myblasDevice_t device = device_of(90);
        const double us = estimate_of(readers[i], &device, &call).predicted_us;
        myblasDevice_t other = device;
        other.memory_gbps *= 2;
        const double by_memory = us / estimate_of(readers[i], &other, &call).predicted_us;
        if (!(by_memory > 1.2 && by_memory < 2.05))
            fail_msg("%s: %g", readers[i], by_memory);
    }
}

static void test_estimate_arguments(void** state) {
    (void)state;
    const myblasBackend_t host = MYBLAS_BACKEND_HOST, cuda = MYBLAS_BACKEND_CUDA;
    const myblasCall_t call = sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, 10, 10, 10);
    const myblasDevice_t device = device_of(90), *none = NULL;
    myblasKernelEstimate_t estimate = {.size_bytes = sizeof estimate, .rounds = -77};
    const myblasKernelEstimate_t untouched = estimate;
    int count = 0, cuda_count = 0;
    assert_ok(myblasGetKernelCount(host, MYBLAS_ROUTINE_SGEMM, &count));
    assert_ok(myblasGetKernelCount(cuda, MYBLAS_ROUTINE_SGEMM, &cuda_count));
    const myblasBackend_t automatic = MYBLAS_BACKEND_AUTO;
    assert_status(INVALID_VALUE,
                  myblasGetKernelEstimateOn(automatic, &device, 0, &call, 0, &estimate));
    assert_status(INVALID_VALUE, myblasGetKernelEstimateOn(cuda, none, 0, &call, 0, &estimate));
    assert_status(INVALID_VALUE,
                  myblasGetKernelEstimateOn(cuda, &device, 0, &call, cuda_count, &estimate));
    assert_status(INVALID_VALUE, myblasGetKernelEstimateOn(host, none, 0, NULL, 0, &estimate));
    assert_status(INVALID_VALUE, myblasGetKernelEstimateOn(host, none, 0, &call, -1, &estimate));
    assert_status(INVALID_VALUE, myblasGetKernelEstimateOn(host, none, 0, &call, count, &estimate));
    assert_status(INVALID_VALUE, myblasGetKernelEstimateOn(host, none, 0, &call, 0, NULL));
    myblasCall_t wrong = call;
    wrong.lda = 9;
    assert_status(INVALID_VALUE, myblasGetKernelEstimateOn(host, none, 0, &wrong, 0, &estimate));
    wrong = call;
    wrong.math_mode = (myblasMath_t)4;
    assert_status(INVALID_VALUE, myblasGetKernelEstimateOn(host, none, 0, &wrong, 0, &estimate));
    assert_memory_equal(&estimate, &untouched, sizeof estimate);
    estimate.size_bytes = 0;
    assert_status(INVALID_VALUE, myblasGetKernelEstimateOn(host, none, 0, &call, 0, &estimate));
    estimate.size_bytes = sizeof estimate - 1;
    assert_status(INVALID_VALUE, myblasGetKernelEstimateOn(host, none, 0, &call, 0, &estimate));
    estimate.size_bytes = sizeof estimate;

    // The host's kernels have no model.
    assert_ok(myblasGetKernelEstimateOn(host, none, 0, &call, 0, &estimate));
    assert_int_equal(estimate.accepted, 1);
    assert_null(estimate.refusal);
    assert_true(estimate.rounds == 0 && estimate.predicted_us == 0);
    myblasCall_t empty = call;
    empty.n = 0;
    assert_ok(myblasGetKernelEstimateOn(host, none, 0, &empty, 0, &estimate));
    const myblasKernelEstimate_t zero = {.size_bytes = sizeof zero};
    assert_memory_equal(&estimate, &zero, sizeof zero);
}

// The reasons that `myblas-bench explain` shows.
static void test_refusals(void** state) {
    (void)state;
    if (!cuda_is_built())
        skip();
    const myblasOperation_t N = MYBLAS_OP_N, T = MYBLAS_OP_T;
    const myblasMath_t fast = MYBLAS_FP32_FAST_MATH;
    const struct {
        int arch;
        const char* kernel;
        myblasCall_t call;
        const char* refusal; // NULL: accepted
    } expected[] = {
        // clang-format off
        {90, "warp_tile/256x128", sgemm_call(N, N, 512, 512, 512), NULL},
        {80, "stream_k/128x64", sgemm_call(N, N, 512, 512, 512),
         "it does not run on this architecture"},
        {80, "fp16x3/256x128", in_mode(fast, sgemm_call(N, N, 512, 512, 512)),
         "it does not run on this architecture"},
        {90, "bf16x6/256x128", sgemm_call(N, N, 512, 512, 512),
         "the math mode promises more than it does"},
        {90, "fp16x3/256x128", sgemm_call(N, N, 512, 512, 512),
         "the math mode promises more than it does"},
        {90, "split_k", sgemm_call(N, N, 64, 64, 65536), "it needs more workspace"},
        {90, "fp16x3/256x128", in_mode(fast, sgemm_call(N, N, 512, 512, 512)),
         "it needs more workspace"},
        {90, "thin/panel", sgemm_call(N, N, 8, 100, 100), NULL},
        {90, "thin/panel", sgemm_call(N, N, 9, 100, 100),
         "it accepts single products of up to 8 rows or columns"},
        {90, "stream_k/128x64", in_batch(2, sgemm_call(N, N, 100, 100, 100)), NULL},
        {90, "stream_k/128x32_splits", in_batch(2, sgemm_call(N, N, 100, 100, 4000)),
         "it accepts single products of at most a tile for four multiprocessors"},
        {90, "tf32x3/64x64", in_mode(fast, sgemm_call(T, N, 100, 100, 100)), NULL},
        {90, "tf32x3/64x64", in_mode(fast, padded(sgemm_call(T, N, 100, 100, 100))),
         "it accepts strided A and B aligned to 16 bytes"},
        {90, "bf16x6/256x128", in_mode(fast, sgemm_call(N, N, INT64_C(1) << 40, 1, 1)),
         "it accepts up to 2^40 elements of an operand"},
        {90, "vectorised", padded(sgemm_call(N, N, 100, 100, 100)),
         "it does not accept such calls"},
        // clang-format on
    };
    for (size_t i = 0; i < COUNT_OF(expected); ++i) {
        const myblasDevice_t device = device_of(expected[i].arch);
        const int index = index_of(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, expected[i].kernel);
        const myblasKernelEstimate_t e = estimate_on(&device, 0, &expected[i].call, index);
        assert_int_equal(e.accepted, expected[i].refusal == NULL);
        if (expected[i].refusal && strcmp(e.refusal, expected[i].refusal) != 0)
            fail_msg("case %zu: \"%s\"", i, e.refusal);
    }
}

// ---- Forcing ------------------------------------------------------------------------------------

static const char* const families[] = {"warp_tile",
                                       "split_k",
                                       "stream_k",
                                       "small_tile",
                                       "tiny",
                                       "tall_skinny",
                                       "short_k",
                                       "group_tile",
                                       "skinny",
                                       "gemv",
                                       "thin",
                                       "bf16x6",
                                       "fp16x3",
                                       "tf32x3",
                                       "tf32x3_batch"};

// A name that is neither a kernel nor a family of any backend.
static const char* const no_names[] = {"",
                                       "/",
                                       "no_such_kernel",
                                       "warp",
                                       "warp_",
                                       "thin/",
                                       "gem",
                                       "gemv/",
                                       "small_tile/16x16",
                                       "256x128",
                                       "THIN",
                                       "blocke",
                                       "blocked/"};

static void test_forcing(void** state) {
    myblasHandle_t handle = require_handle(state);
    const myblasCall_t call = sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, 64, 64, 64);
    const char *free_choice = NULL, *name = NULL;
    assert_ok(myblasSelectKernel(handle, &call, &free_choice));
    const int count = kernel_count(handle, MYBLAS_ROUTINE_SGEMM);
    int taken = 0;
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, info.name));
        const myblasStatus_t status = myblasSelectKernel(handle, &call, &name);
        if (status == MYBLAS_STATUS_NOT_SUPPORTED)
            continue;
        assert_ok(status);
        assert_string_equal(name, info.name);
        ++taken;
        // The forced kernel stays forced when another name is refused.
        for (size_t n = 0; n < COUNT_OF(no_names); ++n)
            assert_status(INVALID_VALUE,
                          myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, no_names[n]));
        assert_ok(myblasSelectKernel(handle, &call, &name));
        assert_string_equal(name, info.name);
    }
    assert_true(taken > 1);
    assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
    assert_ok(myblasSelectKernel(handle, &call, &name));
    assert_string_equal(name, free_choice);
    assert_status(INVALID_VALUE,
                  myblasForceKernel(handle, (myblasRoutine_t)MYBLAS_ROUTINE_COUNT, "naive"));
    assert_status(INVALID_VALUE, myblasForceKernel(handle, (myblasRoutine_t)-1, NULL));
    assert_status(INVALID_VALUE, myblasSelectKernel(handle, NULL, &name));
    assert_status(INVALID_VALUE, myblasSelectKernel(handle, &call, NULL));
    assert_status(INVALID_VALUE,
                  myblasGetLastKernel(handle, (myblasRoutine_t)MYBLAS_ROUTINE_COUNT, &name));
    assert_status(INVALID_VALUE, myblasGetLastKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
}

// With a forced family, a call takes the fastest variant that accepts it, even where that variant
// is slow, or returns NOT_SUPPORTED. A kernel whose time is not predicted is alone in its family.
// Returns whether a variant accepts the call.
static bool takes_fastest_of(const char* family, myblasHandle_t handle, const myblasCall_t* call) {
    struct comparison c = {.count = kernel_count(handle, MYBLAS_ROUTINE_SGEMM)};
    int accepted = 0;
    for (int i = 0; i < c.count; ++i) {
        c.info[i] = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        c.estimate[i].size_bytes = sizeof c.estimate[i];
        assert_ok(myblasGetKernelEstimate(handle, call, i, &c.estimate[i]));
        c.estimate[i].accepted &= is_one_of(c.info[i].name, family);
        accepted += c.estimate[i].accepted;
    }
    const char* name = "untouched";
    const myblasStatus_t status = myblasSelectKernel(handle, call, &name);
    assert_int_equal(status, accepted > 0 ? MYBLAS_STATUS_SUCCESS : MYBLAS_STATUS_NOT_SUPPORTED);
    if (accepted == 0) {
        assert_string_equal(name, "untouched");
        return false;
    }
    const int taken = index_of(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, name);
    assert_int_equal(c.estimate[taken].accepted, 1);
    const int fastest = fastest_of(&c, false, taken);
    if (fastest != taken && (fastest >= 0 || accepted > 1))
        fail_msg("of %s %s is taken, not %s",
                 family,
                 name,
                 fastest < 0 ? "one without a time" : c.info[fastest].name);
    return true;
}

static void test_forcing_families(void** state) {
    myblasHandle_t handle = require_handle(state);
    random_seed(15);
    int accepted = 0;
    for (size_t f = 0; f < COUNT_OF(families); ++f) {
        const char *family = families[f], *name = NULL;
        if (backend_of(handle) == MYBLAS_BACKEND_HOST) { // which has none
            const myblasCall_t call = sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, 64, 64, 64);
            assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, "blocked"));
            assert_status(INVALID_VALUE, myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, family));
            assert_ok(myblasSelectKernel(handle, &call, &name));
            assert_string_equal(name, "blocked");
            continue;
        }
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, family));
        for (int round = 0; round < 200; ++round) {
            const myblasCall_t call = random_call(MYBLAS_ROUTINE_SGEMM);
            assert_ok(myblasSetMathMode(handle, (myblasMath_t)random_between(0, 2)));
            accepted += takes_fastest_of(family, handle, &call);
        }
        // Other routines have no families.
        assert_status(INVALID_VALUE, myblasForceKernel(handle, MYBLAS_ROUTINE_SUM, family));
    }
    assert_true(accepted > 100 || backend_of(handle) == MYBLAS_BACKEND_HOST);
}

// MYBLAS_SGEMM_KERNEL may name a family. If the backend has no such family, calls are refused, as
// for any unknown name.
static void test_family_in_the_environment(void** state) {
    const myblasBackend_t backend = backend_of(require_handle(state));
    const myblasCall_t call = sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, 64, 64, 64);
    const char* const names[] = {"small_tile", "small", "small_tile/"};
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        setenv("MYBLAS_SGEMM_KERNEL", names[i], 1);
        myblasHandle_t handle = NULL;
        const myblasStatus_t created = myblasCreateOn(&handle, backend);
        unsetenv("MYBLAS_SGEMM_KERNEL");
        assert_ok(created);
        const char* name = NULL;
        if (backend == MYBLAS_BACKEND_CUDA && i == 0) {
            assert_ok(myblasSelectKernel(handle, &call, &name));
            assert_true(is_one_of(name, "small_tile"));
        } else {
            assert_status(NOT_SUPPORTED, myblasSelectKernel(handle, &call, &name));
        }
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
        assert_ok(myblasSelectKernel(handle, &call, &name));
        assert_ok(myblasDestroy(handle));
    }
}

// A kernel is taken in the mode that it promises and in weaker modes; so is its family.
static void test_modes(void** state) {
    myblasHandle_t handle = require_handle(state);
    const myblasCall_t call = sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, 64, 64, 64);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_SGEMM);
    for (int i = 0; i < 2 * count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i / 2);
        if (!kernel_fits_device(handle, &info))
            continue;
        char forced[64];
        snprintf(forced, sizeof forced, "%s", info.name);
        if (i % 2)
            forced[strcspn(forced, "/")] = '\0';
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, forced));
        assert_ok(myblasSetMathMode(handle, MYBLAS_FP32_FAST_MATH));
        const char* name = NULL;
        if (myblasSelectKernel(handle, &call, &name) != MYBLAS_STATUS_SUCCESS)
            continue; // a library that is not installed
        for (int mode = MYBLAS_FP32_STRICT_MATH; mode <= MYBLAS_FP32_FAST_MATH; ++mode) {
            assert_ok(myblasSetMathMode(handle, (myblasMath_t)mode));
            assert_int_equal(myblasSelectKernel(handle, &call, &name),
                             mode >= (int)info.math_mode ? MYBLAS_STATUS_SUCCESS
                                                         : MYBLAS_STATUS_NOT_SUPPORTED);
            assert_true(mode < (int)info.math_mode || is_one_of(name, forced));
        }
    }
}

static void test_last_kernel(void** state) {
    const myblasBackend_t backend = backend_of(require_handle(state));
    myblasHandle_t handle = NULL;
    assert_ok(myblasCreateOn(&handle, backend));
    const char* name = "";
    for (size_t r = 0; r < COUNT_OF(routines); ++r) {
        assert_ok(myblasGetLastKernel(handle, routines[r], &name));
        assert_null(name);
    }
    struct operand x = operand_create(handle), y = operand_create(handle);
    *(float*)operand_place(&x, sizeof(float), 0) = 1;
    operand_upload(&x);
    operand_place(&y, sizeof(float), 0);
    operand_upload(&y);
    assert_ok(myscopy(handle, 0, NULL, 1, NULL, 1));
    assert_ok(myblasGetLastKernel(handle, MYBLAS_ROUTINE_COPY, &name));
    assert_null(name);
    assert_ok(myscopy(handle, 1, operand_device(&x), 1, operand_device(&y), 1));
    assert_ok(myblasGetLastKernel(handle, MYBLAS_ROUTINE_COPY, &name));
    assert_true(name && is_kernel_of(backend, MYBLAS_ROUTINE_COPY, name));
    assert_ok(myblasGetLastKernel(handle, MYBLAS_ROUTINE_AXPY, &name));
    assert_null(name);
    operand_destroy(&x);
    operand_destroy(&y);
    assert_ok(myblasDestroy(handle));
}

// Forcing kernels one by one agrees with the handle's estimates, also when the handle remembers
// earlier answers.
static void test_handle_estimates(void** state) {
    myblasHandle_t handle = require_handle(state);
    random_seed(13);
    myblasCall_t calls[40];
    for (size_t i = 0; i < COUNT_OF(calls); ++i)
        calls[i] = random_call(MYBLAS_ROUTINE_SGEMM);
    for (int round = 0; round < 2000; ++round) {
        const myblasCall_t* call = &calls[random_between(0, (int)COUNT_OF(calls) - 1)];
        const char *taken = NULL, *name = NULL;
        assert_ok(myblasSelectKernel(handle, call, &taken));
        const int index = index_of(backend_of(handle), MYBLAS_ROUTINE_SGEMM, taken);
        myblasKernelEstimate_t estimate = {.size_bytes = sizeof estimate};
        assert_ok(myblasGetKernelEstimate(handle, call, index, &estimate));
        assert_int_equal(estimate.accepted, 1);
        size_t workspace = 0;
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, taken));
        assert_ok(myblasGetWorkspaceSize(handle, call, &workspace));
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
        assert_true(workspace >= estimate.workspace_bytes);
        assert_ok(myblasSelectKernel(handle, call, &name));
        assert_string_equal(name, taken);
    }
    myblasKernelEstimate_t estimate = {.size_bytes = sizeof estimate};
    assert_status(NOT_INITIALIZED, myblasGetKernelEstimate(NULL, &calls[0], 0, &estimate));
    assert_status(INVALID_VALUE, myblasGetKernelEstimate(handle, &calls[0], -1, &estimate));
    assert_status(INVALID_VALUE, myblasGetKernelEstimate(handle, NULL, 0, &estimate));
}

// The functions that take a description of the handle's device in place of the handle give the same
// answers. With a target of multiprocessors they answer as for a device that has no more.
static void test_device_of_a_handle(void** state) {
    myblasHandle_t handle = require_handle(state);
    myblasDevice_t device = {.size_bytes = sizeof device, .arch = -77};
    const myblasDevice_t untouched = device;
    assert_status(NOT_INITIALIZED, myblasGetDevice(NULL, &device));
    assert_status(INVALID_VALUE, myblasGetDevice(handle, NULL));
    for (size_t wrong = 0; wrong < 2 * sizeof device; ++wrong) {
        if (wrong == sizeof device)
            continue;
        device.size_bytes = wrong;
        assert_status(INVALID_VALUE, myblasGetDevice(handle, &device));
    }
    device.size_bytes = sizeof device;
    assert_memory_equal(&device, &untouched, sizeof device);
    if (backend_of(handle) == MYBLAS_BACKEND_HOST) {
        assert_status(NOT_SUPPORTED, myblasGetDevice(handle, &device));
        assert_memory_equal(&device, &untouched, sizeof device);
        return;
    }
    assert_ok(myblasGetDevice(handle, &device));
    assert_int_equal(device.size_bytes, sizeof device);
    assert_true(device.arch >= 80 && device.sm_count > 0 && device.clock_mhz > 0);
    assert_true(device.memory_gbps > 0 && device.l2_bytes > 0 && device.smem_per_block > 0);
    size_t workspace = 0; // which decides how many passes a kernel needs
    assert_ok(myblasGetWorkspaceLimit(handle, &workspace));
    random_seed(14);
    const int all_sms = device.sm_count;
    assert_status(INVALID_VALUE, myblasSetSmCountTarget(handle, all_sms + 1));
    for (int round = 0; round < 200; ++round) {
        const int target = round % 2 ? (int)random_between(1, all_sms) : 0;
        assert_ok(myblasSetSmCountTarget(handle, target));
        device.sm_count = target ? target : all_sms;
        const myblasCall_t call = random_call(MYBLAS_ROUTINE_SGEMM);
        const int index = (int)random_between(0, kernel_count(handle, MYBLAS_ROUTINE_SGEMM) - 1);
        myblasKernelEstimate_t known = {.size_bytes = sizeof known};
        assert_ok(myblasGetKernelEstimate(handle, &call, index, &known));
        const myblasKernelEstimate_t described = estimate_on(&device, workspace, &call, index);
        assert_true(known.predicted_us == described.predicted_us);
    }
    assert_ok(myblasSetSmCountTarget(handle, 0));
    assert_ok(myblasGetDevice(handle, &device));
    assert_int_equal(device.sm_count, all_sms);
}

// ---- MYBLAS_TUNING ------------------------------------------------------------------------------

static int tuning_messages;
static char last_tuning_message[1024];

static void keep_tuning_message(const char* message) {
    if (!strstr(message, "MYBLAS_TUNING"))
        return;
    ++tuning_messages;
    snprintf(last_tuning_message, sizeof last_tuning_message, "%s", message);
    // A callback may call the library.
    myblasHandle_t handle = NULL;
    assert_ok(myblasCreateOn(&handle, MYBLAS_BACKEND_HOST));
    assert_ok(myblasDestroy(handle));
}

// What products of each form take on an architecture before and after the first handle is created.
// Creation reads the file and logs a line. `after`: the kernel after that; NULL: the same as
// before.
static void expect_tuning(const char* message, const char* on_80_after, const char* on_90_after) {
    const char *on_80[4] = {NULL}, *on_90[4] = {NULL};
    myblasCall_t calls[4];
    const myblasDevice_t old = device_of(80), tuned = device_of(90);
    for (int form = 0; form < 4; ++form) {
        calls[form] = sgemm_call(
            (myblasOperation_t)(form / 2), (myblasOperation_t)(form % 2), 4096, 4096, 4096);
        if (!cuda_is_built())
            continue;
        on_80[form] = selected_on(&old, 0, &calls[form]);
        on_90[form] = selected_on(&tuned, 0, &calls[form]);
    }
    assert_ok(myblasSetLoggerCallback(keep_tuning_message));
    for (int i = 0; i < 2; ++i) {
        myblasHandle_t handle = NULL;
        assert_ok(myblasCreateOn(&handle, MYBLAS_BACKEND_HOST));
        assert_ok(myblasDestroy(handle));
    }
    assert_int_equal(tuning_messages, 1);
    if (!strstr(last_tuning_message, message))
        fail_msg("not \"%s\" but \"%s\"", message, last_tuning_message);
    for (int form = 0; form < 4 && cuda_is_built(); ++form) {
        assert_string_equal(selected_on(&old, 0, &calls[form]),
                            on_80_after ? on_80_after : on_80[form]);
        assert_string_equal(selected_on(&tuned, 0, &calls[form]),
                            on_90_after ? on_90_after : on_90[form]);
    }
}

static void expect_new_factors(void) {
    const myblasCall_t call = sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, 4096, 4096, 4096);
    const myblasDevice_t device = device_of(90);
    const myblasKernelEstimate_t before = estimate_of("warp_tile/64x64", &device, &call);
    expect_tuning("has the factors for sm_90", NULL, "warp_tile/64x64");
    const myblasKernelEstimate_t after = estimate_of("warp_tile/64x64", &device, &call);
    assert_true(fabs(after.factor / before.factor - 0.02) < 1e-6);
    assert_true(fabs(after.predicted_us / before.predicted_us - 0.02) < 1e-6);
    assert_true(after.arithmetic_us == before.arithmetic_us);
}
static void expect_factors_of_another_architecture(void) {
    expect_tuning("has the factors for sm_80", "warp_tile/64x64", NULL);
}
static void expect_unknown_architecture(void) {
    expect_tuning(
        "is ignored: line 2: this library predicts no times for the architecture", NULL, NULL);
}
static void expect_bad_line(void) {
    expect_tuning("is ignored: line 3: there is no such kernel", NULL, NULL);
}
static void expect_old_file(void) {
    expect_tuning("is ignored: line 1: the first line is not \"myblas-tuning 2\"", NULL, NULL);
}
static void expect_no_file(void) { expect_tuning("is ignored: it cannot be read", NULL, NULL); }
static void expect_long_file(void) { expect_tuning("is ignored: it is too long", NULL, NULL); }

static const struct scenario scenarios[] = {
    {"new_factors", expect_new_factors},
    {"factors_of_another_architecture", expect_factors_of_another_architecture},
    {"unknown_architecture", expect_unknown_architecture},
    {"bad_line", expect_bad_line},
    {"old_file", expect_old_file},
    {"no_file", expect_no_file},
    {"long_file", expect_long_file},
};

static void check_tuning(const char* scenario, const char* text, size_t repeats) {
    char name[] = "/tmp/myblas_test_XXXXXX";
    const int descriptor = mkstemp(name);
    assert_true(descriptor >= 0);
    FILE* file = fdopen(descriptor, "w");
    assert_non_null(file);
    for (size_t i = 0; i < repeats; ++i)
        assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    char variable[64];
    snprintf(variable, sizeof variable, "MYBLAS_TUNING=%s", name);
    const char* const environment[] = {variable, NULL};
    assert_scenario(scenario, environment);
    assert_int_equal(unlink(name), 0);
}

static void check_factors(const char* scenario, int arch) {
    char text[256];
    snprintf(text,
             sizeof text,
             "myblas-tuning 2\narch %d\n"
             "sgemm warp_tile/64x64 NN 0.02\n"
             "sgemm warp_tile/64x64 NT 0.02\n"
             "sgemm warp_tile/64x64 TN 0.02\n"
             "sgemm warp_tile/64x64 TT 0.02\n",
             arch);
    check_tuning(scenario, text, 1);
}

static void test_tuning_file(void** state) {
    (void)state;
    skip_under_tools();
    static const char* const missing[] = {"MYBLAS_TUNING=/nonexistent/file", NULL};
    static const char* const folder[] = {"MYBLAS_TUNING=/tmp", NULL};
    assert_scenario("no_file", missing);
    assert_scenario("no_file", folder);
    check_tuning("unknown_architecture",
                 cuda_is_built() ? "myblas-tuning 2\narch 70\n" : "myblas-tuning 2\narch 90\n",
                 1);
    check_tuning("old_file", "myblas-tuning 1\narch 90\nsgemm warp_tile/64x64 NN 0 0 1 0\n", 1);
    check_tuning("long_file", "################################\n", 1 << 12);
    if (!cuda_is_built())
        skip();
    check_tuning("bad_line", "myblas-tuning 2\narch 90\nsgemm no_such_kernel NN 1\n", 1);
    check_factors("new_factors", 90);
    check_factors("factors_of_another_architecture", 80);
}

int main(int argc, char** argv) {
    run_requested_scenario(argc, argv, scenarios, COUNT_OF(scenarios));
    const struct CMUnitTest lists[] = {
        cmocka_unit_test(test_partly_compiled_kernels),
        cmocka_unit_test(test_host_ladders),
        cmocka_unit_test(test_cuda_ladders),
        cmocka_unit_test(test_list_arguments),
        cmocka_unit_test(test_selected_names),
        cmocka_unit_test(test_little_workspace),
        cmocka_unit_test(test_host_completeness),
        cmocka_unit_test(test_cuda_completeness),
        cmocka_unit_test(test_selection_arguments),
        cmocka_unit_test(test_device_arguments),
        cmocka_unit_test(test_work_of_a_large_product),
        cmocka_unit_test(test_estimates_of_absurd_products),
        cmocka_unit_test(test_selection_follows_estimates),
        cmocka_unit_test(test_weaker_modes_are_not_slower),
        cmocka_unit_test(test_predictions_follow_device_and_work),
        cmocka_unit_test(test_estimate_arguments),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_tuning_file),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forcing),
        cmocka_unit_test(test_forcing_families),
        cmocka_unit_test(test_family_in_the_environment),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_last_kernel),
        cmocka_unit_test(test_handle_estimates),
        cmocka_unit_test(test_device_of_a_handle),
    };
    return cmocka_run_group_tests_name("selection", lists, NULL, NULL) +
           RUN_ON_BACKENDS("kernels", tests);
}
