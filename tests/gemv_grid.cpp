// The CUDA kernels of gemv on a CPU (cpu_kernels/cuda_runtime.h), compared with float64. On a
// device of few multiprocessors and almost no cache, small matrices are computed like large ones.
// Memory that kernels must not read is NaN.
#include "kernels/sgemm/registry.h"
#include "left_out.h"

#include <cmath>
#include <cstdarg>
#include <setjmp.h>
#include <vector>

extern "C" {
#include <cmocka.h>
}

using namespace myblas;

namespace {

uint64_t state = 1;

uint64_t random_bits() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
}
float random_float() { return static_cast<float>(random_bits() % 2001) / 1000 - 1; }

struct call {
    bool trans;
    int64_t m, n, ld, incx;
    int misfit; // floats by which the matrix is unaligned
    int sm_count;
    bool is_lent; // workspace
    int vector_misfit = 0;
};

void check(const call& c) {
    if (left_out())
        return;
    device_info device{};
    device.arch = 80; // without clusters
    device.sm_count = c.sm_count;
    device.smem_per_block = 200 << 10;
    device.clock_mhz = usual_device.clock_mhz;
    device.memory_gbps = usual_device.memory_gbps;
    device.l2_bytes = 1 << 10;
    const int64_t lines = c.trans ? c.n : c.m, k = c.trans ? c.m : c.n;
    // Up to the matrix's last element, and no further.
    std::vector<float> a(static_cast<size_t>(c.misfit + (c.n - 1) * c.ld + c.m), std::nanf(""));
    std::vector<float> all_x(static_cast<size_t>(c.vector_misfit + (k - 1) * c.incx + 1),
                             std::nanf(""));
    float* const x = all_x.data() + c.vector_misfit;
    std::vector<float> y(static_cast<size_t>(lines), std::nanf(""));
    float* const matrix = a.data() + c.misfit;
    for (int64_t j = 0; j < c.n; ++j)
        for (int64_t i = 0; i < c.m; ++i)
            matrix[i + j * c.ld] = random_float();
    for (int64_t i = 0; i < k; ++i)
        x[i * c.incx] = random_float();
    sgemm_problem p{.m = lines, .n = 1, .k = k, .alpha = {2}, .beta = {0}, .batch_count = 1};
    p.transa = c.trans;
    p.a = matrix, p.lda = c.ld;
    p.transb = c.incx != 1;
    p.b = x, p.ldb = p.transb ? c.incx : k;
    p.c = y.data(), p.ldc = lines;
    const cuda::sgemm_kernel& kernel = cuda::sgemm_gemv;
    const size_t bytes = c.is_lent ? kernel.best_workspace_bytes(p, device) : 0;
    std::vector<float> workspace(bytes / sizeof(float), std::nanf(""));
    std::vector<unsigned> counters(counter_count);
    const launch_context context{.device = &device,
                                 .workspace = workspace.data(),
                                 .workspace_bytes = bytes,
                                 .counters = counters.data()};
    assert_true(kernel.accepts(p, device));
    assert_int_equal(kernel.launch(p, context), MYBLAS_STATUS_SUCCESS);
    for (int64_t line = 0; line < lines; ++line) {
        double sum = 0, magnitude = 0;
        for (int64_t i = 0; i < k; ++i) {
            const double term =
                static_cast<double>(matrix[c.trans ? i + line * c.ld : line + i * c.ld]) *
                x[i * c.incx];
            sum += term, magnitude += std::fabs(term);
        }
        const double found = y[static_cast<size_t>(line)];
        if (!(std::fabs(found - 2 * sum) <= 2 * static_cast<double>(k + 3) * 0x1p-24 * magnitude))
            fail_msg("%c %lld x %lld, ld %lld, incx %lld, misfit %d, %d multiprocessors: line %lld "
                     "is %g, not %g",
                     c.trans ? 'T' : 'N',
                     static_cast<long long>(c.m),
                     static_cast<long long>(c.n),
                     static_cast<long long>(c.ld),
                     static_cast<long long>(c.incx),
                     c.misfit,
                     c.sm_count,
                     static_cast<long long>(line),
                     found,
                     2 * sum);
    }
    for (const unsigned counter : counters)
        assert_int_equal(counter, 0);
}

