// Threads of the host backend: the same bits for any number of threads, calls from several threads
// of a program, and fork().
#include "support.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { length = 3000001, product_side = 330, small_side = 21, batch = 2000, rows = 2100 };

struct data {
    float *x, *y, *z;
};

// Values with several digits, none much larger than the others.
static struct data make_data(void) {
    const size_t count = (size_t)rows * (rows + 1); // the largest that a call takes
    struct data d = {malloc(count * sizeof(float)),
                     malloc(count * sizeof(float)),
                     malloc(count * sizeof(float))};
    for (size_t i = 0; d.x && d.y && d.z && i < count; ++i) {
        d.x[i] = (float)((i * 2654435761u >> 7) % 65536) / 65536 - 0.5f;
        d.y[i] = (float)((i * 2246822519u >> 5) % 65536) / 65536 - 0.5f;
        d.z[i] = 0;
    }
    return d;
}

static void free_data(struct data d) {
    free(d.x);
    free(d.y);
    free(d.z);
}

static uint64_t hash(uint64_t so_far, const void* data, size_t bytes) {
    const unsigned char* at = data;
    for (size_t i = 0; i < bytes; ++i)
        so_far = (so_far ^ at[i]) * 1099511628211u;
    return so_far;
}

enum {
    level_1,
    products,
    small_products,
    small_products_packed,
    transposes,
    additions,
    matrix_sums,
    hash_count
};

// Hashes the results of each routine and kernel; returns false if a call failed.
static bool compute(uint64_t hashes[hash_count]) {
    const float half = 0.5f, one = 1, zero = 0;
    myblasHandle_t h = NULL;
    struct data d = make_data();
    bool ok = d.x && d.y && d.z && myblasCreateOn(&h, MYBLAS_BACKEND_HOST) == MYBLAS_STATUS_SUCCESS;
    for (int i = 0; i < hash_count; ++i)
        hashes[i] = 14695981039346656037u;
#define CALL(call) ok = ok && (call) == MYBLAS_STATUS_SUCCESS
    float found[4] = {0, 0, 0, 0};
    int index = 0;
    CALL(mysum(h, length, d.x, 1, &found[0]));
    CALL(mysasum(h, length, d.x, 1, &found[1]));
    CALL(mysdot(h, length, d.x, 1, d.y, 1, &found[2]));
    CALL(mysnrm2(h, length, d.x, 1, &found[3]));
    CALL(myisamax(h, length, d.x, 1, &index));
    CALL(myscopy(h, length, d.y, 1, d.z, 1));
    CALL(mysaxpy(h, length, &half, d.x, 1, d.z, 1));
    CALL(mysscal(h, length, &half, d.z, 1));
    if (ok) {
        hashes[level_1] = hash(hashes[level_1], found, sizeof found);
        hashes[level_1] = hash(hashes[level_1], &index, sizeof index);
        hashes[level_1] = hash(hashes[level_1], d.z, length * sizeof(float));
    }

    const int n = product_side;
    const size_t product_bytes = (size_t)n * n * sizeof(float);
    CALL(myblasForceKernel(h, MYBLAS_ROUTINE_SGEMM, "blocked"));
    for (int form = 0; ok && form < 4; ++form) {
        const myblasOperation_t transa = form & 1 ? MYBLAS_OP_T : MYBLAS_OP_N;
        const myblasOperation_t transb = form & 2 ? MYBLAS_OP_T : MYBLAS_OP_N;
        CALL(mysgemm(h, transa, transb, n, n, n, &half, d.x, n, d.y, n, &one, d.z, n));
        hashes[products] = hash(hashes[products], d.z, product_bytes);
    }

    // The two kernels read differently, but compute the same.
    const int s = small_side, stride = small_side * small_side;
    const char* const kernels[] = {"unpacked", "blocked"};
    for (int k = 0; ok && k < 2; ++k) {
        uint64_t* const to = &hashes[small_products + k];
        CALL(myblasForceKernel(h, MYBLAS_ROUTINE_SGEMM, kernels[k]));
        for (int form = 0; ok && form < 4; ++form)
            for (int height = 1; ok && height <= s; height += 5) {
                const float* const beta = form == 1 ? &half : &zero;
                const myblasOperation_t transa = form & 1 ? MYBLAS_OP_T : MYBLAS_OP_N;
                const myblasOperation_t transb = form & 2 ? MYBLAS_OP_T : MYBLAS_OP_N;
                memcpy(d.z, d.y, (size_t)stride * batch * sizeof(float));
                CALL(mysgemmStridedBatched(h,
                                           transa,
                                           transb,
                                           height,
                                           s,
                                           s,
                                           &half,
                                           d.x,
                                           s,
                                           stride,
                                           d.y,
                                           s,
                                           stride,
                                           beta,
                                           d.z,
                                           s,
                                           stride,
                                           batch));
                *to = hash(*to, d.z, (size_t)stride * batch * sizeof(float));
            }
    }

    // Large enough to go past the caches, and with columns that begin anywhere.
    const int m = rows;
    const size_t matrix_bytes = (size_t)m * (m + 1) * sizeof(float);
    CALL(mytranspose(h, m, m + 1, d.x, m, d.z, m + 1));
    if (ok)
        hashes[transposes] = hash(hashes[transposes], d.z, matrix_bytes);
    CALL(mysgeam(
        h, MYBLAS_OP_T, MYBLAS_OP_N, m + 1, m, &half, d.x, m, &one, d.y, m + 1, d.z, m + 1));
    if (ok)
        hashes[additions] = hash(hashes[additions], d.z, matrix_bytes);
    CALL(mysgeam(h, MYBLAS_OP_N, MYBLAS_OP_N, m, m, &half, d.x, m, &one, d.y, m, d.z, m));
    if (ok)
        hashes[additions] = hash(hashes[additions], d.z, (size_t)m * m * sizeof(float));
    CALL(mysgemsum(h, MYBLAS_OP_N, m, m, d.x, m, d.z));
    CALL(mysgemsum(h, MYBLAS_OP_T, m, m, d.x, m, d.z + m));
    if (ok)
        hashes[matrix_sums] = hash(hashes[matrix_sums], d.z, 2 * m * sizeof(float));
#undef CALL
    if (h)
        ok = myblasDestroy(h) == MYBLAS_STATUS_SUCCESS && ok;
    free_data(d);
    return ok;
}

