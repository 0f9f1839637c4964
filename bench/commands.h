// The commands of myblas-bench. A bool that one returns: whether all is right.
#pragma once

#include "library.h"
#include "machine.h"
#include "options.h"
#include "report.h"

#include <nlohmann/json.hpp>

namespace bench {

// What a command works with.
struct session {
    const options& chosen;
    const library_handle& handle;
    machine& device;
    context known;
};

// Whether no case of the second file is slower beyond the noise of both. Throws usage_error for
// files that cannot be read or have no case in common.
[[nodiscard]] bool compare(const compare_options&);

// How the library chooses for one product, on the card at hand or on one that is not there.
void explain(const options&);

// Prints a table. To be called before the process has used the GPU, so that the first handles are
// the process's first.
nlohmann::ordered_json time_handles(const options&);

// False where a result broke its mode's promise, or a kernel left ordinary data to another.
[[nodiscard]] bool run_accuracy(const session&);

// False where a mode does not get the grade that myblas.h promises.
[[nodiscard]] bool run_grade(const session&);

// Throws failure where the driver does not count the GPU's energy.
void run_energy(const session&);

// Factors on the library's predictions for the card at hand.
void run_tuner(const session&);

// Times of all kernels on random products.
void take_readings(const session&);

} // namespace bench
