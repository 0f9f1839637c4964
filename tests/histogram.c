// myhistogram256: every kernel, on uniform, skewed and constant bytes at every alignment.
#include "support.h"

enum { bins = 256 };

enum data { uniform, skewed, constant, steps, data_count };

static unsigned char value_of(enum data data, int64_t i) {
    switch (data) {
    case uniform:
        return (unsigned char)random_bits();
    case skewed: { // value v with probability 2^-(v + 1)
        const uint64_t bits = random_bits() | UINT64_C(1) << 63;
        return (unsigned char)__builtin_ctzll(bits);
    }
    case constant:
        return 0xC3;
    default:
        return (unsigned char)i;
    }
}

static const int64_t* expected_counts(const unsigned char* x, int64_t n) {
    static int64_t counts[bins];
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < n; ++i)
        ++counts[x[i]];
    return counts;
}

struct operands {
    struct operand x, counts, workspace;
};

static void run_histogram(myblasHandle_t handle,
                          const char* forced,
                          enum data data,
                          int64_t n,
                          size_t misaligned, // bytes
                          struct operands* o) {
    unsigned char* host = operand_place(&o->x, (size_t)n, misaligned);
    for (int64_t i = 0; i < n; ++i)
        host[i] = value_of(data, i);
    operand_upload(&o->x);
    operand_place(&o->counts, bins * sizeof(uint64_t), misaligned % 2 * 8);
    operand_upload(&o->counts);

    myblasCall_t call = empty_call(MYBLAS_ROUTINE_HISTOGRAM);
    call.n = n;
    call.A = operand_device(&o->x);
    call.C = operand_device(&o->counts);
    const bool has_workspace = lend_poisoned_workspace(handle, &call, &o->workspace);
    const char* selected = NULL;
    assert_ok(myblasSelectKernel(handle, &call, &selected));
    if (forced)
        assert_string_equal(selected, forced);
    const unsigned char* x = operand_device(&o->x);
    uint64_t* counts = operand_device(&o->counts);
    // Twice: the second call overwrites the counts of the first.
    assert_ok(myhistogram256(handle, (int)n, x, counts));
    assert_ok(myhistogram256_64(handle, n, x, counts));
    assert_last_kernel(handle, MYBLAS_ROUTINE_HISTOGRAM, selected);
    const uint64_t* found = operand_download(&o->counts);
    const int64_t* expected = expected_counts(host, n);
    for (int v = 0; v < bins; ++v) {
        if (found[v] != (uint64_t)expected[v])
            fail_msg("%s: of %lld bytes (data %d, misaligned by %zu) %llu are %d, not %lld",
                     selected,
                     (long long)n,
                     data,
                     misaligned,
                     (unsigned long long)found[v],
                     v,
                     (long long)expected[v]);
    }
    operand_assert_unchanged(&o->x);
    if (has_workspace)
        operand_download(&o->workspace);
}

static void run_histograms(myblasHandle_t handle, const char* forced) {
    static const int64_t sizes[] = {1,     2,     3,     15,     16,      17,     31,
                                    255,   256,   257,   1023,   4095,    4096,   4097,
                                    16384, 65535, 65537, 100003, 1 << 17, 300007, 1000003};
    const size_t size_count = COUNT_OF(sizes) - (reduced() ? 3 : 0);
    const struct operand empty = operand_create(handle);
    struct operands o = {empty, empty, empty};
    for (size_t i = 0; i < size_count; ++i) {
        for (int data = 0; data < data_count; ++data) {
            if (sizes[i] > 20000) {
                run_histogram(
                    handle, forced, (enum data)data, sizes[i], (i * 5 + (size_t)data) % 16, &o);
                continue;
            }
            for (size_t misaligned = 0; misaligned < 16; misaligned += reduced() ? 5 : 1)
                run_histogram(handle, forced, (enum data)data, sizes[i], misaligned, &o);
        }
    }
    operand_destroy(&o.x);
    operand_destroy(&o.counts);
    operand_destroy(&o.workspace);
}

static void test_every_kernel(void** state) {
    myblasHandle_t handle = require_handle(state);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_HISTOGRAM);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_HISTOGRAM, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        random_seed((uint64_t)i + 1);
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_HISTOGRAM, info.name));
        run_histograms(handle, info.name);
    }
}

static void test_selection(void** state) {
    random_seed(99);
    run_histograms(require_handle(state), NULL);
}

// If there are no bytes, every kernel writes zeros, without a workspace and in both pointer modes.
static void test_nothing_to_count(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct operand counts = operand_create(handle);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_HISTOGRAM);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_HISTOGRAM, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_HISTOGRAM, info.name));
        assert_ok(myblasSetWorkspace(handle, NULL, 0));
        for (int mode = MYBLAS_POINTER_MODE_HOST; mode <= MYBLAS_POINTER_MODE_DEVICE; ++mode) {
            assert_ok(myblasSetPointerMode(handle, (myblasPointerMode_t)mode));
            operand_place(&counts, bins * sizeof(uint64_t), 0);
            operand_upload(&counts);
            assert_ok(myhistogram256(handle, 0, NULL, operand_device(&counts)));
            const uint64_t* found = operand_download(&counts);
            for (int v = 0; v < bins; ++v)
                assert_true(found[v] == 0);
        }
    }
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));
    assert_ok(myblasSetStream(handle, NULL)); // back to the handle's own workspace
    operand_destroy(&counts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kernel),
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_nothing_to_count),
    };
    return RUN_ON_BACKENDS("histogram", tests);
}
