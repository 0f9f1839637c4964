// What the basic actions of a GPU cost. Host code that chooses between configurations of a kernel,
// or between strategies, takes its figures from this file. A property of one kernel's code, such as
// a loop that is slower in one form, stays with the kernel.
//
// The predictor of whole kernels (select/model.h) has coefficients of its own for each kernel,
// fitted to readings. It counts work with the rates of this file.
//
// Two figures that look alike have different meanings, and their names and comments say which.
#pragma once

#include "core/device.h"

#include <array>

namespace myblas {

struct device_costs {
    // ---- Arithmetic ----
    // FP32 FMAs that a multiprocessor completes in a cycle. CUDA C++ Programming Guide, "Throughput
    // of Native Arithmetic Instructions". (Compute capability 8.0 completes 64. Predictions count
    // 128 there, too: no readings say what its learned factors would be.)
    int fmas_per_cycle;
    // Products that a multiprocessor completes in a cycle. NVIDIA H100 Tensor Core GPU
    // Architecture: dense TFLOP/s / 2 / multiprocessors / clock.
    int products_of_16_bits, products_of_tf32;
    // The speed of products in emulated and fast mode, relative to FP32, as syr2k counts it. H200,
    // docs/experiments/level3.md.
    double tensor_core_speed;
    // A block multiplies a row of 128 columns by 32 k, for one pair of limbs. H100,
    // docs/experiments/sgemm_emulated.md.
    double limb_row_us;

    // ---- Launches ----
    // A further kernel in a stream that depends on the kernel before it, launched by
    // launch_overlapped. H200, docs/experiments/level3.md.
    double dependent_launch_us;
    // A kernel of aligned copies before a product, without the time of the bytes that it moves. It
    // is longer than dependent_launch_us, as the copies and then the product start with loads that
    // nothing hides. Fitted together with scalar_load_slowdown, below.
    double copy_launch_us;
    // From the last product of a pass to the first product of the next pass. H100,
    // docs/experiments/sgemm_emulated.md.
    double pass_us;

    // ---- Blocks and sums ----
    // H200, gemv, docs/experiments/vectors.md, in cycles.
    double block_start;
    // Adding the sums of blocks: in a cluster, with its barrier; or in memory, by the last block,
    // which writes, counts and reads. In memory, each further 8 loads of a thread cost more.
    // Few sums by mail (mailbox.cuh), and more for each group of blocks that waits for them.
    double cluster_sums, mailbox_sums, mailbox_group, memory_sums, further_loads;
    // The same for blocks that split the k of a tile, in slabs of the tile. H100,
    // docs/experiments/sgemm_skinny.md.
    int split_slabs;          // adding the sums, in a cluster or in memory
    int split_loads_per_slab; // loads of the last cluster that take as long as a slab

    // Clusters of more than 2 blocks do not reach all multiprocessors. Thousandths that clusters of
    // each size reach with one block on a multiprocessor, then all clusters with two blocks and
    // with more. From times of bf16x6, tf32x3 and skinny on an H100 and an H200 with 132
    // multiprocessors. Times double when there is one cluster more. Both cards have the same
    // limits.
    std::array<int, 9> cluster_reach;
    int cluster_reach_of_two, cluster_reach_of_more;

    // ---- Loads ----
    // From a load to its data, in cycles. H200, gemv, docs/experiments/vectors.md.
    double cache_latency, memory_latency;
    // Rates of loads, from the same readings. The real rates are lower: here, the latency of one
    // block overlaps the transfers of others.
    double sm_rate;                 // of one multiprocessor at most, in bytes a cycle
    double memory_rate, cache_rate; // of all multiprocessors, relative to memory_bytes_per_cycle
    double cached_share;            // part of the L2 cache in which data is found again
    // Packing of limbs, and sums in memory, in bytes a microsecond. H100,
    // docs/experiments/sgemm_emulated.md.
    double packing_rate;

    // ---- Unaligned operands ----
    // The time of FMAs that scalar loads add to a product, as a fraction. H200, 20 products with k
    // from 33 to 7371, each timed with scalar loads and with aligned copies,
    // docs/experiments/sgemm.md.
    double scalar_load_slowdown;
    // The same for the predictor, whose coefficients were fitted with this value: it changes only
    // with a new fit.
    float fitted_scalar_load_slowdown;
    // Writers of an unaligned C fall behind the consumers by these cycles for each element that a
    // multiprocessor writes. From the same 20 products.
    double lagging_writers;
};

inline constexpr device_costs costs_sm90 = {
    .fmas_per_cycle = 128,
    .products_of_16_bits = 2048,
    .products_of_tf32 = 1024,
    .tensor_core_speed = 3.5,
    .limb_row_us = 0.001375,
    .dependent_launch_us = 0.5,
    .copy_launch_us = 2.5,
    .pass_us = 15,
    .block_start = 1480,
    .cluster_sums = 1600,
    .mailbox_sums = 1900,
    .mailbox_group = 50,
    .memory_sums = 5400,
    .further_loads = 800,
    .split_slabs = 4,
    .split_loads_per_slab = 16,
    .cluster_reach = {1000, 1000, 1000, 887, 910, 834, 773, 796, 788},
    .cluster_reach_of_two = 940,
    .cluster_reach_of_more = 910,
    .cache_latency = 950,
    .memory_latency = 1300,
    .sm_rate = 42,
    .memory_rate = 1.33,
    .cache_rate = 1.84,
    .cached_share = 0.7,
    .packing_rate = 2.4e6,
    .scalar_load_slowdown = 0.25,
    .fitted_scalar_load_slowdown = 0.15f,
    .lagging_writers = 0.37,
};

// Only compute capability 9.0 has been measured. Another one gets its own table, and this function
// chooses by device.arch.
constexpr const device_costs& costs_of(const device_info&) { return costs_sm90; }

// ---- Rates of all multiprocessors, and of memory ------------------------------------------------

// The time of cycles of multiprocessors, or of FP32 FMAs, if all multiprocessors share them
// equally.
constexpr double sm_cycles_us(const device_info& device, double cycles) {
    return cycles / (static_cast<double>(device.sm_count) * device.clock_mhz);
}
constexpr double fma_us(const device_info& device, double fmas) {
    return sm_cycles_us(device, fmas / costs_of(device).fmas_per_cycle);
}

// The highest rate of memory, by the clock and the width of its bus.
constexpr double memory_bytes_per_us(const device_info& device) { return 1e3 * device.memory_gbps; }
constexpr double memory_bytes_per_cycle(const device_info& device) {
    return memory_bytes_per_us(device) / device.clock_mhz;
}

} // namespace myblas
