// How a handle's own workspace grows: the real dispatch, on kernels and a backend made up here, which
// accounts for each block of memory. No GPU, no library.
#include "api/dispatch.h"

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <map>
#include <setjmp.h>
#include <thread>
#include <vector>

extern "C" {
#include <cmocka.h>
}

using namespace myblas;

namespace {

constexpr size_t mib = size_t{1} << 20;

// ---- A device ------------------------------------------------------------------------------------

struct block {
    size_t bytes;
    bool is_pooled; // from stream_allocate
    myblasStream_t stream;
};

struct {
    std::map<void*, block> blocks;
    size_t free_bytes = 0;
    bool has_pools = true;
    std::vector<myblasStream_t> captured; // streams under capture
    int attempts = 0;                     // of stream_allocate
    int waits = 0;                        // for all work
    std::vector<void*> in_graphs;         // workspaces of captured calls
    launch_context launched;              // by the last call
    const char* kernel;                   // of the last call
} device;

bool is_captured(myblasStream_t stream) {
    return std::count(device.captured.begin(), device.captured.end(), stream) != 0;
}

myblasStatus_t take(void** ptr, const block& wanted) {
    static uintptr_t next_address = 1 << 20;
    *ptr = nullptr;
    if (wanted.bytes > device.free_bytes)
        return MYBLAS_STATUS_ALLOC_FAILED;
    device.free_bytes -= wanted.bytes;
    *ptr = reinterpret_cast<void*>(next_address);
    next_address += wanted.bytes + 256;
    device.blocks[*ptr] = wanted;
    return MYBLAS_STATUS_SUCCESS;
}

void give_back(void* ptr) {
    assert_int_equal(device.blocks.count(ptr), 1);
    device.free_bytes += device.blocks[ptr].bytes;
    device.blocks.erase(ptr);
}

myblasStatus_t check_process() { return MYBLAS_STATUS_SUCCESS; }
myblasStatus_t exchange_device(int, int* previous) {
    *previous = 0;
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
        assert_false(std::count(device.in_graphs.begin(), device.in_graphs.end(), ptr));
    }
    give_back(ptr);
    return MYBLAS_STATUS_SUCCESS;
}
myblasStatus_t stream_destroy(myblasStream_t) { return MYBLAS_STATUS_SUCCESS; }
myblasStatus_t stream_synchronize(myblasStream_t) {
    ++device.waits;
    return MYBLAS_STATUS_SUCCESS;
}

backend_ops make_backend() {
    backend_ops ops{};
    ops.id = MYBLAS_BACKEND_CUDA;
    ops.check_process = check_process;
    ops.exchange_device = exchange_device;
    ops.allocate = allocate;
    ops.release = release;
    ops.zero = zero;
    ops.stream_allocate = stream_allocate;
    ops.stream_release = stream_release;
    ops.stream_create = stream_create;
    ops.stream_destroy = stream_destroy;
    ops.stream_synchronize = stream_synchronize;
    ops.stream_is_capturing = is_captured;
    return ops;
}

// ---- Kernels -------------------------------------------------------------------------------------

// A product of k megabytes' workspace, all of it or none: `whole`; of n megabytes, any part of which
// will do: `passes`; of neither: `plain`.
template <const char* name>
myblasStatus_t launch(const sgemm_problem&, const launch_context& context) {
    const auto found = device.blocks.find(context.workspace);
    if (context.workspace_bytes > 0) {
        assert_true(found != device.blocks.end());
        assert_true(found->second.bytes >= context.workspace_bytes);
        assert_true(!found->second.is_pooled || found->second.stream == context.stream);
    }
    if (is_captured(context.stream))
        device.in_graphs.push_back(context.workspace);
    device.launched = context;
    device.kernel = name;
    return MYBLAS_STATUS_SUCCESS;
}

size_t k_megabytes(const sgemm_problem& p, const device_info&) { return p.k * mib; }
size_t n_megabytes(const sgemm_problem& p, const device_info&) { return p.n * mib; }
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
                                               .workspace_bytes = k_megabytes,
                                               .launch = launch<whole_name>};
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

// ---- A handle ------------------------------------------------------------------------------------

class fixture {
public:
    explicit fixture(size_t limit = 4096 * mib, backend_ops ops = make_backend()) : backend(ops) {
        device = {};
        device.free_bytes = 16384 * mib;
        handle.backend = &backend;
        handle.device.ordinal = 0;
        handle.workspace_limit = limit;
        assert_int_equal(use_stream(handle, nullptr), MYBLAS_STATUS_SUCCESS);
    }
    // Every block is given back once, those of graphs too.
    ~fixture() {
        for (void* memory : device.in_graphs)
            assert_int_equal(device.blocks.count(memory), 1);
        device.waits = 0;
        assert_int_equal(release_streams(handle), MYBLAS_STATUS_SUCCESS);
        assert_true(device.blocks.empty());
    }

