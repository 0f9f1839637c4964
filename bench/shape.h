// One measured call, as plain data: the routine and its sizes.
#pragma once

#include "myblas/myblas.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

enum class routine { sgemm, transpose, geam, sum, asum, dsum, axpy, copy, gemsum, histogram };

enum class data_kind {
    uniform,
    // Bytes of a histogram: value v with probability 2^-(v + 1); all the same.
    skewed,
    constant,
    // Operands of a product.
    normal,
    positive,
    lognormal_4,   // 2^x for a normal x, whose standard deviation is 4
    lognormal_8,   // and 8
    row_scaled,    // normal, each row of op(A) times a power of two up to 2^+-40
    column_scaled, // each column of op(B)
    k_scaled,      // each column of op(A)
    graded,        // A D and D^-1 B
    outlier,       // one 1e20 in A, which meets zeroes in B
    near_largest,  // A to the largest float
    near_smallest, // A the smallest normal floats
};
inline constexpr int data_kind_count = 14;

struct shape {
    bench::routine routine = routine::sgemm;
    bool transa = false, transb = false;
    int64_t m = 0, n = 0, k = 0;
    int64_t lda = 0, ldb = 0, ldc = 0; // 0 until complete() sets them
    int64_t ld_pad = 0;                // elements beyond tight, where complete() sets them
    int64_t incx = 1;                  // of both vectors
    int element_bytes = 4;
    int64_t offset = 0; // elements by which every operand is moved off its allocation
    int64_t batch = 1;
    bool pointer_array = false; // the operands of a batch by arrays of pointers, not by strides
    bool in_place = false;      // a transpose onto its own matrix
    data_kind data = data_kind::uniform;
};

struct routine_info {
    bench::routine routine;
    const char* name;
    myblasRoutine_t kernels; // whose kernels serve it
    // What it has besides n, as letters: m (with lda), k, s(econd matrix: ldb), l(dc),
    // t(ransposition of A), u (of B), i(ncrements), e(lement size), b(atch), p(lace: a form in place),
    // d(ata that is not uniform).
    const char* options;
};

// Indexed by routine.
const routine_info& describe(routine);
inline constexpr int routine_count = 10;

inline bool is_reduction(routine r) {
    return r == routine::sum || r == routine::asum || r == routine::dsum;
}

// Whether results are negligible beside what is read.
inline bool only_reads(routine r) {
    return is_reduction(r) || r == routine::gemsum || r == routine::histogram;
}

// The scalars of the timed calls; alpha = 1 and beta = 0 in a product.
inline constexpr float axpy_alpha = 0.5f, geam_alpha = 1.5f, geam_beta = -0.5f;

// Leading dimensions where none were given, defaults where the routine has no such size; throws
// usage_error for sizes out of range.
shape complete(shape);

// Elements of each operand. The vector routines call x `a` and y `b`; the results of what only reads
// are `c`. A transpose in place has no `b` of its own, and `c` for a second matrix: the data as it was.
struct operand_sizes {
    int64_t a = 0, b = 0, c = 0;
};
operand_sizes count_elements(const shape&);

// Distance between the operands of a batch.
operand_sizes batch_strides(const shape&);

// Work: floating-point operations of a product, else the fewest bytes to move.
double count_flops(const shape&);
double count_bytes(const shape&);

const char* to_text(data_kind);
bool is_of_products(data_kind);

// "NN 512x512x64 lda=520", for tables.
std::string to_text(const shape&);

} // namespace bench
