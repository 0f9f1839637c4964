// Reproducible mode, bit by bit against the scalar loop that myblas.h states: random calls of every
// routine and form, every kernel that accepts the mode, a row alone and in a batch, and what the
// mode refuses.
//
// MYBLAS_TEST_CALLS=10000 and MYBLAS_TEST_SEED=1 choose the number of random calls, and their seed.
// The hash of their results is the same on every device and host.
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

#define MODE MYBLAS_FP32_REPRODUCIBLE_MATH

// ---- Calls --------------------------------------------------------------------------------------

enum routine {
    gemm,
    gemm_64,
    on_host,
    strided,
    arrays,
    grouped,
    fused,
    gemv,
    gemv_strided,
    gemv_arrays,
    syrk,
    syrkx,
    gemmtr,
    symm,
    routine_count
};

static const char* const names[routine_count] = {"mysgemm",
                                                 "mysgemm_64",
                                                 "mysgemmHost",
                                                 "mysgemmStridedBatched",
                                                 "mysgemmBatched",
                                                 "mysgemmGroupedBatched",
                                                 "mysgemmFusedStridedBatched",
                                                 "mysgemv",
                                                 "mysgemvStridedBatched",
                                                 "mysgemvBatched",
                                                 "myssyrk",
                                                 "myssyrkx",
                                                 "mysgemmtr",
                                                 "myssymm"};

enum data { uniform, wide_exponents, underflowing, data_count };

// C = alpha op(A) op(B) + beta C, with C m x n. In gemv, A is the matrix, B is x and C is y.
struct call {
    enum routine routine;
    enum data data;
    bool transa, transb, upper, right; // symm: right
    int m, n, k, batch;
    int padding_a, padding_b, padding_c; // of leading dimensions; gemv: increments - 1
    bool backwards_x, backwards_y;       // gemv
    size_t misaligned_a, misaligned_b, misaligned_c;
    float alpha, beta;
    bool relu, has_aux, has_source;
    int bias; // 0: none, 1: of rows, 2: of columns
    bool scalars_on_device;
};

static bool is_gemv(const struct call* c) {
    return c->routine >= gemv && c->routine <= gemv_arrays;
}
static bool is_triangle(const struct call* c) { return c->routine >= syrk && c->routine <= gemmtr; }

// A matrix in memory: element (row, col) of product i is at i * stride + row * row_step +
// col * col_step, op() applied.
struct view {
    int64_t row_step, col_step, stride, first;
    size_t floats;
    int ld;
};

static struct view view_of(int rows, int cols, bool transposed, int padding, int batch) {
    const int along = transposed ? cols : rows, across = transposed ? rows : cols;
    struct view v = {.ld = (along > 1 ? along : 1) + padding};
    v.row_step = transposed ? v.ld : 1;
    v.col_step = transposed ? 1 : v.ld;
    v.stride = (int64_t)v.ld * across + padding;
    v.floats = (size_t)(v.stride * batch);
    return v;
}

static struct view vector_of(int length, int inc, bool backwards, int batch) {
    struct view v = {.ld = inc, .row_step = inc, .stride = (int64_t)inc * length + 1};
    v.floats = (size_t)(v.stride * batch);
    if (backwards)
        v.first = (int64_t)inc * (length - 1), v.row_step = -inc;
    return v;
}

static int64_t at(const struct view* v, int i, int row, int col) {
    return v->first + i * v->stride + row * v->row_step + col * v->col_step;
}

struct operands {
    struct view a, b, c;
    struct operand in_a, in_b, in_c, bias, aux, source, scalars, pointers;
};

static float random_value(enum data data) {
    const float x = random_float();
    switch (data) {
    case wide_exponents:
        return random_between(0, 15) ? ldexpf(x, (int)random_between(-12, 12)) : 0;
    case underflowing: // products are subnormal, or zeros of either sign
        return random_between(0, 7) ? ldexpf(x, -74) : -0.0f;
    default:
        return x;
    }
}

static void fill(struct operand* o, size_t floats, size_t misaligned, enum data data) {
    float* values = operand_place(o, floats * sizeof(float), misaligned);
    for (size_t i = 0; i < floats; ++i)
        values[i] = random_value(data);
    operand_upload(o);
}

