// Operands of more than 2^31 elements, long thin shapes and large batches. Needs a GPU; tests skip
// what does not fit in its memory.
#include "support.h"

#include <math.h>

// 16 divides it, and its square exceeds 2^31.
enum { side = 46352 };

static const float one = 1, zero = 0;

// Device memory for a whole test; skips the test if it does not fit.
struct memory {
    myblasHandle_t handle;
    void* blocks[4];
    int count;
};

static void release(struct memory* memory) {
    while (memory->count > 0)
        assert_ok(myblasFree(memory->handle, memory->blocks[--memory->count]));
}

static void* claim(struct memory* memory, int64_t count, int64_t element_bytes) {
    void* block = NULL;
    const myblasStatus_t status =
        myblasMalloc(memory->handle, &block, (size_t)count * (size_t)element_bytes);
    if (status == MYBLAS_STATUS_ALLOC_FAILED) {
        release(memory);
        skip();
    }
    assert_ok(status);
    memory->blocks[memory->count++] = block;
    return block;
}

// Sets all elements to value: a copy with an increment of zero.
static void fill(myblasHandle_t handle, float* x, int64_t n, float value) {
    assert_ok(myblasSetVector(handle, 1, sizeof value, &value, 1, x, 1));
    assert_ok(myscopy_64(handle, n - 1, x, 0, x + 1, 1));
}

static void put(myblasHandle_t handle, float* x, int64_t index, float value) {
    assert_ok(myblasSetVector(handle, 1, sizeof value, &value, 1, x + index, 1));
}

static void get(myblasHandle_t handle, const float* x, int64_t index, int64_t n, float* values) {
    assert_ok(myblasGetVector_64(handle, n, sizeof *values, x + index, 1, values, 1));
}

// Runs `check` with every kernel of the routine that this device has, and with the selection (name
// NULL). `check` returns whether the kernel took the call.
static void with_every_kernel(myblasHandle_t handle,
                              myblasRoutine_t routine,
                              bool (*check)(myblasHandle_t, const char* name, void* data),
                              void* data) {
    const int count = kernel_count(handle, routine);
    int taken = 0;
    assert_ok(myblasSetMathMode(handle, MYBLAS_FP32_FAST_MATH)); // allows all kernels
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, routine, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        assert_ok(myblasForceKernel(handle, routine, info.name));
        const bool took = check(handle, info.name, data);
        print_message("  %s%s\n", info.name, took ? "" : ": declined");
        taken += took;
    }
    assert_ok(myblasForceKernel(handle, routine, NULL));
    assert_true(check(handle, NULL, data));
    assert_true(taken > 0);
}

// ---- Products -----------------------------------------------------------------------------------

// Small integers by closed forms, so that any element of a product is known.
static float a_at(int64_t i, int64_t l) { return (float)((i * 7 + l * 3 + i / 4096) % 13 - 6); }
static float b_at(int64_t l, int64_t j) { return (float)((j * 5 + l * 11 + j / 4096) % 11 - 5); }

static float product_at(int64_t i, int64_t j, int64_t k) {
    float sum = 0;
    for (int64_t l = 0; l < k; ++l)
        sum += a_at(i, l) * b_at(l, j);
    return sum;
}

// The stored form of op(X), rows x cols with elements at(row, column), with a leading dimension.
static void put_matrix(myblasHandle_t handle,
                       float* device,
                       int64_t ld,
                       int64_t rows,
                       int64_t cols,
                       bool transposed,
                       float (*at)(int64_t, int64_t)) {
    const int64_t stored_rows = transposed ? cols : rows, stored_cols = transposed ? rows : cols;
    float* host = malloc((size_t)(rows * cols) * sizeof *host);
    assert_non_null(host);
    for (int64_t j = 0; j < stored_cols; ++j) {
        for (int64_t i = 0; i < stored_rows; ++i)
            host[i + j * stored_rows] = transposed ? at(j, i) : at(i, j);
    }
    assert_ok(myblasSetMatrix_64(
        handle, stored_rows, stored_cols, sizeof *host, host, stored_rows, device, ld));
    free(host);
}

struct product {
    int64_t m, n, k, lda, ldb, ldc;
    bool transa, transb;
    float *a, *b, *c;
    int64_t checked[12]; // columns of C that are looked at; all of them if there are none here
    int checked_count;
};

static myblasStatus_t multiply(myblasHandle_t handle, const struct product* p) {
    return mysgemm_64(handle,
                      p->transa ? MYBLAS_OP_T : MYBLAS_OP_N,
                      p->transb ? MYBLAS_OP_T : MYBLAS_OP_N,
                      p->m,
                      p->n,
                      p->k,
                      &one,
                      p->a,
                      p->lda,
                      p->b,
                      p->ldb,
                      &zero,
                      p->c,
                      p->ldc);
}

static bool check_product(myblasHandle_t handle, const char* name, void* data) {
    const struct product* p = data;
    float* column = malloc((size_t)p->m * sizeof *column);
    assert_non_null(column);
    const bool all = p->checked_count == 0;
    const int64_t count = all ? p->n : p->checked_count;
    for (int64_t i = 0; i < p->m; ++i)
        column[i] = NAN;
    if (all) {
        assert_int_equal(p->ldc, p->m);
        fill(handle, p->c, p->m * p->n, NAN);
    }
    for (int64_t c = 0; !all && c < count; ++c)
        assert_ok(myblasSetVector_64(
            handle, p->m, sizeof *column, column, 1, p->c + p->checked[c] * p->ldc, 1));
    const myblasStatus_t status = multiply(handle, p);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED) {
        free(column);
        return false;
    }
    assert_ok(status);
    // Many short columns are copied as one piece.
    const int64_t together = all ? (p->n < 4096 ? 1 : 4096) : 1;
    float* found = malloc((size_t)(p->m * together) * sizeof *found);
    assert_non_null(found);
    for (int64_t c = 0; c < count; c += together) {
        const int64_t first = all ? c : p->checked[c];
        const int64_t cols = count - c < together ? count - c : together;
        get(handle, p->c, first * p->ldc, p->m * cols, found);
        for (int64_t at = 0; at < p->m * cols; ++at) {
            const int64_t i = at % p->m, j = first + at / p->m;
            if (found[at] != product_at(i, j, p->k))
                fail_msg("%s: C(%lld, %lld) is %g, not %g",
                         name ? name : "selected",
                         (long long)i,
                         (long long)j,
                         (double)found[at],
                         (double)product_at(i, j, p->k));
        }
    }
    free(found);
    free(column);
    return true;
}

