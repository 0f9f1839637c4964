// Handles and what they keep, statuses, the logger and the environment variables.
#include "support.h"

#include <unistd.h>

static int message_count;
static char message[1024];

static void count_message(const char* text) {
    ++message_count;
    snprintf(message, sizeof message, "%s", text);
}

// ---- Statuses and versions ----------------------------------------------------------------------

static void test_status_names(void** state) {
    (void)state;
    static const struct {
        myblasStatus_t status;
        int value; // cublasStatus_t's
        const char* name;
    } statuses[] = {
        {MYBLAS_STATUS_SUCCESS, 0, "MYBLAS_STATUS_SUCCESS"},
        {MYBLAS_STATUS_NOT_INITIALIZED, 1, "MYBLAS_STATUS_NOT_INITIALIZED"},
        {MYBLAS_STATUS_ALLOC_FAILED, 3, "MYBLAS_STATUS_ALLOC_FAILED"},
        {MYBLAS_STATUS_INVALID_VALUE, 7, "MYBLAS_STATUS_INVALID_VALUE"},
        {MYBLAS_STATUS_ARCH_MISMATCH, 8, "MYBLAS_STATUS_ARCH_MISMATCH"},
        {MYBLAS_STATUS_MAPPING_ERROR, 11, "MYBLAS_STATUS_MAPPING_ERROR"},
        {MYBLAS_STATUS_EXECUTION_FAILED, 13, "MYBLAS_STATUS_EXECUTION_FAILED"},
        {MYBLAS_STATUS_INTERNAL_ERROR, 14, "MYBLAS_STATUS_INTERNAL_ERROR"},
        {MYBLAS_STATUS_NOT_SUPPORTED, 15, "MYBLAS_STATUS_NOT_SUPPORTED"},
        {MYBLAS_STATUS_LICENSE_ERROR, 16, "MYBLAS_STATUS_LICENSE_ERROR"},
    };
    for (size_t i = 0; i < COUNT_OF(statuses); ++i) {
        assert_int_equal(statuses[i].status, statuses[i].value);
        assert_string_equal(myblasGetStatusName(statuses[i].status), statuses[i].name);
        const char* meaning = myblasGetStatusString(statuses[i].status);
        assert_true(strlen(meaning) > 0);
        assert_null(strchr(meaning, '\n'));
        for (size_t j = 0; j < i; ++j)
            assert_string_not_equal(meaning, myblasGetStatusString(statuses[j].status));
    }
    assert_non_null(myblasGetStatusName((myblasStatus_t)999));
    assert_non_null(myblasGetStatusString((myblasStatus_t)-1));
}

static void test_versions(void** state) {
    (void)state;
    int version = -1;
    assert_ok(myblasGetVersion(NULL, &version));
    assert_int_equal(version, MYBLAS_VERSION);
    assert_status(INVALID_VALUE, myblasGetVersion(NULL, NULL));
    static const int parts[] = {MYBLAS_VERSION_MAJOR, MYBLAS_VERSION_MINOR, MYBLAS_VERSION_PATCH};
    for (int type = MYBLAS_PROPERTY_MAJOR_VERSION; type <= MYBLAS_PROPERTY_PATCH_LEVEL; ++type) {
        int value = -1;
        assert_ok(myblasGetProperty((myblasProperty_t)type, &value));
        assert_int_equal(value, parts[type]);
        assert_status(INVALID_VALUE, myblasGetProperty((myblasProperty_t)type, NULL));
    }
    int untouched = -77;
    assert_status(INVALID_VALUE, myblasGetProperty((myblasProperty_t)3, &untouched));
    assert_status(INVALID_VALUE, myblasGetProperty((myblasProperty_t)-1, &untouched));
    assert_int_equal(untouched, -77);
}

// ---- Handles ------------------------------------------------------------------------------------

static void test_create(void** state) {
    myblasHandle_t given = require_handle(state);
    const myblasBackend_t backend = backend_of(given);
    assert_true(backend == MYBLAS_BACKEND_HOST || backend == MYBLAS_BACKEND_CUDA);
    myblasHandle_t handles[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3; ++i) {
        assert_ok(myblasCreateOn(&handles[i], backend));
        assert_non_null(handles[i]);
        assert_int_equal(backend_of(handles[i]), backend);
        for (int j = 0; j < i; ++j)
            assert_ptr_not_equal(handles[i], handles[j]);
    }
    int version = 0;
    assert_ok(myblasGetVersion(handles[0], &version));
    assert_int_equal(version, MYBLAS_VERSION);
    for (int i = 0; i < 3; ++i)
        assert_ok(myblasDestroy(handles[i]));

    assert_status(INVALID_VALUE, myblasCreate(NULL));
    assert_status(INVALID_VALUE, myblasCreateOn(NULL, backend));
    myblasHandle_t none = NULL;
    assert_status(INVALID_VALUE, myblasCreateOn(&none, (myblasBackend_t)3));
    assert_status(INVALID_VALUE, myblasCreateOn(&none, (myblasBackend_t)-1));
    assert_null(none);
    assert_status(NOT_INITIALIZED, myblasDestroy(NULL));
    assert_status(INVALID_VALUE, myblasGetBackend(given, NULL));
}

