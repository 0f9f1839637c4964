// Costs of the SGEMM kernels for compute capability 9.0.
// Provenance: NVIDIA H100 80GB HBM3, driver 580.159.04, CUDA 13.0, 2026-11-21: strict kernels fitted to
// products most of which are of random sizes, and so off the grid of 16 bytes (docs/experiments/sgemm.md, "costs
// from random sizes"). Those that were not in that race have the costs that myblas-bench tune sgemm --seed 1
// --budget 20 had written, or others named below, times 1.15: by so much random sizes exceed what those predict,
// and a little more.
#include "kernels/sgemm/registry.h"
#include "select/tuning.h"

namespace myblas {
namespace {

// clang-format off
constexpr kernel_cost<sgemm_problem> costs[] = {
    // fixed, per_wave, per_step, per_byte, in microseconds
    {&cuda::sgemm_shared_rows, {{
        {0.9982, 1.457, 0.3042, 0},                      // NN
        {1.085, 1.298, 0.2826, 0},                       // NT
        {1.115, 1.377, 0.3348, 0},                       // TN
        {1.235, 1.202, 0.3135, 0}                        // TT
    }}},
    {&cuda::sgemm_warp_tile, {{
        {3.541, 4.842, 2.684, 0},                        // NN
        {0, 6.327, 2.637, 1.174e-07},                    // NT
        {2.306, 1.699, 2.926, 2.044e-07},                // TN
        {0.2958, 6.746, 2.812, 7.278e-08}                // TT
    }}},
    {&cuda::sgemm_warp_tile_128x128, {{
        {0.9917, 3.685, 1.667, 0},                       // NN
        {1.186, 1.86, 1.53, 3.628e-07},                  // NT
        {1.592, 4.799, 1.705, 1.482e-08},                // TN
        {1.604, 3.332, 1.594, 1.843e-07}                 // TT
    }}},
    {&cuda::sgemm_warp_tile_64x64, {{
        {2.451, 0.6746, 0.5455, 0},                      // NN
        {1.643, 0.422, 0.4871, 2.807e-07},               // NT
        {2.655, 0.02851, 0.5868, 1.031e-07},             // TN
        {1.047, 1.042, 0.5142, 3.125e-07}                // TT
    }}},
    {&cuda::sgemm_warp_tile_64x128, {{
        {0.7135, 3.465, 0.9112, 0},                      // NN
        {0.06178, 3.182, 0.8292, 2.181e-07},             // NT
        {0.7539, 2.556, 0.9915, 6.07e-08},               // TN
        {0.1838, 3.875, 0.8494, 1.786e-07}               // TT
    }}},
    {&cuda::sgemm_sliced_32x16, {{
        {2.345, 0.6573, 0.6462, 6.084e-08},              // NN
        {1.863, 0.1905, 0.578, 7.374e-07},               // NT
        {2.195, 0.2088, 0.6881, 5.681e-07},              // TN
        {1.837, 0.2164, 0.6252, 7.029e-07}               // TT
    }}},
    {&cuda::sgemm_sliced_32x32, {{
        {3.282, 0, 0.5532, 3.904e-07},                   // NN
        {3.673, 0, 0.5141, 1.672e-07},                   // NT
        {3.237, 0, 0.6002, 2.919e-07},                   // TN
        {2.965, 0.4301, 0.5809, 1.087e-07}               // TT
    }}},
    {&cuda::sgemm_sliced_32x32_long, {{
        {0.7763, 0.6044, 1.047, 5.016e-07},              // NN
        {2.454, 0.213, 0.901, 4.631e-07},                // NT
        {2.102, 0.1533, 1.182, 4.243e-07},               // TN
        {1.17, 0.4481, 1.043, 4.949e-07}                 // TT
    }}},
    {&cuda::sgemm_sliced_32x32_cluster, {{
        {3.028, 0.6837, 0.5579, 2.683e-07},              // NN
        {3.394, 0.02452, 0.465, 5.793e-07},              // NT
        {3.208, 0.4552, 0.5984, 3.184e-07},              // TN
        {2.439, 0.8079, 0.5553, 2.828e-07}               // TT
    }}},
    {&cuda::sgemm_sliced_64x32, {{
        {1.94, 0.365, 1.077, 3.085e-07},                 // NN
        {2.318, 0.06671, 0.9313, 3.848e-07},             // NT
        {2.356, 0.05939, 1.198, 2.752e-07},              // TN
        {1.302, 0.5107, 1.117, 3.305e-07}                // TT
    }}},
    {&cuda::sgemm_sliced_64x64, {{
        {6.689, 0, 1.006, 0},                            // NN
        {6.597, 0, 0.8984, 1.519e-07},                   // NT
        {7.395, 0, 1.037, 9.595e-09},                    // TN
        {5.227, 1.087, 1.028, 5.946e-08}                 // TT
    }}},
    {&cuda::sgemm_split_k, {{
        {1.861, 2.635, 0.6031, 6.901e-08},               // NN
        {1.558, 2.981, 0.5812, 4.432e-08},               // NT
        {1.833, 2.897, 0.6534, 4.628e-08},               // TN
        {0.5462, 3.926, 0.6141, 3.386e-08}               // TT
    }}},
    {&cuda::sgemm_stream_k, {{
        {11.79, 1.344, 2.753, 4.756e-08},                // NN
        {8.658, 1.579, 2.506, 3.053e-07},                // NT
        {11.5, 1.569, 2.901, 6.694e-08},                 // TN
        {6.845, 2.264, 2.757, 3.067e-07}                 // TT
    }}},
    {&cuda::sgemm_stream_k_128x128, {{
        {7.813, 0.7446, 1.529, 0},                       // NN
        {3.363, 1.385, 1.375, 3.676e-07},                // NT
        {8.277, 0.8277, 1.543, 3.572e-08},               // TN
        {6.416, 0.9493, 1.452, 2.064e-07}                // TT
    }}},
    // Fitted to the readings of docs/experiments/sgemm_skinny.md, and scaled as above.
    {&cuda::sgemm_stream_k_parts, {{
        {12.25, 0, 2.775, 2.685e-07},                    // NN
        {10.55, 0, 2.938, 2.094e-07},                    // NT
        {12.88, 0, 2.85, 3.572e-07},                     // TN
        {9.208, 0, 3.23, 2.218e-07}                      // TT
    }}},
    {&cuda::sgemm_stream_k_parts_128x128, {{
        {8.242, 0, 1.611, 1.268e-07},                    // NN
        {7.731, 0, 1.728, 1.276e-07},                    // NT
        {6.607, 0, 1.84, 1.097e-07},                     // TN
        {6.158, 0, 1.874, 1.144e-08}                     // TT
    }}},
    {&cuda::sgemm_stream_k_lanes, {{
        {4.665, 1.07, 1.272, 1.431e-07},                 // NN
        {3.785, 1.217, 1.199, 3.175e-07},                // NT
        {3.345, 1.314, 1.264, 1.182e-07},                // TN
        {3.206, 1.275, 1.231, 2.336e-07}                 // TT
    }}},
    // On tensor cores; fitted by hand to the readings of docs/experiments/sgemm_emulated.md.
    {&cuda::sgemm_bf16x6[0], {{
        {11.5, 0, 1.968, 2.362e-07}, // NN
        {11.5, 0, 1.968, 2.362e-07}, // NT
        {11.5, 0, 1.968, 2.362e-07}, // TN
        {11.5, 0, 1.968, 2.362e-07}  // TT
    }}},
    {&cuda::sgemm_bf16x6[1], {{
        {9.323, 0, 1.062, 2.145e-07}, // NN
        {9.323, 0, 1.062, 2.145e-07}, // NT
        {9.323, 0, 1.062, 2.145e-07}, // TN
        {9.323, 0, 1.062, 2.145e-07}  // TT
    }}},
    {&cuda::sgemm_fp16x3[0], {{
        {18, 3, 1.06, 0.75e-07}, // NN
        {18, 3, 1.06, 0.75e-07}, // NT
        {18, 3, 1.06, 0.75e-07}, // TN
        {18, 3, 1.06, 0.75e-07}  // TT
    }}},
    {&cuda::sgemm_fp16x3[1], {{
        {8.5, 4, 0.56, 1.6e-07}, // NN
        {8.5, 4, 0.56, 1.6e-07}, // NT
        {8.5, 4, 0.56, 1.6e-07}, // TN
        {8.5, 4, 0.56, 1.6e-07}  // TT
    }}},
    {&cuda::sgemm_tf32x3[0], {{
        {2.7, 1.4, 0.355, 0}, // NN
        {2.7, 1.4, 0.355, 0}, // NT
        {2.7, 1.4, 0.355, 0}, // TN
        {2.7, 1.4, 0.355, 0}  // TT
    }}},
    {&cuda::sgemm_tf32x3[1], {{
        {3.3, 1, 0.674, 0}, // NN
        {3.3, 1, 0.674, 0}, // NT
        {3.3, 1, 0.674, 0}, // TN
        {3.3, 1, 0.674, 0}  // TT
    }}},
    {&cuda::sgemm_tf32x3[2], {{
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
