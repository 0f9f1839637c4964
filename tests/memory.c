// myblasMalloc, myblasFree and the copies of matrices and vectors, in all their forms.
#include "support.h"

enum form { plain, plain_64, async, async_64, form_count };

static myblasStatus_t copy_matrix(myblasHandle_t h,
                                  enum form form,
                                  bool to_device,
                                  int64_t rows,
                                  int64_t cols,
                                  int64_t bytes,
                                  const void* a,
                                  int64_t lda,
                                  void* b,
                                  int64_t ldb,
                                  myblasStream_t stream) {
    const int r = (int)rows, c = (int)cols, e = (int)bytes, la = (int)lda, lb = (int)ldb;
    switch (form) {
    case plain:
        return to_device ? myblasSetMatrix(h, r, c, e, a, la, b, lb)
                         : myblasGetMatrix(h, r, c, e, a, la, b, lb);
    case plain_64:
        return to_device ? myblasSetMatrix_64(h, rows, cols, bytes, a, lda, b, ldb)
                         : myblasGetMatrix_64(h, rows, cols, bytes, a, lda, b, ldb);
    case async:
        return to_device ? myblasSetMatrixAsync(h, r, c, e, a, la, b, lb, stream)
                         : myblasGetMatrixAsync(h, r, c, e, a, la, b, lb, stream);
    default:
        return to_device ? myblasSetMatrixAsync_64(h, rows, cols, bytes, a, lda, b, ldb, stream)
                         : myblasGetMatrixAsync_64(h, rows, cols, bytes, a, lda, b, ldb, stream);
    }
}

static myblasStatus_t copy_vector(myblasHandle_t h,
                                  enum form form,
                                  bool to_device,
                                  int64_t n,
                                  int64_t bytes,
                                  const void* x,
                                  int64_t incx,
                                  void* y,
                                  int64_t incy,
                                  myblasStream_t stream) {
    const int k = (int)n, e = (int)bytes, ix = (int)incx, iy = (int)incy;
    switch (form) {
    case plain:
        return to_device ? myblasSetVector(h, k, e, x, ix, y, iy)
                         : myblasGetVector(h, k, e, x, ix, y, iy);
    case plain_64:
        return to_device ? myblasSetVector_64(h, n, bytes, x, incx, y, incy)
                         : myblasGetVector_64(h, n, bytes, x, incx, y, incy);
    case async:
        return to_device ? myblasSetVectorAsync(h, k, e, x, ix, y, iy, stream)
                         : myblasGetVectorAsync(h, k, e, x, ix, y, iy, stream);
    default:
        return to_device ? myblasSetVectorAsync_64(h, n, bytes, x, incx, y, incy, stream)
                         : myblasGetVectorAsync_64(h, n, bytes, x, incx, y, incy, stream);
    }
}

static void test_blocks(void** state) {
    myblasHandle_t handle = require_handle(state);
    static const size_t sizes[] = {1, 3, 255, 256, 257, 4096, 1 << 20};
    void* blocks[COUNT_OF(sizes)];
    for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
        assert_ok(myblasMalloc(handle, &blocks[i], sizes[i]));
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 256, 0);
        // All of the allocated memory can be written.
        unsigned char* pattern = malloc(sizes[i]);
        assert_non_null(pattern);
        memset(pattern, (int)i + 1, sizes[i]);
        assert_ok(myblasSetVector_64(handle, (int64_t)sizes[i], 1, pattern, 1, blocks[i], 1));
        free(pattern);
    }
    for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
        unsigned char ends[2] = {0, 0};
        const int64_t distance = (int64_t)sizes[i] - 1;
        assert_ok(myblasGetVector_64(
            handle, distance ? 2 : 1, 1, blocks[i], distance ? distance : 1, ends, 1));
        assert_int_equal(ends[0], i + 1);
        assert_int_equal(ends[1], distance ? i + 1 : 0);
        assert_ok(myblasFree(handle, blocks[i]));
    }

    void* nothing = &nothing;
    assert_ok(myblasMalloc(handle, &nothing, 0));
    assert_null(nothing);
    assert_ok(myblasFree(handle, NULL));
    assert_status(INVALID_VALUE, myblasMalloc(handle, NULL, 16));
    // Not under compute-sanitizer, which reports the driver's refusal as an error.
    for (int shift = 0; shift < 2 && !reduced(); ++shift) {
        void* too_much = &too_much;
        assert_status(ALLOC_FAILED, myblasMalloc(handle, &too_much, SIZE_MAX >> shift));
        assert_null(too_much);
    }
    void* untouched = &untouched;
    assert_status(NOT_INITIALIZED, myblasMalloc(NULL, &untouched, 16));
    assert_ptr_equal(untouched, &untouched);
    assert_status(NOT_INITIALIZED, myblasFree(NULL, NULL));
}

