// What Inf and NaN become, row by row of docs/exceptions.md: small calls of every routine, in every
// math mode and by every kernel, on both backends. `--list` prints the rows.
#include "support.h"

#include <math.h>

// ---- Rows ---------------------------------------------------------------------------------------

// Matrices are n x n and vectors have n elements, for several n. Before the patches, elements of
// vectors and of B and C are 1, those of A are 2 on the diagonal and 2^-8 beside it: triangles are
// LOWER, NON_UNIT, on the left, and nothing is transposed.
struct patch {
    char operand; // A, B, C, or the vectors x and y, whose elements are (i, 0)
    int i, j;
    float value;
};

// Results by index: 0, 1, 2, and one character for all from 3 on. A vector has 4 characters, a
// matrix 16, row by row with spaces in between; a number has 1.
//   n NaN, + Inf, - -Inf, i one of both, ! any of the three, . finite and not zero, 0 zero,
//   = as before the call
struct row {
    const char *routine, *name;
    float alpha, beta;
    struct patch patches[4];
    const char* expected;
    bool not_openblas; // not promised of the kernel `openblas` of the host
    myblasActivation_t activation;
    int index; // that is found
};

#define N_ NAN
#define I_ INFINITY
static const struct row rows[] = {
    {"mysgemm", "NaN in A", 1, 1, {{'A', 1, 2, N_}}, .expected = ".... nnnn .... ...."},
    {"mysgemm", "NaN in B", 1, 1, {{'B', 1, 2, N_}}, .expected = "..n. ..n. ..n. ..n."},
    {"mysgemm", "Inf in A", 1, 1, {{'A', 1, 2, I_}}, .expected = ".... ++++ .... ...."},
    {"mysgemm",
     "Inf in A, alpha = -1",
     -1,
     1,
     {{'A', 1, 2, I_}},
     .expected = ".... ---- .... ...."},
    {"mysgemm",
     "Inf in A, 0 in B",
     1,
     1,
     {{'A', 1, 2, I_}, {'B', 2, 1, 0}},
     .expected = ".... +n++ .... ...."},
    {"mysgemm",
     "Inf and -Inf in a row of A",
     1,
     1,
     {{'A', 1, 1, I_}, {'A', 1, 2, -I_}},
     .expected = ".... nnnn .... ...."},
    {"mysgemm",
     "Inf in A, -Inf in C",
     1,
     1,
     {{'A', 1, 2, I_}, {'C', 1, 1, -I_}},
     .expected = ".... +n++ .... ...."},
    {"mysgemm", "NaN in C", 1, 1, {{'C', 1, 2, N_}}, .expected = ".... ..n. .... ...."},
    {"mysgemm", "NaN in C, beta = 0", 1, 0, {{'C', 1, 2, N_}}, .expected = ".... .... .... ...."},
    {"mysgemm",
     "NaN in A and B, alpha = 0",
     0,
     1,
     {{'A', 1, 2, N_}, {'B', 0, 0, N_}},
     .expected = "==== ==== ==== ===="},
    {"mysgemm",
     "NaN in A, B and C, alpha = beta = 0",
     0,
     0,
     {{'A', 1, 2, N_}, {'B', 0, 0, N_}, {'C', 1, 1, N_}},
     .expected = "0000 0000 0000 0000"},
    {"mysgemm", "alpha is NaN", N_, 1, {{0}}, .expected = "nnnn nnnn nnnn nnnn"},
    {"mysgemm", "alpha is Inf", I_, 1, {{0}}, .expected = "!!!! !!!! !!!! !!!!"},
    {"mysgemm", "beta is NaN", 1, N_, {{0}}, .expected = "nnnn nnnn nnnn nnnn"},
    {"mysgemm", "beta is Inf, 0 in C", 1, I_, {{'C', 1, 1, 0}}, .expected = "++++ +n++ ++++ ++++"},

    {"mysgemmFused",
     "NaN in A, ReLU",
     1,
     1,
     {{'A', 1, 2, N_}},
     .expected = ".... nnnn .... ....",
     .activation = MYBLAS_ACTIVATION_RELU},
    {"mysgemmFused",
     "-Inf in A, ReLU",
     1,
     1,
     {{'A', 1, 2, -I_}},
     .expected = ".... 0000 .... ....",
     .activation = MYBLAS_ACTIVATION_RELU},
    {"mysgemmFused",
     "Inf in A, GELU",
     1,
     1,
     {{'A', 1, 2, I_}},
     .expected = ".... ++++ .... ....",
     .activation = MYBLAS_ACTIVATION_GELU},
    {"mysgemmFused",
     "-Inf in A, GELU",
     1,
     1,
     {{'A', 1, 2, -I_}},
     .expected = ".... nnnn .... ....",
     .activation = MYBLAS_ACTIVATION_GELU},
    {"mysgemmFused",
     "NaN in the bias, alpha = 0",
     0,
     1,
     {{'x', 1, 0, N_}},
     .expected = ".... nnnn .... ...."},

    {"myssyrk", "NaN in A", 1, 1, {{'A', 1, 2, N_}}, .expected = ".=== nn== .n.= .n.."},
    {"myssyrk",
     "Inf and 0 in a column of A",
     1,
     1,
     {{'A', 1, 2, I_}, {'A', 0, 2, 0}},
     .expected = ".=== n+== .+.= .+.."},
    {"myssyrk", "NaN in A, alpha = 0", 0, 1, {{'A', 1, 2, N_}}, .expected = "==== ==== ==== ===="},
    {"myssyrk", "NaN in C, beta = 0", 1, 0, {{'C', 1, 1, N_}}, .expected = ".=== ..== ...= ...."},
    {"myssyr2k", "NaN in A", 1, 1, {{'A', 1, 2, N_}}, .expected = ".=== nn== .n.= .n.."},
    {"myssyr2k",
     "Inf in A, 0 in B",
     1,
     1,
     {{'A', 1, 2, I_}, {'B', 0, 2, 0}},
     .expected = ".=== n+== .+.= .+.."},
    {"mysgemmtr", "NaN in A", 1, 1, {{'A', 1, 2, N_}}, .expected = ".=== nn== ...= ...."},
    {"mysgemmtr",
     "Inf in A, 0 in B",
     1,
     1,
     {{'A', 1, 2, I_}, {'B', 2, 0, 0}},
     .expected = ".=== n+== ...= ...."},
    {"myssymm", "NaN in A", 1, 1, {{'A', 2, 1, N_}}, .expected = ".... nnnn nnnn ...."},
    {"myssymm",
     "NaN in the other triangle of A",
     1,
     1,
     {{'A', 1, 2, N_}},
     .expected = ".... .... .... ...."},
    {"myssymm",
     "Inf in A, 0 in B",
     1,
     1,
     {{'A', 2, 1, I_}, {'B', 1, 1, 0}},
     .expected = ".... ++++ +n++ ...."},

    {"mystrmm", "NaN in A", 1, 0, {{'A', 2, 1, N_}}, .expected = ".... .... nnnn ...."},
    {"mystrmm",
     "NaN in the other triangle of A",
     1,
     0,
     {{'A', 1, 2, N_}},
     .expected = ".... .... .... ...."},
    {"mystrmm", "Inf in B", 1, 0, {{'B', 1, 1, I_}}, .expected = ".... .+.. .+.. .+.."},
    {"mystrmm",
     "Inf in B, 0 in A",
     1,
     0,
     {{'B', 1, 1, I_}, {'A', 2, 1, 0}},
     .expected = ".... .+.. .n.. .+.."},
    {"mystrmm",
     "Inf in A, 0 in B",
     1,
     0,
     {{'A', 2, 1, I_}, {'B', 1, 1, 0}},
     .expected = ".... .... +n++ ...."},
    {"mystrmm",
     "NaN in A and B, alpha = 0",
     0,
     0,
     {{'A', 2, 1, N_}, {'B', 1, 1, N_}},
     .expected = "0000 0000 0000 0000"},
    {"mystrsm", "NaN in B", 1, 0, {{'B', 1, 1, N_}}, .expected = ".... .n.. .n.. .n.."},
    {"mystrsm", "Inf in B", 1, 0, {{'B', 1, 1, I_}}, .expected = ".... .!.. .!.. .!.."},
    {"mystrsm",
     "NaN in A",
     1,
     0,
     {{'A', 2, 1, N_}},
     .expected = ".... .... nnnn nnnn",
     .not_openblas = true},
    {"mystrsm",
     "0 on the diagonal of A",
     1,
     0,
     {{'A', 1, 1, 0}},
     .expected = ".... ++++ ---- !!!!",
     .not_openblas = true},
    {"mystrsm",
     "0 on the diagonal of A, 0 in B",
     1,
     0,
     {{'A', 1, 1, 0}, {'A', 1, 0, 0}, {'B', 1, 1, 0}},
     .expected = ".... +n++ -n-- !n!!",
     .not_openblas = true},
    {"mystrsm",
     "Inf in A, 0 in X",
     1,
     0,
     {{'A', 2, 1, I_}, {'B', 1, 1, 0}, {'A', 1, 0, 0}},
     .expected = ".... .0.. -n-- !n!!",
     .not_openblas = true},
    {"mystrsm",
     "NaN in A and B, alpha = 0",
     0,
     0,
     {{'A', 2, 1, N_}, {'B', 1, 1, N_}},
     .expected = "0000 0000 0000 0000"},

    {"mysgeam", "NaN in A", 1, 1, {{'A', 1, 2, N_}}, .expected = ".... ..n. .... ...."},
    {"mysgeam", "NaN in A, alpha = 0", 0, 1, {{'A', 1, 2, N_}}, .expected = ".... .... .... ...."},
    {"mysgeam", "NaN in B, beta = 0", 1, 0, {{'B', 1, 2, N_}}, .expected = ".... .... .... ...."},
    {"mysgeam",
     "Inf in A and B, beta = -1",
     1,
     -1,
     {{'A', 1, 2, I_}, {'B', 1, 2, I_}, {'A', 1, 1, I_}},
     .expected = ".... .+n. .... ...."},

    {"mysgemv", "NaN in A", 1, 1, {{'A', 1, 2, N_}}, .expected = ".n.."},
    {"mysgemv", "Inf in x, 0 in A", 1, 1, {{'x', 2, 0, I_}, {'A', 1, 2, 0}}, .expected = "+n++"},
    {"mysgemv", "Inf in A, 0 in x", 1, 1, {{'A', 1, 2, I_}, {'x', 2, 0, 0}}, .expected = ".n.."},
    {"mysgemv", "NaN in A, alpha = 0", 0, 1, {{'A', 1, 2, N_}}, .expected = "===="},
    {"mysgemv", "NaN in y, beta = 0", 1, 0, {{'y', 1, 0, N_}}, .expected = "...."},
    {"myssymv", "NaN in A", 1, 1, {{'A', 2, 1, N_}}, .expected = ".nn."},
    {"myssymv", "Inf in A, 0 in x", 1, 1, {{'A', 2, 1, I_}, {'x', 1, 0, 0}}, .expected = ".+n."},
    {"mysger", "NaN in x", 1, 0, {{'x', 1, 0, N_}}, .expected = ".... nnnn .... ...."},
    {"mysger",
     "Inf in x, 0 in y",
     1,
     0,
     {{'x', 1, 0, I_}, {'y', 1, 0, 0}},
     .expected = ".... +n++ .... ...."},
    {"mysger", "NaN in x, alpha = 0", 0, 0, {{'x', 1, 0, N_}}, .expected = "==== ==== ==== ===="},
    {"myssyr", "NaN in x", 1, 0, {{'x', 1, 0, N_}}, .expected = ".=== nn== .n.= .n.."},
    {"myssyr",
     "Inf and 0 in x",
     1,
     0,
     {{'x', 1, 0, I_}, {'x', 0, 0, 0}},
     .expected = ".=== n+== .+.= .+..",
     .not_openblas = true},
    {"myssyr2",
     "Inf in x, 0 in y",
     1,
     0,
     {{'x', 1, 0, I_}, {'y', 0, 0, 0}},
     .expected = ".=== n+== .+.= .+..",
     .not_openblas = true},
    {"mystrmv",
     "Inf in A, 0 in x",
     1,
     0,
     {{'A', 2, 1, I_}, {'x', 1, 0, 0}},
     .expected = "..n.",
     .not_openblas = true},
    {"mystrmv", "NaN in A", 1, 0, {{'A', 2, 1, N_}}, .expected = "..n."},
    {"mystrsv", "0 on the diagonal of A", 1, 0, {{'A', 1, 1, 0}}, .expected = ".+-!"},
    {"mystrsv",
     "Inf in A, 0 in x",
     1,
     0,
     {{'A', 2, 1, I_}, {'A', 1, 0, 0}, {'x', 1, 0, 0}},
     .expected = ".0nn",
     .not_openblas = true},

    {"mysum", "NaN in x", 1, 0, {{'x', 1, 0, N_}}, .expected = "n"},
    {"mysum", "Inf and -Inf in x", 1, 0, {{'x', 1, 0, I_}, {'x', 2, 0, -I_}}, .expected = "n"},
    {"mysasum", "-Inf in x", 1, 0, {{'x', 1, 0, -I_}}, .expected = "+"},
    {"mysgemsum", "NaN in A", 1, 0, {{'A', 1, 2, N_}}, .expected = ".n.."},
    {"mysdot", "Inf in x, 0 in y", 1, 0, {{'x', 1, 0, I_}, {'y', 1, 0, 0}}, .expected = "n"},
    {"mysdot", "Inf in x", 1, 0, {{'x', 1, 0, I_}}, .expected = "+"},
    {"mysnrm2", "-Inf in x", 1, 0, {{'x', 1, 0, -I_}}, .expected = "+"},
    {"mysnrm2", "Inf and NaN in x", 1, 0, {{'x', 1, 0, I_}, {'x', 2, 0, N_}}, .expected = "n"},
    {"mysnrm2", "squares overflow", 1, 0, {{'x', 1, 0, 0x1p+126f}}, .expected = "."},
    {"myisamax", "NaN first", 1, 0, {{'x', 0, 0, N_}, {'x', 2, 0, I_}}, .index = 1},
    {"myisamax", "NaN later", 1, 0, {{'x', 1, 0, N_}, {'x', 2, 0, 7}}, .index = 3},
    {"myisamax", "Inf and -Inf in x", 1, 0, {{'x', 1, 0, -I_}, {'x', 2, 0, I_}}, .index = 2},
    {"myisamin", "NaN first", 1, 0, {{'x', 0, 0, N_}, {'x', 2, 0, 0}}, .index = 1},
    {"myisamin", "NaN later", 1, 0, {{'x', 1, 0, N_}, {'x', 2, 0, 0}}, .index = 3},
    {"mysscal", "NaN in x, alpha = 0", 0, 0, {{'x', 1, 0, N_}}, .expected = "0n00"},
    {"mysscal", "Inf in x, alpha = 0", 0, 0, {{'x', 1, 0, I_}}, .expected = "0n00"},
    {"mysaxpy", "NaN in x", 1, 0, {{'x', 1, 0, N_}}, .expected = ".n.."},
    {"mysaxpy", "NaN in x, alpha = 0", 0, 0, {{'x', 1, 0, N_}}, .expected = "===="},
    {"mysaxpy", "alpha is Inf, 0 in x", I_, 0, {{'x', 1, 0, 0}}, .expected = "+n++"},
    {"mysrot", "Inf in x, c = 0", 0, 1, {{'x', 1, 0, I_}}, .expected = ".n.."},
    {"mysrotg", "a is NaN, b is Inf", 1, 0, {{'x', 0, 0, N_}, {'y', 0, 0, I_}}, .expected = "n"},
    {"mysrotg", "a is Inf", 1, 0, {{'x', 0, 0, I_}}, .expected = "i"},
};

