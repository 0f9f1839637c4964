// The lists of shapes. Published lists only grow, at their end, so that results stay comparable.
#include "errors.h"
#include "options.h"
#include "size_source.h"
#include "sweeps_blas.h"
#include "sweeps_classes.h"

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

struct pair {
    int64_t m, n;
};

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

shape fused(const triple& size, bool transa, myblasActivation_t activation) {
    shape s = product(size, transa);
    s.routine = routine::sgemm_fused;
    s.activation = activation;
    return s;
}

shape sums(const pair& size, bool transposed) {
    shape s = matrix(routine::gemsum, size);
    s.transa = transposed;
    return s;
}

shape bytes(int64_t n, data_kind data) {
    shape s = vector(routine::histogram, n);
    s.data = data;
    return s;
}

bool is_matrix_move(routine r) { return r == routine::transpose || r == routine::geam; }

void append(std::vector<shape>& list, const std::vector<shape>& more) {
    list.insert(list.end(), more.begin(), more.end());
}

void add_public_fused(std::vector<shape>& list) {
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
}

void add_public(routine r, bool on_host, std::vector<shape>& list) {
    if (is_matrix_blas(r)) {
        append(list, public_blas_shapes(r, on_host));
    } else if (r == routine::sgemm) {
        for (const int64_t size : sgemm_squares)
            for (const bool transb : {false, true})
                for (const bool transa : {false, true})
                    if (size <= sgemm_largest_all_forms || (!transa && !transb))
                        list.push_back(product({size, size, size}, transa, transb));
        for (const triple& size : sgemm_rectangles) {
            list.push_back(product(size));
            list.push_back(product(size, true, false));
        }
    } else if (r == routine::sgemm_fused) {
        add_public_fused(list);
    } else if (is_matrix_move(r)) {
        for (const pair& size : transpose_shapes)
            list.push_back(matrix(r, size));
    } else if (r == routine::gemsum) {
        for (const pair& size : gemsum_shapes)
            for (const bool transposed : {false, true})
                list.push_back(sums(size, transposed));
    } else if (r == routine::histogram) {
        for (const int64_t n : histogram_lengths)
            for (const data_kind data :
                 {data_kind::uniform, data_kind::skewed, data_kind::constant})
                list.push_back(bytes(n, data));
    } else {
        for (const int64_t n : vector_lengths)
            list.push_back(vector(r, n));
    }
}

