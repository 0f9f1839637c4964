// mysgemm and its batched forms: every kernel on shapes that straddle its tile.
#include "support.h"

#include <math.h>

static const float scalars[] = {0, 1, -0.5f};

// ---- Shapes -------------------------------------------------------------------------------------

struct shape {
    int m, n, k;
};

enum { max_shapes = 64, max_tile = 160 };

// 1, t - 1, t, t + 1 and a prime of more than two tiles.
static void straddle(int tile, int sizes[5]) {
    static const int primes[] = {19, 37, 67, 131, 197, 263, 331};
    // Larger tiles are straddled by straddle_large, one dimension at a time.
    if (tile < 2 || tile > max_tile)
        tile = 32;
    size_t p = 0;
    while (p + 1 < COUNT_OF(primes) && primes[p] <= 2 * tile)
        ++p;
    const int values[5] = {1, tile - 1, tile, tile + 1, primes[p]};
    memcpy(sizes, values, sizeof values);
}

static void straddle_large(struct shape* shapes, int* count, int tile, int dimension) {
    if (tile <= max_tile)
        return;
    for (int size = tile - 1; size <= tile + 1; ++size) {
        const struct shape shape = {
            dimension == 0 ? size : 7, dimension == 1 ? size : 5, dimension == 2 ? size : 11};
        shapes[(*count)++] = shape;
    }
}

// Each m with each n. k takes its sizes in turn, so that every m and every n also meets every k.
static int make_shapes(const myblasKernelInfo_t* info, struct shape shapes[max_shapes]) {
    int m[5], n[5], k[5], count = 0;
    straddle(info->block_m, m);
    straddle(info->block_n, n);
    straddle(info->block_k, k);
    // In reduced mode, 1 and t + 1; in minimal mode, t + 1.
    const int step = reduced() ? 3 : 1, first = minimal() ? 3 : 0;
    for (int i = first; i < 5; i += step) {
        for (int j = first; j < 5; j += step)
            shapes[count++] = (struct shape){m[i], n[j], k[(i + 2 * j) % 5]};
    }
    if (!reduced()) {
        straddle_large(shapes, &count, info->block_m, 0);
        straddle_large(shapes, &count, info->block_n, 1);
        straddle_large(shapes, &count, info->block_k, 2);
    }
    // More slabs of k than stages; thin and long products; tiles of many slabs, which blocks share;
    // k = 0.
    const int slab = info->block_k > 0 && info->block_k <= max_tile ? info->block_k : 16;
    const struct shape others[] = {
        {33, 17, slab * (info->stages + 2) + 1},
        {3, 5, reduced() ? 131 : 4099},
        {64, 64, reduced() ? 131 : 2048},
        {131,
         67,
         minimal()   ? 131
         : reduced() ? 515
                     : 2053},
        {reduced() ? 131 : 2051, 3, 5},
        {5, reduced() ? 131 : 2051, 3},
        {9, 6, 0},
    };
    memcpy(shapes + count, others, sizeof others);
    return count + (int)COUNT_OF(others);
}

// ---- Data and references ------------------------------------------------------------------------

// op(A), op(B) and C as dense column-major matrices, and in double precision AB and |A||B|. One
// product serves all transpositions, leading dimensions and scalars.
struct product {
    struct shape shape;
    bool integers;
    float *a, *b, *c;
    double *ab, *magnitude;
};

static void* allocate(size_t count, size_t size) {
    void* memory = calloc(count ? count : 1, size);
    assert_non_null(memory);
    return memory;
}

static float* random_matrix(size_t count, bool integers) {
    float* x = allocate(count, sizeof *x);
    for (size_t i = 0; i < count; ++i)
        x[i] = integers ? random_integer() : random_float();
    return x;
}

static struct product product_create(struct shape shape, bool integers) {
    const size_t m = (size_t)shape.m, n = (size_t)shape.n, k = (size_t)shape.k;
    struct product p = {.shape = shape, .integers = integers};
    p.a = random_matrix(m * k, integers);
    p.b = random_matrix(k * n, integers);
    p.c = random_matrix(m * n, integers);
    p.ab = allocate(m * n, sizeof *p.ab);
    p.magnitude = allocate(m * n, sizeof *p.magnitude);
    for (size_t j = 0; j < n; ++j) {
        for (size_t l = 0; l < k; ++l) {
            const double b = p.b[l + j * k];
            const float* a = p.a + l * m;
            double *ab = p.ab + j * m, *magnitude = p.magnitude + j * m;
            for (size_t i = 0; i < m; ++i) {
                const double term = a[i] * b;
                ab[i] += term;
                magnitude[i] += fabs(term);
            }
        }
    }
    return p;
}

static void product_destroy(struct product* p) {
    free(p->a);
    free(p->b);
    free(p->c);
    free(p->ab);
    free(p->magnitude);
}

// Writes a dense rows x cols matrix, transposed if asked, with a leading dimension.
static void
lay_out(float* to, int64_t ld, const float* from, int64_t rows, int64_t cols, bool transposed) {
    for (int64_t j = 0; j < cols; ++j) {
        for (int64_t i = 0; i < rows; ++i)
            to[transposed ? j + i * ld : i + j * ld] = from[i + j * rows];
    }
}

// The error that a mode may have (the bound of myblas.h), in units of roundoff times |A||B|. The
// losses of limbs, and of tensor cores inside a chunk of k, do not grow with k.
static double error_units(myblasMath_t math, int k) {
    return (math == MYBLAS_FP32_STRICT_MATH || k > 64 ? k : 64) + 4;
}

static void assert_result(const struct product* p,
                          myblasMath_t math,
                          double alpha,
                          double beta,
                          const float* c,
                          int64_t ldc) {
    const struct shape s = p->shape;
    for (int64_t j = 0; j < s.n; ++j) {
        for (int64_t i = 0; i < s.m; ++i) {
            const size_t at = (size_t)(i + j * s.m);
            const double c0 = beta == 0 ? 0 : beta * p->c[at];
            const double expected = alpha * p->ab[at] + c0;
            const double found = c[i + j * ldc];
            const double bound = p->integers
                                     ? 0
                                     : error_units(math, s.k) * UNIT_ROUNDOFF *
                                               (fabs(alpha) * p->magnitude[at] + fabs(c0)) +
                                           (1 + fabs(alpha)) * (s.k + 3) * SMALLEST_SUBNORMAL;
            if (!(fabs(found - expected) <= bound))
                fail_msg("C(%lld, %lld) of %d x %d x %d is %.9g, not %.9g; bound %.3g",
                         (long long)i,
                         (long long)j,
                         s.m,
                         s.n,
                         s.k,
                         found,
                         expected,
                         bound);
        }
    }
}

// ---- One kernel on its matrix of calls ----------------------------------------------------------

struct operands {
    struct operand a, b, c, nan_a, nan_b, scalar, workspace;
};

static struct operands operands_create(myblasHandle_t handle) {
    const struct operand empty = operand_create(handle);
    return (struct operands){empty, empty, empty, empty, empty, empty, empty};
}

static void operands_destroy(struct operands* o) {
    operand_destroy(&o->a);
    operand_destroy(&o->b);
    operand_destroy(&o->c);
    operand_destroy(&o->nan_a);
    operand_destroy(&o->nan_b);
    operand_destroy(&o->scalar);
    operand_destroy(&o->workspace);
}

// How the operands lie in memory.
struct layout {
    int padding;    // added to the leading dimensions
    int multiple;   // that these are then rounded up to
    int misaligned; // elements past a multiple of 16 bytes: A by this, B and C by others
};

static const struct layout layouts[] = {{0, 1, 0}, {4, 4, 0}, {3, 1, 1}, {0, 1, 2}, {5, 1, 3}};

static int64_t leading_dimension(int64_t rows, struct layout layout) {
    const int64_t least = (rows > 1 ? rows : 1) + layout.padding;
    return (least + layout.multiple - 1) / layout.multiple * layout.multiple;
}

struct counts {
    int ran, declined;
};

static void place_scalars(struct operand* o, float alpha, float beta) {
    float* host = operand_place(o, 2 * sizeof(float), 0);
    host[0] = alpha;
    host[1] = beta;
    operand_upload(o);
}

static void place_inputs(struct operands* o,
                         const struct product* p,
                         struct layout layout,
                         bool transa,
                         bool transb,
                         myblasCall_t* call) {
    const struct shape s = p->shape;
    const int64_t rows_a = transa ? s.k : s.m, cols_a = transa ? s.m : s.k;
    const int64_t rows_b = transb ? s.n : s.k, cols_b = transb ? s.k : s.n;
    call->transa = transa ? MYBLAS_OP_T : MYBLAS_OP_N;
    call->transb = transb ? MYBLAS_OP_T : MYBLAS_OP_N;
    call->m = s.m;
    call->n = s.n;
    call->k = s.k;
    call->lda = leading_dimension(rows_a, layout);
    call->ldb = leading_dimension(rows_b, layout);
    call->ldc = leading_dimension(s.m, layout);

    const size_t misaligned_a = (size_t)layout.misaligned * sizeof(float);
    const size_t misaligned_b = (size_t)(layout.misaligned * 2 % 4) * sizeof(float);
    const size_t bytes_a = matrix_bytes(rows_a, cols_a, call->lda, sizeof(float));
    const size_t bytes_b = matrix_bytes(rows_b, cols_b, call->ldb, sizeof(float));
    lay_out(operand_place(&o->a, bytes_a, misaligned_a), call->lda, p->a, s.m, s.k, transa);
    lay_out(operand_place(&o->b, bytes_b, misaligned_b), call->ldb, p->b, s.k, s.n, transb);
    operand_place(&o->nan_a, bytes_a, misaligned_a);
    operand_place(&o->nan_b, bytes_b, misaligned_b);
    operand_upload(&o->a);
    operand_upload(&o->b);
    operand_upload(&o->nan_a);
    operand_upload(&o->nan_b);
}

// One call in one of the two pointer modes and integer widths, which alternate.
static void run_call(myblasHandle_t handle,
                     const char* forced,
                     struct operands* o,
                     const struct product* p,
                     struct layout layout,
                     myblasCall_t call,
                     float alpha,
                     float beta,
                     struct counts* counts) {
    static unsigned turn = 0;
    ++turn;
    const struct shape s = p->shape;
    float* c = operand_place(&o->c,
                             matrix_bytes(s.m, s.n, call.ldc, sizeof(float)),
                             (size_t)(layout.misaligned * 3 % 4) * sizeof(float));
    if (beta != 0)
        lay_out(c, call.ldc, p->c, s.m, s.n, false);
    operand_upload(&o->c);
    // What must not be read is NaN.
    const float* a = operand_device(alpha == 0 ? &o->nan_a : &o->a);
    const float* b = operand_device(alpha == 0 ? &o->nan_b : &o->b);
    call.A = a;
    call.B = b;
    call.C = operand_device(&o->c);

    const bool device_scalars = turn % 2;
    call.reads_C = device_scalars ? 2 : beta == 0 ? 0 : beta == 1 ? 1 : 2;
    const bool has_workspace = lend_poisoned_workspace(handle, &call, &o->workspace);
    const float *alpha_at = &alpha, *beta_at = &beta;
    if (device_scalars) {
        place_scalars(&o->scalar, alpha, beta);
        alpha_at = operand_device(&o->scalar);
        beta_at = alpha_at + 1;
    }
    assert_ok(myblasSetPointerMode(
        handle, device_scalars ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
    const char* selected = NULL;
    const myblasStatus_t selection = myblasSelectKernel(handle, &call, &selected);
    const myblasStatus_t status =
        turn % 3 ? mysgemm(handle,
                           call.transa,
                           call.transb,
                           s.m,
                           s.n,
                           s.k,
                           alpha_at,
                           a,
                           (int)call.lda,
                           b,
                           (int)call.ldb,
                           beta_at,
                           operand_device(&o->c),
                           (int)call.ldc)
                 : mysgemm_64(handle,
                              call.transa == MYBLAS_OP_T && turn % 2 ? MYBLAS_OP_C : call.transa,
                              call.transb == MYBLAS_OP_T && turn % 2 ? MYBLAS_OP_C : call.transb,
                              s.m,
                              s.n,
                              s.k,
                              alpha_at,
                              a,
                              call.lda,
                              b,
                              call.ldb,
                              beta_at,
                              operand_device(&o->c),
                              call.ldc);
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));

    if (forced && status == MYBLAS_STATUS_NOT_SUPPORTED) {
        assert_int_equal(selection, MYBLAS_STATUS_NOT_SUPPORTED);
        operand_assert_unchanged(&o->c);
        ++counts->declined;
        return;
    }
    assert_ok(status);
    if (selection != MYBLAS_STATUS_SUCCESS) {
        // A call with nothing to do succeeds before a kernel is chosen. myblasSelectKernel does not
        // get the values of scalars. The call knows them, unless a GPU's memory has them.
        const bool are_known = !device_scalars || backend_of(handle) == MYBLAS_BACKEND_HOST;
        assert_int_equal(selection, MYBLAS_STATUS_NOT_SUPPORTED);
        assert_true(forced && are_known && (alpha == 0 || s.k == 0) && beta == 1);
        operand_assert_unchanged(&o->c);
        return;
    }
    if (forced && !is_one_of(selected, forced))
        fail_msg("%s is taken where %s is forced", selected, forced);
    if (alpha != 0 && s.k > 0)
        assert_last_kernel(handle, MYBLAS_ROUTINE_SGEMM, selected);
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH;
    assert_ok(myblasGetMathMode(handle, &math));
    assert_result(p, math, alpha, beta, operand_download(&o->c), call.ldc);
    operand_assert_padding(&o->c, s.m, s.n, call.ldc, sizeof(float));
    if (has_workspace)
        operand_download(&o->workspace);
    ++counts->ran;
}

