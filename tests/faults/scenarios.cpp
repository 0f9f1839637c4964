// All functions without operands: handles, settings, streams, memory, questions, the logger.
#include "faults/scenario.h"

#include <cstring>
#include <initializer_list>
#include <utility>

namespace faults {
namespace {

constexpr size_t mib = size_t{1} << 20;
constexpr int n = 4096;

const statuses no_memory = {MYBLAS_STATUS_ALLOC_FAILED, MYBLAS_STATUS_EXECUTION_FAILED};
const statuses failed = {MYBLAS_STATUS_EXECUTION_FAILED};

myblasHandle_t poison() { return reinterpret_cast<myblasHandle_t>(uintptr_t{0xdead}); }

// What the header says about a failed creation.
statuses of_creation(cudaError_t error, const std::string& call) {
    switch (error) {
    case cudaErrorMemoryAllocation: // cudaGetDevice needs none
        if (call != "cudaGetDevice")
            return {MYBLAS_STATUS_ALLOC_FAILED};
        return {MYBLAS_STATUS_ALLOC_FAILED, MYBLAS_STATUS_NOT_INITIALIZED};
    case cudaErrorNoKernelImageForDevice: // of a kernel; of another call it is any error
        return {MYBLAS_STATUS_ARCH_MISMATCH, MYBLAS_STATUS_NOT_INITIALIZED};
    default:
        return {MYBLAS_STATUS_NOT_INITIALIZED};
    }
}

// A product that can use workspace: 32 MiB, or more.
myblasStatus_t multiply(world& w, myblasHandle_t handle, int size = n, int k = n) {
    const float one = 1, zero = 0;
    auto* const a = reinterpret_cast<const float*>(w.memory->device);
    return mysgemm(handle,
                   MYBLAS_OP_N,
                   MYBLAS_OP_N,
                   size,
                   size,
                   k,
                   &one,
                   a,
                   size,
                   a,
                   k,
                   &zero,
                   reinterpret_cast<float*>(w.memory->device + (size_t{4} << 30)),
                   size);
}

// A product that splits k, which needs workspace and counters.
myblasStatus_t multiply_long(world& w, myblasHandle_t handle) {
    return multiply(w, handle, 128, 40000);
}

// Calls that take several launches. The first one already changes the result. Matrices do not
// overlap.
constexpr int order = 3000, lines = 1000;
float* matrix(const world& w, int number) {
    return reinterpret_cast<float*>(w.memory->device + (size_t{1} << 30) * number);
}

myblasStatus_t solve(world& w) {
    const float one = 1;
    return mystrsm(w.handle,
                   MYBLAS_SIDE_LEFT,
                   MYBLAS_FILL_MODE_LOWER,
                   MYBLAS_OP_N,
                   MYBLAS_DIAG_NON_UNIT,
                   order,
                   lines,
                   &one,
                   matrix(w, 1),
                   order,
                   matrix(w, 8),
                   order);
}

myblasStatus_t multiply_triangle_in_place(world& w) {
    const float one = 1;
    return mystrmm(w.handle,
                   MYBLAS_SIDE_LEFT,
                   MYBLAS_FILL_MODE_LOWER,
                   MYBLAS_OP_N,
                   MYBLAS_DIAG_NON_UNIT,
                   order,
                   lines,
                   &one,
                   matrix(w, 1),
                   order,
                   matrix(w, 8),
                   order,
                   matrix(w, 8),
                   order);
}

myblasStatus_t multiply_symmetric(world& w) {
    const float one = 1;
    return myssymm(w.handle,
                   MYBLAS_SIDE_LEFT,
                   MYBLAS_FILL_MODE_LOWER,
                   order,
                   lines,
                   &one,
                   matrix(w, 1),
                   order,
                   matrix(w, 8),
                   order,
                   &one,
                   matrix(w, 16),
                   order);
}

myblasStatus_t update_symmetric(world& w) {
    const float one = 1;
    return myssyr2k(w.handle,
                    MYBLAS_FILL_MODE_LOWER,
                    MYBLAS_OP_N,
                    order,
                    lines,
                    &one,
                    matrix(w, 1),
                    order,
                    matrix(w, 8),
                    order,
                    &one,
                    matrix(w, 16),
                    order);
}

void capture(world& w) {
    standin::begin_capture(w.stream);
    w.is_capturing = true;
}

void end_capture(world& w) {
    w.graph = standin::end_capture(w.stream);
    w.is_capturing = false;
}

void with_handle(world& w) { w.handle = make_handle(); }

void with_stream(world& w) {
    with_handle(w);
    w.stream = standin::make_stream(false);
    REQUIRE_OK(myblasSetStream(w.handle, w.stream));
}

// A block of workspace that grew.
void with_workspace(world& w) {
    with_stream(w);
    REQUIRE_OK(myblasSetMathMode(w.handle, MYBLAS_FP32_EMULATED_MATH));
    REQUIRE_OK(multiply(w, w.handle, 8192, 8192));
}

void with_graph(world& w) {
    with_stream(w);
    capture(w);
    REQUIRE_OK(multiply_long(w, w.handle));
    end_capture(w);
}

myblasStatus_t destroy(world& w) {
    const myblasHandle_t handle = w.handle;
    w.handle = nullptr; // gone in any case
    return myblasDestroy(handle);
}

// A scenario for each function that makes a handle.
void add_creations(std::vector<scenario>& all) {
    struct creation {
        const char* name;
        myblasStatus_t (*create)(myblasHandle_t*);
        bool may_fall_back; // to the host
    };
    static constexpr creation creations[] = {
        {"myblasCreateOn",
         [](myblasHandle_t* h) { return myblasCreateOn(h, MYBLAS_BACKEND_CUDA); },
         false},
        {"myblasCreate", myblasCreate, true},
    };
    // The first handle of a process makes most calls. Each fails in one of these scenarios.
    constexpr int cold_scenarios = 8;
    int cold = 0;
    for (const creation& c : creations)
        for (const int device : {0, 1})
            for (const bool is_cold : {false, true})
                for (const bool has_ids : {true, false}) {
                    scenario made;
                    made.name = std::string(c.name) + (device ? ", device 1" : "") +
                                (is_cold ? ", first" : "") + (has_ids ? "" : ", no cuCtxGetId");
                    made.functions = {c.name};
                    made.machine.has_ids = has_ids;
                    made.is_cold = is_cold;
                    if (is_cold)
                        made.parts = cold_scenarios, made.part = cold++;
                    made.setup = [device](world&) { standin::set_device(device); };
                    made.act = [&c](world& w) {
                        w.handle = poison();
                        const myblasStatus_t status = c.create(&w.handle);
                        if (status == MYBLAS_STATUS_SUCCESS)
                            return status;
                        const bool is_untouched = w.handle == poison();
                        w.handle = nullptr;
                        return is_untouched ? status : MYBLAS_STATUS_LICENSE_ERROR;
                    };
                    made.cleanup = [](world&) { standin::set_device(0); };
                    made.failures_of = [&c](cudaError_t error, const std::string& call) {
                        statuses s = of_creation(error, call);
                        if (c.may_fall_back && s.contains(MYBLAS_STATUS_NOT_INITIALIZED))
                            s.insert(MYBLAS_STATUS_SUCCESS);
                        return s;
                    };
                    made.failures = {MYBLAS_STATUS_ALLOC_FAILED, MYBLAS_STATUS_NOT_INITIALIZED};
                    all.push_back(made);
                }
}

// Adds a scenario, which the caller may complete.
struct adder {
    std::vector<scenario>& all;

