// cublasLtMatmul on descriptors of every kind. Served calls give the numbers that the descriptors
// describe, computed by plain loops in place of libmyblas; every other call arrives at cublasLt
// unchanged.
#include "cublas/lt.h"

#include "common/call_log.h"
#include "common/report.h"
#include "cublas/lt_description.h"
#include "expect.h"
#include "standin_library.h"

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace myblas::preload {
namespace {

// ---- A cublasLt: descriptors with attributes by number ------------------------------------------

// The number of a descriptor's format is its first word. A format up to 4 starts with 23 words, a
// later one with 32.
constexpr uint64_t early_format = 4, late_format = 6;
uint64_t format = late_format;
constexpr size_t early_words = 23, late_words = 32;
constexpr size_t words_of(uint64_t number) {
    return number == early_format ? early_words : late_words;
}

struct descriptor {
    // The words at the start; the real descriptor has the same number. The second word
    // distinguishes descriptors.
    std::array<uint64_t, late_words> words = {format};
    std::map<int, uint64_t> attributes;
    static inline uint64_t changes = 0;

    void set(int attribute, uint64_t value) {
        attributes[attribute] = value;
        words[1] = ++changes;
    }
};

int version = 13;
constexpr int newest_attribute = 38;
int known_attributes = newest_attribute; // up to this number
int questions = 0;

// The bytes of each attribute (cublasLt.h, 12 and 13); 0: there is no such attribute. cublasLt
// refuses every other width.
constexpr uint8_t operation_widths[] = {
    4, 4, 4, 4, 4, 4, 4, 4,  // to the epilogue
    8, 0, 8, 8, 8, 8, 8,     // bias, auxiliary matrix
    4, 0, 8, 8, 8, 8, 8,     // multiprocessors, scale factors
    4, 8, 8, 1, 4,           // of the auxiliary matrix and the bias
    4, 4, 8, 8,              // partial results
    4, 4, 4, 4, 4, 8, 4, 8}; // modes of scale factors, emulation
constexpr uint8_t layout_widths[] = {4, 4, 8, 8, 8, 4, 8, 8, 4};
static_assert(std::size(operation_widths) == newest_attribute + 1);

template <size_t count>
int get_attribute(const uint8_t (&widths)[count],
                  const void* d,
                  int attribute,
                  void* value,
                  size_t bytes,
                  size_t* written) {
    ++questions;
    const size_t width = static_cast<size_t>(attribute) < count ? widths[attribute] : 0;
    if (bytes != width)
        expect(false,
               "attribute " + std::to_string(attribute) + " is read as " + std::to_string(bytes) +
                   " bytes, not " + std::to_string(width));
    if (attribute > known_attributes || bytes != width)
        return 7;
    const auto& all = static_cast<const descriptor*>(d)->attributes;
    const auto found = all.find(attribute);
    if (found == all.end())
        return 7; // the table of defaults is the one that the preload library has
    std::memcpy(value, &found->second, bytes);
    *written = bytes;
    return 0;
}

int get_operation_attribute(
    const void* d, int attribute, void* value, size_t bytes, size_t* written) {
    return get_attribute(operation_widths, d, attribute, value, bytes, written);
}

int get_layout_attribute(const void* d, int attribute, void* value, size_t bytes, size_t* written) {
    return get_attribute(layout_widths, d, attribute, value, bytes, written);
}

using arguments = std::array<const void*, 16>;
arguments forwarded;
int forwarded_calls = 0;
constexpr int lt_status = 11;

const void* to_pointer(const void* pointer) { return pointer; }
const void* to_pointer(size_t number) { return reinterpret_cast<const void*>(number); }

constexpr decltype(&cublasLtMatmul) note_forwarded = [](auto... given) {
    ++forwarded_calls;
    forwarded = {to_pointer(given)...};
    return lt_status;
};

// ---- A libmyblas --------------------------------------------------------------------------------

int plain_calls = 0, fused_calls = 0;
myblasStream_t last_stream;
void* last_workspace;
size_t last_workspace_bytes;
int last_sm_count_target;
size_t workspace_limit = 0;

float gelu(float x) {
    constexpr float slope = 0.79788456f, cubic = 0.044715f; // the square root of 2 / pi
    return 0.5f * x * (1 + std::tanh(slope * (x + cubic * x * x * x)));
}

// clang-format off
myblasStatus_t compute(myblasHandle_t, myblasOperation_t transa, myblasOperation_t transb,
                       int64_t m, int64_t n, int64_t k, const float* alpha, const float* a,
                       int64_t lda, long long stride_a, const float* b, int64_t ldb,
                       long long stride_b, const float* beta, const float* c, int64_t ldc,
                       long long stride_c, float* d, int64_t ldd, long long stride_d,
                       const myblasEpilogue_t* e, int64_t batch_count) {
    // clang-format on
    for (int64_t batch = 0; batch < batch_count; ++batch)
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < m; ++i) {
                float x = 0;
                for (int64_t l = 0; l < k; ++l)
                    x += a[batch * stride_a + (transa == MYBLAS_OP_N ? i + l * lda : l + i * lda)] *
                         b[batch * stride_b + (transb == MYBLAS_OP_N ? l + j * ldb : j + l * ldb)];
                x = *alpha * x;
                if (*beta != 0)
                    x += *beta * c[batch * stride_c + i + j * ldc];
                if (e && e->bias)
                    x += e->bias[batch * e->stride_bias +
                                 (e->bias_of == MYBLAS_BIAS_OF_ROWS ? i : j)];
                if (e && e->aux)
                    e->aux[batch * e->stride_aux + i + j * e->ldaux] = x;
                if (e && e->activation == MYBLAS_ACTIVATION_RELU)
                    x = std::fmax(x, 0.0f);
                if (e && e->activation == MYBLAS_ACTIVATION_GELU)
                    x = gelu(x);
                d[batch * stride_d + i + j * ldd] = x;
            }
    return MYBLAS_STATUS_SUCCESS;
}

constexpr decltype(&mysgemmFusedStridedBatched_64) compute_fused = [](auto... arguments) {
    ++fused_calls;
    return compute(arguments...);
};

// clang-format off
myblasStatus_t compute_plain(myblasHandle_t handle, myblasOperation_t transa,
                             myblasOperation_t transb, int64_t m, int64_t n, int64_t k,
                             const float* alpha, const float* a, int64_t lda, long long stride_a,
                             const float* b, int64_t ldb, long long stride_b, const float* beta,
                             float* c, int64_t ldc, long long stride_c, int64_t batch_count) {
    ++plain_calls;
    return compute(handle, transa, transb, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta,
                   c, ldc, stride_c, c, ldc, stride_c, nullptr, batch_count);
}
// clang-format on

// ---- A call -------------------------------------------------------------------------------------

// Numbers of cublasLt.h.
enum attribute : int {
    compute_type_of,
    scale_type_of,
    pointer_mode_of,
    transa_of,
    transb_of,
    transc_of,
    fill_of,
    epilogue_of,
    bias_of,
    bias_stride_of = 10,
    aux_of,
    ldaux_of,
    aux_stride_of,
    sm_target_of = 15,
    aux_type_of = 22,
    bias_type_of = 26,
    emulation_of = 38,
};
enum layout_attribute : int {
    type_of,
    order_of,
    rows_of,
    cols_of,
    ld_of,
    batches_of,
    stride_of,
    planes_of,
    batch_mode_of
};
constexpr uint64_t plain = 1, relu = 2, bias = 4, gelu_of = 32, aux = 128;

struct matrix_of_call {
    descriptor layout;
    std::vector<float> values;
    int64_t rows, cols, ld, stride;
    bool by_rows;

    matrix_of_call(int64_t rows_, int64_t cols_, bool by_rows_, int64_t batches, float first)
        : rows(rows_), cols(cols_), ld((by_rows_ ? cols_ : rows_) + 2),
          stride(ld * (by_rows_ ? rows_ : cols_) + 3), by_rows(by_rows_) {
        float value = first;
        values.resize(static_cast<size_t>(stride * batches));
        for (float& v : values) {
            value = std::fmod(value * 7 + 3, 11.0f);
            v = (value - 5) / 4;
        }
        layout.set(type_of, 0);
        layout.set(order_of, by_rows);
        layout.set(rows_of, static_cast<uint64_t>(rows));
        layout.set(cols_of, static_cast<uint64_t>(cols));
        layout.set(ld_of, static_cast<uint64_t>(ld));
        layout.set(batches_of, static_cast<uint64_t>(batches));
        layout.set(stride_of, static_cast<uint64_t>(stride));
    }
    size_t at(int64_t batch, int64_t i, int64_t j) const {
        return static_cast<size_t>(batch * stride + (by_rows ? j + i * ld : i + j * ld));
    }
};

struct form {
    bool transa = false, transb = false, rows_a = false, rows_b = false, rows_d = false;
    uint64_t epilogue = plain;
    bool in_place = false;
    float beta = 0.5f;
    int64_t batches = 1;
    bool on_device = false;
};

struct call {
    static constexpr int64_t m = 4, n = 5, k = 3;
    form f;
    float alpha = 1.5f;
    matrix_of_call a, b, c, d;
    std::vector<float> bias_values, aux_values;
    descriptor operation;
    static constexpr int64_t ldaux = 8, aux_stride = ldaux * n, bias_stride = 6;
    alignas(256) static inline char workspace[256];

    explicit call(const form& form_)
        : f(form_), a(f.transa ? k : m, f.transa ? m : k, f.rows_a, f.batches, 1),
          b(f.transb ? n : k, f.transb ? k : n, f.rows_b, f.batches, 2),
          c(m, n, f.rows_d, f.batches, 4), d(m, n, f.rows_d, f.batches, 5),
          bias_values(static_cast<size_t>(bias_stride * f.batches)),
          aux_values(static_cast<size_t>(aux_stride * f.batches)) {
        for (size_t i = 0; i < bias_values.size(); ++i)
            bias_values[i] = static_cast<float>(i) - 2;
        operation.set(compute_type_of, 68);
        operation.set(scale_type_of, 0);
        operation.set(pointer_mode_of, f.on_device);
        operation.set(transa_of, f.transa);
        operation.set(transb_of, f.transb);
        operation.set(epilogue_of, f.epilogue);
        operation.set(bias_of, reinterpret_cast<uint64_t>(bias_values.data()));
        operation.set(bias_stride_of, bias_stride);
        operation.set(aux_of, reinterpret_cast<uint64_t>(aux_values.data()));
        operation.set(ldaux_of, ldaux);
        operation.set(aux_stride_of, aux_stride);
    }

    const matrix_of_call& addend() const { return f.in_place ? d : c; }

    arguments all() {
        return {workspace,
                &operation,
                &alpha,
                a.values.data(),
                &a.layout,
                b.values.data(),
                &b.layout,
                &f.beta,
                addend().values.data(),
                &addend().layout,
                d.values.data(),
                &d.layout,
                &alpha, // an algorithm that nobody looks at
                workspace,
                reinterpret_cast<const void*>(sizeof workspace),
                reinterpret_cast<const void*>(&failures)};
    }

    int make() { return pass(cublasLtMatmul); }

    int pass(decltype(cublasLtMatmul)* function) { return pass_on(function, all()); }

    static int pass_on(decltype(cublasLtMatmul)* function, const arguments& x) {
        return function(const_cast<void*>(x[0]),
                        x[1],
                        x[2],
                        x[3],
                        x[4],
                        x[5],
                        x[6],
                        x[7],
                        x[8],
                        x[9],
                        const_cast<void*>(x[10]),
                        x[11],
                        x[12],
                        const_cast<void*>(x[13]),
                        reinterpret_cast<size_t>(x[14]),
                        reinterpret_cast<myblasStream_t>(const_cast<void*>(x[15])));
    }

    std::string name() const {
        std::string text = "form ";
        for (const bool flag :
             {f.transa, f.transb, f.rows_a, f.rows_b, f.rows_d, f.in_place, f.on_device})
            text += flag ? '1' : '0';
        return text + ", epilogue " + std::to_string(f.epilogue) + ", beta " +
               std::to_string(f.beta) + ", batches " + std::to_string(f.batches);
    }
};

std::string last_label;
bool was_served;

// Whether the result is what the descriptors' formula gives, by logical indices.
void expect_numbers(const call& x, const std::vector<float>& before) {
    bool is_right = true;
    for (int64_t batch = 0; batch < x.f.batches; ++batch)
        for (int64_t i = 0; i < call::m; ++i)
            for (int64_t j = 0; j < call::n; ++j) {
                double value = 0;
                for (int64_t l = 0; l < call::k; ++l)
                    value +=
                        double{x.a.values[x.f.transa ? x.a.at(batch, l, i) : x.a.at(batch, i, l)]} *
                        x.b.values[x.f.transb ? x.b.at(batch, j, l) : x.b.at(batch, l, j)];
                value = x.alpha * value + double{x.f.beta} * before[x.addend().at(batch, i, j)];
                if (x.f.epilogue & bias)
                    value += x.bias_values[static_cast<size_t>(batch * call::bias_stride + i)];
                const auto is_close = [](double first, double second) {
                    return std::fabs(first - second) < 1e-4;
                };
                if (x.f.epilogue & aux)
                    is_right = is_right &&
                               is_close(x.aux_values[static_cast<size_t>(batch * call::aux_stride +
                                                                         i + j * call::ldaux)],
                                        value);
                if (x.f.epilogue & relu)
                    value = std::fmax(value, 0);
                if (x.f.epilogue & gelu_of)
                    value = gelu(static_cast<float>(value));
                is_right = is_right && is_close(x.d.values[x.d.at(batch, i, j)], value);
            }
    expect(is_right, x.name() + ": wrong numbers");
}

// ---- What is served -----------------------------------------------------------------------------

void expect_served(const form& f) {
    call x(f);
    const std::vector<float> before = x.addend().values;
    forwarded_calls = plain_calls = fused_calls = 0;
    const int status = x.make();
    expect(status == 0 && forwarded_calls == 0 && was_served, x.name() + ": " + last_label);
    const bool is_plain = f.epilogue == plain && (f.in_place || (f.beta == 0 && !f.on_device));
    expect(plain_calls == is_plain && fused_calls == !is_plain, x.name() + ": another routine");
    expect(last_stream == reinterpret_cast<myblasStream_t>(&failures) &&
               last_workspace == call::workspace && last_workspace_bytes == sizeof call::workspace,
           x.name() + ": another stream or workspace");
    expect_numbers(x, before);

    // For known descriptors, cublasLt is not asked again.
    questions = 0;
    expect(x.make() == 0 && questions == 0, x.name() + ": descriptors are not remembered");
}

void test_served() {
    for (int bits = 0; bits < 32; ++bits)
        for (const int64_t batches : {1, 3}) {
            form f = {.transa = (bits & 1) != 0,
                      .transb = (bits & 2) != 0,
                      .rows_a = (bits & 4) != 0,
                      .rows_b = (bits & 8) != 0,
                      .rows_d = (bits & 16) != 0,
                      .batches = batches};
            for (const uint64_t e : {plain, relu, bias, relu | bias, gelu_of, gelu_of | bias}) {
                f.epilogue = e;
                for (const float beta : {0.0f, 0.5f})
                    for (const bool in_place : {false, true})
                        for (const bool on_device : {false, true}) {
                            f.beta = beta;
                            f.in_place = in_place;
                            f.on_device = on_device;
                            expect_served(f);
                        }
            }
        }
    for (const int64_t batches : {1, 3})
        for (const uint64_t e : {gelu_of | aux, gelu_of | aux | bias})
            expect_served({.epilogue = e, .batches = batches});
    // A version with fewer attributes.
    known_attributes = 26;
    expect_served({.epilogue = bias});
    known_attributes = newest_attribute;
    // libmyblas computes in pedantic arithmetic.
    call pedantic({});
    pedantic.operation.set(compute_type_of, 69);
    expect(pedantic.make() == 0, "pedantic: " + last_label);
    // An emulation descriptor has no effect.
    call emulated({});
    emulated.operation.set(compute_type_of, 78);
    emulated.operation.set(emulation_of, reinterpret_cast<uint64_t>(call::workspace));
    expect(emulated.make() == 0, "emulated: " + last_label);
    // A target of multiprocessors holds for its call alone.
    call beside({});
    beside.operation.set(sm_target_of, 96);
    expect(beside.make() == 0 && last_sm_count_target == 96, "a target: " + last_label);
    call after({});
    expect(after.make() == 0 && last_sm_count_target == 0, "after a target: " + last_label);
    // A matrix C that is not read.
    call without({.beta = 0});
    without.c.values.clear();
    expect(without.make() == 0, "no C: " + last_label);
}

// A call whose operands are larger than the workspace uses libmyblas's own, if the limit allows it.
void test_room() {
    constexpr size_t usual = size_t{32} << 20, little = size_t{8} << 20;
    for (const size_t limit : {2 * usual, little, size_t{0}}) {
        cublasLtDestroy(call::workspace); // the handle, which is made again
        workspace_limit = limit;
        call small({}), large({.batches = 3});
        small.make();
        expect(last_workspace == call::workspace, "a small call in another workspace");
        large.make();
        expect(last_workspace == (limit >= usual ? nullptr : call::workspace),
               "a large call in the wrong workspace");
        small.make();
        expect(last_workspace == call::workspace, "a small call after it in another workspace");
    }
}

// The documented number of handles, each also used as one of cublasLt.
void test_handles() {
    constexpr int most = 64;
    cublasLtDestroy(call::workspace);
    alignas(16) static char places[16 * (most + 1)];
    for (int i = 0; i <= most; ++i) {
        char* const handle = &places[16 * i];
        for (void* owner : {static_cast<void*>(handle), lt_owner(handle)})
            expect((shadow::of(owner) != nullptr) == (i < most), "handle " + std::to_string(i));
    }
    expect(shadow::of(places) != shadow::of(lt_owner(places)), "one shadow of two interfaces");
    for (int i = 0; i < most; ++i) {
        shadow::forget(&places[16 * i]);
        shadow::forget(lt_owner(&places[16 * i]));
    }
    expect(!shadow::find(places) && !shadow::find(lt_owner(places)), "a handle is not forgotten");
}

// ---- What is forwarded --------------------------------------------------------------------------

void expect_forwarded(call& x, const char* reason, const std::string& what) {
    forwarded_calls = plain_calls = fused_calls = 0;
    expect(x.make() == lt_status && forwarded_calls == 1 && plain_calls + fused_calls == 0,
           what + ": not forwarded");
    expect(forwarded == x.all(), what + ": other arguments");
    expect(last_label == reason, what + ": the report says '" + last_label + "'");
}

void expect_forwarded(const char* reason, int attribute, uint64_t value, const form& f = {}) {
    call x(f);
    x.operation.set(attribute, value);
    expect_forwarded(x, reason, "attribute " + std::to_string(attribute));
}

void test_forwarded() {
    for (const uint64_t type : {64, 70, 74, 77, 79}) // half, double, fast FP16, TF32, ...
        expect_forwarded("the compute type is not FP32", compute_type_of, type);
    expect_forwarded("the scalars are not floats", scale_type_of, 1);
    for (const uint64_t mode : {2, 3, 4})
        expect_forwarded("the scalars are vectors", pointer_mode_of, mode);
    constexpr const char* more = "the description has more than libmyblas knows";
    expect_forwarded(more, transa_of, 3);
    expect_forwarded(more, transb_of, 3);
    expect_forwarded(more, transc_of, 1);
    expect_forwarded(more, fill_of, 0);
    for (const int attribute :
         {17, 18, 19, 20, 21, 23, 24, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37})
        expect_forwarded(more, attribute, 1);
    constexpr const char* epilogue = "the epilogue is none of libmyblas's";
    // The mode with a bit mask for ReLU, gradients, and numbers that have no meaning.
    for (const uint64_t e : {130, 134, 136, 152, 192, 208, 256, 512, 0, 3, 34, 1024})
        expect_forwarded(epilogue, epilogue_of, e);
    expect_forwarded(epilogue, bias_of, 0, {.epilogue = bias});
    expect_forwarded(epilogue, aux_of, 0, {.epilogue = gelu_of | aux});
    expect_forwarded(epilogue, bias_type_of, 2, {.epilogue = bias});
    expect_forwarded(epilogue, aux_type_of, 2, {.epilogue = gelu_of | aux});

    constexpr const char* types = "not all operands are of floats";
    constexpr const char* unfit = "the layouts do not go together, or in a way that is not known";
    const struct {
        int attribute;
        uint64_t value;
        const char* reason;
    } changes[] = {{type_of, 2, types},
                   {order_of, 2, "a matrix is stored neither by columns nor by rows"},
                   {rows_of, 17, unfit},
                   {cols_of, 17, unfit},
                   {batches_of, 2, unfit},
                   {planes_of, 64, "a layout has more than libmyblas knows"},
                   {batch_mode_of, 1, "a layout has more than libmyblas knows"}};
    for (const auto& change : changes)
        for (matrix_of_call call::*operand : {&call::a, &call::b, &call::c, &call::d}) {
            call x({});
            (x.*operand).layout.set(change.attribute, change.value);
            expect_forwarded(x, change.reason, "layout's " + std::to_string(change.attribute));
        }
    // Scalars of calls that are not served are not read, because they may be anywhere.
    const int usual_version = std::exchange(version, 11);
    call unknown({});
    arguments x = unknown.all();
    x[7] = reinterpret_cast<const void*>(uintptr_t{8}); // nothing is there
    forwarded_calls = 0;
    call::pass_on(cublasLtMatmul, x);
    expect(forwarded_calls == 1 && forwarded == x, "an unknown version");
    expect(last_label == "cuBLAS is neither 12 nor 13", "an unknown version: " + last_label);
    version = usual_version;
    call c_by_rows({});
    c_by_rows.c.layout.set(order_of, 1);
    expect_forwarded(c_by_rows, unfit, "C by rows, D by columns");
    call aux_by_rows({.rows_d = true, .epilogue = gelu_of | aux});
    expect_forwarded(aux_by_rows, unfit, "an auxiliary matrix by rows");

    forwarded_calls = 0;
    expect(cublasLtMatmul(call::workspace,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          0,
                          nullptr) == lt_status &&
               forwarded_calls == 1 && last_label == "a descriptor is NULL",
           "no descriptors: " + last_label);
}

// More descriptors than are remembered, and changed descriptors at the same address.
void test_many() {
    constexpr int many = 2000;
    call x({.epilogue = bias});
    const std::vector<float> before = x.addend().values;
    for (int i = 0; i < many; ++i) {
        x.operation.set(transa_of, 0);
        expect(x.make() == 0, "many: " + last_label);
    }
    expect_numbers(x, before);
    x.operation.set(compute_type_of, 64);
    expect_forwarded(x, "the compute type is not FP32", "a descriptor that has changed");
}

// A descriptor is remembered by all its words, and not by the memory after them.
void test_formats() {
    call x({});
    x.make();
    for (size_t word = 1; word < late_words; ++word) {
        ++x.operation.words[word];
        questions = 0;
        x.make();
        const bool is_part = word < words_of(format);
        expect((questions > 0) == is_part,
               "format " + std::to_string(format) + ": word " + std::to_string(word));
    }
}

} // namespace

