#include "support.h"

#include <dlfcn.h>
#include <fnmatch.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- Backends -----------------------------------------------------------------------------------

struct fixture {
    myblasHandle_t handle; // NULL: the backend is not available
};

extern char** environ;

static bool environment_says(const char* name, const char* word) {
    const char* value = getenv(name);
    return value && strcmp(value, word) == 0;
}

// MYBLAS_TEST_FILTER names the tests to run, with * and ?, for tools that make a program slow.
__attribute__((constructor)) static void choose_tests(void) {
    const char* filter = getenv("MYBLAS_TEST_FILTER");
    if (filter)
        cmocka_set_test_filter(filter);
}

bool minimal(void) { return environment_says("MYBLAS_TEST_REDUCED", "2"); }
bool reduced(void) { return minimal() || environment_says("MYBLAS_TEST_REDUCED", "1"); }

bool left_out(unsigned keep_one_in) {
    static uint32_t state = 1; // a generator of its own, so that random operands stay the same
    if (!reduced())
        return false;
    if (minimal())
        keep_one_in *= 2;
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % keep_one_in != 0;
}

void skip_under_tools(void) {
    if (reduced())
        skip();
}

static bool is_library_variable(const char* entry) {
    return strncmp(entry, "MYBLAS_", 7) == 0 && strncmp(entry, "MYBLAS_TEST_", 12) != 0;
}

void clear_environment(void) {
    char** kept = environ;
    for (char** entry = environ; *entry; ++entry) {
        if (!is_library_variable(*entry))
            *kept++ = *entry;
    }
    *kept = NULL;
}

static int setup(void** state, myblasBackend_t backend) {
    clear_environment();
    struct fixture* fixture = calloc(1, sizeof *fixture);
    if (!fixture)
        return -1;
    if (backend == MYBLAS_BACKEND_HOST && minimal()) {
        *state = fixture;
        return 0;
    }
    const myblasStatus_t status = myblasCreateOn(&fixture->handle, backend);
    *state = fixture;
    if (status == MYBLAS_STATUS_SUCCESS)
        return 0;
    fixture->handle = NULL;
    const bool may_be_missing = backend == MYBLAS_BACKEND_CUDA &&
                                status == MYBLAS_STATUS_NOT_INITIALIZED &&
                                !environment_says("MYBLAS_TEST_REQUIRE_GPU", "1");
    return may_be_missing ? 0 : -1;
}

int setup_host(void** state) { return setup(state, MYBLAS_BACKEND_HOST); }
int setup_cuda(void** state) { return setup(state, MYBLAS_BACKEND_CUDA); }

int teardown_backend(void** state) {
    struct fixture* fixture = *state;
    const bool ok = !fixture->handle || myblasDestroy(fixture->handle) == MYBLAS_STATUS_SUCCESS;
    free(fixture);
    return ok ? 0 : -1;
}

myblasHandle_t require_handle(void** state) {
    const struct fixture* fixture = *state;
    if (!fixture->handle)
        skip();
    divide_anew();
    assert_ok(myblasSetStream(fixture->handle, NULL));
    assert_ok(myblasSetPointerMode(fixture->handle, MYBLAS_POINTER_MODE_HOST));
    assert_ok(myblasSetMathMode(fixture->handle, MYBLAS_FP32_STRICT_MATH));
    for (int routine = 0; routine < MYBLAS_ROUTINE_COUNT; ++routine)
        assert_ok(myblasForceKernel(fixture->handle, (myblasRoutine_t)routine, NULL));
    return fixture->handle;
}

myblasBackend_t backend_of(myblasHandle_t handle) {
    myblasBackend_t backend = MYBLAS_BACKEND_AUTO;
    assert_ok(myblasGetBackend(handle, &backend));
    return backend;
}

// ---- Kernels ------------------------------------------------------------------------------------

int kernel_count(myblasHandle_t handle, myblasRoutine_t routine) {
    int count = 0;
    assert_ok(myblasGetKernelCount(backend_of(handle), routine, &count));
    assert_true(count > 0);
    return count;
}

myblasKernelInfo_t kernel_info(myblasHandle_t handle, myblasRoutine_t routine, int index) {
    myblasKernelInfo_t info = {.size_bytes = sizeof info};
    assert_ok(myblasGetKernelInfo(backend_of(handle), routine, index, &info));
    return info;
}

