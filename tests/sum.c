// mysum, mysasum and mydsum: every kernel, on data that is easy and hard to add.
#include "support.h"

#include <math.h>

// ---- Data ---------------------------------------------------------------------------------------

enum data { integers, alternating, positive, geometric, cancelling, data_count };

static double value_of(enum data data, int64_t i, int64_t n) {
    switch (data) {
    case integers:
        return (double)random_integer();
    case alternating:
        return i % 2 ? -1 - random_float() : 1 + random_float();
    case positive:
        return 1.5 + random_float();
    case geometric:
        return ldexp(1.0 + 0.25 * (double)random_float(), (int)(-(i % 60)));
    default: // cancelling: the second half takes back the first, out of order
        return (i < n / 2 ? 1 : -1) * (1 + (double)((i % (n / 2 + 1)) * 7919 % 1021) / 1021);
    }
}

// The three routines through one table; elements are double here and rounded where they are stored.
enum routine { sum, asum, dsum, routine_count };

static bool is_double(enum routine routine) { return routine == dsum; }

static myblasRoutine_t routine_id(enum routine routine) {
    return is_double(routine) ? MYBLAS_ROUTINE_DSUM : MYBLAS_ROUTINE_SUM;
}

static myblasStatus_t call_sum(enum routine routine,
                               myblasHandle_t handle,
                               int64_t n,
                               const void* x,
                               int64_t incx,
                               void* result,
                               bool wide) {
    switch (routine) {
    case sum:
        return wide ? mysum_64(handle, n, x, incx, result)
                    : mysum(handle, (int)n, x, (int)incx, result);
    case asum:
        return wide ? mysasum_64(handle, n, x, incx, result)
                    : mysasum(handle, (int)n, x, (int)incx, result);
    default:
        return wide ? mydsum_64(handle, n, x, incx, result)
                    : mydsum(handle, (int)n, x, (int)incx, result);
    }
}

static double load(enum routine routine, const void* memory) {
    float single;
    double value;
    if (is_double(routine)) {
        memcpy(&value, memory, sizeof value);
        return value;
    }
    memcpy(&single, memory, sizeof single);
    return single;
}

static size_t element_bytes(enum routine routine) {
    return is_double(routine) ? sizeof(double) : sizeof(float);
}

// ---- One kernel ---------------------------------------------------------------------------------

struct sum_case {
    enum routine routine;
    enum data data;
    int64_t n, incx;
    int misaligned; // elements
};

struct operands {
    struct operand x, result, workspace;
};

struct counts {
    int ran, declined;
};

// The bound relative to the sum of |x_i|: the header's for the default kernel, else one for any
// order of summation.
static double error_factor(const struct sum_case* s, bool selected) {
    const double u = is_double(s->routine) ? 0x1p-53 : UNIT_ROUNDOFF;
    const double n = (double)s->n;
    return u * (selected ? log2(n) + 16 : n);
}

// The sum of no elements is known on the host; in device memory only a kernel can write it.
static void run_empty_sum(myblasHandle_t handle,
                          const char* forced,
                          enum routine routine,
                          struct operand* result) {
    double on_host = -77;
    assert_ok(call_sum(routine, handle, 0, NULL, 1, &on_host, false));
    assert_true(load(routine, &on_host) == 0);
    operand_place(result, element_bytes(routine), 0);
    operand_upload(result);
    assert_ok(myblasSetStream(handle, NULL)); // back to the handle's own workspace
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_DEVICE));
    const myblasStatus_t status =
        call_sum(routine, handle, 0, NULL, 1, operand_device(result), false);
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));
    if (forced && status == MYBLAS_STATUS_NOT_SUPPORTED) {
        operand_assert_unchanged(result);
        return;
    }
    assert_ok(status);
    assert_true(load(routine, operand_download(result)) == 0);
}

