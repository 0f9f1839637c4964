#include "options.h"

#include "build_commit.h"
#include "errors.h"
#include "wrap.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <random>

namespace bench {
namespace {

std::map<std::string, routine> routine_names() {
    std::map<std::string, routine> names;
    for (int i = 0; i < routine_count; ++i)
        names[describe(static_cast<routine>(i)).name] = static_cast<routine>(i);
    return names;
}

std::map<std::string, data_kind> data_names() {
    std::map<std::string, data_kind> names;
    for (int i = 0; i < data_kind_count; ++i)
        names[to_text(static_cast<data_kind>(i))] = static_cast<data_kind>(i);
    return names;
}

std::map<std::string, myblasActivation_t> activation_names() {
    std::map<std::string, myblasActivation_t> names;
    for (int i = 0; i < activation_count; ++i)
        names[to_text(static_cast<myblasActivation_t>(i))] = static_cast<myblasActivation_t>(i);
    return names;
}

std::map<std::string, reading_set> reading_set_names() {
    std::map<std::string, reading_set> names;
    for (int i = 0; i < reading_set_count; ++i)
        names[to_text(static_cast<reading_set>(i))] = static_cast<reading_set>(i);
    return names;
}

std::string join_command(int argc, char** argv) {
    std::string program = argv[0];
    std::string command = program.substr(program.find_last_of('/') + 1);
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--progress")
            ++i; // and its value
        else if (word != "--resume" && word != "--force" && !word.starts_with("--progress="))
            command += " " + word;
    }
    return command;
}

// A size that no chosen routine has is a slip worth stopping for.
void reject_foreign_sizes(const CLI::App& app, const std::vector<routine>& chosen) {
    const std::pair<const char*, const char*> owned[] = {
        {"--transa", "to"},
        {"--transb", "u"},
        {"--side", "h"},
        {"--uplo", "w"},
        {"--diag", "g"},
        {"-m", "m"},
        {"-k", "k"},
        {"--lda", "a"},
        {"--ldb", "s"},
        {"--ldc", "l"},
        {"--incx", "i"},
        {"--batch", "b"},
        {"--pointer-array", "b"},
        {"--in-place", "p"},
        {"--ld-pad", "a"},
        {"--elem-bytes", "e"},
        {"--data", "d"},
        {"--activation", "f"},
    };
    for (const auto& [name, letters] : owned) {
        if (app.count(name) == 0)
            continue;
        bool used = false;
        for (const routine r : chosen)
            used = used ||
                   std::string(describe(r).options).find_first_of(letters) != std::string::npos;
        if (!used)
            throw usage_error(
                fmt::format("{} does not apply to {}", name, describe(chosen[0]).name));
    }
}

// The first 8 digits of the commit's hash: the shapes of a random sweep are others for each commit, and known from it.
// Fresh where there is no hash.
uint64_t seed_of(const std::string& commit) {
    constexpr size_t digits = 8; // short enough to be typed
    const std::string first = commit.substr(0, digits);
    if (first.size() == digits && first.find_first_not_of("0123456789abcdef") == first.npos)
        return std::stoull(first, nullptr, 16);
    return std::random_device()();
}

// Help within 80 columns: CLI11's own formatter does not wrap lines, and writes the accepted values beside the names.
class narrow_formatter : public CLI::Formatter {
public:
    std::string make_option(const CLI::Option* option, bool is_positional) const override {
        const std::string type = option->get_type_name(); // TEXT, or TEXT:{one,of,these}
        const size_t colon = type.find(":");
        std::string name = make_option_name(option, is_positional);
        if (option->get_type_size() != 0) // not a flag
            name += " " + type.substr(0, colon);
        std::string text = option->get_description();
        if (const size_t begin = type.find('{'); begin != std::string::npos) {
            text += text.empty() ? "" : ": ";
            for (const char c : type.substr(begin + 1, type.find('}') - begin - 1))
                text += c == ',' ? ", " : std::string(1, c);
        }
        return entry(name, text);
    }

