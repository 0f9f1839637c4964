// mysgemsum: every kernel, both directions, shapes that straddle the kernels' tiles.
#include "support.h"

#include <math.h>

// ---- Data ---------------------------------------------------------------------------------------

enum data { integers, alternating, positive, geometric, cancelling, data_count };

// Element l of a sum of `count`.
static double value_of(enum data data, int64_t l, int64_t count) {
    switch (data) {
    case integers:
        return (double)random_integer();
    case alternating:
        return l % 2 ? -1 - random_float() : 1 + random_float();
    case positive:
        return 1.5 + random_float();
    case geometric:
        return ldexp(1.0 + 0.25 * (double)random_float(), (int)(-(l % 60)));
    default: // cancelling: the second half takes back the first, out of order
        return (l < count / 2 ? 1 : -1) *
               (1 + (double)((l % (count / 2 + 1)) * 7919 % 1021) / 1021);
    }
}

// ---- One kernel ---------------------------------------------------------------------------------

struct gemsum_case {
    myblasOperation_t op;
    enum data data;
    int64_t m, n, padding; // lda = m + padding
    int misaligned;        // elements
};

struct operands {
    struct operand a, result, workspace;
};

struct counts {
    int ran, declined;
};

static myblasStatus_t
call_gemsum(myblasHandle_t handle, const struct gemsum_case* s, struct operands* o, bool wide) {
    const int64_t lda = s->m + s->padding;
    const float* a = operand_device(&o->a);
    float* result = operand_device(&o->result);
    return wide ? mysgemsum_64(handle, s->op, s->m, s->n, a, lda, result)
                : mysgemsum(handle, s->op, (int)s->m, (int)s->n, a, (int)lda, result);
}

// The bound relative to the sum of |A_ij|: the header's, or one for any order of summation.
static double error_factor(int64_t count, const char* kernel) {
    const bool in_order = strcmp(kernel, "naive") == 0 || strcmp(kernel, "serial") == 0;
    return UNIT_ROUNDOFF * (in_order ? (double)count : 12);
}

static void run_gemsum(myblasHandle_t handle,
                       const char* forced,
                       const struct gemsum_case* s,
                       struct operands* o,
                       struct counts* counts) {
    const bool trans = s->op != MYBLAS_OP_N;
    const int64_t lda = s->m + s->padding;
    const int64_t sums = trans ? s->n : s->m, count = trans ? s->m : s->n;
    float* host = operand_place(&o->a,
                                matrix_bytes(s->m, s->n, lda, sizeof(float)),
                                (size_t)s->misaligned % 4 * sizeof(float));
    double* exact = calloc((size_t)sums * 2, sizeof *exact);
    assert_non_null(exact);
    double* magnitude = exact + sums;
    for (int64_t j = 0; j < s->n; ++j) {
        for (int64_t i = 0; i < s->m; ++i) {
            const float value = (float)value_of(s->data, trans ? i : j, count);
            host[i + j * lda] = value;
            exact[trans ? j : i] += (double)value;
            magnitude[trans ? j : i] += fabs((double)value);
        }
    }
    operand_upload(&o->a);
    operand_place(&o->result, (size_t)sums * sizeof(float), (size_t)s->misaligned * 4 % 16);
    operand_upload(&o->result);

    myblasCall_t call = empty_call(MYBLAS_ROUTINE_GEMSUM);
    call.transa = s->op;
    call.m = s->m;
    call.n = s->n;
    call.lda = lda;
    call.A = operand_device(&o->a);
    call.C = operand_device(&o->result);
    const bool has_workspace = lend_poisoned_workspace(handle, &call, &o->workspace);
    const char* selected = NULL;
    const myblasStatus_t selection = myblasSelectKernel(handle, &call, &selected);
    const myblasStatus_t status = call_gemsum(handle, s, o, s->misaligned % 2);
    if (forced && status == MYBLAS_STATUS_NOT_SUPPORTED) {
        assert_int_equal(selection, MYBLAS_STATUS_NOT_SUPPORTED);
        operand_assert_unchanged(&o->result);
        ++counts->declined;
        free(exact);
        return;
    }
    assert_ok(status);
    assert_ok(selection);
    if (forced)
        assert_string_equal(selected, forced);
    assert_last_kernel(handle, MYBLAS_ROUTINE_GEMSUM, selected);

    const float* results = operand_download(&o->result);
    for (int64_t i = 0; i < sums; ++i) {
        // The reference itself is off by 2^-53 for each addition.
        const double factor = error_factor(count, selected) + (double)count * 0x1p-52;
        const double bound = s->data == integers ? 0 : factor * magnitude[i];
        if (!(fabs((double)results[i] - exact[i]) <= bound))
            fail_msg("%s: op %d, %lld x %lld, lda %lld, data %d: sum %lld is %.9g, not %.17g; "
                     "bound %.3g",
                     selected,
                     s->op,
                     (long long)s->m,
                     (long long)s->n,
                     (long long)lda,
                     s->data,
                     (long long)i,
                     (double)results[i],
                     exact[i],
                     bound);
    }
    operand_assert_unchanged(&o->a);
    if (has_workspace)
        operand_download(&o->workspace);
    free(exact);
    ++counts->ran;
}

