#include "shape.h"

#include "errors.h"
#include "fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace bench {
namespace {

// clang-format off
constexpr std::array<routine_info, routine_count> routines = [] {
    using namespace field;
    using enum limit;
    using r = routine;
    constexpr uint32_t abc = lda | ldb | ldc, op_ab = transa | transb;
    return std::array<routine_info, routine_count>{{
    {r::sgemm, "sgemm", MYBLAS_ROUTINE_SGEMM, arithmetic,
     m | k | abc | op_ab | batch | data | scalars, "sgemm", true},
    {r::sgemm_fused, "sgemmFused", MYBLAS_ROUTINE_SGEMM, arithmetic,
     m | k | abc | op_ab | activation, "sgemmFused"},
    {r::transpose, "transpose", MYBLAS_ROUTINE_TRANSPOSE, copy,
     m | lda | ldb | element_bytes | in_place, "transposeEx"},
    {r::geam, "geam", MYBLAS_ROUTINE_GEAM, copy, m | abc | op_ab, "sgeam", true},
    {r::sum, "sum", MYBLAS_ROUTINE_SUM, read, inc, "sum"},
    {r::asum, "asum", MYBLAS_ROUTINE_SUM, read, inc, "sasum", true},
    {r::dsum, "dsum", MYBLAS_ROUTINE_DSUM, read, inc, "dsum"},
    {r::axpy, "axpy", MYBLAS_ROUTINE_AXPY, copy, inc, "saxpy", true},
    {r::copy, "copy", MYBLAS_ROUTINE_COPY, copy, inc, "scopy", true},
    {r::gemsum, "gemsum", MYBLAS_ROUTINE_GEMSUM, read, m | lda | transa, "sgemsum"},
    {r::histogram, "histogram", MYBLAS_ROUTINE_HISTOGRAM, read, data, "histogram256"},
    {r::dot, "dot", MYBLAS_ROUTINE_DOT, read, inc, "sdot", true},
    {r::nrm2, "nrm2", MYBLAS_ROUTINE_NRM2, read, inc, "snrm2", true},
    {r::iamax, "iamax", MYBLAS_ROUTINE_IAMAX, read, inc, "isamax", true},
    {r::iamin, "iamin", MYBLAS_ROUTINE_IAMAX, read, inc, "isamin", true},
    {r::scal, "scal", MYBLAS_ROUTINE_SCAL, copy, inc, "sscal", true},
    {r::swap, "swap", MYBLAS_ROUTINE_SWAP, copy, inc, "sswap", true},
    {r::rot, "rot", MYBLAS_ROUTINE_ROT, copy, inc, "srot", true},
    {r::rotm, "rotm", MYBLAS_ROUTINE_ROTM, copy, inc, "srotm", true},
    {r::gemv, "gemv", MYBLAS_ROUTINE_SGEMM, read, m | lda | trans | inc, "sgemv", true},
    {r::symv, "symv", MYBLAS_ROUTINE_SYMV, read, lda | uplo | inc, "ssymv", true},
    {r::syr, "syr", MYBLAS_ROUTINE_SYR, copy, lda | uplo | inc, "ssyr", true},
    {r::syr2, "syr2", MYBLAS_ROUTINE_SYR, copy, lda | uplo | inc, "ssyr2", true},
    {r::ger, "ger", MYBLAS_ROUTINE_SYR, copy, m | lda | inc, "sger", true},
    {r::trmv, "trmv", MYBLAS_ROUTINE_TRMV, read, lda | uplo | trans | diag | inc, "strmv", true},
    {r::trsv, "trsv", MYBLAS_ROUTINE_TRSV, read, lda | uplo | trans | diag | inc, "strsv", true},
    {r::syrk, "syrk", MYBLAS_ROUTINE_SYRK, arithmetic, lda | k | ldc | uplo | trans, "ssyrk", true},
    {r::syr2k, "syr2k", MYBLAS_ROUTINE_SYR2K, arithmetic, abc | k | uplo | trans, "ssyr2k", true},
    {r::symm, "symm", MYBLAS_ROUTINE_SYMM, arithmetic, m | abc | side | uplo, "ssymm", true},
    {r::trmm, "trmm", MYBLAS_ROUTINE_TRMM, arithmetic, m | abc | side | uplo | trans | diag,
     "strmm", true},
    {r::trsm, "trsm", MYBLAS_ROUTINE_TRSM, arithmetic, m | lda | ldb | side | uplo | trans | diag,
     "strsm", true},
    }};
}();
// clang-format on

constexpr int64_t histogram_bytes = 256 * sizeof(uint64_t);
constexpr int64_t index_floats = sizeof(int64_t) / sizeof(float);

// A vector is one column.
struct extent {
    int64_t rows, cols;
};

// What is stored, before op().
struct matrices {
    extent a, b, c;
};

matrices stored(const shape& s) {
    constexpr extent none{0, 0};
    const extent whole{s.m, s.n}, across{s.n, s.m}, square{s.n, s.n}, vector{s.n, 1};
    const extent one_side{order_of(s), order_of(s)};
    const extent long_side = s.transa ? extent{s.k, s.n} : extent{s.n, s.k};
    switch (s.routine) {
    case routine::sgemm:
    case routine::sgemm_fused:
        return {s.transa ? extent{s.k, s.m} : extent{s.m, s.k},
                s.transb ? extent{s.n, s.k} : extent{s.k, s.n},
                whole};
    case routine::transpose:
        return {whole, across, none};
    case routine::geam:
        return {s.transa ? across : whole, s.transb ? across : whole, whole};
    case routine::gemsum:
        return {whole, none, {s.transa ? s.n : s.m, 1}};
    case routine::sum:
    case routine::asum:
    case routine::dsum:
    case routine::nrm2:
        return {vector, none, {1, 1}};
    case routine::dot:
        return {vector, vector, {1, 1}};
    case routine::histogram:
        return {vector, none, {histogram_bytes, 1}};
    case routine::iamax:
    case routine::iamin:
        return {vector, none, {index_floats, 1}};
    case routine::scal:
        return {vector, none, none};
    case routine::axpy:
    case routine::copy:
    case routine::swap:
    case routine::rot:
    case routine::rotm:
        return {vector, vector, none};
    case routine::gemv:
        return {whole, {s.transa ? s.m : s.n, 1}, {s.transa ? s.n : s.m, 1}};
    case routine::ger:
        return {whole, {s.m, 1}, {s.n, 1}};
    case routine::symv:
    case routine::syr2:
    case routine::trmv: // c is the vector as it was
        return {square, vector, vector};
    case routine::syr:
    case routine::trsv:
        return {square, vector, none};
    case routine::syrk:
        return {long_side, none, square};
    case routine::syr2k:
        return {long_side, long_side, square};
    case routine::symm:
    case routine::trmm:
        return {one_side, whole, whole};
    case routine::trsm:
        return {one_side, whole, none};
    }
    return {};
}

// Resets fields that the routine does not have, so that they are neither counted nor reported.
void drop_foreign_fields(shape& s) {
    const shape plain;
    for (const shape_field& f : shape_fields)
        if (!has(s.routine, f))
            visit_value(f, [&](auto shape::*value) { s.*value = plain.*value; });
    if (!has(s.routine, field::element_bytes))
        s.element_bytes = s.routine == routine::dsum        ? 8
                          : s.routine == routine::histogram ? 1
                                                            : plain.element_bytes;
}

void require_at_least(const char* name, int64_t value, int64_t least) {
    constexpr int64_t most = int64_t{1} << 40; // far beyond any memory
    if (value < least || value > most)
        throw usage_error(
            fmt::format("{} = {} is out of range: it is from {} to {}", name, value, least, most));
}

// Elements of an operand. The limit leaves room for the bytes of three operands, moved by the
// largest offset, in 64 bits.
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
    if (has(s.routine, field::m))
        require_at_least("m", s.m, 1);
    if (has(s.routine, field::k))
        require_at_least("k", s.k, 1);
    const matrices matrix = stored(s);
    fit_leading_dimension("--lda", s.lda, s.ld_pad, matrix.a);
    if (has(s.routine, field::ldb))
        fit_leading_dimension("--ldb", s.ldb, s.ld_pad, matrix.b);
    if (has(s.routine, field::ldc))
        fit_leading_dimension("--ldc", s.ldc, s.ld_pad, matrix.c);
    const bool is_square = s.m == s.n && s.lda == s.ldb;
    const bool is_tight = s.lda == s.m && s.ldb == s.n;
    if (s.in_place && !is_square && !is_tight)
        throw usage_error("in place, a matrix is square or has tight leading dimensions");
}

