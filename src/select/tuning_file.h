// What a user measured on a card of his own, as text: what the environment variable MYBLAS_TUNING names and
// `myblas-bench tune` writes.
//
//   myblas-tuning 2
//   arch 90
//   # the kernel takes so many times as long as the library predicts
//   sgemm stream_k/128x64 NN 1.07
//
// A record a line, in this order, its words apart by blanks or tabs. arch is the compute capability x 10 of the devices
// that the file counts for; the factors are on the times that the library predicts for these. A line sgemm has a kernel, the
// transpositions of A and B, and a factor from 1/64 to 64. What has no line has the factor 1. Empty lines and lines that begin with # may stand anywhere.
#pragma once

#include "select/select.h"

#include <cstddef>
#include <string_view>

namespace myblas {

struct tuning_file {
    int arch = 0;
    tuning_factors factors;
};

// Why a text is no tuning file; `what` is null if it is one.
struct tuning_fault {
    int line; // from 1
    const char* what;
};

// By which times are predicted on an architecture; null: they are not.
using find_model = const time_model* (*)(int arch);

// Pure, if `model_of` is: the text may name the variants of its architecture's model. On a fault *file is half read.
[[nodiscard]] tuning_fault
parse_tuning(std::string_view text, find_model model_of, tuning_file* file) noexcept;

} // namespace myblas
