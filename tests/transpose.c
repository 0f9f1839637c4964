// mytranspose, mytransposeEx and mysgeam: every kernel on shapes that straddle its tile.
#include "support.h"

#include <math.h>

// ---- Shapes -------------------------------------------------------------------------------------

struct shape {
    int m, n;
};

enum { max_shapes = 48 };

static int make_shapes(const myblasKernelInfo_t* info, struct shape shapes[max_shapes]) {
    const int tile_m = info->block_m > 1 ? info->block_m : 32;
    const int tile_n = info->block_n > 1 ? info->block_n : 32;
    const int m[] = {1, tile_m - 1, tile_m, tile_m + 1, 2 * tile_m + 3, 137};
    const int n[] = {1, tile_n - 1, tile_n, tile_n + 1, 2 * tile_n + 5, 149};
    int count = 0;
    const size_t step = reduced() ? 2 : 1;
    for (size_t i = 0; i < COUNT_OF(m); i += step) {
        for (size_t j = 0; j < COUNT_OF(n); j += step)
            shapes[count++] = (struct shape){m[i], n[j]};
    }
    const struct shape others[] = {
        {7, 7}, {tile_m * 2, tile_m * 2}, {131, 131}, {2053, 3}, {3, 2053}, {64, 48}, {256, 16}};
    memcpy(shapes + count, others, sizeof others);
    return count + (int)COUNT_OF(others);
}

struct counts {
    int ran, declined;
};

// ---- Transposes ---------------------------------------------------------------------------------

struct transpose_case {
    int m, n, element_bytes, lda, ldb;
    int misaligned; // elements past a multiple of 16 bytes: A by this, B by another
    bool in_place, is_b_aligned;
};

// Kernels that the bench compares with; they copy A to B without transposing it.
static bool is_copy(const char* kernel) { return kernel && strncmp(kernel, "copy", 4) == 0; }

static unsigned char*
element(const void* matrix, int64_t i, int64_t j, int64_t ld, int element_bytes) {
    return (unsigned char*)matrix + (size_t)(i + j * ld) * (size_t)element_bytes;
}

static void fill_random_bytes(unsigned char* bytes, size_t count) {
    for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
        const uint64_t bits = random_bits();
        memcpy(bytes + i, &bits, count - i < sizeof bits ? count - i : sizeof bits);
    }
}

static void fill_matrix(void* matrix, int rows, int cols, int ld, int element_bytes) {
    for (int64_t j = 0; j < cols; ++j)
        fill_random_bytes(element(matrix, 0, j, ld, element_bytes),
                          (size_t)rows * (size_t)element_bytes);
}

static void assert_transposed(
    const struct transpose_case* t, const void* a, const void* b, bool copied, const char* kernel) {
    const size_t bytes = (size_t)t->element_bytes;
    for (int64_t j = 0; j < t->n; ++j) {
        for (int64_t i = 0; i < t->m; ++i) {
            const void* from = element(a, i, j, t->lda, t->element_bytes);
            const void* to = copied ? element(b, i, j, t->ldb, t->element_bytes)
                                    : element(b, j, i, t->ldb, t->element_bytes);
            if (memcmp(from, to, bytes) != 0)
                fail_msg("%s: A(%lld, %lld) of %d x %d elements of %d bytes is lost",
                         kernel,
                         (long long)i,
                         (long long)j,
                         t->m,
                         t->n,
                         t->element_bytes);
        }
    }
}

static myblasStatus_t
call_transpose(myblasHandle_t handle, const struct transpose_case* t, const void* a, void* b) {
    static unsigned turn = 0;
    ++turn;
    if (t->element_bytes == 4 && turn % 4 == 0)
        return mytranspose(handle, t->m, t->n, a, t->lda, b, t->ldb);
    if (t->element_bytes == 4 && turn % 4 == 1)
        return mytranspose_64(handle, t->m, t->n, a, t->lda, b, t->ldb);
    if (turn % 4 == 2)
        return mytransposeEx(handle, t->m, t->n, t->element_bytes, a, t->lda, b, t->ldb);
    return mytransposeEx_64(handle, t->m, t->n, t->element_bytes, a, t->lda, b, t->ldb);
}

