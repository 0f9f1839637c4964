// The entry points of the C interface. A row-major call is the column-major one of the transposes.
#include "blas/enter.h"
#include "blas/letters.h"

namespace myblas::preload {
namespace {

constexpr interface used = interface::cblas;

[[gnu::noinline]] void attend_product(slot order,
                                      slot transa,
                                      slot transb,
                                      slot m,
                                      slot n,
                                      slot k,
                                      float alpha,
                                      const float* a,
                                      slot lda,
                                      const float* b,
                                      slot ldb,
                                      float beta,
                                      float* c,
                                      slot ldc) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<cblas::sgemm>(routine::sgemm);
    if (function && !deserves_attention(routine::sgemm, as_int(m), as_int(n), as_int(k)))
        return function(order, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    const bool swaps = is_row_major(order);
    const product_call call{
        {.transa = is_trans(swaps ? transb : transa),
         .transb = is_trans(swaps ? transa : transb),
         .m = as_int(swaps ? n : m),
         .n = as_int(swaps ? m : n),
         .k = as_int(k),
         .alpha = alpha,
         .a = swaps ? b : a,
         .lda = as_int(swaps ? ldb : lda),
         .b = swaps ? a : b,
         .ldb = as_int(swaps ? lda : ldb),
         .beta = beta,
         .c = c,
         .ldc = as_int(ldc)},
        wrong_letter({is_order(order), is_operation(transa), is_operation(transb)})};
    attend(function,
           call,
           {own, used},
           order,
           transa,
           transb,
           m,
           n,
           k,
           alpha,
           a,
           lda,
           b,
           ldb,
           beta,
           c,
           ldc);
}

} // namespace
} // namespace myblas::preload

using namespace myblas::preload;

