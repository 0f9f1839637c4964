// The Fortran BLAS over libmyblas, for Debian's testers: operands go to device memory, the library
// computes, results come back. Preloaded, it takes the place of the program's BLAS for the routines that it
// has. At the end it writes to the file MYBLAS_REPORT how often each was called: "level1 sdot 42".
//
// ADAPTER_PLANT=sdot makes that routine wrong as a kernel would that forgets the last element, or the last
// row of a matrix. A call that the library refuses ends the program.
#include "myblas/myblas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Calls ---------------------------------------------------------------------------------------

enum routine {
    sdot,
    snrm2,
    sasum,
    isamax,
    saxpy,
    scopy,
    sscal,
    sswap,
    srot,
    srotm,
    srotg,
    srotmg,
    sgemv,
    sger,
    ssymv,
    ssyr,
    ssyr2,
    strmv,
    strsv,
    routine_count
};

static struct {
    const char *level, *name;
    int calls;
} routines[routine_count] = {
    {"level1", "sdot", 0},  {"level1", "snrm2", 0}, {"level1", "sasum", 0}, {"level1", "isamax", 0},
    {"level1", "saxpy", 0}, {"level1", "scopy", 0}, {"level1", "sscal", 0}, {"level1", "sswap", 0},
    {"level1", "srot", 0},  {"level1", "srotm", 0}, {"level1", "srotg", 0}, {"level1", "srotmg", 0},
    {"level2", "sgemv", 0}, {"level2", "sger", 0},  {"level2", "ssymv", 0}, {"level2", "ssyr", 0},
    {"level2", "ssyr2", 0}, {"level2", "strmv", 0}, {"level2", "strsv", 0},
};

__attribute__((destructor)) static void write_report(void) {
    const char* name = getenv("MYBLAS_REPORT");
    FILE* file = name ? fopen(name, "w") : NULL;
    if (!file)
        return;
    for (int i = 0; i < routine_count; ++i)
        fprintf(file, "%s %s %d\n", routines[i].level, routines[i].name, routines[i].calls);
    fclose(file);
}

static void check(enum routine routine, myblasStatus_t status) {
    if (status == MYBLAS_STATUS_SUCCESS)
        return;
    printf("FATAL: %s: %s\n", routines[routine].name, myblasGetStatusString(status));
    exit(1);
}

static int is_planted(enum routine routine) {
    const char* planted = getenv("ADAPTER_PLANT");
    return planted && strcmp(planted, routines[routine].name) == 0;
}

// Counts a call. The number of elements that the library is to be asked for.
static int begin(enum routine routine, int n) {
    ++routines[routine].calls;
    return n > 0 ? n - is_planted(routine) : n;
}

static myblasHandle_t handle(void) {
    static myblasHandle_t one = NULL;
    if (!one && myblasCreate(&one) != MYBLAS_STATUS_SUCCESS) {
        printf("FATAL: no handle\n");
        exit(1);
    }
    return one;
}

// ---- Operands ------------------------------------------------------------------------------------

// `count` floats in host memory, and their copy.
struct copy {
    float *host, *device;
    int count;
};

static struct copy send(const float* host, int count) {
    struct copy copy = {(float*)host, NULL, count > 0 ? count : 0};
    void* memory = NULL;
    if (myblasMalloc(handle(), &memory, (size_t)copy.count * sizeof(float)) ||
        myblasSetVector(handle(), copy.count, sizeof(float), host, 1, memory, 1)) {
        printf("FATAL: no memory\n");
        exit(1);
    }
    copy.device = memory;
    return copy;
}

static struct copy send_vector(int n, const float* x, int incx) {
    return send(x, n > 0 ? (n - 1) * abs(incx) + 1 : 0);
}

static void release(struct copy copy) {
    if (myblasFree(handle(), copy.device)) {
        printf("FATAL: memory is lost\n");
        exit(1);
    }
}

static void fetch(struct copy copy) {
    if (myblasGetVector(handle(), copy.count, sizeof(float), copy.device, 1, copy.host, 1)) {
        printf("FATAL: a result is lost\n");
        exit(1);
    }
    release(copy);
}

// ---- Level 1 -------------------------------------------------------------------------------------

float sdot_(const int* n, const float* x, const int* incx, const float* y, const int* incy) {
    const struct copy a = send_vector(*n, x, *incx), b = send_vector(*n, y, *incy);
    float result = 0;
    check(sdot, mysdot(handle(), begin(sdot, *n), a.device, *incx, b.device, *incy, &result));
    release(a);
    release(b);
    return result;
}

