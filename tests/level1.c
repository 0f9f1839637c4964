// Level 1 except axpy, copy and the sums: every kernel against float64, within the bounds of the
// header, on easy and hostile data.
#include "support.h"

#include <float.h>
#include <math.h>

// ---- Vectors ------------------------------------------------------------------------------------

static const int64_t increments[] = {1, 2, 3, -1, -2, 0};

// Squares and products of huge elements overflow in float; with tiny elements they underflow.
enum data { uniform, huge, tiny, subnormal, mixed, data_count };

static float value_of(enum data data) {
    const float x = random_float();
    switch (data) {
    case uniform:
        return x;
    case huge:
        return x * 0x1.8p127f;
    case tiny:
        return x * 0x1p-125f;
    case subnormal:
        return x * 0x1p-140f;
    default:
        return ldexpf(x, (int)random_between(-148, 127));
    }
}

static float*
place_vector(struct operand* o, int64_t n, int64_t inc, int misaligned, enum data data) {
    float* host =
        operand_place(o, span(n, inc) * sizeof(float), (size_t)misaligned * sizeof(float));
    for (int64_t i = 0; i < n; ++i)
        host[position(i, n, inc)] = value_of(data);
    operand_upload(o);
    return host;
}

static const float* place_scalars(struct operand* o, const float* values, int count) {
    memcpy(
        operand_place(o, (size_t)count * sizeof(float), 0), values, (size_t)count * sizeof(float));
    operand_upload(o);
    return operand_device(o);
}

struct operands {
    struct operand x, y, scalars, result;
};

static struct operands operands_create(myblasHandle_t handle) {
    const struct operand empty = operand_create(handle);
    return (struct operands){empty, empty, empty, empty};
}

static void operands_destroy(struct operands* o) {
    operand_destroy(&o->x);
    operand_destroy(&o->y);
    operand_destroy(&o->scalars);
    operand_destroy(&o->result);
}

struct counts {
    int ran, declined;
    bool is_seen; // not counted: the check itself has asserted which kernel ran
};

// Runs `check` with each kernel of the routine forced, and then with the selection.
static void with_every_kernel(
    myblasHandle_t handle,
    myblasRoutine_t routine,
    void (*check)(myblasHandle_t, const char* forced, int64_t threads, struct counts*)) {
    const int count = kernel_count(handle, routine);
    for (int i = 0; i <= count; ++i) {
        myblasKernelInfo_t info = {.threads = 512};
        if (i < count) {
            info = kernel_info(handle, routine, i);
            if (!kernel_fits_device(handle, &info))
                continue;
        } else if (!is_in_share(NULL)) {
            continue;
        }
        random_seed((uint64_t)i + 1);
        assert_ok(myblasForceKernel(handle, routine, info.name));
        struct counts counts = {0, 0, false};
        check(handle, info.name, info.threads > 1 ? info.threads : 256, &counts);
        print_message("  %s: %d calls, %d declined\n",
                      info.name ? info.name : "selection",
                      counts.ran,
                      counts.declined);
        assert_true(counts.is_seen || counts.ran > (reduced() ? 0 : 10));
        assert_true(info.name || counts.declined == 0);
    }
}

// Whether the call ran. A forced kernel may decline if the selection says the same. Then the call
// has touched nothing.
static bool has_run(myblasHandle_t handle,
                    const char* forced,
                    const myblasCall_t* call,
                    myblasStatus_t status,
                    struct counts* counts) {
    const char* selected = NULL;
    const myblasStatus_t selection = myblasSelectKernel(handle, call, &selected);
    if (forced && status == MYBLAS_STATUS_NOT_SUPPORTED) {
        assert_int_equal(selection, MYBLAS_STATUS_NOT_SUPPORTED);
        ++counts->declined;
        return false;
    }
    assert_ok(status);
    assert_ok(selection);
    if (selected) {
        if (forced)
            assert_string_equal(selected, forced);
        assert_last_kernel(handle, call->routine, selected);
        ++counts->ran;
    }
    size_t workspace = 77;
    assert_ok(myblasGetWorkspaceSize(handle, call, &workspace));
    assert_int_equal(workspace, 0);
    return true;
}

static myblasCall_t
describe(myblasRoutine_t routine, int64_t n, int64_t incx, int64_t incy, const struct operands* o) {
    myblasCall_t call = empty_call(routine);
    call.n = n;
    call.lda = incx;
    call.ldb = incy;
    call.A = operand_device(&o->x);
    call.B = operand_device(&o->y);
    return call;
}

// ---- Vectors that change ------------------------------------------------------------------------

enum change { scal, swap, rot, rotm, change_count };

static const myblasRoutine_t change_routines[] = {
    MYBLAS_ROUTINE_SCAL, MYBLAS_ROUTINE_SWAP, MYBLAS_ROUTINE_ROT, MYBLAS_ROUTINE_ROTM};

struct change_case {
    enum change change;
    int64_t n, incx, incy;
    int misaligned;
    enum data data;
    float scalars[5]; // alpha; c and s; param
    bool device_scalars, wide;
};

