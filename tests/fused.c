// Fused products: every kernel with an epilogue, against double precision, with bias, activation,
// pre-activation and a separate result, and with NaN wherever the library must not read or write.
#include "support.h"

#include <math.h>

// ---- Calls --------------------------------------------------------------------------------------

enum bias { no_bias, of_rows, of_columns };
enum data { integers, uniform, wide_range, with_nan };

struct fused_case {
    int form; // bit 0: A is transposed, bit 1: B
    int64_t m, n, k, batch;
    int64_t padding; // of every leading dimension
    float alpha, beta;
    myblasActivation_t activation;
    enum bias bias;
    bool aux, in_place, device_scalars, wide;
    bool is_aligned; // columns of A and B begin at multiples of 16 bytes; else anywhere
    enum data data;
};

struct operands {
    struct operand a, b, c, d, bias, aux, scalars;
};

static struct operands operands_create(myblasHandle_t handle) {
    const struct operand o = operand_create(handle);
    return (struct operands){o, o, o, o, o, o, o};
}

static void operands_destroy(struct operands* o) {
    operand_destroy(&o->a);
    operand_destroy(&o->b);
    operand_destroy(&o->c);
    operand_destroy(&o->d);
    operand_destroy(&o->bias);
    operand_destroy(&o->aux);
    operand_destroy(&o->scalars);
}

// A matrix for each product of the batch, one after another.
struct shape {
    int64_t rows, cols, ld;
};

static struct shape shape_of(int64_t rows, int64_t cols, int64_t padding) {
    return (struct shape){rows, cols, (rows > 1 ? rows : 1) + padding};
}
static int64_t stride_of(struct shape x) { return x.ld * x.cols; }

static bool transposes_a(const struct fused_case* s) { return s->form & 1; }
static bool transposes_b(const struct fused_case* s) { return s->form & 2; }

static struct shape shape_of_input(const struct fused_case* s, int64_t rows, int64_t cols) {
    struct shape x = shape_of(rows, cols, s->padding);
    if (s->is_aligned)
        x.ld = (x.ld + 3) / 4 * 4;
    return x;
}
static struct shape shape_a(const struct fused_case* s) {
    return transposes_a(s) ? shape_of_input(s, s->k, s->m) : shape_of_input(s, s->m, s->k);
}
static struct shape shape_b(const struct fused_case* s) {
    return transposes_b(s) ? shape_of_input(s, s->n, s->k) : shape_of_input(s, s->k, s->n);
}
// Each of C, D and aux has its own leading dimension.
static struct shape shape_c(const struct fused_case* s) { return shape_of(s->m, s->n, s->padding); }
static struct shape shape_d(const struct fused_case* s) {
    return shape_of(s->m, s->n, s->in_place ? s->padding : 2 * s->padding);
}
static struct shape shape_aux(const struct fused_case* s) {
    return shape_of(s->m, s->n, 3 * s->padding);
}
static int64_t bias_length(const struct fused_case* s) {
    return s->bias == of_columns ? s->n : s->m;
}
static int64_t bias_stride(const struct fused_case* s) {
    return s->batch % 2 ? bias_length(s) + 1 : 0; // shared by even batches
}

static const char* name_of(const struct fused_case* s) {
    static char text[256];
    snprintf(text,
             sizeof text,
             "form=%d m=%lld n=%lld k=%lld batch=%lld padding=%lld alpha=%g beta=%g activation=%d "
             "bias=%d data=%d%s%s%s%s%s",
             s->form,
             (long long)s->m,
             (long long)s->n,
             (long long)s->k,
             (long long)s->batch,
             (long long)s->padding,
             s->alpha,
             s->beta,
             s->activation,
             s->bias,
             s->data,
             s->aux ? " aux" : "",
             s->in_place ? " in place" : "",
             s->device_scalars ? " device" : "",
             s->wide ? " 64" : "",
             s->is_aligned ? " aligned" : "");
    return text;
}

static myblasEpilogue_t epilogue_of(const struct operands* o, const struct fused_case* s) {
    myblasEpilogue_t e;
    memset(&e, 0, sizeof e);
    e.size_bytes = sizeof e;
    e.activation = s->activation;
    e.bias_of = s->bias == of_columns ? MYBLAS_BIAS_OF_COLUMNS : MYBLAS_BIAS_OF_ROWS;
    e.bias = s->bias == no_bias ? NULL : operand_device(&o->bias);
    e.stride_bias = bias_stride(s);
    e.aux = s->aux ? operand_device(&o->aux) : NULL;
    e.ldaux = shape_aux(s).ld;
    e.stride_aux = stride_of(shape_aux(s));
    return e;
}

