#include "shape.h"

#include "errors.h"
#include "fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace bench {
namespace {

constexpr int64_t histogram_bytes = 256 * sizeof(uint64_t);
constexpr int64_t index_floats = sizeof(int64_t) / sizeof(float);

// The stored elements of each operand.
namespace stored {
constexpr extent flip_if(bool flip, extent e) { return flip ? extent{e.cols, e.rows} : e; }
constexpr extent none(const shape&) { return {0, 0}; }
constexpr extent one(const shape&) { return {1, 1}; }
constexpr extent index(const shape&) { return {index_floats, 1}; }
constexpr extent counts(const shape&) { return {histogram_bytes, 1}; }
constexpr extent vector_n(const shape& s) { return {s.n, 1}; }
constexpr extent vector_m(const shape& s) { return {s.m, 1}; }
constexpr extent op_columns(const shape& s) { return {s.transa ? s.m : s.n, 1}; }
constexpr extent op_rows(const shape& s) { return {s.transa ? s.n : s.m, 1}; }
constexpr extent m_by_n(const shape& s) { return {s.m, s.n}; }
constexpr extent n_by_m(const shape& s) { return {s.n, s.m}; }
constexpr extent n_by_n(const shape& s) { return {s.n, s.n}; }
constexpr extent square(const shape& s) { return {order_of(s), order_of(s)}; }
constexpr extent op_a(const shape& s) { return flip_if(s.transa, m_by_n(s)); }
constexpr extent op_b(const shape& s) { return flip_if(s.transb, m_by_n(s)); }
constexpr extent op_m_by_k(const shape& s) { return flip_if(s.transa, {s.m, s.k}); }
constexpr extent op_k_by_n(const shape& s) { return flip_if(s.transb, {s.k, s.n}); }
constexpr extent op_n_by_k(const shape& s) { return flip_if(s.transa, {s.n, s.k}); }
} // namespace stored

// clang-format off
constexpr std::array<routine_info, routine_count> routines = [] {
    using namespace field;
    using namespace stored;
    using enum limit;
    using r = routine;
    constexpr uint32_t abc = lda | ldb | ldc, op_ab = transa | transb;
    constexpr bool in_blas = true;
    return std::array<routine_info, routine_count>{{
    {r::sgemm, "sgemm", MYBLAS_ROUTINE_SGEMM, arithmetic,
     m | k | abc | op_ab | batch | data | scalars, "sgemm", in_blas,
     op_m_by_k, op_k_by_n, m_by_n, {.flops = 2}},
    {r::sgemm_fused, "sgemmFused", MYBLAS_ROUTINE_SGEMM, arithmetic,
     m | k | abc | op_ab | activation, "sgemmFused", false,
     op_m_by_k, op_k_by_n, m_by_n, {.flops = 2}},
    {r::transpose, "transpose", MYBLAS_ROUTINE_TRANSPOSE, copy,
     m | lda | ldb | element_bytes | in_place, "transposeEx", false,
     m_by_n, n_by_m, none, {.matrices = 2}},
    {r::geam, "geam", MYBLAS_ROUTINE_GEAM, copy, m | abc | op_ab, "sgeam", in_blas,
     op_a, op_b, m_by_n, {.matrices = 3}},
    {r::sum, "sum", MYBLAS_ROUTINE_SUM, read, inc, "sum", false,
     vector_n, none, one, {.vectors_n = 1}},
    {r::asum, "asum", MYBLAS_ROUTINE_SUM, read, inc, "sasum", in_blas,
     vector_n, none, one, {.vectors_n = 1}},
    {r::dsum, "dsum", MYBLAS_ROUTINE_DSUM, read, inc, "dsum", false,
     vector_n, none, one, {.vectors_n = 1}},
    {r::axpy, "axpy", MYBLAS_ROUTINE_AXPY, copy, inc, "saxpy", in_blas,
     vector_n, vector_n, none, {.vectors_n = 3}},
    {r::copy, "copy", MYBLAS_ROUTINE_COPY, copy, inc, "scopy", in_blas,
     vector_n, vector_n, none, {.vectors_n = 2}},
    {r::gemsum, "gemsum", MYBLAS_ROUTINE_GEMSUM, read, m | lda | transa, "sgemsum", false,
     m_by_n, none, op_rows, {.matrices = 1}},
    {r::histogram, "histogram", MYBLAS_ROUTINE_HISTOGRAM, read, data, "histogram256", false,
     vector_n, none, counts, {.vectors_n = 1}},
    {r::dot, "dot", MYBLAS_ROUTINE_DOT, read, inc, "sdot", in_blas,
     vector_n, vector_n, one, {.vectors_n = 2}},
    {r::nrm2, "nrm2", MYBLAS_ROUTINE_NRM2, read, inc, "snrm2", in_blas,
     vector_n, none, one, {.vectors_n = 1}},
    {r::iamax, "iamax", MYBLAS_ROUTINE_IAMAX, read, inc, "isamax", in_blas,
     vector_n, none, index, {.vectors_n = 1}},
    {r::iamin, "iamin", MYBLAS_ROUTINE_IAMAX, read, inc, "isamin", in_blas,
     vector_n, none, index, {.vectors_n = 1}},
    {r::scal, "scal", MYBLAS_ROUTINE_SCAL, copy, inc, "sscal", in_blas,
     vector_n, none, none, {.vectors_n = 2}},
    {r::swap, "swap", MYBLAS_ROUTINE_SWAP, copy, inc, "sswap", in_blas,
     vector_n, vector_n, none, {.vectors_n = 4}},
    {r::rot, "rot", MYBLAS_ROUTINE_ROT, copy, inc, "srot", in_blas,
     vector_n, vector_n, none, {.vectors_n = 4}},
    {r::rotm, "rotm", MYBLAS_ROUTINE_ROTM, copy, inc, "srotm", in_blas,
     vector_n, vector_n, none, {.vectors_n = 4}},
    {r::gemv, "gemv", MYBLAS_ROUTINE_SGEMM, read, m | lda | trans | inc, "sgemv", in_blas,
     m_by_n, op_columns, op_rows, {.matrices = 1, .vectors_n = 1, .vectors_m = 1}},
    {r::symv, "symv", MYBLAS_ROUTINE_SYMV, read, lda | uplo | inc, "ssymv", in_blas,
     n_by_n, vector_n, vector_n, {.triangles = 1, .vectors_n = 2}},
    {r::syr, "syr", MYBLAS_ROUTINE_SYR, copy, lda | uplo | inc, "ssyr", in_blas,
     n_by_n, vector_n, none, {.triangles = 2, .vectors_n = 1}},
    {r::syr2, "syr2", MYBLAS_ROUTINE_SYR, copy, lda | uplo | inc, "ssyr2", in_blas,
     n_by_n, vector_n, vector_n, {.triangles = 2, .vectors_n = 2}},
    {r::ger, "ger", MYBLAS_ROUTINE_SYR, copy, m | lda | inc, "sger", in_blas,
     m_by_n, vector_m, vector_n, {.matrices = 2, .vectors_n = 1, .vectors_m = 1}},
    {r::trmv, "trmv", MYBLAS_ROUTINE_TRMV, read, lda | uplo | trans | diag | inc, "strmv", in_blas,
     n_by_n, vector_n, vector_n, {.triangles = 1, .vectors_n = 2}}, // c: the old vector
    {r::trsv, "trsv", MYBLAS_ROUTINE_TRSV, read, lda | uplo | trans | diag | inc, "strsv", in_blas,
     n_by_n, vector_n, none, {.triangles = 1, .vectors_n = 2}},
    {r::syrk, "syrk", MYBLAS_ROUTINE_SYRK, arithmetic, lda | k | ldc | uplo | trans, "ssyrk",
     in_blas, op_n_by_k, none, n_by_n, {.flops = 1}},
    {r::syr2k, "syr2k", MYBLAS_ROUTINE_SYR2K, arithmetic, abc | k | uplo | trans, "ssyr2k", in_blas,
     op_n_by_k, op_n_by_k, n_by_n, {.flops = 2}},
    {r::symm, "symm", MYBLAS_ROUTINE_SYMM, arithmetic, m | abc | side | uplo, "ssymm", in_blas,
     square, m_by_n, m_by_n, {.flops = 2}},
    {r::trmm, "trmm", MYBLAS_ROUTINE_TRMM, arithmetic, m | abc | side | uplo | trans | diag,
     "strmm", in_blas, square, m_by_n, m_by_n, {.flops = 1}},
    {r::trsm, "trsm", MYBLAS_ROUTINE_TRSM, arithmetic,
     m | lda | ldb | side | uplo | trans | diag, "strsm", in_blas,
     square, m_by_n, none, {.flops = 1}},
    }};
}();
// clang-format on

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
    const routine_info& of = describe(s.routine);
    fit_leading_dimension("--lda", s.lda, s.ld_pad, of.a(s));
    if (has(s.routine, field::ldb))
        fit_leading_dimension("--ldb", s.ldb, s.ld_pad, of.b(s));
    if (has(s.routine, field::ldc))
        fit_leading_dimension("--ldc", s.ldc, s.ld_pad, of.c(s));
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
    return describe(r).c == stored::one || describe(r).c == stored::index;
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
    if ((s.share_a || s.share_b) && (s.pointer_array || s.routine != routine::sgemm))
        throw usage_error("--share-a and --share-b are for products of sgemm by strides");
    if (s.data != data_kind::uniform && is_of_products(s.data) != (s.routine == routine::sgemm))
        throw usage_error(
            fmt::format("{} has no {} data", describe(s.routine).name, to_text(s.data)));
    if (has_matrix(s.routine))
        complete_matrices(s);
    count_elements(s); // throws if they are too many
    return s;
}

