// Lists of shapes: the public sweep of products on a GPU has operands with at least 2^30 elements,
// and classes of products follow from their seed.
#include "options.h"

#include <algorithm>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

extern "C" {
#include <cmocka.h>
}

using namespace bench;

static std::vector<shape> products(sweep wanted, myblasBackend_t backend, uint64_t seed = 0) {
    options chosen;
    chosen.seed = seed;
    chosen.routines = {routine::sgemm};
    chosen.sweeps = {wanted};
    return requested_shapes(chosen, backend);
}

static bool is_huge(int64_t elements) { return elements >= int64_t{1} << 30; }

static int64_t count_huge(const shape& s) {
    const operand_sizes count = count_elements(s);
    return is_huge(count.a) + is_huge(count.b) + is_huge(count.c);
}

static void each_operand_is_huge_in_some_product(void**) {
    const std::vector<shape> shapes = products(sweep::all_public, MYBLAS_BACKEND_CUDA);
    int64_t all = 0, a = 0, b = 0, c = 0;
    for (const shape& s : shapes) {
        const operand_sizes count = count_elements(s);
        const bool is_single = count_huge(s) == 1;
        all += count_huge(s) == 3;
        a += is_single && is_huge(count.a);
        b += is_single && is_huge(count.b);
        c += is_single && is_huge(count.c);
    }
    assert_in_range(all, 2, 3); // each takes seconds
    assert_int_equal(a, 1);
    assert_int_equal(b, 1);
    assert_int_equal(c, 1);
}

static void other_lists_have_none(void**) {
    for (const auto& shapes : {products(sweep::all_public, MYBLAS_BACKEND_HOST),
                               products(sweep::misaligned, MYBLAS_BACKEND_CUDA)}) {
        assert_false(shapes.empty());
        assert_true(std::none_of(shapes.begin(), shapes.end(), count_huge));
    }
}

static std::string text_of(const std::vector<shape>& shapes) {
    std::string text;
    for (const shape& s : shapes)
        text += to_text(s) + '\n';
    return text;
}

static void classes_follow_from_the_seed(void**) {
    for (const named<sweep>& of : sweep_names) {
        if (of.value < sweep::general)
            continue;
        const std::vector<shape> drawn = products(of.value, MYBLAS_BACKEND_CUDA, 1);
        assert_true(std::all_of(
            drawn.begin(), drawn.end(), [&](const shape& s) { return s.of == of.value; }));
        assert_true(text_of(drawn) == text_of(products(of.value, MYBLAS_BACKEND_CUDA, 1)));
        if (of.value == sweep::networks) {
            assert_in_range(drawn.size(), 40, 200);
            continue;
        }
        assert_int_equal(drawn.size(), 200);
        assert_true(text_of(drawn) != text_of(products(of.value, MYBLAS_BACKEND_CUDA, 2)));
    }
}

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(each_operand_is_huge_in_some_product),
        cmocka_unit_test(other_lists_have_none),
        cmocka_unit_test(classes_follow_from_the_seed),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
