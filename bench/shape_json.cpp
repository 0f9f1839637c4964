#include "shape_json.h"

#include "errors.h"

#include <fmt/format.h>

namespace bench {

using nlohmann::ordered_json;

ordered_json to_json(const shape& s) {
    const auto op = [](bool transposed) { return transposed ? "T" : "N"; };
    const auto applies = [&](char option) { return has_option(s.routine, option); };

    ordered_json json;
    json["routine"] = describe(s.routine).name;
    if (applies('h'))
        json["side"] = s.right ? "R" : "L";
    if (applies('w'))
        json["uplo"] = s.upper ? "U" : "L";
    if (applies('t'))
        json["transa"] = op(s.transa);
    if (applies('u'))
        json["transb"] = op(s.transb);
    if (applies('o'))
        json["trans"] = op(s.transa);
    if (applies('g'))
        json["diag"] = s.unit ? "U" : "N";
    if (applies('m'))
        json["m"] = s.m;
    json["n"] = s.n;
    if (applies('k'))
        json["k"] = s.k;
    if (applies('a'))
        json["lda"] = s.lda;
    if (applies('s'))
        json["ldb"] = s.ldb;
    if (applies('l'))
        json["ldc"] = s.ldc;
    if (applies('i'))
        json["incx"] = s.incx;
    if (applies('d'))
        json["data"] = to_text(s.data);
    if (applies('f'))
        json["activation"] = to_text(s.activation);
    json["elem_bytes"] = s.element_bytes;
    json["offset"] = s.offset;
    if (applies('b')) {
        json["batch"] = s.batch;
        json["pointer_array"] = s.pointer_array;
    }
    if (applies('p'))
        json["in_place"] = s.in_place;
    if (s.calls > 0)
        json["calls"] = s.calls;
    return json;
}

shape read_sizes(routine r, const ordered_json& json) {
    const auto is = [&](const char* name, const char* letter) {
        return json.value(name, std::string()) == letter;
    };
    shape s;
    s.routine = r;
    s.right = is("side", "R");
    s.upper = is("uplo", "U");
    s.transa = is(has_option(r, 'o') && json.contains("trans") ? "trans" : "transa", "T");
    s.transb = is("transb", "T");
    s.unit = is("diag", "U");
    s.m = json.value("m", s.m);
    s.n = json.value("n", s.n);
    s.k = json.value("k", s.k);
    s.lda = json.value("lda", s.lda);
    s.ldb = json.value("ldb", s.ldb);
    s.ldc = json.value("ldc", s.ldc);
    s.incx = json.value("incx", s.incx);
    s.element_bytes = json.value("elem_bytes", s.element_bytes);
    s.offset = json.value("offset", s.offset);
    s.batch = json.value("batch", s.batch);
    s.pointer_array = json.value("pointer_array", s.pointer_array);
    s.in_place = json.value("in_place", s.in_place);
    s.calls = json.value("calls", s.calls);
    for (int i = 0; i < data_kind_count; ++i)
        if (is("data", to_text(static_cast<data_kind>(i))))
            s.data = static_cast<data_kind>(i);
    for (int i = 0; i < activation_count; ++i)
        if (is("activation", to_text(static_cast<myblasActivation_t>(i))))
            s.activation = static_cast<myblasActivation_t>(i);
    return s;
}

shape read_shape(const ordered_json& json) {
    const std::string name = json.at("routine").get<std::string>();
    for (int i = 0; i < routine_count; ++i)
        if (describe(static_cast<routine>(i)).name == name)
            return read_sizes(static_cast<routine>(i), json);
    throw usage_error(fmt::format("there is no routine {}", name));
}

} // namespace bench