// Whether it is a kernel of a family; the others have code for each form alone.
static bool is_variant(const char* forced) { return forced && strchr(forced, '/'); }

// In minimal mode, the products of a kernel, which are eight, together have each form with aligned
// and with misaligned operands; for kernels of a family with each beta.
static bool
is_minimal(const char* forced, size_t turn, int form, size_t layout, size_t alpha, size_t beta) {
    enum { aligned = 1, misaligned = 3 };
    const size_t way = (size_t)form + (layout == misaligned ? 4 : 0);
    if ((layout != aligned && layout != misaligned) || alpha != 1 + way % 2)
        return false;
    if (is_variant(forced))
        return (way + 8 * beta) / 3 == turn % 8;
    return way == turn % 8 && beta == turn % 3;
}

// Every transposition and pair of scalars on one product, with half of the layouts. The next
// product has the other half.
static void run_product(myblasHandle_t handle,
                        const char* forced,
                        struct operands* o,
                        const struct product* p,
                        size_t turn,
                        struct counts* counts) {
    for (int form = 0; form < 4; ++form) {
        for (size_t l = 0; l < COUNT_OF(layouts); ++l) {
            if (!minimal() && (l + (size_t)form + turn) % 2 != 0)
                continue;
            myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
            place_inputs(o, p, layouts[l], form & 2, form & 1, &call);
            for (size_t i = 0; i < COUNT_OF(scalars); ++i) {
                for (size_t j = 0; j < COUNT_OF(scalars); ++j) {
                    if (minimal() ? !is_minimal(forced, turn, form, l, i, j) : left_out(36))
                        continue;
                    run_call(
                        handle, forced, o, p, layouts[l], call, scalars[i], scalars[j], counts);
                }
            }
            operand_assert_unchanged(&o->a);
            operand_assert_unchanged(&o->b);
        }
    }
}

static struct counts
run_kernel(myblasHandle_t handle, const char* forced, const myblasKernelInfo_t* info) {
    struct counts counts = {0, 0};
    struct operands operands = operands_create(handle);
    struct shape shapes[max_shapes];
    const int shape_count = make_shapes(info, shapes);
    assert_true(shape_count <= max_shapes);
    for (int s = 0; s < shape_count; ++s) {
        for (int integers = 1; integers >= (reduced() ? 1 : 0); --integers) {
            struct product product = product_create(shapes[s], integers);
            run_product(handle, forced, &operands, &product, (size_t)(s + integers), &counts);
            product_destroy(&product);
        }
    }
    operands_destroy(&operands);
    return counts;
}

// Whether the kernel packs its operands as limbs, in a workspace.
static bool packs_limbs(const myblasKernelInfo_t* info) {
    return is_one_of(info->name, "bf16x6 fp16x3");
}

// Whether the forced kernel takes any call. Only OpenBLAS may be missing.
static bool is_installed(myblasHandle_t handle, const myblasKernelInfo_t* info) {
    myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
    call.n = call.lda = call.ldb = call.ldc = 64;
    call.m = call.k = 8; // also for kernels of thin outputs, and of a short k
    size_t workspace_bytes = 0;
    const myblasStatus_t status = myblasGetWorkspaceSize(handle, &call, &workspace_bytes);
    const bool is_openblas =
        backend_of(handle) == MYBLAS_BACKEND_HOST && strcmp(info->name, "openblas") == 0;
    if (is_openblas && getenv("MYBLAS_TEST_WITHOUT_OPENBLAS"))
        assert_int_equal(status, MYBLAS_STATUS_NOT_SUPPORTED);
    if (is_openblas && status == MYBLAS_STATUS_NOT_SUPPORTED)
        return false;
    assert_ok(status);
    return true;
}

static void
force_in_mode(myblasHandle_t handle, const myblasKernelInfo_t* info, myblasMath_t math) {
    assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, info->name));
    assert_ok(myblasSetMathMode(handle, math));
}

// Forces a kernel, in the strictest mode that allows it.
static void force(myblasHandle_t handle, const myblasKernelInfo_t* info) {
    force_in_mode(handle, info, info->math_mode);
}

// The weakest mode in which the kernel computes differently from stricter modes.
static myblasMath_t weakest_mode(const myblasKernelInfo_t* info) {
    return is_one_of(info->name, "fp16x3") ? MYBLAS_FP32_FAST_MATH : info->math_mode;
}

static void test_every_kernel(void** state) {
    myblasHandle_t handle = require_handle(state);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_SGEMM);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        for (myblasMath_t math = info.math_mode; math <= weakest_mode(&info); ++math) {
            random_seed((uint64_t)i + 1);
            force_in_mode(handle, &info, math);
            if (!is_installed(handle, &info))
                continue;
            const struct counts counts = run_kernel(handle, info.name, &info);
            print_message("  %s: %d calls, %d declined\n", info.name, counts.ran, counts.declined);
            if (counts.ran < (reduced() ? 1 : 100))
                fail_msg("%s took %d calls only", info.name, counts.ran);
        }
    }
}

// The name of a family forces any of its variants that accepts, and none in modes that promise
// more.
static void test_families(void** state) {
    static const struct shape small = {8, 64, 64}; // that each of them takes
    myblasHandle_t handle = require_handle(state);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_SGEMM);
    char family[64] = "";
    for (int i = 0; i < count; ++i) {
        myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        const size_t length = strcspn(info.name, "/");
        if (!info.name[length] || !kernel_fits_device(handle, &info) ||
            (*family && is_one_of(info.name, family)))
            continue;
        snprintf(family, sizeof family, "%.*s", (int)length, info.name);
        info.name = family;
        random_seed((uint64_t)i + 1);
        struct operands operands = operands_create(handle);
        for (int integers = 0; integers <= 1; ++integers) {
            struct product product = product_create(small, integers);
            struct counts counts = {0, 0};
            force(handle, &info);
            run_product(handle, family, &operands, &product, (size_t)integers, &counts);
            assert_true(counts.ran > 0 || reduced());
            if (info.math_mode != MYBLAS_FP32_STRICT_MATH) {
                counts.ran = 0;
                assert_ok(myblasSetMathMode(handle, MYBLAS_FP32_STRICT_MATH));
                run_product(handle, family, &operands, &product, (size_t)integers, &counts);
                assert_int_equal(counts.ran, 0);
                assert_true(counts.declined > 0 || reduced());
            }
            product_destroy(&product);
        }
        operands_destroy(&operands);
    }
}

// Tiles that 3 or 4 blocks share: as clusters, or by sums in the workspace if not all clusters
// would run at the same time. On 132 multiprocessors, up to 39 tiles and 40 to 44, up to 30 and 31
// to 33, with 128 and 256 rows.
static void test_shared_tiles(void** state) {
    static const struct shape shapes[] = {{1249, 390, 400},
                                          {1279, 509, 400},
                                          {1009, 384, 515},
                                          {1024, 509, 515},
                                          {2500, 509, 388},
                                          {2012, 500, 516}};
    myblasHandle_t handle = require_handle(state);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_SGEMM);
    for (int i = 0; i < count && !reduced(); ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        if (!packs_limbs(&info) || !kernel_fits_device(handle, &info))
            continue;
        random_seed((uint64_t)i + 1);
        force(handle, &info);
        struct operands operands = operands_create(handle);
        struct counts counts = {0, 0};
        for (size_t s = 0; s < COUNT_OF(shapes); ++s) {
            struct product product = product_create(shapes[s], s % 2);
            for (size_t l = 0; l < 3; ++l) {
                myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
                place_inputs(&operands, &product, layouts[l], (s + l) & 2, (s + l) & 1, &call);
                run_call(
                    handle, info.name, &operands, &product, layouts[l], call, 1.5f, -0.5f, &counts);
            }
            product_destroy(&product);
        }
        assert_int_equal(counts.ran, 3 * COUNT_OF(shapes));
        operands_destroy(&operands);
    }
}

// A kernel on shapes that run_kernel() does not have: all forms, aligned or not, three betas.
static void
check_shapes(myblasHandle_t handle, const char* name, const struct shape shapes[], size_t count) {
    static const float betas[] = {0, 1, -0.5f};
    if (reduced() || !is_wanted(name) ||
        myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, name) != MYBLAS_STATUS_SUCCESS)
        skip(); // the host backend does not have it
    struct operands operands = operands_create(handle);
    struct counts counts = {0, 0};
    for (size_t s = 0; s < count; ++s) {
        random_seed(s + 1);
        struct product product = product_create(shapes[s], s % 2);
        for (size_t form = 0; form < 4; ++form) {
            for (size_t turn = 0; turn < 2 * COUNT_OF(betas); ++turn) {
                const size_t layout = turn % 2 ? 3 : 1; // misaligned, aligned
                myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
                place_inputs(&operands, &product, layouts[layout], form & 2, form & 1, &call);
                run_call(handle,
                         name,
                         &operands,
                         &product,
                         layouts[layout],
                         call,
                         1.5f,
                         betas[turn / 2],
                         &counts);
            }
        }
        product_destroy(&product);
    }
    assert_int_equal(counts.ran, 8 * COUNT_OF(betas) * count);
    operands_destroy(&operands);
}

// group_tile has tiles of four shapes. With 132 multiprocessors, these products take the three
// shapes that smaller products do not take.
static void test_tile_shapes(void** state) {
    static const struct shape shapes[] = {
        {1003, 901, 2999}, {601, 503, 403}, {1279, 509, 403}, {4001, 603, 301}, {2012, 500, 516}};
    check_shapes(require_handle(state), "group_tile/64x32", shapes, COUNT_OF(shapes));
}

// Many blocks and several slabs.
static void test_tall_products(void** state) {
    static const struct shape shapes[] = {
        {66001, 7, 33}, {4, 66004, 96}, {66000, 16, 8}, {11, 66003, 61}};
    check_shapes(require_handle(state), "tall_skinny", shapes, COUNT_OF(shapes));
}

// The selection itself serves every call, in every mode.
static void test_selection(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    const myblasKernelInfo_t generic = {.block_m = 128, .block_n = 64, .block_k = 8, .stages = 2};
    for (int math = MYBLAS_FP32_STRICT_MATH; math <= MYBLAS_FP32_FAST_MATH; ++math) {
        assert_ok(myblasSetMathMode(handle, (myblasMath_t)math));
        random_seed(99);
        const struct counts counts = run_kernel(handle, NULL, &generic);
        assert_int_equal(counts.declined, 0);
        assert_true(counts.ran > (minimal() ? 0 : reduced() ? 10 : 100));
    }
}

// ---- Batches ------------------------------------------------------------------------------------

enum { batch_count = 3 };

// Strided: operand i begins i * stride after the base; with stride 0 all products share it. If
// interleaved, column j of each A follows column j of the A before, and so for B.
struct batch {
    struct shape shape;
    bool transa, transb, share_a, share_b, pointers, wide, interleaved;
    int64_t lda, ldb, ldc, stride_a, stride_b, stride_c;
};

