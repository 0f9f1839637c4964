// Generates plane rotations, on the host and in kernels. In double, so that squares and products of
// floats, and their sums, neither overflow nor underflow.
#pragma once

#include "core/problem.h"

#include <cmath>

namespace myblas {

// The matrix that BLAS's param describes: a flag, then h11, h21, h12, h22. The flag says which
// elements are constants; these are not read.
MYBLAS_HOST_DEVICE inline rotm_matrix read_rotm(const float* param) {
    const float flag = param[0];
    if (flag == -2)
        return {};
    rotm_matrix h{.h11 = 1, .h21 = -1, .h12 = 1, .h22 = 1, .is_identity = false};
    if (flag != 0) { // -1 or 1
        h.h11 = param[1];
        h.h22 = param[4];
    }
    if (flag <= 0) { // -1 or 0
        h.h21 = param[2];
        h.h12 = param[3];
    }
    return h;
}

MYBLAS_HOST_DEVICE inline void generate(const rotg_problem& p) {
    const double a = *p.a, b = *p.b;
    float r = *p.a, z = 0, c = 1, s = 0;
    if (b != 0 && a == 0) {
        r = *p.b, z = 1, c = 0, s = 1;
    } else if (b != 0) {
        const bool a_is_larger = fabs(a) > fabs(b);
        const double length = copysign(sqrt(a * a + b * b), a_is_larger ? a : b);
        r = static_cast<float>(length);
        c = static_cast<float>(a / length);
        s = static_cast<float>(b / length);
        z = a_is_larger ? s : c != 0 ? static_cast<float>(length / a) : 1;
    }
    *p.a = r;
    *p.b = z;
    *p.c = c;
    *p.s = s;
}

// Multiplies d by powers of 4096^2 until d is between 4096^-2 and 4096^2. Divides the row of H that
// belongs to d, and x, by the same powers of 4096. Returns whether d changed. Zero and Inf stay.
MYBLAS_HOST_DEVICE inline bool rescale(double* d, double* row_1, double* row_2, double* x) {
    constexpr double step = 4096;
    bool is_scaled = false;
    while (*d != 0 && std::isfinite(*d) &&
           (fabs(*d) <= 1 / (step * step) || fabs(*d) >= step * step)) {
        const double factor = fabs(*d) < 1 ? step : 1 / step;
        *d *= factor * factor;
        *row_1 /= factor;
        *row_2 /= factor;
        *x /= factor;
        is_scaled = true;
    }
    return is_scaled;
}

MYBLAS_HOST_DEVICE inline void generate(const rotmg_problem& p) {
    double d1 = *p.d1, d2 = *p.d2, x1 = *p.x1;
    const double y1 = *p.y1, p1 = d1 * x1, p2 = d2 * y1;
    const double q1 = p1 * x1, q2 = p2 * y1;
    if (!(d1 < 0) && p2 == 0) {
        p.param[0] = -2;
        return;
    }

    // The flag is 0 where h11 and h22 are 1, and 1 where h21 is -1 and h12 is 1.
    double h11 = 1, h21 = -1, h12 = 1, h22 = 1;
    float flag = -1;
    double u = 0;
    if (!(d1 < 0) && fabs(q1) > fabs(q2)) {
        flag = 0;
        h21 = -y1 / x1;
        h12 = p2 / p1;
        u = 1 - h12 * h21;
        d1 /= u;
        d2 /= u;
        x1 *= u;
    } else if (!(d1 < 0) && !(q2 < 0)) {
        flag = 1;
        h11 = p1 / p2;
        h22 = x1 / y1;
        u = 1 + h11 * h22;
        const double d = d2 / u;
        d2 = d1 / u;
        d1 = d;
        x1 = y1 * u;
    }
    if (flag < 0 || u <= 0) { // d1 is negative, or the rotated square would be negative
        h11 = h21 = h12 = h22 = d1 = d2 = x1 = 0;
        flag = -1;
    }
    double unused = 1;
    const bool first_is_scaled = rescale(&d1, &h11, &h12, &x1);
    const bool second_is_scaled = rescale(&d2, &h21, &h22, &unused);
    if (first_is_scaled || second_is_scaled)
        flag = -1;

    *p.d1 = static_cast<float>(d1);
    *p.d2 = static_cast<float>(d2);
    *p.x1 = static_cast<float>(x1);
    p.param[0] = flag;
    if (flag != 0) {
        p.param[1] = static_cast<float>(h11);
        p.param[4] = static_cast<float>(h22);
    }
    if (flag <= 0) {
        p.param[2] = static_cast<float>(h21);
        p.param[3] = static_cast<float>(h12);
    }
}

} // namespace myblas
