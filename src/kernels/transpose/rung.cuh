// The description of the rungs with a block of 256 threads for each tile of 32 x 32.
#pragma once

#include "kernels/transpose/registry.h"
#include "kernels/transpose/tile.cuh"

namespace myblas::cuda {

// KernelOf()(T()) is the kernel for elements of type T, with `pitch` elements in shared memory for
// each column of a tile.
template <class KernelOf>
constexpr kernel_entry<transpose_problem>
describe_rung(const char* name,
              const char* description,
              KernelOf,
              int pitch,
              bool (*accepts)(const transpose_problem&, const device_info&) = out_of_place) {
    return {.name = name,
            .description = description,
            .block_m = tile_side,
            .block_n = tile_side,
            .threads = tile_threads,
            .stages = pitch ? 1 : 0,
            .smem_bytes = tile_side * pitch * max_element_bytes,
            .accepts = accepts,
            .launch = [](const transpose_problem& p, const launch_context& context) {
                return with_element(p.element_bytes, [&](auto element) {
                    const auto kernel = KernelOf()(element);
                    return launch(kernel, tile_grid(p), tile_threads, 0, context, p);
                });
            }};
}

} // namespace myblas::cuda