static myblasStatus_t call_batch(myblasHandle_t handle,
                                 const struct batch* batch,
                                 const float* alpha,
                                 const float* a,
                                 const float* b,
                                 const float* beta,
                                 float* c,
                                 const struct operand* arrays) {
    const myblasOperation_t transa = batch->transa ? MYBLAS_OP_T : MYBLAS_OP_N;
    const myblasOperation_t transb = batch->transb ? MYBLAS_OP_T : MYBLAS_OP_N;
    const int lda = (int)batch->lda, ldb = (int)batch->ldb, ldc = (int)batch->ldc;
    const int m = batch->shape.m, n = batch->shape.n, k = batch->shape.k;
    // clang-format off
    if (batch->pointers) {
        const float** a_array = operand_device(arrays);
        const float** b_array = a_array + batch_count;
        float** c_array = (float**)(b_array + batch_count);
        return batch->wide
                   ? mysgemmBatched_64(handle, transa, transb, m, n, k, alpha,
                                       a_array, lda, b_array, ldb, beta, c_array, ldc, batch_count)
                   : mysgemmBatched(handle, transa, transb, m, n, k, alpha,
                                    a_array, lda, b_array, ldb, beta, c_array, ldc, batch_count);
    }
    return batch->wide
               ? mysgemmStridedBatched_64(handle, transa, transb, m, n, k, alpha,
                                          a, lda, batch->stride_a, b, ldb, batch->stride_b, beta,
                                          c, ldc, batch->stride_c, batch_count)
               : mysgemmStridedBatched(handle, transa, transb, m, n, k, alpha,
                                       a, lda, batch->stride_a, b, ldb, batch->stride_b, beta,
                                       c, ldc, batch->stride_c, batch_count);
    // clang-format on
}

static void place_arrays(
    struct operand* arrays, const struct batch* batch, const float* a, const float* b, float* c) {
    const float** host = operand_place(arrays, 3 * batch_count * sizeof(void*), 0);
    for (int i = 0; i < batch_count; ++i) {
        host[i] = a + i * batch->stride_a;
        host[batch_count + i] = b + i * batch->stride_b;
        host[2 * batch_count + i] = c + i * batch->stride_c;
    }
    operand_upload(arrays);
}

static bool takes_batches(const myblasKernelInfo_t* info) {
    return !is_one_of(info->name, "stream_k/128x32_splits tall_skinny thin/panel tiny");
}

// Whether a kernel has to take the batch. One that needs aligned operands declines arrays of
// pointers, whose alignment the host cannot see.
static bool
is_acceptable(const myblasKernelInfo_t* info, const struct batch* batch, int misaligned) {
    if (!takes_batches(info))
        return false;
    const int64_t elements = info->alignment_bytes / (int64_t)sizeof(float);
    return elements == 1 || (!batch->pointers && misaligned % elements == 0 &&
                             batch->lda % elements == 0 && batch->stride_a % elements == 0 &&
                             batch->ldb % elements == 0 && batch->stride_b % elements == 0);
}

// Returns whether the forced kernel took the batch. The selection (NULL) must take it.
static bool run_batch(myblasHandle_t handle,
                      const myblasKernelInfo_t* forced,
                      struct batch batch,
                      bool device_scalars,
                      struct layout layout,
                      float alpha,
                      float beta) {
    struct operands o = operands_create(handle);
    struct operand arrays = operand_create(handle);
    const int m = batch.shape.m, n = batch.shape.n, k = batch.shape.k;
    struct product products[batch_count];
    for (int i = 0; i < batch_count; ++i)
        products[i] = product_create(batch.shape, true);

    const int64_t rows_a = batch.transa ? k : m, cols_a = batch.transa ? m : k;
    const int64_t rows_b = batch.transb ? n : k, cols_b = batch.transb ? k : n;
    batch.lda = leading_dimension(rows_a, layout);
    batch.ldb = leading_dimension(rows_b, layout);
    batch.ldc = leading_dimension(m, layout);
    batch.stride_a = batch.lda * cols_a + 4 * layout.padding;
    batch.stride_b = batch.ldb * cols_b + layout.padding;
    if (batch.interleaved) {
        batch.stride_a = batch.lda, batch.stride_b = batch.ldb;
        batch.lda *= batch_count, batch.ldb *= batch_count;
    }
    batch.stride_a *= !batch.share_a, batch.stride_b *= !batch.share_b;
    batch.stride_c = batch.ldc * n + 4 * layout.padding;

    const size_t last = batch_count - 1, element = sizeof(float);
    float* a = operand_place(&o.a,
                             element * last * (size_t)batch.stride_a +
                                 matrix_bytes(rows_a, cols_a, batch.lda, element),
                             element * (size_t)layout.misaligned);
    float* b = operand_place(&o.b,
                             element * last * (size_t)batch.stride_b +
                                 matrix_bytes(rows_b, cols_b, batch.ldb, element),
                             0);
    float* c = operand_place(&o.c,
                             element * last * (size_t)batch.stride_c +
                                 matrix_bytes(m, n, batch.ldc, element),
                             element * (size_t)layout.misaligned);
    for (int i = 0; i < batch_count; ++i) {
        const struct product* p = &products[i];
        lay_out(a + i * batch.stride_a, batch.lda, p->a, m, k, batch.transa);
        lay_out(b + i * batch.stride_b, batch.ldb, p->b, k, n, batch.transb);
        if (beta != 0)
            lay_out(c + i * batch.stride_c, batch.ldc, p->c, m, n, false);
    }
    operand_upload(&o.a);
    operand_upload(&o.b);
    operand_upload(&o.c);
    place_arrays(&arrays, &batch, operand_device(&o.a), operand_device(&o.b), operand_device(&o.c));
    place_scalars(&o.scalar, alpha, beta);
    const float* device_alpha = operand_device(&o.scalar);

    // The described batch is strided, but has the workspace that one with pointers needs.
    myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
    call.transa = batch.transa ? MYBLAS_OP_T : MYBLAS_OP_N;
    call.transb = batch.transb ? MYBLAS_OP_T : MYBLAS_OP_N;
    call.m = m;
    call.n = n;
    call.k = k;
    call.A = operand_device(&o.a);
    call.B = operand_device(&o.b);
    call.C = operand_device(&o.c);
    call.lda = batch.lda;
    call.ldb = batch.ldb;
    call.ldc = batch.ldc;
    call.batch_count = batch_count;
    call.reads_C = device_scalars ? 2 : beta == 0 ? 0 : beta == 1 ? 1 : 2;
    call.shared = batch.pointers ? 0 : batch.share_a + 2 * batch.share_b;
    const bool has_workspace = lend_poisoned_workspace(handle, &call, &o.workspace);
    const char* selected = NULL;
    const myblasStatus_t selection = myblasSelectKernel(handle, &call, &selected);

    assert_ok(myblasSetPointerMode(
        handle, device_scalars ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
    const myblasStatus_t status = call_batch(handle,
                                             &batch,
                                             device_scalars ? device_alpha : &alpha,
                                             operand_device(&o.a),
                                             operand_device(&o.b),
                                             device_scalars ? device_alpha + 1 : &beta,
                                             operand_device(&o.c),
                                             &arrays);
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));
    const bool is_taken = !forced || is_acceptable(forced, &batch, layout.misaligned);
    if (!batch.pointers)
        assert_int_equal(selection, is_taken ? MYBLAS_STATUS_SUCCESS : MYBLAS_STATUS_NOT_SUPPORTED);
    if (!is_taken) {
        assert_int_equal(status, MYBLAS_STATUS_NOT_SUPPORTED);
        operand_assert_unchanged(&o.c);
    } else {
        if (status != MYBLAS_STATUS_SUCCESS)
            fail_msg("%s answers %s to a batch of %s",
                     forced ? forced->name : "the selection",
                     myblasGetStatusName(status),
                     batch.pointers ? "pointers" : "strided matrices");
        if (has_workspace)
            operand_download(&o.workspace);
        float* found = operand_download(&o.c);
        for (int i = 0; i < batch_count; ++i) {
            // A shared A or B is where the last product's was written.
            const float* pa = products[batch.share_a ? batch_count - 1 : i].a;
            const float* pb = products[batch.share_b ? batch_count - 1 : i].b;
            for (int64_t col = 0; col < n; ++col) {
                for (int64_t row = 0; row < m; ++row) {
                    double expected = beta == 0 ? 0 : (double)beta * products[i].c[row + col * m];
                    for (int64_t l = 0; l < k; ++l)
                        expected += (double)alpha * pa[row + l * m] * pb[l + col * k];
                    const int64_t at = i * batch.stride_c + row + col * batch.ldc;
                    if (found[at] != expected)
                        fail_msg("C_%d(%d, %d) is wrong", i, (int)row, (int)col);
                    found[at] = c[at];
                }
            }
        }
        // The memory around the matrices is unchanged.
        assert_memory_equal(found, c, o.c.bytes);
        operand_assert_unchanged(&o.a);
        operand_assert_unchanged(&o.b);
    }
    for (int i = 0; i < batch_count; ++i)
        product_destroy(&products[i]);
    operand_destroy(&arrays);
    operands_destroy(&o);
    return is_taken;
}

static int
run_batches(myblasHandle_t handle, const myblasKernelInfo_t* forced, struct shape shape) {
    // No gaps, except for alignment to 16 bytes, and all of the memory around is NaN.
    static const struct layout batch_layouts[] = {{4, 4, 0}, {0, 1, 0}, {3, 1, 1}};
    static const float pairs[][2] = {{1, 0}, {-0.5f, 1}, {0, -0.5f}};
    int ran = 0;
    for (unsigned bits = 0; bits < 64; ++bits) {
        const bool is_one_of_few =
            forced && is_variant(forced->name) ? bits / 3 % 2 == 0 : bits % 13 == 0;
        if (minimal() ? !is_one_of_few : left_out(8))
            continue;
        const struct batch batch = {.shape = shape,
                                    .transa = bits & 1,
                                    .transb = bits & 2,
                                    .share_a = bits & 4,
                                    .share_b = bits & 8,
                                    .pointers = bits & 16,
                                    .wide = bits & 32,
                                    .interleaved = bits % 7 < 3};
        const float* pair = pairs[bits % 3];
        const struct layout layout = batch_layouts[bits / 2 % 3];
        ran += run_batch(handle, forced, batch, bits % 5 < 2, layout, pair[0], pair[1]);
    }
    return ran;
}

// So that a multiprocessor of the device has more than one tile of a batch: the number of tiles
// along n, where two are along m.
static int least_tiles(myblasHandle_t handle) {
    myblasDevice_t device = {.size_bytes = sizeof device};
    assert_ok(myblasGetDevice(handle, &device));
    return device.sm_count / (2 * batch_count) + 1;
}

static void test_batches(void** state) {
    const struct shape small = {37, 21, 19};
    myblasHandle_t handle = require_handle(state);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_SGEMM);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        random_seed((uint64_t)i + 1);
        force(handle, &info);
        if (!is_installed(handle, &info))
            continue;
        const int ran = run_batches(handle, &info, small);
        // Tiles that several blocks share; more tiles than multiprocessors.
        if (is_one_of(info.name, "stream_k")) {
            const int tiles = least_tiles(handle), block_m = info.block_m, block_n = info.block_n;
            const struct shape shared = {37, 21, 523};
            const struct shape many = {block_m + 8, tiles * block_n + 5, 36};
            const bool ran_shared = run_batches(handle, &info, shared) > 0;
            const bool ran_many = run_batches(handle, &info, many) > 0;
            assert_true((ran_shared && ran_many) || reduced() || !takes_batches(&info));
        }
        // One warp computes each of more than six tiles for each multiprocessor.
        if (strcmp(info.name, "warp_tile/64x32") == 0) {
            const int across = 8 * least_tiles(handle) * 32 + 5;
            const struct shape high = {37, across, 27}, wide = {across, 37, 27};
            assert_true(run_batches(handle, &info, high) > 0 || reduced());
            assert_true(run_batches(handle, &info, wide) > 0 || reduced());
        }
        // Borders of rows and columns, and of columns alone; more tiles than multiprocessors.
        if (is_one_of(info.name, "tf32x3_batch")) {
            const int tiles = least_tiles(handle), block_m = info.block_m, block_n = info.block_n;
            const struct shape both = {block_m + 8, tiles * block_n + 5, 44};
            const struct shape columns = {block_m - 1, 2 * tiles * block_n + 4, 37};
            assert_true(run_batches(handle, &info, both) > 0 || reduced());
            assert_true(run_batches(handle, &info, columns) > 0 || reduced());
        }
        // Several tiles, each in one block, and each in the blocks of a cluster.
        if (is_one_of(info.name, "tf32x3")) {
            const struct shape short_k = {info.block_m + 8, info.block_n + 8, 44};
            const struct shape long_k = {info.block_m + 8, info.block_n + 5, 204};
            if (!minimal())
                assert_true(run_batches(handle, &info, short_k) > 0 || reduced());
            assert_true(run_batches(handle, &info, long_k) > 0 || reduced());
        }
        print_message("  %s: %d of 64 batches\n", info.name, ran);
        assert_true(ran > 0 || reduced() || !takes_batches(&info)); // aligned ones at least
    }
    if (!is_in_share(NULL))
        return;
    assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
    const int ran = run_batches(handle, NULL, small);
    assert_true(ran == 64 || (reduced() && ran > 0));
}