static void set_up(struct operands* o, myblasHandle_t handle, const struct call* c) {
    struct operand* const all[] = {
        &o->in_a, &o->in_b, &o->in_c, &o->bias, &o->aux, &o->source, &o->scalars, &o->pointers};
    for (size_t i = 0; i < COUNT_OF(all); ++i)
        *all[i] = operand_create(handle);
    if (is_gemv(c)) {
        o->a = view_of(c->m, c->k, c->transa, c->padding_a, c->batch);
        o->b = vector_of(c->k, c->padding_b + 1, c->backwards_x, c->batch);
        o->c = vector_of(c->m, c->padding_c + 1, c->backwards_y, c->batch);
    } else {
        o->a = view_of(c->m, c->k, c->transa, c->padding_a, c->batch);
        o->b = view_of(c->k, c->n, c->transb, c->padding_b, c->batch);
        o->c = view_of(c->m, c->n, false, c->padding_c, c->batch);
    }
    fill(&o->in_a, o->a.floats, c->misaligned_a, c->data);
    fill(&o->in_b, o->b.floats, c->misaligned_b, c->data);
    fill(&o->in_c, o->c.floats, c->misaligned_c, c->data);
    fill(&o->source, o->c.floats, c->misaligned_b, c->data);
    fill(&o->bias, (size_t)(c->m > c->n ? c->m : c->n), c->misaligned_a, c->data);
    operand_place(&o->aux, o->c.floats * sizeof(float), c->misaligned_c);
    operand_upload(&o->aux);
    float* const scalars = operand_place(&o->scalars, 2 * sizeof(float), 0);
    scalars[0] = c->alpha, scalars[1] = c->beta;
    operand_upload(&o->scalars);
    void** const pointers = operand_place(&o->pointers, sizeof(void*) * (size_t)c->batch * 3, 0);
    for (int i = 0; i < c->batch; ++i) {
        pointers[i] = (float*)operand_device(&o->in_a) + i * o->a.stride;
        pointers[c->batch + i] = (float*)operand_device(&o->in_b) + i * o->b.stride;
        pointers[2 * c->batch + i] = (float*)operand_device(&o->in_c) + i * o->c.stride;
    }
    operand_upload(&o->pointers);
}

static void tear_down(struct operands* o) {
    operand_destroy(&o->in_a);
    operand_destroy(&o->in_b);
    operand_destroy(&o->in_c);
    operand_destroy(&o->bias);
    operand_destroy(&o->aux);
    operand_destroy(&o->source);
    operand_destroy(&o->scalars);
    operand_destroy(&o->pointers);
}

static myblasOperation_t op(bool transposed) { return transposed ? MYBLAS_OP_T : MYBLAS_OP_N; }

static myblasStatus_t
run_grouped(myblasHandle_t handle, const struct operands* o, const struct call* c) {
    // Two groups of the same shape; the second may be empty.
    const myblasOperation_t transa[] = {op(c->transa), op(c->transa)};
    const myblasOperation_t transb[] = {op(c->transb), op(c->transb)};
    const int m[] = {c->m, c->m}, n[] = {c->n, c->n}, k[] = {c->k, c->k};
    const int lda[] = {o->a.ld, o->a.ld}, ldb[] = {o->b.ld, o->b.ld}, ldc[] = {o->c.ld, o->c.ld};
    const float alpha[] = {c->alpha, c->alpha}, beta[] = {c->beta, c->beta};
    const int sizes[] = {(c->batch + 1) / 2, c->batch / 2};
    const float* const* const pointers = operand_device(&o->pointers);
    return mysgemmGroupedBatched(handle,
                                 transa,
                                 transb,
                                 m,
                                 n,
                                 k,
                                 alpha,
                                 pointers,
                                 lda,
                                 pointers + c->batch,
                                 ldb,
                                 beta,
                                 (float* const*)(pointers + 2 * c->batch),
                                 ldc,
                                 2,
                                 sizes);
}

static myblasStatus_t run_on_host(myblasHandle_t handle, struct operands* o, const struct call* c) {
    float* const result = malloc(o->c.floats * sizeof(float));
    assert_non_null(result);
    memcpy(result, sent(&o->in_c), o->c.floats * sizeof(float));
    const myblasStatus_t status = mysgemmHost(handle,
                                              op(c->transa),
                                              op(c->transb),
                                              c->m,
                                              c->n,
                                              c->k,
                                              &c->alpha,
                                              sent(&o->in_a),
                                              o->a.ld,
                                              sent(&o->in_b),
                                              o->b.ld,
                                              &c->beta,
                                              result,
                                              o->c.ld);
    // As if it had been computed on the device
    memcpy(operand_place(&o->in_c, o->c.floats * sizeof(float), c->misaligned_c),
           result,
           o->c.floats * sizeof(float));
    operand_upload(&o->in_c);
    free(result);
    return status;
}

