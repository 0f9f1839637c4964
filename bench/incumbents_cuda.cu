#include "incumbents_cuda.h"

#include "cuda_check.h"
#include "probes_cuda.h"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace bench {
namespace {

bool fits_int(const shape& s) {
    return std::max({s.m, s.n, s.k, s.lda, s.ldb, s.ldc, s.incx, s.batch}) <=
           std::numeric_limits<int>::max();
}

template <class T>
subject cub_sum(cudaStream_t stream, int64_t n, const T* x, T* result) {
    size_t bytes = 0;
    require_cuda(cub::DeviceReduce::Sum(nullptr, bytes, x, result, n, stream),
                 "cub::DeviceReduce::Sum");
    auto workspace = std::make_shared<device_memory>(std::max<size_t>(bytes, 1));
    return {"cub::DeviceReduce::Sum",
            [] {},
            [=] {
                size_t available = bytes;
                require_cuda(
                    cub::DeviceReduce::Sum(workspace->data(), available, x, result, n, stream),
                    "cub::DeviceReduce::Sum");
            }};
}

// Counts of 32 bits, with which CUB is fastest; up to as many bytes as they hold.
subject cub_histogram(cudaStream_t stream, int64_t n, const unsigned char* x, unsigned* counts) {
    constexpr int levels = 257, lowest = 0, highest = 256;
    size_t bytes = 0;
    require_cuda(cub::DeviceHistogram::HistogramEven(
                     nullptr, bytes, x, counts, levels, lowest, highest, n, stream),
                 "cub::DeviceHistogram::HistogramEven");
    auto workspace = std::make_shared<device_memory>(std::max<size_t>(bytes, 1));
    return {
        "cub::DeviceHistogram",
        [] {},
        [=] {
            size_t available = bytes;
            require_cuda(
                cub::DeviceHistogram::HistogramEven(
                    workspace->data(), available, x, counts, levels, lowest, highest, n, stream),
                "cub::DeviceHistogram::HistogramEven");
        }};
}

// cublasSgemv of cublasSgemv_v2.
std::string name_in_cublas(routine r) {
    const std::string symbol = cublas_functions::symbol(describe(r).blas);
    return symbol.substr(0, symbol.rfind('_'));
}

void call_cublas(const cublas& blas, const shape& s, const operands& o) {
    require_cublas(call_blas(blas.blas, static_cast<myblasHandle_t>(blas.handle), s, o),
                   describe(s.routine).blas);
}

// Sums are products with a vector of ones.
subject gemv_with_ones(const cublas& blas, const shape& s, const operands& o) {
    const int64_t terms = s.transa ? s.m : s.n;
    auto ones = std::make_shared<device_memory>(static_cast<size_t>(terms) * sizeof(float));
    const std::vector<float> values(static_cast<size_t>(terms), 1.0f);
    require_cuda(cudaMemcpy(ones->data(), values.data(), ones->bytes(), cudaMemcpyHostToDevice),
                 "cudaMemcpy");
    shape product = s;
    product.routine = routine::gemv;
    operands vectors = o;
    vectors.b = ones->data();
    return {"cublasSgemv",
            [&blas] { blas.set_pointer_mode(cublas::host_pointers); },
            [product, vectors, ones, &blas] { call_cublas(blas, product, vectors); }};
}

// A routine that cuBLAS has alike.
subject same_of_cublas(const cublas& blas, const shape& s, const operands& o) {
    const auto mode = is_reduction(s.routine) ? cublas::device_pointers : cublas::host_pointers;
    return {name_in_cublas(s.routine),
            [mode, &blas] { blas.set_pointer_mode(mode); },
            [=, &blas] { call_cublas(blas, s, o); }};
}

subject device_copy(cudaStream_t stream, void* target, const void* source, int64_t bytes) {
    // Below, a copy is too short to hide the next one's launch.
    constexpr int64_t least_queued_bytes = 16 << 20;
    return {
        "device_copy",
        [] {},
        [=] {
            require_cuda(
                cudaMemcpyAsync(
                    target, source, static_cast<size_t>(bytes), cudaMemcpyDeviceToDevice, stream),
                "cudaMemcpyAsync");
        },
        bytes >= least_queued_bytes};
}

// Reading the operand once is what the sums of its rows or columns cannot beat. `sink` is never written.
subject device_read(cudaStream_t stream, const void* data, int64_t bytes, float* sink) {
    int device = 0, sm_count = 0;
    require_cuda(cudaGetDevice(&device), "cudaGetDevice");
    require_cuda(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device),
                 "cudaDeviceGetAttribute");
    return {
        "device_read",
        [] {},
        [=] { launch_read(data, static_cast<size_t>(bytes) / 16 * 16, sink, sm_count, stream); }};
}