static void test_large_result(void** state) {
    struct memory memory = {.handle = require_handle(state)};
    enum { k = 3 };
    for (int trans = 0; trans < 2; ++trans) {
        struct product p = {.m = side, .n = side, .k = k, .transa = trans, .transb = trans};
        p.lda = trans ? 4 : side;
        p.ldb = trans ? side : 4;
        p.ldc = side;
        p.c = claim(&memory, p.ldc * p.n, sizeof(float));
        p.a = claim(&memory, (int64_t)side * 4, sizeof(float));
        p.b = claim(&memory, (int64_t)side * 4, sizeof(float));
        put_matrix(memory.handle, p.a, p.lda, p.m, k, trans, a_at);
        put_matrix(memory.handle, p.b, p.ldb, k, p.n, trans, b_at);
        // Both ends, and where offsets pass 2^31 bytes, 2^32 bytes and 2^31 elements.
        const int64_t columns[] = {0,
                                   1,
                                   (INT64_C(1) << 29) / side,
                                   (INT64_C(1) << 30) / side,
                                   (INT64_C(1) << 30) / side + 1,
                                   (INT64_C(1) << 31) / side,
                                   side - 2,
                                   side - 1};
        memcpy(p.checked, columns, sizeof columns);
        p.checked_count = COUNT_OF(columns);
        with_every_kernel(memory.handle, MYBLAS_ROUTINE_SGEMM, check_product, &p);
        release(&memory);
    }
}

// Columns a little more than 2^30 elements apart, in A, B and C in turn.
static void test_large_leading_dimension(void** state) {
    struct memory memory = {.handle = require_handle(state)};
    static const int64_t distances[] = {(INT64_C(1) << 30) + 1, (INT64_C(1) << 30) + 4};
    enum { rows = 40, cols = 3 };
    float* far = claim(&memory, distances[1] * (cols - 1) + rows, sizeof(float));
    float* near = claim(&memory, 64 * 64, sizeof(float));
    float* other = claim(&memory, 64 * 64, sizeof(float));
    for (size_t d = 0; d < COUNT_OF(distances); ++d) {
        for (int which = 0; which < 3; ++which) {
            struct product p = {.m = rows, .n = rows, .k = rows, .lda = rows, .ldb = rows};
            p.ldc = rows;
            if (which == 0) { // A, rows x 3
                p.k = cols;
                p.a = far;
                p.b = near;
                p.c = other;
                p.lda = distances[d];
                p.ldb = 4;
            } else if (which == 1) { // B, rows x 3
                p.n = cols;
                p.a = near;
                p.b = far;
                p.c = other;
                p.ldb = distances[d];
            } else { // C, rows x 3
                p.n = cols;
                p.a = near;
                p.b = other;
                p.c = far;
                p.ldc = distances[d];
            }
            put_matrix(memory.handle, p.a, p.lda, p.m, p.k, false, a_at);
            put_matrix(memory.handle, p.b, p.ldb, p.k, p.n, false, b_at);
            for (int64_t j = 0; j < p.n && p.n <= cols; ++j)
                p.checked[p.checked_count++] = j;
            with_every_kernel(memory.handle, MYBLAS_ROUTINE_SGEMM, check_product, &p);
        }
    }
    release(&memory);
}

// Products of many tiles, repeated, to find errors that occur once in millions of tiles, such as a
// copy that overtakes a load in kernels with asynchronous stages. Such errors are most likely while
// other blocks write C with scalar stores.
enum { repeated_side = 8192, repeated_ld = repeated_side + 1, repeated_k = 256 };

struct repeated_product {
    struct product product;
    float* expected;
};

static bool check_repeats(myblasHandle_t handle, const char* name, void* data) {
    const struct repeated_product* r = data;
    const struct product* p = &r->product;
    static const float minus_one = -1;
    int repeats = 2;
    for (int i = 0; i < kernel_count(handle, MYBLAS_ROUTINE_SGEMM); ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        if (info.stages > 1 && (!name || strcmp(info.name, name) == 0))
            repeats = 60;
    }
    for (int i = 0; i < repeats; ++i) {
        const myblasStatus_t status = multiply(handle, p);
        if (status == MYBLAS_STATUS_NOT_SUPPORTED)
            return false;
        assert_ok(status);
        // Differences stay in C; the next product overwrites them.
        float difference = NAN;
        assert_ok(mysgeam_64(handle,
                             MYBLAS_OP_N,
                             MYBLAS_OP_N,
                             p->m,
                             p->n,
                             &one,
                             p->c,
                             p->ldc,
                             &minus_one,
                             r->expected,
                             p->ldc,
                             p->c,
                             p->ldc));
        assert_ok(mysasum_64(handle, p->ldc * p->n, p->c, 1, &difference));
        if (difference != 0)
            fail_msg("%s: product %d is off by %g in all",
                     name ? name : "selected",
                     i,
                     (double)difference);
    }
    return true;
}

static void test_repeated_products(void** state) {
    struct memory memory = {.handle = require_handle(state)};
    struct repeated_product r = {.product = {.m = repeated_side,
                                             .n = repeated_side,
                                             .k = repeated_k,
                                             .lda = repeated_ld,
                                             .ldb = repeated_ld,
                                             .ldc = repeated_ld}};
    struct product* p = &r.product;
    const int64_t floats = (int64_t)repeated_ld * repeated_side;
    p->a = claim(&memory, floats, sizeof(float));
    p->b = claim(&memory, floats, sizeof(float));
    r.expected = claim(&memory, floats, sizeof(float));
    p->c = claim(&memory, floats, sizeof(float));
    for (int form = 0; form < 4; ++form) {
        p->transa = form & 1;
        p->transb = form & 2;
        put_matrix(memory.handle, p->a, p->lda, p->m, p->k, p->transa, a_at);
        put_matrix(memory.handle, p->b, p->ldb, p->k, p->n, p->transb, b_at);
        fill(memory.handle, p->c, floats, 0); // also the memory between the columns
        fill(memory.handle, r.expected, floats, 0);
        // The naive kernel computes it, and it is checked.
        struct product expected = *p;
        expected.c = r.expected;
        expected.checked_count = COUNT_OF(expected.checked);
        for (int c = 0; c < expected.checked_count; ++c)
            expected.checked[c] = (int64_t)c * (p->n - 1) / (expected.checked_count - 1);
        assert_ok(myblasForceKernel(memory.handle, MYBLAS_ROUTINE_SGEMM, "naive"));
        assert_true(check_product(memory.handle, "naive", &expected));
        with_every_kernel(memory.handle, MYBLAS_ROUTINE_SGEMM, check_repeats, &r);
    }
    release(&memory);
}