static myblasStatus_t run(myblasHandle_t handle, struct operands* o, const struct call* c) {
    const float* const on_device = operand_device(&o->scalars);
    const float* const alpha = c->scalars_on_device ? on_device : &c->alpha;
    const float* const beta = c->scalars_on_device ? on_device + 1 : &c->beta;
    const float *const a = operand_device(&o->in_a), *const b = operand_device(&o->in_b);
    float* const result = operand_device(&o->in_c);
    const float* const* const pointers = operand_device(&o->pointers);
    const myblasOperation_t transa = op(c->transa), transb = op(c->transb);
    const myblasFillMode_t uplo = c->upper ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
    const int lda = o->a.ld, ldb = o->b.ld, ldc = o->c.ld, batch = c->batch;
    // gemv: A as it is stored
    const int rows = c->transa ? c->k : c->m, cols = c->transa ? c->m : c->k;
    const int incx = c->backwards_x ? -ldb : ldb, incy = c->backwards_y ? -ldc : ldc;
    assert_ok(myblasSetPointerMode(handle,
                                   c->scalars_on_device && c->routine != grouped
                                       ? MYBLAS_POINTER_MODE_DEVICE
                                       : MYBLAS_POINTER_MODE_HOST));
    switch (c->routine) {
    case gemm:
        return mysgemm(
            handle, transa, transb, c->m, c->n, c->k, alpha, a, lda, b, ldb, beta, result, ldc);
    case gemm_64:
        return mysgemm_64(
            handle, transa, transb, c->m, c->n, c->k, alpha, a, lda, b, ldb, beta, result, ldc);
    case on_host:
        return run_on_host(handle, o, c);
    case strided:
        return mysgemmStridedBatched(handle,
                                     transa,
                                     transb,
                                     c->m,
                                     c->n,
                                     c->k,
                                     alpha,
                                     a,
                                     lda,
                                     o->a.stride,
                                     b,
                                     ldb,
                                     o->b.stride,
                                     beta,
                                     result,
                                     ldc,
                                     o->c.stride,
                                     batch);
    case arrays:
        return mysgemmBatched(handle,
                              transa,
                              transb,
                              c->m,
                              c->n,
                              c->k,
                              alpha,
                              pointers,
                              lda,
                              pointers + batch,
                              ldb,
                              beta,
                              (float* const*)(pointers + 2 * batch),
                              ldc,
                              batch);
    case grouped:
        return run_grouped(handle, o, c);
    case fused: {
        const myblasEpilogue_t epilogue = {
            .size_bytes = sizeof epilogue,
            .activation = c->relu ? MYBLAS_ACTIVATION_RELU : MYBLAS_ACTIVATION_NONE,
            .bias_of = c->bias == 2 ? MYBLAS_BIAS_OF_COLUMNS : MYBLAS_BIAS_OF_ROWS,
            .bias = c->bias ? operand_device(&o->bias) : NULL,
            .aux = c->has_aux ? operand_device(&o->aux) : NULL,
            .ldaux = ldc,
            .stride_aux = o->c.stride};
        return mysgemmFusedStridedBatched(handle,
                                          transa,
                                          transb,
                                          c->m,
                                          c->n,
                                          c->k,
                                          alpha,
                                          a,
                                          lda,
                                          o->a.stride,
                                          b,
                                          ldb,
                                          o->b.stride,
                                          beta,
                                          c->has_source ? operand_device(&o->source) : result,
                                          ldc,
                                          o->c.stride,
                                          result,
                                          ldc,
                                          o->c.stride,
                                          &epilogue,
                                          batch);
    }
    case gemv:
        return mysgemv(handle, transa, rows, cols, alpha, a, lda, b, incx, beta, result, incy);
    case gemv_strided:
        return mysgemvStridedBatched(handle,
                                     transa,
                                     rows,
                                     cols,
                                     alpha,
                                     a,
                                     lda,
                                     o->a.stride,
                                     b,
                                     incx,
                                     o->b.stride,
                                     beta,
                                     result,
                                     incy,
                                     o->c.stride,
                                     batch);
    case gemv_arrays:
        return mysgemvBatched(handle,
                              transa,
                              rows,
                              cols,
                              alpha,
                              pointers,
                              lda,
                              pointers + batch,
                              incx,
                              beta,
                              (float* const*)(pointers + 2 * batch),
                              incy,
                              batch);
    case syrk:
        return myssyrk(handle, uplo, transa, c->n, c->k, alpha, a, lda, beta, result, ldc);
    case syrkx:
        return myssyrkx(handle, uplo, transa, c->n, c->k, alpha, a, lda, b, ldb, beta, result, ldc);
    case gemmtr:
        return mysgemmtr(
            handle, uplo, transa, transb, c->n, c->k, alpha, a, lda, b, ldb, beta, result, ldc);
    default: // symm; on the right, B of this call is the symmetric matrix
        return myssymm(handle,
                       c->right ? MYBLAS_SIDE_RIGHT : MYBLAS_SIDE_LEFT,
                       uplo,
                       c->m,
                       c->n,
                       alpha,
                       c->right ? b : a,
                       c->right ? ldb : lda,
                       c->right ? a : b,
                       c->right ? lda : ldb,
                       beta,
                       result,
                       ldc);
    }
}

