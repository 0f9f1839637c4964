// Level 3 of the Fortran BLAS and of CBLAS by libmyblas, for testers that know nothing of it: a library to preload.
//
// Thin: operands go to memory of the backend, padding and all, the call is made, and the result comes back the same way.
// What the library refuses is reported to the program's xerbla_ by the parameter that the library's log names. At its end
// a process appends to the file ADAPTER_REPORT how often each routine was called.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "myblas/myblas.h"

extern void xerbla_(const char* name, const int* info, size_t length);

enum routine { gemm, symm, syrk, syr2k, trmm, trsm, routine_count };

// The parameters of each that can be wrong, and their numbers.
static const struct {
    const char* name;
    struct {
        const char* name;
        int number;
    } parameters[9];
} routines[routine_count] = {
    {"SGEMM ",
     {{"transa", 1},
      {"transb", 2},
      {"m", 3},
      {"n", 4},
      {"k", 5},
      {"lda", 8},
      {"ldb", 10},
      {"ldc", 13}}},
    {"SSYMM ", {{"side", 1}, {"uplo", 2}, {"m", 3}, {"n", 4}, {"lda", 7}, {"ldb", 9}, {"ldc", 12}}},
    {"SSYRK ", {{"uplo", 1}, {"trans", 2}, {"n", 3}, {"k", 4}, {"lda", 7}, {"ldc", 10}}},
    {"SSYR2K",
     {{"uplo", 1}, {"trans", 2}, {"n", 3}, {"k", 4}, {"lda", 7}, {"ldb", 9}, {"ldc", 12}}},
    {"STRMM ",
     {{"side", 1},
      {"uplo", 2},
      {"trans", 3},
      {"diag", 4},
      {"m", 5},
      {"n", 6},
      {"lda", 9},
      {"ldb", 11}}},
    {"STRSM ",
     {{"side", 1},
      {"uplo", 2},
      {"trans", 3},
      {"diag", 4},
      {"m", 5},
      {"n", 6},
      {"lda", 9},
      {"ldb", 11}}},
};

static myblasHandle_t handle;
static char refusal[256]; // what the log last said
static long calls[routine_count];

static void give_up(const char* what) {
    fprintf(stderr, "adapter: error: %s\n", what);
    exit(1);
}

static void check(myblasStatus_t status) {
    if (status != MYBLAS_STATUS_SUCCESS)
        give_up(refusal);
}

static void keep_message(const char* message) { snprintf(refusal, sizeof refusal, "%s", message); }

static void report(void) {
    const char* name = getenv("ADAPTER_REPORT");
    FILE* file = name ? fopen(name, "a") : NULL;
    if (!file)
        return;
    for (int r = 0; r < routine_count; ++r)
        fprintf(file, "%s %ld\n", routines[r].name, calls[r]);
    fclose(file);
}

static void start(void) {
    if (handle)
        return;
    check(myblasSetLoggerCallback(keep_message));
    check(myblasCreate(&handle));
    atexit(report);
}

// ---- Operands --------------------------------------------------------------------------------------

struct matrix {
    float* host;
    void* device;
    int floats;
};

static struct matrix bring(const float* host, int rows, int cols, int ld) {
    struct matrix x = {(float*)host, NULL, 0};
    if (rows < 1 || cols < 1 || ld < rows)
        return x;
    x.floats = (cols - 1) * ld + rows;
    check(myblasMalloc(handle, &x.device, (size_t)x.floats * sizeof(float)));
    check(myblasSetVector(handle, x.floats, sizeof(float), host, 1, x.device, 1));
    return x;
}

static void fetch(const struct matrix* x) {
    if (x->floats)
        check(myblasGetVector(handle, x->floats, sizeof(float), x->device, 1, x->host, 1));
}

static void leave(const struct matrix* x) { check(myblasFree(handle, x->device)); }

