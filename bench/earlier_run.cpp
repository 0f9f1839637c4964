#include "earlier_run.h"

#include "errors.h"
#include "shape_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace bench {

using nlohmann::ordered_json;

std::optional<earlier_run> read_earlier_run(const std::string& file) {
    if (!std::filesystem::exists(file))
        return std::nullopt;
    std::ifstream stream(file);
    if (!stream)
        throw usage_error(fmt::format("{} cannot be read", file));
    try {
        const ordered_json all = ordered_json::parse(stream);
        const ordered_json& run = all.at("run");
        earlier_run found;
        found.context = all.at("context");
        found.so_far.rows = all.at("results").get_ref<const ordered_json::array_t&>();
        found.so_far.skipped = all.at("skipped").get_ref<const ordered_json::array_t&>();
        for (const ordered_json& row : found.so_far.rows)
            static_cast<void>(read_shape(row));
        const auto count = [](const ordered_json& value) { // size_t alone would take 1e300
            return value.get_ref<const ordered_json::number_unsigned_t&>();
        };
        found.so_far.shapes = count(run.at("shapes"));
        found.so_far.finished = count(run.at("finished"));
        found.so_far.all_passed = run.at("all_passed");
        found.seed = count(found.context.at("seed"));
        found.date = found.context.at("date");
        for (const auto& [name, ceiling] : ceiling_names)
            if (const ordered_json& value = found.context.at("ceilings").at(name); !value.is_null())
                found.limits.*ceiling = value.get<double>();
        return found;
    } catch (const nlohmann::json::exception&) {
        throw usage_error(fmt::format("{} is no file of a run that can be resumed", file));
    }
}

void check_may_overwrite(const std::string& file) {
    if (!std::filesystem::is_regular_file(file)) // a device or a pipe: reading it might wait
        return;
    std::ifstream stream(file);
    const ordered_json all = ordered_json::parse(stream, nullptr, false);
    if (!all.is_object() || !all.contains("run"))
        return;
    const results found = read_earlier_run(file)->so_far;
    if (found.finished > 0 && found.finished < found.shapes)
        throw usage_error(
            fmt::format("{} holds an interrupted run: {} of {} shapes are done; continue "
                        "it by --resume, or overwrite it by --force",
                        file,
                        found.finished,
                        found.shapes));
}

void check_same_run(const std::string& file,
                    const earlier_run& earlier,
                    const context& now,
                    const std::vector<shape>& shapes) {
    const ordered_json current = to_json(now);
    for (const char* field : fields_of_same_runs)
        if (earlier.context.value(field, ordered_json()) != current.at(field))
            throw usage_error(fmt::format("{} is of another run: its {} is {}, here it is {}",
                                          file,
                                          field,
                                          earlier.context.value(field, ordered_json()).dump(),
                                          current.at(field).dump()));
    // A log of calls, or a table of shapes in the program, may have changed.
    const size_t finished = earlier.so_far.finished;
    std::set<std::string> known;
    for (size_t i = 0; i < std::min(finished, shapes.size()); ++i)
        known.insert(to_json(shapes[i]).dump());
    const auto is_known = [&](const ordered_json& row) {
        return known.count(to_json(read_shape(row)).dump()) > 0;
    };
    if (earlier.so_far.shapes != shapes.size() || finished > shapes.size() ||
        !std::all_of(earlier.so_far.rows.begin(), earlier.so_far.rows.end(), is_known))
        throw usage_error(fmt::format("{} is of another run: its shapes are others", file));
}

} // namespace bench
