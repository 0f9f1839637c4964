// The tables as a handle sees them: with the factors of the file that MYBLAS_TUNING names, if any.
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

// Once a file has been read; null if there is none that is valid.
extern std::atomic<const tuned_predictor*> tuning_in_use;

// Reads the file the first time; later the environment does not matter any more.
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
