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

// A call of CUB: call(workspace, bytes) asks for the size of its workspace if that is null.
template <class Call>
subject by_cub(const char* name, const char* function, const Call& call) {
    size_t bytes = 0;
    require_cuda(call(nullptr, bytes), function);
    const auto workspace = std::make_shared<device_memory>(std::max<size_t>(bytes, 1));
    return {name, [=] {
                size_t available = bytes;
                require_cuda(call(workspace->data(), available), function);
            }};
}

template <class T>
subject cub_sum(cudaStream_t stream, const shape& s, const operands& o) {
    const auto call = [=, n = s.n](void* workspace, size_t& bytes) {
        return cub::DeviceReduce::Sum(
            workspace, bytes, static_cast<const T*>(o.a), static_cast<T*>(o.c), n, stream);
    };
    return by_cub("cub::DeviceReduce::Sum", "cub::DeviceReduce::Sum", call);
}

// Counts have 32 bits, because CUB is fastest with them. They limit the number of bytes.
subject cub_histogram(cudaStream_t stream, const shape& s, const operands& o) {
    const auto call = [=, n = s.n](void* workspace, size_t& bytes) {
        constexpr int levels = 257, lowest = 0, highest = 256;
        const auto* const x = static_cast<const unsigned char*>(o.a);
        return cub::DeviceHistogram::HistogramEven(
            workspace, bytes, x, static_cast<unsigned*>(o.c), levels, lowest, highest, n, stream);
    };
    return by_cub("cub::DeviceHistogram", "cub::DeviceHistogram::HistogramEven", call);
}

std::string name_in_cublas(const shape& s) {
    const std::string name = cublas_name(describe(s.routine).function);
    return s.pointer_array ? name + "Batched" : s.batch > 1 ? name + "StridedBatched" : name;
}

void call_cublas(const cublas& blas, const shape& s, const operands& o) {
    require_cublas(call_blas<int>(blas.blas, blas.handle, s, o), describe(s.routine).function);
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
            [product, vectors, ones, &blas] { call_cublas(blas, product, vectors); },
            [&blas] { blas.set_pointer_mode(cublas::host_pointers); }};
}

// A routine that cuBLAS has with the same arguments.
subject same_of_cublas(const cublas& blas, const shape& s, const operands& o) {
    const auto mode = is_reduction(s.routine) ? cublas::device_pointers : cublas::host_pointers;
    return {name_in_cublas(s),
            [=, &blas] { call_cublas(blas, s, o); },
            [mode, &blas] { blas.set_pointer_mode(mode); }};
}

subject device_copy(cudaStream_t stream, void* target, const void* source, int64_t count) {
    // A smaller copy is too short to hide the launch of the next one.
    constexpr size_t least_queued_bytes = 16 << 20;
    const auto bytes = static_cast<size_t>(count);
    return {.name = "device_copy",
            .call = [=] { copy_async(target, source, bytes, cudaMemcpyDeviceToDevice, stream); },
            .slow_in_graph = bytes >= least_queued_bytes};
}

// Reads the operand once. No kernel for the sums of its rows or columns can be faster. `sink` is
// never written.
subject device_read(cudaStream_t stream, const void* data, int64_t bytes, float* sink) {
    int device = 0, sm_count = 0;
    require_cuda(cudaGetDevice(&device), "cudaGetDevice");
    require_cuda(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device),
                 "cudaDeviceGetAttribute");
    const size_t whole_bytes = static_cast<size_t>(bytes) / 16 * 16;
    return {"device_read", [=] { launch_read(data, whole_bytes, sink, sm_count, stream); }};
}

// C = A^T by a function geam of cuBLAS; with beta = 0 the second operand is not read.
template <class T>
subject transpose_by_geam(
    const char* name, any_function geam, const cublas& blas, const shape& s, const operands& o) {
    const int m = static_cast<int>(s.m), n = static_cast<int>(s.n);
    const int lda = static_cast<int>(s.lda), ldb = static_cast<int>(s.ldb);
    const auto call = [=, &blas] {
        constexpr int trans = 1, no_trans = 0;
        const T one = 1, zero = 0;
        // clang-format off
        const int status = call_c<int>(geam, blas.handle, trans, no_trans, n, m, &one, o.a, lda,
                                       &zero, o.b, ldb, o.b, ldb);
        // clang-format on
        require_cublas(status, name);
    };
    return {name, call, [&blas] { blas.set_pointer_mode(cublas::host_pointers); }};
}

subject dasum(const cublas& blas, const shape& s, const operands& o) {
    const int n = static_cast<int>(s.n), inc = static_cast<int>(s.incx);
    const auto call = [=, &blas] {
        require_cublas(call_c<int>(blas.dasum, blas.handle, n, o.a, inc, o.c), "cublasDasum");
    };
    return {"cublasDasum", call, [&blas] { blas.set_pointer_mode(cublas::device_pointers); }};
}

// The calls of cuBLAS; `blas` outlives the subjects.
void add_cublas(std::vector<subject>& found,
                const cublas& blas,
                const shape& s,
                const operands& o) {
    shape absolute = s;
    absolute.routine = routine::asum;
    switch (s.routine) {
    case routine::transpose:
        if (s.in_place) // cuBLAS has no such form
            break;
        if (s.element_bytes == 4)
            found.push_back(
                transpose_by_geam<float>("cublasSgeam", blas.blas[routine::geam], blas, s, o));
        if (s.element_bytes == 8)
            found.push_back(transpose_by_geam<double>("cublasDgeam", blas.dgeam, blas, s, o));
        break;
    case routine::sum: // reads the same bytes
        found.push_back(same_of_cublas(blas, absolute, o));
        break;
    case routine::dsum:
        found.push_back(dasum(blas, s, o));
        break;
    case routine::gemsum:
        found.push_back(gemv_with_ones(blas, s, o));
        break;
    default:
        if (describe(s.routine).is_in_blas)
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
        found = lt->products(s, o, 1);
    if (s.incx == 1 && s.routine == routine::sum)
        found.push_back(cub_sum<float>(stream, s, o));
    if (s.incx == 1 && s.routine == routine::dsum)
        found.push_back(cub_sum<double>(stream, s, o));
    if (s.routine == routine::histogram && s.n <= std::numeric_limits<unsigned>::max())
        found.push_back(cub_histogram(stream, s, o));
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
