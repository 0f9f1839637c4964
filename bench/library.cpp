#include "library.h"

#include "errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace bench {

void require(myblasStatus_t status, const char* what) {
    if (status != MYBLAS_STATUS_SUCCESS)
        throw failure(fmt::format("{} answered {}: {}",
                                  what,
                                  myblasGetStatusName(status),
                                  myblasGetStatusString(status)));
}

library_functions::library_functions(const dynamic_library& library)
    : routines(find_functions(
          [&](const std::string& name) { return library.find("my" + name + "_64"); })) {
    library.find(create_on, "myblasCreateOn");
    library.find(destroy, "myblasDestroy");
    library.find(set_stream, "myblasSetStream");
    library.find(set_math_mode, "myblasSetMathMode");
    library.find(set_pointer_mode, "myblasSetPointerMode");
    library.find(set_workspace, "myblasSetWorkspace");
    library.find(get_workspace_size, "myblasGetWorkspaceSize");
    library.find(force_kernel, "myblasForceKernel");
}

bool library_functions::is_complete() const {
    return create_on && destroy && set_stream && set_math_mode && set_pointer_mode &&
           set_workspace && get_workspace_size && force_kernel;
}

const library_functions& linked_library() {
    static const library_functions found{dynamic_library::linked()};
    return found;
}

namespace {

std::string last_message; // of the library's log
void keep_message(const char* message) { last_message = message; }

} // namespace

// The log names the variable that is wrong, or says what the GPU lacks.
library_handle::library_handle(myblasBackend_t wanted) {
    myblasSetLoggerCallback(keep_message);
    const myblasStatus_t status =
        wanted == MYBLAS_BACKEND_AUTO ? myblasCreate(&handle_) : myblasCreateOn(&handle_, wanted);
    myblasSetLoggerCallback(nullptr);
    if (status == MYBLAS_STATUS_INVALID_VALUE)
        throw usage_error(last_message);
    if (status != MYBLAS_STATUS_SUCCESS)
        throw failure(last_message);
}

library_handle::~library_handle() { myblasDestroy(handle_); }

myblasBackend_t library_handle::backend() const {
    myblasBackend_t backend = MYBLAS_BACKEND_AUTO;
    require(myblasGetBackend(handle_, &backend), "myblasGetBackend");
    return backend;
}

void library_handle::set_math(myblasMath_t math) const {
    require(myblasSetMathMode(handle_, math), "myblasSetMathMode");
}

myblasMath_t library_handle::math() const {
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH;
    require(myblasGetMathMode(handle_, &math), "myblasGetMathMode");
    return math;
}

void library_handle::set_stream(myblasStream_t stream) const {
    require(myblasSetStream(handle_, stream), "myblasSetStream");
}

void library_handle::lend(const buffer& memory) const {
    if (memory.bytes() > 0)
        require(myblasSetWorkspace(handle_, memory.data(), memory.bytes()), "myblasSetWorkspace");
}

void library_handle::force(routine r, const std::string& kernel) const {
    require(
        myblasForceKernel(handle_, describe(r).kernels, kernel.empty() ? nullptr : kernel.c_str()),
        "myblasForceKernel");
}

std::string library_handle::last_kernel(routine r) const {
    const char* taken = nullptr;
    require(myblasGetLastKernel(handle_, describe(r).kernels, &taken), "myblasGetLastKernel");
    return taken ? taken : "none";
}

std::string library_handle::choice(const shape& s, const operands& o) const {
    const myblasCall_t call = describe_call(s, o);
    const char* name = nullptr;
    require(myblasSelectKernel(handle_, &call, &name), "myblasSelectKernel");
    return name ? name : "";
}

myblasKernelEstimate_t
library_handle::estimate(const shape& s, const operands& o, int kernel) const {
    const myblasCall_t call = describe_call(s, o);
    myblasKernelEstimate_t found{};
    found.size_bytes = sizeof found;
    require(myblasGetKernelEstimate(handle_, &call, kernel, &found), "myblasGetKernelEstimate");
    return found;
}

buffer::buffer(const library_handle& handle, size_t bytes) : bytes_(bytes) {
    void* data = nullptr;
    require(myblasMalloc(handle.get(), &data, bytes),
            fmt::format("myblasMalloc of {} bytes", bytes).c_str());
    data_ = {data, [of = handle.get()](void* memory) { myblasFree(of, memory); }};
}

std::vector<myblasKernelInfo_t> kernels_of(myblasBackend_t backend, routine r) {
    const myblasRoutine_t of = describe(r).kernels;
    int count = 0;
    require(myblasGetKernelCount(backend, of, &count), "myblasGetKernelCount");
    std::vector<myblasKernelInfo_t> kernels(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
        myblasKernelInfo_t& info = kernels[static_cast<size_t>(i)];
        info.size_bytes = sizeof info;
        require(myblasGetKernelInfo(backend, of, i, &info), "myblasGetKernelInfo");
    }
    return kernels;
}

std::vector<std::string> kernel_names(myblasBackend_t backend, routine r) {
    std::vector<std::string> names;
    for (const myblasKernelInfo_t& kernel : kernels_of(backend, r))
        names.emplace_back(kernel.name);
    return names;
}

