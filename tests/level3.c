// Level 3: every kernel of every routine against double precision, on easy and on hostile data,
// with NaN wherever the library must not read.
#include "support.h"

#include <math.h>

// ---- Calls --------------------------------------------------------------------------------------

enum function { syrk, syrkx, syr2k, gemmtr, symm, trmm, trsm, function_count };

static const char* const function_names[] = {
    "syrk", "syrkx", "syr2k", "gemmtr", "symm", "trmm", "trsm"};

enum data { integers, uniform, graded, wide_diagonal, growing, data_count };

// A call of any function; fields that the function does not have are ignored.
struct level3_case {
    enum function function;
    myblasSideMode_t side;
    myblasFillMode_t uplo;
    myblasOperation_t trans, transb; // transb: of gemmtr
    myblasDiagType_t diag;
    int64_t m, n, k; // syrk and the like: n x n, k
    int64_t padding; // of every leading dimension
    float alpha, beta;
    bool in_place, device_scalars, wide;
    enum data data;
};

struct operands {
    struct operand a, b, c, scalars, workspace;
};

static struct operands operands_create(myblasHandle_t handle) {
    const struct operand o = operand_create(handle);
    return (struct operands){o, o, o, o, o};
}

static void operands_destroy(struct operands* o) {
    operand_destroy(&o->a);
    operand_destroy(&o->b);
    operand_destroy(&o->c);
    operand_destroy(&o->scalars);
    operand_destroy(&o->workspace);
}

static bool is_rank_k(enum function f) { return f <= gemmtr; }
static bool has_b(enum function f) { return f != syrk; }
static bool has_c(enum function f) { return f != trsm; }

static myblasRoutine_t routine_of(enum function f) {
    static const myblasRoutine_t routines[] = {MYBLAS_ROUTINE_SYRK,
                                               MYBLAS_ROUTINE_SYRK,
                                               MYBLAS_ROUTINE_SYR2K,
                                               MYBLAS_ROUTINE_SYRK,
                                               MYBLAS_ROUTINE_SYMM,
                                               MYBLAS_ROUTINE_TRMM,
                                               MYBLAS_ROUTINE_TRSM};
    return routines[f];
}

// The order of the symmetric or triangular operand.
static int64_t order_of(const struct level3_case* s) {
    return s->side == MYBLAS_SIDE_LEFT ? s->m : s->n;
}

struct shape {
    int64_t rows, cols, ld;
};

static struct shape shape_of(int64_t rows, int64_t cols, int64_t padding) {
    return (struct shape){rows, cols, (rows > 1 ? rows : 1) + padding};
}

static struct shape shape_a(const struct level3_case* s) {
    if (is_rank_k(s->function))
        return s->trans == MYBLAS_OP_N ? shape_of(s->n, s->k, s->padding)
                                       : shape_of(s->k, s->n, s->padding);
    return shape_of(order_of(s), order_of(s), s->padding);
}

// In syrk and the like, op(B) is the transpose of a matrix that is stored like A.
static myblasOperation_t transb_of(const struct level3_case* s) {
    return s->function == gemmtr ? s->transb : s->trans == MYBLAS_OP_N ? MYBLAS_OP_T : MYBLAS_OP_N;
}

static struct shape shape_b(const struct level3_case* s) {
    if (is_rank_k(s->function))
        return transb_of(s) == MYBLAS_OP_N ? shape_of(s->k, s->n, s->padding)
                                           : shape_of(s->n, s->k, s->padding);
    return shape_of(s->m, s->n, s->padding);
}

static struct shape shape_c(const struct level3_case* s) {
    return shape_of(is_rank_k(s->function) ? s->n : s->m, s->n, s->padding);
}

static myblasStatus_t call(myblasHandle_t h,
                           const struct level3_case* s,
                           const float* alpha,
                           const float* beta,
                           const float* a,
                           float* b,
                           float* c) {
    const int64_t lda = shape_a(s).ld, ldb = shape_b(s).ld, ldc = shape_c(s).ld;
    const int m = (int)s->m, n = (int)s->n, k = (int)s->k;
    const int la = (int)lda, lb = (int)ldb, lc = (int)ldc;
    // clang-format off
    switch (s->function) {
    case syrk:
        return s->wide ? myssyrk_64(h, s->uplo, s->trans, s->n, s->k, alpha, a, lda, beta, c, ldc)
                       : myssyrk(h, s->uplo, s->trans, n, k, alpha, a, la, beta, c, lc);
    case syrkx:
        return s->wide ? myssyrkx_64(h, s->uplo, s->trans, s->n, s->k, alpha, a, lda, b, ldb, beta,
                                     c, ldc)
                       : myssyrkx(h, s->uplo, s->trans, n, k, alpha, a, la, b, lb, beta, c, lc);
    case syr2k:
        return s->wide ? myssyr2k_64(h, s->uplo, s->trans, s->n, s->k, alpha, a, lda, b, ldb, beta,
                                     c, ldc)
                       : myssyr2k(h, s->uplo, s->trans, n, k, alpha, a, la, b, lb, beta, c, lc);
    case gemmtr:
        return s->wide ? mysgemmtr_64(h, s->uplo, s->trans, s->transb, s->n, s->k, alpha, a, lda, b,
                                      ldb, beta, c, ldc)
                       : mysgemmtr(h, s->uplo, s->trans, s->transb, n, k, alpha, a, la, b, lb, beta,
                                   c, lc);
    case symm:
        return s->wide ? myssymm_64(h, s->side, s->uplo, s->m, s->n, alpha, a, lda, b, ldb, beta, c,
                                    ldc)
                       : myssymm(h, s->side, s->uplo, m, n, alpha, a, la, b, lb, beta, c, lc);
    case trmm:
        return s->wide ? mystrmm_64(h, s->side, s->uplo, s->trans, s->diag, s->m, s->n, alpha, a,
                                    lda, b, ldb, c, ldc)
                       : mystrmm(h, s->side, s->uplo, s->trans, s->diag, m, n, alpha, a, la, b, lb,
                                 c, lc);
    default:
        return s->wide ? mystrsm_64(h, s->side, s->uplo, s->trans, s->diag, s->m, s->n, alpha, a,
                                    lda, b, ldb)
                       : mystrsm(h, s->side, s->uplo, s->trans, s->diag, m, n, alpha, a, la, b, lb);
    }
    // clang-format on
}

static myblasCall_t describe(const struct level3_case* s) {
    myblasCall_t call = empty_call(routine_of(s->function));
    call.side = s->side;
    call.uplo = s->uplo;
    call.transa = s->trans;
    call.transb = transb_of(s);
    call.diag = s->diag;
    call.m = s->m;
    call.n = s->n;
    call.k = s->k;
    call.lda = shape_a(s).ld;
    call.ldb = has_b(s->function) ? shape_b(s).ld : 0;
    call.ldc = shape_c(s).ld;
    return call;
}

static const char* name_of(const struct level3_case* s) {
    static char text[256];
    snprintf(text,
             sizeof text,
             "%s %c%c%c%c%c m=%lld n=%lld k=%lld padding=%lld alpha=%g beta=%g data=%d%s%s%s",
             function_names[s->function],
             s->side == MYBLAS_SIDE_LEFT ? 'L' : 'R',
             s->uplo == MYBLAS_FILL_MODE_LOWER ? 'L' : 'U',
             s->trans == MYBLAS_OP_N ? 'N' : 'T',
             transb_of(s) == MYBLAS_OP_N ? 'N' : 'T',
             s->diag == MYBLAS_DIAG_UNIT ? 'U' : 'N',
             (long long)s->m,
             (long long)s->n,
             (long long)s->k,
             (long long)s->padding,
             s->alpha,
             s->beta,
             s->data,
             s->in_place ? " in place" : "",
             s->device_scalars ? " device" : "",
             s->wide ? " 64" : "");
    return text;
}

// ---- Data ---------------------------------------------------------------------------------------

static bool in_triangle(const struct level3_case* s, int64_t i, int64_t j) {
    return s->uplo == MYBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
}

// Element (i, j) of an n x n triangle. Solutions stay finite; with `growing`, by a factor of at
// most 2 a row.
static float triangle_value(const struct level3_case* s, int64_t i, int64_t j, int64_t n) {
    const float u = random_float();
    switch (s->data) {
    case integers:
        return i == j ? (random_bits() & 1 ? 1 : -1) : random_integer();
    case uniform: // so dominant a diagonal that solutions stay of the order of the right-hand side
        return i == j ? 1.5f + u / 2 : u / (float)sqrt((double)n + 1);
    case graded: // rows and columns from 1 down to 2^-40
        return ldexpf(i == j ? 1.5f + u / 2 : u / (float)sqrt((double)n), (int)(-20 * (i + j) / n));
    // tiny and huge diagonal elements, some subnormal; the others of a row are small against it
    case wide_diagonal:
        if (i == j)
            return ldexpf(1.5f + u / 2, (int)(i % 7 == 3 ? -130 : i % 5 * 20 - 40));
        return ldexpf(u, -135);
    default: // growing: an inverse with elements of 2^n, up to 2^60
        return i == j ? 1 : (n <= 60 || labs((long)(i - j)) == 1 ? -1.0f + 0.01f * u : 0.0f);
    }
}

static float value_of(const struct level3_case* s) {
    if (s->data == integers)
        return random_integer();
    if (s->data == wide_diagonal)
        return ldexpf(random_float(), -20); // so that quotients by the smallest are finite
    return random_float();
}