// Ten million rows or columns.
static void test_thin_products(void** state) {
    struct memory memory = {.handle = require_handle(state)};
    const int64_t length = 10000019;
    float* longer = claim(&memory, length * 4, sizeof(float));
    float* shorter = claim(&memory, 64, sizeof(float));
    float* c = claim(&memory, length * 4, sizeof(float));
    struct product tall = {.m = length,
                           .n = 2,
                           .k = 3,
                           .lda = length,
                           .ldb = 4,
                           .ldc = length,
                           .a = longer,
                           .b = shorter,
                           .c = c};
    put_matrix(memory.handle, longer, tall.lda, tall.m, tall.k, false, a_at);
    put_matrix(memory.handle, shorter, tall.ldb, tall.k, tall.n, false, b_at);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_SGEMM, check_product, &tall);
    struct product wide = {.m = 2,
                           .n = length,
                           .k = 3,
                           .lda = 4,
                           .ldb = 4,
                           .ldc = 2,
                           .a = shorter,
                           .b = longer,
                           .c = c};
    put_matrix(memory.handle, shorter, wide.lda, wide.m, wide.k, false, a_at);
    put_matrix(memory.handle, longer, wide.ldb, wide.k, wide.n, false, b_at);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_SGEMM, check_product, &wide);
    release(&memory);
}

// ---- Batches ------------------------------------------------------------------------------------

struct batch {
    float *a, *b, *c;
    void* arrays; // pointers to each product's A, then B, then C
    bool pointers;
};

enum { tiny = 3, tiny_elements = tiny * tiny, products = 1000003 };

static bool check_batch(myblasHandle_t handle, const char* name, void* data) {
    const struct batch* batch = data;
    fill(handle, batch->c, (int64_t)products * tiny_elements, NAN);
    void** arrays = batch->arrays;
    const myblasStatus_t status =
        batch->pointers ? mysgemmBatched(handle,
                                         MYBLAS_OP_N,
                                         MYBLAS_OP_N,
                                         tiny,
                                         tiny,
                                         tiny,
                                         &one,
                                         (const float* const*)arrays,
                                         tiny,
                                         (const float* const*)(arrays + products),
                                         tiny,
                                         &zero,
                                         (float* const*)(arrays + 2 * (size_t)products),
                                         tiny,
                                         products)
                        : mysgemmStridedBatched(handle,
                                                MYBLAS_OP_N,
                                                MYBLAS_OP_N,
                                                tiny,
                                                tiny,
                                                tiny,
                                                &one,
                                                batch->a,
                                                tiny,
                                                tiny_elements,
                                                batch->b,
                                                tiny,
                                                tiny_elements,
                                                &zero,
                                                batch->c,
                                                tiny,
                                                tiny_elements,
                                                products);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED)
        return false;
    assert_ok(status);
    const int64_t count = (int64_t)products * tiny_elements;
    float* found = malloc((size_t)count * sizeof *found);
    assert_non_null(found);
    get(handle, batch->c, 0, count, found);
    for (int64_t at = 0; at < count; ++at) {
        // The A of all products lie side by side as one 3 x (3 products) matrix, and so do the B.
        const int64_t product = at / tiny_elements, i = at % tiny, j = at / tiny;
        float expected = 0;
        for (int64_t l = 0; l < tiny; ++l)
            expected += a_at(i, product * tiny + l) * b_at(l, j);
        if (found[at] != expected)
            fail_msg("%s: product %lld is wrong", name ? name : "selected", (long long)product);
    }
    free(found);
    return true;
}

static void test_large_batches(void** state) {
    struct memory memory = {.handle = require_handle(state)};
    struct batch batch;
    const int64_t floats = (int64_t)products * tiny_elements;
    batch.a = claim(&memory, floats, sizeof(float));
    batch.b = claim(&memory, floats, sizeof(float));
    batch.c = claim(&memory, floats, sizeof(float));
    batch.arrays = claim(&memory, 3 * (int64_t)products, sizeof(void*));
    put_matrix(memory.handle, batch.a, tiny, tiny, (int64_t)tiny * products, false, a_at);
    put_matrix(memory.handle, batch.b, tiny, tiny, (int64_t)tiny * products, false, b_at);
    float** arrays = malloc(3 * (size_t)products * sizeof *arrays);
    assert_non_null(arrays);
    for (int64_t i = 0; i < products; ++i) {
        arrays[i] = batch.a + i * tiny_elements;
        arrays[products + i] = batch.b + i * tiny_elements;
        arrays[2 * (int64_t)products + i] = batch.c + i * tiny_elements;
    }
    assert_ok(myblasSetVector_64(
        memory.handle, 3 * (int64_t)products, sizeof *arrays, arrays, 1, batch.arrays, 1));
    free(arrays);
    for (int pointers = 0; pointers < 2; ++pointers) {
        batch.pointers = pointers;
        with_every_kernel(memory.handle, MYBLAS_ROUTINE_SGEMM, check_batch, &batch);
    }
    release(&memory);
}

// ---- Transposes ---------------------------------------------------------------------------------

// A matrix of floats below 2^24 whose elements differ within some thousand rows and columns: the
// product of two thin matrices creates it on the device.
static float pattern_at(int64_t i, int64_t j) {
    return (float)(i % 4096) * 4096 + (float)((j + j / 4096) % 4096);
}

static void make_pattern(struct memory* memory, float* a, int64_t m, int64_t n, int64_t lda) {
    float* host = malloc((size_t)(2 * m + 2 * n) * sizeof *host);
    assert_non_null(host);
    float *left = host, *right = host + 2 * m; // m x 2, 2 x n
    for (int64_t i = 0; i < m; ++i) {
        left[i] = (float)(i % 4096) * 4096;
        left[i + m] = 1;
    }
    for (int64_t j = 0; j < n; ++j) {
        right[2 * j] = 1;
        right[2 * j + 1] = (float)((j + j / 4096) % 4096);
    }
    void* thin = claim(memory, 2 * m + 2 * n, sizeof(float));
    assert_ok(myblasSetVector_64(memory->handle, 2 * m + 2 * n, sizeof *host, host, 1, thin, 1));
    assert_ok(mysgemm_64(memory->handle,
                         MYBLAS_OP_N,
                         MYBLAS_OP_N,
                         m,
                         n,
                         2,
                         &one,
                         thin,
                         m,
                         (float*)thin + 2 * m,
                         2,
                         &zero,
                         a,
                         lda));
    assert_ok(myblasFree(memory->handle, memory->blocks[--memory->count]));
    free(host);
}