// If no environment variable names a backend: cuda if there is a device, otherwise host.
static void test_create_auto(void** state) {
    myblasHandle_t given = require_handle(state);
    myblasHandle_t handle = NULL, explicit_auto = NULL, cuda = NULL;
    assert_ok(myblasCreate(&handle));
    assert_ok(myblasCreateOn(&explicit_auto, MYBLAS_BACKEND_AUTO));
    const bool has_device = myblasCreateOn(&cuda, MYBLAS_BACKEND_CUDA) == MYBLAS_STATUS_SUCCESS;
    const myblasBackend_t expected = has_device ? MYBLAS_BACKEND_CUDA : MYBLAS_BACKEND_HOST;
    assert_int_equal(backend_of(handle), expected);
    assert_int_equal(backend_of(explicit_auto), expected);
    if (backend_of(given) == MYBLAS_BACKEND_CUDA)
        assert_true(has_device);
    assert_ok(myblasDestroy(handle));
    assert_ok(myblasDestroy(explicit_auto));
    if (has_device)
        assert_ok(myblasDestroy(cuda));
}

static void test_modes(void** state) {
    myblasHandle_t handle = require_handle(state);
    myblasPointerMode_t pointer_mode = (myblasPointerMode_t)-1;
    for (int mode = MYBLAS_POINTER_MODE_DEVICE; mode >= MYBLAS_POINTER_MODE_HOST; --mode) {
        assert_ok(myblasSetPointerMode(handle, (myblasPointerMode_t)mode));
        assert_ok(myblasGetPointerMode(handle, &pointer_mode));
        assert_int_equal(pointer_mode, mode);
    }
    assert_status(INVALID_VALUE, myblasSetPointerMode(handle, (myblasPointerMode_t)2));
    assert_status(INVALID_VALUE, myblasSetPointerMode(handle, (myblasPointerMode_t)-1));
    assert_ok(myblasGetPointerMode(handle, &pointer_mode));
    assert_int_equal(pointer_mode, MYBLAS_POINTER_MODE_HOST);
    assert_status(INVALID_VALUE, myblasGetPointerMode(handle, NULL));

    myblasMath_t math = (myblasMath_t)-1;
    assert_ok(myblasGetMathMode(handle, &math));
    assert_int_equal(math, MYBLAS_FP32_STRICT_MATH);
    for (int mode = MYBLAS_FP32_STRICT_MATH; mode <= MYBLAS_FP32_REPRODUCIBLE_MATH; ++mode) {
        assert_ok(myblasSetMathMode(handle, (myblasMath_t)mode));
        assert_ok(myblasGetMathMode(handle, &math));
        assert_int_equal(math, mode);
    }
    assert_status(INVALID_VALUE, myblasSetMathMode(handle, (myblasMath_t)4));
    assert_status(INVALID_VALUE, myblasSetMathMode(handle, (myblasMath_t)-1));
    assert_status(INVALID_VALUE, myblasGetMathMode(handle, NULL));

    int count = -1;
    assert_ok(myblasGetSmCountTarget(handle, &count));
    assert_int_equal(count, 0);
    for (int target = 1; target >= 0; --target) {
        assert_ok(myblasSetSmCountTarget(handle, target));
        assert_ok(myblasGetSmCountTarget(handle, &count));
        assert_int_equal(count, target);
    }
    assert_status(INVALID_VALUE, myblasSetSmCountTarget(handle, -1));
    assert_status(INVALID_VALUE, myblasGetSmCountTarget(handle, NULL));
}

static void test_streams(void** state) {
    myblasHandle_t handle = require_handle(state);
    myblasStream_t stream = (myblasStream_t)&stream;
    assert_ok(myblasGetStream(handle, &stream));
    assert_null(stream);
    enum { stream_count = 12 }; // more than a handle keeps workspaces for
    myblasStream_t streams[stream_count];
    for (int i = 0; i < stream_count; ++i) {
        assert_ok(myblasStreamCreate(handle, &streams[i]));
        assert_non_null(streams[i]);
        for (int j = 0; j < i; ++j)
            assert_ptr_not_equal(streams[i], streams[j]);
        assert_ok(myblasSetStream(handle, streams[i]));
        assert_ok(myblasGetStream(handle, &stream));
        assert_ptr_equal(stream, streams[i]);
        assert_ok(myblasStreamSynchronize(handle, streams[i]));
    }
    // The handle's own stream is destroyed: the handle returns to the null stream.
    assert_ok(myblasStreamDestroy(handle, streams[stream_count - 1]));
    assert_ok(myblasGetStream(handle, &stream));
    assert_null(stream);
    // Another stream is destroyed: the handle keeps its stream.
    assert_ok(myblasSetStream(handle, streams[0]));
    for (int i = 1; i < stream_count - 1; ++i)
        assert_ok(myblasStreamDestroy(handle, streams[i]));
    assert_ok(myblasGetStream(handle, &stream));
    assert_ptr_equal(stream, streams[0]);
    assert_ok(myblasSetStream(handle, NULL));
    assert_ok(myblasStreamDestroy(handle, streams[0]));
    assert_ok(myblasStreamSynchronize(handle, NULL));

    assert_status(INVALID_VALUE, myblasStreamCreate(handle, NULL));
    assert_status(INVALID_VALUE, myblasStreamDestroy(handle, NULL));
    assert_status(INVALID_VALUE, myblasGetStream(handle, NULL));
}