static struct counts run_gemsums(myblasHandle_t handle, const char* forced) {
    static const int64_t shapes[][2] = {
        {1, 1},     {1, 2},      {2, 1},      {3, 5},      {5, 3},      {4, 4},      {31, 33},
        {32, 32},   {33, 31},    {63, 65},    {64, 64},    {100, 1},    {1, 100},    {127, 129},
        {128, 128}, {129, 127},  {130, 1000}, {1000, 130}, {255, 257},  {1023, 5},   {5, 1023},
        {3, 10007}, {10007, 3},  {64, 4099},  {4099, 64},  {1, 50021},  {50021, 1},  {1025, 333},
        {700, 701}, {2, 200003}, {200003, 2}, {16, 30011}, {30011, 16}, {9001, 100}, {100, 9001},
        {33, 513},  {97, 512},
    };
    static const int64_t paddings[] = {0, 1, 4};
    struct counts counts = {0, 0};
    const struct operand empty = operand_create(handle);
    struct operands o = {empty, empty, empty};
    for (size_t i = 0; i < COUNT_OF(shapes); ++i) {
        for (size_t j = 0; j < COUNT_OF(paddings); ++j) {
            for (int data = 0; data < data_count; ++data) {
                const bool is_large = shapes[i][0] * shapes[i][1] > 20000;
                if ((reduced() || is_large) && (i + j + (size_t)data) % 5 != 0)
                    continue;
                if (reduced() && is_large)
                    continue;
                for (int op = MYBLAS_OP_N; op <= MYBLAS_OP_C; ++op) {
                    if (op == MYBLAS_OP_C && (i + j) % 4 != 0)
                        continue;
                    const struct gemsum_case s = {.op = (myblasOperation_t)op,
                                                  .data = (enum data)data,
                                                  .m = shapes[i][0],
                                                  .n = shapes[i][1],
                                                  .padding = paddings[j],
                                                  .misaligned = (data + (int)j) % 4};
                    run_gemsum(handle, forced, &s, &o, &counts);
                }
            }
        }
    }
    operand_destroy(&o.a);
    operand_destroy(&o.result);
    operand_destroy(&o.workspace);
    return counts;
}

static void test_every_kernel(void** state) {
    myblasHandle_t handle = require_handle(state);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_GEMSUM);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_GEMSUM, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        random_seed((uint64_t)i + 1);
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_GEMSUM, info.name));
        const struct counts counts = run_gemsums(handle, info.name);
        print_message("  %s: %d calls, %d declined\n", info.name, counts.ran, counts.declined);
        assert_true(counts.ran > 50);
    }
}

static void test_selection(void** state) {
    myblasHandle_t handle = require_handle(state);
    random_seed(99);
    const struct counts counts = run_gemsums(handle, NULL);
    assert_int_equal(counts.declined, 0);
    assert_true(counts.ran > 100);
    // Without a workspace too.
    struct operand a = operand_create(handle), result = operand_create(handle);
    float* host = operand_place(&a, 300 * 300 * sizeof(float), 0);
    for (int i = 0; i < 300 * 300; ++i)
        host[i] = 1;
    operand_upload(&a);
    assert_ok(myblasSetWorkspace(handle, NULL, 0));
    for (int op = MYBLAS_OP_N; op <= MYBLAS_OP_T; ++op) {
        operand_place(&result, 300 * sizeof(float), 0);
        operand_upload(&result);
        assert_ok(mysgemsum(handle,
                            (myblasOperation_t)op,
                            300,
                            300,
                            operand_device(&a),
                            300,
                            operand_device(&result)));
        const float* sums = operand_download(&result);
        for (int i = 0; i < 300; ++i)
            assert_true(sums[i] == 300);
    }
    assert_ok(myblasSetStream(handle, NULL)); // back to the handle's own workspace
    operand_destroy(&a);
    operand_destroy(&result);
}

// ---- Values -------------------------------------------------------------------------------------