struct transposition {
    struct memory* memory;
    int64_t m, n;
    float *a, *b;
    int element_bytes; // 4; 1: each float of the pattern counts as four rows of bytes
    bool geam;
};

// The element of B in row i and column j, which comes from row j of A, as the bits of a float or of
// one of its bytes.
static uint32_t transposed_bits(const struct transposition* t, int64_t i, int64_t j) {
    const int64_t per_float = 4 / t->element_bytes;
    const float value = pattern_at(j / per_float, i);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return per_float == 1 ? bits : bits >> (8 * (j % 4)) & 0xFF;
}

static bool check_transposition(myblasHandle_t handle, const char* name, void* data) {
    const struct transposition* t = data;
    if (name && strncmp(name, "copy", 4) == 0)
        return false; // a yardstick
    const bool in_place = t->a == t->b;
    if (name && in_place && strcmp(name, "in_place_cycles") == 0)
        return false; // follows cycles of billions of elements, for minutes
    const int64_t floats = t->m * t->n * t->element_bytes / 4;
    if (in_place)
        make_pattern(t->memory, t->a, t->m, t->n, t->m);
    else
        fill(handle, t->b, floats, NAN);
    const myblasStatus_t status =
        t->geam ? mysgeam_64(handle,
                             MYBLAS_OP_T,
                             MYBLAS_OP_N,
                             t->n,
                             t->m,
                             &one,
                             t->a,
                             t->m,
                             &zero,
                             NULL,
                             t->n,
                             t->b,
                             t->n)
                : mytransposeEx_64(handle, t->m, t->n, t->element_bytes, t->a, t->m, t->b, t->n);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED)
        return false;
    assert_ok(status);
    const int64_t bytes = t->element_bytes;
    const int64_t columns[] = {
        0, 1, t->m / 4, t->m / 2 - 1, t->m / 2, (INT64_C(1) << 31) / t->n, t->m - 2, t->m - 1};
    unsigned char* column = malloc((size_t)(t->n * bytes));
    assert_non_null(column);
    for (size_t c = 0; c < COUNT_OF(columns); ++c) {
        const int64_t j = columns[c] < t->m ? columns[c] : t->m - 1;
        assert_ok(
            myblasGetVector_64(handle, t->n, bytes, (char*)t->b + j * t->n * bytes, 1, column, 1));
        for (int64_t i = 0; i < t->n; ++i) {
            const uint32_t expected = transposed_bits(t, i, j);
            if (memcmp(column + i * bytes, &expected, (size_t)bytes) != 0)
                fail_msg("%s: B(%lld, %lld) is wrong",
                         name ? name : "selected",
                         (long long)i,
                         (long long)j);
        }
    }
    free(column);
    return true;
}

static void test_large_transposes(void** state) {
    struct memory memory = {.handle = require_handle(state)};
    struct transposition t = {&memory, side, side, NULL, NULL, 4, false};
    t.a = claim(&memory, t.m * t.n, sizeof(float));
    t.b = claim(&memory, t.m * t.n, sizeof(float));
    make_pattern(&memory, t.a, t.m, t.n, t.m);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_TRANSPOSE, check_transposition, &t);
    t.geam = true;
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_GEAM, check_transposition, &t);
    t.geam = false;
    // The same memory as rows of bytes.
    make_pattern(&memory, t.a, side / 4, side, side / 4);
    t.element_bytes = 1;
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_TRANSPOSE, check_transposition, &t);
    t.element_bytes = 4;
    // In place, square; and rectangular with a workspace of the whole matrix.
    t.b = t.a;
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_TRANSPOSE, check_transposition, &t);
    t.m = 65552;
    t.n = 32768; // m * n > 2^31, and less than side * side
    assert_ok(myblasSetWorkspace(
        memory.handle, memory.blocks[1], (size_t)t.m * (size_t)t.n * sizeof(float)));
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_TRANSPOSE, check_transposition, &t);
    assert_ok(myblasSetStream(memory.handle, NULL));
    release(&memory);
}

static void test_thin_transposes(void** state) {
    struct memory memory = {.handle = require_handle(state)};
    static const int64_t length = 10000019;
    struct transposition t = {&memory, length, 3, NULL, NULL, 4, false};
    t.a = claim(&memory, length * 3, sizeof(float));
    t.b = claim(&memory, length * 3, sizeof(float));
    for (int wide = 0; wide < 2; ++wide) {
        t.m = wide ? 3 : length;
        t.n = wide ? length : 3;
        make_pattern(&memory, t.a, t.m, t.n, t.m);
        t.geam = false;
        with_every_kernel(memory.handle, MYBLAS_ROUTINE_TRANSPOSE, check_transposition, &t);
        t.geam = true;
        with_every_kernel(memory.handle, MYBLAS_ROUTINE_GEAM, check_transposition, &t);
    }
    release(&memory);
}

// ---- Vectors ------------------------------------------------------------------------------------

// Zeros, and powers of two where offsets pass a limit: the sum tells which of them were read.
struct long_vector {
    void* x;
    int64_t n, incx;
    bool is_double;
    double expected;
};

static void make_long_vector(myblasHandle_t handle, struct long_vector* v) {
    const int64_t span = (v->n - 1) * v->incx + 1;
    const int64_t limit = (INT64_C(1) << 31) / v->incx;
    const int64_t marks[] = {0,
                             1,
                             limit / 4,
                             limit / 2 - 1,
                             limit / 2,
                             limit - 1,
                             limit,
                             limit + 1,
                             2 * limit - 1,
                             2 * limit,
                             v->n - 2,
                             v->n - 1};
    // The gaps between elements would change the sum.
    fill(handle, v->x, span * (v->is_double ? 2 : 1), v->incx == 1 ? 0 : NAN);
    if (v->incx != 1) {
        static const double nothing = 0;
        void* zero_element = NULL;
        assert_ok(myblasMalloc(handle, &zero_element, sizeof nothing));
        assert_ok(myblasSetVector(handle, 1, sizeof nothing, &nothing, 1, zero_element, 1));
        assert_ok(myscopy_64(handle, v->n, zero_element, 0, v->x, v->incx));
        assert_ok(myblasFree(handle, zero_element));
    }
    v->expected = 0;
    for (size_t i = 0; i < COUNT_OF(marks); ++i) {
        const float single = (float)(1 << i);
        const double value = single;
        const int64_t bytes = v->is_double ? sizeof value : sizeof single;
        const void* source = v->is_double ? (const void*)&value : (const void*)&single;
        char* target = (char*)v->x + marks[i] * v->incx * bytes;
        assert_ok(myblasSetVector_64(handle, 1, bytes, source, 1, target, 1));
        v->expected += value;
    }
}