// ---- The number of threads ----------------------------------------------------------------------

// In a separate process, because the variable is read once.
static void compute_in_child(const char* threads, uint64_t hashes[hash_count]) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        uint64_t found[hash_count];
        setenv("MYBLAS_NUM_THREADS", threads, 1);
        CHILD_CHECK(compute(found));
        CHILD_CHECK(write(ends[1], found, sizeof found) == sizeof found);
        exit(0); // with all that happens at the end of a process
    }
    close(ends[1]);
    const ssize_t bytes = read(ends[0], hashes, hash_count * sizeof(uint64_t));
    close(ends[0]);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(bytes, hash_count * sizeof(uint64_t));
}

static void test_bits(void** state) {
    (void)state;
    static const char* const counts[] = {"3", "2", "7"};
    uint64_t alone[hash_count], together[hash_count];
    compute_in_child("1", alone);
    assert_true(alone[small_products] == alone[small_products_packed]);
    for (size_t i = 0; i < (reduced() ? 1 : COUNT_OF(counts)); ++i) {
        compute_in_child(counts[i], together);
        for (int what = 0; what < hash_count; ++what)
            if (together[what] != alone[what])
                fail_msg("group %d has other bits with %s threads", what, counts[i]);
    }
}

// ---- Regions and blocks of a product ------------------------------------------------------------

// Products whose sides are near multiples of a kernel's blocks, so that regions at the edge of C
// are cut into other blocks than the first. All matrices are dense, and AB is exact.
struct blocked_product {
    int m, n, k;
    float *a, *b, *ab;
};

enum { blocked_products = 12, guard_floats = 1 << 16, most_threads = 8 };

// A side near a multiple of half a block.
static int around_blocks(int block) {
    return (int)(random_between(1, 5) * block / 2 + random_between(-3, 35));
}

static struct blocked_product make_blocked_product(int index, const myblasKernelInfo_t* info) {
    // Regions of one block and regions of two; B narrower than A is high, and the reverse.
    static const int known[][3] = {{386, 386, 400}, {410, 61, 300}, {61, 1600, 260}};
    struct blocked_product p;
    if (index < (int)COUNT_OF(known))
        p = (struct blocked_product){
            .m = known[index][0], .n = known[index][1], .k = known[index][2]};
    else
        p = (struct blocked_product){.m = around_blocks(info->block_m),
                                     .n = (int)random_between(1, 420),
                                     .k = around_blocks(info->block_k)};
    p.a = malloc((size_t)p.m * p.k * sizeof(float));
    p.b = malloc((size_t)p.k * p.n * sizeof(float));
    p.ab = calloc((size_t)p.m * p.n, sizeof(float));
    assert_true(p.a && p.b && p.ab);
    for (int i = 0; i < p.m * p.k; ++i)
        p.a[i] = random_integer();
    for (int i = 0; i < p.k * p.n; ++i)
        p.b[i] = random_integer();
    for (int j = 0; j < p.n; ++j)
        for (int l = 0; l < p.k; ++l)
            for (int i = 0; i < p.m; ++i)
                p.ab[i + (size_t)j * p.m] += p.a[i + (size_t)l * p.m] * p.b[l + (size_t)j * p.k];
    return p;
}

