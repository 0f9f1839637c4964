#include "options.h"

#include "build_commit.h"
#include "errors.h"
#include "wrap.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <memory>
#include <random>
#include <set>
#include <variant>

namespace bench {
namespace {

constexpr named<timing> timing_names[] = {
    {"graph", timing::graph}, {"event", timing::event}, {"enqueue", timing::enqueue}};
constexpr named<myblasBackend_t> backend_names[] = {
    {"auto", MYBLAS_BACKEND_AUTO}, {"host", MYBLAS_BACKEND_HOST}, {"cuda", MYBLAS_BACKEND_CUDA}};
constexpr named<progress_mode> progress_names[] = {{"auto", progress_mode::automatic},
                                                   {"always", progress_mode::always},
                                                   {"never", progress_mode::never}};
constexpr named<timed_libraries> library_names[] = {
    {"all", {true, true}}, {"myblas", {true, false}}, {"cublas", {false, true}}};

std::vector<named<routine>> routine_names() {
    std::vector<named<routine>> names;
    for (int i = 0; i < routine_count; ++i)
        names.push_back({describe(static_cast<routine>(i)).name, static_cast<routine>(i)});
    return names;
}

std::vector<named<data_kind>> product_data() {
    std::vector<named<data_kind>> kinds;
    for (const named<data_kind>& kind : data_kinds)
        if (is_of_products(kind.value))
            kinds.push_back(kind);
    return kinds;
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

// The seed is the first 8 digits of the commit's hash. A random sweep therefore has other shapes
// for each commit, and the commit tells which. Without a hash, the seed is random.
uint64_t seed_of(const std::string& commit) {
    constexpr size_t digits = 8; // short enough to be typed
    const std::string first = commit.substr(0, digits);
    if (first.size() == digits && first.find_first_not_of("0123456789abcdef") == first.npos)
        return std::stoull(first, nullptr, 16);
    return std::random_device()();
}

// Writes help within 80 columns. CLI11's own formatter does not wrap lines, and writes the accepted
// values beside the names.
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

// An option whose argument is one of the named values, or several, separated by commas.
struct choice {
    std::set<std::string> names;
    std::function<void(const std::string&)> take;
    bool is_list = false;
};

// `value` and `all` outlive the parsing.
template <class T, class All>
choice one_of(T& value, const All& all) {
    using named_value = std::decay_t<decltype(std::begin(all)->value)>;
    return {names_of(all),
            [&](const std::string& name) { value = *value_of<named_value>(all, name); }};
}

template <class T, class All>
choice some_of(std::vector<T>& values, const All& all) {
    return {names_of(all),
            [&](const std::string& name) { values.push_back(*value_of<T>(all, name)); },
            true};
}

using option_value = std::variant<bool*, // a flag
                                  std::string*,
                                  int*,
                                  int64_t*,
                                  float*,
                                  double*,
                                  std::optional<uint64_t>*,
                                  std::vector<int64_t>*,
                                  std::vector<std::string>*,
                                  choice>;

struct option_row {
    uint32_t actions; // that have it
    const char* name; // of a required argument, without dashes
    option_value value;
    std::optional<CLI::Validator> check;
    std::string help;
};

void add(CLI::App& command, const option_row& row) {
    CLI::Option* added = nullptr;
    if (const choice* const of = std::get_if<choice>(&row.value)) {
        if (of->is_list) {
            const auto take_all = [take = of->take](const std::vector<std::string>& given) {
                std::for_each(given.begin(), given.end(), take);
            };
            added =
                command.add_option_function<std::vector<std::string>>(row.name, take_all, row.help);
            added->delimiter(',');
        } else {
            added = command.add_option_function<std::string>(row.name, of->take, row.help);
        }
        added->check(CLI::IsMember(of->names));
    } else if (bool* const* const flag = std::get_if<bool*>(&row.value)) {
        added = command.add_flag(row.name, **flag, row.help);
    } else {
        std::visit(
            [&](auto& value) {
                if constexpr (requires { *value; })
                    added = command.add_option(row.name, *value, row.help);
                if constexpr (requires {
                                  value->begin();
                                  value->push_back({});
                              })
                    added->delimiter(',');
            },
            row.value);
    }
    if (row.check)
        added->check(*row.check);
    if (row.name[0] != '-')
        added->required();
}

const CLI::Range size(int64_t{1}, int64_t{1} << 40, "a size of at least 1");

// The option of a field of shapes.
struct field_value {
    options& chosen;

    option_value operator()(const letter& pair) const {
        const auto take = [&value = chosen.sizes.*pair.value, pair](const std::string& given) {
            value = given[0] == pair.letters[1];
        };
        return choice{{std::string(1, pair.letters[0]), std::string(1, pair.letters[1])}, take};
    }
    option_value operator()(const listed_size& size) const { return &(chosen.sides.*size.given); }
    option_value operator()(data_kind shape::*value) const {
        return one_of(chosen.sizes.*value, data_kinds);
    }
    option_value operator()(myblasActivation_t shape::*value) const {
        return one_of(chosen.sizes.*value, activations);
    }
    option_value operator()(sweep shape::*value) const {
        return one_of(chosen.sizes.*value, sweep_names);
    }
    template <class T>
    option_value operator()(T shape::*value) const {
        return &(chosen.sizes.*value);
    }
};

option_row row_of(const shape_field& f, options& chosen) {
    std::optional<CLI::Validator> check;
    if (f.where & at_least_1)
        check = size;
    if (f.owners == field::element_bytes)
        check = CLI::IsMember({1, 2, 4, 8, 16});
    return {0, f.option, std::visit(field_value{chosen}, f.value), check, f.help};
}

constexpr uint32_t on(std::initializer_list<action> actions) {
    uint32_t set = 0;
    for (const action a : actions)
        set |= 1u << static_cast<int>(a);
    return set;
}

constexpr uint32_t measuring = on({action::measure}), tuning = on({action::tune}),
                   comparing = on({action::compare}), accuracy = on({action::accuracy}),
                   grading = on({action::grade}), energy = on({action::energy}),
                   handles = on({action::handles}), reading = on({action::readings}),
                   explaining = on({action::explain}), replaying = on({action::replay});
constexpr uint32_t runs = measuring | replaying; // with a row for each call
constexpr uint32_t reports = runs | accuracy | grading | energy | handles, all = ~comparing;

struct command_info {
    action kind;
    const char *name, *help;
};
constexpr command_info commands[] = {
    {action::tune, "tune", "Corrects the predictions by which the library chooses, for this GPU."},
    {action::compare,
     "compare",
     "Says which cases of two files are slower or faster, beyond the noise of both."},
    {action::replay,
     "replay",
     "Times the calls of a program, as MYBLAS_CALL_LOG or myblas-run logged them."},
    {action::accuracy,
     "accuracy",
     "Compares the errors of products in each mode, NN, with other libraries'."},
    {action::grade,
     "grade",
     "Grades products in each mode, and other libraries', on adversarial inputs."},
    {action::energy,
     "energy",
     "Joules of a product in long runs of each mode and of other libraries."},
    {action::handles,
     "handles",
     "Times creating, using and destroying a handle, and a new handle for every call."},
    {action::readings, "readings", "Times every kernel on random products, for bench/fit.py."},
    {action::explain, "explain", "Shows how the library chooses for one product, on any card."},
};

class command_line {
public:
    explicit command_line(options& chosen) : chosen_(chosen) {
        app_.formatter(std::make_shared<narrow_formatter>());
        app_.set_version_flag("--version",
                              fmt::format("myblas-bench {}.{}.{}",
                                          MYBLAS_VERSION_MAJOR,
                                          MYBLAS_VERSION_MINOR,
                                          MYBLAS_VERSION_PATCH));
        add_options(app_, action::measure);
        for (const command_info& c : commands) {
            CLI::App& command = *app_.add_subcommand(c.name, c.help);
            command.callback([this, kind = c.kind] { chosen_.action = kind; });
            add_options(command, c.kind);
        }
        CLI::Option* const sweeps = app_.get_option("--sweep");
        for (const shape_field& f : shape_fields)
            if (f.option && !(f.where & sweeps_too))
                sweeps->excludes(option_of(f));
        for (const char* fixed : {"--sweep", "--function", "--kernel"})
            app_.get_option("--quick")->excludes(app_.get_option(fixed));
    }

    // False after --help and --version.
    bool parse(int argc, char** argv) {
        try {
            app_.parse(argc, argv);
        } catch (const CLI::Success& asked) {
            app_.exit(asked);
            return false;
        } catch (const CLI::ParseError& error) {
            throw usage_error(error.what());
        }
        for (const CLI::App* command : app_.get_subcommands())
            for (const CLI::Option* option : app_.get_options())
                if (option->count() > 0)
                    throw usage_error(fmt::format("{} does not apply to {}, or belongs behind it",
                                                  option->get_name(),
                                                  command->get_name()));
        finish_sweeps();
        finish_routines();
        finish_rival();
        if (chosen_.cold && chosen_.how.value_or(timing::event) != timing::event)
            throw usage_error("--cold times single calls by events: drop --timing");
        if (!chosen_.handles.times.own && chosen_.backend == MYBLAS_BACKEND_HOST)
            throw usage_error("--library cublas needs a GPU: drop --backend host");
        chosen_.seed = seed_ ? *seed_ : seed_of(chosen_.commit);
        return true;
    }

private:
    // clang-format off
    std::vector<option_row> rows_of_runs() {
        options& c = chosen_;
        return {
            {measuring, "-f,--function", some_of(c.routines, routines_), {},
             "routines, separated by commas (sgemm)"},
            {runs, "--kernel", &c.kernel, {},
             "a kernel or family, all, or auto: the library's choice"},
            {runs | explaining, "--math", one_of(c.math, math_modes), {}, "math mode (strict)"},
            {runs, "--workspace", one_of(c.workspace, workspace_sources), {},
             "memory lent to kernels, as much as they can use, or the handle's own (lent)"},
            {runs, "--against", &c.against, {}, "another libmyblas.so, measured in the same run"},
            {runs, "--rival", &rival_, {},
             "cublaslt:N: on a GPU, the fastest of N algorithms of cuBLASLt for each product"},
            {runs, "--verify", &c.verify, {}, "check every result against float64"},
            {runs, "--cold", &c.cold, {}, "empty the caches before each call"},
            {runs, "--timing", one_of(c.how, timing_names), {},
             "of calls in replayed graphs, of single calls, or of the host's part alone (graph)"},
            {runs, "--min-time", &c.min_time_s, CLI::Range(0.0, 3600.0),
             "seconds for each kernel (0.25)"},
            {runs, "--repeats", &c.repeats, CLI::Range(1, 1000000), "least number of samples (5)"},
            {runs, "--threshold", &c.threshold, CLI::Range(0.0, 1e6),
             "at the end, the cases with a ratio below this are listed (1)"},
            {runs, "--csv", &c.csv_file, {},
             "file for the results; -: standard output, without the table"},
            {runs, "--resume", &c.resume, {},
             "continue the interrupted run that wrote the file of --json, if it exists"},
            {runs, "--progress", one_of(c.shown_progress, progress_names), {},
             "shapes done and time left, on standard error; auto: on a terminal (auto)"},
            {measuring, "--sweep", some_of(c.sweeps, sweep_names), {},
             "lists of shapes, separated by commas; ladder: every kernel; bare: the own workspace "
             "against a lent one"},
            {measuring, "--every", &c.every, CLI::Range(1, 1000000),
             "N: every Nth shape of each sweep (1)"},
            {measuring, "--quick", &is_quick_, {}, "a short, verified table"},
            {measuring, "--list", &c.list, {}, "list all kernels, with a line for each"},
            {measuring, "--device", &c.names_device, {},
             "print what would be measured: the GPU's name, or host"},
        };
    }

    std::vector<option_row> rows_of_commands() {
        options& c = chosen_;
        return {
            {tuning, "routine", &tuned_routine_, CLI::IsMember({"sgemm"}), ""},
            {tuning, "--file", &c.tune.file, {}, "file for MYBLAS_TUNING"},
            {tuning, "--budget", &c.tune.budget_s, CLI::Range(0.0, 36000.0),
             "seconds for the measurements (80)"},
            {comparing, "A", &c.compare.before, {}, "results of --json, before"},
            {comparing, "B", &c.compare.after, {}, "the same, after"},
            {comparing, "--tolerance", &c.compare.tolerance, CLI::Range(0.0, 10.0),
             "smaller differences of medians are noise (0.01)"},
            {comparing, "--all", &c.compare.shows_all, {}, "cases within the noise, too"},
            {replaying, "log", &c.call_log, {}, "the file"},
            {accuracy, "--data", some_of(c.accuracy.data, product_data_), {},
             "kinds of data, separated by commas (all)"},
            {accuracy, "-n", &c.accuracy.sides, size, "m = n, separated by commas (512,2048)"},
            {accuracy, "-k", &c.accuracy.depths, size,
             "separated by commas (64,256,1024,4096,32768)"},
            {grading, "-n", &c.grade.sides, CLI::Range(int64_t{8}, int64_t{1} << 14),
             "m = n = k, separated by commas (16,32,...,512; on a GPU to 2048)"},
            {energy, "-n", &c.energy.side, size, "m = n = k (8192)"},
            {energy, "--seconds", &c.energy.seconds, CLI::Range(0.01, 3600.0),
             "seconds of a run (4)"},
            {handles, "--library", one_of(c.handles.times, library_names), {},
             "library to time; cublas also works under myblas-run (all)"},
            {handles, "-n", &c.handles.side,
             CLI::Range(int64_t{1}, int64_t{1} << 14, "a size from 1 to 2^14"),
             "m = n = k of the calls (64)"},
            {handles, "--count", &c.handles.count, CLI::Range(1, 1000000),
             "handles that are used once (1000)"},
            {reading, "--sets", some_of(c.readings.sets, reading_sets), {},
             "kinds of products, separated by commas (all)"},
            {reading, "--count", &c.readings.count, {}, "rounds through the sets (no limit)"},
            {reading, "--calls", &c.readings.calls, {},
             "file of earlier readings, not compressed, whose calls are timed, not drawn ones"},
            {reading, "--budget", &c.readings.budget_s, {}, "seconds (300)"},
            {reading, "--kernels", &c.readings.kernels, {},
             "names, separated by commas (those that are chosen by time)"},
            {reading, "--out", &c.readings.file, {}, "file for the readings"},
            {explaining, "--device", &c.explain.device, {},
             "a card, present or not: h200, h100, a100, rtx4090, ..."},
            {explaining, "--workspace-mib", &c.explain.workspace_mib, CLI::Range(0, 1 << 24),
             "MiB of the handle's workspace (4096)"},
            {all, "--seed", &seed_, {},
             "seed of the random data and shapes (the commit's first digits)"},
            {all, "--backend", one_of(c.backend, backend_names), {}, "the backend (auto)"},
            {all, "--commit", &c.commit, {}, "commit to record, in place of the build's"},
            {reports, "--json", &c.json_file, {}, "file for context and results"},
            {reports, "--force", &c.force, {}, "overwrite results of an interrupted run"},
        };
    }
    // clang-format on

    void add_options(CLI::App& command, action kind) {
        for (const shape_field& f : shape_fields)
            if (f.option &&
                (kind == action::measure || (kind == action::explain && is_of_calls(f))))
                add(command, row_of(f, chosen_));
        for (const std::vector<option_row>& rows : {rows_of_runs(), rows_of_commands()})
            for (const option_row& row : rows)
                if (row.actions & on({kind}))
                    add(command, row);
        if (on({kind}) & runs) {
            command.get_option("--repeats")->take_last();
            command.get_option("--resume")
                ->needs(command.get_option("--json"))
                ->excludes(command.get_option("--force"));
        }
        if (kind == action::readings) {
            command.get_option("--out")->required();
            command.get_option("--calls")->excludes("--sets")->excludes("--count");
        }
    }

    // The fields that describe a call of sgemm. Data does not: it does not affect the selection.
    static bool is_of_calls(const shape_field& f) {
        return has(routine::sgemm, f) && f.owners != field::data;
    }

    CLI::Option* option_of(const shape_field& f) {
        const std::string names = f.option;
        return app_.get_option(names.substr(0, names.find(',')));
    }

    static bool is_class_of_products(sweep s) { return s >= sweep::general; }

    // Whether a sweep is chosen that excludes others and has its own options.
    bool is_chosen_alone(sweep wanted, std::initializer_list<const char*> own) const {
        if (!chosen_.has(wanted))
            return false;
        const char* const name = name_of(sweep_names, wanted);
        if (chosen_.sweeps.size() > 1)
            throw usage_error(fmt::format("--sweep {} stands alone", name));
        for (const char* option : own)
            if (app_.count(option))
                throw usage_error(fmt::format("--sweep {} has its own {}: drop it", name, option));
        return true;
    }

    void finish_sweeps() {
        if (is_chosen_alone(sweep::ladder, {"--kernel"}))
            chosen_.kernel = "all";
        if (is_chosen_alone(sweep::bare, {"--kernel", "--workspace"}))
            chosen_.workspace = workspace_source::own;
        if (!is_quick_)
            return;
        chosen_.sweeps = {sweep::quick};
        chosen_.verify = true;
        if (app_.count("--min-time") == 0)
            chosen_.min_time_s = 0.1;
    }

    void finish_routines() {
        if (chosen_.routines.empty())
            chosen_.routines =
                std::all_of(chosen_.sweeps.begin(), chosen_.sweeps.end(), is_class_of_products)
                    ? std::vector{routine::sgemm}
                    : std::vector{routine::sgemm, routine::transpose, routine::sum};
        // A size that no chosen routine has is probably a mistake, so the program stops.
        for (const shape_field& f : shape_fields)
            if (f.option && option_of(f)->count() > 0 &&
                std::none_of(chosen_.routines.begin(), chosen_.routines.end(), [&](routine r) {
                    return has(r, f);
                }))
                throw usage_error(fmt::format(
                    "{} does not apply to {}", f.option, describe(chosen_.routines[0]).name));
    }

    void finish_rival() {
        const std::string prefix = "cublaslt:";
        constexpr int most = 1000;
        if (rival_.empty())
            return;
        if (rival_.starts_with(prefix))
            std::from_chars(rival_.data() + prefix.size(),
                            rival_.data() + rival_.size(),
                            chosen_.lt_algorithms);
        if (rival_ != prefix + std::to_string(chosen_.lt_algorithms) || chosen_.lt_algorithms < 1 ||
            chosen_.lt_algorithms > most)
            throw usage_error(
                fmt::format("--rival {}: it is cublaslt:N, with N from 1 to {}", rival_, most));
    }

    options& chosen_;
    CLI::App app_{"Times myblas beside cuBLAS, CUB or OpenBLAS, in one run on the same data.",
                  "myblas-bench"};
    const std::vector<named<routine>> routines_ = routine_names();
    const std::vector<named<data_kind>> product_data_ = product_data();
    std::optional<uint64_t> seed_;
    bool is_quick_ = false;
    std::string tuned_routine_, rival_;
};

} // namespace

std::optional<options> parse_options(int argc, char** argv) {
    options chosen;
    chosen.command = join_command(argc, argv);
    const char* commit = std::getenv("MYBLAS_COMMIT");
    chosen.commit = commit && *commit ? commit : build_commit;
    command_line line(chosen);
    if (!line.parse(argc, argv))
        return std::nullopt;
    return chosen;
}

} // namespace bench