// Whether a kernel that needs a workspace takes a call on the handle's stream.
static bool has_workspace(myblasHandle_t handle) {
    const bool on_host = backend_of(handle) == MYBLAS_BACKEND_HOST;
    myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
    call.m = call.n = call.k = call.lda = call.ldb = call.ldc = 64;
    const char* name = NULL;
    assert_ok(myblasForceKernel(
        handle, MYBLAS_ROUTINE_SGEMM, on_host ? "blocked" : "register_tile_packed"));
    const myblasStatus_t status = myblasSelectKernel(handle, &call, &name);
    assert_true(status == MYBLAS_STATUS_SUCCESS || status == MYBLAS_STATUS_NOT_SUPPORTED);
    return status == MYBLAS_STATUS_SUCCESS;
}

static void test_workspace(void** state) {
    myblasHandle_t handle = require_handle(state);
    void* memory = NULL;
    assert_ok(myblasMalloc(handle, &memory, 4096));
    assert_ok(myblasSetWorkspace(handle, memory, 4096));
    assert_ok(myblasSetWorkspace(handle, (char*)memory + 256, 1000));
    assert_ok(myblasSetWorkspace(handle, NULL, 0));
    assert_status(INVALID_VALUE, myblasSetWorkspace(handle, NULL, 4096));
    assert_status(INVALID_VALUE, myblasSetWorkspace(handle, (char*)memory + 16, 1024));
    assert_status(INVALID_VALUE, myblasSetWorkspace(handle, (char*)memory + 255, 1024));

    // The workspace that a call needs follows from its description alone.
    size_t bytes = 77;
    myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
    call.m = call.n = call.k = 100;
    call.lda = call.ldb = call.ldc = 100;
    assert_ok(myblasGetWorkspaceSize(handle, &call, &bytes));
    assert_status(INVALID_VALUE, myblasGetWorkspaceSize(handle, &call, NULL));
    assert_status(INVALID_VALUE, myblasGetWorkspaceSize(handle, NULL, &bytes));
    myblasCall_t wrong = call;
    wrong.size_bytes -= 1;
    assert_status(INVALID_VALUE, myblasGetWorkspaceSize(handle, &wrong, &bytes));
    wrong = call;
    wrong.ldc = 99;
    assert_status(INVALID_VALUE, myblasGetWorkspaceSize(handle, &wrong, &bytes));
    wrong = call;
    wrong.routine = (myblasRoutine_t)MYBLAS_ROUTINE_COUNT;
    assert_status(INVALID_VALUE, myblasGetWorkspaceSize(handle, &wrong, &bytes));

    // With that workspace the call takes the same kernel as with the handle's own.
    const char *with_own = NULL, *with_lent = NULL;
    call = empty_call(MYBLAS_ROUTINE_TRANSPOSE);
    call.m = 60;
    call.n = 17;
    call.lda = 60;
    call.ldb = 17;
    call.A = call.B = memory;
    assert_ok(myblasGetWorkspaceSize(handle, &call, &bytes));
    assert_true(bytes <= 60 * 17 * 4 + 4096);
    void* exact = NULL;
    assert_ok(myblasMalloc(handle, &exact, bytes));
    assert_ok(myblasSetStream(handle, NULL)); // drops what was lent
    assert_ok(myblasSelectKernel(handle, &call, &with_own));
    assert_ok(myblasSetWorkspace(handle, exact, bytes));
    assert_ok(myblasSelectKernel(handle, &call, &with_lent));
    assert_string_equal(with_own, with_lent);
    assert_ok(myblasSetStream(handle, NULL));
    assert_ok(myblasFree(handle, exact));
    assert_ok(myblasFree(handle, memory));
}

// On every backend, the limit is the last one set. A stream always has its first workspace, with
// any limit.
static void test_workspace_limit(void** state) {
    const myblasBackend_t backend = backend_of(require_handle(state));
    myblasHandle_t handle = NULL;
    assert_ok(myblasCreateOn(&handle, backend));
    size_t limit = 77;
    assert_ok(myblasGetWorkspaceLimit(handle, &limit));
    assert_true(backend == MYBLAS_BACKEND_HOST ? limit == 0 : limit > 0);
    static const size_t limits[] = {0, 1, (size_t)1 << 20, (size_t)1 << 30, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(limits); ++i) {
        assert_ok(myblasSetWorkspaceLimit(handle, limits[i]));
        assert_ok(myblasGetWorkspaceLimit(handle, &limit));
        assert_true(limit == limits[i]);
        assert_true(has_workspace(handle));
    }
    assert_ok(myblasSetStream(handle, NULL)); // has no say in it
    assert_ok(myblasGetWorkspaceLimit(handle, &limit));
    assert_true(limit == SIZE_MAX);
    assert_status(INVALID_VALUE, myblasGetWorkspaceLimit(handle, NULL));
    assert_ok(myblasDestroy(handle));
}

