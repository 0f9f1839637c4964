// The cuda backend where CUDA cannot be used: stand-ins for libcuda.so.1 come first on the library
// path of a child process. This machine's own driver is never loaded.
#include "support.h"

#include <unistd.h>

static char messages[4096];

static void keep_messages(const char* message) {
    const size_t used = strlen(messages);
    snprintf(messages + used, sizeof messages - used, "%s\n", message);
}

static void assert_host_works(myblasHandle_t handle) {
    assert_int_equal(backend_of(handle), MYBLAS_BACKEND_HOST);
    const float x[] = {1, 2, 3, 4};
    float result = 0;
    assert_ok(mysum(handle, 4, x, 1, &result));
    assert_true(result == 10);
    assert_ok(myblasDestroy(handle));
}

static void expect_no_cuda(void) {
    const char* reason = getenv("MYBLAS_TEST_REASON");
    const char* standin = getenv("MYBLAS_TEST_STANDIN");
    assert_non_null(reason);
    assert_non_null(standin);
    assert_ok(myblasSetLoggerCallback(keep_messages));
    for (int round = 0; round < 2; ++round) {
        messages[0] = '\0';
        myblasHandle_t handle = NULL;
        assert_status(NOT_INITIALIZED, myblasCreateOn(&handle, MYBLAS_BACKEND_CUDA));
        assert_null(handle);
        assert_non_null(strstr(messages, "MYBLAS_STATUS_NOT_INITIALIZED"));
        if (!strstr(messages, reason))
            fail_msg("the log says \"%s\", not \"%s\"", messages, reason);
        assert_ok(myblasCreateOn(&handle, MYBLAS_BACKEND_AUTO));
        assert_host_works(handle);
        assert_ok(myblasCreate(&handle));
        assert_host_works(handle);
        setenv("MYBLAS_BACKEND", "cuda", 1);
        handle = NULL;
        assert_status(NOT_INITIALIZED, myblasCreate(&handle));
        assert_null(handle);
        unsetenv("MYBLAS_BACKEND");
    }
    // The stand-in has answered, and no other driver.
    char maps[8192];
    FILE* file = fopen("/proc/self/maps", "r");
    assert_non_null(file);
    while (fgets(maps, sizeof maps, file)) {
        if (strstr(maps, "libcuda.so"))
            assert_non_null(strstr(maps, standin));
    }
    fclose(file);
}

static const struct scenario scenarios[] = {{"no_cuda", expect_no_cuda}};

static void run_with_library_path(const char* directory, const char* reason) {
    char path[8192], expected[256], standin[8192];
    const char* old = getenv("LD_LIBRARY_PATH");
    snprintf(
        path, sizeof path, "LD_LIBRARY_PATH=%s%s%s", directory, old ? ":" : "", old ? old : "");
    snprintf(expected, sizeof expected, "MYBLAS_TEST_REASON=%s", reason);
    snprintf(standin, sizeof standin, "MYBLAS_TEST_STANDIN=%s", directory);
    const char* const environment[] = {path, expected, standin, NULL};
    assert_scenario("no_cuda", environment);
}

// The stand-ins lie beside this program.
static void run_with_standin(const char* name, const char* reason) {
    char directory[4096];
    const ssize_t length = readlink("/proc/self/exe", directory, sizeof directory / 2);
    assert_true(length > 0);
    directory[length] = '\0';
    char* program = strrchr(directory, '/');
    assert_non_null(program);
    snprintf(program, sizeof directory / 2, "/standin/%s", name);
    char file[4200];
    snprintf(file, sizeof file, "%s/libcuda.so.1", directory);
    assert_int_equal(access(file, R_OK), 0);
    run_with_library_path(directory, reason);
}

static void test_old_driver(void** state) {
    (void)state;
    run_with_standin("old_driver", "no CUDA driver, or it is older than this library needs");
}

static void test_no_device(void** state) {
    (void)state;
    run_with_standin("no_device", "no CUDA device");
}

static void test_failing_driver(void** state) {
    (void)state;
    run_with_standin("failing_driver", "cudaErrorUnknown");
}

// A driver that starts and then answers every call with an error.
static void test_broken_driver(void** state) {
    (void)state;
    run_with_standin("broken_driver", "cudaErrorInitializationError");
}

// A file with the driver's name that is no library ends the loader's search, like a missing driver.
static void test_no_driver(void** state) {
    (void)state;
    char directory[] = "/tmp/myblas_test_XXXXXX";
    assert_non_null(mkdtemp(directory));
    char name[64];
    snprintf(name, sizeof name, "%s/libcuda.so.1", directory);
    FILE* file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs("This is not a library.\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    run_with_library_path(directory, "no CUDA driver, or it is older than this library needs");
    assert_int_equal(unlink(name), 0);
    assert_int_equal(rmdir(directory), 0);
}

int main(int argc, char** argv) {
    run_requested_scenario(argc, argv, scenarios, COUNT_OF(scenarios));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_old_driver),
        cmocka_unit_test(test_no_device),
        cmocka_unit_test(test_failing_driver),
        cmocka_unit_test(test_broken_driver),
        cmocka_unit_test(test_no_driver),
    };
    return cmocka_run_group_tests_name("no driver", tests, NULL, NULL);
}