void test_forms(void**) {
    // All ratios of the sides, aligned to 16, 8 and 4 bytes, with and without gaps between columns.
    constexpr int64_t few[] = {1, 3, 8, 17, 33, 100}, many[] = {600, 1003, 1300, 2052};
    for (const bool trans : {false, true})
        for (const int64_t narrow : few)
            for (int turn = 0; turn < 4; ++turn) {
                call c{.trans = trans,
                       .m = 0,
                       .n = 0,
                       .ld = 0,
                       .incx = 1,
                       .misfit = 0,
                       .sm_count = 2,
                       .is_lent = true};
                const int64_t wide = many[random_bits() % 4];
                c.m = turn % 2 ? narrow : wide;
                c.n = turn % 2 ? wide : narrow;
                c.ld = c.m + static_cast<int64_t>(random_bits() % 3) * (turn < 2 ? 0 : 1);
                c.misfit = turn < 2 ? 0 : static_cast<int>(random_bits() % 4);
                c.incx = random_bits() % 4 == 0 ? 2 : 1;
                c.sm_count = random_bits() % 2 ? 2 : 5;
                c.is_lent = random_bits() % 4 != 0;
                check(c);
            }
}

void test_squares(void**) {
    for (const bool trans : {false, true})
        for (const int64_t n : {512, 601})
            for (const int misfit : {0, 1, 2})
                check({.trans = trans,
                       .m = n,
                       .n = n + 7,
                       .ld = n + misfit % 2,
                       .incx = 1,
                       .misfit = misfit,
                       .sm_count = 3,
                       .is_lent = misfit != 2});
}

// Blocks with equal shares of the lines, where groups of 128 would leave multiprocessors idle.
void test_shares(void**) {
    for (const int64_t m : {515, 1003, 2301})
        for (const int sm_count : {3, 5, 7, 16})
            for (const bool is_lent : {false, true})
                check({.trans = false,
                       .m = m,
                       .n = 160,
                       .ld = m,
                       .incx = 1,
                       .misfit = 0,
                       .sm_count = sm_count,
                       .is_lent = is_lent});
}

// Vectors that are not aligned, or have increments, beside an aligned matrix.
void test_vectors(void**) {
    for (const int64_t n : {150, 203})
        for (const int64_t incx : {1, 2, 3})
            for (const int vector_misfit : {0, 1, 2})
                check({.trans = true,
                       .m = 1036,
                       .n = n,
                       .ld = 1040,
                       .incx = incx,
                       .misfit = 0,
                       .sm_count = 4,
                       .is_lent = true,
                       .vector_misfit = vector_misfit});
}

// Long vectors that are packed first: elements are apart, or not aligned as the matrix is. Blocks
// have equal shares of the lines' k, and begin and end within lines.
void test_long_vectors(void**) {
    for (const bool is_lent : {false, true})
        for (const int64_t n : {9, 14, 131})
            for (const int sm_count : {2, 7})
                for (const int64_t incx : {1, 4, 9})
                    check({.trans = true,
                           .m = n > 100 ? 12004 : 16500,
                           .n = n,
                           .ld = n > 100 ? 12004 : 16501,
                           .incx = incx,
                           .misfit = 0,
                           .sm_count = sm_count,
                           .is_lent = is_lent,
                           .vector_misfit = 1});
}

// Short lines along k, which are copied with the gaps between them if these are small.
void test_short_lines(void**) {
    for (const int64_t k : {1, 3, 8, 30, 63})
        for (const int64_t gap : {0, 1, 5, 16, 17})
            for (const int misfit : {0, 1, 2, 3})
                check({.trans = true,
                       .m = k,
                       .n = 400 + k,
                       .ld = k + gap,
                       .incx = 1 + gap % 2,
                       .misfit = misfit,
                       .sm_count = 2,
                       .is_lent = true});
    for (const int misfit : {0, 3}) // several lines for each lane
        for (const int64_t lines : {2100, 8201})
            check({.trans = true,
                   .m = 3,
                   .n = lines,
                   .ld = 8,
                   .incx = 1,
                   .misfit = misfit,
                   .sm_count = 2,
                   .is_lent = true});
}

// Whole columns, whose sums more than one group of blocks adds.
void test_columns(void**) {
    for (const int64_t lines : {17, 130, 201, 364, 501, 639})
        for (const int sm_count : {2, 12, 13, 30})
            for (const int misfit : {0, 1, 2})
                check({.trans = false,
                       .m = lines,
                       .n = 700,
                       .ld = lines + misfit,
                       .incx = 1 + misfit,
                       .misfit = misfit,
                       .sm_count = sm_count,
                       .is_lent = true});
}