static void test_null_handle(void** state) {
    (void)require_handle(state);
    union {
        myblasStream_t stream;
        myblasBackend_t backend;
        myblasPointerMode_t pointer_mode;
        myblasMath_t math;
        size_t size;
        int count;
        const char* name;
    } out;
    memset(&out, 0x5A, sizeof out);
    const myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
    assert_status(NOT_INITIALIZED, myblasGetBackend(NULL, &out.backend));
    assert_status(NOT_INITIALIZED, myblasSetStream(NULL, NULL));
    assert_status(NOT_INITIALIZED, myblasGetStream(NULL, &out.stream));
    assert_status(NOT_INITIALIZED, myblasSetPointerMode(NULL, MYBLAS_POINTER_MODE_HOST));
    assert_status(NOT_INITIALIZED, myblasGetPointerMode(NULL, &out.pointer_mode));
    assert_status(NOT_INITIALIZED, myblasSetMathMode(NULL, MYBLAS_FP32_STRICT_MATH));
    assert_status(NOT_INITIALIZED, myblasGetMathMode(NULL, &out.math));
    assert_status(NOT_INITIALIZED, myblasSetSmCountTarget(NULL, 0));
    assert_status(NOT_INITIALIZED, myblasGetSmCountTarget(NULL, &out.count));
    assert_status(NOT_INITIALIZED, myblasSetWorkspace(NULL, NULL, 0));
    assert_status(NOT_INITIALIZED, myblasSetWorkspaceLimit(NULL, 0));
    assert_status(NOT_INITIALIZED, myblasGetWorkspaceLimit(NULL, &out.size));
    assert_status(NOT_INITIALIZED, myblasGetWorkspaceSize(NULL, &call, &out.size));
    assert_status(NOT_INITIALIZED, myblasStreamCreate(NULL, &out.stream));
    assert_status(NOT_INITIALIZED, myblasStreamDestroy(NULL, NULL));
    assert_status(NOT_INITIALIZED, myblasStreamSynchronize(NULL, NULL));
    assert_status(NOT_INITIALIZED, myblasForceKernel(NULL, MYBLAS_ROUTINE_SGEMM, NULL));
    assert_status(NOT_INITIALIZED, myblasSelectKernel(NULL, &call, &out.name));
    assert_status(NOT_INITIALIZED, myblasGetLastKernel(NULL, MYBLAS_ROUTINE_SGEMM, &out.name));
    unsigned char untouched[sizeof out];
    memset(untouched, 0x5A, sizeof untouched);
    assert_memory_equal(&out, untouched, sizeof out);
}

// Pointers that are no handle are not dereferenced: destroyed handles, other addresses and NULL.
static void test_dead_handles(void** state) {
    const myblasBackend_t backend = backend_of(require_handle(state));
    myblasHandle_t destroyed = NULL, other = NULL;
    assert_ok(myblasCreateOn(&destroyed, backend));
    assert_ok(myblasCreateOn(&other, backend));
    assert_ok(myblasDestroy(destroyed));
    int something[64] = {0};
    const myblasHandle_t dead[] = {
        destroyed,
        (myblasHandle_t)something,
        (myblasHandle_t)((char*)other + 8),
        (myblasHandle_t)(uintptr_t)1,
        (myblasHandle_t)(uintptr_t)2,
        (myblasHandle_t)UINTPTR_MAX,
    };
    const float one = 1, x = 2;
    float y = 3, result = 4;
    assert_ok(myblasSetLoggerCallback(count_message));
    for (size_t i = 0; i < COUNT_OF(dead); ++i) {
        size_t limit = 77;
        assert_status(NOT_INITIALIZED, mysaxpy(dead[i], 1, &one, &x, 1, &y, 1));
        assert_non_null(strstr(message, "the handle was destroyed, or never created"));
        assert_status(NOT_INITIALIZED, mysum(dead[i], 1, &x, 1, &result));
        assert_status(NOT_INITIALIZED, myblasGetWorkspaceLimit(dead[i], &limit));
        assert_true(limit == 77);
        assert_status(NOT_INITIALIZED, myblasSetStream(dead[i], NULL));
        assert_status(NOT_INITIALIZED, myblasDestroy(dead[i]));
    }
    assert_ok(myblasSetLoggerCallback(NULL));
    assert_true(y == 3 && result == 4);
    assert_int_equal(backend_of(other), backend);
    assert_ok(myblasDestroy(other));
    assert_status(NOT_INITIALIZED, myblasDestroy(other));
}

// ---- Logger -------------------------------------------------------------------------------------