static bool check_long_sum(myblasHandle_t handle, const char* name, void* data) {
    const struct long_vector* v = data;
    float single = -1;
    double result = -1;
    const myblasStatus_t status = v->is_double ? mydsum_64(handle, v->n, v->x, v->incx, &result)
                                               : mysum_64(handle, v->n, v->x, v->incx, &single);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED)
        return false;
    assert_ok(status);
    if (!v->is_double)
        result = single;
    if (result != v->expected)
        fail_msg("%s: %.17g, not %.17g", name ? name : "selected", result, v->expected);
    return true;
}

static void test_long_sums(void** state) {
    struct memory memory = {.handle = require_handle(state)};
    const int64_t n = (INT64_C(1) << 32) + 12345;
    struct long_vector v = {.n = n, .incx = 1};
    v.x = claim(&memory, n, sizeof(float));
    make_long_vector(memory.handle, &v);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_SUM, check_long_sum, &v);
    v.incx = 9; // fewer elements whose offsets pass 2^31 and 2^32
    v.n = (n - 1) / 9 + 1;
    make_long_vector(memory.handle, &v);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_SUM, check_long_sum, &v);
    release(&memory);
    v.n = n;
    v.incx = 1;
    v.is_double = true;
    v.x = claim(&memory, n, sizeof(double));
    make_long_vector(memory.handle, &v);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_DSUM, check_long_sum, &v);
    release(&memory);
}

// Ones, but for a few elements far apart.
struct large_sums {
    float *a, *result;
    int64_t m, n;
};

static bool check_large_gemsum(myblasHandle_t handle, const char* name, void* data) {
    const struct large_sums* s = data;
    static const float extra = 4;
    bool took = false;
    for (int op = MYBLAS_OP_N; op <= MYBLAS_OP_T; ++op) {
        const int64_t count = op == MYBLAS_OP_N ? s->m : s->n;
        const float terms = (float)(op == MYBLAS_OP_N ? s->n : s->m);
        fill(handle, s->result, count, NAN);
        const myblasStatus_t status =
            mysgemsum_64(handle, (myblasOperation_t)op, s->m, s->n, s->a, s->m, s->result);
        if (status == MYBLAS_STATUS_NOT_SUPPORTED)
            continue;
        assert_ok(status);
        took = true;
        float* sums = malloc((size_t)count * sizeof *sums);
        assert_non_null(sums);
        get(handle, s->result, 0, count, sums);
        for (int64_t i = 0; i < count; ++i) {
            const bool is_marked = i == 3 || i == count / 2 || i == count - 1;
            if (sums[i] != terms + (is_marked ? extra : 0))
                fail_msg("%s: sum %lld is %.9g",
                         name ? name : "selected",
                         (long long)i,
                         (double)sums[i]);
        }
        free(sums);
    }
    return took;
}

static void test_large_gemsums(void** state) {
    struct memory memory = {.handle = require_handle(state)};
    struct large_sums s = {.m = 65552, .n = 32771}; // m * n > 2^31
    s.a = claim(&memory, s.m * s.n, sizeof(float));
    s.result = claim(&memory, s.m, sizeof(float));
    fill(memory.handle, s.a, s.m * s.n, 1);
    put(memory.handle, s.a, 3 + 3 * s.m, 5);
    put(memory.handle, s.a, s.m / 2 + s.n / 2 * s.m, 5);
    put(memory.handle, s.a, s.m * s.n - 1, 5);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_GEMSUM, check_large_gemsum, &s);
    release(&memory);
}

struct long_bytes {
    float* x; // ones, as bytes 00 00 80 3F
    int64_t n;
    uint64_t* counts;
};

static bool check_long_histogram(myblasHandle_t handle, const char* name, void* data) {
    const struct long_bytes* b = data;
    uint64_t counts[256];
    if (name && strcmp(name, "global_atomics") == 0)
        return false; // its additions queue at three addresses, for minutes
    assert_ok(myhistogram256_64(handle, b->n, (const unsigned char*)b->x, b->counts));
    assert_ok(myblasGetVector(handle, 256, sizeof *counts, b->counts, 1, counts, 1));
    const uint64_t floats = (uint64_t)b->n / 4;
    for (int v = 0; v < 256; ++v) {
        const uint64_t expected = v == 0      ? 2 * floats + 2
                                  : v == 0x80 ? floats + 1
                                  : v == 0x3F ? floats
                                              : 0;
        if (counts[v] != expected)
            fail_msg("%s: %llu bytes are %d",
                     name ? name : "selected",
                     (unsigned long long)counts[v],
                     v);
    }
    return true;
}

static void test_long_histograms(void** state) {
    struct memory memory = {.handle = require_handle(state)};
    const int64_t floats = (INT64_C(1) << 31) + 12345;
    struct long_bytes b = {.n = 4 * (floats - 1) + 3}; // zeroes more than 2^32
    b.x = claim(&memory, floats, sizeof(float));
    b.counts = claim(&memory, 256, sizeof(uint64_t));
    fill(memory.handle, b.x, floats, 1);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_HISTOGRAM, check_long_histogram, &b);
    release(&memory);
}

struct vectors {
    float *x, *y;
    int64_t n;
};

static const int64_t marks[] = {0,
                                INT64_C(1) << 29,
                                (INT64_C(1) << 30) - 1,
                                INT64_C(1) << 30,
                                (INT64_C(1) << 31) - 1,
                                INT64_C(1) << 31,
                                (INT64_C(1) << 31) + 12344};

