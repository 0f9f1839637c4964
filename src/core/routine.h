// Ties each problem type to its routine number and to the registries and rules of both backends.
// Implemented in host/registry.cpp and select/ (cuda_registry.cpp has the CUDA kernels).
#pragma once

#include "core/kernel_entry.h"
#include "core/problem.h"
#include "core/routine_list.h"
#include "myblas/myblas.h"

#include <tuple>

namespace myblas {

template <class Problem>
struct routine_traits;

// The kernels in ladder order. The cuda lists are empty in a build without CUDA.
template <class Problem>
kernel_list<Problem> host_kernels();
template <class Problem>
kernel_list<Problem> cuda_kernels();

#define MYBLAS_DECLARE(NAME, problem)                                                              \
    template <>                                                                                    \
    struct routine_traits<problem> {                                                               \
        static constexpr myblasRoutine_t routine = MYBLAS_ROUTINE_##NAME;                          \
        static constexpr const char* name = #NAME;                                                 \
    };                                                                                             \
    template <>                                                                                    \
    kernel_list<problem> host_kernels();                                                           \
    template <>                                                                                    \
    kernel_list<problem> cuda_kernels();
MYBLAS_ROUTINES(MYBLAS_DECLARE)
#undef MYBLAS_DECLARE

// A backend's kernels: a row for each routine, in the order of MYBLAS_ROUTINES.
template <class, class... Rows> // for lists in which every row begins with a comma
using tuple_behind = std::tuple<Rows...>;
#define MYBLAS_ROW(NAME, problem) , kernel_list<problem>
using kernel_lists = tuple_behind<void MYBLAS_ROUTINES(MYBLAS_ROW)>;
#undef MYBLAS_ROW

template <class Problem>
kernel_list<Problem> kernels_of(myblasBackend_t backend) {
    return backend == MYBLAS_BACKEND_HOST ? host_kernels<Problem>() : cuda_kernels<Problem>();
}

inline bool is_routine(myblasRoutine_t routine) {
    return static_cast<unsigned>(routine) < MYBLAS_ROUTINE_COUNT;
}

// visit.operator()<Problem>() with the problem type of a routine; INVALID_VALUE if there is no such
// routine.
template <class Visitor>
myblasStatus_t visit_routine(myblasRoutine_t routine, Visitor&& visit) {
#define MYBLAS_VISIT(NAME, problem)                                                                \
    case MYBLAS_ROUTINE_##NAME:                                                                    \
        return visit.template operator()<problem>();
    switch (routine) { MYBLAS_ROUTINES(MYBLAS_VISIT) }
#undef MYBLAS_VISIT
    return MYBLAS_STATUS_INVALID_VALUE;
}

} // namespace myblas