static void test_logger_callback(void** state) {
    myblasHandle_t handle = require_handle(state);
    message_count = 0;
    assert_ok(myblasSetLoggerCallback(count_message));
    assert_status(INVALID_VALUE, myblasSetPointerMode(handle, (myblasPointerMode_t)9));
    assert_int_equal(message_count, 1);
    assert_non_null(strstr(message, "myblasSetPointerMode"));
    assert_non_null(strstr(message, "MYBLAS_STATUS_INVALID_VALUE"));
    assert_null(strchr(message, '\n'));
    assert_status(INVALID_VALUE, mysum(handle, 3, NULL, 1, NULL));
    assert_int_equal(message_count, 2);
    assert_non_null(strstr(message, "mysum"));
    // A call that succeeds logs nothing.
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));
    assert_int_equal(message_count, 2);
    assert_ok(myblasSetLoggerCallback(NULL));
    assert_status(INVALID_VALUE, mysum(handle, 3, NULL, 1, NULL));
    assert_int_equal(message_count, 2);
}

static char all_messages[4096];

static void keep_messages(const char* text) {
    const size_t length = strlen(all_messages);
    snprintf(all_messages + length, sizeof all_messages - length, "%s\n", text);
}

static void assert_logged(const char* text) {
    if (!strstr(all_messages, text))
        fail_msg("the log does not say '%s' but: %s", text, all_messages);
    all_messages[0] = '\0';
}

// Logs the arguments of a call, and each step of a plan.
static void test_logged_calls(void** state) {
    myblasHandle_t handle = require_handle(state);
    enum { n = 3, ld = 5 };
    void* memory = NULL;
    assert_ok(myblasMalloc(handle, &memory, (size_t)ld * n * sizeof(float)));
    float* a = memory;
    float host[ld * n];
    for (int i = 0; i < ld * n; ++i)
        host[i] = 1;
    assert_ok(myblasSetVector(handle, ld * n, sizeof(float), host, 1, memory, 1));
    const myblasFillMode_t upper = MYBLAS_FILL_MODE_UPPER;
    const myblasOperation_t trans = MYBLAS_OP_T;
    const float one = 1;
    assert_ok(myblasSetLoggerCallback(keep_messages));
    all_messages[0] = '\0';
    assert_ok(myssymv(handle, upper, 1, &one, a, ld, a + 1, 7, &one, a + 2, -3));
    assert_logged(" U n=1 lda=5 incx=7 incy=-3 A=");
    assert_ok(myssyr(handle, upper, 2, &one, a + 10, 1, a, ld));
    assert_logged(" U n=2 incx=1 lda=5 x=");
    assert_ok(mysger(handle, 1, 2, &one, a + 10, 1, a + 12, 1, a, ld));
    assert_logged(" m=1 n=2 incx=1 incy=1 lda=5 x=");
    assert_ok(mystrsv(handle, upper, trans, MYBLAS_DIAG_UNIT, 2, a, ld, a + 10, 2));
    assert_logged(" UTU n=2 lda=5 incx=2 A=");
    assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SYMM, "products"));
    assert_ok(
        myssymm(handle, MYBLAS_SIDE_LEFT, upper, 2, 1, &one, a, ld, a + 10, 2, &one, a + 12, 2));
    assert_non_null(strstr(all_messages, "myssymm: products LU m=2 n=1"));
    assert_non_null(strstr(all_messages, "step: mirror, 2 x 2"));
    assert_logged("step: SGEMM by ");
    assert_ok(myblasSetLoggerCallback(NULL));
    assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SYMM, NULL));
    assert_ok(myblasStreamSynchronize(handle, NULL));
    assert_ok(myblasFree(handle, memory));
}

static long file_size(const char* name) {
    FILE* file = fopen(name, "r");
    if (!file)
        return -1;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    fclose(file);
    return size;
}

static void test_logger_file(void** state) {
    myblasHandle_t handle = require_handle(state);
    char name[] = "/tmp/myblas_log_XXXXXX";
    const int descriptor = mkstemp(name);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_ok(myblasLoggerConfigure(1, 0, 0, name));
    assert_status(INVALID_VALUE, mysum(handle, 3, NULL, 1, NULL));
    const long once = file_size(name);
    assert_true(once > 0);
    // A file that cannot be opened leaves the logger as it was, and is logged.
    assert_status(INVALID_VALUE, myblasLoggerConfigure(1, 0, 0, "/nonexistent/directory/log"));
    const long present = file_size(name);
    assert_true(present > once);
    assert_status(INVALID_VALUE, mysum(handle, 3, NULL, 1, NULL));
    assert_true(file_size(name) == present + once);
    // Off, and on again: lines are appended.
    assert_ok(myblasLoggerConfigure(0, 0, 0, NULL));
    assert_status(INVALID_VALUE, mysum(handle, 3, NULL, 1, NULL));
    assert_true(file_size(name) == present + once);
    assert_ok(myblasLoggerConfigure(1, 0, 0, name));
    assert_status(INVALID_VALUE, mysum(handle, 3, NULL, 1, NULL));
    assert_true(file_size(name) == present + 2 * once);
    assert_ok(myblasLoggerConfigure(0, 0, 0, NULL));
    assert_int_equal(unlink(name), 0);
}

