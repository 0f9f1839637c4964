// The usual products of PyTorch on myblas without a step through Python: float32, dense operands, a
// new result or one by rows. _compiled.py compiles this file and registers its kernels in front of
// the kernels in Python (torch.py), which every other call goes to.
#include "myblas/myblas.h"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <dlfcn.h>
#include <memory>
#include <optional>
#include <pthread.h>

namespace {

// ---- The library --------------------------------------------------------------------------------

struct functions {
    decltype(&myblasCreateOn) create_on;
    decltype(&myblasDestroy) destroy;
    decltype(&myblasGetMathMode) get_math_mode;
    decltype(&myblasSetMathMode) set_math_mode;
    decltype(&myblasSetStream) set_stream;
    decltype(&mysgemm_64) multiply;
    decltype(&mysgemmStridedBatched_64) multiply_batch;
    decltype(&mysgemmFused_64) multiply_fused;
    decltype(&mysgemmFusedStridedBatched_64) multiply_fused_batch;
} library;

bool find_library(const char* path) {
    void* const file = dlopen(path, RTLD_NOW);
    bool is_whole = file != nullptr;
    const auto find = [&](auto& function, const char* name) {
        void* const found = file ? dlsym(file, name) : nullptr;
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
        is_whole = is_whole && found;
    };
    find(library.create_on, "myblasCreateOn");
    find(library.destroy, "myblasDestroy");
    find(library.get_math_mode, "myblasGetMathMode");
    find(library.set_math_mode, "myblasSetMathMode");
    find(library.set_stream, "myblasSetStream");
    find(library.multiply, "mysgemm_64");
    find(library.multiply_batch, "mysgemmStridedBatched_64");
    find(library.multiply_fused, "mysgemmFused_64");
    find(library.multiply_fused_batch, "mysgemmFusedStridedBatched_64");
    return is_whole;
}

// ---- Handles ------------------------------------------------------------------------------------

std::atomic<int> generation; // a handle on a GPU does not survive a fork

struct own_handle {
    myblasHandle_t opened = nullptr;
    myblasStream_t stream = nullptr;
    myblasMath_t mode{}, default_mode{};

    // Null: the library refuses.
    myblasHandle_t
    prepare(const at::Device& device, myblasStream_t wanted_stream, int wanted_number) {
        if (!opened) {
            const c10::DeviceGuard guard(device); // a handle belongs to the current device
            const auto backend = device.is_cpu() ? MYBLAS_BACKEND_HOST : MYBLAS_BACKEND_CUDA;
            if (library.create_on(&opened, backend) != MYBLAS_STATUS_SUCCESS)
                return opened = nullptr;
            library.get_math_mode(opened, &default_mode);
            mode = default_mode;
        }
        if (stream != wanted_stream &&
            library.set_stream(opened, wanted_stream) != MYBLAS_STATUS_SUCCESS)
            return nullptr;
        stream = wanted_stream;
        const auto wanted_mode =
            wanted_number < 0 ? default_mode : static_cast<myblasMath_t>(wanted_number);
        if (mode != wanted_mode &&
            library.set_math_mode(opened, wanted_mode) != MYBLAS_STATUS_SUCCESS)
            return nullptr;
        mode = wanted_mode;
        return opened;
    }
};

struct own_handles {
    static constexpr int most = 65; // the host, and GPUs
    int of_generation = generation;
    std::array<own_handle, most> all;

    own_handle* of(const at::Device& device) {
        if (of_generation != generation) {
            all = {};
            of_generation = generation;
        }
        const int place = device.is_cpu() ? 0 : device.index() + 1;
        return place < most ? &all[place] : nullptr;
    }
    ~own_handles() {
        for (const own_handle& each : all)
            if (each.opened && of_generation == generation)
                library.destroy(each.opened);
    }
};

own_handle* handle_of(const at::Device& device) {
    static thread_local own_handles own;
    return own.of(device);
}

// False: the stream is not known.
bool find_stream(const at::Device& device, myblasStream_t* stream) {
    using getter = int (*)(int32_t, myblasStream_t*);
    static const auto get = [] {
        void* const file = dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_NOLOAD);
        return file ? reinterpret_cast<getter>(dlsym(file, "aoti_torch_get_current_cuda_stream"))
                    : nullptr;
    }();
    *stream = nullptr;
    return device.is_cpu() || (get && get(device.index(), stream) == 0);
}

// ---- Kernels ------------------------------------------------------------------------------------

enum function { mm, bmm, addmm, baddbmm };
constexpr struct {
    const char *name, *overload;
    function what;
} operators[] = {
    {"aten::mm", "", mm},
    {"aten::mm", "out", mm},
    {"aten::bmm", "", bmm},
    {"aten::bmm", "out", bmm},
    {"aten::addmm", "", addmm},
    {"aten::addmm", "out", addmm},
    {"aten::baddbmm", "", baddbmm},
    {"aten::baddbmm", "out", baddbmm},
};
constexpr int operator_count = sizeof operators / sizeof operators[0];