// The calls of cuBLAS; `blas` outlives the subjects.
void add_cublas(std::vector<subject>& found,
                const cublas& blas,
                const shape& s,
                const operands& o) {
    const auto with_host_pointers = [&blas] { blas.set_pointer_mode(cublas::host_pointers); };
    const auto with_device_pointers = [&blas] { blas.set_pointer_mode(cublas::device_pointers); };
    const float* const a = static_cast<const float*>(o.a);
    float* const b = static_cast<float*>(o.b);
    float* const c = static_cast<float*>(o.c);
    const int m = static_cast<int>(s.m), n = static_cast<int>(s.n), k = static_cast<int>(s.k);
    const int lda = static_cast<int>(s.lda), ldb = static_cast<int>(s.ldb);
    const int ldc = static_cast<int>(s.ldc), inc = static_cast<int>(s.incx);
    const int batch = static_cast<int>(s.batch);

    switch (s.routine) {
    case routine::sgemm:
        if (s.pointer_array) {
            found.push_back({"cublasSgemmBatched", with_host_pointers, [=, &blas] {
                                 const float one = 1, zero = 0;
                                 require_cublas(blas.sgemm_batched(blas.handle,
                                                                   s.transa,
                                                                   s.transb,
                                                                   m,
                                                                   n,
                                                                   k,
                                                                   &one,
                                                                   o.a_list,
                                                                   lda,
                                                                   o.b_list,
                                                                   ldb,
                                                                   &zero,
                                                                   o.c_list,
                                                                   ldc,
                                                                   batch),
                                                "cublasSgemmBatched");
                             }});
        } else if (batch == 1) {
            found.push_back({"cublasSgemm", with_host_pointers, [=, &blas] {
                                 const float one = 1, zero = 0;
                                 require_cublas(blas.sgemm(blas.handle,
                                                           s.transa,
                                                           s.transb,
                                                           m,
                                                           n,
                                                           k,
                                                           &one,
                                                           a,
                                                           lda,
                                                           b,
                                                           ldb,
                                                           &zero,
                                                           c,
                                                           ldc),
                                                "cublasSgemm");
                             }});
        } else {
            found.push_back({"cublasSgemmStridedBatched", with_host_pointers, [=, &blas] {
                                 const float one = 1, zero = 0;
                                 const operand_sizes stride = batch_strides(s);
                                 require_cublas(blas.sgemm_strided_batched(blas.handle,
                                                                           s.transa,
                                                                           s.transb,
                                                                           m,
                                                                           n,
                                                                           k,
                                                                           &one,
                                                                           a,
                                                                           lda,
                                                                           stride.a,
                                                                           b,
                                                                           ldb,
                                                                           stride.b,
                                                                           &zero,
                                                                           c,
                                                                           ldc,
                                                                           stride.c,
                                                                           batch),
                                                "cublasSgemmStridedBatched");
                             }});
        }
        break;
    case routine::transpose: // n x m from m x n; with beta = 0 the second operand is not read
        if (s.in_place)      // not among its forms
            break;
        if (s.element_bytes == 4)
            found.push_back(
                {"cublasSgeam", with_host_pointers, [=, &blas] {
                     const float one = 1, zero = 0;
                     require_cublas(
                         blas.sgeam(
                             blas.handle, true, false, n, m, &one, a, lda, &zero, b, ldb, b, ldb),
                         "cublasSgeam");
                 }});
        if (s.element_bytes == 8)
            found.push_back({"cublasDgeam", with_host_pointers, [=, &blas] {
                                 const double one = 1, zero = 0;
                                 double* const target = static_cast<double*>(o.b);
                                 require_cublas(blas.dgeam(blas.handle,
                                                           true,
                                                           false,
                                                           n,
                                                           m,
                                                           &one,
                                                           static_cast<const double*>(o.a),
                                                           lda,
                                                           &zero,
                                                           target,
                                                           ldb,
                                                           target,
                                                           ldb),
                                                "cublasDgeam");
                             }});
        break;
    case routine::geam:
        found.push_back({"cublasSgeam", with_host_pointers, [=, &blas] {
                             require_cublas(blas.sgeam(blas.handle,
                                                       s.transa,
                                                       s.transb,
                                                       m,
                                                       n,
                                                       &geam_alpha,
                                                       a,
                                                       lda,
                                                       &geam_beta,
                                                       b,
                                                       ldb,
                                                       c,
                                                       ldc),
                                            "cublasSgeam");
                         }});
        break;
    case routine::sum: { // reads the same bytes
        shape absolute = s;
        absolute.routine = routine::asum;
        found.push_back(same_of_cublas(blas, absolute, o));
        break;
    }
    case routine::dsum:
        found.push_back({"cublasDasum", with_device_pointers, [=, &blas] {
                             require_cublas(blas.dasum(blas.handle,
                                                       n,
                                                       static_cast<const double*>(o.a),
                                                       inc,
                                                       static_cast<double*>(o.c)),
                                            "cublasDasum");
                         }});
        break;
    case routine::gemsum:
        found.push_back(gemv_with_ones(blas, s, o));
        break;
    case routine::histogram:
    case routine::sgemm_fused:
        break;
    default:
        found.push_back(same_of_cublas(blas, s, o));
    }
}

} // namespace

