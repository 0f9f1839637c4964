// scalapack_calls N BLOCK ROUTINE... [BLOCK ROUTINE...]...: seconds of ScaLAPACK's psgemm_,
// psgetrf_ (LU) or pspotrf_ (Cholesky; ROUTINE has no underscore) for matrices of order N, which
// are distributed over the processes of an MPI job in blocks of BLOCK x BLOCK. The grid of
// processes is as square as their number allows.
//
// The first process prints a line "RESULT {...}" of JSON for each routine, with the times of the
// slowest process. Results are checked in double precision with a random vector v: C v = A (B v),
// L (U v) = P A v, L (L' v) = A v. Errors are relative to the norm of the right side, and to its
// root mean square.
#include "verified.h"

#include <mpi.h>
#include <stdbool.h>
#include <string.h>

typedef const char* letter;
typedef const int* size;
typedef const float* input;
// clang-format off
void Cblacs_pinfo(int* rank, int* count);
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, letter order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
void Cblacs_exit(int keep_mpi);
int pilaenv_(size context, letter precision); // columns of the panels that PBLAS multiplies
int numroc_(size n, size block, size index, size first, size count);
void descinit_(int* descriptor, size m, size n, size mb, size nb, size row, size column,
               size context, size ld, int* info);
void psgemm_(letter, letter, size, size, size, input, input, size, size, size, input, size, size,
             size, input, float*, size, size, size);
void psgetrf_(size, size, float*, size, size, size, int* pivots, int* info);
void pspotrf_(letter, size, float*, size, size, size, int* info);
// clang-format on

enum { most_calls = 2, seed_of_a = 1, seed_of_b = 2, seed_of_c = 3, seed_of_spd = 4 };

static const double long_enough = 4; // seconds of a call, after which there is no other one

static const int zero = 0, one = 1;
static int rank, count, context, n, block;
static struct grid { int rows, columns, row, column; } grid;
static int rows, columns, ld; // of this process's part of a matrix
static int descriptor[9];
static float *a, *b, *c;
static double *x, *wanted, *got, *between; // of all n elements, in each process

// Row and column of the whole matrix, by their indices in this process's part.
static size_t global_row(int i) {
    return ((size_t)(i / block) * grid.rows + grid.row) * block + i % block;
}

static size_t global_column(int j) {
    return ((size_t)(j / block) * grid.columns + grid.column) * block + j % block;
}

static float element(size_t i, size_t j, uint64_t seed) {
    if (seed != seed_of_spd)
        return hashed(i, j, seed);
    if (i == j) // the norm of the rest is less: the matrix is positive definite
        return 2 * sqrtf(n) + 1;
    return i < j ? hashed(j, i, seed) : hashed(i, j, seed);
}

static void fill(float* matrix, uint64_t seed) {
#pragma omp parallel for
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows; ++i)
            matrix[(size_t)j * ld + i] = element(global_row(i), global_column(j), seed);
}

enum form { full, upper, unit_lower, lower, lower_transposed };

