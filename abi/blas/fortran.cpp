// The entry points of the Fortran interface.
#include "blas/enter.h"
#include "blas/letters.h"

namespace myblas::preload {
namespace {

constexpr interface used = interface::fortran;

[[gnu::noinline]] void attend_product(const char* transa,
                                      const char* transb,
                                      const int* m,
                                      const int* n,
                                      const int* k,
                                      const float* alpha,
                                      const float* a,
                                      const int* lda,
                                      const float* b,
                                      const int* ldb,
                                      const float* beta,
                                      float* c,
                                      const int* ldc,
                                      size_t length_a,
                                      size_t length_b) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<fortran::sgemm>(routine::sgemm);
    if (function && !deserves_attention(routine::sgemm, *m, *n, *k))
        return function(
            transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, length_a, length_b);
    const product_call call{{.transa = is_trans(transa),
                             .transb = is_trans(transb),
                             .m = *m,
                             .n = *n,
                             .k = *k,
                             .alpha = *alpha,
                             .a = a,
                             .lda = *lda,
                             .b = b,
                             .ldb = *ldb,
                             .beta = *beta,
                             .c = c,
                             .ldc = *ldc},
                            wrong_letter({is_operation(transa), is_operation(transb)})};
    attend(function,
           call,
           {own, used},
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
           ldc,
           length_a,
           length_b);
}

} // namespace
} // namespace myblas::preload

using namespace myblas::preload;

#pragma GCC visibility push(default)
extern "C" {

#ifdef __x86_64__
[[gnu::visibility("hidden"), gnu::optimize("O2")]] void sgemm_of_others(const char* transa,
                                                                        const char* transb,
                                                                        const int* m,
                                                                        const int* n,
                                                                        const int* k,
                                                                        const float* alpha) {
    void* target = target_of(attend_product, __builtin_return_address(0), used, *m, *n, *k);
    reinterpret_cast<decltype(sgemm_of_others)*>(target)(transa, transb, m, n, k, alpha);
}

// sgemm_: see enter.h.
asm(R"(
        .pushsection .text
        .p2align 6
        .globl sgemm_
        .type sgemm_, @function
sgemm_:
        .cfi_startproc
        movl (%rdx), %eax # m | n | k
        orl (%rcx), %eax
        orl (%r8), %eax
        cmpl least_attended_extent(%rip), %eax
        jge sgemm_of_others
        movq (%rsp), %rax
        subq fortran_first_caller(%rip), %rax
        cmpq fortran_first_caller+8(%rip), %rax
        jae sgemm_of_others
        jmp *fortran_first_caller+16(%rip)
        .cfi_endproc
        .size sgemm_, . - sgemm_
        .popsection
)");
#else
void sgemm_(const char* transa,
            const char* transb,
            const int* m,
            const int* n,
            const int* k,
            const float* alpha,
            const float* a,
            const int* lda,
            const float* b,
            const int* ldb,
            const float* beta,
            float* c,
            const int* ldc,
            size_t length_a,
            size_t length_b) {
    void* target = target_of(attend_product, __builtin_return_address(0), used, *m, *n, *k);
    reinterpret_cast<fortran::sgemm*>(target)(
        transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, length_a, length_b);
}
#endif

void sgemv_(const char* trans,
            const int* m,
            const int* n,
            const float* alpha,
            const float* a,
            const int* lda,
            const float* x,
            const int* incx,
            const float* beta,
            float* y,
            const int* incy,
            size_t length) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<fortran::sgemv>(routine::sgemv);
    if (function && !deserves_attention(routine::sgemv, *m, *n, 1))
        return function(trans, m, n, alpha, a, lda, x, incx, beta, y, incy, length);
    const matrix_vector_call call{.trans = is_trans(trans),
                                  .rows = *m,
                                  .cols = *n,
                                  .alpha = *alpha,
                                  .a = a,
                                  .lda = *lda,
                                  .x = x,
                                  .incx = *incx,
                                  .beta = *beta,
                                  .y = y,
                                  .incy = *incy,
                                  .wrong_letter = wrong_letter({is_operation(trans)})};
    attend(function, call, {own, used}, trans, m, n, alpha, a, lda, x, incx, beta, y, incy, length);
}