    scenario& operator()(const char* name,
                         std::set<std::string> functions,
                         std::function<void(world&)> setup,
                         std::function<myblasStatus_t(world&)> act,
                         statuses failures,
                         std::function<void(world&)> cleanup = nullptr) const {
        scenario made;
        made.name = name;
        made.functions = std::move(functions);
        made.setup = std::move(setup);
        made.act = std::move(act);
        made.failures = std::move(failures);
        made.cleanup = std::move(cleanup);
        all.push_back(std::move(made));
        return all.back();
    }
};

myblasStatus_t first_failure(std::initializer_list<myblasStatus_t> answers) {
    for (const myblasStatus_t status : answers)
        if (status != MYBLAS_STATUS_SUCCESS)
            return status;
    return MYBLAS_STATUS_SUCCESS;
}

// ---- The end of handles -------------------------------------------------------------------------

void add_ends_of_handles(const adder& add) {
    add("destroy", {"myblasDestroy"}, with_handle, destroy, failed).gives_up = true;
    add("destroy, with a workspace", {"myblasDestroy"}, with_workspace, destroy, failed).gives_up =
        true;
    add("destroy, without pools", {"myblasDestroy"}, with_workspace, destroy, failed).gives_up =
        true;
    add.all.back().machine.has_pools = false;
    add(
        "destroy, from another device",
        {"myblasDestroy"},
        [](world& w) {
            standin::set_device(1);
            with_workspace(w);
            standin::set_device(0);
        },
        destroy,
        failed)
        .gives_up = true;
    add(
        "destroy, with two streams",
        {"myblasDestroy"},
        [](world& w) {
            with_workspace(w);
            w.other_stream = standin::make_stream(false);
            REQUIRE_OK(myblasSetStream(w.handle, w.other_stream));
            REQUIRE_OK(multiply_long(w, w.handle));
        },
        destroy,
        failed)
        .gives_up = true;
    add("destroy, with a graph", {"myblasDestroy"}, with_graph, destroy, failed).gives_up = true;
    add(
        "destroy, after a graph",
        {"myblasDestroy"},
        [](world& w) {
            with_graph(w);
            standin::destroy_graph(std::exchange(w.graph, nullptr));
        },
        destroy,
        failed)
        .gives_up = true;
    add(
        "destroy, with enough idle resources",
        {"myblasDestroy"},
        [](world& w) {
            myblasHandle_t others[5];
            for (myblasHandle_t& h : others) {
                h = make_handle();
                REQUIRE_OK(multiply_long(w, h));
            }
            with_handle(w);
            REQUIRE_OK(multiply_long(w, w.handle));
            for (myblasHandle_t h : others)
                REQUIRE_OK(myblasDestroy(h));
        },
        destroy,
        failed)
        .gives_up = true;
    add(
        "destroy, while another stream is captured",
        {"myblasDestroy"},
        [](world& w) {
            with_workspace(w);
            w.second = make_handle();
            REQUIRE_OK(multiply_long(w, w.second));
            capture(w);
        },
        [](world& w) {
            const myblasHandle_t second = std::exchange(w.second, nullptr);
            return myblasDestroy(second);
        },
        failed)
        .gives_up = true;
}

// ---- Streams ------------------------------------------------------------------------------------

void add_streams(const adder& add) {
    const auto to_other_stream = [](world& w) { return myblasSetStream(w.handle, w.other_stream); };
    add(
        "a second stream",
        {"myblasSetStream", "myblasGetStream"},
        [](world& w) {
            with_workspace(w);
            w.other_stream = standin::make_stream(false);
        },
        to_other_stream,
        no_memory);
    add(
        "a stream of another device",
        {"myblasSetStream"},
        [](world& w) {
            standin::set_device(1);
            with_workspace(w);
            w.other_stream = standin::make_stream(false);
            standin::set_device(0);
        },
        to_other_stream,
        no_memory);
    add(
        "back to a stream with too large a workspace",
        {"myblasSetStream", "myblasSetWorkspaceLimit"},
        [](world& w) {
            with_workspace(w);
            REQUIRE_OK(myblasSetStream(w.handle, nullptr));
            REQUIRE_OK(myblasSetWorkspaceLimit(w.handle, 0));
        },
        [](world& w) { return myblasSetStream(w.handle, w.stream); },
        no_memory)
        .sets_device = false;
    add(
        "a stream of each thread",
        {"myblasSetStream"},
        with_workspace,
        [](world& w) { return myblasSetStream(w.handle, cudaStreamPerThread); },
        no_memory);
    add(
        "a stream is made",
        {"myblasStreamCreate"},
        with_handle,
        [](world& w) {
            myblasStream_t stream = nullptr;
            const myblasStatus_t status = myblasStreamCreate(w.handle, &stream);
            if (status == MYBLAS_STATUS_SUCCESS)
                w.made = stream;
            return status;
        },
        no_memory,
        [](world& w) {
            if (w.made)
                standin::destroy_stream(static_cast<cudaStream_t>(w.made));
        });
    add(
        "the handle's stream is destroyed",
        {"myblasStreamDestroy"},
        [](world& w) {
            with_workspace(w);
            REQUIRE_OK(multiply_long(w, w.handle));
        },
        [](world& w) {
            if (!w.stream) // the repetition
                return multiply_long(w, w.handle);
            const myblasStatus_t status = myblasStreamDestroy(w.handle, w.stream);
            myblasStream_t now = nullptr;
            REQUIRE_OK(myblasGetStream(w.handle, &now));
            if (status == MYBLAS_STATUS_SUCCESS || now != w.stream)
                w.stream = nullptr;
            // A destroyed stream must not stay the handle's.
            return status == MYBLAS_STATUS_SUCCESS && now ? MYBLAS_STATUS_LICENSE_ERROR : status;
        },
        failed);
    add(
        "another stream is destroyed, from another device",
        {"myblasStreamDestroy"},
        [](world& w) {
            standin::set_device(1);
            with_workspace(w);
            REQUIRE_OK(myblasSetStream(w.handle, nullptr));
            standin::set_device(0);
        },
        [](world& w) {
            if (!w.stream)
                return MYBLAS_STATUS_SUCCESS;
            const myblasStatus_t status = myblasStreamDestroy(w.handle, w.stream);
            if (status == MYBLAS_STATUS_SUCCESS)
                w.stream = nullptr;
            return status;
        },
        failed);
    add(
        "a stream is waited for",
        {"myblasStreamSynchronize"},
        with_stream,
        [](world& w) { return myblasStreamSynchronize(w.handle, w.stream); },
        failed);
}

// ---- Memory -------------------------------------------------------------------------------------

void add_memory(const adder& add) {
    add(
        "memory is allocated",
        {"myblasMalloc"},
        with_stream,
        [](world& w) {
            w.made = w.handle;
            const myblasStatus_t status = myblasMalloc(w.handle, &w.made, mib);
            if (status == MYBLAS_STATUS_ALLOC_FAILED && w.made)
                return MYBLAS_STATUS_LICENSE_ERROR; // *ptr is NULL, says the header
            if (status != MYBLAS_STATUS_SUCCESS)
                w.made = nullptr;
            return status;
        },
        no_memory,
        [](world& w) { standin::free_memory(w.made); });
    add(
        "memory is allocated, while a stream is captured",
        {"myblasMalloc"},
        [](world& w) {
            with_stream(w);
            capture(w);
        },
        [](world& w) { return myblasMalloc(w.handle, &w.made, mib); },
        no_memory,
        [](world& w) { standin::free_memory(w.made); });
    add(
        "memory is freed",
        {"myblasFree"},
        [](world& w) {
            standin::set_device(1);
            with_handle(w);
            REQUIRE_OK(myblasMalloc(w.handle, &w.made, mib));
            standin::set_device(0);
        },
        [](world& w) {
            const myblasStatus_t status = myblasFree(w.handle, w.made);
            if (status == MYBLAS_STATUS_SUCCESS)
                w.made = nullptr;
            return status;
        },
        failed);
}

// ---- Workspace ----------------------------------------------------------------------------------

void add_workspaces(const adder& add) {
    const auto to_limit = [](world& w) { return myblasSetWorkspaceLimit(w.handle, w.bytes); };
    const std::set<std::string> limit = {"myblasSetWorkspaceLimit", "myblasGetWorkspaceLimit"};
    add("the limit falls", limit, with_workspace, to_limit, failed);
    add("the limit falls, without pools", limit, with_workspace, to_limit, failed);
    add.all.back().machine.has_pools = false;
    add(
        "the limit falls after a graph",
        limit,
        [](world& w) {
            with_graph(w);
            standin::destroy_graph(std::exchange(w.graph, nullptr));
        },
        to_limit,
        failed);
    add(
        "the limit falls in a capture",
        limit,
        [](world& w) {
            with_workspace(w);
            capture(w);
        },
        to_limit,
        failed);
    add(
        "the limit rises",
        limit,
        [](world& w) {
            with_workspace(w);
            w.bytes = 512 * mib;
        },
        to_limit,
        failed);
    add(
        "a workspace grows",
        {"mysgemm"},
        with_workspace,
        [](world& w) { return multiply(w, w.handle, 12288, 12288); },
        no_memory);
    add(
        "a workspace grows, without pools",
        {"mysgemm"},
        with_workspace,
        [](world& w) { return multiply(w, w.handle, 12288, 12288); },
        no_memory);
    add.all.back().machine.has_pools = false;
    add(
        "the first product",
        {"mysgemm"},
        [](world& w) {
            with_handle(w);
            REQUIRE_OK(myblasSetMathMode(w.handle, MYBLAS_FP32_FAST_MATH));
        },
        [](world& w) { return multiply(w, w.handle); },
        no_memory)
        .is_cold = true;
    add(
        "the first product by TMA",
        {"mysgemm"},
        [](world& w) {
            with_handle(w);
            REQUIRE_OK(myblasForceKernel(w.handle, MYBLAS_ROUTINE_SGEMM, "stream_k"));
        },
        [](world& w) { return multiply(w, w.handle); },
        no_memory)
        .is_cold = true;
    const struct {
        const char *name, *function;
        myblasStatus_t (*act)(world&);
    } plans[] = {{"the first solution", "mystrsm", solve},
                 {"the first product in place", "mystrmm", multiply_triangle_in_place},
                 {"the first symmetric product", "myssymm", multiply_symmetric},
                 {"the first symmetric update", "myssyr2k", update_symmetric}};
    for (const auto& plan : plans)
        add(plan.name, {plan.function}, with_handle, plan.act, no_memory).is_cold = true;
    add(
        "the first capture",
        {"mysgemm"},
        [](world& w) {
            with_stream(w);
            capture(w);
        },
        [](world& w) { return multiply_long(w, w.handle); },
        no_memory)
        .is_cold = true;
    add(
        "the second capture",
        {"mysgemm"},
        [](world& w) {
            with_graph(w);
            standin::destroy_graph(std::exchange(w.graph, nullptr));
            capture(w);
        },
        [](world& w) { return multiply_long(w, w.handle); },
        no_memory);
    add(
        "a captured product with much workspace",
        {"mysgemm"},
        [](world& w) {
            with_stream(w);
            REQUIRE_OK(myblasSetMathMode(w.handle, MYBLAS_FP32_EMULATED_MATH));
            capture(w);
        },
        [](world& w) { return multiply(w, w.handle, 8192, 8192); },
        no_memory);
    add("a workspace is lent",
        {"myblasSetWorkspace"},
        with_stream,
        [](world& w) { return myblasSetWorkspace(w.handle, w.memory->device, mib); },
        {});
}

// ---- Settings and questions ---------------------------------------------------------------------

// No call may fail.
void add_settings(const adder& add) {
    add("settings",
        {"myblasSetPointerMode",
         "myblasGetPointerMode",
         "myblasSetMathMode",
         "myblasGetMathMode",
         "myblasSetSmCountTarget",
         "myblasGetSmCountTarget",
         "myblasGetWorkspaceLimit",
         "myblasGetStream",
         "myblasGetBackend",
         "myblasGetVersion",
         "myblasGetProperty",
         "myblasGetStatusName",
         "myblasGetStatusString"},
        with_handle,
        [](world& w) {
            myblasPointerMode_t mode;
            myblasMath_t math;
            myblasStream_t stream;
            myblasBackend_t backend;
            size_t bytes = 0;
            int number = 0;
            return first_failure({
                myblasSetPointerMode(w.handle, MYBLAS_POINTER_MODE_DEVICE),
                myblasGetPointerMode(w.handle, &mode),
                myblasSetMathMode(w.handle, MYBLAS_FP32_FAST_MATH),
                myblasGetMathMode(w.handle, &math),
                myblasSetSmCountTarget(w.handle, 100),
                myblasGetSmCountTarget(w.handle, &number),
                myblasGetWorkspaceLimit(w.handle, &bytes),
                myblasGetStream(w.handle, &stream),
                myblasGetBackend(w.handle, &backend),
                myblasGetVersion(w.handle, &number),
                myblasGetProperty(MYBLAS_PROPERTY_MAJOR_VERSION, &number),
                myblasGetStatusName(MYBLAS_STATUS_SUCCESS) &&
                        myblasGetStatusString(MYBLAS_STATUS_SUCCESS)
                    ? MYBLAS_STATUS_SUCCESS
                    : MYBLAS_STATUS_INTERNAL_ERROR,
            });
        },
        {});
    add("kernels",
        {"myblasGetKernelCount",
         "myblasGetKernelInfo",
         "myblasForceKernel",
         "myblasSelectKernel",
         "myblasSelectKernelOn",
         "myblasGetKernelEstimate",
         "myblasGetKernelEstimateOn",
         "myblasGetLastKernel",
         "myblasGetDevice",
         "myblasGetWorkspaceSize"},
        with_stream,
        [](world& w) {
            myblasCall_t call{};
            call.size_bytes = sizeof call;
            call.routine = MYBLAS_ROUTINE_SYRK;
            call.n = call.k = call.lda = call.ldc = 2000;
            myblasDevice_t device{};
            device.size_bytes = sizeof device;
            myblasKernelInfo_t info{};
            info.size_bytes = sizeof info;
            myblasKernelEstimate_t estimate{};
            estimate.size_bytes = sizeof estimate;
            const char* name = nullptr;
            int count = 0;
            size_t bytes = 0;
            return first_failure({
                myblasGetKernelCount(MYBLAS_BACKEND_CUDA, call.routine, &count),
                myblasGetKernelInfo(MYBLAS_BACKEND_CUDA, call.routine, 0, &info),
                myblasGetDevice(w.handle, &device),
                myblasSelectKernel(w.handle, &call, &name),
                myblasSelectKernelOn(MYBLAS_BACKEND_CUDA, &device, mib, &call, &name),
                myblasGetKernelEstimate(w.handle, &call, 0, &estimate),
                myblasGetKernelEstimateOn(MYBLAS_BACKEND_CUDA, &device, mib, &call, 0, &estimate),
                myblasGetLastKernel(w.handle, call.routine, &name),
                myblasGetWorkspaceSize(w.handle, &call, &bytes),
                myblasForceKernel(w.handle, MYBLAS_ROUTINE_SGEMM, "naive"),
                myblasForceKernel(w.handle, MYBLAS_ROUTINE_SGEMM, nullptr),
            });
        },
        {});
    add(
        "the logger",
        {"myblasLoggerConfigure", "myblasSetLoggerCallback"},
        nullptr,
        [](world&) { return myblasLoggerConfigure(1, 0, 0, "/dev/null"); },
        {MYBLAS_STATUS_INVALID_VALUE},
        [](world&) { REQUIRE_OK(myblasLoggerConfigure(0, 0, 0, nullptr)); });
}

// ---- The host backend ---------------------------------------------------------------------------

// Only memory can be refused.
void add_host(const adder& add) {
    const size_t first = add.all.size();
    static float a[300 * 300], b[300 * 300], c[300 * 300];
    const statuses refused = {MYBLAS_STATUS_ALLOC_FAILED};
    const auto on_host = [](world& w) { w.handle = make_handle(MYBLAS_BACKEND_HOST); };
    add(
        "the host backend",
        {"myblasCreateOn"},
        nullptr,
        [](world& w) {
            w.handle = poison();
            const myblasStatus_t status = myblasCreateOn(&w.handle, MYBLAS_BACKEND_HOST);
            if (status == MYBLAS_STATUS_SUCCESS)
                return status;
            const bool is_untouched = w.handle == poison();
            w.handle = nullptr;
            return is_untouched ? status : MYBLAS_STATUS_LICENSE_ERROR;
        },
        refused);
    add(
        "a product of the host",
        {"mysgemm"},
        on_host,
        [](world& w) {
            const float one = 1, zero = 0;
            return mysgemm(w.handle,
                           MYBLAS_OP_N,
                           MYBLAS_OP_T,
                           300,
                           300,
                           300,
                           &one,
                           a,
                           300,
                           b,
                           300,
                           &zero,
                           c,
                           300);
        },
        refused);
    add(
        "triangles of the host",
        {"mystrsm"},
        on_host,
        [](world& w) {
            const float one = 1;
            return mystrsm(w.handle,
                           MYBLAS_SIDE_LEFT,
                           MYBLAS_FILL_MODE_LOWER,
                           MYBLAS_OP_N,
                           MYBLAS_DIAG_UNIT,
                           300,
                           300,
                           &one,
                           a,
                           300,
                           b,
                           300);
        },
        refused);
    add(
        "sums of the host",
        {"mysgemsum"},
        on_host,
        [](world& w) { return mysgemsum(w.handle, MYBLAS_OP_T, 300, 300, a, 300, c); },
        refused);
    add(
        "a transpose of the host in place",
        {"mytranspose"},
        on_host,
        [](world& w) { return mytranspose(w.handle, 300, 200, a, 300, a, 200); },
        refused);
    add(
        "memory and streams of the host",
        {"myblasMalloc", "myblasFree", "myblasStreamCreate", "myblasStreamDestroy"},
        on_host,
        [](world& w) {
            void* memory = nullptr;
            myblasStream_t stream = nullptr;
            if (const myblasStatus_t status = myblasMalloc(w.handle, &memory, mib))
                return status;
            myblasStatus_t status = myblasStreamCreate(w.handle, &stream);
            if (status == MYBLAS_STATUS_SUCCESS)
                status = myblasStreamDestroy(w.handle, stream);
            REQUIRE_OK(myblasFree(w.handle, memory));
            return status;
        },
        refused);
    for (size_t i = first; i < add.all.size(); ++i) {
        add.all[i].is_host = true;
        add.all[i].is_cold = true; // what a process does once, such as making threads, may fail
    }
}

} // namespace

void add_others(std::vector<scenario>& all) {
    add_creations(all);
    const adder add{all};
    add_ends_of_handles(add);
    add_streams(add);
    add_memory(add);
    add_workspaces(add);
    add_settings(add);
    add_host(add);
}

} // namespace faults
