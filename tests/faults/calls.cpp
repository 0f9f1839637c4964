// Calls of the functions that take operands, and of each kernel.
#include "faults/scenario.h"
#include "fuzz/functions_c.h"

#include <cstring>
#include <memory>

namespace faults {
namespace {

// ---- Arguments ----------------------------------------------------------------------------------

struct shape {
    const char* name;
    int m, n, k;
    int ld;             // of all matrices
    int transposed = 0; // as the operations
    bool in_place = false;
};

constexpr shape shapes[] = {
    {"small", 5, 7, 3, 9},
    {"middle", 300, 200, 150, 300},
    {"large", 2048, 1536, 1024, 2048},
    {"long", 96, 128, 60000, 60000, 1},
    {"odd", 1001, 777, 555, 1003, 1},
    {"thin", 4000, 3, 5000, 5000, 1},
    {"one column", 900, 1, 60, 900},
    {"huge", 12288, 8192, 4096, 12288},
    {"square", 700, 700, 700, 704},
    {"in place", 640, 640, 640, 640, 0, true},
    {"in place, oblong", 640, 333, 64, 640, 0, true},
};

// The host's memory begins with scalars.
struct host_memory {
    float scalars[16];
    double result;
    myblasEpilogue_t epilogue;
    myblasOperation_t operations[3];
    int64_t sizes[9]; // as int or as int64_t
    float alphas[3];
};
static_assert(sizeof(host_memory) < operands::host_bytes);

host_memory& host_of(const operands& memory) {
    return *reinterpret_cast<host_memory*>(const_cast<unsigned char*>(memory.host.data()));
}

bool is_copy(function f) { return std::strncmp(function_info_of(f)->name, "myblas", 6) == 0; }
bool is_transpose(function f) { return f == transpose || f == transpose_ex; }

bool has(function f, const char* name) {
    for (const parameter* p = function_info_of(f)->parameters; p->name; ++p)
        if (std::strcmp(p->name, name) == 0)
            return true;
    return false;
}

bool is_level1(function f) { return has(f, "incx") && !has(f, "lda") && !is_copy(f); }

bool is_generated(function f) { return f == srotg || f == srotmg; }

// An element of the arrays of sizes, which are of int or of int64_t.
void set_size(host_memory& host, int at, int value, bool is_wide) {
    if (is_wide)
        host.sizes[at] = value;
    else
        reinterpret_cast<int*>(host.sizes)[at] = value;
}

arguments
arguments_of(function f, const shape& s, const operands& memory, bool on_device, bool wide) {
    constexpr size_t gib = size_t{1} << 30;
    host_memory& host = host_of(memory);
    const auto device = [&](int number) {
        return memory.device + gib * static_cast<size_t>(number);
    };
    arguments g{};
    g.rows = s.m, g.cols = s.n, g.element_bytes = 4;
    g.m = s.m, g.n = s.n, g.k = s.k;
    if (is_level1(f) || f == histogram256)
        g.n = int64_t{s.m} * s.n;
    g.lda = g.ldb = g.ldc = g.ldd = s.ld;
    g.incx = 1, g.incy = s.m % 2 ? 2 : 1;
    if (is_copy(f) && has(f, "incx"))
        g.n = s.m, g.incx = 1, g.incy = 3;
    if (is_transpose(f) && s.in_place)
        g.lda = s.m, g.ldb = s.n;
    g.transa = s.transposed, g.transb = s.transposed, g.trans = s.transposed, g.op = s.transposed;
    g.uplo = s.transposed, g.side = s.m % 2, g.diag = 0;
    g.strideA = g.strideB = g.strideC = g.strideD = 1 << 24;
    g.stridex = g.stridey = 1 << 18;
    g.batch_count = 3;
    g.stream = nullptr;
    g.A = device(1), g.B = device(8), g.C = device(16), g.D = device(24);
    g.x = device(32), g.y = device(40);
    if (s.in_place && (is_transpose(f) || f == transpose_strided_batched))
        g.B = g.A;
    if (s.in_place && f == strmm)
        g.C = g.B;
    if (is_copy(f)) // the host's side is never read: the stand-in copies nothing
        (std::strstr(function_info_of(f)->name, "Set") ? (g.A = g.x = memory.device + 0)
                                                       : (g.B = g.y = memory.device + 0)) =
            host.scalars;
    if (f == sgemm_host)
        g.A = g.B = g.C = host.scalars;
    for (float& x : host.scalars)
        x = 1;
    float* const scalars = on_device ? reinterpret_cast<float*>(memory.device) : host.scalars;
    g.alpha = scalars, g.beta = scalars + 1;
    if (f == sgemm_host)
        g.alpha = host.scalars, g.beta = host.scalars + 1;
    g.sb = scalars, g.c = scalars, g.s = scalars + 1, g.param = scalars + 2;
    g.a = scalars, g.b = scalars + 1;
    g.d1 = scalars, g.d2 = scalars + 1, g.x1 = scalars + 8, g.y1 = scalars + 9;
    if (f == srotg)
        g.c = scalars + 2, g.s = scalars + 3;
    g.result = on_device || f == sgemsum ? static_cast<void*>(device(48)) : &host.result;
    g.counts = device(48);
    g.Aarray = device(49), g.Barray = device(50), g.Carray = device(51);
    g.xarray = device(52), g.yarray = device(53);
    host.epilogue = {};
    host.epilogue.size_bytes = sizeof host.epilogue;
    host.epilogue.activation = MYBLAS_ACTIVATION_GELU;
    host.epilogue.bias = reinterpret_cast<const float*>(device(54));
    host.epilogue.aux = reinterpret_cast<float*>(device(56));
    host.epilogue.ldaux = s.ld;
    host.epilogue.stride_aux = 1 << 24;
    g.epilogue = &host.epilogue;
    for (myblasOperation_t& op : host.operations)
        op = static_cast<myblasOperation_t>(s.transposed);
    for (int i = 0; i < 3; ++i) {
        set_size(host, i, s.m, wide); // m, n and k
        set_size(host, 3 + i, s.ld, wide);
        set_size(host, 6 + i, 1 + i, wide); // of groups
        host.alphas[i] = 1;
    }
    const auto sizes = [&](int at) -> void* {
        return wide ? static_cast<void*>(host.sizes + at) : reinterpret_cast<int*>(host.sizes) + at;
    };
    g.transa_array = g.transb_array = host.operations;
    g.m_array = g.n_array = g.k_array = sizes(0);
    g.lda_array = g.ldb_array = g.ldc_array = sizes(3);
    g.group_size = sizes(6);
    g.group_count = 3;
    g.alpha_array = g.beta_array = on_device ? static_cast<void*>(scalars) : host.alphas;
    return g;
}

// ---- Scenarios ----------------------------------------------------------------------------------

// The state in which a call is made.
struct setting {
    const char* name;
    bool on_device = false; // scalars and results
    bool has_stream = false, is_captured = false, is_on_other_device = false;
    enum { own, lent, none, limited } workspace = own;
    bool has_pools = true;
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH;
    bool is_wide = false;
};

constexpr setting settings[] = {
    {.name = "plain"},
    {.name = "stream, wide", .on_device = true, .has_stream = true, .is_wide = true},
    {.name = "captured", .on_device = true, .has_stream = true, .is_captured = true},
    {.name = "other device", .has_stream = true, .is_on_other_device = true},
    {.name = "other device, captured, emulated",
     .on_device = true,
     .has_stream = true,
     .is_captured = true,
     .is_on_other_device = true,
     .math = MYBLAS_FP32_EMULATED_MATH},
    {.name = "fast", .has_stream = true, .math = MYBLAS_FP32_FAST_MATH},
    {.name = "emulated, no pools", .has_pools = false, .math = MYBLAS_FP32_EMULATED_MATH},
    {.name = "lent workspace", .workspace = setting::lent},
    {.name = "no workspace", .workspace = setting::none},
    {.name = "limit 0", .has_stream = true, .workspace = setting::limited},
};

void prepare(world& w, const setting& with) {
    if (with.is_on_other_device)
        standin::set_device(1);
    w.handle = make_handle();
    if (with.has_stream) {
        w.stream = standin::make_stream(false);
        REQUIRE_OK(myblasSetStream(w.handle, w.stream));
    }
    if (with.workspace == setting::lent)
        REQUIRE_OK(myblasSetWorkspace(w.handle, w.memory->device + (size_t{60} << 30), 32 << 20));
    if (with.workspace == setting::none)
        REQUIRE_OK(myblasSetWorkspace(w.handle, nullptr, 0));
    if (with.workspace == setting::limited)
        REQUIRE_OK(myblasSetWorkspaceLimit(w.handle, 0));
    REQUIRE_OK(myblasSetMathMode(w.handle, with.math));
    if (with.on_device)
        REQUIRE_OK(myblasSetPointerMode(w.handle, MYBLAS_POINTER_MODE_DEVICE));
    if (with.is_captured) {
        standin::begin_capture(w.stream);
        w.is_capturing = true;
    }
    standin::set_device(0);
}

statuses failures_of(function f) {
    if (f == sgemm_host)
        return {MYBLAS_STATUS_ALLOC_FAILED,
                MYBLAS_STATUS_MAPPING_ERROR,
                MYBLAS_STATUS_EXECUTION_FAILED};
    if (is_copy(f))
        return {MYBLAS_STATUS_MAPPING_ERROR, MYBLAS_STATUS_EXECUTION_FAILED};
    return {MYBLAS_STATUS_ALLOC_FAILED, MYBLAS_STATUS_EXECUTION_FAILED};
}

std::string name_of(function f, bool is_wide) {
    return std::string(function_info_of(f)->name) + (is_wide && !is_generated(f) ? "_64" : "");
}

scenario call_of(function f, const shape& s, const setting& with) {
    scenario made;
    made.name = name_of(f, with.is_wide) + ", " + s.name + ", " + with.name;
    made.functions = {name_of(f, with.is_wide)};
    made.machine.has_pools = with.has_pools;
    made.setup = [&with](world& w) { prepare(w, with); };
    made.act = [&with, &s, f](world& w) {
        arguments g = arguments_of(f, s, *w.memory, with.on_device, with.is_wide);
        g.stream = w.stream;
        return call_function(f, with.is_wide, w.handle, &g);
    };
    made.failures = failures_of(f);
    made.writes_host = is_generated(f) && !with.on_device;
    return made;
}

// Whether the function makes a call of this kind.
bool fits(function f, const shape& s, const setting& with) {
    const bool waits = (is_copy(f) && !has(f, "stream")) || f == sgemm_host;
    if (with.is_captured && waits)
        return false;
    if (s.in_place && !is_transpose(f) && f != transpose_strided_batched && f != strmm)
        return false;
    if (s.in_place && s.m != s.n && !is_transpose(f))
        return false;
    return !is_generated(f) || &s == shapes;
}

// The functions that compute a routine.
std::vector<function> functions_of(myblasRoutine_t routine) {
    switch (routine) {
    case MYBLAS_ROUTINE_SGEMM:
        return {sgemm, sgemm_strided_batched, sgemm_batched, sgemm_fused, sgemv};
    case MYBLAS_ROUTINE_TRANSPOSE:
        return {transpose, transpose_ex, transpose_strided_batched};
    case MYBLAS_ROUTINE_GEAM:
        return {sgeam};
    case MYBLAS_ROUTINE_SUM:
        return {sum, sasum};
    case MYBLAS_ROUTINE_DSUM:
        return {dsum};
    case MYBLAS_ROUTINE_AXPY:
        return {saxpy};
    case MYBLAS_ROUTINE_COPY:
        return {scopy};
    case MYBLAS_ROUTINE_GEMSUM:
        return {sgemsum};
    case MYBLAS_ROUTINE_HISTOGRAM:
        return {histogram256};
    case MYBLAS_ROUTINE_DOT:
        return {sdot, sdsdot};
    case MYBLAS_ROUTINE_NRM2:
        return {snrm2};
    case MYBLAS_ROUTINE_IAMAX:
        return {isamax, isamin};
    case MYBLAS_ROUTINE_SCAL:
        return {sscal};
    case MYBLAS_ROUTINE_SWAP:
        return {sswap};
    case MYBLAS_ROUTINE_ROT:
        return {srot};
    case MYBLAS_ROUTINE_ROTM:
        return {srotm};
    case MYBLAS_ROUTINE_ROTG:
        return {srotg};
    case MYBLAS_ROUTINE_ROTMG:
        return {srotmg};
    case MYBLAS_ROUTINE_SYMV:
        return {ssymv};
    case MYBLAS_ROUTINE_SYR:
        return {ssyr, ssyr2};
    case MYBLAS_ROUTINE_TRMV:
        return {strmv};
    case MYBLAS_ROUTINE_TRSV:
        return {strsv};
    case MYBLAS_ROUTINE_SYRK:
        return {ssyrk, ssyrkx, sgemmtr};
    case MYBLAS_ROUTINE_SYR2K:
        return {ssyr2k};
    case MYBLAS_ROUTINE_SYMM:
        return {ssymm};
    case MYBLAS_ROUTINE_TRMM:
        return {strmm};
    case MYBLAS_ROUTINE_TRSM:
        return {strsm, strsm_batched, strsm_strided_batched};
    }
    return {};
}

} // namespace

void operands::reset_host() { host.fill(0xff); }

bool operands::is_host_unchanged() const {
    // The memory holds arguments, as arguments_of() wrote them, and room for a result.
    const host_memory& now = host_of(*this);
    unsigned char unwritten[sizeof now.result];
    std::memset(unwritten, 0xff, sizeof unwritten);
    for (const float& x : now.scalars)
        if (x != 1 && std::memcmp(&x, unwritten, sizeof x) != 0)
            return false;
    return std::memcmp(&now.result, unwritten, sizeof unwritten) == 0;
}

void add_calls(std::vector<scenario>& all, bool is_long) {
    unsigned number = 0;
    for (int i = 0; i < function_count; ++i)
        for (const shape& s : shapes)
            for (const setting& with : settings) {
                const auto f = static_cast<function>(i);
                if (!fits(f, s, with))
                    continue;
                // The short run has each function in each setting, with some of the shapes.
                ++number;
                if (is_long || (&s - shapes + (&with - settings) + i) % 5 == 0)
                    all.push_back(call_of(f, s, with));
            }
}

// Each kernel is forced, with the first function and shape that it accepts.
void add_kernels(std::vector<scenario>& all, bool is_long) {
    for (int r = 0; r < MYBLAS_ROUTINE_COUNT; ++r) {
        const auto routine = static_cast<myblasRoutine_t>(r);
        int count = 0;
        REQUIRE_OK(myblasGetKernelCount(MYBLAS_BACKEND_CUDA, routine, &count));
        for (int i = 0; i < count; ++i) {
            myblasKernelInfo_t info{};
            info.size_bytes = sizeof info;
            REQUIRE_OK(myblasGetKernelInfo(MYBLAS_BACKEND_CUDA, routine, i, &info));
            for (int state = 0; state < (is_long ? 3 : 1); ++state) {
                // The host generates rotations, unless their scalars are on the device.
                const bool is_rotation =
                    routine == MYBLAS_ROUTINE_ROTG || routine == MYBLAS_ROUTINE_ROTMG;
                const setting& with = settings[is_long ? state : is_rotation ? 1 : i % 3];
                scenario made;
                made.name =
                    std::string(info.name) + " of routine " + std::to_string(r) + ", " + with.name;
                made.functions = {"myblasForceKernel"};
                for (const function f : functions_of(routine))
                    made.functions.insert(name_of(f, with.is_wide));
                // The function and shape by which the kernel was reached in setup.
                auto found = std::make_shared<std::pair<function, const shape*>>();
                made.setup = [&with, info, routine, found](world& w) {
                    prepare(w, with);
                    myblasMath_t math = info.math_mode;
                    REQUIRE_OK(myblasSetMathMode(w.handle, math));
                    REQUIRE_OK(myblasForceKernel(w.handle, routine, info.name));
                    if (found->second)
                        return;
                    for (const function f : functions_of(routine))
                        for (const shape& s : shapes) {
                            if (!fits(f, s, with))
                                continue;
                            arguments g =
                                arguments_of(f, s, *w.memory, with.on_device, with.is_wide);
                            g.stream = w.stream;
                            const char* name = nullptr;
                            if (call_function(f, with.is_wide, w.handle, &g) ==
                                    MYBLAS_STATUS_SUCCESS &&
                                myblasGetLastKernel(w.handle, routine, &name) ==
                                    MYBLAS_STATUS_SUCCESS &&
                                name && std::strcmp(name, info.name) == 0) {
                                *found = {f, &s};
                                return;
                            }
                        }
                };
                made.act = [&with, found](world& w) {
                    if (!found->second) // not for this device or setting
                        return MYBLAS_STATUS_NOT_SUPPORTED;
                    arguments g = arguments_of(
                        found->first, *found->second, *w.memory, with.on_device, with.is_wide);
                    g.stream = w.stream;
                    return call_function(found->first, with.is_wide, w.handle, &g);
                };
                made.failures = {MYBLAS_STATUS_ALLOC_FAILED, MYBLAS_STATUS_EXECUTION_FAILED};
                made.may_be_unreachable = true;
                made.writes_host = is_rotation && !with.on_device;
                all.push_back(std::move(made));
            }
        }
    }
}

} // namespace faults
