// One measured call, as plain data: the routine and its sizes.
#pragma once

#include "myblas/myblas.h"
#include "names.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace bench {

enum class routine {
    sgemm,
    sgemm_fused,
    transpose,
    geam,
    sum,
    asum,
    dsum,
    axpy,
    copy,
    gemsum,
    histogram,
    // Level 1
    dot,
    nrm2,
    iamax,
    iamin,
    scal,
    swap,
    rot,
    rotm,
    // Level 2
    gemv,
    symv,
    syr,
    syr2,
    ger,
    trmv,
    trsv,
    // Level 3
    syrk,
    syr2k,
    symm,
    trmm,
    trsm,
};

enum class data_kind {
    uniform,
    skewed,   // bytes of a histogram: value v with probability 2^-(v + 1)
    constant, // the same byte everywhere
    normal,   // from here on: operands of a product
    positive,
    lognormal_4,   // 2^x for a normal x with standard deviation 4
    lognormal_8,   // and 8
    row_scaled,    // normal, each row of op(A) times a power of two up to 2^+-40
    column_scaled, // each column of op(B)
    k_scaled,      // each column of op(A)
    graded,        // A D and D^-1 B
    outlier,       // one 1e20 in A, which meets zeroes in B
    near_largest,  // A to the largest float
    near_smallest, // A the smallest normal floats
};

inline constexpr named<data_kind> data_kinds[] = {
    {"uniform", data_kind::uniform},
    {"skewed", data_kind::skewed},
    {"constant", data_kind::constant},
    {"normal", data_kind::normal},
    {"positive", data_kind::positive},
    {"lognormal-4", data_kind::lognormal_4},
    {"lognormal-8", data_kind::lognormal_8},
    {"row-scaled", data_kind::row_scaled},
    {"column-scaled", data_kind::column_scaled},
    {"k-scaled", data_kind::k_scaled},
    {"graded", data_kind::graded},
    {"outlier", data_kind::outlier},
    {"near-largest", data_kind::near_largest},
    {"near-smallest", data_kind::near_smallest},
};

inline constexpr named<myblasActivation_t> activations[] = {
    {"none", MYBLAS_ACTIVATION_NONE},
    {"relu", MYBLAS_ACTIVATION_RELU},
    {"gelu", MYBLAS_ACTIVATION_GELU},
};

// Lists of shapes.
enum class sweep {
    none,
    quick,
    ladder,     // every kernel on the README's shapes
    all_public, // the published shapes
    misaligned, // the published shapes with longer leading dimensions, then off their alignment
    random,     // sizes from the seed, uniform in their logarithms
    batched,    // by strides and by pointers: published squares, ragged sides from the seed
    bare,       // products in the handle's own workspace, against the same in a lent one
    elements,   // transpose: the published shapes at the other element sizes
    in_place,   // transpose: onto the matrix itself
    powers,     // vectors: every power of two
    // Products as programs call them, from the seed: with scalars and padded leading dimensions.
    general,  // sides up to 8192
    updates,  // of factorisations: C = C - A B, with k from 16 to 256
    thin,     // a side of C from 17 to 160
    narrow,   // a side of C up to 16
    deep,     // sides of C up to 128, k from 10^4 on
    batches,  // sides up to 512, by strides with gaps and by shuffled pointers
    networks, // of layers of known networks (network_layers.inc)
    tall,     // a side of C up to 16, the other from 20,000 on, k up to 512
};
inline constexpr named<sweep> sweep_names[] = {{"public", sweep::all_public},
                                               {"misaligned", sweep::misaligned},
                                               {"random", sweep::random},
                                               {"batched", sweep::batched},
                                               {"bare", sweep::bare},
                                               {"elements", sweep::elements},
                                               {"in-place", sweep::in_place},
                                               {"powers", sweep::powers},
                                               {"ladder", sweep::ladder},
                                               {"general", sweep::general},
                                               {"updates", sweep::updates},
                                               {"thin", sweep::thin},
                                               {"narrow", sweep::narrow},
                                               {"deep", sweep::deep},
                                               {"batches", sweep::batches},
                                               {"networks", sweep::networks},
                                               {"tall", sweep::tall}};

struct shape {
    bench::routine routine = routine::sgemm;
    bool transa = false, transb = false;
    bool right = false, upper = false, unit = false; // side, uplo and diag of BLAS
    int64_t m = 0, n = 0, k = 0;
    int64_t lda = 0, ldb = 0, ldc = 0; // 0 until complete() sets them
    int64_t ld_pad = 0;                // elements beyond tight, where complete() sets them
    int64_t incx = 1;                  // of both vectors
    int element_bytes = 4;
    int64_t offset = 0;        // by which every operand is moved off its alignment, in elements
    float alpha = 1, beta = 0; // of a product
    int64_t batch = 1;
    int64_t batch_gap = 0;      // elements between the matrices of a batch
    bool pointer_array = false; // the operands of a batch by arrays of pointers, not by strides
    bool shuffled = false;      // these pointers in random order
    bool share_a = false, share_b = false; // one A or B for all products of a batch
    bool in_place = false;                 // a transpose onto its own matrix
    data_kind data = data_kind::uniform;
    myblasActivation_t activation = MYBLAS_ACTIVATION_NONE; // after the bias of rows
    int64_t calls = 0;      // by the program whose log has the call; 0: not from a log
    sweep of = sweep::none; // the class that it was drawn for
};