// ---- The scalar loop ----------------------------------------------------------------------------

// Element (row, col) of an operand, of a symmetric one from its stored triangle.
static float
element(const float* x, const struct view* v, bool symmetric, bool upper, int i, int row, int col) {
    const bool is_mirrored = symmetric && (upper ? row > col : row < col);
    return x[is_mirrored ? at(v, i, col, row) : at(v, i, row, col)];
}

struct result {
    float aux, value;
};

static struct result expected(
    const struct operands* o, const struct call* c, const float* old, int i, int row, int col) {
    const bool is_symm = c->routine == symm;
    // syrk: op(B) is the transpose of op(A)
    const bool is_a = c->routine == syrk;
    float acc = 0;
    for (int l = 0; l < c->k && c->alpha != 0; ++l) {
        const float a = element(sent(&o->in_a), &o->a, is_symm && !c->right, c->upper, i, row, l);
        const float b =
            is_a ? element(sent(&o->in_a), &o->a, false, false, i, col, l)
                 : element(sent(&o->in_b), &o->b, is_symm && c->right, c->upper, i, l, col);
        acc = fmaf(a, b, acc);
    }
    float x = c->k == 0 || c->alpha == 0 ? 0 : fmaf(c->alpha, acc, 0);
    if (c->routine == fused && c->bias)
        x += sent(&o->bias)[c->bias == 2 ? col : row];
    if (c->beta != 0)
        x = fmaf(c->beta, old[at(&o->c, i, row, col)], x);
    return (struct result){x, c->routine == fused && c->relu && x <= 0 ? 0 : x};
}

static bool is_same(float x, float y) {
    return (isnan(x) && isnan(y)) || memcmp(&x, &y, sizeof x) == 0;
}

static void fail_call(const struct call* c, const char* kernel, const char* what) {
    fail_msg(
        "%s %c%c m %d n %d k %d batch %d, data %d, alpha %g, beta %g, ld + %d %d %d, upper %d, "
        "right %d, relu %d, bias %d, by %s: %s",
        names[c->routine],
        c->transa ? 'T' : 'N',
        c->transb ? 'T' : 'N',
        c->m,
        c->n,
        c->k,
        c->batch,
        c->data,
        c->alpha,
        c->beta,
        c->padding_a,
        c->padding_b,
        c->padding_c,
        c->upper,
        c->right,
        c->relu,
        c->bias,
        kernel ? kernel : "the selection",
        what);
}

// FNV-1a of the bits of all results since test_random_calls began; a NaN counts as zero.
static uint64_t results_hash;

static void add_to_hash(const float* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits = 0;
        if (!isnan(values[i]))
            memcpy(&bits, &values[i], sizeof bits);
        for (int byte = 0; byte < 4; ++byte)
            results_hash = (results_hash ^ (bits >> 8 * byte & 0xff)) * 0x100000001b3;
    }
}

// Every element of C, of aux, and what must not be touched.
static void
check(struct operands* o, const struct call* c, const float* before, const char* kernel) {
    const float* const found = operand_download(&o->in_c);
    const float* const aux = operand_download(&o->aux);
    const float* const old = c->routine == fused && c->has_source ? sent(&o->source) : before;
    // A sample of large products: of every `apart` elements one.
    const double work = (double)c->batch * c->m * c->n * (c->k + 8);
    const int64_t apart = 1 + (int64_t)(work / 3e6);
    size_t computed = 0;
    for (int i = 0; i < c->batch; ++i)
        for (int col = 0; col < c->n; ++col)
            for (int row = 0; row < c->m; ++row) {
                const int64_t place = at(&o->c, i, row, col);
                char what[160];
                if (is_triangle(c) && (c->upper ? row > col : row < col)) {
                    if (!is_same(found[place], before[place]))
                        fail_call(c, kernel, "the other triangle is touched");
                    continue;
                }
                ++computed;
                if (random_between(1, apart) > 1)
                    continue;
                const struct result want = expected(o, c, old, i, row, col);
                snprintf(what,
                         sizeof what,
                         "product %d (%d, %d) is %.9g (%a), not %.9g (%a)",
                         i,
                         row,
                         col,
                         found[place],
                         found[place],
                         want.value,
                         want.value);
                if (!is_same(found[place], want.value))
                    fail_call(c, kernel, what);
                if (c->routine == fused && c->has_aux && !is_same(aux[place], want.aux))
                    fail_call(c, kernel, "aux is wrong");
            }
    size_t untouched = 0;
    for (size_t i = 0; i < o->c.floats; ++i)
        untouched += is_same(found[i], before[i]);
    if (untouched + computed < o->c.floats)
        fail_call(c, kernel, "memory beside C is touched");
    add_to_hash(found, o->c.floats);
}

