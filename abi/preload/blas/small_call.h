// The calls of levels 1 and 2 as plain data, made from a routine's signature. Row-major calls
// become the column-major calls of the transpose. libmyblas's function has the same arguments and
// gets the vectors without gaps.
#pragma once

#include "blas/program_blas.h"
#include "blas/whole_call.h"
#include "common/call_log.h"
#include "common/report.h"

#include <algorithm>
#include <tuple>

namespace myblas::preload {

// MYBLAS_ROUTINE_ of a routine, and the name of libmyblas's function without the ending _64.
template <routine>
struct kernels_of;
#define BLAS_ENTRY(name, kernels, ...)                                                             \
    template <>                                                                                    \
    struct kernels_of<routine::name> {                                                             \
        static constexpr myblasRoutine_t listed_under = MYBLAS_ROUTINE_##kernels;                  \
        static constexpr char function[] = "my" #name "_64";                                       \
    };
#include "common/entries.inc"
#undef BLAS_ENTRY

template <routine r, class Signature = typename parts_of<typename signature_of<r>::type>::signature>
struct small_call;
template <routine r, class Result, class... Tags>
struct small_call<r, Result(Tags...)> {
    static constexpr routine kind = r;
    static constexpr myblasRoutine_t computed_by = kernels_of<r>::listed_under;
    // True for level 2.
    static constexpr bool has_matrix = is_one_of<argument::leading, Tags...>;
    static constexpr int steps = (0 + ... + int{std::is_same_v<Tags, argument::step>});
    using result_type = typename passing<interface::fortran, int64_t, Result>::passed;

    std::tuple<value_of<Tags>...> values;
    int wrong_letter = 0;
    // The result of a function; elements are counted from 1. Before the call is computed, the
    // result of an empty one: the scalar to which a sum is added.
    mutable std::conditional_t<std::is_void_v<result_type>, char, result_type> value = 0;

    static small_call read(value_of<Tags>... values) {
        small_call call{{values...}};
        if constexpr (!std::is_void_v<Result> && is_one_of<argument::scalar, Tags...>)
            call.value = call.template get<argument::scalar>();
        return call;
    }

    static small_call read(char layout, value_of<Tags>... values) {
        small_call call{{values...}};
        if (layout == 'R')
            call.transpose();
        return call;
    }

    report::extents shape() const {
        if constexpr (!has_sizes)
            return {};
        else
            return {rows(), has_matrix ? cols() : 1, 1};
    }

    // Numbered as in Fortran.
    int wrong_argument() const {
        int wrong = wrong_letter;
        if constexpr (has_matrix) {
            for_each([&]<size_t i, class Tag>() {
                if constexpr (is_integer<Tag>)
                    if (wrong == 0 && is_wrong<i, Tag>())
                        wrong = static_cast<int>(i) + 1;
            });
        }
        return wrong;
    }

    // Nothing to compute, operands that are not read because alpha is 0, or an increment that
    // implementations treat differently (0, or a negative one for a single vector): left to the
    // program's BLAS.
    bool is_trivial() const {
        bool is = is_empty();
        if constexpr (has_alpha)
            is = is || get<argument::scalar>() == 0;
        for_each([&]<size_t i, class Tag>() {
            if constexpr (std::is_same_v<Tag, argument::step> && !has_matrix)
                is = is || (steps == 1 ? get<i>() <= 0 : get<i>() == 0);
        });
        return is;
    }

    // False: an increment is 0.
    bool finish_trivial() const {
        if (is_empty() || steps == 1)
            return true;
        if constexpr (has_alpha)
            if (get<argument::scalar>() == 0) {
                if constexpr (has_beta)
                    scale_result();
                return true;
            }
        return false;
    }

