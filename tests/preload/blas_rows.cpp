// Under the BLAS preload library, which serves every call: each row of its table in each spelling
// gives what libmyblas's function gives for the same arguments. With matrices by rows, that is the
// function's result for the transposes.
#include "blas/routines.h"
#include "myblas/myblas.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <dlfcn.h>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace myblas::preload;

namespace {

// Every matrix has this leading dimension, and lies in a square of this order.
constexpr int64_t ld = 60;
constexpr std::array<int64_t, 3> sizes = {37, 23, 51};
constexpr std::array<float, 2> scalars = {0.75F, -0.5F};
constexpr float parameters[] = {-1, 0.5F, 0.25F, -0.25F, 0.75F};
constexpr size_t most_operands = 3;

std::mt19937 engine(11);
int failures = 0, count = 0;
myblasHandle_t handle;

using matrix = std::vector<float>;
using matrices = std::array<matrix, most_operands>;

// Well-conditioned as a triangle.
matrix random_matrix() {
    std::uniform_real_distribution<float> between(-0.1F, 0.1F);
    matrix x(ld * ld);
    for (int64_t j = 0; j < ld; ++j)
        for (int64_t i = 0; i < ld; ++i)
            x[static_cast<size_t>(i + j * ld)] = between(engine) + (i == j ? 2.0F : 0.0F);
    return x;
}

matrix transposed(const matrix& x) {
    matrix y(x.size());
    for (int64_t j = 0; j < ld; ++j)
        for (int64_t i = 0; i < ld; ++i)
            y[static_cast<size_t>(j + i * ld)] = x[static_cast<size_t>(i + j * ld)];
    return y;
}

template <class Tag>
constexpr bool is_matrix = is_one_of<Tag, argument::matrix, argument::result>;
template <class Tag>
constexpr bool is_operand =
    is_matrix<Tag> || is_one_of<Tag, argument::vector, argument::vector_result>;

// Gives the arguments of a call their values, in order.
class arguments {
public:
    arguments(matrices& operands, bool has_one_vector, bool is_empty)
        : operands_(operands), has_one_vector_(has_one_vector), is_empty_(is_empty) {}

    template <class Tag>
    value_of<Tag> next() {
        if constexpr (is_letter<Tag>)
            return Tag::known[engine() % std::size(Tag::known)].capital;
        else if constexpr (std::is_same_v<Tag, argument::size>)
            return is_empty_ ? 0 : sizes[size_++];
        else if constexpr (std::is_same_v<Tag, argument::leading>)
            return ld;
        else if constexpr (std::is_same_v<Tag, argument::step>)
            return step_++ == 0 && !has_one_vector_ ? -2 : 3;
        else if constexpr (std::is_same_v<Tag, argument::scalar>)
            return scalars[scalar_++];
        else if constexpr (is_operand<Tag>)
            return operands_[operand_++].data();
        else
            return parameters;
    }

private:
    matrices& operands_;
    const bool has_one_vector_, is_empty_;
    size_t size_ = 0, step_ = 0, scalar_ = 0, operand_ = 0;
};

template <class Tag>
auto passed_to_library(const value_of<Tag>& v) {
    if constexpr (std::is_same_v<Tag, argument::trans>)
        return v == 'N' ? MYBLAS_OP_N : MYBLAS_OP_T;
    else if constexpr (std::is_same_v<Tag, argument::uplo>)
        return v == 'U' ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
    else if constexpr (std::is_same_v<Tag, argument::diag>)
        return v == 'U' ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT;
    else if constexpr (std::is_same_v<Tag, argument::side>)
        return v == 'L' ? MYBLAS_SIDE_LEFT : MYBLAS_SIDE_RIGHT;
    else if constexpr (std::is_same_v<Tag, argument::scalar>)
        return &v;
    else
        return v;
}

template <routine r, class Signature>
struct row;
template <routine r, class Result, class... Tags>
struct row<r, Result(Tags...)> {
    static constexpr bool has_layout = parts_of<typename signature_of<r>::type>::has_layout;
    static constexpr bool has_one_vector =
        (int{std::is_same_v<Tags, argument::step>} + ... + 0) == 1 && !has_layout;
    using values = std::tuple<value_of<Tags>...>;

    // libmyblas's function, and what it returns.
    static double expected(const char* name, const values& given) {
        void* const symbol = dlsym(RTLD_DEFAULT, (std::string("my") + name + "_64").c_str());
        const auto call = [&](auto... arguments) {
            using function = myblasStatus_t(myblasHandle_t, decltype(arguments)...);
            if (!symbol || reinterpret_cast<function*>(symbol)(handle, arguments...))
                std::printf("%s: %d failures\n", name, ++failures);
        };
        return std::apply(
            [&](const value_of<Tags>&... value) {
                if constexpr (std::is_same_v<Result, float>) {
                    float result = 0;
                    call(passed_to_library<Tags>(value)..., &result);
                    return static_cast<double>(result);
                } else if constexpr (std::is_same_v<Result, argument::number>) {
                    int64_t result = 0;
                    call(passed_to_library<Tags>(value)..., &result);
                    return static_cast<double>(result);
                } else if constexpr (r == routine::strmm) { // its result is not in place here
                    const auto c = std::get<sizeof...(Tags) - 2>(given);
                    call(passed_to_library<Tags>(value)..., c, ld);
                    return 0.0;
                } else {
                    call(passed_to_library<Tags>(value)...);
                    return 0.0;
                }
            },
            given);
    }

