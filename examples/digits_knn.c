/*
 * Reads handwritten digits: 597 images, each by its 3 nearest neighbours among 1,200 known ones.
 *
 * All distances come from one matrix product, by |x - y|^2 = |x|^2 + |y|^2 - 2 x.y: with the images
 * in the columns of X and Y,
 *     D  = -2 X^T Y                   the inner products
 *     D += [|x|^2 1] [1 |y|^2]^T      the squared lengths, as a product of rank 2
 * Memory and copies go through the library, so the program runs unchanged on a GPU and without one.
 * OpenBLAS computes the same distances, and the two must agree within what rounding allows.
 *
 *     cc digits_knn.c -o digits_knn $(pkg-config --cflags --libs myblas openblas) -lm
 *     ./digits_knn data/digits.csv
 */
#include <cblas.h>
#include <math.h>
#include <myblas/myblas.h>
#include <myblas/myblas_kernels.h>
#include <stdio.h>
#include <stdlib.h>

enum { pixels = 64, train = 1200, test = 597, neighbours = 3, classes = 10 };

static const double unit_roundoff = 0x1p-24;

static void check(myblasStatus_t status, const char* what) {
    if (status != MYBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "%s: %s\n", what, myblasGetStatusString(status));
        exit(EXIT_FAILURE);
    }
}

/* Reads `count` images, each scaled to length 1 so that faint and bold strokes compare. */
static void read_images(FILE* file, int count, float* images, int* labels) {
    for (int i = 0; i < count; ++i) {
        float* image = images + (size_t)i * pixels;
        double length = 0;
        int value = 0;
        for (int p = 0; p < pixels; ++p) {
            if (fscanf(file, "%d,", &value) != 1) {
                fprintf(stderr, "the data ends early\n");
                exit(EXIT_FAILURE);
            }
            image[p] = (float)value;
            length += (double)value * value;
        }
        if (fscanf(file, "%d", &value) != 1 || value < 0 || value >= classes) {
            fprintf(stderr, "an image without a label\n");
            exit(EXIT_FAILURE);
        }
        labels[i] = value;
        for (int p = 0; p < pixels; ++p)
            image[p] = (float)(image[p] / sqrt(length));
    }
}

static float squared_length(const float* image) {
    double sum = 0;
    for (int p = 0; p < pixels; ++p)
        sum += (double)image[p] * image[p];
    return (float)sum;
}

/* A matrix in the memory of the handle's backend. */
static float* upload(myblasHandle_t handle, int rows, int cols, const float* matrix) {
    void* copy = NULL;
    check(myblasMalloc(handle, &copy, (size_t)rows * cols * sizeof(float)), "myblasMalloc");
    if (matrix != NULL)
        check(myblasSetMatrix(handle, rows, cols, sizeof(float), matrix, rows, copy, rows),
              "myblasSetMatrix");
    return copy;
}

/* The most frequent label among the nearest images; the nearest decides a tie. */
static int classify(const float* distances, const int* labels) {
    int nearest[neighbours];
    int found = 0;
    for (int i = 0; i < train; ++i) {
        int at = found < neighbours ? found++ : neighbours;
        for (; at > 0 && distances[i] < distances[nearest[at - 1]]; --at)
            if (at < neighbours)
                nearest[at] = nearest[at - 1];
        if (at < neighbours)
            nearest[at] = i;
    }
    int votes[classes] = {0};
    for (int i = 0; i < neighbours; ++i)
        ++votes[labels[nearest[i]]];
    int best = labels[nearest[0]];
    for (int i = 1; i < neighbours; ++i)
        if (votes[labels[nearest[i]]] > votes[best])
            best = labels[nearest[i]];
    return best;
}

