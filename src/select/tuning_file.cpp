#include "select/tuning_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace myblas {
namespace {

constexpr std::string_view form_names[form_count] = {"NN", "NT", "TN", "TT"};

// The words of a line; more than a record has are counted as one too many.
struct words {
    static constexpr size_t most = 7;
    std::array<std::string_view, most + 1> at{};
    size_t count = 0;

    explicit words(std::string_view line) {
        constexpr std::string_view blanks = " \t";
        while (count < at.size()) {
            const size_t first = line.find_first_not_of(blanks);
            if (first == line.npos)
                return;
            line.remove_prefix(first);
            at[count++] = line.substr(0, line.find_first_of(blanks));
            line.remove_prefix(at[count - 1].size());
        }
    }
};

// Whether all of the word is a number. Unlike strtod this heeds no locale.
template <class Number>
bool read_number(std::string_view word, Number* number) {
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, *number);
    return error == std::errc{} && stop == end;
}

bool read_cost(std::string_view word, double* value) {
    return read_number(word, value) && std::isfinite(*value) && *value >= 0;
}

// The file's costs of a kernel, new ones if it has none yet; null if there is no room.
kernel_cost<sgemm_problem>* costs_of(const kernel_entry<sgemm_problem>* kernel, tuning_file& file) {
    const auto end = file.costs.begin() + file.cost_count;
    const auto found = std::find_if(
        file.costs.begin(), end, [&](const auto& known) { return known.kernel == kernel; });
    if (found != end)
        return &*found;
    if (end == file.costs.end())
        return nullptr;
    *end = {kernel, {}};
    ++file.cost_count;
    return &*end;
}

// Each of these reads a line and answers what is wrong with it, or null.

const char* read_version(const words& w) {
    return w.count == 2 && w.at[0] == "myblas-tuning" && w.at[1] == "1"
               ? nullptr
               : "the first line is not \"myblas-tuning 1\"";
}

const char* read_arch(const words& w, tuning_file& file) {
    return w.count == 2 && w.at[0] == "arch" && read_number(w.at[1], &file.arch) && file.arch > 0
               ? nullptr
               : "the second line is not \"arch\" and a compute capability x 10";
}

const char* read_costs(const words& w, kernel_list<sgemm_problem> kernels, tuning_file& file) {
    if (w.count != words::most || w.at[0] != "sgemm")
        return "not \"sgemm\", a kernel, a form and four costs";
    const auto kernel = std::find_if(
        kernels.begin(), kernels.end(), [&](const auto* known) { return w.at[1] == known->name; });
    if (kernel == kernels.end())
        return "there is no such kernel";
    if (!(*kernel)->work)
        return "the kernel's time cannot be predicted";
    const auto form = std::find(std::begin(form_names), std::end(form_names), w.at[2]);
    if (form == std::end(form_names))
        return "the form is not NN, NT, TN or TT";
    cost read;
    if (!read_cost(w.at[3], &read.fixed) || !read_cost(w.at[4], &read.per_wave) ||
        !read_cost(w.at[5], &read.per_step) || !read_cost(w.at[6], &read.per_byte))
        return "a cost is not a number from 0 on";
    if (!read.is_measured())
        return "all costs are 0";
    kernel_cost<sgemm_problem>* const costs = costs_of(*kernel, file);
    if (!costs)
        return "too many kernels";
    cost& place = costs->of_form[form - std::begin(form_names)];
    if (place.is_measured())
        return "the kernel has costs for the form already";
    place = read;
    return nullptr;
}

bool has_every_form(const tuning_file& file) {
    for (size_t form = 0; form < form_count; ++form)
        if (std::ranges::none_of(file.sgemm_costs(), [&](const auto& known) {
                return known.of_form[form].is_measured();
            }))
            return false;
    return true;
}

} // namespace

tuning_fault parse_tuning(std::string_view text,
                          kernel_list<sgemm_problem> kernels,
                          tuning_file* file) noexcept {
    *file = {};
    int line = 0, record = 0;
    while (!text.empty()) {
        ++line;
        const size_t length = std::min(text.find('\n'), text.size());
        const words w(text.substr(0, length));
        text.remove_prefix(std::min(length + 1, text.size()));
        if (w.count == 0 || w.at[0].front() == '#')
            continue;
        ++record;
        const char* const what = record == 1   ? read_version(w)
                                 : record == 2 ? read_arch(w, *file)
                                               : read_costs(w, kernels, *file);
        if (what)
            return {line, what};
    }
    if (!has_every_form(*file))
        return {line, "the file ends without a kernel for each form"};
    return {line, nullptr};
}

} // namespace myblas
