"""Calls of NumPy and SciPy in float32, as many as wheels.sh expects to see."""

import numpy as np
import scipy.linalg
from scipy.linalg import blas

random = np.random.default_rng(1)


def matrix(rows, cols):
    return random.standard_normal((rows, cols), dtype=np.float32)


def check(result, expected):
    assert result.dtype == np.float32
    assert np.allclose(result, expected, rtol=1e-3, atol=1e-3)


def wide(*arrays):
    return [array.astype(np.float64) for array in arrays]


a, b, x = matrix(66, 67), matrix(67, 65), matrix(67, 1)[:, 0]
wide_a, wide_b, wide_x = wide(a, b, x)

# NumPy, by scipy_cblas_..64_
for _ in range(5):
    check(a @ b, wide_a @ wide_b)  # sgemm
for _ in range(3):
    check(a @ a.T, wide_a @ wide_a.T)  # ssyrk
for _ in range(4):
    check(a @ x, wide_a @ wide_x)  # sgemv
for _ in range(2):
    check(np.dot(x, x), np.dot(wide_x, wide_x))  # sdot

# LAPACK's solvers are in the same library as their BLAS, and their calls stay inside it. NumPy's
# solvers compute in double precision.
square = a @ a.T + 66 * np.eye(66, dtype=np.float32)  # ssyrk
(wide_square,) = wide(square)
solution = np.linalg.solve(wide_square, wide_a)
check(np.linalg.solve(square, a), solution)
check(np.linalg.lstsq(square, a)[0], solution)
check(scipy.linalg.solve(square, a), solution)
check(scipy.linalg.lstsq(square, a)[0], solution)

# SciPy, by scipy_.._
for _ in range(3):
    check(blas.sgemm(1, a, b), wide_a @ wide_b)  # sgemm
lower = np.tril(square)
for _ in range(2):
    check(blas.strsm(1, lower, a, lower=1), np.linalg.solve(wide(lower)[0], wide_a))  # strsm
check(blas.ssymm(1, square, a), wide_square @ wide_a)  # ssymm
check(blas.strmv(lower, x[:66], lower=1), wide(lower)[0] @ wide_x[:66])  # strmv
assert blas.isamax(x) == np.argmax(abs(x))  # isamax
