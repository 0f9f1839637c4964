// The calls that a program makes, for `myblas-bench replay`.
//
// MYBLAS_CALL_LOG names a file. When a process ends (process_record.h), it appends a line of JSON
// for each distinct call: the function, the sizes, and the number of such calls. Calls with wrong
// arguments or with nothing to compute are left out. If the variable is not set, nothing is
// recorded.
#pragma once

#include "myblas/myblas.h"

#include <cstdint>

namespace myblas::preload {

// A call as plain data. A field that a function lacks keeps its default.
struct logged_call {
    int routine = 0; // as the report counts it
    myblasSideMode_t side = MYBLAS_SIDE_LEFT;
    myblasFillMode_t uplo = MYBLAS_FILL_MODE_LOWER;
    myblasOperation_t transa = MYBLAS_OP_N, transb = MYBLAS_OP_N;
    myblasDiagType_t diag = MYBLAS_DIAG_NON_UNIT;
    int64_t m = 1, n = 1, k = 1;
    int64_t lda = 0, ldb = 0, ldc = 0;
    int64_t incx = 1, incy = 1;
    int64_t batch = 1;
    bool pointer_array = false;

    bool operator==(const logged_call&) const = default;
};

namespace call_log {

bool is_on() noexcept;
void add(const logged_call&) noexcept;

} // namespace call_log
} // namespace myblas::preload