// Sums without elements are zero and are written; no sums touch nothing.
static void test_nothing_to_add(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct operand result = operand_create(handle);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_GEMSUM);
    for (int i = -1; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_GEMSUM, i < 0 ? 0 : i);
        if (i >= 0 && !kernel_fits_device(handle, &info))
            continue;
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_GEMSUM, i < 0 ? NULL : info.name));
        for (int op = MYBLAS_OP_N; op <= MYBLAS_OP_T; ++op) {
            const myblasOperation_t operation = (myblasOperation_t)op;
            const int m = op == MYBLAS_OP_N ? 77 : 0, n = op == MYBLAS_OP_N ? 0 : 77;
            operand_place(&result, 77 * sizeof(float), 0);
            operand_upload(&result);
            const myblasStatus_t status =
                mysgemsum(handle, operation, m, n, NULL, 77, operand_device(&result));
            if (i >= 0 && status == MYBLAS_STATUS_NOT_SUPPORTED) {
                operand_assert_unchanged(&result);
                continue;
            }
            assert_ok(status);
            const float* sums = operand_download(&result);
            for (int j = 0; j < 77; ++j)
                assert_true(sums[j] == 0);
            operand_place(&result, 77 * sizeof(float), 0);
            operand_upload(&result);
            assert_ok(mysgemsum(handle, operation, n, m, NULL, 77, operand_device(&result)));
            assert_ok(mysgemsum(handle, operation, 0, 0, NULL, 1, NULL));
            operand_assert_unchanged(&result);
        }
    }
    operand_destroy(&result);
}

// Long sums do not stop at 2^24, where a single running sum of ones would. The same without a
// workspace for the sums of chunks.
static void test_long_sums(void** state) {
    myblasHandle_t handle = require_handle(state);
    const int64_t count = reduced() ? 1 << 16 : 1 << 25;
    struct operand a = operand_create(handle), result = operand_create(handle);
    float* host = operand_place(&a, (size_t)count * sizeof(float), 0);
    for (int64_t i = 0; i < count; ++i)
        host[i] = 1;
    operand_upload(&a);
    for (int lent = 0; lent <= 1; ++lent) {
        if (!lent)
            assert_ok(myblasSetWorkspace(handle, NULL, 0));
        for (int op = MYBLAS_OP_N; op <= MYBLAS_OP_T; ++op) {
            const int64_t m = op == MYBLAS_OP_N ? 1 : count, n = op == MYBLAS_OP_N ? count : 1;
            operand_place(&result, sizeof(float), 0);
            operand_upload(&result);
            assert_ok(mysgemsum_64(handle,
                                   (myblasOperation_t)op,
                                   m,
                                   n,
                                   operand_device(&a),
                                   m,
                                   operand_device(&result)));
            const float* sum = operand_download(&result);
            assert_true(*sum == (float)count);
        }
        assert_ok(myblasSetStream(handle, NULL)); // back to the handle's own workspace
    }
    operand_destroy(&a);
    operand_destroy(&result);
}

// NaN and Inf reach exactly the sums of their rows or columns, subnormals are not flushed, and
// every run gives the same bits.
static void test_values(void** state) {
    myblasHandle_t handle = require_handle(state);
    enum { m = 300, n = 210 };
    struct operand a = operand_create(handle), result = operand_create(handle);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_GEMSUM);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_GEMSUM, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_GEMSUM, info.name));
        for (int op = MYBLAS_OP_N; op <= MYBLAS_OP_T; ++op) {
            const myblasOperation_t operation = (myblasOperation_t)op;
            const int sums = op == MYBLAS_OP_N ? m : n, terms = op == MYBLAS_OP_N ? n : m;
            const int term_step = op == MYBLAS_OP_N ? m : 1, sum_step = op == MYBLAS_OP_N ? 1 : m;
            float* host = operand_place(&a, (size_t)m * n * sizeof(float), 0);
            const uint32_t units = 16; // of the smallest subnormal, as bits: nobody flushes them
            for (int j = 0; j < m * n; ++j)
                memcpy(&host[j], &units, sizeof units);
            host[5 * sum_step + 17 * term_step] = INFINITY;
            host[7 * sum_step] = NAN;
            host[9 * sum_step + 3 * term_step] = INFINITY;
            host[9 * sum_step + (terms - 1) * term_step] = -INFINITY;
            operand_upload(&a);
            float first[m > n ? m : n];
            bool has_run = true;
            for (int run = 0; run < 5; ++run) {
                operand_place(&result, (size_t)sums * sizeof(float), 0);
                operand_upload(&result);
                const myblasStatus_t status = mysgemsum(
                    handle, operation, m, n, operand_device(&a), m, operand_device(&result));
                has_run = status != MYBLAS_STATUS_NOT_SUPPORTED;
                if (!has_run)
                    break;
                assert_ok(status);
                const float* found = operand_download(&result);
                if (run == 0)
                    memcpy(first, found, (size_t)sums * sizeof(float));
                assert_memory_equal(found, first, (size_t)sums * sizeof(float));
            }
            if (!has_run)
                continue;
            const uint32_t total = units * (uint32_t)terms;
            for (int j = 0; j < sums; ++j) {
                if (j == 5)
                    assert_true(first[j] == INFINITY);
                else if (j == 7 || j == 9)
                    assert_true(isnan(first[j]));
                else
                    assert_memory_equal(&first[j], &total, sizeof total);
            }
        }
    }
    operand_destroy(&a);
    operand_destroy(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kernel),
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_nothing_to_add),
        cmocka_unit_test(test_long_sums),
        cmocka_unit_test(test_values),
    };
    return RUN_ON_BACKENDS("gemsum", tests);
}
