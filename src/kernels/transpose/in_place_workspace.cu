// A = A^T in place, any shape with tight leading dimensions, through the workspace.
//
// Transposes out of place into the workspace, then copies back: fast, but needs memory.
//
// Bound: 4 m n elements moved.
// Launches: `vectorised` if A is aligned for it, else `interleaved` if A is thin, else `shifted`;
// then a copy.
// Accepts: B == A, lda == m, ldb == n, no batch; m * n elements of workspace.

#include "kernels/transpose/registry.h"
#include "kernels/transpose/tile.cuh"

namespace myblas::cuda {
namespace {

bool accepts_tight(const transpose_problem& p, const device_info&) {
    return p.in_place() && p.lda == p.m && p.ldb == p.n && p.batch_count == 1;
}

size_t matrix_bytes(const transpose_problem& p, const device_info&) {
    return static_cast<size_t>(p.m) * p.n * p.element_bytes;
}

myblasStatus_t launch_in_place_workspace(const transpose_problem& p,
                                         const launch_context& context) {
    transpose_problem out = p;
    out.b = context.workspace;
    const kernel_entry<transpose_problem>* mover = &transpose_unrolled; // accepts everything
    for (const auto* candidate :
         {&transpose_shifted, &transpose_interleaved, &transpose_vectorised})
        if (candidate->accepts(out, *context.device))
            mover = candidate;
    if (const myblasStatus_t status = mover->launch(out, context); status != MYBLAS_STATUS_SUCCESS)
        return status;
    // In a graph, a copy whose size is not a multiple of 64 KiB runs at 0.65 of the speed.
    // Therefore the rest beyond such a multiple is copied separately.
    const size_t bytes = matrix_bytes(p, *context.device);
    const size_t rest = bytes % (64 * 1024), whole = bytes - rest;
    const auto copy = [&](size_t from, size_t count) {
        return to_status(cudaMemcpyAsync(static_cast<char*>(p.b) + from,
                                         static_cast<char*>(out.b) + from,
                                         count,
                                         cudaMemcpyDeviceToDevice,
                                         context.stream));
    };
    if (whole != 0)
        if (const myblasStatus_t status = copy(0, whole))
            return status;
    return rest == 0 ? MYBLAS_STATUS_SUCCESS : copy(whole, rest);
}

} // namespace

constinit const kernel_entry<transpose_problem> transpose_in_place_workspace = {
    .name = "in_place_workspace",
    .description = "in place, tight: transposes into the workspace and copies back",
    .accepts = accepts_tight,
    .workspace_bytes = matrix_bytes,
    .prepare = [](const device_info& d) { return transpose_interleaved.prepare(d); },
    .launch = launch_in_place_workspace,
};

} // namespace myblas::cuda
