#include "cublas/lt_description.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace myblas::preload {
namespace {

// ---- Values of cublasLt.h, 12 and 13 -----------------------------------------------------------------

namespace matmul { // cublasLtMatmulDescAttributes_t
constexpr int compute = 0, scale_type = 1, pointer_mode = 2, transa = 3, transb = 4, transc = 5,
              fill_mode = 6, epilogue = 7, bias = 8, stride_bias = 10, aux = 11, ldaux = 12,
              stride_aux = 13, aux_type = 22, bias_type = 26;
// What is not served unless it is zero: a target of multiprocessors; scale factors, their modes, largest values;
// counters of partial results; emulation. Some are unknown to some versions.
constexpr int other_numbers[] = {15, 27, 28, 31, 32, 33, 34, 35, 37};
constexpr int other_pointers[] = {17, 18, 19, 20, 21, 23, 24, 29, 30, 36, 38};
} // namespace matmul

namespace layout { // cublasLtMatrixLayoutAttribute_t
constexpr int type = 0, order = 1, rows = 2, cols = 3, ld = 4, batch_count = 5, stride = 6,
              plane_offset = 7, batch_mode = 8;
} // namespace layout

constexpr int fill_full = 2;                                                       // cublasFillMode_t
constexpr int by_columns = 0, by_rows = 1;                                         // cublasLtOrder_t
constexpr uint32_t epilogue_plain = 1, epilogue_relu = 2, epilogue_bias = 4;       // cublasLtEpilogue_t
constexpr uint32_t epilogue_gelu = 32, epilogue_aux = 128;
constexpr int same_type = -1; // of a bias or auxiliary matrix: that of D

// ---- Attributes ----------------------------------------------------------------------------------------

using getter = int (*)(const void*, int, void*, size_t, size_t*);

// `otherwise` for what this version does not know.
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
    for (const int number : matmul::other_numbers)
        has_more = has_more || attribute(get, d, number, 0) != 0;
    for (const int pointer : matmul::other_pointers)
        has_more = has_more || attribute<const void*>(get, d, pointer, nullptr);
    return has_more ? "the description has more than libmyblas knows" : nullptr;
}

// The epilogue; false: libmyblas has no such one.
bool read_epilogue(getter get, const void* d, lt_operation* p) noexcept {
    const uint32_t epilogue = attribute(get, d, matmul::epilogue, epilogue_plain);
    const auto has = [&](uint32_t part) { return (epilogue & part) != 0; };
    const bool has_bias = has(epilogue_bias), has_aux = has(epilogue_aux);
    p->is_relu = has(epilogue_relu);
    p->is_gelu = has(epilogue_gelu);
    constexpr uint32_t known =
        epilogue_plain | epilogue_relu | epilogue_bias | epilogue_gelu | epilogue_aux;
    if ((epilogue & ~known) != 0 || (p->is_relu && p->is_gelu))
        return false;
    if (has(epilogue_plain) != (epilogue == epilogue_plain))
        return false;
    // The auxiliary matrix of ReLU has bits.
    if (has_aux && !p->is_gelu)
        return false;
    const auto is_own_type = [&](int which) {
        const int type = attribute(get, d, which, same_type);
        return type == same_type || is_float(type);
    };
    if (has_bias) {
        p->bias = attribute<const float*>(get, d, matmul::bias, nullptr);
        p->stride_bias = attribute(get, d, matmul::stride_bias, int64_t{0});
        if (!p->bias || !is_own_type(matmul::bias_type))
            return false;
    }
    if (has_aux) {
        p->aux = attribute<float*>(get, d, matmul::aux, nullptr);
        p->ldaux = attribute(get, d, matmul::ldaux, int64_t{0});
        p->stride_aux = attribute(get, d, matmul::stride_aux, int64_t{0});
        if (!p->aux || !is_own_type(matmul::aux_type))
            return false;
    }
    return true;
}

