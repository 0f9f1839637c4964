/*
 * Reads handwritten digits by ridge regression: the least squares fit of each digit's indicator (1
 * where an image shows it, else -1) by 512 features of 1,200 images, tried on 597 others.
 *
 * The features are cosines of random projections, phi(x) = sqrt(2 / 512) cos(W^T x + b), which
 * stand for a Gaussian kernel (Rahimi and Recht, Random Features for Large-Scale Kernel Machines,
 * 2007). With one image's features in each column of F, and its indicators in each row of Y:
 *     S = F F^T + lambda I    myssyrk: the normal matrix; one triangle is enough
 *     S = L L^T               Cholesky's factorisation in blocks of 64 columns: the block on the
 *                             diagonal on the host, the part below it by mystrsm, the part right of
 *                             it by myssyrk
 *     L L^T X = F Y           mystrsm, for the right-hand sides of all digits at once
 *     L Z = F                 mystrsm with 1,200 right-hand sides. A fit without one image gives it
 *                             (F^T X - h Y) / (1 - h); h is the squared length of its column of Z
 * Memory and copies go through the library, so the program runs unchanged on a GPU and without one.
 * The factor and the solution must fit S within what rounding allows, and OpenBLAS's LAPACK must
 * find the same solution.
 *
 *     cc digits_ridge.c -o digits_ridge $(pkg-config --cflags --libs myblas openblas) -lm
 *     ./digits_ridge data/digits.csv
 */
#include <math.h>
#include <myblas/myblas.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { pixels = 64, images = 1797, train = 1200, features = 512, classes = 10, block = 64 };

static const double unit_roundoff = 0x1p-24;
static const float lambda = 0.1f, width = 1.5f; /* of the ridge, and of the random projections */

/* LAPACK's, which OpenBLAS has. */
void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info, size_t);
void spotrs_(const char* uplo,
             const int* n,
             const int* nrhs,
             const float* a,
             const int* lda,
             float* b,
             const int* ldb,
             int* info,
             size_t);

static void fail(const char* message) {
    fprintf(stderr, "%s\n", message);
    exit(EXIT_FAILURE);
}

static void check(myblasStatus_t status, const char* what) {
    if (status != MYBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "%s: ", what);
        fail(myblasGetStatusString(status));
    }
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* Each image scaled to length 1, so that faint and bold strokes compare. */
static void read_images(FILE* file, float* x, int* labels) {
    for (int i = 0; i < images; ++i) {
        float* image = x + (size_t)i * pixels;
        double length = 0;
        int value = 0;
        for (int p = 0; p < pixels; ++p) {
            if (fscanf(file, "%d,", &value) != 1)
                fail("the data ends early");
            image[p] = (float)value;
            length += (double)value * value;
        }
        if (fscanf(file, "%d", &value) != 1 || value < 0 || value >= classes)
            fail("an image without a label");
        labels[i] = value;
        for (int p = 0; p < pixels; ++p)
            image[p] = (float)(image[p] / sqrt(length));
    }
}

/* The same numbers everywhere: Lehmer's generator with the multiplier 48271. */
static double uniform(void) {
    static int64_t state = 1;
    state = state * 48271 % 2147483647;
    return (double)state / 2147483647;
}

static double normal(void) {
    double sum = -6;
    for (int i = 0; i < 12; ++i)
        sum += uniform();
    return sum;
}

/* f = sqrt(2 / features) cos(W^T x + b) */
static void make_features(myblasHandle_t handle, const float* x, float* f) {
    static float projections[pixels * features], shifts[features];
    const float one = 1, zero = 0;
    for (int j = 0; j < features; ++j) {
        for (int p = 0; p < pixels; ++p)
            projections[j * pixels + p] = (float)(width * normal());
        shifts[j] = (float)(6.283185307179586 * uniform());
    }
    check(mysgemmHost(handle,
                      MYBLAS_OP_T,
                      MYBLAS_OP_N,
                      features,
                      images,
                      pixels,
                      &one,
                      projections,
                      pixels,
                      x,
                      pixels,
                      &zero,
                      f,
                      features),
          "mysgemmHost");
    const float scale = sqrtf(2.0f / features);
    for (int i = 0; i < images; ++i)
        for (int j = 0; j < features; ++j)
            f[(size_t)i * features + j] = scale * cosf(f[(size_t)i * features + j] + shifts[j]);
}

