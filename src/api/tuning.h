// The tuning tables of a handle, with the factors of MYBLAS_TUNING's file, if there is one.
#pragma once

#include "core/device.h"
#include "select/select.h"
#include "select/tuning_file.h"

#include <atomic>
#include <type_traits>

namespace myblas {

// A file, and the predictor of its architecture with its factors.
struct tuned_predictor {
    tuning_file file;
    predictor by;
};

// The tuning of the file, once read; null if there is no valid file.
extern std::atomic<const tuned_predictor*> tuning_in_use;

// Reads the file on the first call. Later changes of the environment have no effect.
void read_tuning() noexcept;

template <class Problem>
selection_table<Problem> current_table(myblasBackend_t backend, const device_info& device) {
    selection_table<Problem> table = table_of<Problem>(backend, device);
    if constexpr (std::is_same_v<Problem, sgemm_problem>) {
        const tuned_predictor* tuned = tuning_in_use.load(std::memory_order_acquire);
        if (tuned && backend == MYBLAS_BACKEND_CUDA && tuned->file.arch == device.arch)
            table.predictor = &tuned->by;
    }
    return table;
}

} // namespace myblas
