// The CUDA kernels of level 2 on triangles on a CPU (cpu_kernels/cuda_runtime.h), compared with
// float64 within the bounds of the header. One block runs at a time, so results that a block waits
// for are there. Memory that kernels must not read is NaN.
#include "kernels/level2/registry.h"
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

const device_info device{.sm_count = 3};

uint64_t state = 1;

float random_float() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<float>(static_cast<int64_t>(state >> 40)) / (1 << 23) - 1;
}

struct shape {
    bool upper, trans, unit;
    int64_t n, lda, inc;
};

// A triangle and a vector with gaps of NaN.
struct operands {
    std::vector<float> a, x;

    explicit operands(const shape& s, float scale)
        : a(static_cast<size_t>(s.lda * s.n), std::nanf("")),
          x(static_cast<size_t>(s.n * std::abs(s.inc)), std::nanf("")) {
        for (int64_t j = 0; j < s.n; ++j)
            for (int64_t i = 0; i < s.n; ++i)
                if (s.upper ? i < j : i > j)
                    a[static_cast<size_t>(i + j * s.lda)] = random_float() * scale;
                else if (i == j && !s.unit)
                    a[static_cast<size_t>(i + j * s.lda)] = 2 + random_float();
        for (int64_t i = 0; i < s.n; ++i)
            x[place(s, i)] = random_float();
    }

    static size_t place(const shape& s, int64_t i) {
        return static_cast<size_t>(s.inc < 0 ? (i - s.n + 1) * s.inc : i * s.inc);
    }
    double at(const shape& s, int64_t i, int64_t j) const {
        return a[static_cast<size_t>(i + j * s.lda)];
    }
    // Element i, j of op(A).
    double triangular(const shape& s, int64_t i, int64_t j) const {
        const int64_t row = s.trans ? j : i, column = s.trans ? i : j;
        if (row == column)
            return s.unit ? 1 : at(s, row, column);
        return (s.upper ? row < column : row > column) ? at(s, row, column) : 0;
    }
    double symmetric(const shape& s, int64_t i, int64_t j) const {
        return (s.upper ? i <= j : i >= j) ? at(s, i, j) : at(s, j, i);
    }
};

// Asserts that row i of op(A) times `by` is near `right`.
template <class Element>
void assert_row(const shape& s,
                int64_t i,
                Element element,
                const std::vector<float>& by,
                double kept,
                double right) {
    double sum = kept, magnitude = std::fabs(kept);
    for (int64_t j = 0; j < s.n; ++j) {
        const double term = element(i, j);
        if (term == 0)
            continue;
        sum += term * by[operands::place(s, j)];
        magnitude += std::fabs(term * by[operands::place(s, j)]);
    }
    if (!(std::fabs(sum - right) <= static_cast<double>(s.n + 4) * 0x1p-24 * magnitude))
        fail_msg("%s%s%s n %lld inc %lld: row %lld gives %g, not %g",
                 s.upper ? "upper" : "lower",
                 s.trans ? " trans" : "",
                 s.unit ? " unit" : "",
                 static_cast<long long>(s.n),
                 static_cast<long long>(s.inc),
                 static_cast<long long>(i),
                 right,
                 sum);
}

struct grid_context {
    std::vector<unsigned> counters = std::vector<unsigned>(counter_count);
    std::vector<float> workspace;
    launch_context context{.device = &device, .counters = counters.data()};

    explicit grid_context(size_t bytes) : workspace(bytes / sizeof(float), std::nanf("")) {
        context.workspace = workspace.data();
        context.workspace_bytes = bytes;
    }
    void assert_counters_are_zero() const {
        for (const unsigned counter : counters)
            assert_int_equal(counter, 0);
    }
};

template <bool solve>
void check_triangular(const kernel_entry<triangular_problem<solve>>& kernel, const shape& s) {
    if (left_out())
        return;
    const operands o(s, 1 / static_cast<float>(s.n));
    grid_context grid(0);
    for (int run = 0; run < 2; ++run) { // the second with the counters that the first left
        std::vector<float> x = o.x;
        triangular_problem<solve> p;
        p.upper = s.upper, p.trans = s.trans, p.unit = s.unit;
        p.n = s.n, p.a = o.a.data(), p.lda = s.lda;
        p.x = x.data() + operands::place(s, 0), p.incx = s.inc;
        assert_true(!kernel.accepts || kernel.accepts(p, device));
        assert_int_equal(kernel.launch(p, grid.context), MYBLAS_STATUS_SUCCESS);
        grid.assert_counters_are_zero();
        const auto element = [&](int64_t i, int64_t j) { return o.triangular(s, i, j); };
        for (int64_t i = 0; i < s.n; ++i) {
            const size_t at = operands::place(s, i);
            if constexpr (solve)
                assert_row(s, i, element, x, 0, o.x[at]);
            else
                assert_row(s, i, element, o.x, 0, x[at]);
        }
    }
}