// Returns whether the call was accepted.
static bool run_and_check(myblasHandle_t handle, const struct call* c, const char* kernel) {
    struct operands o;
    set_up(&o, handle, c);
    float* const before = malloc(o.c.floats * sizeof(float) + 1);
    assert_non_null(before);
    memcpy(before, sent(&o.in_c), o.c.floats * sizeof(float));
    assert_ok(myblasSetMathMode(handle, MODE));
    const myblasStatus_t status = run(handle, &o, c);
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));
    if (status == MYBLAS_STATUS_SUCCESS)
        check(&o, c, before, kernel);
    else if (status == MYBLAS_STATUS_NOT_SUPPORTED && kernel)
        operand_assert_unchanged(&o.in_c);
    else
        fail_call(c, kernel, myblasGetStatusName(status));
    free(before);
    tear_down(&o);
    return status == MYBLAS_STATUS_SUCCESS;
}

// ---- Random calls -------------------------------------------------------------------------------

static int random_extent(void) {
    static const int most[] = {3, 17, 40, 70, 140, 300};
    return (int)random_between(1, most[random_between(0, COUNT_OF(most) - 1)]);
}

static struct call random_call(void) {
    static const float scalars[] = {1, 0, -1, -0.5f, 2.7f};
    struct call c = {.routine = (enum routine)random_between(0, routine_count - 1), .batch = 1};
    c.data = (enum data)random_between(0, data_count - 1);
    c.transa = random_between(0, 1), c.transb = random_between(0, 1);
    c.upper = random_between(0, 1), c.right = random_between(0, 1);
    c.m = random_extent(), c.n = random_extent();
    c.k = random_between(0, 30) ? random_extent() : 0;
    if (random_between(0, 60) == 0) { // large tiles
        c.m = (int)random_between(300, 900), c.n = (int)random_between(300, 900);
        c.k = (int)random_between(1, 300);
    }
    if (random_between(0, 20) == 0) { // a long k, with a small C
        c.m = 1 + c.m % 20, c.n = 1 + c.n % 20;
        c.k = (int)random_between(300, 3000);
    }
    if (random_between(0, 2)) {
        c.padding_a = (int)random_between(0, 5);
        c.padding_b = (int)random_between(0, 5);
        c.padding_c = (int)random_between(0, 5);
        c.misaligned_a = 4 * (size_t)random_between(0, 3);
        c.misaligned_b = 4 * (size_t)random_between(0, 3);
        c.misaligned_c = 4 * (size_t)random_between(0, 3);
    } else { // aligned to 16 bytes
        c.m = (c.m + 3) / 4 * 4, c.n = (c.n + 3) / 4 * 4, c.k = (c.k + 3) / 4 * 4;
    }
    const bool has_batch = (c.routine >= strided && c.routine <= fused) ||
                           c.routine == gemv_strided || c.routine == gemv_arrays;
    if (has_batch)
        c.batch = (int)random_between(1, 5);
    if (is_gemv(&c)) {
        c.n = 1, c.m *= 2;
        c.k = c.k ? c.k : 1; // without columns, gemv leaves y as it is
    }
    c.backwards_x = random_between(0, 3) == 0, c.backwards_y = random_between(0, 3) == 0;
    if (is_triangle(&c))
        c.m = c.n;
    if (c.routine == syrk || c.routine == syrkx)
        c.transb = !c.transa;
    if (c.routine == symm) {
        c.transa = c.transb = false;
        c.k = c.right ? c.n : c.m;
    }
    c.alpha = scalars[random_between(0, 15) ? random_between(2, 4) : random_between(0, 1)];
    if (random_between(0, 2) == 0)
        c.alpha = 1;
    c.beta = scalars[random_between(0, COUNT_OF(scalars) - 1)];
    c.relu = random_between(0, 1), c.has_aux = random_between(0, 1);
    c.has_source = random_between(0, 1), c.bias = (int)random_between(0, 2);
    c.scalars_on_device = random_between(0, 2) == 0;
    return c;
}

