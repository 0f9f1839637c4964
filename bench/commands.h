// The commands of myblas-bench. A command that returns a bool returns whether all is right.
#pragma once

#include "library.h"
#include "machine.h"
#include "options.h"
#include "report.h"

#include <nlohmann/json.hpp>

namespace bench {

// What every command uses.
struct session {
    const options& chosen;
    const library_handle& handle;
    machine& device;
    context known;
};

// Whether no case of the second file is slower beyond the noise of both. Throws usage_error for
// files that cannot be read or have no case in common.
[[nodiscard]] bool compare(const compare_options&);

// How the library chooses a kernel for one product, on this card or on another one.
void explain(const options&);

// Prints a table. Must be called before the process has used the GPU, so that the first handle is
// the first of the process.
nlohmann::ordered_json time_handles(const options&);

// False if a result broke its mode's promise, or if a kernel left ordinary data to another kernel.
[[nodiscard]] bool run_accuracy(const session&);

// False if a mode does not get the grade that myblas.h promises.
[[nodiscard]] bool run_grade(const session&);

// Throws failure if the driver does not measure the GPU's energy.
void run_energy(const session&);

// Measures factors on the library's predictions for this card.
void run_tuner(const session&);

// Measures times of all kernels on random products.
void take_readings(const session&);

} // namespace bench