// The fields that a shape of a routine may have besides n, as sets of bits.
namespace field {
inline constexpr uint32_t any = 0, // every routine has it
    side = 1 << 0, uplo = 1 << 1, transa = 1 << 2, transb = 1 << 3, diag = 1 << 4,
                          trans = 1 << 5, // of the only operand that can be transposed
    m = 1 << 6, k = 1 << 7, lda = 1 << 8, ldb = 1 << 9, ldc = 1 << 10, inc = 1 << 11,
                          data = 1 << 12, activation = 1 << 13, element_bytes = 1 << 14,
                          batch = 1 << 15, in_place = 1 << 16, scalars = 1 << 17;
} // namespace field

// The limit of a routine: arithmetic, reading, or reading and writing.
enum class limit { arithmetic, read, copy };

// An operand as it is stored, before op(). A vector is one column.
struct extent {
    int64_t rows, cols;
};
using extent_of = extent (*)(const shape&);

// The work. For arithmetic, `flops` operations for each product of three sizes. Otherwise the
// number of elements moved: matrices, triangles, vectors of n and of m.
struct work {
    int flops = 0, matrices = 0, triangles = 0, vectors_n = 0, vectors_m = 0;
};

struct routine_info {
    bench::routine routine;
    const char* name;
    myblasRoutine_t kernels; // whose kernels serve it
    bench::limit limit;
    uint32_t fields;
    const char* function; // its name in myblas without `my`
    bool is_in_blas;      // cuBLAS has it, with the same arguments
    extent_of a, b, c;
    bench::work work;
};

// Indexed by routine.
const routine_info& describe(routine);
inline constexpr int routine_count = 31;
// Whether the routine has any of the fields.
inline bool has(routine r, uint32_t fields) {
    return fields == field::any || (describe(r).fields & fields) != 0;
}
std::optional<routine> find_routine(const std::string& name);

// The first routine with the same kernels. The kernels are named after it.
routine first_with_kernels_of(routine);

// Whether the result is one number, in c.
bool is_reduction(routine);

inline bool finds_index(routine r) { return r == routine::iamax || r == routine::iamin; }
inline bool counts_flops(routine r) { return describe(r).limit == limit::arithmetic; }
inline bool has_matrix(routine r) { return has(r, field::lda); }
// A symmetric or triangular matrix that is read.
bool has_special_matrix(routine);
// Levels 2 and 3 of BLAS but sgemm.
inline bool is_matrix_blas(routine r) {
    return has(r, field::uplo) || r == routine::gemv || r == routine::ger;
}

// The scalars of the timed calls: alpha = 1 and beta = 0 in a product, alpha = 1 in a solution.
// Routines that change a vector in place have scalars that keep its magnitude, however often they
// are called.
inline constexpr float axpy_alpha = 0.5f, geam_alpha = 1.5f, geam_beta = -0.5f;
inline constexpr float update_alpha = 0.5f; // of ger, syr, syr2
inline constexpr float scal_alpha = -1.0f, rot_c = 0.6f, rot_s = 0.8f;
inline constexpr float rotm_param[] = {-1, rot_c, -rot_s, rot_s, rot_c}; // flag, h11, h21, h12, h22

// Sets leading dimensions that were not given, and resets sizes that the routine does not have.
// Throws usage_error for sizes out of range.
shape complete(shape);

// The order of the triangular or symmetric matrix of symm, trmm and trsm.
constexpr int64_t order_of(const shape& s) { return s.right ? s.n : s.m; }

// Elements of each operand. In vector routines x is `a` and y is `b`; the result of a reduction is
// `c`. In routines with a matrix and vectors, these are `a`, `b` and `c`, as in myblasCall_t. A
// transpose in place has no separate `b`. For a transpose in place and for trmv, `c` is a copy of
// the original data.
struct operand_sizes {
    int64_t a = 0, b = 0, c = 0, bias = 0;
};
operand_sizes count_elements(const shape&);

// Distance between the operands of a batch.
operand_sizes batch_strides(const shape&);

// Work: floating-point operations of a product, else the fewest bytes to move.
double count_flops(const shape&);
double count_bytes(const shape&);
// The bytes that a product must read and write.
double count_product_bytes(const shape&);
// An estimate of time that is comparable between routines: the flops of the call or, if this is
// more, the flops that a machine could do while it moves the operands.
double predict_work(const shape&);

inline const char* to_text(data_kind data) { return name_of(data_kinds, data); }
inline const char* to_text(myblasActivation_t activation) {
    return name_of(activations, activation);
}
inline bool is_of_products(data_kind data) {
    return data != data_kind::skewed && data != data_kind::constant;
}

// The values of the parameters side, uplo, trans and diag that the routine has, such as LLNN.
std::string form_of(const shape&);

// "NN 512x512x64 lda=520", for tables.
std::string to_text(const shape&);

} // namespace bench
