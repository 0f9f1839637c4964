#include "fuzz/session.h"

#include "myblas/myblas_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <optional>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace fuzz {
namespace {

// The fuzzer's own calls must not fail.
void need(myblasStatus_t status, const char* what) {
    if (status == MYBLAS_STATUS_SUCCESS)
        return;
    std::fprintf(stderr, "fuzz: %s: %s\n", what, myblasGetStatusName(status));
    std::abort();
}

// ---- The driver's graphs ------------------------------------------------------------------------

// A function of the CUDA driver, which the library has loaded by then. No toolkit is needed to
// build this.
struct graph_functions {
    int (*begin)(myblasStream_t, int) = nullptr;
    int (*end)(myblasStream_t, void**) = nullptr;
    int (*instantiate)(void**, void*, unsigned long long) = nullptr;
    int (*launch)(void*, myblasStream_t) = nullptr;
    int (*destroy_graph)(void*) = nullptr;
    int (*destroy_instance)(void*) = nullptr;

    graph_functions() {
        void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        if (!driver)
            return;
        const auto find = [&](auto& function, const char* name) {
            *reinterpret_cast<void**>(&function) = dlsym(driver, name);
        };
        find(begin, "cuStreamBeginCapture_v2");
        find(end, "cuStreamEndCapture");
        find(instantiate, "cuGraphInstantiateWithFlags");
        find(launch, "cuGraphLaunch");
        find(destroy_graph, "cuGraphDestroy");
        find(destroy_instance, "cuGraphExecDestroy");
    }
};

// ---- Memory between guards ----------------------------------------------------------------------

// Bytes in the memory of the host or of the device, with guards on both sides. In host memory, an
// access more than 15 bytes past the end faults.
class buffer {
public:
    buffer() = default;
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;

    void place(myblasHandle_t handle,
               bool is_on_device,
               size_t bytes,
               size_t misalignment,
               size_t alignment = 16) {
        handle_ = handle;
        is_on_device_ = is_on_device;
        bytes_ = bytes;
        std::vector<unsigned char>& window = sent_;
        if (is_on_device) {
            reserve_device(guard + alignment + bytes + guard);
            begin_ = guard + misalignment;
            back_ = guard;
        } else {
            reserve_host(guard + alignment + bytes + alignment);
            begin_ = (capacity_ - bytes) / alignment * alignment + misalignment;
            if (begin_ > capacity_ - bytes)
                begin_ -= alignment;
            back_ = capacity_ - bytes - begin_;
        }
        window.assign(guard + bytes + back_, 0xFF);
    }
    void release() {
        if (memory_ && was_on_device_)
            need(myblasFree(handle_, memory_), "myblasFree");
        else if (memory_)
            munmap(memory_, capacity_ + page());
        memory_ = nullptr;
        capacity_ = 0;
    }

    unsigned char* address() const { return memory_ + begin_; }
    unsigned char* sent() { return sent_.data() + guard; }
    const unsigned char* found() const { return found_.data() + guard; }

    void upload() {
        if (is_on_device_)
            need(myblasSetVector_64(
                     handle_, static_cast<int64_t>(sent_.size()), 1, sent_.data(), 1, window(), 1),
                 "the upload of an operand");
        else
            std::copy(sent_.begin(), sent_.end(), static_cast<unsigned char*>(window()));
    }
    void download() {
        found_.resize(sent_.size());
        if (is_on_device_)
            need(
                myblasGetVector_64(
                    handle_, static_cast<int64_t>(found_.size()), 1, window(), 1, found_.data(), 1),
                "the download of an operand");
        else
            std::copy_n(static_cast<unsigned char*>(window()), found_.size(), found_.begin());
    }
    bool is_unchanged() const { return found_ == sent_; }
    const std::vector<unsigned char>& all_found() const { return found_; }

