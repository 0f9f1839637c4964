// The command line, and the shapes it asks for.
#pragma once

#include "machine.h"
#include "shape.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bench {

enum class sweep { none, all_public, ladder, quick };

struct options {
    std::vector<routine> routines;
    shape sizes; // 0 where nothing was given
    bench::sweep sweep = bench::sweep::none;
    std::string kernel = "auto"; // or "all", or a name
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH;
    std::string math_name = "strict";
    myblasBackend_t backend = MYBLAS_BACKEND_AUTO;
    std::optional<timing> how; // not given: the backend's own
    bool cold = false;
    bool verify = false;
    bool list = false;
    double min_time_s = 0.25;
    int repeats = 5;
    uint64_t seed = 0;
    std::string json_file, csv_file;
    std::string commit;
    std::string command; // as typed, without the path of the program
};

// Throws usage_error. Null after --help and --version, which have printed what they should.
std::optional<options> parse_options(int argc, char** argv);

// Complete shapes, in the order in which they are measured.
std::vector<shape> requested_shapes(const options&, myblasBackend_t);

} // namespace bench
