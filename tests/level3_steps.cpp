// The CUDA kernels of level 3's steps, and of rank updates by vectors, on a CPU
// (cpu_kernels/cuda_runtime.h). Results are compared with the host backend's and with sums in
// double precision. The test finds wrong indices and most missing barriers. Errors of a GPU's
// memory, alignment or timing are beyond it.
#include "kernels/level2/registry.h"
#include "kernels/level3/registry.h"
#include "left_out.h"
#include "level3/steps.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstring>
#include <setjmp.h>
#include <utility>
#include <vector>

extern "C" {
#include <cmocka.h>
}

using namespace myblas;

namespace {

// The number of multiprocessors decides how many lines a block of the solving kernel takes.
const device_info device{.smem_per_block = 232448},
    large_device{.sm_count = 1000, .smem_per_block = 101376};
unsigned counters[counter_count];
const launch_context context{.device = &device, .counters = counters},
    large_context{.device = &large_device, .counters = counters};

// ---- Data ---------------------------------------------------------------------------------------

uint64_t state = 1;

int64_t random_between(int64_t low, int64_t high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(high - low + 1));
}
bool random_bit() { return random_between(0, 1); }
float random_float() { return static_cast<float>(random_between(-10000, 10000)) / 10000; }

std::vector<float> random_floats(int64_t count) {
    std::vector<float> all(static_cast<size_t>(count));
    for (float& value : all)
        value = random_float();
    return all;
}

std::vector<float> unset(int64_t count) {
    return std::vector<float>(static_cast<size_t>(count), std::nanf(""));
}

// The same bits, except where `is_close(index)` accepts the difference.
template <class IsClose>
void assert_equal(const std::vector<float>& found,
                  const std::vector<float>& right,
                  IsClose is_close) {
    for (size_t i = 0; i < right.size(); ++i)
        if (std::memcmp(&found[i], &right[i], sizeof(float)) != 0 && !is_close(i))
            fail_msg("element %zu is %g, not %g", i, found[i], right[i]);
}

// ---- Triangles ----------------------------------------------------------------------------------

// A batch of triangles, in any of the ways in which a plan may have them in memory.
struct triangles {
    bool right, trans, reversed;
    int64_t n, lines, batch, lda, ldb;
    std::vector<float> a, x;

    int64_t sign() const { return reversed ? -1 : 1; }
    int64_t first() const { return reversed ? n - 1 : 0; }
    int64_t along() const { return right ? ldb : 1; }
    int64_t across() const { return right ? 1 : ldb; }
    int64_t size_a() const { return lda * n + 3; }
    int64_t size_x() const { return ldb * (right ? n : lines) + 5; }
    int64_t place_a(int64_t i, int64_t j) const {
        const int64_t row = trans ? lda : 1, col = trans ? 1 : lda;
        return first() * (1 + lda) + sign() * (i * row + j * col);
    }
    int64_t place_x(int64_t i, int64_t line) const {
        return first() * along() + sign() * i * along() + line * across();
    }

    // Elements that must not be read stay NaN. `is_wide`: a diagonal from subnormals to 2^20; the
    // other elements are small against it.
    triangles(
        int64_t order, int64_t batch_count, bool is_unit, bool is_wide, int64_t most_lines = 150)
        : right(random_bit()), trans(random_bit()), reversed(random_bit()), n(order),
          lines(random_between(1, most_lines)), batch(batch_count), lda(n + random_between(0, 2)),
          ldb((right ? lines : n) + random_between(0, 2)), a(unset(size_a() * batch)),
          x(unset(size_x() * batch)) {
        for (int64_t z = 0; z < batch; ++z) {
            for (int64_t i = 0; i < n; ++i) {
                for (int64_t j = 0; j < i; ++j)
                    a[z * size_a() + place_a(i, j)] = std::ldexp(
                        random_float() / std::sqrt(static_cast<float>(n)), is_wide ? -135 : 0);
                if (!is_unit)
                    a[z * size_a() + place_a(i, i)] = std::ldexp(1.5f + random_float() / 2,
                                                                 !is_wide ? 0
                                                                 : i % 3  ? i % 40 - 20
                                                                          : -130);
                for (int64_t line = 0; line < lines; ++line)
                    x[z * size_x() + place_x(i, line)] =
                        std::ldexp(random_float(), is_wide ? -20 : 0);
            }
        }
    }

