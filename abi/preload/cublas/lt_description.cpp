#include "cublas/lt_description.h"

#include <algorithm>
#include <cstdlib>

namespace myblas::preload {
namespace {

// ---- Values of cublasLt.h, 12 and 13 ------------------------------------------------------------

namespace matmul { // cublasLtMatmulDescAttributes_t
constexpr int compute = 0, scale_type = 1, pointer_mode = 2, transa = 3, transb = 4, transc = 5,
              fill_mode = 6, epilogue = 7, bias = 8, stride_bias = 10, aux = 11, ldaux = 12,
              stride_aux = 13, aux_type = 22, bias_type = 26;
constexpr int sm_count_target = 15;
// Attributes that must be zero for a call to be served: scale factors, their modes, largest values;
// counters of partial results. Some versions lack some of them.
// Attribute 38, an emulation descriptor, has no effect on floats (docs/porting.md).
constexpr int other_numbers[] = {27, 28, 31, 32, 33, 34, 35, 37};
constexpr int other_pointers[] = {17, 18, 19, 20, 21, 23, 24, 29, 30, 36};
} // namespace matmul

namespace layout { // cublasLtMatrixLayoutAttribute_t
constexpr int type = 0, order = 1, rows = 2, cols = 3, ld = 4, batch_count = 5, stride = 6,
              plane_offset = 7, batch_mode = 8;
} // namespace layout

constexpr int fill_full = 2;                                                 // cublasFillMode_t
constexpr int by_columns = 0, by_rows = 1;                                   // cublasLtOrder_t
constexpr uint32_t epilogue_plain = 1, epilogue_relu = 2, epilogue_bias = 4; // cublasLtEpilogue_t
constexpr uint32_t epilogue_gelu = 32, epilogue_aux = 128;
constexpr int same_type = -1; // a bias or auxiliary matrix has the type of D

struct lt_operation {
    const char* against; // why it is not served, or null
    arithmetic asked;
    bool transposes_a, transposes_b;
    int pointer_mode;
    int sm_count_target;
    myblasEpilogue_t epilogue;
};

struct lt_layout {
    const char* against;
    bool is_row_major;
    int64_t rows, cols, ld;
    int64_t batch_count, stride;
};

// ---- Attributes ---------------------------------------------------------------------------------

using getter = int (*)(const void*, int, void*, size_t, size_t*);

// The attribute's value; `otherwise` if this version does not know the attribute.
template <class T>
T attribute(getter get, const void* descriptor, int which, T otherwise) noexcept {
    T value{};
    size_t written = 0;
    return get(descriptor, which, &value, sizeof value, &written) == 0 ? value : otherwise;
}

bool is_float(int type) { return type == static_cast<int>(data_type::real_32f); }

const char* reason_against(getter get, const void* d) noexcept {
    const auto compute = static_cast<compute_type>(attribute(get, d, matmul::compute, -1));
    if (const char* reason = unless_fp32(compute))
        return reason;
    if (!is_float(attribute(get, d, matmul::scale_type, -1)))
        return "the scalars are not floats";
    const int mode = attribute(get, d, matmul::pointer_mode, -1);
    if (mode != MYBLAS_POINTER_MODE_HOST && mode != MYBLAS_POINTER_MODE_DEVICE)
        return "the scalars are vectors";
    bool has_more = attribute(get, d, matmul::transc, int{MYBLAS_OP_N}) != MYBLAS_OP_N ||
                    attribute(get, d, matmul::fill_mode, fill_full) != fill_full;
    for (const int trans : {matmul::transa, matmul::transb})
        has_more = has_more || attribute(get, d, trans, 0) > MYBLAS_OP_C;
    for (const int number : matmul::other_numbers)
        has_more = has_more || attribute(get, d, number, 0) != 0;
    for (const int pointer : matmul::other_pointers)
        has_more = has_more || attribute<const void*>(get, d, pointer, nullptr);
    return has_more ? "the description has more than libmyblas knows" : nullptr;
}

// False: libmyblas has no such epilogue.
bool read_epilogue(getter get, const void* d, myblasEpilogue_t* e) noexcept {
    const uint32_t epilogue = attribute(get, d, matmul::epilogue, epilogue_plain);
    const auto has = [&](uint32_t part) { return (epilogue & part) != 0; };
    constexpr uint32_t parts = epilogue_relu | epilogue_bias | epilogue_gelu | epilogue_aux;
    if (epilogue == epilogue_plain)
        return true;
    // The auxiliary matrix of ReLU consists of bits, which libmyblas does not write.
    if (epilogue == 0 || (epilogue & ~parts) != 0 || (has(epilogue_relu) && has(epilogue_gelu)) ||
        (has(epilogue_aux) && !has(epilogue_gelu)))
        return false;
    e->activation = has(epilogue_relu)   ? MYBLAS_ACTIVATION_RELU
                    : has(epilogue_gelu) ? MYBLAS_ACTIVATION_GELU
                                         : MYBLAS_ACTIVATION_NONE;
    const auto is_float_or_same = [&](int which) {
        const int type = attribute(get, d, which, same_type);
        return type == same_type || is_float(type);
    };
    if (has(epilogue_bias)) {
        e->bias = attribute<const float*>(get, d, matmul::bias, nullptr);
        e->stride_bias = attribute(get, d, matmul::stride_bias, int64_t{0});
        if (!e->bias || !is_float_or_same(matmul::bias_type))
            return false;
    }
    if (has(epilogue_aux)) {
        e->aux = attribute<float*>(get, d, matmul::aux, nullptr);
        e->ldaux = attribute(get, d, matmul::ldaux, int64_t{0});
        e->stride_aux = attribute(get, d, matmul::stride_aux, int64_t{0});
        if (!e->aux || !is_float_or_same(matmul::aux_type))
            return false;
    }
    return true;
}

lt_operation ask_operation(getter get, const void* d) noexcept {
    lt_operation p{};
    p.against = reason_against(get, d);
    p.asked = asked_by(static_cast<compute_type>(attribute(get, d, matmul::compute, -1)));
    p.pointer_mode = attribute(get, d, matmul::pointer_mode, 0);
    p.sm_count_target = attribute(get, d, matmul::sm_count_target, 0);
    p.transposes_a = attribute(get, d, matmul::transa, 0) != MYBLAS_OP_N;
    p.transposes_b = attribute(get, d, matmul::transb, 0) != MYBLAS_OP_N;
    p.epilogue.size_bytes = sizeof p.epilogue;
    if (!p.against && !read_epilogue(get, d, &p.epilogue))
        p.against = "the epilogue is none of libmyblas's";
    return p;
}

lt_layout ask_layout(getter get, const void* d) noexcept {
    lt_layout p{};
    const int order = attribute(get, d, layout::order, by_columns);
    p.is_row_major = order == by_rows;
    p.rows = attribute(get, d, layout::rows, int64_t{0});
    p.cols = attribute(get, d, layout::cols, int64_t{0});
    p.ld = attribute(get, d, layout::ld, int64_t{0});
    p.batch_count = attribute(get, d, layout::batch_count, 1);
    p.stride = attribute(get, d, layout::stride, int64_t{0});
    if (!is_float(attribute(get, d, layout::type, -1)))
        p.against = "not all operands are of floats";
    else if (order != by_columns && order != by_rows)
        p.against = "a matrix is stored neither by columns nor by rows";
    else if (attribute(get, d, layout::plane_offset, int64_t{0}) != 0 ||
             attribute(get, d, layout::batch_mode, 0) != 0)
        p.against = "a layout has more than libmyblas knows";
    return p;
}

// ---- The call -----------------------------------------------------------------------------------

lt_call combine(const lt_operation& o,
                const lt_layout& a,
                const lt_layout& b,
                const lt_layout& c,
                const lt_layout& d) noexcept {
    const int64_t rows_a = o.transposes_a ? a.cols : a.rows, k = o.transposes_a ? a.rows : a.cols;
    const int64_t rows_b = o.transposes_b ? b.cols : b.rows;
    const int64_t cols_b = o.transposes_b ? b.rows : b.cols;
    const bool swaps = d.is_row_major;
    // A matrix stored by rows is its transpose stored by columns.
    const bool turns_a = o.transposes_a != a.is_row_major,
               turns_b = o.transposes_b != b.is_row_major;
    const auto op = [](bool turns) { return turns ? MYBLAS_OP_T : MYBLAS_OP_N; };
    const lt_layout &first = swaps ? b : a, &second = swaps ? a : b;
    lt_call call = {.against = nullptr,
                    .asked = o.asked,
                    .swap_ab = swaps,
                    .transa = op(swaps ? !turns_b : turns_a),
                    .transb = op(swaps ? !turns_a : turns_b),
                    .m = swaps ? d.cols : d.rows,
                    .n = swaps ? d.rows : d.cols,
                    .k = k,
                    .lda = first.ld,
                    .ldb = second.ld,
                    .ldc = c.ld,
                    .ldd = d.ld,
                    .stride_a = first.stride,
                    .stride_b = second.stride,
                    .stride_c = c.stride,
                    .stride_d = d.stride,
                    .batch_count = d.batch_count,
                    .pointer_mode = o.pointer_mode,
                    .sm_count_target = o.sm_count_target,
                    .epilogue = o.epilogue};
    call.epilogue.bias_of = swaps ? MYBLAS_BIAS_OF_COLUMNS : MYBLAS_BIAS_OF_ROWS;
    for (const lt_layout* l : {&a, &b, &c, &d})
        call.against = first_of(call.against, l->against);
    call.against = first_of(call.against, o.against);
    bool fits = rows_a == d.rows && cols_b == d.cols && rows_b == k && c.rows == d.rows &&
                c.cols == d.cols && c.is_row_major == d.is_row_major;
    for (const lt_layout* l : {&a, &b, &c})
        fits = fits && l->batch_count == d.batch_count;
    // If D is stored by rows, it is not known how the auxiliary matrix is stored.
    if (!fits || (o.epilogue.aux && swaps))
        call.against =
            first_of(call.against, "the layouts do not go together, or in a way that is not known");
    return call;
}

// ---- Remembering --------------------------------------------------------------------------------

// Several blocks of words as one key.
struct block {
    const uint64_t* words;
    size_t count;
};

// Values by keys of at most `most_words` words. New values replace old values. All bytes are zero
// at first.
template <class Value, size_t most_words, size_t set_count>
class memory {
public:
    template <size_t blocks, class Find>
    const Value& of(const block (&key)[blocks], getter get, const Find& find) noexcept {
        set& s = sets_[hash(key) % set_count];
        for (const place& p : s.places)
            if (p.get == get && is_same(p, key))
                return p.value;
        place& p = s.places[s.next++ % ways];
        p.get = get;
        p.value = find();
        uint64_t* end = p.words;
        for (const block& b : key)
            end = std::copy_n(b.words, b.count, end);
        return p.value;
    }

private:
    static constexpr int ways = 4;
    struct place {
        getter get; // of the library that answered; null: the place is empty
        uint64_t words[most_words];
        Value value;
    };
    struct set {
        unsigned next; // the next place to use
        place places[ways];
    };

