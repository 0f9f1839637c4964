// The fields of a shape as one table, which the command line, files and tables use.
#pragma once

#include "shape.h"

#include <variant>
#include <vector>

namespace bench {

// Sizes on the command line. Every m is combined with every n and every k. Empty: not given.
struct size_lists {
    std::vector<int64_t> m, n, k;
};

// One of two letters, such as N and T; the first stands for false.
struct letter {
    bool shape::*value;
    const char* letters;
};

// A size that the command line may give several times.
struct listed_size {
    int64_t shape::*value;
    std::vector<int64_t> size_lists::*given;
};

using shape_member = std::variant<letter,
                                  listed_size,
                                  bool shape::*,
                                  int shape::*,
                                  int64_t shape::*,
                                  float shape::*,
                                  data_kind shape::*,
                                  sweep shape::*,
                                  myblasActivation_t shape::*>;

// Where a field appears, besides the options and files of its routines, and the argument of its
// option.
enum reach {
    usual = 0,
    all_files = 1,  // of every routine
    sweeps_too = 2, // the option changes the shapes of sweeps
    at_least_1 = 4,
    if_set = 8, // not in files at its default
};

struct shape_field {
    uint32_t owners;    // the routines that have any of these have the field
    const char* name;   // its name in files; null: it is not there
    const char* option; // of the command line
    shape_member value;
    int where; // of reach
    const char* help;
};

// In the order of files. Routines with only one operand that can be transposed have `trans` instead
// of `transa`.
// clang-format off
inline constexpr shape_field shape_fields[] = {
    {field::side, "side", "--side", letter{&shape::right, "LR"}, usual,
     "of the symmetric or triangular matrix (L)"},
    {field::uplo, "uplo", "--uplo", letter{&shape::upper, "LU"}, usual, "its triangle (L)"},
    {field::transa | field::trans, "transa", "--transa,--trans", letter{&shape::transa, "NT"},
     usual, "transposition of A (N)"},
    {field::transb, "transb", "--transb", letter{&shape::transb, "NT"}, usual,
     "transposition of B (N)"},
    {field::diag, "diag", "--diag", letter{&shape::unit, "NU"}, usual,
     "its diagonal; U: ones (N)"},
    {field::m, "m", "-m", listed_size{&shape::m, &size_lists::m}, at_least_1,
     "rows, separated by commas; sizes not given equal those given"},
    {field::any, "n", "-n", listed_size{&shape::n, &size_lists::n}, at_least_1,
     "columns, or lengths of vectors"},
    {field::k, "k", "-k", listed_size{&shape::k, &size_lists::k}, at_least_1, "inner dimensions"},
    {field::lda, "lda", "--lda", &shape::lda, at_least_1, "leading dimension of A (tight)"},
    {field::ldb, "ldb", "--ldb", &shape::ldb, at_least_1, "of B"},
    {field::ldc, "ldc", "--ldc", &shape::ldc, at_least_1, "of C"},
    {field::lda, nullptr, "--ld-pad", &shape::ld_pad, sweeps_too,
     "elements added to every tight dimension (0)"},
    {field::inc, "incx", "--incx", &shape::incx, at_least_1, "increment of the vectors (1)"},
    {field::data, "data", "--data", &shape::data, usual,
     "kind of data of a histogram or a product (uniform)"},
    {field::activation, "activation", "--activation", &shape::activation, usual,
     "of sgemmFused, behind the bias (none)"},
    {field::element_bytes, "elem_bytes", "--elem-bytes", &shape::element_bytes,
     all_files | sweeps_too, "transpose: bytes of an element (4)"},
    {field::any, "offset", "--offset", &shape::offset, sweeps_too,
     "elements added to every pointer (0)"},
    {field::batch, "batch", "--batch", &shape::batch, at_least_1, "products in one call (1)"},
    {field::batch, "pointer_array", "--pointer-array", &shape::pointer_array, usual,
     "a batch by arrays of pointers"},
    {field::scalars, "alpha", "--alpha", &shape::alpha, if_set, "factor of a product (1)"},
    {field::scalars, "beta", "--beta", &shape::beta, if_set, "factor of its C (0)"},
    {field::batch, "batch_gap", "--batch-gap", &shape::batch_gap, if_set,
     "elements between the matrices of a batch (0)"},
    {field::batch, "shuffled", "--shuffled", &shape::shuffled, if_set,
     "the pointers of a batch in random order"},
    {field::batch, "share_a", "--share-a", &shape::share_a, if_set,
     "one A for all products of a batch"},
    {field::batch, "share_b", "--share-b", &shape::share_b, if_set, "one B for them"},
    {field::any, "class", nullptr, &shape::of, if_set, ""},
    {field::in_place, "in_place", "--in-place", &shape::in_place, usual,
     "transpose onto the matrix itself"},
};
// clang-format on

inline bool has(routine r, const shape_field& f) { return has(r, f.owners); }

// Calls visit(pointer to the member of shape).
template <class Visit>
void visit_value(const shape_field& f, const Visit& visit) {
    std::visit(
        [&](auto member) {
            if constexpr (requires { member.value; })
                visit(member.value);
            else
                visit(member);
        },
        f.value);
}

} // namespace bench
