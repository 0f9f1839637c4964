// Fork, threads, dlopen and dlclose, and what is loaded when.
#include "support.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- A product whose result is known ------------------------------------------------------------

// Whether a 2 x 2 product on the handle is correct. It does not use CMocka, so children and threads
// may call it.
static bool product_is_right(myblasHandle_t handle) {
    static const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, expected[] = {23, 34, 31, 46};
    const float one = 1, zero = 0;
    float c[4] = {0, 0, 0, 0};
    void* device[3] = {NULL, NULL, NULL};
    bool ok = true;
    for (int i = 0; i < 3; ++i)
        ok = ok && myblasMalloc(handle, &device[i], sizeof c) == MYBLAS_STATUS_SUCCESS;
    ok = ok &&
         myblasSetMatrix(handle, 2, 2, sizeof(float), a, 2, device[0], 2) == MYBLAS_STATUS_SUCCESS;
    ok = ok &&
         myblasSetMatrix(handle, 2, 2, sizeof(float), b, 2, device[1], 2) == MYBLAS_STATUS_SUCCESS;
    ok = ok && mysgemm(handle,
                       MYBLAS_OP_N,
                       MYBLAS_OP_N,
                       2,
                       2,
                       2,
                       &one,
                       device[0],
                       2,
                       device[1],
                       2,
                       &zero,
                       device[2],
                       2) == MYBLAS_STATUS_SUCCESS;
    ok = ok &&
         myblasGetMatrix(handle, 2, 2, sizeof(float), device[2], 2, c, 2) == MYBLAS_STATUS_SUCCESS;
    for (int i = 0; i < 3; ++i)
        ok = myblasFree(handle, device[i]) == MYBLAS_STATUS_SUCCESS && ok;
    return ok && memcmp(c, expected, sizeof c) == 0;
}

// ---- Fork ---------------------------------------------------------------------------------------

// In a child the host backend works, and a CUDA handle answers NOT_INITIALIZED without harm.
static void test_fork(void** state) {
    skip_under_tools();
    myblasHandle_t handle = require_handle(state);
    const myblasBackend_t backend = backend_of(handle);
    assert_true(product_is_right(handle));
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const float zero = 0;
        float on_host = -77;
        if (backend == MYBLAS_BACKEND_CUDA) {
            void* memory = NULL;
            myblasHandle_t another = NULL;
            CHILD_CHECK(myblasMalloc(handle, &memory, 16) == MYBLAS_STATUS_NOT_INITIALIZED);
            CHILD_CHECK(mysum(handle, 1, &zero, 1, &on_host) == MYBLAS_STATUS_NOT_INITIALIZED);
            CHILD_CHECK(on_host == -77);
            CHILD_CHECK(myblasStreamSynchronize(handle, NULL) == MYBLAS_STATUS_NOT_INITIALIZED);
            CHILD_CHECK(myblasCreateOn(&another, MYBLAS_BACKEND_CUDA) ==
                        MYBLAS_STATUS_NOT_INITIALIZED);
        } else {
            CHILD_CHECK(product_is_right(handle));
        }
        // A new handle on the host, by its name and by the automatic choice.
        const myblasBackend_t choices[] = {MYBLAS_BACKEND_HOST, MYBLAS_BACKEND_AUTO};
        for (size_t i = 0; i < COUNT_OF(choices); ++i) {
            if (choices[i] == MYBLAS_BACKEND_AUTO && backend == MYBLAS_BACKEND_HOST)
                continue; // there the child may use a device
            myblasHandle_t fresh = NULL;
            myblasBackend_t on = MYBLAS_BACKEND_AUTO;
            CHILD_CHECK(myblasCreateOn(&fresh, choices[i]) == MYBLAS_STATUS_SUCCESS);
            CHILD_CHECK(myblasGetBackend(fresh, &on) == MYBLAS_STATUS_SUCCESS);
            CHILD_CHECK(on == MYBLAS_BACKEND_HOST);
            CHILD_CHECK(product_is_right(fresh));
            CHILD_CHECK(myblasDestroy(fresh) == MYBLAS_STATUS_SUCCESS);
        }
        _exit(0);
    }
    assert_child_succeeds(pid);
    assert_true(product_is_right(handle)); // the parent is as before
}

// A child may exit normally, with destructors, with and without destroying the handle.
static void test_exit_of_child(void** state) {
    skip_under_tools();
    myblasHandle_t handle = require_handle(state);
    for (int destroys = 0; destroys < 2; ++destroys) {
        fflush(NULL);
        const pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            if (destroys)
                (void)myblasDestroy(handle);
            exit(0);
        }
        assert_child_succeeds(pid);
    }
    assert_true(product_is_right(handle));
}