    triangle_step step(bool is_solve, bool is_unit, const float* from, float* to) const {
        return {.is_solve = is_solve,
                .unit = is_unit,
                .n = n,
                .block = !is_solve                    ? 64
                         : n <= most_cuda_solve_block ? most_cuda_solve_block
                                                      : most_chain_rows,
                .lines = lines,
                .alpha = {-0.5f},
                .gate = {1},
                .a = {a.data(), size_a(), nullptr, place_a(0, 0)},
                .a_row = place_a(1, 0) - place_a(0, 0),
                .a_col = place_a(0, 1) - place_a(0, 0),
                .x = {from, size_x(), nullptr, place_x(0, 0)},
                .x_along = sign() * along(),
                .x_across = across(),
                .y = {to, size_x(), nullptr, place_x(0, 0)},
                .y_along = sign() * along(),
                .y_across = across(),
                .batch_count = batch};
    }

    // Compares with sums in double precision within the bounds of mystrmm and mystrsm; for a
    // solution, the residual.
    void check_result(const triangle_step& p, const std::vector<float>& y) const {
        const auto order = static_cast<double>(std::min(n, p.block));
        const double factor = order + (p.is_solve ? 3 : 2) * std::log2(order) + 4;
        const std::vector<float>& multiplied = p.is_solve ? y : x;
        for (int64_t z = 0; z < batch; ++z)
            for (int64_t line = 0; line < lines; ++line)
                for (int64_t i = 0; i < n; ++i) {
                    const size_t at = z * size_x() + place_x(i, line);
                    if (p.gate.value == 0) {
                        assert_true(y[at] == 0);
                        continue;
                    }
                    double sum = 0, magnitude = 0;
                    for (int64_t j = i / p.block * p.block; j <= i; ++j) { // of the diagonal block
                        const double term =
                            (i == j && p.unit ? 1 : double{a[z * size_a() + place_a(i, j)]}) *
                            multiplied[z * size_x() + place_x(j, line)];
                        sum += term;
                        magnitude += std::fabs(term);
                    }
                    const double alpha = p.alpha.value, other = p.is_solve ? alpha * x[at] : y[at];
                    const double exact = p.is_solve ? sum : alpha * sum;
                    const double scale =
                        p.is_solve ? magnitude + std::fabs(other) : std::fabs(alpha) * magnitude;
                    if (!(std::fabs(other - exact) <=
                          factor * 0x1p-24 * scale + factor * (1 + std::fabs(alpha)) * 0x1p-149))
                        fail_msg("%s of order %d: line %d, element %d: %.9g, not %.9g",
                                 p.is_solve ? "solution" : "product",
                                 static_cast<int>(n),
                                 static_cast<int>(line),
                                 static_cast<int>(i),
                                 other,
                                 exact);
                }
    }
};

// Solves like the host's step, also triangles too large for that.
void solve_plainly(const triangle_step& p) {
    const float alpha = p.gate.value == 0 ? 0 : p.alpha.value;
    for (int64_t z = 0; z < p.batch_count; ++z) {
        const float* const a = p.a.base + z * p.a.stride + p.a.offset;
        const float* const x = p.x.base + z * p.x.stride + p.x.offset;
        float* const y = p.y.base + z * p.y.stride + p.y.offset;
        for (int64_t line = 0; line < p.lines; ++line) {
            for (int64_t i = 0; i < p.n; ++i) {
                float rest = alpha == 0 ? 0 : alpha * x[i * p.x_along + line * p.x_across];
                for (int64_t j = 0; j < i && alpha != 0; ++j)
                    rest -= a[i * p.a_row + j * p.a_col] * y[j * p.y_along + line * p.y_across];
                const bool is_divided = alpha != 0 && !p.unit;
                y[i * p.y_along + line * p.y_across] =
                    is_divided ? rest / a[i * (p.a_row + p.a_col)] : rest;
            }
        }
    }
}