static void fill(float* host, struct shape x, const struct level3_case* s) {
    for (int64_t j = 0; j < x.cols; ++j)
        for (int64_t i = 0; i < x.rows; ++i)
            host[i + j * x.ld] = value_of(s);
}

// Elements that the routine does not reference stay NaN.
static void fill_a(float* host, const struct level3_case* s) {
    const struct shape x = shape_a(s);
    if (is_rank_k(s->function)) {
        fill(host, x, s);
        return;
    }
    const bool is_unit = s->function != symm && s->diag == MYBLAS_DIAG_UNIT;
    for (int64_t j = 0; j < x.cols; ++j)
        for (int64_t i = 0; i < x.rows; ++i)
            if (in_triangle(s, i, j) && !(is_unit && i == j))
                host[i + j * x.ld] =
                    s->function == symm ? value_of(s) : triangle_value(s, i, j, x.rows);
}

static void fill_c(float* host, const struct level3_case* s) {
    if (s->beta == 0)
        return;
    const struct shape x = shape_c(s);
    for (int64_t j = 0; j < x.cols; ++j)
        for (int64_t i = 0; i < x.rows; ++i)
            if (!is_rank_k(s->function) || in_triangle(s, i, j))
                host[i + j * x.ld] = value_of(s);
}

static void place(struct operand* o, struct shape x, float** host) {
    const size_t bytes = matrix_bytes(x.rows, x.cols, x.ld, sizeof(float));
    *host = operand_place(o, bytes, (size_t)random_between(0, 3) * sizeof(float));
}

static void set_up(struct operands* o, const struct level3_case* s) {
    float* host;
    place(&o->a, shape_a(s), &host);
    fill_a(host, s);
    operand_upload(&o->a);
    if (has_b(s->function)) {
        place(&o->b, shape_b(s), &host);
        fill(host, shape_b(s), s);
        operand_upload(&o->b);
    }
    if (has_c(s->function) && !s->in_place) {
        place(&o->c, shape_c(s), &host);
        fill_c(host, s);
        operand_upload(&o->c);
    }
    float* scalars = operand_place(&o->scalars, 2 * sizeof(float), 0);
    scalars[0] = s->alpha;
    scalars[1] = s->beta;
    operand_upload(&o->scalars);
}

static struct operand* result_of(struct operands* o, const struct level3_case* s) {
    return has_c(s->function) && !s->in_place ? &o->c : &o->b;
}

static myblasStatus_t run(myblasHandle_t handle, struct operands* o, const struct level3_case* s) {
    const float* scalars = s->device_scalars ? operand_device(&o->scalars)
                                             : (float*)(o->scalars.sent + o->scalars.front);
    assert_ok(myblasSetPointerMode(
        handle, s->device_scalars ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
    return call(handle,
                s,
                scalars,
                scalars + 1,
                operand_device(&o->a),
                has_b(s->function) ? operand_device(&o->b) : NULL,
                has_c(s->function) ? operand_device(result_of(o, s)) : NULL);
}

// ---- The reference ------------------------------------------------------------------------------

// The product of a line of op(A) and a line of B in double precision: the sum and the sum of
// magnitudes, over the terms that the routine has.
struct sums {
    double value, magnitude, largest; // of |op(A)| and |B| apart, multiplied
};

// Element (i, j) of op(A) for trmm and trsm, 0 outside of its triangle; of the whole A for symm.
static double element_a(const float* a, const struct level3_case* s, int64_t i, int64_t j) {
    const int64_t ld = shape_a(s).ld;
    if (s->function == symm)
        return in_triangle(s, i, j) ? a[i + j * ld] : a[j + i * ld];
    const int64_t row = s->trans == MYBLAS_OP_N ? i : j, col = s->trans == MYBLAS_OP_N ? j : i;
    if (row == col && s->diag == MYBLAS_DIAG_UNIT)
        return 1;
    return in_triangle(s, row, col) ? a[row + col * ld] : 0;
}

static bool is_term(const struct level3_case* s, int64_t i, int64_t j) {
    if (s->function == symm)
        return true;
    return s->trans == MYBLAS_OP_N ? in_triangle(s, i, j) : in_triangle(s, j, i);
}

static void add_term(struct sums* sums, double x, double y, double* most_x, double* most_y) {
    sums->value += x * y;
    sums->magnitude += fabs(x * y);
    *most_x = fmax(*most_x, fabs(x));
    *most_y = fmax(*most_y, fabs(y));
}

// Element (i, j) of op(A) * X or X * op(A), of symm, trmm and trsm.
static struct sums
multiply(const float* a, const float* x, const struct level3_case* s, int64_t i, int64_t j) {
    const int64_t ld = shape_b(s).ld, order = order_of(s);
    struct sums sums = {0, 0, 0};
    double most_a = 0, most_x = 0;
    for (int64_t l = 0; l < order; ++l) {
        const int64_t row = s->side == MYBLAS_SIDE_LEFT ? i : l;
        const int64_t col = s->side == MYBLAS_SIDE_LEFT ? l : j;
        if (is_term(s, row, col))
            add_term(&sums,
                     element_a(a, s, row, col),
                     s->side == MYBLAS_SIDE_LEFT ? x[l + j * ld] : x[i + l * ld],
                     &most_a,
                     &most_x);
    }
    sums.largest = most_a * most_x;
    return sums;
}

// Element (i, j) of op(A) * op(B), for syr2k with A and B exchanged.
static struct sums
multiply_rank_k(const float* a, const float* b, const struct level3_case* s, int64_t i, int64_t j) {
    const int64_t lda = shape_a(s).ld, ldb = shape_b(s).ld;
    const bool has_columns = s->trans == MYBLAS_OP_N, b_has_columns = transb_of(s) != MYBLAS_OP_N;
    const int64_t row = has_columns ? 1 : lda, col = has_columns ? lda : 1;
    const int64_t line = b_has_columns ? 1 : ldb, along = b_has_columns ? ldb : 1; // of op(B)^T
    struct sums sums = {0, 0, 0};
    double most_a = 0, most_b = 0;
    for (int64_t l = 0; l < s->k; ++l) {
        add_term(&sums, a[i * row + l * col], b[j * line + l * along], &most_a, &most_b);
        if (s->function == syr2k)
            add_term(&sums, b[i * line + l * along], a[j * row + l * col], &most_b, &most_a);
    }
    sums.largest = most_a * most_b;
    return sums;
}

// The bounds of the header: a factor of u on the magnitudes, and what fast mode adds.
static double
bound(const struct level3_case* s, myblasMath_t mode, const struct sums* sums, double other) {
    const double d =
        (double)(is_rank_k(s->function) ? (s->function == syr2k ? 2 : 1) * s->k : order_of(s));
    const double depth = mode == MYBLAS_FP32_STRICT_MATH ? d : d + 60 * (1 + log2(fmax(d, 1)));
    static const double more[] = {5, 5, 6, 5, 8, 4, 4};
    static const double more_logs[] = {0, 0, 0, 0, 0, 2, 3};
    const double factor = depth + more[s->function] + more_logs[s->function] * log2(fmax(d, 1));
    const double alpha = s->function == trsm ? 1 : fabs(s->alpha);
    double result = factor * UNIT_ROUNDOFF * (alpha * sums->magnitude + other);
    if (mode == MYBLAS_FP32_FAST_MATH)
        result += (d + 1000) * 0x1p-36 * alpha * sums->largest;
    return result + (1 + alpha) * (d + 8) * SMALLEST_SUBNORMAL;
}

static void check_element(const struct level3_case* s,
                          const char* kernel,
                          int64_t i,
                          int64_t j,
                          double found,
                          double expected,
                          double allowed) {
    if (!(fabs(found - expected) <= allowed))
        fail_msg("%s by %s: (%lld, %lld) is %.9g, not %.9g +- %.3g",
                 name_of(s),
                 kernel,
                 (long long)i,
                 (long long)j,
                 found,
                 expected,
                 allowed);
}

static void
check(struct operands* o, const struct level3_case* s, const char* kernel, myblasMath_t mode) {
    struct operand* result = result_of(o, s);
    const struct shape x = shape_c(s);
    const float* found = operand_download(result);
    operand_assert_padding(result, x.rows, x.cols, x.ld, sizeof(float));
    operand_assert_unchanged(&o->a);
    operand_assert_unchanged(&o->scalars);
    if (has_b(s->function) && result != &o->b)
        operand_assert_unchanged(&o->b);
    found = (const float*)(result->found + result->front);

    const float *a = sent(&o->a), *b = sent(&o->b), *before = sent(result);
    for (int64_t j = 0; j < x.cols; ++j) {
        for (int64_t i = 0; i < x.rows; ++i) {
            const int64_t at = i + j * x.ld;
            if (is_rank_k(s->function) && !in_triangle(s, i, j)) {
                assert_memory_equal(found + at, before + at, sizeof(float));
                continue;
            }
            // For large results, every hundredth element, and those next to the edge of a triangle.
            if (x.rows * x.cols > 300 * 300 && random_between(0, 99) &&
                !(is_rank_k(s->function) && labs((long)(i - j)) <= 1))
                continue;
            if (s->alpha == 0 && !is_rank_k(s->function) && s->function != symm) {
                assert_true(found[at] == 0);
                continue;
            }
            if (s->function == trsm) { // the residual
                const struct sums sums = multiply(a, found, s, i, j);
                const double right = (double)s->alpha * before[at];
                check_element(
                    s, kernel, i, j, sums.value, right, bound(s, mode, &sums, fabs(right)));
                continue;
            }
            const struct sums none = {0, 0, 0};
            const struct sums sums = s->alpha == 0 ? none
                                     : is_rank_k(s->function)
                                         ? multiply_rank_k(a, s->function == syrk ? a : b, s, i, j)
                                         : multiply(a, b, s, i, j);
            const double old =
                s->function == trmm || s->beta == 0 ? 0 : (double)s->beta * before[at];
            const double exact = s->alpha * sums.value + old;
            const bool is_exact = s->data == integers;
            check_element(
                s, kernel, i, j, found[at], exact, is_exact ? 0 : bound(s, mode, &sums, fabs(old)));
        }
    }
}

// ---- Every kernel -------------------------------------------------------------------------------

// Runs the case with a forced kernel, or with the selection's (NULL); returns whether it ran.
static bool run_and_check(myblasHandle_t handle,
                          const char* kernel,
                          const struct level3_case* s,
                          myblasMath_t mode) {
    struct operands o = operands_create(handle);
    set_up(&o, s);
    const myblasStatus_t status = run(handle, &o, s);
    const bool is_declined = kernel && status == MYBLAS_STATUS_NOT_SUPPORTED;
    if (is_declined) {
        operand_assert_unchanged(result_of(&o, s));
    } else {
        if (status != MYBLAS_STATUS_SUCCESS)
            fail_msg("%s by %s: status %d", name_of(s), kernel ? kernel : "the selection", status);
        check(&o, s, kernel ? kernel : "the selection", mode);
    }
    operands_destroy(&o);
    return !is_declined;
}

// Calls visit for all forms of a function at a shape.
static void with_forms(struct level3_case s, void (*visit)(struct level3_case, void*), void* data) {
    const bool has_side = !is_rank_k(s.function) || s.function == gemmtr; // which has transb
    const bool has_trans = s.function != symm, has_diag = s.function == trmm || s.function == trsm;
    for (int form = 0; form < 16; ++form) {
        if ((form & 1 && !has_side) || (form & 4 && !has_trans) || (form & 8 && !has_diag))
            continue;
        s.side = form & 1 ? MYBLAS_SIDE_RIGHT : MYBLAS_SIDE_LEFT;
        s.transb = form & 1 ? (form & 2 ? MYBLAS_OP_C : MYBLAS_OP_T) : MYBLAS_OP_N;
        s.uplo = form & 2 ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
        s.trans = form & 4 ? (form & 2 ? MYBLAS_OP_T : MYBLAS_OP_C) : MYBLAS_OP_N;
        s.diag = form & 8 ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT;
        visit(s, data);
    }
}

struct run {
    myblasHandle_t handle;
    const char* kernel;
    myblasMath_t mode;
    int ran, count;
};

static void visit_case(struct level3_case s, void* data) {
    struct run* run = data;
    if (left_out(8))
        return;
    static const float alphas[] = {1, -0.5f, 2, 0}, betas[] = {0, 1, -0.5f, 2};
    const int turn = run->count++;
    s.alpha = alphas[turn % 7 == 6 ? 3 : turn % 3];
    s.beta = betas[turn % 4];
    s.device_scalars = turn / 2 % 2;
    s.wide = turn / 3 % 2;
    s.in_place = s.function == trmm && turn % 2;
    run->ran += run_and_check(run->handle, run->kernel, &s, run->mode);
}

static void with_kernels(myblasHandle_t handle,
                         enum function function,
                         void (*visit)(myblasHandle_t, const char*, enum function)) {
    const myblasRoutine_t routine = routine_of(function);
    const int count = kernel_count(handle, routine);
    divide_anew();
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, routine, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        assert_ok(myblasForceKernel(handle, routine, info.name));
        visit(handle, info.name, function);
        assert_ok(myblasForceKernel(handle, routine, NULL));
    }
    if (is_in_share(NULL))
        visit(handle, NULL, function);
}

// OpenBLAS's kernels are missing if it is not installed or does not have the routine.
static bool may_be_missing(const char* kernel, enum function function) {
    return kernel && strcmp(kernel, "openblas") == 0 &&
           (getenv("MYBLAS_TEST_WITHOUT_OPENBLAS") || function == syrkx || function == gemmtr);
}

// Kernels for a few shapes alone decline as well (`small`, whose shapes level3_steps tests).
static bool may_refuse(const char* kernel, enum function function) {
    return may_be_missing(kernel, function) || (kernel && strcmp(kernel, "small") == 0);
}

// Runs a call. False if the kernel may refuse it, and does.
static bool
runs(myblasHandle_t handle, const char* kernel, struct operands* o, const struct level3_case* s) {
    const myblasStatus_t status = run(handle, o, s);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED && may_refuse(kernel, s->function))
        return false;
    assert_ok(status);
    return true;
}