// ---- The workspaces of streams ------------------------------------------------------------------

// A handle has a workspace for each stream, for any number of streams.
static void test_workspaces_of_streams(void** state) {
    enum { stream_count = 12 };
    const myblasBackend_t backend = backend_of(require_handle(state));
    myblasHandle_t handle = NULL;
    assert_ok(myblasCreateOn(&handle, backend));
    for (int i = 0; i < 3 * stream_count; ++i) {
        myblasStream_t stream = NULL;
        assert_ok(myblasStreamCreate(handle, &stream));
        assert_ok(myblasSetStream(handle, stream));
        assert_true(has_workspace(handle));
        assert_ok(myblasStreamDestroy(handle, stream));
    }
    assert_true(has_workspace(handle)); // on the NULL stream again
    myblasStream_t streams[stream_count];
    for (int i = 0; i < stream_count; ++i) {
        assert_ok(myblasStreamCreate(handle, &streams[i]));
        assert_ok(myblasSetStream(handle, streams[i]));
        assert_true(has_workspace(handle));
    }
    for (int i = 0; i < stream_count; ++i) {
        assert_ok(myblasSetStream(handle, streams[i]));
        assert_true(has_workspace(handle));
        assert_ok(myblasStreamDestroy(handle, streams[i]));
    }
    assert_ok(myblasDestroy(handle));
}

// ---- Environment: each in a separate process ----------------------------------------------------

static void expect_host(void) {
    myblasHandle_t handle = NULL;
    assert_ok(myblasCreate(&handle));
    assert_int_equal(backend_of(handle), MYBLAS_BACKEND_HOST);
    assert_true(reduced() || !is_mapped("libcuda.so")); // tools bring it along
    assert_ok(myblasDestroy(handle));
}

// myblasCreateOn does not read the environment.
static void expect_explicit_host(void) {
    myblasHandle_t handle = NULL;
    assert_ok(myblasCreateOn(&handle, MYBLAS_BACKEND_HOST));
    assert_int_equal(backend_of(handle), MYBLAS_BACKEND_HOST);
    assert_ok(myblasDestroy(handle));
}

static void expect_cuda_or_refusal(void) {
    myblasHandle_t handle = NULL, on_cuda = NULL;
    const myblasStatus_t expected = myblasCreateOn(&on_cuda, MYBLAS_BACKEND_CUDA);
    assert_int_equal(myblasCreate(&handle), expected);
    if (expected == MYBLAS_STATUS_SUCCESS) {
        assert_int_equal(backend_of(handle), MYBLAS_BACKEND_CUDA);
        assert_ok(myblasDestroy(handle));
        assert_ok(myblasDestroy(on_cuda));
    }
}

static void expect_create(myblasStatus_t expected) {
    myblasHandle_t handle = NULL;
    assert_int_equal(myblasCreate(&handle), expected);
    if (handle)
        assert_ok(myblasDestroy(handle));
}

static void expect_limit_of_512_megabytes(void) {
    myblasHandle_t handle = NULL;
    size_t limit = 0;
    assert_ok(myblasCreate(&handle));
    assert_ok(myblasGetWorkspaceLimit(handle, &limit));
    assert_true(limit == (size_t)512 << 20);
    assert_ok(myblasDestroy(handle));
}

// The message names the variable, its value, and the values that are allowed. MYBLAS_TEST_MESSAGE
// has the expected message; the library does not read it.
static void expect_refusal(void) {
    const char* expected = getenv("MYBLAS_TEST_MESSAGE");
    assert_non_null(expected);
    myblasHandle_t handle = NULL;
    assert_ok(myblasSetLoggerCallback(count_message));
    assert_status(INVALID_VALUE, myblasCreate(&handle));
    assert_null(handle);
    char whole[256];
    snprintf(whole, sizeof whole, "myblasCreate: MYBLAS_STATUS_INVALID_VALUE: %s", expected);
    assert_string_equal(message, whole);
}

static void expect_math(myblasMath_t expected) {
    myblasHandle_t handle = NULL;
    myblasMath_t mode = (myblasMath_t)-1;
    assert_ok(myblasCreate(&handle));
    assert_ok(myblasGetMathMode(handle, &mode));
    assert_int_equal(mode, expected);
    assert_ok(myblasDestroy(handle));
}
static void expect_strict(void) { expect_math(MYBLAS_FP32_STRICT_MATH); }
static void expect_emulated(void) { expect_math(MYBLAS_FP32_EMULATED_MATH); }
static void expect_fast(void) { expect_math(MYBLAS_FP32_FAST_MATH); }
static void expect_reproducible(void) { expect_math(MYBLAS_FP32_REPRODUCIBLE_MATH); }

static void expect_success(void) { expect_create(MYBLAS_STATUS_SUCCESS); }