// To the device and back with different leading dimensions; padding keeps its values.
static void check_matrix(
    myblasHandle_t handle, enum form form, int rows, int cols, int bytes, myblasStream_t stream) {
    const int lda = rows + 3, ldb = rows + 1, ldc = rows + 2;
    const size_t element = (size_t)bytes;
    unsigned char* from = malloc((size_t)lda * (size_t)cols * element);
    unsigned char* to = malloc((size_t)ldc * (size_t)cols * element);
    assert_non_null(from);
    assert_non_null(to);
    for (size_t i = 0; i < (size_t)lda * (size_t)cols * element; ++i)
        from[i] = (unsigned char)random_bits();
    memset(to, 0xEE, (size_t)ldc * (size_t)cols * element);
    struct operand device = operand_create(handle);
    operand_place(&device, matrix_bytes(rows, cols, ldb, element), 0);
    operand_upload(&device);

    assert_ok(copy_matrix(
        handle, form, true, rows, cols, bytes, from, lda, operand_device(&device), ldb, stream));
    assert_ok(copy_matrix(
        handle, form, false, rows, cols, bytes, operand_device(&device), ldb, to, ldc, stream));
    assert_ok(myblasStreamSynchronize(handle, stream));
    for (int j = 0; j < cols; ++j) {
        const size_t column = (size_t)rows * element;
        const unsigned char* end = to + (size_t)j * (size_t)ldc * element + column;
        assert_memory_equal(from + (size_t)j * (size_t)lda * element, end - column, column);
        for (size_t i = 0; i < 2 * element; ++i)
            assert_int_equal(end[i], 0xEE);
    }
    operand_download(&device);
    operand_assert_padding(&device, rows, cols, ldb, element);
    operand_destroy(&device);
    free(from);
    free(to);
}

static void check_vector(myblasHandle_t handle,
                         enum form form,
                         int n,
                         int bytes,
                         int incx,
                         int incy,
                         myblasStream_t stream) {
    const size_t element = (size_t)bytes;
    unsigned char* from = malloc((size_t)n * (size_t)incx * element);
    unsigned char* to = malloc((size_t)n * (size_t)incx * element);
    assert_non_null(from);
    assert_non_null(to);
    for (size_t i = 0; i < (size_t)n * (size_t)incx * element; ++i)
        from[i] = (unsigned char)random_bits();
    memset(to, 0xEE, (size_t)n * (size_t)incx * element);
    struct operand device = operand_create(handle);
    operand_place(&device, matrix_bytes(1, n, incy, element), 0);
    operand_upload(&device);

    assert_ok(copy_vector(
        handle, form, true, n, bytes, from, incx, operand_device(&device), incy, stream));
    assert_ok(copy_vector(
        handle, form, false, n, bytes, operand_device(&device), incy, to, incx, stream));
    assert_ok(myblasStreamSynchronize(handle, stream));
    for (size_t i = 0; i < (size_t)n * (size_t)incx; ++i) {
        if (i % (size_t)incx == 0)
            assert_memory_equal(to + i * element, from + i * element, element);
        else
            assert_int_equal(to[i * element], 0xEE);
    }
    operand_download(&device);
    operand_assert_padding(&device, 1, n, incy, element);
    operand_destroy(&device);
    free(from);
    free(to);
}

static void test_copies(void** state) {
    myblasHandle_t handle = require_handle(state);
    static const int element_sizes[] = {1, 2, 4, 8, 16, 12};
    myblasStream_t streams[2] = {NULL, NULL};
    assert_ok(myblasStreamCreate(handle, &streams[1]));
    for (int form = 0; form < form_count; ++form) {
        for (size_t e = 0; e < COUNT_OF(element_sizes); ++e) {
            for (int s = 0; s < 2; ++s) {
                // The plain forms work on the handle's stream.
                assert_ok(myblasSetStream(handle, streams[s]));
                const int bytes = element_sizes[e];
                check_matrix(handle, (enum form)form, 1, 1, bytes, streams[s]);
                check_matrix(handle, (enum form)form, 7, 5, bytes, streams[s]);
                check_matrix(handle, (enum form)form, 1, 33, bytes, streams[s]);
                check_matrix(handle, (enum form)form, 129, 2, bytes, streams[s]);
                check_vector(handle, (enum form)form, 1, bytes, 1, 1, streams[s]);
                check_vector(handle, (enum form)form, 101, bytes, 1, 1, streams[s]);
                check_vector(handle, (enum form)form, 101, bytes, 3, 1, streams[s]);
                check_vector(handle, (enum form)form, 101, bytes, 2, 5, streams[s]);
            }
        }
    }
    assert_ok(myblasSetStream(handle, NULL));
    assert_ok(myblasStreamDestroy(handle, streams[1]));
}

// A copy waits for earlier work of the handle's stream.
static void test_copies_follow_work(void** state) {
    myblasHandle_t handle = require_handle(state);
    enum { n = 1 << 16, rounds = 50 };
    myblasStream_t stream = NULL;
    assert_ok(myblasStreamCreate(handle, &stream));
    assert_ok(myblasSetStream(handle, stream));
    float* host = calloc(n, sizeof *host);
    assert_non_null(host);
    for (int i = 0; i < n; ++i)
        host[i] = (float)(i % 100);
    void *x = NULL, *y = NULL;
    assert_ok(myblasMalloc(handle, &x, n * sizeof(float)));
    assert_ok(myblasMalloc(handle, &y, n * sizeof(float)));
    assert_ok(myblasSetVector(handle, n, sizeof(float), host, 1, x, 1));
    memset(host, 0, n * sizeof *host);
    assert_ok(myblasSetVector(handle, n, sizeof(float), host, 1, y, 1));
    const float one = 1;
    for (int round = 0; round < rounds; ++round)
        assert_ok(mysaxpy(handle, n, &one, x, 1, y, 1));
    assert_ok(myblasGetVector(handle, n, sizeof(float), y, 1, host, 1));
    for (int i = 0; i < n; ++i)
        assert_true(host[i] == (float)(rounds * (i % 100)));
    free(host);
    assert_ok(myblasFree(handle, x));
    assert_ok(myblasFree(handle, y));
    assert_ok(myblasSetStream(handle, NULL));
    assert_ok(myblasStreamDestroy(handle, stream));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_copies_follow_work),
    };
    return RUN_ON_BACKENDS("memory", tests);
}