static void assert_ran(const struct run* run, enum function function) {
    if (may_be_missing(run->kernel, function))
        return;
    if (run->ran == 0 && !reduced())
        fail_msg(
            "%s took no %s", run->kernel ? run->kernel : "the selection", function_names[function]);
    if (run->ran != run->count && !may_refuse(run->kernel, function))
        fail_msg("%s declined a %s", run->kernel, function_names[function]);
}

// Shapes that straddle the blocks of plans: 64, 128, 256, and panels.
static void check_shapes(myblasHandle_t handle, const char* kernel, enum function function) {
    static const int64_t shapes[][3] = {{1, 1, 1},
                                        {2, 3, 0},
                                        {5, 7, 3},
                                        {33, 17, 64},
                                        {64, 65, 9},
                                        {65, 64, 63},
                                        {127, 31, 5},
                                        {128, 130, 20},
                                        {129, 3, 40},
                                        {1, 193, 17},
                                        {257, 5, 33},
                                        {3, 300, 1},
                                        {390, 1, 2},
                                        {1, 523, 2},
                                        {520, 19, 2}};
    struct run run = {handle, kernel, MYBLAS_FP32_STRICT_MATH, 0, 0};
    for (size_t i = 0; i < COUNT_OF(shapes); ++i) {
        for (int data = integers; data <= uniform; ++data) {
            struct level3_case s = {.function = function, .data = (enum data)data};
            s.m = shapes[i][0];
            s.n = shapes[i][1];
            s.k = shapes[i][2];
            s.padding = i % 3 * (i % 2 ? 3 : 4);
            if (function == trsm && data == integers)
                continue; // solutions would overflow
            with_forms(s, visit_case, &run);
        }
    }
    assert_ran(&run, function);
}

static void test_shapes(void** state) {
    myblasHandle_t handle = require_handle(state);
    random_seed(3);
    for (int f = 0; f < function_count; ++f)
        with_kernels(handle, (enum function)f, check_shapes);
}

// ---- Hostile data -------------------------------------------------------------------------------

static void check_hostile(myblasHandle_t handle, const char* kernel, enum function function) {
    static const int64_t shapes[][2] = {{60, 9}, {130, 5}, {200, 70}, {300, 33}};
    struct run run = {handle, kernel, MYBLAS_FP32_STRICT_MATH, 0, 0};
    for (size_t i = 0; i < COUNT_OF(shapes); ++i) {
        for (int data = graded; data < data_count; ++data) {
            struct level3_case s = {.function = function, .data = (enum data)data};
            s.m = shapes[i][0];
            s.n = shapes[i][1];
            s.padding = 1;
            with_forms(s, visit_case, &run);
            s.m = shapes[i][1];
            s.n = shapes[i][0];
            with_forms(s, visit_case, &run);
        }
    }
    assert_ran(&run, function);
}

static void test_hostile_triangles(void** state) {
    myblasHandle_t handle = require_handle(state);
    random_seed(4);
    with_kernels(handle, trmm, check_hostile);
    with_kernels(handle, trsm, check_hostile);
}

// ---- Modes --------------------------------------------------------------------------------------

// Products of plans that are large enough for tensor cores.
static void test_modes(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    if (backend_of(handle) == MYBLAS_BACKEND_HOST || reduced())
        skip();
    random_seed(5);
    static const int64_t sizes[] = {640, 1100};
    for (int mode = MYBLAS_FP32_STRICT_MATH; mode <= MYBLAS_FP32_FAST_MATH; ++mode) {
        assert_ok(myblasSetMathMode(handle, (myblasMath_t)mode));
        for (int f = 0; f < function_count; ++f) {
            for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
                struct level3_case s = {.function = (enum function)f, .data = uniform};
                s.m = s.n = sizes[i];
                s.k = 700;
                s.uplo = i ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
                s.side = i ? MYBLAS_SIDE_RIGHT : MYBLAS_SIDE_LEFT;
                s.trans = mode % 2 ? MYBLAS_OP_T : MYBLAS_OP_N;
                s.transb = i ? MYBLAS_OP_T : MYBLAS_OP_N;
                s.in_place = f == trmm && i;
                s.alpha = -0.5f;
                s.beta = 2;
                run_and_check(handle, NULL, &s, (myblasMath_t)mode);
                if (f == trsm) {
                    s.data = graded;
                    run_and_check(handle, NULL, &s, (myblasMath_t)mode);
                }
            }
        }
    }
}

// Hostile triangles with products large enough for tensor cores, except where products underflow,
// which the bounds exclude.
static void test_hostile_modes(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    if (backend_of(handle) == MYBLAS_BACKEND_HOST || reduced())
        skip();
    random_seed(13);
    static const int64_t shapes[][2] = {{330, 700}, {650, 300}};
    for (int mode = MYBLAS_FP32_STRICT_MATH; mode <= MYBLAS_FP32_FAST_MATH; ++mode) {
        assert_ok(myblasSetMathMode(handle, (myblasMath_t)mode));
        struct run run = {handle, NULL, (myblasMath_t)mode, 0, 0};
        for (int f = trmm; f <= trsm; ++f) {
            for (int data = graded; data < data_count; ++data) {
                if (data == wide_diagonal && mode != MYBLAS_FP32_STRICT_MATH)
                    continue;
                struct level3_case s = {.function = (enum function)f, .data = (enum data)data};
                s.m = shapes[(data + f) % 2][0];
                s.n = shapes[(data + f) % 2][1];
                with_forms(s, visit_case, &run);
            }
        }
    }
}

