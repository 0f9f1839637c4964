// result = the sums of the rows of op(A): runs of 8 additions in float, whose sums are added in
// double.
//
// Adds to `serial`: both directions read down the columns, with lanes that do not wait for each
// other, and the error of a sum does not grow with its length.
//
//   op N    a strip of 1024 rows, a lane for each row: a run is 8 columns
//   op T    16 lanes down a column: a run is 8 elements of each lane
//
// Error: 7 roundings in a run, almost none above, one in the result: 9 u sum |A_ij|.
// Works against memory, m n elements read. Accepts every problem.
#include "host/instructions.h"
#include "host/registry.h"
#include "host/threads.h"

#include <algorithm>

namespace myblas::host {
namespace {

constexpr int run = 8;
constexpr int strip = 1024; // rows
constexpr int lanes = 16;

// total_i += the sum of `columns` elements of row i, from x on, for `rows` rows.
template <int columns>
[[gnu::always_inline]] inline void add_run(const float* x, int64_t lda, int rows, double* total) {
    for (int i = 0; i < rows; ++i) {
        float sum = x[i];
#pragma GCC unroll 8
        for (int j = 1; j < columns; ++j)
            sum += x[i + j * lda];
        total[i] += sum;
    }
}

// Sums rows i0 ... i0 + rows - 1.
[[gnu::always_inline]] inline void add_strip(const gemsum_problem& p, int64_t i0, int rows) {
    double total[strip] = {};
    const float* const first = p.a + i0;
    int64_t j = 0;
    for (; j + run <= p.n; j += run)
        add_run<run>(first + j * p.lda, p.lda, rows, total);
    float rest[strip] = {};
    for (int64_t last = j; last < p.n; ++last)
        for (int i = 0; i < rows; ++i)
            rest[i] += first[i + last * p.lda];
    for (int i = 0; i < rows; ++i)
        p.result[i0 + i] = static_cast<float>(total[i] + rest[i]);
}

// Sums several columns at a time: memory delivers them faster than one.
template <int columns>
[[gnu::always_inline]] inline void
add_columns(const float* x, int64_t lda, int64_t m, float* result) {
    double total[columns][lanes] = {};
    int64_t i = 0;
    for (; i + run * lanes <= m; i += run * lanes) {
#pragma GCC unroll 4
        for (int j = 0; j < columns; ++j) {
            float part[lanes] = {};
            for (int k = 0; k < run; ++k)
                for (int l = 0; l < lanes; ++l)
                    part[l] += x[i + k * lanes + l + j * lda];
            for (int l = 0; l < lanes; ++l)
                total[j][l] += part[l];
        }
    }
    for (int j = 0; j < columns; ++j) {
        for (int64_t last = i; last < m; ++last)
            total[j][0] += x[last + j * lda];
        double sum = 0;
        for (const double lane : total[j])
            sum += lane;
        result[j] = static_cast<float>(sum);
    }
}

myblasStatus_t launch(const gemsum_problem& p, const launch_context&) {
    // Floats of a cache line; two threads should not write to the same one.
    constexpr int64_t line = 16;
    const int64_t bytes = 4;
    if (p.trans)
        for_each_piece(p.n, bytes * p.m, line, [&p](int64_t first, int64_t end) {
            run_best([=, &p](auto) {
                constexpr int columns = 4;
                int64_t j = first;
                for (; j + columns <= end; j += columns)
                    add_columns<columns>(p.a + j * p.lda, p.lda, p.m, p.result + j);
                for (; j < end; ++j)
                    add_columns<1>(p.a + j * p.lda, p.lda, p.m, p.result + j);
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
