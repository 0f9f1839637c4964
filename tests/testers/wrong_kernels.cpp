// The library with a wrong kernel: the first of the routine that ADAPTER_PLANT names ("SSYR2K")
// changes one element of large enough results. Linked in place of the host registry, whose own
// lists are called right_kernels here (CMakeLists.txt).
#include "core/routine.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace myblas {

template <class Problem>
kernel_list<Problem> right_kernels();

namespace {

// ---- The planted error --------------------------------------------------------------------------

// The BLAS's name of the wrong routine.
template <class Problem>
const char* name_of(const Problem&) {
    return routine_traits<Problem>::name;
}
const char* name_of(const sgemm_problem& p) { return p.is_gemv ? "GEMV" : "GEMM"; }
const char* name_of(const syr_problem& p) { return p.is_ger ? "GER" : p.y ? "SYR2" : "SYR"; }
const char* name_of(const sum_problem<float>& p) { return p.absolute ? "ASUM" : "SUM"; }
const char* name_of(const extremum_problem& p) { return p.least ? "ISAMIN" : "ISAMAX"; }

template <class Problem>
bool is_planted(const Problem& p) {
    const char* planted = std::getenv("ADAPTER_PLANT");
    const char* name = name_of(p);
    return planted && std::strcmp(planted[0] == 'S' ? planted + 1 : planted, name) == 0;
}

void spoil(float* x) { *x = *x * 1.01f + 0.001f; }

// The last element but one, so that the error is not at an edge.
void spoil_vector(float* x, int64_t n, int64_t inc) {
    if (n > 2)
        spoil(x + (n - 2) * inc);
}

// At a third and at two thirds of both sides: below or above the diagonal of a square.
void spoil_matrix(float* c, int64_t m, int64_t n, int64_t ld, bool upper) {
    if (m > 2 && n > 2)
        spoil(upper ? c + m / 3 + 2 * n / 3 * ld : c + 2 * m / 3 + n / 3 * ld);
}

void spoil_result(const sgemm_problem& p) {
    if (p.is_gemv)
        spoil_vector(p.c, p.m * p.n, p.n == 1 ? 1 : p.ldc);
    else
        spoil_matrix(p.c, p.m, p.n, p.ldc, false);
}
template <bool twice>
void spoil_result(const rank_k_problem<twice>& p) {
    spoil_matrix(p.c, p.n, p.n, p.ldc, p.upper);
}
void spoil_result(const symm_problem& p) { spoil_matrix(p.c, p.m, p.n, p.ldc, false); }
void spoil_result(const trmm_problem& p) { spoil_matrix(p.c, p.m, p.n, p.ldc, false); }
void spoil_result(const trsm_problem& p) { spoil_matrix(p.b, p.m, p.n, p.ldb, false); }
void spoil_result(const symv_problem& p) { spoil_vector(p.y, p.n, p.incy); }
void spoil_result(const syr_problem& p) { spoil_matrix(p.a, p.rows(), p.n, p.lda, p.upper); }
template <bool solve>
void spoil_result(const triangular_problem<solve>& p) {
    spoil_vector(p.x, p.n, p.incx);
}
void spoil_result(const axpy_problem& p) { spoil_vector(p.y, p.n, p.incy); }
void spoil_result(const copy_problem& p) { spoil_vector(p.y, p.n, p.incy); }
void spoil_result(const scal_problem& p) { spoil_vector(p.x, p.n, p.incx); }
void spoil_result(const swap_problem& p) { spoil_vector(p.x, p.n, p.incx); }
void spoil_result(const rot_problem& p) { spoil_vector(p.x, p.n, p.incx); }
void spoil_result(const rotm_problem& p) { spoil_vector(p.x, p.n, p.incx); }
void spoil_result(const rotg_problem& p) { spoil(p.c); }
void spoil_result(const rotmg_problem& p) { spoil(p.d1); }
void spoil_result(const dot_problem& p) { spoil(p.result); }
void spoil_result(const nrm2_problem& p) { spoil(p.result); }
void spoil_result(const sum_problem<float>& p) { spoil(p.result); }
void spoil_result(const extremum_problem& p) {
    if (!p.wide && p.n > 2)
        ++*static_cast<int*>(p.result);
}

template <class Problem>
myblasStatus_t launch_wrong(const Problem& p, const launch_context& context) {
    const myblasStatus_t status = right_kernels<Problem>().front()->launch(p, context);
    if (is_planted(p))
        spoil_result(p);
    return status;
}

// ---- The lists ----------------------------------------------------------------------------------

template <class Problem>
kernel_list<Problem> with_wrong_first() {
    static const auto list = [] {
        static kernel_entry<Problem> wrong = *right_kernels<Problem>().front();
        wrong.launch = launch_wrong<Problem>;
        std::array<const kernel_entry<Problem>*, 16> entries{};
        size_t count = 0;
        for (const kernel_entry<Problem>* right : right_kernels<Problem>())
            entries.at(count++) = right;
        entries[0] = &wrong;
        return std::pair(entries, count);
    }();
    return kernel_list<Problem>(list.first.data(), list.second);
}

} // namespace

