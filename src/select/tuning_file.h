// What a user measured on a card of his own, as text: what the environment variable MYBLAS_TUNING names and
// `myblas-bench tune` writes.
//
//   myblas-tuning 2
//   arch 90
//   # the kernel takes so many times as long as the library predicts
//   sgemm stream_k/128x64 NN 1.07
//
// A record a line, in this order, its words apart by blanks or tabs. arch is the compute capability x 10 of the devices
// that the factors are for. A line sgemm has a kernel, the transpositions of A and B, and a factor from 1/64 to
// 64. What has no line has the factor 1. Empty lines and lines that begin with # may stand anywhere.
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

// Pure: the text may name the model's variants. On a fault *file is half read.
[[nodiscard]] tuning_fault
parse_tuning(std::string_view text, const time_model& model, tuning_file* file) noexcept;

} // namespace myblas
