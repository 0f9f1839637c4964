// The CUDA kernels of level 3, plainest first.
#pragma once

#include "core/kernel_entry.h"
#include "level3/steps.h"

namespace myblas::cuda {

extern const kernel_entry<syrk_problem> syrk_naive, syrk_products;
extern const kernel_entry<syr2k_problem> syr2k_naive, syr2k_products;
extern const kernel_entry<symm_problem> symm_naive, symm_products, symm_small;
extern const kernel_entry<trmm_problem> trmm_naive, trmm_products, trmm_small;
extern const kernel_entry<trsm_problem> trsm_naive, trsm_products;

// Steps of a plan without a kernel_entry (parts.cu, zero_fill.cu), and diagonal blocks of
// triangles: triangle.cu multiplies, solve.cu solves, solve_lines.cu solves few lines of small
// triangles, and solve_small.cu solves batches of triangles with at most 32 rows.
myblasStatus_t mirror(const mirror_step&, const launch_context&);
myblasStatus_t store(const store_step&, const launch_context&);
myblasStatus_t join(const join_step&, const launch_context&);
myblasStatus_t triangle(const triangle_step&, const launch_context&);
myblasStatus_t solve(const triangle_step&, const launch_context&);
myblasStatus_t solve_lines(const triangle_step&, const launch_context&);
myblasStatus_t solve_small(const triangle_step&, const launch_context&);
myblasStatus_t prepare_solve(const device_info&); // before the first solve
myblasStatus_t gate(const zero_if_alpha_zero&, const launch_context&);
myblasStatus_t pointers(const pointers_step&, const launch_context&);
myblasStatus_t zero_fill(const zero_fill_step&, const launch_context&);
myblasStatus_t fix_nonfinite(const nonfinite_fixup&, const launch_context&);

} // namespace myblas::cuda