// clang-format off
template <> kernel_list<sgemm_problem> host_kernels() { return with_wrong_first<sgemm_problem>(); }
template <> kernel_list<syrk_problem> host_kernels() { return with_wrong_first<syrk_problem>(); }
template <> kernel_list<syr2k_problem> host_kernels() { return with_wrong_first<syr2k_problem>(); }
template <> kernel_list<symm_problem> host_kernels() { return with_wrong_first<symm_problem>(); }
template <> kernel_list<trmm_problem> host_kernels() { return with_wrong_first<trmm_problem>(); }
template <> kernel_list<trsm_problem> host_kernels() { return with_wrong_first<trsm_problem>(); }
template <> kernel_list<symv_problem> host_kernels() { return with_wrong_first<symv_problem>(); }
template <> kernel_list<syr_problem> host_kernels() { return with_wrong_first<syr_problem>(); }
template <> kernel_list<trmv_problem> host_kernels() { return with_wrong_first<trmv_problem>(); }
template <> kernel_list<trsv_problem> host_kernels() { return with_wrong_first<trsv_problem>(); }
template <> kernel_list<axpy_problem> host_kernels() { return with_wrong_first<axpy_problem>(); }
template <> kernel_list<copy_problem> host_kernels() { return with_wrong_first<copy_problem>(); }
template <> kernel_list<scal_problem> host_kernels() { return with_wrong_first<scal_problem>(); }
template <> kernel_list<swap_problem> host_kernels() { return with_wrong_first<swap_problem>(); }
template <> kernel_list<rot_problem> host_kernels() { return with_wrong_first<rot_problem>(); }
template <> kernel_list<rotm_problem> host_kernels() { return with_wrong_first<rotm_problem>(); }
template <> kernel_list<rotg_problem> host_kernels() { return with_wrong_first<rotg_problem>(); }
template <> kernel_list<rotmg_problem> host_kernels() { return with_wrong_first<rotmg_problem>(); }
template <> kernel_list<dot_problem> host_kernels() { return with_wrong_first<dot_problem>(); }
template <> kernel_list<nrm2_problem> host_kernels() { return with_wrong_first<nrm2_problem>(); }
template <> kernel_list<extremum_problem> host_kernels() {
    return with_wrong_first<extremum_problem>();
}
template <> kernel_list<sum_problem<float>> host_kernels() {
    return with_wrong_first<sum_problem<float>>();
}
// Not in the BLAS.
template <> kernel_list<sum_problem<double>> host_kernels() {
    return right_kernels<sum_problem<double>>();
}
template <> kernel_list<gemsum_problem> host_kernels() { return right_kernels<gemsum_problem>(); }
template <> kernel_list<geam_problem> host_kernels() { return right_kernels<geam_problem>(); }
template <> kernel_list<transpose_problem> host_kernels() {
    return right_kernels<transpose_problem>();
}
template <> kernel_list<histogram_problem> host_kernels() {
    return right_kernels<histogram_problem>();
}
// clang-format on

} // namespace myblas
