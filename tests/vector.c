// mysaxpy and myscopy: every kernel, with increments of both signs and zero.
#include "support.h"

#include <math.h>

static const int64_t increments[] = {1, 2, 3, -1, -2, 0};

struct vector_case {
    int64_t n, incx, incy;
    int misaligned; // elements past a multiple of 16 bytes: x by this, y by another
    bool axpy;
    float alpha;
};

struct operands {
    struct operand x, y, scalar;
};

struct counts {
    int ran, declined;
};

static float* place_vector(struct operand* o, int64_t n, int64_t inc, int misaligned) {
    float* host =
        operand_place(o, span(n, inc) * sizeof(float), (size_t)misaligned * sizeof(float));
    for (int64_t i = 0; i < n; ++i)
        host[position(i, n, inc)] = random_float();
    operand_upload(o);
    return host;
}

static myblasStatus_t call_vector(myblasHandle_t handle,
                                  const struct vector_case* v,
                                  struct operands* o,
                                  bool device_scalar,
                                  unsigned turn) {
    const float* x = operand_device(&o->x);
    float* y = operand_device(&o->y);
    if (!v->axpy)
        return turn % 2 ? myscopy(handle, (int)v->n, x, (int)v->incx, y, (int)v->incy)
                        : myscopy_64(handle, v->n, x, v->incx, y, v->incy);
    const float* alpha = &v->alpha;
    if (device_scalar) {
        *(float*)operand_place(&o->scalar, sizeof(float), 0) = v->alpha;
        operand_upload(&o->scalar);
        alpha = operand_device(&o->scalar);
        assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_DEVICE));
    }
    const myblasStatus_t status =
        turn % 2 ? mysaxpy(handle, (int)v->n, alpha, x, (int)v->incx, y, (int)v->incy)
                 : mysaxpy_64(handle, v->n, alpha, x, v->incx, y, v->incy);
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));
    return status;
}

// The expected value of an element of y: exact, or within the sum of the bounds of its updates.
struct expectation {
    double value, bound;
    bool is_element; // no: it lies between the elements
};

static void assert_updated(const struct vector_case* v,
                           const float* x,
                           const float* y,
                           const float* found,
                           const char* name) {
    const size_t count = span(v->n, v->incy);
    struct expectation* expected = calloc(count + 1, sizeof *expected);
    assert_non_null(expected);
    for (size_t i = 0; i < count; ++i)
        expected[i].value = y[i];
    for (int64_t i = 0; i < v->n; ++i) {
        struct expectation* e = &expected[position(i, v->n, v->incy)];
        const double xi = x[position(i, v->n, v->incx)];
        e->is_element = true;
        if (!v->axpy) {
            e->value = xi;
        } else if (v->alpha != 0) {
            const double term = v->alpha * xi;
            // A little more, because an update starts from the result of another.
            e->bound += 1.01 * 2 * UNIT_ROUNDOFF * (fabs(term) + fabs(e->value));
            e->value += term;
        }
    }
    for (size_t i = 0; i < count; ++i) {
        const struct expectation* e = &expected[i];
        const bool ok = e->is_element ? fabs(found[i] - e->value) <= e->bound
                                      : memcmp(&found[i], &y[i], sizeof(float)) == 0;
        if (!ok)
            fail_msg("%s: y[%zu] of %lld elements, increments %lld and %lld, is %.9g, not %.9g",
                     name ? name : "none",
                     i,
                     (long long)v->n,
                     (long long)v->incx,
                     (long long)v->incy,
                     (double)found[i],
                     e->value);
    }
    free(expected);
}