// An attribute of device 0, read from the driver that the library has loaded.
static int device_attribute(int attribute) {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(driver);
    int (*get_attribute)(int*, int, int) = NULL;
    *(void**)&get_attribute = dlsym(driver, "cuDeviceGetAttribute");
    assert_non_null(get_attribute);
    int value = 0;
    assert_int_equal(get_attribute(&value, attribute, 0), 0);
    dlclose(driver);
    return value;
}

struct shard {
    unsigned index, count;
};

static struct shard shard(void) {
    const char* text = getenv("MYBLAS_TEST_SHARD");
    struct shard s = {0, 1};
    if (text && (sscanf(text, "%u/%u", &s.index, &s.count) != 2 || s.index >= s.count))
        fail_msg("MYBLAS_TEST_SHARD is %s, not a number and a count", text);
    return s;
}

// Patterns for kernels; NULL: all kernels are tested.
static const char* wanted_kernels(void) {
    const char* patterns = getenv("MYBLAS_TEST_KERNELS");
    return patterns && *patterns ? patterns : NULL;
}

bool is_wanted(const char* kernel) {
    const char* at = wanted_kernels();
    bool found = !at;
    while (!found && *at) {
        char pattern[64];
        const int length = (int)strcspn(at, " ");
        if (snprintf(pattern, sizeof pattern, "%.*s", length, at) >= (int)sizeof pattern)
            fail_msg("MYBLAS_TEST_KERNELS has a pattern of more than 63 characters");
        found = fnmatch(pattern, kernel, 0) == 0;
        at += length + (int)strspn(at + length, " ");
    }
    return found;
}

bool is_whole_test(void) { return !wanted_kernels() && shard().count == 1; }

// The kernels that were tested, for tests/sanitize_gpu.py.
static struct {
    int count;
    const char* names[300];
} tested;

static void note_tested(const char* kernel) {
    for (int i = 0; i < tested.count; ++i)
        if (strcmp(tested.names[i], kernel) == 0)
            return;
    assert_true(tested.count < (int)COUNT_OF(tested.names));
    tested.names[tested.count++] = kernel;
}

__attribute__((destructor)) static void print_tested(void) {
    if (!wanted_kernels())
        return;
    printf("kernels tested:");
    for (int i = 0; i < tested.count; ++i)
        printf(" %s", tested.names[i]);
    printf("\n");
}

static struct {
    unsigned before; // parts of earlier tests
    unsigned count;
    char names[300][32];
} parts;

void divide_anew(void) {
    parts.before += parts.count;
    parts.count = 0;
}

bool is_in_share(const char* part) {
    const struct shard s = shard();
    if (!part && wanted_kernels())
        return false;
    const char* name = part ? part : "";
    unsigned number = 0;
    while (number < parts.count && strcmp(parts.names[number], name) != 0)
        ++number;
    assert_true(number < COUNT_OF(parts.names) && strlen(name) < sizeof parts.names[0]);
    if (number == parts.count)
        strcpy(parts.names[parts.count++], name);
    return (parts.before + number) % s.count == s.index;
}

void skip_outside_share(void) {
    if (!is_in_share(NULL))
        skip();
}

bool device_has_kernel(myblasHandle_t handle, const myblasKernelInfo_t* info) {
    enum { major_attribute = 75, minor_attribute = 76, smem_per_block_attribute = 97 };
    if (backend_of(handle) == MYBLAS_BACKEND_HOST)
        return true;
    const int arch = device_attribute(major_attribute) * 10 + device_attribute(minor_attribute);
    return arch >= info->min_arch && (info->max_arch == 0 || arch <= info->max_arch) &&
           (int)info->smem_bytes <= device_attribute(smem_per_block_attribute);
}

bool kernel_fits_device(myblasHandle_t handle, const myblasKernelInfo_t* info) {
    if (!is_wanted(info->name) || !is_in_share(info->name) || !device_has_kernel(handle, info))
        return false;
    if (wanted_kernels())
        note_tested(info->name);
    return true;
}

bool is_one_of(const char* kernel, const char* accepted) {
    while (kernel && *accepted) {
        const size_t length = strcspn(accepted, " ");
        if (strncmp(kernel, accepted, length) == 0 &&
            (kernel[length] == '\0' || kernel[length] == '/'))
            return true;
        accepted += length + strspn(accepted + length, " ");
    }
    return false;
}

void assert_last_kernel(myblasHandle_t handle, myblasRoutine_t routine, const char* name) {
    const char* last = NULL;
    assert_ok(myblasGetLastKernel(handle, routine, &last));
    assert_non_null(last);
    assert_string_equal(last, name);
}