// ---- Steps of plans -----------------------------------------------------------------------------

static int step_count;
static char last_step[1024];

static void keep_step(const char* message) {
    const char* const step = strstr(message, "step: ");
    if (!step)
        return;
    ++step_count;
    snprintf(last_step, sizeof last_step, "%s", step);
}

// run_and_check with the selection's kernel; counts the steps that the plan logs.
static void
run_and_count_steps(myblasHandle_t handle, const struct level3_case* s, myblasMath_t mode) {
    step_count = 0;
    last_step[0] = '\0';
    assert_ok(myblasSetLoggerCallback(keep_step));
    assert_true(run_and_check(handle, NULL, s, mode));
    assert_ok(myblasSetLoggerCallback(NULL));
}

// Asserts that a plan had `steps` steps, and that the last was a product of this size by the forced
// kernel.
static void assert_last_product(
    const struct level3_case* s, const char* kernel, int steps, int64_t m, int64_t n, int64_t k) {
    char by[128], size[128];
    snprintf(by, sizeof by, "SGEMM by %s,", kernel);
    snprintf(size, sizeof size, " m=%lld n=%lld k=%lld ", (long long)m, (long long)n, (long long)k);
    if (step_count != steps || !strstr(last_step, by) || !strstr(last_step, size))
        fail_msg("%s: %d steps, the last is '%s', not %d that end with %s%s",
                 name_of(s),
                 step_count,
                 last_step,
                 steps,
                 by,
                 size);
}

// ---- Triangles of products ----------------------------------------------------------------------

// Whether the forced kernel computed the triangle itself. The log tells; squares and diagonal
// blocks would give the same numbers.
static void check_triangle(myblasHandle_t handle,
                           const char* kernel,
                           const struct level3_case* s,
                           myblasMath_t mode) {
    run_and_count_steps(handle, s, mode);
    if (strcmp(kernel, "register_tile") == 0) {
        if (!strstr(last_step, "diagonal blocks"))
            fail_msg("%s by %s ends with '%s'", name_of(s), kernel, last_step);
    } else if (s->function == syr2k) {
        // One copy of both operands before it. Zeroes behind the first align the second, if k runs
        // along memory and is not short.
        const bool pads = s->trans != MYBLAS_OP_N && s->k >= 140;
        const int64_t padded = pads ? (s->k + 3) / 4 * 4 : s->k;
        assert_last_product(s, kernel, 2, s->n, s->n, padded + s->k);
    } else {
        assert_last_product(s, kernel, 1, s->n, s->n, s->k);
    }
}

// Every kernel that computes a triangle of C itself, where its tiles meet the diagonal and the
// edges in every way, and one that computes only whole matrices.
static void test_triangles_of_products(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    if (backend_of(handle) == MYBLAS_BACKEND_HOST)
        skip();
    random_seed(11);
    static const struct {
        const char* name;
        myblasMath_t mode;
    } kernels[] = {{"stream_k/128x64", MYBLAS_FP32_STRICT_MATH},
                   {"stream_k/128x32", MYBLAS_FP32_STRICT_MATH},
                   {"warp_tile/256x128", MYBLAS_FP32_STRICT_MATH},
                   {"warp_tile/128x64", MYBLAS_FP32_STRICT_MATH},
                   {"warp_tile/64x64", MYBLAS_FP32_STRICT_MATH},
                   {"bf16x6/256x128", MYBLAS_FP32_EMULATED_MATH},
                   {"bf16x6/128x128", MYBLAS_FP32_EMULATED_MATH},
                   {"fp16x3/256x128", MYBLAS_FP32_EMULATED_MATH},
                   {"fp16x3/128x128", MYBLAS_FP32_EMULATED_MATH},
                   {"fp16x3/256x128", MYBLAS_FP32_FAST_MATH},
                   {"fp16x3/128x128", MYBLAS_FP32_FAST_MATH},
                   {"small_tile/32x32_k8", MYBLAS_FP32_STRICT_MATH},
                   {"small_tile/32x32_k16", MYBLAS_FP32_STRICT_MATH},
                   {"short_k", MYBLAS_FP32_STRICT_MATH},
                   {"small_tile/32x32_k16_cluster2", MYBLAS_FP32_STRICT_MATH},
                   {"register_tile", MYBLAS_FP32_STRICT_MATH}}; // computes none
    // n next to multiples of 16 to 256, and with several bands of tiles
    static const int64_t shapes[][2] = {{1, 5},
                                        {33, 70},
                                        {255, 9},
                                        {513, 3},
                                        {545, 40},
                                        {640, 64},
                                        {764, 1},
                                        {768, 130},
                                        {1023, 33},
                                        {1281, 300}};
    for (size_t kernel = 0; kernel < COUNT_OF(kernels); ++kernel) {
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, kernels[kernel].name));
        assert_ok(myblasSetMathMode(handle, kernels[kernel].mode));
        for (int form = 0; form < 24; ++form) {
            if (minimal() ? form % 12 != (int)kernel % 12 : left_out(8))
                continue;
            const size_t turn = kernel + (size_t)form, shape = turn % COUNT_OF(shapes);
            struct level3_case s = {.function = form & 16 ? gemmtr : form & 8 ? syrkx : syrk};
            s.data = turn / 2 % 2 ? integers : uniform;
            s.n = s.m = shapes[shape][0];
            s.k = shapes[shape][1];
            s.uplo = form & 1 ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
            s.trans = s.transb = form & 2 ? MYBLAS_OP_T : MYBLAS_OP_N;
            const int64_t rows = shape_a(&s).rows;
            s.padding = form & 4 ? 3 : (4 - rows % 4) % 4; // most unaligned, or aligned
            s.alpha = 2;
            s.beta = turn % 3 == 0 ? 0 : -0.5f;
            s.device_scalars = turn / 3 % 2;
            check_triangle(handle, kernels[kernel].name, &s, kernels[kernel].mode);
            if (form == 5 && !reduced()) { // [A B] times [B A]
                s.function = syr2k;
                s.n = s.m = 3075;
                s.device_scalars = false; // where alpha may be zero nothing is copied
                for (int trans = 0; trans < 2; ++trans) {
                    s.trans = trans ? MYBLAS_OP_T : MYBLAS_OP_N;
                    s.k = trans ? 150 : 70;
                    check_triangle(handle, kernels[kernel].name, &s, kernels[kernel].mode);
                }
            }
        }
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
    }
    assert_ok(myblasSetMathMode(handle, MYBLAS_FP32_STRICT_MATH));
}

// A as both operands of gemmtr: only with opposite operations is that syrk.
static void test_gemmtr_of_one_matrix(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    random_seed(14);
    static const int sizes[] = {5, 130, 700};
    const float one = 1, zero = 0;
    struct operand a = operand_create(handle), c = a;
    for (int turn = 0; turn < (reduced() ? 2 : 3) * 12; ++turn) {
        const int n = sizes[turn / 12];
        const bool trans = turn & 1, transb = turn & 2;
        assert_ok(myblasSetMathMode(handle, (myblasMath_t)(turn / 4 % 3)));
        float* host = operand_place(&a, (size_t)n * (size_t)n * sizeof(float), 0);
        for (int i = 0; i < n * n; ++i)
            host[i] = random_integer();
        operand_upload(&a);
        operand_place(&c, (size_t)n * (size_t)n * sizeof(float), 0);
        operand_upload(&c);
        assert_ok(mysgemmtr(handle,
                            MYBLAS_FILL_MODE_LOWER,
                            trans ? MYBLAS_OP_T : MYBLAS_OP_N,
                            transb ? MYBLAS_OP_T : MYBLAS_OP_N,
                            n,
                            n,
                            &one,
                            operand_device(&a),
                            n,
                            operand_device(&a),
                            n,
                            &zero,
                            operand_device(&c),
                            n));
        const float *found = operand_download(&c), *x = sent(&a);
        for (int sample = 0; sample < 2000; ++sample) {
            const int i = (int)random_between(0, n - 1), j = (int)random_between(0, i);
            double sum = 0;
            for (int l = 0; l < n; ++l)
                sum += (double)x[trans ? l + i * n : i + l * n] * x[transb ? j + l * n : l + j * n];
            if (found[i + j * n] != sum)
                fail_msg("turn %d: (%d, %d) is %g, not %g", turn, i, j, found[i + j * n], sum);
        }
    }
    assert_ok(myblasSetMathMode(handle, MYBLAS_FP32_STRICT_MATH));
    operand_destroy(&a);
    operand_destroy(&c);
}

// The least leading dimensions of A and B, for each operation, and one less.
static void test_leading_dimensions_of_gemmtr(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    enum { n = 3, k = 5 };
    const float one = 1;
    struct operand o = operand_create(handle);
    memset(operand_place(&o, 3 * n * k * sizeof(float), 0), 0, 3 * n * k * sizeof(float));
    operand_upload(&o);
    float *a = operand_device(&o), *b = a + n * k, *c = b + n * k;
    for (int op = 0; op < 9; ++op) {
        const myblasOperation_t transa = (myblasOperation_t)(op % 3),
                                transb = (myblasOperation_t)(op / 3);
        const int lda = transa ? k : n, ldb = transb ? n : k;
        for (int less = 0; less < 3; ++less)
            assert_int_equal(mysgemmtr(handle,
                                       MYBLAS_FILL_MODE_UPPER,
                                       transa,
                                       transb,
                                       n,
                                       k,
                                       &one,
                                       a,
                                       lda - (less == 1),
                                       b,
                                       ldb - (less == 2),
                                       &one,
                                       c,
                                       n),
                             less ? MYBLAS_STATUS_INVALID_VALUE : MYBLAS_STATUS_SUCCESS);
    }
    operand_destroy(&o);
}

