// Descriptors of cublasLt. Their attributes are drawn from the input; the call that libmyblas gets
// is compared with the attributes, for new descriptors and for remembered ones.
#include "cublas/lt_description.h"

#include "target.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace preload = myblas::preload;

namespace myblas::preload {
bool serves_tf32() noexcept { return true; }
} // namespace myblas::preload

namespace {

// An operation has 4 bytes for each attribute behind the word with its format; only the first 23
// words of an early format count. A layout has a word for each size.
struct operation_bytes {
    uint64_t format;
    std::array<int32_t, 62> attributes;
};
static_assert(sizeof(operation_bytes) == 32 * sizeof(uint64_t));
struct layout_bytes {
    int64_t rows, cols, ld, stride, plane_offset;
    int32_t type, order, batch_count, batch_mode;
    uint64_t unused;
};
static_assert(sizeof(layout_bytes) == 8 * sizeof(uint64_t));

constexpr int newest_attribute = 38;

int get_operation(const void* d, int which, void* value, size_t bytes, size_t* written) {
    if (which > newest_attribute)
        return 7;
    const int64_t wide = static_cast<const operation_bytes*>(d)->attributes[which];
    std::memcpy(value, &wide, bytes); // little-endian
    *written = bytes;
    return 0;
}

int get_layout(const void* d, int which, void* value, size_t bytes, size_t* written) {
    const auto& l = *static_cast<const layout_bytes*>(d);
    const int64_t all[] = {l.type,
                           l.order,
                           l.rows,
                           l.cols,
                           l.ld,
                           l.batch_count,
                           l.stride,
                           l.plane_offset,
                           l.batch_mode};
    std::memcpy(value, &all[which], bytes);
    *written = bytes;
    return 0;
}

bool is_served(const layout_bytes& l) {
    return l.type == 0 && (l.order == 0 || l.order == 1) && l.plane_offset == 0 &&
           l.batch_mode == 0;
}

void check(const preload::lt_call& call,
           const operation_bytes& o,
           const layout_bytes& a,
           const layout_bytes& b,
           const layout_bytes& c,
           const layout_bytes& d) {
    if (call.against) {
        require(*call.against != 0, "a reason is not empty");
        return;
    }
    for (const layout_bytes* l : {&a, &b, &c, &d})
        require(is_served(*l) && l->batch_count == d.batch_count, "the layouts are served");
    const auto& of = o.attributes;
    // 32F, its pedantic form, TF32, and emulation by BF16x9
    require(of[0] == 68 || of[0] == 69 || of[0] == 77 || of[0] == 78, "the compute type is FP32");
    require(of[2] == 0 || of[2] == 1, "the scalars are numbers");
    require(c.rows == d.rows && c.cols == d.cols, "C is as large as D");
    const bool by_rows = d.order == 1;
    require(call.swap_ab == by_rows, "D by rows exchanges A and B");
    require(call.m == (by_rows ? d.cols : d.rows) && call.n == (by_rows ? d.rows : d.cols),
            "m and n are those of D");
    require(call.k == (of[3] ? a.rows : a.cols) && call.k == (of[4] ? b.cols : b.rows),
            "k is that of A and B");
    require(call.lda == (by_rows ? b : a).ld && call.ldb == (by_rows ? a : b).ld &&
                call.ldc == c.ld && call.ldd == d.ld,
            "the leading dimensions are those of the layouts");
    require(call.stride_a == (by_rows ? b : a).stride && call.stride_d == d.stride &&
                call.batch_count == d.batch_count,
            "the batch is that of the layouts");
    const bool turns_a = (of[3] != 0) != (a.order == 1), turns_b = (of[4] != 0) != (b.order == 1);
    require((call.transa != MYBLAS_OP_N) == (by_rows ? !turns_b : turns_a) &&
                (call.transb != MYBLAS_OP_N) == (by_rows ? !turns_a : turns_b),
            "the transpositions are those of the operation and the layouts");
    const auto epilogue = static_cast<uint32_t>(of[7]);
    const auto has = [&](uint32_t part) { return (epilogue & part) != 0; };
    const auto& fused = call.epilogue;
    require((fused.bias != nullptr) == has(4) && (fused.aux != nullptr) == has(128) &&
                (fused.activation == MYBLAS_ACTIVATION_RELU) == has(2) &&
                (fused.activation == MYBLAS_ACTIVATION_GELU) == has(32),
            "the epilogue is that of the operation");
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    struct {
        operation_bytes operation;
        layout_bytes a, b, c, d;
    } in{};
    std::memcpy(&in, data, std::min(size, sizeof in));
    const preload::real_lt real{
        .matmul = nullptr,
        .destroy = nullptr,
        .get_matmul_attribute = get_operation,
        .get_layout_attribute = get_layout,
        .major = 13,
    };
    require((preload::reason_against_layout(real, &in.a) == nullptr) == is_served(in.a),
            "a layout is refused for a reason");
    for (int i = 0; i < 2; ++i) // the second time from memory
        check(preload::call_of(real, {&in.operation, &in.a, &in.b, &in.c, &in.d}),
              in.operation,
              in.a,
              in.b,
              in.c,
              in.d);
    return 0;
}