std::vector<subject> cuda_incumbents(const cublas* library,
                                     const cublas_lt* lt,
                                     cudaStream_t stream,
                                     const shape& s,
                                     const operands& o) {
    std::vector<subject> found;
    if (lt && s.routine == routine::sgemm_fused)
        if (const std::optional<subject> product = lt->fused_product(s, o))
            found.push_back(*product);
    if (s.incx == 1 && s.routine == routine::sum)
        found.push_back(
            cub_sum(stream, s.n, static_cast<const float*>(o.a), static_cast<float*>(o.c)));
    if (s.incx == 1 && s.routine == routine::dsum)
        found.push_back(
            cub_sum(stream, s.n, static_cast<const double*>(o.a), static_cast<double*>(o.c)));
    if (s.routine == routine::histogram && s.n <= std::numeric_limits<unsigned>::max())
        found.push_back(cub_histogram(
            stream, s.n, static_cast<const unsigned char*>(o.a), static_cast<unsigned*>(o.c)));
    if (library && fits_int(s))
        add_cublas(found, *library, s, o);
    if (s.routine == routine::transpose)
        found.push_back(
            device_copy(stream, s.in_place ? o.c : o.b, o.a, s.m * s.n * s.element_bytes));
    if (s.routine == routine::gemsum && reinterpret_cast<uintptr_t>(o.a) % 16 == 0)
        found.push_back(
            device_read(stream, o.a, s.m * s.n * s.element_bytes, static_cast<float*>(o.c)));
    if (s.routine == routine::copy && s.incx == 1)
        found.push_back(device_copy(stream, o.b, o.a, s.n * s.element_bytes));
    return found;
}

std::vector<subject>
cuda_reduced_precision(const cublas* library, const shape& s, const operands& o) {
    std::vector<subject> found;
    if (library && s.routine == routine::sgemm && fits_int(s))
        add_cublas(found, *library, s, o);
    for (subject& product : found) {
        product.name += " TF32";
        product.call = [library, call = product.call] {
            library->set_math_mode(cublas::tf32_math);
            call();
            library->set_math_mode(cublas::default_math);
        };
    }
    return found;
}

} // namespace bench
