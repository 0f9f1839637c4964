// Costs of the SGEMM kernels for compute capability 9.0.
// Provenance: fitted by hand to the table "which rung for which shape" of docs/experiments/sgemm.md (H100
// 80GB HBM3, CUDA 13.0, 2026-11-21; NN) and, for the other forms, to the readings at 4096 there.
// Provisional, until myblas-bench tune sgemm has written this file.
#include "kernels/sgemm/registry.h"
#include "select/tuning.h"

namespace myblas {
namespace {

// clang-format off
constexpr kernel_cost<sgemm_problem> costs[] = {
    // fixed, per_wave, per_step, per_byte, in microseconds
    {&cuda::sgemm_shared_rows, {{
        {1.6, 0.0, 0.28, 2.3e-7},                        // NN
        {1.6, 0.0, 0.28, 2.3e-7},                        // NT
        {1.6, 0.0, 0.28, 2.3e-7},                        // TN
        {1.6, 0.0, 0.28, 2.3e-7}                         // TT
    }}},
    {&cuda::sgemm_warp_tile, {{
        {2.0, 1.0, 2.52, 3.0e-7},                        // NN
        {2.0, 1.0, 2.58, 3.0e-7},                        // NT
        {2.0, 1.0, 2.76, 3.0e-7},                        // TN
        {2.0, 1.0, 2.77, 3.0e-7}                         // TT
    }}},
    {&cuda::sgemm_warp_tile_128x128, {{
        {2.0, 0.5, 1.50, 2.3e-7},                        // NN
        {2.0, 0.5, 1.54, 2.3e-7},                        // NT
        {2.0, 0.5, 1.64, 2.3e-7},                        // TN
        {2.0, 0.5, 1.65, 2.3e-7}                         // TT
    }}},
    {&cuda::sgemm_warp_tile_64x64, {{
        {2.0, 0.0, 0.573, 2.3e-7},                       // NN
        {2.0, 0.0, 0.587, 2.3e-7},                       // NT
        {2.0, 0.0, 0.627, 2.3e-7},                       // TN
        {2.0, 0.0, 0.630, 2.3e-7}                        // TT
    }}},
    {&cuda::sgemm_split_k, {{
        {4.3, 0.0, 0.573, 2.3e-7},                       // NN
        {4.3, 0.0, 0.587, 2.3e-7},                       // NT
        {4.3, 0.0, 0.627, 2.3e-7},                       // TN
        {4.3, 0.0, 0.630, 2.3e-7}                        // TT
    }}},
};
// clang-format on

} // namespace

constinit const cost_list<sgemm_problem> sgemm_costs_sm90 = costs;

} // namespace myblas
