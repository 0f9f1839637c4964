// Attribution of results: the kernels' orders of summation on the FP32 units, repeated on the host
// for any k.
#include "attribution.h"

#include "random.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <setjmp.h>

extern "C" {
#include <cmocka.h>
}

using namespace bench;

namespace {

constexpr int64_t rows = 3, cols = 5, elements = rows * cols;
// Values of k around the ends of chunks and groups, and far beyond both.
constexpr int64_t depths[] = {1, 63, 64, 65, 1000, 1024, 1025, 1088, 2048, 2049, 5000, 32768};

float value(uint64_t stream, int64_t at) {
    float x = 0;
    random_value(stream, static_cast<uint64_t>(at), x);
    return x;
}

// One term of element `at` of C.
float add_term(int64_t at, int64_t l, float sum) {
    return std::fmaf(value(1, at % rows + l * rows), value(2, at / rows + l * cols), sum);
}

// Calls f(at) for every element.
template <class F>
std::vector<float> for_each_element(F&& f) {
    std::vector<float> c;
    for (int64_t at = 0; at < elements; ++at)
        c.push_back(f(at));
    return c;
}

// Adds in the order of bf16x6 and fp16x3: slab by slab of 16, in three accumulators, each added to
// the total when it is full.
std::vector<float> add_by_groups(int64_t k) {
    return for_each_element([&](int64_t at) {
        float chunk = 0, group = 0, sum = 0;
        const auto hand_over = [](float& from, float& to) {
            to += from;
            from = 0;
        };
        int slabs = 0;
        for (int64_t first = 0; first < k; first += 16) {
            for (int64_t l = first; l < std::min(first + 16, k); ++l)
                chunk = add_term(at, l, chunk);
            if (++slabs % 4 == 0)
                hand_over(chunk, group);
            if (slabs % 64 == 0)
                hand_over(group, sum);
        }
        hand_over(chunk, group);
        hand_over(group, sum);
        return sum;
    });
}

// Adds in the order of tf32x3: the sums of every `part_k` of k are added.
std::vector<float> add_by_parts(int64_t k, int64_t part_k) {
    return for_each_element([&](int64_t at) {
        float sum = 0;
        for (int64_t first = 0; first < k; first += part_k) {
            float part = 0;
            for (int64_t l = first; l < std::min(first + part_k, k); ++l)
                part = add_term(at, l, part);
            sum += part;
        }
        return sum;
    });
}

myblasMath_t attributed(const std::vector<float>& c, int64_t k) {
    std::vector<float> sums(elements);
    const auto add = [&](int64_t first, int64_t count, bool afresh) {
        for (int64_t at = 0; at < elements; ++at) {
            float part = 0;
            for (int64_t l = first; l < first + count; ++l)
                part = add_term(at, l, part);
            float& sum = sums[static_cast<size_t>(at)];
            sum = afresh ? part : part + sum;
        }
    };
    const std::vector<std::vector<float>> ends = add_as_strict_ends({add, [&] { return sums; }}, k);
    std::vector<served> known{{MYBLAS_FP32_FAST_MATH, c}};
    for (const std::vector<float>& end : ends)
        known.push_back({MYBLAS_FP32_STRICT_MATH, end});
    return attribute(known[0], known);
}

void test_strict_ends_of_any_k(void**) {
    for (const int64_t k : depths) {
        assert_int_equal(attributed(add_by_groups(k), k), MYBLAS_FP32_STRICT_MATH);
        assert_int_equal(attributed(add_by_parts(k, 64), k), MYBLAS_FP32_STRICT_MATH);
    }
}

// The orders must differ, or the test above would show nothing.
void test_orders_differ(void**) {
    for (const int64_t k : depths) {
        assert_int_equal(same_bits(add_by_groups(k), add_by_parts(k, 64)), k <= 1088);
        if (k > 64)
            assert_int_equal(attributed(add_by_parts(k, 32), k), MYBLAS_FP32_FAST_MATH);
    }
}

void test_strictest_mode_with_the_same_bits(void**) {
    const std::vector<float> c = {1, 2}, equal = c, other = {1, 3};
    const served known[] = {{MYBLAS_FP32_FAST_MATH, c},
                            {MYBLAS_FP32_EMULATED_MATH, equal},
                            {MYBLAS_FP32_STRICT_MATH, other}};
    assert_int_equal(attribute(known[0], known), MYBLAS_FP32_EMULATED_MATH);
    assert_int_equal(attribute(known[1], known), MYBLAS_FP32_EMULATED_MATH);
    assert_int_equal(attribute(known[2], known), MYBLAS_FP32_STRICT_MATH);
}

// fp16x3 serves emulated mode, and fast mode without the corrections of small elements.
void test_a_family_in_two_modes(void**) {
    const std::vector<float> c = {1, 2};
    const served fast{MYBLAS_FP32_FAST_MATH, c, "fp16x3/256x128"};
    const auto beside = [&](myblasMath_t mode, const char* kernel) {
        const served others[] = {fast, {mode, c, kernel}};
        return attribute(fast, others);
    };
    assert_int_equal(beside(MYBLAS_FP32_EMULATED_MATH, "fp16x3/128x128"), MYBLAS_FP32_FAST_MATH);
    assert_int_equal(beside(MYBLAS_FP32_EMULATED_MATH, "bf16x6/128x128"),
                     MYBLAS_FP32_EMULATED_MATH);
    assert_int_equal(beside(MYBLAS_FP32_STRICT_MATH, ""), MYBLAS_FP32_STRICT_MATH);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_strict_ends_of_any_k),
        cmocka_unit_test(test_orders_differ),
        cmocka_unit_test(test_strictest_mode_with_the_same_bits),
        cmocka_unit_test(test_a_family_in_two_modes),
    };
    return cmocka_run_group_tests_name("attribution", tests, nullptr, nullptr);
}