// Replaces library.cpp, real_lt.cpp and report.cpp.
const library* load_library() noexcept {
    static const library functions = [] {
        library l = stand_in_library();
        l.set_stream = [](myblasHandle_t, myblasStream_t stream) {
            last_stream = stream;
            last_workspace = nullptr;
            return MYBLAS_STATUS_SUCCESS;
        };
        l.set_workspace = [](myblasHandle_t, void* memory, size_t bytes) {
            last_workspace = memory;
            last_workspace_bytes = bytes;
            return MYBLAS_STATUS_SUCCESS;
        };
        l.set_sm_count_target = [](myblasHandle_t, int count) {
            last_sm_count_target = count;
            return MYBLAS_STATUS_SUCCESS;
        };
        l.get_workspace_limit = [](myblasHandle_t, size_t* bytes) {
            *bytes = workspace_limit;
            return MYBLAS_STATUS_SUCCESS;
        };
        return l;
    }();
    return &functions;
}

void* library_function(const char* name) noexcept {
    return std::strcmp(name, "mysgemmFusedStridedBatched_64") == 0
               ? reinterpret_cast<void*>(compute_fused)
               : reinterpret_cast<void*>(compute_plain);
}

const real_lt& lt_of(const void*) noexcept {
    static real_lt real = {.matmul = reinterpret_cast<void*>(note_forwarded),
                           .destroy = nullptr,
                           .get_heuristic = nullptr,
                           .set_matmul_attribute = nullptr,
                           .get_matmul_attribute = get_operation_attribute,
                           .get_layout_attribute = get_layout_attribute,
                           .major = 0};
    real.major = version;
    return real;
}

namespace report {
bool is_on() noexcept { return true; }
void add(int, const extents&, bool served, const char* label, uint64_t) noexcept {
    was_served = served;
    last_label = label;
}
uint64_t now_ns() noexcept { return 0; }
} // namespace report

namespace call_log {
bool is_on() noexcept { return false; }
void add(const logged_call&) noexcept {}
} // namespace call_log

} // namespace myblas::preload

int main() {
    using namespace myblas::preload;
    for (const int major : {13, 12})
        for (const uint64_t number : {late_format, early_format}) {
            version = major;
            format = number;
            test_served();
            test_room();
            test_handles();
            test_forwarded();
            test_many();
            test_formats();
        }
    return failures > 0;
}