bool has_kernel(myblasBackend_t backend, routine r, const std::string& name) {
    const std::vector<std::string> names = kernel_names(backend, r);
    return std::any_of(names.begin(), names.end(), [&](const std::string& known) {
        return known == name || known.starts_with(name + "/");
    });
}

namespace {

myblasOperation_t operation(bool transposed) { return transposed ? MYBLAS_OP_T : MYBLAS_OP_N; }

// The product whose C is y: a column of C if y is contiguous, otherwise a row.
void describe_gemv(myblasCall_t& call, const shape& s) {
    const int64_t length_x = s.transa ? s.m : s.n, length_y = s.transa ? s.n : s.m;
    call.k = length_x;
    if (s.incx == 1) {
        call.m = call.ldc = length_y;
        call.n = 1;
        call.ldb = length_x;
        return;
    }
    call.m = 1;
    call.n = length_y;
    call.ldc = s.incx;
    call.transa = MYBLAS_OP_N;
    call.transb = operation(!s.transa);
    std::swap(call.A, call.B);
    call.ldb = call.lda;
    call.lda = s.incx;
}

} // namespace

myblasCall_t describe_call(const shape& s, const operands& o) {
    myblasCall_t call{};
    call.size_bytes = sizeof call;
    call.routine = describe(s.routine).kernels;
    call.transa = operation(s.transa);
    call.transb = operation(s.transb);
    call.element_bytes = s.element_bytes;
    call.m = s.m;
    call.n = s.n;
    call.k = s.k;
    call.lda = s.lda;
    call.ldb = s.ldb;
    call.ldc = s.ldc;
    call.batch_count = s.batch;
    call.A = o.a;
    call.B = o.b;
    call.C = o.c;
    call.pointer_array = s.pointer_array;
    call.is_fused = s.routine == routine::sgemm_fused;
    call.reads_C = s.beta == 0 ? 0 : s.beta == 1 ? 1 : 2;
    call.shared = s.share_a + 2 * s.share_b;
    call.side = s.right ? MYBLAS_SIDE_RIGHT : MYBLAS_SIDE_LEFT;
    call.uplo = s.upper ? MYBLAS_FILL_MODE_UPPER : MYBLAS_FILL_MODE_LOWER;
    call.diag = s.unit ? MYBLAS_DIAG_UNIT : MYBLAS_DIAG_NON_UNIT;
    if (s.routine == routine::gemv)
        describe_gemv(call, s);
    else if (!has_matrix(s.routine))
        call.lda = call.ldb = s.incx;
    else if (has(s.routine, field::inc)) {
        call.ldb = s.incx;
        call.ldc = s.routine == routine::syr ? 0 : s.incx; // this distinguishes syr from syr2
    }
    return call;
}

size_t wanted_workspace(const library_handle& handle, const shape& s, const operands& o) {
    if (s.routine == routine::ger) // myblasCall_t cannot describe it; it needs no workspace
        return 0;
    const myblasCall_t call = describe_call(s, o);
    size_t bytes = 0;
    const myblasStatus_t status = myblasGetWorkspaceSize(handle.get(), &call, &bytes);
    return status == MYBLAS_STATUS_SUCCESS ? bytes : 0;
}

buffer make_workspace(const library_handle& handle,
                      const machine& device,
                      std::span<const size_t> wanted) {
    const size_t limit = device.free_bytes() / 2;
    size_t largest = 0;
    for (const size_t bytes : wanted)
        if (bytes <= limit)
            largest = std::max(largest, bytes);
    return largest == 0 ? buffer() : buffer(handle, largest);
}

std::vector<float*> batch_pointers(const shape& s, const operands& o) {
    const operand_sizes stride = batch_strides(s);
    std::vector<float*> pointers;
    for (const auto& [first, step] :
         {std::pair{o.a, stride.a}, std::pair{o.b, stride.b}, std::pair{o.c, stride.c}})
        for (int64_t product = 0; product < s.batch; ++product)
            pointers.push_back(static_cast<float*>(first) + product * step);
    return pointers;
}

void use_pointers(operands& o, const buffer& pointers, int64_t batch) {
    o.a_list = static_cast<float**>(pointers.data());
    o.b_list = o.a_list + batch;
    o.c_list = o.b_list + batch;
}

std::vector<float> fetch_c(machine& device, const shape& s, const operands& o) {
    std::vector<float> c(static_cast<size_t>(s.m * s.n));
    device.download(c.data(), o.c, c.size() * sizeof(float));
    return c;
}

std::vector<float>
result_of(machine& device, const shape& s, const operands& o, const std::function<void()>& call) {
    device.poison(o.c, static_cast<size_t>(s.m * s.n) * sizeof(float));
    call();
    device.synchronize();
    return fetch_c(device, s, o);
}

myblasPointerMode_t pointer_mode(routine r) {
    // With results in host memory, every sum would wait and could not be captured.
    return is_reduction(r) ? MYBLAS_POINTER_MODE_DEVICE : MYBLAS_POINTER_MODE_HOST;
}

} // namespace bench
