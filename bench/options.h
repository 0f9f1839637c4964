// The command line, and the shapes it asks for.
#pragma once

#include "fields.h"
#include "library.h"
#include "progress.h"
#include "timing.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bench {

// The workspace of kernels: one of the size that they want, lent to the handle, or the handle's
// own.
enum class workspace_source { lent, own };
inline constexpr named<workspace_source> workspace_sources[] = {{"lent", workspace_source::lent},
                                                                {"own", workspace_source::own}};

// The kinds of products in readings. Products are drawn at random, uniform in the logarithms of
// their sizes. What a seed draws depends on the order of the sets, so new ones follow the others.
enum class reading_set {
    random,  // sizes from 1 to 8192, tight leading dimensions
    grid,    // the same, rounded up to multiples of 4 to 128
    padded,  // with leading dimensions and addresses that are not aligned to 16 bytes
    extreme, // a size beyond 8192
    update,  // of a factorisation: m, n from 200, k up to 320
    thin,    // one side of C up to 160
    batch,
    tensor,      // sizes from 24 to 16384
    square,      // from 16 to 16384
    narrow,      // one side of C up to 16, padded
    deep,        // k from 5000, m and n up to 128, padded
    vector,      // C is a row or a column; padded
    small_batch, // sides up to 350, padded
    attention,   // batches: scores and outputs of attention heads, convolutions as products
    large_batch, // batches of large products: one side of C up to 12000, the other up to 2100
    shared,      // batches by strides in which all products have the same A, B, or both
    short_batch, // batches with a k from 9 to 64
    decode,      // batches in which C is a row or a column
    tall,        // one side of C from 2 to 16, the other from 20,000 on; padded
};
inline constexpr named<reading_set> reading_sets[] = {{"random", reading_set::random},
                                                      {"grid", reading_set::grid},
                                                      {"padded", reading_set::padded},
                                                      {"extreme", reading_set::extreme},
                                                      {"update", reading_set::update},
                                                      {"thin", reading_set::thin},
                                                      {"batch", reading_set::batch},
                                                      {"tensor", reading_set::tensor},
                                                      {"square", reading_set::square},
                                                      {"narrow", reading_set::narrow},
                                                      {"deep", reading_set::deep},
                                                      {"vector", reading_set::vector},
                                                      {"small_batch", reading_set::small_batch},
                                                      {"attention", reading_set::attention},
                                                      {"large_batch", reading_set::large_batch},
                                                      {"shared", reading_set::shared},
                                                      {"short_batch", reading_set::short_batch},
                                                      {"decode", reading_set::decode},
                                                      {"tall", reading_set::tall}};

// The command. Without one, myblas-bench measures shapes.
enum class action {
    measure,
    tune,
    compare,
    replay,
    accuracy,
    grade,
    energy,
    handles,
    readings,
    explain,
};

// `myblas-bench tune`.
struct tune_options {
    std::string file; // empty: not written
    double budget_s = 80;
};

// `myblas-bench readings`.
struct readings_options {
    std::vector<reading_set> sets; // empty: all
    int count = 1000000;           // rounds through the sets
    std::string calls;             // an earlier file whose calls are timed; empty: drawn ones
    double budget_s = 300;
    std::vector<std::string> kernels; // empty: the kernels with the least predicted times
    std::string file;
};

// `myblas-bench explain`: options::sides and options::sizes give the products.
struct explain_options {
    std::string device; // empty: this one
    int workspace_mib = 4096;
};

// `myblas-bench accuracy`: every kind of data with every size and every depth.
struct accuracy_options {
    std::vector<data_kind> data;              // empty: all
    std::vector<int64_t> sides = {512, 2048}; // m = n
    std::vector<int64_t> depths = {64, 256, 1024, 4096, 32768};
};

// `myblas-bench grade`.
struct grade_options {
    std::vector<int64_t> sides; // m = n = k; empty: the backend's own
};

// `myblas-bench energy`: joules of a square product, in a long run of each mode and library.
struct energy_options {
    int64_t side = 8192;
    double seconds = 4;
};

// `myblas-bench handles`: times of creating a handle, of calls with it, and of destroying it.
struct timed_libraries {
    bool own = true, cublas = true;
    bool operator==(const timed_libraries&) const = default;
};
struct handles_options {
    timed_libraries times;
    int64_t side = 64; // of the product
    int count = 1000;  // of the handles that are used once
};

// `myblas-bench compare`.
struct compare_options {
    std::string before, after; // files of --json
    double tolerance = 0.01;   // smaller differences of medians are noise
    bool shows_all = false;    // also shows cases within the noise
};

struct options {
    bench::action action = action::measure;
    tune_options tune;
    accuracy_options accuracy;
    grade_options grade;
    energy_options energy;
    handles_options handles;
    readings_options readings;
    explain_options explain;
    compare_options compare;
    std::string call_log; // that is replayed: a file of MYBLAS_CALL_LOG
    std::vector<routine> routines;
    size_lists sides;
    shape sizes;                 // the other fields of the shapes; 0 if not given
    std::vector<sweep> sweeps;   // none: the shapes above
    int every = 1;               // of the shapes of each sweep
    std::string kernel = "auto"; // or "all", or the name of a kernel or family
    workspace_source workspace = workspace_source::lent;
    std::string against; // file of another libmyblas that is measured beside this one; empty: none
    int lt_algorithms = 0; // of cuBLASLt; the fastest one is measured, too
    myblasMath_t math = MYBLAS_FP32_STRICT_MATH;
    myblasBackend_t backend = MYBLAS_BACKEND_AUTO;
    std::optional<timing> how; // not given: the backend's own
    bool cold = false;
    bool verify = false;
    bool list = false;
    bool names_device = false;
    double min_time_s = 0.25;
    int repeats = 5;
    uint64_t seed = 0;    // if none is given, the first digits of the commit
    double threshold = 1; // ratios below it are named at the end
    std::string json_file, csv_file;
    bool resume = false; // from json_file
    bool force = false;  // json_file may hold an interrupted run
    progress_mode shown_progress = progress_mode::automatic;
    std::string commit; // that was measured
    // As typed, without the path of the program, and without --resume, --force and --progress,
    // which do not change the results.
    std::string command;

    bool has(sweep wanted) const {
        return std::find(sweeps.begin(), sweeps.end(), wanted) != sweeps.end();
    }
};

// Throws usage_error. Null after --help and --version, which have already printed their text.
std::optional<options> parse_options(int argc, char** argv);

// Complete shapes, in the order in which they are measured.
std::vector<shape> requested_shapes(const options&, myblasBackend_t);

} // namespace bench
