// Level 2 on triangles: myssymv, myssyr, myssyr2, mystrmv and mystrsv against float64 within the
// bounds of the header, with every kernel, and with NaN wherever kernels must not read.
#include "support.h"

#include <math.h>
#include <sys/mman.h>

enum function { symv, syr, syr2, trmv, trsv };
static const char* const function_names[] = {"symv", "syr", "syr2", "trmv", "trsv"};

struct triangle_case {
    enum function function;
    bool upper, trans, unit, wide, device_scalars, graded;
    int64_t n, lda, incx, incy;
    int misaligned;
    float alpha, beta;
};

struct operands {
    struct operand a, x, y, scalars;
};

static bool uses_y(const struct triangle_case* g) {
    return g->function == symv || g->function == syr2;
}

// graded: magnitudes over many powers of two, so that rows differ, and diagonals are tiny or huge.
static float value_of(const struct triangle_case* g) {
    return g->graded ? ldexpf(random_float(), (int)random_between(-20, 20)) : random_float();
}

static bool is_read(const struct triangle_case* g, int64_t i, int64_t j) {
    if (i == j)
        return !((g->function == trmv || g->function == trsv) && g->unit);
    return g->upper ? i < j : i > j;
}

static float* place_vector(
    struct operand* o, const struct triangle_case* g, int64_t inc, int misaligned, bool fill) {
    float* host =
        operand_place(o, span(g->n, inc) * sizeof(float), (size_t)misaligned * sizeof(float));
    for (int64_t i = 0; fill && i < g->n; ++i)
        host[position(i, g->n, inc)] = value_of(g);
    operand_upload(o);
    return host;
}

static void place_operands(const struct triangle_case* g, struct operands* o) {
    const bool reads_x = g->alpha != 0 || g->function == trmv || g->function == trsv;
    float* a = operand_place(&o->a,
                             matrix_bytes(g->n, g->n, g->lda, sizeof(float)),
                             (size_t)g->misaligned * sizeof(float));
    for (int64_t j = 0; j < g->n; ++j)
        for (int64_t i = 0; i < g->n; ++i)
            if (is_read(g, i, j) && (reads_x || g->function != symv)) {
                a[i + j * g->lda] = value_of(g);
                // A solution that grew with every row would soon overflow.
                if (g->function == trsv)
                    a[i + j * g->lda] =
                        i == j ? 2 + random_float() : random_float() * 2 / (float)g->n;
                if (g->function == trsv && g->graded && !g->unit)
                    a[i + j * g->lda] =
                        ldexpf(a[i + j * g->lda], (int)((g->trans ? j : i) % 41) - 20);
            }
    operand_upload(&o->a);
    place_vector(&o->x, g, g->incx, g->misaligned * 3 % 4, reads_x);
    place_vector(
        &o->y, g, uses_y(g) ? g->incy : 1, 1, g->function == symv ? g->beta != 0 : reads_x);
    float* scalars = operand_place(&o->scalars, 2 * sizeof(float), 0);
    scalars[0] = g->alpha;
    scalars[1] = g->beta;
    operand_upload(&o->scalars);
}

static myblasStatus_t
call_function(myblasHandle_t handle, const struct triangle_case* g, const struct operands* o) {
    float *a = operand_device(&o->a), *x = operand_device(&o->x), *y = operand_device(&o->y);
    const float* scalars = operand_device(&o->scalars);
    const float* alpha = g->device_scalars ? scalars : &g->alpha;
    const float* beta = g->device_scalars ? scalars + 1 : &g->beta;
    const myblasFillMode_t uplo = g->upper ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
    const myblasOperation_t trans = !g->trans ? MYBLAS_OP_N : g->n % 2 ? MYBLAS_OP_T : MYBLAS_OP_C;
    const myblasDiagType_t diag = g->unit ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT;
    const int n = (int)g->n, lda = (int)g->lda, incx = (int)g->incx, incy = (int)g->incy;
    // clang-format off
    switch (g->function) {
    case symv:
        return g->wide ? myssymv_64(handle, uplo, g->n, alpha, a, g->lda, x, g->incx, beta, y,
                                    g->incy)
                       : myssymv(handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy);
    case syr:
        return g->wide ? myssyr_64(handle, uplo, g->n, alpha, x, g->incx, a, g->lda)
                       : myssyr(handle, uplo, n, alpha, x, incx, a, lda);
    case syr2:
        return g->wide ? myssyr2_64(handle, uplo, g->n, alpha, x, g->incx, y, g->incy, a, g->lda)
                       : myssyr2(handle, uplo, n, alpha, x, incx, y, incy, a, lda);
    case trmv:
        return g->wide ? mystrmv_64(handle, uplo, trans, diag, g->n, a, g->lda, x, g->incx)
                       : mystrmv(handle, uplo, trans, diag, n, a, lda, x, incx);
    default:
        return g->wide ? mystrsv_64(handle, uplo, trans, diag, g->n, a, g->lda, x, g->incx)
                       : mystrsv(handle, uplo, trans, diag, n, a, lda, x, incx);
    }
    // clang-format on
}

