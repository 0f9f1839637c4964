#include "shape_json.h"

#include "errors.h"
#include "fields.h"

#include <fmt/format.h>

#include <limits>

namespace bench {
namespace {

using nlohmann::ordered_json;

bool is_in_files(const shape& s, const shape_field& f) {
    bool is_default = false;
    if (f.where & if_set)
        visit_value(f, [&](auto shape::*value) { is_default = s.*value == shape().*value; });
    return f.name && !is_default && (has(s.routine, f) || f.where & all_files);
}

const char* name_in_files(routine r, const shape_field& f) {
    return has(r, field::trans) && f.owners & field::trans ? "trans" : f.name;
}

struct writer {
    const shape& s;
    ordered_json operator()(const letter& pair) const {
        return std::string(1, pair.letters[s.*pair.value]);
    }
    ordered_json operator()(const listed_size& size) const { return s.*size.value; }
    ordered_json operator()(data_kind shape::*value) const { return to_text(s.*value); }
    ordered_json operator()(myblasActivation_t shape::*value) const { return to_text(s.*value); }
    ordered_json operator()(sweep shape::*value) const { return name_of(sweep_names, s.*value); }
    template <class T>
    ordered_json operator()(T shape::*value) const {
        return s.*value;
    }
};

struct reader {
    shape& s;
    const ordered_json& json;
    void operator()(const letter& pair) const {
        s.*pair.value = json.get<std::string>() == std::string(1, pair.letters[1]);
    }
    void operator()(const listed_size& size) const { (*this)(size.value); }
    void operator()(data_kind shape::*value) const { read_name(value, data_kinds); }
    void operator()(myblasActivation_t shape::*value) const { read_name(value, activations); }
    void operator()(sweep shape::*value) const { read_name(value, sweep_names); }
    void operator()(int64_t shape::*value) const { s.*value = read_integer(json); }
    void operator()(int shape::*value) const {
        const int64_t number = read_integer(json);
        if (number < 1 || number > std::numeric_limits<int>::max())
            throw usage_error(fmt::format("{} is out of range", number));
        s.*value = static_cast<int>(number);
    }
    template <class T>
    void operator()(T shape::*value) const {
        s.*value = json.get<T>();
    }

private:
    template <class T, class All>
    void read_name(T shape::*value, const All& all) const {
        s.*value = value_of<T>(all, json.get<std::string>()).value_or(s.*value);
    }
};

} // namespace

ordered_json to_json(const shape& s) {
    ordered_json json;
    json["routine"] = describe(s.routine).name;
    for (const shape_field& f : shape_fields)
        if (is_in_files(s, f))
            json[name_in_files(s.routine, f)] = std::visit(writer{s}, f.value);
    if (s.calls > 0)
        json["calls"] = s.calls;
    return json;
}

int64_t read_integer(const ordered_json& json) {
    return json.get_ref<const ordered_json::number_integer_t&>();
}

shape read_sizes(routine r, const ordered_json& json) {
    shape s;
    s.routine = r;
    if (json.contains("calls"))
        s.calls = read_integer(json["calls"]);
    for (const shape_field& f : shape_fields) {
        if (!f.name)
            continue;
        const char* const name = name_in_files(r, f);
        const auto found = json.find(json.contains(name) ? name : f.name); // logs have transa alone
        if (found != json.end())
            std::visit(reader{s, *found}, f.value);
    }
    return s;
}

shape read_shape(const ordered_json& json) {
    const std::string name = json.at("routine").get<std::string>();
    if (const std::optional<routine> found = find_routine(name))
        return read_sizes(*found, json);
    throw usage_error(fmt::format("there is no routine {}", name));
}

} // namespace bench
