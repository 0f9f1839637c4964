// The table of the handles that exist: no library, and pointers that nobody follows.
#include "api/live_handles.h"

#include <algorithm>
#include <memory>
#include <random>
#include <setjmp.h>
#include <stdarg.h>
#include <thread>
#include <unordered_set>
#include <vector>

extern "C" {
#include <cmocka.h>
}

using namespace myblas;

namespace {

const myblasContext* at(uintptr_t address) {
    return reinterpret_cast<const myblasContext*>(address);
}

// Where an allocator may put handle number i.
const myblasContext* allocated(size_t i) { return at(0x7f0000001000 + i * 4160); }

void test_one(void**) {
    const auto table = std::make_unique<handle_table>();
    assert_false(table->contains(allocated(0)));
    assert_true(table->add(allocated(0)));
    assert_true(table->contains(allocated(0)));
    assert_false(table->contains(allocated(1)));
    assert_true(table->remove(allocated(0)));
    assert_false(table->contains(allocated(0)));
    assert_false(table->remove(allocated(0)));
    assert_true(table->add(allocated(0)));
    assert_true(table->contains(allocated(0)));
}

// Values that mark empty and deleted entries of the table are no handles.
void test_no_handles(void**) {
    const auto table = std::make_unique<handle_table>();
    for (int round = 0; round < 2; ++round) {
        for (const uintptr_t address : {uintptr_t{0}, uintptr_t{1}, uintptr_t{2}, UINTPTR_MAX}) {
            assert_false(table->contains(at(address)));
            assert_false(table->remove(at(address)));
        }
        for (size_t i = 0; i < handle_table::capacity; ++i) // every place has held a handle then
            assert_true(table->add(allocated(i)));
        for (size_t i = 0; i < handle_table::capacity; ++i)
            assert_true(table->remove(allocated(i)));
    }
}

void test_full(void**) {
    const auto table = std::make_unique<handle_table>();
    for (size_t i = 0; i < handle_table::capacity; ++i)
        assert_true(table->add(allocated(i)));
    const myblasContext* const late = allocated(handle_table::capacity);
    assert_false(table->add(late));
    assert_false(table->contains(late));
    for (size_t i = 0; i < handle_table::capacity; ++i)
        assert_true(table->contains(allocated(i)));
    assert_true(table->remove(allocated(77)));
    assert_true(table->add(late));
    assert_true(table->contains(late));
    assert_false(table->contains(allocated(77)));
}

// Handles are created and destroyed, at old and at new addresses.
void test_churn(void**) {
    const auto table = std::make_unique<handle_table>();
    std::unordered_set<size_t> alive;
    std::mt19937 random(1);
    for (int i = 0; i < 200000; ++i) {
        const size_t number = random() % 3000;
        if (alive.insert(number).second) {
            assert_true(table->add(allocated(number)));
        } else {
            alive.erase(number);
            assert_true(table->remove(allocated(number)));
        }
        const size_t asked = random() % 3000;
        assert_int_equal(table->contains(allocated(asked)), alive.contains(asked));
    }
}

// Each thread adds and removes its own handles. All threads try to remove the same shared handles,
// and for each handle one thread succeeds.
void test_threads(void**) {
    constexpr size_t threads = 4, rounds = 20000, shared = 1000;
    const auto table = std::make_unique<handle_table>();
    for (size_t i = 0; i < shared; ++i)
        assert_true(table->add(allocated(i)));
    std::vector<size_t> wrong(threads), removed(threads);
    std::vector<std::thread> all;
    for (size_t t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
            for (size_t i = 0; i < rounds; ++i) {
                const myblasContext* const own = allocated(shared + i % 100 * threads + t);
                wrong[t] += !table->add(own) || !table->contains(own) || !table->remove(own) ||
                            table->contains(own);
                if (i < shared)
                    removed[t] += table->remove(allocated(i));
            }
        });
    for (std::thread& t : all)
        t.join();
    assert_true(std::all_of(wrong.begin(), wrong.end(), [](size_t n) { return n == 0; }));
    size_t sum = 0;
    for (const size_t n : removed)
        sum += n;
    assert_int_equal(sum, shared);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_no_handles),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_churn),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests_name("live handles", tests, nullptr, nullptr);
}