static myblasStatus_t run(myblasHandle_t h, struct operands* o, const struct fused_case* s) {
    const float* alpha = s->device_scalars ? operand_device(&o->scalars)
                                           : (float*)(o->scalars.sent + o->scalars.front);
    const float* beta = alpha + 1;
    assert_ok(myblasSetPointerMode(
        h, s->device_scalars ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
    const myblasOperation_t ta = transposes_a(s) ? MYBLAS_OP_T : MYBLAS_OP_N;
    const myblasOperation_t tb = transposes_b(s) ? MYBLAS_OP_C : MYBLAS_OP_N;
    const float *a = operand_device(&o->a), *b = operand_device(&o->b);
    float* d = operand_device(&o->d);
    const float* c = s->in_place                          ? d
                     : s->beta == 0 && !s->device_scalars ? NULL
                                                          : operand_device(&o->c);
    const struct shape xa = shape_a(s), xb = shape_b(s), xc = shape_c(s), xd = shape_d(s);
    const int m = (int)s->m, n = (int)s->n, k = (int)s->k, count = (int)s->batch;
    const int la = (int)xa.ld, lb = (int)xb.ld, lc = (int)xc.ld, ld = (int)xd.ld;
    const int64_t sa = stride_of(xa), sb = stride_of(xb), sc = stride_of(xc), sd = stride_of(xd);
    const myblasEpilogue_t e = epilogue_of(o, s);
    // clang-format off
    if (s->batch > 1)
        return s->wide ? mysgemmFusedStridedBatched_64(h, ta, tb, s->m, s->n, s->k, alpha, a, xa.ld,
                                                       sa, b, xb.ld, sb, beta, c, xc.ld, sc, d,
                                                       xd.ld, sd, &e, s->batch)
                       : mysgemmFusedStridedBatched(h, ta, tb, m, n, k, alpha, a, la, sa, b, lb, sb,
                                                    beta, c, lc, sc, d, ld, sd, &e, count);
    return s->wide ? mysgemmFused_64(h, ta, tb, s->m, s->n, s->k, alpha, a, xa.ld, b, xb.ld, beta,
                                     c, xc.ld, d, xd.ld, &e)
                   : mysgemmFused(h, ta, tb, m, n, k, alpha, a, la, b, lb, beta, c, lc, d, ld, &e);
    // clang-format on
}

// ---- Data ---------------------------------------------------------------------------------------

static float value_of(const struct fused_case* s) {
    if (s->data == integers)
        return random_integer();
    if (s->data == wide_range) // what limbs of 16 bits cannot hold
        return ldexpf(random_float(), (int)random_between(-60, 10));
    return random_float();
}

static size_t bytes_of(struct shape x, int64_t batch) {
    return matrix_bytes(x.rows, x.cols * batch, x.ld, sizeof(float));
}

static float* place(struct operand* o, struct shape x, int64_t batch) {
    return operand_place(o, bytes_of(x, batch), (size_t)random_between(0, 3) % 3 * sizeof(float));
}

static float* place_input(struct operand* o, struct shape x, const struct fused_case* s) {
    return s->is_aligned ? operand_place(o, bytes_of(x, s->batch), 0) : place(o, x, s->batch);
}

// Padding stays NaN.
static void fill(float* host, struct shape x, const struct fused_case* s) {
    for (int64_t j = 0; j < x.cols * s->batch; ++j)
        for (int64_t i = 0; i < x.rows; ++i)
            host[i + j * x.ld] = value_of(s);
}

static void set_up(struct operands* o, const struct fused_case* s) {
    float* host = place_input(&o->a, shape_a(s), s);
    fill(host, shape_a(s), s);
    if (s->data == with_nan && s->k > 0)
        host[0] = NAN; // in the first row of op(A)
    operand_upload(&o->a);
    fill(place_input(&o->b, shape_b(s), s), shape_b(s), s);
    operand_upload(&o->b);
    // C and the result start as NaN if C must not be read.
    host = place(&o->c, shape_c(s), s->batch);
    if (s->beta != 0)
        fill(host, shape_c(s), s);
    operand_upload(&o->c);
    host = place(&o->d, shape_d(s), s->batch);
    if (s->beta != 0 && s->in_place)
        fill(host, shape_d(s), s);
    operand_upload(&o->d);
    place(&o->aux, shape_aux(s), s->batch);
    operand_upload(&o->aux);
    const int64_t length = bias_length(s), stride = bias_stride(s);
    host = operand_place(&o->bias,
                         sizeof(float) * (size_t)(length + (s->batch - 1) * stride),
                         (size_t)random_between(0, 3) * sizeof(float));
    for (int64_t product = 0; product < (stride ? s->batch : 1); ++product)
        for (int64_t i = 0; i < length; ++i)
            host[product * stride + i] = 4 * value_of(s);
    operand_upload(&o->bias);
    float* scalars = operand_place(&o->scalars, 2 * sizeof(float), 0);
    scalars[0] = s->alpha;
    scalars[1] = s->beta;
    operand_upload(&o->scalars);
}

// ---- The reference ------------------------------------------------------------------------------

static double gelu(double x) {
    return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

// An element before the activation, and its error bound in strict, emulated and fast mode.
struct expected {
    double x, bound;
};

static struct expected expect(const struct operands* o,
                              const struct fused_case* s,
                              myblasMath_t mode,
                              int64_t product,
                              int64_t i,
                              int64_t j) {
    const struct shape xa = shape_a(s), xb = shape_b(s);
    const float* a = sent(&o->a) + product * stride_of(xa);
    const float* b = sent(&o->b) + product * stride_of(xb);
    double sum = 0, magnitude = 0, most_a = 0, most_b = 0;
    for (int64_t l = 0; l < s->k && s->alpha != 0; ++l) {
        const double x = transposes_a(s) ? a[l + i * xa.ld] : a[i + l * xa.ld];
        const double y = transposes_b(s) ? b[j + l * xb.ld] : b[l + j * xb.ld];
        sum += x * y;
        magnitude += fabs(x * y);
        most_a = fmax(most_a, fabs(x));
        most_b = fmax(most_b, fabs(y));
    }
    sum *= s->alpha;
    magnitude *= fabs(s->alpha);
    if (s->beta != 0) {
        const struct shape xc = s->in_place ? shape_d(s) : shape_c(s);
        const float* c = sent(s->in_place ? &o->d : &o->c) + product * stride_of(xc);
        sum += (double)s->beta * c[i + j * xc.ld];
        magnitude += fabs((double)s->beta * c[i + j * xc.ld]);
    }
    if (s->bias != no_bias) {
        const double bias = sent(&o->bias)[product * bias_stride(s) + (s->bias == of_rows ? i : j)];
        sum += bias;
        magnitude += fabs(bias);
    }
    const double k = (double)(mode == MYBLAS_FP32_STRICT_MATH || s->k > 64 ? s->k : 64);
    double bound = (k + 5) * UNIT_ROUNDOFF * magnitude + (k + 5) * SMALLEST_SUBNORMAL * 2;
    if (mode == MYBLAS_FP32_FAST_MATH)
        bound += ((double)s->k + 31) * 0x1p-36 * fabs(s->alpha) * most_a * most_b;
    return (struct expected){sum, s->data == integers ? 0 : bound};
}

static bool is_within(double found, double wanted, double bound) {
    return isnan(wanted) ? isnan(found) : fabs(found - wanted) <= bound;
}

// The activation of x and its error bound, if x is off by `bound`. No slope of GELU is above 1.13.
static bool is_activated(myblasActivation_t activation, double found, double x, double bound) {
    switch (activation) {
    case MYBLAS_ACTIVATION_RELU:
        return is_within(found, isnan(x) ? x : fmax(x, 0), bound);
    case MYBLAS_ACTIVATION_GELU:
        return is_within(found,
                         gelu(x),
                         1.13 * bound + 8 * UNIT_ROUNDOFF * (fabs(x) + bound) + SMALLEST_SUBNORMAL);
    default:
        return is_within(found, x, bound);
    }
}

static void check_element(const struct operands* o,
                          const struct fused_case* s,
                          const char* kernel,
                          myblasMath_t mode,
                          int64_t product,
                          int64_t i,
                          int64_t j,
                          const float* d,
                          const float* aux) {
    const struct expected want = expect(o, s, mode, product, i, j);
    const struct shape xd = shape_d(s), xx = shape_aux(s);
    const double found = d[product * stride_of(xd) + i + j * xd.ld];
    bool is_right = is_activated(s->activation, found, want.x, want.bound);
    double before = NAN;
    if (s->aux) { // and the result is the activation of what was stored
        before = aux[product * stride_of(xx) + i + j * xx.ld];
        is_right = is_right && is_within(before, want.x, want.bound) &&
                   is_activated(s->activation, found, before, 0);
    }
    if (!is_right)
        fail_msg(
            "%s by %s: product %lld (%lld, %lld) is %.9g, aux %.9g; before the activation %.9g "
            "+- %.3g was expected",
            name_of(s),
            kernel ? kernel : "the selection",
            (long long)product,
            (long long)i,
            (long long)j,
            found,
            before,
            want.x,
            want.bound);
}

// Returns whether the kernel took the call.
static bool run_and_check(myblasHandle_t handle,
                          const char* kernel,
                          const struct fused_case* s,
                          myblasMath_t mode) {
    struct operands o = operands_create(handle);
    set_up(&o, s);
    assert_ok(myblasSetMathMode(handle, mode));
    const myblasStatus_t status = run(handle, &o, s);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED && kernel) {
        operand_assert_unchanged(&o.d);
        operand_assert_unchanged(&o.aux);
        operands_destroy(&o);
        return false;
    }
    if (status != MYBLAS_STATUS_SUCCESS)
        fail_msg("%s: status %d", name_of(s), status);
    const struct shape xd = shape_d(s), xx = shape_aux(s);
    const float* d = operand_download(&o.d);
    const float* aux = NULL;
    operand_assert_padding(&o.d, xd.rows, xd.cols * s->batch, xd.ld, sizeof(float));
    if (s->aux) {
        aux = operand_download(&o.aux);
        operand_assert_padding(&o.aux, xx.rows, xx.cols * s->batch, xx.ld, sizeof(float));
    } else {
        operand_assert_unchanged(&o.aux);
    }
    operand_assert_unchanged(&o.c);
    operand_assert_unchanged(&o.bias);
    const int64_t elements = s->m * s->n * s->batch;
    const int64_t most_terms = 1 << 22, sample = most_terms / (s->k + 1);
    if (elements <= sample) {
        for (int64_t e = 0; e < elements; ++e)
            check_element(
                &o, s, kernel, mode, e / (s->m * s->n), e % s->m, e / s->m % s->n, d, aux);
    } else {
        for (int64_t e = 0; e < sample; ++e)
            check_element(&o,
                          s,
                          kernel,
                          mode,
                          random_between(0, s->batch - 1),
                          random_between(0, s->m - 1),
                          random_between(0, s->n - 1),
                          d,
                          aux);
        // Every combination occurred.
        for (int64_t e = 0; e < elements && s->data != with_nan; ++e)
            assert_false(isnan(d[e / s->m * xd.ld + e % s->m]));
    }
    operands_destroy(&o);
    return true;
}

// ---- Every kernel -------------------------------------------------------------------------------

// Whether the kernel has an epilogue, by its name.
static bool has_epilogue(myblasHandle_t handle, const char* name) {
    static const char* const kernels[] = {"warp_tile/256x128",
                                          "group_tile/64x32",
                                          "warp_tile/128x64",
                                          "warp_tile/64x64",
                                          "stream_k/128x64",
                                          "stream_k/128x32",
                                          "stream_k/128x32_splits",
                                          "small_tile/16x16_k8",
                                          "small_tile/16x16_k32",
                                          "small_tile/32x16_k16",
                                          "small_tile/32x32_k8",
                                          "small_tile/32x32_k16",
                                          "small_tile/64x32_k16",
                                          "small_tile/32x16_k16_cluster2",
                                          "small_tile/32x16_k16_cluster4",
                                          "small_tile/32x32_k16_cluster2",
                                          "small_tile/32x32_k16_cluster8",
                                          "skinny",
                                          "gemv",
                                          "thin/panel",
                                          "short_k",
                                          "tf32x3/64x64",
                                          "tf32x3/128x64",
                                          "tf32x3/128x128",
                                          "tf32x3_batch/64x64",
                                          "tf32x3_batch/128x64",
                                          "bf16x6/256x128",
                                          "bf16x6/128x128",
                                          "fp16x3/256x128",
                                          "fp16x3/128x128"};
    if (backend_of(handle) == MYBLAS_BACKEND_HOST)
        return true;
    for (size_t i = 0; i < COUNT_OF(kernels); ++i)
        if (strcmp(kernels[i], name) == 0)
            return true;
    return false;
}

typedef void visit_kernel(myblasHandle_t handle, const char* kernel);

// With every kernel that this device has, and with the selection.
static void with_kernels(myblasHandle_t handle, visit_kernel* visit) {
    const int count = kernel_count(handle, MYBLAS_ROUTINE_SGEMM);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, info.name));
        visit(handle, info.name);
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
    }
    if (is_in_share(NULL))
        visit(handle, NULL);
}

