#include "blas/offload.h"

#include "common/local_ranks.h"
#include "common/names.h"
#include "core/environment.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <pthread.h>
#include <thread>
#include <unistd.h>

namespace myblas::preload {

const char* const report_routines[] = {
#define BLAS_ENTRY(name, ...) #name,
#include "common/entries.inc"
#undef BLAS_ENTRY
};
const int report_routine_count = routine_count;
const char* const report_library = "a BLAS";
const char* remark_on(const char* symbol) noexcept { return remark_on_blas(symbol); }

constinit std::atomic<offload_filter> current_offload_filter{offload_filter::unread};
constinit std::atomic<int64_t> least_offload_extent{std::numeric_limits<int>::min()};

namespace {

// ---- Settings -----------------------------------------------------------------------------------

enum class mode { automatic, always, never, senseless };

mode read_mode() noexcept {
    static constexpr choice<mode> choices[] = {
        {"auto", mode::automatic}, {"always", mode::always}, {"never", mode::never}};
    static const mode m = read_choice("MYBLAS_OFFLOAD", choices, mode::automatic, mode::senseless);
    return m;
}

enum class backends { all, host, senseless };

backends read_backends() noexcept {
    static constexpr choice<backends> choices[] = {
        {"auto", backends::all}, {"cuda", backends::all}, {"host", backends::host}};
    static const backends b =
        read_choice("MYBLAS_BACKEND", choices, backends::all, backends::senseless);
    return b;
}

void set_offload_filter(offload_filter a) noexcept {
    constexpr int small = 128;
    static_assert(2.0 * small * small * small < least_flops);
    current_offload_filter.store(a, std::memory_order_relaxed);
    least_offload_extent.store(a == offload_filter::nothing ? std::numeric_limits<int>::max()
                               : a == offload_filter::large_products
                                   ? small
                                   : std::numeric_limits<int>::min(),
                               std::memory_order_relaxed);
}

// ---- Devices ------------------------------------------------------------------------------------

struct device_list {
    static constexpr int most = 16;
    std::array<device*, most> devices{};
    int count = 0;
    bool has_gpu = false;
    const char* reason = "no GPU can be used"; // why there is no GPU

    std::span<device* const> all() const { return {devices.data(), static_cast<size_t>(count)}; }
    template <class Property>
    int count_of(Property has) const {
        return static_cast<int>(std::ranges::count_if(all(), has));
    }