// ---- Fork while the logger is at work -----------------------------------------------------------

static _Thread_local bool sits_in_callback = false, forks_in_callback = false;
static pthread_barrier_t callback_entered, callback_may_leave;
static int message_count = 0; // of threads that just pass
static pid_t child_of_callback = -1;

static void log_callback(const char* message) {
    (void)message;
    if (sits_in_callback) {
        pthread_barrier_wait(&callback_entered);
        pthread_barrier_wait(&callback_may_leave);
    } else if (forks_in_callback) {
        forks_in_callback = false;
        child_of_callback = fork();
    } else {
        ++message_count;
    }
}

static void* sit_in_callback(void* unused) {
    (void)unused;
    sits_in_callback = true;
    (void)myblasGetVersion(NULL, NULL); // is refused, and says so
    return NULL;
}

// Creates a handle, computes and exits normally; a signal ends a child that hangs.
static void leave_after_work(void) {
    alarm(60);
    myblasHandle_t handle = NULL;
    CHILD_CHECK(myblasCreateOn(&handle, MYBLAS_BACKEND_HOST) == MYBLAS_STATUS_SUCCESS);
    CHILD_CHECK(product_is_right(handle));
    CHILD_CHECK(message_count > 0);
    exit(0);
}

// The thread that holds the logger's lock does not exist in the child.
static void test_fork_beside_callback(void** state) {
    skip_under_tools();
    (void)require_handle(state);
    assert_int_equal(pthread_barrier_init(&callback_entered, NULL, 2), 0);
    assert_int_equal(pthread_barrier_init(&callback_may_leave, NULL, 2), 0);
    message_count = 0;
    assert_ok(myblasSetLoggerCallback(log_callback));
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, sit_in_callback, NULL), 0);
    pthread_barrier_wait(&callback_entered);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0)
        leave_after_work();
    int status = -1;
    const bool waited = pid > 0 && waitpid(pid, &status, 0) == pid;
    pthread_barrier_wait(&callback_may_leave); // even if the child failed
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_ok(myblasSetLoggerCallback(NULL));
    assert_true(waited);
    assert_int_equal(status, 0);
    pthread_barrier_destroy(&callback_entered);
    pthread_barrier_destroy(&callback_may_leave);
}

// The thread that holds the lock calls fork: in the child it continues, and unlocks it.
static void test_fork_in_callback(void** state) {
    skip_under_tools();
    (void)require_handle(state);
    message_count = 0;
    child_of_callback = -1;
    forks_in_callback = true;
    assert_ok(myblasSetLoggerCallback(log_callback));
    fflush(NULL);
    (void)myblasGetVersion(NULL, NULL);
    if (child_of_callback == 0)
        leave_after_work();
    assert_ok(myblasSetLoggerCallback(NULL));
    assert_true(child_of_callback > 0);
    assert_child_succeeds(child_of_callback);
}

// ---- The first call of a thread -----------------------------------------------------------------

// C = A B for squares that every kernel may take, in a workspace or without.
struct call_of_thread {
    myblasHandle_t handle;
    const float *a, *b;
    float* c;
    int n;
    myblasStatus_t status;
};

static void* call_in_thread(void* argument) {
    struct call_of_thread* x = argument;
    const float one = 1, zero = 0;
    x->status = mysgemm(x->handle,
                        MYBLAS_OP_N,
                        MYBLAS_OP_N,
                        x->n,
                        x->n,
                        x->n,
                        &one,
                        x->a,
                        x->n,
                        x->b,
                        x->n,
                        &zero,
                        x->c,
                        x->n);
    return NULL;
}