// The number of elements of a matrix with a leading dimension, or of a vector.
int64_t elements_of(const extent& operand, int64_t ld, int64_t inc) {
    if (operand.cols == 0)
        return 0;
    return ld ? multiply(ld, operand.cols) : 1 + multiply(operand.rows - 1, inc);
}

} // namespace

const routine_info& describe(routine r) { return routines[static_cast<size_t>(r)]; }

std::optional<routine> find_routine(const std::string& name) {
    for (const routine_info& i : routines)
        if (i.name == name)
            return i.routine;
    return std::nullopt;
}

routine first_with_kernels_of(routine r) {
    const auto first = std::find_if(routines.begin(), routines.end(), [&](const routine_info& i) {
        return i.kernels == describe(r).kernels;
    });
    return first->routine;
}

bool is_reduction(routine r) {
    switch (r) {
    case routine::sum:
    case routine::asum:
    case routine::dsum:
    case routine::dot:
    case routine::nrm2:
    case routine::iamax:
    case routine::iamin:
        return true;
    default:
        return false;
    }
}

bool has_special_matrix(routine r) {
    const bool is_update = has(r, field::k) || r == routine::syr || r == routine::syr2;
    return has(r, field::uplo) && !is_update;
}

shape complete(shape s) {
    drop_foreign_fields(s);
    require_at_least("n", s.n, 1);
    require_at_least("--offset", s.offset, 0);
    require_at_least("--ld-pad", s.ld_pad, 0);
    require_at_least("--batch", s.batch, 1);
    require_at_least("--incx", s.incx, 1);
    require_at_least("--batch-gap", s.batch_gap, 0);
    if (s.shuffled && !s.pointer_array)
        throw usage_error("--shuffled is the order of --pointer-array: give both");
    if (s.data != data_kind::uniform && is_of_products(s.data) != (s.routine == routine::sgemm))
        throw usage_error(
            fmt::format("{} has no {} data", describe(s.routine).name, to_text(s.data)));
    if (has_matrix(s.routine))
        complete_matrices(s);
    count_elements(s); // throws if they are too many
    return s;
}

