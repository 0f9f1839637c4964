#include "shape.h"

#include "errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace bench {
namespace {

constexpr std::array<routine_info, routine_count> routines = {{
    {routine::sgemm, "sgemm", MYBLAS_ROUTINE_SGEMM, "mksltubd"},
    {routine::transpose, "transpose", MYBLAS_ROUTINE_TRANSPOSE, "msep"},
    {routine::geam, "geam", MYBLAS_ROUTINE_GEAM, "msltu"},
    {routine::sum, "sum", MYBLAS_ROUTINE_SUM, "i"},
    {routine::asum, "asum", MYBLAS_ROUTINE_SUM, "i"},
    {routine::dsum, "dsum", MYBLAS_ROUTINE_DSUM, "i"},
    {routine::axpy, "axpy", MYBLAS_ROUTINE_AXPY, "i"},
    {routine::copy, "copy", MYBLAS_ROUTINE_COPY, "i"},
    {routine::gemsum, "gemsum", MYBLAS_ROUTINE_GEMSUM, "mt"},
    {routine::histogram, "histogram", MYBLAS_ROUTINE_HISTOGRAM, "d"},
}};

constexpr std::array<const char*, data_kind_count> data_names = {
    "uniform",
    "skewed",
    "constant",
    "normal",
    "positive",
    "lognormal-4",
    "lognormal-8",
    "row-scaled",
    "column-scaled",
    "k-scaled",
    "graded",
    "outlier",
    "near-largest",
    "near-smallest",
};

constexpr int64_t histogram_bytes = 256 * sizeof(uint64_t);

struct extent {
    int64_t rows, cols;
};

// The stored matrices, before op().
struct matrices {
    extent a, b, c;
};

matrices stored(const shape& s) {
    switch (s.routine) {
    case routine::sgemm:
        return {s.transa ? extent{s.k, s.m} : extent{s.m, s.k},
                s.transb ? extent{s.n, s.k} : extent{s.k, s.n},
                {s.m, s.n}};
    case routine::transpose:
        return {{s.m, s.n}, {s.n, s.m}, {0, 0}};
    case routine::gemsum:
        return {{s.m, s.n}, {0, 0}, {s.transa ? s.n : s.m, 1}};
    default: // geam
        return {s.transa ? extent{s.n, s.m} : extent{s.m, s.n},
                s.transb ? extent{s.n, s.m} : extent{s.m, s.n},
                {s.m, s.n}};
    }
}

// What the routine has no use for goes back to its default, so that it is neither counted nor reported.
void drop_foreign_fields(shape& s) {
    const shape plain;
    const std::string has = describe(s.routine).options;
    const auto lacks = [&](char option) { return has.find(option) == std::string::npos; };
    if (lacks('t'))
        s.transa = false;
    if (lacks('u'))
        s.transb = false;
    if (lacks('m'))
        s.m = s.lda = s.ld_pad = 0;
    if (lacks('s'))
        s.ldb = 0;
    if (lacks('k'))
        s.k = 0;
    if (lacks('l'))
        s.ldc = 0;
    if (lacks('i'))
        s.incx = plain.incx;
    if (lacks('b')) {
        s.batch = plain.batch;
        s.pointer_array = plain.pointer_array;
    }
    if (lacks('p'))
        s.in_place = plain.in_place;
    if (lacks('d'))
        s.data = plain.data;
    if (lacks('e'))
        s.element_bytes = s.routine == routine::dsum        ? 8
                          : s.routine == routine::histogram ? 1
                                                            : plain.element_bytes;
}

bool has_matrices(routine r) {
    return r == routine::sgemm || r == routine::transpose || r == routine::geam ||
           r == routine::gemsum;
}

void require_at_least(const char* name, int64_t value, int64_t least) {
    constexpr int64_t most = int64_t{1} << 40; // far beyond any memory
    if (value < least || value > most)
        throw usage_error(
            fmt::format("{} = {} is out of range: it is from {} to {}", name, value, least, most));
}

// Elements of an operand. The limit leaves room for the bytes of three operands, moved by the largest
// offset, in 64 bits.
int64_t multiply(int64_t x, int64_t y) {
    constexpr int64_t most_elements = int64_t{1} << 56;
    if (x != 0 && y > most_elements / x)
        throw usage_error(fmt::format(
            "an operand of {} x {} elements is too large: it has at most {}", x, y, most_elements));
    return x * y;
}

void fit_leading_dimension(const char* name, int64_t& ld, int64_t pad, const extent& matrix) {
    if (ld == 0)
        ld = matrix.rows + pad;
    require_at_least(name, ld, matrix.rows);
}

void complete_matrices(shape& s) {
    require_at_least("m", s.m, 1);
    if (s.routine == routine::sgemm)
        require_at_least("k", s.k, 1);
    const matrices matrix = stored(s);
    fit_leading_dimension("--lda", s.lda, s.ld_pad, matrix.a);
    if (s.routine != routine::gemsum)
        fit_leading_dimension("--ldb", s.ldb, s.ld_pad, matrix.b);
    if (s.routine == routine::sgemm || s.routine == routine::geam)
        fit_leading_dimension("--ldc", s.ldc, s.ld_pad, matrix.c);
    const bool is_square = s.m == s.n && s.lda == s.ldb;
    const bool is_tight = s.lda == s.m && s.ldb == s.n;
    if (s.in_place && !is_square && !is_tight)
        throw usage_error("in place, a matrix is square or has tight leading dimensions");
}

} // namespace

