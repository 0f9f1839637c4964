// Level 2: mysgemv with its batched forms, and mysger, against float64 within the bounds of the
// header, with every kernel of products that accepts them.
#include "support.h"

#include <math.h>

// ---- Vectors and matrices -----------------------------------------------------------------------

static const int64_t increments[] = {1, 2, -1, 3, -2};

enum { most_batches = 3, guard = 5 };

// graded: the rows and the elements of x differ by powers of two, and so do the terms of a sum.
enum data { integers, uniform, graded, data_count };

static float value_of(enum data data) {
    switch (data) {
    case integers:
        return random_integer();
    case uniform:
        return random_float();
    default:
        return ldexpf(random_float(), (int)random_between(-30, 30));
    }
}

struct case_2 {
    bool ger;
    int form; // of gemv: 0 plain, 1 strided batch, 2 batch by pointers
    bool trans, wide, device_scalars;
    int64_t m, n, lda, incx, incy, batches;
    int misaligned;
    enum data data;
    float alpha, beta;
};

struct operands {
    struct operand a, x, y, scalars, arrays;
};

static int64_t length_x(const struct case_2* g) { return g->ger || g->trans ? g->m : g->n; }
static int64_t length_y(const struct case_2* g) { return g->ger || g->trans ? g->n : g->m; }

// Distances between the operands of a batch, with gaps.
static int64_t stride_of_a(const struct case_2* g) { return g->lda * g->n + guard; }
static int64_t stride_of_x(const struct case_2* g) {
    return (int64_t)span(length_x(g), g->incx) + guard;
}
static int64_t stride_of_y(const struct case_2* g) {
    return (int64_t)span(length_y(g), g->incy) + guard;
}

static float* place(struct operand* o, int64_t floats, int misaligned) {
    return operand_place(o, (size_t)floats * sizeof(float), (size_t)misaligned * sizeof(float));
}

static void fill_vector(float* host, int64_t n, int64_t inc, enum data data) {
    for (int64_t i = 0; i < n; ++i)
        host[position(i, n, inc)] = value_of(data);
}

// Elements that the call does not read stay NaN.
static void place_operands(const struct case_2* g, struct operands* o) {
    const int64_t last = g->batches - 1;
    float* a = place(&o->a, last * stride_of_a(g) + (g->n - 1) * g->lda + g->m, g->misaligned);
    float* x = place(
        &o->x, last * stride_of_x(g) + (int64_t)span(length_x(g), g->incx), g->misaligned * 3 % 4);
    float* y = place(
        &o->y, last * stride_of_y(g) + (int64_t)span(length_y(g), g->incy), g->misaligned * 2 % 4);
    for (int64_t b = 0; b < g->batches; ++b) {
        if (g->alpha != 0 || g->ger)
            for (int64_t j = 0; j < g->n; ++j)
                for (int64_t i = 0; i < g->m; ++i)
                    a[b * stride_of_a(g) + i + j * g->lda] = value_of(g->data);
        if (g->alpha != 0) {
            fill_vector(x + b * stride_of_x(g), length_x(g), g->incx, g->data);
        }
        if (g->ger ? g->alpha != 0 : g->beta != 0)
            fill_vector(y + b * stride_of_y(g), length_y(g), g->incy, g->data);
    }
    operand_upload(&o->a);
    operand_upload(&o->x);
    operand_upload(&o->y);
    float* scalars = operand_place(&o->scalars, 2 * sizeof(float), 0);
    scalars[0] = g->alpha;
    scalars[1] = g->beta;
    operand_upload(&o->scalars);
    void** arrays = operand_place(&o->arrays, 3 * most_batches * sizeof(void*), 0);
    for (int64_t b = 0; b < g->batches; ++b) {
        arrays[b] = (float*)operand_device(&o->a) + b * stride_of_a(g);
        arrays[most_batches + b] = (float*)operand_device(&o->x) + b * stride_of_x(g);
        arrays[2 * most_batches + b] = (float*)operand_device(&o->y) + b * stride_of_y(g);
    }
    operand_upload(&o->arrays);
}