void check_symmetric(const kernel_entry<symv_problem>& kernel, const shape& s, float beta) {
    if (left_out())
        return;
    const operands o(s, 1), other(s, 1);
    std::vector<float> y = other.x;
    if (beta == 0)
        y.assign(y.size(), std::nanf(""));
    symv_problem p;
    p.upper = s.upper, p.n = s.n, p.alpha = {1}, p.beta = {beta};
    p.a = o.a.data(), p.lda = s.lda;
    p.x = o.x.data() + operands::place(s, 0), p.incx = s.inc;
    p.y = y.data() + operands::place(s, 0), p.incy = s.inc;
    grid_context grid(kernel.workspace_bytes ? kernel.workspace_bytes(p, device) : 0);
    assert_int_equal(kernel.launch(p, grid.context), MYBLAS_STATUS_SUCCESS);
    grid.assert_counters_are_zero();
    for (int64_t i = 0; i < s.n; ++i) {
        const size_t at = operands::place(s, i);
        assert_row(
            s,
            i,
            [&](int64_t row, int64_t column) { return o.symmetric(s, row, column); },
            o.x,
            beta == 0 ? 0 : double{beta} * other.x[at],
            y[at]);
    }
}

// syr and syr2, of vectors with different increments; the other triangle keeps its NaN.
void check_update(const shape& s, bool twice) {
    if (left_out())
        return;
    const operands o(s, 1), other(s, 1);
    std::vector<float> a = o.a;
    syr_problem p;
    p.upper = s.upper, p.n = s.n, p.alpha = {0.7f};
    p.x = o.x.data() + operands::place(s, 0), p.incx = s.inc;
    p.y = twice ? other.x.data() + operands::place(s, 0) : nullptr, p.incy = s.inc;
    p.a = a.data(), p.lda = s.lda;
    grid_context grid(0);
    assert_int_equal(cuda::syr_tiles.launch(p, grid.context), MYBLAS_STATUS_SUCCESS);
    for (int64_t j = 0; j < s.n; ++j)
        for (int64_t i = 0; i < s.lda; ++i) {
            const auto at = static_cast<size_t>(i + j * s.lda);
            if (i >= s.n || (s.upper ? i > j : i < j)) {
                assert_true(std::isnan(a[at]));
                continue;
            }
            const double xi = o.x[operands::place(s, i)], xj = o.x[operands::place(s, j)];
            const double yi = other.x[operands::place(s, i)], yj = other.x[operands::place(s, j)];
            const double sum = 0.7 * (twice ? xi * yj + yi * xj : xi * xj) + o.a[at];
            if (!(std::fabs(sum - a[at]) <= 1e-6))
                fail_msg("n %lld lda %lld: element %lld, %lld is %g, not %g",
                         static_cast<long long>(s.n),
                         static_cast<long long>(s.lda),
                         static_cast<long long>(i),
                         static_cast<long long>(j),
                         a[at],
                         sum);
        }
}

// ger of an A that begins `offset` floats after the start of a cache line, with NaN around it.
void check_ger(int64_t m, int64_t n, int64_t lda, int64_t offset, float alpha) {
    if (left_out())
        return;
    constexpr size_t line = 32;
    std::vector<float> memory(static_cast<size_t>(lda * n) + 2 * line, std::nanf(""));
    std::vector<float> x(static_cast<size_t>(m)), y(static_cast<size_t>(n));
    const size_t to_line =
        (line - reinterpret_cast<uintptr_t>(memory.data()) / sizeof(float) % line) % line;
    float* const a = memory.data() + to_line + offset;
    for (float& xi : x)
        xi = random_float();
    for (float& yj : y)
        yj = random_float();
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i)
            a[i + j * lda] = static_cast<float>((i + 3 * j) % 8);
    syr_problem p;
    p.is_ger = true, p.m = m, p.n = n, p.alpha = {alpha};
    p.x = x.data(), p.y = y.data(), p.a = a, p.lda = lda;
    grid_context grid(0);
    assert_int_equal(cuda::syr_tiles.launch(p, grid.context), MYBLAS_STATUS_SUCCESS);
    size_t numbers = 0;
    for (const float value : memory)
        numbers += !std::isnan(value);
    assert_int_equal(numbers, m * n);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i) {
            const double sum =
                double{alpha} * x[static_cast<size_t>(i)] * y[static_cast<size_t>(j)] +
                static_cast<double>((i + 3 * j) % 8);
            if (!(std::fabs(sum - a[i + j * lda]) <= 1e-6))
                fail_msg("ger %lld x %lld: element %lld, %lld is %g, not %g",
                         static_cast<long long>(m),
                         static_cast<long long>(n),
                         static_cast<long long>(i),
                         static_cast<long long>(j),
                         a[i + j * lda],
                         sum);
        }
}