static void run_sum(myblasHandle_t handle,
                    const char* forced,
                    const struct sum_case* s,
                    struct operands* o,
                    struct counts* counts) {
    const size_t bytes = element_bytes(s->routine);
    const size_t span = (size_t)((s->n - 1) * s->incx + 1);
    unsigned char* host = operand_place(&o->x, span * bytes, (size_t)s->misaligned * bytes % 16);
    long double exact = 0, magnitude = 0;
    for (int64_t i = 0; i < s->n; ++i) {
        const double value = value_of(s->data, i, s->n);
        const float single = (float)value;
        memcpy(host + (size_t)(i * s->incx) * bytes,
               is_double(s->routine) ? (const void*)&value : (const void*)&single,
               bytes);
        const double stored = is_double(s->routine) ? value : (double)single;
        exact += s->routine == asum ? fabs(stored) : stored;
        magnitude += fabs(stored);
    }
    operand_upload(&o->x);
    operand_place(&o->result, bytes, 0);
    operand_upload(&o->result);

    myblasCall_t call = empty_call(routine_id(s->routine));
    call.n = s->n;
    call.lda = s->incx;
    call.A = operand_device(&o->x);
    const bool has_workspace = lend_poisoned_workspace(handle, &call, &o->workspace);
    const char* selected = NULL;
    const myblasStatus_t selection = myblasSelectKernel(handle, &call, &selected);

    double on_host[2] = {-77, -77};
    const myblasStatus_t status = call_sum(
        s->routine, handle, s->n, operand_device(&o->x), s->incx, on_host, s->misaligned % 2);
    if (forced && status == MYBLAS_STATUS_NOT_SUPPORTED) {
        assert_int_equal(selection, MYBLAS_STATUS_NOT_SUPPORTED);
        assert_true(on_host[0] == -77);
        ++counts->declined;
        return;
    }
    assert_ok(status);
    assert_ok(selection);
    assert_true(on_host[1] == -77);
    if (forced)
        assert_string_equal(selected, forced);
    assert_last_kernel(handle, routine_id(s->routine), selected);
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_DEVICE));
    assert_ok(call_sum(s->routine,
                       handle,
                       s->n,
                       operand_device(&o->x),
                       s->incx,
                       operand_device(&o->result),
                       s->misaligned % 2 == 0));
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));

    const double results[] = {load(s->routine, on_host),
                              load(s->routine, operand_download(&o->result))};
    const double bound = s->data == integers ? 0 : error_factor(s, !forced) * (double)magnitude;
    for (size_t i = 0; i < COUNT_OF(results); ++i) {
        if (!(fabs(results[i] - (double)exact) <= bound))
            fail_msg("%s: the sum of %lld elements (data %d, increment %lld) is %.17g, not %.17g; "
                     "bound %.3g",
                     selected ? selected : "none",
                     (long long)s->n,
                     s->data,
                     (long long)s->incx,
                     results[i],
                     (double)exact,
                     bound);
    }
    operand_assert_unchanged(&o->x);
    if (has_workspace)
        operand_download(&o->workspace);
    ++counts->ran;
}

static struct counts run_sums(myblasHandle_t handle,
                              const char* forced,
                              enum routine routine,
                              const myblasKernelInfo_t* info) {
    static const int64_t increments[] = {1, 2, 3, 7};
    const int64_t threads = info->threads > 1 ? info->threads : 256;
    const int64_t tile = info->block_n > 1   ? info->block_n
                         : info->block_m > 1 ? info->block_m
                                             : 4 * threads;
    const int64_t sizes[] = {1,
                             2,
                             3,
                             5,
                             31,
                             32,
                             33,
                             127,
                             threads - 1,
                             threads,
                             threads + 1,
                             2 * threads,
                             tile - 1,
                             tile,
                             tile + 1,
                             2 * tile + 3,
                             10007,
                             100003,
                             1000003};
    const size_t size_count = COUNT_OF(sizes) - (reduced() ? 2 : 0);
    struct counts counts = {0, 0};
    const struct operand empty = operand_create(handle);
    struct operands o = {empty, empty, empty};
    run_empty_sum(handle, forced, routine, &o.result);
    for (size_t i = 0; i < size_count; ++i) {
        for (size_t j = 0; j < COUNT_OF(increments); ++j) {
            for (int data = 0; data < data_count; ++data) {
                if (left_out(12))
                    continue;
                struct sum_case s = {routine, (enum data)data, sizes[i], increments[j], 0};
                if (s.n > 20000) {
                    // For large sizes, each kind of data once, contiguous or not.
                    if (j != 0 && j != (size_t)data % 3 + 1)
                        continue;
                    s.misaligned = (int)(j + (size_t)data) % 4;
                    run_sum(handle, forced, &s, &o, &counts);
                    continue;
                }
                for (s.misaligned = 0; s.misaligned < 4; s.misaligned += reduced() ? 3 : 1)
                    run_sum(handle, forced, &s, &o, &counts);
            }
        }
    }
    operand_destroy(&o.x);
    operand_destroy(&o.result);
    operand_destroy(&o.workspace);
    return counts;
}

