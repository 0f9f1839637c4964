// Which memory calls get, plain and captured, and how a handle's own workspace grows. The dispatch
// is the library's; this file makes up the kernels, and a backend that accounts for each block of
// memory. No GPU, no library.
#include "api/capture_memory.h"
#include "api/dispatch.h"
#include "core/environment.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <map>
#include <memory>
#include <setjmp.h>
#include <thread>
#include <vector>

extern "C" {
#include <cmocka.h>
}

using namespace myblas;

namespace {

constexpr size_t mib = size_t{1} << 20;

// ---- A device -----------------------------------------------------------------------------------

struct block {
    size_t bytes;
    bool is_pooled; // from stream_allocate
    myblasStream_t stream;
    int waits = 0; // before the last call that used it
    uint64_t context = 0;
};

// A capture and the graph that it becomes; several streams may take part.
struct graph {
    uint64_t id;
    bool is_alive = true;
    std::vector<std::atomic<bool>*> watchers;
};

struct {
    std::map<void*, block> blocks;
    size_t free_bytes = 0;
    bool has_pools = true;
    std::map<myblasStream_t, graph*> captured; // streams under capture
    bool has_lost_capture = false;             // all captures are invalid
    int attempts = 0;                          // of stream_allocate
    int allocations = 0;
    int waits = 0; // for all work
    uint64_t context = 0;
    struct place {
        const graph* of;
        myblasStream_t stream;
    };
    std::map<void*, place> in_graphs; // memory of captured calls
    launch_context launched;          // by the last call
    const char* kernel;               // of the last call
} device;

bool is_captured(myblasStream_t stream) { return device.captured.count(stream) != 0; }
myblasStatus_t require_no_capture(myblasStream_t stream) {
    return is_captured(stream) ? MYBLAS_STATUS_INTERNAL_ERROR : MYBLAS_STATUS_SUCCESS;
}

bool is_in_graph(void* memory) {
    const auto found = device.in_graphs.find(memory);
    return found != device.in_graphs.end() && found->second.of->is_alive;
}

myblasStatus_t take(void** ptr, const block& wanted) {
    static uintptr_t next_address = 1 << 20;
    *ptr = nullptr;
    if (wanted.bytes > device.free_bytes)
        return MYBLAS_STATUS_ALLOC_FAILED;
    ++device.allocations;
    device.free_bytes -= wanted.bytes;
    *ptr = reinterpret_cast<void*>(next_address);
    next_address += wanted.bytes + 256;
    device.blocks[*ptr] = wanted;
    device.blocks[*ptr].context = device.context;
    return MYBLAS_STATUS_SUCCESS;
}

void give_back(void* ptr) {
    assert_int_equal(device.blocks.count(ptr), 1);
    assert_false(is_in_graph(ptr));
    device.free_bytes += device.blocks[ptr].bytes;
    device.blocks.erase(ptr);
}

myblasStatus_t check_process() { return MYBLAS_STATUS_SUCCESS; }
myblasStatus_t enter_device(int, bool* was_current) {
    *was_current = true;
    return MYBLAS_STATUS_SUCCESS;
}
myblasStatus_t allocate(void** ptr, size_t bytes) { return take(ptr, {bytes, false, nullptr}); }
// As cudaFree, which does not wait for work that uses a pool's memory.
myblasStatus_t release(void* ptr) {
    if (!device.blocks.at(ptr).is_pooled)
        ++device.waits;
    assert_true(device.waits > 0);
    give_back(ptr);
    return MYBLAS_STATUS_SUCCESS;
}
myblasStatus_t zero(void*, size_t) { return MYBLAS_STATUS_SUCCESS; }
myblasStatus_t stream_allocate(void** ptr, size_t bytes, myblasStream_t stream) {
    assert_false(is_captured(stream));
    ++device.attempts;
    return take(ptr, {bytes, device.has_pools, stream});
}
char place_of_new_stream;
const auto new_stream = reinterpret_cast<myblasStream_t>(&place_of_new_stream);
myblasStatus_t stream_create(myblasStream_t* stream) {
    *stream = new_stream;
    return MYBLAS_STATUS_SUCCESS;
}
myblasStatus_t stream_release(void* ptr, myblasStream_t stream) {
    if (!device.has_pools)
        return MYBLAS_STATUS_NOT_SUPPORTED;
    assert_false(is_captured(stream));
    assert_true(device.blocks.at(ptr).is_pooled);
    if (stream == new_stream) {
        assert_true(device.waits > 0); // for all work
    } else {
        assert_ptr_equal(device.blocks.at(ptr).stream, stream);
    }
    give_back(ptr);
    return MYBLAS_STATUS_SUCCESS;
}
myblasStatus_t stream_destroy(myblasStream_t) { return MYBLAS_STATUS_SUCCESS; }
myblasStatus_t stream_synchronize(myblasStream_t) {
    ++device.waits;
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t find_capture(myblasStream_t stream, stream_capture* capture) {
    assert_non_null(stream);
    *capture = {};
    if (!is_captured(stream))
        return MYBLAS_STATUS_SUCCESS;
    if (device.has_lost_capture)
        return MYBLAS_STATUS_EXECUTION_FAILED;
    graph* const of = device.captured[stream];
    *capture = {of, of->id};
    return MYBLAS_STATUS_SUCCESS;
}
bool watch_graph(void* of, std::atomic<bool>* is_over) {
    static_cast<graph*>(of)->watchers.push_back(is_over);
    return true;
}
uint64_t context_id() { return device.context; }
bool is_context_gone(uint64_t context, const void* memory) {
    const auto found = device.blocks.find(const_cast<void*>(memory));
    return found == device.blocks.end() || found->second.context != context;
}
// As cudaDeviceReset, which frees all memory of the context.
void lose_context(uint64_t context) {
    std::erase_if(device.blocks, [&](const auto& b) { return b.second.context == context; });
}

backend_ops make_backend() {
    backend_ops ops{};
    ops.id = MYBLAS_BACKEND_CUDA;
    ops.check_process = check_process;
    ops.enter_device = enter_device;
    ops.allocate = allocate;
    ops.release = release;
    ops.zero = zero;
    ops.stream_allocate = stream_allocate;
    ops.stream_release = stream_release;
    ops.stream_create = stream_create;
    ops.stream_destroy = stream_destroy;
    ops.stream_synchronize = stream_synchronize;
    ops.require_no_capture = require_no_capture;
    ops.find_capture = find_capture;
    ops.watch_graph = watch_graph;
    ops.context_id = context_id;
    ops.is_context_gone = is_context_gone;
    return ops;
}

// ---- Kernels ------------------------------------------------------------------------------------

// The memory of a captured call is used by nothing else while the graph lives, except by calls on
// the same stream of the same capture.
void check_use(void* memory, myblasStream_t stream) {
    if (!memory)
        return;
    if (is_in_graph(memory)) {
        assert_true(is_captured(stream));
        assert_ptr_equal(device.in_graphs.at(memory).of, device.captured[stream]);
        assert_ptr_equal(device.in_graphs.at(memory).stream, stream);
    }
    if (is_captured(stream))
        device.in_graphs[memory] = {device.captured[stream], stream};
}

// Products. `whole` needs a workspace of k megabytes, all or nothing, and counters. `passes` needs
// 4 megabytes and can use up to n. `plain` needs neither.
template <const char* name, bool counts = false>
myblasStatus_t launch(const sgemm_problem&, const launch_context& context) {
    const auto found = device.blocks.find(context.workspace);
    if (context.workspace_bytes > 0) {
        assert_true(found != device.blocks.end());
        assert_true(found->second.bytes >= context.workspace_bytes);
        // Work of another stream must not use it any more.
        block& used = found->second;
        assert_true(!used.is_pooled || used.stream == context.stream || used.waits < device.waits);
        used.stream = context.stream;
        used.waits = device.waits;
    }
    assert_int_equal(context.counters != nullptr, counts);
    check_use(context.workspace, context.stream);
    check_use(context.counters, context.stream);
    device.launched = context;
    device.kernel = name;
    return MYBLAS_STATUS_SUCCESS;
}

size_t k_megabytes(const sgemm_problem& p, const device_info&) { return p.k * mib; }
size_t n_megabytes(const sgemm_problem& p, const device_info&) {
    return std::max<size_t>(p.n, 4) * mib;
}
size_t four_megabytes(const sgemm_problem&, const device_info&) { return 4 * mib; }

constexpr char plain_name[] = "plain", whole_name[] = "whole", passes_name[] = "passes";
constexpr kernel_entry<sgemm_problem> plain = {
    .name = plain_name, .description = "", .launch = launch<plain_name>};
constexpr kernel_entry<sgemm_problem> passes = {.name = passes_name,
                                                .description = "",
                                                .workspace_bytes = four_megabytes,
                                                .best_workspace_bytes = n_megabytes,
                                                .launch = launch<passes_name>};
constexpr kernel_entry<sgemm_problem> whole = {.name = whole_name,
                                               .description = "",
                                               .uses_counters = true,
                                               .workspace_bytes = k_megabytes,
                                               .launch = launch<whole_name, true>};
constexpr const kernel_entry<sgemm_problem>* registry[] = {&plain, &passes, &whole};
constexpr rule<sgemm_problem> rules[] = {
    {any_form, {any, any, at_least(1), any}, &whole},
    {any_form, {any, at_least(1), any, any}, &passes},
    {any_form, {any, any, any, any}, &plain},
};

} // namespace

namespace myblas {

constinit std::atomic<const tuned_predictor*> tuning_in_use{nullptr};

template <>
kernel_list<sgemm_problem> cuda_kernels() {
    return registry;
}
template <>
kernel_list<sgemm_problem> host_kernels() {
    return registry;
}
template <>
selection_table<sgemm_problem> cuda_table(int) {
    return {rules};
}
template <>
selection_table<sgemm_problem> host_table() {
    return {rules};
}

} // namespace myblas

namespace {

// ---- A handle -----------------------------------------------------------------------------------

class fixture {
public:
    explicit fixture(size_t limit = 4096 * mib, backend_ops ops = make_backend()) : backend(ops) {
        static uint64_t last_context = 0;
        device = {};
        device.free_bytes = 16384 * mib;
        device.context = ++last_context;
        open(handle, limit);
        assert_true(live_handles.add(&handle)); // as myblasCreate does
    }
    // Every block is freed once, also the blocks of graphs and of later handles.
    ~fixture() {
        for (const auto& g : graphs)
            destroy(g.get());
        device.waits = 0;
        assert_true(live_handles.remove(&handle));
        assert_int_equal(release_streams(handle), MYBLAS_STATUS_SUCCESS);
        release_idle(backend);
        assert_true(device.blocks.empty());
    }