// For each element of a solution Y, the sum of the magnitudes that are added for it, divided by the
// diagonal.
std::vector<float> magnitudes(const triangle_step& p, size_t size) {
    std::vector<float> all(size);
    for (int64_t z = 0; z < p.batch_count; ++z) {
        const float* const a = p.a.base + z * p.a.stride + p.a.offset;
        const float* const x = p.x.base + z * p.x.stride + p.x.offset;
        const float* const y = p.y.base + z * p.y.stride + p.y.offset;
        for (int64_t line = 0; line < p.lines; ++line) {
            for (int64_t i = 0; i < p.n; ++i) {
                const int64_t place = i * p.y_along + line * p.y_across;
                float sum = std::fabs(p.alpha.value * x[i * p.x_along + line * p.x_across]);
                for (int64_t j = 0; j < i; ++j)
                    sum += std::fabs(a[i * p.a_row + j * p.a_col] *
                                     y[j * p.y_along + line * p.y_across]);
                const float diagonal = p.unit ? 1 : a[i * (p.a_row + p.a_col)];
                all[static_cast<size_t>(y + place - p.y.base)] = std::fabs(sum / diagonal);
            }
        }
    }
    return all;
}

void check_triangle(bool is_solve, int64_t n, bool is_wide) {
    if (left_out())
        return;
    const bool is_chain = is_solve && n > most_cuda_solve_block; // one line, in place
    const bool is_unit = random_bit(), is_in_place = random_bit() || is_chain;
    const int64_t batch = is_chain ? 1 : n <= 64 || is_solve ? random_between(1, 3) : 1;
    const triangles t(n, batch, is_unit, is_wide, is_chain ? 1 : 150);
    std::vector<float> right = is_in_place ? t.x : unset(static_cast<int64_t>(t.x.size()));
    std::vector<float> found = right;
    const auto step_of = [&](std::vector<float>& y) {
        triangle_step step =
            t.step(is_solve, is_unit, is_in_place ? y.data() : t.x.data(), y.data());
        if (random_between(0, 9) == 0)
            step.gate = {0};
        return step;
    };
    triangle_step step = step_of(right);
    if (n <= most_triangle_block || !is_solve)
        assert_int_equal(host_steps().triangle(step, context), MYBLAS_STATUS_SUCCESS);
    else
        solve_plainly(step);
    // Both round. For a well-conditioned triangle the difference stays below 200 roundings.
    step.x.base = t.x.data();
    const std::vector<float> scale =
        is_solve && is_wide ? magnitudes(step, right.size()) : std::vector<float>();
    step.x.base = is_in_place ? found.data() : t.x.data();
    step.y.base = found.data();
    assert_int_equal(cuda::triangle(step, random_bit() ? context : large_context),
                     MYBLAS_STATUS_SUCCESS);
    // Nothing else is written.
    std::vector<bool> is_result(found.size());
    for (int64_t z = 0; z < t.batch; ++z)
        for (int64_t i = 0; i < n; ++i)
            for (int64_t line = 0; line < t.lines; ++line)
                is_result[z * t.size_x() + t.place_x(i, line)] = true;
    assert_equal(found, right, [&](size_t i) { return is_result[i]; });
    for (const std::vector<float>* y : {&found, &right})
        t.check_result(step, *y);
}

void test_triangles(void**) {
    state = 3;
    for (const int64_t n : {1, 5, 15, 16, 17, 31, 32, 33, 64, 65, 100, 127, 128}) {
        for (int round = 0; round < 4; ++round) {
            check_triangle(true, n, round == 3);
            check_triangle(false, n, round == 3);
        }
    }
    for (int round = 0; round < 4; ++round)
        check_triangle(false, 200 + 17 * round, false); // several diagonal blocks
    for (const int64_t n : {129, 160, 161, 200, 223, 255, 256})
        for (int round = 0; round < 4; ++round)
            check_triangle(true, n, round == 3);
    for (const int64_t n : {257, 300, 384, 385}) {
        for (int round = 0; round < 8; ++round) {
            check_triangle(true, n, round == 3);
            for (const unsigned counter : counters)
                assert_int_equal(counter, 0);
        }
    }
}