static void test_every_kernel(void** state) {
    myblasHandle_t handle = require_handle(state);
    for (int r = 0; r < routine_count; ++r) {
        const enum routine routine = (enum routine)r;
        const int count = kernel_count(handle, routine_id(routine));
        for (int i = 0; i < count; ++i) {
            const myblasKernelInfo_t info = kernel_info(handle, routine_id(routine), i);
            if (!kernel_fits_device(handle, &info))
                continue;
            random_seed((uint64_t)i + 1);
            assert_ok(myblasForceKernel(handle, routine_id(routine), info.name));
            const struct counts counts = run_sums(handle, info.name, routine, &info);
            print_message("  %s: %d calls, %d declined\n", info.name, counts.ran, counts.declined);
            assert_true(counts.ran > (reduced() ? 10 : 100));
        }
    }
}

static void test_selection(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    const myblasKernelInfo_t generic = {.threads = 512, .block_n = 4096};
    for (int r = 0; r < routine_count; ++r) {
        random_seed(99);
        const struct counts counts = run_sums(handle, NULL, (enum routine)r, &generic);
        assert_int_equal(counts.declined, 0);
        assert_true(counts.ran > (reduced() ? 10 : 100));
    }
}

// ---- Values -------------------------------------------------------------------------------------

// Sizes and increments of zero or less give zero, in both pointer modes, for any x.
static void test_nothing_to_add(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    static const int64_t calls[][2] = {{0, 1}, {-1, 1}, {-100, 3}, {5, 0}, {5, -1}, {0, 0}};
    struct operand result = operand_create(handle);
    for (int r = 0; r < routine_count; ++r) {
        const enum routine routine = (enum routine)r;
        for (size_t i = 0; i < COUNT_OF(calls); ++i) {
            for (int wide = 0; wide < 2; ++wide) {
                double on_host = NAN;
                assert_ok(
                    call_sum(routine, handle, calls[i][0], NULL, calls[i][1], &on_host, wide));
                assert_true(load(routine, &on_host) == 0);
                operand_place(&result, element_bytes(routine), 0);
                operand_upload(&result);
                assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_DEVICE));
                assert_ok(call_sum(routine,
                                   handle,
                                   calls[i][0],
                                   NULL,
                                   calls[i][1],
                                   operand_device(&result),
                                   wide));
                assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));
                assert_true(load(routine, operand_download(&result)) == 0);
            }
        }
    }
    operand_destroy(&result);
}

// Sizes between the sizes of the kernels' tests and of large.c, with every alignment. The elements
// are integers, so that the sum is exact.
static void test_sizes_between(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    static const int64_t sizes[] = {262147, 2097155, 3000017, 9000011, 26000003};
    struct operand x = operand_create(handle);
    for (size_t i = 0; i < COUNT_OF(sizes) - (reduced() ? 3 : 0); ++i) {
        for (int r = 0; r < routine_count; ++r) {
            const enum routine routine = (enum routine)r;
            const size_t bytes = element_bytes(routine);
            const size_t misaligned = (i + (size_t)r) % (16 / bytes);
            unsigned char* host = operand_place(&x, (size_t)sizes[i] * bytes, misaligned * bytes);
            int64_t exact = 0;
            for (int64_t j = 0; j < sizes[i]; ++j) {
                const int value = (int)(j * 7919 % 5) - 2 + (int)(j % 1000 == 0);
                const float single = (float)value;
                const double wide = value;
                memcpy(host + (size_t)j * bytes,
                       is_double(routine) ? (const void*)&wide : (const void*)&single,
                       bytes);
                exact += routine == asum ? abs(value) : value;
            }
            operand_upload(&x);
            double result = -77;
            assert_ok(call_sum(routine, handle, sizes[i], operand_device(&x), 1, &result, true));
            // As a float, the sum is rounded.
            const double expected = is_double(routine) ? (double)exact : (double)(float)exact;
            if (load(routine, &result) != expected)
                fail_msg("the sum of %lld elements is %.17g, not %.17g",
                         (long long)sizes[i],
                         load(routine, &result),
                         expected);
        }
    }
    operand_destroy(&x);
}