    // Makes another handle.
    void open(myblasContext& made, size_t limit, myblasStream_t stream = nullptr) const {
        made.backend = &backend;
        made.device.ordinal = 0;
        made.workspace_limit = limit;
        assert_int_equal(allocate(&made.result, sizeof(double)), MYBLAS_STATUS_SUCCESS);
        assert_int_equal(use_stream(made, stream), MYBLAS_STATUS_SUCCESS);
    }

    myblasStatus_t call(int64_t k, int64_t n) { return call_on(handle, k, n); }
    static myblasStatus_t call_on(myblasContext& handle, int64_t k, int64_t n) {
        static float memory[1];
        const sgemm_problem p{
            .m = 1, .n = n, .k = k, .a = memory, .lda = 1, .b = memory, .ldb = 1, .ldc = 1};
        device.kernel = "none";
        return dispatch(handle, "mysgemm", p);
    }
    // The call of a product with these extents has this kernel and this workspace, in megabytes.
    void expect(int64_t k, int64_t n, const char* kernel, size_t megabytes) {
        assert_int_equal(call(k, n), MYBLAS_STATUS_SUCCESS);
        assert_string_equal(device.kernel, kernel);
        assert_int_equal(device.launched.workspace_bytes, megabytes * mib);
    }

    // The sizes of all blocks except counters, sorted.
    std::vector<size_t> megabytes_taken() const {
        std::vector<size_t> found;
        for (const auto& [memory, b] : device.blocks)
            if (b.bytes >= mib)
                found.push_back(b.bytes / mib);
        std::sort(found.begin(), found.end());
        return found;
    }
    void expect_taken(const std::vector<size_t>& megabytes) const {
        assert_true(megabytes_taken() == megabytes);
    }