/* ---- Linear algebra -------------------------------------------------------------------------- */

/* A matrix in the memory of the handle's backend. */
static float* upload(myblasHandle_t handle, int rows, int cols, const float* matrix) {
    void* copy = NULL;
    check(myblasMalloc(handle, &copy, (size_t)rows * cols * sizeof(float)), "myblasMalloc");
    if (matrix != NULL)
        check(myblasSetMatrix(handle, rows, cols, sizeof(float), matrix, rows, copy, rows),
              "myblasSetMatrix");
    return copy;
}

static void download(myblasHandle_t handle, int rows, int cols, const float* from, float* matrix) {
    check(myblasGetMatrix(handle, rows, cols, sizeof(float), from, rows, matrix, rows),
          "myblasGetMatrix");
}

/* A small S = L L^T on the host, in place of its lower triangle. */
static void factor_block(int n, float* s) {
    for (int j = 0; j < n; ++j) {
        for (int i = j; i < n; ++i) {
            double sum = s[i + j * n];
            for (int k = 0; k < j; ++k)
                sum -= (double)s[i + k * n] * s[j + k * n];
            if (i == j && !(sum > 0))
                fail("WRONG: the normal matrix is not positive definite");
            s[i + j * n] = (float)(i == j ? sqrt(sum) : sum / s[j + j * n]);
        }
    }
}

/* S = L L^T in place of the lower triangle of S, in memory of the backend. */
static void factor(myblasHandle_t handle, int n, float* s) {
    const float one = 1, minus_one = -1;
    float diagonal[block * block];
    for (int j = 0; j < n; j += block) {
        const int width_j = n - j < block ? n - j : block, below = n - j - width_j;
        float* const corner = s + j + (size_t)j * n;
        check(
            myblasGetMatrix(handle, width_j, width_j, sizeof(float), corner, n, diagonal, width_j),
            "myblasGetMatrix");
        factor_block(width_j, diagonal);
        check(
            myblasSetMatrix(handle, width_j, width_j, sizeof(float), diagonal, width_j, corner, n),
            "myblasSetMatrix");
        check(mystrsm(handle,
                      MYBLAS_SIDE_RIGHT,
                      MYBLAS_FILL_MODE_LOWER,
                      MYBLAS_OP_T,
                      MYBLAS_DIAG_NON_UNIT,
                      below,
                      width_j,
                      &one,
                      corner,
                      n,
                      corner + width_j,
                      n),
              "mystrsm");
        check(myssyrk(handle,
                      MYBLAS_FILL_MODE_LOWER,
                      MYBLAS_OP_N,
                      below,
                      width_j,
                      &minus_one,
                      corner + width_j,
                      n,
                      &one,
                      corner + width_j + (size_t)width_j * n,
                      n),
              "myssyrk");
    }
}

/* op(L) X = B in place of B. */
static void
solve(myblasHandle_t handle, myblasOperation_t op, int columns, const float* l, float* b) {
    const float one = 1;
    check(mystrsm(handle,
                  MYBLAS_SIDE_LEFT,
                  MYBLAS_FILL_MODE_LOWER,
                  op,
                  MYBLAS_DIAG_NON_UNIT,
                  features,
                  columns,
                  &one,
                  l,
                  features,
                  b,
                  features),
          "mystrsm");
}