// The selection counts as well.
static bool uses_tensor_cores(const char* kernel) {
    return !kernel || is_one_of(kernel, "tf32x3 tf32x3_batch bf16x6 fp16x3");
}

enum { most_fused_short_k = 24 };

// Whether the call is outside of what thin/panel, short_k or splits accept.
static bool is_outside(const char* kernel, const struct fused_case* s) {
    return (is_one_of(kernel, "thin/panel stream_k/128x32_splits") && s->batch > 1) ||
           (is_one_of(kernel, "thin/panel") && s->m > 8 && s->n > 8) ||
           (is_one_of(kernel, "short_k") && s->k > most_fused_short_k) ||
           // On a device with few multiprocessors.
           (is_one_of(kernel, "stream_k/128x32_splits") && s->m * s->n > 16 * 64 * 64);
}

// The kernel's modes; for the selection, all modes.
static myblasMath_t mode_of(const char* kernel, int turn) {
    if (!kernel)
        return (myblasMath_t)(turn % 3);
    if (is_one_of(kernel, "fp16x3"))
        return turn % 2 ? MYBLAS_FP32_FAST_MATH : MYBLAS_FP32_EMULATED_MATH;
    return is_one_of(kernel, "bf16x6 tf32x3 tf32x3_batch") ? MYBLAS_FP32_EMULATED_MATH
                                                           : MYBLAS_FP32_STRICT_MATH;
}

