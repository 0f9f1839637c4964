// The small steps of level 3's plans on the host.
#include "level3/steps.h"

#include "host/batch.h"
#include "host/scalar.h"

#include <algorithm>
#include <cmath>

namespace myblas {
namespace host {
namespace {

myblasStatus_t mirror(const mirror_step& p, const launch_context&) {
    if (resolve(p.gate) == 0)
        return MYBLAS_STATUS_SUCCESS;
    // Square by square, so that mirror images are read from the cache.
    constexpr int64_t side = 32;
    for (int64_t j0 = 0; j0 < p.n; j0 += side) {
        for (int64_t i0 = 0; i0 < p.n; i0 += side) {
            const int64_t i1 = std::min(p.n, i0 + side), j1 = std::min(p.n, j0 + side);
            for (int64_t j = j0; j < j1; ++j) {
                for (int64_t i = i0; i < i1; ++i) {
                    const bool is_stored = p.upper ? i <= j : i >= j;
                    p.w[i + j * p.ldw] = is_stored ? p.a[i + j * p.lda] : p.a[j + i * p.lda];
                }
            }
        }
    }
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t store(const store_step& p, const launch_context&) {
    const float beta = resolve(p.beta);
    for (int64_t first = 0, block = 0; first < p.n; first += p.block, ++block) {
        const int64_t size = std::min(p.block, p.n - first);
        const float* t = p.t + block * p.stride_t;
        float* c = p.c + first * (1 + p.ldc);
        for (int64_t j = 0; j < size; ++j) {
            for (int64_t i = p.upper ? 0 : j; i < (p.upper ? j + 1 : size); ++i) {
                float sum = p.t ? t[i + j * p.ldt] : 0;
                if (p.twice)
                    sum += t[j + i * p.ldt];
                float& value = c[i + j * p.ldc];
                value = beta == 0 ? sum : std::fma(beta, value, sum);
            }
        }
    }
    return MYBLAS_STATUS_SUCCESS;
}

// ---- Triangles ----------------------------------------------------------------------------------

// Lines are side by side, so that the loops over them become vector instructions.
constexpr int width = 64;

struct tile {
    float l[most_triangle_block][most_triangle_block]; // (i, j); 1 on a unit diagonal
    float x[most_triangle_block][width];               // (i, line)
};

void load_triangle(const float* a, int64_t row, int64_t col, bool is_unit, int64_t size, tile& t) {
    for (int64_t i = 0; i < size; ++i) {
        for (int64_t j = 0; j < i; ++j)
            t.l[i][j] = a[i * row + j * col];
        t.l[i][i] = is_unit ? 1.0f : a[i * (row + col)];
    }
}

void multiply(int64_t size, tile& t) {
    for (int64_t i = size - 1; i >= 0; --i) {
        float sum[width];
        for (int v = 0; v < width; ++v)
            sum[v] = t.l[i][i] * t.x[i][v];
        for (int64_t j = 0; j < i; ++j)
            for (int v = 0; v < width; ++v)
                sum[v] += t.l[i][j] * t.x[j][v];
        std::copy_n(sum, width, t.x[i]);
    }
}

void solve(int64_t size, bool is_unit, tile& t) {
    for (int64_t i = 0; i < size; ++i) {
        float rest[width];
        std::copy_n(t.x[i], width, rest);
        for (int64_t j = 0; j < i; ++j)
            for (int v = 0; v < width; ++v)
                rest[v] -= t.l[i][j] * t.x[j][v];
        for (int v = 0; v < width; ++v)
            t.x[i][v] = is_unit ? rest[v] : rest[v] / t.l[i][i];
    }
}

// Updates one diagonal block, a tile of lines at a time.
void update_block(const triangle_step& p,
                  float alpha,
                  const float* a,
                  const float* x,
                  float* y,
                  int64_t size,
                  tile& t) {
    load_triangle(a, p.a_row, p.a_col, p.unit, size, t);
    for (int64_t first = 0; first < p.lines; first += width) {
        const int64_t lines = std::min<int64_t>(width, p.lines - first);
        for (int64_t i = 0; i < size; ++i) {
            for (int64_t v = 0; v < lines; ++v)
                t.x[i][v] = alpha * x[i * p.x_along + (first + v) * p.x_across];
            std::fill(t.x[i] + lines, t.x[i] + width, 0.0f);
        }
        if (p.is_solve)
            solve(size, p.unit, t);
        else
            multiply(size, t);
        for (int64_t i = 0; i < size; ++i)
            for (int64_t v = 0; v < lines; ++v)
                y[i * p.y_along + (first + v) * p.y_across] = t.x[i][v];
    }
}

myblasStatus_t triangle(const triangle_step& p, const launch_context&) {
    const float alpha = resolve(p.gate) == 0 ? 0 : resolve(p.alpha);
    tile t; // 96 KiB
    for (int64_t index = 0; index < p.batch_count; ++index) {
        const float* a = batch_operand(p.a.base, p.a.stride, p.a.array, index) + p.a.offset;
        const float* x = batch_operand(p.x.base, p.x.stride, p.x.array, index) + p.x.offset;
        float* y = batch_operand(p.y.base, p.y.stride, p.y.array, index) + p.y.offset;
        if (alpha == 0) {
            for (int64_t line = 0; line < p.lines; ++line)
                for (int64_t i = 0; i < p.n; ++i)
                    y[i * p.y_along + line * p.y_across] = 0;
            continue;
        }
        for (int64_t first = 0; first < p.n; first += p.block)
            update_block(p,
                         alpha,
                         a + first * (p.a_row + p.a_col),
                         x + first * p.x_along,
                         y + first * p.y_along,
                         std::min(p.block, p.n - first),
                         t);
    }
    return MYBLAS_STATUS_SUCCESS;
}

// ---- Scalars and pointers -----------------------------------------------------------------------

myblasStatus_t gate(const zero_if_alpha_zero& p, const launch_context&) {
    *p.result = *p.alpha == 0 ? 0.0f : -1.0f;
    return MYBLAS_STATUS_SUCCESS;
}

myblasStatus_t pointers(const pointers_step& p, const launch_context&) {
    for (int operand = 0; operand < 3; ++operand)
        for (int64_t i = 0; i < p.count; ++i)
            p.targets[operand * p.count + i] = p.arrays[operand][i] + p.offsets[operand];
    return MYBLAS_STATUS_SUCCESS;
}

} // namespace
} // namespace host

const step_functions& host_steps() {
    static constexpr step_functions steps{host::mirror,
                                          host::store,
                                          nullptr,
                                          host::triangle,
                                          host::gate,
                                          host::pointers,
                                          nullptr,
                                          nullptr};
    return steps;
}

} // namespace myblas