const routine_info& describe(routine r) { return routines[static_cast<size_t>(r)]; }

shape complete(shape s) {
    drop_foreign_fields(s);
    require_at_least("n", s.n, 1);
    require_at_least("--offset", s.offset, 0);
    require_at_least("--ld-pad", s.ld_pad, 0);
    require_at_least("--batch", s.batch, 1);
    require_at_least("--incx", s.incx, 1);
    if (s.data != data_kind::uniform && is_of_products(s.data) != (s.routine == routine::sgemm))
        throw usage_error(
            fmt::format("{} has no {} data", describe(s.routine).name, to_text(s.data)));
    if (has_matrices(s.routine))
        complete_matrices(s);
    count_elements(s); // throws if they are too many
    return s;
}

operand_sizes batch_strides(const shape& s) {
    const matrices matrix = stored(s);
    return {multiply(s.lda, matrix.a.cols),
            multiply(s.ldb, matrix.b.cols),
            multiply(s.ldc, matrix.c.cols)};
}

operand_sizes count_elements(const shape& s) {
    if (s.routine == routine::gemsum)
        return {multiply(s.lda, s.n), 0, s.transa ? s.n : s.m};
    if (s.routine == routine::histogram)
        return {s.n, 0, histogram_bytes};
    if (has_matrices(s.routine)) {
        const operand_sizes one = batch_strides(s);
        if (s.in_place)
            return {one.a, 0, one.a};
        return {multiply(one.a, s.batch), multiply(one.b, s.batch), multiply(one.c, s.batch)};
    }
    const int64_t length = 1 + multiply(s.n - 1, s.incx);
    return is_reduction(s.routine) ? operand_sizes{length, 0, 1} : operand_sizes{length, length, 0};
}

double count_flops(const shape& s) {
    if (s.routine != routine::sgemm)
        return 0;
    return 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) *
           static_cast<double>(s.batch);
}

double count_bytes(const shape& s) {
    const double n = static_cast<double>(s.n);
    const double elements = has_matrices(s.routine) ? static_cast<double>(s.m) * n : n;
    const double passes = [&] {
        switch (s.routine) {
        case routine::geam:
        case routine::axpy:
            return 3.0;
        case routine::transpose:
        case routine::copy:
            return 2.0;
        default:
            return 1.0;
        }
    }();
    return passes * elements * s.element_bytes;
}

const char* to_text(data_kind data) { return data_names[static_cast<size_t>(data)]; }

bool is_of_products(data_kind data) {
    return data != data_kind::skewed && data != data_kind::constant;
}

std::string to_text(const shape& s) {
    const auto op = [](bool transposed) { return transposed ? 'T' : 'N'; };
    std::string text;
    switch (s.routine) {
    case routine::sgemm:
        text = fmt::format("{}{} {}x{}x{}", op(s.transa), op(s.transb), s.m, s.n, s.k);
        break;
    case routine::geam:
        text = fmt::format("{}{} {}x{}", op(s.transa), op(s.transb), s.m, s.n);
        break;
    case routine::gemsum:
        text = fmt::format("{} {}x{}", op(s.transa), s.m, s.n);
        break;
    case routine::transpose:
        text = fmt::format("{}x{}", s.m, s.n);
        break;
    default:
        text = fmt::format("n={}", s.n);
    }
    if (has_matrices(s.routine)) {
        const matrices matrix = stored(s);
        if (s.lda != matrix.a.rows)
            text += fmt::format(" lda={}", s.lda);
        if (s.ldb && s.ldb != matrix.b.rows)
            text += fmt::format(" ldb={}", s.ldb);
        if (s.ldc && s.ldc != matrix.c.rows)
            text += fmt::format(" ldc={}", s.ldc);
    }
    if (s.incx != 1)
        text += fmt::format(" incx={}", s.incx);
    if (s.routine == routine::transpose && s.element_bytes != 4)
        text += fmt::format(" {}B", s.element_bytes);
    if (s.data != data_kind::uniform)
        text += fmt::format(" {}", to_text(s.data));
    if (s.offset != 0)
        text += fmt::format(" offset={}", s.offset);
    if (s.batch != 1)
        text += fmt::format(" batch={}", s.batch);
    if (s.pointer_array)
        text += " pointers";
    if (s.in_place)
        text += " in place";
    return text;
}

} // namespace bench