// Random, because cycling through the choices would leave out most combinations: no pre-activation
// with beta 0 and ReLU, for example.
static struct fused_case vary(struct fused_case s, int turn) {
    static const float alphas[] = {1, -0.5f, 2, 0}, betas[] = {0, 1, -0.5f};
    s.form = turn % 4;
    s.alpha = alphas[turn % 11 == 10 ? 3 : turn % 3];
    s.beta = betas[random_between(0, 2)];
    s.activation = (myblasActivation_t)random_between(0, 2);
    s.bias = (enum bias)random_between(0, 2);
    s.aux = random_between(0, 1);
    s.in_place = random_between(0, 1);
    s.device_scalars = random_between(0, 1);
    s.wide = random_between(0, 1);
    s.padding = random_between(0, 4);
    if (s.batch == 0)
        s.batch = 1;
    return s;
}

// In minimal mode, each shape has two forms, and sums are short. These kernels have other code for
// each shape and form.
static bool is_minimal(const char* kernel, size_t shape, int64_t k, int form, enum data data) {
    const bool has_code_by_shape = is_one_of(kernel, "skinny gemv stream_k");
    return data == uniform && (has_code_by_shape || (k < 500 && form % 2 == (int)(shape % 2)));
}

static void check_shapes(myblasHandle_t handle, const char* kernel) {
    static const int64_t shapes[][4] = {{1, 1, 1, 1},
                                        {7, 5, 0, 1},
                                        {33, 17, 9, 1},
                                        {64, 32, 32, 1},
                                        {128, 64, 40, 1},
                                        {129, 65, 31, 1},
                                        {257, 130, 70, 1},
                                        {300, 261, 33, 1},
                                        {128, 256, 64, 1},
                                        {1, 300, 70, 1},
                                        {260, 1, 4200, 1},
                                        {40, 36, 24, 5},
                                        {130, 70, 50, 2},
                                        {32, 50, 1630, 1},
                                        {24, 166, 2700, 1},
                                        {900, 13, 520, 1},
                                        {3, 5, 5000, 1},
                                        {9, 12, 1500, 3}};
    const bool can = !kernel || has_epilogue(handle, kernel);
    const bool has_openblas = !getenv("MYBLAS_TEST_WITHOUT_OPENBLAS");
    int turn = 0;
    for (size_t i = 0; i < COUNT_OF(shapes); ++i) {
        for (int data = integers; data <= uniform; ++data) {
            for (int form = 0; form < 4; ++form, ++turn) {
                struct fused_case s = {.data = (enum data)data};
                s.m = shapes[i][0];
                s.n = shapes[i][1];
                s.k = shapes[i][2];
                s.batch = shapes[i][3];
                s = vary(s, turn);
                // Sums of small integers are exact; GELU is not.
                const bool is_skipped =
                    minimal() ? !is_minimal(kernel, i, s.k, form, s.data) : left_out(4);
                if (is_skipped || (!can && turn % 8 != 4))
                    continue;
                if (!can && (s.activation == MYBLAS_ACTIVATION_NONE && s.bias == no_bias))
                    continue;
                const bool ran = run_and_check(handle, kernel, &s, mode_of(kernel, turn));
                const bool may_decline = (is_one_of(kernel, "openblas") && !has_openblas) ||
                                         is_one_of(kernel, "tf32x3") || // unaligned
                                         is_outside(kernel, &s) ||
                                         (is_one_of(kernel, "unpacked") && (s.m > 80 || s.k > 80));
                if (ran != can && !may_decline)
                    fail_msg("%s %s %s", kernel, ran ? "took" : "declined", name_of(&s));
            }
        }
    }
}