// y = op(matrix) v in double precision, by all processes together.
static void multiply(enum form form, const float* matrix, const double* v, double* y) {
    double* sums = zeros(n);
#pragma omp parallel
    {
        double* own = zeros(n);
#pragma omp for schedule(dynamic, 8)
        for (int j = 0; j < columns; ++j) {
            const size_t q = global_column(j);
            for (int i = 0; i < rows; ++i) {
                const size_t p = global_row(i);
                const double value = matrix[(size_t)j * ld + i];
                if (form == full || (form == upper && p <= q) || (form == lower && p >= q) ||
                    (form == unit_lower && p > q))
                    own[p] += value * v[q];
                else if (form == unit_lower && p == q)
                    own[p] += v[q];
                else if (form == lower_transposed && p >= q)
                    own[q] += value * v[p];
            }
        }
#pragma omp critical
        for (int i = 0; i < n; ++i)
            sums[i] += own[i];
        free(own);
    }
    MPI_Allreduce(sums, y, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    free(sums);
}

static int* pivots;

// As the factorisation exchanged the rows of the matrix.
static void exchange(double* v) {
    int* own = calloc(n, sizeof *own);
    int* all = allocate(n * sizeof *all);
    if (!own)
        exit(1);
    for (int i = 0; i < rows; ++i)
        own[global_row(i)] = pivots[i];
    MPI_Allreduce(own, all, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) {
        const double value = v[i];
        v[i] = v[all[i] - 1];
        v[all[i] - 1] = value;
    }
    free(own);
    free(all);
}

static int call_psgemm(void) {
    const float alpha = 1, beta = 0;
    // clang-format off
    psgemm_("N", "N", &n, &n, &n, &alpha, a, &one, &one, descriptor, b, &one, &one, descriptor,
            &beta, c, &one, &one, descriptor);
    // clang-format on
    return 0;
}

static int call_psgetrf(void) {
    int info = 0;
    psgetrf_(&n, &n, a, &one, &one, descriptor, pivots, &info);
    return info;
}

static int call_pspotrf(void) {
    int info = 0;
    pspotrf_("L", &n, a, &one, &one, descriptor, &info);
    return info;
}

static void results_of_psgemm(void) {
    multiply(full, b, x, between);
    multiply(full, a, between, wanted);
    multiply(full, c, x, got);
}

static void results_of_psgetrf(void) {
    multiply(upper, a, x, between);
    multiply(unit_lower, a, between, got);
    exchange(wanted); // A v, of the matrix that was
}

static void results_of_pspotrf(void) {
    multiply(lower_transposed, a, x, between);
    multiply(lower, a, between, got);
}

static const struct routine {
    const char* name;
    double flop; // divided by n^3
    uint64_t seed;
    bool is_in_place;
    int (*call)(void);
    void (*verify)(void); // sets `got`, and `wanted` unless A v has to be
} routines[] = {
    {"psgemm", 2, seed_of_a, false, call_psgemm, results_of_psgemm},
    {"psgetrf", 2. / 3, seed_of_a, true, call_psgetrf, results_of_psgetrf},
    {"pspotrf", 1. / 3, seed_of_spd, true, call_pspotrf, results_of_pspotrf},
};

static void measure(const struct routine* routine) {
    double first = 0, best = INFINITY;
    int info = 0, calls = 0;
    fill(a, routine->seed);
    if (routine->is_in_place) {
        multiply(full, a, x, wanted);
    } else {
        fill(b, seed_of_b);
        fill(c, seed_of_c);
    }
    while (info == 0 && calls < (first < long_enough ? most_calls : 1)) {
        if (routine->is_in_place && calls > 0)
            fill(a, routine->seed);
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        info = routine->call();
        MPI_Barrier(MPI_COMM_WORLD);
        const double own_seconds = MPI_Wtime() - begin;
        double seconds; // as the slowest process has them
        MPI_Allreduce(&own_seconds, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (calls++ == 0)
            first = seconds;
        best = fmin(best, seconds);
    }
    routine->verify();
    if (rank > 0)
        return;
    struct difference difference = compare(got, wanted, n);
    if (info != 0)
        difference.norm = INFINITY;
    const double flop = routine->flop * n * n * n;
    printf("RESULT {\"work\": \"%s_, NB %d\", \"n\": %d, ", routine->name, block, n);
    printf("\"logical_block\": %d, \"ranks\": %d, ",
           pilaenv_(&context, "S"),
           grid.rows * grid.columns);
    print_measured(first, best, calls, flop, difference);
}

static int usage(const char* program) {
    if (rank == 0)
        fprintf(stderr, "usage: %s N BLOCK psgemm|psgetrf|pspotrf... [BLOCK ...]...\n", program);
    MPI_Finalize();
    return 2;
}

static void make_grid(int processes) {
    grid.rows = (int)sqrt(processes);
    while (processes % grid.rows != 0)
        --grid.rows;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", grid.rows, processes / grid.rows);
    Cblacs_gridinfo(context, &grid.rows, &grid.columns, &grid.row, &grid.column);
}

static void free_matrices(void) {
    free(a);
    free(b);
    free(c);
    free(pivots);
}

// Matrices in blocks of this order.
static void allocate_matrices(int order) {
    int info;
    block = order;
    rows = numroc_(&n, &block, &grid.row, &zero, &grid.rows);
    columns = numroc_(&n, &block, &grid.column, &zero, &grid.columns);
    ld = rows > 1 ? rows : 1;
    descinit_(descriptor, &n, &n, &block, &block, &zero, &zero, &context, &ld, &info);
    const size_t bytes = (size_t)ld * columns * sizeof *a;
    a = allocate(bytes);
    b = allocate(bytes);
    c = allocate(bytes);
    pivots = allocate(((size_t)rows + block) * sizeof *pivots);
}

static const struct routine* routine_of(const char* name) {
    for (size_t r = 0; r < sizeof routines / sizeof *routines; ++r)
        if (strcmp(routines[r].name, name) == 0)
            return &routines[r];
    return NULL;
}

int main(int argc, char** argv) {
    int processes;
    MPI_Init(&argc, &argv);
    Cblacs_pinfo(&rank, &processes);
    n = argc > 3 ? atoi(argv[1]) : 0;
    if (n < 1 || atoi(argv[2]) < 1)
        return usage(argv[0]);
    make_grid(processes);
    double** vectors[] = {&x, &wanted, &got, &between};
    for (int i = 0; i < 4; ++i)
        *vectors[i] = allocate(n * sizeof **vectors[i]);
    for (int i = 0; i < n; ++i)
        x[i] = probe(i);
    for (int i = 2; i < argc; ++i) {
        const struct routine* routine = routine_of(argv[i]);
        if (routine) {
            measure(routine);
        } else if (atoi(argv[i]) > 0) {
            free_matrices();
            allocate_matrices(atoi(argv[i]));
        } else {
            return usage(argv[0]);
        }
    }
    free_matrices();
    for (int i = 0; i < 4; ++i)
        free(*vectors[i]);
    Cblacs_gridexit(context);
    Cblacs_exit(1);
    MPI_Finalize();
    return 0;
}