static myblasStatus_t
call_change(myblasHandle_t handle, const struct change_case* g, struct operands* o) {
    float *x = operand_device(&o->x), *y = operand_device(&o->y);
    const float* scalars = place_scalars(&o->scalars, g->scalars, 5);
    if (!g->device_scalars)
        scalars = g->scalars;
    const int n = (int)g->n, incx = (int)g->incx, incy = (int)g->incy;
    switch (g->change) {
    case scal:
        return g->wide ? mysscal_64(handle, g->n, scalars, x, g->incx)
                       : mysscal(handle, n, scalars, x, incx);
    case swap:
        return g->wide ? mysswap_64(handle, g->n, x, g->incx, y, g->incy)
                       : mysswap(handle, n, x, incx, y, incy);
    case rot:
        return g->wide ? mysrot_64(handle, g->n, x, g->incx, y, g->incy, scalars, scalars + 1)
                       : mysrot(handle, n, x, incx, y, incy, scalars, scalars + 1);
    default:
        return g->wide ? mysrotm_64(handle, g->n, x, g->incx, y, g->incy, scalars)
                       : mysrotm(handle, n, x, incx, y, incy, scalars);
    }
}

// The expected value of an element, with its error as a multiple of u and in units of 2^-149.
struct expectation {
    double value, error, floor;
};

static double bound_of(const struct expectation* e) {
    return e->error * UNIT_ROUNDOFF * (1 + 0x1p-20) + e->floor * SMALLEST_SUBNORMAL;
}

// a x + b y: each product and the sum are rounded once, and x and y have errors already. The header
// allows 3 u and 2^-149.
static struct expectation
combine(double a, const struct expectation* x, double b, const struct expectation* y) {
    return (struct expectation){.value = a * x->value + b * y->value,
                                .error = 3 * (fabs(a * x->value) + fabs(b * y->value)) +
                                         fabs(a) * x->error + fabs(b) * y->error,
                                .floor = 1 + fabs(a) * x->floor + fabs(b) * y->floor};
}

static void
expect_change(const struct change_case* g, struct expectation* x, struct expectation* y) {
    const struct expectation old_x = *x, old_y = y ? *y : old_x;
    const float* s = g->scalars;
    switch (g->change) {
    case scal:
        *x = (struct expectation){s[0] * old_x.value, fabs(s[0] * old_x.value), 1};
        break;
    case swap:
        *x = old_y;
        *y = old_x;
        break;
    case rot:
        *x = combine(s[0], &old_x, s[1], &old_y);
        *y = combine(s[0], &old_y, -s[1], &old_x);
        break;
    default:
        if (s[0] == -2)
            break;
        const double h11 = s[0] == 0 ? 1 : s[1], h22 = s[0] == 0 ? 1 : s[4];
        const double h21 = s[0] == 1 ? -1 : s[2], h12 = s[0] == 1 ? 1 : s[3];
        *x = combine(h11, &old_x, h12, &old_y);
        *y = combine(h21, &old_x, h22, &old_y);
    }
}

static struct expectation* expect_old(const float* host, size_t count) {
    struct expectation* expected = calloc(count + 1, sizeof *expected);
    assert_non_null(expected);
    for (size_t i = 0; i < count; ++i)
        expected[i].value = host[i];
    return expected;
}

static void assert_vector(const struct change_case* g,
                          const char* which,
                          const struct expectation* expected,
                          const float* sent,
                          const float* found,
                          size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const struct expectation* e = &expected[i];
        const double bound = bound_of(e);
        // The gaps between the elements are NaN. Elements that do not change keep their bits. A
        // result too large for a float is Inf, or within the bound of FLT_MAX.
        const float rounded = (float)e->value;
        bool ok = fabs(found[i] - e->value) <= bound;
        if (bound == 0)
            ok = memcmp(&found[i], isnan(sent[i]) ? &sent[i] : &rounded, sizeof(float)) == 0;
        else if (isinf(found[i]))
            ok = fabs(e->value) + bound > FLT_MAX && (found[i] > 0) == (e->value > 0);
        if (!ok)
            fail_msg("change %d, data %d: %s[%zu] of %lld elements, increments %lld and %lld, is "
                     "%.9g, not %.9g, "
                     "bound %.3g",
                     g->change,
                     g->data,
                     which,
                     i,
                     (long long)g->n,
                     (long long)g->incx,
                     (long long)g->incy,
                     (double)found[i],
                     e->value,
                     bound);
    }
}