static void check_marks(myblasHandle_t handle, const struct vectors* v, float base, float step) {
    for (size_t i = 0; i < COUNT_OF(marks); ++i) {
        float found[2];
        const bool has_plain_neighbour = i + 1 < COUNT_OF(marks) && marks[i + 1] != marks[i] + 1;
        const int64_t count = has_plain_neighbour ? 2 : 1;
        get(handle, v->y, marks[i], count, found);
        assert_true(found[0] == base + step * (float)(i + 1));
        assert_true(count == 1 || found[1] == base);
    }
}

static bool check_long_axpy(myblasHandle_t handle, const char* name, void* data) {
    (void)name;
    const struct vectors* v = data;
    const float two = 2;
    fill(handle, v->y, v->n, 5);
    const myblasStatus_t status = mysaxpy_64(handle, v->n, &two, v->x, 1, v->y, 1);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED)
        return false;
    assert_ok(status);
    check_marks(handle, v, 5, 2);
    return true;
}

static bool check_long_copy(myblasHandle_t handle, const char* name, void* data) {
    const struct vectors* v = data;
    assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_COPY, NULL));
    fill(handle, v->y, v->n, NAN);
    assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_COPY, name));
    const myblasStatus_t status = myscopy_64(handle, v->n, v->x, 1, v->y, 1);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED)
        return false;
    assert_ok(status);
    check_marks(handle, v, 0, 1);
    return true;
}

static void test_long_vectors(void** state) {
    struct memory memory = {.handle = require_handle(state)};
    struct vectors v = {.n = marks[COUNT_OF(marks) - 1] + 1};
    v.x = claim(&memory, v.n, sizeof(float));
    v.y = claim(&memory, v.n, sizeof(float));
    fill(memory.handle, v.x, v.n, 0);
    for (size_t i = 0; i < COUNT_OF(marks); ++i)
        put(memory.handle, v.x, marks[i], (float)(i + 1));
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_AXPY, check_long_axpy, &v);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_COPY, check_long_copy, &v);
    release(&memory);
}

// ---- Level 1 ------------------------------------------------------------------------------------

// x has marks as check_marks finds them in y, with zeros between; y is all ones.
static float sum_of_marks(bool squares) {
    float sum = 0;
    for (size_t i = 0; i < COUNT_OF(marks); ++i)
        sum += (float)((i + 1) * (squares ? i + 1 : 1));
    return sum;
}

static bool check_long_dot(myblasHandle_t handle, const char* name, void* data) {
    (void)name;
    const struct vectors* v = data;
    float result = NAN;
    const myblasStatus_t status = mysdot_64(handle, v->n, v->x, 1, v->y, 1, &result);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED)
        return false;
    assert_ok(status);
    assert_true(result == sum_of_marks(false));
    return true;
}

static bool check_long_nrm2(myblasHandle_t handle, const char* name, void* data) {
    (void)name;
    const struct vectors* v = data;
    float result = NAN;
    const myblasStatus_t status = mysnrm2_64(handle, v->n, v->x, 1, &result);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED)
        return false;
    assert_ok(status);
    assert_true(result == sqrtf(sum_of_marks(true)));
    return true;
}

static bool check_long_iamax(myblasHandle_t handle, const char* name, void* data) {
    (void)name;
    const struct vectors* v = data;
    const int64_t last = marks[COUNT_OF(marks) - 1];
    int64_t found = 0;
    const myblasStatus_t status = myisamax_64(handle, v->n, v->x, 1, &found);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED)
        return false;
    assert_ok(status);
    assert_int_equal(found, last + 1);
    // Every second element: the largest one is the last mark with an even index.
    assert_ok(myisamax_64(handle, v->n / 2, v->x, 2, &found));
    assert_int_equal(found, (INT64_C(1) << 30) + 1);
    return true;
}

// The vectors are exchanged twice, so x is unchanged.
static bool check_long_swap(myblasHandle_t handle, const char* name, void* data) {
    (void)name;
    const struct vectors* v = data;
    const struct vectors other = {.y = v->x, .n = v->n};
    const myblasStatus_t status = mysswap_64(handle, v->n, v->x, 1, v->y, 1);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED)
        return false;
    assert_ok(status);
    check_marks(handle, v, 0, 1);
    assert_ok(mysswap_64(handle, v->n, v->x, 1, v->y, 1));
    check_marks(handle, &other, 0, 1);
    return true;
}

static bool check_long_scal(myblasHandle_t handle, const char* name, void* data) {
    (void)name;
    const struct vectors* v = data;
    const struct vectors scaled = {.y = v->x, .n = v->n};
    const float two = 2, half = 0.5f;
    const myblasStatus_t status = mysscal_64(handle, v->n, &two, v->x, 1);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED)
        return false;
    assert_ok(status);
    check_marks(handle, &scaled, 0, 2);
    assert_ok(mysscal_64(handle, v->n, &half, v->x, 1));
    return true;
}

static void test_long_level1(void** state) {
    struct memory memory = {.handle = require_handle(state)};
    struct vectors v = {.n = marks[COUNT_OF(marks) - 1] + 1};
    v.x = claim(&memory, v.n, sizeof(float));
    v.y = claim(&memory, v.n, sizeof(float));
    fill(memory.handle, v.x, v.n, 0);
    fill(memory.handle, v.y, v.n, 1);
    for (size_t i = 0; i < COUNT_OF(marks); ++i)
        put(memory.handle, v.x, marks[i], (float)(i + 1));
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_DOT, check_long_dot, &v);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_NRM2, check_long_nrm2, &v);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_IAMAX, check_long_iamax, &v);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_SWAP, check_long_swap, &v);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_SCAL, check_long_scal, &v);
    release(&memory);
}

// ---- Level 2 ------------------------------------------------------------------------------------

// A matrix of three columns that lie `ld` apart, x of ones and y.
struct far_matrix {
    float *a, *x, *y;
    int64_t ld;
};

enum { far_rows = 40, far_columns = 3 };

static void put_far(myblasHandle_t handle, const struct far_matrix* f, int64_t rows) {
    put_matrix(handle, f->a, f->ld, rows, far_columns, false, a_at);
}

static void assert_vector(myblasHandle_t handle,
                          const char* name,
                          const float* device,
                          const float* expected,
                          int64_t n) {
    float found[far_rows];
    get(handle, device, 0, n, found);
    for (int64_t i = 0; i < n; ++i)
        if (found[i] != expected[i])
            fail_msg("%s: element %lld is %g, not %g",
                     name ? name : "selected",
                     (long long)i,
                     (double)found[i],
                     (double)expected[i]);
}

