"""SciPy in float32: two solves, a Cholesky factorisation, and a product by scipy.linalg.blas."""

import numpy as np
from scipy import linalg

random = np.random.default_rng(1)
a = random.standard_normal((500, 500), dtype=np.float32)
for _ in range(2):
    linalg.solve(a, a)
linalg.cholesky(linalg.blas.ssyrk(1, a) + 500 * np.eye(500, dtype=np.float32))
linalg.blas.sgemm(1, a, a)