// The part of a list that is small enough for tests on the host.
struct bounds {
    int64_t product_side, matrix_side, elements, batch, ragged_side;
};
constexpr bounds device_bounds = {8192, 10'000'000, int64_t{1} << 30, 1000, 300};
constexpr bounds host_bounds = {256, 10'000, int64_t{1} << 20, 10, 60};

void add_misaligned(routine r, bool on_host, std::vector<shape>& list) {
    std::vector<shape> aligned;
    add_public(r, on_host, aligned);
    if (has_matrix(r))
        for (shape s : aligned) {
            s.ld_pad = 1;
            list.push_back(s);
        }
    for (shape s : aligned) {
        s.offset = 1;
        list.push_back(s);
    }
}

void add_random(
    routine r, bool on_host, const bounds& most, uint64_t seed, std::vector<shape>& list) {
    constexpr int count = 1000;
    if (is_matrix_blas(r)) {
        append(list, random_blas_shapes(r, on_host, seed));
        return;
    }
    size_source sizes(seed);
    for (int i = 0; i < count; ++i) {
        if (counts_flops(r)) {
            const int64_t m = sizes.draw(most.product_side), n = sizes.draw(most.product_side);
            const int64_t k = sizes.draw(most.product_side);
            const bool transa = sizes.flip(), transb = sizes.flip();
            list.push_back(product({m, n, k}, transa, transb));
            list.back().routine = r;
        } else if (r == routine::gemsum || is_matrix_move(r)) {
            pair size;
            do {
                size.m = sizes.draw(most.matrix_side);
                size.n = sizes.draw(most.matrix_side);
            } while (size.m * size.n > most.elements);
            list.push_back(matrix(r, size));
            if (r == routine::gemsum)
                list.back().transa = sizes.flip();
        } else {
            list.push_back(vector(r, sizes.draw(most.elements)));
        }
    }
}

void add_batched(routine r, const bounds& most, uint64_t seed, std::vector<shape>& list) {
    if (r != routine::sgemm)
        return;
    for (const bool by_pointers : {false, true})
        for (const bool transa : {false, true})
            for (const int64_t side : batched_sides) {
                shape s = product({side, side, side}, transa);
                s.batch = most.batch;
                s.pointer_array = by_pointers;
                list.push_back(s);
            }
    size_source sizes(seed);
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
}

void add_bare(routine r, bool on_host, std::vector<shape>& list) {
    if (r != routine::sgemm)
        return;
    const auto add = [&](std::span<const triple> sizes) {
        for (const triple& size : sizes)
            for (const bool transa : {false, true})
                list.push_back(product(size, transa));
    };
    if (on_host)
        add(bare_host_shapes);
    else
        add(bare_shapes);
}

void add_elements(routine r, std::vector<shape>& list) {
    if (r != routine::transpose)
        return;
    for (const int bytes : {1, 2, 8, 16})
        for (const pair& size : transpose_shapes) {
            list.push_back(matrix(r, size));
            list.back().element_bytes = bytes;
        }
}

void add_in_place(routine r, std::vector<shape>& list) {
    if (r != routine::transpose)
        return;
    const auto add = [&](const pair& size) {
        list.push_back(matrix(r, size));
        list.back().in_place = true;
    };
    for (const pair& size : transpose_shapes)
        if (size.m == size.n)
            add(size);
    for (const pair& size : in_place_rectangles)
        add(size);
}

void add_powers(routine r, const bounds& most, std::vector<shape>& list) {
    if (has_matrix(r))
        return;
    for (int64_t n = 1; n <= most.elements; n *= 2)
        list.push_back(vector(r, n));
}

// The showcase first, then a size that fits the caches. The third product is one whose k fits a
// kernel that keeps whole rows in shared memory. A host takes smaller ones.
void add_ladder(routine r, bool on_host, std::vector<shape>& list) {
    if (r == routine::sgemm_fused) // sgemm's kernels compute it
        return;
    if (r == routine::sgemm) {
        if (on_host) {
            list.push_back(product({1024, 1024, 1024}));
            list.push_back(product({256, 256, 256}));
        } else {
            list.push_back(product({4096, 4096, 4096}));
            list.push_back(product({1024, 1024, 1024}));
            list.push_back(product({4096, 4096, 128}));
        }
    } else if (is_matrix_blas(r)) {
        for (const int64_t side : {on_host ? 512 : 4096, on_host ? 128 : 1024}) {
            list.push_back(matrix(r, {side, side}));
            list.back().k = side;
        }
    } else if (is_matrix_move(r)) {
        list.push_back(matrix(r, on_host ? pair{4096, 4096} : pair{8192, 8192}));
        list.push_back(matrix(r, {1024, 1024}));
    } else if (r == routine::gemsum) {
        for (const bool transposed : {false, true})
            list.push_back(sums(on_host ? pair{4096, 4096} : pair{8192, 8192}, transposed));
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

std::vector<shape> sweep_shapes(sweep wanted, routine r, const options& chosen, bool on_host) {
    const bounds& most = on_host ? host_bounds : device_bounds;
    std::vector<shape> list;
    switch (wanted) {
    case sweep::quick:
        return quick_shapes(on_host);
    case sweep::ladder:
        add_ladder(r, on_host, list);
        break;
    case sweep::all_public:
        add_public(r, on_host, list);
        if (r == routine::sgemm && !on_host)
            for (const triple& size : sgemm_huge)
                list.push_back(product(size));
        break;
    case sweep::misaligned:
        add_misaligned(r, on_host, list);
        break;
    case sweep::random:
        add_random(r, on_host, most, chosen.seed, list);
        break;
    case sweep::batched:
        add_batched(r, most, chosen.seed, list);
        break;
    case sweep::bare:
        add_bare(r, on_host, list);
        break;
    case sweep::elements:
        add_elements(r, list);
        break;
    case sweep::in_place:
        add_in_place(r, list);
        break;
    case sweep::powers:
        add_powers(r, most, list);
        break;
    default:
        if (r == routine::sgemm)
            list = class_shapes(wanted, on_host, chosen.seed);
    }
    if (list.empty())
        throw usage_error(
            fmt::format("one of the sweeps has no shapes for {}: drop one", describe(r).name));
    return list;
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
            const auto shapes = sweep_shapes(wanted, chosen.routines[i], chosen, on_host);
            for (size_t j = 0; j < shapes.size(); j += static_cast<size_t>(chosen.every)) {
                shape s = shapes[j];
                apply(chosen.sizes, s);
                list.push_back(complete(s));
            }
        }
    return list;
}

} // namespace bench