myblasCall_t empty_call(myblasRoutine_t routine) {
    myblasCall_t call;
    memset(&call, 0, sizeof call);
    call.size_bytes = sizeof call;
    call.routine = routine;
    return call;
}

bool lend_poisoned_workspace(myblasHandle_t handle,
                             const myblasCall_t* call,
                             struct operand* workspace) {
    size_t bytes = 0;
    const myblasStatus_t status = myblasGetWorkspaceSize(handle, call, &bytes);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED || bytes == 0) {
        assert_ok(myblasSetWorkspace(handle, NULL, 0));
        return false;
    }
    assert_int_equal(status, MYBLAS_STATUS_SUCCESS);
    // A workspace starts at a multiple of 256 bytes. On the host, operands end at the end of a
    // page, so the size has to be such a multiple.
    const bool on_host = backend_of(handle) == MYBLAS_BACKEND_HOST;
    operand_place(workspace, on_host ? (bytes + 255) / 256 * 256 : bytes, 0);
    operand_upload(workspace);
    assert_ok(myblasSetWorkspace(handle, operand_device(workspace), bytes));
    return true;
}

// ---- Operands -----------------------------------------------------------------------------------

enum { guard_bytes = 256 };

struct operand operand_create(myblasHandle_t handle) {
    return (struct operand){.handle = handle};
}

static void release_device(struct operand* o) {
    if (!o->memory)
        return;
    if (backend_of(o->handle) == MYBLAS_BACKEND_HOST)
        munmap(o->memory, o->capacity + (size_t)sysconf(_SC_PAGESIZE));
    else
        assert_ok(myblasFree(o->handle, o->memory));
    o->memory = NULL;
    o->capacity = 0;
}

void operand_destroy(struct operand* o) {
    release_device(o);
    free(o->sent);
    free(o->found);
    *o = (struct operand){0};
}

