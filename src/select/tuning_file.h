// A user's measurements on a GPU as text: the file that the environment variable MYBLAS_TUNING
// names, and that `myblas-bench tune` writes.
//
//   myblas-tuning 2
//   arch 90
//   # the kernel takes 1.07 times as long as the library predicts
//   sgemm stream_k/128x64 NN 1.07
//
// Each line has one record, in this order; words are separated by blanks or tabs. arch is the
// compute capability x 10 of the devices that use the file. The factors multiply the times that the
// library predicts for these devices. A line sgemm has a kernel, the transpositions of A and B, and
// a factor from 1/64 to 64. The factor is 1 where there is no line. Empty lines and lines that
// begin with # are ignored.
#pragma once

#include "select/select.h"

#include <cstddef>
#include <string_view>

namespace myblas {

struct tuning_file {
    int arch = 0;
    tuning_factors factors;
};

// Why a text is not a tuning file; `what` is null if it is one.
struct tuning_fault {
    int line; // from 1
    const char* what;
};

// Finds the model that predicts times on an architecture; null if there is none.
using find_model = const time_model* (*)(int arch);

// Pure if `model_of` is pure. The text may name the variants of its architecture's model. After a
// fault *file is incomplete.
[[nodiscard]] tuning_fault
parse_tuning(std::string_view text, find_model model_of, tuning_file* file) noexcept;

} // namespace myblas