static void run_change(myblasHandle_t handle,
                       const char* forced,
                       const struct change_case* g,
                       struct operands* o,
                       struct counts* counts) {
    const int64_t incy = g->change == scal ? 1 : g->incy;
    const int64_t ny = g->change == scal ? 0 : g->n;
    const float* x = place_vector(&o->x, g->n, g->incx, g->misaligned, g->data);
    const float* y = place_vector(&o->y, ny, incy, g->misaligned * 3 % 4, g->data);
    assert_ok(myblasSetPointerMode(
        handle, g->device_scalars ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
    const myblasStatus_t status = call_change(handle, g, o);
    const bool is_quick = g->n <= 0 || (g->change == scal && g->incx <= 0) ||
                          (g->change == rotm && g->scalars[0] == -2 && !g->device_scalars);
    if (is_quick) {
        assert_ok(status);
    } else {
        const myblasCall_t call = describe(change_routines[g->change], g->n, g->incx, g->incy, o);
        if (!has_run(handle, forced, &call, status, counts)) {
            operand_assert_unchanged(&o->x);
            operand_assert_unchanged(&o->y);
            return;
        }
    }
    const size_t count_x = span(g->n, g->incx), count_y = span(ny, incy);
    struct expectation *ex = expect_old(x, count_x), *ey = expect_old(y, count_y);
    if (!is_quick)
        for (int64_t i = 0; i < g->n; ++i)
            expect_change(g,
                          &ex[position(i, g->n, g->incx)],
                          g->change == scal ? NULL : &ey[position(i, g->n, incy)]);
    assert_vector(g, "x", ex, x, operand_download(&o->x), count_x);
    assert_vector(g, "y", ey, y, operand_download(&o->y), count_y);
    free(ex);
    free(ey);
}

static void set_scalars(struct change_case* g, unsigned turn) {
    static const float alphas[] = {1, -0.5f, 0.7f, 0, -1};
    static const float flags[] = {-1, 0, 1, -2};
    if (g->change == rotm) {
        // Parameters that the flag leaves out are NaN, because they must not be read.
        const float flag = flags[turn % COUNT_OF(flags)];
        const float param[] = {flag,
                               flag == -1 || flag == 1 ? 0.6f : NAN,
                               flag == -1 || flag == 0 ? -0.35f : NAN,
                               flag == -1 || flag == 0 ? 0.45f : NAN,
                               flag == -1 || flag == 1 ? 0.3f : NAN};
        memcpy(g->scalars, param, sizeof param);
    } else if (g->change == rot) {
        g->scalars[0] = turn % 5 == 4 ? 0 : 0.6f;
        g->scalars[1] = turn % 5 == 3 ? 0 : -0.8f;
    } else {
        g->scalars[0] = alphas[turn % COUNT_OF(alphas)];
    }
}

static enum change changing; // what check_change checks

static void
check_change(myblasHandle_t handle, const char* forced, int64_t threads, struct counts* counts) {
    const int64_t sizes[] = {
        -3, 0, 1, 2, 3, 4, 5, threads - 1, threads, threads + 1, 4 * threads + 1, 10007};
    struct operands o = operands_create(handle);
    unsigned turn = 0;
    for (size_t s = 0; s < COUNT_OF(sizes); ++s)
        for (size_t i = 0; i < COUNT_OF(increments); ++i)
            for (size_t j = 0; j < COUNT_OF(increments); ++j)
                for (int misaligned = 0; misaligned < 4; ++misaligned) {
                    if (left_out(8) || (changing == scal && j > 0))
                        continue;
                    ++turn;
                    struct change_case g = {.change = changing,
                                            .n = sizes[s],
                                            .incx = increments[i],
                                            .incy = increments[j],
                                            .misaligned = misaligned,
                                            .data = (enum data)(turn % data_count),
                                            .device_scalars = turn / 2 % 2,
                                            .wide = turn % 2};
                    set_scalars(&g, turn / 4);
                    // An element that is changed repeatedly leaves the range of the bounds.
                    if ((g.incx == 0 || g.incy == 0) && changing != swap && g.n > 600)
                        g.n = 600;
                    if ((g.incx == 0 || g.incy == 0) && g.data == huge)
                        g.data = uniform;
                    run_change(handle, forced, &g, &o, counts);
                }
    struct change_case large = {
        .change = changing, .n = reduced() ? 40001 : 1000003, .incx = 1, .incy = 1};
    set_scalars(&large, 1);
    run_change(handle, forced, &large, &o, counts);
    large.incx = changing == scal ? 3 : -3;
    large.misaligned = 1;
    run_change(handle, forced, &large, &o, counts);
    operands_destroy(&o);
}

static void test_scal(void** state) {
    changing = scal;
    with_every_kernel(require_handle(state), MYBLAS_ROUTINE_SCAL, check_change);
}
static void test_swap(void** state) {
    changing = swap;
    with_every_kernel(require_handle(state), MYBLAS_ROUTINE_SWAP, check_change);
}
static void test_rot(void** state) {
    changing = rot;
    with_every_kernel(require_handle(state), MYBLAS_ROUTINE_ROT, check_change);
}
static void test_rotm(void** state) {
    changing = rotm;
    with_every_kernel(require_handle(state), MYBLAS_ROUTINE_ROTM, check_change);
}

// A factor of zero is no special case: NaN and Inf become NaN.
static void test_scaling_by_zero(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    struct operand x = operand_create(handle);
    const float values[] = {1, NAN, INFINITY, -2}, zero = 0;
    memcpy(operand_place(&x, sizeof values, 0), values, sizeof values);
    operand_upload(&x);
    assert_ok(mysscal(handle, 4, &zero, operand_device(&x), 1));
    const float* found = operand_download(&x);
    assert_true(found[0] == 0 && isnan(found[1]) && isnan(found[2]) && found[3] == 0);
    operand_destroy(&x);
}

// ---- Sums of products ---------------------------------------------------------------------------

enum product { dot, sdsdot, norm };

static const char* const product_names[] = {"dot product", "sdsdot", "norm"};

struct product_case {
    enum product product;
    float sb;
    int64_t n, incx, incy;
    int misaligned, misaligned_y;
    enum data data;
    bool cancelling; // y_i: the second half takes back the first
};

static myblasStatus_t call_product(myblasHandle_t handle,
                                   const struct product_case* g,
                                   struct operands* o,
                                   const float* sb,
                                   float* result,
                                   bool wide) {
    const float *x = operand_device(&o->x), *y = operand_device(&o->y);
    const int n = (int)g->n, incx = (int)g->incx, incy = (int)g->incy;
    if (g->product == norm)
        return wide ? mysnrm2_64(handle, g->n, x, g->incx, result)
                    : mysnrm2(handle, n, x, incx, result);
    if (g->product == sdsdot)
        return wide ? mysdsdot_64(handle, g->n, sb, x, g->incx, y, g->incy, result)
                    : mysdsdot(handle, n, sb, x, incx, y, incy, result);
    return wide ? mysdot_64(handle, g->n, x, g->incx, y, g->incy, result)
                : mysdot(handle, n, x, incx, y, incy, result);
}

static void assert_product(const struct product_case* g,
                           const char* kernel,
                           float found,
                           long double exact,
                           long double magnitude) {
    const double n = (double)(g->n > 0 ? g->n : 0) + (g->product == sdsdot);
    const double bound =
        g->product == norm
            ? (1 + n * 0x1p-29) * UNIT_ROUNDOFF * (double)exact + 0x1p-150
            : UNIT_ROUNDOFF * fabs((double)exact) + n * 0x1p-53 * (double)magnitude + 0x1p-150;
    if (fabsl(exact) > FLT_MAX
            ? found == (exact > 0 ? INFINITY : -INFINITY) || fabsl(exact) - bound <= FLT_MAX
            : fabsl(found - exact) <= bound || (isinf(found) && fabsl(exact) + bound > FLT_MAX))
        return;
    fail_msg("%s: the %s of %lld elements, increments %lld and %lld, data %d, is %.9g, not %.9g; "
             "bound %.3g",
             kernel ? kernel : "selection",
             product_names[g->product],
             (long long)g->n,
             (long long)g->incx,
             (long long)g->incy,
             g->data,
             (double)found,
             (double)exact,
             bound);
}

static void run_product(myblasHandle_t handle,
                        const char* forced,
                        const struct product_case* g,
                        struct operands* o,
                        struct counts* counts) {
    const float* x = place_vector(&o->x, g->n, g->incx, g->misaligned, g->data);
    float* y = place_vector(&o->y, g->n, g->incy, g->misaligned_y, g->data);
    if (g->cancelling) {
        for (int64_t i = 0; i < g->n; ++i) {
            const int64_t half = g->n / 2, other = i < half ? i : i - half;
            y[position(i, g->n, g->incy)] =
                (i < half ? 1 : -1) * x[position(i < half ? i + half : other, g->n, g->incx)];
        }
        operand_upload(&o->y);
    }
    long double exact = g->product == sdsdot ? g->sb : 0, magnitude = fabsl(exact);
    for (int64_t i = 0; i < g->n; ++i) {
        const double xi = x[position(i, g->n, g->incx)];
        const double term = xi * (g->product == norm ? xi : (double)y[position(i, g->n, g->incy)]);
        exact += term;
        magnitude += fabs(term);
    }
    if (g->product == norm)
        exact = sqrtl(exact);

    float results[3] = {-77, -77, -77};
    const bool wide = g->misaligned % 2;
    operand_place(&o->result, sizeof(float), 0);
    operand_upload(&o->result);
    const float* sb = place_scalars(&o->scalars, &g->sb, 1);
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_DEVICE));
    const myblasStatus_t status = call_product(handle, g, o, sb, operand_device(&o->result), wide);
    const myblasCall_t call = describe(
        g->product == norm ? MYBLAS_ROUTINE_NRM2 : MYBLAS_ROUTINE_DOT, g->n, g->incx, g->incy, o);
    if (!has_run(handle, forced, &call, status, counts)) {
        operand_assert_unchanged(&o->result);
        return;
    }
    results[0] = *(float*)operand_download(&o->result);
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));
    for (int run = 1; run < 3; ++run)
        assert_ok(call_product(handle, g, o, &g->sb, &results[run], !wide));
    // The same bits in either mode and on every run.
    assert_memory_equal(&results[0], &results[1], sizeof(float));
    assert_memory_equal(&results[0], &results[2], sizeof(float));
    assert_product(g, forced, results[0], exact, magnitude);
    operand_assert_unchanged(&o->x);
    operand_assert_unchanged(&o->y);
    operand_assert_unchanged(&o->scalars);
}

