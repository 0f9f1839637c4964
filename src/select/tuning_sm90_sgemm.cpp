// Costs of the SGEMM kernels for compute capability 9.0. Written by myblas-bench tune sgemm.
// Provenance: NVIDIA H100 80GB HBM3, driver 580.159.04, CUDA 13.0, 2026-11-21, commit d90ae814dfdf:
// myblas-bench tune sgemm --seed 1 --budget 20 --out tuning_sm90_sgemm.cpp --json tune.json
// 635 shapes, 2830 measurements.
// Chosen against the best measured: geometric mean 1.001, worst 1.14 (NT 608x608x608).
#include "kernels/sgemm/registry.h"
#include "select/tuning.h"

namespace myblas {
namespace {

// clang-format off
constexpr kernel_cost<sgemm_problem> costs[] = {
    // fixed, per_wave, per_step, per_byte, in microseconds
    {&cuda::sgemm_shared_rows, {{
        {0.868, 1.267, 0.2645, 0},                       // NN
        {0.9437, 1.129, 0.2457, 0},                      // NT
        {0.9697, 1.197, 0.2911, 0},                      // TN
        {1.074, 1.045, 0.2726, 0}                        // TT
    }}},
    {&cuda::sgemm_warp_tile, {{
        {0.7295, 2.76, 2.568, 1.456e-07},                // NN
        {0.8077, 2.696, 2.512, 1.652e-07},               // NT
        {0.693, 2.555, 2.881, 1.392e-07},                // TN
        {0.8544, 2.507, 2.707, 1.696e-07}                // TT
    }}},
    {&cuda::sgemm_warp_tile_128x128, {{
        {0, 2.579, 1.469, 1.389e-07},                    // NN
        {0, 2.548, 1.474, 1.574e-07},                    // NT
        {0, 2.483, 1.585, 1.388e-07},                    // TN
        {0.01525, 2.527, 1.524, 1.596e-07}               // TT
    }}},
    {&cuda::sgemm_warp_tile_64x64, {{
        {0.8294, 1.321, 0.5, 4.91e-08},                  // NN
        {1.441, 0.7454, 0.4474, 1.161e-07},              // NT
        {1.225, 0.8797, 0.5618, 2.237e-08},              // TN
        {0.7044, 1.438, 0.5059, 4.264e-08}               // TT
    }}},
    {&cuda::sgemm_split_k, {{
        {1.618, 2.291, 0.5244, 6.001e-08},               // NN
        {1.355, 2.592, 0.5054, 3.854e-08},               // NT
        {1.594, 2.519, 0.5682, 4.024e-08},               // TN
        {0.475, 3.414, 0.534, 2.944e-08}                 // TT
    }}},
    {&cuda::sgemm_stream_k, {{
        {2.929, 2.201, 2.61, 9.392e-08},                 // NN
        {2.256, 2.344, 2.553, 9.604e-08},                // NT
        {2.465, 2.585, 2.8, 9.824e-08},                  // TN
        {2.533, 2.356, 2.663, 1.538e-07}                 // TT
    }}},
    {&cuda::sgemm_stream_k_128x128, {{
        {3.392, 0.947, 1.431, 1.494e-07},                // NN
        {3.008, 0.9396, 1.351, 1.677e-07},               // NT
        {3.35, 0.9197, 1.572, 1.107e-07},                // TN
        {3.395, 0.9298, 1.432, 1.646e-07}                // TT
    }}},
    // Fitted to the readings of docs/experiments/sgemm_skinny.md.
    {&cuda::sgemm_stream_k_parts, {{
        {10.65, 0, 2.413, 2.335e-07}, // NN
        {9.174, 0, 2.555, 1.821e-07}, // NT
        {11.2, 0, 2.478, 3.106e-07},  // TN
        {8.007, 0, 2.809, 1.929e-07}  // TT
    }}},
    {&cuda::sgemm_stream_k_parts_128x128, {{
        {7.167, 0, 1.401, 1.103e-07}, // NN
        {6.723, 0, 1.503, 1.11e-07},  // NT
        {5.745, 0, 1.6, 9.54e-08},    // TN
        {5.355, 0, 1.63, 9.948e-09}   // TT
    }}},
    // Fitted to the readings of docs/experiments/sgemm.md.
    {&cuda::sgemm_stream_k_lanes, {{
        {3.965, 1.576, 1.267, 1.445e-08},                // NN
        {4.051, 1.514, 1.202, 4.222e-08},                // NT
        {2.161, 1.869, 1.232, 2.943e-08},                // TN
        {1.83, 1.963, 1.201, 1.175e-08}                  // TT
    }}},
    // On tensor cores; fitted by hand to the readings of docs/emulation.md.
    {&cuda::sgemm_emulated_bf16x6, {{
        {11.5, 0, 1.968, 2.362e-07}, // NN
        {11.5, 0, 1.968, 2.362e-07}, // NT
        {11.5, 0, 1.968, 2.362e-07}, // TN
        {11.5, 0, 1.968, 2.362e-07}  // TT
    }}},
    {&cuda::sgemm_emulated_bf16x6_128x128, {{
        {9.323, 0, 1.062, 2.145e-07}, // NN
        {9.323, 0, 1.062, 2.145e-07}, // NT
        {9.323, 0, 1.062, 2.145e-07}, // TN
        {9.323, 0, 1.062, 2.145e-07}  // TT
    }}},
    {&cuda::sgemm_emulated_bf16x6_passes, {{
        {11.5, 155, 1.968, 2.362e-07}, // NN
        {11.5, 155, 1.968, 2.362e-07}, // NT
        {11.5, 155, 1.968, 2.362e-07}, // TN
        {11.5, 155, 1.968, 2.362e-07}  // TT
    }}},
    {&cuda::sgemm_fast_fp16x3, {{
        {20, 0, 1.22, 1e-07}, // NN
        {20, 0, 1.22, 1e-07}, // NT
        {20, 0, 1.22, 1e-07}, // TN
        {20, 0, 1.22, 1e-07}  // TT
    }}},
    {&cuda::sgemm_fast_fp16x3_128x128, {{
        {12, 0, 0.58, 2.2e-07}, // NN
        {12, 0, 0.58, 2.2e-07}, // NT
        {12, 0, 0.58, 2.2e-07}, // TN
        {12, 0, 0.58, 2.2e-07}  // TT
    }}},
    {&cuda::sgemm_fast_fp16x3_passes, {{
        {20, 82, 1.22, 1e-07}, // NN
        {20, 82, 1.22, 1e-07}, // NT
        {20, 82, 1.22, 1e-07}, // TN
        {20, 82, 1.22, 1e-07}  // TT
    }}},
    // The same, to those of docs/experiments/sgemm_emulated.md.
    {&cuda::sgemm_emulated_bf16x6_fused, {{
        {4, 0, 3.22, 1.2e-07}, // NN
        {4, 0, 3.22, 1.2e-07}, // NT
        {4, 0, 3.22, 1.2e-07}, // TN
        {4, 0, 3.22, 1.2e-07}  // TT
    }}},
    {&cuda::sgemm_emulated_bf16x6_fused_64x64, {{
        {3, 13, 1.08, 0}, // NN
        {3, 13, 1.08, 0}, // NT
        {3, 13, 1.08, 0}, // TN
        {3, 13, 1.08, 0}  // TT
    }}},
    {&cuda::sgemm_fast_fp16x3_fused, {{
        {4, 0, 2.36, 1.2e-07}, // NN
        {4, 0, 2.36, 1.2e-07}, // NT
        {4, 0, 2.36, 1.2e-07}, // TN
        {4, 0, 2.36, 1.2e-07}  // TT
    }}},
    {&cuda::sgemm_fast_fp16x3_fused_64x64, {{
        {3, 13, 0.84, 0}, // NN
        {3, 13, 0.84, 0}, // NT
        {3, 13, 0.84, 0}, // TN
        {3, 13, 0.84, 0}  // TT
    }}},
    {&cuda::sgemm_emulated_tf32x3_fused_64x64, {{
        {2.7, 1.4, 0.355, 0}, // NN
        {2.7, 1.4, 0.355, 0}, // NT
        {2.7, 1.4, 0.355, 0}, // TN
        {2.7, 1.4, 0.355, 0}  // TT
    }}},
    {&cuda::sgemm_emulated_tf32x3_fused_128x64, {{
        {3.3, 1, 0.674, 0}, // NN
        {3.3, 1, 0.674, 0}, // NT
        {3.3, 1, 0.674, 0}, // TN
        {3.3, 1, 0.674, 0}  // TT
    }}},
    {&cuda::sgemm_emulated_tf32x3_fused_128x128, {{
        {2, 3, 1.33, 0}, // NN
        {2, 3, 1.33, 0}, // NT
        {2, 3, 1.33, 0}, // TN
        {2, 3, 1.33, 0}  // TT
    }}},
};
// clang-format on

} // namespace

constinit const cost_list<sgemm_problem> sgemm_costs_sm90 = costs;

} // namespace myblas