static long number_of(const char* variable, long usual) {
    const char* const text = getenv(variable);
    return text ? strtol(text, NULL, 10) : usual;
}

static void test_random_calls(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    const long calls = number_of("MYBLAS_TEST_CALLS", reduced() ? 60 : 1000);
    const long seed = number_of("MYBLAS_TEST_SEED", (long)time(NULL));
    print_message("%ld random calls, MYBLAS_TEST_SEED=%ld\n", calls, seed);
    random_seed((uint64_t)seed);
    results_hash = 0xcbf29ce484222325;
    for (long i = 0; i < calls; ++i) {
        const struct call c = random_call();
        assert_true(run_and_check(handle, &c, NULL));
    }
    print_message("results: %016" PRIx64 "\n", results_hash);
}

// ---- Kernels ------------------------------------------------------------------------------------

static const char* const known_to_keep_order[] = {"ordered",
                                                  "naive",
                                                  "grid_stride",
                                                  "multistage",
                                                  "warp_tile/256x128",
                                                  "warp_tile/128x64",
                                                  "warp_tile/64x64",
                                                  "warp_tile/64x32",
                                                  "small_tile/16x16_packed",
                                                  "small_tile/32x32_packed",
                                                  "tiny",
                                                  "short_k"};
static const char* const known_to_cut_k[] = {"blocked",
                                             "openblas",
                                             "split_k",
                                             "stream_k/128x64",
                                             "small_tile/32x32_k16",
                                             "group_tile/64x32",
                                             "skinny",
                                             "gemv"};

static bool is_listed(const char* name, const char* const* list, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

// Shapes around the tiles of each kernel, in all forms. Returns the number of calls that the kernel
// took.
static int run_shapes(myblasHandle_t handle, const char* kernel, const myblasKernelInfo_t* info) {
    const int m = info->block_m ? (info->block_m < 256 ? info->block_m : 256) : 32;
    const int n = info->block_n ? (info->block_n < 256 ? info->block_n : 256) : 32;
    const int slab = info->block_k ? info->block_k : 8;
    const int shapes[][3] = {{1, 1, 1},
                             {m, n, slab},
                             {m + 1, n + 1, slab + 1},
                             {2 * m - 4, 2 * n - 4, 4 * slab + 4},
                             {m - 1, 2 * n + 1, 3 * slab - 1},
                             {4, 8, 700},
                             {m, n, 513}};
    static const float alphas[] = {1, -1, 2.7f}, betas[] = {0, 1, -0.5f};
    int taken = 0;
    for (size_t s = 0; s < COUNT_OF(shapes); ++s)
        for (int form = 0; form < 4; ++form)
            for (int turn = (form + (int)s) % 3; turn < 9; turn += 3) {
                // In minimal mode, each shape has one form and one turn.
                if (minimal() ? form != (int)(s % 4) || turn / 3 != (int)(s % 3) : left_out(10))
                    continue;
                struct call c = {.routine = turn == 4   ? arrays
                                            : turn == 8 ? strided
                                                        : gemm,
                                 .data = (enum data)(turn % data_count),
                                 .transa = form / 2,
                                 .transb = form % 2,
                                 .m = shapes[s][0] > 0 ? shapes[s][0] : 1,
                                 .n = shapes[s][1] > 0 ? shapes[s][1] : 1,
                                 .k = shapes[s][2],
                                 .batch = turn == 4 || turn == 8 ? 5 : 1,
                                 .alpha = alphas[turn % 3],
                                 .beta = betas[turn / 3]};
                if (turn % 2) {
                    c.padding_a = 1, c.padding_b = 3, c.padding_c = 2;
                    c.misaligned_a = 4, c.misaligned_c = 8;
                }
                taken += run_and_check(handle, &c, kernel);
                c.routine = fused;
                c.bias = turn % 3, c.relu = turn % 2, c.has_aux = turn == 5;
                taken += run_and_check(handle, &c, kernel);
                c.routine = gemmtr;
                c.batch = 1;
                c.m = c.n;
                c.upper = turn % 2;
                taken += run_and_check(handle, &c, kernel);
            }
    return taken;
}

static void test_every_kernel(void** state) {
    myblasHandle_t handle = require_handle(state);
    random_seed(1);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_SGEMM);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, info.name));
        const int taken = run_shapes(handle, info.name, &info);
        if (is_listed(info.name, known_to_keep_order, COUNT_OF(known_to_keep_order)) && !taken &&
            !reduced())
            fail_msg("%s takes no call in reproducible mode", info.name);
        if (is_listed(info.name, known_to_cut_k, COUNT_OF(known_to_cut_k)) && taken)
            fail_msg("%s takes calls in reproducible mode", info.name);
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
    }
}