    // Multiplies pairs of words. The products are independent, so that they overlap.
    template <size_t blocks>
    static size_t hash(const block (&key)[blocks]) noexcept {
        constexpr uint64_t odd = 0x9e3779b97f4a7c15; // 2^64 by the golden ratio
        uint64_t sum = 0, salt = odd;
        for (const block& b : key)
            for (size_t i = 0; i + 1 < b.count; i += 2) {
                sum += (b.words[i] + salt) * (b.words[i + 1] ^ ~salt);
                salt += odd;
            }
        return (sum * odd) >> 40;
    }

    template <size_t blocks>
    static bool is_same(const place& p, const block (&key)[blocks]) noexcept {
        const uint64_t* words = p.words;
        uint64_t difference = 0;
        for (const block& b : key)
            for (size_t i = 0; i < b.count; ++i)
                difference |= *words++ ^ b.words[i];
        return difference == 0;
    }

    set sets_[set_count];
};

// An operation begins with the number of its format. The number is at most 4 in the smaller size.
// Early releases of version 12 have the smaller size, and so have programs that were compiled with
// their header.
block operation_block(const void* descriptor) noexcept {
    constexpr uint64_t last_early_format = 4;
    constexpr size_t words = 32, early_words = 23;
    const auto* const w = static_cast<const uint64_t*>(descriptor);
    return {w, w[0] <= last_early_format ? early_words : words};
}

constexpr size_t layout_words = 8, most_words = 32 + 4 * layout_words;

block layout_block(const void* layout) noexcept {
    return {static_cast<const uint64_t*>(layout), layout_words};
}

struct memories {
    memory<const char*, layout_words, 64> reasons;
    memory<lt_call, most_words, 256> calls;
};

// The memory of this thread; null: out of memory. The system provides pages when they are first
// written.
memories* own_memories() noexcept {
    struct owner {
        memories* all = nullptr;
        ~owner() {
            std::free(all);
            all = nullptr;
        }
    };
    static thread_local owner own;
    if (!own.all)
        own.all = static_cast<memories*>(std::calloc(1, sizeof(memories)));
    return own.all;
}

} // namespace

const char* reason_against_layout(const real_lt& real, const void* layout_a) noexcept {
    const getter get = real.get_layout_attribute;
    const auto ask = [=] { return ask_layout(get, layout_a).against; };
    memories* const m = own_memories();
    return m ? m->reasons.of({layout_block(layout_a)}, get, ask) : ask();
}

lt_operation_copy::lt_operation_copy(const real_lt& real, const void* descriptor) noexcept
    : real_(real) {
    const block words = operation_block(descriptor);
    std::copy_n(words.words, words.count, words_);
}

bool lt_operation_copy::set_compute(compute_type compute) noexcept {
    return real_.set_matmul_attribute &&
           real_.set_matmul_attribute(words_, matmul::compute, &compute, sizeof compute) == 0;
}

void lt_operation_copy::complete_epilogue() noexcept {
    static float stand_in;
    const void* const pointer = &stand_in;
    const getter get = real_.get_matmul_attribute;
    const uint32_t epilogue = attribute(get, words_, matmul::epilogue, epilogue_plain);
    const auto complete = [&](uint32_t part, int which) {
        if ((epilogue & part) != 0 && !attribute<const void*>(get, words_, which, nullptr) &&
            real_.set_matmul_attribute)
            real_.set_matmul_attribute(words_, which, &pointer, sizeof pointer);
    };
    complete(epilogue_bias, matmul::bias);
    complete(epilogue_aux, matmul::aux);
}

const lt_call& call_of(const real_lt& real, const lt_descriptors& d) noexcept {
    const auto ask = [&] {
        const getter get = real.get_layout_attribute;
        return combine(ask_operation(real.get_matmul_attribute, d.operation),
                       ask_layout(get, d.a),
                       ask_layout(get, d.b),
                       ask_layout(get, d.c),
                       ask_layout(get, d.d));
    };
    if (memories* const m = own_memories())
        return m->calls.of({operation_block(d.operation),
                            layout_block(d.a),
                            layout_block(d.b),
                            layout_block(d.c),
                            layout_block(d.d)},
                           real.get_matmul_attribute,
                           ask);
    static thread_local lt_call unplaced;
    unplaced = ask();
    return unplaced;
}

} // namespace myblas::preload