int main(int argc, char** argv) {
    static float x[train * pixels], y[test * pixels]; /* 64 x 1200, 64 x 597 */
    static float x_lengths[2 * train];                /* 1200 x 2: [|x|^2 1] */
    static float y_lengths[2 * test];                 /* 597 x 2: [1 |y|^2] */
    static float distances[train * test], reference[train * test];
    static int x_labels[train], y_labels[test];

    FILE* file = fopen(argc > 1 ? argv[1] : "data/digits.csv", "r");
    if (file == NULL) {
        fprintf(stderr, "usage: %s data/digits.csv\n", argv[0]);
        return EXIT_FAILURE;
    }
    read_images(file, train, x, x_labels);
    read_images(file, test, y, y_labels);
    fclose(file);
    for (int i = 0; i < train; ++i) {
        x_lengths[i] = squared_length(x + i * pixels);
        x_lengths[train + i] = 1;
    }
    for (int j = 0; j < test; ++j) {
        y_lengths[j] = 1;
        y_lengths[test + j] = squared_length(y + j * pixels);
    }

    myblasHandle_t handle;
    myblasBackend_t backend;
    check(myblasCreate(&handle), "myblasCreate");
    check(myblasGetBackend(handle, &backend), "myblasGetBackend");

    float* dev_x = upload(handle, pixels, train, x);
    float* dev_y = upload(handle, pixels, test, y);
    float* dev_x_lengths = upload(handle, train, 2, x_lengths);
    float* dev_y_lengths = upload(handle, test, 2, y_lengths);
    float* dev_distances = upload(handle, train, test, NULL);

    const float minus_two = -2, zero = 0, one = 1;
    check(mysgemm(handle,
                  MYBLAS_OP_T,
                  MYBLAS_OP_N,
                  train,
                  test,
                  pixels,
                  &minus_two,
                  dev_x,
                  pixels,
                  dev_y,
                  pixels,
                  &zero,
                  dev_distances,
                  train),
          "mysgemm");
    const char* kernel = NULL;
    check(myblasGetLastKernel(handle, MYBLAS_ROUTINE_SGEMM, &kernel), "myblasGetLastKernel");
    check(mysgemm(handle,
                  MYBLAS_OP_N,
                  MYBLAS_OP_T,
                  train,
                  test,
                  2,
                  &one,
                  dev_x_lengths,
                  train,
                  dev_y_lengths,
                  test,
                  &one,
                  dev_distances,
                  train),
          "mysgemm");
    check(
        myblasGetMatrix(handle, train, test, sizeof(float), dev_distances, train, distances, train),
        "myblasGetMatrix");

    float* const allocations[] = {dev_x, dev_y, dev_x_lengths, dev_y_lengths, dev_distances};
    for (size_t i = 0; i < sizeof allocations / sizeof *allocations; ++i)
        check(myblasFree(handle, allocations[i]), "myblasFree");
    check(myblasDestroy(handle), "myblasDestroy");

    cblas_sgemm(CblasColMajor,
                CblasTrans,
                CblasNoTrans,
                train,
                test,
                pixels,
                minus_two,
                x,
                pixels,
                y,
                pixels,
                zero,
                reference,
                train);
    cblas_sgemm(CblasColMajor,
                CblasNoTrans,
                CblasTrans,
                train,
                test,
                2,
                one,
                x_lengths,
                train,
                y_lengths,
                test,
                one,
                reference,
                train);

    /*
     * A product of depth k has an error of at most (k + 4) u (|alpha| |A| |B| + |beta| |C|). No
     * pixel is negative, so that 2 x.y is |alpha| |A| |B| of the first product and bounds |C| in
     * the second; and both libraries may err.
     */
    const double bound = 2 * ((pixels + 4) + (2 + 4));
    double error = 0;
    int correct = 0;
    for (int j = 0; j < test; ++j) {
        for (int i = 0; i < train; ++i) {
            const double sum = (double)x_lengths[i] + y_lengths[test + j];
            const size_t at = (size_t)j * train + i;
            const double products = fabs(sum - reference[at]);
            const double here =
                fabs((double)distances[at] - reference[at]) / (unit_roundoff * (sum + products));
            if (!(here <= error)) /* also takes a NaN */
                error = here;
        }
        correct += classify(distances + (size_t)j * train, x_labels) == y_labels[j];
    }
    const double accuracy = 100.0 * correct / test;

    printf("k-nearest neighbours on handwritten digits\n");
    printf("  backend                 %s, kernel %s\n",
           backend == MYBLAS_BACKEND_CUDA ? "cuda" : "host",
           kernel);
    printf("  distances               %d x %d, from %d pixels\n", train, test, pixels);
    printf("  read correctly          %d of %d (%.1f %%)\n", correct, test, accuracy);
    printf("  difference to OpenBLAS  %.2f u, at most %.0f u allowed (u = 2^-24)\n", error, bound);

    if (!(error <= bound) || accuracy < 95) {
        fprintf(stderr, "WRONG: the answer is not what this data gives\n");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