// Quotients are within an ulp, which estimates by a reciprocal alone are not. One quotient is
// finite although the dividend times the divisor's reciprocal is not, and one is not finite.
void test_quotients(void**) {
    std::vector<std::pair<float, float>> pairs = {{0x1.d8cd7ep+127f, 0x1.d8cd8p-1f},
                                                  {-0x1.d8cd7ep+127f, 0x1.d8cd8p-1f},
                                                  {0x1.fffffep+127f, 1},
                                                  {0x1p+127f, 0x1p-1f},
                                                  {0x1p+100f, 3}};
    state = 8;
    for (int i = 0; i < 2000; ++i)
        pairs.emplace_back(1 + static_cast<float>(random_between(0, 0x7fffff)) * 0x1p-23f,
                           1 + static_cast<float>(random_between(0, 0x7fffff)) * 0x1p-23f);
    for (const auto& [rest, divisor] : pairs) {
        float x = rest;
        const triangle_step step{.is_solve = true,
                                 .unit = false,
                                 .n = 1,
                                 .block = most_cuda_solve_block,
                                 .lines = 1,
                                 .alpha = {1},
                                 .gate = {1},
                                 .a = {&divisor, 1, nullptr, 0},
                                 .a_row = 1,
                                 .a_col = 1,
                                 .x = {&x, 1, nullptr, 0},
                                 .x_along = 1,
                                 .x_across = 1,
                                 .y = {&x, 1, nullptr, 0},
                                 .y_along = 1,
                                 .y_across = 1,
                                 .batch_count = 1};
        assert_int_equal(cuda::triangle(step, context), MYBLAS_STATUS_SUCCESS);
        const double exact = double{rest} / double{divisor};
        const double ulp = std::ldexp(1.0, std::ilogb(exact) - 23);
        if (std::isfinite(rest / divisor) ? !(std::fabs(x - exact) < ulp) : x != rest / divisor)
            fail_msg("%a / %a is %a", rest, divisor, x);
    }
}

// ---- The other steps ----------------------------------------------------------------------------

void test_mirrors(void**) {
    state = 4;
    for (const int64_t n : {1, 31, 32, 33, 64, 100}) {
        for (const bool upper : {false, true}) {
            std::vector<float> a = random_floats((n + 2) * n);
            for (int64_t j = 0; j < n; ++j)
                for (int64_t i = 0; i < n; ++i)
                    if (upper ? i > j : i < j)
                        a[i + j * (n + 2)] = std::nanf("");
            std::vector<float> found = unset((n + 1) * n), right = found;
            mirror_step step{upper, n, a.data(), n + 2, right.data(), n + 1, {1}};
            host_steps().mirror(step, context);
            step.w = found.data();
            assert_int_equal(cuda::mirror(step, context), MYBLAS_STATUS_SUCCESS);
            assert_equal(found, right, [](size_t) { return false; });
        }
    }
}

void test_stores(void**) {
    state = 5;
    for (const int64_t n : {1, 39, 40, 41, 70, 129}) {
        for (int form = 0; form < 8; ++form) {
            constexpr int64_t block = 40, pitch = 44;
            const std::vector<float> t = random_floats(pitch * block * (n / block + 1));
            std::vector<float> found = random_floats((n + 3) * n), right = found;
            store_step step{.upper = (form & 1) != 0,
                            .twice = (form & 2) != 0,
                            .n = n,
                            .block = block,
                            .t = t.data(),
                            .ldt = pitch,
                            .stride_t = pitch * block,
                            .beta = {form & 4 ? -0.5f : 0},
                            .c = right.data(),
                            .ldc = n + 3};
            host_steps().store(step, context);
            step.c = found.data();
            assert_int_equal(cuda::store(step, context), MYBLAS_STATUS_SUCCESS);
            assert_equal(
                found, right, [&](size_t i) { return std::fabs(found[i] - right[i]) <= 0x1p-22f; });
        }
    }
}