static void run_transpose(myblasHandle_t handle,
                          const char* forced,
                          const struct transpose_case* t,
                          struct operand* a,
                          struct operand* b,
                          struct operand* workspace,
                          struct counts* counts) {
    const size_t bytes = (size_t)t->element_bytes, misaligned = (size_t)t->misaligned;
    void* host_a =
        operand_place(a, matrix_bytes(t->m, t->n, t->lda, bytes), misaligned * bytes % 16);
    fill_matrix(host_a, t->m, t->n, t->lda, t->element_bytes);
    operand_upload(a);
    struct operand* target = a;
    if (!t->in_place) {
        target = b;
        operand_place(b,
                      matrix_bytes(t->n, t->m, t->ldb, bytes),
                      t->is_b_aligned ? 0 : misaligned * 3 * bytes % 16);
        operand_upload(b);
    }

    myblasCall_t call = empty_call(MYBLAS_ROUTINE_TRANSPOSE);
    call.m = t->m;
    call.n = t->n;
    call.lda = t->lda;
    call.ldb = t->ldb;
    call.element_bytes = t->element_bytes;
    call.A = operand_device(a);
    call.B = operand_device(target);
    const bool has_workspace = lend_poisoned_workspace(handle, &call, workspace);
    const char* selected = NULL;
    const myblasStatus_t selection = myblasSelectKernel(handle, &call, &selected);
    const myblasStatus_t status =
        call_transpose(handle, t, operand_device(a), operand_device(target));
    if (forced && status == MYBLAS_STATUS_NOT_SUPPORTED) {
        assert_int_equal(selection, MYBLAS_STATUS_NOT_SUPPORTED);
        operand_assert_unchanged(target);
        ++counts->declined;
        return;
    }
    assert_ok(status);
    assert_ok(selection);
    if (forced)
        assert_string_equal(selected, forced);
    else
        assert_false(is_copy(selected));
    assert_last_kernel(handle, MYBLAS_ROUTINE_TRANSPOSE, selected);

    const bool copied = is_copy(forced);
    if (copied)
        assert_int_equal(t->m, t->n);
    assert_transposed(t, host_a, operand_download(target), copied, selected);
    operand_assert_padding(target, t->n, t->m, t->ldb, bytes);
    if (!t->in_place)
        operand_assert_unchanged(a);
    if (has_workspace)
        operand_download(workspace);
    ++counts->ran;
}