    // The first device is opened at once. If `are_gpus`, the others are opened when a call first
    // wants them, beside that call.
    void add(device* d, bool are_gpus) noexcept {
        const bool is_needed_now = count == 0 || !are_gpus;
        const char* failure = !d ? "out of memory" : is_needed_now ? d->open() : nullptr;
        if (failure)
            reason = failure;
        else
            devices[count++] = d;
    }
};

// A forked child cannot use GPUs that its parent has opened, and has no thread that finishes what
// the parent's other threads had begun.
constinit std::atomic<bool> lost_by_fork{false}, has_gpu_open{false};
constinit std::atomic<int> threads_at_devices{0}, threads_at_host{0};
constinit std::atomic<device*> host_device{nullptr}; // of compute_on_host

// During its lifetime the thread may hold something for which others wait.
class busy {
public:
    explicit busy(std::atomic<int>& counted) noexcept : threads(counted) { ++threads; }
    ~busy() { --threads; }
    busy(const busy&) = delete;
    busy& operator=(const busy&) = delete;

private:
    std::atomic<int>& threads;
};

[[gnu::constructor]] void watch_forks() noexcept {
    pthread_atfork(nullptr, nullptr, [] {
        if (threads_at_devices.exchange(0) > 0 || has_gpu_open.load())
            lost_by_fork.store(true);
        if (threads_at_host.exchange(0) > 0)
            host_device.store(nullptr); // its lock may be held for ever
    });
}

const device_list& devices() noexcept;

// A forked child does not have the opener threads.
void join_openers() noexcept {
    if (!lost_by_fork.load())
        for (device* d : devices().all())
            d->join_opener();
}

device_list open_devices() noexcept {
    device_list list;
    constexpr int most = device_list::most;
    const int limit = read_count("MYBLAS_DEVICES", most, most);
    const bool is_host_wanted = read_backends() == backends::host;
    const cuda_driver* driver = is_host_wanted ? nullptr : load_driver();
    list.reason = is_host_wanted ? "MYBLAS_BACKEND=host" : why_no_driver();
    const local_ranks ranks = read_local_ranks();
    int visible = 0;
    if (driver && driver->device_get_count(&visible) == 0)
        for (int i = 0, taken = 0; i < visible && taken < limit; ++i)
            if (ranks.take(i, visible)) {
                ++taken;
                list.add(device::make(i, ranks.on(i, visible)), true);
            }
    list.has_gpu = list.count > 0;
    if (list.has_gpu) {
        has_gpu_open.store(true);
        std::atexit(join_openers);
    }
    if (!list.has_gpu && read_mode() == mode::always) {
        const int stand_ins = read_count("MYBLAS_DEVICES", most, 1);
        for (int i = 0; i < stand_ins; ++i)
            list.add(device::make(device::stand_in, 1), false);
    }
    if (read_mode() == mode::always)
        for (device* d : list.all())
            d->let_calls_queue();
    return list;
}

const device_list& devices() noexcept {
    static constinit std::atomic<const device_list*> opened{nullptr};
    if (const device_list* const known = opened.load(std::memory_order_acquire))
        return *known;
    const busy now(threads_at_devices);
    static const device_list list = open_devices();
    opened.store(&list, std::memory_order_release);
    return list;
}

// ---- Timing -------------------------------------------------------------------------------------

double seconds_since(uint64_t begin_ns) noexcept {
    return static_cast<double>(report::now_ns() - begin_ns) * 1e-9;
}

enum class measurement : int { none, under_way, done, failed };

// The state of a measurement. The first caller carries it out; the others do not wait.
template <class Measure>
measurement measure_once(std::atomic<measurement>& state, Measure&& measure) noexcept {
    measurement c = state.load(std::memory_order_acquire);
    if (c == measurement::none && state.compare_exchange_strong(c, measurement::under_way)) {
        c = measure() ? measurement::done : measurement::failed;
        state.store(c, std::memory_order_release);
    }
    return c;
}

// The time of the shortest of `runs` runs. With several runs, the first one warms up.
template <class Run>
double shortest_seconds(int runs, Run&& run) noexcept {
    double shortest = 1e9;
    for (int i = 0; i < runs; ++i) {
        const uint64_t begin = report::now_ns();
        if (!run())
            return -1;
        shortest = std::min(shortest, seconds_since(begin));
    }
    return shortest;
}

// The rate of the program's BLAS in flop/s, measured with products of n x n matrices; 0: out of
// memory.
double host_flops(int64_t n, int runs, const origin& from) noexcept {
    const std::unique_ptr<float[]> operand(new (std::nothrow) float[n * n]());
    const std::unique_ptr<float[]> result(new (std::nothrow) float[n * n]());
    if (!operand || !result)
        return 0;
    const product p{
        false, false, n, n, n, 1, operand.get(), n, operand.get(), n, 0, result.get(), n};
    const double seconds = shortest_seconds(runs, [&] {
        level3_on_host(level3{p}, from);
        return true;
    });
    return product_size{n, n, n, false}.flops() / seconds;
}

// ---- Whether they are worth starting ------------------------------------------------------------

// The driver, a context, pinned memory and the calibration together take about this long to start.
// The host computes until products have kept it busy for the same time. No program therefore takes
// more than twice its time, and a program that multiplies rarely never starts the GPU. An operation
// that would take this long by itself does not wait. A small product measures how long an operation
// would take. The small product is run at the first operation that is large enough to make the
// small product's time negligible.
constexpr double seconds_to_start = 0.5;
constexpr int64_t probe_n = 256;
constexpr double least_probed_flops = 64.0 * 2 * probe_n * probe_n * probe_n;
constinit std::atomic<double> host_seconds{0};
constinit std::atomic<bool> is_started{false};

bool is_worth_starting(const product_size& s, const origin& from) noexcept {
    if (is_started.load(std::memory_order_relaxed))
        return true;
    bool is_worth = host_seconds.load(std::memory_order_relaxed) >= seconds_to_start;
    if (!is_worth && s.flops() >= least_probed_flops) {
        static constinit std::atomic<measurement> probed{measurement::none};
        static double flops;
        if (measure_once(probed, [&] { return (flops = host_flops(probe_n, 1, from)) > 0; }) ==
            measurement::done)
            is_worth = s.flops() >= flops * seconds_to_start;
    }
    if (is_worth)
        is_started.store(true, std::memory_order_relaxed);
    return is_worth;
}

// ---- Calibration --------------------------------------------------------------------------------

// No core has more than two FP32 units of 16 lanes, or is faster than 6 GHz.
double most_host_flops() noexcept {
    return 2 * 2 * 16 * 6e9 * std::max(1U, std::thread::hardware_concurrency());
}

constexpr int calibrating_runs = 3;

// Measures the model's rates of devices, with four operations on the first one. These are a product
// that is all latency, one that uploads a matrix and a vector, one that downloads a matrix, and one
// without transfers. Other devices, which may not be open yet, are assumed to have the same rates.
bool calibrate(const origin& from, rates* r) noexcept {
    constexpr int64_t copied_n = 2048, kernel_n = 4096;
    // Operands and results are all 0, so one matrix is enough. The host takes 10 ms to make it.
    const std::unique_ptr<float[]> zeros(new (std::nothrow) float[copied_n * copied_n]());
    if (!zeros)
        return false;
    using call = product_call<routine::sgemm>;
    const auto make = [&](int64_t m, int64_t n, int64_t k) {
        const product p{
            false, false, m, n, k, 1, zeros.get(), m, zeros.get(), k, 0, zeros.get(), m};
        return call{{{p}}};
    };
    const auto on_device = [&](const call& p) {
        return shortest_seconds(calibrating_runs, [&] {
            return p.run(devices().all().first(1), from) == outcome::served;
        });
    };
    const double latency = on_device(make(1, 1, 1));
    const double up = on_device(make(copied_n, 1, copied_n));
    const double down = on_device(make(copied_n, copied_n, 1));
    const double kernel = shortest_seconds(
        calibrating_runs, [&] { return resident_product(*devices().devices[0], kernel_n); });
    if (std::min({latency, up, down, kernel}) <= 0)
        return false;
    constexpr double bytes = sizeof(float) * copied_n * copied_n;
    constexpr double least_seconds = 1e-6; // differences of measurements are no smaller
    const auto cube = [](int64_t n) { return 2.0 * static_cast<double>(n * n * n); };
    r->device_latency = latency;
    r->to_device = bytes / std::max(up - latency, least_seconds);
    r->to_host = bytes / std::max(down - latency, least_seconds);
    r->device_flops = cube(kernel_n) / kernel;
    r->host_flops = most_host_flops();
    return true;
}

constinit std::atomic<measurement> calibrated{measurement::none}, host_timed{measurement::none};
// One model for each routine that can gain. All models begin with the rates of products.
constexpr int model_count = static_cast<int>(routine::strsm) + 1;
alignas(cost_model) constinit unsigned char model_memory[model_count][sizeof(cost_model)] = {};

cost_model& model_of(routine r) noexcept {
    return *std::launder(reinterpret_cast<cost_model*>(model_memory[static_cast<int>(r)]));
}

// Why there is no model, or null.
const char* why_no_model(const origin& from) noexcept {
    const measurement c = measure_once(calibrated, [&] {
        rates measured;
        const bool is_good = calibrate(from, &measured);
        if (is_good)
            for (auto& memory : model_memory)
                new (memory) cost_model(measured);
        return is_good;
    });
    return c == measurement::done        ? nullptr
           : c == measurement::under_way ? "another thread was timing the GPU"
                                         : "the GPU could not be timed";
}

// Why the models do not know the rate of the program's BLAS, or null. Timing it takes a tenth of a
// second, most of it to start the threads of the program's BLAS.
const char* why_host_is_not_timed(const origin& from) noexcept {
    const measurement c = measure_once(host_timed, [&] {
        constexpr int64_t n = 512;
        const double flops = host_flops(n, calibrating_runs, from);
        if (flops > 0)
            for (int i = 0; i < model_count; ++i)
                model_of(static_cast<routine>(i)).set_host_flops(flops);
        return flops > 0;
    });
    return c == measurement::done        ? nullptr
           : c == measurement::under_way ? "another thread was timing the host"
                                         : "the host could not be timed";
}

// ---- Calls --------------------------------------------------------------------------------------

// The candidate call of this thread. An exception or a signal handler may have left the call. Then
// the next candidate call is not further down the stack.
constinit thread_local const offload_candidate* outermost = nullptr;
// The call with a wrong argument that this thread has handed on. It is no longer the outermost one,
// since its xerbla_ may have left it by longjmp; then all later calls would seem to be within it.
struct wrong_call {
    const offload_candidate* candidate = nullptr;
    int routine = -1;
};
constinit thread_local wrong_call handed_on;

// The stack grows down.
bool is_deeper(const void* place, const offload_candidate* than) noexcept {
    return than && std::less<const void*>()(place, than);
}

// Why no device is considered, or null.
template <class Call>
const char* reason_against(const Call& call, const origin& from) noexcept {
    if (from.own.is_ilp64)
        return "the program's integers have 64 bits";
    if (call.wrong_argument() != 0)
        return "an argument is wrong";
    if (call.is_trivial())
        return "nothing to multiply or to move";
    switch (read_mode()) {
    case mode::never:
        return "MYBLAS_OFFLOAD=never";
    case mode::senseless:
        return "MYBLAS_OFFLOAD makes no sense";
    case mode::automatic:
        if (!can_gain(Call::kind))
            return "its data take longer to move than to use";
        break;
    case mode::always:
        break;
    }
    if (read_backends() == backends::senseless)
        return "MYBLAS_BACKEND is not auto, host or cuda";
    if constexpr (std::is_base_of_v<level3, Call>)
        if (!call.keeps_k() && is_reproducible())
            return "reproducible mode does not have it";
    return nullptr;
}

// Whether every call is counted or logged, no matter which side computes the call.
bool is_observed() noexcept { return report::is_on() || call_log::is_on(); }

} // namespace

void read_offload_filter() noexcept {
    offload_filter a = offload_filter::everything;
    const bool cannot_gain = !is_observed() && read_backends() == backends::senseless;
    if (cannot_gain)
        a = offload_filter::nothing;
    else if (!is_observed() && read_mode() != mode::always)
        a = read_mode() == mode::automatic ? offload_filter::large_products
                                           : offload_filter::nothing;
    set_offload_filter(a);
}

bool is_within_call(const void* place, int wrong_routine) noexcept {
    return is_deeper(place, outermost) ||
           (wrong_routine == handed_on.routine && is_deeper(place, handed_on.candidate));
}

offload_candidate::offload_candidate(routine r, const report::extents& e, bool is_wrong) noexcept
    : routine_(r), extents_(e),
      is_nested_(is_within_call(this, is_wrong ? static_cast<int>(r) : -1) ||
                 is_within_call_in_front(this, is_wrong ? static_cast<int>(r) : -1)) {
    if (is_nested_)
        return;
    outermost = this;
    handed_on = {};
    begin_ns_ = report::now_ns();
}

void offload_candidate::count_wrong_call() noexcept {
    if (is_nested_)
        return;
    count();
    outermost = nullptr;
    handed_on = {this, static_cast<int>(routine_)};
}

void offload_candidate::finish() noexcept {
    if (is_nested_)
        return;
    count();
    outermost = nullptr;
    handed_on = {};
}

void offload_candidate::count() noexcept {
    if (is_counted_)
        return;
    is_counted_ = true;
    const uint64_t elapsed_ns = report::now_ns() - begin_ns_;
    const double seconds = static_cast<double>(elapsed_ns) * 1e-9;
    if (waits_for_start_)
        host_seconds.fetch_add(seconds, std::memory_order_relaxed);
    if (is_watched_) {
        if (is_served_)
            model_of(routine_).learn_devices(size_, open_devices_, seconds);
        else
            model_of(routine_).learn_host(size_, seconds);
    }
    if (report::is_on())
        report::add(static_cast<int>(routine_), extents_, is_served_, label_, elapsed_ns);
}

template <class Call>
bool offload_candidate::offer(const Call& call, const origin& from) noexcept {
    if (call_log::is_on() && !from.own.is_ilp64 && call.wrong_argument() == 0 &&
        !call.is_trivial()) {
        logged_call entry = call.logged();
        entry.routine = static_cast<int>(Call::kind);
        call_log::add(entry);
    }
    if (const char* reason = reason_against(call, from))
        return refuse(reason);
    if (lost_by_fork.load(std::memory_order_relaxed))
        return refuse("the process forked while or after a device was used");
    if constexpr (can_gain(Call::kind)) {
        size_ = call.size();
        if (read_mode() == mode::automatic && size_.flops() < least_flops)
            return refuse("too small to gain");
        if (read_mode() == mode::automatic && !is_worth_starting(size_, from)) {
            waits_for_start_ = true;
            return refuse("the GPU is not worth starting yet");
        }
    }
    if (devices().count == 0) {
        // Nothing will ever go to a device: later calls are examined only if they are counted.
        if (!is_observed())
            set_offload_filter(offload_filter::nothing);
        return refuse(devices().reason);
    }
    if constexpr (can_gain(Call::kind)) {
        if (read_mode() == mode::automatic) {
            if (const char* reason = why_no_model(from))
                return refuse(reason);
            const cost_model& model = model_of(Call::kind);
            const int usable = devices().count_of([](const device* d) { return !d->has_failed(); });
            // Until the host is timed, the model knows only the rate of the fastest host.
            const bool is_clear = model.prefers_devices(size_, usable);
            if (const char* reason = is_clear ? nullptr : why_host_is_not_timed(from))
                return refuse(reason);
            begin_ns_ = report::now_ns(); // the calibration does not count
            is_watched_ = true;
            if (!is_clear && !model.prefers_devices(size_, usable))
                return refuse("the host is expected to be faster");
            open_devices_ = devices().count_of([](const device* d) { return d->is_open(); });
        }
    }
    const busy now(threads_at_devices);
    switch (call.run(devices().all(), from)) {
    case outcome::no_device_free:
        is_watched_ = false;
        return refuse("the GPU was busy with another thread's call");
    case outcome::does_not_fit:
        is_watched_ = false;
        return refuse("its operands do not fit in the memory that a call may use");
    case outcome::device_failed:
        is_watched_ = false;
        for (const device* d : devices().all())
            if (const char* reason = d->why_failed(Call::computed_by))
                return refuse(reason);
        return refuse("the GPU failed, or its memory is full");
    case outcome::served:
        break;
    }
    is_served_ = true;
    const char* kernel = nullptr; // of the first device that took a part
    for (int i = 0; i < devices().count && !kernel; ++i)
        devices().devices[i]->last_kernel(Call::computed_by, &kernel);
    label_ = kernel ? kernel : "unknown";
    return true;
}

namespace {

// Reports through the program's xerbla_, as the program's BLAS would.
void report_wrong_argument(const char* name, int argument) noexcept {
    using xerbla_function = void(const char*, const int*, size_t);
    if (auto* xerbla = reinterpret_cast<xerbla_function*>(dlsym(RTLD_DEFAULT, "xerbla_")))
        xerbla(name, &argument, std::strlen(name));
}

} // namespace

template <class Call>
void compute_on_host(const Call& call, const origin& from) noexcept {
    const char* name = report_routines[static_cast<int>(Call::kind)];
    if (const int argument = call.wrong_argument())
        return report_wrong_argument(name, argument);
    const busy now(threads_at_host);
    device* host = host_device.load();
    if (!host) {
        device* const made = device::make(device::stand_in, 1);
        if (host_device.compare_exchange_strong(host, made))
            host = made;
        else
            delete made;
    }
    if (!host || host->open())
        end_for_want_of(name);
    while (true) {
        switch (call.run({&host, 1}, from)) {
        case outcome::served:
            return;
        case outcome::no_device_free:
            std::this_thread::yield();
            break;
        case outcome::does_not_fit:
        case outcome::device_failed:
            end_for_want_of(name);
        }
    }
}

#define BLAS_ENTRY(name, ...)                                                                      \
    template bool offload_candidate::offer(const call_of<routine::name>::type&,                    \
                                           const origin&) noexcept;                                \
    template void compute_on_host(const call_of<routine::name>::type&, const origin&) noexcept;
#include "common/entries.inc"
#undef BLAS_ENTRY

} // namespace myblas::preload
