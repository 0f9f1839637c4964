#include "handles_command.h"

#include "commands.h"
#include "errors.h"
#include "json_text.h"
#include "timing.h"

#include <fmt/format.h>

#include <vector>

namespace bench {
namespace {

using nlohmann::ordered_json;

constexpr int repeats = 20;

struct handle_times {
    double create_us, first_call_us, second_call_us, destroy_us;
};

double time_us(const std::function<void()>& step) {
    const auto begin = wall_clock::now();
    step();
    return 1e6 * seconds_since(begin);
}

handle_times time_handle(const handle_library& library) {
    void* handle = nullptr;
    handle_times found{};
    found.create_us = time_us([&] { handle = library.create(); });
    library.prepare(handle);
    found.first_call_us = time_us([&] { library.multiply(handle); });
    found.second_call_us = time_us([&] { library.multiply(handle); });
    found.destroy_us = time_us([&] { library.destroy(handle); });
    return found;
}

// Microseconds a handle, if every call has a new handle, as in programs with a handle for each
// object or thread.
double time_churn(const handle_library& library, int handles) {
    return time_us([&] {
               for (int i = 0; i < handles; ++i) {
                   void* const handle = library.create();
                   library.multiply(handle);
                   library.destroy(handle);
               }
           }) /
           handles;
}

struct own_state {
    myblasBackend_t backend = MYBLAS_BACKEND_AUTO; // of the first handle
    std::shared_ptr<float> a, c;
};

handle_library own_handles(const options& chosen, const std::shared_ptr<own_state>& state) {
    const int64_t n = chosen.handles.side;
    handle_library library;
    library.name = "myblas";
    library.create = [wanted = chosen.backend] {
        myblasHandle_t handle = nullptr;
        require(wanted == MYBLAS_BACKEND_AUTO ? myblasCreate(&handle)
                                              : myblasCreateOn(&handle, wanted),
                "myblasCreate");
        return static_cast<void*>(handle);
    };
    library.prepare = [n, state](void* handle) {
        if (state->a)
            return;
        require(myblasGetBackend(static_cast<myblasHandle_t>(handle), &state->backend),
                "myblasGetBackend");
        const auto zeros = [&](size_t count) {
            return state->backend == MYBLAS_BACKEND_CUDA
                       ? make_device_zeros(count)
                       : std::shared_ptr<float>(new float[count](), std::default_delete<float[]>());
        };
        state->a = zeros(static_cast<size_t>(n * n));
        state->c = zeros(static_cast<size_t>(n * n));
    };
    library.multiply = [state, s = complete({.m = n, .n = n, .k = n})](void* handle) {
        const operands o{.a = state->a.get(), .b = state->a.get(), .c = state->c.get()};
        require(call_routine(linked_library(), static_cast<myblasHandle_t>(handle), s, o),
                "mysgemm");
        if (state->backend == MYBLAS_BACKEND_CUDA)
            wait_for_device();
    };
    library.destroy = [](void* handle) {
        require(myblasDestroy(static_cast<myblasHandle_t>(handle)), "myblasDestroy");
    };
    return library;
}

ordered_json to_json(const handle_library& library,
                     const char* which,
                     const handles_options& chosen,
                     const handle_times& times) {
    return {{"library", library.name},
            {"file", library.file.empty() ? ordered_json(nullptr) : ordered_json(library.file)},
            {"handle", which},
            {"n", chosen.side},
            {"create_us", four_digits(times.create_us)},
            {"first_call_us", four_digits(times.first_call_us)},
            {"second_call_us", four_digits(times.second_call_us)},
            {"destroy_us", four_digits(times.destroy_us)}};
}

void print_heading(const handles_options& chosen) {
    fmt::print(
        "Microseconds; a call is a product of {0} x {0} x {0}, with the wait for its result.\n"
        "first: the process's first handle; later: median of {1} more; churn: {2} handles,\n"
        "each created, used for one call and destroyed, microseconds a handle.\n\n",
        chosen.side,
        repeats,
        chosen.count);
    fmt::print("library  handle     create  first call  second call    destroy     churn\n");
}

void print_row(const ordered_json& row) {
    fmt::print("{:<8} {:<6} {:>10.1f} {:>11.1f} {:>12.1f} {:>10.1f} {:>9}{}\n",
               row["library"].get<std::string>(),
               row["handle"].get<std::string>(),
               row["create_us"].get<double>(),
               row["first_call_us"].get<double>(),
               row["second_call_us"].get<double>(),
               row["destroy_us"].get<double>(),
               row.contains("churn_us") ? fmt::format("{:.1f}", row["churn_us"].get<double>())
                                        : "-",
               row["file"].is_null() ? "" : "  " + row["file"].get<std::string>());
    std::fflush(stdout);
}

void time_library(const handle_library& library,
                  const handles_options& chosen,
                  ordered_json& rows) {
    const handle_times first = time_handle(library);
    if (rows.empty())
        print_heading(chosen);
    rows.push_back(to_json(library, "first", chosen, first));
    print_row(rows.back());
    std::vector<handle_times> later;
    for (int i = 0; i < repeats; ++i)
        later.push_back(time_handle(library));
    const auto middle = [&](double handle_times::*part) {
        std::vector<double> values;
        for (const handle_times& times : later)
            values.push_back(times.*part);
        return median(values);
    };
    rows.push_back(to_json(library,
                           "later",
                           chosen,
                           {middle(&handle_times::create_us),
                            middle(&handle_times::first_call_us),
                            middle(&handle_times::second_call_us),
                            middle(&handle_times::destroy_us)}));
    rows.back()["churn_us"] = four_digits(time_churn(library, chosen.count));
    rows.back()["churn_handles"] = chosen.count;
    print_row(rows.back());
}

} // namespace

ordered_json time_handles(const options& chosen) {
    const handles_options& asked = chosen.handles;
    ordered_json rows = ordered_json::array();
    const auto state = std::make_shared<own_state>();
    if (chosen.backend != MYBLAS_BACKEND_HOST)
        create_context();
    if (asked.times.own)
        time_library(own_handles(chosen, state), asked, rows);
    const bool may_have_cublas = state->backend != MYBLAS_BACKEND_HOST;
    const std::optional<handle_library> cublas =
        asked.times.cublas && may_have_cublas ? cublas_handles(asked.side) : std::nullopt;
    if (cublas)
        time_library(*cublas, asked, rows);
    else if (!asked.times.own)
        throw failure("there is no cuBLAS: libcublas.so.13 and libcublas.so.12 cannot be loaded");
    return rows;
}

} // namespace bench