static enum product checked; // by check_products

static void
check_products(myblasHandle_t handle, const char* forced, int64_t threads, struct counts* counts) {
    const int64_t sizes[] = {-3,
                             0,
                             1,
                             2,
                             3,
                             5,
                             31,
                             33,
                             127,
                             threads - 1,
                             threads + 1,
                             4 * threads,
                             8 * threads + 3,
                             10007,
                             60013,
                             300007,
                             1000003};
    struct operands o = operands_create(handle);
    for (size_t s = 0; s < COUNT_OF(sizes) - (reduced() ? 2 : 0); ++s)
        for (size_t i = 0; i < COUNT_OF(increments); ++i)
            for (size_t j = 0; j < (checked == norm ? 1 : COUNT_OF(increments)); ++j)
                for (int data = 0; data < data_count; ++data) {
                    // Each case waits for the device several times.
                    const size_t turn = s + i + j + (size_t)data;
                    if (left_out(12) || turn % (sizes[s] > 20000  ? 5
                                                : checked == norm ? 1
                                                                  : 3) !=
                                            0)
                        continue;
                    const int misaligned = (int)(turn % 4);
                    const struct product_case g = {.product = checked,
                                                   .sb = value_of((enum data)data),
                                                   .n = sizes[s],
                                                   .incx = increments[i],
                                                   .incy = increments[j],
                                                   .misaligned = misaligned,
                                                   .misaligned_y =
                                                       s % 2 ? misaligned : misaligned * 3 % 4,
                                                   .data = (enum data)data,
                                                   .cancelling = checked != norm && (i + j) % 2};
                    run_product(handle, forced, &g, &o, counts);
                }
    operands_destroy(&o);
}