static void test_every_kernel(void** state) {
    myblasHandle_t handle = require_handle(state);
    random_seed(1);
    with_kernels(handle, check_shapes);
}

// All combinations of bias, activation, pre-activation and place of the result. The shapes are a
// few tiles, and a single tile whose k is split over warps, blocks and clusters, with either side
// short.
static void check_epilogues(myblasHandle_t handle, const char* kernel) {
    static const int64_t shapes[][3] = {{141, 70, 45}, {37, 13, 2500}, {13, 37, 2500}};
    if (kernel && !has_epilogue(handle, kernel))
        return;
    enum { epilogues = 3 * 3 * 2 * 2 * 2 };
    for (int turn = 0; turn < 4 * epilogues; ++turn) {
        const int round = turn / epilogues;
        const int64_t* const shape = shapes[round < 2 ? 0 : round - 1];
        struct fused_case s = {.m = shape[0], .n = shape[1], .k = shape[2], .batch = 1};
        if (minimal() && s.k > 600)
            s.k = 600;
        if (is_one_of(kernel, "short_k"))
            s.k = most_fused_short_k - round;
        s.data = uniform;
        s.form = minimal() ? turn / 17 % 4 : (int)random_between(0, 3);
        s.is_aligned = round < 2 ? round : random_between(0, 1);
        s.activation = (myblasActivation_t)(turn % 3);
        s.bias = (enum bias)(turn / 3 % 3);
        s.aux = turn / 9 % 2;
        s.in_place = turn / 18 % 2;
        s.beta = turn / 36 % 2 ? 1.5f : 0;
        s.alpha = 0.75f;
        s.padding = turn % 7 == 0 ? 3 : turn % 7; // also aligned to 16 bytes
        if (minimal() ? turn % (round < 2 ? 17 : 34) != 0 : left_out(6))
            continue;
        const bool ran = run_and_check(handle, kernel, &s, mode_of(kernel, turn));
        const bool may_decline = backend_of(handle) == MYBLAS_BACKEND_HOST ||
                                 (is_one_of(kernel, "tf32x3") && !s.is_aligned) ||
                                 is_outside(kernel, &s);
        if (!ran && !may_decline)
            fail_msg("%s declined %s", kernel, name_of(&s));
    }
}

static void test_every_epilogue(void** state) {
    myblasHandle_t handle = require_handle(state);
    random_seed(2);
    with_kernels(handle, check_epilogues);
}

// With A and B aligned to 16 bytes, as some kernels need: one block, several, blocks that share a
// tile, edges, and elements that others must compute.
static void check_aligned(myblasHandle_t handle, const char* kernel) {
    static const int64_t shapes[][4] = {{4, 8, 36, 1},
                                        {64, 64, 32, 1},
                                        {68, 132, 100, 1},
                                        {131, 67, 100, 1},
                                        {132, 68, 2000, 1},
                                        {516, 260, 64, 1},
                                        {128, 128, 0, 1},
                                        {36, 40, 100, 5},
                                        {148, 68, 600, 3},
                                        {256, 2052, 500, 1},
                                        {1024, 1024, 1024, 1}};
    static const enum data kinds[] = {uniform, wide_range, with_nan};
    if (kernel && !has_epilogue(handle, kernel))
        return;
    const bool may_decline = backend_of(handle) == MYBLAS_BACKEND_HOST;
    int turn = 0;
    for (size_t i = 0; i < COUNT_OF(shapes); ++i) {
        if (shapes[i][0] * shapes[i][1] > 200000 && (may_decline || reduced()))
            continue;
        if (shapes[i][2] > 500 && minimal())
            continue;
        for (size_t kind = 0; kind < COUNT_OF(kinds); ++kind) {
            for (int way = 0; way < 3; ++way, ++turn) {
                struct fused_case s = {.m = shapes[i][0], .n = shapes[i][1], .k = shapes[i][2]};
                s.batch = shapes[i][3];
                s.data = kinds[kind];
                s.is_aligned = true;
                s = vary(s, minimal() ? (int)(i + kind) + way : turn);
                if (random_between(0, 1)) { // the commonest: beta 0 and no pre-activation
                    s.beta = 0;
                    s.aux = false;
                }
                // In minimal mode, values that limbs cannot hold matter to tensor cores alone.
                if (minimal() && ((way + (int)i + (int)kind) % 3 == 1 ||
                                  (s.data != uniform && !uses_tensor_cores(kernel))))
                    continue;
                const bool ran = run_and_check(handle, kernel, &s, mode_of(kernel, turn));
                if (!ran && !may_decline && !is_outside(kernel, &s))
                    fail_msg("%s declined %s", kernel, name_of(&s));
            }
        }
    }
}

static void test_aligned(void** state) {
    myblasHandle_t handle = require_handle(state);
    random_seed(5);
    with_kernels(handle, check_aligned);
}

// ---- Schedules of large products ----------------------------------------------------------------

