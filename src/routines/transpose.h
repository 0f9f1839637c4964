// B = A^T, A m x n.
#pragma once

#include "routines/operands.h"

namespace myblas {

// Matrices of a batch are a stride apart.
struct transpose_problem {
    int64_t m = 0, n = 0;
    int element_bytes = 4;
    const void* a = nullptr;
    int64_t lda = 1;
    void* b = nullptr;
    int64_t ldb = 1;
    int64_t stride_a = 0, stride_b = 0; // elements
    int64_t batch_count = 1;

    bool in_place() const { return a == b && a != nullptr; }

    // `count` matrices of the batch from `first` on.
    transpose_problem part(int64_t first, int64_t count) const {
        transpose_problem some = *this;
        some.a = static_cast<const unsigned char*>(a) + first * stride_a * element_bytes;
        some.b = static_cast<unsigned char*>(b) + first * stride_b * element_bytes;
        some.batch_count = count;
        return some;
    }

    template <class List>
    void operands(List& list) {
        list.size("m", m);
        list.size("n", n);
        list.element_bytes("element_bytes", element_bytes);
        list.untyped_matrix("A", a, lda, shape_of(m, n), element_bytes, stride_a);
        list.untyped_matrix("B", b, ldb, shape_of(n, m), element_bytes, stride_b);
        list.batch("batch_count", batch_count);
    }
    bool is_empty() const { return m == 0 || n == 0 || batch_count == 0; }
    wide most_elements() const { return wide{batch_count} * m * n; }
    fault check() const {
        const auto is_misaligned = [this](const void* pointer) {
            return reinterpret_cast<uintptr_t>(pointer) % static_cast<uintptr_t>(element_bytes);
        };
        if (is_misaligned(a))
            return "A is not aligned to its elements";
        if (is_misaligned(b))
            return "B is not aligned to its elements";
        const bool is_square = m == n && lda == ldb;
        const bool is_tight = lda == m && ldb == n;
        if (in_place() && !is_square && !is_tight)
            return "in place, the matrix must be square with lda == ldb, or lda == m and ldb == n";
        if (in_place() && batch_count > 1 && (!is_square || stride_a != stride_b))
            return "in place, a batch must be of squares with lda == ldb and strideA == strideB";
        return nullptr;
    }
    selection_key key() const;
};

// The forms of selection_key: in place; out of place, where columns of B start on sectors of 32
// bytes, or do not. The last two have separate bits for elements of 1 byte and of 4 bytes. Floats
// have separate bits for padded thin matrices, where 32 bytes or more lie between the runs of the
// thin extent.
inline constexpr unsigned in_place_form = 1, whole_sectors_form = 2 | 8 | 32 | 128,
                          split_sectors_form = 4 | 16 | 64 | 256;
inline constexpr unsigned out_of_place_form = whole_sectors_form | split_sectors_form;
inline constexpr unsigned byte_form = 8 | 16, padded_word_form = 128 | 256,
                          word_form = 32 | 64 | padded_word_form;

// Extents: m, n, min(m, n), m * n.
inline selection_key transpose_problem::key() const {
    const uint64_t misfit =
        reinterpret_cast<uintptr_t>(b) | static_cast<uint64_t>(ldb) * element_bytes;
    const unsigned sectors = misfit % 32 == 0 ? whole_sectors_form : split_sectors_form;
    const bool is_padded = (m <= n ? lda - m : ldb - n) * element_bytes >= 32;
    const unsigned words = is_padded ? padded_word_form : word_form & ~padded_word_form;
    const unsigned element = element_bytes == 1   ? byte_form
                             : element_bytes == 4 ? words
                                                  : ~(byte_form | word_form);
    return {in_place() ? in_place_form : sectors & element, {m, n, m < n ? m : n, m * n}};
}

namespace calls {
inline constexpr routine_call<transpose_problem> transpose{"mytranspose"};
inline constexpr routine_call<transpose_problem> transpose_ex{
    .name = "mytransposeEx", .preset = {.element_bytes = 0}, // an argument
};
inline constexpr routine_call<transpose_problem> transpose_strided_batched{
    "mytransposeStridedBatched",
    batch_form::strided,
};
} // namespace calls

} // namespace myblas