    // The call of such a product has the kernel and so many megabytes of workspace.
    void expect(int64_t k, int64_t n, const char* kernel, size_t megabytes) {
        static float memory[1];
        const sgemm_problem p{
            .m = 1, .n = n, .k = k, .a = memory, .lda = 1, .b = memory, .ldb = 1, .ldc = 1};
        device.kernel = "none";
        const myblasStatus_t status = dispatch(handle, "mysgemm", p);
        assert_int_equal(status == MYBLAS_STATUS_SUCCESS, kernel != nullptr);
        if (!kernel)
            return;
        assert_string_equal(device.kernel, kernel);
        assert_int_equal(device.launched.workspace_bytes, megabytes * mib);
    }

    // The blocks beyond what streams have from the beginning, in the order of their sizes.
    std::vector<size_t> megabytes_grown() const {
        std::vector<size_t> found;
        for (const auto& [memory, b] : device.blocks)
            if (b.bytes > default_workspace_bytes)
                found.push_back(b.bytes / mib);
        std::sort(found.begin(), found.end());
        return found;
    }
    void expect_grown(const std::vector<size_t>& megabytes) const {
        assert_true(megabytes_grown() == megabytes);
    }

    void use(myblasStream_t stream) {
        assert_int_equal(use_stream(handle, stream), MYBLAS_STATUS_SUCCESS);
    }
    void capture(myblasStream_t stream) { device.captured.push_back(stream); }
    void end_capture() { device.captured.clear(); }

    backend_ops backend;
    myblasContext handle;
};

myblasStream_t stream(uintptr_t number) { return reinterpret_cast<myblasStream_t>(number << 8); }

// ---- Sizes ---------------------------------------------------------------------------------------

