/*
 * Many small products: one call for all of them, and one call for each, with the times of both.
 *
 * Here each product applies a 4 x 4 transformation to the 4 x 16 points of one object, as in
 * graphics and robotics. A launch takes longer than such a product, so one call for all is much
 * faster on a GPU.
 *
 *     cc batches.c -o batches $(pkg-config --cflags --libs myblas)
 */
#define _POSIX_C_SOURCE 199309L
#include <myblas/myblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { side = 4, points = 16, objects = 5000 };
enum { transformation_size = side * side, object_size = side * points };

static void check(myblasStatus_t status, const char* what) {
    if (status != MYBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "%s: %s\n", what, myblasGetStatusString(status));
        exit(EXIT_FAILURE);
    }
}

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static float* on_device(myblasHandle_t handle, const float* values, int count) {
    void* memory;
    check(myblasMalloc(handle, &memory, (size_t)count * sizeof *values), "myblasMalloc");
    check(myblasSetVector(handle, count, sizeof *values, values, 1, memory, 1), "myblasSetVector");
    return memory;
}

static void multiply_all(myblasHandle_t handle, const float* a, const float* b, float* c) {
    const float one = 1, zero = 0;
    check(mysgemmStridedBatched(handle,
                                MYBLAS_OP_N,
                                MYBLAS_OP_N,
                                side,
                                points,
                                side,
                                &one,
                                a,
                                side,
                                transformation_size,
                                b,
                                side,
                                object_size,
                                &zero,
                                c,
                                side,
                                object_size,
                                objects),
          "mysgemmStridedBatched");
}

static void multiply_each(myblasHandle_t handle, const float* a, const float* b, float* c) {
    const float one = 1, zero = 0;
    for (int i = 0; i < objects; ++i)
        check(mysgemm(handle,
                      MYBLAS_OP_N,
                      MYBLAS_OP_N,
                      side,
                      points,
                      side,
                      &one,
                      a + i * transformation_size,
                      side,
                      b + i * object_size,
                      side,
                      &zero,
                      c + i * object_size,
                      side),
              "mysgemm");
}

/* The time of the second call: the first one loads code and makes the workspace. */
static double time_of(void (*multiply)(myblasHandle_t, const float*, const float*, float*),
                      myblasHandle_t handle,
                      const float* a,
                      const float* b,
                      float* c,
                      float* result) {
    double begin = 0;
    for (int turn = 0; turn < 2; ++turn) {
        check(myblasStreamSynchronize(handle, NULL), "myblasStreamSynchronize");
        begin = now_ms();
        multiply(handle, a, b, c);
        check(myblasStreamSynchronize(handle, NULL), "myblasStreamSynchronize");
    }
    const double time = now_ms() - begin;
    check(myblasGetVector(handle, objects * object_size, sizeof *c, c, 1, result, 1),
          "myblasGetVector");
    return time;
}

int main(void) {
    static float a[objects * transformation_size], b[objects * object_size];
    static float all[objects * object_size], each[objects * object_size];
    myblasHandle_t handle;

    /* Small integers: the results are exact, and so the same both ways. */
    for (int i = 0; i < objects * transformation_size; ++i)
        a[i] = (float)(i % 7 - 3);
    for (int i = 0; i < objects * object_size; ++i)
        b[i] = (float)(i % 11 - 5);

    check(myblasCreate(&handle), "myblasCreate");
    float *dev_a = on_device(handle, a, objects * transformation_size),
          *dev_b = on_device(handle, b, objects * object_size),
          *dev_c = on_device(handle, b, objects * object_size);

    printf("%d products of %d x %d and %d x %d\n", objects, side, side, side, points);
    printf("one call for each: %8.3f ms\n",
           time_of(multiply_each, handle, dev_a, dev_b, dev_c, each));
    printf("one call for all:  %8.3f ms\n",
           time_of(multiply_all, handle, dev_a, dev_b, dev_c, all));

    float first = 0;
    for (int l = 0; l < side; ++l)
        first += a[l * side] * b[l];
    const int is_right = memcmp(all, each, sizeof all) == 0 && all[0] == first;
    printf("the results are %s\n", is_right ? "right and the same" : "wrong");

    check(myblasFree(handle, dev_a), "myblasFree");
    check(myblasFree(handle, dev_b), "myblasFree");
    check(myblasFree(handle, dev_c), "myblasFree");
    check(myblasDestroy(handle), "myblasDestroy");
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