struct registration {
    int mode = -1;
    std::unique_ptr<torch::Library> kernels;
    std::array<std::optional<c10::SafeKernelFunction>, operator_count> others; // those in Python
    std::array<std::atomic<int64_t>, operator_count> served{};
};
registration registrations[2]; // of the host, of CUDA

struct layout {
    bool by_rows;
    int64_t ld;
};

// The last two axes; false: neither rows nor columns are dense.
bool find_layout(const at::Tensor& t, layout* l) {
    const auto sizes = t.sizes(), strides = t.strides();
    const size_t row = sizes.size() - 2, column = row + 1;
    const int64_t rows = sizes[row], columns = sizes[column];
    if ((columns == 1 || strides[column] == 1) && (rows == 1 || strides[row] >= columns))
        *l = {true, rows > 1 ? strides[row] : columns};
    else if ((rows == 1 || strides[row] == 1) && (columns == 1 || strides[column] >= rows))
        *l = {false, columns > 1 ? strides[column] : rows};
    else
        return false;
    return true;
}

bool is_float(const at::Tensor& t) { return t.defined() && t.scalar_type() == at::kFloat; }

bool may_overlap(const at::Tensor& contiguous, const at::Tensor& other) {
    const auto* const begin = contiguous.const_data_ptr<float>();
    const auto* const first = other.const_data_ptr<float>();
    int64_t extent = 1;
    for (int64_t axis = 0; axis < other.dim(); ++axis)
        extent += (other.size(axis) - 1) * other.stride(axis);
    return first < begin + contiguous.numel() && begin < first + extent;
}

bool may_use_tf32() {
    try {
        return at::globalContext().allowTF32CuBLAS();
    } catch (const c10::Error&) { // the program has set it in two ways: PyTorch's own check decides
        return true;
    }
}

// The product, or nothing: the kernel in Python decides. The operands are [added,] a, b[, beta,
// alpha][, out].
std::optional<at::Tensor>
serve(bool is_cuda, int which, const registration& own, c10::ArrayRef<c10::IValue> operands) {
    const function what = operators[which].what;
    const bool adds = what == addmm || what == baddbmm;
    const size_t at = adds ? 1 : 0;
    const at::Tensor &a = operands[at].toTensor(), &b = operands[at + 1].toTensor();
    const int64_t rank = what == bmm || what == baddbmm ? 3 : 2;
    if (!is_float(a) || !is_float(b) || a.dim() != rank || b.dim() != rank ||
        a.device() != b.device() || a.numel() == 0 || b.numel() == 0 || a.size(-1) != b.size(-2) ||
        (rank == 3 && a.size(0) != b.size(0)))
        return std::nullopt;
    if (is_cuda && may_use_tf32())
        return std::nullopt;
    const int64_t m = a.size(-2), k = a.size(-1), n = b.size(-1);
    layout of_a, of_b;
    if (!find_layout(a, &of_a) || !find_layout(b, &of_b))
        return std::nullopt;

    const float zero = 0;
    float alpha = 1, beta = 0;
    const at::Tensor* added = nullptr;
    layout of_added = {true, n};
    myblasEpilogue_t epilogue{}; // the bias is one of rows
    epilogue.size_bytes = sizeof epilogue;
    if (adds) {
        added = &operands[0].toTensor();
        const at::Scalar factor = operands[3].toScalar(), of_product = operands[4].toScalar();
        if (!is_float(*added) || added->device() != a.device() || factor.isComplex() ||
            of_product.isComplex())
            return std::nullopt;
        alpha = static_cast<float>(of_product.toDouble());
        if (rank == 2 && added->dim() == 1) { // the bias of nn.Linear
            if (added->size(0) != n || n < 2 || added->stride(0) != 1 || factor.toDouble() != 1)
                return std::nullopt;
            epilogue.bias = added->const_data_ptr<float>();
        } else {
            if (added->dim() != rank || added->size(-2) != m || added->size(-1) != n ||
                (rank == 3 && added->size(0) != a.size(0)) || !find_layout(*added, &of_added) ||
                !of_added.by_rows)
                return std::nullopt;
            beta = static_cast<float>(factor.toDouble());
        }
    }
    at::Tensor c;
    if (*operators[which].overload) {
        c = operands.back().toTensor();
        if (!is_float(c) || c.device() != a.device() || c.dim() != rank || c.size(-2) != m ||
            c.size(-1) != n || (rank == 3 && c.size(0) != a.size(0)) || !c.is_contiguous() ||
            may_overlap(c, a) || may_overlap(c, b) || (added && may_overlap(c, *added)))
            return std::nullopt;
    }
    myblasStream_t stream;
    own_handle* const opened = handle_of(a.device());
    const myblasHandle_t h = opened && find_stream(a.device(), &stream)
                                 ? opened->prepare(a.device(), stream, own.mode)
                                 : nullptr;
    if (!h)
        return std::nullopt;
    if (!c.defined())
        c = rank == 3 ? at::empty({a.size(0), m, n}, a.options()) : at::empty({m, n}, a.options());

    // By rows: C^T = B^T A^T.
    const auto op_a = of_a.by_rows ? MYBLAS_OP_N : MYBLAS_OP_T;
    const auto op_b = of_b.by_rows ? MYBLAS_OP_N : MYBLAS_OP_T;
    const auto *const data_a = a.const_data_ptr<float>(), *const data_b = b.const_data_ptr<float>();
    auto* const data_c = c.mutable_data_ptr<float>();
    const float* const data_added =
        epilogue.bias || !added ? nullptr : added->const_data_ptr<float>();
    const int64_t batch = rank == 3 ? a.size(0) : 1;
    myblasStatus_t status;
    if (adds && rank == 3)
        status = library.multiply_fused_batch(h,
                                              op_b,
                                              op_a,
                                              n,
                                              m,
                                              k,
                                              &alpha,
                                              data_b,
                                              of_b.ld,
                                              b.stride(0),
                                              data_a,
                                              of_a.ld,
                                              a.stride(0),
                                              &beta,
                                              data_added,
                                              of_added.ld,
                                              added->stride(0),
                                              data_c,
                                              n,
                                              m * n,
                                              &epilogue,
                                              batch);
    else if (adds)
        status = library.multiply_fused(h,
                                        op_b,
                                        op_a,
                                        n,
                                        m,
                                        k,
                                        &alpha,
                                        data_b,
                                        of_b.ld,
                                        data_a,
                                        of_a.ld,
                                        &beta,
                                        data_added,
                                        of_added.ld,
                                        data_c,
                                        n,
                                        &epilogue);
    else if (rank == 3)
        status = library.multiply_batch(h,
                                        op_b,
                                        op_a,
                                        n,
                                        m,
                                        k,
                                        &alpha,
                                        data_b,
                                        of_b.ld,
                                        b.stride(0),
                                        data_a,
                                        of_a.ld,
                                        a.stride(0),
                                        &zero,
                                        data_c,
                                        n,
                                        m * n,
                                        batch);
    else
        status = library.multiply(
            h, op_b, op_a, n, m, k, &alpha, data_b, of_b.ld, data_a, of_a.ld, &zero, data_c, n);
    return status == MYBLAS_STATUS_SUCCESS ? std::optional(c) : std::nullopt;
}

