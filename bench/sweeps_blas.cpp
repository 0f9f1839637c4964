#include "sweeps_blas.h"

#include "size_source.h"

#include <algorithm>
#include <initializer_list>
#include <span>

namespace bench {
namespace {

constexpr int64_t level3_squares[] = {256, 512, 1024, 2048, 4096, 8192};
constexpr int64_t level3_largest = 16384;                 // in the first form only
constexpr int64_t level3_in_other_forms[] = {1024, 4096}; // in the forms beyond two
constexpr int64_t panel_lengths[] = {1024, 4096};         // with each of the widths
constexpr int64_t panel_widths[] = {64, 128, 256};
constexpr int64_t panel_widths_of_factorisations[] = {
    64, 128, 256, 512}; // k of syrk and syr2k, trsm

constexpr int64_t level2_orders[] = {
    64, 128, 256, 512, 1000, 1024, 2048, 4096, 4097, 8192, 16384, 32768};
constexpr int64_t level2_in_other_forms[] = {1000, 8192}; // upper halves that only mirror the lower

struct pair {
    int64_t m, n;
};

constexpr pair level2_rectangles[] = {{64, 16384},
                                      {16384, 64},
                                      {1000, 100000},
                                      {100000, 1000},
                                      {16, 1048576},
                                      {1048576, 16},
                                      {4096, 11008}};

// On a host, where a test must end soon: the factor by which published shapes are smaller, and the
// largest random size.
constexpr int64_t host_shrinkage = 32, most_on_host = 256;

struct form {
    bool right, upper, trans;
};

// L or R, then L or U, then N or T; in the order in which they are measured. All squares have the
// first two.
std::vector<form> forms_of(routine r) {
    switch (r) {
    case routine::syrk:
    case routine::syr2k: // LN LT
        return {{false, false, false}, {false, false, true}};
    case routine::symm: // LL RU LU RL
        return {
            {false, false, false}, {true, true, false}, {false, true, false}, {true, false, false}};
    case routine::trmm:
    case routine::trsm: // LLN RUT LLT RUN
        return {
            {false, false, false}, {true, true, true}, {false, false, true}, {true, true, false}};
    case routine::gemv:
        return {{false, false, false}, {false, false, true}};
    case routine::trmv:
    case routine::trsv: // LN LT UN UT
        return {
            {false, false, false}, {false, false, true}, {false, true, false}, {false, true, true}};
    case routine::symv:
    case routine::syr:
    case routine::syr2: // L U
        return {{false, false, false}, {false, true, false}};
    default: // ger
        return {{false, false, false}};
    }
}

shape sized(routine r, const form& f, int64_t m, int64_t n, int64_t k = 0) {
    shape s;
    s.routine = r;
    s.right = f.right;
    s.upper = f.upper;
    s.transa = f.trans;
    s.m = m;
    s.n = n;
    s.k = k;
    return s;
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

std::span<const int64_t> panel_widths_of(routine r) {
    if (is_rank_update(r) || r == routine::trsm)
        return panel_widths_of_factorisations;
    return panel_widths;
}

std::vector<shape> level3_shapes(routine r) {
    std::vector<shape> list;
    const std::vector<form> forms = forms_of(r);
    for (size_t i = 0; i < forms.size(); ++i) {
        if (i < 2)
            for (const int64_t n : level3_squares)
                list.push_back(square(r, forms[i], n));
        else
            for (const int64_t n : level3_in_other_forms)
                list.push_back(square(r, forms[i], n));
    }
    list.push_back(square(r, forms[0], level3_largest));
    for (const form& f : panel_forms(r)) {
        for (const int64_t length : panel_lengths)
            for (const int64_t width : panel_widths_of(r))
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
    const std::vector<form> forms = forms_of(r);
    const bool is_rectangular = has(r, field::m);
    for (size_t i = 0; i < forms.size(); ++i) {
        if (i == 0 || has(r, field::trans))
            for (const int64_t n : level2_orders)
                list.push_back(square(r, forms[i], n));
        else
            for (const int64_t n : level2_in_other_forms)
                list.push_back(square(r, forms[i], n));
        if (is_rectangular)
            for (const pair& size : level2_rectangles)
                list.push_back(sized(r, forms[i], size.m, size.n));
    }
    return list;
}

} // namespace

std::vector<shape> public_blas_shapes(routine r, bool on_host) {
    std::vector<shape> list = counts_flops(r) ? level3_shapes(r) : level2_shapes(r);
    if (on_host)
        for (shape& s : list)
            for (int64_t* const size : {&s.m, &s.n, &s.k})
                *size = std::max<int64_t>(*size / host_shrinkage, 1);
    return list;
}

std::vector<shape> random_blas_shapes(routine r, bool on_host, uint64_t seed) {
    constexpr int count = 20;
    constexpr int64_t least = 16; // smaller calls are only launches
    const int64_t most = on_host ? most_on_host : counts_flops(r) ? 8192 : 32768;
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
    return list;
}

} // namespace bench