    // The place of the first byte outside of the given elements that has changed.
    std::optional<int64_t> first_change_outside(const operand& x) const {
        std::vector<unsigned char> rest = found_;
        const auto size = static_cast<size_t>(x.element_bytes);
        for (int64_t b = 0; b < x.count; ++b)
            for (int64_t j = 0; j < x.cols; ++j)
                for (int64_t i = 0; i < x.rows; ++i)
                    if (x.has(i, j)) {
                        const size_t at = guard + static_cast<size_t>(x.index(b, i, j)) * size;
                        std::memcpy(rest.data() + at, sent_.data() + at, size);
                    }
        const auto differ = std::mismatch(rest.begin(), rest.end(), sent_.begin());
        if (differ.first == rest.end())
            return std::nullopt;
        return differ.first - rest.begin() - static_cast<int64_t>(guard);
    }

private:
    static constexpr size_t guard = 256;
    static size_t page() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }
    unsigned char* window() const { return memory_ + begin_ - guard; }

    void reserve_device(size_t bytes) {
        if (was_on_device_ && capacity_ >= bytes)
            return;
        release();
        void* memory = nullptr;
        need(myblasMalloc(handle_, &memory, bytes * 2), "myblasMalloc");
        memory_ = static_cast<unsigned char*>(memory);
        capacity_ = bytes * 2;
        was_on_device_ = true;
    }
    void reserve_host(size_t bytes) {
        if (!was_on_device_ && capacity_ >= bytes)
            return;
        release();
        capacity_ = (bytes * 2 + page() - 1) / page() * page();
        void* memory = mmap(nullptr,
                            capacity_ + page(),
                            PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS,
                            -1,
                            0);
        if (memory == MAP_FAILED)
            need(MYBLAS_STATUS_ALLOC_FAILED, "mmap");
        memory_ = static_cast<unsigned char*>(memory);
        mprotect(memory_ + capacity_, page(), PROT_NONE);
        was_on_device_ = false;
    }

    myblasHandle_t handle_ = nullptr;
    unsigned char* memory_ = nullptr;
    size_t capacity_ = 0, begin_ = 0, bytes_ = 0, back_ = 0;
    bool is_on_device_ = false, was_on_device_ = false;
    std::vector<unsigned char> sent_, found_;
};

} // namespace

void tally::add(const tally& other) {
    cases += other.cases, calls += other.calls, elements += other.elements;
    undetermined += other.undetermined, bits_compared += other.bits_compared;
    refused += other.refused, not_supported += other.not_supported, graphs += other.graphs;
    for (const auto& [name, x] : other.functions) {
        functions[name].cases += x.cases;
        functions[name].worst = std::max(functions[name].worst, x.worst);
    }
    for (const auto& [name, count] : other.kernels)
        kernels[name] += count;
}

// ---- A call and what it needs -------------------------------------------------------------------

struct session::state {
    myblasHandle_t handle = nullptr;
    myblasBackend_t backend = MYBLAS_BACKEND_AUTO;
    entry_points by = entry_points::myblas;
    std::unique_ptr<cublas_handle> cublas;
    bool by_name() const { return by != entry_points::myblas; }
    std::array<myblasStream_t, 2> streams{};
    std::deque<buffer> buffers, arrays; // by number
    buffer workspace;
    std::map<std::pair<int, std::string>, bool> is_deterministic;

    bool is_host() const { return backend == MYBLAS_BACKEND_HOST; }
    buffer& nth(std::deque<buffer>& all, size_t i) const {
        while (all.size() <= i)
            all.emplace_back();
        return all[i];
    }
    bool lives_on_device(memory where, bool device_scalars) const {
        return !is_host() &&
               (where == memory::device || (where == memory::scalar && device_scalars));
    }
    bool promises_bits(int routine, const std::string& name) {
        if (name.empty())
            return true;
        const auto key = std::make_pair(routine, name);
        if (const auto known = is_deterministic.find(key); known != is_deterministic.end())
            return known->second;
        int count = 0;
        need(myblasGetKernelCount(backend, static_cast<myblasRoutine_t>(routine), &count),
             "the number of kernels");
        for (int i = 0; i < count; ++i) {
            myblasKernelInfo_t info = {};
            info.size_bytes = sizeof info;
            need(myblasGetKernelInfo(backend, static_cast<myblasRoutine_t>(routine), i, &info),
                 "a kernel");
            is_deterministic[{routine, info.name}] = info.deterministic;
        }
        return is_deterministic[key];
    }
    std::string last_kernel(int routine) const {
        const char* name = nullptr;
        if (routine >= 0)
            need(myblasGetLastKernel(handle, static_cast<myblasRoutine_t>(routine), &name),
                 "the last kernel");
        return name ? name : "";
    }
};

