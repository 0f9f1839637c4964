// The kernels behind the routines: lists and forces them, and says which kernel a call takes.
#include "myblas/myblas_kernels.h"

#include "api/call.h"
#include "api/dispatch.h"

#include <limits>
#include <type_traits>

namespace myblas {
namespace {

fault check_backend(myblasBackend_t backend) {
    if (backend == MYBLAS_BACKEND_HOST || backend == MYBLAS_BACKEND_CUDA)
        return nullptr;
    return {"backend", backend, "which is neither host nor cuda"};
}

template <class Problem>
fault check_index(int index, const kernel_list<Problem>& kernels) {
    const auto count = static_cast<int64_t>(kernels.size());
    return 0 <= index && index < count ? nullptr
                                       : fault{"index", index, "but there are", count, " kernels"};
}

// A structure that the caller passes, whose size the caller has set.
template <class Structure>
fault check_structure(const char* name, const char* name_of_size, const Structure* s) {
    if (!s)
        return {fault::kind::null, name};
    return s->size_bytes == sizeof *s ? nullptr
                                      : wrong_size(name_of_size, s->size_bytes, sizeof *s);
}

// A described device, which need not exist.
myblasStatus_t describe_device(const char* function,
                               myblasBackend_t backend,
                               const myblasDevice_t* device,
                               device_info* described) noexcept {
    *described = {};
    if (backend == MYBLAS_BACKEND_HOST)
        return MYBLAS_STATUS_SUCCESS;
    if (const fault found = check_structure("device", "device->size_bytes", device))
        return refuse(function, found);
    if (device->arch < 1 || device->sm_count < 1 || device->clock_mhz < 1 ||
        device->memory_gbps < 1 || device->l2_bytes < 1 || device->smem_per_block < 1)
        return refuse(function, "a member of device is not positive");
    described->ordinal = 0;
    described->arch = device->arch;
    described->sm_count = device->sm_count;
    described->clock_mhz = device->clock_mhz;
    described->memory_gbps = device->memory_gbps;
    described->l2_bytes = device->l2_bytes;
    described->smem_per_block = device->smem_per_block;
    return MYBLAS_STATUS_SUCCESS;
}

call_setting setting_of(const myblasContext& handle) {
    const bool is_cuda = handle.backend->id == MYBLAS_BACKEND_CUDA;
    const bool has_results_there = has_results_on_device(handle);
    return {handle.math_mode, has_results_there, is_cuda && !has_results_there};
}

// Checks a described call that no handle makes. visit_call finds the other faults.
myblasStatus_t
read_setting(const char* function, const myblasCall_t* call, call_setting* setting) noexcept {
    const bool has_mode = call && call->size_bytes == sizeof *call;
    *setting = {has_mode ? call->math_mode : MYBLAS_FP32_STRICT_MATH, false, false};
    if (!is_math_mode(setting->math))
        return refuse(function, {"call->math_mode", setting->math, "which is not a math mode"});
    return MYBLAS_STATUS_SUCCESS;
}

template <class Problem>
size_t needed_workspace(const kernel_entry<Problem>& kernel,
                        const Problem& problem,
                        const device_info& device) {
    return kernel.workspace_bytes ? kernel.workspace_bytes(problem, device) : 0;
}

// Why a kernel does not take a problem; null if it does.
template <class Problem>
const char* refusal_of(const kernel_entry<Problem>& kernel,
                       const Problem& problem,
                       const device_info& device,
                       size_t workspace_bytes) {
    if (accepts(kernel, problem, device, workspace_bytes))
        return nullptr;
    if (!runs_on(kernel, device))
        return "it does not run on this architecture";
    if (!allows(problem, kernel))
        return "the math mode promises more than it does";
    if (const char* const missing = missing_in(kernel, problem))
        return missing;
    if (kernel.accepts && !kernel.accepts(problem, device))
        return kernel.accepts_what ? kernel.accepts_what : "it does not accept such calls";
    return "it needs more workspace";
}

// The work of a kernel for a product, and its predicted time.
void predict_time(const predictor* by,
                  const kernel_entry<sgemm_problem>& kernel,
                  const sgemm_problem& problem,
                  const device_info& device,
                  size_t workspace_bytes,
                  myblasKernelEstimate_t* found) {
    if (by)
        for (const rule_of_products& rule : by->by_rule)
            if (rule.kernel == &kernel)
                found->candidate = rule.applies_to(problem);
    if (!kernel.work)
        return;
    const work_query query(problem, device, workspace_bytes);
    const work_estimate work = kernel.work(query);
    found->launches = work.launches;
    found->rounds = work.rounds;
    found->steps = work.steps;
    found->math_cycles = work.math_cycles;
    found->copies = work.copies;
    found->l2_bytes = work.l2_bytes;
    found->memory_bytes = work.memory_bytes;
    found->exchanges = work.exchanges;
    found->wave_efficiency = work.wave_efficiency;
    found->tile_utilisation = work.tile_utilisation;
    const int variant = by ? by->variant_of(kernel) : -1;
    if (variant < 0)
        return;
    const variant_model& model = by->model->variants[static_cast<size_t>(variant)];
    const problem_view view(*by->model, query);
    const physical_time time(model, view, work);
    found->candidate =
        (competing(*by, view, query) >> variant & 1) && work.rounds <= model.most_rounds;
    const double us_per_cycle = 1.0 / device.clock_mhz;
    found->arithmetic_us = us_per_cycle * time.arithmetic;
    found->cache_us = us_per_cycle * time.cache;
    found->memory_us = us_per_cycle * time.memory;
    found->overhead_us = us_per_cycle * time.overhead;
    found->factor = learned_factor(model.weights_for(problem), view, work) *
                    factor_of_c(model, view) * by->factor(static_cast<size_t>(variant), problem);
    found->predicted_us = us_per_cycle * time.total * found->factor;
}

// Implements myblasGetKernelEstimate and myblasGetKernelEstimateOn.
myblasStatus_t estimate_kernel(const char* function,
                               myblasBackend_t backend,
                               const device_info& device,
                               size_t workspace_bytes,
                               const call_setting& setting,
                               const myblasCall_t* call,
                               int index,
                               myblasKernelEstimate_t* estimate) noexcept {
    if (const fault found = check_structure("estimate", "estimate->size_bytes", estimate))
        return refuse(function, found);
    myblasKernelEstimate_t found = {};
    found.size_bytes = sizeof found;
    const myblasStatus_t status =
        visit_call(function, call, setting, [&]<class Problem>(const Problem& problem) {
            const kernel_list<Problem> kernels = kernels_of<Problem>(backend);
            if (const fault wrong = check_index(index, kernels))
                return refuse(function, wrong);
            const kernel_entry<Problem>& kernel = *kernels[index];
            found.refusal = refusal_of(kernel, problem, device, workspace_bytes);
            found.accepted = !found.refusal;
            found.workspace_bytes = needed_workspace(kernel, problem, device);
            found.best_workspace_bytes = useful_workspace(kernel, problem, device);
            if constexpr (std::is_same_v<Problem, sgemm_problem>)
                predict_time(current_table<Problem>(backend, device).predictor,
                             kernel,
                             problem,
                             device,
                             workspace_bytes,
                             &found);
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
    if (const fault found = check_backend(backend))
        return refuse(function, found);
    if (!is_routine(routine))
        return refuse(function, not_a_routine("routine", routine));
    if (!count)
        return refuse(function, "count is NULL");
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
    if (const fault found = check_backend(backend))
        return refuse(function, found);
    if (!is_routine(routine))
        return refuse(function, not_a_routine("routine", routine));
    return visit_routine(routine, [&]<class Problem>() {
        const kernel_list<Problem> kernels = kernels_of<Problem>(backend);
        if (const fault wrong = check_index(index, kernels))
            return refuse(function, wrong);
        if (const fault found = check_structure("info", "info->size_bytes", info))
            return refuse(function, found);
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
        return refuse(function, not_a_routine("routine", routine));
    forced_kernel wanted;
    if (name)
        wanted = find_kernel(routine, handle->backend->id, name);
    if (wanted.index == forced_kernel::unknown)
        return refuse(function, "the backend has no such kernel");
    handle->forced[routine] = wanted;
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t
myblasSelectKernel(myblasHandle_t handle, const myblasCall_t* call, const char** name) {
    constexpr const char* function = "myblasSelectKernel";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (!name)
        return refuse(function, "name is NULL");
    const char* taken = nullptr;
    const myblasStatus_t status =
        visit_call(function, call, setting_of(*handle), [&]<class Problem>(const Problem& problem) {
            const kernel_entry<Problem>* kernel =
                choose_kernel(*handle, problem, most_workspace(*handle)).kernel;
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
                                    const myblasDevice_t* device,
                                    size_t workspace_bytes,
                                    const myblasCall_t* call,
                                    const char** name) {
    constexpr const char* function = "myblasSelectKernelOn";
    if (const fault found = check_backend(backend))
        return refuse(function, found);
    if (!name)
        return refuse(function, "name is NULL");
    device_info described;
    if (const myblasStatus_t failure = describe_device(function, backend, device, &described))
        return failure;
    call_setting setting;
    if (const myblasStatus_t failure = read_setting(function, call, &setting))
        return failure;
    const char* taken = nullptr;
    const myblasStatus_t status =
        visit_call(function, call, setting, [&]<class Problem>(const Problem& problem) {
            const kernel_entry<Problem>* kernel = select(
                current_table<Problem>(backend, described), problem, described, workspace_bytes);
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
                           most_workspace(*handle),
                           setting_of(*handle),
                           call,
                           index,
                           estimate);
}

myblasStatus_t myblasGetKernelEstimateOn(myblasBackend_t backend,
                                         const myblasDevice_t* device,
                                         size_t workspace_bytes,
                                         const myblasCall_t* call,
                                         int index,
                                         myblasKernelEstimate_t* estimate) {
    constexpr const char* function = "myblasGetKernelEstimateOn";
    if (const fault found = check_backend(backend))
        return refuse(function, found);
    device_info described;
    if (const myblasStatus_t failure = describe_device(function, backend, device, &described))
        return failure;
    call_setting setting;
    if (const myblasStatus_t failure = read_setting(function, call, &setting))
        return failure;
    return estimate_kernel(
        function, backend, described, workspace_bytes, setting, call, index, estimate);
}

myblasStatus_t myblasGetDevice(myblasHandle_t handle, myblasDevice_t* device) {
    constexpr const char* function = "myblasGetDevice";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (const fault found = check_structure("device", "device->size_bytes", device))
        return refuse(function, found);
    if (handle->backend->id != MYBLAS_BACKEND_CUDA)
        return refuse(function, MYBLAS_STATUS_NOT_SUPPORTED, "the host backend has no GPU");
    const device_info& known = handle->device;
    *device = {.size_bytes = sizeof *device,
               .arch = known.arch,
               .sm_count = handle->all_sms,
               .clock_mhz = known.clock_mhz,
               .memory_gbps = known.memory_gbps,
               .l2_bytes = known.l2_bytes,
               .smem_per_block = known.smem_per_block};
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t
myblasGetLastKernel(myblasHandle_t handle, myblasRoutine_t routine, const char** name) {
    constexpr const char* function = "myblasGetLastKernel";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (!is_routine(routine))
        return refuse(function, not_a_routine("routine", routine));
    if (!name)
        return refuse(function, "name is NULL");
    *name = handle->last_kernel[routine];
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t
myblasGetWorkspaceSize(myblasHandle_t handle, const myblasCall_t* call, size_t* size_bytes) {
    constexpr const char* function = "myblasGetWorkspaceSize";
    if (const myblasStatus_t failure = check_handle(function, handle))
        return failure;
    if (!size_bytes)
        return refuse(function, "size_bytes is NULL");
    size_t useful = 0;
    const myblasStatus_t status =
        visit_call(function, call, setting_of(*handle), [&]<class Problem>(const Problem& problem) {
            constexpr size_t unlimited = std::numeric_limits<size_t>::max();
            const selection<Problem> chosen = choose_kernel(*handle, problem, unlimited);
            if (!chosen.kernel)
                return refuse_kernel<Problem>(*handle, function);
            useful = chosen.workspace_bytes;
            return MYBLAS_STATUS_SUCCESS;
        });
    if (status == MYBLAS_STATUS_SUCCESS)
        *size_bytes = useful;
    return status;
}

} // extern "C"