static void
assert_near(const struct triangle_case* g, int64_t i, double found, double exact, double bound) {
    if (!(fabs(found - exact) <= bound))
        fail_msg("%s %s%s%s n %lld lda %lld incx %lld incy %lld alpha %g beta %g: element "
                 "%lld is %.9g, not %.9g; "
                 "bound %.3g",
                 function_names[g->function],
                 g->upper ? "upper" : "lower",
                 g->trans ? " trans" : "",
                 g->unit ? " unit" : "",
                 (long long)g->n,
                 (long long)g->lda,
                 (long long)g->incx,
                 (long long)g->incy,
                 (double)g->alpha,
                 (double)g->beta,
                 (long long)i,
                 found,
                 exact,
                 bound);
}

// Element i, j of the matrix that multiplies a vector: the symmetric matrix, or op of the triangle.
static double element(const struct triangle_case* g, const float* a, int64_t i, int64_t j) {
    const bool transposed = g->function == symv ? (g->upper ? i > j : i < j) : g->trans;
    const int64_t row = transposed ? j : i, column = transposed ? i : j;
    if (is_read(g, row, column))
        return a[row + column * g->lda];
    return row == column ? 1 : 0;
}

static void
assert_gaps(const struct triangle_case* g, const float* found, const float* old, int64_t inc) {
    const int64_t step = inc < 0 ? -inc : inc;
    for (int64_t i = 0; i < (int64_t)span(g->n, inc); ++i)
        if (i % step != 0)
            assert_memory_equal(&found[i], &old[i], sizeof(float));
}

// Compares a product with its result, and a solution by its residual, which a small change of the
// triangle explains.
static void assert_vector(const struct triangle_case* g, struct operands* o) {
    const float *a = sent(&o->a), *x = sent(&o->x);
    struct operand* target = g->function == symv ? &o->y : &o->x;
    const int64_t inc = g->function == symv ? g->incy : g->incx;
    const float *old = sent(target), *found = operand_download(target);
    for (int64_t i = 0; i < g->n; ++i) {
        double sum = 0, magnitude = 0;
        for (int64_t j = 0; j < g->n; ++j) {
            if (g->function == symv && g->alpha == 0)
                break;
            const double by =
                g->function == trsv ? found[position(j, g->n, inc)] : x[position(j, g->n, g->incx)];
            const double term = element(g, a, i, j) * by;
            sum += term;
            magnitude += fabs(term);
        }
        const int64_t at = position(i, g->n, inc);
        const double k = (double)g->n + 4;
        if (g->function == trsv) {
            assert_near(g, i, sum, old[at], k * UNIT_ROUNDOFF * magnitude);
        } else if (g->function == trmv) {
            assert_near(g, i, found[at], sum, k * UNIT_ROUNDOFF * magnitude);
        } else {
            const double kept = g->beta == 0 ? 0 : (double)g->beta * old[at];
            assert_near(g,
                        i,
                        found[at],
                        g->alpha * sum + kept,
                        k * UNIT_ROUNDOFF * (fabs((double)g->alpha) * magnitude + fabs(kept)));
        }
    }
    assert_gaps(g, found, old, inc);
    operand_assert_unchanged(&o->a);
    if (g->function == symv)
        operand_assert_unchanged(&o->x);
}