static void run_vector(myblasHandle_t handle,
                       const char* forced,
                       const struct vector_case* v,
                       struct operands* o,
                       struct counts* counts) {
    static unsigned turn = 0;
    ++turn;
    const float* x = place_vector(&o->x, v->n, v->incx, v->misaligned);
    if (v->axpy && v->alpha == 0) { // x is not to be read
        x = operand_place(&o->x, span(v->n, v->incx) * sizeof(float), 0);
        operand_upload(&o->x);
    }
    const float* y = place_vector(&o->y, v->n, v->incy, v->misaligned * 3 % 4);

    const myblasRoutine_t routine = v->axpy ? MYBLAS_ROUTINE_AXPY : MYBLAS_ROUTINE_COPY;
    myblasCall_t call = empty_call(routine);
    call.n = v->n;
    call.lda = v->incx;
    call.ldb = v->incy;
    call.A = operand_device(&o->x);
    call.B = operand_device(&o->y);
    const char* selected = NULL;
    const myblasStatus_t selection = myblasSelectKernel(handle, &call, &selected);
    const bool device_scalar = turn % 4 < 2;
    const myblasStatus_t status = call_vector(handle, v, o, device_scalar, turn);
    if (forced && status == MYBLAS_STATUS_NOT_SUPPORTED) {
        assert_int_equal(selection, MYBLAS_STATUS_NOT_SUPPORTED);
        operand_assert_unchanged(&o->y);
        ++counts->declined;
        return;
    }
    assert_ok(status);
    // A call without elements, or with an alpha of 0 in host memory, takes no kernel.
    const bool nothing_to_do = v->n <= 0 || (v->axpy && v->alpha == 0 && !device_scalar);
    if (!nothing_to_do) {
        assert_ok(selection);
        if (forced)
            assert_string_equal(selected, forced);
        assert_last_kernel(handle, routine, selected);
        ++counts->ran;
    }

    assert_updated(v, x, y, operand_download(&o->y), selected);
    operand_assert_unchanged(&o->x);
}

static struct counts
run_vectors(myblasHandle_t handle, const char* forced, bool axpy, const myblasKernelInfo_t* info) {
    static const float alphas[] = {1, -0.5f, 0.7f, 0};
    const int64_t threads = info->threads > 1 ? info->threads : 256;
    const int64_t sizes[] = {
        -3, 0, 1, 2, 3, 4, 5, threads - 1, threads, threads + 1, 4 * threads + 1, 10007};
    struct counts counts = {0, 0};
    const struct operand empty = operand_create(handle);
    struct operands o = {empty, empty, empty};
    for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
        for (size_t i = 0; i < COUNT_OF(increments); ++i) {
            for (size_t j = 0; j < COUNT_OF(increments); ++j) {
                struct vector_case v = {
                    .n = sizes[s], .incx = increments[i], .incy = increments[j], .axpy = axpy};
                for (v.misaligned = 0; v.misaligned < 4; ++v.misaligned) {
                    if (left_out(8))
                        continue;
                    v.alpha = alphas[(s + i + j + (size_t)v.misaligned) % COUNT_OF(alphas)];
                    run_vector(handle, forced, &v, &o, &counts);
                }
            }
        }
    }
    struct vector_case large = {
        .n = reduced() ? 40001 : 1000003, .incx = 1, .incy = 1, .axpy = axpy, .alpha = 0.7f};
    run_vector(handle, forced, &large, &o, &counts);
    large.incx = -3;
    large.misaligned = 1;
    run_vector(handle, forced, &large, &o, &counts);
    operand_destroy(&o.x);
    operand_destroy(&o.y);
    operand_destroy(&o.scalar);
    return counts;
}

static void run_every_kernel(void** state, bool axpy) {
    myblasHandle_t handle = require_handle(state);
    const myblasRoutine_t routine = axpy ? MYBLAS_ROUTINE_AXPY : MYBLAS_ROUTINE_COPY;
    const int count = kernel_count(handle, routine);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, routine, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        random_seed((uint64_t)i + 1);
        assert_ok(myblasForceKernel(handle, routine, info.name));
        const struct counts counts = run_vectors(handle, info.name, axpy, &info);
        print_message("  %s: %d calls, %d declined\n", info.name, counts.ran, counts.declined);
        assert_true(counts.ran > (reduced() ? 0 : 10));
    }
    const myblasKernelInfo_t generic = {.threads = 512};
    assert_ok(myblasForceKernel(handle, routine, NULL));
    const struct counts counts = run_vectors(handle, NULL, axpy, &generic);
    assert_int_equal(counts.declined, 0);
    assert_true(counts.ran > (reduced() ? 10 : 100));
}

static void test_axpy(void** state) { run_every_kernel(state, true); }
static void test_copy(void** state) { run_every_kernel(state, false); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axpy),
        cmocka_unit_test(test_copy),
    };
    return RUN_ON_BACKENDS("vector", tests);
}