    template <interface i, class Integer>
    static double found(void* symbol, char layout, const values& given) {
        using convention = convention_of<i, Integer, typename signature_of<r>::type>;
        auto* const function = reinterpret_cast<typename convention::function*>(symbol);
        const auto kept = std::apply(
            [](const value_of<Tags>&... value) {
                return std::tuple(passing<i, Integer, Tags>::keep(value)...);
            },
            given);
        return std::apply(
            [&](const auto&... value) {
                const auto call = [&](auto... lengths) {
                    const auto pass = [&](auto... front) {
                        return function(
                            front..., passing<i, Integer, Tags>::pass(value)..., lengths...);
                    };
                    if constexpr (i == interface::cblas && has_layout)
                        return pass(slot{argument::layout::number_of(layout)});
                    else
                        return pass();
                };
                const auto with_lengths = [&]<size_t... n>(std::index_sequence<n...>) {
                    return call((static_cast<void>(n), size_t{1})...);
                };
                constexpr size_t letters = i == interface::fortran ? list<Tags...>::letters : 0;
                if constexpr (std::is_void_v<Result>) {
                    with_lengths(std::make_index_sequence<letters>());
                    return 0.0;
                } else {
                    return static_cast<double>(with_lengths(std::make_index_sequence<letters>()));
                }
            },
            kept);
    }

    template <interface i, class Integer>
    static void check(const char* name, const std::string& symbol) {
        // Functions of OpenBLAS alone, and functions of scalars, have no such counterpart.
        if constexpr (!is_one_of<argument::order, Tags...> && is_one_of<argument::size, Tags...>)
            compare_calls<i, Integer>(name, symbol);
    }

private:
    // The operands of a call that are matrices, not vectors.
    static void transpose_matrices(matrices& all) {
        size_t operand = 0;
        const auto visit = [&]<class Tag>() {
            if constexpr (is_matrix<Tag>)
                all[operand] = transposed(all[operand]);
            operand += is_operand<Tag>;
        };
        (visit.template operator()<Tags>(), ...);
    }

    template <interface i, class Integer>
    static void compare_calls(const char* name, const std::string& symbol) {
        void* const function = dlsym(RTLD_DEFAULT, symbol.c_str());
        for (int turn = 0; turn < 12 && function; ++turn, ++count) {
            const char layout = i == interface::cblas && has_layout && turn % 2 ? 'R' : 'C';
            matrices given, right;
            for (matrix& x : given)
                x = random_matrix();
            right = given;
            if (layout == 'R')
                transpose_matrices(right);
            // The same letters for both.
            const std::mt19937 before = engine;
            const bool is_empty = !has_layout && turn == 0;
            arguments of_right(right, has_one_vector, is_empty);
            arguments of_given(given, has_one_vector, is_empty);
            const values to_library{of_right.next<Tags>()...};
            engine = before;
            const values to_blas{of_given.next<Tags>()...};
            double is = found<i, Integer>(function, layout, to_blas);
            const double should = expected(name, to_library);
            if (i == interface::cblas && std::is_same_v<Result, argument::number> && !is_empty)
                ++is; // counted from 0
            bool is_right = std::fabs(is - should) <= 1e-5 * std::fabs(should);
            if (layout == 'R')
                transpose_matrices(right);
            for (size_t o = 0; o < most_operands; ++o)
                for (size_t e = 0; e < given[o].size(); ++e)
                    is_right = is_right && std::fabs(given[o][e] - right[o][e]) <= 1e-4F;
            if (!is_right) {
                std::printf("%s, layout %c, turn %d: wrong\n", symbol.c_str(), layout, turn);
                ++failures;
            }
        }
        if (!function) {
            std::printf("there is no %s\n", symbol.c_str());
            ++failures;
        }
    }
};

template <routine r>
using row_of = row<r, typename parts_of<typename signature_of<r>::type>::signature>;

} // namespace

int main() {
    if (myblasCreateOn(&handle, MYBLAS_BACKEND_HOST))
        return 2;
#define CHECK(name, id, used, integer, before, after)                                              \
    row_of<routine::name>::check<interface::used, integer>(#name, #before #name #after);
#define BLAS_ENTRY(name, ...) BLAS_SPELLINGS(CHECK, name)
#include "common/entries.inc"
    myblasDestroy(handle);
    std::printf("%d calls, %d failures\n", count, failures);
    return failures > 0;
}