    void use(myblasStream_t stream) {
        assert_int_equal(use_stream(handle, stream), MYBLAS_STATUS_SUCCESS);
    }
    graph* capture(myblasStream_t stream) {
        static uint64_t last_id = 0;
        graphs.push_back(std::make_unique<graph>(graph{.id = ++last_id, .watchers = {}}));
        return device.captured[stream] = graphs.back().get();
    }
    void end_capture() { device.captured.clear(); }
    // Like the driver, which reports the end in its own thread.
    static void destroy(graph* g) {
        g->is_alive = false;
        std::thread([g] {
            for (std::atomic<bool>* is_over : g->watchers)
                is_over->store(true);
            g->watchers.clear();
        }).join();
    }

    backend_ops backend;
    myblasContext handle;

private:
    std::vector<std::unique_ptr<graph>> graphs;
};

myblasStream_t stream(uintptr_t number) { return reinterpret_cast<myblasStream_t>(number << 8); }

// ---- Sizes --------------------------------------------------------------------------------------

void test_sizes(void**) {
    assert_int_equal(grown_workspace(1, 0, 1000 * mib), 32 * mib);
    assert_int_equal(grown_workspace(100 * mib, 0, 1000 * mib), 100 * mib);
    assert_int_equal(grown_workspace(100 * mib, 32 * mib, 1000 * mib), 100 * mib);
    assert_int_equal(grown_workspace(40 * mib, 32 * mib, 1000 * mib), 64 * mib);
    assert_int_equal(grown_workspace(40 * mib, 32 * mib, 50 * mib), 50 * mib);
    assert_int_equal(grown_workspace(1000 * mib, 999 * mib, 1000 * mib), 1000 * mib);
    assert_int_equal(less_workspace(100 * mib), 50 * mib);
    assert_int_equal(less_workspace(50 * mib), 32 * mib);
    assert_int_equal(less_workspace(32 * mib), 0);
    assert_int_equal(default_workspace_limit(size_t{80} << 30), size_t{4} << 30);
    assert_int_equal(default_workspace_limit(size_t{8} << 30), size_t{1} << 30);
    assert_int_equal(default_workspace_limit(0), 0);
}

void test_bytes_as_text(void**) {
    const struct {
        const char* text;
        size_t bytes;
    } valid[] = {{"0", 0},
                 {"1", 1},
                 {"007", 7},
                 {"33554432", 32 * mib},
                 {"3K", 3 << 10},
                 {"512M", 512 * mib},
                 {"0G", 0},
                 {"4G", size_t{4} << 30},
                 {"18446744073709551615", SIZE_MAX},
                 {"17179869183G", SIZE_MAX - ((size_t{1} << 30) - 1)}};
    for (const auto& v : valid) {
        size_t bytes = 77;
        assert_true(parse_bytes(v.text, &bytes));
        assert_true(bytes == v.bytes);
    }
    for (const char* text : {"",
                             " 1",
                             "1 ",
                             "-1",
                             "+1",
                             "G",
                             "1g",
                             "1GB",
                             "1KK",
                             "1.5G",
                             "0x10",
                             "1T",
                             "all",
                             "18446744073709551616",
                             "17179869184G"}) {
        size_t bytes = 77;
        assert_false(parse_bytes(text, &bytes));
        assert_int_equal(bytes, 77);
    }
}

// ---- Growth -------------------------------------------------------------------------------------

void test_growth(void**) {
    fixture f;
    f.expect(0, 0, "plain", 0);
    f.expect_taken({}); // before a call can use some
    f.expect(20, 0, "whole", 20);
    f.expect_taken({32});
    f.expect(32, 0, "whole", 32);
    f.expect(0, 32, "passes", 32);
    f.expect_taken({32});
    f.expect(100, 0, "whole", 100);
    f.expect_taken({100}); // in place of the other one
    f.expect(100, 0, "whole", 100);
    f.expect(33, 0, "whole", 33); // the same block, as much of it as the call can use
    f.expect(0, 50, "passes", 50);
    f.expect(20, 0, "whole", 20);
    assert_int_equal(device.attempts, 2);
    f.expect(101, 0, "whole", 101);
    f.expect_taken({200});
    f.expect(0, 4096, "passes", 4096);
    f.expect_taken({4096});
    assert_int_equal(device.attempts, 4);
    f.expect(4097, 5000, "passes", 4096); // the limit
    f.expect(4097, 0, "plain", 0);
    assert_int_equal(device.attempts, 4);
}

void test_rising_sizes(void**) {
    fixture f;
    for (int64_t size = 1; size <= 5000; ++size)
        f.expect(0, size, "passes", std::clamp<size_t>(size, 4, 4096));
    assert_int_equal(device.attempts, 8); // 32, 64, ... 4096
}

void test_limits(void**) {
    for (size_t limit : {size_t{0}, size_t{1}, 32 * mib}) {
        fixture f(limit);
        f.expect(33, 100, "passes", 32);
        f.expect_taken({32});
    }
    fixture f(0);
    limit_workspace(f.handle, 150 * mib);
    f.expect(100, 0, "whole", 100);
    f.expect(0, 200, "passes", 150);
    f.expect_taken({150});
    limit_workspace(f.handle, 150 * mib);
    f.expect_taken({150});
    // With a lower limit, the stream's own block is freed at once, another stream's when the handle
    // uses that stream again.
    f.use(stream(1));
    f.expect(0, 200, "passes", 150);
    f.expect_taken({150, 150});
    limit_workspace(f.handle, 150 * mib - 1);
    f.expect_taken({150});
    f.expect(140, 0, "whole", 140);
    f.use(nullptr);
    f.expect_taken({140});
    f.expect(140, 0, "whole", 140);
    limit_workspace(f.handle, 0);
    f.expect(140, 0, "plain", 0);
    f.expect_taken({140});
    f.use(stream(1));
    f.expect_taken({});
}

// A forced kernel is never replaced.
void test_forced_kernel(void**) {
    fixture f(64 * mib);
    f.handle.forced[MYBLAS_ROUTINE_SGEMM].index = 2; // whole
    f.expect(64, 0, "whole", 64);
    assert_int_equal(f.call(65, 0), MYBLAS_STATUS_NOT_SUPPORTED);
    f.handle.forced[MYBLAS_ROUTINE_SGEMM].index = 1;
    f.expect(65, 65, "passes", 64);
    limit_workspace(f.handle, 4096 * mib);
    // While another stream's capture forbids the NULL stream.
    f.capture(nullptr);
    f.expect(65, 65, "passes", 64);
    f.handle.forced[MYBLAS_ROUTINE_SGEMM].index = 2;
    assert_int_equal(f.call(65, 0), MYBLAS_STATUS_ALLOC_FAILED);
    f.end_capture();
}

// ---- Captures -----------------------------------------------------------------------------------

// Each capture has its own memory: the launch checks it.
void test_captures(void**) {
    fixture f;
    f.use(stream(1));
    graph* const first = f.capture(stream(1));
    f.expect(0, 0, "plain", 0);
    assert_true(first->watchers.empty()); // until a call uses memory
    f.expect(100, 0, "whole", 100);
    f.expect(20, 0, "whole", 20);
    f.expect_taken({128});
    f.expect(0, 200, "passes", 200);
    f.expect(100, 0, "whole", 100);
    f.expect_taken({128, 256});
    assert_int_equal(first->watchers.size(), 1);
    f.end_capture();
    assert_int_equal(device.attempts, 0); // nothing in the order of the stream
    f.expect(100, 0, "whole", 100);
    graph* const second = f.capture(stream(1));
    f.expect(100, 0, "whole", 100);
    f.end_capture();
    f.expect_taken({100, 128, 128, 256});
    f.expect(20, 0, "whole", 20);
    // Two streams of one capture, and one with another capture.
    graph* const forked = f.capture(stream(2));
    device.captured[stream(1)] = forked;
    f.expect(20, 0, "whole", 20);
    f.use(stream(2));
    f.expect(20, 0, "whole", 20);
    f.use(stream(3));
    f.capture(stream(3));
    f.expect(20, 0, "whole", 20);
    f.end_capture();
    f.expect_taken({32, 32, 32, 100, 128, 128, 256});
    assert_int_equal(forked->watchers.size(), 2);
    // A later graph uses the memory of an earlier one, the smallest block that is large enough, but
    // not one that is far too large.
    fixture::destroy(first);
    fixture::destroy(second);
    f.capture(stream(3));
    f.expect(10, 0, "whole", 10);
    f.expect(100, 0, "whole", 100);
    f.expect(129, 0, "whole", 129);
    f.expect(256, 0, "whole", 256);
    f.end_capture();
    f.expect_taken({16, 32, 32, 32, 100, 128, 128, 256});
}

// Two threads, each with a handle, may take turns in making calls on a captured stream, launch by
// launch.
void test_handles_in_one_capture(void**) {
    fixture f;
    myblasContext other;
    f.open(other, 100 * mib, stream(1));
    f.use(stream(1));
    f.capture(stream(1));
    f.expect(50, 0, "whole", 50);
    assert_int_equal(fixture::call_on(other, 50, 0), MYBLAS_STATUS_SUCCESS);
    f.expect_taken({64, 64});
    f.expect(50, 0, "whole", 50);
    f.expect_taken({64, 64});
    f.end_capture();
    assert_int_equal(release_streams(other), MYBLAS_STATUS_SUCCESS);
}

void test_many_captures(void**) {
    fixture f;
    f.use(stream(1));
    size_t blocks = 0;
    for (int round = 0; round < 200; ++round) {
        graph* const g = f.capture(stream(1));
        f.expect(50, 0, "whole", 50);
        f.expect(70, 0, "whole", 70);
        f.end_capture();
        f.expect(50, 0, "whole", 50);
        fixture::destroy(g);
        if (round == 0)
            blocks = device.blocks.size();
    }
    f.expect_taken({50, 64, 128});
    assert_int_equal(device.blocks.size(), blocks);
}

// A graph that outlives its handle keeps its memory until the graph is gone and another handle
// ends.
void test_graph_without_handle(void**) {
    fixture f;
    myblasContext other;
    f.open(other, 100 * mib, stream(1));
    std::swap(f.handle, other);
    graph* const g = f.capture(stream(1));
    f.expect(80, 0, "whole", 80);
    f.end_capture();
    std::swap(f.handle, other);
    f.expect_taken({100});
    assert_int_equal(release_streams(other), MYBLAS_STATUS_SUCCESS);
    f.expect_taken({100}); // and the counters: give_back checks
    limit_workspace(f.handle, 0);
    f.expect_taken({100});
    fixture::destroy(g);
    f.expect_taken({100});
    limit_workspace(f.handle, 100 * mib);
    f.expect_taken({100});
    limit_workspace(f.handle, 100 * mib - 1);
    f.expect_taken({});
}

// After cudaDeviceReset, or in another context, the memory of earlier graphs is not touched.
void test_context(void**) {
    fixture f;
    f.use(stream(1));
    graph* const g = f.capture(stream(1));
    f.expect(50, 0, "whole", 50);
    f.end_capture();
    fixture::destroy(g);
    device.context += 1000;
    f.capture(stream(1));
    f.expect(50, 0, "whole", 50);
    f.end_capture();
    f.expect_taken({64, 64});
    limit_workspace(f.handle, 0);
    f.expect_taken({64, 64});
    device.context -= 1000;
    limit_workspace(f.handle, 0);
    f.expect_taken({64});
    device.context += 1000;
}

void test_lost_capture(void**) {
    fixture f;
    f.use(stream(1));
    f.capture(stream(1));
    device.has_lost_capture = true;
    assert_int_equal(f.call(20, 0), MYBLAS_STATUS_EXECUTION_FAILED);
    f.expect_taken({});
}

void test_captures_without_memory(void**) {
    fixture f;
    f.use(stream(1));
    device.free_bytes = 110 * mib;
    f.capture(stream(1));
    f.expect(100, 0, "whole", 100); // exactly its size, as 128 cannot be allocated
    f.expect(101, 0, "plain", 0);
    f.expect(0, 1000, "passes", 100);
    f.end_capture();
    f.capture(stream(1));
    f.expect(11, 0, "plain", 0);
    f.expect(0, 1000, "plain", 0);
    f.expect(10, 0, "plain", 0); // counters took some of the memory
    f.end_capture();
    device.free_bytes = 0;
    f.capture(stream(1));
    f.handle.forced[MYBLAS_ROUTINE_SGEMM].index = 2; // whole
    assert_int_equal(f.call(1, 0), MYBLAS_STATUS_ALLOC_FAILED);
    assert_int_equal(f.call(0, 0), MYBLAS_STATUS_ALLOC_FAILED); // counters
    f.end_capture();
}

// While its stream is captured, a block above the limit stays; the next call frees it.
void test_limit_in_a_capture(void**) {
    fixture f;
    f.use(stream(1));
    f.expect(90, 0, "whole", 90);
    for (int round = 0; round < 3; ++round) {
        f.capture(stream(1));
        limit_workspace(f.handle, 40 * mib);
        f.use(stream(2));
        f.use(stream(1));
        f.expect_taken({90});
        f.end_capture();
        f.expect(20, 0, "whole", 20);
        f.expect_taken({32});
        limit_workspace(f.handle, 100 * mib);
        f.expect(90, 0, "whole", 90);
        f.expect_taken({90});
    }
}

// The memory of destroyed graphs is freed if a larger block, or counters, cannot be allocated
// otherwise.
void test_captures_in_the_way(void**) {
    fixture f;
    f.use(stream(1));
    device.free_bytes = 100 * mib;
    graph* const g = f.capture(stream(1));
    f.expect(60, 0, "whole", 60);
    f.end_capture();
    f.capture(stream(2));
    f.use(stream(2));
    f.expect(70, 0, "plain", 0); // as the graph may run
    f.end_capture();
    fixture::destroy(g);
    device.waits = 0;
    f.capture(stream(2));
    f.expect(70, 0, "whole", 70);
    f.expect_taken({70});
    assert_true(device.waits > 0);
    f.end_capture();
}

// ---- No memory ----------------------------------------------------------------------------------

void test_no_memory(void**) {
    fixture f;
    device.free_bytes = 300 * mib;
    f.expect(400, 0, "plain", 0);
    assert_int_equal(device.attempts, 1);
    f.expect(400, 0, "plain", 0);
    f.expect(201, 0, "plain", 0);
    assert_int_equal(device.attempts, 1); // no more than half of what was refused
    f.expect(200, 0, "whole", 200);
    f.expect(0, 4096, "passes", 200);
    assert_int_equal(device.attempts, 2);
    // A new limit clears it. If there is less memory than a call can use, one call tries halves.
    limit_workspace(f.handle, 100 * mib);
    f.expect_taken({});
    limit_workspace(f.handle, 4096 * mib);
    device.attempts = 0;
    f.expect(0, 4096, "passes", 256);
    assert_int_equal(device.attempts, 5); // 4096, 2048, ... 256
    f.expect(0, 4096, "passes", 256);
    assert_int_equal(device.attempts, 5);
    device.free_bytes = 16384 * mib;
    f.expect(257, 0, "plain", 0);
    limit_workspace(f.handle, 4096 * mib);
    f.expect(257, 0, "whole", 257);
    f.expect_taken({512});
}

// Twice as much cannot be allocated, but what the call can use can.
void test_little_memory(void**) {
    fixture f;
    f.expect(100, 0, "whole", 100);
    device.free_bytes = 150 * mib;
    f.expect(120, 0, "whole", 120);
    f.expect_taken({120});
    device.free_bytes = 100 * mib;
    f.expect(121, 0, "plain", 0); // the block that there is stays
    f.expect(120, 0, "whole", 120);
    f.expect(0, 121, "passes", 120);
}

// Not even the first block can be allocated. A later call tries again, as other memory may have
// become free.
void test_no_memory_at_all(void**) {
    fixture f;
    device.free_bytes = 10 * mib;
    f.expect(20, 0, "plain", 0);
    assert_int_equal(device.attempts, 2); // 32, 20
    for (int call = 0; call < calls_between_refusals; ++call)
        f.expect(0, 5, "plain", 0);
    assert_int_equal(device.attempts, 2);
    f.expect(10, 0, "whole", 10); // of its size
    f.expect(0, 20, "passes", 10);
    f.expect(20, 0, "plain", 0);
    device.free_bytes = 1000 * mib;
    f.handle.forced[MYBLAS_ROUTINE_SGEMM].index = 2; // whole
    assert_int_equal(f.call(20, 0), MYBLAS_STATUS_ALLOC_FAILED);
    assert_int_equal(f.call(5000, 0), MYBLAS_STATUS_NOT_SUPPORTED); // whatever memory there is
    limit_workspace(f.handle, 4096 * mib);
    f.expect(20, 0, "whole", 20);
    f.expect_taken({32});
}

// ---- Lent memory, streams, devices --------------------------------------------------------------

void test_lent_workspace(void**) {
    fixture f;
    void* lent = nullptr;
    assert_int_equal(take(&lent, {50 * mib, false, nullptr}), MYBLAS_STATUS_SUCCESS);
    const auto lend = [&] {
        f.handle.has_user_workspace = true;
        f.handle.user_workspace = lent;
        f.handle.user_workspace_bytes = 50 * mib;
    };
    lend();
    f.expect(100, 100, "passes", 50);
    assert_ptr_equal(device.launched.workspace, lent);
    f.expect(50, 0, "whole", 50);
    assert_ptr_equal(device.launched.workspace, lent);
    f.handle.user_workspace = nullptr;
    f.handle.user_workspace_bytes = 0;
    f.expect(1, 1, "plain", 0);
    assert_int_equal(device.attempts, 0);
    f.expect_taken({50});
    f.use(nullptr);
    f.expect(100, 100, "whole", 100);
    // In a capture, the counters are the capture's.
    f.use(stream(1));
    lend();
    f.expect(50, 0, "whole", 50);
    const unsigned* const counters = device.launched.counters;
    graph* const g = f.capture(stream(1));
    f.expect(50, 0, "whole", 50);
    assert_ptr_equal(device.launched.workspace, lent);
    assert_ptr_not_equal(device.launched.counters, counters);
    f.end_capture();
    f.expect_taken({50, 100});
    fixture::destroy(g);
    give_back(lent);
}

void test_streams(void**) {
    fixture f;
    f.expect(100, 0, "whole", 100);
    f.use(stream(1));
    f.expect(100, 0, "whole", 100); // its own block: the launch checks it
    f.use(stream(2));
    f.expect(70, 0, "whole", 70);
    f.expect_taken({70, 100, 100});
    f.use(nullptr);
    f.expect(100, 0, "whole", 100);
    assert_int_equal(device.attempts, 3);
    // When a stream is destroyed, its block is freed, and the next stream takes its counters.
    const size_t blocks = device.blocks.size();
    assert_int_equal(myblasStreamDestroy(&f.handle, stream(2)), MYBLAS_STATUS_SUCCESS);
    f.expect_taken({100, 100});
    f.use(stream(3));
    assert_int_equal(device.blocks.size(), blocks - 1);
    f.expect(80, 0, "whole", 80);
    f.expect_taken({80, 100, 100});
    // A graph's memory stays.
    f.capture(stream(3));
    f.expect(80, 0, "whole", 80);
    f.end_capture();
    assert_int_equal(myblasStreamDestroy(&f.handle, stream(3)), MYBLAS_STATUS_SUCCESS);
    f.expect_taken({100, 100, 128});
    // With the stream, its refused allocations are forgotten.
    f.use(stream(4));
    device.free_bytes = 50 * mib;
    f.expect(100, 0, "plain", 0);
    assert_int_equal(myblasStreamDestroy(&f.handle, stream(4)), MYBLAS_STATUS_SUCCESS);
    device.free_bytes = 500 * mib;
    f.use(stream(5));
    f.expect(100, 0, "whole", 100);
}

// cudaStreamPerThread is another stream in each thread: a block is not freed in the order of the
// wrong one.
void test_stream_per_thread(void**) {
    fixture f;
    const myblasStream_t per_thread = reinterpret_cast<myblasStream_t>(2);
    f.use(per_thread);
    f.expect(100, 0, "whole", 100);
    std::thread([&] { limit_workspace(f.handle, 0); }).join();
    f.expect_taken({100});
    limit_workspace(f.handle, 4096 * mib);
    f.expect(50, 0, "whole", 50);
    f.expect_taken({50, 100});
    limit_workspace(f.handle, 0);
    f.expect_taken({100});
    f.capture(per_thread);
    f.expect(20, 0, "whole", 20);
    f.end_capture();
    f.expect_taken({32, 100});
}

void test_two_handles(void**) {
    fixture f;
    myblasContext other;
    f.open(other, 0);
    f.expect(100, 0, "whole", 100);
    std::swap(f.handle, other);
    f.expect(100, 0, "plain", 0);
    f.expect(20, 0, "whole", 20);
    std::swap(f.handle, other);
    f.expect_taken({32, 100});
    assert_int_equal(release_streams(other), MYBLAS_STATUS_SUCCESS);
    f.expect_taken({100}); // with a low limit nothing stays for the next handle
}

// ---- Successive handles -------------------------------------------------------------------------

// The second handle and all later ones take the resources of the first.
void test_handle_for_each_call(void**) {
    fixture f;
    int allocations = 0;
    for (int i = 0; i < 10; ++i) {
        myblasContext next;
        f.open(next, 4096 * mib);
        assert_int_equal(use_stream(next, stream(1 + i % 3)), MYBLAS_STATUS_SUCCESS);
        assert_int_equal(fixture::call_on(next, 20, 0), MYBLAS_STATUS_SUCCESS);
        assert_string_equal(device.kernel, "whole");
        assert_int_equal(release_streams(next), MYBLAS_STATUS_SUCCESS);
        f.expect_taken({32});
        if (i == 0)
            allocations = device.allocations;
    }
    assert_int_equal(device.allocations, allocations + 9); // memory for results, which is not kept
    // Not in another context, where they would be another's.
    device.context += 1000;
    myblasContext elsewhere;
    f.open(elsewhere, 4096 * mib);
    assert_int_equal(fixture::call_on(elsewhere, 20, 0), MYBLAS_STATUS_SUCCESS);
    f.expect_taken({32, 32});
    assert_int_equal(release_streams(elsewhere), MYBLAS_STATUS_SUCCESS);
    assert_true(release_idle(f.backend));
    assert_false(release_idle(f.backend));
    f.expect_taken({32});
    device.context -= 1000;
}

// A program that resets the device again and again keeps nothing of earlier contexts on the host.
void test_lost_contexts(void**) {
    fixture f;
    const uint64_t lost = device.context += 1000, present = lost + 1000;
    const auto end_a_handle = [&] {
        myblasContext other;
        f.open(other, 4096 * mib, stream(1));
        assert_int_equal(fixture::call_on(other, 20, 0), MYBLAS_STATUS_SUCCESS);
        graph* const g = f.capture(stream(1));
        assert_int_equal(fixture::call_on(other, 20, 0), MYBLAS_STATUS_SUCCESS);
        f.end_capture();
        assert_int_equal(release_streams(other), MYBLAS_STATUS_SUCCESS);
        return g;
    };
    graph* const of_lost = end_a_handle();
    lose_context(lost);
    device.context = present;
    graph* const of_present = end_a_handle();
    fixture::destroy(of_lost);
    fixture::destroy(of_present);
    // Anything that was kept would be freed now. release() would refuse its memory.
    device.context = lost;
    assert_false(release_idle(f.backend));
    release_captures(f.backend, 0);
    device.context = present;
    assert_true(release_idle(f.backend));
    release_captures(f.backend, 0);
    device.context = lost - 1000;
}

// A handle leaves no more resources than most programs have handles at a time, and no large block.
void test_many_handles_end(void**) {
    fixture f;
    myblasContext others[8];
    for (size_t i = 0; i < std::size(others); ++i) {
        f.open(others[i], 4096 * mib, stream(10 + i));
        const int64_t megabytes = i == 2 ? 40 : 20;
        assert_int_equal(fixture::call_on(others[i], megabytes, 0), MYBLAS_STATUS_SUCCESS);
    }
    f.expect_taken({32, 32, 32, 32, 32, 32, 32, 40});
    for (myblasContext& other : others)
        assert_int_equal(release_streams(other), MYBLAS_STATUS_SUCCESS);
    f.expect_taken({32, 32, 32});
    // A low limit means that the program needs memory.
    limit_workspace(f.handle, 32 * mib);
    f.expect_taken({32, 32, 32});
    limit_workspace(f.handle, 32 * mib - 1);
    f.expect_taken({});
}

// Unused resources are freed if a block cannot be allocated otherwise.
void test_idle_in_the_way(void**) {
    fixture f;
    myblasContext other;
    f.open(other, 4096 * mib, stream(1));
    assert_int_equal(fixture::call_on(other, 20, 0), MYBLAS_STATUS_SUCCESS);
    assert_int_equal(release_streams(other), MYBLAS_STATUS_SUCCESS);
    device.free_bytes = 10 * mib;
    f.expect(40, 0, "whole", 40);
    f.expect_taken({40});
}

// Until the first call on a new stream, a handle's resources move with it from stream to stream.
void test_stream_before_first_call(void**) {
    fixture f;
    const size_t blocks = device.blocks.size();
    f.use(stream(1));
    f.use(stream(2));
    assert_int_equal(device.blocks.size(), blocks);
    f.expect(0, 5, "passes", 5);
    f.use(stream(1));
    assert_int_equal(device.blocks.size(), blocks + 2); // counters beside the workspace
}

void test_no_pools(void**) {
    fixture f;
    device.has_pools = false;
    f.expect(100, 0, "whole", 100);
    f.expect(150, 0, "whole", 150);
    limit_workspace(f.handle, 0);
    f.expect_taken({100, 200}); // until the handle's end
}

void test_host(void**) {
    backend_ops ops = make_backend();
    ops.id = MYBLAS_BACKEND_HOST;
    ops.stream_allocate = nullptr;
    ops.stream_release = nullptr;
    ops.watch_graph = nullptr;
    ops.context_id = nullptr;
    ops.is_context_gone = nullptr;
    fixture f(4096 * mib, ops);
    device.free_bytes = 20 * mib;
    f.expect(15, 0, "whole", 15);
    device.free_bytes = 100 * mib;
    f.expect(32, 0, "whole", 32);
    f.expect(100, 100, "passes", 32);
    f.expect_taken({32});
    limit_workspace(f.handle, 8192 * mib);
    f.expect(100, 0, "plain", 0);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_bytes_as_text),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_rising_sizes),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_forced_kernel),
        cmocka_unit_test(test_captures),
        cmocka_unit_test(test_handles_in_one_capture),
        cmocka_unit_test(test_many_captures),
        cmocka_unit_test(test_graph_without_handle),
        cmocka_unit_test(test_context),
        cmocka_unit_test(test_lost_capture),
        cmocka_unit_test(test_captures_without_memory),
        cmocka_unit_test(test_limit_in_a_capture),
        cmocka_unit_test(test_captures_in_the_way),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_little_memory),
        cmocka_unit_test(test_no_memory_at_all),
        cmocka_unit_test(test_lent_workspace),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_stream_per_thread),
        cmocka_unit_test(test_two_handles),
        cmocka_unit_test(test_handle_for_each_call),
        cmocka_unit_test(test_lost_contexts),
        cmocka_unit_test(test_many_handles_end),
        cmocka_unit_test(test_idle_in_the_way),
        cmocka_unit_test(test_stream_before_first_call),
        cmocka_unit_test(test_no_pools),
        cmocka_unit_test(test_host),
    };
    return cmocka_run_group_tests_name("workspace", tests, nullptr, nullptr);
}
