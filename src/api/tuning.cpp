#include "api/tuning.h"

#include "api/logger.h"
#include "core/environment.h"
#include "core/routine.h"

#include <array>
#include <cstdio>

namespace myblas {

constinit std::atomic<const tuned_predictor*> tuning_in_use{nullptr};

namespace {

constexpr size_t max_file_bytes = size_t{64} << 10; // larger than any useful file

constinit tuned_predictor tuned{}; // written once, by load()

// How reading the file went.
struct outcome {
    const char* path = nullptr; // null: none is named
    const char* fault = nullptr;
    int line = 0; // of the fault; 0: the whole file
};

outcome load() noexcept {
    static constinit std::array<char, max_file_bytes + 1> text{};
    const char* const path = read_variable("MYBLAS_TUNING");
    if (!path)
        return {};
    FILE* const stream = std::fopen(path, "re");
    if (!stream)
        return {path, "it cannot be read"};
    const size_t bytes = std::fread(text.data(), 1, text.size(), stream);
    const bool has_failed = std::ferror(stream);
    std::fclose(stream);
    if (has_failed)
        return {path, "it cannot be read"};
    if (bytes > max_file_bytes)
        return {path, "it is too long"};
    const auto model_of = [](int arch) {
        const predictor* by = cuda_table<sgemm_problem>(arch).predictor;
        return by ? by->model : nullptr;
    };
    const tuning_fault found = parse_tuning({text.data(), bytes}, model_of, &tuned.file);
    if (!found.what) {
        tuned.by = *cuda_table<sgemm_problem>(tuned.file.arch).predictor;
        tuned.by.factors = &tuned.file.factors;
        tuning_in_use.store(&tuned, std::memory_order_release);
    }
    return {path, found.what, found.line};
}

} // namespace

void read_tuning() noexcept {
    static const outcome found = load();
    static constinit std::atomic<bool> is_logged{false};
    // Logged outside of load(), while no thread waits for it: the program's callback may call the
    // library.
    if (!found.path || is_logged.exchange(true))
        return;
    if (!found.fault)
        logger::write("MYBLAS_TUNING: %s has the factors for sm_%d", found.path, tuned.file.arch);
    else if (found.line)
        logger::write(
            "MYBLAS_TUNING: %s is ignored: line %d: %s", found.path, found.line, found.fault);
    else
        logger::write("MYBLAS_TUNING: %s is ignored: %s", found.path, found.fault);
}

} // namespace myblas
