// The CUDA kernel tall_skinny on a CPU (cpu_kernels/cuda_runtime.h), compared with float64. Memory
// that it must not read is NaN, and memory that it must not write keeps its contents.
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

constexpr float untouched = 4711;

uint64_t state = 1;
float random_float() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<float>((state >> 33) % 2001) / 1000 - 1;
}

// A column-major matrix with gaps, whose base is `misfit` floats off an aligned address.
struct matrix {
    int64_t rows, cols, ld;
    int misfit;
    std::vector<float> memory;

    matrix(int64_t rows_, int64_t cols_, int64_t gap, int misfit_, float in_gaps)
        : rows(rows_), cols(cols_), ld(rows + gap), misfit(misfit_),
          memory(static_cast<size_t>(misfit + (cols - 1) * ld + rows), in_gaps) {
        for (int64_t j = 0; j < cols; ++j)
            for (int64_t i = 0; i < rows; ++i)
                at(i, j) = random_float();
    }
    float* data() { return memory.data() + misfit; }
    float& at(int64_t i, int64_t j) { return data()[i + j * ld]; }
};

struct call {
    bool transa, transb;
    int64_t m, n, k, gap;
    int misfit;
    float alpha, beta;
};

void check(const call& c) {
    if (left_out())
        return;
    device_info device{};
    device.arch = 80;
    device.sm_count = 2;
    device.smem_per_block = 100 << 10;
    const float none = std::nanf("");
    matrix a(c.transa ? c.k : c.m, c.transa ? c.m : c.k, c.gap, c.misfit, none);
    matrix b(c.transb ? c.n : c.k, c.transb ? c.k : c.n, c.gap, c.misfit, none);
    matrix result(c.m, c.n, c.gap, c.misfit, untouched);
    if (c.beta == 0)
        for (int64_t j = 0; j < c.n; ++j)
            for (int64_t i = 0; i < c.m; ++i)
                result.at(i, j) = none;
    matrix old = result;
    sgemm_problem p{
        .m = c.m, .n = c.n, .k = c.k, .alpha = {c.alpha}, .beta = {c.beta}, .batch_count = 1};
    p.transa = c.transa, p.transb = c.transb;
    p.a = a.data(), p.lda = a.ld;
    p.b = b.data(), p.ldb = b.ld;
    p.c = result.data(), p.ldc = result.ld;
    const launch_context context{.device = &device};
    assert_int_equal(cuda::sgemm_tall_skinny.launch(p, context), MYBLAS_STATUS_SUCCESS);
    for (int64_t j = 0; j < c.n; ++j)
        for (int64_t i = 0; i < c.m; ++i) {
            double sum = 0, magnitude = 0;
            for (int64_t l = 0; l < c.k; ++l) {
                const double term = static_cast<double>(c.transa ? a.at(l, i) : a.at(i, l)) *
                                    static_cast<double>(c.transb ? b.at(j, l) : b.at(l, j));
                sum += term, magnitude += std::fabs(term);
            }
            const double before = c.beta == 0 ? 0 : c.beta * static_cast<double>(old.at(i, j));
            const double exact = c.alpha * sum + before;
            const double bound = static_cast<double>(c.k + 3) * 0x1p-24 *
                                 (std::fabs(c.alpha) * magnitude + std::fabs(before));
            if (!(std::fabs(static_cast<double>(result.at(i, j)) - exact) <= bound))
                fail_msg("%c%c %lld x %lld x %lld, gap %lld, misfit %d: (%lld, %lld) is %g, not %g",
                         c.transa ? 'T' : 'N',
                         c.transb ? 'T' : 'N',
                         static_cast<long long>(c.m),
                         static_cast<long long>(c.n),
                         static_cast<long long>(c.k),
                         static_cast<long long>(c.gap),
                         c.misfit,
                         static_cast<long long>(i),
                         static_cast<long long>(j),
                         static_cast<double>(result.at(i, j)),
                         exact);
            old.at(i, j) = result.at(i, j);
        }
    assert_memory_equal(
        result.memory.data(), old.memory.data(), result.memory.size() * sizeof(float));
}

// All layouts of the long operand and of C, aligned or not, with whole and cut blocks and slabs.
void test_layouts(void**) {
    for (const bool transa : {false, true})
        for (const bool transb : {false, true})
            for (const bool is_wide : {false, true})
                for (const int64_t side : {2, 3, 4, 7, 8, 11, 16})
                    for (const int64_t k : {1, 4, 7, 8, 12, 16, 20, 33, 64, 96}) {
                        const int64_t lines = k % 3 == 0 ? 516 : k % 3 == 1 ? 1024 : 777;
                        const int turn = static_cast<int>(side + k) % 4;
                        check({.transa = transa,
                               .transb = transb,
                               .m = is_wide ? side : lines,
                               .n = is_wide ? lines : side,
                               .k = k,
                               .gap = turn == 0   ? 0
                                      : turn == 1 ? 4
                                                  : turn,
                               .misfit = turn == 3 ? 1 : 0,
                               .alpha = turn == 2 ? 1 : -0.5f,
                               .beta = turn == 0 || side == 7 ? 0 : 0.75f});
                        check({.transa = transa,
                               .transb = transb,
                               .m = is_wide ? side : lines,
                               .n = is_wide ? lines : side,
                               .k = k,
                               .gap = 0,
                               .misfit = turn == 1 ? 3 : 0,
                               .alpha = 2,
                               .beta = turn % 2 ? 1.0f : 0});
                    }
}

// With a k or an alpha of 0 nothing is read.
void test_nothing_to_multiply(void**) {
    for (const bool trans : {false, true})
        for (const bool is_wide : {false, true})
            for (const float beta : {0.0f, 0.5f})
                check({.transa = trans,
                       .transb = trans,
                       .m = is_wide ? 5 : 700,
                       .n = is_wide ? 700 : 5,
                       .k = 1,
                       .gap = 0,
                       .misfit = 0,
                       .alpha = 0,
                       .beta = beta});
}

void test_choice(void**) {
    const device_info device{};
    const auto accepts = [&](int64_t m, int64_t n, int64_t k) {
        const sgemm_problem p{.m = m, .n = n, .k = k, .alpha = {1}, .beta = {0}, .batch_count = 1};
        return cuda::sgemm_tall_skinny.accepts(p, device);
    };
    assert_true(accepts(2, 2, 1) && accepts(16, 1 << 20, 96));
    assert_false(accepts(1 << 20, 1, 8) || accepts(1 << 20, 17, 8) || accepts(1 << 16, 4, 97));

    const auto suits = [&](int64_t m, int64_t n, int64_t k, int64_t gap = 0) {
        sgemm_problem p{.m = m, .n = n, .k = k, .alpha = {1}, .beta = {0}, .batch_count = 1};
        p.lda = m + gap, p.ldb = k + gap;
        return cuda::suits_tall_skinny(p);
    };
    assert_true(suits(1 << 16, 8, 4) && suits(1 << 17, 9, 4));
    assert_false(suits((1 << 16) - 1, 8, 4) || suits((1 << 17) - 1, 9, 4));
    // k along memory, unaligned: word by word
    assert_true(suits(3, 1 << 17, 64, 1));
    assert_false(suits(3, 1 << 17, 65, 1) || suits(3, 1 << 17, 66));
}

} // namespace

int main() {
    const CMUnitTest tests[] = {cmocka_unit_test(test_layouts),
                                cmocka_unit_test(test_nothing_to_multiply),
                                cmocka_unit_test(test_choice)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