// What became of a call: the result comes back, or the parameter is reported.
static void finish(enum routine routine, myblasStatus_t status, const struct matrix* result) {
    ++calls[routine];
    if (status == MYBLAS_STATUS_SUCCESS) {
        fetch(result);
        return;
    }
    const char* reason = strstr(refusal, "INVALID_VALUE: ");
    if (status != MYBLAS_STATUS_INVALID_VALUE || !reason)
        give_up(refusal);
    reason += strlen("INVALID_VALUE: ");
    const size_t length = strcspn(reason, " ");
    for (int i = 0; i < 9 && routines[routine].parameters[i].name; ++i) {
        const char* name = routines[routine].parameters[i].name;
        if (strlen(name) == length && strncmp(name, reason, length) == 0) {
            xerbla_(routines[routine].name, &routines[routine].parameters[i].number, 6);
            return;
        }
    }
    give_up(refusal);
}

// ---- Letters ---------------------------------------------------------------------------------------

static int of_letters(char c, const char* letters) {
    for (int i = 0; letters[i]; ++i)
        if (c == letters[i] || c == letters[i] + 'a' - 'A')
            return i;
    return -1;
}

static myblasOperation_t operation(char c) { return (myblasOperation_t)of_letters(c, "NTC"); }
static myblasFillMode_t fill_mode(char c) { return (myblasFillMode_t)of_letters(c, "LU"); }
static myblasSideMode_t side_mode(char c) { return (myblasSideMode_t)of_letters(c, "LR"); }
static myblasDiagType_t diag_type(char c) { return (myblasDiagType_t)of_letters(c, "NU"); }

// ---- The calls -------------------------------------------------------------------------------------

static void call_gemm(myblasOperation_t transa,
                      myblasOperation_t transb,
                      int m,
                      int n,
                      int k,
                      float alpha,
                      const float* a,
                      int lda,
                      const float* b,
                      int ldb,
                      float beta,
                      float* c,
                      int ldc) {
    start();
    const bool a_is_n = transa == MYBLAS_OP_N, b_is_n = transb == MYBLAS_OP_N;
    const struct matrix da = bring(a, a_is_n ? m : k, a_is_n ? k : m, lda);
    const struct matrix db = bring(b, b_is_n ? k : n, b_is_n ? n : k, ldb);
    const struct matrix dc = bring(c, m, n, ldc);
    const myblasStatus_t status = mysgemm(handle,
                                          transa,
                                          transb,
                                          m,
                                          n,
                                          k,
                                          &alpha,
                                          da.device,
                                          lda,
                                          db.device,
                                          ldb,
                                          &beta,
                                          dc.device,
                                          ldc);
    finish(gemm, status, &dc);
    leave(&da);
    leave(&db);
    leave(&dc);
}

static void call_symm(myblasSideMode_t side,
                      myblasFillMode_t uplo,
                      int m,
                      int n,
                      float alpha,
                      const float* a,
                      int lda,
                      const float* b,
                      int ldb,
                      float beta,
                      float* c,
                      int ldc) {
    start();
    const int order = side == MYBLAS_SIDE_LEFT ? m : n;
    const struct matrix da = bring(a, order, order, lda), db = bring(b, m, n, ldb);
    const struct matrix dc = bring(c, m, n, ldc);
    const myblasStatus_t status = myssymm(
        handle, side, uplo, m, n, &alpha, da.device, lda, db.device, ldb, &beta, dc.device, ldc);
    finish(symm, status, &dc);
    leave(&da);
    leave(&db);
    leave(&dc);
}

// b == NULL: syrk.
static void call_rank_k(myblasFillMode_t uplo,
                        myblasOperation_t trans,
                        int n,
                        int k,
                        float alpha,
                        const float* a,
                        int lda,
                        const float* b,
                        int ldb,
                        float beta,
                        float* c,
                        int ldc) {
    start();
    const bool is_n = trans == MYBLAS_OP_N;
    const struct matrix da = bring(a, is_n ? n : k, is_n ? k : n, lda);
    const struct matrix db = bring(b, b ? (is_n ? n : k) : 0, is_n ? k : n, ldb);
    const struct matrix dc = bring(c, n, n, ldc);
    const myblasStatus_t status =
        b ? myssyr2k(handle,
                     uplo,
                     trans,
                     n,
                     k,
                     &alpha,
                     da.device,
                     lda,
                     db.device,
                     ldb,
                     &beta,
                     dc.device,
                     ldc)
          : myssyrk(handle, uplo, trans, n, k, &alpha, da.device, lda, &beta, dc.device, ldc);
    finish(b ? syr2k : syrk, status, &dc);
    leave(&da);
    leave(&db);
    leave(&dc);
}