lt_operation ask_operation(getter get, const void* d) noexcept {
    lt_operation p{};
    p.against = reason_against(get, d);
    p.pointer_mode = attribute(get, d, matmul::pointer_mode, 0);
    p.transposes_a = attribute(get, d, matmul::transa, 0) != MYBLAS_OP_N;
    p.transposes_b = attribute(get, d, matmul::transb, 0) != MYBLAS_OP_N;
    if (!p.against && !read_epilogue(get, d, &p))
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

// ---- Remembering ------------------------------------------------------------------------------------------

// Values by the words of a key; new ones take the places of old ones.
template <class Value, size_t most_words>
class memory {
public:
    template <class Find>
    Value of(const uint64_t* key, size_t words, getter get, const Find& find) noexcept {
        place* const set = places_[hash(key, words) % set_count];
        for (int i = 0; i < ways; ++i)
            if (set[i].get == get && set[i].words == words &&
                std::memcmp(set[i].key, key, words * sizeof *key) == 0)
                return set[i].value;
        place& oldest = set[ways - 1];
        std::rotate(set, &oldest, set + ways);
        *set = {get, words, {}, find()};
        std::copy_n(key, words, set->key);
        return set->value;
    }

private:
    // Four sums beside each other, so that no multiplication waits for the one before.
    static size_t hash(const uint64_t* key, size_t words) noexcept {
        constexpr uint64_t odd = 0x9e3779b97f4a7c15; // 2^64 by the golden ratio
        constexpr size_t lanes = 4;
        uint64_t sums[lanes] = {};
        for (size_t i = 0; i < words; ++i)
            sums[i % lanes] = (std::rotl(sums[i % lanes], 23) ^ key[i]) * odd;
        const uint64_t all = (sums[0] ^ std::rotl(sums[1], 16)) + (sums[2] ^ std::rotl(sums[3], 32));
        return (all * odd) >> 40;
    }

    static constexpr int set_count = 64, ways = 4;
    struct place {
        getter get; // of the library that answered; null: the place is empty
        size_t words;
        uint64_t key[most_words];
        Value value;
    };
    place places_[set_count][ways] = {};
};

constexpr size_t layout_words = 8;
constexpr size_t matmul_words = 32;      // from 12.2 on
constexpr size_t early_matmul_words = 23; // 12.0, 12.1, and programs that were compiled with their header

// A descriptor begins with the number of its format, which has been 4 in the smaller size.
size_t words_of(const uint64_t* descriptor) noexcept {
    constexpr uint64_t last_early_format = 4;
    return descriptor[0] <= last_early_format ? early_matmul_words : matmul_words;
}

struct memories {
    memory<lt_operation, matmul_words> operations;
    memory<lt_layout, layout_words> layouts;
};

memories* own_memories() noexcept {
    struct owner {
        memories* all = nullptr;
        ~owner() {
            delete all;
            all = nullptr;
        }
    };
    static thread_local owner own;
    if (!own.all)
        own.all = new (std::nothrow) memories;
    return own.all;
}

} // namespace

lt_operation operation_of(const real_lt& real, const void* descriptor) noexcept {
    const getter get = real.get_matmul_attribute;
    const auto ask = [=] { return ask_operation(get, descriptor); };
    const auto* const key = static_cast<const uint64_t*>(descriptor);
    memories* const m = own_memories();
    return m ? m->operations.of(key, words_of(key), get, ask) : ask();
}

lt_layout layout_of(const real_lt& real, const void* descriptor) noexcept {
    const getter get = real.get_layout_attribute;
    const auto ask = [=] { return ask_layout(get, descriptor); };
    const auto* const key = static_cast<const uint64_t*>(descriptor);
    memories* const m = own_memories();
    return m ? m->layouts.of(key, layout_words, get, ask) : ask();
}

lt_product product_of(const lt_operation& o,
                      const lt_layout& a,
                      const lt_layout& b,
                      const lt_layout& c,
                      const lt_layout& d) noexcept {
    lt_product p{};
    for (const lt_layout* l : {&a, &b, &c, &d})
        p.against = first_of(p.against, l->against);
    p.against = first_of(p.against, o.against);
    if (p.against)
        return p;
    const int64_t rows_a = o.transposes_a ? a.cols : a.rows, k = o.transposes_a ? a.rows : a.cols;
    const int64_t rows_b = o.transposes_b ? b.cols : b.rows;
    const int64_t cols_b = o.transposes_b ? b.rows : b.cols;
    const bool fits = rows_a == d.rows && cols_b == d.cols && rows_b == k && c.rows == d.rows &&
                      c.cols == d.cols && a.batch_count == d.batch_count &&
                      b.batch_count == d.batch_count && c.batch_count == d.batch_count;
    if (!fits || c.is_row_major != d.is_row_major) {
        p.against = "the layouts do not go together, or in a way that is not known";
        return p;
    }
    // A matrix by rows is its transpose by columns.
    const operation op_a = o.transposes_a != a.is_row_major ? MYBLAS_OP_T : MYBLAS_OP_N;
    const operation op_b = o.transposes_b != b.is_row_major ? MYBLAS_OP_T : MYBLAS_OP_N;
    const auto other = [](operation op) { return op == MYBLAS_OP_N ? MYBLAS_OP_T : MYBLAS_OP_N; };
    const bool swaps = d.is_row_major;
    const lt_layout &first = swaps ? b : a, &second = swaps ? a : b;
    return {.against = nullptr,
            .is_swapped = swaps,
            .biases_columns = swaps,
            .transa = swaps ? other(op_b) : op_a,
            .transb = swaps ? other(op_a) : op_b,
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
            .batch_count = d.batch_count};
}

} // namespace myblas::preload