static void test_dot(void** state) {
    checked = dot;
    with_every_kernel(require_handle(state), MYBLAS_ROUTINE_DOT, check_products);
}
static void test_sdsdot(void** state) {
    checked = sdsdot;
    with_every_kernel(require_handle(state), MYBLAS_ROUTINE_DOT, check_products);
}
static void test_nrm2(void** state) {
    checked = norm;
    with_every_kernel(require_handle(state), MYBLAS_ROUTINE_NRM2, check_products);
}

static float norm_of(myblasHandle_t handle, struct operand* x, const float* values, int n) {
    memcpy(operand_place(x, (size_t)n * sizeof(float), 0), values, (size_t)n * sizeof(float));
    operand_upload(x);
    float result = -1;
    assert_ok(mysnrm2(handle, n, operand_device(x), 1, &result));
    return result;
}

static void
check_norms(myblasHandle_t handle, const char* forced, int64_t threads, struct counts* counts) {
    (void)threads;
    struct operand x = operand_create(handle);
    enum { n = 4096 };
    float* values = malloc(n * sizeof *values);
    assert_non_null(values);
    // Compared as bits, so that a mode of this processor cannot flush both sides.
    for (int i = 0; i < n; ++i)
        memcpy(&values[i], &(uint32_t){3}, sizeof(uint32_t));
    uint32_t bits;
    float result = norm_of(handle, &x, values, n);
    memcpy(&bits, &result, sizeof bits);
    assert_int_equal(bits, 3 * 64); // of the smallest subnormal
    for (int i = 0; i < n; ++i)
        values[i] = FLT_MAX / 64;
    assert_true(norm_of(handle, &x, values, n) == FLT_MAX);
    values[n - 1] = 2 * FLT_MAX / 64;
    assert_true(norm_of(handle, &x, values, n) == INFINITY);
    values[1234] = -INFINITY;
    assert_true(norm_of(handle, &x, values, n) == INFINITY);
    values[99] = NAN;
    assert_true(isnan(norm_of(handle, &x, values, n)));
    values[1234] = 0;
    assert_true(isnan(norm_of(handle, &x, values, n)));
    free(values);
    operand_destroy(&x);
    if (forced)
        assert_last_kernel(handle, MYBLAS_ROUTINE_NRM2, forced);
    counts->is_seen = true;
}

static void test_norms_at_the_limits(void** state) {
    with_every_kernel(require_handle(state), MYBLAS_ROUTINE_NRM2, check_norms);
}

// Inf and NaN reach the dot product, and Inf times zero is NaN.
static void check_infinite_products(myblasHandle_t handle,
                                    const char* forced,
                                    int64_t threads,
                                    struct counts* counts) {
    (void)threads;
    static const struct {
        float x[2], y[2], result;
    } cases[] = {{{INFINITY, 1}, {1, 1}, INFINITY},
                 {{INFINITY, 1}, {-1, 1}, -INFINITY},
                 {{INFINITY, 1}, {0, 1}, NAN},
                 {{INFINITY, 1}, {1, -INFINITY}, NAN},
                 {{NAN, 1}, {0, 1}, NAN},
                 {{FLT_MAX, FLT_MAX}, {2, -1}, FLT_MAX},
                 {{FLT_MAX, FLT_MAX}, {2, -3}, -FLT_MAX},
                 {{0x1p-149f, 0x1p-149f}, {0.5f, 0.5f}, 0x1p-149f}};
    struct operands o = operands_create(handle);
    enum { n = 3000 };
    for (size_t i = 0; i < COUNT_OF(cases); ++i)
        for (int far = 1; far < n; far += 1499) {
            float* x = operand_place(&o.x, n * sizeof(float), 0);
            float* y = operand_place(&o.y, n * sizeof(float), 0);
            memset(x, 0, n * sizeof(float));
            memset(y, 0, n * sizeof(float));
            x[0] = cases[i].x[0], y[0] = cases[i].y[0];
            x[far] = cases[i].x[1], y[far] = cases[i].y[1];
            operand_upload(&o.x);
            operand_upload(&o.y);
            float result = -77;
            assert_ok(mysdot(handle, n, operand_device(&o.x), 1, operand_device(&o.y), 1, &result));
            if (isnan(cases[i].result) ? !isnan(result) : result != cases[i].result)
                fail_msg("case %zu gives %g", i, (double)result);
        }
    operands_destroy(&o);
    if (forced)
        assert_last_kernel(handle, MYBLAS_ROUTINE_DOT, forced);
    counts->is_seen = true;
}

static void test_infinite_products(void** state) {
    with_every_kernel(require_handle(state), MYBLAS_ROUTINE_DOT, check_infinite_products);
}