static struct counts
run_transposes(myblasHandle_t handle, const char* forced, const myblasKernelInfo_t* info) {
    static const int element_sizes[] = {1, 2, 4, 8, 16};
    static const int paddings[][2] = {{0, 0}, {0, 3}, {5, 0}, {16, 32}};
    struct counts counts = {0, 0};
    struct operand a = operand_create(handle), b = operand_create(handle),
                   workspace = operand_create(handle);
    struct shape shapes[max_shapes];
    const int shape_count = make_shapes(info, shapes);
    assert_true(shape_count <= max_shapes);
    for (int s = 0; s < shape_count; ++s) {
        const struct shape shape = shapes[s];
        for (size_t e = 0; e < COUNT_OF(element_sizes); ++e) {
            struct transpose_case t = {shape.m, shape.n, element_sizes[e], 0, 0, 0, false, false};
            for (size_t p = 0; p < COUNT_OF(paddings); ++p) {
                for (t.misaligned = 0; t.misaligned < 4; ++t.misaligned) {
                    if (p < 3 && t.misaligned != 0 && t.misaligned != (s + (int)p) % 3 + 1)
                        continue;
                    if (left_out(6))
                        continue;
                    t.lda = shape.m + paddings[p][0];
                    t.ldb = shape.n + paddings[p][1];
                    if (p == 3) { // leading dimensions that 16 bytes divide
                        t.lda = (t.lda + 15) / 16 * 16;
                        t.ldb = (t.ldb + 15) / 16 * 16;
                    }
                    run_transpose(handle, forced, &t, &a, &b, &workspace, &counts);
                }
            }
            t.in_place = true;
            for (t.misaligned = 0; t.misaligned < 4; ++t.misaligned) {
                if (left_out(6))
                    continue;
                t.lda = shape.m;
                t.ldb = shape.n;
                run_transpose(handle, forced, &t, &a, &b, &workspace, &counts);
                if (shape.m == shape.n) {
                    t.lda = t.ldb = shape.m + (t.misaligned % 2 ? 5 : 16);
                    run_transpose(handle, forced, &t, &a, &b, &workspace, &counts);
                }
            }
        }
    }
    // Tiles with others on all sides: sides that no vector width divides; leading dimensions that
    // are multiples of 2, 4, 8 and 16.
    static const int ldas[] = {275, 274, 276, 280, 288};
    for (size_t e = 0; e < COUNT_OF(element_sizes); ++e) {
        for (size_t l = 0; l < COUNT_OF(ldas); ++l) {
            const struct transpose_case t = {
                271, 613, element_sizes[e], ldas[l], 613 + (int)l, (int)l % 4, false, false};
            if (!reduced() || l == e)
                run_transpose(handle, forced, &t, &a, &b, &workspace, &counts);
        }
        // The same, with the columns and the start of A aligned to 8 bytes only, and B aligned to
        // 16.
        const int v8 = element_sizes[e] < 8 ? 8 / element_sizes[e] : 1;
        for (int is_late = 0; is_late < 2; ++is_late) {
            const int m = 192 + v8;
            const struct transpose_case t = {
                m, 272, element_sizes[e], m + is_late * 2 * v8, 272, is_late * v8, false, true};
            run_transpose(handle, forced, &t, &a, &b, &workspace, &counts);
        }
        // Thin matrices with too many elements for one a thread, and one matrix that is not thin.
        // For one of the four forms, the rows of B are whole sectors.
        static const int thin[][2] = {
            {400009, 1}, {100003, 3}, {25013, 13}, {8009, 29}, {901, 1003}};
        for (int q = 0; q < 4 * (int)COUNT_OF(thin); ++q) {
            const int k = q % 4, m = thin[q / 4][k % 2], n = thin[q / 4][1 - k % 2];
            const int ldb = k == 1 ? (n + 7) / 8 * 8 : n + k / 2 * 3;
            const struct transpose_case t = {
                m, n, element_sizes[e], m + k / 2 * 2, ldb, (k + q / 4) % 4, false, k == 1};
            if ((!forced || strcmp(forced, "interleaved") == 0) && !left_out(6))
                run_transpose(handle, forced, &t, &a, &b, &workspace, &counts);
        }
        // In place: even and odd numbers of tiles, the last ones cut. On an H200 these sizes reach
        // every tile and every order of tiles.
        static const int squares[][2] = {{100, 100},
                                         {164, 168},
                                         {612, 616},
                                         {613, 617},
                                         {1060, 1064},
                                         {1088, 1088},
                                         {1301, 1304},
                                         {1421, 1421},
                                         {2077, 2085},
                                         {2116, 2116},
                                         {2116, 2144},
                                         {2801, 2801},
                                         {10501, 10501}};
        for (size_t q = 0; q < COUNT_OF(squares); ++q) {
            const int n = squares[q][0], ld = squares[q][1];
            const struct transpose_case in_place = {
                n, n, element_sizes[e], ld, ld, n % 2, true, false};
            if ((!forced || n < 1000) && (element_sizes[e] == 4 || n < 2000) &&
                (!minimal() || n < 8000))
                run_transpose(handle, forced, &in_place, &a, &b, &workspace, &counts);
        }
    }
    operand_destroy(&a);
    operand_destroy(&b);
    operand_destroy(&workspace);
    return counts;
}