#pragma GCC visibility push(default)
extern "C" {

#ifdef __x86_64__
[[gnu::visibility("hidden"), gnu::optimize("O2")]] void cblas_sgemm_of_others(
    slot order, slot transa, slot transb, slot m, slot n, slot k, float alpha, float beta) {
    void* target = target_of(
        attend_product, __builtin_return_address(0), used, as_int(m), as_int(n), as_int(k));
    reinterpret_cast<decltype(cblas_sgemm_of_others)*>(target)(
        order, transa, transb, m, n, k, alpha, beta);
}

// cblas_sgemm: see enter.h.
asm(R"(
        .pushsection .text
        .p2align 6
        .globl cblas_sgemm
        .type cblas_sgemm, @function
cblas_sgemm:
        .cfi_startproc
        movl %ecx, %eax # m | n | k
        orl %r8d, %eax
        orl %r9d, %eax
        cmpl least_attended_extent(%rip), %eax
        jge cblas_sgemm_of_others
        movq (%rsp), %rax
        subq cblas_first_caller(%rip), %rax
        cmpq cblas_first_caller+8(%rip), %rax
        jae cblas_sgemm_of_others
        jmp *cblas_first_caller+16(%rip)
        .cfi_endproc
        .size cblas_sgemm, . - cblas_sgemm
        .popsection
)");
#else
void cblas_sgemm(slot order,
                 slot transa,
                 slot transb,
                 slot m,
                 slot n,
                 slot k,
                 float alpha,
                 const float* a,
                 slot lda,
                 const float* b,
                 slot ldb,
                 float beta,
                 float* c,
                 slot ldc) {
    void* target = target_of(
        attend_product, __builtin_return_address(0), used, as_int(m), as_int(n), as_int(k));
    reinterpret_cast<cblas::sgemm*>(target)(
        order, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
#endif

void cblas_sgemv(slot order,
                 slot trans,
                 slot m,
                 slot n,
                 float alpha,
                 const float* a,
                 slot lda,
                 const float* x,
                 slot incx,
                 float beta,
                 float* y,
                 slot incy) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<cblas::sgemv>(routine::sgemv);
    if (function && !deserves_attention(routine::sgemv, as_int(m), as_int(n), 1))
        return function(order, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
    const bool by_rows = is_row_major(order);
    const matrix_vector_call call{.trans = is_trans(trans) != by_rows,
                                  .rows = as_int(by_rows ? n : m),
                                  .cols = as_int(by_rows ? m : n),
                                  .alpha = alpha,
                                  .a = a,
                                  .lda = as_int(lda),
                                  .x = x,
                                  .incx = as_int(incx),
                                  .beta = beta,
                                  .y = y,
                                  .incy = as_int(incy),
                                  .wrong_letter =
                                      wrong_letter({is_order(order), is_operation(trans)})};
    attend(function, call, {own, used}, order, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

float cblas_sasum(slot n, const float* x, slot incx) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<cblas::sasum>(routine::sasum);
    if (function && !deserves_attention(routine::sasum, as_int(n), 1, 1))
        return function(n, x, incx);
    float result = 0;
    const asum_call call{as_int(n), x, as_int(incx), &result};
    attend_function(function, call, {own, used}, n, x, incx);
    return result;
}

float cblas_sdot(slot n, const float* x, slot incx, const float* y, slot incy) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<cblas::sdot>(routine::sdot);
    if (function && !deserves_attention(routine::sdot, as_int(n), 1, 1))
        return function(n, x, incx, y, incy);
    float result = 0;
    const dot_call call{as_int(n), x, as_int(incx), y, as_int(incy), &result};
    attend_function(function, call, {own, used}, n, x, incx, y, incy);
    return result;
}

void cblas_saxpy(slot n, float alpha, const float* x, slot incx, float* y, slot incy) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<cblas::saxpy>(routine::saxpy);
    if (function && !deserves_attention(routine::saxpy, as_int(n), 1, 1))
        return function(n, alpha, x, incx, y, incy);
    const axpy_call call{as_int(n), alpha, x, as_int(incx), y, as_int(incy)};
    attend(function, call, {own, used}, n, alpha, x, incx, y, incy);
}

void cblas_scopy(slot n, const float* x, slot incx, float* y, slot incy) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<cblas::scopy>(routine::scopy);
    if (function && !deserves_attention(routine::scopy, as_int(n), 1, 1))
        return function(n, x, incx, y, incy);
    const copy_call call{as_int(n), x, as_int(incx), y, as_int(incy)};
    attend(function, call, {own, used}, n, x, incx, y, incy);
}

void cblas_somatcopy(slot order,
                     slot trans,
                     slot rows,
                     slot cols,
                     float alpha,
                     const float* a,
                     slot lda,
                     float* b,
                     slot ldb) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<cblas::omatcopy>(routine::somatcopy);
    if (function && !deserves_attention(routine::somatcopy, as_int(rows), as_int(cols), 1))
        return function(order, trans, rows, cols, alpha, a, lda, b, ldb);
    const bool by_rows = is_row_major(order);
    const omatcopy_call call{{.trans = is_trans(trans),
                              .rows = as_int(by_rows ? cols : rows),
                              .cols = as_int(by_rows ? rows : cols),
                              .alpha = alpha,
                              .a = a,
                              .lda = as_int(lda),
                              .b = b,
                              .ldb = as_int(ldb)},
                             wrong_letter({is_order(order), is_copy_operation(trans)})};
    attend(function, call, {own, used}, order, trans, rows, cols, alpha, a, lda, b, ldb);
}

void cblas_simatcopy(
    slot order, slot trans, slot rows, slot cols, float alpha, float* a, slot lda, slot ldb) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<cblas::imatcopy>(routine::simatcopy);
    if (function && !deserves_attention(routine::simatcopy, as_int(rows), as_int(cols), 1))
        return function(order, trans, rows, cols, alpha, a, lda, ldb);
    const bool by_rows = is_row_major(order);
    const imatcopy_call call{.trans = is_trans(trans),
                             .rows = as_int(by_rows ? cols : rows),
                             .cols = as_int(by_rows ? rows : cols),
                             .alpha = alpha,
                             .a = a,
                             .lda = as_int(lda),
                             .ldb = as_int(ldb),
                             .wrong_letter =
                                 wrong_letter({is_order(order), is_copy_operation(trans)})};
    attend(function, call, {own, used}, order, trans, rows, cols, alpha, a, lda, ldb);
}

} // extern "C"
#pragma GCC visibility pop
