// What the soak calls growth, on planted rounds.
#include "fuzz/soak.h"

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

extern "C" {
#include <cmocka.h>
}

namespace {

using namespace fuzz;

constexpr double mib = 1 << 20;
constexpr int rounds = 16, graphs = 400, objects = 100; // of a round
constexpr double bytes_of_graph = 200;

// All memory stays as it is; the driver loses lost_bytes in each round.
soak_run steady_run(double lost_bytes, int64_t objects_of_round) {
    soak_run run{.rounds = {}, .bytes_of_graph = bytes_of_graph};
    for (int i = 1; i <= rounds; ++i) {
        soak_round round;
        round.memory = {.rss_mib = 100,
                        .gpu_used_mib = 500,
                        .own_mib = 20,
                        .driver_mib = 40,
                        .lost_mib = i * lost_bytes / mib,
                        .user_objects = i * objects_of_round};
        round.memory.rss_mib += round.memory.lost_mib;
        round.graphs = graphs;
        run.rounds.push_back(round);
    }
    return run;
}

void assert_grows(const soak_run& run, const char* expected) {
    assert_string_equal(growth_in(run).c_str(), expected);
}

template <double memory_use::*Memory>
void grows(const char* expected) {
    soak_run run = steady_run(0, 0);
    for (soak_round& round : run.rounds)
        round.memory.*Memory += static_cast<double>(&round - run.rounds.data());
    assert_grows(run, expected);
}

void test_memory_that_grows(void**) {
    assert_grows(steady_run(0, 0), "");
    grows<&memory_use::own_mib>("the memory that is not freed keeps growing");
    grows<&memory_use::rss_mib>("the memory of the process keeps growing");
    grows<&memory_use::gpu_used_mib>(
        "the memory of the GPU, which all processes share, keeps growing");
}

void test_the_driver_loses_by_user_objects(void**) {
    assert_grows(steady_run(objects * bytes_of_graph, objects), "");
    assert_grows(steady_run(graphs * bytes_of_graph, objects),
                 "the driver loses more than by its graphs");
    // If they cannot be counted, each graph may have had one.
    assert_grows(steady_run(graphs * bytes_of_graph, 0), "");
    assert_grows(steady_run(2 * graphs * bytes_of_graph, 0),
                 "the driver loses more than by its graphs");
    // An object whose graph was never launched is no reason to lose memory.
    assert_grows(steady_run(2 * graphs * bytes_of_graph, 2 * graphs),
                 "the driver loses more than by its graphs");
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_that_grows),
        cmocka_unit_test(test_the_driver_loses_by_user_objects),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