static void test_every_transpose(void** state) {
    myblasHandle_t handle = require_handle(state);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_TRANSPOSE);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_TRANSPOSE, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        random_seed((uint64_t)i + 1);
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_TRANSPOSE, info.name));
        const struct counts counts = run_transposes(handle, info.name, &info);
        print_message("  %s: %d calls, %d declined\n", info.name, counts.ran, counts.declined);
        if (counts.ran < (reduced() ? 1 : 20))
            fail_msg("%s took %d calls only", info.name, counts.ran);
    }
}

static void test_transpose_selection(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    const myblasKernelInfo_t generic = {.block_m = 64, .block_n = 32};
    random_seed(99);
    const struct counts counts = run_transposes(handle, NULL, &generic);
    assert_int_equal(counts.declined, 0);
    assert_true(counts.ran > (reduced() ? 10 : 100));
}

// In place with no workspace, with too little for the matrix, and with enough: slower or faster,
// and always right.
static void test_in_place_workspaces(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    static const struct shape shapes[] = {{2, 3}, {5, 4}, {64, 63}, {33, 97}, {1, 50}, {7, 1021}};
    struct operand a = operand_create(handle), workspace = operand_create(handle);
    for (size_t s = 0; s < COUNT_OF(shapes); ++s) {
        const struct transpose_case t = {
            shapes[s].m, shapes[s].n, 4, shapes[s].m, shapes[s].n, 0, true, false};
        const size_t bytes = matrix_bytes(t.m, t.n, t.lda, 4);
        const size_t sizes[] = {0, 256, 1024, (bytes + 255) / 256 * 256};
        for (size_t w = 0; w < COUNT_OF(sizes); ++w) {
            operand_place(&workspace, sizes[w], 0);
            operand_upload(&workspace);
            assert_ok(
                myblasSetWorkspace(handle, sizes[w] ? operand_device(&workspace) : NULL, sizes[w]));
            void* host = operand_place(&a, bytes, 0);
            fill_matrix(host, t.m, t.n, t.lda, 4);
            operand_upload(&a);
            assert_ok(mytranspose(
                handle, t.m, t.n, operand_device(&a), t.lda, operand_device(&a), t.ldb));
            assert_transposed(&t, host, operand_download(&a), false, "selected");
            operand_download(&workspace);
        }
    }
    operand_destroy(&a);
    operand_destroy(&workspace);
}

// ---- Batches of transposes ----------------------------------------------------------------------

struct batch_case {
    int m, n, lda, ldb, count;
    int64_t stride_a, stride_b;
    int misaligned;
    bool in_place;
};

static void run_batch(myblasHandle_t handle,
                      const struct batch_case* t,
                      struct operand* a,
                      struct operand* b,
                      struct counts* counts) {
    static unsigned turn = 0;
    const size_t size = sizeof(float);
    const size_t bytes_a =
        (size_t)(t->stride_a * (t->count - 1)) * size + matrix_bytes(t->m, t->n, t->lda, size);
    const size_t bytes_b =
        (size_t)(t->stride_b * (t->count - 1)) * size + matrix_bytes(t->n, t->m, t->ldb, size);
    unsigned char* host_a = operand_place(a, bytes_a, (size_t)t->misaligned * size);
    fill_random_bytes(host_a, bytes_a);
    operand_upload(a);
    struct operand* target = t->in_place ? a : b;
    unsigned char* host_b = host_a;
    if (!t->in_place) {
        host_b = operand_place(b, bytes_b, (size_t)t->misaligned * 3 % 4 * size);
        operand_upload(b);
    }
    // The memory around the matrices must not change.
    unsigned char* expected = malloc(bytes_b);
    assert_non_null(expected);
    memcpy(expected, host_b, bytes_b);
    for (int64_t k = 0; k < t->count; ++k) {
        for (int64_t j = 0; j < t->n; ++j) {
            for (int64_t i = 0; i < t->m; ++i)
                memcpy(element(expected, j + k * t->stride_b, i, t->ldb, 4),
                       element(host_a, i + k * t->stride_a, j, t->lda, 4),
                       size);
        }
    }
    const float* from = operand_device(a);
    float* to = operand_device(target);
    const myblasStatus_t status =
        ++turn % 2
            ? mytransposeStridedBatched(
                  handle, t->m, t->n, from, t->lda, t->stride_a, to, t->ldb, t->stride_b, t->count)
            : mytransposeStridedBatched_64(
                  handle, t->m, t->n, from, t->lda, t->stride_a, to, t->ldb, t->stride_b, t->count);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED) {
        operand_assert_unchanged(target);
        ++counts->declined;
    } else {
        assert_ok(status);
        if (memcmp(operand_download(target), expected, bytes_b) != 0)
            fail_msg("batch of %d, %d x %d, lda %d, ldb %d: wrong",
                     t->count,
                     t->m,
                     t->n,
                     t->lda,
                     t->ldb);
        ++counts->ran;
    }
    free(expected);
}

