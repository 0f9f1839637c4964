// The kernels behind the routines: listing them, forcing one, asking which one a call takes.
#include "myblas/myblas_kernels.h"

#include "api/call.h"
#include "api/dispatch.h"

#include <limits>

namespace myblas {
namespace {

bool is_backend(myblasBackend_t backend) {
    return backend == MYBLAS_BACKEND_HOST || backend == MYBLAS_BACKEND_CUDA;
}

// A device of which the compute capability is known but which need not be there. Shared memory is
// that of the CUDA C++ Programming Guide's table of compute capabilities.
device_info imagine_device(myblasBackend_t backend, int arch, int sm_count) {
    if (backend == MYBLAS_BACKEND_HOST)
        return {};
    const bool is_consumer = arch == 86 || arch == 89 || arch >= 120;
    device_info device;
    device.ordinal = 0;
    device.arch = arch;
    device.sm_count = sm_count;
    const size_t smem_per_sm = (is_consumer ? 100 : arch < 90 ? 164 : 228) * 1024;
    device.smem_per_block = smem_per_sm - 1024;
    return device;
}

call_setting setting_of(const myblasContext& handle) {
    return {handle.math_mode, has_results_on_device(handle)};
}

// Of a call that no handle makes. What else is wrong with the description visit_call finds.
myblasStatus_t
read_setting(const char* function, const myblasCall_t* call, call_setting* setting) noexcept {
    const bool has_mode = call && call->size_bytes == sizeof *call;
    *setting = {has_mode ? call->math_mode : MYBLAS_FP32_STRICT_MATH, false};
    if (!is_math_mode(setting->math))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "call->math_mode is not a math mode");
    return MYBLAS_STATUS_SUCCESS;
}

template <class Problem>
size_t needed_workspace(const kernel_entry<Problem>& kernel,
                        const Problem& problem,
                        const device_info& device) {
    return kernel.workspace_bytes ? kernel.workspace_bytes(problem, device) : 0;
}

// With more a kernel would do no better.
template <class Problem>
size_t best_workspace(const kernel_entry<Problem>& kernel,
                      const Problem& problem,
                      const device_info& device) {
    return kernel.best_workspace_bytes ? kernel.best_workspace_bytes(problem, device)
                                       : needed_workspace(kernel, problem, device);
}

// The costs of a kernel for the problem's form; all zero where it has none.
template <class Problem>
cost cost_of(const kernel_entry<Problem>& kernel,
             const selection_table<Problem>& table,
             const Problem& problem) {
    for (const kernel_cost<Problem>& candidate : table.costs)
        if (candidate.kernel == &kernel)
            return candidate.of_form[form_of(problem)];
    return {};
}

// What myblasGetKernelEstimate and its twin answer.
myblasStatus_t estimate_kernel(const char* function,
                               myblasBackend_t backend,
                               const device_info& device,
                               size_t workspace_bytes,
                               const call_setting& setting,
                               const myblasCall_t* call,
                               int index,
                               myblasKernelEstimate_t* estimate) noexcept {
    if (!estimate)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "estimate is NULL");
    if (estimate->size_bytes != sizeof *estimate)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "estimate->size_bytes is wrong");
    myblasKernelEstimate_t found = {};
    found.size_bytes = sizeof found;
    const myblasStatus_t status =
        visit_call(function, call, setting, [&]<class Problem>(const Problem& problem) {
            const kernel_list<Problem> kernels = kernels_of<Problem>(backend);
            if (index < 0 || static_cast<size_t>(index) >= kernels.size())
                return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "index is out of range");
            const kernel_entry<Problem>& kernel = *kernels[index];
            found.accepted = accepts(kernel, problem, device, workspace_bytes);
            found.workspace_bytes = needed_workspace(kernel, problem, device);
            if (kernel.work) {
                const work_estimate work = kernel.work(problem, device);
                found.waves = work.waves;
                found.steps = work.steps;
                found.bytes = work.bytes;
                found.predicted_us =
                    cost_of(kernel, current_table<Problem>(backend, device), problem)
                        .predict_us(work);
            }
            return MYBLAS_STATUS_SUCCESS;
        });
    if (status == MYBLAS_STATUS_SUCCESS)
        *estimate = found;
    return status;
}

} // namespace
} // namespace myblas

using namespace myblas;

extern "C" {

myblasStatus_t myblasGetKernelCount(myblasBackend_t backend, myblasRoutine_t routine, int* count) {
    constexpr const char* function = "myblasGetKernelCount";
    if (!is_backend(backend))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "backend is neither host nor cuda");
    if (!is_routine(routine))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "routine is not a routine");
    if (!count)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "count is NULL");
    return visit_routine(routine, [&]<class Problem>() {
        *count = static_cast<int>(kernels_of<Problem>(backend).size());
        return MYBLAS_STATUS_SUCCESS;
    });
}

myblasStatus_t myblasGetKernelInfo(myblasBackend_t backend,
                                   myblasRoutine_t routine,
                                   int index,
                                   myblasKernelInfo_t* info) {
    constexpr const char* function = "myblasGetKernelInfo";
    if (!is_backend(backend))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "backend is neither host nor cuda");
    if (!is_routine(routine))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "routine is not a routine");
    return visit_routine(routine, [&]<class Problem>() {
        const kernel_list<Problem> kernels = kernels_of<Problem>(backend);
        if (index < 0 || static_cast<size_t>(index) >= kernels.size())
            return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "index is out of range");
        if (!info)
            return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "info is NULL");
        if (info->size_bytes != sizeof *info)
            return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "info->size_bytes is wrong");
        const kernel_entry<Problem>& kernel = *kernels[index];
        *info = {.size_bytes = sizeof *info,
                 .name = kernel.name,
                 .description = kernel.description,
                 .min_arch = kernel.min_arch,
                 .max_arch = kernel.max_arch,
                 .block_m = kernel.block_m,
                 .block_n = kernel.block_n,
                 .block_k = kernel.block_k,
                 .threads = kernel.threads,
                 .stages = kernel.stages,
                 .smem_bytes = kernel.smem_bytes,
                 .alignment_bytes = kernel.alignment_bytes,
                 .deterministic = kernel.deterministic,
                 .math_mode = kernel.math};
        return MYBLAS_STATUS_SUCCESS;
    });
}