static bool check_far_gemv(myblasHandle_t handle, const char* name, void* data) {
    const struct far_matrix* f = data;
    for (int trans = 0; trans < 2; ++trans) {
        const int64_t outputs = trans ? far_columns : far_rows;
        float expected[far_rows] = {0};
        for (int64_t i = 0; i < far_rows; ++i)
            for (int64_t j = 0; j < far_columns; ++j)
                expected[trans ? j : i] += a_at(i, j);
        fill(handle, f->y, far_rows, NAN);
        const myblasStatus_t status = mysgemv_64(handle,
                                                 trans ? MYBLAS_OP_T : MYBLAS_OP_N,
                                                 far_rows,
                                                 far_columns,
                                                 &one,
                                                 f->a,
                                                 f->ld,
                                                 f->x,
                                                 1,
                                                 &zero,
                                                 f->y,
                                                 1);
        if (status == MYBLAS_STATUS_NOT_SUPPORTED)
            return false;
        assert_ok(status);
        assert_vector(handle, name, f->y, expected, outputs);
    }
    return true;
}

// syr, syr2 and ger add 1, 2 and 1 to the elements that they change.
static bool check_far_updates(myblasHandle_t handle, const char* name, void* data) {
    const struct far_matrix* f = data;
    for (int form = 0; form < 3; ++form) {
        const int64_t rows = form == 2 ? far_rows : far_columns;
        put_far(handle, f, rows);
        const myblasStatus_t status =
            form == 0 ? myssyr_64(handle, MYBLAS_FILL_MODE_UPPER, rows, &one, f->x, 1, f->a, f->ld)
            : form == 1
                ? myssyr2_64(
                      handle, MYBLAS_FILL_MODE_LOWER, rows, &one, f->x, 1, f->x, 1, f->a, f->ld)
                : mysger_64(handle, rows, far_columns, &one, f->x, 1, f->x, 1, f->a, f->ld);
        if (status == MYBLAS_STATUS_NOT_SUPPORTED)
            return false;
        assert_ok(status);
        for (int64_t j = 0; j < far_columns; ++j) {
            float expected[far_rows];
            for (int64_t i = 0; i < rows; ++i) {
                const bool changes = form == 2 || (form == 0 ? i <= j : i >= j);
                expected[i] = a_at(i, j) + (changes ? form == 1 ? 2 : 1 : 0);
            }
            assert_vector(handle, name, f->a + j * f->ld, expected, rows);
        }
    }
    return true;
}

// Both triangles of 3 x 3 and both forms.
static bool check_far_symv(myblasHandle_t handle, const char* name, void* data) {
    const struct far_matrix* f = data;
    for (int upper = 0; upper < 2; ++upper) {
        float expected[far_columns] = {0};
        for (int64_t i = 0; i < far_columns; ++i)
            for (int64_t j = 0; j < far_columns; ++j)
                expected[i] += (upper ? i <= j : i >= j) ? a_at(i, j) : a_at(j, i);
        fill(handle, f->y, far_columns, NAN);
        const myblasStatus_t status =
            myssymv_64(handle,
                       upper ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER,
                       far_columns,
                       &one,
                       f->a,
                       f->ld,
                       f->x,
                       1,
                       &zero,
                       f->y,
                       1);
        if (status == MYBLAS_STATUS_NOT_SUPPORTED)
            return false;
        assert_ok(status);
        assert_vector(handle, name, f->y, expected, far_columns);
    }
    return true;
}

static bool check_far_triangle(myblasHandle_t handle, const char* name, bool solves, void* data) {
    const struct far_matrix* f = data;
    for (int form = 0; form < 4; ++form) {
        const bool upper = form % 2, trans = form / 2;
        const float start[far_columns] = {1, 2, -1};
        // A product with a unit triangle, and the solution that reverses it.
        float product[far_columns];
        for (int64_t i = 0; i < far_columns; ++i) {
            product[i] = start[i];
            for (int64_t j = 0; j < far_columns; ++j)
                if (trans != upper ? i < j : i > j)
                    product[i] += start[j] * (trans ? a_at(j, i) : a_at(i, j));
        }
        const float *before = solves ? product : start, *after = solves ? start : product;
        assert_ok(myblasSetVector_64(handle, far_columns, sizeof *before, before, 1, f->y, 1));
        const myblasStatus_t status = (solves ? mystrsv_64 : mystrmv_64)(
            handle,
            upper ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER,
            trans ? MYBLAS_OP_T : MYBLAS_OP_N,
            MYBLAS_DIAG_UNIT,
            far_columns,
            f->a,
            f->ld,
            f->y,
            1);
        if (status == MYBLAS_STATUS_NOT_SUPPORTED)
            return false;
        assert_ok(status);
        assert_vector(handle, name, f->y, after, far_columns);
    }
    return true;
}

static bool check_far_trmv(myblasHandle_t handle, const char* name, void* data) {
    return check_far_triangle(handle, name, false, data);
}
static bool check_far_trsv(myblasHandle_t handle, const char* name, void* data) {
    return check_far_triangle(handle, name, true, data);
}

static void test_far_columns(void** state) {
    struct memory memory = {.handle = require_handle(state)};
    struct far_matrix f = {.ld = (INT64_C(1) << 30) + 1};
    f.a = claim(&memory, f.ld * (far_columns - 1) + far_rows, sizeof(float));
    f.x = claim(&memory, far_rows, sizeof(float));
    f.y = claim(&memory, far_rows, sizeof(float));
    fill(memory.handle, f.x, far_rows, 1);
    put_far(memory.handle, &f, far_rows);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_SGEMM, check_far_gemv, &f);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_SYMV, check_far_symv, &f);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_TRMV, check_far_trmv, &f);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_TRSV, check_far_trsv, &f);
    with_every_kernel(memory.handle, MYBLAS_ROUTINE_SYR, check_far_updates, &f);
    release(&memory);
}

