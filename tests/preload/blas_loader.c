// Loads a BLAS as FlexiBLAS and libblastrampoline do: by dlopen, with each function looked up by
// dlsym on that one handle.
//
//   blas_loader flexiblas|trampoline LIBRARY OTHER SUFFIX SYMBOLS
//
// LIBRARY is the BLAS, OTHER the library that it is linked to. SUFFIX ends the names, as 64_ in
// dgemm_64_; "" for none. SYMBOLS is a file with the symbols that LIBRARY has itself, one a line.
#define _GNU_SOURCE
#include <complex.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 48 };

static int failures;
static const char* suffix;

static void expect(bool holds, const char* what) {
    if (!holds) {
        printf("%s\n", what);
        ++failures;
    }
}

static void* find(void* library, const char* name, const char* ending) {
    char symbol[64];
    snprintf(symbol, sizeof symbol, "%s%s", name, ending);
    return dlsym(library, symbol);
}

static void* need(void* library, const char* name) {
    void* const function = find(library, name, suffix);
    if (!function) {
        printf("missing: %s%s\n", name, suffix);
        exit(1);
    }
    return function;
}

// Sizes are 64 bits wide in memory: a BLAS with 32-bit integers reads the low half.
typedef int64_t size;
typedef void gemm_function(const char*,
                           const char*,
                           const size*,
                           const size*,
                           const size*,
                           const void*,
                           const void*,
                           const size*,
                           const void*,
                           const size*,
                           const void*,
                           void*,
                           const size*,
                           size_t,
                           size_t);

static void expect_own_symbols(void* library, const char* file) {
    FILE* const list = fopen(file, "r");
    char symbol[64];
    int count = 0;
    if (!list) {
        perror(file);
        exit(1);
    }
    Dl_info sgemm;
    expect(dladdr(need(library, "sgemm_"), &sgemm) != 0, "sgemm_ is in no file");
    while (fscanf(list, "%63s", symbol) == 1) {
        Dl_info info;
        void* const function = dlsym(library, symbol);
        ++count;
        if (!function || !dladdr(function, &info) || info.dli_fbase != sgemm.dli_fbase) {
            printf("%s: %s\n", symbol, function ? "in another library" : "missing");
            ++failures;
        }
    }
    fclose(list);
    expect(count > 4, "the list of symbols is too short");
}

// The way of libblastrampoline. The negative size is 3 for a BLAS with 32-bit integers.
static void expect_detection(void* library) {
    static const char* const suffixes[] = {"", "64_", "_64_", "_64"};
    const char* found = NULL;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !found; ++i)
        if (find(library, "isamax_", suffixes[i]))
            found = suffixes[i];
    expect(found && strcmp(found, suffix) == 0,
           "another suffix is found than the linked library's");
    expect(*suffix || !find(library, "isamax_", "64_"), "a suffix that the linked library lacks");
    const float x[3] = {1, 2, 1};
    const size negative = (size)0xffffffff00000003, one = 1;
    int64_t (*isamax)(const size*, const float*, const size*) = need(library, "isamax_");
    const int32_t place = (int32_t)isamax(&negative, x, &one);
    expect(place == (*suffix ? 0 : 2), "isamax_ does not show the width of the integers");
    double complex (*zdotc)(const size*, const void*, const size*, const void*, const size*) =
        need(library, "zdotc_");
    const double complex u[2] = {1 + 2 * I, 3}, v[2] = {1, I};
    const size two = 2;
    expect(zdotc(&two, u, &one, v, &one) == 1 + I, "zdotc_ returns another value");
}

static void expect_products(void* library, void* other) {
    static float fa[n * n], fc[n * n];
    static double da[n * n], dc[n * n], dc_other[n * n];
    for (int i = 0; i < n * n; ++i) {
        fa[i] = (float)(i % 7 - 3);
        da[i] = (double)rand() / RAND_MAX;
    }
    const size extent = n;
    const float fone = 1, fzero = 0;
    const double done = 1, dzero = 0;
    ((gemm_function*)need(library, "sgemm_"))("N",
                                              "N",
                                              &extent,
                                              &extent,
                                              &extent,
                                              &fone,
                                              fa,
                                              &extent,
                                              fa,
                                              &extent,
                                              &fzero,
                                              fc,
                                              &extent,
                                              1,
                                              1);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            float sum = 0;
            for (int l = 0; l < n; ++l)
                sum += fa[i + l * n] * fa[l + j * n];
            if (fc[i + j * n] != sum) {
                printf("sgemm_: C(%d, %d) is %g, not %g\n", i, j, fc[i + j * n], sum);
                exit(1);
            }
        }
    ((gemm_function*)need(library, "dgemm_"))("N",
                                              "T",
                                              &extent,
                                              &extent,
                                              &extent,
                                              &done,
                                              da,
                                              &extent,
                                              da,
                                              &extent,
                                              &dzero,
                                              dc,
                                              &extent,
                                              1,
                                              1);
    ((gemm_function*)need(other, "dgemm_"))("N",
                                            "T",
                                            &extent,
                                            &extent,
                                            &extent,
                                            &done,
                                            da,
                                            &extent,
                                            da,
                                            &extent,
                                            &dzero,
                                            dc_other,
                                            &extent,
                                            1,
                                            1);
    expect(memcmp(dc, dc_other, sizeof dc) == 0, "dgemm_ has another result than the linked BLAS");
}

// The linked library's LAPACK, in single and double precision.
static void expect_solvers(void* library) {
    float fa[4] = {4, 1, 2, 3}, fb[2] = {8, 7};
    double da[4] = {4, 1, 2, 3}, db[2] = {8, 7};
    int pivots[4];
    const size two = 2, one = 1;
    size info = 0;
    typedef void gesv_function(
        const size*, const size*, void*, const size*, int*, void*, const size*, size*);
    ((gesv_function*)need(library, "sgesv_"))(&two, &one, fa, &two, pivots, fb, &two, &info);
    expect(info == 0 && fb[0] > 0.999f && fb[0] < 1.001f, "sgesv_ does not solve");
    ((gesv_function*)need(library, "dgesv_"))(&two, &one, da, &two, pivots, db, &two, &info);
    expect(info == 0 && db[0] > 0.999 && db[0] < 1.001, "dgesv_ does not solve");
}

int main(int count, char** arguments) {
    if (count != 6)
        return 2;
    const bool is_trampoline = strcmp(arguments[1], "trampoline") == 0;
    suffix = arguments[4];
    void* const library =
        dlopen(arguments[2], is_trampoline ? RTLD_LAZY | RTLD_DEEPBIND : RTLD_NOW | RTLD_LOCAL);
    void* const other = dlopen(arguments[3], RTLD_LAZY | RTLD_LOCAL);
    if (!library || !other) {
        printf("%s\n", dlerror());
        return 1;
    }
    expect_own_symbols(library, arguments[5]);
    if (is_trampoline)
        expect_detection(library);
    expect_products(library, other);
    if (!*suffix)
        expect_solvers(library);
    return failures > 0;
}
