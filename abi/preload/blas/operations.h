// The calls that a device can compute, as plain data. Each call knows which of its arguments is
// wrong, and how to compute itself by staging.
#pragma once

#include "blas/model.h"
#include "blas/small_call.h"
#include "blas/staged_level3.h"
#include "common/call_log.h"

namespace myblas::preload {

// Computes a part of an operation by the program's BLAS, or by libmyblas on the host if the program
// lacks the routine.
void level3_on_host(const level3&, const origin&);

// Routines that a device may make faster, because they use their data many times.
constexpr bool can_gain(routine r) { return r <= routine::strsm; }

// The members that all operations share:
//   kind               which routine it is
//   shape()            its extents
//   wrong_argument()   the number of the first argument that the reference BLAS refuses; 0: none
//   is_trivial()       nothing to compute: left to the program's BLAS
//   finish_trivial()   does what that BLAS would do, if the program has none; false: it cannot
//   run(...)           computes it on the devices
//   size()             its work, where can_gain(kind)
//   logged()           its entry in the log of calls, except the routine

constexpr bool is_transposed(char trans) { return trans == 'T' || trans == 'C'; }

// read() takes the arguments of the signature in entries.inc. A call on row-major matrices becomes
// the column-major call on the transposes.

// The members that the operations of level 3 share. wrong_argument() numbers the arguments as
// the Fortran interface does.
struct any_level3_call : level3 {
    int wrong_letter = 0;
    int letters = 2; // arguments before the extents
    bool has_argument_b = false;
    report::extents shape() const { return {m, n, has_depth() ? k : order()}; }
    product_size size() const;
    int wrong_argument() const;
    bool is_trivial() const { return m == 0 || n == 0 || alpha == 0 || (has_depth() && k == 0); }
    bool finish_trivial() const;
    // The triangular matrix stands on one side of C, which is B in the interface.
    logged_call logged() const {
        return {.side = left ? MYBLAS_SIDE_LEFT : MYBLAS_SIDE_RIGHT,
                .uplo = upper ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER,
                .transa = transa ? MYBLAS_OP_T : MYBLAS_OP_N,
                .transb = transb && has_argument_b ? MYBLAS_OP_T : MYBLAS_OP_N,
                .diag = unit ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT,
                .m = m,
                .n = n,
                .k = shape().k,
                .lda = lda,
                .ldb = is_triangular()  ? ldc
                       : has_argument_b ? ldb
                                        : 0,
                .ldc = ldc};
    }
    // To the column-major operation on the transposes.
    void transpose();
    outcome run(std::span<device* const>, const origin&) const noexcept;
};

// The arguments of a level 3 function, as members of an operation. The first scalar, the first
// matrix and the first operation are other members than the second: member<Tag>() counts.
class argument_cursor {
public:
    // The member for the next argument with this tag.
    template <class Tag, class Operation>
    auto& member(Operation& p) {
        if constexpr (std::is_same_v<Tag, argument::uplo>)
            return p.upper;
        else if constexpr (std::is_same_v<Tag, argument::side>)
            return p.left;
        else if constexpr (std::is_same_v<Tag, argument::diag>)
            return p.unit;
        else if constexpr (std::is_same_v<Tag, argument::trans>)
            return operations_++ == 0 ? p.transa : p.transb;
        else if constexpr (std::is_same_v<Tag, argument::size>) {
            const int index = sizes_++ + (p.updates_triangle() ? 1 : 0);
            return index == 0 ? p.m : index == 1 ? p.n : p.k;
        } else if constexpr (std::is_same_v<Tag, argument::scalar>)
            return scalars_++ == 0 ? p.alpha : p.beta;
        else if constexpr (std::is_same_v<Tag, argument::matrix>)
            return matrices_++ == 0 ? p.a : p.b;
        else if constexpr (std::is_same_v<Tag, argument::leading>)
            return is_result_ ? p.ldc : matrices_ == 1 ? p.lda : p.ldb;
        else {
            static_assert(std::is_same_v<Tag, argument::result>);
            is_result_ = true;
            return p.c;
        }
    }

private:
    int operations_ = 0, sizes_ = 0, scalars_ = 0, matrices_ = 0;
    bool is_result_ = false; // the last matrix
};

// The letter that makes a flag true; the other one makes it false.
template <class Tag>
constexpr char letter_of(bool is_set) {
    if constexpr (std::is_same_v<Tag, argument::trans>)
        return is_set ? 'T' : 'N';
    else if constexpr (std::is_same_v<Tag, argument::side>)
        return is_set ? 'L' : 'R';
    else if constexpr (std::is_same_v<Tag, argument::uplo>)
        return is_set ? 'U' : 'L';
    else
        return is_set ? 'U' : 'N';
}

// A routine of level 3, by its row of entries.inc.
template <routine r,
          level3::kind operation,
          class Signature = typename parts_of<typename signature_of<r>::type>::signature>
struct level3_call;
template <routine r, level3::kind operation, class... Tags>
struct level3_call<r, operation, void(Tags...)> : any_level3_call {
    static constexpr routine kind = r;
    static constexpr myblasRoutine_t computed_by = kernels_of<r>::listed_under;
    static constexpr bool takes_b = (int{std::is_same_v<Tags, argument::matrix>} + ...) == 2;