// Products with more tiles than multiprocessors, and with tiles that several blocks share. Products
// in passes over the batch, the rows, the columns and k. Operands that the chosen kernel must leave
// to another one.
static void check_large(myblasHandle_t handle, const char* kernel) {
    static const struct {
        int64_t m, n, k, batch;
        enum data data;
        size_t workspace; // 0: the handle's own
    } products[] = {
        {3085, 1541, 70, 1, uniform, 0},
        {3084, 1540, 96, 1, uniform, 0},
        {256, 140, 9000, 1, uniform, 0},
        {520, 390, 2000, 1, uniform, 0},
        {1000, 900, 3000, 1, uniform, 8 << 20},
        {1000, 900, 3000, 1, wide_range, 8 << 20},
        {1030, 1030, 300, 1, wide_range, 0},
        {1030, 1030, 300, 1, with_nan, 0},
        {600, 500, 400, 1, with_nan, 0},
        {3085, 1541, 70, 1, with_nan, 0},
        // In passes over the batch, with a bias for each product, over rows, columns, and columns
        // and k (limb_schedule.cpp).
        {600, 500, 400, 13, uniform, 4 << 20},
        {4000, 600, 300, 1, uniform, 4 << 20},
        {600, 4000, 300, 1, uniform, 4 << 20},
        {300, 5000, 600, 1, uniform, 4 << 20},
        // stream_k makes aligned copies of a batch.
        {768, 768, 768, 3, uniform, 0},
    };
    if (kernel && !has_epilogue(handle, kernel))
        return;
    // These kernels have no schedule: a block, or a cluster, computes one tile.
    if (is_one_of(kernel, "small_tile skinny thin/panel short_k"))
        return;
    for (size_t i = 0; i < COUNT_OF(products); ++i) {
        for (int way = 0; way < 3; ++way) {
            const int turn = (int)i * 3 + way;
            struct fused_case s = {.m = products[i].m, .n = products[i].n, .k = products[i].k};
            s.batch = products[i].batch;
            s.data = products[i].data;
            s.form = turn % 4;
            s.alpha = 1;
            s.beta = way == 0 ? 0 : 0.5f;
            s.activation = way == 1 ? MYBLAS_ACTIVATION_RELU : MYBLAS_ACTIVATION_GELU;
            s.bias = way == 2 ? of_columns : of_rows;
            s.aux = way > 0;
            s.in_place = way == 1;
            s.padding = i % 2 * 3;
            s.is_aligned = is_one_of(kernel, "tf32x3") || random_between(0, 1);
            struct operand workspace = operand_create(handle);
            if (products[i].workspace) {
                operand_place(&workspace, products[i].workspace, 0);
                operand_upload(&workspace);
                assert_ok(
                    myblasSetWorkspace(handle, operand_device(&workspace), products[i].workspace));
            }
            const bool ran = run_and_check(handle, kernel, &s, mode_of(kernel, turn));
            // The copies of stream_k may not fit in a lent workspace.
            const bool may_decline =
                is_outside(kernel, &s) || (is_one_of(kernel, "stream_k") && products[i].workspace);
            if (!ran && !may_decline)
                fail_msg("%s declined %s", kernel, name_of(&s));
            if (products[i].workspace) {
                operand_download(&workspace);
                assert_ok(myblasSetStream(handle, NULL));
            }
            operand_destroy(&workspace);
        }
    }
}

static void test_large_products(void** state) {
    myblasHandle_t handle = require_handle(state);
    if (backend_of(handle) == MYBLAS_BACKEND_HOST || reduced())
        skip();
    random_seed(3);
    with_kernels(handle, check_large);
}

// ---- The activations ----------------------------------------------------------------------------

// The pre-activation of a sum without terms is the bias: any float.
static void check_activations(myblasHandle_t handle, const char* kernel) {
    if (kernel && !has_epilogue(handle, kernel))
        return;
    enum { rows = 4096 };
    for (int activation = 0; activation < 3; ++activation) {
        if (minimal() && activation != MYBLAS_ACTIVATION_GELU)
            continue;
        struct fused_case s = {.m = rows, .n = 4, .k = 0, .batch = 1, .alpha = 1, .bias = of_rows};
        s.activation = (myblasActivation_t)activation;
        s.aux = true;
        s.is_aligned = true;
        s.data = uniform;
        struct operands o = operands_create(handle);
        set_up(&o, &s);
        float* bias = (float*)(o.bias.sent + o.bias.front);
        static const float special[] = {0,
                                        -0.0f,
                                        INFINITY,
                                        -INFINITY,
                                        NAN,
                                        3e38f,
                                        -3e38f,
                                        1e19f,
                                        -1e19f,
                                        1e-45f,
                                        -1e-45f,
                                        1e-38f};
        for (int i = 0; i < rows; ++i)
            bias[i] = i < (int)COUNT_OF(special) ? special[i]
                      : i % 2                    ? 12 * random_float()
                              : ldexpf(random_float(), (int)random_between(-148, 127));
        operand_upload(&o.bias);
        assert_ok(myblasSetMathMode(handle, mode_of(kernel, 0)));
        const myblasStatus_t status = run(handle, &o, &s);
        if (status == MYBLAS_STATUS_NOT_SUPPORTED && is_one_of(kernel, "openblas")) {
            operands_destroy(&o);
            continue;
        }
        assert_ok(status);
        const float* d = operand_download(&o.d);
        const float* aux = operand_download(&o.aux);
        for (int64_t e = 0; e < rows * s.n; ++e) {
            const float x = bias[e % rows];
            const bool is_kept = isnan(x) ? isnan(aux[e]) : aux[e] == x;
            const float found = d[e];
            bool is_right;
            if (isinf(x))
                is_right = activation == MYBLAS_ACTIVATION_GELU
                               ? (x > 0 ? found == x : isnan(found))
                           : activation == MYBLAS_ACTIVATION_RELU ? found == fmaxf(x, 0)
                                                                  : found == x;
            else
                is_right = is_activated(s.activation, found, x, 0);
            if (!is_kept || !is_right)
                fail_msg("activation %d of %.9g by %s: %.9g, aux %.9g",
                         activation,
                         x,
                         kernel ? kernel : "the selection",
                         found,
                         aux[e]);
        }
        operands_destroy(&o);
    }
}