// In a new thread nothing of CUDA is set up. Each kernel has the same status and the same bits
// there as in the thread that created the handle.
static void test_first_call_of_thread(void** state) {
    enum { n = 128 };
    myblasHandle_t handle = require_handle(state);
    struct operand a = operand_create(handle), b = a, c = a;
    struct operand* const inputs[] = {&a, &b};
    for (size_t i = 0; i < COUNT_OF(inputs); ++i) {
        float* values = operand_place(inputs[i], n * n * sizeof(float), 0);
        for (int j = 0; j < n * n; ++j)
            values[j] = random_integer();
        operand_upload(inputs[i]);
    }
    operand_place(&c, n * n * sizeof(float), 0);
    struct call_of_thread x = {
        handle, operand_device(&a), operand_device(&b), operand_device(&c), n, 0};
    assert_ok(myblasSetMathMode(handle, MYBLAS_FP32_FAST_MATH));
    int computed = 0;
    for (int has_workspace = 1; has_workspace >= 0; --has_workspace) {
        assert_ok(myblasSetStream(handle, NULL));
        if (!has_workspace)
            assert_ok(myblasSetWorkspace(handle, NULL, 0));
        for (int k = 0; k < kernel_count(handle, MYBLAS_ROUTINE_SGEMM); ++k) {
            const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, k);
            if (!kernel_fits_device(handle, &info))
                continue;
            assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, info.name));
            operand_upload(&c);
            call_in_thread(&x);
            const myblasStatus_t here = x.status;
            float right[n * n];
            memcpy(right, operand_download(&c), sizeof right);
            operand_upload(&c);
            pthread_t thread;
            assert_int_equal(pthread_create(&thread, NULL, call_in_thread, &x), 0);
            assert_int_equal(pthread_join(thread, NULL), 0);
            if (x.status != here)
                fail_msg("%s: %s, but %s in a new thread",
                         info.name,
                         myblasGetStatusName(here),
                         myblasGetStatusName(x.status));
            assert_memory_equal(operand_download(&c), right, sizeof right); // integers: exact
            computed += here == MYBLAS_STATUS_SUCCESS;
        }
    }
    assert_true(computed > 0 || !is_whole_test());
    operand_destroy(&a);
    operand_destroy(&b);
    operand_destroy(&c);
}

// ---- Threads ------------------------------------------------------------------------------------

struct worker {
    pthread_t thread;
    myblasBackend_t backend;
    int right;
};

enum { rounds = 200 };

static void* work(void* argument) {
    struct worker* worker = argument;
    myblasHandle_t handle = NULL;
    myblasStream_t stream = NULL;
    if (myblasCreateOn(&handle, worker->backend) != MYBLAS_STATUS_SUCCESS)
        return NULL;
    if (myblasStreamCreate(handle, &stream) == MYBLAS_STATUS_SUCCESS &&
        myblasSetStream(handle, stream) == MYBLAS_STATUS_SUCCESS) {
        for (int i = 0; i < rounds; ++i)
            worker->right += product_is_right(handle);
        if (myblasStreamDestroy(handle, stream) != MYBLAS_STATUS_SUCCESS)
            worker->right = -1;
    }
    if (myblasDestroy(handle) != MYBLAS_STATUS_SUCCESS)
        worker->right = -1;
    return NULL;
}

static void test_threads(void** state) {
    const myblasBackend_t backend = backend_of(require_handle(state));
    skip_outside_share();
    struct worker workers[4];
    for (size_t i = 0; i < COUNT_OF(workers); ++i) {
        workers[i] = (struct worker){.backend = backend};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < COUNT_OF(workers); ++i) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_int_equal(workers[i].right, rounds);
    }
}

// ---- Two GPUs -----------------------------------------------------------------------------------

// Functions of the driver, which the tests are not linked with; false: there is no driver.
static struct {
    int (*count_devices)(int* count);
    int (*retain)(void** context, int device);
    int (*release)(int device);
    int (*set_current)(void* context);
    int (*get_current)(void** context);
} driver;

static bool find_driver(void) {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return false;
    *(void**)&driver.count_devices = dlsym(library, "cuDeviceGetCount");
    *(void**)&driver.retain = dlsym(library, "cuDevicePrimaryCtxRetain");
    *(void**)&driver.release = dlsym(library, "cuDevicePrimaryCtxRelease");
    *(void**)&driver.set_current = dlsym(library, "cuCtxSetCurrent");
    *(void**)&driver.get_current = dlsym(library, "cuCtxGetCurrent");
    dlclose(library); // libmyblas keeps it
    return driver.count_devices && driver.retain && driver.release && driver.set_current &&
           driver.get_current;
}

struct user_of_gpu_1 {
    void* context; // that is current before the call; NULL: none
    myblasHandle_t handle;
    bool is_right, is_context_kept;
};

static void* create_on_gpu_1(void* argument) {
    struct user_of_gpu_1* x = argument;
    void* context = NULL;
    if (driver.retain(&context, 1) == 0 && driver.set_current(context) == 0 &&
        myblasCreateOn(&x->handle, MYBLAS_BACKEND_CUDA) != MYBLAS_STATUS_SUCCESS)
        x->handle = NULL;
    return NULL;
}

static void* multiply_on_gpu_1(void* argument) {
    struct user_of_gpu_1* x = argument;
    void* current = NULL;
    const bool is_set = !x->context || driver.set_current(x->context) == 0;
    x->is_right = is_set && product_is_right(x->handle);
    x->is_context_kept = driver.get_current(&current) == 0 && current == x->context;
    return NULL;
}