operand_sizes batch_strides(const shape& s) {
    const matrices matrix = stored(s);
    return {multiply(s.lda, matrix.a.cols) + s.batch_gap,
            multiply(s.ldb, matrix.b.cols) + s.batch_gap,
            multiply(s.ldc, matrix.c.cols) + s.batch_gap};
}

operand_sizes count_elements(const shape& s) {
    const matrices operand = stored(s);
    // A sum or an index is one number, for every increment of the vectors.
    const int64_t inc = is_reduction(s.routine) ? 1 : s.incx;
    const operand_sizes one = {elements_of(operand.a, s.lda, s.incx),
                               elements_of(operand.b, s.ldb, s.incx),
                               elements_of(operand.c, s.ldc, inc)};
    if (s.in_place)
        return {one.a, 0, one.a};
    const auto of_batch = [&](int64_t elements) {
        return multiply(elements + (elements ? s.batch_gap : 0), s.batch);
    };
    return {of_batch(one.a),
            of_batch(one.b),
            of_batch(one.c),
            has(s.routine, field::activation) ? s.m : 0};
}

double count_flops(const shape& s) {
    const double m = static_cast<double>(s.m), n = static_cast<double>(s.n);
    const double k = static_cast<double>(s.k), order = static_cast<double>(order_of(s));
    switch (s.routine) {
    case routine::sgemm:
    case routine::sgemm_fused:
        return 2 * m * n * k * static_cast<double>(s.batch);
    case routine::syrk:
        return n * n * k;
    case routine::syr2k:
        return 2 * n * n * k;
    case routine::symm:
        return 2 * m * n * order;
    case routine::trmm:
    case routine::trsm:
        return m * n * order;
    default:
        return 0;
    }
}