static struct counts run_batches(myblasHandle_t handle) {
    static const struct shape shapes[] = {{1, 1},
                                          {5, 7},
                                          {16, 16},
                                          {64, 64},
                                          {33, 65},
                                          {3, 300},
                                          {300, 3},
                                          {128, 32},
                                          {131, 131},
                                          {100, 100}};
    struct counts counts = {0, 0};
    struct operand a = operand_create(handle), b = operand_create(handle);
    for (size_t s = 0; s < COUNT_OF(shapes); ++s) {
        for (int variant = 0; variant < 8; ++variant) {
            if (left_out(4))
                continue;
            const int padding = variant & 1 ? 4 : 0, gap = variant & 2 ? 16 : variant & 1;
            struct batch_case t = {.m = shapes[s].m,
                                   .n = shapes[s].n,
                                   .lda = shapes[s].m + padding,
                                   .ldb = shapes[s].n + padding,
                                   .count = variant & 4 ? 5 : 2,
                                   .misaligned = variant % 3 == 1 ? (int)s % 4 : 0};
            t.stride_a = (int64_t)t.lda * t.n + gap;
            t.stride_b = (int64_t)t.ldb * t.m + gap;
            run_batch(handle, &t, &a, &b, &counts);
            struct batch_case shared = t;
            shared.stride_a = 0;
            run_batch(handle, &shared, &a, &b, &counts);
            if (t.m == t.n) {
                t.in_place = true;
                run_batch(handle, &t, &a, &b, &counts);
            }
        }
    }
    operand_destroy(&a);
    operand_destroy(&b);
    return counts;
}

static void test_batches(void** state) {
    myblasHandle_t handle = require_handle(state);
    random_seed(5);
    if (is_in_share(NULL))
        assert_int_equal(run_batches(handle).declined, 0);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_TRANSPOSE);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_TRANSPOSE, i);
        if (!kernel_fits_device(handle, &info) || is_copy(info.name))
            continue;
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_TRANSPOSE, info.name));
        const struct counts counts = run_batches(handle);
        print_message("  %s: %d calls, %d declined\n", info.name, counts.ran, counts.declined);
    }
}

// ---- geam ---------------------------------------------------------------------------------------

static const float scalars[] = {0, 1, -0.5f};

enum alias { apart, c_is_a, c_is_b };

struct geam_case {
    bool transa, transb;
    int m, n, lda, ldb, ldc, misaligned;
    float alpha, beta;
    bool integers;
    enum alias alias;
};

// Element (i, j) of op(X).
static double operand_at(const float* x, bool transposed, int64_t i, int64_t j, int64_t ld) {
    return transposed ? x[j + i * ld] : x[i + j * ld];
}

static void fill_floats(float* matrix, int rows, int cols, int ld, bool integers) {
    for (int64_t j = 0; j < cols; ++j) {
        for (int64_t i = 0; i < rows; ++i)
            matrix[i + j * ld] = integers ? random_integer() : random_float();
    }
}

