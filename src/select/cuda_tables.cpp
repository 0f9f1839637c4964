// The tuned architectures, and the choice among them for a device.
#include "kernels/sgemm/registry.h"
#include "select/select.h"
#include "select/tuning.h"

#include <cstring>

namespace myblas {
namespace {

constexpr const tuning* tunings[] = {&tuning_sm90}; // oldest first

// Binds the model's variants to the kernels of the same names.
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
    static const predictor bound = [] {
        predictor by = bind(sgemm_model_sm90);
        by.by_rule[0] = {&cuda::sgemm_tiny};
        by.by_rule[1] = {&cuda::sgemm_tall_skinny, cuda::suits_tall_skinny};
        by.for_vectors = &cuda::sgemm_gemv;
        by.worse_for_vectors = {&cuda::sgemm_skinny,
                                &cuda::sgemm_thin_panel,
                                &cuda::sgemm_short_k,
                                &cuda::sgemm_warp_tile_narrow[0]};
        return by;
    }();
    return bound;
}

template <class Problem>
selection_table<Problem> cuda_table(int arch) {
    if (arch < oldest_cuda_arch)
        return {};
    // A device older than any that was measured gets the oldest table, which is unmeasured for it.
    const tuning* newest = tunings[0];
    for (const tuning* candidate : tunings) {
        if (candidate->arch <= arch)
            newest = candidate;
    }
    return newest->of<Problem>();
}

#define MYBLAS_TABLE(NAME, problem) template selection_table<problem> cuda_table(int arch);
MYBLAS_ROUTINES(MYBLAS_TABLE)
#undef MYBLAS_TABLE

} // namespace myblas