static void call_triangle(enum routine routine,
                          myblasSideMode_t side,
                          myblasFillMode_t uplo,
                          myblasOperation_t trans,
                          myblasDiagType_t diag,
                          int m,
                          int n,
                          float alpha,
                          const float* a,
                          int lda,
                          float* b,
                          int ldb) {
    start();
    const int order = side == MYBLAS_SIDE_LEFT ? m : n;
    const struct matrix da = bring(a, order, order, lda), db = bring(b, m, n, ldb);
    const myblasStatus_t status =
        routine == trmm
            ? mystrmm(handle,
                      side,
                      uplo,
                      trans,
                      diag,
                      m,
                      n,
                      &alpha,
                      da.device,
                      lda,
                      db.device,
                      ldb,
                      db.device,
                      ldb)
            : mystrsm(
                  handle, side, uplo, trans, diag, m, n, &alpha, da.device, lda, db.device, ldb);
    finish(routine, status, &db);
    leave(&da);
    leave(&db);
}

// ---- Fortran ---------------------------------------------------------------------------------------

void sgemm_(const char* transa,
            const char* transb,
            const int* m,
            const int* n,
            const int* k,
            const float* alpha,
            const float* a,
            const int* lda,
            const float* b,
            const int* ldb,
            const float* beta,
            float* c,
            const int* ldc) {
    call_gemm(operation(*transa),
              operation(*transb),
              *m,
              *n,
              *k,
              *alpha,
              a,
              *lda,
              b,
              *ldb,
              *beta,
              c,
              *ldc);
}

void ssymm_(const char* side,
            const char* uplo,
            const int* m,
            const int* n,
            const float* alpha,
            const float* a,
            const int* lda,
            const float* b,
            const int* ldb,
            const float* beta,
            float* c,
            const int* ldc) {
    call_symm(side_mode(*side), fill_mode(*uplo), *m, *n, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);
}

void ssyrk_(const char* uplo,
            const char* trans,
            const int* n,
            const int* k,
            const float* alpha,
            const float* a,
            const int* lda,
            const float* beta,
            float* c,
            const int* ldc) {
    call_rank_k(
        fill_mode(*uplo), operation(*trans), *n, *k, *alpha, a, *lda, NULL, 0, *beta, c, *ldc);
}

void ssyr2k_(const char* uplo,
             const char* trans,
             const int* n,
             const int* k,
             const float* alpha,
             const float* a,
             const int* lda,
             const float* b,
             const int* ldb,
             const float* beta,
             float* c,
             const int* ldc) {
    call_rank_k(
        fill_mode(*uplo), operation(*trans), *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);
}

void strmm_(const char* side,
            const char* uplo,
            const char* trans,
            const char* diag,
            const int* m,
            const int* n,
            const float* alpha,
            const float* a,
            const int* lda,
            float* b,
            const int* ldb) {
    call_triangle(trmm,
                  side_mode(*side),
                  fill_mode(*uplo),
                  operation(*trans),
                  diag_type(*diag),
                  *m,
                  *n,
                  *alpha,
                  a,
                  *lda,
                  b,
                  *ldb);
}

void strsm_(const char* side,
            const char* uplo,
            const char* trans,
            const char* diag,
            const int* m,
            const int* n,
            const float* alpha,
            const float* a,
            const int* lda,
            float* b,
            const int* ldb) {
    call_triangle(trsm,
                  side_mode(*side),
                  fill_mode(*uplo),
                  operation(*trans),
                  diag_type(*diag),
                  *m,
                  *n,
                  *alpha,
                  a,
                  *lda,
                  b,
                  *ldb);
}

// ---- CBLAS -----------------------------------------------------------------------------------------

