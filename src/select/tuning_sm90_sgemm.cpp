// Costs of the SGEMM kernels for compute capability 9.0.
// Provenance: NVIDIA H100 80GB HBM3, driver 580.159.04, CUDA 13.0, 2026-11-21: myblas-bench tune sgemm --budget 18,
// 839 shapes, 2678 measurements, fitted again with the steps that block_work counts now
// (docs/experiments/sgemm.md). Chosen against the best measured: geometric mean 1.001, worst 1.11.
#include "kernels/sgemm/registry.h"
#include "select/tuning.h"

namespace myblas {
namespace {

// clang-format off
constexpr kernel_cost<sgemm_problem> costs[] = {
    // fixed, per_wave, per_step, per_byte, in microseconds
    {&cuda::sgemm_shared_rows, {{
        {0.9359, 1.219, 0.2642, 0},                      // NN
        {0.9921, 1.098, 0.2451, 0},                      // NT
        {1.027, 1.164, 0.2903, 0},                       // TN
        {1.117, 1.017, 0.2723, 0}                        // TT
    }}},
    {&cuda::sgemm_warp_tile, {{
        {0.6289, 3.23, 2.582, 1.677e-07},                // NN
        {0.6054, 3.195, 2.589, 1.868e-07},               // NT
        {0.6362, 3.012, 2.835, 1.744e-07},               // TN
        {0.6936, 3.013, 2.677, 2.019e-07}                // TT
    }}},
    {&cuda::sgemm_warp_tile_128x128, {{
        {0.1028, 2.657, 1.496, 1.385e-07},               // NN
        {0.07574, 2.667, 1.474, 1.519e-07},              // NT
        {0.3334, 2.393, 1.662, 1.36e-07},                // TN
        {0.3712, 2.412, 1.549, 1.166e-07}                // TT
    }}},
    {&cuda::sgemm_warp_tile_64x64, {{
        {0.8909, 1.396, 0.4922, 6.688e-08},              // NN
        {0.9496, 1.35, 0.4489, 1.187e-07},               // NT
        {0.8455, 1.4, 0.5541, 5.735e-08},                // TN
        {0.8361, 1.408, 0.4975, 7.34e-08}                // TT
    }}},
    {&cuda::sgemm_split_k, {{
        {1.946, 1.954, 0.5141, 8.517e-08},               // NN
        {1.655, 2.292, 0.4881, 7.633e-08},               // NT
        {1.838, 2.225, 0.558, 7.496e-08},                // TN
        {1.493, 2.43, 0.5204, 6.267e-08}                 // TT
    }}},
    {&cuda::sgemm_stream_k, {{
        {2, 3, 2.5, 1.5e-07},                            // NN
        {2, 3, 2.46, 1.5e-07},                           // NT
        {2, 3, 2.82, 1.5e-07},                           // TN
        {2, 3, 2.58, 1.5e-07}                            // TT
    }}},
    {&cuda::sgemm_stream_k_128x128, {{
        {2, 1.8, 1.35, 1.5e-07},                         // NN
        {2, 1.8, 1.33, 1.5e-07},                         // NT
        {2, 1.8, 1.5, 1.5e-07},                          // TN
        {2, 1.8, 1.4, 1.5e-07}                           // TT
    }}},
    // On tensor cores, fitted by hand to 10 shapes of form NN in graphs; the forms differ by 1%.
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
        {14.09, 0, 1.316, 2.623e-07}, // NN
        {14.09, 0, 1.316, 2.623e-07}, // NT
        {14.09, 0, 1.316, 2.623e-07}, // TN
        {14.09, 0, 1.316, 2.623e-07}  // TT
    }}},
    {&cuda::sgemm_fast_fp16x3_128x128, {{
        {12.14, 0, 0.728, 2.313e-07}, // NN
        {12.14, 0, 0.728, 2.313e-07}, // NT
        {12.14, 0, 0.728, 2.313e-07}, // TN
        {12.14, 0, 0.728, 2.313e-07}  // TT
    }}},
    {&cuda::sgemm_fast_fp16x3_passes, {{
        {14.09, 82, 1.316, 2.623e-07}, // NN
        {14.09, 82, 1.316, 2.623e-07}, // NT
        {14.09, 82, 1.316, 2.623e-07}, // TN
        {14.09, 82, 1.316, 2.623e-07}  // TT
    }}},
};
// clang-format on

} // namespace

constinit const cost_list<sgemm_problem> sgemm_costs_sm90 = costs;

} // namespace myblas