// ---- Calls --------------------------------------------------------------------------------------

struct operands {
    struct operand a, b, c, x, y, result;
    int n;
};

static struct operand* operand_named(struct operands* o, char name) {
    return name == 'A'   ? &o->a
           : name == 'B' ? &o->b
           : name == 'C' ? &o->c
           : name == 'x' ? &o->x
                         : &o->y;
}

static void set_up(struct operands* o, const struct row* r, int n) {
    o->n = n;
    const size_t vector = (size_t)n * sizeof(float);
    for (const char* name = "ABCxy"; *name; ++name) {
        const bool is_matrix = *name <= 'C';
        struct operand* operand = operand_named(o, *name);
        float* values = operand_place(operand, is_matrix ? vector * (size_t)n : vector, 0);
        for (int j = 0; j < (is_matrix ? n : 1); ++j)
            for (int i = 0; i < n; ++i)
                values[i + j * n] = *name != 'A' ? 1 : i == j ? 2 : 0x1p-8f;
        for (size_t p = 0; p < COUNT_OF(r->patches); ++p)
            if (r->patches[p].operand == *name)
                values[r->patches[p].i + r->patches[p].j * n] = r->patches[p].value;
        operand_upload(operand);
    }
    operand_place(&o->result, vector, 0);
    operand_upload(&o->result);
}