// A handle of GPU 1 computes there in every thread. The context that is current is so afterwards:
// that of GPU 0, and none in a thread that has not used CUDA.
static void test_handle_of_gpu_1(void** state) {
    int devices = 0;
    if (backend_of(require_handle(state)) != MYBLAS_BACKEND_CUDA || !find_driver() ||
        driver.count_devices(&devices) != 0 || devices < 2)
        skip();
    struct user_of_gpu_1 x = {.context = NULL};
    void* context_of_0 = NULL;
    pthread_t thread;
    assert_int_equal(driver.retain(&context_of_0, 0), 0);
    assert_int_equal(pthread_create(&thread, NULL, create_on_gpu_1, &x), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_non_null(x.handle);
    for (int has_context = 0; has_context <= 1; ++has_context) {
        x.context = has_context ? context_of_0 : NULL;
        assert_int_equal(pthread_create(&thread, NULL, multiply_on_gpu_1, &x), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(x.is_right);
        assert_true(x.is_context_kept);
    }
    assert_ok(myblasDestroy(x.handle));
    assert_int_equal(driver.release(1), 0);
    assert_int_equal(driver.release(0), 0);
}

// ---- Loading: in separate processes -------------------------------------------------------------

// The library that this program is linked with, which scenarios load again under its own name.
static const char* library_file(void) {
    Dl_info info;
    assert_true(dladdr((void*)myblasGetVersion, &info) != 0);
    return info.dli_fname;
}

// The library loads nothing before the first handle, and a host handle loads no driver.
static void load_nothing(void) {
    assert_true(is_mapped("libmyblas.so"));
    assert_true(reduced() || !is_mapped("libcuda.so")); // tools bring it along
    int count = 0;
    assert_ok(myblasGetKernelCount(MYBLAS_BACKEND_CUDA, MYBLAS_ROUTINE_SGEMM, &count));
    assert_true(reduced() || !is_mapped("libcuda.so")); // tools bring it along
    assert_false(is_mapped("libopenblas"));
    myblasHandle_t handle = NULL;
    assert_ok(myblasCreateOn(&handle, MYBLAS_BACKEND_HOST));
    assert_true(product_is_right(handle));
    assert_ok(myblasDestroy(handle));
    assert_true(reduced() || !is_mapped("libcuda.so")); // tools bring it along
    assert_false(is_mapped("libcudart.so"));
}

// The process ends while handles are alive.
static void exit_with_handles(void) {
    myblasHandle_t host = NULL, other = NULL;
    assert_ok(myblasCreateOn(&host, MYBLAS_BACKEND_HOST));
    assert_true(product_is_right(host));
    assert_ok(myblasCreate(&other));
    assert_true(product_is_right(other));
}

static const struct scenario scenarios[] = {
    {"load_nothing", load_nothing},
    {"exit_with_handles", exit_with_handles},
};

static void test_loading(void** state) {
    (void)state;
    static const char* const none[] = {NULL};
    static const char* const host[] = {"MYBLAS_BACKEND=host", NULL};
    assert_scenario("load_nothing", none);
    assert_scenario("load_nothing", host);
    assert_scenario("exit_with_handles", none);
    assert_scenario("exit_with_handles", host);
}

// dlopen, call, dlclose, repeatedly, in a program that is not linked with the library.
static void test_reloading(void** state) {
    (void)state;
    static const char* const environments[][3] = {{"MYBLAS_BACKEND=host", "MYBLAS_NUM_THREADS=3"},
                                                  {"MYBLAS_BACKEND=auto"}};
    char loader[4096];
    const ssize_t length = readlink("/proc/self/exe", loader, sizeof loader - 16);
    assert_true(length > 0);
    loader[length] = '\0';
    char* name = strrchr(loader, '/');
    assert_non_null(name);
    strcpy(name, "/test_loader");
    const char* const arguments[] = {library_file(), NULL};
    for (size_t i = 0; i < COUNT_OF(environments); ++i)
        assert_program(loader, arguments, environments[i]);
}

int main(int argc, char** argv) {
    run_requested_scenario(argc, argv, scenarios, COUNT_OF(scenarios));
    const struct CMUnitTest loading[] = {
        cmocka_unit_test(test_loading),
        cmocka_unit_test(test_reloading),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_exit_of_child),
        cmocka_unit_test(test_fork_beside_callback),
        cmocka_unit_test(test_fork_in_callback),
        cmocka_unit_test(test_first_call_of_thread),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_handle_of_gpu_1),
    };
    return cmocka_run_group_tests_name("loading", loading, NULL, NULL) +
           RUN_ON_BACKENDS("lifecycle", tests);
}