    std::string make_subcommand(const CLI::App* command) const override {
        return entry(command->get_name(), command->get_description());
    }

private:
    static std::string entry(const std::string& name, const std::string& text) {
        constexpr size_t indent = 27, columns = 80;
        return wrap("  " + name, text, indent, columns);
    }
};

const CLI::Range size(int64_t{1}, int64_t{1} << 40, "a size of at least 1");

// Options of a product; some are those of other routines, too.
void add_product(CLI::App& command,
                 options& chosen,
                 const std::map<std::string, bool>& operations,
                 std::string& transa,
                 std::string& transb) {
    shape& s = chosen.sizes;
    command.add_option("--transa,--trans", transa, "transposition of A (N)")
        ->check(CLI::IsMember(&operations));
    command.add_option("--transb", transb, "transposition of B (N)")
        ->check(CLI::IsMember(&operations));
    const auto add_sizes = [&](const char* name, std::vector<int64_t>& list, const char* what) {
        command.add_option(name, list, what)->delimiter(',')->check(size);
    };
    add_sizes("-m", chosen.sides.m, "rows, separated by commas; sizes not given equal those given");
    add_sizes("-n", chosen.sides.n, "columns, or lengths of vectors");
    add_sizes("-k", chosen.sides.k, "inner dimensions");
    command.add_option("--lda", s.lda, "leading dimension of A (tight)")->check(size);
    command.add_option("--ldb", s.ldb, "of B")->check(size);
    command.add_option("--ldc", s.ldc, "of C")->check(size);
    command.add_option("--offset", s.offset, "elements added to every pointer (0)");
    command.add_option("--batch", s.batch, "products in one call (1)")->check(size);
    command.add_flag("--pointer-array", s.pointer_array, "a batch by arrays of pointers");
}

} // namespace

const char* to_text(reading_set set) {
    constexpr const char* names[reading_set_count] = {
        "random", "grid", "padded", "extreme", "update", "thin", "batch", "tensor", "square"};
    return names[static_cast<int>(set)];
}

const char* to_text(workspace_source source) {
    return source == workspace_source::own ? "own" : "lent";
}