static void product(myblasHandle_t handle,
                    myblasOperation_t op,
                    int m,
                    int n,
                    int k,
                    const float* a,
                    int lda,
                    const float* b,
                    float* c) {
    const float one = 1, zero = 0;
    check(mysgemm(handle, op, MYBLAS_OP_N, m, n, k, &one, a, lda, b, k, &zero, c, m), "mysgemm");
}

/* ---- What rounding allows -------------------------------------------------------------------- */

/*
 * The largest |S - L L^T| and |B - S X|, in units of u |L| |L|^T and of u |L| |L|^T |X|. An exact L
 * and X would give 0; Higham, Accuracy and Stability of Numerical Algorithms, theorems 10.3 and
 * 10.4, allows n + 1 and 3 n + 1.
 */
static void measure(const float* s,
                    const float* l,
                    const float* b,
                    const float* x,
                    double* factor_error,
                    double* solve_error) {
    static double full[features * features], magnitude[features * features];
    *factor_error = *solve_error = 0;
    for (int j = 0; j < features; ++j) {
        for (int i = j; i < features; ++i) {
            double sum = 0, sum_of_magnitudes = 0;
            for (int k = 0; k <= j; ++k) {
                const double term = (double)l[i + k * features] * l[j + k * features];
                sum += term;
                sum_of_magnitudes += fabs(term);
            }
            full[i + j * features] = full[j + i * features] = s[i + j * features];
            magnitude[i + j * features] = magnitude[j + i * features] = sum_of_magnitudes;
            *factor_error =
                fmax(*factor_error,
                     fabs(s[i + j * features] - sum) / (unit_roundoff * sum_of_magnitudes));
        }
    }
    for (int c = 0; c < classes; ++c) {
        for (int i = 0; i < features; ++i) {
            double rest = b[i + c * features], allowed = 0;
            for (int j = 0; j < features; ++j) {
                rest -= full[i + j * features] * x[j + c * features];
                allowed += magnitude[i + j * features] * fabs((double)x[j + c * features]);
            }
            *solve_error = fmax(*solve_error, fabs(rest) / (unit_roundoff * allowed));
        }
    }
}