// ---- Triangular operands of products ------------------------------------------------------------

// trmm as one product: by kernels that skip the zeros of the triangle, with more blocks than
// multiprocessors and with fewer, and by one that does not skip them.
static void test_triangular_operands(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    if (backend_of(handle) == MYBLAS_BACKEND_HOST)
        skip();
    random_seed(12);
    static const struct {
        const char* name;
        myblasMath_t mode;
    } kernels[] = {{"stream_k/128x64", MYBLAS_FP32_STRICT_MATH},
                   {"stream_k/128x32", MYBLAS_FP32_STRICT_MATH},
                   {"warp_tile/128x64", MYBLAS_FP32_STRICT_MATH},
                   {"bf16x6/256x128", MYBLAS_FP32_EMULATED_MATH},
                   {"bf16x6/128x128", MYBLAS_FP32_EMULATED_MATH},
                   {"fp16x3/256x128", MYBLAS_FP32_EMULATED_MATH},
                   {"fp16x3/128x128", MYBLAS_FP32_EMULATED_MATH},
                   {"fp16x3/256x128", MYBLAS_FP32_FAST_MATH},
                   {"fp16x3/128x128", MYBLAS_FP32_FAST_MATH}};
    static const int64_t orders[] = {700, 256, 1000, 461}, lines[] = {2100, 257, 3500, 1300};
    for (size_t kernel = 0; kernel < COUNT_OF(kernels); ++kernel) {
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, kernels[kernel].name));
        assert_ok(myblasSetMathMode(handle, kernels[kernel].mode));
        for (int form = 0; form < 16; ++form) {
            if (minimal() ? form != (int)(5 * kernel % 16) : left_out(8))
                continue;
            const size_t turn = kernel + (size_t)form + (size_t)form / 4;
            const int64_t order = orders[turn % 4], count = lines[turn % 4];
            struct level3_case s = {.function = trmm};
            s.side = form & 1 ? MYBLAS_SIDE_RIGHT : MYBLAS_SIDE_LEFT;
            s.uplo = form & 2 ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
            s.trans = form & 4 ? MYBLAS_OP_T : MYBLAS_OP_N;
            s.diag = form & 8 ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT;
            s.m = form & 1 ? count : order;
            s.n = form & 1 ? order : count;
            s.padding = turn % 3;
            s.data = turn / 2 % 2 ? integers : uniform;
            s.alpha = 2;
            s.in_place = turn % 2;
            s.device_scalars = turn / 3 % 2;
            run_and_count_steps(handle, &s, kernels[kernel].mode);
            assert_last_product(&s, kernels[kernel].name, 1, s.m, s.n, order);
        }
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
    }
    assert_ok(myblasSetMathMode(handle, MYBLAS_FP32_STRICT_MATH));
}

// ---- NaN and Inf --------------------------------------------------------------------------------

// Whether an element of a line of B (a column for a triangle on the left, otherwise a row)
// influences another: their indices in the line.
static bool reaches(const struct level3_case* s, int64_t from, int64_t to) {
    const bool upper = s->uplo == MYBLAS_FILL_MODE_UPPER, right = s->side == MYBLAS_SIDE_RIGHT;
    const bool goes_down = upper == ((s->trans != MYBLAS_OP_N) != right);
    return goes_down ? to >= from : to <= from;
}

// The effect of an Inf and a NaN in an operand, compared with the formula.
static void check_specials(myblasHandle_t handle, const char* kernel, enum function function) {
    if (kernel && strcmp(kernel, "openblas") == 0 && (function == syrkx || function == gemmtr))
        return;
    // On a GPU, trmm is also one product from order 256 on.
    const bool has_large = function == trmm && backend_of(handle) != MYBLAS_BACKEND_HOST;
    for (int special = 0; special < (has_large ? 4 : 2); ++special) {
        for (int upper = 0; upper < 2; ++upper) {
            for (int right = 0; right < 2; ++right) {
                if (left_out(1))
                    continue;
                struct level3_case s = {.function = function, .data = uniform};
                s.m = function == trsm ? 300 : special < 2 ? 150 : 330; // several blocks
                s.n = function == trsm || special >= 2 ? 290 : 140;
                if (kernel && strcmp(kernel, "small") == 0)
                    s.m = 60, s.n = 50;
                s.k = 20;
                s.in_place = special == 3;
                s.uplo = upper ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
                s.side = right ? MYBLAS_SIDE_RIGHT : MYBLAS_SIDE_LEFT;
                s.trans = special % 2 ? MYBLAS_OP_T : MYBLAS_OP_N;
                s.transb = right ? MYBLAS_OP_T : MYBLAS_OP_N;
                s.alpha = 1;
                struct operands o = operands_create(handle);
                set_up(&o, &s);
                // In B at (70, 70), inside a block; for rank-k updates in A.
                struct operand* with = is_rank_k(function) ? &o.a : &o.b;
                const struct shape x = is_rank_k(function) ? shape_a(&s) : shape_b(&s);
                const int64_t row = x.rows > 70 ? 70 : 7, col = x.cols > 70 ? 70 : 7;
                ((float*)(with->sent + with->front))[row + col * x.ld] =
                    special % 2 ? NAN : INFINITY;
                operand_upload(with);
                if (!runs(handle, kernel, &o, &s)) {
                    operands_destroy(&o);
                    continue;
                }
                const float* found = operand_download(result_of(&o, &s));
                const float *a = sent(&o.a), *b = sent(&o.b);
                const struct shape y = shape_c(&s);
                for (int64_t j = 0; j < y.cols; ++j) {
                    for (int64_t i = 0; i < y.rows; ++i) {
                        if (is_rank_k(function) && !in_triangle(&s, i, j))
                            continue;
                        const float value = found[i + j * y.ld];
                        bool is_as_expected;
                        if (function == trsm) {
                            // The elements that depend on this element of B are Inf or NaN, and no
                            // others.
                            const int64_t line = right ? i : j, at = right ? j : i;
                            const bool depends = line == 70 && reaches(&s, 70, at);
                            is_as_expected = depends == !isfinite(value);
                        } else {
                            const struct sums sums =
                                is_rank_k(function)
                                    ? multiply_rank_k(a, function == syrk ? a : b, &s, i, j)
                                    : multiply(a, b, &s, i, j);
                            is_as_expected = isnan(sums.value)   ? isnan(value)
                                             : isinf(sums.value) ? (double)value == sums.value
                                                                 : isfinite(value);
                        }
                        if (!is_as_expected)
                            fail_msg("%s by %s: (%lld, %lld) is %g",
                                     name_of(&s),
                                     kernel ? kernel : "the selection",
                                     (long long)i,
                                     (long long)j,
                                     value);
                    }
                }
                operands_destroy(&o);
            }
        }
    }
}

// With an Inf in B, trmm has the values of the formula, for orders of several blocks, in all forms.
static void visit_infinite(struct level3_case s, void* data) {
    struct run* with = data;
    if (left_out(8))
        return;
    s.alpha = -2;
    s.in_place = with->count++ % 2;
    struct operands o = operands_create(with->handle);
    set_up(&o, &s);
    ((float*)(o.b.sent + o.b.front))[s.m / 2 + s.n / 2 * shape_b(&s).ld] = INFINITY;
    operand_upload(&o.b);
    if (!runs(with->handle, with->kernel, &o, &s)) {
        operands_destroy(&o);
        return;
    }
    const struct shape y = shape_c(&s);
    struct operand* result = result_of(&o, &s);
    const float* found = operand_download(result);
    operand_assert_padding(result, y.rows, y.cols, y.ld, sizeof(float));
    for (int64_t j = 0; j < y.cols; ++j) {
        for (int64_t i = 0; i < y.rows; ++i) {
            const struct sums sums = multiply(sent(&o.a), sent(&o.b), &s, i, j);
            const double exact = s.alpha * sums.value;
            if (isfinite(exact))
                check_element(&s,
                              with->kernel,
                              i,
                              j,
                              found[i + j * y.ld],
                              exact,
                              bound(&s, MYBLAS_FP32_STRICT_MATH, &sums, 0));
            else
                assert_true(isnan(exact) ? isnan(found[i + j * y.ld])
                                         : found[i + j * y.ld] == exact);
        }
    }
    operands_destroy(&o);
}

static void check_infinite(myblasHandle_t handle, const char* kernel, enum function function) {
    struct run run = {handle, kernel ? kernel : "the selection", MYBLAS_FP32_STRICT_MATH, 0, 0};
    struct level3_case s = {.function = function, .data = uniform, .m = 300, .n = 9, .padding = 1};
    with_forms(s, visit_infinite, &run);
    s.m = 9;
    s.n = 300;
    with_forms(s, visit_infinite, &run);
}