// sb is added in double: before the sum is rounded, and where it is not finite. The result may
// replace it, and it is the result of an empty sum.
static void test_sdsdot_at_the_limits(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    static const struct {
        float sb, x[2], y[2], result;
    } cases[] = {{1, {0x1p-25f, 0x1p-25f}, {1, 1}, 1},
                 {1, {0x1p-25f, 0x1p-25f}, {1, 1 + 0x1p-23f}, 1 + 0x1p-23f},
                 {-FLT_MAX, {FLT_MAX, FLT_MAX}, {1, 1}, FLT_MAX},
                 {INFINITY, {1, 1}, {1, 1}, INFINITY},
                 {INFINITY, {-INFINITY, 1}, {1, 1}, NAN},
                 {NAN, {1, 1}, {1, 1}, NAN},
                 {1, {1, 1}, {NAN, 1}, NAN}};
    struct operands o = operands_create(handle);
    for (size_t i = 0; i < COUNT_OF(cases); ++i)
        for (int on_device = 0; on_device < 2; ++on_device)
            for (int n = -1; n <= 2; n += 3) {
                const float expected = n < 0 ? cases[i].sb : cases[i].result;
                const float* x = n < 0 ? NULL : place_scalars(&o.x, cases[i].x, 2);
                const float* y = n < 0 ? NULL : place_scalars(&o.y, cases[i].y, 2);
                place_scalars(&o.scalars, &cases[i].sb, 1);
                float on_host = cases[i].sb;
                float* sb = on_device ? operand_device(&o.scalars) : &on_host;
                assert_ok(myblasSetPointerMode(
                    handle, on_device ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
                assert_ok(mysdsdot(handle, n, sb, x, 1, y, -1, sb));
                const float found = on_device ? *(float*)operand_download(&o.scalars) : on_host;
                if (isnan(expected) ? !isnan(found) : found != expected)
                    fail_msg("case %zu, n = %d gives %.9g", i, n, (double)found);
            }
    operands_destroy(&o);
}

// ---- Extrema ------------------------------------------------------------------------------------

// One of the four ways in which the result can be returned. Each waits for the device, so a case
// uses one of them; many cases together use all.
static int64_t find_extremum(myblasHandle_t handle,
                             bool least,
                             int64_t n,
                             struct operand* x,
                             int64_t incx,
                             struct operand* result,
                             unsigned form) {
    const bool is_wide = form % 2, on_device = form / 2 % 2;
    const float* device = operand_device(x);
    int narrow = -77;
    int64_t wide = -77;
    void* target = is_wide ? (void*)&wide : &narrow;
    if (on_device) {
        operand_place(result, is_wide ? sizeof wide : sizeof narrow, 0);
        operand_upload(result);
        target = operand_device(result);
    }
    assert_ok(myblasSetPointerMode(
        handle, on_device ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
    if (is_wide)
        assert_ok((least ? myisamin_64 : myisamax_64)(handle, n, device, incx, target));
    else
        assert_ok((least ? myisamin : myisamax)(handle, (int)n, device, (int)incx, target));
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));
    if (on_device)
        target = operand_download(result);
    return is_wide ? *(int64_t*)target : *(int*)target;
}

// The index that the reference BLAS finds.
static int64_t expected_extremum(bool least, int64_t n, const float* x, int64_t incx) {
    if (n <= 0 || incx <= 0)
        return 0;
    int64_t found = 1;
    float best = fabsf(x[0]);
    for (int64_t i = 1; i < n; ++i) {
        const float value = fabsf(x[i * incx]);
        if (least ? value < best : value > best) {
            best = value;
            found = i + 1;
        }
    }
    return found;
}

// few: few different values, so that most elements are equal.
enum extremum_data {
    plain,
    few,
    all_equal,
    zeros,
    with_nan,
    nan_first,
    all_nan,
    infinities,
    subnormals,
    last,
    extremum_data_count
};

static float extremum_value(enum extremum_data data, int64_t i, int64_t n) {
    const float x = random_float();
    switch (data) {
    case few:
        return 1 + random_integer();
    case all_equal:
        return i % 2 ? 1.5f : -1.5f;
    case zeros:
        return i % 2 ? 0.0f : -0.0f;
    case with_nan:
        return i > 0 && random_between(0, 3) == 0 ? NAN : x;
    case nan_first:
        return i == 0 ? NAN : x;
    case all_nan:
        return NAN;
    case infinities:
        return random_between(0, 3) == 0 ? INFINITY : -INFINITY;
    case subnormals:
        return ldexpf((float)random_between(1, 1000), -149);
    case last:
        return i == n - 1 ? 2 : 1;
    default:
        return x;
    }
}

static void
check_extrema(myblasHandle_t handle, const char* forced, int64_t threads, struct counts* counts) {
    (void)forced;
    const int64_t sizes[] = {-3,
                             0,
                             1,
                             2,
                             3,
                             5,
                             31,
                             33,
                             127,
                             threads - 1,
                             threads + 1,
                             4 * threads,
                             8 * threads + 3,
                             10007,
                             60013,
                             300007,
                             1000003};
    static const int64_t strides[] = {1, 2, 3, 0, -1};
    struct operands o = operands_create(handle);
    unsigned form = 0;
    for (size_t s = 0; s < COUNT_OF(sizes) - (reduced() ? 2 : 0); ++s)
        for (size_t i = 0; i < COUNT_OF(strides); ++i)
            for (int data = 0; data < extremum_data_count; ++data) {
                const int64_t n = sizes[s], incx = strides[i];
                // Large vectors take long to fill, and without a positive increment none is read.
                if (left_out(12) || ((n > 20000 || incx <= 0) && (i + (size_t)data) % 4 != 0))
                    continue;
                const int misaligned = (int)((s + i + (size_t)data) % 4);
                float* x = operand_place(
                    &o.x, span(n, incx) * sizeof(float), (size_t)misaligned * sizeof(float));
                for (int64_t k = 0; k < n; ++k)
                    x[position(k, n, incx)] = extremum_value((enum extremum_data)data, k, n);
                operand_upload(&o.x);
                ++form;
                for (int least = 0; least < 2; ++least) {
                    const int64_t expected = expected_extremum(least, n, x, incx);
                    const int64_t found = find_extremum(
                        handle, least, n, &o.x, incx, &o.result, form + (unsigned)least);
                    if (found != expected)
                        fail_msg("the %s of %lld elements, increment %lld, data %d, is at %lld, "
                                 "not %lld",
                                 least ? "least" : "largest",
                                 (long long)n,
                                 (long long)incx,
                                 data,
                                 (long long)found,
                                 (long long)expected);
                    const myblasCall_t call = describe(MYBLAS_ROUTINE_IAMAX, n, incx, 0, &o);
                    (void)has_run(handle, forced, &call, MYBLAS_STATUS_SUCCESS, counts);
                }
            }
    operands_destroy(&o);
}

static void test_extrema(void** state) {
    with_every_kernel(require_handle(state), MYBLAS_ROUTINE_IAMAX, check_extrema);
}

// ---- Rotations ----------------------------------------------------------------------------------

// Calls rotg or rotmg on `count` scalars in either pointer mode; the same bits in both.
static void generate(myblasHandle_t handle, bool modified, float* scalars, int count) {
    struct operand o = operand_create(handle);
    float* device = (float*)(uintptr_t)place_scalars(&o, scalars, count);
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_DEVICE));
    assert_ok(modified ? mysrotmg(handle, device, device + 1, device + 2, device + 3, device + 4)
                       : mysrotg(handle, device, device + 1, device + 2, device + 3));
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));
    assert_ok(modified
                  ? mysrotmg(handle, scalars, scalars + 1, scalars + 2, scalars + 3, scalars + 4)
                  : mysrotg(handle, scalars, scalars + 1, scalars + 2, scalars + 3));
    const float* found = operand_download(&o);
    for (int i = 0; i < count; ++i)
        if (memcmp(&found[i], &scalars[i], sizeof(float)) != 0 &&
            !(isnan(found[i]) && isnan(scalars[i])))
            fail_msg("scalar %d is %.9g in device memory, %.9g in host memory",
                     i,
                     (double)found[i],
                     (double)scalars[i]);
    operand_destroy(&o);
}