float sasum_(const int* n, const float* x, const int* incx) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<fortran::sasum>(routine::sasum);
    if (function && !deserves_attention(routine::sasum, *n, 1, 1))
        return function(n, x, incx);
    float result = 0;
    attend_function(function, asum_call{*n, x, *incx, &result}, {own, used}, n, x, incx);
    return result;
}

float sdot_(const int* n, const float* x, const int* incx, const float* y, const int* incy) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<fortran::sdot>(routine::sdot);
    if (function && !deserves_attention(routine::sdot, *n, 1, 1))
        return function(n, x, incx, y, incy);
    float result = 0;
    const dot_call call{*n, x, *incx, y, *incy, &result};
    attend_function(function, call, {own, used}, n, x, incx, y, incy);
    return result;
}

void saxpy_(
    const int* n, const float* alpha, const float* x, const int* incx, float* y, const int* incy) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<fortran::saxpy>(routine::saxpy);
    if (function && !deserves_attention(routine::saxpy, *n, 1, 1))
        return function(n, alpha, x, incx, y, incy);
    const axpy_call call{*n, *alpha, x, *incx, y, *incy};
    attend(function, call, {own, used}, n, alpha, x, incx, y, incy);
}

void scopy_(const int* n, const float* x, const int* incx, float* y, const int* incy) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<fortran::scopy>(routine::scopy);
    if (function && !deserves_attention(routine::scopy, *n, 1, 1))
        return function(n, x, incx, y, incy);
    attend(function, copy_call{*n, x, *incx, y, *incy}, {own, used}, n, x, incx, y, incy);
}

void somatcopy_(const char* order,
                const char* trans,
                const int* rows,
                const int* cols,
                const float* alpha,
                const float* a,
                const int* lda,
                float* b,
                const int* ldb,
                size_t order_length,
                size_t trans_length) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<fortran::omatcopy>(routine::somatcopy);
    if (function && !deserves_attention(routine::somatcopy, *rows, *cols, 1))
        return function(
            order, trans, rows, cols, alpha, a, lda, b, ldb, order_length, trans_length);
    const bool by_rows = is_row_major(order);
    const omatcopy_call call{{.trans = is_trans(trans),
                              .rows = by_rows ? *cols : *rows,
                              .cols = by_rows ? *rows : *cols,
                              .alpha = *alpha,
                              .a = a,
                              .lda = *lda,
                              .b = b,
                              .ldb = *ldb},
                             wrong_letter({is_order(order), is_copy_operation(trans)})};
    attend(function,
           call,
           {own, used},
           order,
           trans,
           rows,
           cols,
           alpha,
           a,
           lda,
           b,
           ldb,
           order_length,
           trans_length);
}

void simatcopy_(const char* order,
                const char* trans,
                const int* rows,
                const int* cols,
                const float* alpha,
                float* a,
                const int* lda,
                const int* ldb,
                size_t order_length,
                size_t trans_length) {
    const program_blas& own = blas_of(__builtin_return_address(0), used);
    auto* const function = own.get<fortran::imatcopy>(routine::simatcopy);
    if (function && !deserves_attention(routine::simatcopy, *rows, *cols, 1))
        return function(order, trans, rows, cols, alpha, a, lda, ldb, order_length, trans_length);
    const bool by_rows = is_row_major(order);
    const imatcopy_call call{.trans = is_trans(trans),
                             .rows = by_rows ? *cols : *rows,
                             .cols = by_rows ? *rows : *cols,
                             .alpha = *alpha,
                             .a = a,
                             .lda = *lda,
                             .ldb = *ldb,
                             .wrong_letter =
                                 wrong_letter({is_order(order), is_copy_operation(trans)})};
    attend(function,
           call,
           {own, used},
           order,
           trans,
           rows,
           cols,
           alpha,
           a,
           lda,
           ldb,
           order_length,
           trans_length);
}

} // extern "C"
#pragma GCC visibility pop