static void reserve_host_pages(struct operand* o, size_t bytes) {
    if (o->capacity >= bytes)
        return;
    release_device(o);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t capacity = (bytes + page - 1) / page * page;
    void* memory =
        mmap(NULL, capacity + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    o->memory = memory;
    o->capacity = capacity;
    assert_int_equal(mprotect(o->memory + capacity, page, PROT_NONE), 0);
}

static void reserve_device(struct operand* o, size_t bytes) {
    if (o->capacity >= bytes && !reduced())
        return;
    release_device(o);
    void* memory = NULL;
    const myblasStatus_t status = myblasMalloc(o->handle, &memory, bytes);
    if (status != MYBLAS_STATUS_SUCCESS)
        fail_msg("%zu bytes of device memory: %s", bytes, myblasGetStatusString(status));
    o->memory = memory;
    o->capacity = bytes;
}

void* operand_place(struct operand* o, size_t bytes, size_t misalignment) {
    o->bytes = bytes;
    o->front = guard_bytes;
    if (backend_of(o->handle) == MYBLAS_BACKEND_HOST) {
        reserve_host_pages(o, guard_bytes + bytes + 16);
        o->begin = (o->capacity - bytes) / 16 * 16 + misalignment;
        if (o->begin > o->capacity - bytes)
            o->begin -= 16;
        o->back = o->capacity - bytes - o->begin;
    } else {
        o->begin = guard_bytes + misalignment;
        o->back = reduced() ? 0 : guard_bytes;
        reserve_device(o, o->begin + bytes + o->back);
    }

    const size_t window = o->front + bytes + o->back;
    if (o->host_capacity < window) {
        free(o->sent);
        free(o->found);
        o->sent = malloc(window);
        o->found = malloc(window);
        assert_non_null(o->sent);
        assert_non_null(o->found);
        o->host_capacity = window;
    }
    memset(o->sent, 0xFF, window);
    return o->sent + o->front;
}

void operand_upload(struct operand* o) {
    assert_ok(myblasSetVector_64(o->handle,
                                 (int64_t)(o->front + o->bytes + o->back),
                                 1,
                                 o->sent,
                                 1,
                                 o->memory + o->begin - o->front,
                                 1));
}

void* operand_device(const struct operand* o) { return o->memory + o->begin; }

void* operand_download(struct operand* o) {
    const size_t window = o->front + o->bytes + o->back;
    assert_ok(myblasGetVector_64(
        o->handle, (int64_t)window, 1, o->memory + o->begin - o->front, 1, o->found, 1));
    assert_memory_equal(o->found, o->sent, o->front);
    const size_t end = o->front + o->bytes;
    if (o->back)
        assert_memory_equal(o->found + end, o->sent + end, o->back);
    return o->found + o->front;
}

void operand_assert_unchanged(struct operand* o) {
    const void* found = operand_download(o);
    if (o->bytes)
        assert_memory_equal(found, o->sent + o->front, o->bytes);
}

void operand_assert_padding(
    const struct operand* o, int64_t rows, int64_t cols, int64_t ld, size_t element_bytes) {
    const size_t padding = (size_t)(ld - rows) * element_bytes;
    if (padding == 0)
        return;
    for (int64_t j = 0; j + 1 < cols; ++j) {
        const size_t at = o->front + (size_t)(j * ld + rows) * element_bytes;
        if (memcmp(o->found + at, o->sent + at, padding) != 0)
            fail_msg("the padding after column %lld was written", (long long)j);
    }
}

size_t matrix_bytes(int64_t rows, int64_t cols, int64_t ld, size_t element_bytes) {
    return rows == 0 || cols == 0 ? 0 : (size_t)((cols - 1) * ld + rows) * element_bytes;
}

const float* sent(const struct operand* o) { return (const float*)(o->sent + o->front); }

size_t span(int64_t n, int64_t inc) {
    return n <= 0 ? 0 : (size_t)((n - 1) * (inc < 0 ? -inc : inc) + 1);
}

int64_t position(int64_t i, int64_t n, int64_t inc) {
    return inc < 0 ? (i - n + 1) * inc : i * inc;
}

// ---- Data ---------------------------------------------------------------------------------------

static uint64_t random_state = 1;

void random_seed(uint64_t seed) { random_state = seed; }

// splitmix64
uint64_t random_bits(void) {
    uint64_t z = (random_state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

int64_t random_between(int64_t low, int64_t high) {
    return low + (int64_t)(random_bits() % (uint64_t)(high - low + 1));
}

float random_float(void) { return (float)((double)(random_bits() >> 40) * 0x1p-23 - 1.0); }

float random_integer(void) { return (float)random_between(-3, 3); }

// ---- Child processes ----------------------------------------------------------------------------

// The child's exit status, or 128 and the signal that ended it.
static int wait_for(pid_t pid) {
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void (*requested_scenario)(void);

static void test_scenario(void** state) {
    (void)state;
    requested_scenario();
}

void run_requested_scenario(int argc, char** argv, const struct scenario* scenarios, size_t count) {
    if (argc != 3 || strcmp(argv[1], "--scenario") != 0)
        return;
    for (size_t i = 0; i < count && !requested_scenario; ++i) {
        if (strcmp(argv[2], scenarios[i].name) == 0)
            requested_scenario = scenarios[i].run;
    }
    if (!requested_scenario) {
        fprintf(stderr, "unknown scenario %s\n", argv[2]);
        exit(2);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenario)};
    exit(cmocka_run_group_tests_name(argv[2], tests, NULL, NULL));
}

void assert_scenario(const char* name, const char* const* environment) {
    const char* const arguments[] = {"--scenario", name, NULL};
    assert_program("/proc/self/exe", arguments, environment);
}

void assert_program(const char* program,
                    const char* const* arguments,
                    const char* const* environment) {
    enum { max_arguments = 8 };
    char* argv[max_arguments + 2] = {(char*)program};
    for (int i = 0; arguments[i]; ++i) {
        assert_true(i < max_arguments);
        argv[i + 1] = (char*)arguments[i];
    }
    // The child's output would look like results of this test, so it is shown only if the child
    // fails.
    FILE* output = tmpfile();
    assert_non_null(output);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(fileno(output), STDOUT_FILENO);
        dup2(fileno(output), STDERR_FILENO);
        clear_environment();
        for (; environment && *environment; ++environment)
            putenv((char*)*environment);
        execv(program, argv);
        _exit(127);
    }
    const int status = wait_for(pid);
    char line[1024];
    rewind(output);
    while (status != 0 && fgets(line, sizeof line, output))
        print_message("  | %s", line);
    fclose(output);
    if (status != 0)
        fail_msg("%s %s: status %d", program, arguments[0] ? argv[2] : "", status);
}

bool is_mapped(const char* text) {
    FILE* maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    char line[4096];
    bool found = false;
    while (!found && fgets(line, sizeof line, maps)) {
        const char* path = strchr(line, '/');
        found = path && strstr(path, text);
    }
    fclose(maps);
    return found;
}

void assert_child_succeeds(int pid) { assert_int_equal(wait_for(pid), 0); }