myblasStatus_t myblasForceKernel(myblasHandle_t handle, myblasRoutine_t routine, const char* name) {
    constexpr const char* function = "myblasForceKernel";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (!is_routine(routine))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "routine is not a routine");
    forced_kernel wanted;
    if (name)
        wanted = find_kernel(routine, handle->backend->id, name);
    if (wanted.index == forced_kernel::unknown)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "the backend has no such kernel");
    handle->forced[routine] = wanted;
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t
myblasSelectKernel(myblasHandle_t handle, const myblasCall_t* call, const char** name) {
    constexpr const char* function = "myblasSelectKernel";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (!name)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "name is NULL");
    const char* taken = nullptr;
    const myblasStatus_t status =
        visit_call(function, call, setting_of(*handle), [&]<class Problem>(const Problem& problem) {
            const kernel_entry<Problem>* kernel =
                choose_kernel(*handle, problem, make_launch_context(*handle).workspace_bytes);
            if (!kernel)
                return refuse_kernel<Problem>(*handle, function);
            taken = kernel->name;
            return MYBLAS_STATUS_SUCCESS;
        });
    if (status == MYBLAS_STATUS_SUCCESS)
        *name = taken;
    return status;
}

myblasStatus_t myblasSelectKernelOn(myblasBackend_t backend,
                                    int arch,
                                    int sm_count,
                                    size_t workspace_bytes,
                                    const myblasCall_t* call,
                                    const char** name) {
    constexpr const char* function = "myblasSelectKernelOn";
    if (!is_backend(backend))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "backend is neither host nor cuda");
    if (backend == MYBLAS_BACKEND_CUDA && sm_count < 1)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "sm_count < 1");
    if (!name)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "name is NULL");
    const device_info device = imagine_device(backend, arch, sm_count);
    call_setting setting;
    if (const myblasStatus_t failure = read_setting(function, call, &setting))
        return failure;
    const char* taken = nullptr;
    const myblasStatus_t status =
        visit_call(function, call, setting, [&]<class Problem>(const Problem& problem) {
            const kernel_entry<Problem>* kernel =
                select(current_table<Problem>(backend, device), problem, device, workspace_bytes);
            if (!kernel)
                return refuse(function,
                              MYBLAS_STATUS_NOT_SUPPORTED,
                              "the library has no kernels for this architecture");
            taken = kernel->name;
            return MYBLAS_STATUS_SUCCESS;
        });
    if (status == MYBLAS_STATUS_SUCCESS)
        *name = taken;
    return status;
}

myblasStatus_t myblasGetKernelEstimate(myblasHandle_t handle,
                                       const myblasCall_t* call,
                                       int index,
                                       myblasKernelEstimate_t* estimate) {
    constexpr const char* function = "myblasGetKernelEstimate";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    return estimate_kernel(function,
                           handle->backend->id,
                           handle->device,
                           make_launch_context(*handle).workspace_bytes,
                           setting_of(*handle),
                           call,
                           index,
                           estimate);
}

myblasStatus_t myblasGetKernelEstimateOn(myblasBackend_t backend,
                                         int arch,
                                         int sm_count,
                                         size_t workspace_bytes,
                                         const myblasCall_t* call,
                                         int index,
                                         myblasKernelEstimate_t* estimate) {
    constexpr const char* function = "myblasGetKernelEstimateOn";
    if (!is_backend(backend))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "backend is neither host nor cuda");
    if (backend == MYBLAS_BACKEND_CUDA && sm_count < 1)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "sm_count < 1");
    call_setting setting;
    if (const myblasStatus_t failure = read_setting(function, call, &setting))
        return failure;
    return estimate_kernel(function,
                           backend,
                           imagine_device(backend, arch, sm_count),
                           workspace_bytes,
                           setting,
                           call,
                           index,
                           estimate);
}

myblasStatus_t
myblasGetLastKernel(myblasHandle_t handle, myblasRoutine_t routine, const char** name) {
    constexpr const char* function = "myblasGetLastKernel";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (!is_routine(routine))
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "routine is not a routine");
    if (!name)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "name is NULL");
    *name = handle->last_kernel[routine];
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t
myblasGetWorkspaceSize(myblasHandle_t handle, const myblasCall_t* call, size_t* size_bytes) {
    constexpr const char* function = "myblasGetWorkspaceSize";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (!size_bytes)
        return refuse(function, MYBLAS_STATUS_INVALID_VALUE, "size_bytes is NULL");
    size_t needed = 0;
    const myblasStatus_t status =
        visit_call(function, call, setting_of(*handle), [&]<class Problem>(const Problem& problem) {
            constexpr size_t unlimited = std::numeric_limits<size_t>::max();
            const kernel_entry<Problem>* kernel = choose_kernel(*handle, problem, unlimited);
            if (!kernel)
                return refuse_kernel<Problem>(*handle, function);
            needed = best_workspace(*kernel, problem, handle->device);
            return MYBLAS_STATUS_SUCCESS;
        });
    if (status == MYBLAS_STATUS_SUCCESS)
        *size_bytes = needed;
    return status;
}

} // extern "C"