template <class Check>
void for_shapes(std::initializer_list<int64_t> sizes, bool triangular, Check check) {
    state = 1;
    int64_t turn = 0;
    for (const int64_t n : sizes)
        for (int form = 0; form < (triangular ? 4 : 2); ++form, ++turn)
            check(shape{.upper = form % 2 == 1,
                        .trans = form / 2 == 1,
                        .unit = triangular && turn % 3 == 0,
                        .n = n,
                        .lda = n + turn % 4,
                        .inc = turn % 5 == 3   ? -2
                               : turn % 5 == 4 ? 2
                                               : 1});
}

void test_trsv(void**) {
    for_shapes({1, 32, 33, 100, 129, 300}, true, [](const shape& s) {
        check_triangular(cuda::trsv_chain, s);
    });
    for_shapes({1, 33}, true, [](const shape& s) { check_triangular(cuda::trsv_single_block, s); });
}

void test_trmv(void**) {
    for_shapes({1, 32, 33, 64, 65, 127, 129, 161, 300}, true, [](const shape& s) {
        check_triangular(cuda::trmv_rows, s);
    });
    // The bits of finished blocks are in two words.
    check_triangular(cuda::trmv_rows, {true, false, false, 1100, 1100, 1});
    for_shapes({1, 33}, true, [](const shape& s) { check_triangular(cuda::trmv_single_block, s); });
}

void test_symv(void**) {
    for_shapes({1, 63, 65, 161, 300, 450}, false, [](const shape& s) {
        for (const float beta : {0.0f, -0.5f}) {
            check_symmetric(cuda::symv_warps, s, beta);
            check_symmetric(cuda::symv_rows, s, beta);
            check_symmetric(cuda::symv_tiles, s, beta);
            check_symmetric(cuda::symv_strips, s, beta);
        }
    });
}

void test_updates(void**) {
    for_shapes({1, 33, 64, 96, 130}, false, [](const shape& s) {
        check_update(s, s.lda % 2);
        check_update({s.upper, false, false, s.n, (s.n + 31) / 32 * 32, s.inc}, true);
    });
    // Sixteen columns for each thread, as for large matrices with and without whole cache lines.
    for (const bool upper : {false, true}) {
        check_update({upper, false, false, 1537, 1537, 1}, true);
        check_update({upper, false, false, 1600, 1600, 1}, false);
    }
}

void test_ger(void**) {
    state = 1;
    check_ger(1, 1, 1, 0, 0.7f);
    check_ger(78, 43, 79, 1, 0.7f);
    check_ger(130, 65, 130, 0, 0x1p-140f); // the factors are subnormal
    // Tiles of few rows and of few columns, for a small and a large A.
    check_ger(11, 70, 12, 1, 0.7f);
    check_ger(70, 11, 71, 2, 0.7f);
    check_ger(130, 19, 130, 0, 0.7f);
    check_ger(16, 65600, 16, 0, 0.7f);
    check_ger(15, 70001, 17, 3, 0.7f);
    check_ger(65600, 16, 65600, 0, 0.7f);
    check_ger(75011, 14, 75013, 3, 0.7f);
    // Tiles of few columns, where square ones would be empty for a quarter.
    check_ger(16400, 70, 16401, 3, 0.7f);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_trsv),
        cmocka_unit_test(test_trmv),
        cmocka_unit_test(test_symv),
        cmocka_unit_test(test_updates),
        cmocka_unit_test(test_ger),
    };
    return cmocka_run_group_tests_name("level2_grid", tests, nullptr, nullptr);
}
