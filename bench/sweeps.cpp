// The lists of shapes. Published lists only grow, at their end, so that results stay comparable.
#include "sweeps.h"

#include "errors.h"
#include "options.h"

#include <fmt/format.h>

#include <span>

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

// Products with operands of 2^30 elements and more: all three, then C, A or B alone. Only a public
// sweep on a GPU has them, because they take seconds and much memory.
constexpr triple sgemm_huge[] = {
    {32768, 32768, 32768},
    {40960, 40960, 40960},
    {65536, 20480, 256},
    {1048576, 256, 1280},
    {256, 1048576, 1280},
};

// Fused products: squares, then linear layers. Each is measured as TN with every activation,
// squares also as NN.
constexpr int64_t fused_squares[] = {1024, 1500, 2048, 3072, 4096, 8192};
constexpr triple fused_layers[] = {
    {4096, 512, 4096}, {1024, 4096, 1024}, {50257, 256, 768}, {1001, 777, 333}};

// clang-format off
constexpr pair transpose_shapes[] = {
    {64, 64}, {256, 256}, {512, 512}, {1024, 1024}, {2048, 2048}, {4096, 4096}, {4097, 4097},
    {8191, 8191}, {8192, 8192}, {16384, 16384}, {32768, 32768}, {64, 1048576}, {1048576, 64},
    {3, 16777216}, {16777216, 3}, {1000, 100000},
};
// clang-format on

// In place: the squares above, and rectangles that are tight.
constexpr pair in_place_rectangles[] = {{64, 1048576}, {1048576, 64}, {1000, 100000}};

constexpr int64_t batched_sides[] = {16, 32, 64, 128, 256};
constexpr int64_t least_ragged_side = 4; // of batches; bounds has the largest
constexpr int ragged_batches = 30;       // by strides, and as many by pointers

// Each as NN and TN. On a host, sizes are smaller.
// clang-format off
constexpr triple bare_shapes[] = {
    {1024, 1024, 1024}, {1536, 1536, 1536}, {2048, 2048, 2048}, {2500, 2500, 2500},
    {3072, 3072, 3072}, {3584, 3584, 3584}, {4096, 4096, 4096}, {6000, 6000, 6000},
    {8192, 8192, 8192}, {16384, 16384, 16384}, {50257, 256, 768}, {4096, 4096, 11008},
};
// clang-format on
constexpr triple bare_host_shapes[] = {{64, 64, 64}, {100, 100, 100}, {300, 32, 48}};

// clang-format off
constexpr pair gemsum_shapes[] = {
    {128, 128}, {1024, 1024}, {8192, 8192}, {8191, 8193}, {64, 1048576}, {1048576, 64},
    {3, 16777216}, {16777216, 3},
};
// clang-format on

constexpr int64_t histogram_lengths[] = {1 << 16, 1 << 20, 1 << 24, 1 << 28, 1 << 30};

constexpr int64_t vector_lengths[] = {
    1, 1000, 16384, 131072, 1048576, 4194304, 16777216, 67108864, 268435456, 1073741824};

shape product(const triple& size, bool transa = false, bool transb = false) {
    return {.transa = transa, .transb = transb, .m = size.m, .n = size.n, .k = size.k};
}

// geam in the form that moves like a transpose.
shape matrix(routine r, const pair& size) {
    return {.routine = r, .transa = r == routine::geam, .m = size.m, .n = size.n};
}

shape vector(routine r, int64_t n) { return {.routine = r, .n = n}; }

shape fused(const triple& size, bool transa, myblasActivation_t activation) {
    shape s = product(size, transa);
    s.routine = routine::sgemm_fused;
    s.activation = activation;
    return s;
}

shape sums(const pair& size, bool transposed) {
    return {.routine = routine::gemsum, .transa = transposed, .m = size.m, .n = size.n};
}

bool is_matrix_move(routine r) { return r == routine::transpose || r == routine::geam; }

using shapes = std::vector<shape>;

// What a list is of.
struct request {
    routine r;
    bool on_host;
    uint64_t seed;
};