enum kind { matrix, vector, number, an_index };

struct call {
    myblasStatus_t status;
    struct operand* result; // null: host_result or index
    enum kind kind;
    float host_result;
    int index;
};

#define LOWER MYBLAS_FILL_MODE_LOWER, MYBLAS_OP_N
#define LOWER_LEFT MYBLAS_SIDE_LEFT, LOWER, MYBLAS_DIAG_NON_UNIT

static struct call make_call(myblasHandle_t h, const struct row* r, struct operands* o) {
    const int n = o->n;
    const myblasOperation_t op = MYBLAS_OP_N;
    const float alpha = r->alpha, beta = r->beta;
    float *a = operand_device(&o->a), *b = operand_device(&o->b), *c = operand_device(&o->c);
    float *x = operand_device(&o->x), *y = operand_device(&o->y);
    const char* f = r->routine + 2; // without "my"
    struct call made = {.kind = matrix, .result = &o->c};
    const myblasEpilogue_t epilogue = {
        .size_bytes = sizeof epilogue,
        .activation = r->activation,
        .bias = x,
    };
#define CALL(name, which, ...)                                                                     \
    if (strcmp(f, #name) == 0) {                                                                   \
        made.result = &o->which;                                                                   \
        made.status = my##name(h, __VA_ARGS__);                                                    \
        return made;                                                                               \
    }
    // clang-format off
    CALL(sgemm, c, op, op, n, n, n, &alpha, a, n, b, n, &beta, c, n)
    CALL(sgemmFused, c, op, op, n, n, n, &alpha, a, n, b, n, &beta, c, n, c, n, &epilogue)
    CALL(ssyrk, c, LOWER, n, n, &alpha, a, n, &beta, c, n)
    CALL(ssyr2k, c, LOWER, n, n, &alpha, a, n, b, n, &beta, c, n)
    CALL(sgemmtr, c, LOWER, op, n, n, &alpha, a, n, b, n, &beta, c, n)
    CALL(ssymm, c, MYBLAS_SIDE_LEFT, MYBLAS_FILL_MODE_LOWER, n, n, &alpha, a, n, b, n, &beta, c, n)
    CALL(strmm, c, LOWER_LEFT, n, n, &alpha, a, n, b, n, c, n)
    CALL(strsm, b, LOWER_LEFT, n, n, &alpha, a, n, b, n)
    CALL(sgeam, c, op, op, n, n, &alpha, a, n, &beta, b, n, c, n)
    CALL(sger, c, n, n, &alpha, x, 1, y, 1, c, n)
    CALL(ssyr, c, MYBLAS_FILL_MODE_LOWER, n, &alpha, x, 1, c, n)
    CALL(ssyr2, c, MYBLAS_FILL_MODE_LOWER, n, &alpha, x, 1, y, 1, c, n)
    made.kind = vector;
    CALL(sgemv, y, op, n, n, &alpha, a, n, x, 1, &beta, y, 1)
    CALL(ssymv, y, MYBLAS_FILL_MODE_LOWER, n, &alpha, a, n, x, 1, &beta, y, 1)
    CALL(strmv, x, LOWER, MYBLAS_DIAG_NON_UNIT, n, a, n, x, 1)
    CALL(strsv, x, LOWER, MYBLAS_DIAG_NON_UNIT, n, a, n, x, 1)
    CALL(sgemsum, result, op, n, n, a, n, operand_device(&o->result))
    CALL(sscal, x, n, &alpha, x, 1)
    CALL(saxpy, y, n, &alpha, x, 1, y, 1)
    CALL(srot, x, n, x, 1, y, 1, &alpha, &beta)
#undef CALL
    made.result = NULL;
    made.kind = number;
    float* const found = &made.host_result;
#define CALL(name, ...)                                                                            \
    if (strcmp(f, #name) == 0) {                                                                   \
        made.status = my##name(h, __VA_ARGS__);                                                    \
        return made;                                                                               \
    }
    CALL(sum, n, x, 1, found)
    CALL(sasum, n, x, 1, found)
    CALL(sdot, n, x, 1, y, 1, found)
    CALL(snrm2, n, x, 1, found)
    float second = *sent(&o->y), rotation[2];
    *found = *sent(&o->x);
    CALL(srotg, found, &second, rotation, rotation + 1)
    made.kind = an_index;
    CALL(isamax, n, x, 1, &made.index)
    CALL(isamin, n, x, 1, &made.index)
    // clang-format on
#undef CALL
    fail_msg("%s is no routine of this test", r->routine);
    return made;
}

static myblasRoutine_t kernels_of(const char* routine) {
    static const struct {
        const char* name;
        myblasRoutine_t kernels;
    } table[] = {
        {"mysgemm", MYBLAS_ROUTINE_SGEMM},    {"mysgemmFused", MYBLAS_ROUTINE_SGEMM},
        {"mysgemv", MYBLAS_ROUTINE_SGEMM},    {"myssyrk", MYBLAS_ROUTINE_SYRK},
        {"mysgemmtr", MYBLAS_ROUTINE_SYRK},   {"myssyr2k", MYBLAS_ROUTINE_SYR2K},
        {"myssymm", MYBLAS_ROUTINE_SYMM},     {"mystrmm", MYBLAS_ROUTINE_TRMM},
        {"mystrsm", MYBLAS_ROUTINE_TRSM},     {"mysgeam", MYBLAS_ROUTINE_GEAM},
        {"myssymv", MYBLAS_ROUTINE_SYMV},     {"mysger", MYBLAS_ROUTINE_SYR},
        {"myssyr", MYBLAS_ROUTINE_SYR},       {"myssyr2", MYBLAS_ROUTINE_SYR},
        {"mystrmv", MYBLAS_ROUTINE_TRMV},     {"mystrsv", MYBLAS_ROUTINE_TRSV},
        {"mysum", MYBLAS_ROUTINE_SUM},        {"mysasum", MYBLAS_ROUTINE_SUM},
        {"mysgemsum", MYBLAS_ROUTINE_GEMSUM}, {"mysdot", MYBLAS_ROUTINE_DOT},
        {"mysnrm2", MYBLAS_ROUTINE_NRM2},     {"myisamax", MYBLAS_ROUTINE_IAMAX},
        {"myisamin", MYBLAS_ROUTINE_IAMAX},   {"mysscal", MYBLAS_ROUTINE_SCAL},
        {"mysaxpy", MYBLAS_ROUTINE_AXPY},     {"mysrot", MYBLAS_ROUTINE_ROT},
        {"mysrotg", MYBLAS_ROUTINE_ROTG},
    };
    for (size_t i = 0; i < COUNT_OF(table); ++i)
        if (strcmp(table[i].name, routine) == 0)
            return table[i].kernels;
    fail_msg("%s has no kernels in this test", routine);
    return MYBLAS_ROUTINE_SGEMM;
}

// ---- Results ------------------------------------------------------------------------------------

static bool is_as_expected(char expected, float found, float before) {
    switch (expected) {
    case 'n':
        return isnan(found);
    case '+':
        return isinf(found) && found > 0;
    case '-':
        return isinf(found) && found < 0;
    case 'i':
        return isinf(found);
    case '!':
        return !isfinite(found);
    case '0':
        return found == 0;
    case '=':
        return memcmp(&found, &before, sizeof found) == 0;
    default:
        return isfinite(found) && found != 0;
    }
}

static void check(const struct row* r, struct operands* o, struct call* made, const char* kernel) {
    if (made->kind == an_index) {
        if (made->index != r->index)
            fail_msg("%s, %s, n = %d, by %s: %d", r->routine, r->name, o->n, kernel, made->index);
        return;
    }
    const int columns = made->kind == matrix ? o->n : 1;
    const int lines = made->kind == number ? 1 : o->n;
    const float* found = made->result ? operand_download(made->result) : &made->host_result;
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < lines; ++i) {
            const int row = i < 3 ? i : 3, column = j < 3 ? j : 3;
            char expected = r->expected[made->kind == matrix ? 5 * row + column : row];
            // Beyond the corner, the other triangle is untouched above the diagonal alone.
            if (made->kind == matrix && row == 3 && column == 3 && strchr(r->expected, '=') &&
                i < j)
                expected = '=';
            const float value = found[i + j * o->n];
            const float before = made->result ? sent(made->result)[i + j * o->n] : value;
            if (!is_as_expected(expected, value, before))
                fail_msg("%s, %s, n = %d, by %s: (%d, %d) is %g, not %c",
                         r->routine,
                         r->name,
                         o->n,
                         kernel,
                         i,
                         j,
                         (double)value,
                         expected);
        }
}

// In each mode by the library's choice (kernel: null), or by a forced kernel.
static bool
run_row(myblasHandle_t handle, const struct row* r, struct operands* o, int n, const char* kernel) {
    set_up(o, r, n);
    assert_ok(myblasForceKernel(handle, kernels_of(r->routine), kernel));
    struct call made = make_call(handle, r, o);
    if (kernel && made.status == MYBLAS_STATUS_NOT_SUPPORTED)
        return false;
    assert_ok(made.status);
    const char* taken = NULL;
    assert_ok(myblasGetLastKernel(handle, kernels_of(r->routine), &taken));
    if (!r->not_openblas || !taken || strcmp(taken, "openblas") != 0)
        check(r, o, &made, taken ? taken : "no kernel");
    return true;
}

static void test_rows(void** state) {
    myblasHandle_t handle = require_handle(state);
    static const int sizes[] = {4, 40, 150, 1100};
    const bool is_host = backend_of(handle) == MYBLAS_BACKEND_HOST;
    struct operands o = {
        .a = operand_create(handle),
        .b = operand_create(handle),
        .c = operand_create(handle),
        .x = operand_create(handle),
        .y = operand_create(handle),
        .result = operand_create(handle),
    };
    for (const struct row* r = rows; r < rows + COUNT_OF(rows); ++r) {
        int by_kernels = 0;
        divide_anew();
        for (size_t size = 0; size < (reduced() ? 2 : is_host ? 3 : 4); ++size) {
            for (int math = MYBLAS_FP32_STRICT_MATH;
                 math <= MYBLAS_FP32_FAST_MATH && is_in_share(NULL);
                 ++math) {
                assert_ok(myblasSetMathMode(handle, (myblasMath_t)math));
                run_row(handle, r, &o, sizes[size], NULL);
            }
            assert_ok(myblasSetMathMode(handle, MYBLAS_FP32_FAST_MATH)); // allows every kernel
            const myblasRoutine_t routine = kernels_of(r->routine);
            for (int i = 0; i < kernel_count(handle, routine); ++i) {
                const myblasKernelInfo_t info = kernel_info(handle, routine, i);
                if (kernel_fits_device(handle, &info) && !left_out(1))
                    by_kernels += run_row(handle, r, &o, sizes[size], info.name);
            }
            assert_ok(myblasForceKernel(handle, routine, NULL));
        }
        if (by_kernels == 0 && !minimal() && is_whole_test())
            fail_msg("%s, %s: no kernel computes it", r->routine, r->name);
    }
    operand_destroy(&o.a);
    operand_destroy(&o.b);
    operand_destroy(&o.c);
    operand_destroy(&o.x);
    operand_destroy(&o.y);
    operand_destroy(&o.result);
}

int main(int argc, char** argv) {
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        for (const struct row* r = rows; r < rows + COUNT_OF(rows); ++r)
            printf("| `%s` | %s |\n", r->routine, r->name);
        return 0;
    }
    clear_environment();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return RUN_ON_BACKENDS("exceptions", tests);
}