static void assert_close(const char* what, float found, long double exact, float a, float b) {
    const long double bound = 2 * UNIT_ROUNDOFF * fabsl(exact) + SMALLEST_SUBNORMAL;
    if (fabsl(found - exact) > bound && !(isinf(found) && fabsl(exact) + bound > FLT_MAX))
        fail_msg("%s of %g and %g is %.9g, not %.9g",
                 what,
                 (double)a,
                 (double)b,
                 (double)found,
                 (double)exact);
}

static void check_rotg(myblasHandle_t handle, float a, float b) {
    float g[] = {a, b, NAN, NAN};
    generate(handle, false, g, 4);
    const long double la = a, lb = b;
    long double r = copysignl(sqrtl(la * la + lb * lb), fabsf(a) > fabsf(b) ? la : lb);
    long double c = b == 0 ? 1 : la / r, s = b == 0 ? 0 : lb / r;
    if (b == 0)
        r = a;
    const long double z = b == 0 ? 0 : fabsf(a) > fabsf(b) ? s : g[2] != 0 ? 1 / c : 1;
    assert_close("r", g[0], r, a, b);
    assert_close("z", g[1], z, a, b);
    assert_close("c", g[2], c, a, b);
    assert_close("s", g[3], s, a, b);
}

static void test_rotg(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    static const float values[] = {
        0, 1, -1, 3, -4, FLT_MAX, -FLT_MAX, 0x1p-149f, -0x1p-126f, 1e20f, -1e-20f, 0x1p-130f};
    random_seed(5);
    for (size_t i = 0; i < COUNT_OF(values); ++i)
        for (size_t j = 0; j < COUNT_OF(values); ++j)
            check_rotg(handle, values[i], values[j]);
    for (int i = 0; i < (reduced() ? 20 : 300); ++i)
        check_rotg(handle,
                   value_of((enum data)(i % data_count)),
                   value_of((enum data)(i / 7 % data_count)));
    // NaN in an argument reaches the result.
    float g[] = {NAN, 1, 0, 0};
    generate(handle, false, g, 4);
    assert_true(isnan(g[0]) && isnan(g[2]) && isnan(g[3]));
    float h[] = {1, NAN, 0, 0};
    generate(handle, false, h, 4);
    assert_true(isnan(h[0]) && isnan(h[2]) && isnan(h[3]));
}