// ---- Values -------------------------------------------------------------------------------------

// Computes alpha op(A) op(B) + beta C into a dense m x n C, whose elements were all `old`, from the
// host's dense A and B. Returns NULL if the forced kernel declines.
static const float* product_in_form(myblasHandle_t handle,
                                    struct operands* o,
                                    myblasOperation_t transa,
                                    myblasOperation_t transb,
                                    struct shape s,
                                    const float* a,
                                    const float* b,
                                    float alpha,
                                    float beta,
                                    float old) {
    const size_t m = (size_t)s.m, n = (size_t)s.n, k = (size_t)s.k;
    memcpy(operand_place(&o->a, m * k * sizeof(float), 0), a, m * k * sizeof(float));
    memcpy(operand_place(&o->b, k * n * sizeof(float), 0), b, k * n * sizeof(float));
    float* c = operand_place(&o->c, m * n * sizeof(float), 0);
    for (size_t i = 0; beta != 0 && i < m * n; ++i)
        c[i] = old;
    operand_upload(&o->a);
    operand_upload(&o->b);
    operand_upload(&o->c);
    const myblasStatus_t status = mysgemm(handle,
                                          transa,
                                          transb,
                                          s.m,
                                          s.n,
                                          s.k,
                                          &alpha,
                                          operand_device(&o->a),
                                          transa == MYBLAS_OP_N ? s.m : s.k,
                                          operand_device(&o->b),
                                          transb == MYBLAS_OP_N ? s.k : s.n,
                                          &beta,
                                          operand_device(&o->c),
                                          s.m);
    if (status == MYBLAS_STATUS_NOT_SUPPORTED)
        return NULL;
    assert_ok(status);
    return operand_download(&o->c);
}

// alpha A B.
static const float* small_product(myblasHandle_t handle,
                                  struct operands* o,
                                  struct shape s,
                                  const float* a,
                                  const float* b,
                                  float alpha) {
    return product_in_form(handle, o, MYBLAS_OP_N, MYBLAS_OP_N, s, a, b, alpha, 0, 0);
}

enum { special_m = 36, special_n = 20, special_k = 24 };

// A multiple of the smallest subnormal, made and compared as bits, so that a mode of this processor
// cannot flush both sides.
static float subnormal(uint32_t units) {
    float value;
    memcpy(&value, &units, sizeof value);
    return value;
}

// Subnormal products are not flushed, a zero row or column gives exact zeros, and NaN and Inf reach
// exactly the elements that depend on them.
static void check_special_values(myblasHandle_t handle) {
    static const struct shape shape = {special_m, special_n, special_k};
    float a[special_m * special_k], b[special_k * special_n];
    struct operands o = operands_create(handle);

    for (size_t i = 0; i < COUNT_OF(a); ++i)
        a[i] = subnormal(i % special_m == 5 ? 0 : 512 * (uint32_t)(1 + i % 7));
    for (size_t i = 0; i < COUNT_OF(b); ++i)
        b[i] = i / special_k == 7 ? 0 : 1;
    const float* c = small_product(handle, &o, shape, a, b, 1);
    for (int at = 0; c && at < special_m * special_n; ++at) {
        const int i = at % special_m, j = at / special_m;
        uint32_t units = 0;
        for (int l = 0; l < special_k; ++l)
            units += i == 5 || j == 7 ? 0 : 512 * (uint32_t)(1 + (i + l * special_m) % 7);
        const float expected = subnormal(units);
        assert_memory_equal(&c[at], &expected, sizeof expected);
    }

    for (size_t i = 0; i < COUNT_OF(a); ++i)
        a[i] = 1;
    for (size_t i = 0; i < COUNT_OF(b); ++i)
        b[i] = 2;
    a[3 + 11 * special_m] = NAN;
    a[9 + 23 * special_m] = INFINITY;
    a[10] = -INFINITY;
    b[2 + 4 * special_k] = NAN;
    c = small_product(handle, &o, shape, a, b, 1);
    for (int at = 0; c && at < special_m * special_n; ++at) {
        const int i = at % special_m, j = at / special_m;
        if (i == 3 || j == 4)
            assert_true(isnan(c[at]));
        else if (i == 9 || i == 10)
            assert_true(c[at] == (i == 9 ? INFINITY : -INFINITY));
        else
            assert_true(c[at] == 2 * special_k);
    }
    operands_destroy(&o);
}

// A kernel that promises the same bits gives them on every run, each on another stream.
static void check_determinism(myblasHandle_t handle) {
    enum { most_runs = 20 };
    const int runs = reduced() ? 2 : most_runs;
    const struct shape shape = {68, 44, reduced() ? 132 : 1028};
    myblasStream_t streams[most_runs];
    struct operands o = operands_create(handle);
    struct product p = product_create(shape, false);
    const size_t bytes = (size_t)shape.m * (size_t)shape.n * sizeof(float);
    float* first = allocate(1, bytes);
    for (int run = 0; run < runs; ++run)
        assert_ok(myblasStreamCreate(handle, &streams[run]));
    for (int run = 0; run < runs; ++run) {
        assert_ok(myblasSetStream(handle, streams[run]));
        const float* c = small_product(handle, &o, shape, p.a, p.b, 0.7f);
        if (!c)
            break;
        if (run == 0)
            memcpy(first, c, bytes);
        assert_memory_equal(c, first, bytes);
    }
    for (int run = 0; run < runs; ++run)
        assert_ok(myblasStreamDestroy(handle, streams[run]));
    free(first);
    product_destroy(&p);
    operands_destroy(&o);
}

// Whether results are zero, subnormal, normal, infinite or NaN. The data give each sum one class in
// any order of addition: `value` returns an element from its line (a row of A, a column of B) and
// its k.
struct class_data {
    const char* name;
    float (*value)(bool of_a, int line, int k);
    float alpha;
};

static float overflowing(bool of_a, int line, int k) {
    (void)k;
    return exp2f((float)line) * (!of_a ? 1 : line % 2 ? 0x1p80f : -0x1p80f);
}
static float small_integers(bool of_a, int line, int k) {
    return (float)((line + (of_a ? 1 : 2) * k) % 3 - 1);
}
static float cancelling(bool of_a, int line, int k) {
    const float value = exp2f((float)(line % 41 - 20)) * (float)(1 + (line + k / 2) % 5);
    return of_a || k % 2 ? value : -value;
}
// Subnormal elements beside ones that meet zeros; their products are normal or subnormal.
static float beside_ones(bool of_a, int line, int k) {
    if (k != 1)
        return of_a ? 1 : 0;
    return of_a ? subnormal(512 * (1 + (uint32_t)line)) : line % 2 ? 0x1p100f : 1;
}

static const struct class_data class_data[] = {
    {"overflow", overflowing, 1},
    {"overflow by alpha", small_integers, 0x1p127f},
    {"cancellation", cancelling, 1},
    {"subnormal beside normal", beside_ones, 1},
};

// The naive kernel gives the expected classes.
static void check_result_classes(myblasHandle_t handle, const myblasKernelInfo_t* info) {
    static const struct shape shape = {special_m, special_n, special_k};
    const myblasKernelInfo_t plainest = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, 0);
    float a[special_m * special_k], b[special_k * special_n], expected[special_m * special_n];
    struct operands o = operands_create(handle);
    for (size_t d = 0; d < COUNT_OF(class_data); ++d) {
        const struct class_data* data = &class_data[d];
        if (left_out(4))
            continue;
        for (int l = 0; l < special_k; ++l) {
            for (int i = 0; i < special_m; ++i)
                a[i + l * special_m] = data->value(true, i, l);
            for (int j = 0; j < special_n; ++j)
                b[l + j * special_k] = data->value(false, j, l);
        }
        force(handle, &plainest);
        const float* c = small_product(handle, &o, shape, a, b, data->alpha);
        assert_non_null(c);
        memcpy(expected, c, sizeof expected);
        force(handle, info);
        c = small_product(handle, &o, shape, a, b, data->alpha);
        for (int at = 0; c && at < special_m * special_n; ++at) {
            const bool same_sign = !signbit(c[at]) == !signbit(expected[at]);
            if (fpclassify(c[at]) != fpclassify(expected[at]) || (expected[at] != 0 && !same_sign))
                fail_msg("%s, %s: element %d is %g, not %g",
                         info->name,
                         data->name,
                         at,
                         (double)c[at],
                         (double)expected[at]);
        }
    }
    operands_destroy(&o);
}

static void test_values(void** state) {
    myblasHandle_t handle = require_handle(state);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_SGEMM);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        // In minimal mode, values matter where they decide which code runs.
        if (!kernel_fits_device(handle, &info) ||
            (minimal() && info.math_mode == MYBLAS_FP32_STRICT_MATH))
            continue;
        check_result_classes(handle, &info);
        force(handle, &info);
        check_special_values(handle);
        if (info.deterministic)
            check_determinism(handle);
    }
}

// ---- Ranges -------------------------------------------------------------------------------------

// Data that limbs of 16 bits find hard: `values` returns an element from its line (a row of A, a
// column of B) and its k.
enum { hard_m = 300, hard_n = 140, hard_k = 200 };

struct hard_data {
    const char* name;
    float (*value)(bool of_a, int line, int k);
};

static float spread(double bits) { return exp2f(floorf((float)(random_float() * bits))); }
static float wide(bool of_a, int line, int k) {
    (void)of_a, (void)line, (void)k;
    return random_float() * spread(30);
}
static float positive(bool of_a, int line, int k) {
    (void)of_a, (void)line, (void)k;
    return fabsf(random_float());
}
static float by_line(bool of_a, int line, int k) {
    (void)of_a, (void)k;
    return random_float() * exp2f((float)(line % 81 - 40));
}
// A D and D^-1 B
static float graded(bool of_a, int line, int k) {
    (void)line;
    const float d = exp2f((float)(k * 7 % 61 - 30));
    return random_float() * (of_a ? d : 1 / d);
}
static float outlier_at_zero(bool of_a, int line, int k) {
    if (k == 5)
        return of_a ? (line == 3 ? 1e20f : 1) : 0;
    return random_float();
}
static float near_overflow(bool of_a, int line, int k) {
    (void)line, (void)k;
    return random_float() * (of_a ? 0x1.fffffep127f : 0x1p-12f);
}
static float near_underflow(bool of_a, int line, int k) {
    (void)line, (void)k;
    return random_float() * (of_a ? 0x1p-126f : 0x1p8f);
}
static float far_apart(bool of_a, int line, int k) {
    (void)k;
    return random_float() * exp2f((float)((of_a ? 1 : -1) * (line % 2 ? 90 : 0)));
}

// Lines of the smallest elements that emulated mode takes, beside others, so that every product of
// limbs matters. Elements that a kernel may sample are zero.
static float beside_large(bool of_a, int line, int k) {
    const float scale = of_a ? 1 : 0x1p90f;
    if (line % 32 == 0)
        return scale;
    const bool is_sampled = k % 64 < 4 || k >= hard_k - 4;
    const float magnitude = 0x1p-86f * (1 + fabsf(random_float()));
    return is_sampled ? 0 : (random_float() < 0 ? -magnitude : magnitude) * scale;
}