static void test_activations(void** state) {
    myblasHandle_t handle = require_handle(state);
    random_seed(4);
    with_kernels(handle, check_activations);
}

// ---- The selection ------------------------------------------------------------------------------

// What myblasCall_t says about reads_C and is_fused.
static bool may_read_c(myblasHandle_t handle, const struct fused_case* s) {
    const bool is_beta_known = !s->device_scalars || backend_of(handle) == MYBLAS_BACKEND_HOST;
    return s->beta != 0 || !is_beta_known;
}
static bool is_more_than_a_product(myblasHandle_t handle, const struct fused_case* s) {
    return s->activation != MYBLAS_ACTIVATION_NONE || s->bias != no_bias || s->aux ||
           (may_read_c(handle, s) && !s->in_place);
}

static void assert_told_kernel(myblasHandle_t handle, const struct fused_case* s) {
    struct operands o = operands_create(handle);
    set_up(&o, s);
    myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
    call.transa = transposes_a(s) ? MYBLAS_OP_T : MYBLAS_OP_N;
    call.transb = transposes_b(s) ? MYBLAS_OP_T : MYBLAS_OP_N;
    call.m = s->m, call.n = s->n, call.k = s->k;
    call.lda = shape_a(s).ld, call.ldb = shape_b(s).ld, call.ldc = shape_d(s).ld;
    call.A = operand_device(&o.a), call.B = operand_device(&o.b), call.C = operand_device(&o.d);
    call.batch_count = s->batch;
    call.is_fused = is_more_than_a_product(handle, s);
    call.reads_C = !may_read_c(handle, s) ? 0 : s->beta == 1 && !s->device_scalars ? 1 : 2;
    const char *told = NULL, *taken = NULL;
    assert_ok(myblasSelectKernel(handle, &call, &told));
    assert_ok(run(handle, &o, s));
    assert_ok(myblasGetLastKernel(handle, MYBLAS_ROUTINE_SGEMM, &taken));
    if (strcmp(told, taken) != 0)
        fail_msg("%s: %s is told, %s is taken", name_of(s), told, taken);
    operands_destroy(&o);
}

// For every epilogue, myblasSelectKernel names the kernel that the call takes.
static void test_selection(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    random_seed(6);
    for (int i = 0; i < 300; ++i) {
        struct fused_case s = {.m = random_between(1, 700), .n = random_between(1, 700)};
        if (left_out(16))
            continue;
        s.k = random_between(0, 3) ? random_between(1, 70) : 1;
        s.form = (int)random_between(0, 3);
        s.batch = random_between(0, 7) ? 1 : 2;
        s.padding = random_between(0, 3);
        s.alpha = 1;
        s.beta = random_between(0, 1) ? 0.5f : 0;
        // Half of them have no epilogue.
        const bool is_plain = random_between(0, 1);
        s.activation = (myblasActivation_t)(is_plain ? 0 : random_between(0, 2));
        s.bias = is_plain ? no_bias : random_between(0, 1) ? of_rows : of_columns;
        s.aux = !is_plain && random_between(0, 1);
        s.in_place = random_between(0, 1);
        s.device_scalars = random_between(0, 3) == 0;
        s.is_aligned = random_between(0, 1);
        assert_ok(myblasSetMathMode(handle, (myblasMath_t)random_between(0, 2)));
        assert_told_kernel(handle, &s);
    }
    assert_ok(myblasStreamSynchronize(handle, NULL));
}

// If the kernel that a plain product takes has epilogues, a fused product takes the same kernel.
// Kernels that split k compute these shapes.
static void test_kernel_of_plain_product(void** state) {
    static const int64_t shapes[][3] = {
        {32, 50, 1630}, {24, 166, 5403}, {17, 99, 4307}, {43, 330, 929}, {2558, 7, 231}};
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    assert_ok(myblasSetMathMode(handle, MYBLAS_FP32_STRICT_MATH));
    for (size_t i = 0; i < COUNT_OF(shapes); ++i) {
        const char *plain = NULL, *fused = NULL;
        myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
        call.m = call.lda = call.ldc = shapes[i][0];
        call.n = shapes[i][1];
        call.k = call.ldb = shapes[i][2];
        assert_ok(myblasSelectKernel(handle, &call, &plain));
        call.is_fused = 1;
        assert_ok(myblasSelectKernel(handle, &call, &fused));
        if (has_epilogue(handle, plain))
            assert_string_equal(fused, plain);
        else
            assert_true(has_epilogue(handle, fused));
    }
}

// ---- Arguments ----------------------------------------------------------------------------------

