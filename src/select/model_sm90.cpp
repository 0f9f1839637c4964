// The predictor's constants for compute capability 9.0, and for newer GPUs until they are measured.
#include "select/tuning.h"

namespace myblas {
namespace {

#include "select/model_sm90.inc"

static_assert(std::size(variants) <= tuning_factors::most_variants);

} // namespace

constinit const time_model sgemm_model_sm90 = {
    90, 3, size_weights, tabulate_facts(fact_weights), variants, tabulate_domains(variants)};

} // namespace myblas