// One of the first 32 lines has a single nonzero element, and a neighbour has one that is `times`
// as large. The scale of their cell follows the neighbour's element, which no sample of its line
// contains. With `times` = 2^s, the element keeps 39 - s bits as limbs of fp16. A chunk tolerates
// one element that loses bits, so only the rule on the room that scales leave finds it
// (docs/emulation.md). (Simulated without this rule: 240 times the bound for 2^30, no error for
// 2^6.)
static float lonely(bool is_there, int line, int k, float times) {
    if (!is_there || line >= 32)
        return random_float();
    if (k != 9) // which is in no sample
        return 0;
    return line == 3 ? times : line == 7 ? 0x1.555556p0f : 0;
}
static float lonely_in_a(bool of_a, int line, int k) { return lonely(of_a, line, k, 0x1p30f); }
static float lonely_in_b(bool of_a, int line, int k) { return lonely(!of_a, line, k, 0x1p30f); }

// Products that are normal numbers, from cells whose scales have a product below the smallest
// subnormal. If the largest element of a cell is 2^-63, the scale is 2^-77 for fp16 and 2^-99 for
// bf16. Only the check of the sum of exponents keeps C from becoming zero.
static float tiny(bool of_a, int line, int k) {
    (void)of_a, (void)line, (void)k;
    return random_float() * 0x1p-62f;
}
// The same for bf16 alone: 2^-46 has the scale 2^-60 for fp16 and 2^-82 for bf16.
static float small(bool of_a, int line, int k) {
    (void)of_a, (void)line, (void)k;
    return random_float() * 0x1p-45f;
}

static const struct hard_data hard[] = {
    {"wide", wide},
    {"positive", positive},
    {"by line", by_line},
    {"graded", graded},
    {"outlier at zero", outlier_at_zero},
    {"near overflow", near_overflow},
    {"near underflow", near_underflow},
    {"far apart", far_apart},
    {"beside large", beside_large},
    {"lonely in A", lonely_in_a},
    {"lonely in B", lonely_in_b},
    {"tiny", tiny},
    {"small", small},
};

static void
make_hard_data(float (*value)(bool of_a, int line, int k), struct shape s, float** a, float** b) {
    *a = allocate((size_t)s.m * (size_t)s.k, sizeof **a);
    *b = allocate((size_t)s.k * (size_t)s.n, sizeof **b);
    for (int l = 0; l < s.k; ++l) {
        for (int i = 0; i < s.m; ++i)
            (*a)[i + l * s.m] = value(true, i, l);
        for (int j = 0; j < s.n; ++j)
            (*b)[l + j * s.k] = value(false, j, l);
    }
}

static void check_hard_data(myblasHandle_t handle,
                            myblasMath_t math,
                            const char* kernel,
                            const struct hard_data* data) {
    struct operands o = operands_create(handle);
    const struct shape shape = {hard_m, hard_n, hard_k};
    float *a, *b;
    make_hard_data(data->value, shape, &a, &b);
    const float* c = small_product(handle, &o, shape, a, b, 1);
    for (int j = 0; c && j < hard_n; ++j) {
        for (int i = 0; i < hard_m; ++i) {
            double expected = 0, magnitude = 0;
            for (int l = 0; l < hard_k; ++l) {
                const double term = (double)a[i + l * hard_m] * b[l + j * hard_k];
                expected += term;
                magnitude += fabs(term);
            }
            const double bound = error_units(math, hard_k) * UNIT_ROUNDOFF * magnitude +
                                 (hard_k + 3) * SMALLEST_SUBNORMAL;
            const double found = c[i + j * hard_m];
            if (!(fabs(found - expected) <= bound))
                fail_msg("%s, %s: C(%d, %d) is %.9g, not %.9g; bound %.3g",
                         kernel,
                         data->name,
                         i,
                         j,
                         found,
                         expected,
                         bound);
        }
    }
    free(a);
    free(b);
    operands_destroy(&o);
}

// On them every kernel keeps its promise, or leaves the call to a kernel that does.
static void test_hard_data(void** state) {
    myblasHandle_t handle = require_handle(state);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_SGEMM);
    for (int i = 0; i < count; ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        if (!kernel_fits_device(handle, &info))
            continue;
        for (myblasMath_t math = info.math_mode; math <= weakest_mode(&info); ++math) {
            random_seed((uint64_t)i + 1);
            force_in_mode(handle, &info, math);
            for (size_t d = 0; d < COUNT_OF(hard); ++d) {
                if (left_out(4))
                    continue;
                check_hard_data(handle, math, info.name, &hard[d]);
            }
        }
    }
}

// Replaces the matrix, which has no gaps between columns.
static float* transposed(float* x, int rows, int cols) {
    float* result = allocate((size_t)rows * (size_t)cols, sizeof *x);
    for (int j = 0; j < cols; ++j)
        for (int i = 0; i < rows; ++i)
            result[j + (size_t)i * (size_t)cols] = x[i + (size_t)j * (size_t)rows];
    free(x);
    return result;
}

// ---- Lossy elements -----------------------------------------------------------------------------

// An element that loses more than 2^-21 of itself as two limbs of fp16, beside others of 2^23 times
// its size. In emulated mode fp16x3 multiplies such elements in FP32, up to a number for a line's
// chunk, for a cell of 32 lines, and for a pass.
static const float lossy_value = 0x1.aaaaaap-24f;

struct lossy_data {
    const char* name;
    struct shape shape;
    bool (*is_lossy)(bool of_a, int line, int k);
    bool is_corrected; // else bf16x6 computes
};

static bool one_element(bool of_a, int line, int k) { return of_a && line == 7 && k == 9; }
static bool one_element_of_b(bool of_a, int line, int k) { return !of_a && line == 7 && k == 9; }
static bool two_of_a_line(bool of_a, int line, int k) {
    return of_a && line == 7 && (k == 9 || k == 31);
}
static bool three_of_a_line(bool of_a, int line, int k) {
    return of_a && line == 7 && (k == 9 || k == 10 || k == 31);
}
static bool lines_of_a_cell(bool of_a, int line, int k, int lines) {
    return of_a && k == 9 && line >= 45 && line < 45 + lines;
}
static bool three_of_a_cell(bool of_a, int line, int k) {
    return lines_of_a_cell(of_a, line, k, 3);
}
static bool four_of_a_cell(bool of_a, int line, int k) { return lines_of_a_cell(of_a, line, k, 4); }
static bool whole_column(bool of_a, int line, int k) {
    (void)line;
    return of_a && k == 9;
}
// Where both factors of a product are lossy, it is added once.
static bool both_factors(bool of_a, int line, int k) {
    return k == 9 && (of_a ? line == 7 || line == 30 || line == 135 : line == 5 || line == 70);
}
// The last line, and the last k, which ends inside a cell.
static bool last_elements(bool of_a, int line, int k) {
    return line == (of_a ? hard_m : hard_n) - 1 && k == hard_k - 1;
}
// Not line 0, whose few elements the sample of its scale would miss.
static bool first_and_last_cells(bool of_a, int line, int k) {
    return (line == 1 || line == (of_a ? hard_m : hard_n) - 2) && (k == 1 || k == hard_k - 2);
}
// In the order of lines, as many cells of A have a lossy element as a pass of `counted` accepts.
enum { counted_m = 256, counted_n = 128, counted_k = 512, counted_cells = 12 * counted_k / 32 };
static bool first_cells(bool of_a, int line, int k, int cells) {
    return of_a && line % 32 == 3 && k % 32 == 17 && line / 32 * (counted_k / 32) + k / 32 < cells;
}
static bool most_of_a_pass(bool of_a, int line, int k) {
    return first_cells(of_a, line, k, 8 + counted_cells / 8);
}
static bool more_than_a_pass(bool of_a, int line, int k) {
    return first_cells(of_a, line, k, 8 + counted_cells / 8 + 1);
}

#define HARD_SHAPE                                                                                 \
    { hard_m, hard_n, hard_k }
#define COUNTED_SHAPE                                                                              \
    { counted_m, counted_n, counted_k }
static const struct lossy_data lossy_cases[] = {
    {"one element", HARD_SHAPE, one_element, true},
    {"one element of B", HARD_SHAPE, one_element_of_b, true},
    {"two of a line's chunk", HARD_SHAPE, two_of_a_line, true},
    {"three of a line's chunk", HARD_SHAPE, three_of_a_line, false},
    {"three of a cell", HARD_SHAPE, three_of_a_cell, true},
    {"four of a cell", HARD_SHAPE, four_of_a_cell, false},
    {"whole column", HARD_SHAPE, whole_column, false},
    {"both factors", HARD_SHAPE, both_factors, true},
    {"last elements", HARD_SHAPE, last_elements, true},
    {"first and last cells", HARD_SHAPE, first_and_last_cells, true},
    {"as many as a pass takes", COUNTED_SHAPE, most_of_a_pass, true},
    {"more than a pass takes", COUNTED_SHAPE, more_than_a_pass, false},
};

// Every fourth line has a single element besides lossy ones, so that a lossy element of the other
// operand is all that an element of C consists of.
static float* make_lossy_operand(const struct lossy_data* data, bool of_a) {
    const int lines = of_a ? data->shape.m : data->shape.n, k = data->shape.k;
    float* x = allocate((size_t)lines * (size_t)k, sizeof *x); // k along memory
    for (int line = 0; line < lines; ++line)
        for (int l = 0; l < k; ++l) {
            const bool is_zero = line % 4 == 0 && l != 9;
            const float other = is_zero ? 0 : (0.5f + fabsf(random_float())) * (l % 2 ? 1 : -1);
            x[l + line * k] = data->is_lossy(of_a, line, l) ? lossy_value : other;
        }
    return x;
}

static void
check_lossy(myblasHandle_t handle, const myblasKernelInfo_t* info, const struct lossy_data* data) {
    const struct shape s = data->shape;
    const size_t bytes = (size_t)s.m * (size_t)s.n * sizeof(float);
    const bool is_large = strcmp(info->name, "fp16x3/256x128") == 0;
    struct operands o = operands_create(handle);
    float* a = make_lossy_operand(data, true); // TN first
    float* b = make_lossy_operand(data, false);
    double* expected = allocate((size_t)s.m * (size_t)s.n, sizeof *expected);
    double* bound = allocate((size_t)s.m * (size_t)s.n, sizeof *bound);
    for (int j = 0; j < s.n; ++j)
        for (int i = 0; i < s.m; ++i) {
            double sum = 0, magnitude = 0;
            for (int l = 0; l < s.k; ++l) {
                const double term = (double)a[l + i * s.k] * b[l + j * s.k];
                sum += term;
                magnitude += fabs(term);
            }
            expected[i + j * s.m] = sum;
            bound[i + j * s.m] =
                error_units(MYBLAS_FP32_EMULATED_MATH, s.k) * UNIT_ROUNDOFF * magnitude;
        }
    for (int form = 0; form < 4; ++form) { // TN, NN, NT, TT
        if (form % 2 == 1)
            a = form == 1 ? transposed(a, s.k, s.m) : transposed(a, s.m, s.k);
        if (form == 2)
            b = transposed(b, s.k, s.n);
        const myblasOperation_t transa = form == 0 || form == 3 ? MYBLAS_OP_T : MYBLAS_OP_N;
        const myblasOperation_t transb = form >= 2 ? MYBLAS_OP_T : MYBLAS_OP_N;
        float* c[2];
        for (int other = 0; other < 2; ++other) {
            const char* kernel = is_large ? "bf16x6/256x128" : "bf16x6/128x128";
            assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, other ? kernel : info->name));
            assert_ok(myblasSetMathMode(handle, MYBLAS_FP32_EMULATED_MATH));
            const float* found = product_in_form(handle, &o, transa, transb, s, a, b, 1, 0, 0);
            assert_non_null(found);
            c[other] = memcpy(allocate(1, bytes), found, bytes);
        }
        if ((memcmp(c[0], c[1], bytes) != 0) != data->is_corrected)
            fail_msg("%s, %s, form %d: %s computes",
                     info->name,
                     data->name,
                     form,
                     data->is_corrected ? "bf16x6" : "fp16x3");
        for (int at = 0; at < s.m * s.n; ++at)
            if (!(fabs(c[0][at] - expected[at]) <= bound[at]))
                fail_msg("%s, %s, form %d: C(%d, %d) is %.9g, not %.9g; bound %.3g",
                         info->name,
                         data->name,
                         form,
                         at % s.m,
                         at / s.m,
                         (double)c[0][at],
                         expected[at],
                         bound[at]);
        free(c[0]);
        free(c[1]);
    }
    free(a);
    free(b);
    free(expected);
    free(bound);
    operands_destroy(&o);
}

