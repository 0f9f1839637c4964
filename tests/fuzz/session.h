// Makes calls on its own handle, and compares their results with the reference and with
// repetitions.
#pragma once

#include "fuzz/by_name.h"
#include "fuzz/reference.h"

#include <map>
#include <memory>
#include <string>

namespace fuzz {

// Counts for the summary.
struct tally {
    int64_t cases = 0, calls = 0, elements = 0, undetermined = 0, bits_compared = 0, refused = 0,
            not_supported = 0, graphs = 0;
    struct of_function {
        int64_t cases = 0;
        double worst = 0; // largest error as part of its bound
    };
    std::map<std::string, of_function> functions;
    std::map<std::string, int64_t> kernels; // by routine and name

    void add(const tally& other);
};

class session {
public:
    session(myblasBackend_t backend, entry_points by);
    ~session();
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    myblasBackend_t backend() const;

    // Makes the call of the case. Returns what is wrong; empty: nothing.
    std::string run(const call_case& c);

    tally counts;

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace fuzz
