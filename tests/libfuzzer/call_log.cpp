// Logs of calls (MYBLAS_CALL_LOG), as `myblas-bench replay` reads them.
#include "call_log.h"

#include "errors.h"
#include "shape_json.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static memory_file file;
    try {
        const bench::call_log log = bench::read_call_log(file.hold(text_of(data, size)));
        require(!log.shapes.empty(), "a log without calls is refused");
        for (const bench::shape& s : log.shapes) {
            require(s.calls > 0, "a shape was called");
            bench::complete(s); // throws if it is not complete
            const nlohmann::ordered_json json = to_json(s);
            require(to_json(bench::read_shape(json)) == json, "a shape survives its file");
            require(!to_text(s).empty(), "a shape has a name");
        }
        for (const bench::left_out_calls& l : log.left_out)
            require(l.calls > 0 && !l.reason.empty(), "a call is left out for a reason");
    } catch (const bench::usage_error&) {
    }
    return 0;
}
