// What was measured on one architecture: for each routine its rules, for products the predictor.
#pragma once

#include "select/select.h"

#include <tuple>
#include <type_traits>

namespace myblas {

struct tuning {
    int arch; // compute capability x 10 of the GPU that was measured; 0: the host
    std::tuple<rule_list<sgemm_problem>,
               rule_list<transpose_problem>,
               rule_list<geam_problem>,
               rule_list<sum_problem<float>>,
               rule_list<sum_problem<double>>,
               rule_list<axpy_problem>,
               rule_list<copy_problem>,
               rule_list<gemsum_problem>,
               rule_list<histogram_problem>,
               // Level 1
               rule_list<dot_problem>,
               rule_list<nrm2_problem>,
               rule_list<extremum_problem>,
               rule_list<scal_problem>,
               rule_list<swap_problem>,
               rule_list<rot_problem>,
               rule_list<rotm_problem>,
               rule_list<rotg_problem>,
               rule_list<rotmg_problem>,
               // Level 2
               rule_list<symv_problem>,
               rule_list<syr_problem>,
               rule_list<trmv_problem>,
               rule_list<trsv_problem>,
               // Level 3
               rule_list<syrk_problem>,
               rule_list<syr2k_problem>,
               rule_list<symm_problem>,
               rule_list<trmm_problem>,
               rule_list<trsm_problem>>
        rules;

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

extern const tuning tuning_host;
extern const tuning tuning_sm90;

extern const time_model sgemm_model_sm90;
const predictor& sgemm_predictor_sm90();

} // namespace myblas