namespace {

// One case on a handle: its operands in memory, and the call, which can be repeated.
class prepared_call {
public:
    template <class State>
    prepared_call(State& s, const call_case& c)
        : c_(c), handle_(s.handle), is_host_(s.is_host()), by_(s.by), cublas_(s.cublas.get()) {
        for (operand& x : operands_of(c)) {
            const size_t number = all_.size();
            buffer& b = s.nth(s.buffers, number);
            const auto size = static_cast<size_t>(x.element_bytes);
            const size_t bytes = static_cast<size_t>(x.elements()) * size;
            b.place(handle_,
                    s.lives_on_device(x.where, c.device_scalars),
                    bytes,
                    static_cast<size_t>(x.offset) * size % 16);
            all_.push_back({std::move(x), {}, {}});
            contents& mine = all_.back();
            mine.sent.assign(bytes, 0xFF);
            fill(c, mine, number);
            std::copy(mine.sent.begin(), mine.sent.end(), b.sent());
            buffers_.push_back(&b);
            b.upload();
        }
        arguments_ = c.args;
        place_pointers();
        place_arrays(s);
        if (c.f == sgemm_grouped_batched)
            place_groups();
        if (c.f == sgemm_fused || c.f == sgemm_fused_strided_batched)
            place_epilogue();
        if (c.fault_parameter >= 0)
            set(arguments_,
                parameters_of(c.f)[static_cast<size_t>(c.fault_parameter)],
                c.fault_value);
    }

    myblasStatus_t call(myblasStream_t stream) {
        if (find_parameter(c_.f, "stream"))
            arguments_.stream = stream;
        if (cublas_)
            return cublas_->call(c_, arguments_);
        if (by_ == entry_points::cublas_lt)
            return call_cublas_lt(c_, arguments_);
        if (by_ != entry_points::myblas)
            return call_blas(by_, c_.f, arguments_);
        return call_function(c_.f,
                             static_cast<int>(c_.is_wide),
                             c_.fault_parameter == null_handle ? nullptr : handle_,
                             &arguments_);
    }
    void upload_written() {
        for (size_t i = 0; i < all_.size(); ++i)
            if (all_[i].spec.is_written)
                buffers_[i]->upload();
    }
    void download() {
        for (size_t i = 0; i < all_.size(); ++i) {
            buffers_[i]->download();
            all_[i].found.assign(buffers_[i]->found(), buffers_[i]->found() + all_[i].sent.size());
        }
    }
    // Describes memory that the call must not write, but has written; empty: none. With
    // `is_refused`, the call must not write anything.
    std::string check_untouched(bool is_refused) {
        for (size_t i = 0; i < all_.size(); ++i) {
            const operand& x = all_[i].spec;
            if (buffers_[i]->is_unchanged())
                continue;
            if (is_refused || !x.is_written)
                return x.name + " was written";
            if (const auto at = buffers_[i]->first_change_outside(written_part(x)))
                return x.name + ": byte " + std::to_string(*at) + " outside of it was written";
        }
        for (buffer* array : arrays_) {
            array->download();
            if (!array->is_unchanged())
                return "an array of pointers was written";
        }
        return "";
    }
    std::vector<std::vector<unsigned char>> results() const {
        std::vector<std::vector<unsigned char>> all;
        for (size_t i = 0; i < all_.size(); ++i)
            if (all_[i].spec.is_written)
                all.push_back(buffers_[i]->all_found());
        return all;
    }
    const std::vector<contents>& operands() const { return all_; }

private:
    void place_pointers() {
        for (size_t i = 0; i < all_.size(); ++i) {
            const operand& x = all_[i].spec;
            const parameter* p = find_parameter(c_.f, x.name);
            if (!p || x.is_array)
                continue;
            const bool is_used = x.is_read || x.is_written || c_.device_scalars ||
                                 x.holds == content::given || always_needs(x);
            const int64_t first =
                x.stride < 0 && x.count > 0 ? (x.count - 1) * -x.stride * x.element_bytes : 0;
            set(arguments_,
                *p,
                is_used || !c_.null_unread
                    ? reinterpret_cast<int64_t>(buffers_[i]->address() + (x.is_empty() ? 0 : first))
                    : 0);
        }
        if (!c_.in_place)
            return;
        switch (c_.f) {
        case sgeam:
            arguments_.C = c_.in_place == 1 ? arguments_.A : arguments_.B;
            break;
        case strmm:
            arguments_.C = arguments_.B;
            break;
        case sgemm_fused:
        case sgemm_fused_strided_batched:
            arguments_.C = arguments_.D;
            break;
        default:
            arguments_.B = arguments_.A;
        }
    }
    // The vectors of axpy and rotm must not be NULL, even if the scalars leave them unread.
    bool always_needs(const operand&) const { return c_.f == saxpy || c_.f == srotm; }

