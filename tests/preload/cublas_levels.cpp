// A program's use of cuBLAS's levels 1 to 3, as a part of the library that host.c loads. The data
// are small integers, so every order of summation is exact.
#include "cublas/entries.h"

#include <array>
#include <cstdio>

extern "C" int cublasCreate_v2(void**);

namespace myblas::preload {
namespace {

// The function of an entry for sizes of a type.
template <entry, class Size>
constexpr std::nullptr_t function = nullptr;
#define CUBLAS_ENTRY(name, ...)                                                                    \
    template <>                                                                                    \
    constexpr auto function<entry::name, SIZE> = &SIZED(name);
#include "common/entries.inc"
#define MYBLAS_ENTRIES_64
#include "common/entries.inc"
#undef CUBLAS_ENTRY

template <int size>
using floats_of = std::array<float, size>;

constexpr int n = 3, columns = 2;
using square = floats_of<n * n>;
using block = floats_of<n * columns>;
using three = floats_of<n>;

constexpr auto plain = MYBLAS_OP_N, transposed = MYBLAS_OP_T;
constexpr auto lower = MYBLAS_FILL_MODE_LOWER;
constexpr auto left = MYBLAS_SIDE_LEFT;
constexpr auto any_diagonal = MYBLAS_DIAG_NON_UNIT;
constexpr data_type real = data_type::real_32f;
constexpr float two = 2, minus = -1, one = 1, zero = 0;

// Column-major. The elements above the diagonal of a triangle must not be read.
constexpr square triangle = {1, 2, -1, 99, -1, 3, 99, 99, 2};
constexpr square symmetric = {1, 2, -1, 2, -1, 3, -1, 3, 2}; // with the same lower triangle
constexpr square full = {2, 0, 1, -1, 3, 1, 1, -2, 2};
constexpr block right = {2, -4, 6, 8, 0, -2};
constexpr three vector_x = {2, -4, 6}, vector_y = {1, 3, -2};

float at(const square& s, int i, int j) { return s[i + j * n]; }

square product(const square& a, const square& b) {
    square c{};
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            for (int l = 0; l < n; ++l)
                c[i + j * n] += at(a, i, l) * at(b, l, j);
    return c;
}
square transpose(const square& a) {
    square t{};
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            t[j + i * n] = at(a, i, j);
    return t;
}
template <class Array>
Array combine(float alpha, const Array& x, float beta, const Array& y) {
    Array z{};
    for (size_t i = 0; i < z.size(); ++i)
        z[i] = alpha * x[i] + beta * y[i];
    return z;
}
// The lower triangle of `inside`, above it `outside`.
square lower_of(const square& inside, const square& outside) {
    square s = outside;
    for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i)
            s[i + j * n] = at(inside, i, j);
    return s;
}
three times(const square& a, const three& x) {
    three y{};
    for (int i = 0; i < n; ++i)
        for (int l = 0; l < n; ++l)
            y[i] += at(a, i, l) * x[l];
    return y;
}
square outer(const three& x, const three& y) {
    square s{};
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            s[i + j * n] = x[i] * y[j];
    return s;
}

void* handle;
int wrong = 0;

template <class Value>
void expect(int status, const Value& value, const Value& exact, const char* what) {
    if (status == 0 && value == exact)
        return;
    std::fprintf(stderr, "%s: status %d, wrong\n", what, status);
    ++wrong;
}

template <class Size>
void level_3() {
    const square by_transpose = product(full, transpose(full));
    square c = full;
    int status = function<entry::cublasSsyrk_v2, Size>(
        handle, lower, plain, n, n, &two, full.data(), n, &minus, c.data(), n);
    expect(status, c, lower_of(combine(2, by_transpose, -1, full), full), "Ssyrk");

    const square mixed = product(full, transpose(symmetric));
    c = full;
    status = function<entry::cublasSsyrkx, Size>(
        handle, lower, plain, n, n, &two, full.data(), n, symmetric.data(), n, &minus, c.data(), n);
    expect(status, c, lower_of(combine(2, mixed, -1, full), full), "Ssyrkx");
    c = full;
    status = function<entry::cublasSsyr2k_v2, Size>(
        handle, lower, plain, n, n, &two, full.data(), n, symmetric.data(), n, &minus, c.data(), n);
    const square both = combine(1, mixed, 1, transpose(mixed));
    expect(status, c, lower_of(combine(2, both, -1, full), full), "Ssyr2k");

    c = full;
    status = function<entry::cublasSsymm_v2, Size>(
        handle, left, lower, n, n, &two, triangle.data(), n, full.data(), n, &minus, c.data(), n);
    expect(status, c, combine(2, product(symmetric, full), -1, full), "Ssymm");

    // Solving for a triangle and multiplying by it again gives the original.
    block x = right, back{};
    status = function<entry::cublasStrsm_v2, Size>(handle,
                                                   left,
                                                   lower,
                                                   plain,
                                                   any_diagonal,
                                                   n,
                                                   columns,
                                                   &two,
                                                   triangle.data(),
                                                   n,
                                                   x.data(),
                                                   n);
    expect(status, x[0], two * right[0], "Strsm");
    status = function<entry::cublasStrmm_v2, Size>(handle,
                                                   left,
                                                   lower,
                                                   plain,
                                                   any_diagonal,
                                                   n,
                                                   columns,
                                                   &one,
                                                   triangle.data(),
                                                   n,
                                                   x.data(),
                                                   n,
                                                   back.data(),
                                                   n);
    expect(status, back, combine(2, right, 0, right), "Strmm");
    block solved = right;
    const float* const triangles[] = {triangle.data()};
    float* const blocks[] = {solved.data()};
    status = function<entry::cublasStrsmBatched, Size>(
        handle, left, lower, plain, any_diagonal, n, columns, &two, triangles, n, blocks, n, 1);
    expect(status, solved, x, "StrsmBatched");
}

template <class Size>
void products() {
    constexpr auto fp32 = compute_type::float_32;
    constexpr algorithm_type algorithm{};
    const square exact = combine(2, product(full, symmetric), -1, full);
    square c = full;
    const float* const as[] = {full.data()};
    const float* const bs[] = {symmetric.data()};
    float* const cs[] = {c.data()};
    int status = function<entry::cublasSgemmEx, Size>(handle,
                                                      plain,
                                                      plain,
                                                      n,
                                                      n,
                                                      n,
                                                      &two,
                                                      full.data(),
                                                      real,
                                                      n,
                                                      symmetric.data(),
                                                      real,
                                                      n,
                                                      &minus,
                                                      c.data(),
                                                      real,
                                                      n);
    expect(status, c, exact, "SgemmEx");
    c = full;
    status = function<entry::cublasGemmBatchedEx, Size>(handle,
                                                        plain,
                                                        plain,
                                                        n,
                                                        n,
                                                        n,
                                                        &two,
                                                        reinterpret_cast<const void* const*>(as),
                                                        real,
                                                        n,
                                                        reinterpret_cast<const void* const*>(bs),
                                                        real,
                                                        n,
                                                        &minus,
                                                        reinterpret_cast<void* const*>(cs),
                                                        real,
                                                        n,
                                                        1,
                                                        fp32,
                                                        algorithm);
    expect(status, c, exact, "GemmBatchedEx");
    c = full;
    const Size size = n, count = 1;
    status = function<entry::cublasSgemmGroupedBatched, Size>(handle,
                                                              &plain,
                                                              &plain,
                                                              &size,
                                                              &size,
                                                              &size,
                                                              &two,
                                                              as,
                                                              &size,
                                                              bs,
                                                              &size,
                                                              &minus,
                                                              cs,
                                                              &size,
                                                              1,
                                                              &count);
    expect(status, c, exact, "SgemmGroupedBatched");
}

template <class Size>
void level_2() {
    const three multiplied = combine(2, times(full, vector_x), -1, vector_y);
    three y = vector_y;
    int status = function<entry::cublasSgemvStridedBatched, Size>(handle,
                                                                  plain,
                                                                  n,
                                                                  n,
                                                                  &two,
                                                                  full.data(),
                                                                  n,
                                                                  0,
                                                                  vector_x.data(),
                                                                  1,
                                                                  0,
                                                                  &minus,
                                                                  y.data(),
                                                                  1,
                                                                  0,
                                                                  1);
    expect(status, y, multiplied, "SgemvStridedBatched");
    y = vector_y;
    const float* const as[] = {full.data()};
    const float* const xs[] = {vector_x.data()};
    float* const ys[] = {y.data()};
    status = function<entry::cublasSgemvBatched, Size>(
        handle, plain, n, n, &two, as, n, xs, 1, &minus, ys, 1, 1);
    expect(status, y, multiplied, "SgemvBatched");
    y = vector_y;
    status = function<entry::cublasSsymv_v2, Size>(
        handle, lower, n, &two, triangle.data(), n, vector_x.data(), 1, &minus, y.data(), 1);
    expect(status, y, combine(2, times(symmetric, vector_x), -1, vector_y), "Ssymv");

    square a = full;
    status = function<entry::cublasSger_v2, Size>(
        handle, n, n, &two, vector_x.data(), 1, vector_y.data(), 1, a.data(), n);
    expect(status, a, combine(2, outer(vector_x, vector_y), 1, full), "Sger");
    a = full;
    status = function<entry::cublasSsyr_v2, Size>(
        handle, lower, n, &two, vector_x.data(), 1, a.data(), n);
    expect(status, a, lower_of(combine(2, outer(vector_x, vector_x), 1, full), full), "Ssyr");
    a = full;
    status = function<entry::cublasSsyr2_v2, Size>(
        handle, lower, n, &two, vector_x.data(), 1, vector_y.data(), 1, a.data(), n);
    const square both = combine(1, outer(vector_x, vector_y), 1, outer(vector_y, vector_x));
    expect(status, a, lower_of(combine(2, both, 1, full), full), "Ssyr2");

    three x = vector_x;
    status = function<entry::cublasStrsv_v2, Size>(
        handle, lower, transposed, any_diagonal, n, triangle.data(), n, x.data(), 1);
    expect(status, x[n - 1], vector_x[n - 1] / triangle[n * n - 1], "Strsv");
    status = function<entry::cublasStrmv_v2, Size>(
        handle, lower, transposed, any_diagonal, n, triangle.data(), n, x.data(), 1);
    expect(status, x, vector_x, "Strmv");
}

template <class Size>
void level_1() {
    const float sides[] = {3, 4};
    float result = 0;
    int status = function<entry::cublasSnrm2_v2, Size>(handle, 2, sides, 1, &result);
    expect(status, result, 5.0f, "Snrm2");
    status = function<entry::cublasNrm2Ex, Size>(handle, 2, sides, real, 1, &result, real, real);
    expect(status, result, 5.0f, "Nrm2Ex");
    status = function<entry::cublasAsumEx, Size>(handle, 2, sides, real, 1, &result, real, real);
    expect(status, result, 7.0f, "AsumEx");
    status = function<entry::cublasDotEx, Size>(
        handle, 2, sides, real, 1, sides, real, 1, &result, real, real);
    expect(status, result, 25.0f, "DotEx");
    Size place = 0;
    status = function<entry::cublasIsamax_v2, Size>(handle, n, vector_x.data(), 1, &place);
    expect(status, place, Size{3}, "Isamax");
    status = function<entry::cublasIsamin_v2, Size>(handle, n, vector_y.data(), 1, &place);
    expect(status, place, Size{1}, "Isamin");

    three x = vector_x, y = vector_y;
    status = function<entry::cublasSscal_v2, Size>(handle, n, &two, x.data(), 1);
    expect(status, x, combine(2, vector_x, 0, vector_x), "Sscal");
    status = function<entry::cublasScalEx, Size>(handle, n, &two, real, x.data(), real, 1, real);
    expect(status, x, combine(4, vector_x, 0, vector_x), "ScalEx");
    status = function<entry::cublasAxpyEx, Size>(
        handle, n, &minus, real, vector_x.data(), real, 1, x.data(), real, 1, real);
    expect(status, x, combine(3, vector_x, 0, vector_x), "AxpyEx");
    x = vector_x;
    status = function<entry::cublasSswap_v2, Size>(handle, n, x.data(), 1, y.data(), 1);
    expect(status, x, vector_y, "Sswap");
    // A quarter turn exchanges the vectors, and changes one sign.
    status = function<entry::cublasSrot_v2, Size>(handle, n, x.data(), 1, y.data(), 1, &zero, &one);
    expect(status, x, vector_x, "Srot");
    const float turn[] = {-1, 0, -1, 1, 0}; // the same as a matrix
    status = function<entry::cublasSrotm_v2, Size>(handle, n, x.data(), 1, y.data(), 1, turn);
    expect(status, x, combine(-1, vector_y, 0, vector_y), "Srotm");
}

void rotations() {
    float a = 3, b = 0, c = 0, s = 1;
    int status = cublasSrotg_v2(handle, &a, &b, &c, &s);
    expect(status, std::array{a, c, s}, std::array{3.0f, 1.0f, 0.0f}, "Srotg");
    float d1 = 1, d2 = 1, x1 = 3, parameters[5] = {};
    const float y1 = 0;
    status = cublasSrotmg_v2(handle, &d1, &d2, &x1, &y1, parameters);
    expect(status, parameters[0], -2.0f, "Srotmg"); // nothing to be done
}

template <class Size>
void all_levels() {
    products<Size>();
    level_3<Size>();
    level_2<Size>();
    level_1<Size>();
}

} // namespace
} // namespace myblas::preload

extern "C" int plugin_levels() {
    using namespace myblas::preload;
    cublasCreate_v2(&handle);
    all_levels<int>();
    all_levels<int64_t>();
    rotations();
    return wrong == 0;
}