void test_joins(void**) {
    state = 7;
    const int64_t sizes[][2] = {{1, 1}, {70, 5}, {5, 70}, {33, 32}};
    for (const auto& [rows, cols] : sizes)
        for (const bool below : {false, true}) {
            const int64_t padded = below ? (rows + 3) / 4 * 4 : rows;
            const int64_t lda = rows + 2, ldb = rows + 1, ldw = (below ? 3 * padded : rows) + 3;
            const std::vector<float> a = random_floats(lda * cols), b = random_floats(ldb * cols);
            std::vector<float> found = unset(ldw * (below ? cols : 3 * cols)), right = found;
            for (int64_t copy = 0; copy < 3; ++copy)
                for (int64_t j = 0; j < cols; ++j)
                    for (int64_t i = 0; i < padded; ++i)
                        right[static_cast<size_t>(below ? copy * padded + i + j * ldw
                                                        : i + (copy * cols + j) * ldw)] =
                            i >= rows   ? 0
                            : copy == 1 ? b[static_cast<size_t>(i + j * ldb)]
                                        : a[static_cast<size_t>(i + j * lda)];
            const join_step step{
                below, rows, padded, cols, a.data(), lda, b.data(), ldb, found.data(), ldw};
            assert_int_equal(cuda::join(step, context), MYBLAS_STATUS_SUCCESS);
            assert_equal(found, right, [](size_t) { return false; });
        }
}

// trmm, in place or not, and symm of small orders. The elements of A that are not stored are NaN,
// and B has an Inf.
void check_small(bool is_symmetric, int form, int64_t n, int64_t lines) {
    if (left_out())
        return;
    const bool right = form & 1, upper = form & 2, trans = form & 4, unit = form & 8;
    const bool in_place = !is_symmetric && (form & 16);
    const int64_t lda = n + 3, m = right ? lines : n, cols = right ? n : lines, ldb = m + 1;
    std::vector<float> a = unset(lda * n);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i)
            if ((upper ? i <= j : i >= j) && !(unit && !is_symmetric && i == j))
                a[static_cast<size_t>(i + j * lda)] = random_float();
    std::vector<float> b = random_floats(ldb * cols), c = random_floats(ldb * cols);
    b[static_cast<size_t>(right ? lines / 2 + n / 2 * ldb : n / 2 + lines / 2 * ldb)] = INFINITY;
    const std::vector<float> old = in_place ? b : c, x = b;
    float* const result = in_place ? b.data() : c.data();
    if (is_symmetric) {
        symm_problem p{.right = right, .upper = upper, .m = m, .n = cols, .alpha = {2}};
        p.beta = {-0.5f};
        p.a = a.data(), p.lda = lda, p.b = b.data(), p.ldb = ldb, p.c = result, p.ldc = ldb;
        assert_int_equal(cuda::symm_small.launch(p, context), MYBLAS_STATUS_SUCCESS);
    } else {
        trmm_problem p{.right = right, .upper = upper, .trans = trans, .unit = unit, .m = m};
        p.n = cols, p.alpha = {2};
        p.a = a.data(), p.lda = lda, p.b = b.data(), p.ldb = ldb, p.c = result, p.ldc = ldb;
        assert_int_equal(cuda::trmm_small.launch(p, context), MYBLAS_STATUS_SUCCESS);
    }
    for (int64_t j = 0; j < cols; ++j)
        for (int64_t i = 0; i < m; ++i) {
            double sum = 0;
            for (int64_t k = 0; k < n; ++k) {
                int64_t row = right ? k : i, col = right ? j : k; // of A
                if (!is_symmetric && trans)
                    std::swap(row, col);
                const bool is_stored = upper ? row <= col : row >= col;
                if (!is_stored && !is_symmetric)
                    continue;
                if (!is_stored)
                    std::swap(row, col);
                const bool is_one = !is_symmetric && unit && row == col;
                const double factor = is_one ? 1 : a[static_cast<size_t>(row + col * lda)];
                sum += factor * x[static_cast<size_t>(right ? i + k * ldb : k + j * ldb)];
            }
            const auto at = static_cast<size_t>(i + j * ldb);
            const double right_value = 2 * sum - (is_symmetric ? 0.5 * old[at] : 0);
            const double found = result[at];
            if (std::isfinite(right_value)
                    ? !(std::fabs(found - right_value) < 1e-4)
                    : !(found == right_value || (std::isnan(found) && std::isnan(right_value))))
                fail_msg("%s %d, order %lld, %lld lines: element %lld, %lld is %g, not %g",
                         is_symmetric ? "symm" : "trmm",
                         form,
                         static_cast<long long>(n),
                         static_cast<long long>(lines),
                         static_cast<long long>(i),
                         static_cast<long long>(j),
                         found,
                         right_value);
        }
}