// The largest sizes.
struct bounds {
    int64_t product_side, matrix_side, elements, batch, ragged_side;
};
constexpr bounds bounds_of(bool on_host) {
    return on_host ? bounds{256, 10'000, int64_t{1} << 20, 10, 60}
                   : bounds{8192, 10'000'000, int64_t{1} << 30, 1000, 300};
}

shapes public_fused() {
    shapes list;
    const auto add_layer = [&](const triple& size) {
        for (const named<myblasActivation_t>& activation : activations)
            list.push_back(fused(size, true, activation.value));
    };
    for (const int64_t size : fused_squares) {
        add_layer({size, size, size});
        list.push_back(fused({size, size, size}, false, MYBLAS_ACTIVATION_NONE));
    }
    for (const triple& size : fused_layers)
        add_layer(size);
    return list;
}

shapes public_products() {
    shapes list;
    for (const int64_t size : sgemm_squares)
        for (const bool transb : {false, true})
            for (const bool transa : {false, true})
                if (size <= sgemm_largest_all_forms || (!transa && !transb))
                    list.push_back(product({size, size, size}, transa, transb));
    for (const triple& size : sgemm_rectangles)
        for (const bool transa : {false, true})
            list.push_back(product(size, transa));
    return list;
}

shapes public_shapes(const request& of) {
    if (is_matrix_blas(of.r))
        return public_blas_shapes(of.r, of.on_host);
    if (of.r == routine::sgemm)
        return public_products();
    if (of.r == routine::sgemm_fused)
        return public_fused();
    shapes list;
    if (is_matrix_move(of.r)) {
        for (const pair& size : transpose_shapes)
            list.push_back(matrix(of.r, size));
    } else if (of.r == routine::gemsum) {
        for (const pair& size : gemsum_shapes)
            for (const bool transposed : {false, true})
                list.push_back(sums(size, transposed));
    } else if (of.r == routine::histogram) {
        for (const int64_t n : histogram_lengths)
            for (const data_kind data :
                 {data_kind::uniform, data_kind::skewed, data_kind::constant})
                list.push_back({.routine = of.r, .n = n, .data = data});
    } else {
        for (const int64_t n : vector_lengths)
            list.push_back(vector(of.r, n));
    }
    return list;
}

shapes all_public(const request& of) {
    shapes list = public_shapes(of);
    if (of.r == routine::sgemm && !of.on_host)
        for (const triple& size : sgemm_huge)
            list.push_back(product(size));
    return list;
}

shapes misaligned(const request& of) {
    shapes padded, moved = public_shapes(of);
    if (has_matrix(of.r))
        padded = moved;
    for (shape& s : padded)
        s.ld_pad = 1;
    for (shape& s : moved)
        s.offset = 1;
    padded.insert(padded.end(), moved.begin(), moved.end());
    return padded;
}

shape random_shape(routine r, const bounds& most, size_source& sizes) {
    if (counts_flops(r)) {
        const int64_t m = sizes.draw(most.product_side), n = sizes.draw(most.product_side);
        const int64_t k = sizes.draw(most.product_side);
        const bool transa = sizes.flip(), transb = sizes.flip();
        shape s = product({m, n, k}, transa, transb);
        s.routine = r;
        return s;
    }
    if (r != routine::gemsum && !is_matrix_move(r))
        return vector(r, sizes.draw(most.elements));
    pair size;
    do {
        size.m = sizes.draw(most.matrix_side);
        size.n = sizes.draw(most.matrix_side);
    } while (size.m * size.n > most.elements);
    return r == routine::gemsum ? sums(size, sizes.flip()) : matrix(r, size);
}

shapes random_shapes(const request& of) {
    if (is_matrix_blas(of.r))
        return random_blas_shapes(of.r, of.on_host, of.seed);
    constexpr int count = 1000;
    size_source sizes(of.seed);
    shapes list;
    for (int i = 0; i < count; ++i)
        list.push_back(random_shape(of.r, bounds_of(of.on_host), sizes));
    return list;
}

shapes batched(const request& of) {
    shapes list;
    const bounds most = bounds_of(of.on_host);
    for (const bool by_pointers : {false, true})
        for (const bool transa : {false, true})
            for (const int64_t side : batched_sides) {
                shape s = product({side, side, side}, transa);
                s.batch = most.batch;
                s.pointer_array = by_pointers;
                list.push_back(s);
            }
    size_source sizes(of.seed);
    const auto side = [&] { return sizes.draw(most.ragged_side, least_ragged_side); };
    for (int i = 0; i < ragged_batches; ++i) {
        const int64_t m = side(), n = side(), k = side();
        const bool transa = sizes.flip(), transb = sizes.flip();
        shape s = product({m, n, k}, transa, transb);
        s.batch = sizes.draw(most.batch, 2);
        for (const bool by_pointers : {false, true}) {
            s.pointer_array = by_pointers;
            list.push_back(s);
        }
    }
    return list;
}

shapes bare(bool on_host) {
    shapes list;
    for (const triple& size : on_host ? std::span<const triple>(bare_host_shapes) : bare_shapes)
        for (const bool transa : {false, true})
            list.push_back(product(size, transa));
    return list;
}

shapes elements() {
    shapes list;
    for (const int bytes : {1, 2, 8, 16})
        for (const auto& [m, n] : transpose_shapes)
            list.push_back({.routine = routine::transpose, .m = m, .n = n, .element_bytes = bytes});
    return list;
}

shapes in_place() {
    shapes list;
    for (const auto& [m, n] : transpose_shapes)
        if (m == n)
            list.push_back({.routine = routine::transpose, .m = m, .n = n, .in_place = true});
    for (const auto& [m, n] : in_place_rectangles)
        list.push_back({.routine = routine::transpose, .m = m, .n = n, .in_place = true});
    return list;
}

shapes powers(const request& of) {
    shapes list;
    for (int64_t n = 1; n <= bounds_of(of.on_host).elements; n *= 2)
        list.push_back(vector(of.r, n));
    return list;
}

// The showcase first, then a size that fits the caches. The third product is one whose k fits a
// kernel that keeps whole rows in shared memory.
shapes ladder(const request& of) {
    const bool on_host = of.on_host;
    const pair large = on_host ? pair{4096, 4096} : pair{8192, 8192};
    if (of.r == routine::sgemm_fused) // sgemm's kernels compute it
        return {};
    if (of.r == routine::sgemm && on_host)
        return {product({1024, 1024, 1024}), product({256, 256, 256})};
    if (of.r == routine::sgemm)
        return {
            product({4096, 4096, 4096}), product({1024, 1024, 1024}), product({4096, 4096, 128})};
    if (is_matrix_move(of.r))
        return {matrix(of.r, large), matrix(of.r, {1024, 1024})};
    if (of.r == routine::gemsum)
        return {sums(large, false), sums(large, true)};
    if (!is_matrix_blas(of.r))
        return {vector(of.r, on_host ? 1 << 26 : 1 << 28), vector(of.r, 1 << 20)};
    shapes list;
    for (const int64_t n : {on_host ? 512 : 4096, on_host ? 128 : 1024})
        list.push_back({.routine = of.r, .m = n, .n = n, .k = n});
    return list;
}

shapes quick(bool on_host) {
    shapes list;
    for (const int64_t n : {on_host ? 256 : 128, on_host ? 512 : 1024, on_host ? 1024 : 4096})
        list.push_back(product({n, n, n}));
    const int64_t side = on_host ? 2048 : 4096, length = on_host ? 1 << 24 : 1 << 26;
    list.push_back(matrix(routine::transpose, {side, side}));
    list.push_back(vector(routine::sum, length));
    list.push_back(vector(routine::axpy, length));
    return list;
}

// Sizes that were not given are 0, and are derived from the others.
shape fill_in(shape s, const triple& given) {
    constexpr int64_t default_side = 1024, default_length = 1 << 24;
    if (!has_matrix(s.routine)) {
        s.n = given.n ? given.n : default_length;
        return s;
    }
    const int64_t first = given.m ? given.m : given.n ? given.n : given.k;
    const int64_t side = first ? first : default_side;
    s.m = given.m ? given.m : side;
    s.n = given.n ? given.n : side;
    s.k = given.k ? given.k : side;
    return s;
}

// The shapes of a command line without a sweep.
void add_given(const options& chosen, routine r, std::vector<shape>& list) {
    const auto or_none = [](const std::vector<int64_t>& sizes) {
        return sizes.empty() ? std::vector<int64_t>{0} : sizes;
    };
    shape s = chosen.sizes;
    s.routine = r;
    for (const int64_t m : or_none(chosen.sides.m))
        for (const int64_t n : or_none(chosen.sides.n))
            for (const int64_t k : or_none(chosen.sides.k))
                list.push_back(complete(fill_in(s, {m, n, k})));
}

// Empty: the routine is not in the sweep.
shapes list_of(sweep wanted, const request& of) {
    switch (wanted) {
    case sweep::quick:
        return quick(of.on_host);
    case sweep::ladder:
        return ladder(of);
    case sweep::all_public:
        return all_public(of);
    case sweep::misaligned:
        return misaligned(of);
    case sweep::random:
        return random_shapes(of);
    case sweep::elements:
        return of.r == routine::transpose ? elements() : shapes();
    case sweep::in_place:
        return of.r == routine::transpose ? in_place() : shapes();
    case sweep::powers:
        return has_matrix(of.r) ? shapes() : powers(of);
    default:
        break;
    }
    if (of.r != routine::sgemm)
        return {};
    return wanted == sweep::batched ? batched(of)
           : wanted == sweep::bare  ? bare(of.on_host)
                                    : class_shapes(wanted, of.on_host, of.seed);
}

// Applies the options that change all shapes of a sweep.
void apply(const shape& given, shape& s) {
    const shape plain;
    if (given.offset != plain.offset)
        s.offset = given.offset;
    if (given.ld_pad != plain.ld_pad)
        s.ld_pad = given.ld_pad;
    if (given.element_bytes != plain.element_bytes)
        s.element_bytes = given.element_bytes;
}

} // namespace

std::vector<shape> requested_shapes(const options& chosen, myblasBackend_t backend) {
    const bool on_host = backend == MYBLAS_BACKEND_HOST;
    std::vector<shape> list;
    if (chosen.sweeps.empty())
        for (const routine r : chosen.routines)
            add_given(chosen, r, list);
    // --quick has a fixed list of routines.
    const size_t routine_lists = chosen.has(sweep::quick) ? 1 : chosen.routines.size();
    for (size_t i = 0; i < routine_lists; ++i)
        for (const sweep wanted : chosen.sweeps) {
            const routine r = chosen.routines[i];
            const shapes all = list_of(wanted, {r, on_host, chosen.seed});
            if (all.empty())
                throw usage_error(fmt::format("one of the sweeps has no shapes for {}: drop one",
                                              describe(r).name));
            for (size_t j = 0; j < all.size(); j += static_cast<size_t>(chosen.every)) {
                shape s = all[j];
                apply(chosen.sizes, s);
                list.push_back(complete(s));
            }
        }
    return list;
}

} // namespace bench