static void run_geam(myblasHandle_t handle,
                     const char* forced,
                     const struct geam_case* g,
                     struct operand* a,
                     struct operand* b,
                     struct operand* c,
                     struct operand* scalar,
                     struct counts* counts) {
    static unsigned turn = 0;
    ++turn;
    const int rows_a = g->transa ? g->n : g->m, cols_a = g->transa ? g->m : g->n;
    const int rows_b = g->transb ? g->n : g->m, cols_b = g->transb ? g->m : g->n;
    const size_t misaligned = (size_t)g->misaligned;
    float* host_a = operand_place(
        a, matrix_bytes(rows_a, cols_a, g->lda, sizeof(float)), misaligned * sizeof(float));
    float* host_b = operand_place(
        b, matrix_bytes(rows_b, cols_b, g->ldb, sizeof(float)), misaligned * 2 % 4 * sizeof(float));
    // Elements that must not be read are NaN.
    if (g->alpha != 0)
        fill_floats(host_a, rows_a, cols_a, g->lda, g->integers);
    if (g->beta != 0)
        fill_floats(host_b, rows_b, cols_b, g->ldb, g->integers);
    operand_upload(a);
    operand_upload(b);
    struct operand* target = g->alias == c_is_a ? a : g->alias == c_is_b ? b : c;
    if (target == c) {
        operand_place(
            c, matrix_bytes(g->m, g->n, g->ldc, sizeof(float)), misaligned * 3 % 4 * sizeof(float));
        operand_upload(c);
    }

    myblasCall_t call = empty_call(MYBLAS_ROUTINE_GEAM);
    call.transa = g->transa ? MYBLAS_OP_T : MYBLAS_OP_N;
    call.transb = g->transb ? MYBLAS_OP_T : MYBLAS_OP_N;
    call.m = g->m;
    call.n = g->n;
    call.lda = g->lda;
    call.ldb = g->ldb;
    call.ldc = g->ldc;
    call.A = operand_device(a);
    call.B = operand_device(b);
    call.C = operand_device(target);
    const char* selected = NULL;
    const myblasStatus_t selection = myblasSelectKernel(handle, &call, &selected);

    const float *alpha = &g->alpha, *beta = &g->beta;
    const bool device_scalars = turn % 2;
    if (device_scalars) {
        float* host = operand_place(scalar, 2 * sizeof(float), 0);
        host[0] = g->alpha;
        host[1] = g->beta;
        operand_upload(scalar);
        alpha = operand_device(scalar);
        beta = alpha + 1;
    }
    assert_ok(myblasSetPointerMode(
        handle, device_scalars ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
    const myblasStatus_t status = turn % 3 ? mysgeam(handle,
                                                     call.transa,
                                                     call.transb,
                                                     g->m,
                                                     g->n,
                                                     alpha,
                                                     call.A,
                                                     g->lda,
                                                     beta,
                                                     call.B,
                                                     g->ldb,
                                                     operand_device(target),
                                                     g->ldc)
                                           : mysgeam_64(handle,
                                                        call.transa,
                                                        call.transb,
                                                        g->m,
                                                        g->n,
                                                        alpha,
                                                        call.A,
                                                        g->lda,
                                                        beta,
                                                        call.B,
                                                        g->ldb,
                                                        operand_device(target),
                                                        g->ldc);
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));
    if (forced && status == MYBLAS_STATUS_NOT_SUPPORTED) {
        assert_int_equal(selection, MYBLAS_STATUS_NOT_SUPPORTED);
        operand_assert_unchanged(target);
        ++counts->declined;
        return;
    }
    assert_ok(status);
    assert_ok(selection);
    if (g->alpha != 0 || g->beta != 0)
        assert_last_kernel(handle, MYBLAS_ROUTINE_GEAM, selected);

    const float* found = operand_download(target);
    for (int64_t j = 0; j < g->n; ++j) {
        for (int64_t i = 0; i < g->m; ++i) {
            const double term_a =
                g->alpha == 0 ? 0 : g->alpha * operand_at(host_a, g->transa, i, j, g->lda);
            const double term_b =
                g->beta == 0 ? 0 : g->beta * operand_at(host_b, g->transb, i, j, g->ldb);
            const double bound =
                g->integers ? 0 : 2 * UNIT_ROUNDOFF * (fabs(term_a) + fabs(term_b));
            const double value = found[i + j * g->ldc];
            if (!(fabs(value - (term_a + term_b)) <= bound))
                fail_msg("%s: C(%lld, %lld) of %d x %d is %.9g, not %.9g",
                         selected,
                         (long long)i,
                         (long long)j,
                         g->m,
                         g->n,
                         value,
                         term_a + term_b);
        }
    }
    operand_assert_padding(target, g->m, g->n, g->ldc, sizeof(float));
    if (target != a)
        operand_assert_unchanged(a);
    if (target != b)
        operand_assert_unchanged(b);
    ++counts->ran;
}

