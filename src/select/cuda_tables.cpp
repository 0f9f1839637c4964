// The tuned architectures, and which of them serves a device.
#include "select/select.h"
#include "select/tuning.h"

#include <cstring>

namespace myblas {
namespace {

constexpr const tuning* tunings[] = {&tuning_sm90}; // oldest first

// The kernels that are the model's variants, by name.
predictor bind(const time_model& model) {
    predictor bound{&model};
    for (const kernel_entry<sgemm_problem>* kernel : cuda_kernels<sgemm_problem>())
        for (size_t i = 0; i < model.variants.size(); ++i)
            if (kernel->work && std::strcmp(kernel->name, model.variants[i].name) == 0)
                bound.kernels[i] = kernel;
    return bound;
}

} // namespace

const predictor& sgemm_predictor_sm90() {
    static const predictor bound = bind(sgemm_model_sm90);
    return bound;
}

template <class Problem>
selection_table<Problem> cuda_table(int arch) {
    if (arch < oldest_cuda_arch)
        return {};
    // Devices older than any that was measured take the oldest table, unmeasured for them.
    const tuning* newest = tunings[0];
    for (const tuning* candidate : tunings) {
        if (candidate->arch <= arch)
            newest = candidate;
    }
    return newest->of<Problem>();
}

template selection_table<sgemm_problem> cuda_table(int arch);
template selection_table<transpose_problem> cuda_table(int arch);
template selection_table<geam_problem> cuda_table(int arch);
template selection_table<sum_problem<float>> cuda_table(int arch);
template selection_table<sum_problem<double>> cuda_table(int arch);
template selection_table<axpy_problem> cuda_table(int arch);
template selection_table<copy_problem> cuda_table(int arch);
template selection_table<gemsum_problem> cuda_table(int arch);
template selection_table<histogram_problem> cuda_table(int arch);
// Level 1
template selection_table<dot_problem> cuda_table(int arch);
template selection_table<nrm2_problem> cuda_table(int arch);
template selection_table<extremum_problem> cuda_table(int arch);
template selection_table<scal_problem> cuda_table(int arch);
template selection_table<swap_problem> cuda_table(int arch);
template selection_table<rot_problem> cuda_table(int arch);
template selection_table<rotm_problem> cuda_table(int arch);
template selection_table<rotg_problem> cuda_table(int arch);
template selection_table<rotmg_problem> cuda_table(int arch);
// Level 2
template selection_table<symv_problem> cuda_table(int arch);
template selection_table<syr_problem> cuda_table(int arch);
template selection_table<trmv_problem> cuda_table(int arch);
template selection_table<trsv_problem> cuda_table(int arch);
// Level 3
template selection_table<syrk_problem> cuda_table(int arch);
template selection_table<syr2k_problem> cuda_table(int arch);
template selection_table<symm_problem> cuda_table(int arch);
template selection_table<trmm_problem> cuda_table(int arch);
template selection_table<trsm_problem> cuda_table(int arch);

} // namespace myblas
