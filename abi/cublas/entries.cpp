// The entry points: cuBLAS's functions of the same names, for int sizes and for int64_t sizes. The bare
// names (cublasSgemm) are the legacy interface and are not touched.
#include "common/environment.h"
#include "common/names.h"
#include "cublas/call.h"

namespace myblas::preload {

const char* const report_title = "myblas-cublas-preload";
const char* const report_routines[] = {"Sgemm",
                                       "SgemmStridedBatched",
                                       "SgemmBatched",
                                       "GemmEx",
                                       "GemmStridedBatchedEx",
                                       "Sgemv",
                                       "Sgeam",
                                       "Sasum",
                                       "Sdot",
                                       "Saxpy",
                                       "Scopy"};
const int report_routine_count = entry_count;
const char* const report_library = "cuBLAS";
const char* remark_on(const char* symbol) noexcept { return remark_on_cublas(symbol); }

const char* why_switched_off() noexcept {
    static constexpr const char *on = nullptr, *never = "MYBLAS_OFFLOAD=never",
                                *senseless = "MYBLAS_OFFLOAD makes no sense";
    static constexpr choice<const char*> choices[] = {
        {"auto", on}, {"always", on}, {"never", never}};
    static const char* const reason = read_choice("MYBLAS_OFFLOAD", choices, on, senseless);
    return reason;
}

namespace {

// ---- Types of cuBLAS's functions, by the type of their sizes -------------------------------------------

template <class Size>
using sgemm_function = int(void*,
                           int transa,
                           int transb,
                           Size m,
                           Size n,
                           Size k,
                           const float* alpha,
                           const float* a,
                           Size lda,
                           const float* b,
                           Size ldb,
                           const float* beta,
                           float* c,
                           Size ldc);
template <class Size>
using sgemm_strided_batched_function = int(void*,
                                           int transa,
                                           int transb,
                                           Size m,
                                           Size n,
                                           Size k,
                                           const float* alpha,
                                           const float* a,
                                           Size lda,
                                           long long stride_a,
                                           const float* b,
                                           Size ldb,
                                           long long stride_b,
                                           const float* beta,
                                           float* c,
                                           Size ldc,
                                           long long stride_c,
                                           Size batch_count);
template <class Size>
using sgemm_batched_function = int(void*,
                                   int transa,
                                   int transb,
                                   Size m,
                                   Size n,
                                   Size k,
                                   const float* alpha,
                                   const float* const a[],
                                   Size lda,
                                   const float* const b[],
                                   Size ldb,
                                   const float* beta,
                                   float* const c[],
                                   Size ldc,
                                   Size batch_count);
template <class Size>
using gemm_ex_function = int(void*,
                             int transa,
                             int transb,
                             Size m,
                             Size n,
                             Size k,
                             const void* alpha,
                             const void* a,
                             int type_a,
                             Size lda,
                             const void* b,
                             int type_b,
                             Size ldb,
                             const void* beta,
                             void* c,
                             int type_c,
                             Size ldc,
                             int compute_type,
                             int algorithm);
template <class Size>
using gemm_strided_batched_ex_function = int(void*,
                                             int transa,
                                             int transb,
                                             Size m,
                                             Size n,
                                             Size k,
                                             const void* alpha,
                                             const void* a,
                                             int type_a,
                                             Size lda,
                                             long long stride_a,
                                             const void* b,
                                             int type_b,
                                             Size ldb,
                                             long long stride_b,
                                             const void* beta,
                                             void* c,
                                             int type_c,
                                             Size ldc,
                                             long long stride_c,
                                             Size batch_count,
                                             int compute_type,
                                             int algorithm);
template <class Size>
using sgemv_function = int(void*,
                           int trans,
                           Size m,
                           Size n,
                           const float* alpha,
                           const float* a,
                           Size lda,
                           const float* x,
                           Size incx,
                           const float* beta,
                           float* y,
                           Size incy);
template <class Size>
using sgeam_function = int(void*,
                           int transa,
                           int transb,
                           Size m,
                           Size n,
                           const float* alpha,
                           const float* a,
                           Size lda,
                           const float* beta,
                           const float* b,
                           Size ldb,
                           float* c,
                           Size ldc);
template <class Size>
using sasum_function = int(void*, Size n, const float* x, Size incx, float* result);
template <class Size>
using sdot_function =
    int(void*, Size n, const float* x, Size incx, const float* y, Size incy, float* result);
template <class Size>
using saxpy_function =
    int(void*, Size n, const float* alpha, const float* x, Size incx, float* y, Size incy);
template <class Size>
using scopy_function = int(void*, Size n, const float* x, Size incx, float* y, Size incy);

// ---- Serving ---------------------------------------------------------------------------------------

myblasOperation_t operation(int trans) { return static_cast<myblasOperation_t>(trans); }

myblasCall_t described(int transa,
                       int transb,
                       int64_t m,
                       int64_t n,
                       int64_t k,
                       int64_t lda,
                       int64_t ldb,
                       int64_t ldc,
                       int64_t batch_count) {
    myblasCall_t call{};
    call.size_bytes = sizeof call;
    call.routine = MYBLAS_ROUTINE_SGEMM;
    call.transa = operation(transa);
    call.transb = operation(transb);
    call.m = m;
    call.n = n;
    call.k = k;
    call.lda = lda;
    call.ldb = ldb;
    call.ldc = ldc;
    call.batch_count = batch_count;
    return call;
}

const char* reason_against_types(int type_a, int type_b, int type_c, int compute_type) {
    if (type_a != cublas_real_32f || type_b != cublas_real_32f || type_c != cublas_real_32f)
        return "not all matrices are of floats";
    if (compute_type != cublas_compute_32f && compute_type != cublas_compute_32f_pedantic)
        return "the compute type is not FP32";
    return nullptr;
}

template <class Size>
int sgemm(const void* caller,
          void* cublas,
          int transa,
          int transb,
          Size m,
          Size n,
          Size k,
          const float* alpha,
          const float* a,
          Size lda,
          const float* b,
          Size ldb,
          const float* beta,
          float* c,
          Size ldc) noexcept {
    const real_cublas& real = cublas_of(caller);
    const auto serve = [&](const library& l, myblasHandle_t handle, shadow& s) -> served {
        s.make_room(described(transa, transb, m, n, k, lda, ldb, ldc, 1));
        return {l.sgemm(handle,
                        operation(transa),
                        operation(transb),
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
                        ldc),
                MYBLAS_ROUTINE_SGEMM};
    };
    return answer(entry::sgemm,
                  {m, n, k},
                  real,
                  real.get<Size, sgemm_function<Size>>(entry::sgemm),
                  true,
                  nullptr,
                  serve,
                  cublas,
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

template <class Size>
int sgemm_strided_batched(const void* caller,
                          void* cublas,
                          int transa,
                          int transb,
                          Size m,
                          Size n,
                          Size k,
                          const float* alpha,
                          const float* a,
                          Size lda,
                          long long stride_a,
                          const float* b,
                          Size ldb,
                          long long stride_b,
                          const float* beta,
                          float* c,
                          Size ldc,
                          long long stride_c,
                          Size batch_count) noexcept {
    const real_cublas& real = cublas_of(caller);
    const auto serve = [&](const library& l, myblasHandle_t handle, shadow& s) -> served {
        s.make_room(described(transa, transb, m, n, k, lda, ldb, ldc, batch_count));
        return {l.sgemm_strided_batched(handle,
                                        operation(transa),
                                        operation(transb),
                                        m,
                                        n,
                                        k,
                                        alpha,
                                        a,
                                        lda,
                                        stride_a,
                                        b,
                                        ldb,
                                        stride_b,
                                        beta,
                                        c,
                                        ldc,
                                        stride_c,
                                        batch_count),
                MYBLAS_ROUTINE_SGEMM};
    };
    return answer(
        entry::sgemm_strided_batched,
        {m, n, k},
        real,
        real.get<Size, sgemm_strided_batched_function<Size>>(entry::sgemm_strided_batched),
        true,
        nullptr,
        serve,
        cublas,
        transa,
        transb,
        m,
        n,
        k,
        alpha,
        a,
        lda,
        stride_a,
        b,
        ldb,
        stride_b,
        beta,
        c,
        ldc,
        stride_c,
        batch_count);
}

template <class Size>
int sgemm_batched(const void* caller,
                  void* cublas,
                  int transa,
                  int transb,
                  Size m,
                  Size n,
                  Size k,
                  const float* alpha,
                  const float* const* a,
                  Size lda,
                  const float* const* b,
                  Size ldb,
                  const float* beta,
                  float* const* c,
                  Size ldc,
                  Size batch_count) noexcept {
    const real_cublas& real = cublas_of(caller);
    const auto serve = [&](const library& l, myblasHandle_t handle, shadow& s) -> served {
        s.make_room(described(transa, transb, m, n, k, lda, ldb, ldc, batch_count));
        return {l.sgemm_batched(handle,
                                operation(transa),
                                operation(transb),
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
                                batch_count),
                MYBLAS_ROUTINE_SGEMM};
    };
    return answer(entry::sgemm_batched,
                  {m, n, k},
                  real,
                  real.get<Size, sgemm_batched_function<Size>>(entry::sgemm_batched),
                  true,
                  nullptr,
                  serve,
                  cublas,
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
                  batch_count);
}

template <class Size>
int gemm_ex(const void* caller,
            void* cublas,
            int transa,
            int transb,
            Size m,
            Size n,
            Size k,
            const void* alpha,
            const void* a,
            int type_a,
            Size lda,
            const void* b,
            int type_b,
            Size ldb,
            const void* beta,
            void* c,
            int type_c,
            Size ldc,
            int compute_type,
            int algorithm) noexcept {
    const real_cublas& real = cublas_of(caller);
    const char* against = reason_against_types(type_a, type_b, type_c, compute_type);
    const auto serve = [&](const library& l, myblasHandle_t handle, shadow& s) -> served {
        s.make_room(described(transa, transb, m, n, k, lda, ldb, ldc, 1));
        return {l.sgemm(handle,
                        operation(transa),
                        operation(transb),
                        m,
                        n,
                        k,
                        static_cast<const float*>(alpha),
                        static_cast<const float*>(a),
                        lda,
                        static_cast<const float*>(b),
                        ldb,
                        static_cast<const float*>(beta),
                        static_cast<float*>(c),
                        ldc),
                MYBLAS_ROUTINE_SGEMM};
    };
    return answer(entry::gemm_ex,
                  {m, n, k},
                  real,
                  real.get<Size, gemm_ex_function<Size>>(entry::gemm_ex),
                  true,
                  against,
                  serve,
                  cublas,
                  transa,
                  transb,
                  m,
                  n,
                  k,
                  alpha,
                  a,
                  type_a,
                  lda,
                  b,
                  type_b,
                  ldb,
                  beta,
                  c,
                  type_c,
                  ldc,
                  compute_type,
                  algorithm);
}

template <class Size>
int gemm_strided_batched_ex(const void* caller,
                            void* cublas,
                            int transa,
                            int transb,
                            Size m,
                            Size n,
                            Size k,
                            const void* alpha,
                            const void* a,
                            int type_a,
                            Size lda,
                            long long stride_a,
                            const void* b,
                            int type_b,
                            Size ldb,
                            long long stride_b,
                            const void* beta,
                            void* c,
                            int type_c,
                            Size ldc,
                            long long stride_c,
                            Size batch_count,
                            int compute_type,
                            int algorithm) noexcept {
    const real_cublas& real = cublas_of(caller);
    const char* against = reason_against_types(type_a, type_b, type_c, compute_type);
    const auto serve = [&](const library& l, myblasHandle_t handle, shadow& s) -> served {
        s.make_room(described(transa, transb, m, n, k, lda, ldb, ldc, batch_count));
        return {l.sgemm_strided_batched(handle,
                                        operation(transa),
                                        operation(transb),
                                        m,
                                        n,
                                        k,
                                        static_cast<const float*>(alpha),
                                        static_cast<const float*>(a),
                                        lda,
                                        stride_a,
                                        static_cast<const float*>(b),
                                        ldb,
                                        stride_b,
                                        static_cast<const float*>(beta),
                                        static_cast<float*>(c),
                                        ldc,
                                        stride_c,
                                        batch_count),
                MYBLAS_ROUTINE_SGEMM};
    };
    return answer(
        entry::gemm_strided_batched_ex,
        {m, n, k},
        real,
        real.get<Size, gemm_strided_batched_ex_function<Size>>(entry::gemm_strided_batched_ex),
        true,
        against,
        serve,
        cublas,
        transa,
        transb,
        m,
        n,
        k,
        alpha,
        a,
        type_a,
        lda,
        stride_a,
        b,
        type_b,
        ldb,
        stride_b,
        beta,
        c,
        type_c,
        ldc,
        stride_c,
        batch_count,
        compute_type,
        algorithm);
}

// y = alpha * op(A) * x + beta * y as a product with a matrix of one column; with increments, as the
// transposed product with matrices of one row, whose leading dimensions they are.
template <class Size>
int sgemv(const void* caller,
          void* cublas,
          int trans,
          Size m,
          Size n,
          const float* alpha,
          const float* a,
          Size lda,
          const float* x,
          Size incx,
          const float* beta,
          float* y,
          Size incy) noexcept {
    const real_cublas& real = cublas_of(caller);
    const bool is_plain = trans == MYBLAS_OP_N;
    const char* against = nullptr;
    if (incx < 1 || incy < 1)
        against = "an increment is not positive";
    else if (m < 1 || n < 1 || lda < m || trans < MYBLAS_OP_N || trans > MYBLAS_OP_C)
        against = "an argument is wrong, or there is nothing to compute";
    const auto serve = [&](const library& l, myblasHandle_t handle, const shadow&) -> served {
        const int64_t length_x = is_plain ? n : m, length_y = is_plain ? m : n;
        if (incx == 1 && incy == 1)
            return {l.sgemm(handle,
                            operation(trans),
                            MYBLAS_OP_N,
                            length_y,
                            1,
                            length_x,
                            alpha,
                            a,
                            lda,
                            x,
                            length_x,
                            beta,
                            y,
                            length_y),
                    MYBLAS_ROUTINE_SGEMM};
        return {l.sgemm(handle,
                        MYBLAS_OP_N,
                        is_plain ? MYBLAS_OP_T : MYBLAS_OP_N,
                        1,
                        length_y,
                        length_x,
                        alpha,
                        x,
                        incx,
                        a,
                        lda,
                        beta,
                        y,
                        incy),
                MYBLAS_ROUTINE_SGEMM};
    };
    return answer(entry::sgemv,
                  {m, n, 1},
                  real,
                  real.get<Size, sgemv_function<Size>>(entry::sgemv),
                  true,
                  against,
                  serve,
                  cublas,
                  trans,
                  m,
                  n,
                  alpha,
                  a,
                  lda,
                  x,
                  incx,
                  beta,
                  y,
                  incy);
}

template <class Size>
int sgeam(const void* caller,
          void* cublas,
          int transa,
          int transb,
          Size m,
          Size n,
          const float* alpha,
          const float* a,
          Size lda,
          const float* beta,
          const float* b,
          Size ldb,
          float* c,
          Size ldc) noexcept {
    const real_cublas& real = cublas_of(caller);
    const auto serve = [&](const library& l, myblasHandle_t handle, const shadow&) -> served {
        return {l.sgeam(handle,
                        operation(transa),
                        operation(transb),
                        m,
                        n,
                        alpha,
                        a,
                        lda,
                        beta,
                        b,
                        ldb,
                        c,
                        ldc),
                MYBLAS_ROUTINE_GEAM};
    };
    return answer(entry::sgeam,
                  {m, n, 1},
                  real,
                  real.get<Size, sgeam_function<Size>>(entry::sgeam),
                  true,
                  nullptr,
                  serve,
                  cublas,
                  transa,
                  transb,
                  m,
                  n,
                  alpha,
                  a,
                  lda,
                  beta,
                  b,
                  ldb,
                  c,
                  ldc);
}

template <class Size>
int sasum(
    const void* caller, void* cublas, Size n, const float* x, Size incx, float* result) noexcept {
    const real_cublas& real = cublas_of(caller);
    const auto serve = [&](const library& l, myblasHandle_t handle, const shadow&) -> served {
        return {l.sasum(handle, n, x, incx, result), MYBLAS_ROUTINE_SUM};
    };
    return answer(entry::sasum,
                  {n, 1, 1},
                  real,
                  real.get<Size, sasum_function<Size>>(entry::sasum),
                  true,
                  nullptr,
                  serve,
                  cublas,
                  n,
                  x,
                  incx,
                  result);
}

// The product of a matrix of one row with a matrix of one column. Its factors of 1 and 0 are in host memory
// whatever the pointer mode says; the result must be in device memory.
template <class Size>
int sdot(const void* caller,
         void* cublas,
         Size n,
         const float* x,
         Size incx,
         const float* y,
         Size incy,
         float* result) noexcept {
    const real_cublas& real = cublas_of(caller);
    const char* against = nullptr;
    if (n < 1 || incx < 1 || incy < 1)
        against = "an increment is not positive, or there is nothing to compute";
    int mode = MYBLAS_POINTER_MODE_HOST;
    if (!against && real.get_pointer_mode)
        real.get_pointer_mode(cublas, &mode);
    if (!against && mode == MYBLAS_POINTER_MODE_HOST)
        against = "the result is in host memory";
    const auto serve = [&](const library& l, myblasHandle_t handle, const shadow&) -> served {
        const float one = 1, zero = 0;
        if (incx == 1 && incy == 1)
            return {
                l.sgemm(
                    handle, MYBLAS_OP_T, MYBLAS_OP_N, 1, 1, n, &one, x, n, y, n, &zero, result, 1),
                MYBLAS_ROUTINE_SGEMM};
        return {l.sgemm(handle,
                        MYBLAS_OP_N,
                        MYBLAS_OP_T,
                        1,
                        1,
                        n,
                        &one,
                        x,
                        incx,
                        y,
                        incy,
                        &zero,
                        result,
                        1),
                MYBLAS_ROUTINE_SGEMM};
    };
    return answer(entry::sdot,
                  {n, 1, 1},
                  real,
                  real.get<Size, sdot_function<Size>>(entry::sdot),
                  false,
                  against,
                  serve,
                  cublas,
                  n,
                  x,
                  incx,
                  y,
                  incy,
                  result);
}

template <class Size>
int saxpy(const void* caller,
          void* cublas,
          Size n,
          const float* alpha,
          const float* x,
          Size incx,
          float* y,
          Size incy) noexcept {
    const real_cublas& real = cublas_of(caller);
    const auto serve = [&](const library& l, myblasHandle_t handle, const shadow&) -> served {
        return {l.saxpy(handle, n, alpha, x, incx, y, incy), MYBLAS_ROUTINE_AXPY};
    };
    return answer(entry::saxpy,
                  {n, 1, 1},
                  real,
                  real.get<Size, saxpy_function<Size>>(entry::saxpy),
                  true,
                  nullptr,
                  serve,
                  cublas,
                  n,
                  alpha,
                  x,
                  incx,
                  y,
                  incy);
}

template <class Size>
int scopy(const void* caller,
          void* cublas,
          Size n,
          const float* x,
          Size incx,
          float* y,
          Size incy) noexcept {
    const real_cublas& real = cublas_of(caller);
    const auto serve = [&](const library& l, myblasHandle_t handle, const shadow&) -> served {
        return {l.scopy(handle, n, x, incx, y, incy), MYBLAS_ROUTINE_COPY};
    };
    return answer(entry::scopy,
                  {n, 1, 1},
                  real,
                  real.get<Size, scopy_function<Size>>(entry::scopy),
                  true,
                  nullptr,
                  serve,
                  cublas,
                  n,
                  x,
                  incx,
                  y,
                  incy);
}

} // namespace
} // namespace myblas::preload

using namespace myblas::preload;

#pragma GCC visibility push(default)
extern "C" {

int cublasDestroy_v2(void* cublas) {
    const real_cublas& real = cublas_of(__builtin_return_address(0));
    if (cublas)
        shadow::forget(cublas);
    return real.destroy ? real.destroy(cublas) : cublas_not_initialized;
}

int cublasSetStream_v2(void* cublas, myblasStream_t stream) {
    const real_cublas& real = cublas_of(__builtin_return_address(0));
    const int status = real.set_stream ? real.set_stream(cublas, stream) : cublas_not_initialized;
    shadow* known = status == 0 ? shadow::find(cublas) : nullptr;
    if (known)
        known->note_stream();
    return status;
}

int cublasSetWorkspace_v2(void* cublas, void* workspace, size_t bytes) {
    const real_cublas& real = cublas_of(__builtin_return_address(0));
    const int status =
        real.set_workspace ? real.set_workspace(cublas, workspace, bytes) : cublas_not_initialized;
    shadow* known = status == 0 ? shadow::of(cublas) : nullptr;
    if (known)
        known->note_workspace(workspace, bytes);
    return status;
}

int cublasSgemm_v2(void* cublas,
                   int transa,
                   int transb,
                   int m,
                   int n,
                   int k,
                   const float* alpha,
                   const float* a,
                   int lda,
                   const float* b,
                   int ldb,
                   const float* beta,
                   float* c,
                   int ldc) {
    return sgemm<int>(__builtin_return_address(0),
                      cublas,
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

int cublasSgemm_v2_64(void* cublas,
                      int transa,
                      int transb,
                      int64_t m,
                      int64_t n,
                      int64_t k,
                      const float* alpha,
                      const float* a,
                      int64_t lda,
                      const float* b,
                      int64_t ldb,
                      const float* beta,
                      float* c,
                      int64_t ldc) {
    return sgemm<int64_t>(__builtin_return_address(0),
                          cublas,
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

int cublasSgemmStridedBatched(void* cublas,
                              int transa,
                              int transb,
                              int m,
                              int n,
                              int k,
                              const float* alpha,
                              const float* a,
                              int lda,
                              long long stride_a,
                              const float* b,
                              int ldb,
                              long long stride_b,
                              const float* beta,
                              float* c,
                              int ldc,
                              long long stride_c,
                              int batch_count) {
    return sgemm_strided_batched<int>(__builtin_return_address(0),
                                      cublas,
                                      transa,
                                      transb,
                                      m,
                                      n,
                                      k,
                                      alpha,
                                      a,
                                      lda,
                                      stride_a,
                                      b,
                                      ldb,
                                      stride_b,
                                      beta,
                                      c,
                                      ldc,
                                      stride_c,
                                      batch_count);
}

int cublasSgemmStridedBatched_64(void* cublas,
                                 int transa,
                                 int transb,
                                 int64_t m,
                                 int64_t n,
                                 int64_t k,
                                 const float* alpha,
                                 const float* a,
                                 int64_t lda,
                                 long long stride_a,
                                 const float* b,
                                 int64_t ldb,
                                 long long stride_b,
                                 const float* beta,
                                 float* c,
                                 int64_t ldc,
                                 long long stride_c,
                                 int64_t batch_count) {
    return sgemm_strided_batched<int64_t>(__builtin_return_address(0),
                                          cublas,
                                          transa,
                                          transb,
                                          m,
                                          n,
                                          k,
                                          alpha,
                                          a,
                                          lda,
                                          stride_a,
                                          b,
                                          ldb,
                                          stride_b,
                                          beta,
                                          c,
                                          ldc,
                                          stride_c,
                                          batch_count);
}

int cublasSgemmBatched(void* cublas,
                       int transa,
                       int transb,
                       int m,
                       int n,
                       int k,
                       const float* alpha,
                       const float* const* a,
                       int lda,
                       const float* const* b,
                       int ldb,
                       const float* beta,
                       float* const* c,
                       int ldc,
                       int batch_count) {
    return sgemm_batched<int>(__builtin_return_address(0),
                              cublas,
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
                              batch_count);
}

int cublasSgemmBatched_64(void* cublas,
                          int transa,
                          int transb,
                          int64_t m,
                          int64_t n,
                          int64_t k,
                          const float* alpha,
                          const float* const* a,
                          int64_t lda,
                          const float* const* b,
                          int64_t ldb,
                          const float* beta,
                          float* const* c,
                          int64_t ldc,
                          int64_t batch_count) {
    return sgemm_batched<int64_t>(__builtin_return_address(0),
                                  cublas,
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
                                  batch_count);
}

int cublasGemmEx(void* cublas,
                 int transa,
                 int transb,
                 int m,
                 int n,
                 int k,
                 const void* alpha,
                 const void* a,
                 int type_a,
                 int lda,
                 const void* b,
                 int type_b,
                 int ldb,
                 const void* beta,
                 void* c,
                 int type_c,
                 int ldc,
                 int compute_type,
                 int algorithm) {
    return gemm_ex<int>(__builtin_return_address(0),
                        cublas,
                        transa,
                        transb,
                        m,
                        n,
                        k,
                        alpha,
                        a,
                        type_a,
                        lda,
                        b,
                        type_b,
                        ldb,
                        beta,
                        c,
                        type_c,
                        ldc,
                        compute_type,
                        algorithm);
}

int cublasGemmEx_64(void* cublas,
                    int transa,
                    int transb,
                    int64_t m,
                    int64_t n,
                    int64_t k,
                    const void* alpha,
                    const void* a,
                    int type_a,
                    int64_t lda,
                    const void* b,
                    int type_b,
                    int64_t ldb,
                    const void* beta,
                    void* c,
                    int type_c,
                    int64_t ldc,
                    int compute_type,
                    int algorithm) {
    return gemm_ex<int64_t>(__builtin_return_address(0),
                            cublas,
                            transa,
                            transb,
                            m,
                            n,
                            k,
                            alpha,
                            a,
                            type_a,
                            lda,
                            b,
                            type_b,
                            ldb,
                            beta,
                            c,
                            type_c,
                            ldc,
                            compute_type,
                            algorithm);
}

int cublasGemmStridedBatchedEx(void* cublas,
                               int transa,
                               int transb,
                               int m,
                               int n,
                               int k,
                               const void* alpha,
                               const void* a,
                               int type_a,
                               int lda,
                               long long stride_a,
                               const void* b,
                               int type_b,
                               int ldb,
                               long long stride_b,
                               const void* beta,
                               void* c,
                               int type_c,
                               int ldc,
                               long long stride_c,
                               int batch_count,
                               int compute_type,
                               int algorithm) {
    return gemm_strided_batched_ex<int>(__builtin_return_address(0),
                                        cublas,
                                        transa,
                                        transb,
                                        m,
                                        n,
                                        k,
                                        alpha,
                                        a,
                                        type_a,
                                        lda,
                                        stride_a,
                                        b,
                                        type_b,
                                        ldb,
                                        stride_b,
                                        beta,
                                        c,
                                        type_c,
                                        ldc,
                                        stride_c,
                                        batch_count,
                                        compute_type,
                                        algorithm);
}

int cublasGemmStridedBatchedEx_64(void* cublas,
                                  int transa,
                                  int transb,
                                  int64_t m,
                                  int64_t n,
                                  int64_t k,
                                  const void* alpha,
                                  const void* a,
                                  int type_a,
                                  int64_t lda,
                                  long long stride_a,
                                  const void* b,
                                  int type_b,
                                  int64_t ldb,
                                  long long stride_b,
                                  const void* beta,
                                  void* c,
                                  int type_c,
                                  int64_t ldc,
                                  long long stride_c,
                                  int64_t batch_count,
                                  int compute_type,
                                  int algorithm) {
    return gemm_strided_batched_ex<int64_t>(__builtin_return_address(0),
                                            cublas,
                                            transa,
                                            transb,
                                            m,
                                            n,
                                            k,
                                            alpha,
                                            a,
                                            type_a,
                                            lda,
                                            stride_a,
                                            b,
                                            type_b,
                                            ldb,
                                            stride_b,
                                            beta,
                                            c,
                                            type_c,
                                            ldc,
                                            stride_c,
                                            batch_count,
                                            compute_type,
                                            algorithm);
}

int cublasSgemv_v2(void* cublas,
                   int trans,
                   int m,
                   int n,
                   const float* alpha,
                   const float* a,
                   int lda,
                   const float* x,
                   int incx,
                   const float* beta,
                   float* y,
                   int incy) {
    return sgemv<int>(
        __builtin_return_address(0), cublas, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

int cublasSgemv_v2_64(void* cublas,
                      int trans,
                      int64_t m,
                      int64_t n,
                      const float* alpha,
                      const float* a,
                      int64_t lda,
                      const float* x,
                      int64_t incx,
                      const float* beta,
                      float* y,
                      int64_t incy) {
    return sgemv<int64_t>(
        __builtin_return_address(0), cublas, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

int cublasSgeam(void* cublas,
                int transa,
                int transb,
                int m,
                int n,
                const float* alpha,
                const float* a,
                int lda,
                const float* beta,
                const float* b,
                int ldb,
                float* c,
                int ldc) {
    return sgeam<int>(__builtin_return_address(0),
                      cublas,
                      transa,
                      transb,
                      m,
                      n,
                      alpha,
                      a,
                      lda,
                      beta,
                      b,
                      ldb,
                      c,
                      ldc);
}

int cublasSgeam_64(void* cublas,
                   int transa,
                   int transb,
                   int64_t m,
                   int64_t n,
                   const float* alpha,
                   const float* a,
                   int64_t lda,
                   const float* beta,
                   const float* b,
                   int64_t ldb,
                   float* c,
                   int64_t ldc) {
    return sgeam<int64_t>(__builtin_return_address(0),
                          cublas,
                          transa,
                          transb,
                          m,
                          n,
                          alpha,
                          a,
                          lda,
                          beta,
                          b,
                          ldb,
                          c,
                          ldc);
}

int cublasSasum_v2(void* cublas, int n, const float* x, int incx, float* result) {
    return sasum<int>(__builtin_return_address(0), cublas, n, x, incx, result);
}

int cublasSasum_v2_64(void* cublas, int64_t n, const float* x, int64_t incx, float* result) {
    return sasum<int64_t>(__builtin_return_address(0), cublas, n, x, incx, result);
}

int cublasSdot_v2(
    void* cublas, int n, const float* x, int incx, const float* y, int incy, float* result) {
    return sdot<int>(__builtin_return_address(0), cublas, n, x, incx, y, incy, result);
}

int cublasSdot_v2_64(void* cublas,
                     int64_t n,
                     const float* x,
                     int64_t incx,
                     const float* y,
                     int64_t incy,
                     float* result) {
    return sdot<int64_t>(__builtin_return_address(0), cublas, n, x, incx, y, incy, result);
}

int cublasSaxpy_v2(
    void* cublas, int n, const float* alpha, const float* x, int incx, float* y, int incy) {
    return saxpy<int>(__builtin_return_address(0), cublas, n, alpha, x, incx, y, incy);
}

int cublasSaxpy_v2_64(void* cublas,
                      int64_t n,
                      const float* alpha,
                      const float* x,
                      int64_t incx,
                      float* y,
                      int64_t incy) {
    return saxpy<int64_t>(__builtin_return_address(0), cublas, n, alpha, x, incx, y, incy);
}

int cublasScopy_v2(void* cublas, int n, const float* x, int incx, float* y, int incy) {
    return scopy<int>(__builtin_return_address(0), cublas, n, x, incx, y, incy);
}

int cublasScopy_v2_64(
    void* cublas, int64_t n, const float* x, int64_t incx, float* y, int64_t incy) {
    return scopy<int64_t>(__builtin_return_address(0), cublas, n, x, incx, y, incy);
}

} // extern "C"
#pragma GCC visibility pop