    // In order: of a grouped product, the groups follow one another.
    template <class State>
    void place_arrays(State& s) {
        for (const char* name : {"Aarray", "Barray", "Carray", "xarray", "yarray"}) {
            std::vector<void*> pointers;
            bool is_used = c_.device_scalars || c_.f == sgemm_grouped_batched;
            for (size_t i = 0; i < all_.size(); ++i) {
                const operand& x = all_[i].spec;
                if (x.name != name)
                    continue;
                is_used = is_used || x.is_read || x.is_written;
                for (int64_t b = 0; b < x.count; ++b)
                    pointers.push_back(buffers_[i]->address() +
                                       (x.is_empty() ? 0 : x.start(b) * x.element_bytes));
            }
            const parameter* p = find_parameter(c_.f, name);
            if (!p || (!is_used && c_.null_unread))
                continue;
            buffer& array = s.nth(s.arrays, arrays_.size());
            array.place(handle_, !is_host_, pointers.size() * sizeof(void*), 0);
            if (!pointers.empty())
                std::memcpy(array.sent(), pointers.data(), pointers.size() * sizeof(void*));
            array.upload();
            arrays_.push_back(&array);
            set(arguments_, *p, reinterpret_cast<int64_t>(array.address()));
        }
    }
    void place_groups() {
        const auto keep = [&](auto& numbers, int64_t value) { numbers.push_back(value); };
        for (const product_group& x : groups_of(c_)) {
            keep(operations_[0], x.transa), keep(operations_[1], x.transb);
            const int64_t values[] = {x.m, x.n, x.k, x.lda, x.ldb, x.ldc, x.size};
            for (size_t i = 0; i < 7; ++i)
                keep(wide_sizes_[i], values[i]), keep(sizes_[i], values[i]);
        }
        for (auto& x : operations_)
            x.push_back(0);
        for (size_t i = 0; i < 7; ++i)
            wide_sizes_[i].push_back(0), sizes_[i].push_back(0); // so that no array is NULL
        const auto at = [&](size_t i) -> void* {
            return c_.is_wide ? static_cast<void*>(wide_sizes_[i].data()) : sizes_[i].data();
        };
        arguments_.transa_array = operations_[0].data();
        arguments_.transb_array = operations_[1].data();
        arguments_.m_array = at(0), arguments_.n_array = at(1), arguments_.k_array = at(2);
        arguments_.lda_array = at(3), arguments_.ldb_array = at(4), arguments_.ldc_array = at(5);
        arguments_.group_size = at(6);
    }
    void place_epilogue() {
        epilogue_ = {};
        epilogue_.size_bytes = sizeof epilogue_;
        epilogue_.activation = static_cast<myblasActivation_t>(c_.activation);
        epilogue_.bias_of = static_cast<myblasBias_t>(c_.bias_of);
        epilogue_.ldaux = c_.ldaux;
        epilogue_.stride_bias = c_.stride_bias;
        epilogue_.stride_aux = c_.stride_aux;
        for (size_t i = 0; i < all_.size(); ++i) {
            const operand& x = all_[i].spec;
            const int64_t first = x.stride < 0 && x.count > 0 ? (x.count - 1) * -x.stride : 0;
            float* at =
                reinterpret_cast<float*>(buffers_[i]->address()) + (x.is_empty() ? 0 : first);
            if (x.name == "bias")
                epilogue_.bias = at;
            else if (x.name == "aux")
                epilogue_.aux = at;
        }
        arguments_.epilogue = c_.has_epilogue ? &epilogue_ : nullptr;
    }
    // The elements of its result, which a call in place writes.
    operand written_part(const operand& x) const {
        operand part = x;
        if (c_.in_place && routine_of(c_.f) == MYBLAS_ROUTINE_TRANSPOSE && x.rows != x.cols)
            part.rows = x.cols, part.cols = x.rows, part.ld = c_.args.ldb;
        return part;
    }

