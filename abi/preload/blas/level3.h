// The operations of level 3 as plain data, and how they are cut: into independent parts, into
// smaller operations, and into the steps of a device. Pure: all of this is tested without a device.
#pragma once

#include "blas/copy_team.h"
#include "common/function_ref.h"

#include <array>
#include <cstdint>

namespace myblas::preload {

// C = alpha * op(A) * op(B) + beta * C, with m, n, k > 0 and valid leading dimensions.
struct product {
    bool transa = false, transb = false;
    int64_t m = 0, n = 0, k = 0;
    float alpha = 0;
    const float* a = nullptr;
    int64_t lda = 0;
    const float* b = nullptr;
    int64_t ldb = 0;
    float beta = 0;
    float* c = nullptr;
    int64_t ldc = 0;
};

// One of the operations. C is m x n.
//   product  as above.
//   gemmtr   C = alpha * op(A) * op(B) + beta * C, on a triangle of C; op(A) is n x k. In syrk, B
//            is A, and op(B) is op(A)^T.
//   syr2k    C = alpha * (op(A) * op(B)^T + op(B) * op(A)^T) + beta * C, on a triangle of C.
//            `transa` holds for both A and B.
//   symm     C = alpha * A * B + beta * C with a symmetric A on the left, or
//            C = alpha * B * A + beta * C with A on the right.
//   trmm     C = alpha * op(A) * C with a triangular A on the left, or
//            C = alpha * C * op(A) with A on the right.
//   trsm     Solves op(A) * X = alpha * C with a triangular A on the left, or
//            X * op(A) = alpha * C with A on the right. C = X.
struct level3 : product {
    enum class kind { product, gemmtr, syr2k, symm, trmm, trsm };
    kind what = kind::product;
    bool left = true;
    bool upper = false; // which triangle of A, or of C, is referenced
    bool unit = false;  // the diagonal of A counts as 1, no matter which values are stored

    bool updates_triangle() const { return what == kind::gemmtr || what == kind::syr2k; }
    bool is_triangular() const { return what == kind::trmm || what == kind::trsm; }
    bool is_syrk() const {
        return what == kind::gemmtr && b == a && ldb == lda && transb != transa;
    }
    bool has_b() const { return !is_triangular() && !is_syrk(); }
    // Whether k is an extent apart from m and n.
    bool has_depth() const { return what == kind::product || updates_triangle(); }
    // Whether each element of C is an element of one product over all of k, also where C is cut
    // into columns: what libmyblas's reproducible mode computes.
    bool keeps_k() const {
        return what == kind::product || what == kind::gemmtr || (what == kind::symm && left);
    }
    // Rows and columns of the triangle.
    int64_t order() const { return left && !updates_triangle() ? m : n; }
    // Whether the call reads C's old values.
    bool reads_c() const { return is_triangular() || beta != 0; }
};

struct range {
    int64_t begin, end;
    int64_t size() const { return end - begin; }
};

// A few operations, to be computed in this order.
class operations {
public:
    void add(const level3& p) { all_[static_cast<size_t>(count_++)] = p; }
    const level3* begin() const { return all_.data(); }
    const level3* end() const { return all_.data() + count_; }

private:
    static constexpr int most = 6;
    std::array<level3, most> all_;
    int count_ = 0;
};

// The operations that compute the part of C that belongs to a range of the triangle's order. The
// part is a range of rows if A is on the left, else a range of columns. Other parts must be
// computed before or after it, in the direction of is_forward().
operations along(const level3&, range);
bool is_forward(const level3&);

// An operation with A on one side, for some columns of C if A is on the left, or some rows if A is
// on the right. All such parts are independent.
level3 across(const level3&, range);

// The operations for a range of C's columns: along() or across(), as the operation needs.
operations columns_of(const level3&, range);

// Two halves, for an operation that does not fit into a device's memory. An operation of order 1
// and depth 1 has none: the result is empty.
operations halves(const level3&);

// Part `index` of `count` independent parts of about equal work: a range of rows, of columns, or of
// the triangle.
range share_of(const level3&, int index, int count);

// Tile `index` of a gemmtr whose triangle is cut into `count` rows and columns of blocks. Tiles are
// independent. The products beside the diagonal come first. They have twice the work of the tiles
// on the diagonal, which come last.
level3 tile_of(const level3&, int index, int count);
constexpr int tiles_beside_diagonal(int count) { return count * (count - 1) / 2; }
constexpr int tiles_in_all(int count) { return count * (count + 1) / 2; }

// ---- The plan of one operation on a device ------------------------------------------------------

enum class operand_name { a, b, c };

// Rows and columns of an operand, or the part of them on one side of the triangle's diagonal.
struct block {
    operand_name of;
    range rows, cols;
    triangle part; // with the diagonal as it lies in this block
};

// upload: the block is copied to its place on the device. compute: the columns `cols` of C are
// computed from the uploaded blocks. download: the block is copied back. The block then holds all
// elements of some columns of C that the operation writes.
struct step {
    enum class kind { upload, compute, download };
    kind what;
    block which;
    int group; // of columns, numbered in the order of computation
    // An upload that is the same for all parts of across() is numbered: devices may share it.
    int part = -1;
};
inline constexpr int most_shared_parts = 64;

// Calls visit for each step in order until visit returns false, and returns the last result. Only
// columns within `cols` are computed. A download has at most slot_elements elements, and there are
// at most most_groups groups.
bool visit_plan(const level3&,
                range cols,
                int64_t slot_elements,
                int most_groups,
                function_ref<bool(const step&)> visit);

// The columns that remain to be computed after `downloads` downloads of the plan.
range remaining_columns(
    const level3&, range cols, int64_t slot_elements, int most_groups, int64_t downloads);

// Rows and columns of A and B as stored.
struct extent {
    int64_t rows, cols;
};
extent extent_of_a(const level3&);
extent extent_of_b(const level3&); // nothing, if there is no B

} // namespace myblas::preload
