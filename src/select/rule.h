// A rule of the selection: constant data, listed in tuning_*.cpp.
#pragma once

#include "core/kernel_entry.h"

#include <array>
#include <cstdint>
#include <limits>
#include <span>

namespace myblas {

struct interval {
    int64_t low = std::numeric_limits<int64_t>::min();
    int64_t high = std::numeric_limits<int64_t>::max(); // inclusive

    constexpr bool contains(int64_t value) const { return low <= value && value <= high; }
};

inline constexpr interval any{};

constexpr interval at_least(int64_t low) { return {low, any.high}; }
constexpr interval at_most(int64_t high) { return {any.low, high}; }

// The properties that rules test, made by make_key for each routine: a bit of `form`, and extents.
struct selection_key {
    unsigned form;
    std::array<int64_t, 4> extents;
};

// The first rule that matches and whose kernel accepts the problem gives the kernel.
template <class Problem>
struct rule {
    unsigned forms; // mask of selection_key::form
    std::array<interval, 4> extents;
    const kernel_entry<Problem>* kernel;
};

template <class Problem>
using rule_list = std::span<const rule<Problem>>;

inline constexpr unsigned any_form = ~0u;

// sgemm: extents m, n, k, batch_count. The cuda backend chooses kernels by predicted time
// (select/model.h).
inline selection_key make_key(const sgemm_problem& p) {
    return {1, {p.m, p.n, p.k, p.batch_count}};
}

// transpose: form in_place_form, whole_sectors_form (out of place, columns of B start on sectors of
// 32 bytes) or split_sectors_form. The last two have separate bits for elements of 1 byte. Extents
// m, n, min(m, n), m * n.
inline constexpr unsigned in_place_form = 1, whole_sectors_form = 2 | 8,
                          split_sectors_form = 4 | 16;
inline constexpr unsigned out_of_place_form = whole_sectors_form | split_sectors_form;
inline constexpr unsigned byte_form = 8 | 16;

inline selection_key make_key(const transpose_problem& p) {
    const uint64_t misfit =
        reinterpret_cast<uintptr_t>(p.b) | static_cast<uint64_t>(p.ldb) * p.element_bytes;
    const unsigned sectors = misfit % 32 == 0 ? whole_sectors_form : split_sectors_form;
    const unsigned element = p.element_bytes == 1 ? byte_form : ~byte_form;
    return {p.in_place() ? in_place_form : sectors & element,
            {p.m, p.n, p.m < p.n ? p.m : p.n, p.m * p.n}};
}

// geam: form 1 << (transa * 2 + transb); extents m, n, min(m, n), m * n.
inline selection_key make_key(const geam_problem& p) {
    return {1u << (p.transa * 2 + p.transb), {p.m, p.n, p.m < p.n ? p.m : p.n, p.m * p.n}};
}

// gemsum: form 1 << trans; extents m, n, unused, m * n.
inline selection_key make_key(const gemsum_problem& p) {
    return {1u << p.trans, {p.m, p.n, 0, p.m * p.n}};
}

// histogram: extent n.
inline selection_key make_key(const histogram_problem& p) { return {1, {p.n, 0, 0, 0}}; }

// Vectors: extents n, increments.
template <class T>
selection_key make_key(const sum_problem<T>& p) {
    return {p.absolute ? 2u : 1u, {p.n, p.incx, 0, 0}};
}

inline selection_key make_key(const axpy_problem& p) { return {1, {p.n, p.incx, p.incy, 0}}; }
inline selection_key make_key(const copy_problem& p) { return {1, {p.n, p.incx, p.incy, 0}}; }
inline selection_key make_key(const swap_problem& p) { return {1, {p.n, p.incx, p.incy, 0}}; }
inline selection_key make_key(const rot_problem& p) { return {1, {p.n, p.incx, p.incy, 0}}; }
inline selection_key make_key(const rotm_problem& p) { return {1, {p.n, p.incx, p.incy, 0}}; }
inline selection_key make_key(const scal_problem& p) { return {1, {p.n, p.incx, 0, 0}}; }
inline selection_key make_key(const rotg_problem&) { return {1, {}}; }
inline selection_key make_key(const rotmg_problem&) { return {1, {}}; }

// Level 2: extent n.
inline selection_key make_key(const symv_problem& p) { return {1, {p.n, 0, 0, 0}}; }
inline selection_key make_key(const syr_problem& p) { return {1, {p.n, 0, 0, 0}}; }
template <bool solve>
selection_key make_key(const triangular_problem<solve>& p) {
    return {1, {p.n, 0, 0, 0}};
}

inline selection_key make_key(const dot_problem& p) { return {1, {p.n, p.incx, p.incy, 0}}; }
inline selection_key make_key(const nrm2_problem& p) { return {1, {p.n, p.incx, 0, 0}}; }
inline selection_key make_key(const extremum_problem& p) {
    return {p.least ? 2u : 1u, {p.n, p.incx, 0, 0}};
}

// Level 3: extents of the result, k or the order of the square operand, and for trsm the batch.
template <bool twice>
selection_key make_key(const rank_k_problem<twice>& p) {
    return {1, {p.n, p.n, p.k, 0}};
}
inline selection_key make_key(const symm_problem& p) { return {1, {p.m, p.n, p.order(), 0}}; }
inline selection_key make_key(const trmm_problem& p) { return {1, {p.m, p.n, p.order(), 0}}; }
inline selection_key make_key(const trsm_problem& p) {
    return {1, {p.m, p.n, p.order(), p.batch_count}};
}

} // namespace myblas