// A triangle of more than 2^31 elements: products and solutions with ones.
static void test_large_triangles(void** state) {
    struct memory memory = {.handle = require_handle(state)};
    const myblasHandle_t handle = memory.handle;
    enum { shown = 3 };
    float* a = claim(&memory, (int64_t)side * side, sizeof(float));
    float* x = claim(&memory, side, sizeof(float));
    float* y = claim(&memory, side, sizeof(float));
    fill(handle, a, (int64_t)side * side, 0x1p-10f);
    for (int form = 0; form < 4; ++form) {
        const myblasFillMode_t uplo = form % 2 ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
        const myblasOperation_t trans = form / 2 ? MYBLAS_OP_T : MYBLAS_OP_N;
        const bool lower = (form % 2 == 1) == (form / 2 == 1);
        const int64_t rows[shown] = {0, side / 2, side - 1};
        fill(handle, x, side, 1);
        assert_ok(mystrmv_64(handle, uplo, trans, MYBLAS_DIAG_UNIT, side, a, side, x, 1));
        for (int s = 0; s < shown; ++s) {
            float found;
            get(handle, x, rows[s], 1, &found);
            const int64_t others = lower ? rows[s] : side - 1 - rows[s];
            assert_true(found == 1 + (float)others * 0x1p-10f);
        }
        assert_ok(mystrsv_64(handle, uplo, trans, MYBLAS_DIAG_UNIT, side, a, side, x, 1));
        for (int s = 0; s < shown; ++s) {
            float found;
            get(handle, x, rows[s], 1, &found);
            assert_true(fabsf(found - 1) < 0x1p-6f);
        }
        fill(handle, x, side, 1);
        fill(handle, y, side, NAN);
        assert_ok(myssymv_64(handle, uplo, side, &one, a, side, x, 1, &zero, y, 1));
        for (int s = 0; s < shown; ++s) {
            float found;
            get(handle, y, rows[s], 1, &found);
            assert_true(found == (float)side * 0x1p-10f);
        }
    }
    release(&memory);
}

// Updates of matrices larger than the L2 cache, in small integers; columns start on cache lines or
// not.
static void test_streamed_updates(void** state) {
    struct memory memory = {.handle = require_handle(state)};
    const myblasHandle_t handle = memory.handle;
    enum { n = 5217, most_lda = 5248 };
    float* a = claim(&memory, (int64_t)most_lda * n + 1, sizeof(float));
    float* x = claim(&memory, n, sizeof(float));
    float* y = claim(&memory, n, sizeof(float));
    float* host = malloc((size_t)most_lda * n * sizeof *host);
    float* vectors = malloc(2 * (size_t)n * sizeof *vectors);
    assert_non_null(host);
    assert_non_null(vectors);
    for (int i = 0; i < n; ++i) {
        vectors[i] = (float)(i % 7 - 3);
        vectors[n + i] = (float)(i % 11 - 5);
    }
    assert_ok(myblasSetVector_64(handle, n, sizeof *vectors, vectors, 1, x, 1));
    assert_ok(myblasSetVector_64(handle, n, sizeof *vectors, vectors + n, 1, y, 1));
    for (int form = 0; form < 10; ++form) {
        const int64_t lda = form % 2 ? 5219 : most_lda;
        float* const first = a + form % 2;
        const bool upper = form / 2 % 2, is_ger = form >= 8, twice = form >= 4;
        const myblasFillMode_t uplo = upper ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
        fill(handle, first, lda * n, 1);
        assert_ok(is_ger  ? mysger_64(handle, n, n, &one, x, 1, y, 1, first, lda)
                  : twice ? myssyr2_64(handle, uplo, n, &one, x, 1, y, 1, first, lda)
                          : myssyr_64(handle, uplo, n, &one, x, 1, first, lda));
        get(handle, first, 0, lda * n, host);
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < lda; ++i) {
                float expected = 1;
                if (i < n && (is_ger || (upper ? i <= j : i >= j)))
                    expected += is_ger  ? vectors[i] * vectors[n + j]
                                : twice ? vectors[i] * vectors[n + j] + vectors[n + i] * vectors[j]
                                        : vectors[i] * vectors[j];
                if (host[i + j * lda] != expected)
                    fail_msg("form %d: element %lld, %lld is %g, not %g",
                             form,
                             (long long)i,
                             (long long)j,
                             (double)host[i + j * lda],
                             (double)expected);
            }
    }
    free(host);
    free(vectors);
    release(&memory);
}

// Batches of matrix-vector products beyond the 65535 blocks of a grid's y, in both forms.
static void test_many_vectors(void** state) {
    struct memory memory = {.handle = require_handle(state)};
    const myblasHandle_t handle = memory.handle;
    enum { batches = 70001, m = 5, n = 3 };
    float* a = claim(&memory, (int64_t)batches * m * n, sizeof(float));
    float* x = claim(&memory, (int64_t)batches * n, sizeof(float));
    float* y = claim(&memory, (int64_t)batches * m, sizeof(float));
    put_matrix(handle, a, m, m, (int64_t)batches * n, false, a_at);
    fill(handle, x, (int64_t)batches * n, 1);
    float* found = malloc((size_t)batches * m * sizeof *found);
    assert_non_null(found);
    for (int backwards = 0; backwards < 2; ++backwards) {
        const int64_t increment = backwards ? -1 : 1;
        fill(handle, y, (int64_t)batches * m, NAN);
        assert_ok(mysgemvStridedBatched_64(handle,
                                           MYBLAS_OP_N,
                                           m,
                                           n,
                                           &one,
                                           a,
                                           m,
                                           m * n,
                                           x,
                                           increment,
                                           n,
                                           &zero,
                                           y,
                                           increment,
                                           m,
                                           batches));
        get(handle, y, 0, (int64_t)batches * m, found);
        for (int64_t b = 0; b < batches; ++b)
            for (int64_t i = 0; i < m; ++i) {
                float sum = 0;
                for (int64_t l = 0; l < n; ++l)
                    sum += a_at(i, b * n + l);
                assert_true(found[b * m + (backwards ? m - 1 - i : i)] == sum);
            }
    }
    free(found);
    release(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_result),
        cmocka_unit_test(test_large_leading_dimension),
        cmocka_unit_test(test_repeated_products),
        cmocka_unit_test(test_thin_products),
        cmocka_unit_test(test_large_batches),
        cmocka_unit_test(test_large_transposes),
        cmocka_unit_test(test_thin_transposes),
        cmocka_unit_test(test_long_sums),
        cmocka_unit_test(test_large_gemsums),
        cmocka_unit_test(test_long_histograms),
        cmocka_unit_test(test_long_vectors),
        cmocka_unit_test(test_long_level1),
        cmocka_unit_test(test_far_columns),
        cmocka_unit_test(test_large_triangles),
        cmocka_unit_test(test_streamed_updates),
        cmocka_unit_test(test_many_vectors),
    };
    return cmocka_run_group_tests_name("large", tests, setup_cuda, teardown_backend);
}
