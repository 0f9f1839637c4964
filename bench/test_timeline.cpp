// Text of a timeline: places and lengths, engines that do nothing, spans that are too short to see.
#include "timeline.h"

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

extern "C" {
#include <cmocka.h>
}

using namespace bench;

static void expect(const std::vector<std::string>& lines, std::vector<const char*> wanted) {
    assert_int_equal(lines.size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i)
        assert_string_equal(lines[i].c_str(), wanted[i]);
}

static void spans_have_their_places(void**) {
    const std::vector<span> spans = {
        {engine::up, 0, 4}, {engine::compute, 4, 6}, {engine::down, 6, 10}, {engine::up, 5, 7}};
    expect(timeline_lines(spans, 10, 10),
           {"up       >>>> >>", "compute      ##", "down           <<<<"});
    assert_true(busy_ms(spans, engine::up) == 6);
}

static void a_time_in_which_one_span_waits_for_another_counts_once(void**) {
    const std::vector<span> spans = {{engine::up, 6, 8},
                                     {engine::up, 0, 4},
                                     {engine::up, 1, 2},
                                     {engine::up, 3, 5},
                                     {engine::down, 0, 9}};
    assert_true(busy_ms(spans, engine::up) == 7);
    assert_true(busy_ms(spans, engine::compute) == 0);
}

static void an_idle_engine_has_no_line(void**) {
    expect(timeline_lines({{engine::compute, 0, 1}}, 2, 4), {"compute  ##"});
    expect(timeline_lines({}, 2, 4), {});
}

static void a_short_span_can_be_seen(void**) {
    expect(timeline_lines({{engine::up, 0, 0.001}, {engine::down, 9.999, 10}}, 10, 5),
           {"up       >", "down         <"});
}

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(spans_have_their_places),
        cmocka_unit_test(a_time_in_which_one_span_waits_for_another_counts_once),
        cmocka_unit_test(an_idle_engine_has_no_line),
        cmocka_unit_test(a_short_span_can_be_seen)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