static void assert_update(const struct triangle_case* g, struct operands* o) {
    const float *x = sent(&o->x), *y = sent(&o->y), *old = sent(&o->a),
                *found = operand_download(&o->a);
    for (int64_t j = 0; j < g->n; ++j)
        for (int64_t i = 0; i < g->lda && (j < g->n - 1 || i < g->n); ++i) {
            const int64_t at = i + j * g->lda;
            if (i >= g->n || !is_read(g, i, j) || g->alpha == 0) {
                assert_memory_equal(&found[at], &old[at], sizeof(float));
                continue;
            }
            const double xi = x[position(i, g->n, g->incx)], xj = x[position(j, g->n, g->incx)];
            const double yi = g->function == syr ? 0 : y[position(i, g->n, g->incy)];
            const double yj = g->function == syr ? 0 : y[position(j, g->n, g->incy)];
            const double first = g->alpha * (g->function == syr ? xi * xj : xi * yj),
                         second = g->alpha * yi * xj;
            const double factor = g->function == syr ? 3 : 5;
            assert_near(
                g,
                at,
                found[at],
                old[at] + first + second,
                factor * UNIT_ROUNDOFF * (fabs(first) + fabs(second) + fabs((double)old[at])) +
                    2 * SMALLEST_SUBNORMAL * (1 + fabs((double)g->alpha) + fabs(xi) + fabs(yi)));
        }
    operand_assert_unchanged(&o->x);
    operand_assert_unchanged(&o->y);
}

static myblasCall_t describe(const struct triangle_case* g, const struct operands* o) {
    static const myblasRoutine_t routines[] = {MYBLAS_ROUTINE_SYMV,
                                               MYBLAS_ROUTINE_SYR,
                                               MYBLAS_ROUTINE_SYR,
                                               MYBLAS_ROUTINE_TRMV,
                                               MYBLAS_ROUTINE_TRSV};
    myblasCall_t call = empty_call(routines[g->function]);
    call.uplo = g->upper ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
    call.transa = g->trans ? MYBLAS_OP_T : MYBLAS_OP_N;
    call.diag = g->unit ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT;
    call.n = g->n;
    call.lda = g->lda;
    call.ldb = g->incx;
    call.ldc = uses_y(g) ? g->incy : 0;
    call.A = operand_device(&o->a);
    call.B = operand_device(&o->x);
    call.C = operand_device(&o->y);
    return call;
}

// False: the forced kernel is OpenBLAS's, which may be absent.
static bool run_case(myblasHandle_t handle,
                     const struct triangle_case* g,
                     struct operands* o,
                     struct operand* workspace,
                     const char* forced) {
    const myblasCall_t call = describe(g, o);
    (void)lend_poisoned_workspace(handle, &call, workspace);
    const char* selected = NULL;
    const myblasStatus_t selection = myblasSelectKernel(handle, &call, &selected);
    const bool is_openblas = forced && strcmp(forced, "openblas") == 0;
    // OpenBLAS's symv is refused where it takes its kernels for processors without AVX.
    if (is_openblas && g->function == symv && getenv("MYBLAS_TEST_OLD_OPENBLAS"))
        assert_int_equal(selection, MYBLAS_STATUS_NOT_SUPPORTED);
    if (is_openblas && selection == MYBLAS_STATUS_NOT_SUPPORTED &&
        (g->function == symv || getenv("MYBLAS_TEST_WITHOUT_OPENBLAS")))
        return false;
    assert_ok(selection);
    if (forced)
        assert_string_equal(selected, forced);
    assert_ok(myblasSetPointerMode(
        handle, g->device_scalars ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
    assert_ok(call_function(handle, g, o));
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));
    if (g->function == syr || g->function == syr2)
        assert_update(g, o);
    else
        assert_vector(g, o);
    return true;
}

static void run_cases(myblasHandle_t handle, enum function function, const char* forced) {
    static const int64_t sizes[] = {1, 2, 3, 17, 63, 64, 65, 127, 128, 129, 191, 257, 400};
    static const int64_t increments[] = {1, 1, 2, -1, -3};
    static const float alphas[] = {1, -0.5f, 0.7f, 0}, betas[] = {0, 1, -0.5f, 0.3f};
    const struct operand empty = operand_create(handle);
    struct operands o = {empty, empty, empty, empty};
    struct operand workspace = operand_create(handle);
    int ran = 0;
    for (int round = 0; round < (reduced() ? 15 : 200); ++round) {
        struct triangle_case g = {
            .function = function,
            .upper = random_between(0, 1),
            .trans = random_between(0, 1),
            .unit = random_between(0, 1),
            .wide = random_between(0, 1),
            .device_scalars = random_between(0, 1),
            .graded = random_between(0, 1),
            .n = sizes[random_between(0, COUNT_OF(sizes) - (reduced() ? 3 : 1))],
            .incx = increments[random_between(0, COUNT_OF(increments) - 1)],
            .incy = increments[random_between(0, COUNT_OF(increments) - 1)],
            .misaligned = (int)random_between(0, 3),
            .alpha = alphas[random_between(0, 3)],
            .beta = betas[random_between(0, 3)]};
        g.lda = g.n + random_between(0, 2) * 3;
        place_operands(&g, &o);
        ran += run_case(handle, &g, &o, &workspace, forced);
    }
    print_message("  %s: %d calls\n", forced ? forced : "selection", ran);
    assert_ok(myblasSetStream(handle, NULL));
    operand_destroy(&o.a);
    operand_destroy(&o.x);
    operand_destroy(&o.y);
    operand_destroy(&o.scalars);
    operand_destroy(&workspace);
}

