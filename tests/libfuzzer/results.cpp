// Files of results (myblas-bench --json), as --resume and `myblas-bench compare` read them.
#include "commands.h"
#include "earlier_run.h"
#include "errors.h"
#include "shape_json.h"
#include "target.h"

using bench::usage_error;

namespace {

nlohmann::ordered_json current; // the context of "this" run, so that every file could be resumed

template <class Read>
void expect_usage_error(const Read& read) {
    try {
        read();
    } catch (const usage_error&) { // any other exception is a message that names no file
    }
}

} // namespace

namespace bench {
nlohmann::ordered_json to_json(const context&) { return current; }
} // namespace bench

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static memory_file memory;
    const std::string file = memory.hold(text_of(data, size));
    expect_usage_error([&] { bench::check_may_overwrite(file); });
    expect_usage_error([&] {
        const auto run = bench::read_earlier_run(file);
        current = run->context;
        for (const char* field : bench::fields_of_same_runs)
            if (!current.contains(field))
                current[field] = nullptr;
        std::vector<bench::shape> shapes;
        for (const auto& row : run->so_far.rows)
            shapes.push_back(bench::read_shape(row));
        bench::check_same_run(file, *run, {}, shapes);
    });
    expect_usage_error([&] {
        bench::compare_options asked;
        asked.before = asked.after = file;
        require(bench::compare(asked), "no case is slower than itself");
    });
    return 0;
}
