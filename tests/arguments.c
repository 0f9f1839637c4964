// How every routine answers wrong arguments, in which order it checks them, and what it does when
// there is nothing to do. A refused call must not touch anything.
#include "support.h"

#include "functions.h"

// ---- The functions ------------------------------------------------------------------------------

// Products with a structure or arrays of sizes: fused.c and level3.c test their arguments.
static bool has_own_test(enum function function) {
    return function == sgemm_fused || function == sgemm_fused_strided_batched ||
           function == sgemm_grouped_batched;
}

static bool starts_with(const char* text, const char* prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// The other functions with operands are routines.
static bool is_copy(enum function function) {
    return starts_with(functions[function].name, "myblas");
}

// NULL: it has no parameter of this name.
static const struct parameter* find_parameter(enum function function, const char* name) {
    for (const struct parameter* p = functions[function].parameters; p->name; ++p) {
        if (strcmp(p->name, name) == 0)
            return p;
    }
    return NULL;
}

static bool has_parameter(enum function function, const char* name) {
    return find_parameter(function, name) != NULL;
}

// Routines on vectors alone accept any length and any increment.
static bool is_level1(enum function function) {
    return has_parameter(function, "incx") && !has_parameter(function, "lda") && !is_copy(function);
}

static bool is_type(const struct parameter* p, const char* type) {
    return strcmp(p->type, type) == 0;
}

static bool is_pointer(const struct parameter* p) { return strpbrk(p->type, "*[") != NULL; }

static bool is_increment(const struct parameter* p) { return starts_with(p->name, "inc"); }

static bool is_leading_dimension(const struct parameter* p) { return starts_with(p->name, "ld"); }

static bool is_size(const struct parameter* p) {
    return is_type(p, "int") && !is_increment(p) && !is_leading_dimension(p) &&
           strcmp(p->name, "element_bytes") != 0;
}

static myblasStatus_t
call(enum function function, bool wide, myblasHandle_t handle, const struct arguments* arguments) {
    return wide ? call_wide(function, handle, arguments) : call_narrow(function, handle, arguments);
}

static int64_t get(const struct arguments* arguments, const struct parameter* p) {
    int64_t value;
    memcpy(&value, (const char*)arguments + p->offset, sizeof value);
    return value;
}

static void set(struct arguments* arguments, const struct parameter* p, int64_t value) {
    memcpy((char*)arguments + p->offset, &value, sizeof value);
}

// ---- Faults -------------------------------------------------------------------------------------

struct fault {
    const struct parameter* parameter;
    int64_t value;
};

enum { max_values = 4, max_faults = 64 };

// Wrong values of a parameter whose right value is `good`; returns their number.
static int wrong_values(enum function function,
                        const struct parameter* p,
                        int64_t good,
                        int64_t values[max_values]) {
    const struct {
        bool applies;
        int count;
        int64_t values[max_values];
    } kinds[] = {
        {is_type(p, "myblasOperation_t"), 3, {3, -1, 111}},
        {is_type(p, "myblasFillMode_t"), 3, {2, -1, 121}},
        {is_type(p, "myblasSideMode_t") || is_type(p, "myblasDiagType_t"), 2, {2, -1}},
        {is_type(p, "uint64_t*"), 2, {0, 4}}, // NULL, and an address that is not a multiple of 8
        {is_pointer(p), 1, {0}},
        {!is_type(p, "int") || is_level1(function), 0, {0}},
        {is_leading_dimension(p), 4, {good - 1, 0, -1, -9}},
        {is_increment(p), is_copy(function) ? 2 : 1, {0, -1}},
        {is_size(p), 1, {-1}},
        {is_copy(function), 2, {0, -4}}, // element_bytes
        {true, 4, {3, 0, -4, 32}},
    };
    int kind = 0;
    while (!kinds[kind].applies)
        ++kind;
    memcpy(values, kinds[kind].values, sizeof kinds[kind].values);
    return kinds[kind].count;
}

// A scalar, the parameters of a rotation, or a result: a pointer that no increment or leading
// dimension follows.
static bool is_scalar(enum function function, const struct parameter* p) {
    if (function == histogram256 || (function == sgemsum && strcmp(p->name, "result") == 0))
        return false; // vectors without increments
    const struct parameter* next = p + 1;
    return is_pointer(p) && !(next->name && (is_leading_dimension(next) || is_increment(next)));
}

// Values are checked first, then pointers to scalars and results, then the other pointers.
static int rank(enum function function, const struct parameter* p) {
    return !is_pointer(p) ? 0 : is_scalar(function, p) ? 1 : 2;
}

// In the order of checking; returns their number. The values of a parameter are neighbours.
static int
find_faults(enum function function, const struct arguments* good, struct fault faults[max_faults]) {
    int count = 0;
    for (int at = 0; at <= 2; ++at) {
        for (const struct parameter* p = functions[function].parameters; p->name; ++p) {
            int64_t values[max_values];
            const int of_parameter =
                rank(function, p) == at ? wrong_values(function, p, get(good, p), values) : 0;
            for (int i = 0; i < of_parameter; ++i) {
                assert_true(count < max_faults);
                faults[count++] = (struct fault){p, values[i]};
            }
        }
    }
    return count;
}

// How the log names a parameter.
static const char* name_in_log(enum function function, const struct parameter* p) {
    if (is_copy(function)) {
        const bool is_source =
            strchr("Ax", p->name[strlen(p->name) - 1]) || strcmp(p->name, "lda") == 0;
        if (is_leading_dimension(p) || is_increment(p))
            return is_source ? "the source's leading dimension" : "the target's leading dimension";
        if (is_pointer(p))
            return is_source ? "the source is" : "the target is";
        if (strcmp(p->name, "n") == 0)
            return "cols (of a vector: n)";
    }
    static const char* const arrays[][2] = {
        {"Aarray", "A"}, {"Barray", "B"}, {"Carray", "C"}, {"xarray", "x"}, {"yarray", "y"}};
    for (size_t i = 0; i < COUNT_OF(arrays); ++i) {
        if (strcmp(p->name, arrays[i][0]) == 0)
            return arrays[i][1];
    }
    return p->name;
}

// ---- Good arguments -----------------------------------------------------------------------------

enum { operand_floats = 64 * 8 }; // room for 256 counts

struct setting {
    struct operand a, b, c, result, scalars, arrays;
    float host_scalars[5]; // all 1
    double host_result;
    unsigned char host_a[operand_floats * 4], host_b[operand_floats * 4];
};

static void place_floats(struct operand* o) {
    float* host = operand_place(o, operand_floats * sizeof(float), 0);
    for (int i = 0; i < operand_floats; ++i)
        host[i] = (float)i;
    operand_upload(o);
}

static struct setting* setting_create(myblasHandle_t handle) {
    struct setting* s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->a = s->b = s->c = s->result = s->scalars = s->arrays = operand_create(handle);
    place_floats(&s->a);
    place_floats(&s->b);
    place_floats(&s->c);
    for (int i = 0; i < 5; ++i)
        s->host_scalars[i] = 1;
    float* scalars = operand_place(&s->scalars, sizeof s->host_scalars, 0);
    memcpy(scalars, s->host_scalars, sizeof s->host_scalars);
    operand_upload(&s->scalars);
    operand_place(&s->result, sizeof s->host_scalars, 0); // what rotmg writes
    operand_upload(&s->result);
    void** arrays = operand_place(&s->arrays, 6 * sizeof(void*), 0);
    for (int i = 0; i < 2; ++i) {
        arrays[i] = (float*)operand_device(&s->a) + i * 64;
        arrays[2 + i] = (float*)operand_device(&s->b) + i * 64;
        arrays[4 + i] = (float*)operand_device(&s->c) + i * 64;
    }
    operand_upload(&s->arrays);
    memset(s->host_a, 0x5A, sizeof s->host_a);
    memset(s->host_b, 0x5A, sizeof s->host_b);
    s->host_result = -77;
    return s;
}

static void setting_assert_untouched(struct setting* s) {
    operand_assert_unchanged(&s->a);
    operand_assert_unchanged(&s->b);
    operand_assert_unchanged(&s->c);
    operand_assert_unchanged(&s->result);
    operand_assert_unchanged(&s->scalars);
    operand_assert_unchanged(&s->arrays);
    for (size_t i = 0; i < sizeof s->host_a; ++i)
        assert_true(s->host_a[i] == 0x5A && s->host_b[i] == 0x5A);
    assert_true(s->host_result == -77);
}

static void setting_destroy(struct setting* s) {
    operand_destroy(&s->a);
    operand_destroy(&s->b);
    operand_destroy(&s->c);
    operand_destroy(&s->result);
    operand_destroy(&s->scalars);
    operand_destroy(&s->arrays);
    free(s);
}

// The least leading dimensions, and operands that do not overlap.
static struct arguments
good_arguments(enum function function, struct setting* s, bool device_scalars) {
    float* scalars =
        device_scalars && function != sgemm_host ? operand_device(&s->scalars) : s->host_scalars;
    void** arrays = operand_device(&s->arrays);
    const bool is_product = has_parameter(function, "transb") && has_parameter(function, "k");
    const int rows = has_parameter(function, "m") || is_copy(function) ? 3 : 4; // else n x n
    struct arguments g = {
        .m = 3,
        .n = 4,
        .k = 5,
        .rows = 3,
        .cols = 4,
        .element_bytes = 4,
        .batch_count = 2,
        .lda = rows,
        .ldb = is_product ? 5 : rows,
        .ldc = rows,
        .incx = 1,
        .incy = 2,
        .strideA = 64,
        .strideB = 64,
        .strideC = 64,
        .stridex = 64,
        .stridey = 64,
        .A = operand_device(&s->a),
        .B = operand_device(&s->b),
        .C = operand_device(&s->c),
        .x = operand_device(&s->b),
        .y = operand_device(&s->c),
        .counts = operand_device(&s->c),
        .Aarray = arrays,
        .Barray = arrays + 2,
        .xarray = arrays + 2,
        .Carray = arrays + 4,
        .yarray = arrays + 4,
        .result = device_scalars ? operand_device(&s->result) : (void*)&s->host_result,
    };
    for (const struct parameter* p = functions[function].parameters; p->name; ++p) {
        if (is_scalar(function, p) && is_type(p, "const float*"))
            set(&g, p, (intptr_t)scalars);
    }
    switch (function) {
    case transpose:
    case transpose_ex:
    case transpose_strided_batched:
        g.ldb = 4;
        break;
    case sgemsum:
        g.result = operand_device(&s->c);
        break;
    case srotg:
    case srotmg:
        g.a = g.d1 = device_scalars ? operand_device(&s->a) : s->host_a;
        g.b = g.d2 = device_scalars ? operand_device(&s->b) : s->host_a + 64;
        g.c = g.x1 = device_scalars ? operand_device(&s->c) : s->host_a + 128;
        g.s = g.param = device_scalars ? operand_device(&s->result) : s->host_b;
        break;
    default:
        break;
    }
    if (function == sgemm_host) {
        g.A = s->host_a;
        g.B = s->host_a + 512;
        g.C = s->host_b;
    }
    if (starts_with(functions[function].name, "myblasSet"))
        g.A = g.x = s->host_a;
    if (starts_with(functions[function].name, "myblasGet"))
        g.B = g.y = s->host_b;
    return g;
}

// ---- The logger shows which error was found first -----------------------------------------------

static char last_message[1024];

static void keep_message(const char* message) {
    snprintf(last_message, sizeof last_message, "%s", message);
}

static int start_listening(void** state) {
    (void)state;
    return myblasSetLoggerCallback(keep_message) == MYBLAS_STATUS_SUCCESS ? 0 : -1;
}

static int stop_listening(void** state) {
    (void)state;
    return myblasSetLoggerCallback(NULL) == MYBLAS_STATUS_SUCCESS ? 0 : -1;
}

// The message names the function, the status and, before anything else, the parameter.
static void assert_message(enum function function, const char* parameter) {
    char expected[256];
    snprintf(expected,
             sizeof expected,
             "%s: MYBLAS_STATUS_INVALID_VALUE: %s ",
             functions[function].name,
             parameter);
    if (strncmp(last_message, expected, strlen(expected)) != 0)
        fail_msg("the log says \"%s\", not \"%s...\"", last_message, expected);
}

// ---- Tests --------------------------------------------------------------------------------------

// Every wrong parameter in turn, alone and with all those after it.
static void test_faults(void** state) {
    myblasHandle_t handle = require_handle(state);
    for (int f = 0; f < function_count; ++f) {
        const enum function function = (enum function)f;
        if (has_own_test(function))
            continue;
        for (int variant = 0; variant < 4; ++variant) {
            const bool wide = variant & 1, device_scalars = variant & 2;
            struct setting* s = setting_create(handle);
            assert_ok(myblasSetPointerMode(
                handle, device_scalars ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
            const struct arguments good = good_arguments(function, s, device_scalars);
            struct fault faults[max_faults];
            const int count = find_faults(function, &good, faults);
            assert_true(count > 0);
            for (int first = 0; first < count; ++first) {
                const struct parameter* p = faults[first].parameter;
                struct arguments alone = good, with_rest = good;
                set(&alone, p, faults[first].value);
                for (int i = count; i-- > first;)
                    set(&with_rest, faults[i].parameter, faults[i].value);
                assert_status(INVALID_VALUE, call(function, wide, handle, &alone));
                assert_message(function, name_in_log(function, p));
                assert_status(INVALID_VALUE, call(function, wide, handle, &with_rest));
                assert_message(function, name_in_log(function, p));
                assert_status(NOT_INITIALIZED, call(function, wide, NULL, &with_rest));
            }
            assert_status(NOT_INITIALIZED, call(function, wide, NULL, &good));
            setting_assert_untouched(s);
            // The arguments without the faults are good.
            assert_ok(call(function, wide, handle, &good));
            assert_ok(myblasStreamSynchronize(handle, NULL));
            setting_destroy(s);
        }
    }
}

// A call does not know the value of a scalar in device memory, even on the host backend. Therefore
// operands must not be NULL, although a scalar of zero would leave them unread.
static void test_null_beside_device_zeros(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct setting* s = setting_create(handle);
    memset(operand_place(&s->scalars, sizeof s->host_scalars, 0), 0, sizeof s->host_scalars);
    operand_upload(&s->scalars);
    assert_ok(myblasSetPointerMode(handle, MYBLAS_POINTER_MODE_DEVICE));
    for (int f = 0; f < function_count; ++f) {
        const enum function function = (enum function)f;
        if (!has_parameter(function, "alpha") || has_own_test(function) || function == sgemm_host)
            continue;
        for (int wide = 0; wide < 2; ++wide) {
            const struct arguments good = good_arguments(function, s, true);
            int pointers = 0;
            for (const struct parameter* p = functions[f].parameters; p->name; ++p) {
                if (!is_pointer(p) || rank(function, p) != 2)
                    continue;
                struct arguments bad = good;
                set(&bad, p, 0);
                assert_status(INVALID_VALUE, call(function, wide, handle, &bad));
                assert_message(function, name_in_log(function, p));
                ++pointers;
            }
            assert_true(pointers > 0);
            assert_ok(call(function, wide, handle, &good));
        }
    }
    setting_destroy(s);
}

// Messages have the values of wrong arguments.
static void test_values_in_messages(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct setting* s = setting_create(handle);
    static const struct {
        enum function function;
        const char* parameter;
        int64_t value;
        const char* message;
    } cases[] = {
        {sgemm, "transb", 9, "transb = 9, which is not an operation"},
        {sgemm, "k", -5, "k = -5, but it must not be negative"},
        {sgemm, "lda", 2, "lda = 2, but A has 3 rows"},
        {sgemm_strided_batched, "ldb", -7, "ldb = -7, but B has 5 rows"},
        {sgemm, "ldc", 0, "ldc = 0, but C has 3 rows"},
        {sgemm_batched, "batch_count", -2, "batch_count = -2, but it must not be negative"},
        {transpose_ex, "element_bytes", 3, "element_bytes = 3, which is not 1, 2, 4, 8 or 16"},
        {sgemv, "incx", 0, "incx = 0, but it must not be zero"},
        {ssyrk, "uplo", 7, "uplo = 7, which is neither lower nor upper"},
        {strsm, "diag", 2, "diag = 2, which is neither unit nor non-unit"},
        {ssymm, "side", -1, "side = -1, which is neither left nor right"},
        {set_matrix,
         "ldb",
         1,
         "the target's leading dimension or increment = 1, but the matrix has 3 rows"},
        {set_vector,
         "incx",
         -4,
         "the source's leading dimension or increment = -4, but it must be positive"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i)
        for (int wide = 0; wide < 2; ++wide) {
            struct arguments g = good_arguments(cases[i].function, s, false);
            set(&g, find_parameter(cases[i].function, cases[i].parameter), cases[i].value);
            assert_status(INVALID_VALUE, call(cases[i].function, wide, handle, &g));
            char expected[256];
            snprintf(expected,
                     sizeof expected,
                     "%s: MYBLAS_STATUS_INVALID_VALUE: %s",
                     functions[cases[i].function].name,
                     cases[i].message);
            assert_string_equal(last_message, expected);
        }
    // More than sizes of 32 bits can hold.
    struct arguments g = good_arguments(sgemm, s, false);
    g.m = INT64_C(1) << 40;
    assert_status(INVALID_VALUE, call(sgemm, true, handle, &g));
    assert_non_null(strstr(last_message, ": lda = 3, but A has 1099511627776 rows"));
    void* memory = NULL;
    assert_status(ALLOC_FAILED, myblasMalloc(handle, &memory, (size_t)1 << 60));
    assert_non_null(strstr(last_message, ": size_bytes = 1152921504606846976, but "));
    const bool names_device = strstr(last_message, "device") != NULL;
    assert_true(names_device == (backend_of(handle) == MYBLAS_BACKEND_CUDA));
    setting_destroy(s);
}

// For transposed operands, the leading dimensions are compared with the other sizes.
static void test_leading_dimensions(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct setting* s = setting_create(handle);
    for (int wide = 0; wide < 2; ++wide) {
        for (int op = MYBLAS_OP_T; op <= MYBLAS_OP_C; ++op) {
            struct arguments g = good_arguments(sgemm, s, false);
            g.transa = g.transb = op;
            g.lda = 5;
            g.ldb = 4;
            struct arguments bad = g;
            bad.lda = 4;
            assert_status(INVALID_VALUE, call(sgemm, wide, handle, &bad));
            bad = g;
            bad.ldb = 3;
            assert_status(INVALID_VALUE, call(sgemm, wide, handle, &bad));
            g = good_arguments(sgeam, s, false);
            g.transa = g.transb = op;
            g.lda = g.ldb = 4;
            bad = g;
            bad.lda = 3;
            assert_status(INVALID_VALUE, call(sgeam, wide, handle, &bad));
            bad = g;
            bad.ldb = 3;
            assert_status(INVALID_VALUE, call(sgeam, wide, handle, &bad));
            for (int f = ssyrk; f <= ssyr2k; ++f) { // A and B have k rows
                bad = good_arguments((enum function)f, s, false);
                bad.trans = op;
                bad.lda = 4;
                assert_status(INVALID_VALUE, call((enum function)f, wide, handle, &bad));
                bad.lda = 5;
                bad.ldb = 4;
                if (f != ssyrk)
                    assert_status(INVALID_VALUE, call((enum function)f, wide, handle, &bad));
            }
            setting_assert_untouched(s);
        }
        for (int f = ssymm; f <= strsm_strided_batched; ++f) { // on the right, A has n rows
            struct arguments bad = good_arguments((enum function)f, s, false);
            bad.side = MYBLAS_SIDE_RIGHT;
            assert_status(INVALID_VALUE, call((enum function)f, wide, handle, &bad));
            assert_message((enum function)f, "lda");
        }
        setting_assert_untouched(s);
    }
    setting_destroy(s);
}

// Whether a call does nothing if this size is zero.
static bool is_quick_return(enum function function, const struct parameter* p) {
    if (function == sgemsum) // the sums of empty rows are zeros
        return strcmp(p->name, "m") == 0;
    return is_size(p) && strcmp(p->name, "k") != 0 && function != histogram256 &&
           !has_parameter(function, "result");
}

// Sizes of zero succeed with any scalars and pointers; the checks of sizes come first.
static void test_quick_returns(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct setting* s = setting_create(handle);
    for (int f = 0; f < function_count; ++f) {
        const enum function function = (enum function)f;
        const struct parameter* parameters = functions[f].parameters;
        for (int variant = 0; variant < 4 && !has_own_test(function); ++variant) {
            const bool wide = variant & 1, device_scalars = variant & 2;
            assert_ok(myblasSetPointerMode(
                handle, device_scalars ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST));
            for (const struct parameter* size = parameters; size->name; ++size) {
                if (!is_quick_return(function, size))
                    continue;
                struct arguments g = good_arguments(function, s, device_scalars);
                set(&g, size, 0);
                assert_ok(call(function, wide, handle, &g));
                for (const struct parameter* p = parameters; p->name; ++p) {
                    if (is_pointer(p))
                        set(&g, p, 0);
                }
                assert_ok(call(function, wide, handle, &g));
                assert_status(NOT_INITIALIZED, call(function, wide, NULL, &g));
                for (const struct parameter* p = parameters; p->name; ++p) {
                    struct arguments bad = g;
                    set(&bad, p, 0);
                    if (is_leading_dimension(p) || (is_increment(p) && !is_level1(function)))
                        assert_status(INVALID_VALUE, call(function, wide, handle, &bad));
                }
            }
        }
    }
    for (int wide = 0; wide < 2; ++wide) {
        struct arguments negative = {.n = -5, .incx = 1, .incy = 2};
        static const enum function vectors[] = {saxpy, scopy, sscal, sswap, srot, srotm};
        for (size_t i = 0; i < COUNT_OF(vectors); ++i)
            assert_ok(call(vectors[i], wide, handle, &negative));
        assert_ok(call(sscal, wide, handle, &(struct arguments){.n = 4, .incx = 0}));
    }
    setting_assert_untouched(s);
    setting_destroy(s);
}

// Sums without elements still need a place for the result.
static void test_sum_of_nothing(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct setting* s = setting_create(handle);
    for (int wide = 0; wide < 2; ++wide) {
        for (int i = 0; i < function_count; ++i) {
            const enum function f = (enum function)i;
            if (!has_parameter(f, "result") || f == sgemsum)
                continue;
            struct arguments g = good_arguments(f, s, false);
            g.n = 0;
            g.x = NULL;
            g.result = NULL;
            assert_status(INVALID_VALUE, call(f, wide, handle, &g));
            assert_message(f, "result");
        }
    }
    setting_assert_untouched(s);
    setting_destroy(s);
}

// Overlap is allowed only where it is documented.
static void test_in_place_forms(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct setting* s = setting_create(handle);
    for (int wide = 0; wide < 2; ++wide) {
        struct arguments g = good_arguments(transpose, s, false);
        g.B = g.A;
        g.lda = 4; // 3 x 4: neither square nor tight
        assert_status(INVALID_VALUE, call(transpose, wide, handle, &g));
        assert_status(INVALID_VALUE, call(transpose_ex, wide, handle, &g));
        g.lda = 3;
        g.ldb = 5;
        assert_status(INVALID_VALUE, call(transpose, wide, handle, &g));
        g.m = g.n = 3;
        g.lda = 4; // square with different leading dimensions
        assert_status(INVALID_VALUE, call(transpose, wide, handle, &g));
        assert_status(INVALID_VALUE, call(transpose_strided_batched, wide, handle, &g));
        g = good_arguments(transpose_strided_batched, s, false);
        g.B = g.A; // a batch of tight matrices that are not square
        assert_status(INVALID_VALUE, call(transpose_strided_batched, wide, handle, &g));
        void* a = g.A; // a batch of squares with different strides
        assert_status(INVALID_VALUE,
                      wide ? mytransposeStridedBatched_64(handle, 3, 3, a, 3, 16, a, 3, 32, 2)
                           : mytransposeStridedBatched(handle, 3, 3, a, 3, 16, a, 3, 32, 2));

        g = good_arguments(sgeam, s, false);
        g.C = g.A;
        g.m = g.n = 3;
        g.transa = MYBLAS_OP_T;
        assert_status(INVALID_VALUE, call(sgeam, wide, handle, &g));
        g.transa = MYBLAS_OP_N;
        g.lda = 4;
        assert_status(INVALID_VALUE, call(sgeam, wide, handle, &g));
        g = good_arguments(sgeam, s, false);
        g.C = g.B;
        g.m = g.n = 3;
        g.transb = MYBLAS_OP_C;
        assert_status(INVALID_VALUE, call(sgeam, wide, handle, &g));
        g.transb = MYBLAS_OP_N;
        g.ldc = 4;
        assert_status(INVALID_VALUE, call(sgeam, wide, handle, &g));
        g = good_arguments(strmm, s, false);
        g.C = g.B;
        g.ldc = g.ldb + 1;
        assert_status(INVALID_VALUE, call(strmm, wide, handle, &g));
    }
    setting_assert_untouched(s);
    setting_destroy(s);
}

// Pointers must be multiples of the element size.
static void test_misaligned_elements(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct setting* s = setting_create(handle);
    for (int wide = 0; wide < 2; ++wide) {
        for (int bytes = 2; bytes <= 16; bytes *= 2) {
            struct arguments g = good_arguments(transpose_ex, s, false);
            g.m = g.n = 2;
            g.element_bytes = bytes;
            struct arguments bad = g;
            bad.A = (char*)g.A + bytes / 2;
            assert_status(INVALID_VALUE, call(transpose_ex, wide, handle, &bad));
            assert_message(transpose_ex, "A");
            bad = g;
            bad.B = (char*)g.B + bytes / 2;
            assert_status(INVALID_VALUE, call(transpose_ex, wide, handle, &bad));
            assert_message(transpose_ex, "B");
        }
    }
    setting_assert_untouched(s);
    setting_destroy(s);
}

// Sizes whose product leaves 64 bits are refused.
static void test_unaddressable_sizes(void** state) {
    myblasHandle_t handle = require_handle(state);
    struct setting* s = setting_create(handle);
    const int64_t huge = INT64_C(1) << 40;
    for (int f = 0; f < function_count; ++f) {
        const enum function function = (enum function)f;
        const bool has_ld = has_parameter(function, "lda") || has_parameter(function, "incx");
        if (!has_ld || is_copy(function) || has_own_test(function))
            continue;
        struct arguments g = good_arguments(function, s, false);
        g.m = g.n = g.k = huge;
        g.lda = g.ldb = g.ldc = huge;
        if (is_level1(function))
            g.incx = g.incy = huge;
        assert_status(INVALID_VALUE, call(function, true, handle, &g));
    }
    // Strides of batches, of either sign.
    for (int f = 0; f < function_count; ++f) {
        const enum function function = (enum function)f;
        if (has_own_test(function))
            continue;
        for (const struct parameter* p = functions[f].parameters; p->name; ++p)
            for (int wide = 0; starts_with(p->name, "stride") && wide < 2; ++wide)
                for (int sign = -1; sign <= 1; sign += 2) {
                    struct arguments g = good_arguments(function, s, false);
                    set(&g, p, sign * (INT64_MAX / 4));
                    assert_status(INVALID_VALUE, call(function, wide, handle, &g));
                }
    }
    setting_assert_untouched(s);
    setting_destroy(s);
}

// A forced kernel that does not accept the call changes neither the checks nor the quick returns.
static void test_forced_kernel_and_checks(void** state) {
    clear_environment();
    (void)require_handle(state);
    setenv("MYBLAS_SGEMM_KERNEL", "no_such_kernel", 1);
    myblasHandle_t handle = NULL;
    const myblasStatus_t created = myblasCreateOn(&handle, backend_of(require_handle(state)));
    unsetenv("MYBLAS_SGEMM_KERNEL");
    assert_ok(created);
    struct setting* s = setting_create(handle);
    struct arguments g = good_arguments(sgemm, s, false);
    assert_status(NOT_SUPPORTED, call(sgemm, false, handle, &g));
    assert_status(NOT_SUPPORTED, call(sgemm, true, handle, &g));
    setting_assert_untouched(s);
    struct arguments bad = g;
    bad.ldc = 0;
    assert_status(INVALID_VALUE, call(sgemm, false, handle, &bad));
    // In groups, too: the second one is wrong, the kernel accepts neither.
    const myblasOperation_t op[] = {MYBLAS_OP_N, MYBLAS_OP_N};
    const int sizes[] = {2, 2}, counts[] = {1, 1}, leading[] = {2, 2}, wrong[] = {2, 1};
    void** arrays = operand_device(&s->arrays);
    const float* const* in = (const float* const*)arrays;
    float* const* out = (float* const*)(arrays + 4);
    for (int is_wrong = 0; is_wrong < 2; ++is_wrong) {
        const int* ldc = is_wrong ? wrong : leading;
        const myblasStatus_t status = mysgemmGroupedBatched(handle,
                                                            op,
                                                            op,
                                                            sizes,
                                                            sizes,
                                                            sizes,
                                                            s->host_scalars,
                                                            in,
                                                            leading,
                                                            in,
                                                            leading,
                                                            s->host_scalars,
                                                            out,
                                                            ldc,
                                                            2,
                                                            counts);
        assert_int_equal(status,
                         is_wrong ? MYBLAS_STATUS_INVALID_VALUE : MYBLAS_STATUS_NOT_SUPPORTED);
    }
    struct arguments empty = g;
    empty.n = 0;
    assert_ok(call(sgemm, false, handle, &empty));
    // The forced kernel does not affect other routines.
    struct arguments other = good_arguments(transpose, s, false);
    assert_ok(call(transpose, false, handle, &other));
    assert_ok(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, NULL));
    assert_ok(call(sgemm, false, handle, &g));
    setting_destroy(s);
    assert_ok(myblasDestroy(handle));
}

int main(void) {
#define TEST(test) cmocka_unit_test_setup_teardown(test, start_listening, stop_listening)
    const struct CMUnitTest tests[] = {
        TEST(test_faults),
        TEST(test_null_beside_device_zeros),
        TEST(test_values_in_messages),
        TEST(test_leading_dimensions),
        TEST(test_quick_returns),
        TEST(test_sum_of_nothing),
        TEST(test_in_place_forms),
        TEST(test_misaligned_elements),
        TEST(test_unaddressable_sizes),
        TEST(test_forced_kernel_and_checks),
    };
    return RUN_ON_BACKENDS("arguments", tests);
}