// Many lines along k, aligned to 16, 8 and 4 bytes.
void test_many_lines(void**) {
    for (const int64_t k : {66, 88, 90, 128, 200, 300, 644, 920})
        for (const int misfit : {0, 1, 2})
            check({.trans = true,
                   .m = k,
                   .n = 4099,
                   .ld = k + misfit,
                   .incx = 1,
                   .misfit = misfit,
                   .sm_count = 3,
                   .is_lent = true});
}

// A batch of matrices by vectors, with strides that may leave the products unaligned.
void check_batch(bool trans, int64_t lines, int64_t k, int64_t gap, int64_t vector_gap) {
    if (left_out())
        return;
    constexpr int64_t batch = 3;
    device_info device{};
    device.arch = 80;
    device.sm_count = 2;
    device.smem_per_block = 200 << 10;
    device.clock_mhz = usual_device.clock_mhz;
    device.memory_gbps = usual_device.memory_gbps;
    device.l2_bytes = 1 << 10;
    const int64_t ld = trans ? k : lines, stride = lines * k + gap, stride_x = k + vector_gap;
    // Gaps are NaN, and nothing follows the last product.
    std::vector<float> a(static_cast<size_t>((batch - 1) * stride + lines * k), std::nanf(""));
    std::vector<float> x(static_cast<size_t>((batch - 1) * stride_x + k), std::nanf(""));
    std::vector<float> y(static_cast<size_t>(batch * lines), std::nanf(""));
    for (int64_t b = 0; b < batch; ++b) {
        for (int64_t i = 0; i < lines * k; ++i)
            a[static_cast<size_t>(b * stride + i)] = random_float();
        for (int64_t i = 0; i < k; ++i)
            x[static_cast<size_t>(b * stride_x + i)] = random_float();
    }
    sgemm_problem p{.m = lines, .n = 1, .k = k, .alpha = {2}, .beta = {0}, .batch_count = batch};
    p.transa = trans;
    p.a = a.data(), p.lda = ld, p.stride_a = stride;
    p.b = x.data(), p.ldb = k, p.stride_b = stride_x;
    p.c = y.data(), p.ldc = lines, p.stride_c = lines;
    std::vector<unsigned> counters(counter_count);
    const launch_context context{.device = &device, .counters = counters.data()};
    assert_int_equal(cuda::sgemm_gemv.launch(p, context), MYBLAS_STATUS_SUCCESS);
    for (int64_t b = 0; b < batch; ++b)
        for (int64_t line = 0; line < lines; ++line) {
            double sum = 0, magnitude = 0;
            for (int64_t i = 0; i < k; ++i) {
                const int64_t at = b * stride + (trans ? i + line * k : line + i * lines);
                const double term = static_cast<double>(a[static_cast<size_t>(at)]) *
                                    x[static_cast<size_t>(b * stride_x + i)];
                sum += term, magnitude += std::fabs(term);
            }
            const double found = y[static_cast<size_t>(b * lines + line)];
            if (!(std::fabs(found - 2 * sum) <=
                  2 * static_cast<double>(k + 3) * 0x1p-24 * magnitude))
                fail_msg("%c, %lld lines of %lld k, gaps %lld and %lld: line %lld of product %lld "
                         "is %g, not %g",
                         trans ? 'T' : 'N',
                         static_cast<long long>(lines),
                         static_cast<long long>(k),
                         static_cast<long long>(gap),
                         static_cast<long long>(vector_gap),
                         static_cast<long long>(line),
                         static_cast<long long>(b),
                         found,
                         2 * sum);
        }
}

void test_batches(void**) {
    for (const bool trans : {false, true})
        for (const int64_t lines : {20, 64, 160, 333, 400, 520})
            for (const int64_t k : {5, 8, 16, 64, 119, 128, 131})
                for (const int64_t gap : {0, 1, 4})
                    check_batch(trans, lines, k, gap, gap == 4 ? 2 : gap);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {cmocka_unit_test(test_forms),
                                cmocka_unit_test(test_squares),
                                cmocka_unit_test(test_shares),
                                cmocka_unit_test(test_vectors),
                                cmocka_unit_test(test_long_vectors),
                                cmocka_unit_test(test_short_lines),
                                cmocka_unit_test(test_columns),
                                cmocka_unit_test(test_many_lines),
                                cmocka_unit_test(test_batches)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
