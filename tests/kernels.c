// myblas_kernels.h: the lists of kernels, forcing one, and which one a call takes on which device.
// All but forcing needs no GPU, and is skipped only in builds without CUDA.
#include "partly_compiled.h"
#include "support.h"

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
};

static const int architectures[] = {80, 86, 89, 90, 100, 103, 120};

enum { default_workspace = 32 << 20, sm_count = 132 };

static bool cuda_is_built(void) {
    int count = 0;
    assert_ok(myblasGetKernelCount(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, &count));
    return count > 0;
}

// ---- Architectures -------------------------------------------------------------------------------

// What is compiled for part of the architectures (src/CMakeLists.txt) declares that it runs on no others. `names`:
// what is quoted in a source file, in which its kernels' names are.
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

// tests/CMakeLists.txt defines PARTLY_COMPILED: {file, names, min_arch, max_arch}, of each such file that includes a
// registry, and so defines kernels.
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

// ---- Lists ---------------------------------------------------------------------------------------

// All kernels, in order. Promised for the life of the ABI are the names without a slash, and of the others the
// families, which are before it: no such name leaves these lists.
static const char* const cuda_sgemm[] = {"naive",
                                         "coalesced",
                                         "grid_stride",
                                         "shared_rows",
                                         "shared_tile",
                                         "shared_tile_grid_stride",
                                         "register_tile_strided",
                                         "register_tile",
                                         "register_tile_2x2",
                                         "vectorised",
                                         "double_buffered",
                                         "warp_tile/256x128",
                                         "warp_tile/64x128",
                                         "warp_tile/64x64",
                                         "split_k",
                                         "stream_k/128x64",
                                         "stream_k/128x64_parts",
                                         "small_tile/16x16_k8",
                                         "small_tile/16x16_k32",
                                         "small_tile/32x16_k16",
                                         "small_tile/32x32_k16",
                                         "small_tile/64x32_k16",
                                         "small_tile/64x64_k32",
                                         "small_tile/16x16_packed",
                                         "small_tile/32x32_packed",
                                         "small_tile/32x16_k16_cluster2",
                                         "small_tile/32x16_k16_cluster4",
                                         "small_tile/32x32_k16_cluster2",
                                         "small_tile/32x32_k16_cluster8",
                                         "short_k",
                                         "skinny",
                                         "thin/vector",
                                         "thin/panel",
                                         "bf16x6/256x128",
                                         "bf16x6/128x128",
                                         "fp16x3/256x128",
                                         "fp16x3/128x128",
                                         "tf32x3/64x64",
                                         "tf32x3/128x64",
                                         "tf32x3/128x128",
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
static const char* const host_sgemm[] = {"reference", "blocked", "openblas", NULL};
static const char* const host_transpose[] = {"naive", "blocked", "in_place", NULL};
static const char* const host_geam[] = {"naive", "blocked", NULL};
static const char* const host_sum[] = {"serial", "pairwise", NULL};
static const char* const host_vector[] = {"reference", NULL};
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

// The names are those of the list, in its order, and every name comes once.
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
            for (int j = 0; j < i; ++j)
                assert_string_not_equal(info_of(backend, ladders[l].routine, j).name, info.name);
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

// ---- Selection -----------------------------------------------------------------------------------

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

// With operands off the grid of 16 bytes.
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

static const char*
selected_on(myblasBackend_t backend, int arch, size_t workspace, const myblasCall_t* call) {
    const char* name = NULL;
    assert_ok(myblasSelectKernelOn(backend, arch, sm_count, workspace, call, &name));
    return name;
}

static myblasCall_t in_mode(myblasMath_t math, myblasCall_t call) {
    call.math_mode = math;
    return call;
}

// What the tuning tables say: change it with them.
static void test_selected_names(void** state) {
    (void)state;
    if (!cuda_is_built())
        skip();
    const myblasOperation_t N = MYBLAS_OP_N, T = MYBLAS_OP_T;
    enum { all = 0 };
    const struct {
        int arch; // all: each of `architectures`
        size_t workspace;
        myblasCall_t call;
        const char* name;
    } expected[] = {
        // clang-format off
        {80, default_workspace, sgemm_call(N, N, 4096, 4096, 4096), "warp_tile/256x128"},
        {90, default_workspace, sgemm_call(N, N, 4096, 4096, 4096), "stream_k/128x64"},
        {90, default_workspace, sgemm_call(T, N, 4096, 4096, 4096), "stream_k/128x64"},
        {90, default_workspace, sgemm_call(N, N, 4096, 4096, 256), "stream_k/128x64"},
        {80, default_workspace, sgemm_call(N, N, 4099, 4093, 101), "warp_tile/128x128"},
        {90, default_workspace, sgemm_call(N, N, 4099, 4093, 101), "warp_tile/128x128"},
        {80, default_workspace, sgemm_call(N, N, 5000, 5000, 5000), "warp_tile/256x128"},
        {90, default_workspace, sgemm_call(N, N, 5000, 5000, 5000), "stream_k/128x64"},
        {all, default_workspace, sgemm_call(T, T, 1, 1, 1), "small_tile/16x16_k8"},
        {all, default_workspace, sgemm_call(N, N, 128, 128, 128), "small_tile/16x16_k32"},
        {all, default_workspace, sgemm_call(N, N, 256, 256, 256), "small_tile/32x16_k16"},
        {90, default_workspace, sgemm_call(T, N, 200, 200, 600), "small_tile/32x32_k16_cluster2"},
        {90, default_workspace, sgemm_call(N, N, 512, 512, 512), "small_tile/32x32_k16_cluster2"},
        {90, default_workspace, sgemm_call(N, N, 590, 590, 900), "small_tile/32x32_k16_cluster2"},
        {90, default_workspace, sgemm_call(N, T, 640, 640, 640), "small_tile/32x32_k16_cluster2"},
        {90, default_workspace, sgemm_call(T, N, 640, 640, 640), "stream_k/128x64"},
        {90, default_workspace, sgemm_call(T, N, 768, 768, 768), "stream_k/128x64"},
        {80, default_workspace, sgemm_call(N, N, 1024, 1024, 1024), "warp_tile/64x128"},
        {90, default_workspace, sgemm_call(N, N, 1024, 1024, 1024), "stream_k/128x64"},
        {90, default_workspace, sgemm_call(T, N, 1000, 1000, 1000), "stream_k/128x64"},
        {all, default_workspace, sgemm_call(N, N, 100000, 32, 64), "warp_tile/64x64"},
        {all, default_workspace, sgemm_call(N, N, 4096, 4096, 64), "warp_tile/128x128"},
        {all, default_workspace, sgemm_call(N, N, 1, 4096, 4096), "thin/vector"},
        {all, default_workspace, sgemm_call(T, N, 1843, 1, 121), "thin/vector"},
        {all, default_workspace, sgemm_call(T, N, 1, 1, 1 << 20), "skinny"},
        {all, default_workspace, sgemm_call(N, N, 8, 8192, 8192), "skinny"},
        {80, default_workspace, sgemm_call(N, N, 4096, 32, 4096), "small_tile/32x32_k16"},
        {90, default_workspace, sgemm_call(N, N, 4096, 32, 4096), "small_tile/32x32_k16_cluster2"},
        {90, default_workspace, sgemm_call(N, T, 32, 4096, 4096), "small_tile/32x32_k16"},
        {90, default_workspace, sgemm_call(T, N, 82, 16, 549), "small_tile/32x16_k16_cluster4"},
        {all, default_workspace, sgemm_call(N, N, 57, 9, 3353), "thin/vector"},
        {90, default_workspace, sgemm_call(N, N, 9, 120, 4086), "small_tile/32x32_k16_cluster8"},
        {all, default_workspace, sgemm_call(T, N, 12, 5, 7925), "thin/vector"},
        {90, default_workspace, sgemm_call(N, T, 7, 4303, 6953), "thin/panel"},
        {all, default_workspace, sgemm_call(N, T, 1103, 532, 145), "small_tile/64x32_k16"},
        {all, default_workspace, sgemm_call(N, N, 2896, 324, 67), "small_tile/64x32_k16"},
        {all, default_workspace, sgemm_call(T, N, 488, 555, 126), "small_tile/32x32_k16"},
        {all, default_workspace, sgemm_call(T, T, 35, 3358, 43), "small_tile/32x32_k16"},
        {all, default_workspace, sgemm_call(N, T, 867, 3425, 65), "warp_tile/64x128"},
        {all, default_workspace, sgemm_call(N, N, 100000, 32, 32), "short_k"},
        {all, default_workspace, sgemm_call(N, N, 217, 6685, 14), "short_k"},
        {all, default_workspace, sgemm_call(T, T, 37, 4008, 36), "short_k"},
        {90, default_workspace, sgemm_call(T, N, 100000, 128, 128), "stream_k/128x64"},
        {all, default_workspace, sgemm_call(N, T, 1117, 823, 30), "warp_tile/64x64"},
        {80, default_workspace, sgemm_call(N, N, 64, 64, 65536), "split_k"},
        {90, default_workspace, sgemm_call(N, N, 64, 64, 65536), "stream_k/128x64_parts"},
        {90, default_workspace, sgemm_call(N, N, 128, 128, 16384), "stream_k/128x64_parts"},
        {90, default_workspace, sgemm_call(T, N, 29, 314, 6686), "small_tile/32x32_k16_cluster8"},
        {90, default_workspace, sgemm_call(N, N, 76, 809, 3355), "stream_k/128x64_parts"},
        {all, default_workspace, sgemm_call(N, N, 161, 594, 523), "small_tile/32x16_k16"},
        {90, default_workspace, sgemm_call(N, T, 680, 1518, 357), "stream_k/128x64"},
        {90, default_workspace, sgemm_call(N, T, 804, 514, 4652), "stream_k/128x64"},
        {90, default_workspace, sgemm_call(N, T, 140, 1132, 4061), "stream_k/128x64"},
        {90, default_workspace, sgemm_call(T, N, 192, 192, 12288), "stream_k/128x64_parts"},
        {90, default_workspace, sgemm_call(T, N, 256, 256, 12288), "stream_k/128x64_parts"},
        {90, default_workspace, sgemm_call(N, N, 384, 256, 12288), "stream_k/128x64_parts"},
        {90, default_workspace, sgemm_call(T, N, 256, 256, 100000), "stream_k/128x64"},
        {90, default_workspace, sgemm_call(N, N, 384, 256, 30000), "stream_k/128x64"},
        {90, (size_t)1 << 30, padded(sgemm_call(N, N, 256, 256, 100000)), "stream_k/128x64_parts"},
        {90, (size_t)1 << 30, padded(sgemm_call(T, N, 256, 256, 100000)), "stream_k/128x64_parts"},
        {90, default_workspace, padded(sgemm_call(N, N, 300, 300, 40000)), "split_k"},
        {90, default_workspace, sgemm_call(N, N, 140, 150, 50000), "stream_k/128x64_parts"},
        {90, (size_t)1 << 30, padded(sgemm_call(N, N, 4096, 4096, 256)), "stream_k/128x64"},
        {90, default_workspace, padded(sgemm_call(N, N, 100000, 128, 128)), "warp_tile/256x128"},
        {90, (size_t)1 << 30, off_by_a_float(sgemm_call(N, N, 256, 256, 100000)), "stream_k/128x64_parts"},
        {90, (size_t)1 << 30, in_mode(MYBLAS_FP32_FAST_MATH, padded(sgemm_call(N, N, 4096, 4096, 256))), "fp16x3/256x128"},
        {90, default_workspace, in_mode(MYBLAS_FP32_FAST_MATH, sgemm_call(N, T, 1100, 1100, 240)), "tf32x3/64x64"},
        {90, default_workspace, sgemm_call(N, T, 3394, 362, 232), "small_tile/32x32_k16"},
        {90, default_workspace, sgemm_call(N, T, 3168, 399, 91), "warp_tile/64x64"},
        {90, default_workspace, sgemm_call(N, N, 3000, 400, 80), "small_tile/64x64_k32"},
        {90, default_workspace, sgemm_call(T, N, 860, 937, 38), "warp_tile/64x64"},
        {90, default_workspace, sgemm_call(T, N, 20, 751, 7027), "small_tile/32x32_k16_cluster8"},
        {90, default_workspace, sgemm_call(N, N, 25, 1000, 600), "small_tile/32x16_k16_cluster4"},
        {90, default_workspace, sgemm_call(N, N, 4096, 32, 10000), "small_tile/32x32_k16_cluster2"},
        {90, default_workspace, sgemm_call(N, N, 32, 4096, 10000), "small_tile/32x32_k16_cluster2"},
        {80, 0, sgemm_call(N, N, 64, 64, 65536), "small_tile/32x16_k16"},
        {90, 0, sgemm_call(N, N, 64, 64, 65536), "small_tile/32x32_k16_cluster2"},
        {all, 0, sgemm_call(N, N, 4096, 4096, 4096), "warp_tile/256x128"},
        {90, (size_t)2 << 30, in_mode(MYBLAS_FP32_FAST_MATH, sgemm_call(N, N, 8192, 8192, 8192)), "fp16x3/256x128"},
        {90, (size_t)1 << 30, in_mode(MYBLAS_FP32_FAST_MATH, sgemm_call(N, N, 4096, 4096, 4096)), "fp16x3/256x128"},
        {90, (size_t)1 << 30, in_mode(MYBLAS_FP32_FAST_MATH, sgemm_call(T, N, 3072, 3072, 3072)), "fp16x3/128x128"},
        {90, (size_t)1 << 30, in_mode(MYBLAS_FP32_FAST_MATH, sgemm_call(N, T, 2048, 2048, 2048)), "fp16x3/256x128"},
        {90, default_workspace, in_mode(MYBLAS_FP32_FAST_MATH, sgemm_call(T, T, 1280, 1280, 1280)), "fp16x3/128x128"},
        {90, (size_t)1 << 30, in_mode(MYBLAS_FP32_EMULATED_MATH, sgemm_call(T, N, 4096, 4096, 4096)), "bf16x6/256x128"},
        {90, (size_t)4 << 30, in_mode(MYBLAS_FP32_FAST_MATH, sgemm_call(N, N, 16384, 16384, 16384)), "fp16x3/256x128"},
        {90, default_workspace, in_mode(MYBLAS_FP32_FAST_MATH, sgemm_call(N, N, 8192, 8192, 8192)), "fp16x3/256x128"},
        {90, default_workspace, in_mode(MYBLAS_FP32_FAST_MATH, sgemm_call(T, T, 1024, 1024, 1024)), "fp16x3/128x128"},
        {90, 0, in_mode(MYBLAS_FP32_EMULATED_MATH, sgemm_call(N, N, 1024, 1024, 1024)), "tf32x3/128x64"},
        {90, default_workspace, in_mode(MYBLAS_FP32_FAST_MATH, sgemm_call(N, N, 768, 768, 768)), "tf32x3/128x128"},
        {90, default_workspace, in_mode(MYBLAS_FP32_EMULATED_MATH, sgemm_call(N, T, 512, 512, 512)), "tf32x3/64x64"},
        {90, default_workspace, in_mode(MYBLAS_FP32_FAST_MATH, sgemm_call(N, N, 511, 511, 511)), "small_tile/32x32_k16_cluster2"},
        {80, 0, in_mode(MYBLAS_FP32_FAST_MATH, sgemm_call(N, N, 4096, 4096, 4096)), "warp_tile/256x128"},
        {80, 0, in_mode(MYBLAS_FP32_EMULATED_MATH, sgemm_call(N, N, 4096, 4096, 4096)), "warp_tile/256x128"},
        {80, 0, in_mode(MYBLAS_FP32_FAST_MATH, sgemm_call(N, N, 512, 512, 512)), "small_tile/32x32_k16"},
        {86, 0, in_mode(MYBLAS_FP32_FAST_MATH, sgemm_call(N, N, 4096, 4096, 4096)), "warp_tile/256x128"},
        {89, 0, in_mode(MYBLAS_FP32_EMULATED_MATH, sgemm_call(N, N, 4096, 4096, 4096)), "warp_tile/256x128"},
        {120, 0, in_mode(MYBLAS_FP32_FAST_MATH, sgemm_call(N, N, 4096, 4096, 4096)), "warp_tile/256x128"},
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
        {all, default_workspace, transpose_call(2047, 2047, 4, 0, 0), "shifted"},
        {all, default_workspace, transpose_call(1501, 1501, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(14589, 150, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(7955, 45, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(512, 512, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(512, 512, 1, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(516, 516, 4, 0, 0), "small_squares"},
        {all, default_workspace, transpose_call(10001, 12, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(12, 20001, 4, 0, 0), "interleaved"},
        {all, default_workspace, transpose_call(17, 80001, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(200001, 17, 4, 0, 0), "interleaved"},
        {all, default_workspace, transpose_call(2501, 2501, 4, 0, 0), "shifted"},
        {all, default_workspace, transpose_call(1 << 20, 32, 4, 0, 0), "vectorised"},
        {all, default_workspace, transpose_call(64, 64, 4, 0, 0), "small_elements"},
        {all, default_workspace, transpose_call(1, 1, 4, 0, 0), "interleaved"},
        {all, default_workspace, transpose_call(8191, 8191, 1, 0, 0), "shifted"},
        {all, default_workspace, transpose_call(8196, 8196, 4, 0, 0), "shifted"},
        {all, default_workspace, transpose_call(1 << 20, 31, 4, 0, 0), "interleaved"},
        {all, default_workspace, transpose_call(3, 1 << 24, 4, 0, 0), "interleaved"},
        {all, default_workspace, transpose_call(512, 512, 4, 0x10000, 0x10000), "in_place_pairs"},
        {all, default_workspace, transpose_call(511, 511, 1, 0x10000, 0x10000), "in_place_square"},
        {all, default_workspace, transpose_call(512, 300, 4, 0x10000, 0x10000), "in_place_workspace"},
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
        // clang-format on
    };
    for (size_t i = 0; i < COUNT_OF(expected); ++i) {
        for (size_t a = 0; a < COUNT_OF(architectures); ++a) {
            const int arch = architectures[a];
            if (expected[i].arch != all && expected[i].arch != arch)
                continue;
            const char* name =
                selected_on(MYBLAS_BACKEND_CUDA, arch, expected[i].workspace, &expected[i].call);
            if (!name || strcmp(name, expected[i].name) != 0)
                fail_msg("case %zu on %d takes %s, not %s", i, arch, name, expected[i].name);
        }
    }
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
        call.n = call.n * call.m;
        call.lda = random_between(0, 1) ? 1 : random_between(1, 1000);
        break;
    case MYBLAS_ROUTINE_GEMSUM:
        call.lda = ld;
        break;
    case MYBLAS_ROUTINE_HISTOGRAM:
        call.n = call.n * call.m;
        call.C = NULL;
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

// The selection ends in a rule that accepts everything: any call on any device finds a kernel, even
// without a workspace.
static void check_completeness(myblasBackend_t backend) {
    random_seed(7);
    for (size_t r = 0; r < COUNT_OF(routines); ++r) {
        for (int round = 0; round < 3000; ++round) {
            const myblasCall_t call = random_call(routines[r]);
            const int arch = architectures[random_between(0, (int)COUNT_OF(architectures) - 1)];
            const size_t workspace = random_between(0, 1) ? 0 : default_workspace;
            const char* name = NULL;
            const myblasStatus_t status =
                myblasSelectKernelOn(backend, arch, sm_count, workspace, &call, &name);
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
    const myblasBackend_t host = MYBLAS_BACKEND_HOST;
    assert_status(INVALID_VALUE,
                  myblasSelectKernelOn(MYBLAS_BACKEND_AUTO, 90, sm_count, 0, &call, &name));
    assert_status(INVALID_VALUE,
                  myblasSelectKernelOn((myblasBackend_t)7, 90, sm_count, 0, &call, &name));
    assert_status(INVALID_VALUE, myblasSelectKernelOn(MYBLAS_BACKEND_CUDA, 90, 0, 0, &call, &name));
    assert_status(INVALID_VALUE, myblasSelectKernelOn(host, 0, 0, 0, NULL, &name));
    assert_status(INVALID_VALUE, myblasSelectKernelOn(host, 0, 0, 0, &call, NULL));
    myblasCall_t wrong = call;
    wrong.size_bytes = 0;
    assert_status(INVALID_VALUE, myblasSelectKernelOn(host, 0, 0, 0, &wrong, &name));
    wrong = call;
    wrong.lda = 9;
    assert_status(INVALID_VALUE, myblasSelectKernelOn(host, 0, 0, 0, &wrong, &name));
    wrong = call;
    wrong.transb = (myblasOperation_t)5;
    assert_status(INVALID_VALUE, myblasSelectKernelOn(host, 0, 0, 0, &wrong, &name));
    wrong = call;
    wrong.routine = (myblasRoutine_t)-1;
    assert_status(INVALID_VALUE, myblasSelectKernelOn(host, 0, 0, 0, &wrong, &name));
    wrong = call;
    wrong.math_mode = (myblasMath_t)3;
    assert_status(INVALID_VALUE, myblasSelectKernelOn(host, 0, 0, 0, &wrong, &name));
    assert_string_equal(name, "untouched");
    // Too old, or nothing built.
    assert_status(NOT_SUPPORTED,
                  myblasSelectKernelOn(MYBLAS_BACKEND_CUDA, 70, sm_count, 0, &call, &name));
    if (!cuda_is_built())
        assert_status(NOT_SUPPORTED,
                      myblasSelectKernelOn(MYBLAS_BACKEND_CUDA, 90, sm_count, 0, &call, &name));
    // A quick return takes no kernel.
    myblasCall_t empty = call;
    empty.m = 0;
    assert_ok(myblasSelectKernelOn(host, 0, 0, 0, &empty, &name));
    assert_null(name);
}

// ---- Estimates -----------------------------------------------------------------------------------

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

static myblasKernelEstimate_t estimate_on(
    myblasBackend_t backend, int arch, size_t workspace, const myblasCall_t* call, int index) {
    myblasKernelEstimate_t estimate = {.size_bytes = sizeof estimate};
    assert_ok(
        myblasGetKernelEstimateOn(backend, arch, sm_count, workspace, call, index, &estimate));
    return estimate;
}

// 4096 x 4096 in tiles of 256 x 128 are 512 blocks on 132 multiprocessors, 256 slabs of 16 each.
static void test_work_of_a_large_product(void** state) {
    (void)state;
    if (!cuda_is_built())
        skip();
    const myblasCall_t call = sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, 4096, 4096, 4096);
    const int index = index_of(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, "warp_tile/256x128");
    const myblasKernelEstimate_t e = estimate_on(MYBLAS_BACKEND_CUDA, 90, 0, &call, index);
    assert_int_equal(e.accepted, 1);
    assert_int_equal(e.workspace_bytes, 0);
    assert_true(e.waves == 4 && e.steps == 4 * 256);
    assert_true(e.bytes == 3.0 * 4096 * 4096 * 4);
    // From half a cuBLAS to the FMA peak.
    assert_true(e.predicted_us > 2000 && e.predicted_us < 5200);
}

// Kernels are asked for estimates of products that they refuse, too.
static void test_estimates_of_absurd_products(void** state) {
    (void)state;
    if (!cuda_is_built())
        skip();
    static const int64_t sizes[][3] = {
        {8388480, 8388736, 16}, // tiles of 128 x 128: 2^32 - 1
        {128, 128, (int64_t)1 << 36},
        {(int64_t)1 << 40, 3, 7},
        {5, (int64_t)1 << 40, 1},
    };
    int count = 0;
    assert_ok(myblasGetKernelCount(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, &count));
    for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
        const myblasCall_t call =
            sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, sizes[s][0], sizes[s][1], sizes[s][2]);
        for (int i = 0; i < count; ++i) {
            const myblasKernelEstimate_t e =
                estimate_on(MYBLAS_BACKEND_CUDA, 90, default_workspace, &call, i);
            const double sum = e.waves + e.steps + e.bytes + e.predicted_us;
            if (!(e.waves >= 0 && e.steps >= 0 && e.bytes >= 0 && e.predicted_us >= 0) ||
                !isfinite(sum))
                fail_msg("%s: waves %g, steps %g, bytes %g, %g us for %lld x %lld x %lld",
                         info_of(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, i).name,
                         e.waves,
                         e.steps,
                         e.bytes,
                         e.predicted_us,
                         (long long)sizes[s][0],
                         (long long)sizes[s][1],
                         (long long)sizes[s][2]);
        }
    }
}

// Whatever the tables hold: the selection takes the least predicted time, where it goes by time.
static void test_selection_follows_estimates(void** state) {
    (void)state;
    if (!cuda_is_built())
        skip();
    int count = 0, modelled = 0, fastest = 0;
    assert_ok(myblasGetKernelCount(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, &count));
    random_seed(11);
    for (int round = 0; round < 2000; ++round) {
        const myblasCall_t call = random_call(MYBLAS_ROUTINE_SGEMM);
        const size_t workspace = random_between(0, 1) ? 0 : default_workspace;
        const char* taken = selected_on(MYBLAS_BACKEND_CUDA, 90, workspace, &call);
        double least_us = INFINITY, taken_us = 0;
        for (int i = 0; i < count; ++i) {
            const myblasKernelEstimate_t e =
                estimate_on(MYBLAS_BACKEND_CUDA, 90, workspace, &call, i);
            assert_true(e.accepted == 0 || e.workspace_bytes <= workspace);
            assert_true(e.waves >= 0 && e.steps >= 0 && e.bytes >= 0 && e.predicted_us >= 0);
            assert_true(isfinite(e.waves + e.steps + e.bytes + e.predicted_us));
            if (strcmp(info_of(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, i).name, taken) == 0) {
                assert_int_equal(e.accepted, 1);
                taken_us = e.predicted_us;
            }
            if (e.accepted && e.predicted_us > 0 && e.predicted_us < least_us)
                least_us = e.predicted_us;
        }
        if (taken_us == 0)
            continue; // by a rule, of a kernel without costs
        ++modelled;
        fastest += taken_us == least_us;
    }
    // Rules may also name kernels that have costs: batches, products of a short k.
    assert_true(modelled > 100);
    assert_true(fastest * 2 > modelled);
}

static void test_estimate_arguments(void** state) {
    (void)state;
    const myblasBackend_t host = MYBLAS_BACKEND_HOST;
    const myblasCall_t call = sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, 10, 10, 10);
    myblasKernelEstimate_t estimate = {.size_bytes = sizeof estimate, .waves = -77};
    const myblasKernelEstimate_t untouched = estimate;
    int count = 0;
    assert_ok(myblasGetKernelCount(host, MYBLAS_ROUTINE_SGEMM, &count));
    assert_status(INVALID_VALUE,
                  myblasGetKernelEstimateOn(MYBLAS_BACKEND_AUTO, 0, 0, 0, &call, 0, &estimate));
    assert_status(INVALID_VALUE, myblasGetKernelEstimateOn(host, 0, 0, 0, NULL, 0, &estimate));
    assert_status(INVALID_VALUE, myblasGetKernelEstimateOn(host, 0, 0, 0, &call, -1, &estimate));
    assert_status(INVALID_VALUE, myblasGetKernelEstimateOn(host, 0, 0, 0, &call, count, &estimate));
    assert_status(INVALID_VALUE, myblasGetKernelEstimateOn(host, 0, 0, 0, &call, 0, NULL));
    myblasCall_t wrong = call;
    wrong.lda = 9;
    assert_status(INVALID_VALUE, myblasGetKernelEstimateOn(host, 0, 0, 0, &wrong, 0, &estimate));
    assert_memory_equal(&estimate, &untouched, sizeof estimate);
    estimate.size_bytes = 0;
    assert_status(INVALID_VALUE, myblasGetKernelEstimateOn(host, 0, 0, 0, &call, 0, &estimate));
    estimate.size_bytes = sizeof estimate;

    // The host's kernels have no model.
    assert_ok(myblasGetKernelEstimateOn(host, 0, 0, 0, &call, 0, &estimate));
    assert_int_equal(estimate.accepted, 1);
    assert_true(estimate.waves == 0 && estimate.predicted_us == 0);
    myblasCall_t empty = call;
    empty.n = 0;
    assert_ok(myblasGetKernelEstimateOn(host, 0, 0, 0, &empty, 0, &estimate));
    assert_int_equal(estimate.accepted, 0);
}

// ---- Forcing -------------------------------------------------------------------------------------

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
        // What was forced before stays when another name is refused.
        assert_status(INVALID_VALUE,
                      myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, "no_such_kernel"));
        assert_ok(myblasSelectKernel(handle, &call, &name));
        assert_string_equal(name, info.name);
    }
    assert_true(taken > 1);
    assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
    assert_ok(myblasSelectKernel(handle, &call, &name));
    assert_string_equal(name, free_choice);
    assert_status(INVALID_VALUE, myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, ""));
    assert_status(INVALID_VALUE,
                  myblasForceKernel(handle, (myblasRoutine_t)MYBLAS_ROUTINE_COUNT, "naive"));
    assert_status(INVALID_VALUE, myblasForceKernel(handle, (myblasRoutine_t)-1, NULL));
    assert_status(INVALID_VALUE, myblasSelectKernel(handle, NULL, &name));
    assert_status(INVALID_VALUE, myblasSelectKernel(handle, &call, NULL));
    assert_status(INVALID_VALUE,
                  myblasGetLastKernel(handle, (myblasRoutine_t)MYBLAS_ROUTINE_COUNT, &name));
    assert_status(INVALID_VALUE, myblasGetLastKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
}

// A kernel is taken in the mode that it promises and in weaker ones.
static void test_modes(void** state) {
    myblasHandle_t handle = require_handle(state);
    const myblasCall_t call = sgemm_call(MYBLAS_OP_N, MYBLAS_OP_N, 64, 64, 64);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_SGEMM);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, info.name));
        assert_ok(myblasSetMathMode(handle, MYBLAS_FP32_FAST_MATH));
        const char* name = NULL;
        if (myblasSelectKernel(handle, &call, &name) != MYBLAS_STATUS_SUCCESS)
            continue; // a library that is not installed
        for (int mode = MYBLAS_FP32_STRICT_MATH; mode <= MYBLAS_FP32_FAST_MATH; ++mode) {
            assert_ok(myblasSetMathMode(handle, (myblasMath_t)mode));
            assert_int_equal(myblasSelectKernel(handle, &call, &name),
                             mode >= (int)info.math_mode ? MYBLAS_STATUS_SUCCESS
                                                         : MYBLAS_STATUS_NOT_SUPPORTED);
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

// Kernels that are forced one by one are those that the handle's estimates accept, and where the last
// answers are remembered they stay right.
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

// ---- MYBLAS_TUNING -------------------------------------------------------------------------------

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

// What a large product takes on an architecture before and after the first handle is made, which reads
// the file and says so in one line.
static void expect_tuning(const char* message, const char* on_90_after) {
    const myblasCall_t call = sgemm_call(MYBLAS_OP_N, MYBLAS_OP_T, 4096, 4096, 4096);
    const char *on_80 = NULL, *on_90 = NULL;
    if (cuda_is_built()) {
        on_80 = selected_on(MYBLAS_BACKEND_CUDA, 80, 0, &call);
        on_90 = selected_on(MYBLAS_BACKEND_CUDA, 90, 0, &call);
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
    if (cuda_is_built()) {
        assert_string_equal(selected_on(MYBLAS_BACKEND_CUDA, 80, 0, &call), on_80);
        assert_string_equal(selected_on(MYBLAS_BACKEND_CUDA, 90, 0, &call),
                            on_90_after ? on_90_after : on_90);
    }
}

static void expect_new_costs(void) { expect_tuning("has the costs for sm_90", "warp_tile/64x64"); }
static void expect_bad_line(void) { expect_tuning("is ignored: line 3: ", NULL); }
static void expect_no_file(void) { expect_tuning("is ignored: it cannot be read", NULL); }
static void expect_long_file(void) { expect_tuning("is ignored: it is too long", NULL); }

static const struct scenario scenarios[] = {
    {"new_costs", expect_new_costs},
    {"bad_line", expect_bad_line},
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

static void test_tuning_file(void** state) {
    (void)state;
    skip_under_tools();
    static const char* const missing[] = {"MYBLAS_TUNING=/nonexistent/file", NULL};
    static const char* const folder[] = {"MYBLAS_TUNING=/tmp", NULL};
    assert_scenario("no_file", missing);
    assert_scenario("no_file", folder);
    check_tuning("bad_line", "myblas-tuning 1\narch 90\nsgemm no_such_kernel NN 1 1 1 1\n", 1);
    check_tuning("long_file", "################################\n", 1 << 12);
    if (!cuda_is_built())
        skip();
    check_tuning("new_costs",
                 "myblas-tuning 1\narch 90\n"
                 "sgemm warp_tile/64x64 NN 0 0 1 0\n"
                 "sgemm warp_tile/64x64 NT 0 0 1 0\n"
                 "sgemm warp_tile/64x64 TN 0 0 1 0\n"
                 "sgemm warp_tile/64x64 TT 0 0 1 0\n",
                 1);
}

int main(int argc, char** argv) {
    run_requested_scenario(argc, argv, scenarios, COUNT_OF(scenarios));
    const struct CMUnitTest lists[] = {
        cmocka_unit_test(test_partly_compiled_kernels),
        cmocka_unit_test(test_host_ladders),
        cmocka_unit_test(test_cuda_ladders),
        cmocka_unit_test(test_list_arguments),
        cmocka_unit_test(test_selected_names),
        cmocka_unit_test(test_host_completeness),
        cmocka_unit_test(test_cuda_completeness),
        cmocka_unit_test(test_selection_arguments),
        cmocka_unit_test(test_work_of_a_large_product),
        cmocka_unit_test(test_estimates_of_absurd_products),
        cmocka_unit_test(test_selection_follows_estimates),
        cmocka_unit_test(test_estimate_arguments),
        cmocka_unit_test(test_tuning_file),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forcing),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_last_kernel),
        cmocka_unit_test(test_handle_estimates),
    };
    return cmocka_run_group_tests_name("selection", lists, NULL, NULL) +
           RUN_ON_BACKENDS("kernels", tests);
}