// With an Inf anywhere in one of a few lines of B, the solution has it there, and is finite where
// it has no influence.
static void check_infinite_line(myblasHandle_t handle, const char* kernel, enum function function) {
    enum { order = 17, lines = 3, line = 1 };
    for (int form = 0; form < 8; ++form) {
        const bool upper = form & 1, right = form & 2, trans = form & 4;
        struct level3_case s = {.function = function, .data = uniform, .alpha = -2};
        s.m = right ? lines : order;
        s.n = right ? order : lines;
        s.uplo = upper ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
        s.side = right ? MYBLAS_SIDE_RIGHT : MYBLAS_SIDE_LEFT;
        s.trans = trans ? MYBLAS_OP_T : MYBLAS_OP_N;
        for (int place = 0; place < order; ++place) {
            if (left_out(1))
                continue;
            struct operands o = operands_create(handle);
            set_up(&o, &s);
            const int64_t ld = shape_b(&s).ld;
            const int64_t along = right ? ld : 1, first = line * (right ? 1 : ld);
            ((float*)(o.b.sent + o.b.front))[first + place * along] = INFINITY;
            operand_upload(&o.b);
            if (!runs(handle, kernel, &o, &s)) {
                operands_destroy(&o);
                continue;
            }
            const float* found = operand_download(&o.b);
            for (int i = 0; i < order; ++i) {
                const float value = found[first + i * along];
                const bool depends = reaches(&s, place, i);
                if (depends != !isfinite(value) || (i == place && isnan(value)))
                    fail_msg("%s by %s, Inf at %d: element %d is %g",
                             name_of(&s),
                             kernel ? kernel : "the selection",
                             place,
                             i,
                             value);
            }
            operands_destroy(&o);
        }
    }
}

static void test_specials(void** state) {
    myblasHandle_t handle = require_handle(state);
    random_seed(6);
    with_kernels(handle, trmm, check_infinite);
    with_kernels(handle, trsm, check_infinite_line);
    for (int f = 0; f < function_count; ++f)
        with_kernels(handle, (enum function)f, check_specials);
}

// If alpha times an element of B overflows, only elements that the triangle connects with it
// change.
static void check_overflow(myblasHandle_t handle, const char* kernel, enum function function) {
    const bool is_on_host = backend_of(handle) == MYBLAS_BACKEND_HOST;
    for (int form = 0; form < (is_on_host ? 8 : 16); ++form) { // one product from 256 on
        if (left_out(1))
            continue;
        struct level3_case s = {.function = function, .data = uniform, .alpha = 1e10f};
        s.m = form & 8 ? 270 : 150;
        s.n = form & 8 ? 260 : 140;
        s.uplo = form & 1 ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
        s.side = form & 2 ? MYBLAS_SIDE_RIGHT : MYBLAS_SIDE_LEFT;
        s.trans = form & 4 ? MYBLAS_OP_T : MYBLAS_OP_N;
        struct operands o = operands_create(handle);
        set_up(&o, &s);
        ((float*)(o.b.sent + o.b.front))[70 + 70 * shape_b(&s).ld] = 1e30f;
        operand_upload(&o.b);
        if (!runs(handle, kernel, &o, &s)) {
            operands_destroy(&o);
            continue;
        }
        const float* found = operand_download(result_of(&o, &s));
        const struct shape y = shape_c(&s);
        for (int64_t j = 0; j < y.cols; ++j)
            for (int64_t i = 0; i < y.rows; ++i) {
                const int64_t line = form & 2 ? i : j, at = form & 2 ? j : i;
                const bool depends = line == 70 && reaches(&s, 70, at);
                if (!depends && !isfinite(found[i + j * y.ld]))
                    fail_msg("%s by %s, form %d: (%lld, %lld) is %g",
                             name_of(&s),
                             kernel ? kernel : "the selection",
                             form,
                             (long long)i,
                             (long long)j,
                             found[i + j * y.ld]);
            }
        operands_destroy(&o);
    }
}

// Finite quotients, although the dividend times the divisor's reciprocal is not finite, in a few of
// many lines.
static void check_quotients(myblasHandle_t handle, const char* kernel, enum function function) {
    if (backend_of(handle) == MYBLAS_BACKEND_HOST && (!kernel || strcmp(kernel, "openblas") == 0))
        return; // OpenBLAS multiplies by reciprocals
    const float divisor = 0x1.d8cd8p-1f, large = 0x1.d8cd7ep+127f;
    for (int right = 0; right < 2; ++right) {
        struct level3_case s = {.function = function, .data = uniform, .alpha = 1};
        s.m = 200;
        s.n = 210;
        s.side = right ? MYBLAS_SIDE_RIGHT : MYBLAS_SIDE_LEFT;
        struct operands o = operands_create(handle);
        set_up(&o, &s);
        const struct shape xa = shape_a(&s), xb = shape_b(&s);
        float *a = (float*)(o.a.sent + o.a.front), *b = (float*)(o.b.sent + o.b.front);
        for (int64_t j = 0; j < xa.cols; ++j)
            for (int64_t i = j; i < xa.rows; ++i)
                a[i + j * xa.ld] = i == j ? divisor : 0;
        for (int64_t i = 3; i < 200; i += 50)
            b[i + (i + 5) * xb.ld] = i % 100 ? large : -large;
        operand_upload(&o.a);
        operand_upload(&o.b);
        assert_ok(run(handle, &o, &s));
        const float* found = operand_download(&o.b);
        for (int64_t j = 0; j < xb.cols; ++j) {
            for (int64_t i = 0; i < xb.rows; ++i) {
                const double quotient = (double)sent(&o.b)[i + j * xb.ld] / divisor;
                check_element(&s,
                              kernel ? kernel : "the selection",
                              i,
                              j,
                              found[i + j * xb.ld],
                              quotient,
                              2 * UNIT_ROUNDOFF * fabs(quotient));
            }
        }
        operands_destroy(&o);
    }
}

static void test_overflow(void** state) {
    myblasHandle_t handle = require_handle(state);
    random_seed(9);
    with_kernels(handle, trmm, check_overflow);
    with_kernels(handle, trsm, check_quotients);
}

// With a scalar of zero, its operands may be NaN or NULL.
static void check_zero_scalars(myblasHandle_t handle, const char* kernel, enum function function) {
    for (int device = 0; device < 2; ++device) {
        struct level3_case s = {.function = function, .data = uniform};
        s.m = function == trsm ? 300 : 150; // several blocks
        s.n = function == trsm ? 290 : 140;
        s.k = 20;
        s.beta = 2;
        s.device_scalars = device;
        struct operands o = operands_create(handle);
        set_up(&o, &s);
        float* a = (float*)(o.a.sent + o.a.front);
        for (size_t i = 0; i < o.a.bytes / sizeof(float); ++i)
            a[i] = NAN;
        operand_upload(&o.a);
        if (has_b(function)) {
            float* b = (float*)(o.b.sent + o.b.front);
            for (size_t i = 0; i < o.b.bytes / sizeof(float); ++i)
                b[i] = NAN;
            operand_upload(&o.b);
        }
        const myblasStatus_t status = run(handle, &o, &s);
        if (status == MYBLAS_STATUS_SUCCESS)
            check(&o, &s, kernel ? kernel : "the selection", MYBLAS_FP32_STRICT_MATH);
        else
            assert_true(may_refuse(kernel, function) && status == MYBLAS_STATUS_NOT_SUPPORTED);
        if (!device) { // A and B are not asked for
            float* result = operand_device(result_of(&o, &s));
            const float scalars[] = {0, 1};
            float* b = function == trsm ? result : NULL;
            const myblasStatus_t without = call(handle, &s, scalars, scalars + 1, NULL, b, result);
            assert_true(without == MYBLAS_STATUS_SUCCESS || without == status);
        }
        operands_destroy(&o);
    }
}

static void test_zero_scalars(void** state) {
    myblasHandle_t handle = require_handle(state);
    random_seed(7);
    for (int f = 0; f < function_count; ++f)
        with_kernels(handle, (enum function)f, check_zero_scalars);
}

// With a beta of NaN everything that is written is NaN, also where nothing is added.
static void test_nan_beta(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    random_seed(8);
    enum { n = 10, gemm_call, gemv_call, symv_call, syrk_call, syr2k_call, symm_call, calls };
    const myblasFillMode_t lower = MYBLAS_FILL_MODE_LOWER;
    const myblasOperation_t as_is = MYBLAS_OP_N;
    const float beta = NAN;
    struct operand a = operand_create(handle), c = operand_create(handle);
    for (int which = gemm_call; which < calls; ++which)
        for (int counts = 0; counts < 2; ++counts) {
            const float alpha = (float)counts;
            float* host_a = operand_place(&a, n * n * sizeof(float), 0);
            float* host_c = operand_place(&c, n * n * sizeof(float), 0);
            for (int i = 0; i < n * n; ++i)
                host_a[i] = host_c[i] = random_float();
            operand_upload(&a);
            operand_upload(&c);
            const float* x = operand_device(&a);
            float* y = operand_device(&c);
            // clang-format off
            const myblasStatus_t status =
                which == gemm_call   ? mysgemm(handle, as_is, as_is, n, n, n, &alpha, x, n, x, n,
                                               &beta, y, n)
                : which == gemv_call ? mysgemv(handle, as_is, n, n, &alpha, x, n, x, 1, &beta, y, 1)
                : which == symv_call ? myssymv(handle, lower, n, &alpha, x, n, x, 1, &beta, y, 1)
                : which == syrk_call ? myssyrk(handle, lower, as_is, n, n, &alpha, x, n, &beta, y,
                                               n)
                : which == syr2k_call ? myssyr2k(handle, lower, as_is, n, n, &alpha, x, n, x, n,
                                                 &beta, y, n)
                                     : myssymm(handle, MYBLAS_SIDE_LEFT, lower, n, n, &alpha, x, n,
                                               x, n, &beta, y, n);
            // clang-format on
            assert_ok(status);
            const float* found = operand_download(&c);
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i) {
                    const bool is_written = which == gemv_call || which == symv_call    ? j == 0
                                            : which == syrk_call || which == syr2k_call ? i >= j
                                                                                        : true;
                    if (isnan(found[i + j * n]) != is_written)
                        fail_msg("call %d, alpha %g: (%d, %d) is %g",
                                 which - gemm_call,
                                 alpha,
                                 i,
                                 j,
                                 found[i + j * n]);
                }
        }
    operand_destroy(&a);
    operand_destroy(&c);
}