    logged_call logged() const {
        logged_call call;
        if constexpr (has_matrix)
            call.m = rows(), call.n = cols(), call.lda = get<argument::leading>();
        else if constexpr (has_sizes)
            call.n = rows();
        if constexpr (is_one_of<argument::uplo, Tags...>)
            call.uplo =
                get<argument::uplo>() == 'U' ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
        if constexpr (is_one_of<argument::trans, Tags...>)
            call.transa = get<argument::trans>() == 'N' ? MYBLAS_OP_N : MYBLAS_OP_T;
        if constexpr (is_one_of<argument::diag, Tags...>)
            call.diag = get<argument::diag>() == 'U' ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT;
        if constexpr (steps > 0)
            call.incx = call.incy = get<argument::step>();
        if constexpr (steps > 1)
            call.incy = std::get<place_of<argument::step>(1)>(values);
        return call;
    }

    outcome run(std::span<device* const> devices, const origin&) const noexcept {
        std::array<operand, most_operands> operands;
        size_t count = 0;
        for_each([&]<size_t i, class Tag>() {
            if constexpr (is_operand<Tag>)
                operands[count++] = operand_at<i, Tag>();
        });
        return whole_call(
            *devices[0], {operands.data(), count}, [&](const device& d, float* const* places) {
                return call_library(d, operands.data(), places, std::index_sequence_for<Tags...>());
            });
    }

private:
    bool is_empty() const {
        bool is = false;
        for_each([&]<size_t i, class Tag>() {
            if constexpr (std::is_same_v<Tag, argument::size>)
                is = is || get<i>() <= 0;
        });
        return is;
    }

    // The first scalar is a factor of all operands that are only read.
    static constexpr bool has_alpha = is_one_of<argument::scalar, Tags...> &&
                                      is_one_of<argument::vector, Tags...> &&
                                      std::is_void_v<result_type>;
    static constexpr bool has_beta = (0 + ... + int{std::is_same_v<Tags, argument::scalar>}) == 2;

    // y = beta * y.
    void scale_result() const {
        constexpr size_t i = place_of<argument::vector_result>();
        const operand y = operand_at<i, argument::vector_result>();
        const float beta = std::get<place_of<argument::scalar>(1)>(values);
        for (int64_t j = 0; j < y.cols && beta != 1; ++j) {
            float& element = y.target[j * y.ld];
            element = beta == 0 ? 0 : beta * element;
        }
    }

    static constexpr bool has_sizes = is_one_of<argument::size, Tags...>;
    template <class Tag>
    static constexpr bool is_operand = is_one_of<Tag,
                                                 argument::matrix,
                                                 argument::result,
                                                 argument::vector,
                                                 argument::vector_result>;
    template <class Tag>
    static constexpr bool is_vector = is_one_of<Tag, argument::vector, argument::vector_result>;
    template <size_t i>
    using tag = std::tuple_element_t<i, std::tuple<Tags...>>;

    // The index of the nth occurrence of a tag.
    template <class Tag>
    static constexpr size_t place_of(int nth = 0) {
        constexpr bool is[] = {std::is_same_v<Tags, Tag>...};
        size_t i = 0;
        while (!is[i] || nth-- > 0)
            ++i;
        return i;
    }
    template <size_t i>
    auto get() const {
        return std::get<i>(values);
    }
    template <class Tag>
    auto get() const {
        return std::get<place_of<Tag>()>(values);
    }
    template <class Visit>
    static void for_each(Visit&& visit) {
        [&]<size_t... i>(std::index_sequence<i...>) { (visit.template operator()<i, Tags>(), ...); }
        (std::index_sequence_for<Tags...>());
    }

    static constexpr bool is_square = is_one_of<argument::uplo, Tags...>;
    int64_t rows() const { return get<argument::size>(); }
    int64_t cols() const {
        if constexpr (has_matrix && !is_square)
            return std::get<place_of<argument::size>(1)>(values);
        else
            return rows();
    }