static void test_arguments(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    struct operands o = operands_create(handle);
    const struct fused_case s = {
        .m = 6, .n = 5, .k = 4, .batch = 1, .alpha = 1, .beta = 1, .data = integers};
    set_up(&o, &s);
    const float one = 1, zero = 0;
    const float *a = operand_device(&o.a), *b = operand_device(&o.b), *c = operand_device(&o.c);
    float* d = operand_device(&o.d);
    myblasEpilogue_t e = {.size_bytes = sizeof e, .aux = operand_device(&o.aux), .ldaux = 6};
    const myblasOperation_t n = MYBLAS_OP_N;
    // clang-format off
    assert_status(NOT_INITIALIZED, mysgemmFused(NULL, n, n, 6, 5, 4, &one, a, 6, b, 4, &one, c, 6,
                                                d, 6, &e));
    assert_status(INVALID_VALUE, mysgemmFused(handle, n, n, 6, 5, 4, &one, a, 6, b, 4, &one, c, 5,
                                              d, 6, &e));
    assert_status(INVALID_VALUE, mysgemmFused(handle, n, n, 6, 5, 4, &one, a, 6, b, 4, &one, c, 6,
                                              d, 5, &e));
    assert_status(INVALID_VALUE, mysgemmFused(handle, n, n, 6, 5, 4, &one, a, 6, b, 4, NULL, c, 6,
                                              d, 6, &e));
    assert_status(INVALID_VALUE, mysgemmFused(handle, n, n, 6, 5, 4, &one, a, 6, b, 4, &one, NULL,
                                              6, d, 6, &e));
    assert_status(INVALID_VALUE, mysgemmFused(handle, n, n, 6, 5, 4, &one, a, 6, b, 4, &one, c, 6,
                                              NULL, 6, &e));
    assert_status(INVALID_VALUE, mysgemmFused(handle, n, n, 6, 5, 4, &one, NULL, 6, b, 4, &one, c,
                                              6, d, 6, &e));
    assert_status(INVALID_VALUE, mysgemmFused(handle, n, n, 6, 5, 4, &one, a, 6, b, 4, &one, d, 7,
                                              d, 6, &e));
    // Unused operands may be missing.
    assert_ok(mysgemmFused(handle, n, n, 0, 5, 4, NULL, NULL, 1, NULL, 4, NULL, NULL, 1, NULL, 1,
                           NULL));
    assert_status(INVALID_VALUE, mysgemmFusedStridedBatched(handle, n, n, 6, 5, 4, &one, a, 6, 0, b,
                                                            4, 0, &one, c, 6, 0, d, 6, 30, &e, -1));
    assert_status(INVALID_VALUE, mysgemmFusedStridedBatched(handle, n, n, 6, 5, 4, &one, a, 6, 0, b,
                                                            4, 0, &one, d, 6, 0, d, 6, 30, &e, 2));
    assert_ok(mysgemmFusedStridedBatched(handle, n, n, 6, 5, 4, &one, a, 6, 0, b, 4, 0, &one, c, 6,
                                         0, d, 6, 30, &e, 0));
    myblasEpilogue_t wrong = e;
    wrong.size_bytes = 1;
    assert_status(INVALID_VALUE, mysgemmFused(handle, n, n, 6, 5, 4, &one, a, 6, b, 4, &one, c, 6,
                                              d, 6, &wrong));
    wrong = e, wrong.activation = (myblasActivation_t)3;
    assert_status(INVALID_VALUE, mysgemmFused(handle, n, n, 6, 5, 4, &one, a, 6, b, 4, &one, c, 6,
                                              d, 6, &wrong));
    wrong = e, wrong.bias_of = (myblasBias_t)2;
    assert_status(INVALID_VALUE, mysgemmFused(handle, n, n, 6, 5, 4, &one, a, 6, b, 4, &one, c, 6,
                                              d, 6, &wrong));
    wrong = e, wrong.ldaux = 5;
    assert_status(INVALID_VALUE, mysgemmFused(handle, n, n, 6, 5, 4, &one, a, 6, b, 4, &one, c, 6,
                                              d, 6, &wrong));
    operand_assert_unchanged(&o.d);
    // Strides and leading dimensions of a bias or pre-activation that is NULL are ignored.
    wrong = e, wrong.aux = NULL, wrong.ldaux = wrong.stride_aux = wrong.stride_bias = INT64_MAX;
    assert_ok(mysgemmFused(handle, n, n, 6, 5, 4, &one, a, 6, b, 4, &one, c, 6, d, 6, &wrong));
    // No epilogue, and D separate from C. If beta is 0, C may be NULL.
    assert_ok(mysgemmFused(handle, n, n, 6, 5, 4, &one, a, 6, b, 4, &zero, NULL, 6, d, 6, NULL));
    const struct fused_case plain = {.m = 6, .n = 5, .k = 4, .batch = 1, .alpha = 1,
                                     .data = integers};
    const float* found = operand_download(&o.d);
    for (int64_t j = 0; j < 5; ++j)
        for (int64_t i = 0; i < 6; ++i)
            check_element(&o, &plain, NULL, MYBLAS_FP32_STRICT_MATH, 0, i, j, found, NULL);
    // k == 0 with beta == 1 is no quick return: D has to be written.
    assert_ok(mysgemmFused(handle, n, n, 6, 5, 0, &one, NULL, 6, NULL, 1, &one, c, 6, d, 6, NULL));
    found = operand_download(&o.d);
    for (int i = 0; i < 30; ++i)
        assert_true(found[i] == sent(&o.c)[i]);
    // clang-format on
    myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
    call.m = call.n = call.k = call.lda = call.ldb = call.ldc = 1100;
    call.is_fused = 1;
    size_t bytes;
    assert_ok(myblasGetWorkspaceSize(handle, &call, &bytes));
    const char* name = NULL;
    assert_ok(myblasSelectKernel(handle, &call, &name));
    assert_true(has_epilogue(handle, name));
    call.pointer_array = 1;
    assert_status(INVALID_VALUE, myblasGetWorkspaceSize(handle, &call, &bytes));
    operands_destroy(&o);
}

int main(void) {
    clear_environment();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kernel),
        cmocka_unit_test(test_every_epilogue),
        cmocka_unit_test(test_aligned),
        cmocka_unit_test(test_large_products),
        cmocka_unit_test(test_activations),
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_kernel_of_plain_product),
        cmocka_unit_test(test_arguments),
    };
    return RUN_ON_BACKENDS("fused", tests);
}
