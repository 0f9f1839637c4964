// Fills the operands of a call, and judges its results by a reference in double precision under the
// bounds that the public header states.
#pragma once

#include "fuzz/call.h"

#include <string>
#include <vector>

namespace fuzz {

// An operand before and after the call, from its lowest address on.
struct contents {
    operand spec;
    std::vector<unsigned char> sent, found;
};

// Fills `sent`. Elements that are not read, and the gaps between elements, keep their bits, which
// are those of a NaN.
void fill(const call_case& c, contents& x, size_t number);

// How a call was computed, as far as the header's promises depend on it.
struct computed_by {
    bool is_host = true;    // if all math modes compute as strict
    bool is_forced = false; // a kernel is forced for the routine
    bool is_deterministic = true;
    std::string kernel; // of the routine; empty: none was needed
    std::string product_kernel;
};

struct judgement {
    std::string wrong;                      // empty: all is right
    double worst = 0;                       // the largest error as part of its bound
    int64_t elements = 0, undetermined = 0; // undetermined: the header promises nothing about them
};

judgement judge(const call_case& c, const std::vector<contents>& all, const computed_by& by);

} // namespace fuzz