// More than 32 blocks of 32 rows, so that `rows` needs several words for the bits of finished
// blocks.
static void run_many_blocks(myblasHandle_t handle, const char* forced) {
    const struct operand empty = operand_create(handle);
    struct operands o = {empty, empty, empty, empty};
    struct operand workspace = empty;
    for (int form = 0; form < 4; ++form) {
        if (left_out(4))
            continue;
        const struct triangle_case g = {.function = trmv,
                                        .upper = form & 1,
                                        .trans = form & 2,
                                        .unit = form == 1,
                                        .n = 1100,
                                        .lda = 1100 + form,
                                        .incx = form == 2 ? -2 : 1,
                                        .incy = 1,
                                        .alpha = 1};
        place_operands(&g, &o);
        if (!run_case(handle, &g, &o, &workspace, forced))
            continue;
        // Once more, with the counters that the first call left.
        operand_upload(&o.x);
        assert_ok(call_function(handle, &g, &o));
        assert_vector(&g, &o);
    }
    assert_ok(myblasSetStream(handle, NULL));
    operand_destroy(&o.a);
    operand_destroy(&o.x);
    operand_destroy(&o.y);
    operand_destroy(&o.scalars);
    operand_destroy(&workspace);
}

static void with_every_kernel(void** state, enum function function, myblasRoutine_t routine) {
    myblasHandle_t handle = require_handle(state);
    const int count = kernel_count(handle, routine);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, routine, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        random_seed((uint64_t)i + 1);
        assert_ok(myblasForceKernel(handle, routine, info.name));
        run_cases(handle, function, info.name);
        if (function == trmv)
            run_many_blocks(handle, info.name);
    }
    assert_ok(myblasForceKernel(handle, routine, NULL));
    random_seed(77);
    if (is_in_share(NULL))
        run_cases(handle, function, NULL);
}

static void test_symv(void** state) { with_every_kernel(state, symv, MYBLAS_ROUTINE_SYMV); }
static void test_syr(void** state) { with_every_kernel(state, syr, MYBLAS_ROUTINE_SYR); }
static void test_syr2(void** state) { with_every_kernel(state, syr2, MYBLAS_ROUTINE_SYR); }
static void test_trmv(void** state) { with_every_kernel(state, trmv, MYBLAS_ROUTINE_TRMV); }
static void test_trsv(void** state) { with_every_kernel(state, trsv, MYBLAS_ROUTINE_TRSV); }