static myblasStatus_t
call_it(myblasHandle_t handle, const struct case_2* g, const struct operands* o) {
    float *a = operand_device(&o->a), *x = operand_device(&o->x), *y = operand_device(&o->y);
    const float* scalars = operand_device(&o->scalars);
    const float* alpha = g->device_scalars ? scalars : &g->alpha;
    const float* beta = g->device_scalars ? scalars + 1 : &g->beta;
    const myblasOperation_t trans = !g->trans ? MYBLAS_OP_N : g->m % 2 ? MYBLAS_OP_T : MYBLAS_OP_C;
    const int m = (int)g->m, n = (int)g->n, lda = (int)g->lda, batches = (int)g->batches;
    const int incx = (int)g->incx, incy = (int)g->incy;
    const long long sa = stride_of_a(g), sx = stride_of_x(g), sy = stride_of_y(g);
    const float* const* arrays = operand_device(&o->arrays);
    float* const* ys = (float* const*)operand_device(&o->arrays) + 2 * most_batches;
    // clang-format off
    if (g->ger)
        return g->wide ? mysger_64(handle, g->m, g->n, alpha, x, g->incx, y, g->incy, a, g->lda)
                       : mysger(handle, m, n, alpha, x, incx, y, incy, a, lda);
    switch (g->form) {
    case 0:
        return g->wide ? mysgemv_64(handle, trans, g->m, g->n, alpha, a, g->lda, x, g->incx, beta,
                                    y, g->incy)
                       : mysgemv(handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
    case 1:
        return g->wide ? mysgemvStridedBatched_64(handle, trans, g->m, g->n, alpha, a, g->lda, sa,
                                                  x, g->incx, sx, beta, y, g->incy, sy, g->batches)
                       : mysgemvStridedBatched(handle, trans, m, n, alpha, a, lda, sa, x, incx, sx,
                                               beta, y, incy, sy, batches);
    default:
        return g->wide ? mysgemvBatched_64(handle, trans, g->m, g->n, alpha, arrays, g->lda,
                                           arrays + most_batches, g->incx, beta, ys, g->incy,
                                           g->batches)
                       : mysgemvBatched(handle, trans, m, n, alpha, arrays, lda,
                                        arrays + most_batches, incx, beta, ys, incy, batches);
    }
    // clang-format on
}

static void assert_near(const struct case_2* g,
                        const char* kernel,
                        int64_t i,
                        int64_t j,
                        float found,
                        double exact,
                        double bound) {
    if (g->data == integers && g->alpha == 1 && (g->beta == 0 || g->beta == 1))
        bound = 0;
    if (!(fabs(found - exact) <= bound))
        fail_msg("%s: %s form %d %c m %lld n %lld lda %lld incx %lld incy %lld data %d alpha %g "
                 "beta %g: element "
                 "%lld, %lld is %.9g, not %.9g; bound %.3g",
                 kernel ? kernel : "selection",
                 g->ger ? "ger" : "gemv",
                 g->form,
                 g->trans ? 'T' : 'N',
                 (long long)g->m,
                 (long long)g->n,
                 (long long)g->lda,
                 (long long)g->incx,
                 (long long)g->incy,
                 g->data,
                 (double)g->alpha,
                 (double)g->beta,
                 (long long)i,
                 (long long)j,
                 (double)found,
                 exact,
                 bound);
}

static void assert_gemv(const struct case_2* g, const char* kernel, struct operands* o) {
    const float *a = sent(&o->a), *x = sent(&o->x);
    const float* old = sent(&o->y);
    const float* found = operand_download(&o->y);
    const int64_t ny = length_y(g), k = length_x(g);
    const size_t count = o->y.bytes / sizeof(float);
    bool* is_element = calloc(count, sizeof *is_element);
    assert_non_null(is_element);
    for (int64_t b = 0; b < g->batches; ++b)
        for (int64_t i = 0; i < ny; ++i) {
            double sum = 0, magnitude = 0;
            for (int64_t l = 0; l < k && g->alpha != 0; ++l) {
                const double term =
                    (double)a[b * stride_of_a(g) + (g->trans ? l + i * g->lda : i + l * g->lda)] *
                    x[b * stride_of_x(g) + position(l, k, g->incx)];
                sum += term;
                magnitude += fabs(term);
            }
            const int64_t at = b * stride_of_y(g) + position(i, ny, g->incy);
            is_element[at] = true;
            const double kept = g->beta == 0 ? 0 : (double)g->beta * old[at];
            assert_near(g,
                        kernel,
                        b,
                        i,
                        found[at],
                        g->alpha * sum + kept,
                        (double)(k + 4) * UNIT_ROUNDOFF *
                            (fabs(g->alpha) * magnitude + fabs(kept)));
        }
    for (size_t i = 0; i < count; ++i)
        if (!is_element[i])
            assert_memory_equal(&found[i], &old[i], sizeof(float));
    free(is_element);
    operand_assert_unchanged(&o->a);
}

static void assert_ger(const struct case_2* g, const char* kernel, struct operands* o) {
    const float *old = sent(&o->a), *x = sent(&o->x);
    const float* y = sent(&o->y);
    const float* found = operand_download(&o->a);
    for (int64_t j = 0; j < g->n; ++j)
        for (int64_t i = 0; i < g->m; ++i) {
            const int64_t at = i + j * g->lda;
            double term = 0;
            if (g->alpha != 0)
                term = (double)g->alpha * x[position(i, g->m, g->incx)] *
                       y[position(j, g->n, g->incy)];
            assert_near(g,
                        kernel,
                        i,
                        j,
                        found[at],
                        old[at] + term,
                        3 * UNIT_ROUNDOFF * (fabs(term) + fabs((double)old[at])) +
                            (1 + fabs((double)g->alpha)) * SMALLEST_SUBNORMAL);
        }
    operand_assert_padding(&o->a, g->m, g->n, g->lda, sizeof(float));
    operand_assert_unchanged(&o->y);
}

struct counts {
    int ran, declined;
};

static void run_case(myblasHandle_t handle,
                     const char* forced,
                     const struct case_2* g,
                     struct operands* o,
                     struct counts* counts) {
    place_operands(g, o);
    assert_ok(myblasSetPointerMode(
        handle, g->device_scalars ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
    const myblasStatus_t status = call_it(handle, g, o);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED) {
        assert_non_null(forced);
        operand_assert_unchanged(&o->a);
        operand_assert_unchanged(&o->y);
        ++counts->declined;
        return;
    }
    assert_ok(status);
    ++counts->ran;
    if (g->ger)
        assert_ger(g, forced, o);
    else
        assert_gemv(g, forced, o);
    operand_assert_unchanged(&o->x);
}

static struct counts run_cases(myblasHandle_t handle, const char* forced, bool ger) {
    static const int64_t sizes[] = {1, 2, 3, 4, 7, 16, 31, 33, 64, 65, 129, 257};
    static const float alphas[] = {1, -0.5f, 0, 0.7f}, betas[] = {0, 1, -0.5f, 0.3f};
    const struct operand empty = operand_create(handle);
    struct operands o = {empty, empty, empty, empty, empty};
    struct counts counts = {0, 0};
    const int rounds = reduced() ? 40 : forced ? 300 : 1500;
    for (int round = 0; round < rounds; ++round) {
        struct case_2 g = {.ger = ger,
                           .form = ger ? 0 : (int)random_between(0, 2),
                           .trans = !ger && random_between(0, 1),
                           .wide = random_between(0, 1),
                           .device_scalars = random_between(0, 1),
                           .m = sizes[random_between(0, COUNT_OF(sizes) - 1)],
                           .n = sizes[random_between(0, COUNT_OF(sizes) - 1)],
                           .incx = increments[random_between(0, COUNT_OF(increments) - 1)],
                           .incy = increments[random_between(0, COUNT_OF(increments) - 1)],
                           .misaligned = (int)random_between(0, 3),
                           .data = (enum data)random_between(0, data_count - 1),
                           .alpha = alphas[random_between(0, 3)],
                           .beta = betas[random_between(0, 3)]};
        g.lda = g.m + random_between(0, 2) * 3;
        g.batches = g.form == 0 ? 1 : random_between(1, most_batches);
        run_case(handle, forced, &g, &o, &counts);
    }
    // Columns that do not start on cache lines, and are long: `gemv` has a kernel for them.
    if (!ger && !reduced() && (!forced || strcmp(forced, "gemv") == 0))
        for (int turn = 0; turn < 4; ++turn) {
            struct case_2 g = {.m = 2003 + 130 * turn,
                               .n = 2001 + 31 * turn,
                               .incx = turn == 2 ? -2 : 1,
                               .incy = turn == 3 ? -3 : 1,
                               .batches = 1,
                               .data = turn ? uniform : integers,
                               .misaligned = turn,
                               .alpha = turn ? 0.7f : 1,
                               .beta = (float)turn};
            g.lda = g.m + turn;
            run_case(handle, forced, &g, &o, &counts);
        }
    // One call for each other form of `gemv` that needs a large matrix: op, m, n, incx; columns
    // without gaps.
    static const int64_t large[][4] = {{0, 4100, 1028, 1},
                                       {0, 1003, 4200, 1},
                                       {0, 5001, 3001, 1},
                                       {0, 500, 80000, 1},
                                       {0, 501, 80000, -2},
                                       {1, 60000, 100, 1},
                                       {1, 72, 60000, 1},
                                       {1, 100, 130000, 1},
                                       {1, 130, 30000, 1},
                                       {1, 300, 45000, 1},
                                       {1, 514, 30000, 1},
                                       {1, 768, 16000, 2},
                                       {1, 768, 16000, 1},
                                       {1, 33, 26000, 1},
                                       {1, 64, 26000, 1},
                                       {1, 2004, 1100, 1},
                                       {1, 12004, 1100, 1},
                                       {1, 12003, 1100, 1},
                                       {1, 16500, 300, -5}};
    if (!ger && !reduced() && (!forced || strcmp(forced, "gemv") == 0))
        for (size_t i = 0; i < COUNT_OF(large); ++i) {
            struct case_2 g = {.trans = large[i][0] != 0,
                               .m = large[i][1],
                               .n = large[i][2],
                               .lda = large[i][1],
                               .incx = large[i][3],
                               .incy = 1,
                               .batches = 1,
                               .data = integers,
                               .alpha = 1,
                               .beta = 0.3f};
            run_case(handle, forced, &g, &o, &counts);
        }
    // Long in either direction, so that partial sums are added.
    for (int turn = 0; turn < (forced || reduced() ? 0 : 8); ++turn) {
        struct case_2 g = {.ger = ger,
                           .trans = !ger && turn % 2,
                           .m = turn / 2 % 2 ? 5 : 20011,
                           .n = turn / 2 % 2 ? 20011 : 5,
                           .incx = turn / 4 ? 2 : 1,
                           .incy = turn / 4 ? -1 : 1,
                           .batches = 1,
                           .data = uniform,
                           .alpha = 0.7f,
                           .beta = -0.5f};
        g.lda = g.m + 1;
        run_case(handle, forced, &g, &o, &counts);
    }
    // All ratios of the sides: `gemv` divides the longer one among blocks.
    if (!ger && (!forced || strcmp(forced, "gemv") == 0))
        for (int turn = 0; turn < (reduced() ? 8 : 64); ++turn) {
            static const int64_t few[] = {1, 2, 3, 5, 8, 16, 17, 24, 33, 64, 100, 129};
            const int64_t narrow = few[random_between(0, COUNT_OF(few) - 1)];
            const int64_t wide = random_between(4000, 1200000 / (20 + narrow));
            struct case_2 g = {.trans = random_between(0, 1),
                               .m = turn % 2 ? narrow : wide,
                               .n = turn % 2 ? wide : narrow,
                               .incx = turn % 7 ? 1 : -2,
                               .incy = turn % 5 ? 1 : -3,
                               .device_scalars = random_between(0, 1),
                               .batches = 1,
                               .misaligned = turn % 3 ? 0 : (int)random_between(1, 3),
                               .data = (enum data)random_between(0, data_count - 1),
                               .alpha = alphas[random_between(0, 3)],
                               .beta = betas[random_between(0, 3)]};
            if (turn % 4 < 2)
                g.m = (g.m + 3) / 4 * 4, g.n = (g.n + 3) / 4 * 4;
            g.lda = g.m + (turn % 8 < 4 ? 0 : random_between(0, 8));
            run_case(handle, forced, &g, &o, &counts);
        }
    operand_destroy(&o.a);
    operand_destroy(&o.x);
    operand_destroy(&o.y);
    operand_destroy(&o.scalars);
    operand_destroy(&o.arrays);
    return counts;
}

static void run_every_kernel(void** state, bool ger) {
    myblasHandle_t handle = require_handle(state);
    random_seed(3);
    if (is_in_share(NULL)) {
        const struct counts selected = run_cases(handle, NULL, ger);
        assert_true(selected.ran > (reduced() ? 10 : 1000));
    }
    const myblasRoutine_t routine = ger ? MYBLAS_ROUTINE_SYR : MYBLAS_ROUTINE_SGEMM;
    const int count = kernel_count(handle, routine);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, routine, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        random_seed((uint64_t)i + 10);
        assert_ok(myblasForceKernel(handle, routine, info.name));
        const struct counts counts = run_cases(handle, info.name, ger);
        print_message("  %s: %d calls, %d declined\n", info.name, counts.ran, counts.declined);
        // `openblas` declines ger, because OpenBLAS's does not keep the bound.
        if (strcmp(info.name, "openblas") != 0 && ger)
            assert_int_equal(counts.declined, 0);
        // (Of the few cases of a reduced run, a kernel may accept none.)
        if (!reduced() &&
            (strcmp(info.name, "openblas") != 0 || !getenv("MYBLAS_TEST_WITHOUT_OPENBLAS")))
            assert_true(counts.ran > 0);
    }
    assert_ok(myblasForceKernel(handle, routine, NULL));
}

static void test_gemv(void** state) { run_every_kernel(state, false); }
static void test_ger(void** state) { run_every_kernel(state, true); }

// A product of two factors may overflow or underflow where the product of all three does not.
static void test_ger_range(void** state) {
    static const float factors[][3] = {{1e30f, 1e30f, 1e-30f}, // alpha, x, y
                                       {1e30f, 1e-30f, 1e30f},
                                       {1e-30f, 1e30f, 1e30f},
                                       {1e-30f, 1e-30f, 1e30f},
                                       {1e-30f, 1e30f, 1e-30f},
                                       {1e30f, 1e-30f, 1e-30f},
                                       {1e38f, 1e-38f, 1e38f}};
    enum { m = 70, n = 37 };
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    struct operand a = operand_create(handle), x = operand_create(handle),
                   y = operand_create(handle);
    for (size_t f = 0; f < COUNT_OF(factors); ++f) {
        float* host_a = operand_place(&a, m * n * sizeof(float), 0);
        float* host_x = operand_place(&x, m * sizeof(float), 0);
        float* host_y = operand_place(&y, n * sizeof(float), 0);
        const float alpha = factors[f][0];
        for (int i = 0; i < m * n; ++i)
            host_a[i] = 0;
        for (int i = 0; i < m; ++i)
            host_x[i] = factors[f][1] * (1 + random_float() / 4);
        for (int j = 0; j < n; ++j)
            host_y[j] = factors[f][2] * (1 + random_float() / 4);
        operand_upload(&a);
        operand_upload(&x);
        operand_upload(&y);
        float* const device_y = operand_device(&y);
        assert_ok(mysger(
            handle, m, n, &alpha, operand_device(&x), 1, device_y, 1, operand_device(&a), m));
        const float* found = operand_download(&a);
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i) {
                const double exact = (double)alpha * host_x[i] * host_y[j];
                if (!(fabs(found[i + j * m] - exact) <= 3 * UNIT_ROUNDOFF * fabs(exact)))
                    fail_msg("%g * %g * %g is %g", alpha, host_x[i], host_y[j], found[i + j * m]);
            }
    }
    operand_destroy(&a);
    operand_destroy(&x);
    operand_destroy(&y);
}

// If a matrix has no rows or no columns, y is unchanged for every beta.
static void test_empty_matrices(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    struct operand y = operand_create(handle);
    float* host = operand_place(&y, 8 * sizeof(float), 0);
    for (int i = 0; i < 8; ++i)
        host[i] = 1;
    operand_upload(&y);
    const float zero = 0;
    for (int op = MYBLAS_OP_N; op <= MYBLAS_OP_C; ++op) {
        const myblasOperation_t trans = (myblasOperation_t)op;
        assert_ok(
            mysgemv(handle, trans, 0, 8, &zero, NULL, 1, NULL, 1, &zero, operand_device(&y), 1));
        assert_ok(
            mysgemv(handle, trans, 8, 0, &zero, NULL, 8, NULL, 1, &zero, operand_device(&y), 1));
    }
    operand_assert_unchanged(&y);
    operand_destroy(&y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gemv),
        cmocka_unit_test(test_ger),
        cmocka_unit_test(test_ger_range),
        cmocka_unit_test(test_empty_matrices),
    };
    return RUN_ON_BACKENDS("level2", tests);
}