static void free_blocked_product(struct blocked_product p) {
    free(p.a);
    free(p.b);
    free(p.ab);
}

static float* transposed(const float* x, int rows, int cols) {
    float* t = malloc((size_t)rows * cols * sizeof(float));
    for (int j = 0; t && j < cols; ++j)
        for (int i = 0; i < rows; ++i)
            t[j + (size_t)i * cols] = x[i + (size_t)j * rows];
    return t;
}

// Computes p repeatedly with a workspace of exactly the size that the library returns. Returns
// false if an element is wrong, or if memory after the workspace was written.
static bool repeat_product(myblasHandle_t h, const struct blocked_product* p, int repetitions) {
    const int form = p->m % 4;
    const myblasOperation_t transa = form & 1 ? MYBLAS_OP_T : MYBLAS_OP_N;
    const myblasOperation_t transb = form & 2 ? MYBLAS_OP_T : MYBLAS_OP_N;
    float* const a_t = transposed(p->a, p->m, p->k);
    float* const b_t = transposed(p->b, p->k, p->n);
    float* const c = malloc((size_t)p->m * p->n * sizeof(float));
    const float one = 1, zero = 0;
    myblasCall_t call = empty_call(MYBLAS_ROUTINE_SGEMM);
    call.transa = transa, call.transb = transb;
    call.m = p->m, call.n = p->n, call.k = p->k;
    call.lda = transa == MYBLAS_OP_N ? p->m : p->k;
    call.ldb = transb == MYBLAS_OP_N ? p->k : p->n;
    call.ldc = p->m;
    size_t bytes = 0;
    bool ok = a_t && b_t && c && myblasGetWorkspaceSize(h, &call, &bytes) == MYBLAS_STATUS_SUCCESS;
    const size_t floats = bytes / sizeof(float);
    float* const workspace =
        aligned_alloc(256, ((floats + guard_floats) * sizeof(float) + 255) / 256 * 256);
    ok = ok && workspace &&
         myblasSetWorkspace(h, bytes ? workspace : NULL, bytes) == MYBLAS_STATUS_SUCCESS;
    for (size_t i = 0; ok && i < floats + guard_floats; ++i)
        workspace[i] = (float)NAN;
    for (int repetition = 0; ok && repetition < repetitions; ++repetition) {
        memset(c, 0xFF, (size_t)p->m * p->n * sizeof(float));
        ok = mysgemm(h,
                     transa,
                     transb,
                     p->m,
                     p->n,
                     p->k,
                     &one,
                     form & 1 ? a_t : p->a,
                     (int)call.lda,
                     form & 2 ? b_t : p->b,
                     (int)call.ldb,
                     &zero,
                     c,
                     p->m) == MYBLAS_STATUS_SUCCESS &&
             memcmp(c, p->ab, (size_t)p->m * p->n * sizeof(float)) == 0;
    }
    for (size_t i = floats; ok && i < floats + guard_floats; ++i)
        ok = isnan(workspace[i]);
    if (!ok)
        fprintf(stderr, "%d x %d x %d, %zu bytes\n", p->m, p->n, p->k, bytes);
    free(workspace);
    free(c);
    free(b_t);
    free(a_t);
    return ok;
}

// MYBLAS_TEST_REPETITIONS is the number of runs for each number of threads over all products. The
// default is a thousand runs in all.
static int repetitions_of_a_product(void) {
    const char* text = getenv("MYBLAS_TEST_REPETITIONS");
    const int repetitions = text ? atoi(text) : reduced() ? 2 : 1000 / most_threads;
    return repetitions / blocked_products + 1;
}