    // Changes to the other triangle and the other operation, and exchanges the extents.
    void transpose() {
        for_each([&]<size_t i, class Tag>() {
            char opposite = 0;
            if constexpr (std::is_same_v<Tag, argument::uplo>)
                opposite = get<i>() == 'U' ? 'L' : 'U';
            else if constexpr (std::is_same_v<Tag, argument::trans>)
                opposite = get<i>() == 'N' ? 'T' : 'N';
            if constexpr (is_letter<Tag> && !std::is_same_v<Tag, argument::diag>)
                std::get<i>(values) = opposite;
        });
        if constexpr (!is_square)
            std::swap(std::get<place_of<argument::size>()>(values),
                      std::get<place_of<argument::size>(1)>(values));
        if constexpr (r == routine::sger) {
            std::swap(std::get<place_of<argument::vector>()>(values),
                      std::get<place_of<argument::vector>(1)>(values));
            std::swap(std::get<place_of<argument::step>()>(values),
                      std::get<place_of<argument::step>(1)>(values));
        }
    }

    template <size_t i, class Tag>
    bool is_wrong() const {
        if constexpr (std::is_same_v<Tag, argument::step>)
            return get<i>() == 0;
        else
            return get<i>() <
                   (std::is_same_v<Tag, argument::size> ? 0 : std::max<int64_t>(1, rows()));
    }

    // Elements of the vector at index i.
    template <size_t i>
    int64_t length() const {
        if constexpr (r == routine::sgemv || r == routine::sger) {
            const bool is_first = i < place_of<argument::step>();
            bool is_along_rows = is_first;
            if constexpr (r == routine::sgemv)
                is_along_rows = is_first == (get<argument::trans>() != 'N');
            return is_along_rows ? rows() : cols();
        } else {
            return rows();
        }
    }

    template <size_t i, class Tag>
    operand operand_at() const {
        const int64_t next = get<i + 1>(); // the leading dimension or increment
        float* target = nullptr;
        if constexpr (is_written<Tag>)
            target = get<i>();
        const float* data = get<i>();
        if constexpr (is_vector<Tag>) {
            const int64_t n = length<i>(), first = next < 0 ? (1 - n) * next : 0;
            return {data + first, target ? target + first : nullptr, 1, n, next};
        } else if constexpr (is_square) {
            const bool is_upper = get<argument::uplo>() == 'U';
            return {data,
                    target,
                    rows(),
                    rows(),
                    next,
                    {is_upper ? triangle::upper : triangle::lower, 0}};
        } else {
            return {data, target, rows(), cols(), next};
        }
    }

    // ---- libmyblas's function -------------------------------------------------------------------

    template <size_t i>
    static constexpr size_t operands_before = [] {
        constexpr bool is[] = {is_operand<Tags>...};
        return static_cast<size_t>(std::count(is, is + i, true));
    }();

    template <size_t i>
    auto passed_to_library(const operand* operands, float* const* places) const {
        using Tag = tag<i>;
        const auto& v = std::get<i>(values);
        if constexpr (std::is_same_v<Tag, argument::trans>)
            return v == 'N' ? MYBLAS_OP_N : MYBLAS_OP_T;
        else if constexpr (std::is_same_v<Tag, argument::uplo>)
            return v == 'U' ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
        else if constexpr (std::is_same_v<Tag, argument::diag>)
            return v == 'U' ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT;
        else if constexpr (std::is_same_v<Tag, argument::scalar>)
            return &v;
        else if constexpr (std::is_same_v<Tag, argument::step>)
            return int64_t{1};
        else if constexpr (std::is_same_v<Tag, argument::leading>)
            return operands[operands_before<i> - 1].rows;
        else if constexpr (is_operand<Tag>)
            return static_cast<value_of<Tag>>(places[operands_before<i>]);
        else
            return v;
    }

    template <size_t... i>
    myblasStatus_t call_library(const device& d,
                                const operand* operands,
                                float* const* places,
                                std::index_sequence<i...>) const {
        static void* const function = sized_function(kernels_of<r>::function);
        const auto call = [&](auto... arguments) {
            using type = myblasStatus_t(myblasHandle_t, decltype(arguments)...);
            return function ? reinterpret_cast<type*>(function)(d.handle(), arguments...)
                            : MYBLAS_STATUS_NOT_SUPPORTED;
        };
        if constexpr (std::is_void_v<result_type>)
            return call(passed_to_library<i>(operands, places)...);
        else
            return call(passed_to_library<i>(operands, places)..., &value);
    }
};

} // namespace myblas::preload
