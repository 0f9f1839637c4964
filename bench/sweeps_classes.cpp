#include "sweeps.h"

#include <utility>

namespace bench {
namespace {

// The product of a network's layer, column-major: A has the weights, which are often transposed,
// and C is outputs x samples.
struct layer {
    const char* name;
    bool transa;
    int64_t m, n, k, batch = 1;
};

constexpr layer layers[] = {
#include "network_layers.inc"
};

// alpha is usually 1, beta usually 0. With beta = 1 results are added up, with beta = 0.5 they
// enter a moving average.
void draw_scalars(size_source& draw, shape& s) {
    s.alpha = draw.draw_evenly(1, 4) == 1 ? 0.75f : 1.0f;
    const int64_t kind = draw.draw_evenly(1, 10);
    s.beta = kind == 1 ? 1.0f : kind == 2 ? 0.5f : 0.0f;
}

// Every other leading dimension is longer than the column, and one in eight products is off its
// alignment.
void draw_padding(size_source& draw, shape& s) {
    constexpr int64_t longest = 17;
    const auto pad = [&](int64_t rows) {
        return rows + (draw.flip() ? draw.draw_evenly(1, longest) : 0);
    };
    s.lda = pad(s.transa ? s.k : s.m);
    s.ldb = pad(s.transb ? s.n : s.k);
    s.ldc = pad(s.m);
    s.offset = draw.draw_evenly(1, 8) == 1 ? draw.draw_evenly(1, 3) : 0;
}

// Draws the sizes of a class. Sets the scalars of `updates`, which are not drawn.
void draw_sizes(size_source& draw, sweep of, bool on_host, shape& s) {
    const int64_t most = on_host ? 256 : 8192;
    const auto draw_side_and_others = [&](int64_t least, int64_t longest, int64_t least_of_others) {
        s.m = draw.draw(longest, least);
        s.n = draw.draw(most, least_of_others);
        s.k = draw.draw(most, least_of_others);
        if (draw.flip())
            std::swap(s.m, s.n);
    };
    switch (of) {
    case sweep::updates:
        s.m = draw.draw(most, 200), s.n = draw.draw(most, 200), s.k = draw.draw(256, 16);
        s.alpha = -1, s.beta = 1;
        break;
    case sweep::thin:
        draw_side_and_others(17, 160, on_host ? 160 : 300);
        break;
    case sweep::narrow:
        draw_side_and_others(1, 16, 64);
        break;
    case sweep::deep:
        s.m = draw.draw(128), s.n = draw.draw(128);
        s.k = on_host ? draw.draw(10'000, 1000) : draw.draw(4'000'000, 10'000);
        break;
    case sweep::batches:
        for (int64_t* size : {&s.m, &s.n, &s.k})
            *size = draw.draw(on_host ? 64 : 512, 4);
        s.batch = draw.draw(on_host ? 10 : 4000, 2);
        s.batch_gap = draw.draw_evenly(1, 4) == 1 ? draw.draw_evenly(1, 100) : 0;
        s.pointer_array = draw.flip();
        s.shuffled = s.pointer_array && draw.flip();
        break;
    case sweep::tall:
        s.m = on_host ? draw.draw(4000, 1000) : draw.draw(4'000'000, 20'000);
        s.n = draw.draw(16), s.k = draw.draw(512, 2);
        if (draw.flip())
            std::swap(s.m, s.n);
        break;
    default: // general
        s.m = draw.draw(most), s.n = draw.draw(most), s.k = draw.draw(most);
    }
}

// Whether the operands fit on a card with 80 GB, with room for other buffers.
bool is_measurable(const shape& s) {
    constexpr int64_t most_elements = int64_t{1} << 31;
    const operand_sizes count = count_elements(s);
    return count.a + count.b + count.c <= most_elements;
}

std::vector<shape> network_shapes() {
    std::vector<shape> list;
    for (const layer& l : layers)
        list.push_back({.transa = l.transa,
                        .m = l.m,
                        .n = l.n,
                        .k = l.k,
                        .batch = l.batch,
                        .of = sweep::networks});
    return list;
}

} // namespace

std::vector<shape> class_shapes(sweep of, bool on_host, uint64_t seed) {
    const size_t count = on_host ? 20 : 200;
    size_source draw(random_bits(seed, static_cast<uint64_t>(of)));
    std::vector<shape> list;
    if (of == sweep::networks) {
        list = network_shapes();
        if (on_host)
            shrink_for_host(list);
        return list;
    }
    while (list.size() < count) {
        shape s;
        s.of = of;
        s.transa = draw.flip(), s.transb = draw.flip();
        draw_sizes(draw, of, on_host, s);
        if (of != sweep::updates)
            draw_scalars(draw, s);
        draw_padding(draw, s);
        if (is_measurable(s))
            list.push_back(s);
    }
    return list;
}

} // namespace bench