static const char* selected_on_host(myblasHandle_t handle, myblasStatus_t expected) {
    myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
    call.m = call.n = call.k = call.lda = call.ldb = call.ldc = 50;
    const char* name = NULL;
    assert_int_equal(myblasSelectKernel(handle, &call, &name), expected);
    return name;
}

// No message except on the handle, and the library's own choice.
static void expect_defaults(void) {
    myblasHandle_t handle = NULL, on_host = NULL;
    assert_ok(myblasSetLoggerCallback(count_message));
    assert_ok(myblasCreate(&handle));
    assert_int_equal(message_count, 1);
    assert_ok(myblasCreateOn(&on_host, MYBLAS_BACKEND_HOST));
    assert_string_not_equal(selected_on_host(on_host, MYBLAS_STATUS_SUCCESS), "reference");
    assert_ok(myblasDestroy(on_host));
    assert_ok(myblasDestroy(handle));
}

static void expect_reference(void) {
    myblasHandle_t handle = NULL;
    assert_ok(myblasCreate(&handle));
    assert_string_equal(selected_on_host(handle, MYBLAS_STATUS_SUCCESS), "reference");
    float numbers[4] = {2, 3, 0, 1}, *scalar = &numbers[3];
    assert_ok(mysgemm(handle,
                      MYBLAS_OP_N,
                      MYBLAS_OP_N,
                      1,
                      1,
                      1,
                      scalar,
                      &numbers[0],
                      1,
                      &numbers[1],
                      1,
                      scalar,
                      &numbers[2],
                      1));
    assert_true(numbers[2] == 6);
    assert_last_kernel(handle, MYBLAS_ROUTINE_SGEMM, "reference");
    // The program can undo it.
    assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
    assert_string_not_equal(selected_on_host(handle, MYBLAS_STATUS_SUCCESS), "reference");
    assert_ok(myblasDestroy(handle));
}

static void expect_unknown_kernel(void) {
    myblasHandle_t handle = NULL;
    assert_ok(myblasSetLoggerCallback(count_message));
    assert_ok(myblasCreate(&handle));
    selected_on_host(handle, MYBLAS_STATUS_NOT_SUPPORTED);
    float numbers[4] = {2, 3, 5, 1};
    assert_status(NOT_SUPPORTED, myscopy(handle, 1, numbers, 1, numbers + 2, 1));
    assert_true(numbers[2] == 5);
    assert_non_null(strstr(message, "myscopy: MYBLAS_STATUS_NOT_SUPPORTED: the environment"));
    assert_ok(myblasDestroy(handle));
}

// MYBLAS_TEST_LOG_NAME also has the log's file name; the library does not read it.
static void expect_log_file(void) {
    const char* name = getenv("MYBLAS_TEST_LOG_NAME");
    assert_non_null(name);
    myblasHandle_t handle = NULL;
    assert_ok(myblasCreate(&handle));
    assert_status(INVALID_VALUE, mysum(handle, 3, NULL, 1, NULL));
    assert_true(file_size(name) > 0);
    assert_ok(myblasDestroy(handle));
}

static int unopened_logs = 0;
static void count_unopened_logs(const char* text) {
    unopened_logs += strstr(text, "MYBLAS_LOG: cannot open /nonexistent/log: ") != NULL;
}

static void expect_unopened_log(void) {
    assert_ok(myblasSetLoggerCallback(count_unopened_logs));
    for (int i = 0; i < 2; ++i) {
        myblasHandle_t handle = NULL;
        assert_ok(myblasCreate(&handle));
        assert_ok(myblasDestroy(handle));
    }
    assert_int_equal(unopened_logs, 1);
}

static const struct scenario scenarios[] = {
    {"host", expect_host},
    {"explicit_host", expect_explicit_host},
    {"cuda", expect_cuda_or_refusal},
    {"limit_of_512_megabytes", expect_limit_of_512_megabytes},
    {"refusal", expect_refusal},
    {"strict", expect_strict},
    {"emulated", expect_emulated},
    {"fast", expect_fast},
    {"reproducible", expect_reproducible},
    {"defaults", expect_defaults},
    {"success", expect_success},
    {"reference", expect_reference},
    {"unknown_kernel", expect_unknown_kernel},
    {"log_file", expect_log_file},
    {"unopened_log", expect_unopened_log},
};