// For a single element every increment but zero is valid, also one that does not fit an int.
static void test_extreme_increments(void** state) {
    static const int64_t increments[] = {1,
                                         INT64_MIN,
                                         INT64_MIN + 1,
                                         -((int64_t)1 << 32),
                                         -((int64_t)1 << 31),
                                         (int64_t)1 << 32,
                                         INT64_MAX};
    enum { symv_call, syr_call, syr2_call, trmv_call, trsv_call, gemv_call, ger_call, calls };
    static const float results[] = {11, 11, 32, 6, 1.5f, 11, 17};
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    const myblasFillMode_t uplo = MYBLAS_FILL_MODE_LOWER;
    const myblasOperation_t trans = MYBLAS_OP_N;
    const myblasDiagType_t diag = MYBLAS_DIAG_NON_UNIT;
    const float one = 1;
    struct operand memory = operand_create(handle);
    for (size_t i = 0; i < COUNT_OF(increments); ++i) {
        const int64_t inc = increments[i];
        for (int call = 0; call < calls; ++call) {
            float* host = operand_place(&memory, 3 * sizeof(float), 0);
            host[0] = 2;
            host[1] = 3;
            host[2] = 5;
            operand_upload(&memory);
            float *a = operand_device(&memory), *x = a + 1, *y = a + 2;
            myblasStatus_t status = MYBLAS_STATUS_SUCCESS;
            int result = 0; // the place of the result: A, x or y
            switch (call) {
            case symv_call:
                status = myssymv_64(handle, uplo, 1, &one, a, 1, x, inc, &one, y, inc);
                result = 2;
                break;
            case syr_call:
                status = myssyr_64(handle, uplo, 1, &one, x, inc, a, 1);
                break;
            case syr2_call:
                status = myssyr2_64(handle, uplo, 1, &one, x, inc, y, inc, a, 1);
                break;
            case trmv_call:
                status = mystrmv_64(handle, uplo, trans, diag, 1, a, 1, x, inc);
                result = 1;
                break;
            case trsv_call:
                status = mystrsv_64(handle, uplo, trans, diag, 1, a, 1, x, inc);
                result = 1;
                break;
            case gemv_call:
                status = mysgemv_64(handle, trans, 1, 1, &one, a, 1, x, inc, &one, y, inc);
                result = 2;
                break;
            default:
                status = mysger_64(handle, 1, 1, &one, x, inc, y, inc, a, 1);
            }
            assert_ok(status);
            const float* found = operand_download(&memory);
            if (found[result] != results[call])
                fail_msg("call %d with increment %lld: %g, not %g",
                         call,
                         (long long)inc,
                         found[result],
                         results[call]);
        }
    }
    operand_destroy(&memory);
}

// Vectors that run backwards over more than 2^31 elements, with memory for the referenced elements
// alone.
static void test_far_increments(void** state) {
    enum { n = 3, symv_call = 0, syr_call, syr2_call, trmv_call, trsv_call, gemv_call, calls };
    static const float ones[n * n] = {1, 1, 1, 0, 1, 1, 0, 0, 1};
    static const float results[calls][n] = {
        {7, 7, 7}, {2, 3, 4}, {3, 4, 5}, {1, 3, 6}, {1, 1, 1}, {2, 4, 7}};
    const int64_t inc = -((int64_t)1 << 30) - 1;
    const size_t bytes = span(n, inc) * sizeof(float);
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    if (backend_of(handle) != MYBLAS_BACKEND_HOST)
        skip();
    float* x = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    float* y = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    const bool have_memory = x != MAP_FAILED && y != MAP_FAILED;
    const myblasFillMode_t uplo = MYBLAS_FILL_MODE_LOWER;
    const myblasOperation_t trans = MYBLAS_OP_N;
    const myblasDiagType_t diag = MYBLAS_DIAG_NON_UNIT;
    const float one = 1;
    for (int call = 0; have_memory && call < calls; ++call) {
        float a[n * n];
        memcpy(a, ones, sizeof a);
        for (int i = 0; i < n; ++i) {
            x[position(i, n, inc)] = (float)(i + 1);
            y[position(i, n, inc)] = 1;
        }
        myblasStatus_t status = MYBLAS_STATUS_SUCCESS;
        const float* result = y;
        switch (call) {
        case symv_call:
            status = myssymv_64(handle, uplo, n, &one, a, n, x, inc, &one, y, inc);
            break;
        case syr_call:
            status = myssyr_64(handle, uplo, n, &one, x, inc, a, n);
            result = a;
            break;
        case syr2_call:
            status = myssyr2_64(handle, uplo, n, &one, x, inc, y, inc, a, n);
            result = a;
            break;
        case trmv_call:
            status = mystrmv_64(handle, uplo, trans, diag, n, a, n, x, inc);
            result = x;
            break;
        case trsv_call:
            status = mystrsv_64(handle, uplo, trans, diag, n, a, n, x, inc);
            result = x;
            break;
        default:
            status = mysgemv_64(handle, trans, n, n, &one, a, n, x, inc, &one, y, inc);
        }
        assert_ok(status);
        for (int i = 0; i < n; ++i) {
            const float found = result[result == a ? i : position(i, n, inc)];
            if (found != results[call][i])
                fail_msg("call %d: element %d is %g, not %g", call, i, found, results[call][i]);
        }
    }
    if (x != MAP_FAILED)
        munmap(x, bytes);
    if (y != MAP_FAILED)
        munmap(y, bytes);
    if (!have_memory)
        skip();
}