    const call_case& c_;
    const myblasHandle_t handle_;
    const bool is_host_;
    const entry_points by_;
    const cublas_handle* const cublas_;
    std::vector<contents> all_;
    std::vector<buffer*> buffers_, arrays_;
    arguments arguments_{};
    myblasEpilogue_t epilogue_{};
    std::vector<int> operations_[2], sizes_[7];
    std::vector<int64_t> wide_sizes_[7];
};

// ---- The documented status ----------------------------------------------------------------------

bool is_scalar(function f, std::string_view name) {
    if (f == sgemsum || f == histogram256)
        return false;
    for (const char* scalar :
         {"sb", "alpha", "beta", "result", "param", "a", "b", "c", "s", "d1", "d2", "x1", "y1"})
        if (name == scalar)
            return true;
    return false;
}

myblasStatus_t status_of_arguments(const call_case& c) {
    if (c.fault_parameter == null_handle)
        return MYBLAS_STATUS_NOT_INITIALIZED;
    if (c.fault_parameter < 0)
        return MYBLAS_STATUS_SUCCESS;
    const parameter& p = parameters_of(c.f)[static_cast<size_t>(c.fault_parameter)];
    if (!is_pointer(p))
        return MYBLAS_STATUS_INVALID_VALUE;
    if (is_quick_return(c))
        return MYBLAS_STATUS_SUCCESS;
    const std::string_view name = p.name;
    if (is_scalar(c.f, name) || c.f == sgemm_grouped_batched || c.f == saxpy || c.f == srotm)
        return MYBLAS_STATUS_INVALID_VALUE;
    call_case counting = c; // the values of scalars in device memory are not known to the call
    if (c.device_scalars && c.f != sgemm_host)
        counting.alpha = counting.beta = 1;
    if (c.in_place && name == "C")
        return (c.f == sgemm_fused || c.f == sgemm_fused_strided_batched) && counting.beta == 0
                   ? MYBLAS_STATUS_SUCCESS
                   : MYBLAS_STATUS_INVALID_VALUE;
    for (const operand& x : operands_of(counting))
        if (x.name == name)
            return (x.is_read || (x.is_written && (!c.in_place || name == "D"))) && !x.is_empty()
                       ? MYBLAS_STATUS_INVALID_VALUE
                       : MYBLAS_STATUS_SUCCESS;
    return MYBLAS_STATUS_INVALID_VALUE; // B of a transpose in place
}

myblasStatus_t documented_status(const call_case& c) {
    const myblasStatus_t status = status_of_arguments(c);
    return status == MYBLAS_STATUS_SUCCESS && is_refused_by_mode(c) ? MYBLAS_STATUS_NOT_SUPPORTED
                                                                    : status;
}

// Forces a kernel, if the case names one, for the time of a case.
class forced_kernel {
public:
    forced_kernel(myblasHandle_t handle, int routine, const std::string& name)
        : handle_(handle), routine_(name.empty() ? -1 : routine) {
        if (routine_ >= 0)
            need(myblasForceKernel(handle_, static_cast<myblasRoutine_t>(routine_), name.c_str()),
                 "myblasForceKernel");
    }
    ~forced_kernel() {
        if (routine_ >= 0)
            need(myblasForceKernel(handle_, static_cast<myblasRoutine_t>(routine_), nullptr),
                 "myblasForceKernel");
    }
    forced_kernel(const forced_kernel&) = delete;
    forced_kernel& operator=(const forced_kernel&) = delete;

private:
    const myblasHandle_t handle_;
    const int routine_;
};

std::string status_text(myblasStatus_t status) { return myblasGetStatusName(status); }

} // namespace

// ---- Sessions -----------------------------------------------------------------------------------

