#include "sweeps.h"

#include <span>

namespace bench {
namespace {

constexpr int64_t level3_squares[] = {256, 512, 1024, 2048, 4096, 8192};
constexpr int64_t level3_largest = 16384;                 // in the first form only
constexpr int64_t level3_in_other_forms[] = {1024, 4096}; // in the forms beyond two
constexpr int64_t panel_lengths[] = {1024, 4096};         // with each of the widths
constexpr int64_t panel_widths[] = {64, 128, 256, 512};   // the last in factorisations alone

constexpr int64_t level2_orders[] = {
    64, 128, 256, 512, 1000, 1024, 2048, 4096, 4097, 8192, 16384, 32768};
constexpr int64_t level2_in_other_forms[] = {1000, 8192}; // upper halves that only mirror the lower

constexpr pair level2_rectangles[] = {{64, 16384},
                                      {16384, 64},
                                      {1000, 100000},
                                      {100000, 1000},
                                      {16, 1048576},
                                      {1048576, 16},
                                      {4096, 11008}};

struct form {
    bool right = false, upper = false, trans = false;
};

// By their letters: L or R, L or U, N or T, where the routine has them. In the order in which they
// are measured. All squares have the first two.
std::vector<form> forms_of(routine r) {
    constexpr form first{};
    switch (r) {
    case routine::symm: // LL RU LU RL
        return {first, {true, true, false}, {false, true, false}, {true, false, false}};
    case routine::trmm:
    case routine::trsm: // LLN RUT LLT RUN
        return {first, {true, true, true}, {false, false, true}, {true, true, false}};
    case routine::trmv:
    case routine::trsv: // LN LT UN UT
        return {first, {false, false, true}, {false, true, false}, {false, true, true}};
    case routine::syrk:
    case routine::syr2k:
    case routine::gemv: // N T
        return {first, {false, false, true}};
    case routine::ger:
        return {first};
    default: // L U
        return {first, {false, true, false}};
    }
}

shape sized(routine r, const form& f, int64_t m, int64_t n, int64_t k = 0) {
    return {.routine = r,
            .transa = f.trans,
            .right = f.right,
            .upper = f.upper,
            .m = m,
            .n = n,
            .k = k};
}

bool is_rank_update(routine r) { return r == routine::syrk || r == routine::syr2k; }

// A shape of one size: m = n = k, or a triangle or symmetric matrix of order n.
shape square(routine r, const form& f, int64_t n) {
    return sized(r, f, n, n, is_rank_update(r) ? n : 0);
}

// Long matrices B, or A of a rank update.
shape panel(routine r, const form& f, int64_t length, int64_t width) {
    return is_rank_update(r) ? sized(r, f, 0, length, width) : sized(r, f, length, width);
}

// On the left, the triangle's order is the panel's length; on the right, its width, as in
// Cholesky's factorisation.
std::vector<form> panel_forms(routine r) {
    if (is_rank_update(r))
        return {forms_of(r)[0]};
    return {{false, false, false}, {true, false, r != routine::symm}};
}

void add_squares(std::vector<shape>& list, routine r, const form& f, std::span<const int64_t> n) {
    for (const int64_t size : n)
        list.push_back(square(r, f, size));
}

std::vector<shape> level3_shapes(routine r) {
    std::vector<shape> list;
    const std::vector<form> forms = forms_of(r);
    for (size_t i = 0; i < forms.size(); ++i)
        if (i < 2)
            add_squares(list, r, forms[i], level3_squares);
        else
            add_squares(list, r, forms[i], level3_in_other_forms);
    list.push_back(square(r, forms[0], level3_largest));
    const int64_t widest = is_rank_update(r) || r == routine::trsm ? 512 : 256;
    for (const form& f : panel_forms(r)) {
        for (const int64_t length : panel_lengths)
            for (const int64_t width : panel_widths)
                if (width <= widest)
                    list.push_back(panel(r, f, length, width));
        list.push_back(panel(r, f, level3_largest, 128));
        if (!is_rank_update(r)) // lying: from the left a block row of LU
            list.push_back(panel(r, f, 128, 4096));
        // Not aligned to 16 bytes.
        list.push_back(square(r, f, 1001));
        list.push_back(panel(r, f, 4095, 129));
    }
    return list;
}

std::vector<shape> level2_shapes(routine r) {
    std::vector<shape> list;
    for (const form& f : forms_of(r)) {
        if (has(r, field::trans) || !f.upper)
            add_squares(list, r, f, level2_orders);
        else
            add_squares(list, r, f, level2_in_other_forms);
        if (has(r, field::m))
            for (const pair& size : level2_rectangles)
                list.push_back(sized(r, f, size.m, size.n));
    }
    return list;
}

// Many rows or columns and up to 2000 of the other; every other leading dimension is padded.
void add_long_matrices(size_source& sizes, routine r, int count, std::vector<shape>& list) {
    constexpr int64_t most_elements = int64_t{1} << 28, longest_padding = 17;
    while (count > 0) {
        const int64_t length = sizes.draw(4'000'000, 10'000), width = sizes.draw(2000, 16);
        const bool is_wide = sizes.flip(), trans = sizes.flip(), is_padded = sizes.flip();
        const int64_t padding = sizes.draw_evenly(1, longest_padding);
        if (length * width > most_elements)
            continue;
        const int64_t m = is_wide ? width : length, n = is_wide ? length : width;
        shape s = sized(r, {false, false, trans}, m, n);
        s.lda = m + (is_padded ? padding : 0);
        list.push_back(s);
        --count;
    }
}

} // namespace

std::vector<shape> public_blas_shapes(routine r, bool on_host) {
    std::vector<shape> list = counts_flops(r) ? level3_shapes(r) : level2_shapes(r);
    if (on_host)
        shrink_for_host(list);
    return list;
}

std::vector<shape> random_blas_shapes(routine r, bool on_host, uint64_t seed) {
    constexpr int count = 20;
    constexpr int64_t least = 16; // smaller calls are only launches
    const int64_t most = on_host ? 256 : counts_flops(r) ? 8192 : 32768;
    size_source sizes(seed);
    std::vector<shape> list;
    for (int i = 0; i < count; ++i) {
        const int64_t m = sizes.draw(most, least), n = sizes.draw(most, least);
        const int64_t k = sizes.draw(most, least);
        const bool right = sizes.flip(), upper = sizes.flip(), trans = sizes.flip();
        shape s = sized(r, {right, upper, trans}, m, n, k);
        s.unit = sizes.flip();
        list.push_back(s);
    }
    if (!on_host && (r == routine::gemv || r == routine::ger))
        add_long_matrices(sizes, r, count, list);
    return list;
}

} // namespace bench