/* The largest difference to LAPACK's solution, by the largest element of that. */
static double difference_to_lapack(const float* s, const float* b, const float* x) {
    static float l[features * features], reference[features * classes];
    const int n = features, nrhs = classes;
    int info = 0;
    memcpy(l, s, sizeof l);
    memcpy(reference, b, sizeof reference);
    spotrf_("L", &n, l, &n, &info, 1);
    if (info == 0)
        spotrs_("L", &n, &nrhs, l, &n, reference, &n, &info, 1);
    if (info != 0)
        fail("WRONG: LAPACK finds no solution");
    double difference = 0, largest = 0;
    for (int i = 0; i < features * classes; ++i) {
        difference = fmax(difference, fabs((double)x[i] - reference[i]));
        largest = fmax(largest, fabs((double)reference[i]));
    }
    return difference / largest;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The class with the largest of values that are `stride` apart. */
static int largest_of(const float* values, int stride) {
    int best = 0;
    for (int c = 1; c < classes; ++c)
        if (values[c * stride] > values[best * stride])
            best = c;
    return best;
}

int main(int argc, char** argv) {
    static float x[images * pixels], f[images * features], y[train * classes];
    static float s[features * features], l[features * features], z[train * features];
    static float b[features * classes], weights[features * classes], fit[images * classes];
    static int labels[images];

    FILE* file = fopen(argc > 1 ? argv[1] : "data/digits.csv", "r");
    if (file == NULL) {
        fprintf(stderr, "usage: %s data/digits.csv\n", argv[0]);
        return EXIT_FAILURE;
    }
    read_images(file, x, labels);
    fclose(file);
    for (int i = 0; i < train; ++i)
        for (int c = 0; c < classes; ++c)
            y[i + c * train] = labels[i] == c ? 1 : -1;
    for (int j = 0; j < features; ++j)
        s[j + j * features] = 1;

    myblasHandle_t handle;
    myblasBackend_t backend;
    check(myblasCreate(&handle), "myblasCreate");
    check(myblasGetBackend(handle, &backend), "myblasGetBackend");
    make_features(handle, x, f);

    float* dev_f = upload(handle, features, images, f);
    float* dev_y = upload(handle, train, classes, y);
    float* dev_s = upload(handle, features, features, s);
    float* dev_z = upload(handle, features, train, f);
    float* dev_x = upload(handle, features, classes, NULL);
    float* dev_fit = upload(handle, images, classes, NULL);

    const float one = 1;
    check(myssyrk(handle,
                  MYBLAS_FILL_MODE_LOWER,
                  MYBLAS_OP_N,
                  features,
                  train,
                  &one,
                  dev_f,
                  features,
                  &lambda,
                  dev_s,
                  features),
          "myssyrk");
    download(handle, features, features, dev_s, s);
    factor(handle, features, dev_s);
    download(handle, features, features, dev_s, l);

    product(handle, MYBLAS_OP_N, features, classes, train, dev_f, features, dev_y, dev_x);
    download(handle, features, classes, dev_x, b);
    solve(handle, MYBLAS_OP_N, classes, dev_s, dev_x);
    solve(handle, MYBLAS_OP_T, classes, dev_s, dev_x);
    download(handle, features, classes, dev_x, weights);

    product(handle, MYBLAS_OP_T, images, classes, features, dev_f, features, dev_x, dev_fit);
    download(handle, images, classes, dev_fit, fit);
    solve(handle, MYBLAS_OP_N, train, dev_s, dev_z);
    download(handle, features, train, dev_z, z);

    float* const allocations[] = {dev_f, dev_y, dev_s, dev_z, dev_x, dev_fit};
    for (size_t i = 0; i < sizeof allocations / sizeof *allocations; ++i)
        check(myblasFree(handle, allocations[i]), "myblasFree");
    check(myblasDestroy(handle), "myblasDestroy");

    int correct = 0, correct_without = 0;
    for (int i = train; i < images; ++i)
        correct += largest_of(fit + i, images) == labels[i];
    for (int i = 0; i < train; ++i) {
        double h = 0;
        for (int j = 0; j < features; ++j)
            h += (double)z[j + i * features] * z[j + i * features];
        float without[classes];
        for (int c = 0; c < classes; ++c)
            without[c] = (float)((fit[i + c * images] - h * y[i + c * train]) / (1 - h));
        correct_without += largest_of(without, 1) == labels[i];
    }
    double factor_error, solve_error;
    measure(s, l, b, weights, &factor_error, &solve_error);
    const double difference = difference_to_lapack(s, b, weights);
    const double accuracy = 100.0 * correct / (images - train);
    const double accuracy_without = 100.0 * correct_without / train;

    printf("ridge regression on handwritten digits\n");
    printf("  backend                 %s\n", backend == MYBLAS_BACKEND_CUDA ? "cuda" : "host");
    printf("  normal matrix           %d x %d, from %d images\n", features, features, train);
    printf("  read correctly          %d of %d (%.1f %%)\n", correct, images - train, accuracy);
    printf(
        "  each by all others      %d of %d (%.1f %%)\n", correct_without, train, accuracy_without);
    printf("  error of the factor     %.1f u, at most %d u allowed (u = 2^-24)\n",
           factor_error,
           features + 1);
    printf(
        "  error of the solution   %.1f u, at most %d u allowed\n", solve_error, 3 * features + 1);
    printf("  difference to LAPACK    %.1e of the largest weight\n", difference);

    /* S has a condition number of several thousands, so solutions with small backward errors may
     * differ by thousands of u. */
    if (!(factor_error <= features + 1) || !(solve_error <= 3 * features + 1) ||
        !(difference <= 0.01) || accuracy < 94 || accuracy_without < 97) {
        fprintf(stderr, "WRONG: the answer is not what this data gives\n");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
