// The measurements of one architecture: rules for each routine, and the predictor for products.
#pragma once

#include "core/routine.h"
#include "select/select.h"

#include <type_traits>

namespace myblas {

struct tuning {
    int arch; // compute capability x 10 of the GPU that was measured; 0: the host
#define MYBLAS_RULES(NAME, problem) , rule_list<problem>
    tuple_behind<void MYBLAS_ROUTINES(MYBLAS_RULES)> rules;
#undef MYBLAS_RULES

    const predictor& (*sgemm_predictor)() = nullptr; // null: none

    template <class Problem>
    selection_table<Problem> of() const {
        selection_table<Problem> table{std::get<rule_list<Problem>>(rules)};
        if constexpr (std::is_same_v<Problem, sgemm_problem>)
            if (sgemm_predictor)
                table.predictor = &sgemm_predictor();
        return table;
    }
};

template <class Problem>
constexpr rule<Problem> for_all(const kernel_entry<Problem>& kernel) {
    return {any_form, {any, any, any, any}, &kernel};
}

// Rules for all calls: the first kernel that accepts the problem.
template <const auto& preferred, const auto&... others>
inline constexpr std::array in_order{for_all(preferred), for_all(others)...};

extern const tuning tuning_host;
extern const tuning tuning_sm90;

extern const time_model sgemm_model_sm90;
const predictor& sgemm_predictor_sm90();

} // namespace myblas