void test_sizes(void**) {
    assert_int_equal(grown_workspace(100, 32, 1000), 100);
    assert_int_equal(grown_workspace(40, 32, 1000), 64);
    assert_int_equal(grown_workspace(40, 32, 50), 50);
    assert_int_equal(grown_workspace(1000, 999, 1000), 1000);
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

// ---- Growth --------------------------------------------------------------------------------------

void test_growth(void**) {
    fixture f;
    f.expect(0, 0, "plain", 32);
    f.expect(32, 0, "whole", 32);
    f.expect(0, 32, "passes", 32);
    f.expect_grown({});
    f.expect(100, 0, "whole", 100);
    f.expect_grown({100});
    f.expect(100, 0, "whole", 100);
    f.expect(33, 0, "whole", 33); // as much as is of use to it, of the same block
    f.expect(0, 50, "passes", 50);
    f.expect(20, 0, "whole", 32);
    assert_int_equal(device.attempts, 1);
    f.expect(101, 0, "whole", 101);
    f.expect_grown({200}); // in place of the other one
    f.expect(0, 4096, "passes", 4096);
    f.expect_grown({4096});
    assert_int_equal(device.attempts, 3);
    f.expect(4097, 5000, "passes", 4096); // the limit
    f.expect(4097, 0, "plain", 32);
    assert_int_equal(device.attempts, 3);
}

void test_rising_sizes(void**) {
    fixture f;
    for (int64_t size = 1; size <= 5000; ++size)
        f.expect(0, size, "passes", std::clamp<size_t>(size, 32, 4096));
    assert_int_equal(device.attempts, 7); // 64, 128, ... 4096
}

void test_limits(void**) {
    for (size_t limit : {size_t{0}, size_t{1}, 32 * mib}) {
        fixture f(limit);
        f.expect(33, 100, "passes", 32);
        assert_int_equal(device.attempts, 0);
    }
    fixture f(0);
    limit_workspace(f.handle, 150 * mib);
    f.expect(100, 0, "whole", 100);
    f.expect(0, 200, "passes", 150);
    f.expect_grown({150});
    limit_workspace(f.handle, 150 * mib);
    f.expect_grown({150});
    // Lowered: the stream's own goes at once, another's when it is that of the handle again.
    f.use(stream(1));
    f.expect(0, 200, "passes", 150);
    f.expect_grown({150, 150});
    limit_workspace(f.handle, 150 * mib - 1);
    f.expect_grown({150});
    f.expect(140, 0, "whole", 140);
    f.use(nullptr);
    f.expect_grown({140});
    f.expect(140, 0, "whole", 140);
    limit_workspace(f.handle, 0);
    f.expect(140, 0, "plain", 32);
    f.expect_grown({140});
    f.use(stream(1));
    f.expect_grown({});
}

// A kernel that is forced is never replaced.
void test_forced_kernel(void**) {
    fixture f(64 * mib);
    f.handle.forced[MYBLAS_ROUTINE_SGEMM].index = 2; // whole
    f.expect(64, 0, "whole", 64);
    f.expect(65, 0, nullptr, 0);
    f.handle.forced[MYBLAS_ROUTINE_SGEMM].index = 1;
    f.expect(65, 65, "passes", 64);
    limit_workspace(f.handle, 4096 * mib);
    f.capture(nullptr);
    f.expect(65, 65, "passes", 64);
    f.handle.forced[MYBLAS_ROUTINE_SGEMM].index = 2;
    f.expect(65, 0, nullptr, 0);
    f.end_capture();
}

// ---- Captures ------------------------------------------------------------------------------------

void test_captures(void**) {
    fixture f;
    f.use(stream(1));
    f.capture(stream(1));
    f.expect(100, 100, "passes", 32);
    f.expect(100, 0, "plain", 32);
    f.end_capture();
    assert_int_equal(device.attempts, 0);
    // After the same call outside, a captured one is no different.
    f.expect(100, 100, "whole", 100);
    f.capture(stream(1));
    f.expect(100, 100, "whole", 100);
    f.expect(200, 200, "passes", 100);
    f.end_capture();
    // Outgrown by a later call, the block that the graph uses stays.
    f.expect(150, 0, "whole", 150);
    f.expect_grown({100, 200});
    f.expect(300, 0, "whole", 300);
    f.expect_grown({100, 400}); // the one between was in no graph
    // So does one that the graph uses with small calls beside it, and one that the limit forbids.
    f.capture(stream(1));
    f.expect(20, 0, "whole", 32);
    f.expect(50, 0, "whole", 50);
    limit_workspace(f.handle, 0);
    f.expect(20, 0, "whole", 32);
    f.end_capture();
    f.expect_grown({100, 400});
    // The capture of another stream does not matter.
    limit_workspace(f.handle, 4096 * mib);
    f.capture(stream(2));
    f.expect(60, 0, "whole", 60);
    f.end_capture();
    f.expect_grown({64, 100, 400});
    // A block of which the limit takes leave during a capture waits for the handle's end.
    f.capture(stream(1));
    limit_workspace(f.handle, 0);
    f.end_capture();
    f.expect_grown({64, 100, 400});
}

// ---- No memory -----------------------------------------------------------------------------------

void test_no_memory(void**) {
    fixture f;
    device.free_bytes = 300 * mib;
    f.expect(400, 0, "plain", 32);
    assert_int_equal(device.attempts, 1);
    f.expect(400, 0, "plain", 32);
    f.expect(201, 0, "plain", 32);
    assert_int_equal(device.attempts, 1); // no more than half of what was refused
    f.expect(200, 0, "whole", 200);
    f.expect(0, 4096, "passes", 200);
    assert_int_equal(device.attempts, 2);
    // Forgotten with the next limit. Memory enough for less than is wished: by halves, in one call.
    limit_workspace(f.handle, 100 * mib);
    f.expect_grown({});
    limit_workspace(f.handle, 4096 * mib);
    device.attempts = 0;
    f.expect(0, 4096, "passes", 256);
    assert_int_equal(device.attempts, 5); // 4096, 2048, ... 256
    f.expect(0, 4096, "passes", 256);
    assert_int_equal(device.attempts, 5);
    device.free_bytes = 16384 * mib;
    f.expect(257, 0, "plain", 32);
    limit_workspace(f.handle, 4096 * mib);
    f.expect(257, 0, "whole", 257);
    f.expect_grown({512});
}

// Twice as much is not to be had, but what the call can use is.
void test_little_memory(void**) {
    fixture f;
    f.expect(100, 0, "whole", 100);
    device.free_bytes = 150 * mib;
    f.expect(120, 0, "whole", 120);
    f.expect_grown({120});
    device.free_bytes = 100 * mib;
    f.expect(121, 0, "plain", 32); // the block that there is stays
    f.expect(120, 0, "whole", 120);
    f.expect(0, 121, "passes", 120);
}

// ---- Lent memory, streams, devices -----------------------------------------------------------------

void test_lent_workspace(void**) {
    fixture f;
    void* lent = nullptr;
    assert_int_equal(take(&lent, {50 * mib, false, nullptr}), MYBLAS_STATUS_SUCCESS);
    f.handle.has_user_workspace = true;
    f.handle.user_workspace = lent;
    f.handle.user_workspace_bytes = 50 * mib;
    f.expect(100, 100, "passes", 50);
    assert_ptr_equal(device.launched.workspace, lent);
    f.expect(50, 0, "whole", 50);
    assert_ptr_equal(device.launched.workspace, lent);
    f.handle.user_workspace = nullptr;
    f.handle.user_workspace_bytes = 0;
    f.expect(1, 1, "plain", 0);
    assert_int_equal(device.attempts, 0);
    f.use(nullptr);
    f.expect(100, 100, "whole", 100);
    give_back(lent);
}

void test_streams(void**) {
    fixture f;
    f.expect(100, 0, "whole", 100);
    f.use(stream(1));
    f.expect(100, 0, "whole", 100); // of its own: the launch checks
    f.use(stream(2));
    f.expect(70, 0, "whole", 70);
    f.expect_grown({70, 100, 100});
    f.use(nullptr);
    f.expect(100, 0, "whole", 100);
    assert_int_equal(device.attempts, 3);
    // A stream's end: its block goes, its first workspace is the next one's.
    const size_t blocks = device.blocks.size();
    assert_int_equal(myblasStreamDestroy(&f.handle, stream(2)), MYBLAS_STATUS_SUCCESS);
    f.expect_grown({100, 100});
    f.use(stream(3));
    assert_int_equal(device.blocks.size(), blocks - 1);
    f.expect(80, 0, "whole", 80);
    f.expect_grown({80, 100, 100});
    // A graph's block is the next stream's, and stays when that outgrows it.
    f.capture(stream(3));
    f.expect(80, 0, "whole", 80);
    f.end_capture();
    assert_int_equal(myblasStreamDestroy(&f.handle, stream(3)), MYBLAS_STATUS_SUCCESS);
    f.expect_grown({80, 100, 100});
    // What was refused to a stream is forgotten with it.
    f.use(stream(4));
    device.free_bytes = 50 * mib;
    f.expect(100, 0, "plain", 32);
    assert_int_equal(myblasStreamDestroy(&f.handle, stream(4)), MYBLAS_STATUS_SUCCESS);
    device.free_bytes = 500 * mib;
    f.use(stream(5));
    f.expect(100, 0, "whole", 100);
}

// cudaStreamPerThread names another stream in each thread: a block is not freed in the order of the wrong one.
void test_stream_per_thread(void**) {
    fixture f;
    const myblasStream_t per_thread = reinterpret_cast<myblasStream_t>(2);
    f.use(per_thread);
    f.expect(100, 0, "whole", 100);
    std::thread([&] { limit_workspace(f.handle, 0); }).join();
    f.expect_grown({100});
    limit_workspace(f.handle, 4096 * mib);
    f.expect(50, 0, "whole", 50);
    limit_workspace(f.handle, 0);
    f.expect_grown({100});
}

void test_two_handles(void**) {
    fixture f;
    myblasContext other;
    other.backend = &f.backend;
    other.device.ordinal = 0;
    other.workspace_limit = 0;
    assert_int_equal(use_stream(other, nullptr), MYBLAS_STATUS_SUCCESS);
    f.expect(100, 0, "whole", 100);
    std::swap(f.handle, other);
    f.expect(100, 0, "plain", 32);
    std::swap(f.handle, other);
    f.expect_grown({100});
    assert_int_equal(release_streams(other), MYBLAS_STATUS_SUCCESS);
}

void test_no_pools(void**) {
    fixture f;
    device.has_pools = false;
    f.expect(100, 0, "whole", 100);
    f.expect(150, 0, "whole", 150);
    limit_workspace(f.handle, 0);
    f.expect_grown({100, 200}); // until the handle's end
}

void test_host(void**) {
    backend_ops ops = make_backend();
    ops.id = MYBLAS_BACKEND_HOST;
    ops.stream_allocate = nullptr;
    ops.stream_release = nullptr;
    fixture f(4096 * mib, ops);
    f.expect(100, 100, "passes", 32);
    limit_workspace(f.handle, 8192 * mib);
    f.expect(100, 0, "plain", 32);
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
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_little_memory),
        cmocka_unit_test(test_lent_workspace),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_stream_per_thread),
        cmocka_unit_test(test_two_handles),
        cmocka_unit_test(test_no_pools),
        cmocka_unit_test(test_host),
    };
    return cmocka_run_group_tests_name("workspace", tests, nullptr, nullptr);
}