// ---- Streams and handles ------------------------------------------------------------------------

// Calls that alternate between two streams of two handles, without waiting for each other, give the
// same bits as calls that run alone. The kernels of one stream must not touch the workspace and the
// counters of the other.
enum { order = 700, lanes = 4, turns = 12, elements = order * order };

static void enqueue_some(myblasHandle_t handle, const float* a, float* x, float* y) {
    const float one = 1, half = 0.5f;
    const myblasFillMode_t upper = MYBLAS_FILL_MODE_UPPER, lower = MYBLAS_FILL_MODE_LOWER;
    const myblasDiagType_t diag = MYBLAS_DIAG_NON_UNIT;
    assert_ok(mystrsv(handle, lower, MYBLAS_OP_N, diag, order, a, order, x, 1));
    assert_ok(myssymv(handle, lower, order, &half, a, order, x, 1, &half, y, 1));
    assert_ok(mystrmv(handle, upper, MYBLAS_OP_T, diag, order, a, order, x, 1));
    assert_ok(mystrsv(handle, upper, MYBLAS_OP_T, diag, order, a, order, y, 1));
    assert_ok(mystrmv(handle, lower, MYBLAS_OP_N, diag, order, a, order, y, 1));
    assert_ok(mysgemv(handle, MYBLAS_OP_T, order, order, &half, a, order, y, 1, &one, x, 1));
}

static void test_streams(void** state) {
    myblasHandle_t handle = require_handle(state), other = NULL;
    skip_outside_share();
    if (backend_of(handle) != MYBLAS_BACKEND_CUDA)
        skip();
    assert_ok(myblasCreateOn(&other, MYBLAS_BACKEND_CUDA));
    struct operand a = operand_create(handle), alone = operand_create(handle);
    struct operand both[lanes];
    random_seed(8);
    float* host = operand_place(&a, elements * sizeof(float), 0);
    for (int i = 0; i < elements; ++i)
        host[i] = i % (order + 1) == 0 ? 1.5f : random_float() / order;
    operand_upload(&a);
    float start[2 * order]; // x, then y
    for (int i = 0; i < 2 * order; ++i)
        start[i] = random_float();
    memcpy(operand_place(&alone, sizeof start, 0), start, sizeof start);
    operand_upload(&alone);
    for (int turn = 0; turn < turns; ++turn) {
        float* x = operand_device(&alone);
        enqueue_some(handle, operand_device(&a), x, x + order);
    }
    const float* expected = operand_download(&alone);

    myblasStream_t streams[2];
    for (int i = 0; i < 2; ++i)
        assert_ok(myblasStreamCreate(handle, &streams[i]));
    for (int lane = 0; lane < lanes; ++lane) {
        both[lane] = operand_create(handle);
        memcpy(operand_place(&both[lane], sizeof start, 0), start, sizeof start);
        operand_upload(&both[lane]);
    }
    for (int turn = 0; turn < turns; ++turn)
        for (int lane = 0; lane < lanes; ++lane) {
            const myblasHandle_t own = lane / 2 ? other : handle;
            float* x = operand_device(&both[lane]);
            assert_ok(myblasSetStream(own, streams[lane % 2]));
            enqueue_some(own, operand_device(&a), x, x + order);
        }
    for (int i = 0; i < 2; ++i)
        assert_ok(myblasStreamSynchronize(handle, streams[i]));
    assert_ok(myblasSetStream(handle, NULL));
    assert_ok(myblasDestroy(other));
    for (int lane = 0; lane < lanes; ++lane) {
        assert_memory_equal(operand_download(&both[lane]), expected, sizeof start);
        operand_destroy(&both[lane]);
    }
    for (int i = 0; i < 2; ++i)
        assert_ok(myblasStreamDestroy(handle, streams[i]));
    operand_destroy(&a);
    operand_destroy(&alone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symv),
        cmocka_unit_test(test_syr),
        cmocka_unit_test(test_syr2),
        cmocka_unit_test(test_trmv),
        cmocka_unit_test(test_trsv),
        cmocka_unit_test(test_extreme_increments),
        cmocka_unit_test(test_far_increments),
        cmocka_unit_test(test_streams),
    };
    return RUN_ON_BACKENDS("triangles", tests);
}
