#include "call_log.h"

#include "errors.h"
#include "shape_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <optional>

namespace bench {
namespace {

using nlohmann::ordered_json;

// Functions that BLAS does not have under this name. The log has cuBLAS's names without the prefix.
const std::map<std::string, routine> other_names = {
    {"sgemmstridedbatched", routine::sgemm},
    {"sgemmbatched", routine::sgemm},
    {"sgemmex", routine::sgemm},
    {"gemmex", routine::sgemm},
    {"gemmstridedbatchedex", routine::sgemm},
    {"gemmbatchedex", routine::sgemm},
    {"ltmatmul", routine::sgemm},
    {"somatcopy", routine::transpose},
    {"simatcopy", routine::transpose},
    {"asumex", routine::asum},
    {"dotex", routine::dot},
    {"nrm2ex", routine::nrm2},
    {"axpyex", routine::axpy},
    {"scalex", routine::scal},
};

std::optional<routine> routine_of(const std::string& name) {
    const std::string function = to_lower(name);
    if (const auto found = other_names.find(function); found != other_names.end())
        return found->second;
    for (int i = 0; i < routine_count; ++i)
        if (const routine_info& of = describe(static_cast<routine>(i));
            of.is_in_blas && function == of.function)
            return of.routine;
    return std::nullopt;
}

// Why a call cannot be timed in the form in which it was made; empty if it can.
const char* why_not(routine r, const shape& s, int64_t incy) {
    if (r == routine::transpose && !s.transa)
        return "it copies without transposing";
    if (has(r, field::inc) && (s.incx < 1 || incy < 1))
        return "an increment is not positive";
    if (has(r, field::inc) && s.incx != incy)
        return "the increments of its vectors differ";
    return "";
}

// A number of calls, from 1 on.
int64_t read_calls(const ordered_json& json) {
    const int64_t calls = read_integer(json);
    if (calls < 1)
        throw usage_error(fmt::format("{} calls: the number has to be positive", calls));
    return calls;
}

// Saturates, because a log may have any numbers.
void add_calls(int64_t& sum, int64_t calls) {
    sum = calls > std::numeric_limits<int64_t>::max() - sum ? std::numeric_limits<int64_t>::max()
                                                            : sum + calls;
}

// The contents of one line; throws json::exception and usage_error.
struct parsed {
    std::string function, reason; // no reason: the shape is complete
    shape sizes;
};
parsed parse(const ordered_json& line) {
    parsed call{line.at("function").get<std::string>(), "", {}};
    call.sizes.calls = read_calls(line.at("calls"));
    const std::optional<routine> found = routine_of(call.function);
    if (!found) {
        call.reason = "myblas-bench has no such routine";
        return call;
    }
    shape s = read_sizes(*found, line);
    call.reason = why_not(*found, s, line.contains("incy") ? read_integer(line["incy"]) : s.incx);
    if (*found == routine::transpose) {
        s.element_bytes = sizeof(float);
        s.in_place = call.function == "simatcopy";
    }
    try {
        call.sizes = complete(s);
    } catch (const usage_error& error) {
        if (call.reason.empty())
            call.reason = error.what();
    }
    return call;
}

double work_of(const shape& s) {
    return (counts_flops(s.routine) ? count_flops(s) : count_bytes(s)) *
           static_cast<double>(s.calls);
}

// The log may have the same call several times, from several processes.
void add(call_log& log, std::map<std::string, size_t>& places, const parsed& call) {
    if (!call.reason.empty()) {
        const auto found =
            std::find_if(log.left_out.begin(), log.left_out.end(), [&](const left_out_calls& l) {
                return l.function == call.function && l.reason == call.reason;
            });
        if (found != log.left_out.end())
            add_calls(found->calls, call.sizes.calls);
        else
            log.left_out.push_back({call.function, call.reason, call.sizes.calls});
        return;
    }
    shape once = call.sizes;
    once.calls = 0;
    const auto [place, is_new] = places.emplace(to_json(once).dump(), log.shapes.size());
    if (is_new)
        log.shapes.push_back(call.sizes);
    else
        add_calls(log.shapes[place->second].calls, call.sizes.calls);
}

} // namespace

call_log read_call_log(const std::string& file) {
    std::ifstream stream(file);
    if (!stream)
        throw usage_error(fmt::format("{} cannot be read", file));
    call_log log;
    std::map<std::string, size_t> places;
    std::string text;
    for (int number = 1; std::getline(stream, text); ++number) {
        try {
            const ordered_json line = ordered_json::parse(text);
            if (line.contains("left_out"))
                log.left_out.push_back({"further calls",
                                        "they found no place in the log",
                                        read_calls(line["left_out"])});
            else
                add(log, places, parse(line));
        } catch (const usage_error& error) {
            throw usage_error(fmt::format("{}, line {}: {}", file, number, error.what()));
        } catch (const nlohmann::json::exception&) {
            throw usage_error(
                fmt::format("{}, line {}: no call as MYBLAS_CALL_LOG has them", file, number));
        }
    }
    if (log.shapes.empty())
        throw usage_error(fmt::format("{} has no call that can be timed", file));
    std::stable_sort(log.shapes.begin(), log.shapes.end(), [](const shape& x, const shape& y) {
        return x.routine != y.routine ? x.routine < y.routine : work_of(x) > work_of(y);
    });
    return log;
}

} // namespace bench