static void test_environment(void** state) {
    (void)state;
    static const char* const cases[][4] = {
        {"host", "MYBLAS_BACKEND=host"},
        {"cuda", "MYBLAS_BACKEND=cuda"},
        {"success", "MYBLAS_BACKEND=auto"},
        {"success", NULL},
        {"host", "MYBLAS_BACKEND=HOST"},
        {"explicit_host", "MYBLAS_BACKEND=gpu"},
        {"explicit_host", "MYBLAS_BACKEND=cuda"},
        {"strict", "MYBLAS_MATH=strict"},
        {"emulated", "MYBLAS_MATH=emulated"},
        {"fast", "MYBLAS_MATH=fast"},
        {"fast", "MYBLAS_MATH=FAST"},
        {"reproducible", "MYBLAS_MATH=reproducible"},
        {"emulated", "MYBLAS_MATH=Emulated"},
        {"limit_of_512_megabytes", "MYBLAS_WORKSPACE=512M"},
        {"limit_of_512_megabytes", "MYBLAS_WORKSPACE=536870912", "MYBLAS_BACKEND=host"},
        {"success", "MYBLAS_WORKSPACE=0"},
        {"success", "MYBLAS_SMS=96"},
        {"success", "MYBLAS_SMS=100000"},
        {"success", "MYBLAS_NUM_THREADS=3"},
        {"success", "MYBLAS_NUM_THREADS=100000"},
        {"success", "OPENBLAS_NUM_THREADS=none", "OMP_NUM_THREADS=4,2"},
        {"reference", "MYBLAS_BACKEND=host", "MYBLAS_SGEMM_KERNEL=reference"},
        {"unopened_log", "MYBLAS_LOG=/nonexistent/log"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i)
        assert_scenario(cases[i][0], &cases[i][1]);

#define BACKENDS ": not auto, host or cuda"
#define MODES ": not strict, emulated, fast or reproducible"
#define BYTES ": not a number of bytes, such as 512M or 4G"
#define THREADS ": not a number of threads from 1 on"
#define SMS ": not a number of multiprocessors from 1 on"
    static const struct {
        const char *variable, *rule;
    } wrong[] = {
        {"MYBLAS_BACKEND=gpu", BACKENDS},
        {"MYBLAS_BACKEND=hos", BACKENDS},
        {"MYBLAS_BACKEND=hosts", BACKENDS},
        {"MYBLAS_MATH=FASST", MODES},
        {"MYBLAS_MATH=two\nlines", MODES},
        {"MYBLAS_WORKSPACE=512MB", BYTES},
        {"MYBLAS_WORKSPACE=-1", BYTES},
        {"MYBLAS_WORKSPACE=much", BYTES},
        {"MYBLAS_SMS=0", SMS},
        {"MYBLAS_SMS=-1", SMS},
        {"MYBLAS_SMS=96,1", SMS},
        {"MYBLAS_SMS=all", SMS},
        {"MYBLAS_NUM_THREADS=0", THREADS},
        {"MYBLAS_NUM_THREADS=2,1", THREADS},
        {"MYBLAS_NUM_THREADS=all", THREADS},
        {"MYBLAS_NUM_THREADS=-1", THREADS},
    };
    for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
        char expected[256];
        snprintf(expected,
                 sizeof expected,
                 "MYBLAS_TEST_MESSAGE=%s%s",
                 wrong[i].variable,
                 wrong[i].rule);
        for (char* c = expected; *c; ++c)
            if (*c == '\n')
                *c = ' '; // a message has one line
        const char* const environment[] = {wrong[i].variable, expected, NULL};
        assert_scenario("refusal", environment);
    }

    static const char* const empty[] = {"MYBLAS_BACKEND=",
                                        "MYBLAS_MATH=",
                                        "MYBLAS_WORKSPACE=",
                                        "MYBLAS_SMS=",
                                        "MYBLAS_NUM_THREADS=",
                                        "MYBLAS_SGEMM_KERNEL=",
                                        "MYBLAS_TUNING=",
                                        "MYBLAS_LOG=",
                                        NULL};
    assert_scenario("defaults", empty);

    static const char* const unknown[] = {"MYBLAS_BACKEND=host",
                                          "MYBLAS_SGEMM_KERNEL=no_such_kernel",
                                          "MYBLAS_COPY_KERNEL=no_such_kernel",
                                          NULL};
    assert_scenario("unknown_kernel", unknown);

    char directory[] = "/tmp/myblas_test_XXXXXX";
    assert_non_null(mkdtemp(directory));
    char log[64], variable[96], name[96];
    snprintf(log, sizeof log, "%s/log", directory);
    snprintf(variable, sizeof variable, "MYBLAS_LOG=%s", log);
    snprintf(name, sizeof name, "MYBLAS_TEST_LOG_NAME=%s", log);
    const char* const logging[] = {variable, name, NULL};
    assert_scenario("log_file", logging);
    assert_int_equal(unlink(log), 0);
    assert_int_equal(rmdir(directory), 0);
}

int main(int argc, char** argv) {
    run_requested_scenario(argc, argv, scenarios, COUNT_OF(scenarios));
    const struct CMUnitTest general[] = {
        cmocka_unit_test(test_status_names),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_environment),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_create_auto),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_workspaces_of_streams),
        cmocka_unit_test(test_workspace),
        cmocka_unit_test(test_workspace_limit),
        cmocka_unit_test(test_null_handle),
        cmocka_unit_test(test_dead_handles),
        cmocka_unit_test(test_logger_callback),
        cmocka_unit_test(test_logged_calls),
        cmocka_unit_test(test_logger_file),
    };
    return cmocka_run_group_tests_name("status", general, NULL, NULL) +
           RUN_ON_BACKENDS("handle", tests);
}