double count_bytes(const shape& s) {
    const double m = static_cast<double>(s.m), n = static_cast<double>(s.n);
    const double matrix = m * n, triangle = n * (n + 1) / 2;
    const double elements = [&] {
        switch (s.routine) {
        case routine::gemsum:
            return matrix;
        case routine::transpose:
            return 2 * matrix;
        case routine::geam:
            return 3 * matrix;
        case routine::gemv:
            return matrix + m + n;
        case routine::ger:
            return 2 * matrix + m + n;
        case routine::symv:
        case routine::trmv:
        case routine::trsv:
            return triangle + 2 * n;
        case routine::syr:
            return 2 * triangle + n;
        case routine::syr2:
            return 2 * triangle + 2 * n;
        case routine::copy:
        case routine::dot:
        case routine::scal:
            return 2 * n;
        case routine::axpy:
            return 3 * n;
        case routine::swap:
        case routine::rot:
        case routine::rotm:
            return 4 * n;
        default:
            return n;
        }
    }();
    return elements * s.element_bytes;
}

double count_product_bytes(const shape& s) {
    const double m = static_cast<double>(s.m), n = static_cast<double>(s.n);
    const double k = static_cast<double>(s.k), passes_of_c = s.beta == 0 ? 1 : 2;
    return 4 * static_cast<double>(s.batch) * (m * k + k * n + passes_of_c * m * n);
}

double predict_work(const shape& s) {
    constexpr double flops_per_byte = 16; // of GPUs and of CPUs, about
    const operand_sizes count = count_elements(s);
    const auto elements = static_cast<double>(count.a + count.b + count.c);
    return std::max(count_flops(s), flops_per_byte * s.element_bytes * elements);
}

std::string form_of(const shape& s) {
    std::string form;
    for (const shape_field& f : shape_fields)
        if (const letter* pair = std::get_if<letter>(&f.value); pair && has(s.routine, f))
            form += pair->letters[s.*pair->value];
    return form;
}

std::string to_text(const shape& s) {
    std::string text = form_of(s);
    if (has_matrix(s.routine)) {
        text += text.empty() ? "" : " ";
        text += s.m ? fmt::format("{}x{}", s.m, s.n) : fmt::format("{}", s.n);
        text += s.k ? fmt::format("x{}", s.k) : "";
        const matrices matrix = stored(s);
        if (s.lda != matrix.a.rows)
            text += fmt::format(" lda={}", s.lda);
        if (s.ldb && s.ldb != matrix.b.rows)
            text += fmt::format(" ldb={}", s.ldb);
        if (s.ldc && s.ldc != matrix.c.rows)
            text += fmt::format(" ldc={}", s.ldc);
    } else {
        text = fmt::format("n={}", s.n);
    }
    if (s.incx != 1)
        text += fmt::format(" incx={}", s.incx);
    if (s.routine == routine::transpose && s.element_bytes != 4)
        text += fmt::format(" {}B", s.element_bytes);
    if (s.data != data_kind::uniform)
        text += fmt::format(" {}", to_text(s.data));
    if (s.activation != MYBLAS_ACTIVATION_NONE)
        text += fmt::format(" {}", to_text(s.activation));
    if (s.offset != 0)
        text += fmt::format(" offset={}", s.offset);
    if (s.alpha != 1)
        text += fmt::format(" alpha={:g}", s.alpha);
    if (s.beta != 0)
        text += fmt::format(" beta={:g}", s.beta);
    if (s.batch != 1)
        text += fmt::format(" batch={}", s.batch);
    if (s.batch_gap != 0)
        text += fmt::format(" gap={}", s.batch_gap);
    if (s.pointer_array)
        text += s.shuffled ? " shuffled pointers" : " pointers";
    if (s.in_place)
        text += " in place";
    return text;
}

} // namespace bench