static void test_lossy_elements(void** state) {
    myblasHandle_t handle = require_handle(state);
    for (int i = 0; i < kernel_count(handle, MYBLAS_ROUTINE_SGEMM); ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        if (!is_one_of(info.name, "fp16x3") || !kernel_fits_device(handle, &info))
            continue;
        for (size_t d = 0; d < COUNT_OF(lossy_cases); ++d) {
            if (left_out(4))
                continue;
            random_seed(7);
            check_lossy(handle, &info, &lossy_cases[d]);
        }
    }
}

// ---- Who computes -------------------------------------------------------------------------------

// A kernel on tensor cores leaves a call to another kernel if its limbs lose too much. The host is
// not told, but the result has the bits of the other kernel. In strict mode this is one that adds
// in the order of k, as long as k is at most 64.
static const char in_order[] = "double_buffered";
enum { guarded_k = 64 };

static float uniform(bool of_a, int line, int k) {
    (void)of_a, (void)line, (void)k;
    return random_float();
}
static float normal(bool of_a, int line, int k) {
    (void)of_a, (void)line, (void)k;
    float sum = 0;
    for (int i = 0; i < 12; ++i)
        sum += random_float();
    return sum / 2;
}
static float row_scaled(bool of_a, int line, int k) {
    return normal(of_a, line, k) * (of_a ? exp2f((float)(line * 7 % 81 - 40)) : 1);
}
static float column_scaled(bool of_a, int line, int k) {
    return normal(of_a, line, k) * (of_a ? 1 : exp2f((float)(line * 7 % 81 - 40)));
}
static float lognormal(bool of_a, int line, int k) {
    return (random_float() < 0 ? -1 : 1) * exp2f(8 * normal(of_a, line, k));
}
// A chunk of k tolerates one element that limbs cannot hold, except in emulated mode.
static float speck(bool of_a, int line, int k) {
    return of_a && line == 7 && k == 9 ? 0x1p-110f : random_float();
}
static float specks(bool of_a, int line, int k) {
    return of_a && line == 7 && k < 3 ? 0x1p-110f : random_float();
}
// Elements that lose more than 2^-21 of their value as two limbs of fp16, and nothing as three of
// bf16, beside elements 2^23 times as large. A chunk of a line has one. A cell of 32 lines has the
// largest number that it tolerates, or one more.
static float lossy(bool of_a, int line, int k, int lines) {
    return of_a && k == 9 && line >= 7 && line < 7 + lines ? 0x1.aaaaaap-24f : random_float();
}
static float three_lossy(bool of_a, int line, int k) { return lossy(of_a, line, k, 3); }
static float four_lossy(bool of_a, int line, int k) { return lossy(of_a, line, k, 4); }
static float less_lonely(bool of_a, int line, int k) { return lonely(of_a, line, k, 0x1p6f); }
// The largest element of a cell is below 2^-90 (the limit of bf16's scales), below 2^-112 (the
// limit of fp16's scales), or above 2^112.
static float scaled(bool is_first, float first, float second) {
    return random_float() * (is_first ? first : second);
}
static float faint_a(bool of_a, int line, int k) {
    (void)line, (void)k;
    return scaled(of_a, 0x1p-100f, 0x1p40f);
}
static float faint_b(bool of_a, int line, int k) {
    (void)line, (void)k;
    return scaled(!of_a, 0x1p-100f, 0x1p40f);
}
static float fainter(bool of_a, int line, int k) {
    (void)line, (void)k;
    return scaled(of_a, 0x1p-115f, 0x1p40f);
}
static float loud(bool of_a, int line, int k) {
    (void)line, (void)k;
    return scaled(of_a, 0x1p115f, 0x1p-20f);
}
static float subnormal_row(bool of_a, int line, int k) {
    (void)k;
    return random_float() * (of_a && line == 7 ? 0x1p-130f : 1);
}
static float almost_overflowing(bool of_a, int line, int k) {
    (void)line, (void)k;
    return random_float() * (of_a ? 0x1p70f : 0x1p50f);
}

// The kernel that computes in the end if fp16x3 is chosen in fast mode or in emulated mode, bf16x6,
// or one of TF32. `fast` stands for fp16x3, `emulated` for bf16x6 or TF32.
struct guarded_data {
    const char* name;
    float (*value)(bool of_a, int line, int k);
    int by_fast_fp16x3, by_emulated_fp16x3, by_bf16x6, by_tf32x3;
};

enum {
    fast = MYBLAS_FP32_FAST_MATH,
    emulated = MYBLAS_FP32_EMULATED_MATH,
    strict = MYBLAS_FP32_STRICT_MATH
};

// Most data trip exactly one check, whose limit is in docs/emulation.md.
static const struct guarded_data guarded[] = {
    {"uniform", uniform, fast, fast, emulated, emulated},
    {"normal", normal, fast, fast, emulated, emulated},
    {"row-scaled", row_scaled, fast, fast, emulated, emulated},
    {"column-scaled", column_scaled, fast, fast, emulated, emulated},
    {"lognormal", lognormal, emulated, emulated, emulated, emulated},
    {"graded", graded, emulated, emulated, emulated, emulated},
    {"outlier", outlier_at_zero, emulated, emulated, emulated, emulated},
    {"less lonely", less_lonely, fast, fast, emulated, emulated},
    {"lonely in A", lonely_in_a, emulated, fast, emulated, emulated}, // what a line leaves room for
    {"lonely in B", lonely_in_b, emulated, fast, emulated, emulated},
    {"three lossy", three_lossy, fast, fast, emulated, emulated},
    {"four lossy", four_lossy, emulated, emulated, emulated, emulated}, // lossy elements of a cell
    {"one speck", speck, fast, fast, strict, strict},                   // any of bf16; least of A
    {"specks", specks, strict, strict, strict, strict},                 // lossy elements of a line
    {"subnormal row", subnormal_row, strict, strict, strict, strict},
    {"faint A", faint_a, fast, fast, strict, strict},     // least exponent of bf16
    {"faint B", faint_b, fast, fast, strict, strict},     // the same; least of B
    {"fainter", fainter, strict, strict, strict, strict}, // least exponent of fp16
    {"loud", loud, strict, strict, strict, emulated},     // greatest exponent
    {"small", small, fast, fast, strict, strict},         // least sum of bf16; of TF32
    {"tiny", tiny, strict, strict, strict, strict},       // least sum of fp16
    {"almost overflowing", almost_overflowing, strict, strict, strict, emulated}, // greatest sum
    // Earlier calls leave nothing behind.
    {"uniform again", uniform, fast, fast, emulated, emulated},
};

enum { max_contenders = 32 };

struct contender {
    myblasKernelInfo_t info;
    myblasMath_t math; // the mode in which it is asked
    int path;          // what computes if its limbs hold the operands
    bool is_tested;    // else only compared with
    bool is_tf32;      // decides for each of its tiles
    bool
        // the workspace is too small for the limbs of emulated mode, so no call is left to it
        is_cramped;
    float* c; // NULL: it declines
};

// Kernels on tensor cores, and a strict kernel to compare them with.
static int find_contenders(myblasHandle_t handle, struct contender contenders[max_contenders]) {
    int found = 0;
    for (int i = 0; i < kernel_count(handle, MYBLAS_ROUTINE_SGEMM); ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        const bool has_limbs = info.math_mode != MYBLAS_FP32_STRICT_MATH;
        if (!has_limbs && strcmp(info.name, in_order) != 0)
            continue;
        // No kernel leaves a product to these.
        if (is_one_of(info.name, "fp16x3 tf32x3 tf32x3_batch") && !is_wanted(info.name))
            continue;
        const bool is_fp16 = is_one_of(info.name, "fp16x3");
        for (int variant = 0; variant < (is_fp16 ? 4 : 1); ++variant) {
            const bool cramped = variant % 2;
            assert_true(found < max_contenders);
            contenders[found++] = (struct contender){
                .info = info,
                .math = variant < 2 ? info.math_mode : MYBLAS_FP32_FAST_MATH,
                .path = is_fp16 ? fast : (int)info.math_mode,
                .is_tested = has_limbs && is_wanted(info.name) && device_has_kernel(handle, &info),
                .is_tf32 = is_one_of(info.name, "tf32x3 tf32x3_batch"),
                .is_cramped = cramped};
        }
    }
    return found;
}

// Lends the smallest workspace that makes a kernel take a dense product.
static void lend_least_workspace(myblasHandle_t handle,
                                 const char* kernel,
                                 myblasOperation_t transa,
                                 myblasOperation_t transb,
                                 struct shape s,
                                 struct operand* workspace) {
    myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
    call.transa = transa;
    call.transb = transb;
    call.m = s.m, call.n = s.n, call.k = s.k;
    call.lda = transa == MYBLAS_OP_N ? s.m : s.k;
    call.ldb = transb == MYBLAS_OP_N ? s.k : s.n;
    call.ldc = s.m;
    int index = 0;
    while (strcmp(kernel_info(handle, MYBLAS_ROUTINE_SGEMM, index).name, kernel) != 0)
        ++index;
    myblasKernelEstimate_t estimate = {.size_bytes = sizeof estimate};
    assert_ok(myblasGetKernelEstimate(handle, &call, index, &estimate));
    operand_place(workspace, estimate.workspace_bytes, 0);
    operand_upload(workspace);
    assert_ok(myblasSetWorkspace(handle, operand_device(workspace), estimate.workspace_bytes));
}

// Whether C has the bits of the contender. The TF32 kernels decide for each tile, so only the first
// tile is compared; other kernels decide for all of C.
static bool has_same_bits(const struct contender* contender, struct shape s, const float* c) {
    const int rows = contender->is_tf32 ? contender->info.block_m : s.m;
    const int cols = contender->is_tf32 ? contender->info.block_n : s.n;
    for (int j = 0; j < cols; ++j) {
        if (memcmp(contender->c + j * s.m, c + j * s.m, (size_t)rows * sizeof *c) != 0)
            return false;
    }
    return true;
}

static void check_who_computes(myblasHandle_t handle,
                               const struct guarded_data* data,
                               struct shape shape,
                               myblasOperation_t op,
                               struct contender* contenders,
                               int count) {
    const size_t bytes = (size_t)shape.m * (size_t)shape.n * sizeof(float);
    struct operands o = operands_create(handle);
    float *a, *b;
    make_hard_data(data->value, shape, &a, &b);
    if (op == MYBLAS_OP_T) {
        a = transposed(a, shape.m, shape.k);
        b = transposed(b, shape.k, shape.n);
    }
    for (int i = 0; i < count; ++i) {
        struct contender* contender = &contenders[i];
        force_in_mode(handle, &contender->info, contender->math);
        if (contender->is_cramped)
            lend_least_workspace(handle, contender->info.name, op, op, shape, &o.workspace);
        const float* c = product_in_form(handle, &o, op, op, shape, a, b, 1, 0, 0);
        if (c)
            contender->c = memcpy(allocate(1, bytes), c, bytes);
        if (contender->is_cramped)
            operand_download(&o.workspace);       // and nothing was written around it
        assert_ok(myblasSetStream(handle, NULL)); // the handle's own workspace
    }
    for (int i = 0; i < count; ++i) {
        const struct contender* contender = &contenders[i];
        if (!contender->is_tested)
            continue;
        if (is_one_of(contender->info.name, "tf32x3") && shape.m % 4 != 0) {
            assert_null(contender->c); // unaligned
            continue;
        }
        assert_non_null(contender->c);
        int by = contender->path;
        int wanted = data->by_bf16x6;
        if (by == fast)
            wanted = (int)contender->math == fast ? data->by_fast_fp16x3 : data->by_emulated_fp16x3;
        else if (contender->is_tf32)
            wanted = data->by_tf32x3;
        if (contender->is_cramped && wanted != by)
            wanted = MYBLAS_FP32_STRICT_MATH;
        for (int j = 0; j < count; ++j) {
            if (contenders[j].c && contenders[j].path < by &&
                has_same_bits(contender, shape, contenders[j].c))
                by = contenders[j].path;
        }
        if (by != wanted)
            fail_msg("%s in mode %d%s on %s data, %d x %d, %s: computed by %d, not %d",
                     contender->info.name,
                     (int)contender->math,
                     contender->is_cramped ? " in little workspace" : "",
                     data->name,
                     shape.m,
                     shape.n,
                     op == MYBLAS_OP_T ? "TT" : "NN",
                     by,
                     wanted);
    }
    for (int i = 0; i < count; ++i) {
        free(contenders[i].c);
        contenders[i].c = NULL;
    }
    free(a);
    free(b);
    operands_destroy(&o);
}