// ---- Workspace ----------------------------------------------------------------------------------

// With no workspace, with parts of the workspace that a call could use, and with all of it, full of
// NaN.
static void test_workspaces(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    random_seed(8);
    for (int f = 0; f < function_count; ++f) {
        const myblasRoutine_t routine = routine_of((enum function)f);
        for (int form = 0; form < 4; ++form) {
            struct level3_case s = {
                .function = (enum function)f, .data = uniform, .alpha = 1, .beta = 1};
            s.m = 330;
            s.n = 290;
            s.k = 40;
            s.side = form & 1 ? MYBLAS_SIDE_RIGHT : MYBLAS_SIDE_LEFT;
            s.uplo = form & 2 ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
            s.in_place = f == trmm;
            s.device_scalars = form == 3;
            for (int part = 0; part <= 4; ++part) {
                if (left_out(1))
                    continue;
                struct operands o = operands_create(handle);
                set_up(&o, &s);
                assert_ok(myblasForceKernel(handle, routine, part ? "products" : NULL));
                myblasCall_t described = describe(&s);
                if (s.in_place)
                    described.B = described.C = operand_device(&o.b);
                size_t bytes = 0;
                assert_ok(myblasGetWorkspaceSize(handle, &described, &bytes));
                if (f != trsm && !(f == trmm && !s.in_place))
                    assert_true(bytes > 0 || part == 0);
                const size_t lent = part == 4 ? bytes : bytes * (size_t)part / 4 / 256 * 256;
                const bool on_host = backend_of(handle) == MYBLAS_BACKEND_HOST;
                operand_place(&o.workspace, on_host ? (lent + 255) / 256 * 256 : lent, 0);
                operand_upload(&o.workspace);
                void* memory = lent ? operand_device(&o.workspace) : NULL;
                assert_ok(myblasSetWorkspace(handle, memory, lent));
                const myblasStatus_t status = run(handle, &o, &s);
                if (status == MYBLAS_STATUS_NOT_SUPPORTED && part < 4) {
                    operand_assert_unchanged(result_of(&o, &s));
                    assert_true(part > 0); // the selection always has something
                } else {
                    assert_int_equal(status, MYBLAS_STATUS_SUCCESS);
                    check(&o, &s, part ? "products" : "the selection", MYBLAS_FP32_STRICT_MATH);
                }
                if (lent)
                    operand_download(&o.workspace); // its guards
                assert_ok(myblasSetStream(handle, NULL));
                assert_ok(myblasForceKernel(handle, routine, NULL));
                operands_destroy(&o);
            }
        }
    }
}

// With a forced kernel that accepts no product of the plan, the call is refused before anything is
// written.
static void test_forced_product(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    if (backend_of(handle) == MYBLAS_BACKEND_HOST)
        skip();
    random_seed(9);
    assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, "bf16x6")); // not in strict mode
    for (int f = 0; f < function_count; ++f) {
        struct level3_case s = {
            .function = (enum function)f, .data = uniform, .alpha = 1, .beta = 1};
        s.m = s.n = 300;
        s.k = 40;
        struct operands o = operands_create(handle);
        set_up(&o, &s);
        assert_ok(myblasForceKernel(handle, routine_of(s.function), "products"));
        assert_status(NOT_SUPPORTED, run(handle, &o, &s));
        operand_assert_unchanged(result_of(&o, &s));
        assert_ok(myblasForceKernel(handle, routine_of(s.function), NULL));
        operands_destroy(&o);
    }
}

// ---- The same bits ------------------------------------------------------------------------------

static void test_reproducible(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    random_seed(10);
    for (int f = 0; f < function_count; ++f) {
        struct level3_case s = {
            .function = (enum function)f, .data = uniform, .alpha = 1, .beta = 1};
        s.m = 300;
        s.n = 310;
        s.k = 200;
        s.in_place = f == trmm;
        struct operands o = operands_create(handle);
        set_up(&o, &s);
        assert_ok(myblasForceKernel(handle, routine_of(s.function), "products"));
        assert_ok(myblasForceKernel(handle,
                                    MYBLAS_ROUTINE_SGEMM,
                                    backend_of(handle) == MYBLAS_BACKEND_HOST ? "blocked" : NULL));
        struct operand* result = result_of(&o, &s);
        assert_ok(run(handle, &o, &s));
        operand_download(result);
        unsigned char* first = malloc(result->bytes);
        assert_non_null(first);
        memcpy(first, result->found + result->front, result->bytes);
        for (int round = 0; round < 3; ++round) {
            operand_upload(result);
            assert_ok(run(handle, &o, &s));
            assert_memory_equal(operand_download(result), first, result->bytes);
        }
        free(first);
        assert_ok(myblasForceKernel(handle, routine_of(s.function), NULL));
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
        operands_destroy(&o);
    }
}

// ---- Batches of trsm ----------------------------------------------------------------------------

static void check_batch(
    myblasHandle_t handle, struct level3_case s, int64_t batch, bool by_pointers, bool shares_a) {
    struct operands o = operands_create(handle);
    struct operand pointers = operand_create(handle);
    const struct shape xa = shape_a(&s), xb = shape_b(&s);
    const int64_t stride_a = shares_a ? 0 : xa.ld * xa.cols + 5, stride_b = xb.ld * xb.cols + 3;
    const size_t bytes_a =
        (size_t)(stride_a * (batch - 1)) * 4 + matrix_bytes(xa.rows, xa.cols, xa.ld, 4);
    const size_t bytes_b =
        (size_t)(stride_b * (batch - 1)) * 4 + matrix_bytes(xb.rows, xb.cols, xb.ld, 4);
    float* host = operand_place(&o.a, bytes_a, 4);
    for (int64_t i = 0; i < (shares_a ? 1 : batch); ++i)
        fill_a(host + i * stride_a, &s);
    operand_upload(&o.a);
    host = operand_place(&o.b, bytes_b, 8);
    for (int64_t i = 0; i < batch; ++i)
        fill(host + i * stride_b, xb, &s);
    operand_upload(&o.b);
    float* scalars = operand_place(&o.scalars, sizeof(float), 0);
    scalars[0] = s.alpha;
    operand_upload(&o.scalars);
    void** array = operand_place(&pointers, 2 * (size_t)batch * sizeof(void*), 0);
    for (int64_t i = 0; i < batch; ++i) {
        array[i] = (float*)operand_device(&o.a) + i * stride_a;
        array[batch + i] = (float*)operand_device(&o.b) + i * stride_b;
    }
    operand_upload(&pointers);

    assert_ok(myblasSetPointerMode(
        handle, s.device_scalars ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
    const float* alpha = s.device_scalars ? operand_device(&o.scalars) : scalars;
    float *a = operand_device(&o.a), *b = operand_device(&o.b);
    void** in = operand_device(&pointers);
    const float* const* in_a = (const float* const*)in;
    float* const* in_b = (float* const*)(in + batch);
    // clang-format off
    myblasStatus_t status;
    if (by_pointers)
        status = s.wide ? mystrsmBatched_64(handle, s.side, s.uplo, s.trans, s.diag, s.m, s.n,
                                            alpha, in_a, xa.ld, in_b, xb.ld, batch)
                        : mystrsmBatched(handle, s.side, s.uplo, s.trans, s.diag, (int)s.m,
                                         (int)s.n, alpha, in_a, (int)xa.ld, in_b, (int)xb.ld,
                                         (int)batch);
    else
        status = s.wide ? mystrsmStridedBatched_64(handle, s.side, s.uplo, s.trans, s.diag, s.m,
                                                   s.n, alpha, a, xa.ld, stride_a, b, xb.ld,
                                                   stride_b, batch)
                        : mystrsmStridedBatched(handle, s.side, s.uplo, s.trans, s.diag, (int)s.m,
                                                (int)s.n, alpha, a, (int)xa.ld, stride_a, b,
                                                (int)xb.ld, stride_b, (int)batch);
    // clang-format on
    assert_int_equal(status, MYBLAS_STATUS_SUCCESS);
    const float* found = operand_download(&o.b);
    operand_assert_unchanged(&o.a);
    operand_assert_unchanged(&pointers);
    for (int64_t index = 0; index < batch; ++index) {
        const float* x = found + index * stride_b;
        for (int64_t j = 0; j < xb.cols; ++j) {
            for (int64_t i = 0; i < xb.rows; ++i) {
                const struct sums sums = multiply(sent(&o.a) + index * stride_a, x, &s, i, j);
                const double right = (double)s.alpha * sent(&o.b)[index * stride_b + i + j * xb.ld];
                check_element(&s,
                              by_pointers ? "a batch of pointers" : "a strided batch",
                              i,
                              j,
                              sums.value,
                              right,
                              bound(&s, MYBLAS_FP32_STRICT_MATH, &sums, fabs(right)));
            }
        }
    }
    operand_destroy(&pointers);
    operands_destroy(&o);
}

static void test_batches(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    random_seed(11);
    static const char* const kernels[] = {NULL, "products"};
    for (size_t k = 0; k < COUNT_OF(kernels); ++k) {
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_TRSM, kernels[k]));
        for (int form = 0; form < 32; ++form) {
            if (left_out(1))
                continue;
            struct level3_case s = {
                .function = trsm, .data = uniform, .alpha = -2, .padding = form % 3};
            s.side = form & 1 ? MYBLAS_SIDE_RIGHT : MYBLAS_SIDE_LEFT;
            s.uplo = form & 2 ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
            s.trans = form & 4 ? MYBLAS_OP_T : MYBLAS_OP_N;
            s.diag = form & 8 ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT;
            s.wide = form & 16;
            s.device_scalars = form % 3 == 1;
            s.m = form & 16 ? 20 : form & 1 ? 35 : 270;
            s.n = form & 16 ? 9 : form & 1 ? 270 : 35;
            if (form % 16 >= 12) // a single block of more than 32 rows
                s.m = form & 1 ? 9 : 40, s.n = form & 1 ? 40 : 9;
            check_batch(handle, s, form & 16 ? 17 : 3, form % 2 == 0, false);
            check_batch(handle, s, form & 16 ? 17 : 3, form % 2 == 1, form % 5 == 0);
        }
    }
    assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_TRSM, NULL));
}

