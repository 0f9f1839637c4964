// Tuning files (MYBLAS_TUNING).
#include "select/tuning_file.h"

#include "select/tuning.h"
#include "target.h"

#include <algorithm>

using namespace myblas;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text = text_of(data, size);
    const auto model_of = [](int arch) -> const time_model* {
        return arch == 90 ? &sgemm_model_sm90 : nullptr;
    };
    static tuning_file file;
    const tuning_fault found = parse_tuning(text, model_of, &file);
    const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
    require(found.line >= 0 && found.line <= lines, "the number of the line is in the text");
    require(found.what || file.arch == 90, "the architecture is known");
    for (const auto& forms : file.factors.of_variant)
        for (const float factor : forms)
            require(factor >= 1.0f / 64 && factor <= 64, "a factor is from 1/64 to 64");
    return 0;
}