session::session(myblasBackend_t backend, entry_points by) : state_(std::make_unique<state>()) {
    state_->by = by;
    if (by == entry_points::cublas)
        state_->cublas = std::make_unique<cublas_handle>();
    need(myblasCreateOn(&state_->handle, backend), "myblasCreateOn");
    need(myblasGetBackend(state_->handle, &state_->backend), "myblasGetBackend");
    for (myblasStream_t& stream : state_->streams)
        need(myblasStreamCreate(state_->handle, &stream), "myblasStreamCreate");
}

session::~session() {
    for (buffer& x : state_->buffers)
        x.release();
    for (buffer& x : state_->arrays)
        x.release();
    state_->workspace.release();
    for (myblasStream_t stream : state_->streams)
        need(myblasStreamDestroy(state_->handle, stream), "myblasStreamDestroy");
    need(myblasDestroy(state_->handle), "myblasDestroy");
}

myblasBackend_t session::backend() const { return state_->backend; }

std::string session::run(const call_case& c) {
    state& s = *state_;
    const int routine = routine_of(c.f);
    myblasStream_t stream = c.on_stream ? s.streams[0] : nullptr;
    need(myblasSetStream(s.handle, stream), "myblasSetStream");
    need(myblasSetPointerMode(s.handle, static_cast<myblasPointerMode_t>(c.device_scalars)),
         "the pointer mode");
    need(myblasSetMathMode(s.handle, static_cast<myblasMath_t>(c.math)), "the math mode");
    const forced_kernel kernel(s.handle, routine, c.kernel);
    const forced_kernel product_kernel(
        s.handle, is_level3(c.f) ? MYBLAS_ROUTINE_SGEMM : -1, c.product_kernel);

    prepared_call call(s, c);
    // Lends the workspace that the case names. A change of the stream drops it.
    size_t workspace_bytes = 0;
    bool is_lent = false;
    if (c.workspace == exact_workspace || c.workspace == one_byte_short ||
        c.workspace == unaligned_workspace) {
        const myblasCall_t described = describe(c);
        is_lent = routine >= 0 &&
                  myblasGetWorkspaceSize(s.handle, &described, &workspace_bytes) ==
                      MYBLAS_STATUS_SUCCESS &&
                  workspace_bytes > 0 && workspace_bytes < (size_t{1} << 28);
        if (is_lent) {
            workspace_bytes -= c.workspace == one_byte_short;
            s.workspace.place(s.handle, !s.is_host(), workspace_bytes, 0, 256);
            s.workspace.upload();
        }
    }
    std::string wrong;
    const auto lend = [&] {
        if (c.workspace == no_workspace) {
            need(myblasSetWorkspace(s.handle, nullptr, 0), "myblasSetWorkspace");
        } else if (is_lent && c.workspace == unaligned_workspace) {
            if (myblasSetWorkspace(s.handle, s.workspace.address() + 4, workspace_bytes) !=
                MYBLAS_STATUS_INVALID_VALUE)
                wrong = "a misaligned workspace was not refused";
        } else if (is_lent) {
            need(myblasSetWorkspace(s.handle, s.workspace.address(), workspace_bytes),
                 "myblasSetWorkspace");
        }
    };
    lend();

    const auto synchronize = [&](myblasStream_t on) {
        if (wrong.empty() && myblasStreamSynchronize(s.handle, on) != MYBLAS_STATUS_SUCCESS)
            wrong = "the work of the call failed";
    };
    const myblasStatus_t expected = documented_status(c);
    const bool is_forced = !c.kernel.empty() || !c.product_kernel.empty();
    const myblasStatus_t status = call.call(stream);
    synchronize(stream);
    ++counts.cases, ++counts.calls;
    tally::of_function& mine = counts.functions[name_of(c.f)];
    ++mine.cases;
    const bool is_refused = status != MYBLAS_STATUS_SUCCESS;
    counts.refused += is_refused;
    counts.not_supported += status == MYBLAS_STATUS_NOT_SUPPORTED;
    if (wrong.empty() && status != expected &&
        !(expected == MYBLAS_STATUS_SUCCESS && is_forced && status == MYBLAS_STATUS_NOT_SUPPORTED))
        wrong = "the status is " + status_text(status) + ", not " + status_text(expected);
    if (wrong.empty()) {
        call.download();
        wrong = call.check_untouched(is_refused);
    }
    const auto check_workspace = [&] {
        if (!is_lent || !wrong.empty())
            return;
        s.workspace.download();
        operand all;
        all.rows = static_cast<int64_t>(workspace_bytes), all.element_bytes = 1;
        if (s.workspace.first_change_outside(all))
            wrong = "memory beside the workspace was written";
    };
    check_workspace();
    if (!wrong.empty() || is_refused || c.fault_parameter != no_fault)
        return wrong;

    computed_by by;
    by.is_host = s.is_host();
    by.is_forced = !c.kernel.empty();
    // The preload library has its own handle, which may choose any kernel of the host.
    by.kernel = s.by_name() ? "openblas" : s.last_kernel(routine);
    if (is_level3(c.f))
        by.product_kernel = s.last_kernel(MYBLAS_ROUTINE_SGEMM);
    by.is_deterministic = s.promises_bits(routine, by.kernel) &&
                          s.promises_bits(MYBLAS_ROUTINE_SGEMM, by.product_kernel);
    if (routine >= 0 && !is_quick_return(c) && !s.by_name())
        ++counts.kernels[std::to_string(routine) + ":" + by.kernel];
    const judgement first = judge(c, call.operands(), by);
    counts.elements += first.elements, counts.undetermined += first.undetermined;
    mine.worst = std::max(mine.worst, first.worst);
    wrong = first.wrong;

    const auto results = call.results();
    const auto compare = [&](const char* what) {
        ++counts.calls;
        if (!wrong.empty())
            return;
        call.download();
        wrong = call.check_untouched(false);
        if (wrong.empty() && by.is_deterministic) {
            ++counts.bits_compared;
            if (call.results() != results)
                wrong = "other bits";
        } else if (wrong.empty()) {
            wrong = judge(c, call.operands(), by).wrong;
        }
        if (!wrong.empty())
            wrong = std::string(what) + ": " + wrong;
    };
    const auto again = [&](const char* what, myblasStream_t on, auto&& make) {
        if (!wrong.empty())
            return;
        call.upload_written();
        const myblasStatus_t answer = make();
        if (answer != MYBLAS_STATUS_SUCCESS)
            wrong = std::string(what) + ": " + status_text(answer);
        synchronize(on);
        compare(what);
    };
    if (c.repeats & same_call)
        again("the same call", stream, [&] { return call.call(stream); });
    if (c.repeats & other_thread)
        again("another thread", stream, [&] {
            myblasStatus_t answer = MYBLAS_STATUS_INTERNAL_ERROR;
            std::thread([&] { answer = call.call(stream); }).join();
            return answer;
        });
    if (c.repeats & (other_stream | captured)) {
        stream = s.streams[1];
        need(myblasSetStream(s.handle, stream), "myblasSetStream");
        lend();
    }
    if (c.repeats & other_stream)
        again("another stream", stream, [&] { return call.call(stream); });
    const bool has_host_result = !c.device_scalars &&
                                 (find_parameter(c.f, "result") || c.f == srotg || c.f == srotmg) &&
                                 c.f != sgemsum;
    if ((c.repeats & captured) && !s.is_host() && routine >= 0 && c.f != sgemm_host &&
        !has_host_result && wrong.empty()) {
        static const graph_functions graphs;
        void *graph = nullptr, *instance = nullptr;
        constexpr int thread_local_mode = 1;
        int failure = graphs.begin(stream, thread_local_mode);
        const myblasStatus_t answer = call.call(stream);
        failure = failure ? failure : graphs.end(stream, &graph);
        failure = failure ? failure : graphs.instantiate(&instance, graph, 0);
        if (failure || answer != MYBLAS_STATUS_SUCCESS)
            wrong = "in a capture: " + status_text(answer) + ", of the driver " +
                    std::to_string(failure);
        for (const char* what : {"in a graph", "in a graph again"})
            again(what, stream, [&] {
                return graphs.launch(instance, stream) ? MYBLAS_STATUS_EXECUTION_FAILED
                                                       : MYBLAS_STATUS_SUCCESS;
            });
        counts.graphs += !failure;
        if (instance)
            graphs.destroy_instance(instance);
        if (graph)
            graphs.destroy_graph(graph);
    }
    check_workspace();
    return wrong;
}

} // namespace fuzz