float snrm2_(const int* n, const float* x, const int* incx) {
    const struct copy a = send_vector(*n, x, *incx);
    float result = 0;
    check(snrm2, mysnrm2(handle(), begin(snrm2, *n), a.device, *incx, &result));
    release(a);
    return result;
}

float sasum_(const int* n, const float* x, const int* incx) {
    const struct copy a = send_vector(*n, x, *incx);
    float result = 0;
    check(sasum, mysasum(handle(), begin(sasum, *n), a.device, *incx, &result));
    release(a);
    return result;
}

int isamax_(const int* n, const float* x, const int* incx) {
    const struct copy a = send_vector(*n, x, *incx);
    int result = 0;
    check(isamax, myisamax(handle(), begin(isamax, *n), a.device, *incx, &result));
    release(a);
    return result;
}

void saxpy_(
    const int* n, const float* alpha, const float* x, const int* incx, float* y, const int* incy) {
    const struct copy a = send_vector(*n, x, *incx), b = send_vector(*n, y, *incy);
    check(saxpy, mysaxpy(handle(), begin(saxpy, *n), alpha, a.device, *incx, b.device, *incy));
    release(a);
    fetch(b);
}

void scopy_(const int* n, const float* x, const int* incx, float* y, const int* incy) {
    const struct copy a = send_vector(*n, x, *incx), b = send_vector(*n, y, *incy);
    check(scopy, myscopy(handle(), begin(scopy, *n), a.device, *incx, b.device, *incy));
    release(a);
    fetch(b);
}

void sscal_(const int* n, const float* alpha, float* x, const int* incx) {
    const struct copy a = send_vector(*n, x, *incx);
    check(sscal, mysscal(handle(), begin(sscal, *n), alpha, a.device, *incx));
    fetch(a);
}

void sswap_(const int* n, float* x, const int* incx, float* y, const int* incy) {
    const struct copy a = send_vector(*n, x, *incx), b = send_vector(*n, y, *incy);
    check(sswap, mysswap(handle(), begin(sswap, *n), a.device, *incx, b.device, *incy));
    fetch(a);
    fetch(b);
}

void srot_(const int* n,
           float* x,
           const int* incx,
           float* y,
           const int* incy,
           const float* c,
           const float* s) {
    const struct copy a = send_vector(*n, x, *incx), b = send_vector(*n, y, *incy);
    check(srot, mysrot(handle(), begin(srot, *n), a.device, *incx, b.device, *incy, c, s));
    fetch(a);
    fetch(b);
}

void srotm_(
    const int* n, float* x, const int* incx, float* y, const int* incy, const float* param) {
    const struct copy a = send_vector(*n, x, *incx), b = send_vector(*n, y, *incy);
    check(srotm, mysrotm(handle(), begin(srotm, *n), a.device, *incx, b.device, *incy, param));
    fetch(a);
    fetch(b);
}

// Planted: c and s, or d1 and d2, change places.
void srotg_(float* a, float* b, float* c, float* s) {
    const int swapped = begin(srotg, 1) == 0;
    check(srotg, mysrotg(handle(), a, b, swapped ? s : c, swapped ? c : s));
}

void srotmg_(float* d1, float* d2, float* x1, const float* y1, float* param) {
    const int swapped = begin(srotmg, 1) == 0;
    check(srotmg, mysrotmg(handle(), swapped ? d2 : d1, swapped ? d1 : d2, x1, y1, param));
}

// ---- Level 2 -------------------------------------------------------------------------------------

// Wrong arguments are the reference BLAS's business, whose tests of them are left out.
static struct copy send_matrix(int rows, int cols, const float* a, int lda) {
    return send(a, rows > 0 && cols > 0 ? (cols - 1) * lda + rows : 0);
}

static myblasOperation_t operation(const char* trans) {
    return *trans == 'N' || *trans == 'n' ? MYBLAS_OP_N : MYBLAS_OP_T;
}

void sgemv_(const char* trans,
            const int* m,
            const int* n,
            const float* alpha,
            const float* a,
            const int* lda,
            const float* x,
            const int* incx,
            const float* beta,
            float* y,
            const int* incy) {
    const myblasOperation_t op = operation(trans);
    const int columns = begin(sgemv, *n);
    const struct copy matrix = send_matrix(*m, *n, a, *lda);
    const struct copy from = send_vector(op == MYBLAS_OP_N ? *n : *m, x, *incx);
    const struct copy to = send_vector(op == MYBLAS_OP_N ? *m : *n, y, *incy);
    check(sgemv,
          mysgemv(handle(),
                  op,
                  *m,
                  columns,
                  alpha,
                  matrix.device,
                  *lda,
                  from.device,
                  *incx,
                  beta,
                  to.device,
                  *incy));
    release(matrix);
    release(from);
    fetch(to);
}

