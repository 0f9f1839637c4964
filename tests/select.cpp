// src/select and what handles remember of it, with kernels made up here: no GPU, no library.
#include "select/select.h"
#include "core/selection_cache.h"
#include "select/tuning_file.h"

#include <cstdarg>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <setjmp.h>
#include <string>
#include <vector>

extern "C" {
#include <cmocka.h>
}

using namespace myblas;

namespace {

// ---- Kernels -------------------------------------------------------------------------------------

// Each selection reads what the descriptor promises to read at most.
bool takes_aligned(const sgemm_problem& p, const device_info&) {
    return reinterpret_cast<uintptr_t>(p.a) % 128 == 0 && p.lda % 4 == 0 && !p.a_array;
}
size_t workspace_of_n(const sgemm_problem& p, const device_info&) {
    return static_cast<size_t>(p.n) * 1000;
}
work_estimate small_work(const sgemm_problem& p, const device_info&) {
    return {.waves = 1, .steps = static_cast<double>(p.m * p.n)};
}
work_estimate large_work(const sgemm_problem& p, const device_info& device) {
    return {.waves = 1, .steps = 0.5 * static_cast<double>(p.m * p.n) / device.sm_count};
}

constexpr kernel_entry<sgemm_problem> plain = {.name = "plain", .description = ""};
constexpr kernel_entry<sgemm_problem> small = {
    .name = "small", .description = "", .work = small_work};
constexpr kernel_entry<sgemm_problem> large = {
    .name = "large", .description = "", .accepts = takes_aligned, .work = large_work};
constexpr kernel_entry<sgemm_problem> split = {
    .name = "split", .description = "", .workspace_bytes = workspace_of_n, .work = large_work};
constexpr kernel_entry<sgemm_problem> future = {
    .name = "future", .description = "", .min_arch = 100, .work = large_work};
constexpr const kernel_entry<sgemm_problem>* registry[] = {&plain, &small, &large, &split, &future};

constexpr cost same{1, 1, 1, 0};
constexpr kernel_cost<sgemm_problem> costs[] = {
    {&small, {{{0, 1, 1, 0}, same, same, same}}},
    {&large, {{{10, 1, 1, 0}, same, same, {}}}},
    {&split, {{{10, 1, 0.9, 0}, same, same, {}}}},
    {&future, {{{0, 0, 1e-9, 0}, same, same, same}}},
};
constexpr rule<sgemm_problem> rules[] = {
    {any_form, {at_most(1), any, any, any}, &plain},
    {any_form, {any, any, any, any}, by_cost},
    {any_form, {any, any, any, any}, &plain},
};
constexpr selection_table<sgemm_problem> table{rules, costs};
constexpr selection_table<sgemm_problem> table_without_costs{rules, {}};

device_info make_device() {
    device_info device;
    device.arch = 90;
    device.sm_count = 100;
    return device;
}
const device_info device = make_device();

const float* at(uintptr_t address) { return reinterpret_cast<const float*>(address); }

sgemm_problem square(int64_t n) {
    return {.m = n, .n = n, .k = n, .a = at(0x1000), .lda = 1024, .ldb = 1024, .ldc = 1024};
}

const char* selected(const sgemm_problem& p, size_t workspace_bytes) {
    return select(table, p, device, workspace_bytes)->name;
}

// ---- Selection -----------------------------------------------------------------------------------

void test_least_time(void**) {
    assert_string_equal(selected(square(2), 0), "small"); // 1 + 4 against 11 + 0.02
    assert_string_equal(selected(square(64), 0), "large");
    assert_string_equal(selected(square(64), 64000), "split");
    assert_string_equal(selected(square(64), 63999), "large");
    sgemm_problem moved = square(64);
    moved.a = at(0x1004);
    assert_string_equal(selected(moved, 0), "small");
    assert_string_equal(selected(moved, 64000), "split");
    assert_string_equal(selected(square(1), 64000), "plain"); // a rule before the costs
    sgemm_problem both = square(64);
    both.transa = both.transb = true; // a form without costs, but for one kernel
    assert_string_equal(selected(both, 64000), "small");
    assert_string_equal(select(table_without_costs, square(64), device, 64000)->name, "plain");
}

// ---- What a handle remembers ---------------------------------------------------------------------

// Few values of each input, so that problems come again, and differ in one input alone.
void test_cache_is_exact(void**) {
    std::mt19937 random(17);
    const auto one_of = [&](std::initializer_list<int64_t> values) {
        return values.begin()[random() % values.size()];
    };
    selection_cache cache;
    int selections = 0;
    constexpr int rounds = 200000;
    for (int round = 0; round < rounds; ++round) {
        sgemm_problem p = square(one_of({2, 5, 64}));
        p.transa = random() % 2;
        p.transb = random() % 2;
        p.n = one_of({2, 64});
        p.lda = one_of({1024, 1026});
        p.a = at(static_cast<uintptr_t>(one_of({0, 0x1000, 0x1004, 0x1080, 0x2000, 0x2004})));
        const float* const array[] = {p.a};
        p.a_array = random() % 4 ? nullptr : array;
        const size_t workspace = static_cast<size_t>(one_of({0, 2000, 64000}));
        const auto* now = select(table, p, device, workspace);
        const selection<sgemm_problem> remembered = cache.find(p, workspace, [&] {
            ++selections;
            const auto* kernel = select(table, p, device, workspace);
            return selection<sgemm_problem>{kernel, useful_workspace(*kernel, p, device)};
        });
        assert_ptr_equal(remembered.kernel, now);
        assert_int_equal(remembered.workspace_bytes, useful_workspace(*now, p, device));
    }
    assert_true(selections < rounds);
}

void test_cache_remembers(void**) {
    selection_cache cache;
    int selections = 0;
    const auto count = [&] {
        ++selections;
        return selection<sgemm_problem>{&plain, 0};
    };
    sgemm_problem p = square(64);
    static float c[10 * pointer_period];
    for (int i = 0; i < 10; ++i) {
        // Other memory at the same place of a period, other scalars
        p.a += pointer_period / sizeof(float);
        p.c = c + i * pointer_period / sizeof(float);
        p.alpha.value = static_cast<float>(i);
        cache.find(p, 0, count);
    }
    assert_int_equal(selections, 1);
    cache.find(p, 1, count); // another workspace
    assert_int_equal(selections, 2);
    // Each input counts.
    const auto differs = [&](auto change) {
        sgemm_problem other = p;
        change(other);
        cache = {};
        selections = 0;
        cache.find(p, 0, count);
        cache.find(other, 0, count);
        return selections == 2;
    };
    assert_true(differs([](sgemm_problem& o) { o.transa = true; }));
    assert_true(differs([](sgemm_problem& o) { o.transb = true; }));
    assert_true(differs([](sgemm_problem& o) { ++o.m; }));
    assert_true(differs([](sgemm_problem& o) { ++o.n; }));
    assert_true(differs([](sgemm_problem& o) { ++o.k; }));
    assert_true(differs([](sgemm_problem& o) { ++o.lda; }));
    assert_true(differs([](sgemm_problem& o) { ++o.ldb; }));
    assert_true(differs([](sgemm_problem& o) { ++o.ldc; }));
    assert_true(differs([](sgemm_problem& o) { ++o.stride_a; }));
    assert_true(differs([](sgemm_problem& o) { ++o.stride_b; }));
    assert_true(differs([](sgemm_problem& o) { ++o.stride_c; }));
    assert_true(differs([](sgemm_problem& o) { ++o.batch_count; }));
    assert_true(differs([](sgemm_problem& o) { ++o.a; }));
    assert_true(differs([](sgemm_problem& o) { ++o.b; }));
    assert_true(differs([](sgemm_problem& o) { ++o.c; }));
    assert_true(differs([](sgemm_problem& o) { o.a = nullptr; }));
    static float* array[1];
    assert_true(differs([](sgemm_problem& o) { o.a_array = array; }));
    assert_true(differs([](sgemm_problem& o) { o.b_array = array; }));
    assert_true(differs([](sgemm_problem& o) { o.c_array = array; }));
}

// ---- Tuning files --------------------------------------------------------------------------------

const std::string valid = "myblas-tuning 1\n"
                          "arch 90\n"
                          "# a comment\n"
                          "sgemm small NN 2.0 1.0 2.52 3.0e-07\n"
                          "\n"
                          "sgemm large NN 0 0 1e-3 0\n"
                          "sgemm\tsmall  NT 0 0 1 0 \n"
                          "  sgemm small TN 0 0 1 0\n"
                          "sgemm small TT 0.5 0 1 0";

tuning_fault parse(const std::string& text, tuning_file* file) {
    return parse_tuning(text, registry, file);
}

void test_valid_file(void**) {
    tuning_file file;
    assert_null(parse(valid, &file).what);
    assert_int_equal(file.arch, 90);
    assert_int_equal(file.sgemm_costs().size(), 2);
    const kernel_cost<sgemm_problem>& first = file.sgemm_costs()[0];
    assert_ptr_equal(first.kernel, &small);
    assert_true(first.of_form[0].fixed == 2 && first.of_form[0].per_wave == 1 &&
                first.of_form[0].per_step == 2.52 && first.of_form[0].per_byte == 3e-7);
    assert_true(first.of_form[3].fixed == 0.5);
    const kernel_cost<sgemm_problem>& second = file.sgemm_costs()[1];
    assert_ptr_equal(second.kernel, &large);
    assert_true(second.of_form[0].per_step == 1e-3 && !second.of_form[1].is_measured());
    // The costs decide.
    const auto* kernel = select({rules, file.sgemm_costs()}, square(64), device, 0);
    assert_ptr_equal(kernel, &large);
    assert_null(parse(valid + "\n", &file).what);
}

std::string replaced(const std::string& old_text, const std::string& new_text) {
    std::string text = valid;
    const size_t place = text.find(old_text);
    assert_true(place != text.npos);
    return text.replace(place, old_text.size(), new_text);
}

void test_malformed_files(void**) {
    const struct {
        std::string text;
        int line;
    } cases[] = {
        {"", 0},
        {"\n\n", 2},
        {"# nothing\n", 1},
        {replaced("myblas-tuning 1", "myblas-tuning 2"), 1},
        {replaced("myblas-tuning 1", "myblas-tuning 1 1"), 1},
        {replaced("myblas-tuning 1\n", ""), 1},
        {replaced("arch 90", "arch 9.0"), 2},
        {replaced("arch 90", "arch sm_90"), 2},
        {replaced("arch 90", "arch -90"), 2},
        {replaced("arch 90", "arch 0"), 2},
        {replaced("arch 90", "arch 99999999999"), 2},
        {replaced("arch 90\n", ""), 3},
        {replaced("sgemm small NN", "dgemm small NN"), 4},
        {replaced("sgemm small NN", "sgemm unknown NN"), 4},
        {replaced("sgemm small NN", "sgemm plain NN"), 4}, // has no model
        {replaced("sgemm small NN", "sgemm smal NN"), 4},
        {replaced("sgemm small NN", "sgemm small NC"), 4},
        {replaced("sgemm small NN", "sgemm small nn"), 4},
        {replaced("sgemm small NN", "sgemm small"), 4},
        {replaced("3.0e-07", "3.0e-07 1"), 4},
        {replaced("3.0e-07", "3.0e-07x"), 4},
        {replaced("3.0e-07", "3,0"), 4},
        {replaced("3.0e-07", "-3.0e-07"), 4},
        {replaced("3.0e-07", "inf"), 4},
        {replaced("3.0e-07", "nan"), 4},
        {replaced("3.0e-07", "1e999"), 4},
        {replaced("3.0e-07", "+1"), 4},
        {replaced("3.0e-07", ""), 4},
        {replaced("3.0e-07", std::string("3\0", 2)), 4},
        {replaced("2.0 1.0 2.52 3.0e-07", "0 0 0 0"), 4},
        {replaced("sgemm large NN", "sgemm small NN"), 6}, // twice
        {replaced("small TT", "small TN"), 9},
        {replaced("\nsgemm small TT 0.5 0 1 0", ""), 8}, // a form without a kernel
        {replaced("sgemm small TT 0.5 0 1 0", "sgemm small TT 0.5 0 1"), 9},
        {valid + "\narch 90", 10},
    };
    for (const auto& wrong : cases) {
        tuning_file file;
        const tuning_fault found = parse(wrong.text, &file);
        if (!found.what || found.line != wrong.line)
            fail_msg("line %d (%s), not %d, of:\n%s",
                     found.line,
                     found.what ? found.what : "no fault",
                     wrong.line,
                     wrong.text.c_str());
    }
}

// Whatever the text: an answer, costs that can be used when it is accepted, and no way past its end.
void test_arbitrary_files(void**) {
    std::mt19937 random(19);
    constexpr char alphabet[] = "sgemmallrch 0123456789.eE+-NT#\n\t\0\xff";
    for (int round = 0; round < 100000; ++round) {
        std::string text = valid;
        for (unsigned change = random() % 4 + 1; change > 0 && !text.empty(); --change) {
            const size_t place = random() % text.size();
            switch (random() % 4) {
            case 0:
                text.erase(place, random() % 20);
                break;
            case 1:
                text.insert(place, text, random() % text.size(), random() % 30);
                break;
            case 2:
                text.resize(place);
                break;
            default:
                text[place] = alphabet[random() % (sizeof alphabet - 1)];
            }
        }
        const std::vector<char> exact(text.begin(), text.end()); // ends where its allocation ends
        tuning_file file;
        if (parse_tuning({exact.data(), exact.size()}, registry, &file).what)
            continue;
        for (int form = 0; form < 4; ++form) {
            sgemm_problem p = square(64);
            p.transa = form / 2;
            p.transb = form % 2;
            assert_non_null(fastest(file.sgemm_costs(), p, device, 64000));
        }
    }
}

void test_too_many_kernels(void**) {
    constexpr size_t count = 65;
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i)
        names.push_back("kernel" + std::to_string(i));
    std::vector<kernel_entry<sgemm_problem>> entries(count, small);
    std::vector<const kernel_entry<sgemm_problem>*> list;
    std::string text = "myblas-tuning 1\narch 90\n";
    for (size_t i = 0; i < count; ++i) {
        entries[i].name = names[i].c_str();
        list.push_back(&entries[i]);
        text += "sgemm " + names[i] + " NN 1 1 1 1\n";
    }
    tuning_file file;
    const tuning_fault found = parse_tuning(text, list, &file);
    assert_non_null(found.what);
    assert_int_equal(found.line, 2 + count);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_least_time),
        cmocka_unit_test(test_cache_is_exact),
        cmocka_unit_test(test_cache_remembers),
        cmocka_unit_test(test_valid_file),
        cmocka_unit_test(test_malformed_files),
        cmocka_unit_test(test_arbitrary_files),
        cmocka_unit_test(test_too_many_kernels),
    };
    return cmocka_run_group_tests_name("select", tests, nullptr, nullptr);
}