// Different code packs lines along memory and k along memory. Unaligned operands go to other
// kernels.
static void test_who_computes(void** state) {
    static const struct {
        struct shape shape;
        myblasOperation_t op;
    } forms[] = {
        {{hard_m, hard_n, guarded_k}, MYBLAS_OP_N},
        {{hard_m, hard_n, guarded_k}, MYBLAS_OP_T},
        {{hard_m + 1, hard_n + 1, guarded_k}, MYBLAS_OP_N},
        {{hard_m + 1, hard_n + 1, guarded_k}, MYBLAS_OP_T},
    };
    myblasHandle_t handle = require_handle(state);
    struct contender contenders[max_contenders];
    const int count = find_contenders(handle, contenders);
    int tested = 0;
    for (int i = 0; i < count; ++i)
        tested += contenders[i].is_tested;
    for (size_t d = 0; tested > 0 && d < COUNT_OF(guarded); ++d) {
        for (size_t f = 0; f < COUNT_OF(forms); ++f) {
            char part[32];
            snprintf(part, sizeof part, "%s %zu", guarded[d].name, f);
            if (!is_in_share(part) || left_out(4))
                continue;
            random_seed(7);
            check_who_computes(handle, &guarded[d], forms[f].shape, forms[f].op, contenders, count);
        }
    }
}

// B picks one element of A for each element of C, so that the order of adding does not matter.
static float selected(bool of_a, int line, int k) {
    return of_a ? lognormal(of_a, line, k) : (float)(k == line * 7 % (4 * guarded_k));
}

static float selected_almost_overflowing(bool of_a, int line, int k) {
    return of_a ? almost_overflowing(true, line, k) : 0x1p50f * selected(false, line, k);
}

// A short product, whose blocks fit in one wave, is not left to emulated mode if limbs cannot hold
// its operands. The FP32 units compute it, in the same kernel or, if packing is a separate kernel,
// in the next one.
static void test_who_computes_short_products(void** state) {
    static const struct {
        const char* kernel;
        struct shape shape;
        float (*value)(bool of_a, int line, int k);
    } waves[] = {
        {"fp16x3/256x128", {2100, 1000, guarded_k}, lognormal},
        {"fp16x3/256x128", {2100, 1000, guarded_k}, almost_overflowing}, // exponents alone decide
        {"fp16x3/256x128", {2100, 1000, guarded_k}, tiny},
        {"fp16x3/256x128",
         {2100, 1000, guarded_k},
         lonely_in_a},                                          // one request in a million elements
        {"fp16x3/256x128", {2101, 1000, guarded_k}, lognormal}, // A as it is: unaligned
        {"fp16x3/256x128", {2100, 700, 4 * guarded_k}, selected}, // two blocks share a tile
        {"fp16x3/256x128", {2100, 700, 4 * guarded_k}, selected_almost_overflowing},
        {"fp16x3/128x128", {1100, 1000, guarded_k}, lognormal},
        {"fp16x3/128x128", {1100, 1000, guarded_k}, tiny},
        {"fp16x3/128x128", {1100, 1000, guarded_k}, lonely_in_b},
        {"bf16x6/128x128", {1100, 1000, guarded_k}, small},
        {"fp16x3/128x128", {1024, 1024, 4 * guarded_k}, selected},
    };
    static const struct {
        myblasOperation_t transa, transb;
        float beta;
    } forms[] = {
        {MYBLAS_OP_N, MYBLAS_OP_N, 0},
        {MYBLAS_OP_N, MYBLAS_OP_T, -0.5f},
        {MYBLAS_OP_T, MYBLAS_OP_N, 0},
        {MYBLAS_OP_T, MYBLAS_OP_T, 1},
    };
    myblasHandle_t handle = require_handle(state);
    struct operands o = operands_create(handle);
    for (int i = 0; i < kernel_count(handle, MYBLAS_ROUTINE_SGEMM); ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        for (size_t w = 0; w < COUNT_OF(waves) * COUNT_OF(forms); ++w) {
            const size_t wave = w / COUNT_OF(forms), form = w % COUNT_OF(forms);
            char part[32];
            snprintf(part, sizeof part, "%zu", w);
            if (strcmp(info.name, waves[wave].kernel) != 0 || !is_wanted(info.name) ||
                !device_has_kernel(handle, &info) || !is_in_share(part) || left_out(4))
                continue;
            const struct shape shape = waves[wave].shape;
            const size_t bytes = (size_t)shape.m * (size_t)shape.n * sizeof(float);
            random_seed(7);
            float *a, *b, *c = NULL;
            make_hard_data(waves[wave].value, shape, &a, &b);
            if (forms[form].transa == MYBLAS_OP_T)
                a = transposed(a, shape.m, shape.k);
            if (forms[form].transb == MYBLAS_OP_T)
                b = transposed(b, shape.k, shape.n);
            for (int strict = 0; strict < 2; ++strict) {
                if (strict)
                    assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, in_order));
                else
                    force_in_mode(handle, &info, weakest_mode(&info));
                const float* found = product_in_form(handle,
                                                     &o,
                                                     forms[form].transa,
                                                     forms[form].transb,
                                                     shape,
                                                     a,
                                                     b,
                                                     1,
                                                     forms[form].beta,
                                                     3);
                assert_non_null(found);
                if (strict)
                    assert_memory_equal(c, found, bytes);
                else
                    c = memcpy(allocate(1, bytes), found, bytes);
            }
            free(a);
            free(b);
            free(c);
        }
    }
    operands_destroy(&o);
}

// A transposed operand is packed by other code, but to the same limbs with the same samples of its
// lines, so the results have the same bits. With this number of chunks most strips use the samples
// of an earlier strip.
static void check_transposed_operands(myblasHandle_t handle, struct shape shape) {
    const size_t bytes = (size_t)shape.m * (size_t)shape.n * sizeof(float);
    struct operands o = operands_create(handle);
    for (int i = 0; i < kernel_count(handle, MYBLAS_ROUTINE_SGEMM); ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        if (!packs_limbs(&info) || !kernel_fits_device(handle, &info))
            continue;
        for (int of_a = 0; of_a < 2; ++of_a) {
            if (left_out(4))
                continue;
            random_seed(7);
            force(handle, &info);
            float *a, *b, *c = NULL;
            make_hard_data(of_a ? row_scaled : column_scaled, shape, &a, &b);
            for (int form = 0; form < 4; ++form) { // NN, TN, TT, NT
                if (form % 2 == 1)
                    a = transposed(a, form == 1 ? shape.m : shape.k, form == 1 ? shape.k : shape.m);
                if (form == 2)
                    b = transposed(b, shape.k, shape.n);
                const float* found =
                    product_in_form(handle,
                                    &o,
                                    form == 1 || form == 2 ? MYBLAS_OP_T : MYBLAS_OP_N,
                                    form >= 2 ? MYBLAS_OP_T : MYBLAS_OP_N,
                                    shape,
                                    a,
                                    b,
                                    1,
                                    0,
                                    0);
                assert_non_null(found);
                if (form == 0)
                    c = memcpy(allocate(1, bytes), found, bytes);
                else
                    assert_memory_equal(c, found, bytes);
            }
            free(a);
            free(b);
            free(c);
        }
    }
    operands_destroy(&o);
}

static void test_transposed_operands_are_packed_alike(void** state) {
    myblasHandle_t handle = require_handle(state);
    check_transposed_operands(handle, (struct shape){200, 100, 8192});
    if (!reduced()) // 16384 cells, for which packing reads ahead
        check_transposed_operands(handle, (struct shape){1024, 1024, 8192});
}

// ---- Passes -------------------------------------------------------------------------------------

// Small integers, which every order of summation and every way of splitting adds up exactly.
static void check_passes(myblasHandle_t handle,
                         const char* kernel,
                         struct shape s,
                         int batches,
                         bool trans,
                         size_t workspace_bytes) {
    const size_t m = (size_t)s.m, n = (size_t)s.n, k = (size_t)s.k, count = (size_t)batches;
    const myblasOperation_t op = trans ? MYBLAS_OP_T : MYBLAS_OP_N;
    const int lda = trans ? s.k : s.m, ldb = trans ? s.n : s.k;
    const float alpha = -1, beta = 2;
    struct operands o = operands_create(handle);
    float* a = operand_place(&o.a, count * m * k * sizeof(float), 0);
    float* b = operand_place(&o.b, count * k * n * sizeof(float), 0);
    float* c = operand_place(&o.c, count * m * n * sizeof(float), 0);
    float* expected = allocate(count * m * n, sizeof *expected);
    for (size_t i = 0; i < count; ++i) {
        struct product product = product_create(s, true);
        lay_out(a + i * m * k, lda, product.a, s.m, s.k, trans);
        lay_out(b + i * k * n, ldb, product.b, s.k, s.n, trans);
        for (size_t e = 0; e < m * n; ++e) {
            c[i * m * n + e] = product.c[e];
            expected[i * m * n + e] = (float)(alpha * product.ab[e] + beta * product.c[e]);
        }
        product_destroy(&product);
    }
    operand_upload(&o.a);
    operand_upload(&o.b);
    operand_upload(&o.c);
    operand_place(&o.workspace, workspace_bytes, 0);
    operand_upload(&o.workspace);

    myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
    call.transa = call.transb = op;
    call.m = s.m, call.n = s.n, call.k = s.k;
    call.lda = lda, call.ldb = ldb, call.ldc = s.m;
    call.batch_count = batches;
    size_t whole_bytes = 0;
    assert_ok(myblasGetWorkspaceSize(handle, &call, &whole_bytes));
    assert_true(whole_bytes > workspace_bytes);
    assert_ok(myblasSetWorkspace(handle, operand_device(&o.workspace), workspace_bytes));
    assert_ok(mysgemmStridedBatched(handle,
                                    op,
                                    op,
                                    s.m,
                                    s.n,
                                    s.k,
                                    &alpha,
                                    operand_device(&o.a),
                                    lda,
                                    (long long)(m * k),
                                    operand_device(&o.b),
                                    ldb,
                                    (long long)(k * n),
                                    &beta,
                                    operand_device(&o.c),
                                    s.m,
                                    (long long)(m * n),
                                    batches));
    const float* found = operand_download(&o.c);
    operand_download(&o.workspace); // and nothing was written around it
    for (size_t e = 0; e < count * m * n; ++e) {
        if (found[e] != expected[e])
            fail_msg("%s, %d of %d x %d x %d in %zu bytes: element %zu is %g, not %g",
                     kernel,
                     batches,
                     s.m,
                     s.n,
                     s.k,
                     workspace_bytes,
                     e,
                     (double)found[e],
                     (double)expected[e]);
    }
    assert_ok(myblasSetStream(handle, NULL)); // the handle's own workspace
    free(expected);
    operands_destroy(&o);
}

// A product that its workspace cannot hold is computed in passes over m, n, k and the batch. The
// last passes may be small. Then many blocks share a tile, and their sums also have to fit.
static void test_passes(void** state) {
    static const struct {
        struct shape shape;
        int batches;
        size_t workspace_bytes;
    } cases[] = {
        {{300, 140, 5000}, 1, 4 << 20},
        {{1, 1, 5054}, 1, 4 << 20},
        {{65, 7, 12009}, 1, 4 << 20},
        {{274, 8, 4105}, 1, 4 << 20},
        {{9000, 40, 300}, 1, 4 << 20},
        {{40, 9000, 300}, 1, 4 << 20},
        {{14, 11510, 800}, 1, 9 << 20},
        {{768, 1728, 500}, 1, 4 << 20},
        {{130, 70, 200}, 37, 4 << 20},
        {{256, 256, 2100}, 3, 4 << 20},
    };
    myblasHandle_t handle = require_handle(state);
    for (int i = 0; i < kernel_count(handle, MYBLAS_ROUTINE_SGEMM); ++i) {
        const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, i);
        if (!packs_limbs(&info) || !kernel_fits_device(handle, &info))
            continue;
        random_seed((uint64_t)i + 1);
        force(handle, &info);
        for (size_t c = 0; c < 2 * COUNT_OF(cases); ++c) {
            if (left_out(4))
                continue;
            check_passes(handle,
                         info.name,
                         cases[c / 2].shape,
                         cases[c / 2].batches,
                         c % 2,
                         cases[c / 2].workspace_bytes);
        }
    }
}