static void test_blocks(void** state) {
    (void)state;
    static const char kernel[] = "blocked";
    myblasHandle_t h = NULL;
    assert_ok(myblasCreateOn(&h, MYBLAS_BACKEND_HOST));
    myblasKernelInfo_t info = kernel_info(h, MYBLAS_ROUTINE_SGEMM, 0);
    for (int i = 1; strcmp(info.name, kernel) != 0; ++i)
        info = kernel_info(h, MYBLAS_ROUTINE_SGEMM, i);
    struct blocked_product products[blocked_products];
    for (int i = 0; i < blocked_products; ++i)
        products[i] = make_blocked_product(i, &info);
    for (int threads = 1; threads <= most_threads; ++threads) {
        const pid_t child = fork(); // the variable is read once a process
        assert_true(child >= 0);
        if (child == 0) {
            char count[16];
            snprintf(count, sizeof count, "%d", threads);
            setenv("MYBLAS_NUM_THREADS", count, 1);
            CHILD_CHECK(myblasForceKernel(h, MYBLAS_ROUTINE_SGEMM, kernel) ==
                        MYBLAS_STATUS_SUCCESS);
            for (int i = 0; i < blocked_products; ++i)
                CHILD_CHECK(repeat_product(h, &products[i], repetitions_of_a_product()));
            _exit(0);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0)
            fail_msg("wrong with %d threads", threads);
    }
    for (int i = 0; i < blocked_products; ++i)
        free_blocked_product(products[i]);
    assert_ok(myblasDestroy(h));
}

// ---- Programs with threads ----------------------------------------------------------------------

struct caller {
    const uint64_t* expected;
    int rounds;
    bool is_right;
    pthread_t thread;
};

static void* call_repeatedly(void* argument) {
    struct caller* self = argument;
    self->is_right = true;
    for (int round = 0; round < self->rounds; ++round) {
        uint64_t found[hash_count];
        self->is_right =
            compute(found) && self->is_right && memcmp(found, self->expected, sizeof found) == 0;
    }
    return NULL;
}

static void start(struct caller* caller, const uint64_t* expected, int rounds) {
    *caller = (struct caller){.expected = expected, .rounds = rounds};
    assert_int_equal(pthread_create(&caller->thread, NULL, call_repeatedly, caller), 0);
}

static void expect_right(struct caller* caller) {
    assert_int_equal(pthread_join(caller->thread, NULL), 0);
    assert_true(caller->is_right);
}

static void test_callers(void** state) {
    const uint64_t* expected = *state;
    struct caller callers[3];
    for (size_t i = 0; i < COUNT_OF(callers); ++i)
        start(&callers[i], expected, 1);
    for (size_t i = 0; i < COUNT_OF(callers); ++i)
        expect_right(&callers[i]);
}

// A hundred thousand handles in eight threads, each with one product.
enum { maker_count = 8 };

static void* make_handles(void* argument) {
    static const float a = 3, b = 5, one = 1, zero = 0;
    struct caller* self = argument;
    self->is_right = true;
    for (int i = 0; self->is_right && i < self->rounds; ++i) {
        myblasHandle_t h = NULL;
        float c = -1;
        self->is_right =
            myblasCreateOn(&h, MYBLAS_BACKEND_HOST) == MYBLAS_STATUS_SUCCESS &&
            mysgemm(h, 0, 0, 1, 1, 1, &one, &a, 1, &b, 1, &zero, &c, 1) == MYBLAS_STATUS_SUCCESS &&
            c == 15 && myblasDestroy(h) == MYBLAS_STATUS_SUCCESS;
    }
    return NULL;
}

static void test_many_handles(void** state) {
    (void)state;
    struct caller makers[maker_count];
    for (size_t i = 0; i < COUNT_OF(makers); ++i) {
        makers[i] = (struct caller){.rounds = (reduced() ? 10000 : 100000) / maker_count};
        assert_int_equal(pthread_create(&makers[i].thread, NULL, make_handles, &makers[i]), 0);
    }
    for (size_t i = 0; i < COUNT_OF(makers); ++i)
        expect_right(&makers[i]);
}

// A process may fork while another thread's call uses the workers. The child has no workers.
static void test_fork(void** state) {
    const uint64_t* expected = *state;
    struct caller beside;
    const int rounds = reduced() ? 1 : 3;
    start(&beside, expected, rounds);
    for (int i = 0; i < rounds; ++i) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            uint64_t found[hash_count];
            alarm(120); // instead of waiting for ever
            CHILD_CHECK(compute(found));
            CHILD_CHECK(memcmp(found, expected, sizeof found) == 0);
            exit(0);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    expect_right(&beside);
}

static int set_up(void** state) {
    static uint64_t expected[hash_count];
    setenv("MYBLAS_NUM_THREADS", "3", 1);
    *state = expected;
    return compute(expected) ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest numbers[] = {cmocka_unit_test(test_bits),
                                         cmocka_unit_test(test_blocks)};
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_callers),
                                       cmocka_unit_test(test_many_handles),
                                       cmocka_unit_test(test_fork)};
    const int failed = cmocka_run_group_tests_name("numbers", numbers, NULL, NULL);
    return failed + cmocka_run_group_tests_name("callers", tests, set_up, NULL);
}