// A handle keeps resources for a few streams. On further streams, sums use none, or a lent
// workspace.
static void test_many_streams(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    enum { streams = 10, n = 300007 };
    myblasStream_t stream[streams];
    struct operand x = operand_create(handle), workspace = operand_create(handle);
    float* host = operand_place(&x, n * sizeof *host, 0);
    for (int i = 0; i < n; ++i)
        host[i] = (float)(i % 3);
    operand_upload(&x);
    operand_place(&workspace, 1 << 16, 0);
    operand_upload(&workspace);
    for (int i = 0; i < streams; ++i) {
        assert_ok(myblasStreamCreate(handle, &stream[i]));
        for (int lent = 0; lent < 2; ++lent) {
            assert_ok(myblasSetStream(handle, stream[i]));
            if (lent)
                assert_ok(myblasSetWorkspace(handle, operand_device(&workspace), 1 << 16));
            for (int run = 0; run < 3; ++run) {
                float result = -77;
                assert_ok(mysum(handle, n, operand_device(&x), 1, &result));
                assert_true(result == n - 1);
            }
        }
    }
    assert_ok(myblasSetStream(handle, NULL));
    for (int i = 0; i < streams; ++i)
        assert_ok(myblasStreamDestroy(handle, stream[i]));
    operand_destroy(&x);
    operand_destroy(&workspace);
}

static float sum_of(myblasHandle_t handle, struct operand* x, const float* values, int n) {
    memcpy(operand_place(x, (size_t)n * sizeof(float), 0), values, (size_t)n * sizeof(float));
    operand_upload(x);
    float result = -1;
    assert_ok(mysum(handle, n, operand_device(x), 1, &result));
    return result;
}

// NaN and Inf reach the result, subnormals are not flushed, and deterministic kernels give the same
// bits again.
static void test_values(void** state) {
    myblasHandle_t handle = require_handle(state);
    enum { n = 5000 };
    float* values = malloc(n * sizeof *values);
    assert_non_null(values);
    struct operand x = operand_create(handle);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_SUM);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SUM, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SUM, info.name));
        // Compared as bits, so that a mode of this processor cannot flush both sides.
        const uint32_t units = 16, total = n * units; // of the smallest subnormal
        for (int j = 0; j < n; ++j)
            memcpy(&values[j], &units, sizeof units);
        const float subnormal = sum_of(handle, &x, values, n);
        // Two rungs add floats with atomics, which flush subnormals in global memory (PTX ISA, red:
        // .add.f32).
        const bool by_atomics = backend_of(handle) == MYBLAS_BACKEND_CUDA && !info.deterministic;
        if (by_atomics)
            assert_true(subnormal == 0);
        else
            assert_memory_equal(&subnormal, &total, sizeof total);
        values[4321] = INFINITY;
        assert_true(sum_of(handle, &x, values, n) == INFINITY);
        values[17] = -INFINITY;
        assert_true(isnan(sum_of(handle, &x, values, n)));
        values[17] = values[4321] = 0;
        values[n - 1] = NAN;
        assert_true(isnan(sum_of(handle, &x, values, n)));

        for (int j = 0; j < n; ++j)
            values[j] = random_float();
        const float first = sum_of(handle, &x, values, n);
        for (int run = 0; info.deterministic && run < 20; ++run) {
            const float again = sum_of(handle, &x, values, n);
            assert_memory_equal(&again, &first, sizeof first);
        }
    }
    free(values);
    operand_destroy(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kernel),
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_nothing_to_add),
        cmocka_unit_test(test_sizes_between),
        cmocka_unit_test(test_many_streams),
        cmocka_unit_test(test_values),
    };
    return RUN_ON_BACKENDS("sum", tests);
}
