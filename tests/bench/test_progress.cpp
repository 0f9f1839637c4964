// The time left of a sweep: from the work that remains, not from the number of shapes.
#include "progress.h"

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

extern "C" {
#include <cmocka.h>
}

using bench::time_estimate;

namespace {

constexpr double least_s = 0.1, epsilon = 1e-9;
constexpr int rounds = 5;

void equal_shapes_take_equal_times(void**) {
    time_estimate left({1e9, 1e9, 1e9, 1e9, 1e9}, least_s, rounds);
    assert_false(left.seconds_left().has_value());
    left.finish(3, true);
    left.finish(1, true);
    assert_float_equal(*left.seconds_left(), 6, epsilon);
}

void large_shapes_take_longer(void**) {
    time_estimate left({1e9, 1e9, 2e12}, least_s, rounds);
    left.learn(5e11, 1);
    left.learn(1e12, 1);
    left.learn(1e11, 1); // a slow call of a small shape
    // So far, a shape took twice as long as its samples. The samples of the last one take 5 calls
    // of 2 s.
    left.finish(0.2, true);
    left.finish(0.2, true);
    assert_float_equal(*left.seconds_left(), 20, epsilon);
    left.finish(20, true);
    assert_float_equal(*left.seconds_left(), 0, epsilon);
}

void skipped_shapes_tell_nothing(void**) {
    time_estimate left({1e15, 1e9, 1e9}, least_s, rounds);
    left.learn(1e12, 1);
    left.finish(0, false);
    assert_false(left.seconds_left().has_value());
    left.finish(0.3, true);
    assert_float_equal(*left.seconds_left(), 0.3, epsilon);
}

void without_a_minimum_and_a_rate_nothing_is_predicted(void**) {
    time_estimate left({1e9, 1e9}, 0, rounds);
    left.finish(1, true);
    assert_false(left.seconds_left().has_value());
    left.learn(1e9, 1);
    assert_float_equal(*left.seconds_left(), 1, epsilon);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(equal_shapes_take_equal_times),
        cmocka_unit_test(large_shapes_take_longer),
        cmocka_unit_test(skipped_shapes_tell_nothing),
        cmocka_unit_test(without_a_minimum_and_a_rate_nothing_is_predicted),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
