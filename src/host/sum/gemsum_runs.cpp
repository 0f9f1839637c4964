// result = the sums of the rows of op(A), in runs of 8 additions in float, and the runs in double.
//
// Adds to `serial`: both directions read down the columns, with lanes that do not wait for each
// other, and the error of a sum does not grow with its length.
//
//   op N    a strip of 1024 rows, one lane a row: a run is 8 columns
//   op T    16 lanes down a column: a run is 8 elements of each lane
//
// Error: 7 roundings in a run, next to none above, one in the result: 9 u sum |A_ij|.
// Works against memory, m n elements read. Accepts every problem.
#include "host/instructions.h"
#include "host/sum/registry.h"
#include "host/threads.h"

#include <algorithm>

namespace myblas::host {
namespace {

constexpr int run = 8;
constexpr int strip = 1024; // rows
constexpr int lanes = 16;

// Rows i0 ... i0 + rows - 1.
void add_strip(const gemsum_problem& p, int64_t i0, int rows) {
    double total[strip] = {};
    for (int64_t j0 = 0; j0 < p.n; j0 += run) {
        float part[strip] = {};
        const int64_t j1 = std::min(j0 + run, p.n);
        for (int64_t j = j0; j < j1; ++j) {
            const float* column = p.a + i0 + j * p.lda;
            for (int i = 0; i < rows; ++i)
                part[i] += column[i];
        }
        for (int i = 0; i < rows; ++i)
            total[i] += part[i];
    }
    for (int i = 0; i < rows; ++i)
        p.result[i0 + i] = static_cast<float>(total[i]);
}

float add_column(const float* x, int64_t m) {
    double total[lanes] = {};
    int64_t i = 0;
    for (; i + run * lanes <= m; i += run * lanes) {
        float part[lanes] = {};
        for (int k = 0; k < run; ++k)
            for (int l = 0; l < lanes; ++l)
                part[l] += x[i + k * lanes + l];
        for (int l = 0; l < lanes; ++l)
            total[l] += part[l];
    }
    for (; i < m; ++i)
        total[0] += x[i];
    double sum = 0;
    for (const double lane : total)
        sum += lane;
    return static_cast<float>(sum);
}

myblasStatus_t launch(const gemsum_problem& p, const launch_context&) {
    constexpr int64_t line = 16; // floats of a cache line, which two threads should not share
    const int64_t bytes = 4;
    if (p.trans)
        for_each_piece(p.n, bytes * p.m, line, [&p](int64_t first, int64_t end) {
            run_best([=, &p](auto) {
                for (int64_t j = first; j < end; ++j)
                    p.result[j] = add_column(p.a + j * p.lda, p.m);
            });
        });
    else
        for_each_piece(p.m, bytes * p.n, line, [&p](int64_t first, int64_t end) {
            run_best([=, &p](auto) {
                for (int64_t i0 = first; i0 < end; i0 += strip)
                    add_strip(p, i0, static_cast<int>(std::min<int64_t>(strip, end - i0)));
            });
        });
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace

constinit const kernel_entry<gemsum_problem> gemsum_runs{
    .name = "runs",
    .description = "runs of 8 additions in float, added in double",
    .launch = launch,
};

} // namespace myblas::host