    // Whether the routine computes an operation: of two routines for a kind, one has no B.
    static bool computes(const level3& p) { return p.what == operation && p.has_b() == takes_b; }

    static level3_call read(char layout, value_of<Tags>... values) {
        level3_call call;
        call.what = operation;
        call.letters = list<Tags...>::letters;
        call.has_argument_b = takes_b;
        argument_cursor next;
        (set<Tags>(next.member<Tags>(call), values), ...);
        if (call.updates_triangle())
            call.m = call.n;
        if (operation == level3::kind::gemmtr && !takes_b) { // syrk
            call.transb = !call.transa;
            call.b = call.a;
            call.ldb = call.lda;
        }
        if (layout == 'R')
            call.transpose();
        return call;
    }

    // The program's own function; false if it has none.
    static bool call_own(const level3& p, const origin& from) {
        argument_cursor next;
        const std::tuple values{passed_to_blas<Tags>(next.member<Tags>(p))...};
        return std::apply([&](auto... value) { return preload::call_own<r>(from, value...); },
                          values);
    }

    // libmyblas's function, whose result is a matrix of its own in trmm.
    template <class Function>
    static myblasStatus_t call_library(Function* function, myblasHandle_t h, const level3& p) {
        argument_cursor next;
        const std::tuple values{passed_to_library<Tags>(next.member<Tags>(p))...};
        return std::apply(
            [&](auto... value) {
                if constexpr (operation == level3::kind::trmm)
                    return function(h, value..., p.c, p.ldc);
                else
                    return function(h, value...);
            },
            values);
    }

private:
    template <class Tag, class Member>
    static void set(Member& member, value_of<Tag> value) {
        if constexpr (std::is_same_v<Tag, argument::trans>)
            member = is_transposed(value);
        else if constexpr (is_letter<Tag>)
            member = value == letter_of<Tag>(true);
        else
            member = value;
    }
    template <class Tag, class Member>
    static auto passed_to_blas(const Member& member) {
        if constexpr (is_letter<Tag>)
            return letter_of<Tag>(member);
        else
            return member;
    }
    template <class Tag, class Member>
    static auto passed_to_library(const Member& member) {
        if constexpr (std::is_same_v<Tag, argument::trans>)
            return member ? MYBLAS_OP_T : MYBLAS_OP_N;
        else if constexpr (std::is_same_v<Tag, argument::uplo>)
            return member ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
        else if constexpr (std::is_same_v<Tag, argument::side>)
            return member ? MYBLAS_SIDE_LEFT : MYBLAS_SIDE_RIGHT;
        else if constexpr (std::is_same_v<Tag, argument::diag>)
            return member ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT;
        else if constexpr (std::is_same_v<Tag, argument::scalar>)
            return &member;
        else
            return member;
    }
};

template <routine r>
using product_call = level3_call<r, level3::kind::product>;
template <routine r>
using gemmtr_call = level3_call<r, level3::kind::gemmtr>;
template <routine r>
using syr2k_call = level3_call<r, level3::kind::syr2k>;
template <routine r>
using symm_call = level3_call<r, level3::kind::symm>;
template <routine r>
using trmm_call = level3_call<r, level3::kind::trmm>;
template <routine r>
using trsm_call = level3_call<r, level3::kind::trsm>;

// B = alpha * op(A), column-major; in place with the same a and b.
struct matcopy_call {
    static constexpr myblasRoutine_t computed_by = MYBLAS_ROUTINE_GEAM;
    bool trans;
    int64_t rows, cols;
    float alpha;
    const float* a;
    int64_t lda;
    float* b;
    int64_t ldb;
    int wrong_letter = 0;

    report::extents shape() const { return {rows, cols, 1}; }
    int wrong_argument() const;
    bool is_trivial() const { return false; }
    bool finish_trivial() const { return false; }
    logged_call logged() const {
        return {.transa = trans ? MYBLAS_OP_T : MYBLAS_OP_N,
                .m = rows,
                .n = cols,
                .lda = lda,
                .ldb = ldb};
    }
    outcome run(std::span<device* const>, const origin&) const noexcept;
};

struct omatcopy_call : matcopy_call {
    static constexpr routine kind = routine::somatcopy;
    // clang-format off
    static omatcopy_call read(char order, char trans, int64_t rows, int64_t cols, float alpha,
                              const float* a, int64_t lda, float* b, int64_t ldb) {
        if (order == 'R')
            std::swap(rows, cols);
        return {{is_transposed(trans), rows, cols, alpha, a, lda, b, ldb}};
    }
    // clang-format on
};

struct imatcopy_call : matcopy_call {
    static constexpr routine kind = routine::simatcopy;
    // clang-format off
    static imatcopy_call read(char order, char trans, int64_t rows, int64_t cols, float alpha,
                              float* a, int64_t lda, int64_t ldb) {
        return {omatcopy_call::read(order, trans, rows, cols, alpha, a, lda, a, ldb)};
    }
    // clang-format on
};

// The type that describes a routine's calls.
template <routine>
struct call_of;
#define BLAS_ENTRY(name, kernels, call, ...)                                                       \
    template <>                                                                                    \
    struct call_of<routine::name> : std::type_identity<call> {};
#include "common/entries.inc"
#undef BLAS_ENTRY

} // namespace myblas::preload
