#include "select/tuning_file.h"

#include <algorithm>
#include <charconv>

namespace myblas {
namespace {

constexpr std::string_view form_names[] = {"NN", "NT", "TN", "TT"};

using seen_forms = std::array<unsigned char, tuning_factors::most_variants>;

// The words of a line. The count is at most one more than the longest record has.
struct words {
    static constexpr size_t most = 4;
    std::array<std::string_view, most + 1> at{};
    size_t count = 0;

    explicit words(std::string_view line) {
        constexpr std::string_view blanks = " \t";
        while (count < at.size()) {
            const size_t first = line.find_first_not_of(blanks);
            if (first == std::string_view::npos)
                return;
            line.remove_prefix(first);
            at[count++] = line.substr(0, line.find_first_of(blanks));
            line.remove_prefix(at[count - 1].size());
        }
    }
};

// Whether all of the word is a number. Unlike strtod this ignores the locale.
template <class Number>
bool read_number(std::string_view word, Number* number) {
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, *number);
    return error == std::errc{} && stop == end;
}

// Each of these functions reads a line and returns what is wrong with it, or null.

const char* read_version(const words& w) {
    return w.count == 2 && w.at[0] == "myblas-tuning" && w.at[1] == "2"
               ? nullptr
               : "the first line is not \"myblas-tuning 2\"";
}

const char*
read_arch(const words& w, find_model model_of, tuning_file& file, const time_model** model) {
    if (w.count != 2 || w.at[0] != "arch" || !read_number(w.at[1], &file.arch) || file.arch <= 0)
        return "the second line is not \"arch\" and a compute capability x 10";
    *model = model_of(file.arch);
    return *model ? nullptr : "this library predicts no times for the architecture";
}

// `seen`: for each variant, bits of the forms that have had their line.
const char*
read_factor(const words& w, const time_model& model, tuning_file& file, seen_forms& seen) {
    if (w.count != words::most || w.at[0] != "sgemm")
        return "not \"sgemm\", a kernel, a form and a factor";
    const auto variant = std::find_if(model.variants.begin(),
                                      model.variants.end(),
                                      [&](const variant_model& v) { return w.at[1] == v.name; });
    if (variant == model.variants.end())
        return "there is no such kernel, or its time cannot be predicted";
    const auto form = std::find(std::begin(form_names), std::end(form_names), w.at[2]);
    if (form == std::end(form_names))
        return "the form is not NN, NT, TN or TT";
    double factor;
    if (!read_number(w.at[3], &factor) || !(factor >= 1.0 / 64 && factor <= 64))
        return "the factor is not a number from 1/64 to 64";
    const size_t v = variant - model.variants.begin(), f = form - std::begin(form_names);
    if (seen[v] & 1 << f)
        return "the kernel has a factor for the form already";
    seen[v] |= 1 << f;
    file.factors.of_variant[v][f] = static_cast<float>(factor);
    return nullptr;
}

} // namespace

tuning_fault parse_tuning(std::string_view text, find_model model_of, tuning_file* file) noexcept {
    *file = {};
    const time_model* model = nullptr;
    seen_forms seen{};
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
                                 : record == 2 ? read_arch(w, model_of, *file, &model)
                                               : read_factor(w, *model, *file, seen);
        if (what)
            return {line, what};
    }
    if (record < 2)
        return {line, "the file ends before the architecture"};
    return {line, nullptr};
}

} // namespace myblas