// The kernels of syrk and symm.
static void test_kernels_of_level3(void** state) {
    static const enum routine routines[] = {syrk, syrkx, gemmtr, symm};
    myblasHandle_t handle = require_handle(state);
    random_seed(2);
    for (size_t r = 0; r < COUNT_OF(routines); ++r) {
        const myblasRoutine_t routine =
            routines[r] == symm ? MYBLAS_ROUTINE_SYMM : MYBLAS_ROUTINE_SYRK;
        const int count = kernel_count(handle, routine);
        for (int i = 0; i < count; ++i) {
            const myblasKernelInfo_t info = kernel_info(handle, routine, i);
            if (!kernel_fits_device(handle, &info))
                continue;
            assert_ok(myblasForceKernel(handle, routine, info.name));
            int taken = 0;
            for (int turn = 0; turn < (reduced() ? 2 : 20); ++turn) {
                struct call c = random_call();
                c.routine = routines[r], c.batch = 1;
                c.n = turn % 5 == 4 ? 300 : c.n;
                c.m = routines[r] == symm ? c.m : c.n;
                c.transb = routines[r] == gemmtr ? c.transb : !c.transa;
                if (routines[r] == symm) {
                    c.transa = c.transb = false;
                    c.k = c.right ? c.n : c.m;
                }
                taken += run_and_check(handle, &c, info.name);
            }
            if ((strcmp(info.name, "openblas") == 0 || strcmp(info.name, "small") == 0) && taken)
                fail_msg("%s takes calls in reproducible mode", info.name);
            if (is_listed(info.name, (const char*[]){"naive", "products", "reference"}, 3) &&
                !taken)
                fail_msg("%s takes no call in reproducible mode", info.name);
        }
        assert_ok(myblasForceKernel(handle, routine, NULL));
    }
}

// ---- One row in many places ---------------------------------------------------------------------

// Row 0 of A (1 x k) by B (k x n), alone and in products of any kind, has the same bits.
static void test_row_in_a_batch(void** state) {
    enum { n = 200, k = 333, rows = 1000 };
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    const int more = reduced() ? 30 : rows, ld = more + 3;
    random_seed(3);
    assert_ok(myblasSetMathMode(handle, MODE));
    struct operand a = operand_create(handle), b = operand_create(handle),
                   c = operand_create(handle);
    float* const row = malloc(k * sizeof(float));
    float* const first = malloc(n * sizeof(float));
    assert_true(row && first);
    for (int l = 0; l < k; ++l)
        row[l] = random_float();
    fill(&b, (size_t)n * k, 0, uniform);
    const float one = 1, zero = 0;
    for (int turn = 0; turn < 6; ++turn) {
        // 0: the row alone; 1: alone, transposed, misaligned; 2: last of many rows; 3: in the
        // middle of many, transposed; 4: each product of a batch; 5: gemv
        const int m = turn == 2 || turn == 3 ? more : 1, at_row = turn == 2 ? m - 1 : m / 2;
        const int batch = turn == 4 ? more : 1;
        const bool transposed = turn % 2;
        const int lda = transposed ? k + 1 : ld;
        float* values = operand_place(
            &a, sizeof(float) * (size_t)lda * (size_t)(transposed ? m : k), transposed ? 4 : 0);
        for (int l = 0; l < k; ++l)
            for (int i = 0; i < m; ++i)
                values[transposed ? l + i * lda : i + l * lda] =
                    i == at_row ? row[l] : random_float();
        operand_upload(&a);
        operand_place(&c, sizeof(float) * (size_t)ld * n * (size_t)batch, transposed ? 8 : 0);
        operand_upload(&c);
        if (turn == 5)
            assert_ok(mysgemv(handle,
                              MYBLAS_OP_T,
                              k,
                              n,
                              &one,
                              operand_device(&b),
                              k,
                              operand_device(&a),
                              1,
                              &zero,
                              operand_device(&c),
                              ld));
        else
            assert_ok(mysgemmStridedBatched(handle,
                                            op(transposed),
                                            MYBLAS_OP_N,
                                            m,
                                            n,
                                            k,
                                            &one,
                                            operand_device(&a),
                                            lda,
                                            0,
                                            operand_device(&b),
                                            k,
                                            0,
                                            &zero,
                                            operand_device(&c),
                                            ld,
                                            (long long)ld * n,
                                            batch));
        const float* const found = operand_download(&c);
        const int place = turn == 5 ? 0 : at_row;
        for (int i = 0; i < batch; ++i)
            for (int j = 0; j < n; ++j) {
                const float x = found[place + (i * n + j) * (int64_t)ld];
                if (turn == 0)
                    first[j] = x;
                else if (!is_same(x, first[j]))
                    fail_msg(
                        "turn %d, product %d, column %d: %a, alone %a", turn, i, j, x, first[j]);
            }
    }
    free(first);
    free(row);
    operand_destroy(&a);
    operand_destroy(&b);
    operand_destroy(&c);
}