// Asserts that the sum of the terms, products of `factors` values within 2 u each, is `exact`.
static void assert_identity(const char* what,
                            long double term_1,
                            long double term_2,
                            long double exact,
                            int factors,
                            const float* g) {
    const long double bound =
        1.001L * factors * 2 * UNIT_ROUNDOFF * (fabsl(term_1) + fabsl(term_2));
    if (!(fabsl(term_1 + term_2 - exact) <= bound))
        fail_msg("%s: %.9Lg + %.9Lg is not %.9Lg (d1 %g d2 %g x1 %g y1 %g flag %g)",
                 what,
                 term_1,
                 term_2,
                 exact,
                 (double)g[0],
                 (double)g[1],
                 (double)g[2],
                 (double)g[3],
                 (double)g[4]);
}

// H is tested by its effect: it maps (x1, y1) to (x, 0), and its rows are orthogonal with the
// weights d1 and d2.
static void check_rotmg(myblasHandle_t handle, float d1, float d2, float x1, float y1) {
    float g[] = {d1, d2, x1, y1, NAN, NAN, NAN, NAN, NAN};
    generate(handle, true, g, 9);
    const float flag = g[4];
    assert_true(g[3] == y1);
    if (d1 < 0) {
        assert_true(flag == -1 && g[0] == 0 && g[1] == 0 && g[2] == 0);
        for (int i = 5; i < 9; ++i)
            assert_true(g[i] == 0);
        return;
    }
    if (d2 == 0 || y1 == 0) {
        assert_true(flag == -2 && g[0] == d1 && g[1] == d2 && g[2] == x1);
        for (int i = 5; i < 9; ++i)
            assert_true(isnan(g[i]));
        return;
    }
    assert_true(flag == -1 || flag == 0 || flag == 1);
    // Parameters that the flag leaves out are not written.
    assert_true(isnan(g[5]) == (flag == 0) && isnan(g[8]) == (flag == 0));
    assert_true(isnan(g[6]) == (flag == 1) && isnan(g[7]) == (flag == 1));
    const long double h11 = flag == 0 ? 1 : g[5], h22 = flag == 0 ? 1 : g[8];
    const long double h21 = flag == 1 ? -1 : g[6], h12 = flag == 1 ? 1 : g[7];
    const long double new_d1 = g[0], new_d2 = g[1];
    assert_identity("x", h11 * x1, h12 * y1, g[2], 2, g);
    assert_identity("y", h21 * x1, h22 * y1, 0, 2, g);
    assert_identity("d1", h11 * h11 * new_d1, h21 * h21 * new_d2, d1, 4, g);
    assert_identity("d2", h12 * h12 * new_d1, h22 * h22 * new_d2, d2, 4, g);
    assert_identity("d1 d2", h11 * h12 * new_d1, h21 * h22 * new_d2, 0, 4, g);
    const float least = 1.0f / (4096 * 4096), most = 4096 * 4096;
    assert_true(new_d1 == 0 || (new_d1 >= least && new_d1 <= most));
    assert_true(new_d2 == 0 || (fabsl(new_d2) >= least && fabsl(new_d2) <= most));
}

static void test_rotmg(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    static const float values[] = {0, 1, -1, 0.3f, 1e-6f, 1e-9f, 1e-15f, 1e9f, 1e15f, -1e6f};
    random_seed(6);
    for (size_t i = 0; i < COUNT_OF(values); ++i)
        for (size_t j = 0; j < COUNT_OF(values); ++j)
            if (values[j] >= 0)
                for (int k = 0; k < 4; ++k)
                    check_rotmg(handle, values[i], values[j], k % 2 ? 2 : -0.7f, k / 2 ? 3 : 0.01f);
    for (int i = 0; i < (reduced() ? 20 : 400); ++i)
        check_rotmg(handle,
                    ldexpf(1.5f + random_float() / 2, (int)random_between(-60, 60)),
                    ldexpf(1.5f + random_float() / 2, (int)random_between(-60, 60)),
                    ldexpf(random_float(), (int)random_between(-10, 10)),
                    ldexpf(random_float(), (int)random_between(-10, 10)));
    // A negative d2 makes the sum negative, or subtracts from d1 without cancellation.
    float less[] = {1, -4, 1, 1, NAN, NAN, NAN, NAN, NAN};
    generate(handle, true, less, 9);
    assert_true(less[4] == -1 && less[0] == 0 && less[1] == 0 && less[2] == 0);
    check_rotmg(handle, 4, -1, 1, 1);
    // No input makes it loop for ever.
    float infinite[] = {INFINITY, 1, 1, 1, 0, 0, 0, 0, 0}, nan[] = {NAN, 1, 1, 1, 0, 0, 0, 0, 0};
    generate(handle, true, infinite, 9);
    generate(handle, true, nan, 9);
    assert_true(isnan(nan[0]) && isnan(nan[2]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scal),
        cmocka_unit_test(test_swap),
        cmocka_unit_test(test_rot),
        cmocka_unit_test(test_rotm),
        cmocka_unit_test(test_scaling_by_zero),
        cmocka_unit_test(test_dot),
        cmocka_unit_test(test_sdsdot),
        cmocka_unit_test(test_nrm2),
        cmocka_unit_test(test_norms_at_the_limits),
        cmocka_unit_test(test_infinite_products),
        cmocka_unit_test(test_sdsdot_at_the_limits),
        cmocka_unit_test(test_extrema),
        cmocka_unit_test(test_rotg),
        cmocka_unit_test(test_rotmg),
    };
    return RUN_ON_BACKENDS("level1", tests);
}