void test_small(void**) {
    state = 8;
    for (const int64_t n : {3, 33, 64})
        for (const int64_t lines : {1, 21}) {
            for (int form = 0; form < 32; form += lines == 1 ? 5 : 1)
                check_small(false, form, n, lines);
            for (int form = 0; form < 4; ++form)
                check_small(true, form, n, lines);
        }
    // trmm takes W in parts: blocks of 64 rows out of place, and one block for all rows in place,
    // whose second part has up to 16 columns or up to 64.
    for (const int64_t n : {65, 80, 81, 128, 191})
        for (int form = 0; form < (n > 128 ? 16 : 32); ++form)
            check_small(false, form, n, n == 65 ? 18 : 3);
}

// ger, whose factors overflow in single precision in any order, and its place in a larger matrix.
void test_general_updates(void**) {
    state = 6;
    // Tiles of 64 x 64, and of few columns or rows.
    const int64_t sizes[][2] = {{1, 1}, {63, 33}, {65, 31}, {3, 200}, {17, 40}, {200, 3}};
    for (const auto& [m, n] : sizes) {
        const int64_t lda = m + 3, incx = 2, incy = -3;
        std::vector<float> x = random_floats(m * incx), y = random_floats(n * -incy);
        for (float& value : x)
            value *= 1e25f;
        for (float& value : y)
            value *= 1e-30f;
        const std::vector<float> old = random_floats(lda * n);
        std::vector<float> found = old;
        const float* const first_y = y.data() - (n - 1) * incy;
        syr_problem p;
        p.is_ger = true;
        p.m = m;
        p.n = n;
        p.x = x.data();
        p.incx = incx;
        p.y = first_y;
        p.incy = incy;
        p.a = found.data();
        p.lda = lda;
        for (const float alpha : {1e30f, 1e5f, 0.0f}) {
            p.alpha.value = alpha;
            found = old;
            assert_int_equal(cuda::syr_tiles.launch(p, context), MYBLAS_STATUS_SUCCESS);
            for (int64_t j = 0; j < n; ++j)
                for (int64_t i = 0; i < lda; ++i) {
                    const size_t at = static_cast<size_t>(i + j * lda);
                    const double product =
                        i < m ? double{alpha} * first_y[j * incy] * x[static_cast<size_t>(i * incx)]
                              : 0;
                    assert_true(std::fabs(found[at] - (old[at] + product)) <=
                                3 * 0x1p-24 * (std::fabs(old[at]) + std::fabs(product)));
                }
        }
    }
}

void test_scalars_and_pointers(void**) {
    for (const float alpha : {0.0f, -0.0f, 2.0f}) {
        float result = 7;
        assert_int_equal(cuda::gate({&alpha, &result}, context), MYBLAS_STATUS_SUCCESS);
        assert_true(result == (alpha == 0 ? 0 : -1));
    }
    constexpr int64_t count = 300;
    const std::vector<float> memory(1000);
    std::vector<const float*> arrays[3], found(3 * count), right(3 * count);
    for (auto& array : arrays)
        for (int64_t i = 0; i < count; ++i)
            array.push_back(memory.data() + random_between(0, 500));
    pointers_step step{.count = count,
                       .arrays = {arrays[0].data(), arrays[1].data(), arrays[2].data()},
                       .offsets = {3, -2, 100},
                       .targets = right.data()};
    host_steps().pointers(step, context);
    step.targets = found.data();
    assert_int_equal(cuda::pointers(step, context), MYBLAS_STATUS_SUCCESS);
    assert_true(found == right);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_quotients),
        cmocka_unit_test(test_mirrors),
        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_joins),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_general_updates),
        cmocka_unit_test(test_scalars_and_pointers),
    };
    return cmocka_run_group_tests_name("level3_steps", tests, nullptr, nullptr);
}