// With k == 0 or alpha == 0 in host memory A and B may be NULL, and C is scaled.
static void test_null_inputs(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    assert_ok(myblasSetMathMode(handle, MYBLAS_FP32_FAST_MATH)); // allows all kernels
    const int count = kernel_count(handle, MYBLAS_ROUTINE_SGEMM);
    struct operand c = operand_create(handle);
    for (int kernel = -1; kernel < count; ++kernel) {
        const char* name =
            kernel < 0 ? NULL : kernel_info(handle, MYBLAS_ROUTINE_SGEMM, kernel).name;
        assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, name));
        for (int k = 0; k <= 8; k += 8) {
            if (left_out(1))
                continue;
            const float alpha = k == 0 ? 1 : 0;
            for (size_t b = 0; b < COUNT_OF(scalars); ++b) {
                float* host = operand_place(&c, 16 * 8 * sizeof(float), 0);
                for (int i = 0; scalars[b] != 0 && i < 16 * 8; ++i)
                    host[i] = (float)i;
                operand_upload(&c);
                const myblasStatus_t status = mysgemm(handle,
                                                      MYBLAS_OP_N,
                                                      MYBLAS_OP_N,
                                                      16,
                                                      8,
                                                      k,
                                                      &alpha,
                                                      NULL,
                                                      16,
                                                      NULL,
                                                      8,
                                                      &scalars[b],
                                                      operand_device(&c),
                                                      16);
                if (name && status == MYBLAS_STATUS_NOT_SUPPORTED)
                    continue;
                assert_ok(status);
                const float* found = operand_download(&c);
                for (int i = 0; i < 16 * 8; ++i)
                    assert_true(found[i] == (scalars[b] == 0 ? 0 : scalars[b] * (float)i));
            }
        }
    }
    operand_destroy(&c);
}

// beta is NaN: so is C, which the kernels may read only where it is, also at an address in an array
// of pointers that is no multiple of 16 bytes.
static void test_nan_beta(void** state) {
    enum { m = 11, n = 33, k = 17, ldc = 16, batch = 2 };
    myblasHandle_t handle = require_handle(state);
    assert_ok(myblasSetMathMode(handle, MYBLAS_FP32_FAST_MATH)); // allows all kernels
    const int count = kernel_count(handle, MYBLAS_ROUTINE_SGEMM);
    const float alpha = 1, beta = NAN;
    struct operand a = operand_create(handle), b = operand_create(handle);
    struct operand c = operand_create(handle), pointers = operand_create(handle);
    float* host_a = operand_place(&a, m * k * sizeof(float), 4);
    float* host_b = operand_place(&b, k * n * sizeof(float), 4);
    for (int i = 0; i < m * k; ++i)
        host_a[i] = 1;
    for (int i = 0; i < k * n; ++i)
        host_b[i] = 1;
    operand_upload(&a);
    operand_upload(&b);
    for (int kernel = -1; kernel < count; ++kernel) {
        const char* name = NULL;
        if (kernel >= 0) {
            const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, kernel);
            if (!kernel_fits_device(handle, &info))
                continue;
            force(handle, &info);
            name = info.name;
        } else if (!is_in_share(NULL)) {
            continue;
        }
        float* host_c = operand_place(&c, batch * n * ldc * sizeof(float), 4);
        for (int i = 0; i < batch * n * ldc; ++i)
            host_c[i] = (float)i;
        operand_upload(&c);
        float** host_pointers = operand_place(&pointers, 3 * batch * sizeof(float*), 0);
        for (int i = 0; i < batch; ++i) {
            host_pointers[i] = operand_device(&a);
            host_pointers[batch + i] = operand_device(&b);
            host_pointers[2 * batch + i] = (float*)operand_device(&c) + i * n * ldc;
        }
        operand_upload(&pointers);
        float** const device = operand_device(&pointers);
        const myblasStatus_t status = mysgemmBatched(handle,
                                                     MYBLAS_OP_N,
                                                     MYBLAS_OP_N,
                                                     m,
                                                     n,
                                                     k,
                                                     &alpha,
                                                     (const float* const*)device,
                                                     m,
                                                     (const float* const*)(device + batch),
                                                     k,
                                                     &beta,
                                                     device + 2 * batch,
                                                     ldc,
                                                     batch);
        if (name && status == MYBLAS_STATUS_NOT_SUPPORTED)
            continue;
        assert_ok(status);
        const float* found = operand_download(&c);
        for (int i = 0; i < batch * n * ldc; ++i)
            assert_true(i % ldc < m ? isnan(found[i]) : found[i] == (float)i);
    }
    assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
    operand_destroy(&pointers);
    operand_destroy(&c);
    operand_destroy(&b);
    operand_destroy(&a);
}

// With k == 0 every element of C is scaled, also if C has more tiles than any GPU has
// multiprocessors.
static void test_empty_products(void** state) {
    enum { m = 2100, n = 2003, reduced_n = 403 };
    myblasHandle_t handle = require_handle(state);
    const int count = kernel_count(handle, MYBLAS_ROUTINE_SGEMM);
    const int cols = reduced() ? reduced_n : n;
    const size_t elements = (size_t)m * (size_t)cols;
    const float alpha = 1;
    struct operand c = operand_create(handle);
    for (int kernel = -1; kernel < count; ++kernel) {
        const char* name = NULL;
        if (kernel >= 0) {
            const myblasKernelInfo_t info = kernel_info(handle, MYBLAS_ROUTINE_SGEMM, kernel);
            if (!kernel_fits_device(handle, &info))
                continue;
            force(handle, &info);
            name = info.name;
        } else if (!is_in_share(NULL)) {
            continue;
        }
        for (size_t b = 0; b < COUNT_OF(scalars); ++b) {
            if (left_out(1))
                continue;
            float* host = operand_place(&c, elements * sizeof(float), 0);
            for (size_t i = 0; i < elements; ++i)
                host[i] = scalars[b] == 0 ? NAN : (float)(i % 1021);
            operand_upload(&c);
            const myblasStatus_t status = mysgemm(handle,
                                                  MYBLAS_OP_N,
                                                  MYBLAS_OP_N,
                                                  m,
                                                  cols,
                                                  0,
                                                  &alpha,
                                                  NULL,
                                                  m,
                                                  NULL,
                                                  1,
                                                  &scalars[b],
                                                  operand_device(&c),
                                                  m);
            if (name && status == MYBLAS_STATUS_NOT_SUPPORTED)
                continue;
            assert_ok(status);
            const float* found = operand_download(&c);
            for (size_t i = 0; i < elements; ++i) {
                if (found[i] != (scalars[b] == 0 ? 0 : scalars[b] * (float)(i % 1021)))
                    fail_msg("%s: element %zu is %g",
                             name ? name : "the selection",
                             i,
                             (double)found[i]);
            }
        }
    }
    operand_destroy(&c);
}

// ---- Operands in host memory --------------------------------------------------------------------

enum { host_m = 67, host_n = 41, host_k = 53, host_padding = 3 };

// Small integers, so that every order of summation is exact; NaN between the columns.
static void fill_columns(float* x, int rows, int cols) {
    const int ld = rows + host_padding;
    for (int j = 0; j < cols; ++j)
        for (int i = 0; i < ld; ++i)
            x[i + j * ld] = i < rows ? (float)((int)(random_bits() % 15) - 7) : NAN;
}

static void check_host_product(myblasHandle_t handle, bool ta, bool tb, float alpha, float beta) {
    static float a[(host_m + host_padding) * (host_m + host_padding)];
    static float b[(host_m + host_padding) * (host_m + host_padding)];
    static float c[(host_m + host_padding) * host_n], before[(host_m + host_padding) * host_n];
    const int lda = (ta ? host_k : host_m) + host_padding,
              ldb = (tb ? host_n : host_k) + host_padding;
    const int ldc = host_m + host_padding;
    fill_columns(a, ta ? host_k : host_m, ta ? host_m : host_k);
    fill_columns(b, tb ? host_n : host_k, tb ? host_k : host_n);
    fill_columns(c, host_m, host_n);
    if (beta == 0)
        for (size_t i = 0; i < COUNT_OF(c); ++i)
            c[i] = NAN;
    memcpy(before, c, sizeof c);
    const bool reads_ab = alpha != 0;
    assert_ok(mysgemmHost(handle,
                          ta ? MYBLAS_OP_T : MYBLAS_OP_N,
                          tb ? MYBLAS_OP_T : MYBLAS_OP_N,
                          host_m,
                          host_n,
                          host_k,
                          &alpha,
                          reads_ab ? a : NULL,
                          lda,
                          reads_ab ? b : NULL,
                          ldb,
                          &beta,
                          c,
                          ldc));
    for (int j = 0; j < host_n; ++j)
        for (int i = 0; i < ldc; ++i) {
            float expected = before[i + j * ldc];
            if (i < host_m) {
                float sum = 0;
                for (int l = 0; l < host_k && reads_ab; ++l)
                    sum += a[ta ? l + i * lda : i + l * lda] * b[tb ? j + l * ldb : l + j * ldb];
                expected = alpha * sum + (beta == 0 ? 0 : beta * expected);
            }
            if (isnan(expected))
                assert_true(isnan(c[i + j * ldc]));
            else
                assert_true(c[i + j * ldc] == expected);
        }
}

static void test_operands_in_host_memory(void** state) {
    myblasHandle_t handle = require_handle(state);
    skip_outside_share();
    for (int mode = 0; mode < 2; ++mode) { // in every pointer mode, the scalars are in host memory
        assert_ok(myblasSetPointerMode(
            handle, mode ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
        for (int form = 0; form < 4; ++form)
            for (size_t s = 0; s < COUNT_OF(scalars) * COUNT_OF(scalars); ++s)
                check_host_product(handle,
                                   form & 1,
                                   form & 2,
                                   scalars[s % COUNT_OF(scalars)],
                                   scalars[s / COUNT_OF(scalars)]);
    }
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_HOST));

    const float one = 1;
    float x = 3, y = 5, z = 7;
    assert_ok(mysgemmHost_64(handle, 0, 0, 1, 1, 1, &one, &x, 1, &y, 1, &one, &z, 1));
    assert_true(z == 22);
    assert_ok(mysgemmHost(handle, 0, 0, 1, 0, 1, NULL, NULL, 1, NULL, 1, NULL, NULL, 1));
    assert_status(NOT_INITIALIZED,
                  mysgemmHost(NULL, 0, 0, 1, 1, 1, &one, &x, 1, &y, 1, &one, &z, 1));
    assert_status(INVALID_VALUE,
                  mysgemmHost(handle, 0, 0, 2, 1, 1, &one, &x, 1, &y, 1, &one, &z, 2));
    assert_status(INVALID_VALUE,
                  mysgemmHost(handle, 0, 0, 1, 1, 1, NULL, &x, 1, &y, 1, &one, &z, 1));
    assert_status(INVALID_VALUE,
                  mysgemmHost(handle, 0, 0, 1, 1, 1, &one, NULL, 1, &y, 1, &one, &z, 1));
    assert_true(z == 22);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kernel),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_shared_tiles),
        cmocka_unit_test(test_tile_shapes),
        cmocka_unit_test(test_tall_products),
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_hard_data),
        cmocka_unit_test(test_lossy_elements),
        cmocka_unit_test(test_who_computes),
        cmocka_unit_test(test_who_computes_short_products),
        cmocka_unit_test(test_transposed_operands_are_packed_alike),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_null_inputs),
        cmocka_unit_test(test_nan_beta),
        cmocka_unit_test(test_empty_products),
        cmocka_unit_test(test_operands_in_host_memory),
    };
    return RUN_ON_BACKENDS("sgemm", tests);
}