void sger_(const int* m,
           const int* n,
           const float* alpha,
           const float* x,
           const int* incx,
           const float* y,
           const int* incy,
           float* a,
           const int* lda) {
    const int columns = begin(sger, *n);
    const struct copy matrix = send_matrix(*m, *n, a, *lda);
    const struct copy column = send_vector(*m, x, *incx), row = send_vector(*n, y, *incy);
    check(sger,
          mysger(handle(),
                 *m,
                 columns,
                 alpha,
                 column.device,
                 *incx,
                 row.device,
                 *incy,
                 matrix.device,
                 *lda));
    release(column);
    release(row);
    fetch(matrix);
}

static myblasFillMode_t triangle(const char* uplo) {
    return *uplo == 'U' || *uplo == 'u' ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
}

static myblasDiagType_t diagonal(const char* diag) {
    return *diag == 'U' || *diag == 'u' ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT;
}

void ssymv_(const char* uplo,
            const int* n,
            const float* alpha,
            const float* a,
            const int* lda,
            const float* x,
            const int* incx,
            const float* beta,
            float* y,
            const int* incy) {
    const int rows = begin(ssymv, *n);
    const struct copy matrix = send_matrix(*n, *n, a, *lda);
    const struct copy from = send_vector(*n, x, *incx), to = send_vector(*n, y, *incy);
    check(ssymv,
          myssymv(handle(),
                  triangle(uplo),
                  rows,
                  alpha,
                  matrix.device,
                  *lda,
                  from.device,
                  *incx,
                  beta,
                  to.device,
                  *incy));
    release(matrix);
    release(from);
    fetch(to);
}

void ssyr_(const char* uplo,
           const int* n,
           const float* alpha,
           const float* x,
           const int* incx,
           float* a,
           const int* lda) {
    const int rows = begin(ssyr, *n);
    const struct copy matrix = send_matrix(*n, *n, a, *lda), from = send_vector(*n, x, *incx);
    check(ssyr,
          myssyr(handle(), triangle(uplo), rows, alpha, from.device, *incx, matrix.device, *lda));
    release(from);
    fetch(matrix);
}

void ssyr2_(const char* uplo,
            const int* n,
            const float* alpha,
            const float* x,
            const int* incx,
            const float* y,
            const int* incy,
            float* a,
            const int* lda) {
    const int rows = begin(ssyr2, *n);
    const struct copy matrix = send_matrix(*n, *n, a, *lda);
    const struct copy from_x = send_vector(*n, x, *incx), from_y = send_vector(*n, y, *incy);
    check(ssyr2,
          myssyr2(handle(),
                  triangle(uplo),
                  rows,
                  alpha,
                  from_x.device,
                  *incx,
                  from_y.device,
                  *incy,
                  matrix.device,
                  *lda));
    release(from_x);
    release(from_y);
    fetch(matrix);
}

void strmv_(const char* uplo,
            const char* trans,
            const char* diag,
            const int* n,
            const float* a,
            const int* lda,
            float* x,
            const int* incx) {
    const int rows = begin(strmv, *n);
    const struct copy matrix = send_matrix(*n, *n, a, *lda), to = send_vector(*n, x, *incx);
    check(strmv,
          mystrmv(handle(),
                  triangle(uplo),
                  operation(trans),
                  diagonal(diag),
                  rows,
                  matrix.device,
                  *lda,
                  to.device,
                  *incx));
    release(matrix);
    fetch(to);
}

void strsv_(const char* uplo,
            const char* trans,
            const char* diag,
            const int* n,
            const float* a,
            const int* lda,
            float* x,
            const int* incx) {
    const int rows = begin(strsv, *n);
    const struct copy matrix = send_matrix(*n, *n, a, *lda), to = send_vector(*n, x, *incx);
    check(strsv,
          mystrsv(handle(),
                  triangle(uplo),
                  operation(trans),
                  diagonal(diag),
                  rows,
                  matrix.device,
                  *lda,
                  to.device,
                  *incx));
    release(matrix);
    fetch(to);
}