template <bool is_cuda, int which>
void kernel(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    registration& own = registrations[is_cuda];
    const size_t count = op.schema().arguments().size();
    const auto result = serve(is_cuda, which, own, torch::jit::last(*stack, count));
    if (!result) {
        own.others[which]->callBoxed(op, keys, stack);
        return;
    }
    own.served[which].fetch_add(1, std::memory_order_relaxed);
    torch::jit::drop(*stack, count);
    torch::jit::push(*stack, *result);
}

template <bool is_cuda, int... which>
void register_all(std::integer_sequence<int, which...>, torch::Library* to) {
    const auto add = [&](int i, torch::CppFunction kernel) {
        registration& own = registrations[is_cuda];
        const auto& [name, overload, what] = operators[i];
        own.others[i].emplace(c10::Dispatcher::singleton()
                                  .findSchemaOrThrow(name, overload)
                                  .getComputedKernelForDispatchKey(
                                      is_cuda ? c10::DispatchKey::CUDA : c10::DispatchKey::CPU));
        const std::string whole = *overload ? std::string(name) + "." + overload : name;
        to->impl(whole.c_str(), std::move(kernel));
    };
    (add(which, torch::CppFunction::makeFromBoxedFunction<&kernel<is_cuda, which>>()), ...);
}

} // namespace

extern "C" {

// Puts the kernels in front of the present ones. mode: of myblasMath_t; -1: that of new handles. 0:
// done.
__attribute__((visibility("default"))) int
myblas_torch_enable(const char* path, int is_cuda, int mode) noexcept try {
    static const bool is_found = [&] {
        pthread_atfork(nullptr, nullptr, [] { ++generation; });
        return find_library(path);
    }();
    if (!is_found)
        return 1;
    registration& own = registrations[is_cuda != 0];
    own.mode = mode;
    for (auto& count : own.served)
        count = 0;
    own.kernels =
        std::make_unique<torch::Library>(torch::Library::IMPL,
                                         "aten",
                                         is_cuda ? c10::DispatchKey::CUDA : c10::DispatchKey::CPU,
                                         __FILE__,
                                         __LINE__);
    constexpr auto all = std::make_integer_sequence<int, operator_count>();
    is_cuda ? register_all<true>(all, own.kernels.get())
            : register_all<false>(all, own.kernels.get());
    return 0;
} catch (...) {
    registrations[is_cuda != 0].kernels.reset();
    return 1;
}

__attribute__((visibility("default"))) void myblas_torch_disable(int is_cuda) noexcept {
    registrations[is_cuda != 0].kernels.reset();
}

// Served calls since `enable`, of a function as numbered above.
__attribute__((visibility("default"))) int64_t myblas_torch_served(int is_cuda, int function) {
    int64_t sum = 0;
    for (int i = 0; i < operator_count; ++i)
        if (operators[i].what == function)
            sum += registrations[is_cuda != 0].served[i];
    return sum;
}

} // extern "C"