// If alpha is 0, A is not read and may be NULL. A sanitizer sees an offset from NULL.
static void test_batch_without_a(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    enum { m = 3, n = 2, batch = 4, elements = m * n };
    const float zero = 0;
    struct operand b = operand_create(handle);
    float* host = operand_place(&b, batch * elements * sizeof(float), 0);
    for (int i = 0; i < batch * elements; ++i)
        host[i] = 1;
    operand_upload(&b);
    assert_ok(mystrsmStridedBatched(handle,
                                    MYBLAS_SIDE_LEFT,
                                    MYBLAS_FILL_MODE_LOWER,
                                    MYBLAS_OP_N,
                                    MYBLAS_DIAG_NON_UNIT,
                                    m,
                                    n,
                                    &zero,
                                    NULL,
                                    m,
                                    -m * m,
                                    operand_device(&b),
                                    m,
                                    elements,
                                    batch));
    const float* found = operand_download(&b);
    for (int i = 0; i < batch * elements; ++i)
        assert_true(found[i] == 0);
    operand_destroy(&b);
}

// ---- Groups of products -------------------------------------------------------------------------

enum { group_count = 5 };

// Each group, compared with the same products one by one, which the test sgemm compares with double
// precision.
static void test_groups(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    random_seed(12);
    static const myblasOperation_t transa[group_count] = {0, 1, 0, 2, 0};
    static const myblasOperation_t transb[group_count] = {0, 0, 1, 1, 0};
    static const int m[group_count] = {5, 33, 0, 17, 64}, n[group_count] = {7, 20, 4, 65, 3};
    static const int k[group_count] = {9, 40, 5, 0, 100}, size[group_count] = {3, 1, 2, 2, 0};
    static const int ld[group_count] = {70, 71, 72, 73, 104};
    static const float alpha[group_count] = {1, -0.5f, 2, 1, 1},
                       beta[group_count] = {0, 1, 1, 2, 1};
    int64_t m64[group_count], n64[group_count], k64[group_count], size64[group_count],
        ld64[group_count];
    enum { products = 8, elements = 104 * 104 };
    struct operand a = operand_create(handle), b = a, c = a, expected = a, pointers = a,
                   scalars = a;
    struct operand* all[] = {&a, &b, &c, &expected};
    for (size_t i = 0; i < COUNT_OF(all); ++i) {
        float* host = operand_place(all[i], products * elements * sizeof(float), 0);
        for (int e = 0; e < products * elements; ++e)
            host[e] = i == 3 ? sent(&c)[e] : random_float();
        operand_upload(all[i]);
    }
    void** array = operand_place(&pointers, 3 * products * sizeof(void*), 0);
    for (int i = 0; i < products; ++i)
        for (int o = 0; o < 3; ++o)
            array[o * products + i] =
                (float*)operand_device(all[o]) + (products - 1 - i) * elements;
    operand_upload(&pointers);
    float* host = operand_place(&scalars, 2 * group_count * sizeof(float), 0);
    memcpy(host, alpha, sizeof alpha);
    memcpy(host + group_count, beta, sizeof beta);
    operand_upload(&scalars);
    for (int g = 0, first = 0; g < group_count; first += size[g], ++g) {
        m64[g] = m[g], n64[g] = n[g], k64[g] = k[g], size64[g] = size[g], ld64[g] = ld[g];
        for (int i = first; i < first + size[g]; ++i) {
            const size_t at = (size_t)(products - 1 - i) * elements;
            assert_ok(mysgemm(handle,
                              transa[g],
                              transb[g],
                              m[g],
                              n[g],
                              k[g],
                              alpha + g,
                              (float*)operand_device(&a) + at,
                              ld[g],
                              (float*)operand_device(&b) + at,
                              ld[g],
                              beta + g,
                              (float*)operand_device(&expected) + at,
                              ld[g]));
        }
    }
    const float* right = operand_download(&expected);
    const float* const* in_a = operand_device(&pointers);
    const float* const* in_b = in_a + products;
    float* const* in_c = (float* const*)(in_b + products);
    for (int variant = 0; variant < 4; ++variant) {
        const bool wide = variant & 1, device = variant & 2;
        operand_upload(&c);
        assert_ok(myblasSetPointerMode(
            handle, device ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
        const float* factors = device ? operand_device(&scalars) : (const float*)sent(&scalars);
        // clang-format off
        assert_ok(wide ? mysgemmGroupedBatched_64(handle, transa, transb, m64, n64, k64, factors,
                                                  in_a, ld64, in_b, ld64, factors + group_count,
                                                  in_c, ld64, group_count, size64)
                       : mysgemmGroupedBatched(handle, transa, transb, m, n, k, factors, in_a, ld,
                                               in_b, ld, factors + group_count, in_c, ld,
                                               group_count, size));
        // clang-format on
        const float* found = operand_download(&c);
        for (int e = 0; e < products * elements; ++e)
            if (!(fabsf(found[e] - right[e]) <= 200 * UNIT_ROUNDOFF * 30))
                fail_msg("element %d is %g, not %g", e, found[e], right[e]);
        operand_assert_unchanged(&a);
        operand_assert_unchanged(&b);
    }
    // Refused before anything is computed: an error in the last group but one.
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));
    operand_upload(&c);
    int bad[group_count];
    memcpy(bad, ld, sizeof bad);
    bad[3] = 16;
    const float* factors = sent(&scalars);
    // clang-format off
    assert_status(INVALID_VALUE, mysgemmGroupedBatched(handle, transa, transb, m, n, k, factors,
                                                       in_a, ld, in_b, ld, factors + group_count,
                                                       in_c, bad, group_count, size));
    memcpy(bad, size, sizeof bad);
    bad[2] = -1;
    assert_status(INVALID_VALUE, mysgemmGroupedBatched(handle, transa, transb, m, n, k, factors,
                                                       in_a, ld, in_b, ld, factors + group_count,
                                                       in_c, ld, group_count, bad));
    assert_status(INVALID_VALUE, mysgemmGroupedBatched(handle, transa, transb, m, n, k, factors,
                                                       in_a, ld, in_b, ld, factors + group_count,
                                                       in_c, ld, -1, size));
    assert_status(INVALID_VALUE, mysgemmGroupedBatched(handle, transa, transb, m, n, NULL, factors,
                                                       in_a, ld, in_b, ld, factors + group_count,
                                                       in_c, ld, group_count, size));
    assert_status(NOT_INITIALIZED, mysgemmGroupedBatched(NULL, transa, transb, m, n, k, factors,
                                                         in_a, ld, in_b, ld, factors + group_count,
                                                         in_c, ld, group_count, size));
    assert_ok(mysgemmGroupedBatched(handle, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                    NULL, NULL, NULL, NULL, 0, NULL));
    // Sizes whose sum exceeds 64 bits are refused if a later group has something to compute.
    int64_t sizes[group_count];
    for (int zeroes = 0; zeroes < 2; ++zeroes) {
        int64_t rows[group_count];
        for (int g = 0; g < group_count; ++g) {
            sizes[g] = g < 2 ? INT64_MAX - g : size64[g];
            rows[g] = g < 2 || zeroes ? 0 : m64[g];
        }
        assert_int_equal(mysgemmGroupedBatched_64(handle, transa, transb, rows, n64, k64, factors,
                                                  in_a, ld64, in_b, ld64, factors + group_count,
                                                  in_c, ld64, group_count, sizes),
                         zeroes ? MYBLAS_STATUS_SUCCESS : MYBLAS_STATUS_INVALID_VALUE);
    }
    // clang-format on
    operand_assert_unchanged(&c);
    for (size_t i = 0; i < COUNT_OF(all); ++i)
        operand_destroy(all[i]);
    operand_destroy(&pointers);
    operand_destroy(&scalars);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_hostile_triangles),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_hostile_modes),
        cmocka_unit_test(test_triangles_of_products),
        cmocka_unit_test(test_gemmtr_of_one_matrix),
        cmocka_unit_test(test_leading_dimensions_of_gemmtr),
        cmocka_unit_test(test_triangular_operands),
        cmocka_unit_test(test_specials),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_zero_scalars),
        cmocka_unit_test(test_nan_beta),
        cmocka_unit_test(test_workspaces),
        cmocka_unit_test(test_forced_product),
        cmocka_unit_test(test_reproducible),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_batch_without_a),
        cmocka_unit_test(test_groups),
    };
    return RUN_ON_BACKENDS("level3", tests);
}