static struct counts
run_geams(myblasHandle_t handle, const char* forced, const myblasKernelInfo_t* info) {
    static const int paddings[] = {0, 3, 16};
    struct counts counts = {0, 0};
    struct operand a = operand_create(handle), b = operand_create(handle),
                   c = operand_create(handle), scalar = operand_create(handle);
    struct shape shapes[max_shapes];
    const int shape_count = make_shapes(info, shapes);
    for (int s = 0; s < shape_count; ++s) {
        for (unsigned form = 0; form < 4; ++form) {
            for (unsigned pair = 0; pair < 9; ++pair) {
                const int padding = paddings[(s + (int)form) % 3];
                struct geam_case g = {
                    .transa = form & 2,
                    .transb = form & 1,
                    .m = shapes[s].m,
                    .n = shapes[s].n,
                    .misaligned = (int)(pair + form) % 4,
                    .alpha = scalars[pair % 3],
                    .beta = scalars[pair / 3],
                };
                g.lda = (g.transa ? g.n : g.m) + padding;
                g.ldb = (g.transb ? g.n : g.m) + (padding ? 8 : 0);
                g.ldc = g.m + padding;
                for (int integers = 0; integers < 2; ++integers) {
                    if (left_out(6))
                        continue;
                    g.integers = integers;
                    g.alias = apart;
                    run_geam(handle, forced, &g, &a, &b, &c, &scalar, &counts);
                    if (!g.transa) {
                        g.alias = c_is_a;
                        run_geam(handle, forced, &g, &a, &b, &c, &scalar, &counts);
                    }
                    if (!g.transb) {
                        struct geam_case onto_b = g;
                        onto_b.alias = c_is_b;
                        onto_b.ldc = onto_b.ldb;
                        run_geam(handle, forced, &onto_b, &a, &b, &c, &scalar, &counts);
                    }
                }
            }
        }
    }
    operand_destroy(&a);
    operand_destroy(&b);
    operand_destroy(&c);
    operand_destroy(&scalar);
    return counts;
}

static void test_every_geam(void** state) {
    myblasHandle_t handle = require_handle(state);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_GEAM);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_GEAM, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        random_seed((uint64_t)i + 1);
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_GEAM, info.name));
        const struct counts counts = run_geams(handle, info.name, &info);
        print_message("  %s: %d calls, %d declined\n", info.name, counts.ran, counts.declined);
        assert_true(counts.ran > (reduced() ? 10 : 100));
    }
}

static void test_geam_selection(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    const myblasKernelInfo_t generic = {.block_m = 64, .block_n = 32};
    random_seed(99);
    const struct counts counts = run_geams(handle, NULL, &generic);
    assert_int_equal(counts.declined, 0);
    assert_true(counts.ran > (reduced() ? 10 : 100));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_transpose),
        cmocka_unit_test(test_transpose_selection),
        cmocka_unit_test(test_in_place_workspaces),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_every_geam),
        cmocka_unit_test(test_geam_selection),
    };
    return RUN_ON_BACKENDS("transpose", tests);
}