operand_sizes batch_strides(const shape& s) {
    const routine_info& of = describe(s.routine);
    return {s.share_a ? 0 : multiply(s.lda, of.a(s).cols) + s.batch_gap,
            s.share_b ? 0 : multiply(s.ldb, of.b(s).cols) + s.batch_gap,
            multiply(s.ldc, of.c(s).cols) + s.batch_gap};
}

operand_sizes count_elements(const shape& s) {
    const routine_info& of = describe(s.routine);
    // A sum or an index is one number, for every increment of the vectors.
    const int64_t inc = is_reduction(s.routine) ? 1 : s.incx;
    const operand_sizes one = {elements_of(of.a(s), s.lda, s.incx),
                               elements_of(of.b(s), s.ldb, s.incx),
                               elements_of(of.c(s), s.ldc, inc)};
    if (s.in_place)
        return {one.a, 0, one.a};
    const auto of_batch = [&](int64_t elements, bool is_shared = false) {
        return is_shared ? elements : multiply(elements + (elements ? s.batch_gap : 0), s.batch);
    };
    return {of_batch(one.a, s.share_a),
            of_batch(one.b, s.share_b),
            of_batch(one.c),
            has(s.routine, field::activation) ? s.m : 0};
}

// Three sizes of a product: rows, columns, and the number of terms.
double count_flops(const shape& s) {
    const double rows = static_cast<double>(has(s.routine, field::m) ? s.m : s.n);
    const double terms = static_cast<double>(has(s.routine, field::side) ? order_of(s) : s.k);
    const double batch = static_cast<double>(s.batch);
    return describe(s.routine).work.flops * rows * static_cast<double>(s.n) * terms * batch;
}

double count_bytes(const shape& s) {
    const double m = static_cast<double>(s.m), n = static_cast<double>(s.n);
    const work& w = describe(s.routine).work;
    const double elements =
        w.matrices * m * n + w.triangles * n * (n + 1) / 2 + w.vectors_n * n + w.vectors_m * m;
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
        const routine_info& of = describe(s.routine);
        if (s.lda != of.a(s).rows)
            text += fmt::format(" lda={}", s.lda);
        if (s.ldb && s.ldb != of.b(s).rows)
            text += fmt::format(" ldb={}", s.ldb);
        if (s.ldc && s.ldc != of.c(s).rows)
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
    if (s.share_a)
        text += " shared A";
    if (s.share_b)
        text += " shared B";
    if (s.in_place)
        text += " in place";
    return text;
}

} // namespace bench
