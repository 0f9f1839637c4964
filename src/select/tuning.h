// What a tuning table holds: for each routine the rules measured on one architecture.
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"

#include <tuple>

namespace myblas {

struct tuning {
    int arch; // compute capability x 10 of the GPU that was measured; 0: the host
    std::tuple<rule_list<sgemm_problem>,
               rule_list<transpose_problem>,
               rule_list<geam_problem>,
               rule_list<sum_problem<float>>,
               rule_list<sum_problem<double>>,
               rule_list<axpy_problem>,
               rule_list<copy_problem>>
        rules;

    template <class Problem>
    constexpr rule_list<Problem> of() const {
        return std::get<rule_list<Problem>>(rules);
    }
};

extern const tuning tuning_host;
extern const tuning tuning_sm90;

} // namespace myblas
