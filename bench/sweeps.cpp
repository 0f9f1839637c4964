// The lists of shapes: published ones never change their members, so that results stay comparable.
#include "options.h"

#include <algorithm>

namespace bench {
namespace {

constexpr int64_t sgemm_squares[] = {
    16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 16384};
constexpr int64_t sgemm_largest_all_forms = 8192; // beyond it only NN

struct triple {
    int64_t m, n, k;
};

constexpr triple sgemm_rectangles[] = {
    {4096, 4096, 64},   {4096, 4096, 256},  {64, 64, 65536},    {128, 128, 16384},
    {256, 256, 100000}, {32, 4096, 4096},   {4096, 32, 4096},   {1, 4096, 4096},
    {4096, 1, 4096},    {8, 8192, 8192},    {8192, 8, 8192},    {100000, 32, 32},
    {32, 100000, 32},   {100000, 128, 128}, {1000, 1000, 1000}, {1023, 1025, 1027},
    {2047, 2047, 2047}, {4095, 4097, 4099}, {5120, 5120, 5120}, {4096, 11008, 4096},
    {8192, 8192, 512},  {2, 2, 1000000},
};

struct pair {
    int64_t m, n;
};

constexpr pair transpose_shapes[] = {
    {64, 64},
    {256, 256},
    {512, 512},
    {1024, 1024},
    {2048, 2048},
    {4096, 4096},
    {4097, 4097},
    {8192, 8192},
    {16384, 16384},
    {32768, 32768},
    {64, 1048576},
    {1048576, 64},
    {3, 16777216},
    {16777216, 3},
    {1000, 100000},
};

constexpr int64_t vector_lengths[] = {
    1, 1000, 16384, 131072, 1048576, 4194304, 16777216, 67108864, 268435456, 1073741824};

shape product(const triple& size, bool transa = false, bool transb = false) {
    shape s;
    s.routine = routine::sgemm;
    s.transa = transa;
    s.transb = transb;
    s.m = size.m;
    s.n = size.n;
    s.k = size.k;
    return s;
}

shape matrix(routine r, const pair& size) {
    shape s;
    s.routine = r;
    s.transa = r == routine::geam; // the form that moves like a transpose
    s.m = size.m;
    s.n = size.n;
    return s;
}

shape vector(routine r, int64_t n) {
    shape s;
    s.routine = r;
    s.n = n;
    return s;
}

bool is_matrix_move(routine r) { return r == routine::transpose || r == routine::geam; }

void add_public(routine r, std::vector<shape>& list) {
    if (r == routine::sgemm) {
        for (const int64_t size : sgemm_squares)
            for (const bool transb : {false, true})
                for (const bool transa : {false, true})
                    if (size <= sgemm_largest_all_forms || (!transa && !transb))
                        list.push_back(product({size, size, size}, transa, transb));
        for (const triple& size : sgemm_rectangles) {
            list.push_back(product(size));
            list.push_back(product(size, true, false));
        }
    } else if (is_matrix_move(r)) {
        for (const pair& size : transpose_shapes)
            list.push_back(matrix(r, size));
    } else {
        for (const int64_t n : vector_lengths)
            list.push_back(vector(r, n));
    }
}

// The showcase first, then a size that fits the caches. The third product is one whose k fits a
// kernel that keeps whole rows in shared memory. A host takes smaller ones.
void add_ladder(routine r, bool on_host, std::vector<shape>& list) {
    if (r == routine::sgemm) {
        if (on_host) {
            list.push_back(product({1024, 1024, 1024}));
            list.push_back(product({256, 256, 256}));
        } else {
            list.push_back(product({4096, 4096, 4096}));
            list.push_back(product({1024, 1024, 1024}));
            list.push_back(product({4096, 4096, 128}));
        }
    } else if (is_matrix_move(r)) {
        list.push_back(matrix(r, on_host ? pair{4096, 4096} : pair{8192, 8192}));
        list.push_back(matrix(r, {1024, 1024}));
    } else {
        list.push_back(vector(r, on_host ? 1 << 26 : 1 << 28));
        list.push_back(vector(r, 1 << 20));
    }
}

std::vector<shape> quick_shapes(bool on_host) {
    if (on_host)
        return {product({256, 256, 256}),
                product({512, 512, 512}),
                product({1024, 1024, 1024}),
                matrix(routine::transpose, {2048, 2048}),
                vector(routine::sum, 1 << 24),
                vector(routine::axpy, 1 << 24)};
    return {product({128, 128, 128}),
            product({1024, 1024, 1024}),
            product({4096, 4096, 4096}),
            matrix(routine::transpose, {4096, 4096}),
            vector(routine::sum, 1 << 26),
            vector(routine::axpy, 1 << 26)};
}

// Sizes that were not given follow those that were.
shape fill_in(shape s, routine r) {
    constexpr int64_t default_side = 1024, default_length = 1 << 24;
    const routine_info& info = describe(r);
    s.routine = r;
    const bool is_vector = std::string(info.options).find('m') == std::string::npos;
    if (is_vector) {
        s.m = s.k = 0;
        s.n = s.n ? s.n : default_length;
        return s;
    }
    const int64_t given = s.m ? s.m : s.n ? s.n : s.k;
    const int64_t side = given ? given : default_side;
    s.m = s.m ? s.m : side;
    s.n = s.n ? s.n : side;
    if (r == routine::sgemm)
        s.k = s.k ? s.k : side;
    return s;
}

} // namespace

std::vector<shape> requested_shapes(const options& chosen, myblasBackend_t backend) {
    const bool on_host = backend == MYBLAS_BACKEND_HOST;
    std::vector<shape> list;
    if (chosen.sweep == sweep::quick)
        list = quick_shapes(on_host);
    for (const routine r : chosen.routines) {
        if (chosen.sweep == sweep::none)
            list.push_back(fill_in(chosen.sizes, r));
        else if (chosen.sweep == sweep::all_public)
            add_public(r, list);
        else if (chosen.sweep == sweep::ladder)
            add_ladder(r, on_host, list);
    }
    for (shape& s : list) {
        if (chosen.sweep != sweep::none) {
            s.offset = chosen.sizes.offset;
            if (s.routine == routine::transpose)
                s.element_bytes = chosen.sizes.element_bytes;
        }
        s = complete(s);
    }
    return list;
}

} // namespace bench
