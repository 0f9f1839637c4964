// The table's cuBLAS rows have the parameters that cuBLAS's header declares. The test is whether
// this compiles; nothing runs.
#include "cublas/describe.h"

#include <cublas_api.h>

namespace myblas::preload {
namespace {

// cuBLAS's type for each of the table's.
template <class T>
struct cublas_type {
    using type = T;
};
template <class T>
struct cublas_type<T*> {
    using type = typename cublas_type<T>::type*;
};
template <class T>
struct cublas_type<const T> {
    using type = const typename cublas_type<T>::type;
};
template <>
struct cublas_type<operation> {
    using type = cublasOperation_t;
};
template <>
struct cublas_type<fill_mode> {
    using type = cublasFillMode_t;
};
template <>
struct cublas_type<side_mode> {
    using type = cublasSideMode_t;
};
template <>
struct cublas_type<diagonal> {
    using type = cublasDiagType_t;
};
template <>
struct cublas_type<data_type> {
    using type = cudaDataType;
};
template <>
struct cublas_type<compute_type> {
    using type = cublasComputeType_t;
};
template <>
struct cublas_type<algorithm_type> {
    using type = cublasGemmAlgo_t;
};
template <class... Parameters>
struct cublas_type<int(void*, Parameters...)> {
    using type = cublasStatus_t(cublasHandle_t, typename cublas_type<Parameters>::type...);
};

#define UNPACK(...) __VA_ARGS__
#define CUBLAS_ENTRY(name, routine, function, call, against, parameters, ...)                      \
    [[maybe_unused]] cublas_type<int(void*, UNPACK parameters)>::type* const SIZED(name) =         \
        &::SIZED(name);
#include "common/entries.inc"
#define MYBLAS_ENTRIES_64
#include "common/entries.inc"

} // namespace

static_assert(static_cast<int>(data_type::real_32f) == CUDA_R_32F);
static_assert(static_cast<int>(compute_type::float_32) == CUBLAS_COMPUTE_32F);
static_assert(static_cast<int>(compute_type::float_32_pedantic) == CUBLAS_COMPUTE_32F_PEDANTIC);
static_assert(static_cast<int>(compute_type::fast_tf32) == CUBLAS_COMPUTE_32F_FAST_TF32);
#if CUBLAS_VERSION >= 120900 // the first with FP32 emulation
static_assert(static_cast<int>(compute_type::emulated_16bfx9) ==
              CUBLAS_COMPUTE_32F_EMULATED_16BFX9);
static_assert(cublas_emulated_math == CUBLAS_FP32_EMULATED_BF16X9_MATH);
#endif
static_assert(cublas_default_math == CUBLAS_DEFAULT_MATH);
static_assert(cublas_tensor_op_math == CUBLAS_TENSOR_OP_MATH);
static_assert(cublas_pedantic_math == CUBLAS_PEDANTIC_MATH);
static_assert(cublas_tf32_math == CUBLAS_TF32_TENSOR_OP_MATH);
static_assert(cublas_not_initialized == CUBLAS_STATUS_NOT_INITIALIZED);
static_assert(int{MYBLAS_OP_C} == CUBLAS_OP_C &&
              int{MYBLAS_FILL_MODE_UPPER} == CUBLAS_FILL_MODE_UPPER);
static_assert(int{MYBLAS_SIDE_RIGHT} == CUBLAS_SIDE_RIGHT &&
              int{MYBLAS_DIAG_UNIT} == CUBLAS_DIAG_UNIT);

} // namespace myblas::preload
