// `myblas-bench compare A.json B.json`: what is faster or slower in B than in A, beyond the noise of both.
#pragma once

namespace bench {

// Takes the arguments from "compare" on. The exit status: 0, no case is slower; 1, some case is. Throws usage_error for
// files that cannot be read or have no case in common.
int compare(int argc, char** argv);

} // namespace bench