// Once there is no workspace, and once it is too small for a copy of a symmetric matrix.
static void test_small_workspace(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    random_seed(4);
    const size_t bytes = 1 << 15;
    void* space = NULL;
    assert_ok(myblasMalloc(handle, &space, bytes));
    for (int turn = 0; turn < (reduced() ? 10 : 100); ++turn) {
        struct call c = random_call();
        c.scalars_on_device = false;
        if (turn % 2) {
            c.routine = symm, c.transa = c.transb = false, c.batch = 1;
            c.k = c.right ? c.n : c.m;
        }
        const bool has_some = turn % 4 < 2;
        assert_ok(myblasSetWorkspace(handle, has_some ? space : NULL, has_some ? bytes : 0));
        assert_true(run_and_check(handle, &c, NULL));
    }
    assert_ok(myblasSetStream(handle, NULL)); // drops the workspace
    assert_ok(myblasFree(handle, space));
}

// ---- Refusals -----------------------------------------------------------------------------------

static void test_refusals(void** state) {
    enum { n = 40 };
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    random_seed(5);
    struct operand a = operand_create(handle), b = operand_create(handle),
                   c = operand_create(handle);
    fill(&a, n * n, 0, uniform);
    fill(&b, n * n, 0, uniform);
    fill(&c, n * n, 0, uniform);
    float *const x = operand_device(&a), *const y = operand_device(&b),
                 *const z = operand_device(&c);
    const float one = 1;
    const myblasFillMode_t lower = MYBLAS_FILL_MODE_LOWER;
    const myblasSideMode_t left = MYBLAS_SIDE_LEFT;
    const myblasDiagType_t stored = MYBLAS_DIAG_NON_UNIT;
    const myblasOperation_t N = MYBLAS_OP_N;
    assert_ok(myblasSetMathMode(handle, MODE));
    const myblasEpilogue_t gelu = {.size_bytes = sizeof gelu, .activation = MYBLAS_ACTIVATION_GELU};
    assert_status(NOT_SUPPORTED,
                  mysgemmFused(handle, N, N, n, n, n, &one, x, n, y, n, &one, z, n, z, n, &gelu));
    assert_status(NOT_SUPPORTED, myssyr2k(handle, lower, N, n, n, &one, x, n, y, n, &one, z, n));
    assert_status(NOT_SUPPORTED,
                  mystrmm(handle, left, lower, N, stored, n, n, &one, x, n, z, n, z, n));
    assert_status(NOT_SUPPORTED, mystrsm(handle, left, lower, N, stored, n, n, &one, x, n, z, n));
    operand_assert_unchanged(&c);
    // The fault of an argument comes first.
    assert_status(
        INVALID_VALUE,
        mysgemmFused(handle, N, N, n, n, n, &one, NULL, n, y, n, &one, z, n, z, n, &gelu));
    // In another mode, the same calls are computed.
    assert_ok(myblasSetMathMode(handle, MYBLAS_FP32_STRICT_MATH));
    assert_ok(mysgemmFused(handle, N, N, n, n, n, &one, x, n, y, n, &one, z, n, z, n, &gelu));
    assert_ok(myssyr2k(handle, lower, N, n, n, &one, x, n, y, n, &one, z, n));
    operand_destroy(&a);
    operand_destroy(&b);
    operand_destroy(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_calls),
                                       cmocka_unit_test(test_every_kernel),
                                       cmocka_unit_test(test_kernels_of_level3),
                                       cmocka_unit_test(test_row_in_a_batch),
                                       cmocka_unit_test(test_small_workspace),
                                       cmocka_unit_test(test_refusals)};
    return RUN_ON_BACKENDS("reproducible", tests);
}
