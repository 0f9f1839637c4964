// Rules of the host backend.
// Provenance: unmeasured; OpenBLAS where it can be loaded, else the best of the library's own.
#include "host/sgemm/registry.h"
#include "host/sum/registry.h"
#include "host/transpose/registry.h"
#include "host/vector/registry.h"
#include "select/select.h"
#include "select/tuning.h"

namespace myblas {
namespace {

// clang-format off
constexpr rule<sgemm_problem> sgemm[] = {
    {any_form, {any, any, any, any}, &host::sgemm_openblas},
    {any_form, {any, any, any, any}, &host::sgemm_blocked},
    {any_form, {any, any, any, any}, &host::sgemm_reference},
};

constexpr rule<transpose_problem> transpose[] = {
    {out_of_place_form, {any, any, any, any}, &host::transpose_blocked},
    {in_place_form,     {any, any, any, any}, &host::transpose_in_place},
};

constexpr rule<geam_problem> geam[] = {
    {any_form, {any, any, any, any}, &host::geam_blocked},
};

constexpr rule<sum_problem<float>> sum[] = {
    {any_form, {any, any, any, any}, &host::sum_pairwise},
};

constexpr rule<sum_problem<double>> dsum[] = {
    {any_form, {any, any, any, any}, &host::dsum_pairwise},
};

constexpr rule<axpy_problem> axpy[] = {
    {any_form, {any, any, any, any}, &host::axpy_reference},
};

constexpr rule<copy_problem> copy[] = {
    {any_form, {any, any, any, any}, &host::copy_reference},
};
// clang-format on

} // namespace

constinit const tuning tuning_host = {0, {sgemm, transpose, geam, sum, dsum, axpy, copy}};

template <class Problem>
rule_list<Problem> host_rules() {
    return tuning_host.of<Problem>();
}

template rule_list<sgemm_problem> host_rules();
template rule_list<transpose_problem> host_rules();
template rule_list<geam_problem> host_rules();
template rule_list<sum_problem<float>> host_rules();
template rule_list<sum_problem<double>> host_rules();
template rule_list<axpy_problem> host_rules();
template rule_list<copy_problem> host_rules();

} // namespace myblas