std::optional<options> parse_options(int argc, char** argv) {
    options chosen;
    chosen.command = join_command(argc, argv);
    const char* commit = std::getenv("MYBLAS_COMMIT");
    chosen.commit = commit && *commit ? commit : build_commit;

    const std::map<std::string, bool> operations = {{"N", false}, {"T", true}};
    const std::map<std::string, bool> sides = {{"L", false}, {"R", true}};
    const std::map<std::string, bool> triangles = {{"L", false}, {"U", true}};
    const std::map<std::string, bool> diagonals = {{"N", false}, {"U", true}};
    const std::map<std::string, sweep> sweeps = {{"public", sweep::all_public},
                                                 {"misaligned", sweep::misaligned},
                                                 {"random", sweep::random},
                                                 {"batched", sweep::batched},
                                                 {"bare", sweep::bare},
                                                 {"elements", sweep::elements},
                                                 {"in-place", sweep::in_place},
                                                 {"powers", sweep::powers},
                                                 {"ladder", sweep::ladder}};
    const std::map<std::string, timing> timings = {
        {"graph", timing::graph}, {"event", timing::event}, {"enqueue", timing::enqueue}};
    const std::map<std::string, myblasBackend_t> backends = {{"auto", MYBLAS_BACKEND_AUTO},
                                                             {"host", MYBLAS_BACKEND_HOST},
                                                             {"cuda", MYBLAS_BACKEND_CUDA}};
    const std::map<std::string, myblasMath_t> maths = {{"strict", MYBLAS_FP32_STRICT_MATH},
                                                       {"emulated", MYBLAS_FP32_EMULATED_MATH},
                                                       {"fast", MYBLAS_FP32_FAST_MATH}};
    const std::map<std::string, workspace_source> workspaces = {{"lent", workspace_source::lent},
                                                                {"own", workspace_source::own}};
    const std::map<std::string, progress_mode> progress_modes = {{"auto", progress_mode::automatic},
                                                                 {"always", progress_mode::always},
                                                                 {"never", progress_mode::never}};
    const std::map<std::string, data_kind> data = data_names();
    const std::map<std::string, myblasActivation_t> activations = activation_names();
    std::string timing_name, backend_name = "auto", transa = "N", transb = "N";
    std::string side = "L", uplo = "L", diag = "N";
    std::string data_name = "uniform", activation_name = "none", workspace_name = "lent",
                progress_name = "auto";
    std::vector<std::string> routine_list, sweep_list;
    bool quick = false;

    CLI::App app("Times myblas beside cuBLAS, CUB or OpenBLAS, in one run on the same data.",
                 "myblas-bench");
    app.formatter(std::make_shared<narrow_formatter>());
    app.set_version_flag("--version",
                         fmt::format("myblas-bench {}.{}.{}",
                                     MYBLAS_VERSION_MAJOR,
                                     MYBLAS_VERSION_MINOR,
                                     MYBLAS_VERSION_PATCH));
    const auto names = routine_names();
    app.add_option("-f,--function", routine_list, "routines, separated by commas (sgemm)")
        ->delimiter(',')
        ->check(CLI::IsMember(&names));
    add_product(app, chosen, operations, transa, transb);
    app.add_option("--side", side, "of the symmetric or triangular matrix (L)")
        ->check(CLI::IsMember(&sides));
    app.add_option("--uplo", uplo, "its triangle (L)")->check(CLI::IsMember(&triangles));
    app.add_option("--diag", diag, "its diagonal; U: ones (N)")->check(CLI::IsMember(&diagonals));
    app.add_option("--incx", chosen.sizes.incx, "increment of the vectors (1)")->check(size);
    app.add_option("--elem-bytes", chosen.sizes.element_bytes, "transpose: bytes of an element (4)")
        ->check(CLI::IsMember({1, 2, 4, 8, 16}));
    app.add_option("--ld-pad", chosen.sizes.ld_pad, "elements added to every tight dimension (0)");
    app.add_option("--data", data_name, "kind of data of a histogram or a product (uniform)")
        ->check(CLI::IsMember(&data));
    app.add_option("--activation", activation_name, "of sgemmFused, behind the bias (none)")
        ->check(CLI::IsMember(&activations));
    app.add_flag("--in-place", chosen.sizes.in_place, "transpose onto the matrix itself");
    // Of sweeps and replays: how calls are measured, and where the results go.
    const auto add_measurement = [&](CLI::App& command) {
        command.add_option(
            "--kernel", chosen.kernel, "a kernel or family, all, or auto: the library's choice");
        command.add_option("--math", chosen.math_name, "math mode (strict)")
            ->check(CLI::IsMember(&maths));
        command
            .add_option(
                "--workspace",
                workspace_name,
                "memory lent to kernels, as much as they can use, or the handle's own (lent)")
            ->check(CLI::IsMember(&workspaces));
        command.add_option(
            "--against", chosen.against, "another libmyblas.so, measured in the same run");
        command.add_flag("--verify", chosen.verify, "check every result against float64");
        command.add_flag("--cold", chosen.cold, "empty the caches before each call");
        command
            .add_option("--timing",
                        timing_name,
                        "of calls in replayed graphs, of single calls, or of the host's part alone "
                        "(graph)")
            ->check(CLI::IsMember(&timings));
        command.add_option("--min-time", chosen.min_time_s, "seconds for each kernel (0.25)")
            ->check(CLI::Range(0.0, 3600.0));
        command.add_option("--repeats", chosen.repeats, "least number of samples (5)")
            ->check(CLI::Range(1, 1000000))
            ->take_last();
        command
            .add_option("--threshold",
                        chosen.threshold,
                        "at the end, the cases with a ratio below this are listed (1)")
            ->check(CLI::Range(0.0, 1e6));
        command.add_option("--csv",
                           chosen.csv_file,
                           "file for the results; -: standard output, without the table");
        command.add_flag(
            "--resume",
            chosen.resume,
            "continue the interrupted run that wrote the file of --json, if it exists");
        command
            .add_option("--progress",
                        progress_name,
                        "shapes done and time left, on standard error; auto: on a terminal (auto)")
            ->check(CLI::IsMember(&progress_modes));
    };
    add_measurement(app);
    app.add_option("--sweep",
                   sweep_list,
                   "lists of shapes, separated by commas; ladder: every kernel; bare: the own "
                   "workspace against a lent one")
        ->delimiter(',')
        ->check(CLI::IsMember(&sweeps));
    app.add_option("--every", chosen.every, "N: every Nth shape of each sweep (1)")
        ->check(CLI::Range(1, 1000000));
    app.add_flag("--quick", quick, "a short, verified table");
    app.add_flag("--list", chosen.list, "list all kernels, with a line for each");
    app.add_flag(
        "--device", chosen.names_device, "print what would be measured: the GPU's name, or host");

    CLI::App& tune = *app.add_subcommand(
        "tune", "Corrects the predictions by which the library chooses, for this GPU.");
    std::string tuned_routine;
    tune.add_option("routine", tuned_routine, "")->required()->check(CLI::IsMember({"sgemm"}));
    tune.add_option("--file", chosen.tune.file, "file for MYBLAS_TUNING");
    tune.add_option("--budget", chosen.tune.budget_s, "seconds for the measurements (80)")
        ->check(CLI::Range(0.0, 36000.0));

    CLI::App& comparison = *app.add_subcommand(
        "compare", "Says which cases of two files are slower or faster, beyond the noise of both.");
    comparison.add_option("A", chosen.compare.before, "results of --json, before")->required();
    comparison.add_option("B", chosen.compare.after, "the same, after")->required();
    comparison
        .add_option("--tolerance",
                    chosen.compare.tolerance,
                    "medians that differ by less are the same (0.01)")
        ->check(CLI::Range(0.0, 10.0));
    comparison.add_flag("--all", chosen.compare.shows_all, "cases within the noise, too");

    CLI::App& replay = *app.add_subcommand(
        "replay", "Times the calls of a program, as MYBLAS_CALL_LOG or myblas-run logged them.");
    replay.add_option("log", chosen.replay.file, "the file")->required();
    add_measurement(replay);

    CLI::App& accuracy = *app.add_subcommand(
        "accuracy", "Compares the errors of products in each mode, NN, with other libraries'.");
    std::map<std::string, data_kind> product_data = data;
    std::erase_if(product_data, [](const auto& kind) { return !is_of_products(kind.second); });
    std::vector<std::string> data_list;
    accuracy.add_option("--data", data_list, "kinds of data, separated by commas (all)")
        ->delimiter(',')
        ->check(CLI::IsMember(&product_data));
    accuracy.add_option("-n", chosen.accuracy.sides, "m = n, separated by commas (512,2048)")
        ->delimiter(',')
        ->check(size);
    accuracy
        .add_option("-k", chosen.accuracy.depths, "separated by commas (64,256,1024,4096,32768)")
        ->delimiter(',')
        ->check(size);

    CLI::App& energy = *app.add_subcommand(
        "energy", "Joules of a product in long runs of each mode and of other libraries.");
    energy.add_option("-n", chosen.energy.side, "m = n = k (8192)")->check(size);
    energy.add_option("--seconds", chosen.energy.seconds, "of each run (4)")
        ->check(CLI::Range(0.01, 3600.0));

    CLI::App& handles = *app.add_subcommand(
        "handles", "Times handles: create, first and second call, destroy; one for every call.");
    std::string library_name = "all";
    handles
        .add_option(
            "--library", library_name, "the one to time; cublas alone: also under myblas-run (all)")
        ->check(CLI::IsMember({"all", "myblas", "cublas"}));
    handles.add_option("-n", chosen.handles.side, "m = n = k of the calls (64)")
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 14, "a size from 1 to 2^14"));
    handles.add_option("--count", chosen.handles.count, "handles that are used once (1000)")
        ->check(CLI::Range(1, 1000000));

    CLI::App& memory = *app.add_subcommand(
        "memory", "Compares ways to bring data to the GPU and back, with a timeline.");
    const std::map<std::string, bool> works = {{"product", true}, {"vector", false}};
    std::string work_name = "product";
    memory
        .add_option("--work",
                    work_name,
                    "a product with a matrix on the GPU, or one pass over a vector (product)")
        ->check(CLI::IsMember(&works));
    const CLI::Range extent(1, 1 << 20, "a size from 1 to 2^20");
    memory.add_option("-m", chosen.memory.rows, "rows of the data (2048)")->check(extent);
    memory.add_option("-n", chosen.memory.columns, "its columns (16384)")->check(extent);
    memory.add_option("--chunks", chosen.memory.chunks, "parts for two streams (8)")
        ->check(CLI::Range(1, 4096));
    memory.add_option("--rounds", chosen.memory.rounds, "of each way (5)")
        ->check(CLI::Range(1, 10000));

    const std::map<std::string, reading_set> sets = reading_set_names();
    std::vector<std::string> set_list;
    CLI::App& readings =
        *app.add_subcommand("readings", "Times every kernel on random products, for bench/fit.py.");
    readings.add_option("--sets", set_list, "kinds of products, separated by commas (all)")
        ->delimiter(',')
        ->check(CLI::IsMember(&sets));
    readings.add_option("--count", chosen.readings.count, "rounds through the sets (no limit)");
    readings.add_option("--budget", chosen.readings.budget_s, "seconds (300)");
    readings
        .add_option("--kernels",
                    chosen.readings.kernels,
                    "names, separated by commas (those that are chosen by time)")
        ->delimiter(',');
    readings.add_option("--out", chosen.readings.file, "file for the readings")->required();

    CLI::App& explanation = *app.add_subcommand(
        "explain", "Shows how the library chooses for one product, on any card.");
    add_product(explanation, chosen, operations, transa, transb);
    explanation.add_option("--math", chosen.math_name, "math mode (strict)")
        ->check(CLI::IsMember(&maths));
    explanation.add_option("--device",
                           chosen.explain.device,
                           "a card that need not be there: h200, h100, a100, rtx4090, ...");
    explanation
        .add_option(
            "--workspace-mib", chosen.explain.workspace_mib, "MiB of the handle's workspace (4096)")
        ->check(CLI::Range(0, 1 << 24));

    for (CLI::App* command :
         {&app, &tune, &replay, &accuracy, &energy, &handles, &memory, &readings, &explanation}) {
        command->add_option(
            "--seed", chosen.seed, "of the random data and shapes (the commit's first digits)");
        command->add_option("--backend", backend_name, "that computes (auto)")
            ->check(CLI::IsMember(&backends));
        command->add_option("--commit", chosen.commit, "recorded instead of the build's");
    }
    for (CLI::App* command : {&app, &replay, &accuracy, &energy, &handles, &memory}) {
        command->add_option("--json", chosen.json_file, "file for context and results");
        command->add_flag("--force", chosen.force, "overwrite results of an interrupted run");
    }

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) { // --help, --version
        app.exit(asked);
        return std::nullopt;
    } catch (const CLI::ParseError& error) {
        throw usage_error(error.what());
    }

    bool has_seed = false;
    for (const CLI::App* command :
         {&app, &tune, &replay, &accuracy, &energy, &handles, &memory, &readings, &explanation})
        has_seed = has_seed || command->count("--seed") > 0;
    if (!has_seed)
        chosen.seed = seed_of(chosen.commit);
    chosen.tune.wanted = tune.parsed();
    chosen.replay.wanted = replay.parsed();
    chosen.compare.wanted = comparison.parsed();
    chosen.accuracy.wanted = accuracy.parsed();
    chosen.energy.wanted = energy.parsed();
    chosen.handles.wanted = handles.parsed();
    chosen.handles.times_own = library_name != "cublas";
    chosen.handles.times_cublas = library_name != "myblas";
    chosen.memory.wanted = memory.parsed();
    chosen.memory.is_product = works.at(work_name);
    if (chosen.memory.chunks > chosen.memory.columns)
        throw usage_error("--chunks exceeds the columns");
    chosen.readings.wanted = readings.parsed();
    chosen.explain.wanted = explanation.parsed();
    for (const auto& [name, set] : sets)
        if (set_list.empty() || std::find(set_list.begin(), set_list.end(), name) != set_list.end())
            chosen.readings.sets.push_back(set);
    for (const CLI::App* command : app.get_subcommands())
        for (const CLI::Option* option : app.get_options())
            if (option->count() > 0)
                throw usage_error(fmt::format("{} does not apply to {}, or belongs behind it",
                                              option->get_name(),
                                              command->get_name()));
    for (int i = 0; i < data_kind_count; ++i) {
        const data_kind kind = static_cast<data_kind>(i);
        const bool is_named =
            std::find(data_list.begin(), data_list.end(), to_text(kind)) != data_list.end();
        if (data_list.empty() ? is_of_products(kind) : is_named)
            chosen.accuracy.data.push_back(kind);
    }

    chosen.math = maths.at(chosen.math_name);
    chosen.backend = backends.at(backend_name);
    if (library_name == "cublas" && chosen.backend == MYBLAS_BACKEND_HOST)
        throw usage_error("--library cublas needs a GPU: drop --backend host");
    chosen.workspace = workspaces.at(workspace_name);
    chosen.shown_progress = progress_modes.at(progress_name);
    if (chosen.resume && chosen.json_file.empty())
        throw usage_error("--resume goes on from the file of --json: name it");
    if (chosen.resume && chosen.force)
        throw usage_error("--resume continues the run that --force overwrites: drop one");
    chosen.sizes.data = data.at(data_name);
    chosen.sizes.activation = activations.at(activation_name);
    chosen.sizes.transa = operations.at(transa);
    chosen.sizes.transb = operations.at(transb);
    chosen.sizes.right = sides.at(side);
    chosen.sizes.upper = triangles.at(uplo);
    chosen.sizes.unit = diagonals.at(diag);
    for (const std::string& name : routine_list)
        chosen.routines.push_back(names.at(name));
    if (!timing_name.empty())
        chosen.how = timings.at(timing_name);
    for (const std::string& name : sweep_list)
        chosen.sweeps.push_back(sweeps.at(name));
    if (quick) {
        if (!chosen.sweeps.empty())
            throw usage_error("--quick and --sweep exclude each other");
        for (const char* fixed : {"-f", "--kernel"})
            if (app.count(fixed))
                throw usage_error(fmt::format("--quick has its own table: drop {}", fixed));
        chosen.sweeps = {sweep::quick};
        chosen.verify = true;
        if (app.count("--min-time") == 0)
            chosen.min_time_s = 0.1;
    }
    if (!chosen.sweeps.empty())
        for (const char* size : {"-m",
                                 "-n",
                                 "-k",
                                 "--lda",
                                 "--ldb",
                                 "--ldc",
                                 "--transa",
                                 "--transb",
                                 "--side",
                                 "--uplo",
                                 "--diag",
                                 "--incx",
                                 "--batch",
                                 "--pointer-array",
                                 "--in-place",
                                 "--data",
                                 "--activation"})
            if (app.count(size))
                throw usage_error(fmt::format("a sweep has its own sizes: drop {}", size));
    if (chosen.has(sweep::ladder)) {
        if (chosen.sweeps.size() > 1)
            throw usage_error("--sweep ladder takes every kernel: it stands alone");
        if (app.count("--kernel"))
            throw usage_error("--sweep ladder takes every kernel: drop --kernel");
        chosen.kernel = "all";
    }
    if (chosen.has(sweep::bare)) {
        if (chosen.sweeps.size() > 1)
            throw usage_error("--sweep bare compares workspaces: it stands alone");
        for (const char* fixed : {"--kernel", "--workspace"})
            if (app.count(fixed))
                throw usage_error(fmt::format("--sweep bare compares workspaces: drop {}", fixed));
        chosen.workspace = workspace_source::own;
    }
    if (chosen.cold && chosen.how.value_or(timing::event) != timing::event)
        throw usage_error("--cold times single calls by events: drop --timing");
    if (chosen.routines.empty())
        chosen.routines = chosen.sweeps.empty()
                              ? std::vector{routine::sgemm}
                              : std::vector{routine::sgemm, routine::transpose, routine::sum};
    reject_foreign_sizes(app, chosen.routines);
    return chosen;
}

} // namespace bench
