// The tuned architectures, and which of them serves a device.
#include "select/select.h"
#include "select/tuning.h"

namespace myblas {
namespace {

constexpr const tuning* tunings[] = {&tuning_sm90}; // oldest first

} // namespace

template <class Problem>
rule_list<Problem> cuda_rules(int arch) {
    if (arch < oldest_cuda_arch)
        return {};
    // Devices older than any that was measured take the oldest table, unmeasured for them.
    rule_list<Problem> rules = tunings[0]->of<Problem>();
    for (const tuning* candidate : tunings) {
        if (candidate->arch <= arch)
            rules = candidate->of<Problem>();
    }
    return rules;
}

template rule_list<sgemm_problem> cuda_rules(int arch);
template rule_list<transpose_problem> cuda_rules(int arch);
template rule_list<geam_problem> cuda_rules(int arch);
template rule_list<sum_problem<float>> cuda_rules(int arch);
template rule_list<sum_problem<double>> cuda_rules(int arch);
template rule_list<axpy_problem> cuda_rules(int arch);
template rule_list<copy_problem> cuda_rules(int arch);

} // namespace myblas