// A matrix in rows is its transpose in columns: sides, triangles and, of rank-k updates, transpositions change.
enum { row_major = 101, trans_value = 111, upper_value = 121, unit_value = 132, left_value = 141 };

static myblasOperation_t cblas_operation(int trans, bool is_turned) {
    const bool is_trans = trans != trans_value;
    return is_trans != is_turned ? MYBLAS_OP_T : MYBLAS_OP_N;
}
static myblasFillMode_t cblas_fill(int uplo, bool is_turned) {
    return (uplo == upper_value) != is_turned ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
}
static myblasSideMode_t cblas_side(int side, bool is_turned) {
    return (side == left_value) != is_turned ? MYBLAS_SIDE_LEFT : MYBLAS_SIDE_RIGHT;
}
static myblasDiagType_t cblas_diag(int diag) {
    return diag == unit_value ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT;
}

void cblas_sgemm(int order,
                 int transa,
                 int transb,
                 int m,
                 int n,
                 int k,
                 float alpha,
                 const float* a,
                 int lda,
                 const float* b,
                 int ldb,
                 float beta,
                 float* c,
                 int ldc) {
    const myblasOperation_t ta = cblas_operation(transa, false),
                            tb = cblas_operation(transb, false);
    if (order == row_major)
        call_gemm(tb, ta, n, m, k, alpha, b, ldb, a, lda, beta, c, ldc);
    else
        call_gemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void cblas_ssymm(int order,
                 int side,
                 int uplo,
                 int m,
                 int n,
                 float alpha,
                 const float* a,
                 int lda,
                 const float* b,
                 int ldb,
                 float beta,
                 float* c,
                 int ldc) {
    const bool turn = order == row_major;
    call_symm(cblas_side(side, turn),
              cblas_fill(uplo, turn),
              turn ? n : m,
              turn ? m : n,
              alpha,
              a,
              lda,
              b,
              ldb,
              beta,
              c,
              ldc);
}

void cblas_ssyrk(int order,
                 int uplo,
                 int trans,
                 int n,
                 int k,
                 float alpha,
                 const float* a,
                 int lda,
                 float beta,
                 float* c,
                 int ldc) {
    const bool turn = order == row_major;
    call_rank_k(cblas_fill(uplo, turn),
                cblas_operation(trans, turn),
                n,
                k,
                alpha,
                a,
                lda,
                NULL,
                0,
                beta,
                c,
                ldc);
}

void cblas_ssyr2k(int order,
                  int uplo,
                  int trans,
                  int n,
                  int k,
                  float alpha,
                  const float* a,
                  int lda,
                  const float* b,
                  int ldb,
                  float beta,
                  float* c,
                  int ldc) {
    const bool turn = order == row_major;
    call_rank_k(cblas_fill(uplo, turn),
                cblas_operation(trans, turn),
                n,
                k,
                alpha,
                a,
                lda,
                b,
                ldb,
                beta,
                c,
                ldc);
}

static void cblas_triangle(enum routine routine,
                           int order,
                           int side,
                           int uplo,
                           int trans,
                           int diag,
                           int m,
                           int n,
                           float alpha,
                           const float* a,
                           int lda,
                           float* b,
                           int ldb) {
    const bool turn = order == row_major;
    call_triangle(routine,
                  cblas_side(side, turn),
                  cblas_fill(uplo, turn),
                  cblas_operation(trans, false),
                  cblas_diag(diag),
                  turn ? n : m,
                  turn ? m : n,
                  alpha,
                  a,
                  lda,
                  b,
                  ldb);
}

void cblas_strmm(int order,
                 int side,
                 int uplo,
                 int trans,
                 int diag,
                 int m,
                 int n,
                 float alpha,
                 const float* a,
                 int lda,
                 float* b,
                 int ldb) {
    cblas_triangle(trmm, order, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
}

void cblas_strsm(int order,
                 int side,
                 int uplo,
                 int trans,
                 int diag,
                 int m,
                 int n,
                 float alpha,
                 const float* a,
                 int lda,
                 float* b,
                 int ldb) {
    cblas_triangle(trsm, order, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
}
