#include "blas/whole_call.h"

#include "blas/layout.h"

#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <string>

namespace myblas::preload {
namespace {

int64_t elements_of(const operand& o) { return round_up(o.rows * o.cols, element_alignment); }

// Events of the device.
constexpr int uploaded = 0, computed = 1;

// Results are downloaded to separate memory, so that the program's memory is changed only once all
// results have arrived.
bool run(device& d, std::span<const operand> operands, device_call call, float* results) {
    int64_t elements = 0;
    for (const operand& o : operands)
        elements += elements_of(o);
    std::array<float*, most_operands> places{};
    float* place = nullptr;
    if (elements > 0) {
        place = static_cast<float*>(d.reserve(static_cast<size_t>(elements) * sizeof(float)));
        if (!place)
            return false;
    }
    for (size_t i = 0; i < operands.size(); place += elements_of(operands[i]), ++i) {
        const operand& o = operands[i];
        places[i] = place;
        if (o.data && !d.upload({o.data, o.rows, o.cols, o.ld}, {place, o.rows}, o.part))
            return false;
    }
    if (!d.record(uploaded, device::uploads) || !d.wait(device::compute, uploaded) ||
        call(d, places.data()) != MYBLAS_STATUS_SUCCESS || !d.record(computed, device::compute) ||
        !d.wait(device::downloads, computed))
        return false;
    for (size_t i = 0; i < operands.size(); ++i) {
        const operand& o = operands[i];
        if (!o.target)
            continue;
        if (!d.download({places[i], o.rows}, {results, o.rows, o.cols, o.rows}, o.part))
            return false;
        results += elements_of(o);
    }
    return true;
}

} // namespace

void* sized_function(const char* name) noexcept {
    if (void* function = library_function(name))
        return function;
    return library_function(std::string(name, std::strlen(name) - std::strlen("_64")).c_str());
}

outcome whole_call(device& d, std::span<const operand> operands, device_call call) noexcept {
    int64_t elements = 0, result_elements = 0;
    for (const operand& o : operands) {
        elements += elements_of(o);
        result_elements += o.target ? elements_of(o) : 0;
    }
    const std::unique_ptr<float[]> results(new (std::nothrow) float[result_elements]);
    const double bytes = sizeof(float) * static_cast<double>(elements);
    if (!d.hold())
        return outcome::no_device_free;
    bool is_good = false;
    if (const device::activation active(d, copy_team::useful_helpers(bytes, 1));
        active.is_active()) {
        is_good = results && run(d, operands, call, results.get());
        is_good = d.finish(is_good) && is_good;
    }
    d.release();
    if (!is_good)
        return outcome::device_failed;
    const float* result = results.get();
    for (const operand& o : operands)
        if (o.target) {
            copy_team().post({result, o.rows, o.cols, o.rows},
                             {o.target, o.rows, o.cols, o.ld},
                             copy_team::destination::memory,
                             o.part);
            result += elements_of(o);
        }
    return outcome::served;
}

} // namespace myblas::preload
